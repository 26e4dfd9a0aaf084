//! An index in memory, which finds similar digests.

use std::ops::ControlFlow;

use super::compare::Part;
use super::grams::for_each_hash;
use super::{Comparer, Digest};

/// Buckets are as many as there are postings divided by this, or up to twice as many.
const POSTINGS_PER_BUCKET: usize = 8;

/// Parts in which postings are sorted, one after the other, each with the same highest bits of the hash. Sorting is the
/// longest work of indexing: sorting all at once would take seconds that nothing can interrupt.
const SORTED_PARTS: usize = 256;

/// Digests, and postings, between two looks at whether indexing is cancelled: some milliseconds.
const DIGESTS_PER_CHECK: usize = 1 << 12;
const POSTINGS_PER_CHECK: usize = 1 << 20;

/// One digest that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match {
    /// Its number in the index.
    pub number: u32,
    /// The score, 1 to 100.
    pub score: u8,
}

/// A set of digests in which those similar to a digest are found without comparing all.
///
/// The matches are exactly those that comparing with every digest would give at the threshold. Scores of 0 are
/// no matches: a threshold of 0 means 1.
///
/// Only digests are compared that share what a score above 0 asks for, seven characters in a row at the same block size
/// or the whole text, so the cost follows the number of pairs that share it instead of the square of the number of
/// digests.
///
/// Memory: some 9 bytes for each character of the digests, typically 700 for each digest. Where that is too much for
/// all, index one block of digests after the other and search each for the digests of its own and all later blocks.
#[derive(Clone, Debug, Default)]
pub struct Index {
    digests: Vec<Packed>,
    /// The values of all parts, one after the other.
    values: Vec<u8>,
    /// Each a hash's upper half and a digest's number, sorted.
    postings: Vec<u64>,
    /// Where the postings of each bucket begin, and where the last ends. A bucket is named by the highest bits of the
    /// hash.
    buckets: Vec<usize>,
}

/// One digest, its values elsewhere.
#[derive(Clone, Copy, Debug, Default)]
struct Packed {
    start: usize,
    level: u8,
    first: u8,
    second: u8,
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
        let mut index = Index::default();
        let mut parts: [Vec<u64>; SORTED_PARTS] = [const { Vec::new() }; SORTED_PARTS];
        for digest in digests {
            let number = index.digests.len() as u64;
            assert!(number < u64::from(u32::MAX), "more digests than numbers");
            if index.digests.len().is_multiple_of(DIGESTS_PER_CHECK) && is_cancelled() {
                return None;
            }
            let Some(digest) = digest else {
                index.digests.push(Packed::default());
                continue;
            };
            let (first, second) = (Part::new(digest.first()), Part::new(digest.second()));
            let (first, second) = (first.values(), second.values());
            let packed = Packed {
                start: index.values.len(),
                level: digest.level(),
                first: first.len() as u8,
                second: second.len() as u8,
            };
            index.values.extend_from_slice(first);
            index.values.extend_from_slice(second);
            for_each_hash(packed.level, first, second, |hash| {
                parts[(hash >> (u64::BITS - SORTED_PARTS.ilog2())) as usize].push(hash & !LOW_HALF | number);
            });
            index.digests.push(packed);
        }
        index.postings.reserve_exact(parts.iter().map(Vec::len).sum());
        for mut part in parts {
            if is_cancelled() {
                return None;
            }
            part.sort_unstable();
            part.dedup();
            index.postings.append(&mut part);
        }
        index.postings.shrink_to_fit();
        let bits = bucket_bits(index.postings.len());
        index.buckets.reserve_exact((1 << bits) + 1);
        for (place, &posting) in index.postings.iter().enumerate() {
            let bucket = bucket_of(posting, bits) as usize;
            if index.buckets.len() <= bucket {
                index.buckets.resize(bucket + 1, place);
            }
            if place.is_multiple_of(POSTINGS_PER_CHECK) && is_cancelled() {
                return None;
            }
        }
        index.buckets.resize((1 << bits) + 1, index.postings.len());
        Some(index)
    }

    /// Number of digests.
    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// True if there are no digests.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Memory of the index in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.digests) + self.values.len() + size_of_val(&*self.postings) + size_of_val(&*self.buckets)
    }

    /// Creates a searcher of the index. Each thread needs its own.
    pub fn searcher(&self) -> Searcher<'_> {
        Searcher { index: self, candidates: Vec::new() }
    }

    /// Values of the two parts.
    fn parts(&self, packed: Packed) -> (&[u8], &[u8]) {
        let values = &self.values[packed.start..][..usize::from(packed.first) + usize::from(packed.second)];
        values.split_at(usize::from(packed.first))
    }
}

