//! Two results beside each other: two machines, two systems, two versions.

use std::collections::BTreeSet;

use pfh_statistics::{Estimate, ratio_of_medians};

use super::Report;
use super::format::{algorithm, count, counted, duration, estimate, number, size};
use super::sections::{conditions, subject, verdict};
use crate::claims::rules::EQUAL_WITHIN;
use crate::experiment::trials::{CORPUS, MODE};
use crate::measurements::{Clock, Measurements, Point, Series, SeriesKey, Unit};
use pfh_page::{Block, Cell, Document, Section, Table};

/// The verdict on a pair of medians.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Slower,
    Faster,
    Same,
    Unclear,
}

impl Change {
    /// Of B's time as a multiple of A's.
    fn of(ratio: &Estimate) -> Change {
        match ratio.interval {
            Some(interval) if interval.low > EQUAL_WITHIN => Change::Slower,
            Some(interval) if interval.high < 1.0 / EQUAL_WITHIN => Change::Faster,
            Some(interval) if interval.low >= 1.0 / EQUAL_WITHIN && interval.high <= EQUAL_WITHIN => Change::Same,
            _ => Change::Unclear,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Change::Slower => "B slower",
            Change::Faster => "B faster",
            Change::Same => "same",
            Change::Unclear => "unclear",
        }
    }
}

/// Sets two results side by side: the cells that both have, with the ratio of B's time to A's; the claims; the
/// machines.
#[must_use]
pub fn compare(a: &Report<'_>, b: &Report<'_>) -> Document {
    let (cells, counts) = cells(a.measurements, b.measurements);
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let answer = if total == 0 {
        "The two results have no cell in common.".to_owned()
    } else {
        let of = |change: Change| counts.iter().find(|(other, _)| *other == change).map_or(0, |(_, count)| *count);
        format!(
            "Of {} that both have, B is faster in {}, slower in {}, the same within 3 % in {}; {} unclear.",
            counted(total, "cell", "cells"),
            of(Change::Faster),
            of(Change::Slower),
            of(Change::Same),
            counted(of(Change::Unclear), "is", "are")
        )
    };
    let mut facts = Vec::new();
    for (name, report) in [("A", a), ("B", b)] {
        let header = &report.measurements.header;
        let machine = header.environment.get("cpu").map_or("an unknown processor", String::as_str);
        facts.push((
            name.to_owned(),
            format!("{} on {machine}, {}, pfh {}", header.experiment, header.started, header.program),
        ));
    }
    match [a, b].map(|report| report.measurements.clock) {
        [Clock::Wall, Clock::Wall] => {}
        [in_a, in_b] if in_a == in_b => facts.push(("Compared".to_owned(), in_a.name().to_owned())),
        [in_a, in_b] => {
            let text = format!("The clocks differ: A has {}, B {}. Ratios mix both.", in_a.name(), in_b.name());
            facts.push(("Note".to_owned(), text));
        }
    }
    for report in [a, b] {
        facts.extend(report.measurements.notes.iter().map(|note| ("Note".to_owned(), note.clone())));
    }
    let (projections, coverage) = projections(a, b);
    let sections = [cells, projections, claims(a, b), differences(a.measurements, b.measurements)];
    Document::new(format!("{}: two results side by side", a.definition.title))
        .question("What is different?")
        .sentence(answer)
        .sentences(coverage)
        .facts(facts)
        .sections(sections.into_iter().filter(Section::has_matter))
}

