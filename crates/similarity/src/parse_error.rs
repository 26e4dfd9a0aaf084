//! Errors in the texts of digests.

use std::fmt;

/// An error in the text of a digest, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The field, in the words of the family's format.
    pub field: &'static str,
    /// The reason: words that follow the field in a sentence.
    pub problem: &'static str,
    /// The place, in bytes from the beginning of the text.
    pub at: usize,
}

impl ParseError {
    pub(crate) const fn new(at: usize, field: &'static str, problem: &'static str) -> ParseError {
        ParseError { field, problem, at }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {} {}", self.at, self.field, self.problem)
    }
}

impl std::error::Error for ParseError {}
