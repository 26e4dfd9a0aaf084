//! `pfh lab`: an experiment from the command line to the saved results, with pfh itself and with scripts as runners.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::fixture::*;

/// Scripts as runners: an honest one that computes nothing, `liar` with wrong answers, and `slow`, which takes its
/// time.
const SCRIPT: &str = r#"
answer=aa
[ "$1" = liar ] && answer=bb
wall=1000
[ "$1" = hasty ] && wall=1
[ "$1" = hungry ] && exec tail /dev/zero
echo "{\"type\":\"hello\",\"protocol\":1,\"language\":\"sh\",\"library\":\"$1\",\"library_version\":\"1\",\"algorithms\":[\"md5\"]}"
while IFS= read -r line; do
    id=${line#*'"id":'} id=${id%%,*}
    [ "$1" = slow ] && sleep 0.05
    echo "{\"type\":\"check\",\"id\":$id,\"answer\":\"$answer\"}"
    echo "{\"type\":\"sample\",\"id\":$id,\"repeat\":0,\"wall_ns\":$wall,\"answer\":\"$answer\"}"
    echo "{\"type\":\"done\",\"id\":$id}"
done
"#;

const EXPERIMENT: &str = r#"
title = "A test"
question = "Does it run?"
rounds = 5
repeats = 1
[[part]]
mode = "digest"
algorithms = ["md5"]
bytes = [16, 32, 64, 128]
"#;

/// Makes a laboratory of scripts in `lab`, with one runner for each name.
fn laboratory(directory: &Path, runners: &[&str]) {
    let folder = directory.join("lab/runners/scripts");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(directory.join("lab/experiments")).unwrap();
    fs::write(directory.join("lab/experiments/test.toml"), EXPERIMENT).unwrap();
    fs::write(folder.join("runner.sh"), SCRIPT).unwrap();
    let mut text = "language = \"sh\"\ngroup = \"scripts\"\nrun = [\"sh\", \"runner.sh\"]\n\
                    install = [\"echo installing >installed\"]\nfetch = [[\"touch\", \"{build}/a file\"]]\n"
        .to_owned();
    for name in runners {
        text += &format!("[[variant]]\nid = \"{name}\"\nlabel = \"{name}\"\narguments = [\"{name}\"]\n");
    }
    fs::write(folder.join("runner.toml"), text).unwrap();
}

/// Prepares `pfh lab` in `directory`, with the laboratory of scripts if there is one.
fn lab<const N: usize>(directory: &Path, arguments: [&str; N]) -> Run {
    let run = pfh(directory, ["lab"].into_iter().chain(arguments)).with(|command| {
        command.env("XDG_CACHE_HOME", directory.join("cache")).env_remove("PFH_LAB").env_remove("PFH_BACKEND")
    });
    let scripts = directory.join("lab");
    if scripts.exists() { run.with(|command| command.env("PFH_LAB", scripts)) } else { run }
}

fn results(directory: &Path) -> Vec<Value> {
    let text = fs::read_to_string(directory.join("out/results.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Counts samples by runner.
fn samples(results: &[Value]) -> BTreeMap<&str, usize> {
    let mut samples = BTreeMap::new();
    for sample in results.iter().filter(|entry| entry["type"] == "sample") {
        *samples.entry(sample["runner"].as_str().unwrap()).or_default() += 1;
    }
    samples
}

/// Returns standard error, without the line about the load of the machine.
fn said(ended: &Ended) -> Vec<&str> {
    ended.stderr.lines().filter(|line| !line.contains("the machine is busy")).collect()
}

#[track_caller]
fn refused(run: Run, message: &str) {
    let ended = run.run();
    let said = said(&ended);
    assert_eq!((ended.code(), said.len(), ended.stdout.len()), (2, 1, 0), "{said:?}");
    assert!(said[0].starts_with("pfh: ") && said[0].contains(message), "{said:?}");
}

#[test]
fn an_experiment_is_run_and_saved() {
    let directory = scratch();
    let directory = directory.path();
    laboratory(directory, &["one", "two"]);
    let ended = lab(directory, ["run", "test", "-o", "out", "--seed", "3"]).run();
    assert_eq!((ended.code(), said(&ended)), (0, vec!["pfh: 2 runners, 40 samples"]));
    ended.printed(b"out/results.jsonl\n");
    let results = results(directory);
    assert_eq!(samples(&results), BTreeMap::from([("one", 20), ("two", 20)]));
    assert_eq!((&results[0]["experiment"], &results[0]["seed"]), (&json!("test"), &json!(3)));
    assert_eq!(results[0]["definition"], EXPERIMENT);
    assert_eq!(results.last().unwrap()["type"], "end");
    refused(lab(directory, ["run", "test", "-o", "out"]), "is there already");
    // Nothing is left to continue.
    let ended = lab(directory, ["run", "test", "-o", "out", "--resume"]).run();
    assert_eq!((ended.code(), said(&ended)), (0, vec!["pfh: 2 runners, 0 samples"]));
}

/// A command that is started in a running container is of a session and a process group that have no number there.
#[test]
fn a_container_that_is_entered_from_outside() {
    let directory = scratch();
    let directory = directory.path();
    laboratory(directory, &["one", "two"]);
    let within = |script: &str| {
        let mut command = in_namespaces(directory, &["--fork", "--pid", "--mount-proc"], script);
        command.env("PFH_LAB", directory.join("lab")).env("XDG_CACHE_HOME", directory.join("cache"));
        command.env_remove("PFH_BACKEND");
        command
    };
    if !within("true").status().is_ok_and(|status| status.success()) {
        return skipped(Need::Namespaces, "`unshare` makes no namespaces");
    }
    // A shell that waits is the first process of the container, and the program is not.
    let ended = within(r#""$PFH" lab run test -o out; exit $?"#).output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(samples(&results(directory)), BTreeMap::from([("one", 20), ("two", 20)]));
    let ended = within(r#""$PFH" lab measure --until-closed -- true; exit $?"#).output().unwrap();
    let told = "pfh: --until-closed needs a process group of its own\n";
    assert_eq!((ended.status.code(), ended.stderr), (Some(2), told.into()));
}

/// A runner that needs more memory than it may take is installed: how to install it would not help.
#[test]
fn the_limit_of_memory_is_named_where_a_runner_does_not_start() {
    let directory = scratch();
    let directory = directory.path();
    laboratory(directory, &["hungry", "one", "two"]);
    let ended = lab(directory, ["run", "test", "-o", "out", "--memory", "50M"]).run();
    let told = "pfh: 2 runners, 40 samples, 1 unavailable (the results tell why)";
    assert_eq!((ended.code(), said(&ended)), (0, vec![told]));
    let results = results(directory);
    let hungry = results.iter().find(|entry| entry["type"] == "runner" && entry["runner"] == "hungry").unwrap();
    let reason = hungry["unavailable"].as_str().unwrap();
    assert!(reason.ends_with("; the limit is 50 MiB (`--memory`)"), "{reason}");
}

#[test]
fn nothing_that_is_offered_is_nothing_measured() {
    let directory = scratch();
    let directory = directory.path();
    laboratory(directory, &["one", "two"]);
    let definition = directory.join("lab/experiments/test.toml");
    fs::write(&definition, EXPERIMENT.replace("md5", "sha256")).unwrap();
    let ended = lab(directory, ["run", "test", "-o", "out"]).run();
    let lines =
        vec!["pfh: 2 runners, 0 samples, 8 not-offered", "pfh: nothing was measured; `pfh lab report` tells why"];
    assert_eq!((ended.code(), said(&ended)), (0, lines));
    let ended = lab(directory, ["report", "out"]).run();
    let text = String::from_utf8(ended.done().to_vec()).unwrap();
    assert!(text.starts_with("Nothing was measured: no runner offers what was asked for.\n"), "{text}");
}

/// The claims of the studies, with recomputed fits, without an experiment.
#[test]
fn the_claims_are_printed() {
    let directory = scratch();
    let page = include_str!("../../../../docs/reference/claims.md");
    lab(directory.path(), ["claims"]).run().printed(page.as_bytes());
    assert!(page.contains("33 of the published lines") && page.contains("| B8 |"));
}

/// An impossible time is a finding: one nanosecond for 64 KiB.
#[test]
fn an_impossible_time_is_a_finding() {
    let directory = scratch();
    laboratory(directory.path(), &["hasty", "one", "two"]);
    let definition = directory.path().join("lab/experiments/test.toml");
    fs::write(&definition, EXPERIMENT.replace("128]", "\"64K\"]")).unwrap();
    let ended = lab(directory.path(), ["run", "test", "-o", "out"]).run();
    assert_eq!(ended.code(), 1);
    assert!(ended.stderr.contains("1 implausible"), "{}", ended.stderr);
    lab(directory.path(), ["report", "out"]).run().done();
    let page = fs::read_to_string(directory.path().join("out/report.md")).unwrap();
    assert!(page.contains("implausible times") && page.contains("hasty (today) are left out"), "{page}");
}

#[test]
fn a_liar_is_a_finding() {
    let directory = scratch();
    laboratory(directory.path(), &["liar", "one", "two"]);
    let ended = lab(directory.path(), ["run", "test", "-o", "out"]).run();
    let lines = said(&ended);
    assert_eq!((ended.code(), lines.len()), (1, 5), "{lines:?}");
    assert!(lines[0].ends_with(": wrong-answer: its check says bb, not aa"), "{lines:?}");
    assert_eq!(lines[4], "pfh: 3 runners, 40 samples, 4 wrong-answer");
    assert_eq!(samples(&results(directory.path())), BTreeMap::from([("one", 20), ("two", 20)]));
    // It stays one when nothing is left to do.
    let ended = lab(directory.path(), ["run", "test", "-o", "out", "--resume"]).run();
    assert_eq!((ended.code(), said(&ended)), (1, vec!["pfh: 3 runners, 0 samples, 4 failures of earlier runs"]));
}

#[test]
fn what_cannot_begin_says_why() {
    let directory = scratch();
    let directory = directory.path();
    laboratory(directory, &["one", "two"]);
    refused(lab(directory, ["run", "other"]), "there is no experiment `other`; there are test");
    refused(lab(directory, ["run", "./other.toml"]), "`./other.toml`: No such file");
    refused(lab(directory, ["run", "test", "--runner", "three"]), "there is no runner `three`; there are one, two");
    refused(lab(directory, ["run", "test", "-o", "out", "--resume"]), "`out/results.jsonl`: No such file");
    refused(lab(directory, ["doctor", "--install", "x"]), "there is no group `x`; there are scripts and all");
    fs::write(directory.join("bad.toml"), EXPERIMENT.replace("rounds", "round")).unwrap();
    let ended = lab(directory, ["run", "./bad.toml"]).run();
    assert!(ended.code() == 2 && ended.stderr.contains("unknown field `round`"), "{}", ended.stderr);
    let ended = lab(directory, ["run", "test"]).with(|command| command.env("PFH_LAB", "nowhere")).run();
    assert!(ended.code() == 2 && ended.stderr.contains("`nowhere`: No such file"), "{}", ended.stderr);
    for (from, to, message) in [
        ("\"md5\"", "\"md55\"", "the experiment `bad`: unknown algorithm `md55`; close to `md5`"),
        ("\"md5\"", "\"MD5\"", "the algorithm `MD5` is called `md5`"),
        ("[[part]]", "same_digest = { sha1dc = \"sha99\" }\n[[part]]", "unknown algorithm `sha99`"),
    ] {
        fs::write(directory.join("bad.toml"), EXPERIMENT.replace(from, to)).unwrap();
        refused(lab(directory, ["run", "./bad.toml", "-o", "out"]), message);
    }
    refused(lab(directory, ["run", "test", "-o", "out", "--memory", "1"]), "--memory must be at least 1M");
    assert_eq!(lab(directory, ["run"]).run().code(), 2);
    assert_eq!(lab(directory, ["run", "test", "--resume"]).run().code(), 2);
    assert!(!directory.join("out").exists());
}

#[test]
fn what_cannot_be_saved_is_an_error() {
    let directory = scratch();
    laboratory(directory.path(), &["one", "two"]);
    let ended = lab(directory.path(), ["run", "test", "-o", "/dev/null/out"]).run();
    assert_eq!(said(&ended), ["pfh: `/dev/null/out/results.jsonl`: Not a directory (os error 20)"]);
    assert_eq!(ended.code(), 4);
}

#[test]
fn a_runner_that_cannot_be_read_does_not_stop_the_others() {
    let directory = scratch();
    let directory = directory.path();
    laboratory(directory, &["one", "two"]);
    fs::create_dir_all(directory.join("mine/broken")).unwrap();
    fs::write(directory.join("mine/broken/runner.toml"), "run = 3").unwrap();
    let ended = lab(directory, ["run", "test", "-o", "out", "--runners", "mine"]).run();
    assert!(ended.code() == 3 && ended.stderr.contains("mine/broken/runner.toml"), "{}", ended.stderr);
    assert_eq!(samples(&results(directory)).len(), 2);
}

#[test]
fn an_interrupted_run_is_continued() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 130), (Signal::KILL, 137)] {
        let directory = scratch();
        let directory = directory.path();
        laboratory(directory, &["one", "slow"]);
        let running = lab(directory, ["run", "test", "-o", "out"]).start();
        let file = directory.join("out/results.jsonl");
        let count = || fs::read_to_string(&file).unwrap_or_default().matches("\"cost\"").count();
        eventually("some results are saved", || count() >= 3);
        running.signal(signal);
        let ended = running.end();
        assert_eq!(ended.code(), code);
        if code == 130 {
            assert_eq!(said(&ended).last(), Some(&"pfh: interrupted; `--resume` continues what is saved in `out`"));
        }
        assert!(count() < 40);
        let ended = lab(directory, ["run", "test", "-o", "out", "--resume"]).run();
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        let results = results(directory);
        assert_eq!(samples(&results), BTreeMap::from([("one", 20), ("slow", 20)]));
        assert_eq!(results.iter().filter(|entry| entry["type"] == "header").count(), 1);
    }
}

#[test]
fn the_doctor_tells_and_installs() {
    let directory = scratch();
    let directory = directory.path();
    laboratory(directory, &["one"]);
    let table = String::from_utf8(lab(directory, ["doctor"]).run().done().to_vec()).unwrap();
    assert!(table.contains("one               scripts    one 1"), "{table}");
    assert!(table.contains("available: today"), "{table}");
    let json = lab(directory, ["doctor", "--json"]).run();
    let entry: Value = serde_json::from_slice(json.done()).unwrap();
    assert_eq!((&entry["runner"], &entry["hello"]["library"]), (&json!("one"), &json!("one")));

    let build = directory.join("cache/pfh/lab/build/scripts");
    let source = fs::canonicalize(directory.join("lab/runners/scripts")).unwrap();
    let (build, source) = (build.display(), source.display());
    let expected = format!("echo installing >installed\nmkdir -p {build}\ncd {source} && touch '{build}/a file'\n");
    lab(directory, ["doctor", "--install", "scripts"]).run().printed(expected.as_bytes());
    assert!(!directory.join("installed").exists());
    let ended = lab(directory, ["doctor", "--install", "all", "--run"]).run();
    assert_eq!((ended.code(), ended.stdout.len()), (0, 0), "{}", ended.stderr);
    assert!(directory.join("installed").exists() && directory.join("cache/pfh/lab/build/scripts/a file").exists());

    // Only requested runners are examined and built, and nothing for another system is installed here.
    lab(directory, ["doctor", "scripts"]).run().done();
    refused(lab(directory, ["doctor", "x"]), "there is no group `x`; there are scripts and all");
    let foreign = directory.join("lab/runners/foreign");
    fs::create_dir(&foreign).unwrap();
    let text = "language = \"C\"\ngroup = \"foreign\"\nsystem = \"plan9\"\ninstall = [\"false\"]\nneeds = [\"no-such-cc\"]\n\
                run = [\"x\"]\n[[variant]]\nid = \"f\"\nlabel = \"f\"\n";
    fs::write(foreign.join("runner.toml"), text).unwrap();
    lab(directory, ["doctor", "--install", "foreign"]).run().printed(b"# foreign is for plan9\n");
    assert_eq!(lab(directory, ["doctor", "--install", "foreign", "--run"]).run().code(), 0);
    let table = String::from_utf8(lab(directory, ["doctor", "foreign"]).run().done().to_vec()).unwrap();
    assert!(table.contains("it is for plan9") && !table.contains("scripts    one"), "{table}");
    let text = text.replace(
        "system = \"plan9\"\ninstall = [\"false\"]\nneeds = [\"no-such-cc\"]",
        "install = [\"no-such-installer x\"]\nneeds = [\"no-such-cc\", \"no-such-ld\"]\nadvice = \"see elsewhere\"",
    );
    fs::write(foreign.join("runner.toml"), text).unwrap();
    let steps = b"# `no-such-installer` is not here; with this system's own programs do what is meant by: no-such-installer x\n# see elsewhere\n";
    lab(directory, ["doctor", "--install", "foreign"]).run().printed(steps);
    let table = String::from_utf8(lab(directory, ["doctor", "foreign"]).run().done().to_vec()).unwrap();
    let said =
        "`no-such-cc` and `no-such-ld` are not there; `pfh lab doctor --install foreign` shows how to install it";
    assert!(table.contains(said), "{table}");
    fs::remove_dir_all(foreign).unwrap();

    let definition = directory.join("lab/runners/scripts/runner.toml");
    let text = fs::read_to_string(&definition).unwrap().replace("echo installing >installed", "exit 5");
    fs::write(definition, text).unwrap();
    let ended = lab(directory, ["doctor", "--install", "scripts", "--run"]).run();
    assert!(ended.stderr.contains("pfh: this failed (exit status: 5): exit 5"), "{}", ended.stderr);
    assert_eq!(ended.code(), 4);
}

#[test]
fn pfh_vouches_for_its_lanes() {
    let directory = scratch();
    let directory = directory.path();
    let definition = EXPERIMENT.replace("digest", "messages").replace("\"md5\"", "\"*\"") + "total = \"1K\"\n";
    fs::write(directory.join("mine.toml"), definition).unwrap();
    // The runners and the cache of a user who has just installed pfh.
    let arguments = [
        "run",
        "./mine.toml",
        "-o",
        "out",
        "--runner",
        "pfh",
        "--runner",
        "pfh-lanes",
        "-a",
        "sha256",
        "--profile",
        "today",
    ];
    let ended = lab(directory, arguments).limit(std::time::Duration::from_secs(300)).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let results = results(directory);
    assert_eq!(samples(&results), BTreeMap::from([("pfh", 20), ("pfh-lanes", 20)]));
}

#[test]
fn the_experiments_that_come_with_pfh_are_listed() {
    let directory = scratch();
    let list = lab(directory.path(), ["list"]).run();
    let list = String::from_utf8(list.done().to_vec()).unwrap();
    for name in ["algorithms", "ciphers", "device", "fixity", "frash", "languages", "strings", "tree"] {
        assert!(list.lines().any(|line| line.starts_with(&format!("{name} "))), "{list}");
    }
}

/// Sends tasks to `pfh lab runner`, and returns its answers.
fn converse(directory: &Path, lanes: bool, tasks: &[Value]) -> Vec<Value> {
    let input: String = tasks.iter().map(|task| format!("{task}\n")).collect();
    let run = if lanes { lab(directory, ["runner", "--lanes"]) } else { lab(directory, ["runner"]) };
    let ended = run.input(input).run();
    let text = String::from_utf8(ended.done().to_vec()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn task(mode: &str, algorithm: &str, path: &str, bytes: usize, count: usize) -> Value {
    json!({"type": "task", "id": 7, "mode": mode, "algorithm": algorithm, "path": path, "bytes": bytes, "count": count,
           "chunk_bytes": 1000, "warm_up": 1, "repeats": 2, "unknown": "field"})
}

#[test]
fn pfh_is_a_runner() {
    let directory = scratch();
    let directory = directory.path();
    let message = contents(3, 4096);
    fs::write(directory.join("file"), &message).unwrap();
    fs::write(directory.join("strings"), "first\nsecond\n third \n").unwrap();
    let of_all = |algorithm, messages: &[&[u8]]| {
        let digests: Vec<Vec<u8>> =
            messages.iter().map(|message| digest(algorithm, message).bytes().to_vec()).collect();
        digest(algorithm, &digests.concat()).to_string()
    };
    let strings: [&[u8]; 3] = [b"first", b"second", b" third "];
    let parts: Vec<&[u8]> = message.chunks(64).collect();
    let one = digest("sha256", &message).to_string();
    let expected = [
        (task("digest", "sha256", "file", 4096, 1), one.clone(), one.clone()),
        (task("digest-file", "sha256", "file", 4096, 1), one.clone(), one.clone()),
        (task("read-file", "none", "file", 4096, 1), "4096".to_owned(), "4096".to_owned()),
        (task("strings", "md5", "strings", 21, 3), of_all("md5", &strings), digest("md5", b" third ").to_string()),
        // Its lanes pay on every processor; whether those of others do may be decided by a trial.
        (
            task("messages", "ripemd160", "file", 4096, 64),
            of_all("ripemd160", &parts),
            digest("ripemd160", parts[63]).to_string(),
        ),
    ];
    for lanes in [false, true] {
        for (task, check, answer) in &expected {
            let said = converse(directory, lanes, std::slice::from_ref(task));
            assert_eq!((&said[0]["type"], &said[0]["protocol"]), (&json!("hello"), &json!(1)));
            if lanes && !["strings", "messages"].contains(&task["mode"].as_str().unwrap()) {
                assert_eq!((said.len(), &said[1]["type"]), (2, &json!("not-offered")), "{said:?}");
                continue;
            }
            let types: Vec<&str> = said.iter().map(|line| line["type"].as_str().unwrap()).collect();
            assert_eq!(types, ["hello", "check", "sample", "sample", "done"], "{said:?}");
            assert_eq!(said[1]["answer"], *check, "{task}");
            assert!(
                said[2..4].iter().all(|sample| sample["answer"] == *answer && sample["wall_ns"].is_u64()),
                "{said:?}"
            );
            assert!(said[1..].iter().all(|line| line["id"] == 7));
        }
    }
}

#[test]
fn the_runner_refuses_what_it_cannot_do() {
    let directory = scratch();
    let directory = directory.path();
    fs::write(directory.join("file"), "hello").unwrap();
    let tasks = [
        task("digest", "no-such", "file", 5, 1),
        task("knit", "md5", "file", 5, 1),
        task("password", "md5", "", 0, 1),
        task("digest", "md5", "absent", 5, 1),
        task("digest", "md5", "file", 6, 1),
        task("messages", "md5", "file", 5, 2),
        task("messages", "md5", "file", 5, 0),
        task("digest", "md5", "file", 5, 1),
    ];
    let said = converse(directory, false, &tasks);
    let types: Vec<&str> = said[1..8].iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["not-offered", "not-offered", "not-offered", "error", "error", "error", "error"], "{said:?}");
    assert_eq!(said[8]["answer"], digest("md5", b"hello").to_string());

    let ended = lab(directory, ["runner"]).input("no task\n").run();
    assert_eq!(ended.code(), 4);
    assert!(ended.stderr.starts_with("pfh: runner: not a task: "), "{}", ended.stderr);
    let ended = lab(directory, ["runner"]).with(|command| command.env("PFH_BACKEND", "no-such")).run();
    let said: Value = serde_json::from_slice(ended.done()).unwrap();
    assert_eq!(said["type"], "unavailable");
}

#[cfg(not(feature = "slowfs"))]
#[test]
fn a_program_without_devices_says_so() {
    let directory = scratch();
    let ended = pfh(directory.path(), ["lab", "mount", ".", "shown", "--device", "hdd"]).run();
    let text = "pfh: this pfh was built without devices; build it with \
                `cargo build --release --package pfh --features slowfs`\n";
    ended.expect(2, text);
}

/// Advice and measurements do not take the place of each other, whatever name leads there.
#[test]
fn advice_and_measurements_need_two_files() {
    let directory = scratch();
    let d = directory.path();
    std::os::unix::fs::symlink("own", d.join("link")).unwrap();
    for save in ["own", "./own", "link"] {
        let said = format!("pfh: --save and --output are both `{save}`; each needs a file of its own\n");
        lab(d, ["advise", ".", "--save", save, "-o", "own"]).run().expect(2, &said);
    }
    assert_eq!(names(d), ["link"].map(Path::new));
}
