//! Manifests (RFC 8493, sections 2.1.3 and 2.2.1): their names, their lines, and reading and writing them.

use std::io::{self, Read};

use pfh_digest::{Algorithm, Digest, Status};

use crate::declaration::{Declaration, Encoding};
use crate::finding::{Finding, Report, Rule};
use crate::lines::{Line, Lines};
use crate::path::{PAYLOAD, danger, decode_path, encode_path, without_dots};

/// The name of a manifest: which files it lists, and by which algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestName {
    /// The name of the file, such as `manifest-sha512.txt`.
    pub file: String,
    /// Whether it lists tag files rather than the payload.
    pub is_tag: bool,
    /// The algorithm; `None` if the name is of none that is known, or of a checksum that proves nothing.
    pub algorithm: Option<Algorithm>,
}

/// Returns the name of an algorithm in those of manifests: lower case without punctuation (section 2.4).
fn bag_name(algorithm: Algorithm) -> String {
    algorithm.name().chars().filter(char::is_ascii_alphanumeric).collect()
}

impl ManifestName {
    /// Returns the name of a manifest of the payload, or of the tag files, by `algorithm`.
    pub fn of(algorithm: Algorithm, is_tag: bool) -> ManifestName {
        let prefix = if is_tag { "tagmanifest" } else { "manifest" };
        ManifestName { file: format!("{prefix}-{}.txt", bag_name(algorithm)), is_tag, algorithm: Some(algorithm) }
    }

    /// Recognises the name of a file in the root of a bag; `None` if it is no manifest.
    pub fn parse(name: &[u8]) -> Option<ManifestName> {
        let file = std::str::from_utf8(name).ok()?;
        let stem = file.strip_suffix(".txt")?;
        let (is_tag, word) = match (stem.strip_prefix("manifest-"), stem.strip_prefix("tagmanifest-")) {
            (Some(word), _) => (false, word),
            (None, Some(word)) => (true, word),
            (None, None) => return None,
        };
        let plain: String = word.chars().filter(|letter| !matches!(letter, '-' | '_')).collect();
        let plain = plain.to_ascii_lowercase();
        let algorithm = Algorithm::all().find(|one| one.status() != Status::Checksum && bag_name(*one) == plain);
        Some(ManifestName { file: file.to_owned(), is_tag, algorithm })
    }

    /// Whether the name is written as the standard writes it.
    pub(crate) fn is_exact(&self) -> bool {
        self.algorithm.is_none_or(|algorithm| ManifestName::of(algorithm, self.is_tag).file == self.file)
    }
}

/// A line of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestEntry {
    /// Its number, counted from 1.
    pub line: u64,
    /// The path in the bag, decoded as the version of the bag demands.
    pub path: Vec<u8>,
    /// The digest.
    pub digest: Digest,
}

/// Appends a line of a manifest of version 1.0.
pub fn manifest_line(digest: &Digest, path: &[u8], out: &mut Vec<u8>) {
    digest.push_hex(out);
    out.extend_from_slice(b"  ");
    encode_path(path, out);
    out.push(b'\n');
}

/// Splits a text at the first run of spaces and tabs.
pub(crate) fn split_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let end = text.iter().position(is_space)?;
    let rest = &text[end..];
    let begin = rest.iter().position(|byte| !is_space(byte)).unwrap_or(rest.len());
    Some((&text[..end], &rest[begin..]))
}

/// Reads the lines of a manifest that pass, and calls `each` with them. Of the others, `report` is told.
///
/// # Errors
/// The errors of `reader`, `each` and `report`.
pub fn read_manifest(
    name: &ManifestName,
    declared: Declaration,
    reader: impl Read,
    each: &mut dyn FnMut(ManifestEntry) -> io::Result<()>,
    report: Report<'_>,
) -> io::Result<()> {
    let Some(algorithm) = name.algorithm else { return Ok(()) };
    let (mut lines, mut buffer) = (Lines::new(reader), Vec::new());
    while let Some(line) = lines.next(&mut buffer)? {
        match parse(line, algorithm, name.is_tag, declared) {
            Parsed::Empty => {}
            Parsed::Entry(entry, oddities) => {
                for oddity in oddities {
                    let rule = if oddity == STARRED { Rule::Syntax } else { Rule::Encoding };
                    report(Finding::warning(rule, oddity).at(&name.file, line.number).about(&entry.path))?;
                }
                each(entry)?;
            }
            Parsed::Broken(rule, path, text) => {
                let finding = Finding::error(rule, text).at(&name.file, line.number);
                report(if path.is_empty() { finding } else { finding.about(path) })?;
            }
        }
    }
    if lines.has_mark() {
        let finding = Finding::new(declared.version.strictness(), Rule::Encoding, "it begins with a byte order mark");
        report(finding.in_file(&name.file))?;
    }
    Ok(())
}

