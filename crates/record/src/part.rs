//! Parts of a file that several tasks share.

use pfh_digest::parts::PartValue;

/// A part of a file, and the values that make a digest of the file when they are joined with those of all other parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// Offset of its first byte in the file.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// The values, in the order of the run; empty unless the part was read completely.
    pub values: Vec<PartValue>,
    /// Whether the machine may have another copy of the tree than others, so that numbers and times of inodes differ.
    pub any_tree: bool,
}

impl Part {
    /// Makes a part without values.
    pub fn new(offset: u64, length: u64) -> Part {
        Part { offset, length, ..Part::default() }
    }
}
