//! bag-info.txt (RFC 8493, section 2.2.2): labels and values.

use std::fmt;
use std::io::{self, Read};

use crate::declaration::{Declaration, Encoding};
use crate::finding::{Finding, Report, Rule};
use crate::lines::Lines;

/// The label of the bytes and the number of files of the payload.
pub const PAYLOAD_OXUM: &str = "Payload-Oxum";

/// Most bytes of labels and values that are kept.
const KEPT_BYTES_MAX: usize = 16 << 20;

/// Labels that may occur once.
const SINGLE: [&str; 5] = [PAYLOAD_OXUM, "Bagging-Date", "Bag-Size", "Bag-Group-Identifier", "Bag-Count"];

/// A label and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The label, in the case in which it is written; case does not matter.
    pub label: String,
    /// The value. Lines after the first are continuations, with their indentation.
    pub value: String,
    /// The line of the label, counted from 1; 0 for one that was not read.
    pub line: u64,
}

impl Tag {
    /// Makes a tag that was not read.
    pub fn new(label: impl Into<String>, value: impl Into<String>) -> Tag {
        Tag { label: label.into(), value: value.into(), line: 0 }
    }

    /// Whether it has this label.
    pub fn is(&self, label: &str) -> bool {
        self.label.eq_ignore_ascii_case(label)
    }

    /// Returns the value in one line.
    pub fn text(&self) -> String {
        let lines = self.value.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(" ")
    }
}

/// The labels and values of a bag, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The tags, in their order.
    pub tags: Vec<Tag>,
    /// The first line that the tags lack or have otherwise, counted from 1: written again, they would lose it.
    pub lost: Option<u64>,
}

/// The number of bytes and of files of a payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oxum {
    /// Bytes of all files.
    pub bytes: u64,
    /// Number of files.
    pub files: u64,
}

impl fmt::Display for Oxum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.bytes, self.files)
    }
}

impl Oxum {
    fn parse(text: &str) -> Option<Oxum> {
        let (bytes, files) = text.split_once('.')?;
        Some(Oxum { bytes: bytes.parse().ok()?, files: files.parse().ok()? })
    }
}

/// Whether a text has the form of a date, `2026-11-23`.
pub fn date_is_plausible(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |text: &str, digits: usize| {
        if text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit()) {
            text.parse::<u32>().ok()
        } else {
            None
        }
    };
    number(year, 4).is_some()
        && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
        && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
}

fn count_is_plausible(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once(" of ").is_some_and(|(one, all)| is_number(one) && (is_number(all) || all == "?"))
}

/// Returns the text of bag-info.txt.
pub fn info_text(tags: &[Tag]) -> String {
    let mut text = String::new();
    for tag in tags {
        text += &tag.label;
        text += ":";
        for (place, line) in tag.value.split(['\n', '\r']).enumerate() {
            if place > 0 && line.is_empty() {
                continue;
            }
            let is_indented = line.starts_with([' ', '\t']);
            text += match place {
                0 => " ",
                _ if is_indented => "\n",
                _ => "\n  ",
            };
            text += line;
        }
        text += "\n";
    }
    text
}

impl Info {
    /// Returns the first value of a label, in one line.
    pub fn value(&self, label: &str) -> Option<String> {
        self.tags.iter().find(|tag| tag.is(label)).map(Tag::text)
    }

    /// Returns the stated bytes and number of files; `None` if there is no such label or its value is not readable.
    pub fn oxum(&self) -> Option<Oxum> {
        Oxum::parse(&self.value(PAYLOAD_OXUM)?)
    }

    /// Sets the value of a label: in the place of the first, or at the end; further ones of this label are removed.
    pub fn set(&mut self, label: &str, value: String) {
        let first = self.tags.iter().position(|tag| tag.is(label));
        match first {
            Some(place) => {
                self.tags[place].value = value;
                let mut number = 0;
                self.tags.retain(|tag| {
                    number += 1;
                    number <= place + 1 || !tag.is(label)
                });
            }
            None => self.tags.push(Tag::new(label, value)),
        }
    }

