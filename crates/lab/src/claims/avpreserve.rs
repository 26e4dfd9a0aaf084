//! V1 to V4: MD5 and SHA-256 over a network and from a local disk.

use pfh_statistics::{Estimate, Interval, Repeats, bootstrap, of_medians, quantile};

use super::rules::{about, at_least, at_most, equal};
use super::view::{Side, View};
use super::{Claim, Figure, Finding, Statement, Verdict};
use crate::experiment::trials::HERE;
use crate::measurements::Point;
use crate::published;

const STUDY: &str = "AVPreserve 2014";

static V1: Claim =
    Claim { id: "V1", study: STUDY, text: "MD5 needs 72 % of SHA-256's processor time", experiment: "languages" };
static V2: Claim = Claim {
    id: "V2",
    study: STUDY,
    text: "On network storage processor time is 10 to 12 % of real time, and the algorithms' real times overlap (quartiles)",
    experiment: "fixity",
};
static V3: Claim = Claim {
    id: "V3",
    study: STUDY,
    text: "Processor time varies within 3 % of its mean, real time by up to 46 %",
    experiment: "fixity",
};
static V4: Claim = Claim {
    id: "V4",
    study: STUDY,
    text: "On a local solid-state disk processor time and real time are within 15 % of each other",
    experiment: "fixity",
};

pub(super) const CLAIMS: &[&Claim] = &[&V1, &V2, &V3, &V4];

const ALGORITHMS: [(&str, &str); 2] = [("md5", "MD5"), ("sha256", "SHA-256")];

/// Mean size of the study's files: 123 GB in 131,870. The fixed cost of a small message says nothing of them.
const FILE_BYTES: u64 = 123_000_000_000 / 131_870;

/// A share of real time that leaves no doubt that the processor waits: the study's 12 %, rounded up.
const WAITING: f64 = 0.15;
/// Times are steady if three of four runs are nearer to the mean than this. The study's farthest run is 3.3 % from it.
const STEADY: f64 = 0.05;
/// Fewer runs than these do not tell where three of four lie: all of them may be nearer (0.75^12 is 3.2 %, 0.75^13 is
/// 2.4 %).
const RUNS_LEAST: usize = 13;
/// "Within 15 %".
const ALIKE: f64 = 1.15;

pub(super) fn evaluate(view: &View<'_>) -> Vec<Finding> {
    let mut findings = vec![memory(view)];
    for (program, subject) in [("python", "hashlib of Python"), ("pfh", "pfh")] {
        findings.push(network(view, program, subject));
    }
    findings.push(variation(view));
    findings.push(local(view));
    findings
}

fn memory(view: &View<'_>) -> Finding {
    let runs = published::fixity_runs();
    let cpu = |algorithm: &str| runs.iter().filter(|run| run.algorithm == algorithm).map(|run| run.cpu_s).sum::<f64>();
    let published = cpu("SHA-256") / cpu("MD5");
    let side = |algorithm| Side("digest", "c-openssl", algorithm);
    let sides = [side("sha256"), side("md5")];
    let measured = view.cpu_ratio(sides[0], sides[1]);
    let statement: Statement = about("SHA-256 / MD5, processor time", measured, published, Some(published));
    let statement = statement.lacking(measured.and_then(|_| view.below(&sides, FILE_BYTES)));
    Finding::new(&V1, view, "c-openssl", vec![statement])
        .note("Stated the other way round: SHA-256 needs 1.38 times MD5's.")
}

fn point<'a>(view: &View<'a>, program: &str, algorithm: &str, device: &str) -> Option<&'a Point> {
    view.program(program, algorithm, &[("corpus", "collection"), ("device", device), ("cache", "cold")])
}

/// A statistic of the published runs of an algorithm.
fn published_figure(name: &str, statistic: impl Fn(&[f64], &[f64]) -> f64) -> Option<f64> {
    let runs = published::fixity_runs().into_iter().filter(|run| run.algorithm == name);
    let (real, cpu): (Vec<f64>, Vec<f64>) = runs.map(|run| (run.real_s, run.cpu_s)).unzip();
    (!real.is_empty()).then(|| statistic(&real, &cpu))
}

fn network(view: &View<'_>, program: &str, subject: &str) -> Finding {
    let points = ALGORITHMS.map(|(algorithm, _)| point(view, program, algorithm, "nas"));
    let mut statements: Vec<Statement> = Vec::new();
    for (point, (_, name)) in points.iter().zip(ALGORITHMS) {
        let share = |point: &&Point| of_medians(&[&point.cpu_ns, &point.wall_ns], &|medians| medians[0] / medians[1]);
        let stated = published_figure(name, |real, cpu| cpu.iter().sum::<f64>() / real.iter().sum::<f64>());
        let measured = point.as_ref().and_then(share);
        let subject = format!("processor time in real time, {name}");
        statements.push(at_most(subject, Figure::Share, measured, WAITING, Verdict::Weaker, stated));
    }
    let [md5, sha256] = points;
    let measured = md5.zip(sha256).and_then(|(md5, sha256)| overlap(&md5.wall_ns, &sha256.wall_ns));
    let overlapping = "overlap of the boxes of real time, in the narrower one";
    statements.push(at_least(overlapping, Figure::Share, measured, 0.0, Verdict::Reversed, None));
    Finding::new(&V2, view, format!("{subject}, network storage"), statements)
        .note("A negative overlap is a gap between the quartiles.")
}

