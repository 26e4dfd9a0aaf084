//! Vectors of sixty-four bytes, in which the vector code of the similarity digests is written.
//!
//! The texts in `ctph` are generic over a [`Bytes`] and compiled once for each kind of vector, inside a function that
//! enables the CPU's features.
//!
//! As in the lanes of the cryptographic digests, a value is a proof: the first one is made by an `unsafe` load inside
//! such a function, and all others come from it. So everything but the loads is safe to call.
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
mod plain;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
pub(crate) use plain::Plain;

#[cfg(target_arch = "x86_64")]
use crate::Feature;

/// Bytes side by side.
pub(crate) const WIDTH: usize = 64;

/// The bytes from which a vector is loaded.
pub(crate) type Line = [u8; WIDTH];

/// Sixty-four bytes.
pub(crate) trait Bytes: Copy {
    /// # Safety
    /// The CPU has the features of this type and the caller is compiled with them.
    unsafe fn load(line: &Line) -> Self;

    /// Loads four quarters, one after the other.
    ///
    /// # Safety
    /// As for [`Bytes::load`].
    unsafe fn load_quarters(quarters: [&[u8; WIDTH / 4]; 4]) -> Self;

    fn store(self, line: &mut Line);

    /// The same byte everywhere. (`self` only proves that the type may be used.)
    fn splat(self, byte: u8) -> Self;
    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    /// Shifts each byte left.
    fn shl<const BITS: i32>(self) -> Self;
    /// The bytes of the first halves of all quarters, one of `self` and one of `other` in turn.
    fn interleave_low(self, other: Self) -> Self;
    /// Those of the second halves.
    fn interleave_high(self, other: Self) -> Self;
    /// Which bytes have none of the bits in `mask`, the first byte lowest.
    fn without(self, mask: Self) -> u64;

    /// `19·(x ⊕ turn) ⊕ turn` in the lowest six bits.
    #[inline(always)]
    fn times_19_turned<const TURN: u8>(self) -> Self {
        let turn = self.splat(TURN);
        let x = self.xor(turn);
        x.add(x).add(x).add(x.shl::<4>()).xor(turn)
    }
}

/// The CPU features that [`Avx512`] needs.
#[cfg(target_arch = "x86_64")]
pub(crate) const AVX512: &[Feature] = &[
    Feature::Avx512bw,
    Feature::Avx512vl,
    Feature::Avx512vbmi,
    Feature::Avx512vbmi2,
    Feature::Gfni,
    Feature::Popcnt,
    Feature::Bmi1,
];

/// The CPU features that [`Avx2`] needs.
#[cfg(target_arch = "x86_64")]
pub(crate) const AVX2: &[Feature] = &[Feature::Avx2, Feature::Popcnt, Feature::Bmi1];

/// Defines a function for each kind of vector that is the text of the given name, compiled for what that kind needs
/// ([`AVX512`], [`AVX2`]).
macro_rules! compiled {
    ($text:ident => $avx512:ident, $avx2:ident, $plain:ident; ($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,popcnt,bmi1")]
        fn $avx512($($argument: $type),*) $(-> $result)? {
            // SAFETY: compiled with these features, and called only where they are there.
            unsafe { $text::<$crate::bytes64::Avx512>($($argument),*) }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,popcnt,bmi1")]
        fn $avx2($($argument: $type),*) $(-> $result)? {
            // SAFETY: as above.
            unsafe { $text::<$crate::bytes64::Avx2>($($argument),*) }
        }

        fn $plain($($argument: $type),*) $(-> $result)? {
            // SAFETY: no features are needed.
            unsafe { $text::<$crate::bytes64::Plain>($($argument),*) }
        }
    };
}
pub(crate) use compiled;
