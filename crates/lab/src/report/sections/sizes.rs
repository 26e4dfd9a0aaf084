//! Time over size: plots, fits, and projections beyond what was measured.

use crate::measurements::{Series, SeriesKey, TODAY, Unit};
use crate::published;
use crate::report::Report;
use crate::report::format::{algorithm, duration, estimate, number, size};
use crate::report::plots::{self, Curve};
use crate::report::sections::{REFERENCE, profile_name, subject};
use crate::statistics::{Estimate, Line};
use pfh_page::{Cell, Section, Table};

/// Lines that can be told apart in one plot.
const CURVES_MAX: usize = 6;
/// Plots of one kind; with more algorithms the tables serve better.
const PLOTS_MAX: usize = 12;

const MIB: f64 = 1_048_576.0;

/// Modes whose times are drawn over size.
fn is_drawn(mode: &str) -> bool {
    matches!(mode, "digest" | "strings" | "cipher-file" | "cipher")
}

pub(super) fn plots(report: &Report<'_>) -> Section {
    let mut section = Section::new("sizes", "Time over size").text(
        "Medians with their intervals, and the least-squares line through them. With more runners than can be told apart \
         the reference, the fastest, the slowest and some between are drawn; the tables have all.",
    );
    let subjects: Vec<_> = report.measurements.subjects().into_iter().filter(|(mode, _)| is_drawn(mode)).collect();
    if subjects.len() > PLOTS_MAX {
        return section;
    }
    for (mode, name) in subjects {
        let mut all: Vec<_> = of(report, TODAY, mode, name).filter(|(_, series)| series.points.len() >= 3).collect();
        all.sort_by(|a, b| slowness(a.1).total_cmp(&slowness(b.1)));
        let chosen = choose(&all.iter().map(|(key, _)| key.runner == REFERENCE).collect::<Vec<_>>());
        let (x_unit, y_unit, x_name, y_name) = match Unit::of(mode) {
            Unit::Bytes => (MIB, 1e6, "size in MiB", "milliseconds"),
            Unit::Items => (1e3, 1e6, "thousand strings", "milliseconds"),
        };
        let curves: Vec<Curve> = chosen
            .iter()
            .map(|&index| {
                let (key, series) = all[index];
                let point = |point: &crate::measurements::Point| {
                    (point.size(mode) as f64 / x_unit, point.time.estimate().map(|ns| ns / y_unit))
                };
                let points: Vec<_> = series.points.iter().map(point).collect();
                let medians: Vec<_> = points.iter().map(|(x, y)| (*x, y.value)).collect();
                let label = report.measurements.label(&key.runner).to_owned();
                Curve { label, points, fit: Line::fit(&medians) }
            })
            .collect();
        let Some((slowest, fastest)) = all.last().zip(all.first()) else { continue };
        let description = format!(
            "{} runners; at the largest size {} took {} and {} took {}.",
            all.len(),
            report.measurements.label(&fastest.0.runner),
            duration(slowness(fastest.1) / 1e9),
            report.measurements.label(&slowest.0.runner),
            duration(slowness(slowest.1) / 1e9),
        );
        if let Some(plot) = plots::curves(subject(mode, name), description, (x_name, y_name), &curves) {
            section.push(plot);
        }
    }
    section
}

fn of<'a>(
    report: &'a Report<'_>,
    profile: &'a str,
    mode: &'a str,
    name: &'a str,
) -> impl Iterator<Item = (&'a SeriesKey, &'a Series)> {
    report
        .measurements
        .series
        .iter()
        .filter(move |(key, _)| key.profile == profile && key.mode == mode && key.algorithm == name)
}

/// Nanoseconds at the largest size.
fn slowness(series: &Series) -> f64 {
    series.largest().map_or(0.0, |point| point.time.median)
}

