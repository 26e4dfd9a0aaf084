//! Any hasher of the RustCrypto project as a [`State`].

use sha2::digest::block_api::BlockSizeUser;
use sha2::digest::typenum::Unsigned;
use sha2::digest::{FixedOutputReset, OutputSizeUser};

use crate::Digest;
use crate::state::State;

/// A hasher of RustCrypto, as it is.
#[derive(Clone, Default)]
pub(crate) struct RustCrypto<H>(H);

impl<H> State for RustCrypto<H>
where
    H: FixedOutputReset + BlockSizeUser + Clone + Default + Send + Sync + 'static,
{
    const DIGEST_BYTES: usize = <H as OutputSizeUser>::OutputSize::USIZE;
    const BLOCK_BYTES: usize = <H as BlockSizeUser>::BlockSize::USIZE;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.finalize_fixed_reset());
    }

    fn digest(message: &[u8], digest: &mut Digest) {
        let mut hasher = H::default();
        hasher.update(message);
        digest.set(&hasher.finalize_fixed());
    }
}
