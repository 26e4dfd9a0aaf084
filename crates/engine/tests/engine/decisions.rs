//! Decisions of a caller on a file: left out, listed only, with some of the digests, or with a consumer.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use pfh_digest::Algorithm;
use pfh_engine::{CancelToken, Consumer, Counters, Decide, Decision, FileOptions, Options, Report};
use pfh_record::{ErrorKind, Metadata, Outcome, Piece, Record, Selection, SkipReason};
use pfh_similarity::Family;
use pfh_source::Source;
use pfh_testing::{Change, Fault, ScriptedSource};

use crate::common::*;
use crate::observed::Observed;

fn samples(algorithms: &[Algorithm]) -> Vec<Sample> {
    let mut samples: Vec<_> = [0, 1, 20_000, 70_000, 5, 300_000, 16_384, 100_000, 900]
        .into_iter()
        .enumerate()
        .map(|(seed, length)| sample(format!("d/{seed}"), contents(seed as u64, length), algorithms))
        .collect();
    samples[7].stream = true;
    samples
}

fn run(source: &impl Source, options: &Options, decide: Decide<'_>, cancel: &CancelToken) -> (Vec<Record>, Report) {
    let (mut records, counters) = (Vec::new(), Counters::default());
    let prepare = |record| record;
    let report = pfh_engine::run(options, source, &prepare, &mut records, Some(decide), &counters, cancel).unwrap();
    (records, report)
}

/// The bytes that consumers were given, by the paths of their files.
#[derive(Clone, Default)]
struct Taken(Arc<Mutex<BTreeMap<Vec<u8>, Copy>>>);

#[derive(Clone, Debug, Default)]
struct Copy {
    begun: usize,
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
    finished: Option<Record>,
    retracted: Option<Outcome>,
}

/// A consumer that keeps a file in memory, and fails as configured.
struct Taker {
    path: Vec<u8>,
    taken: Taken,
    pieces: bool,
    fails: Option<Fails>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fails {
    AtBytes,
    AtEnd,
    PanicsAtBytes,
    PanicsAtEnd,
}

impl Taken {
    fn taker(&self, path: &[u8], pieces: bool, fails: Option<Fails>) -> Decision {
        self.0.lock().unwrap().entry(path.to_vec()).or_default().begun += 1;
        let taker = Taker { path: path.to_vec(), taken: self.clone(), pieces, fails };
        Decision::HashWith(FileOptions { consumer: Some(Box::new(taker)), ..FileOptions::default() })
    }

    fn of(&self, path: &[u8]) -> Copy {
        self.0.lock().unwrap().get(path).cloned().unwrap_or_default()
    }
}

impl Taker {
    fn note(&self, note: impl FnOnce(&mut Copy)) {
        let mut all = self.taken.0.lock().unwrap();
        let copy = all.get_mut(&self.path).unwrap();
        assert!(copy.finished.is_none() && copy.retracted.is_none(), "called after its end");
        note(copy);
    }
}

impl Consumer for Taker {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.fails {
            Some(Fails::AtBytes) => return Err(io::Error::from_raw_os_error(28)),
            Some(Fails::PanicsAtBytes) => panic!("a consumer"),
            _ => {}
        }
        self.note(|copy| copy.bytes.extend_from_slice(bytes));
        Ok(())
    }

    fn takes_pieces(&self) -> bool {
        self.pieces
    }

    fn piece(&mut self, piece: Piece) -> io::Result<()> {
        self.note(|copy| copy.pieces.push(piece));
        Ok(())
    }

    fn finish(&mut self, record: &Record) -> io::Result<()> {
        match self.fails {
            Some(Fails::AtEnd) => return Err(io::Error::other("no room")),
            Some(Fails::PanicsAtEnd) => panic!("a consumer"),
            _ => {}
        }
        self.note(|copy| copy.finished = Some(record.clone()));
        Ok(())
    }

    fn retract(&mut self, outcome: &Outcome) {
        self.note(|copy| copy.retracted = Some(outcome.clone()));
    }
}

