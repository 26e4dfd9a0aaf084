//! The digest as text.

use std::fmt;
use std::str::FromStr;

use super::{ALPHABET, Comparer, LEVELS, PART_CHARACTERS_MAX};
use crate::ParseError;

/// `BLOCKSIZE:H1:H2`.
///
/// H1 describes the input cut into pieces of about BLOCKSIZE bytes, H2 into pieces of twice that, so that digests of
/// neighbouring block sizes can be compared.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest {
    level: u8,
    first_characters: u8,
    /// Both parts, one after the other, as printed.
    characters: Box<[u8]>,
}

impl Digest {
    pub(super) fn from_parts(
        level: usize,
        first: impl Iterator<Item = u8>,
        second: impl Iterator<Item = u8>,
    ) -> Digest {
        // Of the right size at once: most of what a short digest costs is memory.
        let mut characters = Vec::with_capacity(first.size_hint().0 + second.size_hint().0);
        characters.extend(first);
        let first_characters = characters.len() as u8;
        characters.extend(second);
        Digest { level: level as u8, first_characters, characters: characters.into_boxed_slice() }
    }

    /// The block size in bytes: 3·2ᵏ.
    pub fn block_bytes(&self) -> u64 {
        3 << self.level
    }

    /// k of the block size 3·2ᵏ, from 0 to 30.
    pub(super) fn level(&self) -> u8 {
        self.level
    }

    /// H1: at most 64 characters.
    pub fn first(&self) -> &[u8] {
        &self.characters[..usize::from(self.first_characters)]
    }

    /// H2: at most 64 characters (32, if ssdeep made it).
    pub fn second(&self) -> &[u8] {
        &self.characters[usize::from(self.first_characters)..]
    }

    /// How similar two inputs are: 0 (nothing in common) to 100 (equal digests). Symmetric. See [`Comparer`].
    pub fn compare(&self, other: &Digest) -> u8 {
        Comparer::new(self).compare(other)
    }

    /// Parses raw bytes; [`FromStr`] does the same for text.
    ///
    /// # Errors
    /// [`ParseError`] if the block size is none, a part is longer than 64 characters, a character is not of the Base64
    /// alphabet, or there are not three fields.
    pub fn from_bytes(text: &[u8]) -> Result<Digest, ParseError> {
        let colon = |from: usize| memchr::memchr(b':', &text[from..]).map(|at| from + at);
        let first_at = colon(0).ok_or(ParseError::new(text.len(), "block size", "is not followed by `:`"))? + 1;
        let level =
            parse_block_size(&text[..first_at - 1]).map_err(|problem| ParseError::new(0, "block size", problem))?;
        let second_at = colon(first_at).ok_or(ParseError::new(text.len(), "first part", "is not followed by `:`"))? + 1;
        let (first, second) = (&text[first_at..second_at - 1], &text[second_at..]);
        check(first).map_err(|(at, problem)| ParseError::new(first_at + at, "first part", problem))?;
        check(second).map_err(|(at, problem)| ParseError::new(second_at + at, "second part", problem))?;
        Ok(Digest::from_parts(level, first.iter().copied(), second.iter().copied()))
    }

    /// From what an index holds.
    pub(super) fn from_checked_parts(level: u8, first: &[u8], second: &[u8]) -> Result<Digest, ParseError> {
        if usize::from(level) >= LEVELS {
            return Err(ParseError::new(0, "level", "is too high"));
        }
        check(first).map_err(|(at, problem)| ParseError::new(at, "first part", problem))?;
        check(second).map_err(|(at, problem)| ParseError::new(at, "second part", problem))?;
        Ok(Digest::from_parts(level.into(), first.iter().copied(), second.iter().copied()))
    }
}

/// The level of a block size.
fn parse_block_size(text: &[u8]) -> Result<usize, &'static str> {
    const DIGITS_MAX: usize = 10;
    if text.is_empty() || text.len() > DIGITS_MAX || text[0] == b'0' || !text.iter().all(u8::is_ascii_digit) {
        return Err("is not a number that a block size can be");
    }
    let bytes = text.iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
    (0..LEVELS).find(|level| 3 << level == bytes).ok_or("is not 3 times a power of two")
}

fn check(part: &[u8]) -> Result<(), (usize, &'static str)> {
    if part.len() > PART_CHARACTERS_MAX {
        return Err((PART_CHARACTERS_MAX, "has more than 64 characters"));
    }
    match part.iter().position(|&character| value(character).is_none()) {
        Some(at) => Err((at, "has a character that is not of the Base64 alphabet")),
        None => Ok(()),
    }
}

/// The six bits that a character stands for.
pub(super) fn value(character: u8) -> Option<u8> {
    const VALUES: [u8; 256] = {
        let mut values = [0xFF; 256];
        let mut value = 0;
        while value < 64 {
            values[ALPHABET[value] as usize] = value as u8;
            value += 1;
        }
        values
    };
    let value = VALUES[usize::from(character)];
    (value < 64).then_some(value)
}

impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Digest, ParseError> {
        Digest::from_bytes(text.as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ascii = |part| str::from_utf8(part).map_err(|_| fmt::Error);
        write!(f, "{}:{}:{}", self.block_bytes(), ascii(self.first())?, ascii(self.second())?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ssdeep({self})")
    }
}
