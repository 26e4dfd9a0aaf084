//! The advice: measurements projected to a volume, and what limits it.

use pfh_statistics::{Interval, Repeats, bootstrap, jackknife, median};

use super::cost::Run;
use super::projection::{
    Expected, Hashing, Load, Samples, expected, parts_of_usual, processor, processor_disturbed, projected, run_of,
    search_seconds, storage,
};
use super::{Batch, Choice, Cost, Kind, Machine, Measured};
use super::{span, units};
use crate::quantity::counted;
use serde::Serialize;
use std::fmt;

/// Fewest batches from which an interval can be given.
const BATCHES_LEAST: usize = 3;

/// Fewer files and bytes than these are no sample of anything.
const FILES_LEAST: u64 = 16;
const BYTES_LEAST: u64 = 16 << 20;

/// The name that mounts of simulated devices have.
pub const SIMULATED: &str = "pfh-slowfs";

/// From this ratio of its ends on, an interval is of no use for a plan.
const USEFUL: f64 = 5.0;

/// Below this ratio of the smaller to the greater, how reading and hashing overlap cannot be told from noise.
const COMPARABLE: f64 = 0.2;

/// The user's question.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Number of files, if not that of the path.
    pub files: Option<u64>,
    /// Bytes, if not those of the path.
    pub bytes: Option<u64>,
    /// Time that there is each night, in seconds.
    pub window_seconds: Option<u64>,
    /// Algorithms to compare; the first is the one that is planned.
    pub algorithms: Vec<String>,
}

/// The thing that a run waits for most of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The bytes that the storage delivers in a second.
    Bandwidth,
    /// The time that the storage takes for each file: seeks, requests, names.
    Files,
    /// The processor.
    Processor,
}

/// Forecast of a run with one algorithm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// Its name.
    pub algorithm: String,
    /// Seconds for the volume.
    pub seconds: f64,
    /// Lower end of the interval.
    pub seconds_low: f64,
    /// Upper end of the interval.
    pub seconds_high: f64,
    /// Seconds that the processor needs with data that are there; corrected by the checks if it is the limit.
    pub processor_seconds: f64,
    /// Seconds of these in which one core hashes the longest file; 0 if all cores share it.
    pub longest_file_seconds: f64,
    /// Its limit.
    pub limit: Limit,
}

/// Options that were measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// As on the command line.
    pub options: String,
    /// Seconds in which the storage delivers the volume under them.
    pub storage_seconds: f64,
    /// Whether they are the ones to use.
    pub is_best: bool,
    /// The comparison with the defaults, if both were read in turn.
    pub compared: Option<Compared>,
}

/// Times of options as parts of the defaults' time, over rounds in which both were read in turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Number of rounds.
    pub rounds: usize,
    /// The least part.
    pub least: f64,
    /// The greatest part.
    pub most: f64,
}

impl Compared {
    fn of(parts: &[f64]) -> Option<Compared> {
        let least = parts.iter().copied().min_by(f64::total_cmp)?;
        let most = parts.iter().copied().max_by(f64::total_cmp)?;
        Some(Compared { rounds: parts.len(), least, most })
    }
}