#[test]
fn files_are_left_out_or_listed_only_or_digested_with_less() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "sha256", "crc32"]);
    let samples = samples(&algorithms);
    let decide = |path: &[u8], metadata: Option<&Metadata>| match path {
        b"d/0" => Decision::LeaveOut,
        b"d/1" => Decision::RecordOnly(SkipReason::Unchanged),
        b"d/5" => Decision::RecordOnly(SkipReason::NotWanted),
        _ if metadata.is_none_or(|metadata| metadata.size.is_multiple_of(2)) => Decision::HashWith(FileOptions {
            selection: Some(Selection::from(
                &[algorithms[2], algorithms[0], Algorithm::from_name("sha1").unwrap()][..],
            )),
            consumer: None,
        }),
        _ => Decision::Hash,
    };
    for setting in settings() {
        let mut options = setting.options(&algorithms);
        options.selection.extend([Family::Ssdeep, Family::Tlsh]);
        let options = match setting.least_memory {
            true => Options { memory_bytes: least_memory(&options), ..options },
            false => options,
        };
        let source = with_samples(ScriptedSource::new(), &samples);
        let (records, report) = run(&source, &options, &decide, &CancelToken::default());
        assert_eq!((report.left_out, report.summary.skipped, records.len()), (1, 2, samples.len() - 1), "{setting:?}");
        for (record, sample) in records.iter().zip(&samples[1..]) {
            assert_eq!(record.path, sample.path.as_bytes());
            if let Outcome::Skipped(reason) = record.outcome {
                let wanted = if sample.path == "d/1" { SkipReason::Unchanged } else { SkipReason::NotWanted };
                assert_eq!((reason, record.bytes_read), (wanted, 0));
                assert_eq!(record.metadata.unwrap().size, sample.contents.len() as u64);
                assert_nothing_claimed(record);
            } else if sample.stream || sample.contents.len() % 2 == 0 {
                assert_eq!(record.digests, [sample.digests[0], sample.digests[2]], "{setting:?}, {}", sample.path);
                assert!(record.similarities.is_empty() && record.outcome == Outcome::Complete);
            } else {
                assert_complete(record, sample);
                assert_eq!(record.similarities.len(), 2);
            }
        }
        assert!(source.read_bytes() < samples.iter().map(|sample| sample.contents.len() as u64).sum());
        assert_eq!(source.open_files(), 0);
    }
}

#[test]
fn a_consumer_is_given_what_is_hashed() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "blake3"]);
    let samples = samples(&algorithms);
    for setting in settings() {
        for every in [1, 3] {
            let taken = Taken::default();
            let decide = |path: &[u8], _: Option<&Metadata>| match path.last().is_some_and(|last| last % every == 0) {
                true => taken.taker(path, false, None),
                false => Decision::Hash,
            };
            // Long files are read in many parts.
            let source = with_samples(ScriptedSource::new(), &samples).read_bytes_max(30_000);
            let (records, report) = run(&source, &setting.options(&algorithms), &decide, &CancelToken::default());
            assert_eq!(report.summary.complete, samples.len() as u64, "{setting:?}");
            for (record, sample) in records.iter().zip(&samples) {
                assert_complete(record, sample);
                let copy = taken.of(sample.path.as_bytes());
                if sample.path.as_bytes().last().unwrap() % every == 0 {
                    assert_eq!((copy.begun, copy.finished.as_ref()), (1, Some(record)), "{setting:?}");
                    assert!(copy.bytes == sample.contents && copy.retracted.is_none(), "{}", sample.path);
                } else {
                    assert_eq!(copy.begun, 0);
                }
            }
        }
    }
}

