//! From the occurrences of a chunk's bytes to what its windows are worth (AVX-512).
//!
//! Entropies are sums of steps. In the order in which the occurrences lie, the eight positions of a lane are registers that are added up; the lanes' sums are
//! added up in the order of their positions; and what lies before a lane is added to all eight. They are looked up in as many parts of the table
//! as there are between the lowest and the highest one, since windows that lie together differ little.

use std::arch::x86_64::*;
use std::cell::RefCell;
use std::ops::RangeInclusive;

use super::occurrences::{CHUNK_BYTES, Eight, Occurrences, WINDOWS, exchange};
use super::{FRACTION_BITS, Tables, WINDOW_BYTES, Window, slide};
use crate::wide::Line;
use crate::wide::avx512::load;

/// With fewer windows, counting one position after the other is faster.
const WINDOWS_MIN: usize = WINDOWS / 2;

/// Windows of a register.
const LANES: usize = 32;

type Worths = [i16; LANES];

/// Worths that are looked up in two registers.
const PART: usize = 2 * LANES;

/// Shifts an entropy so that its worth's place in the table is the higher half of a double word.
const SHIFT: u32 = 16 - FRACTION_BITS;

thread_local! {
    // It keeps nothing from one call to the next.
    static SCRATCH: RefCell<Box<(Occurrences, [Worths; CHUNK_BYTES / LANES])>> =
        RefCell::new(Box::new((Occurrences::NONE, [[0; LANES]; CHUNK_BYTES / LANES])));
}

/// As [`super::Backend::worths`].
#[target_feature(enable = "avx512bw,avx512vl,avx512vbmi,gfni")]
pub(super) fn worths(tables: &Tables, bytes: &[u8], worths: &mut [i16]) {
    SCRATCH.with_borrow_mut(|scratch| {
        let (occurrences, found) = &mut **scratch;
        let mut at = 0;
        let mut entropy = Window::new(tables, bytes).entropy;
        while worths.len() - at >= WINDOWS_MIN {
            let mut padded = [0; CHUNK_BYTES];
            let chunk = match bytes[at..].first_chunk() {
                Some(chunk) => chunk,
                None => {
                    padded[..bytes.len() - at].copy_from_slice(&bytes[at..]);
                    &padded
                }
            };
            occurrences.count(chunk);
            entropy = look_up(tables, occurrences, entropy, found);
            let count = WINDOWS.min(worths.len() - at);
            worths[at..at + count].copy_from_slice(&found.as_flattened()[..count]);
            at += count;
        }
        slide(tables, &bytes[at..], &mut worths[at..]);
    });
}

/// Finds the worths of a chunk's windows, the first of which has this entropy. Returns that of the window behind them.
#[target_feature(enable = "avx512bw,avx512vl,avx512vbmi")]
fn look_up(tables: &Tables, occurrences: &Occurrences, entropy: u32, found: &mut [Worths; CHUNK_BYTES / LANES]) -> u32 {
    let steps: [i16; WINDOW_BYTES] = std::array::from_fn(|count| tables.steps[count] as i16);
    let [low, high] = steps.as_chunks().0 else { unreachable!("a window's counts fill two registers") };
    let steps = [load_worths(low), load_worths(high)];
    let mut next = _mm256_set1_epi32((entropy << SHIFT).cast_signed());
    let mut first = next;
    for (a, found) in found.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        // The sums in each lane, up to each position of it.
        let mut sums = [[_mm512_setzero_si512(); 4]; 8];
        let mut sum = sums[0];
        for t in 0..8 {
            sums[t] = sum;
            let steps = steps_between(&steps, &occurrences.entering[a][t], &occurrences.leaving[a][t]);
            for at in 0..4 {
                sum[at] = _mm512_add_epi32(sum[at], steps[at]);
            }
        }
        let before;
        (before, first, next) = before_lanes(sum, next);
        let mut places = [[_mm512_setzero_si512(); 8]; 2];
        let (mut lowest, mut highest) = (_mm512_set1_epi16(-1), _mm512_setzero_si512());
        for half in 0..2 {
            for t in 0..8 {
                let [low, high] = [2 * half, 2 * half + 1].map(|at| _mm512_add_epi32(sums[t][at], before[at]));
                let place = higher_halves(low, high);
                lowest = _mm512_min_epu16(lowest, place);
                highest = _mm512_max_epu16(highest, place);
                places[half][t] = place;
            }
        }
        // What stands behind the last window can be any.
        let parts = (lowest_of(lowest) / PART)..=(highest_of(highest) / PART).min(Tables::WORTHS / PART - 1);
        for (half, places) in places.into_iter().enumerate() {
            let worths = exchange::<2>(look_up_parts(tables, parts.clone(), places));
            for b in 0..8 {
                store_worths(&mut found[2 * b + half], worths[b]);
            }
        }
    }
    _mm256_extract_epi32::<7>(first).cast_unsigned() >> SHIFT
}

