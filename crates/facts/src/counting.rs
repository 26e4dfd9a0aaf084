//! Which bytes are counted: all, or a sample that depends on nothing but offsets.
//!
//! Counting takes about a cycle for each byte, which is as long as hashing takes in lanes. So only the first page is
//! counted whole, and of the others one line of [`LINE_BYTES`] bytes in each group of [`GROUP_BYTES`]. The place of the
//! line in its group moves from group to group, by the fractional parts of multiples of the golden ratio (D. E. Knuth,
//! The Art of Computer Programming, volume 3, section 6.4), because much of what is stored repeats with powers of two.

use std::fmt;
use std::str::FromStr;

/// Bytes at the beginning that are all counted.
pub(crate) const HEAD_BYTES: u64 = 4096;

/// Bytes of which one line is counted.
pub(crate) const GROUP_BYTES: u64 = 1024;

/// Bytes of a line.
pub(crate) const LINE_BYTES: u64 = 32;

/// 2⁶⁴ divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

const PLACE_BITS: u32 = (GROUP_BYTES / LINE_BYTES).ilog2();

/// The bytes that the entropy is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Counting {
    /// All bytes of the first 4096, and of the others a line of 32 in each group of 1024.
    #[default]
    Sampled,
    /// All bytes.
    Exact,
}

impl Counting {
    /// All choices.
    pub const ALL: [Counting; 2] = [Counting::Sampled, Counting::Exact];

    /// Returns the stable word for options and lists.
    pub const fn word(self) -> &'static str {
        match self {
            Counting::Sampled => "sampled",
            Counting::Exact => "exact",
        }
    }
}

/// The word.
impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The error of a word that is none of the choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCounting {
    word: String,
}

impl fmt::Display for UnknownCounting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a valid choice; choose one of sampled, exact", self.word)
    }
}

impl std::error::Error for UnknownCounting {}

impl FromStr for Counting {
    type Err = UnknownCounting;

    fn from_str(word: &str) -> Result<Counting, UnknownCounting> {
        let found = Counting::ALL.into_iter().find(|counting| counting.word() == word);
        found.ok_or_else(|| UnknownCounting { word: word.to_owned() })
    }
}

/// The line of a group that is counted: the first one in the first group, so that no file without one is longer than
/// its head.
pub(crate) fn place(group: u64) -> u64 {
    group.wrapping_mul(GOLDEN) >> (u64::BITS - PLACE_BITS)
}
