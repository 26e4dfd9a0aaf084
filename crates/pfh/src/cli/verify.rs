//! `pfh verify`: what a list expects against what is there.

use super::command::{Command, Item, Reporting};
use super::common_args::WalkArguments;
use super::contents::temporary_failed;
use super::exit::{Ending, Failed};
use super::gather::start_error_of;
use super::lists::{self, BrokenLines};
use super::progress::When;
use super::quantity::Count;
use super::verify_args::{Compat, VerifyArguments};
use super::verify_report::{Asked, Report};
use super::{keys, message, reading, verify_compat};
use pfh::HashRun;
use pfh_digest::{Algorithm, Keys};
use pfh_engine::{CancelToken, Counters, Decide, Decision, Options, Sink};
use pfh_fixity::{
    Choice, Class, Comparison, Expectations, Expected, File, Found, Ignored, PathError, PathForms, PathsBelow,
    Presence, Root, Sample, State,
};
use pfh_list::{Contents, Entry, FileIdentity, List};
use pfh_record::{FormatName, Metadata, Outcome, ReadOptions, Record, Selection, SkipReason};
use pfh_source::{FileList, LocalSource, WalkOptions};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

/// Runs `pfh verify`.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    match arguments.compat {
        Some(Compat::Gnu) => return verify_compat::gnu(arguments),
        Some(Compat::Hashdeep) => return verify_compat::hashdeep(arguments),
        None => {}
    }
    let algorithm = arguments.algorithm.as_deref().map(Algorithm::from_name).transpose().map_err(Failed::usage)?;
    let options = ReadOptions { algorithm, ..ReadOptions::default() };
    let mut list = lists::open(&arguments.list, options)?;
    let name = list.name().to_vec();
    let root = root_of(arguments, &mut list)?;
    let sample = arguments.sample.map(|percent| Sample::new(percent, arguments.seed)).transpose();
    let sample = sample.map_err(Failed::usage)?;
    let choice = Choice::new(arguments.structure, sample);
    let run = Run { arguments, root: &root, keys: Keys::default(), own_files: Vec::new(), choice };
    let asked = Asked {
        list: &name,
        root: &root.path,
        algorithms: &[],
        sample,
        structure: arguments.structure,
        ignored: Ignored { new: arguments.ignore_new, missing: arguments.ignore_missing },
        quiet: arguments.quiet,
        broken: 0,
    };
    match run.likely(&mut list, options) {
        Some(likely) => run.while_reading(list, asked, likely),
        None => {
            let listed = read(arguments, list, arguments.quiet, &root, &CancelToken::default())?;
            run.after_reading(None, listed, asked)
        }
    }
}

/// Returns the identity of the list, or of the archive that has it.
fn identity_of_list(arguments: &VerifyArguments) -> Option<FileIdentity> {
    let found = Path::new(&arguments.list).ancestors().find_map(|path| fs::metadata(path).ok())?;
    found.is_file().then(|| FileIdentity::new(found.dev(), found.ino()))
}

/// Begins the command.
fn begin(arguments: &VerifyArguments) -> Result<Command, Failed> {
    let output = arguments.output.as_deref().and_then(|path| fs::metadata(path).ok());
    if let Some(output) = output
        && identity_of_list(arguments) == Some(FileIdentity::new(output.dev(), output.ino()))
    {
        return Err(Failed::usage("the report would replace the list: name another file with -o"));
    }
    let reporting =
        Reporting { quiet: arguments.quiet, verbose: false, progress: arguments.progress, allow_empty: true };
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    command.set_output(reading::open_output(arguments.output.as_deref())?);
    Ok(command)
}

/// A list that was read.
struct Listed {
    expected: Expected,
    /// The files whose paths are not below the root.
    not_below: Vec<(File, PathError)>,
    /// The number of lines that could not be read.
    broken: u64,
}

/// Most files whose paths are not below the root. A list with more is for another root.
const NOT_BELOW_MAX: usize = 10_000;

