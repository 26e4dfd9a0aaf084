//! All similar pairs of digests.

use std::num::NonZero;

use pfh_vector::Backend;
use pfh_vector::bloom::Kernels;

use super::compare::{
    Bits, Comparison, Direction, ELEMENTS_MIN, Folded, Side, TOLERANCE, cut_4_0, folded, match_of_counts, score,
    swaps_tie, total,
};
use super::{Digest, Profile};
use crate::Pair;
use crate::filter::{Counted, Filter};
use crate::filter_pairs::{Corpus, Match, NEVER, NEVER_ENDS, Numbers, both, search, until};

/// Finds all pairs of digests that reach a score, by far fewer steps than comparing each with each; the scores are
/// those of [`Digest::compare`].
///
/// The work is divided into parts that any threads may do in any order. Memory: about 550 bytes for each filter.
///
/// With [`Comparison::sample`] or [`Comparison::fast`] each is compared with each: no bound is known to hold there.
pub struct Pairs(Way);

enum Way {
    Search(Box<Search>),
    Each(Each),
}

struct Search {
    kernels: Kernels,
    left: Set,
    /// `None` if all are compared with all.
    right: Option<Set>,
    rule: Rule,
    direction: Direction,
    threshold: NonZero<u8>,
}

struct Set {
    corpus: Corpus,
    /// In the caller's order.
    names: Vec<Vec<u8>>,
}

impl Set {
    /// Returns `None` soon after `is_cancelled` has become true.
    fn new(is_cancelled: &dyn Fn() -> bool, digests: &[Digest]) -> Option<Set> {
        let corpus = Corpus::new::<Rule>(is_cancelled, digests.iter().map(Digest::counted))?;
        Some(Set { corpus, names: digests.iter().map(|digest| digest.name.clone()).collect() })
    }

    fn side(&self, digest: usize) -> Side<'_, Filter> {
        Side { name: &self.names[self.corpus.place(digest)], filters: self.corpus.filters(digest) }
    }
}

impl Pairs {
    /// Compares all digests with all others. The pair (i, j) has the score of
    /// `digests[i].compare(&digests[j], comparison)` with i < j.
    pub fn all(digests: &[Digest], comparison: &Comparison, threshold: NonZero<u8>) -> Pairs {
        Pairs::unless(NEVER, digests, None, comparison, threshold).expect(NEVER_ENDS)
    }

    /// Compares each digest on the left with each one on the right: the pair (i, j) has the score of
    /// `left[i].compare(&right[j], comparison)`.
    pub fn between(left: &[Digest], right: &[Digest], comparison: &Comparison, threshold: NonZero<u8>) -> Pairs {
        Pairs::unless(NEVER, left, Some(right), comparison, threshold).expect(NEVER_ENDS)
    }

    /// Prepares the comparison of all with all, or of one side with the other; returns `None` soon after `is_cancelled`
    /// has become true.
    pub(crate) fn unless(
        is_cancelled: &dyn Fn() -> bool,
        left: &[Digest],
        right: Option<&[Digest]>,
        comparison: &Comparison,
        threshold: NonZero<u8>,
    ) -> Option<Pairs> {
        if comparison.fast || comparison.sample > 0 {
            let sides = |digests: &[Digest]| Sides::new(is_cancelled, digests, comparison);
            let (left, right) = (sides(left)?, both(right.map(sides))?);
            return Some(Pairs(Way::Each(Each { left, right, comparison: *comparison, threshold })));
        }
        let set = |digests: &[Digest]| Set::new(is_cancelled, digests);
        let (left, right) = (set(left)?, both(right.map(set))?);
        let Comparison { profile, direction, .. } = *comparison;
        let kernels = Kernels::new(Backend::chosen());
        let search = Search { kernels, left, right, rule: Rule { profile }, direction, threshold };
        Some(Pairs(Way::Search(Box::new(search))))
    }

    /// Uses these instructions. The pairs are the same with all.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Pairs {
        if let Way::Search(search) = &mut self.0 {
            search.kernels = Kernels::new(backend);
        }
        self
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        match &self.0 {
            Way::Search(search) => search.parts(),
            Way::Each(each) => each.left.names.len(),
        }
    }

    /// Does one part: calls `found` with each of its pairs, each of which is in no other part. Their order is not
    /// defined.
    ///
    /// # Panics
    /// When there is no such part.
    pub fn part(&self, part: usize, found: impl FnMut(Pair)) {
        self.part_unless(NEVER, part, found);
    }

    /// Does one part as [`Pairs::part`] does; returns soon after `is_cancelled` has become true.
    pub(crate) fn part_unless(&self, is_cancelled: &dyn Fn() -> bool, part: usize, found: impl FnMut(Pair)) {
        match &self.0 {
            Way::Search(search) => search.part(is_cancelled, part, found),
            Way::Each(each) => each.row(is_cancelled, part, found),
        }
    }
}

/// Each with each.
struct Each {
    left: Sides,
    /// `None` if all are compared with all.
    right: Option<Sides>,
    comparison: Comparison,
    threshold: NonZero<u8>,
}

/// Digests, ready to be compared.
struct Sides {
    names: Vec<Vec<u8>>,
    filters: Filters,
}

enum Filters {
    Whole(Vec<Vec<Counted>>),
    Folded(Vec<Vec<Counted<Folded>>>),
}

