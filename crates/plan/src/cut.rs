//! Cutting a listing into contiguous ranges of about the same weight.

/// Most shards of a plan; their numbers have five digits in the names of files.
pub const SHARDS_MAX: u32 = 100_000;

/// Most parts of a file. More than there can be shards would gain nothing.
const PARTS_MAX: u64 = 1 << 16;

/// Returns the length of the parts of a file of this size where files are split that exceed `split_bytes`, a power of
/// two: that length, but more for files that would have more than 65,536 parts. `None` if the file stays whole.
pub fn part_bytes(size: u64, split_bytes: u64) -> Option<u64> {
    let least = size.div_ceil(PARTS_MAX).checked_next_power_of_two().unwrap_or(1 << 63);
    (size > split_bytes).then(|| split_bytes.max(least))
}

/// The number of shards of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// This many.
    Shards(u32),
    /// As many as it takes for a mean weight of at most this many bytes, but never more than [`SHARDS_MAX`].
    ShardBytes(u64),
}

impl Cut {
    /// Returns the number of shards for a listing of this weight, at least 1.
    pub fn shards(self, weight: u128) -> u32 {
        match self {
            Cut::Shards(shards) => shards.clamp(1, SHARDS_MAX),
            Cut::ShardBytes(bytes) => {
                let shards = weight.div_ceil(u128::from(bytes.max(1))).clamp(1, u128::from(SHARDS_MAX));
                u32::try_from(shards).unwrap_or(SHARDS_MAX)
            }
        }
    }
}

/// Returns the weight of a file: its size, and what a file costs whatever its size. At least 1, so that every file
/// counts.
pub fn weight(size: u64, per_file_bytes: u64) -> u64 {
    size.saturating_add(per_file_bytes).max(1)
}

/// Tells the shard of each entry of a listing, in its order. An entry belongs to the shard in whose part of the total
/// weight its middle lies, so a shard exceeds its share by less than the half of one entry at each end.
///
/// ```
/// let mut cutter = pfh_plan::Cutter::new(3, 6);
/// assert_eq!([1, 1, 2, 2].map(|weight| cutter.next(weight)), [0, 0, 1, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Cutter {
    shards: u32,
    total: u128,
    before: u128,
}

impl Cutter {
    /// Makes a cutter into this many shards, of a listing whose weights add up to `total`.
    pub fn new(shards: u32, total: u128) -> Cutter {
        Cutter { shards: shards.max(1), total, before: 0 }
    }

    /// Returns the number of the shard of the next entry. Numbers never decrease.
    pub fn next(&mut self, weight: u64) -> u32 {
        let twice_middle = 2 * self.before + u128::from(weight);
        self.before += u128::from(weight);
        let shard = (u128::from(self.shards) * twice_middle).checked_div(2 * self.total).unwrap_or(0);
        u32::try_from(shard).unwrap_or(u32::MAX).min(self.shards - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Shards are contiguous and in order, and none is further from its share than the heaviest entry is heavy.
        #[test]
        fn shards_are_even(weights in prop::collection::vec(1_u64..1_000_000, 0..300), shards in 1_u32..400) {
            let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
            let heaviest = u128::from(weights.iter().copied().max().unwrap_or(0));
            let mut cutter = Cutter::new(shards, total);
            let mut of_shard = vec![0_u128; shards as usize];
            let mut last = 0;
            for &weight in &weights {
                let shard = cutter.next(weight);
                prop_assert!(shard >= last && shard < shards);
                last = shard;
                of_shard[shard as usize] += u128::from(weight);
            }
            for weight in of_shard {
                // Both sides times the number of shards, to stay with integers.
                let apart = (weight * u128::from(shards)).abs_diff(total);
                prop_assert!(apart <= heaviest * u128::from(shards), "{weight} of {total} in {shards}");
            }
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let mut cutter = Cutter::new(SHARDS_MAX, u128::from(u64::MAX) * 3);
        let shards: Vec<u32> = (0..3).map(|_| cutter.next(u64::MAX)).collect();
        assert_eq!(shards, [16_666, 50_000, 83_333]);
        // A listing that is longer than it should be stays within the shards.
        assert_eq!(cutter.next(u64::MAX), SHARDS_MAX - 1);
        assert_eq!(Cutter::new(0, 0).next(5), 0);
        assert_eq!(weight(0, 0), 1);
        assert_eq!(weight(u64::MAX, 1), u64::MAX);
    }

    #[test]
    fn parts_are_not_too_many() {
        const MIB: u64 = 1 << 20;
        assert_eq!([MIB, MIB + 1, 1 << 36].map(|size| part_bytes(size, MIB)), [None, Some(MIB), Some(MIB)]);
        assert_eq!(part_bytes((1 << 36) + 1, MIB), Some(2 * MIB));
        for split in [MIB, 1 << 40, 1 << 63] {
            let bytes = part_bytes(u64::MAX, split).unwrap();
            assert!(bytes.is_power_of_two() && u64::MAX.div_ceil(bytes) <= PARTS_MAX, "{split}");
        }
    }

    #[test]
    fn the_number_of_shards_follows_from_their_weight() {
        let cases =
            [(10, 0, 1), (10, 1, 1), (10, 10, 1), (10, 11, 2), (0, 5, 5), (1, u128::from(u64::MAX), SHARDS_MAX)];
        for (bytes, weight, shards) in cases {
            assert_eq!(Cut::ShardBytes(bytes).shards(weight), shards, "{bytes} {weight}");
        }
        assert_eq!([0, 7, u32::MAX].map(|shards| Cut::Shards(shards).shards(3)), [1, 7, SHARDS_MAX]);
    }
}
