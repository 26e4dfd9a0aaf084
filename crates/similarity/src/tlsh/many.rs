//! Many digests at once.
//!
//! Triplets are counted file by file, with vectors (`pfh_digest::triplets`). But the checksum of a file takes its bytes one after the
//! other, and each look-up waits for the one before. So the checksums of several files are computed side by side.

use pfh_digest::triplets::{BUCKETS, Backend, Counter, HISTORY_BYTES, PEARSON, WINDOWS_MAX};

use super::hasher::digest;
use super::length::BYTES_MAX;
use super::{Digest, Hasher};
use crate::Unfit;

/// Files side by side.
const LANES: usize = 8;

/// The digests of many whole inputs, in their order: what [`Hasher`] makes of each.
///
/// ```
/// use pfh_similarity::tlsh::digest_many;
///
/// let text: String = (0..200).map(|number| number.to_string()).collect();
/// let digests = digest_many(&[text.as_bytes(), b"too short"]);
/// assert!(digests[0].is_ok() && digests[1].is_err());
/// ```
pub fn digest_many(inputs: &[&[u8]]) -> Vec<Result<Digest, Unfit>> {
    ManyHasher::new().digest_many(inputs)
}

/// Makes many digests at once, again and again. Memory: some 170 KiB, beside the inputs.
#[derive(Clone, Debug)]
pub struct ManyHasher {
    /// Where it pays.
    counter: Option<Counter>,
    steps: Box<[[u8; WINDOWS_MAX]; LANES]>,
}

impl Default for ManyHasher {
    fn default() -> ManyHasher {
        ManyHasher::new()
    }
}

impl ManyHasher {
    /// With the best instructions that this CPU offers.
    pub fn new() -> ManyHasher {
        ManyHasher::with_backend(Backend::chosen())
    }

    /// With these instructions. The digests are the same.
    pub fn with_backend(backend: Backend) -> ManyHasher {
        ManyHasher { counter: Counter::with_backend(backend), steps: Box::new([[0; WINDOWS_MAX]; LANES]) }
    }

    /// The digests, in the order of the inputs.
    pub fn digest_many(&mut self, inputs: &[&[u8]]) -> Vec<Result<Digest, Unfit>> {
        let Some(counter) = &mut self.counter else {
            let one = |bytes: &&[u8]| {
                let mut hasher = Hasher::new();
                hasher.update(bytes);
                hasher.finish()
            };
            return inputs.iter().map(one).collect();
        };
        let mut digests = vec![None; inputs.len()];
        let mut waiting = inputs.iter().enumerate();
        let mut lanes: [Option<Lane<'_>>; LANES] = [const { None }; LANES];
        loop {
            for (lane, steps) in lanes.iter_mut().zip(&mut *self.steps) {
                while lane.as_ref().is_none_or(|lane| lane.steps == 0) {
                    if let Some(file) = lane.as_mut().filter(|file| file.rest.len() > HISTORY_BYTES) {
                        file.count(counter, steps);
                        continue;
                    }
                    if let Some(file) = lane.take() {
                        digests[file.index] = Some(digest(file.bytes, file.checksum, &file.counts));
                    }
                    let Some((index, rest)) = waiting.next() else { break };
                    *lane = Some(Lane::new(index, rest));
                }
            }
            let Some(steps) = lanes.iter().flatten().map(|lane| lane.steps).min() else { break };
            advance(&mut lanes, &self.steps, steps);
        }
        // Every input has had a lane.
        digests.into_iter().flatten().collect()
    }
}

/// A file whose checksum is being computed.
struct Lane<'b> {
    /// Place of the digest.
    index: usize,
    bytes: u64,
    /// What has not been counted, and the history before it.
    rest: &'b [u8],
    counts: [u32; BUCKETS],
    checksum: u8,
    /// Steps of the checksum that are left, at the end of those that were made.
    steps: usize,
    made: usize,
}

impl<'b> Lane<'b> {
    fn new(index: usize, bytes: &'b [u8]) -> Lane<'b> {
        let length = bytes.len() as u64;
        // Of what is too long, nothing is wanted.
        let rest = if length <= BYTES_MAX { bytes } else { &[] };
        Lane { index, bytes: length, rest, counts: [0; BUCKETS], checksum: 0, steps: 0, made: 0 }
    }

    fn count(&mut self, counter: &mut Counter, steps: &mut [u8; WINDOWS_MAX]) {
        let windows = (self.rest.len() - HISTORY_BYTES).min(WINDOWS_MAX);
        counter.count(&self.rest[..windows + HISTORY_BYTES], &mut self.counts, &mut steps[..windows]);
        self.rest = &self.rest[windows..];
        (self.steps, self.made) = (windows, windows);
    }
}

/// Takes all checksums so many steps on.
fn advance(lanes: &mut [Option<Lane<'_>>; LANES], steps: &[[u8; WINDOWS_MAX]; LANES], count: usize) {
    let mut checksums = [0; LANES];
    let mut rows = [&steps[0][..count]; LANES];
    for (index, lane) in lanes.iter().enumerate() {
        let Some(lane) = lane else { continue };
        let start = lane.made - lane.steps;
        rows[index] = &steps[index][start..start + count];
        checksums[index] = lane.checksum;
    }
    let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
    let step = |checksum: &mut u8, step: u8| *checksum = PEARSON[usize::from(step ^ *checksum)];
    let [mut c0, mut c1, mut c2, mut c3, mut c4, mut c5, mut c6, mut c7] = checksums;
    for place in 0..count {
        step(&mut c0, r0[place]);
        step(&mut c1, r1[place]);
        step(&mut c2, r2[place]);
        step(&mut c3, r3[place]);
        step(&mut c4, r4[place]);
        step(&mut c5, r5[place]);
        step(&mut c6, r6[place]);
        step(&mut c7, r7[place]);
    }
    for (lane, checksum) in lanes.iter_mut().zip([c0, c1, c2, c3, c4, c5, c6, c7]) {
        let Some(lane) = lane else { continue };
        lane.checksum = checksum;
        lane.steps -= count;
    }
}
