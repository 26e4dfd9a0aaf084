//! Inputs that have no digest.

use std::fmt;

/// The input has no digest of this family: a normal outcome, to be reported beside the digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// Length of the shortest input that has a digest, in bytes.
    pub minimum_bytes: u64,
    /// The length of the input, in bytes.
    pub bytes: u64,
    /// Which of the family's conditions failed.
    pub reason: UnfitReason,
}

/// Why an input has no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfitReason {
    /// Fewer bytes than the family's minimum.
    TooShort,
    /// More bytes than the family can describe.
    TooLong,
    /// Enough bytes, but too few different ones, as constant data.
    TooUniform,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            UnfitReason::TooShort => {
                write!(f, "{} bytes are too few: a digest takes at least {}", self.bytes, self.minimum_bytes)
            }
            UnfitReason::TooLong => write!(f, "{} bytes are more than a digest can describe", self.bytes),
            UnfitReason::TooUniform => write!(f, "{} bytes of too little variety for a digest", self.bytes),
        }
    }
}

impl std::error::Error for Unfit {}
