//! The beginning and the end of a list, which describe the run that wrote it.

use std::collections::{BTreeMap, HashSet};

use pfh_facts::Counting;
use pfh_similarity::Family;

use crate::{DigestKind, FormatName, HostFacts, Selection, Summary, Timestamp};

/// The facts that a list states before its first entry, as far as its format has a place for them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The format of the list.
    pub format: FormatName,
    /// The digests that each complete file has, in this order; `None` if no header names them. Unknown kinds of digests
    /// are left out.
    pub selection: Option<Selection>,
    /// The variants of the similarity digests whose texts do not tell them, by family, as the list states them: in the
    /// words of [`SimilarityOptions::variant`](pfh_similarity::SimilarityOptions::variant).
    pub variants: BTreeMap<Family, String>,
    /// Length of the pieces in bytes, in a piecewise run.
    pub piece_bytes: Option<u64>,
    /// The bytes that the entropy of each file is taken from, if the list says that each complete file has facts.
    pub facts: Option<Counting>,
    /// Name of the program that wrote the list.
    pub program: Option<String>,
    /// Version of that program.
    pub program_version: Option<String>,
    /// Its command line in raw bytes, with blanks between the arguments.
    pub command_line: Option<Vec<u8>>,
    /// The directory that relative paths start from, in raw bytes.
    pub directory: Option<Vec<u8>>,
    /// When the run began.
    pub started: Option<Timestamp>,
    /// The machine of the run. Facts that the list lacks are empty.
    pub host: Option<HostFacts>,
    /// The number of the user of the run.
    pub uid: Option<u32>,
    /// Whether the list says that a conversion made it of others; the other facts are then those of the others.
    pub is_converted: bool,
}

impl Header {
    /// Makes a header with only the format.
    pub fn new(format: FormatName) -> Header {
        Header {
            format,
            selection: None,
            variants: BTreeMap::new(),
            piece_bytes: None,
            facts: None,
            program: None,
            program_version: None,
            command_line: None,
            directory: None,
            started: None,
            host: None,
            uid: None,
            is_converted: false,
        }
    }

    /// Whether entries of both lists can be in one list: they have the same digests in the same variants, the
    /// same facts, pieces of the same length, and paths relative to the same directory.
    pub fn agrees(&self, other: &Header) -> bool {
        let promises =
            |header: &Header| (header.piece_bytes, header.facts, header.directory.clone(), header.selection.clone());
        promises(self) == promises(other) && self.has_variants_of(other)
    }

    /// Whether no family has a variant here and another one in the other list. Lists that do not state it may have any.
    fn has_variants_of(&self, other: &Header) -> bool {
        self.variants.iter().all(|(family, variant)| other.variants.get(family).is_none_or(|one| one == variant))
    }

    /// As [`Header::agrees`], with digests in whatever order, and relative paths from whatever directory.
    pub(crate) fn promises_the_same(&self, other: &Header) -> bool {
        let promises = |header: &Header| {
            let kinds: HashSet<DigestKind> = header.selection.iter().flat_map(Selection::iter).collect();
            (header.piece_bytes, header.facts, kinds)
        };
        promises(self) == promises(other) && self.has_variants_of(other)
    }
}

/// The facts that a list states after its last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trailer {
    /// The counts of the run, if the format has them.
    pub summary: Option<Summary>,
    /// Whether the list is complete.
    pub end: ListEnd,
}

/// How a list ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListEnd {
    /// The format does not mark the end, so any number of lines may be missing.
    Unstated,
    /// The run ended normally.
    Complete,
    /// The run was interrupted, and ended its list properly.
    Interrupted,
    /// The end is missing: the writer was killed, the rest was lost, or it is unreadable.
    CutOff,
}

impl ListEnd {
    /// Returns the words for the end of a list that has not all files of its run; `None` if nothing tells that.
    pub fn missing(self) -> Option<&'static str> {
        match self {
            ListEnd::Interrupted => Some("the run was interrupted, so the list has not all files"),
            ListEnd::CutOff => Some("its end is missing"),
            ListEnd::Unstated | ListEnd::Complete => None,
        }
    }
}

impl Trailer {
    /// Makes a trailer without counts.
    pub fn new(end: ListEnd) -> Trailer {
        Trailer { summary: None, end }
    }

    /// Makes a trailer with the counts of the run.
    pub(crate) fn of_summary(summary: Summary) -> Trailer {
        let end = if summary.interrupted { ListEnd::Interrupted } else { ListEnd::Complete };
        Trailer { summary: Some(summary), end }
    }
}
