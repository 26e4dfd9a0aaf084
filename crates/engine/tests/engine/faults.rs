//! Runs in which one call fails: the first, the second … until a run makes fewer calls.

use std::time::Duration;

use pfh_digest::Algorithm;
use pfh_engine::{Mode, Options};
use pfh_record::{ErrorKind, Outcome};
use pfh_source::{Entry, FileError, Found, PathHandle, Proof, Source, SourceFile, Stamp};
use pfh_testing::{Fault, Gate, ScriptedFile, ScriptedSource};

use crate::common::*;
use crate::observed::Observed;

/// More calls than any of these runs makes; a loop that reaches this does not end.
const CALLS_MAX: u64 = 400;

/// Files of all kinds: none, one and several slots, one that is read through two names, and streams.
fn samples(slot_bytes: usize, algorithms: &[Algorithm]) -> Vec<Sample> {
    let mut samples: Vec<_> = [
        ("a/empty", 0),
        ("a/one", 1),
        ("a/slot", slot_bytes),
        ("long", 3 * slot_bytes + 5),
        ("b/slot and one", slot_bytes + 1),
        ("b/stream", 2 * slot_bytes),
        ("c/short stream", 7),
        ("d/last", 100),
    ]
    .into_iter()
    .enumerate()
    .map(|(seed, (path, length))| sample(path, contents(seed as u64, length), algorithms))
    .collect();
    samples[5].stream = true;
    samples[6].stream = true;
    samples
}

fn source(samples: &[Sample]) -> ScriptedSource {
    with_samples(ScriptedSource::new(), samples).hard_link("e/link to long", "long")
}

/// The records, of the samples and of the link to the fourth one.
fn expected(samples: &[Sample]) -> Vec<Sample> {
    let link = Sample { path: "e/link to long".to_owned(), ..samples[3].clone() };
    samples.iter().cloned().chain([link]).collect()
}

/// Checks that exactly the file whose call failed reports it, with the offset, and that all others are complete.
fn check(source: &Observed<ScriptedSource>, run: &Run, expected: &[Sample], context: &str) {
    let paths: Vec<_> = run.records.iter().map(|record| String::from_utf8_lossy(&record.path)).collect();
    assert_eq!(paths.len(), expected.len(), "{context}: {paths:?}");
    let errors = source.errors();
    for (record, sample) in run.records.iter().zip(expected) {
        let error = errors.iter().find(|error| error.path == sample.path.as_bytes() && error.offset.is_some());
        match error {
            None => assert_complete(record, sample),
            Some(failed) => {
                assert_eq!(record.path, failed.path, "{context}");
                assert_nothing_claimed(record);
                let Outcome::Unreadable { offset, error } = &record.outcome else { panic!("{context}: {record:?}") };
                assert_eq!(Some(*offset), failed.offset, "{context}: {record:?}");
                assert_eq!((error.errno, error.kind), (failed.errno, ErrorKind::Io), "{context}");
                assert_eq!(record.bytes_read, *offset, "{context}");
            }
        }
    }
    assert_eq!(source.inner.open_files(), 0, "{context}");
}

/// Runs with a fault at each call until the fault no longer fires. `fault` makes it anew for each run.
fn at_every_call(
    options: &Options,
    samples: &[Sample],
    context: &str,
    fault: impl Fn() -> Fault,
    mut fired: impl FnMut(&Observed<ScriptedSource>, &Run, &str),
) {
    for call in 1.. {
        assert!(call < CALLS_MAX, "{context}: no end");
        let source = Observed::new(source(samples).fault_at_call(call, fault()));
        let run = hash(&source, options);
        let context = format!("{context}, call {call}");
        check(&source, &run, &expected(samples), &context);
        if source.inner.calls() < call {
            assert_eq!(run.report.summary.complete, expected(samples).len() as u64);
            break;
        }
        fired(&source, &run, &context);
    }
}

fn options(setting: Setting, algorithms: &[Algorithm]) -> Options {
    // Without look-ahead every call must succeed; calls that only look ahead may fail silently.
    Options { open_files_max: Some(0), ..setting.options(algorithms) }
}

