//! From the occurrences of a chunk's bytes to the ranks of its windows (AVX-512).
//!
//! Entropies are sums of steps. In the order in which the occurrences lie, the eight positions of a lane are registers
//! that are added up; the lanes' sums are added up in the order of their positions; and what lies before a lane is
//! added to all eight. They are looked up in as many parts of the table as there are between the lowest and the highest
//! one, since windows that lie together differ little.
#![expect(clippy::needless_range_loop, reason = "the numbers are parts of positions")]

use std::arch::x86_64::*;
use std::cell::RefCell;
use std::ops::RangeInclusive;

use super::occurrences::{CHUNK_BYTES, Eight, Occurrences, exchange};
use super::{FRACTION_BITS, Tables, WINDOW_BYTES, WINDOWS, Window, slide};
use crate::bytes64::avx512::load;

/// With fewer windows, counting one position after the other is faster.
const WINDOWS_MIN: usize = WINDOWS / 2;

/// Windows of a register.
const LANES: usize = 32;

type Ranks = [i16; LANES];

/// Ranks that are looked up in two registers.
const PART: usize = 2 * LANES;

/// Shifts an entropy so that its rank's place in the table is the higher half of a double word.
const SHIFT: u32 = 16 - FRACTION_BITS;

thread_local! {
    // It keeps nothing from one call to the next.
    static SCRATCH: RefCell<Box<(Occurrences, [Ranks; CHUNK_BYTES / LANES])>> =
        RefCell::new(Box::new((Occurrences::NONE, [[0; LANES]; CHUNK_BYTES / LANES])));
}

/// As [`super::Kernels::ranks`].
#[target_feature(enable = "avx512bw,avx512vl,avx512vbmi,gfni")]
pub(super) fn ranks(tables: &Tables, bytes: &[u8], ranks: &mut [i16]) {
    if ranks.len() < WINDOWS_MIN {
        return slide(tables, bytes, ranks);
    }
    SCRATCH.with_borrow_mut(|scratch| {
        let (occurrences, found) = &mut **scratch;
        let mut at = 0;
        let steps = Steps::new(tables);
        let mut entropy = Window::new(tables, bytes).entropy;
        while ranks.len() - at >= WINDOWS_MIN {
            let (bytes, ranks) = (&bytes[at..], &mut ranks[at..]);
            let mut padded;
            let chunk = match bytes.first_chunk() {
                Some(chunk) => chunk,
                None => {
                    padded = [0; CHUNK_BYTES];
                    padded[..bytes.len()].copy_from_slice(bytes);
                    &padded
                }
            };
            occurrences.count(chunk);
            let count = WINDOWS.min(ranks.len());
            // Ranks after the last window are overwritten by those of the next chunk.
            let (registers, _) = ranks.as_chunks_mut();
            entropy = match registers.first_chunk_mut() {
                Some(ranks) => look_up(tables, &steps, occurrences, entropy, ranks),
                None => {
                    let behind = look_up(tables, &steps, occurrences, entropy, found);
                    ranks[..count].copy_from_slice(&found.as_flattened()[..count]);
                    behind
                }
            };
            at += count;
        }
        if at < ranks.len() {
            slide(tables, &bytes[at..], &mut ranks[at..]);
        }
    });
}

/// Finds the ranks of a chunk's windows, the first of which has this entropy. Returns that of the window after them.
#[target_feature(enable = "avx512bw,avx512vbmi")]
fn look_up(
    tables: &Tables,
    steps: &Steps,
    occurrences: &Occurrences,
    entropy: u32,
    found: &mut [Ranks; CHUNK_BYTES / LANES],
) -> u32 {
    let mut next = _mm512_set1_epi32((entropy << SHIFT).cast_signed());
    let mut behind = next;
    for (a, found) in found.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        // The sums in each lane, up to each position of it.
        let mut sums = [[_mm512_setzero_si512(); 4]; 8];
        let mut sum = sums[0];
        for t in 0..8 {
            sums[t] = sum;
            let steps = steps.between(occurrences.entering_and_leaving(a, t));
            for at in 0..4 {
                sum[at] = _mm512_add_epi32(sum[at], steps[at]);
            }
        }
        let before;
        (before, behind, next) = before_lanes(sum, next);
        let mut places = [[_mm512_setzero_si512(); 8]; 2];
        let (mut lowest, mut highest) = (_mm512_set1_epi16(-1), _mm512_setzero_si512());
        for t in 0..8 {
            for odd in 0..2 {
                let low = _mm512_srli_epi32::<16>(_mm512_add_epi32(sums[t][2 * odd], before[2 * odd]));
                let high = _mm512_add_epi32(sums[t][2 * odd + 1], before[2 * odd + 1]);
                // The higher halves of both.
                let place = _mm512_mask_mov_epi16(low, 0xAAAA_AAAA, high);
                lowest = _mm512_min_epu16(lowest, place);
                highest = _mm512_max_epu16(highest, place);
                places[odd][t] = place;
            }
        }
        // Bytes after the last window are unspecified.
        let parts = (lowest_of(lowest) / PART)..=(highest_of(highest) / PART).min(Tables::RANKS / PART - 1);
        let [even, odd] = places;
        let even = exchange::<2>(look_up_parts(tables, parts.clone(), even));
        let odd = exchange::<2>(look_up_parts(tables, parts, odd));
        for at in 0..8 {
            let b = at / 2 + at % 2 * 4;
            let [low, high] = interleave(even[at], odd[at]);
            store_ranks(&mut found[2 * b], low);
            store_ranks(&mut found[2 * b + 1], high);
        }
    }
    _mm_extract_epi32::<3>(_mm512_castsi512_si128(behind)).cast_unsigned() >> SHIFT
}

