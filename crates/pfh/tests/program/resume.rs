//! `--resume`: a journal survives every end of the program, and only a run that fits it continues it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use pfh_testing::Random;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::findings::collision;
use crate::fixture::*;

const FILES: usize = 400;
const FILE_BYTES: usize = 150_000;

/// Most files in flight when the program is killed, whatever the number of files.
const IN_FLIGHT_MAX: usize = 64;

fn journal(directory: &TempDir) -> Vec<u8> {
    fs::read(directory.path().join("journal")).unwrap_or_default()
}

/// Returns the whole lines of type `file`, in the order of the journal.
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

/// Gives files a time of access that every reading changes, and returns it for a later comparison.
fn age(directory: &Path) -> SystemTime {
    let aged = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for name in names(directory) {
        let file = File::open(directory.join(name)).unwrap();
        file.set_times(FileTimes::new().set_accessed(aged)).unwrap();
    }
    aged
}

/// Returns the files whose time of access has changed.
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
    // If the filesystem keeps no times of access, the files read are unknown.
    let aged = age(&tree);
    fs::read(tree.join("0000")).unwrap();
    let keeps_access_times = touched(&tree, aged).len() == 1;

    let mut random = Random::new(1);
    let (mut kills, mut kills_in_the_middle) = (0, 0);
    loop {
        let aged = age(&tree);
        let before = journal(&directory);
        let running = hash(directory.path(), ["-a", "whirlpool,tiger", "-t", "2", "-o", "journal", "--resume", "t"]);
        let mut running = running.start();
        // Each kill comes later than the one before, so that a slow machine finishes too.
        thread::sleep(Duration::from_millis(20 + random.below(120) + 10 * kills));
        if running.child.try_wait().unwrap().is_none() {
            running.signal(Signal::KILL);
        }
        let ended = running.end();
        let after = journal(&directory);
        // A run that was killed after its summary had read all files; the next one writes its own summary.
        let whole_before = before.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let whole_before = whole_before.take_while(|line| !line.starts_with(b"{\"type\":\"summary\""));
        assert!(after.starts_with(&whole_before.collect::<Vec<_>>().concat()), "a line that was whole is gone");
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

    // At the end each file is there once, with its digest, and the summary counts them all.
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

/// Makes `t/a` and `t/b`, and a journal of them.
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

/// The exit status tells of marks also where the list has them from before.
#[test]
fn marks_of_collisions_count_again() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("harmless"), "x").unwrap();
    let said = "pfh: 1 file that the list has from before bears the marks of a known SHA-1 collision attack\n";
    // Of the second file only a piece has them.
    let inside = [vec![0; 4096], collision()].concat();
    for (message, options) in [(collision(), &[][..]), (inside, &["--piecewise", "4096"])] {
        fs::write(d.join("marked"), message).unwrap();
        let run = |more: &[&str]| {
            let words = ["-a", "sha1dc", "-o", "journal", "--resume", "harmless", "marked"];
            hash(d, [&words[..], options, more].concat()).run()
        };
        assert_eq!(run(&[]).code(), 1);
        run(&[]).expect(1, said);
        run(&["-q"]).expect(1, "");
        // The latest line decides.
        fs::write(d.join("marked"), "harmless, too").unwrap();
        run(&[]).expect(0, "");
        run(&[]).expect(0, "");
        fs::remove_file(d.join("journal")).unwrap();
    }
}

/// However much of the last lines is missing, the run continues after the last whole one.
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

/// A journal that does not fit is refused and not changed.
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
    for (options, lacks) in [
        (&["--piecewise", "1M", "t"][..], "--piecewise"),
        (&["--facts", "t"], "--facts"),
        (&["--facts", "--piecewise", "1M", "t"], "--piecewise or --facts"),
    ] {
        let said =
            format!("pfh: `journal` was begun with `-a md5` and without {lacks}: continue with the same, or give");
        refused(resume(&directory, options), &mine, &said);
    }
    let elsewhere = hash(&directory.path().join("t"), ["-a", "md5", "-o", "../journal", "--resume", "."]).run();
    refused(elsewhere, &mine, "where its relative paths start: continue there, or give -o another name");

    // Other files, whatever their contents, are not changed, nor is a list whose header was changed.
    let mut other_header = mine.clone();
    other_header[60] ^= 1;
    let zeros_before = [&[0; 100], &mine[..]].concat();
    let foreign: [&[u8]; 6] = [
        b"my thesis\n",
        b"d41d8cd98f00b204e9800998ecf8427e  x\n",
        b"{\"a\":1}\n",
        b"\0\xff binary without a line end",
        &other_header,
        &zeros_before,
    ];
    for list in foreign {
        fs::write(directory.path().join("journal"), list).unwrap();
        refused(resume(&directory, &["t"]), list, "`journal` is not a JSON Lines file of pfh");
    }
}

