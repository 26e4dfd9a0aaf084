//! Many messages in memory.

use pfh_vector::{Backend, prefetch_many};

use super::LANES_MAX;
use super::backend::kernels;
use super::blake3_batch::Blake3Batch;
use super::definition::Definition;
use super::kernel::Kernel;
use super::schedule::Schedule;
use super::track::{Buffers, LaneSet, members};
use super::vector::{LINE_BYTES, Line};
use crate::{Algorithm, Digest};

/// Hashes many messages by one algorithm, several at once where that is faster.
///
/// ```
/// use pfh_digest::{Algorithm, lanes::hash_many};
///
/// let md5 = Algorithm::from_name("md5")?;
/// let digests = hash_many(md5, &["", "abc"]);
/// assert_eq!(digests[1].to_string(), "900150983cd24fb0d6963f7d28e17f72");
/// # Ok::<(), pfh_digest::UnknownAlgorithm>(())
/// ```
///
/// # Panics
/// When the algorithm needs a key or a context: see [`Algorithm::is_keyed`].
pub fn hash_many<M: AsRef<[u8]>>(algorithm: Algorithm, messages: &[M]) -> Vec<Digest> {
    BatchHasher::new(algorithm).digests(messages)
}

/// [`hash_many`] for batch after batch: what it needs is made once.
pub struct BatchHasher {
    algorithm: Algorithm,
    lanes: Lanes,
}

enum Lanes {
    /// There are no lanes for the algorithm, or they gain nothing.
    None,
    /// A message in each lane.
    Messages(Box<MessageLanes>),
    /// A chunk or a parent in each lane.
    Blake3(Box<Blake3Batch>),
}

struct MessageLanes {
    schedule: Schedule,
    short: Option<Short>,
}

/// The kernel of short messages.
struct Short {
    kernel: &'static Kernel,
    /// First states of all lanes.
    states: Vec<u8>,
    lines: Vec<Line>,
}

impl BatchHasher {
    /// A hasher occupies no more memory than this, however large its batches are.
    pub const STATE_BYTES_MAX: usize = 1 << 20;

    /// Returns a hasher that uses the best backend, or the one that the environment forces ([`Backend::chosen`]).
    ///
    /// # Panics
    /// As [`hash_many`].
    pub fn new(algorithm: Algorithm) -> BatchHasher {
        BatchHasher::with_backend(algorithm, Backend::chosen())
    }

    /// Returns a hasher that uses a certain backend.
    ///
    /// # Panics
    /// As [`hash_many`].
    pub fn with_backend(algorithm: Algorithm, backend: Backend) -> BatchHasher {
        assert!(!algorithm.is_keyed(), "{algorithm} needs a key or a context, which a batch does not take");
        BatchHasher { algorithm, lanes: Lanes::new(algorithm, backend) }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Returns the length in bytes below which messages are hashed faster together than one by one, for an algorithm
    /// whose lanes take parts of different messages (BLAKE3). `None` for all others, and where it gains nothing.
    pub fn joins_below_bytes(algorithm: Algorithm, backend: Backend) -> Option<usize> {
        let batch = (algorithm == Algorithm::BLAKE3).then(|| Blake3Batch::new(backend)).flatten();
        batch.map(|batch| batch.long_bytes())
    }

    /// Hashes a batch: one digest for each message, in their order.
    pub fn digests<M: AsRef<[u8]>>(&mut self, messages: &[M]) -> Vec<Digest> {
        let mut digests = vec![Digest::zero(self.algorithm); messages.len()];
        self.hash(messages, &mut digests);
        digests
    }

    /// Hashes a batch: `digests[i]` becomes that of `messages[i]`, whatever was there before.
    ///
    /// # Panics
    /// When there are not as many digests as messages.
    pub fn hash<M: AsRef<[u8]>>(&mut self, messages: &[M], digests: &mut [Digest]) {
        assert_eq!(messages.len(), digests.len(), "one digest for each message");
        self.hash_to(messages, digests);
    }

    /// Like [`BatchHasher::hash`], for digests as bytes that follow each other.
    ///
    /// # Panics
    /// When there is not room for exactly one digest of each message.
    pub fn hash_into_bytes<M: AsRef<[u8]>>(&mut self, messages: &[M], bytes: &mut [u8]) {
        let digest_bytes = self.algorithm.digest_bytes();
        assert_eq!(messages.len() * digest_bytes, bytes.len(), "one digest for each message");
        self.hash_to(messages, &mut DigestBytes { bytes, digest_bytes });
    }

    fn hash_to<M: AsRef<[u8]>>(&mut self, messages: &[M], digests: &mut (impl Digests + ?Sized)) {
        let algorithm = self.algorithm;
        match &mut self.lanes {
            Lanes::Messages(lanes) => lanes.hash(algorithm, messages, digests),
            Lanes::Blake3(batch) => batch.hash(messages, digests),
            Lanes::None => {
                for (place, message) in messages.iter().enumerate() {
                    digests.set(place, algorithm.digest(message.as_ref()));
                }
            }
        }
    }
}

impl std::fmt::Debug for BatchHasher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchHasher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

/// The places for the digests of a batch.
pub(super) trait Digests {
    fn set(&mut self, place: usize, digest: Digest);
    /// Sets the digest that a line begins with, in which zeros follow it up to 32 bytes at least.
    fn set_line(&mut self, place: usize, algorithm: Algorithm, line: &Line);
}

impl Digests for [Digest] {
    fn set(&mut self, place: usize, digest: Digest) {
        self[place] = digest;
    }

