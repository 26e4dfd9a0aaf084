//! The advice: measurements projected to a volume, and what limits it.

use super::cost::Run;
use super::projection::{
    parts_of_usual, processor, processor_disturbed, projected, run_of, search_seconds, storage, with_stand_in,
};
use super::{Batch, Choice, Cost, Kind, Machine, Measured};
use crate::quantity::counted;
use crate::statistics::{Interval, Repeats, bootstrap, median};
use serde::Serialize;
use std::fmt;

/// Fewest batches from which an interval can be given.
const BATCHES_LEAST: usize = 3;

/// Fewer files and bytes than these are no sample of anything.
const FILES_LEAST: u64 = 16;
const BYTES_LEAST: u64 = 16 << 20;

/// The name that mounts of simulated devices have.
const SIMULATED: &str = "pfh-slowfs";

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
    /// Seconds that the processor needs, on all cores, with data that are there; corrected by the checks if it is the
    /// limit.
    pub processor_seconds: f64,
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
    /// Files and bytes that the samples read from the storage.
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

    fn processor(&self, algorithm: &str, files: f64, bytes: f64) -> f64 {
        processor(self.measured, algorithm).map_or(0.0, |cost| cost.seconds(files, bytes))
    }

    fn together(&self, storage: f64, processor: f64) -> f64 {
        storage.max(processor) + self.overlap * storage.min(processor)
    }

    /// Seconds of a batch that was hashed.
    fn of(&self, batch: &Batch) -> f64 {
        let (files, bytes, _) = run_of(batch);
        self.together(self.reading(batch), self.processor(&batch.algorithm, files, bytes))
    }

    /// Seconds of the storage for a batch that was hashed.
    fn reading(&self, batch: &Batch) -> f64 {
        let (files, bytes, _) = run_of(batch);
        let search_seconds = if batch.kind == Kind::Whole { self.search_seconds } else { 0.0 };
        self.storage.seconds(files, bytes) + search_seconds
    }
}

impl Advice {
    /// Judges.
    ///
    /// # Errors
    /// The data that are missing for it.
    pub fn of(measured: &Measured, plan: &Plan) -> Result<Advice, NotEnough> {
        let (files, bytes) = volume(measured, plan)?;
        let (n, b) = (files as f64, bytes as f64);
        if let Some(name) = plan.algorithms.iter().find(|name| processor(measured, name).is_none()) {
            return Err(NotEnough(format!(
                "hashing with {name} could not be measured; give it more time with --seconds"
            )));
        }
        let [runs, long] = [Kind::Runs, Kind::Long].map(|kind| with_stand_in(measured, measured.best, kind));
        let batches = runs.len() + long.len();
        let checks: Vec<&Batch> = measured.batches.iter().filter(|batch| batch.is_check()).collect();
        let failed_files = measured.batches.iter().map(|batch| batch.failed).sum();
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
        let seconds = model.storage(storage, n, b);
        let interval = interval(&model, &runs, &long, n, b).unwrap_or(Interval { low: seconds, high: seconds });
        let least = misses.iter().copied().fold(scale, f64::min);
        let most = misses.iter().copied().fold(scale, f64::max);
        let (file_seconds, byte_seconds) = (n * storage.file_seconds, b * storage.byte_seconds);
        let forecast = |algorithm: &String| {
            let processor_seconds = model.processor(algorithm, n, b);
            let disturbed = processor_disturbed(measured, algorithm).map_or(0.0, |cost| cost.seconds(n, b));
            let at = |storage: f64| model.together(storage, processor_seconds);
            let at_most = |storage: f64| model.together(storage, disturbed.max(processor_seconds));
            // The time that checks took beyond the forecast was the processor's only where they waited for it.
            let corrected = if processor_seconds > seconds { scale } else { 1.0 };
            Forecast {
                algorithm: algorithm.clone(),
                seconds: scale * at(seconds),
                seconds_low: least * at(interval.low.min(seconds)),
                seconds_high: most * at_most(interval.high.max(seconds)),
                processor_seconds: corrected * processor_seconds,
                limit: match () {
                    () if processor_seconds > seconds => Limit::Processor,
                    () if file_seconds > byte_seconds => Limit::Files,
                    () => Limit::Bandwidth,
                },
            }
        };
        let forecasts: Vec<Forecast> = plan.algorithms.iter().map(forecast).collect();
        let planned = forecasts.first().ok_or_else(|| NotEnough("no algorithm is named".to_owned()))?;
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
            is_given,
            is_partial: !measured.survey.is_complete,
            limit: planned.limit,
            file_seconds,
            byte_seconds,
            bytes_per_second: (storage.byte_seconds > 0.0).then(|| 1.0 / storage.byte_seconds),
            seconds_per_file: storage.file_seconds,
            start_seconds: storage.start_seconds + search_seconds,
            sha256_over_md5_seconds: time("sha256").zip(time("md5")).map(|(sha256, md5)| sha256 - md5),
            options: best(measured).map_or_else(Vec::new, |choice| choice.arguments(cores)),
            tried: tried(measured, files, bytes, |seconds| scale * (seconds + search_seconds)),
            window_seconds: plan.window_seconds,
            nights,
            correction: scale,
            checks: misses,
            is_measured_whole,
            failed_files,
            failed_names: measured.survey.failed,
            stalled,
            is_repeated: measured.batches.iter().any(|batch| batch.is_repeated),
            sampled_files: measured.batches.iter().map(|batch| batch.files).sum(),
            sampled_bytes: measured.batches.iter().map(|batch| batch.bytes).sum(),
            forecasts,
        })
    }
}

