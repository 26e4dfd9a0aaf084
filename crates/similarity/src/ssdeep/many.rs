//! Many digests at once.
//!
//! The inputs are whole, so the places where pieces end are found first (module `scan`). The hashes of the pieces are then
//! computed for many files side by side, one byte of each in a lane of a vector register: two lanes for each file, one for the
//! level of the digest and one for the next. All that happens at the end of a piece is known before: the lane is set to the
//! beginning of a piece, and what was in it is read from a trace afterwards.
//!
//! Where both levels begin a piece, what comes later does not depend on what was before. There long files are cut, so
//! that one of them does not keep its lane when all others are done.

use std::ops::Range;

use pfh_digest::pieces::{Backend, FILES, INITIAL, LANES, Lanes, TILE_BYTES, turned};

use super::hasher::{CHARACTERS_MAX, has_rest};
use super::rolling::WINDOW_BYTES;
use super::scan::{Ends, Scan, Scanner};
use super::{ALPHABET, Digest, Hasher, SECOND_CHARACTERS_MAX};
use crate::Unfit;

/// Files are not cut into shorter parts than this.
const PART_BYTES_MIN: u32 = 8 * TILE_BYTES as u32;

/// No place.
const NEVER: u32 = u32::MAX;

/// The digests of many whole inputs, in their order: what [`Hasher`] makes of each.
///
/// ```
/// use pfh_similarity::ssdeep::digest_many;
///
/// let digests: Result<Vec<_>, _> = digest_many(&[b"Hello, world!\n", b""]).into_iter().collect();
/// let texts: Vec<String> = digests?.iter().map(|digest| digest.to_string()).collect();
/// assert_eq!(texts, ["3:a6/G:asG", "3::"]);
/// # Ok::<(), pfh_similarity::Unfit>(())
/// ```
pub fn digest_many(inputs: &[&[u8]]) -> Vec<Result<Digest, Unfit>> {
    ManyHasher::new().digest_many(inputs)
}

/// Makes many digests at once, again and again. Memory: some 80 KiB, beside the inputs.
#[derive(Clone, Debug)]
pub struct ManyHasher {
    backend: Backend,
    scanner: Scanner,
    keep: Box<[Lanes; TILE_BYTES]>,
    trace: Box<[Lanes; TILE_BYTES]>,
    /// The last bytes of inputs that end within a tile.
    tails: Box<[[u8; TILE_BYTES]; FILES]>,
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
        ManyHasher {
            backend,
            scanner: Scanner::new(backend),
            keep: Box::new([[0xFF; LANES]; TILE_BYTES]),
            trace: Box::new([[0; LANES]; TILE_BYTES]),
            tails: Box::new([[0; TILE_BYTES]; FILES]),
        }
    }

    /// The digests, in the order of the inputs. [`FILES`] inputs or more make good use of it.
    pub fn digest_many(&mut self, inputs: &[&[u8]]) -> Vec<Result<Digest, Unfit>> {
        let mut digests = Vec::with_capacity(inputs.len());
        let mut run =
            Run { hasher: self, files: Vec::new(), free: Vec::new(), parts: Vec::new(), lanes: [None; FILES] };
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
struct File<'b> {
    bytes: &'b [u8],
    /// Place of the digest.
    index: usize,
    level: usize,
    /// The level of the digest, and the next one.
    levels: [Pieces; 2],
    /// Parts that are not done.
    missing: usize,
}

/// The pieces of one level that are of interest.
#[derive(Clone, Copy)]
struct Pieces {
    /// Where they end, and then [`NEVER`].
    ends: [u32; CHARACTERS_MAX + 2],
    /// How many there are.
    count: u8,
    /// Their hashes.
    hashes: [u8; CHARACTERS_MAX + 1],
}

impl Pieces {
    /// Of the pieces that end, `limit` begin a new one. Then there is one more character: of what came after them, if `has_rest`,
    /// otherwise of what came up to the last end, if that found no room. (As the original has it.)
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
        self.ends.iter().rev().find(|&&end| end != NEVER).map_or(0, |end| end + 1)
    }

    fn characters(&self) -> impl Iterator<Item = u8> {
        self.hashes[..usize::from(self.count)].iter().map(|&hash| ALPHABET[usize::from(hash)])
    }
}

/// A part of a file; both levels begin a piece with it.
#[derive(Clone, Copy)]
struct Part {
    file: usize,
    /// What is to be hashed next.
    start: u32,
    end: u32,
    /// For both levels, the piece that ends next.
    next: [u8; 2],
}

