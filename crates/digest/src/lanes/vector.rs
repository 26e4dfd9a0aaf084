//! The lane vector: one word of each lane, and the operations that the texts of the algorithms are written in.
//!
//! A value of a vector type is a proof: the first one is made by an `unsafe` load inside a kernel's entry, which
//! enables the CPU's features, and all others come from it. So everything but the loads is safe to call, and the texts
//! contain no `unsafe`.
//!
//! Nothing here enables features of its own: all of it is inlined into the entry and compiled there. Loads and stores
//! are `#[inline(always)]`, being larger than what the compiler inlines otherwise. Arithmetic is only `#[inline]`: the
//! compiler then simplifies each operation before it inlines it, instead of a whole kernel of 100,000 instructions
//! afterwards, which takes more than twice as long. Plain words are `#[inline(always)]` as well, since Keccak was a
//! sixth slower without.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512vl;
#[cfg(target_arch = "aarch64")]
pub(super) mod neon;
mod pair;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod shuffle;
#[cfg(target_arch = "x86_64")]
pub(super) mod ssse3;

pub(super) use pair::Pair;

/// Bytes of each lane that [`Vector::load_line`] takes.
pub(super) const LINE_BYTES: usize = 64;
pub(super) type Line = [u8; LINE_BYTES];

/// One word of each lane.
pub(super) trait Vector: Copy {
    /// `u32` or `u64`.
    type Word: Copy;
    /// Number of lanes.
    const LANES: usize;

    /// Loads one word of each lane, in native byte order.
    ///
    /// # Safety
    /// The CPU has the features of this type and the caller is compiled with them.
    unsafe fn load(words: &[u8]) -> Self;

    /// Stores what [`Vector::load`] loads.
    fn store(self, words: &mut [u8]);

    /// Loads 64 bytes of each lane, transposed: `words[i]` gets word `i` of every lane. `big_endian` is the order of
    /// the bytes in the input.
    ///
    /// # Safety
    /// As for [`Vector::load`], and each of the first `LANES` inputs has 64 bytes from `offset` on.
    unsafe fn load_line(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Self]);

    /// The same word in each lane. (`self` only proves that the type may be used.)
    fn splat(self, word: Self::Word) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// Rotates each word left by `BITS`, which is neither 0 nor the word's length.
    fn rol<const BITS: i32>(self) -> Self;
    /// Shifts each word right by `BITS`.
    fn shr<const BITS: i32>(self) -> Self;

    #[inline(always)]
    fn add_word(self, word: Self::Word) -> Self {
        self.add(self.splat(word))
    }

    /// `x ^ y ^ z`; `x` is needed last.
    #[inline(always)]
    fn xor3(x: Self, y: Self, z: Self) -> Self {
        x.xor(y.xor(z))
    }

    /// Chooses: where a bit of `x` is set the bit of `y`, else that of `z`.
    #[inline(always)]
    fn ch(x: Self, y: Self, z: Self) -> Self {
        z.xor(x.and(y.xor(z)))
    }

    /// Majority. `x ^ y` of one round is `y ^ z` of the next, where the compiler finds it.
    #[inline(always)]
    fn maj(x: Self, y: Self, z: Self) -> Self {
        y.xor(x.xor(y).and(y.xor(z)))
    }

    /// `x ^ (!y & z)`
    #[inline(always)]
    fn xor_not_and(x: Self, y: Self, z: Self) -> Self {
        x.xor(y.not().and(z))
    }
}

/// A vector that makes the blocks of short messages in registers.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX-512 has the masks for it"))]
pub(super) trait ShortVector: Vector<Word = u32> {
    /// The 64 bytes of a message from `offset` on; behind its end the byte 0x80, then zeros.
    ///
    /// # Safety
    /// As for [`Vector::load`].
    unsafe fn last_line(message: &[u8], offset: usize) -> Line;

    /// Stores 8 words of each lane as the first 32 bytes of its line, in the byte order given.
    fn store_lines(words: [Self; 8], big_endian: bool, lines: &mut [Line]);
}
