//! Measurements are saved, whatever happens.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use pfh_lab::Error;
use pfh_lab::measurements::Measurements;
use pfh_lab::results::{Cell, Entry};
use pfh_lab::run::Event;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::fixture::{CELLS, EXPERIMENT, Lab, measured, samples};
use crate::skip::{Need, skipped};

/// Every cell was measured in every round, once.
#[track_caller]
fn is_complete(entries: &[Entry], runners: &[&str]) {
    let mut rounds: BTreeMap<Cell, usize> = BTreeMap::new();
    for cell in measured(entries) {
        *rounds.entry(cell).or_default() += 1;
    }
    assert_eq!(rounds.len(), runners.len() * CELLS);
    assert!(rounds.values().all(|count| *count == 3), "{rounds:?}");
    for runner in runners {
        assert_eq!(samples(entries, runner), CELLS * 6);
    }
    let headers = entries.iter().filter(|entry| matches!(entry, Entry::Header(_))).count();
    let truths = entries.iter().filter(|entry| matches!(entry, Entry::Truth(_))).count();
    assert_eq!((headers, truths), (1, CELLS));
}

/// Runs until this number of tasks have begun.
fn interrupt(lab: &Lab, tasks: u32) {
    let cancel = AtomicBool::new(false);
    let mut count = 0;
    let mut observe = |event: Event<'_>| {
        if matches!(event, Event::Task { .. }) {
            count += 1;
            if count == tasks {
                cancel.store(true, Ordering::Relaxed);
            }
        }
    };
    let summary = lab.run_with(&mut observe, &cancel).unwrap();
    assert!(summary.cancelled);
}

#[test]
fn an_interrupted_run_is_continued() {
    for tasks in [1, 2, 7, 20] {
        let mut lab = Lab::new(&[]);
        interrupt(&lab, tasks);
        let before = lab.entries();
        assert_eq!(measured(&before).len(), tasks as usize - 1);
        lab.resume = true;
        lab.seed = None;
        assert!(!lab.run().unwrap().cancelled);
        let after = lab.entries();
        assert_eq!(after[..before.len()], before[..], "what was saved has changed");
        assert!(matches!(before.last(), Some(Entry::Stop { seconds }) if *seconds >= 0.0), "{:?}", before.last());
        assert!(matches!(after.last(), Some(Entry::End { .. })));
        is_complete(&after, &["a", "b"]);
        let orders =
            after.iter().filter_map(|entry| if let Entry::Cost(cost) = entry { Some(cost.order) } else { None });
        assert!(orders.eq(0..2 * CELLS as u64 * 3));
        // Nothing is left to do, and nothing is written.
        assert_eq!(lab.run().unwrap().samples, 0);
        assert_eq!(lab.entries(), after);
    }
}

#[test]
fn a_half_line_is_done_again() {
    let mut lab = Lab::new(&[]);
    lab.run().unwrap();
    let file = lab.results().join("results.jsonl");
    let whole = fs::read(&file).unwrap();
    lab.resume = true;
    for share in [35, 50, 80, 99] {
        fs::write(&file, &whole[..whole.len() * share / 100]).unwrap();
        lab.run().unwrap();
        is_complete(&lab.entries(), &["a", "b"]);
    }
}

/// A run that was killed after its last task lacks nothing but its end.
#[test]
fn the_end_that_a_killed_run_could_not_write_is_added() {
    let mut lab = Lab::new(&[]);
    lab.run().unwrap();
    let file = lab.results().join("results.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, &whole[..whole.rfind("{\"type\":\"end\"").unwrap()]).unwrap();
    assert_eq!(Measurements::open(&file).unwrap().seconds, None);
    lab.resume = true;
    assert_eq!(lab.run().unwrap().samples, 0);
    assert!(Measurements::open(&file).unwrap().seconds.is_some());
    is_complete(&lab.entries(), &["a", "b"]);
}

