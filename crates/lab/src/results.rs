//! The results of an experiment: a folder with `results.jsonl`, one [`Entry`] per line, each written at once.
//!
//! Fields are added, never changed; a reader skips entries and fields that it does not know.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One line of `results.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Entry {
    /// The first line: what is run, where, and when. A run that continues it with another number of rounds adds one
    /// with that number.
    Header(Header),
    /// A runner that was started, or why it was not.
    Runner(Runner),
    /// A device on which whole programs ran.
    Device(Device),
    /// The files that whole programs got.
    Corpus(Corpus),
    /// The output of a whole program whose definition keeps it.
    Output(Output),
    /// An answer on which different implementations or programs agree, or the list of a program that nobody confirms.
    Truth(Truth),
    /// One timed repeat whose answer was right.
    Sample(Sample),
    /// Costs of a task other than its time.
    Cost(Cost),
    /// A task that gave no samples, and why.
    Failure(Failure),
    /// The user stopped the run; a later one may continue it.
    Stop {
        /// Seconds of this run.
        seconds: f64,
    },
    /// The last line: the experiment went to its end. A run that continues it and finds something to do adds another.
    End {
        /// Seconds of this run, without those before it.
        seconds: f64,
    },
}

/// Types that [`Entry`] knows: what fails with one of these is damaged, not new.
const KNOWN_TYPES: [&str; 11] =
    ["header", "runner", "device", "corpus", "output", "truth", "sample", "cost", "failure", "stop", "end"];

/// The field that tells what an entry is, of entries that this version does not know.
#[derive(Deserialize)]
struct Tag {
    r#type: String,
}

/// The contents of a line of `results.jsonl`.
#[derive(Debug)]
pub(crate) enum Saved {
    /// Nothing.
    Blank,
    Entry(Box<Entry>),
    /// An entry of a type that this version does not know.
    Unknown,
}

impl Saved {
    /// Reads a line, with or without its end.
    ///
    /// # Errors
    /// When it is damaged.
    pub(crate) fn parse(line: &[u8]) -> serde_json::Result<Saved> {
        if line.trim_ascii().is_empty() {
            return Ok(Saved::Blank);
        }
        let error = match serde_json::from_slice(line) {
            Ok(entry) => return Ok(Saved::Entry(Box::new(entry))),
            Err(error) => error,
        };
        match serde_json::from_slice::<Tag>(line) {
            Ok(tag) if !KNOWN_TYPES.contains(&tag.r#type.as_str()) => Ok(Saved::Unknown),
            _ => Err(error),
        }
    }
}

/// The experiment, the machine and the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of this format: 1.
    pub version: u32,
    /// Name of the experiment, as `pfh lab list` prints it.
    pub experiment: String,
    /// The definition's whole text (TOML), so that a result explains itself.
    pub definition: String,
    /// RFC 3339, UTC.
    pub started: String,
    /// Version of pfh.
    pub program: String,
    /// Seed of the order of the tasks and of the data.
    pub seed: u64,
    /// Whether the sizes of the paper were asked for.
    #[serde(default)]
    pub full: bool,
    /// The number of rounds that was asked for, in the place of that of the definition.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rounds: Option<u32>,
    /// Facts of the machine by name (`cpu`, `cpu_flags`, `cores`, `kernel`, `os`, `memory_bytes`, `load_1m`,
    /// `governor`, `virtualisation`, …), as text; a fact that is not known is absent.
    pub environment: BTreeMap<String, String>,
}

/// The fact of a [`Device`] that its user told.
pub const NOTE: &str = "note";

/// The fact of a [`Device`] that names the folder of kept corpora, if they do not lie beside the results.
pub const KEPT: &str = "kept";

/// A device on which whole programs ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its name, as cells have it in their dimension `device`.
    pub device: String,
    /// Whether it is a filesystem that behaves like one.
    pub simulated: bool,
    /// Facts about it by name (`filesystem`: type, device and options of the mount; of a simulated one, of the mount
    /// below it; `behaviour`: the speed and the faults of a simulated one, in words; [`NOTE`]: the user's description;
    /// [`KEPT`]: the folder in which corpora stay).
    pub facts: BTreeMap<String, String>,
}

/// The files that whole programs got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corpus {
    /// Its name, as cells have it in their dimension `corpus`.
    pub corpus: String,
    /// Number of files.
    pub files: u64,
    /// Size of all files together.
    pub bytes: u64,
    /// Size of the longest file, in bytes.
    pub longest_bytes: u64,
    /// SHA-256 of the list that `pfh hash -a sha256 .` prints in the folder of the files, and so of their names and
    /// contents; absent in older results.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<String>,
}

/// The output of a whole program whose definition keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The id of the program.
    pub runner: String,
    /// The name that its definition gives to the output.
    pub name: String,
    /// The text; a longer one is cut.
    pub text: String,
}

/// A runner that was started, or why it was not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Runner {
    /// The variant's id (`java-sun`).
    pub runner: String,
    /// The profile's id; `today` where nothing is masked.
    pub profile: String,
    /// The variant's label, with the profile's where there is one.
    pub label: String,
    /// The language, as the runner's folder names it.
    pub language: String,
    /// The description that the runner gave of itself; none if it could not be started.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hello: Option<Hello>,
    /// Why there is no `hello`, and how to install what is missing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unavailable: Option<String>,
}

