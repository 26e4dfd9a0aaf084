//! All against all, for the families whose digests are sequences of Bloom filters.
//!
//! A score comes from pairs of filters: each filter of the smaller digest (the *needle*) looks for its best match among those of the
//! larger one. Nearly all pairs of filters do not match, and a family can tell so from few common bits. So those are
//! counted for one filter and many others at once, and only where there are enough is a pair looked at closely.
//!
//! Digests are ordered by their number of filters, so that everything that a needle is looked for in lies in one stretch; the
//! stretch is divided into *tiles* that fit the cache, and all needles go through one tile before the next one.

use std::ops::Range;

use pfh_digest::bits::{self, Column, LANES};

use crate::filter::Counted;

/// Common bits, by the elements of the other filter.
pub(crate) type Least = [u16; 256];

/// More common bits than there can be.
pub(crate) const NEVER: u16 = u16::MAX;

/// How a family compares filters.
pub(crate) trait Match {
    /// How many bits must be common, in the words that are counted, for `needle` to match any filter of so many elements and of a
    /// weight of at least `weights[elements]`; [`NEVER`] where no filter can. `None` where the needle matches nothing.
    fn least(&self, needle: &Counted, is_only: bool, weights: &Weights) -> Option<Least>;

    /// The score of two filters, above 0 if they match.
    fn score(&self, needle: &Counted, other: &Counted) -> f64;
}

/// The least weight of the filters of so many elements, [`u32::MAX`] where there are none.
pub(crate) type Weights = [u32; 256];

/// Filters of a tile: 64 bytes of each, 256 KiB, lie in the second cache of a core.
const TILE_FILTERS: usize = 4096;
/// Parts into which the work is divided at least, if there is as much of it.
const TILES_MIN: usize = 64;

/// Digests, ready to be compared.
pub(crate) struct Corpus {
    /// Places in the caller's order, by number of filters; equal ones in the caller's order.
    order: Vec<u32>,
    /// Number of filters of each digest, in this order.
    sizes: Vec<usize>,
    /// Where the filters of each digest begin, and where the last ones end.
    starts: Vec<usize>,
    filters: Vec<Counted>,
    /// Of each filter, once more, to be read in a row.
    elements: Vec<u8>,
    weights: Weights,
    /// Words of each filter that are counted.
    words: usize,
    columns: Vec<Column>,
    /// Digests of each tile.
    tiles: Vec<Range<usize>>,
}

impl Corpus {
    /// Of the filters of each digest, of which the first `words` words are counted.
    pub(crate) fn new(digests: &[Vec<Counted>], words: usize) -> Corpus {
        let mut order: Vec<u32> = (0..digests.len() as u32).collect();
        order.sort_by_key(|&digest| digests[digest as usize].len());
        let sizes: Vec<usize> = order.iter().map(|&digest| digests[digest as usize].len()).collect();
        let filters: Vec<Counted> = order.iter().flat_map(|&digest| digests[digest as usize].iter().copied()).collect();
        let mut end = 0;
        let ends = sizes.iter().map(|size| {
            end += size;
            end
        });
        let starts: Vec<usize> = [0].into_iter().chain(ends).collect();
        let mut columns = vec![[0; LANES]; filters.len().div_ceil(LANES) * words];
        let mut weights = [u32::MAX; 256];
        for (place, counted) in filters.iter().enumerate() {
            let group = &mut columns[place / LANES * words..][..words];
            group.iter_mut().zip(counted.filter.0).for_each(|(column, word)| column[place % LANES] = word);
            let least = &mut weights[usize::from(counted.elements)];
            *least = counted.weight.min(*least);
        }
        let tiles = tiles(&starts, (filters.len() / TILES_MIN).min(TILE_FILTERS));
        let elements = filters.iter().map(|counted| counted.elements as u8).collect();
        Corpus { order, sizes, starts, filters, elements, weights, words, columns, tiles }
    }

    /// Number of tiles.
    pub(crate) fn tiles(&self) -> usize {
        self.tiles.len()
    }

