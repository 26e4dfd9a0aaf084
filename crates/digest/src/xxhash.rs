//! XXH32, XXH64 and XXH3 with 64 and 128 bits, seed 0 (xxHash specification). The value is the canonical, big-endian
//! form.

use std::hash::Hasher;

use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64, xxhash3_64, xxhash3_128};

use crate::Digest;
use crate::state::State;

/// XXH3's secret where it lies, so that a new state allocates nothing.
type Secret = &'static [u8; xxhash3_64::DEFAULT_SECRET_LENGTH];

/// XXH32.
#[derive(Clone, Default)]
pub(crate) struct Xxh32(XxHash32);

impl State for Xxh32 {
    const DIGEST_BYTES: usize = 4;
    const BLOCK_BYTES: usize = 16;

    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.finish_32().to_be_bytes());
        *self = Self::default();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(&XxHash32::oneshot(0, message).to_be_bytes());
    }
}

/// XXH64.
#[derive(Clone, Default)]
pub(crate) struct Xxh64(XxHash64);

impl State for Xxh64 {
    const DIGEST_BYTES: usize = 8;
    const BLOCK_BYTES: usize = 32;

    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.finish().to_be_bytes());
        *self = Self::default();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(&XxHash64::oneshot(0, message).to_be_bytes());
    }
}

/// XXH3 with 64 bits.
#[derive(Clone)]
pub(crate) struct Xxh3_64(xxhash3_64::RawHasher<Secret>);

impl Default for Xxh3_64 {
    fn default() -> Self {
        Xxh3_64(xxhash3_64::RawHasher::new(xxhash3_64::SecretBuffer::default()))
    }
}

impl State for Xxh3_64 {
    const DIGEST_BYTES: usize = 8;
    const BLOCK_BYTES: usize = 64;

    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.finish().to_be_bytes());
        *self = Self::default();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(&XxHash3_64::oneshot(message).to_be_bytes());
    }
}

/// XXH3 with 128 bits.
#[derive(Clone)]
pub(crate) struct Xxh3_128(xxhash3_128::RawHasher<Secret>);

impl Default for Xxh3_128 {
    fn default() -> Self {
        Xxh3_128(xxhash3_128::RawHasher::new(xxhash3_128::SecretBuffer::default()))
    }
}

impl State for Xxh3_128 {
    const DIGEST_BYTES: usize = 16;
    const BLOCK_BYTES: usize = 64;

    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.finish_128().to_be_bytes());
        *self = Self::default();
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        digest.set(&XxHash3_128::oneshot(message).to_be_bytes());
    }
}
