//! NEON: 4 lanes of 32 bits. For 64 bits there is no kernel: two lanes gain nothing over plain words.

use std::arch::aarch64::*;

use super::Vector;

/// 4 lanes of 32 bits.
#[derive(Clone, Copy)]
pub(in crate::lanes) struct Neonx32(uint32x4_t);

/// An intrinsic that touches no memory.
macro_rules! register {
    ($call:expr) => {
        // SAFETY: a vector exists, so the code around runs with the features on (head of `vector`).
        unsafe { $call }
    };
}

impl Vector for Neonx32 {
    type Word = u32;
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(words: &[u8]) -> Self {
        assert_eq!(words.len(), 16);
        // SAFETY: 16 bytes are there; the features are the caller's promise.
        unsafe { Neonx32(vreinterpretq_u32_u8(vld1q_u8(words.as_ptr()))) }
    }

    #[inline(always)]
    fn store(self, words: &mut [u8]) {
        assert_eq!(words.len(), 16);
        // SAFETY: 16 bytes are there; a vector exists.
        unsafe { vst1q_u8(words.as_mut_ptr(), vreinterpretq_u8_u32(self.0)) }
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
        register!(Neonx32(vdupq_n_u32(word)))
    }
    #[inline]
    fn add(self, other: Self) -> Self {
        register!(Neonx32(vaddq_u32(self.0, other.0)))
    }
    #[inline]
    fn sub(self, other: Self) -> Self {
        register!(Neonx32(vsubq_u32(self.0, other.0)))
    }
    #[inline]
    fn xor(self, other: Self) -> Self {
        register!(Neonx32(veorq_u32(self.0, other.0)))
    }
    #[inline]
    fn and(self, other: Self) -> Self {
        register!(Neonx32(vandq_u32(self.0, other.0)))
    }
    #[inline]
    fn not(self) -> Self {
        register!(Neonx32(vmvnq_u32(self.0)))
    }
    #[inline]
    fn rol<const BITS: i32>(self) -> Self {
        // Counts below zero shift right. They are constants, which makes these the shifts with an immediate operand.
        register!(Neonx32(vorrq_u32(vshlq_u32(self.0, vdupq_n_s32(BITS)), vshlq_u32(self.0, vdupq_n_s32(BITS - 32)),)))
    }
    #[inline]
    fn shr<const BITS: i32>(self) -> Self {
        register!(Neonx32(vshlq_u32(self.0, vdupq_n_s32(-BITS))))
    }
    #[inline]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        register!(Neonx32(vbslq_u32(x.0, y.0, z.0)))
    }
    #[inline]
    fn xor_not_and(x: Self, y: Self, z: Self) -> Self {
        register!(Neonx32(veorq_u32(x.0, vbicq_u32(z.0, y.0))))
    }
}

/// # Safety
/// The features are on, and there are 4 inputs of 16 bytes from `offset` on.
#[inline(always)]
unsafe fn load_square(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Neonx32]) {
    let mut rows = [words[0].0; 4];
    for lane in 0..4 {
        // SAFETY: the caller's promise.
        rows[lane] = unsafe {
            let row = vld1q_u8(inputs.get_unchecked(lane).as_ptr().add(offset));
            vreinterpretq_u32_u8(if big_endian { vrev32q_u8(row) } else { row })
        };
    }
    register!({
        let even01 = vreinterpretq_u64_u32(vtrn1q_u32(rows[0], rows[1]));
        let odd01 = vreinterpretq_u64_u32(vtrn2q_u32(rows[0], rows[1]));
        let even23 = vreinterpretq_u64_u32(vtrn1q_u32(rows[2], rows[3]));
        let odd23 = vreinterpretq_u64_u32(vtrn2q_u32(rows[2], rows[3]));
        words[0] = Neonx32(vreinterpretq_u32_u64(vtrn1q_u64(even01, even23)));
        words[1] = Neonx32(vreinterpretq_u32_u64(vtrn1q_u64(odd01, odd23)));
        words[2] = Neonx32(vreinterpretq_u32_u64(vtrn2q_u64(even01, even23)));
        words[3] = Neonx32(vreinterpretq_u32_u64(vtrn2q_u64(odd01, odd23)));
    });
}
