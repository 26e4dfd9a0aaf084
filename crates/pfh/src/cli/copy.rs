//! `pfh copy`.

use super::command::{Command, Reporting};
use super::copy_args::CopyArguments;
use super::copying::{self, Copied, Order, Root};
use super::exit::{Ending, Failed};
use super::message;
use super::quantity::{Bytes, Count};
use super::reading;
use super::written_list::WrittenList;
use pfh_digest::Algorithm;
use pfh_record::{FormatName, Selection, WriteOptions};
use pfh_similarity::Family;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Runs `pfh copy`.
pub(crate) fn run(arguments: &CopyArguments) -> Result<Ending, Failed> {
    let (sources, destinations) = sides(arguments)?;
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for name in &arguments.algorithms {
        let algorithm = algorithm_of(name.trim())?;
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    let order = Order {
        roots: sources.iter().map(|source| Root::new(source)).collect(),
        include: arguments.include.clone(),
        exclude: arguments.exclude.clone(),
        one_file_system: arguments.one_file_system,
        algorithms: algorithms.clone(),
        read_back: arguments.read_back.into(),
        options: &arguments.options,
    };
    for (root, argument) in order.roots.iter().zip(sources) {
        let found = root.path().symlink_metadata();
        if let Err(error) = found {
            return Err(Failed::usage(format_args!("{}: {error}", message::quoted(argument.as_bytes()))));
        }
    }
    let format = arguments.format.unwrap_or(if algorithms.len() == 1 { FormatName::Gnu } else { FormatName::Bsd });
    let selection = Selection::from_iter(algorithms);
    // Wrong combinations are refused before anything is copied.
    format.writer(&selection, &WriteOptions::default()).map_err(Failed::usage)?;
    let mut command = Command::begin(Reporting::of(arguments.options.messages, true), None);
    command.saves_by_itself("the same command goes on with the copy".to_owned());
    command.without_totals();
    // The list may be in a destination that is made only now.
    let opened = order.destinations(&destinations)?;
    if arguments.output.is_some() {
        let output = reading::open_output(arguments.output.as_deref(), []).and_then(|output| {
            order.refuse_list(&output, &destinations)?;
            Ok(output)
        });
        command.set_output(output.inspect_err(|_| opened.abandon())?);
    }
    let facts = destinations.first().map_or_else(|| order.facts(Path::new(".")), |first| order.facts(first));
    let Some(mut finished) = copying::copy(&mut command, &order, opened)? else {
        return command.finish(Ok(()), 0, None);
    };
    let mut written = Ok(());
    if arguments.output.is_some() {
        let begun = WrittenList::begin(format, &facts, &WriteOptions::default(), command.output());
        let mut list = begun.map_err(Failed::usage)?;
        let mut not_expressed = 0;
        written = finished.each(|record| {
            if let Err(why) = list.record(&record)? {
                not_expressed += 1;
                message::error(format_args!("{}: {why}", message::quoted(&record.path)));
            }
            Ok(())
        })?;
        command.tally.not_expressed += not_expressed;
        command.tally.unread += not_expressed;
        written = written.and_then(|()| list.end());
    }
    let copied = finished.copied;
    // The list is complete before the journal that it was made of is removed.
    let ending = command.finish(written, 1, None)?;
    if ending.interrupted {
        return Ok(ending);
    }
    finished.end()?;
    if !arguments.options.messages.quiet {
        message::error(account(&copied, destinations.len()));
    }
    Ok(ending)
}

/// Returns the algorithm of this name, if copies can be verified by it.
fn algorithm_of(name: &str) -> Result<Algorithm, Failed> {
    let algorithm = Algorithm::from_name(name).map_err(|unknown| match name.parse::<Family>() {
        Ok(family) => Failed::usage(format_args!(
            "{family} tells which files are similar; copies are verified by algorithms such as sha256, not by similarity"
        )),
        Err(_) if name == "none" => Failed::usage("copies are verified by at least one algorithm, such as sha256"),
        Err(_) => Failed::usage(unknown),
    })?;
    if algorithm.is_keyed() {
        return Err(Failed::usage(format_args!("{algorithm} takes a key; copies are verified by digests without")));
    }
    Ok(algorithm)
}

/// Tells sources and destinations apart.
fn sides(arguments: &CopyArguments) -> Result<(&[OsString], Vec<&Path>), Failed> {
    if !arguments.to.is_empty() {
        return Ok((&arguments.paths, arguments.to.iter().map(AsRef::as_ref).collect()));
    }
    let Some((destination, sources @ [first, ..])) = arguments.paths.split_last() else {
        return Err(Failed::usage("name what is to be copied, and last the directory that it is copied to"));
    };
    // `cp FILE NAME` would give the file another name.
    let is_rename = sources.len() == 1 && Path::new(first).is_file() && !destination.as_bytes().ends_with(b"/");
    let is_no_directory = !Path::new(destination).exists();
    if is_rename && is_no_directory {
        let name = message::quoted(destination.as_bytes());
        return Err(Failed::usage(format_args!(
            "{name} is not there: copies keep their names, and arrive in a directory; for a new directory, write a slash at its end"
        )));
    }
    Ok((sources, vec![Path::new(destination)]))
}

/// Says how the copy went.
fn account(copied: &Copied, destinations: usize) -> String {
    let number =
        |count: u64, one: &str, many: &str| format!("{} {}", Count(count), if count == 1 { one } else { many });
    let mut text = format!("{}, {}", number(copied.files, "file", "files"), Bytes(copied.bytes));
    if copied.links > 0 {
        text += &format!(", and {}", number(copied.links, "symbolic link", "symbolic links"));
    }
    if destinations > 1 {
        text += &format!(", at {destinations} destinations");
    }
    text += "; read back and equal";
    if copied.there > 0 {
        text += &format!("; {} there before", number(copied.there, "was", "were"));
    }
    let not_copied =
        [(copied.missing, "file", "files"), (copied.others, "device, socket or pipe", "devices, sockets and pipes")];
    let texts: Vec<_> =
        not_copied.iter().filter(|each| each.0 > 0).map(|each| number(each.0, each.1, each.2)).collect();
    if !texts.is_empty() {
        text += &format!("; not copied: {}", texts.join(", "));
    }
    text
}
