//! `cargo xtask bench`: pfh against its peers and against itself. It builds and installs what is needed, lets the
//! laboratory of the built program measure the experiments of `bench/experiments`, and files its reports as records.

mod experiments;
mod record;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};

use self::experiments::{Experiment, QUICK};
use crate::laboratory;
use crate::process;
use crate::setup;
use crate::workspace::Workspace;

const USAGE: &str = "\
Usage: cargo xtask bench [OPTIONS]

  --list          print the comparisons and stop
  --filter TEXT   only comparisons whose name begins with TEXT (hot, hot/all/system, memory …), or contains it where TEXT
                  begins with a slash (/sha256/)
  --quick         what matters most, 3 runs each on the small corpora: under two minutes once they are there
  --small         the small corpora: a tenth of the size
  --runs N        N runs each [default: as each experiment says; with --quick 3]
  --data DIR      where the corpora lie [default: $PFH_BENCH_DIR, else bench-data in the target folder]
  --output DIR    where the records go [default: bench/results; with small corpora bench-results in the target folder]
  --pfh FILE      measure this program instead of building one
  --resume        continue what an interrupted run has measured
  --no-install    do not install peers that are missing

  Peers are looked for in $PFH_BENCH_PEERS first, which is the place for those that no package has (sdhash, mrsh-v2,
  blazehash).";

/// The status with which `pfh lab run` ends when a program failed or disagreed: its results are saved.
const FOUND_FAULTS: i32 = 1;

const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Programs of ours that experiments need beside pfh: name, folder, and what it takes to build them.
const HELPERS: [(&str, &str, &str); 2] =
    [("pfh-bench-rate", "bench/rate", "nothing more"), ("pfh-bench-kernels", "bench/kernels", "libssl-dev")];

#[derive(Default)]
struct Options {
    list: bool,
    filter: String,
    quick: bool,
    small: bool,
    runs: Option<u32>,
    data: Option<PathBuf>,
    output: Option<PathBuf>,
    pfh: Option<PathBuf>,
    resume: bool,
    may_install: bool,
}

pub(crate) fn main(workspace: &Workspace, arguments: &[String]) -> Result<bool> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{USAGE}");
        return Ok(true);
    }
    let options = Options::parse(arguments)?;
    let pfh = options.program(workspace)?;
    let mut experiments = experiments::all(workspace, &pfh)?;
    for experiment in &mut experiments {
        experiment.select(|comparison| options.selects(comparison));
    }
    experiments.retain(|experiment| !experiment.selected.is_empty());
    ensure!(!experiments.is_empty(), "no comparison is called `{}`; --list prints them", options.filter);
    if options.list {
        let names = experiments.iter().flat_map(|one| one.selected.iter().map(|name| one.full_name(name)));
        names.for_each(|name| println!("{name}"));
        return Ok(true);
    }
    let consent = if options.may_install { setup::Consent::Ask } else { setup::Consent::No };
    setup::install(&setup::for_benchmarks(), consent);
    let bench = Bench { workspace, options: &options, pfh, path: search_path(workspace, &experiments)? };
    let mut all_well = true;
    for experiment in &mut experiments {
        let mut notes = Vec::new();
        if let Err(denied) = File::options().write(true).open(DROP_CACHES)
            && experiment.select(|name| !name.ends_with("/dropped"))
        {
            notes.push(format!("Skipped what needs an empty page cache: {DROP_CACHES}: {denied}."));
        }
        notes.iter().for_each(|note| println!("{}: {note}", experiment.name));
        if !experiment.selected.is_empty() {
            all_well &= bench.measure(experiment, &notes)?;
        }
    }
    Ok(all_well)
}

/// How experiments are run.
struct Bench<'a> {
    workspace: &'a Workspace,
    options: &'a Options,
    pfh: PathBuf,
    /// `PATH` of all programs.
    path: OsString,
}

impl Bench<'_> {
    /// Lets the laboratory run an experiment, and files its report. False when a program failed or disagreed.
    fn measure(&self, experiment: &Experiment, notes: &[String]) -> Result<bool> {
        println!("── {}: {} comparisons", experiment.name, experiment.selected.len());
        let Options { resume, .. } = *self.options;
        let target = self.workspace.target_folder()?;
        let results = target.join("bench-runs").join(&experiment.name);
        if results.exists() && !resume {
            fs::remove_dir_all(&results).with_context(|| format!("cannot remove `{}`", results.display()))?;
        }
        fs::create_dir_all(&results)?;
        let mut run = laboratory::command(self.workspace, &self.pfh, &["run"]);
        run.arg(&experiment.path).arg("--output").arg(&results).args(self.options.for_laboratory());
        run.arg("--keep-corpora").arg(self.options.data_folder(&target)).args(experiment.arguments());
        run.env("PATH", &self.path);
        if resume && results.join(record::RESULTS).exists() {
            run.arg("--resume");
        }
        let status = run.stdin(Stdio::null()).stdout(Stdio::null()).status().context("cannot start pfh")?;
        let is_measured = status.success() || status.code() == Some(FOUND_FAULTS);
        ensure!(is_measured, "`pfh lab run` ended with {status}; `--resume` continues what it has measured");
        let mut report = laboratory::command(self.workspace, &self.pfh, &["report"]);
        print!("{}", String::from_utf8_lossy(&process::stdout(report.arg(&results))?));
        let record = record::file(
            &results,
            &self.options.output_folder(self.workspace)?,
            &record::Head { name: &experiment.name, command: &self.options.command(), notes },
        )?;
        println!("wrote `{}`, with .csv and .jsonl beside it", record.display());
        Ok(status.success())
    }
}

