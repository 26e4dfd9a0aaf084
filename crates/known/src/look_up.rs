//! Finding digests among sorted ones.
//!
//! The index tells where the digests of a prefix lie. The bits after the prefix tell where in there a digest should be,
//! since digests are evenly distributed. Mostly the line of memory at that place has it, or shows that it is missing;
//! if not, the line beside it nearly always does. So a look-up reads few lines, and memory is what it waits for.

use pfh_digest::Digest;
use pfh_vector::prefetch;

use crate::index::{Index, first_bits, prefix};

/// Look-ups that are under way at a time: as many as a core has loads in flight, or a few more.
const BATCH: usize = 32;

/// Bytes that a processor reads from memory at a time. Sections begin at a multiple of it.
const LINE_BYTES: usize = 64;

/// Returns the place of a record that equals `searched`.
pub(crate) fn find(records: &[u8], index: &Index<'_>, searched: &[u8]) -> Option<u64> {
    match searched.len() {
        16 => Table::<16>::new(records, index).find(searched),
        20 => Table::<20>::new(records, index).find(searched),
        32 => Table::<32>::new(records, index).find(searched),
        64 => Table::<64>::new(records, index).find(searched),
        _ => find_any(records, index, searched),
    }
}

/// Calls `found` for each digest, in their order, with the place of a record that equals it. The digests are of
/// one algorithm.
pub(crate) fn find_many(
    records: &[u8],
    index: &Index<'_>,
    digests: &[Digest],
    found: &mut impl FnMut(&Digest, Option<u64>),
) {
    match digests.first().map_or(0, |digest| digest.bytes().len()) {
        16 => Table::<16>::new(records, index).find_many(digests, found),
        20 => Table::<20>::new(records, index).find_many(digests, found),
        32 => Table::<32>::new(records, index).find_many(digests, found),
        64 => Table::<64>::new(records, index).find_many(digests, found),
        _ => digests.iter().for_each(|digest| found(digest, find_any(records, index, digest.bytes()))),
    }
}

/// Records of `W` bytes in order, and their index.
struct Table<'a, const W: usize> {
    records: &'a [[u8; W]],
    index: &'a Index<'a>,
}

/// One look-up that is under way.
#[derive(Clone, Copy, Default)]
struct LookUp {
    /// The first 64 bits of the digest.
    first_bits: u64,
    /// The first of the records to compare with next.
    window: usize,
    found: Option<u64>,
}

impl<'a, const W: usize> Table<'a, W> {
    /// Records that are compared at once: as many as a line has.
    const WINDOW: usize = if W < LINE_BYTES { LINE_BYTES / W } else { 1 };

    fn new(records: &'a [u8], index: &'a Index<'a>) -> Table<'a, W> {
        Table { records: records.as_chunks().0, index }
    }

    fn find(&self, searched: &[u8]) -> Option<u64> {
        let (first_bits, searched) = (first_bits(searched), searched.first_chunk()?);
        let beside = match self.compare(self.window(first_bits), first_bits, searched) {
            Ok(found) => return found,
            Err(beside) => beside,
        };
        self.compare(beside, first_bits, searched).unwrap_or_else(|_| self.search(searched))
    }

    fn find_many(&self, digests: &[Digest], found: &mut impl FnMut(&Digest, Option<u64>)) {
        for batch in digests.chunks(BATCH) {
            let mut look_ups = [LookUp::default(); BATCH];
            let look_ups = &mut look_ups[..batch.len()];
            for (look_up, digest) in look_ups.iter_mut().zip(batch) {
                look_up.first_bits = first_bits(digest.bytes());
                self.index.prefetch(prefix(look_up.first_bits, self.index.bits));
            }
            for look_up in look_ups.iter_mut() {
                look_up.window = self.window(look_up.first_bits);
                prefetch(self.records, look_up.window);
            }
            let (mut beside, mut count) = ([0_u8; BATCH], 0);
            for (place, (look_up, digest)) in look_ups.iter_mut().zip(batch).enumerate() {
                let Some(searched) = digest.bytes().first_chunk() else { continue };
                match self.compare(look_up.window, look_up.first_bits, searched) {
                    Ok(found) => look_up.found = found,
                    Err(window) => {
                        look_up.window = window;
                        prefetch(self.records, window);
                        beside[count] = place as u8;
                        count += 1;
                    }
                }
            }
            for place in &beside[..count] {
                let look_up = &mut look_ups[usize::from(*place)];
                let Some(searched) = batch[usize::from(*place)].bytes().first_chunk() else { continue };
                let compared = self.compare(look_up.window, look_up.first_bits, searched);
                look_up.found = compared.unwrap_or_else(|_| self.search(searched));
            }
            look_ups.iter().zip(batch).for_each(|(look_up, digest)| found(digest, look_up.found));
        }
    }

    /// Returns the first of the records around the place where one with these bits should be.
    #[inline]
    fn window(&self, first_bits: u64) -> usize {
        let range = self.index.range(prefix(first_bits, self.index.bits));
        // The bits after the prefix tell the part of the way through its records, in units of 2⁻³².
        let part = first_bits << self.index.bits >> 32;
        let expected = range.start + ((range.end - range.start).wrapping_mul(part) >> 32);
        let expected = expected as usize;
        if LINE_BYTES.is_multiple_of(W) {
            expected - expected % Self::WINDOW
        } else {
            expected.saturating_sub(Self::WINDOW / 2)
        }
    }

    /// Returns the place of a record, or that there is none, if the window tells; otherwise the window to look into
    /// next.
    #[inline]
    fn compare(&self, window: usize, first_bits: u64, searched: &[u8; W]) -> Result<Option<u64>, usize> {
        let Some(records) = self.records.get(window..window + Self::WINDOW) else {
            return Ok(self.search(searched));
        };
        // Counting has no branch that could be guessed wrong. The first 64 bits tell nearly all records apart.
        let bits = |record: &[u8; W]| self::first_bits(record);
        let less: usize = records.iter().map(|record| usize::from(bits(record) < first_bits)).sum();
        match records.get(less) {
            Some(record) if record == searched => Ok(Some((window + less) as u64)),
            Some(record) if bits(record) == first_bits => Ok(self.search(searched)),
            Some(_) if less > 0 => Ok(None),
            Some(_) => Err(window.saturating_sub(Self::WINDOW)),
            None => Err(window + Self::WINDOW),
        }
    }

    /// Finds a record among those with its prefix.
    #[cold]
    fn search(&self, searched: &[u8; W]) -> Option<u64> {
        let range = self.index.range(prefix(first_bits(searched), self.index.bits));
        let records = &self.records[range.start as usize..range.end as usize];
        records.binary_search(searched).ok().map(|place| range.start + place as u64)
    }
}

/// Finds a record of any length.
fn find_any(records: &[u8], index: &Index<'_>, searched: &[u8]) -> Option<u64> {
    let record = |number: u64| &records[number as usize * searched.len()..][..searched.len()];
    let mut range = index.range(prefix(first_bits(searched), index.bits));
    let end = range.end;
    while range.start < range.end {
        let middle = range.start + (range.end - range.start) / 2;
        if record(middle) < searched { range.start = middle + 1 } else { range.end = middle }
    }
    (range.start < end && record(range.start) == searched).then_some(range.start)
}
