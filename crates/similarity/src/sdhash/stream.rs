//! Stream mode: features fill one filter after another.

use pfh_vector::Backend;
use pfh_vector::sdhash_popularity::LOOK_AHEAD;
use pfh_vector::sdhash_rank::WINDOWS;

use super::Profile;
use super::digest::Layout;
use super::features::{self, Feature};
use super::window::{FEATURE_BYTES, Window};
use crate::filter::Filter;

/// Bytes that are scored as one; features that straddle two chunks are lost.
const CHUNK_BYTES: u64 = 32 << 20;
/// Bytes of a window, at most: with costs and scores 64 KiB of memory. Each time, as many positions are scored as fill
/// the lanes and are a multiple of those whose entropies are found together.
const WINDOW_BYTES_MAX: usize = 4 * WINDOWS + FEATURE_BYTES + LOOK_AHEAD;
/// And at least, so that little of it is overlap.
const WINDOW_BYTES_MIN: usize = 1 << 10;
/// A position whose score is at least this becomes a feature.
const SCORE_MIN: u8 = 17;
pub(super) const ELEMENTS_MAX: u16 = 160;
/// A last filter with fewer elements is dropped if there are others.
const LAST_ELEMENTS_MIN: u16 = 20;

#[derive(Debug)]
pub(super) struct Stream {
    window: Window,
    window_bytes: usize,
    /// The bytes that the window looks at next, unless all of them lie in what was given.
    gathered: Vec<u8>,
    filters: Filters,
    /// Bytes that the current chunk still takes.
    left: u64,
}

impl Stream {
    /// Makes a stream for an input of this length in bytes, if it is known.
    pub(super) fn new(profile: Profile, input_bytes: Option<u64>, backend: Backend) -> Stream {
        let input_bytes = input_bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
        // A short input does not fill the window, and so is scored at once.
        let window_bytes = input_bytes.saturating_add(1).clamp(WINDOW_BYTES_MIN, WINDOW_BYTES_MAX);
        Stream {
            window: Window::new(window_bytes, backend),
            window_bytes,
            gathered: Vec::new(),
            filters: Filters {
                filters: vec![Filter::EMPTY],
                last: 0,
                seen: (profile == Profile::V4_0).then(Seen::new),
            },
            left: CHUNK_BYTES,
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            let most = (bytes.len() - at).min(usize::try_from(self.left).unwrap_or(usize::MAX));
            if self.gathered.is_empty() && most >= self.window_bytes {
                let done = self.score(&bytes[at..at + self.window_bytes], false);
                self.left -= done as u64;
                at += done;
                continue;
            }
            let taken = most.min(self.window_bytes - self.gathered.len());
            self.gathered.extend_from_slice(&bytes[at..at + taken]);
            self.left -= taken as u64;
            at += taken;
            if self.left == 0 {
                self.end_chunk();
            } else if self.gathered.len() == self.window_bytes {
                let mut gathered = std::mem::take(&mut self.gathered);
                let done = self.score(&gathered, false);
                gathered.drain(..done);
                if gathered.len() <= taken {
                    // The bytes that are needed again lie in the input itself.
                    self.left += gathered.len() as u64;
                    at -= gathered.len();
                    gathered.clear();
                }
                self.gathered = gathered;
            }
        }
    }

    pub(super) fn finish(mut self) -> (Layout, Vec<Filter>) {
        self.end_chunk();
        let Filters { mut filters, mut last, .. } = self.filters;
        if filters.len() > 1 && last < LAST_ELEMENTS_MIN {
            filters.pop();
            last = ELEMENTS_MAX;
        }
        (Layout::Stream { last }, filters)
    }

    /// Returns the number of bytes that are not needed again: none at the end of the chunk.
    fn score(&mut self, bytes: &[u8], is_end: bool) -> usize {
        let Stream { window, filters, .. } = self;
        window.score(bytes, is_end);
        window.find_features(SCORE_MIN);
        let found: Vec<Feature<'_>> = window.features(bytes).collect();
        features::hash(&found, window.backend(), |_, words| filters.insert(words));
        if is_end { 0 } else { window.retire() }
    }

    fn end_chunk(&mut self) {
        let mut gathered = std::mem::take(&mut self.gathered);
        self.score(&gathered, true);
        gathered.clear();
        self.gathered = gathered;
        self.window.clear();
        self.left = CHUNK_BYTES;
        if let Some(seen) = &mut self.filters.seen {
            seen.count = 0;
        }
    }
}

/// The filters, the last of which is being filled.
#[derive(Debug)]
struct Filters {
    filters: Vec<Filter>,
    /// Elements of the last one.
    last: u16,
    /// Profile 4.0 only.
    seen: Option<Seen>,
}

impl Filters {
    fn insert(&mut self, words: [u32; 5]) {
        let is_new = self.filters.last_mut().is_some_and(|filter| filter.insert(words));
        if !is_new || !self.seen.as_mut().is_none_or(|seen| seen.insert(words)) {
            return;
        }
        self.last += 1;
        if let Some(seen) = &mut self.seen {
            seen.count();
        }
        if self.last == ELEMENTS_MAX {
            self.filters.push(Filter::EMPTY);
            self.last = 0;
        }
    }
}

/// The large filter of profile 4.0, through which each feature counts once.
#[derive(Debug)]
struct Seen {
    words: Box<[u64; Seen::BITS / 64]>,
    count: u32,
}

impl Seen {
    const BITS: usize = 1 << 17;
    const ELEMENTS_MAX: u32 = 8738;

    fn new() -> Seen {
        Seen { words: Box::new([0; Seen::BITS / 64]), count: 0 }
    }

    fn insert(&mut self, bits: [u32; 5]) -> bool {
        let mut fresh = 0;
        for bit in bits {
            let word = &mut self.words[(bit as usize % Seen::BITS) / 64];
            let mask = 1 << (bit % 64);
            fresh |= !*word & mask;
            *word |= mask;
        }
        fresh != 0
    }

    fn count(&mut self) {
        self.count += 1;
        if self.count == Seen::ELEMENTS_MAX {
            self.words.fill(0);
            self.count = 0;
        }
    }
}
