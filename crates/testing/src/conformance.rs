//! Properties of every source, whatever it reads from.
#![expect(clippy::unwrap_used, reason = "a failure is the test's answer")]

use std::collections::HashMap;
use std::sync::{Barrier, OnceLock};
use std::thread;

use pfh_source::{CachedRead, Entry, EntryKind, ErrorKind, FileError, Found, Handle, Proof, Source, SourceFile, Stamp};

use crate::Random;

/// A place that can be filled, and a source that reads from it. [`source_conformance`] asks for a new one for each
/// test.
pub trait SourceUnderTest {
    /// The source.
    type Source: Source;

    /// A source that lists these files, given by path and contents, in this order. Files added or changed later need
    /// not be listed.
    fn source(&self, files: &[(&[u8], &[u8])]) -> Self::Source;

    /// A path as the source shows it, for one given to [`SourceUnderTest::source`].
    fn shown(&self, path: &[u8]) -> Vec<u8> {
        path.to_vec()
    }

    /// Gives a file other contents: the same file for file systems, another version of the object elsewhere. False
    /// where nothing can change there.
    fn rewrite(&self, source: &Self::Source, path: &[u8], contents: &[u8]) -> bool;

    /// Puts another file in the place of one, or gives it other contents where that is the same.
    fn replace(&self, source: &Self::Source, path: &[u8], contents: &[u8]) -> bool {
        self.rewrite(source, path, contents)
    }

    /// Removes a file. False where that cannot be.
    fn remove(&self, source: &Self::Source, path: &[u8]) -> bool;

    /// Adds a second name to a file that is listed, and returns a source that lists both; `None` where files have one
    /// name.
    fn link(&self, path: &[u8], contents: &[u8], link: &[u8]) -> Option<Self::Source> {
        let _ = (path, contents, link);
        None
    }

    /// A source that lists one stream with these contents; `None` where there are none.
    fn stream(&self, path: &[u8], contents: &[u8]) -> Option<Self::Source> {
        let _ = (path, contents);
        None
    }
}

/// Tests what the engine relies on. `place` makes a new, empty place.
///
/// # Panics
/// If the source does otherwise; the message says what was expected.
pub fn source_conformance<T: SourceUnderTest>(place: impl Fn() -> T) {
    lists_what_there_is(&place());
    reads_any_part(&place());
    is_read_by_several_at_once(&place());
    announcing_is_advice(&place());
    tells_files_apart(&place());
    changes_show(&place());
    what_is_gone_is_not_found(&place());
    streams_are_read_in_order(&place());
}

type EntryOf<T> = Entry<<<T as SourceUnderTest>::Source as Source>::Handle>;

fn entries<S: Source>(source: &S) -> Vec<Entry<S::Handle>> {
    let mut entries = Vec::new();
    source.walk(&mut |found| {
        match found {
            Found::Entry(entry) => entries.push(entry),
            Found::Pause => {}
            other => panic!("nothing is to be passed over or to fail: {other:?}"),
        }
        true
    });
    entries
}

fn only_entry<T: SourceUnderTest>(source: &T::Source) -> EntryOf<T> {
    let mut entries = entries(source);
    assert_eq!(entries.len(), 1, "one file is listed");
    entries.remove(0)
}

/// Bytes without a period.
fn contents(seed: u32, length: usize) -> Vec<u8> {
    Random::new(seed.into()).bytes(length)
}

fn read_whole(file: &impl SourceFile, step: usize) -> Result<Vec<u8>, FileError> {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; step]);
    loop {
        match file.read_at(&mut buffer, bytes.len() as u64)? {
            0 => return Ok(bytes),
            length => bytes.extend_from_slice(&buffer[..length]),
        }
    }
}

