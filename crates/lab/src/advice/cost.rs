//! The time of a run as a sum of terms: for each file, for each byte, and for the start.

/// Mean size above which files of one size are taken to cost by their bytes, if nothing tells the two terms apart.
const LONG_BYTES: f64 = 65_536.0;

/// Below this, relative to its greatest value, the determinant of the normal equations is noise.
const SINGULAR: f64 = 1e-4;

/// Fewest runs that can tell a start from noise.
const START_RUNS: usize = 5;

/// By how many times its share of the rest a start must lower the sum of squares (an F statistic).
const START_EVIDENCE: f64 = 16.0;

/// Steps of the search for the start. Each leaves two thirds of the range.
const START_STEPS: usize = 40;

/// The time of storage or a processor: `start_seconds + files · file_seconds + bytes · byte_seconds`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Seconds that a run takes whatever it reads.
    pub start_seconds: f64,
    /// Seconds for each file beside its bytes: finding, opening, seeking.
    pub file_seconds: f64,
    /// Seconds for each byte.
    pub byte_seconds: f64,
}

/// Files, bytes and seconds of a run.
pub(super) type Run = (f64, f64, f64);

impl Cost {
    /// Fits the terms for files and bytes to runs by least squares of relative errors; neither is negative. `None`
    /// without a run.
    ///
    /// If all runs have the same mean size, short files are taken to cost by their number, and long ones by their
    /// bytes.
    #[must_use]
    pub fn fit(runs: &[(f64, f64, f64)]) -> Option<Cost> {
        Cost::fit_after(runs, 0.0)
    }

    /// Fits like [`Cost::fit`] what runs take beyond a start, which is at most what the shortest takes.
    pub(super) fn fit_after(runs: &[Run], start_seconds: f64) -> Option<Cost> {
        let sum = |term: &dyn Fn(&Run) -> f64| runs.iter().map(term).sum::<f64>();
        let usable = |run: &Run| run.0 >= 0.0 && run.1 >= 0.0 && run.0 + run.1 > 0.0 && run.2 > 0.0;
        if runs.is_empty() || !runs.iter().all(usable) {
            return None;
        }
        let start_seconds = start_seconds.min(shortest(runs));
        // Relative errors: (s + a·n + b·B − t) / t.
        let (nn, bb, nb) =
            (sum(&|r| (r.0 / r.2).powi(2)), sum(&|r| (r.1 / r.2).powi(2)), sum(&|r| r.0 * r.1 / (r.2 * r.2)));
        let rest = |r: &Run| (r.2 - start_seconds) / (r.2 * r.2);
        let (n, b) = (sum(&|r| r.0 * rest(r)), sum(&|r| r.1 * rest(r)));
        let of = |file_seconds, byte_seconds| Cost { start_seconds, file_seconds, byte_seconds };
        let by_files = of(if nn > 0.0 { n / nn } else { 0.0 }, 0.0);
        let by_bytes = of(0.0, if bb > 0.0 { b / bb } else { 0.0 });
        let determinant = nn * bb - nb * nb;
        if determinant <= SINGULAR * nn * bb {
            let is_long = sum(&|r| r.1) > LONG_BYTES * sum(&|r| r.0);
            return Some(if is_long { by_bytes } else { by_files });
        }
        Some(match of((n * bb - b * nb) / determinant, (b * nn - n * nb) / determinant) {
            Cost { file_seconds, .. } if file_seconds < 0.0 => by_bytes,
            Cost { byte_seconds, .. } if byte_seconds < 0.0 => by_files,
            cost => cost,
        })
    }

    /// Fits all three terms to runs of neighbouring files and to others. The former tell the start, since they differ
    /// in size; if what they show may be noise, it is none.
    pub(super) fn fit_with_start(runs: &[Run], others: &[Run]) -> Option<Cost> {
        let all = [runs, others].concat();
        let none = Cost::fit(&all)?;
        if runs.len() < START_RUNS {
            return Some(none);
        }
        let after = |start_seconds| Cost::fit_after(&all, start_seconds).unwrap_or(none);
        // The sum of squares has one minimum.
        let (mut low, mut high) = (0.0, shortest(runs));
        for _ in 0..START_STEPS {
            let third = (high - low) / 3.0;
            if after(low + third).squares(runs) < after(high - third).squares(runs) {
                high -= third;
            } else {
                low += third;
            }
        }
        let some = after(low);
        let (without, with) = (none.squares(runs), some.squares(runs));
        let is_shown = (without - with) * (runs.len() - 3) as f64 > START_EVIDENCE * with.max(f64::EPSILON);
        Some(if is_shown { some } else { none })
    }

    /// Sum of the squares of relative errors.
    fn squares(&self, runs: &[Run]) -> f64 {
        runs.iter().map(|run| (self.seconds(run.0, run.1) / run.2 - 1.0).powi(2)).sum()
    }

