//! Simple File Verification: `NAME CRC32`, the list of file-sharing tools.
//!
//! There is no standard; this follows what cksfv 1.3 and RHash 1.4 write and read.

mod read;
mod write;

pub(crate) use read::SfvParser;
pub(crate) use write::Sfv;

/// The only algorithm of the format.
pub(crate) const ALGORITHM: &str = "crc32";
