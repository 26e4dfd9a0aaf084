//! XXH32, XXH64 and XXH3 with 64 and 128 bits, seed 0 (xxHash specification). The value is the canonical, big-endian form.

use xxhash_rust::{xxh3, xxh32, xxh64};

use crate::Digest;
use crate::state::State;

/// XXH32.
#[derive(Clone)]
pub(crate) struct Xxh32(xxh32::Xxh32);

impl Default for Xxh32 {
    fn default() -> Self {
        Xxh32(xxh32::Xxh32::new(0))
    }
}

impl State for Xxh32 {
    const DIGEST_BYTES: usize = 4;
    const BLOCK_BYTES: usize = 16;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.digest().to_be_bytes());
        self.0.reset(0);
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(&xxh32::xxh32(message, 0).to_be_bytes());
    }
}

/// XXH64.
#[derive(Clone)]
pub(crate) struct Xxh64(xxh64::Xxh64);

impl Default for Xxh64 {
    fn default() -> Self {
        Xxh64(xxh64::Xxh64::new(0))
    }
}

impl State for Xxh64 {
    const DIGEST_BYTES: usize = 8;
    const BLOCK_BYTES: usize = 32;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.digest().to_be_bytes());
        self.0.reset(0);
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(&xxh64::xxh64(message, 0).to_be_bytes());
    }
}

/// XXH3 with 64 bits.
#[derive(Clone, Default)]
pub(crate) struct Xxh3_64(xxh3::Xxh3);

impl State for Xxh3_64 {
    const DIGEST_BYTES: usize = 8;
    const BLOCK_BYTES: usize = 64;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.digest().to_be_bytes());
        self.0.reset();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(&xxh3::xxh3_64(message).to_be_bytes());
    }
}

/// XXH3 with 128 bits.
#[derive(Clone, Default)]
pub(crate) struct Xxh3_128(xxh3::Xxh3);

impl State for Xxh3_128 {
    const DIGEST_BYTES: usize = 16;
    const BLOCK_BYTES: usize = 64;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.digest128().to_be_bytes());
        self.0.reset();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(&xxh3::xxh3_128(message).to_be_bytes());
    }
}
