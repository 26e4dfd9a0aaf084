//! `pfh verify`: what a list expects against what is there.

use super::command::{Command, Item, Reporting};
use super::common_args::WalkArguments;
use super::exit::{Ending, Failed};
use super::gather::start_error_of;
use super::lists::{self, BrokenLines};
use super::output::OwnFiles;
use super::progress::When;
use super::quantity::Count;
use super::verify_args::{Compat, VerifyArguments};
use super::verify_report::{Asked, Report, UnreadList};
use super::{keys, message, reading, verify_compat};
use pfh::HashRun;
use pfh_digest::{Algorithm, Keys};
use pfh_engine::{CancelToken, Counters, Decide, Decision, Options, Sink, StartError};
use pfh_fixity::{
    Choice, Comparison, Expected, Found, Ignored, Listed, OtherForms, PathError, PathForms, PathsBelow, Presence,
    Reading, Root, Sample, Shift, State, Useless, identity_of_list,
};
use pfh_list::{List, ReadError};
use pfh_record::{Metadata, ReadOptions, Record, Selection, SkipReason};
use pfh_source::{FileList, LocalSource, WalkOptions};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::{self, Builder};

/// Runs `pfh verify`.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    match arguments.compat {
        Some(Compat::Gnu) => return verify_compat::gnu(arguments),
        Some(Compat::Hashdeep) => return verify_compat::hashdeep(arguments),
        None => {}
    }
    let algorithm = arguments.algorithm.as_deref().map(Algorithm::from_name).transpose().map_err(Failed::usage)?;
    let options = ReadOptions { algorithm, piecewise: arguments.piecewise, ..ReadOptions::default() };
    let sample = arguments.sample.map(|percent| Sample::new(percent, arguments.seed)).transpose();
    let sample = sample.map_err(Failed::usage)?;
    let choice = Choice::new(arguments.structure, sample);
    let reporting =
        Reporting { quiet: arguments.quiet, verbose: false, progress: arguments.progress, allow_empty: true };
    // From here on, a signal ends the waiting for the list.
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    let opened = lists::open_as(&arguments.list, arguments.read_as, options);
    if command.cancel().is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    let mut list = opened?;
    let name = list.name().to_vec();
    let root = root_of(arguments, &mut list)?;
    let is_guess = list.guesses_algorithm();
    let inputs = [Some(arguments.list.as_os_str()), arguments.keys.key_file.as_deref()];
    let output = reading::open_output(arguments.output.as_deref(), inputs.into_iter().flatten())?;
    let own_files = output.own_files().with(identity_of_list(Path::new(&arguments.list)));
    // Other names of the file that the report will replace keep it.
    let replaced = output.replaced().and_then(|path| fs::canonicalize(path).ok());
    command.set_output(output);
    let run = Run { arguments, root: &root, keys: Keys::default(), own_files, replaced, choice };
    let asked = Asked {
        list: &name,
        root: &root.path,
        algorithms: &[],
        is_guess,
        sample,
        structure: arguments.structure,
        ignored: Ignored { new: arguments.ignore_new, missing: arguments.ignore_missing },
        quiet: arguments.quiet,
        unread: UnreadList::default(),
    };
    match run.likely(&mut list, options) {
        Some(likely) => run.while_reading(command, list, asked, likely),
        None => {
            let listed = read(arguments, list, arguments.quiet, &root, command.cancel());
            if command.cancel().is_cancelled() {
                return command.finish(Ok(()), 0, None);
            }
            run.after_reading(command, listed?, asked)
        }
    }
}

/// Returns the path below the root of the file at a path without symbolic links.
fn below_root(path: &Path, root: &Root) -> Option<Vec<u8>> {
    if root.is_file {
        return (path == root.canonical).then(|| root.name().to_vec());
    }
    path.strip_prefix(&root.canonical).ok().map(|below| below.as_os_str().as_bytes().to_vec())
}

