//! A filesystem that fails while it is read: no digest is given for bytes that were not read.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use pfh_testing::{FaultPlan, FaultyMount, FaultyOptions, Writing, rewritten};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::fixture::*;

const LENGTH: usize = 3_000_000;

/// A directory at `shown`, with a file for each fault and one without.
struct Faulty {
    directory: TempDir,
    mount: Option<FaultyMount>,
}

/// Returns `None` if nothing can be mounted; the test reports that.
fn faulty(plan: &str) -> Option<Faulty> {
    let directory = scratch();
    let (real, shown) = (directory.path().join("real"), directory.path().join("shown"));
    fs::create_dir(&real).unwrap();
    let damaged = plan.lines().map(|line| line.split(' ').next().unwrap());
    for name in damaged.chain(["whole"]) {
        fs::write(real.join(name), contents(0, LENGTH)).unwrap();
    }
    let mount = Some(mount_faults(&real, &shown, None, plan)?);
    Some(Faulty { directory, mount })
}

impl Drop for Faulty {
    fn drop(&mut self) {
        if let Some(mount) = self.mount.take() {
            // A failed test may leave the mount in use; the directory must be removed anyway.
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
    // Faults that count the bytes read happen once per mount, so each run has its own.
    for mode in MODES {
        let plan = "bad eio 1000000 4096\nfirst eio 0 1\ngrows grow 500000 4000000\nlast eio 2999999 1\n\
            shorts short 1000\nshrinks shrink 500000 600000\nstale open 116\ntouched touch 1500000\n";
        let Some(faulty) = faulty(plan) else { return };
        let arguments = [&["-f", "csv", "-a", "md5,crc32c", "-m", "32M"], mode, &["shown"]].concat();
        let ended = hash(faulty.directory.path(), arguments).run();
        let changed = "changed while it was read; no digest is given. Run again when it no longer changes";
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
            // Every file that could be opened has a size.
            let is_stated = ["bad", "first", "last", "shorts", "whole"].iter().any(|known| name.ends_with(known));
            assert!(!is_stated || *size == LENGTH.to_string(), "{mode:?} {line}");
        }
        assert_eq!(printed.lines().count(), 10, "{printed}");
    }
}

/// A mounted filesystem, unmounted when dropped.
pub(crate) struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    /// Makes an XFS in a file `image` of `root`, whose files can share blocks, and mounts it. Returns `None` if this
    /// user may not, or there is no program for it; the test reports that.
    pub(crate) fn xfs(root: &Path, mounted: &'a Path) -> Option<Mounted<'a>> {
        let image = root.join("image");
        // The smallest that mkfs.xfs takes.
        fs::File::create(&image).unwrap().set_len(300 << 20).unwrap();
        fs::create_dir_all(mounted).unwrap();
        let succeeds = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
        let is_mounted = succeeds(Command::new("mkfs.xfs").args(["-q", "-m", "reflink=1"]).arg(&image))
            && succeeds(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(mounted));
        if !is_mounted {
            skipped(Need::Mount, "cannot make and mount an XFS");
        }
        is_mounted.then_some(Mounted(mounted))
    }

    /// Mounts an overlay over a directory. Returns `None` if this user may not; the test reports that.
    fn overlay(root: &Path, lower: &str, merged: &'a Path) -> Option<Mounted<'a>> {
        ["upper", "work"].iter().for_each(|name| fs::create_dir_all(root.join(name)).unwrap());
        fs::create_dir_all(merged).unwrap();
        let options = format!("lowerdir={lower},upperdir=upper,workdir=work");
        let mut mount = Command::new("mount");
        let mount = mount.args(["-t", "overlay", "overlay", "-o", &options]).arg(merged).current_dir(root).output();
        let mounted = mount.is_ok_and(|mount| mount.status.success());
        if !mounted {
            skipped(Need::Mount, "cannot mount an overlay");
        }
        mounted.then_some(Mounted(merged))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        // A failed test may leave the mount in use; the directory must be removed anyway.
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

/// Runs in every mode over files that are rewritten while being read: each gets the digest of one version, or none.
fn never_torn(options: FaultyOptions, under_overlay: bool) {
    let modes = MODES.into_iter().chain([&["--medium", "solid-state"][..], &["--io", "drop"]]);
    for mode in modes {
        let directory = scratch();
        let root = directory.path();
        let (real, shown, merged) = (root.join("real"), root.join("shown"), root.join("merged"));
        for directory in [&real, &shown] {
            fs::create_dir(directory).unwrap();
        }
        let sizes = [("long", LENGTH, 1_000_000), ("short", 5000, 1000), ("tiny", 100, 0), ("many", 70_000, 66_000)];
        let mut plan = String::new();
        for (name, length, after) in sizes {
            fs::write(real.join(name), contents(length, length)).unwrap();
            plan += &format!("{name} rewrite {after}\n");
        }
        fs::write(real.join("whole"), contents(0, LENGTH)).unwrap();
        let Ok(mount) = FaultyMount::with(options, &real, &shown, FaultPlan::parse(plan.as_bytes()).unwrap()) else {
            skipped(Need::Fuse, "cannot mount");
            return;
        };
        let overlay = if under_overlay { Mounted::overlay(root, "shown", &merged) } else { None };
        if under_overlay && overlay.is_none() {
            return;
        }
        let seen = if under_overlay { "merged" } else { "shown" };
        let arguments = [&["-f", "csv", "-a", "md5", "-m", "32M"], mode, &[seen]].concat();
        let first = hash(root, &arguments).run();
        // The files no longer change by then.
        let second = hash(root, &arguments).run();
        drop(overlay);
        mount.unmount().unwrap();
        let lines = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (first_code, first, second) = (first.code(), lines(&first.stdout), lines(second.done()));
        assert_eq!((first.lines().count(), second.lines().count()), (6, 6), "{mode:?} {first}");
        let whole = format!("complete,,{}", digest("md5", &contents(0, LENGTH)));
        for (name, length, _) in sizes {
            let mut contents = contents(length, length);
            rewritten(&mut contents);
            let new = format!("complete,,{}", digest("md5", &contents));
            let line_of = |text: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
            let (once, again) = (line_of(&first), line_of(&second));
            // Attributes not asked for before the first read are asked for again, and are new then.
            assert!(once.contains("changed-while-reading") || once.ends_with(&new), "{options:?} {mode:?} {once}");
            assert!(again.ends_with(&new), "{options:?} {mode:?} {again}");
        }
        assert_eq!(first_code, 3, "{mode:?}");
        assert!(first.lines().last().unwrap().ends_with(&whole), "{mode:?} {first}");
        assert!(second.lines().last().unwrap().ends_with(&whole), "{mode:?} {second}");
    }
}

const HOURS: Duration = Duration::from_secs(3 * 3600);

/// The kernel answers from cached attributes, on a read-only mount also after reading.
#[test]
fn remembered_attributes_hide_no_change() {
    if Path::new("/dev/fuse").exists() {
        for remembered in [Duration::ZERO, Duration::from_secs(1), HOURS] {
            for page_cache in [false, true] {
                for slow_by in [Duration::ZERO, HOURS] {
                    never_torn(FaultyOptions { remembered, page_cache, slow_by, writing: None }, false);
                }
            }
        }
    } else {
        skipped(Need::Fuse, "there is no /dev/fuse");
    }
}

/// An overlay shows the times of its layers, one of which may have another clock.
#[test]
fn an_overlay_over_a_foreign_clock_hides_no_change() {
    if Path::new("/dev/fuse").exists() && is_root() {
        for remembered in [Duration::ZERO, HOURS] {
            for slow_by in [Duration::ZERO, HOURS] {
                never_torn(FaultyOptions { remembered, page_cache: true, slow_by, writing: None }, true);
            }
        }
    } else {
        skipped(Need::Fuse, "there is no /dev/fuse, or this user may not mount an overlay");
    }
}

/// The paths of the command line are examined before anything is hashed, and a signal ends this too. (Linux itself
/// waits for an answer that a filesystem in user space owes, even after SIGKILL.)
#[test]
fn interrupted_while_a_path_does_not_answer() {
    let Some(faulty) = faulty("slow lookup 4000\n") else { return };
    let d = faulty.directory.path();
    fs::write(d.join("list"), "old").unwrap();
    let running = hash(d, ["-o", "list", "shown/whole", "shown/slow"]).start();
    running.wait_until_it_hangs();
    running.signal(Signal::TERM);
    assert_eq!(running.end().code(), 130);
    assert_eq!(fs::read_to_string(d.join("list")).unwrap(), "old");
    assert_eq!(names(d), ["list", "list.partial", "real", "shown"].map(Path::new));
}

/// A signal abandons a run that hangs in a read, but not a list that is being stored.
#[test]
fn a_list_that_takes_long_to_be_stored_survives_a_signal() {
    let directory = scratch();
    let d = directory.path();
    let (real, shown) = (d.join("real"), d.join("shown"));
    fs::create_dir(&real).unwrap();
    fs::write(d.join("f"), "x").unwrap();
    // It would take minutes.
    fs::File::create(d.join("long")).unwrap().set_len(1 << 40).unwrap();
    let writing = Some(Writing::default());
    let Some(mount) = mount_faults(&real, &shown, writing, ". store 3500") else { return };
    let interrupted = hash(d, ["-o", "shown/part", "f", "long"]).start();
    interrupted.wait_until_it_reads(&d.join("long"));
    interrupted.signal(Signal::TERM);
    let interrupted = interrupted.end();
    // This run has read everything when the signal comes.
    let whole = hash(d, ["-o", "shown/whole", "f"]).start();
    eventually("the list is being stored", || {
        let mut files = fs::read_dir(&real).unwrap().flatten().filter(|file| file.file_name() != "part.partial");
        files.any(|file| file.metadata().is_ok_and(|metadata| metadata.len() > 0))
    });
    whole.signal(Signal::TERM);
    let whole = whole.end();
    mount.unmount().unwrap();
    interrupted.expect(130, "pfh: interrupted; what was finished is in `shown/part.partial`\n");
    whole.done();
    assert_eq!(names(&real), ["part.partial", "whole"].map(Path::new));
    for list in names(&real) {
        assert_eq!(fs::read_to_string(real.join(list)).unwrap(), line(b"x", "f"));
    }
}

/// Slow reads of one file delay neither the others nor the end, and signals are handled meanwhile.
#[test]
fn stalls() {
    let Some(faulty) = faulty("slow stall 300\n") else { return };
    let ended =
        hash(faulty.directory.path(), ["-a", "crc32c", "-t", "2", "shown"]).limit(Duration::from_secs(30)).run();
    let value = digest("crc32c", &contents(0, LENGTH));
    assert_eq!(ended.done(), format!("{value}  shown/slow\n{value}  shown/whole\n").as_bytes());
    assert!(ended.elapsed >= Duration::from_millis(300));
}

/// A network filesystem may take all bytes of a list, and find only later that there is no room for them.
#[test]
fn a_list_on_standard_output_that_is_not_stored_is_an_error() {
    let directory = scratch();
    let (real, shown) = (directory.path().join("real"), directory.path().join("shown"));
    fs::create_dir(&real).unwrap();
    fs::write(directory.path().join("f"), "x").unwrap();
    let writing = Some(Writing::default());
    let Some(mount) = mount_faults(&real, &shown, writing, "list sync 122") else { return };
    let run = |name: &str| {
        let list = fs::File::create(shown.join(name)).unwrap();
        hash(directory.path(), ["f"]).with(|command| command.stdout(list)).run()
    };
    let (failed, stored) = (run("list"), run("other"));
    // Any other descriptor is like that of standard output.
    let list = fs::File::create(shown.join("list")).unwrap();
    let of_descriptor = hash(directory.path(), ["-o", "/dev/fd/0", "f"]).with(|command| command.stdin(list)).run();
    mount.unmount().unwrap();
    for failed in [failed, of_descriptor] {
        failed.expect(4, "pfh: the output could not be written: Disk quota exceeded (os error 122)\n");
    }
    stored.done();
    assert_eq!(fs::read_to_string(real.join("other")).unwrap(), line(b"x", "f"));
}

/// The list has taken the place of the old one when its directory cannot be written to the disk.
#[test]
fn a_list_whose_directory_is_not_stored_is_there_and_told() {
    let directory = scratch();
    let (real, shown) = (directory.path().join("real"), directory.path().join("shown"));
    fs::create_dir_all(real.join("d")).unwrap();
    fs::write(real.join("d/list"), "old").unwrap();
    fs::write(directory.path().join("f"), "x").unwrap();
    let writing = Some(Writing::default());
    let Some(mount) = mount_faults(&real, &shown, writing, "d open 5") else { return };
    let ended = hash(directory.path(), ["-o", "shown/d/list", "f"]).run();
    mount.unmount().unwrap();
    ended.expect(
        4,
        "pfh: the output: it is complete and in its place, but its directory could not be written to the disk: \
         Input/output error (os error 5); run `sync`, since it may be lost if the power fails before\n",
    );
    assert_eq!(fs::read_to_string(real.join("d/list")).unwrap(), line(b"x", "f"));
}

#[test]
fn a_directory_that_cannot_be_listed() {
    let directory = scratch();
    let (real, shown) = (directory.path().join("real"), directory.path().join("shown"));
    fs::create_dir_all(real.join("d/deep")).unwrap();
    fs::write(real.join("d/deep/f"), "1").unwrap();
    fs::write(real.join("z"), "2").unwrap();
    let Some(mount) = mount_faults(&real, &shown, None, "d/deep open 5") else { return };
    let ended = hash(directory.path(), ["-a", "md5", "shown"]).run();
    mount.unmount().unwrap();
    let said = "pfh: `shown/d/deep`: Input/output error (os error 5)\n";
    assert_eq!(ended.expect(3, said), format!("{}  shown/z\n", digest("md5", b"2")).as_bytes());
}
