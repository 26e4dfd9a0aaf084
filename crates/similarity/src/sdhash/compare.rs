//! The comparison of two digests.

use std::sync::LazyLock;

use super::Profile;
use super::digest::Digest;
use super::tables::{CUTOFF_64, CUTOFF_256};
use crate::filter::{Counted, Filter, counted};

/// Options of comparing two digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The version whose scores are wanted; it need not be the one that made the digests.
    pub profile: Profile,
    /// Which of the two is looked for in the other.
    pub direction: Direction,
    /// Number of filters of the first digest that count, from its beginning (`-s`); 0 for all. With
    /// [`Direction::Symmetric`] each of the two is taken as the first.
    pub sample: usize,
    /// Compares filters that are folded to 64 bytes (`--fast`); scores are those of profile 4.0.
    pub fast: bool,
}

/// Which digest is looked for in the other. It matters only where both have equally many filters; otherwise the smaller
/// one is looked for in the larger one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// As the original decides: by the elements of the last filters, by the *names*, by the order of the arguments. So
    /// renaming a file can change a score.
    #[default]
    Original,
    /// Both ways, and the higher score counts: neither names nor order matter.
    Symmetric,
}

/// Filters with fewer elements do not take part.
pub(super) const ELEMENTS_MIN: u16 = 16;

impl Digest {
    /// How much of the smaller digest is found in the larger one, 0 to 100; `None` where there was nothing to compare
    /// (the original's -1). Stream and block digests can be compared with each other.
    pub fn compare(&self, other: &Digest, comparison: &Comparison) -> Option<u8> {
        let (a, b) = (self.counted(), other.counted());
        if comparison.fast {
            self.score(&folded(a), other, &folded(b), comparison)
        } else {
            self.score(&a, other, &b, comparison)
        }
    }

    fn score<F: Bits>(
        &self,
        a: &[Counted<F>],
        other: &Digest,
        b: &[Counted<F>],
        comparison: &Comparison,
    ) -> Option<u8> {
        score(&Side { name: &self.name, filters: a }, &Side { name: &other.name, filters: b }, comparison)
    }

    pub(super) fn counted(&self) -> Vec<Counted> {
        counted(&self.filters, self.elements())
    }
}

/// A digest in a comparison.
pub(super) struct Side<'s, F> {
    pub(super) name: &'s [u8],
    pub(super) filters: &'s [Counted<F>],
}

/// A filter folded to a quarter, as `--fast` compares it.
pub(super) type Folded = [u64; 8];

pub(super) fn folded(counted: Vec<Counted>) -> Vec<Counted<Folded>> {
    let fold = |Counted { filter, elements, is_last, .. }: Counted| {
        let mut folded: Folded = [0; 8];
        filter.0.iter().enumerate().for_each(|(index, word)| folded[index % 8] |= word);
        Counted { filter: folded, weight: folded.iter().map(|word| word.count_ones()).sum(), elements, is_last }
    };
    counted.into_iter().map(fold).collect()
}

/// A filter that can be compared.
pub(super) trait Bits: Copy {
    /// How many bits are set in both; 0 where the first part of the filter makes more than `cut` improbable, which is
    /// part of the definition.
    fn common(&self, other: &Self, cut: u32) -> u32;

    /// Common bits that chance explains.
    fn cut(comparison: &Comparison, a: &Counted<Self>, b: &Counted<Self>) -> u32;
}

