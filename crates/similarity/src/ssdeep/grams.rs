//! Keys of digests: the substrings that two digests must share to score above 0, as numbers that can be looked up.
//!
//! Two digests score above 0 only if two of their parts with the same block size have seven characters in a row in
//! common, or if they are equal. So a digest is entered under each seven characters (a gram) of each part together with
//! the part's block size, and a digest too short to have any is entered under its whole text. Digests that share no key
//! score 0; those that share one are compared. The keys are hashed, which may bring together what does not belong
//! together, never the reverse.

use super::compare::COMMON_CHARACTERS;

/// Bits of one gram.
const GRAM_BITS: u32 = 6 * COMMON_CHARACTERS as u32;

/// Calls `each` with the hash of every key of a digest, given its level and the values of its parts. Hashes may repeat.
pub(super) fn for_each_hash(level: u8, first: &[u8], second: &[u8], mut each: impl FnMut(u64)) {
    let mut any = false;
    for (level, part) in [(level, first), (level + 1, second)] {
        let mut gram = 0;
        for (place, &value) in part.iter().enumerate() {
            gram = (gram << 6 | u64::from(value)) & ((1 << GRAM_BITS) - 1);
            if place + 1 >= COMMON_CHARACTERS {
                each(mix(u64::from(level) << GRAM_BITS | gram));
                any = true;
            }
        }
    }
    if !any {
        // At most six characters each; a bit that no gram has sets them apart.
        let join = |part: &[u8]| part.iter().fold(1, |all, &value| all << 6 | u64::from(value));
        each(mix(mix(1 << 63 | u64::from(level) << 56 | join(first)) ^ join(second)));
    }
}

/// Spreads a key over all bits (the finaliser of SplitMix64).
fn mix(key: u64) -> u64 {
    let key = (key ^ (key >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    key ^ (key >> 31)
}
