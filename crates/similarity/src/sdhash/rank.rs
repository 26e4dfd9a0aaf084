//! Step 1: how improbable the 64 bytes at each position are.

use pfh_digest::popularity::NO_COST;

use super::tables::{ENTROPY, RANK};
use super::window::FEATURE_BYTES;

/// A rank as a number of which the least is the best one: rank 0 comes last, as [`NO_COST`].
pub(super) const fn cost(rank: u16) -> i16 {
    ((rank.wrapping_sub(1) << 6) ^ 0x8000) as i16
}

/// [`cost`] of each rank; up to a power of two, so that no index can be wrong.
const COST: [i16; 1024] = {
    let mut table = [NO_COST; 1024];
    let mut index = 0;
    while index < RANK.len() {
        table[index] = cost(RANK[index]);
        index += 1;
    }
    table
};

/// What one more occurrence adds to the entropy of a window, by the number of occurrences before.
const STEP: [u32; 256] = {
    let mut table = [0; 256];
    let mut count = 0;
    while count < FEATURE_BYTES {
        table[count] = ENTROPY[count + 1].wrapping_sub(ENTROPY[count]);
        count += 1;
    }
    table
};

/// The cost of each position of `out`; `bytes` goes on for 64 bytes behind the last one.
pub(super) fn costs(bytes: &[u8], out: &mut [i16]) {
    // Two windows slide side by side: the counts of one change while the other's are waited for.
    let half = out.len() / 2;
    let (first, second) = out.split_at_mut(half);
    let (mut one, mut other) = (Counts::of(bytes), Counts::of(&bytes[half..]));
    let steps = |from: usize| bytes[from..].iter().zip(&bytes[from + FEATURE_BYTES..]);
    let pairs = first.iter_mut().zip(steps(0)).zip(second.iter_mut().zip(steps(half)));
    for ((first, step), (second, other_step)) in pairs {
        *first = one.cost();
        *second = other.cost();
        one.slide(step);
        other.slide(other_step);
    }
    // An odd position is left.
    for (cost, step) in second[half..].iter_mut().zip(steps(2 * half)) {
        *cost = other.cost();
        other.slide(step);
    }
}

/// A window's bytes, by value, and its entropy.
struct Counts {
    counts: [u8; 256],
    /// In wrapping arithmetic, which takes steps down as well. It is exact: the sum itself never leaves 0..=1,024,000.
    entropy: u32,
}

impl Counts {
    /// Of the first window of `bytes`.
    fn of(bytes: &[u8]) -> Counts {
        let mut window = Counts { counts: [0; 256], entropy: 0 };
        bytes[..FEATURE_BYTES].iter().for_each(|&byte| window.enter(byte));
        window
    }

    #[inline(always)]
    fn cost(&self) -> i16 {
        COST[(self.entropy >> 10) as usize % COST.len()]
    }

    #[inline(always)]
    fn slide(&mut self, (&leaving, &entering): (&u8, &u8)) {
        let count = &mut self.counts[usize::from(leaving)];
        *count = count.wrapping_sub(1);
        self.entropy = self.entropy.wrapping_sub(STEP[usize::from(*count)]);
        self.enter(entering);
    }

    #[inline(always)]
    fn enter(&mut self, byte: u8) {
        let count = &mut self.counts[usize::from(byte)];
        self.entropy = self.entropy.wrapping_add(STEP[usize::from(*count)]);
        *count = count.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{cost, costs};
    use crate::sdhash::tables::{ENTROPY, RANK};

    proptest! {
        #[test]
        fn sliding_is_counting(runs in vec((any::<u8>(), 1..40_usize), 0..60), noise in vec(any::<u8>(), 65..300)) {
            let repeated = runs.into_iter().flat_map(|(byte, length)| vec![byte; length]);
            let bytes: Vec<u8> = repeated.chain(noise).collect();
            let mut found = vec![0; bytes.len() - 64];
            costs(&bytes, &mut found);
            for (window, found) in bytes.windows(64).zip(found) {
                let counts = (0..=u8::MAX).map(|value| window.iter().filter(|&&byte| byte == value).count());
                let entropy: u32 = counts.map(|count| ENTROPY[count]).sum();
                assert_eq!(found, cost(RANK[(entropy >> 10) as usize]));
            }
        }
    }
}
