//! Whole programs as contenders of `pfh lab run`: real ones, liars, and those that fail.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pfh_testing::{Need, skipped};
use serde_json::{Value, json};

use crate::fixture::*;

const HEAD: &str = r#"
title = "A test"
question = "Does it run?"
rounds = 3
repeats = 1
task_seconds = 60

[[corpus]]
name = "noise"
kind = "noise"
files = 12
bytes = 120000

[[corpus]]
name = "documents"
kind = "documents"
files = 10
bytes = 100000

[[program]]
id = "pfh"
label = "pfh"
version = '"$pfh" --version'
command = '"$pfh" hash -a "$algorithm" ${threads:+-t "$threads"} "$corpus"'
list = "digests"
takes = ["threads"]
profiles.baseline = { PFH_BACKEND = "portable" }

[[program]]
id = "coreutils"
label = "coreutils"
needs = ["find", "xargs"]
command = 'find "$corpus" -type f -print0 | xargs -0 "${algorithm}sum"'
list = "digests"
"#;

/// Runs a definition and returns how it ended, and its results.
fn run(directory: &Path, definition: &str, arguments: &[&str]) -> (Ended, Vec<Value>) {
    fs::write(directory.join("test.toml"), definition).unwrap();
    let all = ["lab", "run", "./test.toml", "-o", "out", "--seed", "1", "--progress", "never"];
    let run = pfh(directory, all.into_iter().chain(arguments.iter().copied()));
    let ended = run.with(|command| command.env("XDG_CACHE_HOME", directory.join("cache"))).run();
    let text = fs::read_to_string(directory.join("out/results.jsonl")).unwrap_or_default();
    (ended, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn of<'a>(results: &'a [Value], kind: &str) -> Vec<&'a Value> {
    results.iter().filter(|entry| entry["type"] == kind).collect()
}

fn trial(programs: &str, rest: &str) -> String {
    format!(
        "{HEAD}\n[[trial]]\ntitle = \"T\"\nprograms = {programs}\nalgorithms = [\"md5\", \"sha256\"]\n\
         corpus = [\"noise\"]\ncache = [\"cached\"]\n{rest}\n"
    )
}

