//! The program: arguments, terminal, exit statuses. This is the only part of pfh that prints.

mod algorithms;
mod args;
mod audit;
mod audit_args;
mod bag;
mod bag_args;
mod bag_files;
mod bag_make;
mod bag_verify;
mod block_scan;
mod blocks;
mod blocks_args;
mod cancellable;
mod certify;
mod certify_args;
mod classify;
mod command;
mod common_args;
mod compare;
mod contents;
mod convert;
mod convert_args;
mod copy;
mod copy_args;
mod copying;
mod covers;
mod cpu;
mod dupes;
mod ended;
pub(crate) mod exit;
mod export;
mod foreign;
mod fragments;
mod frash;
mod gather;
mod generate;
mod hash;
mod hash_list;
mod heatmap;
mod json_header;
mod keys;
mod known;
mod known_args;
mod lab;
mod lab_args;
mod line;
mod lists;
mod lookup;
mod matching;
mod merge;
mod message;
mod named_paths;
mod output;
mod pairs;
mod planned;
mod planned_parts;
mod plans;
mod profile;
mod profile_file;
mod progress;
mod quantity;
mod reading;
mod serve;
mod serve_args;
mod shard;
mod shard_args;
mod signals;
mod similar;
mod stats;
mod terminal;
mod usage;
mod verdicts;
mod verify;
mod verify_args;
mod verify_compat;
mod verify_report;
mod warnings;
mod written_list;
mod written_set;

use args::Arguments;
use clap::Parser;
use clap::error::ErrorKind;
use command::Command;
use exit::{Ending, Failed};
use std::ffi::OsString;
use std::io::{self, Write};

/// The name of this program, with its version.
const PROGRAM: &str = concat!("pfh ", env!("CARGO_PKG_VERSION"));

/// Parses the arguments and runs the command.
pub(crate) fn run() -> Result<Ending, Failed> {
    signals::survive_long_files();
    let words = foreign::with_short_forms(std::env::args_os().collect());
    if let Some(text) = foreign::refused_word(&words) {
        return Err(Failed::usage(text));
    }
    let arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        Err(error) => return tell(&error, &words),
    };
    foreign::warn_of_exclusion(&words);
    match arguments.command {
        args::Command::Hash(arguments) => hash::run(profile::applied(*arguments, &words)?),
        args::Command::Compare(arguments) => compare::run(&arguments),
        args::Command::Match(arguments) => matching::run(&arguments),
        args::Command::Known(arguments) => known::run(&arguments),
        args::Command::Verify(arguments) => verify::run(&arguments),
        args::Command::Certify(arguments) => certify::run(&arguments),
        args::Command::Convert(arguments) => convert::run(&arguments),
        args::Command::Dupes(arguments) => dupes::run(&arguments),
        args::Command::Covers(arguments) => covers::run(&arguments),
        args::Command::Audit(arguments) => audit::run(&arguments),
        args::Command::Bag(arguments) => bag::run(&arguments),
        args::Command::Copy(arguments) => copy::run(&arguments),
        args::Command::Shard(arguments) => shard::run(&arguments),
        args::Command::Merge(arguments) => merge::run(&arguments),
        args::Command::Frash(arguments) => frash::run(&arguments),
        args::Command::Algorithms(arguments) => algorithms::run(&arguments),
        args::Command::Cpu(arguments) => cpu::run(&arguments),
        args::Command::Lab(arguments) => lab::run(&arguments),
        args::Command::Completions(arguments) => generate::completions(&arguments),
        args::Command::Man(arguments) => generate::man(&arguments),
    }
}

/// Prints help or version, which the parser returns as errors, or the message about a wrong command line.
fn tell(error: &clap::Error, words: &[OsString]) -> Result<Ending, Failed> {
    if let Some(text) = foreign::advice(error, words) {
        return Err(Failed::usage(text));
    }
    match error.kind() {
        ErrorKind::DisplayVersion => Command::printing()?.print(version()),
        ErrorKind::DisplayHelp => {
            let command = Command::printing()?;
            // The parser knows whether its colours are wanted.
            let printed = error.print().and_then(|()| io::stdout().flush());
            command.finish(printed, 1, None)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // If standard error is closed, only the exit status remains.
            let _ = error.print();
            Err(Failed::reported_usage())
        }
        _ => Err(Failed::usage(usage::text(error, words))),
    }
}

/// Returns the text of `--version`, for every command: the facts needed to find the source of this program again.
fn version() -> String {
    let mut text = PROGRAM.to_owned();
    let facts = [("commit", option_env!("PFH_COMMIT")), ("built", option_env!("PFH_BUILD_DATE"))];
    let facts: Vec<String> = facts.iter().filter_map(|(name, fact)| Some(format!("{name} {}", (*fact)?))).collect();
    if !facts.is_empty() {
        text += &format!(" ({})", facts.join(", "));
    }
    text + "\n"
}
