//! An index in memory, which finds similar digests.

use std::ops::ControlFlow;

use super::Digest;
use super::digest::{Header, Quarters, quarters_distance};

/// Values of the length of a digest.
const LENGTHS: usize = 1 << u8::BITS;

/// Digests between two looks at whether indexing is cancelled.
const DIGESTS_PER_CHECK: usize = 1 << 14;

/// One digest that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Its number in the index.
    pub number: u32,
    /// The distance.
    pub distance: u32,
}

/// A set of digests in which those near a digest are found.
///
/// The matches are exactly those that comparing with every digest would give. Distances have no key to look up: in
/// general all must be compared. But lengths and ratios add to a distance whatever the rest is, so digests are kept in
/// groups with the same of both, in the order of lengths: those whose lengths are too far away are not visited, and of
/// the others those are passed over that are too far away with their ratios. Within a group what is compared lies side
/// by side and takes a few dozen instructions without a branch.
///
/// Memory: some 40 bytes for each digest.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Sorted by header.
    groups: Vec<Group>,
    rows: Vec<Row>,
    /// The place of each number among the rows.
    places: Vec<u32>,
}

/// Digests with the same header.
#[derive(Clone, Copy, Debug)]
struct Group {
    header: Header,
    /// Of its rows.
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    quarters: Quarters,
    number: u32,
    checksum: u8,
}

impl Index {
    /// Indexes digests; they are numbered in their order.
    ///
    /// # Panics
    /// If there are more than 2³² − 1.
    pub fn new<'a>(digests: impl IntoIterator<Item = &'a Digest>) -> Index {
        Index::unless(&|| false, digests.into_iter().map(Some)).unwrap_or_default()
    }

    /// Indexes digests as [`Index::new`] does; returns `None` soon after `is_cancelled` has become true. A `None`
    /// among the digests takes a number that is never found.
    pub(crate) fn unless<'a>(
        is_cancelled: &dyn Fn() -> bool,
        digests: impl IntoIterator<Item = Option<&'a Digest>>,
    ) -> Option<Index> {
        // Those of each length are sorted by themselves: sorting all at once is long work that nothing interrupts.
        let mut parts: [Vec<(Header, Row)>; LENGTHS] = [const { Vec::new() }; LENGTHS];
        let mut count = 0_usize;
        for digest in digests {
            let number = u32::try_from(count).unwrap_or(u32::MAX);
            assert!(number < u32::MAX, "more digests than numbers");
            if count.is_multiple_of(DIGESTS_PER_CHECK) && is_cancelled() {
                return None;
            }
            count += 1;
            let Some(digest) = digest else { continue };
            let row = Row { quarters: digest.quarters(), number, checksum: digest.checksum };
            let header = digest.header();
            parts[usize::from(header.length)].push((header, row));
        }
        let mut index = Index { groups: Vec::new(), rows: Vec::with_capacity(count), places: vec![0; count] };
        for mut part in parts {
            if is_cancelled() {
                return None;
            }
            part.sort_unstable_by_key(|(header, row)| (*header, row.number));
            for same in part.chunk_by(|(a, _), (b, _)| a == b) {
                let start = index.rows.len();
                index.rows.extend(same.iter().map(|(_, row)| *row));
                index.groups.push(Group { header: same[0].0, start, end: index.rows.len() });
            }
        }
        for (place, row) in index.rows.iter().enumerate() {
            index.places[row.number as usize] = place as u32;
        }
        Some(index)
    }

    /// Number of digests.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there are no digests.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Memory of the index in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.groups) + size_of_val(&*self.rows) + size_of_val(&*self.places)
    }

    /// Calls `found` with all digests at most `distance_max` away from `digest`, in no particular order, until it
    /// breaks.
    ///
    /// # Errors
    /// The value with which `found` broke.
    pub fn matches<B>(
        &self,
        digest: &Digest,
        distance_max: u32,
        found: impl FnMut(Match) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let row = Row { quarters: digest.quarters(), number: u32::MAX, checksum: digest.checksum };
        self.search(digest.header(), &row, self.rows.len(), distance_max, found)
    }

    /// Calls `found` with all digests at most `distance_max` away from digest `number` that come before it in an order
    /// of the index's own, until it breaks. Called for every number, in whatever order, this finds every pair once.
    ///
    /// # Errors
    /// The value with which `found` broke.
    ///
    /// # Panics
    /// If there is no digest `number`.
    pub fn matches_before<B>(
        &self,
        number: u32,
        distance_max: u32,
        found: impl FnMut(Match) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let place = self.places[number as usize] as usize;
        let group = self.groups.partition_point(|group| group.end <= place);
        self.search(self.groups[group].header, &self.rows[place], place, distance_max, found)
    }

    fn search<B>(
        &self,
        header: Header,
        row: &Row,
        before: usize,
        distance_max: u32,
        mut found: impl FnMut(Match) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for lengths in header.near_lengths(distance_max) {
            let start = self.groups.partition_point(|group| group.header.length < *lengths.start());
            let is_near = |group: &&Group| group.header.length <= *lengths.end() && group.start < before;
            for group in self.groups[start..].iter().take_while(is_near) {
                let Some(left) = distance_max.checked_sub(header.distance(group.header)) else { continue };
                for other in &self.rows[group.start..group.end.min(before)] {
                    let distance =
                        quarters_distance(&row.quarters, &other.quarters) + u32::from(row.checksum != other.checksum);
                    if distance <= left {
                        found(Match { number: other.number, distance: distance_max - left + distance })?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}
