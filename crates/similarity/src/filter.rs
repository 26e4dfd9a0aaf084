//! The Bloom filters of sdhash and mrsh-v2: 256 bytes, five bits for each element.

/// Bytes of a filter.
pub(crate) const FILTER_BYTES: usize = 256;
const WORDS: usize = FILTER_BYTES / 8;

/// A Bloom filter of 2048 bits. Bit `v` is bit `v mod 8` of byte `v / 8`, as in the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Filter(pub(crate) [u64; WORDS]);

impl Filter {
    pub(crate) const EMPTY: Filter = Filter([0; WORDS]);

    /// Sets five bits, of which only the lowest 11 bits of each number count. True if one of them was not set before.
    #[inline]
    pub(crate) fn insert(&mut self, bits: [u32; 5]) -> bool {
        let mut fresh = 0;
        for bit in bits {
            let word = &mut self.0[(bit >> 6) as usize % WORDS];
            let mask = 1 << (bit & 63);
            fresh |= !*word & mask;
            *word |= mask;
        }
        fresh != 0
    }

    /// Number of bits set.
    pub(crate) fn weight(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(crate) fn from_bytes(bytes: &[u8; FILTER_BYTES]) -> Filter {
        let mut words = bytes.as_chunks::<8>().0.iter();
        Filter([0; WORDS].map(|_: u64| words.next().map_or(0, |word| u64::from_le_bytes(*word))))
    }

    pub(crate) fn to_bytes(self) -> [u8; FILTER_BYTES] {
        let mut bytes = [0; FILTER_BYTES];
        for (place, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.0) {
            *place = word.to_le_bytes();
        }
        bytes
    }
}

/// A filter and its numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<F = Filter> {
    pub(crate) filter: F,
    /// Number of bits set.
    pub(crate) weight: u32,
    pub(crate) elements: u16,
    /// The last one of its digest.
    pub(crate) is_last: bool,
}

impl<F> Counted<F> {
    /// Without the filter.
    pub(crate) fn numbers(&self) -> Counted<()> {
        let &Counted { weight, elements, is_last, .. } = self;
        Counted { filter: (), weight, elements, is_last }
    }
}

/// The filters of a digest with their numbers.
pub(crate) fn counted(filters: &[Filter], elements: impl Iterator<Item = u16>) -> Vec<Counted> {
    let numbered = filters.iter().zip(elements).zip(1..);
    let counted = |((&filter, elements), number): ((&Filter, u16), usize)| {
        let is_last = number == filters.len();
        Counted { filter, weight: filter.weight(), elements, is_last }
    };
    numbered.map(counted).collect()
}
