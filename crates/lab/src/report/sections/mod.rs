//! The contents of a report, section by section.

mod about;
mod answer;
mod candidate;
mod ciphers;
mod cycles;
mod ledger;
mod programs;
mod rates;
mod sizes;
mod strings;
mod table_of_times;

pub(in crate::report) use programs::{conditions, definition, work_of};

use std::collections::BTreeSet;

use super::Report;
use super::format::{algorithm, counted, duration, number, sentence, size};
use super::frash;
use crate::claims::Verdict;
use crate::measurements::{Clock, SeriesKey, TODAY};
use crate::results::Runner;
use crate::truth;
use pfh_page::{Cell, Document, Section, Tone};

/// The runner that others are compared with.
pub(super) const REFERENCE: &str = "c-openssl";

/// Profiles that are drawn beside each other.
const PROFILES_MAX: usize = 3;

/// Wall time as a multiple of processor time from which a machine counts as busy.
const DISTURBED: f64 = 1.1;

pub(super) fn document(report: &Report<'_>) -> Document {
    let header = &report.measurements.header;
    let frash = programs::frash(report);
    let mut sections = frash.as_deref().map_or_else(Vec::new, frash::sections);
    sections.extend([
        ledger::claims(report),
        candidate::table(report),
        programs::trials(report),
        programs::outputs(report),
        programs::projections(report),
        rates::heat_maps(report),
        rates::dots(report),
        sizes::plots(report),
        strings::passwords(report),
        ciphers::files(report),
        sizes::projections(report),
        table_of_times::tables(report),
        cycles::tables(report),
        sizes::fits(report),
    ]);
    sections.retain(Section::has_matter);
    sections.extend(about::sections(report));
    let mut facts = vec![("Experiment".to_owned(), header.experiment.clone())];
    if !report.definition.source.is_empty() {
        facts.push(("Reproduces".to_owned(), report.definition.source.clone()));
    }
    let sizes = if header.full { "those of the study (--full)" } else { "the quick ones" };
    facts.push(("Sizes".to_owned(), sizes.to_owned()));
    if let Some(rounds) = rounds(report) {
        facts.push(("Rounds".to_owned(), rounds));
    }
    facts.push(("Measured".to_owned(), header.started.clone()));
    let cores = |text: &str| text.parse().map_or(format!("{text} cores"), |cores: u64| counted(cores, "core", "cores"));
    let machine = ["cpu", "cores", "os"].iter().filter_map(|name| {
        header.environment.get(*name).map(|value| if *name == "cores" { cores(value) } else { value.clone() })
    });
    let machine = machine.collect::<Vec<_>>().join(", ");
    if !machine.is_empty() {
        facts.push(("Machine".to_owned(), machine));
    }
    if let Some(seconds) = report.measurements.seconds {
        facts.push(("Took".to_owned(), duration(seconds)));
    }
    facts.push(("Compared".to_owned(), report.measurements.clock.name().to_owned()));
    if let Some(ratio) = report.measurements.disturbance().filter(|ratio| *ratio > DISTURBED) {
        let advice = match report.measurements.clock {
            Clock::Wall => "--clock cpu compares processor times, which feel that less",
            Clock::Cpu => "processor times, which are compared here, feel that less",
        };
        let text = format!("Busy: wall times are {} times the processor's; {advice}.", number(ratio));
        facts.push(("Note".to_owned(), text));
    }
    if truth::disagreements(&report.measurements.truths) > 0 {
        let text = "Programs print different lists, and nobody knows which are right: see Answers.";
        facts.push(("Note".to_owned(), text.to_owned()));
    }
    let chunks: Vec<String> = report.measurements.chosen_chunks().into_iter().map(chunk).collect();
    if !chunks.is_empty() {
        let text = format!(
            "Some runners were measured with chunks of several sizes. Verdicts and pictures take those with the most \
             sizes of data, and of these the largest chunk: {}. The tables have all.",
            chunks.join(" or ")
        );
        facts.push(("Note".to_owned(), text));
    }
    for note in &report.measurements.notes {
        facts.push(("Note".to_owned(), note.clone()));
    }
    Document::new(report.definition.title.clone())
        .question(report.definition.question.clone())
        .sentences(frash.as_deref().map_or_else(|| answer::sentences(report), frash::answer))
        .facts(facts)
        .sections(sections)
}

