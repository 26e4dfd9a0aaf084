//! The hasher: bytes in, digest out.

use std::cell::RefCell;

use pfh_vector::Backend;
use pfh_vector::tlsh_triplets::{BUCKETS, Counter, HISTORY_BYTES, Kernels, PEARSON, WINDOWS_MAX};

use super::length::{self, BYTES_MAX};
use super::{BODY_BYTES, Digest};
use crate::{Family, NoDigest, NoDigestReason};

/// Length of the shortest input that has a digest, in bytes.
pub const MINIMUM_BYTES: u64 = 50;

const _: () = assert!(matches!(Family::Tlsh.maximum_bytes(), Some(BYTES_MAX)));

/// More buckets than this must have been hit.
const BUCKETS_HIT_MIN: usize = BUCKETS / 2;

/// Bytes that are counted in tables of 16 bits.
const PART_BYTES_MAX: usize = 1 << 15;

/// Triplets that a window contributes.
const TRIPLETS: usize = 6;

/// The hash of a triplet is `P[P[P[P[salt] ⊕ latest] ⊕ middle] ⊕ oldest]`. This is `P[P[salt] ⊕ latest]` for each
/// latest byte and each salt, lowest byte first: (2, 3, 11), whose middle byte is the second latest; (5, 7): the third;
/// (13): the fourth; and, with the second again, 0 of the checksum.
const FIRST_HALF: [u64; 256] = {
    const SALTS: [u8; TRIPLETS + 1] = [2, 3, 11, 5, 7, 13, 0];
    let mut table = [0; 256];
    let mut latest = 0;
    while latest < 256 {
        let mut index = 0;
        while index < SALTS.len() {
            let half = PEARSON[(PEARSON[SALTS[index] as usize] ^ latest as u8) as usize];
            table[latest] |= (half as u64) << (8 * index);
            index += 1;
        }
        latest += 1;
    }
    table
};

/// Length in bytes from which counting many windows at once is faster.
const VECTORS_PAY_BYTES: usize = 2 << 10;

thread_local! {
    // It keeps nothing from one call to the next.
    static VECTORS: RefCell<Option<Vectors>> = const { RefCell::new(None) };
}

/// The counter of many windows at once, and room for their steps of the checksum.
struct Vectors {
    kernels: Kernels,
    counter: Counter,
    steps: Box<[u8; WINDOWS_MAX]>,
}

impl Vectors {
    /// `None` where they gain nothing.
    fn new(kernels: Kernels) -> Option<Vectors> {
        Some(Vectors { kernels, counter: Counter::new(kernels)?, steps: Box::new([0; WINDOWS_MAX]) })
    }
}

/// Makes one digest from pieces of any sizes. Memory: some 2 KiB.
///
/// Long pieces are counted by vectors where this CPU has them (`pfh_vector::tlsh_triplets`). For others:
///
/// As defined, a triplet takes four look-ups in Pearson's permutation, and there are six for each byte. The first two
/// look-ups of all triplets are joined in one table of words. The last is left out: it permutes the buckets and is the
/// same for all triplets, so that buckets can be counted under the name they have before it, and be renamed in the end.
/// Each of the six counts in a table of its own, since a processor that increments what it incremented a moment ago
/// must wait.
#[derive(Clone, Debug)]
pub struct Hasher {
    kernels: Kernels,
    bytes: u64,
    /// The latest bytes, latest first.
    history: [u8; HISTORY_BYTES],
    checksum: u8,
    /// By what comes before the last look-up.
    counts: [u32; 256],
    /// The counts made with vectors.
    buckets: [u32; BUCKETS],
}

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher::new()
    }
}

#[inline(always)]
fn pearson(index: u8) -> u8 {
    PEARSON[usize::from(index)]
}

impl Hasher {
    /// Returns a hasher at the beginning of an input.
    pub fn new() -> Hasher {
        Hasher::with_backend(Backend::chosen())
    }

    /// Returns a hasher that uses these instructions. The digests are the same with all.
    pub fn with_backend(backend: Backend) -> Hasher {
        Hasher::with_kernels(Kernels::new(backend))
    }

