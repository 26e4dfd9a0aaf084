//! A run that is reported, and its numbers in words.

use super::super::quantity::{Bytes, Count};
use pfh_ledger::{Error, Event, Finding, Ledger, RunEnd, RunInfo};

/// A run that is reported.
pub(super) struct Reported<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) roots: Vec<Vec<u8>>,
    pub(super) info: RunInfo,
}

impl Reported<'_> {
    /// Calls `each` with the events of the run that are about files.
    pub(super) fn each(&self, each: &mut dyn FnMut(&Event) -> Result<(), Error>) -> Result<(), Error> {
        let (from, to) = self.info.events;
        self.ledger.each_event(from, to.unwrap_or(i64::MAX), &mut |event, _| match event.finding {
            Finding::Accepted | Finding::Forgotten => Ok(()),
            _ if event.subject.is_some() => each(&event),
            _ => Ok(()),
        })
    }
}

/// Returns a number of files in words.
pub(super) fn files(count: u64) -> String {
    format!("{} {}", Count(count), if count == 1 { "file" } else { "files" })
}

/// Returns the totals of a run as a sentence.
pub(super) fn summary(number: i64, mode: &str, end: &RunEnd) -> String {
    let mut text = format!(
        "run {number} ({mode}): {}, {}; read {}, {}",
        files(end.files),
        Bytes(end.bytes),
        Count(end.read),
        Bytes(end.read_bytes)
    );
    let findings = Finding::OF_FILES.into_iter().filter_map(|finding| {
        let count = end.findings.get(finding.word())?;
        Some(format!("{finding} {}", Count(*count)))
    });
    let mut parts: Vec<String> = findings.collect();
    for (count, word) in [
        (end.unchanged, "not read"),
        (end.unseen, "out of sight"),
        (end.waiting, "perhaps moved"),
        (end.left, "left for the next run"),
    ] {
        if count > 0 {
            parts.push(format!("{word} {}", Count(count)));
        }
    }
    for part in parts {
        text += ", ";
        text += &part;
    }
    let open: Vec<String> = Finding::OF_FILES
        .into_iter()
        .filter_map(|finding| end.open.get(finding.word()).map(|count| format!("{finding} {}", Count(*count))))
        .collect();
    if !open.is_empty() {
        text += &format!("; open: {}", open.join(", "));
    }
    text
}

/// Whether a finding is worth a line in a text: more than that all is well.
pub(super) fn is_news(finding: Finding) -> bool {
    !matches!(finding, Finding::First | Finding::Matched | Finding::Migrated | Finding::MovedAway)
}
