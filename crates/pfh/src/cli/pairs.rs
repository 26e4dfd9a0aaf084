//! Pairs of similar files as text: the forms of the families' own programs, CSV and JSON Lines.

use super::args::PairFormat;
use super::command::Command;
use super::exit::{Ending, Failed};
use super::json_header;
use super::message;
use super::output::SharedOutput;
use super::quantity::Count;
use pfh_engine::CancelToken;
use pfh_list::Name;
use pfh_record::csv::push_field;
use pfh_record::jsonl::{end_line, push_bytes_field};
use pfh_similarity::Family;
use std::collections::HashSet;
use std::hash::BuildHasher as _;
use std::io::{self, Write as _};

/// The relation of two files.
#[derive(Clone, Copy)]
pub(crate) enum Relation {
    /// They have this score or distance.
    Similar(u32),
    /// They have the same digests, for which the list of the second has this number of names.
    Same { names: u64 },
}

/// The writer of pairs.
pub(crate) struct PairWriter {
    output: SharedOutput,
    format: PairFormat,
    /// The name of the score.
    measure: &'static str,
    line: Vec<u8>,
    /// Number of pairs and clusters that were written.
    written: u64,
    /// Number of pairs and clusters that were left out, since the format cannot express them.
    left_out: u64,
    /// Hashes of the names that the format cannot express, each of which may be in many pairs.
    unexpressed: HashSet<u64>,
    quiet: bool,
}

/// Most names that are reported because the format cannot express them.
const REPORTED_MAX: usize = 10;

/// Returns the format of a family's own program.
pub(crate) fn own_format(family: Family) -> PairFormat {
    match family {
        Family::Ssdeep => PairFormat::Ssdeep,
        Family::Sdhash => PairFormat::Sdhash,
        Family::MrshV2 => PairFormat::MrshV2,
        Family::Tlsh => PairFormat::Tlsh,
    }
}

impl PairWriter {
    /// Makes a writer. `family` is `None` for cryptographic digests, whose pairs have no score. `quiet`: names that the
    /// format cannot express are counted only.
    pub(crate) fn new(output: SharedOutput, format: PairFormat, family: Option<Family>, quiet: bool) -> PairWriter {
        let measure = if family == Some(Family::Tlsh) { "distance" } else { "score" };
        let unexpressed = HashSet::new();
        PairWriter { output, format, measure, line: Vec::new(), written: 0, left_out: 0, unexpressed, quiet }
    }

    /// Returns the token that ends the writing.
    pub(crate) fn cancel(&self) -> &CancelToken {
        self.output.cancel()
    }

    pub(crate) fn format(&self) -> PairFormat {
        self.format
    }

    /// Returns the number of pairs and clusters that were found, whether the format can express them or not.
    pub(crate) fn found(&self) -> u64 {
        self.written + self.left_out
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.output.write_all(&self.line);
        self.line.clear();
        written
    }

    /// Writes the beginning: `names` are those of the compared digests, and `clusters` replace pairs.
    pub(crate) fn header(&mut self, names: &[&str], threshold: Option<u32>, clusters: bool) -> io::Result<()> {
        match self.format {
            PairFormat::Csv if clusters => self.line.extend_from_slice(b"cluster,name\r\n"),
            PairFormat::Csv if threshold.is_none() => self.line.extend_from_slice(b"first,second,names\r\n"),
            PairFormat::Csv => self.line.extend_from_slice(format!("first,second,{}\r\n", self.measure).as_bytes()),
            PairFormat::Jsonl => {
                let threshold = threshold.map_or_else(String::new, |threshold| format!(",\"threshold\":{threshold}"));
                json_header::begin(&mut self.line);
                json_header::push_algorithms(names.iter().copied(), &mut self.line);
                self.line.extend_from_slice(threshold.as_bytes());
                end_line(0, &mut self.line);
            }
            _ => {}
        }
        self.flush()
    }

