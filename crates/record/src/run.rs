//! Facts about a run as a whole, written before its first record and after its last.

use std::time::Duration;

use crate::{Outcome, Record, Selection, Timestamp};

/// Facts about a run that are known before its first record.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// Its digests, in the order that every record has.
    pub selection: Selection,
    /// Name of the program.
    pub program: String,
    /// Its version.
    pub program_version: String,
    /// The arguments, the program's name first, raw bytes.
    pub command_line: Vec<Vec<u8>>,
    /// The directory that relative paths start from, raw bytes.
    pub directory: Vec<u8>,
    /// When the run began.
    pub started: Timestamp,
    /// Where it runs.
    pub host: HostFacts,
    /// The user it runs as, where the system has such numbers.
    pub uid: Option<u32>,
    /// Length of the pieces in bytes, when piecewise digests were asked for.
    pub piece_bytes: Option<u64>,
}

/// The machine, in the words of `uname`.
#[derive(Clone, Debug, Default)]
pub struct HostFacts {
    /// Operating system (`Linux`).
    pub system: String,
    /// Its release.
    pub release: String,
    /// Its version.
    pub version: String,
    /// Name of the machine.
    pub host: String,
    /// Processor architecture (`x86_64`).
    pub architecture: String,
}

/// Facts about a run that are known after its last record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files of which every byte was hashed.
    pub complete: u64,
    /// Files that changed while they were read.
    pub changed: u64,
    /// Files that ended early.
    pub short: u64,
    /// Files stopped by an error, and directories that could not be listed.
    pub unreadable: u64,
    /// Files left out on purpose.
    pub skipped: u64,
    /// Files that a stopped run did not come to, where it lists them.
    pub not_reached: u64,
    /// Bytes that were read; those of a file with several hard links once, if it was read once.
    pub bytes: u64,
    /// Wall-clock time of the run.
    pub elapsed: Duration,
    /// True when the run was stopped before it had seen every file.
    pub interrupted: bool,
}

impl Summary {
    /// Counts one record, and its bytes as read.
    pub fn count(&mut self, record: &Record) {
        *Summary::counter(&record.outcome)(self) += 1;
        self.bytes += record.bytes_read;
    }

    /// The count that an outcome belongs to; for whoever has to count it later, when the record is gone.
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

    /// Adds the counts and bytes of another part of the run.
    pub fn add(&mut self, part: &Summary) {
        self.complete += part.complete;
        self.changed += part.changed;
        self.short += part.short;
        self.unreadable += part.unreadable;
        self.skipped += part.skipped;
        self.not_reached += part.not_reached;
        self.bytes += part.bytes;
    }

    /// All numbers but the time, by the names that the formats give them.
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

    /// All records: the sum of the six outcomes.
    pub fn files(&self) -> u64 {
        self.complete + self.changed + self.short + self.unreadable + self.skipped + self.not_reached
    }
}
