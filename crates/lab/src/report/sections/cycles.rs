//! Cycles per byte, by which processors of different clock rates are compared.

use std::collections::{BTreeMap, BTreeSet};

use super::{REFERENCE, name, subject};
use crate::measurements::{Series, SeriesKey, TODAY};
use crate::report::Report;
use crate::report::format::{counted, number, size};
use pfh_page::{Block, Cell, Section, Table};

/// Of pfh and the reference. Empty where the machine has no counter of which the rate is known.
pub(super) fn tables(report: &Report<'_>) -> Section {
    let section = Section::new("cycles", "Cycles per byte");
    let counter = report.measurements.header.environment.get("counter_mhz");
    let Some(mhz) = counter.and_then(|mhz| mhz.parse::<f64>().ok()) else { return section };
    let mut section = section.text(format!(
        "Of the processor's time-stamp counter, which counts {} million a second however fast the cores are clocked at the moment. \
         Of pfh and the reference only.",
        number(mhz)
    ));
    let is_shown = |key: &SeriesKey| {
        key.profile == TODAY && (key.runner == REFERENCE || key.runner == "pfh" || key.runner.starts_with("pfh-"))
    };
    for mode in ["messages", "digest"] {
        let of = || report.measurements.series.iter().filter(|(key, _)| key.mode == mode && is_shown(key));
        let sizes: BTreeSet<u64> = of().flat_map(|(_, series)| &series.points).map(|point| point.size(mode)).collect();
        let title = if mode == "messages" { "Single messages" } else { "Data in memory" };
        let head = ["Runner".to_owned()].into_iter().chain(sizes.iter().map(|value| size(*value)));
        let mut table = Table::new(format!("Cycles per byte: {title}"), head);
        let row = |(key, series): (&SeriesKey, &Series)| {
            let cycles: BTreeMap<u64, f64> = series
                .points
                .iter()
                .map(|point| (point.size(mode), point.time.median * mhz / 1e3 / point.bytes.max(1) as f64))
                .collect();
            let cells = sizes.iter().map(|size| Cell::maybe(cycles.get(size).map(|cycles| number(*cycles))));
            [Cell::text(name(report, key))].into_iter().chain(cells).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = of().collect();
        all.sort_by_key(|(key, _)| (&key.algorithm, &key.runner));
        for of_one in all.chunk_by(|(a, _), (b, _)| a.algorithm == b.algorithm) {
            if let Some((key, _)) = of_one.first() {
                table.group(subject("digest", &key.algorithm));
            }
            table.extend(of_one.iter().copied().map(row));
        }
        if !table.is_empty() {
            section.push(Block::folded(format!("{title}: {}", counted(table.len(), "row", "rows")), [table]));
        }
    }
    section
}
