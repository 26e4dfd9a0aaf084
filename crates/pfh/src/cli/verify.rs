//! `pfh verify`: what a list expects against what is there.

use super::command::{Command, Item, Reporting};
use super::common_args::WalkArguments;
use super::contents::temporary_failed;
use super::exit::{Ending, Failed};
use super::gather::start_error_of;
use super::lists::{self, BrokenLines};
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
use pfh_list::{Contents, FileIdentity, List};
use pfh_record::{Metadata, Outcome, ReadOptions, Record, Selection, SkipReason};
use pfh_source::{FileList, LocalSource, WalkOptions};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Runs `pfh verify`.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<Ending, Failed> {
    match arguments.compat {
        Some(Compat::Gnu) => return verify_compat::gnu(arguments),
        Some(Compat::Hashdeep) => return verify_compat::hashdeep(arguments),
        None => {}
    }
    let algorithm = arguments.algorithm.as_deref().map(Algorithm::from_name).transpose().map_err(Failed::usage)?;
    let mut list = lists::open(&arguments.list, ReadOptions { algorithm, ..ReadOptions::default() })?;
    let name = list.name().to_vec();
    let root = root_of(arguments, &mut list)?;
    let Listed { mut expected, not_below, broken } = read(arguments, list, &name, &root)?;
    let selection: Selection = expected.algorithms().into();
    let keys = keys::load(&arguments.keys, selection.algorithms(), arguments.list == "-")?;
    let top = root.top(&expected);
    let reporting =
        Reporting { quiet: arguments.quiet, verbose: false, progress: arguments.progress, allow_empty: true };
    let mut command = Command::begin(reporting, None);
    command.without_totals();
    command.set_output(reading::open_output(arguments.output.as_deref())?);
    command.count_lines(broken);
    let mut own_files = command.own_files();
    if let Ok(metadata) = fs::metadata(&arguments.list) {
        own_files.push(FileIdentity::new(metadata.dev(), metadata.ino()));
    }
    let sample = arguments.sample.map(|percent| Sample::new(percent, arguments.seed)).transpose();
    let sample = sample.map_err(Failed::usage)?;
    let choice = Choice::new(arguments.structure, sample);
    let mut run = Run { arguments, root: &root, top, keys, own_files, choice };
    if arguments.size_first {
        run.find_other_sizes(&mut expected, command.cancel())?;
    }
    let algorithms = expected.algorithms().to_vec();
    let (source, engine) = run.parts(selection, &mut expected)?;
    let mut comparison =
        Comparison::new(expected, arguments.all, arguments.engine.memory / 8).map_err(temporary_failed)?;
    for (file, error) in not_below {
        comparison.not_below(file, error).map_err(temporary_failed)?;
    }
    let mut compared = Ok(());
    let prepare = |record: Record| {
        let mut item = Item::new(&record, ());
        // The report has it.
        item.warning = None;
        let found = run.root.found(record);
        item.is_unread = found.as_ref().is_some_and(|found| matches!(found.state, State::Unreadable(_)));
        item.map(|()| found)
    };
    let mut deliver = |found: Option<Found>| {
        compared = found.map_or(Ok(()), |found| comparison.found(found));
        if compared.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let decide = |path: &[u8], _: &Metadata| run.decide(path);
    let decide: Option<Decide<'_>> = if run.choice.leaves_out() { Some(&decide) } else { None };
    let report = command.hash(&engine, &source, decide, &prepare, &mut deliver);
    report.map_err(|error| run.start_error(error))?;
    compared.map_err(temporary_failed)?;
    if command.cancel().is_cancelled() {
        return command.finish(Ok(()), 0, None);
    }
    let findings = comparison.finish(&mut |path| root.look(path)).map_err(temporary_failed)?;
    let asked = Asked {
        list: &name,
        root: &root.path,
        algorithms: &algorithms,
        sample,
        structure: arguments.structure,
        ignored: Ignored { new: arguments.ignore_new, missing: arguments.ignore_missing },
        quiet: arguments.quiet,
        broken,
    };
    let totals = *findings.totals();
    command.tally.findings = asked.ignored.failures(&totals);
    let unreadable = totals.files.of(Class::Unreadable);
    command.tally.unread = command.tally.unread.max(unreadable + broken);
    let mut output = command.output();
    let written = Report { asked: &asked, format: arguments.format }.write(findings, &mut output);
    if arguments.output.is_some() && !arguments.quiet {
        message::error(asked.verdict(&totals));
    }
    command.finish(written, 1, None)
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

/// Reads the list.
fn read(arguments: &VerifyArguments, list: List, name: &[u8], root: &Root) -> Result<Listed, Failed> {
    let mut expectations = Expectations::new(arguments.engine.memory / 8);
    let (mut not_below, mut contents, mut files) = (Vec::new(), Contents::default(), 0_u64);
    let mut lines = BrokenLines::new(name, arguments.quiet);
    let mut other = None;
    let forms = PathForms {
        backslashes: arguments.backslashes,
        strip_prefix: arguments.strip_prefix.as_ref().map(|prefix| prefix.as_bytes()),
    };
    for entry in lines.entries(list) {
        contents.add(&entry);
        // If it was skipped when the list was made, it is no file to expect.
        if matches!(entry.outcome, Some(Outcome::Skipped(SkipReason::NotRegular | SkipReason::Loop))) {
            continue;
        }
        files += 1;
        let mut file = File::new(root.below(&entry.path, &forms));
        file.line = entry.line;
        if entry.piece.is_none() && entry.is_complete() {
            (file.size, file.digests) = (entry.expected.size, entry.digests);
        }
        if root.is_file && file.name() != root.name() {
            other.get_or_insert(file);
            continue;
        }
        if let Err((mut file, error)) = expectations.push(file).map_err(temporary_failed)? {
            file.path = entry.path;
            not_below.push((file, error));
        }
        if not_below.len() > NOT_BELOW_MAX {
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
        expectations.push(other).map_err(temporary_failed)?.map_err(|(_, error)| Failed::usage(error))?;
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
    top: PathBuf,
    keys: Keys,
    own_files: Vec<FileIdentity>,
    choice: Choice,
}

impl Run<'_> {
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
            (vec![OsString::from(&self.top)], None)
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
        let decide = |_: &[u8], _: &Metadata| Decision::RecordOnly(SkipReason::NotWanted);
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
