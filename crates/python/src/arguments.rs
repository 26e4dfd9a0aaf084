//! Arguments that several functions take: paths, names of digests, words and sizes.

use std::num::NonZero;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::thread;

use pfh::Selection;
use pfh::record::DigestKind;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors;

/// Returns the bytes of a path: `str`, `bytes`, or what has `__fspath__`.
pub(crate) fn path_bytes(path: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let encoded = path.py().import("os")?.call_method1("fsencode", (path,))?;
    Ok(encoded.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// Returns the digests that are asked for: a name, several with commas between them, or a sequence of names.
pub(crate) fn selection(names: &Bound<'_, PyAny>) -> PyResult<Selection> {
    let py = names.py();
    let unknown = |error| errors::unknown_algorithm(py, error);
    if let Ok(names) = names.cast::<PyString>() {
        return Selection::parse(&names.to_cow()?).map_err(unknown);
    }
    let mut selection = Selection::default();
    for name in names.try_iter()? {
        let name: String = name?.extract()?;
        selection.insert(DigestKind::from_str(&name).map_err(unknown)?);
    }
    Ok(selection)
}

/// Returns the digests with which files are to be hashed, at least one; or none, if the text `none` says so.
pub(crate) fn digests(names: &Bound<'_, PyAny>) -> PyResult<Selection> {
    if let Ok(name) = names.cast::<PyString>()
        && name.to_cow()? == "none"
    {
        return Ok(Selection::default());
    }
    let selection = selection(names)?;
    if selection.is_empty() {
        let reason = "algorithms: no algorithm is named; `none` reads without a digest";
        return Err(errors::option(names.py(), reason));
    }
    Ok(selection)
}

/// Returns one word or several.
pub(crate) fn words(words: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    match words {
        None => Ok(Vec::new()),
        Some(word) if word.cast::<PyString>().is_ok() => Ok(vec![word.extract()?]),
        Some(words) => words.try_iter()?.map(|word| word?.extract()).collect(),
    }
}

/// Returns a number of bytes: a number, or text such as `256M`.
pub(crate) fn bytes_of(size: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
    let py = size.py();
    if let Ok(text) = size.cast::<PyString>() {
        return pfh::parse_bytes(&text.to_cow()?).map_err(|error| errors::option(py, format!("{name}: {error}")));
    }
    whole_number(size, name, 0..=u64::MAX)
}

/// Returns a whole number of a range.
pub(crate) fn whole_number(value: &Bound<'_, PyAny>, name: &str, range: RangeInclusive<u64>) -> PyResult<u64> {
    let py = value.py();
    match value.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            Err(PyTypeError::new_err(format!("{name}: {}", error.value(py))))
        }
        Err(error) if !error.is_instance_of::<PyOverflowError>(py) => Err(error),
        _ => {
            let end = if *range.end() == u64::MAX { "2**64 - 1".to_owned() } else { range.end().to_string() };
            Err(errors::option(py, format!("{name}={value} is not from {} to {end}", range.start())))
        }
    }
}

/// A number of threads that is named.
pub(crate) struct Threads(pub(crate) usize);

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    fn extract(threads: Borrowed<'_, 'py, PyAny>) -> PyResult<Threads> {
        whole_number(&threads, "threads", 1..=4096).map(|threads| Threads(threads as usize))
    }
}

/// Returns the number of threads of an option; `None` is one for each core that the process may use.
pub(crate) fn threads_of(threads: Option<Threads>) -> usize {
    threads.map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get), |threads| threads.0)
}
