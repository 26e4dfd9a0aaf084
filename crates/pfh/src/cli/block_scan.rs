//! Looking up the blocks of images: whoever reads an image cuts it into chunks, threads hash these and look their
//! blocks up, and the blocks that they find are joined in the order of the image.

use super::ended::{Ended, lock};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::Consumer;
use pfh_known::{BlockError, BlockHasher, BlockKinds, BlockPlace, Fragment, FragmentJoiner, KnownSet};
use pfh_list::ExternalSort;
use pfh_record::{Outcome, Record};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

/// The bytes of a chunk at whose blocks a thread looks, where memory suffices.
const CHUNK_BYTES: u64 = 1 << 20;

/// How much more memory than its bytes a chunk takes, by what is found in it.
const CHUNK_SHARE: u64 = 2;

/// The fragments of an image, in no order yet, to be sorted.
pub(crate) type Fragments = ExternalSort<{ Fragment::SORT_BYTES }>;

/// The blocks that are looked for, and the chunks of images on their way.
pub(crate) struct Scan {
    pub(crate) set: KnownSet,
    algorithm: Algorithm,
    block_bytes: u64,
    step_bytes: u64,
    /// Bytes of a chunk at which blocks begin.
    chunk_bytes: usize,
    sort_bytes: u64,
    queue: Mutex<Queue>,
    /// A chunk has come, or no more will.
    work: Condvar,
    /// A buffer was given back.
    room: Condvar,
    ended: Ended<ScannedImage>,
    failed: OnceLock<io::Error>,
}

#[derive(Default)]
struct Queue {
    chunks: VecDeque<Chunk>,
    free: Vec<Vec<u8>>,
    is_closed: bool,
}

/// A part of an image.
struct Chunk {
    image: Arc<Image>,
    number: u64,
    offset: u64,
    bytes: Vec<u8>,
}

/// An image that is being read.
struct Image {
    state: Mutex<ImageState>,
    /// A chunk was joined.
    joined: Condvar,
}

struct ImageState {
    /// The number of the next chunk to be joined.
    next: u64,
    /// Later chunks, with their buffers: so there are not more than buffers.
    waiting: BTreeMap<u64, (Vec<u8>, ChunkBlocks)>,
    joiner: FragmentJoiner,
    fragments: Fragments,
    kinds: BlockKinds,
    found: u64,
}

/// The blocks of a chunk that the set has.
#[derive(Default)]
struct ChunkBlocks {
    kinds: BlockKinds,
    /// Offsets in the image, and the ends of their places.
    found: Vec<(u64, usize)>,
    places: Vec<BlockPlace>,
}

/// An image that was read to its end.
pub(crate) struct ScannedImage {
    pub(crate) fragments: Fragments,
    pub(crate) kinds: BlockKinds,
    /// Blocks that the set has.
    pub(crate) found: u64,
}

/// The memory and the threads of a scan.
#[derive(Clone, Copy)]
pub(crate) struct Means {
    pub(crate) threads: usize,
    /// For chunks.
    pub(crate) memory_bytes: u64,
    /// For sorting the fragments of an image.
    pub(crate) sort_bytes: u64,
}

impl Scan {
    /// Prepares a scan, and returns it and the number of buffers; `None` if memory does not suffice for one.
    pub(crate) fn new(
        set: KnownSet,
        algorithm: Algorithm,
        block_bytes: u64,
        step_bytes: u64,
        means: Means,
    ) -> Result<Option<Scan>, BlockError> {
        BlockHasher::new(algorithm, block_bytes, step_bytes)?;
        let mut chunk_bytes = CHUNK_BYTES.max(2 * block_bytes).next_multiple_of(block_bytes);
        let buffers = |chunk_bytes: u64| means.memory_bytes / (CHUNK_SHARE * (chunk_bytes + block_bytes));
        while buffers(chunk_bytes) < 2 * means.threads as u64 && chunk_bytes > block_bytes {
            chunk_bytes = (chunk_bytes / 2).next_multiple_of(block_bytes);
        }
        let buffers = buffers(chunk_bytes).min(2 * means.threads as u64 + 2) as usize;
        if buffers == 0 {
            return Ok(None);
        }
        Ok(Some(Scan {
            set,
            algorithm,
            block_bytes,
            step_bytes,
            chunk_bytes: chunk_bytes as usize,
            sort_bytes: means.sort_bytes,
            queue: Mutex::new(Queue { free: vec![Vec::new(); buffers], ..Queue::default() }),
            work: Condvar::new(),
            room: Condvar::new(),
            ended: Ended::default(),
            failed: OnceLock::new(),
        }))
    }

