//! Pairs of similar digests.

/// Two digests and their score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// Index of the first digest among those given.
    pub first: usize,
    /// Index of the second digest.
    pub second: usize,
    /// The score of the first with the second.
    pub score: u8,
}
