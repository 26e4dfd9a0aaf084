//! Rates beside each other: bars, and heat maps of ratios to the reference.

use std::collections::BTreeSet;

use crate::measurements::{Measurements, Point, Series, TODAY, Unit};
use crate::report::Report;
use crate::report::format::{algorithm, count, number, sentence, size};
use crate::report::plots::{self, Row};
use crate::report::sections::{REFERENCE, profile_name, subject};
use crate::statistics::{Estimate, median};
use pfh_page::Section;

/// Groups of bars; beyond that a plot for each runner serves better than one for each algorithm.
const PLOTS_MAX: usize = 12;
/// Bars of one plot.
const ROWS_MAX: usize = 60;
/// Profiles beside each other in one plot.
const PROFILES_MAX: usize = 3;

const MIB: f64 = 1_048_576.0;

/// Unit of a mode's rates, and by what to divide.
fn unit(mode: &str) -> (&'static str, f64) {
    match (Unit::of(mode), mode) {
        (Unit::Bytes, _) => ("MiB per second", MIB),
        (_, "strings") => ("million strings per second", 1e6),
        _ => ("derivations per second", 1.0),
    }
}

fn rate(series: &Series, mode: &str) -> Option<Estimate> {
    let (_, divisor) = unit(mode);
    Some(series.largest()?.rate(Unit::of(mode))?.map(|rate| rate / divisor))
}

/// The largest size of a mode, in words.
fn at(point: &Point, mode: &str) -> String {
    match (Unit::of(mode), mode) {
        (Unit::Bytes, "messages") => format!("messages of {}", size(point.size(mode))),
        (Unit::Bytes, _) => size(point.bytes),
        (_, "strings") => format!("{} strings", count(point.count)),
        _ => format!("{} derivations", count(point.count)),
    }
}

fn modes(measurements: &Measurements) -> BTreeSet<&str> {
    measurements.series.keys().map(|key| key.mode.as_str()).collect()
}

pub(super) fn bars(report: &Report<'_>) -> Section {
    let mut section = Section::new("rates", "Rates").text(
        "At the largest size that each runner was given. Longer is faster; the line at a bar's end is the 95 % interval of \
         the median.",
    );
    let measurements = report.measurements;
    let subjects: Vec<_> = measurements.subjects().into_iter().filter(|(mode, _)| *mode != "read-file").collect();
    if subjects.len() > PLOTS_MAX {
        for mode in modes(measurements) {
            for runner in measurements.runner_ids(TODAY) {
                by_runner(report, mode, runner, &mut section);
            }
        }
        return section;
    }
    let profiles: Vec<&str> = measurements.profiles().into_iter().take(PROFILES_MAX).collect();
    for (mode, name) in subjects {
        let mut rows: Vec<(f64, Row)> = Vec::new();
        let mut largest: Option<&Point> = None;
        for runner in measurements.runner_ids(TODAY) {
            let of = |profile: &&str| measurements.series(runner, profile, mode, name);
            let values: Vec<_> = profiles.iter().map(|profile| rate(of(profile)?, mode)).collect();
            let Some(first) = values.first().copied().flatten() else { continue };
            largest = of(&TODAY).and_then(Series::largest).into_iter().chain(largest).max_by_key(|p| p.size(mode));
            rows.push((first.value, Row { label: measurements.label(runner).to_owned(), values }));
        }
        let Some(largest) = largest else { continue };
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        // A profile that no row has is no group.
        let has = |index: usize| rows.iter().any(|(_, row)| row.values[index].is_some());
        let kept: Vec<usize> = (0..profiles.len()).filter(|&index| has(index)).collect();
        let groups: Vec<String> = kept.iter().map(|&index| profile_name(report, profiles[index])).collect();
        let description = describe(&rows, unit(mode).0);
        let rows: Vec<Row> = rows
            .into_iter()
            .take(ROWS_MAX)
            .map(|(_, row)| Row { label: row.label, values: kept.iter().map(|&index| row.values[index]).collect() })
            .collect();
        let title = format!("{}, {}", subject(mode, name), at(largest, mode));
        if let Some(plot) = plots::bars(title, description, unit(mode).0, &groups, &rows) {
            section.push(plot);
        }
    }
    section
}

fn describe(rows: &[(f64, Row)], unit: &str) -> String {
    let end = |row: Option<&(f64, Row)>| {
        row.map_or(String::new(), |(rate, row)| format!("{} with {}", row.label, number(*rate)))
    };
    format!("{} rows in {unit}, from {} down to {}.", rows.len(), end(rows.first()), end(rows.last()))
}

