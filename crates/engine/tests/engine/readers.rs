//! Files of which nobody can tell whether they are in memory, and which come late: who reads them, and in which order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pfh_engine::{Mode, Options};
use pfh_similarity::Family;
use pfh_source::{CachedRead, Entry, FileError, Found, Medium, PathHandle, Proof, Source, SourceFile, Stamp};
use pfh_testing::{ScriptedFile, ScriptedSource};

use crate::common::*;

/// A place with a head, a time for opening a file, and one for each read, of which there is one at a time.
struct Place {
    files: ScriptedSource,
    opening: Duration,
    reading: Duration,
    opens: Together,
    reads: Together,
    head: Mutex<Head>,
    /// Whether the system tells that nothing is in memory; otherwise it cannot tell.
    is_cold: bool,
    /// The thread that read each file last.
    threads: Mutex<BTreeMap<Vec<u8>, thread::ThreadId>>,
}

/// Calls of several threads at a time: how many there are now, and were at most.
#[derive(Default)]
struct Together {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Together {
    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let done = work();
        self.now.fetch_sub(1, Ordering::SeqCst);
        done
    }
}

/// Where the last read ended, and how many did not begin where the previous one ended.
#[derive(Default)]
struct Head {
    at: (Vec<u8>, u64),
    seeks: usize,
}

struct File<'p> {
    place: &'p Place,
    path: Vec<u8>,
    file: ScriptedFile,
}

impl Place {
    fn new(opening: Duration, samples: &[Sample]) -> Place {
        let files = with_samples(ScriptedSource::new().medium(Medium::Network), samples);
        let (opens, reads) = Default::default();
        let (head, threads) = Default::default();
        Place { files, opening, reading: Duration::ZERO, opens, reads, head, is_cold: false, threads }
    }

    fn seeks(&self) -> usize {
        self.head.lock().unwrap_or_else(PoisonError::into_inner).seeks
    }
}

impl<'p> Source for &'p Place {
    type Handle = PathHandle;
    type File = File<'p>;

    fn walk(&self, visit: &mut dyn FnMut(Found<PathHandle>) -> bool) {
        self.files.walk(visit);
    }

    fn open(&self, entry: &Entry<PathHandle>) -> Result<File<'p>, FileError> {
        self.opens.during(|| thread::sleep(self.opening));
        Ok(File { place: self, path: entry.path(), file: self.files.open(entry)? })
    }

    fn stamp(&self, entry: &Entry<PathHandle>) -> Result<Stamp, FileError> {
        self.files.stamp(entry)
    }
}

impl SourceFile for File<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FileError> {
        let read = self.file.read_at(buffer, offset)?;
        let mut threads = self.place.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.insert(self.path.clone(), thread::current().id());
        drop(threads);
        self.place.reads.during(|| {
            let mut head = self.place.head.lock().unwrap_or_else(PoisonError::into_inner);
            thread::sleep(self.place.reading);
            head.seeks += usize::from(head.at != (self.path.clone(), offset));
            head.at = (self.path.clone(), offset + read as u64);
        });
        Ok(read)
    }

    fn tells_cached(&self) -> bool {
        self.place.is_cold
    }

    fn read_cached(&self, _: &mut [u8], _: u64) -> CachedRead {
        CachedRead::WouldBlock
    }

    fn proof(&self) -> Proof {
        self.file.proof()
    }

    fn stamp(&self) -> Result<Stamp, FileError> {
        self.file.stamp()
    }
}

/// Runs, and checks the digests.
fn run(place: &Place, samples: &[Sample], options: &Options) {
    let run = hash(&place, options);
    assert_eq!(run.records.len(), samples.len());
    for (record, sample) in run.records.iter().zip(samples) {
        assert_complete(record, sample);
    }
}

fn samples(sizes: impl Iterator<Item = usize>, names: &[&str]) -> Vec<Sample> {
    let named = sizes.enumerate();
    named
        .map(|(number, size)| sample(format!("{number:04}"), contents(size as u64, size), &algorithms(names)))
        .collect()
}

