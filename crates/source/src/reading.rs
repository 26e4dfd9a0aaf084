//! The open files, for progress displays.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The paths of the open files, in the order of opening. Files are noted only after [`Reading::watch`].
#[derive(Debug, Default)]
pub(crate) struct Reading {
    watched: AtomicBool,
    next: AtomicU64,
    open: Mutex<BTreeMap<u64, Vec<u8>>>,
}

/// A file that is noted as open until this value is dropped.
#[derive(Debug)]
pub(crate) struct Noted(Arc<Reading>, u64);

impl Reading {
    pub(crate) fn watch(&self) {
        self.watched.store(true, Ordering::Relaxed);
    }

    /// Returns the path of the file that has been open for longest.
    pub(crate) fn oldest(&self) -> Option<Vec<u8>> {
        self.lock().first_key_value().map(|(_, path)| path.clone())
    }

    pub(crate) fn note(self: &Arc<Reading>, path: impl FnOnce() -> Vec<u8>) -> Option<Noted> {
        if !self.watched.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(number, path());
        Some(Noted(Arc::clone(self), number))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Vec<u8>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_open_file_is_told() {
        let reading = Arc::new(Reading::default());
        assert!(reading.note(|| b"unwatched".to_vec()).is_none());
        reading.watch();
        let (a, b) = (reading.note(|| b"a".to_vec()), reading.note(|| b"b".to_vec()));
        assert_eq!(reading.oldest().as_deref(), Some(&b"a"[..]));
        drop(a);
        assert_eq!(reading.oldest().as_deref(), Some(&b"b"[..]));
        drop(b);
        assert_eq!(reading.oldest(), None);
    }
}
