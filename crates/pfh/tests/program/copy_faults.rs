//! Copies to filesystems that fail, and of sources that fail: what has a name at a destination was verified.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::thread;
use std::time::Duration;

use pfh_testing::{FaultyMount, Writing};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::fixture::*;

const LENGTH: usize = 100_000;

/// A directory with a source `from` and an empty directory `real`, which can be mounted at `to`.
struct Scene {
    directory: TempDir,
    mounts: Vec<FaultyMount>,
}

impl Scene {
    /// Returns `None` if nothing can be mounted; the test reports that. The files of the source all differ.
    fn new(files: &[&str]) -> Option<Scene> {
        if !Path::new("/dev/fuse").exists() {
            skipped(Need::Fuse, "there is no /dev/fuse");
            return None;
        }
        let directory = scratch();
        for name in ["from", "real", "to", "slow"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        for (seed, name) in files.iter().enumerate() {
            let path = directory.path().join("from").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents(seed, LENGTH)).unwrap();
        }
        Some(Scene { directory, mounts: Vec::new() })
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    /// Mounts `real` at `to`. Returns whether that succeeded; the test reports it otherwise.
    #[must_use]
    fn mount(&mut self, writing: Writing, plan: &str) -> bool {
        self.mount_at("real", "to", Some(writing), plan)
    }

    #[must_use]
    fn mount_at(&mut self, real: &str, shown: &str, writing: Option<Writing>, plan: &str) -> bool {
        let Some(mount) = mount_faults(&self.root().join(real), &self.root().join(shown), writing, plan) else {
            return false;
        };
        self.mounts.push(mount);
        true
    }

    /// Unmounts what was mounted last.
    fn unmount(&mut self) {
        self.mounts.pop().unwrap().unmount().unwrap();
    }

    /// Copies, and checks the status and the messages. Returns what was printed.
    #[track_caller]
    fn copy(&self, arguments: &[&str], code: i32, said: &str) -> String {
        let ended = pfh(self.root(), [&["copy"], arguments].concat()).run();
        let lines = ended.stderr.split_inclusive('\n').filter(|line| !line.starts_with("pfh: totals: "));
        assert_eq!((ended.code(), &*lines.collect::<String>()), (code, said), "{}", ended.stderr);
        String::from_utf8(ended.stdout).unwrap()
    }

    /// Checks that a directory has exactly these names, and that its files are as in the source.
    #[track_caller]
    fn has(&self, directory: &str, expected: &[&str]) {
        let directory = self.root().join(directory);
        assert_eq!(names(&directory), expected.iter().map(Path::new).collect::<Vec<_>>());
        for name in expected.iter().filter(|name| directory.join(name).is_file()) {
            assert!(fs::read(directory.join(name)).unwrap() == fs::read(self.root().join("from").join(name)).unwrap());
        }
    }

    /// Repairs the filesystem and copies again.
    #[track_caller]
    fn goes_on(&mut self, arguments: &[&str], said: &str, expected: &[&str]) {
        self.unmount();
        if self.mount(Writing::default(), "") {
            self.copy(arguments, 0, said);
            self.has("real", expected);
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        for mount in self.mounts.drain(..) {
            // A failed test may leave the mount in use; the directory must be removed anyway.
            let _ = mount.unmount();
        }
    }
}

const ENDED: &str = "nothing more was copied to there";
const IO: &str = "Input/output error (os error 5)";

#[test]
fn what_is_read_back_differently_gets_no_name() {
    let cases = [
        ("flip 70000", &[][..]),
        ("flip 70000", &["--read-back", "drop"]),
        ("rewrite 1000", &[]),
        ("shrink 0 50000", &[]),
        ("grow 0 200000", &[]),
    ];
    for (fault, method) in cases {
        let Some(mut scene) = Scene::new(&["a", "b", "c"]) else { return };
        if !scene.mount(Writing::default(), &format!(".pfh-copy/file-1 {fault}")) {
            return;
        }
        let said = "pfh: `to/b`: read back, it is not as it was written; it got no name\n\
            pfh: 2 files, 200 kB; read back and equal; not copied: 1 file\n";
        let list = scene.copy(&[&["-o", "-", "from/", "to"], method].concat(), 1, said);
        assert_eq!(list, line(&contents(0, LENGTH), "a") + &line(&contents(2, LENGTH), "c"));
        scene.has("real", &["a", "c"]);
        let said = "pfh: 3 files, 300 kB; read back and equal; 2 were there before\n";
        scene.goes_on(&["from/", "to"], said, &["a", "b", "c"]);
    }
}

#[test]
fn what_cannot_be_read_back_gets_no_name() {
    let Some(mut scene) = Scene::new(&["a", "b", "c", "d"]) else { return };
    fs::copy(scene.root().join("from/d"), scene.root().join("real/d")).unwrap();
    if !scene.mount(Writing::default(), ".pfh-copy/file-1 eio 4096 1\n.pfh-copy/file-2 open 13\nd eio 0 1") {
        return;
    }
    let said = format!(
        "pfh: `to/b`: it cannot be read back: unreadable from byte 4096 on: {IO}\n\
        pfh: `to/c`: it cannot be read back: Permission denied (os error 13)\n\
        pfh: `to/d`: it is there, and cannot be read: {IO}\n\
        pfh: 1 file, 100 kB; read back and equal; not copied: 3 files\n"
    );
    scene.copy(&["from/", "to"], 3, &said);
    scene.has("real", &["a", "d"]);
    let said = "pfh: 4 files, 400 kB; read back and equal; 2 were there before\n";
    scene.goes_on(&["from/", "to"], said, &["a", "b", "c", "d"]);
}

#[test]
fn a_write_error_ends_a_destination() {
    let Some(mut scene) = Scene::new(&["a", "b", "c"]) else { return };
    // The order in which files arrive, and so their numbers, vary: only the first one is short enough for the fault.
    let path = |name: &str| scene.root().join(name);
    fs::write(path("from/a"), contents(0, 10_000)).unwrap();
    for (folder, name) in [("first", "a"), ("later", "b"), ("later", "c")] {
        fs::create_dir_all(path(folder)).unwrap();
        fs::copy(path("from").join(name), path(folder).join(name)).unwrap();
    }
    let faults = [0, 1, 2].map(|number| format!(".pfh-copy/file-{number} unwritable 65536 5\n"));
    // While the others are waited for, the first file is verified.
    if !scene.mount_at("later", "slow", None, "b stall 4000\nc stall 4000")
        || !scene.mount(Writing::default(), &faults.concat())
    {
        return;
    }
    let said =
        format!("pfh: `to`: {IO}: {ENDED}; 1 of 3 files are at all destinations, and the same command goes on\n");
    assert_eq!(scene.copy(&["-o", "-", "first/", "slow/", "to"], 4, &said), "");
    scene.has("real", &[".pfh-copy", "a"]);
    assert_eq!(names(&scene.root().join("real/.pfh-copy")), [Path::new("journal.jsonl")]);
    let said = "pfh: 3 files, 210 kB; read back and equal; 1 was there before\n";
    scene.goes_on(&["first/", "slow/", "to"], said, &["a", "b", "c"]);
}

#[test]
fn a_full_disk_ends_a_destination() {
    let Some(mut scene) = Scene::new(&["a", "b", "c"]) else { return };
    if !scene.mount(Writing::default(), ". full 150000") {
        return;
    }
    let said = format!(
        "pfh: `to` has 150 kB free, and 300 kB are to be copied; what does not fit can be copied later by the same \
        command\n\
        pfh: `to`: No space left on device (os error 28): {ENDED}; 1 of 3 files are at all destinations, and the same \
        command goes on\n"
    );
    scene.copy(&["from/", "to", "-t", "1"], 4, &said);
    scene.has("real", &[".pfh-copy", "a"]);
    assert_eq!(names(&scene.root().join("real/.pfh-copy")), [Path::new("journal.jsonl")]);
    scene.goes_on(
        &["from/", "to"],
        "pfh: 3 files, 300 kB; read back and equal; 1 was there before\n",
        &["a", "b", "c"],
    );
}

/// The journal is the last that is written. The list has also the files for which it had no room.
#[test]
fn a_full_disk_can_have_all_files() {
    let Some(mut scene) = Scene::new(&["a", "b", "c"]) else { return };
    symlink("a", scene.root().join("from/link")).unwrap();
    if !scene.mount(Writing::default(), ".pfh-copy/journal.jsonl full 600") {
        return;
    }
    let said = "pfh: 3 files, 300 kB, and 1 symbolic link; read back and equal\n";
    let list = scene.copy(&["from/", "to", "-t", "1", "-o", "-"], 0, said);
    let expected: String = (0..).zip(["a", "b", "c"]).map(|(seed, name)| line(&contents(seed, LENGTH), name)).collect();
    assert_eq!(list, expected);
    scene.has("real", &["a", "b", "c", "link"]);
    let said = "pfh: 3 files, 300 kB, and 1 symbolic link; read back and equal; 3 were there before\n";
    scene.goes_on(&["from/", "to"], said, &["a", "b", "c", "link"]);
}

/// Of a copy that a signal ends before its list is whole, the journal stays.
#[test]
fn a_signal_before_the_list_leaves_the_journal() {
    let Some(mut scene) = Scene::new(&["a", "b", "c"]) else { return };
    if !scene.mount(Writing::default(), ".pfh-copy/journal.jsonl stall 4000") {
        return;
    }
    let running = pfh(scene.root(), ["copy", "from/", "to", "-o", "list"]).start();
    let real = scene.root().join("real");
    eventually("all files have their names", || ["a", "b", "c"].iter().all(|name| real.join(name).exists()));
    thread::sleep(Duration::from_millis(500));
    running.signal(Signal::TERM);
    running.end().expect(130, "pfh: interrupted; the same command goes on with the copy\n");
    scene.has("real", &[".pfh-copy", "a", "b", "c"]);
    assert!(!scene.root().join("list").exists());
    let said = "pfh: 3 files, 300 kB; read back and equal; 3 were there before\n";
    scene.goes_on(&["from/", "to"], said, &["a", "b", "c"]);
}

#[test]
fn a_destination_that_takes_nothing_is_refused() {
    let faults = [
        (".pfh-copy refused 30", "Read-only file system (os error 30)", &[][..]),
        (". full 0", "No space left on device (os error 28)", &[".pfh-copy"]),
    ];
    for (plan, reason, left) in faults {
        let Some(mut scene) = Scene::new(&["a"]) else { return };
        if !scene.mount(Writing::default(), plan) {
            return;
        }
        let said = format!("pfh: `to` cannot be written to: {reason}\n");
        scene.copy(&["from/", "--to", "other", "--to", "to"], 2, &said);
        scene.has("real", left);
        assert!(!scene.root().join("other").exists());
        scene.goes_on(&["from/", "to"], "pfh: 1 file, 100 kB; read back and equal\n", &["a"]);
    }
}

/// The system tells late that it could not write something out.
#[test]
fn a_late_write_error_ends_a_destination() {
    let Some(mut scene) = Scene::new(&["a", "b", "c"]) else { return };
    let late = Writing { late: true, ..Writing::default() };
    if !scene.mount(late, ".pfh-copy/file-1 unwritable 65536 5") {
        return;
    }
    let said =
        format!("pfh: `to`: {IO}: {ENDED}; 0 of 3 files are at all destinations, and the same command goes on\n");
    scene.copy(&["from/", "to"], 4, &said);
    scene.has("real", &[".pfh-copy"]);
    scene.goes_on(&["from/", "to"], "pfh: 3 files, 300 kB; read back and equal\n", &["a", "b", "c"]);
}

#[test]
fn a_refused_name_concerns_only_its_file() {
    for without in [false, true] {
        let Some(mut scene) = Scene::new(&["a", "a:b", "d:e/f", "z"]) else { return };
        symlink("a", scene.root().join("from/l:m")).unwrap();
        let writing = Writing { without_noreplace: without, without_hard_links: without, ..Writing::default() };
        if !scene.mount(writing, "a:b refused 22\nd:e refused 22\nl:m refused 22") {
            return;
        }
        let invalid = "Invalid argument (os error 22)";
        let said = format!(
            "pfh: `to/a:b`: {invalid}\npfh: `to/d:e/f`: {invalid}\npfh: `to/d:e`: {invalid}\npfh: `to/l:m`: {invalid}\n\
            pfh: 2 files, 200 kB; read back and equal; not copied: 2 files\n"
        );
        scene.copy(&["from/", "to"], 3, &said);
        scene.has("real", &["a", "z"]);
    }
}

#[test]
fn filesystems_without_some_ways_to_give_names() {
    for (without_noreplace, without_hard_links) in [(false, false), (true, false), (false, true), (true, true)] {
        let Some(mut scene) = Scene::new(&["a", "c", "d/e", "taken"]) else { return };
        fs::hard_link(scene.root().join("from/a"), scene.root().join("from/b")).unwrap();
        fs::write(scene.root().join("real/taken"), "mine").unwrap();
        if !scene.mount(Writing { without_noreplace, without_hard_links, ..Writing::default() }, "") {
            return;
        }
        let said = "pfh: `to/taken`: there is another file of this name, which was not replaced\n\
            pfh: 4 files, 400 kB; read back and equal; not copied: 1 file\n";
        scene.copy(&["from/", "to"], 1, said);
        let real = scene.root().join("real");
        assert_eq!(fs::read(real.join("taken")).unwrap(), b"mine");
        fs::remove_file(real.join("taken")).unwrap();
        scene.has("real", &["a", "b", "c", "d"]);
        assert!(fs::read(real.join("d/e")).unwrap() == contents(2, LENGTH));
        let links = fs::metadata(real.join("a")).unwrap().nlink();
        assert_eq!(links, if without_hard_links { 1 } else { 2 }, "{without_noreplace}");
        let inode = |name: &str| fs::metadata(real.join(name)).unwrap().ino();
        assert_eq!(inode("a") == inode("b"), !without_hard_links);
    }
}

/// FUSE and NFS keep a file that was removed while it was open, under another name, until it is closed.
#[test]
fn nothing_is_left_where_removed_files_are_hidden() {
    let Some(mut scene) = Scene::new(&["a", "b"]) else { return };
    if !scene.mount(Writing { hides_removed: true, ..Writing::default() }, "") {
        return;
    }
    let said = "pfh: 2 files, 200 kB, at 2 destinations; read back and equal\n";
    scene.copy(&["from/", "--to", "to", "--to", "other"], 0, said);
    scene.has("real", &["a", "b"]);
    scene.has("other", &["a", "b"]);
}

/// All files are copied without it, and it holds back no other destination.
#[test]
fn a_directory_for_staged_files_that_stays_is_told() {
    let Some(mut scene) = Scene::new(&["a"]) else { return };
    if !scene.mount_at("from", "slow", None, "a stall 2000") {
        return;
    }
    let running = pfh(scene.root(), ["copy", "slow/", "--to", "real", "--to", "other"]).start();
    let staging = scene.root().join("real/.pfh-copy");
    eventually("the copy has begun", || staging.join("journal.jsonl").exists());
    fs::write(staging.join("notes"), "mine").unwrap();
    let said = "pfh: `real/.pfh-copy` cannot be removed: Directory not empty (os error 39); no copy needs it\n\
        pfh: 1 file, 100 kB, at 2 destinations; read back and equal\n";
    running.end().expect(0, said);
    assert_eq!(names(&staging), [Path::new("notes")]);
    scene.has("real", &[".pfh-copy", "a"]);
    scene.has("other", &["a"]);
}

/// Whatever ends one destination, the other gets everything, in whichever order they are named.
#[test]
fn another_destination_gets_everything() {
    let (space, late) = ("No space left on device (os error 28)", Writing { late: true, ..Writing::default() });
    // The destination ends while a file is written, while it gets its name, and while all is made durable.
    let faults = [
        (Writing::default(), ".pfh-copy/file-1 unwritable 65536 5", IO, 0, &[][..]),
        (Writing::default(), "b refused 28", space, 6, &["a", "b2", "c", "d", "e", "f"]),
        (late, ".pfh-copy/file-1 unwritable 65536 5", IO, 0, &[]),
    ];
    for (writing, plan, reason, published, there) in faults {
        for destinations in [["to", "other"], ["other", "to"]] {
            let Some(mut scene) = Scene::new(&["a", "b", "c", "d", "e", "f"]) else { return };
            fs::hard_link(scene.root().join("from/a"), scene.root().join("from/b2")).unwrap();
            let all = ["a", "b", "b2", "c", "d", "e", "f"];
            if !scene.mount(writing, plan) {
                return;
            }
            let [one, two] = destinations;
            let arguments = ["from/", "--to", one, "--to", two];
            let said = format!(
                "pfh: `to`: {reason}: {ENDED}; {published} of 7 files are at all destinations, and the same command \
                goes on\n"
            );
            scene.copy(&arguments, 4, &said);
            scene.has("real", &[&[".pfh-copy"], there].concat());
            scene.has("other", &[&[".pfh-copy"], &all[..]].concat());
            scene.unmount();
            if !scene.mount(Writing::default(), "") {
                return;
            }
            let ended = pfh(scene.root(), [&["copy", "-q"], &arguments[..]].concat()).run();
            ended.done();
            for directory in ["real", "other"] {
                scene.has(directory, &all);
            }
        }
    }
}

#[test]
fn what_one_destination_reads_back_differently_has_a_name_at_the_other() {
    let Some(mut scene) = Scene::new(&["a", "b", "c"]) else { return };
    if !scene.mount(Writing::default(), ".pfh-copy/file-1 flip 70000") {
        return;
    }
    let said = "pfh: `to/b`: read back, it is not as it was written; it got no name\n\
        pfh: 2 files, 200 kB, at 2 destinations; read back and equal; not copied: 1 file\n";
    let list = scene.copy(&["from/", "--to", "to", "--to", "other", "-o", "-"], 1, said);
    assert_eq!(list, line(&contents(0, LENGTH), "a") + &line(&contents(2, LENGTH), "c"));
    scene.has("real", &["a", "c"]);
    scene.has("other", &["a", "b", "c"]);
}

/// A file that one destination refuses is given its further name, and compared, at the other.
#[test]
fn a_file_that_one_destination_refuses_is_verified_at_the_other() {
    let Some(mut scene) = Scene::new(&["a", "c"]) else { return };
    fs::hard_link(scene.root().join("from/a"), scene.root().join("from/b")).unwrap();
    fs::create_dir(scene.root().join("other")).unwrap();
    fs::write(scene.root().join("other/c"), vec![0; LENGTH]).unwrap();
    let writing = Writing { without_hard_links: true, ..Writing::default() };
    // As FAT refuses files of 4 GiB.
    if !scene.mount(writing, ".pfh-copy/file-1 unwritable 4096 27\n.pfh-copy/file-2 unwritable 4096 27") {
        return;
    }
    let said = "pfh: `to/b`: File too large (os error 27)\npfh: `to/c`: File too large (os error 27)\n\
        pfh: `other/c`: there is another file of this name, which was not replaced\n\
        pfh: 1 file, 100 kB, at 2 destinations; read back and equal; not copied: 2 files\n";
    scene.copy(&["from/", "--to", "to", "--to", "other"], 5, said);
    scene.has("real", &["a"]);
    fs::remove_file(scene.root().join("other/c")).unwrap();
    scene.has("other", &["a", "b"]);
    assert_eq!(fs::metadata(scene.root().join("other/b")).unwrap().nlink(), 2);
}

/// A file that no destination takes is not lost silently: each tells its reason.
#[test]
fn a_file_that_the_only_destination_refuses_is_reported() {
    let directory = scratch();
    let root = directory.path();
    fs::create_dir_all(root.join("from")).unwrap();
    fs::create_dir_all(root.join("third")).unwrap();
    fs::write(root.join("from/big"), contents(0, 200_000)).unwrap();
    fs::write(root.join("from/small"), "small").unwrap();
    fs::write(root.join("third/big"), "mine").unwrap();
    // As FAT refuses files of 4 GiB.
    let limited = |arguments: &str| {
        let script = format!("ulimit -f 100; exec \"$0\" copy {arguments}");
        Run::new("sh", root, ["-c", &script, env!("CARGO_BIN_EXE_pfh")]).run()
    };
    limited("from/ to").expect(
        3,
        "pfh: `to/big`: File too large (os error 27)\n\
         pfh: 1 file, 5 B; read back and equal; not copied: 1 file\n",
    );
    assert_eq!(names(&root.join("to")), [Path::new("small")]);
    limited("from/ --to second --to third").expect(
        5,
        "pfh: `second/big`: File too large (os error 27)\n\
         pfh: `third/big`: there is another file of this name, which was not replaced\n\
         pfh: 1 file, 5 B, at 2 destinations; read back and equal; not copied: 1 file\n",
    );
    assert_eq!(fs::read(root.join("third/big")).unwrap(), b"mine");
    let said = "pfh: 2 files, 200 kB; read back and equal; 1 was there before\n";
    pfh(root, ["copy", "from/", "to"]).run().expect(0, said);
}

#[test]
fn a_source_that_fails_or_changes_gets_no_name() {
    let Some(mut scene) = Scene::new(&["a", "bad", "changes", "grows", "vanishes", "z"]) else { return };
    let plan = "bad eio 50000 1\nchanges rewrite 1000\ngrows grow 1000 200000\nvanishes open 2";
    if !scene.mount_at("from", "slow", None, plan) {
        return;
    }
    let changed = "changed while it was read; no digest is given. Run again when it no longer changes";
    let said = format!(
        "pfh: `slow/bad`: unreadable from byte 50000 on: {IO}\n\
        pfh: `slow/changes`: {changed}\npfh: `slow/grows`: {changed}\n\
        pfh: `slow/vanishes`: No such file or directory (os error 2)\n\
        pfh: 2 files, 200 kB; read back and equal; not copied: 4 files\n"
    );
    scene.copy(&["slow/", "real"], 3, &said);
    scene.has("real", &["a", "z"]);
}
