//! `pfh hash --plan`: shards of a plan, each of which gets a list of its own.

use super::args::HashArguments;
use super::command::{Command, Reporting};
use super::ended::lock;
use super::exit::{Ending, Failed};
use super::hash_list;
use super::message;
use super::output::Output;
use super::planned_parts::PlannedParts;
use super::plans;
use super::reading::{self, cannot_be_written};
use super::shard_args::ShardWord;
use pfh::HashRun;
use pfh_engine::Options;
use pfh_plan::{ListEntry, Plan, PlanError, PlanOptions, ResultState, TreePlace};
use pfh_record::{Format, FormatName, Metadata, Outcome, Record, SkipReason, WriteOptions};
use pfh_source::{FilePart, Listed, ListedFiles, Totals, WalkOptions};
use std::ffi::OsStr;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Hashes shards of a plan.
pub(crate) fn run(arguments: &HashArguments, folder: &Path, shard: ShardWord) -> Result<Ending, Failed> {
    let plan = plans::open(folder)?;
    let numbers = shard.numbers(plan.shards().len() as u32).map_err(Failed::usage)?;
    let options = plan.options();
    let mut engine = reading::engine_options(&arguments.engine, options.selection.clone());
    engine.backend = reading::backend(arguments.engine.backend)?;
    engine.similarity = plans::families(&plan)?.similarity_options();
    engine.piece_bytes = options.piece_bytes;
    engine.facts = plans::facts(options, &plan)?;
    // Metadata that other formats have a place for are not to be lost.
    let write = WriteOptions { posix: true, ..plans::write_options(&plan)? };
    let format = FormatName::Jsonl.writer(&options.selection, &write).map_err(Failed::usage)?;
    enter(options, arguments.shards.any_tree)?;
    pfh_source::raise_open_file_limit();
    let out = &arguments.output;
    let reporting = Reporting::of(out.messages, true);
    let mut command = Command::begin(reporting, None);
    for number in numbers {
        if command.cancel().is_cancelled() || !command.is_writing() {
            break;
        }
        match plan.state(number).map_err(plans::failed)? {
            ResultState::Missing => hash(&mut command, arguments, &plan, number, &engine, &*format)?,
            ResultState::Whole(..) if out.messages.quiet => {}
            ResultState::Whole(..) => {
                let path = message::quoted_path(&plan.result_path(number));
                message::error(format_args!("shard {number} is done already: {path}"));
            }
            ResultState::Damaged(reason) => {
                let path = plan.result_path(number);
                give_up(&mut command, &PlanError::Result { path, shard: number, reason });
            }
        }
    }
    command.finish(Ok(()), 1, None)
}

/// Reports a shard that cannot be hashed; others may be.
fn give_up(command: &mut Command, error: &PlanError) {
    message::error(error);
    command.tally.unread += 1;
}

/// Makes the plan's directory the working directory, where relative paths begin, and checks that the tree there is the
/// one that was planned.
fn enter(options: &PlanOptions, any_tree: bool) -> Result<(), Failed> {
    let path = |bytes| Path::new(OsStr::from_bytes(bytes));
    let directory = path(&options.directory);
    let quoted = message::quoted(&options.directory);
    std::env::set_current_dir(directory).map_err(|error| {
        Failed::usage(format_args!(
            "{quoted}: {error}; the plan was made there, so the tree must be mounted under the same path on this machine"
        ))
    })?;
    for place in options.tree.iter().filter(|_| !any_tree) {
        let whole = message::quoted_path(&match &*place.path {
            b"." => directory.to_owned(),
            bytes => directory.join(path(bytes)),
        });
        let advice = "mount the tree that was planned, or hash whatever is there with --any-tree";
        let there = fs::metadata(path(&place.path));
        let there = there.map_err(|error| Failed::usage(format_args!("{whole}: {error}; {advice}")))?;
        if let Some(difference) = place.difference(&TreePlace::new(place.path.clone(), &there)) {
            return Err(Failed::usage(format_args!(
                "{whole} is another directory than the one that was planned ({difference}): {advice}"
            )));
        }
    }
    Ok(())
}

