//! `pfh hash`.

use super::args::{HashArguments, OutputArguments};
use super::command::{Command, Footer, Reporting};
use super::common_args::{EngineArguments, ModeWord};
use super::exit::{Ending, Failed};
use super::hash_list;
use super::keys;
use super::message;
use super::output::Output;
use super::planned;
use super::quantity::plural;
use super::reading::{self, cannot_be_written};
use super::stats::{self, Setting};
use pfh::HashRun;
use pfh_engine::{Decision, Options};
use pfh_facts::Counting;
use pfh_list::{List, ResumedList};
use pfh_record::{
    Format, FormatName, Header, Metadata, ReadOptions, Record, RunFacts, Selection, Summary, Timestamp, WriteOptions,
};
use pfh_similarity::SimilarityOptions;
use pfh_source::WalkOptions;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Runs `pfh hash`.
pub(crate) fn run(arguments: HashArguments) -> Result<Ending, Failed> {
    if let (Some(plan), Some(shard)) = (&arguments.shards.plan, arguments.shards.shard) {
        return planned::run(&arguments, plan, shard);
    }
    // The parser does not require what other arguments conflict with.
    if arguments.shards.shard.is_some() || arguments.shards.any_tree {
        return Err(Failed::usage("--shard and --any-tree are for a plan, which --plan names"));
    }
    let selection = hash_list::selection(&arguments.algorithms)?;
    reading::one_input(arguments.paths.iter().map(OsString::as_os_str), Some(&arguments.walk))?;
    let out = &arguments.output;
    let mut engine = engine_options(&arguments.engine, selection.clone(), &arguments);
    engine.similarity = arguments.families.similarity_options();
    engine.backend = reading::backend(arguments.engine.backend)?;
    let reads_input = reading::reads_input(&arguments.paths, &arguments.walk);
    engine.keys = keys::load(&arguments.keys, selection.algorithms(), reads_input)?;
    if out.resume {
        refuse_resume(out, &selection, &engine.similarity)?;
    }
    let name = format_name(&arguments, &selection)?;
    let tells_missing_digests = name.is_none_or(FormatName::records_missing_digests);
    let format: Arc<dyn Format> = match name {
        Some(name) => name.writer(&selection, &write_options(&arguments)).map_err(Failed::usage)?.into(),
        None => Arc::new(Nothing),
    };
    let mut recorded = recorded(out, &selection)?;
    pfh_source::raise_open_file_limit();
    let already_recorded = Arc::new(AtomicU64::new(0));
    // The counts include the files that a continued journal already had.
    let footer: Footer = {
        let (format, already_recorded) = (Arc::clone(&format), Arc::clone(&already_recorded));
        Arc::new(move |summary| {
            summary.complete += already_recorded.load(Ordering::Relaxed);
            let mut footer = Vec::new();
            format.footer(summary, &mut footer);
            footer
        })
    };
    let reporting = Reporting::of(out.messages, out.allow_empty);
    let mut command = Command::begin(reporting, Some(footer));
    let list = reading::file_list(&arguments.walk)?;
    let walk = WalkOptions {
        medium: arguments.engine.medium.map(Into::into),
        io: arguments.engine.io.into(),
        // The list and its file are open before the run begins, and closed after it.
        own_descriptor_tables: true,
        ..reading::walk_options(&arguments.paths, &arguments.walk, list)
    };
    let run = HashRun { walk, engine };
    let facts = run.facts();
    let (source, mut options) = run.into_parts().map_err(Failed::usage)?;

    let named = arguments.profile.iter().map(|path| path.as_os_str()).chain(arguments.keys.key_file.as_deref());
    match (&out.output, &mut recorded) {
        (Some(path), Some(recorded)) => {
            // A command that is refused leaves the journal as it is.
            let own = recorded.identity();
            reading::refuse_inputs(own.as_slice(), named)?;
            command.look_at_inputs(&arguments.paths, &arguments.walk, own.as_slice())?;
            pfh_engine::check(&options, &source).map_err(pfh::Error::from).map_err(Failed::usage)?;
            let file = recorded.begin(out.compact).map_err(|error| cannot_be_written(path, error))?;
            command.set_output(Output::journal(path, file));
        }
        (path, _) => {
            let output = reading::open_output(path.as_deref(), named)?;
            output.replaced().map_or(Ok(()), refuse_journal)?;
            command.set_output(output);
            command.look_at(&arguments.paths, &arguments.walk)?;
        }
    }
    let own_files = command.output().own_files();
    options.own_files = own_files.identities();
    let mut header = Vec::new();
    if recorded.as_ref().is_none_or(|recorded| !recorded.has_header()) {
        format.header(&facts, &mut header);
    }
    let damaged = recorded.as_ref().is_some_and(ResumedList::is_damaged);
    if damaged || !out.messages.quiet {
        recorded.iter().flat_map(ResumedList::remarks).for_each(message::error);
    }
    // Damaged lines of the journal are input that could not be read.
    command.tally.unread += u64::from(damaged);
    command.write(&header);

    // Files that a continued journal already had, with the marks of a collision attack.
    let already_marked = AtomicU64::new(0);
    let decide = |path: &[u8], metadata: Option<&Metadata>| {
        let recorded = recorded.as_ref().zip(metadata);
        let Some((recorded, _)) = recorded.filter(|(recorded, metadata)| recorded.contains(path, metadata)) else {
            return Decision::Hash;
        };
        already_recorded.fetch_add(1, Ordering::Relaxed);
        already_marked.fetch_add(u64::from(recorded.has_collision_marks(path)), Ordering::Relaxed);
        Decision::LeaveOut
    };
    let decide: Option<pfh_engine::Decide<'_>> = if recorded.is_some() { Some(&decide) } else { None };
    let decide = own_files.before(decide);
    let prepare = |mut record: Record| {
        if let (Some(metadata), true) = (&mut record.metadata, recorded.is_some())
            && ResumedList::may_hide_writes(metadata, facts.started, Timestamp::from(SystemTime::now()))
        {
            metadata.mtime = None;
        }
        hash_list::item(&*format, tells_missing_digests, &record)
    };
    let report = command.hash(&options, &source, decide.as_deref(), &prepare, &mut |()| ControlFlow::Continue(()));
    let report = report.map_err(Failed::usage)?;
    let already_marked = already_marked.load(Ordering::Relaxed);
    command.tally.findings += already_marked;
    if already_marked > 0 && !out.messages.quiet {
        say_marked(already_marked);
    }
    if out.stats.is_some() {
        // The statistics contain the same numbers.
        command.without_totals();
    }
    let (mut summary, complete) = (report.summary, command.summary().complete);
    let ending = command.finish(Ok(()), complete, Some(&mut summary))?;
    if let Some(form) = out.stats {
        let setting = Setting {
            mode: mode_word(arguments.engine.mode),
            threads: options.threads,
            memory_bytes: options.memory_bytes,
            direct_fallbacks: source.direct_fallbacks(),
        };
        message::plain(stats::describe(form, &summary, &report, &setting));
    }
    Ok(ending)
}

