//! Lists of digests as files: opening them in any format, look-up, sorting, continuing, and writing them whole or not
//! at all.
//!
//! - [`List`] opens a list from any input and iterates over its [entries](Entry); the formats are those of
//!   `pfh-record`. A list can be in a zip archive.
//! - [`KnownDigests`] finds known digests, which it has in memory; [`Answers`] keeps what took long to find.
//! - [`NamedDigests`] keeps similarity digests in memory; [`DigestIndex`] is an index of them in a file.
//! - [`ExternalSort`] and [`ByteSort`] sort more records than memory holds; [`Spool`] keeps their order, and
//!   [`Grouping`] brings values together by their keys.
//! - [`AtomicFile`] is a file that appears whole or not at all; [`ResumedList`] is one that a later run continues;
//!   [`open_regular`] and [`open_own`] open what is a file, and wait for nothing else.
//!
//! Nothing here prints or exits. Reports are returned, and their `Display` is the text for users.
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

mod answers;
mod atomic;
mod contents;
mod grouping;
mod latest;
mod list;
mod lookup;
mod named_digests;
mod regular;
mod resume;
mod sort;
mod spool;
mod superseded;
mod zip;

pub use answers::Answers;
pub use atomic::{
    AtomicFile, DirectoryLock, NotDurable, TEMPORARY_PREFIX, lock_directory, named_after, place_of, sync_directory,
};
pub use contents::{Contents, NothingUseful, WithoutDigest};
pub use grouping::Grouping;
pub use list::{Input, List, OpenError, open_wanted};
pub use lookup::{Doubt, KnownDigests, Match, Name, TooManyDigests};
pub use named_digests::{DigestIndex, DigestIndexError, NamedDigests, NotAdded};
pub use pfh_record::FileIdentity;
pub use pfh_record::{Columns, ColumnsError, Entry, FormatName, Header, ListEnd, ReadError, ReadOptions, Trailer};
pub use regular::{open_own, open_regular};
pub use resume::{Remark, ResumeError, ResumedList};
pub use sort::{ByteSort, ExternalSort, be_number};
pub use spool::{Spool, SpoolReader};
