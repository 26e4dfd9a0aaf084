//! The interpreter: leaving it while Rust works, looking at its signals, and its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use crate::errors;

/// How long a caller waits before it looks at the signals of the interpreter. After Ctrl-C, a tick and the wait for the
/// end of a run take half of the tenth of a second that is promised.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// Bytes that are hashed before signals are checked: at most a twentieth of a second of the slowest algorithm.
pub(crate) const PIECE_BYTES: usize = 2 << 20;

/// Whether the interpreter is about to end. A thread that came back to it afterwards would be ended in the middle of
/// Rust code, so nobody leaves it any more.
static IS_CLOSING: AtomicBool = AtomicBool::new(false);

/// Threads that have left the interpreter and will come back.
static OUTSIDE: AtomicUsize = AtomicUsize::new(0);

/// Longest time that the end of the interpreter waits for threads that have left it. Each comes back after a tick or a
/// piece, unless the system keeps it.
const CLOSING_MAX: Duration = Duration::from_secs(2);

/// Counts a thread among those that the end of the interpreter waits for.
struct Expected;

impl Expected {
    fn new() -> Expected {
        OUTSIDE.fetch_add(1, Ordering::SeqCst);
        Expected
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        OUTSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `work` while other Python threads run. `work` is short: a tick or a piece.
pub(crate) fn outside<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    let _expected = Expected::new();
    if IS_CLOSING.load(Ordering::SeqCst) { work() } else { py.detach(work) }
}

/// Runs `work` in the interpreter, on a thread that may come at any time, even hours after the interpreter has ended.
/// `None` if it is about to end, or has ended.
pub(crate) fn inside<T>(work: impl for<'py> FnOnce(Python<'py>) -> T) -> Option<T> {
    let expected = Expected::new();
    if IS_CLOSING.load(Ordering::SeqCst) {
        return None;
    }
    Python::try_attach(move |py| {
        drop(expected);
        work(py)
    })
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
    if IS_CLOSING.load(Ordering::SeqCst) {
        return Err(PyRuntimeError::new_err("the interpreter is shutting down"));
    }
    py.check_signals()
}

/// Keeps a thread of a consumer from returning into its code while the interpreter ends. Before Python 3.14, the thread
/// would be ended where it wants the interpreter back, and code in C++ ends the process with it (`std::terminate`).
pub(crate) fn stay_while_closing() {
    if IS_CLOSING.load(Ordering::SeqCst) {
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

/// Called before the interpreter ends: makes every wait end, and lets threads that have left come back.
#[pyfunction]
pub(crate) fn _close(py: Python<'_>) {
    IS_CLOSING.store(true, Ordering::SeqCst);
    let deadline = Instant::now() + CLOSING_MAX;
    py.detach(|| {
        while OUTSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
