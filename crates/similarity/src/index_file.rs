//! The common parts of index files: pages with checksums, a header, numbers.
//!
//! A file is a sequence of pages of 4096 bytes: 4088 bytes of contents, then the XXH3-64 of the page's number (as eight
//! bytes) and its contents. Whatever is read has thus been checked, and a look-up reads only the pages it needs. Put
//! together, the contents are a header and sections, one after the other without gaps, and zeros up to the end of the
//! last page. All numbers are little-endian.
//!
//! | header field | bytes |
//! | --- | --- |
//! | magic: `pfh index ` and the family, padded with spaces | 16 |
//! | version: 1 | 8 |
//! | three numbers of the family | 24 |

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};

use pfh_digest::Algorithm;

use crate::Family;

/// Bytes of a page in the file.
const PAGE_BYTES: usize = 4096;

/// Bytes of a page's contents.
const CONTENT_BYTES: usize = PAGE_BYTES - 8;

/// Bytes of the header.
pub(crate) const HEADER_BYTES: u64 = 48;

const VERSION: u64 = 1;

/// An error in an index file.
#[derive(Debug)]
#[non_exhaustive]
pub enum IndexError {
    /// The file could not be read.
    Io(io::Error),
    /// The file is not an index of this family.
    NotThisFamily {
        /// The family.
        family: Family,
    },
    /// The file was made by another version.
    OtherVersion,
    /// The file is damaged.
    Corrupt {
        /// For people: what tells so.
        problem: &'static str,
    },
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Io(error) => write!(f, "cannot read: {error}"),
            IndexError::NotThisFamily { family } => write!(f, "this is no index of {family} digests"),
            IndexError::OtherVersion => f.write_str("the index is of another version; build it anew"),
            IndexError::Corrupt { problem } => write!(f, "the index is damaged: {problem}; build it anew"),
        }
    }
}

/// Its text includes that of the system's error, which is therefore no source.
impl std::error::Error for IndexError {}

pub(crate) const fn corrupt(problem: &'static str) -> IndexError {
    IndexError::Corrupt { problem }
}

fn magic(family: Family) -> [u8; 16] {
    let mut magic = *b"pfh index       ";
    magic[10..][..family.name().len()].copy_from_slice(family.name().as_bytes());
    magic
}

/// The checksum of a page.
fn checksum(algorithm: Algorithm, number: u64, content: &[u8]) -> [u8; 8] {
    let mut hasher = algorithm.hasher();
    hasher.update(&number.to_le_bytes());
    hasher.update(content);
    hasher.finish().bytes().try_into().unwrap_or_default()
}

fn algorithm() -> Option<Algorithm> {
    Algorithm::from_name("xxh3-64").ok()
}

/// Writes pages.
pub(crate) struct PageWriter<W> {
    output: W,
    algorithm: Algorithm,
    content: Vec<u8>,
    number: u64,
}

impl<W: Write> PageWriter<W> {
    /// Begins with the header.
    pub(crate) fn new(output: W, family: Family, numbers: [u64; 3]) -> io::Result<PageWriter<W>> {
        let algorithm = algorithm().ok_or(io::ErrorKind::Unsupported)?;
        let mut writer = PageWriter { output, algorithm, content: Vec::with_capacity(CONTENT_BYTES), number: 0 };
        writer.write(&magic(family))?;
        for number in [VERSION].into_iter().chain(numbers) {
            writer.write(&number.to_le_bytes())?;
        }
        Ok(writer)
    }

    pub(crate) fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CONTENT_BYTES - self.content.len()));
            self.content.extend_from_slice(now);
            bytes = later;
            if self.content.len() == CONTENT_BYTES {
                self.page()?;
            }
        }
        Ok(())
    }

    fn page(&mut self) -> io::Result<()> {
        self.output.write_all(&self.content)?;
        self.output.write_all(&checksum(self.algorithm, self.number, &self.content))?;
        self.content.clear();
        self.number += 1;
        Ok(())
    }

    /// Fills the last page.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        if !self.content.is_empty() {
            self.content.resize(CONTENT_BYTES, 0);
            self.page()?;
        }
        self.output.flush()?;
        Ok(self.output)
    }
}

/// Reads from pages, and remembers the latest.
pub(crate) struct PageReader<R> {
    input: R,
    algorithm: Algorithm,
    page: Box<[u8; PAGE_BYTES]>,
    /// Which page that is.
    number: Option<u64>,
    /// Bytes of contents in the file.
    content_bytes: u64,
}

