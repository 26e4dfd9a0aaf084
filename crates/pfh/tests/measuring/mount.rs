//! `pfh lab mount`: a directory as a slow device shows it, from the ready line to the end of the mount.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::fixture::*;

/// A running mount of `real` at `shown`.
pub(crate) struct Mount {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Mount {
    /// Starts the program and waits until the mount stands. Returns `None` if nothing can be mounted; the test reports
    /// that.
    pub(crate) fn start(directory: &Path, more: &[&str]) -> Option<Mount> {
        if !Path::new("/dev/fuse").exists() {
            skipped(Need::Fuse, "there is no /dev/fuse");
            return None;
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_pfh"))
            .current_dir(directory)
            .args(["lab", "mount", "real", "shown"])
            .args(more)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut mount = Mount { stderr: BufReader::new(child.stderr.take().unwrap()), child };
        let mut line = String::new();
        mount.stderr.read_line(&mut line).unwrap();
        if line.contains("the mount failed") {
            skipped(Need::Fuse, line);
            mount.child.wait().unwrap();
            return None;
        }
        assert!(line.starts_with("mounted `real` at `shown` as "), "{line}");
        Some(mount)
    }

    /// Waits for the end, and returns the status and what else was said.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        let said = self.stderr.by_ref().lines().map(|line| line.unwrap() + "\n").collect();
        (status.code(), said)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.child.id().try_into().unwrap()).unwrap(), signal).unwrap();
    }
}

