//! Reading of digest lists, one text for all families: lines of bounded length, and errors that say where.

use std::fmt;
use std::io::{self, BufRead};

use memchr::memchr;

use crate::ParseError;

/// One line of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<D> {
    /// The name, raw bytes.
    pub name: Vec<u8>,
    /// The digest.
    pub digest: D,
    /// The line it stands on, counted from 1.
    pub line: u64,
}

/// What is wrong with a list, and where.
#[derive(Debug)]
pub struct ListError {
    /// What is wrong.
    pub kind: ListErrorKind,
    /// The line, counted from 1.
    pub line: u64,
}

/// What is wrong with a list.
#[derive(Debug)]
pub enum ListErrorKind {
    /// The input could not be read. Ends the reading.
    Io(io::Error),
    /// The input is not a list of this family. Ends the reading.
    NotThisFormat {
        /// What is missing.
        reason: &'static str,
    },
    /// The line is longer than the reader accepts, and was passed over.
    TooLong {
        /// The most that is accepted, in bytes.
        limit_bytes: usize,
    },
    /// The line is broken, and was passed over.
    Line(ParseError),
}

impl ListError {
    /// True when nothing can be read after this error.
    pub fn is_fatal(&self) -> bool {
        matches!(self.kind, ListErrorKind::Io(_) | ListErrorKind::NotThisFormat { .. })
    }
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.kind {
            ListErrorKind::Io(error) => write!(f, "cannot read: {error}"),
            ListErrorKind::NotThisFormat { reason } => f.write_str(reason),
            ListErrorKind::TooLong { limit_bytes } => write!(f, "longer than {limit_bytes} bytes"),
            ListErrorKind::Line(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ListError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ListErrorKind::Io(error) => Some(error),
            ListErrorKind::Line(error) => Some(error),
            _ => None,
        }
    }
}

/// What a line lists: name and digest, or nothing.
pub type LineContents<D> = Option<(Vec<u8>, D)>;

/// What a family's lines look like. Implemented by the families only.
pub trait LineFormat {
    /// The family's digest.
    type Digest;

    /// Longest line that is read by default, in bytes.
    const LINE_BYTES_MAX: usize;

    /// Name and digest of one line (without its line end); `None` for a line that lists nothing.
    ///
    /// # Errors
    /// [`ListErrorKind::Line`] or [`ListErrorKind::NotThisFormat`].
    fn line(&mut self, text: &[u8]) -> Result<LineContents<Self::Digest>, ListErrorKind>;

    /// Says at the end whether the input as a whole was a list.
    ///
    /// # Errors
    /// [`ListErrorKind::NotThisFormat`].
    fn end(&mut self) -> Result<(), ListErrorKind> {
        Ok(())
    }
}

/// Iterates over a list. A line that cannot be read is an error, and the next call goes on with the line after it, unless
/// [`ListError::is_fatal`] says that this was the end. Memory: one line and its digest.
pub struct Reader<R, F> {
    input: R,
    format: F,
    line_bytes_max: usize,
    buffer: Vec<u8>,
    /// Of the latest line.
    number: u64,
    ended: bool,
}

impl<R: BufRead, F: LineFormat + Default> Reader<R, F> {
    /// Reads `input`.
    pub fn new(input: R) -> Reader<R, F> {
        Reader {
            input,
            format: F::default(),
            line_bytes_max: F::LINE_BYTES_MAX,
            buffer: Vec::new(),
            number: 0,
            ended: false,
        }
    }
}

impl<R: BufRead, F: LineFormat> Reader<R, F> {
    /// Accepts lines of at most `line_bytes_max` bytes.
    #[must_use]
    pub fn with_line_bytes_max(self, line_bytes_max: usize) -> Reader<R, F> {
        Reader { line_bytes_max, ..self }
    }

    /// Fills the buffer with the next line, without its line end (LF or CRLF). `Ok(false)` at the end of the input.
    fn fill(&mut self) -> Result<bool, ListErrorKind> {
        self.buffer.clear();
        let (mut fits, mut any) = (true, false);
        let limit_bytes = self.line_bytes_max;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ListErrorKind::Io(error)),
            };
            if available.is_empty() {
                break;
            }
            any = true;
            let end = memchr(b'\n', available);
            let taken = end.unwrap_or(available.len());
            fits &= taken <= limit_bytes.saturating_sub(self.buffer.len());
            if fits {
                self.buffer.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                break;
            }
        }
        self.number += u64::from(any);
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        if fits { Ok(any) } else { Err(ListErrorKind::TooLong { limit_bytes }) }
    }

    fn advance(&mut self) -> Result<Option<Entry<F::Digest>>, ListErrorKind> {
        while self.fill()? {
            if let Some((name, digest)) = self.format.line(&self.buffer)? {
                return Ok(Some(Entry { name, digest, line: self.number }));
            }
        }
        self.format.end().map(|()| None)
    }
}

impl<R: BufRead, F: LineFormat> Iterator for Reader<R, F> {
    type Item = Result<Entry<F::Digest>, ListError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.advance().map_err(|kind| ListError { kind, line: self.number });
        self.ended = match &next {
            Ok(entry) => entry.is_none(),
            Err(error) => error.is_fatal(),
        };
        next.transpose()
    }
}
