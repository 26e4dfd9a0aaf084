//! Inputs and outputs from options that several commands share.

use super::cancellable::Cancellable;
use super::common_args::{EngineArguments, WalkArguments};
use super::exit::Failed;
use super::message;
use super::output::Output;
use pfh_digest::Algorithm;
use pfh_digest::lanes::{BACKEND_VARIABLE, Backend};
use pfh_engine::{CancelToken, Options};
use pfh_fixity::identity_of_list;
use pfh_record::{FileIdentity, Selection};
use pfh_source::{FileList, WalkOptions};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Returns the options of the walk from the arguments.
pub(crate) fn walk_options(paths: &[OsString], walk: &WalkArguments, files_from: Option<FileList>) -> WalkOptions {
    WalkOptions {
        roots: paths.iter().map(|path| path.as_bytes().to_vec()).collect(),
        reads_standard_input: true,
        files_from,
        follow_files: walk.follow_files,
        follow_directories: walk.follow_directories,
        one_file_system: walk.one_file_system,
        max_depth: walk.max_depth,
        include: walk.include.clone(),
        exclude: walk.exclude.clone(),
        size_min: walk.min_size,
        size_max: walk.max_size,
        preserve_access_time: walk.preserve_access_time,
        ..WalkOptions::default()
    }
}

/// Returns the options of an engine for these digests, with this number of threads, or one for each core.
pub(crate) fn engine(selection: impl Into<Selection>, threads: Option<u16>, memory_bytes: u64) -> Options {
    let mut options = Options::new(selection);
    if let Some(threads) = threads {
        options.threads = usize::from(threads);
    }
    options.memory_bytes = memory_bytes;
    options
}

/// Returns the options of the engine from the arguments.
pub(crate) fn engine_options(arguments: &EngineArguments, selection: Selection) -> Options {
    let mut options = engine(selection, arguments.threads, arguments.memory);
    options.prefetchers = usize::from(arguments.prefetchers);
    options.slot_bytes_max = arguments.slot.map(|bytes| bytes as usize);
    options.mode = arguments.mode.into();
    options.order = arguments.order.into();
    options.balance = arguments.balance;
    options
}

/// Returns the algorithms of these names, each once. `why` is the reason against one that takes a key, after its name.
pub(crate) fn unkeyed(names: &[String], why: &str) -> Result<Vec<Algorithm>, Failed> {
    let mut algorithms = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let algorithm = Algorithm::from_name(name).map_err(Failed::usage)?;
        if algorithm.is_keyed() {
            return Err(Failed::usage(format_args!("{algorithm} {why}")));
        }
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    if algorithms.is_empty() {
        return Err(Failed::usage("no algorithm is named; `pfh algorithms` lists them"));
    }
    Ok(algorithms)
}

/// Returns the backend of the option, of the environment, or the best one.
pub(crate) fn backend(option: Option<Backend>) -> Result<Backend, Failed> {
    if let Some(backend) = option {
        return Ok(backend);
    }
    // This is the environment's choice, unless it is invalid.
    Backend::from_environment().map_err(|error| Failed::usage(format_args!("{BACKEND_VARIABLE}: {error}")))?;
    Ok(Backend::chosen())
}

/// Whether paths or a list of paths come from standard input.
pub(crate) fn reads_input(paths: &[OsString], walk: &WalkArguments) -> bool {
    let is_input = |path: &PathBuf| path.as_os_str() == "-";
    paths.iter().any(|path| path == "-") || walk.files_from.iter().chain(&walk.files_from0).any(is_input)
}

/// Refuses a command line that names standard input twice: who reads it second would find nothing there.
pub(crate) fn one_input<'a>(
    words: impl IntoIterator<Item = &'a OsStr>,
    walk: Option<&'a WalkArguments>,
) -> Result<(), Failed> {
    let lists = walk.into_iter().flat_map(path_lists);
    let uses = words.into_iter().chain(lists).filter(|word| *word == "-").count();
    if uses < 2 {
        return Ok(());
    }
    Err(Failed::usage(format_args!("`-` is given {uses} times, and standard input can be read only once")))
}

/// Returns the lists of paths that options name.
pub(crate) fn path_lists(walk: &WalkArguments) -> impl Iterator<Item = &OsStr> {
    walk.files_from.iter().chain(&walk.files_from0).map(|path| path.as_os_str())
}