/// All algorithms of one runner.
fn by_runner(report: &Report<'_>, mode: &str, runner: &str, section: &mut Section) {
    let measurements = report.measurements;
    let keys = measurements
        .series
        .iter()
        .filter(|(key, _)| key.mode == mode && key.runner == runner && key.profile == TODAY && mode != "read-file");
    let mut rows: Vec<(f64, Row)> = keys
        .filter_map(|(key, series)| {
            let value = rate(series, mode)?;
            Some((value.value, Row { label: algorithm(&key.algorithm), values: vec![Some(value)] }))
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let what = match mode {
        "messages" => "single messages".to_owned(),
        "digest" => "large data".to_owned(),
        other => other.to_owned(),
    };
    let title = format!("{}, {what}", measurements.label(runner));
    let description = describe(&rows, unit(mode).0);
    let rows: Vec<Row> = rows.into_iter().take(ROWS_MAX).map(|(_, row)| row).collect();
    let groups = ["today".to_owned()];
    if let Some(plot) = plots::bars(sentence(&title), description, unit(mode).0, &groups, &rows) {
        section.push(plot);
    }
}

pub(super) fn heat_maps(report: &Report<'_>) -> Section {
    let mut section = Section::new("ratios", "Ratios to OpenSSL").text(
        "Time of each runner as a multiple of that of OpenSSL called from C, with the same algorithm at the largest size that \
         both have. Below 1 is faster, above 1 slower.",
    );
    let measurements = report.measurements;
    for mode in modes(measurements) {
        for profile in measurements.profiles() {
            heat_map(report, mode, profile, &mut section);
        }
    }
    section
}

/// Time of `a` as a multiple of that of `b`, at the largest size that both have.
fn ratio(a: &Series, b: &Series) -> Option<f64> {
    a.points.iter().rev().find_map(|point| {
        let other = b.points.iter().find(|other| (other.bytes, other.count) == (point.bytes, point.count))?;
        Some(point.time.median / other.time.median).filter(|ratio| ratio.is_finite())
    })
}

fn heat_map(report: &Report<'_>, mode: &str, profile: &str, section: &mut Section) {
    let measurements = report.measurements;
    let of = |runner: &str, name: &str| measurements.series(runner, profile, mode, name);
    let names: Vec<&str> = measurements
        .subjects()
        .into_iter()
        .filter(|(other, name)| *other == mode && of(REFERENCE, name).is_some())
        .map(|(_, name)| name)
        .collect();
    let runners: Vec<&str> = measurements.runner_ids(profile).into_iter().filter(|id| *id != REFERENCE).collect();
    let value = |runner: &str, name: &str| ratio(of(runner, name)?, of(REFERENCE, name)?);
    let mut rows: Vec<(String, Vec<Option<f64>>)> = runners
        .iter()
        .map(|runner| (measurements.label(runner).to_owned(), names.iter().map(|name| value(runner, name)).collect()))
        .filter(|(_, values): &(_, Vec<Option<f64>>)| values.iter().any(Option::is_some))
        .collect();
    // The fastest first, by the median of the ratios.
    let middle = |values: &[Option<f64>]| median(&mut values.iter().flatten().copied().collect::<Vec<_>>());
    rows.sort_by(|a, b| middle(&a.1).unwrap_or(f64::MAX).total_cmp(&middle(&b.1).unwrap_or(f64::MAX)));
    let names: Vec<String> = names.into_iter().map(algorithm).collect();
    // The longer list goes down.
    let (columns, mut rows) = if names.len() > rows.len() {
        let columns = rows.iter().map(|(label, _)| label.clone()).collect();
        let across = |index: usize| rows.iter().map(|(_, values)| values[index]).collect();
        (columns, names.into_iter().enumerate().map(|(index, name)| (name, across(index))).collect())
    } else {
        (names, rows)
    };
    rows.truncate(ROWS_MAX);
    let all: Vec<f64> = rows.iter().flat_map(|(_, values)| values.iter().flatten().copied()).collect();
    let (least, greatest) =
        (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(0.0, f64::max));
    let what = match mode {
        "digest" | "cipher" => "in memory",
        "digest-file" => "digests of files",
        "cipher-file" => "encryption of files",
        "read-file" => "reading alone",
        "strings" => "short strings",
        "messages" => "single messages",
        "password" => "password functions",
        other => other,
    };
    let mode_name = if mode == "cipher" { "Ciphers, in memory".to_owned() } else { sentence(what) };
    let title = format!("{mode_name}, {}", profile_name(report, profile));
    let description = format!(
        "{} rows and {} columns; ratios from {} to {}.",
        rows.len(),
        columns.len(),
        number(least),
        number(greatest)
    );
    if let Some(plot) = plots::heat(title, description, &columns, &rows) {
        section.push(plot);
    }
}
