//! Ctrl-C for a thread that is not the main one.
//!
//! Python handles signals on its main thread alone, and only where that thread comes back to the interpreter. A
//! consumer of a stream may pull on a thread of its own while the main thread waits in native code for exactly that
//! pull: DuckDB for the lock under which it pulls, or, once it has been interrupted, for the end of its tasks. Then
//! nobody would tell the thread that pulls, and both would wait forever. So a handler in front of Python's counts
//! interrupts; nothing changes for Python, whose handler is called as before.
#![allow(unsafe_code)]

use std::mem::{transmute, zeroed};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};

use libc::{SA_SIGINFO, SIG_DFL, SIG_IGN, SIGINT, c_int, pthread_self, sigaction};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Interrupts that `on_interrupt` was told of.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Python's handler, which every `signal.signal` installs.
static PYTHONS: OnceLock<extern "C" fn(c_int)> = OnceLock::new();

/// Python's main thread, by its number in the system's library of threads, which Python takes for its own; 0 before the
/// module is imported.
static MAIN: AtomicUsize = AtomicUsize::new(0);

/// `getsignal` and `default_int_handler` of `_signal`, which are no Python code: no other thread, and no end of the
/// interpreter, comes in between while they run.
static SIGNALS: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();

/// Keeps what is asked later, when Python code may no longer be called: a thread that the interpreter ends in the
/// middle of it takes the process with it, since Rust has called it.
///
/// # Errors
/// Those of Python, where it lacks a part of itself.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    let main: usize = py.import("threading")?.call_method0("main_thread")?.getattr("ident")?.extract()?;
    MAIN.store(main, Ordering::SeqCst);
    let signal = py.import("_signal")?;
    let both = (signal.getattr("getsignal")?.unbind(), signal.getattr("default_int_handler")?.unbind());
    // A second import finds those of the first.
    let _ = SIGNALS.set(py, both);
    Ok(())
}

fn this_thread() -> usize {
    // SAFETY: it has no conditions.
    unsafe { pthread_self() as usize }
}

/// Notes that this thread is the main one: the only thread of a process after a fork.
pub(crate) fn is_now_main() {
    MAIN.store(this_thread(), Ordering::SeqCst);
}

/// Whether this is Python's main thread.
pub(crate) fn is_main() -> bool {
    MAIN.load(Ordering::SeqCst) == this_thread()
}

/// Counts, and calls Python's handler. Uses only what a handler may use.
extern "C" fn on_interrupt(signal: c_int) {
    COUNT.fetch_add(1, Ordering::SeqCst);
    if let Some(handler) = PYTHONS.get() {
        handler(signal);
    }
}

/// Installs the handler in front of Python's, unless another one is there. It stays until `signal.signal` replaces it.
fn count() {
    let ours = on_interrupt as *const () as usize;
    // SAFETY: all zeros are a valid `sigaction`, the pointers are of living values, and a handler without `SA_SIGINFO`
    // that is none of the two constants is a function of one argument.
    unsafe {
        let mut action: sigaction = zeroed();
        if sigaction(SIGINT, ptr::null(), &mut action) != 0 || action.sa_flags & SA_SIGINFO != 0 {
            return;
        }
        let now = action.sa_sigaction;
        if ![ours, SIG_DFL, SIG_IGN].contains(&now)
            && *PYTHONS.get_or_init(|| transmute::<usize, extern "C" fn(c_int)>(now)) as usize == now
        {
            action.sa_sigaction = ours;
            // Without it, everything is as it was.
            let _ = sigaction(SIGINT, &action, ptr::null_mut());
        }
    }
}

/// Ctrl-C as a run sees it that the main thread has begun.
#[derive(Clone, Copy)]
pub(crate) struct Interrupts {
    main: ThreadId,
    /// The interrupts before the first look, or those that Python has told the main thread of.
    seen: Option<usize>,
}

impl Interrupts {
    /// `None` on other threads: Python never interrupts them.
    pub(crate) fn of_thread() -> Option<Interrupts> {
        is_main().then(|| Interrupts { main: thread::current().id(), seen: None })
    }

    /// Counts interrupts from now on, as long as they raise `KeyboardInterrupt`.
    ///
    /// # Errors
    /// Those of Python.
    pub(crate) fn listen(self, py: Python<'_>) -> PyResult<()> {
        if let Some((get, default)) = SIGNALS.get(py)
            && get.bind(py).call1((SIGINT,))?.is(default.bind(py))
        {
            count();
        }
        Ok(())
    }

    /// Whether an interrupt came that Python does not tell this thread of.
    pub(crate) fn came(&mut self) -> bool {
        let now = COUNT.load(Ordering::SeqCst);
        if thread::current().id() == self.main {
            self.seen = Some(now);
        }
        *self.seen.get_or_insert(now) != now
    }
}
