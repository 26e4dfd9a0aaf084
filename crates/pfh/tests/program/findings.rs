//! Findings of a run beside digests: marks of collision attacks, and files with several names.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::fixture::*;

/// A message of a published attack (the file states its origin).
pub(crate) fn collision() -> Vec<u8> {
    let list = include_str!("../../../digest/tests/vectors/sha1-collisions.txt");
    let (_, hexadecimal) = list.lines().find(|line| !line.starts_with('#')).unwrap().split_once(' ').unwrap();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    hexadecimal.trim().as_bytes().chunks(2).map(byte).collect()
}

#[test]
fn a_collision_attack() {
    let directory = scratch();
    fs::write(directory.path().join("harmless"), "x").unwrap();
    fs::write(directory.path().join("shattered"), collision()).unwrap();
    let value = digest("sha1", &collision());
    let lines = format!("{value}  shattered\n{}  harmless\n", digest("sha1", b"x"));
    let said = "pfh: `shattered`: made by a known SHA-1 collision attack: another file with the same SHA-1 exists\n";
    let ended = hash(directory.path(), ["-a", "sha1dc", "shattered", "harmless"]).run();
    assert_eq_bytes(ended.expect(1, said), lines.as_bytes());
    // `--quiet` changes the messages, not the exit status, which shows a finding as well as a missing file.
    let ended = hash(directory.path(), ["-q", "-a", "sha1dc", "shattered", "harmless"]).run();
    assert_eq_bytes(ended.expect(1, ""), lines.as_bytes());
    let ended = hash(directory.path(), ["-q", "-a", "sha1dc", "shattered", "harmless", "gone"]).run();
    assert_eq_bytes(ended.expect(5, ""), lines.as_bytes());
    // Plain SHA-1 detects nothing.
    assert_eq_bytes(hash(directory.path(), ["-a", "sha1", "shattered", "harmless"]).run().done(), lines.as_bytes());

    let ended = hash(directory.path(), ["-f", "jsonl", "-a", "md5,sha1dc", "shattered", "harmless"]).run();
    let printed = str::from_utf8(ended.expect(1, said)).unwrap();
    let records: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records[1]["collisions"], serde_json::json!(["sha1dc"]));
    assert_eq!(records[1]["digests"]["sha1dc"], value.to_string());
    assert_eq!(records[2].get("collisions"), None);
    let ended = hash(directory.path(), ["-f", "csv", "-a", "sha1dc", "shattered", "harmless"]).run();
    let lines: Vec<&str> = str::from_utf8(ended.expect(1, said)).unwrap().split("\r\n").collect();
    assert!(lines[0].ends_with(",sha1dc,collisions") && lines[2].ends_with(','), "{lines:?}");
    assert!(lines[1].ends_with(&format!(",{value},sha1dc")), "{lines:?}");

    // Inside another file only the piece has the marks.
    let inside = [vec![0; 4096], collision()].concat();
    fs::write(directory.path().join("inside"), inside).unwrap();
    hash(directory.path(), ["-a", "sha1dc", "inside"]).run().expect(0, "");
    let said = "pfh: `inside`: the piece at byte 4096 bears the marks of a known SHA-1 collision attack\n";
    hash(directory.path(), ["-a", "sha1dc", "--piecewise", "4096", "inside"]).run().expect(1, said);
}

/// Every name of a file has its line, and the file is read once.
#[test]
fn hard_links() {
    const LENGTH: usize = 30_000_000;
    let directory = scratch();
    let t = directory.path().join("t");
    fs::create_dir(&t).unwrap();
    let message = contents(9, LENGTH);
    fs::write(t.join("00"), &message).unwrap();
    for number in 1..20 {
        fs::hard_link(t.join("00"), t.join(format!("{number:02}"))).unwrap();
    }
    for mode in ["adaptive", "mtp", "smt"] {
        let ended = hash(directory.path(), ["--mode", mode, "-t", "4", "--stats=json", "t"]).run();
        let expected: String = (0..20).map(|number| line(&message, &format!("t/{number:02}"))).collect();
        assert_eq!(String::from_utf8_lossy(&ended.stdout), expected, "{mode}");
        let stats: Value = serde_json::from_str(&ended.stderr).unwrap();
        assert_eq!((&stats["files"]["complete"], &stats["bytes"]), (&20.into(), &LENGTH.into()), "{mode}");
        let expected = LENGTH as u64 / 2..LENGTH as u64 * 3 / 2;
        assert!(expected.contains(&ended.read_bytes), "{mode}: {} bytes", ended.read_bytes);
    }
}

/// If the filesystem records accesses, `--preserve-access-time` prevents it for files of one's own.
#[test]
fn access_times() {
    let directory = scratch();
    let name = directory.path().join("f");
    fs::write(&name, "x").unwrap();
    let aged = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let times = fs::FileTimes::new().set_accessed(aged);
    File::options().append(true).open(&name).unwrap().set_times(times).unwrap();
    let before = fs::metadata(&name).unwrap();
    for mode in ["adaptive", "mtp", "smt"] {
        let ended = hash(directory.path(), ["--preserve-access-time", "--mode", mode, "f"]).run();
        assert_eq!(ended.done(), line(b"x", "f").as_bytes());
        let after = fs::metadata(&name).unwrap();
        assert_eq!((after.atime(), after.ctime_nsec()), (before.atime(), before.ctime_nsec()), "{mode}");
    }
}
