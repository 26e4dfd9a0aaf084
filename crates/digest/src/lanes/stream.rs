//! One message at a time, by a kernel for a single stream: where ours are faster than what crates offer.

use std::sync::LazyLock;

use pfh_vector::Backend;

use super::backend::kernels;
use super::definition::{Compression, Definition};
use super::kernel::Kernel;
use crate::state::State;
use crate::{Algorithm, Digest};

const BLOCK_BYTES: usize = 64;
const DIGEST_BYTES: usize = 16;

/// MD5 (RFC 1321).
#[derive(Clone)]
pub(crate) struct Md5 {
    state: [u8; DIGEST_BYTES],
    /// The bytes after the last whole block.
    rest: [u8; BLOCK_BYTES],
    message_bytes: u64,
}

/// The definition, and the first kernel for one stream: that of the newest instructions.
static MD5: LazyLock<(&Definition, &Kernel)> = LazyLock::new(|| {
    let definition = Algorithm::from_name("md5").ok().and_then(Definition::of).expect("MD5 has a definition");
    let kernel = kernels(Backend::chosen(), Compression::Md5).into_iter().find(|kernel| kernel.lanes == 1);
    (definition, kernel.expect("the portable kernels have one for a stream"))
});

impl Md5 {
    /// The instructions that the kernel is compiled for.
    pub(crate) fn backend() -> &'static str {
        MD5.1.family
    }

    fn rest_bytes(&self) -> usize {
        (self.message_bytes % BLOCK_BYTES as u64) as usize
    }

    fn compress(&mut self, blocks: &[u8]) {
        MD5.1.run(&mut self.state, &[blocks], blocks.len() / BLOCK_BYTES);
    }
}

impl Default for Md5 {
    fn default() -> Self {
        let mut state = [0; DIGEST_BYTES];
        MD5.0.begin(&mut state, 1, 0);
        Md5 { state, rest: [0; BLOCK_BYTES], message_bytes: 0 }
    }
}

impl State for Md5 {
    const DIGEST_BYTES: usize = DIGEST_BYTES;
    const BLOCK_BYTES: usize = BLOCK_BYTES;

    fn update(&mut self, mut bytes: &[u8]) {
        let rest_bytes = self.rest_bytes();
        self.message_bytes += bytes.len() as u64;
        if rest_bytes > 0 {
            let (more, others) = bytes.split_at(bytes.len().min(BLOCK_BYTES - rest_bytes));
            self.rest[rest_bytes..rest_bytes + more.len()].copy_from_slice(more);
            bytes = others;
            if rest_bytes + more.len() < BLOCK_BYTES {
                return;
            }
            let block = self.rest;
            self.compress(&block);
        }
        let (blocks, rest) = bytes.split_at(bytes.len() / BLOCK_BYTES * BLOCK_BYTES);
        if !blocks.is_empty() {
            self.compress(blocks);
        }
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    fn finish(&mut self, digest: &mut Digest) {
        let rest_bytes = self.rest_bytes();
        let mut tail = [0; 2 * BLOCK_BYTES];
        let tail = &mut tail[..MD5.0.last_blocks(rest_bytes) * BLOCK_BYTES];
        tail[..rest_bytes].copy_from_slice(&self.rest[..rest_bytes]);
        MD5.0.pad(&mut tail[rest_bytes..], self.message_bytes);
        self.compress(tail);
        let mut value = [0; DIGEST_BYTES];
        MD5.0.finish(&self.state, 1, 0, &mut value);
        digest.set(&value);
        *self = Md5::default();
    }
}
