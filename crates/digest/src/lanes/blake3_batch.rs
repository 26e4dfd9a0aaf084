//! BLAKE3 of many short messages at once: chunks of different messages side by side, and then their parents.
//!
//! Within one message, only the chunks of its own tree lie side by side (BLAKE3 paper, section 5.3), and a message of 4
//! KiB has four. Here the chunks of a whole batch fill the lanes, then the parents of a whole batch, level by level.

use super::LANES_MAX;
use super::backend::kernels;
use super::definition::Compression;
use super::many::Digests;
use super::plan::Plan;
use super::text::{BLAKE3_STATE_WORDS, INITIAL_2S};
use crate::{Algorithm, Digest};
use pfh_vector::Backend;
use std::ops::Range;

const CHUNK_BYTES: usize = 1 << 10;
const BLOCK_BYTES: usize = 64;
/// Most chunks that are hashed before their parents are: bounds the memory of a batch.
const CHUNKS_MAX: usize = 4096;

// Flags of blocks: BLAKE3 paper, section 2.2, table 3.
const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 1 << 1;
const PARENT: u32 = 1 << 2;
const ROOT: u32 = 1 << 3;

/// A chaining value, or the digest of a root.
type Value = [u8; 32];

/// Hashes batches of messages.
pub(super) struct Blake3Batch {
    plan: Plan,
    /// Messages from this length on fill the lanes by themselves, and go to the crate `blake3`, whose assembler is
    /// faster then.
    long_bytes: usize,
    /// States of a kernel's lanes, `[word][lane]`.
    states: Vec<u8>,
    /// The last blocks of chunks that do not end with a block, one for each lane.
    padded: Vec<[u8; CHUNK_BYTES]>,
    messages: Vec<Message>,
    chunks: Vec<Chunk>,
    /// Those of all messages, in their order: first of their chunks, then of each level's parents.
    values: Vec<Value>,
    parents: Vec<Parent>,
}

struct Message {
    /// Its place in the batch.
    place: usize,
    /// Its first value.
    first: usize,
    /// Number of its values on the present level.
    values: usize,
}

#[derive(Clone, Copy)]
struct Chunk {
    /// Place of its message in the batch.
    place: usize,
    /// Its number in the message.
    number: usize,
    bytes: usize,
    /// Where its chaining value goes.
    value: usize,
    is_root: bool,
}

struct Parent {
    /// Its left child; the right one follows.
    left: usize,
    value: usize,
    is_root: bool,
}

impl Chunk {
    /// Number of blocks; an empty message has one, which is empty.
    fn blocks(&self) -> usize {
        self.bytes.div_ceil(BLOCK_BYTES).max(1)
    }

    fn is_whole(&self) -> bool {
        self.bytes == self.blocks() * BLOCK_BYTES
    }

    fn of<'m>(&self, message: &'m [u8]) -> &'m [u8] {
        &message[self.number * CHUNK_BYTES..][..self.bytes]
    }
}

impl Blake3Batch {
    /// `None` where the backend's kernels gain nothing.
    pub(super) fn new(backend: Backend) -> Option<Blake3Batch> {
        Plan::new(kernels(backend, Compression::Blake3)).filter(|plan| plan.lanes() > 1).map(Blake3Batch::with_plan)
    }

    fn with_plan(plan: Plan) -> Blake3Batch {
        let lanes = plan.lanes();
        Blake3Batch {
            plan,
            long_bytes: lanes.max(2) * CHUNK_BYTES,
            states: vec![0; lanes * BLAKE3_STATE_WORDS * size_of::<u32>()],
            padded: vec![[0; CHUNK_BYTES]; lanes],
            messages: Vec::new(),
            chunks: Vec::new(),
            values: Vec::new(),
            parents: Vec::new(),
        }
    }

    /// Messages of this many bytes and more gain nothing by a batch.
    pub(super) fn long_bytes(&self) -> usize {
        self.long_bytes
    }

    /// `digests[i]` becomes that of `messages[i]`.
    pub(super) fn hash<M: AsRef<[u8]>>(&mut self, messages: &[M], digests: &mut (impl Digests + ?Sized)) {
        for (place, message) in messages.iter().enumerate() {
            let message = message.as_ref();
            if message.len() >= self.long_bytes {
                digests.set(place, Digest::from_bytes(Algorithm::BLAKE3, ::blake3::hash(message).as_bytes()));
                continue;
            }
            self.add(place, message.len());
            if self.chunks.len() >= CHUNKS_MAX {
                self.run(messages, digests);
            }
        }
        self.run(messages, digests);
    }

