//! Counts of the byte that enters a window, and of the one that leaves it, in that window, for [`WINDOWS`] at once
//! (AVX-512 with GFNI).
//!
//! All pairs of equal bytes at distances from 1 to 64 are found, each once: such a pair is an occurrence of the second
//! byte before it, and of the first byte after it. A vector holds one bit of 512 bytes, eight positions apart:
//! position `8·lane + t` is in lane `lane` of the vectors of `t`, one for each bit. So one comparison of 512 pairs
//! takes eight instructions, and as `j − i = 8·m + (t − u)` for positions of `t` and `u`, the pairs at 64 distances are
//! those of eight times eight vectors, of which the second ones are moved up by `m` lanes. Vectors of results are added
//! as bits of counts (carry-save adders: three bits become two).
//!
//! A position is `512·a + 64·b + 8·c + t`, and its lane `64·c + 8·a + b`: so moving up by one moves 64-bit words, but
//! for the last one, which becomes the first one and moves up by one bit; and bytes get there and back by exchanges of
//! registers with bytes within words, and of bytes within words with bits within bytes.
#![expect(clippy::needless_range_loop, reason = "the numbers are parts of positions")]

use std::arch::x86_64::*;
use std::ops::Range;

use super::{WINDOW_BYTES, WINDOWS};
use crate::bytes64::Line;
use crate::bytes64::avx512::load;

/// Bytes that are compared together.
pub(super) const CHUNK_BYTES: usize = WINDOWS + WINDOW_BYTES;

/// A bit of each lane.
type Lanes = [u64; 8];

/// Bits of a count. One of 64 is 0: then all bytes are the same one, and what leaves is what enters.
const COUNT_BITS: usize = 6;

/// How often each byte occurs, by `t`.
type Counts = [[Lanes; COUNT_BITS]; 8];

const NONE: Counts = [[[0; 8]; COUNT_BITS]; 8];

/// Registers that are exchanged with what they hold.
pub(super) type Eight = [__m512i; 8];

/// By two of the numbers of a position, or of a byte's bit.
type Matrix = [[Lanes; 8]; 8];

/// Data about a chunk: little, so that it stays in the first-level cache.
#[repr(align(64))]
pub(super) struct Occurrences {
    /// The bits of the bytes of each `t`: moved up by eight lanes, and behind them as they are, so that between lies
    /// what is moved up by fewer.
    bits: [[[Lanes; 2]; 8]; 8],
    /// In the 64 bytes before each one, and behind it.
    before: Counts,
    behind: Counts,
    /// Which bytes of `t` equal those of `u`, by `t` and `u`, for even and for odd `m`. In the end, how often the byte
    /// that enters a window behind it occurs in it, and how often the byte that leaves it occurs in the next one: bytes
    /// by `a`, `t`, `c` and `b`.
    matrices: [Matrix; 2],
}

impl Occurrences {
    pub(super) const NONE: Occurrences =
        Occurrences { bits: [[[[0; 8]; 2]; 8]; 8], before: NONE, behind: NONE, matrices: [[[[0; 8]; 8]; 8]; 2] };

