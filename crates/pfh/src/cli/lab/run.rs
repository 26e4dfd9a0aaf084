//! `pfh lab run`.

use super::args::RunArguments;
use super::{Ending, Error, catalogue, done, environment, message};
use crate::cli::progress;
use crate::cli::signals::Signals;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh_lab::experiment::Experiment;
use pfh_lab::plan::Selection;
use pfh_lab::results::FailureKind;
use pfh_lab::run::{self, Event, Options, Summary};
use pfh_lab::store;
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::SystemTime;

/// Figures taken beside so much other work say little.
const LOAD_MAX: f64 = 0.5;

pub(super) fn run(arguments: &RunArguments) -> Result<Ending, Error> {
    let catalogue = catalogue(arguments.runners.as_deref())?;
    let experiment = Experiment::find(&arguments.name, &catalogue.experiments, arguments.full)?;
    let folder = arguments.output.clone().unwrap_or_else(|| default_folder(&experiment.name));
    let options = Options {
        folder: folder.clone(),
        resume: arguments.resume,
        seed: arguments.seed,
        selection: Selection {
            runners: arguments.only.clone(),
            algorithms: arguments.algorithms.clone(),
            profiles: arguments.profiles.clone(),
        },
        memory_bytes: arguments.memory.unwrap_or_else(environment::half_of_memory),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    // Saved results are whole: nothing has to be rescued where a run is left behind.
    let signals = Signals::listen();
    if let Some(load) = environment::load().filter(|load| *load > LOAD_MAX) {
        message::error(format_args!("the machine is busy (load {load}): other work disturbs the figures"));
    }
    let mut teller = Teller::new(progress::is_wanted(arguments.progress));
    let summary = run::run(experiment, &catalogue, &options, &mut |event| teller.tell(&event), signals.flag())?;
    teller.bar.finish_and_clear();
    message::error(describe(&summary));
    if summary.cancelled {
        message::error("interrupted; `--resume` continues what is saved");
    }
    let seen = Ending { interrupted: summary.cancelled, findings: summary.faults() > 0, ..done(&catalogue) };
    let mut path = folder.join(store::FILE).into_os_string().into_vec();
    path.push(b'\n');
    Ok(message::print(path).and(seen))
}

fn default_folder(experiment: &str) -> PathBuf {
    let time = environment::timestamp(SystemTime::now()).replace(['-', ':'], "");
    PathBuf::from(format!("lab-{experiment}-{time}"))
}

fn describe(summary: &Summary) -> String {
    let mut text = format!("{} runners, {} samples", summary.available, summary.samples);
    if summary.unavailable > 0 {
        text += &format!(", {} unavailable (`pfh lab doctor` tells why)", summary.unavailable);
    }
    for (kind, count) in &summary.failures {
        text += &format!(", {count} {kind}");
    }
    text
}

/// Says on standard error what happens.
struct Teller {
    bar: ProgressBar,
    /// Said once.
    unverified: BTreeSet<String>,
}

impl Teller {
    fn new(is_wanted: bool) -> Teller {
        let bar = if is_wanted {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        Teller { bar, unverified: BTreeSet::new() }
    }

    fn show(&self, text: String) {
        self.bar.set_message(text);
        self.bar.tick();
    }

    fn say(&self, text: impl std::fmt::Display) {
        self.bar.suspend(|| message::error(text));
    }

    fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Building(folder) => self.say(format_args!("building {folder}")),
            Event::Available { runner, profile, .. } => self.show(format!("starting runners: {runner}, {profile}")),
            // `pfh lab doctor` and the results tell why; here they would be a page.
            Event::Unavailable { .. } => {}
            Event::MakingData(folder) => self.show(format!("making data in {}", message::quoted_path(folder))),
            Event::Settled(settled, all) => self.show(format!("finding the right answers: {settled} of {all}")),
            Event::NoVote { runner, failed } => {
                self.say(format_args!("{runner}: while finding the right answers: {}", failed.message));
            }
            Event::Task { done, all, cell } => {
                let percent = done * 100 / (*all).max(1);
                let (runner, profile, mode, algorithm) = (&cell.runner, &cell.profile, &cell.mode, &cell.algorithm);
                self.show(format!(
                    "{done} of {all} tasks, {percent} %: {runner} ({profile}), {mode} {algorithm} {}",
                    cell.bytes
                ));
            }
            Event::Failed(failure) => match failure.kind {
                FailureKind::NotOffered => {}
                FailureKind::Unverified => {
                    if self.unverified.insert(failure.cell.algorithm.clone()) {
                        self.say(format_args!("{}: unverified: {}", failure.cell.algorithm, failure.message));
                    }
                }
                kind => {
                    let cell = &failure.cell;
                    self.say(format_args!(
                        "{} ({}), {} {} {}: {}: {}",
                        cell.runner,
                        cell.profile,
                        cell.mode,
                        cell.algorithm,
                        cell.bytes,
                        run::name(kind),
                        failure.message
                    ));
                }
            },
            Event::BadEnd { runner, message } => self.say(format_args!("{runner}: {message}")),
        }
    }
}
