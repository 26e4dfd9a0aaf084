//! The filter of a sorted section: it tells of most digests that are not there that they are not.
//!
//! It is a Bloom filter in blocks of a line of memory: a digest has all of its bits in one block, so that asking reads
//! one line. The first bits of a digest choose the block, as they choose its place in the section. So a writer makes
//! block after block while the digests come in order, and the last bytes, which neither use, choose the bits.

use crate::index::{LINE_BYTES, first_bits, part_of};

/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = LINE_BYTES;

/// Digests for each block: 6 bits for each digest. Of digests that are not there, 6 of 100 pass.
const DIGESTS_FOR_BLOCK: u64 = 85;

/// Bits that are set for a digest.
const BITS: usize = 3;

/// Returns the number of blocks for this many digests.
pub(crate) fn blocks(digests: u64) -> u64 {
    digests.div_ceil(DIGESTS_FOR_BLOCK)
}

/// Returns the places in its block of the bits that are set for a digest.
#[inline]
fn bits_of(digest: &[u8]) -> [usize; BITS] {
    const PLACE_BITS: u32 = (8 * BLOCK_BYTES).ilog2();
    let last = digest.last_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
    [0, 1, 2].map(|number| (last >> (number * PLACE_BITS)) as usize % (8 * BLOCK_BYTES))
}

/// The filter of one section. Without blocks, all digests pass.
#[derive(Clone, Copy)]
pub(crate) struct Filter<'a> {
    blocks: &'a [[u8; BLOCK_BYTES]],
}

impl<'a> Filter<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Filter<'a> {
        Filter { blocks: bytes.as_chunks().0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    fn block_of(&self, digest: &[u8]) -> usize {
        part_of(first_bits(digest), self.blocks.len() as u64) as usize
    }

    /// Announces that a digest will be asked for.
    #[inline]
    pub(crate) fn prefetch(&self, digest: &[u8]) {
        pfh_vector::prefetch(self.blocks, self.block_of(digest));
    }

    /// Whether the section may have a digest; if not, it does not have it.
    #[inline]
    pub(crate) fn may_have(&self, digest: &[u8]) -> bool {
        let Some(block) = self.blocks.get(self.block_of(digest)) else { return true };
        bits_of(digest).into_iter().fold(1, |all, bit| all & block[bit / 8] >> (bit % 8)) == 1
    }
}

/// Makes the blocks of a filter.
pub(crate) struct FilterMaker {
    blocks: u64,
    /// The number of the block that is being made.
    number: u64,
    block: [u8; BLOCK_BYTES],
}

impl FilterMaker {
    /// Begins the filter of this many digests.
    pub(crate) fn new(digests: u64) -> FilterMaker {
        FilterMaker { blocks: blocks(digests), number: 0, block: [0; BLOCK_BYTES] }
    }

    /// Takes the next digest, and calls `each` with every block that ends before it.
    pub(crate) fn push<E>(
        &mut self,
        digest: &[u8],
        each: &mut impl FnMut(&[u8; BLOCK_BYTES]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.end_before(part_of(first_bits(digest), self.blocks), each)?;
        bits_of(digest).into_iter().for_each(|bit| self.block[bit / 8] |= 1 << (bit % 8));
        Ok(())
    }

    /// Calls `each` with the blocks that are left.
    pub(crate) fn end<E>(mut self, each: &mut impl FnMut(&[u8; BLOCK_BYTES]) -> Result<(), E>) -> Result<(), E> {
        self.end_before(self.blocks, each)
    }

    fn end_before<E>(
        &mut self,
        number: u64,
        each: &mut impl FnMut(&[u8; BLOCK_BYTES]) -> Result<(), E>,
    ) -> Result<(), E> {
        while self.number < number {
            each(&std::mem::replace(&mut self.block, [0; BLOCK_BYTES]))?;
            self.number += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_testing::Random;

    fn filter_of(digests: &[Vec<u8>]) -> Vec<u8> {
        let (mut bytes, mut maker) = (Vec::new(), FilterMaker::new(digests.len() as u64));
        let mut each = |block: &[u8; BLOCK_BYTES]| {
            bytes.extend_from_slice(block);
            Ok::<(), ()>(())
        };
        assert!(digests.iter().all(|digest| maker.push(digest, &mut each).is_ok()) && maker.end(&mut each).is_ok());
        bytes
    }

    fn sorted(random: &mut Random, count: usize, digest_bytes: usize) -> Vec<Vec<u8>> {
        let mut digests: Vec<Vec<u8>> = (0..count).map(|_| random.bytes(digest_bytes)).collect();
        digests.sort_unstable();
        digests
    }

    #[test]
    fn all_digests_pass_and_few_others() {
        for digest_bytes in [8, 16, 20, 32, 64] {
            let mut random = Random::new(digest_bytes as u64);
            for count in [1, 84, 85, 86, 100_000] {
                let digests = sorted(&mut random, count, digest_bytes);
                let bytes = filter_of(&digests);
                assert_eq!(bytes.len() as u64, BLOCK_BYTES as u64 * blocks(count as u64));
                let filter = Filter::new(&bytes);
                assert!(digests.iter().all(|digest| filter.may_have(digest)), "{count} of {digest_bytes} bytes");
                let others = sorted(&mut random, 100_000, digest_bytes);
                let passed = others.iter().filter(|digest| filter.may_have(digest)).count();
                // A block of few digests lets fewer pass.
                let least = if count == 100_000 { 5_000 } else { 0 };
                assert!((least..7_500).contains(&passed), "{passed} for {count} of {digest_bytes} bytes");
            }
        }
    }

    /// As the description of the format has it.
    #[test]
    fn bits_have_their_places() {
        let digest = |first: u8, last: u32| [&[first, 0, 0, 0, 0, 0, 0, 0][..], &last.to_be_bytes()].concat();
        // 86 digests take two blocks.
        let mut digests = vec![digest(0, 0); 84];
        digests.extend([digest(0x7f, 511 << 18 | 9 << 9 | 8), digest(0x80, 0xf800_0000 | 3)]);
        let bytes = filter_of(&digests);
        let set: Vec<usize> = (0..8 * bytes.len()).filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1).collect();
        assert_eq!(set, [0, 8, 9, 511, 512, 515]);
    }

    #[test]
    fn without_blocks_all_digests_pass() {
        assert!(Filter::new(&[]).is_empty() && Filter::new(&[]).may_have(b"any digest"));
    }
}
