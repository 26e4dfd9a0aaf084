//! `pfh lab`.

mod advise;
mod doctor;
mod measuring;
mod mount;
mod report;
mod run;
mod runner;
mod sample;
mod survey;

use super::command::Command;
use super::exit::{Ending, Failed};
use super::lab_args::{ClaimsArguments, LabArguments, LabCommand, MeasureArguments};
use super::message;
use pfh_lab::catalogue::{Catalogue, Places};
use pfh_lab::experiment::{self, Experiment};
use pfh_lab::measurements::Measurements;
use pfh_lab::{Error, environment};
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Does what the arguments say.
pub(crate) fn run(arguments: &LabArguments) -> Result<Ending, Failed> {
    match &arguments.command {
        LabCommand::List(arguments) => list(arguments.name.as_deref()),
        LabCommand::Doctor(arguments) => doctor::run(arguments),
        LabCommand::Run(arguments) => run::run(arguments),
        LabCommand::Report(arguments) => report::report(arguments),
        LabCommand::Claims(arguments) => claims(arguments),
        LabCommand::Compare(arguments) => report::compare(arguments),
        LabCommand::Measure(arguments) => measure(arguments),
        LabCommand::Mount(arguments) => mount::run(arguments),
        LabCommand::Advise(arguments) => advise::run(arguments),
        LabCommand::Survey(arguments) => survey::run(arguments),
        LabCommand::Sample(arguments) => sample::run(arguments),
        LabCommand::Runner(arguments) => runner::run(arguments.lanes),
    }
}

/// Other work on more cores than this is reported, after it was observed for a moment.
const BUSY_CORES_MAX: f64 = 0.5;
const BUSY_TIME: Duration = Duration::from_millis(300);

/// Warns of other work before something is measured.
fn warn_if_busy() {
    if let Some(cores) = environment::busy_cores(BUSY_TIME).filter(|cores| *cores > BUSY_CORES_MAX) {
        message::error(format_args!("the machine is busy: other work on {cores:.1} cores disturbs the figures"));
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        match error {
            Error::Output { .. } => Failed::internal(error),
            _ => Failed::usage(error),
        }
    }
}

/// Returns the runners and experiments. Definitions that could not be read are reported and counted.
fn catalogue(command: &mut Command, runners: Option<&Path>) -> Result<Catalogue, Error> {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".cache")))
        .ok_or_else(|| Error::Input("neither XDG_CACHE_HOME nor HOME says where runners can be built".to_owned()))?;
    let cache = std::path::absolute(cache).map_err(|error| Error::Input(format!("the cache: {error}")))?;
    let program = env::current_exe().map_err(|error| Error::Input(format!("the program's own path: {error}")))?;
    let places =
        Places { lab: folder("PFH_LAB"), runners: runners.map(Path::to_owned), cache: cache.join("pfh/lab"), program };
    let catalogue = Catalogue::find(&places)?;
    for broken in &catalogue.broken {
        message::error(broken);
    }
    command.tally.unread += catalogue.broken.len() as u64;
    Ok(catalogue)
}

/// Measures one command; its exit status is part of the answer, not ours.
fn measure(arguments: &MeasureArguments) -> Result<Ending, Failed> {
    if arguments.until_closed {
        // The group is killed in the end, and is that of the caller otherwise.
        if !pfh_lab::process::leads_its_group() {
            return Err(Failed::usage("--until-closed needs a process group of its own"));
        }
        let watched = message::standard_input().and_then(pfh_lab::programs::end_with);
        watched.map_err(|error| Failed::usage(format_args!("--until-closed: standard input: {error}")))?;
    }
    let measured = pfh_lab::programs::measure(&arguments.command, arguments.output.as_deref());
    let measured = measured.map_err(|error| Failed::internal(format_args!("cannot measure: {error}")))?;
    let line = serde_json::to_string(&measured).map_err(Failed::internal)?;
    Command::printing()?.print(format!("{line}\n"))
}

/// The claims, or the verdicts of results on them.
fn claims(arguments: &ClaimsArguments) -> Result<Ending, Failed> {
    let read = |path: &PathBuf| Measurements::open(path).map(|of| (path.to_string_lossy().into_owned(), of));
    let results: Vec<_> = arguments.results.iter().map(read).collect::<Result<_, _>>()?;
    let text = if results.is_empty() { pfh_lab::claims::page() } else { pfh_lab::claims::verdicts(&results) };
    Command::printing()?.print(text)
}

/// The experiments, or the comparisons of one.
fn list(name: Option<&str>) -> Result<Ending, Failed> {
    let mut command = Command::printing()?;
    let catalogue = catalogue(&mut command, None)?;
    let mut text = String::new();
    if let Some(name) = name {
        for comparison in Experiment::find(name, &catalogue.experiments, false)?.definition.comparisons() {
            text += &comparison;
            text.push('\n');
        }
        return command.print(text);
    }
    for path in experiment::list(&catalogue.experiments)? {
        let Experiment { name, definition, .. } = Experiment::read(&path, false)?;
        text += &format!("{name:<12} {}\n{:<12} {}\n", definition.title, "", definition.question);
        if !definition.source.is_empty() {
            text += &format!("{:<12} after: {}\n", "", definition.source);
        }
        text += &format!("{:<12} {}\n\n", "", message::quoted_path(&path));
    }
    text += "`pfh lab run NAME` runs one; a definition of your own is named by its path.\n";
    command.print(text)
}
