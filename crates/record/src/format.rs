//! The trait of the writers of formats, and the options that some formats have.

use std::fmt;
use std::num::NonZero;

use pfh_digest::{Algorithm, Digest};

use crate::text::push_base64;
use crate::{Record, RunFacts, Summary};

/// Turns records into the bytes of one format. All workers share it: each formats its own records, and the writer of
/// the list puts them in order.
pub trait Format: Send + Sync {
    /// Appends the bytes before the first record.
    fn header(&self, run: &RunFacts, out: &mut Vec<u8>);
    /// Appends the bytes for one record, which may have fewer digests than the run. Formats that list only digests
    /// append nothing for a record without them.
    /// # Errors
    /// [`NotExpressible`] if the format cannot represent this record; `out` is unchanged then.
    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), NotExpressible>;
    /// Appends the bytes after the last record.
    fn footer(&self, summary: &Summary, out: &mut Vec<u8>);
}

/// The reason why a format cannot represent a record so that it could be read back. `Display` says why and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotExpressible {
    /// The name is empty, and readers of the format take that for a line without one.
    NoName,
    /// The name contains a line feed (or, in SFV, a carriage return), and the format does not escape.
    LineBreak,
    /// The name ends with a carriage return, which readers take for a part of the line end.
    FinalCarriageReturn,
    /// The name contains a NUL byte, and the format ends records with it or cannot contain it.
    Nul,
    /// The name would turn the line into a comment.
    Comment,
    /// The format requires the file's time, which is not known.
    NoTime,
    /// The format requires the file's size, which is not known.
    NoSize,
    /// The record of the file is longer than readers take ([`OBJECT_BYTES_MAX`](crate::OBJECT_BYTES_MAX)).
    TooLong,
    /// Each line has a digest of every algorithm of the run, but the file has only some of them.
    MissingDigest {
        /// The first algorithm whose digest the file lacks.
        algorithm: Algorithm,
    },
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotExpressible::NoName => f.write_str("the name is empty"),
            NotExpressible::LineBreak => f.write_str("the name contains a line break"),
            NotExpressible::FinalCarriageReturn => f.write_str("the name ends with a carriage return"),
            NotExpressible::Nul => f.write_str("the name contains a NUL byte"),
            NotExpressible::Comment => f.write_str("the name begins like a comment"),
            NotExpressible::NoTime => f.write_str("the time of the file is not known"),
            NotExpressible::NoSize => f.write_str("the size of the file is not known"),
            NotExpressible::TooLong => {
                return f.write_str(
                    "its pieces or its similarity digest take more than the 64 MiB that readers of this format accept; \
                     use longer pieces, or the format `hashdeep`",
                );
            }
            NotExpressible::MissingDigest { algorithm } => {
                write!(f, "the file has other digests, but none of {algorithm}")
            }
        }?;
        f.write_str(", which this format cannot express; use the format `jsonl`")
    }
}

impl std::error::Error for NotExpressible {}

/// Takes back what was appended after `start` if readers would refuse it.
pub(crate) fn within_limit(start: usize, out: &mut Vec<u8>) -> Result<(), NotExpressible> {
    if out.len() - start <= crate::OBJECT_BYTES_MAX {
        return Ok(());
    }
    out.truncate(start);
    Err(NotExpressible::TooLong)
}

/// The encoding of digests in a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// Lower-case hexadecimal.
    #[default]
    Hexadecimal,
    /// Upper-case hexadecimal (`gnu`, `bsd`, `sfv`).
    UpperHexadecimal,
    /// Base64 (RFC 4648, section 4) with its padding, as `cksum --base64` writes it (`gnu`, `bsd`).
    Base64,
}

impl Encoding {
    pub(crate) fn push(self, digest: &Digest, out: &mut Vec<u8>) {
        match self {
            Encoding::Hexadecimal => digest.push_hex(out),
            Encoding::UpperHexadecimal => {
                let start = out.len();
                digest.push_hex(out);
                out[start..].make_ascii_uppercase();
            }
            Encoding::Base64 => push_base64(digest.bytes(), out),
        }
    }
}

/// Options that some formats offer.
///
/// [`WriteOptions::piecewise`] and [`WriteOptions::facts`] repeat what the run computes, since `csv` names its columns
/// before the first record: without them it leaves pieces and facts of records out, and that is no error. Formats that
/// have no place for them ([`FormatName::keeps`](crate::FormatName::keeps)) always leave them out.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// Whether records end with NUL instead of a line feed, and nothing is escaped.
    pub null_terminated: bool,
    /// Whether the run has digests of pieces.
    pub piecewise: bool,
    /// Whether the run has facts about contents.
    pub facts: bool,
    /// Length of the segments in MiB for which lists of sdhash have digests, as the original's do; see
    /// [`pfh_similarity::sdhash::Digest::into_segments`].
    pub sdhash_segment: Option<NonZero<u32>>,
    /// The encoding of digests.
    pub encoding: Encoding,
    /// Whether JSON Lines also have the metadata that only POSIX filesystems have, so that nothing is lost in them that
    /// another format has a place for. Other formats have them anyway, or have no place for them.
    pub posix: bool,
}
