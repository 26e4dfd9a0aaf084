//! Facts about contents: the longest run of one byte, the number of sectors that are zero, and the entropy of a byte.
//!
//! A disk image that was read from a dead disk has digests that match, and nothing but zeros. Digests cannot show that,
//! and these facts do. A [`Scanner`] finds them in the same pass in which the bytes are hashed, in parts of any length:
//!
//! ```
//! use pfh_facts::{Counting, Scanner};
//! use pfh_vector::Backend;
//!
//! let mut scanner = Scanner::new(Counting::Sampled, Backend::chosen());
//! scanner.update(b"abc");
//! scanner.update(&[0; 1000]);
//! let facts = scanner.finish();
//! let run = facts.longest_run.expect("there are bytes");
//! assert_eq!((run.byte, run.offset, run.bytes), (0, 3, 1000));
//! assert_eq!((facts.zero_sectors, facts.sectors()), (1, 2));
//! assert_eq!(facts.entropy.to_string(), "0.034130");
//! ```
//!
//! | module | has |
//! | --- | --- |
//! | [`facts`](Facts) | the facts, which have the same values for the same bytes on every machine |
//! | `runs` | runs of one byte; those of parts can be joined |
//! | `sectors` | sectors that are zero |
//! | [`counting`](Counting) | which bytes are counted: all of them, or a sample |
//! | `bytes` | how often each of these occurs |
//! | `entropy` | the entropy of these frequencies |
//!
//! This crate knows no files, no digests and no threads.
#![forbid(unsafe_code)]

mod bytes;
mod counting;
mod entropy;
mod facts;
mod runs;
mod scanner;
mod sectors;

pub use counting::{Counting, UnknownCounting};
pub use entropy::{Entropy, NotEntropy};
pub use facts::{Facts, Run};
pub use runs::Runs;
pub use scanner::Scanner;
pub use sectors::SECTOR_BYTES;
