//! fetch.txt (RFC 8493, section 2.2.3): files of the payload that are elsewhere. Nothing is fetched here.

use std::io::{self, Read};

use crate::declaration::Declaration;
use crate::finding::{Finding, Report, Rule};
use crate::lines::Lines;
use crate::manifest::split_word;
use crate::path::{PAYLOAD, danger, decode_path, without_dots};

/// The name of the file.
pub(crate) const NAME: &str = "fetch.txt";

/// A line of fetch.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchLine {
    /// Its number, counted from 1.
    pub line: u64,
    /// Where the file is.
    pub url: Vec<u8>,
    /// Length in bytes, if it is stated.
    pub bytes: Option<u64>,
    /// The path in the bag, decoded as the version of the bag demands.
    pub path: Vec<u8>,
}

/// Reads the lines of fetch.txt that pass, and calls `each` with them. Of the others, `report` is told.
///
/// # Errors
/// The errors of `reader`, `each` and `report`.
pub fn read_fetch(
    declared: Declaration,
    reader: impl Read,
    each: &mut dyn FnMut(FetchLine) -> io::Result<()>,
    report: Report<'_>,
) -> io::Result<()> {
    let (mut lines, mut buffer) = (Lines::new(reader), Vec::new());
    while let Some(line) = lines.next(&mut buffer)? {
        let number = line.number;
        if line.bytes.is_empty() && !line.is_cut {
            continue;
        }
        let parts = split_word(line.bytes).and_then(|(url, rest)| Some((url, split_word(rest)?)));
        let Some((url, (length, path))) = parts.filter(|_| !line.is_cut) else {
            report(Finding::error(Rule::Syntax, "the line is not of the form `URL LENGTH PATH`").at(NAME, number))?;
            continue;
        };
        let bytes = std::str::from_utf8(length).ok().and_then(|text| text.parse::<u64>().ok());
        if bytes.is_none() && length != b"-" {
            let text = "the length is neither a number of bytes nor `-`";
            report(Finding::error(Rule::Syntax, text).at(NAME, number))?;
        }
        if !url.contains(&b':') {
            report(Finding::error(Rule::Fetch, "the URL has no scheme, such as `https:`").at(NAME, number))?;
        }
        let undotted = without_dots(path);
        let clean = undotted.as_deref().unwrap_or(path);
        let reason = danger(path).or((!clean.starts_with(PAYLOAD)).then_some("only files below `data/` are fetched"));
        if let Some(reason) = reason {
            let finding = Finding::error(Rule::UnsafePath, format!("{reason}; the line is ignored")).at(NAME, number);
            report(if path.is_empty() || path.len() > 1000 { finding } else { finding.about(path) })?;
            continue;
        }
        let path = if declared.version.encodes() { decode_path(clean).into_owned() } else { clean.to_vec() };
        each(FetchLine { line: number, url: url.to_vec(), bytes, path })?;
    }
    if lines.has_mark() {
        let finding = Finding::new(declared.version.strictness(), Rule::Encoding, "it begins with a byte order mark");
        report(finding.in_file(NAME))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_errors() {
        let text = b"https://a.example/x 12 data/a b\nhttps://a.example/y\t-\tdata/y\nx 1 data/z\n\
            https://a.example/ two data/q\nhttps://a.example/ 1 ../x\nhttps://a.example/ 1 bagit.txt\nhttps://a.example/\n";
        let (mut read, mut findings) = (Vec::new(), Vec::new());
        let mut each = |line: FetchLine| {
            read.push((line.line, line.bytes, line.path));
            Ok(())
        };
        let mut report = |finding: Finding| {
            findings.push((finding.line.unwrap_or(0), finding.rule));
            Ok(())
        };
        read_fetch(Declaration::default(), &text[..], &mut each, &mut report).unwrap();
        let expected = [(1, Some(12), "data/a b"), (2, None, "data/y"), (3, Some(1), "data/z"), (4, None, "data/q")];
        assert_eq!(read, expected.map(|(line, bytes, path)| (line, bytes, path.as_bytes().to_vec())));
        let expected =
            [(3, Rule::Fetch), (4, Rule::Syntax), (5, Rule::UnsafePath), (6, Rule::UnsafePath), (7, Rule::Syntax)];
        assert_eq!(findings, expected);
    }
}
