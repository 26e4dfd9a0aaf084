//! Digests of many inputs at once.
//!
//! The inputs are whole, so the places where pieces end are found first (module `scan`). The hashes of the pieces are
//! then computed for many files side by side, one byte of each in a lane of a vector register: two lanes for each file,
//! one for the level of the digest and one for the next. All that happens at the end of a piece is known before: the
//! lane is set to the beginning of a piece, and what was in it is read from a trace afterwards.
//!
//! Where both levels begin a piece, what comes later does not depend on what was before. There long files are cut, so
//! that one of them does not keep its lane when all others are done.

use pfh_vector::Backend;
use pfh_vector::ctph::{FILES, INITIAL, Kernels, LANES, LaneBytes, TILE_BYTES, turned};

use super::hasher::{CHARACTERS_MAX, has_rest};
use super::rolling::WINDOW_BYTES;
use super::scan::{Ends, Scan, Scanner};
use super::{ALPHABET, Digest, Hasher, SECOND_CHARACTERS_MAX};
use crate::NoDigest;

/// Files are not cut into shorter parts than this.
const PART_BYTES_MIN: u32 = 8 * TILE_BYTES as u32;

/// No place.
const NEVER: u32 = u32::MAX;

/// Returns the digests of many whole inputs, in their order: those that [`Hasher`] makes.
///
/// ```
/// use pfh_similarity::ssdeep::digest_many;
///
/// let digests: Result<Vec<_>, _> = digest_many(&[b"Hello, world!\n", b""]).into_iter().collect();
/// let texts: Vec<String> = digests?.iter().map(|digest| digest.to_string()).collect();
/// assert_eq!(texts, ["3:a6/G:asG", "3::"]);
/// # Ok::<(), pfh_similarity::NoDigest>(())
/// ```
pub fn digest_many(inputs: &[&[u8]]) -> Vec<Result<Digest, NoDigest>> {
    ManyHasher::new().digest_many(inputs)
}

/// Makes many digests at once, again and again. Memory: some 80 KiB, beside the inputs.
#[derive(Clone, Debug)]
pub struct ManyHasher {
    kernels: Kernels,
    scanner: Scanner,
    keep: Box<[LaneBytes; TILE_BYTES]>,
    trace: Box<[LaneBytes; TILE_BYTES]>,
    /// A tile of each lane. Copies: inputs often lie at multiples of large powers of two, where they would compete for
    /// the same lines of the cache.
    rows: Box<[[u8; TILE_BYTES]; FILES]>,
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
        ManyHasher {
            kernels,
            scanner: Scanner::new(kernels),
            keep: Box::new([[0xFF; LANES]; TILE_BYTES]),
            trace: Box::new([[0; LANES]; TILE_BYTES]),
            rows: Box::new([[0; TILE_BYTES]; FILES]),
        }
    }

    /// Returns the digests, in the order of the inputs. [`FILES`] inputs or more make good use of it.
    pub fn digest_many(&mut self, inputs: &[&[u8]]) -> Vec<Result<Digest, NoDigest>> {
        let mut digests = Vec::with_capacity(inputs.len());
        let mut run = Run {
            hasher: self,
            files: Vec::new(),
            free: Vec::new(),
            parts: Vec::new(),
            lanes: [None; FILES],
            ends: Vec::new(),
        };
        let mut hashes = [0; LANES];
        let mut inputs = inputs.iter().enumerate();
        loop {
            while let Some(lane) = run.lanes.iter().position(Option::is_none) {
                if let Some(part) = run.parts.pop() {
                    run.lanes[lane] = Some(part);
                    hashes[2 * lane..][..2].fill(0);
                } else if let Some((index, bytes)) = inputs.next() {
                    digests.push(None);
                    digests[index] = run.begin(index, bytes);
                } else {
                    break;
                }
            }
            if run.lanes.iter().all(Option::is_none) {
                break;
            }
            run.advance(&mut hashes, &mut digests);
        }
        // Every input has been begun, and every part of it has been hashed.
        digests.into_iter().flatten().collect()
    }
}

/// A file whose pieces are being hashed.
struct File {
    /// Place of the digest.
    index: usize,
    level: usize,
    /// The level of the digest, and the next one.
    levels: [Pieces; 2],
    /// Parts that are not done.
    missing: usize,
}

/// The pieces of one level that are of interest.
struct Pieces {
    /// Where they end, and then [`NEVER`].
    ends: [u32; CHARACTERS_MAX + 2],
    /// How many there are.
    count: u8,
    /// Their hashes.
    hashes: [u8; CHARACTERS_MAX + 1],
}

impl Pieces {
    /// Of the pieces that end, `limit` begin a new one. Then there is one more character: of what came after them, if
    /// `has_rest`, otherwise of what came up to the last end, if that found no room. (As the original has it.)
    fn new(ends: &Ends, limit: usize, has_rest: bool, bytes: usize) -> Pieces {
        let mut pieces = Pieces { ends: [NEVER; CHARACTERS_MAX + 2], count: 0, hashes: [INITIAL; CHARACTERS_MAX + 1] };
        let first = ends.first(limit);
        pieces.ends[..first.len()].copy_from_slice(first);
        let end = if has_rest {
            bytes as u32 - 1
        } else if ends.count as usize > limit {
            ends.last
        } else {
            NEVER
        };
        pieces.count = first.len() as u8 + u8::from(end != NEVER);
        // After a piece that ends with the input, there is one of no bytes.
        if first.last() != Some(&end) {
            pieces.ends[first.len()] = end;
        }
        pieces
    }

