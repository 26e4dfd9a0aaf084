//! Intervals by resampling (Efron 1979, Bootstrap methods: another look at the jackknife), in two stages, first rounds
//! and then values in them (Davison and Hinkley 1997, Bootstrap Methods and their Application, section 3.8; Kalibera
//! and Jones 2013, Rigorous benchmarking in reasonable time, on why benchmarks need both).

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::order::median;
use crate::repeats::Repeats;
use crate::{CONFIDENCE, Estimate, Interval, student_quantile};

/// How many times the values are drawn anew: enough for two stable digits of a 95 % interval.
const RESAMPLES: usize = 2000;

/// At most this many draws for one interval, so that a file with a million repeats is not a day's work.
const DRAWS_MAX: usize = 20_000_000;

/// Fewer resamples than this say nothing about 2.5 % at either end.
const RESAMPLES_LEAST: usize = 200;

/// Fewer independent values than this have no interval. None leaves the range of the values, and the range of n values
/// holds the true median with a probability of 1 − 2^(1 − n): 75 % for three, 87.5 % for four, 93.75 % for five.
const UNITS_LEAST: usize = 5;

/// Every interval starts from the same seed, so that a report can be made again to the digit.
const SEED: u64 = 0x1979_0bad_5eed;

/// Percentile interval of a statistic over independent sets of repeats.
///
/// Each set is resampled, `statistic` sees the resampled values in the same order of sets, and the interval holds the
/// middle 95 % of its results, or more where there are few rounds. `None` if a set has fewer than five rounds (or five
/// values, if it has a single round), or the statistic has no value for some resample.
#[must_use]
pub fn bootstrap(sets: &[&Repeats], statistic: &mut dyn FnMut(&mut [Vec<f64>]) -> Option<f64>) -> Option<Interval> {
    if sets.is_empty() || sets.iter().any(|set| set.units() < UNITS_LEAST) {
        return None;
    }
    let values: usize = sets.iter().map(|set| set.len()).sum();
    let resamples = (DRAWS_MAX / values).clamp(RESAMPLES_LEAST, RESAMPLES);
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut drawn = vec![Vec::new(); sets.len()];
    let mut results = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        for (drawn, set) in drawn.iter_mut().zip(sets) {
            set.resample(&mut random, drawn);
        }
        results.push(statistic(&mut drawn).filter(|result| result.is_finite())?);
    }
    results.sort_unstable_by(f64::total_cmp);
    let tail = tail(sets);
    let place = |fraction: f64| ((resamples - 1) as f64 * fraction).round() as usize;
    Some(Interval { low: results[place(tail)], high: results[place(1.0 - tail)] })
}

/// Share of the results to leave out at either end.
///
/// Resampling from n values knows no more than their own spread, which is too small by √((n − 1) / n), and takes it for
/// that of a normal distribution where Student's would be right. With five rounds the middle 95 % of the results would
/// cover about four fifths of what they claim to. The expanded percentile interval (Hesterberg 2015, What teachers
/// should know about the bootstrap) leaves out as much less as makes up for both. The degrees of freedom of several
/// sets add up.
fn tail(sets: &[&Repeats]) -> f64 {
    let usual = (1.0 - CONFIDENCE) / 2.0;
    let fewest = sets.iter().map(|set| set.units()).min().unwrap_or(0) as f64;
    let freedom = sets.iter().map(|set| set.units() - 1).sum::<usize>() as f64;
    let (Ok(student), Ok(normal)) = (StudentsT::new(0.0, 1.0, freedom), Normal::new(0.0, 1.0)) else { return usual };
    normal.cdf(student.inverse_cdf(usual) * (fewest / (fewest - 1.0)).sqrt())
}

/// Interval of a value, from those that are left where each of the observations is left out in turn: the jackknife, for
/// observations too few to be resampled. `None` for fewer than two, or where a value is not finite.
///
/// A value that leaves one of n out moves by an (n − 1)th of what that one differs by; the standard error makes up for
/// that, and Student's t for the few observations.
#[must_use]
pub fn jackknife(value: f64, without: &[f64]) -> Option<Interval> {
    let count = without.len() as f64;
    let mean = without.iter().sum::<f64>() / count;
    let squares = without.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
    let by = student_quantile(count - 1.0)? * (squares * (count - 1.0) / count).sqrt();
    (value.is_finite() && by.is_finite()).then_some(Interval { low: value - by, high: value + by })
}

/// The sum of the parts over the sum of their wholes, from pairs of both; `None` if that is no finite number.
pub fn share_of_sums(pairs: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (parts, wholes) = pairs.fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
    Some(parts / wholes).filter(|share| share.is_finite())
}

