//! Duryee (AVPreserve) 2014: MD5 and SHA-256 over 123 GB on network storage, sixteen runs.

use serde::Deserialize;

use super::rows;

/// One run of one algorithm.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FixityRun {
    /// Number of the run, from 1.
    pub run: u32,
    /// `MD5` or `SHA-256`.
    pub algorithm: String,
    /// Elapsed seconds.
    pub real_s: f64,
    /// Seconds of the processor.
    pub cpu_s: f64,
}

/// All 32 rows.
#[must_use]
pub fn fixity_runs() -> Vec<FixityRun> {
    rows(include_str!("../../../../lab/published/avpreserve2014_runs_s.csv"))
}
