//! Warnings about single files: the first of a kind in a directory one by one, the number of the others at the end.

use super::message;
use super::quantity::Count;
use pfh_record::{Outcome, Piece, Record, Similarity, SkipReason, Summary};
use pfh_similarity::NoDigestReason;
use std::collections::{HashMap, HashSet};

/// Most files of a directory that are named for one reason.
const NAMED_MAX: u64 = 10;
/// Most pairs of directory and reason that are distinguished; after that only reasons, and then neither. This bounds
/// messages and memory.
const GROUPS_MAX: usize = 256;

/// A warning about a file.
pub(crate) struct Warning {
    path: Vec<u8>,
    reason: String,
    /// The common text of its kind, if that is not the reason itself.
    kind: Option<String>,
    /// Whether it is always printed, however many there are.
    is_finding: bool,
}

impl Warning {
    pub(crate) fn new(path: &[u8], reason: String) -> Warning {
        Warning { path: path.to_owned(), reason, kind: None, is_finding: false }
    }

    /// Makes a warning whose reason contains numbers, with the common text of its kind.
    pub(crate) fn of_kind(path: &[u8], reason: String, kind: String) -> Warning {
        Warning { kind: Some(kind), ..Warning::new(path, reason) }
    }

    /// Makes a warning about a finding, which is always printed.
    pub(crate) fn of_finding(path: &[u8], reason: String) -> Warning {
        Warning { is_finding: true, ..Warning::new(path, reason) }
    }

    fn text(&self) -> String {
        format!("{}: {}", message::quoted(&self.path), self.reason)
    }
}

/// The warnings that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    None,
    FirstOfAKind,
    All,
}

impl Wanted {
    /// Returns the choice of the options with these names.
    pub(crate) fn by(quiet: bool, verbose: bool) -> Wanted {
        match (quiet, verbose) {
            (true, _) => Wanted::None,
            (false, true) => Wanted::All,
            (false, false) => Wanted::FirstOfAKind,
        }
    }
}

/// A directory and a reason; `None` if there are too many to distinguish them.
type Group = (Option<Vec<u8>>, Option<String>);

/// Prints warnings.
pub(crate) struct Warnings {
    wanted: Wanted,
    groups: HashMap<Group, u64>,
    /// The groups in the order of their first warnings.
    order: Vec<Group>,
    said_before: HashSet<String>,
}

impl Warnings {
    pub(crate) fn new(wanted: Wanted) -> Warnings {
        Warnings { wanted, groups: HashMap::new(), order: Vec::new(), said_before: HashSet::new() }
    }

    /// Prints a warning early, and suppresses it when it comes in its order.
    pub(crate) fn say_early(&mut self, warning: &Warning) {
        self.say(warning);
        self.said_before.insert(warning.text());
    }

    /// Prints a warning, or counts it.
    pub(crate) fn say(&mut self, warning: &Warning) {
        if self.wanted == Wanted::None || (!self.said_before.is_empty() && self.said_before.contains(&warning.text())) {
            return;
        }
        if warning.is_finding || self.wanted == Wanted::All || self.count(warning) <= NAMED_MAX {
            message::error(warning.text());
        }
    }

    /// Counts a warning, and returns the number of its kind so far.
    fn count(&mut self, warning: &Warning) -> u64 {
        let kind = warning.kind.as_ref().unwrap_or(&warning.reason);
        let candidates = [(Some(directory(&warning.path)), Some(kind)), (None, Some(kind)), (None, None)];
        for (place, (directory, kind)) in candidates.into_iter().enumerate() {
            let group = (directory.map(<[u8]>::to_vec), kind.cloned());
            if let Some(count) = self.groups.get_mut(&group) {
                *count += 1;
                return *count;
            }
            if group.1.is_none() || self.groups.len() < GROUPS_MAX * (place + 1) {
                self.order.push(group.clone());
                self.groups.insert(group, 1);
                return 1;
            }
        }
        0
    }

