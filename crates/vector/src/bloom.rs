//! Search for the Bloom filters of 2048 bits that share more than `min_common` set bits with a given one.
//!
//! The many lie in columns: eight sequences side by side, word by word, so that a vector holds the same word of all
//! eight, and nothing has to be summed across a vector. Bits are counted in stages of 4, 4, 8 and 16 words, as nearly
//! all sequences can be told from few of their words; so the columns of each stage lie by themselves.
//!
//! ```
//! use pfh_vector::Backend;
//! use pfh_vector::bloom::{Columns, Kernels, OverlapSearch, WORDS};
//!
//! let mut sequences = [[0; WORDS]; 3];
//! sequences[1][0] = 0b111;
//! sequences[2][31] = 0b1111;
//! let search = OverlapSearch { words: &[u64::MAX; WORDS], min_common: &[2; 3], tolerance: 2048 };
//! let mut found = Vec::new();
//! Kernels::new(Backend::chosen()).search(&search, &Columns::new(&sequences), 0, &mut found);
//! let found: Vec<_> = found.iter().map(|found| (found.place, found.counts)).collect();
//! assert_eq!(found, [(1, [3, 3, 3, 3]), (2, [0, 0, 0, 4])]);
//! ```
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

use std::ops::Range;

use crate::Backend;
#[cfg(target_arch = "x86_64")]
use crate::Feature;
use crate::kernels::kernels;

/// Sequences side by side.
pub const LANES: usize = 8;

/// Words of a sequence.
pub const WORDS: usize = 32;

/// Words after which a stage ends.
pub const STAGE_ENDS: [usize; STAGES] = [4, 8, 16, WORDS];

const STAGES: usize = 4;

/// The same word of as many sequences.
type Column = [u64; LANES];

/// Words of a stage, from which on, and by what to multiply the bits up to its end to have those of a whole sequence,
/// as a shift.
const STAGE: [(Range<usize>, u32); STAGES] = [(0..4, 3), (4..8, 2), (8..16, 1), (16..WORDS, 0)];

/// Sequences in columns, filled up with zeros to a multiple of [`LANES`].
pub struct Columns {
    groups: usize,
    /// Of each stage: its columns of the first group, of the second ….
    stages: [Vec<Column>; STAGES],
}

impl Columns {
    /// Arranges these sequences in columns.
    pub fn new<'s>(sequences: impl IntoIterator<Item = &'s [u64; WORDS], IntoIter: ExactSizeIterator>) -> Columns {
        let sequences = sequences.into_iter();
        let groups = sequences.len().div_ceil(LANES);
        let mut stages = STAGE.map(|(words, _)| vec![[0; LANES]; groups * words.len()]);
        for (place, sequence) in sequences.enumerate() {
            for (columns, (words, _)) in stages.iter_mut().zip(STAGE) {
                let group = &mut columns[place / LANES * words.len()..];
                group.iter_mut().zip(&sequence[words]).for_each(|(column, word)| column[place % LANES] = *word);
            }
        }
        Columns { groups, stages }
    }
}

/// A search for filters that have much in common with one.
pub struct OverlapSearch<'s> {
    /// The sequence with which others have bits in common.
    pub words: &'s [u64; WORDS],
    /// For each of the others: the number of common bits that it must exceed, at most 4095.
    pub min_common: &'s [u16],
    /// An other is given up after a stage, if the bits common up to there, in proportion, and these are together fewer
    /// than `min_common`. 2048 gives none up; at most 4095.
    pub tolerance: u16,
}

/// A sequence that has more than enough in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Its place among the sequences.
    pub place: u32,
    /// Common bits up to the end of each stage.
    pub counts: [u16; STAGES],
}

kernels! {
    /// Kernels that count common bits.
    pub struct Kernels {
        Avx512 = "avx512", &[Feature::Avx512f, Feature::Avx512vpopcntdq];
        Avx2 = "avx2", &[Feature::Avx2];
        Popcnt = "popcnt", &[Feature::Popcnt];
    }
}

impl Kernels {
    /// Returns the kernels of a backend.
    pub fn new(backend: Backend) -> Kernels {
        Kernels::best(backend.features())
    }

