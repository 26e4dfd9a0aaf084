//! Lists of digests as files: opened in any format, looked up, sorted, continued, and written whole or not at all.
//!
//! - [`List`] opens a list from anywhere and iterates over its [entries](Entry); formats are those of `pfh-record`.
//! - [`Lookup`] finds known digests; [`KnownDigests`] has them in memory.
//! - [`ExternalSort`] orders more records than memory holds.
//! - [`AtomicFile`] is a file that appears whole or not at all; [`ResumedList`] one that an interrupted run continues.
//!
//! Nothing here prints or exits: what there is to report is returned, and its `Display` is the text for people.
//!
//! ```
//! use pfh_list::{Input, List, ReadOptions};
//!
//! let list = Input::bytes("MD5SUMS", "5d41402abc4b2a76b9719d911017c592  hello.txt\n");
//! for entry in List::open(list, ReadOptions::default())? {
//!     assert_eq!(entry?.path, b"hello.txt");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod atomic;
mod contents;
mod latest;
mod list;
mod lookup;
mod resume;
mod sort;

pub use atomic::AtomicFile;
pub use contents::{Contents, NothingUseful};
pub use list::{Input, List, OpenError};
pub use lookup::{Doubt, Hit, KnownDigests, Lookup, Match, Name, TooManyDigests};
pub use pfh_record::FileIdentity;
pub use pfh_record::{Entry, FormatName, Header, ListEnd, ReadError, ReadOptions, Trailer};
pub use resume::{Remark, ResumeError, ResumedList};
pub use sort::ExternalSort;
