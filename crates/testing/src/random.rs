//! Numbers and bytes that look random, the same for each seed.

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Begins the sequence of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, nearly uniform; 0 if `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.number()) * u128::from(end)) >> 64) as u64
    }

    /// As many bytes, without a period.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| self.number().to_le_bytes()).collect();
        bytes.truncate(length);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        // First outputs for seed 1234567, Rosetta Code, "Pseudo-random numbers/Splitmix64".
        let mut random = Random::new(1_234_567);
        assert_eq!([(); 2].map(|()| random.number()), [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        let (mut numbers, mut bytes) = (Random::new(5), Random::new(5));
        let first: Vec<u8> = (0..2).flat_map(|_| numbers.number().to_le_bytes()).collect();
        assert_eq!(bytes.bytes(13), first[..13]);
        assert!((0..1000).all(|end| bytes.below(end) < end.max(1)));
    }
}
