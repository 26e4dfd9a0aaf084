//! The token that cancels work on several threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a comparison, or a run of hashing, to stop. All clones are one token.
///
/// A comparison looks at it between two steps of its work, a run between two slots of a file.
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