/// Until enough files were read to know the place, one file is read after the other, unless answers come so quickly
/// that no head has moved. A trial begins after four, in which the beginnings of others are read in between.
#[test]
fn long_files_are_not_read_in_turns() {
    let _watchdog = watchdog(120);
    for threads in [1, 2, 8] {
        for names in [&["md5"][..], &["sha256", "md5"], &["crc32"], &["blake3"]] {
            let samples = samples((0..12).map(|number| 1_500_000 + number), names);
            for (family, memory_bytes) in [(None, 20 << 20), (None, 256 << 20), (Some(Family::Ssdeep), 20 << 20)] {
                let reading = Duration::from_millis(2);
                let place = Place { reading, ..Place::new(Duration::ZERO, &samples) };
                let mut options = Options { threads, memory_bytes, ..Options::new(algorithms(names)) };
                if let Some(family) = family {
                    options.selection.insert(family);
                }
                run(&place, &samples, &options);
                let seeks = place.seeks();
                assert!((12..=12 + 2 * 8).contains(&seeks), "{seeks} with {threads} threads, {names:?}, {family:?}");
            }
        }
    }
}

/// A reader holds memory for the digests of its file until workers have hashed it, so those that wait for such memory
/// go on hashing.
#[test]
fn workers_hash_while_they_wait_for_memory_of_readers() {
    let _watchdog = watchdog(120);
    for threads in [1, 2] {
        for family in [Family::Sdhash, Family::MrshV2] {
            let samples = samples((0..1 + threads).map(|number| 12_000_000 + number), &["md5"]);
            let files = with_samples(ScriptedSource::new().medium(Medium::Network), &samples[..1]);
            let files = with_samples(files.medium(Medium::SolidState), &samples[1..]);
            let place = Place { files, ..Place::new(Duration::from_millis(100), &[]) };
            let mut options = Options { threads, memory_bytes: 8 << 20, ..Options::new(algorithms(&["md5"])) };
            options.selection.insert(family);
            run(&place, &samples, &options);
        }
    }
}

/// A place that opens many files in the time of one gets readers, however few threads hash.
#[test]
fn files_that_open_slowly_side_by_side_get_readers() {
    let _watchdog = watchdog(120);
    let samples = samples((0..600).map(|number| number * 37 % 9000), &["md5"]);
    for threads in [1, 2] {
        let place = Place::new(Duration::from_millis(5), &samples);
        run(&place, &samples, &Options { threads, ..Options::new(algorithms(&["md5"])) });
        let most = place.opens.most();
        assert!((4..=32).contains(&most), "{most} at once");
    }
}

/// A worker that begins a long file leaves the others of its look-ahead window to the one that has nothing to do.
#[test]
fn files_of_the_window_do_not_wait_for_a_long_one() {
    let _watchdog = watchdog(120);
    let samples = samples((0..20).map(|number| if number == 0 { 16 << 20 } else { 1 << 20 }), &["crc32"]);
    let files = with_samples(ScriptedSource::new().medium(Medium::SolidState), &samples);
    let reading = Duration::from_millis(3);
    let place = Place { files, reading, is_cold: true, ..Place::new(Duration::ZERO, &[]) };
    run(&place, &samples, &Options { threads: 2, ..Options::new(algorithms(&["crc32"])) });
    let threads = place.threads.lock().unwrap_or_else(PoisonError::into_inner);
    let of_long = threads.values().filter(|thread| **thread == threads[&b"0000"[..]]).count();
    assert!(of_long <= 1 + 6, "{of_long} of 20 files by the thread of the long one");
}

/// A place that answers one request at a time has the next one before it has answered this one, if files are short.
#[test]
fn short_files_are_asked_for_ahead_where_requests_are_answered_one_by_one() {
    let _watchdog = watchdog(120);
    let samples = samples((0..150).map(|number| number * 37 % 9000), &["md5"]);
    for threads in [1, 2] {
        let place = Place { reading: Duration::from_millis(8), ..Place::new(Duration::ZERO, &samples) };
        run(&place, &samples, &Options { threads, ..Options::new(algorithms(&["md5"])) });
        let most = place.reads.most();
        assert!(most > 2, "{most} at once");
    }
}

/// The readers are not more than there is memory for, and the other modes have none.
#[test]
fn little_memory_and_other_modes_have_no_readers() {
    let _watchdog = watchdog(120);
    let samples = samples((0..100).map(|number| number * 997), &["md5"]);
    let options = Options { threads: 2, ..Options::new(algorithms(&["md5"])) };
    let least = Options { memory_bytes: least_memory(&options), ..options.clone() };
    for options in [least, Options { mode: Mode::Smt, ..options }] {
        let place = Place::new(Duration::from_millis(1), &samples);
        run(&place, &samples, &options);
        assert!(place.opens.most() <= 2);
    }
}
