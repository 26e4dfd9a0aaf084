//! `cargo xtask bench`: pfh against its peers and against itself, as whole processes, with everything written down.
//!
//! - A *contender* is a command line; a *comparison* is some contenders over one corpus in one state of the page cache;
//!   an *experiment* is a list of comparisons that share a record under `bench/results`.
//! - Before a time is believed, the digests of all contenders of a comparison are compared; that run is the warm-up
//!   too.
//! - Then all contenders run once per round, in turning order, so that what the machine does meanwhile hits all alike.

mod cache;
mod compare;
mod contenders;
mod corpus;
mod digests;
mod experiments;
mod kernels;
mod machine;
mod rate;
mod record;
pub(crate) mod runner;
mod statistics;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use self::compare::Bench;
use self::experiments::Experiment;
use self::record::{Head, Record};
use crate::process;
use crate::setup;
use crate::workspace::Workspace;

const USAGE: &str = "\
Usage: cargo xtask bench [OPTIONS]

  --list          print the comparisons and stop
  --filter TEXT   only comparisons whose name begins with TEXT (hot, hot/real, memory …), or contains it where TEXT begins
                  with a slash (/sha256)
  --quick         what matters most, 3 runs each on corpora of a tenth of the size: under two minutes once they are there
  --runs N        N runs each
  --scale F       corpora of F times the size, 0 < F ≤ 1, to try the harness; the figures mean nothing
  --data DIR      where the corpora lie (default: $PFH_BENCH_DIR, else bench-data in the target folder)
  --output DIR    where the records go (default: bench/results; with --scale, bench-results in the target folder)
  --pfh FILE      measure this program instead of building one
  --no-install    do not install peers that are missing

  Peers are looked for in $PFH_BENCH_PEERS first, which is the place for those that no package has (sdhash, mrsh-v2,
  blazehash).";

struct Options {
    list: bool,
    filter: String,
    quick: bool,
    runs: usize,
    scale: f64,
    data: Option<PathBuf>,
    output: Option<PathBuf>,
    pfh: Option<PathBuf>,
    may_install: bool,
}

pub(crate) fn main(workspace: &Workspace, arguments: &[String]) -> Result<bool> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{USAGE}");
        return Ok(true);
    }
    let options = Options::parse(arguments)?;
    let threads = std::thread::available_parallelism()?.get();
    let mut experiments = experiments::all(threads);
    for experiment in &mut experiments {
        experiment.comparisons.retain(|comparison| options.selects(&comparison.id));
    }
    experiments.retain(|experiment| !experiment.comparisons.is_empty());
    let kernels = kernels::EXPERIMENTS.into_iter().filter(|(name, _)| options.selects(name));
    let kernels: Vec<_> = kernels.collect();
    let nothing = experiments.is_empty() && kernels.is_empty();
    ensure!(!nothing, "no comparison is called `{}`; --list prints them", options.filter);
    if options.list {
        for comparison in experiments.iter().flat_map(|experiment| &experiment.comparisons) {
            println!("{}", comparison.id);
        }
        kernels.iter().for_each(|(name, _)| println!("{name}"));
        return Ok(true);
    }
    let all_well = experiments.is_empty() || compare(workspace, &options, threads, &experiments)?;
    measure_kernels(workspace, &options, &kernels)?;
    Ok(all_well)
}

/// Measures rates inside one process, with the benchmark of the kernels.
fn measure_kernels(
    workspace: &Workspace,
    options: &Options,
    experiments: &[(&'static str, &'static str)],
) -> Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    for (name, question) in experiments {
        println!("── {name}");
        let output = options.output_folder(workspace)?;
        let head = Head {
            name,
            question,
            command: &format!("cargo xtask bench --filter {name}"),
            method: kernels::METHOD,
            machine: &machine::facts(&workspace.root, &path),
            versions: &machine::compiler(&path, workspace),
            csv_head: kernels::CSV_HEAD,
        };
        let mut record = Record::new(&output, &head)?;
        record.add_sheet(&kernels::measure(workspace, name)?)?;
        println!("wrote `{}`", record.path().display());
    }
    Ok(())
}