/// Hashes a shard, and gives its result its name. A list that is not the planned one is reported.
fn hash(
    command: &mut Command,
    arguments: &HashArguments,
    plan: &Plan,
    number: u32,
    engine: &Options,
    format: &dyn Format,
) -> Result<(), Failed> {
    // Before hours of reading.
    if let Err(error) = plan.verify_list(number) {
        give_up(command, &error);
        return Ok(());
    }
    let (options, shard) = (plan.options(), &plan.shards()[number as usize]);
    let walk = WalkOptions {
        follow_files: options.follow_files,
        preserve_access_time: arguments.walk.preserve_access_time,
        medium: arguments.engine.medium.map(Into::into),
        io: arguments.engine.io.into(),
        ..WalkOptions::default()
    };
    let run = HashRun { walk, engine: engine.clone() };
    let mut facts = run.facts();
    // As it was planned; this machine may know it by another name, too.
    facts.directory.clone_from(&options.directory);
    let (local, engine) = run.into_parts().map_err(Failed::usage)?;
    let mut list = plan.list(number).map_err(plans::failed)?;
    let failed = Arc::new(Mutex::new(None));
    let listed = {
        let failed = Arc::clone(&failed);
        std::iter::from_fn(move || match list.next() {
            Ok(entry) => entry.map(listed),
            Err(error) => {
                *lock(&failed) = Some(error);
                None
            }
        })
    };
    let source = ListedFiles::new(local, listed, Totals::new(shard.files, shard.bytes));
    let path = plan.result_path(number);
    // The result is newer than the list, so nothing that is listed can be it: no file need be asked for its identity.
    command.set_output(Output::once(&path).map_err(|error| cannot_be_written(&path, error))?);
    let mut frame = Vec::new();
    format.header(&facts, &mut frame);
    command.write(&frame);
    let parts = PlannedParts::new(options, arguments.shards.any_tree);
    let decide = |path: &[u8], _: Option<&Metadata>| parts.decide(path);
    let decide: Option<pfh_engine::Decide<'_>> = if options.split_bytes.is_some() { Some(&decide) } else { None };
    let prepare = |record: Record| match FilePart::of_path(&record.path) {
        Some((_, part)) => parts.item(record, part),
        None => hash_list::item(format, true, &record),
    };
    let report = command.hash(&engine, &source, decide, &prepare, &mut |()| ControlFlow::Continue(()));
    let summary = report.map_err(Failed::usage)?.summary;
    if command.cancel().is_cancelled() || !command.is_writing() {
        return Ok(());
    }
    let error = lock(&failed).take();
    // A result has a record for each entry, or does not appear.
    let error = error.or_else(|| {
        let reason = format!("{} of its {} entries were hashed", summary.files(), shard.entries);
        (summary.files() != shard.entries).then(|| PlanError::List { path: plan.list_path(number), reason })
    });
    if let Some(error) = error {
        command.discard_output();
        give_up(command, &error);
        return Ok(());
    }
    frame.clear();
    format.footer(&summary, &mut frame);
    command.write(&frame);
    command.deliver_now();
    Ok(())
}

/// Returns an entry of a list as a finding of a walk.
fn listed(entry: ListEntry) -> Listed {
    match entry {
        ListEntry::File { path, size, named } => Listed::File { path, size, named, part: None },
        ListEntry::Part { path, size, named, offset, length } => {
            Listed::File { path, size, named, part: Some(FilePart { offset, length, file_bytes: size }) }
        }
        ListEntry::Other(record) => match record.outcome {
            Outcome::Skipped(reason) => Listed::Skipped(record.path, reason),
            Outcome::Unreadable { error, .. } => Listed::Failed(record.path, error),
            // No walk finds anything else.
            _ => Listed::Skipped(record.path, SkipReason::NotRegular),
        },
    }
}
