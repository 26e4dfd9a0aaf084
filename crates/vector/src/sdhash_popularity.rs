//! Popularity scores: how often a position is the best one of its neighbours (sdhash).
//!
//! A window of 64 positions slides over costs, and each step scores a position. The original slides with a shortcut
//! that skips positions, so this is not a sliding minimum. It is a chain of *rescans*: each finds the best position of
//! its window, and then the window slides on, without looking at anything but the position that it reaches next, until
//! a better or an ineligible one appears there or the best one has left the window. `score_literal` in the tests is the
//! definition, word by word.
//!
//! The lowest costs of all windows are computed ahead, and the next 64 positions are compared at once, so that a rescan
//! and the way to the next one take some steps without a branch that cannot be foreseen. With AVX-512, many stretches
//! of the input are scored side by side (module `lanes`).
//!
//! Source: V. Roussev, "Data fingerprinting with similarity digests", Advances in Digital Forensics VI, 2010.
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

#[cfg(target_arch = "x86_64")]
mod lanes;

use crate::Backend;
#[cfg(target_arch = "x86_64")]
use crate::bytes64::{self, Avx2, Avx512};
use crate::bytes64::{Plain, compiled};
use crate::kernels::kernels;

/// The cost of a position that is not eligible: above all others.
pub const NO_COST: i16 = 0x7FC0;

/// Positions of a window.
const POSITIONS: usize = 64;

/// Number of costs after the last scored position that must be known.
pub const LOOK_AHEAD: usize = 2 * POSITIONS;

/// Entries of a list of positions beyond one for each position.
const SPARE: usize = 4;

/// The state of the scoring between two parts of an input.
#[derive(Clone, Debug)]
pub struct Scan {
    /// The first position whose window has not been scored; scores before it are final.
    at: usize,
    /// The best position as it is now; it is unused once the scan has passed it.
    best_at: usize,
    /// Its cost, [`NO_COST`] where nothing is known.
    best: i16,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan { at: 0, best_at: 0, best: NO_COST }
    }
}

impl Scan {
    /// The first position whose window has not been scored.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Scores all windows up to `end`, and adds to `scores`. [`LOOK_AHEAD`] more costs are known, all [`NO_COST`] at
    /// the end of the input. There is a score for each cost that is not `NO_COST`. No cost is above `NO_COST`, and the
    /// lowest six bits of all are 0.
    ///
    /// # Panics
    /// When there are fewer costs or scores.
    pub fn advance(&mut self, kernels: Kernels, costs: &[i16], end: usize, scores: &mut [u8]) {
        match kernels.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe {
                lanes::advance(self, costs, end, scores);
                advance_avx512(self, costs, end, scores);
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2 => unsafe { advance_avx2(self, costs, end, scores) },
            Form::Portable => advance_plain(self, costs, end, scores),
        }
    }

    /// Moves all positions down: as many as were scored, or fewer.
    ///
    /// # Panics
    /// When it is more.
    pub fn shift(&mut self, positions: usize) {
        self.at = self.at.checked_sub(positions).expect("not more than were scored");
        self.best_at = self.best_at.saturating_sub(positions);
    }
}

kernels! {
    /// Kernels that score positions.
    pub struct Kernels {
        Avx512 = "avx512", bytes64::AVX512;
        Avx2 = "avx2", bytes64::AVX2;
    }
}

impl Kernels {
    /// Returns the kernels of a backend.
    pub fn new(backend: Backend) -> Kernels {
        Kernels::best(backend.features())
    }

    /// Replaces `places` by the places of the scores that are at least `least`, in order.
    ///
    /// # Panics
    /// When there are more than 2³² scores.
    pub fn at_least(self, scores: &[u8], least: u8, places: &mut Vec<u32>) {
        assert!(u32::try_from(scores.len()).is_ok(), "at most 2³² scores");
        places.clear();
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe { at_least_avx512(scores, least, places) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2 => unsafe { at_least_avx2(scores, least, places) },
            Form::Portable => at_least_plain(scores, least, places),
        }
    }
}

/// Comparisons of 64 numbers at once; the first one's result lies lowest.
trait Compare {
    /// Which costs are `to`.
    ///
    /// # Safety
    /// The CPU has the features of this type and the caller is compiled with them.
    unsafe fn equal(costs: &[i16; POSITIONS], to: i16) -> u64;

