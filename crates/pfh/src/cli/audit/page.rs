//! The report of a run as a page that needs nothing else.

use super::super::quantity::{Bytes, Count};
use super::collection::{full_path, time};
use super::describe::describe;
use super::reported::{Reported, files, is_news};
use pfh_ledger::{Error, Finding};
use pfh_page::{Block, Cell, Document, Section, Table, Tone};
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
    let mut tables = Vec::new();
    let mut news = 0;
    for (is_wrong, caption) in [(true, "What is wrong in this run"), (false, "What else is new in this run")] {
        let mut table = Table::new(caption, ["File", "Finding", "When", "What"]).sortable();
        reported.each(&mut |event| {
            if is_news(event.finding) && Finding::ALARMS.contains(&event.finding) == is_wrong {
                news += 1;
                if news <= ROWS_MAX {
                    let path = event.subject.as_ref().map_or(Vec::new(), |subject| full_path(&reported.roots, subject));
                    let path = pfh_record::quote::quoted(&path);
                    table.push([
                        Cell::code(path.trim_matches('`')),
                        Cell::mark(tone(event.finding), event.finding.word()),
                        Cell::text(time(event.time)),
                        Cell::code(describe(reported.ledger, &reported.roots, event)?),
                    ]);
                }
            }
            Ok(())
        })?;
        tables.push(table);
    }
    let mut findings = Section::new("findings", "Findings");
    findings.push(counts);
    if news > ROWS_MAX {
        findings = findings.text(format!(
            "The tables have the first {} of {} findings; `pfh audit report -f csv` has all.",
            Count(ROWS_MAX),
            Count(news)
        ));
    }
    tables.retain(|table| !table.is_empty());
    if tables.is_empty() {
        findings = findings.text("Every file that was read is as expected.");
    }
    tables.into_iter().for_each(|table| findings.push(Block::folded_if_long(table)));
    let unread = [
        ("Not read", end.unchanged),
        ("Out of sight", end.unseen),
        ("Perhaps moved", end.waiting),
        ("Left for the next run", end.left),
    ];
    let unread = unread.into_iter().filter(|(_, count)| *count > 0);
    let document = Document::new("Audit report")
        .question(format!("Run {} ({})", info.number, info.options.mode))
        .sentence(verdict)
        .sentence(format!(
            "The collection has {}, {}; {}, {}, were read.",
            files(end.files),
            Bytes(end.bytes),
            Count(end.read),
            Bytes(end.read_bytes)
        ))
        .fact("Collection", roots.join(", "))
        .fact("Began", time(info.times.0))
        .fact("Ended", info.times.1.map_or("–".to_owned(), time))
        .fact("Algorithms", info.options.algorithms.join(", "))
        .facts(unread.map(|(name, count)| (name.to_owned(), files(count))))
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
