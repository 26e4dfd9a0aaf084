//! Exceptions: those of `pfh._errors`, made from the errors of the library.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

use pfh::engine::StartError;
use pfh::list::{OpenError, ReadError};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};

/// Returns a class of `pfh._errors`.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("pfh._errors").map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}

/// Makes an exception of a class of `pfh._errors`.
fn make<'py>(py: Python<'py>, name: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let made = class(py, name).and_then(|class| class.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// `pfh.Error`: of use, but of no kind of its own.
pub(crate) fn error(py: Python<'_>, message: impl ToString) -> PyErr {
    make(py, "Error", (message.to_string(),))
}

/// `pfh.OptionError`: a value of an option that cannot be.
pub(crate) fn option(py: Python<'_>, message: impl ToString) -> PyErr {
    make(py, "OptionError", (message.to_string(),))
}

/// `pfh.UnknownAlgorithm`. The message of the library names the program's list of all; here it is a function.
pub(crate) fn unknown_algorithm(py: Python<'_>, message: impl ToString) -> PyErr {
    make(py, "UnknownAlgorithm", (message.to_string().replace("`pfh algorithms`", "`pfh.algorithms()`"),))
}

/// `pfh.StartError`: the system refused what a run needs.
pub(crate) fn start(py: Python<'_>, message: impl ToString) -> PyErr {
    make(py, "StartError", (message.to_string(),))
}

/// `pfh.ListError`: a list, or a line of it, cannot be read.
pub(crate) fn list(py: Python<'_>, message: &str, path: &[u8], line: Option<u64>) -> PyErr {
    make(py, "ListError", (message, PyBytes::new(py, path), line))
}

/// An error of a run that did not begin.
pub(crate) fn of_run(py: Python<'_>, error: pfh::Error) -> PyErr {
    match error {
        pfh::Error::UnknownDigest(error) => unknown_algorithm(py, error),
        pfh::Error::Start(
            error @ (StartError::MemoryTooSmall { .. } | StartError::Key(_) | StartError::EmptyPieces),
        ) => option(py, error),
        pfh::Error::Pattern(error) => option(py, error),
        error => start(py, error),
    }
}

/// Escapes NULs, of which Arrow's interface for streams takes none.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', "\\0")
}

/// `OSError` of a path with the number and the words of the system, as from `open`.
pub(crate) fn of_system(py: Python<'_>, error: &io::Error, path: &OsStr) -> PyErr {
    let Some(number) = error.raw_os_error() else {
        return PyOSError::new_err((None::<i32>, error.to_string(), path.to_owned()));
    };
    match py.import("os").and_then(|os| os.call_method1("strerror", (number,))) {
        Ok(text) => PyOSError::new_err((number, text.unbind(), path.to_owned())),
        Err(error) => error,
    }
}

/// A list that cannot be opened: `OSError` of the system where it has one, as from `open`.
pub(crate) fn of_open(py: Python<'_>, error: &OpenError) -> PyErr {
    match error {
        OpenError::Io { name, error: system } if system.raw_os_error().is_some() => {
            of_system(py, system, OsStr::from_bytes(name))
        }
        OpenError::Io { name, .. }
        | OpenError::Unknown { name }
        | OpenError::OtherFile { name, .. }
        | OpenError::UnknownLength { name, .. } => {
            list(py, &error.to_string().replace("with `-a`", "with `algorithm=`"), name, None)
        }
        error => list(py, &error.to_string(), b"", None),
    }
}

/// A list that has not all files of its run; `missing` tells why.
pub(crate) fn of_end(py: Python<'_>, name: &[u8], missing: &str) -> PyErr {
    list(py, &end(name, missing), name, None)
}

/// The message about such a list, with the way to take it all the same.
pub(crate) fn end(name: &[u8], missing: &str) -> String {
    format!("{}: {missing}; `strict=False` takes what it has", pfh::record::quote::quoted(name))
}

/// A line of a list that cannot be read.
pub(crate) fn of_line(py: Python<'_>, name: &[u8], error: &ReadError) -> PyErr {
    let quoted = pfh::record::quote::quoted(name);
    list(py, &format!("{quoted}: {error}"), name, Some(error.line))
}

/// `pfh.FileError`: a file that was not read to its end, with the kind and the number of the error. The message begins
/// with `first_of` where there are several.
pub(crate) fn file(py: Python<'_>, record: &pfh::Record, kind: &str, errno: Option<i32>, first_of: &str) -> PyErr {
    let quoted = pfh::record::quote::quoted(&record.path);
    let message = format!("{first_of}{quoted}: {}", record.outcome);
    make(py, "FileError", (message, PyBytes::new(py, &record.path), kind, errno))
}
