//! AVX2: two registers.

use std::arch::x86_64::*;

use super::{Bytes, Line, WIDTH};

#[derive(Clone, Copy)]
pub(crate) struct Avx2([__m256i; 2]);

/// An intrinsic that touches no memory, on both registers.
macro_rules! registers {
    ($call:path, $x:expr $(, $y:expr)*) => {
        // SAFETY: a vector exists, so the code around runs with the features on (head of `bytes64`).
        unsafe { Avx2([$call($x.0[0] $(, $y.0[0])*), $call($x.0[1] $(, $y.0[1])*)]) }
    };
}

impl Bytes for Avx2 {
    #[inline(always)]
    unsafe fn load(line: &Line) -> Self {
        let (low, high) = line.split_at(WIDTH / 2);
        // SAFETY: each half has 32 bytes; the features are the caller's promise.
        unsafe { Avx2([_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())]) }
    }

    #[inline(always)]
    unsafe fn load_quarters([a, b, c, d]: [&[u8; WIDTH / 4]; 4]) -> Self {
        // SAFETY: each quarter has 16 bytes; the features are the caller's promise.
        unsafe {
            Avx2([
                _mm256_loadu2_m128i(b.as_ptr().cast(), a.as_ptr().cast()),
                _mm256_loadu2_m128i(d.as_ptr().cast(), c.as_ptr().cast()),
            ])
        }
    }

    #[inline(always)]
    fn store(self, line: &mut Line) {
        let (low, high) = line.split_at_mut(WIDTH / 2);
        // SAFETY: each half has 32 bytes; a vector exists.
        unsafe {
            _mm256_storeu_si256(low.as_mut_ptr().cast(), self.0[0]);
            _mm256_storeu_si256(high.as_mut_ptr().cast(), self.0[1]);
        }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        // SAFETY: a vector exists.
        Avx2([unsafe { _mm256_set1_epi8(byte.cast_signed()) }; 2])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        registers!(_mm256_add_epi8, self, other)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        registers!(_mm256_xor_si256, self, other)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        registers!(_mm256_and_si256, self, other)
    }
    #[inline(always)]
    fn shl<const BITS: i32>(self) -> Self {
        let words = registers!(_mm256_slli_epi16::<BITS>, self);
        words.and(self.splat(0xFF << BITS))
    }
    #[inline(always)]
    fn interleave_low(self, other: Self) -> Self {
        registers!(_mm256_unpacklo_epi8, self, other)
    }
    #[inline(always)]
    fn interleave_high(self, other: Self) -> Self {
        registers!(_mm256_unpackhi_epi8, self, other)
    }
    #[inline(always)]
    fn without(self, mask: Self) -> u64 {
        let zeros = registers!(_mm256_cmpeq_epi8, self.and(mask), self.splat(0));
        // SAFETY: a vector exists.
        let (low, high) = unsafe { (_mm256_movemask_epi8(zeros.0[0]), _mm256_movemask_epi8(zeros.0[1])) };
        u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
    }
}
