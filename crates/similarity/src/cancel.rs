//! The token that cancels work on several threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a comparison, or a run of hashing, to stop. All clones are one token.
///
/// A comparison looks at it between two steps of its work, a run between two slots of a file.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    asked: Arc<AtomicBool>,
    /// A token that stops this one's work, too.
    parent: Option<Arc<CancelToken>>,
}

impl CancelToken {
    /// Makes a token for a part of the work: it is cancelled with this one, and can be cancelled alone.
    ///
    /// ```
    /// let all = pfh_similarity::CancelToken::default();
    /// let part = all.child();
    /// part.cancel();
    /// assert!(part.is_cancelled() && !all.is_cancelled());
    /// let part = all.child();
    /// all.cancel();
    /// assert!(part.is_cancelled());
    /// ```
    #[must_use]
    pub fn child(&self) -> CancelToken {
        CancelToken { asked: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Asks for the stop.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether the stop was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.asked.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }
}
