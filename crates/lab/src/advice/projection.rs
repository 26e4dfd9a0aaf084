//! Costs of options and of algorithms, from batches.

use super::cost::Run;
use super::{Batch, Cost, Kind, Measured, ProcessorRun};

/// A batch as the fit takes it.
pub(super) fn run_of(batch: &Batch) -> Run {
    (batch.files as f64, batch.bytes as f64, batch.seconds)
}

/// Sound batches of a choice that were only read. Of those that the end of the time cut off, what was under way is not
/// counted, so they serve only if there are no others.
pub(super) fn reading(measured: &Measured, choice: usize, kind: Kind) -> Vec<Run> {
    let is_one = |batch: &&Batch| batch.is_sound() && batch.choice == choice && batch.kind == kind;
    let (cut, complete): (Vec<_>, Vec<_>) = measured.batches.iter().filter(is_one).partition(|batch| batch.is_cut);
    (if complete.is_empty() { cut } else { complete }).into_iter().map(run_of).collect()
}

/// Seconds that the storage takes for files and bytes under a choice. Where a kind of batch was not read under it,
/// those of the first choice stand in. `None` if the choice was not measured.
#[must_use]
pub fn projected(measured: &Measured, choice: usize, files: u64, bytes: u64) -> Option<f64> {
    let of = |choice, kind| reading(measured, choice, kind);
    let (mut runs, long) = (of(choice, Kind::Runs), of(choice, Kind::Long));
    if runs.is_empty() && long.is_empty() {
        return None;
    }
    if runs.is_empty() {
        runs = of(0, Kind::Runs);
    }
    runs.extend(if long.is_empty() { of(0, Kind::Long) } else { long });
    Some(Cost::fit(&runs)?.seconds(files as f64, bytes as f64))
}

/// Files that a choice reads in a second in batches of a kind; `None` if there is no sound one.
#[must_use]
pub fn rate(measured: &Measured, choice: usize, kind: Kind) -> Option<f64> {
    let runs = reading(measured, choice, kind);
    let seconds: f64 = runs.iter().map(|run| run.2).sum();
    (seconds > 0.0).then(|| runs.iter().map(|run| run.0).sum::<f64>() / seconds)
}

/// The processor's time for an algorithm, from runs over cached data. Of repeats the fastest counts, because
/// disturbances only slow them down.
pub(super) fn processor(measured: &Measured, algorithm: &str) -> Option<Cost> {
    let mut best: Vec<Run> = Vec::new();
    let is_one = |run: &&ProcessorRun| run.algorithm == algorithm && run.seconds > 0.0 && run.files + run.bytes > 0;
    for run in measured.processor.iter().filter(is_one) {
        let run = (run.files as f64, run.bytes as f64, run.seconds);
        let mean = |run: &Run| run.1 / run.0.max(1.0);
        let is_faster = |a: &Run, b: &Run| (a.0 + a.1) / a.2 > (b.0 + b.1) / b.2;
        match best.iter_mut().find(|other| (mean(other) / mean(&run)).ln().abs() < 1.0) {
            Some(other) if is_faster(&run, other) => *other = run,
            Some(_) => {}
            None => best.push(run),
        }
    }
    Cost::fit(&best)
}
