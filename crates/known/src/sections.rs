//! Writing the sections of a set.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use pfh_digest::{Algorithm, Digest, Hasher};
use pfh_list::{ExternalSort, be_number};

use crate::about::About;
use crate::filter::{BLOCK_BYTES, FilterMaker};
use crate::index::{GROUP_BYTES, Grouper, first_bits};
use crate::layout::{
    ALIGN_BYTES, BLOCKS_VERSION, FOOTER_BYTES, FOOTER_SECTIONS_MAX, Footer, Kind, MAGIC, SECTIONS_MAX, Section,
};
use crate::links::{LinkLayout, LinkWriter};
use crate::starts::{START_BYTES, best_left_out, starts_of};

/// Writes the digests of an algorithm with their index, and with links where they are of entries in another order.
pub(crate) struct TableWriter {
    /// All digests, and their entries if there are links: the index can be made, and bytes can be left out, only when
    /// their number is known.
    rows: BufWriter<File>,
    algorithm: Algorithm,
    has_links: bool,
    records: u64,
}

impl TableWriter {
    pub(crate) fn new(algorithm: Algorithm, has_links: bool) -> io::Result<TableWriter> {
        Ok(TableWriter { rows: temporary()?, algorithm, has_links, records: 0 })
    }

    /// Adds a digest. Without links, its entry has its number.
    pub(crate) fn push(&mut self, digest: &[u8], entry: u64) -> io::Result<()> {
        self.records += 1;
        self.rows.write_all(digest)?;
        if self.has_links { self.rows.write_all(&entry.to_le_bytes()) } else { Ok(()) }
    }

    /// Writes the sections of a set with this many entries.
    pub(crate) fn write(self, file: &mut SetFile<'_, impl Write>, entries: u64) -> io::Result<()> {
        let TableWriter { rows, algorithm, has_links, records } = self;
        let mut rows = rows.into_inner().map_err(io::IntoInnerError::into_error)?;
        let (name, digest_bytes) = (algorithm.name(), algorithm.digest_bytes());
        let mut each = |take: &mut dyn FnMut(&mut [u8], u64) -> io::Result<()>| {
            rows.rewind()?;
            let mut reader = BufReader::with_capacity(BUFFER_BYTES, &rows);
            let (mut digest, mut entry) = ([0; Digest::BYTES_MAX], [0; 8]);
            let digest = &mut digest[..digest_bytes];
            (0..records).try_for_each(|_| {
                reader.read_exact(digest)?;
                if has_links {
                    reader.read_exact(&mut entry)?;
                }
                take(digest, u64::from_le_bytes(entry))
            })
        };
        let left_out = if has_links { best_left_out(records) } else { 0 };
        file.begin_section(Kind::Digests, name, digest_bytes as u32)?;
        each(&mut |digest, entry| {
            digest.rotate_left(left_out);
            digest[digest_bytes - left_out..].copy_from_slice(&entry.to_le_bytes()[..left_out]);
            file.write_all(digest)
        })?;
        file.end_section();
        if left_out > 0 {
            file.begin_section(Kind::Starts, name, START_BYTES as u32)?;
            let (mut values, mut place) = (0..starts_of(left_out), 0_u64);
            each(&mut |digest, _| {
                let value = be_number(&digest[..left_out]);
                while values.start <= value {
                    values.start += 1;
                    file.write_all(&place.to_le_bytes())?;
                }
                place += 1;
                Ok(())
            })?;
            values.try_for_each(|_| file.write_all(&place.to_le_bytes()))?;
            file.end_section();
        }
        file.begin_section(Kind::Index, name, GROUP_BYTES as u32)?;
        let mut grouper = Grouper::new(records, digest_bytes);
        let mut group = |group: &[u8; GROUP_BYTES]| file.write_all(group);
        each(&mut |digest, _| grouper.push(first_bits(digest), &mut group))?;
        grouper.end(&mut group)?;
        file.end_section();
        if has_links {
            file.begin_section(Kind::Links, name, 1)?;
            let mut links =
                LinkWriter::new(BufWriter::with_capacity(BUFFER_BYTES, &mut *file), LinkLayout::new(entries, left_out));
            each(&mut |_, entry| links.push(entry))?;
            links.end()?;
        } else {
            // A set of several algorithms has one filter, since one for each would make it too long.
            file.begin_section(Kind::Filter, name, BLOCK_BYTES as u32)?;
            let mut filter = FilterMaker::new(records);
            let mut block = |block: &[u8; BLOCK_BYTES]| file.write_all(block);
            each(&mut |digest, _| filter.push(digest, &mut block))?;
            filter.end(&mut block)?;
        }
        file.end_section();
        Ok(())
    }
}

const BUFFER_BYTES: usize = 1 << 16;

/// Returns a temporary file without a name.
pub(crate) fn temporary() -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile()?))
}

/// Bytes of a set that are written at once, each time from a multiple of them on: as many as a page table maps by one
/// entry. Linux then keeps them in as large parts in its page cache, and look-ups in the mapped set, which mostly wait
/// for memory, are faster by a tenth to a fifth.
const WRITTEN_BYTES: usize = 2 << 20;

/// The file of a set that is being written: counted and hashed.
pub(crate) struct SetFile<'a, W> {
    version: u32,
    output: &'a mut W,
    /// Less than [`WRITTEN_BYTES`] that have not been written.
    waiting: Vec<u8>,
    hasher: Hasher,
    bytes: u64,
    sections: Vec<Section>,
}

impl<W: Write> Write for SetFile<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = &bytes[..bytes.len().min(WRITTEN_BYTES - self.waiting.len())];
        self.waiting.extend_from_slice(taken);
        self.bytes += taken.len() as u64;
        if self.waiting.len() == WRITTEN_BYTES {
            self.flush()?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.write_all(&self.waiting)?;
        self.hasher.update(&self.waiting);
        self.waiting.clear();
        Ok(())
    }
}

