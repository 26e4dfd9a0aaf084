//! TLSH: Trend Micro's locality-sensitive hash.
//!
//! Every window of five bytes contributes six triplets of bytes; each is hashed into one of 256 buckets, and of 128
//! buckets the digest says in which quartile of all counts they are. Digests are compared by how far apart these
//! quartiles, the lengths and two ratios of quartiles are. Digests (128 buckets, one byte of checksum) and distances
//! are those of TLSH 4.
//!
//! Source: J. Oliver, C. Cheng, Y. Chen, "TLSH: a locality sensitive hash", 4th Cybercrime and Trustworthy Computing
//! Workshop, 2013. Its byte hash is that of P. Pearson, "Fast hashing of variable-length text strings", Communications
//! of the ACM 33(6), 1990.
//!
//! ```
//! use pfh_similarity::tlsh::Hasher;
//!
//! let mut hasher = Hasher::new();
//! for number in 0..200_u32 {
//!     hasher.update(number.to_string().as_bytes());
//! }
//! let digest = hasher.finish()?;
//! assert_eq!(digest.compare(&digest), 0);
//! # Ok::<(), pfh_similarity::NoDigest>(())
//! ```

mod digest;
mod hasher;
mod index;
mod index_file;
mod length;
pub mod list;
mod many;

pub use digest::Digest;
pub use hasher::{Hasher, MINIMUM_BYTES};
pub use index::{Index, Match};
pub use index_file::{FileMatch, IndexFile, IndexFileBuilder};
pub use many::{ManyHasher, digest_many};

/// Bytes of the digest that describe the buckets: two bits for each of 128.
const BODY_BYTES: usize = 32;
