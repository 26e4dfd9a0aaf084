//! Opening and reading: every method reads the same bytes, and files replaced after the walk are not mistaken for the
//! listed ones.
#![expect(clippy::unwrap_used, reason = "a failure is the test's answer")]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pfh_source::{
    Entry, EntryKind, ErrorKind, FileIdentity, Found, IoMethod, LocalHandle, LocalSource, Source, SourceFile, Stamp,
    WalkOptions,
};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::{TempDir, tempdir, tempdir_in};

const ELOOP: i32 = 40;
const METHODS: [IoMethod; 3] = [IoMethod::Buffered, IoMethod::Drop, IoMethod::Direct];

fn source(roots: &[&Path], io: IoMethod) -> LocalSource {
    let roots = roots.iter().map(|root| root.as_os_str().as_bytes().to_vec()).collect();
    LocalSource::new(WalkOptions { roots, io, ..WalkOptions::default() }).unwrap()
}

fn entries(source: &LocalSource) -> Vec<Entry<LocalHandle>> {
    let mut entries = Vec::new();
    source.walk(&mut |found| {
        let Found::Entry(entry) = found else { panic!("{found:?}") };
        entries.push(entry);
        true
    });
    entries
}

/// Returns bytes with the period 251, a prime, so that bytes at a wrong place differ.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|position| (position % 251) as u8).collect()
}

/// Makes a scratch directory next to the sources, on a disk; the system's may be in memory.
fn on_disk() -> TempDir {
    tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
}

/// Returns space for `length` bytes that begin at a multiple of 4096, plus `shift`.
struct Space(Vec<u8>);

impl Space {
    fn new(length: usize) -> Self {
        Self(vec![0xAA; length + 2 * 4096])
    }
    fn at(&mut self, shift: usize, length: usize) -> &mut [u8] {
        let start = self.0.as_ptr().align_offset(4096) + shift;
        &mut self.0[start..start + length]
    }
}

#[test]
fn every_method_gives_the_same_bytes_at_every_offset() {
    let root = on_disk();
    for length in [0, 1, 511, 4095, 4096, 4097, 100_000, 1024 * 1024 + 8192 + 17] {
        let contents = pattern(length);
        let path = root.path().join("file");
        let mut file = File::create(&path).unwrap();
        file.write_all(&contents).unwrap();
        file.sync_all().unwrap();
        for io in METHODS {
            let source = source(&[&path], io);
            let file = source.open(&entries(&source)[0]).unwrap();
            assert_eq!(file.stamp().unwrap().metadata.size, length as u64);
            file.announce(0, length as u64);
            let mut space = Space::new(2 * 1024 * 1024);
            for offset in [0, 1, 4095, 4096, 8191, 65_536, length.saturating_sub(1), length, length + 1, length + 4096]
            {
                for (shift, asked) in [(0, 4096), (0, 65_536), (0, 2 * 1024 * 1024), (1, 4096), (0, 1000), (7, 70_001)]
                {
                    let buffer = space.at(shift, asked);
                    let read = file.read_at(buffer, offset as u64).unwrap();
                    let expected = contents.get(offset..).unwrap_or_default();
                    // Unaligned direct reads may be short, but not empty before the end.
                    assert!(read <= expected.len().min(asked));
                    assert!(read > 0 || expected.is_empty(), "{io:?} {length} {offset} {asked}");
                    assert!(buffer[..read] == expected[..read], "{io:?} {length} {offset} {asked}");
                }
            }
            file.release(length as u64 / 2);
            file.release(length as u64 / 3);
            file.release(length as u64);
        }
    }
}

