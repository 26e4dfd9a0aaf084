//! The hash of a piece: FNV reduced to six bits, so that each byte maps one of 64 states to another.
//!
//! `state = (19·state ⊕ byte) mod 64`. Every level has a state of its own, and each would have to be updated with every
//! byte. Three observations make that cheap:
//!
//! - Levels whose states are equal stay equal until one of them begins a new piece, and a place that ends a piece of
//!   one level ends pieces of all lower levels. So only the few *different* states are followed.
//! - A map of all 64 states can be followed for many parts of the bytes side by side (`pfh_vector::ctph`), where the
//!   CPU has the registers for it.
//! - Bit b of the next state is bit b of this state, inverted or not depending on lower bits and the byte alone: 19 is
//!   odd, and carries go upwards. So if the lower bits are known over 64 bytes, as one word each, then bit b over these
//!   64 bytes is a prefix XOR of a known word: six shifts. A state passes 64 bytes in such steps, without a loop over
//!   bytes, on any CPU. For the lowest two bits even that is shared by all states, and for the highest only the parity
//!   of a word is wanted.

use pfh_vector::ctph::{Kernels, MAPPED_BYTES};

/// The state at the beginning of a piece.
pub(super) const INITIAL: u8 = 0x27;

/// Bytes that a step takes at once.
const BLOCK_BYTES: usize = 64;

/// States that pass a block together, in vector registers.
const LANES: usize = 4;

/// Shorter stretches than this are cheaper byte by byte.
const STRETCH_BYTES_MIN: usize = 32;

/// Takes all states past `bytes`.
pub(super) fn advance(kernels: Kernels, mut states: [&mut [u8]; 2], mut bytes: &[u8]) {
    let (whole, rest) = bytes.split_at(bytes.len() / MAPPED_BYTES * MAPPED_BYTES);
    if !whole.is_empty()
        && let Some(map) = kernels.map(whole)
    {
        states.iter_mut().flat_map(|states| states.iter_mut()).for_each(|state| *state = map[usize::from(*state)]);
        bytes = rest;
    }
    if bytes.len() < STRETCH_BYTES_MIN {
        for states in states {
            states.chunks_mut(8).for_each(|states| advance_by_bytes(states, bytes));
        }
        return;
    }
    let different = states.iter().flat_map(|states| states.iter()).fold(0, |set, state| set | 1_u64 << state);
    let map = map_by_blocks(different, bytes);
    for state in states.into_iter().flatten() {
        *state = map[usize::from(*state)];
    }
}

/// Takes up to eight states past `bytes`, all in one word.
#[inline]
fn advance_by_bytes(states: &mut [u8], bytes: &[u8]) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut word = states.iter().rfold(0, |word, &state| word << 8 | u64::from(state));
    for &byte in bytes {
        // 3x is at most 189 and 16x, of the bits that count, at most 48: no carry leaves a state's byte.
        let product = 3 * word + ((word & (3 * EACH)) << 4);
        word = (product ^ (EACH * u64::from(byte))) & (63 * EACH);
    }
    for state in states {
        *state = word as u8;
        word >>= 8;
    }
}

/// A block with its bits exchanged, and what is the same for all states.
struct Block {
    /// Word b: bit b of each byte, the first byte lowest.
    planes: [u64; 6],
    /// Bits 0 and 1 before each byte for state 0. These two bits are linear: for other states they differ by constants.
    before: [u64; 2],
    /// Where bits 0 and 1 end for state 0: all ones or zero.
    after: [u64; 2],
    /// Bytes of the input in the block, 1 to 64.
    bytes: usize,
}

impl Block {
    #[inline]
    fn new(block: &[u8; BLOCK_BYTES], bytes: usize) -> Block {
        let planes = planes(block);
        let before0 = prefix_xor(planes[0] << 1);
        let flips1 = before0 ^ planes[1];
        let before1 = prefix_xor(flips1 << 1);
        let after = [at_end(before0, planes[0], bytes), at_end(before1, flips1, bytes)];
        Block { planes, before: [before0, before1], after, bytes }
    }
}

/// Four states, with their bits exchanged: word b of a lane is all ones if bit b of its state is set, else zero. The
/// highest bit has no effect on others, so only what flips it is collected, in any of 64 places.
type States = [[u64; LANES]; 6];

/// Groups of states that are followed together; there are rarely more than two.
const GROUPS: usize = 3;

/// For each of `states` (a set of bits) where `bytes` take it; entries of other states are meaningless.
fn map_by_blocks(mut states: u64, bytes: &[u8]) -> [u8; 64] {
    let mut map = [0; 64];
    while states != 0 {
        let mut list = [0_u8; GROUPS * LANES];
        let mut count = 0;
        while states != 0 && count < list.len() {
            list[count] = states.trailing_zeros() as u8;
            states &= states - 1;
            count += 1;
        }
        map_some(&list[..count], bytes, &mut map);
    }
    map
}

/// Enters in `map` where `bytes` take the states in `list`.
fn map_some(list: &[u8], bytes: &[u8], map: &mut [u8; 64]) {
    let mut groups = [[[0; LANES]; 6]; GROUPS];
    let groups = &mut groups[..list.len().div_ceil(LANES)];
    for (states, list) in groups.iter_mut().zip(list.chunks(LANES)) {
        for (lane, &state) in list.iter().enumerate() {
            for (bit, words) in states[..5].iter_mut().enumerate() {
                words[lane] = 0_u64.wrapping_sub(u64::from(state >> bit & 1));
            }
        }
    }
    let (blocks, rest) = bytes.as_chunks();
    for block in blocks {
        let block = Block::new(block, BLOCK_BYTES);
        groups.iter_mut().for_each(|states| step(states, &block));
    }
    if !rest.is_empty() {
        let mut padded = [0; BLOCK_BYTES];
        padded[..rest.len()].copy_from_slice(rest);
        let block = Block::new(&padded, rest.len());
        groups.iter_mut().for_each(|states| step(states, &block));
    }
    for (states, list) in groups.iter().zip(list.chunks(LANES)) {
        for (lane, &state) in list.iter().enumerate() {
            let low = (0..5).fold(0, |value, bit| value | (states[bit][lane] as u8 & 1) << bit);
            let flipped = (states[5][lane].count_ones() as u8 & 1) << 5;
            map[usize::from(state)] = low | (flipped ^ (state & 32));
        }
    }
}

