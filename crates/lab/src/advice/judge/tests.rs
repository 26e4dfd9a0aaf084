//! Tests of the advice on measurements whose truth is known.

use super::*;
use crate::advice::{ProcessorRun, Survey};

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
                is_one_stream: false,
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
                longest_bytes: 0,
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
        longest_bytes: 0,
        seconds,
        failed: 0,
        is_cut: false,
        is_stalled: false,
        is_repeated: false,
        repeated_files: 0,
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

/// Four samples are too few to be resampled. Their interval holds the truth about as often as it says.
#[test]
fn few_samples_hold_the_truth_as_often_as_they_say() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut measured = disk().measured(1_000_000, 50_000_000_000, 0.0);
    let (truth, trials) = (disk().storage.seconds(1e6, 5e10), 400);
    let covered = (0..trials)
        .filter(|_| {
            let mut sample = |_| {
                let noise = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
                let seconds = (1.0 + 0.02 * noise) * disk().storage.seconds(200.0, 1e7);
                batch(Kind::Runs, "none", 200, 10_000_000, seconds)
            };
            measured.batches = (0..4).map(&mut sample).collect();
            let advice = Advice::of(&measured, &plan()).expect("advice");
            let Forecast { seconds_low, seconds_high, .. } = advice.forecasts[0];
            seconds_low <= truth && truth <= seconds_high
        })
        .count();
    let share = covered as f64 / f64::from(trials);
    assert!((0.91..=0.99).contains(&share), "{share}");
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

/// Files in memory, of which SHA-256 in one stream takes eight times what it takes of many, in the mean of four cores.
fn in_memory(files: u64, bytes: u64, longest_bytes: u64) -> Measured {
    let truth = Truth { storage: cost(1e-6, 1e-10), md5_byte_seconds: 1e-9 };
    let mut measured = truth.measured(files, bytes, 0.0);
    "memory".clone_into(&mut measured.medium);
    measured.survey.longest_bytes = longest_bytes;
    let stream = |algorithm: &str, seconds| ProcessorRun {
        algorithm: algorithm.to_owned(),
        files: 1,
        bytes: 16_000_000,
        seconds,
        is_one_stream: true,
    };
    measured.processor.extend([stream("sha256", 0.256), stream("sha256", 0.512), stream("md5", 0.4)]);
    measured
}

/// One core hashes the longest file: it takes no less than that, and what would help is another algorithm.
#[test]
fn one_long_file_is_one_stream() {
    let measured = in_memory(1, 100_000_000_000, 100_000_000_000);
    let advice = Advice::of(&measured, &plan()).expect("advice");
    assert_eq!((advice.limit, advice.longest_bytes), (Limit::Processor, 100_000_000_000));
    let [sha256, md5] = &advice.forecasts[..] else { panic!("two forecasts") };
    // Of many files, MD5 would be the faster one.
    near(sha256.seconds, 1600.0, 0.01);
    near(md5.seconds, 2500.0, 0.01);
    near(sha256.seconds_high, 3200.0, 0.01);
    near(sha256.longest_file_seconds, 1600.0, 0.01);
    let said = changes(&advice);
    assert!(said.contains("More cores and further machines do not help") && !said.contains("twice as many"), "{said}");
    assert!(!said.contains("divides the files"), "{said}");
    let text = crate::advice::words::text(&advice).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("The longest file limits you: one core hashes its 100 GB, 100 % of all bytes,"), "{text}");
    assert!(text.contains("For sha256 that takes 27 min of the 27 min that the processor needs"), "{text}");
    assert!(text.contains("SHA-256 instead of MD5 costs nothing here: it is 15 min faster"), "{text}");
    // All cores share it, or an earlier version measured.
    let shared = Measured {
        processor: measured.processor.iter().filter(|run| !run.is_one_stream).cloned().collect(),
        ..measured.clone()
    };
    let advice = Advice::of(&shared, &plan()).expect("advice");
    near(advice.forecasts[0].seconds, 200.0, 0.01);
    assert!(changes(&advice).contains("More cores: twice as many take 1"), "{}", changes(&advice));
}

#[test]
fn a_few_long_files_are_hashed_side_by_side_until_the_last() {
    let of = |files: u64| {
        let measured = in_memory(files, files * 10_000_000_000, 10_000_000_000);
        let advice = Advice::of(&measured, &plan()).expect("advice");
        let Forecast { seconds, seconds_low, .. } = advice.forecasts[0];
        (seconds, seconds_low, changes(&advice).contains("More cores: twice"))
    };
    // As many as there are cores begin together.
    let (seconds, _, is_helped) = of(4);
    near(seconds, 160.0, 0.01);
    assert!(!is_helped);
    // The longest comes first, or last.
    let (seconds, seconds_low, is_helped) = of(10);
    near(seconds, 180.0 + 160.0, 0.01);
    near(seconds_low, 200.0, 0.01);
    assert!(is_helped);
}

