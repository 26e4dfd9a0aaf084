//! The limit on open files, and the share of it that the walk's directories may hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Assumed where the system sets no limit: more is never needed.
const UNLIMITED: u64 = 1 << 20;

/// Directories kept open at most, however high the limit is. A directory that is not kept is opened again when needed.
const KEPT_DIRECTORIES_MAX: u64 = 16 * 1024;

/// How many files this process may have open (`RLIMIT_NOFILE`, soft limit). [`crate::LocalSource`] keeps directories
/// open within a quarter of it; whoever opens files should stay within half.
pub fn open_file_limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(UNLIMITED)
}

/// Raises the soft limit on open files to the hard limit, and returns the limit that now holds. A refusal leaves it as
/// it was. To be called by the program before it makes a [`crate::LocalSource`]; it changes the whole process.
pub fn raise_open_file_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    // Refused only by a sandbox; the lower limit then holds and is what is returned.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    open_file_limit()
}

/// Permits for directories that stay open.
#[derive(Debug)]
pub(crate) struct Budget {
    free: AtomicUsize,
}

impl Budget {
    pub(crate) fn from_limit() -> Arc<Self> {
        Self::new((open_file_limit() / 4).min(KEPT_DIRECTORIES_MAX) as usize)
    }

    pub(crate) fn new(permits: usize) -> Arc<Self> {
        Arc::new(Self { free: AtomicUsize::new(permits) })
    }

    pub(crate) fn take(self: &Arc<Self>) -> Option<Permit> {
        self.free
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| free.checked_sub(1))
            .ok()
            .map(|_| Permit(Arc::clone(self)))
    }
}

/// One directory's right to stay open; given back when dropped.
#[derive(Debug)]
pub(crate) struct Permit(Arc<Budget>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.free.fetch_add(1, Ordering::Relaxed);
    }
}
