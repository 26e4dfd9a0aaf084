//! The digests of many messages.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array as _, FixedSizeBinaryArray};
use arrow_schema::DataType;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PySlice, PyTuple};

/// Digests of many messages, as `digest_many` returns them.
#[pyclass(frozen, sequence, module = "pfh", name = "Array")]
pub(crate) struct Array {
    values: Arc<FixedSizeBinaryArray>,
    algorithm: &'static str,
}

impl Array {
    pub(crate) fn new(values: FixedSizeBinaryArray, algorithm: &'static str) -> Array {
        Array { values: Arc::new(values), algorithm }
    }

    fn value<'py>(&self, py: Python<'py>, place: usize) -> Option<Bound<'py, PyBytes>> {
        self.values.is_valid(place).then(|| PyBytes::new(py, self.values.value(place)))
    }
}

#[pymethods]
impl Array {
    /// The algorithm of the digests.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    /// The length of a digest in bytes.
    #[getter]
    fn digest_size(&self) -> i32 {
        self.values.value_length()
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// A digest, or an array of some of them.
    fn __getitem__<'py>(&self, py: Python<'py>, place: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let length = self.values.len();
        if let Ok(slice) = place.cast::<PySlice>() {
            let places = slice.indices(length as isize)?;
            if places.step != 1 {
                return Err(PyTypeError::new_err("a slice of digests has no step"));
            }
            let values = Arc::new(self.values.slice(places.start as usize, places.slicelength));
            return Ok(Some(Array { values, algorithm: self.algorithm }.into_pyobject(py)?.into_any()));
        }
        let number: isize = place.extract()?;
        let place = if number < 0 { number + length as isize } else { number };
        match usize::try_from(place) {
            Ok(place) if place < length => Ok(self.value(py, place).map(Bound::into_any)),
            _ => Err(PyIndexError::new_err(format!("there is no digest {number} among {length}"))),
        }
    }

    fn __iter__(array: Bound<'_, Self>) -> ArrayIterator {
        ArrayIterator { array: array.unbind(), next: 0.into() }
    }

    /// Returns the digests as hexadecimal digits; `None` for null.
    fn hex(&self) -> Vec<Option<String>> {
        let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.values.iter().map(|value| value.map(digits)).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.values.data_type())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // Digests are of one type only.
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&self.values.to_data());
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        PyTuple::new(py, [schema_capsule(py, self.values.data_type())?, array])
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Array>();
        other.is_ok_and(|other| other.get().algorithm == self.algorithm && *other.get().values == *self.values)
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Array of {} digests by {}>", self.values.len(), self.algorithm)
    }
}

/// A schema as a capsule.
pub(crate) fn schema_capsule<'py>(py: Python<'py>, data_type: &DataType) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(data_type).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// Iterates over the digests of an array.
#[pyclass(frozen, module = "pfh", name = "ArrayIterator")]
pub(crate) struct ArrayIterator {
    array: Py<Array>,
    next: std::sync::atomic::AtomicUsize,
}

#[pymethods]
impl ArrayIterator {
    fn __iter__(iterator: PyRef<'_, Self>) -> PyRef<'_, Self> {
        iterator
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Option<Bound<'py, PyBytes>>>> {
        let array = self.array.get();
        let place = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok((place < array.values.len()).then(|| array.value(py, place)))
    }
}
