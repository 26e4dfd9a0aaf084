//! The first bytes of digests that a section leaves out.
//!
//! Many digests in order begin alike. A section with links leaves out the first bytes of each, and a table tells which
//! number the first digest has for each value of these bytes: so the place of a digest tells what it begins with. The
//! room is taken by the lowest bytes of the link. Records have the length of a digest in any case, and those that share
//! a line of memory are compared at once.

use std::ops::Range;

/// Most bytes that are left out. A table for three would have 16 million numbers.
pub(crate) const LEFT_OUT_MAX: usize = 2;

/// Bytes of the number of a digest.
pub(crate) const START_BYTES: usize = 8;

/// Returns the number of bytes that are left out of each digest, by the number of records of `starts`.
pub(crate) fn left_out_of(starts: u64) -> Option<usize> {
    (0..=LEFT_OUT_MAX).find(|left_out| starts_of(*left_out) == starts)
}

/// Returns the number of records of `starts`, where this many bytes are left out of each digest.
pub(crate) fn starts_of(left_out: usize) -> u64 {
    if left_out == 0 { 0 } else { (1 << (8 * left_out)) + 1 }
}

/// Returns how many bytes are to be left out, so that this many digests take least.
pub(crate) fn best_left_out(records: u64) -> usize {
    let gained = |left_out: &usize| {
        (records * *left_out as u64).cast_signed() - (starts_of(*left_out) * START_BYTES as u64).cast_signed()
    };
    (0..=LEFT_OUT_MAX).rev().max_by_key(gained).unwrap_or(0)
}

/// Where the digests begin whose first bytes have each value.
#[derive(Clone, Copy)]
pub(crate) struct Starts<'a> {
    numbers: &'a [[u8; START_BYTES]],
    left_out: usize,
    records: u64,
}

impl<'a> Starts<'a> {
    /// Takes the section; it is empty where nothing is left out of `records` digests.
    pub(crate) fn new(bytes: &'a [u8], left_out: usize, records: u64) -> Starts<'a> {
        Starts { numbers: bytes.as_chunks().0, left_out, records }
    }

    /// Returns the number of bytes that are left out.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }

    /// Announces that a digest with these first bits will be asked for.
    #[inline]
    pub(crate) fn prefetch(&self, first_bits: u64) {
        if self.left_out > 0 {
            pfh_vector::prefetch(self.numbers, (first_bits >> (64 - 8 * self.left_out)) as usize);
        }
    }

    /// Returns the range of the digests that begin as one with these first 64 bits. Damaged starts give a wrong range,
    /// within the section.
    #[inline]
    pub(crate) fn range(&self, first_bits: u64) -> Range<u64> {
        if self.left_out == 0 {
            return 0..self.records;
        }
        let value = (first_bits >> (64 - 8 * self.left_out)) as usize;
        let number = |value: usize| self.numbers.get(value).map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let end = number(value + 1).min(self.records);
        number(value).min(end)..end
    }

    /// Returns the bytes that are left out of the digest at this place, and the place from which on they are others.
    pub(crate) fn beginning(&self, place: u64) -> (Beginning, u64) {
        let value = self.numbers.partition_point(|bytes| u64::from_le_bytes(*bytes) <= place);
        let bytes = (value.saturating_sub(1) as u64).to_be_bytes();
        let end = self.numbers.get(value).map_or(self.records, |bytes| u64::from_le_bytes(*bytes));
        (Beginning { bytes, left_out: self.left_out }, end)
    }
}

/// The bytes that are left out of a digest.
#[derive(Clone, Copy)]
pub(crate) struct Beginning {
    bytes: [u8; 8],
    left_out: usize,
}

impl AsRef<[u8]> for Beginning {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[8 - self.left_out..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_left_out_as_pays() {
        let left_out = [0, 1, 2056, 2057, 500_000, 522_240, 522_241, 50_000_000].map(best_left_out);
        assert_eq!(left_out, [0, 0, 0, 1, 1, 1, 2, 2]);
    }
}
