//! Inputs that have no digest.

use std::fmt;

use crate::Family;

/// The input has no digest of this family: a normal outcome, to be reported beside the digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoDigest {
    /// The family.
    pub family: Family,
    /// The length of the input, in bytes.
    pub bytes: u64,
    /// Which of the family's conditions failed.
    pub reason: NoDigestReason,
}

impl NoDigest {
    /// Makes the result for an input of `bytes` bytes, with the reason why it has no digest of the family.
    pub const fn new(family: Family, reason: NoDigestReason, bytes: u64) -> NoDigest {
        NoDigest { family, bytes, reason }
    }

    /// Returns the bound of the family that the length is to be judged by, and its name in lists: `maximum_bytes` of
    /// inputs that are too long, `minimum_bytes` of all others. `None` where the memory of the run was the bound.
    pub fn bound_bytes(&self) -> Option<(&'static str, u64)> {
        match self.reason {
            NoDigestReason::TooLong => self.family.maximum_bytes().map(|bytes| ("maximum_bytes", bytes)),
            _ => Some(("minimum_bytes", self.family.minimum_bytes())),
        }
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
        let (bytes, family) = (self.bytes, self.family);
        match (self.reason, family.maximum_bytes()) {
            (NoDigestReason::TooShort, _) => {
                write!(f, "{bytes} bytes are too few: a digest takes at least {}", family.minimum_bytes())
            }
            (NoDigestReason::TooLong, Some(most)) => {
                write!(f, "{bytes} bytes are too many: a digest takes at most {most}")
            }
            (NoDigestReason::TooLong, None) => {
                write!(f, "{bytes} bytes are more than the memory option has room for")
            }
            (NoDigestReason::TooUniform, _) => write!(f, "{bytes} bytes of too little variety for a digest"),
        }
    }
}

impl std::error::Error for NoDigest {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_names_the_bound_that_it_is_beyond() {
        let text = |family| NoDigest::new(family, NoDigestReason::TooLong, 5 << 40).to_string();
        for family in [Family::Sdhash, Family::MrshV2] {
            assert_eq!(text(family), "5497558138880 bytes are more than the memory option has room for");
        }
        assert_eq!(text(Family::Tlsh), "5497558138880 bytes are too many: a digest takes at most 4224281216");
        assert_eq!(text(Family::Ssdeep), "5497558138880 bytes are too many: a digest takes at most 206158430208");
    }
}