/// Programs against each other. False when one failed or disagreed.
fn compare(workspace: &Workspace, options: &Options, threads: usize, experiments: &[Experiment]) -> Result<bool> {
    let peers = setup::for_benchmarks();
    let consent = if options.may_install { setup::Consent::Ask } else { setup::Consent::No };
    setup::install(&peers, consent);
    let target = workspace.target_folder()?;
    let pfh = match &options.pfh {
        Some(pfh) => std::path::absolute(pfh)?,
        None => {
            process::run(workspace.cargo().args(["build", "--release", "--package", "pfh", "--bin", "pfh"]))?;
            target.join("release/pfh")
        }
    };
    ensure!(pfh.is_file(), "`{}` is not a program", pfh.display());

    let data = options.data.clone().or_else(|| std::env::var_os("PFH_BENCH_DIR").map(PathBuf::from));
    let data = data.unwrap_or_else(|| target.join("bench-data"));
    let scale_name = if options.scale < 1.0 { format!("scale-{}", options.scale) } else { "full".to_owned() };
    let path = search_path(&pfh)?;
    let store = corpus::Store::open(data.join(scale_name), options.scale, &workspace.root, &path)?;
    let output = options.output_folder(workspace)?;

    let machine = machine::facts(store.folder(), &path);
    let versions = machine::versions(&path, workspace);
    let bench = Bench { workspace, store: &store, path: &path, threads, runs: options.runs, rates: Default::default() };
    let command = options.command();
    let mut prepared = BTreeMap::new();
    let mut all_well = true;
    for experiment in experiments {
        let head = Head {
            name: experiment.name,
            question: experiment.question,
            command: &command,
            method: &record::method(options.runs),
            machine: &machine,
            versions: &versions,
            csv_head: record::CSV_HEAD,
        };
        let mut record = Record::new(&output, &head)?;
        for comparison in &experiment.comparisons {
            println!("── {}", comparison.id);
            let corpus = match prepared.get(&comparison.corpus) {
                Some(corpus) => corpus,
                None => prepared.entry(comparison.corpus).or_insert(store.prepare(comparison.corpus)?),
            };
            let results = bench.compare(comparison, corpus)?;
            all_well &= results.all_well();
            record.add(comparison, corpus, &results)?;
        }
        println!("wrote `{}`", record.path().display());
    }
    Ok(all_well)
}

/// `PATH` with the measured pfh in front, so that commands read as one would type them, and then peers that are not
/// installed.
fn search_path(pfh: &std::path::Path) -> Result<OsString> {
    let folder = pfh.parent().context("pfh lies in no folder")?.to_owned();
    let peers = std::env::var_os("PFH_BENCH_PEERS").map(PathBuf::from);
    ensure!(pfh.file_name().is_some_and(|name| name == "pfh"), "the measured program must be named `pfh`");
    let old = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths([folder].into_iter().chain(peers).chain(std::env::split_paths(&old)))?)
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            list: false,
            filter: String::new(),
            quick: false,
            runs: 5,
            scale: 1.0,
            data: None,
            output: None,
            pfh: None,
            may_install: true,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--list" => options.list = true,
                "--quick" => (options.quick, options.runs, options.scale) = (true, 3, 0.1),
                "--no-install" => options.may_install = false,
                "--filter" => options.filter = value()?.clone(),
                "--runs" => options.runs = value()?.parse().context("--runs needs a number")?,
                "--scale" => options.scale = value()?.parse().context("--scale needs a number")?,
                "--data" => options.data = Some(value()?.into()),
                "--output" => options.output = Some(value()?.into()),
                "--pfh" => options.pfh = Some(value()?.into()),
                other => bail!("unexpected argument `{other}`; `cargo xtask bench --help` lists them"),
            }
        }
        ensure!(options.runs > 0, "--runs must be at least 1");
        ensure!(options.scale > 0.0 && options.scale <= 1.0, "--scale must be above 0 and at most 1");
        Ok(options)
    }

    /// Where the records go.
    fn output_folder(&self, workspace: &Workspace) -> Result<PathBuf> {
        Ok(match &self.output {
            Some(output) => output.clone(),
            None if self.scale < 1.0 => workspace.target_folder()?.join("bench-results"),
            None => workspace.root.join("bench/results"),
        })
    }

    fn selects(&self, id: &str) -> bool {
        if self.quick && !experiments::QUICK.contains(&id) {
            return false;
        }
        if self.filter.starts_with('/') { id.contains(&self.filter) } else { id.starts_with(&self.filter) }
    }

    /// The command that reproduces a record: what decides the figures, without the places of one machine.
    fn command(&self) -> String {
        let mut command = "cargo xtask bench".to_owned();
        if self.quick {
            command.push_str(" --quick");
        }
        command.push_str(&format!(" --runs {}", self.runs));
        if self.scale < 1.0 {
            command.push_str(&format!(" --scale {}", self.scale));
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
        let options = parse("--runs 3 --scale 0.01 --filter hot/real").expect("valid");
        assert_eq!((options.runs, options.scale, options.filter.as_str()), (3, 0.01, "hot/real"));
        assert_eq!(options.command(), "cargo xtask bench --runs 3 --scale 0.01 --filter hot/real");
        let quick = parse("--quick --filter hot").expect("valid");
        assert_eq!(quick.command(), "cargo xtask bench --quick --runs 3 --scale 0.1 --filter hot");
        assert!(quick.selects("hot/real/md5") && !quick.selects("hot/real/sha1") && !quick.selects("memory/tiny"));
        let all = experiments::all(2);
        let ids: Vec<_> = all.iter().flat_map(|one| &one.comparisons).map(|one| one.id.as_str()).collect();
        assert!(experiments::QUICK.iter().all(|id| ids.contains(id)));
        assert!(options.selects("hot/real/md5") && !options.selects("modes/hot/real"));
        assert!(parse("--filter /md5").expect("valid").selects("hot/real/md5"));
        for wrong in ["--scale 2", "--scale 0", "--scale x", "--runs 0", "--runs", "--fast"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
