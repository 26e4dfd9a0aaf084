//! mrsh-v2: chunks between positions that the content chooses, in Bloom filters.
//!
//! F. Breitinger, H. Baier, "Similarity preserving hashing: Eligible properties and a new algorithm MRSH-v2", ICDF2C
//! 2012. Digests and scores are those of mrsh-v2 2.0, byte for byte.
//!
//! ```
//! use pfh_similarity::mrsh_v2::{Hasher, Measure};
//!
//! let text = |from: u32, to: u32| -> Vec<u8> {
//!     let line = |line: u32| format!("line {line}: {}\n", line.wrapping_mul(2_654_435_761)).into_bytes();
//!     (from..to).flat_map(line).collect()
//! };
//! let digest_of = |bytes: &[u8]| {
//!     let mut hasher = Hasher::new();
//!     bytes.chunks(1_000).for_each(|piece| hasher.update(piece));
//!     hasher.finish()
//! };
//! let (whole, part) = (digest_of(&text(0, 9_000))?, digest_of(&text(2_000, 4_000))?);
//! assert!(whole.compare(&part, Measure::Containment) > 30);
//! assert!(whole.compare(&part, Measure::Resemblance) < whole.compare(&part, Measure::Containment));
//! # Ok::<(), pfh_similarity::NoDigest>(())
//! ```

mod compare;
mod digest;
mod hasher;
pub mod list;
mod pairs;
mod rolling;

pub use compare::Measure;
pub use digest::Digest;
pub use hasher::Hasher;
pub use pairs::Pairs;

/// The two builds of the original, whose digests differ. A digest does not say which one made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Build {
    /// All of the input, as the paper describes.
    #[default]
    Normal,
    /// Without the first and the last chunk, so that headers and cut ends do not matter; the original's makefile builds
    /// this one unless told otherwise.
    Network,
}
