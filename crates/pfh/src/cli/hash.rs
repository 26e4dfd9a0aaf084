//! `pfh hash`.

use super::args::{EngineArguments, HashArguments, ModeWord};
use super::exit::Failed;
use super::foreign;
use super::interrupt::Interrupt;
use super::keys;
use super::output::{Delivered, Output};
use super::reading::{self, cannot_be_written};
use super::stats::{self, Setting};
use super::warnings::{self, Missing, Wanted, Warning, Warnings};
use super::{Ending, message, named_paths, progress};
use pfh::Hash;
use pfh_digest::lanes::{BACKEND_VARIABLE, Backend};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{CancelToken, Counters, Options, Sink};
use pfh_list::FileIdentity;
use pfh_list::ResumedList;
use pfh_record::{
    DigestKind, Encoding, Format, FormatName, Metadata, Record, RunFacts, Selection, Similarity, Summary, WriteOptions,
};
use pfh_similarity::SimilarityOptions;
use pfh_source::WalkOptions;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Does what `pfh hash` is asked to.
pub(crate) fn run(arguments: HashArguments) -> Ending {
    hash(arguments).unwrap_or_else(Failed::report)
}

fn hash(arguments: HashArguments) -> Result<Ending, Failed> {
    let selection = selection(&arguments.algorithms)?;
    let out = &arguments.output;
    let mut engine = engine_options(&arguments.engine, selection.clone(), &arguments);
    engine.similarity = arguments.families.similarity_options();
    engine.backend = backend(arguments.engine.backend)?;
    let reads_input = reading::reads_input(&arguments.paths, &arguments.walk);
    engine.keys = keys::load(&arguments.keys, selection.algorithms(), reads_input)?;
    if let (true, Some(keyed)) = (out.resume, selection.algorithms().iter().find(|one| one.is_keyed())) {
        return Err(Failed::usage(format_args!(
            "--resume cannot tell whether the key of `{keyed}` is the one of before: use it without keys"
        )));
    }
    if out.resume && engine.similarity != SimilarityOptions::default() {
        return Err(Failed::usage(
            "--resume cannot tell how similarity digests were made before: use it without variants",
        ));
    }
    let options = WriteOptions {
        null_terminated: out.null,
        piecewise: out.piecewise.is_some(),
        sdhash_segment: arguments.families.segment(),
        encoding: match (out.uppercase, out.base64) {
            (true, _) => Encoding::UpperHexadecimal,
            (_, true) => Encoding::Base64,
            _ => Encoding::Hexadecimal,
        },
    };
    let name = format_name(&arguments, &selection)?;
    let tells_unfit = name.is_none_or(FormatName::records_unfit);
    let format: Arc<dyn Format> = match name {
        Some(name) => name.writer(&selection, &options).map_err(Failed::usage)?.into(),
        None => Arc::new(Nothing),
    };
    if out.resume && out.output.as_deref() == Some(Path::new("-")) {
        return Err(Failed::usage(
            "--resume continues a file, and `-o -` is standard output (`-o ./-` is a file named `-`)",
        ));
    }
    let mut recorded = match (&out.output, out.resume) {
        (Some(path), true) => Some(ResumedList::load(path, &selection, out.piecewise).map_err(Failed::usage)?),
        _ => None,
    };
    pfh_source::raise_open_file_limit();
    let delivered = Arc::new(Mutex::new(Delivered { output: Output::unopened(), summary: Summary::default() }));
    let cancel = CancelToken::default();
    let counters = Arc::new(Counters::default());
    let already_recorded = Arc::new(AtomicU64::new(0));
    // What a journal already held is part of what it now holds.
    let footer = {
        let (format, already_recorded) = (Arc::clone(&format), Arc::clone(&already_recorded));
        move |summary: &mut Summary| {
            summary.complete += already_recorded.load(Ordering::Relaxed);
            let mut footer = Vec::new();
            format.footer(summary, &mut footer);
            footer
        }
    };
    // Before there is a file that a signal could leave behind.
    let interrupt = {
        let (footer, counters, started) = (footer.clone(), Arc::clone(&counters), Instant::now());
        Interrupt::new(cancel.clone(), Arc::clone(&delivered), move |mut summary| {
            summary.bytes = counters.bytes.load(Ordering::Relaxed);
            summary.elapsed = started.elapsed();
            summary.interrupted = true;
            Some(footer(&mut summary))
        })
    };
    let list = reading::file_list(&arguments.walk)?;
    let walk = WalkOptions {
        medium: arguments.engine.medium.map(Into::into),
        io: arguments.engine.io.into(),
        ..reading::walk_options(&arguments.paths, &arguments.walk, list)
    };
    let run = Hash { walk, engine };
    let facts = run.facts();
    let (source, mut options) = run.into_parts().map_err(Failed::usage)?;

    let mut warnings = Warnings::new(Wanted::by(out.quiet, out.verbose));
    let named = named_paths::look(&arguments.paths, &mut warnings);
    let output = match (&out.output, &mut recorded) {
        (Some(path), Some(recorded)) => {
            Output::journal(path, recorded.begin(out.compact).map_err(|error| cannot_be_written(path, error))?)
        }
        (path, _) => reading::open_output(path.as_deref())?,
    };
    options.own_files = output.identities();
    refuse_own(&arguments, &named, &options.own_files)?;
    delivered.lock().unwrap_or_else(PoisonError::into_inner).output = output;
    let mut header = Vec::new();
    if recorded.as_ref().is_none_or(|recorded| !recorded.has_header()) {
        format.header(&facts, &mut header);
    }
    let damaged = recorded.as_ref().is_some_and(ResumedList::is_damaged);
    if damaged || !out.quiet {
        recorded.iter().flat_map(ResumedList::remarks).for_each(message::error);
    }

    let skip = |path: &[u8], metadata: &Metadata| {
        let known = recorded.as_ref().is_some_and(|recorded| recorded.contains(path, metadata));
        already_recorded.fetch_add(u64::from(known), Ordering::Relaxed);
        known
    };

    let (report, mut printer) = progress::of_run(out.progress, &source, &counters, || {
        let mut printer = Printer {
            delivered: &delivered,
            warnings,
            allow_empty: out.allow_empty,
            says_totals: out.stats.is_none(),
            findings: 0,
            unread: 0,
            not_expressed: 0,
            error: None,
        };
        // Lines of the journal that could not be believed are input that could not be read.
        printer.unread += u64::from(damaged);
        let opened = printer.lock().output.write(&header);
        let _ = printer.note(opened);
        let prepare = |record: Record| Item::new(&*format, tells_unfit, &record);
        let skip: Option<pfh_engine::Skip<'_>> = if recorded.is_some() { Some(&skip) } else { None };
        let report = pfh::run_on(&options, &source, &prepare, &mut printer, skip, &counters, &cancel);
        report.map(|report| (report, printer))
    })
    .map_err(Failed::usage)?;

    let mut summary = report.summary;
    let footer = footer(&mut summary);
    let ending = printer.end(&footer, interrupt.came())?;
    drop(interrupt);
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

fn mode_word(mode: ModeWord) -> &'static str {
    match mode {
        ModeWord::Adaptive => "adaptive",
        ModeWord::Mtp => "mtp",
        ModeWord::Smt => "smt",
    }
}

