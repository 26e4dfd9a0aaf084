//! FNV-1a of 64 bits of many chunks of one buffer (G. Fowler, L. Noll, K.-P. Vo; RFC 9923).
//!
//! FNV-1a takes one byte after the other, and each step waits for a multiplication. So several chunks are hashed side
//! by side.
//!
//! ```
//! use pfh_vector::Backend;
//! use pfh_vector::fnv1a_many::{Kernels, OFFSET_BASIS};
//!
//! let mut values = Vec::new();
//! Kernels::new(Backend::chosen()).fnv1a_64(OFFSET_BASIS, b"afoobar", &[1, 7], &mut values);
//! assert_eq!(values, [0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8]);
//! ```
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

#[cfg(target_arch = "x86_64")]
use crate::Feature;
use crate::kernels::kernels;
use crate::{Backend, Features, is_intel};

/// The value of no bytes.
pub const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The CPU features that both vector forms need.
#[cfg(target_arch = "x86_64")]
const AVX512: &[Feature] = &[Feature::Avx512bw, Feature::Avx512dq, Feature::Avx512vl, Feature::Bmi2];

#[cfg(target_arch = "x86_64")]
const AVX512_IFMA: &[Feature] =
    &[Feature::Avx512bw, Feature::Avx512dq, Feature::Avx512vl, Feature::Bmi2, Feature::Avx512ifma];

kernels! {
    /// Kernels that hash many chunks.
    pub struct Kernels {
        Avx512Dq = "avx512-dq", AVX512;
        Avx512Ifma = "avx512-ifma", AVX512_IFMA;
    }
}

impl Kernels {
    /// Returns the kernels of a backend.
    pub fn new(backend: Backend) -> Kernels {
        Kernels::choose(backend.features(), is_intel())
    }

    pub(crate) fn choose(features: Features, is_intel: bool) -> Kernels {
        // Intel's product of 64 bits takes three times as long as one of 52.
        #[cfg(target_arch = "x86_64")]
        if is_intel && features.has_all(AVX512_IFMA) {
            return Kernels(Form::Avx512Ifma);
        }
        let _ = is_intel;
        Kernels::best(features)
    }

    /// Hashes the chunks that end at `ends`, one after another from the beginning of `bytes` on, and makes `values`
    /// their values. The first one goes on from `first`, the others from [`OFFSET_BASIS`].
    ///
    /// # Panics
    /// When the ends do not rise or go beyond `bytes`, or there are more than 2³¹ bytes.
    pub fn fnv1a_64(self, first: u64, bytes: &[u8], ends: &[usize], values: &mut Vec<u64>) {
        assert!(bytes.len() <= 1 << 31, "at most 2³¹ bytes");
        values.clear();
        // The one behind them is that of the chunks that fill groups.
        values.resize(ends.len() + 1, OFFSET_BASIS);
        values[0] = first;
        let filler = Chunk { place: ends.len(), bytes: &bytes[..0] };
        let chunks = by_length(bytes, ends, filler);
        let (groups, _) = chunks.as_chunks();
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512Dq => unsafe { x86::hash_dq(groups, &[filler; GROUP], values) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx512Ifma => unsafe { x86::hash_ifma(groups, &[filler; GROUP], values) },
            Form::Portable => hash(groups, values),
        }
        values.truncate(ends.len());
    }
}

/// Some of the bytes, and the place of its value.
#[derive(Clone, Copy)]
struct Chunk<'b> {
    place: usize,
    bytes: &'b [u8],
}

/// Chunks of a group.
const GROUP: usize = 8;

/// Lengths that are told apart, in words of eight bytes.
const LENGTHS: usize = 128;

/// The chunks in whole groups, long ones first, so that chunks side by side are of about one length.
fn by_length<'b>(bytes: &'b [u8], ends: &[usize], filler: Chunk<'b>) -> Vec<Chunk<'b>> {
    let starts = [0].into_iter().chain(ends.iter().copied());
    let chunks = || starts.clone().zip(ends).map(|(start, &end)| &bytes[start..end]);
    let rank = |chunk: &[u8]| LENGTHS - 1 - (chunk.len() / 8).min(LENGTHS - 1);
    // Where the next chunk of each length goes.
    let mut slots = [0; LENGTHS + 1];
    chunks().for_each(|chunk| slots[rank(chunk) + 1] += 1);
    for rank in 1..slots.len() {
        slots[rank] += slots[rank - 1];
    }
    let mut sorted = vec![filler; ends.len().next_multiple_of(GROUP)];
    for (place, bytes) in chunks().enumerate() {
        let slot = &mut slots[rank(bytes)];
        sorted[*slot] = Chunk { place, bytes };
        *slot += 1;
    }
    sorted
}

