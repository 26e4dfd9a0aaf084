//! Which runtime? Ratios to the reference as heat maps, and rates of all runners on one scale, algorithm by algorithm.

use pfh_statistics::{Estimate, median};

use crate::measurements::{Point, Series, TODAY, Unit};
use crate::report::Report;
use crate::report::format::{algorithm, counted, number, size};
use crate::report::plots::{self, Axis, DotRow, Dots, Group, Legend};
use crate::report::sections::{PROFILES_MAX, REFERENCE, modes, profile_name, subject, work};
use pfh_page::{Block, Plot, Section};

/// Rows of one plot.
const ROWS_MAX: usize = 60;
/// Plots of a mode that are not folded.
const UNFOLDED_MAX: usize = 4;

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
        (_, "strings") => counted(point.count, "string", "strings"),
        _ => counted(point.count, "derivation", "derivations"),
    }
}

/// A plot for each algorithm with all runners in it; those of one mode have the same scale, so that they can be
/// compared with each other. Where few runners have many algorithms, a plot for each runner with all algorithms in it.
pub(super) fn dots(report: &Report<'_>) -> Section {
    let mut section = Section::new("rates", "Rates").text(
        "At the largest size that each runner was given, on a logarithmic scale that all plots of one kind of work share: equal \
         distances are equal ratios, and farther right is faster. Lines around dots are 95 % intervals of the median.",
    );
    let measurements = report.measurements;
    for (place, mode) in modes(report).iter().filter(|mode| *mode != "read-file").enumerate() {
        let of_mode = || measurements.series.iter().filter(|(key, _)| key.mode == *mode);
        let values = of_mode().filter_map(|(_, series)| rate(series, mode)).flat_map(|rate| {
            let ends = rate.interval.map(|interval| [interval.low, interval.high]);
            [rate.value].into_iter().chain(ends.into_iter().flatten())
        });
        let Some(axis) = Axis::logarithmic(values) else { continue };
        let names: Vec<&str> =
            measurements.subjects().into_iter().filter_map(|(other, name)| (other == mode).then_some(name)).collect();
        let runners = measurements.runner_ids(TODAY);
        let plots: Vec<Plot> = if names.len() > runners.len() {
            runners.iter().filter_map(|runner| of_runner(report, mode, runner, &names, &axis)).collect()
        } else {
            names.iter().filter_map(|name| of_algorithm(report, mode, name, &axis)).collect()
        };
        let (count, is_first) = (plots.len(), place == 0);
        let mut plots = plots.into_iter().map(Block::Plot);
        if is_first {
            plots.by_ref().take(UNFOLDED_MAX).for_each(|plot| section.push(plot));
        }
        let rest: Vec<Block> = plots.collect();
        if !rest.is_empty() {
            let more = if rest.len() < count { "more " } else { "" };
            let plots = counted(rest.len(), &format!("{more}plot"), &format!("{more}plots"));
            section.push(Block::folded(format!("{}: {plots}", work(mode)), rest));
        }
    }
    section
}

fn of_algorithm(report: &Report<'_>, mode: &str, name: &str, axis: &Axis) -> Option<Plot> {
    let measurements = report.measurements;
    let mut profiles: Vec<&str> = measurements.profiles().into_iter().take(PROFILES_MAX).collect();
    let of = |runner: &str, profile: &str| measurements.series(runner, profile, mode, name);
    let runners = measurements.runner_ids(TODAY);
    // A profile that no runner has is no series.
    profiles.retain(|profile| runners.iter().any(|runner| of(runner, profile).is_some()));
    let mut rows: Vec<(f64, DotRow)> = Vec::new();
    let mut largest: Option<&Point> = None;
    for runner in runners {
        let values: Vec<_> = profiles.iter().map(|profile| rate(of(runner, profile)?, mode)).collect();
        let Some(first) = values.first().copied().flatten() else { continue };
        largest = of(runner, TODAY).and_then(Series::largest).into_iter().chain(largest).max_by_key(|p| p.size(mode));
        rows.push((first.value, row(measurements.label(runner).to_owned(), values, &first)));
    }
    let title = format!("{}, {}", subject(mode, name), at(largest?, mode));
    let names = profiles.iter().enumerate();
    let legend = names.map(|(series, profile)| (Some(series), profile_name(report, profile))).collect();
    let legend = if profiles.len() > 1 { Legend(legend) } else { Legend::default() };
    rated(title, mode, axis, legend, rows)
}

/// All algorithms of one runner.
fn of_runner(report: &Report<'_>, mode: &str, runner: &str, names: &[&str], axis: &Axis) -> Option<Plot> {
    let rows = names.iter().filter_map(|name| {
        let value = rate(report.measurements.series(runner, TODAY, mode, name)?, mode)?;
        Some((value.value, row(algorithm(name), vec![Some(value)], &value)))
    });
    let title = format!("{}: {}", report.measurements.label(runner), work(mode).to_lowercase());
    rated(title, mode, axis, Legend::default(), rows.collect())
}

fn row(label: String, values: Vec<Option<Estimate>>, first: &Estimate) -> DotRow {
    let short = number(first.value);
    let text = match first.interval {
        Some(interval) => format!("{short} ({} to {})", number(interval.low), number(interval.high)),
        None => short.clone(),
    };
    DotRow { label, values, reference: None, text, short }
}

/// Rows with their rates, the fastest first.
fn rated(title: String, mode: &str, axis: &Axis, legend: Legend, mut rows: Vec<(f64, DotRow)>) -> Option<Plot> {
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (unit, _) = unit(mode);
    let end = |row: Option<&(f64, DotRow)>| {
        row.map_or(String::new(), |(rate, row)| format!("{} with {}", row.label, number(*rate)))
    };
    let description = format!(
        "{} in {unit}, from {} down to {}.",
        counted(rows.len(), "row", "rows"),
        end(rows.first()),
        end(rows.last())
    );
    let rows: Vec<DotRow> = rows.into_iter().take(ROWS_MAX).map(|(_, row)| row).collect();
    if rows.is_empty() {
        return None;
    }
    let group = Group { rows, ..Group::default() };
    let block = plots::Block { axis: axis.clone(), unit: unit.to_owned(), divide: None, groups: vec![group] };
    Dots { legend, blocks: vec![block] }.plot(title, description)
}

pub(super) fn heat_maps(report: &Report<'_>) -> Section {
    let mut section = Section::new("ratios", "Which runtime? Ratios to OpenSSL").text(
        "Time of each runner as a multiple of that of OpenSSL called from C, with the same algorithm at the largest size that \
         both have. Below 1 is faster, above 1 slower; the fastest over all algorithms is first.",
    );
    for (place, mode) in modes(report).iter().enumerate() {
        for profile in report.measurements.profiles() {
            let Some(plot) = heat_map(report, mode, profile) else { continue };
            section.push(if place == 0 && profile == TODAY {
                Block::Plot(plot)
            } else {
                Block::folded(plot.title().to_owned(), [plot])
            });
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

fn heat_map(report: &Report<'_>, mode: &str, profile: &str) -> Option<Plot> {
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
    let title = format!("{}, {}", work(mode), profile_name(report, profile));
    let description = format!(
        "{} and {}; ratios from {} to {}.",
        counted(rows.len(), "row", "rows"),
        counted(columns.len(), "column", "columns"),
        number(least),
        number(greatest)
    );
    plots::heat(title, description, &columns, &rows)
}
