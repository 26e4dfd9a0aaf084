//! Whole programs as contenders of `pfh lab run`: real ones, liars, and those that fail.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

use pfh_testing::{Need, skipped};
use rustix::process::Signal;
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
pub(crate) fn run(directory: &Path, definition: &str, arguments: &[&str]) -> (Ended, Vec<Value>) {
    fs::write(directory.join("test.toml"), definition).unwrap();
    // Simulated devices are mounted there.
    fs::create_dir_all(directory.join("tmp")).unwrap();
    let all = ["lab", "run", "./test.toml", "-o", "out", "--seed", "1", "--progress", "never"];
    let run = pfh(directory, all.into_iter().chain(arguments.iter().copied()));
    let ended = run
        .with(|command| command.env("XDG_CACHE_HOME", directory.join("cache")).env("TMPDIR", directory.join("tmp")))
        .run();
    let text = fs::read_to_string(directory.join("out/results.jsonl")).unwrap_or_default();
    (ended, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

pub(crate) fn of<'a>(results: &'a [Value], kind: &str) -> Vec<&'a Value> {
    results.iter().filter(|entry| entry["type"] == kind).collect()
}

pub(crate) fn trial(programs: &str, rest: &str) -> String {
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

/// Lists of similarity digests lack files that are too short, and those of digests do not.
#[test]
fn a_program_may_print_another_list_with_some_algorithms() {
    let directory = scratch();
    let definition = |lists: &str| {
        trial(r#"["pfh"]"#, "candidate = \"pfh\"")
            .replace("[\"md5\", \"sha256\"]", "[\"md5\", \"tlsh\"]")
            .replace("bytes = 120000", "bytes = 120")
            .replacen("list = \"digests\"\n", &format!("list = \"digests\"\n{lists}"), 1)
    };
    let (ended, _) = run(directory.path(), &definition(""), &["--profile", "today"]);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let directory = scratch();
    let lists = "lists = { tlsh = \"similarity\" }\n";
    let (ended, results) = run(directory.path(), &definition(lists), &["--profile", "today"]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(of(&results, "truth").len(), 2);
    let unknown = definition(lists).replace("candidate = \"pfh\"", "candidate = \"coreutils\"");
    let (ended, _) = run(directory.path(), &unknown, &[]);
    assert_eq!(ended.code(), 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("its candidate `coreutils` is not among its `programs`"), "{}", ended.stderr);
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
    let definition = trial(r#"["pfh", "coreutils", "liar", "lazy", "broken", "hanging", "keeper", "absent"]"#, more)
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
    let told = |runner: &str| {
        let failure = of(&results, "failure").into_iter().find(|failure| failure["runner"] == runner).unwrap();
        failure["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(told("broken"), "ended with status 7: no disk today");
    assert_eq!(told("hanging"), "did not end within 5 s, the experiment's `task_seconds`");
    let measured: BTreeSet<&str> =
        of(&results, "sample").iter().filter_map(|sample| sample["runner"].as_str()).collect();
    assert_eq!(measured, BTreeSet::from(["coreutils", "keeper", "pfh"]));
    let output = of(&results, "output");
    assert_eq!(output.len(), 1);
    assert_eq!((&output[0]["runner"], &output[0]["name"]), (&json!("keeper"), &json!("kept.txt")));
    assert_eq!(output[0]["text"], "12 files\n");
    let ended = pfh(directory.path(), ["lab", "report", "out"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let page = fs::read_to_string(directory.path().join("out/report.md")).unwrap();
    assert!(page.contains("keeper: kept.txt") && page.contains("12 files\n"), "{page}");
    let absent = of(&results, "runner").into_iter().find(|runner| runner["runner"] == "absent").unwrap();
    assert_eq!(absent["unavailable"], "`a-program-that-nobody-has` is not installed");
}

/// Results have one definition, so an edited file changes nothing, and nobody is left to believe that it does.
#[test]
fn results_are_continued_with_their_own_definition_which_is_said() {
    let directory = scratch();
    let definition = trial(r#"["pfh"]"#, "");
    let note = "is continued with the definition that it holds, and not with that of `test`, which is another now";
    run(directory.path(), &definition, &["--profile", "today"]);
    for (given, is_said) in
        [(format!("# A remark.\n{definition}"), false), (definition.replace("rounds = 3", "rounds = 9"), true)]
    {
        let (ended, results) = run(directory.path(), &given, &["--profile", "today", "--resume"]);
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        assert_eq!(ended.stderr.contains(note), is_said, "{}", ended.stderr);
        assert_eq!(of(&results, "sample").len(), 6);
    }
}

/// The time over a corpus that lost files is the time of less work, whoever took them.
#[test]
fn a_corpus_that_is_changed_gives_no_times() {
    let eater = |what: &str| {
        format!("[[program]]\nid = \"eater\"\nlabel = \"eater\"\ncommand = 'find \"$corpus\" -type f | {what}'")
    };
    for (device, what, told) in [
        // Lists are printed on the disk of the results, so that the files there are fewer before the first time.
        ("here", "head -n 1 | xargs rm", "was changed: it has 11 files with "),
        // Elsewhere the first run that is timed takes the first file.
        ("stick", "head -n 1 | xargs rm", "was changed: it has 11 files with "),
        ("here", "while read -r file; do : > \"$file\"; done", "it has 12 files with 0 bytes, and its record says 12"),
        ("here", "cat > /dev/null; rm -r \"$corpus\"", "cannot be counted: `noise`: "),
    ] {
        let directory = scratch();
        fs::create_dir_all(directory.path().join("stick")).unwrap();
        let more = format!("device = [\"{device}\"]\n{}", eater(what));
        let definition =
            trial(r#"["eater"]"#, &more).replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]");
        let places: &[&str] = if device == "stick" { &["--device", "stick=stick"] } else { &[] };
        let (ended, results) = run(directory.path(), &definition, &[places, &["--profile", "today"]].concat());
        assert_eq!(ended.code(), 1, "{}", ended.stderr);
        assert_eq!(of(&results, "sample").len(), 0, "{what} on {device}");
        let failure = of(&results, "failure")[0];
        assert_eq!(failure["kind"], "error");
        let message = failure["message"].as_str().unwrap();
        let place = format!("the corpus `noise` on the device `{device}` ");
        assert!(message.starts_with(&place) && message.contains(told), "{message}");
    }
}

/// Whoever is named first is not right for that: the list of most programs is.
#[test]
fn a_program_that_disagrees_is_wrong_where_others_agree() {
    let directory = scratch();
    let path = directory.path();
    let liar = "[[program]]\nid = \"liar\"\nlabel = \"liar\"\nlist = \"digests\"\n\
                command = 'find \"$corpus\" -type f -print0 | xargs -0 md5sum | sed s/^................................/00000000000000000000000000000000/'\n";
    let definition = trial(r#"["liar", "pfh", "coreutils"]"#, "")
        .replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]")
        .replacen("[[program]]\nid = \"pfh\"", &format!("{liar}\n[[program]]\nid = \"pfh\""), 1);
    let answers = |results: &[Value]| -> Vec<(String, Value)> {
        let told = |truth: &&Value| (truth["witnesses"].to_string(), truth["list"]["doubt"].clone());
        of(results, "truth").iter().map(told).collect()
    };
    let measured = |results: &[Value]| -> BTreeSet<String> {
        of(results, "sample").iter().map(|sample| sample["runner"].as_str().unwrap().to_owned()).collect()
    };
    let page = || {
        pfh(path, ["lab", "report", "out"]).run().done();
        fs::read_to_string(path.join("out/report.md")).unwrap()
    };
    let today = ["--profile", "today"];
    let (ended, results) = run(path, &definition, &today);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let failures = of(&results, "failure");
    assert!(failures.len() == 1 && failures[0]["runner"] == "liar", "{failures:?}");
    assert!(failures[0]["message"].as_str().unwrap().starts_with("disagrees with coreutils, pfh: 12 files missing"));
    assert_eq!(measured(&results), ["coreutils", "pfh"].map(str::to_owned).into());
    assert_eq!(answers(&results), [(r#"["coreutils","pfh"]"#.to_owned(), Value::Null)]);
    assert!(!page().contains("Nobody confirms these"));
    // One against one: nobody knows who lies.
    fs::remove_dir_all(path.join("out")).unwrap();
    let two = [&today[..], &["--runner", "liar", "--runner", "pfh"]].concat();
    let (ended, results) = run(path, &definition, &two);
    let dispute = "pfh: md5 over `noise`: pfh disagrees with liar: 12 files missing";
    assert!(ended.stderr.contains(dispute), "{}", ended.stderr);
    assert!(ended.code() == 1 && ended.stderr.contains(", 1 disagreement among programs"), "{}", ended.stderr);
    assert_eq!(measured(&results), ["liar", "pfh"].map(str::to_owned).into());
    let disputed = |id: &str| (format!("[\"{id}\"]"), json!("disputed"));
    assert_eq!(answers(&results), ["liar", "pfh"].map(disputed));
    let told = page();
    assert!(told.contains("Nobody confirms these") && told.contains("Programs print different lists"), "{told}");
    assert!(!told.contains("These agreed"), "{told}");
    let (ended, _) = run(path, &definition, &[&two[..], &["--resume"]].concat());
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    // A third one decides, also of what was measured before.
    let (ended, results) = run(path, &definition, &[&today[..], &["--resume"]].concat());
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    assert_eq!(of(&results, "failure").len(), 1);
    assert_eq!(answers(&results)[2..], [(r#"["coreutils","pfh"]"#.to_owned(), Value::Null)]);
    assert!(!page().contains("Nobody confirms these"));
    // Alone, nobody is confirmed.
    fs::remove_dir_all(path.join("out")).unwrap();
    let (ended, results) = run(path, &definition, &[&today[..], &["--runner", "liar"]].concat());
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(answers(&results), [(r#"["liar"]"#.to_owned(), json!("alone"))]);
    let told = page();
    assert!(told.contains("Nobody confirms these") && !told.contains("These agreed"), "{told}");
}

/// Programs that are measured one after the other confirm and contradict each other as others do.
#[test]
fn lists_of_earlier_runs_count() {
    let directory = scratch();
    let path = directory.path();
    let program = |(id, more): (&str, &str)| {
        format!(
            "[[program]]\nid = \"{id}\"\nlabel = \"{id}\"\nlist = \"digests\"\n\
             command = 'find \"$corpus\" -type f -print0 | xargs -0 md5sum{more}'\n"
        )
    };
    let programs = [("honest", ""), ("second", ""), ("liar", " | sed s/^......../00000000/")].map(program).concat();
    let definition = trial(r#"["honest", "second", "liar"]"#, &programs)
        .replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]");
    let begin = |runners: &[&str]| {
        let _ = fs::remove_dir_all(path.join("out"));
        run(path, &definition, runners).0.code()
    };
    let resume = |options: &[&str]| run(path, &definition, &[&["--resume"][..], options].concat());
    let answers = |results: &[Value]| -> Vec<(String, Value)> {
        let told = |truth: &&Value| (truth["witnesses"].to_string(), truth["list"]["doubt"].clone());
        of(results, "truth").iter().map(told).collect()
    };
    let failures = |results: &[Value]| -> Vec<(Value, Value)> {
        let told = |failure: &&Value| (failure["runner"].clone(), failure["message"].clone());
        of(results, "failure").iter().map(told).collect()
    };
    let page = || {
        pfh(path, ["lab", "report", "out"]).run().done();
        fs::read_to_string(path.join("out/report.md")).unwrap()
    };
    let [alone, disputed] = ["alone", "disputed"].map(|doubt| json!(doubt));
    let [honest, liar, both] = [r#"["honest"]"#, r#"["liar"]"#, r#"["honest","second"]"#].map(str::to_owned);
    let caught = [(json!("liar"), json!("printed another list in an earlier run than honest, second"))];
    // The liar comes later: nobody knows who lies, whoever is asked again, until a third one tells.
    assert_eq!(begin(&["--runner", "honest"]), 0);
    let (ended, results) = resume(&["--runner", "liar"]);
    let dispute = "pfh: md5 over `noise`: liar disagrees with what was printed in an earlier run by honest; ";
    assert!(ended.code() == 1 && ended.stderr.contains(dispute), "{}", ended.stderr);
    let doubtful = [(honest.clone(), alone), (liar, disputed.clone()), (honest, disputed)];
    assert_eq!(answers(&results), doubtful);
    let told = page();
    assert!(told.contains("Programs print different lists"), "{told}");
    assert_eq!(told.matches(" | others disagree, ").count(), 2, "{told}");
    assert!(!told.contains("no other implementation printed a whole list"), "{told}");
    let (ended, results) = resume(&["--rounds", "4", "--runner", "honest"]);
    assert_eq!((ended.code(), answers(&results)), (1, doubtful.to_vec()), "{}", ended.stderr);
    let (ended, results) = resume(&["--runner", "second"]);
    assert_eq!((ended.code(), failures(&results)), (1, caught.to_vec()), "{}", ended.stderr);
    assert_eq!(answers(&results)[3..], [(both.clone(), Value::Null)]);
    let told = page();
    assert!(told.contains("wrong answer | printed another list") && !told.contains("Nobody confirms these"), "{told}");
    // The liar comes first.
    assert_eq!(begin(&["--runner", "liar"]), 0);
    let (ended, results) = resume(&["--runner", "honest", "--runner", "second"]);
    assert_eq!((ended.code(), failures(&results)), (1, caught.to_vec()), "{}", ended.stderr);
    let measured = pfh_lab::measurements::Measurements::open(&path.join("out")).unwrap();
    assert_eq!(measured.runner_ids("today"), ["honest", "second"]);
    // Nobody lies.
    assert_eq!(begin(&["--runner", "honest"]), 0);
    let (ended, results) = resume(&["--runner", "second"]);
    assert_eq!((ended.code(), failures(&results)), (0, Vec::new()), "{}", ended.stderr);
    assert_eq!(answers(&results)[1..], [(both, Value::Null)]);
    assert!(!page().contains("Nobody confirms these"));
}

/// A program that changes between two runs is not believed because it is asked alone, nor its versions mixed.
#[test]
fn a_program_that_changes_before_it_is_continued_is_found() {
    let directory = scratch();
    let path = directory.path();
    let [tool, version] = ["tool", "version"].map(|name| path.join(name));
    fs::write(&tool, "find \"$corpus\" -type f -print0 | xargs -0 md5sum\n").unwrap();
    fs::write(&version, "1\n").unwrap();
    let more = format!(
        "[[program]]\nid = \"tool\"\nlabel = \"tool\"\nlist = \"digests\"\nversion = 'cat \"{}\"'\ncommand = 'sh \"{}\"'\n",
        version.display(),
        tool.display()
    );
    let definition = trial(r#"["pfh", "coreutils", "tool"]"#, &more)
        .replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]");
    let options = |rounds: &'static str| ["--profile", "today", "--rounds", rounds];
    let (ended, _) = run(path, &definition, &options("1"));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    fs::write(&version, "2\n").unwrap();
    let continued = |rounds| [&options(rounds)[..], &["--resume"]].concat();
    let (ended, _) = run(path, &definition, &continued("2"));
    let message = "`out` cannot be continued: `tool` (today) is another: its version is `1` there, and `2` here. ";
    assert!(ended.code() == 2 && ended.stderr.contains(message), "{}", ended.stderr);
    // Nothing is left to measure with it.
    let (ended, results) = run(path, &definition, &continued("1"));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(of(&results, "runner").iter().filter(|runner| runner["runner"] == "tool").count(), 1);
    fs::write(&version, "1\n").unwrap();
    let lie = "find \"$corpus\" -type f -print0 | xargs -0 md5sum | sed s/^......../00000000/\n";
    fs::write(&tool, lie).unwrap();
    let (ended, results) = run(path, &definition, &[&continued("2")[..], &["--runner", "tool"]].concat());
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let failures = of(&results, "failure");
    assert_eq!(failures.len(), 1);
    let message = "disagrees with what was printed in an earlier run by coreutils, pfh, tool";
    assert_eq!(failures[0]["message"], message);
    // The others go on, what was agreed is saved once, and the failure still counts.
    let (ended, results) = run(path, &definition, &continued("2"));
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    assert_eq!((of(&results, "truth").len(), of(&results, "failure").len()), (1, 1));
    assert_eq!(of(&results, "sample").len(), 3 + 2);
}

/// Whether a process with this argument runs.
fn runs(argument: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0).any(|word| word == argument.as_bytes())
    })
}

/// A run that is killed can end nothing; its programs would disturb whatever is measured next.
#[test]
fn a_program_does_not_outlive_a_killed_run() {
    let directory = scratch();
    let path = directory.path();
    let seconds = format!("86{:07}", std::process::id());
    let more = format!("[[program]]\nid = \"long\"\nlabel = \"long\"\ncommand = 'sleep {seconds}; true'\n");
    fs::write(path.join("test.toml"), trial(r#"["long"]"#, &more)).unwrap();
    let words = ["lab", "run", "./test.toml", "-o", "out", "--progress", "never"];
    let running = pfh(path, words).with(|command| command.env("XDG_CACHE_HOME", path.join("cache"))).start();
    eventually("the program runs", || runs(&seconds));
    running.signal(Signal::KILL);
    assert_eq!(running.end().code(), 137);
    eventually("the program is gone", || !runs(&seconds));
}

/// Whoever starts it without a group of its own is not killed with it.
#[test]
fn a_measurement_that_ends_with_its_input_has_a_group_of_its_own() {
    let directory = scratch();
    let script = r#""$0" lab measure --until-closed -- true; echo "status $?""#;
    let run = Run::new("sh", directory.path(), ["-c", script, env!("CARGO_BIN_EXE_pfh")]);
    let ended = run.with(|command| command.process_group(0)).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(ended.stderr, "pfh: --until-closed needs a process group of its own\n");
    assert_eq!(ended.stdout, b"status 2\n");
}

/// Harnesses need a part of an experiment, another number of rounds, and corpora that stay.
#[test]
fn a_part_of_an_experiment_with_corpora_that_stay() {
    let directory = scratch();
    let path = directory.path();
    let definition = trial(r#"["pfh", "coreutils"]"#, "name = \"all\"\nrounds = 7")
        .replace("corpus = [\"noise\"]", "corpus = [\"noise\", \"documents\"]")
        .replace("cache = [\"cached\"]", "cache = [\"cached\", \"cold\"]");
    fs::write(path.join("test.toml"), &definition).unwrap();
    let ended = pfh(path, ["lab", "list", "./test.toml"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let listed = String::from_utf8(ended.stdout).unwrap();
    let names: Vec<&str> = listed.lines().collect();
    assert_eq!(names.len(), 8);
    assert_eq!(names[..2], ["all/noise/md5/cached", "all/noise/md5/cold"]);
    let options = ["--comparison", "all/noise/md5/cold", "--comparison", "all/documents/sha256/cached"];
    let more = ["--rounds", "2", "--keep-corpora", "kept", "--profile", "today"];
    let options: Vec<&str> = options.into_iter().chain(more).collect();
    let (ended, results) = run(path, &definition, &options);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let measured: BTreeSet<String> = of(&results, "sample")
        .iter()
        .map(|sample| format!("{}/{}", sample["dimensions"]["corpus"].as_str().unwrap(), sample["dimensions"]["cache"]))
        .collect();
    assert_eq!(measured, BTreeSet::from(["noise/\"cold\"", "documents/\"cached\""].map(str::to_owned)));
    assert_eq!(of(&results, "sample").len(), 2 * 2 * 2);
    assert_eq!(results[0]["rounds"], 2);
    for truth in of(&results, "truth") {
        assert_eq!(truth["witnesses"], json!(["coreutils", "pfh"]), "{truth}");
    }
    let corpora = of(&results, "corpus");
    assert_eq!(corpora.len(), 2);
    let noise = corpora.iter().find(|corpus| corpus["corpus"] == "noise").unwrap();
    assert_eq!(
        (&noise["files"], &noise["bytes"], &noise["longest_bytes"]),
        (&json!(12), &json!(120_000), &json!(10_000))
    );
    let here = of(&results, "device")[0];
    assert!(here["facts"]["kept"].as_str().unwrap().ends_with("/kept"), "{here}");
    let kept = |path: &Path| {
        let mut names: Vec<_> = fs::read_dir(path.join("kept")).unwrap().flatten().map(|e| e.file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(kept(path), ["documents-10-100000", "noise-12-120000"]);
    // A later run with another seed finds them, and goes on where the first ended with a third round.
    let file = path.join("kept/noise-12-120000/0000").read_dir().unwrap().next().unwrap().unwrap().path();
    let before = fs::read(&file).unwrap();
    fs::remove_dir_all(path.join("out")).unwrap();
    let (again, _) = run(path, &definition, &[&options[..], &["--seed", "2"]].concat());
    assert!(again.code() == 2, "a second --seed: {}", again.stderr);
    let (again, _) = run(path, &definition, &options);
    assert_eq!(again.code(), 0, "{}", again.stderr);
    assert!(fs::read(&file).unwrap() == before && kept(path).len() == 2);
    let resumed: Vec<&str> =
        options.iter().map(|option| if *option == "2" { "3" } else { *option }).chain(["--resume"]).collect();
    let (third, results) = run(path, &definition, &resumed);
    assert!(third.code() == 0 && third.stderr.contains(", 4 samples"), "{}", third.stderr);
    assert_eq!(of(&results, "sample").len(), 3 * 2 * 2);
    assert_eq!(of(&results, "header").last().unwrap()["rounds"], 3);
    // A run that is killed in the third round and continued without the number goes on to it.
    let text = fs::read_to_string(path.join("out/results.jsonl")).unwrap();
    fs::write(path.join("out/results.jsonl"), &text[..text.rfind("{\"type\":\"sample\"").unwrap()]).unwrap();
    let plain: Vec<&str> = resumed.iter().copied().filter(|option| !["--rounds", "3"].contains(option)).collect();
    let (fourth, results) = run(path, &definition, &plain);
    assert!(fourth.code() == 0 && fourth.stderr.contains(", 1 sample\n"), "{}", fourth.stderr);
    assert_eq!(of(&results, "sample").len(), 3 * 2 * 2);
    pfh(path, ["lab", "report", "out"]).run().done();
    let page = fs::read_to_string(path.join("out/report.md")).unwrap();
    assert!(page.contains("- Rounds: 3\n"), "{page}");
    fs::remove_dir_all(path.join("out")).unwrap();
    for (options, message) in [
        (["--comparison", "all/noise/md5/warm"], "there is no comparison `all/noise/md5/warm`"),
        (["--rounds", "0"], "--rounds"),
    ] {
        let (ended, _) = run(path, &definition, &options);
        assert!(ended.code() == 2 && ended.stderr.contains(message), "{}", ended.stderr);
    }
}

/// Making a corpus may take minutes: Ctrl-C ends it, and no part of it stays.
#[test]
fn ctrl_c_ends_the_making_of_a_corpus() {
    let long = [
        "kind = \"noise\"\nfiles = 5000000\nbytes = 5000000",
        "kind = \"command\"\ncommand = \"touch begun && sleep 300\"",
    ];
    for corpus in long {
        for (place, name, options) in [("out", "noise", &[][..]), ("kept", "corpus", &["--keep-corpora", "kept"][..])] {
            let directory = scratch();
            let path = directory.path();
            let short = "kind = \"noise\"\nfiles = 12\nbytes = 120000";
            fs::write(path.join("test.toml"), trial(r#"["pfh"]"#, "").replace(short, corpus)).unwrap();
            let words = ["lab", "run", "./test.toml", "-o", "out", "--profile", "today", "--progress", "never"];
            let running = pfh(path, words.into_iter().chain(options.iter().copied()))
                .with(|command| command.env("XDG_CACHE_HOME", path.join("cache")))
                .start();
            eventually("the corpus is begun", || {
                let mut folders = fs::read_dir(path.join(place)).into_iter().flatten().flatten();
                folders.any(|folder| fs::read_dir(folder.path().join(name)).is_ok_and(|mut made| made.next().is_some()))
            });
            running.signal(Signal::INT);
            let ended = running.end();
            assert_eq!(ended.code(), 130, "{}", ended.stderr);
            assert!(ended.elapsed < Duration::from_secs(30), "{corpus}: {:?}", ended.elapsed);
            assert_eq!(names(&path.join("out")), [Path::new("results.jsonl")], "{corpus}");
            assert!(place == "out" || names(&path.join(place)).is_empty(), "{corpus}");
        }
    }
}

/// Programs that do a part of the work tell how near the others come to the machine's limits.
#[test]
fn the_bound_of_the_machine_stands_beside_the_times() {
    let directory = scratch();
    let more = r#"
[[program]]
id = "reading"
label = "reading alone"
limit = "reading"
command = 'sleep 0.02'

[[program]]
id = "hashing"
label = "hashing alone"
limit = "hashing"
command = 'test "$bytes" = 120000 && sleep 0.03'

[[program]]
id = "longest"
label = "the longest file"
limit = "longest"
command = 'test "$longest_bytes" = 10000 && sleep 0.01'

[[trial]]
title = "Reading"
programs = ["reading"]
algorithms = ["none"]
corpus = ["noise"]
cache = ["cached"]
"#;
    let slow = "command = 'sleep 0.3; find \"$corpus\" -type f -print0 | xargs -0 \"${algorithm}sum\"'";
    let definition = trial(r#"["pfh", "coreutils", "hashing", "longest"]"#, more)
        .replace("command = 'find \"$corpus\" -type f -print0 | xargs -0 \"${algorithm}sum\"'", slow)
        .replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]");
    let (ended, results) = run(directory.path(), &definition, &["--profile", "today"]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(of(&results, "cost").iter().all(|cost| cost["system_ns"].is_u64()));
    let ended = pfh(directory.path(), ["lab", "report", "out"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    // Parts of the work are not the fastest programs.
    let answer = String::from_utf8(ended.stdout).unwrap();
    assert!(!answer.contains("the fastest is reading alone"), "{answer}");
    let page = fs::read_to_string(directory.path().join("out/report.md")).unwrap();
    let head = page.lines().find(|line| line.starts_with("| Program | Conditions")).expect("a table");
    let columns: Vec<&str> = head.split('|').map(str::trim).collect();
    let row = |name: &str| -> Vec<String> {
        let line =
            page.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap_or_else(|| panic!("{name}"));
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let cell = |name: &str, column: &str| {
        let place = columns.iter().position(|one| *one == column).unwrap_or_else(|| panic!("{column}"));
        row(name)[place].clone()
    };
    let number = |text: &str| -> f64 { text.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{text}")) };
    assert_eq!(cell("pfh", "Times"), "1.00");
    assert!(number(&cell("coreutils", "Times")) > 2.0, "{page}");
    // 50 ms and the start of two shells, of 300 ms and more.
    let share = number(&cell("coreutils", "Of the bound"));
    assert!((5.0..60.0).contains(&share), "{share}");
    assert_eq!(cell("hashing alone", "Of the bound"), "–");
    assert!(cell("pfh", "User + system, s").contains(" + "), "{page}");
    assert!(page.contains("MD5, files noise, cached: the bound is "), "{page}");
    assert!(page.contains("Files noise: 12, 117 KiB; the longest has 9.77 KiB."), "{page}");
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
    let note = "stick=a stick at USB 2, ext4 = slow.";
    let options = ["--corpus", "mine", "--device", "stick=stick", "--profile", "today", "--algorithm", "md5"];
    let (ended, results) = run(path, &definition, &[&options[..], &["--device-note", note, "--rounds", "2"]].concat());
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(of(&results, "device")[1]["facts"]["note"], "a stick at USB 2, ext4 = slow.");
    // A run that continues the results need not be told again.
    let (ended, results) = run(path, &definition, &[&options[..], &["--resume", "--rounds", "3"]].concat());
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let samples = of(&results, "sample");
    assert_eq!(samples.len(), 3);
    assert_eq!((&samples[0]["bytes"], &samples[0]["count"]), (&json!(8), &json!(2)));
    assert_eq!(samples[0]["dimensions"]["device"], "stick");
    assert_eq!(fs::read_dir(path.join("stick")).unwrap().count(), 0, "the copy was left behind");
    let devices = of(&results, "device");
    assert!(devices.len() == 4 && devices[3]["facts"]["note"] == devices[1]["facts"]["note"], "{devices:?}");
    pfh(path, ["lab", "report", "out"]).run().done();
    let page = fs::read_to_string(path.join("out/report.md")).unwrap();
    let line = page.lines().find(|line| line.starts_with("Device stick: real; ")).unwrap();
    assert!(line.ends_with(". Described as: a stick at USB 2, ext4 = slow."), "{line}");
    // Another device of the same name is another device.
    let file = path.join("out/results.jsonl");
    let other = fs::read_to_string(&file).unwrap().replace("\"simulated\":false", "\"simulated\":true");
    fs::write(&file, other).unwrap();
    let (ended, _) = run(path, &definition, &[&options[..], &["--resume", "--rounds", "4"]].concat());
    let message = "`out` cannot be continued: the device `here` is another: a simulated one there, and a real one here";
    assert!(ended.code() == 2 && ended.stderr.contains(message), "{}", ended.stderr);
    let definition = trial(r#"["pfh"]"#, "");
    for (option, message) in [
        (["--device", "floppy"], "no device in this experiment called `floppy`"),
        (["--corpus", "nowhere"], "nowhere"),
        (["--device-note", "floppy=a disk"], "`--device-note` describes `floppy`, on which nothing is measured"),
        (["--device-note", "stick"], "write NAME=TEXT"),
        (["--device-note", "stick= "], "write NAME=TEXT"),
        (["--device-note", "stick=a\nb"], "the text must be one line"),
    ] {
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

/// Results are continued with the files with which they began, and with no others.
#[test]
fn results_are_not_continued_with_another_corpus() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("mine")).unwrap();
    for number in 0..3 {
        fs::write(path.join(format!("mine/{number}")), contents(number, 100)).unwrap();
    }
    let definition = trial(r#"["pfh", "coreutils"]"#, "");
    let options = |rounds: &'static str| ["--corpus", "mine", "--profile", "today", "--rounds", rounds];
    let (ended, results) = run(path, &definition, &options("1"));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let corpus = of(&results, "corpus")[0];
    assert_eq!((&corpus["files"], &corpus["bytes"]), (&json!(3), &json!(300)));
    // As `sha256sum` prints the list.
    let line = |number| format!("{}  ./{number}\n", digest("sha256", &contents(number, 100)));
    let list: String = (0..3).map(line).collect();
    let first = digest("sha256", list.as_bytes()).to_string();
    assert_eq!(corpus["sha256"], *first);
    let more = |rounds| [&options(rounds)[..], &["--resume"]].concat();
    let (ended, results) = run(path, &definition, &more("2"));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(of(&results, "corpus").iter().all(|corpus| corpus["sha256"] == *first));
    assert_eq!(of(&results, "end").len(), 2);
    let (lines, samples) = (results.len(), of(&results, "sample").len());
    let mine = |name: &str| path.join("mine").join(name);
    // The same size with other contents, another name, and a file more.
    let changes: [&dyn Fn(); 3] = [
        &|| fs::write(mine("1"), contents(9, 100)).unwrap(),
        &|| {
            fs::write(mine("1"), contents(1, 100)).unwrap();
            fs::rename(mine("1"), mine("5")).unwrap();
        },
        &|| {
            fs::rename(mine("5"), mine("1")).unwrap();
            fs::write(mine("4"), b"").unwrap();
        },
    ];
    for change in changes {
        change();
        let (ended, results) = run(path, &definition, &more("3"));
        let message =
            "`out` cannot be continued: the corpus `noise` has other files: 3 files of 300 bytes together, SHA-256 ";
        assert!(ended.code() == 2 && ended.stderr.contains(message), "{}", ended.stderr);
        assert!(ended.stderr.contains("--keep-corpora"), "{}", ended.stderr);
        assert_eq!(of(&results, "sample").len(), samples);
    }
    fs::remove_file(mine("4")).unwrap();
    let (ended, results) = run(path, &definition, &more("2"));
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    // Nothing was left to do.
    assert!(results.len() == lines && of(&results, "end").len() == 2, "{} {lines}", results.len());
}

/// A corpus of nothing is no corpus; one of three files is one.
#[test]
fn a_corpus_without_files_is_refused_and_a_small_one_is_measured() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir_all(path.join("mine/below")).unwrap();
    let definition = trial(r#"["pfh", "coreutils"]"#, "");
    let (ended, results) = run(path, &definition, &["--corpus", "mine"]);
    assert_eq!(ended.code(), 2);
    assert!(ended.stderr.contains("pfh: the corpus `noise` has no files: `mine` holds none\n"), "{}", ended.stderr);
    assert!(of(&results, "sample").is_empty());
    let left: Vec<_> = fs::read_dir(path.join("out")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["results.jsonl"]);
    fs::remove_dir_all(path.join("out")).unwrap();
    // The copy would lie among the files that are copied.
    let (ended, _) = run(path, &definition, &["--corpus", "."]);
    let message = "pfh: `out` lies in the folder of `--corpus`, `.`, and a copy of that would be made in it";
    assert!(ended.code() == 2 && ended.stderr.contains(message), "{}", ended.stderr);
    fs::remove_dir_all(path.join("out")).unwrap();
    for (name, length) in [("a", 0), ("b", 5), ("below/c", 70_000)] {
        fs::write(path.join("mine").join(name), contents(length, length)).unwrap();
    }
    let (ended, results) = run(path, &definition, &["--corpus", "mine", "--profile", "today"]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(of(&results, "sample").len(), 2 * 2 * 3);
    let corpus = of(&results, "corpus")[0];
    assert_eq!((&corpus["files"], &corpus["longest_bytes"]), (&json!(3), &json!(70_000)));
    pfh(path, ["lab", "report", "out"]).run().done();
    let noise = "kind = \"noise\"\nfiles = 12\nbytes = 120000";
    let command = definition.replace(noise, "kind = \"command\"\ncommand = \"mkdir nothing\"");
    fs::remove_dir_all(path.join("out")).unwrap();
    let (ended, _) = run(path, &command, &[]);
    assert!(ended.code() == 2 && ended.stderr.contains("pfh: the corpus `noise` has no files\n"), "{}", ended.stderr);
}

/// Runs on a simulated device that a file describes, with this time for each task; returns `None` where none can be
/// mounted.
#[cfg(feature = "slowfs")]
pub(crate) fn on_device(
    task_seconds: u32,
    path: &Path,
    programs: &str,
    device: &str,
    cache: &str,
    more: &str,
) -> Option<(Ended, Vec<Value>)> {
    if !Path::new("/dev/fuse").exists() {
        skipped(Need::Fuse, "there is no /dev/fuse");
        return None;
    }
    let own = path.join("own.toml");
    fs::write(&own, device).unwrap();
    let definition = trial(programs, &format!("device = [\"{}\"]\n{more}", own.display()))
        .replace("cache = [\"cached\"]", &format!("cache = [\"{cache}\"]"))
        .replace("algorithms = [\"md5\", \"sha256\"]", "algorithms = [\"md5\"]")
        .replace("task_seconds = 60", &format!("task_seconds = {task_seconds}"));
    let (ended, results) = run(path, &definition, &["--profile", "today"]);
    let told = of(&results, "failure").first().map(|failure| failure["message"].to_string()).unwrap_or_default();
    if told.contains("fusermount") {
        skipped(Need::Fuse, &told);
        return None;
    }
    Some((ended, results))
}

/// A device that answers four reads at once: four prefetchers read four times as fast as one, and eight no faster.
#[cfg(feature = "slowfs")]
#[test]
fn the_knee_of_a_device_is_the_number_of_requests_that_it_serves_at_once() {
    let directory = scratch();
    let path = directory.path();
    let more = "rounds = 5\ndimensions = { prefetchers = [\"1\", \"2\", \"4\", \"8\"] }\n[[program]]\nid = \"readers\"\nlabel = \"readers\"\n\
                command = '\"$pfh\" hash -a none --mode mtp -t 9 -p \"$prefetchers\" \"$corpus\"'\ntakes = [\"prefetchers\"]\n";
    let device = "bytes_per_second = 1e9\nread_seconds = 0.1\nat_once = 4\nremembered_seconds = 60\n";
    let Some((ended, results)) = on_device(60, path, r#"["readers"]"#, device, "cold", more) else { return };
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(of(&results, "sample").len(), 4 * 5);
    pfh(path, ["lab", "report", "out"]).run().done();
    let page = fs::read_to_string(path.join("out/report.md")).unwrap();
    let line = page.lines().find(|line| line.contains("Files: noise")).unwrap_or_else(|| panic!("{page}"));
    // Where other work makes runs of eight differ by more than five per cent, the report has to say so.
    if !line.contains("is undecided, between 4 and 8; ") {
        assert!(line.contains(": 4 prefetchers read 3.") || line.contains(": 4 prefetchers read 4."), "{line}");
        assert!(line.contains("; up to 8 bring less than 5 % more") || line.contains("whether 8 are slower"), "{line}");
    }
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
        ("device = [\"here\", \"here\"]", "value 2 of `device` is there before"),
        ("dimensions = { threads = [\"1\", \"1\"] }", "value 2 of `threads` is there before"),
        (
            "device = [\"here\", \"floppy\"]",
            "`device`: there is no device `floppy`; there are here, hdd, ssd, nas, dying and descriptions in `.toml`; \
             `--device floppy=DIR` takes the folder DIR for it",
        ),
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
