//! Hashing blocks at sectors: which blocks say something, and their digests.
//!
//! Blocks that occur in files that have nothing to do with each other say nothing about where they come from. The tests
//! for them are of the kind of Garfinkel & McCarrin, "Hash-based carving: Searching media for complete files and file
//! fragments with sector hashing and hashdb" (Digital Investigation 14, 2015), section 5: ramps, few different words,
//! white space. Here they are sums over sectors, so that blocks that overlap share them.

use std::io;

use pfh_digest::lanes::BatchHasher;
use pfh_digest::{Algorithm, Digest};

/// Length of a sector in bytes: blocks are multiples of it.
pub const SECTOR_BYTES: usize = 512;

const WORDS: usize = SECTOR_BYTES / 4;

/// Words before a word among which it is looked for.
const LAGS: usize = 4;

/// Blocks whose digests are made and passed on together.
const BATCH: usize = 256;

/// Facts about a sector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sector {
    /// The only byte value that occurs.
    only: Option<u8>,
    /// Words that equal one of the four before them.
    repeats: u32,
    /// Words that are one more than the word before.
    ramps: u32,
    /// Bytes that are white space.
    spaces: u32,
}

impl Sector {
    fn of(bytes: &[u8; SECTOR_BYTES]) -> Sector {
        let first = bytes[0];
        if *bytes == [first; SECTOR_BYTES] {
            return Sector { only: Some(first), ..Sector::default() };
        }
        let mut words = [0_u32; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let mut sector = Sector::default();
        for place in 1..LAGS {
            sector.repeats += u32::from(words[..place].contains(&words[place]));
        }
        for lags in words.windows(LAGS + 1) {
            let word = lags[LAGS];
            sector.repeats += u32::from((lags[0] == word) | (lags[1] == word) | (lags[2] == word) | (lags[3] == word));
        }
        for pair in words.windows(2) {
            sector.ramps += u32::from(pair[0].wrapping_add(1) == pair[1]);
        }
        for &byte in bytes {
            sector.spaces += u32::from((byte == b' ') | (byte.wrapping_sub(b'\t') < 5));
        }
        sector
    }
}

/// Sums of sectors from the beginning of the bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    repeats: u32,
    ramps: u32,
    spaces: u32,
}

/// The kinds of blocks as far as they can be told without looking them up. The numbers add up to all blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockKinds {
    /// Blocks of one byte value.
    pub constant: u64,
    /// Other blocks that say nothing about where they come from.
    pub nonprobative: u64,
    /// All others, which were hashed.
    pub hashed: u64,
}

impl BlockKinds {
    /// Adds the numbers of other blocks.
    pub fn add(&mut self, other: BlockKinds) {
        self.constant += other.constant;
        self.nonprobative += other.nonprobative;
        self.hashed += other.hashed;
    }

    /// Returns the number of all blocks.
    pub fn all(self) -> u64 {
        self.constant + self.nonprobative + self.hashed
    }
}

/// The reason why blocks of a length, or a step between them, are not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockError {
    /// A block is not of 512 bytes to 16 MiB in whole sectors.
    Length,
    /// The step is not of whole sectors, or blocks are not a multiple of it.
    Step,
}

impl std::fmt::Display for BlockError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            BlockError::Length => "a block has 512 bytes to 16 MiB, in whole sectors of 512",
            BlockError::Step => "the step is a multiple of 512 bytes, of which the length of blocks is a multiple",
        })
    }
}

impl std::error::Error for BlockError {}

/// Takes the offsets of some blocks in order, and their digests.
pub type EachDigests<'a> = &'a mut dyn FnMut(&[usize], &[Digest]) -> io::Result<()>;

/// Hashes the blocks at every step.
#[derive(Debug)]
pub struct BlockHasher {
    hasher: BatchHasher,
    block_bytes: usize,
    step_bytes: usize,
    sums: Vec<Sums>,
    /// How many sectors from here on have the same only byte.
    same: Vec<u32>,
    digests: Vec<Digest>,
}

impl BlockHasher {
    /// Longest block, in bytes.
    pub const BLOCK_BYTES_MAX: u64 = 16 << 20;

