//! The notes of the events about a ledger and its runs.

use serde::{Deserialize, Serialize};

use crate::Finding;

/// The files that a ledger keeps, and the way in which it does: the note of its first event, and of each event that
/// changes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The algorithms, in order.
    pub algorithms: Vec<String>,
    /// Patterns at least one of which must match.
    pub include: Vec<String>,
    /// Patterns none of which may match.
    pub exclude: Vec<String>,
    /// Smallest size of a file, in bytes.
    pub size_min: Option<u64>,
    /// Largest size of a file, in bytes.
    pub size_max: Option<u64>,
    /// Whether files that symbolic links lead to are kept.
    pub follow_files: bool,
    /// Whether directories that symbolic links lead to are walked.
    pub follow_directories: bool,
    /// Whether the walk stays on the filesystem of each root.
    pub one_file_system: bool,
    /// The words of the findings that are an alarm.
    pub alarms: Vec<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            algorithms: vec!["sha256".to_owned()],
            include: Vec::new(),
            exclude: Vec::new(),
            size_min: None,
            size_max: None,
            follow_files: false,
            follow_directories: false,
            one_file_system: false,
            alarms: Finding::ALARMS.iter().map(|finding| finding.word().to_owned()).collect(),
        }
    }
}

impl Settings {
    /// Whether a finding is an alarm.
    pub fn is_alarm(&self, finding: Finding) -> bool {
        self.alarms.iter().any(|word| word == finding.word())
    }
}

/// How a run is done: a part of the note of the event with which it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// The program and its version.
    pub program: String,
    /// The name of the machine.
    pub host: String,
    /// The user.
    pub user: String,
    /// The kind of run: `init`, `incremental`, `rolling`, `full` or `migrate`.
    pub mode: String,
    /// The algorithms of the run.
    pub algorithms: Vec<String>,
    /// How contents are read through the page cache, or around it.
    pub io: String,
    /// Further options, as on the command line.
    pub options: Vec<String>,
}
