//! Reading of pfh's CSV: columns by name, in any order; unknown columns are ignored.

use std::borrow::Cow;

use super::FACTS_COLUMNS;
use super::fields::{COLUMNS_MAX, Fields};
use pfh_digest::Digest;

use crate::entry::OutcomeParts;
use crate::facts_text::FactsParts;
use crate::parse::{Fault, FieldProblem, Found, Line, LineParser, piece_range};
use crate::similarity_text::parse_similarity;
use crate::text::parse_decimal;
use crate::time::parse_rfc3339;
use crate::{DigestKind, Entry, FormatName, Outcome, Similarity};

/// The columns that the header names; `None` before the header.
#[derive(Default)]
pub(crate) struct CsvParser {
    columns: Option<Vec<Column>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Column {
    Path,
    Size,
    Mtime,
    Outcome,
    Error,
    Collisions,
    PieceOffset,
    PieceLength,
    Digest(DigestKind),
    /// A fact about contents, by its place among these columns.
    Fact(usize),
    Other,
}

impl Column {
    fn of(name: &[u8]) -> Column {
        match name {
            b"path" => Column::Path,
            b"size" => Column::Size,
            b"mtime" => Column::Mtime,
            b"outcome" => Column::Outcome,
            b"error" => Column::Error,
            b"collisions" => Column::Collisions,
            b"piece_offset" => Column::PieceOffset,
            b"piece_length" => Column::PieceLength,
            _ => {
                // A text that is no name is copied for the error, and any first line of a file may come here.
                let name_is_short = name.len() <= DIGEST_NAME_BYTES_MAX;
                let digest = || {
                    let name = str::from_utf8(name).ok().filter(|_| name_is_short)?;
                    name.parse().ok().map(Column::Digest)
                };
                let fact = FACTS_COLUMNS.iter().position(|fact| fact.as_bytes() == name).map(Column::Fact);
                fact.or_else(digest).unwrap_or(Column::Other)
            }
        }
    }
}

/// Names of digests have fewer.
const DIGEST_NAME_BYTES_MAX: usize = 256;

fn header(text: &[u8]) -> Result<Vec<Column>, Fault> {
    let not_this = |reason| Fault::not_this_format(FormatName::Csv, reason);
    let mut columns = Vec::new();
    for field in Fields::new(text, b',') {
        let (_, name) = field.map_err(|_| not_this("its header is broken"))?;
        if columns.len() == COLUMNS_MAX {
            return Err(not_this("it has too many columns"));
        }
        let column = Column::of(&name);
        if column != Column::Other && columns.contains(&column) {
            return Err(not_this("it has a column twice"));
        }
        columns.push(column);
    }
    if !columns.contains(&Column::Path) {
        return Err(not_this("its first line has no column `path`"));
    }
    Ok(columns)
}

/// Whether a first line names the columns of a list that others made: the path and a digest, and nothing unknown, so
/// that no other table is taken for one.
pub(crate) fn is_header(text: &[u8]) -> bool {
    let Ok(columns) = header(text) else { return false };
    let has_digest = columns.iter().any(|column| matches!(column, Column::Digest(_)));
    has_digest && !columns.contains(&Column::Other)
}

/// Parses the outcome from its two columns. The second one is meant for display.
fn parse_outcome(word: &[u8], text: &[u8], size: Option<u64>) -> Outcome {
    let (word, text) = (String::from_utf8_lossy(word), String::from_utf8_lossy(text));
    let mut parts =
        OutcomeParts { word: &word, message: &text, expected: size.unwrap_or_default(), ..Default::default() };
    match &*word {
        "skipped" => (parts.reason, parts.message) = (&text, ""),
        "short" => {
            let bytes = text.strip_prefix("ended after ").and_then(|rest| rest.split_once(' '));
            parts.read = bytes.and_then(|(read, _)| read.parse().ok()).unwrap_or_default();
        }
        "unreadable" => {
            let (kind, rest) = text.split_once(": ").unwrap_or(("", &text));
            let (message, from) = rest.rsplit_once(" (from byte ").unwrap_or((rest, ""));
            (parts.kind, parts.message) = (kind, message);
            parts.offset = from.strip_suffix(')').and_then(|offset| offset.parse().ok()).unwrap_or_default();
        }
        _ => {}
    }
    parts.outcome()
}

impl LineParser for CsvParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        let Some(columns) = &self.columns else {
            let columns = self.columns.insert(header(text)?);
            let kinds = columns.iter().filter_map(|column| match column {
                Column::Digest(kind) => Some(*kind),
                _ => None,
            });
            found.header.selection = Some(kinds.collect());
            return Ok(());
        };
        if text.is_empty() {
            return Ok(());
        }
        let mut entry = Entry::new(Vec::new(), Vec::new(), line.number);
        let (mut piece_offset, mut piece_length) = (None, None);
        let mut facts = FactsParts::default();
        let (mut outcome, mut error, mut collisions) = (None, Cow::default(), Cow::default());
        let mut columns = columns.iter();
        for field in Fields::new(text, b',') {
            let (at, field) = field?;
            let column = *columns.next().ok_or(Fault::shape(at, "as many fields as the header has"))?;
            if field.is_empty() {
                continue;
            }
            let number = |name| parse_decimal(&field).ok_or(Fault::field(at, name, FieldProblem::NotANumber)).map(Some);
            match column {
                Column::Path => entry.path = field.into_owned(),
                Column::Size => entry.expected.size = number("size")?,
                Column::PieceOffset => piece_offset = number("piece_offset")?,
                Column::PieceLength => piece_length = number("piece_length")?,
                Column::Mtime => {
                    let mtime = parse_rfc3339(&field).ok_or(Fault::field(at, "mtime", FieldProblem::NotATime))?;
                    entry.expected.mtime = Some(mtime);
                }
                Column::Digest(DigestKind::Algorithm(algorithm)) => {
                    entry.digests.push(Digest::from_hex(algorithm, &field).ok_or(Fault::digest(at))?);
                }
                Column::Digest(DigestKind::Family(family)) => {
                    let digest = parse_similarity(family, &field).map_err(|error| Fault::from(error).after(at))?;
                    entry.similarities.push(Similarity { family, digest: Ok(digest) });
                }
                Column::Fact(place) => facts.set(place, &field).map_err(|fault| fault.after(at))?,
                Column::Outcome => outcome = Some(field),
                Column::Error => error = field,
                Column::Collisions => collisions = field,
                Column::Other => {}
            }
        }
        if columns.next().is_some() {
            return Err(Fault::shape(text.len(), "as many fields as the header has"));
        }
        if entry.path.is_empty() {
            return Err(Fault::field(0, "path", FieldProblem::Missing));
        }
        if let (Some(offset), Some(length)) = (piece_offset, piece_length) {
            entry.piece = Some(piece_range(offset, length, entry.expected.size)?);
        }
        entry.facts = facts.facts(entry.expected.size)?;
        entry.outcome = outcome.map(|word| parse_outcome(&word, &error, entry.expected.size));
        for digest in &mut entry.digests {
            let name = digest.algorithm().name().as_bytes();
            if collisions.split(|&byte| byte == b' ').any(|marked| marked == name) {
                *digest = digest.with_collision_mark();
            }
        }
        found.push(entry);
        Ok(())
    }

    fn end(&mut self, _found: &mut Found) -> Result<(), Fault> {
        match self.columns {
            Some(_) => Ok(()),
            None => Err(Fault::not_this_format(FormatName::Csv, "it is empty")),
        }
    }
}