#[test]
fn a_call_that_fails_ends_its_file_and_no_other() {
    let _watchdog = watchdog(120);
    for algorithms in algorithm_sets() {
        for setting in few_settings() {
            let mut options = options(setting, &algorithms);
            if setting.direct && !setting.least_memory {
                // With the usual memory, slots of direct reads have 4 MiB, and each of the many runs would read ten of
                // them. With this much there are as many slots, of 256 KiB.
                options.memory_bytes = 16 * least_memory(&options);
            }
            let samples = samples(slot_bytes(&options), &algorithms);
            let context = format!("{setting:?}, {} algorithms", algorithms.len());
            at_every_call(
                &options,
                &samples,
                &context,
                || Fault::Fail(EIO),
                |source, run, context| {
                    // A failed stamp of a link with known content only means that the file is read again.
                    let ended = source.errors().iter().filter(|error| error.offset.is_some()).count() as u64;
                    assert_eq!(run.report.summary.unreadable, ended, "{context}");
                },
            );
        }
    }
}

#[test]
fn interrupted_and_shortened_reads_go_on() {
    let _watchdog = watchdog(120);
    for algorithms in [Vec::new(), algorithms(&["md5", "sha256", "blake3"])] {
        for setting in settings().into_iter().filter(|setting| setting.least_memory) {
            let options = options(setting, &algorithms);
            let samples = samples(slot_bytes(&options), &algorithms);
            for bytes in [1, 4096] {
                let context = format!("{setting:?}, {} algorithms, shortened to {bytes}", algorithms.len());
                at_every_call(
                    &options,
                    &samples,
                    &context,
                    || Fault::Shorten(bytes),
                    |_, run, context| {
                        assert_eq!(run.report.summary.complete, run.report.summary.files(), "{context}");
                    },
                );
            }
            // The scripted source also interrupts opening and stamps. The system does so only if the caller is to try
            // again, as the local source does.
            let context = format!("{setting:?}, {} algorithms, interrupted", algorithms.len());
            for call in 1..CALLS_MAX {
                let source = Observed::new(source(&samples).fault_at_call(call, Fault::Interrupt));
                let run = hash(&source, &options);
                for (record, sample) in run.records.iter().zip(expected(&samples)) {
                    match &record.outcome {
                        Outcome::Unreadable { error, .. } => {
                            assert_eq!(error.message, "operation interrupted", "{context}, call {call}");
                        }
                        _ => assert_complete(record, &sample),
                    }
                }
                assert!(run.report.summary.unreadable <= 1 && source.inner.open_files() == 0, "{context}, call {call}");
                if source.inner.calls() < call {
                    break;
                }
            }
        }
    }
}

#[test]
fn short_reads_all_along_change_nothing() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5", "blake3"]);
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        let options = options(setting, &algorithms);
        let samples = samples(slot_bytes(&options), &algorithms);
        for bytes in [1021, 4096] {
            let source = Observed::new(source(&samples).read_bytes_max(bytes));
            let run = hash(&source, &options);
            check(&source, &run, &expected(&samples), &format!("{setting:?}, {bytes} bytes at a time"));
            assert_eq!(run.report.summary.complete, run.report.summary.files());
        }
    }
}

#[test]
fn a_call_that_stalls_holds_back_one_file_and_then_everything_is_there() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "crc32"]);
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        let options = options(setting, &algorithms);
        let samples = samples(slot_bytes(&options), &algorithms);
        for call in 1..CALLS_MAX {
            let gate = Gate::new();
            let source = Observed::new(source(&samples).fault_at_call(call, Fault::Stall(gate.clone())));
            let run = std::thread::scope(|scope| {
                let run = scope.spawn(|| hash(&source, &options));
                while !run.is_finished() && !gate.reached_by(1, Duration::from_millis(1)) {}
                gate.open();
                run.join().unwrap()
            });
            check(&source, &run, &expected(&samples), &format!("{setting:?}, call {call}"));
            assert_eq!(run.report.summary.complete, run.report.summary.files());
            if source.inner.calls() < call {
                break;
            }
        }
    }
}

