//! The lists of the similarity families' own programs, and what the other formats share about their digests.
//!
//! Source: `pfh_similarity`, whose readers and writers of single lines these are.

mod read;
mod write;

pub(crate) use read::SimilarityParser;
pub(crate) use write::SimilarityList;

use std::io::Write as _;

use pfh_similarity::{Digest, Family, ParseError, UnfitReason};

use crate::read::{Fault, ReadErrorKind};

/// Appends the text of a digest, with whatever name it has. Without one, no format needs to escape it.
pub(crate) fn push_similarity(digest: &Digest, out: &mut Vec<u8>) {
    match digest {
        Digest::Sdhash(digest) => digest.write_to(out),
        Digest::MrshV2(digest) => digest.write_to(out),
        // Writing to a vector cannot fail.
        digest => drop(write!(out, "{digest}")),
    }
}

/// Stable word for programs, the same in every format.
pub(crate) fn unfit_word(reason: UnfitReason) -> &'static str {
    match reason {
        UnfitReason::TooShort => "too-short",
        UnfitReason::TooLong => "too-long",
        UnfitReason::TooUniform => "too-uniform",
    }
}

/// The reason of such a word, if it is known.
pub(crate) fn parse_unfit(word: &str) -> Option<UnfitReason> {
    let reasons = [UnfitReason::TooShort, UnfitReason::TooLong, UnfitReason::TooUniform];
    reasons.into_iter().find(|reason| unfit_word(*reason) == word)
}

/// A digest from its text, without the name in that: it is the path beside it.
pub(crate) fn parse_similarity(family: Family, text: &[u8]) -> Result<Digest, ParseError> {
    Ok(Digest::from_bytes(family, text)?.with_name(b""))
}

impl From<ParseError> for Fault {
    fn from(error: ParseError) -> Fault {
        Fault { kind: ReadErrorKind::Field { field: error.field, problem: error.problem }, at: error.at }
    }
}