/// The number of rounds, where a run was asked for another than that of the definition: that of the cells, which may
/// differ by what was stopped or selected.
fn rounds(report: &Report<'_>) -> Option<String> {
    report.measurements.header.rounds?;
    let points = report.measurements.series.values().flat_map(|series| &series.points);
    let rounds: BTreeSet<usize> = points.map(|point| point.wall_ns.rounds()).collect();
    match (rounds.first()?, rounds.last()?) {
        (least, most) if least == most => Some(most.to_string()),
        (least, most) => Some(format!("{least} to {most}")),
    }
}

/// The modes of runners that have samples, in the order in which they matter to readers. Whole programs have sections
/// of their own.
fn modes(report: &Report<'_>) -> Vec<String> {
    const ORDER: [&str; 7] = ["strings", "cipher-file", "digest", "digest-file", "cipher", "messages", "password"];
    let subjects = report.measurements.subjects();
    let mut modes: Vec<String> = subjects.into_iter().map(|(mode, _)| mode.to_owned()).collect();
    modes.sort_by_key(|mode| (ORDER.iter().position(|other| other == mode).unwrap_or(ORDER.len()), mode.clone()));
    modes.dedup();
    modes
}

/// Names the work of a mode, over all algorithms: the heading of a table or a picture.
fn work(mode: &str) -> String {
    match mode {
        "digest" => "Data in memory".to_owned(),
        "cipher" => "Ciphers, data in memory".to_owned(),
        "digest-file" => "Digests of files, reading included".to_owned(),
        "cipher-file" => "Encryption of files, reading included".to_owned(),
        "read-file" => "Reading a file, nothing else".to_owned(),
        "strings" => "Short strings".to_owned(),
        "messages" => "Single messages".to_owned(),
        "password" => "Password functions".to_owned(),
        other => sentence(other),
    }
}

/// A verdict as the cell of a table.
pub(super) fn verdict(verdict: Verdict) -> Cell {
    let tone = match verdict {
        Verdict::Holds | Verdict::Stronger | Verdict::HoldsInPart => Tone::Good,
        Verdict::Weaker => Tone::Caution,
        Verdict::Reversed => Tone::Bad,
        Verdict::Undecided => Tone::Neutral,
        Verdict::NotMeasured => Tone::Faint,
    };
    Cell::mark(tone, verdict.name())
}

/// The size of a chunk in words.
fn chunk(chunk_bytes: u64) -> String {
    if chunk_bytes == 0 { "one call".to_owned() } else { format!("updates of {}", size(chunk_bytes)) }
}

/// The runner of a series as tables name it: with the size of its chunks, where it was measured with several.
fn name(report: &Report<'_>, key: &SeriesKey) -> String {
    let label = report.measurements.label(&key.runner);
    let is_several = report.measurements.has_other_chunks(key);
    if is_several { format!("{label}, {}", chunk(key.chunk_bytes)) } else { label.to_owned() }
}

/// A profile as a reader knows it.
pub(super) fn profile_name(report: &Report<'_>, profile: &str) -> String {
    if profile == TODAY {
        return "today".to_owned();
    }
    let known = match profile {
        "no-sha" => Some("without SHA instructions"),
        "baseline" => Some("with SHA and vector instructions masked"),
        _ => None,
    };
    let labelled = || {
        let (_, runner) = report.measurements.runners.iter().find(|((_, id), _)| id == profile)?;
        profile_label(report, runner)
    };
    known.or_else(labelled).unwrap_or(profile).to_owned()
}

/// The label of a runner's profile, which stands behind the runner's own.
fn profile_label<'a>(report: &'a Report<'_>, runner: &'a Runner) -> Option<&'a str> {
    let rest = runner.label.strip_prefix(report.measurements.label(&runner.runner))?;
    Some(rest.trim_matches([',', ' ', '(', ')'])).filter(|rest| !rest.is_empty())
}

/// Names the work of a mode with an algorithm: `SHA-256`, `SHA-256 of files`.
pub(super) fn subject(mode: &str, name: &str) -> String {
    let name = algorithm(name);
    match mode {
        "digest" | "cipher" | "password" => name,
        "digest-file" | "cipher-file" => format!("{name}, file included"),
        "read-file" => "Reading a file, nothing else".to_owned(),
        "strings" => format!("{name} of short strings"),
        "messages" => format!("{name} of single messages"),
        // Names of algorithms keep their spelling, also at the start of a sentence: ssdeep.
        other if name == algorithm("none") => sentence(&format!("{name} ({other})")),
        other => format!("{name} ({other})"),
    }
}
