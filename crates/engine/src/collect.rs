//! Puts finished records back into the order of the walk and delivers them.

use crate::job::Finished;
use crate::run::Sink;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) struct Collector<'k, K: Sink> {
    state: Mutex<State<'k, K>>,
    unordered: bool,
}

struct State<'k, K: Sink> {
    sink: &'k mut K,
    /// Sequence number of the first place in `waiting`.
    next: u64,
    waiting: VecDeque<Option<Finished<K::Item>>>,
    stopped: bool,
}

/// What a hand-over brought about.
pub(crate) struct HandedOver {
    /// Waiting memory that is free again.
    pub(crate) released_bytes: u64,
    /// The sink wants no more.
    pub(crate) stopped: bool,
}

impl<'k, K: Sink> Collector<'k, K> {
    pub(crate) fn new(sink: &'k mut K, unordered: bool) -> Collector<'k, K> {
        let state = State { sink, next: 0, waiting: VecDeque::new(), stopped: false };
        Collector { state: Mutex::new(state), unordered }
    }

    /// Takes a group of finished files and delivers what is next in order.
    pub(crate) fn hand_over(&self, group: &mut Vec<Finished<K::Item>>) -> HandedOver {
        let mut state = self.lock();
        let mut released_bytes = 0;
        if self.unordered {
            for finished in group.drain(..) {
                released_bytes += state.deliver(finished);
            }
        } else {
            for finished in group.drain(..) {
                let place = (finished.ticket.sequence - state.next) as usize;
                if state.waiting.len() <= place {
                    state.waiting.resize_with(place + 1, || None);
                }
                state.waiting[place] = Some(finished);
            }
            while let Some(Some(_)) = state.waiting.front() {
                if let Some(finished) = state.waiting.pop_front().flatten() {
                    state.next += 1;
                    released_bytes += state.deliver(finished);
                }
            }
        }
        if released_bytes > 0 {
            state.end_group();
        }
        HandedOver { released_bytes, stopped: state.stopped }
    }

    /// Delivers nothing from now on.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
    }

    /// Delivers what still waits behind files that a stopped run never finished.
    pub(crate) fn drain(&self) {
        let mut state = self.lock();
        for finished in std::mem::take(&mut state.waiting).into_iter().flatten() {
            state.deliver(finished);
        }
        state.end_group();
    }

    fn lock(&self) -> MutexGuard<'_, State<'k, K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Sink> State<'_, K> {
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