/// One large file that several workers share: by digests (from 8 MiB on), or by pieces of its BLAKE3 tree (from 2 MiB
/// on).
#[test]
fn faults_in_a_file_that_workers_share_name_their_byte() {
    let _watchdog = watchdog(120);
    for (names, length) in [(&["crc32c", "xxh3-64"][..], (8 << 20) + 1), (&["blake3"], (3 << 20) + 12_345)] {
        let algorithms = algorithms(names);
        let samples = [
            sample("before", contents(1, 10), &algorithms),
            sample("large", contents(2, length), &algorithms),
            sample("after", contents(3, 100_000), &algorithms),
        ];
        for threads in [2, 4] {
            for (mode, least_memory) in [(Mode::Adaptive, false), (Mode::Adaptive, true), (Mode::Mtp, false)] {
                let setting = Setting { mode, direct: false, threads, prefetchers: 1, least_memory };
                let options = options(setting, &algorithms);
                // Each fault costs a run over the whole file, so only some of the hundreds of calls in small slots are
                // tested.
                let step = if least_memory { 37 } else { 3 };
                for call in (1..).step_by(step) {
                    let source = with_samples(ScriptedSource::new(), &samples).fault_at_call(call, Fault::Fail(EIO));
                    let source = Observed::new(source);
                    let run = hash(&source, &options);
                    check(&source, &run, &samples, &format!("{setting:?}, {names:?}, call {call}"));
                    if source.inner.calls() < call {
                        break;
                    }
                }
            }
        }
    }
}

/// If a file is unreadable in two places, the first one is reported, whichever worker meets it.
#[test]
fn the_first_unreadable_byte_is_named_whatever_is_read_first() {
    let _watchdog = watchdog(60);
    for names in [&["blake3"][..], &["md5"], &["md5", "crc32"]] {
        let algorithms = algorithms(names);
        let length = 9 << 20;
        for (first, second) in
            [(0, 1 << 20), (5, 8 << 20), ((1 << 20) + 17, 2 << 20), (4 << 20, 4 << 20), (length - 1, length - 1)]
        {
            for setting in settings().into_iter().filter(|setting| !setting.least_memory && setting.threads > 1) {
                let source = ScriptedSource::new()
                    .file("bad", contents(4, length as usize))
                    .bad_bytes("bad", first, 10, EIO)
                    .bad_bytes("bad", second, 1, EIO)
                    .file("good", b"good");
                let run = hash(&source, &options(setting, &algorithms));
                assert_nothing_claimed(&run.records[0]);
                let Outcome::Unreadable { offset, .. } = run.records[0].outcome else { panic!("{:?}", run.records[0]) };
                assert_eq!(offset, first, "{setting:?}, {names:?}");
                assert_complete(&run.records[1], &sample("good", b"good".to_vec(), &algorithms));
                assert_eq!(source.open_files(), 0);
            }
        }
    }
}

/// A file that claims to have read more than was asked for.
struct Boasting(ScriptedFile);

impl SourceFile for Boasting {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        let read = self.0.read_at(buffer, offset)?;
        Ok(if read > 0 { buffer.len() + 1 } else { 0 })
    }
    fn proof(&self) -> Proof {
        self.0.proof()
    }
    fn stamp(&self) -> Result<Stamp, FileError> {
        self.0.stamp()
    }
}

struct BoastingSource(ScriptedSource);

impl Source for BoastingSource {
    type Handle = PathHandle;
    type File = Boasting;
    fn walk(&self, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        self.0.walk(visit);
    }
    fn open(&self, entry: &Entry<PathHandle>) -> Result<Boasting, FileError> {
        self.0.open(entry).map(Boasting)
    }
    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        self.0.stamp(entry)
    }
}

#[test]
fn bytes_that_had_no_room_are_not_hashed() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5", "crc32"]);
    let samples = samples(16 << 10, &algorithms);
    for setting in settings() {
        let source = BoastingSource(with_samples(ScriptedSource::new(), &samples));
        let run = hash(&source, &setting.options(&algorithms));
        assert_eq!(run.records.len(), samples.len(), "{setting:?}");
        for (record, sample) in run.records.iter().zip(&samples) {
            if sample.contents.is_empty() {
                assert_complete(record, sample);
            } else {
                let is_internal = |error: &FileError| error.kind == ErrorKind::Internal;
                let found = matches!(&record.outcome, Outcome::Unreadable { error, .. } if is_internal(error));
                assert!(found, "{setting:?}: {record:?}");
                assert_nothing_claimed(record);
            }
        }
    }
}
