//! Reading of the hashdeep format.

use pfh_digest::{Algorithm, Digest};

use super::{COLUMNS, FIRST_LINE};
use crate::parse::{Fault, FieldProblem, Found, Line, LineParser};
use crate::text::{parse_decimal, split_once};
use crate::{Entry, Expected, FormatName, Header, ReadOptions};

/// The parser, with the columns that the header names.
pub(crate) struct HashdeepParser {
    options: ReadOptions,
    stage: Stage,
}

enum Stage {
    Start,
    FirstLineSeen,
    Columns(Vec<Algorithm>),
}

/// Most columns of a header; the format has far fewer algorithms.
const COLUMNS_MAX: usize = 64;

impl HashdeepParser {
    pub(crate) fn new(options: ReadOptions) -> HashdeepParser {
        HashdeepParser { options, stage: Stage::Start }
    }
}

fn starts_with(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn not_this(reason: &'static str) -> Fault {
    Fault::not_this_format(FormatName::Hashdeep, reason)
}

fn columns(text: &[u8]) -> Result<Vec<Algorithm>, Fault> {
    if !starts_with(text, COLUMNS) {
        return Err(not_this("the second line does not begin `%%%% size,`"));
    }
    let mut names = text[COLUMNS.len()..].split(|&byte| byte == b',');
    match names.next_back() {
        Some(last) if last.eq_ignore_ascii_case(b"filename") => {}
        _ => return Err(not_this("the last column is not `filename`")),
    }
    if names.clone().count() > COLUMNS_MAX {
        return Err(not_this("it has too many columns"));
    }
    let mut columns = Vec::new();
    for name in names {
        let known = str::from_utf8(name).ok().and_then(|name| Algorithm::from_name(name).ok());
        let algorithm = known.ok_or(not_this("a column is named after an unknown algorithm"))?;
        if columns.contains(&algorithm) {
            return Err(not_this("it has a column twice"));
        }
        columns.push(algorithm);
    }
    Ok(columns)
}

/// Reads directory and command line from the comments that begin a list. Line breaks in them stay escaped, because
/// escapes cannot be told from backslashes.
fn comment(text: &[u8], header: &mut Header) {
    if let Some(directory) = text.strip_prefix(b"## Invoked from: ") {
        header.directory.get_or_insert(directory.to_vec());
    } else if let Some(command) = text.strip_prefix(b"## $ ").or_else(|| text.strip_prefix(b"## # ")) {
        header.command_line.get_or_insert(command.to_vec());
    }
}

impl LineParser for HashdeepParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text();
        let algorithms = match &self.stage {
            Stage::Start => {
                if !text.eq_ignore_ascii_case(FIRST_LINE) {
                    return Err(not_this("the first line is not `%%%% HASHDEEP-1.0`"));
                }
                self.stage = Stage::FirstLineSeen;
                return Ok(());
            }
            Stage::FirstLineSeen => {
                let columns = columns(text)?;
                found.header.selection.get_or_insert_default().extend(columns.iter().copied());
                self.stage = Stage::Columns(columns);
                return Ok(());
            }
            Stage::Columns(algorithms) => algorithms,
        };
        if text.is_empty() || text[0] == b'#' {
            comment(text, &mut found.header);
            return Ok(());
        }
        // The header of a second list in the same file.
        if text.eq_ignore_ascii_case(FIRST_LINE) {
            self.stage = Stage::FirstLineSeen;
            return Ok(());
        }
        let at = |rest: &[u8]| text.len() - rest.len();
        let missing = || Fault::shape(0, "as many columns as the header names");
        let (size, mut rest) = split_once(text, b',').ok_or_else(missing)?;
        let size = parse_decimal(size).ok_or(Fault::field(0, "size", FieldProblem::NotANumber))?;
        let mut digests = Vec::with_capacity(algorithms.len());
        for &algorithm in algorithms {
            let (hex, after) = split_once(rest, b',').ok_or_else(missing)?;
            digests.push(Digest::from_hex(algorithm, hex).ok_or(Fault::digest(at(rest)))?);
            rest = after;
        }
        if rest.is_empty() {
            return Err(Fault::field(at(rest), "name", FieldProblem::Missing));
        }
        let expected = Expected { size: Some(size), ..Expected::default() };
        let mut entry = Entry { expected, ..Entry::new(rest.to_vec(), digests, line.number) };
        if self.options.piecewise {
            entry.split_piece(size == 0);
        }
        found.push(entry);
        Ok(())
    }

    fn end(&mut self, _found: &mut Found) -> Result<(), Fault> {
        match self.stage {
            Stage::Columns(_) => Ok(()),
            _ => Err(not_this("it ends before its header does")),
        }
    }
}