fn cells(a: &Measurements, b: &Measurements) -> (Section, Vec<(Change, usize)>) {
    let mut section = Section::new("cells", "Times").text(
        "Medians of the time; the ratio is B's time over A's, with its 95 % interval. Faster and slower are only said where the \
         whole interval is 3 % or more away from 1.",
    );
    let mut counts: Vec<(Change, usize)> =
        [Change::Slower, Change::Faster, Change::Same, Change::Unclear].map(|change| (change, 0)).into();
    let mut compared = |point: &Point, other: &Point| {
        let ratio = ratio_of_medians(other.times_ns(), point.times_ns())?;
        let change = Change::of(&ratio);
        counts.iter_mut().filter(|(other, _)| *other == change).for_each(|(_, count)| *count += 1);
        Some((ratio, change))
    };
    let mut table = Table::new("Times", ["Runner", "Profile", "Size", "A, ms", "B, ms", "B / A", "Verdict"]);
    for (mode, name) in a.subjects() {
        table.group(subject(mode, name));
        for (key, series) in a.series.iter().filter(|(key, _)| key.mode == mode && key.algorithm == name) {
            let Some(others) = b.series.get(key) else { continue };
            for point in &series.points {
                let is_same = |other: &&Point| (other.bytes, other.count) == (point.bytes, point.count);
                let Some(other) = others.points.iter().find(is_same) else { continue };
                let Some((ratio, change)) = compared(point, other) else { continue };
                table.push(vec![
                    Cell::text(a.label(&key.runner)),
                    Cell::text(&key.profile),
                    Cell::number(extent(key, point)),
                    Cell::number(number(point.time.median / 1e6)),
                    Cell::number(number(other.time.median / 1e6)),
                    Cell::number(estimate(&ratio)),
                    Cell::text(change.name()),
                ]);
            }
        }
    }
    if !table.is_empty() {
        section.push(Block::folded_if_long(table));
    }
    let programs = programs(a, b, &mut compared);
    if !programs.is_empty() {
        section.push(Block::folded_if_long(programs));
    }
    let keys = |measurements: &Measurements| -> BTreeSet<(String, String)> {
        measurements.series.keys().map(|key| (key.runner.clone(), key.profile.clone())).collect()
    };
    let (in_a, in_b) = (keys(a), keys(b));
    for (name, only) in [("A", in_a.difference(&in_b)), ("B", in_b.difference(&in_a))] {
        let only: Vec<String> = only.map(|(runner, profile)| format!("{runner} ({profile})")).collect();
        if !only.is_empty() {
            section.push(Block::Text(format!("Only in {name}: {}.", only.join(", "))));
        }
    }
    (section, counts)
}

/// The cells of whole programs that both have, over the same files.
fn programs(
    a: &Measurements,
    b: &Measurements,
    compared: &mut impl FnMut(&Point, &Point) -> Option<(Estimate, Change)>,
) -> Table {
    let head = ["Program", "Conditions", "Algorithm", "Profile", "A, s", "B, s", "B / A", "Verdict"];
    let mut table = Table::new("Whole programs", head);
    for (key, series) in a.series.iter().filter(|(key, _)| key.mode == MODE && !has_other_files(a, b, key)) {
        let Some((point, other)) = series.largest().zip(b.series.get(key).and_then(Series::largest)) else { continue };
        if (other.bytes, other.count) != (point.bytes, point.count) {
            continue;
        }
        let Some((ratio, change)) = compared(point, other) else { continue };
        table.push(vec![
            Cell::text(a.label(&key.runner)),
            Cell::text(conditions(key, |_| true)),
            Cell::text(algorithm(&key.algorithm)),
            Cell::text(&key.profile),
            Cell::number(number(point.time.median / 1e9)),
            Cell::number(number(other.time.median / 1e9)),
            Cell::number(estimate(&ratio)),
            Cell::text(change.name()),
        ]);
    }
    table
}

/// Whether the files of a cell are others in B than in A; those without a digest, in older results, are compared by
/// their number and size alone.
fn has_other_files(a: &Measurements, b: &Measurements, key: &SeriesKey) -> bool {
    let Some(corpus) = key.dimensions.get(CORPUS) else { return false };
    let [in_a, in_b] = [a, b].map(|one| one.corpora.get(corpus).and_then(|corpus| corpus.sha256.as_ref()));
    in_a.zip(in_b).is_some_and(|(in_a, in_b)| in_a != in_b)
}

