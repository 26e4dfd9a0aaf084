//! The hash set of EnCase 3 to 6 (`.hash`): MD5 digests in binary, with the name and the category of the set.

use std::io::{self, BufRead, Read};

use pfh_digest::{Algorithm, Digest};

use crate::parse::{Fault, Found, ReadError, ReadErrorKind};
use crate::{Entry, FormatName, KnownList, Labels, ListEnd, Trailer};

/// The beginning of such a file.
pub(crate) const SIGNATURE: &[u8; 8] = b"HASH\r\n\xFF\0";

/// The header, in bytes; little-endian numbers, UTF-16 text.
const HEADER_BYTES: usize = 0x480;
/// Where the header has the number of digests.
const COUNT: usize = 0x10;
const SET_NAME: std::ops::Range<usize> = 0x408..0x458;
const CATEGORY: std::ops::Range<usize> = 0x458..0x480;

/// A digest and two zero bytes.
const RECORD_BYTES: usize = 18;

/// Memory: one record.
pub(crate) struct EncaseReader<R> {
    input: R,
    algorithm: Option<Algorithm>,
    /// The facts of the header; `None` before it was read.
    set: Option<Set>,
    /// Number of records that were read.
    read: u64,
}

struct Set {
    /// Number of digests that the header promises.
    count: u64,
    labels: Labels,
}

impl<R: BufRead> EncaseReader<R> {
    pub(crate) fn new(input: R) -> EncaseReader<R> {
        EncaseReader { input, algorithm: Algorithm::from_name("md5").ok(), set: None, read: 0 }
    }

    /// Reads the header or one record. Returns `Ok(false)` at the end.
    pub(crate) fn next(&mut self, found: &mut Found) -> Result<bool, ReadError> {
        let Some(set) = &self.set else {
            let mut header = [0; HEADER_BYTES];
            let bytes = fill(&mut self.input, &mut header).map_err(|error| self.error(ReadErrorKind::Io(error), 0))?;
            let not_this = |reason| Fault::not_this_format(FormatName::Known(KnownList::Encase), reason).kind;
            if !header.starts_with(SIGNATURE) {
                return Err(self.error(not_this("it does not begin with the signature"), 0));
            }
            if bytes < HEADER_BYTES {
                return Err(self.error(not_this("it ends within its header"), bytes));
            }
            let count = [COUNT, COUNT + 1, COUNT + 2, COUNT + 3].map(|at| header[at]);
            let labels = Labels::new(&text(&header[SET_NAME]), &text(&header[CATEGORY]));
            self.set = Some(Set { count: u32::from_le_bytes(count).into(), labels });
            found.header.selection = Some(self.algorithm.into_iter().collect());
            return Ok(true);
        };
        let mut record = [0; RECORD_BYTES];
        let bytes = fill(&mut self.input, &mut record).map_err(|error| self.error(ReadErrorKind::Io(error), 0))?;
        let wrong_length = |this: &Self, at| {
            let expected_bytes = HEADER_BYTES as u64 + RECORD_BYTES as u64 * set.count;
            Err(this.error(ReadErrorKind::Length { expected_bytes }, at))
        };
        if self.read == set.count {
            if bytes > 0 {
                return wrong_length(self, 0);
            }
            found.trailer = Trailer::new(ListEnd::Complete);
            return Ok(false);
        }
        if bytes < RECORD_BYTES {
            return wrong_length(self, bytes);
        }
        self.read += 1;
        let (digest, zeros) = record.split_at(RECORD_BYTES - 2);
        match self.algorithm.and_then(|algorithm| Digest::new(algorithm, digest)) {
            Some(digest) if zeros == [0, 0] => {
                let entry = Entry::new(Vec::new(), vec![digest], self.read);
                found.push(Entry { labels: set.labels.clone(), ..entry });
                Ok(true)
            }
            _ => {
                let fault = Fault::shape(0, "two zero bytes after the digest");
                Err(ReadError { kind: fault.kind, line: self.read, offset: self.offset() - 2 })
            }
        }
    }

    /// Returns the offset of the next record.
    fn offset(&self) -> u64 {
        match self.set {
            None => 0,
            Some(_) => HEADER_BYTES as u64 + RECORD_BYTES as u64 * self.read,
        }
    }

    /// Returns the error `at` bytes behind the beginning of the next record.
    fn error(&self, kind: ReadErrorKind, at: usize) -> ReadError {
        ReadError { kind, line: self.read + 1, offset: self.offset() + at as u64 }
    }
}

/// Reads until the buffer is full or the input ends. Returns the number of bytes.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the text up to its first zero as UTF-8.
fn text(bytes: &[u8]) -> Vec<u8> {
    let units = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).take_while(|unit| *unit != 0);
    let characters = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
    characters.collect::<String>().into_bytes()
}