fn common_in(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

/// Common bits that are allowed for in addition, where a part of a filter stands for the whole.
pub(super) const TOLERANCE: u32 = 48;

/// Words of the parts of a filter after which it may be given up, and what they are of the whole.
const STAGES: [(usize, u32); 3] = [(4, 8), (8, 4), (16, 2)];

impl Bits for Filter {
    fn common(&self, other: &Filter, cut: u32) -> u32 {
        let (a, b) = (&self.0, &other.0);
        let mut common = 0;
        let mut done = 0;
        for (words, times) in STAGES {
            common += common_in(&a[done..words], &b[done..words]);
            if times * common + TOLERANCE < cut {
                return 0;
            }
            done = words;
        }
        common + common_in(&a[done..], &b[done..])
    }

    fn cut(comparison: &Comparison, a: &Counted<Filter>, b: &Counted<Filter>) -> u32 {
        cut(comparison.profile, a, b)
    }
}

impl Bits for Folded {
    fn common(&self, other: &Folded, cut: u32) -> u32 {
        let half = common_in(&self[..4], &other[..4]);
        if 2 * half + TOLERANCE < cut { 0 } else { half + common_in(&self[4..], &other[4..]) }
    }

    fn cut(_: &Comparison, a: &Counted<Folded>, b: &Counted<Folded>) -> u32 {
        CUTOFF_64[1024 / usize::from((a.elements + b.elements).max(32))].into()
    }
}

fn cut<F, G>(profile: Profile, a: &Counted<F>, b: &Counted<G>) -> u32 {
    match profile {
        Profile::V3_4 => cut_3_4(a.weight.min(b.weight), a.elements, b.elements),
        Profile::V4_0 => cut_4_0(a.elements, b.elements),
    }
}

/// Profile 3.4: three tenths of the way from the common bits that chance gives to the most that are possible.
fn cut_3_4(least_weight: u32, a_elements: u16, b_elements: u16) -> u32 {
    let chance = chance(a_elements, b_elements);
    // Where the weight is below, the original's difference wraps, and the cut-off is above all that is possible: so is
    // this one.
    let Some(beyond) = least_weight.checked_sub(chance) else { return u32::MAX };
    rounded(0.3 * f64::from(beyond) + f64::from(chance))
}

/// `round` of such a sum, without its call; that they agree for all that there are is tested.
#[inline]
fn rounded(sum: f64) -> u32 {
    (sum + 0.5) as u32
}

/// Expected number of common bits of two filters of different features.
fn chance(a_elements: u16, b_elements: u16) -> u32 {
    CHANCE[usize::from(a_elements) * ELEMENTS + usize::from(b_elements)].into()
}

/// Numbers of elements that a filter can have.
const ELEMENTS: usize = super::block::ELEMENTS_MAX as usize + 1;

/// [`chance`] of all pairs.
static CHANCE: LazyLock<Vec<u16>> = LazyLock::new(|| {
    // The probability that a bit is still 0 after this number of elements.
    let unset = |elements: usize| (1.0 - 1.0 / 2048.0_f64).powf(5.0 * elements as f64);
    let chance = |a, b| (2048.0 * (1.0 - unset(a) - unset(b) + unset(a + b))).round() as u16;
    (0..ELEMENTS * ELEMENTS).map(|pair| chance(pair / ELEMENTS, pair % ELEMENTS)).collect()
});

/// Profile 4.0.
pub(super) fn cut_4_0(a_elements: u16, b_elements: u16) -> u32 {
    CUTOFF_256[4096 / usize::from((a_elements + b_elements).max(2 * ELEMENTS_MIN))].into()
}

fn is_4_0(comparison: &Comparison) -> bool {
    comparison.fast || comparison.profile == Profile::V4_0
}

pub(super) fn score<F: Bits>(x: &Side<'_, F>, y: &Side<'_, F>, comparison: &Comparison) -> Option<u8> {
    let score = score_of_first(x, y, comparison);
    let is_sampled = (1..x.filters.len().max(y.filters.len())).contains(&comparison.sample);
    if comparison.direction == Direction::Symmetric && is_sampled {
        return score.max(score_of_first(y, x, comparison));
    }
    score
}

/// The score where `x` is the first digest, of which a sample is taken.
fn score_of_first<F: Bits>(x: &Side<'_, F>, y: &Side<'_, F>, comparison: &Comparison) -> Option<u8> {
    let (x_count, y_count) = (x.filters.len(), y.filters.len());
    let count = if comparison.sample > 0 { x_count.min(comparison.sample) } else { x_count };
    if comparison.direction == Direction::Symmetric && count == y_count {
        return contained(x, y, count, comparison).max(contained(y, x, y_count, comparison));
    }
    let swaps = count > y_count || (count == y_count && swaps_tie(x, count, y));
    if swaps { contained(y, x, y_count, comparison) } else { contained(x, y, count, comparison) }
}

/// Whether the original looks for the second digest in the first one, when it has as many filters as the first one's
/// `count`.
pub(super) fn swaps_tie<F>(x: &Side<'_, F>, count: usize, y: &Side<'_, F>) -> bool {
    let y_elements = y.filters.last().map(|filter| filter.elements);
    Some(x.filters[count - 1].elements) > y_elements || x.name > y.name
}

/// How much of the first `count` filters of `a` is found in `t`.
fn contained<F: Bits>(a: &Side<'_, F>, t: &Side<'_, F>, count: usize, comparison: &Comparison) -> Option<u8> {
    let mut sum = -1.0;
    for filter in &a.filters[..count] {
        let best = best_match(filter, a.filters.len() > 1, t, comparison);
        sum = if sum < 0.0 { best } else { sum + best };
    }
    if sum < 0.0 { None } else { total(sum, &a.filters[..count]) }
}

/// The score of a digest of which these filters were looked for; `sum` is that of their best scores.
pub(super) fn total<F>(sum: f64, filters: &[Counted<F>]) -> Option<u8> {
    let sparse = filters.iter().filter(|filter| filter.elements < ELEMENTS_MIN).count();
    let compared = if filters.len() > 1 { filters.len() - sparse } else { 1 };
    (compared > 0).then(|| (100.0 * sum / compared as f64).round() as u8)
}

/// The best score of a filter among those of `t`: -1 where there is none to compare it with.
fn best_match<F: Bits>(a: &Counted<F>, has_others: bool, t: &Side<'_, F>, comparison: &Comparison) -> f64 {
    if a.elements < ELEMENTS_MIN {
        return 0.0;
    }
    let skips_sparse = has_others || is_4_0(comparison);
    let compared = t.filters.iter().filter(|t| !(skips_sparse && t.elements < ELEMENTS_MIN));
    compared.map(|t| match_of(a, t, comparison)).fold(-1.0, f64::max)
}

/// The score of two filters, 0 to 1.
fn match_of<F: Bits>(a: &Counted<F>, t: &Counted<F>, comparison: &Comparison) -> f64 {
    let cut = F::cut(comparison, a, t);
    match_above(a.filter.common(&t.filter, cut), cut, a.weight.min(t.weight))
}

/// The same for two filters with these numbers of common bits after 4, 8, 16 and 32 words.
pub(super) fn match_of_counts(a: &Counted, t: &Counted<()>, counts: [u16; STAGES.len() + 1], profile: Profile) -> f64 {
    let cut = cut(profile, a, t);
    let gives_up = |((_, times), count): ((usize, u32), u16)| times * u32::from(count) + TOLERANCE < cut;
    if STAGES.into_iter().zip(counts).any(gives_up) {
        return 0.0;
    }
    match_above(counts[STAGES.len()].into(), cut, a.weight.min(t.weight))
}

fn match_above(common: u32, cut: u32, least_weight: u32) -> f64 {
    if common <= cut { 0.0 } else { f64::from(common - cut) / f64::from(least_weight - cut) }
}

#[cfg(test)]
mod tests {
    use pfh_vector::bloom::STAGE_ENDS;

    use super::{ELEMENTS, STAGES, chance, rounded};

    /// The search for pairs counts up to where a pair can be given up.
    #[test]
    fn stages_are_those_of_the_search() {
        assert_eq!(STAGES.map(|(words, _)| words), STAGE_ENDS[..STAGES.len()]);
    }

    #[test]
    fn cuts_are_rounded_as_the_original_does() {
        for beyond in 0..=2048 {
            for chance in 0..=2048 {
                let sum = 0.3 * f64::from(beyond) + f64::from(chance);
                assert_eq!(rounded(sum), sum.round() as u32, "{beyond} {chance}");
            }
        }
    }

    /// The symmetric comparison, and the search for pairs, rely on it.
    #[test]
    fn chance_is_symmetric() {
        for a in 0..ELEMENTS as u16 {
            for b in 0..a {
                assert_eq!(chance(a, b), chance(b, a), "{a} {b}");
            }
        }
        assert_eq!(chance(160, 160), 214);
    }
}