    /// Which costs end a slide: those below `best` and [`NO_COST`].
    ///
    /// # Safety
    /// As for [`Compare::equal`].
    unsafe fn ending(costs: &[i16; POSITIONS], best: i16) -> u64;

    /// Which scores are at least `least`.
    ///
    /// # Safety
    /// As for [`Compare::equal`].
    unsafe fn at_least(scores: &[u8; POSITIONS], least: u8) -> u64;
}

compiled! {
    advance => advance_avx512, advance_avx2, advance_plain;
    (scan: &mut Scan, costs: &[i16], end: usize, scores: &mut [u8])
}

compiled! {
    at_least => at_least_avx512, at_least_avx2, at_least_plain;
    (scores: &[u8], least: u8, places: &mut Vec<u32>)
}

/// Positions whose lowest costs are computed together.
const PART: usize = 512;

/// # Safety
/// As for [`Compare::equal`].
#[inline(always)]
unsafe fn advance<C: Compare>(scan: &mut Scan, costs: &[i16], end: usize, scores: &mut [u8]) {
    let mut minima = [0; PART];
    while scan.at < end {
        let part_end = end.min(scan.at + PART);
        let costs = &costs[..part_end + LOOK_AHEAD];
        let first = scan.at;
        lowest(&costs[first..], &mut minima);
        // SAFETY: the caller's promise is the same.
        unsafe { advance_part::<C>(scan, costs, &minima[..part_end - first], scores) };
    }
}

/// The lowest cost of the window at each position, by doubling the windows. Costs beyond those that are known count as
/// [`NO_COST`], and the lengths are constant, so that nothing is left over for a loop of single steps.
#[inline(always)]
fn lowest(costs: &[i16], minima: &mut [i16; PART]) {
    let mut lowest = [NO_COST; PART + 2 * POSITIONS];
    match costs.first_chunk::<{ PART + POSITIONS }>() {
        Some(costs) => lowest[..PART + POSITIONS].copy_from_slice(costs),
        None => lowest[..costs.len()].copy_from_slice(costs),
    }
    for width in [1, 2, 4, 8, 16] {
        for at in 0..PART + POSITIONS {
            lowest[at] = lowest[at].min(lowest[at + width]);
        }
    }
    for at in 0..PART {
        minima[at] = lowest[at].min(lowest[at + POSITIONS / 2]);
    }
}

/// Up to the last of `minima`, which are those of the positions from where the scan stands.
///
/// # Safety
/// As for [`Compare::equal`].
#[inline(always)]
unsafe fn advance_part<C: Compare>(scan: &mut Scan, costs: &[i16], minima: &[i16], scores: &mut [u8]) {
    let first = scan.at;
    let end = first + minima.len();
    let Scan { mut at, mut best_at, mut best } = *scan;
    let mut events = Events::new(at, best_at);
    loop {
        if best != NO_COST {
            // SAFETY: the caller's promise is the same.
            let (ending, equal) = unsafe {
                let ahead = window(costs, at + POSITIONS);
                (C::ending(ahead, best), C::equal(ahead, best))
            };
            let bound = (end - at).min(POSITIONS);
            let stop = bound.min(ending.trailing_zeros() as usize);
            let left_behind = best_at.saturating_sub(at);
            // One that is as good takes over, and then the best one is not left behind so soon.
            let has_equal = (equal.trailing_zeros() as usize) < stop.min(left_behind);
            let stop = if has_equal { stop } else { stop.min(left_behind) };
            let equal = if has_equal { equal & !(u64::MAX.checked_shl(stop as u32).unwrap_or(0)) } else { 0 };
            events.push_equal(at, equal);
            best_at = if equal == 0 { best_at } else { at + POSITIONS + equal.ilog2() as usize };
            at += stop;
            if stop == POSITIONS && at < end && best_at > at {
                continue;
            }
        }
        if at >= end {
            break;
        }
        if costs[at] == NO_COST {
            events.flush(at, scores);
            // SAFETY: the caller's promise is the same.
            let eligible = unsafe { !C::equal(window(costs, at), NO_COST) };
            at += (end - at).min(eligible.trailing_zeros() as usize);
            (best, best_at) = (NO_COST, 0);
            events.push(at, best_at);
            continue;
        }
        best = minima[at - first];
        // The last position of the first run of the best cost.
        // SAFETY: the caller's promise is the same.
        let equal = unsafe { C::equal(window(costs, at), best) };
        let place = equal.trailing_zeros();
        best_at = at + (place + (!(equal >> (place & 63))).trailing_zeros()) as usize - 1;
        events.push(at, best_at);
        at += 1;
    }
    events.flush(at, scores);
    *scan = Scan { at, best_at, best };
}

