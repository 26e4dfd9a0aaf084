//! `pfh shard`.

use super::command::{Command, Item, Reporting};
use super::exit::{Ending, Failed};
use super::hash_list;
use super::message;
use super::plans;
use super::quantity::{Bytes, Count, plural};
use super::reading;
use super::shard_args::ShardArguments;
use pfh::HashRun;
use pfh_digest::Algorithm;
use pfh_engine::Options;
use pfh_facts::Counting;
use pfh_plan::{Cut, Plan, PlanError, PlanOptions, Planner, TreePlace, weight};
use pfh_record::{Outcome, Record, Selection};
use pfh_source::{EntryKind, ErrorKind, FileError, Found, LocalHandle, Source as _, WalkOptions};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most directories of a plan by which machines recognise the tree.
const TREE_PLACES_MAX: usize = 64;

/// Runs `pfh shard`.
pub(crate) fn run(arguments: &ShardArguments) -> Result<Ending, Failed> {
    match (&arguments.status, &arguments.output) {
        (Some(plan), _) => status(&plans::open(plan)?, arguments.messages.quiet),
        (None, Some(folder)) => plan(arguments, folder),
        (None, None) => Err(Failed::usage("name the folder of the plan with -o")),
    }
}

fn plan(arguments: &ShardArguments, folder: &Path) -> Result<Ending, Failed> {
    let selection = hash_list::selection(&arguments.algorithms)?;
    if let Some(keyed) = selection.algorithms().iter().find(|one| one.is_keyed()) {
        return Err(Failed::usage(format_args!(
            "{keyed} takes a key, and a plan cannot check that all shards have the same one; use `pfh hash`"
        )));
    }
    let serial = pfh_plan::cannot_be_joined(&selection);
    if arguments.split.is_some() && !serial.is_empty() {
        let joinable: Vec<&str> = Algorithm::all().filter(|one| one.joins_parts()).map(|one| one.name()).collect();
        return Err(Failed::usage(format_args!(
            "--split: {} of a file cannot be joined from parts, so one task has to read the whole file; leave the option out, or use only {}",
            serial.join(", "),
            joinable.join(", "),
        )));
    }
    if arguments.paths.iter().any(|path| path == "-") {
        return Err(Failed::usage("`-` is standard input, which other machines cannot read; use `pfh hash`"));
    }
    reading::refuse_file(folder)?;
    let cut = match (arguments.shards, arguments.shard_size) {
        (Some(shards), _) => Cut::Shards(shards),
        (None, Some(bytes)) => Cut::ShardBytes(bytes),
        (None, None) => return Err(Failed::usage("say how many shards there are to be: --shards N")),
    };
    let reporting = Reporting::of(arguments.messages, true);
    pfh_source::raise_open_file_limit();
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    // The list may be a FIFO that nobody ever writes to.
    let list = reading::file_list_until(&arguments.walk, command.cancel())?;
    command.saves_by_itself("no plan was made".to_owned());
    let walk = reading::walk_options(&arguments.paths, &arguments.walk, list);
    let walk = WalkOptions { want_size: Some(true), ..walk };
    let run = HashRun { walk, engine: Options::new(Selection::default()) };
    let (source, _) = run.into_parts().map_err(Failed::usage)?;
    command.look_at(&arguments.paths, &arguments.walk)?;
    let options = options(arguments, selection)?;
    let mut planner = Planner::create(folder, arguments.per_file).map_err(plans::failed)?.splitting(arguments.split);
    let own = planner.own_file();
    let (files, mut result) = (AtomicU64::new(0), Ok(()));
    let text = || format!("{} files listed", Count(files.load(Ordering::Relaxed)));
    command.work(text, |command| {
        let cancel = command.cancel().clone();
        source.walk_while(&|| !cancel.is_cancelled(), &mut |found| {
            let is_own = matches!(&found, Found::Entry(entry) if own.is_some() && entry.identity_hint == own);
            if !is_own {
                result = add(&mut planner, command, found);
                files.store(planner.totals().files, Ordering::Relaxed);
            }
            result.is_ok() && !cancel.is_cancelled()
        });
        command.end_warnings();
    });
    let stop = command.cancel_flag();
    let made = match result {
        Ok(()) if !command.cancel().is_cancelled() => planner.finish(options, cut, stop),
        Ok(()) => {
            planner.discard();
            Err(PlanError::Stopped)
        }
        Err(error) => {
            planner.discard();
            Err(error)
        }
    };
    match made {
        Ok(plan) => {
            command.saves_by_itself("the plan was made before".to_owned());
            if !arguments.messages.quiet {
                account(&plan, command.tally.unread).iter().for_each(message::error);
            }
        }
        Err(PlanError::Stopped) => {}
        Err(error @ PlanError::Io { .. }) => return Err(Failed::internal(error)),
        Err(error) => return Err(plans::failed(error)),
    }
    command.finish(Ok(()), 1, None)
}

