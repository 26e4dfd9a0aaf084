//! The findings of an earlier walk, as a source: each file as it is now.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use pfh_source::{
    Entry, ErrorKind, FileError, FilePart, Found, Listed, ListedFiles, ListedHandle, LocalSource, SkipReason, Source,
    SourceFile, Totals, WalkOptions,
};

type Files = ListedFiles<'static>;

fn source(listed: Vec<Listed>, options: WalkOptions) -> Files {
    ListedFiles::new(LocalSource::new(options).unwrap(), listed.into_iter(), Totals::default())
}

/// A path, and the reason why there is no entry.
type Other = (Vec<u8>, String);

/// Walks a source, and returns the entries, and the paths of all else with the reasons.
fn walk<S: Source>(source: &S) -> (Vec<Entry<S::Handle>>, Vec<Other>) {
    let (mut entries, mut others) = (Vec::new(), Vec::new());
    source.walk(&mut |found| {
        match found {
            Found::Entry(entry) => entries.push(entry),
            Found::Skipped(path, reason) => others.push((path, reason.to_string())),
            Found::Failed(path, error) => others.push((path, error.kind.word().to_owned())),
            Found::Other(..) | Found::Pause => {}
        }
        true
    });
    (entries, others)
}

fn contents(source: &Files, entry: &Entry<ListedHandle>) -> Result<Vec<u8>, FileError> {
    let file = source.open(entry)?;
    let mut buffer = vec![0; 10_000];
    let bytes = file.read_at(&mut buffer, 0)?;
    buffer.truncate(bytes);
    Ok(buffer)
}

/// The entries of a walk, listed and found again, are the same files with the same contents.
#[test]
fn a_walk_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let odd = pfh_testing::odd_tree(directory.path()).unwrap();
    let root = directory.path().as_os_str().as_bytes().to_vec();
    let named = [&root[..], b"/link to file"].concat();
    let options = || WalkOptions { want_size: Some(true), ..WalkOptions::default() };
    let walked = LocalSource::new(WalkOptions { roots: vec![root.clone(), named.clone()], ..options() }).unwrap();
    let (entries, others) = walk(&walked);
    let listed = entries.iter().map(|entry| Listed::File {
        path: entry.path(),
        size: entry.size_hint.unwrap(),
        named: entry.handle.is_named(),
        part: None,
    });
    let again = source(listed.collect(), options());
    let (found, nothing) = walk(&again);
    assert!(others.len() > 1 && nothing.is_empty(), "{nothing:?}");
    assert_eq!(found.len(), odd.len() + 1);
    for (one, other) in entries.iter().zip(&found) {
        assert_eq!((one.path(), one.kind, one.size_hint), (other.path(), other.kind, other.size_hint));
        assert_eq!(one.device().number, other.device().number);
    }
    for (file, entry) in odd.iter().zip(&found) {
        assert_eq!(entry.path(), [&root, &b"/"[..], &file.path].concat());
        let start = &file.contents[..file.contents.len().min(10_000)];
        assert!(contents(&again, entry).unwrap() == start);
        assert_eq!(again.stamp(entry).unwrap().metadata.size, file.contents.len() as u64);
    }
    // A link that was named is followed, one that was walked to is not.
    assert_eq!(found.last().unwrap().path(), named);
    assert!(contents(&again, found.last().unwrap()).is_ok());
    let walked_to = source(vec![Listed::File { path: named, size: 0, named: false, part: None }], options());
    assert_eq!(contents(&walked_to, &walk(&walked_to).0[0]).unwrap_err().kind, ErrorKind::Loop);
}

