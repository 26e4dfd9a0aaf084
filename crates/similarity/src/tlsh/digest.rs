//! The digest: its text, and distances.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::BODY_BYTES;
use crate::ParseError;

/// The beginning of the text, since TLSH 4.
const VERSION: &[u8] = b"T1";

/// Bytes of the digest, two hexadecimal digits each: checksum, length, ratios, body.
pub(super) const BYTES: usize = 3 + BODY_BYTES;

/// The weight of a difference of lengths or ratios, beyond the first step.
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
    /// How far apart two inputs are: 0 for equal digests, up to 30 very close, up to 100 related; no useful upper
    /// bound. Symmetric.
    pub fn compare(&self, other: &Digest) -> u32 {
        self.header().length_distance(other.header()) + self.compare_without_length(other)
    }

    /// The distance without what the lengths contribute (`-xlen` of the original).
    pub fn compare_without_length(&self, other: &Digest) -> u32 {
        let ratios = self.header().ratio_distance(other.header());
        u32::from(self.checksum != other.checksum) + ratios + self.body_distance(other)
    }

    /// Length and ratios: what the index groups by.
    pub(super) fn header(&self) -> Header {
        Header { length: self.length, ratios: self.ratios }
    }

    fn body_distance(&self, other: &Digest) -> u32 {
        quarters_distance(&self.quarters(), &other.quarters())
    }

    /// The body, sorted by bits.
    pub(super) fn quarters(&self) -> Quarters {
        let mut quarters = Quarters { low: [0; 2], high: [0; 2] };
        for (index, bytes) in self.body.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            // Two words of 32 quarters each share one of 64: one has the even places, the other the odd ones.
            let shift = index % 2;
            quarters.low[index / 2] |= (word & EVEN) << shift;
            quarters.high[index / 2] |= (word >> 1 & EVEN) << shift;
        }
        quarters
    }
}

/// Every other bit.
const EVEN: u64 = 0x5555_5555_5555_5555;

/// In which quarter of all counts each of 128 buckets is, 0 to 3: all low bits and all high bits. The order of the
/// buckets does not matter, as long as it is the same for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quarters {
    pub(super) low: [u64; 2],
    pub(super) high: [u64; 2],
}

/// The part of a digest that is a few small numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Header {
    pub(super) length: u8,
    pub(super) ratios: [u8; 2],
}

impl Header {
    fn length_distance(self, other: Header) -> u32 {
        match circular(self.length, other.length, 256) {
            steps @ (0 | 1) => steps,
            steps => steps * STEP_DISTANCE,
        }
    }

    /// Returns all lengths that contribute at most `distance_max`: on the circle they are one range, in the order of
    /// numbers up to two.
    pub(super) fn near_lengths(self, distance_max: u32) -> impl Iterator<Item = RangeInclusive<u8>> {
        let steps = (distance_max / STEP_DISTANCE).max(distance_max.min(1));
        let (first, second) = match u8::try_from(steps) {
            Ok(steps @ ..128) => {
                let (low, high) = (self.length.wrapping_sub(steps), self.length.wrapping_add(steps));
                if low <= high { (low..=high, None) } else { (0..=high, Some(low..=u8::MAX)) }
            }
            _ => (0..=u8::MAX, None),
        };
        std::iter::once(first).chain(second)
    }

    fn ratio_distance(self, other: Header) -> u32 {
        let steps = self.ratios.into_iter().zip(other.ratios).map(|(a, b)| circular(a, b, 16));
        steps.map(|steps| if steps <= 1 { steps } else { (steps - 1) * STEP_DISTANCE }).sum()
    }

    /// The part of a distance that two headers contribute.
    pub(super) fn distance(self, other: Header) -> u32 {
        self.length_distance(other) + self.ratio_distance(other)
    }
}

/// Distance on a circle of `size` steps.
fn circular(a: u8, b: u8, size: u32) -> u32 {
    let steps = u32::from(a.abs_diff(b));
    steps.min(size - steps)
}

