//! What goes on between a run and its caller while it runs: stopping it, and watching it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Asks a run to stop. Workers look at it between slots; files in progress get no record.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks for the stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the stop was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

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
