//! Whole programs in the definition of an experiment: the corpora that they get, their commands, and the conditions.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::size::Size;

/// The mode of a program's cells, beside the modes of the protocol.
pub const MODE: &str = "program";
/// The device on which the results are saved.
pub const HERE: &str = "here";
/// The dimension of the files that are read.
pub const CORPUS: &str = "corpus";
/// The dimension of the storage on which they lie.
pub const DEVICE: &str = "device";
/// The dimension of what the page cache holds before a run.
pub const CACHE: &str = "cache";

/// Most cells of one experiment.
const CELLS_MAX: usize = 10_000;

/// A set of files with known properties.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusDefinition {
    /// Its name, which trials and tables use.
    pub name: String,
    /// The contents.
    pub kind: CorpusKind,
    /// Number of files; of [`CorpusKind::System`], the most. [`CorpusKind::Command`] knows its own.
    #[serde(default)]
    pub files: u64,
    /// Size of all files together, or the most.
    #[serde(default)]
    pub bytes: Size,
    /// The shell command of [`CorpusKind::Command`]: it makes the files in the folder `$corpus`, in which it starts.
    #[serde(default)]
    pub command: String,
    /// Values that replace the above with `--full`.
    #[serde(default)]
    full: FullCorpus,
}

/// The contents of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CorpusKind {
    /// Documents of the types of the corpus *t5*, in its proportions, whose sizes scatter; made of pieces of installed
    /// files of a like nature.
    Documents,
    /// Seeded noise, in files of one size.
    Noise,
    /// Copies of installed files, each with the same probability.
    System,
    /// Files that a command makes.
    Command,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct FullCorpus {
    files: Option<u64>,
    bytes: Option<Size>,
    command: Option<String>,
}

/// A program that is measured as a whole.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name in results.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// The program whose code makes the list that it prints, where it is another one: lists of the same code do not
    /// confirm each other. As of runners.
    #[serde(default)]
    pub implementation: Option<String>,
    /// The programs that must be there; `pfh` always is.
    #[serde(default)]
    pub needs: Vec<String>,
    /// A shell command whose first line is the version.
    #[serde(default)]
    pub version: String,
    /// The shell command. Each dimension is a variable of its environment, and so are `algorithm`, `pfh` (the program),
    /// `files` (their number), `bytes` and `longest_bytes` (the size of all, and of the longest).
    pub command: String,
    /// The form of the list that it prints, which is compared with those of the others; absent where it prints none.
    #[serde(default)]
    pub list: Option<List>,
    /// The form with some algorithms, where it is another.
    #[serde(default)]
    pub lists: BTreeMap<String, List>,
    /// The name under which what it prints is kept in the results, of the run before those that are timed.
    #[serde(default)]
    pub keep: Option<String>,
    /// The part of the work that it does and which limits the others; its times are not compared with theirs.
    #[serde(default)]
    pub limit: Option<Limit>,
    /// Exit statuses of a run that went well.
    #[serde(default = "success")]
    pub statuses: Vec<i32>,
    /// The dimensions of a trial that it takes beside corpus, device and cache; all others are left out of its cells.
    #[serde(default)]
    pub takes: Vec<String>,
    /// The algorithms that it has; empty for all. Of a trial, it gets only these.
    #[serde(default)]
    pub offers: Vec<String>,
    /// Its names of algorithms, where they are others.
    #[serde(default)]
    pub algorithms: BTreeMap<String, String>,
    /// Variables of its environment by profile; a profile that is not here is not measured with this program.
    #[serde(default)]
    pub profiles: BTreeMap<String, BTreeMap<String, String>>,
}

fn success() -> Vec<i32> {
    vec![0]
}

impl Program {
    /// Whether it has an algorithm.
    #[must_use]
    pub fn has(&self, algorithm: &str) -> bool {
        self.offers.is_empty() || self.offers.iter().any(|name| name == algorithm)
    }

    /// The form of the list that it prints with an algorithm.
    #[must_use]
    pub fn list_of(&self, algorithm: &str) -> Option<List> {
        self.lists.get(algorithm).copied().or(self.list)
    }
}

