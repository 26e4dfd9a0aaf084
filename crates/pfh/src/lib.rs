//! Parallel framework for hashing: hash everything below some paths, at the speed of the hardware.
//!
//! This crate is the entry to the library. [`HashRun`] hashes trees, [`hash_file`] one file, [`hash_reader`] a stream,
//! and [`hash_bytes`] bytes in memory; lists are read with [`list`], similar files are found with [`similarity`], and
//! the other modules re-export the other crates. The guide `docs/guides/use-the-library.md` has a table of the calls
//! for each purpose. The program `pfh` is built on the same calls.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::env::temp_dir().join(format!("pfh-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! # std::fs::write(directory.join("hello.txt"), "hello")?;
//! let mut records = pfh::HashRun::new(["md5", "sha256"])?.path(&directory).stream()?;
//! for record in &mut records {
//!     match &record.outcome {
//!         pfh::Outcome::Complete => println!("{}  {}", record.digests[1], record.as_path().display()),
//!         failed => eprintln!("{}: {failed}", record.as_path().display()),
//!     }
//! #   assert_eq!(record.digests[0].to_string(), "5d41402abc4b2a76b9719d911017c592");
//! }
//! println!("{} files", records.finish().summary.files());
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok(())
//! # }
//! ```
//!
//! It never prints and never exits. A file that cannot be read is a record with another outcome than
//! [`Outcome::Complete`], never an error of the run.
//!
//! # Work on the threads of the run
//!
//! [`HashRun::stream`] takes any number of files in bounded memory, and [`HashRun::records`] keeps every record.
//! [`HashRun::run`] hands each record to a [`Sink`] on the threads of the run, in the order of the walk. This one
//! writes the list that `pfh hash -f jsonl` writes; `prepare` formats on all worker threads, and the sink only writes.
//! A sink moves to another thread, so it takes `std::io::stdout()`, not its lock.
//!
//! ```
//! use pfh::engine::Sink;
//! use pfh::record::{FormatName, Summary, WriteOptions};
//! use pfh::{CancelToken, Counters};
//! use std::io::{self, BufWriter, Write};
//! use std::ops::ControlFlow;
//!
//! struct Writer<W: Write + Send> {
//!     output: BufWriter<W>,
//!     result: io::Result<()>,
//! }
//!
//! impl<W: Write + Send> Sink for Writer<W> {
//!     type Item = Vec<u8>;
//!     fn deliver(&mut self, line: Vec<u8>) -> ControlFlow<()> {
//!         self.result = self.output.write_all(&line);
//!         if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::env::temp_dir().join(format!("pfh-doc-list-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! # std::fs::write(directory.join("hello.txt"), "hello")?;
//! let run = pfh::HashRun::new(["sha256"])?.path(&directory);
//! let facts = run.facts();
//! let jsonl: FormatName = "jsonl".parse()?;
//! let format = jsonl.writer(&facts.selection, &WriteOptions::default())?;
//!
//! let mut writer = Writer { output: BufWriter::new(io::stdout()), result: Ok(()) };
//! let mut frame = Vec::new();
//! format.header(&facts, &mut frame);
//! writer.output.write_all(&frame)?;
//! let prepare = |record: pfh::Record| {
//!     let mut line = Vec::new();
//!     // JSON Lines can express every record; other formats say which they cannot.
//!     let _ = format.record(&record, &mut line);
//!     line
//! };
//! let report = run.run(&prepare, &mut writer, None, &Counters::default(), &CancelToken::default())?;
//! writer.result?;
//! frame.clear();
//! format.footer(&report.summary, &mut frame);
//! writer.output.write_all(&frame)?;
//! writer.output.flush()?;
//! # assert_eq!(report.summary.complete, 1);
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok(())
//! # }
//! ```
//!
//! # What it brings along
//!
//! With `default-features = false` a dependent builds the library only, about 70 crates in all. The feature `program`
//! (arguments, terminal, SQLite, laboratory) makes that 140.
#![forbid(unsafe_code)]

mod records;
mod shortcuts;
mod size;

pub use pfh_digest as digest;
pub use pfh_engine as engine;
pub use pfh_facts as facts;
pub use pfh_list as list;
pub use pfh_record as record;
pub use pfh_similarity as similarity;
pub use pfh_source as source;

pub use records::Records;
pub use shortcuts::{hash_bytes, hash_file, hash_reader};
pub use size::parse_bytes;

pub use pfh_digest::{Algorithm, Digest};
pub use pfh_engine::{CancelToken, Counters, Mode, Options, Order, Report};
pub use pfh_record::{DigestKind, Outcome, Record, Selection, UnknownDigest};

use pfh_engine::{Decide, Prepare, Sink, StartError};
use pfh_record::quote::quoted;
use pfh_record::{HostFacts, RunFacts, Timestamp};
use pfh_source::{IoMethod, LocalSource, OpenFiles, PatternError, Source, TooFewOpenFiles, WalkOptions};
use std::ffi::CStr;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::SystemTime;