#[inline(always)]
fn window(costs: &[i16], at: usize) -> &[i16; POSITIONS] {
    costs[at..].first_chunk().expect("costs are known behind a window")
}

/// Which position is the best one, from which step on.
struct Events {
    steps: [u32; PART + 1 + SPARE],
    places: [u32; PART + 1 + SPARE],
    count: usize,
}

impl Events {
    #[inline(always)]
    fn new(at: usize, best_at: usize) -> Events {
        let mut events = Events { steps: [0; PART + 1 + SPARE], places: [0; PART + 1 + SPARE], count: 0 };
        events.push(at, best_at);
        events
    }

    #[inline(always)]
    fn push(&mut self, step: usize, place: usize) {
        (self.steps[self.count], self.places[self.count]) = (step as u32, place as u32);
        self.count += 1;
    }

    /// Takes those that are as good, of the window behind the one at `at`. Some are written at once, of the last of
    /// them perhaps nonsense: cheaper than a branch for each.
    #[inline(always)]
    fn push_equal(&mut self, at: usize, mut equal: u64) {
        let end = self.count + equal.count_ones() as usize;
        loop {
            for _ in 0..SPARE / 2 {
                let step = at + equal.trailing_zeros() as usize;
                self.push(step, step + POSITIONS);
                equal &= equal.wrapping_sub(1);
            }
            if self.count >= end {
                break;
            }
        }
        self.count = end;
    }

    /// Scores each place for the steps up to the next event, the last one for those up to `at`.
    #[inline(always)]
    fn flush(&mut self, at: usize, scores: &mut [u8]) {
        self.steps[self.count] = at as u32;
        let steps = self.steps[..=self.count].windows(2).map(|pair| pair[1] - pair[0]);
        for (&place, steps) in self.places[..self.count].iter().zip(steps) {
            scores[place as usize] += steps as u8;
        }
        self.count = 0;
    }
}

/// # Safety
/// As for [`Compare::equal`].
#[inline(always)]
unsafe fn at_least<C: Compare>(scores: &[u8], least: u8, places: &mut Vec<u32>) {
    let mut count = 0;
    for start in (0..scores.len()).step_by(POSITIONS) {
        if places.len() < count + POSITIONS + SPARE {
            places.resize(count + PART, 0);
        }
        let scores = &scores[start..];
        // SAFETY: the caller's promise is the same.
        let mut found = unsafe {
            match scores.first_chunk() {
                Some(scores) => C::at_least(scores, least),
                None => {
                    let mut padded = [0; POSITIONS];
                    padded[..scores.len()].copy_from_slice(scores);
                    C::at_least(&padded, least) & !(u64::MAX << scores.len())
                }
            }
        };
        let end = count + found.count_ones() as usize;
        loop {
            for place in &mut places[count..count + SPARE / 2] {
                *place = start as u32 + found.trailing_zeros();
                found &= found.wrapping_sub(1);
            }
            count += SPARE / 2;
            if count >= end {
                break;
            }
        }
        count = end;
    }
    places.truncate(count);
}

impl Compare for Plain {
    #[inline(always)]
    unsafe fn equal(costs: &[i16; POSITIONS], to: i16) -> u64 {
        bits(costs.map(|cost| u8::from(cost == to)))
    }

    #[inline(always)]
    unsafe fn ending(costs: &[i16; POSITIONS], best: i16) -> u64 {
        bits(costs.map(|cost| u8::from(cost < best) | u8::from(cost == NO_COST)))
    }

    #[inline(always)]
    unsafe fn at_least(scores: &[u8; POSITIONS], least: u8) -> u64 {
        bits(scores.map(|score| u8::from(score >= least)))
    }
}

