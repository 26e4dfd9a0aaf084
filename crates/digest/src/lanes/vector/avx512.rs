//! AVX-512 (F, BW, VL, DQ): 16 lanes of 32 bits, 8 of 64. One instruction for each rotation and for each function of three.

use std::arch::x86_64::*;

use super::{LINE_BYTES, REVERSED_32, REVERSED_64, Vector};

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
    ($vector:ident, $word:ident, $splat:ident, $add:ident, $rol:ident, $shr:ident, $lanes:literal, $reversed:ident, $transpose:ident) => {
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
                let mut rows = [words[0].0; $lanes];
                for lane in 0..$lanes {
                    // SAFETY: the caller promises the features, the input, and that it has 64 bytes from `offset` on.
                    unsafe {
                        let input = inputs.get_unchecked(lane).as_ptr().add(offset);
                        rows[lane] = _mm512_loadu_si512(input.cast());
                    }
                    if big_endian {
                        rows[lane] = shuffle_bytes(rows[lane], &$reversed);
                    }
                }
                let columns = $transpose(rows);
                for index in 0..LINE_BYTES / size_of::<$word>() {
                    words[index] = $vector(columns[index]);
                }
            }

            #[inline(always)]
            unsafe fn load_word(inputs: &[&[u8]], offset: usize) -> Self {
                let mut words = [0; $lanes];
                for lane in 0..$lanes {
                    // SAFETY: the caller promises the input, and that it has a word from `offset` on.
                    words[lane] =
                        unsafe { inputs.get_unchecked(lane).as_ptr().add(offset).cast::<$word>().read_unaligned() };
                }
                // SAFETY: an array of 64 bytes; the features are the caller's promise.
                unsafe { $vector(_mm512_loadu_si512(words.as_ptr().cast())) }
            }

            #[inline(always)]
            fn splat(self, word: $word) -> Self {
                register!($vector($splat(word.cast_signed())))
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                register!($vector($add(self.0, other.0)))
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                register!($vector(_mm512_xor_si512(self.0, other.0)))
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                register!($vector(_mm512_and_si512(self.0, other.0)))
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                register!($vector(_mm512_or_si512(self.0, other.0)))
            }
            #[inline(always)]
            fn not(self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0x55>(self.0, self.0, self.0)))
            }
            #[inline(always)]
            fn rol<const BITS: i32>(self) -> Self {
                register!($vector($rol::<BITS>(self.0)))
            }
            #[inline(always)]
            fn shr<const BITS: i32>(self) -> Self {
                register!($vector($shr(self.0, _mm_cvtsi32_si128(BITS))))
            }
            // The constant of a ternary operation is its truth table: bit 4x + 2y + z.
            #[inline(always)]
            fn xor3(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0b1001_0110>(x.0, y.0, z.0)))
            }
            #[inline(always)]
            fn ch(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0b1100_1010>(x.0, y.0, z.0)))
            }
            #[inline(always)]
            fn maj(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0b1110_1000>(x.0, y.0, z.0)))
            }
            #[inline(always)]
            fn xor_or_not(x: Self, y: Self, z: Self) -> Self {
                register!($vector(_mm512_ternarylogic_epi32::<0b0010_1101>(x.0, y.0, z.0)))
            }
            #[inline(always)]
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
    _mm512_rol_epi32,
    _mm512_srl_epi32,
    16,
    REVERSED_32,
    transpose32
);
vector!(
    Avx512x64,
    u64,
    _mm512_set1_epi64,
    _mm512_add_epi64,
    _mm512_rol_epi64,
    _mm512_srl_epi64,
    8,
    REVERSED_64,
    transpose64
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

/// 16 rows of 16 words: first within each quarter of 128 bits, then the quarters.
#[inline(always)]
fn transpose32(rows: [__m512i; 16]) -> [__m512i; 16] {
    let mut columns = rows;
    for four in [0, 4, 8, 12] {
        register!({
            let low01 = _mm512_unpacklo_epi32(rows[four], rows[four + 1]);
            let high01 = _mm512_unpackhi_epi32(rows[four], rows[four + 1]);
            let low23 = _mm512_unpacklo_epi32(rows[four + 2], rows[four + 3]);
            let high23 = _mm512_unpackhi_epi32(rows[four + 2], rows[four + 3]);
            columns[four] = _mm512_unpacklo_epi64(low01, low23);
            columns[four + 1] = _mm512_unpackhi_epi64(low01, low23);
            columns[four + 2] = _mm512_unpacklo_epi64(high01, high23);
            columns[four + 3] = _mm512_unpackhi_epi64(high01, high23);
        });
    }
    for word in 0..4 {
        let quarters = transpose_quarters([columns[word], columns[word + 4], columns[word + 8], columns[word + 12]]);
        columns[word] = quarters[0];
        columns[word + 4] = quarters[1];
        columns[word + 8] = quarters[2];
        columns[word + 12] = quarters[3];
    }
    columns
}

/// 8 rows of 8 words: first within each quarter of 128 bits, then the quarters.
#[inline(always)]
fn transpose64(rows: [__m512i; 8]) -> [__m512i; 8] {
    let mut columns = rows;
    for two in [0, 2, 4, 6] {
        register!({
            columns[two] = _mm512_unpacklo_epi64(rows[two], rows[two + 1]);
            columns[two + 1] = _mm512_unpackhi_epi64(rows[two], rows[two + 1]);
        });
    }
    for word in 0..2 {
        let quarters = transpose_quarters([columns[word], columns[word + 2], columns[word + 4], columns[word + 6]]);
        columns[word] = quarters[0];
        columns[word + 2] = quarters[1];
        columns[word + 4] = quarters[2];
        columns[word + 6] = quarters[3];
    }
    columns
}

/// 4 rows of 4 times 128 bits.
#[inline(always)]
fn transpose_quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    register!({
        let even_ab = _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b);
        let odd_ab = _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b);
        let even_cd = _mm512_shuffle_i32x4::<0b10_00_10_00>(c, d);
        let odd_cd = _mm512_shuffle_i32x4::<0b11_01_11_01>(c, d);
        [
            _mm512_shuffle_i32x4::<0b10_00_10_00>(even_ab, even_cd),
            _mm512_shuffle_i32x4::<0b10_00_10_00>(odd_ab, odd_cd),
            _mm512_shuffle_i32x4::<0b11_01_11_01>(even_ab, even_cd),
            _mm512_shuffle_i32x4::<0b11_01_11_01>(odd_ab, odd_cd),
        ]
    })
}
