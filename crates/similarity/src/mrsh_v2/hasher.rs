//! Bytes in, digest out.

use pfh_digest::chunks::{Backend, OFFSET_BASIS, fnv1a_64};
use pfh_digest::pieces::{self, HISTORY_BYTES, PLACES_SPARE, Trigger};

use super::Build;
use super::digest::{Digest, ELEMENTS_MAX};
use super::rolling::{WINDOW_BYTES, ends_chunk, roll};
use crate::Unfit;
use crate::filter::Filter;

/// Bytes that are divided at once: the more chunks there are, the better do those match that are hashed side by side.
const BUFFER_BYTES: usize = 48 << 10;
/// Bytes whose positions are listed together.
const PART_BYTES: usize = 1024;
/// After the end of a chunk, so many bytes are not looked at.
const SKIP_BYTES: usize = 40;

/// Makes the digest of an input, given in pieces of any size.
///
/// Memory: some 50 KiB, and 256 bytes for each filter, which come to less than 1 % of the input. The input itself is never held.
pub struct Hasher {
    build: Build,
    divider: Divider,
    filters: Filters,
    /// Those that ended in the buffer.
    chunks: Vec<u64>,
    /// The chunk that has not ended yet.
    open: u64,
    is_first: bool,
    bytes: u64,
}

impl Hasher {
    /// The normal build.
    pub fn new() -> Hasher {
        Hasher::with_build(Build::Normal)
    }

    /// Either build.
    pub fn with_build(build: Build) -> Hasher {
        Hasher {
            build,
            divider: Divider::new(),
            filters: Filters { filters: vec![Filter::EMPTY], last: 0 },
            chunks: Vec::new(),
            open: OFFSET_BASIS,
            is_first: true,
            bytes: 0,
        }
    }

    /// Hashes the next bytes of the input.
    pub fn update(&mut self, mut bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            bytes = &bytes[self.divider.fill(bytes)..];
            if self.divider.is_full() {
                self.divide(false);
            }
        }
    }

    /// Number of filters so far: each takes 256 bytes, and their number depends on the contents.
    pub fn filters(&self) -> usize {
        self.filters.filters.len()
    }

    /// Ends the input. The digest has no name yet.
    ///
    /// # Errors
    /// None: every input has a digest, the empty one too. The type is that of all families.
    pub fn finish(mut self) -> Result<Digest, Unfit> {
        self.divide(true);
        if self.build == Build::Normal && self.bytes > 0 {
            self.filters.insert(self.open);
        }
        let Filters { filters, last } = self.filters;
        Ok(Digest { name: Vec::new(), bytes: self.bytes, filters, last })
    }

    fn divide(&mut self, is_end: bool) {
        let done = self.divider.divide(is_end);
        let Divider { bytes, ends, .. } = &self.divider;
        Backend::chosen().fnv1a_64(self.open, bytes, ends, &mut self.chunks);
        let dropped = usize::from(self.build == Build::Network && self.is_first);
        self.chunks.iter().skip(dropped).for_each(|&chunk| self.filters.insert(chunk));
        if let Some(&end) = ends.last() {
            (self.open, self.is_first) = (fnv1a_64(OFFSET_BASIS, &bytes[end..done]), false);
        } else {
            self.open = fnv1a_64(self.open, &bytes[..done]);
        }
        self.divider.bytes.drain(..done);
    }
}

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher::new()
    }
}

/// Finds where chunks end.
struct Divider {
    bytes: Vec<u8>,
    /// Positions where a chunk would end if nothing was skipped before.
    positions: Vec<u32>,
    /// Ends of chunks in `bytes`.
    ends: Vec<usize>,
    /// The latest bytes that were looked at.
    window: u64,
    /// A chunk ended, and it is not known yet whether there are as many bytes as are to be skipped.
    skips: bool,
}

impl Divider {
    fn new() -> Divider {
        Divider {
            bytes: Vec::with_capacity(BUFFER_BYTES),
            positions: Vec::new(),
            ends: Vec::new(),
            window: 0,
            skips: false,
        }
    }

    /// Takes as many of the bytes as there is room for, and returns how many.
    fn fill(&mut self, bytes: &[u8]) -> usize {
        let taken = bytes.len().min(BUFFER_BYTES - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        taken
    }

    fn is_full(&self) -> bool {
        self.bytes.len() == BUFFER_BYTES
    }

    /// Finds the ends of chunks, and returns how many bytes are done with: all of them at the end of the input.
    fn divide(&mut self, is_end: bool) -> usize {
        let Divider { bytes, positions, ends, window, skips } = self;
        let bytes = bytes.as_slice();
        ends.clear();
        list_positions(bytes, positions);
        let mut positions = positions.iter().map(|&position| position as usize);
        let mut at = 0;
        loop {
            if *skips {
                // Fewer bytes are not skipped, but looked at.
                if bytes.len() - at >= SKIP_BYTES {
                    at += SKIP_BYTES;
                } else if !is_end {
                    return at;
                }
                *skips = false;
            }
            let Some(end) = next_end(bytes, &mut positions, at, window) else { return bytes.len() };
            ends.push(end);
            at = end;
            *skips = true;
        }
    }
}

/// Makes `positions` those where a chunk ends with a window that lies in `bytes`.
fn list_positions(bytes: &[u8], positions: &mut Vec<u32>) {
    let backend = pieces::Backend::chosen();
    let mut part = [Trigger::default(); PART_BYTES + PLACES_SPARE];
    positions.clear();
    for start in (0..bytes.len()).step_by(PART_BYTES) {
        // The windows of a part reach back into the one before.
        let from = start.saturating_sub(HISTORY_BYTES);
        let end = bytes.len().min(start + PART_BYTES);
        let count = backend.ends_160(&bytes[from..end], &mut part);
        positions.extend(part[..count].iter().map(|end| from as u32 + end.place));
    }
}

/// Looks at the bytes from `at` on until a chunk ends, and returns where. `positions` go on behind those that were passed.
fn next_end(bytes: &[u8], positions: &mut impl Iterator<Item = usize>, at: usize, window: &mut u64) -> Option<usize> {
    // In the first windows, these bytes meet those before the gap.
    for at in at..at + WINDOW_BYTES - 1 {
        *window = roll(*window, *bytes.get(at)?);
        if ends_chunk(*window) {
            return Some(at + 1);
        }
    }
    let end = positions.find(|&position| position >= at + WINDOW_BYTES - 1).map(|position| position + 1);
    let looked_at = &bytes[..end.unwrap_or(bytes.len())];
    *window = looked_at.last_chunk().map_or(*window, |latest| u64::from_le_bytes(*latest));
    end
}

/// The filters, the last of which is being filled.
struct Filters {
    filters: Vec<Filter>,
    /// Elements of the last one.
    last: u16,
}

impl Filters {
    fn insert(&mut self, chunk: u64) {
        if self.last == ELEMENTS_MAX {
            self.filters.push(Filter::EMPTY);
            self.last = 0;
        }
        let is_new = self
            .filters
            .last_mut()
            .is_some_and(|filter| filter.insert([0, 11, 22, 33, 44].map(|shift| (chunk >> shift) as u32)));
        self.last += u16::from(is_new);
    }
}
