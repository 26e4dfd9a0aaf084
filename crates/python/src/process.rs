//! The process in which an object began threads. After a fork, they exist in the parent only.

use pyo3::prelude::*;

use crate::errors;

/// The process that an object belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Process(u32);

impl Process {
    /// Returns this process.
    pub(crate) fn this() -> Process {
        Process(std::process::id())
    }

    /// Whether this is the process, and not one that was forked from it.
    pub(crate) fn is_this(self) -> bool {
        std::process::id() == self.0
    }

    /// Raises in any other process. `what` is the object, with its verb, and `advice` is what to do there instead.
    ///
    /// # Errors
    /// `pfh.Error` after a fork.
    pub(crate) fn check(self, py: Python<'_>, what: &str, advice: &str) -> PyResult<()> {
        if self.is_this() {
            return Ok(());
        }
        let text =
            format!("{what} to the process that was forked, whose threads do not exist here; {advice} in each process");
        Err(errors::error(py, text))
    }
}