/// The sum of the differences of all quarters, with 6 for 3.
///
/// Both bits differ in 0 and 3, and in 1 and 2; only in the first case are the two bits of one quarter equal. So with
/// three words of one bit for each bucket, worth 1, 2 and 4, the sum is that of all bits by their worth. They are
/// counted together: two buckets in fields of two bits, four in fields of four, and so on; each comment gives the most
/// that a field can hold.
#[inline(always)]
pub(super) fn quarters_distance(a: &Quarters, b: &Quarters) -> u32 {
    const PAIRS: u64 = 0x3333_3333_3333_3333;
    const NIBBLES: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    const BYTES: u64 = 0x00FF_00FF_00FF_00FF;
    let mut sum = 0;
    for word in 0..2 {
        let (low, high) = (a.low[word] ^ b.low[word], a.high[word] ^ b.high[word]);
        let opposite = low & high & !(a.low[word] ^ a.high[word]);
        let [ones, twos, fours] = [low & !opposite, (high & !low) | opposite, opposite].map(|bits| {
            let two = bits - (bits >> 1 & EVEN); // 2
            (two & PAIRS) + (two >> 2 & PAIRS) // 4
        });
        let small = ones + 2 * twos; // 12
        let small = (small & NIBBLES) + (small >> 4 & NIBBLES); // 24
        let fours = (fours + (fours >> 4)) & NIBBLES; // 8
        sum += small + 4 * fours; // 56, and 112 for both words
    }
    let sum = (sum & BYTES) + (sum >> 8 & BYTES); // 224
    (sum.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32 // 768
}

impl Digest {
    /// Parses raw bytes; [`FromStr`] does the same for text. Digits of either case, with `T1` or, as before TLSH 4,
    /// without.
    ///
    /// # Errors
    /// [`ParseError`] if there are not 70 hexadecimal digits.
    pub fn from_bytes(text: &[u8]) -> Result<Digest, ParseError> {
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
        Ok(Digest::from_raw(&bytes))
    }

    /// From the bytes that the digits stand for.
    pub(super) fn from_raw(bytes: &[u8; BYTES]) -> Digest {
        let [checksum, length, ratios, body @ ..] = *bytes;
        Digest {
            checksum: checksum.rotate_left(4),
            length: length.rotate_left(4),
            ratios: [ratios >> 4, ratios & 15],
            body,
        }
    }

    /// The bytes that the digits stand for: the nibbles of the first two are exchanged.
    pub(super) fn to_raw(self) -> [u8; BYTES] {
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
        Digest::from_bytes(text.as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("T1")?;
        self.to_raw().iter().try_for_each(|byte| write!(f, "{byte:02X}"))
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

    /// The definition.
    fn plain(a: &Digest, b: &Digest) -> u32 {
        let quarters =
            |digest: &Digest| digest.body.into_iter().flat_map(|byte| [0, 2, 4, 6].map(|shift| byte >> shift & 3));
        let steps = quarters(a).zip(quarters(b)).map(|(a, b)| usize::from(a.abs_diff(b)));
        steps.map(|steps| [0, 1, 2, 6][steps]).sum()
    }

    #[test]
    fn near_lengths_are_those_within_the_distance() {
        let header = |length| Header { length, ratios: [0; 2] };
        for distance_max in [0, 1, 2, 11, 12, 13, 23, 24, 25, 30, 36, 600, 1523, 1524, 1535, 1536, 5000, u32::MAX] {
            for length in 0..=u8::MAX {
                let near: Vec<u8> = header(length).near_lengths(distance_max).flatten().collect();
                let is_near = |&other: &u8| header(length).length_distance(header(other)) <= distance_max;
                let expected: Vec<u8> = (0..=u8::MAX).filter(is_near).collect();
                assert_eq!(near, expected, "{length} {distance_max}");
            }
        }
    }

    #[test]
    fn quarters_are_as_far_apart_as_the_paper_says() {
        let digest = |body| Digest { checksum: 0, length: 0, ratios: [0, 0], body };
        let same = |byte| digest([byte; BODY_BYTES]);
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(same(a).body_distance(&same(b)), plain(&same(a), &same(b)), "{a} {b}");
            }
        }
        assert_eq!(same(0).body_distance(&same(255)), 768);
        let varied =
            |seed: u32| digest(std::array::from_fn(|i| (seed + i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3]));
        for seed in 0..1000 {
            let (a, b) = (varied(seed), varied(1_000_000 - 77 * seed));
            assert_eq!(a.body_distance(&b), plain(&a, &b));
        }
    }
}