/// Of many files, none of which is long, the time is what it was, also if a volume is named.
#[test]
fn the_longest_of_many_files_makes_no_difference() {
    let measured = in_memory(1_000_000, 1_000_000_000_000, 3_000_000);
    for (files, factor) in [(None, 1.0), (Some(3_000_000), 3.0)] {
        let advice = Advice::of(&measured, &Plan { files, ..plan() }).expect("advice");
        near(advice.forecasts[0].seconds, factor * 2003.0, 0.001);
        assert_eq!(advice.longest_bytes, 3_000_000);
        let said = changes(&advice);
        assert!(said.contains("More cores: twice") && said.contains("`pfh shard` divides the files"), "{said}");
    }
}

/// The table has a unit in which its times differ, as sentences have.
#[test]
fn times_below_a_second_are_told_in_smaller_units() {
    let measured = in_memory(1_000, 100_000_000, 100_000);
    for (bytes, unit) in [(10_000_000, "ms"), (100_000_000, "s"), (10_000_000_000, "min")] {
        let advice = Advice::of(&measured, &Plan { files: Some(1), bytes: Some(bytes), ..plan() }).expect("advice");
        let text = crate::advice::words::text(&advice);
        assert!(text.contains(&format!("time ({unit})")), "{text}");
        let row = text.lines().find(|line| line.trim_start().starts_with("sha256 ")).expect("a row");
        let seconds: f64 = row.split_whitespace().nth(1).expect("a time").parse().expect("a number");
        assert!((1.0..1000.0).contains(&seconds), "{text}");
    }
}

/// A check of few files waits for the longest of them, so the forecast for many is not corrected by it.
#[test]
fn a_check_waits_for_its_longest_file() {
    let mut measured = in_memory(1_000_000, 1_000_000_000_000, 3_000_000);
    let seconds = 1e-6 * 8.0 * 3.0 + 3e6 * 16e-9;
    let check = batch(Kind::Check, "sha256", 8, 3_100_000, seconds);
    measured.batches.push(Batch { longest_bytes: 3_000_000, ..check });
    let advice = Advice::of(&measured, &plan()).expect("advice");
    near(advice.checks[0], 1.0, 0.02);
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

/// Samples of 50 kB, without long files, and 25 TB in files of 20 MB: either there is an interval that holds the truth,
/// or no advice.
#[test]
fn volumes_of_other_files_are_extrapolated_within_what_is_possible() {
    let truth = 1.2e6 * 0.008 + 25e12 / (150.0 * MB);
    let volume = Plan { files: Some(1_200_000), bytes: Some(25_000_000_000_000), ..plan() };
    let mut measured = disk().measured(10_000, 500_000_000, 0.01);
    let of = |measured: &Measured| Advice::of(measured, &volume);
    // Files of 50 MB are among the samples.
    let advice = of(&measured).expect("advice");
    near(advice.forecasts[0].seconds, truth, 0.05);
    assert!(!advice.is_extrapolated);
    measured.batches.retain(|batch| batch.kind != Kind::Long);
    let reason = of(&measured).expect_err("a reason").to_string();
    assert!(reason.contains("of each file, the volume has 20.8 MB in each, and every time from 14 h to "), "{reason}");
    // Beginnings tell the least, and longer files the greatest time.
    for (kind, files, bytes) in [(Kind::Heads, 100, 409_600), (Kind::Long, 30, 150_000_000)] {
        for _ in 0..3 {
            let seconds = disk().storage.seconds(files as f64, bytes as f64);
            measured.batches.push(batch(kind, "none", files, bytes, seconds));
        }
    }
    let advice = of(&measured).expect("advice");
    let Forecast { seconds, seconds_low, seconds_high, .. } = advice.forecasts[0];
    assert!(seconds_low <= truth && truth <= seconds_high, "{seconds_low} {truth} {seconds_high}");
    near(seconds, truth, 0.15);
    assert!(advice.is_extrapolated && seconds_high < 1.5 * seconds_low);
    near(advice.tried[0].storage_seconds, seconds, 0.01);
    let text = crate::advice::words::text(&advice).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("is extrapolated from samples of other sizes"), "{text}");
    assert!(text.contains("and the files of the volume have 20.8 MB on average"), "{text}");
    // Those of the samples are not.
    let advice = Advice::of(&measured, &Plan { files: Some(100_000), ..plan() }).expect("advice");
    assert!(!advice.is_extrapolated && advice.forecasts[0].seconds_high < 1.1 * advice.forecasts[0].seconds_low);
}

