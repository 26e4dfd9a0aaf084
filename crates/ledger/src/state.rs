//! The state of a file, which follows from its events.

use crate::{Event, Finding};

/// The knowledge about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As expected, when it was last read.
    Sound,
    /// Its contents changed, and nobody accepted that.
    Changed,
    /// Its contents changed, and its metadata did not.
    BitRot,
    /// It is gone.
    Missing,
    /// It could not be read.
    Unreadable,
    /// It changed while it was read.
    Changing,
    /// It is no longer expected: it was moved away, forgotten, or its loss was accepted.
    Retired,
}

impl Status {
    /// All states, in the order of their numbers in the ledger.
    pub const ALL: [Status; 7] = [
        Status::Sound,
        Status::Changed,
        Status::BitRot,
        Status::Missing,
        Status::Unreadable,
        Status::Changing,
        Status::Retired,
    ];

    /// Returns the finding that stays open in this state.
    pub fn finding(self) -> Option<Finding> {
        match self {
            Status::Sound | Status::Retired => None,
            Status::Changed => Some(Finding::Changed),
            Status::BitRot => Some(Finding::BitRot),
            Status::Missing => Some(Finding::Missing),
            Status::Unreadable => Some(Finding::Unreadable),
            Status::Changing => Some(Finding::Changing),
        }
    }

    /// Returns the word for the state.
    pub fn word(self) -> &'static str {
        match self.finding() {
            Some(finding) => finding.word(),
            None if self == Status::Sound => "sound",
            None => "retired",
        }
    }

    pub(crate) fn from_code(code: i64) -> Option<Status> {
        Status::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

/// The state of a file: a row of the table `file`. The numbers are those of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The number of the file.
    pub id: i64,
    /// The status of the file.
    pub status: Status,
    /// The event with the digests that are expected.
    pub expected: Option<i64>,
    /// The event with what the filesystem told about it last.
    pub seen: Option<i64>,
    /// The event after which it was last read to its end.
    pub checked: Option<i64>,
}

impl FileState {
    /// Makes the state of a file before its first event.
    pub(crate) fn new(id: i64) -> FileState {
        FileState { id, status: Status::Retired, expected: None, seen: None, checked: None }
    }

    /// Takes the next event of the file. This alone decides what follows from an event, when it is written and when a
    /// ledger is verified.
    pub(crate) fn apply(&mut self, event: &Event) {
        let id = Some(event.id);
        if event.seen.is_some() {
            self.seen = id;
        }
        match event.finding {
            Finding::First | Finding::New | Finding::Moved | Finding::Copied => {
                (self.status, self.expected, self.checked) = (Status::Sound, id, id);
            }
            Finding::Migrated => (self.status, self.expected, self.checked) = (Status::Sound, id, id),
            Finding::Matched | Finding::Back => (self.status, self.checked) = (Status::Sound, id),
            Finding::Changed => (self.status, self.checked) = (Status::Changed, id),
            Finding::BitRot => (self.status, self.checked) = (Status::BitRot, id),
            Finding::Missing => self.status = Status::Missing,
            Finding::Unreadable => self.status = Status::Unreadable,
            Finding::Changing => self.status = Status::Changing,
            Finding::MovedAway | Finding::Forgotten => (self.status, self.expected) = (Status::Retired, None),
            Finding::Accepted => match self.status {
                Status::Missing => (self.status, self.expected) = (Status::Retired, None),
                _ => (self.status, self.expected) = (Status::Sound, self.checked),
            },
            Finding::Created
            | Finding::Root
            | Finding::Began
            | Finding::Ended
            | Finding::Settings
            | Finding::Relocated => {}
        }
    }
}