/// Opens the list of paths that an option names, if there is one.
pub(crate) fn file_list(walk: &WalkArguments) -> Result<Option<FileList>, Failed> {
    list_of(walk, |reader| reader)
}

/// As [`file_list`], for a command that always waits for its end: the list ends when the token is cancelled, although
/// the writer of the list may never write more.
pub(crate) fn file_list_until(walk: &WalkArguments, cancel: &CancelToken) -> Result<Option<FileList>, Failed> {
    list_of(walk, |reader| Box::new(Cancellable::new(reader, cancel.clone())))
}

fn list_of(
    walk: &WalkArguments,
    wrap: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
) -> Result<Option<FileList>, Failed> {
    let (path, separator) = match (&walk.files_from, &walk.files_from0) {
        (Some(path), _) => (path, b'\n'),
        (None, Some(path)) => (path, 0),
        (None, None) => return Ok(None),
    };
    let failed = |error: io::Error| Failed::usage(format_args!("{}: {error}", message::quoted_path(path)));
    // Its bytes could not be read, and it opens all the same.
    if path.as_os_str() != "-" && path.is_dir() {
        return Err(failed(Errno::ISDIR.into()));
    }
    let reader = open_input(path.as_os_str()).map_err(failed)?;
    Ok(Some(FileList::new(path.as_os_str().as_bytes().to_vec(), wrap(reader), separator)))
}

/// Opens a list; `-` is standard input.
pub(crate) fn open_input(path: &OsStr) -> io::Result<Box<dyn Read + Send>> {
    if path == "-" { Ok(Box::new(message::standard_input()?)) } else { Ok(Box::new(File::open(path)?)) }
}

/// Reads a small file that an option names.
pub(crate) fn read_small(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Failed> {
    let failed = |error: io::Error| Failed::usage(format_args!("{}: {error}", message::quoted_path(path)));
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(bytes_max + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > bytes_max {
        return Err(failed(io::ErrorKind::FileTooLarge.into()));
    }
    Ok(bytes)
}

/// Opens the file of `-o`, or standard output, unless it is one of the files that the command reads; `-` is none.
pub(crate) fn open_output<'a>(
    path: Option<&Path>,
    inputs: impl IntoIterator<Item = &'a OsStr>,
) -> Result<Output, Failed> {
    let output = match path {
        Some(path) if path.as_os_str() != "-" => Output::whole(path).map_err(|error| cannot_be_written(path, error)),
        _ => Output::standard().map_err(|error| Failed::internal(format_args!("standard output: {error}"))),
    }?;
    refuse_inputs(&output.identities(), inputs)?;
    Ok(output)
}

/// Refuses an output that would replace one of the files that the command reads; `-` is none. `own` are the identities
/// of the output, into which nothing was written yet.
pub(crate) fn refuse_inputs<'a>(
    own: &[FileIdentity],
    inputs: impl IntoIterator<Item = &'a OsStr>,
) -> Result<(), Failed> {
    let is_own = |input: &&OsStr| {
        *input != "-" && identity_of_list(Path::new(input)).is_some_and(|identity| own.contains(&identity))
    };
    inputs.into_iter().find(is_own).map_or(Ok(()), |input| Err(is_output(input.as_bytes())))
}

/// Returns the failure that a file is to be read and would be replaced.
pub(crate) fn is_output(path: &[u8]) -> Failed {
    let path = message::quoted(path);
    Failed::usage(format_args!("{path} is to be read and is also the output: name another file"))
}

/// Refuses a file in the place of a directory that is to be made or filled.
pub(crate) fn refuse_file(directory: &Path) -> Result<(), Failed> {
    match directory.metadata() {
        Ok(metadata) if !metadata.is_dir() => {
            Err(Failed::usage(format_args!("{} is not a directory", message::quoted_path(directory))))
        }
        // If there is another obstacle, whoever makes it will tell.
        _ => Ok(()),
    }
}

/// Returns the failure that the file of `-o` cannot be written.
pub(crate) fn cannot_be_written(path: &Path, error: io::Error) -> Failed {
    Failed::usage(format_args!("{} cannot be written: {error}", message::quoted_path(path)))
}
