//! `pfh audit export`: the files that are expected, as a list.

use super::super::audit_args::ExportArguments;
use super::super::command::{Command, Reporting};
use super::super::exit::{Ending, Failed};
use super::super::output::interrupted;
use super::super::quantity::Count;
use super::super::written_list::{
    self, DIGESTS, Losses, MODIFIED, NOT_EXPRESSED, SIZE, WITHOUT, WrittenList, selected,
};
use super::super::{hash_list, message, reading};
use super::collection::{Collection, full_path, output_file};
use super::run::algorithms;
use pfh_digest::Digest;
use pfh_ledger::{Error, Seen, Status, Subject};
use pfh_record::{Feature, FormatName, Metadata, Outcome, Record, RunFacts, Selection, WriteOptions};
use std::io;

/// Runs `pfh audit export`.
pub(super) fn run(arguments: &ExportArguments) -> Result<Ending, Failed> {
    let collection = Collection::of(&arguments.ledger)?;
    collection.spare([output_file(arguments.output.as_deref())])?;
    let ledger = collection.open()?;
    let failed = |error| collection.failed(error);
    let roots = ledger.roots().map_err(failed)?;
    let (outputs, settings) = (arguments.output.as_slice(), collection.settings(&ledger)?);
    collection.stay_outside(&roots, &settings, outputs, &[], arguments.quiet)?;
    let options = WriteOptions::default();
    let is_chosen = !arguments.algorithms.is_empty();
    let names = if is_chosen { arguments.algorithms.clone() } else { ledger.settings().map_err(failed)?.algorithms };
    let mut selection = Selection::from(algorithms(&names)?);
    let usual = || hash_list::usual_format(&selection, false).unwrap_or(FormatName::Bsd);
    let format = arguments.format.unwrap_or_else(usual);
    if !is_chosen {
        selection = written_list::fitting(selection, format, &options).map_err(Failed::usage)?;
    }
    let facts = RunFacts {
        selection: selection.clone(),
        // Of several roots, paths are absolute.
        directory: if let [root] = &roots[..] { root.clone() } else { Vec::new() },
        conversion: Some(written_list::conversion()?),
        ..RunFacts::default()
    };
    let reporting = Reporting { quiet: arguments.quiet, allow_empty: arguments.allow_empty, ..Reporting::DEFAULT };
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    command.set_output(reading::open_output(arguments.output.as_deref(), [])?);
    let list = WrittenList::begin(format, &facts, &options, command.output()).map_err(Failed::usage)?;
    let mut export = Export {
        roots: &roots,
        format,
        selection,
        list,
        losses: Losses::new(LOST),
        entries: 0,
        quiet: arguments.quiet,
    };
    let mut stopped = None;
    let listed = ledger.each_file(false, &mut |file| {
        if file.state.status == Status::Retired {
            return Ok(());
        }
        let digests = file.expected.map_or_else(Vec::new, |digests| digests.split());
        // Whatever was seen since, this is the file that has these digests.
        let seen = match file.state.expected {
            Some(event) => ledger.seen(event)?,
            None => None,
        };
        let written = match command.cancel().is_cancelled() {
            true => Err(interrupted()),
            false => export.write(&file.subject, &digests, seen),
        };
        written.map_err(|error| {
            stopped = Some(error);
            Error::Refused("the list cannot be written".to_owned())
        })
    });
    let Export { list, losses, entries, .. } = export;
    let written = match stopped {
        Some(error) => Err(error),
        None => listed.map_err(failed).map(|()| list.end())?,
    };
    // An interruption is told once, by the end.
    if !arguments.quiet && written.is_ok() {
        message::error(format_args!("written: {}", Count(entries)));
        losses.report();
    }
    command.count_lines(losses.count(WITHOUT) + losses.count(NOT_EXPRESSED));
    command.finish(written, entries, None)
}

/// The facts of a ledger that a list may lack.
const LOST: &[&str] = &[DIGESTS, SIZE, MODIFIED, WITHOUT, NOT_EXPRESSED];

/// The list, and the account of what it lacks.
struct Export<'a> {
    roots: &'a [Vec<u8>],
    format: FormatName,
    selection: Selection,
    list: WrittenList,
    losses: Losses,
    /// Files that were written.
    entries: u64,
    quiet: bool,
}

impl Export<'_> {
    /// Writes a file with the digests that are expected of it, and what was seen of it when it had them.
    fn write(&mut self, subject: &Subject, digests: &[Digest], seen: Option<Seen>) -> io::Result<()> {
        let path = match (self.roots, &subject.path[..]) {
            // Alone, this would be standard input.
            ([_], b"-") => b"./-".to_vec(),
            ([_], path) if !path.is_empty() => path.to_vec(),
            _ => full_path(self.roots, subject),
        };
        let mut record = Record::new(path, Outcome::Complete);
        record.digests = selected(self.selection.algorithms(), digests);
        let mut note = |kind, is_lost| self.losses.note_example(kind, is_lost, Some(&record.path[..]));
        if record.digests.is_empty() {
            note(WITHOUT, true);
            return Ok(());
        }
        note(DIGESTS, digests.len() > record.digests.len());
        note(SIZE, seen.is_some() && !self.format.keeps(Feature::Size));
        note(MODIFIED, seen.is_some() && !self.format.keeps(Feature::ModificationTime));
        record.metadata = seen.map(|seen| Metadata::new(seen.size, Some(seen.mtime)));
        record.bytes_read = seen.map_or(0, |seen| seen.size);
        record.is_size_known = seen.is_some();
        match self.list.record(&record)? {
            Ok(()) => self.entries += 1,
            Err(reason) => self.losses.refuse(&record.path, &reason.to_string(), self.quiet),
        }
        Ok(())
    }
}
