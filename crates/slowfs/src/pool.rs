//! Threads that answer requests when they are due.

use crate::model::{DeviceModel, Reservation};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts as many threads.
    pub(crate) fn start(threads: usize, clock: &Arc<Clock>) -> io::Result<Pool> {
        let (jobs, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut pool = Pool { jobs: Some(jobs), threads: Vec::with_capacity(threads) };
        for _ in 0..threads {
            let (clock, waiting) = (Arc::clone(clock), Arc::clone(&waiting));
            let thread = thread::Builder::new().name("slowfs".to_owned()).spawn(move || work(&waiting, &clock))?;
            pool.threads.push(thread);
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
        if let Some(jobs) = &self.jobs {
            // If no thread is left, the request is dropped, and fuser answers it with an error.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.jobs.take());
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn work(waiting: &Mutex<Receiver<Job>>, clock: &Clock) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(clock),
            Err(_) => return,
        }
    }
}
