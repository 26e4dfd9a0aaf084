//! The mounted filesystem damages what its list says, and nothing else. Needs `/dev/fuse` and the right to mount;
//! without the first it is skipped.
#![cfg(feature = "fuse")]
#![expect(clippy::unwrap_used, reason = "a failure is the test's answer")]

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use pfh_testing::{FaultPlan, FaultyMount, FaultyOptions, Need, Writing};
use rustix::fs::{CWD, RenameFlags, renameat_with, statvfs, syncfs};

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

/// Runs `write` with a directory that can be written to, and with the real one.
fn writing(writing: Writing, plan: &[u8], write: impl FnOnce(&Path, &Path)) {
    if !Path::new("/dev/fuse").exists() {
        pfh_testing::skipped(Need::Fuse, "there is no /dev/fuse");
        return;
    }
    let (real, shown) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = FaultyOptions { writing: Some(writing), ..FaultyOptions::default() };
    let mount = FaultyMount::with(options, real.path(), shown.path(), FaultPlan::parse(plan).unwrap()).unwrap();
    write(shown.path(), real.path());
    mount.unmount().unwrap();
}

#[track_caller]
fn fails<T: std::fmt::Debug>(result: io::Result<T>, errno: i32) {
    assert_eq!(result.unwrap_err().raw_os_error(), Some(errno));
}

fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

#[test]
fn all_is_written_to_the_real_directory() {
    writing(Writing::default(), b"", |shown, real| {
        let [a, b, c] = ["a", "d/b", "d/c"].map(|name| shown.join(name));
        fs::create_dir(shown.join("d")).unwrap();
        fs::write(&a, [7; 100_000]).unwrap();
        fs::hard_link(&a, &b).unwrap();
        assert_eq!(fs::metadata(&a).unwrap().ino(), fs::metadata(&b).unwrap().ino());
        fails(rename_new(&a, &b), 17);
        fs::remove_file(&a).unwrap();
        // The inode goes on under its other name, and the next of the old name is another one.
        fs::write(&a, "new").unwrap();
        rename_new(&b, &c).unwrap();
        assert_eq!((fs::read(&c).unwrap().len(), fs::read(&a).unwrap().len()), (100_000, 3));
        symlink("../x", shown.join("d/link")).unwrap();
        fs::rename(shown.join("d"), shown.join("e")).unwrap();
        let file = File::options().write(true).open(shown.join("e/c")).unwrap();
        file.set_len(50).unwrap();
        file.write_all_at(&[8; 20], 40).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::new(1000, 7)).unwrap();
        file.set_permissions(fs::Permissions::from_mode(0o640)).unwrap();
        file.sync_all().unwrap();
        for directory in [shown, real] {
            assert_eq!(fs::read(directory.join("e/c")).unwrap(), [&[7; 40][..], &[8; 20]].concat());
            let metadata = fs::metadata(directory.join("e/c")).unwrap();
            assert_eq!((metadata.mtime(), metadata.mtime_nsec(), metadata.mode() & 0o7777), (1000, 7, 0o640));
            assert_eq!(fs::read_link(directory.join("e/link")).unwrap(), Path::new("../x"));
        }
        fails(fs::remove_dir(shown.join("e")), 39);
        fs::remove_dir_all(shown.join("e")).unwrap();
        assert_eq!(fs::read_dir(real).unwrap().count(), 1);
    });
}

#[test]
fn writing_fails_where_the_plan_says() {
    let plan =
        b"bad unwritable 5000 5\nflips flip 70000\nlies eio 4096 1\na:b refused 22\nunsynced sync 5\n. full 500000";
    writing(Writing::default(), plan, |shown, real| {
        let path = |name: &str| shown.join(name);
        let contents = vec![7; 100_000];
        fails(fs::write(path("bad"), &contents), 5);
        assert_eq!(fs::metadata(real.join("bad")).unwrap().len(), 5000);
        fs::write(path("flips"), &contents).unwrap();
        let mut flipped = contents.clone();
        flipped[70_000] = !7;
        assert!(fs::read(path("flips")).unwrap() == flipped && fs::read(real.join("flips")).unwrap() == contents);
        fs::write(path("lies"), &contents).unwrap();
        fails(fs::read(path("lies")), 5);
        fails(File::create(path("a:b")), 22);
        fails(fs::create_dir(path("a:b")), 22);
        fails(symlink("x", path("a:b")), 22);
        fails(fs::hard_link(path("lies"), path("a:b")), 22);
        fails(fs::rename(path("lies"), path("a:b")), 22);
        let mut unsynced = File::create(path("unsynced")).unwrap();
        unsynced.write_all(&contents).unwrap();
        fails(unsynced.sync_all(), 5);
        let free = statvfs(shown).unwrap();
        assert_eq!(free.f_bavail * free.f_frsize, 195_000 / 512 * 512);
        fs::write(path("last"), &contents).unwrap();
        fails(fs::write(path("full"), &contents), 28);
        assert_eq!(fs::metadata(real.join("full")).unwrap().len(), 95_000);
    });
}

#[test]
fn a_filesystem_can_lack_ways_to_give_names() {
    for (without_noreplace, without_hard_links) in [(true, false), (false, true), (true, true)] {
        writing(Writing { without_noreplace, without_hard_links, ..Writing::default() }, b"", |shown, _| {
            let [a, b, c] = ["a", "b", "c"].map(|name| shown.join(name));
            fs::write(&a, "1").unwrap();
            let (renamed, linked) = (rename_new(&a, &b), fs::hard_link(if b.exists() { &b } else { &a }, &c));
            let errno = |result: io::Result<()>| result.err().and_then(|error| error.raw_os_error());
            assert_eq!(errno(renamed), without_noreplace.then_some(22));
            assert_eq!(errno(linked), without_hard_links.then_some(1));
            fs::rename(if b.exists() { &b } else { &a }, &c).unwrap();
        });
    }
}

#[test]
fn a_file_that_is_removed_while_it_is_open_can_be_hidden() {
    writing(Writing { hides_removed: true, ..Writing::default() }, b"", |shown, real| {
        let folder = shown.join("folder");
        fs::create_dir(&folder).unwrap();
        let mut file = File::create(folder.join("a")).unwrap();
        // Another name of it is removed as anywhere.
        fs::hard_link(folder.join("a"), folder.join("b")).unwrap();
        fs::remove_file(folder.join("b")).unwrap();
        fs::remove_file(folder.join("a")).unwrap();
        file.write_all(b"1").unwrap();
        fails(fs::remove_dir(&folder), 39);
        drop(file);
        // The kernel does not wait until this filesystem has closed it.
        let started = Instant::now();
        while fs::read_dir(real.join("folder")).unwrap().next().is_some() {
            assert!(started.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(1));
        }
        fs::remove_dir(&folder).unwrap();
    });
}

#[test]
fn late_errors_come_by_syncing_the_filesystem() {
    writing(Writing { late: true, ..Writing::default() }, b"bad unwritable 4096 5", |shown, real| {
        let root = File::open(shown).unwrap();
        for name in ["good", "bad"] {
            let mut file = File::create(shown.join(name)).unwrap();
            file.write_all(&[7; 100_000]).unwrap();
        }
        fails(syncfs(&root).map_err(io::Error::from), 5);
        syncfs(&root).unwrap();
        assert!(fs::read(real.join("good")).unwrap() == [7; 100_000]);
        assert_ne!(fs::read(real.join("bad")).unwrap(), [7; 100_000]);
    });
}
