//! The vector kernels of similarity digests.
//!
//! | module | finds | for |
//! | --- | --- | --- |
//! | [`ctph`] | where context-triggered pieces end, and the hashes of pieces | ssdeep, mrsh-v2 |
//! | [`fnv1a_many`] | FNV-1a of many chunks of one buffer | mrsh-v2 |
//! | [`sdhash_rank`] | the rank of the entropy of each window of 64 bytes | sdhash |
//! | [`sdhash_popularity`] | how often a position is the best one of its neighbours | sdhash |
//! | [`tlsh_triplets`] | how often each hash of three bytes occurs | TLSH |
//! | [`bloom`] | the Bloom filters that share many bits with a given one | pairs of sdhash and of mrsh-v2 |
//!
//! What digests are made of them is the business of `pfh-similarity`. This crate knows no files, no threads and no digests.
#![deny(unsafe_code)]

pub mod bloom;
mod bytes64;
pub mod ctph;
pub mod fnv1a_many;
mod intel;
pub mod sdhash_popularity;
pub mod sdhash_rank;
#[cfg(test)]
mod testing;
pub mod tlsh_triplets;

pub use intel::is_intel;