impl<'a, W: Write> SetFile<'a, W> {
    pub(crate) fn begin(output: &'a mut W, version: u32) -> io::Result<SetFile<'a, W>> {
        let (waiting, hasher) = (Vec::with_capacity(WRITTEN_BYTES), Algorithm::BLAKE3.hasher());
        let mut file = SetFile { version, output, waiting, hasher, bytes: 0, sections: Vec::new() };
        file.write_all(MAGIC)?;
        Ok(file)
    }

    /// Writes zeros up to the place where a section may begin, and returns it.
    fn align(&mut self) -> io::Result<u64> {
        let missing = self.bytes.next_multiple_of(ALIGN_BYTES) - self.bytes;
        self.write_all(&[0; ALIGN_BYTES as usize][..missing as usize])?;
        Ok(self.bytes)
    }

    /// Writes a section of these bytes.
    pub(crate) fn section(
        &mut self,
        kind: Kind,
        name: &str,
        record_bytes: u32,
        bytes: &mut dyn Read,
    ) -> io::Result<()> {
        self.begin_section(kind, name, record_bytes)?;
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => self.write_all(&buffer[..count])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.end_section();
        Ok(())
    }

    /// Begins a section, unless the set has as many as a reader takes.
    fn begin_section(&mut self, kind: Kind, name: &str, record_bytes: u32) -> io::Result<()> {
        let sections_max = if self.version == BLOCKS_VERSION { FOOTER_SECTIONS_MAX } else { SECTIONS_MAX };
        if self.sections.len() == sections_max {
            let text = format!("a set has at most {sections_max} sections");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let offset = self.align()?;
        self.sections.push(Section { kind, name: name.to_owned(), offset, records: 0, record_bytes });
        Ok(())
    }

    /// Counts the records that were written since the section began.
    fn end_section(&mut self) {
        if let Some(section) = self.sections.last_mut() {
            section.records = (self.bytes - section.offset) / u64::from(section.record_bytes);
        }
    }

    /// Writes a section of the contents of a temporary file.
    pub(crate) fn copy(&mut self, kind: Kind, name: &str, record_bytes: u32, file: BufWriter<File>) -> io::Result<()> {
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.section(kind, name, record_bytes, &mut file)
    }

    /// Writes the text about the set, and the footer.
    pub(crate) fn end(mut self, about: &About) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(about)?;
        self.section(Kind::About, "", 1, &mut &*text)?;
        self.align()?;
        self.write_all(&Footer::further_entries(&self.sections))?;
        self.flush()?;
        let mut contents = [0; 32];
        contents.copy_from_slice(self.hasher.finish().bytes());
        let file_bytes = self.bytes + FOOTER_BYTES as u64;
        let footer = Footer { version: self.version, file_bytes, contents, sections: self.sections };
        self.output.write_all(&footer.to_bytes())?;
        self.output.flush()
    }
}

/// A column of numbers, in a temporary file until its section is written.
pub(crate) struct Column {
    file: BufWriter<File>,
    width_bytes: usize,
}

impl Column {
    /// Begins a column of numbers below `end`.
    pub(crate) fn new(end: u64) -> io::Result<Column> {
        let bits = u64::BITS - end.saturating_sub(1).leading_zeros();
        Ok(Column { file: temporary()?, width_bytes: bits.div_ceil(8).max(1) as usize })
    }

    pub(crate) fn push(&mut self, number: u64) -> io::Result<()> {
        self.file.write_all(&number.to_le_bytes()[..self.width_bytes])
    }

    pub(crate) fn write(self, file: &mut SetFile<'_, impl Write>, kind: Kind, name: &str) -> io::Result<()> {
        file.copy(kind, name, self.width_bytes as u32, self.file)
    }
}

/// All sizes that occur.
pub(crate) struct DistinctSizes {
    sort: ExternalSort<8>,
    /// Sizes that came lately, most of which come again.
    lately: Vec<u64>,
    largest: u64,
}

impl DistinctSizes {
    const LATELY: usize = 1 << 12;

    pub(crate) fn new(memory_bytes: u64) -> DistinctSizes {
        DistinctSizes {
            sort: ExternalSort::new(memory_bytes),
            lately: vec![u64::MAX; DistinctSizes::LATELY],
            largest: 0,
        }
    }

    pub(crate) fn push(&mut self, size: u64) -> io::Result<()> {
        let lately = &mut self.lately[size as usize % DistinctSizes::LATELY];
        if *lately == size {
            return Ok(());
        }
        *lately = size;
        self.largest = self.largest.max(size);
        self.sort.push(size.to_be_bytes())
    }

    pub(crate) fn write(self, file: &mut SetFile<'_, impl Write>) -> io::Result<()> {
        let (mut sizes, mut last) = (Column::new(self.largest.saturating_add(1))?, None);
        self.sort.into_each(|size| {
            if last.replace(size) == Some(size) {
                return Ok(());
            }
            sizes.push(u64::from_be_bytes(size))
        })?;
        sizes.write(file, Kind::Sizes, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::VERSION;

    /// Nobody could open the set.
    #[test]
    fn no_set_has_more_sections_than_a_reader_takes() {
        for (version, sections_max) in [(VERSION, SECTIONS_MAX), (BLOCKS_VERSION, FOOTER_SECTIONS_MAX)] {
            let mut output = Vec::new();
            let mut file = SetFile::begin(&mut output, version).unwrap();
            for _ in 0..sections_max {
                file.section(Kind::About, "", 1, &mut &b""[..]).unwrap();
            }
            assert!(file.section(Kind::About, "", 1, &mut &b""[..]).is_err());
        }
    }
}
