//! The ends of chunks.
//!
//! The rolling hash of ssdeep depends only on the latest seven bytes that it was fed, and skipped bytes are not among
//! them. So every position can be examined by itself, and many at once (`pfh_vector::ctph`), but for the first ones
//! after a gap, whose windows have bytes of both sides. With `c0` the latest byte, in 32 bits:
//!
//! ```text
//! r = 8 c0 + 7 c1 + 6 c2 + 5 c3 + 4 c4 + 3 c5 + 2 c6
//!     + (c0 ^ c1 << 5 ^ c2 << 10 ^ c3 << 15 ^ c4 << 20 ^ c5 << 25 ^ c6 << 30)
//! ```
//!
//! A chunk ends where r mod 160 is 159.

/// Bytes of a window that count. One more makes it a word.
pub(super) const WINDOW_BYTES: usize = 7;

/// The window after the first `bytes` of the next eight bytes: as a number, the latest byte is the highest one.
pub(super) fn roll(window: u64, next: u64, bytes: usize) -> u64 {
    ((u128::from(next) << 64 | u128::from(window)) >> (8 * bytes)) as u64
}

/// True where a chunk ends with the latest byte of the window.
#[inline]
pub(super) fn ends_chunk(window: u64) -> bool {
    // Every second byte in 16 bits: the highest of them gets the sum of the products, and no sum is too large for its
    // place.
    const LOW: u64 = 0x00FF_00FF_00FF_00FF;
    const EVEN_AGES: u64 = 2 << 48 | 4 << 32 | 6 << 16 | 8;
    const ODD_AGES: u64 = 3 << 32 | 5 << 16 | 7;
    let sum = ((window >> 8 & LOW).wrapping_mul(EVEN_AGES) >> 48) + ((window & LOW).wrapping_mul(ODD_AGES) >> 48);
    if (sum + (window >> 56)) % 32 != 31 {
        return false;
    }
    let c = [0, 1, 2, 3, 4, 5, 6].map(|age: u32| u32::from((window >> (56 - 8 * age)) as u8));
    let mixed = c[0] ^ c[1] << 5 ^ c[2] << 10 ^ c[3] << 15 ^ c[4] << 20 ^ c[5] << 25 ^ c[6] << 30;
    (sum as u32).wrapping_add(mixed) % 5 == 4
}

/// After which of the next seven bytes a chunk may end, as far as the lowest five bits tell: the highest bits of their
/// places.
///
/// Of all seven at once: numbers are multiplied like polynomials if nothing is carried, and in 16 bits nothing is. So a
/// product with the weights has the sums of many windows. A byte needs the place of two, so there are products of the
/// even bytes with the even weights, and so on.
#[inline]
pub(super) fn near_ends(window: u64, next: u64) -> u64 {
    const LOW: u64 = 0x00FF_00FF_00FF_00FF;
    const EVEN_WEIGHTS: u64 = 2 << 48 | 4 << 32 | 6 << 16 | 8;
    const ODD_WEIGHTS: u64 = 3 << 32 | 5 << 16 | 7;
    const ONES: u64 = 0x0001_0001_0001_0001;
    let product = |bytes: u64, weights: u64| u128::from(bytes & LOW) * u128::from(weights);
    let low = |bytes: u64, weights: u64| (bytes & LOW).wrapping_mul(weights);
    // The upper half reaches over from the window.
    let even = (product(window, EVEN_WEIGHTS) >> 64) as u64
        + (product(window >> 8, ODD_WEIGHTS) >> 48) as u64
        + low(next, EVEN_WEIGHTS)
        + (low(next >> 8, ODD_WEIGHTS) << 16);
    let odd = (product(window >> 8, EVEN_WEIGHTS) >> 64) as u64
        + (product(window, ODD_WEIGHTS) >> 64) as u64
        + low(next >> 8, EVEN_WEIGHTS)
        + low(next, ODD_WEIGHTS);
    // The latest byte counts once more. A byte that leaves 31 becomes 128.
    let near = |sums: u64, latest: u64| 128 * ONES - ((sums + (latest & LOW) + ONES) & (31 * ONES));
    (near(even, next) & (128 * ONES) | (near(odd, next >> 8) & (128 * ONES)) << 8) & u64::MAX >> 8
}

#[cfg(test)]
mod tests {
    use super::{ends_chunk, near_ends, roll};

    #[test]
    fn seven_windows_at_once() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // High bytes too.
            if state >> 60 == 0 { u64::MAX } else { (state >> 32).wrapping_mul(state >> 31) }
        };
        // By the lowest five bits, which the mixed part takes from the latest byte alone.
        let is_near = |window: u64| {
            let bytes = window.to_le_bytes().map(u32::from);
            ((2..9).map(|weight| weight * bytes[weight as usize - 1]).sum::<u32>() + bytes[7]) % 32 == 31
        };
        let mut count = 0;
        for _ in 0..20_000 {
            let (window, next) = (next(), next());
            let near = near_ends(window, next);
            for bytes in 1..=7 {
                let window = roll(window, next, bytes);
                assert_eq!(near >> (8 * bytes - 1) & 1 == 1, is_near(window));
                assert!(is_near(window) || !ends_chunk(window));
            }
            assert_eq!(near & !0x0080_8080_8080_8080, 0);
            count += near.count_ones();
        }
        assert!(count > 1000);
    }

    /// The rolling hash as it is defined, one byte after the other.
    #[derive(Default)]
    struct Rolling {
        h1: u32,
        h2: u32,
        h3: u32,
        window: [u8; 7],
        count: usize,
    }

    impl Rolling {
        fn roll(&mut self, byte: u8) -> u32 {
            self.h2 = self.h2.wrapping_sub(self.h1).wrapping_add(7 * u32::from(byte));
            let oldest = std::mem::replace(&mut self.window[self.count % 7], byte);
            self.h1 = self.h1.wrapping_add(u32::from(byte)).wrapping_sub(u32::from(oldest));
            self.count += 1;
            self.h3 = (self.h3 << 5) ^ u32::from(byte);
            self.h1.wrapping_add(self.h2).wrapping_add(self.h3)
        }
    }

    #[test]
    fn a_window_tells_what_rolling_tells() {
        let mut state = 7_u32;
        let bytes: Vec<u8> = (0..200_000)
            .map(|index| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // High bytes too, and stretches of few values.
                if index % 1000 < 500 { (state >> 24) as u8 } else { 250 + (state >> 30) as u8 }
            })
            .collect();
        let (mut rolling, mut window) = (Rolling::default(), 0);
        let mut ends = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            window = roll(window, byte.into(), 1);
            let r = rolling.roll(byte);
            assert_eq!(ends_chunk(window), r % 160 == 159, "at {at}");
            ends += usize::from(r % 160 == 159);
        }
        assert!(ends > 1000);
    }
}
