//! The record of one file, as a Python object.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStringExt;

use pfh::record::{FormatName, Piece, PieceRange, ReadOptions, Reader, WriteOptions};
use pfh::{Outcome, Record as Inner, Selection};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::errors;

/// A record, and the part of the file that it is of where a list has digests of parts.
pub(crate) struct Item {
    pub(crate) record: Inner,
    pub(crate) part: Option<PieceRange>,
}

/// The record of one file.
#[pyclass(frozen, module = "pfh", name = "Record")]
pub(crate) struct Record(Item);

impl From<Item> for Record {
    fn from(item: Item) -> Record {
        Record(item)
    }
}

impl Record {
    pub(crate) fn inner(&self) -> &Inner {
        &self.0.record
    }
}

/// Digests by their algorithms.
fn digests<'py>(py: Python<'py>, digests: &[pfh::Digest]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for digest in digests {
        dict.set_item(digest.algorithm().name(), PyBytes::new(py, digest.bytes()))?;
    }
    Ok(dict)
}

/// A timestamp in nanoseconds.
pub(crate) fn nanoseconds(time: pfh::record::Timestamp) -> i128 {
    i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds)
}

/// The facts of a record that is pickled beyond those of a line of JSON Lines: the device, the bytes that were read,
/// whether the size is known, and the families in their order.
type Beyond = (u64, u64, bool, Vec<String>);

/// Reads the line of a record that was pickled.
fn read(line: &[u8], (device, bytes_read, is_size_known, families): &Beyond) -> Option<Inner> {
    let mut entries = Reader::new(FormatName::Jsonl, line, ReadOptions::default());
    let mut record = entries.next()?.ok()?.into_record();
    if let Some(posix) = record.metadata.as_mut().and_then(|metadata| metadata.posix.as_mut()) {
        posix.device = *device;
    }
    (record.bytes_read, record.is_size_known) = (*bytes_read, *is_size_known);
    record.similarities.sort_by_key(|one| families.iter().position(|name| name == one.family.name()));
    for entry in entries {
        let entry = entry.ok()?;
        let range = entry.piece?;
        record.pieces.push(Piece::new(range.offset, range.length, entry.digests));
    }
    Some(record)
}

/// Writes the line of a record, and what is beyond it; `None` for a record that would not come back as it is.
fn written(record: &Inner) -> Option<(Vec<u8>, Beyond)> {
    let options = WriteOptions { posix: true, ..WriteOptions::default() };
    let mut line = Vec::new();
    FormatName::Jsonl.writer(&Selection::default(), &options).ok()?.record(record, &mut line).ok()?;
    let device = record.metadata.and_then(|metadata| metadata.posix).map_or(0, |posix| posix.device);
    let families = record.similarities.iter().map(|one| one.family.name().to_owned()).collect();
    let beyond = (device, record.bytes_read, record.is_size_known, families);
    (read(&line, &beyond).as_ref() == Some(record)).then_some((line, beyond))
}

/// Returns the record that was pickled.
#[pyfunction]
pub(crate) fn _record(line: &[u8], beyond: Beyond, part: Option<(u64, u64)>) -> PyResult<Record> {
    let record = read(line, &beyond).ok_or_else(|| PyValueError::new_err("no record of pfh was pickled here"))?;
    Ok(Record(Item { record, part: part.map(|(offset, length)| PieceRange { offset, length }) }))
}

