//! Work on files: what reading, collecting garbage and memory cost beside it.

use pfh_statistics::{Estimate, of_medians, share_of_sums};

use crate::measurements::{Point, TODAY};
use crate::report::Report;
use crate::report::format::{algorithm, counted, estimate, number, size};
use pfh_page::{Block, Cell, Section, Table};

pub(super) fn files(report: &Report<'_>) -> Section {
    let mut section = Section::new("files", "Files: with reading, and without").text(
        "Reading the same file without doing anything is timed alone and subtracted, as the study of 2007 did; where the work was \
         also timed in memory that stands beside it. Collection is the share of the runner's own garbage collection, an upper bound \
         because it counts the warm-up; memory is the largest resident size of the process so far.",
    );
    let measurements = report.measurements;
    let mut table = Table::new(
        "Times of files, by what they consist of",
        ["Runner", "File, ms", "Less reading, ms", "In memory, ms", "Reading", "Collection", "Memory"],
    );
    for (mode, name) in measurements.subjects() {
        let Some(in_memory) = mode.strip_suffix("-file").filter(|rest| *rest != "read") else { continue };
        let mut rows: Vec<(f64, Vec<Cell>)> = Vec::new();
        let mut bytes = 0;
        for runner in measurements.runner_ids(TODAY) {
            let Some(whole) = measurements.series(runner, TODAY, mode, name).and_then(|series| series.largest()) else {
                continue;
            };
            let beside = |mode: &str, name: &str| -> Option<&Point> {
                let series = measurements.series(runner, TODAY, mode, name)?;
                series.points.iter().find(|point| point.bytes == whole.bytes)
            };
            let reading = beside("read-file", "none");
            let net = reading
                .and_then(|reading| of_medians(&[whole.times_ns(), reading.times_ns()], &|times| times[0] - times[1]));
            let share = reading
                .and_then(|reading| of_medians(&[reading.times_ns(), whole.times_ns()], &|times| times[0] / times[1]));
            let alone = beside(in_memory, name).map(|point| point.time.estimate());
            let collected = collection(whole.costs.iter().map(|(cost, task_ns)| (cost.gc_ns, *task_ns)));
            bytes = whole.bytes.max(bytes);
            rows.push((
                whole.time.median,
                vec![
                    Cell::text(measurements.label(runner)),
                    Cell::number(milliseconds(&whole.time.estimate())),
                    Cell::maybe(net.map(|net| milliseconds(&net))),
                    Cell::maybe(alone.map(|alone| milliseconds(&alone))),
                    Cell::maybe(share.map(|share| format!("{} %", estimate(&share.map(|share| share * 100.0))))),
                    Cell::maybe(collected.map(|share| format!("{} %", number(share * 100.0)))),
                    Cell::maybe(whole.costs.iter().filter_map(|(cost, _)| cost.peak_bytes).max().map(size)),
                ],
            ));
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        if rows.is_empty() {
            continue;
        }
        table.group(format!("{}, {}", algorithm(name), size(bytes)));
        table.extend(rows.into_iter().map(|(_, row)| row));
    }
    if !table.is_empty() {
        section.push(Block::folded(format!("Files: {}", counted(table.len(), "row", "rows")), [table]));
    }
    section
}

fn milliseconds(time: &Estimate) -> String {
    estimate(&time.map(|ns| ns / 1e6))
}

/// Share of collecting in the time of tasks, all together, from both in nanoseconds: most tasks end before anything is
/// collected, so that the share of a typical one is 0.
fn collection(tasks: impl Iterator<Item = (Option<u64>, f64)>) -> Option<f64> {
    share_of_sums(tasks.filter_map(|(collected_ns, task_ns)| Some((collected_ns? as f64, task_ns))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_of_few_tasks_count() {
        let two_of_twenty = (0..20).map(|task| (Some(if task < 2 { 50 } else { 0 }), 100.0));
        assert_eq!(collection(two_of_twenty), Some(0.05));
        assert_eq!(collection([(None, 100.0)].into_iter()), None);
        assert_eq!(collection([].into_iter()), None);
    }
}
