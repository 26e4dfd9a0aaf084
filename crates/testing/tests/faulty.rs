//! The mounted filesystem damages what its list says, and nothing else. Needs `/dev/fuse` and the right to mount;
//! without the first it is skipped.
#![cfg(feature = "fuse")]
#![expect(clippy::unwrap_used, reason = "a failure is the test's answer")]

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use pfh_testing::{FaultPlan, FaultyMount, Need};

#[test]
fn faults_come_through_the_system() {
    if !Path::new("/dev/fuse").exists() {
        pfh_testing::skipped(Need::Fuse, "there is no /dev/fuse");
        return;
    }
    let (real, shown) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let contents: Vec<u8> = (0..3_000_000_u32).map(|position| (position % 251) as u8).collect();
    fs::create_dir(real.path().join("d")).unwrap();
    for name in ["whole", "d/bad sector", "slow", "short", "shrinks", "grows", "vanishes", "closed"] {
        fs::write(real.path().join(name), &contents).unwrap();
    }
    fs::create_dir(real.path().join("d/denied")).unwrap();
    symlink("whole", real.path().join("link")).unwrap();
    let plan = b"d/bad sector eio 1000000 4096\nslow stall 300\nshort short 1000\nshrinks shrink 500000 600000\n\
        grows grow 0 3000100\nvanishes vanish 0\nclosed open 116\nd/denied open 13\n";
    let mount = FaultyMount::new(real.path(), shown.path(), FaultPlan::parse(plan).unwrap()).unwrap();
    look(shown.path(), &contents);
    mount.unmount().unwrap();
    assert_eq!(fs::read_dir(shown.path()).unwrap().count(), 0);
}

/// Everything that a program can see; no file is open at the end.
fn look(shown: &Path, contents: &[u8]) {
    let path = |name: &str| shown.join(name);

    let mut names: Vec<_> = fs::read_dir(shown).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["closed", "d", "grows", "link", "short", "shrinks", "slow", "vanishes", "whole"]);
    assert!(fs::read(path("whole")).unwrap() == contents);
    assert!(fs::read(path("link")).unwrap() == contents);
    assert_eq!(fs::write(path("new"), "").unwrap_err().kind(), std::io::ErrorKind::ReadOnlyFilesystem);

    assert_eq!(fs::read_dir(path("d/denied")).unwrap_err().kind(), std::io::ErrorKind::PermissionDenied);
    let mut file = File::open(path("d/bad sector")).unwrap();
    let mut read = Vec::new();
    assert_eq!(file.read_to_end(&mut read).unwrap_err().raw_os_error(), Some(5));
    assert!(read == contents[..1_000_000]);
    let mut buffer = vec![0; 5000];
    file.read_exact_at(&mut buffer, 1_004_096).unwrap();
    assert!(buffer == contents[1_004_096..1_009_096]);

    let start = Instant::now();
    assert_eq!(File::open(path("slow")).unwrap().read(&mut buffer).unwrap(), 5000);
    assert!(start.elapsed() >= Duration::from_millis(300));
    let file = File::open(path("short")).unwrap();
    assert_eq!((file.read_at(&mut buffer, 0).unwrap(), file.read_at(&mut buffer, 2_999_999).unwrap()), (1000, 1));

    let file = File::open(path("shrinks")).unwrap();
    let before = file.metadata().unwrap();
    file.read_exact_at(&mut buffer, 400_000).unwrap();
    assert_eq!(file.metadata().unwrap().len(), 3_000_000);
    file.read_exact_at(&mut buffer, 499_000).unwrap();
    let after = file.metadata().unwrap();
    assert_eq!((after.len(), after.mtime() - before.mtime()), (600_000, 60));
    assert_eq!(file.read_at(&mut buffer, 599_990).unwrap(), 10);

    let file = File::open(path("grows")).unwrap();
    file.read_exact_at(&mut buffer, 0).unwrap();
    assert_eq!(file.metadata().unwrap().len(), 3_000_100);
    assert_eq!(file.read_at(&mut buffer, 2_999_999).unwrap(), 101);
    assert_eq!(buffer[1..101], [0; 100]);

    let file = File::open(path("vanishes")).unwrap();
    file.read_exact_at(&mut buffer, 0).unwrap();
    assert_eq!(File::open(path("vanishes")).unwrap_err().kind(), std::io::ErrorKind::NotFound);
    assert_eq!(File::open(path("closed")).unwrap_err().raw_os_error(), Some(116));
}
