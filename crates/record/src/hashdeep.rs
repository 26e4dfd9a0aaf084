//! hashdeep's own file format, version 1.0.
//!
//! Source: "hashdeep file format" of the md5deep project; behaviour of hashdeep 4.4.

mod read;
mod write;

pub(crate) use read::HashdeepParser;
pub(crate) use write::Hashdeep;

/// First line of a file.
const FIRST_LINE: &[u8] = b"%%%% HASHDEEP-1.0";

/// Beginning of the second line; names of algorithms and `filename` follow.
const COLUMNS: &[u8] = b"%%%% size,";

/// The algorithms of the format, in the order of its columns.
pub(crate) const ALGORITHMS: [&str; 5] = ["md5", "sha1", "sha256", "tiger", "whirlpool"];
