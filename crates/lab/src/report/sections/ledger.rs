//! The claims, one by one.

use crate::claims::{Finding, Verdict};
use crate::report::Report;
use crate::report::format::{figure, published, sentence};
use crate::report::sections::{profile_name, verdict};
use pfh_page::{Block, Cell, Section, Table};

/// Figures printed for one claim, those that decide first. The JSON Lines have all.
const FIGURES_MAX: usize = 5;

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
    for profile in report.measurements.profiles() {
        let findings = || report.findings.iter().filter(|finding| finding.profile == profile);
        let mut table = Table::new(
            sentence(&format!("Claims {}", heading(report, profile))),
            ["Claim", "The study says", "Verdict", "Measured here, 95 % interval, and published"],
        );
        table.extend(findings().filter(|finding| finding.verdict != Verdict::NotMeasured).map(row));
        if !table.is_empty() {
            section.push(table);
        }
    }
    // Reasons are the same for every profile.
    let profile = report.measurements.profiles().first().map(|profile| (*profile).to_owned());
    let mut missing: Vec<(String, Vec<&str>)> = Vec::new();
    let findings = report
        .findings
        .iter()
        .filter(|finding| finding.verdict == Verdict::NotMeasured && Some(&finding.profile) == profile.as_ref());
    for Finding { claim, note, .. } in findings {
        let reason = if claim.experiment != report.measurements.header.experiment {
            format!("({}): pfh lab run {} tests them.", claim.study, claim.experiment)
        } else if note.is_empty() {
            format!("({}): the runners it needs were not measured.", claim.study)
        } else {
            format!("({}): {}. {note}", claim.study, claim.text)
        };
        match missing.last_mut().filter(|(last, _)| *last == reason) {
            Some((_, ids)) => ids.push(claim.id),
            None => missing.push((reason, vec![claim.id])),
        }
    }
    let missing: Vec<String> =
        missing.into_iter().map(|(reason, ids)| format!("{} {reason}", ids.join(", "))).collect();
    if section.has_matter() && !missing.is_empty() {
        section.push(Block::Text("Not measured here:".to_owned()));
        section.push(Block::List(missing));
    }
    section
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
        .take(FIGURES_MAX)
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
    if statements.len() > FIGURES_MAX {
        lines.push(format!("and {} more, all in the JSON Lines beside this report", statements.len() - FIGURES_MAX));
    }
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
