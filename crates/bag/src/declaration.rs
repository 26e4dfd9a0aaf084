//! bagit.txt (RFC 8493, section 2.1.1).

use std::fmt;
use std::io::{self, Read};

use crate::finding::{Finding, Report, Rule, Severity};
use crate::lines::Lines;

/// The name of the file.
pub(crate) const NAME: &str = "bagit.txt";

/// A version of BagIt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The number before the point.
    pub major: u16,
    /// The number after the point.
    pub minor: u16,
}

impl Version {
    /// The version of RFC 8493, which pfh writes.
    pub const V1_0: Version = Version { major: 1, minor: 0 };

    /// The version before it, which bagit.py writes.
    pub const V0_97: Version = Version { major: 0, minor: 97 };

    /// The oldest version that is read.
    const OLDEST: Version = Version { major: 0, minor: 93 };

    /// The first version in which metadata are in bag-info.txt; in those before it, package-info.txt has them.
    pub(crate) const WITH_BAG_INFO: Version = Version { major: 0, minor: 96 };

    fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(major) || !is_number(minor) {
            return None;
        }
        Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }

    /// Whether LF, CR and `%` are encoded in the paths of this version.
    pub(crate) fn encodes(self) -> bool {
        self >= Version::V1_0
    }

    /// Returns how much a deviation weighs that this version forbids and earlier ones did not.
    pub(crate) fn strictness(self) -> Severity {
        if self >= Version::V1_0 { Severity::Error } else { Severity::Warning }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The encoding of tag files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Also ASCII, which is a part of it.
    Utf8,
    /// ISO 8859-1, which versions before 1.0 allow.
    Latin1,
}

/// The version and the encoding that bagit.txt declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The version by which the bag is judged.
    pub version: Version,
    pub(crate) encoding: Encoding,
}

impl Default for Declaration {
    /// That of a bag whose own says nothing: the version before 1.0, which demands less.
    fn default() -> Declaration {
        Declaration { version: Version::V0_97, encoding: Encoding::Utf8 }
    }
}

/// Returns the text of bagit.txt for a new bag.
pub fn declaration_text() -> &'static str {
    "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
}

