//! Comma-separated values (RFC 4180) with a header line.
//!
//! One line per file and, in a piecewise run, one more per piece. Names go out as raw bytes.

mod read;
mod write;

pub(crate) use read::CsvParser;
pub(crate) use write::Csv;
pub use write::push_field;

/// Names of the columns before those of the algorithms.
const COLUMNS: [&str; 5] = ["path", "size", "mtime", "outcome", "error"];

/// The last column, in a run with an algorithm that looks for the marks of collision attacks: names of those that found
/// some, separated by blanks. It stands last, so that no other column has another place because of it.
const COLLISIONS_COLUMN: &str = "collisions";

/// Two more in a piecewise run: which part of the file the digests are of; empty for the whole file.
const PIECE_COLUMNS: [&str; 2] = ["piece_offset", "piece_length"];
