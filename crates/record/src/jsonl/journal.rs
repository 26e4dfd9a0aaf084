//! A JSON Lines file as the journal of a run that may go on.

use std::io::BufRead;

use pfh_digest::Algorithm;
use pfh_similarity::Family;

use super::START;
use super::read::{FileLine, HeaderLine, LineKind, kind};
use crate::Timestamp;
use crate::read::{Fault, Line, Lines, OBJECT_BYTES_MAX, ReadError, ReadErrorKind};

/// What a JSON Lines file says of the run that wrote it, and where it can be cut so that another run goes on.
#[derive(Debug, Default)]
pub struct Journal {
    /// The first line; absent when not even that is whole.
    pub header: Option<JournalHeader>,
    /// Number of file lines that are whole.
    pub entries: u64,
    /// Offset after the last whole line: what follows was torn off and can be cut.
    pub whole_bytes: u64,
    /// Offset of the summary, where it is the last whole line: the run came to its end, and a run that goes on cuts here.
    pub summary_offset: Option<u64>,
    /// What is wrong with the rest, where there is one.
    pub torn: Option<ReadError>,
}

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalHeader {
    /// In the order of the run.
    pub algorithms: Vec<Algorithm>,
    /// Families of similarity digests, in the order of the run.
    pub families: Vec<Family>,
    /// Length of the pieces in bytes, in a piecewise run.
    pub piece_bytes: Option<u64>,
    /// The directory that relative paths started from, raw bytes.
    pub directory: Option<Vec<u8>>,
}

/// One file of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalEntry<'a> {
    /// The path, raw bytes.
    pub path: &'a [u8],
    /// Size in bytes.
    pub size: Option<u64>,
    /// Last modification.
    pub mtime: Option<Timestamp>,
    /// Whether every byte was hashed. Other files are to be tried again.
    pub complete: bool,
    /// Offset of its line.
    pub offset: u64,
    /// Its line, counted from 1.
    pub line: u64,
}

impl Journal {
    /// Reads a journal to its end and shows `visit` each file. Memory: one line.
    ///
    /// A writer that is interrupted leaves whole lines and then anything; so a line that is no good is where the journal
    /// ends, as long as no good line follows.
    /// # Errors
    /// The input cannot be read; it is no journal; or a broken line lies between good ones, so that more than an
    /// interruption happened to the file.
    pub fn read(input: impl BufRead, mut visit: impl FnMut(JournalEntry<'_>)) -> Result<Journal, ReadError> {
        let mut journal = Journal::default();
        let mut lines = Lines::new(input, b'\n', OBJECT_BYTES_MAX);
        loop {
            let (end, read) = match lines.next() {
                Ok(None) => return Ok(journal),
                Ok(Some(line)) => (line.offset + line.bytes.len() as u64 + 1, journal.line(line, &mut visit)),
                Err(error) if error.is_fatal() || journal.header.is_none() => return Err(error),
                Err(error) => {
                    journal.torn.get_or_insert(error);
                    continue;
                }
            };
            match (read.map_err(|fault| lines.error(fault)), journal.torn.take()) {
                (Ok(()), None) => journal.whole_bytes = end,
                (Ok(()), Some(broken)) => return Err(broken),
                (Err(error), _) if error.is_fatal() => return Err(error),
                // Whoever cuts at 0 what is no journal destroys it: only the beginning of a header may be cut off.
                (Err(error), _) if journal.header.is_none() && !matches!(error.kind, ReadErrorKind::Torn) => {
                    return Err(error);
                }
                (Err(error), earlier) => journal.torn = Some(earlier.unwrap_or(error)),
            }
        }
    }

    /// Where a run that goes on cuts the file, to append its own lines: before the summary, or after the last whole line.
    pub fn resume_offset(&self) -> u64 {
        self.summary_offset.unwrap_or(self.whole_bytes)
    }

    fn line(&mut self, line: Line<'_>, visit: &mut impl FnMut(JournalEntry<'_>)) -> Result<(), Fault> {
        let begins_as_header = line.bytes.starts_with(START) || (!line.terminated && START.starts_with(line.bytes));
        if self.header.is_none() && !begins_as_header {
            return Err(Fault::not_this_format("jsonl", "its first line is no header"));
        }
        if !line.terminated {
            return Err(Fault { kind: ReadErrorKind::Torn, at: 0 });
        }
        match (kind(line.bytes)?, &self.header) {
            (LineKind::Header, None) => self.header = Some(JournalHeader::parse(line.bytes)?),
            (LineKind::Header, Some(_)) => {
                return Err(Fault::not_this_format("jsonl", "it has a second header, so it is of several runs"));
            }
            (LineKind::Summary, _) => self.summary_offset = Some(line.offset),
            (LineKind::Other, _) => self.summary_offset = None,
            (LineKind::File, _) => {
                let mut file = FileLine::parse(line.bytes)?;
                let (mtime, path) = (file.mtime()?, file.path()?);
                // After a broken line nothing counts: either all that follows is broken too, or the reading fails.
                if self.torn.is_none() {
                    self.summary_offset = None;
                    self.entries += 1;
                    visit(JournalEntry {
                        path: &path,
                        size: file.size,
                        mtime,
                        complete: file.is_complete(),
                        offset: line.offset,
                        line: line.number,
                    });
                }
            }
        }
        Ok(())
    }
}

impl JournalHeader {
    fn parse(text: &[u8]) -> Result<JournalHeader, Fault> {
        let mut header = HeaderLine::parse(text)?;
        let directory = header.directory()?;
        let (mut algorithms, mut families) = (Vec::new(), Vec::new());
        for name in &header.algorithms {
            match (Algorithm::from_name(name), name.parse::<Family>()) {
                (Ok(algorithm), _) => algorithms.push(algorithm),
                (Err(_), Ok(family)) => families.push(family),
                (Err(_), Err(_)) => return Err(Fault::unknown_algorithm(0, name.as_bytes())),
            }
        }
        Ok(JournalHeader { algorithms, families, piece_bytes: header.piece_bytes, directory })
    }
}
