//! Counting the bits that a word sequence has in common with many others.
//!
//! The many lie in columns: eight sequences side by side, word by word, so that a vector holds the same word of all eight, and
//! nothing has to be summed across a vector.
//!
//! ```
//! use pfh_digest::bits::{Backend, LANES};
//!
//! // Eight sequences of two words: 0, 1, 2, … and ones.
//! let columns = [std::array::from_fn(|lane| lane as u64), [u64::MAX; LANES]];
//! let mut counts = [[0; LANES]];
//! Backend::chosen().and_counts(&[0b11, 0xFF], &columns, &mut counts);
//! assert_eq!(counts, [[8, 9, 9, 10, 8, 9, 9, 10]]);
//! ```
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

use std::fmt;
use std::sync::OnceLock;

/// Sequences side by side.
pub const LANES: usize = 8;

/// The same word of as many sequences.
pub type Column = [u64; LANES];

/// A way to count. A value exists only for what this CPU offers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Backend(Level);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Popcnt,
    Portable,
}

/// Best first.
const LEVELS: &[Level] = &[
    #[cfg(target_arch = "x86_64")]
    Level::Avx512,
    #[cfg(target_arch = "x86_64")]
    Level::Avx2,
    #[cfg(target_arch = "x86_64")]
    Level::Popcnt,
    Level::Portable,
];

impl Level {
    fn offered(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Level::Popcnt => is_x86_feature_detected!("popcnt"),
            Level::Portable => true,
        }
    }
}

impl Backend {
    /// The backends that this CPU offers, best first; the last one is always `portable`.
    pub fn offered() -> impl Iterator<Item = Backend> {
        LEVELS.iter().filter(|level| level.offered()).map(|&level| Backend(level))
    }

    /// The best one. Decided once per process.
    pub fn chosen() -> Backend {
        static CHOSEN: OnceLock<Backend> = OnceLock::new();
        *CHOSEN.get_or_init(|| Backend::offered().next().unwrap_or(Backend(Level::Portable)))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Popcnt => "popcnt",
            Level::Portable => "portable",
        }
    }

    /// Counts for each sequence the bits that are set in it and in `words`. Group `g` of eight sequences has the columns from
    /// `g * words.len()` on, and its counts become `counts[g]`.
    ///
    /// # Panics
    /// When there are not `words.len()` columns for each group, or more than 1023 words (a count would not fit).
    pub fn and_counts(self, words: &[u64], columns: &[Column], counts: &mut [[u16; LANES]]) {
        assert_eq!(words.len() * counts.len(), columns.len(), "as many columns as words for each group");
        assert!(words.len() < 1024, "at most 1023 words");
        if words.is_empty() {
            return counts.fill([0; LANES]);
        }
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level exists only where the CPU was found to have the features.
            Level::Avx512 => unsafe { x86::and_counts_avx512(words, columns, counts) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { x86::and_counts_avx2(words, columns, counts) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Popcnt => unsafe { x86::and_counts_popcnt(words, columns, counts) },
            Level::Portable => and_counts(words, columns, counts),
        }
    }
}

