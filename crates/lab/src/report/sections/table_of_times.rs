//! Tables like the studies': runners down, sizes across.

use std::collections::{BTreeMap, BTreeSet};

use crate::measurements::{Point, Series, SeriesKey, Unit};
use crate::report::Report;
use crate::report::format::{count, counted, number, size};
use crate::report::sections::{modes, name, profile_name, subject, work};
use pfh_page::{Block, Cell, Section, Table};
use pfh_statistics::Outlier;

/// Outliers that are listed one by one.
const OUTLIERS_MAX: usize = 40;

pub(super) fn tables(report: &Report<'_>) -> Section {
    let mut section = Section::new("times", "Median times").text(format!(
        "Milliseconds of {}. Quartiles, intervals and the times by both clocks are in the CSV and the JSON Lines beside this \
         report.",
        report.measurements.clock.name()
    ));
    for mode in modes(report) {
        let mode = mode.as_str();
        let of_mode = || report.measurements.series.iter().filter(|(key, _)| key.mode == mode);
        let sizes: BTreeSet<u64> =
            of_mode().flat_map(|(_, series)| &series.points).map(|point| point.size(mode)).collect();
        let heading = |value: &u64| match Unit::of(mode) {
            Unit::Bytes => size(*value),
            Unit::Items => count(*value),
        };
        let head = ["Runner".to_owned(), "Profile".to_owned()].into_iter().chain(sizes.iter().map(heading));
        let mut table = Table::new(format!("Median times, ms: {}", work(mode)), head);
        let profiles = report.measurements.profiles();
        let profile = |key: &SeriesKey| profiles.iter().position(|profile| *profile == key.profile);
        let slowness =
            |series: &Series| series.largest().map_or(0.0, |point| point.time.median / point.bytes.max(1) as f64);
        for (_, algorithm) in report.measurements.subjects().into_iter().filter(|(other, _)| *other == mode) {
            let mut all: Vec<_> = of_mode().filter(|(key, _)| key.algorithm == algorithm).collect();
            all.sort_by(|a, b| profile(a.0).cmp(&profile(b.0)).then(slowness(a.1).total_cmp(&slowness(b.1))));
            table.group(subject(mode, algorithm));
            table.extend(all.into_iter().map(|(key, series)| row(report, key, series, &sizes)));
        }
        section.push(Block::folded(format!("{}: {}", work(mode), counted(table.len(), "row", "rows")), [table]));
    }
    if section.has_matter() {
        outliers(report, &mut section);
    }
    section
}

fn row(report: &Report<'_>, key: &SeriesKey, series: &Series, sizes: &BTreeSet<u64>) -> Vec<Cell> {
    let medians: BTreeMap<u64, f64> =
        series.points.iter().map(|point| (point.size(&key.mode), point.time.median / 1e6)).collect();
    let cells = sizes.iter().map(|size| Cell::maybe(medians.get(size).map(|ms| number(*ms))));
    [Cell::text(name(report, key)), Cell::text(profile_name(report, &key.profile))].into_iter().chain(cells).collect()
}

/// Outliers are kept in all figures, and named here.
fn outliers(report: &Report<'_>, section: &mut Section) {
    let mut total = 0;
    let mut list = Vec::new();
    for (key, series) in &report.measurements.series {
        for point in &series.points {
            total += point.time.outliers.len();
            for outlier in point.time.outliers.iter().filter(|outlier| outlier.far) {
                list.push((outlier.value / point.time.median, key, point, outlier));
            }
        }
    }
    let repeats: usize =
        report.measurements.series.values().flat_map(|series| &series.points).map(|p| p.time.count).sum();
    section.push(Block::Text(format!(
        "Outliers: {total} of {repeats} repeats lie more than one and a half interquartile ranges from the quartiles of \
         their cell (Tukey's rule), {} of them more than three. They are kept in all figures; medians hardly feel them.",
        list.len()
    )));
    list.sort_by(|a, b| b.0.total_cmp(&a.0));
    let line = |(factor, key, point, outlier): &(f64, &SeriesKey, &Point, &Outlier)| {
        format!(
            "{} ({}), {}, {}: repeat {} took {} ms, {} times the median",
            report.measurements.label(&key.runner),
            profile_name(report, &key.profile),
            subject(&key.mode, &key.algorithm),
            match Unit::of(&key.mode) {
                Unit::Bytes => size(point.size(&key.mode)),
                Unit::Items => count(point.count),
            },
            outlier.index + 1,
            number(outlier.value / 1e6),
            number(*factor),
        )
    };
    if !list.is_empty() {
        let lines = Block::List(list.iter().take(OUTLIERS_MAX).map(line).collect());
        section.push(Block::folded("The farthest outliers", [lines]));
    }
}
