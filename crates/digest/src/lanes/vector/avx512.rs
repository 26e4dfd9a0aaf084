//! AVX-512 (F, BW, VL, DQ): 16 lanes of 32 bits, 8 of 64. One instruction for each rotation and for each function of
//! three.

use std::arch::x86_64::*;

use super::shuffle::{REVERSED_32, REVERSED_64};
use super::{LINE_BYTES, Line, ShortVector, Vector};

/// 16 lanes of 32 bits.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Avx512x32(__m512i);

/// 8 lanes of 64 bits.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Avx512x64(__m512i);

/// An intrinsic that touches no memory.
macro_rules! register {
    ($call:expr) => {
        // SAFETY: a vector exists, so the code around runs with the features on (head of `vector`).
        unsafe { $call }
    };
}

macro_rules! vector {
    ($vector:ident, $word:ident, $splat:ident, $add:ident, $sub:ident, $rol:ident, $shr:ident, $lanes:literal, $load_line:ident) => {
        impl Vector for $vector {
            type Word = $word;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(words: &[u8]) -> Self {
                assert_eq!(words.len(), 64);
                // SAFETY: 64 bytes are there; the features are the caller's promise.
                unsafe { $vector(_mm512_loadu_si512(words.as_ptr().cast())) }
            }

            #[inline(always)]
            fn store(self, words: &mut [u8]) {
                assert_eq!(words.len(), 64);
                // SAFETY: 64 bytes are there; a vector exists.
                unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
            }

            #[inline(always)]
            unsafe fn load_line(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Self]) {
                // SAFETY: the caller's promise is the same.
                unsafe { $load_line(inputs, offset, big_endian, words) }
            }

            #[inline]
            fn splat(self, word: $word) -> Self {
                register!($vector($splat(word.cast_signed())))
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                register!($vector($add(self.0, other.0)))
            }
            #[inline]
            fn sub(self, other: Self) -> Self {
                register!($vector($sub(self.0, other.0)))
            }
            #[inline]
            fn xor(self, other: Self) -> Self {
                register!($vector(_mm512_xor_si512(self.0, other.0)))
            }
            #[inline]
            fn and(self, other: Self) -> Self {
                register!($vector(_mm512_and_si512(self.0, other.0)))
            }
            #[inline]
            fn not(self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0x55>(self.0, self.0, self.0)))
            }
            #[inline]
            fn rol<const BITS: i32>(self) -> Self {
                register!($vector($rol::<BITS>(self.0)))
            }
            #[inline]
            fn shr<const BITS: i32>(self) -> Self {
                register!($vector($shr(self.0, _mm_cvtsi32_si128(BITS))))
            }
            // The constant of a ternary operation is its truth table: bit 4x + 2y + z.
            #[inline]
            fn xor3(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0b1001_0110>(x.0, y.0, z.0)))
            }
            #[inline]
            fn ch(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0b1100_1010>(x.0, y.0, z.0)))
            }
            #[inline]
            fn maj(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0b1110_1000>(x.0, y.0, z.0)))
            }
            #[inline]
            fn xor_not_and(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0b1101_0010>(x.0, y.0, z.0)))
            }
        }
    };
}

vector!(
    Avx512x32,
    u32,
    _mm512_set1_epi32,
    _mm512_add_epi32,
    _mm512_sub_epi32,
    _mm512_rol_epi32,
    _mm512_srl_epi32,
    16,
    load_line32
);
vector!(
    Avx512x64,
    u64,
    _mm512_set1_epi64,
    _mm512_add_epi64,
    _mm512_sub_epi64,
    _mm512_rol_epi64,
    _mm512_srl_epi64,
    8,
    load_line64
);

/// Moves the bytes within each quarter: byte `i` comes from byte `order[i]`.
#[inline(always)]
fn shuffle_bytes(row: __m512i, order: &[u8; 16]) -> __m512i {
    // SAFETY: an array of 16 bytes; a vector exists.
    unsafe {
        let order = _mm_loadu_si128(order.as_ptr().cast());
        _mm512_shuffle_epi8(row, _mm512_broadcast_i32x4(order))
    }
}

