//! The report on a list that has none of the wanted digests.

use std::fmt;

use pfh_record::Entry;
use pfh_record::quote::quoted;
use pfh_similarity::{Family, NoDigestReason};

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
    /// The numbers of files without a digest of a family, by the reason that the list states.
    without: Vec<(Family, NoDigestReason, u64)>,
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
    /// The reasons that the list states why files have no digest of the wanted family, with the numbers of these files.
    pub without: Vec<(NoDigestReason, u64)>,
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
        for no_digest in entry.similarities.iter().filter_map(|one| one.digest.as_ref().err()) {
            let (family, reason) = (no_digest.family, no_digest.reason);
            match self.without.iter_mut().find(|(one, why, _)| (*one, *why) == (family, reason)) {
                Some((.., files)) => *files += 1,
                None => self.without.push((family, reason, 1)),
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
        let own = self.without.into_iter().filter(|(family, ..)| family.name() == wanted);
        let without = own.map(|(_, reason, files)| (reason, files)).collect();
        NothingUseful { list: list.to_vec(), wanted: wanted.to_owned(), has: self.names, without }
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
        write!(f, "{list} has no digests")?;
        if !(self.has.is_empty() && self.without.is_empty()) {
            write!(f, " of {}", self.wanted)?;
        }
        for (place, (reason, files)) in self.without.iter().enumerate() {
            let (between, plural) = (if place == 0 { ": " } else { ", " }, if *files == 1 { " is" } else { "s are" });
            let reason = reason.word().replace('-', " ");
            write!(f, "{between}{files} file{plural} {reason}")?;
        }
        match &self.has[..] {
            [] => Ok(()),
            names => write!(f, "; it has {}", names.join(", ")),
        }
    }
}