fn lists_what_there_is<T: SourceUnderTest>(place: &T) {
    let long = contents(3, 100_000);
    let files: [(&[u8], &[u8]); 4] = [(b"a", b""), (b"b", b"x"), (b"c", &long), (b"d\xff \n", b"odd name")];
    let source = place.source(&files);
    let entries = entries(&source);
    let shown: Vec<_> = entries.iter().map(Entry::path).collect();
    let expected: Vec<_> = files.iter().map(|(path, _)| place.shown(path)).collect();
    assert_eq!(shown, expected, "the walk lists all files, in order");
    for (entry, (_, contents)) in entries.iter().zip(files) {
        assert_eq!(entry.kind, EntryKind::Regular);
        assert_eq!(entry.path_bytes(), entry.path().len(), "the length of the path is that of the path");
        assert!(entry.size_hint.is_none_or(|size| size == contents.len() as u64), "a stated size is the size");
        let (named, open) = (source.stamp(entry).unwrap(), source.open(entry).unwrap().stamp().unwrap());
        assert_eq!(named.metadata.size, contents.len() as u64);
        assert!(named.is_same_content(&open) && open.is_as_listed, "by name and open, it is the same file");
        if let (Some(hint), Some(identity)) = (entry.identity_hint, open.identity) {
            assert_eq!(hint.number, identity.number, "the listing knows which file it is");
        }
    }
    let source = place.source(&files);
    let mut seen = 0;
    source.walk(&mut |_| {
        seen += 1;
        seen < 2
    });
    assert_eq!(seen, 2, "a walk that is stopped lists nothing more");
}

fn reads_any_part<T: SourceUnderTest>(place: &T) {
    let whole = contents(5, 300_001);
    let source = place.source(&[(b"file", &whole)]);
    let entry = only_entry::<T>(&source);
    for step in [1 << 20, 300_001, 65_536, 4_099] {
        assert!(read_whole(&source.open(&entry).unwrap(), step).unwrap() == whole, "in steps of {step}");
    }
    let file = source.open(&entry).unwrap();
    let mut buffer = [0; 1000];
    for offset in [0, 299_900, 123_456, 7] {
        let length = file.read_at(&mut buffer, offset).unwrap();
        let rest = &whole[offset as usize..];
        assert!((1..=rest.len()).contains(&length) && buffer[..length] == rest[..length], "at {offset}");
    }
    for offset in [300_001, 300_002, 1 << 40] {
        assert_eq!(file.read_at(&mut buffer, offset).unwrap(), 0, "there is nothing at {offset}");
    }
    match file.read_cached(&mut buffer, 0) {
        CachedRead::Ready(length) => assert!(file.tells_cached() && length > 0 && buffer[..length] == whole[..length]),
        CachedRead::WouldBlock => assert!(file.tells_cached()),
        CachedRead::Unknown => {}
    }
    assert!(file.stamp().unwrap().is_same_content(&file.stamp().unwrap()), "reading changes nothing");
}

fn is_read_by_several_at_once<T: SourceUnderTest>(place: &T) {
    let whole = contents(7, 1 << 20);
    let source = place.source(&[(b"file", &whole)]);
    let entry = only_entry::<T>(&source);
    // One of the readers opens the file. It lives as long as the others read, as the engine has it.
    let (opened, file) = (Barrier::new(4), OnceLock::new());
    thread::scope(|scope| {
        for part in 0..4 {
            let (source, entry, opened, file, whole) = (&source, &entry, &opened, &file, &whole);
            scope.spawn(move || {
                source.begin_thread();
                if part == 0 {
                    assert!(file.set(source.open(entry).unwrap()).is_ok());
                }
                opened.wait();
                let file = file.get().unwrap();
                let (mut offset, end) = (part << 18, (part + 1) << 18);
                let mut buffer = vec![0; 10_000];
                while offset < end {
                    let length = file.read_at(&mut buffer, offset as u64).unwrap().min(end - offset);
                    assert!(length > 0 && buffer[..length] == whole[offset..offset + length], "at {offset}");
                    offset += length;
                }
                assert_eq!(file.stamp().unwrap().metadata.size, whole.len() as u64);
                opened.wait();
            });
        }
    });
}

