//! Finding digests among sorted ones.
//!
//! The index tells where a digest should be. Mostly the line of memory at that place has it, or shows that it is
//! missing; if not, the line beside it nearly always does. So a look-up reads few lines, and memory is what it waits
//! for.

use std::borrow::Borrow;
use std::ops::Range;

use pfh_digest::Digest;
use pfh_vector::prefetch;

use crate::filter::Filter;
use crate::index::{Index, LINE_BYTES, first_bits, window, window_records};
use crate::starts::Starts;

/// Look-ups of a part. While a part waits for its records, the next one waits for its lines of the index: so twice as
/// many are under way, about as many as a core has loads in flight.
const PART: usize = 16;

/// Parts under way: their lines of the index are announced, then those of their records; these are compared, and the
/// lines beside them, where these must be read too.
const STAGES: usize = 4;

/// Windows that are compared one after the other before the whole group is searched. In evenly distributed digests even
/// the third is rare.
const WINDOWS_MAX: usize = 4;

/// Digests in order, as sections have them.
pub(crate) struct Sorted<'a> {
    pub(crate) records: &'a [u8],
    pub(crate) index: Index<'a>,
    pub(crate) starts: Starts<'a>,
}

/// Evaluates an expression with the table of digests of a length, if it is a usual one, and otherwise another.
macro_rules! with_table {
    ($digest_bytes:expr, $sorted:expr, $table:ident => $found:expr, $otherwise:expr) => {
        with_table!($digest_bytes, $sorted, $table => $found, $otherwise;
            16 0, 16 1, 16 2, 20 0, 20 1, 20 2, 32 0, 32 1, 32 2, 64 0, 64 1, 64 2)
    };
    ($digest_bytes:expr, $sorted:expr, $table:ident => $found:expr, $otherwise:expr; $($bytes:literal $out:literal),*) => {
        match ($digest_bytes, $sorted.starts.left_out()) {
            $(($bytes, $out) => {
                let $table = Table::<$bytes, $out>::new($sorted);
                $found
            })*
            _ => $otherwise,
        }
    };
}

/// Returns the place of a digest that equals `searched`.
pub(crate) fn find(sorted: &Sorted<'_>, searched: &[u8]) -> Option<u64> {
    with_table!(searched.len(), sorted, table => table.find(searched), find_any(sorted, searched))
}

/// Look-ups of many digests, one part after the other.
///
/// The filter saves most of the time for a digest that is missing, and takes some for one that is there. So what was
/// found of the part before decides whether it is asked.
#[derive(Default)]
pub(crate) struct Batch<'a> {
    asks_filter: bool,
    /// The digests of a part that passed the filter, and room for others.
    passed: Vec<Passed<'a>>,
}

/// A digest that passed the filter, and its place in the part.
#[derive(Clone, Copy)]
struct Passed<'a> {
    digest: &'a Digest,
    place: usize,
}

impl Borrow<Digest> for Passed<'_> {
    fn borrow(&self) -> &Digest {
        self.digest
    }
}

impl<'a> Batch<'a> {
    /// Digests of the first part, after which the filter may be asked.
    const FIRST_PART: usize = 256;

    /// Digests of the other parts: as many as the cache holds while they are passed over.
    const PART: usize = 2048;

    /// The filter is asked while at most this many of 100 digests are there. With more, that takes longer altogether.
    const THERE_PERCENT_MAX: usize = 60;

    /// Blocks of the filter that are announced at a time.
    const AHEAD: usize = 32;

    /// Divides digests into the parts to be looked up.
    pub(crate) fn parts(digests: &[Digest]) -> impl Iterator<Item = &[Digest]> {
        let (first, rest) = digests.split_at(digests.len().min(Batch::FIRST_PART));
        std::iter::once(first).chain(rest.chunks(Batch::PART))
    }

    /// Calls `found` for each digest of a part, in their order, with the place of one that equals it. The digests are
    /// of one algorithm.
    pub(crate) fn find_part(
        &mut self,
        sorted: &Sorted<'_>,
        filter: Filter<'_>,
        digests: &'a [Digest],
        found: &mut impl FnMut(&Digest, Option<u64>),
    ) {
        let mut there = 0;
        let mut counted = |digest: &Digest, place: Option<u64>| {
            there += usize::from(place.is_some());
            found(digest, place);
        };
        if self.asks_filter && !filter.is_empty() {
            self.find_passed(sorted, filter, digests, &mut counted);
        } else {
            find_each(sorted, digests, &mut counted);
        }
        self.asks_filter = there * 100 <= digests.len() * Batch::THERE_PERCENT_MAX;
    }

