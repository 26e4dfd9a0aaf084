//! Each fault costs its runner, and nobody else.

use std::fs;
use std::time::{Duration, Instant};

use pfh_lab::catalogue::Catalogue;
use pfh_lab::measurements::Measurements;
use pfh_lab::report::{Options, Report};
use pfh_lab::results::{Entry, FailureKind};
use pfh_lab::session::{Limits, Session};

use crate::fixture::{CELLS, Lab, failures, runs, samples};

/// All samples of an honest runner in the experiment: 3 rounds of 2.
const SAMPLES: usize = CELLS * 6;

/// Runs an experiment with one runner that has a fault; the others are complete. Returns how it failed.
#[track_caller]
fn fault(name: &str) -> Vec<(FailureKind, String)> {
    let lab = Lab::new(&[name]);
    let started = Instant::now();
    let summary = lab.run().unwrap();
    assert!(started.elapsed() < Duration::from_secs(40), "{name} took {:?}", started.elapsed());
    let entries = lab.entries();
    for honest in ["a", "b"] {
        assert_eq!((samples(&entries, honest), failures(&entries, honest).len()), (SAMPLES, 0), "{name}: {honest}");
    }
    assert!(matches!(entries.last(), Some(Entry::End { .. })));
    let failures = failures(&entries, name);
    assert_eq!(summary.failures.values().sum::<u64>(), failures.len() as u64);
    if !failures.is_empty() {
        assert_eq!(failures.len(), CELLS, "{name}: {failures:?}");
        assert_eq!(samples(&entries, name), 0, "{name}");
    }
    failures
}

#[track_caller]
fn all_are(name: &str, kind: FailureKind, message: &str) {
    let failures = fault(name);
    assert!(!failures.is_empty(), "{name} did not fail");
    for (position, (found, said)) in failures.iter().enumerate() {
        assert_eq!(*found, kind, "{name}: {said}");
        assert!(said.contains(message) || position >= 3 && said.contains("not asked"), "{name}: {said}");
    }
}

#[test]
fn what_hangs_is_ended() {
    all_are("hangs", FailureKind::Timeout, "did not end in time (1 s)");
}

#[test]
fn what_crashes_is_reported_with_what_it_said() {
    all_are(
        "crashes",
        FailureKind::Crash,
        "was ended by signal 11; on standard error: Segmentation fault, said the runner",
    );
    all_are("exits", FailureKind::Crash, "ended with status 3");
}

#[test]
fn garbage_is_no_answer() {
    all_are("garbage", FailureKind::Garbage, "ceci n’est pas JSON");
    all_are("long-line", FailureKind::Garbage, "wrote a line of more than 65536 bytes");
    all_are("endless-line", FailureKind::Garbage, "wrote a line of more than 65536 bytes");
}

#[test]
fn a_flood_on_standard_error_is_kept_short() {
    let failures = fault("floods");
    assert_eq!(failures[0].0, FailureKind::Garbage);
    assert!(failures[0].1.contains("so much to say"));
    assert!(failures.iter().all(|(_, message)| message.len() < 70_000), "{}", failures[0].1.len());
}

#[test]
fn memory_is_bounded() {
    all_are("memory", FailureKind::Memory, "the limit is 95 MiB (`--memory`)");
    // By its own account, of what it has returned by now.
    all_are("peaks", FailureKind::Memory, "took 190 MiB of memory; the limit is 95 MiB (`--memory`)");
    // Seen once a second; the limit of time may be as fast.
    let lab =
        Lab { experiment: crate::fixture::EXPERIMENT.replace("= 1\n", "= 20\n"), ..Lab::new(&["memory-of-a-child"]) };
    lab.run().unwrap();
    let failures = failures(&lab.entries(), "memory-of-a-child");
    assert_eq!(failures.len(), CELLS);
    assert!(failures.iter().all(|(kind, _)| *kind == FailureKind::Memory), "{failures:?}");
}

#[test]
fn a_wrong_answer_has_no_speed() {
    all_are("lies", FailureKind::WrongAnswer, "its check says bb, not aa");
    all_are("lies-later", FailureKind::WrongAnswer, "repeat 0 says bb, not aa");
    all_are("upper-case", FailureKind::WrongAnswer, "its check says AA, not aa");
}

