//! Findings: errors of a bag, and deviations that deserve a look.

use std::fmt;
use std::io;

use pfh_record::quote::quoted;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The bag is not valid.
    Error,
    /// The bag deviates from the standard, or deserves a look, and is valid nevertheless.
    Warning,
}

impl Severity {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// The rule that a bag breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// bagit.txt declares the version and the encoding (RFC 8493, section 2.1.1).
    Declaration,
    /// A bag has a payload directory and payload manifests (section 2.1).
    Structure,
    /// A tag file consists of lines of its form.
    Syntax,
    /// The encoding of tag files and of paths in them (sections 2.1.3, 2.2.3 and 5.1).
    Encoding,
    /// Paths stay in the bag, and those of the payload in `data/` (section 2.1.3).
    UnsafePath,
    /// A path is listed once in a manifest (section 2.1.3).
    Duplicate,
    /// A manifest is by an algorithm that is known (section 2.4).
    Algorithm,
    /// Payload-Oxum states the bytes and the number of files of the payload (section 2.2.2).
    Oxum,
    /// Each listed file exists (section 3).
    Missing,
    /// Each payload file is listed (sections 2.1.3 and 3).
    Unlisted,
    /// fetch.txt lists files of the payload that are to be fetched (section 2.2.3).
    Fetch,
    /// Manifests of one kind list the same files (section 2.2.1).
    TagManifest,
    /// A bag has files and directories, and nothing else (section 2).
    Kind,
    /// Names that some systems take for each other (section 6.1.2).
    Collision,
    /// The digest of a file is the listed one (section 3).
    Digest,
    /// The bag is as its profile demands.
    Profile,
}

impl Rule {
    /// Returns the word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Rule::Declaration => "declaration",
            Rule::Structure => "structure",
            Rule::Syntax => "syntax",
            Rule::Encoding => "encoding",
            Rule::UnsafePath => "unsafe-path",
            Rule::Duplicate => "duplicate",
            Rule::Algorithm => "algorithm",
            Rule::Oxum => "oxum",
            Rule::Missing => "missing",
            Rule::Unlisted => "unlisted",
            Rule::Fetch => "fetch",
            Rule::TagManifest => "tag-manifest",
            Rule::Kind => "kind",
            Rule::Collision => "collision",
            Rule::Digest => "digest",
            Rule::Profile => "profile",
        }
    }
}

/// Something that is wrong with a bag, with its place. `Display` is the text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much it weighs.
    pub severity: Severity,
    /// The rule that is broken.
    pub rule: Rule,
    /// The tag file that it is about, or that tells of it.
    pub tag_file: Option<String>,
    /// The line of the tag file, counted from 1.
    pub line: Option<u64>,
    /// The path in the bag that it is about.
    pub path: Option<Vec<u8>>,
    /// The error or the deviation, in words.
    pub text: String,
}

impl Finding {
    pub(crate) fn new(severity: Severity, rule: Rule, text: impl Into<String>) -> Finding {
        Finding { severity, rule, tag_file: None, line: None, path: None, text: text.into() }
    }

    pub(crate) fn error(rule: Rule, text: impl Into<String>) -> Finding {
        Finding::new(Severity::Error, rule, text)
    }

    pub(crate) fn warning(rule: Rule, text: impl Into<String>) -> Finding {
        Finding::new(Severity::Warning, rule, text)
    }

    #[must_use]
    pub(crate) fn at(mut self, tag_file: &str, line: u64) -> Finding {
        (self.tag_file, self.line) = (Some(tag_file.to_owned()), Some(line));
        self
    }

    #[must_use]
    pub(crate) fn in_file(mut self, tag_file: &str) -> Finding {
        self.tag_file = Some(tag_file.to_owned());
        self
    }

    #[must_use]
    pub(crate) fn about(mut self, path: &[u8]) -> Finding {
        self.path = Some(path.to_vec());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", quoted(path))?;
        }
        f.write_str(&self.text)?;
        match (&self.tag_file, self.line) {
            (Some(file), Some(line)) => write!(f, " ({file}, line {line})"),
            (Some(file), None) => write!(f, " ({file})"),
            _ => Ok(()),
        }
    }
}

/// Takes findings as they come. An error ends the judging.
pub type Report<'a> = &'a mut (dyn FnMut(Finding) -> io::Result<()> + Send);