#[test]
fn what_has_changed_is_an_error_of_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| [directory.path().as_os_str().as_bytes(), b"/", name.as_bytes()].concat();
    let file = |name: &str| Listed::File { path: path(name), size: 3, named: false, part: None };
    fs::create_dir_all(directory.path().join("d/e")).unwrap();
    for name in ["d/a", "d/e/b", "d/c"] {
        fs::write(directory.path().join(name), name).unwrap();
    }
    fs::create_dir(directory.path().join("d/now a directory")).unwrap();
    symlink("a", directory.path().join("d/now a link")).unwrap();
    let error = FileError::new(ErrorKind::PermissionDenied, "denied");
    let unwalkable = |path: &[u8]| Listed::File { path: path.to_vec(), size: 1, named: false, part: None };
    let files = source(
        vec![
            file("d/a"),
            file("d/e/b"),
            file("d/e/gone"),
            file("d/c"),
            file("gone/x"),
            file("gone/y"),
            file("d/now a directory"),
            file("d/now a link"),
            Listed::File { path: path("d/named, and gone"), size: 1, named: true, part: None },
            Listed::Skipped(path("d/socket"), SkipReason::NotRegular),
            Listed::Failed(path("closed"), error),
            unwalkable(b"name"),
            unwalkable(b"d//name"),
            unwalkable(b"d/"),
        ],
        WalkOptions::default(),
    );
    let (entries, others) = walk(&files);
    let read: Vec<_> = entries.iter().map(|entry| contents(&files, entry).map_err(|error| error.kind)).collect();
    assert_eq!(read[..4], [Ok(b"d/a".to_vec()), Ok(b"d/e/b".to_vec()), Err(ErrorKind::NotFound), Ok(b"d/c".to_vec())]);
    // The engine looks at what was opened, and at the error.
    assert_eq!(read.len(), 6);
    assert_eq!(read[5], Err(ErrorKind::Loop));
    let others: Vec<(String, &str)> = others
        .iter()
        .map(|(path, why)| {
            (Path::new(std::ffi::OsStr::from_bytes(path)).file_name().unwrap().to_string_lossy().into_owned(), &**why)
        })
        .collect();
    let skipped = SkipReason::NotRegular.to_string();
    let expected = [
        ("x", "not-found"),
        ("y", "not-found"),
        ("named, and gone", "not-found"),
        ("socket", &*skipped),
        ("closed", "permission-denied"),
        ("name", "other"),
        ("name", "other"),
        ("d", "other"),
    ];
    assert_eq!(others, expected.map(|(name, why)| (name.to_owned(), why)));
}

/// A part of a file is read as a file of its own, and one of a file with another size is not the listed one.
#[test]
fn a_part_is_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let bytes: Vec<u8> = (0..9000_u32).map(|place| (place / 7) as u8).collect();
    fs::write(&path, &bytes).unwrap();
    fs::hard_link(&path, directory.path().join("link")).unwrap();
    let path = path.as_os_str().as_bytes().to_vec();
    for named in [false, true] {
        for (offset, length) in [(0, 4096), (4096, 4096), (8192, 808)] {
            let part = FilePart { offset, length, file_bytes: 9000 };
            let listed = |part| vec![Listed::File { path: path.clone(), size: 9000, named, part: Some(part) }];
            let files = source(listed(part), WalkOptions::default());
            let (entries, _) = walk(&files);
            let [entry] = &entries[..] else { panic!("{entries:?}") };
            assert_eq!((entry.size_hint, FilePart::of_path(&entry.path())), (Some(length), Some((&path[..], part))));
            let end = (offset + length) as usize;
            assert_eq!(contents(&files, entry).unwrap(), &bytes[offset as usize..end]);
            for stamp in [files.stamp(entry).unwrap(), files.open(entry).unwrap().stamp().unwrap()] {
                assert_eq!((stamp.metadata.size, stamp.is_as_listed), (length, true));
                assert_eq!(stamp.shared_identity(), None);
            }
            let other = source(listed(FilePart { file_bytes: 9001, ..part }), WalkOptions::default());
            let (entries, _) = walk(&other);
            let stamp = other.open(&entries[0]).unwrap().stamp().unwrap();
            assert_eq!((stamp.metadata.size, stamp.is_as_listed), (9000, false));
        }
    }
    let gone = [&path[..], b"s"].concat();
    let part = FilePart { offset: 4096, length: 4, file_bytes: 4100 };
    let (entries, others) = walk(&source(
        vec![Listed::File { path: gone, size: 4100, named: true, part: Some(part) }],
        WalkOptions::default(),
    ));
    assert!(entries.is_empty() && FilePart::of_path(&others[0].0).unwrap().1 == part, "{others:?}");
}
