//! The iterator of records: order, back pressure, its end, and panics.

#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use pfh::digest::Algorithm;
use pfh::engine::StartError;
use pfh::source::{Device, Entry, FileError, Found, Handle, LookAhead, PathHandle, Source, Stamp};
use pfh::{CancelToken, Counters, Error, HashRun, Options, Record, Records, run_on, stream_on};
use pfh_testing::{ScriptedFile, ScriptedSource};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Threads are counted by name, so the tests of this program run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the threads of runs: a thread without a name has that of the thread that started it.
fn run_threads() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    tasks.filter(|task| fs::read(task.path().join("comm")).is_ok_and(|name| name == b"pfh-run\n")).count()
}

/// A thread that is joined may be listed for a moment longer.
fn assert_no_thread_is_left() {
    let deadline = Instant::now() + Duration::from_secs(60);
    while run_threads() > 0 {
        assert!(Instant::now() < deadline, "{} threads are left", run_threads());
        sleep(Duration::from_millis(1));
    }
}

fn files(count: usize) -> Arc<ScriptedSource> {
    let add = |source: ScriptedSource, number| source.file(format!("{number}"), format!("contents of {number}"));
    Arc::new((0..count).fold(ScriptedSource::new(), add))
}

fn options(threads: usize) -> Options {
    Options { threads, ..Options::new(Algorithm::from_name("md5").unwrap()) }
}

fn stream(source: &Arc<ScriptedSource>, threads: usize) -> Records {
    stream_on(options(threads), Arc::clone(source)).unwrap()
}

#[test]
fn records_come_in_the_order_of_the_walk_and_are_those_of_a_run() {
    let _alone = alone();
    let source = files(5000);
    let mut expected: Vec<Record> = Vec::new();
    let (counters, cancel) = (Counters::default(), CancelToken::default());
    run_on(&options(1), &source, &|record| record, &mut expected, None, &counters, &cancel).unwrap();
    assert_eq!(expected.len(), 5000);
    for threads in [1, 4] {
        let mut records = stream(&source, threads);
        let counters = records.counters();
        assert!(records.by_ref().eq(expected.iter().cloned()), "{threads} threads");
        assert!(records.next().is_none());
        assert_no_thread_is_left();
        assert_eq!(counters.files.load(Ordering::Relaxed), 5000);
        let summary = records.finish().summary;
        assert_eq!((summary.complete, summary.files(), summary.interrupted), (5000, 5000, false));
    }
}

