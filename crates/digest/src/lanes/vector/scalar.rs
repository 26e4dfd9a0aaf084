//! One lane: plain words. With [`Pair`](super::Pair) this makes the kernels of every CPU.

use super::{LINE_BYTES, Vector};

macro_rules! scalar {
    ($word:ident) => {
        impl Vector for $word {
            type Word = $word;
            const LANES: usize = 1;

            #[inline(always)]
            unsafe fn load(words: &[u8]) -> Self {
                first(words)
            }

            #[inline(always)]
            fn store(self, words: &mut [u8]) {
                words.copy_from_slice(&self.to_ne_bytes());
            }

            #[inline(always)]
            unsafe fn load_line(inputs: &[&[u8]], offset: usize, big_endian: bool, words: &mut [Self]) {
                let line = &inputs[0][offset..offset + LINE_BYTES];
                for index in 0..LINE_BYTES / size_of::<$word>() {
                    let word: Self = first(&line[index * size_of::<$word>()..]);
                    words[index] = if big_endian { word.to_be() } else { word.to_le() };
                }
            }

            #[inline(always)]
            fn splat(self, word: $word) -> Self {
                word
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn rol<const BITS: i32>(self) -> Self {
                self.rotate_left(BITS as u32)
            }
            #[inline(always)]
            fn shr<const BITS: i32>(self) -> Self {
                self >> BITS
            }
        }

        impl FromNative for $word {
            #[inline(always)]
            fn from_native(bytes: &[u8]) -> Self {
                let mut word = [0; size_of::<$word>()];
                word.copy_from_slice(&bytes[..size_of::<$word>()]);
                $word::from_ne_bytes(word)
            }
        }
    };
}

scalar!(u32);
scalar!(u64);

trait FromNative {
    fn from_native(bytes: &[u8]) -> Self;
}

/// The first word of `bytes`, in native byte order.
#[inline(always)]
fn first<W: FromNative>(bytes: &[u8]) -> W {
    W::from_native(bytes)
}