#[test]
fn the_protocol_is_held() {
    all_are("other-task", FailureKind::Garbage, "answered task");
    all_are("one-too-many", FailureKind::Garbage, "more than 2 repeats");
    all_are("one-too-few", FailureKind::Garbage, "1 repeat instead of 2");
}

/// Times that cannot be true are findings, and no figures.
#[test]
fn impossible_times_are_no_figures() {
    all_are("takes-back-time", FailureKind::Implausible, "more than passed");
    all_are("takes-no-time", FailureKind::Implausible, "took 0 ns");
    let mut lab = Lab::new(&["works-more"]);
    lab.experiment = lab.experiment.replace("task_seconds = 1", "task_seconds = 30");
    let summary = lab.run().unwrap();
    let found = failures(&lab.entries(), "works-more");
    assert_eq!((found.len(), samples(&lab.entries(), "works-more")), (CELLS, 0));
    assert!(found[0].0 == FailureKind::Implausible && found[0].1.contains("while the process worked"), "{found:?}");
    assert_eq!(summary.faults(), CELLS as u64);
}

/// A nanosecond is possible for 16 bytes, and impossible for 1 KiB: who tells the one is not believed the other.
#[test]
fn who_was_caught_once_has_no_figures_at_all() {
    let lab = Lab::new(&["takes-a-nanosecond"]);
    lab.run().unwrap();
    let entries = lab.entries();
    assert!(samples(&entries, "takes-a-nanosecond") > 0);
    let found = failures(&entries, "takes-a-nanosecond");
    assert_eq!(found.len(), CELLS / 2);
    assert!(
        found.iter().all(|(kind, said)| *kind == FailureKind::Implausible && said.contains("beyond any processor"))
    );
    let measurements = Measurements::open(&lab.results()).unwrap();
    assert_eq!(measurements.runner_ids("today"), ["a", "b"]);
    assert!(measurements.notes.iter().any(|note| note.contains("takes-a-nanosecond (today) are left out")));
    let page = Report::new(&measurements, Options::default()).document().markdown();
    assert!(page.contains("implausible times") && page.contains("beyond any processor"), "{page}");
}

/// Each repeat has its own data: the answer of another pass is wrong.
#[test]
fn an_answer_from_a_cache_is_wrong() {
    assert_eq!(fault("varies"), []);
    all_are("caches", FailureKind::WrongAnswer, "which is right for the data of another pass");
    all_are("begins-not", FailureKind::Garbage, "repeat 0 without its `begin`");
}

#[test]
fn a_runner_may_refuse() {
    all_are("refuses", FailureKind::Error, "cannot");
    all_are("lacks", FailureKind::NotOffered, "no");
}

#[test]
fn children_do_not_outlive_their_runner() {
    assert_eq!(fault("forks"), []);
    assert_eq!(fault("forks-away"), []);
    assert_eq!(fault("forks-unknown"), []);
    // Those of the same test in another process are none of this one's.
    for seconds in [97531, 97532, 97533, 97534] {
        let argument = format!("{seconds}.{}", std::process::id());
        assert!(!runs(&argument), "sleep {argument}");
    }
}

#[test]
fn a_bad_end_costs_no_result() {
    for name in ["does-not-end", "ends-badly"] {
        let mut lab = Lab::new(&[name]);
        // Five seconds of patience after each visit.
        lab.experiment = lab.experiment.replace("rounds = 3", "rounds = 1");
        let mut said = Vec::new();
        let mut observe = |event: pfh_lab::run::Event<'_>| {
            if let pfh_lab::run::Event::BadEnd { runner, message } = event {
                said.push(format!("{runner}: {message}"));
            }
        };
        lab.run_with(&mut observe, &false.into()).unwrap();
        assert_eq!(samples(&lab.entries(), name), CELLS * 2);
        let expected = if name == "ends-badly" { "ended with status 9" } else { "did not end with its input" };
        assert_eq!(said, [format!("{name}: {expected}")]);
    }
}

