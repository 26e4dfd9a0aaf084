//! FNV-1a of 64 bits of many chunks of one buffer (G. Fowler, L. Noll, K.-P. Vo; RFC 9923).
//!
//! FNV-1a takes one byte after the other, and each step waits for a multiplication. So several chunks are hashed side by side.
//!
//! ```
//! use pfh_digest::chunks::{Backend, OFFSET_BASIS};
//!
//! let mut values = Vec::new();
//! Backend::chosen().fnv1a_64(OFFSET_BASIS, b"afoobar", &[1, 7], &mut values);
//! assert_eq!(values, [0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8]);
//! ```
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

use std::fmt;
use std::sync::OnceLock;

/// The value of no bytes.
pub const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// A way to hash. A value exists only for what this CPU offers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Backend(Level);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512Ifma,
    Portable,
}

/// Best first.
const LEVELS: &[Level] = &[
    #[cfg(target_arch = "x86_64")]
    Level::Avx512Ifma,
    Level::Portable,
];

impl Level {
    fn offered(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512Ifma => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma"),
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
            Level::Avx512Ifma => "avx512-ifma",
            Level::Portable => "portable",
        }
    }

    /// Hashes the chunks that end at `ends`, one behind another from the beginning of `bytes` on, and makes `values` their values.
    /// The first one goes on from `first`, the others from [`OFFSET_BASIS`].
    ///
    /// # Panics
    /// When the ends do not rise, or go beyond `bytes`.
    pub fn fnv1a_64(self, first: u64, bytes: &[u8], ends: &[usize], values: &mut Vec<u64>) {
        values.clear();
        values.resize(ends.len(), OFFSET_BASIS);
        if let Some(value) = values.first_mut() {
            *value = first;
        }
        let chunks = by_length(bytes, ends);
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level exists only where the CPU was found to have the features.
            Level::Avx512Ifma => unsafe { x86::hash(&chunks, values) },
            Level::Portable => hash(&chunks, values),
        }
    }
}

/// The name.
impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Some of the bytes, and the place of its value.
#[derive(Clone, Copy)]
struct Chunk<'b> {
    place: usize,
    bytes: &'b [u8],
}

/// Lengths that are told apart, in words of eight bytes.
const LENGTHS: usize = 128;

/// The chunks, long ones first, so that chunks side by side are of about one length.
fn by_length<'b>(bytes: &'b [u8], ends: &[usize]) -> Vec<Chunk<'b>> {
    let starts = [0].into_iter().chain(ends.iter().copied());
    let chunks = || starts.clone().zip(ends).map(|(start, &end)| &bytes[start..end]);
    let rank = |chunk: &[u8]| LENGTHS - 1 - (chunk.len() / 8).min(LENGTHS - 1);
    // Where the next chunk of each length goes.
    let mut slots = [0; LENGTHS + 1];
    chunks().for_each(|chunk| slots[rank(chunk) + 1] += 1);
    for rank in 1..slots.len() {
        slots[rank] += slots[rank - 1];
    }
    let mut sorted = vec![Chunk { place: 0, bytes: &[] }; ends.len()];
    for (place, bytes) in chunks().enumerate() {
        let slot = &mut slots[rank(bytes)];
        sorted[*slot] = Chunk { place, bytes };
        *slot += 1;
    }
    sorted
}