/// Whether B's projections lie where A's intervals say: the test of the intervals, where both results are of one
/// machine.
fn projections(a: &Report<'_>, b: &Report<'_>) -> (Section, Option<String>) {
    let volume = a.options.volume_bytes;
    let mut section = Section::new("projection", format!("Projected to {}", size(volume))).text(
        "Where A and B are runs of the same on one machine, the intervals of A can be tested: were they exact, and B as uncertain \
         as A, 83 % of B's projections would lie in them (both are uncertain, so the difference is by the square root of 2 more so \
         than either). More is a wide interval, less a narrow one.",
    );
    let head = ["Runner", "Profile", "A, 95 % interval", "B", "B in A's interval"];
    let (mut inside, mut all) = (0, 0);
    let mut table = Table::new(format!("Projected to {}", size(volume)), head);
    for (mode, name) in a.measurements.subjects().into_iter().filter(|(mode, _)| *mode == "digest") {
        table.group(subject(mode, name));
        let of = a.measurements.series.iter().filter(|(key, _)| key.mode == mode && key.algorithm == name);
        for (key, series) in of {
            let project = |series: &Series| Some(series.project_ns(mode, volume as f64)?.map(|ns| ns / 1e9));
            let Some(in_b) = b.measurements.series.get(key).and_then(project) else { continue };
            let Some((in_a, interval)) = project(series).and_then(|in_a| Some((in_a, in_a.interval?))) else {
                continue;
            };
            let is_inside = interval.low <= in_b.value && in_b.value <= interval.high;
            (inside, all) = (inside + u64::from(is_inside), all + 1);
            table.push(vec![
                Cell::text(a.measurements.label(&key.runner)),
                Cell::text(&key.profile),
                Cell::number(format!(
                    "{} ({} to {})",
                    duration(in_a.value),
                    duration(interval.low),
                    duration(interval.high)
                )),
                Cell::number(duration(in_b.value)),
                Cell::text(if is_inside { "yes" } else { "no" }),
            ]);
        }
    }
    if !table.is_empty() {
        section.push(Block::folded_if_long(table));
    }
    let coverage = (all > 0).then(|| {
        let percent = number(inside as f64 / all as f64 * 100.0);
        format!(
            "Of {} projections to {} that both have, {} of B's ({percent} %) lie in A's 95 % intervals.",
            count(all),
            size(volume),
            count(inside)
        )
    });
    (section, coverage)
}

fn extent(key: &SeriesKey, point: &Point) -> String {
    match Unit::of(&key.mode) {
        Unit::Bytes => size(point.size(&key.mode)),
        Unit::Items => count(point.count),
    }
}

fn claims(a: &Report<'_>, b: &Report<'_>) -> Section {
    let mut section = Section::new("claims", "Claims");
    let mut table = Table::new("Verdicts", ["Claim", "The study says", "Profile", "A", "B"]);
    for finding in &a.findings {
        let is_same = |other: &&crate::claims::Finding| {
            (other.claim.id, &other.profile, &other.subject) == (finding.claim.id, &finding.profile, &finding.subject)
        };
        let Some(other) = b.findings.iter().find(is_same) else { continue };
        if finding.statements.is_empty() && other.statements.is_empty() {
            continue;
        }
        table.push(vec![
            Cell::text(finding.claim.id),
            Cell::Lines(vec![finding.claim.text.to_owned(), finding.subject.clone()]),
            Cell::text(&finding.profile),
            verdict(finding.verdict),
            verdict(other.verdict),
        ]);
    }
    if !table.is_empty() {
        section.push(Block::folded_if_long(table));
    }
    section
}

/// Lists differences between machines, devices, files and runners.
fn differences(a: &Measurements, b: &Measurements) -> Section {
    let mut section = Section::new("machines", "Machines and versions");
    let mut table = Table::new("What differs", ["Fact", "A", "B"]);
    let (facts_a, facts_b) = (facts(a), facts(b));
    let names: BTreeSet<&String> = facts_a.keys().chain(facts_b.keys()).collect();
    for name in names {
        let (in_a, in_b) = (facts_a.get(name), facts_b.get(name));
        if in_a != in_b {
            let cell = |value: Option<&String>| Cell::text(value.map_or("–", String::as_str));
            table.push(vec![Cell::text(name), cell(in_a), cell(in_b)]);
        }
    }
    if !table.is_empty() {
        section.push(table);
    }
    section
}

fn facts(measurements: &Measurements) -> std::collections::BTreeMap<String, String> {
    let mut facts = measurements.header.environment.clone();
    facts.insert("pfh".to_owned(), measurements.header.program.clone());
    for ((id, profile), runner) in &measurements.runners {
        if let Some(hello) = runner.hello.as_ref().filter(|_| profile == crate::measurements::TODAY) {
            let text =
                format!("{} {}, {} {}", hello.language, hello.language_version, hello.library, hello.library_version);
            facts.insert(format!("runner {id}"), text);
        }
    }
    for (name, device) in &measurements.devices {
        let kind = if device.simulated { "simulated" } else { "real" };
        let told = device.facts.iter().filter(|(_, text)| !text.is_empty());
        let told: String = told.map(|(fact, text)| format!("; {fact}: {text}")).collect();
        facts.insert(format!("device {name}"), format!("{kind}{told}"));
    }
    for (name, corpus) in &measurements.corpora {
        let digest = corpus.sha256.as_deref().unwrap_or("unknown");
        let files = counted(corpus.files, "file", "files");
        facts.insert(format!("files {name}"), format!("{files}, {}; SHA-256 {digest}", size(corpus.bytes)));
    }
    facts
}
