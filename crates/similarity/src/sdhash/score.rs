//! Step 2: how often a position is the best one of a window of 64 positions.
//!
//! The original slides its window with a shortcut that skips positions, so this is not a sliding minimum. What it does is a
//! chain of *rescans*: each finds the best position of its window, and then the window slides on, without looking at
//! anything but the position that it reaches next, until a better or an ineligible one appears there or the best one is
//! left behind. `score_literal` in the tests is the definition, word by word.

use super::rank::NO_COST;

/// Positions of a window.
const POSITIONS: usize = 64;

/// How many costs behind the last scored position must be known.
pub(super) const LOOK_AHEAD: usize = 2 * POSITIONS;

/// Where the scoring stands.
pub(super) struct Scan {
    /// The first position whose window has not been scored; scores before it are final.
    pub(super) at: usize,
    best_at: usize,
    /// The best cost of the latest rescan, [`NO_COST`] where a rescan is due.
    best: u16,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan { at: 0, best_at: 0, best: NO_COST }
    }
}

impl Scan {
    /// Adds to `scores` what the windows up to `end` give. `LOOK_AHEAD` more costs are known, all `NO_COST` at the end of a chunk.
    pub(super) fn advance(&mut self, costs: &[u16], end: usize, scores: &mut [u8]) {
        let Scan { mut at, mut best_at, mut best } = *self;
        loop {
            if best != NO_COST {
                while at < end && at < best_at && (best..NO_COST).contains(&costs[at + POSITIONS]) {
                    if costs[at + POSITIONS] == best {
                        best_at = at + POSITIONS;
                    }
                    scores[best_at] += 1;
                    at += 1;
                }
            }
            if at >= end {
                break;
            }
            if costs[at] == NO_COST {
                best = NO_COST;
                at += 1;
                continue;
            }
            (best, best_at) = rescan(costs, at);
            scores[best_at] += 1;
            at += 1;
        }
        *self = Scan { at, best_at, best };
    }

    /// Moves all positions down.
    pub(super) fn shift(&mut self, positions: usize) {
        self.at -= positions;
        self.best_at = self.best_at.saturating_sub(positions);
    }
}

/// The best cost of the window at `at`, and its place: the last one of the first run of that cost.
fn rescan(costs: &[u16], at: usize) -> (u16, usize) {
    let window = &costs[at..at + POSITIONS];
    // Costs leave their lowest six bits free: with the place in them, the least of all is the first one of the best cost.
    let keys = window.iter().zip(0_u16..).map(|(&cost, place)| cost | place);
    let least = keys.fold(u16::MAX, u16::min);
    let (best, mut place) = (least & !63, usize::from(least & 63));
    while place + 1 < POSITIONS && window[place + 1] == best {
        place += 1;
    }
    (best, at + place)
}