/// Returns the digest in the last line of a path; `None` if that file is not complete.
fn last_digest(directory: &TempDir, path: &str) -> Option<String> {
    let records = recorded(&journal(directory));
    let last = records.iter().rfind(|record| record["path"] == path).unwrap();
    last["digests"]["md5"].as_str().map(str::to_owned)
}

/// Writes a file and gives it a time of modification.
fn write_at(path: &Path, text: &str, seconds: u64) {
    fs::write(path, text).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
}

/// A later line overrides an earlier one: a file that is as it was two runs ago is hashed again.
#[test]
fn the_latest_line_decides() {
    for name in [&b"f"[..], b"f\xff"] {
        let directory = scratch();
        fs::create_dir(directory.path().join("t")).unwrap();
        let file = directory.path().join("t").join(path(name));
        let shown = format!("t/{}", String::from_utf8_lossy(name));
        write_at(&file, "first", 1_000_000);
        resume(&directory, &["t"]).done();
        write_at(&file, "other", 2_000_000);
        resume(&directory, &["t"]).done();
        assert_eq!(last_digest(&directory, &shown), Some(digest("md5", b"other").to_string()));
        write_at(&file, "first", 1_000_000);
        resume(&directory, &["t"]).done();
        assert_eq!(last_digest(&directory, &shown), Some(digest("md5", b"first").to_string()));
        // Meanwhile it was no regular file, which gives a line without digests.
        fs::remove_file(&file).unwrap();
        fifo(&file);
        resume(&directory, &["t"]).done();
        assert_eq!(last_digest(&directory, &shown), None);
        fs::remove_file(&file).unwrap();
        write_at(&file, "first", 1_000_000);
        resume(&directory, &["t"]).done();
        assert_eq!(last_digest(&directory, &shown), Some(digest("md5", b"first").to_string()));
        // Now it is known, whatever the order of the lines before.
        assert_eq!(recorded(&journal(&directory)).len(), 5);
        resume(&directory, &["t"]).done();
        assert_eq!(recorded(&journal(&directory)).len(), 5);
    }
}

/// While a run is active, another one on the same journal is refused, and changes nothing.
#[test]
fn one_run_at_a_time() {
    let directory = begun();
    fifo(&directory.path().join("pipe"));
    let arguments = ["-a", "md5", "-o", "journal", "--resume", "pipe"];
    let first = hash(directory.path(), arguments).start();
    // The first run has the lock, and has cut off the summary.
    eventually("the first run is ready to append", || {
        let file = File::open(directory.path().join("journal")).unwrap();
        let has_summary = String::from_utf8(journal(&directory)).unwrap().contains("{\"type\":\"summary\"");
        file.try_lock().is_err() && !has_summary
    });
    let during = journal(&directory);
    let said = "pfh: `journal` is in use by another run: wait until that has ended, or give -o another name\n";
    for options in [&["t"][..], &["--compact", "t"], &["-q", "t"]] {
        resume(&directory, options).expect(2, said);
    }
    assert_eq_bytes(&journal(&directory), &during);
    fs::write(directory.path().join("pipe"), "through").unwrap();
    assert_eq!(first.end().code(), 0);
    resume(&directory, &["t"]).done();
    assert_eq!(last_digest(&directory, "pipe"), Some(digest("md5", b"through").to_string()));

    // A new journal is locked as well, and a killed run leaves no lock.
    let begins = || hash(directory.path(), ["-a", "md5", "-o", "new", "--resume", "pipe"]);
    let first = begins().start();
    let new = directory.path().join("new");
    eventually("the first run has begun", || File::open(&new).is_ok_and(|file| file.try_lock().is_err()));
    let said = "pfh: `new` is in use by another run: wait until that has ended, or give -o another name\n";
    begins().run().expect(2, said);
    first.signal(Signal::KILL);
    assert_eq!(first.end().code(), 137);
    hash(directory.path(), ["-a", "md5", "-o", "new", "--resume", "-q", "t"]).run().done();
}

