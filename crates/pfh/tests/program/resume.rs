//! `--resume`: a journal survives every end of the program, and is continued only by a run that it fits.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::*;

const FILES: usize = 400;
const FILE_BYTES: usize = 150_000;

/// Files in flight when the program is killed: far fewer than there are, and no more with more files.
const IN_FLIGHT_MAX: usize = 64;

fn journal(directory: &TempDir) -> Vec<u8> {
    fs::read(directory.path().join("journal")).unwrap_or_default()
}

/// The lines of type `file` that are whole, in the order of the journal.
fn recorded(journal: &[u8]) -> Vec<Value> {
    let whole = &journal[..journal.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)];
    let lines = whole.split_terminator_lines().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == "file").collect()
}

trait Lines {
    fn split_terminator_lines(&self) -> impl Iterator<Item = &[u8]>;
}

impl Lines for [u8] {
    fn split_terminator_lines(&self) -> impl Iterator<Item = &[u8]> {
        self.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
    }
}

fn path_of(record: &Value) -> String {
    record["path"].as_str().unwrap().to_owned()
}

/// Gives files a time of access that any reading changes, and returns what is to be compared with later.
fn age(directory: &Path) -> SystemTime {
    let aged = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for name in names(directory) {
        let file = File::open(directory.join(name)).unwrap();
        file.set_times(FileTimes::new().set_accessed(aged)).unwrap();
    }
    aged
}

/// The files whose time of access is another one.
fn touched(directory: &Path, aged: SystemTime) -> BTreeSet<String> {
    let is_touched = |name: &Path| fs::metadata(directory.join(name)).unwrap().accessed().unwrap() != aged;
    names(directory).iter().filter(|name| is_touched(name)).map(|name| format!("t/{}", name.display())).collect()
}

#[test]
fn killed_again_and_again() {
    let directory = scratch();
    let tree = directory.path().join("t");
    fs::create_dir(&tree).unwrap();
    let message = |number: usize| contents(number * 7, FILE_BYTES + number);
    for number in 0..FILES {
        fs::write(tree.join(format!("{number:04}")), message(number)).unwrap();
    }
    // Where the filesystem keeps no times of access, what was begun is not known.
    let aged = age(&tree);
    fs::read(tree.join("0000")).unwrap();
    let keeps_access_times = touched(&tree, aged).len() == 1;

    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut kills, mut kills_in_the_middle) = (0, 0);
    loop {
        let aged = age(&tree);
        let before = journal(&directory);
        let running = hash(directory.path(), ["-a", "whirlpool,tiger", "-t", "2", "-o", "journal", "--resume", "t"]);
        let mut running = running.start();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Later kills come later, so that a slow machine gets through too.
        thread::sleep(Duration::from_millis(20 + random % 120 + 10 * kills));
        if running.child.try_wait().unwrap().is_none() {
            running.signal(Signal::KILL);
        }
        let ended = running.end();
        let after = journal(&directory);
        let whole_before = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        assert!(after.starts_with(&before[..whole_before]), "a line that was whole is gone");
        if ended.code() == 0 {
            break;
        }
        assert_eq!(ended.code(), 137, "{}", ended.stderr);
        kills += 1;
        assert!(kills < 200, "no progress");

        let (had, has) = (recorded(&before).len(), recorded(&after));
        assert!(has.len() >= had);
        kills_in_the_middle += u64::from(has.len() > had);
        let known: BTreeSet<String> = has.iter().map(path_of).collect();
        assert_eq!(known.len(), has.len(), "a file was recorded twice");
        if keeps_access_times {
            let lost = touched(&tree, aged).difference(&known).count();
            assert!(lost <= IN_FLIGHT_MAX, "{lost} files were read and are not recorded");
        }
    }
    assert!(kills_in_the_middle > 0, "no run was killed between its first and its last file");

    // In the end each file is there once, with its digest, and the summary counts them all.
    let records = recorded(&journal(&directory));
    assert_eq!(records.len(), FILES);
    let by_path: BTreeMap<String, &Value> = records.iter().map(|record| (path_of(record), record)).collect();
    for number in 0..FILES {
        let record = by_path[&format!("t/{number:04}")];
        assert_eq!(record["outcome"], "complete");
        for algorithm in ["whirlpool", "tiger"] {
            assert_eq!(record["digests"][algorithm], digest(algorithm, &message(number)).to_string());
        }
    }
    let list = journal(&directory);
    let summary: Value = serde_json::from_slice(list.split_terminator_lines().last().unwrap()).unwrap();
    assert_eq!((&summary["type"], &summary["complete"]), (&"summary".into(), &FILES.into()));

    // Another run finds nothing to do, and reads nothing.
    let aged = age(&tree);
    hash(directory.path(), ["-a", "whirlpool,tiger", "-o", "journal", "--resume", "t"]).run().done();
    assert_eq!(recorded(&journal(&directory)).len(), FILES);
    assert!(touched(&tree, aged).is_empty());
}

