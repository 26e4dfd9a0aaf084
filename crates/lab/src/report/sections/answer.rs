//! The answer, in sentences made from the figures.

use std::borrow::Cow;
use std::collections::BTreeMap;

use pfh_statistics::{Estimate, Line, ratio_of_medians};

use crate::claims::Verdict;
use crate::measurements::{Clock, Measurements, Point, Series, SeriesKey, TODAY, Unit, of_lines};
use crate::report::Report;
use crate::report::format::{algorithm, counted, duration, estimate, number, size};
use crate::report::sections::{DISTURBED, REFERENCE, candidate, profile_name, programs};
use crate::results::FailureKind;

pub(super) fn sentences(report: &Report<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    // Where runners are the question the choice between them is the answer; where algorithms are, the algorithms.
    let measurements = undisturbed(report.measurements);
    if measurements.runner_ids(TODAY).len() >= measurements.subjects().len() {
        sentences.extend(projection(&measurements, report.options.volume_bytes));
    }
    sentences.extend(extremes(&measurements));
    sentences.extend(sha_instructions(&measurements));
    let is_busy = measurements.clock != report.measurements.clock;
    if is_busy {
        let ratio = number(report.measurements.disturbance().unwrap_or_default());
        sentences.push(format!(
            "This is by processor time: the machine was busy, and other work made wall times {ratio} times as long."
        ));
    }
    sentences.extend(candidate::sentences(report.measurements));
    sentences.extend(programs::sentences(report.measurements));
    let claims: Vec<String> =
        report.measurements.profiles().into_iter().filter_map(|profile| claims(report, profile)).collect();
    if is_busy && !claims.is_empty() {
        sentences.push(
            "The verdicts on claims are by wall time, and so of a busy machine; --clock cpu judges by processor time."
                .to_owned(),
        );
    }
    sentences.extend(claims);
    if sentences.is_empty() {
        let Measurements { series, failures, .. } = report.measurements;
        let is_offered = failures.iter().any(|failure| failure.kind != FailureKind::NotOffered);
        let sentence = match () {
            () if !series.is_empty() => {
                "The figures are below; they are too few, or too close to each other, to say which is the fastest."
            }
            () if is_offered => "Nothing was measured; the failures below say why.",
            () if failures.is_empty() => "Nothing was measured.",
            () => "Nothing was measured: no runner offers what was asked for.",
        };
        sentences.push(sentence.to_owned());
    }
    sentences
}

/// On a busy machine wall times say more of the other work than of the runners, and processor times answer in their
/// place.
fn undisturbed(measurements: &Measurements) -> Cow<'_, Measurements> {
    let is_busy =
        measurements.clock == Clock::Wall && measurements.disturbance().is_some_and(|ratio| ratio > DISTURBED);
    if is_busy { Cow::Owned(measurements.clone().by(Clock::Cpu)) } else { Cow::Borrowed(measurements) }
}

/// A runner's rate with an algorithm.
struct Rate<'a> {
    runner: &'a str,
    algorithm: &'a str,
    point: &'a Point,
    rate: Estimate,
}

