//! The value, and its text.

use std::fmt;
use std::io::Write as _;
use std::str::FromStr;

use crate::ParseError;
use crate::fields::Fields;
use crate::filter::{FILTER_BYTES, Filter};

/// A similarity digest: Bloom filters of chunks. The name is part of the text, in raw bytes; it does not count in
/// comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    pub(super) name: Vec<u8>,
    pub(super) bytes: u64,
    /// At least one. All are full but the last one.
    pub(super) filters: Vec<Filter>,
    /// Elements of the last one.
    pub(super) last: u16,
}

/// Elements of a full filter.
pub(super) const ELEMENTS_MAX: u16 = 160;
const FILTER_DIGITS: usize = 2 * FILTER_BYTES;

impl Digest {
    /// The name in the text; empty for a digest that was just made.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The same digest under another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<Vec<u8>>) -> Digest {
        Digest { name: name.into(), ..self }
    }

    /// Length of the input, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of filters, at least one.
    pub fn filters(&self) -> usize {
        self.filters.len()
    }

    /// Number of elements of each filter.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = u16> {
        (0..self.filters.len()).map(|filter| if filter + 1 == self.filters.len() { self.last } else { ELEMENTS_MAX })
    }

    /// Reads the text of a digest: a line of the original without its line end. A name may have colons in it.
    ///
    /// # Errors
    /// [`ParseError`] for anything that the original would not write, except in names.
    pub fn from_bytes(text: &[u8]) -> Result<Digest, ParseError> {
        let mut fields = Fields::new(text);
        let digits = fields.last("filters")?;
        let last = fields.last("elements of the last filter")?.number_up_to(ELEMENTS_MAX)?;
        let full = fields.last("number of full filters")?.number()?;
        let bytes = fields.last("size")?.number()?;
        // Before anything is allocated: the count is a claim.
        let expected = full.checked_add(1).and_then(|filters| filters.checked_mul(FILTER_DIGITS as u64));
        if expected != Some(digits.text.len() as u64) {
            return Err(digits.error("are not as long as their number says"));
        }
        let mut filters = Vec::with_capacity(digits.text.len() / FILTER_DIGITS);
        for (index, group) in digits.text.as_chunks::<FILTER_DIGITS>().0.iter().enumerate() {
            let mut filter = [0; FILTER_BYTES];
            for (place, (byte, &[high, low])) in filter.iter_mut().zip(group.as_chunks::<2>().0).enumerate() {
                let (high, low) = (VALUES[usize::from(high)], VALUES[usize::from(low)]);
                if (high | low) > 15 {
                    return Err(digits.error_at(index * FILTER_DIGITS + 2 * place, "are not upper-case hexadecimal"));
                }
                *byte = high << 4 | low;
            }
            filters.push(Filter::from_bytes(&filter));
        }
        Ok(Digest { name: fields.rest("name").text.to_vec(), bytes, filters, last })
    }

    /// Appends the text of the digest, byte for byte as the original writes it, without a line end.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        out.reserve(self.name.len() + 64 + self.filters.len() * FILTER_DIGITS);
        out.extend_from_slice(&self.name);
        // Writing to a vector cannot fail.
        let _ = write!(out, ":{}:{}:{}:", self.bytes, self.filters.len() - 1, self.last);
        for filter in &self.filters {
            for byte in filter.to_bytes() {
                out.extend_from_slice(&[byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]));
            }
        }
    }
}

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
const VALUES: [u8; 256] = {
    let mut values = [0xFF; 256];
    let mut value = 0;
    while value < DIGITS.len() {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Digest, ParseError> {
        Digest::from_bytes(text.as_bytes())
    }
}

/// As [`Digest::write_to`], but that a name which is not UTF-8 is shown with replacement characters.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write_to(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}
