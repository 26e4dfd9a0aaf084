//! The rank of the entropy of each window of 64 bytes (sdhash).
//!
//! A window's entropy is the sum, over all byte values, of what a table has for how often the value occurs. When the
//! window slides on, it changes by what the byte that enters adds and the byte that leaves takes away. With counts in
//! memory, that is seven loads and three stores a position, at random places. With AVX-512, the counts are not kept but
//! found, for [`WINDOWS`] at once (module `occurrences`), and so are the sums (module `sums`).
//!
//! Source: V. Roussev, "Data fingerprinting with similarity digests", Advances in Digital Forensics VI, 2010.
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

#[cfg(target_arch = "x86_64")]
mod occurrences;
#[cfg(target_arch = "x86_64")]
mod sums;

use crate::Backend;
#[cfg(target_arch = "x86_64")]
use crate::bytes64;
use crate::kernels::kernels;

/// Bytes of a window.
pub const WINDOW_BYTES: usize = 64;

/// The number of windows that is best given at once, or a multiple of it: those of 4096 bytes that another byte
/// follows.
pub const WINDOWS: usize = 4096 - WINDOW_BYTES;

/// Lowest bits of an entropy, on which its rank does not depend.
const FRACTION_BITS: u32 = 10;

/// The step by which one more occurrence of a byte raises an entropy, and the rank of each entropy. A rank may be any
/// number: this module only looks it up.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The step that one more occurrence adds, by the number of occurrences before; up to all that a byte can count, so
    /// that no index can be wrong.
    steps: [i32; 256],
    rank: [i16; Tables::RANKS],
}

impl Tables {
    const RANKS: usize = 1 << 10;

    /// `entropy` is what a byte value adds to the entropy of a window by the number of its occurrences. An entropy of
    /// `e` has the rank at `e / 1024`.
    ///
    /// # Panics
    /// When a value that does not occur adds anything, when there can be an entropy of 2²⁰ or more, or when one more
    /// occurrence changes it by 2¹⁵ or more.
    pub const fn new(entropy: &[u32; WINDOW_BYTES + 1], rank: [i16; Tables::RANKS]) -> Tables {
        assert!(entropy[0] == 0, "what does not occur adds nothing");
        let mut steps = [0; 256];
        let mut count = 0;
        while count < WINDOW_BYTES {
            // The share of one byte, were all of the window's bytes to add as much.
            assert!(entropy[count + 1] as u64 * (WINDOW_BYTES as u64) < (count as u64 + 1) << 20, "below 2²⁰");
            steps[count] = entropy[count + 1].wrapping_sub(entropy[count]).cast_signed();
            assert!(steps[count] as i16 as i32 == steps[count], "a step fits 16 bits");
            count += 1;
        }
        Tables { steps, rank }
    }

    #[inline(always)]
    fn rank(&self, entropy: u32) -> i16 {
        self.rank[(entropy >> FRACTION_BITS) as usize % Tables::RANKS]
    }
}

kernels! {
    /// Kernels that rank windows.
    pub struct Kernels {
        Avx512 = "avx512", bytes64::AVX512;
    }
}

impl Kernels {
    /// Returns the kernels of a backend.
    pub fn new(backend: Backend) -> Kernels {
        Kernels::best(backend.features())
    }

    /// The rank of the entropy of each of the first windows of `bytes`, as many as `ranks` has room for.
    ///
    /// # Panics
    /// When `bytes` does not go on for [`WINDOW_BYTES`] after the beginning of the last window.
    pub fn ranks(self, tables: &Tables, bytes: &[u8], ranks: &mut [i16]) {
        assert!(bytes.len() >= ranks.len() + WINDOW_BYTES, "there is a window for each rank and a byte behind it");
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe { sums::ranks(tables, bytes, ranks) },
            Form::Portable => slide(tables, bytes, ranks),
        }
    }
}

