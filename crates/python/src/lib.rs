//! The native module of the Python package `pfh`: digests of messages, files and lists.
//!
//! The names that users see, and their documentation, are in `python/src/pfh`; ARCHITECTURE.md has the design, in its
//! section on Python. Only `capsule.rs` and `interrupt.rs` have unsafe code.
#![deny(unsafe_code)]

mod algorithms;
mod arguments;
mod array;
mod capsule;
mod columns;
mod compare;
mod data;
mod errors;
mod feed;
mod hash;
mod hasher;
mod interpreter;
mod interrupt;
mod known;
mod list;
mod many;
mod process;
mod record;
mod records;
mod verify;

/// The native module of the package.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::algorithms::{AlgorithmInfo, algorithms};
    #[pymodule_export]
    use crate::array::{Array, ArrayIterator};
    #[pymodule_export]
    use crate::compare::{Pair, Pairs, PairsIterator, compare};
    #[pymodule_export]
    use crate::hash::hash;
    #[pymodule_export]
    use crate::hasher::{Hasher, digest, new};
    #[pymodule_export]
    use crate::interpreter::{_close, _forked};
    #[pymodule_export]
    use crate::known::{KnownFiles, Match};
    #[pymodule_export]
    use crate::list::read;
    #[pymodule_export]
    use crate::many::digest_many;
    #[pymodule_export]
    use crate::record::{_record, Record, RecordError};
    #[pymodule_export]
    use crate::records::{Progress, Records, Report};
    #[pymodule_export]
    use crate::verify::{Finding, Findings, verify};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        crate::interrupt::prepare(module.py())
    }

    /// The version of the package, and of the program in its wheel.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
