//! Completions and man pages, from the same definitions that parse the command line.

use super::args::{Arguments, CompletionsArguments, ManArguments};
use super::{ExitStatus, message};
use clap::CommandFactory;
use std::io;

/// Prints completions for a shell.
pub(crate) fn completions(arguments: &CompletionsArguments) -> ExitStatus {
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "pfh", &mut io::stdout().lock());
    ExitStatus::Done
}

/// Writes `pfh.1`, `pfh-hash.1` ….
pub(crate) fn man(arguments: &ManArguments) -> ExitStatus {
    match clap_mangen::generate_to(Arguments::command(), &arguments.directory) {
        Ok(()) => ExitStatus::Done,
        Err(error) => {
            message::error(format_args!("`{}`: {error}", arguments.directory.display()));
            ExitStatus::Internal
        }
    }
}
