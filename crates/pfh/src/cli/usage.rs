//! Messages about wrong command lines, one line each: the parser's own have several.

use super::args::Arguments;
use super::message::quoted;
use super::quantity::AT_LEAST_ONE;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};

/// Arguments that others can stand for: the commands that need them, the argument, and all that serve. The parser names
/// only the argument.
const ALTERNATIVES: &[(&[&str], &str, &str)] = &[
    (&["pfh hash"], "<PATH>...", "PATH, --files-from, --files-from0 or --plan"),
    (
        &["pfh compare", "pfh match", "pfh dupes", "pfh covers"],
        "<PATH>...",
        "PATH, --digests, --files-from or --files-from0",
    ),
    (&["pfh shard"], "<PATH>...", "PATH, --files-from or --files-from0"),
    (&["pfh match"], "--digest <DIGEST>", "--digest or --known"),
    (&["pfh covers"], "--by <PATH>", "--by or --by-digests"),
    (&["pfh shard"], "--shards <N>", "--shards or --shard-size"),
    (&["pfh lab advise"], "<PATH>", "PATH or --from"),
];

/// Returns what is wrong with a command line. `words` is the whole of it.
pub(super) fn text(error: &clap::Error, words: &[OsString]) -> String {
    let command = command_of(words);
    let text = match (error.kind(), error.get(ContextKind::InvalidArg), error.get(ContextKind::PriorArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(argument)), _) if argument.starts_with('-') => {
            format!("{} is not an option of `{command}`", quoted(argument.as_bytes()))
        }
        (ErrorKind::UnknownArgument, Some(ContextValue::String(argument)), _) => {
            format!("{} is one argument too many for `{command}`", quoted(argument.as_bytes()))
        }
        (ErrorKind::InvalidValue | ErrorKind::ValueValidation, Some(ContextValue::String(argument)), _) => {
            refused_value(error, name_of(argument))
        }
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(arguments)), _) => {
            let needed: Vec<&str> = arguments.iter().map(|argument| that_serve(&command, argument)).collect();
            format!("`{command}` needs {}", needed.join(", and "))
        }
        (ErrorKind::ArgumentConflict, Some(ContextValue::String(argument)), Some(prior)) => {
            let (argument, prior) = (name_of(argument), strings(prior));
            let prior: Vec<&str> = prior.into_iter().map(name_of).collect();
            match &prior[..] {
                [] => of_parser(error),
                [one] if *one == argument => format!("{argument} is given more than once"),
                _ => format!("{argument} cannot be used with {}", prior.join(", ")),
            }
        }
        (ErrorKind::InvalidSubcommand, ..) => match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(word)) => format!("{} is not a command of `{command}`", quoted(word.as_bytes())),
            _ => of_parser(error),
        },
        _ => of_parser(error),
    };
    format!("{text}{}; see `{command} --help`", suggestion(error))
}

/// Returns the reason against the value of an option: what would have been right.
pub(super) fn refused_value(error: &clap::Error, option: &str) -> String {
    let refused = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) if !value.is_empty() => {
            format!("{} is not a value of {option}", quoted(value.as_bytes()))
        }
        _ => format!("{option} has no value"),
    };
    let values = error.get(ContextKind::ValidValue).map(strings).unwrap_or_default();
    let is_zero = |reason: &ParseIntError| *reason.kind() == IntErrorKind::Zero;
    match error.source() {
        Some(reason) if reason.downcast_ref().is_some_and(is_zero) => format!("{refused} ({AT_LEAST_ONE})"),
        Some(reason) => format!("{refused} ({reason})"),
        None if values.is_empty() => refused,
        None => format!("{refused} (possible values: {})", values.join(", ")),
    }
}

/// Returns the command that the words name, with those above it.
fn command_of(words: &[OsString]) -> String {
    let whole = Arguments::command();
    let (mut command, mut name) = (&whole, whole.get_name().to_owned());
    for word in words.iter().skip(1) {
        let Some(below) = command.find_subcommand(word) else { break };
        name = format!("{name} {}", below.get_name());
        command = below;
    }
    name
}

/// Returns an option without its value; other arguments as they are.
fn name_of(argument: &str) -> &str {
    if argument.starts_with('-') { argument.split([' ', '=', '[']).next().unwrap_or(argument) } else { argument }
}

/// Returns the arguments that serve in the place of one that is missing.
fn that_serve<'a>(command: &str, argument: &'a str) -> &'a str {
    let row = ALTERNATIVES.iter().find(|row| row.0.contains(&command) && row.1 == argument);
    row.map_or(argument, |row| row.2)
}

fn strings(value: &ContextValue) -> Vec<&str> {
    match value {
        ContextValue::String(text) => vec![text],
        ContextValue::Strings(texts) => texts.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns what the parser takes for meant, as the continuation of a sentence.
fn suggestion(error: &clap::Error) -> String {
    let mut text = String::new();
    for kind in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
        let similar = error.get(kind).map(strings).unwrap_or_default();
        let similar: Vec<String> = similar.iter().map(|one| format!("`{one}`")).collect();
        match &similar[..] {
            [] => {}
            [one] => text += &format!("; a similar one exists: {one}"),
            several => text += &format!("; similar ones exist: {}", several.join(", ")),
        }
    }
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) {
        // A foreign option that is passed as a value would be taken for the name of a file.
        let tips = tips.iter().map(ToString::to_string).filter(|tip| !tip.starts_with("to pass "));
        text.extend(tips.map(|tip| format!("; {tip}")));
    }
    text
}

/// Returns the parser's own reason as one line.
fn of_parser(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim);
    let lines = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("tip: ")).collect();
    let line = lines.join(" ");
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn said(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        text(&Arguments::try_parse_from(&words).expect_err(line), &words)
    }

    #[test]
    fn mistakes_are_told_in_one_line() {
        for (line, expected) in [
            ("pfh hash --outptu x d", "`--outptu` is not an option of `pfh hash`; a similar one exists: `--output`"),
            ("pfh known info --such set", "`--such` is not an option of `pfh known info`"),
            ("pfh cpu x", "`x` is one argument too many for `pfh cpu`"),
            ("pfh hash --mode fast d", "`fast` is not a value of --mode (possible values: adaptive, mtp, smt)"),
            ("pfh known serve --max-digests 0 s", "`0` is not a value of --max-digests (it has to be 1 or more)"),
            ("pfh known serve --max-body 0K s", "`0K` is not a value of --max-body (it has to be 1 or more)"),
            ("pfh hash -m 12X d", "`12X` is not a value of --memory (`12X` is not a size"),
            ("pfh hash -t 1 -t 2 d", "--threads is given more than once"),
            ("pfh lab runs", "`runs` is not a command of `pfh lab`; "),
            ("pfh hash --resume d", "`pfh hash` needs --output <FILE>"),
        ] {
            let said = said(line);
            assert!(said.starts_with(expected) && said.contains("; see `pfh "), "{line}: {said}");
            assert!(!said.contains('\n') && !said.contains("as a value"), "{line}: {said}");
        }
        let conflict = said("pfh hash --tag --json d");
        assert!(conflict.contains(" cannot be used with --"), "{conflict}");
    }

    /// The parser names one of the arguments that serve, and each row of the table is that one.
    #[test]
    fn all_that_serve_are_named() {
        for (commands, argument, serve) in ALTERNATIVES {
            for command in *commands {
                let said = said(command);
                assert!(said.contains(serve), "{command} {argument}: {said}");
            }
        }
        assert_eq!(said("pfh match d"), "`pfh match` needs --digest or --known; see `pfh match --help`");
        assert!(said("pfh covers").contains(", and "));
    }
}