    /// Seconds for this number of files and bytes.
    #[must_use]
    pub fn seconds(&self, files: f64, bytes: f64) -> f64 {
        self.start_seconds + files * self.file_seconds + bytes * self.byte_seconds
    }
}

/// Seconds of the shortest run.
fn shortest(runs: &[Run]) -> f64 {
    runs.iter().map(|run| run.2).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(measured: f64, expected: f64) {
        assert!((measured - expected).abs() <= 1e-9 * expected.abs().max(1e-12), "{measured} is not {expected}");
    }

    #[test]
    fn terms_of_exact_runs_are_found() {
        let truth = Cost { file_seconds: 0.008, byte_seconds: 1.0 / 150e6, ..Cost::default() };
        let run = |files: f64, bytes: f64| (files, bytes, truth.seconds(files, bytes));
        let cost = Cost::fit(&[run(300.0, 3e6), run(20.0, 4e8), run(250.0, 2.5e6), run(10.0, 3e8)]).expect("runs");
        close(cost.file_seconds, truth.file_seconds);
        close(cost.byte_seconds, truth.byte_seconds);
    }

    #[test]
    fn no_term_is_negative() {
        // Short files that come faster by the byte than long ones.
        let cost = Cost::fit(&[(100.0, 1e6, 0.5), (1.0, 1e6, 1.0)]).expect("runs");
        assert!(cost.file_seconds == 0.0 && cost.byte_seconds > 0.0, "{cost:?}");
        let cost = Cost::fit(&[(10.0, 1e9, 1.0), (10.0, 10.0, 2.0)]).expect("runs");
        assert!(cost.byte_seconds == 0.0 && cost.file_seconds > 0.0, "{cost:?}");
    }

    #[test]
    fn files_of_one_size_cost_by_number_if_short_and_by_bytes_if_long() {
        let short = Cost::fit(&[(100.0, 4e5, 1.0), (200.0, 8e5, 2.0)]).expect("runs");
        close(short.file_seconds, 0.01);
        assert_eq!(short.byte_seconds, 0.0);
        let long = Cost::fit(&[(1.0, 1e9, 10.0), (2.0, 2e9, 20.0)]).expect("runs");
        close(long.byte_seconds, 1e-8);
        assert_eq!(Cost::fit(&[(5.0, 0.0, 1.0)]).expect("empty files"), Cost { file_seconds: 0.2, ..Cost::default() });
    }

    #[test]
    fn a_start_is_found_where_sizes_differ() {
        let truth = Cost { start_seconds: 0.4, file_seconds: 0.005, byte_seconds: 1e-8 };
        let run = |files: f64, bytes: f64| (files, bytes, truth.seconds(files, bytes));
        let runs = [run(240.0, 5e5), run(64.0, 2e5), run(224.0, 6e5), run(64.0, 1e5), run(32.0, 5e4)];
        let long = [run(8.0, 8e7), run(8.0, 2e7)];
        let cost = Cost::fit_with_start(&runs, &long).expect("runs");
        for (measured, expected) in [
            (cost.start_seconds, truth.start_seconds),
            (cost.file_seconds, truth.file_seconds),
            (cost.byte_seconds, truth.byte_seconds),
        ] {
            assert!((measured / expected - 1.0).abs() < 1e-4, "{cost:?}");
        }
        // Without it, files would seem to take longer.
        assert!(Cost::fit(&runs).expect("runs").file_seconds > 1.2 * truth.file_seconds);
        assert_eq!(Cost::fit_with_start(&runs[..4], &[]), Cost::fit(&runs[..4]));
    }

    #[test]
    fn noise_is_no_start() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut shown = 0;
        for _ in 0..200 {
            let mut run = |files: f64, bytes: f64| {
                (files, bytes, (files * 0.01 + bytes * 1e-8) * (1.0 + 0.1 * (2.0 * random.f64() - 1.0)))
            };
            let sizes = [(120.0, 4e5), (32.0, 1e5), (128.0, 5e5), (32.0, 9e4), (128.0, 4e5), (32.0, 1e5)];
            let runs = sizes.map(|(files, bytes)| run(files, bytes));
            let long = [(8.0, 1e8), (8.0, 3e7)].map(|(files, bytes)| run(files, bytes));
            let cost = Cost::fit_with_start(&runs, &long).expect("runs");
            shown += u32::from(cost.start_seconds > 0.0);
        }
        assert!(shown <= 10, "{shown} of 200");
    }

    #[test]
    fn nothing_has_no_cost() {
        assert_eq!(Cost::fit(&[]), None);
        assert_eq!(Cost::fit(&[(0.0, 0.0, 1.0)]), None);
        assert_eq!(Cost::fit(&[(1.0, 1.0, 0.0)]), None);
    }
}
