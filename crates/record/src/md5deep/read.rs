//! Reading of md5deep's forms. Each line says which it has, but for the time between commas, which a name may look like.

use super::{Md5deepForm, SIZE_COLUMNS, SIZE_MAX};
use crate::read::{Fault, Found, Line, LineParser};
use crate::text::{hex_run, is_of_nothing, parse_decimal, parse_unnamed_digest};
use crate::time::take_colon_time;
use crate::{Entry, Expected, ReadOptions};

pub(crate) struct Md5deepParser {
    form: Md5deepForm,
    options: ReadOptions,
}

impl Md5deepParser {
    pub(crate) fn new(form: Md5deepForm, options: ReadOptions) -> Md5deepParser {
        Md5deepParser { form, options }
    }
}

/// Takes the size column off the front, where there is one. It is as wide as its number is right-aligned, which no
/// digest and no space is. The size shown for all larger ones says nothing.
pub(crate) fn take_size(text: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let (column, rest) = text.split_at_checked(SIZE_COLUMNS)?;
    let rest = rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b", "))?;
    let size = parse_decimal(column.trim_ascii_start())?;
    Some(((size < SIZE_MAX).then_some(size), rest))
}

impl LineParser for Md5deepParser {
    fn line(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = if self.options.null_terminated { line.bytes } else { line.text() };
        if text.is_empty() {
            return Ok(());
        }
        let (size, rest) = take_size(text).unwrap_or((None, text));
        let at = |rest: &[u8]| text.len() - rest.len();
        let (hex, rest) = rest.split_at(hex_run(rest));
        let (digest, algorithm_guessed) = parse_unnamed_digest(self.options, hex, at(rest) - hex.len())?;
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
            return Err(Fault::field(at(name) + nul, "name", "contains a NUL byte"));
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

/// A time that is followed by `separator`, and what comes after that.
fn time_before<'a>(text: &'a [u8], separator: &[u8]) -> Option<(crate::Timestamp, &'a [u8])> {
    let mut rest = text;
    let time = take_colon_time(&mut rest)?;
    Some((time, rest.strip_prefix(separator)?))
}
