//! Ctrl-C, SIGTERM and SIGHUP: one handler for the whole process. SIGXFSZ is held back.

use super::message::Partial;
use super::{exit, reading};
use nix::sys::signal::{SigSet, Signal};
use pfh_engine::CancelToken;
#[cfg(any(feature = "serve", feature = "slowfs"))]
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// Time that a run gets to end after a signal; it may hang in a read.
const PATIENCE: Duration = Duration::from_secs(2);

/// Saves the finished part of an output, and returns its place.
type Rescue = Box<dyn FnMut() -> Option<Partial> + Send>;

/// Undoes what would outlast the program.
pub(crate) type Undo = Box<dyn FnMut() + Send>;

/// The signals of this process. The first one asks the command to stop; the second one ends the program.
pub(crate) struct Signals {
    cancel: CancelToken,
    came: Arc<AtomicBool>,
    /// Whether an input has ended for which a command waits.
    #[cfg(any(feature = "serve", feature = "slowfs"))]
    has_input_ended: AtomicBool,
    /// Set while a run may have to be abandoned.
    rescue: Mutex<Option<Rescue>>,
    /// Called before the program ends without its command.
    undo: Mutex<Option<Undo>>,
    /// Notified when the run has ended, and when a signal has come.
    changed: Condvar,
}

/// The handler of the process; a second one would never be called.
static SIGNALS: OnceLock<Signals> = OnceLock::new();

/// Blocks those signals of the handler that the program was started to ignore: `nohup` has SIGHUP ignored, and a script
/// has Ctrl-C ignored by what it runs in the background. The handler is the same for all signals, so it cannot leave
/// some alone. Threads that begin later inherit this.
fn block_ignored() {
    let status = reading::read_small(Path::new("/proc/self/status"), 1 << 16).unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let is_ignored = |signal: &Signal| ignored >> (*signal as i32 - 1) & 1 == 1;
    let ignored = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM].into_iter().filter(is_ignored);
    // It fails only for arguments that are wrong.
    let _ = ignored.collect::<SigSet>().thread_block();
}

/// Makes a write beyond the limit on the size of files (`ulimit -f`) an error, as on a full disk; it would end the
/// program. Threads and programs that begin later inherit this.
pub(crate) fn survive_long_files() {
    // It fails only for arguments that are wrong.
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
}

impl Signals {
    fn new() -> Signals {
        Signals {
            cancel: CancelToken::default(),
            came: Arc::default(),
            #[cfg(any(feature = "serve", feature = "slowfs"))]
            has_input_ended: AtomicBool::new(false),
            rescue: Mutex::new(None),
            undo: Mutex::new(None),
            changed: Condvar::new(),
        }
    }

    /// Listens from the first call on. If signals cannot be caught, they end the program as the system does by default.
    pub(crate) fn listen() -> &'static Signals {
        let mut is_first = false;
        let signals = SIGNALS.get_or_init(|| {
            is_first = true;
            Signals::new()
        });
        if is_first {
            block_ignored();
            let _ = ctrlc::set_handler(move || signals.handle());
        }
        signals
    }

    /// Returns the token that a signal cancels.
    pub(crate) fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    /// Returns the same as a flag, for libraries without tokens.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.came
    }

    /// Whether a signal came.
    pub(crate) fn came(&self) -> bool {
        self.came.load(Ordering::Relaxed)
    }

    /// Waits until a signal comes, or until one of the inputs ends.
    #[cfg(any(feature = "serve", feature = "slowfs"))]
    pub(crate) fn wait(&'static self, inputs: impl IntoIterator<Item = Box<dyn io::Read + Send>>) {
        for mut input in inputs {
            // It may read for ever, and ends with the program.
            thread::spawn(move || {
                let _ = io::copy(&mut input, &mut io::sink());
                let _lock = self.lock();
                self.has_input_ended.store(true, Ordering::Relaxed);
                self.changed.notify_all();
            });
        }
        let goes_on = || !self.came() && !self.has_input_ended.load(Ordering::Relaxed);
        let waited = self.changed.wait_while(self.lock(), |_| goes_on());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Until the guard is dropped, a run that does not end within two seconds after a signal is abandoned, after
    /// `rescue`.
    pub(crate) fn guard(&'static self, rescue: impl FnMut() -> Option<Partial> + Send + 'static) -> Guard {
        *self.lock() = Some(Box::new(rescue));
        Guard(self)
    }

    /// The same without anything to save, where no command has a guard yet.
    pub(crate) fn guard_if_none(&'static self) -> Option<Guard> {
        let is_guarded = self.lock().is_some();
        (!is_guarded).then(|| self.guard(|| None))
    }

    /// Does work whose result would outlast the program, and keeps what undoes it for a second signal. A signal that
    /// comes meanwhile waits for the work.
    ///
    /// # Errors
    /// That of the work.
    #[cfg(feature = "slowfs")]
    pub(crate) fn undoable<T, E>(&self, work: impl FnOnce() -> Result<(T, Undo), E>) -> Result<T, E> {
        let mut kept = self.undo.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, undo) = work()?;
        *kept = Some(undo);
        Ok(done)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Rescue>> {
        self.rescue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&'static self) {
        if self.came.swap(true, Ordering::Relaxed) {
            self.leave(None);
        }
        self.cancel.cancel();
        let may_be_abandoned = {
            let rescue = self.lock();
            self.changed.notify_all();
            rescue.is_some()
        };
        // The next signal is handled only after this one.
        if may_be_abandoned && !self.begin_patience() {
            self.abandon_after_patience();
        }
    }

    /// Calls [`Signals::abandon_after_patience`] on a thread. Returns whether the system granted it.
    fn begin_patience(&'static self) -> bool {
        thread::Builder::new().spawn(move || self.abandon_after_patience()).is_ok()
    }

    /// Ends the program, after its rescue, if its run does not end in time.
    fn abandon_after_patience(&self) {
        let rescue = self.lock();
        let waited = self.changed.wait_timeout_while(rescue, PATIENCE, |rescue| rescue.is_some());
        let (mut rescue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if let Some(rescue) = &mut *rescue {
            self.leave(rescue().as_ref());
        }
    }

    /// Ends the program without waiting for its command, but not before what would outlast it is undone.
    fn leave(&self, partial: Option<&Partial>) -> ! {
        if let Some(undo) = &mut *self.undo.lock().unwrap_or_else(PoisonError::into_inner) {
            undo();
        }
        exit::leave(partial)
    }
}

/// A run that may be abandoned after a signal. Dropping this notes that the run has ended.
pub(crate) struct Guard(&'static Signals);

impl Guard {
    /// Does work that is not abandoned after a signal, however long it takes.
    pub(crate) fn suspended<T>(&self, work: impl FnOnce() -> T) -> T {
        // A rescue that has begun ends the program, and this waits for that.
        let rescue = self.0.lock().take();
        self.0.changed.notify_all();
        let done = work();
        *self.0.lock() = rescue;
        // A signal that came before or meanwhile waited for this work alone.
        if self.0.came() {
            self.0.begin_patience();
        }
        done
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *self.0.lock() = None;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_not_abandoned_during_work_that_is_to_be_done() {
        let signals: &'static Signals = Box::leak(Box::new(Signals::new()));
        let may_be_abandoned = || signals.lock().is_some();
        let guard = signals.guard(|| None);
        assert!(may_be_abandoned());
        // The handler waits for a run that may be abandoned, and otherwise leaves it alone.
        assert!(!guard.suspended(|| {
            signals.handle();
            may_be_abandoned()
        }));
        assert!(may_be_abandoned());
        drop(guard);
        assert!(!may_be_abandoned());
    }
}
