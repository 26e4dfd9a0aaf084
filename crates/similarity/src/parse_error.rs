//! Errors in the texts of digests.

use std::fmt;

/// An error in the text of a digest, and its place. `Display` tells the field and what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// The field, in the words of the family's format.
    field: &'static str,
    /// The reason: words that follow the field in a sentence.
    problem: &'static str,
    /// The place, in bytes from the beginning of the text.
    pub at: usize,
}

impl ParseError {
    pub(crate) const fn new(at: usize, field: &'static str, problem: &'static str) -> ParseError {
        ParseError { field, problem, at }
    }

    /// The text of the error without its place, for whoever knows a place in something larger.
    pub fn without_place(&self) -> impl fmt::Display + use<> {
        let ParseError { field, problem, .. } = *self;
        fmt::from_fn(move |f| write!(f, "{field} {problem}"))
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.without_place())
    }
}

impl std::error::Error for ParseError {}