/// A run of hashing: what to read ([`HashRun::walk`]) and how ([`HashRun::engine`]). The defaults suit most uses. Every
/// field of both may be set, and keeps its value; a field that is `None` follows from the others, or from the system's
/// limits.
#[derive(Debug)]
pub struct HashRun {
    /// The files to walk and to read.
    pub walk: WalkOptions,
    /// Algorithms, threads, memory, mode and order.
    pub engine: Options,
}

/// The reason why a run could not begin, or why one file has no digests. `Display` says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A name is neither an algorithm's nor a similarity family's.
    UnknownDigest(UnknownDigest),
    /// The memory option is too small for the run, or the system refused memory or threads.
    Start(StartError),
    /// A pattern of the filters is invalid.
    Pattern(PatternError),
    /// The limit on open files is too low for the number of threads.
    OpenFiles(TooFewOpenFiles),
    /// The file of [`hash_file`], or the stream of [`hash_reader`], was not read to its end. Its record states the
    /// outcome, which is not complete.
    NotComplete(Box<Record>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownDigest(error) => error.fmt(f),
            Error::Start(error) => error.fmt(f),
            Error::Pattern(error) => error.fmt(f),
            Error::OpenFiles(error) => error.fmt(f),
            Error::NotComplete(record) if record.path.is_empty() => record.outcome.fmt(f),
            Error::NotComplete(record) => write!(f, "{}: {}", quoted(&record.path), record.outcome),
        }
    }
}

/// Its text includes that of the error within, which is therefore no source: reporters would print it twice.
impl std::error::Error for Error {}

impl From<UnknownDigest> for Error {
    fn from(error: UnknownDigest) -> Error {
        Error::UnknownDigest(error)
    }
}

impl From<StartError> for Error {
    fn from(error: StartError) -> Error {
        Error::Start(error)
    }
}

impl From<PatternError> for Error {
    fn from(error: PatternError) -> Error {
        Error::Pattern(error)
    }
}

impl From<TooFewOpenFiles> for Error {
    fn from(error: TooFewOpenFiles) -> Error {
        Error::OpenFiles(error)
    }
}

impl HashRun {
    /// Makes a run with these digests, by names or aliases of algorithms and of families of similarity digests; each
    /// kind in this order. A digest that is named again counts once, so that records may have fewer digests than there
    /// are names. Without names, files are read to their ends and have none.
    ///
    /// A run reads what [`HashRun::path`] adds; to run without any path is no error, and makes no records.
    ///
    /// # Errors
    /// [`UnknownDigest`] for the first unknown name.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<HashRun, UnknownDigest> {
        let kinds = names.into_iter().map(str::parse::<DigestKind>);
        let selection: Selection = kinds.collect::<Result<_, _>>()?;
        Ok(HashRun { walk: WalkOptions::default(), engine: Options::new(selection) })
    }

    /// Adds a file or a directory to read. A path `-` is that of a file of this name; standard input is read by
    /// [`hash_reader`], or with [`WalkOptions::reads_standard_input`].
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> HashRun {
        self.walk.roots.push(path.into().into_os_string().into_vec());
        self
    }

    /// Returns the facts about this run for the header of a list: its digests, this program's arguments, the working
    /// directory, the time, the host and the user. Every field may be changed; `program` and `program_version` name
    /// pfh.
    pub fn facts(&self) -> RunFacts {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let system = rustix::system::uname();
        let text = |part: &CStr| part.to_string_lossy().into_owned();
        RunFacts {
            selection: self.engine.selection.clone(),
            variants: self.engine.similarity.variants(self.engine.selection.families()),
            program: "pfh".to_owned(),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            command_line: std::env::args_os().map(OsStringExt::into_vec).collect(),
            directory: std::env::current_dir().map_or_else(|_| Vec::new(), |path| path.into_os_string().into_vec()),
            started: Timestamp { seconds: now.as_secs() as i64, nanoseconds: now.subsec_nanos() },
            host: HostFacts {
                system: text(system.sysname()),
                release: text(system.release()),
                version: text(system.version()),
                host: text(system.nodename()),
                architecture: text(system.machine()),
            },
            uid: Some(rustix::process::getuid().as_raw()),
            piece_bytes: self.engine.piece_bytes,
            facts: self.engine.facts,
            conversion: None,
        }
    }

    /// Runs, and returns one record per file, in the order of the walk.
    ///
    /// # Errors
    /// If the run cannot begin. Errors of files are outcomes of their records.
    pub fn records(self) -> Result<Vec<Record>, Error> {
        let mut records = Vec::new();
        self.run(&|record| record, &mut records, None, &Counters::default(), &CancelToken::default())?;
        Ok(records)
    }

    /// Runs in threads of its own, and returns the records as an iterator, in the order of the walk. The run waits for
    /// a slow caller, so that any number of files takes bounded memory; dropping the iterator stops the run.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let scratch = tempfile::tempdir()?;
    /// # std::fs::write(scratch.path().join("hello.txt"), "hello")?;
    /// # let directory = scratch.path();
    /// let mut records = pfh::HashRun::new(["sha256"])?.path(directory).stream()?;
    /// for record in &mut records {
    ///     println!("{}: {} bytes, {}", record.as_path().display(), record.bytes_read, record.outcome);
    /// }
    /// let report = records.finish();
    /// assert_eq!(report.summary.complete, 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run cannot begin.
    pub fn stream(self) -> Result<Records, Error> {
        let (source, options) = self.into_parts()?;
        stream_on(options, source)
    }

    /// Runs, and delivers to `sink` the items that `prepare` makes of the records. See [`pfh_engine::run`].
    ///
    /// # Errors
    /// If the run cannot begin.
    pub fn run<K: Sink>(
        self,
        prepare: Prepare<'_, K::Item>,
        sink: &mut K,
        decide: Option<Decide<'_>>,
        counters: &Counters,
        cancel: &CancelToken,
    ) -> Result<Report, Error> {
        let (source, options) = self.into_parts()?;
        run_on(&options, &source, prepare, sink, decide, counters, cancel)
    }

    /// Returns the source and the engine's options, adapted to each other, for callers of [`run_on`] who keep the
    /// source.
    ///
    /// # Errors
    /// If a pattern of the filters is invalid, or the limit on open files is too low for the threads. Files that this
    /// process has open by then are taken into account; files that it opens during the run are not.
    pub fn into_parts(self) -> Result<(LocalSource, Options), Error> {
        let HashRun { mut walk, mut engine } = self;
        walk.want_size.get_or_insert(engine.balance || engine.order == Order::Size);
        let is_direct = *engine.direct.get_or_insert(walk.io == IoMethod::Direct);
        let readers = if is_direct || engine.mode == Mode::Mtp { engine.prefetchers } else { engine.threads };
        let open_files = OpenFiles::divide(readers.max(1))?;
        engine.open_files_max.get_or_insert(open_files.files);
        walk.open_directories_max.get_or_insert(open_files.directories);
        walk.reading_threads.get_or_insert(engine.threads);
        Ok((LocalSource::new(walk)?, engine))
    }
}

