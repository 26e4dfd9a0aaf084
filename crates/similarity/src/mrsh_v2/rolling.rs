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

/// Bytes of a window: one more than count, so that it is a word.
pub(super) const WINDOW_BYTES: usize = 8;

/// Puts a byte behind the latest ones: the highest byte of a window is the latest.
pub(super) fn roll(window: u64, byte: u8) -> u64 {
    window >> 8 | u64::from(byte) << 56
}

/// True where a chunk ends with the latest byte of the window.
#[inline]
pub(super) fn ends_chunk(window: u64) -> bool {
    // Every second byte in 16 bits: the highest of them gets the sum of the products, and no sum is too large for its place.
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

/// Positions whose marks are looked at together.
const GROUP: usize = 64;

/// Appends to `positions` all positions where a chunk ends with a window that lies in `bytes`. `marks` is room for one byte
/// for each of `bytes`, rounded up to groups of 64.
pub(super) fn ends_of_chunks(bytes: &[u8], marks: &mut [u8], positions: &mut Vec<usize>) {
    mark(bytes, marks);
    for (group, marks) in marks.as_chunks::<GROUP>().0.iter().take(bytes.len().div_ceil(GROUP)).enumerate() {
        let mut set = bits_of(marks);
        while set != 0 {
            let at = group * GROUP + set.trailing_zeros() as usize;
            set &= set - 1;
            if bytes[..=at].last_chunk().is_some_and(|window| ends_chunk(u64::from_le_bytes(*window))) {
                positions.push(at);
            }
        }
    }
}

/// Marks with 1 each position where the lowest bits let a chunk end, all others with 0.
fn mark(bytes: &[u8], marks: &mut [u8]) {
    marks[..WINDOW_BYTES - 1].fill(0);
    let positions = (bytes.len() + 1).saturating_sub(WINDOW_BYTES);
    let behind = |age: usize| bytes.get(WINDOW_BYTES - 1 - age..).map_or(&[][..], |bytes| &bytes[..positions]);
    let [c0, c1, c2, c3, c4, c5, c6] = [0, 1, 2, 3, 4, 5, 6].map(behind);
    let (now, after) = marks[WINDOW_BYTES - 1..].split_at_mut(positions);
    for (at, mark) in now.iter_mut().enumerate() {
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
    let rest = after.len().min(GROUP);
    after[..rest].fill(0);
}

/// Bytes of 0 and 1 as bits.
fn bits_of(marks: &[u8; GROUP]) -> u64 {
    // The product moves byte `i` to bit `56 + i`; nothing else reaches the highest byte.
    let bits = |mark: &[u8; 8]| u64::from_le_bytes(*mark).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    marks.as_chunks::<8>().0.iter().zip(0..).fold(0, |set, (mark, place)| set | bits(mark) << (8 * place))
}

#[cfg(test)]
mod tests {
    use super::{WINDOW_BYTES, ends_chunk, ends_of_chunks, roll};

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
        let mut expected = Vec::new();
        for (at, &byte) in bytes.iter().enumerate() {
            window = roll(window, byte);
            let r = rolling.roll(byte);
            assert_eq!(ends_chunk(window), r % 160 == 159, "at {at}");
            if r % 160 == 159 {
                expected.push(at);
            }
        }
        assert!(expected.len() > 1000);
        // Lengths around the edges, with marks of before.
        let mut marks = vec![1; bytes.len().next_multiple_of(64)];
        for length in (0..300).chain([4095, 4096, bytes.len()]) {
            let mut found = Vec::new();
            ends_of_chunks(&bytes[..length], &mut marks, &mut found);
            let seen = expected.iter().copied().filter(|&at| at + 1 >= WINDOW_BYTES && at < length);
            assert_eq!(found, seen.collect::<Vec<_>>(), "{length}");
        }
    }
}
