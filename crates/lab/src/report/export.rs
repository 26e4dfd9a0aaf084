//! The figures alone: CSV for spreadsheets, JSON Lines for programs.

use std::fmt;
use std::io::{self, Write};

use pfh_statistics::{Estimate, Line, Summary};
use serde::Serialize;

use super::Report;
use super::sections::{definition, work_of};
use crate::claims::{Figure, Finding};
use crate::experiment::Definition;
use crate::experiment::trials::{DEVICE, MODE};
use crate::measurements::{Clock, Measurements, Point, Series, SeriesKey, Unit};

/// Why figures could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The writer failed.
    Io(io::Error),
    /// A row could not be put into the format.
    Csv(csv::Error),
    /// An object could not be put into the format.
    Json(serde_json::Error),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Io(error) => error.fmt(f),
            ExportError::Csv(error) => error.fmt(f),
            ExportError::Json(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            ExportError::Io(error) => error,
            ExportError::Csv(error) => error,
            ExportError::Json(error) => error,
        })
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        ExportError::Io(error)
    }
}

impl From<csv::Error> for ExportError {
    fn from(error: csv::Error) -> Self {
        ExportError::Csv(error)
    }
}

impl From<serde_json::Error> for ExportError {
    fn from(error: serde_json::Error) -> Self {
        ExportError::Json(error)
    }
}

/// One cell of the experiment, summarised. Times are in nanoseconds.
#[derive(Serialize)]
struct CellRow<'a> {
    runner: &'a str,
    profile: &'a str,
    mode: &'a str,
    algorithm: &'a str,
    bytes: u64,
    count: u64,
    chunk_bytes: u64,
    dimensions: String,
    repeats: usize,
    rounds: usize,
    wall_least_ns: f64,
    wall_lower_quartile_ns: f64,
    wall_median_ns: f64,
    wall_median_low_ns: Option<f64>,
    wall_median_high_ns: Option<f64>,
    wall_upper_quartile_ns: f64,
    wall_greatest_ns: f64,
    outliers: usize,
    cpu_median_ns: Option<f64>,
    per_second: Option<f64>,
    per_second_of: &'static str,
    gc_ns: Option<u64>,
    peak_bytes: Option<u64>,
    /// Whether the device is simulated; absent where only runners ran.
    simulated: Option<bool>,
    /// The clock of what is computed from times, where it is not that of `wall_median_ns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<&'static str>,
}

/// The clock that was asked for in the place of the usual one.
fn other_clock(measurements: &Measurements) -> Option<&'static str> {
    match measurements.clock {
        Clock::Wall => None,
        Clock::Cpu => Some("cpu"),
    }
}