    /// The last chunk's, of the windows of this `a` and `t`: bytes by `c` and `b`. How often the byte that enters
    /// behind each one occurs in it, and the byte that leaves it in the next one. Results for windows from [`WINDOWS`]
    /// on are unspecified.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn entering_and_leaving(&self, a: usize, t: usize) -> [__m512i; 2] {
        let [entering, leaving] = &self.matrices;
        [words(&entering[a][t], 0), words(&leaving[a][t], 0)]
    }

    /// Counts those of a chunk.
    #[target_feature(enable = "avx512bw,avx512vbmi,gfni")]
    pub(super) fn count(&mut self, chunk: &[u8; CHUNK_BYTES]) {
        self.set_bits(chunk);
        self.behind = NONE;
        for m in 0..8 {
            // Pairs in the same lane have u < t, and those that are eight lanes apart have not, so they share a matrix.
            if m == 0 {
                self.compare_within::<3>(0);
                self.compare_within::<3>(3);
                self.compare_within::<2>(6);
                self.count_behind(0, |t, u| u < t);
                self.count_behind(8, |t, u| u >= t);
            } else {
                self.compare::<3>(m, 0, 0..8, |_, _| true);
                self.compare::<3>(m, 3, 0..8, |_, _| true);
                self.compare::<2>(m, 6, 0..8, |_, _| true);
                self.count_behind(m, |_, _| true);
            }
            if m % 2 == 1 {
                self.count_before(m == 1);
            }
        }
        self.set_bytes();
    }

    #[target_feature(enable = "avx512bw,avx512vbmi,gfni")]
    fn set_bits(&mut self, chunk: &[u8; CHUNK_BYTES]) {
        let lines = chunk.as_chunks::<64>().0;
        let by_a = &mut self.matrices[0];
        for a in 0..8 {
            let mut by_b = [_mm512_setzero_si512(); 8];
            for b in 0..8 {
                by_b[b] = load(&lines[8 * a + b]);
            }
            for (words, register) in by_a[a].iter_mut().zip(rotate(by_b)) {
                store(words, register);
            }
        }
        for t in 0..8 {
            let mut bits = [_mm512_setzero_si512(); 8];
            for a in 0..8 {
                bits[a] = words(&by_a[a][t], 0);
            }
            let bits = exchange::<1>(bits);
            for bit in 0..8 {
                let [up, same] = &mut self.bits[t][bit];
                store(up, _mm512_slli_epi64::<1>(bits[bit]));
                store(same, bits[bit]);
            }
        }
    }

    /// Compares pairs that are eight lanes apart, and those of the same lane.
    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn compare_within<const N: usize>(&mut self, first: usize) {
        self.compare::<N>(0, first, first + 1..8, |t, u| u < t);
        self.compare::<N>(8, first, 0..first + N, |t, u| u >= t);
    }

    /// Compares the bytes of each of `times` with those of `N` others that lie `m` lanes before. Only what is `taken`
    /// is written.
    #[inline(never)]
    #[target_feature(enable = "avx512bw")]
    fn compare<const N: usize>(
        &mut self,
        m: usize,
        first: usize,
        times: Range<usize>,
        taken: impl Fn(usize, usize) -> bool,
    ) {
        let mut others = [[_mm512_setzero_si512(); 8]; N];
        for (other, u) in others.iter_mut().zip(first..) {
            for bit in 0..8 {
                other[bit] = words(self.bits[u][bit].as_flattened(), 8 - m);
            }
        }
        for t in times {
            let mut equal = [_mm512_set1_epi64(-1); N];
            for bit in 0..8 {
                let bits = words(&self.bits[t][bit][1], 0);
                for (equal, other) in equal.iter_mut().zip(&others) {
                    *equal = _mm512_ternarylogic_epi64::<AND_EQUAL>(*equal, bits, other[bit]);
                }
            }
            for (equal, u) in equal.into_iter().zip(first..) {
                if taken(t, u) {
                    store(&mut self.matrices[m % 2][t][u], equal);
                }
            }
        }
    }

    /// Each pair that is `taken` is an occurrence behind its first byte, which lies `m` lanes before.
    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn count_behind(&mut self, m: usize, taken: impl Fn(usize, usize) -> bool) {
        let down = _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(m as i64));
        for u in 0..8 {
            let mut equal = [_mm512_setzero_si512(); 8];
            for t in 0..8 {
                if taken(t, u) {
                    equal[t] = words(&self.matrices[m % 2][t][u], 0);
                }
            }
            let mut sum = sum(equal);
            for bit in &mut sum {
                *bit = _mm512_permutex2var_epi64(*bit, down, _mm512_srli_epi64::<1>(*bit));
            }
            let count = &mut self.behind[u];
            let mut carry = _mm512_setzero_si512();
            for bit in 0..COUNT_BITS {
                let more = sum.get(bit).copied().unwrap_or(_mm512_setzero_si512());
                let (bits, carried) = add(words(&count[bit], 0), more, carry);
                store(&mut count[bit], bits);
                carry = carried;
            }
        }
    }

    /// Each pair of two matrices is an occurrence before its second byte.
    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn count_before(&mut self, is_first: bool) {
        for t in 0..8 {
            let mut count = [_mm512_setzero_si512(); COUNT_BITS];
            if !is_first {
                for (count, bits) in count.iter_mut().zip(&self.before[t]) {
                    *count = words(bits, 0);
                }
            }
            let [ones, twos, fours, eights, sixteens, last] = &mut count;
            let mut carry = [*ones; 2];
            for (carry, equal) in carry.iter_mut().zip(&self.matrices) {
                let equal = &equal[t];
                let mut carry_fours = [*ones; 2];
                for (carry, u) in carry_fours.iter_mut().zip([0, 4]) {
                    let carry_low = add_to(ones, words(&equal[u], 0), words(&equal[u + 1], 0));
                    let carry_high = add_to(ones, words(&equal[u + 2], 0), words(&equal[u + 3], 0));
                    *carry = add_to(twos, carry_low, carry_high);
                }
                *carry = add_to(fours, carry_fours[0], carry_fours[1]);
            }
            let carry = add_to(eights, carry[0], carry[1]);
            *last = _mm512_xor_si512(*last, _mm512_and_si512(*sixteens, carry));
            *sixteens = _mm512_xor_si512(*sixteens, carry);
            for (bits, count) in self.before[t].iter_mut().zip(count) {
                store(bits, count);
            }
        }
    }

    /// Turns counts into bytes.
    #[target_feature(enable = "avx512bw,avx512vbmi,gfni")]
    fn set_bytes(&mut self) {
        for t in 0..8 {
            let mut entering = [_mm512_setzero_si512(); 8];
            let mut leaving = entering;
            for bit in 0..COUNT_BITS {
                // The byte that enters comes 64 positions later, and so eight lanes.
                entering[bit] = _mm512_srli_epi64::<1>(words(&self.before[t][bit], 0));
                leaving[bit] = words(&self.behind[t][bit], 0);
            }
            let (entering, leaving) = (rotate(entering), rotate(leaving));
            for a in 0..8 {
                store(&mut self.matrices[0][a][t], entering[a]);
                store(&mut self.matrices[1][a][t], leaving[a]);
            }
        }
    }
}

