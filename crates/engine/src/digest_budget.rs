//! The memory budget of similarity digests that grow with their files.
//!
//! Before the rest of a long file is read, the memory that its digests may need is reserved; a thread waits if too much
//! is reserved already. A thread with a reservation needs nothing from the waiting ones, so it always finishes and
//! releases it.

use crate::sync::{lock, wait_while};
use std::sync::{Arc, Condvar, Mutex};

/// The memory of a run for such digests.
pub(crate) struct DigestBudget {
    bytes_max: u64,
    reserved_bytes: Mutex<u64>,
    released: Condvar,
}

/// A reserved part of the budget, released when dropped.
pub(crate) struct Reservation {
    budget: Arc<DigestBudget>,
    bytes: u64,
}

impl DigestBudget {
    pub(crate) fn new(bytes_max: u64) -> Arc<DigestBudget> {
        Arc::new(DigestBudget { bytes_max, reserved_bytes: Mutex::new(0), released: Condvar::new() })
    }

    /// Waits until `bytes` fit the budget and reserves them. `bytes` must not exceed the whole budget. Returns `None`
    /// for 0.
    pub(crate) fn reserve(self: &Arc<DigestBudget>, bytes: u64) -> Option<Arc<Reservation>> {
        if bytes == 0 {
            return None;
        }
        let full = |reserved: &mut u64| *reserved > 0 && *reserved + bytes > self.bytes_max;
        *wait_while(&self.released, lock(&self.reserved_bytes), full) += bytes;
        Some(Arc::new(Reservation { budget: self.clone(), bytes }))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        *lock(&self.budget.reserved_bytes) -= self.bytes;
        self.budget.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn no_more_is_reserved_than_there_is() {
        let budget = DigestBudget::new(100);
        assert!(budget.reserve(0).is_none());
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (budget, now, most) = (&budget, &now, &most);
                scope.spawn(move || {
                    for round in 0..200 {
                        let bytes = 1 + (thread * 31 + round * 17) % 100;
                        let _reservation = budget.reserve(bytes).unwrap();
                        most.fetch_max(now.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(bytes, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((1..=100).contains(&most.into_inner()));
        assert_eq!(*lock(&budget.reserved_bytes), 0);
    }
}