    /// Prints the numbers of warnings that were only counted.
    pub(crate) fn end(&mut self) {
        for group in std::mem::take(&mut self.order) {
            let more = self.groups.remove(&group).unwrap_or(0).saturating_sub(NAMED_MAX);
            if more > 0 {
                message::error(more_of(&group, more));
            }
        }
    }
}

fn more_of((directory, kind): &Group, more: u64) -> String {
    let files = if more == 1 { "file" } else { "files" };
    let place = match directory {
        Some(directory) => format!("in {}", message::quoted(directory)),
        None => "in other directories".to_owned(),
    };
    let kind = kind.as_deref().unwrap_or("for other reasons");
    format!("… and {} more {files} {place}: {kind}", Count(more))
}

/// Returns the directory of a path, as written there.
fn directory(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(0) => b"/",
        Some(end) => &path[..end],
        None => b".",
    }
}

/// Returns the warning about a record, if there is one.
pub(crate) fn about(record: &Record) -> Option<Warning> {
    let warning = |reason: &str| Some(Warning::new(&record.path, reason.to_owned()));
    match &record.outcome {
        Outcome::Complete if record.collision_detected() => Some(Warning::of_finding(
            &record.path,
            "made by a known SHA-1 collision attack: another file with the same SHA-1 exists".to_owned(),
        )),
        Outcome::Complete if only_byte(record).is_some() => {
            let reason = match only_byte(record) {
                Some(0) => "all of its bytes are zero".to_owned(),
                byte => format!("all of its bytes are {:#04x}", byte.unwrap_or_default()),
            };
            Some(Warning::of_kind(&record.path, reason, "all bytes of the file are the same".to_owned()))
        }
        Outcome::Complete => record.pieces.iter().find(|piece| piece.collision_detected()).map(|piece| {
            let reason =
                format!("the piece at byte {} bears the marks of a known SHA-1 collision attack", piece.offset);
            Warning::of_finding(&record.path, reason)
        }),
        outcome @ Outcome::Short { .. } => {
            let kind = "ended early; no digest is given. The filesystem states a larger size than it delivers";
            Some(Warning::of_kind(&record.path, outcome.to_string(), kind.to_owned()))
        }
        outcome @ Outcome::Unreadable { error, .. } => {
            Some(Warning::of_kind(&record.path, outcome.to_string(), error.message.clone()))
        }
        Outcome::Skipped(SkipReason::TooManyPieces) => {
            warning("the digests of its pieces do not fit the memory option; use a larger `--piecewise` or `--memory`")
        }
        // Skipping devices, sockets and FIFOs is normal; `--stats` counts them.
        Outcome::Skipped(SkipReason::NotRegular | SkipReason::Unchanged | SkipReason::NotWanted) => None,
        // Outcomes that a later version adds are reported, too.
        outcome => warning(&outcome.to_string()),
    }
}

/// Returns the value of all bytes of a file, if its facts tell that it has several, and all are the same.
pub(crate) fn only_byte(record: &Record) -> Option<u8> {
    record.facts.filter(|facts| facts.bytes > 1).and_then(|facts| facts.only_byte())
}

/// Returns the warning about a file that has no digest of a family.
pub(crate) fn no_digest(record: &Record) -> Option<Warning> {
    let why = |one: &Similarity| {
        let no_digest = one.digest.as_ref().err()?;
        let is_of_memory = no_digest.reason == NoDigestReason::TooLong && one.family.digests_grow();
        let more = if is_of_memory { "; give a larger -m" } else { "" };
        Some(format!("no {} digest: {no_digest}{more}", one.family))
    };
    let why: Vec<String> = record.similarities.iter().filter_map(why).collect();
    (!why.is_empty()).then(|| Warning::new(&record.path, why.join("; ")))
}

/// Whether a file is too long for a similarity digest, or for the memory of the run: the reason lies not in its
/// contents, and the file of a digest that was asked for is without it.
pub(crate) fn is_too_long(record: &Record) -> bool {
    let is_too_long = |one: &Similarity| matches!(one.digest, Err(why) if why.reason == NoDigestReason::TooLong);
    record.similarities.iter().any(is_too_long)
}

