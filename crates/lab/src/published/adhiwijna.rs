//! Adhiwijna 2019: nine functions over random strings of 1 to 100 printable characters.

use serde::Deserialize;

use pfh_statistics::median;

use super::rows;

/// Three runs of one function over one number of strings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct StringsRun {
    /// Number of strings, 10³ to 10⁷.
    pub strings: u64,
    /// The function, as the study writes it (`SHA3-256`).
    pub algorithm: String,
    /// Milliseconds of the first run.
    pub run1_ms: f64,
    /// Milliseconds of the second run.
    pub run2_ms: f64,
    /// Milliseconds of the third run.
    pub run3_ms: f64,
}

/// All 45 rows.
#[must_use]
pub fn strings_runs() -> Vec<StringsRun> {
    rows(include_str!("../../../../lab/published/adhiwijna2019_runs_ms.csv"))
}

/// Median milliseconds over the largest number of strings, 10⁷, by function.
#[must_use]
pub fn strings_medians_ms() -> Vec<(String, f64)> {
    let largest = strings_runs().into_iter().filter(|row| row.strings == 10_000_000);
    largest.filter_map(|row| Some((row.algorithm, median(&mut [row.run1_ms, row.run2_ms, row.run3_ms])?))).collect()
}
