//! The entries of digests.
//!
//! The lowest bytes of an entry's number are in the record of the digest, where they take the room of what is left out
//! of it. The rest are numbers of a few bits, one after the other.

use std::io::{self, Write};

/// Bytes after the last number, so that eight can be read at every place.
const END_BYTES: u64 = 8;

/// How the numbers of a table's entries are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkLayout {
    /// Lowest bytes of each number, which are in the record of its digest.
    pub(crate) low_bytes: usize,
    /// Bits of each number that are in the section.
    high_bits: u32,
}

impl LinkLayout {
    /// Returns the layout for this many entries.
    pub(crate) fn new(entries: u64, low_bytes: usize) -> LinkLayout {
        let bits = u64::BITS - entries.saturating_sub(1).leading_zeros();
        // Seven bits of the byte where a number begins may be of the one before it.
        LinkLayout { low_bytes, high_bits: bits.saturating_sub(8 * low_bytes as u32).min(u64::BITS - 7) }
    }

    /// Returns the length of the section for this many digests; `None` if no file is that long.
    pub(crate) fn section_bytes(&self, digests: u64) -> Option<u64> {
        Some(digests.checked_mul(self.high_bits.into())?.div_ceil(8) + END_BYTES)
    }

    /// Returns the number of an entry from the end of the digest's record and the section.
    #[inline]
    pub(crate) fn entry(&self, record: &[u8], section: &[u8], place: u64) -> Option<u64> {
        let low = record.get(record.len().checked_sub(self.low_bytes)?..)?;
        let low = low.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let bit = place.checked_mul(self.high_bits.into())?;
        let bytes = section.get(usize::try_from(bit / 8).ok()?..)?.first_chunk()?;
        let high = u64::from_le_bytes(*bytes) >> (bit % 8) & ((1 << self.high_bits) - 1);
        Some(high << (8 * self.low_bytes) | low)
    }
}

/// Writes the section.
pub(crate) struct LinkWriter<W> {
    output: W,
    layout: LinkLayout,
    /// Bits that do not make up a byte yet.
    bits: u128,
    count: u32,
}

impl<W: Write> LinkWriter<W> {
    pub(crate) fn new(output: W, layout: LinkLayout) -> LinkWriter<W> {
        LinkWriter { output, layout, bits: 0, count: 0 }
    }

    pub(crate) fn push(&mut self, entry: u64) -> io::Result<()> {
        self.bits |= u128::from(entry >> (8 * self.layout.low_bytes)) << self.count;
        self.count += self.layout.high_bits;
        while self.count >= 8 {
            self.output.write_all(&[self.bits as u8])?;
            self.bits >>= 8;
            self.count -= 8;
        }
        Ok(())
    }

    pub(crate) fn end(mut self) -> io::Result<()> {
        if self.count > 0 {
            self.output.write_all(&[self.bits as u8])?;
        }
        self.output.write_all(&[0; END_BYTES as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_list::be_number;
    use pfh_testing::Random;

    #[test]
    fn numbers_are_read_as_written() {
        for entries in [0, 1, 2, 255, 256, 257, 70_000, 1 << 24, (1 << 33) + 1, 1 << 57] {
            for low_bytes in 0..=2 {
                let layout = LinkLayout::new(entries, low_bytes);
                let mut random = Random::new(entries);
                let numbers: Vec<u64> = (0..100).map(|_| be_number(&random.bytes(8)) % entries.max(1)).collect();
                let mut section = Vec::new();
                let mut writer = LinkWriter::new(&mut section, layout);
                assert!(numbers.iter().all(|number| writer.push(*number).is_ok()) && writer.end().is_ok());
                assert_eq!(layout.section_bytes(100), Some(section.len() as u64));
                for (place, number) in (0..).zip(&numbers) {
                    let record = [&[9; 3], &number.to_le_bytes()[..low_bytes]].concat();
                    assert_eq!(layout.entry(&record, &section, place), Some(*number), "{entries}, {low_bytes}");
                }
                assert_eq!(layout.entry(&[], &section, u64::MAX).is_some(), layout == LinkLayout::new(1, 0));
            }
        }
    }
}
