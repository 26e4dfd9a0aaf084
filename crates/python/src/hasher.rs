//! One message: `digest`, `new`, and the object that takes its parts.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pfh::digest::{Algorithm, Key, Keys, Useless};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};

use crate::data::Data;
use crate::errors;
use crate::interpreter::{PIECE_BYTES, TICK, look, outside};

/// Returns the algorithm of a name.
pub(crate) fn algorithm(py: Python<'_>, name: &str) -> PyResult<Algorithm> {
    Algorithm::from_name(name).map_err(|error| errors::unknown_algorithm(py, error))
}

/// The key and the context of an algorithm that needs one.
pub(crate) fn keys(key: Option<&Bound<'_, PyAny>>, context: Option<String>) -> PyResult<Keys> {
    let key = match key {
        Some(key) => Some(Key::new(Data::of(key)?.into_bytes()?.as_bytes())),
        None => None,
    };
    Ok(Keys { key, context })
}

/// Returns the reason why a key or a context is of no use: none of the algorithms takes it, so that digests without it
/// would be taken for keyed ones.
pub(crate) fn useless(keys: &Keys, algorithms: &[Algorithm]) -> Option<&'static str> {
    keys.useless(algorithms).map(|useless| match useless {
        Useless::Key => "key: no algorithm takes a key; ask for one that does, such as `hmac-sha256` or `keyed-blake3`",
        Useless::Context => "context: no algorithm takes a context; ask for `blake3-derive-key`",
    })
}

/// Returns a hasher of one algorithm.
///
/// # Errors
/// `OptionError` for a key or a context that is missing, wrong or of no use, and as of [`keys`].
fn hasher(
    py: Python<'_>,
    algorithm: Algorithm,
    key: Option<&Bound<'_, PyAny>>,
    context: Option<String>,
) -> PyResult<pfh::digest::Hasher> {
    let keys = keys(key, context)?;
    match useless(&keys, &[algorithm]) {
        Some(reason) => Err(errors::option(py, reason)),
        None => algorithm.hasher_with(&keys).map_err(|error| errors::option(py, error)),
    }
}

/// Returns the digest of one message.
///
/// ``data`` is any object with bytes. ``bytes`` are hashed where they are, everything else in copied pieces, so that
/// it may change meanwhile without harm. ``algorithm`` is a name or an alias of :func:`algorithms`. ``key`` and
/// ``context`` are for the algorithms that need one: ``hmac-sha256``, ``keyed-blake3``, ``blake3-derive-key`` ...
///
/// >>> pfh.digest(b"hello", "md5").hex()
/// '5d41402abc4b2a76b9719d911017c592'
///
/// Raises ``UnknownAlgorithm``; ``OptionError`` for a key or a context that is missing, wrong, or of no use to the
/// algorithm; ``TypeError`` for what has no bytes; ``BufferError`` for a buffer with gaps.
#[pyfunction]
#[pyo3(signature = (data, algorithm = "sha256", *, key = None, context = None))]
pub(crate) fn digest<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    algorithm: &str,
    key: Option<&Bound<'py, PyAny>>,
    context: Option<String>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut hasher = hasher(py, self::algorithm(py, algorithm)?, key, context)?;
    Data::of(data)?.feed(py, |piece| hasher.update(piece))?;
    Ok(PyBytes::new(py, hasher.finish().bytes()))
}

/// A hash object with hashlib's interface.
#[pyclass(frozen, module = "pfh", name = "Hasher")]
pub(crate) struct Hasher {
    algorithm: Algorithm,
    /// Never locked while Python code can run on the same thread: a handler of a signal, or a finalizer, would wait for
    /// the call that it has interrupted.
    state: Mutex<State>,
    /// Notified after a long update.
    is_idle: Condvar,
}

struct State {
    /// The bytes so far.
    hasher: pfh::digest::Hasher,
    /// The thread of a long update, which works on a copy.
    updating: Option<ThreadId>,
}