/// Rates of a mode, today, at one size: the largest that all have, or, where all have none in common, that most have.
/// With a word on the size, where it is not the largest of each.
fn rates<'a>(measurements: &'a Measurements, mode: &str) -> (Vec<Rate<'a>>, String) {
    let is_asked = |key: &SeriesKey| key.profile == TODAY && key.mode == mode;
    let all: Vec<(&SeriesKey, Vec<(&Point, Estimate)>)> = measurements
        .series
        .iter()
        .filter(|(key, _)| is_asked(key))
        .map(|(key, series)| {
            let rate = |point: &'a Point| Some((point, point.rate(Unit::of(mode))?));
            (key, series.points.iter().filter_map(rate).collect::<Vec<_>>())
        })
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let mut having: BTreeMap<(u64, u64, u64), usize> = BTreeMap::new();
    let extent = |point: &Point| (point.size(mode), point.bytes, point.count);
    for (point, _) in all.iter().flat_map(|(_, points)| points) {
        *having.entry(extent(point)).or_default() += 1;
    }
    let Some((common, number)) = having.into_iter().max_by_key(|(extent, number)| (*number, *extent)) else {
        return (Vec::new(), String::new());
    };
    let is_largest = |(_, points): &(&SeriesKey, Vec<(&Point, Estimate)>)| {
        points.last().is_some_and(|(point, _)| extent(point) == common)
    };
    let remark = if all.iter().all(is_largest) {
        String::new()
    } else {
        let (size, whose) = (
            match Unit::of(mode) {
                Unit::Bytes => size(common.0),
                Unit::Items => counted(common.0, "string or derivation", "strings or derivations"),
            },
            if number == all.len() { "all" } else { "most" },
        );
        format!(" At {size}, the largest size that {whose} have.")
    };
    let at = |(key, points): (&'a SeriesKey, Vec<(&'a Point, Estimate)>)| {
        let (point, rate) = points.into_iter().find(|(point, _)| extent(point) == common)?;
        Some(Rate { runner: &key.runner, algorithm: &key.algorithm, point, rate })
    };
    (all.into_iter().filter_map(at).collect(), remark)
}

/// The fastest and the slowest of the mode that matters most.
fn extremes(measurements: &Measurements) -> Option<String> {
    let modes = ["strings", "cipher", "cipher-file", "digest", "messages", "digest-file", "password"];
    let all = modes.iter().map(|mode| (*mode, rates(measurements, mode)));
    let (mode, (rates, remark)) = all.into_iter().find(|(_, (rates, _))| !rates.is_empty())?;
    let fastest = rates.iter().max_by(|a, b| a.rate.value.total_cmp(&b.rate.value))?;
    let slowest = rates.iter().min_by(|a, b| a.rate.value.total_cmp(&b.rate.value))?;
    let speed = |rate: Estimate| match (Unit::of(mode), mode) {
        (Unit::Bytes, _) => format!("{} MiB/s", estimate(&rate.map(|rate| rate / f64::from(1 << 20)))),
        (_, "strings") => format!("{} million strings a second", estimate(&rate.map(|rate| rate / 1e6))),
        _ => format!("{} derivations a second", estimate(&rate)),
    };
    let name = |one: &Rate<'_>| {
        format!("{} by {} with {}", algorithm(one.algorithm), measurements.label(one.runner), speed(one.rate))
    };
    if let [only] = &rates[..] {
        return Some(format!("Measured was {}.{remark}", name(only)));
    }
    if !fastest.rate.differs_from(&slowest.rate) {
        return Some(format!(
            "Which of {} is the fastest is undecided on this machine now: too few repeats, or rates too close to each other.{remark}",
            counted(rates.len(), "rate", "rates")
        ));
    }
    let times = ratio_of_medians(slowest.point.times_ns(), fastest.point.times_ns())?;
    let all = || rates.iter().map(|one| &one.rate);
    Some(format!(
        "Fastest was {}{}, slowest {}{}: a factor of {}.{remark}",
        name(fastest),
        undecided(&fastest.rate, all()),
        name(slowest),
        undecided(&slowest.rate, all()),
        estimate(&times)
    ))
}

/// The number of others that an extreme among all may equal, in brackets; nothing where there are none.
pub(super) fn undecided<'a>(extreme: &Estimate, all: impl Iterator<Item = &'a Estimate>) -> String {
    // It does not differ from itself.
    match all.filter(|one| !extreme.differs_from(one)).count().saturating_sub(1) {
        0 => String::new(),
        others => format!(" (undecided against {})", counted(others, "other", "others")),
    }
}

