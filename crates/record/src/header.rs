//! The beginning and the end of a list, which tell of the run that wrote it.

use crate::{FormatName, Selection, Summary, Timestamp};

/// The facts that a list tells before its first entry, as far as its format has a place for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The format of the list.
    pub format: FormatName,
    /// The digests that each complete file has, in this order; absent where no header names them. Digests that are not
    /// known here are left out.
    pub selection: Option<Selection>,
    /// Length of the pieces in bytes, in a piecewise run.
    pub piece_bytes: Option<u64>,
    /// Name of the program that wrote the list.
    pub program: Option<String>,
    /// Version of that program.
    pub program_version: Option<String>,
    /// Its command line with blanks between the arguments, raw bytes.
    pub command_line: Option<Vec<u8>>,
    /// The directory that relative paths start from, raw bytes.
    pub directory: Option<Vec<u8>>,
    /// When the run began.
    pub started: Option<Timestamp>,
}

impl Header {
    /// A header that tells nothing but the format.
    pub fn new(format: FormatName) -> Header {
        Header {
            format,
            selection: None,
            piece_bytes: None,
            program: None,
            program_version: None,
            command_line: None,
            directory: None,
            started: None,
        }
    }

    /// Whether entries of both lists can stand in one: they have the same digests, pieces of the same length, and paths
    /// that start from the same directory.
    pub fn agrees(&self, other: &Header) -> bool {
        let promises = |header: &Header| (header.piece_bytes, header.directory.clone(), header.selection.clone());
        promises(self) == promises(other)
    }
}

/// The facts that a list tells after its last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trailer {
    /// The counts of the run, in the formats that end with them.
    pub summary: Option<Summary>,
    /// Whether the list is all of what the run meant to write.
    pub end: ListEnd,
}

/// How a list ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// The format has no end of its own: such a list may have lost any number of lines.
    Unstated,
    /// The run came to its end.
    Complete,
    /// The run was interrupted, and ended its list.
    Interrupted,
    /// The end is missing: the writer was killed, the rest was lost, or it cannot be read.
    CutOff,
}

impl Trailer {
    /// No end was seen.
    pub(crate) fn new(end: ListEnd) -> Trailer {
        Trailer { summary: None, end }
    }

    /// The run told its counts.
    pub(crate) fn of_summary(summary: Summary) -> Trailer {
        let end = if summary.interrupted { ListEnd::Interrupted } else { ListEnd::Complete };
        Trailer { summary: Some(summary), end }
    }
}
