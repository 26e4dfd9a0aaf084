//! Adler-32 (RFC 1950, section 8.2).

use crate::Digest;
use crate::state::State;

/// The two sums.
#[derive(Clone, Default)]
pub(crate) struct Adler32(simd_adler32::Adler32);

impl State for Adler32 {
    const DIGEST_BYTES: usize = 4;
    const BLOCK_BYTES: usize = 1;

    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        digest.set(&self.0.finish().to_be_bytes());
        self.0.reset();
    }
}
