//! What is known of one file after a run, and every format in which lists of that are written and read.
//!
//! A [`Record`] is what a run knows of one file. A [`Format`], from [`FormatName::writer`], turns records into bytes;
//! it has no state that changes, so any number of workers can share it. A [`Reader`] iterates over a list in any of the
//! formats; [`jsonl::Journal`] finds out where an interrupted run can go on.
//!
//! No I/O here beyond the `BufRead` that a caller hands in, no threads, no look at the environment. Whatever a list
//! contains, reading it takes bounded memory and ends in entries and errors, never in a panic.
//!
//! ```
//! use pfh_digest::Algorithm;
//! use pfh_record::{FormatName, ReadOptions, Reader};
//!
//! let list = b"5d41402abc4b2a76b9719d911017c592  hello.txt\n";
//! for entry in Reader::new(FormatName::Gnu, &list[..], ReadOptions::default()) {
//!     let entry = entry?;
//!     assert_eq!(entry.path, b"hello.txt");
//!     assert_eq!(entry.digests, [Algorithm::from_name("md5")?.digest(b"hello")]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod csv;
mod dfxml;
mod entry;
mod format;
mod gnu;
mod hashdeep;
mod header;
pub mod jsonl;
mod keeps;
mod md5deep;
pub mod quote;
mod read;
mod run;
mod selection;
mod sfv;
mod similarity;
mod text;
mod time;
mod types;

pub use entry::{Entry, Expected, PieceRange};
pub use format::{Encoding, Format, FormatError, FormatName, NotExpressible, UnknownFormat, WriteOptions};
pub use header::{Header, ListEnd, Trailer};
pub use keeps::{Feature, KEPT};
pub use md5deep::Md5deepForm;
pub use read::{
    LINE_BYTES_MAX, OBJECT_BYTES_MAX, ReadError, ReadErrorKind, ReadOptions, Reader, detect, unnamed_digits,
};
pub use run::{HostFacts, RunFacts, Summary};
pub use selection::{DigestKind, Selection, UnknownDigest};
pub use types::{
    ErrorKind, FileError, FileIdentity, Metadata, Outcome, Piece, Posix, Record, Similarity, SkipReason, Timestamp,
};
