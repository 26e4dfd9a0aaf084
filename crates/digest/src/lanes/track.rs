//! One algorithm of a set: the states of all lanes, how far each lane is in its chunk, and the kernels that move them
//! on.

use super::LANES_MAX;
use super::definition::{Compression, Definition, Padding, TAIL_BYTES_MAX};
use super::plan::Plan;
use crate::{Algorithm, Digest};
use std::ops::Range;

/// The chunk that a lane hashes, as all algorithms see it.
#[derive(Clone, Copy, Default)]
pub(super) struct Chunk {
    /// Content in the lane's buffer.
    pub(super) bytes: usize,
    /// The message ends with this chunk.
    pub(super) last: bool,
    /// Bytes of the message up to the end of this chunk.
    pub(super) message_bytes: u64,
    /// Whose padding follows the content: see [`AlgorithmLanes::padding_class`].
    pub(super) padded: Option<u8>,
}

/// The buffers in the lanes.
pub(super) trait Buffers {
    /// All bytes of the lane's buffer.
    fn bytes(&self, lane: usize) -> &[u8];
    /// The bytes after the content, for padding; empty where they may not be written.
    fn reserve(&mut self, lane: usize, content_bytes: usize) -> &mut [u8];
}

/// Lanes as bits.
pub(super) type LaneSet = u64;

/// The members, ascending.
pub(super) fn members(mut set: LaneSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (lane < LANES_MAX).then_some(lane)
    })
}

/// Where in its chunk a lane is. Blocks that lie whole in the buffer are hashed there; what is left at an end of a
/// chunk goes through the lane's tail.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Segment {
    /// One block in the tail: what the chunk before left, completed by the first `content_bytes` of the present one.
    Head { content_bytes: usize },
    /// Blocks in the buffer; the message goes on after them.
    Body,
    /// Blocks in the buffer up to the end of the message, with the padding after the content.
    End,
    /// Blocks in the tail: the end of the message, where the buffer has no room for padding.
    TailEnd,
}

#[derive(Clone, Copy)]
struct Position {
    segment: Segment,
    /// Of the next block, in the buffer or in the tail.
    offset: usize,
}

/// The state of one algorithm for a message between two chunks.
#[derive(Debug)]
pub(super) struct Detached {
    state: Vec<u8>,
    /// Bytes that did not fill a block.
    carried: Vec<u8>,
}

/// One algorithm over all lanes.
pub(super) struct AlgorithmLanes {
    algorithm: Algorithm,
    digest_bytes: usize,
    definition: &'static Definition,
    plan: Plan,
    /// Lanes of the widest kernel. Lane `l` is slot `l % width` of group `l / width`.
    width: usize,
    /// States as `[group][word][slot]`, so that the widest kernel works in place.
    states: Vec<u8>,
    /// States of as many lanes, for kernels that do not work in place.
    scratch: Vec<u8>,
    /// Lanes that have blocks left in their present segment.
    running: LaneSet,
    /// Lanes whose state is that of a message that goes on, and that are not running: they wait for their next chunk.
    waiting: LaneSet,
    /// Of each running lane.
    blocks_left: [usize; LANES_MAX],
    positions: [Position; LANES_MAX],
    /// Bytes in the tail that the chunk before left.
    carried_bytes: [usize; LANES_MAX],
    /// Bytes of the message that are hashed, without those in the tail.
    hashed_bytes: [u64; LANES_MAX],
    tails: Vec<[u8; TAIL_BYTES_MAX]>,
    /// Place in the set of the first algorithm that pads alike: padding that it made serves this one.
    pub(super) padding_class: u8,
}

