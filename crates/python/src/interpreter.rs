//! The interpreter: leaving it while Rust works, looking at its signals, and its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use crate::errors;
use crate::interrupt::{is_main, is_now_main};

/// How long a caller waits before it looks at the signals of the interpreter. After Ctrl-C, a tick and the wait for the
/// end of a run take half of the tenth of a second that is promised.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// Bytes that are hashed before signals are checked: at most a twentieth of a second of the slowest algorithm.
pub(crate) const PIECE_BYTES: usize = 2 << 20;

/// Whether the interpreter is about to end. A thread that came back to it afterwards would be ended in the middle of
/// Rust code, so nobody leaves it any more.
static IS_CLOSING: AtomicBool = AtomicBool::new(false);

/// Calls in which the interpreter must not end their thread: those that have left it and will come back, and those in
/// which Python code runs that Rust has called.
static EXPECTED: AtomicUsize = AtomicUsize::new(0);

/// The number of forks that led to this process, in which none of the threads before exist.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// Longest time that the end of the interpreter waits for such calls. Each ends after a tick or a piece, unless the
/// system keeps it, or Python code that does not return.
const CLOSING_MAX: Duration = Duration::from_secs(2);

/// Counts a call among those that the end of the interpreter waits for.
pub(crate) struct Expected {
    forks: usize,
}

impl Expected {
    fn new() -> Expected {
        EXPECTED.fetch_add(1, Ordering::SeqCst);
        Expected { forks: FORKS.load(Ordering::SeqCst) }
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        // Python code may have forked in the middle of the call, and the child counts anew.
        if self.forks == FORKS.load(Ordering::SeqCst) {
            EXPECTED.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Begins a call in which Rust calls Python code: the interpreter does not end before the result is dropped.
///
/// # Errors
/// `RuntimeError` where the interpreter is about to end and would not wait for this thread.
pub(crate) fn enter() -> PyResult<Expected> {
    let expected = Expected::new();
    if is_closing() && !is_main() { Err(shutting_down()) } else { Ok(expected) }
}

/// Whether the interpreter is about to end.
pub(crate) fn is_closing() -> bool {
    IS_CLOSING.load(Ordering::SeqCst)
}

fn shutting_down() -> PyErr {
    PyRuntimeError::new_err("the interpreter is shutting down")
}

/// Runs `work` while other Python threads run. `work` is short: a tick or a piece.
pub(crate) fn outside<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    let _expected = Expected::new();
    if is_closing() { work() } else { py.detach(work) }
}

/// Runs `work` in the interpreter, on a thread that may come at any time, even hours after the interpreter has ended.
/// `None` if it is about to end, or has ended. It does not end before `work` has returned, which is to do so soon once
/// [`is_closing`].
pub(crate) fn inside<T>(work: impl for<'py> FnOnce(Python<'py>) -> T) -> Option<T> {
    let _expected = Expected::new();
    if is_closing() { None } else { Python::try_attach(work) }
}

/// Waits for the message of another thread, and lets the interpreter handle its signals meanwhile.
///
/// # Errors
/// As of [`look`]; and where that thread ended without a message.
pub(crate) fn wait_for<T: Send>(py: Python<'_>, mut receiver: Receiver<T>) -> PyResult<T> {
    loop {
        let waiting = &mut receiver;
        match outside(py, move || waiting.recv_timeout(TICK)) {
            Ok(message) => return Ok(message),
            Err(RecvTimeoutError::Timeout) => look(py)?,
            Err(RecvTimeoutError::Disconnected) => return Err(defect("a thread ended early")),
        }
    }
}

/// Runs `work` on a thread of its own, and waits for it. No signal ends a read of a device that does not answer, so an
/// interrupted caller leaves the thread behind; it ends when the device answers.
///
/// # Errors
/// As of [`look`]; and where the system has no thread, or `work` panics.
pub(crate) fn apart<T: Send + 'static>(
    py: Python<'_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    // If nobody waits any more, the thread drops the result.
    begin(py, name, move || drop(sender.send(caught(work))))?;
    wait_for(py, receiver)?
}

/// Begins a thread that nobody joins.
///
/// # Errors
/// `StartError` where the system has no thread.
pub(crate) fn begin(py: Python<'_>, name: &str, work: impl FnOnce() + Send + 'static) -> PyResult<()> {
    let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.map(drop).map_err(|error| errors::start(py, format!("the system refused a thread: {error}")))
}

/// Lets the interpreter handle its signals.
///
/// # Errors
/// The exception of a signal, such as `KeyboardInterrupt`; and `RuntimeError` where the interpreter is about to end.
pub(crate) fn look(py: Python<'_>) -> PyResult<()> {
    if is_closing() {
        return Err(shutting_down());
    }
    py.check_signals()
}

/// Keeps a thread of a consumer from returning into its code while the interpreter ends. Before Python 3.14, the thread
/// would be ended where it wants the interpreter back, and code in C++ ends the process with it (`std::terminate`).
pub(crate) fn stay_while_closing() {
    if is_closing() {
        thread::sleep(CLOSING_MAX);
    }
}

/// Has a `KeyboardInterrupt` raised again, once a consumer that cannot pass it on has returned.
pub(crate) fn interrupt_again(py: Python<'_>, error: &PyErr) {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        // It can only fail where there is no interpreter left to interrupt.
        let _ = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
    }
}

/// Runs code that must not panic across an interface; a panic becomes `RuntimeError`.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        defect(text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message"))
    })
}

/// `RuntimeError` for what cannot be, unless pfh has a defect.
pub(crate) fn defect(text: &str) -> PyErr {
    PyRuntimeError::new_err(format!("a defect in pfh: {text}; please report it"))
}

/// Called in a process that was forked, by its only thread.
#[pyfunction]
pub(crate) fn _forked() {
    FORKS.fetch_add(1, Ordering::SeqCst);
    EXPECTED.store(0, Ordering::SeqCst);
    is_now_main();
}

/// Called before the interpreter ends: makes every wait end, and lets calls that it must not cut come to their end.
#[pyfunction]
pub(crate) fn _close(py: Python<'_>) {
    IS_CLOSING.store(true, Ordering::SeqCst);
    let deadline = Instant::now() + CLOSING_MAX;
    py.detach(|| {
        while EXPECTED.load(Ordering::SeqCst) > 0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