impl Sides {
    /// Returns `None` soon after `is_cancelled` has become true.
    fn new(is_cancelled: &dyn Fn() -> bool, digests: &[Digest], comparison: &Comparison) -> Option<Sides> {
        let counted = digests.iter().map(Digest::counted);
        let filters = match comparison.fast {
            true => Filters::Folded(until(is_cancelled, counted.map(folded))?),
            false => Filters::Whole(until(is_cancelled, counted)?),
        };
        Some(Sides { names: digests.iter().map(|digest| digest.name.clone()).collect(), filters })
    }
}

impl Each {
    /// The pairs of one digest of the left side.
    fn row(&self, is_cancelled: &dyn Fn() -> bool, first: usize, mut found: impl FnMut(Pair)) {
        let right = self.right.as_ref().unwrap_or(&self.left);
        let from = if self.right.is_some() { 0 } else { first + 1 };
        for second in from..right.names.len() {
            if is_cancelled() {
                return;
            }
            let (name, other) = (&*self.left.names[first], &*right.names[second]);
            let score = match (&self.left.filters, &right.filters) {
                (Filters::Whole(one), Filters::Whole(others)) => self.score(name, &one[first], other, &others[second]),
                (Filters::Folded(one), Filters::Folded(others)) => {
                    self.score(name, &one[first], other, &others[second])
                }
                _ => None,
            };
            if let Some(score) = score.filter(|&score| score >= self.threshold.get()) {
                found(Pair { first, second, score });
            }
        }
    }

    fn score<F: Bits>(&self, a: &[u8], a_filters: &[Counted<F>], b: &[u8], b_filters: &[Counted<F>]) -> Option<u8> {
        score(&Side { name: a, filters: a_filters }, &Side { name: b, filters: b_filters }, &self.comparison)
    }
}

impl Search {
    fn parts(&self) -> usize {
        self.left.corpus.tiles() + self.right.as_ref().map_or(0, |right| right.corpus.tiles())
    }

    fn part(&self, is_cancelled: &dyn Fn() -> bool, part: usize, mut found: impl FnMut(Pair)) {
        let left_parts = self.left.corpus.tiles();
        let (needles, set, tile, needles_are_left) = match &self.right {
            None => (&self.left, &self.left, part, true),
            Some(right) if part < left_parts => (right, &self.left, part, false),
            Some(right) => (&self.left, right, part - left_parts, true),
        };
        search(is_cancelled, self.kernels, &needles.corpus, &set.corpus, tile, &self.rule, |needle, digest, sum| {
            let (needle_at, digest_at) = (needles.corpus.place(needle), set.corpus.place(digest));
            if self.right.is_none() && needle_at == digest_at {
                return;
            }
            let is_first = if self.right.is_some() { needles_are_left } else { needle_at < digest_at };
            let (needle, digest) = (needles.side(needle), set.side(digest));
            let Some(score) = self.score(&needle, &digest, is_first, sum) else { return };
            if score >= self.threshold.get() {
                let (first, second) = if is_first { (needle_at, digest_at) } else { (digest_at, needle_at) };
                found(Pair { first, second, score });
            }
        });
    }

    /// The score of a needle that has this sum in a digest; `None` if it is the other one that is looked for, which is
    /// found too.
    fn score(&self, needle: &Side<'_, Filter>, digest: &Side<'_, Filter>, is_first: bool, sum: f64) -> Option<u8> {
        if needle.filters.len() == digest.filters.len() {
            let (x, y) = if is_first { (needle, digest) } else { (digest, needle) };
            if self.direction == Direction::Symmetric {
                // Matches are symmetric, but that the only filter of a digest finds nothing if it is sparse, though it
                // may be found.
                let is_found_twice = x.filters.len() > 1 || x.filters[0].elements >= ELEMENTS_MIN;
                let comparison = Comparison { direction: self.direction, ..self.rule.comparison() };
                return if is_first == is_found_twice { score(x, y, &comparison) } else { None };
            }
            if swaps_tie(x, x.filters.len(), y) == is_first {
                return None;
            }
        }
        total(sum, needle.filters)
    }
}

/// How filters are compared.
struct Rule {
    profile: Profile,
}

impl Rule {
    fn comparison(&self) -> Comparison {
        Comparison { profile: self.profile, ..Comparison::default() }
    }
}

impl Match for Rule {
    const ELEMENTS_MIN: u16 = ELEMENTS_MIN;
    const TOLERANCE: u16 = TOLERANCE as u16;

    fn skips_sparse(&self, is_only: bool) -> bool {
        !is_only || self.profile == Profile::V4_0
    }

    fn min_common(&self, needle: &Counted, numbers: Numbers<'_>, min_common: &mut [u16]) {
        match self.profile {
            Profile::V3_4 => numbers.cuts(needle, min_common, 1),
            Profile::V4_0 => {
                let cuts: [u16; 256] = std::array::from_fn(|elements| cut_4_0(needle.elements, elements as u16) as u16);
                for (min_common, &elements) in min_common.iter_mut().zip(numbers.elements) {
                    *min_common = cuts[usize::from(elements)];
                }
            }
        }
    }

    fn score(&self, needle: &Counted, other: &Counted<()>, counts: [u16; 4]) -> f64 {
        match_of_counts(needle, other, counts, self.profile)
    }
}
