//! Comma-separated values (RFC 4180) with a header line.
//!
//! There is one line per file and, in a piecewise run, one more per piece. Names are written as raw bytes.

mod fields;
mod read;
mod write;

pub use fields::COLUMNS_MAX;
pub(crate) use fields::{Fields, unquote};
pub(crate) use read::{CsvParser, is_header};
pub(crate) use write::Csv;
pub use write::push_field;

/// Names of the columns before those of the algorithms.
const COLUMNS: [&str; 5] = ["path", "size", "mtime", "outcome", "error"];

/// The last column, if an algorithm of the run detects collision attacks: the names of those that found their marks,
/// separated by blanks. It is last, so that the other columns have the same places in every run.
const COLLISIONS_COLUMN: &str = "collisions";

/// Columns of facts about contents, after the digests, in a run that has them.
const FACTS_COLUMNS: [&str; 7] = crate::facts_text::NAMES;

/// Two more columns in a piecewise run: the part of the file that the digests are of; empty for the whole file.
const PIECE_COLUMNS: [&str; 2] = ["piece_offset", "piece_length"];
