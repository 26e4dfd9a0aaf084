//! The time that a volume may take whose files are of other sizes than those of the samples.

use pfh_statistics::{Interval, median};

use super::cost::Run;

/// By this factor mean sizes may lie beyond those of the samples, and the files are still like them.
const LIKE: f64 = 1.1;

/// Sizes must differ by this factor, so that the difference of their times tells something.
const APART: f64 = 1.5;

/// By this share the time of a kind of samples is uncertain at least, however often it is measured; and of one that was
/// measured but once or twice.
const DEVIATION: f64 = 0.02;
const DEVIATION_OF_FEW: f64 = 0.05;
const FEW: usize = 2;

/// The time of samples is uncertain by this multiple of the distance of their quartiles, over the root of their number.
const QUARTILES: f64 = 3.0;

/// So much of the time of a sample may be its beginning and its end, when less is read at once.
const ENDS_SECONDS: f64 = 0.01;

/// Returns the least and the greatest mean size of samples, in bytes.
pub(super) fn sizes(runs: &[Run]) -> (f64, f64) {
    let means = runs.iter().map(|run| run.1 / run.0.max(1.0));
    means.fold((f64::INFINITY, 0.0), |(least, most), mean| (mean.min(least), mean.max(most)))
}

/// Whether files of a volume have sizes like those of the samples.
pub(super) fn is_like(runs: &[Run], files: f64, bytes: f64) -> bool {
    let ((least, most), mean) = (sizes(runs), bytes / files.max(1.0));
    (least / LIKE..=most * LIKE).contains(&mean)
}

/// Files of one size: their bytes, and the least and the greatest time of one that agrees with the samples.
#[derive(Clone, Copy, Debug)]
struct Point {
    bytes: f64,
    low: f64,
    high: f64,
}

impl Point {
    /// Of samples of one kind, which may differ in size. The seeming start of each may be none.
    fn of(runs: &[Run], start_seconds: f64) -> Option<Point> {
        let sum = |term: fn(&Run) -> f64| runs.iter().map(term).sum::<f64>();
        let (files, bytes, seconds) = (sum(|run| run.0), sum(|run| run.1), sum(|run| run.2));
        if files == 0.0 {
            return None;
        }
        let uncertain = if runs.len() > FEW { DEVIATION } else { DEVIATION_OF_FEW };
        let ends = (start_seconds + ENDS_SECONDS) * runs.len() as f64 / seconds;
        // The time of one file of their mean size, by whichever of number and bytes their times are more in proportion
        // to; and its uncertainty.
        let by = |all: f64, number: fn(&Run) -> f64| {
            let mut ratios: Vec<f64> =
                runs.iter().filter(|run| number(run) > 0.0).map(|run| run.2 / number(run)).collect();
            ratios.sort_unstable_by(f64::total_cmp);
            let middle = median(&mut ratios)?;
            let quartile = |part: usize| ratios[(ratios.len() - 1) * part / 4];
            let spread = (quartile(3) - quartile(1)) / middle * QUARTILES / (ratios.len() as f64).sqrt();
            Some((middle * all / files, spread.max(uncertain)))
        };
        let ways = [by(files, |run| run.0), by(bytes, |run| run.1)];
        let (middle, spread) = ways.into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let low = middle * (1.0 - spread - ends).max(0.0);
        Some(Point { bytes: bytes / files, low, high: middle * (1.0 + spread) })
    }
}

/// Returns the least and the greatest time of a volume. It follows from few things that hold where files and bytes wait
/// for each other, as on a disk, and where they do not, as over a network: a longer file takes no less time, but less
/// for each byte; and the more bytes there are, the more of the time is theirs. Where samples are all of one size, a
/// volume of longer files takes as long as its files, or as its bytes, or anything between.
pub(super) fn span(kinds: [&[Run]; 3], start_seconds: f64, files: f64, bytes: f64) -> Option<Interval> {
    let points: Vec<Point> = kinds.into_iter().filter_map(|runs| Point::of(runs, start_seconds)).collect();
    let size = bytes / files.max(1.0);
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    for point in &points {
        let part = if point.bytes > 0.0 { size / point.bytes } else { f64::INFINITY };
        low = low.max(point.low * part.min(1.0));
        high = high.min(point.high * if size > point.bytes { part } else { 1.0 });
    }
    for short in &points {
        for long in points.iter().filter(|long| long.bytes > APART * short.bytes) {
            let distance = long.bytes - short.bytes;
            let least = (long.low - short.high).max(0.0) / distance;
            let most = (long.high - short.low).max(0.0) / distance;
            match size {
                size if size >= long.bytes => low = low.max(long.low + least * (size - long.bytes)),
                size if size <= short.bytes => low = low.max(short.low - most * (short.bytes - size)),
                size => {
                    let along = (size - short.bytes) / distance;
                    high = high.min(short.high + along * (long.high - short.high));
                }
            }
        }
    }
    let [low, high] = [low.min(high), high.max(low)].map(|seconds| files * seconds);
    (!points.is_empty()).then_some(Interval { low, high: start_seconds + high })
}

