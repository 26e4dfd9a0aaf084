//! `pfh lab advise` and the profiles that it saves, without slow devices.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::fixture::*;

/// Prepares `pfh lab advise`, whose limit leaves room for a busy machine.
pub(crate) fn advise<const N: usize>(directory: &Path, arguments: [&str; N]) -> Run {
    pfh(directory, ["lab", "advise", "--progress", "never"].into_iter().chain(arguments))
        .limit(Duration::from_secs(240))
}

/// Returns standard error, without the line about the load of the machine.
pub(crate) fn said(ended: &Ended) -> String {
    let lines = ended.said().lines().filter(|line| !line.contains("the machine is busy"));
    lines.map(|line| format!("{line}\n")).collect()
}

pub(crate) fn json(ended: &Ended) -> Value {
    assert_eq!(ended.code(), 0, "{}", said(ended));
    serde_json::from_slice(&ended.stdout).unwrap()
}

/// Files in memory, so that the processor is the limit of a slow algorithm, also where other programs run.
#[test]
fn the_processor_limits_a_slow_algorithm_and_measurements_are_kept() {
    let _turn = crate::alone();
    let directory = scratch_in_memory();
    let root = directory.path();
    fs::create_dir(root.join("tree")).unwrap();
    for number in 0..40 {
        fs::write(root.join(format!("tree/{number}")), contents(number, 1 << 20)).unwrap();
    }
    let arguments =
        ["tree", "--seconds", "6", "-a", "streebog512,md5", "--save", "own.toml", "--json", "--volume", "1TB"];
    let advice = json(&advise(root, arguments).run());
    assert_eq!((&advice["type"], &advice["limit"]), (&"advice".into(), &"processor".into()), "{advice}");
    assert_eq!((&advice["bytes"], &advice["files"]), (&1_000_000_000_000_u64.into(), &953_674.into()));
    let forecast = &advice["forecasts"][0];
    let seconds = |name: &str| forecast[name].as_f64().unwrap();
    assert!(seconds("seconds_low") <= seconds("seconds") && seconds("seconds") <= seconds("seconds_high"));

    // The same measurements give the same forecast, and twice the volume takes twice the time.
    let again = |volume: &str| {
        json(&advise(root, ["--from", "own.toml", "-a", "streebog512,md5", "--json", "--volume", volume]).run())
    };
    assert_eq!(again("1TB"), advice);
    let twice = again("2TB")["forecasts"][0]["seconds"].as_f64().unwrap();
    assert!((twice / seconds("seconds") - 2.0).abs() < 0.01);
    let ended = advise(root, ["--from", "own.toml", "-a", "streebog512", "--volume", "1TB", "--deadline", "8h"]).run();
    let text = String::from_utf8(ended.done().to_vec()).unwrap();
    for part in ["The processor limits you.", "streebog512", "95 % interval", "Fixity cycle", "Changes that would help"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Without -a, those that were measured.
    let ended = json(&advise(root, ["--from", "own.toml", "--json"]).run());
    let names: Vec<&Value> = ended["forecasts"].as_array().unwrap().iter().map(|one| &one["algorithm"]).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let ended = advise(root, ["--from", "own.toml", "-a", "blake3"]).run();
    assert!(ended.code() == 2 && ended.said().contains("no measurements of blake3; it has md5, streebog512"));
    // Its options are those of a run.
    let ended = hash(root, ["--profile", "own.toml", "--stats=json", "-o", "list", "tree"]).run();
    assert_eq!((ended.code(), ended.said().contains("\"type\":\"stats\"")), (0, true), "{}", ended.said());
}

/// A disk image: one core hashes it, except with BLAKE3, of which all cores share a long file.
#[test]
fn one_long_file_has_the_speed_of_one_core() {
    let _turn = crate::alone();
    let directory = scratch_in_memory();
    let root = directory.path();
    fs::write(root.join("image"), contents(1, 64 << 20)).unwrap();
    let arguments = ["image", "--seconds", "5", "-a", "md5,blake3", "--save", "own.toml", "--json"];
    let advice = json(&advise(root, arguments).run());
    assert_eq!((&advice["limit"], &advice["longest_bytes"]), (&"processor".into(), &(64 << 20).into()), "{advice:#}");
    let of = |place: usize, name: &str| advice["forecasts"][place][name].as_f64().unwrap();
    assert!(of(0, "longest_file_seconds") > 0.9 * of(0, "processor_seconds"), "{advice:#}");
    assert_eq!(of(1, "longest_file_seconds"), 0.0, "{advice:#}");
    let ended = advise(root, ["--from", "own.toml", "-a", "md5"]).run();
    let text = String::from_utf8(ended.done().to_vec()).unwrap();
    assert!(text.contains("The longest file limits you: one core hashes its"), "{text}");
    assert!(!text.contains("twice as many take") && !text.contains("speed of the storage"), "{text}");
}

#[test]
fn too_little_is_no_advice() {
    let directory = scratch();
    let root = directory.path();
    fs::create_dir_all(root.join("few")).unwrap();
    fs::create_dir_all(root.join("empty")).unwrap();
    for number in 0..3 {
        fs::write(root.join(format!("few/{number}")), b"text").unwrap();
    }
    for (path, reason) in [
        ("empty", "`empty` holds no files"),
        ("few", "`few` holds only 3 files of 12 bytes together; it takes 16 files, or 16 MiB"),
        ("none", "`none` holds no files; the first error: `none`: No such file or directory"),
    ] {
        let ended = advise(root, [path, "--seconds", "5", "-o", "advice"]).run();
        let said = said(&ended);
        assert_eq!((ended.code(), said.lines().count()), (3, 1), "{said}");
        assert!(said.starts_with("pfh: not enough data to advise: ") && said.contains(reason), "{said}");
        assert!(!root.join("advice").exists());
    }
    for (arguments, reason) in [
        (vec!["few", "--volume", "0"], "must be greater than 0"),
        (vec!["few", "--files", "many"], "is not a number"),
        (vec!["few", "--deadline", "8"], "is not a time"),
        (vec!["few", "--deadline", "25h"], "--deadline is the time that there is each night, and must be at most 24h"),
        (vec!["few", "--seconds", "1"], "1 is not in 5..=86400"),
        (vec!["few", "-a", "sha255"], "sha255"),
        (vec!["few", "-a", "hmac-sha256"], "takes a key"),
        (vec!["few", "--from", "x"], "cannot be used with"),
        (vec!["--from", "x"], "`x`: No such file"),
        (vec!["few", "-o", "none/advice"], "cannot be written"),
        (vec!["few", "--save", "none/own.toml"], "`none/own.toml` cannot be written"),
        (vec!["few", "--save", "own", "-o", "few/../own"], "--save and --output are both `own`"),
        (vec![], "needs PATH or --from"),
    ] {
        let ended = pfh(root, ["lab", "advise"].into_iter().chain(arguments.iter().copied())).run();
        assert!(ended.code() == 2 && ended.said().contains(reason), "{arguments:?}: {}", ended.said());
    }
}

/// A file that `pfh hash` leaves out is neither read nor a failure, and files that are read again count once.
#[test]
fn special_files_are_no_failures_and_each_file_counts_once() {
    let _turn = crate::alone();
    let directory = scratch();
    let root = directory.path();
    fs::create_dir(root.join("tree")).unwrap();
    for number in 0..50 {
        fs::write(root.join(format!("tree/{number:02}")), contents(number, 20_000)).unwrap();
    }
    rustix::fs::mknodat(rustix::fs::CWD, root.join("tree/pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let advice = json(&advise(root, ["tree", "--seconds", "5", "-a", "md5", "--json"]).run());
    assert_eq!((&advice["failed_files"], &advice["is_measured_whole"]), (&0.into(), &true.into()), "{advice:#}");
    assert_eq!((&advice["files"], &advice["sampled_files"]), (&50.into(), &50.into()), "{advice:#}");
    assert_eq!(advice["sampled_bytes"], 1_000_000, "{advice:#}");
}

/// A volume of files far longer than all samples: there is no forecast that these do not tell.
#[test]
fn short_files_tell_nothing_of_long_ones() {
    let _turn = crate::alone();
    let directory = scratch();
    let root = directory.path();
    fs::create_dir(root.join("tree\n")).unwrap();
    for number in 0..400 {
        fs::write(root.join(format!("tree\n/{number:03}")), contents(number, 4000)).unwrap();
    }
    let arguments = ["tree\n", "--seconds", "5", "-a", "md5", "--save", "own.toml"];
    let ended = advise(root, arguments).run();
    // The name is on one line.
    assert_eq!(ended.code(), 0, "{}", said(&ended));
    let text = String::from_utf8(ended.stdout.clone()).unwrap();
    assert!(text.starts_with("`tree\\n`: 400 files, "), "{text}");
    let ended = advise(root, ["--from", "own.toml", "--volume", "25TB", "--files", "1000"]).run();
    let said = said(&ended);
    assert_eq!(ended.code(), 3, "{said}");
    let reason = "the samples read 4.00 kB of each file, the volume has 25.0 GB in each, and every time from ";
    assert!(said.contains(reason), "{said}");
}

/// In a container with little shared memory, temporary files are elsewhere; what killed runs left is removed.
#[test]
fn little_shared_memory_suffices() {
    let _turn = crate::alone();
    let directory = scratch();
    let root = directory.path();
    fs::create_dir(root.join("tree")).unwrap();
    for number in 0..100 {
        fs::write(root.join(format!("tree/{number:02}")), contents(number, 4000)).unwrap();
    }
    let within = |script: &str| {
        let script = format!(
            "mount -t tmpfs -o size=$SIZE none /dev/shm && {{ {}; }}",
            script.replace("ADVISE", "\"$PFH\" lab advise tree --seconds 5 -a md5")
        );
        let mut command = in_namespaces(root, &["--mount"], &script);
        command.env("TMPDIR", root);
        command
    };
    if !within("true").env("SIZE", "1m").status().is_ok_and(|status| status.success()) {
        return skipped(Need::Namespaces, "`unshare` makes no namespaces with a filesystem in memory");
    }
    let ended = within("ADVISE").env("SIZE", "64m").output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let script = "{ ADVISE > /dev/null 2>&1 & }; \
                  for turn in $(seq 100); do ls /dev/shm/pfh-lab-*/long.list 2>&1 && break; sleep 0.1; done; kill -9 $!; ls /dev/shm | wc -l; ADVISE > advice && ls /dev/shm | wc -l";
    let ended = within(script).env("SIZE", "300m").output().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    let counts: Vec<&str> = text.lines().filter(|line| line.len() == 1).collect();
    assert_eq!(counts, ["1", "0"], "{}", String::from_utf8_lossy(&ended.stderr));
    // Nothing is left in the other place.
    let left = fs::read_dir(root)
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("pfh-lab-"));
    assert_eq!(left.count(), 0);
}

#[test]
fn a_profile_gives_the_options_that_are_not_given() {
    let directory = scratch();
    let root = directory.path();
    fs::write(root.join("a"), b"text").unwrap();
    let run = |profile: &str, more: &[&str]| {
        fs::write(root.join("own.toml"), profile).unwrap();
        let words = ["-a", "md5", "-o", "list", "--stats=json", "--profile", "own.toml"];
        let ended = hash(root, [&words[..], more, &["a"]].concat()).run();
        let stats = ended.said().lines().find(|line| line.starts_with('{')).map(str::to_owned);
        let stats: Value = stats.map_or(Value::Null, |line| serde_json::from_str(&line).unwrap());
        let warnings: Vec<String> =
            ended.said().lines().filter(|line| !line.starts_with('{')).map(str::to_owned).collect();
        (ended.code(), (stats["threads"].as_u64(), stats["mode"].as_str().map(str::to_owned)), warnings)
    };
    let options = "[options]\nthreads = 3\nmode = \"smt\"\nio = \"drop\"\nmedium = \"network\"\n";
    let smt = |threads| (Some(threads), Some("smt".to_owned()));
    assert_eq!(run(options, &[]), (0, smt(3), vec![]));
    assert_eq!(run(options, &["-t", "5"]), (0, smt(5), vec![]));
    assert_eq!(run(options, &["--mode", "adaptive"]).1, (Some(3), Some("adaptive".to_owned())));
    let (code, told, warnings) = run(&format!("colour = 1\n{options}speed = 2\n"), &[]);
    assert_eq!((code, told, warnings.len()), (0, smt(3), 1));
    assert!(warnings[0].contains("`colour`, `options.speed` are not known to this version"), "{warnings:?}");
    assert_eq!(run(&format!("colour = 1\n{options}"), &["--quiet"]).2, Vec::<String>::new());
    for (profile, reason) in [
        ("[options]\nthreads = 0\n", "`threads` is 0, and may be from 1 to 4096"),
        ("[options]\nthreads = 1\nmode = \"fast\"\n", "`mode` is \"fast\", and may be adaptive, mtp, smt"),
        ("[options]\n", "missing field `threads`"),
        ("threads: 1", "own.toml"),
    ] {
        let (code, _, warnings) = run(profile, &[]);
        assert!(code == 2 && warnings.iter().any(|line| line.contains(reason)), "{profile}: {warnings:?}");
    }
}
