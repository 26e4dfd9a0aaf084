//! The streaming manager: messages come and go, each in its lane.

use std::fmt;
use std::time::Duration;

use pfh_vector::Backend;

use super::LANES_MAX;
use super::definition::PADDING_BYTES_MAX;
use super::schedule::Schedule;
use super::track::{self, Buffers, LaneSet};

use crate::{Algorithm, Digest};

/// Hashes many messages at once, one in each lane, by one or several algorithms.
///
/// A message comes in chunks. A chunk is a buffer `B` which the manager keeps while its bytes are hashed, so nothing is
/// copied. `T` is whatever the caller wants to find again with the digests. The caller's loop:
///
/// ```
/// use pfh_digest::Algorithm;
/// use pfh_digest::lanes::{Event, LaneManager};
///
/// type Manager<'m> = LaneManager<Vec<u8>, usize>;
///
/// /// Copies the next bytes of a message, as a reader would do. True if they are the last.
/// fn read(message: &mut &[u8], buffer: &mut Vec<u8>) -> (usize, bool) {
///     let bytes = message.len().min(buffer.len() - Manager::RESERVE_BYTES);
///     buffer[..bytes].copy_from_slice(&message[..bytes]);
///     *message = &message[bytes..];
///     (bytes, message.is_empty())
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let md5 = Algorithm::from_name("md5")?;
/// let mut messages: Vec<&[u8]> = vec![b"", b"a", b"abc", b"message digest"];
/// let mut digests = vec![None; messages.len()];
///
/// let Some(mut manager) = Manager::new(&[md5]) else { return Ok(()) };
/// let mut free: Vec<_> = (0..manager.lanes()).map(|_| vec![0; 8 + Manager::RESERVE_BYTES]).collect();
/// let mut next = 0;
/// loop {
///     while next < messages.len() && let Some(mut buffer) = free.pop() {
///         let (bytes, last) = read(&mut messages[next], &mut buffer);
///         manager.submit(next, buffer, bytes, last);
///         next += 1;
///     }
///     match manager.advance() {
///         Event::NeedsData { lane, mut buffer } => {
///             let (bytes, last) = read(&mut messages[*manager.tag(lane)], &mut buffer);
///             manager.refill(lane, buffer, bytes, last);
///         }
///         Event::Finished { tag, buffer, digests: values } => {
///             digests[tag] = Some(values[0]);
///             free.push(buffer);
///         }
///         Event::Idle => break,
///     }
/// }
/// assert_eq!(digests[2], Some(md5.digest(b"abc")));
/// # Ok(())
/// # }
/// ```
///
/// Keep all lanes full for speed: call [`LaneManager::advance`] only when there is no free lane, or no further message.
/// All lanes advance together by what the shortest chunk has left; a lane is free again the moment its message ends.
/// When few lanes are busy, kernels for few streams take their states over.
///
/// Chunks may have any length. Those that are multiples of the block (64 KiB is one for nearly all algorithms) spare
/// the copying of what is left at the end of a chunk.
pub struct LaneManager<B, T> {
    schedule: Schedule,
    slots: Vec<Slot<B, T>>,
    /// Lanes that hold a message.
    occupied: LaneSet,
    /// Lanes whose chunk has ended and whose caller has not heard of it.
    ended: LaneSet,
}

struct Slot<B, T> {
    tag: Option<T>,
    buffer: Option<B>,
}

/// A message between two chunks, on its way from one manager to another.
#[derive(Debug)]
pub struct Detached<T> {
    tag: T,
    message_bytes: u64,
    tracks: Vec<track::Detached>,
    algorithms: Vec<Algorithm>,
}

/// A lane, while it waits for its next chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaneId(u8);

/// Something for which a lane, or the caller's loop, waits.
#[derive(Debug)]
pub enum Event<'m, B, T> {
    /// The chunk is hashed and the message goes on: read into the buffer and call [`LaneManager::refill`], now or after
    /// other calls, or give up with [`LaneManager::abandon`].
    NeedsData {
        /// The lane to refill.
        lane: LaneId,
        /// The buffer of the chunk before.
        buffer: B,
    },
    /// A message is hashed, and its lane is free.
    Finished {
        /// As submitted.
        tag: T,
        /// The buffer of the last chunk; padding may have been written after the content.
        buffer: B,
        /// In the order of the algorithms.
        digests: &'m [Digest],
    },
    /// There is nothing to hash: no lane holds a message, except those that wait for a refill.
    Idle,
}

