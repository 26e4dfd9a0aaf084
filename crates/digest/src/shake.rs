//! SHAKE128 and SHAKE256 (FIPS 202), whose digests have any length.

use ::shake::digest::{ExtendableOutputReset, Update, XofReader};

use crate::Digest;
use crate::parameterized::{Parameterized, Parameters, boxed};
use crate::state::State;

pub(crate) type Shake128 = Shake<168, 32>;
pub(crate) type Shake256 = Shake<136, 64>;

/// SHAKE with a rate (its block) and the usual length of its digests.
#[derive(Clone, Default)]
pub(crate) struct Shake<const RATE_BYTES: usize, const DIGEST_BYTES: usize>(::shake::Shake<RATE_BYTES>);

impl<const RATE_BYTES: usize, const DIGEST_BYTES: usize> State for Shake<RATE_BYTES, DIGEST_BYTES> {
    const DIGEST_BYTES: usize = DIGEST_BYTES;
    const BLOCK_BYTES: usize = RATE_BYTES;

    fn update(&mut self, bytes: &[u8]) {
        Update::update(&mut self.0, bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        self.0.finalize_xof_reset().read(digest.room(DIGEST_BYTES));
    }
}

impl<const RATE_BYTES: usize, const DIGEST_BYTES: usize> Shake<RATE_BYTES, DIGEST_BYTES> {
    pub(crate) const PARAMETERS: Parameters = Parameters {
        digest_bytes_max: Digest::BYTES_MAX,
        is_extendable: true,
        state: |_| boxed(::shake::Shake::<RATE_BYTES>::default()),
        keyed: None,
        derive_key: None,
    };
}

impl<const RATE_BYTES: usize> Parameterized for ::shake::Shake<RATE_BYTES> {
    fn update(&mut self, bytes: &[u8]) {
        Update::update(self, bytes);
    }

    fn write(&mut self, to: &mut [u8]) {
        self.finalize_xof_reset().read(to);
    }
}
