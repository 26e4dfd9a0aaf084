//! `pfh lab run`.

use super::{Ending, Failed, catalogue, environment, message, warn_if_busy};
use crate::cli::command::Command;
use crate::cli::lab_args::{RunArguments, SIMULATED};
use crate::cli::progress::Progress;
use crate::cli::quantity::plural;
use pfh_digest::Algorithm;
use pfh_lab::experiment::Experiment;
use pfh_lab::experiment::trials::MODE;
use pfh_lab::plan::Selection;
use pfh_lab::programs::Places;
use pfh_lab::results::{Cell, FailureKind};
use pfh_lab::run::{self, Event, Options, Summary};
use pfh_lab::store;
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

/// The least limit of memory: in less, no runner starts.
const MEMORY_BYTES_LEAST: u64 = 1 << 20;

pub(super) fn run(arguments: &RunArguments) -> Result<Ending, Failed> {
    if arguments.memory.is_some_and(|bytes| bytes < MEMORY_BYTES_LEAST) {
        return Err(Failed::usage("--memory must be at least 1M, since no runner starts in less"));
    }
    let mut command = Command::printing()?;
    let catalogue = catalogue(&mut command, arguments.runners.as_deref())?;
    let experiment = Experiment::find(&arguments.name, &catalogue.experiments, arguments.full)?;
    let folder = arguments.output.clone().unwrap_or_else(|| default_folder(&experiment.name));
    let options = Options {
        folder: folder.clone(),
        resume: arguments.resume,
        seed: arguments.seed,
        rounds: arguments.rounds,
        selection: Selection {
            runners: arguments.only.clone(),
            algorithms: arguments.algorithms.clone(),
            profiles: arguments.profiles.clone(),
            devices: arguments.devices.iter().map(|(name, _)| name.clone()).collect(),
            comparisons: arguments.comparisons.clone(),
        },
        memory_bytes: arguments.memory.unwrap_or_else(environment::half_of_memory),
        unknown_algorithm,
        unknown_device,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        places: Places {
            devices: arguments.devices.iter().filter_map(|(name, at)| Some((name.clone(), at.clone()?))).collect(),
            notes: arguments.device_notes.iter().cloned().collect(),
            corpus: arguments.corpus.clone(),
            kept: arguments.keep_corpora.clone(),
        },
    };
    let saved = message::quoted_path(&folder);
    command.saves_by_itself(format!("`--resume` continues what is saved in {saved}"));
    warn_if_busy();
    let has_programs = !experiment.definition.programs.is_empty();
    let shown = Mutex::new(String::new());
    let mut teller = Teller { shown: &shown, unverified: BTreeSet::new(), has_failed: false };
    let summary = thread::scope(|scope| {
        let text = || shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _progress = Progress::of(arguments.progress, scope, text);
        run::run(experiment, &catalogue, &options, &mut |event| teller.tell(&event), command.cancel_flag())
    })?;
    let has_failed = teller.has_failed;
    // With a limit of its own, this run tells other reasons than the doctor, who knows no whole programs.
    let told =
        if arguments.memory.is_some() || has_programs { "the results tell why" } else { "`pfh lab doctor` tells why" };
    message::error(describe(&summary, told));
    let is_tried = summary.available == 0 || !summary.failures.is_empty();
    if summary.samples == 0 && is_tried && !summary.cancelled {
        message::error("nothing was measured; `pfh lab report` tells why");
    }
    if has_failed {
        message::error(
            "programs that failed have no times, and `--resume` does not try them again: mend the device or the \
             program, or raise `task_seconds` where they only took too long, and run the experiment anew",
        );
    }
    command.tally.findings = summary.faults();
    let mut path = folder.join(store::FILE).into_os_string().into_vec();
    path.push(b'\n');
    command.print(path)
}

fn default_folder(experiment: &str) -> PathBuf {
    let time = environment::timestamp(SystemTime::now()).replace(['-', ':'], "");
    PathBuf::from(format!("lab-{experiment}-{time}"))
}

