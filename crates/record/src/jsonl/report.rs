//! Recognising the JSON Lines that pfh writes and that are no lists: reports, verdicts, groups, pairs.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

const AUDIT: &str = "a report of `pfh audit`, not a list of digests";
const VERIFY: &str = "a report of `pfh verify`, not a list of digests";
const BAGS: &str = "a report of `pfh bag verify`, not a list of digests";
const PAIRS: &str = "the output of `pfh compare` or `pfh match`, not a list of digests";
const VERDICTS: &str = "the output of `pfh match` or `pfh known lookup`, not a list of digests";
const FRAGMENTS: &str = "the output of `pfh match --blocks`, not a list of digests";
const GROUPS: &str = "the output of `pfh dupes`, not a list of digests";
const UNCOVERED: &str = "the output of `pfh covers`, not a list of digests";

/// The type of a line, and the fields by which lines of reports differ from those of lists.
#[derive(Deserialize)]
struct Marks<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    run_by: Option<IgnoredAny>,
    run: Option<IgnoredAny>,
    finding: Option<IgnoredAny>,
    verified: Option<IgnoredAny>,
    verdict: Option<IgnoredAny>,
    class: Option<IgnoredAny>,
    outcome: Option<IgnoredAny>,
    images: Option<IgnoredAny>,
    found: Option<IgnoredAny>,
    bad: Option<IgnoredAny>,
    groups: Option<IgnoredAny>,
    covered: Option<IgnoredAny>,
}

impl Marks<'_> {
    /// Returns the kind of a report that has this line.
    fn report(&self) -> Option<&'static str> {
        Some(match &*self.kind {
            "header" if self.run_by.is_some() => AUDIT,
            "event" if self.run.is_some() && self.finding.is_some() => AUDIT,
            "verdict" if self.verified.is_some() => VERIFY,
            "bag" if self.verdict.is_some() => BAGS,
            "pair" | "cluster" => PAIRS,
            "file" if self.class.is_some() && self.outcome.is_none() => VERDICTS,
            "fragment" => FRAGMENTS,
            "group" => GROUPS,
            "uncovered" => UNCOVERED,
            // Nothing is between it and the header if nothing was found.
            "summary" if self.images.is_some() => FRAGMENTS,
            "summary" if self.found.is_some() => PAIRS,
            "summary" if self.bad.is_some() => VERDICTS,
            "summary" if self.groups.is_some() => GROUPS,
            "summary" if self.covered.is_some() => UNCOVERED,
            _ => return None,
        })
    }
}

/// Returns the kind of a report by its beginning, as the end of a sentence about the file; `None` for a list. The
/// header of most reports could be that of a list, so the line after it decides.
pub(crate) fn report(start: &[u8]) -> Option<&'static str> {
    if !start.starts_with(b"{") {
        return None;
    }
    let mut lines = start.split(|&byte| byte == b'\n');
    let mut next = || serde_json::from_slice::<Marks<'_>>(lines.next()?).ok();
    let first = next()?;
    match first.report() {
        None if first.kind == "header" => next()?.report(),
        told => told,
    }
}