    /// Lists the chunks of a message.
    fn add(&mut self, place: usize, message_bytes: usize) {
        let first = self.values.len();
        let values = message_bytes.div_ceil(CHUNK_BYTES).max(1);
        self.messages.push(Message { place, first, values });
        self.values.resize(first + values, [0; 32]);
        self.chunks.extend((0..values).map(|number| Chunk {
            place,
            number,
            bytes: CHUNK_BYTES.min(message_bytes - number * CHUNK_BYTES),
            value: first + number,
            is_root: values == 1,
        }));
    }

    /// Hashes all messages that were added.
    fn run<M: AsRef<[u8]>>(&mut self, messages: &[M], digests: &mut (impl Digests + ?Sized)) {
        // The lanes of a kernel should end together.
        self.chunks.sort_by_key(|chunk| std::cmp::Reverse(chunk.blocks()));
        let mut begun = 0;
        while begun < self.chunks.len() {
            let left = self.chunks.len() - begun;
            let lanes = self.plan.kernel(left.min(LANES_MAX)).lanes;
            let group = begun..begun + left.min(lanes);
            begun = group.end;
            self.run_chunks(messages, group);
        }
        self.chunks.clear();
        while self.list_parents() {
            self.run_parents();
        }
        for message in self.messages.drain(..) {
            digests.set(message.place, Digest::from_bytes(Algorithm::BLAKE3, &self.values[message.first]));
        }
        self.values.clear();
    }

    /// Hashes at most as many chunks as one kernel has lanes; the longest come first.
    fn run_chunks<M: AsRef<[u8]>>(&mut self, messages: &[M], group: Range<usize>) {
        let Blake3Batch { plan, states, padded, chunks, values, .. } = self;
        let chunks = &chunks[group];
        let kernel = plan.kernel(chunks.len());
        let mut states = Lanes { states, lanes: kernel.lanes };
        for (lane, chunk) in chunks.iter().enumerate() {
            states.begin(lane, chunk.number as u64, CHUNK_START);
            if !chunk.is_whole() {
                let (bytes, rest) = padded[lane].split_at_mut(chunk.bytes);
                bytes.copy_from_slice(chunk.of(messages[chunk.place].as_ref()));
                rest[..chunk.blocks() * BLOCK_BYTES - chunk.bytes].fill(0);
            }
        }
        let input = |lane: usize| {
            let chunk = &chunks[lane];
            if chunk.is_whole() { chunk.of(messages[chunk.place].as_ref()) } else { &padded[lane][..] }
        };
        let (mut done, mut running) = (0, chunks.len());
        while running > 0 {
            // Up to the end of the shortest that runs, and of all that are as short.
            let blocks = chunks[running - 1].blocks();
            let ending = chunks[..running].partition_point(|chunk| chunk.blocks() > blocks);
            // Idle lanes hash what the first one does, and nobody looks at the result.
            let mut inputs = [&input(0)[done * BLOCK_BYTES..]; LANES_MAX];
            for lane in 0..running {
                inputs[lane] = &input(lane)[done * BLOCK_BYTES..];
                let chunk = &chunks[lane];
                if lane < ending {
                    states.set_last(lane, BLOCK_BYTES, 0);
                } else {
                    let last_bytes = chunk.bytes - (blocks - 1) * BLOCK_BYTES;
                    states.set_last(lane, last_bytes, CHUNK_END | if chunk.is_root { ROOT } else { 0 });
                }
            }
            kernel.run(states.states, &inputs[..kernel.lanes], blocks - done);
            for lane in ending..running {
                values[chunks[lane].value] = states.value(lane);
            }
            (done, running) = (blocks, ending);
        }
    }

    /// Lists the parents of the next level. False if there are none.
    fn list_parents(&mut self) -> bool {
        self.parents.clear();
        for message in self.messages.iter().filter(|message| message.values > 1) {
            self.parents.extend((0..message.values / 2).map(|pair| Parent {
                left: message.first + 2 * pair,
                value: message.first + pair,
                is_root: message.values == 2,
            }));
        }
        !self.parents.is_empty()
    }

    /// Makes one level of parents: pairs from the left, while an odd value at the right end rises as it is (section
    /// 2.1).
    fn run_parents(&mut self) {
        let Blake3Batch { plan, states, messages, values, parents, .. } = self;
        let mut left = &parents[..];
        while !left.is_empty() {
            let kernel = plan.kernel(left.len().min(LANES_MAX));
            let group;
            (group, left) = left.split_at(left.len().min(kernel.lanes));
            let mut states = Lanes { states, lanes: kernel.lanes };
            // A parent takes the place of values whose parents have been made, or are made with it.
            let mut inputs = [values[group[0].left..][..2].as_flattened(); LANES_MAX];
            for (lane, parent) in group.iter().enumerate() {
                inputs[lane] = values[parent.left..][..2].as_flattened();
                states.begin(lane, 0, PARENT);
                states.set_last(lane, BLOCK_BYTES, if parent.is_root { ROOT } else { 0 });
            }
            kernel.run(states.states, &inputs[..kernel.lanes], 1);
            for (lane, parent) in group.iter().enumerate() {
                values[parent.value] = states.value(lane);
            }
        }
        for message in messages {
            if message.values > 1 && !message.values.is_multiple_of(2) {
                values[message.first + message.values / 2] = values[message.first + message.values - 1];
            }
            message.values = message.values.div_ceil(2);
        }
    }
}