/// Returns the number of pages of the file in memory, by `fincore` of util-linux.
fn cached_pages(path: &Path) -> Option<u64> {
    let output = Command::new("fincore").args(["-n", "-r", "-o", "PAGES"]).arg(path).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

#[test]
fn dropping_and_direct_reading_leave_nothing_in_the_page_cache() {
    let root = on_disk();
    let path = root.path().join("file");
    let mut file = File::create(&path).unwrap();
    file.write_all(&pattern(1024 * 1024)).unwrap();
    file.sync_all().unwrap();
    let Some(pages) = cached_pages(&path) else {
        return pfh_testing::skipped(pfh_testing::Need::Peers, "there is no fincore");
    };
    assert_eq!(pages, 256);
    for (io, left) in [(IoMethod::Buffered, 256), (IoMethod::Drop, 0), (IoMethod::Direct, 0)] {
        let source = source(&[&path], io);
        let file = source.open(&entries(&source)[0]).unwrap();
        let mut space = Space::new(256 * 1024);
        for offset in (0..1024 * 1024).step_by(256 * 1024) {
            assert_eq!(file.read_at(space.at(0, 256 * 1024), offset).unwrap(), 256 * 1024);
            file.release(offset + 256 * 1024);
        }
        assert_eq!(source.direct_fallbacks(), 0);
        drop(file);
        assert_eq!(cached_pages(&path), Some(left), "{io:?}");
    }
}

#[test]
fn holes_read_as_zeros_like_everything_else() {
    const SIZE: u64 = 5 * 1024 * 1024 + 100;
    for root in [on_disk(), tempdir().unwrap()] {
        let path = root.path().join("sparse");
        let file = File::create(&path).unwrap();
        file.set_len(SIZE).unwrap();
        for (offset, length) in [(1_000_000, 10), (2 * 1024 * 1024, 70_000), (5 * 1024 * 1024 - 1, 2)] {
            file.write_all_at(&vec![7; length], offset).unwrap();
        }
        assert!(file.metadata().unwrap().blocks() * 512 < SIZE);
        let expected = fs::read(&path).unwrap();
        for io in METHODS {
            let source = source(&[&path], io);
            let file = source.open(&entries(&source)[0]).unwrap();
            assert_eq!(file.stamp().unwrap().metadata.size, SIZE);
            for piece in [4096, 65_536, 1024 * 1024, 12_345] {
                let mut contents = Vec::new();
                let mut space = Space::new(piece);
                loop {
                    let buffer = space.at(0, piece);
                    match file.read_at(buffer, contents.len() as u64).unwrap() {
                        0 => break,
                        read => contents.extend_from_slice(&buffer[..read]),
                    }
                }
                assert!(contents == expected, "{io:?} {piece}");
            }
            // The next read sees data written into a hole, and a changed length.
            let mut buffer = [9; 4];
            assert_eq!((file.read_at(&mut buffer, 3_000_000).unwrap(), buffer), (4, [0; 4]));
            let writer = OpenOptions::new().write(true).open(&path).unwrap();
            writer.write_all_at(b"data", 3_000_000).unwrap();
            assert_eq!((file.read_at(&mut buffer, 3_000_000).unwrap(), &buffer), (4, b"data"));
            writer.set_len(4_000_000).unwrap();
            assert_eq!(file.read_at(&mut buffer, 4_000_000).unwrap(), 0);
            assert_eq!(file.read_at(&mut buffer, 3_999_998).unwrap(), 2);
            writer.write_all_at(&expected[3_000_000..3_000_004], 3_000_000).unwrap();
            writer.set_len(SIZE).unwrap();
            writer.write_all_at(&expected[5 * 1024 * 1024 - 1..], 5 * 1024 * 1024 - 1).unwrap();
        }
    }
}

#[test]
fn what_takes_the_place_of_a_file_is_not_waited_for_and_not_followed() {
    let root = tempdir().unwrap();
    let place = |name: &str| -> PathBuf { root.path().join(name) };
    for name in ["becomes fifo", "becomes link", "becomes nothing"] {
        fs::write(place(name), "contents").unwrap();
    }
    let source = source(&[root.path()], IoMethod::Buffered);
    let entries = entries(&source);
    for name in ["becomes fifo", "becomes link", "becomes nothing"] {
        fs::remove_file(place(name)).unwrap();
    }
    mknodat(CWD, place("becomes fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    symlink("/etc/passwd", place("becomes link")).unwrap();
    // Opening a FIFO for reading would wait for a writer; the mode shows what it is.
    let mode = |stamp: &Stamp| FileType::from_raw_mode(stamp.metadata.posix.unwrap().mode);
    let fifo = source.open(&entries[0]).unwrap().stamp().unwrap();
    assert_eq!((mode(&fifo), fifo.is_as_listed), (FileType::Fifo, false));
    let error = source.open(&entries[1]).unwrap_err();
    assert_eq!((error.kind, error.errno), (ErrorKind::Loop, Some(ELOOP)));
    let link = source.stamp(&entries[1]).unwrap();
    assert_eq!((mode(&link), link.is_as_listed), (FileType::Symlink, false));
    assert_eq!(source.open(&entries[2]).unwrap_err().kind, ErrorKind::NotFound);
    assert_eq!(source.physical_position(&entries[2]), None);
}

#[test]
fn a_named_fifo_is_read_to_its_end() {
    let root = tempdir().unwrap();
    let path = root.path().join("fifo");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let source = source(&[&path], IoMethod::Direct);
    let entry = entries(&source).remove(0);
    assert_eq!((entry.kind, entry.size_hint), (EntryKind::Stream, None));
    let writer = std::thread::spawn(move || fs::write(path, pattern(300_000)).unwrap());
    let file = source.open(&entry).unwrap();
    let mut contents = Vec::new();
    let mut buffer = vec![0; 4096];
    loop {
        // Streams ignore the offset.
        match file.read_at(&mut buffer, 77).unwrap() {
            0 => break,
            read => contents.extend_from_slice(&buffer[..read]),
        }
    }
    writer.join().unwrap();
    assert!(contents == pattern(300_000));
}

/// The child process of the next test; without it there is nothing to read.
#[test]
#[ignore = "run by `standard_input_is_a_stream` in a process whose input it gives"]
fn copy_standard_input() {
    let options = WalkOptions { roots: vec![b"-".to_vec()], reads_standard_input: true, ..WalkOptions::default() };
    let source = LocalSource::new(options).unwrap();
    let entry = entries(&source).remove(0);
    let file = source.open(&entry).unwrap();
    let mut buffer = [0; 100];
    let mut sum = 0;
    loop {
        match file.read_at(&mut buffer, 0).unwrap() {
            0 => break,
            read => sum += buffer[..read].iter().map(|&byte| u64::from(byte)).sum::<u64>(),
        }
    }
    eprintln!("path {} kind {:?} sum {sum}", entry.path().escape_ascii(), entry.kind);
}

#[test]
fn standard_input_is_a_stream() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "copy_standard_input", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let contents = pattern(10_000);
    child.stdin.take().unwrap().write_all(&contents).unwrap();
    let output = child.wait_with_output().unwrap();
    let sum = contents.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&format!("path - kind Stream sum {sum}")), "{said}");
}