/// Returns what decides about records.
fn options(arguments: &ShardArguments, selection: Selection) -> Result<PlanOptions, Failed> {
    let here = std::env::current_dir();
    let here = here.map_err(|error| Failed::usage(format_args!("the working directory: {error}")))?;
    let directories = std::iter::once(OsString::from(".")).chain(arguments.paths.iter().cloned());
    let tree = directories.filter_map(|path| {
        let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_dir)?;
        Some(TreePlace::new(path.into_vec(), &metadata))
    });
    Ok(PlanOptions {
        tree: tree.take(TREE_PLACES_MAX).collect(),
        piece_bytes: arguments.piecewise,
        facts: arguments.facts.map(|word| Counting::from(word).word().to_owned()),
        variants: arguments.families.variants(),
        follow_files: arguments.walk.follow_files,
        ..PlanOptions::new(selection, here.into_os_string().into_vec())
    })
}

/// Adds a finding of the walk.
fn add(planner: &mut Planner, command: &mut Command, found: Found<LocalHandle>) -> Result<(), PlanError> {
    let record = match found {
        Found::Entry(entry) if entry.kind == EntryKind::Regular => {
            return planner.file(&entry.path(), entry.size_hint.unwrap_or(0), entry.handle.is_named());
        }
        Found::Entry(entry) => {
            let error = FileError::new(ErrorKind::Other, "only regular files can be planned; use `pfh hash` for it");
            Record::new(entry.path(), Outcome::Unreadable { offset: 0, error })
        }
        Found::Skipped(path, reason) => Record::new(path, Outcome::Skipped(reason)),
        Found::Failed(path, error) => Record::new(path, Outcome::Unreadable { offset: 0, error }),
        Found::Other(..) | Found::Pause => return Ok(()),
    };
    command.count(&Item::new(&record, ()));
    planner.other(record)
}

/// Says how the plan turned out.
fn account(plan: &Plan, unread: u64) -> Vec<String> {
    let (totals, shards) = (plan.totals(), plan.shards());
    let mean = totals.weight as f64 / shards.len() as f64;
    let heaviest = shards.iter().map(|shard| shard.weight).max().unwrap_or(0);
    let mut first = format!(
        "{} of {}, {}",
        plural(shards.len() as u64, "shard"),
        plural(totals.files, "file"),
        Bytes(totals.bytes),
    );
    if totals.weight > 0 {
        first += &format!("; the heaviest shard has {:.2} times the mean weight", heaviest as f64 / mean);
    }
    let mut lines = vec![first];
    if let (Some(longest), Some(bytes)) = (plan.longest(), plan.longest_bytes()) {
        let share = weight(bytes, plan.per_file_bytes()) as f64 / totals.weight.max(1) as f64;
        let part = if bytes < longest.size { format!("a part of {} of ", Bytes(bytes)) } else { String::new() };
        lines.push(format!(
            "critical path: {part}{} of {} is {:.1} % of the weight, and one task reads it; more than {} at once gain nothing",
            message::quoted(&longest.path),
            Bytes(longest.size),
            100.0 * share,
            plural((1.0 / share).ceil() as u64, "task"),
        ));
    }
    if unread > 0 {
        lines.push(format!("{} could not be listed; the plan has the reasons", Count(unread)));
    }
    lines
}

/// Prints the numbers of the shards without result.
fn status(plan: &Plan, quiet: bool) -> Result<Ending, Failed> {
    let results = plans::results(plan, 0..plan.shards().len() as u32)?;
    let mut command = Command::printing()?;
    results.missing.iter().for_each(|shard| command.write(format!("{shard}\n").as_bytes()));
    results.damaged.iter().for_each(message::error);
    let (shards, missing) = (plan.shards().len(), results.missing.len() + results.damaged.len());
    if !quiet {
        let folder = message::quoted(plan.folder().as_os_str().as_bytes());
        message::error(format_args!(
            "{folder}: {} of {} shards are done",
            Count((shards - missing) as u64),
            Count(shards as u64)
        ));
    }
    command.tally.unread += missing as u64;
    command.finish(Ok(()), 1, None)
}