    #[inline]
    fn set_line(&mut self, place: usize, algorithm: Algorithm, line: &Line) {
        self[place].set_line(algorithm, line);
    }
}

/// Digests without anything between.
struct DigestBytes<'b> {
    bytes: &'b mut [u8],
    digest_bytes: usize,
}

impl DigestBytes<'_> {
    #[inline]
    fn room(&mut self, place: usize) -> &mut [u8] {
        &mut self.bytes[place * self.digest_bytes..][..self.digest_bytes]
    }
}

impl Digests for DigestBytes<'_> {
    fn set(&mut self, place: usize, digest: Digest) {
        self.room(place).copy_from_slice(digest.bytes());
    }

    #[inline]
    fn set_line(&mut self, place: usize, _: Algorithm, line: &Line) {
        let room = self.room(place);
        // Lengths that the compiler knows need no call.
        match room.len() {
            16 => room.copy_from_slice(&line[..16]),
            20 => room.copy_from_slice(&line[..20]),
            bytes => room.copy_from_slice(&line[..bytes]),
        }
    }
}

/// Messages of as many blocks that wait for the lanes to be full.
struct Queue<'m> {
    messages: [&'m [u8]; LANES_MAX],
    places: [usize; LANES_MAX],
    length: usize,
}

impl<'m> Queue<'m> {
    const fn new() -> Queue<'m> {
        Queue { messages: [&[]; LANES_MAX], places: [0; LANES_MAX], length: 0 }
    }

    fn push(&mut self, message: &'m [u8], place: usize) {
        self.messages[self.length] = message;
        self.places[self.length] = place;
        self.length += 1;
    }

    /// Hashes what waits, and empties the queue.
    fn run(&mut self, short: &mut Short, algorithm: Algorithm, digests: &mut (impl Digests + ?Sized)) {
        if self.length > 0 {
            let any = self.messages[0];
            self.messages[self.length..].fill(any);
            let lines = short.run(&self.messages[..short.kernel.lanes]);
            for (line, &place) in lines.iter().zip(&self.places[..self.length]) {
                digests.set_line(place, algorithm, line);
            }
            self.length = 0;
        }
    }
}

impl Lanes {
    fn new(algorithm: Algorithm, backend: Backend) -> Lanes {
        if algorithm == Algorithm::BLAKE3 {
            return Blake3Batch::new(backend).map_or(Lanes::None, |batch| Lanes::Blake3(Box::new(batch)));
        }
        MessageLanes::new(algorithm, backend).map_or(Lanes::None, |lanes| Lanes::Messages(Box::new(lanes)))
    }
}

impl MessageLanes {
    fn new(algorithm: Algorithm, backend: Backend) -> Option<MessageLanes> {
        let definition = Definition::of(algorithm)?;
        let schedule = Schedule::new(&[algorithm], backend, None).filter(Schedule::pays)?;
        let kernels = kernels(backend, definition.compression);
        // A cut digest (SHA-224) takes the longer way.
        let whole = definition.state_bytes() == algorithm.digest_bytes();
        let short = kernels.into_iter().find(|kernel| kernel.takes_short() && whole).map(|kernel| {
            let mut states = vec![0; kernel.lanes * definition.state_bytes()];
            (0..kernel.lanes).for_each(|lane| definition.begin(&mut states, kernel.lanes, lane));
            Short { kernel, states, lines: vec![[0; LINE_BYTES]; kernel.lanes] }
        });
        Some(MessageLanes { schedule, short })
    }

