//! Building a set.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use pfh_digest::{Algorithm, Digest, Hasher};
use pfh_list::ExternalSort;

use crate::index::{expected, prefix, prefix_bits, width_bytes};
use crate::layout::{ALIGN_BYTES, FOOTER_BYTES, Footer, Kind, MAGIC, Section, blake3};

/// Collects digests and writes a set of them.
pub struct SetBuilder {
    tables: Vec<(Algorithm, Box<dyn Sort>, u64)>,
}

impl SetBuilder {
    /// Begins a set of digests by these algorithms, sorted in at most about `memory_bytes` of memory; temporary files
    /// take the rest.
    ///
    /// # Panics
    /// If an algorithm has digests of fewer than 8 or more than 64 bytes, or there are more than 30 algorithms.
    pub fn new(algorithms: &[Algorithm], memory_bytes: u64) -> SetBuilder {
        assert!(algorithms.len() <= 30);
        let share = memory_bytes / algorithms.len().max(1) as u64;
        SetBuilder { tables: algorithms.iter().map(|&one| (one, sort(one.digest_bytes(), share), 0)).collect() }
    }

    /// Adds a digest. Those of other algorithms than the set's are left out.
    ///
    /// # Errors
    /// If a temporary file cannot be created, written or read.
    pub fn push(&mut self, digest: &Digest) -> io::Result<()> {
        match self.tables.iter_mut().find(|(algorithm, ..)| *algorithm == digest.algorithm()) {
            Some((_, sort, count)) => {
                *count += 1;
                sort.push(digest.bytes())
            }
            None => Ok(()),
        }
    }

    /// Writes the set: each digest once. `about` is a text about it.
    ///
    /// # Errors
    /// If the output cannot be written, or a temporary file cannot be created, written or read.
    pub fn write(self, output: &mut impl Write, about: &str) -> io::Result<()> {
        let mut output = Checked { output, hasher: blake3().hasher(), bytes: 0 };
        let mut sections = Vec::new();
        output.write_all(MAGIC)?;
        for (algorithm, sort, pushed) in self.tables {
            write_table(&mut output, &mut sections, algorithm, sort, pushed)?;
        }
        let offset = output.align()?;
        output.write_all(about.as_bytes())?;
        let records = about.len() as u64;
        sections.push(Section { kind: Kind::About, algorithm: None, offset, records, record_bytes: 1, prefix_bits: 0 });
        output.align()?;
        let mut contents = [0; 32];
        contents.copy_from_slice(output.hasher.finish().bytes());
        let footer = Footer { file_bytes: output.bytes + FOOTER_BYTES as u64, contents, sections };
        output.output.write_all(&footer.to_bytes())?;
        output.output.flush()
    }
}

/// Writes the digests of one algorithm, `pushed` with duplicates, and their index.
fn write_table(
    output: &mut Checked<impl Write>,
    sections: &mut Vec<Section>,
    algorithm: Algorithm,
    sort: Box<dyn Sort>,
    pushed: u64,
) -> io::Result<()> {
    let offset = output.align()?;
    let record_bytes = algorithm.digest_bytes() as u32;
    // How many digests differ is known only at the end, so that the places of finer prefixes are kept until then.
    let fine_bits = prefix_bits(pushed);
    let mut starts = BufWriter::new(tempfile::tempfile()?);
    let (mut records, mut next_prefix, mut last) = (0_u64, 0, Vec::new());
    sort.into_each(&mut |record| {
        if last == record {
            return Ok(());
        }
        last.clear();
        last.extend_from_slice(record);
        while next_prefix <= prefix(record, fine_bits) {
            starts.write_all(&records.to_le_bytes())?;
            next_prefix += 1;
        }
        records += 1;
        output.write_all(record)
    })?;
    for _ in next_prefix..1 << fine_bits {
        starts.write_all(&records.to_le_bytes())?;
    }
    sections.push(Section {
        kind: Kind::Digests,
        algorithm: Some(algorithm),
        offset,
        records,
        record_bytes,
        prefix_bits: 0,
    });

    let mut starts = starts.into_inner().map_err(io::IntoInnerError::into_error)?;
    let bits = prefix_bits(records).min(fine_bits);
    let (mut least, mut most) = (0, 0);
    let difference = |prefix, start: u64| start.cast_signed() - expected(prefix, records, bits).cast_signed();
    each_start(&mut starts, fine_bits, bits, &mut |prefix, start| {
        let difference = difference(prefix, start);
        (least, most) = (difference.min(least), difference.max(most));
        Ok(())
    })?;
    let width_bytes = width_bytes(least, most);
    let offset = output.align()?;
    each_start(&mut starts, fine_bits, bits, &mut |prefix, start| {
        output.write_all(&difference(prefix, start).to_le_bytes()[..width_bytes])
    })?;
    sections.push(Section {
        kind: Kind::Index,
        algorithm: Some(algorithm),
        offset,
        records: 1 << bits,
        record_bytes: width_bytes as u32,
        prefix_bits: bits,
    });
    Ok(())
}

/// Calls `each` with the prefixes of `bits` bits and their first records, from those of `fine_bits` bits in the file.
fn each_start(
    starts: &mut File,
    fine_bits: u32,
    bits: u32,
    each: &mut dyn FnMut(u64, u64) -> io::Result<()>,
) -> io::Result<()> {
    starts.rewind()?;
    let mut starts = BufReader::new(starts);
    for prefix in 0..1_u64 << fine_bits {
        let mut start = [0; 8];
        starts.read_exact(&mut start)?;
        if prefix.trailing_zeros() >= fine_bits - bits {
            each(prefix >> (fine_bits - bits), u64::from_le_bytes(start))?;
        }
    }
    Ok(())
}

/// An output that counts and hashes what is written.
struct Checked<'a, W> {
    output: &'a mut W,
    hasher: Hasher,
    bytes: u64,
}

impl<W: Write> Checked<'_, W> {
    /// Writes zeros up to the place where a section may begin, and returns it.
    fn align(&mut self) -> io::Result<u64> {
        let missing = self.bytes.next_multiple_of(ALIGN_BYTES) - self.bytes;
        self.write_all(&[0; ALIGN_BYTES as usize][..missing as usize])?;
        Ok(self.bytes)
    }
}

impl<W: Write> Write for Checked<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// An external sort of records of any length.
trait Sort {
    fn push(&mut self, record: &[u8]) -> io::Result<()>;

    fn into_each(self: Box<Self>, each: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>;
}

/// Records of `width` bytes, with zeros after them.
struct Padded<const N: usize> {
    sort: ExternalSort<N>,
    width: usize,
}

fn sort(width: usize, memory_bytes: u64) -> Box<dyn Sort> {
    fn of<const N: usize>(width: usize, memory_bytes: u64) -> Box<dyn Sort> {
        Box::new(Padded::<N> { sort: ExternalSort::new(memory_bytes), width })
    }
    match width {
        8..=16 => of::<16>(width, memory_bytes),
        17..=20 => of::<20>(width, memory_bytes),
        21..=32 => of::<32>(width, memory_bytes),
        33..=64 => of::<64>(width, memory_bytes),
        _ => panic!("digests have 8 to 64 bytes"),
    }
}

impl<const N: usize> Sort for Padded<N> {
    fn push(&mut self, record: &[u8]) -> io::Result<()> {
        let mut padded = [0; N];
        padded[..self.width].copy_from_slice(record);
        self.sort.push(padded)
    }

    fn into_each(self: Box<Self>, each: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.sort.into_each(|padded| each(&padded[..self.width]))
    }
}
