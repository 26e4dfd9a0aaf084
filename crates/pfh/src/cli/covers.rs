//! `pfh covers`.

use super::args::{CoversArguments, FileFormat};
use super::command::{Command, Reporting};
use super::common_args::WalkArguments;
use super::contents::{self, Gathered, Gatherer};
use super::exit::{Ending, Failed};
use super::quantity::{Bytes, Count};
use super::reading;
use super::{json_header, message};
use pfh_duplicates::{Item, Side, Uncovered};
use pfh_record::csv::push_field;
use pfh_record::jsonl::{end_line, push_bytes_field};
use pfh_source::View;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

/// Runs `pfh covers`.
pub(crate) fn run(arguments: &CoversArguments) -> Result<Ending, Failed> {
    let options = &arguments.options;
    let words = [&arguments.paths, &arguments.by, &arguments.digests, &arguments.by_digests];
    reading::one_input(words.into_iter().flatten().map(OsString::as_os_str), Some(&arguments.walk))?;
    let (algorithm, [lists, by_lists]) = contents::open_lists(options, [&arguments.digests, &arguments.by_digests])?;
    let mut command = Command::begin(Reporting::of(options.messages, options.allow_empty), None);
    let inputs = arguments.digests.iter().chain(&arguments.by_digests).map(OsString::as_os_str);
    command.set_output(reading::open_output(options.output.as_deref(), inputs)?);
    let mut gatherer = Gatherer::new(&mut command, options, algorithm, true, true);
    gatherer.lists(lists, Side::A, false)?;
    gatherer.lists(by_lists, Side::B, false)?;
    gatherer.walk(&arguments.paths, &arguments.walk, Side::A)?;
    // Filters and lists of files choose what is to be covered; anything may cover it.
    let WalkArguments { one_file_system, follow_files, follow_directories, preserve_access_time, .. } = arguments.walk;
    let by = WalkArguments {
        one_file_system,
        follow_files,
        follow_directories,
        preserve_access_time,
        ..WalkArguments::default()
    };
    gatherer.walk(&arguments.by, &by, Side::B)?;
    if !options.messages.quiet {
        warn_of_other_views(arguments);
    }
    let Gathered { digests, names, doubtful } = gatherer.read()?;
    if command.cancel().is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    command.report_totals();
    let (mut output, format) = (command.output(), arguments.format);
    let mut written = output.write_all(&header(format, algorithm.name()));
    let mut unexpressed = 0_u64;
    let mut print = |item: &Item| {
        let list = names.get(item.place as usize).and_then(Option::as_deref);
        if format == FileFormat::Text && message::has_control(&item.path) {
            unexpressed += 1;
        }
        if written.is_ok() {
            written = output.write_all(&line(format, item, list));
        }
        Ok(())
    };
    let uncovered = digests.uncovered(&mut print).map_err(Failed::temporary)?;
    command.tally.findings = uncovered.uncovered;
    command.tally.unread += unexpressed;
    // They can be copies of no other files than those.
    command.tally.unread += if uncovered.uncovered > 0 { doubtful } else { 0 };
    if unexpressed > 0 {
        message::error("names with control characters are quoted: csv, jsonl and null have them as they are");
    }
    if written.is_ok() && format == FileFormat::Jsonl {
        written = output.write_all(&summary_line(&uncovered, command.tally.unread));
    }
    // A disk that is not mounted has no files either, and must not look as if it could be wiped.
    let is_nothing = uncovered.files == 0 && !options.allow_empty;
    if written.is_ok() && !command.cancel().is_cancelled() {
        if is_nothing && !command.spares(0) {
            message::error(
                "no file was found that is to be covered, so nothing is proven (is the disk mounted?); with \
                 --allow-empty, that counts as covered",
            );
        }
        if !is_nothing && !options.messages.quiet {
            message::plain(format_args!("pfh: {}", summary(&uncovered)));
        }
    }
    if is_nothing {
        command.without_totals();
        command.tally.unread += 1;
    }
    command.finish(written, uncovered.files, None)
}

