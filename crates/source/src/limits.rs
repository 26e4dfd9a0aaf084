//! The limit on open files, and its division within a run.

use std::fmt;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Limit assumed if the system sets none; a run never needs more.
const UNLIMITED: u64 = 1 << 20;

/// Most directories kept open, whatever the limit. Other directories are opened again when needed.
const KEPT_DIRECTORIES_MAX: u64 = 16 * 1024;

/// Number of files assumed to be open already if the system does not report it.
const OPEN_ALREADY: u64 = 8;

/// Files that a run opens whatever its size: output and its lock 3, signals 2, the walk and the forecast 4 each (a
/// directory, the next one, and two on the way there), a file whose position is asked for 2, tables of the system 1,
/// and 2 to spare.
const FIXED: u64 = 18;

/// Files that each thread may need to open at least: a file, one in transit to another thread, and two directories on
/// the way to the next file.
const PER_THREAD: u64 = 4;

/// Returns the number of files that this process may have open (`RLIMIT_NOFILE`, soft limit).
pub fn open_file_limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(UNLIMITED)
}

/// Raises the soft limit on open files to the hard limit, and returns the limit that now holds. If the system refuses,
/// the limit stays. Programs call this before they make a [`crate::LocalSource`]; it changes the whole process.
pub fn raise_open_file_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    // Only a sandbox refuses; the lower limit then holds and is returned.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    open_file_limit()
}

/// The division of a run's open files. The parts, and the files that it always opens, never exceed the limit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenFiles {
    /// Number of files open ahead of reading, or read side by side, over all threads.
    pub files: usize,
    /// Number of directories that stay open while files in them are waiting. Others are opened again when needed.
    pub directories: usize,
}

/// The error that the limit on open files is too low for the number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TooFewOpenFiles {
    /// The limit (`ulimit -n`).
    pub limit: u64,
    /// The least limit that works with these threads.
    pub least: u64,
    /// Number of threads that read or hash.
    pub threads: usize,
}

impl fmt::Display for TooFewOpenFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, least, threads } = self;
        let threads =
            if *threads == 1 { "a thread that reads".to_owned() } else { format!("{threads} threads that read") };
        write!(
            formatter,
            "the limit of {limit} open files is too low for {threads}: raise it to {least} or more \
             (ulimit -n {least}), or ask for fewer threads"
        )
    }
}

impl std::error::Error for TooFewOpenFiles {}

impl OpenFiles {
    /// Divides the files that this process may still open among `threads` threads that read or hash.
    /// # Errors
    /// [`TooFewOpenFiles`] if each thread cannot open what it needs to read one file.
    pub fn divide(threads: usize) -> Result<Self, TooFewOpenFiles> {
        Self::of(open_file_limit(), open_already(), threads)
    }

    fn of(limit: u64, open_already: u64, threads: usize) -> Result<Self, TooFewOpenFiles> {
        let least = open_already.saturating_add(FIXED).saturating_add(PER_THREAD.saturating_mul(threads as u64));
        let rest = limit.checked_sub(least).ok_or(TooFewOpenFiles { limit, least, threads })?;
        let at_most = |share: u64| usize::try_from(share).unwrap_or(usize::MAX);
        // The remaining quarter is for the listings that two walks make ahead: see `listed_ahead`.
        Ok(Self {
            files: at_most((rest / 2).saturating_add(threads as u64)),
            directories: at_most((rest / 4).min(KEPT_DIRECTORIES_MAX)),
        })
    }
}

/// Returns the number of directories that one walk may have listed ahead. Two walks together stay within the number of
/// directories that may be kept open. Returns 0 if that leaves too few to be worth the helpers, each of which has three
/// files open.
pub(crate) fn listed_ahead(kept_directories: usize, helpers: usize, least: usize) -> usize {
    let share = (kept_directories / 2).saturating_sub(3 * helpers);
    if share < least { 0 } else { share }
}

/// Returns the number of files that this process has open.
fn open_already() -> u64 {
    let listed = fs::read_dir("/proc/self/fd").or_else(|_| fs::read_dir("/dev/fd"));
    // One of them belongs to this listing.
    listed.map_or(OPEN_ALREADY, |listed| (listed.count() as u64).saturating_sub(1))
}

/// Permits for directories that stay open.
#[derive(Debug)]
pub(crate) struct Budget {
    free: AtomicUsize,
    permits: usize,
}

impl Budget {
    /// Makes a budget from the option, by default a quarter of the limit.
    pub(crate) fn of(directories: Option<usize>) -> Arc<Self> {
        Self::new(directories.unwrap_or_else(|| (open_file_limit() / 4).min(KEPT_DIRECTORIES_MAX) as usize))
    }

    pub(crate) fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self { free: AtomicUsize::new(permits), permits })
    }

    /// Returns the total number of permits.
    pub(crate) fn permits(&self) -> usize {
        self.permits
    }

    pub(crate) fn take(self: &Arc<Self>) -> Option<Permit> {
        self.free
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(1))
            .ok()
            .map(|_| Permit(Arc::clone(self)))
    }
}

/// The permit of one directory to stay open; returned when dropped.
#[derive(Debug)]
pub(crate) struct Permit(Arc<Budget>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ahead::WINDOW;

    #[test]
    fn the_parts_add_up_to_no_more_than_the_limit() {
        for limit in (0..2000).chain([4096, 20_000, 1 << 20, u64::MAX]) {
            for (open_already, threads) in [(3, 1), (3, 4), (7, 16), (40, 64), (3, 1000)] {
                match OpenFiles::of(limit, open_already, threads) {
                    Ok(OpenFiles { files, directories }) => {
                        // Each thread has one file that it reads; its other three are in `PER_THREAD` too.
                        let held = (files as u64 - threads as u64) + directories as u64;
                        let ahead = listed_ahead(directories, WINDOW, 2 * WINDOW) as u64;
                        let helpers = if ahead > 0 { 3 * WINDOW as u64 } else { 0 };
                        let sum = held + 2 * (ahead + helpers) + FIXED + PER_THREAD * threads as u64 + open_already;
                        assert!(sum <= limit, "{limit} {threads}: {sum}");
                        assert!(files >= threads);
                    }
                    Err(error) => {
                        assert_eq!((error.limit, error.threads), (limit, threads));
                        assert!(error.least > limit);
                        assert!(OpenFiles::of(error.least, open_already, threads).is_ok());
                    }
                }
            }
        }
        // With the usual limit, directories are listed ahead.
        let usual = OpenFiles::of(1024, 5, 16).unwrap();
        assert!(listed_ahead(usual.directories, WINDOW, 2 * WINDOW) >= 2 * WINDOW);
    }

    #[test]
    fn a_low_limit_is_told() {
        let said = |threads| TooFewOpenFiles { limit: 10, least: 30, threads }.to_string();
        let end = "raise it to 30 or more (ulimit -n 30), or ask for fewer threads";
        assert_eq!(said(1), format!("the limit of 10 open files is too low for a thread that reads: {end}"));
        assert_eq!(said(2), format!("the limit of 10 open files is too low for 2 threads that read: {end}"));
    }

    #[test]
    fn what_is_open_is_counted() {
        let before = open_already();
        assert!(before >= 3);
    }
}
