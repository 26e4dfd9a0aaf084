//! Writing the sections of a set.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use pfh_digest::{Algorithm, Hasher};
use pfh_list::ExternalSort;

use crate::index::{GROUP_BYTES, Grouper, first_bits, groups};
use crate::layout::{ALIGN_BYTES, FOOTER_BYTES, Footer, Kind, MAGIC, Section, blake3};

/// Writes a section of digests, and their index.
pub(crate) struct TableWriter {
    offset: u64,
    /// The first bits of all digests. The index can be made only when their number is known.
    first_bits: BufWriter<File>,
    records: u64,
}

impl TableWriter {
    pub(crate) fn begin(file: &mut SetFile<'_, impl Write>) -> io::Result<TableWriter> {
        Ok(TableWriter { offset: file.align()?, first_bits: temporary()?, records: 0 })
    }

    pub(crate) fn push(&mut self, file: &mut SetFile<'_, impl Write>, digest: &[u8]) -> io::Result<()> {
        self.records += 1;
        self.first_bits.write_all(&first_bits(digest).to_le_bytes())?;
        file.write_all(digest)
    }

    pub(crate) fn end(self, file: &mut SetFile<'_, impl Write>, algorithm: Algorithm) -> io::Result<()> {
        let TableWriter { offset, first_bits, records } = self;
        file.sections.push(Section {
            kind: Kind::Digests,
            name: algorithm.name().to_owned(),
            offset,
            records,
            record_bytes: algorithm.digest_bytes() as u32,
        });
        let mut first_bits = first_bits.into_inner().map_err(io::IntoInnerError::into_error)?;
        first_bits.rewind()?;
        let mut first_bits = BufReader::with_capacity(BUFFER_BYTES, first_bits);
        let offset = file.align()?;
        let record_bytes = algorithm.digest_bytes();
        let mut grouper = Grouper::new(records, record_bytes);
        let mut each = |group: &[u8; GROUP_BYTES]| file.write_all(group);
        for _ in 0..records {
            let mut bits = [0; 8];
            first_bits.read_exact(&mut bits)?;
            grouper.push(u64::from_le_bytes(bits), &mut each)?;
        }
        grouper.end(&mut each)?;
        file.sections.push(Section {
            kind: Kind::Index,
            name: algorithm.name().to_owned(),
            offset,
            records: groups(records, record_bytes),
            record_bytes: GROUP_BYTES as u32,
        });
        Ok(())
    }
}

const BUFFER_BYTES: usize = 1 << 16;

/// Returns a temporary file without a name.
pub(crate) fn temporary() -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile()?))
}

/// The file of a set that is being written: counted and hashed.
pub(crate) struct SetFile<'a, W> {
    version: u32,
    output: &'a mut W,
    hasher: Hasher,
    bytes: u64,
    sections: Vec<Section>,
}

impl<'a, W: Write> SetFile<'a, W> {
    pub(crate) fn begin(output: &'a mut W, version: u32) -> io::Result<SetFile<'a, W>> {
        let mut file = SetFile { version, output, hasher: blake3().hasher(), bytes: 0, sections: Vec::new() };
        file.write_all(MAGIC)?;
        Ok(file)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.output.write_all(bytes)
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
        let offset = self.align()?;
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => self.write_all(&buffer[..count])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let records = (self.bytes - offset) / u64::from(record_bytes);
        self.sections.push(Section { kind, name: name.to_owned(), offset, records, record_bytes });
        Ok(())
    }

    /// Writes a section of the contents of a temporary file.
    pub(crate) fn copy(&mut self, kind: Kind, name: &str, record_bytes: u32, file: BufWriter<File>) -> io::Result<()> {
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.section(kind, name, record_bytes, &mut file)
    }

    pub(crate) fn end(mut self) -> io::Result<()> {
        self.align()?;
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
