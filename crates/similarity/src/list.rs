//! The lines of digest lists, one interface for all families. Lists are read by `pfh_record::Reader`.

use std::fmt;

use crate::ParseError;

/// An error in a line. Exhaustive: a reader decides by it whether it goes on.
#[derive(Debug)]
pub enum LineError {
    /// The input is not a list of this family.
    NotThisFormat {
        /// For people: the missing part.
        reason: &'static str,
    },
    /// The line is broken; those after it may be whole.
    Line(ParseError),
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::NotThisFormat { reason } => f.write_str(reason),
            LineError::Line(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LineError {}

/// The contents of a line: name and digest, or nothing.
pub type LineContents<D> = Option<(Vec<u8>, D)>;

/// The form of a family's lines. Implemented by the families only.
pub trait LineFormat {
    /// The family's digest.
    type Digest;

    /// Name and digest of one line (without its line end); `None` for a line that lists nothing.
    ///
    /// # Errors
    /// [`LineError`].
    fn line(&mut self, text: &[u8]) -> Result<LineContents<Self::Digest>, LineError>;

    /// Says at the end whether the input as a whole was a list.
    ///
    /// # Errors
    /// [`LineError::NotThisFormat`].
    fn end(&mut self) -> Result<(), LineError> {
        Ok(())
    }
}
