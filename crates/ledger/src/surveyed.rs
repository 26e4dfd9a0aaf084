//! The sums of a comparison of a walk with the ledger.

/// The result of comparing a walk with the ledger.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Surveyed {
    /// Number of files that the walk found, and of their bytes.
    pub files: u64,
    /// Bytes of all files that the walk found.
    pub bytes: u64,
    /// Files that seem unchanged, and are not read.
    pub unchanged: u64,
    /// Files that an earlier part of this run has read.
    pub done: u64,
    /// Files of the ledger about which the walk tells nothing: they lie in directories that it could not list, or are
    /// left out.
    pub unseen: u64,
}
