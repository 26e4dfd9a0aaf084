//! Completions and man pages, from the same definitions that parse the command line.

use super::args::{Arguments, CompletionsArguments, ManArguments};
use super::{Ending, message};
use clap::CommandFactory;

/// Prints completions for a shell.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Ending {
    // In memory first: writing would panic where nobody reads.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "pfh", &mut text);
    message::print(text)
}

/// Writes `pfh.1`, `pfh-hash.1` ….
pub(crate) fn man(arguments: &ManArguments) -> Ending {
    match clap_mangen::generate_to(Arguments::command(), &arguments.directory) {
        Ok(()) => Ending::DONE,
        Err(error) => {
            message::error(format_args!("{}: {error}", message::quoted_path(&arguments.directory)));
            Ending::INTERNAL
        }
    }
}
