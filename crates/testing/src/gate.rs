//! A place where calls wait until a test lets them go on.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Holds back whoever arrives until it is opened. Clones are the same gate.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    arrivals: usize,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets everyone pass, from now on.
    pub fn open(&self) {
        self.lock().open = true;
        self.0.changed.notify_all();
    }

    /// Waits until the gate is open, or for `limit`; returns whether it is open.
    pub fn pass(&self, limit: Duration) -> bool {
        let mut state = self.lock();
        state.arrivals += 1;
        self.0.changed.notify_all();
        self.wait(state, limit, |state| state.open)
    }

    /// Waits until `count` calls have come to the gate, or for `limit`; returns whether they have.
    pub fn reached_by(&self, count: usize, limit: Duration) -> bool {
        self.wait(self.lock(), limit, |state| state.arrivals >= count)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, state: MutexGuard<'_, State>, limit: Duration, done: impl Fn(&State) -> bool) -> bool {
        let (state, _) = self
            .0
            .changed
            .wait_timeout_while(state, limit, |state| !done(state))
            .unwrap_or_else(PoisonError::into_inner);
        done(&state)
    }
}
