//! Files that an earlier walk found.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use pfh_source::{
    Entry, ErrorKind, FileIdentity, Found, FoundFile, FoundFiles, FoundHandle, LocalSource, Source, SourceFile, Totals,
    WalkOptions,
};

type Files = FoundFiles<'static>;

fn found(path: &Path) -> FoundFile {
    let metadata = fs::metadata(path).unwrap();
    let identity = Some(FileIdentity::new(metadata.dev(), metadata.ino()));
    FoundFile { path: path.as_os_str().as_bytes().to_vec(), size: metadata.len(), identity }
}

fn source(files: Vec<FoundFile>, bytes_max: Option<u64>) -> (Files, Vec<Entry<FoundHandle>>) {
    let local = LocalSource::new(WalkOptions::default()).unwrap();
    let source = FoundFiles::new(local, files.into_iter(), bytes_max, Totals::default());
    let entries = entries(&source);
    (source, entries)
}

fn entries(source: &Files) -> Vec<Entry<FoundHandle>> {
    let mut entries = Vec::new();
    source.walk(&mut |found| {
        let Found::Entry(entry) = found else { panic!("{found:?}") };
        entries.push(entry);
        true
    });
    entries
}

#[test]
fn a_beginning_is_all_that_there_is() {
    let directory = tempfile::tempdir().unwrap();
    let [long, short] = ["long", "short"].map(|name| directory.path().join(name));
    fs::write(&long, [7; 100_000]).unwrap();
    fs::write(&short, "hello").unwrap();
    let files = vec![found(&long), found(&short), found(&long)];
    for (limit, expected) in [(Some(4096), [4096, 5, 4096]), (None, [100_000, 5, 100_000])] {
        let (source, entries) = source(files.clone(), limit);
        let sizes: Vec<u64> = entries.iter().map(|entry| entry.size_hint.unwrap()).collect();
        assert_eq!(sizes, expected);
        for (entry, expected) in entries.iter().zip(expected) {
            let file = source.open(entry).unwrap();
            for stamp in [file.stamp().unwrap(), source.stamp(entry).unwrap()] {
                assert!(stamp.is_as_listed);
                assert_eq!(stamp.metadata.size, expected);
            }
            let (mut read, mut buffer) = (0, [0; 3000]);
            loop {
                match file.read_at(&mut buffer, read).unwrap() {
                    0 => break,
                    bytes => read += bytes as u64,
                }
            }
            assert_eq!(read, expected);
        }
    }
}

#[test]
fn what_is_no_longer_as_it_was_found_is_not_as_listed() {
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<_> = ["grown", "replaced", "link", "kept"].map(|name| directory.path().join(name)).into();
    for path in &paths {
        fs::write(path, "hello").unwrap();
    }
    let (source, entries) = source(paths.iter().map(|path| found(path)).collect(), Some(3));
    fs::write(&paths[0], "hello, world").unwrap();
    // The old file exists until the new one has its number.
    fs::rename(&paths[1], directory.path().join("old")).unwrap();
    fs::write(&paths[1], "hello").unwrap();
    fs::remove_file(&paths[2]).unwrap();
    symlink(&paths[3], &paths[2]).unwrap();
    let is_as_listed: Vec<bool> =
        entries.iter().map(|entry| source.open(entry).unwrap().stamp().unwrap().is_as_listed).collect();
    assert_eq!(is_as_listed, [false, false, false, true]);
}

#[test]
fn files_of_a_walk_are_opened_in_their_directories() {
    let root = tempfile::tempdir().unwrap();
    let place = |name: &str| root.path().join(name);
    for number in 0..40 {
        fs::create_dir(place(&format!("{number:02}"))).unwrap();
        fs::write(place(&format!("{number:02}/file")), format!("{number:02} and more")).unwrap();
    }
    let names = (0..40).map(|number| format!("{number:02}/file")).chain(["gone/file".to_owned()]);
    let paths: Vec<Vec<u8>> = names.map(|name| place(&name).as_os_str().as_bytes().to_vec()).collect();
    let local = LocalSource::new(WalkOptions::default()).unwrap();
    let source = FoundFiles::as_walked(local, paths.clone(), Some(2));
    // The paths lead nowhere now, and the directories are open.
    for number in 0..40 {
        fs::rename(place(&format!("{number:02}")), place(&format!("moved{number}"))).unwrap();
    }
    let entries = entries(&source);
    assert!(entries.iter().map(Entry::path).eq(paths));
    for (number, entry) in entries[..40].iter().enumerate() {
        assert_eq!(entry.size_hint, None);
        let file = source.open(entry).unwrap();
        let mut buffer = [0; 10];
        assert_eq!(file.read_at(&mut buffer, 0).unwrap(), 2);
        assert_eq!(buffer[..2], *format!("{number:02}").as_bytes());
        let stamp = file.stamp().unwrap();
        assert!(stamp.is_as_listed && stamp.metadata.size == 2);
    }
    assert_eq!(source.open(&entries[40]).unwrap_err().kind, ErrorKind::NotFound);
}