/// A crash of the system can leave zeros, or nothing, of a new file.
#[test]
fn a_journal_of_zeros() {
    for (bytes, said) in [
        (0, "pfh: `journal` is empty: it is begun anew\n"),
        (1, "pfh: `journal` holds zero bytes only, as a crash can leave it: it is begun anew\n"),
        (300_000, "pfh: `journal` holds zero bytes only, as a crash can leave it: it is begun anew\n"),
    ] {
        let directory = begun();
        fs::write(directory.path().join("journal"), vec![0; bytes]).unwrap();
        resume(&directory, &["t"]).expect(0, said);
        assert_eq!(recorded(&journal(&directory)).len(), 2);
        assert_eq!(names(directory.path()), [path(b"journal"), path(b"t")]);
    }
    // A hole at the end, larger than any line may be.
    let directory = begun();
    let before = journal(&directory);
    let file = File::options().write(true).open(directory.path().join("journal")).unwrap();
    file.set_len(200 << 20).unwrap();
    let said = format!(
        "pfh: the last line was incomplete and is written anew: line 5, byte {}: there are zero bytes instead of a line\n",
        before.len()
    );
    resume(&directory, &["t"]).expect(0, &said);
    assert_eq!(recorded(&journal(&directory)), recorded(&before));
    assert!(journal(&directory).len() < before.len() + 100);
}

/// An empty argument, such as that of a variable that is not set, is listed as unreadable and read back as such.
#[test]
fn an_empty_argument_damages_no_journal() {
    let directory = begun();
    for _ in 0..2 {
        let run = resume(&directory, &["", "t"]);
        assert_eq!(run.code(), 3);
        assert!(!run.said().contains("damaged"), "{}", run.said());
    }
    assert_eq!(names(directory.path()), [path(b"journal"), path(b"t")]);
    let records = recorded(&journal(&directory));
    assert!(records.iter().any(|record| path_of(record).is_empty() && record["outcome"] == "unreadable"));
    let verified = pfh(directory.path(), ["verify", "journal"]).run();
    assert!(!verified.said().contains("of the list could not be read"), "{}", verified.said());
}

/// Damaged lines of a journal are dropped, the others are kept unchanged, and the damaged file is kept beside it.
#[test]
fn a_damaged_journal_is_salvaged() {
    let directory = begun();
    fs::write(directory.path().join("t/c"), "three").unwrap();
    resume(&directory, &["t"]).done();
    let target = directory.path().join("journal");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    let before = journal(&directory);
    let lines: Vec<&[u8]> = before.split_inclusive(|&byte| byte == b'\n').collect();
    assert_eq!(lines.len(), 5);
    for (number, break_it) in [
        |line: &[u8]| [&line[..line.len() - 30], b"0", &line[line.len() - 29..]].concat(),
        |line: &[u8]| vec![0; line.len()],
        |line: &[u8]| b"\n".repeat(line.len()),
        |line: &[u8]| line[..line.len() / 2].to_vec(),
    ]
    .into_iter()
    .enumerate()
    {
        let broken = break_it(lines[2]);
        let damaged = [lines[0], lines[1], &broken, lines[3], lines[4]].concat();
        fs::write(&target, &damaged).unwrap();
        let ended = resume(&directory, &["-q", "t"]);
        assert_eq!(ended.code(), 3, "{}", ended.stderr);
        let kept = format!("journal.damaged-{}", number + 1);
        let mut said = ended.stderr.lines();
        let first = said.next().unwrap();
        assert!(first.starts_with("pfh: `journal` has ") && first.ends_with(&format!("as `{kept}`")), "{first}");
        assert!(said.next().unwrap().starts_with("pfh: `journal`: line 3, byte "), "{}", ended.stderr);
        assert_eq_bytes(&fs::read(directory.path().join(&kept)).unwrap(), &damaged);

        // Whole lines are unchanged, byte for byte, and the other files are hashed again.
        let after = journal(&directory);
        let whole = [lines[0], lines[1]].concat();
        assert!(after.starts_with(&whole), "{}", String::from_utf8_lossy(&after));
        let mut paths: Vec<String> = recorded(&after).iter().map(path_of).collect();
        paths.sort();
        assert_eq!(paths, ["t/a", "t/b", "t/c"]);
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
        resume(&directory, &["t"]).done();
    }
    // Nothing else is left behind.
    assert_eq!(names(directory.path()).len(), 6);
}