/// Refuses to read a file that is named as an argument and is also the output. `named`: what was found at these places.
fn refuse_own(arguments: &HashArguments, named: &[(usize, FileIdentity)], own: &[FileIdentity]) -> Result<(), Failed> {
    match named.iter().find(|(_, identity)| own.contains(identity)) {
        Some(&(place, _)) => {
            let path = message::quoted(arguments.paths[place].as_bytes());
            Err(Failed::usage(format_args!(
                "{path} is to be read and is also the output: write the list to another file"
            )))
        }
        None => Ok(()),
    }
}

/// The algorithms and the families of similarity digests by name, each once; none at all for `none`.
fn selection(names: &[String]) -> Result<Selection, Failed> {
    let mut selection = Selection::default();
    for name in names.iter().filter(|name| !name.trim().is_empty()) {
        match name.trim() {
            "none" if names.len() > 1 => return Err(Failed::usage("`none` cannot be combined with algorithms")),
            "none" => return Ok(selection),
            "all" => selection.extend(Algorithm::all()),
            name => match name.parse::<DigestKind>() {
                Ok(kind) => selection.extend([kind]),
                Err(unknown) => {
                    let advice = foreign::of_letters(name).map_or_else(String::new, |advice| format!("; {advice}"));
                    return Err(Failed::usage(format_args!("{unknown}{advice}")));
                }
            },
        }
    }
    if selection.is_empty() {
        return Err(Failed::usage("no algorithm is named; `pfh algorithms` lists them"));
    }
    Ok(selection)
}

