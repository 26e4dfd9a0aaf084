//! `pfh lab`.

mod doctor;
mod report;
mod run;
mod runner;

use super::command::Command;
use super::exit::{Ending, Failed};
use super::lab_args::{LabArguments, LabCommand};
use super::message;
use pfh_lab::catalogue::{Catalogue, Places};
use pfh_lab::experiment::{self, Experiment};
use pfh_lab::{Error, environment};
use std::env;
use std::path::{Path, PathBuf};

/// Does what the arguments say.
pub(crate) fn run(arguments: &LabArguments) -> Result<Ending, Failed> {
    match &arguments.command {
        LabCommand::List => list(),
        LabCommand::Doctor(arguments) => doctor::run(arguments),
        LabCommand::Run(arguments) => run::run(arguments),
        LabCommand::Report(arguments) => report::report(arguments),
        LabCommand::Claims => Command::printing()?.print(pfh_lab::claims::page()),
        LabCommand::Compare(arguments) => report::compare(arguments),
        LabCommand::Runner(arguments) => runner::run(arguments.lanes),
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

fn list() -> Result<Ending, Failed> {
    let mut command = Command::printing()?;
    let catalogue = catalogue(&mut command, None)?;
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
    command.print(text)
}
