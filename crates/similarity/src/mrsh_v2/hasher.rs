//! Bytes in, digest out.

use pfh_vector::fnv1a_many::OFFSET_BASIS;
use pfh_vector::{Backend, ctph, fnv1a_many};

use super::Build;
use super::digest::{Digest, ELEMENTS_MAX};
use super::rolling::{WINDOW_BYTES, ends_chunk, near_ends, roll};
use crate::NoDigest;
use crate::filter::Filter;

/// Bytes that are divided at once: the more chunks there are, the better do those match that are hashed side by side.
const PART_BYTES: usize = 32 << 10;
/// Least number of bytes that are divided in place; fewer are gathered.
const ENOUGH_BYTES: usize = 16 << 10;
/// Number of bytes after the end of a chunk that are skipped.
const SKIP_BYTES: usize = 40;

/// Makes the digest of an input, given in pieces of any size.
///
/// Memory: some 50 KiB, or 200 where contents are made to end a chunk everywhere; and 256 bytes for each filter, which
/// come to less than 1 % of the input. The input itself is never held.
#[derive(Debug)]
pub struct Hasher {
    build: Build,
    kernels: fnv1a_many::Kernels,
    /// Bytes that are not divided yet.
    gathered: Vec<u8>,
    divider: Divider,
    filters: Filters,
    /// Those that ended in the latest part.
    chunks: Vec<u64>,
    /// The chunk that has not ended yet.
    open: u64,
    is_first: bool,
    bytes: u64,
}

impl Hasher {
    /// Returns a hasher of the normal build.
    pub fn new() -> Hasher {
        Hasher::with_build(Build::Normal)
    }

    /// Returns a hasher of either build.
    pub fn with_build(build: Build) -> Hasher {
        Hasher::with_backend(build, Backend::chosen())
    }

    /// Returns a hasher that uses these instructions. The digests are the same with all.
    pub fn with_backend(build: Build, backend: Backend) -> Hasher {
        Hasher {
            build,
            kernels: fnv1a_many::Kernels::new(backend),
            gathered: Vec::new(),
            divider: Divider::new(ctph::Kernels::new(backend)),
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
            if self.gathered.is_empty() && bytes.len() >= ENOUGH_BYTES {
                let done = self.divide(&bytes[..bytes.len().min(PART_BYTES)], false);
                bytes = &bytes[done..];
            } else {
                let (taken, rest) = bytes.split_at(bytes.len().min(PART_BYTES - self.gathered.len()));
                self.gathered.extend_from_slice(taken);
                bytes = rest;
                if self.gathered.len() == PART_BYTES {
                    self.divide_gathered(false);
                }
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
    pub fn finish(mut self) -> Result<Digest, NoDigest> {
        self.divide_gathered(true);
        if self.build == Build::Normal && self.bytes > 0 {
            self.filters.insert(self.open);
        }
        let Filters { filters, last } = self.filters;
        Ok(Digest { name: Vec::new(), bytes: self.bytes, filters, last })
    }

    fn divide_gathered(&mut self, is_end: bool) {
        let mut gathered = std::mem::take(&mut self.gathered);
        let done = self.divide(&gathered, is_end);
        gathered.drain(..done);
        self.gathered = gathered;
    }

    /// Returns how many of the bytes are done with: all of them at the end of the input.
    fn divide(&mut self, bytes: &[u8], is_end: bool) -> usize {
        let done = self.divider.divide(bytes, is_end);
        // Bytes after the last end belong to the chunk that goes on.
        self.divider.ends.push(done);
        self.kernels.fnv1a_64(self.open, &bytes[..done], &self.divider.ends, &mut self.chunks);
        self.open = self.chunks.pop().unwrap_or(self.open);
        let dropped = usize::from(self.build == Build::Network && self.is_first);
        self.chunks.iter().skip(dropped).for_each(|&chunk| self.filters.insert(chunk));
        self.is_first &= self.chunks.is_empty();
        done
    }
}

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher::new()
    }
}

/// Finds where chunks end.
#[derive(Debug)]
struct Divider {
    kernels: ctph::Kernels,
    /// Positions where a chunk would end if nothing was skipped before.
    positions: Vec<u32>,
    /// Ends of chunks in the latest bytes.
    ends: Vec<usize>,
    /// The latest bytes that were examined.
    window: u64,
    /// A chunk ended, and it is not known yet whether there are as many bytes as are to be skipped.
    skips: bool,
}

impl Divider {
    fn new(kernels: ctph::Kernels) -> Divider {
        Divider { kernels, positions: Vec::new(), ends: Vec::new(), window: 0, skips: false }
    }

    /// Finds the ends of chunks, and returns how many bytes are done with: all of them at the end of the input.
    fn divide(&mut self, bytes: &[u8], is_end: bool) -> usize {
        let Divider { kernels, positions, ends, window, skips } = self;
        ends.clear();
        kernels.ends_160(bytes, positions);
        let mut positions = positions.iter().map(|&position| position as usize);
        let mut at = 0;
        loop {
            if *skips {
                // Fewer bytes are not skipped, but examined.
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

/// Looks at the bytes from `at` on until a chunk ends, and returns where. `positions` go on behind those that were
/// passed.
#[inline]
fn next_end(bytes: &[u8], positions: &mut impl Iterator<Item = usize>, at: usize, window: &mut u64) -> Option<usize> {
    let rest = &bytes[at..];
    let next = u64::from_le_bytes(rest.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; 8];
        padded[..rest.len()].copy_from_slice(rest);
        padded
    }));
    // In the first windows, these bytes meet those before the gap.
    let mut near = near_ends(*window, next);
    while near != 0 {
        let count = near.trailing_zeros() as usize / 8 + 1;
        let rolled = roll(*window, next, count);
        if ends_chunk(rolled) && count <= rest.len() {
            *window = rolled;
            return Some(at + count);
        }
        near &= near - 1;
    }
    if rest.len() <= WINDOW_BYTES {
        *window = roll(*window, next, rest.len());
        return None;
    }
    let end = positions.find(|&position| position >= at + WINDOW_BYTES).map(|position| position + 1);
    let looked_at = &bytes[..end.unwrap_or(bytes.len())];
    *window = looked_at.last_chunk().map_or(*window, |latest| u64::from_le_bytes(*latest));
    end
}

/// The filters, the last of which is being filled.
#[derive(Debug)]
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