    /// Reads bag-info.txt, or the file of this name that an older version has in its place.
    ///
    /// # Errors
    /// The errors of `reader` and `report`.
    pub fn read(name: &str, declared: Declaration, reader: impl Read, report: Report<'_>) -> io::Result<Info> {
        let (mut lines, mut buffer) = (Lines::new(reader), Vec::new());
        let (mut info, mut kept) = (Info::default(), 0);
        while let Some(line) = lines.next(&mut buffer)? {
            let number = line.number;
            let text = match (declared.encoding, std::str::from_utf8(line.bytes)) {
                (Encoding::Latin1, _) => line.bytes.iter().map(|&byte| char::from(byte)).collect(),
                (Encoding::Utf8, Ok(text)) => text.to_owned(),
                (Encoding::Utf8, Err(_)) => {
                    report(Finding::error(Rule::Encoding, "the line is not UTF-8").at(name, number))?;
                    info.lost.get_or_insert(number);
                    String::from_utf8_lossy(line.bytes).into_owned()
                }
            };
            kept += text.len();
            if kept > KEPT_BYTES_MAX || line.is_cut {
                report(Finding::error(Rule::Syntax, "more than 16 MiB of metadata are not read").at(name, number))?;
                info.lost.get_or_insert(number);
                break;
            }
            if text.starts_with([' ', '\t']) {
                match info.tags.last_mut() {
                    Some(tag) => {
                        tag.value.push('\n');
                        tag.value.push_str(text.trim_end());
                    }
                    None if text.trim().is_empty() => {}
                    None => {
                        report(Finding::error(Rule::Syntax, "the first line continues none").at(name, number))?;
                        info.lost.get_or_insert(number);
                    }
                }
                continue;
            }
            if text.is_empty() {
                continue;
            }
            let Some((label, value)) = text.split_once(':') else {
                report(Finding::error(Rule::Syntax, "the line is not of the form `Label: value`").at(name, number))?;
                info.lost.get_or_insert(number);
                continue;
            };
            // A mark in the middle of a file would be taken for that of a file whose first label this becomes.
            let bare = label.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace()).trim_end();
            if bare != label || label.is_empty() {
                let text = "a label has no space or byte order mark around it, and is not empty";
                report(Finding::new(declared.version.strictness(), Rule::Syntax, text).at(name, number))?;
            }
            let (label, value) = (bare.to_owned(), value.trim().to_owned());
            info.tags.push(Tag { label, value, line: number });
        }
        if lines.has_mark() {
            let severity = declared.version.strictness();
            report(Finding::new(severity, Rule::Encoding, "it begins with a byte order mark").in_file(name))?;
        }
        info.judge(name, report)?;
        Ok(info)
    }

    /// Judges the labels that the standard reserves.
    fn judge(&self, name: &str, report: Report<'_>) -> io::Result<()> {
        for label in SINGLE {
            let mut all = self.tags.iter().filter(|tag| tag.is(label));
            let Some(first) = all.next() else { continue };
            for again in all {
                let finding = if label == PAYLOAD_OXUM && again.text() != first.text() {
                    Finding::error(Rule::Oxum, format!("{label} is stated again, with another value"))
                } else {
                    Finding::warning(Rule::Syntax, format!("{label} is stated again"))
                };
                report(finding.at(name, again.line))?;
            }
            let text = first.text();
            let odd = match label {
                PAYLOAD_OXUM if Oxum::parse(&text).is_none() => {
                    let text = "Payload-Oxum is not of the form `BYTES.FILES`";
                    report(Finding::error(Rule::Oxum, text).at(name, first.line))?;
                    None
                }
                "Bagging-Date" if !date_is_plausible(&text) => Some("Bagging-Date is not of the form `2026-11-23`"),
                "Bag-Count" if !count_is_plausible(&text) => Some("Bag-Count is not of the form `1 of 3` or `1 of ?`"),
                _ => None,
            };
            if let Some(odd) = odd {
                report(Finding::warning(Rule::Syntax, odd).at(name, first.line))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Info, Vec<(u64, Rule)>) {
        let mut findings = Vec::new();
        let mut report = |finding: Finding| {
            findings.push((finding.line.unwrap_or(0), finding.rule));
            Ok(())
        };
        let info = Info::read("bag-info.txt", Declaration::default(), text.as_bytes(), &mut report).unwrap();
        (info, findings)
    }

    #[test]
    fn labels_values_and_continuations() {
        let text =
            "Contact-Name: A\nExternal-Description: first\n  second\n\tthird\ncontact-name: B\nPayload-Oxum: 12.3\n";
        let (mut info, findings) = read(text);
        assert_eq!(findings, []);
        assert_eq!(info.value("external-description").as_deref(), Some("first second third"));
        assert_eq!((info.value("Contact-Name").as_deref(), info.tags.len()), (Some("A"), 4));
        assert_eq!((info.oxum(), info.lost), (Some(Oxum { bytes: 12, files: 3 }), None));
        // Written again, it is the same.
        assert_eq!(info_text(&info.tags), text);
        info.set("PAYLOAD-OXUM", "\n  1.1".to_owned());
        assert_eq!(info.oxum(), Some(Oxum { bytes: 1, files: 1 }));
        info.set("PAYLOAD-OXUM", "1.1".to_owned());
        info.set("Contact-Name", "C".to_owned());
        info.set("New", "a\nb".to_owned());
        let expected =
            "Contact-Name: C\nExternal-Description: first\n  second\n\tthird\nPayload-Oxum: 1.1\nNew: a\n  b\n";
        assert_eq!(info_text(&info.tags), expected);
    }

    #[test]
    fn errors_have_lines() {
        let text = "  x\nno colon\nPayload-Oxum: x\nPayload-Oxum: 1.1\nBagging-Date: 1.1.2026\nBag-Count: 1\nA : b\n";
        let (info, findings) = read(text);
        let expected = [
            (1, Rule::Syntax),
            (2, Rule::Syntax),
            (7, Rule::Syntax),
            (4, Rule::Oxum),
            (3, Rule::Oxum),
            (5, Rule::Syntax),
            (6, Rule::Syntax),
        ];
        assert_eq!((findings, info.oxum(), info.lost), (expected.to_vec(), None, Some(1)));
        for (text, lost) in [("A: b\nno colon\n", Some(2)), ("\u{feff}A : b\nPayload-Oxum: x\n", None)] {
            assert_eq!(read(text).0.lost, lost, "{text}");
        }
        let many = "a: ".to_owned() + &"x".repeat(1 << 20) + "\n";
        let (info, findings) = read(&many.repeat(20));
        assert_eq!((findings, info.tags.len(), info.lost), (vec![(16, Rule::Syntax)], 15, Some(16)));
    }
}