#[test]
fn a_walk_that_found_nothing_in_its_time_is_not_over() {
    let mut measured = disk().measured(0, 0, 0.0);
    let of = |measured: &Measured| Advice::of(measured, &plan()).expect_err("a reason").to_string();
    assert!(of(&measured).contains("`/tree` holds no files"));
    measured.survey.is_complete = false;
    assert!(of(&measured).contains("the walk of `/tree` found 0 files in its time; give it more with --seconds"));
}

#[test]
fn what_was_read_again_counts_once() {
    let mut measured = disk().measured(300, 15_000_000, 0.0);
    measured.batches.retain(|batch| batch.kind == Kind::Runs);
    for batch in &mut measured.batches[1..] {
        (batch.is_repeated, batch.repeated_files) = (true, batch.files);
    }
    measured.batches.push(Batch { failed: 7, ..batch(Kind::Check, "md5", 10, 1000, 1.0) });
    let advice = Advice::of(&measured, &plan()).expect("advice");
    assert_eq!((advice.sampled_files, advice.sampled_bytes, advice.failed_files), (210, 10_001_000, 7));
    // A run over everything meets the same failures again.
    measured.batches.push(Batch { failed: 9, ..batch(Kind::Whole, "md5", 291, 14_000_000, 3.0) });
    let advice = Advice::of(&measured, &plan()).expect("advice");
    assert_eq!((advice.sampled_files, advice.sampled_bytes, advice.failed_files), (300, 15_000_000, 9));
}

/// The reason why an algorithm costs more or less follows from the limits of both.
#[test]
fn sha256_instead_of_md5_is_explained_by_both_limits() {
    let mut advice = Advice::of(&disk().measured(1_000_000, 50_000_000_000, 0.0), &plan()).expect("advice");
    for (sha256, md5, said) in [
        ((100.0, Limit::Processor), (100.0, Limit::Processor), "the processor takes as long for either"),
        ((100.0, Limit::Bandwidth), (100.0, Limit::Files), "the storage is slower than either"),
        ((100.0, Limit::Processor), (99.0, Limit::Files), "the processor and the storage take about as long"),
        ((150.0, Limit::Processor), (100.0, Limit::Processor), "more, because the processor is the limit, and"),
        ((150.0, Limit::Processor), (100.0, Limit::Files), "more, because then the processor is the limit"),
        ((150.0, Limit::Files), (100.0, Limit::Files), "and not all of that is while the storage delivers"),
        ((50.0, Limit::Files), (100.0, Limit::Processor), "faster (50 %), since the processor takes longer for MD5."),
        ((50.0, Limit::Files), (100.0, Limit::Files), "and not all of that is while the storage delivers"),
    ] {
        for (forecast, (seconds, limit)) in advice.forecasts.iter_mut().zip([sha256, md5]) {
            (forecast.seconds, forecast.limit) = (seconds, limit);
        }
        advice.sha256_over_md5_seconds = Some(sha256.0 - md5.0);
        let text = crate::advice::words::text(&advice).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said), "{said}: {text}");
    }
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
        let text = crate::advice::words::text(&Advice::of(&measured, &plan()).expect("advice"));
        assert_eq!(text.contains("speed of the storage changed"), is_told, "{ratio}: {text}");
    }
    // Memory has one speed.
    let mut measured = in_memory(1000, 1_000_000_000, 1_000_000);
    measured.batches.push(batch(Kind::Check, "sha256", 1, 1_000_000_000, 64.0));
    let text = crate::advice::words::text(&Advice::of(&measured, &plan()).expect("advice"));
    assert!(!text.contains("speed of the storage changed") && text.contains("other work took part of"), "{text}");
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
    near(advice.forecasts[1].seconds, 2000.0, 0.02);
    measured.batches.push(batch(Kind::Check, "md5", 1, 1_000_000_000, 3.0));
    let advice = Advice::of(&measured, &plan()).expect("advice");
    near(advice.forecasts[1].seconds, 3000.0, 0.02);
}

