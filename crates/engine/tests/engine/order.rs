//! The order in which files are read, the number of concurrent readers, and how soon records are delivered.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pfh_engine::{CancelToken, Counters, Mode, Options, Order, Sink};
use pfh_record::Record;
use pfh_source::{CachedRead, Entry, FileError, Found, Medium, PathHandle, Proof, Source, SourceFile, Stamp};
use pfh_testing::{Fault, Gate, ScriptedFile, ScriptedSource};

use crate::common::*;

/// Sizes and positions, sorted by neither.
fn source(medium: Medium) -> ScriptedSource {
    [(5, 30), (900, 10), (1, 50), (40_000, 20), (7, 40)].into_iter().enumerate().fold(
        ScriptedSource::new().medium(medium),
        |source, (name, (size, place))| {
            source.file(format!("{name}"), contents(name as u64, size)).at_physical_position(format!("{name}"), place)
        },
    )
}

fn opened(medium: Medium, order: Order, mode: Mode) -> String {
    let source = source(medium);
    let options = Options { order, mode, threads: 1, ..Options::new(algorithms(&["md5"])) };
    let run = hash(&source, &options);
    let records: Vec<_> = run.records.iter().map(|record| String::from_utf8_lossy(&record.path)).collect();
    assert_eq!(records.concat(), "01234");
    String::from_utf8(source.opened().concat()).unwrap()
}

#[test]
fn files_are_read_in_the_order_asked_for() {
    let _watchdog = watchdog(60);
    for mode in [Mode::Adaptive, Mode::Mtp, Mode::Smt] {
        assert_eq!(opened(Medium::SolidState, Order::Auto, mode), "01234");
        assert_eq!(opened(Medium::Rotating, Order::Auto, mode), "13042");
        assert_eq!(opened(Medium::Rotating, Order::Path, mode), "01234");
        assert_eq!(opened(Medium::SolidState, Order::Physical, mode), "13042");
        assert_eq!(opened(Medium::SolidState, Order::Inode, mode), "01234");
        assert_eq!(opened(Medium::SolidState, Order::Size, mode), "31402");
    }
}

/// The number of open files equals the allowed number of readers, if each reader has one.
#[test]
fn a_rotating_device_has_no_more_readers_than_prefetchers() {
    let _watchdog = watchdog(60);
    for prefetchers in [1, 2] {
        for mode in [Mode::Smt, Mode::Mtp] {
            let source = (0..100).fold(ScriptedSource::new().medium(Medium::Rotating), |source, name| {
                source
                    .file(format!("{name}"), vec![1; 10])
                    .fault_at_call(3 * name + 2, Fault::Delay(Duration::from_micros(300)))
            });
            let options = Options { prefetchers, mode, threads: 4, ..Options::new(algorithms(&["md5"])) };
            let run = hash(&source, &options);
            assert_eq!(run.report.summary.complete, 100);
            assert!(source.open_files_max() <= prefetchers, "{mode:?}: {} at once", source.open_files_max());
        }
    }
}

struct Arrivals<'a>(&'a Gate);

impl Sink for Arrivals<'_> {
    type Item = Record;
    fn deliver(&mut self, _: Record) -> ControlFlow<()> {
        self.0.pass(Duration::ZERO);
        ControlFlow::Continue(())
    }
}

/// How long a file waits for the others: longer than a machine under load takes, and less than the watchdog does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A FIFO that nobody writes to must not hold back the files before it.
#[test]
fn what_is_finished_is_handed_on_while_a_stream_waits() {
    let _watchdog = watchdog(120);
    for setting in settings() {
        for small in [1, 3, 40] {
            let delivered = Gate::new();
            let inner = (0..small).fold(ScriptedSource::new(), |source, name| source.file(format!("{name}"), b"0"));
            let inner = inner.stream("stream", vec![7; 100_000]);
            let source = SlowStream { inner, before: small, delivered: &delivered, in_time: AtomicBool::new(false) };
            run_in_time(&source, &setting.options(&algorithms(&["md5"])));
        }
    }
}

/// Runs, and checks that the stream was not opened too late.
fn run_in_time(source: &SlowStream<'_>, options: &Options) {
    let prepare = |record| record;
    let (counters, cancel) = (Counters::default(), CancelToken::default());
    let mut sink = Arrivals(source.delivered);
    let report = pfh_engine::run(options, source, &prepare, &mut sink, None, &counters, &cancel).unwrap();
    assert_eq!(report.summary.complete, source.before as u64 + 1);
    assert!(source.in_time.load(Ordering::SeqCst), "{options:?}: {} files were kept back", source.before);
}

