//! Measurements of a path's storage and of a machine's processor, as they are saved.

use super::Choice;
use serde::{Deserialize, Serialize};

/// Everything that advice is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The path, as the user named it.
    pub path: String,
    /// When, as `2026-11-20T22:33:45Z`.
    pub made: String,
    /// Name of the device as the system has it.
    pub device: String,
    /// The medium that the system states: `rotating`, `solid-state`, `network` or `memory`.
    pub medium: String,
    /// The machine.
    pub machine: Machine,
    /// The files below the path.
    pub survey: Survey,
    /// Options that were measured; the first are the defaults.
    pub choices: Vec<Choice>,
    /// The choice to use, by its place in `choices`.
    pub best: usize,
    /// Hashing of cached data, which the processor limits.
    pub processor: Vec<ProcessorRun>,
    /// Samples of the files, read from the storage, in the order of measuring.
    pub batches: Vec<Batch>,
}

/// The facts that must agree for measurements to hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the host.
    pub host: String,
    /// Name of the processor.
    pub cpu: String,
    /// Threads that it runs at once.
    pub cores: u16,
}

/// The files below a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// Files that were found.
    pub files: u64,
    /// Files among them whose size was asked for.
    pub sized_files: u64,
    /// Sum of these sizes.
    pub sized_bytes: u64,
    /// The greatest of these sizes; 0 where earlier versions did not save it.
    #[serde(default)]
    pub longest_bytes: u64,
    /// Whether the walk came to its end. Otherwise there are more files than were found.
    pub is_complete: bool,
    /// Time of listing the directories, without asking for sizes, in seconds.
    pub list_seconds: f64,
    /// Directories and files that could not be listed.
    pub failed: u64,
}

impl Survey {
    /// Size of all files that were found, in bytes: those without a size count as the others on average.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        if self.sized_files == self.files {
            return self.sized_bytes;
        }
        (self.sized_bytes as f64 * self.files as f64 / self.sized_files.max(1) as f64) as u64
    }

    /// Files and bytes of a volume of which the user may have named either. If only one of them was named, the other
    /// follows from the mean size; if none was, they are those of the files that were found.
    #[must_use]
    pub fn volume(&self, files: Option<u64>, bytes: Option<u64>) -> (u64, u64) {
        let found = (self.files, self.bytes());
        let scaled = |of: u64, by: u64, to: u64| (of as f64 * to as f64 / by.max(1) as f64) as u64;
        match (files, bytes) {
            (None, None) => found,
            (Some(to), None) => (to, scaled(found.1, found.0, to)),
            (None, Some(to)) if found.1 > 0 => (scaled(found.0, found.1, to).max(1), to),
            (None, Some(to)) => (found.0, to),
            (Some(files), Some(bytes)) => (files, bytes),
        }
    }

    /// Size of the longest file of a volume, whose files are taken to differ as those that were found do. If their
    /// sizes are not known, all are taken to be of one size.
    #[must_use]
    pub fn longest(&self, files: u64, bytes: u64) -> u64 {
        let mean = |files: u64, bytes: u64| bytes as f64 / files.max(1) as f64;
        let (here, there) = (mean(self.files, self.bytes()), mean(files, bytes));
        let times = if here > 0.0 { (self.longest_bytes as f64 / here).max(1.0) } else { 1.0 };
        ((times * there) as u64).min(bytes)
    }
}

/// A run over cached data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessorRun {
    /// Name of the algorithm; `none` for reading alone.
    pub algorithm: String,
    /// Files hashed.
    pub files: u64,
    /// Bytes hashed.
    pub bytes: u64,
    /// Time that all cores took together, as if each had done an equal part, and nothing else; of one stream, the time
    /// of its core.
    pub seconds: f64,
    /// Whether it was one file, which one core hashes, and not as many as all cores hash side by side.
    #[serde(default)]
    pub is_one_stream: bool,
}

