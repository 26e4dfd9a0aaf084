//! The kinds of events, and their numbers in a run.

use std::fmt;

/// The kind of an event: the fate of a file, or a deed with the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finding {
    /// The ledger was made, with these settings.
    Created,
    /// A directory or file whose contents the ledger keeps.
    Root,
    /// A run began.
    Began,
    /// A run ended.
    Ended,
    /// The settings were changed.
    Settings,
    /// A root is at another path from now on.
    Relocated,
    /// The file was in the first run: its digests are expected from now on.
    First,
    /// All that was expected of it agrees.
    Matched,
    /// Its contents changed, and so did its size, its modification time or its inode.
    Changed,
    /// Its contents changed while size, modification time and inode did not: what a failing medium does, and no editor.
    BitRot,
    /// It has the contents of a file whose own path is gone.
    Moved,
    /// Its path is gone, and its contents are at another one.
    MovedAway,
    /// It is new, and has the contents of a file that is still there.
    Copied,
    /// It is new: its digests are expected from now on.
    New,
    /// Nothing is at its path, and its contents were not found elsewhere.
    Missing,
    /// It is there, and could not be read to its end.
    Unreadable,
    /// It changed while it was read, so it has no digest.
    Changing,
    /// After it was missing, changed or unreadable, it is as expected again.
    Back,
    /// A change was intended: what was seen is expected from now on.
    Accepted,
    /// It is no longer expected.
    Forgotten,
    /// It agrees by its old digests, and new ones were computed in the same reading.
    Migrated,
}

impl Finding {
    /// All kinds with the numbers by which the ledger names them, and their words.
    const TABLE: [(Finding, i64, &'static str); 21] = [
        (Finding::Created, 1, "created"),
        (Finding::Root, 2, "root"),
        (Finding::Began, 3, "began"),
        (Finding::Ended, 4, "ended"),
        (Finding::Settings, 5, "settings"),
        (Finding::Relocated, 6, "relocated"),
        (Finding::First, 10, "first"),
        (Finding::Matched, 11, "matched"),
        (Finding::Changed, 12, "changed"),
        (Finding::BitRot, 13, "bit-rot"),
        (Finding::Moved, 14, "moved"),
        (Finding::MovedAway, 15, "moved-away"),
        (Finding::Copied, 16, "copied"),
        (Finding::New, 17, "new"),
        (Finding::Missing, 18, "missing"),
        (Finding::Unreadable, 19, "unreadable"),
        (Finding::Back, 20, "back"),
        (Finding::Changing, 21, "changing"),
        (Finding::Accepted, 30, "accepted"),
        (Finding::Forgotten, 31, "forgotten"),
        (Finding::Migrated, 32, "migrated"),
    ];

    /// The findings of a run about files, in the order in which reports list them: what is wrong first.
    pub const OF_FILES: [Finding; 13] = [
        Finding::BitRot,
        Finding::Changed,
        Finding::Missing,
        Finding::Unreadable,
        Finding::Changing,
        Finding::Moved,
        Finding::Copied,
        Finding::New,
        Finding::Back,
        Finding::Migrated,
        Finding::First,
        Finding::Matched,
        Finding::MovedAway,
    ];

    /// The findings that are an alarm unless a policy chooses others.
    pub const ALARMS: [Finding; 5] =
        [Finding::BitRot, Finding::Changed, Finding::Missing, Finding::Unreadable, Finding::Changing];

    /// Returns the number by which the ledger names the kind.
    pub fn code(self) -> i64 {
        Finding::TABLE.iter().find(|(finding, ..)| *finding == self).map_or(0, |(_, code, _)| *code)
    }

    /// Returns the word for the kind, such as `bit-rot`.
    pub fn word(self) -> &'static str {
        Finding::TABLE.iter().find(|(finding, ..)| *finding == self).map_or("", |(.., word)| word)
    }

    /// Returns the kind with this number.
    pub fn from_code(code: i64) -> Option<Finding> {
        Finding::TABLE.iter().find(|(_, number, _)| *number == code).map(|(finding, ..)| *finding)
    }

    /// Returns the kind of a word.
    pub fn from_word(word: &str) -> Option<Finding> {
        Finding::TABLE.iter().find(|(.., text)| *text == word).map(|(finding, ..)| *finding)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The numbers of files by finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; Finding::TABLE.len()]);

impl Counts {
    /// Counts files.
    pub fn add(&mut self, finding: Finding, files: u64) {
        self.0[finding as usize] += files;
    }

    /// Returns the number of files with a finding.
    pub fn of(&self, finding: Finding) -> u64 {
        self.0[finding as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_number_and_one_word() {
        for (place, &(finding, code, word)) in Finding::TABLE.iter().enumerate() {
            assert_eq!((Finding::from_code(code), Finding::from_word(word)), (Some(finding), Some(finding)));
            assert_eq!((finding.code(), finding.word()), (code, word));
            let mut counts = Counts::default();
            counts.add(finding, 3);
            let all = Finding::TABLE.map(|(other, ..)| counts.of(other));
            assert_eq!((all.iter().sum::<u64>(), all[place]), (3, 3));
        }
        assert_eq!((Finding::from_code(0), Finding::from_word("lost")), (None, None));
        assert!(Finding::ALARMS.iter().all(|alarm| Finding::OF_FILES.contains(alarm)));
    }
}
