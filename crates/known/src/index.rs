//! The index of a sorted section: about where each record lies.
//!
//! Digests are evenly distributed, so a record lies near the place that its first bits tell. The index divides the
//! range of these bits into groups, and a group into buckets of a few records. For each group it has the number of the
//! first record, and for each bucket, in one byte, by how much its records are off the line from there with the mean
//! slope.
//! A group is a line of memory. So a look-up reads one line of the index, which of a section of tens of millions of
//! records remains in a processor's cache.

/// Bytes that a processor reads from memory at a time. Sections begin at a multiple of it.
pub(crate) const LINE_BYTES: usize = 64;

/// Bytes of a group.
pub(crate) const GROUP_BYTES: usize = LINE_BYTES;

/// Bytes of the number of a group's first record.
const BASE_BYTES: usize = 8;

/// Buckets of a group, in a byte each.
const BUCKETS: usize = GROUP_BYTES - BASE_BYTES;

/// Most bytes that the records of a bucket have on average: two lines of memory. Smaller buckets tell the line of a
/// record more often, but an index of twice the length is less often in the cache, and takes longer altogether.
const BYTES_FOR_BUCKET: usize = 2 * LINE_BYTES;

/// Returns the number of groups for this many records of this length.
pub(crate) fn groups(records: u64, record_bytes: usize) -> u64 {
    records.div_ceil((BUCKETS * (BYTES_FOR_BUCKET / record_bytes).max(1)) as u64)
}

/// Returns the first 64 bits of a record as a number, which is ordered as records are.
#[inline]
pub(crate) fn first_bits(record: &[u8]) -> u64 {
    record.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

/// Returns how many records of a length are compared at once: as many as a line has.
#[inline]
pub(crate) const fn window_records(record_bytes: usize) -> usize {
    if record_bytes < LINE_BYTES { LINE_BYTES / record_bytes } else { 1 }
}

/// Returns the first of the records that are compared where one is expected at `place`: those of its line, or, where
/// lines end within records, those around it.
#[inline]
pub(crate) fn window(place: u64, record_bytes: usize) -> u64 {
    let records = window_records(record_bytes) as u64;
    if LINE_BYTES.is_multiple_of(record_bytes) { place - place % records } else { place.saturating_sub(records / 2) }
}

/// Returns which of `parts` equal parts of their range first bits lie in.
#[inline]
pub(crate) fn part_of(first_bits: u64, parts: u64) -> u64 {
    ((u128::from(first_bits) * u128::from(parts)) >> 64) as u64
}

/// Where first bits fall in an index.
#[derive(Clone, Copy)]
struct Position {
    group: u64,
    /// The part of the way through the group, in units of 2⁻³².
    part: u64,
}

impl Position {
    #[inline]
    fn of(first_bits: u64, groups: u64) -> Position {
        Position { group: part_of(first_bits, groups), part: first_bits.wrapping_mul(groups) >> 32 }
    }

    #[inline]
    fn bucket(self) -> usize {
        ((self.part * BUCKETS as u64) >> 32) as usize
    }

    /// Returns how many records of its group evenly distributed ones would have before here.
    #[inline]
    fn expected(self, records_for_group: u64) -> u64 {
        self.part.wrapping_mul(records_for_group) >> 32
    }
}

/// The index of one section.
#[derive(Clone, Copy)]
pub(crate) struct Index<'a> {
    groups: &'a [[u8; GROUP_BYTES]],
    records: u64,
    records_for_group: u64,
}