fn announcing_is_advice<T: SourceUnderTest>(place: &T) {
    let whole = contents(9, 200_000);
    let source = place.source(&[(b"file", &whole)]);
    let look_ahead = source.look_ahead();
    assert!(look_ahead.requests_max > 0 && look_ahead.range_bytes != Some(0));
    let file = source.open(&only_entry::<T>(&source)).unwrap();
    for (offset, length) in [(0, 200_000), (0, 100), (100_000, 0), (199_999, 1 << 30), (1 << 40, 5), (0, 200_000)] {
        file.announce(offset, length);
    }
    let mut buffer = vec![0; 50_000];
    let mut offset = 0;
    while offset < whole.len() {
        let length = file.read_at(&mut buffer, offset as u64).unwrap();
        assert!(length > 0 && buffer[..length] == whole[offset..offset + length], "at {offset}");
        offset += length;
        file.release(offset as u64);
    }
}

fn tells_files_apart<T: SourceUnderTest>(place: &T) {
    let source = place.source(&[(b"a", b"same"), (b"b", b"same"), (b"c", b"same")]);
    let mut seen = HashMap::new();
    for entry in entries(&source) {
        let stamp = source.open(&entry).unwrap().stamp().unwrap();
        assert!(stamp.links <= 1 || stamp.identity.is_some(), "only what is known by an identity has several names");
        if let Some(identity) = stamp.identity {
            let other = seen.insert(identity, entry.path());
            assert_eq!(other, None, "two files have one identity");
        }
    }
    let Some(source) = place.link(b"first", b"shared", b"second") else { return };
    let stamps: Vec<Stamp> = entries(&source).iter().map(|entry| source.stamp(entry).unwrap()).collect();
    let [first, second] = &stamps[..] else { panic!("two names are listed") };
    assert!(first.is_same_content(second) && first.links == 2 && second.links == 2, "two names of one file");
    assert!(first.shared_identity().is_some());
}

/// Bytes are either those of before or the stamps differ.
fn changes_show<T: SourceUnderTest>(place: &T) {
    let (old, new) = (contents(11, 150_000), contents(12, 150_000));
    let shorter = &new[..100_000];
    for (contents, replaced) in [(&new[..], false), (&new[..], true), (shorter, false), (shorter, true)] {
        let source = place.source(&[(b"file", &old)]);
        let entry = only_entry::<T>(&source);
        let file = source.open(&entry).unwrap();
        let before = file.stamp().unwrap();
        let mut buffer = vec![0; 50_000];
        let first = file.read_at(&mut buffer, 0).unwrap();
        let mut read = buffer[..first].to_vec();
        let change = if replaced { T::replace } else { T::rewrite };
        if !change(place, &source, b"file", contents) {
            return;
        }
        let rest = loop {
            match file.read_at(&mut buffer, read.len() as u64) {
                Ok(0) => break Ok(()),
                Ok(length) => read.extend_from_slice(&buffer[..length]),
                Err(error) => break Err(error),
            }
        };
        let after = file.stamp();
        let claims_unchanged = rest.is_ok()
            && (file.proof() == Proof::Unchanging || after.is_ok_and(|after| before.is_same_content(&after)))
            && read.len() as u64 == before.metadata.size;
        assert!(!claims_unchanged || read == old, "mixed contents are taken for unchanged ones");
        let now = source.stamp(&entry);
        assert!(!now.is_ok_and(|now| now.is_same_content(&before)), "by its name it still seems to be the old one");
    }
}

fn what_is_gone_is_not_found<T: SourceUnderTest>(place: &T) {
    let source = place.source(&[(b"file", b"short-lived")]);
    let entry = only_entry::<T>(&source);
    if place.remove(&source, b"file") {
        let kinds = [source.open(&entry).err(), source.stamp(&entry).err()].map(|error| error.map(|error| error.kind));
        assert_eq!(kinds, [Some(ErrorKind::NotFound); 2], "what is gone is not found");
    }
}

fn streams_are_read_in_order<T: SourceUnderTest>(place: &T) {
    let whole = contents(13, 70_000);
    let Some(source) = place.stream(b"stream", &whole) else { return };
    let entry = only_entry::<T>(&source);
    assert_eq!(entry.kind, EntryKind::Stream);
    assert!(entry.handle.path_bytes() > 0);
    let file = source.open(&entry).unwrap();
    assert_eq!(file.read_cached(&mut [0; 10], 0), CachedRead::Unknown, "a stream cannot be read on trial");
    assert!(read_whole(&file, 10_000).unwrap() == whole);
}
