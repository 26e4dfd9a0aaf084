//! Experiments: readable definitions of what the runners are asked.

pub mod trials;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::error::Error;
use crate::protocol::{CIPHERS, Mode, PASSWORD_FUNCTIONS};
use crate::size::Size;
use trials::{CorpusDefinition, Program, Trial};

/// In a list of algorithms: every digest that the runner offers.
pub const EVERY_DIGEST: &str = "*";

/// An experiment, its sizes chosen.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name: that of the file.
    pub name: String,
    /// The definition's whole text.
    pub text: String,
    /// Whether the sizes of the paper were chosen.
    pub full: bool,
    /// The definition.
    pub definition: Definition,
}

/// The contents of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// One line.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// The study that it reproduces.
    #[serde(default)]
    pub source: String,
    /// How often every task is given, each time in another order.
    pub rounds: u32,
    /// Timed passes of a task in one round.
    pub repeats: u32,
    /// Passes before them that are not reported.
    #[serde(default)]
    pub warm_up: u32,
    /// The longest time of one task.
    #[serde(default = "task_seconds")]
    pub task_seconds: u64,
    /// Where the data lies.
    #[serde(default)]
    pub place: Place,
    /// Only these profiles; absent for all.
    #[serde(default)]
    pub profiles: Option<Vec<String>>,
    /// Only these variants; absent for all.
    #[serde(default)]
    pub runners: Option<Vec<String>>,
    /// Algorithms whose digests are by definition those of another one.
    #[serde(default)]
    pub same_digest: BTreeMap<String, String>,
    /// The parts of the experiment: tasks of runners.
    #[serde(rename = "part", default)]
    pub parts: Vec<Part>,
    /// Files for whole programs.
    #[serde(rename = "corpus", default)]
    pub corpora: Vec<CorpusDefinition>,
    /// Whole programs.
    #[serde(rename = "program", default)]
    pub programs: Vec<Program>,
    /// Conditions under which whole programs run.
    #[serde(rename = "trial", default)]
    pub trials: Vec<Trial>,
    /// Values that replace the above with `--full`.
    #[serde(default)]
    full: FullDefinition,
}

fn task_seconds() -> u64 {
    120
}

/// Where the data lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// On a filesystem in memory where there is one with enough space.
    #[default]
    Memory,
    /// Beside the results.
    Disk,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct FullDefinition {
    rounds: Option<u32>,
    repeats: Option<u32>,
    warm_up: Option<u32>,
    task_seconds: Option<u64>,
}

/// Tasks of one mode: one for each algorithm and size.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The mode.
    pub mode: Mode,
    /// The algorithms, or [`EVERY_DIGEST`].
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// Sizes of the data; with `messages` of one message.
    #[serde(default)]
    pub bytes: Vec<Size>,
    /// Numbers of strings or derivations.
    #[serde(default)]
    pub count: Vec<u64>,
    /// With `messages`: size of all together.
    pub total: Option<Size>,
    /// Size of one update.
    #[serde(default = "chunk_bytes")]
    pub chunk_bytes: Size,
    /// In the place of the experiment's `warm_up`.
    #[serde(default)]
    pub warm_up: Option<u32>,
    /// Only these variants; absent for all.
    #[serde(default)]
    pub runners: Option<Vec<String>>,
    /// Parameters of password functions.
    #[serde(default)]
    pub parameters: BTreeMap<String, u64>,
    /// Values that replace the above with `--full`.
    #[serde(default)]
    full: FullPart,
}

fn chunk_bytes() -> Size {
    Size(64 << 10)
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct FullPart {
    bytes: Option<Vec<Size>>,
    count: Option<Vec<u64>>,
    total: Option<Size>,
}

/// The size of a task's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extent {
    /// Bytes of all together; 0 for strings, whose data decides.
    pub bytes: u64,
    /// Number of strings, messages or derivations.
    pub count: u64,
}

/// Largest size or number in a definition, so that sums do not overflow.
pub(crate) const EXTENT_MAX: u64 = 1 << 40;

