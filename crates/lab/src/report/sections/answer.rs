//! The answer, in sentences made from the figures.

use crate::claims::Verdict;
use crate::measurements::{Series, TODAY, Unit};
use crate::report::Report;
use crate::report::format::{algorithm, duration, number, size};
use crate::report::sections::{REFERENCE, profile_name};
use crate::statistics::ratio_of_medians;

pub(super) fn sentences(report: &Report<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    // Where runners are the question the choice between them is the answer; where algorithms are, the algorithms.
    let measurements = report.measurements;
    if measurements.runner_ids(TODAY).len() >= measurements.subjects().len() {
        sentences.extend(projection(report));
        sentences.extend(extremes(report));
    } else {
        sentences.extend(extremes(report));
    }
    sentences.extend(sha_instructions(report));
    for profile in report.measurements.profiles() {
        sentences.extend(claims(report, profile));
    }
    if sentences.is_empty() {
        sentences.push("Nothing was measured; the failures below say why.".to_owned());
    }
    sentences
}

/// Rates of a mode, today, at the largest size: runner, algorithm, rate.
fn rates<'a>(report: &'a Report<'_>, mode: &str) -> Vec<(&'a str, &'a str, f64)> {
    let keys = report.measurements.series.iter().filter(|(key, _)| key.profile == TODAY && key.mode == mode);
    let rate = |series: &Series| Some(series.largest()?.rate(Unit::of(mode))?.value);
    keys.filter_map(|(key, series)| Some((key.runner.as_str(), key.algorithm.as_str(), rate(series)?))).collect()
}

/// The fastest and the slowest of the mode that matters most.
fn extremes(report: &Report<'_>) -> Option<String> {
    let modes = ["strings", "cipher", "cipher-file", "digest", "messages", "digest-file", "password"];
    let (mode, rates) = modes.iter().map(|mode| (*mode, rates(report, mode))).find(|(_, rates)| !rates.is_empty())?;
    let fastest = rates.iter().max_by(|a, b| a.2.total_cmp(&b.2))?;
    let slowest = rates.iter().min_by(|a, b| a.2.total_cmp(&b.2))?;
    let speed = |rate: f64| match (Unit::of(mode), mode) {
        (Unit::Bytes, _) => format!("{} MiB/s", number(rate / f64::from(1 << 20))),
        (_, "strings") => format!("{} million strings a second", number(rate / 1e6)),
        _ => format!("{} derivations a second", number(rate)),
    };
    let name = |(runner, name, rate): &(&str, &str, f64)| {
        format!("{} by {} ({})", algorithm(name), report.measurements.label(runner), speed(*rate))
    };
    if fastest == slowest {
        return Some(format!("Measured was {}.", name(fastest)));
    }
    Some(format!(
        "Fastest was {}, slowest {}: a factor of {}.",
        name(fastest),
        name(slowest),
        number(fastest.2 / slowest.2)
    ))
}

/// What the choice of runner is worth over the volume, for the algorithm that most people use.
fn projection(report: &Report<'_>) -> Option<String> {
    let volume = report.options.volume_bytes as f64;
    let algorithm_id = "sha256";
    let mut seconds: Vec<(f64, &str)> = report
        .measurements
        .series
        .iter()
        .filter(|(key, _)| key.profile == TODAY && key.mode == "digest" && key.algorithm == algorithm_id)
        .filter_map(|(key, series)| Some((series.line(&key.mode)?.at(volume).value / 1e9, key.runner.as_str())))
        .collect();
    seconds.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (first, last) = (seconds.first()?, seconds.last()?);
    (seconds.len() > 1 && first.0 > 0.0).then(|| {
        format!(
            "Over {} of data the choice is worth {} with {}: {} with {}, {} with {}.",
            size(report.options.volume_bytes),
            duration(last.0 - first.0),
            algorithm(algorithm_id),
            duration(first.0),
            report.measurements.label(first.1),
            duration(last.0),
            report.measurements.label(last.1)
        )
    })
}

/// Whether it is the processor's SHA instructions that make SHA-256 faster than MD5, where both were measured.
fn sha_instructions(report: &Report<'_>) -> Option<String> {
    let ratio = |profile| {
        let largest = |algorithm| report.measurements.series(REFERENCE, profile, "digest", algorithm)?.largest();
        let ratio = ratio_of_medians(largest("sha256")?.times_ns(), largest("md5")?.times_ns())?;
        Some((ratio.value, ratio.interval?))
    };
    let ((with, above), (without, below)) = ratio(TODAY).zip(ratio("no-sha"))?;
    (above.high < 1.0 && below.low > 1.0).then(|| {
        format!(
            "With {}, SHA-256 takes {} times as long as MD5, and {} times without the processor's SHA instructions: they decide which \
             is the faster.",
            report.measurements.label(REFERENCE),
            number(with),
            number(without)
        )
    })
}

fn claims(report: &Report<'_>, profile: &str) -> Option<String> {
    let found = |verdict| -> Vec<&str> {
        let findings = report.findings.iter();
        findings.filter(|one| one.profile == profile && one.verdict == verdict).map(|one| one.claim.id).collect()
    };
    let parts: Vec<String> = [Verdict::Holds, Verdict::Weaker, Verdict::Reversed, Verdict::Undecided]
        .into_iter()
        .map(|verdict| (found(verdict), verdict))
        .filter(|(ids, _)| !ids.is_empty())
        .map(|(mut ids, verdict)| {
            let what = match (verdict, ids.len()) {
                (Verdict::Holds, 1) => "1 holds".to_owned(),
                (Verdict::Holds, count) => format!("{count} hold"),
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
