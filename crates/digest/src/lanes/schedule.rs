//! All algorithms of a set over the same lanes.

use pfh_vector::Backend;

use super::LANES_MAX;
use super::backend::{kernels, stitched};
use super::definition::{Compression, Definition};
use super::kernel::Stitched;
use super::plan::Plan;
use super::track::{AlgorithmLanes, Buffers, Chunk, Detached, LaneSet};
use crate::{Algorithm, Digest};

/// With several algorithms, a lane's bytes go to one after the other: 64 lanes times this stay in the second-level
/// cache.
const SHARED_STEP_BYTES: usize = 16 << 10;

/// Bytes of a block of MD5, SHA-1 and SHA-256.
const STITCHED_BLOCK_BYTES: usize = 64;

/// The messages that are hashed in the lanes, without their buffers.
pub(super) struct Schedule {
    lanes: usize,
    tracks: Vec<AlgorithmLanes>,
    chunks: [Chunk; LANES_MAX],
    /// Lanes that are in a chunk.
    hashing: LaneSet,
    /// `[lane][algorithm]`
    digests: Vec<Digest>,
    /// Padding of one algorithm does not serve another.
    renew_padding: bool,
    together: Option<Together>,
}

/// Algorithms whose kernels are stitched.
#[derive(Clone, Copy)]
struct Together {
    kernel: Stitched,
    /// The tracks of MD5, SHA-1 and SHA-256, as far as they are in the set.
    tracks: [Option<usize>; 3],
}

impl Together {
    fn of(tracks: &[AlgorithmLanes], backend: Backend) -> Option<Together> {
        let tracks = [Compression::Md5, Compression::Sha1, Compression::Sha256]
            .map(|compression| tracks.iter().position(|track| track.compression() == compression));
        let [md5, sha1, sha256] = tracks.map(|track| track.is_some());
        let kernel = if md5 { stitched(backend, sha1, sha256) } else { None };
        kernel.map(|kernel| Together { kernel, tracks })
    }
}

impl Schedule {
    /// Of the kernels of the backend only the named one, if any. `None` when the set is empty, or holds an algorithm
    /// without kernels.
    pub(super) fn new(algorithms: &[Algorithm], backend: Backend, only: Option<&str>) -> Option<Schedule> {
        let definitions: Option<Vec<_>> = algorithms.iter().map(|&algorithm| Definition::of(algorithm)).collect();
        let definitions = definitions?;
        let plans: Option<Vec<_>> = definitions
            .iter()
            .map(|definition| {
                let mut kernels = kernels(backend, definition.compression);
                kernels.retain(|kernel| only.is_none_or(|name| kernel.name() == name));
                Plan::new(kernels)
            })
            .collect();
        let plans = plans?;
        let lanes = plans.iter().map(Plan::lanes).max()?;
        let class = |definition: &Definition| {
            let alike = |other: &&Definition| {
                other.padding == definition.padding && other.block_bytes == definition.block_bytes
            };
            definitions.iter().position(alike).unwrap_or_default() as u8
        };
        let tracks = algorithms.iter().zip(&definitions).zip(plans).map(|((&algorithm, definition), plan)| {
            AlgorithmLanes::new(algorithm, definition, plan, lanes, class(definition))
        });
        let tracks: Vec<_> = tracks.collect();
        Some(Schedule {
            lanes,
            together: if only.is_none() { Together::of(&tracks, backend) } else { None },
            tracks,
            chunks: [Chunk::default(); LANES_MAX],
            hashing: 0,
            digests: algorithms.iter().map(|&algorithm| Digest::zero(algorithm)).collect::<Vec<_>>().repeat(lanes),
            renew_padding: definitions.iter().any(|definition| class(definition) != 0),
        })
    }

    /// The algorithms, in their order.
    pub(super) fn algorithms(&self) -> Vec<Algorithm> {
        self.tracks.iter().map(AlgorithmLanes::algorithm).collect()
    }

    /// Number of lanes.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// True if every algorithm gains by hashing many messages at once.
    pub(super) fn pays(&self) -> bool {
        self.tracks.iter().all(AlgorithmLanes::pays)
    }

    /// Whether a message that is alone is hashed by several algorithms at once.
    pub(super) fn is_stitched(&self) -> bool {
        self.together.is_some()
    }

    /// Seconds in which all lanes advance by this many bytes.
    pub(super) fn seconds_in_full_lanes(&self, bytes: u64) -> f64 {
        self.tracks.iter().map(|track| track.seconds(self.lanes, bytes)).sum()
    }

