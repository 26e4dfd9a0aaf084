//! Sets of known digests as files.
//!
//! [`SetBuilder`] sorts any number of rows within a limit of memory and writes a set; [`KnownSet`] opens one and looks
//! digests up. A set is immutable, and opening reads only its end: the time does not depend on its size. The format is
//! described in docs/reference/known-set-format.md, so that other programs can read it.
//!
//! ```
//! use pfh_digest::Algorithm;
//! use pfh_known::{Keep, KnownSet, Origin, Row, SetBuilder};
//!
//! let md5 = Algorithm::from_name("md5")?;
//! let mut builder = SetBuilder::new(&[md5], Keep::default(), 1 << 20);
//! builder.begin_source(Origin::default())?;
//! builder.push(&Row { digests: &[md5.digest(b"hello")], ..Row::default() })?;
//! let mut file = Vec::new();
//! builder.write(&mut file, "an example")?;
//!
//! let set = KnownSet::from_bytes(file)?;
//! assert_eq!(set.find(&md5.digest(b"hello"))?, Some(0));
//! assert_eq!(set.find(&md5.digest(b"world"))?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod about;
mod block_hasher;
mod block_sections;
mod block_set;
mod bloom;
mod builder;
mod classifier;
#[cfg(test)]
mod common_digests;
mod entries;
mod filter;
mod fragments;
mod import;
mod index;
mod layout;
mod links;
mod look_up;
mod sections;
mod set;
mod starts;
mod strings;

pub use about::{About, BlockTotals, Class, ComparedSet, Origin, UnknownClass};
pub use block_hasher::{BlockError, BlockHasher, BlockKinds, EachDigests, SECTOR_BYTES};
pub use block_set::{BlockFile, BlockSetBuilder, Blocks, FileId, KnownFile};
pub use bloom::{BloomError, BloomFile, BloomFilter, BloomShape};
pub use builder::{ALGORITHMS_MAX, Keep, Row, SetBuilder};
pub use classifier::{ClassifiedSet, Classifier, Facts, Found, Known, KnownEntries};
pub use fragments::{BlockPlace, Fragment, FragmentJoiner, WithinOthers};
pub use import::{AddedList, Importer};
pub use layout::OpenError;
pub use set::{KnownSet, Text};