impl Listed {
    /// Begins the comparison with what the list expects.
    fn comparison(self, arguments: &VerifyArguments) -> io::Result<Comparison> {
        let mut comparison = Comparison::new(self.expected, arguments.all, arguments.engine.memory / 8)?;
        for (file, error) in self.not_below {
            comparison.not_below(file, error)?;
        }
        Ok(comparison)
    }
}

/// Whether an entry states digests of a whole file.
fn is_whole(entry: &Entry) -> bool {
    entry.piece.is_none() && entry.is_complete()
}

/// Reads the list, or the part of it before a signal. `quiet`: lines that cannot be read are counted only.
fn read(
    arguments: &VerifyArguments,
    mut list: List,
    quiet: bool,
    root: &Root,
    cancel: &CancelToken,
) -> Result<Listed, Failed> {
    let name = &list.name().to_vec()[..];
    let mut expectations = Expectations::new(arguments.engine.memory / 8);
    // A journal is continued by later runs, and the latest line of a path decides.
    let is_journal = list.header().format == FormatName::Jsonl;
    if is_journal {
        expectations = expectations.latest_only();
    }
    let (mut not_below, mut contents, mut files) = (Vec::new(), Contents::default(), 0_u64);
    let mut lines = BrokenLines::new(name, quiet);
    let mut other = None;
    let forms = PathForms {
        backslashes: arguments.backslashes,
        strip_prefix: arguments.strip_prefix.as_ref().map(|prefix| prefix.as_bytes()),
    };
    let mut file = File::default();
    while let Some(entry) = list.next_entry() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                lines.report(&error);
                continue;
            }
        };
        contents.add(entry);
        // If it was skipped when the list was made, it is no file to expect.
        if matches!(entry.outcome, Some(Outcome::Skipped(SkipReason::NotRegular | SkipReason::Loop))) {
            continue;
        }
        // The pieces of a file stand in the line of the whole.
        if is_journal && entry.piece.is_some() {
            continue;
        }
        files += 1;
        file.path.clear();
        file.path.extend_from_slice(&root.below(&entry.path, &forms));
        (file.size, file.line) = (None, entry.line);
        file.digests.clear();
        if is_whole(entry) {
            file.size = entry.expected.size;
            file.digests.extend_from_slice(&entry.digests);
        }
        if root.is_file && file.name() != root.name() {
            other.get_or_insert_with(|| file.clone());
            continue;
        }
        if let Err(error) = expectations.push(&file).map_err(temporary_failed)? {
            not_below.push((File { path: entry.path.clone(), ..file.clone() }, error));
        }
        if not_below.len() > NOT_BELOW_MAX || cancel.is_cancelled() {
            break;
        }
    }
    let quoted = message::quoted(name);
    if files == 0 {
        return Err(Failed::usage(format_args!("{quoted} expects no file")));
    }
    if not_below.len() as u64 == files || not_below.len() > NOT_BELOW_MAX {
        let (file, error) = &not_below[0];
        return Err(Failed::usage(format_args!(
            "{quoted}: {} of its paths are not below {}, the first in line {}, {}: {error}; name another ROOT, or use --strip-prefix",
            Count(not_below.len() as u64),
            message::quoted_path(&root.path),
            file.line,
            message::quoted(&file.path)
        )));
    }
    if let Some(mut other) = other.filter(|_| expectations.is_empty()) {
        if files > 1 {
            let path = message::quoted_path(&root.path);
            return Err(Failed::usage(format_args!("{quoted} has several files, and none has the name of {path}")));
        }
        // The only file of the list is meant, whatever its name was.
        other.path = root.name().to_vec();
        expectations.push(&other).map_err(temporary_failed)?.map_err(Failed::usage)?;
    }
    let expected = expectations.sorted().map_err(temporary_failed)?;
    if expected.algorithms().is_empty() && !arguments.structure {
        let useless = contents.instead_of(name, "digests of whole files");
        return Err(Failed::usage(format_args!("{useless}; --structure compares names and sizes")));
    }
    Ok(Listed { expected, not_below, broken: lines.count })
}

