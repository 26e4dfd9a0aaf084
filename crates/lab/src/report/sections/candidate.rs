//! The program that a question is about, against the fastest of the others: one table, and the answer in a sentence.

use std::collections::BTreeSet;

use pfh_statistics::{Estimate, ratio_by_rounds};

use super::programs::{Measured, cells, conditions, definition, is_beside, is_of, limit, order, varying};
use crate::experiment::Definition;
use crate::experiment::trials::{CACHE, CORPUS, DEVICE, Trial};
use crate::measurements::{Measurements, TODAY};
use crate::report::Report;
use crate::report::format::{algorithm, counted, estimate, number};
use pfh_page::{Cell, Section, Table, Tone};

/// By how much the candidate may be slower and still counts as fast as the others.
const WITHIN: f64 = 0.05;

/// A measurement of the candidate, the fastest of the others under the same conditions, and how many times its time the
/// candidate takes, round by round: in each, both ran soon after one another.
struct Comparison<'a> {
    candidate: Measured<'a>,
    fastest: Measured<'a>,
    times: Estimate,
}

impl Comparison<'_> {
    /// Whether the candidate is as fast; `None` if that is undecided.
    fn is_as_fast(&self) -> Option<bool> {
        let interval = self.times.interval?;
        let most = 1.0 + WITHIN;
        if interval.high <= most {
            return Some(true);
        }
        (interval.low > most).then_some(false)
    }
}

/// The comparisons of a trial. Programs that do a part of the work are no others.
fn of_trial<'a>(measurements: &'a Measurements, definition: &Definition, trial: &Trial) -> Vec<Comparison<'a>> {
    let Some(candidate) = &trial.candidate else { return Vec::new() };
    let is_whole = |(key, _): &Measured<'_>| {
        key.profile == TODAY && is_of(trial, &definition.programs, key) && limit(definition, key).is_none()
    };
    let of: Vec<Measured<'_>> = cells(measurements).filter(is_whole).collect();
    let mut comparisons: Vec<Comparison<'_>> = Vec::new();
    for measured in of.iter().filter(|(key, _)| key.runner == *candidate) {
        let (key, point) = measured;
        let is_other = |(other, _): &&Measured<'_>| {
            other.runner != *candidate && other.algorithm == key.algorithm && is_beside(other, key)
        };
        let against = |other: &Measured<'a>| {
            let times = ratio_by_rounds(point.times_ns(), other.1.times_ns())?;
            Some(Comparison { candidate: *measured, fastest: *other, times })
        };
        let all = of.iter().filter(is_other).filter_map(against);
        comparisons.extend(all.max_by(|a, b| a.times.value.total_cmp(&b.times.value)));
    }
    comparisons
}

fn all(measurements: &Measurements) -> Vec<Comparison<'_>> {
    let Some(definition) = definition(measurements) else { return Vec::new() };
    let mut all: Vec<Comparison<'_>> =
        definition.trials.iter().flat_map(|trial| of_trial(measurements, &definition, trial)).collect();
    all.sort_by(|a, b| order(&a.candidate).0.cmp(&order(&b.candidate).0));
    all
}

