//! The time of a run as a sum of two terms: for each file, and for each byte.

/// Mean size above which files of one size are taken to cost by their bytes, if nothing tells the two terms apart.
const LONG_BYTES: f64 = 65_536.0;

/// Below this, relative to its greatest value, the determinant of the normal equations is noise.
const SINGULAR: f64 = 1e-4;

/// The time of storage or a processor: `files · file_seconds + bytes · byte_seconds`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Seconds for each file beside its bytes: finding, opening, seeking.
    pub file_seconds: f64,
    /// Seconds for each byte.
    pub byte_seconds: f64,
}

/// Files, bytes and seconds of a run.
pub(super) type Run = (f64, f64, f64);

impl Cost {
    /// Fits the terms to runs by least squares of relative errors; neither is negative. `None` without a run.
    ///
    /// If all runs have the same mean size, short files are taken to cost by their number, and long ones by their
    /// bytes.
    #[must_use]
    pub fn fit(runs: &[(f64, f64, f64)]) -> Option<Cost> {
        let sum = |term: &dyn Fn(&Run) -> f64| runs.iter().map(term).sum::<f64>();
        let usable = |run: &Run| run.0 >= 0.0 && run.1 >= 0.0 && run.0 + run.1 > 0.0 && run.2 > 0.0;
        if runs.is_empty() || !runs.iter().all(usable) {
            return None;
        }
        // Relative errors: (a·n + b·B − t) / t.
        let (nn, bb, nb) =
            (sum(&|r| (r.0 / r.2).powi(2)), sum(&|r| (r.1 / r.2).powi(2)), sum(&|r| r.0 * r.1 / (r.2 * r.2)));
        let (n, b) = (sum(&|r| r.0 / r.2), sum(&|r| r.1 / r.2));
        let by_files = Cost { file_seconds: if nn > 0.0 { n / nn } else { 0.0 }, byte_seconds: 0.0 };
        let by_bytes = Cost { file_seconds: 0.0, byte_seconds: if bb > 0.0 { b / bb } else { 0.0 } };
        let determinant = nn * bb - nb * nb;
        if determinant <= SINGULAR * nn * bb {
            let is_long = sum(&|r| r.1) > LONG_BYTES * sum(&|r| r.0);
            return Some(if is_long { by_bytes } else { by_files });
        }
        let cost =
            Cost { file_seconds: (n * bb - b * nb) / determinant, byte_seconds: (b * nn - n * nb) / determinant };
        Some(match cost {
            Cost { file_seconds, .. } if file_seconds < 0.0 => by_bytes,
            Cost { byte_seconds, .. } if byte_seconds < 0.0 => by_files,
            cost => cost,
        })
    }

    /// Seconds for this number of files and bytes.
    #[must_use]
    pub fn seconds(&self, files: f64, bytes: f64) -> f64 {
        files * self.file_seconds + bytes * self.byte_seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(measured: f64, expected: f64) {
        assert!((measured - expected).abs() <= 1e-9 * expected.abs().max(1e-12), "{measured} is not {expected}");
    }

    #[test]
    fn terms_of_exact_runs_are_found() {
        let truth = Cost { file_seconds: 0.008, byte_seconds: 1.0 / 150e6 };
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
        assert_eq!(Cost::fit(&[(5.0, 0.0, 1.0)]).expect("empty files"), Cost { file_seconds: 0.2, byte_seconds: 0.0 });
    }

    #[test]
    fn nothing_has_no_cost() {
        assert_eq!(Cost::fit(&[]), None);
        assert_eq!(Cost::fit(&[(0.0, 0.0, 1.0)]), None);
        assert_eq!(Cost::fit(&[(1.0, 1.0, 0.0)]), None);
    }
}