/// The advice on a volume.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The path.
    pub path: String,
    /// Device and medium as the system has them.
    pub device: String,
    /// See `device`.
    pub medium: String,
    /// Whether the device is one of `pfh lab mount`.
    pub is_simulated: bool,
    /// The machine.
    pub machine: Machine,
    /// When it was measured.
    pub made: String,
    /// Files of the volume.
    pub files: u64,
    /// Bytes of the volume.
    pub bytes: u64,
    /// Bytes of its longest file.
    pub longest_bytes: u64,
    /// Whether the user named the volume.
    pub is_given: bool,
    /// Whether the walk did not reach its end, so that the path holds more than what is projected.
    pub is_partial: bool,
    /// The limit of the planned algorithm.
    pub limit: Limit,
    /// Seconds that the storage takes for the files, of each the part beside its bytes.
    pub file_seconds: f64,
    /// Seconds that the storage takes for the bytes.
    pub byte_seconds: f64,
    /// Bytes that long files give in a second; absent if they take no measurable time.
    pub bytes_per_second: Option<f64>,
    /// Seconds for one file beside its bytes.
    pub seconds_per_file: f64,
    /// Seconds that the storage takes once, until files come at their full speed.
    pub start_seconds: f64,
    /// Of each algorithm, the planned one first.
    pub forecasts: Vec<Forecast>,
    /// By how much SHA-256 takes longer than MD5, in seconds; absent if one of them was not compared.
    pub sha256_over_md5_seconds: Option<f64>,
    /// The options to use, as on the command line; empty for the defaults.
    pub options: Vec<String>,
    /// All that were measured, fastest first.
    pub tried: Vec<Tried>,
    /// Time that there is each night, in seconds.
    pub window_seconds: Option<u64>,
    /// Nights that a full cycle takes with the planned algorithm, by the upper end of its interval.
    pub nights: Option<u64>,
    /// By what the checks correct all times.
    pub correction: f64,
    /// Share of the shorter of reading and hashing by which a run takes longer than the longer of both.
    #[serde(skip)]
    pub overlap: f64,
    /// Ratio of the measured to the predicted time of each run that checked the prediction.
    pub checks: Vec<f64>,
    /// Whether the volume itself was read, so that its time is measured and not projected.
    pub is_measured_whole: bool,
    /// Files of samples that could not be read.
    pub failed_files: u64,
    /// Directories and files that could not be listed.
    pub failed_names: u64,
    /// Samples of which a read did not come back in time.
    pub stalled: u64,
    /// Whether some files were read again, because there were too few.
    pub is_repeated: bool,
    /// Whether the files of the volume are on average of another size than those of all samples.
    pub is_extrapolated: bool,
    /// The least and the greatest mean size of the samples that tell what the storage takes.
    pub sampled_sizes: [f64; 2],
    /// Files and bytes that the samples read from the storage, each once.
    pub sampled_files: u64,
    /// See `sampled_files`.
    pub sampled_bytes: u64,
}

/// The reason why there is no advice: what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotEnough(pub String);

impl fmt::Display for NotEnough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough data to advise: {}", self.0)
    }
}

impl std::error::Error for NotEnough {}

/// The costs of storage, processor and their overlap.
struct Model<'a> {
    measured: &'a Measured,
    storage: Cost,
    /// Seconds in which a real run finds out how many files it can read at once. Samples know it.
    search_seconds: f64,
    /// Seconds of listing for each file.
    list_seconds: f64,
    /// Share of the shorter of reading and hashing by which a run takes longer than the longer of both.
    overlap: f64,
}

impl Model<'_> {
    /// Seconds of the storage, from a cost that may be a resampled one.
    fn storage(&self, cost: Cost, files: f64, bytes: f64) -> f64 {
        // Directories are listed while files are read.
        cost.seconds(files, bytes).max(self.list_seconds * files) + self.search_seconds
    }

    fn processor(&self, batch: &Batch) -> f64 {
        let (files, bytes, _) = run_of(batch);
        // Earlier versions did not save the longest.
        let longest_bytes = (batch.longest_bytes as f64).max(bytes / files.max(1.0));
        let load = Load { files, bytes, longest_bytes };
        processor(self.measured, &batch.algorithm).map_or(0.0, |hashing| hashing.seconds(load))
    }

    fn together(&self, storage: f64, processor: f64) -> f64 {
        together(self.overlap, storage, processor)
    }

    /// Seconds of a batch that was hashed.
    fn of(&self, batch: &Batch) -> f64 {
        self.together(self.reading(batch), self.processor(batch))
    }

    /// Seconds of the storage for a batch that was hashed.
    fn reading(&self, batch: &Batch) -> f64 {
        let (files, bytes, _) = run_of(batch);
        let search_seconds = if batch.kind == Kind::Whole { self.search_seconds } else { 0.0 };
        self.storage.seconds(files, bytes) + search_seconds
    }
}

fn together(overlap: f64, storage: f64, processor: f64) -> f64 {
    storage.max(processor) + overlap * storage.min(processor)
}

impl Advice {
    /// Seconds of a run in which the storage and the processor take these times.
    pub(super) fn together(&self, storage: f64, processor: f64) -> f64 {
        together(self.overlap, storage, processor)
    }

