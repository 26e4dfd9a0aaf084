//! Panics in code that the engine calls. Those of a source become errors of files; those of the caller go back to the
//! caller. Nothing hangs.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pfh_engine::{CancelToken, Counters, Decision, Options, Order, Report, Sink};
use pfh_record::{ErrorKind, Metadata, Outcome, Record};
use pfh_source::{Entry, FileError, Found, PathHandle, Proof, Source, SourceFile, Stamp};
use pfh_testing::{Fault, ScriptedFile, ScriptedSource};

use crate::common::*;

const CALLS_MAX: u64 = 400;

fn samples() -> Vec<Sample> {
    let algorithms = algorithms(&["md5", "crc32"]);
    let mut samples: Vec<_> = [0, 1, 20_000, 70_000, 5, 40_000]
        .into_iter()
        .enumerate()
        .map(|(seed, length)| sample(format!("d/{seed}"), contents(seed as u64, length), &algorithms))
        .collect();
    samples[5].stream = true;
    samples
}

fn is_internal(record: &Record) -> bool {
    matches!(&record.outcome, Outcome::Unreadable { error, .. } if error.kind == ErrorKind::Internal)
}

#[test]
fn a_source_that_panics_at_any_call_costs_one_file() {
    let _watchdog = watchdog(120);
    let samples = samples();
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        let options = setting.options(&algorithms(&["md5", "crc32"]));
        for call in 1..CALLS_MAX {
            let source = with_samples(ScriptedSource::new(), &samples).fault_at_call(call, Fault::Panic);
            let run = hash(&source, &options);
            assert_eq!(run.records.len(), samples.len(), "{setting:?}, call {call}");
            for (record, sample) in run.records.iter().zip(&samples) {
                if is_internal(record) {
                    assert_nothing_claimed(record);
                } else {
                    assert_complete(record, sample);
                }
            }
            let lost = run.records.iter().filter(|record| is_internal(record)).count();
            let fired = source.calls() >= call;
            assert!(lost <= 1 && (fired || lost == 0), "{setting:?}, call {call}: {lost} lost");
            assert_eq!(source.open_files(), 0);
            if !fired {
                break;
            }
        }
    }
}

/// A tree of pieces and a chain for each digest.
#[test]
fn a_panic_in_a_file_that_workers_share_costs_that_file() {
    let _watchdog = watchdog(120);
    for (names, length) in [(&["crc32c", "xxh3-64"][..], (8 << 20) + 1), (&["blake3"], (3 << 20) + 12_345)] {
        let algorithms = algorithms(names);
        let samples =
            [sample("large", contents(2, length), &algorithms), sample("after", contents(3, 100_000), &algorithms)];
        for setting in settings().into_iter().filter(|setting| !setting.least_memory) {
            for call in 1..CALLS_MAX {
                let source = with_samples(ScriptedSource::new(), &samples).fault_at_call(call, Fault::Panic);
                let run = hash(&source, &setting.options(&algorithms));
                for (record, sample) in run.records.iter().zip(&samples) {
                    if is_internal(record) {
                        assert_nothing_claimed(record);
                    } else {
                        assert_complete(record, sample);
                    }
                }
                assert_eq!((run.records.len(), source.open_files()), (2, 0));
                assert!(run.report.summary.unreadable <= 1, "{setting:?}, call {call}");
                if source.calls() < call {
                    break;
                }
            }
        }
    }
}

/// A source that panics where it is asked about paths.
struct Panicking {
    inner: ScriptedSource,
    after_entries: usize,
    at_positions: bool,
}

impl Source for Panicking {
    type Handle = PathHandle;
    type File = ScriptedFile;
    fn walk(&self, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        let mut entries = 0;
        self.inner.walk(&mut |found| {
            assert!(entries < self.after_entries, "a panic of the walk");
            entries += 1;
            visit(found)
        });
    }
    fn open(&self, entry: &Entry<PathHandle>) -> Result<ScriptedFile, FileError> {
        self.inner.open(entry)
    }
    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        assert!(!self.at_positions, "a panic where a path is looked at");
        self.inner.stamp(entry)
    }
    fn physical_position(&self, entry: &Entry<PathHandle>) -> Option<u64> {
        assert!(!self.at_positions, "a panic where a place is asked for");
        self.inner.physical_position(entry)
    }
}

#[test]
fn a_walk_that_panics_ends_with_an_error_that_says_so() {
    let _watchdog = watchdog(60);
    let samples = samples();
    for setting in settings() {
        for after_entries in 0..samples.len() {
            let inner = with_samples(ScriptedSource::new(), &samples);
            let source = Panicking { inner, after_entries, at_positions: false };
            let run = try_hash(&source, &setting.options(&algorithms(&["md5", "crc32"]))).unwrap();
            let (last, found) = run.records.split_last().unwrap();
            assert_eq!(found.len(), after_entries, "{setting:?}");
            assert!(is_internal(last) && last.path == b".", "{last:?}");
            assert!(run.report.summary.interrupted, "{setting:?}");
            found.iter().zip(&samples).for_each(|(record, sample)| assert_complete(record, sample));
        }
    }
}

#[test]
fn a_panic_while_files_are_put_in_order_ends_with_an_error_that_says_so() {
    let _watchdog = watchdog(60);
    for setting in settings() {
        for order in [Order::Physical, Order::Size] {
            let inner = with_samples(ScriptedSource::new(), &samples());
            let source = Panicking { inner, after_entries: usize::MAX, at_positions: true };
            let options = Options { order, ..setting.options(&algorithms(&["md5", "crc32"])) };
            let run = try_hash(&source, &options).unwrap();
            let (last, found) = run.records.split_last().unwrap();
            assert!(is_internal(last) && run.report.summary.interrupted, "{setting:?}, {order:?}: {last:?}");
            assert_eq!(found.len(), samples().len());
            found.iter().zip(&samples()).for_each(|(record, sample)| assert_complete(record, sample));
        }
    }
}