impl ShortVector for Avx512x32 {
    #[inline(always)]
    unsafe fn last_line(message: &[u8], offset: usize) -> Line {
        // A mark between zeros: the line from `MARK - n` on has it after `n` bytes, and for 64 not at all.
        const MARK: usize = LINE_BYTES;
        static MARKED: [u8; 3 * LINE_BYTES] = {
            let mut marked = [0; 3 * LINE_BYTES];
            marked[MARK] = 0x80;
            marked
        };
        let (bytes, place) = match message.len().checked_sub(offset) {
            Some(bytes) => (bytes.min(LINE_BYTES), MARK - bytes.min(LINE_BYTES)),
            // The mark is in the line before.
            None => (0, 2 * LINE_BYTES),
        };
        let content = u64::MAX.checked_shr((LINE_BYTES - bytes) as u32).unwrap_or(0);
        let mut line = [0; LINE_BYTES];
        // SAFETY: the features are the caller's promise. The masked load touches only the bytes of the mask, which are
        // in the message; the other load is of 64 bytes from a place up to 128 of 192; the store fills an array of 64.
        unsafe {
            let marked = _mm512_loadu_si512(MARKED.as_ptr().add(place).cast());
            let bytes = _mm512_mask_loadu_epi8(marked, content, message.as_ptr().wrapping_add(offset).cast());
            _mm512_storeu_si512(line.as_mut_ptr().cast(), bytes);
        }
        line
    }

    #[inline(always)]
    fn store_lines(words: [Self; 8], big_endian: bool, lines: &mut [Line]) {
        assert_eq!(lines.len(), Self::LANES);
        let [a, b, c, d, e, f, g, h] = words;
        store_square32([a, b, c, d], big_endian, 0, lines);
        store_square32([e, f, g, h], big_endian, 16, lines);
    }
}

/// The way back from [`load_square32`]: 4 words of each lane, as 16 bytes of its line from `offset` on.
#[inline(always)]
fn store_square32([a, b, c, d]: [Avx512x32; 4], big_endian: bool, offset: usize, lines: &mut [Line]) {
    let mut rows = register!({
        let (low_ab, high_ab) = (_mm512_unpacklo_epi32(a.0, b.0), _mm512_unpackhi_epi32(a.0, b.0));
        let (low_cd, high_cd) = (_mm512_unpacklo_epi32(c.0, d.0), _mm512_unpackhi_epi32(c.0, d.0));
        [
            _mm512_unpacklo_epi64(low_ab, low_cd),
            _mm512_unpackhi_epi64(low_ab, low_cd),
            _mm512_unpacklo_epi64(high_ab, high_cd),
            _mm512_unpackhi_epi64(high_ab, high_cd),
        ]
    });
    for lane in 0..4 {
        if big_endian {
            rows[lane] = shuffle_bytes(rows[lane], &REVERSED_32);
        }
        register!({
            store_quarter(_mm512_castsi512_si128(rows[lane]), offset, &mut lines[lane]);
            store_quarter(_mm512_extracti32x4_epi32::<1>(rows[lane]), offset, &mut lines[lane + 4]);
            store_quarter(_mm512_extracti32x4_epi32::<2>(rows[lane]), offset, &mut lines[lane + 8]);
            store_quarter(_mm512_extracti32x4_epi32::<3>(rows[lane]), offset, &mut lines[lane + 12]);
        });
    }
}

#[inline(always)]
fn store_quarter(quarter: __m128i, offset: usize, line: &mut Line) {
    // SAFETY: 16 bytes are there; every x86-64 has this instruction.
    unsafe { _mm_storeu_si128(line[offset..offset + 16].as_mut_ptr().cast(), quarter) }
}

