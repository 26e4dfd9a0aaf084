//! Thirty-two stretches of an input at once, each in a lane of 16 bits (AVX-512 BW, VBMI2).
//!
//! Where the next rescan happens depends on the last one, so the chain seems to be serial. But it forgets: where the cost that comes next is below all
//! of the window, or is [`NO_COST`], a slide ends whatever its best position is, for that lies in the window or has been left behind. Such a place is
//! called a *break* here. The input is cut into as many stretches as there are lanes. A lane takes up the chain at the first break of its stretch, and goes on
//! into the next stretch until that one's first break.
//!
//! A *row* holds one position of each stretch. Minima of windows over rows need no moves between lanes: each window is the end of one block of
//! 64 rows and the beginning of the next (M. van Herk, Pattern Recognition Letters 13, 1992).

use std::arch::x86_64::*;
use std::cell::RefCell;

use super::{NO_COST, POSITIONS, Scan, advance_avx512};

const LANES: usize = 32;
/// Rows at once, at most: positions fit 15 bits, and what is known about them a second-level cache.
const ROWS_MAX: usize = 512;
/// With fewer rows, going on into the next stretch costs more than the lanes gain.
const ROWS_MIN: usize = 48;
const EVENTS: usize = 2048;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([i16; LANES]);

/// What is known about the positions of all stretches, row by row.
struct Rows {
    costs: [Row; ROWS_MAX + POSITIONS],
    /// The lowest cost of the window that begins here; [`NO_COST`] where the position itself has none.
    lowest: [Row; ROWS_MAX + POSITIONS],
    /// Where a rescan finds it. At first: where the run of equal costs ends.
    places: [Row; ROWS_MAX + POSITIONS],
    /// Lanes whose first break is here.
    first_breaks: [u32; ROWS_MAX],
}

/// Positions that were the best ones for some steps.
struct Events {
    places: [u16; EVENTS + LANES],
    steps: [u16; EVENTS + LANES],
    count: usize,
}

thread_local! {
    // It keeps nothing from one call to the next.
    static SCRATCH: RefCell<Box<(Rows, Events)>> = RefCell::new(Box::new((
        Rows {
            costs: [Row([0; LANES]); ROWS_MAX + POSITIONS],
            lowest: [Row([0; LANES]); ROWS_MAX + POSITIONS],
            places: [Row([0; LANES]); ROWS_MAX + POSITIONS],
            first_breaks: [0; ROWS_MAX],
        },
        Events { places: [0; EVENTS + LANES], steps: [0; EVENTS + LANES], count: 0 },
    )));
}

/// As [`Scan::advance`]; some positions at the end may be left.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
pub(super) fn advance(scan: &mut Scan, costs: &[i16], end: usize, scores: &mut [u8]) {
    SCRATCH.with_borrow_mut(|scratch| {
        let (rows, events) = &mut **scratch;
        loop {
            let count = (end.saturating_sub(scan.at) / LANES).min(ROWS_MAX);
            if count < ROWS_MIN {
                break;
            }
            let (start, part_end) = (scan.at, scan.at + LANES * count);
            if rows.fill(&costs[start..], count) {
                rows.advance(count, scan, events, &mut scores[start..]);
            } else {
                advance_avx512(scan, costs, part_end, scores);
            }
        }
    });
}

