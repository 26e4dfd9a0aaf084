//! Records, which hold the facts about one file after a run, and the formats in which lists of them are written and
//! read.
//!
//! A [`Record`] holds the facts about one file. A [`Format`], from [`FormatName::writer`], turns records into bytes;
//! its state never changes, so any number of workers can share it. A [`Reader`] iterates over a list in any of the
//! formats; [`jsonl::Journal`] finds the offset at which an interrupted run can continue.
//!
//! This crate does no I/O beyond the `BufRead` of a caller, starts no threads, and does not read the environment.
//! Whatever a list contains, reading it takes bounded memory and ends with entries and errors, never with a panic.
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

mod avp;
mod bagit;
pub mod csv;
mod dfxml;
mod encase;
mod entry;
mod facts_text;
mod format;
mod format_name;
mod gnu;
mod hashdb;
mod hashdeep;
mod header;
mod imager;
pub mod jsonl;
mod keeps;
mod md5deep;
mod ocfl;
mod parse;
mod part;
mod read;
mod run;
mod selection;
mod sfv;
mod similarity;
mod similarity_text;
mod sleuthkit;
mod table;
mod text;
mod time;
mod tokens;
mod types;
mod vics;
mod writer;

pub use entry::{Entry, Expected, Labels, PieceRange, is_piece_name};
pub use format::{Encoding, Format, NotExpressible, WriteOptions};
pub use format_name::{FixityList, FormatName, KnownList, Md5deepForm, UnknownFormat};
pub use gnu::push_escaped_name;
pub use header::{Header, ListEnd, Trailer};
pub use keeps::{Feature, KEPT};
pub use parse::{
    CheckProblem, Coreutils, FieldProblem, LINE_BYTES_MAX, OBJECT_BYTES_MAX, ReadError, ReadErrorKind, ReadOptions,
};
pub use part::Part;
pub use pfh_quote as quote;
pub use read::{Reader, detect, is_null_terminated, other_file, table_columns, unnamed_digits};
pub use run::{Conversion, HostFacts, RunFacts, Summary};
pub use selection::{DigestKind, Selection, UnknownDigest};
pub use table::{COLUMNS_MAX, Columns, ColumnsError};
pub use types::{
    ErrorKind, FileError, FileIdentity, Metadata, Outcome, Piece, Posix, Record, Similarity, SkipReason, Timestamp,
};
pub use writer::FormatError;
