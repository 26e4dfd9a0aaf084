//! BLAKE2b and BLAKE2s (RFC 7693).
//!
//! A lane's state is more than the chaining value, since a block's counter enters its compression:
//!
//! | words | what |
//! | --- | --- |
//! | 0–7 | chaining value |
//! | 8, 9 | counter before the first block of a run, low and high word; the kernel counts in the low word alone |
//! | 10, 11 | counter of the last block of the run |
//! | 12 | finalization flag of the last block of the run |
//!
//! The scheduler sets words 8 to 12 before each run, and ends a run where the low word overflows.

use super::Compress;
use crate::lanes::vector::Vector;

/// First chaining values before the parameters enter; the constants of every block.
const INITIAL_2B: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];
pub(in crate::lanes) const INITIAL_2S: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

pub(in crate::lanes) struct Blake2b;
pub(in crate::lanes) struct Blake2s;

/// Words of a lane's state.
pub(in crate::lanes) const STATE_WORDS: usize = 13;
/// Place of words 8 to 12 (module head) in a lane's state.
pub(in crate::lanes) const COUNTERS: std::ops::Range<usize> = 8..STATE_WORDS;

/// Message words of each round.
#[rustfmt::skip]
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

impl Compress<u64, STATE_WORDS, 16> for Blake2b {
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(chain: [V; STATE_WORDS], message: &[V; 16], last: bool) -> [V; STATE_WORDS] {
        // Rotations to the right by 32, 24, 16 and 63 bits.
        compress::<V, 32, 40, 48, 1>(chain, message, last, INITIAL_2B, 128, 12)
    }
}

impl Compress<u32, STATE_WORDS, 16> for Blake2s {
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(chain: [V; STATE_WORDS], message: &[V; 16], last: bool) -> [V; STATE_WORDS] {
        // Rotations to the right by 16, 12, 8 and 7 bits.
        compress::<V, 16, 20, 24, 25>(chain, message, last, INITIAL_2S, 64, 10)
    }
}

/// The mixing function (RFC 7693, section 3.1), with rotations to the left, on four times four of the 16 words.
macro_rules! mix {
    ($v:ident, $r1:tt $r2:tt $r3:tt $r4:tt, $($a:literal $b:literal $c:literal $d:literal, $x:expr, $y:expr;)+) => {$(
        $v[$a] = $v[$a].add($x).add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rol::<$r1>();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rol::<$r2>();
        $v[$a] = $v[$a].add($y).add($v[$b]);
        $v[$d] = $v[$d].xor($v[$a]).rol::<$r3>();
        $v[$c] = $v[$c].add($v[$d]);
        $v[$b] = $v[$b].xor($v[$c]).rol::<$r4>();
    )+};
}
pub(super) use mix;

/// Section 3.2, with rotations to the left.
#[inline(always)]
fn compress<V: Vector, const R1: i32, const R2: i32, const R3: i32, const R4: i32>(
    chain: [V; STATE_WORDS],
    message: &[V; 16],
    last: bool,
    initial: [V::Word; 8],
    block_bytes: V::Word,
    rounds: usize,
) -> [V; STATE_WORDS] {
    let [h0, h1, h2, h3, h4, h5, h6, h7, counted, counted_high, last_low, last_high, last_flag] = chain;
    let counted = counted.add_word(block_bytes);
    let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, h0, h0, h0, h0, h0, h0, h0, h0];
    for word in 0..8 {
        v[8 + word] = h0.splat(initial[word]);
    }
    if last {
        v[12] = v[12].xor(last_low);
        v[13] = v[13].xor(last_high);
        v[14] = v[14].xor(last_flag);
    } else {
        v[12] = v[12].xor(counted);
        v[13] = v[13].xor(counted_high);
    }

    macro_rules! rounds {
        ($($sigma:literal)+) => {$(
                mix!(v, R1 R2 R3 R4,
                    0 4 8 12, message[SIGMA[$sigma][0]], message[SIGMA[$sigma][1]];
                    1 5 9 13, message[SIGMA[$sigma][2]], message[SIGMA[$sigma][3]];
                    2 6 10 14, message[SIGMA[$sigma][4]], message[SIGMA[$sigma][5]];
                    3 7 11 15, message[SIGMA[$sigma][6]], message[SIGMA[$sigma][7]];
                );
                mix!(v, R1 R2 R3 R4,
                    0 5 10 15, message[SIGMA[$sigma][8]], message[SIGMA[$sigma][9]];
                    1 6 11 12, message[SIGMA[$sigma][10]], message[SIGMA[$sigma][11]];
                    2 7 8 13, message[SIGMA[$sigma][12]], message[SIGMA[$sigma][13]];
                    3 4 9 14, message[SIGMA[$sigma][14]], message[SIGMA[$sigma][15]];
                );
        )+};
    }
    rounds!(0 1 2 3 4 5 6 7 8 9);
    if rounds == 12 {
        rounds!(0 1);
    }

    let mut next = chain;
    for word in 0..8 {
        next[word] = V::xor3(v[word], v[word + 8], chain[word]);
    }
    next[8] = counted;
    next
}