/// The answer: how many times the fastest other program's time the candidate takes at most, and how often it is as
/// fast.
pub(super) fn sentences(measurements: &Measurements) -> Vec<String> {
    let all = all(measurements);
    let names: BTreeSet<&str> = all.iter().map(|one| one.candidate.0.runner.as_str()).collect();
    let sentence = |name: &str| {
        let of: Vec<&Comparison<'_>> = all.iter().filter(|one| one.candidate.0.runner == name).collect();
        let most = of.iter().max_by(|a, b| a.times.value.total_cmp(&b.times.value))?;
        let least = of.iter().min_by(|a, b| a.times.value.total_cmp(&b.times.value))?;
        let count = |wanted| of.iter().filter(|one| one.is_as_fast() == wanted).count();
        let (as_fast, slower, undecided) = (count(Some(true)), count(Some(false)), count(None));
        let rest = [(slower, "slower"), (undecided, "undecided")].map(|(count, word)| match count {
            0 => String::new(),
            1 => format!("; 1 is {word}"),
            count => format!("; {count} are {word}"),
        });
        let (key, _) = most.candidate;
        let conditions = [CORPUS, DEVICE, CACHE].map(|name| key.dimensions.get(name).map_or("", String::as_str));
        let [corpus, device, cache] = conditions;
        Some(format!(
            "{} takes {} to {} times as long as the fastest of the other programs, and in {} of {} at most {} % longer{}. The most is \
             {} times, with {}, files {corpus}, {cache}, from {}.",
            measurements.label(name),
            number(least.times.value),
            number(most.times.value),
            as_fast,
            counted(of.len(), "comparison", "comparisons"),
            WITHIN * 100.0,
            rest.concat(),
            estimate(&most.times),
            algorithm(&key.algorithm),
            measurements.place(device),
        ))
    };
    names.into_iter().filter_map(sentence).collect()
}

/// All comparisons in one table.
pub(super) fn table(report: &Report<'_>) -> Section {
    let measurements = report.measurements;
    let all = all(measurements);
    let section = Section::new("candidate", "Against the fastest of the others");
    if all.is_empty() {
        return section;
    }
    let mut section = section.text(format!(
        "Each time over the same files in the same state. How many times as long the candidate takes is the median over the \
         rounds, in each of which both ran soon after one another. The fastest of the others is the one against which that is \
         most, so that it is the luckiest one, too. At most {} % longer: yes or no only if the whole 95 % interval tells.",
        WITHIN * 100.0
    ));
    let within = format!("At most {} % longer", WITHIN * 100.0);
    // The answer comes before its reasons, which a narrow page shows only when it is scrolled.
    let head =
        ["Files", "Device", "Cache", "Algorithm", &within, "Times", "Program", "Seconds", "Fastest other", "Seconds"];
    let mut table = Table::new(section_title(&all, measurements), head);
    let measured: Vec<Measured<'_>> = all.iter().flat_map(|one| [one.candidate, one.fastest]).collect();
    let mut varying = varying(&measured);
    [CORPUS, DEVICE, CACHE].iter().for_each(|name| {
        varying.remove(name);
    });
    let named = |(key, _): &Measured<'_>| {
        let conditions = conditions(key, |name| varying.contains(name));
        let label = measurements.label(&key.runner);
        Cell::text(if conditions.is_empty() { label.to_owned() } else { format!("{label}: {conditions}") })
    };
    let seconds = |(_, point): &Measured<'_>| {
        let seconds = point.time.estimate().map(|ns| ns / 1e9);
        Cell::quantity(estimate(&seconds), seconds.value)
    };
    for one in &all {
        let (key, _) = one.candidate;
        let dimension = |name: &str| Cell::text(key.dimensions.get(name).map_or("", String::as_str));
        table.push(vec![
            dimension(CORPUS),
            dimension(DEVICE),
            dimension(CACHE),
            Cell::text(algorithm(&key.algorithm)),
            match one.is_as_fast() {
                Some(true) => Cell::mark(Tone::Good, "yes"),
                Some(false) => Cell::mark(Tone::Caution, "no"),
                None => Cell::mark(Tone::Neutral, "undecided"),
            },
            Cell::quantity(estimate(&one.times), one.times.value),
            named(&one.candidate),
            seconds(&one.candidate),
            named(&one.fastest),
            seconds(&one.fastest),
        ]);
    }
    section.push(table.sortable());
    section
}

fn section_title(all: &[Comparison<'_>], measurements: &Measurements) -> String {
    let names: BTreeSet<&str> = all.iter().map(|one| measurements.label(&one.candidate.0.runner)).collect();
    format!("{} against the fastest of the others", names.into_iter().collect::<Vec<_>>().join(", "))
}
