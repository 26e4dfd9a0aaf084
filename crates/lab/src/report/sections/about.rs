//! Facts that a reader needs to judge the figures: runners, failures, the machine, the method, the definition.

use std::collections::{BTreeMap, BTreeSet};

use pfh_statistics::ratio_of_medians;

use crate::experiment::trials;
use crate::measurements::TODAY;
use crate::protocol::Mode;
use crate::report::Report;
use crate::report::format::{algorithm, count, counted, estimate, size};
use crate::report::sections::programs::condition;
use crate::report::sections::{profile_label, profile_name, subject};
use crate::results::{self, Doubt, Failure, FailureKind, Truth};
use crate::truth;
use pfh_page::{Block, Cell, Section, Table};

/// Facts of the machine in the order in which people ask for them; others follow by name.
const FACTS: [&str; 9] =
    ["cpu", "cores", "memory_bytes", "os", "kernel", "virtualisation", "governor", "load_1m", "cpu_flags"];

/// Failures that are listed one by one.
const FAILURES_MAX: usize = 60;

pub(super) fn sections(report: &Report<'_>) -> Vec<Section> {
    let sections = [runners(report), answers(report), failures(report), environment(report)];
    let mut sections: Vec<Section> = sections.into_iter().filter(Section::has_matter).collect();
    sections.push(method(report));
    sections.push(definition(report));
    sections
}

fn runners(report: &Report<'_>) -> Section {
    let mut section = Section::new("runners", "Runners").text(
        "What each runner said of itself. A stand-in replaces a component that does not run here (Windows under Wine); its \
         speed says nothing of the original.",
    );
    let mut table = Table::new(
        "Runners that were measured",
        ["Runner", "Id", "Language", "Library", "Provider or engine", "Instructions"],
    );
    let mut absent = Table::new("Runners that were not available", ["Runner", "Reason"]);
    for ((id, profile), runner) in &report.measurements.runners {
        match &runner.hello {
            Some(hello) if profile == TODAY => {
                let stand_in = if hello.stand_in { " (stand-in)" } else { "" };
                let language = if hello.language.is_empty() { &runner.language } else { &hello.language };
                table.push(vec![
                    Cell::text(format!("{}{stand_in}", report.measurements.label(id))),
                    Cell::text(id),
                    // Whole programs have no version of a language, and some tell none of their own.
                    Cell::text(format!("{language} {}", hello.language_version).trim_end()),
                    Cell::text(format!("{} {}", hello.library, hello.library_version).trim_end()),
                    Cell::text(&hello.provider),
                    Cell::text(&hello.backend),
                ]);
            }
            Some(_) => {}
            None => {
                let name =
                    if profile == TODAY { String::new() } else { format!(", {}", profile_name(report, profile)) };
                let reason = runner.unavailable.as_deref().unwrap_or("it did not say why");
                absent.push(vec![Cell::text(format!("{}{name}", report.measurements.label(id))), Cell::text(reason)]);
            }
        }
    }
    let measured = counted(table.len(), "runner that was measured", "runners that were measured");
    let unavailable = counted(absent.len(), "runner that was not available", "runners that were not available");
    for (table, summary) in [(table, measured), (absent, unavailable)] {
        if !table.is_empty() {
            section.push(Block::folded(summary, [table]));
        }
    }
    let profiles = profiles(report);
    if !profiles.is_empty() {
        section.push(Block::folded("Effects of the profiles", [profiles]));
    }
    if let Some(text) = same_data(report) {
        section.push(Block::Text(text));
    }
    section
}

/// A table of the instructions that each profile masks in each runner, and of the effect.
fn profiles(report: &Report<'_>) -> Table {
    const ALGORITHMS: [&str; 4] = ["md5", "sha1", "sha256", "sha512"];
    let measurements = report.measurements;
    let head = ["Runner", "Profile", "Masked"].map(str::to_owned);
    let head = head.into_iter().chain(ALGORITHMS.map(|name| format!("{}, times today's", algorithm(name))));
    let mut table = Table::new("Times with masked instructions, as multiples of those without", head);
    for ((id, profile), runner) in &measurements.runners {
        let Some(masked) = profile_label(report, runner).filter(|_| profile != TODAY && runner.hello.is_some()) else {
            continue;
        };
        let effect = |name: &&str| {
            let times_ns = |profile| Some(measurements.series(id, profile, "digest", name)?.largest()?.times_ns());
            let times = ratio_of_medians(times_ns(profile)?, times_ns(TODAY)?)?;
            Some((estimate(&times), times.value))
        };
        let effects = ALGORITHMS.each_ref().map(effect);
        if effects.iter().all(Option::is_none) {
            continue;
        }
        let first = [measurements.label(id), &profile_name(report, profile), masked].map(Cell::text);
        let effects =
            effects.map(|effect| effect.map_or(Cell::maybe(None), |(text, times)| Cell::quantity(text, times)));
        table.push(first.into_iter().chain(effects).collect::<Vec<_>>());
    }
    table
}

