//! The report on a list that has none of the wanted digests.

use std::fmt;

use pfh_record::Entry;
use pfh_record::quote::quoted;

use crate::list::List;

/// The digests of pieces, by name.
const PIECES: &str = "pieces of files";

/// Most names in a report.
const NAMES_MAX: usize = 8;

/// The kinds of the first digests of a list, by name, which are kept until it is known whether the list has a wanted
/// digest; and the number of entries that may be of pieces.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    names: Vec<&'static str>,
    tells_pieces_by_name: bool,
    may_be_pieces: u64,
}

/// The error of a list without wanted digests. `Display` says what it has instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NothingUseful {
    /// The name of the list.
    pub list: Vec<u8>,
    /// The wanted digests.
    pub wanted: String,
    /// The digests that the list has.
    pub has: Vec<&'static str>,
}

impl Contents {
    /// Begins with nothing of a list.
    pub fn of(list: &mut List) -> Contents {
        Contents { tells_pieces_by_name: list.header().format.tells_pieces_by_name(), ..Contents::default() }
    }

    /// Notes an entry, and its digests.
    pub fn add(&mut self, entry: &Entry) {
        self.may_be_pieces += u64::from(self.tells_pieces_by_name && entry.piece.is_some());
        let algorithms = entry.digests.iter().map(|digest| digest.algorithm().name());
        let families = entry.similarity_digests().map(|digest| digest.family().name());
        let piece = entry.piece.map(|_| PIECES);
        let whole = algorithms.chain(families).filter(|_| entry.piece.is_none());
        for name in whole.chain(piece) {
            if self.names.len() < NAMES_MAX && !self.names.contains(&name) {
                self.names.push(name);
            }
        }
    }

    /// Returns the number of entries that were read as those of pieces because of the end of their names, and may be of
    /// files with such names.
    pub fn may_be_pieces(&self) -> u64 {
        self.may_be_pieces
    }

    /// Returns the report on a list without a `wanted` digest.
    pub fn instead_of(self, list: &[u8], wanted: &str) -> NothingUseful {
        NothingUseful { list: list.to_vec(), wanted: wanted.to_owned(), has: self.names }
    }
}

impl NothingUseful {
    /// Whether the list has digests of pieces of files.
    pub fn has_pieces(&self) -> bool {
        self.has.contains(&PIECES)
    }
}

impl fmt::Display for NothingUseful {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = quoted(&self.list);
        match &self.has[..] {
            [] => write!(f, "{list} has no digests"),
            names => write!(f, "{list} has no digests of {}; it has {}", self.wanted, names.join(", ")),
        }
    }
}
