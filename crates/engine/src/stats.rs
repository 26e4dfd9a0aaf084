//! Counts and times of a run.

use pfh_record::Summary;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

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
    /// Records by outcome, bytes, and the time from start to end.
    pub summary: Summary,
    /// Files that [`Decision::LeaveOut`](crate::Decision::LeaveOut) left out.
    pub left_out: u64,
    /// Where the threads' time went.
    pub timers: Timers,
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