    /// Returns a hasher of blocks of `block_bytes` bytes, of which one begins every `step_bytes` bytes.
    ///
    /// # Errors
    /// [`BlockError`].
    pub fn new(algorithm: Algorithm, block_bytes: u64, step_bytes: u64) -> Result<BlockHasher, BlockError> {
        let sector = SECTOR_BYTES as u64;
        if !(sector..=BlockHasher::BLOCK_BYTES_MAX).contains(&block_bytes) || !block_bytes.is_multiple_of(sector) {
            return Err(BlockError::Length);
        }
        if step_bytes == 0 || !step_bytes.is_multiple_of(sector) || !block_bytes.is_multiple_of(step_bytes) {
            return Err(BlockError::Step);
        }
        Ok(BlockHasher {
            hasher: BatchHasher::new(algorithm),
            block_bytes: block_bytes as usize,
            step_bytes: step_bytes as usize,
            sums: Vec::new(),
            same: Vec::new(),
            digests: Vec::new(),
        })
    }

    /// Returns the length of a block in bytes.
    pub fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    /// Calls `each` with the offsets of blocks of `bytes` and their digests, in order and several at a time. Bytes
    /// after the last whole block are left out, and so are blocks that say nothing, which the result counts.
    ///
    /// # Errors
    /// Those of `each`, which end the work.
    pub fn hash(&mut self, bytes: &[u8], each: EachDigests<'_>) -> io::Result<BlockKinds> {
        let mut kinds = BlockKinds::default();
        let Some(last) = bytes.len().checked_sub(self.block_bytes) else { return Ok(kinds) };
        self.look_at(bytes);
        let (mut offsets, mut messages) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        for offset in (0..=last).step_by(self.step_bytes) {
            let first = offset / SECTOR_BYTES;
            let end = first + self.block_bytes / SECTOR_BYTES;
            if self.same[first] as usize >= end - first {
                kinds.constant += 1;
            } else if is_nonprobative(self.sums[first], self.sums[end], self.block_bytes) {
                kinds.nonprobative += 1;
            } else {
                kinds.hashed += 1;
                offsets.push(offset);
                messages.push(&bytes[offset..offset + self.block_bytes]);
                if offsets.len() == BATCH {
                    self.pass(&offsets, &messages, each)?;
                    offsets.clear();
                    messages.clear();
                }
            }
        }
        self.pass(&offsets, &messages, each)?;
        Ok(kinds)
    }

    fn pass(&mut self, offsets: &[usize], messages: &[&[u8]], each: EachDigests<'_>) -> io::Result<()> {
        let Some(first) = messages.first() else { return Ok(()) };
        if self.digests.len() < messages.len() {
            let any = self.hasher.algorithm().digest(&first[..0]);
            self.digests.resize(messages.len(), any);
        }
        let digests = &mut self.digests[..messages.len()];
        self.hasher.hash(messages, digests);
        each(offsets, digests)
    }

    /// Notes the facts about all sectors.
    fn look_at(&mut self, bytes: &[u8]) {
        let sectors = bytes.as_chunks::<SECTOR_BYTES>().0;
        self.sums.clear();
        self.same.clear();
        let mut sum = Sums::default();
        self.sums.push(sum);
        let mut only = Vec::with_capacity(sectors.len());
        for sector in sectors {
            let mut facts = Sector::of(sector);
            if let Some(byte) = facts.only {
                // As the loops would count it.
                facts.repeats = WORDS as u32 - 1;
                facts.spaces = u32::from(byte == b' ' || byte.wrapping_sub(b'\t') < 5) * SECTOR_BYTES as u32;
            }
            sum.repeats += facts.repeats;
            sum.ramps += facts.ramps;
            sum.spaces += facts.spaces;
            self.sums.push(sum);
            only.push(facts.only);
        }
        self.same.resize(sectors.len(), 0);
        for place in (0..sectors.len()).rev() {
            let Some(byte) = only[place] else { continue };
            let goes_on = only.get(place + 1) == Some(&Some(byte));
            self.same[place] = 1 + if goes_on { self.same[place + 1] } else { 0 };
        }
    }
}

