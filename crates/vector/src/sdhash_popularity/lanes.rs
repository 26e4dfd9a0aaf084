//! Thirty-two stretches of an input at once, each in a lane of 16 bits (AVX-512 BW, VBMI2).
//!
//! Where the next rescan happens depends on the last one, so the chain seems to be serial. But it forgets: chains that
//! begin differently at some place nearly always *meet* after some dozens of steps, and then are one. So the input is
//! cut into as many stretches as there are lanes, and each lane begins a chain of its own. It counts from where it
//! should have met the one of the lane before, which goes on up to there. If one day they have not met, nothing counts,
//! and the part is scored as without lanes.
//!
//! A *row* holds one position of each stretch. Minima of windows over rows need no moves between lanes: each window is
//! the end of one block of 64 rows and the beginning of the next (M. van Herk, Pattern Recognition Letters 13, 1992). A
//! minimum finds the place as well, since what it is taken of are *keys*: costs, in the lowest six bits of which, that
//! are zero, lies the place within the block where the run of this cost ends. So the first run of the lowest cost has
//! the lowest key.

use std::arch::x86_64::*;
use std::cell::RefCell;

use super::{NO_COST, POSITIONS, Scan, advance_avx512};

const LANES: usize = 32;
const FIRST_LANE: u32 = 1;
const LAST_LANE: u32 = 1 << (LANES - 1);
/// Rows at once, at most: positions fit 15 bits, and what is known about them a second-level cache.
const ROWS_MAX: usize = 512;
/// Steps after which chains should have met: in noise, one of 10,000 has not. There are at least as many rows.
const OVERLAP: usize = 96;
const EVENTS_MAX: usize = LANES * (ROWS_MAX + OVERLAP + 3);

/// [`NO_COST`] as it is in rows.
const NONE: i16 = raised(NO_COST);

/// A cost as it is in rows: there [`NO_COST`] lies below the others, as it ends slides like a lower cost does.
const fn raised(cost: i16) -> i16 {
    cost.wrapping_add(POSITIONS as i16)
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([i16; LANES]);

impl Row {
    const ZERO: Row = Row([0; LANES]);
}

/// Data about the positions of all stretches, row by row.
struct Rows {
    /// Raised.
    costs: [Row; ROWS_MAX + 2 * POSITIONS],
    /// The lowest key from each position to the end of its block; then what is known about its window (see
    /// [`Rows::walk`]).
    lowest: [Row; ROWS_MAX + POSITIONS],
    /// Those of one block; before, half-made rows of costs.
    keys: [Row; POSITIONS],
    /// Where each lane's chain stands when it begins to count: cost and position.
    met: [Row; 2],
}

/// Positions that were the best ones for some steps.
struct Events<'l> {
    lists: &'l mut Lists,
    count: usize,
}

struct Lists {
    places: [u16; EVENTS_MAX],
    steps: [u16; EVENTS_MAX],
}

thread_local! {
    // It keeps nothing from one call to the next.
    static SCRATCH: RefCell<Box<(Rows, Lists)>> = RefCell::new(Box::new((
        Rows {
            costs: [Row::ZERO; ROWS_MAX + 2 * POSITIONS],
            lowest: [Row::ZERO; ROWS_MAX + POSITIONS],
            keys: [Row::ZERO; POSITIONS],
            met: [Row::ZERO; 2],
        },
        Lists { places: [0; EVENTS_MAX], steps: [0; EVENTS_MAX] },
    )));
}

