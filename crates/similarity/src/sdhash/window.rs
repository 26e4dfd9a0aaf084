//! From bytes to scored features, over a window of the input that moves along.
//!
//! A rank depends on 64 bytes, and a score on the ranks of the 64 positions before and after it, so a few hundred bytes
//! of overlap are enough to go through a chunk of any length as if it lay in memory as a whole. The window has no bytes
//! of its own: what it looks at is given each time.

use pfh_vector::sdhash_popularity::{LOOK_AHEAD, NO_COST, Scan};
use pfh_vector::{Backend, sdhash_popularity, sdhash_rank};

use super::features::Feature;
use super::rank::costs;

/// Bytes of a feature.
pub(super) const FEATURE_BYTES: usize = 64;

/// Part of a chunk (or a whole block), with what is known about its positions.
#[derive(Debug)]
pub(super) struct Window {
    backend: Backend,
    rank: sdhash_rank::Kernels,
    popularity: sdhash_popularity::Kernels,
    /// Each position's cost (its rank, see [`NO_COST`]); `NO_COST` after the last one.
    costs: Box<[i16]>,
    /// How many costs are known.
    ranked: usize,
    scores: Box<[u8]>,
    scan: Scan,
    /// Positions of features.
    places: Vec<u32>,
}

impl Window {
    /// A window over `capacity` bytes, which must be more than is kept for overlap.
    pub(super) fn new(capacity: usize, backend: Backend) -> Window {
        Window {
            backend,
            rank: sdhash_rank::Kernels::new(backend),
            popularity: sdhash_popularity::Kernels::new(backend),
            costs: vec![NO_COST; capacity + LOOK_AHEAD].into(),
            ranked: 0,
            scores: vec![0; capacity].into(),
            scan: Scan::default(),
            places: Vec::new(),
        }
    }

    pub(super) fn backend(&self) -> Backend {
        self.backend
    }

    /// Scores what can be scored of these bytes: everything where this is the end of the chunk. They begin with the
    /// first position that is not forgotten.
    pub(super) fn score(&mut self, bytes: &[u8], is_end: bool) {
        // The window that ends with the chunk has no rank: so a rank needs one byte more than its feature.
        let ranked = bytes.len().saturating_sub(FEATURE_BYTES);
        if ranked > self.ranked {
            costs(self.rank, &bytes[self.ranked..], &mut self.costs[self.ranked..ranked]);
            self.ranked = ranked;
        }
        let end = if is_end {
            self.costs[ranked..ranked + LOOK_AHEAD].fill(NO_COST);
            ranked
        } else {
            ranked.saturating_sub(LOOK_AHEAD)
        };
        self.scan.advance(self.popularity, &self.costs, end, &mut self.scores);
    }

    /// Finds the features whose scores are final and at least `least`.
    pub(super) fn find_features(&mut self, least: u8) {
        self.popularity.at_least(&self.scores[..self.scan.at()], least, &mut self.places);
    }

    /// The features that were found, with their scores, in order of position. The bytes are those that were scored.
    pub(super) fn features<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = Feature<'b>> {
        self.places.iter().filter_map(|&at| {
            let at = at as usize;
            Some(Feature { score: self.scores[at], bytes: bytes[at..].first_chunk()? })
        })
    }

    /// Forgets the positions whose scores are final, and returns how many.
    pub(super) fn retire(&mut self) -> usize {
        let done = self.scan.at();
        self.costs.copy_within(done..self.ranked, 0);
        self.scores.copy_within(done..self.ranked, 0);
        self.scores[self.ranked - done..self.ranked].fill(0);
        self.ranked -= done;
        self.scan.shift(done);
        done
    }

    /// Forgets everything: what follows is another chunk.
    pub(super) fn clear(&mut self) {
        self.scores[..self.ranked].fill(0);
        self.ranked = 0;
        self.scan = Scan::default();
    }
}