/// Where a posting holds the number.
const LOW_HALF: u64 = 0xFFFF_FFFF;

/// How many bits name a bucket.
fn bucket_bits(postings: usize) -> u32 {
    (postings / POSTINGS_PER_BUCKET).max(1).ilog2().min(31)
}

fn bucket_of(posting: u64, bits: u32) -> u64 {
    // Not by a shift of 64, which `bits` of 0 would ask for.
    (posting >> 1) >> (63 - bits)
}

/// Candidates that are collected before repetitions are removed.
const CANDIDATES_MAX: usize = 1 << 16;

fn unite(candidates: &mut Vec<u32>) {
    candidates.sort_unstable();
    candidates.dedup();
}

/// Searches an [`Index`].
#[derive(Clone, Debug)]
pub struct Searcher<'a> {
    index: &'a Index,
    candidates: Vec<u32>,
}

impl Searcher<'_> {
    /// Calls `found` with all digests that score at least `threshold` with `digest`, in the order of their numbers,
    /// until it breaks.
    ///
    /// # Errors
    /// The value with which `found` broke.
    pub fn matches<B>(
        &mut self,
        digest: &Digest,
        threshold: u8,
        found: impl FnMut(Match) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (first, second) = (Part::new(digest.first()), Part::new(digest.second()));
        self.search(digest.level(), first.values(), second.values(), u32::MAX, threshold, found)
    }

    /// Calls `found` with all digests that score at least `threshold` with digest `number` of the index and have a
    /// lower number, in their order, until it breaks. Called for every number, in whatever order, this finds every pair
    /// once.
    ///
    /// # Errors
    /// The value with which `found` broke.
    ///
    /// # Panics
    /// If there is no digest `number`.
    pub fn matches_before<B>(
        &mut self,
        number: u32,
        threshold: u8,
        found: impl FnMut(Match) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let packed = self.index.digests[number as usize];
        let (first, second) = self.index.parts(packed);
        self.search(packed.level, first, second, number, threshold, found)
    }

    fn search<B>(
        &mut self,
        level: u8,
        first: &[u8],
        second: &[u8],
        below: u32,
        threshold: u8,
        mut found: impl FnMut(Match) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Index { digests, postings, buckets, .. } = self.index;
        let candidates = &mut self.candidates;
        candidates.clear();
        let mut candidates_max = CANDIDATES_MAX;
        let bits = bucket_bits(postings.len());
        for_each_hash(level, first, second, |hash| {
            let bucket = bucket_of(hash, bits) as usize;
            let postings = &postings[buckets[bucket]..buckets[bucket + 1]];
            let start = postings.partition_point(|&posting| posting < hash & !LOW_HALF);
            let same = postings[start..].iter().take_while(|&&posting| posting & !LOW_HALF == hash & !LOW_HALF);
            candidates.extend(same.map(|posting| (posting & LOW_HALF) as u32).take_while(|&number| number < below));
            // Many that share many keys must not fill the memory with repetitions.
            if candidates.len() > candidates_max {
                unite(candidates);
                candidates_max = (2 * candidates.len()).max(CANDIDATES_MAX);
            }
        });
        unite(candidates);
        if candidates.is_empty() {
            return ControlFlow::Continue(());
        }
        let comparer = Comparer::from_values(level, first, second);
        for &number in candidates.iter() {
            let packed = digests[number as usize];
            let (first, second) = self.index.parts(packed);
            let score = comparer.compare_values(packed.level, first, second, threshold.max(1));
            if score >= threshold.max(1) {
                found(Match { number, score })?;
            }
        }
        ControlFlow::Continue(())
    }
}