/// The bytes of a stream do not come from the disk on which its name is.
#[test]
fn a_stream_on_a_rotating_device_leaves_it_to_the_other_files() {
    let _watchdog = watchdog(120);
    for mode in [Mode::Adaptive, Mode::Smt] {
        for threads in [2, 4] {
            let delivered = Gate::new();
            let inner = ScriptedSource::new().medium(Medium::Rotating).stream("stream", vec![7; 100_000]);
            let inner = (0..40).fold(inner, |source, name| source.file(format!("{name}"), b"0"));
            let source = SlowStream { inner, before: 40, delivered: &delivered, in_time: AtomicBool::new(false) };
            let options = Options { mode, threads, unordered: true, ..Options::new(algorithms(&["md5"])) };
            run_in_time(&source, &options);
        }
    }
}

/// A long file of which the beginning was in memory moves no head, so its reader keeps no place.
#[test]
fn a_cached_file_on_a_rotating_device_leaves_it_to_the_other_files() {
    let _watchdog = watchdog(120);
    for threads in [2, 4] {
        let delivered = Gate::new();
        let inner = ScriptedSource::new().medium(Medium::Rotating).file("long", contents(1, 1 << 20));
        let inner = (0..40).fold(inner, |source, name| source.file(format!("{name}"), b"0"));
        let source = CachedFile { inner, before: 40, delivered: &delivered, in_time: AtomicBool::new(false) };
        let options = Options { threads, unordered: true, ..Options::new(algorithms(&["crc32"])) };
        let prepare = |record| record;
        let (counters, cancel) = (Counters::default(), CancelToken::default());
        let mut sink = Arrivals(&delivered);
        let report = pfh_engine::run(&options, &&source, &prepare, &mut sink, None, &counters, &cancel).unwrap();
        assert_eq!(report.summary.complete, 41);
        assert!(source.in_time.load(Ordering::SeqCst), "the other files waited");
    }
}

/// Of its long file, the beginning is in memory, and the first read of what follows waits until everything else was
/// delivered.
struct CachedFile<'a> {
    inner: ScriptedSource,
    before: usize,
    delivered: &'a Gate,
    in_time: AtomicBool,
}

struct PartlyCached<'a> {
    source: &'a CachedFile<'a>,
    file: ScriptedFile,
    is_long: bool,
}

impl<'a> Source for &'a CachedFile<'a> {
    type Handle = PathHandle;
    type File = PartlyCached<'a>;

    fn walk(&self, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        self.inner.walk(visit);
    }

    fn open(&self, entry: &Entry<PathHandle>) -> Result<PartlyCached<'a>, FileError> {
        let is_long = entry.path() == b"long";
        Ok(PartlyCached { source: self, file: self.inner.open(entry)?, is_long })
    }

    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        self.inner.stamp(entry)
    }
}

impl SourceFile for PartlyCached<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        let CachedFile { before, delivered, in_time, .. } = self.source;
        if self.is_long && offset > 0 && !in_time.load(Ordering::SeqCst) {
            in_time.store(delivered.reached_by(*before, PATIENCE), Ordering::SeqCst);
        }
        self.file.read_at(buffer, offset)
    }

    fn tells_cached(&self) -> bool {
        self.is_long
    }

    fn read_cached(&self, buffer: &mut [u8], offset: u64) -> CachedRead {
        self.file.read_at(buffer, offset).map_or(CachedRead::Unknown, CachedRead::Ready)
    }

    fn proof(&self) -> Proof {
        self.file.proof()
    }

    fn stamp(&self) -> Result<Stamp, FileError> {
        self.file.stamp()
    }
}

/// Opening this stream blocks until everything else was delivered, or everything before it.
struct SlowStream<'a> {
    inner: ScriptedSource,
    before: usize,
    delivered: &'a Gate,
    in_time: AtomicBool,
}

impl Source for SlowStream<'_> {
    type Handle = PathHandle;
    type File = ScriptedFile;
    fn walk(&self, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        self.inner.walk(visit);
    }
    fn open(&self, entry: &Entry<PathHandle>) -> Result<ScriptedFile, FileError> {
        if entry.path().ends_with(b"stream") {
            self.in_time.store(self.delivered.reached_by(self.before, PATIENCE), Ordering::SeqCst);
        }
        self.inner.open(entry)
    }
    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        self.inner.stamp(entry)
    }
    fn physical_position(&self, entry: &Entry<PathHandle>) -> Option<u64> {
        self.inner.physical_position(entry)
    }
}
