//! The rolling hash that decides where pieces end.
//!
//! As defined, three sums are updated with every byte. But the hash depends on the latest seven bytes only, so that it
//! can be computed at any place by itself: with c₀ the latest byte and c₆ the oldest, `r = Σ (8 − j)·cⱼ + ⊕ cⱼ·2^(5j)`
//! modulo 2³². Places therefore need not be examined in order, and for most of them the lowest eight bits suffice to
//! see that no piece ends there: those are computed for 64 places at once, in bytes, by a loop that compilers turn into
//! vector instructions.

/// Bytes that the hash depends on.
pub(super) const WINDOW_BYTES: usize = 7;

/// Places that are examined together.
pub(super) const PLACES: usize = 64;

/// The hash of a window, oldest byte first.
pub(super) fn rolling_hash(window: &[u8; WINDOW_BYTES]) -> u32 {
    let (mut sum, mut mixed) = (0, 0);
    for (weight, &byte) in (2_u32..).zip(window) {
        sum += weight * u32::from(byte);
        mixed = (mixed << 5) ^ u32::from(byte);
    }
    mixed.wrapping_add(sum)
}

/// The level up to which a piece ends at a place with this hash: levels from 0 to it, or none.
///
/// A piece of level k ends where `hash + 1`, unless it is 0, is divisible by 3·2ᵏ.
pub(super) fn trigger_level(hash: u32) -> Option<usize> {
    let value = hash.wrapping_add(1);
    (value != 0 && value.is_multiple_of(3)).then_some(value.trailing_zeros() as usize)
}

/// The lowest eight bits of `hash + 1` at the 64 places that end a window in `bytes`.
pub(super) fn low_bits(bytes: &[u8; PLACES + WINDOW_BYTES - 1]) -> [u8; PLACES] {
    let mut low = [0; PLACES];
    for (place, low) in low.iter_mut().enumerate() {
        // The weights 8 to 2, as sums of sums: the latest byte is in all seven of them and counted once more at the
        // end.
        let mut sum = bytes[place + 6];
        let mut sums = sum;
        for back in 1..WINDOW_BYTES {
            sum = sum.wrapping_add(bytes[place + 6 - back]);
            sums = sums.wrapping_add(sum);
        }
        let mixed = bytes[place + 6] ^ (bytes[place + 5] << 5);
        *low = sums.wrapping_add(sum).wrapping_add(mixed).wrapping_add(1);
    }
    low
}

/// The places where none of the bits in `mask` is set, as a set of bits.
pub(super) fn places_without(low: &[u8; PLACES], mask: u8) -> u64 {
    const LOW_SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let mut places = 0;
    for (group, bytes) in low.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(*bytes) & (0x0101_0101_0101_0101 * u64::from(mask));
        // The highest bit of each byte says that the byte is zero; the product collects these bits in its highest byte.
        let zero = !(((word & LOW_SEVEN) + LOW_SEVEN) | word) & !LOW_SEVEN;
        places |= ((zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * group);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: three sums, updated with every byte.
    fn defined(bytes: &[u8]) -> Vec<u32> {
        let (mut h1, mut h2, mut h3, mut window) = (0_u32, 0_u32, 0_u32, [0_u8; 7]);
        let hash = |(n, &byte): (usize, &u8)| {
            let byte = u32::from(byte);
            h2 = h2.wrapping_sub(h1).wrapping_add(7 * byte);
            h1 = h1.wrapping_add(byte).wrapping_sub(u32::from(window[n % 7]));
            window[n % 7] = byte as u8;
            h3 = (h3 << 5) ^ byte;
            h1.wrapping_add(h2).wrapping_add(h3)
        };
        bytes.iter().enumerate().map(hash).collect()
    }

    #[test]
    fn windows_alone_give_the_defined_hash() {
        let mut bytes = vec![0; 6];
        bytes.extend((0..500_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8));
        bytes.extend([255; 70]);
        let defined = defined(&bytes[6..]);
        for (place, window) in bytes.windows(7).enumerate() {
            assert_eq!(rolling_hash(window.try_into().expect("seven bytes")), defined[place], "at {place}");
        }
        for start in 0..defined.len() - 64 {
            let low = low_bits(bytes[start..][..70].try_into().expect("seventy bytes"));
            for (place, low) in low.into_iter().enumerate() {
                assert_eq!(low, defined[start + place].wrapping_add(1) as u8);
            }
        }
    }

    #[test]
    fn places_are_found_by_their_bits() {
        let low: [u8; PLACES] = std::array::from_fn(|i| (i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3]);
        for mask in 0..=255 {
            let expected = (0..PLACES).filter(|&place| low[place] & mask == 0).fold(0, |set, place| set | 1 << place);
            assert_eq!(places_without(&low, mask), expected, "{mask:#x}");
        }
    }

    #[test]
    fn levels_are_those_whose_block_size_divides() {
        for hash in (0..20_000).chain([u32::MAX, u32::MAX - 1, (3 << 30) - 1]) {
            let divides = |level: usize| hash != u32::MAX && (u64::from(hash) + 1) % (3 << level) == 0;
            let highest = (0..31).take_while(|&level| divides(level)).last();
            assert_eq!(trigger_level(hash), highest, "{hash}");
        }
    }
}
