//! `algorithms`: the registry.

use pfh::Algorithm;
use pfh::digest::Status;
use pyo3::prelude::*;

/// A line of the registry of algorithms.
#[pyclass(frozen, module = "pfh", name = "AlgorithmInfo")]
pub(crate) struct AlgorithmInfo(Algorithm);

#[pymethods]
impl AlgorithmInfo {
    /// The name, as in columns and lists.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Further names by which it is found.
    #[getter]
    fn aliases(&self) -> Vec<&'static str> {
        self.0.aliases().to_vec()
    }

    /// The length of the digest in bytes.
    #[getter]
    fn digest_size(&self) -> usize {
        self.0.digest_bytes()
    }

    /// The length of the block in bytes; 1 where there is none.
    #[getter]
    fn block_size(&self) -> usize {
        self.0.block_bytes()
    }

    /// How far it may be trusted: `current`, `legacy`, `broken` or `checksum`.
    #[getter]
    fn status(&self) -> &'static str {
        match self.0.status() {
            Status::Current => "current",
            Status::Legacy => "legacy",
            Status::Broken => "broken",
            Status::Checksum => "checksum",
        }
    }

    /// The code that this processor gets: `sha-ni`, `avx512`, `portable` …
    #[getter]
    fn backend(&self) -> &'static str {
        self.0.backend()
    }

    /// The standard or paper that defines it.
    #[getter]
    fn reference(&self) -> &'static str {
        self.0.reference()
    }

    /// Whether it needs `key=` or `context=`.
    #[getter]
    fn keyed(&self) -> bool {
        self.0.is_keyed()
    }

    fn __repr__(&self) -> String {
        format!("<pfh.AlgorithmInfo {}: {} bytes, {}>", self.0, self.0.digest_bytes(), self.status())
    }
}

/// Returns the registry of algorithms: those without keys, then those with one.
///
/// >>> [info.name for info in pfh.algorithms() if info.status == "current"]
#[pyfunction]
pub(crate) fn algorithms() -> Vec<AlgorithmInfo> {
    Algorithm::all().chain(Algorithm::all_keyed()).map(AlgorithmInfo).collect()
}
