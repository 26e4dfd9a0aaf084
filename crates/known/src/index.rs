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

/// Returns the first `bits` bits of a record, of which it has at least 64.
pub(crate) fn prefix(record: &[u8], bits: u32) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&record[..8]);
    u64::from_be_bytes(first).checked_shr(64 - bits).unwrap_or(0)
}

/// Returns the place where evenly distributed records would have the first of a prefix.
pub(crate) fn expected(prefix: u64, records: u64, bits: u32) -> u64 {
    ((u128::from(prefix) * u128::from(records)) >> bits) as u64
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
