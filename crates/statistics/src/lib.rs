//! Statistics of repeated timings: medians with their uncertainty, and straight lines through them.
//!
//! Timings are skewed to the right, and their disturbances are one-sided, so everything here rests on medians and on
//! resampling rather than on a normal distribution. The one exception is [`Line`], whose intervals are those of
//! ordinary least squares, because that is what the published studies fitted.
//!
//! ```
//! use pfh_statistics::{Repeats, ratio_of_medians};
//!
//! let (slow, fast) = (Repeats::from([2.0, 2.1, 1.9, 2.0, 2.0]), Repeats::from([1.0, 1.1, 1.0, 0.9, 1.0]));
//! let ratio = ratio_of_medians(&slow, &fast).unwrap();
//! assert_eq!(ratio.value, 2.0);
//! assert!(ratio.interval.is_some());
//! ```
//!
//! This crate knows nothing of what was timed. Functions that are resampled thousands of times are taken as `dyn`, so
//! that the loops around them are compiled here, optimised also in tests.
#![forbid(unsafe_code)]

mod bootstrap;
mod line;
mod order;
mod repeats;
mod summary;

use statrs::distribution::{ContinuousCDF, StudentsT};

pub use bootstrap::{bootstrap, jackknife, of_medians, ratio_by_rounds, ratio_of_medians, share_of_sums};
pub use line::{Line, passes_through_all};
pub use order::{median, quantile};
pub use repeats::Repeats;
pub use summary::{Outlier, Summary};

/// Probability with which an interval here covers the true value, as far as its assumptions hold. With five
/// rounds, the fewest that have one, it is 0.94 for a median.
pub const CONFIDENCE: f64 = 0.95;

/// Quantile of Student's t at which an interval ends, for these degrees of freedom; `None` where there are none.
fn student_quantile(freedom: f64) -> Option<f64> {
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some(student.inverse_cdf(f64::midpoint(1.0, CONFIDENCE)))
}

/// A range with a lower and an upper end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Half the distance between the ends.
    #[must_use]
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether two ranges have a value in common.
    #[must_use]
    pub fn overlaps(self, other: Interval) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Both ends by a function that preserves or reverses the order.
    #[must_use]
    pub fn map(self, function: impl Fn(f64) -> f64) -> Interval {
        let (a, b) = (function(self.low), function(self.high));
        Interval { low: a.min(b), high: a.max(b) }
    }
}

/// A value with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value itself.
    pub value: f64,
    /// Where the true value lies with probability [`CONFIDENCE`]; `None` where there are too few observations to say.
    pub interval: Option<Interval>,
}

impl Estimate {
    /// Whether the uncertainties of both leave no doubt about which is the larger.
    #[must_use]
    pub fn differs_from(&self, other: &Estimate) -> bool {
        self.interval.zip(other.interval).is_some_and(|(one, other)| !one.overlaps(other))
    }

    /// Value and both ends by a function that preserves or reverses the order.
    #[must_use]
    pub fn map(self, function: impl Fn(f64) -> f64) -> Estimate {
        Estimate { value: function(self.value), interval: self.interval.map(|interval| interval.map(function)) }
    }
}
