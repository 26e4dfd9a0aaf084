//! Block mode: one filter for each block, of its best features.

use pfh_vector::Backend;

use super::digest::Layout;
use super::features::{self, Feature};
use super::window::Window;
use crate::filter::Filter;

pub(super) const ELEMENTS_MAX: u16 = 192;
/// A remainder of the input with fewer bytes gets no filter.
const REMAINDER_BYTES_MIN: usize = 512;
/// The threshold of a remainder; the lowest that a block can have is one less.
const SCORE_MIN: usize = 16;
/// The highest score: that of a position which is the best one of every window it lies in.
const SCORE_MAX: usize = 65;

#[derive(Debug)]
pub(super) struct Blocks {
    window: Window,
    block_bytes: u32,
    /// The beginning of a block, if it is not given as a whole.
    gathered: Vec<u8>,
    filters: Vec<Filter>,
    /// Of each filter.
    elements: Vec<u8>,
}

impl Blocks {
    pub(super) fn new(block_bytes: u32, backend: Backend) -> Blocks {
        let window = Window::new(block_bytes as usize, backend);
        Blocks { window, block_bytes, gathered: Vec::new(), filters: Vec::new(), elements: Vec::new() }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        let block_bytes = self.block_bytes as usize;
        while !bytes.is_empty() {
            if self.gathered.is_empty() && bytes.len() >= block_bytes {
                let (block, rest) = bytes.split_at(block_bytes);
                self.end_block(block);
                bytes = rest;
                continue;
            }
            let (taken, rest) = bytes.split_at(bytes.len().min(block_bytes - self.gathered.len()));
            self.gathered.extend_from_slice(taken);
            bytes = rest;
            if self.gathered.len() == block_bytes {
                self.end_gathered();
            }
        }
    }

    pub(super) fn finish(mut self) -> (Layout, Vec<Filter>) {
        if self.gathered.len() >= REMAINDER_BYTES_MIN {
            self.end_gathered();
        }
        (Layout::Blocks { block_bytes: self.block_bytes, elements: self.elements }, self.filters)
    }

    fn end_gathered(&mut self) {
        let mut gathered = std::mem::take(&mut self.gathered);
        self.end_block(&gathered);
        gathered.clear();
        self.gathered = gathered;
    }

    fn end_block(&mut self, block: &[u8]) {
        self.window.score(block, true);
        self.window.find_features(SCORE_MIN as u8 - 1);
        let mut found: Vec<Feature<'_>> = self.window.features(block).collect();
        let is_full = block.len() == self.block_bytes as usize;
        let mut selection = if is_full { selection(&found) } else { Selection::new(SCORE_MIN, ELEMENTS_MAX) };
        found.retain(|feature| feature.score >= selection.threshold);
        features::hash(&found, self.window.backend(), |score, words| selection.insert(score, words));
        self.window.clear();
        self.filters.push(selection.filter);
        self.elements.push(selection.elements as u8);
    }
}

/// Takes as many of the highest scores as there is room for.
fn selection(found: &[Feature<'_>]) -> Selection {
    let mut counts = [0_usize; SCORE_MAX + 1];
    found.iter().for_each(|feature| counts[usize::from(feature.score)] += 1);
    let (mut threshold, mut room) = (SCORE_MAX, usize::from(ELEMENTS_MAX));
    // Where all fit, this ends one below the lowest score of a feature, of which then some are taken too: so does the
    // original.
    while threshold >= SCORE_MIN && counts[threshold] <= room {
        room -= counts[threshold];
        threshold -= 1;
    }
    Selection::new(threshold, room as u16)
}

/// The choice of a block's features that go into its filter.
struct Selection {
    filter: Filter,
    elements: u16,
    /// Features of a higher score are taken, and some of this one.
    threshold: u8,
    at_threshold: u16,
}

impl Selection {
    fn new(threshold: usize, at_threshold: u16) -> Selection {
        Selection { filter: Filter::EMPTY, elements: 0, threshold: threshold as u8, at_threshold }
    }

    fn insert(&mut self, score: u8, words: [u32; 5]) {
        let is_at_threshold = score == self.threshold;
        if self.elements == ELEMENTS_MAX || (is_at_threshold && self.at_threshold == 0) || !self.filter.insert(words) {
            return;
        }
        self.elements += 1;
        self.at_threshold -= u16::from(is_at_threshold);
    }
}
