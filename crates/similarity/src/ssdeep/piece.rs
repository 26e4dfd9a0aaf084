//! The hash of a piece: FNV reduced to six bits, so that each byte maps one of 64 states to another.
//!
//! `state = (19·state ⊕ byte) mod 64`. Every level has a state of its own, and each would have to be updated with every byte.
//! Two observations make that cheap:
//!
//! - Levels whose states are equal stay equal until one of them begins a new piece, and a place that ends a piece of one
//!   level ends pieces of all lower levels. So only the few *different* states are followed.
//! - Bit b of the next state is bit b of this state, inverted or not depending on lower bits and the byte alone: 19 is odd,
//!   and carries go upwards. So if the lower bits are known over 64 bytes, as one word each, then bit b over these 64 bytes
//!   is a prefix XOR of a known word: six shifts. A state passes 64 bytes in six such steps, without a loop over bytes.

/// The state at the beginning of a piece.
pub(super) const INITIAL: u8 = 0x27;

/// Bytes that a step takes at once.
const BLOCK_BYTES: usize = 64;

/// States that pass a block together, in vector registers.
const LANES: usize = 4;

/// The state after one more byte.
#[inline]
pub(super) fn next(state: u8, byte: u8) -> u8 {
    (state.wrapping_mul(19) ^ byte) & 63
}

/// A block with its bits exchanged: word b holds bit b of each of 64 bytes, the first byte lowest. Two bits have no effect.
type Planes = [u64; 6];

/// Four states, with their bits exchanged: word b of a lane is all ones if bit b of its state is set, else zero.
type States = [[u64; LANES]; 6];

/// Maps all of `states` (as a set of bits) past `bytes`; entries of other states are meaningless.
pub(super) fn advance(states: u64, bytes: &[u8]) -> [u8; 64] {
    let mut list = [0_u8; 64];
    let mut count = 0;
    for state in 0..64 {
        list[count & 63] = state;
        count += usize::from(states >> state & 1 == 1);
    }
    let list = &list[..count];
    let mut groups = [[[0; LANES]; 6]; 64 / LANES];
    let groups = &mut groups[..count.div_ceil(LANES)];
    for (index, &state) in list.iter().enumerate() {
        for (bit, words) in groups[index / LANES].iter_mut().enumerate() {
            words[index % LANES] = 0_u64.wrapping_sub(u64::from(state >> bit & 1));
        }
    }
    let mut blocks = bytes.chunks_exact(BLOCK_BYTES);
    for block in &mut blocks {
        let planes = planes(block.try_into().unwrap_or(&[0; BLOCK_BYTES]));
        for states in groups.iter_mut() {
            step(states, &planes, BLOCK_BYTES);
        }
    }
    let rest = blocks.remainder();
    if !rest.is_empty() {
        let mut block = [0; BLOCK_BYTES];
        block[..rest.len()].copy_from_slice(rest);
        let planes = planes(&block);
        for states in groups.iter_mut() {
            step(states, &planes, rest.len());
        }
    }
    let mut map = [0; 64];
    for (index, &state) in list.iter().enumerate() {
        for (bit, words) in groups[index / LANES].iter().enumerate() {
            map[usize::from(state)] |= (words[index % LANES] as u8 & 1) << bit;
        }
    }
    map
}

/// Exchanges the bits of a block: first bytes by their place modulo 8, then bits between the eight words.
#[inline]
fn planes(block: &[u8; BLOCK_BYTES]) -> Planes {
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

/// Takes four states past the first `bytes` bytes (1 to 64) of a block.
#[inline(always)]
fn step(states: &mut States, planes: &Planes, bytes: usize) {
    let after = |changes: u64, before: u64| 0_u64.wrapping_sub((changes ^ before) >> (bytes - 1) & 1);
    for lane in 0..LANES {
        let [s0, s1, s2, s3, s4, s5] = states.map(|words| words[lane]);
        // Bit b of the state before each byte, from where it flips.
        let before = |flips: u64, initial: u64| prefix_xor((flips << 1) ^ (initial & 1));
        // 19x = x + 2x + 16x. `carry` is what x + 2x carries into a bit; `flips` is bit b of 19x, of x and of the byte, XORed.
        let f0 = planes[0];
        let x0 = before(f0, s0);
        let f1 = x0 ^ planes[1];
        let x1 = before(f1, s1);
        let f2 = (x1 & !x0) ^ planes[2];
        let x2 = before(f2, s2);
        let carry3 = x1 & (x2 | x0);
        let f3 = x2 ^ carry3 ^ planes[3];
        let x3 = before(f3, s3);
        let carry4 = (x3 & x2) | (carry3 & (x3 | x2));
        let f4 = x3 ^ carry4 ^ x0 ^ planes[4];
        let x4 = before(f4, s4);
        let carry5 = (x4 & x3) | (carry4 & (x4 | x3));
        let f5 = x4 ^ carry5 ^ ((x4 ^ x3 ^ carry4) & x0) ^ x1 ^ planes[5];
        let x5 = before(f5, s5);
        let new = [(f0, x0), (f1, x1), (f2, x2), (f3, x3), (f4, x4), (f5, x5)];
        for (words, (flips, before)) in states.iter_mut().zip(new) {
            words[lane] = after(flips, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_give_what_bytes_give() {
        let bytes: Vec<u8> = (0..300_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 23) as u8).collect();
        for length in 0..bytes.len() {
            let map = advance(u64::MAX, &bytes[..length]);
            for state in 0..64 {
                let expected = bytes[..length].iter().fold(state, |state, &byte| next(state, byte));
                assert_eq!(map[usize::from(state)], expected, "state {state}, {length} bytes");
            }
        }
    }

    #[test]
    fn every_state_meets_every_byte() {
        for byte in 0..=255 {
            let map = advance(u64::MAX, &[byte]);
            assert!((0..64).all(|state| map[usize::from(state)] == next(state, byte)));
        }
        let some = advance(1 << 5 | 1 << 63, b"some bytes");
        assert_eq!(some[5], b"some bytes".iter().fold(5, |state, &byte| next(state, byte)));
    }
}
