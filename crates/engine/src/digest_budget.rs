//! The memory budget of similarity digests that grow with their files.
//!
//! Before the rest of a long file is read, the memory that its digests may need is reserved; a thread waits if too much
//! is reserved already. A worker with a reservation needs nothing from the waiting ones. A file that a reader reads
//! keeps its reservation until workers have hashed it, so workers hash while they wait.

use crate::sync::{lock, wait_timeout};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

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

    /// Reserves `bytes`, which must not exceed the whole budget, if they fit it now or when something was released
    /// within a moment.
    pub(crate) fn reserve_soon(self: &Arc<DigestBudget>, bytes: u64, moment: Duration) -> Option<Arc<Reservation>> {
        let is_full = |reserved: u64| reserved > 0 && reserved + bytes > self.bytes_max;
        let mut reserved = lock(&self.reserved_bytes);
        if is_full(*reserved) && !moment.is_zero() {
            reserved = wait_timeout(&self.released, reserved, moment);
        }
        if is_full(*reserved) {
            return None;
        }
        *reserved += bytes;
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

    const MOMENT: Duration = Duration::from_millis(1);

    #[test]
    fn no_more_is_reserved_than_there_is() {
        let budget = DigestBudget::new(100);
        let first = budget.reserve_soon(60, Duration::ZERO);
        assert!(budget.reserve_soon(41, Duration::ZERO).is_none() && budget.reserve_soon(41, MOMENT).is_none());
        assert!(budget.reserve_soon(40, Duration::ZERO).is_some());
        drop(first);
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (budget, now, most) = (&budget, &now, &most);
                scope.spawn(move || {
                    for round in 0..200 {
                        let bytes = 1 + (thread * 31 + round * 17) % 100;
                        let _reservation =
                            std::iter::repeat_with(|| budget.reserve_soon(bytes, MOMENT)).flatten().next();
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
