//! The claims: all of them in one picture, and one by one.

use pfh_statistics::Estimate;

use crate::claims::{Claim, Figure, Finding, Statement, Verdict};
use crate::measurements::TODAY;
use crate::report::Report;
use crate::report::format::{duration, figure, number, percent, published, sentence};
use crate::report::plots::{self, Axis, DotRow, Dots, Group, Legend};
use crate::report::sections::{PROFILES_MAX, profile_name, verdict};
use pfh_page::{Block, Cell, Plot, Section, Table};

pub(super) fn claims(report: &Report<'_>) -> Section {
    let mut section = Section::new("claims", "What the studies claim, and what was measured")
        .text(
            "Each claim is judged by where the whole 95 % interval of the measured figure lies, never by the figure alone. \
             Holds: wholly where the study says, and all that it speaks of was measured. Holds in part: what was measured holds, \
             but not all of it was. Stronger: the same direction, and far beyond the published size. Weaker: not contradicted, \
             but nearer to no difference than to the published size. Reversed: wholly on the other side. Undecided: the \
             interval reaches into more than one of these, or the difference is below 3 %, which the placement of a program in \
             memory alone can make.",
        );
    let picture = picture(report);
    if let Some(plot) = picture {
        section.push(plot);
    }
    for profile in report.measurements.profiles() {
        let findings = || report.findings.iter().filter(|finding| finding.profile == profile);
        let caption = sentence(&format!("Claims {}", heading(report, profile)));
        let mut table =
            Table::new(&caption, ["Claim", "The study says", "Verdict", "Measured here, 95 % interval, and published"]);
        table.extend(findings().filter(|finding| finding.verdict != Verdict::NotMeasured).map(row));
        if !table.is_empty() {
            section.push(Block::folded(format!("{caption}, one by one: {}", table.len()), [table]));
        }
    }
    // Reasons are the same for every profile.
    let profile = report.measurements.profiles().first().map(|profile| (*profile).to_owned());
    let mut missing: Vec<(String, Vec<&str>)> = Vec::new();
    let findings = report
        .findings
        .iter()
        .filter(|finding| finding.verdict == Verdict::NotMeasured && Some(&finding.profile) == profile.as_ref());
    for Finding { claim, note, statements, .. } in findings {
        let uncovered = statements.iter().find_map(|statement| statement.missing.as_deref());
        let reason = if claim.experiment != report.measurements.header.experiment {
            format!("({}): pfh lab run {} tests them.", claim.study, claim.experiment)
        } else if let Some(uncovered) = uncovered {
            format!("({}): {uncovered}, and a line needs three sizes.", claim.study)
        } else if note.is_empty() {
            format!("({}): the runners it needs were not measured.", claim.study)
        } else {
            format!("({}): {}. {note}", claim.study, claim.text)
        };
        match missing.last_mut().filter(|(last, _)| *last == reason) {
            Some((_, ids)) if ids.last() == Some(&claim.id) => {}
            Some((_, ids)) => ids.push(claim.id),
            None => missing.push((reason, vec![claim.id])),
        }
    }
    let missing: Vec<String> =
        missing.into_iter().map(|(reason, ids)| format!("{} {reason}", ids.join(", "))).collect();
    if section.has_matter() && !missing.is_empty() {
        section.push(Block::folded("Claims that were not measured here", [Block::List(missing)]));
    }
    section
}

/// All claims that this experiment measures: each figure with its interval under every profile, beside the published
/// one.
fn picture(report: &Report<'_>) -> Option<Plot> {
    let profiles: Vec<&str> = report.measurements.profiles().into_iter().take(PROFILES_MAX).collect();
    let mut blocks = Vec::new();
    for (kind, unit) in [
        (Figure::Ratio, "times; the broken line is no difference"),
        (Figure::Minutes, "minutes"),
        (Figure::Share, "percent"),
        (Figure::RSquared, "R²"),
    ] {
        let groups = groups(report, &profiles, kind);
        let rows = || groups.iter().flat_map(|group| &group.rows);
        let measured = rows().flat_map(|row| row.values.iter().flatten()).flat_map(|value| {
            let ends = value.interval.map(|interval| [interval.low, interval.high]);
            [value.value].into_iter().chain(ends.into_iter().flatten())
        });
        let values: Vec<f64> = measured.chain(rows().filter_map(|row| row.reference)).collect();
        let divide = (kind == Figure::Ratio).then_some(1.0);
        let is_logarithmic = matches!(kind, Figure::Ratio | Figure::Minutes) && values.iter().all(|value| *value > 0.0);
        let all = values.into_iter().chain(divide);
        let axis = if is_logarithmic { Axis::logarithmic(all) } else { Axis::linear(all) };
        if let (Some(axis), false) = (axis, groups.is_empty()) {
            blocks.push(plots::Block { axis, unit: unit.to_owned(), divide, groups });
        }
    }
    let names = profiles
        .iter()
        .enumerate()
        .map(|(series, profile)| (Some(series), format!("measured {}, 95 % interval", profile_name(report, profile))));
    let legend = Legend(names.chain([(None, "published".to_owned())]).collect());
    let ids = |wanted: bool| -> Vec<&str> {
        let mut ids: Vec<&str> = own_claims(report)
            .into_iter()
            .filter(|claim| report.findings.iter().any(|one| one.claim == *claim && one.has_figure()) == wanted)
            .map(|claim| claim.id)
            .collect();
        ids.dedup();
        ids
    };
    let missing = ids(false);
    if let (Some(block), false) = (blocks.last_mut(), missing.is_empty()) {
        let heading = format!("Not measured here: {}", missing.join(", "));
        block.groups.push(Group { heading, ..Group::default() });
    }
    let description = format!(
        "Measured intervals against published values of the claims {}; the tables below have every figure.",
        ids(true).join(", ")
    );
    Dots { legend, blocks }.plot("All claims: measured against published", description)
}