/// `t/a` and `t/b`, and a journal of them.
fn begun() -> TempDir {
    let directory = scratch();
    fs::create_dir(directory.path().join("t")).unwrap();
    fs::write(directory.path().join("t/a"), "one").unwrap();
    fs::write(directory.path().join("t/b"), "two").unwrap();
    resume(&directory, &["t"]).done();
    directory
}

fn resume(directory: &TempDir, arguments: &[&str]) -> Ended {
    hash(directory.path(), [&["-a", "md5", "-o", "journal", "--resume"], arguments].concat()).run()
}

#[test]
fn what_changed_or_failed_is_read_again() {
    let directory = begun();
    fs::write(directory.path().join("t/b"), "changed").unwrap();
    resume(&directory, &["t", "late"]).expect(3, "pfh: `late`: No such file or directory (os error 2)\n");
    fs::write(directory.path().join("late"), "late").unwrap();
    resume(&directory, &["t", "late"]).done();
    let records = recorded(&journal(&directory));
    let seen: Vec<(String, &str)> =
        records.iter().map(|record| (path_of(record), record["outcome"].as_str().unwrap())).collect();
    let mut expected =
        ["t/a complete", "t/b complete", "t/b complete", "late unreadable", "late complete"].map(|line| {
            let (path, outcome) = line.split_once(' ').unwrap();
            (path.to_owned(), outcome)
        });
    let mut seen_sorted = seen.clone();
    seen_sorted.sort();
    expected.sort();
    assert_eq!(seen_sorted, expected);
    // The later line counts.
    let last = |path: &str| records.iter().rfind(|record| record["path"] == path).unwrap()["digests"]["md5"].clone();
    assert_eq!(last("t/b"), digest("md5", b"changed").to_string());
    assert_eq!(last("late"), digest("md5", b"late").to_string());
}

/// However much of the last lines is missing, the run goes on behind the last whole one.
#[test]
fn a_torn_last_line() {
    let directory = begun();
    let whole = journal(&directory);
    let header_bytes = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for cut in [1, 2, 30, 150, 250, 300, 400] {
        let kept = whole.len() - cut;
        if kept < header_bytes {
            continue;
        }
        fs::write(directory.path().join("journal"), &whole[..kept]).unwrap();
        let ended = resume(&directory, &["t"]);
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        if whole[kept - 1] != b'\n' {
            let said = "pfh: the last line was incomplete and is written anew: ";
            assert!(ended.stderr.starts_with(said) && ended.stderr.lines().count() == 1, "{cut}: {}", ended.stderr);
        }
        let mut paths: Vec<String> = recorded(&journal(&directory)).iter().map(path_of).collect();
        paths.sort();
        assert_eq!(paths, ["t/a", "t/b"], "{cut}");
    }
}

/// A journal that does not fit is refused and left as it is.
#[test]
fn refusals() {
    let directory = begun();
    let mine = journal(&directory);
    let refused = |ended: Ended, list: &[u8], text: &str| {
        assert_eq!(ended.code(), 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(text), "{text}: {}", ended.stderr);
        assert_eq_bytes(&journal(&directory), list);
    };
    let other = hash(directory.path(), ["-a", "sha1", "-o", "journal", "--resume", "t"]).run();
    let said = "pfh: `journal` was begun with `-a md5`: continue with the same, or give -o another name\n";
    assert_eq!(other.stderr, said);
    refused(other, &mine, said);
    refused(resume(&directory, &["--piecewise", "1M", "t"]), &mine, "was begun with `-a md5`");
    let elsewhere = hash(&directory.path().join("t"), ["-a", "md5", "-o", "../journal", "--resume", "."]).run();
    refused(elsewhere, &mine, "where its relative paths start: continue there, or give -o another name");

    // Somebody else's files, whatever they hold, are not touched.
    let line_break = mine.iter().position(|&byte| byte == b'\n').unwrap();
    let broken_between = [&mine[..=line_break], b"{\"type\":\"fi\n", &mine[line_break + 1..]].concat();
    let foreign: [&[u8]; 5] = [
        b"my thesis\n",
        b"d41d8cd98f00b204e9800998ecf8427e  x\n",
        b"{\"a\":1}\n",
        b"\0\xff binary without a line end",
        &broken_between,
    ];
    for list in foreign {
        fs::write(directory.path().join("journal"), list).unwrap();
        refused(resume(&directory, &["t"]), list, "`journal` is no JSON Lines file of pfh");
    }
}
