//! The report on a list that has none of the wanted digests.

use std::fmt;

use pfh_record::Entry;
use pfh_record::quote::quoted;
use pfh_similarity::NoDigestReason;

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

/// Numbers of files that lists have without a digest of a family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WithoutDigest {
    /// Files that are too short, as the list states it.
    pub too_short: u64,
    /// Files that are too uniform, as the list states it.
    pub too_uniform: u64,
    /// Files that were too long for a digest, or for the memory of the run, as the list states it. They could be
    /// similar to something.
    pub too_long: u64,
    /// The others, which could be similar to something: the list has other digests of them, or they could not be read.
    pub others: u64,
}

impl WithoutDigest {
    /// Counts a file that has no digest for this reason.
    pub fn add(&mut self, reason: NoDigestReason) {
        *match reason {
            NoDigestReason::TooShort => &mut self.too_short,
            NoDigestReason::TooUniform => &mut self.too_uniform,
            _ => &mut self.too_long,
        } += 1;
    }

    /// Returns the numbers since they were these.
    #[must_use]
    pub fn since(self, before: WithoutDigest) -> WithoutDigest {
        WithoutDigest {
            too_short: self.too_short - before.too_short,
            too_uniform: self.too_uniform - before.too_uniform,
            too_long: self.too_long - before.too_long,
            others: self.others - before.others,
        }
    }
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
    /// The files without a digest of the wanted family, if one is wanted.
    pub without: WithoutDigest,
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
        let without = WithoutDigest::default();
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
        let WithoutDigest { too_short, too_uniform, too_long, .. } = self.without;
        let reasons = [(too_short, "too short"), (too_uniform, "too uniform"), (too_long, "too long")];
        let stated: Vec<_> = reasons.into_iter().filter(|(files, _)| *files > 0).collect();
        if !(self.has.is_empty() && stated.is_empty()) {
            write!(f, " of {}", self.wanted)?;
        }
        for (place, (files, reason)) in stated.into_iter().enumerate() {
            let (between, plural) = (if place == 0 { ": " } else { ", " }, if files == 1 { " is" } else { "s are" });
            write!(f, "{between}{files} file{plural} {reason}")?;
        }
        match &self.has[..] {
            [] => Ok(()),
            names => write!(f, "; it has {}", names.join(", ")),
        }
    }
}