/// Returns the root that the command line names, or that of the list.
fn root_of(arguments: &VerifyArguments, list: &mut List) -> Result<Root, Failed> {
    let named = arguments.root.as_ref().map(PathBuf::from);
    Root::new(named, Path::new(&arguments.list), list)
        .map_err(|(path, error)| Failed::usage(format_args!("{}: {error}", message::quoted_path(&path))))
}

/// How files are read.
struct Run<'a> {
    arguments: &'a VerifyArguments,
    root: &'a Root,
    keys: Keys,
    own_files: Vec<FileIdentity>,
    choice: Choice,
}

/// The list as the thread that reads it leaves it.
enum Read {
    /// Its comparison was handed over. The number of lines that could not be read.
    Compared { broken: u64 },
    /// It needs another run than its ends suggest.
    Other(Box<Listed>),
}

/// A run that may begin before its list was read.
struct Likely {
    /// The algorithms, and the directory in which all files are.
    of_list: (Vec<Algorithm>, PathBuf),
    source: LocalSource,
    engine: Options,
}

impl Run<'_> {
    /// Returns the run that the ends of the list suggest. `None` if the whole list decides which files are read, if its
    /// ends cannot be read alone, or if a run that has to begin again would be noticed.
    fn likely(&self, list: &mut List, options: ReadOptions) -> Option<Likely> {
        let VerifyArguments { list: path, size_first, ignore_new, structure, keys, progress, .. } = self.arguments;
        let is_logged = !matches!(progress, When::Auto | When::Never);
        if *size_first || *ignore_new || *structure || is_logged || self.root.is_file || path == "-" {
            return None;
        }
        if keys.key_file.is_some() || keys.derive_key.is_some() {
            return None;
        }
        let ends = list.ends(options).ok()??;
        let ends = read(self.arguments, ends, true, self.root, &CancelToken::default()).ok()?;
        let mut expected = Some(ends.expected).filter(|_| ends.broken == 0)?;
        let of_list = self.of_list(&expected);
        keys::load(keys, &of_list.0, false).ok()?;
        let (source, engine) = self.parts(of_list.0[..].into(), &mut expected).ok()?;
        Some(Likely { of_list, source, engine })
    }

    /// Returns what a run needs to know of the list.
    fn of_list(&self, expected: &Expected) -> (Vec<Algorithm>, PathBuf) {
        (expected.algorithms().to_vec(), self.root.top(expected.common_directory()))
    }

    /// Reads the files while the list is read. Findings wait within the memory of the engine until the list is known.
    fn while_reading(self, list: List, asked: Asked<'_>, likely: Likely) -> Result<Ending, Failed> {
        let Likely { of_list, source, mut engine } = likely;
        let mut command = begin(self.arguments)?;
        engine.own_files = self.own_files(&command);
        let (cancel, likely_run) = (command.cancel().clone(), command.first_run());
        let (sender, receiver) = mpsc::channel();
        let (run, cancel, likely) = (&self, &cancel, &of_list);
        let (read, compared) = thread::scope(|threads| {
            let reader = threads.spawn(move || {
                let read = run.read_likely(list, likely, &sender, cancel);
                if !matches!(read, Ok(Read::Compared { .. })) {
                    // The list cannot be used, or not with this run, so files are not read to their ends.
                    likely_run.cancel();
                }
                read
            });
            let compared = run.compare(&mut command, &source, &engine, &mut move || receiver.recv().ok());
            (reader.join().unwrap_or_else(|panic| resume_unwind(panic)), compared)
        });
        if command.cancel().is_cancelled() {
            return command.finish(Ok(()), 0, None);
        }
        match read? {
            Read::Compared { broken } => {
                command.count_lines(broken);
                self.report(command, compared?, Asked { algorithms: &of_list.0, broken, ..asked })
            }
            Read::Other(listed) => {
                command.forget();
                self.after_reading(Some(command), *listed, asked)
            }
        }
    }

    /// Reads the list, and sends its comparison if it needs no other run. Whoever waits for that gets nothing if the
    /// sender is dropped.
    fn read_likely(
        &self,
        list: List,
        likely: &(Vec<Algorithm>, PathBuf),
        sender: &mpsc::Sender<Comparison>,
        cancel: &CancelToken,
    ) -> Result<Read, Failed> {
        let listed = read(self.arguments, list, self.arguments.quiet, self.root, cancel)?;
        if self.of_list(&listed.expected) != *likely {
            return Ok(Read::Other(Box::new(listed)));
        }
        let broken = listed.broken;
        // A run that has failed receives nothing.
        let _ = sender.send(listed.comparison(self.arguments).map_err(temporary_failed)?);
        Ok(Read::Compared { broken })
    }

    /// Reads the files after the list was read.
    fn after_reading(mut self, command: Option<Command>, listed: Listed, asked: Asked<'_>) -> Result<Ending, Failed> {
        let Listed { mut expected, not_below, broken } = listed;
        let selection: Selection = expected.algorithms().into();
        self.keys = keys::load(&self.arguments.keys, selection.algorithms(), self.arguments.list == "-")?;
        let mut command = command.map_or_else(|| begin(self.arguments), Ok)?;
        command.count_lines(broken);
        self.own_files = self.own_files(&command);
        if self.arguments.size_first {
            self.find_other_sizes(&mut expected, command.cancel())?;
        }
        let algorithms = expected.algorithms().to_vec();
        let (source, engine) = self.parts(selection, &mut expected)?;
        let listed = Listed { expected, not_below, broken };
        let mut comparison = Some(listed.comparison(self.arguments).map_err(temporary_failed)?);
        let comparison = self.compare(&mut command, &source, &engine, &mut || comparison.take())?;
        if command.cancel().is_cancelled() {
            return command.finish(Ok(()), 0, None);
        }
        self.report(command, comparison, Asked { algorithms: &algorithms, broken, ..asked })
    }

    /// Returns the files that are not to be read, because the program itself writes or reads them.
    fn own_files(&self, command: &Command) -> Vec<FileIdentity> {
        command.own_files().into_iter().chain(identity_of_list(self.arguments)).collect()
    }

    /// Reads the files, and compares each with what is expected. `begin` waits for the comparison, and is called once;
    /// without one, the run ends.
    fn compare(
        &self,
        command: &mut Command,
        source: &LocalSource,
        engine: &Options,
        begin: &mut (dyn FnMut() -> Option<Comparison> + Send),
    ) -> Result<Option<Comparison>, Failed> {
        let (mut comparison, mut compared) = (None, Ok(()));
        let prepare = |record: Record| {
            let mut item = Item::new(&record, ());
            // The report has it.
            item.warning = None;
            let found = self.root.found(record);
            item.is_unread = found.as_ref().is_some_and(|found| matches!(found.state, State::Unreadable(_)));
            item.map(|()| found)
        };
        let mut deliver = |found: Option<Found>| {
            if comparison.is_none() {
                comparison = begin();
            }
            let Some(comparison) = &mut comparison else { return ControlFlow::Break(()) };
            compared = found.map_or(Ok(()), |found| comparison.found(found));
            if compared.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let decide = |path: &[u8], _: Option<&Metadata>| self.decide(path);
        let decide: Option<Decide<'_>> = if self.choice.leaves_out() { Some(&decide) } else { None };
        let report = command.hash(engine, source, decide, &prepare, &mut deliver);
        report.map_err(|error| self.start_error(error))?;
        compared.map_err(temporary_failed)?;
        Ok(comparison.or_else(begin))
    }

    /// Ends the comparison, and prints what it found.
    fn report(&self, mut command: Command, comparison: Option<Comparison>, asked: Asked<'_>) -> Result<Ending, Failed> {
        let Some(comparison) = comparison else { return Err(Failed::internal("nothing was compared")) };
        let findings = comparison.finish(&mut |path| self.root.look(path)).map_err(temporary_failed)?;
        let totals = *findings.totals();
        command.tally.findings = asked.ignored.failures(&totals);
        let unreadable = totals.files.of(Class::Unreadable);
        command.tally.unread = command.tally.unread.max(unreadable + asked.broken);
        let mut output = command.output();
        let written = Report { asked: &asked, format: self.arguments.format }.write(findings, &mut output);
        if self.arguments.output.is_some() && !self.arguments.quiet {
            message::error(asked.verdict(&totals));
        }
        command.finish(written, 1, None)
    }

    /// Returns the source and the options of the engine.
    fn parts(&self, selection: Selection, expected: &mut Expected) -> Result<(LocalSource, Options), Failed> {
        let VerifyArguments { walk, engine: of_engine, ignore_new, .. } = self.arguments;
        let mut engine = reading::engine_options(of_engine, selection);
        engine.memory_bytes = of_engine.memory / 2;
        engine.backend = reading::backend(of_engine.backend)?;
        engine.keys = self.keys.clone();
        engine.own_files.clone_from(&self.own_files);
        let arguments = WalkArguments {
            include: walk.include.clone(),
            exclude: walk.exclude.clone(),
            one_file_system: walk.one_file_system,
            follow_files: walk.follow_files,
            follow_directories: walk.follow_directories,
            preserve_access_time: walk.preserve_access_time,
            ..WalkArguments::default()
        };
        let (paths, files) = if *ignore_new && !self.root.is_file {
            let mut paths = PathsBelow::new(expected.copy().map_err(temporary_failed)?, self.root);
            (vec![], Some(FileList::of("the list", move || paths.next_path())))
        } else {
            (vec![self.root.top(expected.common_directory()).into_os_string()], None)
        };
        let walk = WalkOptions {
            medium: of_engine.medium.map(Into::into),
            io: of_engine.io.into(),
            ..reading::walk_options(&paths, &arguments, files)
        };
        pfh_source::raise_open_file_limit();
        HashRun { walk, engine }.into_parts().map_err(Failed::usage)
    }

    /// Walks without reading, and notes the files that have another size.
    fn find_other_sizes(&mut self, expected: &mut Expected, cancel: &CancelToken) -> Result<(), Failed> {
        let selection: Selection = expected.algorithms().into();
        let (source, engine) = self.parts(selection, expected)?;
        let copy = expected.copy().map_err(temporary_failed)?;
        let comparison = Comparison::new(copy, false, self.arguments.engine.memory / 8).map_err(temporary_failed)?;
        let mut sizes = Sizes { comparison, failed: Ok(()) };
        let prepare = |record: Record| self.root.found(record);
        let decide = |_: &[u8], _: Option<&Metadata>| Decision::RecordOnly(SkipReason::NotWanted);
        pfh::run_on(&engine, &source, &prepare, &mut sizes, Some(&decide), &Counters::default(), cancel)
            .map_err(|error| self.start_error(error))?;
        sizes.failed.map_err(temporary_failed)?;
        let findings = sizes.comparison.finish(&mut |_| Presence::Gone).map_err(temporary_failed)?;
        self.choice.leave_out_changed(findings).map_err(temporary_failed)
    }

    /// Decides whether a file is read.
    fn decide(&self, path: &[u8]) -> Decision {
        if self.choice.reads(self.root.of_record(path)) {
            Decision::Hash
        } else {
            Decision::RecordOnly(SkipReason::NotWanted)
        }
    }

    /// Converts an error of the engine, so that it names the whole memory option.
    fn start_error(&self, error: pfh::Error) -> Failed {
        start_error_of(error, self.arguments.engine.memory)
    }
}

/// Compares sizes.
struct Sizes {
    comparison: Comparison,
    failed: io::Result<()>,
}

impl Sink for Sizes {
    type Item = Option<Found>;

    fn deliver(&mut self, found: Option<Found>) -> ControlFlow<()> {
        self.failed = found.map_or(Ok(()), |found| self.comparison.found(found));
        if self.failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
