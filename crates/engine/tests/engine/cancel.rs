//! Runs that are stopped: by the token, or by a sink that wants no more.

use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use pfh_engine::{CancelToken, Counters, Mode, Options, Report, Sink};
use pfh_record::Record;
use pfh_source::{Entry, FileError, Found, PathHandle, Source, Stamp};
use pfh_testing::{Gate, ScriptedFile, ScriptedSource};

use crate::common::*;
use crate::observed::Observed;

const CALLS_MAX: u64 = 400;

fn samples() -> Vec<Sample> {
    let algorithms = algorithms(&["md5", "crc32"]);
    let mut samples: Vec<_> = [0, 1, 20_000, 70_000, 5, 100_000, 16_384]
        .into_iter()
        .enumerate()
        .map(|(seed, length)| sample(format!("d/{seed}"), contents(seed as u64, length), &algorithms))
        .collect();
    samples[5].stream = true;
    samples
}

fn run_until_cancelled(source: &impl Source, options: &Options, cancel: &CancelToken) -> (Vec<Record>, Report) {
    let mut records = Vec::new();
    let prepare = |record| record;
    let report = pfh_engine::run(options, source, &prepare, &mut records, None, &Counters::default(), cancel).unwrap();
    (records, report)
}

#[test]
fn a_run_that_is_cancelled_at_any_call_ends_with_valid_records() {
    let _watchdog = watchdog(120);
    let samples = samples();
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        let options = setting.options(&algorithms(&["md5", "crc32"]));
        for call in 0..CALLS_MAX {
            let cancel = CancelToken::default();
            if call == 0 {
                cancel.cancel();
            }
            let token = cancel.clone();
            let source = with_samples(ScriptedSource::new(), &samples);
            let source = Observed::with_hook(source, move |now| {
                if now == call {
                    token.cancel();
                }
            });
            let (records, report) = run_until_cancelled(&source, &options, &cancel);
            assert_eq!(source.inner.open_files(), 0);
            assert_eq!(report.summary.files(), records.len() as u64);
            assert_eq!(report.summary.complete, report.summary.files(), "{setting:?}, call {call}: {records:?}");
            // Records come in the order of the walk, each at most once, and are correct.
            let mut rest = samples.iter();
            for record in &records {
                let sample = rest.find(|sample| sample.path.as_bytes() == record.path);
                assert_complete(record, sample.expect("records come in the order of the walk"));
            }
            if cancel.is_cancelled() {
                assert!(report.summary.interrupted);
            } else {
                assert_eq!(
                    (records.len(), report.summary.interrupted),
                    (samples.len(), false),
                    "{setting:?}, call {call}"
                );
                break;
            }
            assert!(call > 0 || source.calls() < samples.len() as u64, "{setting:?}: cancelled before it began");
        }
    }
}

#[test]
fn a_cancelled_run_does_not_read_its_large_files_to_the_end() {
    let _watchdog = watchdog(60);
    for names in [&["md5"][..], &["md5", "crc32"], &["blake3"]] {
        for setting in settings() {
            let options = setting.options(&algorithms(names));
            let source = ScriptedSource::new().file("large", vec![1; 32 << 20]).file("another", vec![2; 32 << 20]);
            let cancel = CancelToken::default();
            let token = cancel.clone();
            let source = Observed::with_hook(source, move |call| {
                // The largest slots have 4 MiB.
                if call == 8 {
                    token.cancel();
                }
            });
            let (records, report) = run_until_cancelled(&source, &options, &cancel);
            assert!(report.summary.interrupted && records.is_empty(), "{setting:?}: {records:?}");
            assert!(source.calls() < 8 + 4 * 8, "{setting:?}, {names:?}: {} calls", source.calls());
        }
    }
}

/// A source whose walk finds some files, and then nothing more for ever.
struct Endless {
    files: ScriptedSource,
    /// Open when the files were found.
    searches: Gate,
}

impl Endless {
    fn new() -> Endless {
        let files = (0..200).fold(ScriptedSource::new(), |source, name| source.file(format!("{name}"), b"x"));
        Endless { files, searches: Gate::new() }
    }
}

impl Source for Endless {
    type Handle = PathHandle;
    type File = ScriptedFile;

    fn walk(&self, _: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        unreachable!("it would not end");
    }

    fn walk_while(&self, goes_on: &dyn Fn() -> bool, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        self.files.walk(visit);
        self.searches.open();
        while goes_on() {
            thread::yield_now();
        }
    }

    fn open(&self, entry: &Entry<PathHandle>) -> Result<ScriptedFile, FileError> {
        self.files.open(entry)
    }

    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        self.files.stamp(entry)
    }
}