    pub(super) fn with_kernels(kernels: Kernels) -> Hasher {
        Hasher { kernels, bytes: 0, history: [0; HISTORY_BYTES], checksum: 0, counts: [0; 256], buckets: [0; BUCKETS] }
    }

    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        // Triplets begin with the first whole window.
        let missing = (HISTORY_BYTES as u64).saturating_sub(self.bytes);
        let (head, rest) = bytes.split_at(bytes.len().min(missing as usize));
        for &byte in head {
            self.history.rotate_right(1);
            self.history[0] = byte;
        }
        self.bytes += bytes.len() as u64;
        if rest.len() < VECTORS_PAY_BYTES || !self.kernels.count_many() {
            return self.count_all(rest);
        }
        VECTORS.with_borrow_mut(|vectors| {
            let made = vectors.take().filter(|made| made.kernels == self.kernels);
            let made = made.or_else(|| Vectors::new(self.kernels));
            if let Some(made) = made {
                self.count_many(rest, vectors.insert(made));
            }
        });
    }

    /// Counts the triplets of the windows that end in `bytes`, by vectors.
    fn count_many(&mut self, bytes: &[u8], Vectors { counter, steps, .. }: &mut Vectors) {
        // The windows that reach back.
        self.count(&bytes[..HISTORY_BYTES]);
        for start in (0..bytes.len() - HISTORY_BYTES).step_by(WINDOWS_MAX) {
            let windows = &bytes[start..bytes.len().min(start + WINDOWS_MAX + HISTORY_BYTES)];
            let steps = &mut steps[..windows.len() - HISTORY_BYTES];
            counter.count(windows, &mut self.buckets, steps);
            self.checksum = checksum(self.checksum, steps);
        }
        if let Some(&latest) = bytes.last_chunk() {
            self.history = latest;
            self.history.reverse();
        }
    }

    fn count_all(&mut self, bytes: &[u8]) {
        bytes.chunks(PART_BYTES_MAX).for_each(|part| self.count(part));
    }

    /// Counts the triplets of the windows that end in `part`.
    fn count(&mut self, part: &[u8]) {
        let [mut c1, mut c2, mut c3, mut c4] = self.history;
        let mut checksum = self.checksum;
        let mut counts = [[0_u16; 256]; TRIPLETS];
        for &c0 in part {
            let middles = (u64::from(c1) * 0x01_00_00_00_01_01_01)
                | (u64::from(c2) * 0x00_00_01_01_00_00_00)
                | (u64::from(c3) * 0x00_01_00_00_00_00_00);
            let second = FIRST_HALF[usize::from(c0)] ^ middles;
            for (triplet, oldest) in [c2, c3, c4, c3, c4, c4].into_iter().enumerate() {
                let name = pearson((second >> (8 * triplet)) as u8) ^ oldest;
                counts[triplet][usize::from(name)] += 1;
            }
            checksum = pearson(pearson((second >> (8 * TRIPLETS)) as u8) ^ checksum);
            (c1, c2, c3, c4) = (c0, c1, c2, c3);
        }
        for counts in counts {
            for (sum, count) in self.counts.iter_mut().zip(counts) {
                *sum = sum.wrapping_add(count.into());
            }
        }
        self.history = [c1, c2, c3, c4];
        self.checksum = checksum;
    }

    /// Ends the input and returns its digest.
    ///
    /// # Errors
    /// [`NoDigest`] if there were fewer than 50 bytes, too many (some 4 GiB), or not enough different triplets, as in
    /// constant data of any length.
    pub fn finish(self) -> Result<Digest, NoDigest> {
        let mut buckets = self.buckets;
        for (name, count) in self.counts.into_iter().enumerate() {
            if let Some(bucket) = buckets.get_mut(usize::from(PEARSON[name])) {
                *bucket = bucket.wrapping_add(count);
            }
        }
        digest(self.bytes, self.checksum, &buckets)
    }
}

/// Returns `checksum` after these steps.
pub(super) fn checksum(checksum: u8, steps: &[u8]) -> u8 {
    steps.iter().fold(checksum, |checksum, step| pearson(step ^ checksum))
}

/// The digest of `bytes` bytes, with this checksum and these counts.
pub(super) fn digest(bytes: u64, checksum: u8, buckets: &[u32; BUCKETS]) -> Result<Digest, NoDigest> {
    let no_digest = |reason| NoDigest::new(Family::Tlsh, reason, bytes);
    if bytes < MINIMUM_BYTES {
        return Err(no_digest(NoDigestReason::TooShort));
    }
    let Some(length) = length::encode(bytes).filter(|_| bytes <= BYTES_MAX) else {
        return Err(no_digest(NoDigestReason::TooLong));
    };
    if buckets.iter().filter(|&&count| count > 0).count() <= BUCKETS_HIT_MIN {
        return Err(no_digest(NoDigestReason::TooUniform));
    }
    let quartiles = [1, 2, 3].map(|quarter| at_rank(buckets, quarter * BUCKETS as u32 / 4 - 1));
    let mut body = [0; BODY_BYTES];
    for (index, &count) in buckets.iter().enumerate() {
        let quarter = quartiles.iter().filter(|&&quartile| quartile < count).count() as u8;
        // The last buckets are printed first.
        body[BODY_BYTES - 1 - index / 4] |= quarter << (2 * (index % 4));
    }
    // In 32-bit integers that wrap and in single precision, as the original computes it.
    let ratio = |quartile: u32| (quartile.wrapping_mul(100) as f32 / quartiles[2] as f32) as u32 as u8 % 16;
    Ok(Digest { checksum, length, ratios: [ratio(quartiles[0]), ratio(quartiles[1])], body })
}

/// The count that `rank` others precede when all are sorted: found bit by bit, as the greatest number that has no more
/// below it. For so few counts that takes less time than to sort them.
fn at_rank(counts: &[u32; BUCKETS], rank: u32) -> u32 {
    let most = counts.iter().fold(0, |most, &count| most | count);
    let mut found = 0;
    for bit in (0..u32::BITS - most.leading_zeros()).rev() {
        let greater = found | 1 << bit;
        let below: u32 = counts.iter().map(|&count| u32::from(count < greater)).sum();
        if below <= rank {
            found = greater;
        }
    }
    found
}
