//! Counts and times of a run.

use pfh_record::{Outcome, Record};
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// How many records of each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All records.
    pub records: u64,
    /// Every expected byte was hashed.
    pub complete: u64,
    /// Changed while being read.
    pub changed: u64,
    /// Ended early.
    pub short: u64,
    /// Could not be opened or read, directories included.
    pub unreadable: u64,
    /// Not read on purpose.
    pub skipped: u64,
    /// Complete files that bear the marks of a known collision attack.
    pub collisions: u64,
    /// Bytes that went through the digests of complete files.
    pub bytes: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, record: &Record) {
        self.records += 1;
        match record.outcome {
            Outcome::Complete => {
                self.complete += 1;
                self.bytes += record.bytes_read;
                self.collisions += u64::from(record.digests.iter().any(|digest| digest.collision_detected()));
            }
            Outcome::ChangedWhileReading => self.changed += 1,
            Outcome::Short { .. } => self.short += 1,
            Outcome::Unreadable { .. } => self.unreadable += 1,
            Outcome::Skipped(_) => self.skipped += 1,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.records += other.records;
        self.complete += other.complete;
        self.changed += other.changed;
        self.short += other.short;
        self.unreadable += other.unreadable;
        self.skipped += other.skipped;
        self.collisions += other.collisions;
        self.bytes += other.bytes;
    }
}

/// The published system's timers, summed over all threads (so they may exceed the elapsed time). All zero unless
/// [`Options::measure`](crate::Options::measure).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timers {
    /// Opening and reading.
    pub read: Duration,
    /// Hashing.
    pub hash: Duration,
    /// Waiting for a file (or a filled slot) to work on.
    pub wait_file: Duration,
    /// Waiting for space in the memory table.
    pub wait_space: Duration,
}

impl AddAssign for Timers {
    fn add_assign(&mut self, other: Timers) {
        self.read += other.read;
        self.hash += other.hash;
        self.wait_file += other.wait_file;
        self.wait_space += other.wait_space;
    }
}

/// What came of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records by outcome.
    pub counts: Counts,
    /// Files that [`run`](crate::run)'s `skip` left out.
    pub left_out: u64,
    /// From start to end.
    pub elapsed: Duration,
    /// Where the threads' time went.
    pub timers: Timers,
    /// The run was stopped by its token or by the sink: records are missing.
    pub stopped: bool,
}

/// A stopwatch that costs nothing when it is off.
#[derive(Clone, Copy)]
pub(crate) struct Clock(pub(crate) bool);

impl Clock {
    pub(crate) fn start(self) -> Option<Instant> {
        self.0.then(Instant::now)
    }
}

pub(crate) fn stop(started: Option<Instant>, total: &mut Duration) {
    if let Some(started) = started {
        *total += started.elapsed();
    }
}