/// `a & !(b ^ c)`.
const AND_EQUAL: i32 = 0b1001_0000;
const XOR: i32 = 0b1001_0110;
const MAJORITY: i32 = 0b1110_1000;

/// The lower and the higher bit of how many are set.
#[inline]
#[target_feature(enable = "avx512bw")]
fn add(a: __m512i, b: __m512i, c: __m512i) -> (__m512i, __m512i) {
    (_mm512_ternarylogic_epi64::<XOR>(a, b, c), _mm512_ternarylogic_epi64::<MAJORITY>(a, b, c))
}

/// Adds two bits, and returns what is carried.
#[inline]
#[target_feature(enable = "avx512bw")]
fn add_to(count: &mut __m512i, a: __m512i, b: __m512i) -> __m512i {
    let (bits, carry) = add(*count, a, b);
    *count = bits;
    carry
}

/// How many of eight are set.
#[inline]
#[target_feature(enable = "avx512bw")]
fn sum([a, b, c, d, e, f, g, h]: Eight) -> [__m512i; 4] {
    let none = _mm512_setzero_si512();
    let (ones, twos_a) = add(a, b, c);
    let (ones, twos_b) = add(ones, d, e);
    let (ones, twos_c) = add(ones, f, g);
    let (ones, twos_d) = add(ones, h, none);
    let (twos, fours_a) = add(twos_a, twos_b, twos_c);
    let (twos, fours_b) = add(twos, twos_d, none);
    let (fours, eights) = add(fours_a, fours_b, none);
    [ones, twos, fours, eights]
}

/// Exchanges the numbers of bits: those of a register, a byte within a word and a bit within a byte become those of a
/// bit, a register and a byte.
#[inline(always)]
fn rotate(mut registers: Eight) -> Eight {
    // The product with the unit matrix of bits exchanges rows and columns, and takes the last row first.
    registers.reverse();
    let mut rotated = exchange::<1>(registers);
    for register in &mut rotated {
        // SAFETY: a register exists, so the code around runs with the features on (head of `bytes64`).
        *register = unsafe {
            _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64), *register)
        };
    }
    rotated
}

/// Exchanges the numbers of registers and of units of `UNIT_BYTES` bytes in each eight of them. Always inlined, so that
/// they stay registers.
#[inline(always)]
pub(super) fn exchange<const UNIT_BYTES: usize>(mut registers: Eight) -> Eight {
    let picked = const { [picked(UNIT_BYTES), picked(2 * UNIT_BYTES), picked(4 * UNIT_BYTES)] };
    for (distance, [first, second]) in [1, 2, 4].into_iter().zip(&picked) {
        // SAFETY: a register exists, so the code around runs with the features on (head of `bytes64`).
        let (first, second) = unsafe { (load(first), load(second)) };
        for at in 0..8 {
            if at & distance == 0 {
                let (a, b) = (registers[at], registers[at + distance]);
                // SAFETY: as above.
                registers[at] = unsafe { _mm512_permutex2var_epi8(a, first, b) };
                // SAFETY: as above.
                registers[at + distance] = unsafe { _mm512_permutex2var_epi8(a, second, b) };
            }
        }
    }
    registers
}

/// Bytes of two registers (those of the second one from 64 on), of which every second block of the first one and the
/// block before it of the second one have changed places.
const fn picked(block_bytes: usize) -> [Line; 2] {
    let mut picked = [[0; 64]; 2];
    let mut at = 0;
    while at < 64 {
        let is_second = at & block_bytes != 0;
        picked[0][at] = if is_second { 64 + at - block_bytes } else { at } as u8;
        picked[1][at] = if is_second { 64 + at } else { at + block_bytes } as u8;
        at += 1;
    }
    picked
}

/// Eight of the words.
#[inline]
#[target_feature(enable = "avx512f")]
fn words(words: &[u64], first: usize) -> __m512i {
    let words: &Lanes = words[first..].first_chunk().expect("there are eight words");
    // SAFETY: they are 64 bytes, and the load takes any alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(words: &mut Lanes, register: __m512i) {
    // SAFETY: 64 bytes are there, and the store takes any alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), register) }
}