    /// Looks up those of the digests that pass the filter.
    fn find_passed(
        &mut self,
        sorted: &Sorted<'_>,
        filter: Filter<'_>,
        digests: &'a [Digest],
        found: &mut impl FnMut(&Digest, Option<u64>),
    ) {
        let Some(digest) = digests.first() else { return };
        if self.passed.len() < digests.len() {
            self.passed.resize(digests.len(), Passed { digest, place: 0 });
        }
        let mut count = 0;
        digests.iter().take(Batch::AHEAD).for_each(|digest| filter.prefetch(digest.bytes()));
        for (place, digest) in digests.iter().enumerate() {
            if let Some(later) = digests.get(place + Batch::AHEAD) {
                filter.prefetch(later.bytes());
            }
            // Without a branch that could be guessed wrong.
            self.passed[count] = Passed { digest, place };
            count += usize::from(filter.may_have(digest.bytes()));
        }
        let mut next = 0;
        find_each(sorted, &self.passed[..count], &mut |passed, found_at| {
            digests[next..passed.place].iter().for_each(|digest| found(digest, None));
            next = passed.place + 1;
            found(passed.digest, found_at);
        });
        digests[next..].iter().for_each(|digest| found(digest, None));
    }
}

/// Calls `found` for each digest, in their order, with the place of one that equals it.
fn find_each<T: Borrow<Digest>>(sorted: &Sorted<'_>, digests: &[T], found: &mut impl FnMut(&T, Option<u64>)) {
    let digest_bytes = digests.first().map_or(0, |digest| digest.borrow().bytes().len());
    with_table!(
        digest_bytes, sorted, table => table.find_many(digests, found),
        digests.iter().for_each(|digest| found(digest, find_any(sorted, digest.borrow().bytes())))
    );
}

/// Digests of `W` bytes in order. The first `D` bytes are left out, and records have other bytes after the rest.
struct Table<'a, const W: usize, const D: usize> {
    records: &'a [[u8; W]],
    index: &'a Index<'a>,
    starts: &'a Starts<'a>,
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

impl<'a, const W: usize, const D: usize> Table<'a, W, D> {
    /// Records that are compared at once.
    const WINDOW: usize = window_records(W);

