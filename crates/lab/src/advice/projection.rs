//! Costs of options and of algorithms, from batches.

use pfh_statistics::{Interval, median};

use super::cost::Run;
use super::span;
use super::{Batch, Cost, Kind, Measured, ProcessorRun};
use std::collections::BTreeSet;

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

/// Batches of a choice by their kinds.
pub(super) struct Samples {
    pub(super) runs: Vec<Run>,
    pub(super) heads: Vec<Run>,
    pub(super) long: Vec<Run>,
}

impl Samples {
    /// Where a choice has none of a kind, those of the first stand in. The beginnings of runs are those of the same
    /// choice as the runs, from whose times they are told apart.
    pub(super) fn of(measured: &Measured, choice: usize) -> Samples {
        let whose = |kind| if reading(measured, choice, kind).is_empty() { 0 } else { choice };
        let [of_runs, of_long] = [Kind::Runs, Kind::Long].map(whose);
        Samples {
            runs: reading(measured, of_runs, Kind::Runs),
            heads: reading(measured, of_runs, Kind::Heads),
            long: reading(measured, of_long, Kind::Long),
        }
    }

    /// Those of a round.
    fn of_round(measured: &Measured, choice: usize, round: u32) -> Samples {
        let [runs, heads, long] = [Kind::Runs, Kind::Heads, Kind::Long].map(|kind| {
            let is_one = |batch: &&Batch| (batch.kind, batch.round, batch.choice) == (kind, round, choice);
            measured.batches.iter().filter(|batch| batch.is_sound()).filter(is_one).map(run_of).collect()
        });
        Samples { runs, heads, long }
    }

    /// All but the beginnings, which are no whole files and tell nothing where files are like these.
    pub(super) fn like_a_run(&self) -> Vec<Run> {
        [&self.runs[..], &self.long].concat()
    }

    /// The time of a volume whose cost would be this one if its files were like the samples.
    fn expected(&self, measured: &Measured, cost: Cost, files: u64, bytes: u64) -> Expected {
        let (files, bytes) = (files as f64, bytes as f64);
        // Samples are drawn from what the path holds, though of long files only as much as there is time for.
        let path = [(measured.survey.files as f64, measured.survey.bytes() as f64, 0.0)];
        if span::is_like(&self.like_a_run(), files, bytes) || span::is_like(&path, files, bytes) {
            return Expected { cost, possible: None };
        }
        let start_seconds = cost.start_seconds;
        let possible = span::span([&self.runs, &self.heads, &self.long], start_seconds, files, bytes);
        let Some(possible) = possible else { return Expected { cost, possible } };
        // Beginnings tell which part is that of the bytes; how long all takes lies between the ends.
        let parts = Cost::fit_after(&[self.like_a_run(), self.heads.clone()].concat(), start_seconds).unwrap_or(cost);
        let middle = if possible.high.is_finite() { (possible.low * possible.high).sqrt() } else { possible.low };
        let by = (middle - start_seconds) / (parts.seconds(files, bytes) - start_seconds);
        let by = if by.is_finite() { by } else { 1.0 };
        let (file_seconds, byte_seconds) = (by * parts.file_seconds, by * parts.byte_seconds);
        Expected { cost: Cost { file_seconds, byte_seconds, ..parts }, possible: Some(possible) }
    }
}

/// The time that a volume takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    /// The cost of the storage.
    pub(super) cost: Cost,
    /// If its files are of other sizes than those of the samples: between which times it lies.
    pub(super) possible: Option<Interval>,
}

/// The time that a volume takes under a choice. `None` if the choice was not measured.
pub(super) fn expected(measured: &Measured, choice: usize, files: u64, bytes: u64) -> Option<Expected> {
    Some(Samples::of(measured, choice).expected(measured, storage(measured, choice)?, files, bytes))
}

/// The part of the storage's time for a volume that is the time of its files and not of its bytes, under a choice.
#[must_use]
pub fn part_of_files(measured: &Measured, choice: usize, files: u64, bytes: u64) -> Option<f64> {
    let cost = expected(measured, choice, files, bytes)?.cost;
    Some(cost.seconds(files as f64, 0.0) / cost.seconds(files as f64, bytes as f64))
}

/// The cost of storage under a choice. `None` if the choice was not measured.
#[must_use]
pub fn storage(measured: &Measured, choice: usize) -> Option<Cost> {
    if [Kind::Runs, Kind::Long].iter().all(|kind| reading(measured, choice, *kind).is_empty()) {
        return None;
    }
    let samples = Samples::of(measured, choice);
    let own = Cost::fit_with_start(&samples.runs, &samples.long)?;
    // Too few batches show no start, but they have one.
    let first = if choice == 0 { None } else { storage(measured, 0) };
    match first {
        Some(first) if own.start_seconds == 0.0 => Cost::fit_after(&samples.like_a_run(), first.start_seconds),
        _ => Some(own),
    }
}

