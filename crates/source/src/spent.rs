//! The way back of names that no thread needs any more.
//!
//! The walk has made them, with the descriptor of their directory. A thread that returns memory which another took, or
//! closes a descriptor of another's table, waits for that thread, and makes it wait: sixteen threads that read small
//! directories slept 9,000 times in 0.4 s for that. So whoever is done with the last name of a listing gives the names
//! back, and the walk frees them.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Names on their way back to one walk.
#[derive(Debug)]
pub(crate) struct Spent<N> {
    /// `None` after the walk, when whoever is done with names frees them.
    names: Mutex<Option<Vec<Arc<N>>>>,
}

impl<N> Spent<N> {
    pub(crate) fn new() -> Spent<N> {
        Spent { names: Mutex::new(Some(Vec::new())) }
    }

    /// Gives names back to the walk.
    pub(crate) fn give_back(&self, names: &Arc<N>) {
        if let Some(spent) = &mut *self.lock() {
            spent.push(Arc::clone(names));
        }
    }

    /// Frees what came back. Called by the walk.
    pub(crate) fn free(&self) {
        let spent = self.lock().as_mut().map(take);
        drop(spent);
    }

    /// Ends the way back.
    pub(crate) fn end(&self) {
        let spent = self.lock().take();
        drop(spent);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<Arc<N>>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_freed_by_the_walk_and_after_it_by_their_last_owner() {
        let (names, spent) = (Arc::new(()), Spent::new());
        let known = Arc::downgrade(&names);
        spent.give_back(&names);
        drop(names);
        assert_eq!(known.strong_count(), 1);
        spent.free();
        assert_eq!(known.strong_count(), 0);
        let [before, after] = [(), ()].map(Arc::new);
        spent.give_back(&before);
        let known = Arc::downgrade(&before);
        drop(before);
        spent.end();
        assert_eq!(known.strong_count(), 0);
        spent.give_back(&after);
        assert_eq!(Arc::strong_count(&after), 1);
    }
}