#[test]
fn a_start_counts_once() {
    let start_seconds = 0.5;
    let truth = Truth { storage: Cost { start_seconds, ..cost(0.005, 1e-8) }, md5_byte_seconds: 1e-9 };
    let mut measured = truth.measured(2000, 90_000_000, 0.0);
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
    near(of(&measured).forecasts[0].seconds, 0.5 + 2000.0 * 0.005 + 0.9, 0.001);
    near(of(&measured).start_seconds, 0.5, 0.001);
    let tried = of(&measured).tried;
    near(tried[0].storage_seconds, 0.5 + 2000.0 * 0.004 + 0.9, 0.01);
    // A run that finds out how many files it can read at once takes longer once.
    let seconds = 2.0 + truth.storage.seconds(100.0, 200_000.0);
    measured.batches.insert(0, batch(Kind::Start, "none", 100, 200_000, seconds));
    near(of(&measured).start_seconds, 2.5, 0.001);
    near(of(&measured).forecasts[0].seconds, 2.5 + 2000.0 * 0.005 + 0.9, 0.001);
    // A check knows it.
    let check = batch(Kind::Check, "sha256", 200, 400_000, truth.storage.seconds(200.0, 400_000.0));
    measured.batches.push(check);
    near(of(&measured).checks[0], 1.0, 0.001);
    measured.batches.push(batch(Kind::Whole, "sha256", 2000, 90_000_000, 12.0));
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
    let text = crate::advice::words::text(advice);
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

/// The promise of twice the cores is the forecast of the model for half the processor's time.
#[test]
fn what_would_help_adds_what_does_not_overlap() {
    let truth = Truth { storage: cost(0.0001, 1e-9), md5_byte_seconds: 1e-9 };
    let mut measured = truth.measured(1000, 1_000_000_000_000, 0.0);
    // Reading takes 1 s and hashing 2 s, and both together 3 s.
    measured.batches.push(batch(Kind::Check, "sha256", 1, 1_000_000_000, 3.0));
    let advice = Advice::of(&measured, &plan()).expect("advice");
    assert_eq!(advice.limit, Limit::Processor);
    near(advice.overlap, 1.0, 0.01);
    near(advice.forecasts[0].seconds, 3000.0, 0.01);
    // 1000 s and 1000 s.
    let said = changes(&advice);
    assert!(said.contains("twice as many take 33 min.") && said.contains("between both; about 33 min."), "{said}");
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
        let text = crate::advice::words::text(&advice).split_whitespace().collect::<Vec<_>>().join(" ");
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
        let (text, page) = (crate::advice::words::text(&advice), crate::advice::words::page(&advice).html());
        let is_said = ["simulated", "holds for that device"].map(|word| text.contains(word) && page.contains(word));
        (json["is_simulated"].as_bool(), is_said)
    };
    assert_eq!(of(&measured), (Some(false), [false; 2]));
    SIMULATED.clone_into(&mut measured.device);
    assert_eq!(of(&measured), (Some(true), [true; 2]));
}

/// On a phone no column is out of sight.
#[test]
fn the_rows_of_the_page_are_cards_on_a_phone() {
    let advice = Advice::of(&disk().measured(1_000_000, 50_000_000_000, 0.0), &plan()).expect("advice");
    let page = crate::advice::words::page(&advice).html();
    let (_, table) = page.split_once("Time to read and hash everything once\">").expect("a table");
    assert!(table.starts_with("<table class=\"prose\">"), "{page}");
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
    let of = |measured: &Measured| crate::advice::candidate(measured, 100_000, 100_000_000);
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
        let found = crate::advice::parts_of_usual(&measured, 1, 100_000, 100_000_000);
        found.iter().zip(parts).for_each(|(found, part)| near(*found, part, 1e-9));
        crate::advice::is_worth_while(&found)
    };
    assert!(is([0.7, 0.8, 0.75, 0.99, 0.6]));
    assert!(!is([0.7, 0.8, 0.75, 1.01, 0.6]));
    // Faster each time, but by less than a tenth.
    assert!(!is([0.95, 0.92, 0.97, 0.6, 0.93]));
    assert!(!crate::advice::is_worth_while(&[0.5; 4]));
    // Rounds of others say nothing.
    let other = compared([70.0, 8.0, 70.0], &[(1, 70.0, 35.0)]);
    assert!(crate::advice::parts_of_usual(&other, 2, 100_000, 100_000_000).is_empty());
    assert!(crate::advice::parts_of_usual(&other, 0, 100_000, 100_000_000).is_empty());
}

#[test]
fn the_comparison_is_told() {
    let told = |part: f64, best| {
        let rounds: Vec<_> = (0..5).map(|_| (1, 1.0, part)).collect();
        let mut measured = compared([1.0, 0.5, 1.0], &rounds);
        measured.batches.extend((0..3).map(|_| batch(Kind::Long, "none", 4, 200_000_000, 1.5)));
        measured.best = best;
        let advice = Advice::of(&measured, &plan()).expect("advice");
        crate::advice::words::text(&advice).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let chosen = told(0.5, 1);
    assert!(
        chosen.contains("They took 0.50 to 0.50 of the time of the defaults when both were read in turn, in 5 rounds"),
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
