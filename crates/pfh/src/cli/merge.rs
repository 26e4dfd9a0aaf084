//! `pfh merge`.

use super::command::{Command, Reporting};
use super::exit::{Ending, Failed};
use super::hash_list;
use super::message;
use super::plans;
use super::quantity::{Count, plural};
use super::reading;
use super::shard_args::{MergeArguments, ShardWord};
use pfh::HashRun;
use pfh_plan::Plan;
use pfh_record::{Conversion, Format, FormatName, Header, Record, RunFacts, WriteOptions};
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most numbers of shards that a message names.
const NAMED_MAX: usize = 10;

/// Runs `pfh merge`.
pub(crate) fn run(arguments: &MergeArguments) -> Result<Ending, Failed> {
    let plan = plans::open(&arguments.plan)?;
    if let Some(shard) = arguments.shard {
        // The same words as of `pfh hash --shard`.
        ShardWord::One(shard).numbers(plan.shards().len() as u32).map(drop).map_err(Failed::usage)?;
    }
    let options = plan.options();
    let name = arguments.format.or_else(|| hash_list::usual_format(&options.selection, options.facts.is_some()));
    let name = name.ok_or_else(|| {
        Failed::usage("the plan has no digests; name a format that lists files without them: csv, jsonl or dfxml")
    })?;
    let write = WriteOptions {
        null_terminated: arguments.style.null,
        encoding: arguments.style.encoding(),
        ..plans::write_options(&plan)?
    };
    let format = name.writer(&options.selection, &write).map_err(Failed::usage)?;
    let shards = match arguments.shard {
        Some(shard) => plan.shards_of(shard).map_err(plans::failed)?,
        None => 0..plan.shards().len() as u32,
    };
    let header = header(&plan, shards)?;
    if arguments.shard.is_none() {
        plan.remove_left_overs().map_err(plans::failed)?;
    }
    let reporting = Reporting::of(arguments.messages, arguments.allow_empty);
    let mut command = Command::begin(reporting, None);
    let output = reading::open_output(arguments.output.as_deref(), [])?;
    // A plan may have many files, and a file elsewhere is none of them.
    if output.below(plan.folder()).is_some() || output.target().is_none() {
        let shards = 0..plan.shards().len() as u32;
        let files = shards.flat_map(|shard| [plan.list_path(shard), plan.result_path(shard)]);
        let files: Vec<PathBuf> = files.chain([plan.folder().join("plan.json")]).collect();
        reading::refuse_inputs(&output.identities(), files.iter().map(|file| file.as_os_str()))?;
    }
    command.set_output(output);
    write_list(&mut command, &plan, arguments.shard, &*format, name, &facts(&plan, header)?)?;
    let complete = command.summary().complete;
    command.finish(Ok(()), complete, None)
}

/// Checks that each of these shards has a result, and returns what their headers have in common.
fn header(plan: &Plan, shards: Range<u32>) -> Result<Header, Failed> {
    let count = shards.len() as u64;
    let results = plans::results(plan, shards)?;
    results.damaged.iter().for_each(message::error);
    let folder = message::quoted_path(plan.folder());
    match (&results.missing[..], results.damaged.len(), results.header) {
        ([], 0, Some(header)) => Ok(header),
        (missing @ [first, ..], ..) => {
            let numbers: Vec<String> = missing.iter().take(NAMED_MAX).map(u32::to_string).collect();
            let more = if missing.len() > NAMED_MAX { ", …" } else { "" };
            Err(Failed::unread(format_args!(
                "{folder}: {} of {} shards have no result: {}{more}; `pfh hash --plan … --shard {first}` makes one, and `pfh shard --status` names all",
                Count(missing.len() as u64),
                Count(count),
                numbers.join(", "),
            )))
        }
        ([], damaged, _) => {
            let (results, are) = (plural(damaged as u64, "result"), if damaged == 1 { "is" } else { "are" });
            Err(Failed::unread(format_args!("{folder}: {results} {are} damaged; nothing is written")))
        }
    }
}

/// Returns the facts for the header of the list: those that the results state, and this merging.
fn facts(plan: &Plan, header: Header) -> Result<RunFacts, Failed> {
    let own = HashRun::new([]).map_err(Failed::usage)?.facts();
    let options = plan.options();
    Ok(RunFacts {
        selection: options.selection.clone(),
        variants: header.variants,
        program: header.program.unwrap_or_default(),
        program_version: header.program_version.unwrap_or_default(),
        command_line: header.command_line.into_iter().collect(),
        directory: options.directory.clone(),
        started: header.started.unwrap_or_default(),
        host: header.host.unwrap_or_default(),
        uid: header.uid,
        piece_bytes: options.piece_bytes,
        facts: plans::facts(options, plan)?,
        conversion: Some(Conversion {
            program: own.program,
            program_version: own.program_version,
            command_line: own.command_line,
            started: own.started,
        }),
    })
}

/// Writes the list, one record after the other.
fn write_list(
    command: &mut Command,
    plan: &Plan,
    shard: Option<u32>,
    format: &dyn Format,
    name: FormatName,
    facts: &RunFacts,
) -> Result<(), Failed> {
    let mut frame = Vec::new();
    format.header(facts, &mut frame);
    command.write(&frame);
    let entries = shard.map_or(plan.totals().entries, |shard| plan.shards()[shard as usize].entries);
    let done = AtomicU64::new(0);
    let text = || format!("{} of {} files merged", Count(done.load(Ordering::Relaxed)), Count(entries));
    let joined = command.work(text, |command| {
        let visit: &mut dyn FnMut(Record) -> ControlFlow<()> = &mut |record| {
            command.count(&hash_list::item(format, name.records_missing_digests(), &record));
            done.fetch_add(1, Ordering::Relaxed);
            if command.cancel().is_cancelled() || !command.is_writing() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        match shard {
            None => plan.join(visit),
            Some(shard) => plan.records_of(shard, visit),
        }
    });
    command.end_warnings();
    let summary = joined.map_err(plans::failed)?.summary;
    if !command.cancel().is_cancelled() {
        frame.clear();
        format.footer(&summary, &mut frame);
        command.write(&frame);
    }
    Ok(())
}