/// Bytes of 0 and 1 as bits.
#[inline(always)]
fn bits(bytes: [u8; POSITIONS]) -> u64 {
    // The product moves byte `i` to bit `56 + i`; nothing else reaches the highest byte.
    let bits = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    bytes.as_chunks::<8>().0.iter().zip(0..).fold(0, |set, (bytes, place)| set | bits(bytes) << (8 * place))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Avx2, Avx512, Compare, NO_COST, POSITIONS};

    impl Compare for Avx512 {
        #[inline(always)]
        unsafe fn equal(costs: &[i16; POSITIONS], to: i16) -> u64 {
            // SAFETY: the costs are two vectors; the features are the caller's promise.
            unsafe {
                let [low, high] = halves(costs);
                let to = _mm512_set1_epi16(to);
                both(_mm512_cmpeq_epi16_mask(low, to), _mm512_cmpeq_epi16_mask(high, to))
            }
        }

        /// Turned so that `NO_COST` is 0 and the others are above it, in their order.
        #[inline(always)]
        unsafe fn ending(costs: &[i16; POSITIONS], best: i16) -> u64 {
            // SAFETY: as above.
            unsafe {
                let turn = _mm512_set1_epi16(NO_COST.wrapping_neg());
                let best = _mm512_set1_epi16(best.wrapping_sub(NO_COST));
                let [low, high] =
                    halves(costs).map(|costs| _mm512_cmplt_epu16_mask(_mm512_add_epi16(costs, turn), best));
                both(low, high)
            }
        }

        #[inline(always)]
        unsafe fn at_least(scores: &[u8; POSITIONS], least: u8) -> u64 {
            // SAFETY: the scores are a vector; the features are the caller's promise.
            unsafe {
                let scores = _mm512_loadu_si512(scores.as_ptr().cast());
                _mm512_cmpge_epu8_mask(scores, _mm512_set1_epi8(least.cast_signed()))
            }
        }
    }

    #[inline(always)]
    unsafe fn halves(costs: &[i16; POSITIONS]) -> [__m512i; 2] {
        // SAFETY: two vectors are there, and the load takes any alignment; the features are the caller's promise.
        unsafe { [0, 32].map(|at| _mm512_loadu_si512(costs.as_ptr().add(at).cast())) }
    }

    #[inline(always)]
    fn both(low: u32, high: u32) -> u64 {
        u64::from(low) | u64::from(high) << 32
    }

    impl Compare for Avx2 {
        #[inline(always)]
        unsafe fn equal(costs: &[i16; POSITIONS], to: i16) -> u64 {
            // SAFETY: the features are the caller's promise.
            unsafe { bits(costs, |costs| _mm256_cmpeq_epi16(costs, _mm256_set1_epi16(to))) }
        }

        #[inline(always)]
        unsafe fn ending(costs: &[i16; POSITIONS], best: i16) -> u64 {
            let is_ending = |costs| {
                // SAFETY: as above.
                unsafe {
                    let none = _mm256_cmpeq_epi16(costs, _mm256_set1_epi16(NO_COST));
                    _mm256_or_si256(none, _mm256_cmpgt_epi16(_mm256_set1_epi16(best), costs))
                }
            };
            // SAFETY: as above.
            unsafe { bits(costs, is_ending) }
        }

        #[inline(always)]
        unsafe fn at_least(scores: &[u8; POSITIONS], least: u8) -> u64 {
            let half = |at: usize| {
                // SAFETY: the scores are two vectors; the features are the caller's promise.
                unsafe {
                    let scores = _mm256_loadu_si256(scores.as_ptr().add(at).cast());
                    let highest = _mm256_max_epu8(scores, _mm256_set1_epi8(least.cast_signed()));
                    _mm256_movemask_epi8(_mm256_cmpeq_epi8(highest, scores)).cast_unsigned()
                }
            };
            both(half(0), half(32))
        }
    }

    /// The answers of `test` for each cost.
    ///
    /// # Safety
    /// As for [`Compare::equal`].
    #[inline(always)]
    unsafe fn bits(costs: &[i16; POSITIONS], test: impl Fn(__m256i) -> __m256i) -> u64 {
        let half = |at: usize| {
            // SAFETY: the costs are four vectors; the features are the caller's promise.
            unsafe {
                let [a, b] = [0, 16].map(|next| test(_mm256_loadu_si256(costs.as_ptr().add(at + next).cast())));
                // Packing takes the halves of both in turn.
                let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b));
                _mm256_movemask_epi8(bytes).cast_unsigned()
            }
        };
        both(half(0), half(32))
    }
}

#[cfg(test)]
mod tests {
    use super::{Kernels, LOOK_AHEAD, NO_COST, Scan};
    use crate::testing::numbers;

