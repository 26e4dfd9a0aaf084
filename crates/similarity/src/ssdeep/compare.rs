//! The comparison of two digests.

use super::digest::value;
use super::{Digest, PART_CHARACTERS_MAX};

/// Two parts must have a substring of this length in common, or their score is 0.
pub(super) const COMMON_CHARACTERS: usize = 7;

/// Longest run of one character that counts; longer ones say little.
const RUN_CHARACTERS_MAX: usize = 3;

/// One part of a digest as it is compared: values of six bits, runs shortened.
#[derive(Clone, Copy)]
pub(super) struct Part {
    values: [u8; PART_CHARACTERS_MAX],
    count: u8,
}

impl Part {
    pub(super) fn new(characters: &[u8]) -> Part {
        let mut part = Part { values: [0; PART_CHARACTERS_MAX], count: 0 };
        let mut run = 0;
        let mut previous = None;
        for &character in characters {
            run = if previous == Some(character) { run + 1 } else { 1 };
            previous = Some(character);
            if run <= RUN_CHARACTERS_MAX {
                part.values[usize::from(part.count)] = value(character).unwrap_or(0);
                part.count += 1;
            }
        }
        part
    }

    pub(super) fn values(&self) -> &[u8] {
        &self.values[..usize::from(self.count)]
    }
}

/// One part, prepared to be compared with many.
#[derive(Clone)]
struct Pattern {
    part: Part,
    /// For each value, the places where the part has it.
    places: [u64; 64],
}

impl Pattern {
    fn new(values: &[u8]) -> Pattern {
        let mut pattern = Pattern { part: Part { values: [0; PART_CHARACTERS_MAX], count: 0 }, places: [0; 64] };
        for (place, &value) in values.iter().enumerate().take(PART_CHARACTERS_MAX) {
            pattern.part.values[place] = value & 63;
            pattern.part.count += 1;
            pattern.places[usize::from(value & 63)] |= 1 << place;
        }
        pattern
    }

    /// Whether the two have seven characters in a row in common.
    fn has_common_substring(&self, other: &[u8]) -> bool {
        // After the character at `place`, bit p of `runs[n]` says that a run of n common characters ends at p and here.
        // Runs of 2, 4 and 7 are put together from shorter ones that ended a little earlier.
        let mut ones = [0; 2];
        let mut twos = [0; 3];
        let mut fours = [0; 4];
        for &value in other {
            ones = [self.places[usize::from(value)], ones[0]];
            twos = [ones[0] & (ones[1] << 1), twos[0], twos[1]];
            fours = [twos[0] & (twos[2] << 2), fours[0], fours[1], fours[2]];
            if fours[0] & (fours[3] << 3) != 0 {
                return true;
            }
        }
        false
    }

    /// Length of the longest common subsequence, by bits: a zero in `row` is a place where it grows (H. Hyyrö,
    /// "Bit-parallel LCS-length computation revisited", 2004).
    fn common_subsequence(&self, other: &[u8]) -> u32 {
        let mut row = u64::MAX;
        for &value in other {
            let matches = row & self.places[usize::from(value)];
            row = row.wrapping_add(matches) | (row - matches);
        }
        row.count_zeros()
    }

    /// The score of two parts of one block size, if it is at least `threshold`; else that or any lower score.
    fn score(&self, other: &[u8], level: u8, threshold: u8) -> u8 {
        let (a, b) = (u32::from(self.part.count), other.len() as u32);
        if a.min(b) < COMMON_CHARACTERS as u32 {
            return 0;
        }
        // Whatever they are, turning one into the other takes as many insertions as one is longer.
        if scale(a.abs_diff(b), a, b, level) < threshold || !self.has_common_substring(other) {
            return 0;
        }
        // Edit distance with insertion 1, deletion 1, replacement 2.
        let distance = a + b - 2 * self.common_subsequence(other);
        scale(distance, a, b, level)
    }
}

/// From an edit distance to a score. Small blocks may not score high: they say little of a file.
pub(super) fn scale(distance: u32, a: u32, b: u32, level: u8) -> u8 {
    let score = 100 - 100 * (distance * 64 / (a + b)) / 64;
    // ssdeep asks whether the block size is below (99 + 7) / 7 * 3 = 45.
    let limit = if level < 4 { (1 << level) * a.min(b) } else { 100 };
    score.min(limit) as u8
}

/// A digest prepared to be compared with many others.
///
/// The score: runs of more than three equal characters are shortened to three; digests that then are equal score 100.
/// Otherwise parts of the same block size (H1 with H1 and H2 with H2, or H1 of one with H2 of the other) are compared:
/// those without seven characters in a row in common score 0, others by their edit distance. The best counts.
#[derive(Clone)]
pub struct Comparer {
    level: u8,
    first: Pattern,
    second: Pattern,
}

impl Comparer {
    /// Prepares `digest`.
    pub fn new(digest: &Digest) -> Comparer {
        Comparer::from_values(digest.level(), Part::new(digest.first()).values(), Part::new(digest.second()).values())
    }

    pub(super) fn from_values(level: u8, first: &[u8], second: &[u8]) -> Comparer {
        Comparer { level, first: Pattern::new(first), second: Pattern::new(second) }
    }

    /// The score of the two digests, 0 to 100.
    pub fn compare(&self, other: &Digest) -> u8 {
        if self.level.abs_diff(other.level()) > 1 {
            return 0;
        }
        self.compare_values(other.level(), Part::new(other.first()).values(), Part::new(other.second()).values(), 0)
    }

    /// As [`Comparer::compare`]; a score below the threshold may come out lower.
    pub(super) fn compare_values(&self, level: u8, first: &[u8], second: &[u8], threshold: u8) -> u8 {
        if level == self.level {
            if self.first.part.values() == first && self.second.part.values() == second {
                return 100;
            }
            let one = self.first.score(first, level, threshold);
            one.max(self.second.score(second, level + 1, threshold.max(one)))
        } else if level == self.level + 1 {
            self.second.score(first, level, threshold)
        } else if level + 1 == self.level {
            self.first.score(second, self.level, threshold)
        } else {
            0
        }
    }
}
