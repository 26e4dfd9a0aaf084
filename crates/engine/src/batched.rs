//! The algorithms and families that digest many whole messages at once.

use crate::digesting::BatchDigests;
use crate::options::{Mode, Options};
use pfh_digest::Algorithm;
use pfh_digest::lanes::BatchHasher;
use pfh_record::Similarity;
use pfh_similarity::{Backend, Family, Hasher, ManyHasher, SimilarityOptions};

/// The algorithms and families of a run that digest many messages at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batched {
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) families: Vec<Family>,
    /// Messages of this many bytes and more do not wait for others, because none of these algorithms and families
    /// gains by it.
    pub(crate) long_bytes: usize,
}

impl Batched {
    /// Returns the algorithms and families that digest many messages at once on this CPU. Algorithms with lanes of
    /// their own do not, because a file enters a lane as soon as one is free. Algorithms that also digest pieces do
    /// not either.
    pub(crate) fn of(options: &Options) -> Batched {
        let Options { selection, backend, .. } = options;
        if options.mode == Mode::Smt {
            return Batched::default();
        }
        let families: Vec<_> = selection.families().iter().copied().filter(|family| family.digests_many()).collect();
        let (mut algorithms, mut long_bytes) = (Vec::new(), if families.is_empty() { 0 } else { usize::MAX });
        for &algorithm in selection.algorithms().iter().filter(|_| options.piece_bytes.is_none()) {
            if let Some(bytes) = BatchHasher::joins_below_bytes(algorithm, *backend) {
                algorithms.push(algorithm);
                long_bytes = long_bytes.max(bytes);
            }
        }
        Batched { algorithms, families, long_bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.algorithms.is_empty() && self.families.is_empty()
    }

    /// Returns the algorithms among these that digest each message by itself.
    pub(crate) fn others(&self, algorithms: &[Algorithm]) -> Vec<Algorithm> {
        algorithms.iter().copied().filter(|algorithm| !self.algorithms.contains(algorithm)).collect()
    }

    /// Returns the size of the states of one worker, in bytes.
    pub(crate) fn state_bytes(&self) -> usize {
        let families: usize = self.families.iter().map(|family| family.many_state_bytes()).sum();
        families + self.algorithms.len() * BatchHasher::STATE_BYTES_MAX
    }

    /// Computes the digests of one message alone.
    pub(crate) fn digest(&self, options: &Options, message: &[u8]) -> BatchDigests {
        let similarity = |&family| {
            let mut hasher = Hasher::with_backend(family, &SimilarityOptions::default(), options.backend);
            hasher.update(message);
            Similarity { family, digest: hasher.finish() }
        };
        BatchDigests {
            digests: self.algorithms.iter().map(|algorithm| algorithm.digest(message)).collect(),
            similarities: self.families.iter().map(similarity).collect(),
        }
    }
}

/// The states of one worker for [`Batched`].
pub(crate) struct BatchHashers {
    algorithms: Vec<BatchHasher>,
    families: Vec<ManyHasher>,
}

impl BatchHashers {
    pub(crate) fn new(batched: &Batched, backend: Backend) -> BatchHashers {
        let Batched { algorithms, families, .. } = batched;
        BatchHashers {
            algorithms: algorithms.iter().map(|&one| BatchHasher::with_backend(one, backend)).collect(),
            families: families.iter().filter_map(|&one| ManyHasher::with_backend(one, backend)).collect(),
        }
    }

    /// Computes the digests of each message by all hashers.
    pub(crate) fn digest(&mut self, messages: &[&[u8]]) -> Vec<BatchDigests> {
        let mut all = vec![BatchDigests::default(); messages.len()];
        for hasher in &mut self.algorithms {
            for (digests, digest) in all.iter_mut().zip(hasher.digests(messages)) {
                digests.digests.push(digest);
            }
        }
        for hasher in &mut self.families {
            let family = hasher.family();
            for (digests, digest) in all.iter_mut().zip(hasher.digest_many(messages)) {
                digests.similarities.push(Similarity { family, digest });
            }
        }
        all
    }
}
