//! The token that cancels a run, and the counters that show its progress.

use std::sync::atomic::{AtomicU64, Ordering};

// Comparisons are cancelled with the same token, and this crate imports theirs.
pub use pfh_similarity::CancelToken;

/// Running totals, for progress displays. They only grow; small files are counted in groups.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Counters {
    /// Files whose record is finished, whatever the outcome.
    pub files: AtomicU64,
    /// Bytes read. Reads that failed are not counted, nor is the first one of a file that turned out to have changed.
    pub bytes: AtomicU64,
    /// Files with an outcome other than complete, except skipped ones.
    pub failed: AtomicU64,
}

impl Counters {
    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}
