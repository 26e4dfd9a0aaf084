//! Work on storage that may stop answering. It goes on a thread of its own and tells how far it is; where nothing comes
//! for too long, or the user wants to stop, it is given up, since no system call on a hanging device can be ended.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;

/// Interval between looks at the progress, and at the user's wish to stop.
const TICK: Duration = Duration::from_millis(50);

/// Time that work gets for the step at which it is when the user wants to stop: what it makes is removed afterwards.
const LAST_STEP: Duration = Duration::from_millis(200);

/// How far some work is, and whether anybody still waits for it.
#[derive(Debug, Default)]
pub(super) struct Watch {
    steps: AtomicU64,
    place: Mutex<PathBuf>,
    is_given_up: AtomicBool,
}

/// The file or folder at which work failed, and why.
#[derive(Debug)]
pub(super) struct Stuck {
    pub(super) path: PathBuf,
    pub(super) source: io::Error,
}

impl From<Stuck> for Error {
    fn from(Stuck { path, source }: Stuck) -> Error {
        Error::File { path, source }
    }
}

impl Watch {
    /// Tells the file or folder that comes next.
    ///
    /// # Errors
    /// When nobody waits any more.
    pub(super) fn at(&self, path: &Path) -> io::Result<()> {
        path.clone_into(&mut self.place.lock().unwrap_or_else(PoisonError::into_inner));
        self.step()
    }

    /// Tells that a part is done.
    ///
    /// # Errors
    /// When nobody waits any more.
    pub(super) fn step(&self) -> io::Result<()> {
        self.steps.fetch_add(1, Ordering::Relaxed);
        if self.is_given_up.load(Ordering::Relaxed) { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    fn place(&self) -> PathBuf {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Does some work, and waits as long as there are steps, with no more than `limit` between two. `None` where the user
/// wants to stop.
///
/// # Errors
/// The first error of the work with its place, or the place at which it does not go on. It may then still wait there,
/// and ends at its next step.
pub(super) fn watched<T: Send + 'static>(
    limit: Duration,
    cancel: &AtomicBool,
    work: impl FnOnce(&Watch) -> io::Result<T> + Send + 'static,
) -> Result<Option<T>, Stuck> {
    let watch = Arc::new(Watch::default());
    let stuck = |source: io::Error| Stuck { path: watch.place(), source };
    let (sender, receiver) = channel();
    let of_work = Arc::clone(&watch);
    thread::Builder::new()
        .spawn(move || {
            // Nobody may be left to be told.
            let _ = sender.send(work(&of_work));
        })
        .map_err(stuck)?;
    let (mut steps, mut since) = (0, Instant::now());
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(done) => return done.map(Some).map_err(stuck),
            Err(RecvTimeoutError::Disconnected) => return Err(stuck(io::Error::other("the work broke off"))),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = watch.steps.load(Ordering::Relaxed);
        if now != steps {
            (steps, since) = (now, Instant::now());
        }
        let is_cancelled = cancel.load(Ordering::Relaxed);
        if is_cancelled || since.elapsed() > limit {
            watch.is_given_up.store(true, Ordering::Relaxed);
            if is_cancelled {
                // Where it hangs, nobody waits longer.
                let _ = receiver.recv_timeout(LAST_STEP);
                return Ok(None);
            }
            let waited = format!("no answer for {} s, the experiment's `task_seconds`", limit.as_secs());
            return Err(stuck(io::Error::new(io::ErrorKind::TimedOut, waited)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(400);

    #[test]
    fn work_may_take_long_as_long_as_it_goes_on() {
        let never = AtomicBool::new(false);
        let done = watched(LIMIT, &never, |watch| {
            for _ in 0..10 {
                thread::sleep(LIMIT / 4);
                watch.step()?;
            }
            Ok(7)
        });
        assert_eq!(done.expect("it goes on"), Some(7));
    }

    #[test]
    fn work_that_hangs_is_given_up_and_ends_at_its_next_step() {
        let (sender, ended) = channel();
        let hang = move |watch: &Watch| {
            watch.at(Path::new("a/b"))?;
            thread::sleep(3 * LIMIT);
            sender.send(watch.step().is_err()).expect("the test waits");
            Ok(())
        };
        let stuck = watched(LIMIT, &AtomicBool::new(false), hang).expect_err("it hangs");
        assert_eq!((stuck.path.as_path(), stuck.source.kind()), (Path::new("a/b"), io::ErrorKind::TimedOut));
        assert!(ended.recv().expect("it ends"));
    }

    #[test]
    fn the_user_may_stop_and_errors_have_a_place() {
        let wait = |_: &Watch| {
            thread::sleep(LIMIT);
            Ok(())
        };
        assert!(watched(LIMIT * 10, &AtomicBool::new(true), wait).expect("no error").is_none());
        let fail = |watch: &Watch| watch.at(Path::new("c")).and(Err::<(), _>(io::ErrorKind::NotFound.into()));
        let stuck = watched(LIMIT, &AtomicBool::new(false), fail).expect_err("an error");
        assert_eq!((stuck.path.as_path(), stuck.source.kind()), (Path::new("c"), io::ErrorKind::NotFound));
    }
}