/// A part of the work, done alone: no program that does all of it can take less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Reading all files.
    Reading,
    /// Hashing as many bytes in memory, as fast as all cores can.
    Hashing,
    /// Hashing as many bytes in memory as the longest file has, as one message.
    Longest,
}

/// The form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum List {
    /// `digest  path` or `digest *path` as coreutils, md5deep, RHash, b3sum and `openssl dgst -r` print.
    Digests,
    /// hashdeep 1.0: size, digests and path between commas, after lines that begin with `%` or `#`.
    Hashdeep,
    /// Similarity digests, each in a line with its file's name, as the programs of their families print them.
    Similarity,
    /// `A matches B (SCORE)` and `A|B|SCORE`: pairs of similar files as ssdeep and sdhash print them.
    Pairs,
}

impl List {
    /// True if every file is listed. Some are too small for similarity digests, and most are not similar to another.
    pub(crate) fn has_every_file(self) -> bool {
        matches!(self, Self::Digests | Self::Hashdeep)
    }
}

/// Programs under conditions: a cell for each combination.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Its heading: the table of the study, and the question.
    pub title: String,
    /// Its name, with which the names of its comparisons begin; absent for one that is made of the title.
    #[serde(default)]
    name: Option<String>,
    /// Ids of programs.
    pub programs: Vec<String>,
    /// The id of the program that the question is about: reports compare it with the fastest of the others.
    #[serde(default)]
    pub candidate: Option<String>,
    /// The algorithms.
    pub algorithms: Vec<String>,
    /// Names of corpora.
    pub corpus: Vec<String>,
    /// Where the corpora lie: `here`, the name of a simulated device, or one that `--device` names.
    #[serde(default = "here")]
    pub device: Vec<String>,
    /// The page cache before each run.
    pub cache: Vec<Cache>,
    /// Further dimensions, by name: the values, as text.
    #[serde(default)]
    pub dimensions: BTreeMap<String, Vec<String>>,
    /// Runs of a cell in the place of the experiment's `rounds`.
    #[serde(default)]
    pub rounds: Option<u32>,
}

impl Trial {
    /// Its name: that of the definition, or its title in lower case, with hyphens for all that is neither letter nor
    /// digit.
    #[must_use]
    pub fn name(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let words = self.title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-").to_lowercase()
    }

    /// The name of one of its comparisons.
    #[must_use]
    pub fn comparison(&self, corpus: &str, algorithm: &str, cache: Cache) -> String {
        format!("{}/{corpus}/{algorithm}/{}", self.name(), cache.name())
    }
}

fn here() -> Vec<String> {
    vec![HERE.to_owned()]
}

/// State of the page cache when a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cache {
    /// Everything, as a run before left it.
    Cached,
    /// No contents of the corpus (`posix_fadvise`), or of a device that was mounted anew, nothing at all.
    Cold,
    /// Nothing, and no names either (`/proc/sys/vm/drop_caches`, for which root is needed). Programs are read again,
    /// too.
    Dropped,
}

impl Cache {
    /// As results have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Cache::Cached => "cached",
            Cache::Cold => "cold",
            Cache::Dropped => "dropped",
        }
    }
}

impl CorpusDefinition {
    pub(super) fn choose_full(&mut self) {
        let FullCorpus { files, bytes, command } = std::mem::take(&mut self.full);
        self.files = files.unwrap_or(self.files);
        self.bytes = bytes.unwrap_or(self.bytes);
        self.command = command.unwrap_or(std::mem::take(&mut self.command));
    }
}

