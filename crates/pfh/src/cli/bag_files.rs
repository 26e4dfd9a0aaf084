//! The files of bags: walking and hashing them, and reading their tag files.

use super::bag_args::BagOptions;
use super::command::{Command, Item};
use super::exit::Failed;
use super::gather;
use super::reading;
use pfh::HashRun;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::Options;
use pfh_record::{Outcome, Record};
use pfh_source::{
    Entry, ErrorKind, FileError, Found, LocalFile, LocalHandle, LocalSource, Source, SourceFile, WalkOptions, Watch,
};
use std::io::{self, Read};
use std::ops::ControlFlow;

/// A directory of a bag as an argument of a walk: without slashes at its end.
pub(crate) fn root_of(path: &[u8]) -> Vec<u8> {
    let end = path.iter().rposition(|&byte| byte != b'/').map_or(1, |last| last + 1);
    path[..end.min(path.len())].to_vec()
}

/// Returns the path below a root.
pub(crate) fn below<'p>(root: &[u8], path: &'p [u8]) -> &'p [u8] {
    let rest = path.strip_prefix(root).unwrap_or(path);
    rest.strip_prefix(b"/").unwrap_or(rest)
}

/// Makes the options to hash by these algorithms within this memory.
pub(crate) fn engine(options: &BagOptions, algorithms: &[Algorithm], memory_bytes: u64) -> Options {
    reading::engine(algorithms, options.threads, memory_bytes)
}

/// Makes a source of everything below these roots, and the options to hash it by these algorithms.
pub(crate) fn source(
    options: &BagOptions,
    roots: Vec<Vec<u8>>,
    algorithms: &[Algorithm],
) -> Result<(LocalSource, Options), Failed> {
    source_of(options, WalkOptions { roots, ..WalkOptions::default() }, algorithms)
}

/// Makes a source to be walked, which tells everything about these directories, and sizes if they are wanted.
pub(crate) fn survey(options: &BagOptions, walk: WalkOptions) -> Result<LocalSource, Failed> {
    let (source, _) = source_of(options, WalkOptions { want_others: true, ..walk }, &[])?;
    Ok(source)
}

fn source_of(
    options: &BagOptions,
    walk: WalkOptions,
    algorithms: &[Algorithm],
) -> Result<(LocalSource, Options), Failed> {
    let engine = engine(options, algorithms, options.memory / 2);
    HashRun { walk, engine }.into_parts().map_err(Failed::usage)
}

/// Walks a source until the end, a signal or an error of `visit`.
pub(crate) fn walk(
    command: &mut Command,
    source: &LocalSource,
    visit: &mut dyn FnMut(&mut Command, Found<LocalHandle>) -> io::Result<()>,
) -> io::Result<()> {
    let mut walked = Ok(());
    source.walk(&mut |found| {
        walked = visit(command, found);
        walked.is_ok() && !command.is_stopped()
    });
    walked
}

/// Counts and reports a file that cannot be read.
pub(crate) fn fail(command: &mut Command, path: Vec<u8>, error: FileError) {
    let record = Record::new(path, Outcome::Unreadable { offset: 0, error });
    command.count(&Item::new(&record, ()));
}

/// Hashes the files of a source, and calls `deliver` with the record of each, in their order. Files that could not be
/// read have no digests; they were counted and reported.
pub(crate) fn hash<S: Source + Watch>(
    command: &mut Command,
    memory_bytes: u64,
    engine: &Options,
    source: &S,
    deliver: &mut (dyn FnMut(Hashed) -> io::Result<()> + Send),
) -> Result<(), Failed> {
    let prepare = |record: Record| {
        let item = Item::new(&record, ());
        let is_complete = record.outcome == Outcome::Complete;
        item.map(|()| Hashed { path: record.path, bytes: record.bytes_read, digests: record.digests, is_complete })
    };
    let mut delivered = Ok(());
    let mut each = |hashed: Hashed| {
        delivered = deliver(hashed);
        if delivered.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let report = command.hash(engine, source, None, &prepare, &mut each);
    report.map_err(|error| gather::start_error_of(error, memory_bytes))?;
    delivered.map_err(Failed::temporary)
}

/// A file that was hashed, or not.
pub(crate) struct Hashed {
    pub(crate) path: Vec<u8>,
    pub(crate) bytes: u64,
    pub(crate) digests: Vec<Digest>,
    pub(crate) is_complete: bool,
}

/// Reads a tag file, and remembers its error: any other one is that of a temporary file.
pub(crate) struct TagReader {
    file: LocalFile,
    offset: u64,
    pub(crate) error: Option<FileError>,
}

impl TagReader {
    /// Opens a file that a walk found.
    pub(crate) fn open(source: &LocalSource, entry: &Entry<LocalHandle>) -> Result<TagReader, FileError> {
        Ok(TagReader { file: source.open(entry)?, offset: 0, error: None })
    }
}

impl Read for TagReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.file.read_at(buffer, self.offset) {
            Ok(count) => {
                self.offset += count as u64;
                Ok(count)
            }
            Err(error) => {
                self.error = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    }
}

/// Reads a tag file with `read`. `None` if it could not be read, which was reported and counted.
pub(crate) fn with_tag_file<T>(
    command: &mut Command,
    source: &LocalSource,
    entry: &Entry<LocalHandle>,
    read: impl FnOnce(&mut TagReader) -> io::Result<T>,
) -> Result<Option<T>, Failed> {
    let mut reader = match TagReader::open(source, entry) {
        Ok(reader) => reader,
        Err(error) => {
            fail(command, entry.path(), error);
            return Ok(None);
        }
    };
    match (read(&mut reader), reader.error) {
        (Ok(made), None) => Ok(Some(made)),
        (_, Some(error)) => {
            fail(command, entry.path(), error);
            Ok(None)
        }
        (Err(error), None) => Err(Failed::temporary(error)),
    }
}

/// Returns the error of something that a bag cannot have.
pub(crate) fn other_error(text: &str) -> FileError {
    FileError::new(ErrorKind::Other, text)
}
