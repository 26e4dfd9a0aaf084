//! The contract of a format, and the table of all formats that can be written.

use std::fmt;
use std::num::NonZero;
use std::str::FromStr;

use pfh_digest::{Algorithm, Digest};
use pfh_similarity::Family;

use crate::csv::Csv;
use crate::dfxml::Dfxml;
use crate::gnu::{Bsd, Gnu};
use crate::hashdeep::{self, Hashdeep};
use crate::jsonl::Jsonl;
use crate::md5deep::{Md5deep, Md5deepForm};
use crate::sfv::{self, Sfv};
use crate::similarity::SimilarityList;
use crate::text::push_base64;
use crate::{Feature, Record, RunFacts, Selection, Summary};

/// Turns records into bytes of one format. Shared by all workers: each formats its own records, and whoever writes puts
/// the pieces in order.
pub trait Format: Send + Sync {
    /// Appends the bytes before the first record.
    fn header(&self, run: &RunFacts, out: &mut Vec<u8>);
    /// Appends what this format says about one record: nothing, where it lists digests only and the record has none.
    /// # Errors
    /// [`NotExpressible`] where the format has no way to write this record; `out` is then as it was.
    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible>;
    /// Appends the bytes after the last record.
    fn footer(&self, summary: &Summary, out: &mut Vec<u8>);
}

/// A record that a format has no way to write so that it could be read back. `Display` says why and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotExpressible {
    /// The name contains a line feed (or, in SFV, a carriage return), and the format does not escape.
    LineBreak,
    /// The name ends with a carriage return, which readers take for a part of the line end.
    FinalCarriageReturn,
    /// The name contains a NUL byte, and the format ends records with it or cannot contain it.
    Nul,
    /// The name would turn the line into a comment.
    Comment,
    /// The format wants the file's time, which is not known.
    NoTime,
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotExpressible::LineBreak => "the name contains a line break",
            NotExpressible::FinalCarriageReturn => "the name ends with a carriage return",
            NotExpressible::Nul => "the name contains a NUL byte",
            NotExpressible::Comment => "the name begins like a comment",
            NotExpressible::NoTime => "the time of the file is not known",
        })?;
        f.write_str(", which this format cannot express; use the format `jsonl`")
    }
}

impl std::error::Error for NotExpressible {}

/// The formats that lists are written and read in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatName {
    /// GNU coreutils, untagged: `DIGEST  NAME`.
    Gnu,
    /// BSD tag form: `ALGORITHM (NAME) = DIGEST`.
    Bsd,
    /// hashdeep 1.0: `SIZE,DIGEST,…,NAME` after a header.
    Hashdeep,
    /// One of the forms of the md5deep family.
    Md5deep(Md5deepForm),
    /// Simple File Verification: `NAME CRC32`.
    Sfv,
    /// Comma-separated values.
    Csv,
    /// JSON Lines.
    Jsonl,
    /// Digital Forensics XML.
    Dfxml,
    /// The list of the family's own program: `ssdeep`, `sdhash`, `mrsh-v2` or `tlsh`.
    Similarity(Family),
}

/// How a list writes the bytes of digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Lower-case hexadecimal.
    #[default]
    Hexadecimal,
    /// Upper-case hexadecimal (`gnu`, `bsd`, `sfv`).
    UpperHexadecimal,
    /// Base64 (RFC 4648, section 4) with its padding, as `cksum --base64` writes it (`gnu`, `bsd`).
    Base64,
}

impl Encoding {
    pub(crate) fn push(self, digest: &Digest, out: &mut Vec<u8>) {
        match self {
            Encoding::Hexadecimal => digest.push_hex(out),
            Encoding::UpperHexadecimal => {
                let start = out.len();
                digest.push_hex(out);
                out[start..].make_ascii_uppercase();
            }
            Encoding::Base64 => push_base64(digest.bytes(), out),
        }
    }
}

/// Choices that some formats offer.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// Records end with NUL instead of a line feed, and nothing is escaped.
    pub null_terminated: bool,
    /// The run has digests of pieces.
    pub piecewise: bool,
    /// Lists of sdhash have a digest for each segment of so many MiB, as the original's do; see
    /// [`pfh_similarity::sdhash::Digest::into_segments`].
    pub sdhash_segment: Option<NonZero<u32>>,
    /// How digests are written.
    pub encoding: Encoding,
}

/// No format has the name given. `Display` lists those that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    /// The name as given.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no format `{}`; the formats are", self.name)?;
        for (position, format) in FormatName::ALL.iter().enumerate() {
            write!(f, "{} `{}`", if position == 0 { "" } else { "," }, format.name())?;
        }
        f.write_str("; after `md5deep` a hyphen and any of the letters k, z, c, t")
    }
}

impl std::error::Error for UnknownFormat {}

