//! How a figure and its interval become a verdict.

use pfh_statistics::Estimate;

use super::{Figure, Statement, Verdict};

/// Times that differ by less than this factor count as equal.
///
/// Where a program's code and data happen to lie in memory changes its speed by a few percent, and does not average out
/// over repeats of one build (Mytkowicz, Diwan, Hauswirth and Sweeney 2009, Producing wrong data without doing anything
/// obviously wrong).
pub const EQUAL_WITHIN: f64 = 1.03;

/// The ends of the regions in which a figure may lie, in ascending order: below the first it contradicts the statement,
/// from the second on it is as stated, and from the third on beyond that. Between the first and the second it is weaker
/// than stated.
struct Regions {
    contradicts: f64,
    holds: f64,
    beyond: f64,
    /// The verdict between contradiction and agreement: weaker, or no significant difference.
    between: Verdict,
}

impl Regions {
    /// The region in which the whole interval lies; undecided where it reaches into more than one.
    fn judge(&self, measured: Option<&Estimate>) -> Verdict {
        let Some(measured) = measured else { return Verdict::NotMeasured };
        let Some(interval) = measured.interval else { return Verdict::Undecided };
        let region = |value: f64| match value {
            _ if value < self.contradicts => Verdict::Reversed,
            _ if value < self.holds => self.between,
            _ if value < self.beyond => Verdict::Holds,
            _ => Verdict::Stronger,
        };
        let (low, high) = (region(interval.low), region(interval.high));
        if low == high { low } else { Verdict::Undecided }
    }
}

fn statement(
    subject: impl Into<String>,
    figure: Figure,
    measured: Option<Estimate>,
    published: Option<f64>,
    verdict: Verdict,
) -> Statement {
    Statement { subject: subject.into(), figure, measured, published, missing: None, verdict }
}

/// "The first costs more than the second": their ratio is above 1.
#[must_use]
pub fn more(subject: impl Into<String>, measured: Option<Estimate>, published: Option<f64>) -> Statement {
    let (contradicts, holds) = (1.0 / EQUAL_WITHIN, EQUAL_WITHIN);
    let regions = Regions { contradicts, holds, beyond: f64::INFINITY, between: Verdict::Undecided };
    statement(subject, Figure::Ratio, measured, published, regions.judge(measured.as_ref()))
}

/// "The first costs no less than the second": as [`more`], but equality satisfies it.
#[must_use]
pub fn no_less(subject: impl Into<String>, measured: Option<Estimate>, published: Option<f64>) -> Statement {
    let holds = 1.0 / EQUAL_WITHIN;
    let regions = Regions { contradicts: holds, holds, beyond: f64::INFINITY, between: Verdict::Undecided };
    statement(subject, Figure::Ratio, measured, published, regions.judge(measured.as_ref()))
}

/// "The first costs about `times` times the second", with `times` above 1.
///
/// On a logarithmic scale, it holds where the ratio is nearer to `times` than to 1 and nearer to it than to its square;
/// it is stronger beyond, weaker where it is nearer to 1, and reversed below 1.
#[must_use]
pub fn about(subject: impl Into<String>, measured: Option<Estimate>, times: f64, published: Option<f64>) -> Statement {
    let (holds, beyond) = (times.sqrt(), times.powf(1.5));
    let regions = Regions { contradicts: 1.0 / EQUAL_WITHIN, holds, beyond, between: Verdict::Weaker };
    statement(subject, Figure::Ratio, measured, published, regions.judge(measured.as_ref()))
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
    statement(subject, Figure::Ratio, measured, published, verdict)
}

/// "The figure is at least `bound`." Below it is `otherwise`: reversed where the statement is that there is so much at
/// all, weaker where it says how much there is of what cannot be negative.
#[must_use]
pub fn at_least(
    subject: impl Into<String>,
    figure: Figure,
    measured: Option<Estimate>,
    bound: f64,
    otherwise: Verdict,
    published: Option<f64>,
) -> Statement {
    let regions = Regions { contradicts: f64::NEG_INFINITY, holds: bound, beyond: f64::INFINITY, between: otherwise };
    statement(subject, figure, measured, published, regions.judge(measured.as_ref()))
}

