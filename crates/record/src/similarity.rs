//! The lists of the similarity families' own programs.
//!
//! `pfh_similarity` has the readers and writers of single lines.

mod read;
mod write;

pub(crate) use read::SimilarityParser;
pub(crate) use write::SimilarityList;
