//! The report of a run as a page that needs nothing else.

use super::super::quantity::{Bytes, Count};
use super::collection::{full_path, time};
use super::describe::describe;
use super::reported::{Reported, is_news, summary};
use pfh_ledger::{Error, Finding};
use pfh_page::{Cell, Document, Section, Table, Tone};
use std::io::Write;

/// Most rows of the table, which browsers still sort; `-f csv` has them all.
const ROWS_MAX: u64 = 10_000;

/// Writes the page.
pub(super) fn write(reported: &Reported<'_>, output: &mut dyn Write) -> Result<(), Error> {
    let info = &reported.info;
    let end = info.end.clone().unwrap_or_default();
    let head = reported.ledger.head()?;
    let roots: Vec<String> = reported.roots.iter().map(|root| pfh_record::quote::quoted(root)).collect();
    let open: u64 = end.open.values().sum();
    let verdict = match (info.end.is_some(), open) {
        (false, _) => "The run has not ended.".to_owned(),
        (true, 0) => "No finding is open.".to_owned(),
        (true, 1) => "One file has an open finding.".to_owned(),
        (true, open) => format!("{} files have open findings.", Count(open)),
    };
    let mut counts = Table::new("Files by finding", ["Finding", "In this run", "Open"]).sortable();
    for finding in Finding::OF_FILES {
        let of_run = end.findings.get(finding.word()).copied().unwrap_or(0);
        let open = end.open.get(finding.word()).copied().unwrap_or(0);
        if of_run + open > 0 {
            let number = |count: u64| Cell::quantity(Count(count).to_string(), count as f64);
            counts.push([Cell::mark(tone(finding), finding.word()), number(of_run), number(open)]);
        }
    }
    let mut files = Table::new("Findings of this run", ["File", "Finding", "When", "What"]).sortable();
    let mut news = 0;
    for is_wrong in [true, false] {
        reported.each(&mut |event| {
            if is_news(event.finding) && Finding::ALARMS.contains(&event.finding) == is_wrong {
                news += 1;
                if news <= ROWS_MAX {
                    let path = event.subject.as_ref().map_or(Vec::new(), |subject| full_path(&reported.roots, subject));
                    let path = pfh_record::quote::quoted(&path);
                    files.push([
                        Cell::code(path.trim_matches('`')),
                        Cell::mark(tone(event.finding), event.finding.word()),
                        Cell::text(time(event.time)),
                        Cell::code(describe(reported.ledger, &reported.roots, event)?),
                    ]);
                }
            }
            Ok(())
        })?;
    }
    let mut findings = Section::new("findings", "Findings");
    findings.push(counts);
    if news > ROWS_MAX {
        findings = findings.text(format!(
            "The table has the first {} of {} findings; `pfh audit report -f csv` has all.",
            Count(ROWS_MAX),
            Count(news)
        ));
    }
    if files.is_empty() {
        findings = findings.text("Every file that was read is as expected.");
    } else {
        findings.push(files);
    }
    let document = Document::new("Audit report")
        .question(format!("Run {} ({})", info.number, info.options.mode))
        .sentence(verdict)
        .sentence(summary(info.number, &info.options.mode, &end))
        .fact("Collection", roots.join(", "))
        .fact("Began", time(info.times.0))
        .fact("Ended", info.times.1.map_or("–".to_owned(), time))
        .fact("Algorithms", info.options.algorithms.join(", "))
        .fact("Read", format!("{} files, {}", Count(end.read), Bytes(end.read_bytes)))
        .fact("By", format!("{} on {}, {}", info.options.user, info.options.host, info.options.program))
        .fact("Events", Count(head.events.cast_unsigned()).to_string())
        .fact("Head of the ledger", head.hash_text())
        .section(findings);
    Ok(output.write_all(document.html().as_bytes())?)
}

fn tone(finding: Finding) -> Tone {
    match finding {
        Finding::BitRot | Finding::Changed | Finding::Missing => Tone::Bad,
        Finding::Unreadable | Finding::Changing => Tone::Caution,
        Finding::First | Finding::Matched | Finding::Back | Finding::Migrated => Tone::Good,
        _ => Tone::Neutral,
    }
}