/// Reads the list, or the part of it before a signal, and returns what of it could not be read. `quiet`: that is not
/// reported.
fn read(
    arguments: &VerifyArguments,
    mut list: List,
    quiet: bool,
    root: &Root,
    cancel: &CancelToken,
) -> Result<(Listed, UnreadList), Failed> {
    let forms = PathForms {
        backslashes: arguments.backslashes,
        strip_prefix: arguments.strip_prefix.as_ref().map(|prefix| prefix.as_bytes()),
    };
    let structure = arguments.structure;
    let reading = Reading { root, forms, structure, memory_bytes: arguments.engine.memory / 8 };
    let mut lines = BrokenLines::new(list.name(), quiet);
    let mut broken = |error: ReadError| {
        lines.report(&error);
        ControlFlow::Continue(())
    };
    let format = list.header().format;
    let listed = reading.read(&mut list, &mut broken, &|| cancel.is_cancelled());
    let listed = listed.map_err(|useless| match useless {
        Useless::NoFile if lines.count > 0 => lists::none_read(list.name(), format),
        useless => refused(useless, list.name(), root),
    })?;
    // A list that was not read to its end has no trailer.
    let missing_end = list.trailer().and_then(|trailer| lists::missing_end(trailer.end));
    if let Some(missing) = missing_end.filter(|_| !quiet) {
        message::error(format_args!("{}: {missing}", message::quoted(list.name())));
    }
    Ok((listed, UnreadList { lines: lines.count, has_no_end: missing_end.is_some() }))
}

/// Returns the message about a list that is of no use.
fn refused(useless: Useless, list: &[u8], root: &Root) -> Failed {
    let (list, root) = (message::quoted(list), message::quoted_path(&root.path));
    match useless {
        Useless::NoFile => Failed::usage(format_args!("{list} is empty: it has no line about a file")),
        Useless::NotBelow { paths, first, error } => Failed::usage(format_args!(
            "{list}: {} of its paths {} not below {root}, the first in line {}, {}: {error}; {}",
            Count(paths),
            if paths == 1 { "is" } else { "are" },
            first.line,
            message::quoted(&first.path),
            match error {
                PathError::OtherPrefix => "give another --strip-prefix",
                _ => "name another ROOT, or use --strip-prefix",
            }
        )),
        Useless::OtherNames => Failed::usage(format_args!("{list} has several files, and none has the name of {root}")),
        Useless::SameNames { lines: [first, second] } => Failed::usage(format_args!(
            "{list} has several files with the name of {root}, in lines {first} and {second} for instance, and none \
             has its path; name the directory that the paths start from"
        )),
        Useless::Name(error) => Failed::usage(error),
        Useless::NoDigests { has, states_sizes } => {
            let piecewise = if has.has_pieces() { " with --piecewise" } else { "" };
            let sizes = if states_sizes { " and sizes" } else { "" };
            Failed::usage(format_args!("{has}; --structure{piecewise} compares names{sizes}"))
        }
        Useless::Temporary(error) => Failed::temporary(error),
    }
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
    /// The files that are not to be read, because the program itself writes or reads them.
    own_files: OwnFiles,
    /// The existing file that the report will replace, without symbolic links.
    replaced: Option<PathBuf>,
    choice: Choice,
}

/// The list as the thread that reads it leaves it, and what of it could not be read.
enum Read {
    /// Its comparison was handed over.
    Compared { unread: UnreadList },
    /// It needs another run than its ends suggest.
    Other { listed: Box<Listed>, unread: UnreadList },
}