/// Prints nothing: for `-a none`.
struct Nothing;

impl Format for Nothing {
    fn header(&self, _: &RunFacts, _: &mut Vec<u8>) {}
    fn record(&self, _: &Record, _: &mut Vec<u8>) -> Result<(), pfh_record::NotExpressible> {
        Ok(())
    }
    fn footer(&self, _: &Summary, _: &mut Vec<u8>) {}
}

/// The format asked for, or what such digests are usually listed in; none where nothing is listed.
fn format_name(arguments: &HashArguments, selection: &Selection) -> Result<Option<FormatName>, Failed> {
    let out = &arguments.output;
    Ok(Some(match (out.format(), out.resume) {
        (Some(FormatName::Jsonl) | None, true) => FormatName::Jsonl,
        (Some(_), true) => return Err(Failed::usage("--resume continues JSON Lines: use it with `-f jsonl`")),
        (Some(name), false) => name,
        (None, false) => match (selection.algorithms(), selection.families()) {
            ([], []) => return Ok(None),
            ([], [family]) => FormatName::Similarity(*family),
            ([one], []) if !one.is_keyed() => FormatName::Gnu,
            (_, []) => FormatName::Bsd,
            _ => FormatName::Jsonl,
        },
    }))
}

fn engine_options(engine: &EngineArguments, selection: Selection, arguments: &HashArguments) -> Options {
    let mut options = Options::new(selection);
    if let Some(threads) = engine.threads {
        options.threads = usize::from(threads);
    }
    options.prefetchers = usize::from(engine.prefetchers);
    options.memory_bytes = engine.memory;
    options.mode = engine.mode.into();
    options.order = engine.order.into();
    options.balance = engine.balance;
    options.piece_bytes = arguments.output.piecewise;
    // A journal is written as files finish: what is done is safe, whatever the first file still does.
    options.unordered = arguments.output.unordered || arguments.output.resume;
    options.measure = arguments.output.stats.is_some();
    options
}

/// The backend of the option, of the environment, or the best one.
fn backend(option: Option<Backend>) -> Result<Backend, Failed> {
    if let Some(backend) = option {
        return Ok(backend);
    }
    // Where the environment names none, or one that is there, this is it.
    Backend::from_environment().map_err(|error| Failed::usage(format_args!("{BACKEND_VARIABLE}: {error}")))?;
    Ok(Backend::chosen())
}

/// A record on its way to the output: its bytes, and what there is to say on standard error.
struct Item {
    bytes: Vec<u8>,
    warning: Option<Warning>,
    /// What it counts as in the summary.
    counter: fn(&mut Summary) -> &mut u64,
    finding: bool,
    unread: bool,
    /// The format cannot express it.
    unexpressed: bool,
}

