//! BLAKE3 with its default 256 bits, unkeyed.

use crate::Digest;
use crate::state::State;

/// BLAKE3 on the calling thread.
#[derive(Clone, Default)]
pub(crate) struct Blake3(::blake3::Hasher);

impl State for Blake3 {
    const DIGEST_BYTES: usize = ::blake3::OUT_LEN;
    const BLOCK_BYTES: usize = ::blake3::BLOCK_LEN;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(self.0.finalize().as_bytes());
        self.0.reset();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(::blake3::hash(message).as_bytes());
    }
}
