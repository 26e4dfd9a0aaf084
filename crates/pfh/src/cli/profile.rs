//! `pfh hash --profile`: options that `pfh lab advise` found.

use super::args::{Arguments, HashArguments};
use super::exit::Failed;
use super::signals::Signals;
use super::{message, profile_file};
use clap::parser::ValueSource;
use clap::{CommandFactory, ValueEnum};
use std::ffi::OsString;

/// Returns the arguments with the options of their profile, if they name one, where `words`, the command line, does not
/// give them.
pub(crate) fn applied(mut arguments: HashArguments, words: &[OsString]) -> Result<HashArguments, Failed> {
    let Some(file) = &arguments.profile else { return Ok(arguments) };
    let shown = message::quoted_path(file);
    let (profile, warnings) = {
        // It may be a FIFO.
        let _guard = Signals::listen().guard_if_none();
        profile_file::read(file)?
    };
    let matches = Arguments::command().try_get_matches_from(words).map_err(Failed::usage)?;
    let hash = matches.subcommand_matches("hash");
    let is_given = |id| hash.is_some_and(|hash| hash.value_source(id) == Some(ValueSource::CommandLine));
    let options = profile.options;
    for (name, number, range) in [("threads", options.threads, 1..=4096), ("prefetchers", options.prefetchers, 1..=511)]
    {
        if !range.contains(&number) {
            let (least, most) = range.into_inner();
            return Err(Failed::usage(format_args!(
                "{shown}: `{name}` is {number}, and may be from {least} to {most}"
            )));
        }
    }
    let engine = &mut arguments.engine;
    if !is_given("threads") {
        engine.threads = Some(options.threads);
    }
    if !is_given("prefetchers") {
        engine.prefetchers = options.prefetchers;
    }
    if !is_given("mode") {
        engine.mode = word(&shown, "mode", &options.mode)?;
    }
    if !is_given("order") {
        engine.order = word(&shown, "order", &options.order)?;
    }
    if !is_given("io") {
        engine.io = word(&shown, "io", &options.io)?;
    }
    if let (false, Some(medium)) = (is_given("medium"), &options.medium) {
        engine.medium = Some(word(&shown, "medium", medium)?);
    }
    if !arguments.output.messages.quiet {
        warnings.iter().for_each(message::error);
    }
    Ok(arguments)
}

fn word<W: ValueEnum>(shown: &str, name: &str, word: &str) -> Result<W, Failed> {
    W::from_str(word, false).map_err(|_| {
        let words = W::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let words: Vec<String> = words.map(|word| word.get_name().to_owned()).collect();
        let words = words.join(", ");
        Failed::usage(format_args!("{shown}: `{name}` is {word:?}, and may be {words}"))
    })
}
