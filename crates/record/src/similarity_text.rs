//! Similarity digests as text, shared by all formats that have them.

use std::io::Write as _;

use pfh_similarity::{Digest, Family, NoDigestReason, ParseError};

use crate::parse::{Fault, ReadErrorKind};

/// Appends the text of a digest, with the name that it has. Without a name, no format needs to escape it.
pub(crate) fn push_similarity(digest: &Digest, out: &mut Vec<u8>) {
    match digest {
        Digest::Sdhash(digest) => digest.write_to(out),
        Digest::MrshV2(digest) => digest.write_to(out),
        // Writing to a vector cannot fail.
        digest => drop(write!(out, "{digest}")),
    }
}

/// Returns the reason of such a word, if it is known.
pub(crate) fn parse_no_digest(word: &str) -> Option<NoDigestReason> {
    NoDigestReason::ALL.into_iter().find(|reason| reason.word() == word)
}

/// Parses the text of a digest. The name in it is dropped, because the path is beside it.
pub(crate) fn parse_similarity(family: Family, text: &[u8]) -> Result<Digest, ParseError> {
    Ok(Digest::from_bytes(family, text)?.with_name(b""))
}

impl From<ParseError> for Fault {
    fn from(error: ParseError) -> Fault {
        Fault { kind: ReadErrorKind::SimilarityDigest(error), at: error.at }
    }
}
