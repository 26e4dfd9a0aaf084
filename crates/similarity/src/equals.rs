//! Equal digests of a collection, which are compared once for all of them.

use std::hash::{BuildHasher, Hash, RandomState};

/// Digests between two looks at whether the search is cancelled.
const DIGESTS_PER_CHECK: usize = 1 << 14;

/// Where the number of a digest is kept beside a part of its hash.
const LOW_HALF: u64 = 0xFFFF_FFFF;

/// Says of each digest of a collection which others equal it.
#[derive(Debug, Default)]
pub(crate) struct Equals {
    /// For each digest the next one that equals it; for the last one its own number.
    next: Vec<u32>,
    /// For each digest whether none before it equals it.
    is_first: Vec<bool>,
}

impl Equals {
    /// Memory for each digest, in bytes.
    pub(crate) const BYTES: u64 = 5;

    /// Finds those that are equal; returns `None` soon after `is_cancelled` has become true.
    pub(crate) fn unless<D: Hash + Eq>(is_cancelled: &dyn Fn() -> bool, digests: &[D]) -> Option<Equals> {
        // Hashes are sorted, because that is faster than sorting digests and takes less memory than a table of them.
        // They have a random key, so that nobody can make digests that share one.
        let hasher = RandomState::new();
        let mut hashes = Vec::with_capacity(digests.len());
        for (number, digest) in digests.iter().enumerate() {
            if number.is_multiple_of(DIGESTS_PER_CHECK) && is_cancelled() {
                return None;
            }
            hashes.push(hasher.hash_one(digest) & !LOW_HALF | number as u64);
        }
        hashes.sort_unstable();
        let mut equals = Equals { next: (0..digests.len() as u32).collect(), is_first: vec![true; digests.len()] };
        // Of each digest with one hash the latest: nearly always there is one.
        let mut latest: Vec<usize> = Vec::new();
        for same in hashes.chunk_by(|one, other| one & !LOW_HALF == other & !LOW_HALF) {
            latest.clear();
            for number in same.iter().map(|hash| (hash & LOW_HALF) as usize) {
                match latest.iter().position(|&before| digests[before] == digests[number]) {
                    Some(place) => {
                        equals.next[latest[place]] = number as u32;
                        equals.is_first[number] = false;
                        latest[place] = number;
                    }
                    None => latest.push(number),
                }
            }
        }
        Some(equals)
    }

    /// Whether no digest before this one equals it.
    pub(crate) fn is_first(&self, number: usize) -> bool {
        self.is_first[number]
    }

    /// Returns this number and those of the later digests that equal it, in their order.
    pub(crate) fn starting_at(&self, number: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(number), move |&number| {
            let next = self.next[number] as usize;
            (next != number).then_some(next)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_are_found_in_their_order() {
        let equals = Equals::unless(&|| false, &["c", "a", "c", "b", "a", "c"]).unwrap();
        let firsts: Vec<usize> = (0..6).filter(|&number| equals.is_first(number)).collect();
        assert_eq!(firsts, [0, 1, 3]);
        let all: Vec<Vec<usize>> = (0..6).map(|number| equals.starting_at(number).collect()).collect();
        assert_eq!(all, [vec![0, 2, 5], vec![1, 4], vec![2, 5], vec![3], vec![4], vec![5]]);
        assert!(Equals::unless(&|| true, &["c"]).is_none());
        assert!(Equals::unless(&|| false, &[""; 0]).is_some());
    }
}