impl AlgorithmLanes {
    pub(super) fn new(
        algorithm: Algorithm,
        definition: &'static Definition,
        plan: Plan,
        lanes: usize,
        padding_class: u8,
    ) -> AlgorithmLanes {
        let width = plan.lanes();
        let states = vec![0; lanes.div_ceil(width) * width * definition.state_bytes()];
        AlgorithmLanes {
            algorithm,
            digest_bytes: algorithm.digest_bytes(),
            definition,
            plan,
            width,
            states,
            scratch: vec![0; width * definition.state_bytes()],
            running: 0,
            waiting: 0,
            blocks_left: [0; LANES_MAX],
            positions: [Position { segment: Segment::Body, offset: 0 }; LANES_MAX],
            carried_bytes: [0; LANES_MAX],
            hashed_bytes: [0; LANES_MAX],
            tails: vec![[0; TAIL_BYTES_MAX]; lanes],
            padding_class,
        }
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub(super) fn compression(&self) -> Compression {
        self.definition.compression
    }

    /// Seconds in which this many running lanes advance by this many bytes.
    pub(super) fn seconds(&self, running: usize, bytes: u64) -> f64 {
        self.plan.cost(running) as f64 * 1e-12 * (bytes as f64 / self.definition.block_bytes as f64)
    }

    /// True if hashing many messages at once gains something.
    pub(super) fn pays(&self) -> bool {
        self.width > 1
    }

    /// Lanes that have something to hash.
    pub(super) fn running(&self) -> LaneSet {
        self.running
    }

    /// Begins a message.
    pub(super) fn begin(&mut self, lane: usize) {
        self.carried_bytes[lane] = 0;
        self.hashed_bytes[lane] = 0;
        let (group, slot) = (lane / self.width, lane % self.width);
        self.definition.begin(group_of(&mut self.states, group, self.width, self.definition), self.width, slot);
    }

    /// Forgets the message of a lane.
    pub(super) fn abandon(&mut self, lane: usize) {
        self.running &= !(1 << lane);
        self.waiting &= !(1 << lane);
    }

    /// Takes the state of a waiting lane out, with what its last chunk left over.
    pub(super) fn detach(&mut self, lane: usize) -> Detached {
        self.abandon(lane);
        let mut state = vec![0; self.definition.state_bytes()];
        let group = group_of(&mut self.states, lane / self.width, self.width, self.definition);
        self.definition.copy(group, (self.width, lane % self.width), &mut state, (1, 0));
        Detached { state, carried: self.tails[lane][..std::mem::take(&mut self.carried_bytes[lane])].to_vec() }
    }

    /// Puts the state of a message that goes on after `message_bytes` into a lane, which waits from now on.
    pub(super) fn attach(&mut self, lane: usize, message_bytes: u64, detached: &Detached) {
        let group = group_of(&mut self.states, lane / self.width, self.width, self.definition);
        self.definition.copy(&detached.state, (1, 0), group, (self.width, lane % self.width));
        self.tails[lane][..detached.carried.len()].copy_from_slice(&detached.carried);
        self.carried_bytes[lane] = detached.carried.len();
        self.hashed_bytes[lane] = message_bytes - detached.carried.len() as u64;
        self.waiting |= 1 << lane;
    }

    /// Takes up a lane's next chunk.
    pub(super) fn take(&mut self, lane: usize, chunk: &mut Chunk, buffers: &mut impl Buffers) {
        self.waiting &= !(1 << lane);
        let carried = std::mem::take(&mut self.carried_bytes[lane]);
        if carried == 0 {
            return self.enter_body(lane, 0, chunk, buffers);
        }
        let content = &buffers.bytes(lane)[..chunk.bytes];
        let content_bytes = content.len().min(self.definition.block_bytes - carried);
        let filled = carried + content_bytes;
        self.tails[lane][carried..filled].copy_from_slice(&content[..content_bytes]);
        if content_bytes < content.len() || !chunk.last && self.definition.free_blocks(filled) == 1 {
            self.enter(lane, Segment::Head { content_bytes }, 0, 1);
        } else {
            self.leave(lane, filled, chunk);
        }
    }

    fn enter(&mut self, lane: usize, segment: Segment, offset: usize, blocks: usize) {
        self.running |= 1 << lane;
        self.positions[lane] = Position { segment, offset };
        self.blocks_left[lane] = blocks;
    }

    /// Goes on with what lies in the buffer from `offset` on.
    fn enter_body(&mut self, lane: usize, offset: usize, chunk: &mut Chunk, buffers: &mut impl Buffers) {
        let definition = self.definition;
        let rest = chunk.bytes - offset;
        if chunk.last {
            let blocks = definition.last_blocks(rest);
            if self.pad(chunk, blocks * definition.block_bytes - rest, buffers.reserve(lane, chunk.bytes)) {
                return self.enter(lane, Segment::End, offset, blocks);
            }
        }
        match definition.free_blocks(rest) {
            0 => self.leave_buffer(lane, offset, chunk, buffers),
            blocks => self.enter(lane, Segment::Body, offset, blocks),
        }
    }

    /// Writes the padding after the content; false where there is no room.
    fn pad(&self, chunk: &mut Chunk, padding_bytes: usize, reserve: &mut [u8]) -> bool {
        let room = reserve.get_mut(..padding_bytes);
        if let Some(room) = room {
            self.definition.pad(room, chunk.message_bytes);
            chunk.padded = Some(self.padding_class);
            return true;
        }
        false
    }

    /// Takes what lies in the buffer from `offset` on, a block at most, to the tail.
    fn leave_buffer(&mut self, lane: usize, offset: usize, chunk: &Chunk, buffers: &impl Buffers) {
        let rest = &buffers.bytes(lane)[offset..chunk.bytes];
        self.tails[lane][..rest.len()].copy_from_slice(rest);
        self.leave(lane, rest.len(), chunk);
    }

    /// Ends a chunk of which this many bytes are in the tail and all others hashed.
    fn leave(&mut self, lane: usize, filled: usize, chunk: &Chunk) {
        if !chunk.last {
            self.carried_bytes[lane] = filled;
            self.running &= !(1 << lane);
            self.waiting |= 1 << lane;
            return;
        }
        let blocks = self.definition.last_blocks(filled);
        let end = blocks * self.definition.block_bytes;
        self.definition.pad(&mut self.tails[lane][filled..end], chunk.message_bytes);
        self.enter(lane, Segment::TailEnd, 0, blocks);
    }

    /// Advances all running lanes by the least number of blocks that one of them has left, but not by more than
    /// `step_bytes`. Lanes that end a segment go on to the next one, or stop running; where the message has ended, its
    /// digest is written. `digests` are those of all lanes and algorithms, of which this one is `index`.
    pub(super) fn step(
        &mut self,
        chunks: &mut [Chunk; LANES_MAX],
        buffers: &mut impl Buffers,
        step_bytes: usize,
        renew_padding: bool,
        digests: &mut [Digest],
        (algorithms, index): (usize, usize),
    ) {
        let least = members(self.running).map(|lane| self.blocks_left[lane]).min().unwrap_or_default();
        let mut blocks = least.min(self.definition.whole_blocks(step_bytes));
        if blocks == 0 {
            return;
        }
        if self.definition.padding == Padding::Blake2 {
            blocks = self.count(blocks, chunks);
        }
        if renew_padding {
            for lane in members(self.running) {
                self.renew_padding(lane, blocks, &mut chunks[lane], buffers);
            }
        }
        for group in 0..self.states.len() / (self.width * self.definition.state_bytes()) {
            self.advance(group, blocks, buffers);
        }
        for lane in members(self.running) {
            if self.move_on(lane, blocks, &mut chunks[lane], buffers) {
                self.finish(lane, &mut digests[lane * algorithms + index]);
            }
        }
    }

    /// Notes that a lane has advanced. If it ends a segment, it goes on to the next one, or stops running. True if the
    /// message has ended.
    #[inline(always)]
    fn move_on(&mut self, lane: usize, blocks: usize, chunk: &mut Chunk, buffers: &mut impl Buffers) -> bool {
        let bytes = blocks * self.definition.block_bytes;
        self.positions[lane].offset += bytes;
        self.hashed_bytes[lane] += bytes as u64;
        self.blocks_left[lane] -= blocks;
        if self.blocks_left[lane] > 0 {
            return false;
        }
        match self.positions[lane] {
            Position { segment: Segment::Head { content_bytes }, .. } => {
                self.enter_body(lane, content_bytes, chunk, buffers);
            }
            Position { segment: Segment::Body, offset } => self.leave_buffer(lane, offset, chunk, buffers),
            Position { segment: Segment::End | Segment::TailEnd, .. } => {
                self.running &= !(1 << lane);
                return true;
            }
        }
        false
    }

    /// The place of the blocks of content that a running lane has left in its buffer, if it is there.
    pub(super) fn content_left(&self, lane: usize) -> Option<Range<usize>> {
        let Position { segment, offset } = self.positions[lane];
        let is_there = self.running & 1 << lane != 0 && segment == Segment::Body;
        is_there.then(|| offset..offset + self.blocks_left[lane] * self.definition.block_bytes)
    }

    /// Takes the state of a lane aside, for a kernel of several algorithms.
    pub(super) fn lone_state(&mut self, lane: usize) -> &mut [u8] {
        let AlgorithmLanes { definition, width, states, scratch, .. } = self;
        let group = group_of(states, lane / *width, *width, definition);
        definition.copy(group, (*width, lane % *width), scratch, (1, 0));
        &mut scratch[..definition.state_bytes()]
    }

    /// Takes back the state of [`AlgorithmLanes::lone_state`], which such a kernel advanced by content in the buffer.
    pub(super) fn lone_advanced(&mut self, lane: usize, bytes: usize, chunk: &mut Chunk, buffers: &mut impl Buffers) {
        let AlgorithmLanes { definition, width, states, scratch, .. } = self;
        let group = group_of(states, lane / *width, *width, definition);
        definition.copy(scratch, (1, 0), group, (*width, lane % *width));
        // The message goes on after its content, if only with padding.
        self.move_on(lane, bytes / self.definition.block_bytes, chunk, buffers);
    }

    /// Sets the counters of all running lanes for this number of blocks, or for fewer if a counter has to be set again
    /// between. Returns the number.
    fn count(&mut self, blocks: usize, chunks: &[Chunk; LANES_MAX]) -> usize {
        let AlgorithmLanes { definition, width, .. } = *self;
        let most = members(self.running).map(|lane| definition.run_blocks_max(self.hashed_bytes[lane])).min();
        let blocks = blocks.min(most.unwrap_or(blocks));
        for lane in members(self.running) {
            let before = self.hashed_bytes[lane];
            let ends = self.blocks_left[lane] == blocks
                && matches!(self.positions[lane].segment, Segment::End | Segment::TailEnd);
            let after =
                if ends { chunks[lane].message_bytes } else { before + (blocks * definition.block_bytes) as u64 };
            let states = group_of(&mut self.states, lane / width, width, definition);
            definition.set_counters(states, width, lane % width, before, after, ends);
        }
        blocks
    }

    fn finish(&self, lane: usize, digest: &mut Digest) {
        let group_bytes = self.width * self.definition.state_bytes();
        let states = &self.states[lane / self.width * group_bytes..][..group_bytes];
        self.definition.finish(states, self.width, lane % self.width, digest.room(self.digest_bytes));
    }

    /// Another algorithm of the set may have put its own padding after the content.
    fn renew_padding(&self, lane: usize, blocks: usize, chunk: &mut Chunk, buffers: &mut impl Buffers) {
        let Position { segment, offset } = self.positions[lane];
        let block_bytes = self.definition.block_bytes;
        if segment == Segment::End
            && chunk.padded != Some(self.padding_class)
            && offset + blocks * block_bytes > chunk.bytes
        {
            let end = offset + self.blocks_left[lane] * block_bytes;
            self.pad(chunk, end - chunk.bytes, buffers.reserve(lane, chunk.bytes));
        }
    }

    /// Runs the kernels on the lanes of one group.
    fn advance(&mut self, group: usize, blocks: usize, buffers: &impl Buffers) {
        let AlgorithmLanes { definition, plan, width, states, scratch, positions, tails, .. } = self;
        let (definition, width, first) = (*definition, *width, group * *width);
        let in_group = (LaneSet::MAX >> (LANES_MAX - width)) << first;
        let live = (self.running | self.waiting) & in_group;
        let states = group_of(states, group, width, definition);
        let bytes = blocks * definition.block_bytes;
        let input = |lane: usize| {
            let Position { segment, offset } = positions[lane];
            let source = match segment {
                Segment::Body | Segment::End => buffers.bytes(lane),
                Segment::Head { .. } | Segment::TailEnd => &tails[lane],
            };
            &source[offset..offset + bytes]
        };

        let mut running = self.running & in_group;
        while running != 0 {
            let kernel = plan.kernel(running.count_ones() as usize);
            // Idle slots hash what the first lane does, and nobody looks at the result.
            let mut inputs = [input(running.trailing_zeros() as usize); LANES_MAX];
            if kernel.lanes == width {
                for lane in members(running) {
                    inputs[lane - first] = input(lane);
                }
                let aside = live & !running;
                for (place, lane) in members(aside).enumerate() {
                    definition.copy(states, (width, lane - first), scratch, (width, place));
                }
                kernel.run(states, &inputs[..width], blocks);
                for (place, lane) in members(aside).enumerate() {
                    definition.copy(scratch, (width, place), states, (width, lane - first));
                }
                return;
            }
            let packed = &mut scratch[..kernel.lanes * definition.state_bytes()];
            let lanes = || members(running).take(kernel.lanes).enumerate();
            for (place, lane) in lanes() {
                inputs[place] = input(lane);
                definition.copy(states, (width, lane - first), packed, (kernel.lanes, place));
            }
            kernel.run(packed, &inputs[..kernel.lanes], blocks);
            for (place, lane) in lanes() {
                definition.copy(packed, (kernel.lanes, place), states, (width, lane - first));
            }
            running = lanes().fold(running, |rest, (_, lane)| rest & !(1 << lane));
        }
    }
}

/// The states of one group.
fn group_of<'s>(states: &'s mut [u8], group: usize, width: usize, definition: &Definition) -> &'s mut [u8] {
    let group_bytes = width * definition.state_bytes();
    &mut states[group * group_bytes..][..group_bytes]
}
