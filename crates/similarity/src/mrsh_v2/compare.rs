//! Scores.

use std::sync::LazyLock;

use super::digest::{Digest, ELEMENTS_MAX};
use crate::filter::Filter;

/// What a score says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// How much of the smaller input is in the larger one.
    #[default]
    Containment,
    /// How much of the larger input is in the smaller one, so how alike they are (`-f`).
    Resemblance,
}

/// Filters with fewer elements do not take part.
const ELEMENTS_MIN: u16 = 8;

impl Digest {
    /// The score of two digests, 0 to 100. Between digests of equally many filters it can depend on their order, as in the original.
    pub fn compare(&self, other: &Digest, measure: Measure) -> u8 {
        score(&Side::new(self), &Side::new(other), measure)
    }
}

/// A digest, ready to be compared with many: the filters that take part.
pub(super) struct Side {
    pub(super) filters: Vec<Counted>,
    /// Of the whole digest.
    pub(super) count: usize,
}

/// A filter and its numbers.
pub(super) struct Counted {
    pub(super) filter: Filter,
    pub(super) weight: u32,
    pub(super) elements: u16,
}

impl Side {
    pub(super) fn new(digest: &Digest) -> Side {
        let counted = |(&filter, elements): (&Filter, u16)| Counted { filter, weight: filter.weight(), elements };
        let taking_part =
            digest.filters.iter().zip(digest.elements()).filter(|&(_, elements)| elements >= ELEMENTS_MIN);
        Side { filters: taking_part.map(counted).collect(), count: digest.filters.len() }
    }
}

/// Common bits that chance explains, by the elements of both filters.
pub(super) fn chance(a_elements: u16, b_elements: u16) -> u32 {
    CHANCE[usize::from(a_elements) * ELEMENTS + usize::from(b_elements)].into()
}

/// Numbers of elements that a filter can have.
const ELEMENTS: usize = ELEMENTS_MAX as usize + 1;

static CHANCE: LazyLock<Vec<u16>> = LazyLock::new(|| {
    // That a bit is still 0 after so many elements; the original has this decimal number, which is not quite 2047/2048.
    let unset = |elements: usize| 0.999_511_72_f64.powf(5.0 * elements as f64);
    let chance = |a, b| (2048.0 * (1.0 - unset(a) - unset(b) + unset(a + b))) as u16;
    (0..ELEMENTS * ELEMENTS).map(|pair| chance(pair / ELEMENTS, pair % ELEMENTS)).collect()
});

/// Common bits below which two filters have nothing in common: three tenths of the way from what chance gives to what is possible.
pub(super) fn cut(possible: u32, chance: u32) -> u32 {
    (0.3 * (f64::from(possible) - f64::from(chance)) + f64::from(chance)) as u32
}

pub(super) fn score(x: &Side, y: &Side, measure: Measure) -> u8 {
    let (large, small) = if x.count < y.count { (y, x) } else { (x, y) };
    let whole = match measure {
        Measure::Containment => small,
        Measure::Resemblance => large,
    };
    if whole.filters.is_empty() {
        return 0;
    }
    let sum: u64 = small.filters.iter().map(|filter| u64::from(best_match(filter, large))).sum();
    (sum / whole.filters.len() as u64) as u8
}

/// The best score of a filter among those of a digest, 0 to 100.
fn best_match(a: &Counted, digest: &Side) -> u32 {
    let (mut best, mut latest) = (0, 0);
    for (index, t) in digest.filters.iter().enumerate() {
        let possible = a.weight.min(t.weight);
        // The order of the subtractions is the original's: it can decide over a last bit.
        let is_last = index + 1 == digest.count;
        let by_chance = if is_last { chance(t.elements, a.elements) } else { chance(a.elements, t.elements) };
        let cut = cut(possible, by_chance);
        let common = common(&a.filter, &t.filter);
        if common < cut {
            latest = 0;
        } else if possible > cut {
            latest = 100 * (common - cut) / (possible - cut);
        }
        // Where even all possible bits would be chance, the original keeps the score of the filter before.
        best = best.max(latest);
        if best == 100 {
            break;
        }
    }
    best
}

fn common(a: &Filter, b: &Filter) -> u32 {
    a.0.iter().zip(b.0).map(|(a, b)| (a & b).count_ones()).sum()
}