    /// Writes a pair.
    pub(crate) fn pair(&mut self, first: Name<'_>, second: Name<'_>, relation: Relation) -> io::Result<()> {
        let expressed = [first, second].map(|name| self.can_express(name));
        if expressed.contains(&false) {
            self.left_out += 1;
            return Ok(());
        }
        let (number, measure) = match relation {
            Relation::Similar(score) => (u64::from(score), self.measure),
            Relation::Same { names } => (names, "names"),
        };
        match self.format {
            PairFormat::Ssdeep | PairFormat::SsdeepPretty => {
                self.push_listed(first);
                self.line.extend_from_slice(b" matches ");
                self.push_listed(second);
                match relation {
                    Relation::Similar(score) => write!(self.line, " ({score})")?,
                    Relation::Same { names: ..=1 } => {}
                    Relation::Same { names: 2 } => self.line.extend_from_slice(b" (and 1 more name)"),
                    Relation::Same { names } => write!(self.line, " (and {} more names)", Count(names - 1))?,
                }
                self.line.push(b'\n');
            }
            PairFormat::Sdhash | PairFormat::MrshV2 | PairFormat::Tlsh => {
                let between: &[u8] = match self.format {
                    PairFormat::Sdhash => b"|",
                    PairFormat::MrshV2 => b" | ",
                    _ => b"\t",
                };
                for name in [first.name, second.name] {
                    push_name(name, &mut self.line);
                    self.line.extend_from_slice(between);
                }
                match self.format {
                    PairFormat::Sdhash => writeln!(self.line, "{number:03}")?,
                    PairFormat::MrshV2 => writeln!(self.line, "{number:03} ")?,
                    _ => writeln!(self.line, "{number}")?,
                }
            }
            PairFormat::Csv => {
                push_field(first.name, &mut self.line);
                self.line.push(b',');
                push_field(second.name, &mut self.line);
                write!(self.line, ",{number}\r\n")?;
            }
            PairFormat::Jsonl => {
                self.line.extend_from_slice(b"{\"type\":\"pair\"");
                for (key, name) in [("first", first), ("second", second)] {
                    push_bytes_field(key, &format!("{key}_base64"), name.name, &mut self.line);
                    if let Some(list) = name.list {
                        push_bytes_field(&format!("{key}_list"), &format!("{key}_list_base64"), list, &mut self.line);
                    }
                }
                write!(self.line, ",\"{measure}\":{number}")?;
                end_line(0, &mut self.line);
            }
        }
        self.written += 1;
        self.flush()
    }

    /// Ends the pairs of one file.
    pub(crate) fn end_group(&mut self) -> io::Result<()> {
        if self.format == PairFormat::SsdeepPretty {
            self.line.push(b'\n');
            self.flush()?;
        }
        Ok(())
    }