    /// Searches as many sequences as `search.min_common` has numbers, from `first` on, and appends those found to
    /// `found`, by place.
    ///
    /// # Panics
    /// When `first` is no multiple of [`LANES`], or there are fewer sequences.
    pub fn search(self, search: &OverlapSearch<'_>, columns: &Columns, first: usize, found: &mut Vec<Overlap>) {
        assert!(first.is_multiple_of(LANES), "a group begins at a multiple of eight");
        let start = first / LANES;
        assert!(start + search.min_common.len().div_ceil(LANES) <= columns.groups, "sequences for all numbers");
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe { x86::search_avx512(search, columns, start, found) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2 => unsafe { x86::search_avx2(search, columns, start, found) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Popcnt => unsafe { x86::search_popcnt(search, columns, start, found) },
            Form::Portable => run(search, columns, start, found, add),
        }
    }
}

/// Counts for each lane.
type Counts = [u16; LANES];

/// Adds to each lane the bits that a sequence has in common with it in some words.
#[inline(always)]
fn add(words: &[u64], columns: &[Column], counts: &mut Counts) {
    for (word, column) in words.iter().zip(columns) {
        for (count, other) in counts.iter_mut().zip(column) {
            *count += (word & other).count_ones() as u16;
        }
    }
}

/// The search, with a way to [`add`].
#[inline(always)]
fn run(
    search: &OverlapSearch<'_>,
    columns: &Columns,
    start: usize,
    found: &mut Vec<Overlap>,
    add: impl Fn(&[u64], &[Column], &mut Counts),
) {
    'groups: for (group, min_common) in (start..).zip(search.min_common.chunks(LANES)) {
        let bounds = bounds(min_common);
        let mut counts = [[0; LANES]; STAGES];
        let mut common = [0; LANES];
        for ((counts, columns), (words, shift)) in counts.iter_mut().zip(&columns.stages).zip(STAGE) {
            add(&search.words[words.clone()], &columns[group * words.len()..][..words.len()], &mut common);
            *counts = common;
            let goes_on = |(&common, &min_common): (&u16, &u16)| (common << shift) + search.tolerance >= min_common;
            // Without a way out of the loop, so that it becomes a few vector instructions.
            if !common.iter().zip(&bounds).fold(false, |any, lane| any | goes_on(lane)) {
                continue 'groups;
            }
        }
        let is_found = |lane: &usize| {
            let after = |stage: usize| (counts[stage][*lane] << STAGE[stage].1) + search.tolerance >= bounds[*lane];
            common[*lane] > bounds[*lane] && (0..STAGES - 1).all(after)
        };
        push((0..LANES).filter(is_found), group, &counts, found);
    }
}

/// The numbers of a group; what is missing is never exceeded.
#[inline(always)]
fn bounds(min_common: &[u16]) -> Counts {
    let mut bounds = [4095; LANES];
    bounds[..min_common.len()].copy_from_slice(min_common);
    bounds
}