struct Run<'h, 'b> {
    hasher: &'h mut ManyHasher,
    files: Vec<File<'b>>,
    /// Which of the files are done.
    free: Vec<usize>,
    /// Parts that wait for a lane.
    parts: Vec<Part>,
    lanes: [Option<Part>; FILES],
}

impl<'b> Run<'_, 'b> {
    /// Plans the parts of a file. Returns the digest if there is nothing to be hashed in lanes.
    fn begin(&mut self, index: usize, bytes: &'b [u8]) -> Option<Result<Digest, Unfit>> {
        if u32::try_from(bytes.len()).is_err() {
            let mut hasher = Hasher::new();
            hasher.update(bytes);
            return Some(hasher.finish());
        }
        let Scan { level, ends } = self.hasher.scanner.scan(bytes);
        let mut latest = [0; WINDOW_BYTES];
        let (_, end) = bytes.split_at(bytes.len().saturating_sub(WINDOW_BYTES));
        latest[WINDOW_BYTES - end.len()..].copy_from_slice(end);
        let has_rest = has_rest(&latest);
        let limits = [CHARACTERS_MAX, SECOND_CHARACTERS_MAX - 1];
        let pieces = [0, 1].map(|above| Pieces::new(&ends[above], limits[above], has_rest, bytes.len()));
        let mut file = File { bytes, index, level, levels: pieces, missing: 0 };
        let end = pieces[0].end().max(pieces[1].end());
        if end == 0 {
            return Some(Ok(file.digest()));
        }
        let slot = self.free.pop().unwrap_or(self.files.len());
        let mut part = Part { file: slot, start: 0, end, next: [0; 2] };
        let begins_first = ends[0].first(limits[0]);
        for &place in ends[1].first(limits[1]) {
            let is_last = place + 1 >= end || begins_first.last().is_none_or(|&last| last < place);
            if is_last {
                break;
            }
            if place - part.start >= PART_BYTES_MIN {
                self.parts.push(Part { end: place + 1, ..part });
                file.missing += 1;
                part.start = place + 1;
                part.next = [0, 1].map(|above: usize| pieces[above].ends.partition_point(|&end| end <= place) as u8);
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
    fn advance(&mut self, hashes: &mut Lanes, digests: &mut [Option<Result<Digest, Unfit>>]) {
        let ManyHasher { backend, keep, trace, tails, .. } = &mut *self.hasher;
        for (lane, part) in self.lanes.iter().enumerate() {
            let Some(part) = part else { continue };
            let file = &self.files[part.file];
            let rest = &file.bytes[part.start as usize..];
            if rest.len() < TILE_BYTES {
                tails[lane][..rest.len()].copy_from_slice(rest);
            }
            for (level, (pieces, mut next)) in file.levels.iter().zip(part.next).enumerate() {
                each_piece(&pieces.ends, &mut next, &part.tile(), |_, place| keep[place][2 * lane + level] = 0);
            }
        }
        let rows = std::array::from_fn(|lane| {
            let rest = self.lanes[lane].map(|part| &self.files[part.file].bytes[part.start as usize..]);
            rest.and_then(|rest| rest.first_chunk()).unwrap_or(&tails[lane])
        });
        backend.advance(&rows, hashes, keep, trace);
        for (lane, slot) in self.lanes.iter_mut().enumerate() {
            let Some(part) = slot else { continue };
            let file = &mut self.files[part.file];
            let tile = part.tile();
            for (level, (pieces, next)) in file.levels.iter_mut().zip(&mut part.next).enumerate() {
                each_piece(&pieces.ends, next, &tile, |piece, place| {
                    keep[place][2 * lane + level] = 0xFF;
                    pieces.hashes[piece] = turned(trace[place][2 * lane + level]);
                });
            }
            part.start = tile.end;
            if part.start == part.end {
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

/// Goes through the pieces of one level that end in a part of a file: their numbers and their places in the part.
#[inline(always)]
fn each_piece(ends: &[u32], next: &mut u8, part: &Range<u32>, mut each: impl FnMut(usize, usize)) {
    while ends[usize::from(*next)] < part.end {
        each(usize::from(*next), (ends[usize::from(*next)] - part.start) as usize);
        *next += 1;
    }
}

impl Part {
    /// What is hashed next of it.
    fn tile(&self) -> Range<u32> {
        self.start..self.end.min(self.start.saturating_add(TILE_BYTES as u32))
    }
}

impl File<'_> {
    fn digest(&self) -> Digest {
        let [first, second] = &self.levels;
        Digest::from_parts(self.level, first.characters(), second.characters())
    }
}