/// Exchanges the bits of a block: first bytes by their place modulo 8, then bits between the eight words. The two
/// highest bits have no effect on a state.
#[inline]
fn planes(block: &[u8; BLOCK_BYTES]) -> [u64; 6] {
    let mut words = [0_u64; 8];
    for (place, word) in words.iter_mut().enumerate() {
        let mut bytes = [0; 8];
        for (column, byte) in bytes.iter_mut().enumerate() {
            *byte = block[8 * column + place];
        }
        *word = u64::from_le_bytes(bytes);
    }
    // Word w, bit b of each byte becomes word b, bit w of each byte.
    for (distance, mask) in [(4, 0x0F0F_0F0F_0F0F_0F0F), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)] {
        for low in (0..8).filter(|word| word & distance == 0) {
            let swapped = ((words[low] >> distance) ^ words[low | distance]) & mask;
            words[low | distance] ^= swapped;
            words[low] ^= swapped << distance;
        }
    }
    [words[0], words[1], words[2], words[3], words[4], words[5]]
}

/// Each bit becomes the XOR of itself and all lower ones.
#[inline(always)]
fn prefix_xor(mut word: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        word ^= word << shift;
    }
    word
}

/// A bit of the state after the block, in all places, from what it was before each byte and where it flips.
#[inline(always)]
fn at_end(before: u64, flips: u64, bytes: usize) -> u64 {
    let sign = if bytes == BLOCK_BYTES { before ^ flips } else { before << (BLOCK_BYTES - 1 - bytes) };
    (sign as i64 >> 63) as u64
}

/// Takes four states past a block.
#[inline(always)]
fn step(states: &mut States, block: &Block) {
    const EVERY_OTHER: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let counted = u64::MAX >> (BLOCK_BYTES - block.bytes);
    let odd = 0_u64.wrapping_sub(block.bytes as u64 & 1);
    let [_, _, c2, c3, c4, c5] = block.planes;
    for lane in 0..LANES {
        let [s0, s1, s2, s3, s4, s5] = states.map(|words| words[lane]);
        // 19x = x + 2x + 16x. `carry` is what x + 2x carries into a bit; `f` is bit b of 19x, of x and of the byte,
        // XORed: where the bit flips.
        let x0 = block.before[0] ^ s0;
        let x1 = block.before[1] ^ s1 ^ (s0 & EVERY_OTHER);
        let f2 = (x1 & !x0) ^ c2;
        let x2 = prefix_xor(f2 << 1) ^ s2;
        let carry3 = x1 & (x2 | x0);
        let f3 = x2 ^ carry3 ^ c3;
        let x3 = prefix_xor(f3 << 1) ^ s3;
        let carry4 = (x3 & x2) | (carry3 & (x3 | x2));
        let f4 = x3 ^ carry4 ^ x0 ^ c4;
        let x4 = prefix_xor(f4 << 1) ^ s4;
        let carry5 = (x4 & x3) | (carry4 & (x4 | x3));
        let f5 = x4 ^ carry5 ^ ((x4 ^ x3 ^ carry4) & x0) ^ x1 ^ c5;
        states[0][lane] = s0 ^ block.after[0];
        states[1][lane] = s1 ^ block.after[1] ^ (s0 & odd);
        states[2][lane] = at_end(x2, f2, block.bytes);
        states[3][lane] = at_end(x3, f3, block.bytes);
        states[4][lane] = at_end(x4, f4, block.bytes);
        states[5][lane] = s5 ^ (f5 & counted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;

    /// The definition.
    fn next(state: u8, byte: u8) -> u8 {
        (state.wrapping_mul(19) ^ byte) & 63
    }

    #[test]
    fn stretches_give_what_bytes_give() {
        let bytes: Vec<u8> = (0..300_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 23) as u8).collect();
        for length in 0..bytes.len() {
            let bytes = &bytes[..length];
            let expected = |state: usize| bytes.iter().fold(state as u8, |state, &byte| next(state, byte));
            for kernels in Kernels::offered() {
                let (mut low, mut high): ([u8; 21], [u8; 43]) =
                    (std::array::from_fn(|i| i as u8), std::array::from_fn(|i| 21 + i as u8));
                advance(kernels, [&mut low, &mut high], bytes);
                for (state, &found) in low.iter().chain(&high).enumerate() {
                    assert_eq!(found, expected(state), "{kernels:?}, state {state}, {length} bytes");
                }
                let mut few = [5, 63, 5];
                advance(kernels, [&mut few, &mut []], bytes);
                assert_eq!(few, [5, 63, 5].map(expected), "{kernels:?}");
            }
        }
    }

    #[test]
    fn every_state_meets_every_byte() {
        for byte in 0..=255 {
            let mut states: [u8; 64] = std::array::from_fn(|i| i as u8);
            advance(Kernels::new(Backend::chosen()), [&mut states, &mut []], &[byte]);
            assert!((0..64).all(|state| states[usize::from(state)] == next(state, byte)));
            let map = map_by_blocks(u64::MAX, &[byte]);
            assert!((0..64).all(|state| map[usize::from(state)] == next(state, byte)));
        }
    }
}
