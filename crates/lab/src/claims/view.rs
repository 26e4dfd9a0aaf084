//! The measurements as claims ask for them: one profile, two sides, the largest size that both have.

use pfh_statistics::{Estimate, Interval, Line, of_medians, passes_through_all, ratio_of_medians};

use super::rules::{EQUAL_WITHIN, at_least};
use super::{Figure, Statement, Verdict};
use crate::experiment::trials;
use crate::measurements::{Measurements, Point, Series, SeriesKey, TODAY, Unit, of_lines};
use crate::quantity::size;

/// The measurements of one profile.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) measurements: &'a Measurements,
    pub(super) profile: &'a str,
}

/// One side of a comparison: mode, runner, algorithm.
#[derive(Clone, Copy)]
pub(super) struct Side<'a>(pub(super) &'a str, pub(super) &'a str, pub(super) &'a str);

impl<'a> View<'a> {
    pub(super) fn series(&self, Side(mode, runner, algorithm): Side<'_>) -> Option<&'a Series> {
        self.measurements.series(runner, self.profile, mode, algorithm)
    }

    /// A whole program under all of these conditions; where it takes none of the profile's, as it is. `None` where it
    /// was not measured, or these conditions do not say which of several cells is meant.
    pub(super) fn program(&self, program: &str, algorithm: &str, dimensions: &[(&str, &str)]) -> Option<&'a Point> {
        let of = |profile: &str| {
            let is_meant = |key: &SeriesKey| {
                let has = |(name, value): &(&str, &str)| key.dimensions.get(*name).is_none_or(|one| one == value);
                (key.runner.as_str(), key.profile.as_str(), key.algorithm.as_str()) == (program, profile, algorithm)
                    && key.mode == trials::MODE
                    && dimensions.iter().all(has)
            };
            let mut found = self.measurements.series.iter().filter(|(key, _)| is_meant(key));
            let first = found.next();
            if found.next().is_some() { None } else { first }.and_then(|(_, series)| series.largest())
        };
        of(self.profile).or_else(|| of(TODAY))
    }

    /// The points of the largest size that all sides have.
    fn at_common_size(&self, sides: &[Side<'_>]) -> Option<Vec<&'a Point>> {
        let series: Option<Vec<&Series>> = sides.iter().map(|side| self.series(*side)).collect();
        let series = series?;
        let (first, others) = series.split_first()?;
        first.points.iter().rev().find_map(|point| {
            let same = |series: &&'a Series| {
                series.points.iter().find(|other| (other.bytes, other.count) == (point.bytes, point.count))
            };
            let others: Option<Vec<_>> = others.iter().map(same).collect();
            others.map(|others| [vec![point], others].concat())
        })
    }

    /// Time of one side as a multiple of another's, at the largest size that both have.
    pub(super) fn ratio(&self, a: Side<'_>, b: Side<'_>) -> Option<Estimate> {
        let points = self.at_common_size(&[a, b])?;
        ratio_of_medians(points[0].times_ns(), points[1].times_ns())
    }

    /// Processor time of one side as a multiple of another's.
    pub(super) fn cpu_ratio(&self, a: Side<'_>, b: Side<'_>) -> Option<Estimate> {
        let points = self.at_common_size(&[a, b])?;
        ratio_of_medians(&points[0].cpu_ns, &points[1].cpu_ns)
    }

    /// A function of the median times of several sides, at the largest size that all have.
    pub(super) fn of_medians(&self, sides: &[Side<'_>], function: &dyn Fn(&[f64]) -> f64) -> Option<Estimate> {
        let points = self.at_common_size(sides)?;
        let sets: Vec<_> = points.iter().map(|point| point.times_ns()).collect();
        of_medians(&sets, function)
    }

    /// A function of the lines of several sides; `None` where one has fewer than three sizes.
    pub(super) fn of_lines(&self, sides: &[Side<'_>], function: impl Fn(&[Line]) -> f64) -> Option<Estimate> {
        let series: Option<Vec<(&str, &Series)>> =
            sides.iter().map(|side| self.series(*side).map(|series| (side.0, series))).collect();
        of_lines(&series?, function)
    }

    /// Whether no straight line passes through the points, given their intervals and what counts as equal. Where one
    /// does, a low R² is noise, and says nothing against a straight line.
    fn is_bent(&self, side: Side<'_>) -> bool {
        let Some(series) = self.series(side) else { return false };
        let intervals: Option<Vec<_>> = series
            .points
            .iter()
            .map(|point| {
                let Interval { low, high } = point.time.interval?;
                let interval = Interval { low: low / EQUAL_WITHIN, high: high * EQUAL_WITHIN };
                Some((point.size(side.0) as f64, interval))
            })
            .collect();
        intervals.is_some_and(|intervals| !passes_through_all(&intervals))
    }

    /// The part of a range of sizes that a side does not cover; `None` if it covers all, or was not measured.
    pub(super) fn uncovered(&self, side: Side<'_>, least: u64, greatest: u64) -> Option<String> {
        let points = &self.series(side)?.points;
        let (first, last) = (points.first()?.size(side.0), points.last()?.size(side.0));
        let is_covered = first <= least && last >= greatest;
        let text = |number: u64| match Unit::of(side.0) {
            Unit::Items => number.to_string(),
            Unit::Bytes => size(number),
        };
        let measured = if first == last {
            format!("at {}", text(first))
        } else {
            format!("from {} to {}", text(first), text(last))
        };
        (!is_covered).then(|| format!("measured {measured} only"))
    }

    /// The size at which sides are compared, the largest that all have, where it is less than the study's.
    pub(super) fn below(&self, sides: &[Side<'_>], least: u64) -> Option<String> {
        let point = self.at_common_size(sides)?[0].size(sides.first()?.0);
        (point < least)
            .then(|| format!("judged at {}, and the study's files had {} on average", size(point), size(least)))
    }

    /// R² of a side's line, of which the statement says that it is at least `bound`. Reversed only where the line is
    /// bent.
    pub(super) fn linear(&self, subject: String, side: Side<'_>, bound: f64, published: Option<f64>) -> Statement {
        let measured = self.of_lines(&[side], |lines| lines[0].r_squared);
        let mut statement = at_least(subject, Figure::RSquared, measured, bound, Verdict::Reversed, published);
        if statement.verdict == Verdict::Reversed && !self.is_bent(side) {
            statement.verdict = Verdict::Undecided;
        }
        statement
    }

    /// Slope of one side as a multiple of another's; `None` where one has too few sizes for a line: one time alone
    /// holds the fixed cost of a message, too.
    pub(super) fn slope_ratio(&self, a: Side<'_>, b: Side<'_>) -> Option<Estimate> {
        self.of_lines(&[a, b], |lines| lines[0].slope.value / lines[1].slope.value)
    }
}
