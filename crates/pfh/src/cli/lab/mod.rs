//! `pfh lab`.

pub(super) mod args;
mod doctor;
mod report;
mod run;
mod runner;

use super::{Ending, message};
use args::{LabArguments, LabCommand};
use pfh_lab::catalogue::{Catalogue, Places};
use pfh_lab::experiment::{self, Experiment};
use pfh_lab::{Error, environment};
use std::env;
use std::path::{Path, PathBuf};

/// Does what the arguments say.
pub(crate) fn run(arguments: &LabArguments) -> Ending {
    let outcome = match &arguments.command {
        LabCommand::List => list(),
        LabCommand::Doctor(arguments) => doctor::run(arguments),
        LabCommand::Run(arguments) => run::run(arguments),
        LabCommand::Report(arguments) => report::report(arguments),
        LabCommand::Claims => Ok(message::print(pfh_lab::claims::page())),
        LabCommand::Compare(arguments) => report::compare(arguments),
        LabCommand::Runner(arguments) => return runner::run(arguments.lanes),
    };
    outcome.unwrap_or_else(|error| {
        message::error(&error);
        match error {
            Error::Output { .. } => Ending::INTERNAL,
            _ => Ending::USAGE,
        }
    })
}

/// The runners and experiments that there are.
fn catalogue(runners: Option<&Path>) -> Result<Catalogue, Error> {
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
    Ok(catalogue)
}

/// The ending of a command that has done everything, given the faults of the catalogue.
fn done(catalogue: &Catalogue) -> Ending {
    Ending { unread: !catalogue.broken.is_empty(), ..Ending::DONE }
}

fn list() -> Result<Ending, Error> {
    let catalogue = catalogue(None)?;
    let mut text = String::new();
    for path in experiment::list(&catalogue.experiments)? {
        let Experiment { name, definition, .. } = Experiment::read(&path, false)?;
        text += &format!("{name:<12} {}\n{:<12} {}\n", definition.title, "", definition.question);
        if !definition.source.is_empty() {
            text += &format!("{:<12} after: {}\n", "", definition.source);
        }
        text += &format!("{:<12} {}\n\n", "", message::quoted_path(&path));
    }
    text += "`pfh lab run NAME` runs one; a definition of your own is named by its path.\n";
    Ok(message::print(text).and(done(&catalogue)))
}