/// A run that may begin before its list was read.
struct Likely {
    /// The algorithms, and the directory in which all files are, or would be if it existed.
    of_list: (Vec<Algorithm>, Result<PathBuf, PathBuf>),
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
        let (ends, unread) = read(self.arguments, ends, true, self.root, &CancelToken::default()).ok()?;
        let mut expected = Some(ends.expected).filter(|_| unread.count() == 0 && ends.root.is_none())?;
        if self.root.are_devices(&mut expected).ok()? {
            return None;
        }
        let of_list = self.of_list(&expected);
        of_list.1.as_ref().ok()?;
        keys::load(keys, &of_list.0, false).ok()?;
        let (source, engine, _) = self.parts(of_list.0[..].into(), &mut expected).ok()?;
        Some(Likely { of_list, source, engine })
    }

    /// Returns what a run needs to know of the list.
    fn of_list(&self, expected: &Expected) -> (Vec<Algorithm>, Result<PathBuf, PathBuf>) {
        (expected.algorithms().to_vec(), self.root.top(expected.common_directory()))
    }

    /// Reads the files while the list is read. Findings wait within the memory of the engine until the list is known.
    fn while_reading(
        self,
        mut command: Command,
        list: List,
        asked: Asked<'_>,
        likely: Likely,
    ) -> Result<Ending, Failed> {
        let Likely { of_list, source, engine } = likely;
        let (cancel, likely_run) = (command.cancel().clone(), command.first_run());
        let (sender, receiver) = mpsc::channel();
        // The directories are listed, so that other forms of names are found in them.
        let no_forms = OtherForms::default();
        let (run, cancel, likely) = (&self, &cancel, &of_list);
        let (read, compared) = thread::scope(|threads| -> Result<_, Failed> {
            let reader = Builder::new().spawn_scoped(threads, move || {
                let read = run.read_likely(list, likely, &sender, cancel);
                if !matches!(read, Ok(Read::Compared { .. })) {
                    // The list cannot be used, or not with this run, so files are not read to their ends.
                    likely_run.cancel();
                }
                read
            });
            let refused = StartError::ThreadsRefused { threads: engine.threads + 1 };
            let reader = reader.map_err(|_| run.start_error(pfh::Error::Start(refused)))?;
            let compared = run.compare(&mut command, (&source, &engine), &no_forms, &mut move || receiver.recv().ok());
            Ok((reader.join().unwrap_or_else(|panic| resume_unwind(panic)), compared))
        })?;
        if command.cancel().is_cancelled() {
            return command.finish(Ok(()), 0, None);
        }
        match read? {
            Read::Compared { unread } => {
                command.count_lines(unread.count());
                self.report(command, compared?, Asked { algorithms: &of_list.0, unread, ..asked })
            }
            Read::Other { listed, unread } => {
                command.forget();
                self.after_reading(command, (*listed, unread), asked)
            }
        }
    }

    /// Reads the list, and sends its comparison if it needs no other run. Whoever waits for that gets nothing if the
    /// sender is dropped.
    fn read_likely(
        &self,
        list: List,
        likely: &(Vec<Algorithm>, Result<PathBuf, PathBuf>),
        sender: &mpsc::Sender<Comparison>,
        cancel: &CancelToken,
    ) -> Result<Read, Failed> {
        let (listed, unread) = read(self.arguments, list, self.arguments.quiet, self.root, cancel)?;
        if listed.root.is_some() || self.of_list(&listed.expected) != *likely {
            return Ok(Read::Other { listed: Box::new(listed), unread });
        }
        // A run that has failed receives nothing.
        let _ = sender.send(self.comparison(listed)?);
        Ok(Read::Compared { unread })
    }

    /// Begins the comparison with what the list expects. A report that would replace one of these files is refused.
    fn comparison(&self, mut listed: Listed) -> Result<Comparison, Failed> {
        let VerifyArguments { all, engine, .. } = self.arguments;
        let replaced = self.replaced.as_ref().and_then(|path| below_root(path, self.root));
        if let Some(replaced) = &replaced {
            listed.expected.rewind().map_err(Failed::temporary)?;
            while let Some(one) = listed.expected.next_file().map_err(Failed::temporary)? {
                if one.file.path == *replaced {
                    let named = self.arguments.output.as_ref().map(|path| path.as_os_str().as_bytes());
                    return Err(reading::is_output(named.unwrap_or(replaced)));
                }
            }
        }
        listed.comparison(*all, engine.memory / 8).map_err(Failed::temporary)
    }

    /// Reads the files after the list was read. Of it, `unread` could not be read.
    fn after_reading(
        self,
        mut command: Command,
        (mut listed, unread): (Listed, UnreadList),
        asked: Asked<'_>,
    ) -> Result<Ending, Failed> {
        let wider = listed.root.take();
        let root = wider.as_ref().unwrap_or(self.root);
        let (mut run, asked) = (Run { root, ..self }, Asked { root: &root.path, ..asked });
        let selection: Selection = listed.expected.algorithms().into();
        run.keys = keys::load(&run.arguments.keys, selection.algorithms(), run.arguments.list == "-")?;
        command.count_lines(unread.count());
        if run.arguments.size_first {
            run.find_other_sizes(&mut listed.expected, command.cancel())?;
        }
        let (algorithms, top) = run.of_list(&listed.expected);
        if let (Err(missing), false) = (top, run.arguments.ignore_new) {
            message::error(format_args!(
                "{}, below which all files of the list are, is not there, so nothing is compared; if its disk is not mounted, \
                 mount it, and if the files were moved, name the directory in which to search for them (ROOT)",
                message::quoted_path(&missing)
            ));
        }
        let (source, engine, other_forms) = run.parts(selection, &mut listed.expected)?;
        let mut comparison = Some(run.comparison(listed)?);
        let comparison = run.compare(&mut command, (&source, &engine), &other_forms, &mut || comparison.take())?;
        if command.cancel().is_cancelled() {
            return command.finish(Ok(()), 0, None);
        }
        run.report(command, comparison, Asked { algorithms: &algorithms, unread, ..asked })
    }

    /// Reads the files, and compares each with what is expected. `begin` waits for the comparison, and is called once;
    /// without one, the run ends.
    fn compare(
        &self,
        command: &mut Command,
        (source, engine): (&LocalSource, &Options),
        other_forms: &OtherForms,
        begin: &mut (dyn FnMut() -> Option<Comparison> + Send),
    ) -> Result<Option<Comparison>, Failed> {
        let (mut comparison, mut compared) = (None, Ok(()));
        let prepare = |record: Record| {
            let mut item = Item::new(&record, ());
            // The report has it.
            item.warning = None;
            let found = self.root.found(record);
            item.is_unread =
                found.as_ref().is_some_and(|found| matches!(found.state, State::Unreadable(_) | State::NotListed(_)));
            item.map(|()| found)
        };
        let mut deliver = |found: Option<Found>| {
            if comparison.is_none() {
                comparison = begin();
            }
            let Some(comparison) = &mut comparison else { return ControlFlow::Break(()) };
            compared = found.map_or(Ok(()), |found| comparison.found_by(other_forms, found));
            if compared.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let decide = |path: &[u8], _: Option<&Metadata>| self.decide(path);
        let decide: Option<Decide<'_>> = if self.choice.leaves_out() { Some(&decide) } else { None };
        let decide = self.own_files.before(decide);
        let report = command.hash(engine, source, decide.as_deref(), &prepare, &mut deliver);
        report.map_err(|error| self.start_error(error))?;
        compared.map_err(Failed::temporary)?;
        Ok(comparison.or_else(begin))
    }

    /// Ends the comparison, and prints what it found.
    fn report(&self, mut command: Command, comparison: Option<Comparison>, asked: Asked<'_>) -> Result<Ending, Failed> {
        let Some(comparison) = comparison else { return Err(Failed::internal("nothing was compared")) };
        let VerifyArguments { walk, ignore_new, .. } = self.arguments;
        let has_left_out = |place: &Path| self.may_leave_out(place);
        let patterns = [&walk.include[..], &walk.exclude];
        let left = self.root.left_out(comparison.common_directory(), patterns, *ignore_new, &has_left_out);
        let left = left.map_err(Failed::usage)?;
        let look = &mut |path: &[u8]| self.root.look(path, &left);
        let findings = comparison.finish(look).map_err(Failed::temporary)?;
        let totals = *findings.totals();
        command.tally.findings = asked.ignored.failures(&totals);
        let is_in_vain = command.tally.findings == 0 && totals.verified(asked.structure) == 0;
        let unread = totals.unknown() + asked.unread.count() + u64::from(is_in_vain);
        command.tally.unread = command.tally.unread.max(unread);
        if let (Some(shift), false) = (findings.shift(), asked.quiet) {
            message::error(self.advice(shift));
        }
        let mut output = command.output();
        let written = Report { asked: &asked, format: self.arguments.format }.write(findings, &mut output);
        if self.arguments.output.is_some() && !self.arguments.quiet {
            message::error(asked.verdict(&totals));
        }
        command.finish(written, 1, None)
    }

    /// Returns the advice for a list whose paths start from another place than the root.
    fn advice(&self, shift: &Shift) -> String {
        let (places, advice) = match shift {
            Shift::Listed(directory) => {
                let directory = message::quoted(directory);
                (format!("have it without {directory}"), format!("use --strip-prefix {directory}"))
            }
            Shift::Found(directory) => {
                let root = self.root.path.join(OsStr::from_bytes(directory));
                (
                    format!("are below {}", message::quoted(directory)),
                    format!("name {} as ROOT", message::quoted_path(&root)),
                )
            }
        };
        format!("no file is at its path, and most {places}; if the paths start from another directory, {advice}")
    }

    /// Whether the run may have left out the file at a path for another reason than its name.
    fn may_leave_out(&self, path: &Path) -> bool {
        let path = path.as_os_str().as_bytes();
        self.arguments.walk.one_file_system
            || pfh_source::identity_of(path).is_ok_and(|file| self.own_files.has(file, || path.to_vec()))
    }

    /// Returns the source and the options of the engine, and the names by which the source finds listed files.
    fn parts(
        &self,
        selection: Selection,
        expected: &mut Expected,
    ) -> Result<(LocalSource, Options, OtherForms), Failed> {
        let mut other_forms = OtherForms::default();
        let VerifyArguments { walk, engine: of_engine, ignore_new, .. } = self.arguments;
        let mut engine = reading::engine_options(of_engine, selection);
        engine.memory_bytes = of_engine.memory / 2;
        engine.backend = reading::backend(of_engine.backend)?;
        engine.keys = self.keys.clone();
        engine.own_files = self.own_files.identities();
        let arguments = WalkArguments {
            include: walk.include.clone(),
            exclude: walk.exclude.clone(),
            one_file_system: walk.one_file_system,
            follow_files: walk.follow_files,
            follow_directories: walk.follow_directories,
            preserve_access_time: walk.preserve_access_time,
            ..WalkArguments::default()
        };
        let are_devices = self.root.are_devices(expected).map_err(Failed::temporary)?;
        let (paths, files) = if are_devices || (*ignore_new && !self.root.is_file) {
            let mut paths = PathsBelow::new(expected.copy().map_err(Failed::temporary)?, self.root);
            other_forms = paths.other_forms();
            (vec![], Some(FileList::of("the list", move || paths.next_path())))
        } else {
            match self.root.top(expected.common_directory()) {
                Ok(top) => (vec![top.into_os_string()], None),
                // Nothing is compared, so that all files are missing.
                Err(_) => (vec![], Some(FileList::of("the list", || Ok(None)))),
            }
        };
        let walk = WalkOptions {
            // ROOT is a path, and so is what the list has.
            reads_standard_input: false,
            medium: of_engine.medium.map(Into::into),
            io: of_engine.io.into(),
            ..reading::walk_options(&paths, &arguments, files)
        };
        pfh_source::raise_open_file_limit();
        let (source, engine) = HashRun { walk, engine }.into_parts().map_err(Failed::usage)?;
        Ok((source, engine, other_forms))
    }

    /// Walks without reading, and notes the files that have another size.
    fn find_other_sizes(&mut self, expected: &mut Expected, cancel: &CancelToken) -> Result<(), Failed> {
        let selection: Selection = expected.algorithms().into();
        let (source, engine, other_forms) = self.parts(selection, expected)?;
        let copy = expected.copy().map_err(Failed::temporary)?;
        let comparison = Comparison::new(copy, false, self.arguments.engine.memory / 8).map_err(Failed::temporary)?;
        let mut sizes = Sizes { comparison, other_forms, failed: Ok(()) };
        let prepare = |record: Record| self.root.found(record);
        let decide = |_: &[u8], _: Option<&Metadata>| Decision::RecordOnly(SkipReason::NotWanted);
        let decide = self.own_files.before(Some(&decide));
        pfh::run_on(&engine, &source, &prepare, &mut sizes, decide.as_deref(), &Counters::default(), cancel)
            .map_err(|error| self.start_error(error))?;
        sizes.failed.map_err(Failed::temporary)?;
        let findings = sizes.comparison.finish(&mut |_| Presence::Gone).map_err(Failed::temporary)?;
        self.choice.leave_out_changed(findings).map_err(Failed::temporary)
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
    other_forms: OtherForms,
    failed: io::Result<()>,
}

impl Sink for Sizes {
    type Item = Option<Found>;

    fn deliver(&mut self, found: Option<Found>) -> ControlFlow<()> {
        self.failed = found.map_or(Ok(()), |found| self.comparison.found_by(&self.other_forms, found));
        if self.failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
