//! The program: arguments, terminal, exit statuses. The only part of pfh that prints.

mod algorithms;
mod args;
mod compare;
mod cpu;
mod delivery;
mod digest_list;
mod exit;
mod frash;
mod gather;
mod generate;
mod hash;
mod heatmap;
mod index_file;
mod interrupt;
mod journal;
mod keys;
mod known;
mod lab;
mod latest;
mod matching;
mod message;
mod output;
mod pairs;
mod plot;
mod progress;
mod quantity;
mod similar;
mod sorted;
mod stats;

use args::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind;
pub(crate) use exit::Ending;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Parses the arguments and does what they say.
pub(crate) fn main() -> Ending {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let printed = error.print().and_then(|()| io::stdout().flush());
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => message::printed(printed),
                // Where nobody can be told, the exit status tells.
                _ => Ending::USAGE,
            };
        }
    };
    let command = || match arguments.command {
        Command::Hash(arguments) => hash::run(*arguments),
        Command::Compare(arguments) => compare::run(*arguments),
        Command::Match(arguments) => matching::run(*arguments),
        Command::Frash(arguments) => frash::run(arguments),
        Command::Algorithms(arguments) => algorithms::run(&arguments),
        Command::Cpu(arguments) => cpu::run(&arguments),
        Command::Lab(arguments) => lab::run(&arguments),
        Command::Completions(arguments) => generate::completions(&arguments),
        Command::Man(arguments) => generate::man(&arguments),
    };
    // Panics of single files are their errors, and do not get here. The panic itself has said what and where.
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        message::error(
            "internal error: the run has ended early, and its list is not complete; please report what is said above",
        );
        Ending::INTERNAL
    })
}
