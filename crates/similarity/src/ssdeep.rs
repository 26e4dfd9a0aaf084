//! ssdeep: context-triggered piecewise hashing.
//!
//! A rolling hash over seven bytes cuts the input into pieces wherever it has a certain remainder, and each piece
//! becomes one character of the digest. An edit changes the characters of the pieces that it touches and no others, so
//! two digests are compared by the edit distance of their characters. Digests, scores and lists are those of ssdeep
//! 2.14.1.
//!
//! Source: J. Kornblum, "Identifying almost identical files using context triggered piecewise hashing", Digital
//! Investigation 3S, 2006; A. Tridgell's spamsum, 2002, where the scheme comes from.
//!
//! ```
//! use pfh_similarity::ssdeep::Hasher;
//!
//! let mut hasher = Hasher::new();
//! hasher.update(b"Hello, ");
//! hasher.update(b"world!\n");
//! let digest = hasher.finish()?;
//! assert_eq!(digest.to_string(), "3:a6/G:asG");
//! assert_eq!(digest.compare(&digest), 100);
//! # Ok::<(), pfh_similarity::NoDigest>(())
//! ```

mod compare;
mod digest;
mod grams;
mod hasher;
mod index;
mod index_file;
pub mod list;
mod many;
mod piece;
mod rolling;
mod scan;

pub use compare::Comparer;
pub use digest::Digest;
pub use hasher::Hasher;
pub use index::{Index, Match, Searcher};
pub use index_file::{FileMatch, IndexFile, IndexFileBuilder};
pub use many::{ManyHasher, digest_many};

/// The characters of a digest: Base64, and the six-bit values that they stand for.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Block sizes are `3 << level`, for levels from 0 to 30.
const LEVELS: usize = 31;

/// Most characters of a part of a digest.
const PART_CHARACTERS_MAX: usize = 64;

/// Most characters of the second part, as ssdeep writes it.
const SECOND_CHARACTERS_MAX: usize = 32;
