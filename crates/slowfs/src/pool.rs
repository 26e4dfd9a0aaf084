//! Threads that answer requests when they are due.

use crate::model::{DeviceModel, Reservation};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Longest time until a sleeping thread sees that the mount ends.
const NAP: Duration = Duration::from_millis(50);

type Job = Box<dyn FnOnce(&Clock) + Send>;

/// The device and its time.
pub(crate) struct Clock {
    model: Mutex<DeviceModel>,
    started: Instant,
    ended: AtomicBool,
}

impl Clock {
    pub(crate) fn new(model: DeviceModel) -> Arc<Clock> {
        Arc::new(Clock { model: Mutex::new(model), started: Instant::now(), ended: AtomicBool::new(false) })
    }

    fn model(&self) -> MutexGuard<'_, DeviceModel> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request now.
    pub(crate) fn reserve(&self, take: impl FnOnce(&mut DeviceModel, Duration) -> Reservation) -> Reservation {
        let mut model = self.model();
        take(&mut model, self.started.elapsed())
    }

    /// Makes all requests due, because the mount ends.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Sleeps until a request is due.
    fn wait(&self, reservation: &Reservation) {
        while !self.ended.load(Ordering::Relaxed) {
            let now = self.started.elapsed();
            let Some(rest) = reservation.due.checked_sub(now).filter(|rest| !rest.is_zero()) else {
                return self.model().answered(reservation, now);
            };
            thread::sleep(rest.min(NAP));
        }
    }
}

/// The threads. Requests are reserved in the order of the kernel by whoever receives them, and wait here.
pub(crate) struct Pool {
    requests: Arc<Requests>,
    threads: Vec<JoinHandle<()>>,
}

/// Requests that no thread has taken. Each wakes one thread and no other: what waking costs is taken from the programs
/// that are measured on the mount.
#[derive(Default)]
struct Requests {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    ended: bool,
}

impl Pool {
    /// Starts as many threads.
    pub(crate) fn start(threads: usize, clock: &Arc<Clock>) -> io::Result<Pool> {
        let mut pool = Pool { requests: Arc::default(), threads: Vec::with_capacity(threads) };
        for _ in 0..threads {
            let (clock, requests) = (Arc::clone(clock), Arc::clone(&pool.requests));
            let work = move || {
                while let Some(job) = requests.take() {
                    job(&clock);
                }
            };
            pool.threads.push(thread::Builder::new().name("slowfs".to_owned()).spawn(work)?);
        }
        Ok(pool)
    }

    /// Makes an answer at once, and gives it when it is due.
    pub(crate) fn answer<T>(
        &self,
        reservation: Reservation,
        make: impl FnOnce() -> T + Send + 'static,
        give: impl FnOnce(T) + Send + 'static,
    ) {
        let job: Job = Box::new(move |clock| {
            let made = make();
            clock.wait(&reservation);
            give(made);
        });
        self.requests.waiting().jobs.push_back(job);
        self.requests.arrived.notify_one();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.requests.waiting().ended = true;
        self.requests.arrived.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Requests {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a request; `None` at the end, when all are taken.
    fn take(&self) -> Option<Job> {
        let mut waiting = self.waiting();
        loop {
            let job = waiting.jobs.pop_front();
            if job.is_some() || waiting.ended {
                return job;
            }
            waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
