//! Gurjar, Baggili, Breitinger and Fischer 2015: times over size, fits, and the projection to a household's 722 GB.

use serde::Deserialize;

use pfh_statistics::Line;

use super::rows;

/// The volume that the study projects to: 722 GB, where a GB is 1024 of the MB that it measured.
pub const HOUSEHOLD_BYTES: u64 = 722 << 30;

/// A row of tables 3, 5, 6, 8, 9, 11, 12 and 14: the mean of ten runs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PublishedTime {
    /// Algorithm, as the study writes it (`SHA-1`).
    pub algorithm: String,
    /// `linux` or `windows`.
    pub os: String,
    /// `C`, `C (win)`, `C#`, `Python`, `Ruby` or `Java`.
    pub implementation: String,
    /// Size in the study's MB.
    pub size_mb: f64,
    /// Mean elapsed milliseconds.
    pub mean_ms: f64,
}

/// A row of tables 4, 7, 10 and 13: elapsed = intercept + slope · size.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PublishedFit {
    /// Algorithm, as the study writes it.
    pub algorithm: String,
    /// `linux` or `windows`.
    pub os: String,
    /// The implementation.
    pub implementation: String,
    /// Milliseconds at size 0.
    pub intercept_ms: f64,
    /// Milliseconds for each MB.
    pub slope_ms_per_mb: f64,
}

/// A cell of table 15: seconds for 722 GB.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PublishedProjection {
    /// Algorithm, as the study writes it.
    pub algorithm: String,
    /// `linux` or `windows`.
    pub os: String,
    /// The implementation.
    pub implementation: String,
    /// Seconds for 722 GB.
    pub seconds: f64,
    /// Projected from 512 MB because the figure for 1024 MB was an outlier (the starred cells).
    #[serde(deserialize_with = "python_bool")]
    pub from_512mb: bool,
}

fn python_bool<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "True" => Ok(true),
        "False" => Ok(false),
        other => Err(serde::de::Error::custom(format_args!("`{other}` is neither True nor False"))),
    }
}

/// All 520 mean times.
#[must_use]
pub fn times() -> Vec<PublishedTime> {
    rows(include_str!("../../../../lab/published/gurjar2015_times_ms.csv"))
}

/// All 40 fits.
#[must_use]
pub fn fits() -> Vec<PublishedFit> {
    rows(include_str!("../../../../lab/published/gurjar2015_fit.csv"))
}

/// All 40 projections.
#[must_use]
pub fn projections() -> Vec<PublishedProjection> {
    rows(include_str!("../../../../lab/published/gurjar2015_projection_722gb_s.csv"))
}

/// The result of comparing a published fit with a fit of the published times.
#[derive(Clone, Debug, PartialEq)]
pub enum Refit {
    /// The same line within rounding.
    Reproduced,
    /// The line that the study prints in the row of this other implementation: two rows changed places in print.
    Swapped(String),
    /// Another line than any that the study prints for this algorithm and system.
    Discrepant,
}

/// Fits the published times of a row's implementation again.
///
/// Lines agree when intercepts differ by less than 1 ms and slopes by less than 0.005 ms/MB (5 ms at 1024 MB): the
/// times are printed in whole milliseconds. The outcome is the same for any tolerance of the slope from 0.0034 to
/// 0.0095.
///
/// `None` if the times are not among the published ones.
#[must_use]
pub fn refit(row: &PublishedFit) -> Option<(Line, Refit)> {
    let times = times();
    let line_of = |implementation: &str| {
        let points: Vec<_> = times
            .iter()
            .filter(|time| {
                time.algorithm == row.algorithm && time.os == row.os && time.implementation == implementation
            })
            .map(|time| (time.size_mb, time.mean_ms))
            .collect();
        Line::fit(&points)
    };
    let own = line_of(&row.implementation)?;
    if agrees(&own, row) {
        return Some((own, Refit::Reproduced));
    }
    // Swapped: the other's times give this row's line, and this row's times give the other's.
    let other = fits().into_iter().find(|other| {
        other.algorithm == row.algorithm
            && other.os == row.os
            && other.implementation != row.implementation
            && agrees(&own, other)
            && line_of(&other.implementation).is_some_and(|line| agrees(&line, row))
    });
    let verdict = other.map_or(Refit::Discrepant, |other| Refit::Swapped(other.implementation));
    Some((own, verdict))
}

fn agrees(line: &Line, printed: &PublishedFit) -> bool {
    (line.intercept.value - printed.intercept_ms).abs() < 1.0
        && (line.slope.value - printed.slope_ms_per_mb).abs() < 0.005
}

/// Seconds for `volume_bytes` at the rate of one measurement, which is how the study projects.
#[must_use]
pub fn project_seconds(size_bytes: f64, milliseconds: f64, volume_bytes: f64) -> f64 {
    milliseconds / 1000.0 * (volume_bytes / size_bytes)
}