impl Item {
    /// `tells_unfit`: the format says itself which files have no similarity digest.
    fn new(format: &dyn Format, tells_unfit: bool, record: &Record) -> Item {
        // In most formats the digests and the path make nearly all of it: mostly it is allocated once.
        let hex = |digest: &Digest| 2 * digest.bytes().len() + 4;
        let texts: usize = record.similarities.iter().map(Similarity::text_bytes).sum();
        let mut bytes = Vec::with_capacity(record.path.len() + texts + record.digests.iter().map(hex).sum::<usize>());
        let finding = message::has_finding(record);
        let failed = message::is_failure(&record.outcome);
        let (warning, unexpressed) = match format.record(record, &mut bytes) {
            Ok(()) if tells_unfit => (message::about(record), false),
            Ok(()) => (message::about(record).or_else(|| message::unfit(record)), false),
            Err(why) => (Some(Warning::new(&record.path, why.to_string())), true),
        };
        let counter = Summary::counter(&record.outcome);
        Item { bytes, warning, counter, finding, unread: failed || unexpressed, unexpressed }
    }
}

/// Writes what the workers prepared.
struct Printer<'a> {
    delivered: &'a Mutex<Delivered>,
    warnings: Warnings,
    allow_empty: bool,
    /// Statistics, where they are asked for, have the same numbers.
    says_totals: bool,
    findings: u64,
    unread: u64,
    not_expressed: u64,
    error: Option<io::Error>,
}

impl Printer<'_> {
    fn lock(&self) -> MutexGuard<'_, Delivered> {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&mut self, result: io::Result<()>) -> ControlFlow<()> {
        match result {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error.get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Ends the output and says how it all ended.
    fn end(&mut self, footer: &[u8], interrupted: bool) -> Result<Ending, Failed> {
        self.warnings.end();
        let summary = self.lock().summary;
        let after_error = self.lock().output.after_error();
        let mut spared = false;
        if self.error.is_none() {
            let is_empty = summary.complete == 0 && !interrupted;
            let ended = {
                let output = &mut self.lock().output;
                if interrupted {
                    output.finish_partial(footer)
                } else if let (true, Some(path)) = (is_empty && !self.allow_empty, output.replaced()) {
                    message::spared(path);
                    spared = true;
                    output.discard();
                    Ok(None)
                } else {
                    if let (true, 0, Some(path)) = (is_empty, self.unread, output.target()) {
                        let path = message::quoted_path(path);
                        message::error(format_args!("no file was found to read, so {path} is empty"));
                    }
                    output.write(footer).and_then(|()| output.finish()).map(|()| None)
                }
            };
            match ended {
                Ok(Some(partial)) => message::interrupted(Some(&partial)),
                Ok(None) if interrupted => message::interrupted(None),
                Ok(None) => {}
                Err(error) => self.error = Some(error),
            }
        }
        if self.unread > 0 && self.says_totals {
            warnings::say_totals(&summary, Missing { not_expressed: self.not_expressed, ..Missing::default() });
        }
        let unread = self.unread > 0 || spared;
        let ending = Ending { interrupted, findings: self.findings > 0, unread, ..Ending::DONE };
        match self.error.take() {
            Some(error) => Failed::of_output(&error, after_error).map(|closed| ending.and(closed)),
            None => Ok(ending),
        }
    }
}

/// Nothing is left behind where the end was not reached. (The signal handler holds on to the output.)
impl Drop for Printer<'_> {
    fn drop(&mut self) {
        self.lock().output.discard();
    }
}

impl Sink for Printer<'_> {
    type Item = Item;

    fn deliver(&mut self, item: Item) -> ControlFlow<()> {
        self.findings += u64::from(item.finding);
        self.unread += u64::from(item.unread);
        self.not_expressed += u64::from(item.unexpressed);
        if let Some(warning) = &item.warning {
            self.warnings.say(warning);
        }
        let written = {
            let mut delivered = self.lock();
            *(item.counter)(&mut delivered.summary) += 1;
            delivered.output.write(&item.bytes)
        };
        self.note(written)
    }

    fn end_group(&mut self) -> ControlFlow<()> {
        let flushed = self.lock().output.end_group();
        self.note(flushed)
    }
}