/// The number of block hashes of an image exceeds the limit of kept pieces.
#[test]
fn a_consumer_takes_any_number_of_pieces() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["crc32"]);
    let image = contents(7, 3_000_001);
    for setting in few_settings() {
        let options = Options { piece_bytes: Some(4), ..setting.options(&algorithms) };
        let options = Options { memory_bytes: least_memory(&options), ..options };
        let taken = Taken::default();
        let decide = |path: &[u8], _: Option<&Metadata>| match path {
            b"kept" => Decision::Hash,
            path => taken.taker(path, true, None),
        };
        let source = ScriptedSource::new().file("image", image.clone()).file("kept", image.clone()).file("empty", b"");
        let (records, _) = run(&source, &options, &decide, &CancelToken::default());
        assert_eq!(records[0].digests, digests(&algorithms, &image), "{setting:?}");
        assert!(records[0].pieces.is_empty() && records[0].outcome == Outcome::Complete);
        assert_eq!(records[1].outcome, Outcome::Skipped(SkipReason::TooManyPieces), "the image is large enough");
        let pieces = taken.of(b"image").pieces;
        assert_eq!(pieces.len(), image.len().div_ceil(4));
        for (number, (piece, part)) in pieces.iter().zip(image.chunks(4)).enumerate() {
            assert_eq!((piece.offset, piece.length), (number as u64 * 4, part.len() as u64));
            if number % 1000 == 0 || part.len() < 4 {
                assert_eq!(piece.digests, digests(&algorithms, part));
            }
        }
        assert_eq!(taken.of(b"empty").pieces.len(), 1);
    }
}

#[test]
fn what_a_file_at_fault_gave_is_retracted() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "crc32"]);
    let samples = samples(&algorithms);
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        for call in 1..400 {
            let fault = if call % 2 == 0 { Fault::Panic } else { Fault::Fail(EIO) };
            let taken = Taken::default();
            let decide = |path: &[u8], _: Option<&Metadata>| taken.taker(path, false, None);
            let source = with_samples(ScriptedSource::new(), &samples).fault_at_call(call, fault);
            let (records, _) = run(&source, &setting.options(&algorithms), &decide, &CancelToken::default());
            for (record, sample) in records.iter().zip(&samples) {
                let copy = taken.of(&record.path);
                if record.outcome == Outcome::Complete {
                    assert_complete(record, sample);
                    // Without metadata no decision is possible, and the file is hashed like any other.
                    assert!(copy.begun == 0 || copy.bytes == sample.contents, "{setting:?}, call {call}");
                    assert_eq!(copy.finished.is_some(), copy.begun == 1);
                } else {
                    assert_nothing_claimed(record);
                    assert!(copy.finished.is_none());
                    assert_eq!(
                        copy.retracted,
                        (copy.begun == 1).then(|| record.outcome.clone()),
                        "{setting:?}, call {call}"
                    );
                }
            }
            assert_eq!((records.len(), source.open_files()), (samples.len(), 0));
            if source.calls() < call {
                break;
            }
        }
    }
}

#[test]
fn a_file_that_changes_is_retracted() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5"]);
    let mut retracted = 0;
    for setting in few_settings() {
        for reads in [1, 4, 9] {
            let (old, new) = (contents(1, 1 << 20), contents(2, 1 << 20));
            let source = ScriptedSource::new().file("x", old).read_bytes_max(100_000);
            let source = source.change_after_reads("x", reads, Change::Rewrite(new.clone()));
            let taken = Taken::default();
            let decide = |path: &[u8], _: Option<&Metadata>| taken.taker(path, false, None);
            let (records, _) = run(&source, &setting.options(&algorithms), &decide, &CancelToken::default());
            let copy = taken.of(b"x");
            match records[0].outcome {
                // The change hit the first slot, which was read again before any consumer got it.
                Outcome::Complete => assert!(copy.bytes == new && copy.finished.is_some(), "{setting:?}"),
                Outcome::ChangedWhileReading => {
                    assert_eq!(copy.retracted, Some(Outcome::ChangedWhileReading), "{setting:?}");
                    assert!(copy.finished.is_none());
                    retracted += 1;
                }
                _ => panic!("{setting:?}: {:?}", records[0]),
            }
        }
    }
    assert!(retracted > 10, "{retracted}");
}

