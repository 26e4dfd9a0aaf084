//! From bytes to scored features, over a window of the input that moves along.
//!
//! A rank depends on 64 bytes, and a score on the ranks of the 64 positions before and after it, so a few hundred bytes
//! of overlap are enough to go through a chunk of any length as if it lay in memory as a whole.

use pfh_digest::popularity::{Backend, LOOK_AHEAD, NO_COST, Scan};

use super::features::Feature;
use super::rank::costs;

/// Bytes of a feature.
pub(super) const FEATURE_BYTES: usize = 64;

/// Part of a chunk (or a whole block), with what is known about its positions.
pub(super) struct Window {
    bytes: Vec<u8>,
    /// Each position's cost (its rank, see [`NO_COST`]); `NO_COST` behind the last one.
    costs: Box<[i16]>,
    /// How many costs are known.
    ranked: usize,
    scores: Box<[u8]>,
    scan: Scan,
    /// Positions of features.
    places: Vec<u32>,
    capacity: usize,
}

impl Window {
    /// A window that holds `capacity` bytes, which must be more than is kept for overlap.
    pub(super) fn new(capacity: usize) -> Window {
        Window {
            bytes: Vec::with_capacity(capacity),
            costs: vec![NO_COST; capacity + LOOK_AHEAD].into(),
            ranked: 0,
            scores: vec![0; capacity].into(),
            scan: Scan::default(),
            places: Vec::new(),
            capacity,
        }
    }

    /// Takes as many of the bytes as there is room for, and returns how many.
    pub(super) fn fill(&mut self, bytes: &[u8]) -> usize {
        let taken = bytes.len().min(self.capacity - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        taken
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() == self.capacity
    }

    /// Number of bytes in it.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Scores what can be scored: everything where this is the end of the chunk.
    pub(super) fn score(&mut self, is_end: bool) {
        // The window that ends with the chunk has no rank: so a rank needs one byte more than its feature.
        let ranked = self.bytes.len().saturating_sub(FEATURE_BYTES);
        if ranked > self.ranked {
            costs(&self.bytes[self.ranked..], &mut self.costs[self.ranked..ranked]);
            self.ranked = ranked;
        }
        let end = if is_end {
            self.costs[ranked..ranked + LOOK_AHEAD].fill(NO_COST);
            ranked
        } else {
            ranked.saturating_sub(LOOK_AHEAD)
        };
        self.scan.advance(Backend::chosen(), &self.costs, end, &mut self.scores);
    }

    /// Finds the features whose scores are final and at least `least`.
    pub(super) fn find_features(&mut self, least: u8) {
        Backend::chosen().at_least(&self.scores[..self.scan.at()], least, &mut self.places);
    }

    /// The features that were found, with their scores, in order of position.
    pub(super) fn features(&self) -> impl Iterator<Item = Feature<'_>> {
        self.places.iter().filter_map(|&at| {
            let at = at as usize;
            Some(Feature { score: self.scores[at], bytes: self.bytes[at..].first_chunk()? })
        })
    }

    /// Forgets the positions whose scores are final.
    pub(super) fn retire(&mut self) {
        let done = self.scan.at();
        self.costs.copy_within(done..self.ranked, 0);
        self.scores.copy_within(done..self.ranked, 0);
        self.scores[self.ranked - done..self.ranked].fill(0);
        self.bytes.drain(..done);
        self.ranked -= done;
        self.scan.shift(done);
    }

    /// Forgets everything: what follows is another chunk.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.scores[..self.ranked].fill(0);
        self.ranked = 0;
        self.scan = Scan::default();
    }
}
