//! The limit on everything that is buffered, announced, open or waiting.

use std::time::Duration;

use pfh_engine::{Mode, Options, StartError};
use pfh_record::{Outcome, SkipReason};
use pfh_testing::{Fault, Gate, ScriptedSource};

use crate::common::*;
use crate::observed::Observed;

#[test]
fn too_little_memory_is_an_error_before_anything_is_read_and_names_the_least() {
    let _watchdog = watchdog(60);
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        for algorithms in algorithm_sets() {
            let options = setting.options(&algorithms);
            for memory_bytes in [0, 1, options.memory_bytes / 2] {
                let source = ScriptedSource::new().file("file", b"contents");
                let options = Options { memory_bytes, ..options.clone() };
                let error = try_hash(&source, &options).map(drop).unwrap_err();
                let least_bytes = least_memory(&options);
                assert_eq!(error, StartError::MemoryTooSmall { memory_bytes, least_bytes });
                assert_eq!(source.calls(), 0);
                assert_eq!(pfh_engine::check(&options, &source), Err(error));
                assert_eq!(pfh_engine::check(&Options { memory_bytes: least_bytes, ..options }, &source), Ok(()));
                let text = error.to_string();
                assert!(text.contains(&format!("{least_bytes}")), "{text}");
            }
        }
    }
}

/// A caller that changes something before the run can know that the run would be refused.
#[test]
fn keys_are_checked_before_the_run() {
    let _watchdog = watchdog(60);
    let source = ScriptedSource::new();
    for algorithm in pfh_digest::Algorithm::all_keyed() {
        let options = Options::new(vec![algorithm]);
        let refused = try_hash(&source, &options).map(drop);
        assert!(matches!(refused, Err(StartError::Key(_))), "{algorithm}");
        assert_eq!(pfh_engine::check(&options, &source), refused);
    }
}

#[test]
fn pieces_of_no_bytes_are_refused_before_anything_is_read() {
    let _watchdog = watchdog(60);
    let source = ScriptedSource::new().file("file", b"contents");
    for setting in few_settings() {
        let options = Options { piece_bytes: Some(0), ..setting.options(&algorithms(&["md5"])) };
        assert_eq!(try_hash(&source, &options).map(drop), Err(StartError::EmptyPieces), "{setting:?}");
        assert_eq!(pfh_engine::check(&options, &source), Err(StartError::EmptyPieces));
    }
    assert_eq!(source.calls(), 0);
}

/// Reads that wait open the look-ahead window. Its announced bytes stay below a quarter of the memory, and its open
/// files below the option.
#[test]
fn look_ahead_is_bounded_in_bytes_and_in_open_files() {
    let _watchdog = watchdog(60);
    for (threads, memory_bytes, open_files_max) in
        [(1, 4 << 20, 20), (2, 8 << 20, 64), (4, 64 << 20, 100), (2, 64 << 20, 4)]
    {
        let source =
            (0..400).fold(ScriptedSource::new(), |source, name| source.file(format!("{name}"), vec![1; 60_000]));
        let source = Observed::with_hook(source, |_| std::thread::sleep(Duration::from_micros(200)));
        let algorithms = algorithms(&["crc32c"]);
        let options =
            Options { threads, memory_bytes, open_files_max: Some(open_files_max), ..Options::new(algorithms.clone()) };
        let run = hash(&source, &options);
        assert_eq!(run.report.summary.complete, 400);
        assert!(source.announced_sum() > 0, "the window never opened");
        assert!(source.announced_max() <= memory_bytes / 4, "{} of {memory_bytes}", source.announced_max());
        // Each worker may hold the file opened last in addition to the window.
        assert!(source.inner.open_files_max() <= open_files_max + threads, "{}", source.inner.open_files_max());
    }
}

