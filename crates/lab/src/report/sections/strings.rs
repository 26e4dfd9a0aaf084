//! Short strings as guesses: how long a key space lasts.

use crate::measurements::{Series, TODAY, Unit};
use crate::report::Report;
use crate::report::format::{algorithm, duration, estimate, number};
use pfh_page::{Cell, Section, Table};

const YEAR_SECONDS: f64 = 365.25 * 86_400.0;

pub(super) fn passwords(report: &Report<'_>) -> Section {
    let key_space = report.options.key_space;
    let mut section = Section::new("key-space", "How long a key space lasts").text(format!(
        "Seconds to try {} keys on one core at the measured rate, by the fastest runner. A digest that is fast over data is a \
         bad keeper of passwords: the password functions below are slow on purpose, and their cost is a parameter (see the \
         definition at the end). Graphics processors try far more than this core does.",
        number(key_space)
    ));
    let mut table = Table::new(
        "Trying all keys, fastest runner of each function",
        ["Function", "Kind", "Runner", "Per second", "All keys in"],
    );
    let mut rows: Vec<(f64, Vec<Cell>)> = Vec::new();
    for (mode, kind) in [("strings", "digest"), ("password", "password function")] {
        for (_, name) in report.measurements.subjects().into_iter().filter(|(other, _)| *other == mode) {
            let rate = |series: &Series| series.largest()?.rate(Unit::Items);
            let fastest = report
                .measurements
                .series
                .iter()
                .filter(|(key, _)| key.profile == TODAY && key.mode == mode && key.algorithm == name)
                .filter_map(|(key, series)| Some((key.runner.as_str(), rate(series)?)))
                .max_by(|a, b| a.1.value.total_cmp(&b.1.value));
            let Some((runner, rate)) = fastest else { continue };
            let seconds = key_space / rate.value;
            rows.push((
                seconds,
                vec![
                    Cell::text(algorithm(name)),
                    Cell::text(kind),
                    Cell::text(report.measurements.label(runner)),
                    Cell::number(estimate(&rate)),
                    Cell::number(ages(seconds)),
                ],
            ));
        }
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    table.extend(rows.into_iter().map(|(_, row)| row));
    if !table.is_empty() {
        section.push(table);
    }
    section
}

fn ages(seconds: f64) -> String {
    let years = seconds / YEAR_SECONDS;
    if years >= 1e6 { format!("{} million years", number(years / 1e6)) } else { duration(seconds) }
}
