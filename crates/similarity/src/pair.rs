//! What comparing many digests finds.

/// Two digests and their score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// Place of the first one among the digests that were given.
    pub first: usize,
    /// Place of the second one.
    pub second: usize,
    /// The score of the first with the second.
    pub score: u8,
}
