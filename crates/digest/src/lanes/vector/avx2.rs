//! AVX2: 8 lanes of 32 bits, 4 of 64.

use std::arch::x86_64::*;

use super::Vector;
use super::shuffle::{REVERSED_32, REVERSED_64, Rotated};

/// 8 lanes of 32 bits.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Avx2x32(pub(super) __m256i);

/// 4 lanes of 64 bits.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Avx2x64(__m256i);

/// An intrinsic that touches no memory.
macro_rules! register {
    ($call:expr) => {
        // SAFETY: a vector exists, so the code around runs with the features on (head of `vector`).
        unsafe { $call }
    };
}

macro_rules! vector {
    ($vector:ident, $word:ident, $splat:ident, $add:ident, $sub:ident, $shl:ident, $shr:ident, $lanes:literal, $load_line:ident) => {
        impl Vector for $vector {
            type Word = $word;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(words: &[u8]) -> Self {
                assert_eq!(words.len(), 32);
                // SAFETY: 32 bytes are there; the features are the caller's promise.
                unsafe { $vector(_mm256_loadu_si256(words.as_ptr().cast())) }
            }

            #[inline(always)]
            fn store(self, words: &mut [u8]) {
                assert_eq!(words.len(), 32);
                // SAFETY: 32 bytes are there; a vector exists.
                unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
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
                register!($vector(_mm256_xor_si256(self.0, other.0)))
            }
            #[inline]
            fn and(self, other: Self) -> Self {
                register!($vector(_mm256_and_si256(self.0, other.0)))
            }
            #[inline]
            fn not(self) -> Self {
                register!($vector(_mm256_xor_si256(self.0, _mm256_set1_epi8(-1))))
            }
            #[inline]
            fn rol<const BITS: i32>(self) -> Self {
                if BITS % 8 == 0 {
                    return $vector(shuffle_bytes(self.0, Rotated::<{ size_of::<$word>() }, BITS>::order()));
                }
                // The counts are constants, which makes these the shifts with an immediate operand.
                register!($vector(_mm256_or_si256(
                    $shl(self.0, _mm_cvtsi32_si128(BITS)),
                    $shr(self.0, _mm_cvtsi32_si128($word::BITS as i32 - BITS)),
                )))
            }
            #[inline]
            fn shr<const BITS: i32>(self) -> Self {
                register!($vector($shr(self.0, _mm_cvtsi32_si128(BITS))))
            }
            #[inline]
            fn xor_not_and(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm256_xor_si256(x.0, _mm256_andnot_si256(y.0, z.0))))
            }
        }
    };
}

vector!(
    Avx2x32,
    u32,
    _mm256_set1_epi32,
    _mm256_add_epi32,
    _mm256_sub_epi32,
    _mm256_sll_epi32,
    _mm256_srl_epi32,
    8,
    load_line32
);
vector!(
    Avx2x64,
    u64,
    _mm256_set1_epi64x,
    _mm256_add_epi64,
    _mm256_sub_epi64,
    _mm256_sll_epi64,
    _mm256_srl_epi64,
    4,
    load_line64
);

/// Moves the bytes within both halves: byte `i` comes from byte `order[i]`.
#[inline(always)]
fn shuffle_bytes(row: __m256i, order: &[u8; 16]) -> __m256i {
    // SAFETY: an array of 16 bytes; a vector exists.
    unsafe {
        let order = _mm_loadu_si128(order.as_ptr().cast());
        _mm256_shuffle_epi8(row, _mm256_broadcastsi128_si256(order))
    }
}

/// 16 bytes of one lane beside 16 bytes of another.
///
/// # Safety
/// The features are on, and both inputs have 16 bytes from `offset` on.
#[inline(always)]
unsafe fn two_rows(low: &[u8], high: &[u8], offset: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm_loadu_si128(low.as_ptr().add(offset).cast());
        let high = _mm_loadu_si128(high.as_ptr().add(offset).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

/// [`Vector::load_line`], in four squares of 4 words by 8 lanes: the halves of a row are lanes 4 apart, so that
/// shuffles within the halves do.
#[inline(always)]
unsafe fn load_line32(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Avx2x32]) {
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
/// The features are on, and there are 8 inputs of 16 bytes from `offset` on.
#[inline(always)]
unsafe fn load_square32(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Avx2x32]) {
    let mut rows = [words[0].0; 4];
    for lane in 0..4 {
        // SAFETY: the caller's promise.
        rows[lane] = unsafe { two_rows(inputs.get_unchecked(lane), inputs.get_unchecked(lane + 4), offset) };
        if big_endian {
            rows[lane] = shuffle_bytes(rows[lane], &REVERSED_32);
        }
    }
    register!({
        let low01 = _mm256_unpacklo_epi32(rows[0], rows[1]);
        let high01 = _mm256_unpackhi_epi32(rows[0], rows[1]);
        let low23 = _mm256_unpacklo_epi32(rows[2], rows[3]);
        let high23 = _mm256_unpackhi_epi32(rows[2], rows[3]);
        words[0] = Avx2x32(_mm256_unpacklo_epi64(low01, low23));
        words[1] = Avx2x32(_mm256_unpackhi_epi64(low01, low23));
        words[2] = Avx2x32(_mm256_unpacklo_epi64(high01, high23));
        words[3] = Avx2x32(_mm256_unpackhi_epi64(high01, high23));
    });
}

/// [`Vector::load_line`], in four squares of 2 words by 4 lanes: the halves of a row are lanes 2 apart.
#[inline(always)]
unsafe fn load_line64(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Avx2x64]) {
    // SAFETY: the caller's promise is the same.
    unsafe {
        load_square64(inputs, offset, big_endian, &mut words[..2]);
        load_square64(inputs, offset + 16, big_endian, &mut words[2..4]);
        load_square64(inputs, offset + 32, big_endian, &mut words[4..6]);
        load_square64(inputs, offset + 48, big_endian, &mut words[6..8]);
    }
}

/// # Safety
/// The features are on, and there are 4 inputs of 16 bytes from `offset` on.
#[inline(always)]
unsafe fn load_square64(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Avx2x64]) {
    let mut rows = [words[0].0; 2];
    for lane in 0..2 {
        // SAFETY: the caller's promise.
        rows[lane] = unsafe { two_rows(inputs.get_unchecked(lane), inputs.get_unchecked(lane + 2), offset) };
        if big_endian {
            rows[lane] = shuffle_bytes(rows[lane], &REVERSED_64);
        }
    }
    register!({
        words[0] = Avx2x64(_mm256_unpacklo_epi64(rows[0], rows[1]));
        words[1] = Avx2x64(_mm256_unpackhi_epi64(rows[0], rows[1]));
    });
}
