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
    Class, Comparison, Expectations, Expected, File, Finding, Found, PathError, PathForms, Presence, Root, State,
};
use pfh_list::{Contents, FileIdentity, List};
use pfh_record::{Metadata, Outcome, ReadOptions, Record, Selection, SkipReason};
use pfh_source::{LocalSource, WalkOptions};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Most files that --size-first remembers as of another size. Further ones are read, with the same result.
const OTHER_SIZES_MAX: usize = 1 << 20;

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
    let seed = arguments.seed.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| u64::from(time.subsec_nanos()))
    });
    let mut run = Run { arguments, root: &root, top, keys, own_files, other_sizes: HashSet::new(), seed };
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
    let decide: Option<Decide<'_>> = if run.leaves_out() { Some(&decide) } else { None };
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
        sample: arguments.sample.map(|percent| (percent, seed)),
        structure: arguments.structure,
        ignores_new: arguments.ignore_new,
        ignores_missing: arguments.ignore_missing,
        quiet: arguments.quiet,
        broken,
    };
    let totals = *findings.totals();
    command.tally.findings = asked.failures(&totals);
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
    /// Paths below the root of files that have another size.
    other_sizes: HashSet<Vec<u8>>,
    seed: u64,
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
            let mut paths = ExpectedPaths {
                expected: expected.copy().map_err(temporary_failed)?,
                root: self.root.path.clone(),
                canonical: self.root.canonical.clone(),
                directory: PathBuf::new(),
                is_directory_below: false,
            };
            (vec![], Some(reading::list_of(move || paths.next_path())))
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
        let other_sizes = &mut self.other_sizes;
        let note = |finding: &Finding| {
            if finding.class == Class::Changed && other_sizes.len() < OTHER_SIZES_MAX {
                other_sizes.insert(finding.path().to_vec());
            }
            Ok(())
        };
        findings.into_each(note).map_err(temporary_failed)
    }

    /// Whether some files are not read.
    fn leaves_out(&self) -> bool {
        self.arguments.structure || self.arguments.sample.is_some() || !self.other_sizes.is_empty()
    }

    /// Decides whether a file is read.
    fn decide(&self, path: &[u8]) -> Decision {
        let path = self.root.of_record(path);
        let is_chosen = self.arguments.sample.is_none_or(|percent| {
            let digest =
                Algorithm::from_name("xxh3-64").map(|xxh3| xxh3.digest(&[&self.seed.to_be_bytes(), path].concat()));
            let first = digest.ok().and_then(|digest| digest.bytes().first_chunk().copied());
            (u64::from_be_bytes(first.unwrap_or_default()) as f64) < percent / 100.0 * 2_f64.powi(64)
        });
        if self.arguments.structure || !is_chosen || self.other_sizes.contains(path) {
            Decision::RecordOnly(SkipReason::NotWanted)
        } else {
            Decision::Hash
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

/// The paths of expected files: only those of files that are below the root.
struct ExpectedPaths {
    expected: Expected,
    root: PathBuf,
    canonical: PathBuf,
    /// The latest directory, and whether it is below the root.
    directory: PathBuf,
    is_directory_below: bool,
}

/// Whether a path, with all symbolic links followed, is below a directory without such links.
fn leads_below(path: &Path, canonical: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path.starts_with(canonical))
}

impl ExpectedPaths {
    fn next_path(&mut self) -> io::Result<Option<Vec<u8>>> {
        while let Some(one) = self.expected.next_file()? {
            let path = self.root.join(OsStr::from_bytes(&one.file.path));
            if self.is_below(&path) {
                return Ok(Some(path.into_os_string().into_vec()));
            }
        }
        Ok(None)
    }

    /// Whether a path leads to a file below the root. Symbolic links are followed, as for paths of the command line.
    fn is_below(&mut self, path: &Path) -> bool {
        match fs::symlink_metadata(path).map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_file() => {
                let directory = path.parent().unwrap_or(path);
                if self.directory != directory {
                    directory.clone_into(&mut self.directory);
                    self.is_directory_below = leads_below(directory, &self.canonical);
                }
                self.is_directory_below
            }
            Ok(kind) if kind.is_symlink() => {
                fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) && leads_below(path, &self.canonical)
            }
            _ => false,
        }
    }
}