#[test]
fn a_consumer_that_fails_costs_its_file() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "crc32"]);
    let samples = samples(&algorithms);
    for setting in settings() {
        for fails in [Fails::AtBytes, Fails::AtEnd, Fails::PanicsAtBytes, Fails::PanicsAtEnd] {
            let taken = Taken::default();
            let decide =
                |path: &[u8], _: Option<&Metadata>| taken.taker(path, false, (path[2] % 2 == 1).then_some(fails));
            let source = with_samples(ScriptedSource::new(), &samples);
            let (records, _) = run(&source, &setting.options(&algorithms), &decide, &CancelToken::default());
            for (record, sample) in records.iter().zip(&samples) {
                let copy = taken.of(&record.path);
                if record.path[2] % 2 == 0 {
                    assert_complete(record, sample);
                    assert!(copy.bytes == sample.contents && copy.finished.is_some());
                    continue;
                }
                assert_nothing_claimed(record);
                let Outcome::Unreadable { error, .. } = &record.outcome else { panic!("{record:?}") };
                let wanted = match fails {
                    Fails::AtBytes => (ErrorKind::Consumer, Some(28)),
                    Fails::AtEnd => (ErrorKind::Consumer, None),
                    Fails::PanicsAtBytes | Fails::PanicsAtEnd => (ErrorKind::Internal, None),
                };
                assert_eq!((error.kind, error.errno), wanted, "{setting:?}, {fails:?}");
                assert_eq!(copy.retracted.as_ref(), Some(&record.outcome));
            }
            assert_eq!(source.open_files(), 0);
        }
    }
}

#[test]
fn a_run_that_is_cancelled_retracts_what_it_did_not_finish() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "crc32"]);
    let samples = samples(&algorithms);
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        for call in 1..400 {
            let cancel = CancelToken::default();
            let token = cancel.clone();
            let source = with_samples(ScriptedSource::new(), &samples);
            let source = Observed::with_hook(source, move |now| {
                if now == call {
                    token.cancel();
                }
            });
            let taken = Taken::default();
            let decide = |path: &[u8], _: Option<&Metadata>| taken.taker(path, false, None);
            let (records, _) = run(&source, &setting.options(&algorithms), &decide, &cancel);
            for copy in taken.0.lock().unwrap().values() {
                match (&copy.finished, &copy.retracted) {
                    (Some(record), None) => assert!(records.contains(record), "{setting:?}, call {call}"),
                    (None, Some(outcome)) => assert_eq!(*outcome, Outcome::NotReached, "{setting:?}, call {call}"),
                    _ => panic!("{setting:?}, call {call}: neither finished nor retracted"),
                }
            }
            assert!(records.iter().all(|record| record.outcome == Outcome::Complete));
            assert_eq!(source.inner.open_files(), 0);
            if !cancel.is_cancelled() {
                assert_eq!(records.len(), samples.len());
                break;
            }
        }
    }
}

/// Each name has its own decision, whatever is known of another name.
#[test]
fn names_of_one_file_are_decided_on_one_by_one() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5", "crc32"]);
    for length in [100, 400_000] {
        let bytes = contents(3, length);
        for setting in settings() {
            let source = ["b", "c", "d", "e", "f"]
                .into_iter()
                .fold(ScriptedSource::new().file("a", bytes.clone()), |source, name| source.hard_link(name, "a"));
            let taken = Taken::default();
            let decide = |path: &[u8], _: Option<&Metadata>| match path {
                b"b" | b"e" => taken.taker(path, false, None),
                b"c" => Decision::RecordOnly(SkipReason::Unchanged),
                b"d" => Decision::HashWith(FileOptions {
                    selection: Some(Selection::from(&algorithms[1..2])),
                    ..FileOptions::default()
                }),
                _ => Decision::Hash,
            };
            let (records, _) = run(&source, &setting.options(&algorithms), &decide, &CancelToken::default());
            let whole = digests(&algorithms, &bytes);
            for (record, name) in records.iter().zip(["a", "b", "c", "d", "e", "f"]) {
                let wanted = match name {
                    "c" => &[][..],
                    "d" => &whole[1..],
                    _ => &whole[..],
                };
                assert_eq!((&record.path[..], &record.digests[..]), (name.as_bytes(), wanted), "{setting:?}");
            }
            for name in [b"b", b"e"] {
                let copy = taken.of(name);
                assert!(copy.begun == 1 && copy.bytes == bytes && copy.finished.is_some(), "{setting:?}");
            }
        }
    }
}
