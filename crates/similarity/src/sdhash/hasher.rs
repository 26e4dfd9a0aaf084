//! Bytes in, digest out.

use pfh_vector::Backend;

use super::block::Blocks;
use super::digest::Digest;
use super::stream::Stream;
use super::{Mode, Options};
use crate::{Family, NoDigest, NoDigestReason};

/// From this size on, the original's command line uses blocks, of 16 KiB.
const AUTOMATIC_BLOCKS_FROM: u64 = 16 << 20;
const AUTOMATIC_BLOCK_BYTES: u32 = 16 << 10;

/// Makes one digest of one input, given in pieces of any size.
///
/// Memory: some 150 KiB, 200 KiB for each thread, and 256 bytes for each filter, which come to about 3 % of the input
/// in stream mode and to 256 bytes for each block in block mode. The input itself is never held.
#[derive(Debug)]
pub struct Hasher {
    /// In automatic mode, without knowing the input's length, both modes are possible up to 16 MiB.
    stream: Option<Stream>,
    blocks: Option<Blocks>,
    bytes: u64,
}

impl Hasher {
    /// Returns a hasher with the options of the original's command line: see [`Options`].
    pub fn new() -> Hasher {
        Hasher::with_options(Options::default())
    }

    /// Returns a hasher with these options.
    pub fn with_options(options: Options) -> Hasher {
        Hasher::with_backend(options, Backend::chosen())
    }

    /// Returns a hasher that uses these instructions. The digests are the same with all.
    pub fn with_backend(options: Options, backend: Backend) -> Hasher {
        let (is_stream, block_bytes) = match (options.mode, options.input_bytes) {
            (Mode::Stream, _) => (true, None),
            (Mode::Blocks(size), _) => (false, Some(size.bytes())),
            (Mode::Automatic, Some(bytes)) if bytes < AUTOMATIC_BLOCKS_FROM => (true, None),
            (Mode::Automatic, input_bytes) => (input_bytes.is_none(), Some(AUTOMATIC_BLOCK_BYTES)),
        };
        Hasher {
            stream: is_stream.then(|| Stream::new(options.profile, options.input_bytes, backend)),
            blocks: block_bytes.map(|block_bytes| Blocks::new(block_bytes, backend)),
            bytes: 0,
        }
    }

    /// Hashes the next bytes of the input.
    pub fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if self.blocks.is_some() && self.bytes >= AUTOMATIC_BLOCKS_FROM {
            self.stream = None;
        }
        if let Some(stream) = &mut self.stream {
            stream.update(bytes);
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.update(bytes);
        }
    }

    /// Ends the input. The digest has no name yet.
    ///
    /// # Errors
    /// [`NoDigest`] below 512 bytes.
    pub fn finish(self) -> Result<Digest, NoDigest> {
        let Hasher { stream, blocks, bytes } = self;
        if bytes < Family::Sdhash.minimum_bytes() {
            return Err(NoDigest::new(Family::Sdhash, NoDigestReason::TooShort, bytes));
        }
        let (layout, filters) = match (stream, blocks) {
            (Some(stream), _) => stream.finish(),
            (None, Some(blocks)) => blocks.finish(),
            (None, None) => unreachable!("one of both is possible"),
        };
        Ok(Digest { name: Vec::new(), bytes, layout, filters })
    }
}

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher::new()
    }
}
