//! Finding digests among sorted ones.
//!
//! The index tells where a digest should be. Mostly the line of memory at that place has it, or shows that it is
//! missing; if not, the line beside it nearly always does. So a look-up reads few lines, and memory is what it waits
//! for.

use pfh_digest::Digest;
use pfh_vector::prefetch;

use crate::index::{Index, LINE_BYTES, first_bits, window, window_records};

/// Look-ups of a part. While a part waits for its records, the next one waits for its lines of the index: so twice as
/// many are under way, about as many as a core has loads in flight.
const PART: usize = 16;

/// Parts under way: their lines of the index are announced, then those of their records; these are compared, and the
/// lines beside them, where these must be read too.
const STAGES: usize = 4;

/// Windows that are compared one after the other before the whole group is searched. In evenly distributed digests even
/// the third is rare.
const WINDOWS_MAX: usize = 4;

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
    /// The first of the records to compare with.
    window: usize,
    /// The first of those to compare with after them.
    beside: usize,
    found: Option<u64>,
}

/// Look-ups that go through the stages together.
#[derive(Clone, Copy, Default)]
struct Part {
    look_ups: [LookUp; PART],
    /// The places of those that have to look beside their window.
    beside: [u8; PART],
    beside_count: usize,
}

impl<'a, const W: usize> Table<'a, W> {
    /// Records that are compared at once.
    const WINDOW: usize = window_records(W);