/// The name.
impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[inline(always)]
fn and_counts(words: &[u64], columns: &[Column], counts: &mut [[u16; LANES]]) {
    for (group, counts) in columns.chunks_exact(words.len()).zip(counts) {
        *counts = [0; LANES];
        for (word, column) in words.iter().zip(group) {
            for (count, other) in counts.iter_mut().zip(column) {
                *count += (word & other).count_ones() as u16;
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Column, LANES};

    #[target_feature(enable = "popcnt")]
    pub(super) fn and_counts_popcnt(words: &[u64], columns: &[Column], counts: &mut [[u16; LANES]]) {
        super::and_counts(words, columns, counts);
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn and_counts_avx512(words: &[u64], columns: &[Column], counts: &mut [[u16; LANES]]) {
        // The loop over the words of a few lengths is worth unrolling.
        match words.len() {
            4 => avx512::<4>(words, columns, counts),
            8 => avx512::<8>(words, columns, counts),
            32 => avx512::<32>(words, columns, counts),
            _ => avx512::<0>(words, columns, counts),
        }
    }

    /// With `WORDS` words, or any number if that is 0.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn avx512<const WORDS: usize>(words: &[u64], columns: &[Column], counts: &mut [[u16; LANES]]) {
        let words = if WORDS == 0 { words } else { &words[..WORDS] };
        for (group, counts) in columns.chunks_exact(words.len()).zip(counts) {
            let mut sums = _mm512_setzero_si512();
            for (word, column) in words.iter().zip(group) {
                // SAFETY: a column is 64 bytes, and the load takes any alignment.
                let column = unsafe { _mm512_loadu_si512(column.as_ptr().cast()) };
                let common = _mm512_and_si512(column, _mm512_set1_epi64(word.cast_signed()));
                sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(common));
            }
            // SAFETY: eight counts are 16 bytes, and the store takes any alignment.
            unsafe { _mm_storeu_si128(counts.as_mut_ptr().cast(), _mm512_cvtepi64_epi16(sums)) };
        }
    }

    /// W. Muła, N. Kurz, D. Lemire, "Faster population counts using AVX2 instructions", 2018: a table of the counts of four bits,
    /// looked up in a register.
    #[target_feature(enable = "avx2")]
    pub(super) fn and_counts_avx2(words: &[u64], columns: &[Column], counts: &mut [[u16; LANES]]) {
        let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let low = _mm256_set1_epi8(15);
        let zero = _mm256_setzero_si256();
        for (group, counts) in columns.chunks_exact(words.len()).zip(counts) {
            let mut sums = [zero; 2];
            // 31 words of at most 8 in each byte are below 256.
            for (words, columns) in words.chunks(31).zip(group.chunks(31)) {
                let mut bytes = [zero; 2];
                for (word, column) in words.iter().zip(columns) {
                    let word = _mm256_set1_epi64x(word.cast_signed());
                    for (half, bytes) in bytes.iter_mut().enumerate() {
                        // SAFETY: each half of a column is 32 bytes, and the load takes any alignment.
                        let column = unsafe { _mm256_loadu_si256(column.as_ptr().add(half * LANES / 2).cast()) };
                        let common = _mm256_and_si256(column, word);
                        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(common), low);
                        let high = _mm256_shuffle_epi8(table, high);
                        let low = _mm256_shuffle_epi8(table, _mm256_and_si256(common, low));
                        *bytes = _mm256_add_epi8(*bytes, _mm256_add_epi8(high, low));
                    }
                }
                for (sum, bytes) in sums.iter_mut().zip(bytes) {
                    *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(bytes, zero));
                }
            }
            for (half, sum) in sums.into_iter().enumerate() {
                let mut lanes = [0_u64; LANES / 2];
                // SAFETY: four words are 32 bytes, and the store takes any alignment.
                unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
                for (count, sum) in counts[half * LANES / 2..].iter_mut().zip(lanes) {
                    *count = sum as u16;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Backend, Column, LANES};

    /// Every backend against the plain definition, over all lengths around the edges and all groups.
    #[test]
    fn backends_agree() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Sparse, dense and full words.
            match state >> 61 {
                0 => u64::MAX,
                1 => 0,
                _ => state ^ state >> 29,
            }
        };
        for length in [0, 1, 2, 4, 8, 30, 31, 32, 33, 62, 63, 1023] {
            for groups in [0, 1, 2, 5] {
                let words: Vec<u64> = (0..length).map(|_| next()).collect();
                let columns: Vec<Column> = (0..length * groups).map(|_| std::array::from_fn(|_| next())).collect();
                let expected: Vec<[u16; LANES]> = (0..groups)
                    .map(|group| {
                        std::array::from_fn(|lane| {
                            let bits = |word: usize| words[word] & columns[group * length + word][lane];
                            (0..length).map(|word| bits(word).count_ones() as u16).sum()
                        })
                    })
                    .collect();
                for backend in Backend::offered() {
                    let mut counts = vec![[u16::MAX; LANES]; groups];
                    backend.and_counts(&words, &columns, &mut counts);
                    assert_eq!(counts, expected, "{backend:?}, {length} words, {groups} groups");
                }
            }
        }
    }

    #[test]
    fn full_words_do_not_overflow() {
        for backend in Backend::offered() {
            let mut counts = [[0; LANES]];
            backend.and_counts(&[u64::MAX; 1023], &[[u64::MAX; LANES]; 1023], &mut counts);
            assert_eq!(counts, [[1023 * 64; LANES]], "{backend:?}");
        }
    }
}
