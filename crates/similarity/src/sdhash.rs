//! sdhash: the least probable features of an input, in Bloom filters.
//!
//! V. Roussev, "Data fingerprinting with similarity digests", Advances in Digital Forensics VI, 2010. Digests and
//! scores are those of sdhash 3.4 and 4.0, byte for byte; `docs/reference/similarity.md` says where the original's
//! mistakes are kept and where they are not.
//!
//! ```
//! use pfh_similarity::sdhash::{Comparison, Hasher};
//!
//! let mut state = 1_u32;
//! let noise = std::iter::repeat_with(|| {
//!     state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
//!     (state >> 24) as u8
//! });
//! let bytes: Vec<u8> = noise.take(60_000).collect();
//! let digest_of = |bytes: &[u8]| {
//!     let mut hasher = Hasher::new();
//!     bytes.chunks(1_000).for_each(|piece| hasher.update(piece));
//!     hasher.finish()
//! };
//! let (whole, part) = (digest_of(&bytes)?, digest_of(&bytes[5_000..45_000])?);
//! assert!(whole.compare(&part, &Comparison::default()) > Some(30));
//! # Ok::<(), pfh_similarity::NoDigest>(())
//! ```

mod base64;
mod block;
mod compare;
mod digest;
mod features;
mod hasher;
pub mod list;
mod pairs;
mod rank;
mod stream;
mod tables;
mod window;

pub use compare::{Comparison, Direction};
pub use digest::Digest;
pub use hasher::Hasher;
pub use pairs::Pairs;

/// The two versions of the algorithm. A digest does not say which one made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Version 3.4.
    #[default]
    V3_4,
    /// Version 4.0: stream mode takes a feature once, and scores have other cut-offs. More sensitive, but scores of
    /// very repetitive inputs mean nothing (see [`Digest::is_reliable`]).
    V4_0,
}

/// How an input is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// As the original's command line does: a stream below 16 MiB, from there on blocks of 16 KiB.
    #[default]
    Automatic,
    /// Filters are filled one after another (`sdbf`).
    Stream,
    /// A filter for each block (`sdbf-dd`).
    Blocks(BlockSize),
}

/// The size of a block: 1 to 16 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSize(u32);

impl BlockSize {
    /// Makes a block size of a number of KiB; `None` unless it is 1 to 16.
    pub fn from_kibibytes(kibibytes: u32) -> Option<BlockSize> {
        (1..=16).contains(&kibibytes).then_some(BlockSize(kibibytes << 10))
    }

    /// The size in bytes.
    pub fn bytes(self) -> u32 {
        self.0
    }
}

/// Options of making a digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The version.
    pub profile: Profile,
    /// Stream or blocks.
    pub mode: Mode,
    /// Length of the input in bytes, where it is known: [`Mode::Automatic`] then follows it and does half the work.
    pub input_bytes: Option<u64>,
}
