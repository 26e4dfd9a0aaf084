//! The adapter between the bytes of a DFXML file and the XML parser.

use std::io::{self, BufRead, Read};

use memchr::memchr_iter;

/// Number of bytes that are widened at a time.
const CHUNK_BYTES: usize = 8 << 10;

/// Passes every byte to the parser as the character with the same number (ISO 8859-1, in UTF-8). So names that are not
/// UTF-8, which hashdeep writes unchanged, survive; markup is ASCII and stays the same. [`narrow`] is the inverse. Also
/// counts lines, and fails if one object is longer than allowed.
pub(super) struct Widened<R> {
    input: R,
    /// Widened bytes; those from `start` on are not consumed yet.
    buffer: Vec<u8>,
    start: usize,
    /// Number of bytes of the input that were consumed.
    pub(super) offset: u64,
    /// The line of the next byte, counted from 1.
    pub(super) line: u64,
    /// Number of bytes consumed since the last [`Widened::allow`].
    object_bytes: usize,
    limit_bytes: usize,
}

impl<R> Widened<R> {
    pub(super) fn new(input: R, limit_bytes: usize) -> Widened<R> {
        Widened { input, buffer: Vec::new(), start: 0, offset: 0, line: 1, object_bytes: 0, limit_bytes }
    }

    /// Begins a new object.
    pub(super) fn allow(&mut self) {
        self.object_bytes = 0;
    }

    pub(super) fn is_over_limit(&self) -> bool {
        self.object_bytes > self.limit_bytes
    }
}

impl<R: BufRead> BufRead for Widened<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_over_limit() {
            return Err(io::Error::other("the object is too long"));
        }
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
            let bytes = self.input.fill_buf()?;
            let bytes = &bytes[..bytes.len().min(CHUNK_BYTES)];
            for &byte in bytes {
                match byte {
                    0..0x80 => self.buffer.push(byte),
                    _ => self.buffer.extend_from_slice(&[0xC0 | byte >> 6, 0x80 | byte & 0x3F]),
                }
            }
            let consumed = bytes.len();
            self.input.consume(consumed);
        }
        Ok(&self.buffer[self.start..])
    }

    fn consume(&mut self, amount: usize) {
        let consumed = &self.buffer[self.start..self.start + amount];
        self.line += memchr_iter(b'\n', consumed).count() as u64;
        let bytes = consumed.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        self.offset += bytes as u64;
        self.object_bytes += bytes;
        self.start += amount;
    }
}

impl<R: BufRead> Read for Widened<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let amount = available.len().min(out.len());
        out[..amount].copy_from_slice(&available[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}

/// Appends the bytes from which `text` was widened.
pub(super) fn narrow(text: &str, out: &mut Vec<u8>) {
    out.extend(text.chars().map(|character| character as u8));
}