/// Warns of paths on both sides that different filesystems lead to, one of which may show files of the other.
fn warn_of_other_views(arguments: &CoversArguments) {
    // The first path on each device.
    let views = |paths: &[OsString]| -> Vec<(Vec<u8>, View)> {
        let mut devices = BTreeSet::new();
        // The walk reports paths that lead to nothing.
        paths
            .iter()
            .filter_map(|path| pfh_source::view_of(path.as_bytes()).ok().map(|view| (path.as_bytes().to_vec(), view)))
            .filter(|(_, view)| devices.insert(view.device))
            .collect()
    };
    let (sides, mut told) = ([views(&arguments.paths), views(&arguments.by)], BTreeSet::new());
    for (path, view) in &sides[0] {
        for (by, by_view) in sides[1].iter().filter(|(_, by_view)| by_view.device != view.device) {
            let (stacked, other, kind) = match (&by_view.stacked, &view.stacked) {
                (Some(kind), _) => (by, path, kind),
                (None, Some(kind)) => (path, by, kind),
                (None, None) => continue,
            };
            if told.insert(stacked) {
                message::error(format_args!(
                    "{} is on a filesystem of the type {kind}, which may show files of another one: if these are files \
                     in {}, they are taken for copies of themselves, which pfh cannot tell",
                    message::quoted(stacked),
                    message::quoted(other)
                ));
            }
        }
    }
}

fn header(format: FileFormat, algorithm: &str) -> Vec<u8> {
    match format {
        FileFormat::Text | FileFormat::Null => Vec::new(),
        FileFormat::Csv => b"bytes,list,path\r\n".to_vec(),
        FileFormat::Jsonl => {
            let mut line = Vec::new();
            json_header::begin(&mut line);
            json_header::push_algorithms([algorithm], &mut line);
            end_line(0, &mut line);
            line
        }
    }
}

/// Returns the line of a file that has no copy.
fn line(format: FileFormat, item: &Item, list: Option<&[u8]>) -> Vec<u8> {
    let size = item.content.size();
    match format {
        FileFormat::Text if message::has_control(&item.path) => {
            format!("{}\n", message::quoted(&item.path)).into_bytes()
        }
        FileFormat::Text => [&item.path[..], b"\n"].concat(),
        FileFormat::Null => [&item.path[..], b"\0"].concat(),
        FileFormat::Csv => {
            let mut line = size.map_or_else(String::new, |size| size.to_string()).into_bytes();
            line.push(b',');
            push_field(list.unwrap_or_default(), &mut line);
            line.push(b',');
            push_field(&item.path, &mut line);
            line.extend_from_slice(b"\r\n");
            line
        }
        FileFormat::Jsonl => {
            let mut line = b"{\"type\":\"uncovered\"".to_vec();
            push_bytes_field("path", "path_base64", &item.path, &mut line);
            if let Some(list) = list {
                push_bytes_field("list", "list_base64", list, &mut line);
            }
            if let Some(size) = size {
                line.extend_from_slice(format!(",\"bytes\":{size}").as_bytes());
            }
            end_line(0, &mut line);
            line
        }
    }
}

/// Returns the last line. `all_unread` is the number of files and lines on both sides that could not be read.
fn summary_line(uncovered: &Uncovered, all_unread: u64) -> Vec<u8> {
    let Uncovered { files, covered, uncovered, uncovered_bytes, unread, .. } = *uncovered;
    let mut line = format!(
        "{{\"type\":\"summary\",\"files\":{files},\"covered\":{covered},\"uncovered\":{uncovered},\
         \"uncovered_bytes\":{uncovered_bytes},\"unread\":{unread},\"all_unread\":{all_unread}"
    )
    .into_bytes();
    end_line(0, &mut line);
    line
}

/// Returns the sums as a sentence.
fn summary(sums: &Uncovered) -> String {
    let Uncovered { files, covered, uncovered, uncovered_bytes, unread, .. } = *sums;
    let mut text = format!(
        "{} of {} files have a copy, {} ({}) have none",
        Count(covered),
        Count(files),
        Count(uncovered),
        Bytes(uncovered_bytes)
    );
    if unread > 0 {
        text += &format!(", {} could not be read", Count(unread));
    }
    text
}
