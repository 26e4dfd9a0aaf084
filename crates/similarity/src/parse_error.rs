//! What is wrong with the text of a digest.

use std::fmt;

/// What is wrong with the text of a digest, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The field, in the words of the family's format.
    pub field: &'static str,
    /// Why it was refused: what follows the field in a sentence.
    pub problem: &'static str,
    /// Where, in bytes from the beginning of the text.
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
