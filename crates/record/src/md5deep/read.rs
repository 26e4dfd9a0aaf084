//! Reading of md5deep's forms. Each line shows its form, except for a time between commas, which may also be part of a
//! name.

use super::{SIZE_COLUMNS, SIZE_MAX};
use crate::parse::{Fault, FieldProblem, Found, Line, LineParser, parse_leading_digest};
use crate::text::{hex_run, is_of_nothing, parse_decimal};
use crate::time::take_colon_time;
use crate::{Entry, Expected, Md5deepForm, ReadOptions};

pub(crate) struct Md5deepParser {
    form: Md5deepForm,
    options: ReadOptions,
}

impl Md5deepParser {
    pub(crate) fn new(form: Md5deepForm, options: ReadOptions) -> Md5deepParser {
        Md5deepParser { form, options }
    }
}

/// Removes the size column from the front, if there is one. It has a fixed width and right-aligned numbers, unlike
/// digests. The largest size stands for all larger ones, so it is returned as unknown.
pub(crate) fn take_size(text: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let (column, rest) = text.split_at_checked(SIZE_COLUMNS)?;
    let rest = rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b", "))?;
    let size = parse_decimal(column.trim_ascii_start())?;
    Some(((size < SIZE_MAX).then_some(size), rest))
}

impl LineParser for Md5deepParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = if self.options.null_terminated { line.bytes } else { line.text() };
        // Comments are those of the digest lists of VirusShare.
        if text.trim_ascii().is_empty() || text.starts_with(b"#") {
            return Ok(());
        }
        let (size, rest) = take_size(text).unwrap_or((None, text));
        let at = |rest: &[u8]| text.len() - rest.len();
        let (hex, rest) = rest.split_at(hex_run(rest));
        let (digest, algorithm_guessed) = parse_leading_digest(self.options, hex, at(rest) - hex.len())?;
        let mut ctime = None;
        let name = match rest {
            // Standard input has no name.
            [] => rest,
            [b',', after @ ..] => match time_before(after, b",").filter(|_| self.form.time) {
                Some((time, name)) => {
                    ctime = Some(time);
                    name
                }
                None => after,
            },
            [b' ', b' ' | b'*', name @ ..] => name,
            [b' ', after @ ..] => match time_before(after, b"  ").or_else(|| time_before(after, b" *")) {
                Some((time, name)) => {
                    ctime = Some(time);
                    name
                }
                None => after,
            },
            _ => return Err(Fault::shape(at(rest), "a space or a comma after the digest")),
        };
        if let Some(nul) = memchr::memchr(0, name) {
            return Err(Fault::field(at(name) + nul, "name", FieldProblem::Nul));
        }
        let expected = Expected { size, ctime, ..Expected::default() };
        let mut entry = Entry { expected, algorithm_guessed, ..Entry::new(name.to_vec(), vec![digest], line.number) };
        if self.options.piecewise {
            entry.split_piece(is_of_nothing(&digest));
        }
        found.push(entry);
        Ok(())
    }
}

/// Parses a time before `separator`, and returns it with the rest.
fn time_before<'a>(text: &'a [u8], separator: &[u8]) -> Option<(crate::Timestamp, &'a [u8])> {
    let mut rest = text;
    let time = take_colon_time(&mut rest)?;
    Some((time, rest.strip_prefix(separator)?))
}