/// The claims that this experiment tests, or that it tested anyway.
fn own_claims(report: &Report<'_>) -> Vec<&'static Claim> {
    let mut claims: Vec<&'static Claim> = Vec::new();
    for finding in &report.findings {
        let is_own = finding.claim.experiment == report.measurements.header.experiment || finding.has_figure();
        if is_own && !claims.contains(&finding.claim) {
            claims.push(finding.claim);
        }
    }
    claims
}

/// A group for each claim that has figures of a kind, with a row for each of them.
fn groups(report: &Report<'_>, profiles: &[&str], kind: Figure) -> Vec<Group> {
    let scale = |value: f64| if kind == Figure::Share { value * 100.0 } else { value };
    let mut groups = Vec::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for first in &report.findings {
        let key = (first.claim.id, first.subject.as_str());
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let findings: Vec<Option<&Finding>> = profiles
            .iter()
            .map(|profile| {
                let is_same = |one: &&Finding| (one.claim.id, one.subject.as_str()) == key && one.profile == *profile;
                report.findings.iter().find(is_same)
            })
            .collect();
        let statements = |finding: &Option<&'_ Finding>| -> Vec<Statement> {
            let all = finding.iter().flat_map(|finding| &finding.statements);
            all.filter(|statement| statement.figure == kind && statement.measured.is_some()).cloned().collect()
        };
        let all: Vec<Vec<Statement>> = findings.iter().map(statements).collect();
        let mut rows: Vec<DotRow> = Vec::new();
        let mut subjects: Vec<&str> = Vec::new();
        for statement in all.iter().flatten() {
            if subjects.contains(&statement.subject.as_str()) {
                continue;
            }
            subjects.push(&statement.subject);
            let own = |statements: &Vec<Statement>| {
                let own = statements.iter().find(|other| other.subject == statement.subject)?;
                own.measured.map(|measured| measured.map(scale))
            };
            let values: Vec<Option<Estimate>> = all.iter().map(own).collect();
            let shown = values.iter().flatten().next().map(|value| text_of(kind, value));
            let (text, short) = shown.unwrap_or_default();
            let reference = statement.published.map(scale);
            rows.push(DotRow { label: statement.subject.clone(), values, reference, text, short });
        }
        if rows.is_empty() {
            continue;
        }
        let verdicts: Vec<String> = findings
            .iter()
            .flatten()
            .filter(|finding| finding.verdict != Verdict::NotMeasured)
            .map(|finding| match finding.profile.as_str() {
                TODAY if profiles.len() == 1 => finding.verdict.to_string(),
                profile => format!("{} {}", profile_name(report, profile), finding.verdict),
            })
            .collect();
        let heading = format!("{}: {}", first.claim.id, first.claim.text);
        // A claim that is tested with several runners has a group for each.
        let is_several =
            report.findings.iter().any(|one| one.claim.id == first.claim.id && one.subject != first.subject);
        let subject = if is_several { format!("{}: ", first.subject) } else { String::new() };
        groups.push(Group { heading, note: format!("{subject}{}", verdicts.join("; ")), rows });
    }
    groups
}

/// A figure as text, in full and in short.
fn text_of(kind: Figure, value: &Estimate) -> (String, String) {
    let text = |value: f64| match kind {
        Figure::RSquared => format!("{value:.4}"),
        Figure::Share => percent(value),
        Figure::Minutes => duration(value * 60.0),
        Figure::Ratio => number(value),
    };
    let short = text(value.value);
    let full = match value.interval {
        Some(interval) => format!("{short} ({} to {})", text(interval.low), text(interval.high)),
        None => short.clone(),
    };
    (full, short)
}

fn heading(report: &Report<'_>, profile: &str) -> String {
    match profile_name(report, profile).as_str() {
        "today" => "on this machine as it is".to_owned(),
        name => format!("on this machine {name}"),
    }
}

fn row(finding: &Finding) -> Vec<Cell> {
    let measured = finding.statements.iter().filter_map(|statement| Some((statement, statement.measured?)));
    let mut statements: Vec<_> = measured.collect();
    // Those that made the verdict first.
    statements.sort_by_key(|(statement, _)| std::cmp::Reverse(statement.verdict));
    let mut lines: Vec<String> = statements
        .iter()
        .map(|(statement, measured)| {
            let measured = figure(statement.figure, measured);
            let published =
                statement.published.map(|value| format!("; published {}", published(statement.figure, value)));
            let differs = statement.verdict != finding.verdict;
            let verdict = if differs { format!(" [{}]", statement.verdict) } else { String::new() };
            let missing = statement.missing.as_ref().map(|missing| format!(" ({missing})")).unwrap_or_default();
            format!("{}: {measured}{}{verdict}{missing}", statement.subject, published.unwrap_or_default())
        })
        .collect();
    let unmeasured = finding.statements.iter().filter(|statement| statement.measured.is_none());
    let unmeasured: Vec<&str> = unmeasured.map(|statement| statement.subject.as_str()).collect();
    if !unmeasured.is_empty() {
        let (count, all) = (unmeasured.len(), finding.statements.len());
        lines.push(format!("not measured, {count} of {all}: {}", unmeasured.join("; ")));
    }
    if !finding.note.is_empty() {
        lines.push(finding.note.clone());
    }
    let subject = if finding.subject.is_empty() { String::new() } else { format!(" ({})", finding.subject) };
    vec![
        Cell::text(finding.claim.id),
        Cell::Lines(vec![format!("{}.", finding.claim.text), format!("{}{subject}", finding.claim.study)]),
        verdict(finding.verdict),
        Cell::Lines(lines),
    ]
}
