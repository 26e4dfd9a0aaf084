//! AVX-512VL: the rotations and the functions of three of AVX-512 in narrower registers, 8 and 4 lanes of 32 bits.
//!
//! Where few lanes are busy, these do less work than the full width, and need fewer instructions than AVX2 and SSSE3.

use std::arch::x86_64::*;

use super::avx2::Avx2x32;
use super::ssse3::Ssse3x32;
use super::{LINE_BYTES, Vector};

/// 8 lanes of 32 bits.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Avx512x32In256(Avx2x32);

/// 4 lanes of 32 bits.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Avx512x32In128(Ssse3x32);

/// An intrinsic that touches no memory.
macro_rules! register {
    ($call:expr) => {
        // SAFETY: a vector exists, so the code around runs with the features on (head of `vector`).
        unsafe { $call }
    };
}

/// Loads, stores and sums are those of the vector of the older instructions.
macro_rules! vector {
    ($vector:ident, $older:ident, $rol:ident, $ternary:ident) => {
        impl Vector for $vector {
            type Word = u32;
            const LANES: usize = $older::LANES;

            #[inline(always)]
            unsafe fn load(words: &[u8]) -> Self {
                // SAFETY: the caller's promise is the same.
                unsafe { $vector($older::load(words)) }
            }

            #[inline(always)]
            fn store(self, words: &mut [u8]) {
                self.0.store(words);
            }

            #[inline(always)]
            unsafe fn load_line(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Self]) {
                let mut line = [words[0].0; LINE_BYTES / 4];
                // SAFETY: the caller's promise is the same.
                unsafe { $older::load_line(inputs, offset, big_endian, &mut line) };
                for index in 0..LINE_BYTES / 4 {
                    words[index] = $vector(line[index]);
                }
            }

            #[inline]
            fn splat(self, word: u32) -> Self {
                $vector(self.0.splat(word))
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                $vector(self.0.add(other.0))
            }
            #[inline]
            fn sub(self, other: Self) -> Self {
                $vector(self.0.sub(other.0))
            }
            #[inline]
            fn xor(self, other: Self) -> Self {
                $vector(self.0.xor(other.0))
            }
            #[inline]
            fn and(self, other: Self) -> Self {
                $vector(self.0.and(other.0))
            }
            #[inline]
            fn not(self) -> Self {
                $vector(self.0.not())
            }
            #[inline]
            fn rol<const BITS: i32>(self) -> Self {
                register!($vector($older($rol::<BITS>(self.0.0))))
            }
            #[inline]
            fn shr<const BITS: i32>(self) -> Self {
                $vector(self.0.shr::<BITS>())
            }
            // The truth tables are those of `avx512`.
            #[inline]
            fn xor3(x: Self, y: Self, z: Self) -> Self {
                register!($vector($older($ternary::<0b1001_0110>(x.0.0, y.0.0, z.0.0))))
            }
            #[inline]
            fn ch(x: Self, y: Self, z: Self) -> Self {
                register!($vector($older($ternary::<0b1100_1010>(x.0.0, y.0.0, z.0.0))))
            }
            #[inline]
            fn maj(x: Self, y: Self, z: Self) -> Self {
                register!($vector($older($ternary::<0b1110_1000>(x.0.0, y.0.0, z.0.0))))
            }
            #[inline]
            fn xor_not_and(x: Self, y: Self, z: Self) -> Self {
                register!($vector($older($ternary::<0b1101_0010>(x.0.0, y.0.0, z.0.0))))
            }
        }
    };
}

vector!(Avx512x32In256, Avx2x32, _mm256_rol_epi32, _mm256_ternarylogic_epi32);
vector!(Avx512x32In128, Ssse3x32, _mm_rol_epi32, _mm_ternarylogic_epi32);