    /// Judges.
    ///
    /// # Errors
    /// The data that are missing for it.
    pub fn of(measured: &Measured, plan: &Plan) -> Result<Advice, NotEnough> {
        let (files, bytes) = volume(measured, plan)?;
        let (n, b) = (files as f64, bytes as f64);
        let longest_bytes = measured.survey.longest(files, bytes);
        let load = Load { files: n, bytes: b, longest_bytes: longest_bytes as f64 };
        if let Some(name) = plan.algorithms.iter().find(|name| processor(measured, name).is_none()) {
            return Err(NotEnough(format!(
                "hashing with {name} could not be measured; give it more time with --seconds"
            )));
        }
        let samples = Samples::of(measured, measured.best);
        let batches = samples.runs.len() + samples.long.len();
        let checks: Vec<&Batch> = measured.batches.iter().filter(|batch| batch.is_check()).collect();
        let failed_files = failed_files(measured);
        let stalled = measured.batches.iter().filter(|batch| batch.is_stalled).count() as u64;
        if batches < BATCHES_LEAST {
            return Err(missing(measured, batches, failed_files, stalled));
        }
        let storage = storage(measured, measured.best).ok_or_else(|| missing(measured, 0, failed_files, stalled))?;
        let search_seconds = search_seconds(measured, &storage);
        let list_seconds = measured.survey.list_seconds / measured.survey.files.max(1) as f64;
        let mut model = Model { measured, storage, search_seconds, list_seconds, overlap: 0.0 };
        let sound: Vec<&Batch> = checks.iter().copied().filter(|batch| batch.is_sound() && !batch.is_cut).collect();
        model.overlap = overlap(&model, &sound);
        let misses: Vec<f64> = sound.iter().map(|batch| batch.seconds / model.of(batch)).collect();
        let whole = sound.iter().position(|batch| batch.kind == Kind::Whole);
        let is_given = plan.files.is_some() || plan.bytes.is_some();
        let is_measured_whole = whole.is_some() && !is_given;
        // Where the volume itself was read, its time counts, and the model tells only how algorithms differ. Other
        // checks are whole files among their neighbours, which the sum of two terms does not describe fully.
        let mut logarithms: Vec<f64> = misses.iter().map(|miss| miss.ln()).collect();
        let corrected = median(&mut logarithms).map_or(1.0, f64::exp);
        let scale = whole.filter(|_| is_measured_whole).map_or(corrected, |place| misses[place]);
        let expected = expected(measured, measured.best, files, bytes).filter(|_| !is_measured_whole);
        let Expected { cost, possible } = expected.unwrap_or(Expected { cost: storage, possible: None });
        let seconds = model.storage(cost, n, b);
        let interval = match possible {
            Some(Interval { low, high }) => Interval { low: low + search_seconds, high: high + search_seconds },
            None => interval(&model, &samples, n, b).unwrap_or(Interval { low: seconds, high: seconds }),
        };
        // A correction by checks may belong to either term, and of files of other sizes these are other parts.
        let is_extrapolated = possible.is_some();
        let ratios = || misses.iter().copied().chain(is_extrapolated.then_some(1.0));
        let (least, most) = (ratios().fold(scale, f64::min), ratios().fold(scale, f64::max));
        let (file_seconds, byte_seconds) = (n * cost.file_seconds, b * cost.byte_seconds);
        let forecast = |algorithm: &String| {
            let hashing = processor(measured, algorithm);
            let of = |seconds: fn(&Hashing, Load) -> f64| hashing.map_or(0.0, |hashing| seconds(&hashing, load));
            let processor_seconds = of(Hashing::seconds);
            let disturbed = processor_disturbed(measured, algorithm).map_or(0.0, |hashing| hashing.seconds(load));
            // Where the volume itself was read, the place of the longest file in its order is no longer open.
            let least_seconds = if is_measured_whole { processor_seconds } else { of(Hashing::least_seconds) };
            let at = |storage: f64| model.together(storage, processor_seconds);
            let at_least = |storage: f64| model.together(storage, least_seconds);
            let at_most = |storage: f64| model.together(storage, disturbed.max(processor_seconds));
            // The time that checks took beyond the forecast was the processor's only where they waited for it.
            let corrected = if processor_seconds > seconds { scale } else { 1.0 };
            Forecast {
                algorithm: algorithm.clone(),
                seconds: scale * at(seconds),
                seconds_low: least * at_least(interval.low.min(seconds)),
                seconds_high: most * at_most(interval.high.max(seconds)),
                processor_seconds: corrected * processor_seconds,
                longest_file_seconds: corrected * of(Hashing::longest_seconds),
                limit: match () {
                    () if processor_seconds > seconds => Limit::Processor,
                    () if file_seconds > byte_seconds => Limit::Files,
                    () => Limit::Bandwidth,
                },
            }
        };
        let forecasts: Vec<Forecast> = plan.algorithms.iter().map(forecast).collect();
        let planned = forecasts.first().ok_or_else(|| NotEnough("no algorithm is named".to_owned()))?;
        let sampled_sizes = span::sizes(&samples.like_a_run()).into();
        if is_extrapolated && planned.seconds_high > USEFUL * planned.seconds_low {
            return Err(too_wide(planned, sampled_sizes, b / n.max(1.0)));
        }
        let time = |name: &str| forecasts.iter().find(|one| one.algorithm == name).map(|one| one.seconds);
        let nights = plan.window_seconds.filter(|window| *window > 0);
        let nights = nights.map(|window| (planned.seconds_high / window as f64).ceil().max(1.0) as u64);
        let cores = measured.machine.cores;
        Ok(Advice {
            path: measured.path.clone(),
            device: measured.device.clone(),
            medium: measured.medium.clone(),
            is_simulated: measured.device == SIMULATED,
            machine: measured.machine.clone(),
            made: measured.made.clone(),
            files,
            bytes,
            longest_bytes,
            is_given,
            is_partial: !measured.survey.is_complete,
            limit: planned.limit,
            file_seconds,
            byte_seconds,
            bytes_per_second: (cost.byte_seconds > 0.0).then(|| 1.0 / cost.byte_seconds),
            seconds_per_file: cost.file_seconds,
            start_seconds: cost.start_seconds + search_seconds,
            sha256_over_md5_seconds: time("sha256").zip(time("md5")).map(|(sha256, md5)| sha256 - md5),
            options: best(measured).map_or_else(Vec::new, |choice| choice.arguments(cores)),
            tried: tried(measured, files, bytes, |seconds| scale * (seconds + search_seconds)),
            window_seconds: plan.window_seconds,
            nights,
            correction: scale,
            overlap: model.overlap,
            checks: misses,
            is_measured_whole,
            failed_files,
            failed_names: measured.survey.failed,
            stalled,
            is_repeated: measured.batches.iter().any(|batch| batch.is_repeated),
            is_extrapolated,
            sampled_sizes,
            sampled_files: once(measured, |batch| batch.files, measured.survey.files),
            sampled_bytes: once(measured, |batch| batch.bytes, measured.survey.bytes()),
            forecasts,
        })
    }
}

