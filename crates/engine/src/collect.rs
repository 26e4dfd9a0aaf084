//! Puts finished records back into the order of the walk and delivers them.

use crate::job::Finished;
use crate::sink::Sink;
use crate::sync::lock;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Mutex, TryLockError};

pub(crate) struct Collector<'k, K: Sink> {
    /// Finished files that no thread has taken yet.
    inbox: Mutex<Vec<Finished<K::Item>>>,
    state: Mutex<State<'k, K>>,
    unordered: bool,
}

struct State<'k, K: Sink> {
    sink: &'k mut K,
    /// Finished files taken from the inbox; empty between two deliveries.
    taken: Vec<Finished<K::Item>>,
    /// Sequence number of the first place in `waiting`.
    next: u64,
    waiting: VecDeque<Option<Finished<K::Item>>>,
    stopped: bool,
}

/// The result of handing over a group of finished files.
#[derive(Default)]
pub(crate) struct HandedOver {
    /// Waiting memory that delivery has freed.
    pub(crate) released_bytes: u64,
    /// Whether the sink has stopped the run.
    pub(crate) stopped: bool,
}

impl<'k, K: Sink> Collector<'k, K> {
    pub(crate) fn new(sink: &'k mut K, unordered: bool) -> Collector<'k, K> {
        let state = State { sink, taken: Vec::new(), next: 0, waiting: VecDeque::new(), stopped: false };
        Collector { inbox: Mutex::new(Vec::new()), state: Mutex::new(state), unordered }
    }

    /// Takes a group of finished files and delivers the ones that are next in order. If another thread is delivering,
    /// it takes these along; so only the delivering thread ever waits for the sink.
    pub(crate) fn hand_over(&self, group: &mut Vec<Finished<K::Item>>) -> HandedOver {
        lock(&self.inbox).append(group);
        let mut handed_over = HandedOver::default();
        // The inbox is checked again after each delivery: other threads left their files there meanwhile.
        while !lock(&self.inbox).is_empty() {
            let mut state = match self.state.try_lock() {
                Ok(state) => state,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => break,
            };
            std::mem::swap(&mut state.taken, &mut *lock(&self.inbox));
            handed_over.released_bytes += state.deliver_taken(self.unordered);
            handed_over.stopped |= state.stopped;
        }
        handed_over
    }

    /// Reports to the sink that the run has begun. Returns whether it wants the run to go on.
    pub(crate) fn begin(&self) -> ControlFlow<()> {
        lock(&self.state).sink.begin()
    }

    /// Stops all further delivery.
    pub(crate) fn stop(&self) {
        lock(&self.state).stopped = true;
    }

    /// Delivers the records that still wait for files which a stopped run never finished.
    pub(crate) fn drain(&self) {
        let mut state = lock(&self.state);
        for finished in std::mem::take(&mut state.waiting).into_iter().flatten() {
            state.deliver(finished);
        }
        state.end_group();
    }
}

impl<K: Sink> State<'_, K> {
    /// Puts the taken files into their places and delivers as far as the order allows. Returns the waiting memory
    /// released.
    fn deliver_taken(&mut self, unordered: bool) -> u64 {
        let mut taken = std::mem::take(&mut self.taken);
        let mut released_bytes = 0;
        for finished in taken.drain(..) {
            if unordered {
                released_bytes += self.deliver(finished);
                continue;
            }
            let place = (finished.ticket.sequence - self.next) as usize;
            if self.waiting.len() <= place {
                self.waiting.resize_with(place + 1, || None);
            }
            self.waiting[place] = Some(finished);
        }
        self.taken = taken;
        while let Some(Some(_)) = self.waiting.front() {
            if let Some(finished) = self.waiting.pop_front().flatten() {
                self.next += 1;
                released_bytes += self.deliver(finished);
            }
        }
        if released_bytes > 0 {
            self.end_group();
        }
        released_bytes
    }

    fn deliver(&mut self, finished: Finished<K::Item>) -> u64 {
        if let Some(item) = finished.item
            && !self.stopped
            && let ControlFlow::Break(()) = self.sink.deliver(item)
        {
            self.stopped = true;
        }
        finished.ticket.cost_bytes
    }

    fn end_group(&mut self) {
        if !self.stopped && self.sink.end_group().is_break() {
            self.stopped = true;
        }
    }
}
