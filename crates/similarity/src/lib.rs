//! Similarity digests: bytes in, a digest out that can be compared with others of its family.
//!
//! Each family is a module of one shape: `Hasher` (streaming, bounded memory), `Digest` (parsed from and printed as the
//! family's own text), `Digest::compare`, and `list` (reader and writer of the family's files). [`Family`], [`Hasher`]
//! and [`Digest`] here are the same with the family chosen at run time.
//!
//! ```
//! use pfh_similarity::{Family, Hasher, Score};
//!
//! let mut hasher = Hasher::new(Family::Ssdeep);
//! hasher.update(b"Hello, world!\n");
//! let digest = hasher.finish()?;
//! assert_eq!(digest.to_string(), "3:a6/G:asG");
//! assert_eq!(digest.compare(&digest), Some(Score::Similarity(100)));
//! # Ok::<(), pfh_similarity::NoDigest>(())
//! ```
//!
//! [`all_pairs`] compares many digests with each other, on any number of threads. [`frash`] measures how the digests of
//! a family behave when inputs change.
//!
//! This crate opens no files, and does not decide which pairs are worth showing. Only [`all_pairs`] starts threads.
#![forbid(unsafe_code)]

pub mod all_pairs;
mod any;
mod any_index;
mod cancel;
mod equals;
mod family;
mod fields;
mod filter;
mod filter_pairs;
pub mod frash;
mod index_file;
pub mod list;
pub mod mrsh_v2;
mod no_digest;
mod pair;
mod parse_error;
pub mod sdhash;
pub mod ssdeep;
pub mod tlsh;

pub use any::{Digest, Hasher, ManyHasher, Score, SimilarityOptions};
pub use any_index::{IndexFile, IndexMatch, write_index};
pub use cancel::CancelToken;
pub use family::{Family, FamilyKernel, UnknownFamily};
pub use index_file::IndexError;
pub use no_digest::{NoDigest, NoDigestReason};
pub use pair::Pair;
pub use parse_error::ParseError;
pub use pfh_vector::Backend;
