//! Costs of options and of algorithms, from batches.

use super::cost::Run;
use super::{Batch, Cost, Kind, Measured, ProcessorRun};
use crate::statistics::median;

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

/// Batches of a kind under a choice; if there are none, those under the first.
pub(super) fn with_stand_in(measured: &Measured, choice: usize, kind: Kind) -> Vec<Run> {
    let runs = reading(measured, choice, kind);
    if runs.is_empty() { reading(measured, 0, kind) } else { runs }
}

/// The cost of storage under a choice. `None` if the choice was not measured.
#[must_use]
pub fn storage(measured: &Measured, choice: usize) -> Option<Cost> {
    if [Kind::Runs, Kind::Long].iter().all(|kind| reading(measured, choice, *kind).is_empty()) {
        return None;
    }
    let [runs, long] = [Kind::Runs, Kind::Long].map(|kind| with_stand_in(measured, choice, kind));
    let own = Cost::fit_with_start(&runs, &long)?;
    // Too few batches show no start, but they have one.
    let first = if choice == 0 { None } else { storage(measured, 0) };
    match first {
        Some(first) if own.start_seconds == 0.0 => Cost::fit_after(&[runs, long].concat(), first.start_seconds),
        _ => Some(own),
    }
}

/// Seconds that the storage takes for files and bytes under a choice. `None` if the choice was not measured.
#[must_use]
pub fn projected(measured: &Measured, choice: usize, files: u64, bytes: u64) -> Option<f64> {
    Some(storage(measured, choice)?.seconds(files as f64, bytes as f64))
}

/// The part of a time below which another one is clearly less: options that gain less are not worth leaving others for.
pub const GAIN: f64 = 0.9;

/// Rounds in which options are read in turn with the defaults. Options that are no faster are so in all of them once in
/// 32 times.
pub const ROUNDS: u32 = 5;

/// Returns the options that seem clearly faster than the defaults and were not read in turn with them yet: of these
/// those that seem fastest.
#[must_use]
pub fn candidate(measured: &Measured, files: u64, bytes: u64) -> Option<usize> {
    let usual = projected(measured, 0, files, bytes)?;
    let was_compared = |choice| measured.batches.iter().any(|batch| batch.choice == choice && batch.round > 0);
    let seconds = |choice| Some((choice, projected(measured, choice, files, bytes)?));
    let others = (1..measured.choices.len()).filter(|choice| !was_compared(*choice)).filter_map(seconds);
    others.filter(|(_, seconds)| *seconds < GAIN * usual).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(choice, _)| choice)
}

/// Returns the times of a choice as parts of the defaults' time, for each round in which both were read. Storage whose
/// speed changes does so for both.
#[must_use]
pub fn parts_of_usual(measured: &Measured, choice: usize, files: u64, bytes: u64) -> Vec<f64> {
    let start_seconds = storage(measured, 0).map_or(0.0, |cost| cost.start_seconds);
    let seconds = |choice: usize, round: u32| {
        let is_one = |batch: &&Batch| batch.is_sound() && (batch.round, batch.choice) == (round, choice);
        let runs: Vec<Run> = measured.batches.iter().filter(is_one).map(run_of).collect();
        Some(Cost::fit_after(&runs, start_seconds)?.seconds(files as f64, bytes as f64))
    };
    let rounds = measured.batches.iter().map(|batch| batch.round).max().unwrap_or(0);
    let part = |round| Some(seconds(choice, round)? / seconds(0, round)?);
    if choice == 0 { Vec::new() } else { (1..=rounds).filter_map(part).collect() }
}

/// Whether options with these parts are worth leaving the defaults for: faster in every round, and clearly so in most.
#[must_use]
pub fn is_worth_while(parts: &[f64]) -> bool {
    let is_clear = median(&mut parts.to_vec()).is_some_and(|part| part < GAIN);
    parts.len() >= ROUNDS as usize && parts.iter().all(|part| *part < 1.0) && is_clear
}

/// Seconds that a real run takes to find out how many files it can read at once, beyond their cost.
pub(super) fn search_seconds(measured: &Measured, cost: &Cost) -> f64 {
    let beyond = |run: Run| (run.2 - cost.seconds(run.0, run.1)).max(0.0);
    let is_one = |batch: &&Batch| batch.is_sound() && batch.kind == Kind::Start;
    measured.batches.iter().filter(is_one).map(|batch| beyond(run_of(batch))).sum()
}

/// Files that a choice reads in a second after its start, in batches of a kind; `None` if there is no sound one.
#[must_use]
pub fn rate(measured: &Measured, choice: usize, kind: Kind) -> Option<f64> {
    let runs = reading(measured, choice, kind);
    // As long as no start is known, half of the shortest may be one, so that batches get long enough to show it.
    let possible = runs.iter().map(|run| run.2).fold(f64::INFINITY, f64::min) / 2.0;
    let start = storage(measured, choice).map_or(0.0, |cost| cost.start_seconds).max(possible);
    let seconds: f64 = runs.iter().map(|run| run.2 - start).sum();
    (seconds > 0.0).then(|| runs.iter().map(|run| run.0).sum::<f64>() / seconds)
}

/// The processor's time for an algorithm, from runs over cached data. Of repeats the fastest counts, because
/// disturbances only slow them down.
pub(super) fn processor(measured: &Measured, algorithm: &str) -> Option<Cost> {
    of_repeats(measured, algorithm, |a, b| a > b)
}

/// The same, if it is disturbed as the slowest repeats were.
pub(super) fn processor_disturbed(measured: &Measured, algorithm: &str) -> Option<Cost> {
    of_repeats(measured, algorithm, |a, b| a < b)
}

/// Of repeats, that counts whose rate `wins` against the others.
fn of_repeats(measured: &Measured, algorithm: &str, wins: impl Fn(f64, f64) -> bool) -> Option<Cost> {
    let mut chosen: Vec<Run> = Vec::new();
    let is_one = |run: &&ProcessorRun| run.algorithm == algorithm && run.seconds > 0.0 && run.files + run.bytes > 0;
    for run in measured.processor.iter().filter(is_one) {
        let run = (run.files as f64, run.bytes as f64, run.seconds);
        let mean = |run: &Run| run.1 / run.0.max(1.0);
        let rate = |run: &Run| (run.0 + run.1) / run.2;
        match chosen.iter_mut().find(|other| (mean(other) / mean(&run)).ln().abs() < 1.0) {
            Some(other) if wins(rate(&run), rate(other)) => *other = run,
            Some(_) => {}
            None => chosen.push(run),
        }
    }
    Cost::fit(&chosen)
}
