//! Shared parts of the tests: settings, samples, runs, and a watchdog.

use std::fmt;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use pfh_digest::{Algorithm, Digest};
use pfh_engine::{CancelToken, Counters, Mode, Options, Report, StartError};
use pfh_record::{Outcome, Record, Summary};
use pfh_source::Source;
use pfh_testing::{Random, ScriptedSource};

use crate::observed::Observed;

pub(crate) const EIO: i32 = 5;

/// Aborts the whole test program, with the name of the test, if it is not dropped in time: a hanging scoped thread
/// cannot be ended in any other way.
pub(crate) struct Watchdog(#[expect(dead_code, reason = "dropping it tells the thread")] Sender<()>);

pub(crate) fn watchdog(seconds: u64) -> Watchdog {
    let (sender, receiver) = channel();
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    std::thread::spawn(move || {
        if receiver.recv_timeout(Duration::from_secs(seconds)) == Err(RecvTimeoutError::Timeout) {
            let _ = writeln!(std::io::stderr(), "\n{test}: hangs after {seconds} s");
            std::process::abort();
        }
    });
    Watchdog(sender)
}

/// The options of a run that tests vary: mode, threads, memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) mode: Mode,
    pub(crate) direct: bool,
    pub(crate) threads: usize,
    pub(crate) prefetchers: usize,
    /// Whether to use the least memory that works; otherwise the default.
    pub(crate) least_memory: bool,
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting { mode, direct, threads, prefetchers, least_memory } = self;
        let direct = if *direct { " direct" } else { "" };
        let memory = if *least_memory { "least" } else { "default" };
        write!(f, "{mode:?}{direct} -t {threads} -p {prefetchers}, {memory} memory")
    }
}

impl Setting {
    pub(crate) fn options(self, algorithms: &[Algorithm]) -> Options {
        let mut options = Options::new(algorithms.to_vec());
        options.mode = self.mode;
        options.direct = Some(self.direct);
        options.threads = self.threads;
        options.prefetchers = self.prefetchers;
        if self.least_memory {
            options.memory_bytes = least_memory(&options);
        }
        options
    }
}

/// Every mode with 1, 2 and 4 threads, 1 and 2 prefetchers where they matter, and little and usual memory.
pub(crate) fn settings() -> Vec<Setting> {
    let mut settings = Vec::new();
    for least_memory in [true, false] {
        for threads in [1, 2, 4] {
            for (mode, direct, prefetchers) in [
                (Mode::Adaptive, false, 1),
                (Mode::Adaptive, true, 1),
                (Mode::Adaptive, true, 2),
                (Mode::Mtp, false, 1),
                (Mode::Mtp, false, 2),
                (Mode::Smt, false, 1),
            ] {
                settings.push(Setting { mode, direct, threads, prefetchers, least_memory });
            }
        }
    }
    settings
}

/// The settings with the least memory, where a few kilobytes fill many slots, and of those with the default memory only
/// the ones with two threads.
pub(crate) fn few_settings() -> Vec<Setting> {
    settings().into_iter().filter(|setting| setting.least_memory || setting.threads == 2).collect()
}

/// The least memory that [`StartError`] names.
pub(crate) fn least_memory(options: &Options) -> u64 {
    let options = Options { memory_bytes: 0, ..options.clone() };
    match try_hash(&ScriptedSource::new(), &options).map(drop) {
        Err(StartError::MemoryTooSmall { memory_bytes: 0, least_bytes }) => least_bytes,
        other => panic!("{other:?}"),
    }
}

/// Returns the slot length of a run with these options, by watching its reads.
pub(crate) fn slot_bytes(options: &Options) -> usize {
    let source = Observed::new(ScriptedSource::new().file("probe", vec![0; 1 << 20]));
    hash(&source, options);
    source.buffer_bytes_max()
}

pub(crate) fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| Algorithm::from_name(name).unwrap()).collect()
}

