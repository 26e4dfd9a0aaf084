//! How often each byte occurs: in all bytes, or in a sample that depends on nothing but offsets.
//!
//! Counting takes about a cycle for each byte, which is as long as hashing takes in lanes. So only the first page is
//! counted whole, and of the others one line of [`LINE_BYTES`] bytes in each group of [`GROUP_BYTES`]. The place of the
//! line in its group moves from group to group, by the fractional parts of multiples of the golden ratio (D. E. Knuth,
//! The Art of Computer Programming, volume 3, section 6.4), because much of what is stored repeats with powers of two.

use crate::Entropy;
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

/// How often each byte occurs. Two tables, since an increment that follows one of the same place waits for it.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    tables: [[u64; 256]; 2],
}

impl Tally {
    const NONE: Tally = Tally { tables: [[0; 256]; 2] };

    fn count(&mut self, bytes: &[u8]) {
        let [even, odd] = &mut self.tables;
        let (lines, rest) = bytes.as_chunks::<{ LINE_BYTES as usize }>();
        for line in lines {
            // Long runs are frequent, and take the longest.
            if line[0] == line[1] && line.iter().fold(0, |other, byte| other | (byte ^ line[0])) == 0 {
                even[usize::from(line[0])] += LINE_BYTES;
                continue;
            }
            let (pairs, _) = line.as_chunks();
            for &[one, two] in pairs {
                even[usize::from(one)] += 1;
                odd[usize::from(two)] += 1;
            }
        }
        for &byte in rest {
            even[usize::from(byte)] += 1;
        }
    }

    fn add(&mut self, other: &Tally) {
        for (count, more) in self.tables.as_flattened_mut().iter_mut().zip(other.tables.as_flattened()) {
            *count += more;
        }
    }

    fn get(&self, byte: usize) -> u64 {
        self.tables[0][byte] + self.tables[1][byte]
    }
}

/// The frequencies of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Frequencies {
    counting: Counting,
    /// Counts that stand for themselves.
    whole: Tally,
    /// Counts that stand for the others of their groups.
    lines: Tally,
    /// Number of bytes in `whole`.
    whole_bytes: u64,
    /// Number of bytes in `lines`.
    line_bytes: u64,
}

impl Frequencies {
    pub(crate) fn new(counting: Counting) -> Frequencies {
        Frequencies { counting, whole: Tally::NONE, lines: Tally::NONE, whole_bytes: 0, line_bytes: 0 }
    }

    /// Counts the bytes from this offset on.
    pub(crate) fn update(&mut self, offset: u64, bytes: &[u8]) {
        let head = match self.counting {
            Counting::Exact => bytes.len(),
            Counting::Sampled => usize::try_from(HEAD_BYTES.saturating_sub(offset)).unwrap_or(0).min(bytes.len()),
        };
        let (head, rest) = bytes.split_at(head);
        self.whole.count(head);
        self.whole_bytes += head.len() as u64;
        if rest.is_empty() {
            return;
        }
        let start = offset + head.len() as u64;
        let end = start + rest.len() as u64;
        for group in (start - HEAD_BYTES) / GROUP_BYTES..(end - HEAD_BYTES).div_ceil(GROUP_BYTES) {
            let line = HEAD_BYTES + group * GROUP_BYTES + place(group) * LINE_BYTES;
            let inside = |offset: u64| (offset.clamp(start, end) - start) as usize;
            let line = &rest[inside(line)..inside(line + LINE_BYTES)];
            self.lines.count(line);
            self.line_bytes += line.len() as u64;
        }
    }

    /// Adds the counts of other parts of the message.
    pub(crate) fn add(&mut self, other: &Frequencies) {
        self.whole.add(&other.whole);
        self.lines.add(&other.lines);
        self.whole_bytes += other.whole_bytes;
        self.line_bytes += other.line_bytes;
    }

    /// Returns the number of bytes that were counted.
    pub(crate) fn counted_bytes(&self) -> u64 {
        self.whole_bytes + self.line_bytes
    }

    /// Returns the entropy of a message of this many bytes. Counts of lines stand for the bytes that were not counted,
    /// too.
    ///
    /// The entropy of a sample is too low by half of the sum of `variance / (n · weight)`, because the sample lacks
    /// some of the variety (G. A. Miller, "Note on the bias of information estimates", 1955; here for a sample of
    /// a finite number of bytes). That is added.
    pub(crate) fn entropy(&self, bytes: u64) -> Entropy {
        let scale = match self.line_bytes {
            0 => 0.0,
            counted => (bytes - self.whole_bytes) as f64 / counted as f64,
        };
        let weights = std::array::from_fn(|byte| self.whole.get(byte) as f64 + scale * self.lines.get(byte) as f64);
        let variances = std::array::from_fn(|byte| {
            let count = self.lines.get(byte) as f64;
            scale * (scale - 1.0) * count * (1.0 - count / self.line_bytes.max(1) as f64)
        });
        Entropy::of(&weights, &variances)
    }

    /// Forgets all counts.
    pub(crate) fn reset(&mut self) {
        self.whole = Tally::NONE;
        if self.line_bytes > 0 {
            self.lines = Tally::NONE;
        }
        (self.whole_bytes, self.line_bytes) = (0, 0);
    }
}

/// The line of a group that is counted: the first one in the first group, so that no file without one is longer than
/// its head.
fn place(group: u64) -> u64 {
    group.wrapping_mul(GOLDEN) >> (u64::BITS - PLACE_BITS)
}
