//! A laboratory of shell scripts in a scratch folder.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use pfh_lab::Error;
use pfh_lab::catalogue::{Catalogue, Places};
use pfh_lab::experiment::Experiment;
use pfh_lab::plan::Selection;
use pfh_lab::results::{Cell, Entry, FailureKind};
use pfh_lab::run::{Event, Options, Summary, run};
use tempfile::TempDir;

/// Two algorithms of two sizes: four cells for each runner.
pub(crate) const EXPERIMENT: &str = r#"
title = "t"
question = "q"
rounds = 3
repeats = 2
task_seconds = 1

[[part]]
mode = "digest"
algorithms = ["md5", "sha1"]
bytes = [16, "1K"]
"#;

/// Cells of a runner in [`EXPERIMENT`].
pub(crate) const CELLS: usize = 4;

pub(crate) struct Lab {
    pub(crate) folder: TempDir,
    pub(crate) experiment: String,
    pub(crate) selection: Selection,
    pub(crate) seed: Option<u64>,
    pub(crate) resume: bool,
}

impl Lab {
    /// Two honest runners of different implementations, `a` and `b`, and one for each fault.
    pub(crate) fn new(faults: &[&str]) -> Lab {
        let folder = tempfile::tempdir().unwrap();
        let runner = folder.path().join("lab/runners/sh");
        fs::create_dir_all(&runner).unwrap();
        fs::create_dir_all(folder.path().join("lab/experiments")).unwrap();
        let script = include_str!("runner.sh").replace("PROCESS", &std::process::id().to_string());
        fs::write(runner.join("runner.sh"), script).unwrap();
        let mut text =
            "language = \"sh\"\ngroup = \"sh\"\nneeds = [\"sh\"]\nrun = [\"sh\", \"runner.sh\"]\n".to_owned();
        let honest = [("a", "a", ""), ("b", "b", "")];
        for (id, library, fault) in honest.into_iter().chain(faults.iter().map(|fault| (*fault, "c", *fault))) {
            text +=
                &format!("[[variant]]\nid = \"{id}\"\nlabel = \"{id}\"\narguments = [\"{library}\", \"{fault}\"]\n");
        }
        fs::write(runner.join("runner.toml"), text).unwrap();
        Lab { folder, experiment: EXPERIMENT.to_owned(), selection: Selection::default(), seed: Some(1), resume: false }
    }

    pub(crate) fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    pub(crate) fn places(&self) -> Places {
        Places {
            lab: Some(self.folder.path().join("lab")),
            runners: None,
            cache: self.folder.path().join("cache"),
            program: "pfh".into(),
        }
    }

    pub(crate) fn run(&self) -> Result<Summary, Error> {
        self.run_with(&mut |_| {}, &AtomicBool::new(false))
    }

    pub(crate) fn run_with(&self, observer: &mut dyn FnMut(Event<'_>), cancel: &AtomicBool) -> Result<Summary, Error> {
        let experiment = Experiment::parse("x", self.experiment.clone(), false).map_err(Error::Input)?;
        let options = Options {
            rounds: None,
            folder: self.results(),
            resume: self.resume,
            seed: self.seed,
            selection: self.selection.clone(),
            memory_bytes: 100_000_000,
            unknown_device: |_| None,
            unknown_algorithm: |name| {
                let is_known = ["md5", "sha1", "sha512"].contains(&name);
                (!is_known).then(|| format!("unknown algorithm `{name}`"))
            },
            version: "0".to_owned(),
            places: pfh_lab::programs::Places::default(),
        };
        run(experiment, &Catalogue::find(&self.places())?, &options, observer, cancel)
    }

    /// The saved entries.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let text = fs::read_to_string(self.results().join("results.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The samples of a runner.
pub(crate) fn samples(entries: &[Entry], runner: &str) -> usize {
    entries.iter().filter(|entry| matches!(entry, Entry::Sample(sample) if sample.cell.runner == runner)).count()
}

/// The failures of a runner.
pub(crate) fn failures(entries: &[Entry], runner: &str) -> Vec<(FailureKind, String)> {
    let of = |entry: &Entry| match entry {
        Entry::Failure(failure) if failure.cell.runner == runner => Some((failure.kind, failure.message.clone())),
        _ => None,
    };
    entries.iter().filter_map(of).collect()
}

/// The cells in the order in which they were measured.
pub(crate) fn measured(entries: &[Entry]) -> Vec<Cell> {
    let of = |entry: &Entry| match entry {
        Entry::Cost(cost) => Some(cost.cell.clone()),
        _ => None,
    };
    entries.iter().filter_map(of).collect()
}

/// Whether a process with this argument runs.
pub(crate) fn runs(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.into_iter().any(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0).any(|word| word == argument.as_bytes())
    })
}