#[test]
fn programs_are_measured_and_agree() {
    let directory = scratch();
    let definition = trial(r#"["pfh", "coreutils"]"#, "dimensions = { threads = [\"1\", \"2\"] }")
        .replace("cache = [\"cached\"]", "cache = [\"cached\", \"cold\"]")
        .replace("corpus = [\"noise\"]", "corpus = [\"noise\", \"documents\"]");
    let (ended, results) = run(directory.path(), &definition, &[]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    // Two algorithms, corpora and cache states; pfh also with two numbers of threads and two profiles.
    let samples = of(&results, "sample");
    let count = |program: &str| samples.iter().filter(|sample| sample["runner"] == program).count();
    assert_eq!((count("pfh"), count("coreutils")), (2 * 2 * 2 * 2 * 2 * 3, 2 * 2 * 2 * 3));
    for sample in &samples {
        assert!(sample["wall_ns"].as_u64().unwrap() > 0 && sample["mode"] == "program", "{sample}");
        let has_threads = sample["dimensions"].get("threads").is_some();
        assert_eq!(has_threads, sample["runner"] == "pfh", "a dimension that a program does not take: {sample}");
        assert_eq!(sample["dimensions"]["device"], "here");
    }
    for truth in of(&results, "truth") {
        assert_eq!(truth["witnesses"], json!(["coreutils", "pfh"]), "{truth}");
    }
    assert_eq!(of(&results, "truth").len(), 4);
    let devices = of(&results, "device");
    assert!(devices.len() == 1 && devices[0]["simulated"] == false && devices[0]["facts"]["filesystem"].is_string());
    let costs: Vec<u64> = of(&results, "cost").iter().filter_map(|cost| cost["peak_bytes"].as_u64()).collect();
    assert!(costs.len() == samples.len() && costs.iter().all(|&bytes| bytes > 0));
    // Nothing stays but the results.
    let left: Vec<_> = fs::read_dir(directory.path().join("out")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["results.jsonl"]);
    let (again, _) = run(directory.path(), &definition, &["--resume"]);
    assert!(again.code() == 0 && again.stderr.contains(", 0 samples"), "{}", again.stderr);
    let ended = pfh(directory.path(), ["lab", "report", "out"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let page = fs::read_to_string(directory.path().join("out/report.md")).unwrap();
    assert!(page.contains("| coreutils | cold, noise") && page.contains("real; "), "{page}");
}

#[test]
fn a_program_that_disagrees_fails_or_hangs_is_a_finding() {
    let directory = scratch();
    let more = r#"
[[program]]
id = "liar"
label = "liar"
command = 'find "$corpus" -type f -print0 | xargs -0 md5sum | sed s/./0/'
list = "digests"

[[program]]
id = "lazy"
label = "lazy"
command = 'find "$corpus" -type f | head -n 3 | xargs md5sum'
list = "digests"

[[program]]
id = "broken"
label = "broken"
command = 'echo "no disk today" >&2; exit 7'

[[program]]
id = "hanging"
label = "hanging"
command = 'sleep 600'

[[program]]
id = "keeper"
label = "keeper"
command = 'echo "$files files"'
keep = "kept.txt"

[[program]]
id = "absent"
label = "absent"
needs = ["a-program-that-nobody-has"]
command = 'a-program-that-nobody-has'
"#;
    let definition = trial(r#"["pfh", "liar", "lazy", "broken", "hanging", "keeper", "absent"]"#, more)
        .replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]")
        .replace("task_seconds = 60", "task_seconds = 5");
    let (ended, results) = run(directory.path(), &definition, &["--profile", "today"]);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let failures: BTreeSet<(String, String)> = of(&results, "failure")
        .iter()
        .map(|failure| (failure["runner"].as_str().unwrap().to_owned(), failure["kind"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [("broken", "error"), ("hanging", "timeout"), ("lazy", "wrong-answer"), ("liar", "wrong-answer")];
    assert_eq!(failures, expected.map(|(id, kind)| (id.to_owned(), kind.to_owned())).into());
    let measured: BTreeSet<&str> =
        of(&results, "sample").iter().filter_map(|sample| sample["runner"].as_str()).collect();
    assert_eq!(measured, BTreeSet::from(["keeper", "pfh"]));
    assert_eq!(fs::read(directory.path().join("out/kept.txt")).unwrap(), b"12 files\n");
    let absent = of(&results, "runner").into_iter().find(|runner| runner["runner"] == "absent").unwrap();
    assert_eq!(absent["unavailable"], "`a-program-that-nobody-has` is not installed");
}

#[test]
fn files_and_devices_of_the_user() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir_all(path.join("mine/below")).unwrap();
    fs::create_dir_all(path.join("stick")).unwrap();
    fs::write(path.join("mine/a"), b"abc").unwrap();
    fs::write(path.join("mine/below/b"), b"defgh").unwrap();
    let definition = trial(r#"["pfh"]"#, "device = [\"stick\", \"elsewhere\"]");
    let options = ["--corpus", "mine", "--device", "stick=stick", "--profile", "today", "--algorithm", "md5"];
    let (ended, results) = run(path, &definition, &options);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let samples = of(&results, "sample");
    assert_eq!(samples.len(), 3);
    assert_eq!((&samples[0]["bytes"], &samples[0]["count"]), (&json!(8), &json!(2)));
    assert_eq!(samples[0]["dimensions"]["device"], "stick");
    assert_eq!(fs::read_dir(path.join("stick")).unwrap().count(), 0, "the copy was left behind");
    for (option, message) in
        [(["--device", "floppy"], "no device in this experiment called `floppy`"), (["--corpus", "nowhere"], "nowhere")]
    {
        fs::remove_dir_all(path.join("out")).unwrap();
        let (ended, _) = run(path, &definition, &option);
        assert!(ended.code() == 2 && ended.stderr.contains(message), "{}", ended.stderr);
        fs::create_dir_all(path.join("out")).unwrap();
    }
}

/// A device that is 20 times as slow shows as one, and its digests are the same.
#[test]
fn a_simulated_device_is_mounted_for_each_cold_run() {
    if !Path::new("/dev/fuse").exists() {
        return skipped(Need::Fuse, "there is no /dev/fuse");
    }
    let directory = scratch();
    let definition = trial(r#"["pfh", "coreutils"]"#, "device = [\"here\", \"hdd\"]")
        .replace("cache = [\"cached\"]", "cache = [\"cold\"]")
        .replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]");
    let (ended, results) = run(directory.path(), &definition, &["--profile", "today"]);
    let told = of(&results, "failure").first().map(|failure| failure["message"].to_string()).unwrap_or_default();
    if told.contains("fusermount") || told.contains("feature") || told.contains("slowfs") {
        return skipped(Need::Fuse, &told);
    }
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let devices = of(&results, "device");
    assert!(devices.iter().any(|device| device["device"] == "hdd" && device["simulated"] == true));
    let slow: Vec<u64> = of(&results, "sample")
        .iter()
        .filter(|sample| sample["dimensions"]["device"] == "hdd")
        .filter_map(|sample| sample["wall_ns"].as_u64())
        .collect();
    // Twelve files, eleven seeks of 8 ms at least, in each run.
    assert!(slow.len() == 6 && slow.iter().all(|&ns| ns > 88_000_000), "{slow:?}");
}

#[test]
fn definitions_that_cannot_be_meant_are_refused() {
    let directory = scratch();
    for (rest, message) in [
        ("device = []", "empty list"),
        ("dimensions = { cache = [\"1\"] }", "cannot be called `cache`"),
        ("dimensions = { Threads = [\"1\"] }", "cannot be called `Threads`"),
        ("rounds = 0", "`rounds` is 1 to 1000"),
        ("surprise = 1", "surprise"),
    ] {
        let (ended, results) = run(directory.path(), &trial(r#"["pfh"]"#, rest), &[]);
        assert!(ended.code() == 2 && ended.stderr.contains(message) && results.is_empty(), "{}", ended.stderr);
    }
    for (from, to, message) in [
        ("programs = [\"pfh\"]", "programs = [\"pft\"]", "there is no program `pft`"),
        ("corpus = [\"noise\"]", "corpus = [\"silence\"]", "there is no corpus `silence`"),
        ("files = 12", "files = 0", "corpus `noise`"),
        ("name = \"documents\"", "name = \"noise\"", "two of corpus `noise`"),
        ("takes = [\"threads\"]", "keep = \"../kept\"", "without folders"),
    ] {
        let definition = trial(r#"["pfh"]"#, "").replace(from, to);
        let (ended, _) = run(directory.path(), &definition, &[]);
        assert!(ended.code() == 2 && ended.stderr.contains(message), "{}", ended.stderr);
    }
}
