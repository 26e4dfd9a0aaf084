//! Median, quartiles, interval of the median, and outliers.

use crate::bootstrap::bootstrap;
use crate::order::{median, quantile};
use crate::repeats::Repeats;
use crate::{Estimate, Interval};

/// Summary of a set of repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Number of values.
    pub count: usize,
    /// The smallest value.
    pub least: f64,
    /// A quarter of the values is smaller.
    pub lower_quartile: f64,
    /// Half of the values is smaller.
    pub median: f64,
    /// A quarter of the values is greater.
    pub upper_quartile: f64,
    /// The greatest value.
    pub greatest: f64,
    /// Bootstrap interval of the median; `None` for fewer than five rounds.
    pub interval: Option<Interval>,
    /// Values beyond Tukey's fences, in the order of the values. They stay in the figures above.
    pub outliers: Vec<Outlier>,
}

/// A value far from the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlier {
    /// Its place among the values, from 0.
    pub index: usize,
    /// The value.
    pub value: f64,
    /// Beyond the outer fences: three interquartile ranges from the quartiles rather than one and a half.
    pub far: bool,
}

/// Distances of the inner and outer fences from the quartiles, in interquartile ranges (Tukey 1977, Exploratory Data
/// Analysis, section 2D).
const FENCES: [f64; 2] = [1.5, 3.0];

impl Summary {
    /// Summarises repeats.
    ///
    /// `None` if there are no values or one is not finite.
    #[must_use]
    pub fn of(repeats: &Repeats) -> Option<Summary> {
        let values: Vec<f64> = repeats.values().collect();
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let (lower_quartile, upper_quartile) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
        let spread = upper_quartile - lower_quartile;
        let beyond =
            |value: f64, fence: f64| value < lower_quartile - fence * spread || value > upper_quartile + fence * spread;
        let outliers = values
            .iter()
            .enumerate()
            .filter(|&(_, &value)| beyond(value, FENCES[0]))
            .map(|(index, &value)| Outlier { index, value, far: beyond(value, FENCES[1]) })
            .collect();
        Some(Summary {
            count: values.len(),
            least: sorted[0],
            lower_quartile,
            median: quantile(&sorted, 0.5),
            upper_quartile,
            greatest: sorted[sorted.len() - 1],
            interval: bootstrap(&[repeats], &mut |drawn| median(&mut drawn[0])),
            outliers,
        })
    }

    /// Median with its interval.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        Estimate { value: self.median, interval: self.interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_those_of_r() {
        // `quantile(c(7, 1, 3, 12, 5, 9, 2, 40))` in R: 1, 2.75, 6, 9.75, 40.
        let summary = Summary::of(&Repeats::from([7.0, 1.0, 3.0, 12.0, 5.0, 9.0, 2.0, 40.0])).expect("values");
        assert_eq!(
            (summary.least, summary.lower_quartile, summary.median, summary.upper_quartile, summary.greatest),
            (1.0, 2.75, 6.0, 9.75, 40.0)
        );
        // Fences at 2.75 - 10.5 and 9.75 + 10.5, outer at 9.75 + 21: only 40 is beyond, and beyond both.
        assert_eq!(summary.outliers, [Outlier { index: 7, value: 40.0, far: true }]);
    }

    #[test]
    fn an_outlier_moves_the_median_little_and_is_named() {
        let values = [10.0, 10.1, 9.9, 10.2, 9.8, 10.0, 10.1, 9.9, 10.0, 1000.0];
        let summary = Summary::of(&values.into()).expect("values");
        assert_eq!(summary.median, 10.0);
        assert_eq!(summary.outliers.len(), 1);
        assert_eq!(summary.outliers[0].index, 9);
        let interval = summary.interval.expect("ten values");
        assert!(interval.low >= 9.8 && interval.high <= 10.2, "{interval:?}");
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(Summary::of(&Repeats::default()), None);
        assert_eq!(Summary::of(&Repeats::from([1.0, f64::NAN])), None);
        assert_eq!(Summary::of(&Repeats::from([f64::INFINITY])), None);
        assert_eq!(Summary::of(&Repeats::from([3.0])).expect("one value").interval, None);
        assert_eq!(Summary::of(&Repeats::from([1.0, 2.0, 4.0, 5.0])).expect("four values").interval, None);
        // With five values nothing better than their range can be said.
        let five = Summary::of(&Repeats::from([1.0, 2.0, 4.0, 5.0, 7.0])).expect("five values");
        assert_eq!(five.interval, Some(Interval { low: 1.0, high: 7.0 }));
    }

    #[test]
    fn medians() {
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [3.0]), Some(3.0));
        assert_eq!(median(&mut [9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 9.0]), Some(3.0));
    }
}