#[inline(always)]
fn push(lanes: impl Iterator<Item = usize>, group: usize, counts: &[Counts; STAGES], found: &mut Vec<Overlap>) {
    found.extend(
        lanes.map(|lane| Overlap { place: (group * LANES + lane) as u32, counts: counts.map(|counts| counts[lane]) }),
    );
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Column, Columns, Counts, LANES, Overlap, OverlapSearch, STAGE, STAGES, WORDS};

    #[target_feature(enable = "popcnt")]
    pub(super) fn search_popcnt(search: &OverlapSearch<'_>, columns: &Columns, start: usize, found: &mut Vec<Overlap>) {
        super::run(search, columns, start, found, super::add);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn search_avx2(search: &OverlapSearch<'_>, columns: &Columns, start: usize, found: &mut Vec<Overlap>) {
        super::run(search, columns, start, found, |words, columns, counts| add_avx2(words, columns, counts));
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn search_avx512(search: &OverlapSearch<'_>, columns: &Columns, start: usize, found: &mut Vec<Overlap>) {
        let tolerance = _mm512_set1_epi64(search.tolerance.into());
        for (group, min_common) in (start..).zip(search.min_common.chunks(LANES)) {
            let min_common: Counts = min_common.try_into().unwrap_or_else(|_| super::bounds(min_common));
            // SAFETY: eight numbers are 16 bytes, and the load takes any alignment.
            let min_common = _mm512_cvtepu16_epi64(unsafe { _mm_loadu_si128(min_common.as_ptr().cast()) });
            let first = add_avx512::<0>(search.words, columns, group, _mm512_setzero_si512());
            let goes_on = |sums| _mm512_cmpge_epi64_mask(_mm512_add_epi64(sums, tolerance), min_common);
            let mut lanes = goes_on(_mm512_slli_epi64::<{ STAGE[0].1 }>(first));
            if lanes == 0 {
                continue;
            }
            let second = add_avx512::<1>(search.words, columns, group, first);
            lanes &= goes_on(_mm512_slli_epi64::<{ STAGE[1].1 }>(second));
            if lanes == 0 {
                continue;
            }
            let third = add_avx512::<2>(search.words, columns, group, second);
            lanes &= goes_on(_mm512_slli_epi64::<{ STAGE[2].1 }>(third));
            if lanes == 0 {
                continue;
            }
            let sum = add_avx512::<3>(search.words, columns, group, third);
            lanes &= _mm512_cmpgt_epi64_mask(sum, min_common);
            if lanes != 0 {
                let mut counts = [[0; LANES]; STAGES];
                for (counts, sum) in counts.iter_mut().zip([first, second, third, sum]) {
                    // SAFETY: eight counts are 16 bytes, and the store takes any alignment.
                    unsafe { _mm_storeu_si128(counts.as_mut_ptr().cast(), _mm512_cvtepi64_epi16(sum)) };
                }
                super::push((0..LANES).filter(|lane| lanes >> lane & 1 != 0), group, &counts, found);
            }
        }
    }

    /// Adds the bits that eight sequences have in common with these words in a stage.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn add_avx512<const N: usize>(words: &[u64; WORDS], columns: &Columns, group: usize, sums: __m512i) -> __m512i {
        let (start, length) = const { (STAGE[N].0.start, STAGE[N].0.end - STAGE[N].0.start) };
        let (words, columns) = (&words[start..start + length], &columns.stages[N][group * length..][..length]);
        let mut sums = sums;
        for (word, column) in words.iter().zip(columns) {
            // SAFETY: a column is 64 bytes, and the load takes any alignment.
            let column = unsafe { _mm512_loadu_si512(column.as_ptr().cast()) };
            let common = _mm512_and_si512(column, _mm512_set1_epi64(word.cast_signed()));
            sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(common));
        }
        sums
    }

    /// W. Muła, N. Kurz, D. Lemire, "Faster population counts using AVX2 instructions", 2018: a table of the counts of
    /// four bits, looked up in a register.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_avx2(words: &[u64], columns: &[Column], counts: &mut Counts) {
        let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let low = _mm256_set1_epi8(15);
        let zero = _mm256_setzero_si256();
        // At most 16 words of at most 8 in each byte are below 256.
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
        for (half, bytes) in bytes.into_iter().enumerate() {
            let mut lanes = [0_u64; LANES / 2];
            // SAFETY: four words are 32 bytes, and the store takes any alignment.
            unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), _mm256_sad_epu8(bytes, zero)) };
            for (count, sum) in counts[half * LANES / 2..].iter_mut().zip(lanes) {
                *count += sum as u16;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Columns, Kernels, LANES, Overlap, OverlapSearch, STAGE_ENDS, STAGES, WORDS};
    use crate::testing::numbers;

    fn common(a: &[u64], b: &[u64]) -> u16 {
        a.iter().zip(b).map(|(a, b)| (a & b).count_ones() as u16).sum()
    }

    /// Every backend against the plain definition, over all lengths around the edges, bounds and slacks.
    #[test]
    fn backends_agree() {
        let mut number = numbers(1);
        // Words that are full, empty or neither.
        let mut next = || match number(8) {
            0 => u64::MAX,
            1 => 0,
            _ => u64::from(number(u32::MAX)) << 32 | u64::from(number(u32::MAX)),
        };
        let mut all = [0; 2];
        for count in [0, 1, 7, 8, 9, 16, 41] {
            let words: [u64; WORDS] = std::array::from_fn(|_| next());
            let mut sequences: Vec<[u64; WORDS]> = (0..count).map(|_| std::array::from_fn(|_| next())).collect();
            // Where the beginning tells nothing of the rest.
            sequences.iter_mut().step_by(3).for_each(|sequence| sequence[..8].fill(0));
            let columns = Columns::new(&sequences);
            for first in (0..=count).step_by(LANES) {
                for tolerance in [0, 48, 2048] {
                    for bound in [0, 1, 500, 600, 700, 2048, 4095] {
                        let min_common: Vec<u16> = (first..count).map(|place| bound ^ (place % 5) as u16).collect();
                        let is_found = |&(place, counts): &(usize, [u16; STAGES])| {
                            let min_common = min_common[place - first];
                            let stages = STAGE_ENDS.into_iter().zip(counts).take(STAGES - 1);
                            let mut stages =
                                stages.map(|(end, count)| (WORDS / end) as u16 * count + tolerance >= min_common);
                            counts[STAGES - 1] > min_common && stages.all(|goes_on| goes_on)
                        };
                        let counts =
                            |place: usize| STAGE_ENDS.map(|end| common(&words[..end], &sequences[place][..end]));
                        let expected: Vec<Overlap> = (first..count)
                            .map(|place| (place, counts(place)))
                            .filter(is_found)
                            .map(|(place, counts)| Overlap { place: place as u32, counts })
                            .collect();
                        all[0] += expected.len();
                        all[1] += min_common.len();
                        for kernels in Kernels::offered() {
                            let search = OverlapSearch { words: &words, min_common: &min_common, tolerance };
                            let mut found = Vec::new();
                            kernels.search(&search, &columns, first, &mut found);
                            assert_eq!(found, expected, "{kernels:?} {count} {first} {tolerance} {bound}");
                        }
                    }
                }
            }
        }
        assert!(all[0] > 100 && all[0] < all[1] / 2, "some are found, most are not: {all:?}");
    }

    #[test]
    fn full_words_do_not_overflow() {
        for kernels in Kernels::offered() {
            let mut found = Vec::new();
            let columns = Columns::new(&[[u64::MAX; WORDS]; 9]);
            let search = OverlapSearch { words: &[u64::MAX; WORDS], min_common: &[2047; 9], tolerance: 2048 };
            kernels.search(&search, &columns, 0, &mut found);
            assert!(found.iter().all(|found| found.counts == [256, 512, 1024, 2048]));
            assert_eq!(found.len(), 9, "{kernels:?}");
        }
    }
}