#[pymethods]
impl Hasher {
    /// The canonical name of the algorithm.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    /// The length of the digest in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.digest_bytes()
    }

    /// The length of the algorithm's block in bytes; 1 where it has none.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.block_bytes()
    }

    /// Takes the next bytes of the message. An interrupt leaves the object as it was. A handler of a signal finds
    /// it as it was before the call, and cannot update it (``RuntimeError``).
    fn update<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<()> {
        let data = Data::of(data)?;
        let mut state = self.idle(py)?;
        if data.len() <= PIECE_BYTES
            && let Data::Fixed(_) = data
        {
            // One piece: nothing can interrupt it.
            let hasher = &mut state.hasher;
            return data.feed(py, |piece| hasher.update(piece));
        }
        state.updating = Some(thread::current().id());
        let mut next = state.hasher.clone();
        drop(state);
        let fed = catch_unwind(AssertUnwindSafe(|| data.feed(py, |piece| next.update(piece))));
        let mut state = self.locked(py);
        state.updating = None;
        if matches!(fed, Ok(Ok(()))) {
            state.hasher = next;
        }
        self.is_idle.notify_all();
        fed.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Returns the digest of the bytes so far; more may follow.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.finished(py).bytes())
    }

    /// Returns the digest of the bytes so far as hexadecimal digits; more may follow.
    fn hexdigest<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.finished(py).to_string())
    }

    /// Returns an independent object that goes on from the bytes so far.
    fn copy(&self, py: Python<'_>) -> Hasher {
        Hasher::of(self.algorithm, self.locked(py).hasher.clone())
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Hasher {}>", self.algorithm)
    }
}

impl Hasher {
    fn of(algorithm: Algorithm, hasher: pfh::digest::Hasher) -> Hasher {
        Hasher { algorithm, state: Mutex::new(State { hasher, updating: None }), is_idle: Condvar::new() }
    }

    fn locked(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end of a long update of another thread.
    ///
    /// # Errors
    /// As of [`look`]; and `RuntimeError` where the update is this thread's, which would wait for itself.
    fn idle(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        loop {
            let state = self.locked(py);
            match state.updating {
                None => return Ok(state),
                Some(thread) if thread == thread::current().id() => {
                    return Err(PyRuntimeError::new_err(
                        "this hash object is being updated by the call that was interrupted; update a copy",
                    ));
                }
                Some(_) => drop(state),
            }
            outside(py, || {
                let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                drop(self.is_idle.wait_timeout_while(state, TICK, |state| state.updating.is_some()));
            });
            look(py)?;
        }
    }

    fn finished(&self, py: Python<'_>) -> pfh::Digest {
        let mut hasher = self.locked(py).hasher.clone();
        hasher.finish()
    }
}

/// Returns a hash object with hashlib's interface, for every algorithm of :func:`algorithms`.
///
/// >>> hasher = pfh.new("blake3", b"hel")
/// >>> hasher.update(b"lo")
/// >>> hasher.hexdigest()
/// 'ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f'
///
/// ``usedforsecurity`` is hashlib's word, and changes nothing here. Raises as :func:`digest`.
#[pyfunction]
#[pyo3(signature = (algorithm, data = None, *, usedforsecurity = true, key = None, context = None))]
pub(crate) fn new<'py>(
    py: Python<'py>,
    algorithm: &str,
    data: Option<&Bound<'py, PyAny>>,
    usedforsecurity: bool,
    key: Option<&Bound<'py, PyAny>>,
    context: Option<String>,
) -> PyResult<Hasher> {
    // hashlib's word, for systems that refuse broken algorithms; ours are always there.
    let _ = usedforsecurity;
    let algorithm = self::algorithm(py, algorithm)?;
    let hasher = Hasher::of(algorithm, hasher(py, algorithm, key, context)?);
    if let Some(data) = data {
        hasher.update(py, data)?;
    }
    Ok(hasher)
}
