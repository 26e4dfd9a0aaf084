//! Ordinary least squares: y = a + b·x.

use crate::{Estimate, Interval, student_quantile};

/// A straight line fitted to points by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// y where x is 0, in the unit of y.
    pub intercept: Estimate,
    /// Growth of y for one unit of x.
    pub slope: Estimate,
    /// Share of the variance of y that the line explains, 0 to 1.
    pub r_squared: f64,
    /// Number of points.
    pub points: usize,
    mean_x: f64,
    /// Sum of squared distances of x from its mean.
    spread_x: f64,
    /// Student's t times the standard error of one observation; `None` where two points leave nothing to judge by.
    uncertainty: Option<f64>,
}

impl Line {
    /// Fits points `(x, y)`.
    ///
    /// Intervals assume errors that are independent and of one size (Draper and Smith, Applied Regression Analysis,
    /// chapter 1). `None` if there are fewer than two different x, or a coordinate is not finite.
    #[must_use]
    pub fn fit(points: &[(f64, f64)]) -> Option<Line> {
        Line::with_quantile(points, student_quantile)
    }

    /// Fits points as [`fit`](Self::fit) does, without intervals: for lines through thousands of resamples, where the
    /// quantile of Student's t would take most of the time.
    #[must_use]
    pub fn without_intervals(points: &[(f64, f64)]) -> Option<Line> {
        Line::with_quantile(points, |_| None)
    }

    /// Fits points; `quantile` is that of Student's t for the degrees of freedom, or `None` for no intervals.
    fn with_quantile(points: &[(f64, f64)], quantile: impl FnOnce(f64) -> Option<f64>) -> Option<Line> {
        let count = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
        let sum =
            |term: &dyn Fn(f64, f64) -> f64| points.iter().map(|(x, y)| term(x - mean_x, y - mean_y)).sum::<f64>();
        let (spread_x, spread_y, shared) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
        let slope = shared / spread_x;
        if spread_x <= 0.0 || ![slope, mean_y, spread_y].iter().all(|value| value.is_finite()) {
            return None;
        }
        let residual = sum(&|x, y| (y - slope * x).powi(2));
        let freedom = count - 2.0;
        let uncertainty = quantile(freedom).map(|quantile| quantile * (residual / freedom).sqrt());
        let around = |value: f64, scale: f64| Estimate {
            value,
            interval: uncertainty.map(|by| Interval { low: value - by * scale, high: value + by * scale }),
        };
        Some(Line {
            intercept: around(mean_y - slope * mean_x, (1.0 / count + mean_x * mean_x / spread_x).sqrt()),
            slope: around(slope, 1.0 / spread_x.sqrt()),
            // Points on a level line are explained wholly.
            r_squared: if spread_y > 0.0 { 1.0 - residual / spread_y } else { 1.0 },
            points: points.len(),
            mean_x,
            spread_x,
            uncertainty,
        })
    }

    /// The line's y at `x`, with the interval of the mean response there. Far from the points it is wide, and rightly
    /// so.
    #[must_use]
    pub fn at(&self, x: f64) -> Estimate {
        let value = self.intercept.value + self.slope.value * x;
        let scale = (1.0 / self.points as f64 + (x - self.mean_x).powi(2) / self.spread_x).sqrt();
        let interval = self.uncertainty.map(|by| Interval { low: value - by * scale, high: value + by * scale });
        Estimate { value, interval }
    }
}

/// Points beyond which [`passes_through_all`] looks at an even selection: its time grows with their cube.
const POINTS_MAX: usize = 64;