/// Of series in the order of speed: the reference, both ends, and some between at even distances.
fn choose(is_reference: &[bool]) -> Vec<usize> {
    let count = is_reference.len();
    if count <= CURVES_MAX {
        return (0..count).collect();
    }
    let mut chosen: Vec<usize> = is_reference.iter().position(|&is| is).into_iter().collect();
    let wanted = CURVES_MAX - chosen.len();
    for step in 0..wanted {
        let at = step * (count - 1) / (wanted - 1);
        if !chosen.contains(&at) {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen
}

pub(super) fn fits(report: &Report<'_>) -> Section {
    let mut section = Section::new("fits", "Fits: time = a + b · size").text(
        "Ordinary least squares through the medians, as in the study of 2015, with 95 % intervals by Student's t. a is what \
         a call costs before its first byte.",
    );
    for (mode, name) in report.measurements.subjects() {
        let (unit, unit_name, time, time_name) = match (Unit::of(mode), mode) {
            (_, "messages") => (1.0, "byte", 1.0, "ns"),
            (Unit::Bytes, _) => (MIB, "MiB", 1e6, "ms"),
            (Unit::Items, _) => (1.0, "string", 1e3, "µs"),
        };
        let mut table = Table::new(
            subject(mode, name),
            vec![
                "Runner".to_owned(),
                "Profile".to_owned(),
                format!("a in {time_name}"),
                format!("b in {time_name} per {unit_name}"),
                "R²".to_owned(),
                "Sizes".to_owned(),
            ],
        );
        for (key, series) in
            report.measurements.series.iter().filter(|(key, _)| key.mode == mode && key.algorithm == name)
        {
            let Some(line) = series.line(mode) else { continue };
            table.push(vec![
                Cell::text(report.measurements.label(&key.runner)),
                Cell::text(profile_name(report, &key.profile)),
                Cell::number(estimate(&line.intercept.map(|ns| ns / time))),
                Cell::number(estimate(&line.slope.map(|ns| ns * unit / time))),
                Cell::number(format!("{:.5}", line.r_squared)),
                Cell::number(line.points.to_string()),
            ]);
        }
        if !table.is_empty() {
            section.push(table);
        }
    }
    section
}

/// Seconds for a volume: by the line where there is one; else, as the study did, by the rate of the largest size.
fn project(series: &Series, volume: f64) -> Option<Estimate> {
    if let Some(ns) = series.project_ns("digest", volume) {
        return Some(ns.map(|ns| ns / 1e9));
    }
    let point = series.largest().filter(|point| point.bytes > 0)?;
    let project = |ns: f64| published::project_seconds(point.bytes as f64, ns / 1e6, volume);
    Some(point.time.estimate().map(project))
}

pub(super) fn projections(report: &Report<'_>) -> Section {
    let volume = report.options.volume_bytes;
    let mut section = Section::new("projection", format!("Projected to {}", size(volume))).text(format!(
        "What the lines give for {}, if storage were no limit: a statement about the implementations, not about a disk. \
         The 95 % interval comes from resampling the repeats of every size, and is wide where only small sizes were measured. The \
         last column is what the runner costs beyond the fastest.",
        size(volume)
    ));
    let study = published::projections();
    for (mode, name) in report.measurements.subjects().into_iter().filter(|(mode, _)| *mode == "digest") {
        for profile in report.measurements.profiles() {
            let mut rows: Vec<(&str, Estimate)> = of(report, profile, mode, name)
                .filter_map(|(key, series)| Some((key.runner.as_str(), project(series, volume as f64)?)))
                .filter(|(_, seconds)| seconds.value > 0.0)
                .collect();
            rows.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
            let Some(fastest) = rows.first().map(|(_, seconds)| seconds.value).filter(|_| rows.len() > 1) else {
                continue;
            };
            let mut table = Table::new(
                format!("{}, {}", algorithm(name), profile_name(report, profile)),
                ["Runner", "Time", "95 % interval", "Published for 722 GB (2015)", "Minutes beyond the fastest"],
            );
            for (runner, seconds) in rows {
                let published = implementation(runner).and_then(|implementation| {
                    study.iter().find(|row| {
                        row.algorithm == algorithm(name) && row.os == "linux" && row.implementation == implementation
                    })
                });
                let interval = seconds
                    .interval
                    .map(|interval| format!("{} to {}", duration(interval.low.max(0.0)), duration(interval.high)));
                table.push(vec![
                    Cell::text(report.measurements.label(runner)),
                    Cell::number(duration(seconds.value)),
                    Cell::maybe(interval),
                    Cell::maybe(published.map(|row| duration(row.seconds))),
                    Cell::number(number((seconds.value - fastest) / 60.0)),
                ]);
            }
            section.push(table);
        }
    }
    section
}

/// The study's implementation that a runner stands for.
fn implementation(runner: &str) -> Option<&'static str> {
    match runner {
        "c-openssl" => Some("C"),
        "py-hashlib" => Some("Python"),
        "ruby-openssl" => Some("Ruby"),
        "java-sun" => Some("Java"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_and_the_reference_are_always_drawn() {
        assert_eq!(choose(&[true, false, false]), [0, 1, 2]);
        let mut twenty = [false; 20];
        twenty[7] = true;
        let chosen = choose(&twenty);
        assert!(chosen.len() <= CURVES_MAX && [0, 7, 19].iter().all(|index| chosen.contains(index)), "{chosen:?}");
    }
}
