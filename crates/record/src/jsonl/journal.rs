//! A JSON Lines file as the journal of a run that may go on.

use std::io::BufRead;

use super::START;
use super::read::{Checks, FileLine, LineKind, parse_header};
use crate::read::{Fault, Line, Lines, OBJECT_BYTES_MAX, ReadError, ReadErrorKind};
use crate::{Entry, Header};

/// What a JSON Lines file says of the run that wrote it, and how another run can go on with it.
#[derive(Debug, Default)]
pub struct Journal {
    /// The first line; absent when not even that is whole.
    pub header: Option<Header>,
    /// Number of file lines that are whole.
    pub entries: u64,
    /// Offset after the last whole line.
    pub whole_bytes: u64,
    /// Offset of the summary, where it is the last whole line: the run came to its end, and a run that goes on cuts
    /// here.
    pub summary_offset: Option<u64>,
    /// What an interruption left after the last whole line, a part of a line or zero bytes: it can be cut.
    pub torn: Option<ReadError>,
    /// Lines that no interruption leaves: only the whole ones beside them can be believed.
    pub broken: BrokenLines,
}

/// Lines that cannot be believed.
#[derive(Debug, Default)]
pub struct BrokenLines {
    /// How many there are.
    pub count: u64,
    /// What is wrong with the first few.
    pub first: Vec<ReadError>,
}

impl BrokenLines {
    /// So many are kept with their reasons.
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
pub struct JournalLine<'a> {
    /// As it was written, without its line feed.
    pub bytes: &'a [u8],
    /// Offset of its first byte.
    pub offset: u64,
    /// Counted from 1.
    pub number: u64,
    /// What it says.
    pub content: LineContent<'a>,
}

/// What a line of a journal says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LineContent<'a> {
    /// What all others are about; always the first line.
    Header,
    /// How one file turned out. Where a path is there twice, the later line counts, whatever it says.
    File(&'a Entry),
    /// The end of a run.
    Summary,
    /// Something from a later version of pfh.
    Other,
}

impl Journal {
    /// Reads a journal to its end and shows `visit` each whole line. Memory: one line.
    ///
    /// A line is whole if its check value says so, where the list has check values, and if it has the digests that the
    /// header promises.
    /// # Errors
    /// The input cannot be read; or it is no journal, or one of several runs that promised different digests.
    pub fn read(input: impl BufRead, mut visit: impl FnMut(JournalLine<'_>)) -> Result<Journal, ReadError> {
        let mut journal = Journal::default();
        let mut checks = Checks::default();
        let mut lines = Lines::new(input, b'\n', OBJECT_BYTES_MAX);
        loop {
            let zeros = lines.skip_zeros()?;
            let zeros_here = |error: ReadError| ReadError { offset: error.offset - zeros, ..error };
            let (terminated, read) = match lines.next() {
                Ok(None) if zeros > 0 => {
                    // Number and offset are those of the line that would begin after them.
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
                // Whoever cuts at 0 what is no journal destroys it: only the beginning of a header may be cut off.
                error if journal.header.is_none() => return Err(error),
                error => journal.broken.push(zeros_here(error)),
            }
        }
    }

    /// Where a run that goes on cuts the file, to append its own lines: before the summary, or after the last whole
    /// line. Only of use where no line is broken.
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
        let content = match (checks.kind(line.text())?, &self.header) {
            (LineKind::Header, None) => {
                self.header = Some(parse_header(line.bytes, true)?);
                LineContent::Header
            }
            (LineKind::Header, Some(first)) if first.agrees(&parse_header(line.bytes, true)?) => {
                return Err(Fault::shape(0, "one header, and this is the second"));
            }
            (LineKind::Header, Some(_)) => {
                return Err(Fault::not_this_format("jsonl", "it has a second header, of a run with other digests"));
            }
            (LineKind::Summary, _) => LineContent::Summary,
            (LineKind::File, Some(header)) => {
                let mut file = FileLine::parse(line.bytes)?;
                if !file.keeps(header) {
                    return Err(Fault::field(0, "digests", "are not all that the header promises"));
                }
                entry = file.entry(line.number, header.selection.as_ref())?;
                LineContent::File(&entry)
            }
            (LineKind::File, None) | (LineKind::Other, _) => LineContent::Other,
        };
        self.entries += u64::from(matches!(content, LineContent::File(_)));
        self.summary_offset = matches!(content, LineContent::Summary).then_some(line.offset);
        self.whole_bytes = line.offset + line.bytes.len() as u64 + 1;
        visit(JournalLine { bytes: line.bytes, offset: line.offset, number: line.number, content });
        Ok(())
    }
}

fn not_a_journal() -> Fault {
    Fault::not_this_format("jsonl", "its first line is no header")
}