/// The code that the caller passes to a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Caller {
    Prepare,
    Deliver,
    EndGroup,
}

struct Touchy(Option<Caller>);

impl Sink for Touchy {
    type Item = Record;
    fn deliver(&mut self, _: Record) -> ControlFlow<()> {
        assert!(self.0 != Some(Caller::Deliver), "a panic of the caller");
        ControlFlow::Continue(())
    }
    fn end_group(&mut self) -> ControlFlow<()> {
        assert!(self.0 != Some(Caller::EndGroup), "a panic of the caller");
        ControlFlow::Continue(())
    }
}

fn run(source: &impl Source, options: &Options, at: Caller) -> Result<Report, ()> {
    let prepare = |record: Record| {
        assert!(at != Caller::Prepare, "a panic of the caller");
        record
    };
    let (counters, cancel) = (Counters::default(), CancelToken::default());
    let mut sink = Touchy(Some(at));
    let run = || pfh_engine::run(options, source, &prepare, &mut sink, None, &counters, &cancel).unwrap();
    catch_unwind(AssertUnwindSafe(run)).map_err(drop)
}

/// A panic of the caller's code neither hangs the run nor makes it return an incomplete result.
#[test]
fn a_panic_of_the_caller_comes_back_to_it() {
    let _watchdog = watchdog(120);
    for names in [&["md5"][..], &["md5", "crc32"], &["blake3"]] {
        let algorithms = algorithms(names);
        for setting in settings() {
            // There are many small files, so that the walk waits for room, and one that is shared.
            let source = (0..500).fold(ScriptedSource::new(), |source, name| source.file(format!("{name}"), b"x"));
            let source = source.file("large", vec![7; 9 << 20]).stream("stream", vec![7; 1 << 20]);
            let options = setting.options(&algorithms);
            for at in [Caller::Prepare, Caller::Deliver, Caller::EndGroup] {
                assert!(run(&source, &options, at).is_err(), "{setting:?}, {names:?}, {at:?}");
                assert_eq!(source.open_files(), 0, "{setting:?}, {at:?}");
            }
            // The first panic comes from the large file.
            let source = ScriptedSource::new().file("large", vec![7; 9 << 20]);
            assert!(run(&source, &options, Caller::Prepare).is_err(), "{setting:?}, {names:?}");
        }
    }
}

/// A file whose stamp panics gets no digest.
#[test]
fn a_decision_that_panics_costs_the_file_it_was_asked_about() {
    let _watchdog = watchdog(60);
    for setting in settings() {
        let source = with_samples(ScriptedSource::new(), &samples());
        let decide = |path: &[u8], _: Option<&Metadata>| {
            assert!(path != b"d/2", "a panic of the question");
            if path == b"d/3" { Decision::LeaveOut } else { Decision::Hash }
        };
        let (counters, cancel, mut records) = (Counters::default(), CancelToken::default(), Vec::new());
        let prepare = |record| record;
        let options = setting.options(&algorithms(&["md5", "crc32"]));
        let report =
            pfh_engine::run(&options, &source, &prepare, &mut records, Some(&decide), &counters, &cancel).unwrap();
        let paths: Vec<_> = records.iter().map(|record| String::from_utf8_lossy(&record.path)).collect();
        assert_eq!(paths, ["d/0", "d/1", "d/2", "d/4", "d/5"], "{setting:?}");
        assert!(is_internal(&records[2]));
        assert_eq!((report.left_out, report.summary.complete, source.open_files()), (1, 4, 0));
    }
}

/// A file that panics outside of guarded work: when it is told that its bytes are no longer needed.
struct Parting(ScriptedFile);

impl SourceFile for Parting {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        self.0.read_at(buffer, offset)
    }
    fn proof(&self) -> Proof {
        self.0.proof()
    }
    fn stamp(&self) -> Result<Stamp, FileError> {
        self.0.stamp()
    }
    fn announce(&self, offset: u64, length: u64) {
        self.0.announce(offset, length);
    }
    fn release(&self, _: u64) {
        panic!("a panic of the file");
    }
}

struct PartingSource(ScriptedSource);

impl Source for PartingSource {
    type Handle = PathHandle;
    type File = Parting;
    fn walk(&self, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        self.0.walk(visit);
    }
    fn open(&self, entry: &Entry<PathHandle>) -> Result<Parting, FileError> {
        self.0.open(entry).map(Parting)
    }
    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        self.0.stamp(entry)
    }
    fn physical_position(&self, entry: &Entry<PathHandle>) -> Option<u64> {
        self.0.physical_position(entry)
    }
}

/// The panic becomes the file's error or goes back to the caller; in neither case does the run hang.
#[test]
fn a_panic_outside_of_any_file_ends_the_run() {
    let _watchdog = watchdog(60);
    for setting in settings() {
        let source = PartingSource(with_samples(ScriptedSource::new(), &samples()));
        let options = setting.options(&algorithms(&["md5", "crc32"]));
        if let Ok(run) = catch_unwind(AssertUnwindSafe(|| hash(&source, &options))) {
            assert_eq!(run.records.len(), samples().len(), "{setting:?}");
            run.records.iter().filter(|record| record.bytes_read > 0).for_each(assert_nothing_claimed);
        }
        assert_eq!(source.0.open_files(), 0, "{setting:?}");
    }
}