impl Declaration {
    /// Reads bagit.txt.
    ///
    /// # Errors
    /// The errors of `reader` and of `report`.
    pub fn read(reader: impl Read, report: Report<'_>) -> io::Result<Declaration> {
        const LABELS: [&str; 2] = ["BagIt-Version", "Tag-File-Character-Encoding"];
        let (mut lines, mut buffer) = (Lines::new(reader), Vec::new());
        let mut values: [Option<(String, u64)>; 2] = [None, None];
        // Judged when the version is known.
        let mut deviations = Vec::new();
        while let Some(line) = lines.next(&mut buffer)? {
            let (number, text) = (line.number, String::from_utf8_lossy(line.bytes));
            let deviation = |text: &str| Finding::warning(Rule::Declaration, text).at(NAME, number);
            let split = text.split_once(':').map(|(label, value)| (label.trim(), value.trim()));
            let known = split.and_then(|(label, value)| {
                let place = LABELS.iter().position(|known| known.eq_ignore_ascii_case(label))?;
                Some((place, label, value))
            });
            match known {
                Some((place, label, value)) if values[place].is_none() => {
                    let name = LABELS[place];
                    if place as u64 + 1 != number {
                        deviations.push(deviation(&format!("{name} is not in line {}, where it belongs", place + 1)));
                    }
                    if label != name {
                        deviations.push(deviation(&format!("the label is not spelt `{name}`")));
                    }
                    if text != format!("{label}: {value}") {
                        deviations.push(deviation("the line has not the form `Label: value` without other spaces"));
                    }
                    values[place] = Some((value.to_owned(), number));
                }
                Some((place, ..)) => deviations.push(deviation(&format!("{} is stated twice", LABELS[place]))),
                None if text.trim().is_empty() => deviations.push(deviation("an empty line is no part of it")),
                // A file that is no declaration would have a finding for each line.
                None if number <= 16 => {
                    deviations.push(deviation("the line is neither of the two that it consists of"))
                }
                None => {}
            }
        }
        let mut declared = Declaration::default();
        match &values[0] {
            None => report(Finding::error(Rule::Declaration, "there is no BagIt-Version").in_file(NAME))?,
            Some((text, line)) => match Version::parse(text) {
                Some(version) if (Version::OLDEST..=Version::V1_0).contains(&version) => declared.version = version,
                Some(version) => {
                    declared.version = version.clamp(Version::OLDEST, Version::V1_0);
                    let text = format!(
                        "version {version} is not known (0.93 to 1.0 are); the bag is judged as {}",
                        declared.version
                    );
                    report(Finding::error(Rule::Declaration, text).at(NAME, *line))?;
                }
                None => {
                    let text = "the version is not of the form `1.0`; the bag is judged as 0.97";
                    report(Finding::error(Rule::Declaration, text).at(NAME, *line))?;
                }
            },
        }
        let strictness = declared.version.strictness();
        if lines.has_mark() {
            let finding = Finding::new(strictness, Rule::Encoding, "the file begins with a byte order mark");
            report(finding.in_file(NAME))?;
        }
        for deviation in deviations {
            report(Finding { severity: strictness, ..deviation })?;
        }
        match &values[1] {
            None => {
                let text = "there is no Tag-File-Character-Encoding; UTF-8 is assumed";
                report(Finding::error(Rule::Declaration, text).in_file(NAME))?;
            }
            Some((text, line)) => match text.to_ascii_uppercase().as_str() {
                "UTF-8" | "UTF8" | "US-ASCII" | "ASCII" => {}
                "ISO-8859-1" | "LATIN1" | "LATIN-1" => declared.encoding = Encoding::Latin1,
                _ => {
                    let text = "the encoding is neither UTF-8, US-ASCII nor ISO-8859-1; UTF-8 is assumed";
                    report(Finding::error(Rule::Encoding, text).at(NAME, *line))?;
                }
            },
        }
        Ok(declared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Seen = (Severity, Rule, Option<u64>);

    fn read(text: &[u8]) -> (Declaration, Vec<Seen>) {
        let mut findings = Vec::new();
        let declared = Declaration::read(text, &mut |finding: Finding| {
            findings.push((finding.severity, finding.rule, finding.line));
            Ok(())
        });
        (declared.unwrap(), findings)
    }

    #[test]
    fn exact_declarations_are_without_findings() {
        for (text, version) in [
            (declaration_text().to_owned(), Version::V1_0),
            ("BagIt-Version: 0.97\r\nTag-File-Character-Encoding: UTF-8\r\n".to_owned(), Version::V0_97),
            ("BagIt-Version: 0.93\rTag-File-Character-Encoding: UTF-8".to_owned(), Version::OLDEST),
        ] {
            let (declared, findings) = read(text.as_bytes());
            assert_eq!((declared.version, findings), (version, vec![]), "{text}");
        }
        let (declared, findings) = read(b"BagIt-Version: 0.97\nTag-File-Character-Encoding: ISO-8859-1\n");
        assert_eq!((declared.encoding, findings.len()), (Encoding::Latin1, 0));
    }

    #[test]
    fn deviations_weigh_by_version() {
        let (warning, error) = (Severity::Warning, Severity::Error);
        let cases: [(&str, &[Seen]); 9] = [
            ("", &[(error, Rule::Declaration, None), (error, Rule::Declaration, None)]),
            ("\u{feff}BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n", &[(error, Rule::Encoding, None)]),
            ("\u{feff}BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n", &[(warning, Rule::Encoding, None)]),
            ("BagIt-Version : 0.97\nTag-File-Character-Encoding: utf-8\n", &[(warning, Rule::Declaration, Some(1))]),
            ("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n\n", &[(error, Rule::Declaration, Some(3))]),
            ("BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n", &[(error, Rule::Declaration, Some(1))]),
            ("BagIt-Version: x\nTag-File-Character-Encoding: UTF-8\n", &[(error, Rule::Declaration, Some(1))]),
            ("BagIt-Version: 1.0\n", &[(error, Rule::Declaration, None)]),
            ("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-16\n", &[(error, Rule::Encoding, Some(2))]),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text.as_bytes()).1, expected, "{text:?}");
        }
    }

    #[test]
    fn the_reason_is_told_of_a_line_that_is_not_exact() {
        let told = |text: &str| {
            let mut told = Vec::new();
            let declared = Declaration::read(text.as_bytes(), &mut |finding: Finding| {
                told.push((finding.line, finding.text));
                Ok(())
            });
            assert_eq!(declared.unwrap().version, Version::V1_0);
            told
        };
        let (version, encoding) = ("BagIt-Version: 1.0\n", "Tag-File-Character-Encoding: UTF-8\n");
        let place = |name: &str, line: u64| format!("{name} is not in line {line}, where it belongs");
        let exchanged = [(Some(1), place("Tag-File-Character-Encoding", 2)), (Some(2), place("BagIt-Version", 1))];
        assert_eq!(told(&[encoding, version].concat()), exchanged);
        let label = (Some(1), "the label is not spelt `BagIt-Version`".to_owned());
        let spaces = (Some(1), "the line has not the form `Label: value` without other spaces".to_owned());
        assert_eq!(told(&["Bagit-version: 1.0\n", encoding].concat()), std::slice::from_ref(&label));
        for line in ["BagIt-Version:1.0\n", "BagIt-Version:  1.0\n", "BagIt-Version: 1.0 \n", " BagIt-Version: 1.0\n"] {
            assert_eq!(told(&[line, encoding].concat()), std::slice::from_ref(&spaces), "{line:?}");
        }
        assert_eq!(told(&["bagit-version : 1.0\n", encoding].concat()), [label, spaces]);
    }
}