    /// A rank as a cost: 0 comes last.
    fn cost(rank: u16) -> i16 {
        ((rank.wrapping_sub(1) << 6) ^ 0x8000) as i16
    }

    /// The definition, word by word: ranks in, scores out.
    fn score_literal(ranks: &[u16]) -> Vec<u8> {
        let n = ranks.len();
        let mut scores = vec![0; n];
        if n <= 64 {
            return scores;
        }
        let (mut i, mut min_pos, mut min_rank) = (0, 0, ranks[0]);
        while i < n - 64 {
            if i > 0 && min_rank > 0 {
                while ranks[i + 64] >= min_rank && i < min_pos {
                    if ranks[i + 64] == min_rank {
                        min_pos = i + 64;
                    }
                    scores[min_pos] += 1;
                    i += 1;
                }
            }
            (min_pos, min_rank) = (i, ranks[i]);
            for (j, &rank) in ranks.iter().enumerate().take(i + 64).skip(i + 1) {
                if rank != 0 && rank < min_rank {
                    (min_rank, min_pos) = (rank, j);
                } else if min_pos == j - 1 && rank == min_rank {
                    min_pos = j;
                }
            }
            if min_rank > 0 {
                scores[min_pos] += 1;
            }
            i += 1;
        }
        scores
    }

    /// `ranks` ends with 64 zeros; each element of `ends` is a place where the scan stops and is taken up again.
    fn scored(kernels: Kernels, ranks: &[u16], ends: &[usize]) -> Vec<u8> {
        let last = ranks.len() - 64;
        let mut costs: Vec<i16> = ranks.iter().map(|&rank| cost(rank)).collect();
        costs.resize(last + LOOK_AHEAD, NO_COST);
        let mut scores = vec![0; ranks.len()];
        let mut scan = Scan::default();
        for &end in ends {
            // As many costs are known as in the middle of an input; the others are wrong.
            let end = end.min(last.saturating_sub(LOOK_AHEAD));
            let mut known = costs.clone();
            known[end + LOOK_AHEAD..].fill(cost(100));
            scan.advance(kernels, &known, end, &mut scores);
        }
        scan.advance(kernels, &costs, last, &mut scores);
        assert_eq!(scan.at(), last);
        scores
    }

    #[test]
    fn scores_are_those_of_the_definition() {
        assert_eq!(cost(0), NO_COST);
        for seed in 0..800 {
            let mut next = numbers(seed);
            // From 3072 positions on, there are lanes.
            let length = next([3600, 20_000][seed as usize / 4 % 2]);
            let mut rank = 500;
            let mut ranks = Vec::new();
            while ranks.len() < length as usize {
                match seed % 4 {
                    // All kinds, few that lie in runs, rising and falling ones, runs of what is not eligible.
                    0 => ranks.push(if next(4) == 0 { 0 } else { 100 + next(890) as u16 }),
                    1 => {
                        let rank = [0, 990, 100, 101, 102, 103][next(6) as usize];
                        ranks.extend(vec![rank; 1 + next(90) as usize]);
                    }
                    2 => {
                        rank = (rank + next(7) as u16 - 3).clamp(100, 990);
                        ranks.push(rank);
                    }
                    _ => {
                        ranks.extend((0..next(300)).map(|_| 100 + next(40) as u16));
                        ranks.extend(vec![0; next(300) as usize]);
                    }
                }
            }
            ranks.extend([0; 64]);
            let mut ends: Vec<usize> = (0..next(4)).map(|_| next(length + 200) as usize).collect();
            ends.sort_unstable();
            let expected = score_literal(&ranks);
            for kernels in Kernels::offered() {
                assert_eq!(scored(kernels, &ranks, &ends), expected, "{kernels:?}, seed {seed}");
            }
        }
    }

    #[test]
    fn places_of_high_scores() {
        let mut next = numbers(7);
        let scores: Vec<u8> = (0..500).map(|_| next(40) as u8).collect();
        for length in (0..200).chain([500]) {
            for least in [0, 1, 17, 39, 40, 255] {
                let is_high = |&place: &u32| scores[place as usize] >= least;
                let expected: Vec<u32> = (0..length as u32).filter(is_high).collect();
                for kernels in Kernels::offered() {
                    let mut places = vec![7; 3];
                    kernels.at_least(&scores[..length], least, &mut places);
                    assert_eq!(places, expected, "{kernels:?}, {length} scores, {least}");
                }
            }
        }
    }
}