    /// The filters of a digest, by its place in the order of sizes.
    pub(crate) fn filters(&self, digest: usize) -> &[Counted] {
        &self.filters[self.starts[digest]..self.starts[digest + 1]]
    }

    /// A digest's place in the caller's order.
    pub(crate) fn place(&self, digest: usize) -> usize {
        self.order[digest] as usize
    }
}

/// Divides digests into stretches of about so many filters.
fn tiles(starts: &[usize], filters: usize) -> Vec<Range<usize>> {
    let mut tiles = Vec::new();
    let mut first = 0;
    for end in 1..starts.len() {
        if starts[end] - starts[first] >= filters || end + 1 == starts.len() {
            tiles.push(first..end);
            first = end;
        }
    }
    tiles
}

/// Looks for all digests of `needles` in those of one tile of `corpus` that have as many filters or more. Calls `found` with each
/// needle and digest (by their places in the orders of sizes) that have a pair of matching filters, and with the sum of the best
/// scores of the needle's filters.
pub(crate) fn search(
    needles: &Corpus,
    corpus: &Corpus,
    tile: usize,
    rule: &impl Match,
    mut found: impl FnMut(usize, usize, f64),
) {
    let backend = bits::Backend::chosen();
    let tile = corpus.tiles[tile].clone();
    let end = corpus.starts[tile.end];
    let mut counts = Vec::new();
    let mut sums = Sums { first: tile.start, sums: vec![0.0; tile.len()], touched: Vec::new() };
    let smallest_too_large = needles.sizes.partition_point(|&size| size <= corpus.sizes[tile.end - 1]);
    for needle in 0..smallest_too_large {
        let own = needles.filters(needle);
        // Digests of the tile before this one are too small.
        let first = tile.start + corpus.sizes[tile.clone()].partition_point(|&size| size < own.len());
        let start = corpus.starts[first];
        // Groups of columns do not begin and end where digests do.
        let groups = start / LANES..end.div_ceil(LANES);
        let columns = &corpus.columns[groups.start * corpus.words..groups.end * corpus.words];
        counts.resize(groups.len(), [0; LANES]);
        for filter in own {
            let Some(least) = rule.least(filter, own.len() == 1, &corpus.weights) else { continue };
            backend.and_counts(&filter.filter.0[..corpus.words], columns, &mut counts);
            let counts = &counts.as_flattened()[start - groups.start * LANES..];
            let mut best = Best { digest: first, end: corpus.starts[first + 1], score: 0.0 };
            for (place, (&count, &elements)) in (start..).zip(counts.iter().zip(&corpus.elements[start..end])) {
                if count >= least[usize::from(elements)] {
                    let score = rule.score(filter, &corpus.filters[place]);
                    if score > 0.0 {
                        best.go_to(place, corpus, &mut sums);
                        best.score = best.score.max(score);
                    }
                }
            }
            sums.add(&best);
        }
        sums.drain(|digest, sum| found(needle, digest, sum));
    }
}

/// The best score of one filter in the digest that is gone through.
struct Best {
    digest: usize,
    /// Where its filters end.
    end: usize,
    score: f64,
}

impl Best {
    /// Adds up what was found when the filter at `place` belongs to a later digest.
    fn go_to(&mut self, place: usize, corpus: &Corpus, sums: &mut Sums) {
        if place >= self.end {
            sums.add(self);
            while place >= self.end {
                self.digest += 1;
                self.end = corpus.starts[self.digest + 1];
            }
            self.score = 0.0;
        }
    }
}

/// The sums of one needle's best scores, by digest of the tile.
struct Sums {
    first: usize,
    sums: Vec<f64>,
    /// Which of them are not 0.
    touched: Vec<usize>,
}

impl Sums {
    fn add(&mut self, best: &Best) {
        if best.score > 0.0 {
            let sum = &mut self.sums[best.digest - self.first];
            if *sum == 0.0 {
                self.touched.push(best.digest);
            }
            *sum += best.score;
        }
    }

    fn drain(&mut self, mut found: impl FnMut(usize, f64)) {
        for digest in self.touched.drain(..) {
            found(digest, std::mem::take(&mut self.sums[digest - self.first]));
        }
    }
}
