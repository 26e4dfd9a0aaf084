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
#![forbid(unsafe_code)]

pub mod compare;
pub mod frash;

pub use pfh_digest as digest;
pub use pfh_engine as engine;
pub use pfh_record as record;
pub use pfh_similarity as similarity;
pub use pfh_source as source;

pub use pfh_digest::{Algorithm, Digest, UnknownAlgorithm};
pub use pfh_engine::{CancelToken, Counters, Mode, Order, Report};
pub use pfh_record::{Outcome, Record};

use pfh_engine::{Options, Prepare, Sink, Skip, StartError};
use pfh_source::{LocalSource, PatternError, Source, WalkOptions};
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A run of hashing: what to read ([`Hash::walk`]) and how ([`Hash::engine`]). The defaults suit most; every field of both may be set.
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
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Start(error) => error.fmt(f),
            Error::Pattern(error) => error.fmt(f),
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
    pub fn new<'a>(algorithms: impl IntoIterator<Item = &'a str>) -> Result<Hash, UnknownAlgorithm> {
        let mut engine = Options::new(Vec::new());
        for name in algorithms {
            match (Algorithm::from_name(name), name.parse()) {
                (Ok(algorithm), _) => engine.algorithms.push(algorithm),
                (Err(_), Ok(family)) => engine.families.push(family),
                (Err(unknown), Err(_)) => return Err(unknown),
            }
        }
        Ok(Hash { walk: WalkOptions::default(), engine })
    }

    /// Adds a file or a directory to read.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Hash {
        self.walk.roots.push(path.into().into_os_string().into_vec());
        self
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
        skip: Option<Skip<'_>>,
        counters: &Counters,
        cancel: &CancelToken,
    ) -> Result<Report, Error> {
        let (source, options) = self.into_parts()?;
        run_on(&options, &source, prepare, sink, skip, counters, cancel)
    }

    /// The source and the engine's options, made to fit each other; for [`run_on`] by callers who want to keep the source.
    ///
    /// # Errors
    /// When a pattern of the filters cannot be understood.
    pub fn into_parts(self) -> Result<(LocalSource, Options), Error> {
        let Hash { mut walk, mut engine } = self;
        walk.want_size |= engine.balance || engine.order == Order::Size;
        engine.direct = walk.io == pfh_source::IoMethod::Direct;
        engine.open_files_max = usize::try_from(pfh_source::open_file_limit() / 2).unwrap_or(usize::MAX);
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
    skip: Option<Skip<'_>>,
    counters: &Counters,
    cancel: &CancelToken,
) -> Result<Report, Error> {
    pfh_engine::run(options, source, prepare, sink, skip, counters, cancel).map_err(Error::Start)
}
