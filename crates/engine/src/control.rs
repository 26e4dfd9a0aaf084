//! Means by which the caller of a run stops it and watches it.

use std::sync::atomic::{AtomicU64, Ordering};

// Comparisons are cancelled in the same way, and their crate is the lower one.
pub use pfh_similarity::CancelToken;

/// Running totals, for progress displays. Only ever grow; small files are counted in groups.
#[derive(Debug, Default)]
pub struct Counters {
    /// Files whose record is finished, whatever the outcome.
    pub files: AtomicU64,
    /// Bytes read.
    pub bytes: AtomicU64,
    /// Files with an outcome other than complete.
    pub failed: AtomicU64,
}

impl Counters {
    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}