/// Of two lists in one file, the lines of both count. A list with other digests is refused.
#[test]
fn two_journals_in_one() {
    let directory = begun();
    let first = journal(&directory);
    fs::write(directory.path().join("journal"), first.repeat(2)).unwrap();
    let ended = resume(&directory, &["t"]);
    assert_eq!(ended.code(), 3);
    assert!(ended.stderr.contains("expected one header, and this is the second"), "{}", ended.stderr);
    assert_eq!(recorded(&journal(&directory)).len(), 4);
    resume(&directory, &["t"]).done();

    hash(directory.path(), ["-a", "sha1", "-o", "other", "--resume", "t"]).run().done();
    let both = [first, fs::read(directory.path().join("other")).unwrap()].concat();
    fs::write(directory.path().join("journal"), &both).unwrap();
    let ended = resume(&directory, &["t"]);
    assert_eq!(ended.code(), 2);
    assert!(ended.stderr.contains("it has a second header, of a run with other digests"), "{}", ended.stderr);
    assert_eq_bytes(&journal(&directory), &both);
}

/// Superseded lines are dropped on request, and the others are unchanged and in their order.
#[test]
fn compaction() {
    let directory = begun();
    let file = directory.path().join("t/b");
    for version in 0..6 {
        write_at(&file, &format!("version {version}"), 1_000_000 + version);
        resume(&directory, &["t"]).done();
    }
    resume(&directory, &["-q", "t", "gone"]).expect(3, "");
    let before = journal(&directory);
    let lines: Vec<&[u8]> = before.split_inclusive(|&byte| byte == b'\n').collect();
    let is_about = |line: &&&[u8], name: &str| String::from_utf8_lossy(line).contains(&format!("\"path\":\"{name}\""));
    let last = |name: &str| lines.iter().rposition(|line| is_about(&line, name)).unwrap();
    let mut latest = [last("t/a"), last("t/b"), last("gone")];
    latest.sort_unstable();
    let expected = [lines[0], lines[latest[0]], lines[latest[1]], lines[latest[2]]].concat();
    let ended = resume(&directory, &["--compact", "t"]);
    ended.expect(0, "pfh: `journal`: 6 of 9 lines were superseded and are dropped\n");
    let after = journal(&directory);
    assert_eq_bytes(&after[..expected.len()], &expected);
    assert_eq!(after.split_terminator_lines().count(), 5);
    // There is nothing to drop, so the file stays the same one.
    let inode = |directory: &TempDir| fs::metadata(directory.path().join("journal")).unwrap().ino();
    let same = inode(&directory);
    resume(&directory, &["--compact", "t"]).done();
    assert_eq!(inode(&directory), same);
    assert_eq!(names(directory.path()), [path(b"journal"), path(b"t")]);
    let alone = hash(directory.path(), ["-o", "journal", "--compact", "t"]).run();
    assert_eq!(alone.code(), 2);

    // If that would halve a journal, a message says so.
    let grown = [lines[0], &lines[1].repeat(150), lines[2]].concat();
    fs::write(directory.path().join("journal"), &grown).unwrap();
    let said = "pfh: `journal`: 149 of 151 lines are superseded by later ones; --compact drops them\n";
    resume(&directory, &["t"]).expect(0, said);
    assert!(journal(&directory).starts_with(&grown));
}

/// A forgotten `--resume` loses neither a history nor the work of hours. Other lists are made anew.
#[test]
fn a_run_without_resume_replaces_no_journal() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "x").unwrap();
    let refused = |lost: &str| {
        let before = journal(&directory);
        for format in ["gnu", "jsonl"] {
            let said = format!(
                "pfh: `journal` {lost}, which would be lost: continue it with --resume, name another file, or remove it\n"
            );
            hash(d, ["-f", format, "-o", "journal", "f"]).run().expect(2, &said);
            assert_eq_bytes(&journal(&directory), &before);
        }
    };
    for format in ["jsonl", "gnu", "jsonl"] {
        hash(d, ["-f", format, "-o", "journal", "f"]).run().done();
    }
    hash(d, ["-o", "journal", "--resume", "f"]).run().done();
    hash(d, ["-f", "jsonl", "-o", "journal", "f"]).run().done();
    fs::write(d.join("f"), "changed").unwrap();
    hash(d, ["-o", "journal", "--resume", "f"]).run().done();
    refused("has lines of earlier runs");
    // A list that was made of a journal has its arguments, and not its history.
    assert_eq!(pfh(d, ["convert", "-q", "-f", "jsonl", "-o", "list", "journal"]).run().code(), 0);
    hash(d, ["-f", "jsonl", "-o", "list", "f"]).run().done();
    // The counts of a journal that grew in each run are those of a list of one run.
    fs::remove_file(d.join("journal")).unwrap();
    fs::write(d.join("later"), "y").unwrap();
    for paths in [&["f"][..], &["f", "later"]] {
        hash(d, [&["-o", "journal", "--resume"][..], paths].concat()).run().done();
        refused("is a journal of --resume");
    }
    assert_eq!(pfh(d, ["convert", "-q", "-f", "jsonl", "-o", "list", "journal"]).run().code(), 0);
    hash(d, ["-f", "jsonl", "-o", "list", "f"]).run().done();
    let list = fs::read_to_string(d.join("list")).unwrap();
    fs::write(d.join("journal"), &list[..list.find("{\"type\":\"summary\"").unwrap()]).unwrap();
    refused("is the list of an interrupted run");
}