    fn hash<M: AsRef<[u8]>>(&mut self, algorithm: Algorithm, messages: &[M], digests: &mut (impl Digests + ?Sized)) {
        let MessageLanes { schedule, short } = self;
        let mut slots = Slots::new(schedule.lanes());
        if let Some(short) = short {
            let lanes = short.kernel.lanes;
            let mut group = [&[][..]; LANES_MAX];
            // One for each number of blocks.
            let mut queues = [const { Queue::new() }; Short::BLOCKS_MAX];
            let mut groups = messages.chunks(lanes).enumerate();
            while let Some((index, messages)) = groups.next() {
                // Memory is read while the lanes compute.
                if let Some((_, next)) = groups.clone().next() {
                    next.iter().for_each(|message| Short::announce(message.as_ref()));
                }
                let (mut least, mut most) = (usize::MAX, 0);
                for (slot, message) in group.iter_mut().zip(messages) {
                    *slot = message.as_ref();
                    least = least.min(slot.len());
                    most = most.max(slot.len());
                }
                let group = &group[..messages.len()];
                let first = index * lanes;
                if group.len() == lanes && Short::blocks(least) == Short::blocks(most) && Short::takes(most) {
                    for (line, place) in short.run(group).iter().zip(first..) {
                        digests.set_line(place, algorithm, line);
                    }
                    continue;
                }
                for (message, place) in group.iter().zip(first..) {
                    if !Short::takes(message.len()) {
                        slots.hash(schedule, message, place, digests);
                        continue;
                    }
                    let queue = &mut queues[Short::blocks(message.len()) - 1];
                    queue.push(message, place);
                    if queue.length == lanes {
                        queue.run(short, algorithm, digests);
                    }
                }
            }
            for queue in &mut queues {
                queue.run(short, algorithm, digests);
            }
        } else {
            for (place, message) in messages.iter().enumerate() {
                slots.hash(schedule, message.as_ref(), place, digests);
            }
        }
        while !schedule.is_idle() {
            slots.step(schedule, digests);
        }
    }
}

impl Short {
    /// Most blocks of a short message.
    const BLOCKS_MAX: usize = 2;

    /// Number of blocks of a message with its padding: all short kernels have blocks of 64 bytes and lengths of 8.
    fn blocks(message_bytes: usize) -> usize {
        (message_bytes + 8) / LINE_BYTES + 1
    }

    /// Announces the memory of a message that comes soon.
    #[inline]
    fn announce(message: &[u8]) {
        for block in 0..Short::BLOCKS_MAX {
            prefetch_many(message, block * LINE_BYTES);
        }
    }

    fn takes(message_bytes: usize) -> bool {
        Short::blocks(message_bytes) <= Short::BLOCKS_MAX
    }

    /// Hashes messages of as many blocks each, one for each lane; the lines begin with the digests.
    fn run(&mut self, messages: &[&[u8]]) -> &[Line] {
        self.kernel.run_short(&self.states, &mut self.lines, messages, Short::blocks(messages[0].len()));
        &self.lines
    }
}

/// The longer messages, in the lanes.
struct Slots<'m> {
    messages: [&'m [u8]; LANES_MAX],
    places: [usize; LANES_MAX],
    free: LaneSet,
}

impl<'m> Slots<'m> {
    fn new(lanes: usize) -> Slots<'m> {
        Slots { messages: [&[]; LANES_MAX], places: [0; LANES_MAX], free: LaneSet::MAX >> (LANES_MAX - lanes) }
    }

    /// Begins a message, and hashes until a lane is free for the next.
    fn hash(
        &mut self,
        schedule: &mut Schedule,
        message: &'m [u8],
        place: usize,
        digests: &mut (impl Digests + ?Sized),
    ) {
        let lane = self.free.trailing_zeros() as usize;
        self.free &= self.free - 1;
        self.messages[lane] = message;
        self.places[lane] = place;
        schedule.begin(lane);
        schedule.take(lane, message.len(), true, self);
        while self.free == 0 {
            self.step(schedule, digests);
        }
    }

    fn step(&mut self, schedule: &mut Schedule, digests: &mut (impl Digests + ?Sized)) {
        for lane in members(schedule.step(self)) {
            digests.set(self.places[lane], schedule.digests(lane)[0]);
            self.free |= 1 << lane;
        }
    }
}

impl Buffers for Slots<'_> {
    fn bytes(&self, lane: usize) -> &[u8] {
        self.messages[lane]
    }

    fn reserve(&mut self, _lane: usize, _content_bytes: usize) -> &mut [u8] {
        &mut []
    }
}