fn best(measured: &Measured) -> Option<&Choice> {
    measured.choices.get(measured.best)
}

/// Files and bytes to project to. If the user names one of them, the other follows from the mean size.
fn volume(measured: &Measured, plan: &Plan) -> Result<(u64, u64), NotEnough> {
    let (files, bytes) = (measured.survey.files, measured.survey.bytes());
    if files == 0 {
        return Err(NotEnough(format!("`{}` holds no files", measured.path)));
    }
    if files < FILES_LEAST && bytes < BYTES_LEAST {
        return Err(NotEnough(format!(
            "`{}` holds only {} of {} together; it takes {FILES_LEAST} files, or {} MiB",
            measured.path,
            counted(files, "file", "files"),
            counted(bytes, "byte", "bytes"),
            BYTES_LEAST >> 20
        )));
    }
    let scaled = |of: u64, by: u64, to: u64| (of as f64 * to as f64 / by.max(1) as f64) as u64;
    Ok(match (plan.files, plan.bytes) {
        (None, None) => (files, bytes),
        (Some(to), None) => (to, scaled(bytes, files, to)),
        (None, Some(to)) if bytes > 0 => (scaled(files, bytes, to).max(1), to),
        (None, Some(to)) => (files, to),
        (Some(files), Some(bytes)) => (files, bytes),
    })
}

/// By how much runs that hash take longer than the longer of reading and hashing, as a share of the shorter.
fn overlap(model: &Model<'_>, checks: &[&Batch]) -> f64 {
    let mut shares: Vec<f64> = Vec::new();
    for batch in checks {
        let (files, bytes, seconds) = run_of(batch);
        let (storage, processor) = (model.reading(batch), model.processor(&batch.algorithm, files, bytes));
        let (short, long) = (storage.min(processor), storage.max(processor));
        if short > COMPARABLE * long {
            shares.push(((seconds - long) / short).clamp(0.0, 1.0));
        }
    }
    median(&mut shares).unwrap_or(0.0)
}

