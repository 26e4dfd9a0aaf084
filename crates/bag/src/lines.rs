//! The lines of a tag file, within bounds.

use std::io::{self, BufRead, BufReader, Read};

/// Longest line that is read, in bytes; the rest of a longer one is skipped. A path of a million components is shorter.
pub const LINE_BYTES_MAX: usize = 4 << 20;

const BUFFER_BYTES: usize = 1 << 16;

/// The byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines that end with LF, CR or CRLF; the last one may lack its end.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    number: u64,
    /// Whether the last line ended with CR, so that a LF may follow.
    after_return: bool,
    has_mark: bool,
}

/// A line, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) bytes: &'a [u8],
    /// Whether a part of it was skipped.
    pub(crate) is_cut: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Lines<R> {
        let reader = BufReader::with_capacity(BUFFER_BYTES, reader);
        Lines { reader, number: 0, after_return: false, has_mark: false }
    }

    /// Whether the file begins with a byte order mark, which no line contains. Known after the first line.
    pub(crate) fn has_mark(&self) -> bool {
        self.has_mark
    }

    /// Reads the next line into `buffer`; `None` at the end.
    pub(crate) fn next<'b>(&mut self, buffer: &'b mut Vec<u8>) -> io::Result<Option<Line<'b>>> {
        buffer.clear();
        let (mut is_cut, mut is_empty) = (false, true);
        loop {
            let part = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                part => part?,
            };
            if part.is_empty() {
                break;
            }
            if std::mem::take(&mut self.after_return) && part[0] == b'\n' {
                self.reader.consume(1);
                continue;
            }
            is_empty = false;
            let end = part.iter().position(|&byte| matches!(byte, b'\n' | b'\r'));
            let text = &part[..end.unwrap_or(part.len())];
            let room = LINE_BYTES_MAX - buffer.len();
            is_cut |= text.len() > room;
            buffer.extend_from_slice(&text[..text.len().min(room)]);
            self.after_return = end.is_some_and(|end| part[end] == b'\r');
            let used = text.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        if is_empty {
            return Ok(None);
        }
        self.number += 1;
        if self.number == 1 && buffer.starts_with(MARK) {
            self.has_mark = true;
            buffer.drain(..MARK.len());
        }
        Ok(Some(Line { number: self.number, bytes: buffer, is_cut }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<Vec<u8>> {
        // One byte at a time, so that CR and LF come apart.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(buffer.len()).min(1);
                buffer[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let mut lines = Lines::new(Slow(text));
        let (mut found, mut buffer) = (Vec::new(), Vec::new());
        while let Some(line) = lines.next(&mut buffer).unwrap() {
            assert_eq!(line.number, found.len() as u64 + 1);
            found.push(line.bytes.to_vec());
        }
        found
    }

    #[test]
    fn every_end_of_line() {
        for text in ["a\nb\n\nc", "a\r\nb\r\n\r\nc\r\n", "a\rb\r\rc\r", "a\r\nb\n\rc"] {
            assert_eq!(lines(text.as_bytes()), [&b"a"[..], b"b", b"", b"c"], "{text:?}");
        }
        assert_eq!(lines(b""), [b""; 0]);
        assert_eq!(lines(b"\xef\xbb\xbfa\n\xef\xbb\xbfb"), [&b"a"[..], b"\xef\xbb\xbfb"]);
    }

    #[test]
    fn a_line_without_end_takes_no_more_than_its_bound() {
        let endless = io::repeat(b'x').take(3 * LINE_BYTES_MAX as u64).chain(&b"\nnext"[..]);
        let (mut lines, mut buffer) = (Lines::new(endless), Vec::new());
        let line = lines.next(&mut buffer).unwrap().unwrap();
        assert!(line.is_cut && line.bytes.len() == LINE_BYTES_MAX);
        assert!(buffer.capacity() <= 2 * LINE_BYTES_MAX);
        let line = lines.next(&mut buffer).unwrap().unwrap();
        assert_eq!((line.number, line.bytes, line.is_cut), (2, &b"next"[..], false));
    }
}
