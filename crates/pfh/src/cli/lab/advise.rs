//! `pfh lab advise`.

use super::measuring::{Measuring, Stopped};
use super::{Ending, Failed, message, warn_if_busy};
use crate::cli::command::Command;
use crate::cli::lab_args::AdviseArguments;
use crate::cli::output::Output;
use crate::cli::profile_file;
use crate::cli::progress::Progress;
use crate::cli::reading;
use pfh_lab::advice::{Advice, Machine, Measured, Plan, Profile, Tried, words};
use pfh_list::place_of;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The algorithms that are compared, if none are named.
const USUAL: [&str; 5] = ["sha256", "md5", "sha1", "sha512", "blake3"];

/// Nights follow each other every day.
const NIGHT_MAX: Duration = Duration::from_secs(24 * 3600);

pub(super) fn run(arguments: &AdviseArguments) -> Result<Ending, Failed> {
    if [arguments.files, arguments.volume, arguments.deadline.map(|time| time.as_secs())].contains(&Some(0)) {
        return Err(Failed::usage("--volume, --files and --deadline must be greater than 0"));
    }
    if arguments.deadline.is_some_and(|time| time > NIGHT_MAX) {
        return Err(Failed::usage("--deadline is the time that there is each night, and must be at most 24h"));
    }
    let is_given = !arguments.algorithms.is_empty();
    let usual = || USUAL.map(str::to_owned).to_vec();
    let mut algorithms = names(&if is_given { arguments.algorithms.clone() } else { usual() })?;
    // Before a minute is spent.
    let mut command = Command::printing()?;
    let mut saved_to = None;
    if let Some(path) = &arguments.output {
        command.set_output(reading::open_output(Some(path), arguments.from.as_ref().map(|file| file.as_os_str()))?);
    }
    if let Some(path) = &arguments.save {
        if arguments.output.as_deref().is_some_and(|output| place_of(output) == place_of(path)) {
            let path = message::quoted_path(path);
            return Err(Failed::usage(format_args!(
                "--save and --output are both {path}; each needs a file of its own"
            )));
        }
        let output = Output::whole(path).map_err(|error| reading::cannot_be_written(path, error))?;
        saved_to = Some((path, output));
    }
    let (measured, error) = match (&arguments.from, &arguments.path) {
        (Some(file), _) => {
            let measured = saved(file)?;
            if is_given {
                check_measured(file, &measured, &algorithms)?;
            } else {
                algorithms = names(&algorithms_of(&measured))?;
            }
            (measured, None)
        }
        (None, Some(path)) => match measure(arguments, path, &algorithms, &mut command) {
            Ok(measured) => measured,
            Err(Stopped::Failed(failed)) => return Err(failed),
            Err(Stopped::Cancelled) => return command.finish(Ok(()), 0, None),
        },
        (None, None) => return Err(Failed::usage("neither a path nor saved measurements are named")),
    };
    let plan = Plan {
        files: arguments.files,
        bytes: arguments.volume,
        window_seconds: arguments.deadline.map(|deadline| deadline.as_secs()),
        algorithms,
    };
    let advice = Advice::of(&measured, &plan).map_err(|missing| {
        let error = error.map_or_else(String::new, |error| format!("; the first error: {error}"));
        Failed::unread(format_args!("{missing}{error}"))
    })?;
    let text = if arguments.json {
        let mut value = serde_json::to_value(&advice).map_err(Failed::internal)?;
        value["type"] = "advice".into();
        format!("{value}\n")
    } else if arguments.html {
        words::page(&printable(advice)).html()
    } else {
        words::text(&printable(advice))
    };
    command.write(text.as_bytes());
    // The result of a minute is told, whatever becomes of the file.
    command.deliver_now();
    if let Some((file, output)) = saved_to {
        save(file, output, measured)?;
    }
    command.finish(Ok(()), 1, None)
}

/// Returns advice whose names cannot control a terminal or pass for other lines.
fn printable(advice: Advice) -> Advice {
    let escaped = |text: &str| message::quoted(text.as_bytes()).trim_matches('`').to_owned();
    Advice {
        path: message::quoted(advice.path.as_bytes()),
        device: escaped(&advice.device),
        medium: escaped(&advice.medium),
        made: escaped(&advice.made),
        machine: Machine { cpu: escaped(&advice.machine.cpu), ..advice.machine },
        options: advice.options.iter().map(|word| escaped(word)).collect(),
        tried: advice.tried.into_iter().map(|one| Tried { options: escaped(&one.options), ..one }).collect(),
        ..advice
    }
}

/// Returns the canonical names of the algorithms, each once.
fn names(words: &[String]) -> Result<Vec<String>, Failed> {
    let algorithms = reading::unkeyed(words, "takes a key, and cannot be compared here")?;
    Ok(algorithms.iter().map(ToString::to_string).collect())
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

/// Reads saved measurements.
fn saved(file: &Path) -> Result<Measured, Failed> {
    let (profile, warnings) = profile_file::read(file)?;
    warnings.iter().for_each(message::error);
    let without = || Failed::usage(format_args!("{} has options, but no measurements", message::quoted_path(file)));
    profile.measured.ok_or_else(without)
}

/// Returns the algorithms that were measured.
fn algorithms_of(measured: &Measured) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in &measured.processor {
        if run.algorithm != "none" && !names.contains(&run.algorithm) {
            names.push(run.algorithm.clone());
        }
    }
    names
}

/// Refuses algorithms that were not measured.
fn check_measured(file: &Path, measured: &Measured, algorithms: &[String]) -> Result<(), Failed> {
    let mut known = algorithms_of(measured);
    match algorithms.iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => {
            known.sort_unstable();
            let (shown, known) = (message::quoted_path(file), known.join(", "));
            Err(Failed::usage(format_args!("{shown} has no measurements of {name}; it has {known} (--algorithms)")))
        }
    }
}

/// Writes a profile that appears whole or not at all.
fn save(file: &Path, mut output: Output, measured: Measured) -> Result<(), Failed> {
    let text = Profile::of(measured).text().map_err(Failed::internal)?;
    let written = output.write(text.as_bytes()).and_then(|()| output.finish());
    written.map_err(|error| Failed::internal(format_args!("{}: {error}", message::quoted_path(file))))
}
