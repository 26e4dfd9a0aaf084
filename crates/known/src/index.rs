//! The index of a sorted section: about where each record lies.
//!
//! Digests are evenly distributed. So the index divides the range of their first 64 bits into equal buckets of a few
//! records each, and keeps how far the first record of a bucket is from where it should be, in one byte. A line of
//! memory has the number of a record and 56 such bytes, so that a look-up reads one line of the index, and the index of
//! tens of millions of records remains in a processor's cache.

/// Bytes of a group: a line of memory.
pub(crate) const GROUP_BYTES: usize = 64;

/// Buckets of a group.
const BUCKETS: u64 = 56;

/// Most records that a bucket has on average.
const RECORDS_FOR_BUCKET: u64 = 4;

/// Bytes of the number of a group's first record. The next byte is the difference of its first bucket, which is 0.
const BASE_BYTES: usize = 7;

/// The mark of a group whose differences do not fit a byte, in place of that 0.
const UNEVEN: u8 = 1;

/// Returns the number of groups for this many records.
pub(crate) fn groups(records: u64) -> u64 {
    records.div_ceil(BUCKETS * RECORDS_FOR_BUCKET)
}

/// Returns the first 64 bits of a record as a number, which is ordered as records are.
#[inline]
pub(crate) fn first_bits(record: &[u8]) -> u64 {
    record.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// Returns the upper and the lower half of a product.
#[inline]
fn product(one: u64, other: u64) -> (u64, u64) {
    let product = u128::from(one) * u128::from(other);
    ((product >> 64) as u64, product as u64)
}

/// Returns the mean number of records of a bucket in units of 2⁻¹⁶.
fn step(records: u64, groups: u64) -> u64 {
    (records << 16).checked_div(groups.saturating_mul(BUCKETS)).unwrap_or(0)
}

/// Returns how many records of a group evenly distributed ones would have before this bucket.
#[inline]
fn expected(bucket: u64, step: u64) -> u64 {
    bucket.wrapping_mul(step) >> 16
}

/// The index of one section.
#[derive(Clone, Copy)]
pub(crate) struct Index<'a> {
    groups: &'a [[u8; GROUP_BYTES]],
    records: u64,
    step: u64,
}

impl<'a> Index<'a> {
    pub(crate) fn new(bytes: &'a [u8], records: u64) -> Index<'a> {
        let groups = bytes.as_chunks().0;
        Index { groups, records, step: step(records, groups.len() as u64) }
    }

    /// Announces that a record with these first bits will be asked for.
    #[inline]
    pub(crate) fn prefetch(&self, first_bits: u64) {
        pfh_vector::prefetch(self.groups, product(first_bits, self.groups.len() as u64).0 as usize);
    }

    /// Returns the place where a record with these first bits should be.
    #[inline]
    pub(crate) fn place(&self, first_bits: u64) -> u64 {
        let (std::ops::Range { start, end }, part) = self.bucket(first_bits);
        start + ((end - start).wrapping_mul(part >> 32) >> 32)
    }

    /// Returns the range of the records that may have these first bits. A damaged index gives a wrong range, within
    /// the section.
    pub(crate) fn range(&self, first_bits: u64) -> std::ops::Range<u64> {
        self.bucket(first_bits).0
    }

    /// Returns the range of the records of a bucket, and the part of the way through it in units of 2⁻⁶⁴.
    #[inline]
    fn bucket(&self, first_bits: u64) -> (std::ops::Range<u64>, u64) {
        let (group, rest) = product(first_bits, self.groups.len() as u64);
        let Some(bytes) = self.groups.get(group as usize) else { return (0..0, 0) };
        let base = base(bytes);
        if bytes[BASE_BYTES] != 0 {
            let end = self.groups.get(group as usize + 1).map_or(self.records, self::base).min(self.records);
            return (base.min(end)..end, rest);
        }
        let (bucket, part) = product(rest, BUCKETS);
        let start = |bucket: u64| {
            let difference = bytes[BASE_BYTES + bucket as usize].cast_signed();
            base.wrapping_add(expected(bucket, self.step)).wrapping_add_signed(difference.into())
        };
        let end = start(bucket + 1).min(self.records);
        (start(bucket).min(end)..end, part)
    }
}

/// Returns the number of the first record of a group.
#[inline]
fn base(group: &[u8; GROUP_BYTES]) -> u64 {
    group.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)) & (u64::MAX >> 8)
}

/// Makes the groups of an index.
pub(crate) struct Grouper {
    groups: u64,
    step: u64,
    /// The group that is being made, and the numbers of the first records of its buckets so far.
    group: u64,
    starts: Vec<u64>,
    records: u64,
}

impl Grouper {
    pub(crate) fn new(records: u64) -> Grouper {
        let groups = groups(records);
        let starts = Vec::with_capacity(BUCKETS as usize + 1);
        Grouper { groups, step: step(records, groups), group: 0, starts, records: 0 }
    }

    /// Takes the first bits of the next record, and calls `each` with every group that ends before it.
    pub(crate) fn push<E>(
        &mut self,
        first_bits: u64,
        each: &mut impl FnMut(&[u8; GROUP_BYTES]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (group, rest) = product(first_bits, self.groups);
        while self.group < group {
            self.end_group(each)?;
        }
        self.begin_buckets(product(rest, BUCKETS).0);
        self.records += 1;
        Ok(())
    }

    /// Calls `each` with the groups that are left.
    pub(crate) fn end<E>(mut self, each: &mut impl FnMut(&[u8; GROUP_BYTES]) -> Result<(), E>) -> Result<(), E> {
        while self.group < self.groups {
            self.end_group(each)?;
        }
        Ok(())
    }

    /// Begins all buckets up to this one, unless they have begun.
    fn begin_buckets(&mut self, last: u64) {
        while self.starts.len() as u64 <= last {
            self.starts.push(self.records);
        }
    }

    fn end_group<E>(&mut self, each: &mut impl FnMut(&[u8; GROUP_BYTES]) -> Result<(), E>) -> Result<(), E> {
        self.begin_buckets(BUCKETS);
        let base = self.starts[0];
        let mut group = [0; GROUP_BYTES];
        group[..BASE_BYTES].copy_from_slice(&base.to_le_bytes()[..BASE_BYTES]);
        for (bucket, start) in (0..).zip(&self.starts) {
            let difference = (start - base).cast_signed() - expected(bucket, self.step).cast_signed();
            let Ok(difference) = i8::try_from(difference) else {
                group[BASE_BYTES..].fill(0);
                group[BASE_BYTES] = UNEVEN;
                break;
            };
            group[BASE_BYTES + bucket as usize] = difference.cast_unsigned();
        }
        self.starts.clear();
        self.group += 1;
        each(&group)
    }
}