/// As [`Scan::advance`]; some positions at the end may be left.
#[target_feature(enable = "avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,popcnt,bmi1")]
pub(super) fn advance(scan: &mut Scan, costs: &[i16], end: usize, scores: &mut [u8]) {
    SCRATCH.with_borrow_mut(|scratch| {
        let (rows, lists) = &mut **scratch;
        loop {
            let count = (end.saturating_sub(scan.at) / LANES).min(ROWS_MAX);
            if count < OVERLAP {
                break;
            }
            let (start, part_end) = (scan.at, scan.at + LANES * count);
            if !rows.advance(&costs[start..], count, scan, lists, &mut scores[start..]) {
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

/// Exchanges blocks of `WIDTH` double lanes: every second one of `a` and the one before it of `b` change places.
#[inline]
#[target_feature(enable = "avx512bw")]
fn exchange<const WIDTH: usize>(a: &mut __m512i, b: &mut __m512i) {
    /// For each double lane, the one that comes there: of `b` from 16 on.
    const fn exchanged(width: usize, is_second: bool) -> [i32; 16] {
        let mut from = [0; 16];
        let mut at = 0;
        while at < 16 {
            let is_high = at & width != 0;
            let lane = if is_high == is_second { at } else { at ^ width };
            from[at] = (lane + if is_high { 16 } else { 0 }) as i32;
            at += 1;
        }
        from
    }
    // SAFETY: 16 numbers are 64 bytes.
    let [first, second] = unsafe {
        const { [exchanged(WIDTH, false), exchanged(WIDTH, true)] }.map(|from| _mm512_loadu_si512(from.as_ptr().cast()))
    };
    (*a, *b) = (_mm512_permutex2var_epi32(*a, first, *b), _mm512_permutex2var_epi32(*a, second, *b));
}

/// [`exchange`] of single lanes.
#[inline]
#[target_feature(enable = "avx512bw")]
fn exchange_lanes(a: &mut __m512i, b: &mut __m512i) {
    (*a, *b) = (
        _mm512_mask_blend_epi16(0xAAAA_AAAA, *a, _mm512_slli_epi32::<16>(*b)),
        _mm512_mask_blend_epi16(0xAAAA_AAAA, _mm512_srli_epi32::<16>(*a), *b),
    );
}

/// Rows of one block.
fn block_of(rows: &[Row], block: usize) -> &[Row; POSITIONS] {
    rows[block * POSITIONS..].first_chunk().expect("there is a row for each position")
}

impl Rows {
    /// Fills the rows with costs, up to the end of the block after the last window's first one.
    #[target_feature(enable = "avx512bw")]
    fn fill(&mut self, costs: &[i16], count: usize) {
        let Rows { costs: rows, keys: tile, .. } = self;
        let rows = &mut rows[..(count.div_ceil(POSITIONS) + 1) * POSITIONS];
        for (rows, start) in rows.as_chunks_mut::<LANES>().0.iter_mut().zip((0..).step_by(LANES)) {
            // As many rows as fit into registers.
            for first in (0..LANES).step_by(8) {
                let mut registers = [_mm512_setzero_si512(); 8];
                for (values, lane) in registers.iter_mut().zip(first..) {
                    let positions: &[i16; LANES] =
                        costs[lane * count + start..].first_chunk().expect("costs are known");
                    // SAFETY: 32 costs are 64 bytes.
                    *values = unsafe { _mm512_loadu_si512(positions.as_ptr().cast()) };
                }
                let [a, b, c, d, e, f, g, h] = &mut registers;
                for [one, other] in [[&mut *a, &mut *b], [&mut *c, &mut *d], [&mut *e, &mut *f], [&mut *g, &mut *h]] {
                    exchange_lanes(one, other);
                }
                for [one, other] in [[&mut *a, &mut *c], [&mut *b, &mut *d], [&mut *e, &mut *g], [&mut *f, &mut *h]] {
                    exchange::<1>(one, other);
                }
                for [one, other] in [[&mut *a, &mut *e], [&mut *b, &mut *f], [&mut *c, &mut *g], [&mut *d, &mut *h]] {
                    exchange::<2>(one, other);
                }
                for (row, values) in tile[first..].iter_mut().zip(registers) {
                    store(row, values);
                }
            }
            for row in 0..8 {
                let [mut a, mut b, mut c, mut d] = [0, 8, 16, 24].map(|next| load(&tile[row + next]));
                exchange::<4>(&mut a, &mut b);
                exchange::<4>(&mut c, &mut d);
                exchange::<8>(&mut a, &mut c);
                exchange::<8>(&mut b, &mut d);
                for (next, values) in [(0, a), (8, b), (16, c), (24, d)] {
                    store(&mut rows[row + next], _mm512_add_epi16(values, _mm512_set1_epi16(POSITIONS as i16)));
                }
            }
        }
    }

    /// The lowest key from each position to the end of its block. A run that goes on behind the block is left to the
    /// next one, but for the window that is the block itself.
    #[target_feature(enable = "avx512bw")]
    fn find_ends_of_windows(&mut self, block: usize) {
        let Rows { costs, lowest: ends, keys, .. } = self;
        let start = block * POSITIONS;
        let ends: &mut [Row; POSITIONS] = ends[start..].first_chunk_mut().expect("there is a row for each position");
        // After the filled rows it is unspecified: there, no window reaches the end of the block.
        let mut behind = load(&costs[start + POSITIONS]);
        let costs = block_of(costs, block);
        // The addend that makes a key of a raised cost.
        let mut turn = _mm512_set1_epi16(-1);
        let last = _mm512_add_epi16(load(&costs[POSITIONS - 1]), turn);
        let mut key = last;
        let mut lowest = _mm512_set1_epi16(i16::MAX);
        let mut key_or_none = lowest;
        for row in (0..POSITIONS).rev() {
            let costs = load(&costs[row]);
            let ending = _mm512_add_epi16(costs, turn);
            let goes_on = _mm512_cmpeq_epi16_mask(costs, behind);
            key = _mm512_mask_mov_epi16(ending, goes_on, key);
            key_or_none = _mm512_mask_mov_epi16(ending, goes_on, key_or_none);
            lowest = _mm512_min_epi16(lowest, key_or_none);
            store(&mut keys[row], key);
            store(&mut ends[row], lowest);
            turn = _mm512_sub_epi16(turn, _mm512_set1_epi16(1));
            behind = costs;
        }
        store(&mut ends[0], _mm512_min_epi16(lowest, last));
    }

    /// Completes the windows that begin in this block, and walks over them. `lowest` keeps, where they are
    /// needed again, the windows' raised lowest costs with places that count from the windows' beginnings; [`NONE`]
    /// where the first position itself has no cost.
    ///
    /// Not inlined, as then what is in registers here would not be.
    #[inline(never)]
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn walk<'l>(&mut self, block: usize, count: usize, chains: &mut Chains, mut events: Events<'l>) -> Events<'l> {
        let mut now = *chains;
        let Rows { costs, lowest, keys, met } = self;
        let [here, entering] = [block, block + 1].map(|block| block_of(costs, block));
        let start = block * POSITIONS;
        let lowest: &mut [Row; POSITIONS] =
            lowest[start..].first_chunk_mut().expect("there is a row for each position");
        let none = _mm512_set1_epi16(NONE);
        let one = _mm512_set1_epi16(1);
        let width = _mm512_set1_epi16(POSITIONS as i16);
        let mut behind = _mm512_set1_epi16(i16::MAX);
        // The addend that makes of a key the raised cost with a place counted from the window's beginning.
        let mut turn = _mm512_sub_epi16(_mm512_setzero_si512(), width);
        for row in 0..POSITIONS.min(count - start) {
            // A run may go on after the window.
            let last = _mm512_sub_epi16(turn, one);
            let ending = _mm512_ternarylogic_epi32::<0b1101_1000>(behind, last, _mm512_sub_epi16(width, one));
            // Places behind the block count on.
            let lowest_behind = _mm512_adds_epi16(_mm512_min_epi16(behind, ending), width);
            let key = _mm512_min_epi16(load(&lowest[row]), lowest_behind);
            let eligible = _mm512_cmpneq_epi16_mask(load(&here[row]), none);
            let window = _mm512_mask_sub_epi16(none, eligible, key, turn);
            if start < OVERLAP {
                store(&mut lowest[row], window);
            }
            behind = _mm512_min_epi16(behind, load(&keys[row]));
            turn = _mm512_add_epi16(turn, one);
            if start + row == OVERLAP {
                store(&mut met[0], now.best);
                store(&mut met[1], now.best_at);
                now.since = _mm512_mask_mov_epi16(now.since, !FIRST_LANE, now.at);
                now.counted = u32::MAX;
            }
            now = now.step(load(&entering[row]), window, &mut events);
        }
        *chains = now;
        events
    }

    /// Walks on into the next lanes' stretches, to where those begin to count. Returns the lanes whose chains have not
    /// met.
    #[inline(never)]
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn walk_on<'l>(&self, chains: Chains, mut events: Events<'l>) -> (u32, Events<'l>) {
        let mut now = Chains { counted: !LAST_LANE, ..chains };
        for row in 0..OVERLAP {
            let entering = next_lanes(load(&self.costs[row + POSITIONS]));
            now = now.step(entering, next_lanes(load(&self.lowest[row])), &mut events);
        }
        now.end(&mut events);
        let [best, best_at] = [0, 1].map(|row| next_lanes(load(&self.met[row])));
        let differ = _mm512_cmpneq_epi16_mask(now.best, best) | _mm512_cmpneq_epi16_mask(now.best_at, best_at);
        (differ & now.counted, events)
    }

    /// Scores all stretches. `costs` and `scores` begin where `scan` stands. Returns false, and nothing has changed,
    /// where chains have not met.
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn advance(&mut self, costs: &[i16], count: usize, scan: &mut Scan, lists: &mut Lists, scores: &mut [u8]) -> bool {
        self.fill(costs, count);
        let mut events = Events { lists, count: 0 };
        let mut chains = Chains::new(count, scan);
        self.find_ends_of_windows(0);
        for block in 0..count.div_ceil(POSITIONS) {
            self.find_ends_of_windows(block + 1);
            events = self.walk(block, count, &mut chains, events);
        }
        let (best, best_at) = chains.last();
        Chains { counted: LAST_LANE, ..chains }.end(&mut events);
        let (differ, events) = self.walk_on(chains, events);
        if differ != 0 {
            return false;
        }
        events.flush(scores);
        let best_at = if best == NO_COST { 0 } else { scan.at + best_at as usize };
        *scan = Scan { at: scan.at + LANES * count, best_at, best };
        true
    }
}

/// Where the chain stands in each lane.
#[derive(Clone, Copy)]
struct Chains {
    at: __m512i,
    /// Raised.
    best: __m512i,
    best_at: __m512i,
    /// Since when it is the best one.
    since: __m512i,
    /// Lanes whose steps count.
    counted: u32,
}

impl Chains {
    #[target_feature(enable = "avx512bw")]
    fn new(count: usize, scan: &Scan) -> Chains {
        let (mut best, mut best_at) = (Row([NONE; LANES]), Row::ZERO);
        best.0[0] = raised(scan.best);
        // A best position that the scan has passed is unused, and so is the scan's own position.
        best_at.0[0] = scan.best_at.saturating_sub(scan.at) as i16;
        let at = beginnings(count);
        Chains { at, best: load(&best), best_at: load(&best_at), since: at, counted: FIRST_LANE }
    }

    /// One step of all chains, by the cost behind the window and what a rescan finds ([`Rows::walk`]).
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn step(self, entering: __m512i, window: __m512i, events: &mut Events<'_>) -> Chains {
        let Chains { at, best, best_at, since, counted } = self;
        let places = _mm512_set1_epi16(POSITIONS as i16 - 1);
        let is_ahead = _mm512_cmpgt_epi16_mask(best_at, at);
        let stays = _mm512_mask_cmpgt_epi16_mask(is_ahead, entering, best);
        let slides = _mm512_mask_cmpge_epi16_mask(is_ahead, entering, best);
        self.push(!stays, events);
        let found_at = _mm512_add_epi16(at, _mm512_and_si512(window, places));
        let stays_or_found_at = _mm512_mask_mov_epi16(found_at, slides, best_at);
        let entering_at = _mm512_add_epi16(at, _mm512_set1_epi16(POSITIONS as i16));
        Chains {
            at: _mm512_add_epi16(at, _mm512_set1_epi16(1)),
            best: _mm512_mask_mov_epi16(_mm512_andnot_si512(places, window), slides, best),
            // One that is as good takes over.
            best_at: _mm512_mask_mov_epi16(stays_or_found_at, slides & !stays, entering_at),
            since: _mm512_mask_mov_epi16(at, stays, since),
            counted,
        }
    }

    /// The steps up to here count.
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn end(self, events: &mut Events<'_>) {
        self.push(u32::MAX, events);
    }

    /// Of those lanes, the best positions are no longer the best ones, or their steps are at an end.
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn push(self, changing: u32, events: &mut Events<'_>) {
        let is_scored = _mm512_mask_cmpneq_epi16_mask(self.counted, self.best, _mm512_set1_epi16(NONE));
        events.push(is_scored & changing, self.best_at, _mm512_sub_epi16(self.at, self.since));
    }

    /// The best cost of the last lane, and its position.
    #[target_feature(enable = "avx512bw")]
    fn last(self) -> (i16, i16) {
        let (mut best, mut best_at) = (Row::ZERO, Row::ZERO);
        store(&mut best, self.best);
        store(&mut best_at, self.best_at);
        (best.0[LANES - 1].wrapping_sub(POSITIONS as i16), best_at.0[LANES - 1])
    }
}

impl Events<'_> {
    /// Takes the chosen lanes.
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vbmi2,popcnt")]
    fn push(&mut self, chosen: u32, places: __m512i, steps: __m512i) {
        let all_lanes = |list: &mut [u16; EVENTS_MAX], at: usize| -> *mut __m512i {
            list[at..].first_chunk_mut::<LANES>().expect("there is room").as_mut_ptr().cast()
        };
        // SAFETY: there is room for all lanes.
        unsafe {
            let to = all_lanes(&mut self.lists.places, self.count);
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(chosen, places));
            let to = all_lanes(&mut self.lists.steps, self.count);
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(chosen, steps));
        }
        self.count += chosen.count_ones() as usize;
    }

    fn flush(&self, scores: &mut [u8]) {
        for (&place, &steps) in self.lists.places.iter().zip(&self.lists.steps).take(self.count) {
            scores[usize::from(place)] += steps as u8;
        }
    }
}
