//! The digest: its text, and distances.

use std::fmt;
use std::str::FromStr;

use super::BODY_BYTES;
use crate::ParseError;

/// What the text begins with, since TLSH 4.
const VERSION: &[u8] = b"T1";

/// Bytes of the digest, two hexadecimal digits each: checksum, length, ratios, body.
const BYTES: usize = 3 + BODY_BYTES;

/// What a difference of lengths or ratios counts, beyond the first step.
const STEP_DISTANCE: u32 = 12;

/// `T1` and 70 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest {
    pub(super) checksum: u8,
    pub(super) length: u8,
    /// First and second quartile to the third, in percent, modulo 16.
    pub(super) ratios: [u8; 2],
    /// In the order of the text.
    pub(super) body: [u8; BODY_BYTES],
}

impl Digest {
    /// How far apart two inputs are: 0 for equal digests, up to 30 very close, up to 100 related; no useful upper bound.
    /// Symmetric.
    pub fn compare(&self, other: &Digest) -> u32 {
        self.length_distance(other) + self.compare_without_length(other)
    }

    /// The distance without what the lengths contribute (`-xlen` of the original).
    pub fn compare_without_length(&self, other: &Digest) -> u32 {
        u32::from(self.checksum != other.checksum) + self.ratio_distance(other) + self.body_distance(other)
    }

    pub(super) fn length_distance(&self, other: &Digest) -> u32 {
        match circular(self.length, other.length, 256) {
            steps @ (0 | 1) => steps,
            steps => steps * STEP_DISTANCE,
        }
    }

    pub(super) fn ratio_distance(&self, other: &Digest) -> u32 {
        let pairs = self.ratios.into_iter().zip(other.ratios);
        pairs.map(|(a, b)| ratio_distance(circular(a, b, 16))).sum()
    }

    fn body_distance(&self, other: &Digest) -> u32 {
        let words = |body: &[u8; BODY_BYTES]| {
            let mut words = [0; BODY_BYTES / 8];
            for (word, bytes) in words.iter_mut().zip(body.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            }
            words
        };
        const LOW: u64 = 0x5555_5555_5555_5555;
        let pairs = words(&self.body).into_iter().zip(words(&other.body));
        pairs.map(|(a, b)| quarter_distance([a & LOW, a >> 1 & LOW], [b & LOW, b >> 1 & LOW])).sum()
    }
}

/// What ratios so many steps apart count.
pub(super) fn ratio_distance(steps: u32) -> u32 {
    if steps <= 1 { steps } else { (steps - 1) * STEP_DISTANCE }
}

/// Distance on a circle of `size` steps.
pub(super) fn circular(a: u8, b: u8, size: u32) -> u32 {
    let steps = u32::from(a.abs_diff(b));
    steps.min(size - steps)
}

/// The distance of two sets of quarters, 0 to 3 each, given as low and high bits: the sum of the differences, with 6 for 3.
///
/// Both bits differ in 0 and 3, and in 1 and 2. Only in the first case are the two bits of one quarter equal.
#[inline(always)]
pub(super) fn quarter_distance([a0, a1]: [u64; 2], [b0, b1]: [u64; 2]) -> u32 {
    let (low, high) = (a0 ^ b0, a1 ^ b1);
    let opposite = low & high & !(a0 ^ a1);
    let one = low & !opposite;
    let two = high & !low;
    one.count_ones() + 2 * two.count_ones() + 6 * opposite.count_ones()
}

impl Digest {
    /// Parses raw bytes; [`FromStr`] does the same for text. Digits of either case, with `T1` or, as before TLSH 4, without.
    ///
    /// # Errors
    /// [`ParseError`] if there are not 70 hexadecimal digits.
    pub fn parse(text: &[u8]) -> Result<Digest, ParseError> {
        let digits = text.strip_prefix(VERSION).unwrap_or(text);
        let at = text.len() - digits.len();
        if let Some(bad) = digits.iter().position(|digit| !digit.is_ascii_hexdigit()) {
            return Err(ParseError::new(at + bad, "digest", "has a character that is no hexadecimal digit"));
        }
        if digits.len() != 2 * BYTES {
            return Err(ParseError::new(text.len(), "digest", "has not 70 hexadecimal digits"));
        }
        let nibble = |digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8;
        let mut bytes = [0; BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0]) << 4 | nibble(pair[1]);
        }
        Ok(Digest::from_bytes(&bytes))
    }

    /// From the bytes that the digits stand for.
    pub(super) fn from_bytes(bytes: &[u8; BYTES]) -> Digest {
        let [checksum, length, ratios, body @ ..] = *bytes;
        Digest {
            checksum: checksum.rotate_left(4),
            length: length.rotate_left(4),
            ratios: [ratios >> 4, ratios & 15],
            body,
        }
    }

    /// The bytes that the digits stand for: the nibbles of the first two are exchanged.
    pub(super) fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[0] = self.checksum.rotate_left(4);
        bytes[1] = self.length.rotate_left(4);
        bytes[2] = self.ratios[0] << 4 | self.ratios[1];
        bytes[3..].copy_from_slice(&self.body);
        bytes
    }
}

impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Digest, ParseError> {
        Digest::parse(text.as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("T1")?;
        self.to_bytes().iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tlsh({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_as_far_apart_as_the_paper_says() {
        for a in 0..4_u64 {
            for b in 0..4 {
                let expected = [0, 1, 2, 6][a.abs_diff(b) as usize];
                assert_eq!(quarter_distance([a & 1, a >> 1], [b & 1, b >> 1]), expected, "{a} {b}");
            }
        }
    }
}