/// Why pfh has no algorithm of this name; nothing if it has.
fn unknown_algorithm(name: &str) -> Option<String> {
    match Algorithm::from_name(name) {
        Ok(algorithm) if algorithm.to_string() == name => None,
        Ok(algorithm) => Some(format!("the algorithm `{name}` is called `{algorithm}`")),
        Err(error) => Some(error.to_string()),
    }
}

/// Why there is no simulated device of this name; nothing if there is. A description is read when it is mounted.
fn unknown_device(name: &str) -> Option<String> {
    let is_known = SIMULATED.contains(&name) || name.ends_with(".toml");
    let names = || SIMULATED.join(", ");
    (!is_known).then(|| format!("there is no device `{name}`; there are here, {} and descriptions in `.toml`", names()))
}

fn describe(summary: &Summary, told: &str) -> String {
    let mut text = format!("{}, {}", plural(summary.available as u64, "runner"), plural(summary.samples, "sample"));
    if summary.unavailable > 0 {
        text += &format!(", {} unavailable ({told})", summary.unavailable);
    }
    for (kind, count) in &summary.failures {
        text += &format!(", {count} {kind}");
    }
    let earlier = summary.earlier_faults();
    if earlier > 0 {
        text += &format!(", {} of earlier runs", plural(earlier, "failure"));
    }
    if summary.disagreements > 0 {
        text += &format!(", {} among programs", plural(summary.disagreements, "disagreement"));
    }
    text
}

/// Shows the progress of the run, and reports problems.
struct Teller<'a> {
    /// The line of progress.
    shown: &'a Mutex<String>,
    /// Said once.
    unverified: BTreeSet<String>,
    /// A program failed, and not by what it printed.
    has_failed: bool,
}

/// The dimensions of a whole program's cell: its files, its device, the state of the cache …
fn conditions(cell: &Cell) -> String {
    cell.dimensions.iter().map(|(name, value)| format!(", {name} {value}")).collect()
}

impl Teller<'_> {
    fn show(&self, text: String) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Building(folder) => message::error(format_args!("building {folder}")),
            Event::Available { runner, profile, .. } => self.show(format!("starting runners: {runner}, {profile}")),
            // The results tell why; here they would be a page.
            Event::Unavailable { .. } => {}
            Event::Note(text) => message::error(text),
            Event::MakingData(folder) => self.show(format!("making data in {}", message::quoted_path(folder))),
            Event::Settled(settled, all) => self.show(format!("finding the right answers: {settled} of {all}")),
            Event::NoVote { runner, failed } => {
                message::error(format_args!("{runner}: while finding the right answers: {}", failed.message));
            }
            Event::Task { done, all, cell } => {
                let percent = done * 100 / (*all).max(1);
                let (runner, profile, mode, algorithm) = (&cell.runner, &cell.profile, &cell.mode, &cell.algorithm);
                self.show(format!(
                    "{done} of {all} tasks, {percent} %: {runner} ({profile}), {mode} {algorithm} {}{}",
                    cell.bytes,
                    conditions(cell)
                ));
            }
            Event::Failed(failure) => match failure.kind {
                FailureKind::NotOffered => {}
                FailureKind::Unverified => {
                    if self.unverified.insert(failure.cell.algorithm.clone()) {
                        message::error(format_args!("{}: unverified: {}", failure.cell.algorithm, failure.message));
                    }
                }
                kind => {
                    let cell = &failure.cell;
                    self.has_failed |= kind != FailureKind::WrongAnswer && cell.mode == MODE;
                    message::error(format_args!(
                        "{} ({}), {} {} {}{}: {}: {}",
                        cell.runner,
                        cell.profile,
                        cell.mode,
                        cell.algorithm,
                        cell.bytes,
                        conditions(cell),
                        run::name(kind),
                        failure.message
                    ));
                }
            },
            Event::BadEnd { runner, message } => message::error(format_args!("{runner}: {message}")),
        }
    }
}
