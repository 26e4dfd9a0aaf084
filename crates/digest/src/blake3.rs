//! BLAKE3: with its default of 256 bits, and with other lengths, keys and contexts.

use crate::Digest;
use crate::parameterized::{Keyed, Parameterized, Parameters, boxed};
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

pub(crate) const PARAMETERS: Parameters = Parameters {
    digest_bytes_max: Digest::BYTES_MAX,
    is_extendable: true,
    state: |_| boxed(::blake3::Hasher::new()),
    keyed: Some(Keyed {
        key_bytes: ::blake3::KEY_LEN..=::blake3::KEY_LEN,
        state: |key, _| {
            let mut whole = [0; ::blake3::KEY_LEN];
            whole.copy_from_slice(key);
            boxed(::blake3::Hasher::new_keyed(&whole))
        },
    }),
    derive_key: Some(|context, _| boxed(::blake3::Hasher::new_derive_key(context))),
};

impl Parameterized for ::blake3::Hasher {
    fn update(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    fn write(&mut self, to: &mut [u8]) {
        self.finalize_xof().fill(to);
    }
}