impl<B: AsRef<[u8]> + AsMut<[u8]>, T> LaneManager<B, T> {
    /// Room that a buffer should have after its content: padding is made there. Without it, the end of the message is
    /// copied, and its last blocks are hashed in a step of their own.
    pub const RESERVE_BYTES: usize = PADDING_BYTES_MAX;

    /// Returns a manager that uses the best backend, or the one that the environment forces ([`Backend::chosen`]).
    ///
    /// `None` when the set is empty, or holds an algorithm for which hashing many messages at once gains nothing on
    /// this CPU: hash them one by one.
    pub fn new(algorithms: &[Algorithm]) -> Option<Self> {
        LaneManager::with_backend(algorithms, Backend::chosen()).filter(LaneManager::pays)
    }

    /// Returns a manager that uses a certain backend, whether it pays or not.
    ///
    /// `None` when the set is empty, or holds an algorithm for which there are no lanes.
    pub fn with_backend(algorithms: &[Algorithm], backend: Backend) -> Option<Self> {
        LaneManager::with_schedule(Schedule::new(algorithms, backend, None)?)
    }

    /// Returns a manager that uses one kernel alone, for tests and measurements: see [`kernels_of`](super::kernels_of).
    ///
    /// `None` when the backend has no kernel of that name for the algorithm.
    pub fn with_kernel(algorithm: Algorithm, backend: Backend, kernel: &str) -> Option<Self> {
        LaneManager::with_schedule(Schedule::new(&[algorithm], backend, Some(kernel))?)
    }

    fn with_schedule(schedule: Schedule) -> Option<Self> {
        let slots = (0..schedule.lanes()).map(|_| Slot { tag: None, buffer: None }).collect();
        Some(LaneManager { schedule, slots, occupied: 0, ended: 0 })
    }

    /// True if every algorithm gains by hashing many messages at once.
    pub fn pays(&self) -> bool {
        self.schedule.pays()
    }

    /// True if a kernel interleaves several of the algorithms where a single message is hashed: MD5 with SHA-1 and
    /// SHA-256, on CPUs with instructions for these.
    pub fn is_stitched(&self) -> bool {
        self.schedule.is_stitched()
    }

    /// Number of messages that are hashed at once; at most 64.
    pub fn lanes(&self) -> usize {
        self.slots.len()
    }

    /// Estimates how long a message of this many bytes takes while all lanes hold messages, from the costs of the
    /// kernels that this process measured. Few lanes are faster.
    pub fn time_in_full_lanes(&self, bytes: u64) -> Duration {
        Duration::try_from_secs_f64(self.schedule.seconds_in_full_lanes(bytes)).unwrap_or(Duration::MAX)
    }