/// A test that fails leaves no mount.
impl Drop for Mount {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.signal(Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

fn tree() -> TempDir {
    let directory = scratch();
    let real = directory.path().join("real");
    fs::create_dir_all(real.join("sub")).unwrap();
    fs::create_dir(directory.path().join("shown")).unwrap();
    for number in 0..20 {
        fs::write(real.join(format!("sub/{number}")), contents(number, 1000 * number * number)).unwrap();
    }
    fs::hard_link(real.join("sub/7"), real.join("linked")).unwrap();
    std::os::unix::fs::symlink("sub", real.join("symbolic")).unwrap();
    directory
}

fn is_unmounted(directory: &Path) -> bool {
    fs::read_dir(directory.join("shown")).unwrap().count() == 0
}

#[test]
fn every_device_shows_the_same_bytes_until_its_end() {
    let _turn = crate::beside_others();
    for (device, text) in
        [("hdd", ""), ("ssd", ""), ("nas", ""), ("own.toml", "like = \"ssd\"\nbytes_per_second = 50e6\n")]
    {
        let directory = tree();
        let root = directory.path();
        fs::write(root.join("own.toml"), text).unwrap();
        let listed = |name: &str| {
            let list = hash(root, ["-a", "md5,sha256", "-f", "csv", name]).run().expect(0, "").to_vec();
            String::from_utf8(list).unwrap().replace(&format!("{name}/"), "")
        };
        let expected = listed("real");
        let Some(mut mount) = Mount::start(root, &["--device", device, "--until-closed"]) else { return };
        assert_eq!(listed("shown"), expected, "{device}");
        assert_eq!(fs::read_link(root.join("shown/symbolic")).unwrap(), Path::new("sub"));
        drop(mount.child.stdin.take());
        assert_eq!(mount.end(), (Some(0), String::new()), "{device}");
        assert!(is_unmounted(root));
    }
}

#[test]
fn signals_and_the_end_of_the_parent_unmount() {
    let _turn = crate::beside_others();
    let directory = tree();
    for signal in [Signal::TERM, Signal::INT] {
        // Without --until-closed, standard input is of no concern.
        let Some(mut mount) = Mount::start(directory.path(), &["--device", "ssd"]) else { return };
        drop(mount.child.stdin.take());
        assert!(!is_unmounted(directory.path()));
        mount.signal(signal);
        assert_eq!(mount.end(), (Some(0), String::new()));
        assert!(is_unmounted(directory.path()));
    }
    // A program that is killed cannot close anything itself.
    let mut holder = Command::new("sleep").arg("1000").stdout(Stdio::piped()).spawn().unwrap();
    let mut mount = Command::new(env!("CARGO_BIN_EXE_pfh"))
        .current_dir(directory.path())
        .args(["lab", "mount", "real", "shown", "--device", "ssd", "--until-closed"])
        .stdin(holder.stdout.take().unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    eventually("the mount stands", || !is_unmounted(directory.path()));
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(mount.wait().unwrap().code(), Some(0));
    assert!(is_unmounted(directory.path()));
}

/// The second signal ends the program at once, but not before its mount is gone.
#[test]
fn two_signals_leave_no_mount() {
    let _turn = crate::beside_others();
    let directory = tree();
    for signals in [[Signal::INT, Signal::INT], [Signal::TERM, Signal::INT], [Signal::INT, Signal::TERM]] {
        let Some(mount) = Mount::start(directory.path(), &["--device", "ssd"]) else { return };
        for signal in signals {
            mount.signal(signal);
        }
        let (status, said) = mount.end();
        assert!(matches!(status, Some(0 | 130)), "{status:?}: {said}");
        assert!(is_unmounted(directory.path()), "{said}");
    }
}

#[test]
fn a_mount_without_its_program_is_named_with_the_way_to_remove_it() {
    let _turn = crate::beside_others();
    let directory = tree();
    let root = directory.path();
    let Some(mount) = Mount::start(root, &["--device", "ssd"]) else { return };
    mount.signal(Signal::KILL);
    mount.end();
    let ended = pfh(root, ["lab", "mount", "real", "shown", "--device", "ssd"]).run();
    let _ = Command::new("fusermount3").args(["-u", "-z", "shown"]).current_dir(root).status();
    let _ = rustix::mount::unmount(root.join("shown"), rustix::mount::UnmountFlags::DETACH);
    let message = "a mount whose program has ended; `fusermount3 -u MOUNT_POINT` removes it";
    assert!(ended.code() == 2 && ended.said().contains(message), "{}", ended.said());
}

#[test]
fn it_ends_when_another_program_unmounts_it() {
    let _turn = crate::beside_others();
    let directory = tree();
    let Some(mount) = Mount::start(directory.path(), &["--device", "ssd"]) else { return };
    let shown = directory.path().join("shown");
    assert!(!is_unmounted(directory.path()));
    let tool = ["fusermount3", "fusermount"]
        .into_iter()
        .find_map(|tool| Command::new(tool).arg("-u").arg(&shown).status().ok());
    match tool {
        Some(status) => assert!(status.success()),
        None => rustix::mount::unmount(&shown, rustix::mount::UnmountFlags::empty()).unwrap(),
    }
    assert_eq!(mount.end(), (Some(0), "another program unmounted `shown`\n".to_owned()));
    assert!(is_unmounted(directory.path()));
}

#[test]
fn a_mount_in_use_is_reported() {
    let _turn = crate::beside_others();
    let directory = tree();
    let Some(mount) = Mount::start(directory.path(), &["--device", "ssd"]) else { return };
    let file = fs::File::open(directory.path().join("shown/sub/3")).unwrap();
    mount.signal(Signal::TERM);
    let said = "pfh: `shown` was in use: it is unmounted, and whoever has files of it open gets errors from now on\n";
    assert_eq!(mount.end(), (Some(0), said.to_owned()));
    drop(file);
    assert!(is_unmounted(directory.path()));
}

#[test]
fn a_dying_disk_costs_its_files_and_no_others() {
    let _turn = crate::beside_others();
    let directory = tree();
    let device = "like = \"ssd\"\n[[bad]]\nfile = \"sub/19\"\noffset = 200000\nlength = 1\n";
    fs::write(directory.path().join("own.toml"), device).unwrap();
    let Some(mount) = Mount::start(directory.path(), &["--device", "own.toml"]) else { return };
    let page = 200_000 / 4096 * 4096;
    let ended = hash(directory.path(), ["-a", "md5", "shown/sub"]).run();
    let said = ended.said();
    let expected = format!("pfh: `shown/sub/19`: unreadable from byte {page} on: Input/output error (os error 5)\n");
    assert!(ended.code() == 3 && said.starts_with(&expected), "{said}");
    assert_eq!(ended.stdout.iter().filter(|&&byte| byte == b'\n').count(), 19);
    mount.signal(Signal::TERM);
    assert_eq!(mount.end().0, Some(0));
}

#[test]
fn what_cannot_be_mounted_is_refused() {
    let _turn = crate::beside_others();
    let directory = tree();
    let root = directory.path();
    fs::create_dir(root.join("real/within")).unwrap();
    fs::write(root.join("own.toml"), "like = \"hdd\"\nspeed = 1\n").unwrap();
    let refused = |arguments: &[&str], reason: &str| {
        let ended = pfh(root, [&["lab", "mount"], arguments].concat()).run();
        assert!(ended.code() == 2 && ended.said().contains(reason), "{arguments:?}: {}", ended.said());
    };
    refused(&["real", "none", "--device", "hdd"], "`real` at `none`: the mount point cannot be used");
    refused(&["real", "real", "--device", "hdd"], "the mount point is not empty");
    refused(&["real", "real/within", "--device", "hdd"], "lies within the directory");
    refused(&["none", "shown", "--device", "hdd"], "the directory cannot be shown");
    refused(&["real", "shown", "--device", "tape"], "`tape` is no device: there are hdd, ssd, nas, dying");
    refused(&["real", "shown", "--device", "own.toml"], "unknown field `speed`");
    refused(&["real", "shown", "--device", "none.toml"], "`none.toml`: No such file");
    let Some(mount) = Mount::start(root, &["--device", "hdd"]) else { return };
    refused(&["real", "shown", "--device", "hdd"], "not empty");
    mount.signal(Signal::TERM);
    mount.end();
}