impl<'a> CellRow<'a> {
    fn new(report: &Report<'_>, definition: Option<&Definition>, key: &'a SeriesKey, point: &'a Point) -> CellRow<'a> {
        let SeriesKey { runner, profile, mode, algorithm, chunk_bytes, dimensions } = key;
        let unit = Unit::of(mode);
        // These columns are of one clock, whichever counts.
        let wall = Summary::of(&point.wall_ns).unwrap_or_else(|| point.time.clone());
        let mut cpu_ns: Vec<f64> = point.cpu_ns.values().collect();
        let gc = point.costs.iter().filter_map(|(cost, _)| cost.gc_ns);
        let rate = point.rate(unit).map(|rate| rate.value);
        // Programs that do a part of the work have done it for a part of the bytes.
        let rate = match definition.filter(|_| mode == MODE) {
            None => rate,
            Some(definition) => {
                let (bytes, _) = work_of(report.measurements, definition, key, point);
                rate.and(bytes).map(|bytes| bytes / point.time.median * 1e9)
            }
        };
        CellRow {
            runner,
            profile,
            mode,
            algorithm,
            bytes: point.bytes,
            count: point.count,
            chunk_bytes: *chunk_bytes,
            dimensions: dimensions.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "),
            repeats: wall.count,
            rounds: point.wall_ns.rounds(),
            wall_least_ns: wall.least,
            wall_lower_quartile_ns: wall.lower_quartile,
            wall_median_ns: wall.median,
            wall_median_low_ns: wall.interval.map(|interval| interval.low),
            wall_median_high_ns: wall.interval.map(|interval| interval.high),
            wall_upper_quartile_ns: wall.upper_quartile,
            wall_greatest_ns: wall.greatest,
            outliers: wall.outliers.len(),
            cpu_median_ns: pfh_statistics::median(&mut cpu_ns),
            per_second: rate,
            per_second_of: match unit {
                Unit::Bytes => "bytes",
                Unit::Items => "items",
            },
            gc_ns: gc.reduce(u64::saturating_add),
            peak_bytes: point.costs.iter().filter_map(|(cost, _)| cost.peak_bytes).max(),
            simulated: dimensions
                .get(DEVICE)
                .and_then(|device| report.measurements.devices.get(device))
                .map(|device| device.simulated),
            clock: other_clock(report.measurements),
        }
    }
}

pub(super) fn csv(report: &Report<'_>, writer: impl Write) -> Result<(), ExportError> {
    let mut writer = csv::Writer::from_writer(writer);
    let definition = definition(report.measurements);
    for (key, series) in &report.measurements.series {
        for point in &series.points {
            writer.serialize(CellRow::new(report, definition.as_ref(), key, point))?;
        }
    }
    Ok(writer.flush()?)
}

/// A value with the ends of its interval.
#[derive(Serialize)]
struct Uncertain {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl From<Estimate> for Uncertain {
    fn from(Estimate { value, interval }: Estimate) -> Self {
        Uncertain { value, low: interval.map(|interval| interval.low), high: interval.map(|interval| interval.high) }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Object<'a> {
    Header {
        version: u32,
        experiment: &'a str,
        started: &'a str,
        program: &'a str,
        notes: &'a [String],
        /// As in each cell, and of fits and claims, too.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock: Option<&'static str>,
    },
    Cell(CellRow<'a>),
    Fit(FitObject<'a>),
    Claim(ClaimObject<'a>),
}

/// Nanoseconds over bytes, or over strings.
#[derive(Serialize)]
struct FitObject<'a> {
    runner: &'a str,
    profile: &'a str,
    mode: &'a str,
    algorithm: &'a str,
    chunk_bytes: u64,
    points: usize,
    intercept_ns: Uncertain,
    slope_ns: Uncertain,
    r_squared: f64,
    projection_bytes: Option<u64>,
    projection_seconds: Option<Uncertain>,
}

impl<'a> FitObject<'a> {
    fn new(key: &'a SeriesKey, series: &Series, line: &Line, volume_bytes: u64) -> FitObject<'a> {
        let SeriesKey { runner, profile, mode, algorithm, chunk_bytes, .. } = key;
        let projects = Unit::of(mode) == Unit::Bytes && mode != "messages";
        FitObject {
            runner,
            profile,
            mode,
            algorithm,
            chunk_bytes: *chunk_bytes,
            points: line.points,
            intercept_ns: line.intercept.into(),
            slope_ns: line.slope.into(),
            r_squared: line.r_squared,
            projection_bytes: projects.then_some(volume_bytes),
            projection_seconds: series
                .project_ns(mode, volume_bytes as f64)
                .filter(|_| projects)
                .map(|ns| ns.map(|ns| ns / 1e9).into()),
        }
    }
}

#[derive(Serialize)]
struct ClaimObject<'a> {
    id: &'a str,
    study: &'a str,
    text: &'a str,
    profile: &'a str,
    subject: &'a str,
    verdict: &'static str,
    statements: Vec<StatementObject<'a>>,
    note: &'a str,
}

#[derive(Serialize)]
struct StatementObject<'a> {
    subject: &'a str,
    figure: &'static str,
    measured: Option<Uncertain>,
    published: Option<f64>,
    missing: Option<&'a str>,
    verdict: &'static str,
}

impl<'a> From<&'a Finding> for ClaimObject<'a> {
    fn from(finding: &'a Finding) -> Self {
        let figure = |figure| match figure {
            Figure::Ratio => "ratio",
            Figure::Share => "share",
            Figure::RSquared => "r-squared",
            Figure::Minutes => "minutes",
        };
        let statements = finding.statements.iter().map(|statement| StatementObject {
            subject: &statement.subject,
            figure: figure(statement.figure),
            measured: statement.measured.map(Uncertain::from),
            published: statement.published,
            missing: statement.missing.as_deref(),
            verdict: statement.verdict.name(),
        });
        ClaimObject {
            id: finding.claim.id,
            study: finding.claim.study,
            text: finding.claim.text,
            profile: &finding.profile,
            subject: &finding.subject,
            verdict: finding.verdict.name(),
            statements: statements.collect(),
            note: &finding.note,
        }
    }
}

pub(super) fn json_lines(report: &Report<'_>, mut writer: impl Write) -> Result<(), ExportError> {
    let mut line = |object: Object<'_>| -> Result<(), ExportError> {
        serde_json::to_writer(&mut writer, &object)?;
        Ok(writer.write_all(b"\n")?)
    };
    let measurements = report.measurements;
    let header = &measurements.header;
    let definition = definition(measurements);
    line(Object::Header {
        version: 1,
        experiment: &header.experiment,
        started: &header.started,
        program: &header.program,
        notes: &measurements.notes,
        clock: other_clock(measurements),
    })?;
    for (key, series) in &measurements.series {
        for point in &series.points {
            line(Object::Cell(CellRow::new(report, definition.as_ref(), key, point)))?;
        }
        if let Some(fit) = series.line(&key.mode) {
            line(Object::Fit(FitObject::new(key, series, &fit, report.options.volume_bytes)))?;
        }
    }
    report.findings.iter().try_for_each(|finding| line(Object::Claim(finding.into())))
}