impl Experiment {
    /// Reads a definition.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    pub fn read(path: &Path, full: bool) -> Result<Experiment, Error> {
        let text = fs::read_to_string(path).map_err(Error::file(path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Experiment::parse(&name, text, full).map_err(|error| Error::input(format!("`{}`: {error}", path.display())))
    }

    /// Parses a definition.
    ///
    /// # Errors
    /// The part that cannot be parsed.
    pub fn parse(name: &str, text: String, full: bool) -> Result<Experiment, String> {
        let mut definition: Definition = toml::from_str(&text).map_err(|error| error.to_string())?;
        // Both forms, since a mistake in the other one would otherwise wait for the run that takes hours.
        let mut other = definition.clone();
        other.choose_full();
        definition.validate()?;
        other.validate().map_err(|error| format!("with `--full`: {error}"))?;
        if full {
            definition = other;
        }
        Ok(Experiment { name: name.to_owned(), text, full, definition })
    }

    /// The definition that a user means: a file, or the name of one among those that come with the laboratory.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be understood.
    pub fn find(name: &str, folder: &Path, full: bool) -> Result<Experiment, Error> {
        if name.contains('/') || name.ends_with(".toml") {
            return Experiment::read(Path::new(name), full);
        }
        let path = folder.join(format!("{name}.toml"));
        if !path.is_file() {
            let names: Vec<String> = list(folder)?.iter().map(|path| stem(path)).collect();
            return Err(Error::input(format!(
                "there is no experiment `{name}`; there are {}, and a path of a file means that file",
                names.join(", ")
            )));
        }
        Experiment::read(&path, full)
    }
}

/// The definitions in a folder, by name.
///
/// # Errors
/// When the folder cannot be listed.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(Error::file(folder))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    Ok(paths)
}

