//! A network in simulated time: every request takes as long as any other, and any number of them may be on their way.

use std::collections::{HashMap, HashSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The longest that a read waits, in real time, for another thread to take what has arrived for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Requests, and a clock that goes on only when every reader waits.
#[derive(Debug)]
pub(crate) struct Network {
    latency: Duration,
    range_bytes: u64,
    /// Threads that must have come before the clock starts.
    readers: usize,
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct State {
    now: Duration,
    /// Arrivals of the ranges of files that were asked for and are not yet read to their end.
    requests: HashMap<(u64, u64), Duration>,
    /// Open files, with the threads that used them last.
    files: HashMap<u64, ThreadId>,
    /// Threads that have opened a file.
    come: HashSet<ThreadId>,
    /// Threads that wait for a request, with its file and its arrival.
    waiting: HashMap<ThreadId, (u64, Duration)>,
    made: u64,
    at_once_max: usize,
}

impl Network {
    pub(crate) fn new(latency: Duration, range_bytes: u64, readers: usize) -> Network {
        Network { latency, range_bytes, readers, state: Mutex::default(), moved: Condvar::new() }
    }

    pub(crate) fn range_bytes(&self) -> u64 {
        self.range_bytes
    }

    /// The simulated time.
    pub(crate) fn now(&self) -> Duration {
        self.lock().now
    }

    /// Requests made so far.
    pub(crate) fn made(&self) -> u64 {
        self.lock().made
    }

    /// Most requests that were on their way at one time.
    pub(crate) fn at_once_max(&self) -> usize {
        self.lock().at_once_max
    }

    /// A file is opened.
    pub(crate) fn open(&self, file: u64) {
        let mut state = self.lock();
        state.come.insert(thread::current().id());
        state.files.insert(file, thread::current().id());
        self.moved.notify_all();
    }

    /// A file is closed.
    pub(crate) fn close(&self, file: u64) {
        let mut state = self.lock();
        state.files.remove(&file);
        state.requests.retain(|&(other, _), _| other != file);
        self.moved.notify_all();
    }

    /// Asks for all ranges that these bytes of a file lie in.
    pub(crate) fn ask(&self, file: u64, offset: u64, length: u64) {
        if let Some(last) = (offset + length).checked_sub(1).filter(|_| length > 0) {
            let mut state = self.lock();
            for range in offset / self.range_bytes..=last / self.range_bytes {
                state.ask((file, range), self.latency);
            }
        }
    }

    /// Whether what lies at `offset` of a file has arrived.
    pub(crate) fn has(&self, file: u64, offset: u64) -> bool {
        let state = self.lock();
        state.requests.get(&(file, offset / self.range_bytes)).is_some_and(|&arrives| arrives <= state.now)
    }

    /// Waits until what lies at `offset` of a file has arrived, asking for it where nobody has. The clock goes on
    /// when all threads that have a file open wait, and to the arrival that is waited for next.
    pub(crate) fn wait_for(&self, file: u64, offset: u64) {
        let me = thread::current().id();
        let mut state = self.lock();
        let arrives = state.ask((file, offset / self.range_bytes), self.latency);
        state.waiting.insert(me, (file, arrives));
        self.moved.notify_all();
        while state.now < arrives {
            let is_waited_for = |file: &u64| state.waiting.values().any(|(other, _)| other == file);
            let all_wait =
                state.files.iter().all(|(file, thread)| state.waiting.contains_key(thread) || is_waited_for(file));
            let is_next = state.waiting.values().all(|(_, other)| arrives <= *other);
            if all_wait && is_next && state.come.len() >= self.readers {
                state.now = arrives;
                self.moved.notify_all();
                break;
            }
            let (after, timeout) = self.moved.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = after;
            if timeout.timed_out() {
                state.now = state.now.max(arrives);
            }
        }
        state.waiting.remove(&me);
    }

    /// The file was read up to `offset`: ranges that end there are taken.
    pub(crate) fn take(&self, file: u64, offset: u64, is_end: bool) {
        let mut state = self.lock();
        let range_bytes = self.range_bytes;
        let is_taken = |range: u64| is_end || (range + 1) * range_bytes <= offset;
        state.requests.retain(|&(other, range), _| other != file || !is_taken(range));
        self.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// When the request arrives.
    fn ask(&mut self, range: (u64, u64), latency: Duration) -> Duration {
        self.files.insert(range.0, thread::current().id());
        let later = self.now + latency;
        let made = &mut self.made;
        let arrives = *self.requests.entry(range).or_insert_with(|| {
            *made += 1;
            later
        });
        let on_their_way = self.requests.values().filter(|&&arrives| arrives > self.now).count();
        self.at_once_max = self.at_once_max.max(on_their_way);
        arrives
    }
}