#[test]
fn access_times_stay_when_asked() {
    let root = on_disk();
    let path = root.path().join("file");
    fs::write(&path, "contents").unwrap();
    // An access time before the modification, which even `relatime` would advance on reading.
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    File::open(&path).unwrap().set_times(fs::FileTimes::new().set_accessed(old)).unwrap();
    let options = WalkOptions {
        roots: vec![path.as_os_str().as_bytes().to_vec()],
        preserve_access_time: true,
        ..WalkOptions::default()
    };
    let source = LocalSource::new(options).unwrap();
    let file = source.open(&entries(&source)[0]).unwrap();
    assert_eq!(file.read_at(&mut [0; 100], 0).unwrap(), 8);
    assert_eq!(fs::metadata(&path).unwrap().accessed().unwrap(), old);
}

#[test]
fn metadata_are_those_of_the_system() {
    let root = tempdir().unwrap();
    let path = root.path().join("file");
    fs::write(&path, "12345").unwrap();
    fs::hard_link(&path, root.path().join("other")).unwrap();
    let source = source(&[root.path()], IoMethod::Buffered);
    let entries = entries(&source);
    let expected = fs::metadata(&path).unwrap();
    for entry in &entries {
        let stamp = source.stamp(entry).unwrap();
        let (metadata, posix) = (stamp.metadata, stamp.metadata.posix.unwrap());
        assert_eq!((metadata.size, posix.links, posix.inode), (5, 2, expected.ino()));
        assert_eq!((stamp.links, stamp.identity), (2, Some(FileIdentity::new(expected.dev(), expected.ino()))));
        let mtime = metadata.mtime.unwrap();
        assert_eq!((mtime.seconds, i64::from(mtime.nanoseconds)), (expected.mtime(), expected.mtime_nsec()));
        assert_eq!(
            (posix.ctime.seconds, i64::from(posix.ctime.nanoseconds)),
            (expected.ctime(), expected.ctime_nsec())
        );
        assert_eq!((posix.mode, posix.uid, posix.gid), (expected.mode(), expected.uid(), expected.gid()));
        assert_eq!((posix.device, entry.device().number), (expected.dev(), expected.dev()));
    }
}
