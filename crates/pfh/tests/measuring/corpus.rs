//! `pfh lab run --corpus` where the user's files lie on a faulty device: it ends with a message, and leaves no copy.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::fixture::*;
use crate::mount::Mount;

const FAST: &str = "bytes_per_second = 1e9\nremembered_seconds = 60\n";
const STALL: &str = "[[stall]]\nfile = \"2\"\nseconds = 30\n";

/// An experiment whose corpus `--corpus` replaces.
const DEFINITION: &str = r#"
title = "A test"
question = "Does it run?"
rounds = 1
repeats = 1
task_seconds = 1

[[corpus]]
name = "mine"
kind = "noise"
files = 1
bytes = 1

[[program]]
id = "pfh"
label = "pfh"
command = '"$pfh" hash -a "$algorithm" "$corpus"'
list = "digests"

[[trial]]
title = "T"
programs = ["pfh"]
algorithms = ["md5"]
corpus = ["mine"]
cache = ["cached"]
"#;

/// Three files that are shown with a fault.
fn shown(device: &str) -> Option<(TempDir, Mount)> {
    let directory = scratch();
    let root = directory.path();
    fs::create_dir_all(root.join("real/below")).unwrap();
    fs::create_dir(root.join("shown")).unwrap();
    for name in ["1", "2", "below/3"] {
        fs::write(root.join("real").join(name), contents(name.len(), 50_000)).unwrap();
    }
    fs::write(root.join("own.toml"), device).unwrap();
    fs::write(root.join("test.toml"), DEFINITION).unwrap();
    let mount = Mount::start(root, &["--device", "own.toml"])?;
    Some((directory, mount))
}

fn lab_run(root: &Path) -> Run {
    let words = ["lab", "run", "./test.toml", "-o", "out", "--corpus", "shown", "--progress", "never"];
    pfh(root, words).with(|command| command.env("XDG_CACHE_HOME", root.join("cache")))
}

/// Asserts that a run was refused because of a file, and left nothing but the beginning of its results.
#[track_caller]
fn refused(root: &Path, ended: &Ended, file: &str, reason: &str) {
    let message = format!(
        "pfh: the corpus cannot be copied: `{file}`: {reason}; every file below `shown` is needed, so mend or remove this \
         one, or name another folder with `--corpus`\n"
    );
    assert_eq!(ended.code(), 2, "{}", ended.stderr);
    assert!(ended.stderr.ends_with(&message), "{message}{}", ended.stderr);
    assert_eq!(names(&root.join("out")), [Path::new("results.jsonl")]);
}

fn end(mount: Mount) {
    mount.signal(Signal::TERM);
    mount.end();
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let _turn = crate::beside_others();
    let bad = format!("{FAST}[[bad]]\nfile = \"below/3\"\noffset = 0\nlength = 4096\n");
    let Some((directory, mount)) = shown(&bad) else { return };
    let ended = lab_run(directory.path()).run();
    refused(directory.path(), &ended, "shown/below/3", "Input/output error (os error 5)");
    end(mount);
}

/// A run that waits for a read of its copy, as long as a task may.
fn hanging() -> Option<(TempDir, Mount, Running)> {
    let (directory, mount) = shown(&format!("{FAST}{STALL}"))?;
    let root = directory.path();
    fs::write(root.join("test.toml"), DEFINITION.replace("task_seconds = 1", "task_seconds = 60")).unwrap();
    let running = lab_run(root).start();
    running.wait_until_it_reads(&root.join("shown/2"));
    Some((directory, mount, running))
}

/// Half a minute, of which a task has one second: nobody waits for the end.
#[test]
fn a_read_that_hangs_is_given_up() {
    let _turn = crate::beside_others();
    let Some((directory, mount)) = shown(&format!("{FAST}{STALL}")) else { return };
    let ended = lab_run(directory.path()).run();
    refused(directory.path(), &ended, "shown/2", "no answer for 1 s, the experiment's `task_seconds`");
    assert!(ended.elapsed < Duration::from_secs(20), "{:?}", ended.elapsed);
    end(mount);
}

/// Copying is no task, and may take longer than one: 150 kB at 100 kB/s, and a stall of 0.3 s. That stands for half a
/// minute where tasks have more time: only whether it is longer than a task counts.
#[test]
fn a_slow_device_with_a_short_stall_is_waited_for() {
    let _turn = crate::beside_others();
    let device = "bytes_per_second = 100e3\nremembered_seconds = 60\n[[stall]]\nfile = \"2\"\nseconds = 0.3\n";
    let Some((directory, mount)) = shown(device) else { return };
    let ended = lab_run(directory.path()).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(ended.stderr.ends_with("pfh: 1 runner, 1 sample\n"), "{}", ended.stderr);
    assert!(ended.elapsed > Duration::from_secs(1), "{:?}", ended.elapsed);
    end(mount);
}

/// The mount is killed under a read of the copy.
#[test]
fn a_mount_that_vanishes_ends_the_run() {
    let _turn = crate::beside_others();
    let Some((directory, mount, running)) = hanging() else { return };
    let root = directory.path();
    mount.signal(Signal::KILL);
    let ended = running.end();
    refused(root, &ended, "shown/2", "Transport endpoint is not connected (os error 107)");
    let _ = std::process::Command::new("fusermount3").args(["-u", "-z", "shown"]).current_dir(root).status();
    let _ = rustix::mount::unmount(root.join("shown"), rustix::mount::UnmountFlags::DETACH);
    mount.end();
}

#[test]
fn ctrl_c_ends_a_copy_that_hangs() {
    let _turn = crate::beside_others();
    let Some((directory, mount, running)) = hanging() else { return };
    let root = directory.path();
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 130, "{}", ended.stderr);
    let message = "pfh: interrupted; `--resume` continues what is saved in `out`\n";
    assert!(ended.stderr.ends_with(message), "{}", ended.stderr);
    assert!(ended.elapsed < Duration::from_secs(20), "{:?}", ended.elapsed);
    assert_eq!(names(&root.join("out")), [Path::new("results.jsonl")]);
    end(mount);
}