/// Files that could not be read, each once: samples leave out what failed, and a run over everything meets it again.
fn failed_files(measured: &Measured) -> u64 {
    let whole = measured.batches.iter().find(|batch| batch.kind == Kind::Whole).map(|batch| batch.failed);
    let of_samples = measured.batches.iter().filter(|batch| batch.kind != Kind::Whole).map(|batch| batch.failed);
    of_samples.fold(0, u64::saturating_add).max(whole.unwrap_or(0))
}

/// Sum over the batches without what was read again, in proportion to its files; all of it where everything was read.
fn once(measured: &Measured, number: impl Fn(&Batch) -> u64, all: u64) -> u64 {
    if measured.batches.iter().any(|batch| batch.kind == Kind::Whole) {
        return all;
    }
    let fresh = |batch: &Batch| 1.0 - batch.repeated_files as f64 / batch.files.max(1) as f64;
    let sum: f64 = measured.batches.iter().map(|batch| number(batch) as f64 * fresh(batch).max(0.0)).sum();
    let sum = sum.round() as u64;
    if measured.survey.is_complete { sum.min(all) } else { sum }
}

/// The reason why samples tell too little of a volume whose files have another mean size.
fn too_wide(planned: &Forecast, sampled: [f64; 2], mean: f64) -> NotEnough {
    let (low, high) = (units::time(planned.seconds_low), units::time(planned.seconds_high));
    let possible = match planned.seconds_high.is_finite() {
        true => format!("every time from {low} to {high}"),
        false => format!("every time from {low} on"),
    };
    let reason = format!(
        "the samples read {} of each file, the volume has {} in each, and {possible} is possible for it; name a path \
         whose files are like those of the volume, or give it more time with --seconds",
        units::sizes(sampled),
        units::bytes(mean),
    );
    NotEnough(reason.replace(units::JOINT, " "))
}

fn best(measured: &Measured) -> Option<&Choice> {
    measured.choices.get(measured.best)
}

/// Files and bytes to project to.
fn volume(measured: &Measured, plan: &Plan) -> Result<(u64, u64), NotEnough> {
    let (files, bytes) = (measured.survey.files, measured.survey.bytes());
    let path = &measured.path;
    if files == 0 && measured.survey.is_complete {
        return Err(NotEnough(format!("`{path}` holds no files")));
    }
    if files < FILES_LEAST && bytes < BYTES_LEAST {
        let found = counted(files, "file", "files");
        return Err(NotEnough(match measured.survey.is_complete {
            true => format!(
                "`{path}` holds only {found} of {} together; it takes {FILES_LEAST} files, or {} MiB",
                counted(bytes, "byte", "bytes"),
                BYTES_LEAST >> 20
            ),
            false => format!("the walk of `{path}` found {found} in its time; give it more with --seconds"),
        }));
    }
    Ok(measured.survey.volume(plan.files, plan.bytes))
}