/// 16 bytes of each of four lanes.
///
/// # Safety
/// The features are on, and the lanes `lane`, `lane + step` … have an input of 16 bytes from `offset` on.
#[inline(always)]
unsafe fn four_rows(inputs: &[&[u8]], lane: usize, step: usize, offset: usize) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let row = |lane: usize| _mm_loadu_si128(inputs.get_unchecked(lane).as_ptr().add(offset).cast());
        let rows = _mm512_castsi128_si512(row(lane));
        let rows = _mm512_inserti32x4::<1>(rows, row(lane + step));
        let rows = _mm512_inserti32x4::<2>(rows, row(lane + 2 * step));
        _mm512_inserti32x4::<3>(rows, row(lane + 3 * step))
    }
}

/// [`Vector::load_line`], in four squares of 4 words by 16 lanes: the quarters of a row are lanes 4 apart, so that
/// shuffles within the quarters do.
#[inline(always)]
unsafe fn load_line32(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Avx512x32]) {
    // One by one: the compiler does not unroll a loop over them.
    // SAFETY: the caller's promise is the same.
    unsafe {
        load_square32(inputs, offset, big_endian, &mut words[..4]);
        load_square32(inputs, offset + 16, big_endian, &mut words[4..8]);
        load_square32(inputs, offset + 32, big_endian, &mut words[8..12]);
        load_square32(inputs, offset + 48, big_endian, &mut words[12..16]);
    }
}

/// # Safety
/// The features are on, and there are 16 inputs of 16 bytes from `offset` on.
#[inline(always)]
unsafe fn load_square32(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Avx512x32]) {
    let mut rows = [words[0].0; 4];
    for lane in 0..4 {
        // SAFETY: the caller's promise.
        rows[lane] = unsafe { four_rows(inputs, lane, 4, offset) };
        if big_endian {
            rows[lane] = shuffle_bytes(rows[lane], &REVERSED_32);
        }
    }
    register!({
        let low01 = _mm512_unpacklo_epi32(rows[0], rows[1]);
        let high01 = _mm512_unpackhi_epi32(rows[0], rows[1]);
        let low23 = _mm512_unpacklo_epi32(rows[2], rows[3]);
        let high23 = _mm512_unpackhi_epi32(rows[2], rows[3]);
        words[0] = Avx512x32(_mm512_unpacklo_epi64(low01, low23));
        words[1] = Avx512x32(_mm512_unpackhi_epi64(low01, low23));
        words[2] = Avx512x32(_mm512_unpacklo_epi64(high01, high23));
        words[3] = Avx512x32(_mm512_unpackhi_epi64(high01, high23));
    });
}

/// [`Vector::load_line`], in four squares of 2 words by 8 lanes: the quarters of a row are lanes 2 apart.
#[inline(always)]
unsafe fn load_line64(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Avx512x64]) {
    // SAFETY: the caller's promise is the same.
    unsafe {
        load_square64(inputs, offset, big_endian, &mut words[..2]);
        load_square64(inputs, offset + 16, big_endian, &mut words[2..4]);
        load_square64(inputs, offset + 32, big_endian, &mut words[4..6]);
        load_square64(inputs, offset + 48, big_endian, &mut words[6..8]);
    }
}

/// # Safety
/// The features are on, and there are 8 inputs of 16 bytes from `offset` on.
#[inline(always)]
unsafe fn load_square64(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Avx512x64]) {
    let mut rows = [words[0].0; 2];
    for lane in 0..2 {
        // SAFETY: the caller's promise.
        rows[lane] = unsafe { four_rows(inputs, lane, 2, offset) };
        if big_endian {
            rows[lane] = shuffle_bytes(rows[lane], &REVERSED_64);
        }
    }
    register!({
        words[0] = Avx512x64(_mm512_unpacklo_epi64(rows[0], rows[1]));
        words[1] = Avx512x64(_mm512_unpackhi_epi64(rows[0], rows[1]));
    });
}