/// The time that the choice of runner saves over the volume, for the algorithm that most people use.
fn projection(measurements: &Measurements, volume_bytes: u64) -> Option<String> {
    let volume = volume_bytes as f64;
    let name = algorithm("sha256");
    let mut contestants: Vec<(f64, &str, &Series)> = measurements
        .series
        .iter()
        .filter(|(key, _)| key.profile == TODAY && key.mode == "digest" && key.algorithm == "sha256")
        .filter_map(|(key, series)| Some((series.line(&key.mode)?.at(volume).value / 1e9, key.runner.as_str(), series)))
        .collect();
    contestants.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (first, last) = (contestants.first()?, contestants.last()?);
    if contestants.len() < 2 || first.0 <= 0.0 {
        return None;
    }
    let over = |lines: &[Line]| (lines[1].at(volume).value - lines[0].at(volume).value) / 1e9;
    let worth = of_lines(&[("digest", first.2), ("digest", last.2)], over)?;
    let volume = size(volume_bytes);
    let Some(interval) = worth.interval.filter(|interval| interval.low > 0.0) else {
        return Some(format!(
            "What the choice is worth over {volume} with {name} is undecided on this machine now: the times of the \
             fastest and of the slowest runner do not differ by more than their own uncertainty."
        ));
    };
    let label = |runner| measurements.label(runner);
    Some(format!(
        "Over {volume} of data the choice is worth {} (95 % interval {} to {}) with {name}: {} with {}, {} with {}.",
        duration(worth.value),
        duration(interval.low),
        duration(interval.high),
        duration(first.0),
        label(first.1),
        duration(last.0),
        label(last.1),
    ))
}

/// Whether it is the processor's SHA instructions that make SHA-256 faster than MD5, where both were measured.
fn sha_instructions(measurements: &Measurements) -> Option<String> {
    let ratio = |profile| {
        let largest = |algorithm| measurements.series(REFERENCE, profile, "digest", algorithm)?.largest();
        ratio_of_medians(largest("sha256")?.times_ns(), largest("md5")?.times_ns())
    };
    let (with, without) = ratio(TODAY).zip(ratio("no-sha"))?;
    let (above, below) = with.interval.zip(without.interval)?;
    let verdict = if above.high < 1.0 && below.low > 1.0 {
        "they decide which is the faster"
    } else if above.low > 1.0 || below.high < 1.0 {
        "they do not decide which is the faster"
    } else {
        "whether they decide which is the faster is undecided on this machine now"
    };
    Some(format!(
        "With {}, SHA-256 takes {} times as long as MD5, and {} times without the processor's SHA instructions: {verdict}.",
        measurements.label(REFERENCE),
        estimate(&with),
        estimate(&without)
    ))
}

fn claims(report: &Report<'_>, profile: &str) -> Option<String> {
    let found = |verdict| -> Vec<&str> {
        let findings = report.findings.iter();
        findings.filter(|one| one.profile == profile && one.verdict == verdict).map(|one| one.claim.id).collect()
    };
    let verdicts = [
        Verdict::Holds,
        Verdict::HoldsInPart,
        Verdict::Stronger,
        Verdict::Weaker,
        Verdict::Reversed,
        Verdict::Undecided,
    ];
    let parts: Vec<String> = verdicts
        .into_iter()
        .map(|verdict| (found(verdict), verdict))
        .filter(|(ids, _)| !ids.is_empty())
        .map(|(mut ids, verdict)| {
            let what = match (verdict, ids.len()) {
                (Verdict::Holds, 1) => "1 holds".to_owned(),
                (Verdict::Holds, count) => format!("{count} hold"),
                (Verdict::HoldsInPart, 1) => "1 holds in part".to_owned(),
                (Verdict::HoldsInPart, count) => format!("{count} hold in part"),
                (_, 1) => format!("1 is {verdict}"),
                (_, count) => format!("{count} are {verdict}"),
            };
            // A claim that was tested with two runners counts twice and is named once.
            ids.dedup();
            format!("{what} ({})", ids.join(", "))
        })
        .collect();
    let (last, others) = parts.split_last()?;
    let list = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    let when = if profile == TODAY {
        "On this machine as it is".to_owned()
    } else {
        format!("The same machine {}", profile_name(report, profile))
    };
    Some(if profile == TODAY {
        format!("{when}, of the published claims that were tested, {list}.")
    } else {
        format!("{when}: {list}.")
    })
}
