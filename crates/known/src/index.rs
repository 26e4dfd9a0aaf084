//! The index of a sorted section: the place of the first record of each prefix.
//!
//! Digests are evenly distributed, so a prefix has its first record near `prefix × records ÷ prefixes`. The index keeps
//! how far it is from there, in 16 bits: for 100 million digests, a quarter to half a byte for each. Where the records
//! are not evenly distributed the differences take 32 or 64 bits.

/// Records for each prefix, at least; at most twice as many.
const RECORDS_FOR_PREFIX: u64 = 4;

/// Returns the number of bits of the prefixes for this many records.
pub(crate) fn prefix_bits(records: u64) -> u32 {
    (records / RECORDS_FOR_PREFIX).checked_ilog2().unwrap_or(0)
}

/// Returns the first 64 bits of a record as a number, which is ordered as records are.
#[inline]
pub(crate) fn first_bits(record: &[u8]) -> u64 {
    record.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// Returns the first `bits` of the first 64 bits of a record.
#[inline]
pub(crate) fn prefix(first_bits: u64, bits: u32) -> u64 {
    first_bits.checked_shr(64 - bits).unwrap_or(0)
}

/// Returns the place where evenly distributed records would have the first of a prefix, of which there are 2^`bits`.
#[inline]
pub(crate) fn expected(prefix: u64, records: u64, bits: u32) -> u64 {
    // prefix × records ÷ 2^bits: as 64 bits, the prefix needs no division but the upper half of a product.
    let of_64_bits = prefix << 1 << (63 - bits);
    ((u128::from(of_64_bits) * u128::from(records)) >> 64) as u64
}

/// Returns the fewest bytes (2, 4 or 8) for differences from `least` to `most`.
pub(crate) fn width_bytes(least: i64, most: i64) -> usize {
    let fits = |min: i64, max: i64| (min..=max).contains(&least) && (min..=max).contains(&most);
    if fits(i16::MIN.into(), i16::MAX.into()) {
        2
    } else if fits(i32::MIN.into(), i32::MAX.into()) {
        4
    } else {
        8
    }
}

/// The index of one section.
#[derive(Clone, Copy)]
pub(crate) struct Index<'a> {
    pub(crate) differences: &'a [u8],
    pub(crate) width_bytes: usize,
    pub(crate) bits: u32,
    pub(crate) records: u64,
}

impl Index<'_> {
    /// Returns the range of the records with this prefix. A damaged index gives a wrong range, within the section.
    #[inline]
    pub(crate) fn range(&self, prefix: u64) -> std::ops::Range<u64> {
        let (start, end) = (self.start(prefix), self.start(prefix + 1));
        start.min(end)..end
    }

    /// Announces that the range of a prefix will be asked for.
    #[inline]
    pub(crate) fn prefetch(&self, prefix: u64) {
        pfh_vector::prefetch(self.differences, prefix as usize * self.width_bytes);
    }

    #[inline]
    fn start(&self, prefix: u64) -> u64 {
        let at = prefix as usize * self.width_bytes;
        let Some(difference) = self.differences.get(at..at + self.width_bytes) else { return self.records };
        let difference = match *difference {
            [a, b] => i16::from_le_bytes([a, b]).into(),
            [a, b, c, d] => i32::from_le_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => i64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        };
        expected(prefix, self.records, self.bits).saturating_add_signed(difference).min(self.records)
    }
}