/// Median of `a` as a multiple of the median of `b`.
///
/// `None` if either is empty or the divisor is zero.
#[must_use]
pub fn ratio_of_medians(a: &Repeats, b: &Repeats) -> Option<Estimate> {
    of_medians(&[a, b], &|medians| medians[0] / medians[1])
}

/// `a` as a multiple of `b`, round by round: the median of the ratios of both medians in each round.
///
/// For sets that were measured side by side in every round: what disturbed a round as a whole, or slowed the machine
/// down for some of them, is in neither the ratio nor its interval. Sets with other rounds than each other, or with a
/// single one, are compared by the medians of all values. `None` if either is empty or a divisor is zero.
#[must_use]
pub fn ratio_by_rounds(a: &Repeats, b: &Repeats) -> Option<Estimate> {
    if a.rounds() != b.rounds() || a.rounds() < 2 {
        return ratio_of_medians(a, b);
    }
    let ratios: Option<Vec<Vec<f64>>> = a.medians().zip(b.medians()).map(|(a, b)| Some(vec![a? / b?])).collect();
    of_medians(&[&Repeats::from_rounds(ratios?)], &|medians| medians[0])
}

/// A function of the medians of independent sets; `None` if a set is empty or the function has no finite value.
#[must_use]
pub fn of_medians(sets: &[&Repeats], function: &dyn Fn(&[f64]) -> f64) -> Option<Estimate> {
    let mut value = |sets: &mut [Vec<f64>]| {
        let medians: Option<Vec<f64>> = sets.iter_mut().map(|values| median(values)).collect();
        Some(function(&medians?)).filter(|value| value.is_finite())
    };
    let mut all: Vec<Vec<f64>> = sets.iter().map(|set| set.values().collect()).collect();
    Some(Estimate { value: value(&mut all)?, interval: bootstrap(sets, &mut value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The interval of the median covers the true median about as often as it says. Values of an exponential
    /// distribution, which is as skewed as timings are.
    #[test]
    fn intervals_cover_as_often_as_they_say() {
        let mut random = fastrand::Rng::with_seed(7);
        let truth = std::f64::consts::LN_2;
        let trials = 300;
        let covered = (0..trials)
            .filter(|_| {
                let values: Vec<f64> = (0..15).map(|_| -(1.0 - random.f64()).ln()).collect();
                let interval =
                    bootstrap(&[&values.clone().into()], &mut |drawn| median(&mut drawn[0])).expect("fifteen values");
                interval.low <= truth && truth <= interval.high
            })
            .count();
        let share = covered as f64 / f64::from(trials);
        assert!((0.90..=0.99).contains(&share), "{share}");
    }

    /// A machine that is half as fast in some rounds says nothing about the ratio.
    #[test]
    fn rounds_are_compared_one_by_one() {
        let rounds = |values: &[f64]| Repeats::from_rounds(values.iter().map(|value| vec![*value]).collect());
        let (a, b) = (rounds(&[11.0, 22.0, 10.0, 21.0, 11.0]), rounds(&[10.0, 20.0, 10.0, 20.0, 10.0]));
        let ratio = ratio_by_rounds(&a, &b).unwrap();
        let interval = ratio.interval.unwrap();
        assert_eq!((ratio.value, interval.low, interval.high), (1.1, 1.0, 1.1));
        assert!(ratio_of_medians(&a, &b).unwrap().interval.unwrap().high > 2.0);

        let fewer = rounds(&[10.0, 10.0]);
        assert_eq!(ratio_by_rounds(&a, &fewer), ratio_of_medians(&a, &fewer));
        let (one, other) = (Repeats::from([2.0, 4.0, 3.0]), Repeats::from([1.0, 1.0, 2.0]));
        assert_eq!(ratio_by_rounds(&one, &other).unwrap().value, 3.0);
        assert_eq!(ratio_by_rounds(&one, &Repeats::default()), None);
    }

    /// Five rounds of two repeats, as most experiments have, that differ between and within the rounds.
    #[test]
    fn few_rounds_cover_as_often_as_they_say() {
        let mut random = fastrand::Rng::with_seed(11);
        let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let trials = 300;
        let covered = (0..trials)
            .filter(|_| {
                let rounds = (0..5).map(|_| normal()).collect::<Vec<_>>();
                let rounds = rounds.into_iter().map(|level| (0..2).map(|_| level + 0.5 * normal()).collect()).collect();
                let repeats = Repeats::from_rounds(rounds);
                let interval = bootstrap(&[&repeats], &mut |drawn| median(&mut drawn[0])).expect("ten values");
                interval.low <= 0.0 && 0.0 <= interval.high
            })
            .count();
        let share = covered as f64 / f64::from(trials);
        assert!((0.92..=0.99).contains(&share), "{share}");
    }

    /// Five rounds, the fewest that have an interval: it is their range, which holds the true median in 93.75 % of
    /// cases. That of fewer would hold it less often than reports say.
    #[test]
    fn the_fewest_rounds_cover_as_often_as_the_documents_say() {
        let mut random = fastrand::Rng::with_seed(13);
        let rounds = |values: &[f64]| Repeats::from_rounds(values.iter().map(|value| vec![*value]).collect());
        let trials = 1000;
        let covered = (0..trials)
            .filter(|_| {
                let values: Vec<f64> = (0..UNITS_LEAST).map(|_| random.f64() - 0.5).collect();
                let interval = bootstrap(&[&rounds(&values)], &mut |drawn| median(&mut drawn[0])).expect("five rounds");
                interval.low <= 0.0 && 0.0 <= interval.high
            })
            .count();
        let share = covered as f64 / f64::from(trials);
        assert!((0.91..=0.97).contains(&share), "{share}");
        let few = [1.0, 2.0, 3.0, 4.0];
        for repeats in [rounds(&few), few.into(), Repeats::from_rounds(vec![few.to_vec(); 4])] {
            assert_eq!(bootstrap(&[&repeats], &mut |drawn| median(&mut drawn[0])), None, "{repeats:?}");
        }
        let enough = rounds(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(ratio_of_medians(&enough, &rounds(&few)).unwrap().interval, None);
    }

    /// Of a mean, the interval is Student's: `t.test(c(1, 2, 4))` in R gives -1.461250 to 6.127916.
    #[test]
    fn leaving_out_one_after_the_other_gives_the_interval_of_the_mean() {
        let interval = jackknife(7.0 / 3.0, &[3.0, 2.5, 1.5]).expect("three values");
        assert!((interval.low + 1.461_25).abs() < 1e-4 && (interval.high - 6.127_92).abs() < 1e-4, "{interval:?}");
        assert_eq!(jackknife(1.0, &[1.0]), None);
        assert_eq!(jackknife(1.0, &[]), None);
        assert_eq!(jackknife(1.0, &[1.0, f64::INFINITY]), None);
    }

    #[test]
    fn the_same_values_give_the_same_interval() {
        let values = [5.0, 6.0, 7.0, 5.5, 6.5, 9.0];
        let interval = || bootstrap(&[&values.into()], &mut |drawn| median(&mut drawn[0]));
        assert_eq!(interval(), interval());
    }

    /// Five rounds that each repeat well, but differ: the interval spans them, where a pooled one would not.
    #[test]
    fn rounds_that_differ_widen_the_interval() {
        let rounds: Vec<Vec<f64>> =
            [1.0, 1.05, 1.1, 1.15, 1.2].map(|level| (0..20).map(|i| level + f64::from(i) / 1e4).collect()).into();
        let pooled = Repeats::from(rounds.concat());
        let width = |repeats: &Repeats| {
            bootstrap(&[repeats], &mut |drawn| median(&mut drawn[0])).expect("a hundred values").half_width()
        };
        assert!(width(&Repeats::from_rounds(rounds)) > 0.09);
        assert!(width(&pooled) < 0.06);
    }

    #[test]
    fn ratios_of_medians() {
        let twice = Repeats::from([2.0, 2.1, 1.9, 2.0, 2.0, 2.05]);
        let once = Repeats::from([1.0, 1.01, 0.99, 1.0, 1.0, 1.0]);
        let ratio = ratio_of_medians(&twice, &once).expect("values");
        let interval = ratio.interval.expect("six values");
        assert_eq!(ratio.value, 2.0);
        assert!(interval.low > 1.85 && interval.high < 2.15, "{interval:?}");
        assert_eq!(ratio_of_medians(&Repeats::default(), &once), None);
        assert_eq!(ratio_of_medians(&once, &[0.0, 0.0, 0.0].into()), None);
        assert_eq!(ratio_of_medians(&[2.0].into(), &[1.0].into()), Some(Estimate { value: 2.0, interval: None }));
        assert_eq!(of_medians(&[&twice, &once], &|medians| medians[0] - medians[1]).expect("values").value, 1.0);
    }

    #[test]
    fn many_values_take_bounded_time() {
        let values: Vec<f64> = (0..400_000).map(f64::from).collect();
        let interval = bootstrap(&[&values.into()], &mut |drawn| median(&mut drawn[0])).expect("values");
        assert!(interval.low < 200_000.0 && interval.high > 199_999.0);
    }
}
