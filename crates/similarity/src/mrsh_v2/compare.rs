//! The comparison of two digests.

use std::sync::LazyLock;

use super::digest::{Digest, ELEMENTS_MAX};
use crate::filter::{Counted, counted};

/// The measure that a score states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// How much of the smaller input is in the larger one.
    #[default]
    Containment,
    /// How much of the larger input is in the smaller one, so how alike they are (`-f`).
    Resemblance,
}

/// Filters with fewer elements do not take part.
pub(super) const ELEMENTS_MIN: u16 = 8;

impl Digest {
    /// The score of two digests, 0 to 100. Between digests of equally many filters it can depend on their order, as in
    /// the original.
    pub fn compare(&self, other: &Digest, measure: Measure) -> u8 {
        let (x, y) = (self.counted(), other.counted());
        // Where both have equally many filters, the second one is looked for in the first one.
        let (large, small) = if x.len() < y.len() { (y, x) } else { (x, y) };
        let sum = small.iter().map(|filter| large.iter().map(|other| match_of(filter, other)).max().unwrap_or(0)).sum();
        total(sum, &small, &large, measure)
    }

    pub(super) fn counted(&self) -> Vec<Counted> {
        counted(&self.filters, self.elements())
    }
}

/// Common bits that chance explains, by the elements of both filters.
fn chance(a_elements: u16, b_elements: u16) -> u32 {
    CHANCE[usize::from(a_elements) * ELEMENTS + usize::from(b_elements)].into()
}

/// Numbers of elements that a filter can have.
const ELEMENTS: usize = ELEMENTS_MAX as usize + 1;

static CHANCE: LazyLock<Vec<u16>> = LazyLock::new(|| {
    // The probability that a bit is still 0 after this number of elements; the original has this decimal number, which
    // is not quite 2047/2048.
    let unset = |elements: usize| 0.999_511_72_f64.powf(5.0 * elements as f64);
    let chance = |a, b| (2048.0 * (1.0 - unset(a) - unset(b) + unset(a + b))) as u16;
    (0..ELEMENTS * ELEMENTS).map(|pair| chance(pair / ELEMENTS, pair % ELEMENTS)).collect()
});

/// Common bits below which two filters have nothing in common: three tenths of the way from what chance gives to what
/// is possible.
fn cut(possible: u32, chance: u32) -> u32 {
    (0.3 * (f64::from(possible) - f64::from(chance)) + f64::from(chance)) as u32
}

/// The score of two digests, of which the smaller one's filters have this sum of best scores.
///
/// Of two digests with equally many filters, the one that counts as the larger can have fewer that take part, if its
/// last filter is sparse. Their mean would then exceed 100.
pub(super) fn total(sum: u32, small: &[Counted], large: &[Counted], measure: Measure) -> u8 {
    let whole = match measure {
        Measure::Containment => small,
        Measure::Resemblance => large,
    };
    let compared = whole.iter().filter(|filter| filter.elements >= ELEMENTS_MIN).count();
    if compared == 0 { 0 } else { (u64::from(sum) / compared as u64).min(100) as u8 }
}

/// The score of a filter and one of the larger digest, 0 to 100.
///
/// The original, where all common bits that are possible could be chance, takes the score of the filter before instead;
/// but only the best score of all counts, so that changes nothing.
fn match_of(a: &Counted, t: &Counted) -> u32 {
    if a.elements < ELEMENTS_MIN || t.elements < ELEMENTS_MIN {
        return 0;
    }
    score_of(a, t, a.filter.0.iter().zip(t.filter.0).map(|(a, t)| (a & t).count_ones()).sum())
}

/// The score of two filters that take part and have this number of common bits.
pub(super) fn score_of<F, G>(a: &Counted<F>, t: &Counted<G>, common: u32) -> u32 {
    let possible = a.weight.min(t.weight);
    // The order of the subtractions is the original's: it can decide over a last bit.
    let by_chance = if t.is_last { chance(t.elements, a.elements) } else { chance(a.elements, t.elements) };
    let cut = cut(possible, by_chance);
    if common < cut || possible <= cut { 0 } else { 100 * (common - cut) / (possible - cut) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;

    #[test]
    fn no_score_exceeds_100() {
        let digest = |last| {
            let filters = vec![Filter([0x5555_5555_5555_5555; 32]); 2];
            Digest { name: Vec::new(), bytes: 1, filters, last }
        };
        // The elements of the last filters, and the scores by both measures.
        for (first, second, expected) in [(3, 100, [100, 100]), (100, 3, [100, 50]), (100, 100, [100, 100])] {
            let (first, second) = (digest(first), digest(second));
            let scores = [Measure::Containment, Measure::Resemblance].map(|measure| first.compare(&second, measure));
            assert_eq!(scores, expected);
        }
    }
}
