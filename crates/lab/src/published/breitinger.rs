//! Breitinger and Petrov 2013: pfh as it was published, tables I and III to XIII.

use serde::Deserialize;

use super::rows;

/// One figure of a table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct TreeTime {
    /// Number of the table, Roman.
    pub table: String,
    /// Its title, in short.
    pub experiment: String,
    /// The algorithm.
    pub algorithm: String,
    /// How files were read: `original`, `SMT`, `MTP`, or a tool.
    pub variant: String,
    /// Number of threads, where the table gives it.
    pub threads: Option<u32>,
    /// Size of the memory table in MB, where the table gives it.
    pub memory_mb: Option<u32>,
    /// Seconds.
    pub value: f64,
}

/// All rows.
#[must_use]
pub fn tree_times() -> Vec<TreeTime> {
    rows(include_str!("../../../../lab/published/breitinger2013_tables.csv"))
}

/// The seconds of one row; of several the first.
#[must_use]
pub fn tree_seconds(table: &str, algorithm: &str, variant: &str, threads: Option<u32>) -> Option<f64> {
    let is_meant = |row: &TreeTime| {
        row.table == table
            && row.algorithm == algorithm
            && row.variant == variant
            && threads.is_none_or(|threads| row.threads == Some(threads))
    };
    tree_times().into_iter().find(is_meant).map(|row| row.value)
}