    /// Returns the first error of the set or of a temporary file, which ends the run.
    pub(crate) fn failed(&self) -> Option<&io::Error> {
        self.failed.get()
    }

    fn note(&self, done: io::Result<()>) {
        if let Err(error) = done {
            // Later errors follow from the first.
            let _ = self.failed.set(error);
        }
    }

    /// Returns a consumer of the bytes of an image.
    pub(crate) fn consumer(scan: &Arc<Scan>) -> Box<dyn Consumer> {
        let image = Arc::new(Image {
            state: Mutex::new(ImageState {
                next: 0,
                waiting: BTreeMap::new(),
                joiner: FragmentJoiner::new(scan.block_bytes),
                fragments: ExternalSort::new(scan.sort_bytes),
                kinds: BlockKinds::default(),
                found: 0,
            }),
            joined: Condvar::new(),
        });
        Box::new(ImageBytes { scan: Arc::clone(scan), image, sent: 0, buffer: None })
    }

    /// Returns what was found in the image of this path that was read to its end.
    pub(crate) fn take_ended(&self, path: &[u8]) -> Option<ScannedImage> {
        self.ended.take(path)
    }

    /// Lets the threads end when nothing is left.
    pub(crate) fn close(&self) {
        lock(&self.queue).is_closed = true;
        self.work.notify_all();
    }

    /// Looks up the blocks of chunks until [`Scan::close`]. Many threads may do so.
    pub(crate) fn work(&self) {
        let mut hasher = None;
        while let Some(chunk) = self.next_chunk() {
            let Chunk { image, number, offset, bytes } = chunk;
            let found = catch_unwind(AssertUnwindSafe(|| self.look_up(&mut hasher, offset, &bytes)));
            let found = found.unwrap_or_else(|_| Err(io::Error::other("internal error while blocks were looked up")));
            let found = found.unwrap_or_else(|error| {
                self.note(Err(error));
                ChunkBlocks::default()
            });
            self.join(&image, number, bytes, found);
        }
    }

