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

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{LOOK_AHEAD, Scan};
    use crate::sdhash::rank::{NO_COST, cost};

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
            for j in i + 1..i + 64 {
                if ranks[j] != 0 && ranks[j] < min_rank {
                    (min_rank, min_pos) = (ranks[j], j);
                } else if min_pos == j - 1 && ranks[j] == min_rank {
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
    fn scored(ranks: &[u16], mut ends: Vec<usize>) -> Vec<u8> {
        let last = ranks.len() - 64;
        let mut costs: Vec<u16> = ranks.iter().map(|&rank| cost(rank)).collect();
        costs.resize(last + LOOK_AHEAD, NO_COST);
        let mut scores = vec![0; ranks.len()];
        let mut scan = Scan::default();
        ends.sort_unstable();
        for end in ends {
            // As many costs are known as in the middle of a chunk; the others are wrong.
            let end = end.min(last.saturating_sub(LOOK_AHEAD));
            let mut known = costs.clone();
            known[end + LOOK_AHEAD..].fill(cost(100));
            scan.advance(&known, end, &mut scores);
        }
        scan.advance(&costs, last, &mut scores);
        assert_eq!(scan.at, last);
        scores
    }

    fn check(mut ranks: Vec<u16>, ends: Vec<usize>) {
        ranks.extend([0; 64]);
        assert_eq!(scored(&ranks, ends), score_literal(&ranks));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn ranks_of_all_kinds(
            ranks in vec(prop_oneof![3 => 100..990_u16, 1 => Just(0)], 0..1500),
            ends in vec(0..1500_usize, 0..4),
        ) {
            check(ranks, ends);
        }

        #[test]
        fn few_ranks_in_runs(
            runs in vec((prop_oneof![4 => 100..106_u16, 1 => Just(0), 1 => Just(990)], 1..90_usize), 0..60),
            ends in vec(0..2500_usize, 0..4),
        ) {
            check(runs.into_iter().flat_map(|(rank, length)| vec![rank; length]).collect(), ends);
        }

        #[test]
        fn rising_and_falling(steps in vec(-3..=3_i32, 0..1500), ends in vec(0..1500_usize, 0..4)) {
            let mut rank = 500;
            let ranks = steps.into_iter().map(|step| { rank = (rank + step).clamp(100, 990); rank as u16 }).collect();
            check(ranks, ends);
        }
    }
}