/// How a batch was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Runs of neighbouring files, by a program that does not know yet how many it can read at once: beyond what they
    /// cost otherwise, the time that a run takes to find that out.
    Start,
    /// Runs of neighbouring files, of long ones the beginnings: what a file costs.
    Runs,
    /// Runs of neighbouring files, of each only the first few KiB: what a file costs beside its bytes.
    Heads,
    /// Files drawn in proportion to their sizes, or long beginnings of them: what a byte costs.
    Long,
    /// Runs of files not read before, hashed, against which the prediction is checked.
    Check,
    /// All files, hashed.
    Whole,
}

/// A sample that was read from the storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// How it was chosen.
    pub kind: Kind,
    /// The options, by their place in [`Measured::choices`].
    pub choice: usize,
    /// The algorithm; `none` if it was only read.
    pub algorithm: String,
    /// Files read to their end, or as far as they belong to the sample.
    pub files: u64,
    /// Bytes read.
    pub bytes: u64,
    /// The most bytes of one file.
    #[serde(default)]
    pub longest_bytes: u64,
    /// Elapsed time.
    pub seconds: f64,
    /// Files that could not be read.
    #[serde(default)]
    pub failed: u64,
    /// Whether the time was up before all of it was read.
    #[serde(default)]
    pub is_cut: bool,
    /// Whether a read did not come back in time.
    #[serde(default)]
    pub is_stalled: bool,
    /// Whether its files had been read before.
    #[serde(default)]
    pub is_repeated: bool,
    /// How many of its files had been read before.
    #[serde(default)]
    pub repeated_files: u64,
    /// The round in which these options and the defaults were read in turn; 0 outside of rounds.
    #[serde(default)]
    pub round: u32,
}

impl Batch {
    /// Whether its time says what undisturbed storage takes.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.failed == 0 && !self.is_stalled && self.files + self.bytes > 0 && self.seconds > 0.0
    }

    /// Whether it was hashed, to check what the others predict.
    #[must_use]
    pub fn is_check(&self) -> bool {
        matches!(self.kind, Kind::Check | Kind::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_size_count_as_the_others() {
        let survey = Survey { files: 100, sized_files: 50, sized_bytes: 5000, ..Survey::default() };
        assert_eq!(survey.bytes(), 10_000);
        assert_eq!(Survey { sized_files: 100, ..survey }.bytes(), 5000);
        assert_eq!(Survey::default().bytes(), 0);
        assert_eq!(Survey { sized_bytes: 0, sized_files: 0, ..survey }.bytes(), 0);
    }

    #[test]
    fn a_volume_follows_from_what_is_named_of_it() {
        let survey = Survey { files: 100, sized_files: 100, sized_bytes: 5000, ..Survey::default() };
        assert_eq!(survey.volume(None, None), (100, 5000));
        assert_eq!(survey.volume(Some(10), None), (10, 500));
        assert_eq!(survey.volume(None, Some(50_000)), (1000, 50_000));
        assert_eq!(survey.volume(Some(3), Some(7)), (3, 7));
        // A volume has at least one file, and empty ones say nothing of how many.
        assert_eq!(survey.volume(None, Some(1)), (1, 1));
        assert_eq!(Survey { sized_bytes: 0, ..survey }.volume(None, Some(50_000)), (100, 50_000));
    }

    #[test]
    fn the_longest_file_of_a_volume_follows_from_its_mean_size() {
        let survey =
            Survey { files: 100, sized_files: 100, sized_bytes: 5000, longest_bytes: 1000, ..Survey::default() };
        assert_eq!(survey.longest(100, 5000), 1000);
        assert_eq!(survey.longest(1_000_000, 50_000_000), 1000);
        assert_eq!(survey.longest(100, 10_000), 2000);
        // No file is longer than all together, and one is as long as all.
        assert_eq!(survey.longest(2, 100), 100);
        assert_eq!(survey.longest(1, 700), 700);
        // Earlier versions did not save it.
        assert_eq!(Survey { longest_bytes: 0, ..survey }.longest(10, 5000), 500);
        assert_eq!(Survey::default().longest(10, 5000), 500);
    }
}