/// The runners whose answers may have come from a cache.
fn same_data(report: &Report<'_>) -> Option<String> {
    let measurements = report.measurements;
    let has_data = |mode: &str| mode != trials::MODE && mode != Mode::Password.name();
    let measured: BTreeSet<(&str, &str)> = (measurements.series.keys().filter(|key| has_data(&key.mode)))
        .map(|key| (key.runner.as_str(), key.profile.as_str()))
        .collect();
    let varies = |(runner, profile): &(&str, &str)| {
        let entry = measurements.runners.get(&((*runner).to_owned(), (*profile).to_owned()));
        entry.and_then(|entry| entry.hello.as_ref()).is_some_and(|hello| hello.varies)
    };
    let (varying, same): (BTreeSet<_>, BTreeSet<_>) = measured.into_iter().partition(varies);
    let names: BTreeSet<&str> = same.into_iter().map(|(runner, _)| measurements.label(runner)).collect();
    let who = match (names.is_empty(), varying.is_empty()) {
        (true, _) => return None,
        (false, true) => "all runners".to_owned(),
        (false, false) => names.into_iter().collect::<Vec<_>>().join(", "),
    };
    Some(format!(
        "These had the same data in each repeat, so that an answer from a cache would have gone unnoticed: {who}."
    ))
}

/// Who agrees on which answers, and of which nobody knows whether they are right.
fn answers(report: &Report<'_>) -> Section {
    let truths = &report.measurements.truths;
    let mut section = Section::new("answers", "Answers").text(
        "No time of a runner counts before its answer equals one on which different implementations agree, and none of a whole \
         program that prints another list than most of the implementations do.",
    );
    let mut agreed = Table::new("Witnesses of the answers", ["Task", "Answers", "Computed alike by"]);
    // A run that was continued may have saved an answer again.
    let mut witnesses: BTreeMap<String, (BTreeSet<_>, BTreeSet<&str>)> = BTreeMap::new();
    for truth in truths.iter().filter(|truth| truth::is_confirmed(truth)) {
        let Truth { mode, algorithm, bytes, count, variant, answer, list, .. } = truth;
        let pairs = list.as_ref().is_some_and(|list| list.pairs);
        let (answers, names) = witnesses.entry(subject(mode, algorithm)).or_default();
        answers.insert((bytes, count, variant, answer, pairs));
        names.extend(truth.witnesses.iter().map(String::as_str));
    }
    for (task, (answers, names)) in witnesses {
        let names: Vec<&str> = names.into_iter().collect();
        agreed.push(vec![Cell::text(task), Cell::number(count(answers.len() as u64)), Cell::text(names.join(", "))]);
    }
    if !agreed.is_empty() {
        section.push(Block::Text("These agreed, over all sizes:".to_owned()));
        let summary = counted(agreed.len(), "task and its witnesses", "tasks and their witnesses");
        section.push(Block::folded(summary, [agreed]));
    }
    let mut alone = Table::new("Answers that nobody confirms", ["Task", "Answer", "Of", "Reason"]);
    for truth in truth::unconfirmed(truths) {
        let reason = match truth.list.as_ref().and_then(|list| list.doubt) {
            Some(Doubt::Disputed) => "others disagree, and no list is that of most",
            Some(Doubt::Alone) | None => "no other implementation printed a whole list",
        };
        let task = subject(&truth.mode, &truth.algorithm);
        let names = truth.witnesses.join(", ");
        alone.push(vec![Cell::text(task), Cell::text(&truth.answer), Cell::text(names), Cell::text(reason)]);
    }
    if !alone.is_empty() {
        let text = "Nobody confirms these, so nothing says that they are right; the times of their programs are kept:";
        section.push(Block::Text(text.to_owned()));
        section.push(Block::folded(counted(alone.len(), "answer", "answers"), [alone]));
    }
    section
}

fn kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::NotOffered => "not offered",
        FailureKind::Error => "error",
        FailureKind::WrongAnswer => "wrong answer",
        FailureKind::Timeout => "time limit",
        FailureKind::Crash => "crash",
        FailureKind::Garbage => "protocol broken",
        FailureKind::Memory => "memory limit",
        FailureKind::Implausible => "implausible times",
        FailureKind::Unverified => "nobody to agree with",
    }
}