/// The steps' lower and higher bytes.
struct Steps([__m512i; 2]);

impl Steps {
    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn new(tables: &Tables) -> Steps {
        let mut bytes = [[0; WINDOW_BYTES]; 2];
        for (at, step) in tables.steps[..WINDOW_BYTES].iter().enumerate() {
            [bytes[0][at], bytes[1][at]] = (*step as i16).to_le_bytes();
        }
        Steps([load(&bytes[0]), load(&bytes[1])])
    }

    /// Shifted, of a line's windows: those of even and of odd `c`, of each first those with `b < 4`. In a register are
    /// four by `c / 2`, and in each four those by `b`.
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi")]
    fn between(&self, [entering, leaving]: [__m512i; 2]) -> [__m512i; 4] {
        // A byte that enters adds, and one that leaves takes away.
        let scale = _mm512_set1_epi32((1 << SHIFT) | (-(1 << SHIFT) << 16));
        let [entering_even, entering_odd] = self.of(entering);
        let [leaving_even, leaving_odd] = self.of(leaving);
        [
            _mm512_madd_epi16(_mm512_unpacklo_epi16(entering_even, leaving_even), scale),
            _mm512_madd_epi16(_mm512_unpackhi_epi16(entering_even, leaving_even), scale),
            _mm512_madd_epi16(_mm512_unpacklo_epi16(entering_odd, leaving_odd), scale),
            _mm512_madd_epi16(_mm512_unpackhi_epi16(entering_odd, leaving_odd), scale),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi")]
    fn of(&self, counts: __m512i) -> [__m512i; 2] {
        let low = _mm512_permutexvar_epi8(counts, self.0[0]);
        let high = _mm512_permutexvar_epi8(counts, self.0[1]);
        [_mm512_unpacklo_epi8(low, high), _mm512_unpackhi_epi8(low, high)]
    }
}

/// The sums before each lane, in the order of [`Steps::between`], when the lanes' sums are these; what lies before the
/// first lanes of the last four `b`, in each four; and before what follows, everywhere.
#[inline]
#[target_feature(enable = "avx512bw")]
fn before_lanes(sums: [__m512i; 4], before: __m512i) -> ([__m512i; 4], __m512i, __m512i) {
    let none = _mm512_setzero_si512();
    let mut lanes = [none; 4];
    let (mut first, mut next) = (before, before);
    for half in 0..2 {
        let (even, odd) = (sums[half], sums[2 + half]);
        // Sums up to each `c`, and of all of them up to each `b`, by doubling.
        let both = _mm512_add_epi32(even, odd);
        let by_c = _mm512_add_epi32(both, _mm512_alignr_epi64::<6>(both, none));
        let by_c = _mm512_add_epi32(by_c, _mm512_alignr_epi64::<4>(by_c, none));
        let all = _mm512_shuffle_i64x2::<0b11_11_11_11>(by_c, by_c);
        let by_b = _mm512_add_epi32(all, _mm512_bslli_epi128::<4>(all));
        let by_b = _mm512_add_epi32(by_b, _mm512_bslli_epi128::<8>(by_b));
        first = _mm512_add_epi32(next, _mm512_sub_epi32(by_b, all));
        next = _mm512_add_epi32(next, _mm512_shuffle_epi32::<0b11_11_11_11>(by_b));
        lanes[half] = _mm512_add_epi32(first, _mm512_sub_epi32(by_c, both));
        lanes[2 + half] = _mm512_add_epi32(lanes[half], even);
    }
    (lanes, first, next)
}

/// The entries of the table at these places, all of which are in some of its parts.
#[inline]
#[target_feature(enable = "avx512bw")]
fn look_up_parts(tables: &Tables, parts: RangeInclusive<usize>, places: Eight) -> Eight {
    let mut ranks = [_mm512_setzero_si512(); 8];
    let (halves, _) = tables.rank.as_chunks();
    for part in parts {
        let [low, high] = [2 * part, 2 * part + 1].map(|half| load_ranks(&halves[half]));
        let first = _mm512_set1_epi16((part * PART) as i16);
        for (ranks, place) in ranks.iter_mut().zip(places) {
            // The next parts overwrite what is theirs.
            let is_there = _mm512_cmpge_epu16_mask(place, first);
            *ranks = _mm512_mask_mov_epi16(*ranks, is_there, _mm512_permutex2var_epi16(low, place, high));
        }
    }
    ranks
}

/// Quarters of both registers in turn.
#[inline]
#[target_feature(enable = "avx512f")]
fn interleave(even: __m512i, odd: __m512i) -> [__m512i; 2] {
    let low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    let high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    [low, high].map(|picked| _mm512_permutex2var_epi64(even, picked, odd))
}

/// The lowest of the unsigned words.
#[inline]
#[target_feature(enable = "avx512bw")]
fn lowest_of(words: __m512i) -> usize {
    let words = _mm256_min_epu16(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64::<1>(words));
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
fn load_ranks(ranks: &Ranks) -> __m512i {
    // SAFETY: they are 64 bytes, and the load takes any alignment.
    unsafe { _mm512_loadu_si512(ranks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_ranks(ranks: &mut Ranks, register: __m512i) {
    // SAFETY: 64 bytes are there, and the store takes any alignment.
    unsafe { _mm512_storeu_si512(ranks.as_mut_ptr().cast(), register) }
}
