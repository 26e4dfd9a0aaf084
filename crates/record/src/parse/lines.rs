//! Lines of bounded length.

use std::io::{self, BufRead};

use memchr::{memchr, memchr2, memchr2_iter};

use super::{Fault, ReadError, ReadErrorKind};

/// U+FEFF in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Splits an input into lines and tracks the position. Memory: one line, at most the limit.
pub(crate) struct Lines<R> {
    input: R,
    terminator: u8,
    /// The bytes after which a field begins that may be in quotes, with terminators in it; none if nothing is in
    /// quotes.
    separators: Vec<u8>,
    /// Whether a carriage return ends a line too, alone or before a line feed.
    returns: bool,
    /// Whether the latest line ended with a carriage return.
    after_return: bool,
    /// Whether a byte-order mark is part of the first line.
    keeps_mark: bool,
    limit_bytes: usize,
    buffer: Vec<u8>,
    /// Number of the latest line.
    number: u64,
    /// Offset of the latest line.
    offset: u64,
    /// Offset of the next line.
    next_offset: u64,
    next_number: u64,
}

/// One line.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The bytes without the terminator.
    pub(crate) bytes: &'a [u8],
    /// Number of the line, counted from 1.
    pub(crate) number: u64,
    /// Offset of the line in the input.
    pub(crate) offset: u64,
    /// False for a last line without terminator.
    pub(crate) terminated: bool,
}

/// The quotes of one line (RFC 4180): one at the beginning of a field opens it, the next one that is not doubled closes
/// it, and all others are data.
#[derive(Default)]
struct Quotes {
    is_open: bool,
    /// Where in the line the latest field was closed. A quote directly behind it was doubled.
    closed_at: Option<u64>,
}

impl Quotes {
    /// Takes the quote at this place in the line.
    fn take(&mut self, at: u64, begins_field: bool) {
        if self.is_open {
            (self.is_open, self.closed_at) = (false, Some(at));
        } else {
            self.is_open = begins_field || self.closed_at.is_some_and(|closed| closed + 1 == at);
        }
    }
}

impl<'a> Line<'a> {
    /// The line without the carriage return of a CRLF line end.
    pub(crate) fn text(&self) -> &'a [u8] {
        self.bytes.strip_suffix(b"\r").unwrap_or(self.bytes)
    }
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R, terminator: u8, limit_bytes: usize) -> Lines<R> {
        Lines {
            input,
            terminator,
            separators: Vec::new(),
            returns: false,
            after_return: false,
            keeps_mark: false,
            limit_bytes,
            buffer: Vec::new(),
            number: 0,
            offset: 0,
            next_offset: 0,
            next_number: 1,
        }
    }

    /// Treats a line end in a field in double quotes as data (RFC 4180). Fields are between these separators.
    pub(crate) fn with_quotes(self, separators: &[u8]) -> Lines<R> {
        Lines { separators: separators.to_vec(), ..self }
    }

    /// Tells the one separator of the lines to come.
    pub(crate) fn set_separator(&mut self, separator: u8) {
        self.separators = vec![separator];
    }

    /// Ends lines at carriage returns too, as old systems did.
    pub(crate) fn with_carriage_returns(self) -> Lines<R> {
        Lines { returns: true, ..self }
    }

    /// Leaves a byte-order mark in the first line.
    pub(crate) fn with_mark(self) -> Lines<R> {
        Lines { keeps_mark: true, ..self }
    }

    /// Reads the next line. Returns `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        (self.number, self.offset) = (self.next_number, self.next_offset);
        self.buffer.clear();
        let mut quotes = Quotes::default();
        // The byte before those that are available, if it is in the line.
        let mut before = None;
        let mut fits = true;
        let terminated = loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.error(Fault { kind: ReadErrorKind::Io(error), at: self.buffer.len() })),
            };
            if available.is_empty() {
                break false;
            }
            if std::mem::take(&mut self.after_return) && available[0] == b'\n' {
                self.input.consume(1);
                (self.offset, self.next_offset) = (self.offset + 1, self.next_offset + 1);
                continue;
            }
            let end = match (self.separators.is_empty(), self.returns) {
                (true, false) => memchr(self.terminator, available),
                (true, true) => memchr2(self.terminator, b'\r', available),
                (false, _) => {
                    // The first terminator outside quotes is the end.
                    memchr2_iter(b'"', self.terminator, available).find(|&at| {
                        if available[at] != b'"' {
                            self.next_number += u64::from(quotes.is_open);
                            return !quotes.is_open;
                        }
                        let place = self.next_offset - self.offset + at as u64;
                        let previous = if at == 0 { before } else { Some(available[at - 1]) };
                        let is_after_mark = || {
                            let is_there = self.number == 1 && place == BYTE_ORDER_MARK.len() as u64;
                            is_there && self.buffer.iter().chain(&available[..at]).eq(BYTE_ORDER_MARK)
                        };
                        let begins_field = previous.is_none_or(|byte| self.separators.contains(&byte));
                        quotes.take(place, begins_field || is_after_mark());
                        false
                    })
                }
            };
            let taken = end.unwrap_or(available.len());
            self.after_return = self.returns && available.get(taken) == Some(&b'\r');
            before = available[..taken].last().copied().or(before);
            fits &= self.buffer.len() + taken <= self.limit_bytes;
            if fits {
                self.buffer.extend_from_slice(&available[..taken]);
            }
            let consumed = taken + usize::from(end.is_some());
            self.input.consume(consumed);
            self.next_offset += consumed as u64;
            if end.is_some() {
                break true;
            }
        };
        if self.next_offset == self.offset {
            return Ok(None);
        }
        self.next_number += 1;
        if !fits {
            return Err(self.error(Fault { kind: ReadErrorKind::TooLong { limit_bytes: self.limit_bytes }, at: 0 }));
        }
        let mut bytes = &self.buffer[..];
        // Some editors write one at the beginning of a file.
        if let (1, false, Some(rest)) = (self.number, self.keeps_mark, bytes.strip_prefix(BYTE_ORDER_MARK)) {
            self.offset += BYTE_ORDER_MARK.len() as u64;
            bytes = rest;
        }
        Ok(Some(Line { bytes, number: self.number, offset: self.offset, terminated }))
    }

    /// Skips zero bytes at the beginning of the next line, and returns their number. Takes no memory for them.
    pub(crate) fn skip_zeros(&mut self) -> Result<u64, ReadError> {
        let begin = self.next_offset;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.error(Fault { kind: ReadErrorKind::Io(error), at: 0 })),
            };
            let zeros = available.iter().position(|&byte| byte != 0).unwrap_or(available.len());
            if zeros == 0 {
                return Ok(self.next_offset - begin);
            }
            self.input.consume(zeros);
            self.next_offset += zeros as u64;
        }
    }

    /// Returns the error for a fault of the latest line, with its place in the input.
    pub(crate) fn error(&self, fault: Fault) -> ReadError {
        ReadError { kind: fault.kind, line: self.number, offset: self.offset + fault.at as u64 }
    }
}
