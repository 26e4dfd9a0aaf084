//! Bytes in, digests out.

use std::num::NonZero;

use super::block::Blocks;
use super::digest::{Digest, Layout};
use super::stream::Stream;
use super::{Mode, Options};
use crate::filter::Filter;
use crate::{Family, Unfit, UnfitReason};

/// From this size on, the original's command line uses blocks, of 16 KiB.
const AUTOMATIC_BLOCKS_FROM: u64 = 16 << 20;
const AUTOMATIC_BLOCK_BYTES: u32 = 16 << 10;

/// Makes one digest of one input, given in pieces of any size.
///
/// Memory: some 150 KiB, 200 KiB for each thread, and 256 bytes for each filter, which come to about 3 % of the input in stream mode and to
/// 256 bytes for each block in block mode. The input itself is never held.
pub struct Hasher(Modes);

impl Hasher {
    /// With the options of the original's command line: see [`Options`].
    pub fn new() -> Hasher {
        Hasher::with_options(Options::default())
    }

    /// With other options.
    pub fn with_options(options: Options) -> Hasher {
        Hasher(Modes::new(options, u64::MAX))
    }

    /// Hashes the next bytes of the input.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Ends the input. The digest has no name yet.
    ///
    /// # Errors
    /// [`Unfit`] below 512 bytes.
    pub fn finish(self) -> Result<Digest, Unfit> {
        self.0.finish().map(|mut segments| segments.swap_remove(0))
    }
}

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher::new()
    }
}

/// Makes one digest of each segment of an input in block mode, as the original's command line does with files that are larger
/// than a segment. An input in stream mode has one digest, whatever its size.
///
/// A tail of up to 512 bytes belongs to the segment before it. (The original then hashes as many zeros as the tail has bytes
/// behind it, by mistake; so the last filter of such a segment can differ.)
pub struct SegmentedHasher {
    modes: Modes,
    segment: NonZero<u32>,
}

impl SegmentedHasher {
    /// The original's segment size, in MiB.
    pub const DEFAULT_MEBIBYTES: NonZero<u32> = NonZero::new(128).expect("not 0");

    /// Cuts into segments of as many MiB.
    pub fn new(options: Options, mebibytes: NonZero<u32>) -> SegmentedHasher {
        SegmentedHasher { modes: Modes::new(options, u64::from(mebibytes.get()) << 20), segment: mebibytes }
    }

    /// Hashes the next bytes of the input.
    pub fn update(&mut self, bytes: &[u8]) {
        self.modes.update(bytes);
    }

    /// Ends the input. If there are several digests, each has `name` with its offset in MiB behind it: `name.0128M`.
    ///
    /// # Errors
    /// [`Unfit`] below 512 bytes.
    pub fn finish(self, name: &[u8]) -> Result<Vec<Digest>, Unfit> {
        let mut digests = self.modes.finish()?;
        let is_cut = digests.len() > 1;
        for (index, digest) in (0_u64..).zip(&mut digests) {
            digest.name = name.to_vec();
            if is_cut {
                let offset = index * u64::from(self.segment.get());
                digest.name.extend_from_slice(format!(".{offset:04}M").as_bytes());
            }
        }
        Ok(digests)
    }
}

/// The modes that are still possible: in automatic mode, without knowing the input's length, both up to 16 MiB.
struct Modes {
    stream: Option<Stream>,
    segments: Option<Segments>,
    bytes: u64,
}

impl Modes {
    fn new(options: Options, segment_bytes: u64) -> Modes {
        let (is_stream, block_bytes) = match (options.mode, options.input_bytes) {
            (Mode::Stream, _) => (true, None),
            (Mode::Blocks(size), _) => (false, Some(size.bytes())),
            (Mode::Automatic, Some(bytes)) if bytes < AUTOMATIC_BLOCKS_FROM => (true, None),
            (Mode::Automatic, input_bytes) => (input_bytes.is_none(), Some(AUTOMATIC_BLOCK_BYTES)),
        };
        Modes {
            stream: is_stream.then(|| Stream::new(options.profile, options.input_bytes)),
            segments: block_bytes.map(|block_bytes| Segments::new(block_bytes, segment_bytes)),
            bytes: 0,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if self.segments.is_some() && self.bytes >= AUTOMATIC_BLOCKS_FROM {
            self.stream = None;
        }
        if let Some(stream) = &mut self.stream {
            stream.update(bytes);
        }
        if let Some(segments) = &mut self.segments {
            segments.update(bytes);
        }
    }

    /// At least one digest, without names.
    fn finish(self) -> Result<Vec<Digest>, Unfit> {
        let Modes { stream, segments, bytes } = self;
        let minimum_bytes = Family::Sdhash.minimum_bytes();
        if bytes < minimum_bytes {
            return Err(Unfit { minimum_bytes, bytes, reason: UnfitReason::TooShort });
        }
        let parts = match (stream, segments) {
            (Some(stream), _) => vec![(bytes, stream.finish())],
            (None, Some(segments)) => segments.finish(),
            (None, None) => Vec::new(),
        };
        let digest = |(bytes, (layout, filters))| Digest { name: Vec::new(), bytes, layout, filters };
        Ok(parts.into_iter().map(digest).collect())
    }
}

/// A part of the input, and what came out.
type Part = (u64, (Layout, Vec<Filter>));

/// Block mode, segment after segment.
struct Segments {
    block_bytes: u32,
    segment_bytes: u64,
    done: Vec<Part>,
    current: Blocks,
    bytes: u64,
    /// Bytes behind a full segment, of which it is not known yet whether they belong to it.
    tail: Vec<u8>,
}

impl Segments {
    /// The longest tail that belongs to the segment before it.
    const TAIL_BYTES_MAX: usize = 512;

    fn new(block_bytes: u32, segment_bytes: u64) -> Segments {
        let (done, tail) = (Vec::new(), Vec::new());
        Segments { block_bytes, segment_bytes, done, current: Blocks::new(block_bytes), bytes: 0, tail }
    }

    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let left = usize::try_from(self.segment_bytes - self.bytes).unwrap_or(usize::MAX);
            if left > 0 {
                let (now, later) = bytes.split_at(bytes.len().min(left));
                self.current.update(now);
                self.bytes += now.len() as u64;
                bytes = later;
                continue;
            }
            let room = Segments::TAIL_BYTES_MAX - self.tail.len();
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.tail.extend_from_slice(now);
            bytes = later;
            if !bytes.is_empty() {
                self.end_segment();
            }
        }
    }

    /// Begins a segment with the tail.
    fn end_segment(&mut self) {
        let full = std::mem::replace(&mut self.current, Blocks::new(self.block_bytes));
        self.done.push((self.bytes, full.finish()));
        // Shorter than a segment, which is a mebibyte at least.
        self.current.update(&self.tail);
        self.bytes = self.tail.len() as u64;
        self.tail.clear();
    }

    fn finish(mut self) -> Vec<Part> {
        self.current.update(&self.tail);
        self.bytes += self.tail.len() as u64;
        self.done.push((self.bytes, self.current.finish()));
        self.done
    }
}