#[test]
fn a_tree_is_iterated_over() {
    let _alone = alone();
    let scratch = tempfile::tempdir().unwrap();
    for name in ["b", "a", "c"] {
        fs::write(scratch.path().join(name), name).unwrap();
    }
    let run = HashRun::new(["sha256"]).unwrap().path(scratch.path());
    let names: Vec<_> = run.stream().unwrap().map(|record| record.as_path().file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let nothing = HashRun::new(["sha256"]).unwrap().stream().unwrap();
    assert_eq!(nothing.count(), 0);
}

/// Opened files whose records are not yet taken fit the memory option and the groups in transit, however slow the
/// caller is.
#[test]
fn the_run_waits_for_a_slow_caller() {
    let _alone = alone();
    const FILES: usize = 30_000;
    let source = files(FILES);
    let options = Options { memory_bytes: 2 << 20, ..options(2) };
    // Each waiting record costs the run at least its own size, and each thread works on a few files.
    let ahead_max = options.memory_bytes as usize / size_of::<Record>() + Records::AHEAD_MAX + 64;
    assert!(ahead_max < FILES / 2);
    let mut records = stream_on(options, Arc::clone(&source)).unwrap();
    for taken in [1, 2, 200, 2000] {
        while records.next().is_some_and(|record| record.path != taken.to_string().into_bytes()) {}
        // Waits until nothing changes; a run that does not wait for its caller would end here.
        let mut opened = 0;
        while source.opened().len() > opened {
            opened = source.opened().len();
            assert!(opened <= taken + 1 + ahead_max, "{opened} were opened, {taken} taken");
            sleep(Duration::from_millis(50));
        }
    }
    assert_eq!(records.by_ref().count(), FILES - 2001);
    assert_eq!(records.finish().summary.complete, FILES as u64);
}

#[test]
fn dropping_it_in_the_middle_ends_all_threads() {
    let _alone = alone();
    let source = files(30_000);
    for threads in [1, 4] {
        for taken in [0, 1, 100] {
            let mut records =
                stream_on(Options { memory_bytes: 8 << 20, ..options(threads) }, Arc::clone(&source)).unwrap();
            assert_eq!(records.by_ref().take(taken).count(), taken);
            assert!(run_threads() > 0);
            drop(records);
            // The run has given its source back, and closed what it had open.
            assert_eq!((Arc::strong_count(&source), source.open_files()), (1, 0));
            assert_no_thread_is_left();
        }
    }
}

#[test]
fn a_run_that_is_stopped_says_so() {
    let _alone = alone();
    let source = files(30_000);
    let mut records = stream(&source, 2);
    assert_eq!(records.by_ref().take(10).count(), 10);
    records.cancel_token().cancel();
    let rest = records.by_ref().count();
    assert!(rest < 29_990, "{rest}");
    let summary = records.finish().summary;
    assert!(summary.interrupted && summary.files() < 30_000, "{summary:?}");

    let mut records = stream_on(Options { memory_bytes: 8 << 20, ..options(2) }, Arc::clone(&source)).unwrap();
    assert!(records.next().is_some());
    assert!(records.finish().summary.interrupted);
    assert_eq!(Arc::strong_count(&source), 1);
    assert_no_thread_is_left();
}

#[test]
fn a_run_that_cannot_begin_is_an_error_at_once() {
    let _alone = alone();
    let begun = stream_on(Options { memory_bytes: 0, ..options(2) }, files(3));
    assert!(matches!(begun, Err(Error::Start(StartError::MemoryTooSmall { memory_bytes: 0, .. }))), "{begun:?}");
    assert_no_thread_is_left();
}

/// A scripted source that panics in one place.
struct Panics {
    inner: Arc<ScriptedSource>,
    at: PanicAt,
    dropped: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum PanicAt {
    /// It panics while the run begins.
    LookAhead,
    /// It panics when the handle of this file is dropped, outside of the work on a file.
    Drop(usize),
}

#[derive(Debug)]
struct PanickingHandle {
    inner: PathHandle,
    at: PanicAt,
    dropped: Arc<AtomicUsize>,
}

impl Drop for PanickingHandle {
    fn drop(&mut self) {
        let dropped = self.dropped.fetch_add(1, Ordering::SeqCst);
        assert!(self.at != PanicAt::Drop(dropped), "dropped");
    }
}

impl Handle for PanickingHandle {
    fn path(&self) -> Vec<u8> {
        self.inner.path()
    }
    fn device(&self) -> &Arc<Device> {
        self.inner.device()
    }
}

fn inner(entry: &Entry<PanickingHandle>) -> Entry<PathHandle> {
    let mut inner = Entry::new(entry.handle.inner.clone(), entry.kind);
    (inner.identity_hint, inner.size_hint) = (entry.identity_hint, entry.size_hint);
    inner
}

impl Source for Panics {
    type Handle = PanickingHandle;
    type File = ScriptedFile;

    fn walk(&self, visit: &mut dyn FnMut(Found<PanickingHandle>) -> bool) {
        self.inner.walk(&mut |found| {
            let Found::Entry(Entry { handle, kind, identity_hint, size_hint, .. }) = found else { panic!("{found:?}") };
            let handle = PanickingHandle { inner: handle, at: self.at, dropped: Arc::clone(&self.dropped) };
            let mut entry = Entry::new(handle, kind);
            (entry.identity_hint, entry.size_hint) = (identity_hint, size_hint);
            visit(Found::Entry(entry))
        });
    }
    fn open(&self, entry: &Entry<PanickingHandle>) -> Result<ScriptedFile, FileError> {
        self.inner.open(&inner(entry))
    }
    fn stamp(&self, entry: &Entry<PanickingHandle>) -> Result<Stamp, FileError> {
        self.inner.stamp(&inner(entry))
    }
    fn look_ahead(&self) -> LookAhead {
        assert!(self.at != PanicAt::LookAhead, "look ahead");
        self.inner.look_ahead()
    }
}

fn message(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[test]
fn a_panic_of_the_run_reaches_the_caller() {
    let _alone = alone();
    let source = files(3000);
    let panics = |at| Panics { inner: Arc::clone(&source), at, dropped: Arc::default() };
    let begun = catch_unwind(|| stream_on(options(2), panics(PanicAt::LookAhead)).map(drop));
    assert_eq!(message(begun.unwrap_err()), "look ahead");
    assert_no_thread_is_left();

    for threads in [1, 3] {
        let mut records = stream_on(options(threads), panics(PanicAt::Drop(1000))).unwrap();
        let taken = AtomicUsize::new(0);
        let taking = catch_unwind(AssertUnwindSafe(|| {
            for _ in records.by_ref() {
                taken.fetch_add(1, Ordering::Relaxed);
            }
        }));
        assert_eq!(message(taking.unwrap_err()), "dropped", "after {taken:?} records");
        assert!(records.next().is_none());
        let finished = catch_unwind(AssertUnwindSafe(|| records.finish()));
        assert_eq!(message(finished.unwrap_err()), "the run has no report: iterating panicked with its panic");
        assert_no_thread_is_left();

        // A panic that nobody asks for is lost with the records. (It may come before the first of them.)
        let mut records = stream_on(options(threads), panics(PanicAt::Drop(0))).unwrap();
        let _ = catch_unwind(AssertUnwindSafe(|| records.next()));
        drop(records);
        assert_no_thread_is_left();
    }
    assert_eq!(Arc::strong_count(&source), 1);
}