/// Position after position.
fn slide(tables: &Tables, bytes: &[u8], ranks: &mut [i16]) {
    // Two windows slide side by side: the counts of one change while the other's are waited for.
    let half = ranks.len() / 2;
    let (first, second) = ranks.split_at_mut(half);
    let (mut one, mut other) = (Window::new(tables, bytes), Window::new(tables, &bytes[half..]));
    let steps = |from: usize| bytes[from..].iter().zip(&bytes[from + WINDOW_BYTES..]);
    let pairs = first.iter_mut().zip(steps(0)).zip(second.iter_mut().zip(steps(half)));
    for ((first, step), (second, other_step)) in pairs {
        *first = tables.rank(one.entropy);
        *second = tables.rank(other.entropy);
        one.slide(step);
        other.slide(other_step);
    }
    // An odd position is left.
    for (rank, step) in second[half..].iter_mut().zip(steps(2 * half)) {
        *rank = tables.rank(other.entropy);
        other.slide(step);
    }
}

/// A window's bytes, by value, and its entropy.
struct Window<'t> {
    tables: &'t Tables,
    counts: [u8; 256],
    /// In wrapping arithmetic. It is exact, since the sum itself is never below 0.
    entropy: u32,
}

impl Window<'_> {
    /// The first one of `bytes`.
    fn new<'t>(tables: &'t Tables, bytes: &[u8]) -> Window<'t> {
        let mut window = Window { tables, counts: [0; 256], entropy: 0 };
        bytes[..WINDOW_BYTES].iter().for_each(|&byte| window.enter(byte));
        window
    }

    #[inline(always)]
    fn slide(&mut self, (&leaving, &entering): (&u8, &u8)) {
        let count = &mut self.counts[usize::from(leaving)];
        *count = count.wrapping_sub(1);
        self.entropy = self.entropy.wrapping_add_signed(-self.tables.steps[usize::from(*count)]);
        self.enter(entering);
    }

    #[inline(always)]
    fn enter(&mut self, byte: u8) {
        let count = &mut self.counts[usize::from(byte)];
        self.entropy = self.entropy.wrapping_add_signed(self.tables.steps[usize::from(*count)]);
        *count = count.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::{Kernels, Tables, WINDOW_BYTES, WINDOWS};
    use crate::Backend;
    use crate::testing::numbers;

    /// Any entropy will do that keeps its bounds; each rank is another one.
    fn tables() -> ([u32; WINDOW_BYTES + 1], Tables) {
        let entropy = std::array::from_fn(|count| (count * (WINDOW_BYTES - count) * 255 + count) as u32);
        (entropy, Tables::new(&entropy, std::array::from_fn(|at| at as i16 - 300)))
    }

    fn is_counted(bytes: &[u8], windows: usize) {
        let (entropy, tables) = tables();
        let rank = |window: &[u8]| {
            let mut counts = [0; 256];
            window.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
            (counts.map(|count: usize| entropy[count]).iter().sum::<u32>() >> 10) as i16 - 300
        };
        let expected: Vec<i16> = bytes.windows(WINDOW_BYTES).take(windows).map(rank).collect();
        for kernels in Kernels::offered() {
            let mut ranks = vec![0; windows];
            kernels.ranks(&tables, bytes, &mut ranks);
            assert_eq!(ranks, expected, "{kernels:?}");
        }
    }

    #[test]
    fn sliding_is_counting() {
        for seed in 0..200 {
            let mut next = numbers(seed);
            let length = 64 + next(12_000) as usize;
            let mut bytes = Vec::new();
            while bytes.len() < length {
                // Noise, few values, and runs of one, which may be as long as some windows.
                let (values, byte) = ([256, 4, 1][next(3) as usize], next(256) as u8);
                let longest = [1000, 300, 90][next(3) as usize];
                let part = next(longest);
                bytes.extend((0..part).map(|_| byte.wrapping_add(next(values) as u8)));
            }
            is_counted(&bytes[..length], length - WINDOW_BYTES);
        }
    }

    #[test]
    fn all_lengths_around_those_that_are_counted_together() {
        let bytes: Vec<u8> =
            (0..3 * 4096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> (at / 1000 % 16 + 16)) as u8).collect();
        let around = |windows: usize| windows - 3..windows + 70;
        for windows in
            (0..70).chain(around(WINDOWS / 2)).chain(around(WINDOWS)).chain([2 * WINDOWS - 1, 2 * WINDOWS + 1, 12_000])
        {
            is_counted(&bytes[..windows + WINDOW_BYTES], windows);
            is_counted(&bytes, windows);
        }
    }

    #[test]
    #[should_panic(expected = "a window for each rank")]
    fn too_few_bytes() {
        Kernels::new(Backend::chosen()).ranks(&tables().1, &[0; 64], &mut [0]);
    }
}
