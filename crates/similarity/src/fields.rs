//! Fields of a digest's text, between colons.

use crate::ParseError;

/// The rest of a text.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'t> {
    text: &'t [u8],
    at: usize,
}

/// A field, and where it begins.
#[derive(Clone, Copy)]
pub(crate) struct Field<'t> {
    pub(crate) text: &'t [u8],
    at: usize,
    name: &'static str,
}

impl<'t> Fields<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Fields<'t> {
        Fields { text, at: 0 }
    }

    /// The field up to the next colon.
    pub(crate) fn next(&mut self, name: &'static str) -> Result<Field<'t>, ParseError> {
        let bytes = memchr::memchr(b':', self.text).ok_or(ParseError::new(self.at, name, "has no `:` behind it"))?;
        Ok(self.take(name, bytes))
    }

    /// The field of `bytes` bytes, if a colon follows it.
    pub(crate) fn next_of(&mut self, name: &'static str, bytes: usize) -> Option<Field<'t>> {
        (self.text.get(bytes) == Some(&b':')).then(|| self.take(name, bytes))
    }

    /// The field after the last colon.
    pub(crate) fn last(&mut self, name: &'static str) -> Result<Field<'t>, ParseError> {
        let problem = ParseError::new(self.at, name, "has no `:` before it");
        let colon = memchr::memrchr(b':', self.text).ok_or(problem)?;
        let field = Field { text: &self.text[colon + 1..], at: self.at + colon + 1, name };
        self.text = &self.text[..colon];
        Ok(field)
    }

    /// All that is left.
    pub(crate) fn rest(self, name: &'static str) -> Field<'t> {
        Field { text: self.text, at: self.at, name }
    }

    fn take(&mut self, name: &'static str, bytes: usize) -> Field<'t> {
        let field = Field { text: &self.text[..bytes], at: self.at, name };
        self.text = &self.text[bytes + 1..];
        self.at += bytes + 1;
        field
    }
}

impl Field<'_> {
    pub(crate) fn error(self, problem: &'static str) -> ParseError {
        self.error_at(0, problem)
    }

    /// An error `bytes` into the field.
    pub(crate) fn error_at(self, bytes: usize, problem: &'static str) -> ParseError {
        ParseError::new(self.at + bytes, self.name, problem)
    }

    /// A number in decimal digits as a program prints it: no sign, no zeros in front.
    pub(crate) fn number(self) -> Result<u64, ParseError> {
        let number = self.text.iter().try_fold(0_u64, |number, digit| {
            let digit = digit.is_ascii_digit().then(|| digit - b'0').ok_or("is not a number")?;
            number.checked_mul(10).and_then(|tens| tens.checked_add(digit.into())).ok_or("is too large")
        });
        match self.text {
            [] => Err(self.error("is empty")),
            [b'0', _, ..] => Err(self.error("has a zero in front")),
            _ => number.map_err(|problem| self.error(problem)),
        }
    }

    /// A number that is at most `max`.
    pub(crate) fn number_up_to<N: TryFrom<u64> + PartialOrd>(self, max: N) -> Result<N, ParseError> {
        let number = N::try_from(self.number()?).ok().filter(|number| *number <= max);
        number.ok_or_else(|| self.error("is too large"))
    }

    /// A field that has only one meaning.
    pub(crate) fn must_be(self, text: &[u8], problem: &'static str) -> Result<(), ParseError> {
        if self.text == text { Ok(()) } else { Err(self.error(problem)) }
    }
}