/// Whether a file, or a piece of it, bears the marks of a collision attack.
pub(crate) fn has_finding(record: &Record) -> bool {
    record.collision_detected() || record.pieces.iter().any(Piece::collision_detected)
}

/// The totals of a run beside those of outcomes, for its last line if something is missing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Missing {
    /// Files that the format cannot express.
    pub(crate) not_expressed: u64,
    /// Files that are too long for a similarity digest.
    pub(crate) too_long: u64,
    /// Lines of lists that could not be read.
    pub(crate) lines: u64,
    /// Files all of whose bytes are the same.
    pub(crate) uniform: u64,
}

/// Prints the totals of a run, by outcome.
pub(crate) fn say_totals(summary: &Summary, missing: Missing) {
    message::error(totals(summary, missing));
}

fn totals(summary: &Summary, missing: Missing) -> String {
    let parts = [
        (summary.changed, "changed while they were read"),
        (summary.short, "ended early"),
        (summary.unreadable, "unreadable"),
        (summary.skipped, "skipped"),
        (missing.not_expressed, "not expressible in the format"),
        (missing.too_long, "too long for a digest"),
        (missing.uniform, "of one repeated byte"),
    ];
    let files = if summary.complete == 1 { "file" } else { "files" };
    let mut text = format!("totals: {} {files} complete", Count(summary.complete));
    for (count, word) in parts.into_iter().filter(|&(count, _)| count > 0) {
        text += &format!(", {} {word}", Count(count));
    }
    if missing.lines > 0 {
        let lines = if missing.lines == 1 { "line" } else { "lines" };
        text += &format!(", {} {lines} of lists unreadable", Count(missing.lines));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_bounded() {
        let mut warnings = Warnings::new(Wanted::FirstOfAKind);
        for number in 0..10_000_u64 {
            let path = format!("{number}/f");
            let seen = warnings.count(&Warning::new(path.as_bytes(), "denied".to_owned()));
            assert_eq!(seen, number.saturating_sub(GROUPS_MAX as u64 - 1).max(1), "{number}");
        }
        for number in 0..10_000_u64 {
            warnings.count(&Warning::new(b"f", format!("reason {number}")));
        }
        assert!(warnings.groups.len() <= 2 * GROUPS_MAX + 1);
        assert_eq!(warnings.groups.len(), warnings.order.len());
        assert_eq!(warnings.groups.values().sum::<u64>(), 20_000);
    }

    #[test]
    fn what_was_counted_is_told() {
        let group = |directory: Option<&str>, kind: Option<&str>| {
            (directory.map(|name| name.as_bytes().to_vec()), kind.map(str::to_owned))
        };
        assert_eq!(more_of(&group(Some("a\nb"), Some("denied")), 4213), "… and 4,213 more files in `a\\nb`: denied");
        assert_eq!(more_of(&group(None, Some("denied")), 1), "… and 1 more file in other directories: denied");
        assert_eq!(more_of(&group(None, None), 2), "… and 2 more files in other directories: for other reasons");
        assert_eq!([b"a/b/c".as_slice(), b"/a", b"a"].map(directory), [b"a/b".as_slice(), b"/", b"."]);
    }

    #[test]
    fn totals_name_what_there_is() {
        let mut summary = Summary::default();
        (summary.complete, summary.unreadable) = (1234, 2);
        assert_eq!(totals(&summary, Missing::default()), "totals: 1,234 files complete, 2 unreadable");
        let mut summary = Summary::default();
        (summary.complete, summary.changed, summary.short, summary.skipped) = (1, 1, 2, 3);
        let missing = Missing { not_expressed: 4, too_long: 6, lines: 1, uniform: 5 };
        assert_eq!(
            totals(&summary, missing),
            "totals: 1 file complete, 1 changed while they were read, 2 ended early, 3 skipped, 4 not expressible in the \
             format, 6 too long for a digest, 5 of one repeated byte, 1 line of lists unreadable"
        );
    }
}
