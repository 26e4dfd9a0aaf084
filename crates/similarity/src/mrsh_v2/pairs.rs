//! All similar pairs of digests.

use std::num::NonZero;

use pfh_vector::Backend;
use pfh_vector::bloom::Kernels;

use super::compare::{ELEMENTS_MIN, Measure, score_of, total};
use super::digest::Digest;
use crate::Pair;
use crate::filter::Counted;
use crate::filter_pairs::{Corpus, Match, NEVER, NEVER_ENDS, Numbers, both, search};

/// Finds all pairs of digests that reach a score, by far fewer steps than comparing each with each; the scores are
/// those of [`Digest::compare`].
///
/// The work is divided into parts that any threads may do in any order. Memory: about 550 bytes for each filter.
pub struct Pairs {
    kernels: Kernels,
    left: Corpus,
    /// `None` if all are compared with all.
    right: Option<Corpus>,
    measure: Measure,
    threshold: NonZero<u8>,
}

impl Pairs {
    /// Compares all digests with all others. The pair (i, j) has the score of `digests[i].compare(&digests[j])` with i
    /// < j.
    pub fn all(digests: &[Digest], measure: Measure, threshold: NonZero<u8>) -> Pairs {
        Pairs::unless(NEVER, digests, None, measure, threshold).expect(NEVER_ENDS)
    }

    /// Compares each digest on the left with each one on the right: the pair (i, j) has the score of
    /// `left[i].compare(&right[j])`.
    pub fn between(left: &[Digest], right: &[Digest], measure: Measure, threshold: NonZero<u8>) -> Pairs {
        Pairs::unless(NEVER, left, Some(right), measure, threshold).expect(NEVER_ENDS)
    }

    /// Prepares the comparison of all with all, or of one side with the other; returns `None` soon after `is_cancelled`
    /// has become true.
    pub(crate) fn unless(
        is_cancelled: &dyn Fn() -> bool,
        left: &[Digest],
        right: Option<&[Digest]>,
        measure: Measure,
        threshold: NonZero<u8>,
    ) -> Option<Pairs> {
        let corpus = |digests: &[Digest]| Corpus::new::<Rule>(is_cancelled, digests.iter().map(Digest::counted));
        let (left, right) = (corpus(left)?, both(right.map(corpus))?);
        Some(Pairs { kernels: Kernels::new(Backend::chosen()), left, right, measure, threshold })
    }

    /// Uses these instructions. The pairs are the same with all.
    #[must_use]
    pub fn with_backend(self, backend: Backend) -> Pairs {
        Pairs { kernels: Kernels::new(backend), ..self }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.left.tiles() + self.right.as_ref().map_or(0, Corpus::tiles)
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
    pub(crate) fn part_unless(&self, is_cancelled: &dyn Fn() -> bool, part: usize, mut found: impl FnMut(Pair)) {
        let left_parts = self.left.tiles();
        let (needles, corpus, tile, needles_are_left) = match &self.right {
            None => (&self.left, &self.left, part, true),
            Some(right) if part < left_parts => (right, &self.left, part, false),
            Some(right) => (&self.left, right, part - left_parts, true),
        };
        search(is_cancelled, self.kernels, needles, corpus, tile, &Rule, |needle, digest, sum| {
            let (needle_at, digest_at) = (needles.place(needle), corpus.place(digest));
            let is_first = if self.right.is_some() { needles_are_left } else { needle_at < digest_at };
            let (small, large) = (needles.filters(needle), corpus.filters(digest));
            // Where both are of one size, the second one is looked for in the first one.
            let is_other = small.len() == large.len() && is_first;
            if is_other || (self.right.is_none() && needle_at == digest_at) {
                return;
            }
            let score = total(sum as u32, small, large, self.measure);
            if score >= self.threshold.get() {
                let (first, second) = if is_first { (needle_at, digest_at) } else { (digest_at, needle_at) };
                found(Pair { first, second, score });
            }
        });
    }
}

struct Rule;

impl Match for Rule {
    const ELEMENTS_MIN: u16 = ELEMENTS_MIN;
    /// Nothing less than all of a filter tells whether it matches.
    const TOLERANCE: u16 = 2048;

    fn skips_sparse(&self, _: bool) -> bool {
        true
    }

    fn min_common(&self, needle: &Counted, numbers: Numbers<'_>, min_common: &mut [u16]) {
        // Here both the bits that chance gives and the cut-off are rounded down.
        numbers.cuts(needle, min_common, 2);
    }

    fn score(&self, needle: &Counted, other: &Counted<()>, [.., common]: [u16; 4]) -> f64 {
        score_of(needle, other, common.into()).into()
    }
}
