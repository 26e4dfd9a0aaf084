//! Digests of many inputs at once.
//!
//! Triplets are counted file by file, with vectors (`pfh_vector::tlsh_triplets`). But the checksum of a file takes its
//! bytes one after the other, and each look-up waits for the one before. So the checksums of several files are computed
//! side by side.

use std::ops::Range;

use pfh_vector::Backend;
use pfh_vector::tlsh_triplets::{BUCKETS, Counter, HISTORY_BYTES, Kernels, PEARSON, WINDOWS_MAX};

use super::hasher::digest;
use super::length::BYTES_MAX;
use super::{Digest, Hasher};
use crate::NoDigest;

/// Files side by side: as many as there are registers for.
const LANES: usize = 12;

/// Bytes from a lane's steps to the next one's: not a power of two, or the same place of all lanes would compete for
/// the same lines of the cache.
const ROW_BYTES: usize = WINDOWS_MAX + 64;

/// Returns the digests of many whole inputs, in their order: those that [`Hasher`] makes.
///
/// ```
/// use pfh_similarity::tlsh::digest_many;
///
/// let text: String = (0..200).map(|number| number.to_string()).collect();
/// let digests = digest_many(&[text.as_bytes(), b"too short"]);
/// assert!(digests[0].is_ok() && digests[1].is_err());
/// ```
pub fn digest_many(inputs: &[&[u8]]) -> Vec<Result<Digest, NoDigest>> {
    ManyHasher::new().digest_many(inputs)
}

/// Makes many digests at once, again and again. Memory: some 230 KiB, beside the inputs.
#[derive(Clone, Debug)]
pub struct ManyHasher {
    kernels: Kernels,
    /// Where it pays.
    counter: Option<Counter>,
    /// The steps of the checksums. All lanes are at the same place, so that one register says where.
    steps: Box<[[u8; ROW_BYTES]; LANES]>,
}

impl Default for ManyHasher {
    fn default() -> ManyHasher {
        ManyHasher::new()
    }
}

impl ManyHasher {
    /// Returns a hasher that uses the instructions of [`Backend::chosen`].
    pub fn new() -> ManyHasher {
        ManyHasher::with_backend(Backend::chosen())
    }

    /// Returns a hasher that uses these instructions. The digests are the same with all.
    pub fn with_backend(backend: Backend) -> ManyHasher {
        let kernels = Kernels::new(backend);
        ManyHasher { kernels, counter: Counter::new(kernels), steps: Box::new([[0; ROW_BYTES]; LANES]) }
    }

    /// Returns the digests, in the order of the inputs.
    pub fn digest_many(&mut self, inputs: &[&[u8]]) -> Vec<Result<Digest, NoDigest>> {
        let Some(counter) = &mut self.counter else {
            let one = |bytes: &&[u8]| {
                let mut hasher = Hasher::with_kernels(self.kernels);
                hasher.update(bytes);
                hasher.finish()
            };
            return inputs.iter().map(one).collect();
        };
        let mut digests = vec![None; inputs.len()];
        let mut waiting = inputs.iter().enumerate();
        let mut lanes: [Option<Lane<'_>>; LANES] = [const { None }; LANES];
        let mut place = 0;
        loop {
            for (lane, steps) in lanes.iter_mut().zip(&mut *self.steps) {
                while lane.as_ref().is_none_or(|lane| lane.steps == 0) {
                    if let Some(file) = lane.as_mut().filter(|file| file.rest.len() > HISTORY_BYTES) {
                        file.count(counter, &mut steps[place..WINDOWS_MAX]);
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
            advance(&mut lanes, &self.steps, place..place + steps);
            // No lane has steps beyond the end, so all are out of them there.
            place = (place + steps) % WINDOWS_MAX;
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
    /// Bytes that have not been counted, and the history before them.
    rest: &'b [u8],
    counts: [u32; BUCKETS],
    checksum: u8,
    /// Steps of the checksum that are left.
    steps: usize,
}

impl<'b> Lane<'b> {
    fn new(index: usize, bytes: &'b [u8]) -> Lane<'b> {
        let length = bytes.len() as u64;
        // Of what is too long, nothing is wanted.
        let rest = if length <= BYTES_MAX { bytes } else { &[] };
        Lane { index, bytes: length, rest, counts: [0; BUCKETS], checksum: 0, steps: 0 }
    }

    fn count(&mut self, counter: &mut Counter, steps: &mut [u8]) {
        self.steps = steps.len().min(self.rest.len() - HISTORY_BYTES);
        counter.count(&self.rest[..self.steps + HISTORY_BYTES], &mut self.counts, &mut steps[..self.steps]);
        self.rest = &self.rest[self.steps..];
    }
}

/// Takes all checksums these steps on.
fn advance(lanes: &mut [Option<Lane<'_>>; LANES], steps: &[[u8; ROW_BYTES]; LANES], places: Range<usize>) {
    let mut checksums = [0; LANES];
    for (checksum, lane) in checksums.iter_mut().zip(&*lanes) {
        *checksum = lane.as_ref().map_or(0, |lane| lane.checksum);
    }
    let count = places.len();
    for place in places {
        for (checksum, steps) in checksums.iter_mut().zip(steps) {
            *checksum = PEARSON[usize::from(steps[place] ^ *checksum)];
        }
    }
    for (lane, checksum) in lanes.iter_mut().zip(checksums) {
        let Some(lane) = lane else { continue };
        lane.checksum = checksum;
        lane.steps -= count;
    }
}
