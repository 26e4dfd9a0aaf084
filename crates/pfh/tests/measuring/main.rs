//! Tests of what the program measures. They are apart from the others, since these would keep the processor busy: the
//! tests of one file run side by side, those of two files one after the other.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

mod advise;
#[cfg(feature = "slowfs")]
mod corpus;
#[cfg(feature = "slowfs")]
mod devices;
#[path = "../program/fixture.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod fixture;
#[cfg(feature = "slowfs")]
mod mount;

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static PROCESSOR: RwLock<()> = RwLock::new(());

/// Waits until no other test measures, and lets none begin: for tests of the processor's speed.
fn alone() -> RwLockWriteGuard<'static, ()> {
    PROCESSOR.write().unwrap_or_else(PoisonError::into_inner)
}

/// Waits while a test measures the processor: for tests that mostly wait for a device.
#[cfg(feature = "slowfs")]
fn beside_others() -> RwLockReadGuard<'static, ()> {
    PROCESSOR.read().unwrap_or_else(PoisonError::into_inner)
}
