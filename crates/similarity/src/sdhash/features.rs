//! Step 3: features become SHA-1 digests, many at once.

use std::cell::RefCell;

use pfh_digest::lanes::BatchHasher;
use pfh_digest::{Algorithm, Digest};
use pfh_vector::Backend;

use super::window::FEATURE_BYTES;

/// Bytes that were chosen, and their score.
#[derive(Clone, Copy)]
pub(super) struct Feature<'b> {
    pub(super) score: u8,
    pub(super) bytes: &'b [u8; FEATURE_BYTES],
}

impl AsRef<[u8]> for Feature<'_> {
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}

/// The lanes that hash features, and room for their digests.
struct Sha1 {
    backend: Backend,
    hasher: BatchHasher,
    digests: Vec<Digest>,
}

/// Features of a batch: a multiple of the lanes of every backend.
const BATCH: usize = 64;

thread_local! {
    // It keeps nothing from one call to the next, and takes longer to make than to hash the features of a small file.
    static SHA1: RefCell<Option<Sha1>> = const { RefCell::new(None) };
}

impl Sha1 {
    fn new(backend: Backend) -> Sha1 {
        Sha1 {
            backend,
            hasher: BatchHasher::with_backend(Algorithm::SHA1, backend),
            digests: vec![Digest::new(Algorithm::SHA1, &[0; 20]).expect("the length of SHA-1"); BATCH],
        }
    }
}

/// Calls `insert` for each feature in their order, with its score and the five words of its digest.
pub(super) fn hash(features: &[Feature<'_>], backend: Backend, mut insert: impl FnMut(u8, [u32; 5])) {
    SHA1.with_borrow_mut(|sha1| {
        let Sha1 { hasher, digests, .. } = match sha1 {
            Some(sha1) if sha1.backend == backend => sha1,
            other => other.insert(Sha1::new(backend)),
        };
        for batch in features.chunks(BATCH) {
            let digests = &mut digests[..batch.len()];
            hasher.hash(batch, digests);
            for (digest, feature) in digests.iter().zip(batch) {
                let mut words = digest.bytes().as_chunks::<4>().0.iter();
                insert(feature.score, [0; 5].map(|_: u32| words.next().map_or(0, |word| u32::from_le_bytes(*word))));
            }
        }
    });
}