/// The stretches' beginnings.
#[target_feature(enable = "avx512bw")]
fn beginnings(count: usize) -> __m512i {
    let mut beginnings = Row([0; LANES]);
    for (beginning, lane) in beginnings.0.iter_mut().zip(0..) {
        *beginning = lane * count as i16;
    }
    load(&beginnings)
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn load(row: &Row) -> __m512i {
    // SAFETY: a row is 64 bytes, and so aligned.
    unsafe { _mm512_load_si512(row.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn store(row: &mut Row, values: __m512i) {
    // SAFETY: as above.
    unsafe { _mm512_store_si512(row.0.as_mut_ptr().cast(), values) }
}

/// Each lane gets what the next one has.
#[inline]
#[target_feature(enable = "avx512bw")]
fn next_lanes(values: __m512i) -> __m512i {
    const NEXT: Row = {
        let mut row = Row([0; LANES]);
        let mut lane = 0;
        while lane < LANES {
            row.0[lane] = ((lane + 1) % LANES) as i16;
            lane += 1;
        }
        row
    };
    _mm512_permutexvar_epi16(load(&NEXT), values)
}

/// Turns 32 positions of each stretch into 32 rows.
#[target_feature(enable = "avx512bw")]
fn transpose(tile: &mut [__m512i; LANES]) {
    /// For each double lane, the one that comes there when blocks of `width` double lanes change places: of the second vector from 16 on.
    const fn exchanged(width: usize, is_high: bool) -> [i32; 16] {
        let mut from = [0; 16];
        let mut at = 0;
        while at < 16 {
            let stays = (at & width != 0) == is_high;
            let is_second = at & width != 0;
            from[at] = (if stays { at } else { at ^ width } + if is_second { 16 } else { 0 }) as i32;
            at += 1;
        }
        from
    }
    const WIDTHS: [usize; 4] = [1, 2, 4, 8];
    const EXCHANGED: [[[i32; 16]; 2]; 4] = {
        let mut all = [[[0; 16]; 2]; 4];
        let mut stage = 0;
        while stage < 4 {
            all[stage] = [exchanged(WIDTHS[stage], false), exchanged(WIDTHS[stage], true)];
            stage += 1;
        }
        all
    };
    for pair in tile.as_chunks_mut::<2>().0 {
        let [a, b] = *pair;
        pair[0] = _mm512_mask_blend_epi16(0xAAAA_AAAA, a, _mm512_slli_epi32::<16>(b));
        pair[1] = _mm512_mask_blend_epi16(0xAAAA_AAAA, _mm512_srli_epi32::<16>(a), b);
    }
    for (width, [low, high]) in WIDTHS.iter().zip(&EXCHANGED) {
        // SAFETY: 16 numbers are 64 bytes.
        let [low, high] = unsafe { [low, high].map(|from| _mm512_loadu_si512(from.as_ptr().cast())) };
        let width = 2 * width;
        for row in (0..LANES).filter(|row| row & width == 0) {
            let (a, b) = (tile[row], tile[row + width]);
            tile[row] = _mm512_permutex2var_epi32(a, low, b);
            tile[row + width] = _mm512_permutex2var_epi32(a, high, b);
        }
    }
}

impl Rows {
    /// Fills the rows for stretches of `count` positions. Returns false if one of them has no break.
    #[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
    fn fill(&mut self, costs: &[i16], count: usize) -> bool {
        self.fill_costs(costs, count);
        self.find_runs(count);
        // The chain is taken up where it stands in the first lane.
        let mut taken_up = 1;
        for block in (0..count).step_by(POSITIONS) {
            self.find_ends_of_windows(block);
            taken_up = self.find_windows(block, count, taken_up);
        }
        taken_up == u32::MAX
    }

    #[target_feature(enable = "avx512bw")]
    fn fill_costs(&mut self, costs: &[i16], count: usize) {
        for start in (0..count).step_by(LANES) {
            // The last tile may overlap the one before.
            let start = start.min(count - LANES);
            let mut tile = [_mm512_setzero_si512(); LANES];
            for (lane, values) in tile.iter_mut().enumerate() {
                let positions: &[i16; LANES] = costs[lane * count + start..].first_chunk().expect("costs are known");
                // SAFETY: 32 costs are 64 bytes.
                *values = unsafe { _mm512_loadu_si512(positions.as_ptr().cast()) };
            }
            transpose(&mut tile);
            self.costs[start..].iter_mut().zip(tile).for_each(|(row, values)| store(row, values));
        }
        // Behind a stretch lies the next one, and behind the last one what comes then.
        for (row, &cost) in costs[LANES * count..][..POSITIONS].iter().enumerate() {
            let next = next_lanes(load(&self.costs[row]));
            store(&mut self.costs[count + row], _mm512_mask_set1_epi16(next, 1 << (LANES - 1), cost));
        }
    }

    /// Where the run of equal costs ends that each position lies in.
    #[target_feature(enable = "avx512bw")]
    fn find_runs(&mut self, count: usize) {
        let last = count + POSITIONS - 1;
        let mut at = _mm512_add_epi16(beginnings(count), _mm512_set1_epi16(last as i16));
        let (mut ends, mut behind) = (at, load(&self.costs[last]));
        store(&mut self.places[last], ends);
        for row in (0..last).rev() {
            at = _mm512_sub_epi16(at, _mm512_set1_epi16(1));
            let costs = load(&self.costs[row]);
            ends = _mm512_mask_blend_epi16(_mm512_cmpeq_epi16_mask(costs, behind), at, ends);
            store(&mut self.places[row], ends);
            behind = costs;
        }
    }

    /// The lowest costs from each position to the end of its block. Of equal ones, the first run counts.
    #[target_feature(enable = "avx512bw")]
    fn find_ends_of_windows(&mut self, block: usize) {
        let (mut lowest, mut places) = (_mm512_set1_epi16(i16::MAX), _mm512_setzero_si512());
        for row in (block..block + POSITIONS).rev() {
            let costs = load(&self.costs[row]);
            let is_better = _mm512_cmple_epi16_mask(costs, lowest);
            lowest = _mm512_min_epi16(lowest, costs);
            places = _mm512_mask_mov_epi16(places, is_better, load(&self.places[row]));
            store(&mut self.lowest[row], lowest);
            store(&mut self.places[row], places);
        }
    }

    /// Completes the windows that begin in this block. Returns the lanes that have had a break, of which `taken_up` had one before.
    #[target_feature(enable = "avx512bw")]
    fn find_windows(&mut self, block: usize, count: usize, mut taken_up: u32) -> u32 {
        let none = _mm512_set1_epi16(NO_COST);
        let one = _mm512_set1_epi16(1);
        let last_of_window = (block + POSITIONS - 1) as i16;
        let mut limit = _mm512_add_epi16(beginnings(count), _mm512_set1_epi16(last_of_window));
        let (mut lowest_behind, mut places_behind) = (_mm512_set1_epi16(i16::MAX), _mm512_setzero_si512());
        for row in block..count.min(block + POSITIONS) {
            let (lowest, places) = (load(&self.lowest[row]), load(&self.places[row]));
            let is_here = _mm512_cmple_epi16_mask(lowest, lowest_behind);
            let lowest = _mm512_min_epi16(lowest, lowest_behind);
            let places = _mm512_mask_mov_epi16(places_behind, is_here, places);
            let next = load(&self.costs[row + POSITIONS]);
            let breaks = _mm512_cmplt_epi16_mask(next, lowest) | _mm512_cmpeq_epi16_mask(next, none);
            self.first_breaks[row] = breaks & !taken_up;
            taken_up |= breaks;
            let is_none = _mm512_cmpeq_epi16_mask(load(&self.costs[row]), none);
            store(&mut self.lowest[row], _mm512_mask_mov_epi16(lowest, is_none, none));
            // A run may go on behind the window.
            store(&mut self.places[row], _mm512_min_epi16(places, limit));
            limit = _mm512_add_epi16(limit, one);
            let is_better = _mm512_cmplt_epi16_mask(next, lowest_behind);
            lowest_behind = _mm512_min_epi16(lowest_behind, next);
            places_behind = _mm512_mask_mov_epi16(places_behind, is_better, load(&self.places[row + POSITIONS]));
        }
        taken_up
    }

    /// Scores all stretches. `scores` begin where `scan` stands.
    #[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
    fn advance(&self, count: usize, scan: &mut Scan, events: &mut Events, scores: &mut [u8]) {
        let mut chains = Chains::new(count, scan);
        for row in 0..count {
            let next = load(&self.costs[row + POSITIONS]);
            chains.step(next, load(&self.lowest[row]), load(&self.places[row]), 0, events);
            chains.active |= self.first_breaks[row];
            events.make_room(scores);
        }
        let (best, best_at) = chains.last();
        // The last stretch ends with the part, the others where the next lane has taken up the chain.
        let mut ending = 1 << (LANES - 1);
        for row in 0..count {
            ending |= self.first_breaks[row] >> 1;
            let next = next_lanes(load(&self.costs[row + POSITIONS]));
            let (lowest, places) = (next_lanes(load(&self.lowest[row])), next_lanes(load(&self.places[row])));
            chains.step(next, lowest, places, ending, events);
            events.make_room(scores);
            if chains.active == 0 {
                break;
            }
            ending = 0;
        }
        events.flush(scores);
        let best_at = if best == NO_COST { 0 } else { scan.at + best_at as usize };
        *scan = Scan { at: scan.at + LANES * count, best_at, best };
    }
}

/// Where the chain stands in each lane.
struct Chains {
    at: __m512i,
    best: __m512i,
    best_at: __m512i,
    /// Since when it is the best one.
    since: __m512i,
    /// Lanes in which the chain has been taken up and not ended.
    active: u32,
}

impl Chains {
    #[target_feature(enable = "avx512bw")]
    fn new(count: usize, scan: &Scan) -> Chains {
        let (mut best, mut best_at) = (Row([NO_COST; LANES]), Row([0; LANES]));
        best.0[0] = scan.best;
        // One that is behind is not looked at, and neither is the position where the scan stands.
        best_at.0[0] = scan.best_at.saturating_sub(scan.at) as i16;
        let at = beginnings(count);
        Chains { at, best: load(&best), best_at: load(&best_at), since: at, active: 1 }
    }

    /// One step of all chains, but of those that are `ending`, by what is known about the position: the cost behind its window, and what a rescan finds.
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn step(&mut self, next: __m512i, lowest: __m512i, places: __m512i, ending: u32, events: &mut Events) {
        let none = _mm512_set1_epi16(NO_COST);
        let slides = _mm512_cmpge_epi16_mask(next, self.best)
            & _mm512_cmpneq_epi16_mask(next, none)
            & _mm512_cmpgt_epi16_mask(self.best_at, self.at);
        let is_equal = slides & _mm512_cmpeq_epi16_mask(next, self.best);
        let changes = !slides | is_equal;
        let scored = (changes | ending) & self.active & _mm512_cmpneq_epi16_mask(self.best, none);
        events.push(scored, self.best_at, _mm512_sub_epi16(self.at, self.since));
        self.active &= !ending;
        self.since = _mm512_mask_mov_epi16(self.since, changes, self.at);
        self.best = _mm512_mask_mov_epi16(lowest, slides, self.best);
        let best_at = _mm512_mask_mov_epi16(places, slides, self.best_at);
        let entering = _mm512_add_epi16(self.at, _mm512_set1_epi16(POSITIONS as i16));
        self.best_at = _mm512_mask_mov_epi16(best_at, is_equal, entering);
        self.at = _mm512_add_epi16(self.at, _mm512_set1_epi16(1));
    }

    /// The best cost of the last lane, and its position.
    #[target_feature(enable = "avx512bw")]
    fn last(&self) -> (i16, i16) {
        let (mut best, mut best_at) = (Row([0; LANES]), Row([0; LANES]));
        store(&mut best, self.best);
        store(&mut best_at, self.best_at);
        (best.0[LANES - 1], best_at.0[LANES - 1])
    }
}

impl Events {
    /// Takes the chosen lanes.
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn push(&mut self, chosen: u32, places: __m512i, steps: __m512i) {
        let all_lanes = |list: &mut [u16; EVENTS + LANES], at: usize| -> *mut __m512i {
            list[at..].first_chunk_mut::<LANES>().expect("there is room").as_mut_ptr().cast()
        };
        // SAFETY: there is room for all lanes.
        unsafe {
            let to = all_lanes(&mut self.places, self.count);
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(chosen, places));
            let to = all_lanes(&mut self.steps, self.count);
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(chosen, steps));
        }
        self.count += chosen.count_ones() as usize;
    }

    /// Makes room for one row.
    #[inline]
    fn make_room(&mut self, scores: &mut [u8]) {
        if self.count > EVENTS {
            self.flush(scores);
        }
    }

    fn flush(&mut self, scores: &mut [u8]) {
        for (&place, &steps) in self.places.iter().zip(&self.steps).take(self.count) {
            scores[usize::from(place)] += steps as u8;
        }
        self.count = 0;
    }
}
