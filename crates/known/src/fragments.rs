//! Joining blocks that were found to fragments of known files.

use std::collections::{HashMap, VecDeque};

/// A place of a block in a known file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockPlace {
    /// The number of the file in its set.
    pub file: u64,
    /// The number of the block in the file, from 0.
    pub block: u64,
}

/// Blocks of a known file that follow each other in an image as they do in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fragment {
    /// Offset in the image in bytes.
    pub offset: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// The place of the first block in the known file.
    pub place: BlockPlace,
}

impl Fragment {
    /// Bytes of a fragment to be sorted.
    pub const SORT_BYTES: usize = 32;

    /// Returns bytes whose order is by offset, the longest fragment first, and then by place.
    pub fn to_sort_bytes(&self) -> [u8; Fragment::SORT_BYTES] {
        let mut bytes = [0; Fragment::SORT_BYTES];
        let numbers = [self.offset, !self.blocks, self.place.file, self.place.block];
        for (bytes, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *bytes = number.to_be_bytes();
        }
        bytes
    }

    /// Returns the fragment of the bytes of [`Fragment::to_sort_bytes`].
    pub fn from_sort_bytes(bytes: &[u8; Fragment::SORT_BYTES]) -> Fragment {
        let number = |place: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[place * 8..][..8]);
            u64::from_be_bytes(number)
        };
        let place = BlockPlace { file: number(2), block: number(3) };
        Fragment { offset: number(0), blocks: !number(1), place }
    }
}

/// Joins blocks to fragments while they come. It keeps only the fragments that may go on, which are at most as many as
/// the places of the blocks that begin within the length of a block.
#[derive(Debug)]
pub struct FragmentJoiner {
    block_bytes: u64,
    /// Fragments by the offset at which they end, in the order of their next places.
    open: VecDeque<(u64, Vec<Fragment>)>,
}

impl FragmentJoiner {
    /// Begins with an image. Blocks have `block_bytes` bytes.
    pub fn new(block_bytes: u64) -> FragmentJoiner {
        FragmentJoiner { block_bytes, open: VecDeque::new() }
    }

    /// Takes the block at an offset, which is greater than those before, and its places in order, each once. Calls
    /// `each` with the fragments that have ended.
    pub fn push(&mut self, offset: u64, places: &[BlockPlace], each: &mut dyn FnMut(Fragment)) {
        let mut before = Vec::new();
        while self.open.front().is_some_and(|(end, _)| *end <= offset) {
            let Some((end, fragments)) = self.open.pop_front() else { break };
            if end == offset {
                before = fragments;
            } else {
                fragments.into_iter().for_each(&mut *each);
            }
        }
        let next = |one: &Fragment| BlockPlace { block: one.place.block + one.blocks, ..one.place };
        let mut before = before.into_iter().peekable();
        let mut going_on = Vec::with_capacity(places.len());
        for &place in places {
            while let Some(ended) = before.next_if(|one| next(one) < place) {
                each(ended);
            }
            going_on.push(match before.next_if(|one| next(one) == place) {
                Some(one) => Fragment { blocks: one.blocks + 1, ..one },
                None => Fragment { offset, blocks: 1, place },
            });
        }
        before.for_each(&mut *each);
        self.open.push_back((offset + self.block_bytes, going_on));
    }

    /// Ends the image: calls `each` with the fragments that are left.
    pub fn end(&mut self, each: &mut dyn FnMut(Fragment)) {
        self.open.drain(..).flat_map(|(_, fragments)| fragments).for_each(each);
    }
}

/// Tells the fragments that lie within a longer one of the same known file, as they come of a file that has a block
/// several times.
#[derive(Debug)]
pub struct WithinOthers {
    block_bytes: u64,
    /// Of each file, the fragment that ends last, by its offsets.
    last: HashMap<u64, (u64, u64)>,
    pruned: usize,
}

