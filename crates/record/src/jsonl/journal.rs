//! A JSON Lines file as the journal of a run that can be continued.

use std::io::BufRead;

use super::START;
use super::read::{Checks, FileLine, LineKind, parse_header};
use crate::parse::{Fault, FieldProblem, Line, Lines, OBJECT_BYTES_MAX, ReadError, ReadErrorKind};
use crate::{Entry, FormatName, Header};

/// The state of the run that wrote a JSON Lines file, from which another run can continue it.
#[derive(Debug, Default)]
pub struct Journal {
    /// The header; `None` if not even the first line is whole.
    pub header: Option<Header>,
    /// Number of whole lines with files.
    pub entries: u64,
    /// Offset after the last whole line.
    pub whole_bytes: u64,
    /// Offset of the summary, if it is the last whole line: the run had ended, and a run that continues cuts here.
    pub summary_offset: Option<u64>,
    /// The remains of an interruption after the last whole line, a part of a line or zero bytes. They can be cut.
    pub torn: Option<ReadError>,
    /// Damaged lines that an interruption cannot explain; only the whole lines are reliable.
    pub broken: BrokenLines,
}

/// Damaged lines.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct BrokenLines {
    /// Number of damaged lines.
    pub count: u64,
    /// The errors of the first few.
    pub first: Vec<ReadError>,
}

impl BrokenLines {
    /// Most errors that are kept.
    pub const FIRST_MAX: usize = 5;

    fn push(&mut self, error: ReadError) {
        self.count += 1;
        if self.first.len() < Self::FIRST_MAX {
            self.first.push(error);
        }
    }
}

/// One whole line of a journal.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct JournalLine<'a> {
    /// The line as written, without its line feed.
    pub bytes: &'a [u8],
    /// Offset of its first byte.
    pub offset: u64,
    /// Number of the line, counted from 1.
    pub number: u64,
    /// The content of the line.
    pub content: LineContent<'a>,
    /// Whether it states that a file, or a piece of it, bears the marks of a collision attack.
    pub has_collision_marks: bool,
}

/// The content of a line of a journal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LineContent<'a> {
    /// The header, which is always the first line.
    Header,
    /// The result of one file. If a path occurs twice, the later line counts, whatever it says.
    File(&'a Entry),
    /// The end of a run.
    Summary,
    /// A line type of a later version of pfh.
    Other,
}

impl Journal {
    /// Reads a journal to its end and passes each whole line to `visit`. Memory: one line.
    ///
    /// A line is whole if its check value matches, in lists with check values, and if it has the digests that the
    /// header promises.
    /// # Errors
    /// The input is unreadable, or is no journal, or contains runs with different digests or directories.
    pub fn read(input: impl BufRead, mut visit: impl FnMut(JournalLine<'_>)) -> Result<Journal, ReadError> {
        let mut journal = Journal::default();
        let mut checks = Checks::default();
        let mut lines = Lines::new(input, b'\n', OBJECT_BYTES_MAX);
        loop {
            let zeros = lines.skip_zeros()?;
            let zeros_here = |error: ReadError| ReadError { offset: error.offset - zeros, ..error };
            let (terminated, read) = match lines.next() {
                Ok(None) if zeros > 0 => {
                    // Number and offset are those of the line that would begin after the zeros.
                    let torn = lines.error(Fault { kind: ReadErrorKind::Zeros, at: 0 });
                    journal.torn = Some(zeros_here(torn));
                    return Ok(journal);
                }
                Ok(None) => return Ok(journal),
                Ok(Some(_)) if zeros > 0 && journal.header.is_none() => {
                    return Err(zeros_here(lines.error(not_a_journal())));
                }
                Ok(Some(_)) if zeros > 0 => (true, Err(Fault { kind: ReadErrorKind::Zeros, at: 0 })),
                Ok(Some(line)) => (line.terminated, journal.line(&mut checks, line, &mut visit)),
                Err(error) if error.is_fatal() || journal.header.is_none() => return Err(error),
                Err(error) => {
                    journal.broken.push(error);
                    continue;
                }
            };
            let Err(error) = read.map_err(|fault| lines.error(fault)) else { continue };
            let is_torn = !terminated && matches!(error.kind, ReadErrorKind::Torn);
            match error {
                error if error.is_fatal() => return Err(error),
                error if is_torn => journal.torn = Some(error),
                // Cutting at 0 would destroy a file that is no journal, so only the beginning of a header may be cut
                // off.
                error if journal.header.is_none() => return Err(error),
                error => journal.broken.push(zeros_here(error)),
            }
        }
    }

    /// Returns the offset at which a run that continues cuts the file, to append its own lines: before the summary, or
    /// after the last whole line. Useful only if no line is broken.
    pub fn resume_offset(&self) -> u64 {
        self.summary_offset.unwrap_or(self.whole_bytes)
    }

    fn line(
        &mut self,
        checks: &mut Checks,
        line: Line<'_>,
        visit: &mut impl FnMut(JournalLine<'_>),
    ) -> Result<(), Fault> {
        let begins_as_header = line.bytes.starts_with(START) || (!line.terminated && START.starts_with(line.bytes));
        if self.header.is_none() && !begins_as_header {
            return Err(not_a_journal());
        }
        if !line.terminated {
            return Err(Fault { kind: ReadErrorKind::Torn, at: 0 });
        }
        let entry;
        let mut has_collision_marks = false;
        let content = match (checks.kind(line.text())?, &self.header) {
            (LineKind::Header, None) => {
                self.header = Some(parse_header(line.bytes, true)?);
                LineContent::Header
            }
            (LineKind::Header, Some(first)) if first.agrees(&parse_header(line.bytes, true)?) => {
                return Err(Fault::shape(0, "one header, and this is the second"));
            }
            (LineKind::Header, Some(_)) => {
                let reason = "it has a second header, of a run with other digests or in another directory";
                return Err(Fault::not_this_format(FormatName::Jsonl, reason));
            }
            (LineKind::Summary, _) => LineContent::Summary,
            (LineKind::File, Some(header)) => {
                let mut file = FileLine::parse(line.bytes)?;
                if !file.keeps(header) {
                    return Err(Fault::field(0, "digests", FieldProblem::DigestsMissing));
                }
                has_collision_marks = file.has_collision_marks();
                entry = file.entry(line.number, header.selection.as_ref())?;
                LineContent::File(&entry)
            }
            (LineKind::File, None) | (LineKind::Part | LineKind::Other, _) => LineContent::Other,
        };
        self.entries += u64::from(matches!(content, LineContent::File(_)));
        self.summary_offset = matches!(content, LineContent::Summary).then_some(line.offset);
        self.whole_bytes = line.offset + line.bytes.len() as u64 + 1;
        let Line { bytes, offset, number, .. } = line;
        visit(JournalLine { bytes, offset, number, content, has_collision_marks });
        Ok(())
    }
}

fn not_a_journal() -> Fault {
    Fault::not_this_format(FormatName::Jsonl, "its first line is not a header")
}