#[test]
fn a_crash_costs_one_cell_and_the_runner_is_started_anew() {
    // It crashes at every second task, so never three times in a row.
    let lab = Lab::new(&["recovers"]);
    lab.run().unwrap();
    let entries = lab.entries();
    assert!(samples(&entries, "recovers") > 0);
    let failures = failures(&entries, "recovers");
    assert!(
        !failures.is_empty() && failures.iter().all(|(kind, said)| *kind == FailureKind::Crash && said.contains("5"))
    );
    assert_eq!(samples(&entries, "a"), SAMPLES);
}

/// It crashes at every second question, so never three times in a row.
#[test]
fn a_witness_that_recovers_is_asked_everything() {
    let mut lab = Lab::new(&["recovers"]);
    lab.experiment = lab.experiment.replace("16, \"1K\"", "16, 17, 18, 19");
    let definition = lab.folder.path().join("lab/runners/sh/runner.toml");
    let text = fs::read_to_string(&definition).unwrap();
    let other = "[[variant]]\nid = \"b\"\nlabel = \"b\"\narguments = [\"b\", \"\"]\n";
    assert!(text.contains(other));
    fs::write(&definition, text.replace(other, "")).unwrap();
    lab.run().unwrap();
    // It confirms half of the eight answers, each of which has 3 rounds of 2.
    assert_eq!(samples(&lab.entries(), "a"), 4 * 6);
}

#[test]
fn what_does_not_start_is_unavailable() {
    for (name, reason) in [
        ("dies-at-once", "ended with status 7; on standard error: no library"),
        ("other-protocol", "speaks version 2 of the protocol, not 1"),
        ("is-unavailable", "the library is too old"),
        ("no-json", "Hello, world!"),
        ("not-utf-8", "not UTF-8"),
        ("needs-memory", "of memory; the limit is 95 MiB (`--memory`)"),
    ] {
        let lab = Lab::new(&[name]);
        let summary = lab.run().unwrap();
        assert_eq!((summary.available, summary.unavailable, summary.faults()), (2, 1, 0));
        let entries = lab.entries();
        let found = entries.iter().find_map(|entry| match entry {
            Entry::Runner(runner) if runner.runner == name => runner.unavailable.clone(),
            _ => None,
        });
        assert!(found.as_ref().is_some_and(|found| found.contains(reason)), "{name}: {found:?}");
        assert_eq!((samples(&entries, name), failures(&entries, name).len()), (0, 0));
    }
}

#[test]
fn who_says_nothing_is_not_waited_for() {
    let lab = Lab::new(&["no-hello"]);
    let catalogue = Catalogue::find(&lab.places()).unwrap();
    let contestants = catalogue.contestants();
    let silent = contestants.iter().find(|contestant| contestant.variant.id == "no-hello").unwrap();
    let limits = Limits { start: Duration::from_millis(300), task: Duration::from_secs(1), memory_bytes: 100_000_000 };
    let error = Session::start(&silent.launch(&catalogue.program), limits, &false.into()).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (FailureKind::Crash, "did not say hello within 0.3 s"));
}

#[test]
fn what_one_implementation_alone_has_is_unverified() {
    let mut lab = Lab::new(&["one-more", "is-unavailable"]);
    lab.experiment = lab.experiment.replace("\"sha1\"", "\"tiger\"");
    let definition = lab.folder.path().join("lab/runners/sh/runner.toml");
    let text = fs::read_to_string(&definition).unwrap();
    fs::write(&definition, text + "witness_for = [\"tiger\"]\n").unwrap();
    let summary = lab.run().unwrap();
    let entries = lab.entries();
    let failures = failures(&entries, "one-more");
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures.iter().all(|(kind, _)| *kind == FailureKind::Unverified));
    assert_eq!(
        failures[0].1,
        "no two different implementations agree: one-more (c) says aa; \
         is-unavailable (`pfh lab doctor --install sh`) would be a witness"
    );
    // Its md5 is good, and the others do not have tiger.
    assert_eq!(samples(&entries, "one-more"), SAMPLES / 2);
    assert_eq!(summary.failures.get("not-offered"), Some(&4));
    assert_eq!(summary.faults(), 0);
}
