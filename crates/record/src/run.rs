//! Facts about a run as a whole, written before its first record and after its last.

use std::collections::BTreeMap;
use std::time::Duration;

use pfh_facts::Counting;
use pfh_similarity::Family;

use crate::time::push_rfc3339;
use crate::{Outcome, Record, Selection, Timestamp};

/// Facts about a run that are known before its first record.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// The digests of the run, in the order that every record has.
    pub selection: Selection,
    /// The variants of the similarity digests whose texts do not tell them, by family, in the words of
    /// [`SimilarityOptions::variant`](pfh_similarity::SimilarityOptions::variant).
    pub variants: BTreeMap<Family, String>,
    /// Name of the program.
    pub program: String,
    /// Version of the program.
    pub program_version: String,
    /// The arguments in raw bytes, the program's name first.
    pub command_line: Vec<Vec<u8>>,
    /// The directory that relative paths start from, in raw bytes.
    pub directory: Vec<u8>,
    /// When the run began.
    pub started: Timestamp,
    /// The machine.
    pub host: HostFacts,
    /// The user's number, if the system has such numbers.
    pub uid: Option<u32>,
    /// Length of the pieces in bytes, if piecewise digests were requested.
    pub piece_bytes: Option<u64>,
    /// The bytes that the entropy of each file is taken from, if facts about contents were requested.
    pub facts: Option<Counting>,
    /// The conversion that made the list, if it was made of other lists. The other facts are those that these lists
    /// state, and what none states is empty and is not written.
    pub conversion: Option<Conversion>,
}

impl RunFacts {
    /// Whether a fact is to be written: the facts of a run all are, and those of a conversion if they are stated.
    pub(crate) fn states<T: Default + PartialEq>(&self, fact: &T) -> bool {
        self.conversion.is_none() || *fact != T::default()
    }
}

/// The conversion of lists into another format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// Name of the program that converted.
    pub program: String,
    /// Version of that program.
    pub program_version: String,
    /// Its arguments in raw bytes, the program's name first.
    pub command_line: Vec<Vec<u8>>,
    /// When it began.
    pub started: Timestamp,
}

impl Conversion {
    /// Returns the conversion in a sentence, for comments: one line, without bytes that are no text.
    pub(crate) fn sentence(&self) -> Vec<u8> {
        let mut sentence = format!("Converted by {} {} on ", self.program, self.program_version).into_bytes();
        push_rfc3339(self.started, &mut sentence);
        let command_line = self.command_line.join(&b' ');
        let text = String::from_utf8_lossy(&command_line).replace(|c: char| c.is_control(), "\u{FFFD}");
        sentence.extend_from_slice(b": ");
        sentence.extend_from_slice(text.as_bytes());
        sentence
    }
}

/// The machine, in the words of `uname`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// Operating system (`Linux`).
    pub system: String,
    /// Release of the operating system.
    pub release: String,
    /// Version of the operating system.
    pub version: String,
    /// Name of the machine.
    pub host: String,
    /// Processor architecture (`x86_64`).
    pub architecture: String,
}

/// Facts about a run that are known after its last record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files that were hashed completely.
    pub complete: u64,
    /// Files that changed while they were read.
    pub changed: u64,
    /// Files that ended early.
    pub short: u64,
    /// Files stopped by an error, and directories that could not be listed.
    pub unreadable: u64,
    /// Files left out on purpose.
    pub skipped: u64,
    /// Files that a stopped run did not reach, if it lists them.
    pub not_reached: u64,
    /// Bytes that were read. A file with several hard links counts once, if it was read once.
    pub bytes: u64,
    /// Wall-clock time of the run.
    pub elapsed: Duration,
    /// Whether the run was stopped before it had seen every file.
    pub interrupted: bool,
}

impl Summary {
    /// Counts one record, and its bytes as read.
    pub fn count(&mut self, record: &Record) {
        *Summary::counter(&record.outcome)(self) += 1;
        self.bytes = self.bytes.saturating_add(record.bytes_read);
    }

    /// Returns the counter of an outcome, for counting when the record is gone.
    pub fn counter(outcome: &Outcome) -> fn(&mut Summary) -> &mut u64 {
        match outcome {
            Outcome::Complete => |summary| &mut summary.complete,
            Outcome::ChangedWhileReading => |summary| &mut summary.changed,
            Outcome::Short { .. } => |summary| &mut summary.short,
            Outcome::Unreadable { .. } => |summary| &mut summary.unreadable,
            Outcome::Skipped(_) => |summary| &mut summary.skipped,
            Outcome::NotReached => |summary| &mut summary.not_reached,
        }
    }

    /// Adds the counts, bytes and time of another part of the run, or of another list. Lists may state any number, so a
    /// sum that is too large is the largest.
    pub fn add(&mut self, part: &Summary) {
        self.complete = self.complete.saturating_add(part.complete);
        self.changed = self.changed.saturating_add(part.changed);
        self.short = self.short.saturating_add(part.short);
        self.unreadable = self.unreadable.saturating_add(part.unreadable);
        self.skipped = self.skipped.saturating_add(part.skipped);
        self.not_reached = self.not_reached.saturating_add(part.not_reached);
        self.bytes = self.bytes.saturating_add(part.bytes);
        self.elapsed = self.elapsed.saturating_add(part.elapsed);
    }

    /// Iterates over all numbers except the time, with their names in the formats.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let not_reached = (self.not_reached > 0).then_some(("not_reached", self.not_reached));
        let counts = [
            ("files", self.files()),
            ("complete", self.complete),
            ("changed_while_reading", self.changed),
            ("short", self.short),
            ("unreadable", self.unreadable),
            ("skipped", self.skipped),
            ("bytes", self.bytes),
        ];
        counts.into_iter().chain(not_reached)
    }

    /// Returns the number of records, the sum of the six outcomes.
    pub fn files(&self) -> u64 {
        let counts = [self.changed, self.short, self.unreadable, self.skipped, self.not_reached];
        counts.into_iter().fold(self.complete, u64::saturating_add)
    }
}
