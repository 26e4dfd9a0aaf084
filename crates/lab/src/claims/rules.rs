//! How a figure and its interval become a verdict.

use super::{Figure, Statement, Verdict};
use crate::statistics::Estimate;

/// Times that differ by less than this factor count as equal.
///
/// Where a program's code and data happen to lie in memory changes its speed by a few percent, and does not average out over
/// repeats of one build (Mytkowicz, Diwan, Hauswirth and Sweeney 2009, Producing wrong data without doing anything obviously wrong).
pub const EQUAL_WITHIN: f64 = 1.03;

/// The verdict on a figure of which the statement says that it is at least `holds`, and which contradicts it below
/// `contradicts`; in between it is weaker than stated.
fn judge(measured: Option<&Estimate>, contradicts: f64, holds: f64) -> Verdict {
    let Some(measured) = measured else { return Verdict::NotMeasured };
    match measured.interval {
        None => Verdict::Undecided,
        Some(interval) if interval.low >= holds => Verdict::Holds,
        Some(interval) if interval.high < contradicts => Verdict::Reversed,
        Some(interval) if interval.high < holds && holds > EQUAL_WITHIN => Verdict::Weaker,
        Some(_) => Verdict::Undecided,
    }
}

/// "The first costs more than the second": their ratio is above 1.
#[must_use]
pub fn more(subject: impl Into<String>, measured: Option<Estimate>, published: Option<f64>) -> Statement {
    let verdict = judge(measured.as_ref(), 1.0 / EQUAL_WITHIN, EQUAL_WITHIN);
    Statement { subject: subject.into(), figure: Figure::Ratio, measured, published, verdict }
}

/// "The first costs no less than the second": as [`more`], but equality satisfies it.
#[must_use]
pub fn no_less(subject: impl Into<String>, measured: Option<Estimate>, published: Option<f64>) -> Statement {
    let verdict = judge(measured.as_ref(), 1.0 / EQUAL_WITHIN, 1.0 / EQUAL_WITHIN);
    Statement { subject: subject.into(), figure: Figure::Ratio, measured, published, verdict }
}

/// "The first costs about `times` times the second", with `times` above 1.
///
/// It holds where the ratio is nearer to `times` than to 1 on a logarithmic scale, or beyond it; below 1 it is reversed;
/// between, it is weaker.
#[must_use]
pub fn about(subject: impl Into<String>, measured: Option<Estimate>, times: f64, published: Option<f64>) -> Statement {
    let verdict = judge(measured.as_ref(), 1.0 / EQUAL_WITHIN, times.sqrt());
    Statement { subject: subject.into(), figure: Figure::Ratio, measured, published, verdict }
}

/// "Both cost the same within a factor": reversed where the interval lies wholly outside.
#[must_use]
pub fn equal(subject: impl Into<String>, measured: Option<Estimate>, within: f64, published: Option<f64>) -> Statement {
    let verdict = match measured.map(|estimate| estimate.interval) {
        None => Verdict::NotMeasured,
        Some(None) => Verdict::Undecided,
        Some(Some(interval)) if interval.low >= 1.0 / within && interval.high <= within => Verdict::Holds,
        Some(Some(interval)) if interval.high < 1.0 / within || interval.low > within => Verdict::Reversed,
        Some(Some(_)) => Verdict::Undecided,
    };
    Statement { subject: subject.into(), figure: Figure::Ratio, measured, published, verdict }
}

/// "The figure is at least `bound`."
#[must_use]
pub fn at_least(
    subject: impl Into<String>,
    figure: Figure,
    measured: Option<Estimate>,
    bound: f64,
    published: Option<f64>,
) -> Statement {
    let verdict = match measured.map(|estimate| estimate.interval) {
        None => Verdict::NotMeasured,
        Some(None) => Verdict::Undecided,
        Some(Some(interval)) if interval.low >= bound => Verdict::Holds,
        Some(Some(interval)) if interval.high < bound => Verdict::Reversed,
        Some(Some(_)) => Verdict::Undecided,
    };
    Statement { subject: subject.into(), figure, measured, published, verdict }
}

/// "The figure is at most `bound`."
#[must_use]
pub fn at_most(
    subject: impl Into<String>,
    figure: Figure,
    measured: Option<Estimate>,
    bound: f64,
    published: Option<f64>,
) -> Statement {
    let negative = measured.map(|estimate| estimate.map(|value| -value));
    Statement { measured, ..at_least(subject, figure, negative, -bound, published) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Interval;

    fn estimate(low: f64, high: f64) -> Option<Estimate> {
        Some(Estimate { value: f64::midpoint(low, high), interval: Some(Interval { low, high }) })
    }

    #[test]
    fn an_order_is_decided_by_the_whole_interval() {
        let verdict = |low, high| more("", estimate(low, high), None).verdict;
        assert_eq!(verdict(1.05, 1.2), Verdict::Holds);
        assert_eq!(verdict(0.5, 0.9), Verdict::Reversed);
        assert_eq!(verdict(0.9, 1.2), Verdict::Undecided);
        // Equal for practical purposes, however narrow the interval is.
        assert_eq!(verdict(1.01, 1.02), Verdict::Undecided);
        assert_eq!(no_less("", estimate(0.98, 1.01), None).verdict, Verdict::Holds);
        assert_eq!(no_less("", estimate(0.8, 0.9), None).verdict, Verdict::Reversed);
    }

    #[test]
    fn a_size_is_judged_by_what_it_is_nearer_to() {
        let verdict = |low, high| about("", estimate(low, high), 3.0, Some(3.0)).verdict;
        assert_eq!(verdict(2.8, 3.3), Verdict::Holds);
        assert_eq!(verdict(7.0, 7.1), Verdict::Holds);
        assert_eq!(verdict(1.3, 1.4), Verdict::Weaker);
        assert_eq!(verdict(0.99, 1.01), Verdict::Weaker);
        assert_eq!(verdict(0.42, 0.44), Verdict::Reversed);
        assert_eq!(verdict(1.6, 1.9), Verdict::Undecided);
    }

    #[test]
    fn bounds_and_equality() {
        assert_eq!(equal("", estimate(0.98, 1.04), 1.05, None).verdict, Verdict::Holds);
        assert_eq!(equal("", estimate(0.98, 1.06), 1.05, None).verdict, Verdict::Undecided);
        assert_eq!(equal("", estimate(1.2, 1.3), 1.05, None).verdict, Verdict::Reversed);
        let share = |low, high| at_most("", Figure::Share, estimate(low, high), 0.01, None);
        assert_eq!(share(0.002, 0.004).verdict, Verdict::Holds);
        assert_eq!(share(0.02, 0.04).verdict, Verdict::Reversed);
        assert_eq!(share(0.002, 0.04).verdict, Verdict::Undecided);
        assert_eq!(share(0.002, 0.004).measured, estimate(0.002, 0.004));
    }

    #[test]
    fn without_an_interval_nothing_is_decided() {
        let lone = Some(Estimate { value: 9.0, interval: None });
        assert_eq!(more("", lone, None).verdict, Verdict::Undecided);
        assert_eq!(about("", lone, 2.0, None).verdict, Verdict::Undecided);
        assert_eq!(equal("", lone, 2.0, None).verdict, Verdict::Undecided);
        assert_eq!(at_least("", Figure::Minutes, lone, 2.0, None).verdict, Verdict::Undecided);
        assert_eq!(more("", None, None).verdict, Verdict::NotMeasured);
    }
}