/// A format cannot serve a run. `Display` says why and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// The format holds one digest per line and does not say of which algorithm.
    OneAlgorithm {
        /// The format.
        format: &'static str,
        /// How many algorithms were asked for.
        given: usize,
    },
    /// The format has no place for this algorithm.
    Algorithm {
        /// The format.
        format: &'static str,
        /// The algorithm.
        algorithm: Algorithm,
        /// The algorithms that it has a place for.
        possible: &'static [&'static str],
    },
    /// No algorithm was asked for, and the format lists nothing but digests.
    NoAlgorithm {
        /// The format.
        format: &'static str,
    },
    /// The format has no NUL-terminated form.
    NoNullForm {
        /// The format.
        format: &'static str,
    },
    /// The format does not write digests in this way.
    NoEncoding {
        /// The format.
        format: &'static str,
        /// The way.
        encoding: Encoding,
    },
    /// The format does not say of which algorithm its digests are, and one that a key entered would pass for one
    /// without.
    Keyed {
        /// The format.
        format: &'static str,
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// The format has no place for pieces.
    NoPieces {
        /// The format.
        format: &'static str,
    },
    /// The format has no place for similarity digests.
    NoSimilarity {
        /// The format.
        format: &'static str,
        /// The first family that was asked for.
        family: Family,
    },
    /// The format lists digests of its family and nothing else.
    OneFamily {
        /// The family, and so the format.
        family: Family,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::OneAlgorithm { format, given } => write!(
                f,
                "format `{format}` takes exactly one algorithm, since its lines do not name it, but {given} were asked \
                 for; use format `bsd` or `jsonl`"
            ),
            FormatError::Algorithm { format, algorithm, possible } => write!(
                f,
                "format `{format}` has no place for {}, only for {}; use format `bsd` or `jsonl`",
                algorithm.name(),
                possible.join(", ")
            ),
            FormatError::NoAlgorithm { format } => write!(
                f,
                "format `{format}` lists digests, and no algorithm was asked for; use format `csv`, `jsonl` or `dfxml`, \
                 which list sizes too"
            ),
            FormatError::NoNullForm { format } => write!(
                f,
                "format `{format}` has no NUL-terminated form; use format `gnu`, `bsd` or `md5deep`, or leave the option out"
            ),
            FormatError::NoEncoding { format, encoding: Encoding::Base64 } => {
                write!(f, "format `{format}` has hexadecimal digests, not base64; use format `gnu` or `bsd`")
            }
            FormatError::NoEncoding { format, .. } => {
                write!(f, "format `{format}` has lower-case digests; use format `gnu`, `bsd` or `sfv`")
            }
            FormatError::Keyed { format, algorithm } => write!(
                f,
                "format `{format}` does not name the algorithm, and its digests of {algorithm} would pass for digests without \
                 a key; use format `bsd` or `jsonl`"
            ),
            FormatError::NoPieces { format } => {
                write!(f, "format `{format}` has no place for the digests of pieces; use format `hashdeep` or `jsonl`")
            }
            FormatError::NoSimilarity { format, family } => write!(
                f,
                "format `{format}` has no place for {family} digests; use format `jsonl`, `csv` or `dfxml`, or `{family}` \
                 for a list of nothing else"
            ),
            FormatError::OneFamily { family } => write!(
                f,
                "format `{family}` lists {family} digests and nothing else; ask for `{family}` alone, or use format `jsonl`, \
                 `csv` or `dfxml`"
            ),
        }
    }
}

impl std::error::Error for FormatError {}

impl FromStr for FormatName {
    type Err = UnknownFormat;

    /// As [`FormatName::from_name`].
    fn from_str(name: &str) -> Result<FormatName, UnknownFormat> {
        FormatName::from_name(name)
    }
}

impl FormatName {
    /// All formats, in the order in which help texts list them, md5deep's in its plain form.
    pub const ALL: [FormatName; 12] = [
        FormatName::Gnu,
        FormatName::Bsd,
        FormatName::Hashdeep,
        FormatName::Md5deep(Md5deepForm { asterisk: false, size: false, comma: false, time: false }),
        FormatName::Sfv,
        FormatName::Csv,
        FormatName::Jsonl,
        FormatName::Dfxml,
        FormatName::Similarity(Family::Ssdeep),
        FormatName::Similarity(Family::Sdhash),
        FormatName::Similarity(Family::MrshV2),
        FormatName::Similarity(Family::Tlsh),
    ];