#[pymethods]
impl Record {
    /// The path in raw bytes, as it was named and the walk extended it.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner().path)
    }

    /// The path as text, by `os.fsdecode`.
    #[getter]
    fn path_str(&self) -> OsString {
        OsString::from_vec(self.inner().path.clone())
    }

    /// The size in bytes; `None` if it is not known.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.inner().size()
    }

    /// The time of the last modification, in nanoseconds since 1970; `None` if it is not known.
    #[getter]
    fn mtime_ns(&self) -> Option<i128> {
        self.inner().metadata?.mtime.map(nanoseconds)
    }

    /// The outcome of reading the file, as a word: `complete`, `unreadable` …
    #[getter]
    fn outcome(&self) -> &'static str {
        self.inner().outcome.word()
    }

    /// Whether every byte was read and hashed.
    #[getter]
    fn ok(&self) -> bool {
        self.inner().outcome == Outcome::Complete
    }

    /// Bytes that were read.
    #[getter]
    fn bytes_read(&self) -> u64 {
        self.inner().bytes_read
    }

    /// The digests by the names of their algorithms; empty unless the file is complete.
    #[getter]
    fn digests<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        digests(py, &self.inner().digests)
    }

    /// The similarity digests by their families, as text; `None` where a family has none of the file.
    #[getter]
    fn similarities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for one in &self.inner().similarities {
            dict.set_item(one.family.name(), one.digest.as_ref().ok().map(ToString::to_string))?;
        }
        Ok(dict)
    }

    /// The digests of pieces: offset, length and digests of each.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let pieces = self.inner().pieces.iter();
        let pieces = pieces.map(|piece| Ok((piece.offset, piece.length, digests(py, &piece.digests)?)));
        PyTuple::new(py, pieces.collect::<PyResult<Vec<_>>>()?)
    }

    /// The offset and the length of the part that the digests are of, where a list has digests of parts.
    #[getter]
    fn part(&self) -> Option<(u64, u64)> {
        self.0.part.map(|part| (part.offset, part.length))
    }

    /// The error that stopped the reading; `None` if nothing did.
    #[getter]
    fn error(&self) -> Option<RecordError> {
        RecordError::of(&self.inner().outcome)
    }

    /// Raises `FileError` if the file was to be read and was not.
    fn raise_for_failure(&self, py: Python<'_>) -> PyResult<()> {
        match self.error() {
            Some(error) if self.inner().outcome.is_failure() => {
                Err(errors::file(py, self.inner(), error.kind, error.errno, ""))
            }
            _ => Ok(()),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Record>();
        other.is_ok_and(|other| other.get().0.record == self.0.record && other.get().0.part == self.0.part)
    }

    // Records that are equal have the same paths and digests, and few others have.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inner().path.hash(&mut hasher);
        self.inner().bytes_read.hash(&mut hasher);
        self.inner().digests.iter().for_each(|digest| digest.bytes().hash(&mut hasher));
        self.0.part.map(|part| (part.offset, part.length)).hash(&mut hasher);
        hasher.finish()
    }

    // A record never changes, so it is its own copy.
    fn __copy__(record: PyRef<'_, Self>) -> PyRef<'_, Self> {
        record
    }

    #[pyo3(signature = (_memo, /))]
    fn __deepcopy__<'py>(record: PyRef<'py, Self>, _memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {
        record
    }

    /// Returns a dictionary of the values, with the names of columns of tables: `pandas.DataFrame(record.as_dict() for
    /// record in records)`. `mtime_ns` is here in nanoseconds since 1970, and there is no `mtime`. Digests are bytes.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (dict, error) = (PyDict::new(py), self.error());
        dict.set_item("path", self.path(py))?;
        dict.set_item("size", self.size())?;
        dict.set_item("mtime_ns", self.mtime_ns())?;
        dict.set_item("outcome", self.outcome())?;
        dict.set_item("error_kind", error.as_ref().map(|error| error.kind))?;
        dict.set_item("error_message", error.as_ref().map(|error| &error.message))?;
        dict.set_item("errno", error.as_ref().and_then(|error| error.errno))?;
        dict.set_item("error_offset", error.as_ref().map(|error| error.offset))?;
        dict.set_item("bytes_read", self.bytes_read())?;
        dict.update(self.digests(py)?.as_mapping())?;
        dict.update(self.similarities(py)?.as_mapping())?;
        Ok(dict)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let Some((line, beyond)) = written(self.inner()) else {
            let path = pfh::record::quote::quoted(&self.inner().path);
            return Err(PyTypeError::new_err(format!("the record of {path} cannot be pickled; use `as_dict()`")));
        };
        let part = self.0.part.map(|part| (part.offset, part.length));
        let function = py.import("pfh._native")?.getattr("_record")?;
        Ok((function, (PyBytes::new(py, &line), beyond, part).into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        let record = self.inner();
        let path = pfh::record::quote::quoted(&record.path).to_string();
        match (record.digests.first(), record.similarities.first()) {
            _ if record.outcome != Outcome::Complete => format!("<pfh.Record {path}: {}>", record.outcome),
            (Some(digest), _) => format!("<pfh.Record {path}: {}={digest}>", digest.algorithm()),
            (None, _) => format!("<pfh.Record {path}>"),
        }
    }
}

/// The error that stopped the reading of a file.
#[pyclass(frozen, get_all, module = "pfh", name = "RecordError")]
pub(crate) struct RecordError {
    /// The kind, as a word: `not-found`, `permission-denied`, `io` …
    pub(crate) kind: &'static str,
    /// The message for people, without the path.
    pub(crate) message: String,
    /// The number of the system's error, if there is one.
    pub(crate) errno: Option<i32>,
    /// Offset of the first byte that could not be read.
    pub(crate) offset: u64,
}

impl RecordError {
    pub(crate) fn of(outcome: &Outcome) -> Option<RecordError> {
        let (kind, errno, offset) = match outcome {
            Outcome::Complete => return None,
            Outcome::Unreadable { offset, error } => (error.kind.word(), error.errno, *offset),
            Outcome::Short { read, .. } => (outcome.word(), None, *read),
            Outcome::Skipped(reason) => (reason.word(), None, 0),
            outcome => (outcome.word(), None, 0),
        };
        Some(RecordError { kind, message: outcome.to_string(), errno, offset })
    }
}

#[pymethods]
impl RecordError {
    fn __str__(&self) -> &str {
        &self.message
    }

    fn __repr__(&self) -> String {
        format!("<pfh.RecordError {}: {}>", self.kind, self.message)
    }
}
