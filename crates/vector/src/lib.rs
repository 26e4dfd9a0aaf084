//! The instructions of the CPU, and the vector kernels of similarity digests, of checksums and of facts about contents.
//!
//! A [`Backend`] names instructions. It is detected or forced once, and handed down; the kernels that it stands for are
//! chosen from the [`Features`] that the CPU has and the backend allows:
//!
//! ```
//! use pfh_vector::{Backend, ctph};
//!
//! let backend = Backend::from_name("portable")?;
//! assert_eq!(ctph::Kernels::new(backend).name(), "portable");
//! # Ok::<(), pfh_vector::BackendError>(())
//! ```
//!
//! | module | finds | for |
//! | --- | --- | --- |
//! | [`ctph`] | where context-triggered pieces end, and the hashes of pieces | ssdeep, mrsh-v2 |
//! | [`fnv1a_many`] | FNV-1a of many chunks of one buffer | mrsh-v2 |
//! | [`sdhash_rank`] | the rank of the entropy of each window of 64 bytes | sdhash |
//! | [`sdhash_popularity`] | how often a position is the best one of its neighbours | sdhash |
//! | [`tlsh_triplets`] | how often each hash of three bytes occurs | TLSH |
//! | [`runs`] | runs of one byte | facts about contents |
//! | [`crc`] | the remainder of a message | CRC-32, CRC-32C, CRC-64/NVME |
//! | [`bloom`] | the Bloom filters that share many bits with a given one | pairs of sdhash and of mrsh-v2 |
//!
//! [`prefetch`] and [`prefetch_many`] announce memory before it is read.
//!
//! How digests are made with them is the business of `pfh-similarity` and `pfh-digest`, and facts that of `pfh-facts`.
//! This crate knows no files, no threads and no digests.
#![deny(unsafe_code)]

mod backend;
pub mod bloom;
mod bytes64;
mod cpu;
pub mod crc;
pub mod ctph;
pub mod fnv1a_many;
mod kernels;
mod prefetch;
pub mod runs;
pub mod sdhash_popularity;
pub mod sdhash_rank;
#[cfg(test)]
mod testing;
pub mod tlsh_triplets;

pub use backend::{BACKEND_VARIABLE, Backend, BackendEntry, BackendError, Level};
pub use cpu::{Feature, Features, is_intel};
pub use prefetch::{prefetch, prefetch_many};
