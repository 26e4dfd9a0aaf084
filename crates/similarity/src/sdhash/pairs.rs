//! All against all.

use std::num::NonZero;

use super::compare::{
    Bits, Comparison, Direction, ELEMENTS_MIN, SLACK, Side, cut_4_0, match_of, score, swaps_tie, total,
};
use super::{Digest, Profile};
use crate::Pair;
use crate::filter::{Counted, Filter};
use crate::filter_pairs::{Corpus, Match, Numbers, search};

/// Words of a filter that are counted: the definition gives a pair up when the first 64 bytes have too few common bits.
const WORDS: usize = 8;
/// By how much the common bits of those words are multiplied to be those of the filter.
const TIMES: u32 = 32 / WORDS as u32;

/// Finds all pairs of digests that reach a score, by far fewer steps than comparing each with each; the scores are those of
/// [`Digest::compare`].
///
/// The work is divided into parts that any threads may do in any order. Memory: about 350 bytes for each filter.
pub struct Pairs {
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
    fn new(digests: &[Digest]) -> Set {
        let filters: Vec<Vec<Counted>> = digests.iter().map(Digest::counted).collect();
        let names = digests.iter().map(|digest| digest.name.clone()).collect();
        Set { corpus: Corpus::new::<Rule>(&filters, WORDS), names }
    }

    fn side(&self, digest: usize) -> Side<'_, Filter> {
        Side { name: &self.names[self.corpus.place(digest)], filters: self.corpus.filters(digest) }
    }
}

impl Pairs {
    /// Of all digests with all others. The pair (i, j) has the score of `digests[i].compare(&digests[j])` with i < j.
    pub fn all(digests: &[Digest], profile: Profile, direction: Direction, threshold: NonZero<u8>) -> Pairs {
        Pairs { left: Set::new(digests), right: None, rule: Rule { profile }, direction, threshold }
    }

    /// Of each digest on the left with each one on the right: the pair (i, j) has the score of `left[i].compare(&right[j])`.
    pub fn between(
        left: &[Digest],
        right: &[Digest],
        profile: Profile,
        direction: Direction,
        threshold: NonZero<u8>,
    ) -> Pairs {
        Pairs { right: Some(Set::new(right)), ..Pairs::all(left, profile, direction, threshold) }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.left.corpus.tiles() + self.right.as_ref().map_or(0, |right| right.corpus.tiles())
    }

    /// Does one part: calls `found` with each of its pairs, each of which is in no other part. Their order is not defined.
    ///
    /// # Panics
    /// When there is no such part.
    pub fn part(&self, part: usize, mut found: impl FnMut(Pair)) {
        let left_parts = self.left.corpus.tiles();
        let (needles, set, tile, needles_are_left) = match &self.right {
            None => (&self.left, &self.left, part, true),
            Some(right) if part < left_parts => (right, &self.left, part, false),
            Some(right) => (&self.left, right, part - left_parts, true),
        };
        search(&needles.corpus, &set.corpus, tile, &self.rule, |needle, digest, sum| {
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

    /// The score of a needle that has this sum in a digest; `None` if it is the other one that is looked for, which is found too.
    fn score(&self, needle: &Side<'_, Filter>, digest: &Side<'_, Filter>, is_first: bool, sum: f64) -> Option<u8> {
        if needle.filters.len() == digest.filters.len() {
            let (x, y) = if is_first { (needle, digest) } else { (digest, needle) };
            if self.direction == Direction::Symmetric {
                // Matches are symmetric, but that the only filter of a digest finds nothing if it is sparse, though it may be found.
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

    fn skips_sparse(&self, is_only: bool) -> bool {
        !is_only || self.profile == Profile::V4_0
    }

    fn least(&self, needle: &Counted, numbers: Numbers<'_>, least: &mut [i16]) {
        // What must be common in the words that are counted, for so many common bits in all.
        let part = |cut: i16| (cut - SLACK as i16).max(0).unsigned_abs().div_ceil(TIMES as u16) as i16;
        match self.profile {
            Profile::V3_4 => numbers.cuts(needle, least, |cut| part(cut - 1)),
            Profile::V4_0 => {
                let parts: [i16; 256] =
                    std::array::from_fn(|elements| part(cut_4_0(needle.elements, elements as u16) as i16));
                for (least, &elements) in least.iter_mut().zip(numbers.elements) {
                    *least = parts[usize::from(elements)];
                }
            }
        }
    }

    fn score(&self, needle: &Counted, other: &Counted, common: u32) -> f64 {
        let comparison = self.comparison();
        // Part of the definition, and nearly always so.
        if TIMES * common + SLACK < Filter::cut(&comparison, needle, other) {
            return 0.0;
        }
        match_of(needle, other, &comparison)
    }
}
