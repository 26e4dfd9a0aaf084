//! The fields of a line.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::parse::Fault;

/// Most columns of a list; pfh writes far fewer.
pub const COLUMNS_MAX: usize = 1 << 10;

/// Splits a line into fields (RFC 4180); yields each with its offset in the line. A quote that does not begin a field
/// is a character of it, unless only blanks precede it and a separator or the end follows its field: MalwareBazaar
/// writes `"a", "b"`.
pub(crate) struct Fields<'a> {
    text: &'a [u8],
    separator: u8,
    /// Offset of the next field; `None` after the last.
    next: Option<usize>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(text: &'a [u8], separator: u8) -> Fields<'a> {
        Fields { text, separator, next: Some(0) }
    }

    /// Returns the number of blanks at this place that come before a field in quotes.
    fn blanks_before_quotes(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
        let is_quoted = blanks > 0
            && rest[blanks..]
                .strip_prefix(b"\"")
                .and_then(|quoted| Some((quoted, unquote(quoted).ok()?.1)))
                .is_some_and(|(quoted, bytes)| quoted.get(bytes).is_none_or(|&byte| byte == self.separator));
        if is_quoted { blanks } else { 0 }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(usize, Cow<'a, [u8]>), Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.next?;
        let start = first + self.blanks_before_quotes(first);
        let field = match self.text[start..].strip_prefix(b"\"") {
            Some(rest) => unquote(rest).map_err(|fault| fault.after(start + 1)),
            None => {
                let end = memchr2(self.separator, b'\n', &self.text[start..]).unwrap_or(self.text.len() - start);
                Ok((Cow::Borrowed(&self.text[start..start + end]), end))
            }
        };
        let (field, bytes) = match field {
            Ok((field, bytes)) => (field, bytes),
            Err(fault) => {
                self.next = None;
                return Some(Err(fault));
            }
        };
        let is_quoted = self.text[start..].starts_with(b"\"");
        let end = start + usize::from(is_quoted) + bytes;
        self.next = match self.text.get(end) {
            None => None,
            Some(&byte) if byte == self.separator => Some(end + 1),
            Some(_) => {
                self.next = None;
                let expected =
                    if is_quoted { "a separator after the closing quote" } else { "quotes around a line feed" };
                return Some(Err(Fault::shape(end, expected)));
            }
        };
        Some(Ok((start, field)))
    }
}

/// Reads up to the closing quote. Returns the field and the number of bytes read, including the closing quote.
pub(crate) fn unquote(text: &[u8]) -> Result<(Cow<'_, [u8]>, usize), Fault> {
    let mut field = Cow::Borrowed(&text[..0]);
    let mut start = 0;
    loop {
        let quote = start + memchr(b'"', &text[start..]).ok_or(Fault::shape(text.len(), "a closing quote"))?;
        let doubled = text.get(quote + 1) == Some(&b'"');
        let part = &text[start..quote + usize::from(doubled)];
        if field.is_empty() {
            field = Cow::Borrowed(part);
        } else {
            field.to_mut().extend_from_slice(part);
        }
        if !doubled {
            return Ok((field, quote + 1));
        }
        start = quote + 2;
    }
}