/// Refuses a journal that cannot be continued, or of which nobody knows whether these digests continue it.
fn refuse_resume(out: &OutputArguments, selection: &Selection, similarity: &SimilarityOptions) -> Result<(), Failed> {
    if let Some(keyed) = selection.algorithms().iter().find(|one| one.is_keyed()) {
        return Err(Failed::usage(format_args!(
            "--resume cannot check that the key of `{keyed}` is the same as before; use it without algorithms that take a key"
        )));
    }
    if *similarity != SimilarityOptions::default() {
        return Err(Failed::usage(
            "--resume cannot check that earlier similarity digests have the same variants; use it without variants",
        ));
    }
    if out.output.as_deref() == Some(Path::new("-")) {
        return Err(Failed::usage(
            "--resume continues a file, and `-o -` is standard output (`-o ./-` is a file named `-`)",
        ));
    }
    Ok(())
}

/// Refuses to replace a journal with a history that nobody else has, or of a run that is not at its end. The counts of
/// one that grew in each run do not tell it from the list of a single run, but its header does.
fn refuse_journal(path: &Path) -> Result<(), Failed> {
    let options = ReadOptions::default();
    let Ok(mut list) = List::open(path, options) else { return Ok(()) };
    let is_journal = begins_journal(list.header());
    let lost = match list.has_earlier_lines(options).map_err(|error| cannot_be_written(path, error))? {
        Some(false) if is_journal => "is a journal of --resume",
        Some(false) => return Ok(()),
        Some(true) => "has lines of earlier runs",
        None => "is the list of an interrupted run",
    };
    Err(Failed::usage(format_args!(
        "{} {lost}, which would be lost: continue it with --resume, name another file, or remove it",
        message::quoted_path(path)
    )))
}