    /// Finds a format by its name. `md5deep` takes letters after a hyphen for md5deep's options: `md5deep-kz`.
    /// # Errors
    /// [`UnknownFormat`] when there is none.
    pub fn from_name(name: &str) -> Result<FormatName, UnknownFormat> {
        FormatName::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .or_else(|| Md5deepForm::from_name(name).map(FormatName::Md5deep))
            .ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }

    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            FormatName::Gnu => "gnu",
            FormatName::Bsd => "bsd",
            FormatName::Hashdeep => "hashdeep",
            FormatName::Md5deep(form) => form.name(),
            FormatName::Sfv => "sfv",
            FormatName::Csv => "csv",
            FormatName::Jsonl => "jsonl",
            FormatName::Dfxml => "dfxml",
            FormatName::Similarity(family) => family.name(),
        }
    }

    /// Whether files without digests (unreadable, changed while read, …) have records in this format. In the others
    /// only the program can tell of them.
    pub fn records_failures(self) -> bool {
        self.keeps(Feature::Failures)
    }

    /// Whether the format can say that a file has no similarity digest. Where it cannot, only the program can tell of
    /// it.
    pub fn records_unfit(self) -> bool {
        !matches!(self, FormatName::Similarity(_))
    }

    /// Whether the format has a form whose records end with NUL.
    pub fn has_null_form(self) -> bool {
        matches!(self, FormatName::Gnu | FormatName::Bsd | FormatName::Md5deep(_))
    }

    /// Says whether the format can serve a run with these digests and options.
    /// # Errors
    /// [`FormatError`] when it cannot.
    pub fn check(self, selection: &Selection, options: &WriteOptions) -> Result<(), FormatError> {
        let (algorithms, families) = (selection.algorithms(), selection.families());
        let format = self.name();
        match (self, families.first()) {
            (FormatName::Similarity(family), _) if !algorithms.is_empty() || families != [family] => {
                return Err(FormatError::OneFamily { family });
            }
            (FormatName::Similarity(_), _) if options.piecewise => return Err(FormatError::NoPieces { format }),
            (FormatName::Similarity(_), _) if options.null_terminated => {
                return Err(FormatError::NoNullForm { format });
            }
            (FormatName::Similarity(_), _) if options.encoding != Encoding::default() => {
                return Err(FormatError::NoEncoding { format, encoding: options.encoding });
            }
            (FormatName::Similarity(_), _) => return Ok(()),
            (_, Some(&family)) if !self.records_failures() => {
                return Err(FormatError::NoSimilarity { format, family });
            }
            _ => {}
        }
        let possible: Option<&'static [&'static str]> = match self {
            FormatName::Hashdeep => Some(&hashdeep::ALGORITHMS),
            FormatName::Sfv => Some(&[sfv::ALGORITHM]),
            _ => None,
        };
        let one = matches!(self, FormatName::Gnu | FormatName::Md5deep(_) | FormatName::Sfv);
        if algorithms.is_empty() && !self.records_failures() {
            return Err(FormatError::NoAlgorithm { format });
        }
        if let Some(possible) = possible
            && let Some(&algorithm) = algorithms.iter().find(|algorithm| !possible.contains(&algorithm.name()))
        {
            return Err(FormatError::Algorithm { format, algorithm, possible });
        }
        if one && algorithms.len() != 1 {
            return Err(FormatError::OneAlgorithm { format, given: algorithms.len() });
        }
        if options.null_terminated && !self.has_null_form() {
            return Err(FormatError::NoNullForm { format });
        }
        if options.piecewise && self == FormatName::Sfv {
            return Err(FormatError::NoPieces { format });
        }
        let is_written = match options.encoding {
            Encoding::Hexadecimal => true,
            Encoding::UpperHexadecimal => matches!(self, FormatName::Gnu | FormatName::Bsd | FormatName::Sfv),
            Encoding::Base64 => matches!(self, FormatName::Gnu | FormatName::Bsd),
        };
        if !is_written {
            return Err(FormatError::NoEncoding { format, encoding: options.encoding });
        }
        if let (true, Some(&algorithm)) = (one, algorithms.iter().find(|algorithm| algorithm.is_keyed())) {
            return Err(FormatError::Keyed { format, algorithm });
        }
        Ok(())
    }

    /// The writer of this format for a run with these digests.
    /// # Errors
    /// As [`FormatName::check`].
    pub fn writer(self, selection: &Selection, options: &WriteOptions) -> Result<Box<dyn Format>, FormatError> {
        self.check(selection, options)?;
        Ok(match self {
            FormatName::Gnu => Box::new(Gnu::new(options.null_terminated, options.encoding)),
            FormatName::Bsd => Box::new(Bsd::new(selection.algorithms(), options.null_terminated, options.encoding)),
            FormatName::Hashdeep => Box::new(Hashdeep::new(selection.algorithms())),
            FormatName::Md5deep(form) => Box::new(Md5deep::new(form, options.null_terminated)),
            FormatName::Sfv => Box::new(Sfv),
            FormatName::Csv => Box::new(Csv::new(selection.clone(), options.piecewise)),
            FormatName::Jsonl => Box::new(Jsonl),
            FormatName::Dfxml => Box::new(Dfxml),
            FormatName::Similarity(family) => {
                Box::new(SimilarityList { family, sdhash_segment: options.sdhash_segment })
            }
        })
    }
}
