//! A source whose requests take 50 ms in simulated time. The tests measure how much of the possible rate a run reaches.

use std::time::Duration;

use pfh_engine::{Mode, Options, Order};
use pfh_record::Outcome;
use pfh_source::Medium;
use pfh_testing::ScriptedSource;

use crate::common::*;

const LATENCY: Duration = Duration::from_millis(50);
const RANGE_BYTES: usize = 1 << 20;

/// Runs, checks the digests, and returns the fraction of the possible rate that was reached.
fn efficiency(sizes: &[usize], requests_max: usize, options: &Options) -> f64 {
    let samples: Vec<_> = sizes.iter().map(|&size| contents(size as u64, size)).collect();
    let mut source = ScriptedSource::new().medium(Medium::Network);
    for (number, sample) in samples.iter().enumerate() {
        source = source.file(format!("{number:04}"), sample.clone());
    }
    // Only the prefetcher reads.
    let readers = if options.mode == Mode::Adaptive { options.threads.min(sizes.len()) } else { 1 };
    let source = source.behind_a_network(LATENCY, RANGE_BYTES as u64, requests_max, readers);
    let run = hash(&source, options);
    for (record, sample) in run.records.iter().zip(&samples) {
        assert_eq!(record.outcome, Outcome::Complete);
        assert_eq!(record.digests, digests(options.selection.algorithms(), sample));
    }
    let ranges: u64 = sizes.iter().map(|size| size.div_ceil(RANGE_BYTES) as u64).sum();
    assert_eq!(source.requests(), ranges, "each range is asked for once");
    let extra = options.threads;
    assert!(source.requests_at_once_max() <= requests_max + extra, "{} at once", source.requests_at_once_max());
    let ideal = LATENCY.as_secs_f64() * ranges as f64 / requests_max as f64;
    ideal / source.simulated_time().as_secs_f64()
}

/// The files are sorted, so that all are known before the first is read: the real time of the walk does not matter
/// here.
fn options(threads: usize, names: &[&str]) -> Options {
    Options { threads, memory_bytes: 512 << 20, order: Order::Inode, ..Options::new(algorithms(names)) }
}

#[test]
fn small_files_keep_the_window_full() {
    let _watchdog = watchdog(300);
    let sizes: Vec<usize> = (0..640).map(|number| 1 + number * 7919 % 30_000).collect();
    for (requests_max, names) in [(4, &["md5"][..]), (16, &["md5"]), (32, &["crc32", "sha256"]), (16, &["blake3"])] {
        let reached = efficiency(&sizes, requests_max, &options(1, names));
        assert!(reached >= 0.9, "{requests_max} requests, {names:?}: {reached:.3}");
    }
}

#[test]
fn one_long_file_keeps_the_window_full() {
    let _watchdog = watchdog(300);
    for names in [&["md5"][..], &["crc32", "xxh3-64"], &["blake3"]] {
        let reached = efficiency(&[160 * RANGE_BYTES + 1], 8, &options(1, names));
        assert!(reached >= 0.9, "{names:?}: {reached:.3}");
    }
}

#[test]
fn long_files_beside_small_ones_keep_the_window_full() {
    let _watchdog = watchdog(300);
    let sizes: Vec<usize> = (0..300).map(|number| if number % 20 == 7 { 9 * RANGE_BYTES } else { 5000 }).collect();
    let reached = efficiency(&sizes, 8, &options(1, &["md5"]));
    assert!(reached >= 0.9, "{reached:.3}");
}

#[test]
fn two_threads_share_the_window() {
    let _watchdog = watchdog(300);
    let sizes: Vec<usize> = (0..640).map(|number| 1 + number * 7919 % 30_000).collect();
    let reached = efficiency(&sizes, 16, &options(2, &["md5"]));
    assert!(reached >= 0.9, "{reached:.3}");
}

/// The published modes have no look-ahead across files, but have it within one.
#[test]
fn other_modes_read_ahead_in_long_files() {
    let _watchdog = watchdog(300);
    for mode in [Mode::Smt, Mode::Mtp] {
        let options = Options { mode, ..options(2, &["md5"]) };
        let reached = efficiency(&[160 * RANGE_BYTES], 8, &options);
        assert!(reached >= 0.85, "{mode:?}: {reached:.3}");
    }
}
