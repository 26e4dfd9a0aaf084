//! Inputs that have no digest.

use std::fmt;

/// The input has no digest of this family: a normal outcome, to be reported beside the digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoDigest {
    /// Length of the shortest input that has a digest, in bytes.
    pub minimum_bytes: u64,
    /// The length of the input, in bytes.
    pub bytes: u64,
    /// Which of the family's conditions failed.
    pub reason: NoDigestReason,
}

impl NoDigest {
    /// Makes the result for an input of `bytes` bytes, with the reason why it has no digest of a family whose shortest
    /// input has `minimum_bytes`.
    pub const fn new(reason: NoDigestReason, bytes: u64, minimum_bytes: u64) -> NoDigest {
        NoDigest { minimum_bytes, bytes, reason }
    }
}

/// The reason why an input has no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoDigestReason {
    /// Fewer bytes than the family's minimum.
    TooShort,
    /// More bytes than the family can describe, or than the memory for digests has room for.
    TooLong,
    /// Enough bytes, but too few different ones, as constant data.
    TooUniform,
}

impl NoDigestReason {
    /// All reasons.
    pub const ALL: [NoDigestReason; 3] =
        [NoDigestReason::TooShort, NoDigestReason::TooLong, NoDigestReason::TooUniform];

    /// Returns the stable word for programs, the same in every format.
    pub fn word(self) -> &'static str {
        match self {
            NoDigestReason::TooShort => "too-short",
            NoDigestReason::TooLong => "too-long",
            NoDigestReason::TooUniform => "too-uniform",
        }
    }
}

impl fmt::Display for NoDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            NoDigestReason::TooShort => {
                write!(f, "{} bytes are too few: a digest takes at least {}", self.bytes, self.minimum_bytes)
            }
            NoDigestReason::TooLong => {
                write!(f, "{} bytes are more than a digest, or the memory option, has room for", self.bytes)
            }
            NoDigestReason::TooUniform => write!(f, "{} bytes of too little variety for a digest", self.bytes),
        }
    }
}

impl std::error::Error for NoDigest {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit can be one of the run, which a larger memory option raises, and not one of the family.
    #[test]
    fn what_is_too_long_names_the_memory() {
        let text = NoDigest::new(NoDigestReason::TooLong, 5 << 30, 512).to_string();
        assert_eq!(text, "5368709120 bytes are more than a digest, or the memory option, has room for");
    }
}
