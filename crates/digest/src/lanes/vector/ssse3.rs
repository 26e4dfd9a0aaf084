//! SSSE3: 4 lanes of 32 bits. For 64 bits there is no kernel: two lanes gain nothing over plain words.

use std::arch::x86_64::*;

use super::Vector;
use super::shuffle::{REVERSED_32, Rotated};

/// 4 lanes of 32 bits.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Ssse3x32(pub(super) __m128i);

/// An intrinsic that touches no memory.
macro_rules! register {
    ($call:expr) => {
        // SAFETY: a vector exists, so the code around runs with the features on (head of `vector`).
        unsafe { $call }
    };
}

impl Vector for Ssse3x32 {
    type Word = u32;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(words: &[u8]) -> Self {
        assert_eq!(words.len(), 16);
        // SAFETY: 16 bytes are there; the features are the caller's promise.
        unsafe { Ssse3x32(_mm_loadu_si128(words.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, words: &mut [u8]) {
        assert_eq!(words.len(), 16);
        // SAFETY: 16 bytes are there; a vector exists.
        unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn load_line(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Self]) {
        // One by one: the compiler does not unroll a loop over them.
        // SAFETY: the caller's promise is the same.
        unsafe {
            load_square(inputs, offset, big_endian, &mut words[..4]);
            load_square(inputs, offset + 16, big_endian, &mut words[4..8]);
            load_square(inputs, offset + 32, big_endian, &mut words[8..12]);
            load_square(inputs, offset + 48, big_endian, &mut words[12..16]);
        }
    }

    #[inline]
    fn splat(self, word: u32) -> Self {
        register!(Ssse3x32(_mm_set1_epi32(word.cast_signed())))
    }
    #[inline]
    fn add(self, other: Self) -> Self {
        register!(Ssse3x32(_mm_add_epi32(self.0, other.0)))
    }
    #[inline]
    fn sub(self, other: Self) -> Self {
        register!(Ssse3x32(_mm_sub_epi32(self.0, other.0)))
    }
    #[inline]
    fn xor(self, other: Self) -> Self {
        register!(Ssse3x32(_mm_xor_si128(self.0, other.0)))
    }
    #[inline]
    fn and(self, other: Self) -> Self {
        register!(Ssse3x32(_mm_and_si128(self.0, other.0)))
    }
    #[inline]
    fn not(self) -> Self {
        register!(Ssse3x32(_mm_xor_si128(self.0, _mm_set1_epi8(-1))))
    }
    #[inline]
    fn rol<const BITS: i32>(self) -> Self {
        if BITS % 8 == 0 {
            return Ssse3x32(shuffle_bytes(self.0, Rotated::<4, BITS>::order()));
        }
        // The counts are constants, which makes these the shifts with an immediate operand.
        register!(Ssse3x32(_mm_or_si128(
            _mm_sll_epi32(self.0, _mm_cvtsi32_si128(BITS)),
            _mm_srl_epi32(self.0, _mm_cvtsi32_si128(32 - BITS)),
        )))
    }
    #[inline]
    fn shr<const BITS: i32>(self) -> Self {
        register!(Ssse3x32(_mm_srl_epi32(self.0, _mm_cvtsi32_si128(BITS))))
    }
    #[inline]
    fn xor_not_and(x: Self, y: Self, z: Self) -> Self {
        register!(Ssse3x32(_mm_xor_si128(x.0, _mm_andnot_si128(y.0, z.0))))
    }
}

/// Moves the bytes: byte `i` comes from byte `order[i]`.
#[inline(always)]
fn shuffle_bytes(row: __m128i, order: &[u8; 16]) -> __m128i {
    // SAFETY: an array of 16 bytes; a vector exists.
    unsafe { _mm_shuffle_epi8(row, _mm_loadu_si128(order.as_ptr().cast())) }
}

/// # Safety
/// The features are on, and there are 4 inputs of 16 bytes from `offset` on.
#[inline(always)]
unsafe fn load_square(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Ssse3x32]) {
    let mut rows = [words[0].0; 4];
    for lane in 0..4 {
        // SAFETY: the caller's promise.
        rows[lane] = unsafe { _mm_loadu_si128(inputs.get_unchecked(lane).as_ptr().add(offset).cast()) };
        if big_endian {
            rows[lane] = shuffle_bytes(rows[lane], &REVERSED_32);
        }
    }
    register!({
        let low01 = _mm_unpacklo_epi32(rows[0], rows[1]);
        let high01 = _mm_unpackhi_epi32(rows[0], rows[1]);
        let low23 = _mm_unpacklo_epi32(rows[2], rows[3]);
        let high23 = _mm_unpackhi_epi32(rows[2], rows[3]);
        words[0] = Ssse3x32(_mm_unpacklo_epi64(low01, low23));
        words[1] = Ssse3x32(_mm_unpackhi_epi64(low01, low23));
        words[2] = Ssse3x32(_mm_unpacklo_epi64(high01, high23));
        words[3] = Ssse3x32(_mm_unpackhi_epi64(high01, high23));
    });
}
