//! Locks that survive panics. A panic is caught at the file it belongs to, and wherever a lock's holder can panic the
//! guarded data are consistent. So poisoning is ignored.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn get_mut<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn wait<'g, T>(condition: &Condvar, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
    condition.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn wait_while<'g, T>(
    condition: &Condvar,
    guard: MutexGuard<'g, T>,
    is_to_wait: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'g, T> {
    condition.wait_while(guard, is_to_wait).unwrap_or_else(PoisonError::into_inner)
}

/// Waits at most for `time`.
pub(crate) fn wait_timeout<'g, T>(condition: &Condvar, guard: MutexGuard<'g, T>, time: Duration) -> MutexGuard<'g, T> {
    condition.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
}
