//! The state that all connections share.

use crate::hosts::Hosts;
use crate::limits::{Limits, Memory, Rates};
use crate::metrics::Metrics;
use crate::places::Places;
use pfh_known::{Class, Classifier};
use std::io;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;

/// Threads for look-ups, which wait for the disk where a set is not in memory.
pub(crate) const LOOK_UP_THREADS: usize = 32;

/// Threads among them that requests of many digests may have; the others are for those of one.
const BULK_THREADS: usize = 24;

/// Digests that a thread looks up before it takes the next request.
pub(crate) const LOOK_UPS_AT_ONCE: usize = 256;

pub(crate) struct State {
    pub(crate) classifier: Classifier,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) requests: Memory,
    pub(crate) answers: Memory,
    pub(crate) rates: Rates,
    /// The classes that the line protocol calls known.
    pub(crate) line_classes: Vec<Class>,
    /// The name and the version of the program.
    pub(crate) program: String,
    /// The hosts for which HTTP is answered.
    pub(crate) hosts: Hosts,
    pub(crate) places: Arc<Places>,
    bulk: Arc<Semaphore>,
    /// Whether the server is to stop.
    pub(crate) stop: watch::Receiver<bool>,
}

/// The error that a set could not be asked.
#[derive(Debug)]
pub(crate) struct SetError(pub(crate) String);

impl State {
    pub(crate) fn new(
        classifier: Classifier,
        limits: Limits,
        line_classes: Vec<Class>,
        program: String,
        hosts: Hosts,
        stop: watch::Receiver<bool>,
    ) -> State {
        State {
            classifier,
            metrics: Metrics::default(),
            requests: Memory::new(limits.memory_bytes / 2),
            answers: Memory::new(limits.memory_bytes / 2),
            rates: Rates::new(limits.requests_per_second),
            line_classes,
            program,
            hosts,
            places: Arc::new(Places::new(&limits)),
            bulk: Arc::new(Semaphore::new(BULK_THREADS)),
            stop,
            limits,
        }
    }

    /// Waits until the server is to stop.
    pub(crate) async fn stopped(&self) {
        let mut stop = self.stop.clone();
        // If the sender is gone, so is the server.
        let _ = stop.wait_for(|stop| *stop).await;
    }

    /// Returns the number of sets that were overwritten in place or lost, so that requests fail. It asks the system
    /// about each file, on a thread that may wait for the disk.
    pub(crate) async fn lost_sets(self: &Arc<State>) -> usize {
        let state = Arc::clone(self);
        let count = move || state.classifier.sets().iter().filter(|one| one.set.check_unchanged().is_err()).count();
        spawn_blocking(count).await.unwrap_or_default()
    }

    /// Asks the sets, on a thread that may wait for the disk. `look_ups` is the number of digests.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<State>,
        look_ups: usize,
        ask: impl FnOnce(&State) -> io::Result<T> + Send + 'static,
    ) -> Result<T, SetError> {
        let state = Arc::clone(self);
        let permit = match look_ups {
            0 | 1 => None,
            // It is never closed.
            _ => Arc::clone(&self.bulk).acquire_owned().await.ok(),
        };
        let asked = spawn_blocking(move || {
            let answer = ask(&state);
            // Only sets that nobody has written to meanwhile have answered right. This also names the one that is lost.
            let answer = state.classifier.check_unchanged().and(answer);
            drop(permit);
            answer
        });
        let error = match asked.await {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the look-up failed".to_owned(),
        };
        self.metrics.set_failed();
        Err(SetError(format!("a set cannot be read: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;
    use tokio::runtime::Builder;
    use tokio::time::timeout;

    #[test]
    fn look_ups_that_wait_for_the_disk_hold_up_no_others() {
        let (_stop, stopped) = watch::channel(false);
        let hosts = Hosts::new(Ipv4Addr::LOCALHOST.into(), Vec::new());
        let state = State::new(Classifier::default(), Limits::default(), Vec::new(), String::new(), hosts, stopped);
        let state = Arc::new(state);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(LOOK_UP_THREADS)
            .enable_time()
            .build()
            .unwrap();
        let (disk, waiting) = mpsc::channel::<()>();
        let waiting = Arc::new(Mutex::new(waiting));
        let slow: Vec<_> = (0..100)
            .map(|_| {
                let (state, waiting) = (Arc::clone(&state), Arc::clone(&waiting));
                runtime.spawn(async move {
                    let wait = move |_: &State| {
                        let _ = waiting.lock().unwrap().recv();
                        Ok(())
                    };
                    state.ask(LOOK_UPS_AT_ONCE, wait).await
                })
            })
            .collect();
        runtime.block_on(async {
            for _ in 0..10 {
                let asked = timeout(Duration::from_secs(30), state.ask(1, |_| Ok(7))).await;
                assert_eq!(asked.unwrap().unwrap(), 7);
            }
            drop(disk);
            for slow in slow {
                slow.await.unwrap().unwrap();
            }
            let failed = state.ask(1, |_| -> io::Result<()> { Err(io::Error::other("no disk")) }).await;
            assert_eq!(failed.unwrap_err().0, "a set cannot be read: no disk");
        });
    }
}
