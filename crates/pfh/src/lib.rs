//! Parallel framework for hashing: hash everything below some paths, at the speed of the hardware.
//!
//! This crate is the face of the library: [`struct@Hash`] is the one call that most users want; the modules re-export the rooms
//! behind it for those who want more. The program `pfh` is built on the same call.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::env::temp_dir().join(format!("pfh-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! # std::fs::write(directory.join("hello.txt"), "hello")?;
//! let records = pfh::Hash::new(["md5", "sha256"])?.path(&directory).records()?;
//! for record in &records {
//!     match &record.outcome {
//!         pfh::Outcome::Complete => println!("{}  {}", record.digests[1], String::from_utf8_lossy(&record.path)),
//!         failed => eprintln!("{}: {failed:?}", String::from_utf8_lossy(&record.path)),
//!     }
//! }
//! # assert_eq!(records[0].digests[0].to_string(), "5d41402abc4b2a76b9719d911017c592");
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok(())
//! # }
//! ```
//!
//! It never prints and never exits. A file that cannot be read is a record with another outcome than
//! [`Outcome::Complete`], never an error of the run.
//!
//! # Lists, and trees that do not fit memory
//!
//! [`Hash::records`] keeps every record. [`Hash::run`] hands each one to a [`Sink`] instead, in the order of the
//! walk, while the run goes on. This one writes the list that `pfh hash -f jsonl` writes; `prepare` formats on the worker
//! threads, and the sink only writes. A sink moves to another thread, so it takes `std::io::stdout()`, not its lock.
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
//! let run = pfh::Hash::new(["sha256"])?.path(&directory);
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
//! With `default-features = false` a dependent builds the library only, about 60 crates in all. The feature `program`
//! (arguments, terminal, laboratory) makes that 110.
#![forbid(unsafe_code)]

pub use pfh_digest as digest;
pub use pfh_engine as engine;
pub use pfh_list as list;
pub use pfh_record as record;
pub use pfh_similarity as similarity;
pub use pfh_source as source;

pub use pfh_similarity::{all_pairs as compare, frash};

pub use pfh_digest::{Algorithm, Digest};
pub use pfh_engine::{CancelToken, Counters, Mode, Order, Report};
pub use pfh_record::{DigestKind, Outcome, Record, Selection, UnknownDigest};

use pfh_engine::{Decide, Options, Prepare, Sink, StartError};
use pfh_record::{HostFacts, RunFacts, Timestamp};
use pfh_source::{LocalSource, OpenFiles, PatternError, Source, TooFewOpenFiles, WalkOptions};
use std::ffi::CStr;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::SystemTime;

/// A run of hashing: what to read ([`Hash::walk`]) and how ([`Hash::engine`]). The defaults suit most. Every field of both
/// may be set, but for `direct` and `open_files_max` of the engine's options, which follow from [`WalkOptions::io`] and from
/// the system's limit.
#[derive(Debug)]
pub struct Hash {
    /// What to walk, and what of it to read.
    pub walk: WalkOptions,
    /// Algorithms, threads, memory, mode and order.
    pub engine: Options,
}

/// Why a run could not begin.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The memory option does not allow the run, or the system does not grant what it needs.
    Start(StartError),
    /// A pattern of the filters cannot be understood.
    Pattern(PatternError),
    /// The limit on open files does not allow for so many threads.
    OpenFiles(TooFewOpenFiles),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Start(error) => error.fmt(f),
            Error::Pattern(error) => error.fmt(f),
            Error::OpenFiles(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl Hash {
    /// A run that makes these digests, by names or aliases, of algorithms and of families of similarity digests; each kind in
    /// this order.
    ///
    /// # Errors
    /// The first name that is neither in the registry nor a family's.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Hash, UnknownDigest> {
        let kinds = names.into_iter().map(str::parse::<DigestKind>);
        let selection: Selection = kinds.collect::<Result<_, _>>()?;
        Ok(Hash { walk: WalkOptions::default(), engine: Options::new(selection) })
    }

    /// Adds a file or a directory to read.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Hash {
        self.walk.roots.push(path.into().into_os_string().into_vec());
        self
    }

    /// What the header of a list says of this run: its digests, this program's arguments, the working directory, the time,
    /// the host and the user. Every field may be changed; `program` and `program_version` name pfh.
    pub fn facts(&self) -> RunFacts {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let system = rustix::system::uname();
        let text = |part: &CStr| part.to_string_lossy().into_owned();
        RunFacts {
            selection: self.engine.selection.clone(),
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
        }
    }

    /// Runs, and returns one record per file, in the order of the walk.
    ///
    /// # Errors
    /// When the run cannot begin; errors of files are outcomes of their records.
    pub fn records(self) -> Result<Vec<Record>, Error> {
        let mut records = Vec::new();
        self.run(&|record| record, &mut records, None, &Counters::default(), &CancelToken::default())?;
        Ok(records)
    }

    /// Runs, and delivers what `prepare` makes of each record to `sink`. See [`pfh_engine::run`].
    ///
    /// # Errors
    /// When the run cannot begin.
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

    /// The source and the engine's options, made to fit each other; for [`run_on`] by callers who want to keep the source.
    ///
    /// # Errors
    /// When a pattern of the filters cannot be understood, or the limit on open files is too low for the threads. What of the limit
    /// this process has open by then is left out of the reckoning; what else it opens during the run is not known here.
    pub fn into_parts(self) -> Result<(LocalSource, Options), Error> {
        let Hash { mut walk, mut engine } = self;
        walk.want_size |= engine.balance || engine.order == Order::Size;
        engine.direct = walk.io == pfh_source::IoMethod::Direct;
        let prefetch = engine.direct || engine.mode == Mode::Mtp;
        let readers = if prefetch { engine.prefetchers } else { engine.threads };
        let open_files = OpenFiles::divide(readers.max(1)).map_err(Error::OpenFiles)?;
        engine.open_files_max = open_files.files;
        walk.open_directories_max.get_or_insert(open_files.directories);
        Ok((LocalSource::new(walk).map_err(Error::Pattern)?, engine))
    }
}

/// Runs on any source; see [`Hash::run`].
///
/// # Errors
/// When the run cannot begin.
pub fn run_on<S: Source, K: Sink>(
    options: &Options,
    source: &S,
    prepare: Prepare<'_, K::Item>,
    sink: &mut K,
    decide: Option<Decide<'_>>,
    counters: &Counters,
    cancel: &CancelToken,
) -> Result<Report, Error> {
    pfh_engine::run(options, source, prepare, sink, decide, counters, cancel).map_err(Error::Start)
}
