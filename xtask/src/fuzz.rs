//! `cargo xtask fuzz`: runs the fuzz targets for a time, each from its seeds and from what earlier runs have found.
//!
//! It needs no nightly toolchain and no cargo-fuzz, only a C++ compiler for libFuzzer. The pinned compiler marks the
//! code by LLVM's coverage pass, as cargo-fuzz has it do; AddressSanitizer, which a stable compiler has but hides, is
//! enabled by `RUSTC_BOOTSTRAP`, for these programs only.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::process;
use crate::summary::{Outcome, Summary};
use crate::workspace::Workspace;

const MANIFEST: &str = "fuzz/Cargo.toml";
const TARGETS: &str = "fuzz/fuzz_targets";
const SEEDS: &str = "fuzz/seeds";

/// The flags of cargo-fuzz.
const FLAGS: [&str; 8] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "-Zsanitizer=address",
];

/// The end of what a target printed that failed: its message, and where it was.
const TAIL_LINES: usize = 60;

/// Without an argument each target runs for so long.
const SECONDS: u64 = 60;

/// `[SECONDS] [TARGET…]`
pub(crate) fn main(workspace: &Workspace, arguments: &[String]) -> Result<bool> {
    let (seconds, names) = match arguments.split_first() {
        Some((first, rest)) if first.starts_with(|first: char| first.is_ascii_digit()) => {
            (first.parse().with_context(|| format!("`{first}` is no number of seconds"))?, rest)
        }
        _ => (SECONDS, arguments),
    };
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let fuzzer = Fuzzer { workspace, folder: workspace.target_folder()?.join("fuzz"), host, seconds };
    let targets = targets(workspace)?;
    for name in names {
        ensure!(targets.contains(name), "no fuzz target `{name}`; there are {}", targets.join(", "));
    }
    let chosen: Vec<&String> = targets.iter().filter(|target| names.is_empty() || names.contains(target)).collect();
    fuzzer.build(&chosen)?;
    let mut summary = Summary::new()?;
    for target in chosen {
        summary.step(target, || fuzzer.run(target));
    }
    Ok(summary.finish())
}

/// The names of all targets, sorted.
fn targets(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.root.join(TARGETS);
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {TARGETS}"))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    let is_source = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let name = |path: &PathBuf| Some(path.file_stem()?.to_string_lossy().into_owned());
    let mut names: Vec<String> = paths.iter().filter(is_source).filter_map(name).collect();
    names.sort();
    Ok(names)
}

struct Fuzzer<'a> {
    workspace: &'a Workspace,
    /// Builds, corpora and finds: outside the repository, and kept between runs.
    folder: PathBuf,
    /// Where it is named, cargo compiles build scripts and macros without our flags.
    host: String,
    seconds: u64,
}

impl Fuzzer<'_> {
    fn build(&self, targets: &[&String]) -> Result<()> {
        let mut cargo = self.workspace.cargo();
        cargo.args(["build", "--release", "--manifest-path", MANIFEST, "--target", &self.host]);
        cargo.arg("--target-dir").arg(&self.folder);
        for target in targets {
            cargo.args(["--bin", target]);
        }
        process::run(cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", FLAGS.join(" ")))
    }

    /// Runs one target until it fails or its time is over. New inputs that reach new code join its corpus.
    fn run(&self, target: &str) -> Result<Outcome> {
        let [corpus, finds, logs] = ["corpus", "finds", "logs"].map(|kind| self.folder.join(kind).join(target));
        for folder in [&corpus, &finds, &logs] {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        let log = logs.join("last.txt");
        let file = File::create(&log).with_context(|| format!("cannot write `{}`", log.display()))?;
        let mut command = self.workspace.command(self.folder.join(&self.host).join("release").join(target));
        command.arg(format!("-max_total_time={}", self.seconds)).arg("-print_final_stats=1");
        // A folder is meant, so it ends in a slash.
        command.arg(format!("-artifact_prefix={}/", finds.display()));
        command.arg(&corpus).arg(self.workspace.root.join(SEEDS).join(target));
        let status = process::status(command.stdout(file.try_clone()?).stderr(file))?;
        let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        if !status.success() {
            let start = said.lines().count().saturating_sub(TAIL_LINES);
            said.lines().skip(start).for_each(|line| println!("{line}"));
            let (finds, seeds) = (finds.display(), Path::new(SEEDS).join(target));
            bail!("{status}; the input lies in `{finds}`; minimised, it belongs into `{}`", seeds.display());
        }
        let runs = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        let runs = runs.context("the fuzzer printed no statistics")?.trim();
        Ok(Outcome::passed(format!("{runs} runs, {} inputs in the corpus", fs::read_dir(&corpus)?.count())))
    }
}
