//! SHA-1 that also looks for the marks of the known collision attacks (M. Stevens, "Counter-cryptanalysis", CRYPTO
//! 2013).

use sha1_checked::{CollisionResult, Sha1};
use sha2::digest::Update;

use crate::Digest;
use crate::state::State;

/// Gives the true SHA-1 value and tells of a collision; the crate's default would replace the value by a "safe" one.
#[derive(Clone)]
pub(crate) struct Sha1dc(Sha1);

impl Default for Sha1dc {
    fn default() -> Self {
        Sha1dc(Sha1::builder().safe_hash(false).build())
    }
}

impl State for Sha1dc {
    const DIGEST_BYTES: usize = 20;
    const BLOCK_BYTES: usize = 64;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        let result: CollisionResult = std::mem::take(self).0.try_finalize();
        digest.set(result.hash());
        digest.collision = result.has_collision();
    }
}
