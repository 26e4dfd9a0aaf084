//! The program: arguments, terminal, exit statuses. The only part of pfh that prints.

mod algorithms;
mod args;
mod command;
mod compare;
mod cpu;
mod exit;
mod foreign;
mod frash;
mod gather;
mod generate;
mod hash;
mod heatmap;
mod index_file;
mod keys;
mod lab;
mod lists;
mod matching;
mod message;
mod named_digests;
mod named_paths;
mod output;
mod pairs;
mod plot;
mod progress;
mod quantity;
mod reading;
mod signals;
mod similar;
mod stats;
mod warnings;

use args::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind;
pub(crate) use exit::Ending;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Parses the arguments and does what they say.
pub(crate) fn main() -> Ending {
    let words = foreign::with_short_forms(std::env::args_os().collect());
    if let Some(text) = foreign::refused_word(&words) {
        message::error(text);
        return Ending::USAGE;
    }
    let arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        Err(error) => {
            if let Some(text) = foreign::advice(&error, &words) {
                message::error(text);
                return Ending::USAGE;
            }
            return match error.kind() {
                ErrorKind::DisplayVersion => message::print(version()),
                ErrorKind::DisplayHelp => message::printed(message::standard_output().and_then(|mut stdout| {
                    error.print()?;
                    stdout.flush()
                })),
                _ => {
                    // What the user typed is quoted in it, and must not command the terminal. (In colours only where it does not.)
                    let text = error.to_string();
                    let escaped = message::escaped_lines(&text);
                    if escaped == text && !has_controls(std::env::args_os()) {
                        // Where nobody can be told, the exit status tells.
                        let _ = error.print();
                    } else {
                        message::plain(escaped.trim_end());
                    }
                    Ending::USAGE
                }
            };
        }
    };
    foreign::warn_of_exclusion(&words);
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

/// What `--version` says, of every command: what is needed to find the source of this program again.
fn version() -> String {
    let mut text = format!("pfh {}", env!("CARGO_PKG_VERSION"));
    let facts = [("commit", option_env!("PFH_COMMIT")), ("built", option_env!("PFH_BUILD_DATE"))];
    let facts: Vec<String> = facts.iter().filter_map(|(name, fact)| Some(format!("{name} {}", (*fact)?))).collect();
    if !facts.is_empty() {
        text += &format!(" ({})", facts.join(", "));
    }
    text + "\n"
}

/// Whether an argument has bytes that a terminal would obey.
fn has_controls(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.any(|argument| argument.as_bytes().iter().any(|byte| byte.is_ascii_control()))
}