/// Checks what a reader of TOML cannot.
pub(super) fn validate(corpora: &[CorpusDefinition], programs: &[Program], trials: &[Trial]) -> Result<(), String> {
    for corpus in corpora {
        let CorpusDefinition { name, kind, files, bytes: Size(bytes), command, .. } = corpus;
        let of_command = *kind == CorpusKind::Command;
        if !is_name(name) {
            return Err(format!("a corpus cannot be called `{name}`: letters, digits and hyphens only"));
        }
        if of_command == command.trim().is_empty() {
            return Err(format!("corpus `{name}`: a `command` belongs to `kind = \"command\"`, and only to it"));
        }
        if !of_command && (!(1..=10_000_000).contains(files) || bytes < files || *bytes > super::EXTENT_MAX) {
            return Err(format!("corpus `{name}`: `files` is 1 to 10000000, and `bytes` at least one for each"));
        }
    }
    unique(corpora.iter().map(|corpus| &corpus.name), "corpus")?;
    unique(programs.iter().map(|program| &program.id), "program")?;
    let names: Vec<String> = trials.iter().map(Trial::name).collect();
    unique(names.iter(), "trial")?;
    for program in programs {
        if program.keep.as_ref().is_some_and(|name| name.starts_with('.') || name.contains('/') || name.is_empty()) {
            return Err(format!("program `{}`: `keep` is a name, without folders", program.id));
        }
        if program.command.trim().is_empty() || !is_name(&program.id) {
            return Err(format!(
                "program `{}` wants a `command`, and an id of letters, digits and hyphens",
                program.id
            ));
        }
    }
    for trial in trials {
        let title = &trial.title;
        let unknown = |what: &str, name: &str| Err(format!("trial `{title}`: there is no {what} `{name}`"));
        if let Some(name) = trial.programs.iter().find(|name| programs.iter().all(|program| program.id != **name)) {
            return unknown("program", name);
        }
        if let Some(name) = trial.candidate.as_ref().filter(|name| !trial.programs.contains(name)) {
            return Err(format!("trial `{title}`: its candidate `{name}` is not among its `programs`"));
        }
        if let Some(name) = trial.corpus.iter().find(|name| corpora.iter().all(|corpus| corpus.name != **name)) {
            return unknown("corpus", name);
        }
        if trial.name.as_ref().is_some_and(|name| !is_name(name)) {
            return Err(format!("trial `{title}`: its name has letters, digits and hyphens only"));
        }
        let lists = [trial.programs.len(), trial.algorithms.len(), trial.corpus.len(), trial.device.len()];
        if lists.contains(&0) || trial.cache.is_empty() || trial.dimensions.values().any(Vec::is_empty) {
            return Err(format!("trial `{title}` has an empty list, and so no cells"));
        }
        let lists_of_names = [
            ("programs", &trial.programs),
            ("algorithms", &trial.algorithms),
            ("corpus", &trial.corpus),
            ("device", &trial.device),
        ];
        let of_dimensions = trial.dimensions.iter().map(|(name, values)| (name.as_str(), values));
        lists_of_names
            .into_iter()
            .chain(of_dimensions)
            .try_for_each(|(key, values)| super::distinct(key, values))
            .and_then(|()| super::distinct("cache", &trial.cache))
            .map_err(|error| format!("trial `{title}`: {error}"))?;
        let reserved = [CORPUS, DEVICE, CACHE, "algorithm", "files", "bytes", "longest_bytes", "pfh"];
        let bad = |name: &&String| reserved.contains(&name.as_str()) || !is_variable(name);
        if let Some(name) = trial.dimensions.keys().find(bad) {
            return Err(format!("trial `{title}`: a dimension cannot be called `{name}`"));
        }
        if trial.rounds.is_some_and(|rounds| !(1..=1000).contains(&rounds)) {
            return Err(format!("trial `{title}`: `rounds` is 1 to 1000"));
        }
        let of_dimensions = trial.dimensions.values().map(Vec::len);
        let cells = lists.into_iter().chain([trial.cache.len()]).chain(of_dimensions).try_fold(1, usize::checked_mul);
        if cells.is_none_or(|cells| cells > CELLS_MAX) {
            return Err(format!("trial `{title}` has more than {CELLS_MAX} cells"));
        }
    }
    Ok(())
}

fn unique<'a>(names: impl Iterator<Item = &'a String>, what: &str) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("there are two of {what} `{name}`"));
        }
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether a shell takes it as a variable.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}