/// The shifted steps between windows, in the order of `c` and `b`.
#[inline]
#[target_feature(enable = "avx512bw")]
fn steps_between(steps: &[__m512i; 2], entering: &Line, leaving: &Line) -> [__m512i; 4] {
    let (entering, leaving) = (load(entering), load(leaving));
    let mut between = [_mm512_setzero_si512(); 4];
    for (between, (entering, leaving)) in
        between.as_chunks_mut::<2>().0.iter_mut().zip(halves(entering).into_iter().zip(halves(leaving)))
    {
        let [entering, leaving] = [entering, leaving]
            .map(|counts| _mm512_permutex2var_epi16(steps[0], _mm512_cvtepu8_epi16(counts), steps[1]));
        let [low, high] = halves(_mm512_sub_epi16(entering, leaving));
        between[0] = _mm512_slli_epi32::<SHIFT>(_mm512_cvtepi16_epi32(low));
        between[1] = _mm512_slli_epi32::<SHIFT>(_mm512_cvtepi16_epi32(high));
    }
    between
}

/// What lies before each lane, by `c` and `b`, when the lanes' sums are these; before each first lane of a `b`; and behind all, in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn before_lanes(sums: [__m512i; 4], entropy: __m256i) -> ([__m512i; 4], __m256i, __m256i) {
    let none = _mm256_setzero_si256();
    let mut sum = none;
    let mut before = [none; 8];
    for (before, sums) in before.as_chunks_mut::<2>().0.iter_mut().zip(sums) {
        for (before, sums) in before.iter_mut().zip(halves(sums)) {
            *before = sum;
            sum = _mm256_add_epi32(sum, sums);
        }
    }
    // The sums up to each `b`, by doubling.
    let up_to = _mm256_add_epi32(sum, _mm256_alignr_epi32::<7>(sum, none));
    let up_to = _mm256_add_epi32(up_to, _mm256_alignr_epi32::<6>(up_to, none));
    let up_to = _mm256_add_epi32(up_to, _mm256_alignr_epi32::<4>(up_to, none));
    let first = _mm256_add_epi32(entropy, _mm256_sub_epi32(up_to, sum));
    let next = _mm256_add_epi32(entropy, _mm256_permutevar8x32_epi32(up_to, _mm256_set1_epi32(7)));
    let mut joined = [_mm512_setzero_si512(); 4];
    for (joined, [low, high]) in joined.iter_mut().zip(before.as_chunks::<2>().0) {
        let low = _mm512_castsi256_si512(_mm256_add_epi32(first, *low));
        *joined = _mm512_inserti64x4::<1>(low, _mm256_add_epi32(first, *high));
    }
    (joined, first, next)
}

/// What stands in the table at these places, all of which are in some of its parts.
#[inline]
#[target_feature(enable = "avx512bw")]
fn look_up_parts(tables: &Tables, parts: RangeInclusive<usize>, places: Eight) -> Eight {
    let mut worths = [_mm512_setzero_si512(); 8];
    let (halves, _) = tables.worth.as_chunks();
    for part in parts {
        let [low, high] = [2 * part, 2 * part + 1].map(|half| load_worths(&halves[half]));
        let part = _mm512_set1_epi16(part as i16);
        for (worths, place) in worths.iter_mut().zip(places) {
            let is_there = _mm512_cmpeq_epi16_mask(_mm512_srli_epi16::<{ PART.ilog2() }>(place), part);
            *worths = _mm512_mask_mov_epi16(*worths, is_there, _mm512_permutex2var_epi16(low, place, high));
        }
    }
    worths
}

#[inline]
#[target_feature(enable = "avx512f")]
fn halves(register: __m512i) -> [__m256i; 2] {
    [_mm512_castsi512_si256(register), _mm512_extracti64x4_epi64::<1>(register)]
}

/// Of each double word.
#[inline]
#[target_feature(enable = "avx512bw")]
fn higher_halves(a: __m512i, b: __m512i) -> __m512i {
    const ODD: Worths = {
        let mut odd = [0; LANES];
        let mut at = 0;
        while at < LANES {
            odd[at] = 2 * at as i16 + 1;
            at += 1;
        }
        odd
    };
    _mm512_permutex2var_epi16(a, load_worths(&ODD), b)
}

/// The lowest of the unsigned words.
#[inline]
#[target_feature(enable = "avx512bw")]
fn lowest_of(words: __m512i) -> usize {
    let [low, high] = halves(words);
    let words = _mm256_min_epu16(low, high);
    let words = _mm_min_epu16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
    _mm_extract_epi16::<0>(_mm_minpos_epu16(words)) as usize
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn highest_of(words: __m512i) -> usize {
    usize::from(u16::MAX) - lowest_of(_mm512_xor_si512(words, _mm512_set1_epi16(-1)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_worths(worths: &Worths) -> __m512i {
    // SAFETY: they are 64 bytes, and the load takes any alignment.
    unsafe { _mm512_loadu_si512(worths.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_worths(worths: &mut Worths, register: __m512i) {
    // SAFETY: 64 bytes are there, and the store takes any alignment.
    unsafe { _mm512_storeu_si512(worths.as_mut_ptr().cast(), register) }
}