    fn new(records: &'a [u8], index: &'a Index<'a>) -> Table<'a, W> {
        Table { records: records.as_chunks().0, index }
    }

    fn find(&self, searched: &[u8]) -> Option<u64> {
        let (first_bits, searched) = (first_bits(searched), searched.first_chunk()?);
        let window = self.window(first_bits);
        self.compare(window, first_bits, searched)
            .unwrap_or_else(|beside| self.compare_beside(beside, window, first_bits, searched))
    }

    fn find_many(&self, digests: &[Digest], found: &mut impl FnMut(&Digest, Option<u64>)) {
        let mut under_way = [Part::default(); STAGES];
        // Parts of a length that the compiler knows, and the rest.
        let (parts, rest) = digests.as_chunks::<PART>();
        for step in 0..parts.len() + STAGES - 1 {
            if let Some(digests) = parts.get(step) {
                self.announce(digests, &mut under_way[step % STAGES]);
            }
            if let Some(digests) = parts.get(step.wrapping_sub(1)) {
                self.locate(digests, &mut under_way[(step - 1) % STAGES]);
            }
            if let Some(digests) = parts.get(step.wrapping_sub(2)) {
                self.compare_part(digests, &mut under_way[(step - 2) % STAGES]);
            }
            if let Some(digests) = parts.get(step.wrapping_sub(3)) {
                self.look_beside(digests, &mut under_way[(step - 3) % STAGES], found);
            }
        }
        let part = &mut under_way[0];
        self.announce(rest, part);
        self.locate(rest, part);
        self.compare_part(rest, part);
        self.look_beside(rest, part, found);
    }

    /// Announces the lines of the index.
    #[inline]
    fn announce(&self, digests: &[Digest], part: &mut Part) {
        for (look_up, digest) in part.look_ups.iter_mut().zip(digests) {
            look_up.first_bits = first_bits(digest.bytes());
            self.index.prefetch(look_up.first_bits);
        }
    }

    /// Reads the index, and announces the records.
    #[inline]
    fn locate(&self, digests: &[Digest], part: &mut Part) {
        for (look_up, _) in part.look_ups.iter_mut().zip(digests) {
            look_up.window = self.window(look_up.first_bits);
            self.prefetch(look_up.window);
        }
    }

    /// Compares with the records, and announces those beside them where the result is not clear.
    #[inline]
    fn compare_part(&self, digests: &[Digest], part: &mut Part) {
        part.beside_count = 0;
        for (place, (look_up, digest)) in part.look_ups.iter_mut().zip(digests).enumerate() {
            let Some(searched) = digest.bytes().first_chunk() else { continue };
            match self.compare(look_up.window, look_up.first_bits, searched) {
                Ok(found) => look_up.found = found,
                Err(beside) => {
                    look_up.beside = beside;
                    self.prefetch(beside);
                    part.beside[part.beside_count] = place as u8;
                    part.beside_count += 1;
                }
            }
        }
    }

    /// Compares with the records beside the windows, and delivers.
    #[inline]
    fn look_beside(&self, digests: &[Digest], part: &mut Part, found: &mut impl FnMut(&Digest, Option<u64>)) {
        for place in &part.beside[..part.beside_count] {
            let look_up = &mut part.look_ups[usize::from(*place)];
            let Some(searched) = digests[usize::from(*place)].bytes().first_chunk() else { continue };
            look_up.found = self.compare_beside(look_up.beside, look_up.window, look_up.first_bits, searched);
        }
        part.look_ups.iter().zip(digests).for_each(|(look_up, digest)| found(digest, look_up.found));
    }

    /// Announces the records of a window.
    #[inline]
    fn prefetch(&self, window: usize) {
        let bytes = self.records.as_flattened();
        prefetch(bytes, window.wrapping_mul(W));
        if !LINE_BYTES.is_multiple_of(W) {
            prefetch(bytes, window.wrapping_add(Self::WINDOW).wrapping_mul(W).wrapping_sub(1));
        }
    }

    /// Returns the first of the records around the place where one with these bits should be.
    #[inline]
    fn window(&self, first_bits: u64) -> usize {
        window(self.index.place(first_bits), W) as usize
    }

    /// Returns the place of a record, or that there is none, if the window tells; otherwise the window to look into
    /// next.
    #[inline]
    fn compare(&self, window: usize, first_bits: u64, searched: &[u8; W]) -> Result<Option<u64>, usize> {
        let Some(records) = self.records.get(window..window.wrapping_add(Self::WINDOW)) else {
            return Ok(self.search(searched));
        };
        // Counting has no branch that could be guessed wrong. The first 64 bits tell nearly all records apart.
        let bits = |record: &[u8; W]| self::first_bits(record);
        let less: usize = records.iter().map(|record| usize::from(bits(record) < first_bits)).sum();
        match records.get(less) {
            Some(record) if record == searched => Ok(Some((window + less) as u64)),
            Some(record) if bits(record) == first_bits => Ok(self.search(searched)),
            Some(_) if less > 0 || window == 0 => Ok(None),
            Some(_) => Err(window.saturating_sub(Self::WINDOW)),
            None => Err(window + Self::WINDOW),
        }
    }

    /// Compares with the records of a window to which [`Table::compare`] led from the window `before`, and with the
    /// next ones in the same direction.
    #[inline]
    fn compare_beside(&self, mut window: usize, mut before: usize, first_bits: u64, searched: &[u8; W]) -> Option<u64> {
        for _ in 0..WINDOWS_MAX {
            match self.compare(window, first_bits, searched) {
                Ok(found) => return found,
                // It would lie between the two.
                Err(beside) if beside == before => return None,
                Err(beside) => (before, window) = (window, beside),
            }
        }
        self.search(searched)
    }

    /// Finds a record among those of its group.
    #[cold]
    fn search(&self, searched: &[u8; W]) -> Option<u64> {
        let range = self.index.range(first_bits(searched));
        let records = &self.records[range.start as usize..range.end as usize];
        records.binary_search(searched).ok().map(|place| range.start + place as u64)
    }
}

/// Finds a record of any length.
fn find_any(records: &[u8], index: &Index<'_>, searched: &[u8]) -> Option<u64> {
    let record = |number: u64| &records[number as usize * searched.len()..][..searched.len()];
    let mut range = index.range(first_bits(searched));
    let end = range.end;
    while range.start < range.end {
        let middle = range.start + (range.end - range.start) / 2;
        if record(middle) < searched { range.start = middle + 1 } else { range.end = middle }
    }
    (range.start < end && record(range.start) == searched).then_some(range.start)
}