/// Refuses a list of a definition in which something is twice, where it can only be a slip.
fn distinct<T: PartialEq>(key: &str, values: &[T]) -> Result<(), String> {
    match values.iter().enumerate().find(|(place, value)| values[..*place].contains(value)) {
        None => Ok(()),
        Some((place, _)) => Err(format!("value {} of `{key}` is there before", place + 1)),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

impl Definition {
    fn choose_full(&mut self) {
        let FullDefinition { rounds, repeats, warm_up, task_seconds } = std::mem::take(&mut self.full);
        self.rounds = rounds.unwrap_or(self.rounds);
        self.repeats = repeats.unwrap_or(self.repeats);
        self.warm_up = warm_up.unwrap_or(self.warm_up);
        self.task_seconds = task_seconds.unwrap_or(self.task_seconds);
        self.corpora.iter_mut().for_each(CorpusDefinition::choose_full);
        for part in &mut self.parts {
            let FullPart { bytes, count, total } = std::mem::take(&mut part.full);
            part.bytes = bytes.unwrap_or(std::mem::take(&mut part.bytes));
            part.count = count.unwrap_or(std::mem::take(&mut part.count));
            part.total = total.or(part.total);
        }
    }

    fn validate(&self) -> Result<(), String> {
        if self.parts.is_empty() && self.trials.is_empty() {
            return Err("there is neither a [[part]] nor a [[trial]]".to_owned());
        }
        let mut warm_ups = self.parts.iter().filter_map(|part| part.warm_up).chain([self.warm_up]);
        if !(1..=1000).contains(&self.rounds) || !(1..=1000).contains(&self.repeats) || warm_ups.any(|one| one > 1000) {
            return Err("`rounds` and `repeats` are 1 to 1000, `warm_up` is 0 to 1000".to_owned());
        }
        if !(1..=86_400).contains(&self.task_seconds) {
            return Err("`task_seconds` is 1 to 86400".to_owned());
        }
        for (part, number) in self.parts.iter().zip(1..) {
            part.validate().map_err(|error| format!("[[part]] {number}: {error}"))?;
        }
        self.parts.iter().enumerate().try_for_each(|(place, part)| part.differs_from(&self.parts[..place]))?;
        trials::validate(&self.corpora, &self.programs, &self.trials)
    }

    /// Replaces the number of rounds, that of the experiment and those of its trials.
    pub(crate) fn set_rounds(&mut self, rounds: u32) {
        self.rounds = rounds;
        self.trials.iter_mut().for_each(|trial| trial.rounds = None);
    }

    /// The names of the comparisons of whole programs, in the order of the definition, each once: one for each trial,
    /// corpus, algorithm that a program of the trial has, and state of the cache.
    #[must_use]
    pub fn comparisons(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for trial in &self.trials {
            let of_trial = |program: &&Program| trial.programs.contains(&program.id);
            let is_offered = |name: &&String| self.programs.iter().filter(of_trial).any(|program| program.has(name));
            for corpus in &trial.corpus {
                for algorithm in trial.algorithms.iter().filter(is_offered) {
                    for &cache in &trial.cache {
                        names.push(trial.comparison(corpus, algorithm, cache));
                    }
                }
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// The longest time of one task.
    #[must_use]
    pub fn task_limit(&self) -> Duration {
        Duration::from_secs(self.task_seconds)
    }
}

impl Part {
    fn validate(&self) -> Result<(), String> {
        let mode = self.mode.name();
        let wants = |what: &str| Err(format!("a part of mode `{mode}` wants {what}"));
        match self.mode {
            Mode::Digest | Mode::DigestFile | Mode::ReadFile | Mode::Cipher | Mode::CipherFile => {
                if self.bytes.is_empty() || !self.count.is_empty() || self.total.is_some() {
                    return wants("`bytes`, and neither `count` nor `total`");
                }
            }
            Mode::Strings | Mode::Password => {
                if self.count.is_empty() || !self.bytes.is_empty() || self.total.is_some() {
                    return wants("`count`, and neither `bytes` nor `total`");
                }
            }
            Mode::Messages => {
                if self.bytes.is_empty() || !self.count.is_empty() || self.total.is_none() {
                    return wants("`bytes` (of one message) and `total`, and no `count`");
                }
                if self.bytes.contains(&Size(0)) {
                    return wants("messages of at least one byte");
                }
            }
        }
        if self.mode == Mode::ReadFile {
            if !self.algorithms.is_empty() {
                return wants("no `algorithms`");
            }
        } else if self.algorithms.is_empty() {
            return wants("`algorithms`");
        }
        distinct("algorithms", &self.algorithms)?;
        distinct("bytes", &self.bytes)?;
        distinct("count", &self.count)?;
        distinct("runners", self.runners.as_deref().unwrap_or_default())?;
        let has_block_sizes = self.bytes.iter().all(|size| size.0 > 0 && size.0 % 16 == 0);
        if matches!(self.mode, Mode::Cipher | Mode::CipherFile) && !has_block_sizes {
            return wants("`bytes` in whole blocks of 16, since nothing is padded");
        }
        if !self.parameters.is_empty() && self.mode != Mode::Password {
            return wants("no `parameters`");
        }
        let known = ["type", "id", "mode", "algorithm", "path", "bytes", "count", "chunk_bytes", "warm_up", "repeats"];
        if let Some(name) = self.parameters.keys().find(|name| known.contains(&name.as_str())) {
            return Err(format!("a parameter cannot be called `{name}`"));
        }
        let sizes = self.bytes.iter().chain(&self.total).chain([&self.chunk_bytes]).map(|size| size.0);
        if self.count.contains(&0) || sizes.chain(self.count.iter().copied()).any(|number| number > EXTENT_MAX) {
            return Err(format!("a part of mode `{mode}` has a number that is too large, or a `count` of 0"));
        }
        Ok(())
    }

    /// Refuses a part whose cells have the names of those of an earlier one, which they would take the place of.
    fn differs_from(&self, earlier: &[Part]) -> Result<(), String> {
        let mode = self.mode.name();
        let extents = self.extents();
        let is_like = |other: &&Part| {
            let runs_together = match (&self.runners, &other.runners) {
                (Some(these), Some(those)) => these.iter().any(|name| those.contains(name)),
                _ => true,
            };
            let has_size = || other.extents().iter().any(|extent| extents.contains(extent));
            runs_together && other.mode == self.mode && other.chunk_bytes == self.chunk_bytes && has_size()
        };
        for other in earlier.iter().filter(is_like) {
            // One without algorithms reads files, as all of its mode do.
            let shared = self.algorithms.iter().find(|name| other.means(name));
            let shared = shared.or_else(|| other.algorithms.iter().find(|name| self.means(name)));
            if shared.is_some() || self.algorithms.is_empty() {
                let name = shared.map_or_else(String::new, |name| format!(", the algorithm `{name}`"));
                return Err(format!(
                    "two parts have the mode `{mode}`{name}, and a size and `chunk_bytes` in common, so that results \
                     could not tell them apart"
                ));
            }
        }
        Ok(())
    }

    /// Whether an algorithm of a definition is among its algorithms.
    fn means(&self, name: &str) -> bool {
        let has = |wanted: &str| self.algorithms.iter().any(|one| one == wanted);
        has(name) || (has(EVERY_DIGEST) && is_digest(name))
    }

    /// The sizes of its tasks.
    #[must_use]
    pub fn extents(&self) -> Vec<Extent> {
        match self.mode {
            Mode::Strings | Mode::Password => self.count.iter().map(|&count| Extent { bytes: 0, count }).collect(),
            Mode::Messages => {
                let total = self.total.map_or(0, |total| total.0);
                let of = |size: &Size| (total / size.0).max(1);
                self.bytes.iter().map(|size| Extent { bytes: of(size) * size.0, count: of(size) }).collect()
            }
            _ => self.bytes.iter().map(|size| Extent { bytes: size.0, count: 1 }).collect(),
        }
    }

    /// The algorithms to ask of a runner that offers these: those of the definition, with [`EVERY_DIGEST`] spelled out.
    #[must_use]
    pub fn algorithms_for(&self, offered: &[String]) -> Vec<String> {
        if self.mode == Mode::ReadFile {
            return vec!["none".to_owned()];
        }
        let mut algorithms: Vec<String> = Vec::new();
        for name in &self.algorithms {
            if name == EVERY_DIGEST {
                algorithms.extend(offered.iter().filter(|name| is_digest(name)).cloned());
            } else {
                algorithms.push(name.clone());
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        algorithms.retain(|name| seen.insert(name.clone()));
        algorithms
    }
}

pub(crate) fn is_digest(algorithm: &str) -> bool {
    !CIPHERS.contains(&algorithm) && !PASSWORD_FUNCTIONS.contains(&algorithm)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in the first column of the tables below a heading of the page.
    fn documented(page: &str, heading: &str) -> Vec<String> {
        let (_, section) = page.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
        let section = section.split("\n## ").next().unwrap_or_default();
        let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        cells.map(str::to_owned).collect()
    }

    /// The keys that a table of a definition may have, as the reader of TOML names them.
    fn keys(text: &str) -> Vec<String> {
        let error = Experiment::parse("x", text.to_owned(), false).expect_err("an unknown key");
        let (_, expected) = error.split_once("expected ").unwrap_or_else(|| panic!("{error}"));
        expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn every_key_is_documented() {
        let page = include_str!("../../../docs/reference/experiment-files.md");
        let top = "title = \"t\"\nquestion = \"q\"\nrounds = 1\nrepeats = 1\n";
        let part = "[[part]]\nmode = \"digest\"\nalgorithms = [\"md5\"]\nbytes = [1]\n";
        for (heading, text) in [
            ("\n## The experiment\n", format!("unknown = 1\n{top}{part}")),
            ("\n## A part\n", format!("{top}{part}unknown = 1\n")),
            ("\n## The sizes of the study: `full`\n", format!("{top}{part}[full]\nunknown = 1\n")),
            ("\n## The sizes of a part: `full`\n", format!("{top}{part}full.unknown = 1\n")),
            ("\n## A corpus\n", format!("{top}{part}[[corpus]]\nunknown = 1\n")),
            ("\n## A program\n", format!("{top}{part}[[program]]\nunknown = 1\n")),
            ("\n## A trial\n", format!("{top}{part}[[trial]]\nunknown = 1\n")),
        ] {
            let (mut expected, mut found) = (keys(&text), documented(page, heading));
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{heading}");
        }
    }

    const TEXT: &str = r#"
title = "t"
question = "q"
rounds = 3
repeats = 2

[full]
repeats = 10

[[part]]
mode = "digest"
algorithms = ["md5", "sha256"]
bytes = ["2M", 16]
full.bytes = ["1G"]

[[part]]
mode = "messages"
algorithms = ["*"]
bytes = [16, "64K"]
total = "1M"
"#;

    fn parse(text: &str, full: bool) -> Result<Experiment, String> {
        Experiment::parse("x", text.to_owned(), full)
    }

    #[test]
    fn full_sizes_replace_the_others() {
        let quick = parse(TEXT, false).expect("well-formed").definition;
        let full = parse(TEXT, true).expect("well-formed").definition;
        assert_eq!((quick.rounds, quick.repeats, quick.task_seconds), (3, 2, 120));
        assert_eq!((full.rounds, full.repeats), (3, 10));
        assert_eq!(quick.parts[0].extents(), [Extent { bytes: 2 << 20, count: 1 }, Extent { bytes: 16, count: 1 }]);
        assert_eq!(full.parts[0].extents(), [Extent { bytes: 1 << 30, count: 1 }]);
        assert_eq!(
            full.parts[1].extents(),
            [Extent { bytes: 1 << 20, count: 1 << 16 }, Extent { bytes: 1 << 20, count: 16 }]
        );
    }

    #[test]
    fn corpora_have_full_sizes_too_and_comparisons_have_names() {
        let text = r#"
title = "t"
question = "q"
rounds = 3
repeats = 1
corpus = [
    { name = "a", kind = "noise", files = 1, bytes = 10, full = { files = 2, bytes = "1K" } },
    { name = "b", kind = "command", command = "true", full = { command = "false" } },
]
program = [{ id = "p", label = "p", command = "true", offers = ["md5"] }, { id = "q", label = "q", command = "true" }]

[[trial]]
title = "Table I: one, two"
programs = ["p"]
algorithms = ["md5", "sha1"]
corpus = ["b", "a"]
cache = ["cached"]
rounds = 9

[[trial]]
name = "all"
title = "All"
programs = ["p", "q"]
algorithms = ["md5", "sha1"]
corpus = ["a"]
cache = ["cold", "dropped"]
"#;
        let quick = parse(text, false).expect("well-formed").definition;
        let mut full = parse(text, true).expect("well-formed").definition;
        let corpora = |definition: &Definition| -> Vec<(u64, u64, String)> {
            definition.corpora.iter().map(|corpus| (corpus.files, corpus.bytes.0, corpus.command.clone())).collect()
        };
        assert_eq!(corpora(&quick), [(1, 10, String::new()), (0, 0, "true".to_owned())]);
        assert_eq!(corpora(&full), [(2, 1024, String::new()), (0, 0, "false".to_owned())]);
        // Nobody has SHA-1 in the first trial.
        let expected = [
            "table-i-one-two/b/md5/cached",
            "table-i-one-two/a/md5/cached",
            "all/a/md5/cold",
            "all/a/md5/dropped",
            "all/a/sha1/cold",
            "all/a/sha1/dropped",
        ];
        assert_eq!(full.comparisons(), expected);
        full.set_rounds(5);
        assert_eq!((full.rounds, full.trials[0].rounds), (5, None));
    }

    #[test]
    fn a_star_means_every_digest_that_is_offered() {
        let experiment = parse(TEXT, false).expect("well-formed");
        let offered = ["md5", "aes-128-cbc", "tiger", "bcrypt"].map(str::to_owned);
        assert_eq!(experiment.definition.parts[1].algorithms_for(&offered), ["md5", "tiger"]);
        assert_eq!(experiment.definition.parts[0].algorithms_for(&offered), ["md5", "sha256"]);
    }

    /// Cells are named by mode, algorithm, size and size of an update: a second part with these would hide the first.
    #[test]
    fn parts_with_the_same_cells_are_refused() {
        let second = |text: &str| parse(&format!("{TEXT}\n[[part]]\nmode = \"digest\"\n{text}\n"), false);
        for text in [
            "algorithms = [\"sha256\"]\nbytes = [16, 17]\nwarm_up = 3",
            "algorithms = [\"*\"]\nbytes = [\"2M\"]",
            "algorithms = [\"md5\"]\nbytes = [16]\nchunk_bytes = 65536\nrunners = [\"a\"]",
        ] {
            assert!(second(text).expect_err(text).contains("two parts have the mode `digest`"), "{text}");
        }
        for text in [
            "algorithms = [\"sha256\"]\nbytes = [17]",
            "algorithms = [\"sha1\"]\nbytes = [16]",
            "algorithms = [\"sha256\"]\nbytes = [16]\nchunk_bytes = 0",
        ] {
            assert!(second(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn bad_definitions_are_named() {
        let refused = |from: &str, to: &str| parse(&TEXT.replacen(from, to, 1), false).expect_err(to);
        assert!(refused("\"2M\"", "\"2X\"").contains("`2X` is not a size"));
        // The values of the other form are examined, too.
        let of_full =
            "with `--full`: [[part]] 1: a part of mode `digest` wants `bytes`, and neither `count` nor `total`";
        assert_eq!(refused("full.bytes = [\"1G\"]", "full.bytes = []"), of_full);
        assert_eq!(
            refused("\"md5\", \"sha256\"", "\"md5\", \"md5\""),
            "[[part]] 1: value 2 of `algorithms` is there before"
        );
        assert_eq!(refused("[16, \"64K\"]", "[16, 16]"), "[[part]] 2: value 2 of `bytes` is there before");
        assert!(refused("rounds = 3", "rounds = 0").contains("1 to 1000"));
        assert!(refused("bytes = [\"2M\", 16]", "count = [3]").contains("wants `bytes`"));
        assert!(refused("mode = \"digest\"", "mode = \"digests\"").contains("unknown variant"));
        assert!(refused("mode = \"digest\"", "mode = \"cipher\"\nchunk = 3").contains("chunk"));
        assert!(refused("total = \"1M\"", "").contains("`total`"));
        assert!(refused("bytes = [16, \"64K\"]", "bytes = [0]").contains("at least one byte"));
        assert!(refused("algorithms = [\"md5\", \"sha256\"]", "").contains("wants `algorithms`"));
    }
}
