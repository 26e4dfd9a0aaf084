//! Results about files that were read to their end.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Results of consumers, until the records of their files are delivered: by path, which may be given several times.
pub(super) struct Ended<T>(Mutex<HashMap<Vec<u8>, Vec<T>>>);

impl<T> Default for Ended<T> {
    fn default() -> Ended<T> {
        Ended(Mutex::default())
    }
}

impl<T> Ended<T> {
    pub(super) fn put(&self, path: &[u8], made: T) {
        lock(&self.0).entry(path.to_vec()).or_default().push(made);
    }

    pub(super) fn take(&self, path: &[u8]) -> Option<T> {
        let mut ended = lock(&self.0);
        let of_path = ended.get_mut(path)?;
        let one = of_path.pop();
        if of_path.is_empty() {
            ended.remove(path);
        }
        one
    }
}

/// Locks, also after a panic of another thread: nothing is half done while a lock is held.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