/// A runner's first line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// Version of the protocol: 1.
    pub protocol: u32,
    /// The language.
    pub language: String,
    /// Its version.
    pub language_version: String,
    /// The library that hashes.
    pub library: String,
    /// Its version.
    pub library_version: String,
    /// Its provider or engine, where it has such.
    pub provider: String,
    /// The instructions that it says it uses.
    pub backend: String,
    /// Whether it stands in for another component (Windows under Wine).
    pub stand_in: bool,
    /// Whether it takes other data for each repeat, so that an answer from a cache is wrong.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub varies: bool,
    /// Step of its processor clock in nanoseconds; 0 where not known.
    pub clock_ns: u64,
    /// The algorithms that it offers.
    pub algorithms: Vec<String>,
}

/// An answer on which different implementations agree; what runners answer is compared with it. Or a list that whole
/// programs print.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// The protocol's mode.
    pub mode: String,
    /// The algorithm.
    pub algorithm: String,
    /// Size of the data in bytes.
    pub bytes: u64,
    /// Number of strings, messages or derivations; 1 otherwise.
    pub count: u64,
    /// Number of the repeat whose data these are, from 1; 0 for those of the check, and of all repeats of a runner that
    /// does not vary them.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub variant: u32,
    /// The expected answer of a sample, and of a check if `check` is absent.
    pub answer: String,
    /// The expected answer of a check, if it is another value.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub check: Option<String>,
    /// Who computed it, as `runner (implementation)`; of a list, the ids of the programs.
    pub witnesses: Vec<String>,
    /// The list that whole programs print; absent for runners, and in older results.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub list: Option<Listed>,
}

/// A list that whole programs print.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Name of the corpus.
    pub corpus: String,
    /// Whether it has pairs of files, and not digests.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub pairs: bool,
    /// SHA-256 of its entries in the order of their names: the name, a zero byte, the digest, a zero byte. Names are
    /// without the folder of the corpus. A run that continues the results compares its lists with it.
    pub sha256: String,
    /// Why nobody knows whether it is right; absent where programs agree on it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub doubt: Option<Doubt>,
}

/// Why nobody knows whether a list is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// No program of another implementation printed a whole list.
    Alone,
    /// Programs disagree, and no list is printed by two of them and by more than print any other.
    Disputed,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// A question to a runner or a program: the cell of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// The variant's id.
    pub runner: String,
    /// The profile's id.
    pub profile: String,
    /// The protocol's mode (`digest`, `strings`, …); `program` for a whole program.
    pub mode: String,
    /// The algorithm.
    pub algorithm: String,
    /// Size of the data in bytes (of all the strings or messages together with modes `strings` and `messages`).
    pub bytes: u64,
    /// Number of strings, messages, derivations or files; 1 otherwise.
    pub count: u64,
    /// Size of one update in bytes; 0 for a single call.
    pub chunk_bytes: u64,
    /// Further dimensions by name, of whole programs: `corpus`, `device`, `cache`, and those of the definition
    /// (`threads`, `memory` …).
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub dimensions: BTreeMap<String, String>,
}

/// One timed repeat whose answer was right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The measured question.
    #[serde(flatten)]
    pub cell: Cell,
    /// When, as the number of the task in the randomised order.
    pub order: u64,
    /// Time by a monotonic clock, in nanoseconds.
    pub wall_ns: u64,
    /// Time of the processor, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cpu_ns: Option<u64>,
}

/// Costs of a task other than its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The measured question.
    #[serde(flatten)]
    pub cell: Cell,
    /// When, as the number of the task in the randomised order.
    pub order: u64,
    /// Garbage collections during the task.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gc_count: Option<u64>,
    /// Their time in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gc_ns: Option<u64>,
    /// Largest resident size of the runner so far, in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub peak_bytes: Option<u64>,
    /// Bytes that came from a block device, where a whole program was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub device_bytes: Option<u64>,
    /// The system's part of the processor time in nanoseconds, where a whole program was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub system_ns: Option<u64>,
}

/// A task that gave no samples, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The question.
    #[serde(flatten)]
    pub cell: Cell,
    /// When, as the number of the task in the randomised order.
    pub order: u64,
    /// The kind of failure.
    pub kind: FailureKind,
    /// The message of the runner, or its fault, with the end of its standard error.
    pub message: String,
}

/// Why a task gave no samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The runner does not have this algorithm or mode.
    NotOffered,
    /// The runner tried and said that it failed.
    Error,
    /// The answer was not the independent value.
    WrongAnswer,
    /// It did not end within the time limit.
    Timeout,
    /// It ended in the middle of the task.
    Crash,
    /// It broke the protocol.
    Garbage,
    /// It took more memory than the limit.
    Memory,
    /// The times that it told cannot be true.
    Implausible,
    /// No two different implementations agree on the answer, so no speed is believed.
    Unverified,
}
