//! What is known of one file after a run, and every format in which lists of that are written and read.
//!
//! No I/O here beyond the `Read` and `Write` that a caller hands in, no threads, no look at the environment.
#![forbid(unsafe_code)]

mod format;
mod gnu;
mod jsonl;
mod run;
mod text;
mod time;
mod types;

pub use format::{Format, FormatError, FormatName, NotExpressible, UnknownFormat, WriteOptions};
pub use run::{HostFacts, RunFacts, Summary};
pub use types::{FileError, Metadata, Outcome, Piece, Record, SkipReason, Timestamp};