    /// Begins a message.
    pub(super) fn begin(&mut self, lane: usize) {
        self.chunks[lane] = Chunk::default();
        self.tracks.iter_mut().for_each(|track| track.begin(lane));
    }

    /// Takes up a lane's next chunk. True if nothing is left to do for it before the next one.
    pub(super) fn take(&mut self, lane: usize, bytes: usize, last: bool, buffers: &mut impl Buffers) -> bool {
        let message_bytes = self.chunks[lane].message_bytes + bytes as u64;
        self.chunks[lane] = Chunk { bytes, last, message_bytes, padded: None };
        for track in &mut self.tracks {
            track.take(lane, &mut self.chunks[lane], buffers);
        }
        let ended = self.running() & 1 << lane == 0;
        if !ended {
            self.hashing |= 1 << lane;
        }
        ended
    }

    /// Takes the message of a lane that needs data out: its length so far, and what each algorithm knows of it.
    pub(super) fn detach(&mut self, lane: usize) -> (u64, Vec<Detached>) {
        let detached = self.tracks.iter_mut().map(|track| track.detach(lane)).collect();
        (self.chunks[lane].message_bytes, detached)
    }

    /// Goes on in a free lane with a message that was taken out of another.
    pub(super) fn attach(&mut self, lane: usize, message_bytes: u64, detached: &[Detached]) {
        self.chunks[lane] = Chunk { message_bytes, ..Chunk::default() };
        for (track, detached) in self.tracks.iter_mut().zip(detached) {
            track.attach(lane, message_bytes, detached);
        }
    }

    /// Forgets the message of a lane.
    pub(super) fn abandon(&mut self, lane: usize) {
        self.hashing &= !(1 << lane);
        self.tracks.iter_mut().for_each(|track| track.abandon(lane));
    }

    /// Lanes in which some algorithm has something to hash.
    fn running(&self) -> LaneSet {
        self.tracks.iter().fold(0, |running, track| running | track.running())
    }

    /// True when no lane has anything to hash.
    pub(super) fn is_idle(&self) -> bool {
        self.hashing == 0
    }

    /// Runs the kernels once, up to the nearest end of a chunk. Returns the lanes whose chunk has ended.
    pub(super) fn step(&mut self, buffers: &mut impl Buffers) -> LaneSet {
        let algorithms = self.tracks.len();
        let step_bytes = if algorithms > 1 { SHARED_STEP_BYTES } else { usize::MAX };
        let together = match self.together {
            Some(together) if self.hashing.is_power_of_two() => self.step_together(together, buffers, step_bytes),
            _ => false,
        };
        let Schedule { tracks, chunks, digests, .. } = self;
        for (index, track) in tracks.iter_mut().enumerate() {
            if !together || !self.together.is_some_and(|together| together.tracks.contains(&Some(index))) {
                track.step(chunks, buffers, step_bytes, self.renew_padding, digests, (algorithms, index));
            }
        }
        let ended = self.hashing & !self.running();
        self.hashing &= !ended;
        ended
    }

    /// Runs the kernel of several algorithms on the only lane that has something to hash, if that is content in its
    /// buffer. Returns whether it is.
    fn step_together(
        &mut self,
        Together { kernel, tracks: places }: Together,
        buffers: &mut impl Buffers,
        step_bytes: usize,
    ) -> bool {
        let lane = self.hashing.trailing_zeros() as usize;
        let mut left = places.iter().flatten().map(|&place| self.tracks[place].content_left(lane));
        let first = left.next().flatten();
        let Some(content) = first.filter(|first| left.all(|other| other.as_ref() == Some(first))) else { return false };
        let bytes = content.len().min(step_bytes);
        let mut states: [&mut [u8]; 3] = [&mut [], &mut [], &mut []];
        for (index, track) in self.tracks.iter_mut().enumerate() {
            if let Some(algorithm) = places.iter().position(|place| *place == Some(index)) {
                states[algorithm] = track.lone_state(lane);
            }
        }
        let input = &buffers.bytes(lane)[content.start..content.start + bytes];
        kernel.run(states, input, bytes / STITCHED_BLOCK_BYTES);
        for &place in places.iter().flatten() {
            self.tracks[place].lone_advanced(lane, bytes, &mut self.chunks[lane], buffers);
        }
        true
    }

    /// The message of a lane whose chunk has ended is at its end as well.
    pub(super) fn is_finished(&self, lane: usize) -> bool {
        self.chunks[lane].last
    }

    /// The digests of a finished lane.
    pub(super) fn digests(&self, lane: usize) -> &[Digest] {
        let algorithms = self.tracks.len();
        &self.digests[lane * algorithms..][..algorithms]
    }
}