/// `PATH` with our own helpers in front, then peers that are not installed. Builds the helpers that are needed.
fn search_path(workspace: &Workspace, experiments: &[Experiment]) -> Result<OsString> {
    let target = workspace.target_folder()?;
    let needed: BTreeSet<&str> = experiments.iter().flat_map(|one| &one.needs).map(String::as_str).collect();
    let mut folders = Vec::new();
    for (name, folder, takes) in HELPERS.into_iter().filter(|(name, ..)| needed.contains(name)) {
        let built = target.join(folder.replace('/', "-"));
        let mut cargo = workspace.cargo();
        cargo.args(["build", "--quiet", "--release", "--manifest-path", &format!("{folder}/Cargo.toml")]);
        // Its absence is told by the laboratory, as that of a peer.
        match process::run(cargo.arg("--target-dir").arg(&built)) {
            Ok(()) => folders.push(built.join("release")),
            Err(error) => println!("MISSING: {name} (it needs {takes}): {error:#}"),
        }
    }
    let peers = std::env::var_os("PFH_BENCH_PEERS").map(PathBuf::from);
    let old = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(folders.into_iter().chain(peers).chain(std::env::split_paths(&old)))?)
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self { may_install: true, ..Self::default() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--list" => options.list = true,
                "--quick" => options.quick = true,
                "--small" => options.small = true,
                "--resume" => options.resume = true,
                "--no-install" => options.may_install = false,
                "--filter" => options.filter = value()?.clone(),
                "--runs" => options.runs = Some(value()?.parse().context("--runs needs a number")?),
                "--data" => options.data = Some(value()?.into()),
                "--output" => options.output = Some(value()?.into()),
                "--pfh" => options.pfh = Some(value()?.into()),
                other => bail!("unexpected argument `{other}`; `cargo xtask bench --help` lists them"),
            }
        }
        ensure!(options.runs != Some(0), "--runs must be at least 1");
        Ok(options)
    }

    /// The program to be measured, built if need be.
    fn program(&self, workspace: &Workspace) -> Result<PathBuf> {
        let pfh = match &self.pfh {
            Some(pfh) => std::path::absolute(pfh)?,
            None => {
                process::run(workspace.cargo().args(["build", "--release", "--package", "pfh", "--bin", "pfh"]))?;
                workspace.target_folder()?.join("release/pfh")
            }
        };
        ensure!(pfh.is_file(), "`{}` is not a program", pfh.display());
        Ok(pfh)
    }

    fn has_small_corpora(&self) -> bool {
        self.quick || self.small
    }

    fn runs(&self) -> Option<u32> {
        self.runs.or(self.quick.then_some(3))
    }

    /// The options that `pfh lab run` takes for these.
    fn for_laboratory(&self) -> Vec<String> {
        let mut options = Vec::new();
        if !self.has_small_corpora() {
            options.push("--full".to_owned());
        }
        if let Some(runs) = self.runs() {
            options.extend(["--rounds".to_owned(), runs.to_string()]);
        }
        options
    }

    fn data_folder(&self, target: &Path) -> PathBuf {
        let data = self.data.clone().or_else(|| std::env::var_os("PFH_BENCH_DIR").map(PathBuf::from));
        data.unwrap_or_else(|| target.join("bench-data"))
    }

    /// Where the records go.
    fn output_folder(&self, workspace: &Workspace) -> Result<PathBuf> {
        Ok(match &self.output {
            Some(output) => output.clone(),
            None if self.has_small_corpora() => workspace.target_folder()?.join("bench-results"),
            None => workspace.root.join("bench/results"),
        })
    }

    /// Whether a comparison, named with its experiment, is measured.
    fn selects(&self, name: &str) -> bool {
        if self.quick && !QUICK.contains(&name) {
            return false;
        }
        if self.filter.starts_with('/') { name.contains(&self.filter) } else { name.starts_with(&self.filter) }
    }

    /// The command that reproduces a record: what decides the figures, without the places of one machine.
    fn command(&self) -> String {
        let mut command = "cargo xtask bench".to_owned();
        for (option, is_given) in [(" --quick", self.quick), (" --small", self.small)] {
            command.push_str(if is_given { option } else { "" });
        }
        if let Some(runs) = self.runs {
            command.push_str(&format!(" --runs {runs}"));
        }
        if !self.filter.is_empty() {
            command.push_str(&format!(" --filter {}", self.filter));
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options() {
        let options = parse("--runs 3 --filter hot/all/system").expect("valid");
        assert_eq!(options.command(), "cargo xtask bench --runs 3 --filter hot/all/system");
        assert_eq!(options.for_laboratory(), ["--full", "--rounds", "3"]);
        assert!(options.selects("hot/all/system/md5/cached") && !options.selects("modes/all/system/md5/cached"));
        assert!(parse("--filter /md5/").expect("valid").selects("hot/all/system/md5/cached"));
        assert_eq!(parse("").expect("valid").for_laboratory(), ["--full"]);
        assert!(parse("--small").expect("valid").for_laboratory().is_empty());
        let quick = parse("--quick --filter hot").expect("valid");
        assert_eq!(quick.command(), "cargo xtask bench --quick --filter hot");
        assert_eq!(quick.for_laboratory(), ["--rounds", "3"]);
        assert!(quick.selects(QUICK[0]) && !quick.selects("hot/all/system/sha1/cached"));
        for wrong in ["--scale 1", "--runs 0", "--runs x", "--runs", "--fast"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
