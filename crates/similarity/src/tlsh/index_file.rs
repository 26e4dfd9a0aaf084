//! Index files of TLSH.
//!
//! | section | contents |
//! | --- | --- |
//! | groups | by header, in order: length, ratios (1 byte each), 5 zeros, number of digests up to its end (8 bytes) |
//! | rows | for each digest in the order of groups: the 35 bytes that its digits stand for |
//! | starts | for each name, and once more, where it begins among the names (8 bytes) |
//! | names | in the order of rows |
//!
//! The header's numbers: digests, groups, 0.

use std::io::{self, Read, Seek, Write};
use std::ops::ControlFlow;

use super::Digest;
use super::digest::{BYTES, Header, quarters_distance};
use crate::Family;
use crate::index_file::{IndexError, PageReader, PageWriter, Records, check_name, corrupt, section_starts};

const GROUP_BYTES: usize = 16;

/// One digest that matches, from an index file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMatch {
    /// Its name, raw bytes.
    pub name: Vec<u8>,
    /// The digest.
    pub digest: Digest,
    /// The distance.
    pub distance: u32,
}

/// Collects digests and writes an index. Memory: the digests and names.
#[derive(Clone, Debug, Default)]
pub struct IndexFileBuilder {
    entries: Vec<(Digest, Box<[u8]>)>,
}

impl IndexFileBuilder {
    /// Returns a builder without digests.
    pub fn new() -> IndexFileBuilder {
        IndexFileBuilder::default()
    }

    /// Appends a digest.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the name has nearly a mebibyte.
    pub fn push(&mut self, digest: Digest, name: &[u8]) -> io::Result<()> {
        check_name(name)?;
        self.entries.push((digest, name.into()));
        Ok(())
    }

    /// Writes the index, from its first byte to its last.
    ///
    /// # Errors
    /// Errors of writing to `output`.
    pub fn write<W: Write>(mut self, output: W) -> io::Result<W> {
        self.entries.sort_by_key(|(digest, _)| digest.header());
        let groups = self.entries.chunk_by(|(a, _), (b, _)| a.header() == b.header());
        let numbers = [self.entries.len() as u64, groups.clone().count() as u64, 0];
        let mut pages = PageWriter::new(output, Family::Tlsh, numbers)?;
        let mut end = 0;
        for group in groups {
            let Header { length, ratios: [first, second] } = group[0].0.header();
            end += group.len() as u64;
            pages.write(&[length, first, second, 0, 0, 0, 0, 0])?;
            pages.write(&end.to_le_bytes())?;
        }
        for (digest, _) in &self.entries {
            pages.write(&digest.to_raw())?;
        }
        let mut start = 0_u64;
        pages.write(&start.to_le_bytes())?;
        for (_, name) in &self.entries {
            start += name.len() as u64;
            pages.write(&start.to_le_bytes())?;
        }
        for (_, name) in &self.entries {
            pages.write(name)?;
        }
        pages.finish()
    }
}

/// An index in a file, read where it is needed. The same matches as comparing with every digest.
///
/// Memory: one page, and what matches.
pub struct IndexFile<R> {
    pages: PageReader<R>,
    groups_count: u64,
    groups: u64,
    rows: u64,
    names: Records,
}

impl<R: Read + Seek> IndexFile<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`IndexError`] if it cannot be read, is no index of this family and version, or is too short for what its header
    /// says.
    pub fn open(input: R) -> Result<IndexFile<R>, IndexError> {
        let (pages, [count, groups_count, _]) = PageReader::new(input, Family::Tlsh)?;
        let beyond = || corrupt("the numbers of its header cannot be");
        let starts_count = count.checked_add(1).ok_or_else(beyond)?;
        let sections = [(groups_count, GROUP_BYTES as u64), (count, BYTES as u64), (starts_count, 8), (0, 0)];
        let [groups, rows, starts, records] = section_starts(sections)
            .filter(|starts| starts[3] <= pages.content_bytes())
            .ok_or(corrupt("it is shorter than its header says"))?;
        Ok(IndexFile { pages, groups_count, groups, rows, names: Records { starts, count, records } })
    }

    /// Number of digests.
    pub fn len(&self) -> u64 {
        self.names.count
    }

    /// True if there are no digests.
    pub fn is_empty(&self) -> bool {
        self.names.count == 0
    }

    /// Calls `found` with all digests at most `distance_max` away from `digest`, in no particular order, until it
    /// breaks.
    ///
    /// # Errors
    /// [`IndexError`] if what is needed cannot be read or is damaged.
    pub fn matches<B>(
        &mut self,
        digest: &Digest,
        distance_max: u32,
        mut found: impl FnMut(FileMatch) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, IndexError> {
        let quarters = digest.quarters();
        // Groups are read together, since rows lie elsewhere and one page is remembered.
        let mut near = Vec::new();
        let mut start = 0;
        for group in 0..self.groups_count {
            let mut bytes = [0; GROUP_BYTES];
            self.pages.read(self.groups + group * GROUP_BYTES as u64, &mut bytes)?;
            let [length, first, second, _, _, _, _, _, end @ ..] = bytes;
            let end = u64::from_le_bytes(end);
            if end < start || end > self.names.count {
                return Err(corrupt("a group lies beyond its end"));
            }
            let header = Header { length, ratios: [first & 15, second & 15] };
            if digest.header().distance(header) <= distance_max {
                near.push(start..end);
            }
            start = end;
        }
        let mut matched = Vec::new();
        for row in near.into_iter().flatten() {
            let mut bytes = [0; BYTES];
            self.pages.read(self.rows + row * BYTES as u64, &mut bytes)?;
            let other = Digest::from_raw(&bytes);
            let distance = digest.header().distance(other.header())
                + u32::from(digest.checksum != other.checksum)
                + quarters_distance(&quarters, &other.quarters());
            if distance <= distance_max {
                matched.push((row, other, distance));
            }
        }
        for (row, digest, distance) in matched {
            let name = self.names.read(&mut self.pages, row)?;
            if let ControlFlow::Break(broken) = found(FileMatch { name, digest, distance }) {
                return Ok(ControlFlow::Break(broken));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