/// By how much runs that hash take longer than the longer of reading and hashing, as a share of the shorter.
fn overlap(model: &Model<'_>, checks: &[&Batch]) -> f64 {
    let mut shares: Vec<f64> = Vec::new();
    for batch in checks {
        let (storage, processor) = (model.reading(batch), model.processor(batch));
        let (short, long) = (storage.min(processor), storage.max(processor));
        if short > COMPARABLE * long {
            shares.push(((batch.seconds - long) / short).clamp(0.0, 1.0));
        }
    }
    median(&mut shares).unwrap_or(0.0)
}

/// Where the storage's time for the volume lies, by resampling the batches of each kind, or leaving out each in turn.
fn interval(model: &Model<'_>, samples: &Samples, files: f64, bytes: f64) -> Option<Interval> {
    let numbers = |runs: &[Run]| Repeats::from((0..runs.len()).map(|number| number as f64).collect::<Vec<_>>());
    let at = |drawn: &[f64], from: &[Run]| drawn.iter().map(|number| from[*number as usize]).collect::<Vec<_>>();
    // The start stays as it is: samples that are drawn twice would show one where there is none.
    let start_seconds = model.storage.start_seconds;
    let seconds = |runs: &[Run]| Some(model.storage(Cost::fit_after(runs, start_seconds)?, files, bytes));
    let Samples { runs, long, .. } = samples;
    let resampled = bootstrap(&[&numbers(runs), &numbers(long)], &mut |drawn| {
        seconds(&[at(&drawn[0], runs), at(&drawn[1], long)].concat())
    });
    if resampled.is_some() {
        return resampled;
    }
    // Too few of one kind to be drawn from. By logarithms, so that no time is negative.
    let all = samples.like_a_run();
    let without: Option<Vec<f64>> = (0..all.len())
        .map(|left_out| {
            let rest = all.iter().enumerate().filter(|(place, _)| *place != left_out);
            seconds(&rest.map(|(_, run)| *run).collect::<Vec<_>>()).map(f64::ln)
        })
        .collect();
    jackknife(seconds(&all)?.ln(), &without?).map(|logarithms| logarithms.map(f64::exp))
}

/// All choices that were measured, fastest first; the checks of the best correct them all.
fn tried(measured: &Measured, files: u64, bytes: u64, corrected: impl Fn(f64) -> f64) -> Vec<Tried> {
    let cores = measured.machine.cores;
    let mut tried: Vec<Tried> = measured
        .choices
        .iter()
        .enumerate()
        .filter_map(|(place, choice)| {
            let storage_seconds = corrected(projected(measured, place, files, bytes)?);
            let compared = Compared::of(&parts_of_usual(measured, place, files, bytes));
            Some(Tried { options: choice.line(cores), storage_seconds, is_best: place == measured.best, compared })
        })
        .collect();
    tried.sort_by(|a, b| a.storage_seconds.total_cmp(&b.storage_seconds));
    tried
}

/// Names what is missing.
fn missing(measured: &Measured, batches: usize, failed: u64, stalled: u64) -> NotEnough {
    let mut reasons = Vec::new();
    if failed > 0 {
        reasons.push(format!("{} of the samples could not be read", counted(failed, "file", "files")));
    }
    if stalled > 0 {
        reasons.push(format!("in {} a read did not come back in time", counted(stalled, "sample", "samples")));
    }
    if reasons.is_empty() {
        let files = measured.survey.files;
        reasons.push(if measured.batches.is_empty() {
            "no sample could be read in the time; give it more with --seconds".to_owned()
        } else {
            let files = counted(files, "file holds", "files hold");
            format!("the {files} too few bytes, or there was too little time; give it more with --seconds")
        });
    }
    let count = match batches {
        0 => "no sample is left".to_owned(),
        _ => {
            let samples = counted(batches, "sample is", "samples are");
            format!("{samples} left of the {BATCHES_LEAST} that are needed")
        }
    };
    NotEnough(format!("{}, and {count}", reasons.join(", ")))
}

#[cfg(test)]
mod tests;