    /// Writes files that belong together, as ssdeep does (`-g`). One alone belongs to none.
    pub(crate) fn cluster<'a>(&mut self, names: impl Iterator<Item = Name<'a>> + Clone) -> io::Result<()> {
        let count = names.clone().filter(|name| self.can_express(*name)).count();
        if count < 2 {
            self.left_out += 1;
            return Ok(());
        }
        self.written += 1;
        match self.format {
            PairFormat::Jsonl => self.line.extend_from_slice(b"{\"type\":\"cluster\",\"files\":["),
            PairFormat::Csv => {}
            _ => self.line.extend_from_slice(format!("** Cluster size {count}\n").as_bytes()),
        }
        for (place, name) in names.enumerate() {
            match self.format {
                PairFormat::Csv => {
                    self.line.extend_from_slice(format!("{},", self.written).as_bytes());
                    push_field(name.name, &mut self.line);
                    self.line.extend_from_slice(b"\r\n");
                }
                PairFormat::Jsonl => {
                    self.line.extend_from_slice(if place > 0 { b",{" } else { b"{" });
                    let mut fields = Vec::new();
                    push_bytes_field("path", "path_base64", name.name, &mut fields);
                    if let Some(list) = name.list {
                        push_bytes_field("list", "list_base64", list, &mut fields);
                    }
                    // These begin an object, so the comma before the first is dropped.
                    self.line.extend_from_slice(&fields[1..]);
                    self.line.push(b'}');
                }
                _ => {
                    if self.can_express(name) {
                        self.push_listed(name);
                        self.line.push(b'\n');
                    }
                }
            }
        }
        match self.format {
            PairFormat::Jsonl => {
                self.line.push(b']');
                end_line(0, &mut self.line);
            }
            PairFormat::Csv => {}
            _ => self.line.push(b'\n'),
        }
        self.flush()
    }

    fn push_listed(&mut self, name: Name<'_>) {
        if let Some(list) = name.list {
            push_name(list, &mut self.line);
            self.line.push(b':');
        }
        push_name(name.name, &mut self.line);
    }

    /// Whether the format can express a name. The first that it cannot are reported.
    fn can_express(&mut self, name: Name<'_>) -> bool {
        let is_text = !matches!(self.format, PairFormat::Csv | PairFormat::Jsonl);
        let breaks = |name: &[u8]| name.contains(&b'\n');
        let fits = !is_text || !(breaks(name.name) || name.list.is_some_and(breaks));
        if !fits {
            let hash = self.unexpressed.hasher().hash_one((name.list, name.name));
            if self.unexpressed.insert(hash) && !self.quiet {
                report_left_out(name, self.unexpressed.len());
            }
        }
        fits
    }

    /// Writes the end of the output, for `digests` compared digests, and ends the command. `written` is the result of
    /// writing.
    pub(crate) fn finish(
        mut self,
        mut command: Command,
        written: io::Result<()>,
        digests: usize,
    ) -> Result<Ending, Failed> {
        let written = written.and_then(|()| {
            if self.format == PairFormat::Jsonl {
                let found = self.written;
                self.line = format!("{{\"type\":\"summary\",\"digests\":{digests},\"found\":{found}").into_bytes();
                end_line(0, &mut self.line);
            }
            self.flush()
        });
        let unexpressed = self.unexpressed.len() as u64;
        command.tally.unread += unexpressed;
        command.tally.not_expressed += unexpressed;
        command.finish(written, digests as u64, None)
    }
}

/// Reports a name with a line feed, of which this is the `count`th, or that further ones are not reported.
fn report_left_out(name: Name<'_>, count: usize) {
    let list = name.list.map_or_else(String::new, |list| format!("{}: ", message::quoted(list)));
    match count {
        ..=REPORTED_MAX => message::error(format_args!(
            "{list}{} is left out: only csv and jsonl can express names with line feeds",
            message::quoted(name.name)
        )),
        count if count == REPORTED_MAX + 1 => message::error("further names with line feeds are left out, too"),
        _ => {}
    }
}

/// Appends a name to a text. One with control characters is quoted, so that it stays on its line.
fn push_name(name: &[u8], line: &mut Vec<u8>) {
    match message::has_control(name) {
        true => line.extend_from_slice(message::quoted(name).as_bytes()),
        false => line.extend_from_slice(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_quoted() {
        for (name, expected) in [
            (&b"a b"[..], &b"a b"[..]),
            ("été".as_bytes(), "été".as_bytes()),
            (b"\xe9t\xe9", b"\xe9t\xe9"),
            (b"a\tb", b"`a\\tb`"),
            (b"\xff\x1b[31m", b"`\\xff\\u{1b}[31m`"),
        ] {
            let mut line = Vec::new();
            push_name(name, &mut line);
            assert_eq!(line, expected);
        }
    }

    #[test]
    fn odd_names_are_fields() {
        let mut out = Vec::new();
        push_field(b"a\"b,c", &mut out);
        push_bytes_field("path", "path_base64", b"\xff", &mut out);
        assert_eq!(out, "\"a\"\"b,c\",\"path\":\"\u{fffd}\",\"path_base64\":\"/w==\"".as_bytes());
    }
}