/// Who continues results and who reads them have one opinion of each line.
#[test]
fn damage_is_refused_and_blank_lines_are_passed_over() {
    let mut lab = Lab::new(&[]);
    lab.run().unwrap();
    lab.resume = true;
    let file = lab.results().join("results.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let second = whole.find('\n').unwrap() + 1;
    let with = |line: &str| format!("{}{line}\n{}", &whole[..second], &whole[second..]);
    for line in ["garbage", "{\"type\":\"sample\"}"] {
        fs::write(&file, with(line)).unwrap();
        let error = lab.run().unwrap_err().to_string();
        assert!(error.contains("cannot be continued: line 2 is damaged: "), "{error}");
        assert!(Measurements::open(&file).unwrap_err().to_string().contains("line 2: "));
        assert_eq!(fs::read_to_string(&file).unwrap(), with(line));
    }
    for line in ["", "{\"type\":\"later\"}"] {
        for text in [with(line), format!("{whole}{line}\n")] {
            fs::write(&file, &text).unwrap();
            assert_eq!(lab.run().unwrap().samples, 0);
            Measurements::open(&file).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    }
}

#[test]
fn times_of_two_versions_are_not_mixed() {
    let mut lab = Lab::new(&[]);
    interrupt(&lab, 3);
    let script = lab.folder.path().join("lab/runners/sh/runner.sh");
    let text = fs::read_to_string(&script).unwrap();
    let other = text.replace(r#"library_version\":\"1"#, r#"library_version\":\"2"#);
    fs::write(&script, &other).unwrap();
    lab.resume = true;
    let error = lab.run().unwrap_err().to_string();
    assert!(error.contains("(today) is another: its version is `1` there, and `2` here"), "{error}");
    fs::write(&script, text).unwrap();
    lab.run().unwrap();
    let entries = lab.entries();
    is_complete(&entries, &["a", "b"]);
    // Nothing is mixed where nothing is left to measure.
    fs::write(&script, other).unwrap();
    assert_eq!(lab.run().unwrap().samples, 0);
    assert_eq!(lab.entries().len(), entries.len());
}

#[test]
fn earlier_faults_still_count() {
    let mut lab = Lab::new(&["lies"]);
    let faults = lab.run().unwrap().faults();
    lab.resume = true;
    let later = lab.run().unwrap();
    assert_eq!((faults, later.faults(), later.earlier_faults()), (CELLS as u64, CELLS as u64, CELLS as u64));
    assert!(later.failures.is_empty());
}

/// A selection is checked against the definition with which the results began.
#[test]
fn a_selection_is_of_the_stored_definition() {
    let mut lab = Lab::new(&[]);
    interrupt(&lab, 3);
    lab.resume = true;
    lab.experiment = EXPERIMENT.replace("sha1", "sha512");
    lab.selection.algorithms = vec!["sha512".to_owned()];
    assert!(lab.run().unwrap_err().to_string().contains("there are md5, sha1"));
    lab.selection.algorithms = vec!["sha1".to_owned()];
    lab.run().unwrap();
    assert!(measured(&lab.entries()).iter().filter(|cell| cell.algorithm == "sha1").count() >= CELLS * 3);
}

#[test]
fn other_results_are_not_continued() {
    let mut lab = Lab::new(&[]);
    interrupt(&lab, 3);
    let refused = |lab: &Lab| lab.run().unwrap_err().to_string();
    assert!(refused(&lab).contains("is there already; `--resume` continues it"));
    lab.resume = true;
    lab.seed = Some(2);
    assert!(refused(&lab).contains("the seed is 1 there and 2 here"));
    lab.seed = None;
    let file = lab.results().join("results.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let changed = |from: &str, to: &str| fs::write(&file, text.replacen(from, to, 1)).unwrap();
    changed("\"experiment\":\"x\"", "\"experiment\":\"y\"");
    assert!(refused(&lab).contains("the experiment is y there and x here"));
    changed("\"version\":1", "\"version\":2");
    assert!(refused(&lab).contains("the format is version 2"));
    changed("\"cores\":\"", "\"cores\":\"9");
    assert!(refused(&lab).contains("the machine's `cores`"));
    fs::write(&file, "").unwrap();
    assert!(refused(&lab).contains("holds no results to continue"));
    fs::write(&file, "nonsense\n").unwrap();
    assert!(refused(&lab).contains("line 1"));
    fs::remove_file(&file).unwrap();
    assert!(refused(&lab).contains("No such file"));
}

/// The memory that a machine tells changes a little with its kernel.
#[test]
fn a_little_less_memory_is_the_same_machine() {
    let mut lab = Lab::new(&[]);
    interrupt(&lab, 3);
    lab.resume = true;
    lab.seed = None;
    let file = lab.results().join("results.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let Some(Entry::Header(header)) = lab.entries().into_iter().next() else { panic!("{text}") };
    let bytes: u64 = header.environment["memory_bytes"].parse().unwrap();
    let fact = |bytes: u64| format!("\"memory_bytes\":\"{bytes}\"");
    let begun_with = |percent: u64| {
        fs::write(&file, text.replacen(&fact(bytes), &fact(bytes / 100 * percent), 1)).unwrap();
    };
    begun_with(103);
    assert!(lab.run().unwrap_err().to_string().contains("the machine's `memory_bytes`"));
    begun_with(101);
    let mut notes = Vec::new();
    let mut observe = |event: Event<'_>| {
        if let Event::Note(text) = event {
            notes.push(text.to_owned());
        }
    };
    lab.run_with(&mut observe, &AtomicBool::new(false)).unwrap();
    assert!(notes.len() == 1 && notes[0].contains("they differ by less than 2 %"), "{notes:?}");
    is_complete(&lab.entries(), &["a", "b"]);
}

#[test]
fn a_full_disk_loses_nothing() {
    let mut lab = Lab::new(&[]);
    fs::create_dir(lab.results()).unwrap();
    // Room for the header and about half of the results.
    let options = Some(c"size=12k");
    if let Err(error) = mount("tmpfs", lab.results(), "tmpfs", MountFlags::empty(), options) {
        skipped(Need::Mount, format_args!("mounting a small filesystem: {error}"));
        return;
    }
    let outcome = lab.run();
    let saved = lab.entries();
    let file = fs::read(lab.results().join("results.jsonl")).unwrap();
    // Other tests may be about to start programs, which hold it open for a moment.
    unmount(lab.results(), UnmountFlags::DETACH).unwrap();
    let error = outcome.unwrap_err();
    assert!(matches!(error, Error::Output { .. }) && error.to_string().contains("No space left"), "{error}");
    assert_eq!(file.last(), Some(&b'\n'));
    assert!(measured(&saved).len() > 1 && measured(&saved).len() < 2 * CELLS * 3, "{}", measured(&saved).len());
    // With more room it goes on.
    fs::write(lab.results().join("results.jsonl"), file).unwrap();
    lab.resume = true;
    lab.run().unwrap();
    is_complete(&lab.entries(), &["a", "b"]);
}

/// A misspelt name would be one that no runner offers, which is nobody's fault.
#[test]
fn an_algorithm_that_nobody_knows_is_refused_before_anything_is_saved() {
    let mut lab = Lab::new(&["one-more"]);
    for (from, to, unknown) in [
        ("\"sha1\"", "\"sha11\"", "sha11"),
        ("repeats = 2", "repeats = 2\nsame_digest = { sha1 = \"sha99\" }", "sha99"),
        ("repeats = 2", "repeats = 2\nsame_digest = { sha98 = \"sha1\" }", "sha98"),
    ] {
        lab.experiment = EXPERIMENT.replace(from, to);
        let said = lab.run().unwrap_err().to_string();
        let expected = format!("the experiment `x`: unknown algorithm `{unknown}`; and no runner announces it");
        assert_eq!(said, expected);
        assert!(!lab.results().exists());
    }
    // Known to a runner alone, also to one that is not measured.
    lab.experiment = EXPERIMENT.replace("\"sha1\"", "\"tiger\"");
    lab.selection.runners = vec!["a".to_owned()];
    assert_eq!(lab.run().unwrap().failures.get("not-offered"), Some(&2));
}

#[test]
fn a_selection_is_what_is_measured() {
    let mut lab = Lab::new(&[]);
    lab.selection.runners = vec!["b".to_owned()];
    lab.selection.algorithms = vec!["sha1".to_owned()];
    lab.run().unwrap();
    // The other one vouches for the answers, but is not measured.
    assert_eq!((samples(&lab.entries(), "a"), samples(&lab.entries(), "b")), (0, CELLS * 3));
    lab.selection.algorithms = vec!["sha2".to_owned()];
    assert!(lab.run().unwrap_err().to_string().contains("there are md5, sha1"));
    lab.selection.runners = vec!["c".to_owned()];
    assert!(lab.run().unwrap_err().to_string().contains("there is no runner `c`; there are a, b"));
    lab.selection.runners.clear();
    lab.selection.profiles = vec!["old".to_owned()];
    assert!(lab.run().unwrap_err().to_string().contains("there is no profile `old`"));
    // A definition names what is there, too.
    lab.selection.profiles.clear();
    for (from, to, message) in [
        ("repeats = 2", "repeats = 2\nrunners = [\"a\", \"c\"]", "there is no runner `c`; there are a, b"),
        ("[[part]]", "[[part]]\nrunners = [\"c\"]", "there is no runner `c`; there are a, b"),
        ("repeats = 2", "repeats = 2\nprofiles = [\"tody\"]", "there is no profile `tody`; there are today"),
    ] {
        lab.experiment = EXPERIMENT.replace(from, to);
        assert!(lab.run().unwrap_err().to_string().contains(message), "{to}");
    }
}
