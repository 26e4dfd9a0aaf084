//! Tests of trees that are too deep for descriptors, for the stack, and for a path in one system call.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

use crate::limits::Budget;
use crate::{Entry, Found, LocalHandle, LocalSource, Source, SourceFile, WalkOptions};

/// A scratch directory that `rm` empties, since `rm` needs no descriptor for each level of a deep tree.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        // In memory if possible, because ten thousand directories take long on a busy disk.
        Self(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    /// Makes a chain of directories, each with a file `file` that contains its level, from 1.
    fn chain(levels: usize, name: &[u8]) -> Self {
        let scratch = Self::new();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut current = openat(CWD, scratch.path(), flags, Mode::empty()).unwrap();
        for level in 1..=levels {
            mkdirat(&current, name, Mode::RWXU).unwrap();
            current = openat(&current, name, flags, Mode::empty()).unwrap();
            write(&current, &level.to_string());
        }
        scratch
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn source(&self, kept_directories: usize) -> LocalSource {
        let roots = vec![self.path().as_os_str().as_bytes().to_vec()];
        let mut source = LocalSource::new(WalkOptions { roots, ..WalkOptions::default() }).unwrap();
        source.scope.budget = Budget::new(kept_directories);
        source
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        assert!(Command::new("rm").arg("-rf").arg(self.path()).status().unwrap().success());
    }
}

fn write(directory: &OwnedFd, text: &str) {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
    let file = openat(directory, c"file", flags, Mode::RUSR | Mode::WUSR).unwrap();
    rustix::io::write(file, text.as_bytes()).unwrap();
}

fn read(source: &LocalSource, entry: &Entry<LocalHandle>) -> String {
    let file = source.open(entry).unwrap();
    let mut buffer = [0; 32];
    let read = file.read_at(&mut buffer, 0).unwrap();
    String::from_utf8(buffer[..read].to_vec()).unwrap()
}

fn open_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Walks a chain on a small stack with few kept directories, then reads some of the files again, when most directories
/// no longer have a descriptor.
fn read_chain(levels: usize, name: &'static [u8], kept_directories: usize) {
    let scratch = Scratch::chain(levels, name);
    let walk = move || {
        let source = scratch.source(kept_directories);
        let mut entries = Vec::new();
        source.walk(&mut |found| {
            let Found::Entry(entry) = found else { panic!("{found:?}") };
            entries.push(entry);
            true
        });
        // `file` sorts after the directory, so the deepest comes first.
        assert_eq!(entries.len(), levels);
        for index in (0..levels).step_by(1 + levels / 50) {
            let level = levels - index;
            let path = entries[index].path();
            assert_eq!(path.len(), scratch.path().as_os_str().len() + level * (name.len() + 1) + b"/file".len());
            assert_eq!(source.stamp(&entries[index]).unwrap().metadata.size, level.to_string().len() as u64);
            assert_eq!(read(&source, &entries[index]), level.to_string());
        }
    };
    std::thread::Builder::new().stack_size(128 * 1024).spawn(walk).unwrap().join().unwrap();
}

#[test]
fn ten_thousand_levels_with_few_descriptors() {
    read_chain(10_000, b"d", 16);
}

#[test]
fn long_names_far_beyond_the_longest_path() {
    read_chain(3_000, &[b'a'; 100], 256);
    read_chain(300, &[b'a'; 255], 0);
}

#[test]
fn directories_kept_open_stay_within_the_budget() {
    let scratch = Scratch::new();
    for number in 0..40 {
        let directory = scratch.path().join(format!("{number:02}"));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("file"), number.to_string()).unwrap();
    }
    let source = scratch.source(10);
    let before = open_descriptors();
    let mut entries = Vec::new();
    source.walk(&mut |found| {
        let Found::Entry(entry) = found else { panic!("{found:?}") };
        entries.push(entry);
        true
    });
    // Other tests run at the same time, with a few descriptors each.
    let held = |entries: &[Entry<LocalHandle>]| {
        entries.iter().filter(|entry| entry.handle.directory().kept().is_some()).count()
    };
    assert_eq!(held(&entries), 9, "all but the root's, which is gone with the walk");
    assert!(open_descriptors() < before + 10 + 20);
    for (number, entry) in entries.iter().enumerate() {
        assert_eq!(read(&source, entry), number.to_string());
    }
    assert_eq!(held(&entries), 10, "the root's permit went to the first that was opened again");
    // Dropping the directories returns their permits.
    entries.drain(..20);
    for entry in &entries {
        read(&source, entry);
    }
    assert_eq!(held(&entries), 10);
}

#[test]
fn a_directory_replaced_after_the_walk_is_not_mistaken() {
    let scratch = Scratch::new();
    let place = |name: &str| scratch.path().join(name);
    fs::create_dir(place("d")).unwrap();
    fs::write(place("d/file"), "old").unwrap();
    for (kept_directories, expected) in [(0, None), (9, Some("old"))] {
        let source = scratch.source(kept_directories);
        let mut entries = Vec::new();
        source.walk(&mut |found| {
            let Found::Entry(entry) = found else { panic!("{found:?}") };
            entries.push(entry);
            true
        });
        fs::rename(place("d"), place("moved")).unwrap();
        fs::create_dir(place("d")).unwrap();
        fs::write(place("d/file"), "other").unwrap();
        match expected {
            // A kept descriptor refers to the directory wherever it was moved.
            Some(contents) => assert_eq!(read(&source, &entries[0]), contents),
            None => {
                let error = source.open(&entries[0]).unwrap_err();
                assert_eq!(error.kind, crate::ErrorKind::NotFound);
                assert_eq!(error.to_string(), "the directory was replaced after it was listed");
            }
        }
        fs::remove_dir_all(place("d")).unwrap();
        fs::rename(place("moved"), place("d")).unwrap();
    }
}