/// How far the boxes between the quartiles of two sets overlap, as a share of the narrower one; negative for a gap.
fn overlap(a: &Repeats, b: &Repeats) -> Option<Estimate> {
    let mut of = |sets: &mut [Vec<f64>]| {
        sets.iter_mut().for_each(|set| set.sort_unstable_by(f64::total_cmp));
        let [a, b] = [&sets[0], &sets[1]].map(|set| (quantile(set, 0.25), quantile(set, 0.75)));
        let narrower = (a.1 - a.0).min(b.1 - b.0);
        // A gap of a box's width or more is a gap.
        Some((a.1.min(b.1) - a.0.max(b.0)) / narrower).filter(|share| share.is_finite()).map(|share| share.max(-1.0))
    };
    let mut all = [a.values().collect(), b.values().collect()];
    (!a.is_empty() && !b.is_empty()).then_some(())?;
    Some(Estimate { value: of(&mut all)?, interval: interval(&[a, b], &mut of) })
}

/// Interval of a figure that rests on quartiles.
fn interval(sets: &[&Repeats], statistic: &mut dyn FnMut(&mut [Vec<f64>]) -> Option<f64>) -> Option<Interval> {
    if sets.iter().any(|set| set.rounds() < RUNS_LEAST) { None } else { bootstrap(sets, statistic) }
}

/// The distance from the mean within which three of four values lie, as a share of the mean. The farthest of all, which
/// the study tells, is a matter of chance: resampled values are never farther, and so have no honest interval of it.
fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut distances: Vec<f64> = values.iter().map(|value| (value - mean).abs() / mean).collect();
    distances.sort_unstable_by(f64::total_cmp);
    quantile(&distances, 0.75)
}

fn deviation_of(repeats: &Repeats) -> Option<Estimate> {
    (!repeats.is_empty()).then_some(())?;
    let value = deviation(&repeats.values().collect::<Vec<_>>());
    let interval = interval(&[repeats], &mut |drawn| Some(deviation(&drawn[0])));
    value.is_finite().then_some(Estimate { value, interval })
}

fn variation(view: &View<'_>) -> Finding {
    let mut statements = Vec::new();
    for (algorithm, name) in ALGORITHMS {
        let point = point(view, "python", algorithm, "nas");
        let stated = published_figure(name, |_, cpu| deviation(cpu));
        let measured = point.and_then(|point| deviation_of(&point.cpu_ns));
        let subject = format!("upper quartile of the distances from the mean, processor time, {name}");
        statements.push(at_most(subject, Figure::Share, measured, STEADY, Verdict::Reversed, stated));
        let stated = published_figure(name, |real, _| deviation(real));
        let measured = point.and_then(|point| deviation_of(&point.wall_ns));
        let subject = format!("upper quartile of the distances from the mean, real time, {name}");
        statements.push(at_least(subject, Figure::Share, measured, STEADY, Verdict::Weaker, stated));
    }
    Finding::new(&V3, view, "hashlib of Python, network storage", statements).note(
        "Judged by the distance from the mean within which three of four runs lie: the farthest of sixteen is \
             chance. A simulated network has only the jitter that it is told to have.",
    )
}

fn local(view: &View<'_>) -> Finding {
    let statements = ALGORITHMS.map(|(algorithm, name)| {
        let point = point(view, "python", algorithm, HERE);
        let measured =
            point.and_then(|point| of_medians(&[&point.wall_ns, &point.cpu_ns], &|medians| medians[0] / medians[1]));
        equal(format!("real time / processor time, {name}"), measured, ALIKE, None)
    });
    let subject = format!("hashlib of Python, {}", view.measurements.place(HERE));
    Finding::new(&V4, view, subject, statements.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The interval holds the true distance about as often as it says, and too few runs have none.
    #[test]
    fn scatter_is_judged_by_what_sixteen_runs_can_tell() {
        let mut random = fastrand::Rng::with_seed(19);
        // Three of four values of a normal distribution are within 1.15 standard deviations.
        let (truth, trials) = (0.011_503, 200);
        let covered = (0..trials)
            .filter(|_| {
                let mut run = |_| vec![1.0 + 0.01 * ((0..12).map(|_| random.f64()).sum::<f64>() - 6.0)];
                let repeats = Repeats::from_rounds((0..16).map(&mut run).collect());
                let interval = deviation_of(&repeats).and_then(|found| found.interval).expect("sixteen runs");
                interval.low <= truth && truth <= interval.high
            })
            .count();
        let share = covered as f64 / f64::from(trials);
        assert!((0.87..=0.99).contains(&share), "{share}");
        let few = Repeats::from_rounds((0..RUNS_LEAST - 1).map(|run| vec![1.0 + run as f64]).collect());
        assert_eq!(deviation_of(&few).expect("twelve runs").interval, None);
        assert_eq!(overlap(&few, &few).expect("twelve runs").interval, None);
        assert_eq!(deviation_of(&Repeats::default()), None);
    }
}
