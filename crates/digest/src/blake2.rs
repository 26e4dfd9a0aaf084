//! BLAKE2b with 512 and BLAKE2s with 256 bits, unkeyed (RFC 7693).

use crate::Digest;
use crate::state::State;

/// BLAKE2b-512.
#[derive(Clone)]
pub(crate) struct Blake2b(blake2b_simd::State);

impl Default for Blake2b {
    fn default() -> Self {
        Blake2b(blake2b_simd::State::new())
    }
}

impl State for Blake2b {
    const DIGEST_BYTES: usize = blake2b_simd::OUTBYTES;
    const BLOCK_BYTES: usize = blake2b_simd::BLOCKBYTES;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(self.0.finalize().as_bytes());
        *self = Self::default();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(blake2b_simd::blake2b(message).as_bytes());
    }
}

/// BLAKE2s-256.
#[derive(Clone)]
pub(crate) struct Blake2s(blake2s_simd::State);

impl Default for Blake2s {
    fn default() -> Self {
        Blake2s(blake2s_simd::State::new())
    }
}

impl State for Blake2s {
    const DIGEST_BYTES: usize = blake2s_simd::OUTBYTES;
    const BLOCK_BYTES: usize = blake2s_simd::BLOCKBYTES;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(self.0.finalize().as_bytes());
        *self = Self::default();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(blake2s_simd::blake2s(message).as_bytes());
    }
}
