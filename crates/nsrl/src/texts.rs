//! Texts by number, within a limit of memory.

use std::collections::HashMap;

/// Names of products by the number of their package.
#[derive(Debug)]
pub(crate) struct Texts {
    places: HashMap<i64, (u32, u32)>,
    bytes: Vec<u8>,
    bytes_max: usize,
}

/// The memory for a place, with the part of the table that is empty.
const PLACE_BYTES: usize = 40;

impl Texts {
    /// Makes a table that takes about `bytes_max` bytes at most, and not more than 4 GiB.
    pub(crate) fn new(bytes_max: usize) -> Texts {
        Texts { places: HashMap::new(), bytes: Vec::new(), bytes_max: bytes_max.min(u32::MAX as usize) }
    }

    /// Adds the parts that are not empty, with a space between two. The first text of a number stays. Returns whether
    /// there was room.
    #[must_use]
    pub(crate) fn add(&mut self, number: i64, parts: &[&[u8]]) -> bool {
        if self.places.contains_key(&number) {
            return true;
        }
        let length: usize = parts.iter().map(|part| part.len() + 1).sum();
        if self.bytes.len() + length + (self.places.len() + 1) * PLACE_BYTES > self.bytes_max {
            return false;
        }
        let start = self.bytes.len();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            if self.bytes.len() > start {
                self.bytes.push(b' ');
            }
            self.bytes.extend_from_slice(part);
        }
        self.places.insert(number, (start as u32, self.bytes.len() as u32));
        true
    }

    /// Returns the text of a number; empty if there is none.
    pub(crate) fn get(&self, number: Option<i64>) -> &[u8] {
        let place = number.and_then(|number| self.places.get(&number));
        place.map_or(&[], |&(start, end)| &self.bytes[start as usize..end as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_text_stays_within_the_limit() {
        let mut texts = Texts::new(2 * PLACE_BYTES + 12);
        assert!(texts.add(7, &[b"Word", b"1"]));
        assert!(texts.add(7, &[b"Excel", b"2"]));
        assert!(texts.add(-1, &[b"", b"2"]));
        assert!(!texts.add(3, &[b"x"]));
        assert_eq!(texts.get(Some(7)), b"Word 1");
        assert_eq!(texts.get(Some(-1)), b"2");
        assert_eq!(texts.get(Some(3)), b"");
        assert_eq!(texts.get(None), b"");
    }
}
