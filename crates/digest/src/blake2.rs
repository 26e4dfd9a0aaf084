//! BLAKE2b and BLAKE2s (RFC 7693): with their full lengths of 512 and 256 bits, and with other lengths and keys, which
//! are parameters of the first state.

use crate::Digest;
use crate::parameterized::{Keyed, Parameterized, Parameters, boxed};
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

pub(crate) const PARAMETERS_2B: Parameters = Parameters {
    digest_bytes_max: blake2b_simd::OUTBYTES,
    is_extendable: false,
    state: |digest_bytes| boxed(blake2b_simd::Params::new().hash_length(digest_bytes).to_state()),
    keyed: Some(Keyed {
        key_bytes: 1..=blake2b_simd::KEYBYTES,
        state: |key, digest_bytes| boxed(blake2b_simd::Params::new().hash_length(digest_bytes).key(key).to_state()),
    }),
    derive_key: None,
};

pub(crate) const PARAMETERS_2S: Parameters = Parameters {
    digest_bytes_max: blake2s_simd::OUTBYTES,
    is_extendable: false,
    state: |digest_bytes| boxed(blake2s_simd::Params::new().hash_length(digest_bytes).to_state()),
    keyed: Some(Keyed {
        key_bytes: 1..=blake2s_simd::KEYBYTES,
        state: |key, digest_bytes| boxed(blake2s_simd::Params::new().hash_length(digest_bytes).key(key).to_state()),
    }),
    derive_key: None,
};

impl Parameterized for blake2b_simd::State {
    fn update(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    fn write(&mut self, to: &mut [u8]) {
        to.copy_from_slice(self.finalize().as_bytes());
    }
}

impl Parameterized for blake2s_simd::State {
    fn update(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    fn write(&mut self, to: &mut [u8]) {
        to.copy_from_slice(self.finalize().as_bytes());
    }
}