    /// Number of lanes that hold a message now.
    pub fn active(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// True when no lane is free.
    pub fn is_full(&self) -> bool {
        self.active() == self.lanes()
    }

    /// The tag of a lane's message.
    ///
    /// # Panics
    /// When the lane holds none: its message was abandoned.
    pub fn tag(&self, lane: LaneId) -> &T {
        self.slots[usize::from(lane.0)].tag.as_ref().expect("the lane holds a message")
    }

    /// The tag of a lane's message, to change it.
    ///
    /// # Panics
    /// When the lane holds none: its message was abandoned.
    pub fn tag_mut(&mut self, lane: LaneId) -> &mut T {
        self.slots[usize::from(lane.0)].tag.as_mut().expect("the lane holds a message")
    }

    /// Begins a message in a free lane: its first `bytes` bytes are those at the front of the buffer; `last` says that
    /// there are no others.
    ///
    /// # Panics
    /// When no lane is free, or `bytes` exceeds the buffer.
    pub fn submit(&mut self, tag: T, buffer: B, bytes: usize, last: bool) {
        assert!(!self.is_full(), "no lane is free");
        let lane = self.occupied.trailing_ones() as usize;
        self.schedule.begin(lane);
        self.occupied |= 1 << lane;
        self.slots[lane].tag = Some(tag);
        self.take(lane, buffer, bytes, last);
    }

    /// Goes on with the message of a lane that needs data. `bytes` may be 0.
    ///
    /// # Panics
    /// When the lane does not need data, or `bytes` exceeds the buffer.
    pub fn refill(&mut self, lane: LaneId, buffer: B, bytes: usize, last: bool) {
        let lane = usize::from(lane.0);
        assert!(self.occupied & 1 << lane != 0 && self.slots[lane].buffer.is_none(), "the lane does not need data");
        self.take(lane, buffer, bytes, last);
    }

    fn take(&mut self, lane: usize, buffer: B, bytes: usize, last: bool) {
        assert!(bytes <= buffer.as_ref().len(), "the content exceeds the buffer");
        self.slots[lane].buffer = Some(buffer);
        if self.schedule.take(lane, bytes, last, &mut Slots(&mut self.slots)) {
            self.ended |= 1 << lane;
        }
    }

    /// Gives a message up: the lane is free, and there will be no digest. Returns what the lane holds; the buffer is
    /// absent if the lane needs data.
    ///
    /// # Panics
    /// When the lane holds no message.
    pub fn abandon(&mut self, lane: LaneId) -> (T, Option<B>) {
        let lane = usize::from(lane.0);
        self.schedule.abandon(lane);
        self.occupied &= !(1 << lane);
        self.ended &= !(1 << lane);
        let Slot { tag, buffer } = &mut self.slots[lane];
        (tag.take().expect("the lane holds a message"), buffer.take())
    }

    /// Takes the message of a lane that needs data out, to go on in another manager of the same algorithms: a thread
    /// that has nothing to do can take work over from one that has much.
    ///
    /// # Panics
    /// When the lane does not need data.
    pub fn detach(&mut self, lane: LaneId) -> Detached<T> {
        let lane = usize::from(lane.0);
        assert!(self.occupied & 1 << lane != 0 && self.slots[lane].buffer.is_none(), "the lane does not need data");
        self.occupied &= !(1 << lane);
        let (message_bytes, tracks) = self.schedule.detach(lane);
        let tag = self.slots[lane].tag.take().expect("the lane holds a message");
        Detached { tag, message_bytes, tracks, algorithms: self.schedule.algorithms() }
    }

    /// Goes on with a message in a free lane, which needs data and is to be refilled.
    ///
    /// # Panics
    /// When no lane is free, or the message comes from a manager of other algorithms.
    pub fn attach(&mut self, detached: Detached<T>) -> LaneId {
        assert!(!self.is_full(), "no lane is free");
        assert_eq!(detached.algorithms, self.schedule.algorithms(), "a message goes on with its own algorithms");
        let lane = self.occupied.trailing_ones() as usize;
        self.schedule.attach(lane, detached.message_bytes, &detached.tracks);
        self.occupied |= 1 << lane;
        self.slots[lane].tag = Some(detached.tag);
        LaneId(lane as u8)
    }

    /// Runs the kernels until a lane needs attention. When several do, the calls return one after the other, and no
    /// kernel runs in between. The order in which messages finish is arbitrary.
    pub fn advance(&mut self) -> Event<'_, B, T> {
        while self.ended == 0 {
            if self.schedule.is_idle() {
                return Event::Idle;
            }
            self.ended = self.schedule.step(&mut Slots(&mut self.slots));
        }
        let lane = self.ended.trailing_zeros() as usize;
        self.ended &= self.ended - 1;
        let Slot { tag, buffer } = &mut self.slots[lane];
        let buffer = buffer.take().expect("a lane in a chunk holds its buffer");
        if !self.schedule.is_finished(lane) {
            return Event::NeedsData { lane: LaneId(lane as u8), buffer };
        }
        self.occupied &= !(1 << lane);
        let tag = tag.take().expect("a lane in a chunk holds its tag");
        Event::Finished { tag, buffer, digests: self.schedule.digests(lane) }
    }
}

impl<B, T> fmt::Debug for LaneManager<B, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaneManager")
            .field("lanes", &self.slots.len())
            .field("active", &self.occupied.count_ones())
            .finish_non_exhaustive()
    }
}

/// The buffers in the slots.
struct Slots<'s, B, T>(&'s mut [Slot<B, T>]);

impl<B: AsRef<[u8]> + AsMut<[u8]>, T> Buffers for Slots<'_, B, T> {
    fn bytes(&self, lane: usize) -> &[u8] {
        self.0[lane].buffer.as_ref().map_or(&[], |buffer| buffer.as_ref())
    }

    fn reserve(&mut self, lane: usize, content_bytes: usize) -> &mut [u8] {
        let bytes = self.0[lane].buffer.as_mut().map_or(&mut [][..], |buffer| buffer.as_mut());
        bytes.get_mut(content_bytes..).unwrap_or_default()
    }
}

const _: () = assert!(LANES_MAX <= LaneSet::BITS as usize);
