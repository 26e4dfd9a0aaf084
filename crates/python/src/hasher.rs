//! One message: `digest`, `new`, and the object that takes its parts.

use std::sync::{Mutex, PoisonError};

use pfh::digest::{Algorithm, Key, Keys};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};

use crate::data::Data;
use crate::errors;

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

/// Returns the digest of one message.
///
/// ``data`` is any object with bytes. ``bytes`` are hashed where they are, everything else in copied pieces, so that
/// it may change meanwhile without harm. ``algorithm`` is a name or an alias of :func:`algorithms`. ``key`` and
/// ``context`` are for the algorithms that need one: ``hmac-sha256``, ``keyed-blake3``, ``blake3-derive-key`` ...
///
/// >>> pfh.digest(b"hello", "md5").hex()
/// '5d41402abc4b2a76b9719d911017c592'
///
/// Raises ``UnknownAlgorithm``; ``OptionError`` for a missing or wrong key; ``TypeError`` for what has no bytes;
/// ``BufferError`` for a buffer with gaps.
#[pyfunction]
#[pyo3(signature = (data, algorithm = "sha256", *, key = None, context = None))]
pub(crate) fn digest<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    algorithm: &str,
    key: Option<&Bound<'py, PyAny>>,
    context: Option<String>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut hasher =
        self::algorithm(py, algorithm)?.hasher_with(&keys(key, context)?).map_err(|error| errors::option(py, error))?;
    Data::of(data)?.feed(py, |piece| hasher.update(piece))?;
    Ok(PyBytes::new(py, hasher.finish().bytes()))
}

/// A hash object with hashlib's interface.
#[pyclass(frozen, module = "pfh", name = "Hasher")]
pub(crate) struct Hasher {
    algorithm: Algorithm,
    state: Mutex<pfh::digest::Hasher>,
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

    /// Takes the next bytes of the message. An interrupt leaves the object as it was.
    fn update<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<()> {
        let data = Data::of(data)?;
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        if data.len() <= crate::interpreter::PIECE_BYTES
            && let Data::Fixed(_) = data
        {
            // One piece: nothing can interrupt it.
            let state = &mut *state;
            return data.feed(py, |piece| state.update(piece));
        }
        let mut next = state.clone();
        data.feed(py, |piece| next.update(piece))?;
        *state = next;
        Ok(())
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
        let state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).clone();
        Hasher { algorithm: self.algorithm, state: Mutex::new(state) }
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Hasher {}>", self.algorithm)
    }
}

impl Hasher {
    fn finished(&self, py: Python<'_>) -> pfh::Digest {
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).clone();
        state.finish()
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
    let state = algorithm.hasher_with(&keys(key, context)?).map_err(|error| errors::option(py, error))?;
    let hasher = Hasher { algorithm, state: Mutex::new(state) };
    if let Some(data) = data {
        hasher.update(py, data)?;
    }
    Ok(hasher)
}