    /// One more than the last place.
    fn end(&self) -> u32 {
        self.ends[..usize::from(self.count)].iter().rev().find(|&&end| end != NEVER).map_or(0, |end| end + 1)
    }

    fn characters(&self) -> impl Iterator<Item = u8> {
        self.hashes[..usize::from(self.count)].iter().map(|&hash| ALPHABET[usize::from(hash)])
    }
}

impl File {
    fn digest(&self) -> Digest {
        let [first, second] = &self.levels;
        Digest::from_parts(self.level, first.characters(), second.characters())
    }
}

/// A part of a file; both levels begin a piece with it.
#[derive(Clone, Copy)]
struct Part<'b> {
    file: usize,
    /// The whole file.
    bytes: &'b [u8],
    /// The bytes to be hashed next.
    start: u32,
    end: u32,
    /// For both levels, the piece that ends next.
    next: [u8; 2],
}

/// The end of a piece in a tile.
struct End {
    /// Place in the tile, byte by byte and lane by lane.
    at: usize,
    file: usize,
    level: usize,
    piece: usize,
}

struct Run<'h, 'b> {
    hasher: &'h mut ManyHasher,
    files: Vec<File>,
    /// Which of the files are done.
    free: Vec<usize>,
    /// Parts that wait for a lane.
    parts: Vec<Part<'b>>,
    lanes: [Option<Part<'b>>; FILES],
    /// Those of the present tile.
    ends: Vec<End>,
}

impl<'b> Run<'_, 'b> {
    /// Plans the parts of a file. Returns the digest if there is nothing to be hashed in lanes.
    fn begin(&mut self, index: usize, bytes: &'b [u8]) -> Option<Result<Digest, NoDigest>> {
        if u32::try_from(bytes.len()).is_err() {
            let mut hasher = Hasher::with_kernels(self.hasher.kernels);
            hasher.update(bytes);
            return Some(hasher.finish());
        }
        let Scan { level, ends } = self.hasher.scanner.scan(bytes);
        let mut latest = [0; WINDOW_BYTES];
        let (_, last) = bytes.split_at(bytes.len().saturating_sub(WINDOW_BYTES));
        latest[WINDOW_BYTES - last.len()..].copy_from_slice(last);
        let has_rest = has_rest(&latest);
        let limits = [CHARACTERS_MAX, SECOND_CHARACTERS_MAX - 1];
        let levels = [0, 1].map(|above| Pieces::new(&ends[above], limits[above], has_rest, bytes.len()));
        let mut file = File { index, level, levels, missing: 0 };
        let [first, second] = &file.levels;
        let end = first.end().max(second.end());
        if end == 0 {
            return Some(Ok(file.digest()));
        }
        let slot = self.free.pop().unwrap_or(self.files.len());
        let mut part = Part { file: slot, bytes, start: 0, end, next: [0; 2] };
        // Where both begin a piece: each end of the second level is one of the first.
        let shared = ends[0].first(limits[0]).last().copied().unwrap_or(0);
        for &place in ends[1].first(limits[1]).iter().filter(|&&place| place <= shared && place + 1 < end) {
            if place - part.start >= PART_BYTES_MIN {
                self.parts.push(Part { end: place + 1, ..part });
                file.missing += 1;
                part.start = place + 1;
                part.next = [first, second].map(|pieces| pieces.ends.partition_point(|&end| end <= place) as u8);
            }
        }
        self.parts.push(part);
        file.missing += 1;
        if slot == self.files.len() {
            self.files.push(file);
        } else {
            self.files[slot] = file;
        }
        None
    }

    /// Hashes a tile of each lane.
    fn advance(&mut self, hashes: &mut LaneBytes, digests: &mut [Option<Result<Digest, NoDigest>>]) {
        let ManyHasher { kernels, keep, trace, rows, .. } = &mut *self.hasher;
        let keep = &mut **keep;
        self.ends.clear();
        for (lane, part) in self.lanes.iter_mut().enumerate() {
            let Some(part) = part else { continue };
            let rest = &part.bytes[part.start as usize..];
            match rest.first_chunk() {
                Some(row) => rows[lane] = *row,
                None => rows[lane][..rest.len()].copy_from_slice(rest),
            }
            let file = &self.files[part.file];
            let tile_end = part.tile_end();
            for (level, (pieces, next)) in file.levels.iter().zip(&mut part.next).enumerate() {
                while let end = pieces.ends[usize::from(*next)]
                    && end < tile_end
                {
                    let at = (end - part.start) as usize * LANES + 2 * lane + level;
                    keep.as_flattened_mut()[at] = 0;
                    self.ends.push(End { at, file: part.file, level, piece: usize::from(*next) });
                    *next += 1;
                }
            }
        }
        kernels.advance(rows, hashes, keep, trace);
        for end in &self.ends {
            keep.as_flattened_mut()[end.at] = 0xFF;
            self.files[end.file].levels[end.level].hashes[end.piece] = turned(trace.as_flattened()[end.at]);
        }
        for slot in &mut self.lanes {
            let Some(part) = slot else { continue };
            part.start = part.tile_end();
            if part.start == part.end {
                let file = &mut self.files[part.file];
                file.missing -= 1;
                if file.missing == 0 {
                    digests[file.index] = Some(Ok(file.digest()));
                    self.free.push(part.file);
                }
                *slot = None;
            }
        }
    }
}

impl Part<'_> {
    /// Where the next tile of it ends.
    fn tile_end(&self) -> u32 {
        self.end.min(self.start.saturating_add(TILE_BYTES as u32))
    }
}
