//! Faults of storage under `pfh lab run` of whole programs: each has an outcome, no run hangs, and nothing stays.
//!
//! Faults of the folder of `--corpus` are tested in `measuring/corpus.rs`, where mounts are held.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::fixture::*;
use crate::lab_programs::{of, on_device, run, trial};

/// A device that takes no time.
const FAST: &str = "bytes_per_second = 1e9\nremembered_seconds = 60\n";
/// A program that reads no contents: it shows that the others are measured where one fails.
const NAMES: &str = "[[program]]\nid = \"names\"\nlabel = \"names\"\ncommand = 'find \"$corpus\" -type f'\n";
const ALL: &str = r#"["pfh", "coreutils", "names"]"#;
const HINT: &str = "pfh: programs that failed have no times, and `--resume` does not try them again: mend the device or the \
                    program, or raise `task_seconds` where they only took too long, and run the experiment anew\n";

/// Mounts, files and processes that a run in a folder has left there.
fn left_behind(path: &Path) -> Vec<String> {
    let here = path.to_str().unwrap();
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let mounts = mounts.lines().filter(|line| line.contains(here)).map(str::to_owned);
    let files = names(&path.join("tmp")).into_iter().map(|name| format!("{}", name.display()));
    let processes = fs::read_dir("/proc").unwrap().flatten().filter_map(|process| {
        let command = fs::read(process.path().join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        command.contains(here).then_some(command)
    });
    mounts.chain(files).chain(processes).collect()
}

/// Asserts that both programs that read failed in the same way, and that the one that reads nothing was measured.
#[track_caller]
fn both_failed(device: &Path, ended: &Ended, results: &[Value], kind: &str, message: &str) {
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let failures = of(results, "failure");
    let told = |failure: &&Value| failure["kind"] == kind && failure["message"] == message;
    assert!(failures.len() == 2 && failures.iter().all(told), "{failures:?}");
    let samples = of(results, "sample");
    assert!(samples.len() == 3 && samples.iter().all(|sample| sample["runner"] == "names"), "{samples:?}");
    // Who runs it is told the program, its conditions, the device, the reason, and what can be done.
    for program in ["pfh", "coreutils"] {
        let line = format!(
            "pfh: {program} (today), program md5 120000, cache cold, corpus noise, device {}: {kind}: {message}\n",
            device.display()
        );
        assert!(ended.stderr.contains(&line), "{line}{}", ended.stderr);
    }
    assert!(ended.stderr.ends_with(HINT), "{}", ended.stderr);
}

/// Half a minute, of which a task has one second: nobody waits for the end.
#[test]
fn a_read_that_hangs_for_longer_than_a_task_is_given_up() {
    let directory = scratch();
    let path = directory.path();
    let device = format!("{FAST}[[stall]]\nafter_bytes = 30000\nseconds = 30\n");
    let began = Instant::now();
    let Some((ended, results)) = on_device(1, path, ALL, &device, "cold", NAMES) else { return };
    let message = "did not end within 1 s, the experiment's `task_seconds`";
    both_failed(&path.join("own.toml"), &ended, &results, "timeout", message);
    assert_eq!(left_behind(path), [""; 0]);
    pfh(path, ["lab", "report", "out"]).run().done();
    assert!(fs::read_to_string(path.join("out/report.md")).unwrap().contains("did not end within 1 s"));
    // Reading ahead of a run with a filled page cache hangs, too, and nothing is measured from it.
    fs::remove_dir_all(path.join("out")).unwrap();
    let Some((ended, results)) = on_device(1, path, r#"["pfh"]"#, &device, "cached", "") else { return };
    assert_eq!((ended.code(), of(&results, "sample").len()), (1, 0), "{}", ended.stderr);
    let failure = of(&results, "failure")[0];
    assert_eq!(failure["kind"], "timeout");
    let told = failure["message"].as_str().unwrap();
    assert!(told.starts_with("the page cache cannot be filled from `noise/0000/00000"), "{told}");
    assert!(told.ends_with("`: no answer for 1 s, the experiment's `task_seconds`"), "{told}");
    assert_eq!(left_behind(path), [""; 0]);
    assert!(began.elapsed() < Duration::from_secs(29), "{:?}", began.elapsed());
}

/// A second, of which a task has sixty. It stands for half a minute: only whether a stall is longer than a task counts.
#[test]
fn a_read_that_hangs_for_less_than_a_task_is_a_part_of_its_time() {
    let directory = scratch();
    let path = directory.path();
    let device = format!("{FAST}[[stall]]\nafter_bytes = 30000\nseconds = 1\n");
    for cache in ["cold", "cached"] {
        let _ = fs::remove_dir_all(path.join("out"));
        let Some((ended, results)) = on_device(60, path, r#"["pfh"]"#, &device, cache, "") else { return };
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        assert!(!ended.stderr.contains("programs that failed"), "{}", ended.stderr);
        let samples = of(&results, "sample");
        let times: Vec<u64> = samples.iter().filter_map(|sample| sample["wall_ns"].as_u64()).collect();
        // Each cold run has a mount with a stall of its own; only the filling of the page cache meets it otherwise.
        let hung = times.iter().filter(|&&ns| ns > 1_000_000_000).count();
        assert_eq!((times.len(), hung), (3, if cache == "cold" { 3 } else { 0 }), "{cache}: {times:?}");
        assert_eq!(left_behind(path), [""; 0]);
    }
}

#[test]
fn one_file_that_cannot_be_read_is_named_and_the_others_are_measured() {
    let directory = scratch();
    let path = directory.path();
    let device = format!("{FAST}[[bad]]\nfile = \"noise/0000/0000003.bin\"\noffset = 0\nlength = 4096\n");
    let Some((ended, results)) = on_device(60, path, r#"["coreutils", "names"]"#, &device, "cold", NAMES) else {
        return;
    };
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let failures = of(&results, "failure");
    let message = "ended with status 123: md5sum: noise/0000/0000003.bin: Input/output error";
    assert!(failures.len() == 1 && failures[0]["message"] == message, "{failures:?}");
    let line = format!("device {}: error: {message}\n", path.join("own.toml").display());
    assert!(ended.stderr.contains(&line) && ended.stderr.ends_with(HINT), "{}", ended.stderr);
    assert_eq!(of(&results, "sample").len(), 3);
    assert_eq!(left_behind(path), [""; 0]);
}

/// 120 kB at 50 kB/s take 2.4 s.
#[test]
fn a_device_that_is_too_slow_for_a_task_is_a_timeout_and_is_measured_with_more_time() {
    let directory = scratch();
    let path = directory.path();
    let device = "bytes_per_second = 50e3\nremembered_seconds = 60\n";
    let Some((ended, results)) = on_device(1, path, ALL, device, "cold", NAMES) else { return };
    let message = "did not end within 1 s, the experiment's `task_seconds`";
    both_failed(&path.join("own.toml"), &ended, &results, "timeout", message);
    assert_eq!(left_behind(path), [""; 0]);
    fs::remove_dir_all(path.join("out")).unwrap();
    // Filling the page cache is no task: it may take longer than one, as long as something comes.
    let Some((ended, results)) = on_device(2, path, r#"["pfh"]"#, device, "cached", "") else { return };
    assert_eq!((ended.code(), of(&results, "sample").len()), (0, 3), "{}", ended.stderr);
    fs::remove_dir_all(path.join("out")).unwrap();
    let Some((ended, results)) = on_device(60, path, r#"["pfh"]"#, device, "cold", "rounds = 1") else { return };
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let samples = of(&results, "sample");
    assert!(samples.len() == 1 && samples[0]["wall_ns"].as_u64().unwrap() > 2_000_000_000, "{samples:?}");
    assert_eq!(left_behind(path), [""; 0]);
}

/// Reads that fail are failures of the programs that met them: no time is saved, and the others are measured.
#[test]
fn a_corpus_whose_reads_fail_gives_failures_and_no_times() {
    let device = "bytes_per_second = 1e9\nremembered_seconds = 60\n[[bad]]\none_in = 1\noffset = 0\nlength = 4096\n";
    let more = "[[program]]\nid = \"names\"\nlabel = \"names\"\ncommand = 'find \"$corpus\" -type f'\n";
    let programs = r#"["pfh", "coreutils", "names"]"#;
    let directory = scratch();
    let Some((ended, results)) = on_device(60, directory.path(), programs, device, "cold", more) else { return };
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let failures: BTreeSet<[&str; 3]> = of(&results, "failure")
        .iter()
        .map(|failure| ["runner", "kind", "message"].map(|name| failure[name].as_str().unwrap()))
        .collect();
    let kinds: Vec<_> = failures.iter().map(|[runner, kind, _]| (*runner, *kind)).collect();
    assert_eq!(kinds, [("coreutils", "error"), ("pfh", "error")]);
    let [md5sum, hash] =
        ["coreutils", "pfh"].map(|runner| failures.iter().find(|[one, ..]| *one == runner).unwrap()[2]);
    // The first file of twelve; the directory tells them in any order.
    assert!(md5sum.starts_with("ended with status 123: md5sum: noise/0000/00000"), "{md5sum}");
    assert!(md5sum.ends_with(".bin: Input/output error (and 11 lines more)"), "{md5sum}");
    assert!(hash.starts_with("ended with status 3: pfh: `noise/0000/00000"), "{hash}");
    assert!(hash.contains(".bin`: Input/output error (os error 5)"), "{hash}");
    let measured: BTreeSet<&str> =
        of(&results, "sample").iter().filter_map(|sample| sample["runner"].as_str()).collect();
    assert_eq!(measured, BTreeSet::from(["names"]));
    let facts = &of(&results, "device").into_iter().find(|device| device["simulated"] == true).unwrap()["facts"];
    assert!(facts["behaviour"].as_str().unwrap().starts_with("1000 MB/s, 1 at once, names remembered"), "{facts}");
    pfh(directory.path(), ["lab", "report", "out"]).run().done();
    let page = fs::read_to_string(directory.path().join("out/report.md")).unwrap();
    assert!(page.contains("ended with status 123") && page.contains("What failed"), "{page}");
    // The page cache cannot be filled from it either.
    let directory = scratch();
    let Some((ended, results)) = on_device(60, directory.path(), programs, device, "cached", more) else { return };
    assert_eq!((ended.code(), of(&results, "sample").len()), (1, 0), "{}", ended.stderr);
    let told = "the page cache cannot be filled from `noise/0000/0000000.bin`: Input/output error (os error 5)";
    assert!(of(&results, "failure").iter().all(|failure| failure["message"] == told), "{}", ended.stderr);
    assert_eq!(left_behind(directory.path()), [""; 0]);
}

/// The program of a mount is killed under the program that is measured: one failure, and a new mount for the next.
#[test]
fn a_mount_that_vanishes_is_a_failure_of_one_cell() {
    let directory = scratch();
    let path = directory.path();
    let kill = format!(
        "case $PWD in */pfh-lab-*/mount) kill -9 $(pgrep -f \"device {}/own\\.toml\") && sleep 0.3;; esac",
        path.display()
    );
    let more =
        format!("[[program]]\nid = \"killer\"\nlabel = \"killer\"\ncommand = '{kill}; ls \"$corpus\"; exit $?'\n");
    for cache in ["cold", "cached"] {
        let _ = fs::remove_dir_all(path.join("out"));
        // A cold run takes 12 × 50 ms.
        let device = "bytes_per_second = 1e9\nread_seconds = 0.05\nremembered_seconds = 60\n";
        let Some((ended, results)) = on_device(60, path, r#"["pfh", "killer"]"#, device, cache, &more) else { return };
        assert_eq!(ended.code(), 1, "{}", ended.stderr);
        let failures = of(&results, "failure");
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert_eq!((&failures[0]["runner"], &failures[0]["kind"]), (&json!("killer"), &json!("error")));
        assert!(failures[0]["message"].as_str().unwrap().contains("not connected"), "{failures:?}");
        let samples = of(&results, "sample");
        let times: Vec<u64> = samples.iter().filter_map(|sample| sample["wall_ns"].as_u64()).collect();
        assert!(times.len() == 3 && samples.iter().all(|sample| sample["runner"] == "pfh"), "{samples:?}");
        // The page cache of a new mount is empty: it is filled again before a run that is called cached.
        assert!(times.iter().all(|&ns| (ns < 500_000_000) == (cache == "cached")), "{cache}: {times:?}");
        assert_eq!(left_behind(path), [""; 0]);
    }
}

/// A run is killed together with the program of its mount: the next run takes the dead mount away.
#[test]
fn a_dead_mount_of_a_killed_run_is_taken_away() {
    let directory = scratch();
    let path = directory.path();
    let Some((ended, _)) = on_device(60, path, r#"["pfh"]"#, FAST, "cold", "") else { return };
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    fs::remove_dir_all(path.join("out")).unwrap();
    // A cold run takes 12 × 0.5 s.
    fs::write(path.join("own.toml"), "bytes_per_second = 1e9\nread_seconds = 0.5\nremembered_seconds = 60\n").unwrap();
    let words = ["lab", "run", "./test.toml", "-o", "out", "--profile", "today", "--progress", "never"];
    let places = [("XDG_CACHE_HOME", path.join("cache")), ("TMPDIR", path.join("tmp"))];
    let running = pfh(path, words).with(|command| command.envs(places)).start();
    let mounts = || left_behind(path).into_iter().filter(|left| left.contains("/mount fuse")).count();
    eventually("the program is measured", || {
        let results = fs::read_to_string(path.join("out/results.jsonl")).unwrap_or_default();
        results.contains("\"type\":\"truth\"") && mounts() == 1
    });
    // It has no time to unmount.
    running.signal(Signal::STOP);
    let kill = format!("kill -9 $(pgrep -f 'device {}/own\\.toml')", path.display());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    running.signal(Signal::KILL);
    assert_eq!(running.end().code(), 137);
    assert_eq!(mounts(), 1);
    fs::remove_dir_all(path.join("out")).unwrap();
    let (ended, _) = on_device(60, path, r#"["pfh"]"#, FAST, "cold", "").unwrap();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(left_behind(path), [""; 0]);
}

/// A folder on a device of the user's whose files are gone in the middle, as those of a stick that was pulled out.
#[test]
fn a_device_of_the_user_that_loses_its_files_is_a_failure_of_its_cells() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("stick")).unwrap();
    let more = "[[program]]\nid = \"puller\"\nlabel = \"puller\"\n\
                command = 'case $PWD in */stick/*) rm -r noise;; esac; ls noise'\n";
    let definition = trial(r#"["pfh", "puller"]"#, &format!("device = [\"here\", \"stick\"]\n{more}"))
        .replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]")
        .replace("cache = [\"cached\"]", "cache = [\"cold\"]");
    let (ended, results) =
        run(path, &definition, &["--device", "here", "--device", "stick=stick", "--profile", "today"]);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let told: BTreeSet<(&str, &str)> = of(&results, "failure")
        .iter()
        .map(|failure| (failure["runner"].as_str().unwrap(), failure["message"].as_str().unwrap()))
        .collect();
    let expected = [
        (
            "pfh",
            "the corpus `noise` on the device `stick` cannot be counted: `noise`: No such file or directory (os error 2)",
        ),
        ("puller", "ended with status 2: ls: cannot access 'noise': No such file or directory"),
    ];
    assert_eq!(told, expected.into());
    assert!(of(&results, "failure").iter().all(|failure| failure["dimensions"]["device"] == "stick"));
    let here = of(&results, "sample").iter().filter(|sample| sample["dimensions"]["device"] == "here").count();
    assert!(here == 6 && ended.stderr.ends_with(HINT), "{}", ended.stderr);
    assert!(names(&path.join("stick")).is_empty(), "the copy was left behind");
}

/// Three files are enough for a simulated device, too; none are refused before it is mounted.
#[test]
fn three_files_on_a_simulated_device_are_measured_and_none_are_refused() {
    let directory = scratch();
    let path = directory.path();
    let more = "[[corpus]]\nname = \"three\"\nkind = \"noise\"\nfiles = 3\nbytes = 3000\n\
                [[corpus]]\nname = \"nothing\"\nkind = \"command\"\ncommand = \"true\"\n\
                [[trial]]\ntitle = \"Three\"\nprograms = [\"pfh\"]\nalgorithms = [\"md5\"]\ncorpus = [\"three\"]\n\
                device = [\"ssd\"]\ncache = [\"cold\"]\n\
                [[trial]]\ntitle = \"Nothing\"\nprograms = [\"pfh\"]\nalgorithms = [\"md5\"]\ncorpus = [\"nothing\"]\n\
                device = [\"ssd\"]\ncache = [\"cold\"]\n";
    let definition = trial(r#"["pfh"]"#, more);
    let (ended, results) = run(path, &definition, &["--comparison", "three/three/md5/cold", "--profile", "today"]);
    if of(&results, "failure").iter().any(|failure| failure["message"].to_string().contains("cannot be simulated")) {
        return skipped(Need::Fuse, &ended.stderr);
    }
    assert_eq!((ended.code(), of(&results, "sample").len()), (0, 3), "{}", ended.stderr);
    assert_eq!(of(&results, "corpus")[0]["files"], 3);
    assert_eq!(left_behind(path), [""; 0]);
    fs::remove_dir_all(path.join("out")).unwrap();
    let (ended, results) = run(path, &definition, &["--comparison", "nothing/nothing/md5/cold", "--profile", "today"]);
    assert_eq!((ended.code(), of(&results, "sample").len()), (2, 0), "{}", ended.stderr);
    assert!(ended.stderr.ends_with("pfh: the corpus `nothing` has no files\n"), "{}", ended.stderr);
    assert_eq!(left_behind(path), [""; 0]);
}
