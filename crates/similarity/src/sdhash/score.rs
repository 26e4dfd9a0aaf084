//! Step 2: how often a position is the best one of a window of 64 positions.
//!
//! The original slides its window with a shortcut that skips positions, so this is not a sliding minimum. What it does is a
//! chain of *rescans*: each finds the best position of its window, and then the window slides on, without looking at
//! anything but the position that it reaches next, until a better or an ineligible one appears there or the best one is
//! left behind. `score_literal` in the tests is the definition, word by word.
//!
//! Most rescans need not look at their 64 positions. As long as the window is not beyond what the latest one found, all of its
//! positions have been seen, and none is better, but for the one that was skipped.

use super::rank::NO_COST;

/// Positions of a window.
const POSITIONS: usize = 64;

/// How many costs behind the last scored position must be known.
pub(super) const LOOK_AHEAD: usize = 2 * POSITIONS;

/// Where the scoring stands.
pub(super) struct Scan {
    /// The first position whose window has not been scored; scores before it are final.
    pub(super) at: usize,
    /// The best position as it is now.
    best_at: usize,
    /// Its cost, [`NO_COST`] where nothing is known.
    best: i16,
    /// The best position that the latest rescan found, unless the window is beyond it.
    found: Option<usize>,
    /// The position that the step behind that rescan skipped.
    skipped: usize,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan { at: 0, best_at: 0, best: NO_COST, found: None, skipped: 0 }
    }
}

impl Scan {
    /// Adds to `scores` what the windows up to `end` give. `LOOK_AHEAD` more costs are known, all `NO_COST` at the end of a chunk.
    pub(super) fn advance(&mut self, costs: &[i16], end: usize, scores: &mut [u8]) {
        let costs = &costs[..end + LOOK_AHEAD];
        let scores = &mut scores[..];
        loop {
            if self.best != NO_COST {
                self.slide(costs, end, scores);
            }
            if self.at >= end {
                return;
            }
            self.rescan(costs);
            if self.best != NO_COST {
                scores[self.best_at] += 1;
            }
            self.at += 1;
        }
    }

    /// Slides the window until a better or an ineligible position appears, the best one is left behind, or `end` is reached.
    fn slide(&mut self, costs: &[i16], end: usize, scores: &mut [u8]) {
        let Scan { mut at, mut best_at, best, .. } = *self;
        loop {
            let from = at;
            let most = best_at.min(end).saturating_sub(at);
            let ahead = &costs[at + POSITIONS..][..most];
            // Neither better, nor as good, nor ineligible.
            at += ahead.iter().position(|&cost| cost <= best || cost == NO_COST).unwrap_or(most);
            scores[best_at] += (at - from) as u8;
            if at - from == most || costs[at + POSITIONS] != best {
                break;
            }
            best_at = at + POSITIONS;
            scores[best_at] += 1;
            at += 1;
        }
        (self.at, self.best_at) = (at, best_at);
    }

    /// Finds the best position of the window: the last one of the first run of the best cost.
    fn rescan(&mut self, costs: &[i16]) {
        let Scan { at, best, skipped, .. } = *self;
        if costs[at] == NO_COST {
            (self.best, self.found) = (NO_COST, None);
            return;
        }
        (self.best, self.best_at) = match self.found.filter(|&found| found >= at) {
            None => rescan(costs, at),
            // All positions behind it were looked at, and none is better than the best one was.
            Some(_) if costs[skipped] < best => (costs[skipped], skipped),
            // What the latest rescan found is still the first of its kind, and the skipped position may lengthen its run.
            Some(found) => (best, end_of_run(costs, found, at + POSITIONS)),
        };
        (self.found, self.skipped) = (Some(self.best_at), at + POSITIONS);
    }

    /// Moves all positions down.
    pub(super) fn shift(&mut self, positions: usize) {
        self.at -= positions;
        self.found = self.found.and_then(|found| found.checked_sub(positions));
        // These two are not looked at when they are behind.
        self.best_at = self.best_at.saturating_sub(positions);
        self.skipped = self.skipped.saturating_sub(positions);
    }
}

/// The best cost of the window at `at`, and its place.
fn rescan(costs: &[i16], at: usize) -> (i16, usize) {
    let window: &[i16; POSITIONS] = costs[at..].first_chunk().expect("the costs go on behind a window");
    // Costs leave their lowest six bits free: with the place in them, the least of all is the first one of the best cost.
    let keys: [i16; POSITIONS] = std::array::from_fn(|place| window[place] | place as i16);
    let least = keys.into_iter().fold(i16::MAX, i16::min);
    let (best, place) = (least & !63, (least & 63) as usize);
    (best, end_of_run(costs, at + place, at + POSITIONS))
}

/// The last position before `end` of a run of equal costs.
fn end_of_run(costs: &[i16], mut at: usize, end: usize) -> usize {
    let cost = costs[at];
    while at + 1 < end && costs[at + 1] == cost {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{LOOK_AHEAD, Scan};
    use crate::sdhash::rank::{NO_COST, cost};

    /// The definition, word by word: ranks in, scores out.
    #[expect(clippy::needless_range_loop, reason = "so stands the definition")]
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
        let mut costs: Vec<i16> = ranks.iter().map(|&rank| cost(rank)).collect();
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