/// The three selections of the test plan: none, one algorithm, and several of which one has a tree when alone.
pub(crate) fn algorithm_sets() -> [Vec<Algorithm>; 3] {
    [Vec::new(), algorithms(&["md5"]), algorithms(&["md5", "sha256", "blake3"])]
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) records: Vec<Record>,
    pub(crate) report: Report,
    pub(crate) counters: Counters,
}

pub(crate) fn try_hash(source: &impl Source, options: &Options) -> Result<Run, StartError> {
    let (mut records, counters) = (Vec::new(), Counters::default());
    let prepare = |record| record;
    let report = pfh_engine::run(options, source, &prepare, &mut records, None, &counters, &CancelToken::default())?;
    Ok(Run { records, report, counters })
}

/// Runs, and checks the properties of every run that is not stopped.
pub(crate) fn hash(source: &impl Source, options: &Options) -> Run {
    let run = try_hash(source, options).unwrap();
    assert!(!run.report.summary.interrupted);
    check_counts(&run);
    run
}

/// The report and the counters are sums over the records.
fn check_counts(run: &Run) {
    let mut sum = Summary::default();
    sum.elapsed = run.report.summary.elapsed;
    run.records.iter().for_each(|record| sum.count(record));
    if run
        .records
        .iter()
        .any(|record| record.metadata.is_some_and(|metadata| metadata.posix.is_some_and(|posix| posix.links > 1)))
    {
        // With hard links, not every name was read.
        assert!(run.report.summary.bytes <= sum.bytes);
        sum.bytes = run.report.summary.bytes;
    }
    assert_eq!(run.report.summary, sum);
    assert_eq!(run.counters.files.load(Ordering::Relaxed), sum.files());
    assert_eq!(run.counters.failed.load(Ordering::Relaxed), sum.changed + sum.short + sum.unreadable);
    if sum.files() == sum.complete {
        assert_eq!(run.counters.bytes.load(Ordering::Relaxed), sum.bytes);
    }
}

/// Bytes without a period, different for each `seed`: a slot left out, repeated or swapped gives another digest.
pub(crate) fn contents(seed: u64, length: usize) -> Vec<u8> {
    Random::new(seed).bytes(length)
}

/// A file and the expected parts of its record.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) path: String,
    pub(crate) contents: Vec<u8>,
    pub(crate) stream: bool,
    pub(crate) digests: Vec<Digest>,
}

pub(crate) fn sample(path: impl Into<String>, contents: Vec<u8>, algorithms: &[Algorithm]) -> Sample {
    let digests = digests(algorithms, &contents);
    Sample { path: path.into(), contents, stream: false, digests }
}

pub(crate) fn digests(algorithms: &[Algorithm], contents: &[u8]) -> Vec<Digest> {
    algorithms.iter().map(|algorithm| algorithm.digest(contents)).collect()
}

/// Adds the samples to a source, in their order.
pub(crate) fn with_samples(source: ScriptedSource, samples: &[Sample]) -> ScriptedSource {
    samples.iter().fold(source, |source, sample| {
        let add = if sample.stream { ScriptedSource::stream } else { ScriptedSource::file };
        add(source, &sample.path, sample.contents.clone())
    })
}

/// Checks that the record is that of the whole sample.
pub(crate) fn assert_complete(record: &Record, sample: &Sample) {
    assert_eq!(record.path, sample.path.as_bytes());
    assert_eq!(record.outcome, Outcome::Complete, "{}", sample.path);
    assert_eq!(record.digests, sample.digests, "{}", sample.path);
    assert_eq!(record.bytes_read, sample.contents.len() as u64, "{}", sample.path);
    assert_eq!(record.metadata.is_none(), sample.stream, "{}", sample.path);
    assert_eq!(record.size(), Some(sample.contents.len() as u64), "{}", sample.path);
}

/// Checks that the record has a failure and no digests.
pub(crate) fn assert_nothing_claimed(record: &Record) {
    assert_ne!(record.outcome, Outcome::Complete);
    assert!(record.digests.is_empty() && record.pieces.is_empty(), "{record:?}");
}