#[test]
fn a_walk_that_finds_nothing_notices_the_end_of_the_run() {
    let _watchdog = watchdog(60);
    for setting in few_settings() {
        let options = setting.options(&algorithms(&["md5"]));
        // By the token, while it searches.
        let (source, cancel) = (Endless::new(), CancelToken::default());
        let (_, report) = thread::scope(|scope| {
            scope.spawn(|| {
                assert!(source.searches.pass(Duration::from_secs(60)));
                cancel.cancel();
            });
            run_until_cancelled(&source, &options, &cancel)
        });
        assert!(report.summary.interrupted, "{setting:?}");
        // By the sink.
        let mut sink = Fussy { wanted: 1, taken: Vec::new(), groups_after_the_break: 0 };
        let (counters, cancel) = (Counters::default(), CancelToken::default());
        let prepare = |record| record;
        let report = pfh_engine::run(&options, &Endless::new(), &prepare, &mut sink, None, &counters, &cancel).unwrap();
        assert!(report.summary.interrupted, "{setting:?}");
    }
}

/// A sink that breaks after this number of records.
struct Fussy {
    wanted: usize,
    taken: Vec<Record>,
    groups_after_the_break: usize,
}

impl Sink for Fussy {
    type Item = Record;
    fn deliver(&mut self, record: Record) -> ControlFlow<()> {
        assert!(self.taken.len() < self.wanted, "delivered after the break");
        self.taken.push(record);
        if self.taken.len() == self.wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end_group(&mut self) -> ControlFlow<()> {
        self.groups_after_the_break += usize::from(self.taken.len() == self.wanted);
        ControlFlow::Continue(())
    }
}

#[test]
fn a_sink_that_breaks_gets_nothing_more() {
    let _watchdog = watchdog(60);
    let samples = samples();
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        for unordered in [false, true] {
            for wanted in 1..=samples.len() {
                let options = Options { unordered, ..setting.options(&algorithms(&["md5", "crc32"])) };
                let source = with_samples(ScriptedSource::new(), &samples);
                let mut sink = Fussy { wanted, taken: Vec::new(), groups_after_the_break: 0 };
                let (counters, cancel) = (Counters::default(), CancelToken::default());
                let prepare = |record| record;
                let report = pfh_engine::run(&options, &source, &prepare, &mut sink, None, &counters, &cancel).unwrap();
                assert_eq!((sink.taken.len(), sink.groups_after_the_break), (wanted, 0), "{setting:?}");
                assert_eq!(source.open_files(), 0);
                assert!(report.summary.interrupted, "{setting:?}");
            }
        }
    }
}

/// A closed output pipe must not leave the program reading for hours.
#[test]
fn a_sink_that_breaks_ends_the_reading_of_large_files() {
    let _watchdog = watchdog(60);
    for names in [&["md5"][..], &["md5", "crc32"], &["blake3"]] {
        for setting in settings().into_iter().filter(|setting| setting.threads == 1) {
            // A prefetcher goes on while the hasher delivers.
            if setting.mode != Mode::Smt && (setting.direct || setting.mode == Mode::Mtp) {
                continue;
            }
            let options = setting.options(&algorithms(names));
            let source = ScriptedSource::new().file("small", b"1").file("large", vec![1; 64 << 20]);
            let mut sink = Fussy { wanted: 1, taken: Vec::new(), groups_after_the_break: 0 };
            let prepare = |record| record;
            let (counters, cancel) = (Counters::default(), CancelToken::default());
            pfh_engine::run(&options, &source, &prepare, &mut sink, None, &counters, &cancel).unwrap();
            assert_eq!(sink.taken[0].path, b"small");
            assert!(source.read_bytes() < 32 << 20, "{setting:?}, {names:?}: {} bytes", source.read_bytes());
        }
    }
}

#[test]
fn a_sink_that_breaks_at_the_end_of_a_group_stops_the_run() {
    let _watchdog = watchdog(60);
    struct Once(usize);
    impl Sink for Once {
        type Item = Record;
        fn deliver(&mut self, _: Record) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
        fn end_group(&mut self) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }
    for setting in settings() {
        let options = setting.options(&algorithms(&["md5"]));
        let source = (0..10_000).fold(ScriptedSource::new(), |source, name| source.file(format!("{name}"), b"x"));
        let mut sink = Once(0);
        let prepare = |record| record;
        let (counters, cancel) = (Counters::default(), CancelToken::default());
        let report = pfh_engine::run(&options, &source, &prepare, &mut sink, None, &counters, &cancel).unwrap();
        assert!(report.summary.interrupted && (1..5_000).contains(&sink.0), "{setting:?}: {}", sink.0);
    }
}
