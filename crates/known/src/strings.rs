//! Texts in order, front-coded: each is kept as the number of bytes that it shares with the one before, and the rest.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use crate::layout::Kind;
use crate::sections::{SetFile, temporary};

/// Texts of a block, of which the first shares nothing.
const BLOCK: u64 = 16;

/// Longest text about an entry that is kept, in bytes; the rest is cut off.
pub(crate) const TEXT_BYTES_MAX: usize = 4096;

/// The same for the name of a file in a set of blocks, which may lie deeper than a path of one system call reaches.
pub(crate) const NAME_BYTES_MAX: usize = 1 << 20;

/// Writes texts to temporary files.
pub(crate) struct StringsWriter {
    bytes: BufWriter<File>,
    blocks: BufWriter<File>,
    written: u64,
    count: u64,
    last: Vec<u8>,
}

impl StringsWriter {
    pub(crate) fn new() -> io::Result<StringsWriter> {
        Ok(StringsWriter { bytes: temporary()?, blocks: temporary()?, written: 0, count: 0, last: Vec::new() })
    }

    /// Returns the number of texts.
    pub(crate) fn len(&self) -> u64 {
        self.count
    }

    pub(crate) fn push(&mut self, text: &[u8]) -> io::Result<()> {
        let mut shared = 0;
        if self.count.is_multiple_of(BLOCK) {
            self.blocks.write_all(&self.written.to_le_bytes())?;
        } else {
            shared = self.last.iter().zip(text).take_while(|(one, other)| one == other).count();
        }
        let rest = &text[shared..];
        let mut lengths = Vec::with_capacity(6);
        put_number(shared, &mut lengths);
        put_number(rest.len(), &mut lengths);
        self.bytes.write_all(&lengths)?;
        self.bytes.write_all(rest)?;
        self.written += (lengths.len() + rest.len()) as u64;
        self.count += 1;
        self.last.truncate(shared);
        self.last.extend_from_slice(rest);
        Ok(())
    }

    /// Writes the sections of the texts and of the offsets of blocks.
    pub(crate) fn write(self, file: &mut SetFile<'_, impl Write>, name: &str) -> io::Result<()> {
        file.copy(Kind::Strings, name, 1, self.bytes)?;
        file.copy(Kind::Blocks, name, 8, self.blocks)
    }
}

/// Appends a number in groups of 7 bits, the lowest first; all but the last have the top bit.
fn put_number(mut number: usize, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number from the front of `bytes`.
fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0_usize;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Bytes that most texts do not exceed: those of a path.
const USUAL_BYTES: usize = 128;

/// Returns the text of this number; `None` if there is none of at most `bytes_max` bytes, or the sections are damaged.
pub(crate) fn text_at(strings: &[u8], blocks: &[u8], number: u64, bytes_max: usize) -> Option<Vec<u8>> {
    let block = blocks.as_chunks::<8>().0.get(usize::try_from(number / BLOCK).ok()?)?;
    let mut rest = strings.get(usize::try_from(u64::from_le_bytes(*block)).ok()?..)?;
    let mut text = Vec::with_capacity(USUAL_BYTES);
    for _ in 0..=number % BLOCK {
        let (shared, length) = (take_number(&mut rest)?, take_number(&mut rest)?);
        if shared > text.len() || length > rest.len() || shared + length > bytes_max {
            return None;
        }
        text.truncate(shared);
        let (own, after) = rest.split_at(length);
        text.extend_from_slice(own);
        rest = after;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_longer_than_allowed() {
        // Three texts: one of 3000 bytes, and two that share 3000 and add as many as are allowed, and one more.
        let mut strings = Vec::new();
        for (shared, length) in [(0, 3000), (3000, 1096), (3000, 1097)] {
            put_number(shared, &mut strings);
            put_number(length, &mut strings);
            strings.resize(strings.len() + length, b'x');
        }
        let lengths = [0, 1, 2].map(|number| text_at(&strings, &[0; 8], number, 4096).map(|text| text.len()));
        assert_eq!(lengths, [Some(3000), Some(4096), None]);
    }
}
