//! BLAKE3's compression function (BLAKE3 paper, section 2.2), for one chunk or one parent in each lane.
//!
//! A lane's state is more than the chaining value, since counter, length and flags of a block enter its compression:
//!
//! | words | meaning |
//! | --- | --- |
//! | 0–7 | chaining value |
//! | 8, 9 | number of the chunk, low and high word; zero for a parent |
//! | 10 | flags of the next block alone; zero after it |
//! | 11 | length in bytes of the last block of the run; all others have 64 |
//! | 12 | flags that the last block of the run has beside those of word 10 |

use super::Compress;
use super::blake2::{INITIAL_2S, mix};
use crate::lanes::vector::Vector;

pub(in crate::lanes) struct Blake3;

/// Words of a lane's state.
pub(in crate::lanes) const STATE_WORDS: usize = 13;
/// Bytes of a block.
const BLOCK_BYTES: u32 = 64;

/// Message words of each round: those of the round before, permuted (section 2.2, table 2).
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; 7];
    let mut round = 1;
    while round < 7 {
        let mut word = 0;
        while word < 16 {
            schedule[round][word] = schedule[round - 1][PERMUTATION[word]];
            word += 1;
        }
        round += 1;
    }
    schedule
};

impl Compress<u32, STATE_WORDS, 16> for Blake3 {
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; STATE_WORDS], message: &[V; 16], last: bool) -> [V; STATE_WORDS] {
        let [h0, h1, h2, h3, h4, h5, h6, h7, counter, counter_high, flags, last_bytes, last_flags] = chain;
        let bytes = if last { last_bytes } else { h0.splat(BLOCK_BYTES) };
        let flags = if last { flags.xor(last_flags) } else { flags };
        let constant = |word: usize| h0.splat(INITIAL_2S[word]);
        let mut v = [
            h0,
            h1,
            h2,
            h3,
            h4,
            h5,
            h6,
            h7,
            constant(0),
            constant(1),
            constant(2),
            constant(3),
            counter,
            counter_high,
            bytes,
            flags,
        ];
        macro_rules! rounds {
            ($($round:literal)+) => {$(
                // Rotations to the right by 16, 12, 8 and 7 bits.
                mix!(v, 16 20 24 25,
                    0 4 8 12, message[SCHEDULE[$round][0]], message[SCHEDULE[$round][1]];
                    1 5 9 13, message[SCHEDULE[$round][2]], message[SCHEDULE[$round][3]];
                    2 6 10 14, message[SCHEDULE[$round][4]], message[SCHEDULE[$round][5]];
                    3 7 11 15, message[SCHEDULE[$round][6]], message[SCHEDULE[$round][7]];
                );
                mix!(v, 16 20 24 25,
                    0 5 10 15, message[SCHEDULE[$round][8]], message[SCHEDULE[$round][9]];
                    1 6 11 12, message[SCHEDULE[$round][10]], message[SCHEDULE[$round][11]];
                    2 7 8 13, message[SCHEDULE[$round][12]], message[SCHEDULE[$round][13]];
                    3 4 9 14, message[SCHEDULE[$round][14]], message[SCHEDULE[$round][15]];
                );
            )+};
        }
        rounds!(0 1 2 3 4 5 6);

        let mut next = chain;
        for word in 0..8 {
            next[word] = v[word].xor(v[word + 8]);
        }
        next[10] = h0.splat(0);
        next
    }
}