fn step(value: u64, byte: u8) -> u64 {
    (value ^ u64::from(byte)).wrapping_mul(PRIME)
}

/// Continues the hash `value` of some bytes with further `bytes`.
pub fn fnv1a_64(value: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(value, |value, &byte| step(value, byte))
}

/// Four side by side: a multiplication takes four times as long as a core needs to begin another one.
fn hash(groups: &[[Chunk<'_>; GROUP]], values: &mut [u64]) {
    let (groups, _) = groups.as_flattened().as_chunks::<4>();
    for group in groups {
        let common = group.iter().map(|chunk| chunk.bytes.len()).min().unwrap_or(0);
        let [b0, b1, b2, b3] = group.map(|chunk| &chunk.bytes[..common]);
        let [mut s0, mut s1, mut s2, mut s3] = group.map(|chunk| values[chunk.place]);
        for (((&b0, &b1), &b2), &b3) in b0.iter().zip(b1).zip(b2).zip(b3) {
            (s0, s1, s2, s3) = (step(s0, b0), step(s1, b1), step(s2, b2), step(s3, b3));
        }
        for (chunk, value) in group.iter().zip([s0, s1, s2, s3]) {
            values[chunk.place] = fnv1a_64(value, &chunk.bytes[common..]);
        }
    }
}

/// Eight chunks in a vector, zeros after the ends of all but the longest one.
///
/// A zero byte only multiplies. So the products with it are taken back at the end, and nothing asks in between whether
/// a chunk has ended.
///
/// As in `bytes64`, the values of a type are made where the CPU's features are enabled, and texts over it are inlined
/// there.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::array::from_fn;

    use super::{Chunk, GROUP, PRIME};

    type Group<'b> = [Chunk<'b>; GROUP];

    /// Bytes of each chunk that are loaded at once.
    const TILE_BYTES: usize = 32;
    const TILE_WORDS: usize = TILE_BYTES / 8;

    #[target_feature(enable = "avx512bw,avx512dq,avx512vl,bmi2")]
    pub(super) fn hash_dq(groups: &[Group<'_>], idle: &Group<'_>, values: &mut [u64]) {
        // SAFETY: compiled with these features, and called only where they are there.
        unsafe { hash::<Whole>(groups, idle, values) }
    }

    #[target_feature(enable = "avx512bw,avx512dq,avx512vl,avx512ifma,bmi2")]
    pub(super) fn hash_ifma(groups: &[Group<'_>], idle: &Group<'_>, values: &mut [u64]) {
        // SAFETY: as above.
        unsafe { hash::<Parts>(groups, idle, values) }
    }

    /// The values of a group.
    trait Values: Copy {
        /// # Safety
        /// The CPU has the features of this type and the caller is compiled with them.
        unsafe fn new(values: [u64; GROUP]) -> Self;

        /// Takes one byte, the lowest one of each word.
        ///
        /// # Safety
        /// As for [`Values::new`].
        unsafe fn step(self, words: __m512i) -> Self;

        /// # Safety
        /// As for [`Values::new`].
        unsafe fn get(self) -> [u64; GROUP];
    }

    /// As they are.
    #[derive(Clone, Copy)]
    struct Whole(__m512i);

    impl Values for Whole {
        #[inline(always)]
        unsafe fn new(values: [u64; GROUP]) -> Whole {
            // SAFETY: eight words are 64 bytes, and the load takes any alignment; the features are the caller's
            // promise.
            Whole(unsafe { _mm512_loadu_si512(values.as_ptr().cast()) })
        }

        #[inline(always)]
        unsafe fn step(self, words: __m512i) -> Whole {
            // SAFETY: the caller's promise is the same.
            unsafe { Whole(_mm512_mullo_epi64(with_lowest(self.0, words), _mm512_set1_epi64(PRIME.cast_signed()))) }
        }

        #[inline(always)]
        unsafe fn get(self) -> [u64; GROUP] {
            let mut values = [0; GROUP];
            // SAFETY: eight words are 64 bytes, and the store takes any alignment; the features are the caller's
            // promise.
            unsafe { _mm512_storeu_si512(values.as_mut_ptr().cast(), self.0) };
            values
        }
    }

    const LOW_BITS: u32 = 52;

    /// In two parts, of 52 and 12 bits, because the multiplication takes 52.
    #[derive(Clone, Copy)]
    struct Parts {
        low: __m512i,
        /// Only the lowest 12 bits count.
        high: __m512i,
    }

    impl Values for Parts {
        #[inline(always)]
        unsafe fn new(values: [u64; GROUP]) -> Parts {
            // SAFETY: the caller's promise is the same.
            unsafe {
                let Whole(whole) = Whole::new(values);
                let low = _mm512_and_si512(whole, _mm512_set1_epi64((1 << LOW_BITS) - 1));
                Parts { low, high: _mm512_srli_epi64::<LOW_BITS>(whole) }
            }
        }

        #[inline(always)]
        unsafe fn step(self, words: __m512i) -> Parts {
            // SAFETY: the caller's promise is the same.
            unsafe {
                let (zero, prime) = (_mm512_setzero_si512(), _mm512_set1_epi64(PRIME.cast_signed()));
                let low = with_lowest(self.low, words);
                Parts {
                    low: _mm512_madd52lo_epu64(zero, low, prime),
                    high: _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(zero, low, prime), self.high, prime),
                }
            }
        }

        #[inline(always)]
        unsafe fn get(self) -> [u64; GROUP] {
            // SAFETY: the caller's promise is the same.
            unsafe { Whole(_mm512_or_si512(self.low, _mm512_slli_epi64::<LOW_BITS>(self.high))).get() }
        }
    }

    /// `values ^ words & 0xFF`
    ///
    /// # Safety
    /// As for [`Values::new`].
    #[inline(always)]
    unsafe fn with_lowest(values: __m512i, words: __m512i) -> __m512i {
        // SAFETY: the caller's promise is the same.
        unsafe { _mm512_ternarylogic_epi64::<0x78>(values, words, _mm512_set1_epi64(0xFF)) }
    }

    /// # Safety
    /// As for [`Values::new`].
    #[inline(always)]
    unsafe fn hash<V: Values>(groups: &[Group<'_>], idle: &Group<'_>, values: &mut [u64]) {
        // Each step waits for the one before, so several vectors side by side are faster; but not where most of the
        // time is that of the longest chunk. SAFETY: the caller's promise is the same.
        unsafe {
            match groups.len() {
                ..5 => hash_in::<V, 2>(groups, idle, values),
                5..15 => hash_in::<V, 3>(groups, idle, values),
                _ => hash_in::<V, 4>(groups, idle, values),
            }
        }
    }

    /// Hashes in `VECTORS` vectors, each of which takes the next group when its group has ended.
    ///
    /// # Safety
    /// As for [`Values::new`].
    #[inline(always)]
    unsafe fn hash_in<V: Values, const VECTORS: usize>(groups: &[Group<'_>], idle: &Group<'_>, values: &mut [u64]) {
        // SAFETY: the caller's promise is the same.
        let start = |slot: Slot<'_, '_>, values: &[u64]| unsafe { V::new(slot.group.map(|chunk| values[chunk.place])) };
        let mut open = groups.len();
        let mut groups = groups.iter();
        let mut begin = || groups.next().map_or(Slot { longest: usize::MAX, ..Slot::new(idle) }, Slot::new);
        let mut slots: [_; VECTORS] = from_fn(|_| begin());
        let mut state = slots.map(|slot| start(slot, values));
        while open > 0 {
            // SAFETY: the caller's promise is the same.
            unsafe {
                let tiles: [_; VECTORS] = from_fn(|slot| slots[slot].next());
                step_words(&mut state, tiles.map(|[word, _, _, _]| word));
                step_words(&mut state, tiles.map(|[_, word, _, _]| word));
                step_words(&mut state, tiles.map(|[_, _, word, _]| word));
                step_words(&mut state, tiles.map(|[_, _, _, word]| word));
            }
            for (slot, state) in slots.iter_mut().zip(&mut state) {
                if slot.at >= slot.longest {
                    // SAFETY: the caller's promise is the same.
                    let found = unsafe { state.get() };
                    for (chunk, value) in slot.group.iter().zip(found) {
                        values[chunk.place] = value.wrapping_mul(inverse_power(slot.at - chunk.bytes.len()));
                    }
                    open -= 1;
                    *slot = begin();
                    *state = start(*slot, values);
                }
            }
        }
    }

    /// Takes eight bytes of each chunk.
    ///
    /// # Safety
    /// As for [`Values::new`].
    #[inline(always)]
    unsafe fn step_words<V: Values, const VECTORS: usize>(state: &mut [V; VECTORS], mut words: [__m512i; VECTORS]) {
        for _ in 0..8 {
            for (state, words) in state.iter_mut().zip(&mut words) {
                // SAFETY: the caller's promise is the same.
                unsafe {
                    *state = state.step(*words);
                    *words = _mm512_srli_epi64::<8>(*words);
                }
            }
        }
    }

    /// A group that is being hashed.
    #[derive(Clone, Copy)]
    struct Slot<'c, 'b> {
        group: &'c Group<'b>,
        /// Bytes that were loaded, of each chunk.
        at: usize,
        shortest: usize,
        longest: usize,
    }

    impl<'c, 'b> Slot<'c, 'b> {
        fn new(group: &'c Group<'b>) -> Slot<'c, 'b> {
            let lengths = group.map(|chunk| chunk.bytes.len());
            let (shortest, longest) = lengths.iter().fold((usize::MAX, 0), |(a, b), &c| (a.min(c), b.max(c)));
            Slot { group, at: 0, shortest, longest }
        }

        /// The next words of each chunk, zeros behind its end.
        ///
        /// # Safety
        /// As for [`Values::new`].
        #[inline(always)]
        unsafe fn next(&mut self) -> [__m512i; TILE_WORDS] {
            let (at, group) = (self.at, self.group);
            self.at += TILE_BYTES;
            if self.at <= self.shortest {
                // SAFETY: all chunks have this length; the features are the caller's promise.
                let row = |lane: usize| unsafe { _mm256_loadu_si256(group[lane].bytes[at..].as_ptr().cast()) };
                // SAFETY: the caller's promise is the same.
                unsafe { columns(row) }
            } else {
                let row = |lane: usize| {
                    let bytes = group[lane].bytes;
                    let rest = &bytes[at.min(bytes.len())..];
                    // SAFETY: the mask lets through what is there; the features are the caller's promise.
                    unsafe {
                        let mask = _bzhi_u32(u32::MAX, rest.len().min(TILE_BYTES) as u32);
                        _mm256_maskz_loadu_epi8(mask, rest.as_ptr().cast())
                    }
                };
                // SAFETY: the caller's promise is the same.
                unsafe { columns(row) }
            }
        }
    }

    /// The words of eight rows, those of one place side by side.
    ///
    /// # Safety
    /// As for [`Values::new`].
    #[inline(always)]
    unsafe fn columns(row: impl Fn(usize) -> __m256i) -> [__m512i; TILE_WORDS] {
        // SAFETY: the caller's promise is the same.
        unsafe {
            let both = |low, high| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(row(low)), row(high));
            let [a, b, c, d] = [both(0, 2), both(1, 3), both(4, 6), both(5, 7)];
            // Two rows in turn, in each quarter those of another place or of other rows.
            let [ab0, ab1] = [_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)];
            let [cd0, cd1] = [_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d)];
            [
                _mm512_shuffle_i64x2::<0b10_00_10_00>(ab0, cd0),
                _mm512_shuffle_i64x2::<0b10_00_10_00>(ab1, cd1),
                _mm512_shuffle_i64x2::<0b11_01_11_01>(ab0, cd0),
                _mm512_shuffle_i64x2::<0b11_01_11_01>(ab1, cd1),
            ]
        }
    }

    /// The factor that undoes this number of products with the prime.
    fn inverse_power(products: usize) -> u64 {
        /// Modulo 2⁶⁴.
        const INVERSE: u64 = 0xce96_5057_aff6_957b;
        const _: () = assert!(INVERSE.wrapping_mul(PRIME) == 1);
        const KNOWN: usize = 128;
        static POWERS: [u64; KNOWN] = {
            let mut powers = [1_u64; KNOWN];
            let mut power = 1;
            while power < KNOWN {
                powers[power] = powers[power - 1].wrapping_mul(INVERSE);
                power += 1;
            }
            powers
        };
        match POWERS.get(products) {
            Some(&power) => power,
            None => INVERSE.wrapping_pow(products as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kernels, OFFSET_BASIS, fnv1a_64};
    use crate::testing::numbers;

    /// Values of the reference's test suite.
    #[test]
    fn published() {
        for (text, value) in [("", OFFSET_BASIS), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
            assert_eq!(fnv1a_64(OFFSET_BASIS, text.as_bytes()), value);
        }
    }

    #[test]
    fn backends_agree() {
        let mut number = numbers(9);
        let mut next = || number(1 << 24) as usize;
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
                for kernels in Kernels::offered() {
                    let mut values = vec![1];
                    kernels.fnv1a_64(77, &bytes, &ends, &mut values);
                    assert_eq!(values, expected, "{kernels:?}, {chunks} of at most {most}");
                }
            }
        }
    }
}