/// States of the lanes of one kernel.
struct Lanes<'s> {
    states: &'s mut [u8],
    lanes: usize,
}

impl Lanes<'_> {
    fn word(&mut self, word: usize, lane: usize) -> &mut [u8] {
        &mut self.states[(word * self.lanes + lane) * size_of::<u32>()..][..size_of::<u32>()]
    }

    fn set(&mut self, word: usize, lane: usize, value: u32) {
        self.word(word, lane).copy_from_slice(&value.to_ne_bytes());
    }

    /// Begins a chunk or a parent; `flags` are those of its first block.
    fn begin(&mut self, lane: usize, counter: u64, flags: u32) {
        for (word, value) in INITIAL_2S.into_iter().enumerate() {
            self.set(word, lane, value);
        }
        self.set(8, lane, counter as u32);
        self.set(9, lane, (counter >> 32) as u32);
        self.set(10, lane, flags);
    }

    /// Sets the length and the flags of the last block of the next run.
    fn set_last(&mut self, lane: usize, bytes: usize, flags: u32) {
        self.set(11, lane, bytes as u32);
        self.set(12, lane, flags);
    }

    /// The chaining value, as its bytes.
    fn value(&mut self, lane: usize) -> Value {
        let mut value = [0; 32];
        for (word, bytes) in value.chunks_exact_mut(size_of::<u32>()).enumerate() {
            bytes.copy_from_slice(self.word(word, lane));
            if cfg!(target_endian = "big") {
                bytes.reverse();
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::BatchHasher;

    fn message(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|index| (index % 251) as u8).collect()
    }

    /// Compares a batch with the crate `blake3`, one message at a time.
    fn check(batch: &mut Blake3Batch, lengths: &[usize], name: &str) {
        let messages: Vec<Vec<u8>> = lengths.iter().map(|&bytes| message(bytes)).collect();
        let mut digests = vec![Digest::zero(Algorithm::BLAKE3); messages.len()];
        batch.hash(&messages, &mut digests[..]);
        for (message, digest) in messages.iter().zip(&digests) {
            assert_eq!(digest.bytes(), ::blake3::hash(message).as_bytes(), "{name}, {} bytes", message.len());
        }
    }

    /// Each kernel by its name, alone: lengths around the ends of blocks and chunks, all together and in small groups.
    #[test]
    fn every_kernel_makes_the_digests_of_the_crate() {
        let edges = |unit: usize| [unit - 1, unit, unit + 1];
        let mut lengths = vec![0, 1];
        lengths.extend([64, 128, 960, 1024, 2048, 3072, 4096, 5120, 8192, 16384].into_iter().flat_map(edges));
        lengths.extend((0..if cfg!(miri) { 0 } else { 4200 }).step_by(if cfg!(debug_assertions) { 7 } else { 1 }));
        for backend in Backend::offered() {
            for kernel in kernels(backend, Compression::Blake3) {
                let name = format!("{backend}, {}", kernel.name());
                let mut batch = Blake3Batch::with_plan(Plan::new(vec![kernel]).expect("one kernel"));
                check(&mut batch, &lengths, &name);
                // Trees of more levels than the lanes call for.
                batch.long_bytes = 20 << 10;
                check(&mut batch, &lengths, &name);
                for (group, lengths) in lengths.chunks(13).enumerate() {
                    check(&mut batch, &lengths[..1 + group % lengths.len()], &name);
                }
            }
        }
    }

    #[test]
    fn batches_beyond_the_bound_and_all_that_a_backend_has() {
        for backend in Backend::offered() {
            let Some(mut batch) = Blake3Batch::new(backend) else { continue };
            let lengths: Vec<usize> = (0..9000_usize).map(|index| index * index % 1500).collect();
            check(&mut batch, &lengths, backend.name());
            assert!(batch.values.capacity() <= 2 * (CHUNKS_MAX + batch.plan.lanes()), "{backend}");
            let lists = [
                size_of_val(&batch.states[..]) + size_of_val(&batch.padded[..]),
                batch.messages.capacity() * size_of::<Message>(),
                // Sorting needs half as much again.
                batch.chunks.capacity() * size_of::<Chunk>() * 3 / 2,
                batch.values.capacity() * size_of::<Value>(),
                batch.parents.capacity() * size_of::<Parent>(),
            ];
            assert!(lists.iter().sum::<usize>() <= BatchHasher::STATE_BYTES_MAX, "{backend}: {lists:?}");
            check(&mut batch, &[], backend.name());
        }
    }
}