fn failures(report: &Report<'_>) -> Section {
    let mut section = Section::new("failures", "What failed");
    let is_fault = |failure: &&Failure| failure.kind != FailureKind::NotOffered;
    let faults: Vec<&Failure> = report.measurements.failures.iter().filter(is_fault).collect();
    if !faults.is_empty() {
        // A task that failed in a later round may have those of the rounds before.
        let has_figures = |failure: &&Failure| report.measurements.has_point(&failure.cell);
        let outcome = if faults.iter().any(has_figures) { "failed" } else { "gave no figures" };
        let mut table = Table::new(
            format!("Tasks that {outcome}: {}", count(faults.len() as u64)),
            ["Runner", "Task", "Kind", "What it said"],
        );
        for failure in faults.iter().take(FAILURES_MAX) {
            let cell = &failure.cell;
            table.push(vec![
                Cell::text(report.measurements.label(&cell.runner)),
                Cell::text(format!(
                    "{}, {}{}",
                    subject(&cell.mode, &cell.algorithm),
                    size(cell.bytes),
                    dimensions(cell)
                )),
                Cell::text(if has_figures(failure) {
                    format!("{}; the figures of its other rounds are kept", kind(failure.kind))
                } else {
                    kind(failure.kind).to_owned()
                }),
                Cell::text(crate::report::format::shorten(&failure.message, 600)),
            ]);
        }
        section.push(table);
        if faults.len() > FAILURES_MAX {
            section.push(Block::Text(format!(
                "{} in the results.",
                counted(faults.len() - FAILURES_MAX, "more is", "more are")
            )));
        }
    }
    let mut missing: Vec<String> = report
        .measurements
        .failures
        .iter()
        .filter(|failure| !is_fault(failure))
        .map(|failure| {
            let cell = &failure.cell;
            format!("{}: {}", report.measurements.label(&cell.runner), subject(&cell.mode, &cell.algorithm))
        })
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        let summary = format!("Not offered, which is no fault: {}", missing.len());
        section.push(Block::folded(summary, [Block::List(missing)]));
    }
    section
}

/// The conditions of a whole program, none of a runner: `, cold, small, hdd, 2 threads`.
fn dimensions(cell: &results::Cell) -> String {
    let told = cell.dimensions.iter().map(|(name, value)| format!(", {}", condition(name, value)));
    told.collect()
}

fn environment(report: &Report<'_>) -> Section {
    let mut section = Section::new("environment", "Machine");
    let environment = &report.measurements.header.environment;
    let mut table = Table::new("Facts of the machine", ["Fact", "Value"]);
    let first = FACTS.iter().filter_map(|name| environment.get_key_value(*name));
    let others = environment.iter().filter(|(name, _)| !FACTS.contains(&name.as_str()));
    for (name, value) in first.chain(others) {
        let value = match name.strip_suffix("_bytes").and_then(|_| value.parse().ok()) {
            Some(bytes) => size(bytes),
            None => value.clone(),
        };
        table.push(vec![Cell::text(name), Cell::text(value)]);
    }
    table.push(vec![Cell::text("pfh"), Cell::text(&report.measurements.header.program)]);
    table.push(vec![Cell::text("seed"), Cell::text(report.measurements.header.seed.to_string())]);
    section.push(Block::folded("Facts of the machine", [table]));
    section
}

fn method(report: &Report<'_>) -> Section {
    let mut section = Section::new("method", "Method and known biases");
    let mut method = vec![
        "Each runner is a program of its own, which times itself between two readings of a monotonic clock; starting it, reading \
         the data into memory and printing are outside, except in the modes that say otherwise.",
        "Every answer is compared with an independent value before the time counts. A wrong answer is a failure, however fast.",
        "Tasks come in random order, in rounds; figures are medians over all repeats. Intervals cover the true median with \
         95 % probability (94 % with five rounds, whose interval is at most their range): by resampling rounds and then \
         the repeats in them, 2000 times (bootstrap), widened where there are few rounds. With fewer than five rounds \
         there is none, and nothing is decided.",
        "Wall time is compared unless the report says otherwise, because the studies compared it. A busy machine makes it \
         longer, never shorter; processor time (--clock cpu) feels that less.",
        "The data of runners are in the page cache or in memory, and nothing of theirs says how fast a disk is. Whole programs \
         read from the devices that are named; what a simulated device says holds for its figures, not for a disk of that kind.",
        "Speaking in favour of some: runtimes that compile while they run are warm; libraries that choose their code by the \
         processor's instructions gain most on a processor that has them; runners that copy at the border of their language \
         pay for it here as they do in use.",
        "One machine, one build of each library: versions are in the table of runners. Another build may place its code otherwise and \
         differ by a few percent.",
    ];
    if report.measurements.profiles().len() > 1 {
        method.push(
            "Profiles other than today mask instructions in the same library on the same processor. They show the effect of these instructions and not an older processor: clock \
             rate, caches, memory and all other instructions are today's. Runners without such a switch are not in them. What takes \
             the place of the masked code differs: OpenSSL has vector code for every generation, and the Java virtual machine compiles \
             plain Java. So a profile compares a library with itself, and not libraries with each other.",
        );
    }
    section.push(Block::List(method.into_iter().map(str::to_owned).collect()));
    section.push(Block::Text("More: docs/concepts/bias-and-method.md in the source of pfh.".to_owned()));
    section
}

fn definition(report: &Report<'_>) -> Section {
    let mut section = Section::new("definition", "Definition of the experiment");
    let definition = Block::Verbatim(report.measurements.header.definition.clone());
    section.push(Block::folded("The file", [definition]));
    section
}
