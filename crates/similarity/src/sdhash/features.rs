//! Step 3: features become SHA-1 digests, many at once.

use pfh_digest::lanes::BatchHasher;
use pfh_digest::{Algorithm, Digest};

use super::window::FEATURE_BYTES;

/// Features that wait for their digests.
pub(super) struct Features {
    sha1: BatchHasher,
    waiting: Vec<[u8; FEATURE_BYTES]>,
    /// Of each that waits.
    scores: Vec<u8>,
    digests: Vec<Digest>,
}

impl Features {
    /// Features of a batch: a multiple of the lanes of every backend.
    const BATCH: usize = 64;

    pub(super) fn new() -> Features {
        let nothing = Digest::new(Algorithm::SHA1, &[0; 20]).expect("the length of SHA-1");
        Features {
            sha1: BatchHasher::new(Algorithm::SHA1),
            waiting: Vec::with_capacity(Features::BATCH),
            scores: Vec::with_capacity(Features::BATCH),
            digests: vec![nothing; Features::BATCH],
        }
    }

    /// Adds a feature. When there are enough, calls `insert` for each one that waited, in the order in which they came, with
    /// its score and the five words of its digest.
    pub(super) fn push(&mut self, score: u8, feature: &[u8; FEATURE_BYTES], insert: impl FnMut(u8, [u32; 5])) {
        self.waiting.push(*feature);
        self.scores.push(score);
        if self.waiting.len() == Features::BATCH {
            self.flush(insert);
        }
    }

    /// Calls `insert` for all that wait, as [`Features::push`] does.
    pub(super) fn flush(&mut self, mut insert: impl FnMut(u8, [u32; 5])) {
        let digests = &mut self.digests[..self.waiting.len()];
        self.sha1.hash(&self.waiting, digests);
        self.waiting.clear();
        for (digest, score) in digests.iter().zip(self.scores.drain(..)) {
            let mut words = digest.bytes().as_chunks::<4>().0.iter();
            insert(score, [0; 5].map(|_: u32| words.next().map_or(0, |word| u32::from_le_bytes(*word))));
        }
    }
}
