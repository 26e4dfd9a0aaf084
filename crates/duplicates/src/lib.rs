//! Duplicates: files, and whole directories, with the same contents; and what of one side has no copy on the other.
//!
//! This crate opens and hashes no files. It is told which files there are ([`Catalogue`]), says whose beginnings and
//! whose contents are needed ([`Catalogue::sift`], [`Sifted::agree`]), takes the digests, and returns groups
//! ([`Digests::groups`]) or what is not covered ([`Digests::uncovered`]).
//!
//! Everything that grows with the number of files is sorted externally ([`ExternalSort`](pfh_list::ExternalSort)), and
//! lies in memory up to its share of the limit, then in temporary files without names; all but one bit for each group.
//! So memory is bounded, and the results are the same for every limit.
#![forbid(unsafe_code)]

mod bits;
mod catalogue;
mod digested;
mod directories;
mod group;
mod item;
mod paths;
mod record_file;
mod sift;

pub use catalogue::{Catalogue, Listed};
pub use group::{Digests, Group, GroupKind, Groups, Member, Members, Options, Totals, Uncovered};
pub use item::{Content, Item, Place, Presence, Presences, Side};
pub use sift::{Agreeing, BEGINNING_BYTES, Needed, NeededFiles, Sifted};

use pfh_digest::Algorithm;

/// Longest digest that is compared, in bytes.
pub const DIGEST_BYTES_MAX: usize = 64;

/// Returns the content of a symbolic link with this target.
pub fn link_content(target: &[u8]) -> Content {
    let digest = Algorithm::BLAKE3.digest(target);
    Content::Link([0, 8, 16].map(|offset| record_file::number(digest.bytes(), offset)))
}