/// Whether a run with `--resume` began the list.
fn begins_journal(header: &Header) -> bool {
    let words = header.command_line.as_deref().filter(|_| header.format == FormatName::Jsonl && !header.is_converted);
    words.is_some_and(|words| words.split(|&byte| byte == b' ').any(|word| word == b"--resume"))
}

/// Returns the options of the format.
fn write_options(arguments: &HashArguments) -> WriteOptions {
    let out = &arguments.output;
    WriteOptions {
        null_terminated: out.style.null,
        piecewise: out.piecewise.is_some(),
        facts: out.facts.is_some(),
        sdhash_segment: arguments.families.segment(),
        encoding: out.style.encoding(),
        ..WriteOptions::default()
    }
}

/// Loads the journal that the run continues, if it does.
fn recorded(out: &OutputArguments, selection: &Selection) -> Result<Option<ResumedList>, Failed> {
    let (Some(path), true) = (&out.output, out.resume) else { return Ok(None) };
    let facts = out.facts.map(Counting::from);
    let here = std::env::current_dir().ok();
    let here = here.as_deref().map(|here| here.as_os_str().as_bytes());
    ResumedList::load(path, selection, out.piecewise, facts, here).map(Some).map_err(Failed::usage)
}

/// Reports files with the marks of a collision attack that a continued journal already had.
fn say_marked(files: u64) {
    let (files, bear) = (plural(files, "file"), if files == 1 { "bears" } else { "bear" });
    message::error(format_args!(
        "{files} that the list has from before {bear} the marks of a known SHA-1 collision attack"
    ));
}

fn mode_word(mode: ModeWord) -> &'static str {
    match mode {
        ModeWord::Adaptive => "adaptive",
        ModeWord::Mtp => "mtp",
        ModeWord::Smt => "smt",
    }
}

/// A format that writes nothing, for `-a none`.
struct Nothing;

impl Format for Nothing {
    fn header(&self, _: &RunFacts, _: &mut Vec<u8>) {}
    fn record(&self, _: &Record, _: &mut Vec<u8>) -> Result<(), pfh_record::NotExpressible> {
        Ok(())
    }
    fn footer(&self, _: &Summary, _: &mut Vec<u8>) {}
}

/// Returns the requested format, or the usual one for these digests; `None` if nothing is listed.
fn format_name(arguments: &HashArguments, selection: &Selection) -> Result<Option<FormatName>, Failed> {
    let out = &arguments.output;
    match (out.format(), out.resume) {
        (Some(FormatName::Jsonl) | None, true) => Ok(Some(FormatName::Jsonl)),
        (Some(_), true) => Err(Failed::usage("--resume continues JSON Lines: use it with `-f jsonl`")),
        (Some(name), false) => Ok(Some(name)),
        (None, false) => Ok(hash_list::usual_format(selection, out.facts.is_some())),
    }
}

fn engine_options(engine: &EngineArguments, selection: Selection, arguments: &HashArguments) -> Options {
    let mut options = reading::engine_options(engine, selection);
    options.piece_bytes = arguments.output.piecewise;
    options.facts = arguments.output.facts.map(Counting::from);
    // A journal is written as files finish, so finished files are safe however long the first one takes.
    options.unordered = arguments.output.unordered || arguments.output.resume;
    options.measure = arguments.output.stats.is_some();
    options
}