#[cfg(test)]
mod tests {
    use super::super::Cost;
    use super::*;

    /// Samples by number of files and mean size, which take what `truth` says for one file, disturbed by up to `noise`
    /// either way.
    fn runs(samples: &[(f64, f64)], truth: impl Fn(f64) -> f64, noise: f64, random: &mut fastrand::Rng) -> Vec<Run> {
        let mut disturbed = |seconds: f64| seconds * (1.0 + noise * (2.0 * random.f64() - 1.0));
        samples.iter().map(|(files, mean)| (*files, files * mean, disturbed(files * truth(*mean)))).collect()
    }

    /// Seeks of 8 ms, which the transfer waits for, and latencies of 0.4 ms, beside which it goes on.
    fn disk(size: f64) -> f64 {
        Cost { file_seconds: 0.008, byte_seconds: 1.0 / 150e6, ..Cost::default() }.seconds(1.0, size)
    }

    fn network(size: f64) -> f64 {
        (size / 118e6).max(0.0004)
    }

    #[test]
    fn files_of_one_size_leave_everything_possible() {
        let mut random = fastrand::Rng::with_seed(1);
        let runs = runs(&[(100.0, 1e5), (50.0, 1e5), (8.0, 1e5)], disk, 0.0, &mut random);
        assert!(is_like(&runs, 1e6, 1.05e11) && !is_like(&runs, 1e6, 1.2e11) && !is_like(&runs, 1e6, 8e10));
        // 25 TB in 1.2 million files: by files alone, and by bytes alone.
        let Interval { low, high } = span([&runs, &[], &[]], 0.0, 1.2e6, 25e12).expect("samples");
        assert!((0.92..1.0).contains(&(low / (1.2e6 * disk(1e5)))), "{low}");
        assert!((high / (25e12 / 1e5 * disk(1e5)) - 1.0).abs() < 0.03, "{high}");
        // Files without bytes tell nothing of these.
        let empty = [(100.0, 0.0, 1.0), (50.0, 0.0, 0.5)];
        assert_eq!(span([&empty, &[], &[]], 0.0, 1e3, 1e9).expect("samples").high, f64::INFINITY);
        assert!(span([&empty, &[], &[]], 0.0, 1e3, 0.0).expect("samples").high < 11.0);
        assert_eq!(span([&[], &[], &[]], 0.0, 1e3, 1e9).map(|span| span.high), None);
    }

    #[test]
    fn the_span_holds_the_truth_and_is_narrow_where_sizes_differ() {
        let heads = [(128.0, 4096.0), (32.0, 4096.0), (128.0, 4096.0), (32.0, 4096.0)];
        let documents = [(128.0, 1e5), (32.0, 9e4), (128.0, 1.1e5), (32.0, 8e4)];
        let long = [(8.0, 5e6), (8.0, 4e6), (8.0, 5e6), (8.0, 3e6)];
        for (truth, files, size, narrow) in [
            (disk as fn(f64) -> f64, 1.2e6, 2e7, 1.8),
            (disk, 1e7, 3e4, 1.2),
            (disk, 1e7, 1e3, 1.2),
            (network, 1.2e6, 2e7, 1.2),
            (network, 1e7, 1e3, 5.0),
        ] {
            let mut random = fastrand::Rng::with_seed(2);
            for (noise, least) in [(0.0, 200), (0.02, 190), (0.05, 175)] {
                let mut held = 0;
                for _ in 0..200 {
                    let [heads, runs, long] = [&heads, &documents, &long].map(|of| runs(of, truth, noise, &mut random));
                    let Interval { low, high } = span([&runs, &heads, &long], 0.0, files, files * size).expect("span");
                    assert!(low <= high && high < (narrow + 8.0 * noise) * low, "{size}, {noise}: {low} {high}");
                    held += u32::from(low <= files * truth(size) && files * truth(size) <= high);
                }
                assert!(held >= least, "{size}, {noise}: {held} of 200");
            }
        }
    }
}