/// The length of the shortest one.
fn common_bytes(group: &[Chunk<'_>]) -> usize {
    group.iter().map(|chunk| chunk.bytes.len()).min().unwrap_or(0)
}

fn step(value: u64, byte: u8) -> u64 {
    (value ^ u64::from(byte)).wrapping_mul(PRIME)
}

/// The value of what `value` is the value of, with `bytes` behind it.
pub fn fnv1a_64(value: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(value, |value, &byte| step(value, byte))
}

/// Four side by side: a multiplication takes four times as long as a core needs to begin another one.
fn hash(chunks: &[Chunk<'_>], values: &mut [u64]) {
    let (groups, rest) = chunks.as_chunks::<4>();
    for group in groups {
        let common = common_bytes(group);
        let [b0, b1, b2, b3] = group.map(|chunk| &chunk.bytes[..common]);
        let [mut s0, mut s1, mut s2, mut s3] = group.map(|chunk| values[chunk.place]);
        for (((&b0, &b1), &b2), &b3) in b0.iter().zip(b1).zip(b2).zip(b3) {
            (s0, s1, s2, s3) = (step(s0, b0), step(s1, b1), step(s2, b2), step(s3, b3));
        }
        for (chunk, value) in group.iter().zip([s0, s1, s2, s3]) {
            values[chunk.place] = fnv1a_64(value, &chunk.bytes[common..]);
        }
    }
    for chunk in rest {
        values[chunk.place] = fnv1a_64(values[chunk.place], chunk.bytes);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Chunk, PRIME, common_bytes};

    const LANES: usize = 8;
    /// Vectors side by side: a step takes five cycles, and a core begins a vector's every two or three.
    const VECTORS: usize = 2;
    const LOW_BITS: u32 = 52;

    /// Values in two parts, of 52 and 12 bits, because the multiplication takes 52.
    #[derive(Clone, Copy)]
    struct Values {
        low: __m512i,
        /// Only the lowest 12 bits count.
        high: __m512i,
    }

    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn hash(chunks: &[Chunk<'_>], values: &mut [u64]) {
        let (groups, rest) = chunks.as_chunks::<{ VECTORS * LANES }>();
        for group in groups {
            let words = common_bytes(group) / 8;
            let starts: [*const u8; VECTORS * LANES] = std::array::from_fn(|lane| group[lane].bytes.as_ptr());
            let mut state: [Values; VECTORS] = std::array::from_fn(|vector| {
                let lanes: [u64; LANES] = std::array::from_fn(|lane| values[group[vector * LANES + lane].place]);
                // SAFETY: eight words are 64 bytes, and the load takes any alignment.
                let whole = unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
                let low = _mm512_and_si512(whole, _mm512_set1_epi64((1 << LOW_BITS) - 1));
                Values { low, high: _mm512_srli_epi64::<LOW_BITS>(whole) }
            });
            let pointers: [__m512i; VECTORS] = std::array::from_fn(|vector| {
                // SAFETY: eight pointers are 64 bytes, and the load takes any alignment.
                unsafe { _mm512_loadu_si512(starts.as_ptr().add(vector * LANES).cast()) }
            });
            for word in 0..words {
                let at = _mm512_set1_epi64(8 * word as i64);
                let mut bytes = [_mm512_setzero_si512(); VECTORS];
                for (bytes, &pointers) in bytes.iter_mut().zip(&pointers) {
                    // SAFETY: the addresses are those of a word of each chunk, and every chunk has as many words.
                    *bytes = unsafe { _mm512_i64gather_epi64::<1>(_mm512_add_epi64(pointers, at), std::ptr::null()) };
                }
                for _ in 0..8 {
                    for (state, bytes) in state.iter_mut().zip(&mut bytes) {
                        *state = step(*state, *bytes);
                        *bytes = _mm512_srli_epi64::<8>(*bytes);
                    }
                }
            }
            for (vector, state) in state.iter().enumerate() {
                let whole = _mm512_or_si512(state.low, _mm512_slli_epi64::<LOW_BITS>(state.high));
                let mut lanes = [0_u64; LANES];
                // SAFETY: eight words are 64 bytes, and the store takes any alignment.
                unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), whole) };
                for (chunk, value) in group[vector * LANES..].iter().zip(lanes) {
                    values[chunk.place] = value;
                }
            }
            finish(group, 8 * words, values);
        }
        super::hash(rest, values);
    }

    /// One byte, the lowest one of each word.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn step(state: Values, bytes: __m512i) -> Values {
        let zero = _mm512_setzero_si512();
        let prime = _mm512_set1_epi64(PRIME.cast_signed());
        // `a ^ (b & c)`
        let low = _mm512_ternarylogic_epi64::<0x78>(state.low, bytes, _mm512_set1_epi64(0xFF));
        Values {
            low: _mm512_madd52lo_epu64(zero, low, prime),
            high: _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(zero, low, prime), state.high, prime),
        }
    }

    /// What is behind the common length.
    fn finish(group: &[Chunk<'_>], from: usize, values: &mut [u64]) {
        let longer: Vec<Chunk<'_>> =
            group.iter().map(|chunk| Chunk { place: chunk.place, bytes: &chunk.bytes[from..] }).collect();
        super::hash(&longer, values);
    }
}

#[cfg(test)]
mod tests {
    use super::{Backend, OFFSET_BASIS, fnv1a_64};

    /// Values of the reference's test suite.
    #[test]
    fn published() {
        for (text, value) in [("", OFFSET_BASIS), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
            assert_eq!(fnv1a_64(OFFSET_BASIS, text.as_bytes()), value);
        }
    }

    #[test]
    fn backends_agree() {
        let mut state = 9_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize
        };
        let bytes: Vec<u8> = (0..1_000_000).map(|_| next() as u8).collect();
        for chunks in (0..40).chain([100, 300]) {
            for most in [1, 8, 9, 50, 200, 3000] {
                let mut end = 0;
                let ends: Vec<usize> = (0..chunks)
                    .map(|_| {
                        end += next() % (most + 1);
                        end
                    })
                    .collect();
                let starts = [0].into_iter().chain(ends.iter().copied());
                let expected: Vec<u64> = starts
                    .zip(&ends)
                    .enumerate()
                    .map(|(chunk, (start, &end))| {
                        fnv1a_64(if chunk == 0 { 77 } else { OFFSET_BASIS }, &bytes[start..end])
                    })
                    .collect();
                for backend in Backend::offered() {
                    let mut values = vec![1];
                    backend.fnv1a_64(77, &bytes, &ends, &mut values);
                    assert_eq!(values, expected, "{backend:?}, {chunks} of at most {most}");
                }
            }
        }
    }
}