/// `kill -9` while a journal is rewritten leaves the old one or the new one, and nothing beside it.
#[test]
fn a_killed_compaction_loses_nothing() {
    let directory = begun();
    let d = directory.path();
    let before = journal(&directory);
    let lines: Vec<&[u8]> = before.split_inclusive(|&byte| byte == b'\n').collect();
    let grown = [lines[0], &lines[1].repeat(20_000), lines[2]].concat();
    let has_unnamed = has_unnamed_files(d);
    for delay in 0.. {
        fs::write(d.join("journal"), &grown).unwrap();
        let running = hash(d, ["-q", "-a", "md5", "-o", "journal", "--resume", "--compact", "t"]).start();
        thread::sleep(Duration::from_millis(20 * delay));
        running.signal(Signal::KILL);
        let ended = running.end();
        let after = journal(&directory);
        assert!(after == grown || recorded(&after) == recorded(&before), "{} bytes", after.len());
        if has_unnamed {
            assert_eq!(names(d), [path(b"journal"), path(b"t")]);
        }
        if ended.code() != 137 {
            assert!(ended.code() == 0 && delay > 0, "{delay}: {}", ended.code());
            break;
        }
    }
}

/// A whole journal keeps its end, and a damaged one its lines, where the command cannot run.
#[test]
fn a_refused_command_leaves_the_journal_as_it_is() {
    let directory = begun();
    let d = directory.path();
    let whole = journal(&directory);
    let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    let damaged = [lines[0], b"no line\n", lines[1], lines[2]].concat();
    for bytes in [&whole, &damaged] {
        for (words, said) in [
            ("journal t", "`journal` is to be read and is also the output: name another file"),
            ("--compact t ./journal", "`./journal` is to be read and is also the output: name another file"),
            ("--files-from journal", "`journal` is to be read and is also the output: name another file"),
            ("-m 100K t", "memory"),
            ("-m 100K --compact t", "memory"),
        ] {
            fs::write(d.join("journal"), bytes).unwrap();
            let ended = hash(d, format!("-a md5 -o journal --resume {words}").split(' ')).run();
            assert!(ended.code() == 2 && ended.stderr.contains(said), "{words}: {}", ended.stderr);
            assert_eq_bytes(&journal(&directory), bytes);
            assert_eq!(names(d), ["journal", "t"].map(Path::new), "{words}");
        }
    }
}

/// `--resume` takes 16 bytes for each file of the journal, and at most a quarter more.
#[test]
fn memory_of_a_long_journal() {
    const FILES: usize = 300_000;
    let directory = begun();
    fifo(&directory.path().join("pipe"));
    let short = journal(&directory);
    let mut lines = short.split_inclusive(|&byte| byte == b'\n');
    // Without check values, as an earlier version wrote it, so that any path makes a valid line.
    let older = |line: &[u8]| String::from_utf8_lossy(line).split(",\"check\"").next().unwrap().to_owned() + "}\n";
    let (header, line) = (older(lines.next().unwrap()), older(lines.next().unwrap()));
    let (before, after) = line.split_once("t/").unwrap();
    let after = after.split_once('"').unwrap().1;
    let mut long = header.clone();
    for number in 0..FILES {
        long.push_str(&format!("{before}somewhere/in/the/archive/{number:09}\"{after}"));
    }
    let peak_kib = |text: &str| {
        fs::write(directory.path().join("journal"), text).unwrap();
        // The program has read the journal before it waits for a writer of the FIFO.
        let running = hash(directory.path(), ["-a", "md5", "-t", "1", "-m", "4M", "-o", "journal", "--resume", "pipe"]);
        let running = running.start();
        running.wait_until_it_hangs();
        fs::write(directory.path().join("pipe"), "through").unwrap();
        let ended = running.end();
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        ended.peak_own_kib
    };
    let (little, much) = (peak_kib(&header), peak_kib(&long));
    let bytes_per_file = (much.saturating_sub(little) << 10) / FILES as u64;
    assert!((10..=24).contains(&bytes_per_file), "{bytes_per_file} bytes for each file ({little} and {much} KiB)");
}