impl WithinOthers {
    /// Begins with an image. Blocks have `block_bytes` bytes.
    pub fn new(block_bytes: u64) -> WithinOthers {
        WithinOthers { block_bytes, last: HashMap::new(), pruned: 0 }
    }

    /// Whether the fragment lies within a longer one of its file that came before. Fragments come by offset, the
    /// longest first.
    pub fn has(&mut self, fragment: &Fragment) -> bool {
        let own = (fragment.offset, fragment.offset + fragment.blocks * self.block_bytes);
        if self.last.len() > 2 * self.pruned + 1024 {
            self.last.retain(|_, (_, end)| *end > own.0);
            self.pruned = self.last.len();
        }
        let last = self.last.entry(fragment.place.file).or_insert(own);
        let is_within = own.1 <= last.1 && own != *last;
        if own.1 > last.1 {
            *last = own;
        }
        is_within
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_testing::Random;
    use std::collections::BTreeSet;

    /// Blocks and their places that often follow each other.
    fn hits(random: &mut Random, block_bytes: u64, step_bytes: u64) -> Vec<(u64, Vec<BlockPlace>)> {
        let (mut hits, files) = (Vec::new(), 1 + random.below(4));
        for step in 0..200 {
            if random.below(3) == 0 {
                continue;
            }
            let offset = step * step_bytes;
            let mut places = BTreeSet::new();
            for _ in 0..=random.below(3) {
                let file = random.below(files);
                let block = if random.below(4) == 0 { random.below(6) } else { offset / block_bytes % 9 };
                places.insert(BlockPlace { file, block });
            }
            hits.push((offset, places.into_iter().collect()));
        }
        hits
    }

    /// Every block and place is in one fragment, and no fragment could be longer.
    #[test]
    fn fragments_are_whole() {
        let mut random = Random::new(9);
        for (block_bytes, step_bytes) in [(4096, 512), (4096, 4096), (512, 512), (1024, 512)] {
            for _ in 0..50 {
                let hits = hits(&mut random, block_bytes, step_bytes);
                let mut joiner = FragmentJoiner::new(block_bytes);
                let mut fragments = Vec::new();
                for (offset, places) in &hits {
                    joiner.push(*offset, places, &mut |fragment| fragments.push(fragment));
                }
                joiner.end(&mut |fragment| fragments.push(fragment));
                let all: BTreeSet<(u64, BlockPlace)> =
                    hits.iter().flat_map(|(offset, places)| places.iter().map(|place| (*offset, *place))).collect();
                let mut covered = Vec::new();
                for Fragment { offset, blocks, place } in &fragments {
                    let before = place.block.checked_sub(1).map(|block| BlockPlace { block, ..*place });
                    let before = before.zip(offset.checked_sub(block_bytes));
                    assert!(before.is_none_or(|(place, offset)| !all.contains(&(offset, place))));
                    let at = |n: u64| (offset + n * block_bytes, BlockPlace { block: place.block + n, ..*place });
                    assert!(!all.contains(&at(*blocks)));
                    covered.extend((0..*blocks).map(at));
                }
                covered.sort_unstable();
                assert!(covered.iter().eq(&all));
                // And the same within others, by comparing each with each.
                let end = |one: &Fragment| one.offset + one.blocks * block_bytes;
                let lies = |one: &Fragment| {
                    fragments.iter().any(|other| {
                        other.place.file == one.place.file
                            && other.offset <= one.offset
                            && end(other) >= end(one)
                            && other.blocks > one.blocks
                    })
                };
                let mut sorted = fragments.clone();
                sorted.sort_unstable_by_key(Fragment::to_sort_bytes);
                let mut within = WithinOthers::new(block_bytes);
                for one in &sorted {
                    assert_eq!(Fragment::from_sort_bytes(&one.to_sort_bytes()), *one);
                    assert_eq!(within.has(one), lies(one), "{one:?}");
                }
            }
        }
    }
}
