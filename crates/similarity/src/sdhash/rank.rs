//! Step 1: how improbable the 64 bytes at each position are.

use pfh_vector::sdhash_popularity::NO_COST;
use pfh_vector::sdhash_rank::{Kernels, Tables};

use super::tables::{ENTROPY, RANK};

/// A rank as a number of which the least is the best one: rank 0 comes last, as [`NO_COST`].
pub(super) const fn cost(rank: u16) -> i16 {
    ((rank.wrapping_sub(1) << 6) ^ 0x8000) as i16
}

/// The tables of the definition, with the [`cost`] of each rank in its place.
static COSTS: Tables = {
    let mut costs = [NO_COST; 1024];
    let mut index = 0;
    while index < RANK.len() {
        costs[index] = cost(RANK[index]);
        index += 1;
    }
    Tables::new(&ENTROPY, costs)
};

/// The cost of each position of `out`; `bytes` goes on for 64 bytes after the last one.
pub(super) fn costs(kernels: Kernels, bytes: &[u8], out: &mut [i16]) {
    kernels.ranks(&COSTS, bytes, out);
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{Kernels, cost, costs};
    use crate::sdhash::tables::{ENTROPY, RANK};

    proptest! {
        #[test]
        fn sliding_is_counting(runs in vec((any::<u8>(), 1..40_usize), 0..60), noise in vec(any::<u8>(), 65..300)) {
            let repeated = runs.into_iter().flat_map(|(byte, length)| vec![byte; length]);
            let bytes: Vec<u8> = repeated.chain(noise).collect();
            for kernels in Kernels::offered() {
                let mut found = vec![0; bytes.len() - 64];
                costs(kernels, &bytes, &mut found);
                for (window, found) in bytes.windows(64).zip(found) {
                    let counts = (0..=u8::MAX).map(|value| window.iter().filter(|&&byte| byte == value).count());
                    let entropy: u32 = counts.map(|count| ENTROPY[count]).sum();
                    assert_eq!(found, cost(RANK[(entropy >> 10) as usize]), "{kernels:?}");
                }
            }
        }
    }
}