/// Seconds that the storage takes for files and bytes under a choice. `None` if the choice was not measured.
#[must_use]
pub fn projected(measured: &Measured, choice: usize, files: u64, bytes: u64) -> Option<f64> {
    Some(expected(measured, choice, files, bytes)?.cost.seconds(files as f64, bytes as f64))
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
        let samples = Samples::of_round(measured, choice, round);
        let cost = Cost::fit_after(&samples.like_a_run(), start_seconds)?;
        Some(samples.expected(measured, cost, files, bytes).cost.seconds(files as f64, bytes as f64))
    };
    let rounds: BTreeSet<u32> = measured.batches.iter().map(|batch| batch.round).filter(|round| *round > 0).collect();
    let part = |round| Some(seconds(choice, round)? / seconds(0, round)?);
    if choice == 0 { Vec::new() } else { rounds.into_iter().filter_map(part).collect() }
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

/// Files to be hashed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) files: f64,
    pub(super) bytes: f64,
    /// Bytes of the longest of them.
    pub(super) longest_bytes: f64,
}

/// The processor's time for an algorithm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashing {
    /// With enough files at once for all cores and their lanes.
    side_by_side: Cost,
    /// Seconds for each byte of a file by itself, which one core hashes. `None` if all cores share a long file, or if
    /// an earlier version measured.
    stream_byte_seconds: Option<f64>,
    /// Cores of the machine.
    cores: u16,
}

impl Hashing {
    /// Seconds in which one core hashes the longest file; 0 if all cores share it.
    pub(super) fn longest_seconds(&self, load: Load) -> f64 {
        self.stream_byte_seconds.map_or(0.0, |byte_seconds| load.longest_bytes * byte_seconds)
    }

    /// Seconds if all other files are hashed beside the longest.
    pub(super) fn least_seconds(&self, load: Load) -> f64 {
        self.side_by_side.seconds(load.files, load.bytes).max(self.longest_seconds(load))
    }

    /// Seconds if the longest file comes last, as may be in the order of paths. No more files than there are cores
    /// begin all at once.
    pub(super) fn seconds(&self, load: Load) -> f64 {
        let before = match load.files > f64::from(self.cores) {
            true => self.side_by_side.seconds(load.files, (load.bytes - load.longest_bytes).max(0.0)),
            false => 0.0,
        };
        self.least_seconds(load).max(before + self.longest_seconds(load))
    }
}

/// The processor's time for an algorithm, from runs over cached data. Of repeats the fastest counts, because
/// disturbances only slow them down.
pub(super) fn processor(measured: &Measured, algorithm: &str) -> Option<Hashing> {
    of_repeats(measured, algorithm, |a, b| a > b)
}

/// The same, if it is disturbed as the slowest repeats were.
pub(super) fn processor_disturbed(measured: &Measured, algorithm: &str) -> Option<Hashing> {
    of_repeats(measured, algorithm, |a, b| a < b)
}

/// Of repeats, that counts whose rate `wins` against the others.
fn of_repeats(measured: &Measured, algorithm: &str, wins: impl Fn(f64, f64) -> bool) -> Option<Hashing> {
    let mut chosen: Vec<Run> = Vec::new();
    let mut stream: Option<f64> = None;
    let is_one = |run: &&ProcessorRun| run.algorithm == algorithm && run.seconds > 0.0 && run.files + run.bytes > 0;
    for run in measured.processor.iter().filter(is_one) {
        if run.is_one_stream {
            let rate = run.bytes as f64 / run.seconds;
            if rate > 0.0 && stream.is_none_or(|other| wins(rate, other)) {
                stream = Some(rate);
            }
            continue;
        }
        let run = (run.files as f64, run.bytes as f64, run.seconds);
        let mean = |run: &Run| run.1 / run.0.max(1.0);
        let rate = |run: &Run| (run.0 + run.1) / run.2;
        match chosen.iter_mut().find(|other| (mean(other) / mean(&run)).ln().abs() < 1.0) {
            Some(other) if wins(rate(&run), rate(other)) => *other = run,
            Some(_) => {}
            None => chosen.push(run),
        }
    }
    Some(Hashing {
        side_by_side: Cost::fit(&chosen)?,
        stream_byte_seconds: stream.map(f64::recip),
        cores: measured.machine.cores,
    })
}