/// Help with a long file that nobody takes, since other files wait, keeps it no longer open than its reading takes.
#[test]
fn long_files_are_closed_when_they_are_done() {
    let _watchdog = watchdog(120);
    let contents = contents(1, (2 << 20) + 1);
    let files = 40;
    for (threads, open_files_max) in [(2, 2), (2, 8), (4, 8)] {
        let source = (0..files)
            .fold(ScriptedSource::new(), |source, file| source.file(format!("{file:02}"), contents.as_slice()));
        let options =
            Options { threads, open_files_max: Some(open_files_max), ..Options::new(algorithms(&["blake3"])[0]) };
        let run = hash(&source, &options);
        assert_eq!(run.report.summary.complete, files);
        assert!(source.open_files_max() <= open_files_max + threads, "{threads}: {}", source.open_files_max());
    }
}

/// Files in lanes are open until they end, so they count too, also while they move from worker to worker.
#[test]
fn long_files_side_by_side_stay_within_the_open_files() {
    let _watchdog = watchdog(60);
    for (threads, open_files_max) in [(1, 1), (2, 2), (4, 4), (4, 9), (3, 40)] {
        let source = (0..200).fold(ScriptedSource::new(), |source, name| {
            source.file(format!("{name}"), contents(name, 200_000 + name as usize))
        });
        let algorithms = algorithms(&["md5"]);
        let options = Options { threads, open_files_max: Some(open_files_max), ..Options::new(algorithms) };
        let run = hash(&source, &options);
        assert_eq!(run.report.summary.complete, 200);
        // In addition, one file may be in transit to each worker.
        assert!(source.open_files_max() <= open_files_max + threads, "{threads}: {}", source.open_files_max());
    }
}

/// A file that never ends holds back the records of all others, so the walk must wait instead of filling the memory.
#[test]
fn the_walk_waits_while_records_cannot_be_delivered() {
    let _watchdog = watchdog(120);
    const ENTRIES: usize = 30_000;
    for passed_over in [false, true] {
        for mode in [Mode::Adaptive, Mode::Mtp, Mode::Smt] {
            let gate = Gate::new();
            let mut source = ScriptedSource::new().file("stalled", b"1").fault_at_call(1, Fault::Stall(gate.clone()));
            for name in 0..ENTRIES {
                source = match passed_over {
                    false => source.file(format!("{name}"), b"1"),
                    true => source.skipped(format!("{name}"), SkipReason::NotRegular),
                };
            }
            let source = Observed::new(source);
            let mut options = Options { mode, threads: 2, ..Options::new(algorithms(&["md5"])) };
            options.memory_bytes = least_memory(&options).max(1 << 20);
            let run = std::thread::scope(|scope| {
                let run = scope.spawn(|| hash(&source, &options));
                assert!(gate.reached_by(1, Duration::from_secs(30)));
                // Waits until the walk makes no more progress.
                let mut walked = 0;
                while walked != source.walked() {
                    walked = source.walked();
                    std::thread::sleep(Duration::from_millis(100));
                }
                // Each waiting entry costs at least 200 bytes, and the walk holds one group.
                let most = options.memory_bytes / 200 + 200;
                assert!(walked < most, "{mode:?}, passed over {passed_over}: {walked} entries wait, {most} may");
                gate.open();
                run.join().unwrap()
            });
            assert_eq!(run.records.len(), ENTRIES + 1);
            assert_eq!(source.inner.open_files(), 0);
        }
    }
}

#[test]
fn a_file_whose_pieces_would_not_fit_is_skipped_with_that_reason() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5"]);
    for setting in settings() {
        let options = Options { piece_bytes: Some(1), ..setting.options(&algorithms) };
        let length = 3 << 20;
        // One file is larger than a slot, and one is not.
        let slot_bytes = slot_bytes(&options);
        let small = slot_bytes - 1;
        let source =
            ScriptedSource::new().file("large", vec![1; length]).file("small", vec![1; small]).file("tiny", b"12");
        let run = hash(&source, &options);
        assert_eq!(run.records[0].outcome, Outcome::Skipped(SkipReason::TooManyPieces), "{setting:?}");
        assert_eq!(run.records[0].metadata.unwrap().size, length as u64);
        assert_nothing_claimed(&run.records[0]);
        let each = std::mem::size_of::<pfh_record::Piece>();
        if small * each > options.memory_bytes as usize {
            assert_eq!(run.records[1].outcome, Outcome::Skipped(SkipReason::TooManyPieces), "{setting:?}");
        }
        assert_eq!(run.records[2].pieces.len(), 2);
    }
}