/// Where the storage's time for the volume lies, by resampling the batches of each kind.
fn interval(model: &Model<'_>, runs: &[Run], long: &[Run], files: f64, bytes: f64) -> Option<Interval> {
    let numbers = |runs: &[Run]| Repeats::from((0..runs.len()).map(|number| number as f64).collect::<Vec<_>>());
    let at = |drawn: &[f64], from: &[Run]| drawn.iter().map(|number| from[*number as usize]).collect::<Vec<_>>();
    // The start stays as it is: samples that are drawn twice would show one where there is none.
    let start_seconds = model.storage.start_seconds;
    let seconds = |runs: &[Run]| Some(model.storage(Cost::fit_after(runs, start_seconds)?, files, bytes));
    if runs.len() >= BATCHES_LEAST && long.len() >= BATCHES_LEAST {
        return bootstrap(&[&numbers(runs), &numbers(long)], |drawn| {
            seconds(&[at(&drawn[0], runs), at(&drawn[1], long)].concat())
        });
    }
    // Too few of one kind to be drawn from: each is left out in turn, and what that changes counts fully.
    let all = [runs, long].concat();
    let without: Vec<f64> = (0..all.len())
        .filter_map(|left_out| {
            let rest = all.iter().enumerate().filter(|(place, _)| *place != left_out);
            seconds(&rest.map(|(_, run)| *run).collect::<Vec<_>>())
        })
        .collect();
    let least = without.iter().copied().min_by(f64::total_cmp)?;
    let most = without.iter().copied().max_by(f64::total_cmp)?;
    Some(Interval { low: least, high: most })
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
mod tests {
    use super::super::{ProcessorRun, Survey};
    use super::*;

    const MB: f64 = 1e6;

    /// Storage and processor with known limits.
    struct Truth {
        storage: Cost,
        /// Processor's seconds for each byte of MD5; SHA-256 takes twice that.
        md5_byte_seconds: f64,
    }

    impl Truth {
        /// Measurements of a tree, disturbed by up to `noise` either way.
        fn measured(&self, files: u64, bytes: u64, noise: f64) -> Measured {
            let mut random = fastrand::Rng::with_seed(3);
            let mut disturbed = |seconds: f64| seconds * (1.0 + noise * (2.0 * random.f64() - 1.0));
            let mut batches = Vec::new();
            for round in 0..5_u64 {
                for (kind, files, bytes) in
                    [(Kind::Runs, 200 + 10 * round, (200 + 7 * round) * 50_000), (Kind::Long, 4, 200_000_000)]
                {
                    let seconds = disturbed(self.storage.seconds(files as f64, bytes as f64));
                    batches.push(batch(kind, "none", files, bytes, seconds));
                }
            }
            let processor = [("none", 0.05), ("md5", 1.0), ("sha256", 2.0)].into_iter().flat_map(|(name, factor)| {
                let byte_seconds = self.md5_byte_seconds * factor;
                [(5000, 20_480_000), (16, 268_435_456)].map(|(files, bytes)| ProcessorRun {
                    algorithm: name.to_owned(),
                    files,
                    bytes,
                    seconds: files as f64 * 3e-6 + bytes as f64 * byte_seconds,
                })
            });
            Measured {
                path: "/tree".to_owned(),
                made: "2026-11-20T22:33:45Z".to_owned(),
                device: "sda".to_owned(),
                medium: "rotating".to_owned(),
                machine: Machine { host: "here".to_owned(), cpu: "a processor".to_owned(), cores: 4 },
                survey: Survey {
                    files,
                    sized_files: files,
                    sized_bytes: bytes,
                    is_complete: true,
                    list_seconds: files as f64 * 1e-6,
                    failed: 0,
                },
                choices: vec![Choice::usual(4)],
                best: 0,
                processor: processor.collect(),
                batches,
            }
        }
    }

    fn batch(kind: Kind, algorithm: &str, files: u64, bytes: u64, seconds: f64) -> Batch {
        let algorithm = algorithm.to_owned();
        Batch {
            kind,
            choice: 0,
            algorithm,
            files,
            bytes,
            seconds,
            failed: 0,
            is_cut: false,
            is_stalled: false,
            is_repeated: false,
            round: 0,
        }
    }

    fn plan() -> Plan {
        let algorithms = ["sha256", "md5"].map(str::to_owned).to_vec();
        Plan { files: None, bytes: None, window_seconds: None, algorithms }
    }

    #[track_caller]
    fn near(value: f64, expected: f64, by: f64) {
        assert!((value / expected - 1.0).abs() <= by, "{value} is not {expected}");
    }

    fn cost(file_seconds: f64, byte_seconds: f64) -> Cost {
        Cost { file_seconds, byte_seconds, ..Cost::default() }
    }

    fn disk() -> Truth {
        Truth { storage: cost(0.008, 1.0 / (150.0 * MB)), md5_byte_seconds: 1e-9 }
    }

    #[test]
    fn many_small_files_on_a_disk_are_limited_by_their_number() {
        let advice = Advice::of(&disk().measured(1_000_000, 50_000_000_000, 0.05), &plan()).expect("advice");
        assert_eq!(advice.limit, Limit::Files);
        let expected = 8000.0 + 50_000.0 / 150.0;
        near(advice.forecasts[0].seconds, expected, 0.05);
        let Forecast { seconds_low, seconds_high, .. } = advice.forecasts[0];
        assert!(seconds_low <= expected && expected <= seconds_high, "{seconds_low} {seconds_high}");
        assert!(seconds_high / seconds_low < 1.2);
        near(advice.seconds_per_file, 0.008, 0.05);
        // Both algorithms wait for the same disk.
        assert_eq!(advice.sha256_over_md5_seconds, Some(0.0));
    }

    #[test]
    fn long_files_on_a_disk_are_limited_by_bandwidth() {
        let advice = Advice::of(&disk().measured(1000, 25_000_000_000_000, 0.05), &plan()).expect("advice");
        assert_eq!(advice.limit, Limit::Bandwidth);
        near(advice.forecasts[0].seconds, 25e12 / 150e6, 0.05);
        near(advice.bytes_per_second.expect("a rate"), 150e6, 0.05);
    }

    #[test]
    fn a_slow_processor_is_the_limit_and_algorithms_differ() {
        let truth = Truth { storage: cost(1e-6, 1e-10), md5_byte_seconds: 1e-9 };
        let advice = Advice::of(&truth.measured(1000, 1_000_000_000_000, 0.02), &plan()).expect("advice");
        assert_eq!(advice.limit, Limit::Processor);
        near(advice.forecasts[0].seconds, 2000.0, 0.01);
        near(advice.sha256_over_md5_seconds.expect("both"), 1000.0, 0.02);
        // A repeat that other work disturbed says how long it may take.
        let mut measured = truth.measured(1000, 1_000_000_000_000, 0.0);
        let disturbed = |run: &ProcessorRun| ProcessorRun { seconds: 1.2 * run.seconds, ..run.clone() };
        measured.processor.extend(measured.processor.iter().map(disturbed).collect::<Vec<_>>());
        let of_sha256 = &Advice::of(&measured, &plan()).expect("advice").forecasts[0];
        near(of_sha256.seconds, 2000.0, 0.01);
        near(of_sha256.seconds_high, 2400.0, 0.01);
    }

    #[test]
    fn a_volume_that_is_named_keeps_the_mean_size() {
        let measured = disk().measured(1000, 1_000_000_000, 0.0);
        let of = |files, bytes| {
            let advice = Advice::of(&measured, &Plan { files, bytes, ..plan() }).expect("advice");
            (advice.files, advice.bytes, advice.is_given)
        };
        assert_eq!(of(None, None), (1000, 1_000_000_000, false));
        assert_eq!(of(Some(10_000), None), (10_000, 10_000_000_000, true));
        assert_eq!(of(None, Some(500_000_000)), (500, 500_000_000, true));
        assert_eq!(of(Some(7), Some(8)), (7, 8, true));
    }

    #[test]
    fn nights_are_those_of_the_upper_end() {
        let measured = disk().measured(1_000_000, 50_000_000_000, 0.05);
        let of = |window_seconds| Advice::of(&measured, &Plan { window_seconds, ..plan() }).expect("advice");
        let seconds = of(None).forecasts[0].seconds_high;
        assert_eq!(of(None).nights, None);
        assert_eq!(of(Some(seconds as u64 + 1)).nights, Some(1));
        assert_eq!(of(Some((seconds / 4.5) as u64)).nights, Some(5));
    }

    #[test]
    fn checks_correct_the_forecast_and_widen_its_interval() {
        let mut measured = disk().measured(1_000_000, 50_000_000_000, 0.0);
        let before = Advice::of(&measured, &plan()).expect("advice").forecasts.swap_remove(0);
        for ratio in [1.3, 1.1, 1.2] {
            let seconds = ratio * disk().storage.seconds(100.0, 5e6);
            measured.batches.push(batch(Kind::Check, "sha256", 100, 5_000_000, seconds));
        }
        let advice = Advice::of(&measured, &plan()).expect("advice");
        near(advice.checks[0], 1.3, 0.001);
        near(advice.forecasts[0].seconds, 1.2 * before.seconds, 0.001);
        near(advice.forecasts[0].seconds_low, 1.1 * before.seconds, 0.001);
        near(advice.forecasts[0].seconds_high, 1.3 * before.seconds, 0.001);
        // Of one that was cut off, files under way are missing.
        let short = Batch { is_cut: true, ..batch(Kind::Check, "sha256", 1, 50_000, 9.0) };
        measured.batches.push(short);
        assert_eq!(Advice::of(&measured, &plan()).expect("advice").checks.len(), 3);
    }

    #[test]
    fn storage_whose_speed_changed_is_called_so() {
        for (ratio, is_told) in [(0.45, true), (0.55, false), (1.9, false), (2.1, true), (7.3, true)] {
            let mut measured = disk().measured(1_000_000, 50_000_000_000, 0.0);
            let seconds = ratio * disk().storage.seconds(100.0, 5e6);
            measured.batches.push(batch(Kind::Check, "sha256", 100, 5_000_000, seconds));
            let text = super::super::words::text(&Advice::of(&measured, &plan()).expect("advice"));
            assert_eq!(text.contains("speed of the storage changed"), is_told, "{ratio}: {text}");
        }
    }

    #[test]
    fn a_volume_that_was_read_takes_what_it_took() {
        let mut measured = disk().measured(2000, 100_000_000, 0.0);
        measured.batches.push(batch(Kind::Whole, "sha256", 2000, 100_000_000, 20.0));
        let advice = Advice::of(&measured, &plan()).expect("advice");
        assert!(advice.is_measured_whole);
        near(advice.forecasts[0].seconds, 20.0, 1e-9);
        // For another volume it is a check only.
        let advice = Advice::of(&measured, &Plan { files: Some(4000), ..plan() }).expect("advice");
        near(advice.forecasts[0].seconds, 40.0, 0.01);
        assert!(!advice.is_measured_whole);
    }

    #[test]
    fn reading_and_hashing_that_do_not_overlap_add_up() {
        let truth = Truth { storage: cost(0.0001, 2e-9), md5_byte_seconds: 1e-9 };
        let mut measured = truth.measured(1000, 1_000_000_000_000, 0.0);
        let advice = Advice::of(&measured, &plan()).expect("advice");
        near(advice.forecasts[1].seconds, 2000.0, 0.01);
        measured.batches.push(batch(Kind::Check, "md5", 1, 1_000_000_000, 3.0));
        let advice = Advice::of(&measured, &plan()).expect("advice");
        near(advice.forecasts[1].seconds, 3000.0, 0.01);
    }

    #[test]
    fn a_start_counts_once() {
        let start_seconds = 0.5;
        let truth = Truth { storage: Cost { start_seconds, ..cost(0.005, 1e-8) }, md5_byte_seconds: 1e-9 };
        let mut measured = truth.measured(2000, 4_000_000, 0.0);
        // Samples differ in size, so that the start can be told.
        for (files, bytes) in [(50, 2_000_000), (60, 2_500_000), (70, 3_000_000)] {
            let seconds = truth.storage.seconds(files as f64, bytes as f64);
            measured.batches.push(batch(Kind::Runs, "none", files, bytes, seconds));
        }
        // Another choice, of which too little was read.
        measured.choices.push(Choice { threads: 16, ..Choice::usual(4) });
        let seconds = start_seconds + 100.0 * 0.004;
        measured.batches.push(Batch { choice: 1, ..batch(Kind::Runs, "none", 100, 0, seconds) });
        let of = |measured: &Measured| Advice::of(measured, &plan()).expect("advice");
        near(of(&measured).forecasts[0].seconds, 0.5 + 2000.0 * 0.005 + 0.04, 0.001);
        near(of(&measured).start_seconds, 0.5, 0.001);
        let tried = of(&measured).tried;
        near(tried[0].storage_seconds, 0.5 + 2000.0 * 0.004 + 0.04, 0.01);
        // A run that finds out how many files it can read at once takes longer once.
        let seconds = 2.0 + truth.storage.seconds(100.0, 200_000.0);
        measured.batches.insert(0, batch(Kind::Start, "none", 100, 200_000, seconds));
        near(of(&measured).start_seconds, 2.5, 0.001);
        near(of(&measured).forecasts[0].seconds, 2.5 + 2000.0 * 0.005 + 0.04, 0.001);
        // A check knows it.
        let check = batch(Kind::Check, "sha256", 200, 400_000, truth.storage.seconds(200.0, 400_000.0));
        measured.batches.push(check);
        near(of(&measured).checks[0], 1.0, 0.001);
        measured.batches.push(batch(Kind::Whole, "sha256", 2000, 4_000_000, 12.0));
        near(of(&measured).forecasts[0].seconds, 12.0, 1e-9);
    }

    #[test]
    fn without_enough_batches_there_is_no_advice_and_a_reason() {
        let said = |change: &dyn Fn(&mut Measured)| {
            let mut measured = disk().measured(1000, 1_000_000_000, 0.0);
            change(&mut measured);
            Advice::of(&measured, &plan()).expect_err("a reason").to_string()
        };
        let text = said(&|measured| measured.survey.files = 0);
        assert_eq!(text, "not enough data to advise: `/tree` holds no files");
        let few = Survey { files: 3, sized_files: 3, sized_bytes: 12, is_complete: true, ..Survey::default() };
        let text = said(&|measured| measured.survey = few);
        assert!(text.contains("only 3 files of 12 bytes together; it takes 16 files, or 16 MiB"), "{text}");
        let text = said(&|measured| measured.processor.retain(|run| run.algorithm != "md5"));
        assert!(text.contains("hashing with md5 could not be measured"), "{text}");
        let text = said(&|measured| measured.batches.clear());
        assert!(text.contains("no sample could be read in the time"), "{text}");
        let text = said(&|measured| measured.batches.iter_mut().for_each(|batch| batch.failed = 2));
        assert!(text.contains("20 files of the samples could not be read, and no sample is left"), "{text}");
        let text = said(&|measured| measured.batches.iter_mut().skip(1).for_each(|batch| batch.is_stalled = true));
        assert!(text.contains("in 9 samples a read did not come back in time, and 1 sample is left"), "{text}");
    }

    /// Measurements of `truth` over a medium, limited as the volume makes it.
    fn on(medium: &str, truth: &Truth, files: u64, bytes: u64) -> Advice {
        let mut measured = truth.measured(files, bytes, 0.0);
        medium.clone_into(&mut measured.medium);
        Advice::of(&measured, &plan()).expect("advice")
    }

    /// The section of the changes that would help, on one line.
    fn changes(advice: &Advice) -> String {
        let text = super::super::words::text(advice);
        let (_, rest) = text.split_once("Changes that would help\n").expect("the section");
        let (section, _) = rest.split_once("\nHow far").expect("its end");
        section.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// For each limit on each medium: what would change the answer, and what would not.
    #[test]
    fn what_would_help_follows_from_the_limit_and_the_medium() {
        const ALL: [&str; 7] = [
            "Storage without the time for each file (solid-state instead of rotating disks, local instead of over a network",
            "Faster storage helps until the processor is the limit",
            "Reading on the machine that has the disks avoids the network",
            "A second machine helps only if the storage gives both together more than one gets",
            "A second machine that reads the same storage does not help",
            "Another algorithm: md5 takes 17 min",
            "A second machine that reads the same storage: `pfh shard` divides the files between both",
        ];
        let fast = Truth { storage: cost(1e-6, 1e-10), md5_byte_seconds: 1e-9 };
        for (medium, truth, limit, files, bytes, helps) in [
            ("rotating", disk(), Limit::Files, 1_000_000, 50_000_000_000, [0, 1, 4].as_slice()),
            ("network", disk(), Limit::Files, 1_000_000, 50_000_000_000, &[0, 1, 2, 3]),
            ("solid-state", disk(), Limit::Files, 1_000_000, 50_000_000_000, &[0, 1, 4]),
            ("rotating", disk(), Limit::Bandwidth, 1000, 25_000_000_000_000, &[1, 4]),
            ("network", disk(), Limit::Bandwidth, 1000, 25_000_000_000_000, &[1, 2, 3]),
            ("solid-state", disk(), Limit::Bandwidth, 1000, 25_000_000_000_000, &[1, 4]),
            ("solid-state", fast, Limit::Processor, 1000, 1_000_000_000_000, &[5, 6]),
            (
                "network",
                Truth { storage: cost(1e-6, 1e-10), md5_byte_seconds: 1e-9 },
                Limit::Processor,
                1000,
                1_000_000_000_000,
                &[5, 6],
            ),
        ] {
            let advice = on(medium, &truth, files, bytes);
            assert_eq!(advice.limit, limit, "{medium}");
            let said = changes(&advice);
            for (place, text) in ALL.iter().enumerate() {
                assert_eq!(said.contains(text), helps.contains(&place), "{medium}, {limit:?}: {text}: {said}");
            }
            assert_eq!(said.contains("More cores: twice as many take"), limit == Limit::Processor, "{said}");
        }
        // Without the time for each file, only the bytes are left: 50 GB at 150 MB/s.
        let said = changes(&on("rotating", &disk(), 1_000_000, 50_000_000_000));
        assert!(said.contains("with the same bandwidth: about 5.6 min."), "{said}");
        // Twice the cores, or two machines, take half of SHA-256's 2000 s, as long as the storage gives so much.
        let truth = Truth { storage: cost(1e-6, 1e-10), md5_byte_seconds: 1e-9 };
        let said = changes(&on("solid-state", &truth, 1000, 1_000_000_000_000));
        assert!(said.contains("twice as many take 17 min.") && said.contains("between both; about 17 min."), "{said}");
    }

    /// The time that checks take longer belongs to the limit, and the processor has one figure in all of the text.
    #[test]
    fn the_processor_has_one_figure() {
        let slow_processor = Truth { storage: cost(1e-6, 1e-10), md5_byte_seconds: 1e-9 };
        for (truth, checked, seconds, corrected) in
            [(disk(), "none", 600.0, 600.0), (slow_processor, "sha256", 600.0, 780.0)]
        {
            let mut measured = truth.measured(1000, 300_000_000_000, 0.0);
            let alone = Advice::of(&measured, &plan()).expect("advice");
            near(alone.forecasts[0].processor_seconds, seconds, 0.01);
            let longer = if checked == "none" { truth.storage.seconds(1.0, 1e9) } else { 2.0 };
            measured.batches.push(batch(Kind::Check, checked, 1, 1_000_000_000, 1.3 * longer));
            let advice = Advice::of(&measured, &plan()).expect("advice");
            near(advice.checks[0], 1.3, 0.01);
            near(advice.forecasts[0].processor_seconds, corrected, 0.01);
            near(advice.forecasts[0].seconds, 1.3 * alone.forecasts[0].seconds, 0.01);
            let text = super::super::words::text(&advice).split_whitespace().collect::<Vec<_>>().join(" ");
            let figure = if corrected > seconds { "it needs 13 min" } else { "The processor needs 10 min for sha256" };
            let again = if corrected > seconds { "twice as many take" } else { "is the limit: 10 min for sha256" };
            assert!(text.contains(figure) && text.contains(again), "{text}");
        }
    }

    #[test]
    fn a_simulated_device_is_named_so() {
        let mut measured = disk().measured(1_000_000, 50_000_000_000, 0.0);
        let of = |measured: &Measured| {
            let advice = Advice::of(measured, &plan()).expect("advice");
            let json = serde_json::to_value(&advice).expect("JSON");
            let (text, page) = (super::super::words::text(&advice), super::super::words::page(&advice).html());
            let is_said = ["simulated", "holds for that device"].map(|word| text.contains(word) && page.contains(word));
            (json["is_simulated"].as_bool(), is_said)
        };
        assert_eq!(of(&measured), (Some(false), [false; 2]));
        "pfh-slowfs".clone_into(&mut measured.device);
        assert_eq!(of(&measured), (Some(true), [true; 2]));
    }

    /// Measurements of the defaults and two other options, by one sample each, and by rounds with the defaults.
    fn compared(seconds: [f64; 3], rounds: &[(usize, f64, f64)]) -> Measured {
        let mut measured = disk().measured(1_000_000, 50_000_000_000, 0.0);
        measured.batches.clear();
        let runs = |choice, seconds| Batch { choice, ..batch(Kind::Runs, "none", 100, 100_000, seconds) };
        measured.choices.extend([8, 16].map(|threads| Choice { threads, ..Choice::usual(4) }));
        measured.batches.extend(seconds.into_iter().enumerate().map(|(choice, seconds)| runs(choice, seconds)));
        for (round, (choice, usual, other)) in (1..).zip(rounds) {
            measured.batches.push(Batch { round, ..runs(0, *usual) });
            measured.batches.push(Batch { round, ..runs(*choice, *other) });
        }
        measured
    }

    #[test]
    fn options_that_seem_clearly_faster_are_candidates_once() {
        let of = |measured: &Measured| super::super::candidate(measured, 100_000, 100_000_000);
        assert_eq!(of(&compared([99.0, 80.0, 70.0], &[])), Some(2));
        assert_eq!(of(&compared([99.0, 80.0, 91.0], &[])), Some(1));
        assert_eq!(of(&compared([99.0, 90.0, 91.0], &[])), None);
        assert_eq!(of(&compared([99.0, 80.0, 70.0], &[(2, 99.0, 70.0)])), Some(1));
        assert_eq!(of(&compared([99.0, 80.0, 91.0], &[(1, 99.0, 80.0)])), None);
    }

    /// The disk of the first rounds is seven times as fast as that of the others, for all options.
    #[test]
    fn only_options_that_are_faster_in_every_round_are_worth_while() {
        let is = |parts: [f64; 5]| {
            let usual = [10.0, 70.0, 69.0, 11.0, 70.0];
            let rounds: Vec<_> = usual.iter().zip(parts).map(|(usual, part)| (1, *usual, part * usual)).collect();
            let measured = compared([70.0, 8.0, 70.0], &rounds);
            let found = super::super::parts_of_usual(&measured, 1, 100_000, 100_000_000);
            found.iter().zip(parts).for_each(|(found, part)| near(*found, part, 1e-9));
            super::super::is_worth_while(&found)
        };
        assert!(is([0.7, 0.8, 0.75, 0.99, 0.6]));
        assert!(!is([0.7, 0.8, 0.75, 1.01, 0.6]));
        // Faster each time, but by less than a tenth.
        assert!(!is([0.95, 0.92, 0.97, 0.6, 0.93]));
        assert!(!super::super::is_worth_while(&[0.5; 4]));
        // Rounds of others say nothing.
        let other = compared([70.0, 8.0, 70.0], &[(1, 70.0, 35.0)]);
        assert!(super::super::parts_of_usual(&other, 2, 100_000, 100_000_000).is_empty());
        assert!(super::super::parts_of_usual(&other, 0, 100_000, 100_000_000).is_empty());
    }

    #[test]
    fn the_comparison_is_told() {
        let told = |part: f64, best| {
            let rounds: Vec<_> = (0..5).map(|_| (1, 1.0, part)).collect();
            let mut measured = compared([1.0, 0.5, 1.0], &rounds);
            measured.batches.extend((0..3).map(|_| batch(Kind::Long, "none", 4, 200_000_000, 1.5)));
            measured.best = best;
            let advice = Advice::of(&measured, &plan()).expect("advice");
            super::super::words::text(&advice).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let chosen = told(0.5, 1);
        assert!(
            chosen.contains(
                "They took 0.50 to 0.50 of the time of the defaults when both were read in turn, in 5 rounds"
            ),
            "{chosen}"
        );
        let refused = told(1.1, 0);
        assert!(refused.contains("`--threads 8` seemed faster at first, but took 1.10 to 1.10 of"), "{refused}");
    }

    #[test]
    fn choices_are_compared_with_what_is_known_of_each() {
        let mut measured = disk().measured(1_000_000, 50_000_000_000, 0.0);
        measured.choices.push(Choice { threads: 16, ..Choice::usual(4) });
        measured.choices.push(Choice { threads: 32, ..Choice::usual(4) });
        let mut faster = batch(Kind::Runs, "none", 800, 40_000_000, 800.0 * 0.001 + 40.0 / 150.0);
        faster.choice = 1;
        measured.batches.extend([faster.clone(), faster.clone(), faster]);
        measured.best = 1;
        let advice = Advice::of(&measured, &plan()).expect("advice");
        assert_eq!(advice.options, ["--threads", "16"]);
        let tried: Vec<(&str, bool)> = advice.tried.iter().map(|one| (one.options.as_str(), one.is_best)).collect();
        assert_eq!(tried, [("--threads 16", true), ("the defaults", false)]);
        near(advice.forecasts[0].seconds, 1000.0 + 50_000.0 / 150.0, 0.01);
    }
}
