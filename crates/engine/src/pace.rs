//! The pace of a run, from which it estimates the time that it has left.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The sums by which the pace is known.
pub(crate) struct Pace {
    started: Instant,
    threads: u32,
    /// Number of long files that ended: files so long that they may get exclusive lanes.
    long_files: AtomicU64,
    /// The time that all threads spent on long files.
    long_nanoseconds: AtomicU64,
    at_walk_end: OnceLock<Done>,
}

/// The sums at one moment.
#[derive(Clone, Copy, Default)]
struct Done {
    elapsed: Duration,
    files: u64,
    long_files: u64,
    long_time: Duration,
}

impl Pace {
    pub(crate) fn new(started: Instant, threads: usize) -> Pace {
        Pace {
            started,
            threads: threads as u32,
            long_files: AtomicU64::new(0),
            long_nanoseconds: AtomicU64::new(0),
            at_walk_end: OnceLock::new(),
        }
    }

    /// Adds the time that one thread spent on a long file.
    pub(crate) fn add_long(&self, time: Duration) {
        self.long_nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    pub(crate) fn long_file_ended(&self) {
        self.long_files.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the walk ended when this number of files was done.
    pub(crate) fn walk_ended(&self, files: u64) {
        self.at_walk_end.get_or_init(|| self.done(files));
    }

    fn done(&self, files: u64) -> Done {
        Done {
            elapsed: self.started.elapsed(),
            files,
            long_files: self.long_files.load(Ordering::Relaxed),
            long_time: Duration::from_nanos(self.long_nanoseconds.load(Ordering::Relaxed)),
        }
    }

    /// Estimates the time for the `waiting` files, where `files` are done. While the walk goes on, the number of the
    /// others is unknown; three times as much is expected to come as there has been. `None` until the first file is
    /// done, unless there are no others.
    pub(crate) fn time_left(&self, files: u64, waiting: usize) -> Option<Duration> {
        let Some(at_walk_end) = self.at_walk_end.get() else {
            let done = (files > 0).then(|| self.done(files))?;
            return Some(self.time_for(waiting, done, Done::default()).max(3 * done.elapsed));
        };
        if waiting == 0 {
            return Some(Duration::ZERO);
        }
        // The walk takes a processor from the workers.
        let since = if files > at_walk_end.files { *at_walk_end } else { Done::default() };
        (files > 0).then(|| self.time_for(waiting, self.done(files), since))
    }

    /// Most of the waiting files are expected to be as most of those that were done between two moments.
    fn time_for(&self, waiting: usize, now: Done, before: Done) -> Duration {
        let (files, elapsed) = (now.files - before.files, now.elapsed.saturating_sub(before.elapsed));
        let long_files = now.long_files.saturating_sub(before.long_files);
        let for_long = now.long_time.saturating_sub(before.long_time) / self.threads;
        let (files, time) = match files.saturating_sub(long_files) {
            others if others > long_files => (others, elapsed.saturating_sub(for_long)),
            _ => (files, elapsed),
        };
        time.mul_f64(waiting as f64 / files as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn pace() -> Pace {
        Pace::new(Instant::now(), 2)
    }

    #[test]
    fn nothing_is_known_before_the_first_file_unless_there_are_no_others() {
        let pace = pace();
        assert_eq!(pace.time_left(0, 0), None);
        assert!(pace.time_left(1, 0).is_some());
        pace.walk_ended(0);
        assert_eq!(pace.time_left(0, 5), None);
        assert_eq!(pace.time_left(0, 0), Some(Duration::ZERO));
    }

    #[test]
    fn long_files_do_not_count_where_most_files_are_not_long() {
        let pace = pace();
        let now = |files, long_files| Done { elapsed: 10 * SECOND, files, long_files, long_time: 16 * SECOND };
        // Of 10 s, two threads spent 8 s on long files, and 2 s on the 100 others.
        assert_eq!(pace.time_for(50, now(104, 4), Done::default()), SECOND);
        assert_eq!(pace.time_for(50, now(100, 50), Done::default()), 5 * SECOND);
    }

    #[test]
    fn the_time_of_the_walk_does_not_count_after_it() {
        let pace = pace();
        let before = Done { elapsed: 6 * SECOND, files: 20, long_files: 1, long_time: 2 * SECOND };
        let now = Done { elapsed: 10 * SECOND, files: 63, long_files: 4, long_time: 6 * SECOND };
        // In 4 s, two threads spent 2 s on 3 long files, and 2 s on the 40 others.
        assert_eq!(pace.time_for(80, now, before), 4 * SECOND);
    }
}
