//! `pfh lab advise`.

use super::measuring::{self, Measuring, Stopped};
use super::{Ending, Failed, message, warn_if_busy};
use crate::cli::command::Command;
use crate::cli::lab_args::AdviseArguments;
use crate::cli::output::Output;
use crate::cli::progress::Progress;
use crate::cli::reading;
use pfh_digest::Algorithm;
use pfh_lab::advice::{Advice, Measured, Plan, Profile, words};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Largest file of measurements.
const PROFILE_BYTES_MAX: u64 = 4 << 20;

pub(super) fn run(arguments: &AdviseArguments) -> Result<Ending, Failed> {
    let algorithms = names(&arguments.algorithms)?;
    let plan = Plan {
        files: arguments.files,
        bytes: arguments.volume,
        window_seconds: arguments.deadline.map(|deadline| deadline.as_secs()),
        algorithms: algorithms.clone(),
    };
    if [plan.files, plan.bytes, plan.window_seconds].contains(&Some(0)) {
        return Err(Failed::usage("--volume, --files and --deadline must be greater than 0"));
    }
    // Before a minute is spent.
    let mut command = Command::printing()?;
    if let Some(path) = &arguments.output {
        command.set_output(reading::open_output(Some(path))?);
    }
    let (measured, error) = match (&arguments.from, &arguments.path) {
        (Some(file), _) => (saved(file, &algorithms)?, None),
        (None, Some(path)) => match measure(arguments, path, &algorithms, &mut command) {
            Ok(measured) => measured,
            Err(Stopped::Failed(failed)) => return Err(failed),
            Err(Stopped::Cancelled) => return command.finish(Ok(()), 0, None),
        },
        (None, None) => return Err(Failed::usage("neither a path nor saved measurements are named")),
    };
    let advice = Advice::of(&measured, &plan).map_err(|missing| {
        let error = error.map_or_else(String::new, |error| format!("; the first error: {error}"));
        Failed::unread(format_args!("{missing}{error}"))
    })?;
    if let Some(file) = &arguments.save {
        save(file, measured)?;
    }
    let text = if arguments.json {
        let mut value = serde_json::to_value(&advice).map_err(Failed::internal)?;
        value["type"] = "advice".into();
        format!("{value}\n")
    } else if arguments.html {
        words::page(&advice).html()
    } else {
        words::text(&advice)
    };
    command.print(text)
}

/// Returns the canonical names of the algorithms, each once.
fn names(words: &[String]) -> Result<Vec<String>, Failed> {
    let mut names: Vec<String> = Vec::new();
    for word in words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
        let algorithm = Algorithm::from_name(word).map_err(Failed::usage)?;
        if algorithm.is_keyed() {
            return Err(Failed::usage(format_args!("{algorithm} takes a key, and cannot be compared here")));
        }
        let name = algorithm.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { Err(Failed::usage("no algorithm is named; `pfh algorithms` lists them")) } else { Ok(names) }
}

fn measure(
    arguments: &AdviseArguments,
    path: &Path,
    algorithms: &[String],
    command: &mut Command,
) -> Result<(Measured, Option<String>), Stopped> {
    command.saves_by_itself("nothing was measured to the end; the same command begins anew".to_owned());
    warn_if_busy();
    let shown = Mutex::new(String::new());
    thread::scope(|scope| {
        let text = || shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _progress = Progress::of(arguments.progress, scope, text);
        let show = |text| *shown.lock().unwrap_or_else(PoisonError::into_inner) = text;
        let volume = (arguments.files, arguments.volume);
        Measuring::new(path, algorithms, volume, arguments.seconds, command.cancel_flag(), &show)?.run()
    })
}

/// Reads saved measurements, which must have all of the algorithms.
fn saved(file: &Path, algorithms: &[String]) -> Result<Measured, Failed> {
    let shown = message::quoted_path(file);
    let (profile, warnings) = read(file)?;
    warnings.iter().for_each(message::error);
    let Some(measured) = profile.measured else {
        return Err(Failed::usage(format_args!("{shown} has options, but no measurements")));
    };
    let is_measured = |name: &String| measured.processor.iter().any(|run| run.algorithm == *name);
    match algorithms.iter().find(|name| !is_measured(name)) {
        None => Ok(measured),
        Some(name) => {
            let mut names: Vec<&str> = measured.processor.iter().map(|run| run.algorithm.as_str()).collect();
            names.retain(|name| *name != "none");
            names.sort_unstable();
            names.dedup();
            let names = names.join(", ");
            Err(Failed::usage(format_args!("{shown} has no measurements of {name}; it has {names} (--algorithms)")))
        }
    }
}

/// Reads a profile; also returns what is to be reported about it.
pub(super) fn read(file: &Path) -> Result<(Profile, Vec<String>), Failed> {
    let shown = message::quoted_path(file);
    let bytes = reading::read_small(file, PROFILE_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|error| Failed::usage(format_args!("{shown}: {error}")))?;
    let (profile, unknown) = Profile::parse(&text).map_err(|error| Failed::usage(format_args!("{shown}: {error}")))?;
    let mut warnings = Vec::new();
    if !unknown.is_empty() {
        let (unknown, are) = (unknown.join(", "), if unknown.len() == 1 { "is" } else { "are" });
        warnings.push(format!("{shown}: {unknown} {are} not known to this version, and left out of account"));
    }
    let differences = profile.differences(&measuring::machine());
    if !differences.is_empty() {
        let differences = differences.join(", ");
        warnings.push(format!("{shown} was measured on another machine: {differences}; it may not fit this one"));
    }
    Ok((profile, warnings))
}

/// Writes a profile that appears whole or not at all.
fn save(file: &Path, measured: Measured) -> Result<(), Failed> {
    let text = Profile::of(measured).text().map_err(Failed::internal)?;
    let written = Output::whole(file).and_then(|mut output| {
        output.write(text.as_bytes())?;
        output.finish()
    });
    written.map_err(|error| Failed::internal(format_args!("{}: {error}", message::quoted_path(file))))
}
