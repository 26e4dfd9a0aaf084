//! Prepares finished records, puts them back into the order of the walk, and delivers them.

use crate::job::Ticket;
use crate::limits::RECORDS_HELD_MAX;
use crate::sink::{Prepare, Sink};
use crate::sync::lock;
use pfh_record::Record;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Mutex, TryLockError};

/// The part of the sink that a run needs, whatever its items are: so the engine is compiled once for all sinks.
pub(crate) trait Delivery: Sync {
    /// Returns an empty group of finished files, for one thread.
    fn group(&self) -> Box<dyn Group + '_>;

    /// Reports to the sink that the run has begun. Returns whether it wants the run to go on.
    fn begin(&self) -> ControlFlow<()>;

    /// Stops all further delivery.
    fn stop(&self);

    /// Delivers the records that still wait for files which a stopped run never finished.
    fn drain(&self);
}

/// The finished files of one thread that it has not handed over.
pub(crate) trait Group {
    /// Prepares the record of a finished file, if it has one, and adds the file. A panic of the caller's code passes
    /// through, and nothing is added.
    fn add(&mut self, ticket: Ticket, record: Option<Record>);

    fn len(&self) -> usize;

    /// Delivers the files of all threads that are next in order. If another thread is delivering, it takes these along;
    /// so only the delivering thread ever waits for the sink.
    fn hand_over(&mut self) -> HandedOver;
}

/// A finished file: its prepared record, or `None` if it has none.
struct Finished<T> {
    ticket: Ticket,
    item: Option<T>,
}

pub(crate) struct Collector<'k, K: Sink> {
    prepare: Prepare<'k, K::Item>,
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
    pub(crate) fn new(sink: &'k mut K, prepare: Prepare<'k, K::Item>, unordered: bool) -> Collector<'k, K> {
        let state = State { sink, taken: Vec::new(), next: 0, waiting: VecDeque::new(), stopped: false };
        Collector { prepare, inbox: Mutex::new(Vec::new()), state: Mutex::new(state), unordered }
    }

    fn hand_over(&self, group: &mut Vec<Finished<K::Item>>) -> HandedOver {
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
}

impl<K: Sink> Delivery for Collector<'_, K> {
    fn group(&self) -> Box<dyn Group + '_> {
        Box::new(ItemGroup { collector: self, finished: Vec::with_capacity(RECORDS_HELD_MAX) })
    }

    fn begin(&self) -> ControlFlow<()> {
        lock(&self.state).sink.begin()
    }

    fn stop(&self) {
        lock(&self.state).stopped = true;
    }

    fn drain(&self) {
        let mut state = lock(&self.state);
        for finished in std::mem::take(&mut state.waiting).into_iter().flatten() {
            state.deliver(finished);
        }
        state.end_group();
    }
}

struct ItemGroup<'c, 'k, K: Sink> {
    collector: &'c Collector<'k, K>,
    finished: Vec<Finished<K::Item>>,
}

impl<K: Sink> Group for ItemGroup<'_, '_, K> {
    fn add(&mut self, ticket: Ticket, record: Option<Record>) {
        let item = record.map(self.collector.prepare);
        self.finished.push(Finished { ticket, item });
    }

    fn len(&self) -> usize {
        self.finished.len()
    }

    fn hand_over(&mut self) -> HandedOver {
        self.collector.hand_over(&mut self.finished)
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