/// Whether a block says nothing about where it comes from, by the sums before it and at its end.
fn is_nonprobative(before: Sums, end: Sums, block_bytes: usize) -> bool {
    let (words, bytes) = (block_bytes as u64 / 4, block_bytes as u64);
    let [repeats, ramps, spaces] =
        [end.repeats - before.repeats, end.ramps - before.ramps, end.spaces - before.spaces].map(u64::from);
    repeats * 4 > words || ramps * 2 > words || spaces * 4 > bytes * 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_testing::Random;

    /// The rules as the documentation states them, one block at a time.
    fn kind(block: &[u8]) -> BlockKinds {
        let (mut repeats, mut ramps) = (0, 0);
        for sector in block.chunks(SECTOR_BYTES) {
            let words: Vec<u32> = sector.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
            for place in 1..words.len() {
                repeats += usize::from(words[place.saturating_sub(4)..place].contains(&words[place]));
                ramps += usize::from(words[place - 1].wrapping_add(1) == words[place]);
            }
        }
        let spaces = block.iter().filter(|byte| b" \t\n\x0b\x0c\r".contains(byte)).count();
        let words = block.len() / 4;
        if block.iter().all(|byte| *byte == block[0]) {
            BlockKinds { constant: 1, ..BlockKinds::default() }
        } else if repeats * 4 > words || ramps * 2 > words || spaces * 4 > block.len() * 3 {
            BlockKinds { nonprobative: 1, ..BlockKinds::default() }
        } else {
            BlockKinds { hashed: 1, ..BlockKinds::default() }
        }
    }

    /// Bytes of sectors of many kinds, also at the thresholds.
    fn bytes(random: &mut Random, sectors: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for sector in 0..sectors {
            let mut one = random.bytes(SECTOR_BYTES);
            let part = random.below(129) as usize * 4;
            match random.below(8) {
                0 => one.fill(0),
                1 => one.fill(b' '),
                2 => one[..part].fill(0xff),
                3 => one[..part].fill(b'\n'),
                4 => {
                    let words = one[..part].as_chunks_mut::<4>().0;
                    words.iter_mut().zip(0..).for_each(|(word, n)| *word = (sector as u32 + n).to_le_bytes());
                }
                5 => {
                    for (place, word) in one.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                        if place % 2 == 0 && place * 4 < part {
                            *word = [1, 2, 3, 4];
                        }
                    }
                }
                _ => {}
            }
            bytes.extend(one);
        }
        bytes
    }

    #[test]
    fn every_block_is_of_its_kind() {
        let (mut random, md5) = (Random::new(5), Algorithm::from_name("md5").unwrap());
        let mut seen = BlockKinds::default();
        for (block_bytes, step_bytes) in [(512, 512), (1024, 512), (4096, 512), (4096, 4096), (1536, 512), (8192, 1024)]
        {
            let mut hasher = BlockHasher::new(md5, block_bytes, step_bytes).unwrap();
            for count in [0, 1, 7, 8, 9, 40, 700] {
                let mut bytes = bytes(&mut random, count);
                bytes.extend(random.bytes(100));
                let (mut expected, mut found, mut digests) = (BlockKinds::default(), Vec::new(), Vec::new());
                let mut offset = 0;
                while offset + block_bytes as usize <= bytes.len() {
                    let block = &bytes[offset..][..block_bytes as usize];
                    let kind = kind(block);
                    expected.add(kind);
                    if kind.hashed == 1 {
                        digests.push((offset, md5.digest(block)));
                    }
                    offset += step_bytes as usize;
                }
                let kinds = hasher
                    .hash(&bytes, &mut |offsets, digests| {
                        found.extend(offsets.iter().copied().zip(digests.iter().copied()));
                        Ok(())
                    })
                    .unwrap();
                assert_eq!((kinds, &found), (expected, &digests), "{block_bytes} {step_bytes} {count}");
                seen.add(kinds);
            }
        }
        assert!(seen.constant > 10 && seen.nonprobative > 10 && seen.hashed > 10, "{seen:?}");
    }

    #[test]
    fn lengths_and_steps_are_checked() {
        let new = |block, step| BlockHasher::new(Algorithm::from_name("blake3").unwrap(), block, step).map(drop);
        for block in [0, 511, 513, (16 << 20) + 512] {
            assert_eq!(new(block, 512), Err(BlockError::Length));
        }
        for step in [0, 1, 513, 1024 * 3, 8192] {
            assert_eq!(new(4096, step), Err(BlockError::Step));
        }
        assert_eq!(new(16 << 20, 512), Ok(()));
    }
}