impl<'a> Index<'a> {
    pub(crate) fn new(bytes: &'a [u8], records: u64) -> Index<'a> {
        let groups = bytes.as_chunks().0;
        let records_for_group = records.checked_div(groups.len() as u64).unwrap_or(0);
        Index { groups, records, records_for_group }
    }

    /// Announces that a record with these first bits will be asked for.
    #[inline]
    pub(crate) fn prefetch(&self, first_bits: u64) {
        pfh_vector::prefetch(self.groups, part_of(first_bits, self.groups.len() as u64) as usize);
    }

    /// Returns about the place where a record with these first bits should be. It may be outside of the section.
    #[inline]
    pub(crate) fn place(&self, first_bits: u64) -> u64 {
        let position = Position::of(first_bits, self.groups.len() as u64);
        let Some(group) = self.groups.get(position.group as usize) else { return 0 };
        let difference = group[BASE_BYTES + position.bucket()].cast_signed();
        let expected = base(group).wrapping_add(position.expected(self.records_for_group));
        expected.wrapping_add_signed(difference.into())
    }

    /// Returns the range of the records that may have these first bits. A damaged index gives a wrong range, within
    /// the section.
    pub(crate) fn range(&self, first_bits: u64) -> std::ops::Range<u64> {
        let group = part_of(first_bits, self.groups.len() as u64) as usize;
        let base = |group: usize| self.groups.get(group).map_or(self.records, self::base).min(self.records);
        let end = base(group + 1);
        base(group).min(end)..end
    }
}

/// Returns the number of the first record of a group.
#[inline]
fn base(group: &[u8; GROUP_BYTES]) -> u64 {
    group.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Makes the groups of an index.
pub(crate) struct Grouper {
    groups: u64,
    records_for_group: u64,
    record_bytes: usize,
    /// The group that is being made, and the number of its first record.
    group: u64,
    base: u64,
    /// The positions of its records. Of a group with very many, only of the first.
    positions: Vec<Position>,
    records: u64,
}

impl Grouper {
    /// Most records of a group that decide about its buckets.
    const POSITIONS_MAX: usize = 1 << 12;

    /// The differences that are tried around the mean one.
    const TRIED: i64 = 2;

    /// Begins the index of `records` records of `record_bytes` bytes.
    pub(crate) fn new(records: u64, record_bytes: usize) -> Grouper {
        let groups = groups(records, record_bytes);
        let records_for_group = records.checked_div(groups).unwrap_or(0);
        Grouper { groups, records_for_group, record_bytes, group: 0, base: 0, positions: Vec::new(), records: 0 }
    }

    /// Takes the first bits of the next record, and calls `each` with every group that ends before it.
    pub(crate) fn push<E>(
        &mut self,
        first_bits: u64,
        each: &mut impl FnMut(&[u8; GROUP_BYTES]) -> Result<(), E>,
    ) -> Result<(), E> {
        let position = Position::of(first_bits, self.groups);
        while self.group < position.group {
            each(&self.end_group())?;
        }
        if self.positions.len() < Grouper::POSITIONS_MAX {
            self.positions.push(position);
        }
        self.records += 1;
        Ok(())
    }

    /// Calls `each` with the groups that are left.
    pub(crate) fn end<E>(mut self, each: &mut impl FnMut(&[u8; GROUP_BYTES]) -> Result<(), E>) -> Result<(), E> {
        while self.group < self.groups {
            each(&self.end_group())?;
        }
        Ok(())
    }

    fn end_group(&mut self) -> [u8; GROUP_BYTES] {
        let mut group = [0; GROUP_BYTES];
        group[..BASE_BYTES].copy_from_slice(&self.base.to_le_bytes());
        let mut first = self.base;
        for of_bucket in self.positions.chunk_by(|one, other| one.bucket() == other.bucket()) {
            group[BASE_BYTES + of_bucket[0].bucket()] = self.difference(first, of_bucket).cast_unsigned();
            first += of_bucket.len() as u64;
        }
        self.positions.clear();
        self.base = self.records;
        self.group += 1;
        group
    }

    /// Returns the difference with which most records of a bucket lie in the window where they are looked for, of
    /// several the one nearest to the mean. `first` is the number of the first of them.
    fn difference(&self, first: u64, positions: &[Position]) -> i8 {
        let expected = |position: &Position| self.base + position.expected(self.records_for_group);
        let records = || (first..).zip(positions);
        let differences = records().map(|(record, position)| record.cast_signed() - expected(position).cast_signed());
        let mean = differences.sum::<i64>().div_euclid(positions.len() as i64);
        let found = |difference: i64| {
            let is_found = |(record, position): (u64, &Position)| {
                let window = window(expected(position).saturating_add_signed(difference), self.record_bytes);
                record.wrapping_sub(window) < window_records(self.record_bytes) as u64
            };
            records().filter(|one| is_found(*one)).count()
        };
        let tried = mean - Grouper::TRIED..=mean + Grouper::TRIED;
        let best = tried.max_by_key(|difference| (found(*difference), -(difference - mean).abs()));
        best.unwrap_or(mean).clamp(i8::MIN.into(), i8::MAX.into()) as i8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_testing::Random;

    /// The share of evenly distributed records that lie in the window of their estimate.
    fn share_in_window(record_bytes: usize) -> f64 {
        let mut random = Random::new(record_bytes as u64);
        let mut records: Vec<u64> = (0..100_000).map(|_| first_bits(&random.bytes(8))).collect();
        records.sort_unstable();
        let (mut bytes, mut grouper) = (Vec::new(), Grouper::new(records.len() as u64, record_bytes));
        let mut each = |group: &[u8; GROUP_BYTES]| {
            bytes.extend_from_slice(group);
            Ok::<(), ()>(())
        };
        assert!(
            records.iter().all(|record| grouper.push(*record, &mut each).is_ok()) && grouper.end(&mut each).is_ok()
        );
        assert_eq!(bytes.len() as u64, GROUP_BYTES as u64 * groups(records.len() as u64, record_bytes));
        let index = Index::new(&bytes, records.len() as u64);
        let is_in_window = |(number, record): (u64, &u64)| {
            assert!(index.range(*record).contains(&number), "{number}");
            number.wrapping_sub(window(index.place(*record), record_bytes)) < window_records(record_bytes) as u64
        };
        (0..).zip(&records).filter(|one| is_in_window(*one)).count() as f64 / records.len() as f64
    }

    #[test]
    fn most_records_lie_in_their_window() {
        for (record_bytes, least) in [(16, 0.78), (20, 0.7), (32, 0.6), (64, 0.45)] {
            let share = share_in_window(record_bytes);
            assert!(share > least && share < 0.95, "{record_bytes} bytes: {share}");
        }
    }
}