    fn next_chunk(&self) -> Option<Chunk> {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(chunk) = queue.chunks.pop_front() {
                return Some(chunk);
            }
            if queue.is_closed {
                return None;
            }
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn look_up(&self, hasher: &mut Option<BlockHasher>, offset: u64, bytes: &[u8]) -> io::Result<ChunkBlocks> {
        let mut of_chunk = ChunkBlocks::default();
        let hasher = match hasher {
            Some(hasher) => hasher,
            None => hasher
                .insert(BlockHasher::new(self.algorithm, self.block_bytes, self.step_bytes).map_err(io::Error::other)?),
        };
        let Some(blocks) = self.set.blocks() else { return Ok(of_chunk) };
        let (mut entries, mut places) = (Vec::new(), Vec::new());
        let mut look_up = |offsets: &[usize], digests: &[Digest]| {
            entries.clear();
            let mut number = 0;
            self.set.find_many(digests, |_, entry| {
                entries.extend(entry.map(|entry| (offsets[number], entry)));
                number += 1;
            })?;
            for &(place, entry) in &entries {
                blocks.places(entry, &mut places)?;
                of_chunk.places.extend_from_slice(&places);
                of_chunk.found.push((offset + place as u64, of_chunk.places.len()));
            }
            Ok(())
        };
        let kinds = hasher.hash(bytes, &mut look_up)?;
        of_chunk.kinds = kinds;
        Ok(of_chunk)
    }

    /// Joins what was found in a chunk, and in those that waited for it, to what was found before them.
    fn join(&self, image: &Image, number: u64, bytes: Vec<u8>, found: ChunkBlocks) {
        let mut buffers = Vec::new();
        let mut state = lock(&image.state);
        state.waiting.insert(number, (bytes, found));
        let ImageState { next, waiting, joiner, fragments, kinds, found } = &mut *state;
        while let Some((bytes, blocks)) = waiting.remove(next) {
            *next += 1;
            kinds.add(blocks.kinds);
            *found += blocks.found.len() as u64;
            let mut start = 0;
            for (offset, end) in blocks.found {
                joiner.push(offset, &blocks.places[start..end], &mut |one| {
                    self.note(fragments.push(one.to_sort_bytes()));
                });
                start = end;
            }
            buffers.push(bytes);
        }
        drop(state);
        image.joined.notify_all();
        lock(&self.queue).free.extend(buffers);
        self.room.notify_all();
    }

    /// Waits for a buffer. Those that are in use come back: every chunk before is hashed by a thread that waits for
    /// nothing.
    fn buffer(&self) -> Vec<u8> {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(mut buffer) = queue.free.pop() {
                buffer.clear();
                return buffer;
            }
            queue = self.room.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn send(&self, chunk: Chunk) {
        lock(&self.queue).chunks.push_back(chunk);
        self.work.notify_one();
    }
}

/// The bytes of an image while it is read.
struct ImageBytes {
    scan: Arc<Scan>,
    image: Arc<Image>,
    /// Chunks so far.
    sent: u64,
    buffer: Option<Vec<u8>>,
}

impl ImageBytes {
    /// Sends a chunk. The next begins with the bytes behind the blocks that begin in this one.
    fn send(&mut self, bytes: Vec<u8>, is_last: bool) {
        let scan = Arc::clone(&self.scan);
        let rest = if is_last { Vec::new() } else { bytes[scan.chunk_bytes..].to_vec() };
        let offset = self.sent * scan.chunk_bytes as u64;
        scan.send(Chunk { image: Arc::clone(&self.image), number: self.sent, offset, bytes });
        self.sent += 1;
        if !is_last {
            // Only now, since there may be a single buffer.
            let mut next = scan.buffer();
            next.extend_from_slice(&rest);
            self.buffer = Some(next);
        }
    }
}

impl Consumer for ImageBytes {
    fn bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        if self.scan.failed().is_some() {
            return Err(io::Error::other("the run has failed"));
        }
        let Scan { chunk_bytes, block_bytes, step_bytes, .. } = *self.scan;
        let full_bytes = chunk_bytes + (block_bytes - step_bytes) as usize;
        while !bytes.is_empty() {
            let mut buffer = self.buffer.take().unwrap_or_else(|| self.scan.buffer());
            // A chunk is sent when more comes, so that the next has something new.
            if buffer.len() == full_bytes {
                self.send(buffer, false);
                continue;
            }
            let count = bytes.len().min(full_bytes - buffer.len());
            buffer.reserve_exact(full_bytes - buffer.len());
            buffer.extend_from_slice(&bytes[..count]);
            self.buffer = Some(buffer);
            bytes = &bytes[count..];
        }
        Ok(())
    }

    fn finish(&mut self, record: &Record) -> io::Result<()> {
        if let Some(buffer) = self.buffer.take() {
            self.send(buffer, true);
        }
        let mut state = lock(&self.image.state);
        while state.next < self.sent {
            state = self.image.joined.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let ImageState { joiner, fragments, kinds, found, .. } = &mut *state;
        joiner.end(&mut |one| self.scan.note(fragments.push(one.to_sort_bytes())));
        let fragments = std::mem::replace(fragments, ExternalSort::new(0));
        let scanned = ScannedImage { fragments, kinds: *kinds, found: *found };
        self.scan.ended.put(&record.path, scanned);
        Ok(())
    }

    fn retract(&mut self, _: &Outcome) {}
}

impl Drop for ImageBytes {
    fn drop(&mut self) {
        // Of an image that was not read to its end.
        if let Some(buffer) = self.buffer.take() {
            lock(&self.scan.queue).free.push(buffer);
            self.scan.room.notify_all();
        }
    }
}
