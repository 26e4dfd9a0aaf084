//! A filesystem that fails while it is read: no digest is given for bytes that were not read.

use std::fs;
use std::path::Path;
use std::time::Duration;

use pfh_testing::{FaultPlan, FaultyMount};
use tempfile::TempDir;

use crate::fixture::*;

const LENGTH: usize = 3_000_000;

/// A directory at `shown`, with a file for each fault and one that is whole.
struct Faulty {
    directory: TempDir,
    mount: Option<FaultyMount>,
}

/// `None` where nothing can be mounted; the test says so.
fn faulty(plan: &str) -> Option<Faulty> {
    if !Path::new("/dev/fuse").exists() {
        pfh_testing::skipped("there is no /dev/fuse");
        return None;
    }
    let directory = scratch();
    let (real, shown) = (directory.path().join("real"), directory.path().join("shown"));
    fs::create_dir(&real).unwrap();
    fs::create_dir(&shown).unwrap();
    let damaged = plan.lines().map(|line| line.split(' ').next().unwrap());
    for name in damaged.chain(["whole"]) {
        fs::write(real.join(name), contents(0, LENGTH)).unwrap();
    }
    match FaultyMount::new(&real, &shown, FaultPlan::parse(plan.as_bytes()).unwrap()) {
        Ok(mount) => Some(Faulty { directory, mount: Some(mount) }),
        Err(error) => {
            pfh_testing::skipped(format_args!("cannot mount: {error}"));
            None
        }
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        if let Some(mount) = self.mount.take() {
            // A failed test may leave it in use; the directory must go all the same.
            let _ = mount.unmount();
        }
    }
}

const MODES: [&[&str]; 5] = [
    &["--mode", "adaptive", "-t", "1"],
    &["--mode", "adaptive", "-t", "4"],
    &["--mode", "mtp", "-t", "3"],
    &["--mode", "smt", "-t", "2"],
    &["--io", "direct"],
];

#[test]
fn every_fault_has_its_outcome() {
    // Faults of what was read so far happen once for a mount: each run has its own.
    for mode in MODES {
        let plan = "bad eio 1000000 4096\nfirst eio 0 1\ngrows grow 500000 4000000\nlast eio 2999999 1\n\
            shorts short 1000\nshrinks shrink 500000 600000\nstale open 116\ntouched touch 1500000\n";
        let Some(faulty) = faulty(plan) else { return };
        let arguments = [&["-f", "csv", "-a", "md5,crc32c", "-m", "32M"], mode, &["shown"]].concat();
        let ended = hash(faulty.directory.path(), arguments).run();
        let changed = "changed while it was read; no digest is given. Run again when it is at rest";
        let io = "Input/output error (os error 5)";
        let said = format!(
            "pfh: `shown/bad`: unreadable from byte 1000000 on: {io}\n\
            pfh: `shown/first`: {io}\n\
            pfh: `shown/grows`: {changed}\n\
            pfh: `shown/last`: unreadable from byte 2999999 on: {io}\n\
            pfh: `shown/shrinks`: {changed}\n\
            pfh: `shown/stale`: Stale file handle (os error 116)\n\
            pfh: `shown/touched`: {changed}\n"
        );
        let printed = String::from_utf8(ended.expect(3, &said).to_vec()).unwrap();
        let message = contents(0, LENGTH);
        let (md5, crc32c) = (digest("md5", &message), digest("crc32c", &message));
        for line in printed.lines().skip(1) {
            let fields: Vec<&str> = line.trim_end().split(',').collect();
            let [name, size, _, outcome, error, digests @ ..] = &fields[..] else { panic!("{line}") };
            let whole = [md5.to_string(), crc32c.to_string()];
            let (expected, kind, values) = match name.strip_prefix("shown/").unwrap() {
                "bad" | "first" | "last" => ("unreadable", "io: ", None),
                "stale" => ("unreadable", "vanished: ", None),
                "grows" | "shrinks" | "touched" => ("changed-while-reading", "", None),
                "shorts" | "whole" => ("complete", "", Some(whole)),
                other => panic!("{other}"),
            };
            assert_eq!(*outcome, expected, "{mode:?} {line}");
            assert!(error.starts_with(kind), "{mode:?} {line}");
            assert_eq!(digests, values.unwrap_or_default(), "{mode:?} {line}");
            // Whatever could be opened has a size.
            let is_stated = ["bad", "first", "last", "shorts", "whole"].iter().any(|known| name.ends_with(known));
            assert!(!is_stated || *size == LENGTH.to_string(), "{mode:?} {line}");
        }
        assert_eq!(printed.lines().count(), 10, "{printed}");
    }
}

/// Slow reads of one file hold back neither the others nor the end, and a signal is heard meanwhile.
#[test]
fn stalls() {
    let Some(faulty) = faulty("slow stall 300\n") else { return };
    let ended =
        hash(faulty.directory.path(), ["-a", "crc32c", "-t", "2", "shown"]).limit(Duration::from_secs(30)).run();
    let value = digest("crc32c", &contents(0, LENGTH));
    assert_eq!(ended.done(), format!("{value}  shown/slow\n{value}  shown/whole\n").as_bytes());
    assert!(ended.elapsed >= Duration::from_millis(300));
}

#[test]
fn a_directory_that_cannot_be_listed() {
    if !Path::new("/dev/fuse").exists() {
        pfh_testing::skipped("there is no /dev/fuse");
        return;
    }
    let directory = scratch();
    let (real, shown) = (directory.path().join("real"), directory.path().join("shown"));
    fs::create_dir_all(real.join("d/deep")).unwrap();
    fs::create_dir(&shown).unwrap();
    fs::write(real.join("d/deep/f"), "1").unwrap();
    fs::write(real.join("z"), "2").unwrap();
    let Ok(mount) = FaultyMount::new(&real, &shown, FaultPlan::parse(b"d/deep open 5").unwrap()) else {
        pfh_testing::skipped("cannot mount");
        return;
    };
    let ended = hash(directory.path(), ["-a", "md5", "shown"]).run();
    mount.unmount().unwrap();
    let said = "pfh: `shown/d/deep`: Input/output error (os error 5)\n";
    assert_eq!(ended.expect(3, said), format!("{}  shown/z\n", digest("md5", b"2")).as_bytes());
}