    fn new(sorted: &'a Sorted<'a>) -> Table<'a, W, D> {
        Table { records: sorted.records.as_chunks().0, index: &sorted.index, starts: &sorted.starts }
    }

    /// Whether a record is that of a digest, among those with the same first bytes.
    #[inline]
    fn is_of(record: &[u8; W], searched: &[u8; W]) -> bool {
        record[..W - D] == searched[D..]
    }

    /// Returns the range of the records that may equal a digest with these first bits.
    #[inline]
    fn alike(&self, first_bits: u64) -> Range<usize> {
        if D == 0 {
            return 0..self.records.len();
        }
        let range = self.starts.range(first_bits);
        range.start as usize..range.end as usize
    }

    fn find(&self, searched: &[u8]) -> Option<u64> {
        let (first_bits, searched) = (first_bits(searched), searched.first_chunk()?);
        let window = self.window(first_bits);
        self.compare(window, first_bits, searched)
            .unwrap_or_else(|beside| self.compare_beside(beside, window, first_bits, searched))
    }

    fn find_many<T: Borrow<Digest>>(&self, digests: &[T], found: &mut impl FnMut(&T, Option<u64>)) {
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
    fn announce<T: Borrow<Digest>>(&self, digests: &[T], part: &mut Part) {
        for (look_up, digest) in part.look_ups.iter_mut().zip(digests) {
            look_up.first_bits = first_bits(digest.borrow().bytes());
            self.index.prefetch(look_up.first_bits);
            if D > 0 {
                self.starts.prefetch(look_up.first_bits);
            }
        }
    }

    /// Reads the index, and announces the records.
    #[inline]
    fn locate<T: Borrow<Digest>>(&self, digests: &[T], part: &mut Part) {
        for (look_up, _) in part.look_ups.iter_mut().zip(digests) {
            look_up.window = self.window(look_up.first_bits);
            self.prefetch(look_up.window);
        }
    }

    /// Compares with the records, and announces those beside them where the result is not clear.
    #[inline]
    fn compare_part<T: Borrow<Digest>>(&self, digests: &[T], part: &mut Part) {
        part.beside_count = 0;
        for (place, (look_up, digest)) in part.look_ups.iter_mut().zip(digests).enumerate() {
            let Some(searched) = digest.borrow().bytes().first_chunk() else { continue };
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
    fn look_beside<T: Borrow<Digest>>(&self, digests: &[T], part: &mut Part, found: &mut impl FnMut(&T, Option<u64>)) {
        for place in &part.beside[..part.beside_count] {
            let look_up = &mut part.look_ups[usize::from(*place)];
            let Some(searched) = digests[usize::from(*place)].borrow().bytes().first_chunk() else { continue };
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
        let window = window(self.index.place(first_bits), W) as usize;
        if D == 0 {
            return window;
        }
        // Digests that begin otherwise are not to be compared with.
        let alike = self.alike(first_bits);
        window.min(alike.end.saturating_sub(Self::WINDOW)).max(alike.start)
    }

    /// Returns the place of a record, or that there is none, if the window tells; otherwise the window to look into
    /// next.
    #[inline]
    fn compare(&self, window: usize, first_bits: u64, searched: &[u8; W]) -> Result<Option<u64>, usize> {
        let (alike, end) = (self.alike(first_bits), window.wrapping_add(Self::WINDOW));
        let Some(records) = self.records.get(window..end).filter(|_| D == 0 || end <= alike.end) else {
            return Ok(self.search(first_bits, searched));
        };
        // Counting has no branch that could be guessed wrong. The first 64 bits tell nearly all records apart.
        let bits = |record: &[u8; W]| self::first_bits(record);
        let searched_bits = if D == 0 { first_bits } else { self::first_bits(&searched[D..]) };
        let less: usize = records.iter().map(|record| usize::from(bits(record) < searched_bits)).sum();
        match records.get(less) {
            Some(record) if Self::is_of(record, searched) => Ok(Some((window + less) as u64)),
            Some(record) if bits(record) == searched_bits => Ok(self.search(first_bits, searched)),
            Some(_) if less > 0 || window == alike.start => Ok(None),
            Some(_) if D == 0 => Err(window.saturating_sub(Self::WINDOW)),
            Some(_) => Err(window.saturating_sub(Self::WINDOW).max(alike.start)),
            None if D == 0 => Err(end),
            None if end == alike.end => Ok(None),
            None => Err(end.min(alike.end - Self::WINDOW)),
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
        self.search(first_bits, searched)
    }

    /// Finds a record among those of its group.
    #[cold]
    fn search(&self, first_bits: u64, searched: &[u8; W]) -> Option<u64> {
        let range = overlap(self.index.range(first_bits), self.starts.range(first_bits));
        let records = &self.records[range.start as usize..range.end as usize];
        records
            .binary_search_by(|record| record[..W - D].cmp(&searched[D..]))
            .ok()
            .map(|place| range.start + place as u64)
    }
}

/// Returns what two ranges have in common.
fn overlap(one: Range<u64>, other: Range<u64>) -> Range<u64> {
    let end = one.end.min(other.end);
    one.start.max(other.start).min(end)..end
}

/// Finds a digest of any length.
fn find_any(sorted: &Sorted<'_>, searched: &[u8]) -> Option<u64> {
    let (first_bits, rest) = (first_bits(searched), searched.get(sorted.starts.left_out()..)?);
    let record = |number: u64| &sorted.records[number as usize * searched.len()..][..rest.len()];
    let mut range = overlap(sorted.index.range(first_bits), sorted.starts.range(first_bits));
    let end = range.end;
    while range.start < range.end {
        let middle = range.start + (range.end - range.start) / 2;
        if record(middle) < rest { range.start = middle + 1 } else { range.end = middle }
    }
    (range.start < end && record(range.start) == rest).then_some(range.start)
}
