//! Counts and times of a run.

use pfh_record::Summary;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// The timers of the published system, summed over all threads, so that they may exceed the elapsed time. All are zero
/// without [`Options::measure`](crate::Options::measure).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timers {
    /// Time of opening and reading.
    pub read: Duration,
    /// Time of hashing.
    pub hash: Duration,
    /// Time of waiting for a file or a filled slot.
    pub wait_file: Duration,
    /// Time of waiting for space in the memory table.
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

/// The counts and times of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Records by outcome, bytes, and elapsed time.
    pub summary: Summary,
    /// Number of files that [`Decision::LeaveOut`](crate::Decision::LeaveOut) left out.
    pub left_out: u64,
    /// Readers that proved worth while for places that answer late; 1 where there are none.
    pub readers: usize,
    /// Number of slots in the memory table.
    pub slots: usize,
    /// Length of one slot in bytes, which is the most that one read asks for.
    pub slot_bytes: usize,
    /// The time of all threads, by activity.
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
