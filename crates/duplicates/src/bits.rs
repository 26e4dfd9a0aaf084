//! One bit for each group.

/// A set of small numbers.
#[derive(Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// Adds a number. Returns whether it was not there before.
    pub(crate) fn insert(&mut self, number: u64) -> bool {
        let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_new_once() {
        let mut bits = Bits::default();
        for number in [0, 63, 64, 1000] {
            assert!(bits.insert(number) && !bits.insert(number), "{number}");
        }
        assert!(bits.insert(1) && bits.insert(1001));
    }
}
