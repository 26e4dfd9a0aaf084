//! AVX-512 (F, BW, VL, VBMI, VBMI2) and GFNI: one register.

use std::arch::x86_64::*;

use super::{Bytes, Line, WIDTH};

#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512i);

/// An intrinsic that touches no memory.
macro_rules! register {
    ($call:expr) => {
        // SAFETY: a vector exists, so the code around runs with the features on (head of `bytes64`).
        unsafe { $call }
    };
}

/// For each of 64 values what [`Bytes::times_19_turned`] makes of it.
pub(crate) struct Times19<const TURN: u8>;

impl<const TURN: u8> Times19<TURN> {
    pub(crate) const TABLE: Line = {
        let mut table = [0; WIDTH];
        let mut x = 0;
        while x < WIDTH {
            table[x] = ((x as u8 ^ TURN).wrapping_mul(19) ^ TURN) & 63;
            x += 1;
        }
        table
    };
}

/// For code that is not generic over [`Bytes`].
#[inline]
#[target_feature(enable = "avx512bw")]
pub(crate) fn load(line: &Line) -> __m512i {
    // SAFETY: 64 bytes are there, and the load takes any alignment.
    unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
}

impl Bytes for Avx512 {
    #[inline(always)]
    unsafe fn load(line: &Line) -> Self {
        // SAFETY: 64 bytes are there; the features are the caller's promise.
        unsafe { Avx512(_mm512_loadu_si512(line.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn load_quarters([a, b, c, d]: [&[u8; WIDTH / 4]; 4]) -> Self {
        // SAFETY: each quarter has 16 bytes; the features are the caller's promise.
        unsafe {
            let all = _mm512_castsi128_si512(_mm_loadu_si128(a.as_ptr().cast()));
            let all = _mm512_inserti32x4::<1>(all, _mm_loadu_si128(b.as_ptr().cast()));
            let all = _mm512_inserti32x4::<2>(all, _mm_loadu_si128(c.as_ptr().cast()));
            Avx512(_mm512_inserti32x4::<3>(all, _mm_loadu_si128(d.as_ptr().cast())))
        }
    }

    #[inline(always)]
    fn store(self, line: &mut Line) {
        // SAFETY: 64 bytes are there; a vector exists.
        unsafe { _mm512_storeu_si512(line.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        register!(Avx512(_mm512_set1_epi8(byte.cast_signed())))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        register!(Avx512(_mm512_add_epi8(self.0, other.0)))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        register!(Avx512(_mm512_xor_si512(self.0, other.0)))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        register!(Avx512(_mm512_and_si512(self.0, other.0)))
    }
    #[inline(always)]
    fn shl<const BITS: i32>(self) -> Self {
        register!({
            let words = _mm512_sll_epi16(self.0, _mm_cvtsi32_si128(BITS));
            Avx512(_mm512_and_si512(words, _mm512_set1_epi8((0xFF_u8 << BITS).cast_signed())))
        })
    }
    #[inline(always)]
    fn interleave_low(self, other: Self) -> Self {
        register!(Avx512(_mm512_unpacklo_epi8(self.0, other.0)))
    }
    #[inline(always)]
    fn interleave_high(self, other: Self) -> Self {
        register!(Avx512(_mm512_unpackhi_epi8(self.0, other.0)))
    }
    #[inline(always)]
    fn without(self, mask: Self) -> u64 {
        register!(_mm512_testn_epi8_mask(self.0, mask.0))
    }

    /// A look-up, which takes the lowest six bits.
    #[inline(always)]
    fn times_19_turned<const TURN: u8>(self) -> Self {
        // SAFETY: the table has 64 bytes; a vector exists.
        unsafe {
            let table = _mm512_loadu_si512(Times19::<TURN>::TABLE.as_ptr().cast());
            Avx512(_mm512_permutexvar_epi8(self.0, table))
        }
    }
}