/// "The figure is at most `bound`." Above it is `otherwise`.
#[must_use]
pub fn at_most(
    subject: impl Into<String>,
    figure: Figure,
    measured: Option<Estimate>,
    bound: f64,
    otherwise: Verdict,
    published: Option<f64>,
) -> Statement {
    let negative = measured.map(|estimate| estimate.map(|value| -value));
    Statement { measured, ..at_least(subject, figure, negative, -bound, otherwise, published) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_statistics::Interval;

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
        let table = [
            // Times stated, interval measured, verdict.
            (3.0, (2.8, 3.3), Verdict::Holds),
            (3.0, (1.75, 5.1), Verdict::Holds),
            (3.0, (7.0, 7.1), Verdict::Stronger),
            (3.0, (4.0, 7.1), Verdict::Undecided),
            (3.0, (1.3, 1.4), Verdict::Weaker),
            (3.0, (0.99, 1.01), Verdict::Weaker),
            (3.0, (0.42, 0.44), Verdict::Reversed),
            (3.0, (1.6, 1.9), Verdict::Undecided),
            // An interval that reaches into what contradicts the statement is not weaker.
            (2.0, (0.150, 1.09), Verdict::Undecided),
            (3.0, (0.936, 1.01), Verdict::Undecided),
            (2.0, (0.964, 1.07), Verdict::Undecided),
            (3.0, (0.5, 7.0), Verdict::Undecided),
            // 36 and 80 % more, at two to four times.
            (1.36, (2.38, 2.45), Verdict::Stronger),
            (1.80, (4.5, 4.7), Verdict::Stronger),
        ];
        for (times, (low, high), expected) in table {
            let found = about("", estimate(low, high), times, None).verdict;
            assert_eq!(found, expected, "about {times}: {low} to {high}");
        }
    }

    #[test]
    fn bounds_and_equality() {
        assert_eq!(equal("", estimate(0.98, 1.04), 1.05, None).verdict, Verdict::Holds);
        assert_eq!(equal("", estimate(0.98, 1.06), 1.05, None).verdict, Verdict::Undecided);
        assert_eq!(equal("", estimate(1.2, 1.3), 1.05, None).verdict, Verdict::Reversed);
        let share = |low, high| at_most("", Figure::Share, estimate(low, high), 0.01, Verdict::Reversed, None);
        assert_eq!(share(0.002, 0.004).verdict, Verdict::Holds);
        assert_eq!(share(0.02, 0.04).verdict, Verdict::Reversed);
        assert_eq!(share(0.002, 0.04).verdict, Verdict::Undecided);
        assert_eq!(share(0.002, 0.004).measured, estimate(0.002, 0.004));
        let minutes = |low, high| at_least("", Figure::Minutes, estimate(low, high), 72.0, Verdict::Weaker, None);
        assert_eq!(minutes(80.0, 90.0).verdict, Verdict::Holds);
        assert_eq!(minutes(1.0, 2.0).verdict, Verdict::Weaker);
        assert_eq!(minutes(60.0, 90.0).verdict, Verdict::Undecided);
    }

    #[test]
    fn without_an_interval_nothing_is_decided() {
        let lone = Some(Estimate { value: 9.0, interval: None });
        assert_eq!(more("", lone, None).verdict, Verdict::Undecided);
        assert_eq!(about("", lone, 2.0, None).verdict, Verdict::Undecided);
        assert_eq!(equal("", lone, 2.0, None).verdict, Verdict::Undecided);
        assert_eq!(at_least("", Figure::Minutes, lone, 2.0, Verdict::Weaker, None).verdict, Verdict::Undecided);
        assert_eq!(more("", None, None).verdict, Verdict::NotMeasured);
    }
}
