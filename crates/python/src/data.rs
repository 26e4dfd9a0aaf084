//! Bytes of Python objects.
//!
//! `bytes` never change, so they are read in place while other threads run. Everything else may change or shrink
//! meanwhile (`bytearray`, arrays, maps of files), so pieces of it are copied first. A piece stays in the cache: the
//! copy costs a few percent of the fastest algorithms.

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice, PyString};

use crate::interpreter::{PIECE_BYTES, look, outside};

/// Bytes of an object that may change, copied at a time.
const COPY_BYTES: usize = 256 << 10;

/// The bytes of an object.
pub(crate) enum Data<'py> {
    /// Of `bytes`.
    Fixed(Bound<'py, PyBytes>),
    /// Of another object, as a view of single bytes, and its length.
    Changing(Bound<'py, PyAny>, usize),
}

impl<'py> Data<'py> {
    /// Returns the bytes of an object.
    ///
    /// # Errors
    /// `TypeError` for what has no bytes, and `BufferError` for what has gaps.
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<Data<'py>> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Data::Fixed(bytes.clone()));
        }
        if object.cast::<PyString>().is_ok() {
            return Err(PyTypeError::new_err("a str has no bytes before it is encoded; pass text.encode()"));
        }
        let view = PyMemoryView::from(object).map_err(|error| {
            let kind = object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
            let message =
                format!("{kind} has no bytes; pass bytes, bytearray, memoryview, an array, or a map of a file");
            if error.is_instance_of::<PyTypeError>(object.py()) { PyTypeError::new_err(message) } else { error }
        })?;
        if !view.getattr("c_contiguous")?.is_truthy()? {
            return Err(PyBufferError::new_err(
                "the buffer is not contiguous; pass a copy: bytes(x), or numpy.ascontiguousarray(x)",
            ));
        }
        let bytes: usize = view.getattr("nbytes")?.extract()?;
        if bytes == 0 {
            return Ok(Data::Fixed(PyBytes::new(object.py(), b"")));
        }
        // Formats of more than a character, such as those of structures, cannot be viewed as bytes.
        match view.call_method1("cast", ("B",)) {
            Ok(view) => Ok(Data::Changing(view, bytes)),
            Err(_) => Ok(Data::Fixed(view.call_method0("tobytes")?.cast_into::<PyBytes>()?)),
        }
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Data::Fixed(bytes) => bytes.as_bytes().len(),
            Data::Changing(_, bytes) => *bytes,
        }
    }

    /// Hands all bytes to `take`, piece by piece, while other threads run if there are many.
    ///
    /// # Errors
    /// The exception of a signal.
    pub(crate) fn feed(&self, py: Python<'py>, mut take: impl FnMut(&[u8]) + Send) -> PyResult<()> {
        /// The bound of CPython's own hashes, below which leaving the interpreter costs more than it gives.
        const OUTSIDE_FROM_BYTES: usize = 2048;
        let mut feed = |piece: &[u8], is_last: bool| {
            if piece.len() < OUTSIDE_FROM_BYTES {
                take(piece);
            } else {
                outside(py, || take(piece));
            }
            if is_last { Ok(()) } else { look(py) }
        };
        match self {
            Data::Fixed(bytes) => {
                let pieces = bytes.as_bytes().chunks(PIECE_BYTES);
                let count = pieces.len();
                pieces.enumerate().try_for_each(|(number, piece)| feed(piece, number + 1 == count))
            }
            Data::Changing(view, bytes) => (0..*bytes).step_by(COPY_BYTES).try_for_each(|start| {
                let end = (start + COPY_BYTES).min(*bytes);
                feed(copy(view, start, end)?.as_bytes(), end == *bytes)
            }),
        }
    }

    /// Returns all bytes as an object that does not change.
    pub(crate) fn into_bytes(self) -> PyResult<Bound<'py, PyBytes>> {
        match self {
            Data::Fixed(bytes) => Ok(bytes),
            Data::Changing(view, bytes) => copy(&view, 0, bytes),
        }
    }
}

/// Copies a part of a view.
pub(crate) fn copy<'py>(view: &Bound<'py, PyAny>, start: usize, end: usize) -> PyResult<Bound<'py, PyBytes>> {
    let part = view.get_item(PySlice::new(view.py(), start as isize, end as isize, 1))?;
    Ok(part.call_method0("tobytes")?.cast_into::<PyBytes>()?)
}
