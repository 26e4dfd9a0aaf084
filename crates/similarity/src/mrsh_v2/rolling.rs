//! Where chunks end.
//!
//! The rolling hash of ssdeep depends on nothing but the latest seven bytes, so every position can be looked at by itself, and
//! many at once. With `c0` the latest byte, in 32 bits:
//!
//! ```text
//! r = 8 c0 + 7 c1 + 6 c2 + 5 c3 + 4 c4 + 3 c5 + 2 c6 + (c0 ^ c1 << 5 ^ c2 << 10 ^ c3 << 15 ^ c4 << 20 ^ c5 << 25 ^ c6 << 30)
//! ```
//!
//! A chunk ends where r mod 160 is 159. That takes r mod 32 to be 31, which the lowest bits of sums of bytes tell: one position
//! of 32 is left to look at.

/// Positions behind the first byte of [`candidates`] that have no seven bytes before them.
pub(super) const WINDOW_BYTES: usize = 8;

/// Puts a byte behind the latest ones: the highest byte of a window is the latest.
pub(super) fn roll(window: u64, byte: u8) -> u64 {
    window >> 8 | u64::from(byte) << 56
}

/// True where a chunk ends with the latest byte of the window.
#[inline]
pub(super) fn ends_chunk(window: u64) -> bool {
    let byte = |age: u32| (window >> (56 - 8 * age)) as u8;
    let c = [0, 1, 2, 3, 4, 5, 6].map(|age| u32::from(byte(age)));
    let sum = 8 * c[0] + 7 * c[1] + 6 * c[2] + 5 * c[3] + 4 * c[4] + 3 * c[5] + 2 * c[6];
    let mixed = c[0] ^ c[1] << 5 ^ c[2] << 10 ^ c[3] << 15 ^ c[4] << 20 ^ c[5] << 25 ^ c[6] << 30;
    sum.wrapping_add(mixed) % 160 == 159
}

/// Marks with 1 each position, from `WINDOW_BYTES - 1` on, where a chunk can end.
pub(super) fn candidates(bytes: &[u8], marks: &mut [u8]) {
    let Some(positions) = (bytes.len() + 1).checked_sub(WINDOW_BYTES) else { return };
    let behind = |age: usize| &bytes[WINDOW_BYTES - 1 - age..][..positions];
    let [c0, c1, c2, c3, c4, c5, c6] = [0, 1, 2, 3, 4, 5, 6].map(behind);
    for (at, mark) in marks[WINDOW_BYTES - 1..][..positions].iter_mut().enumerate() {
        // Each sum is one of those that make up the weights; all that counts is their lowest five bits.
        let sum0 = c0[at];
        let sum1 = sum0.wrapping_add(c1[at]);
        let sum2 = sum1.wrapping_add(c2[at]);
        let sum3 = sum2.wrapping_add(c3[at]);
        let sum4 = sum3.wrapping_add(c4[at]);
        let sum5 = sum4.wrapping_add(c5[at]);
        let sum6 = sum5.wrapping_add(c6[at]);
        let low = [sum0, sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum6].into_iter().fold(0, u8::wrapping_add);
        *mark = u8::from(low & 31 == 31);
    }
}

#[cfg(test)]
mod tests {
    use super::{WINDOW_BYTES, candidates, ends_chunk, roll};

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
        let mut marks = vec![0; bytes.len()];
        candidates(&bytes, &mut marks);
        let mut ends = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            window = roll(window, byte);
            let r = rolling.roll(byte);
            assert_eq!(ends_chunk(window), r % 160 == 159, "at {at}");
            ends += u32::from(r % 160 == 159);
            if at + 1 >= WINDOW_BYTES {
                assert_eq!(marks[at] == 1, r % 32 == 31, "at {at}");
            }
        }
        assert!(ends > 1000, "{ends}");
    }
}