enum Parsed<'a> {
    Empty,
    /// An entry, and what is odd about it.
    Entry(ManifestEntry, Vec<&'static str>),
    /// The broken rule, the path, and the reason.
    Broken(Rule, &'a [u8], String),
}

const STARRED: &str = "the path is preceded by `*`, as md5sum writes it and BagIt does not";
const DOTTED: &str = "the path is written with `./` or empty components";
const NOT_UTF8: &str = "the path is not UTF-8, which bagit.txt states for tag files; other programs may not read it";

fn parse<'a>(line: Line<'a>, algorithm: Algorithm, is_tag: bool, declared: Declaration) -> Parsed<'a> {
    let broken = |text: &str| Parsed::Broken(Rule::Syntax, b"", text.to_owned());
    if line.bytes.iter().all(|byte| matches!(byte, b' ' | b'\t')) && !line.is_cut {
        return Parsed::Empty;
    }
    if line.is_cut {
        return broken("the line is longer than 4 MiB, and is not read");
    }
    let Some((digits, mut path)) = split_word(line.bytes) else {
        return broken("the line is not of the form `DIGEST PATH`");
    };
    let Some(digest) = Digest::from_hex(algorithm, digits) else {
        let text = format!("the line does not begin with a digest of {algorithm} in hexadecimal");
        return Parsed::Broken(Rule::Syntax, b"", text);
    };
    let mut oddities = Vec::new();
    if let Some(rest) = path.strip_prefix(b"*")
        && (is_tag || rest.starts_with(PAYLOAD) || rest.starts_with(b"./"))
    {
        path = rest;
        oddities.push(STARRED);
    }
    // Judged before and after decoding; nothing that is decoded can become a slash or a dot.
    if let Some(reason) = danger(path) {
        let shown = if path.len() > 1000 { &b""[..] } else { path };
        return Parsed::Broken(Rule::UnsafePath, shown, format!("{reason}; the line is ignored"));
    }
    let written = path;
    let undotted = without_dots(path);
    if undotted.is_some() {
        oddities.push(DOTTED);
    }
    let path = undotted.as_deref().unwrap_or(path);
    if path.is_empty() {
        return Parsed::Broken(Rule::UnsafePath, written, "the path names no file; the line is ignored".to_owned());
    }
    let path = if declared.version.encodes() { decode_path(path).into_owned() } else { path.to_vec() };
    if !is_tag && !path.starts_with(PAYLOAD) {
        let advice = if path.starts_with(b"data\\") { "; it is written with backslashes" } else { "" };
        let text = format!("a manifest of the payload lists files below `data/` only{advice}");
        return Parsed::Broken(Rule::UnsafePath, written, text);
    }
    if is_tag && path.starts_with(PAYLOAD) {
        return Parsed::Broken(Rule::TagManifest, written, "a tag manifest lists no files of the payload".to_owned());
    }
    if declared.encoding == Encoding::Utf8 && std::str::from_utf8(&path).is_err() {
        oddities.push(NOT_UTF8);
    }
    Parsed::Entry(ManifestEntry { line: line.number, path, digest }, oddities)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::Version;

    /// A line and a path that was read, or the rule that a line breaks.
    type Read<'a> = Vec<(u64, Result<&'a [u8], Rule>)>;

    fn check(version: Version, name: &str, text: &[u8], expected: Read<'_>) {
        let declared = Declaration { version, encoding: Encoding::Utf8 };
        let name = ManifestName::parse(name.as_bytes()).unwrap();
        let (mut entries, mut findings) = (Vec::new(), Vec::new());
        let mut each = |entry: ManifestEntry| {
            entries.push((entry.line, entry.path));
            Ok(())
        };
        let mut report = |finding: Finding| {
            findings.push((finding.line.unwrap_or(0), finding.rule));
            Ok(())
        };
        read_manifest(&name, declared, text, &mut each, &mut report).unwrap();
        let mut read: Read<'_> = entries.iter().map(|(line, path)| (*line, Ok(&path[..]))).collect();
        read.extend(findings.into_iter().map(|(line, rule)| (line, Err(rule))));
        assert_eq!(read, expected, "{}", text.escape_ascii());
    }

    const HELLO: &str = "5d41402abc4b2a76b9719d911017c592";

    #[test]
    fn names() {
        let parsed = |name: &str| ManifestName::parse(name.as_bytes());
        for (file, is_tag, algorithm) in [
            ("manifest-md5.txt", false, Some("md5")),
            ("tagmanifest-sha512.txt", true, Some("sha512")),
            ("manifest-sha3256.txt", false, Some("sha3-256")),
            ("manifest-sha512256.txt", false, Some("sha512-256")),
            ("manifest-SHA-256.txt", false, Some("sha256")),
            ("manifest-crc32.txt", false, None),
            ("manifest-.txt", false, None),
        ] {
            let name = parsed(file).unwrap();
            assert_eq!((name.is_tag, name.algorithm.map(Algorithm::name)), (is_tag, algorithm), "{file}");
            assert_eq!(name.is_exact(), !file.contains("SHA"));
        }
        for file in ["manifest.txt", "manifest-md5", "xmanifest-md5.txt", "bagit.txt"] {
            assert_eq!(parsed(file), None);
        }
        for algorithm in Algorithm::all().filter(|one| one.status() != Status::Checksum) {
            let name = ManifestName::of(algorithm, false);
            assert_eq!(parsed(&name.file).as_ref(), Some(&name));
        }
    }

    #[test]
    fn lines_of_each_dialect() {
        let upper = HELLO.to_ascii_uppercase();
        let text = format!("{HELLO}  data/a b \r\n{upper}\tdata/100%25\n\n{HELLO} \t data/x");
        let expected = |percent| -> Read<'static> { vec![(1, Ok(b"data/a b ")), (2, Ok(percent)), (4, Ok(b"data/x"))] };
        check(Version::V1_0, "manifest-md5.txt", text.as_bytes(), expected(b"data/100%"));
        check(Version::V0_97, "manifest-md5.txt", text.as_bytes(), expected(b"data/100%25"));
        let text = format!("{HELLO} *data/a\n{HELLO}  ./data//b\n");
        let expected: Read<'_> =
            vec![(1, Ok(b"data/a")), (2, Ok(b"data/b")), (1, Err(Rule::Syntax)), (2, Err(Rule::Encoding))];
        check(Version::V0_97, "manifest-md5.txt", text.as_bytes(), expected);
    }

    #[test]
    fn hostile_lines_are_errors() {
        let long = "a/".repeat(1_000_000);
        let paths: [(&str, Rule); 11] = [
            ("../x", Rule::UnsafePath),
            ("data/../../x", Rule::UnsafePath),
            ("/etc/passwd", Rule::UnsafePath),
            ("~/x", Rule::UnsafePath),
            ("data/a\0b", Rule::UnsafePath),
            (&long, Rule::UnsafePath),
            ("other/x", Rule::UnsafePath),
            ("data\\x", Rule::UnsafePath),
            ("*../x", Rule::UnsafePath),
            ("data", Rule::UnsafePath),
            ("", Rule::Syntax),
        ];
        for (path, rule) in paths {
            let rule = if path.is_empty() { Rule::UnsafePath } else { rule };
            let text = format!("{HELLO}  {path}\n");
            check(Version::V1_0, "manifest-md5.txt", text.as_bytes(), vec![(1, Err(rule))]);
        }
        for text in ["x", "xyz  data/a", "5d41  data/a", &HELLO[1..], HELLO] {
            check(Version::V1_0, "manifest-md5.txt", text.as_bytes(), vec![(1, Err(Rule::Syntax))]);
        }
        let text = format!("{HELLO}  data/a\n{HELLO}  a\n");
        let expected: Read<'_> = vec![(2, Ok(b"a")), (1, Err(Rule::TagManifest))];
        check(Version::V1_0, "tagmanifest-md5.txt", text.as_bytes(), expected);
        let text = format!("\u{feff}{HELLO}  data/a");
        let expected: Read<'_> = vec![(1, Ok(b"data/a")), (0, Err(Rule::Encoding))];
        check(Version::V1_0, "manifest-md5.txt", text.as_bytes(), expected);
    }

    #[test]
    fn a_written_line_is_read_back() {
        let md5 = Algorithm::from_name("md5").unwrap();
        for path in [&b"data/a\n\r%25 b"[..], b"data/ x", b"data/\xff", b"data/*"] {
            let mut line = Vec::new();
            manifest_line(&md5.digest(b"hello"), path, &mut line);
            let mut expected: Read<'_> = vec![(1, Ok(path))];
            if std::str::from_utf8(path).is_err() {
                expected.push((1, Err(Rule::Encoding)));
            }
            check(Version::V1_0, "manifest-md5.txt", &line, expected);
        }
    }
}
