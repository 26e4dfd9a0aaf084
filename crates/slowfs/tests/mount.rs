//! The mounted filesystem: what it shows, what it takes, how it fails.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "tests")]

use pfh_slowfs::{Device, MountError, SlowMount, Unmounted};
use pfh_testing::{Need, skipped};
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The name under which the system lists the mounts of these tests.
const NAME: &str = "tested";

struct Shown {
    directory: TempDir,
    mount: Option<SlowMount>,
}

impl Shown {
    fn real(&self) -> PathBuf {
        self.directory.path().join("real")
    }

    fn shown(&self) -> PathBuf {
        self.directory.path().join("shown")
    }
}

/// Shows what `fill` makes. Returns `None` if nothing can be mounted; the test reports that.
fn show(device: &str, fill: impl FnOnce(&Path)) -> Option<Shown> {
    if !Path::new("/dev/fuse").exists() {
        skipped(Need::Fuse, "there is no /dev/fuse");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut shown = Shown { directory, mount: None };
    fs::create_dir(shown.real()).unwrap();
    fs::create_dir(shown.shown()).unwrap();
    fill(&shown.real());
    match SlowMount::new(&shown.real(), &shown.shown(), Device::parse(device).unwrap(), NAME) {
        Ok(mount) => {
            shown.mount = Some(mount);
            Some(shown)
        }
        Err(error) => {
            skipped(Need::Fuse, format_args!("cannot mount: {error}"));
            None
        }
    }
}

const FAST: &str = "bytes_per_second = 1e12\nat_once = 8";

#[test]
fn a_tree_is_shown_as_it_is() {
    let shown = show(FAST, |real| {
        fs::create_dir_all(real.join("a/b")).unwrap();
        fs::write(real.join("a/file"), b"contents").unwrap();
        fs::write(real.join("a/b/large"), vec![7; 3_000_001]).unwrap();
        fs::hard_link(real.join("a/file"), real.join("a/b/link")).unwrap();
        symlink("../file", real.join("a/b/symbolic")).unwrap();
        for number in 0..2000 {
            fs::write(real.join(format!("a/{number}")), number.to_string()).unwrap();
        }
    });
    let Some(shown) = shown else { return };
    let (real, there) = (shown.real(), shown.shown());
    let facts = |metadata: Metadata| {
        let times = (metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec());
        (metadata.ino(), metadata.len(), metadata.mode(), metadata.nlink(), metadata.uid(), times)
    };
    for name in ["a", "a/file", "a/b/large", "a/b/link", "a/b/symbolic", "a/1999"] {
        let [expected, found] = [&real, &there].map(|root| facts(fs::symlink_metadata(root.join(name)).unwrap()));
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(fs::read_link(there.join("a/b/symbolic")).unwrap(), Path::new("../file"));
    assert_eq!(fs::read(there.join("a/b/symbolic")).unwrap(), b"contents");
    assert_eq!(fs::read(there.join("a/b/large")).unwrap(), vec![7; 3_000_001]);
    let names = |root: &Path| {
        let mut names: Vec<_> = fs::read_dir(root.join("a")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&there), names(&real));
    assert_eq!(fs::write(there.join("a/new"), b"").unwrap_err().kind(), std::io::ErrorKind::ReadOnlyFilesystem);
    assert_eq!(fs::read(there.join("a/none")).unwrap_err().kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn bytes_and_seeks_take_their_time_at_least() {
    let Some(shown) = show("bytes_per_second = 20e6\nseek_seconds = 0.01", |real| {
        fs::write(real.join("file"), vec![1; 4_000_000]).unwrap();
    }) else {
        return;
    };
    let started = Instant::now();
    assert_eq!(fs::read(shown.shown().join("file")).unwrap().len(), 4_000_000);
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(200), "{took:?}");
    // Nothing of it is slow once it is in memory; several attempts, since other programs may hold this one up.
    let again = (0..20).map(|_| {
        let started = Instant::now();
        fs::read(shown.shown().join("file")).unwrap();
        started.elapsed()
    });
    assert!(again.min().unwrap() < took / 4);
}

#[test]
fn a_bad_range_is_an_error_of_its_page_only() {
    let device = format!("{FAST}\n[[bad]]\nfile = \"d/bad\"\noffset = 1000000\nlength = 512");
    let Some(shown) = show(&device, |real| {
        fs::create_dir(real.join("d")).unwrap();
        fs::write(real.join("d/bad"), vec![1; 2_000_000]).unwrap();
        fs::write(real.join("d/good"), vec![1; 2_000_000]).unwrap();
    }) else {
        return;
    };
    assert_eq!(fs::read(shown.shown().join("d/good")).unwrap().len(), 2_000_000);
    let mut file = File::open(shown.shown().join("d/bad")).unwrap();
    let error = file.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(5));
    let mut page = [0; 4096];
    let at = |number: u64| 1_000_000 / 4096 * 4096 + number * 4096;
    file.read_exact_at(&mut page, at(1)).unwrap();
    file.read_exact_at(&mut page, at(0) - 4096).unwrap();
    assert_eq!(file.read_at(&mut page, at(0)).unwrap_err().raw_os_error(), Some(5));
}

#[test]
fn a_mount_in_use_and_a_stalled_read_end() {
    let device = format!("{FAST}\n[[stall]]\nfile = \"file\"\nseconds = 3000");
    let Some(mut shown) = show(&device, |real| fs::write(real.join("file"), vec![1; 4096]).unwrap()) else { return };
    let file = File::open(shown.shown().join("file")).unwrap();
    let reader = std::thread::spawn(move || {
        let mut page = [0; 4096];
        let read = file.read_at(&mut page, 0);
        (file, read.is_ok())
    });
    // The read reaches the mount or finds it gone; it may not hang in either case.
    let unmounted = shown.mount.take().unwrap().unmount().unwrap();
    let (file, _) = reader.join().unwrap();
    assert!(matches!(unmounted, Unmounted::InUse | Unmounted::Unused));
    drop(file);
    assert_eq!(fs::read_dir(shown.shown()).unwrap().count(), 0, "still mounted");
}

/// A program that has to end at once takes its mount away, although a file of it is open.
#[test]
fn a_mount_is_taken_away_whoever_has_it() {
    let Some(mut shown) = show(FAST, |real| fs::write(real.join("file"), vec![1; 4096]).unwrap()) else { return };
    let listed = || {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let of_test = |line: &&str| line.contains(shown.shown().to_str().unwrap());
        mounts.lines().find(of_test).map(str::to_owned)
    };
    assert!(listed().unwrap().starts_with("tested "), "{:?}", listed());
    let mount = shown.mount.as_ref().unwrap();
    let (detacher, mut running) = (mount.detacher(), mount.running().unwrap());
    let file = File::open(shown.shown().join("file")).unwrap();
    detacher.detach().unwrap();
    assert_eq!(listed(), None);
    // Two threads may do it: the second one finds it done while the mount still serves who has it open.
    detacher.detach().unwrap();
    drop(file);
    running.read_to_end(&mut Vec::new()).unwrap();
    drop(shown.mount.take());
    // Once it has ended there is nothing to do.
    detacher.detach().unwrap();
    assert_eq!(fs::read_dir(shown.shown()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::create_dir_all(root.join("real/within")).unwrap();
    fs::create_dir(root.join("full")).unwrap();
    fs::write(root.join("full/file"), b"").unwrap();
    let refused = |real: &str, shown: &str| {
        SlowMount::new(&root.join(real), &root.join(shown), Device::named("hdd").unwrap(), NAME).unwrap_err()
    };
    assert!(matches!(refused("none", "full"), MountError::Directory(_)));
    assert!(matches!(refused("full/file", "full"), MountError::Directory(_)));
    assert!(matches!(refused("real", "none"), MountError::MountPoint(_)));
    assert!(matches!(refused("real", "full/file"), MountError::MountPoint(_)));
    assert!(matches!(refused("real", "full"), MountError::NotEmpty));
    assert!(matches!(refused("real", "real/within"), MountError::Within));
}