/// Runs on any source; see [`HashRun::run`].
///
/// # Errors
/// If the run cannot begin.
pub fn run_on<S: Source, K: Sink>(
    options: &Options,
    source: &S,
    prepare: Prepare<'_, K::Item>,
    sink: &mut K,
    decide: Option<Decide<'_>>,
    counters: &Counters,
    cancel: &CancelToken,
) -> Result<Report, Error> {
    Ok(pfh_engine::run(options, source, prepare, sink, decide, counters, cancel)?)
}

/// Runs on any source in threads of its own, and returns the records as an iterator; see [`HashRun::stream`]. To keep
/// using a source, pass it as an `Arc`.
///
/// # Errors
/// If the run cannot begin.
pub fn stream_on<S: Source + Send + 'static>(options: Options, source: S) -> Result<Records, Error> {
    Records::start(options, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_stays_and_the_rest_is_derived() {
        for is_direct in [false, true] {
            let mut run = HashRun::new(["md5"]).unwrap().path(".");
            run.walk.io = if is_direct { IoMethod::Direct } else { IoMethod::Buffered };
            run.engine.order = if is_direct { Order::Size } else { Order::Path };
            let (source, options) = run.into_parts().unwrap();
            assert_eq!((source.is_direct(), options.direct), (is_direct, Some(is_direct)));
            let derived = options.open_files_max.unwrap();
            assert!(derived > 1, "{derived}");

            let mut run = HashRun::new(["md5"]).unwrap().path(".");
            run.walk.io = if is_direct { IoMethod::Direct } else { IoMethod::Buffered };
            run.engine.direct = Some(!is_direct);
            run.engine.open_files_max = Some(derived - 1);
            let (_, options) = run.into_parts().unwrap();
            assert_eq!((options.direct, options.open_files_max), (Some(!is_direct), Some(derived - 1)));
        }
    }

    /// The walk asks for sizes if the order needs them, unless the caller decides.
    #[test]
    fn sizes_are_asked_for_where_the_order_needs_them() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("file"), "hello").unwrap();
        let hint = |order, want_size| {
            let mut run = HashRun::new(["md5"]).unwrap().path(scratch.path());
            run.engine.order = order;
            run.walk.want_size = want_size;
            let mut hint = None;
            run.into_parts().unwrap().0.walk(&mut |found| {
                if let pfh_source::Found::Entry(entry) = found {
                    hint = entry.size_hint;
                }
                true
            });
            hint
        };
        assert_eq!(hint(Order::Path, None), None);
        assert_eq!(hint(Order::Path, Some(true)), Some(5));
        assert_eq!(hint(Order::Size, None), Some(5));
        assert_eq!(hint(Order::Size, Some(false)), None);
    }
}
