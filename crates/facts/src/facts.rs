//! The facts.

use crate::{Counting, Entropy, SECTOR_BYTES};

/// Facts about the contents of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Number of bytes.
    pub bytes: u64,
    /// The longest run of one byte, and the first one if several are as long; `None` if there are no bytes.
    pub longest_run: Option<Run>,
    /// Number of sectors that are zero: those of [`SECTOR_BYTES`] bytes, and what is left at the end.
    pub zero_sectors: u64,
    /// The Shannon entropy of a byte.
    pub entropy: Entropy,
    /// Number of bytes that the entropy is taken from: all of them, or a sample.
    pub entropy_bytes: u64,
}

/// Bytes in a row that have the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The value.
    pub byte: u8,
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes, at least 1.
    pub bytes: u64,
}

impl Facts {
    /// Makes facts that a list states; `None` if no bytes can have them.
    pub fn new(
        bytes: u64,
        longest_run: Option<Run>,
        zero_sectors: u64,
        entropy: Entropy,
        entropy_bytes: u64,
    ) -> Option<Facts> {
        let facts = Facts { bytes, longest_run, zero_sectors, entropy, entropy_bytes };
        let is_run_inside =
            |run: Run| run.bytes > 0 && run.offset.checked_add(run.bytes).is_some_and(|end| end <= bytes);
        let is_possible =
            longest_run.map_or(bytes == 0, is_run_inside) && zero_sectors <= facts.sectors() && entropy_bytes <= bytes;
        is_possible.then_some(facts)
    }

    /// Returns the bytes that the entropy is taken from.
    pub fn counting(&self) -> Counting {
        if self.entropy_bytes == self.bytes { Counting::Exact } else { Counting::Sampled }
    }

    /// Returns the value of all bytes, if there are some and all have the same.
    pub fn only_byte(&self) -> Option<u8> {
        self.longest_run.filter(|run| run.bytes == self.bytes).map(|run| run.byte)
    }

    /// Whether there are bytes and all of them are zero.
    pub fn is_all_zero(&self) -> bool {
        self.only_byte() == Some(0)
    }

    /// Returns the number of sectors, of which the last may be shorter than the others.
    pub fn sectors(&self) -> u64 {
        self.bytes.div_ceil(SECTOR_BYTES as u64)
    }
}