impl<R: Read + Seek> PageReader<R> {
    /// Reads the header and returns its numbers.
    pub(crate) fn new(mut input: R, family: Family) -> Result<(PageReader<R>, [u64; 3]), IndexError> {
        let algorithm = algorithm().ok_or_else(|| IndexError::Io(io::ErrorKind::Unsupported.into()))?;
        let bytes = input.seek(SeekFrom::End(0)).map_err(IndexError::Io)?;
        let page = Box::new([0; PAGE_BYTES]);
        let content_bytes = bytes / PAGE_BYTES as u64 * CONTENT_BYTES as u64;
        let mut reader = PageReader { input, algorithm, page, number: None, content_bytes };
        let not_this = IndexError::NotThisFamily { family };
        if content_bytes == 0 {
            return Err(not_this);
        }
        // The magic comes before the checksum, so that another kind of file is not called damaged.
        reader.load(0).map_err(IndexError::Io)?;
        if reader.page[..16] != magic(family) {
            return Err(not_this);
        }
        let [version, numbers @ ..]: [u64; 4] = reader.numbers(16)?;
        if version != VERSION {
            return Err(IndexError::OtherVersion);
        }
        if !bytes.is_multiple_of(PAGE_BYTES as u64) {
            return Err(corrupt("it does not end with a whole page"));
        }
        Ok((reader, numbers))
    }

    /// The bytes of contents that there are, the zeros at the end among them.
    pub(crate) fn content_bytes(&self) -> u64 {
        self.content_bytes
    }

    fn load(&mut self, number: u64) -> io::Result<()> {
        self.number = None;
        self.input.seek(SeekFrom::Start(number * PAGE_BYTES as u64))?;
        self.input.read_exact(&mut self.page[..])
    }

    /// Fills `bytes` with the contents from `offset`.
    pub(crate) fn read(&mut self, mut offset: u64, mut bytes: &mut [u8]) -> Result<(), IndexError> {
        let end = offset.checked_add(bytes.len() as u64).filter(|&end| end <= self.content_bytes);
        end.ok_or(corrupt("something lies beyond its end"))?;
        while !bytes.is_empty() {
            let number = offset / CONTENT_BYTES as u64;
            if self.number != Some(number) {
                self.load(number).map_err(IndexError::Io)?;
                let (content, stored) = self.page.split_at(CONTENT_BYTES);
                if checksum(self.algorithm, number, content) != stored {
                    return Err(corrupt("a checksum is wrong"));
                }
                self.number = Some(number);
            }
            let start = (offset % CONTENT_BYTES as u64) as usize;
            let (now, later) = bytes.split_at_mut(bytes.len().min(CONTENT_BYTES - start));
            now.copy_from_slice(&self.page[start..start + now.len()]);
            offset += now.len() as u64;
            bytes = later;
        }
        Ok(())
    }

    /// Numbers that lie one after the other.
    pub(crate) fn numbers<const N: usize>(&mut self, offset: u64) -> Result<[u64; N], IndexError> {
        let mut numbers = [0; N];
        for (place, number) in numbers.iter_mut().enumerate() {
            let mut bytes = [0; 8];
            self.read(offset + 8 * place as u64, &mut bytes)?;
            *number = u64::from_le_bytes(bytes);
        }
        Ok(numbers)
    }
}

/// Adds up the sizes of sections: `(count, bytes of each)`. `None` if no file can be so large.
pub(crate) fn section_starts<const N: usize>(sections: [(u64, u64); N]) -> Option<[u64; N]> {
    let mut end = HEADER_BYTES;
    let mut starts = [0; N];
    for (start, (count, bytes)) in starts.iter_mut().zip(sections) {
        *start = end;
        end = end.checked_add(count.checked_mul(bytes)?)?;
    }
    Some(starts)
}

/// Records of any lengths: where each begins and the last ends, and the records.
pub(crate) struct Records {
    pub(crate) starts: u64,
    pub(crate) count: u64,
    /// Where the records begin, which is the end of `starts`.
    pub(crate) records: u64,
}

/// Longest record: a name and a little more.
const RECORD_BYTES_MAX: u64 = 1 << 20;

impl Records {
    /// Record `number`.
    pub(crate) fn read<R: Read + Seek>(&self, pages: &mut PageReader<R>, number: u64) -> Result<Vec<u8>, IndexError> {
        if number >= self.count {
            return Err(corrupt("it names an entry that it does not have"));
        }
        let [start, end] = pages.numbers(self.starts + 8 * number)?;
        let bytes = end.checked_sub(start).filter(|&bytes| bytes <= RECORD_BYTES_MAX);
        let mut record = vec![0; bytes.ok_or(corrupt("an entry has no proper length"))? as usize];
        let offset = self.records.checked_add(start).ok_or(corrupt("something lies beyond its end"))?;
        pages.read(offset, &mut record)?;
        Ok(record)
    }
}

/// Fails if a record would be longer than a reader accepts.
pub(crate) fn check_name(name: &[u8]) -> io::Result<()> {
    if name.len() as u64 + 256 > RECORD_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "an index cannot hold a name of a mebibyte"));
    }
    Ok(())
}