/// Whether there is a straight line that passes through the interval of every point.
///
/// If there is one, there is also one through an end of each of two intervals, so these are tried.
#[must_use]
pub fn passes_through_all(points: &[(f64, Interval)]) -> bool {
    let points: Vec<_> = points.iter().step_by(points.len().div_ceil(POINTS_MAX).max(1)).copied().collect();
    // Lines that touch an end must not fail for the last digit of it.
    let slack = |end: f64| end.abs() * 1e-9;
    let holds = |intercept: f64, slope: f64| {
        points.iter().all(|(x, interval)| {
            let y = intercept + slope * x;
            y >= interval.low - slack(interval.low) && y <= interval.high + slack(interval.high)
        })
    };
    let ends: Vec<_> = points.iter().flat_map(|(x, interval)| [(*x, interval.low), (*x, interval.high)]).collect();
    points.len() < 3
        || ends.iter().enumerate().any(|(index, a)| {
            ends[index + 1..].iter().filter(|b| b.0 != a.0).any(|b| {
                let slope = (b.1 - a.1) / (b.0 - a.0);
                holds(a.1 - slope * a.0, slope)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(measured: f64, expected: f64, digits: f64) {
        assert!((measured - expected).abs() <= digits * expected.abs(), "{measured} is not {expected}");
    }

    /// NIST's Statistical Reference Datasets, linear regression, "Norris" (36 points, certified values).
    /// <https://www.itl.nist.gov/div898/strd/lls/data/Norris.shtml>
    #[test]
    fn certified_values_of_norris() {
        let points = [
            (0.2, 0.1),
            (337.4, 338.8),
            (118.2, 118.1),
            (884.6, 888.0),
            (10.1, 9.2),
            (226.5, 228.1),
            (666.3, 668.5),
            (996.3, 998.5),
            (448.6, 449.1),
            (777.0, 778.9),
            (558.2, 559.2),
            (0.4, 0.3),
            (0.6, 0.1),
            (775.5, 778.1),
            (666.9, 668.8),
            (338.0, 339.3),
            (447.5, 448.9),
            (11.6, 10.8),
            (556.0, 557.7),
            (228.1, 228.3),
            (995.8, 998.0),
            (887.6, 888.8),
            (120.2, 119.6),
            (0.3, 0.3),
            (0.3, 0.6),
            (556.8, 557.6),
            (339.1, 339.3),
            (887.2, 888.0),
            (999.0, 998.5),
            (779.0, 778.9),
            (11.1, 10.2),
            (118.3, 117.6),
            (229.2, 228.9),
            (669.1, 668.4),
            (448.9, 449.2),
            (0.5, 0.2),
        ];
        let line = Line::fit(&points).expect("points");
        close(line.intercept.value, -0.262323073774029, 1e-10);
        close(line.slope.value, 1.00211681802045, 1e-12);
        close(line.r_squared, 0.999993745883712, 1e-12);
        // Certified standard errors, times Student's t for 34 degrees of freedom at 97.5 %: 2.0322445 (any table).
        close(line.intercept.interval.expect("36 points").half_width(), 2.032_244_5 * 0.232818234301152, 1e-6);
        close(line.slope.interval.expect("36 points").half_width(), 2.032_244_5 * 0.429796848199937e-3, 1e-6);
    }

    #[test]
    fn the_interval_widens_away_from_the_points() {
        let line = Line::fit(&[(1.0, 1.1), (2.0, 1.9), (3.0, 3.2), (4.0, 3.9)]).expect("points");
        let width = |x: f64| line.at(x).interval.expect("four points").half_width();
        assert!(width(1000.0) > 100.0 * width(2.5));
        close(line.at(0.0).value, line.intercept.value, 1e-12);
        close(width(0.0), line.intercept.interval.expect("four points").half_width(), 1e-9);
    }

    #[test]
    fn a_line_without_intervals_is_the_same_line() {
        let points = [(1.0, 1.1), (2.0, 1.9), (3.0, 3.2), (4.0, 3.9)];
        let [with, without] = [Line::fit(&points), Line::without_intervals(&points)].map(|line| line.expect("points"));
        assert_eq!((with.slope.value, with.r_squared), (without.slope.value, without.r_squared));
        assert_eq!(with.at(9.0).value, without.at(9.0).value);
        assert!(with.slope.interval.is_some());
        assert_eq!((without.slope.interval, without.at(9.0).interval), (None, None));
    }

    #[test]
    fn a_line_through_all_intervals() {
        let around = |values: &[f64], by: f64| -> Vec<(f64, Interval)> {
            let interval = |value: f64| Interval { low: value - by, high: value + by };
            values.iter().enumerate().map(|(x, value)| (x as f64, interval(*value))).collect()
        };
        assert!(passes_through_all(&around(&[1.0, 2.0, 3.0, 4.0], 0.0)));
        assert!(passes_through_all(&around(&[1.0, 2.4, 2.8, 4.3], 0.4)));
        assert!(!passes_through_all(&around(&[1.0, 2.4, 2.8, 4.3], 0.1)));
        assert!(!passes_through_all(&around(&[0.0, 1.0, 4.0, 9.0, 16.0], 1.9)));
        assert!(passes_through_all(&around(&[0.0, 1.0, 4.0, 9.0, 16.0], 2.0)));
        let many: Vec<f64> = (0..20_000).map(f64::from).collect();
        assert!(passes_through_all(&around(&many, 0.5)));
    }

    #[test]
    fn what_is_no_line_is_none() {
        assert_eq!(Line::fit(&[]), None);
        assert_eq!(Line::fit(&[(1.0, 2.0)]), None);
        assert_eq!(Line::fit(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(Line::fit(&[(1.0, f64::NAN), (2.0, 3.0)]), None);
        assert_eq!(Line::fit(&[(1.0, 2.0), (f64::INFINITY, 3.0)]), None);
        let two = Line::fit(&[(1.0, 2.0), (2.0, 3.0)]).expect("two points");
        assert_eq!((two.slope.value, two.slope.interval), (1.0, None));
        assert_eq!(Line::fit(&[(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]).expect("level").r_squared, 1.0);
    }
}
