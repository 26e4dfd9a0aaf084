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

/// How a family compares filters.
pub(crate) trait Match {
    /// A needle with fewer elements matches nothing.
    const ELEMENTS_MIN: u16;

    /// True if a needle, which may be the only one of its digest, does not match filters with so few elements either.
    fn skips_sparse(&self, is_only: bool) -> bool;

    /// For each of many filters the least number of bits that `needle` must have in common with it, in the words that are
    /// counted, to match it. Less than that is allowed, and costs time.
    fn least(&self, needle: &Counted, numbers: Numbers<'_>, least: &mut [i16]);

    /// The score of two filters, which have `common` bits in the words that are counted; above 0 if they match.
    fn score(&self, needle: &Counted, other: &Counted, common: u32) -> f64;
}

/// More common bits than there can be.
const NEVER: i16 = i16::MAX;

/// The numbers of many filters, each kind in a row.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'c> {
    weights: &'c [u16],
    /// [`share`] of the elements.
    shares: &'c [u16],
    pub(crate) elements: &'c [u8],
}

impl Numbers<'_> {
    /// Bounds of cut-offs that lie three tenths of the way from the common bits that chance gives to the lesser of both weights:
    /// what is computed here is at most the cut-off before it is rounded, up to 1, so that `least` gets it through
    /// `bound`. All in 16 bits, which makes short vectors of it.
    pub(crate) fn cuts(self, needle: &Counted, least: &mut [i16], bound: impl Fn(i16) -> i16) {
        const THREE_TENTHS: u16 = 19_660;
        let weight = needle.weight as u16;
        let chance = (0.7 * 2048.0 * f64::from(share(needle.elements)) / 65_536.0) as u16;
        for ((least, &other), &share) in least.iter_mut().zip(self.weights).zip(self.shares) {
            *least = bound((product(other.min(weight), THREE_TENTHS) + product(share, chance)) as i16);
        }
    }
}

/// The share of bits that so many elements are expected to set, in 1/65536: the product of two of them is what two filters have in
/// common by chance.
fn share(elements: u16) -> u16 {
    (65_536.0 * (1.0 - (2047.0 / 2048.0_f64).powi(5 * i32::from(elements)))) as u16
}

/// Of two numbers, one of which is in 1/65536.
fn product(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

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
    /// [`Numbers`] of all filters.
    weights: Vec<u16>,
    shares: Vec<u16>,
    elements: Vec<u8>,
    /// Places of filters with few elements.
    sparse: Vec<usize>,
    /// Words of each filter that are counted.
    words: usize,
    columns: Vec<Column>,
    /// Digests of each tile.
    tiles: Vec<Range<usize>>,
}

impl Corpus {
    /// Of the filters of each digest, of which the first `words` words are counted.
    pub(crate) fn new<M: Match>(digests: &[Vec<Counted>], words: usize) -> Corpus {
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
        for (place, counted) in filters.iter().enumerate() {
            let group = &mut columns[place / LANES * words..][..words];
            group.iter_mut().zip(counted.filter.0).for_each(|(column, word)| column[place % LANES] = word);
        }
        let tiles = tiles(&starts, (filters.len() / TILES_MIN).min(TILE_FILTERS));
        let weights = filters.iter().map(|counted| counted.weight as u16).collect();
        let shares_of: Vec<u16> = (0..256).map(share).collect();
        let shares = filters.iter().map(|counted| shares_of[usize::from(counted.elements)]).collect();
        let elements = filters.iter().map(|counted| counted.elements as u8).collect();
        let is_sparse = |&place: &usize| filters[place].elements < M::ELEMENTS_MIN;
        let sparse = (0..filters.len()).filter(is_sparse).collect();
        Corpus { order, sizes, starts, filters, weights, shares, elements, sparse, words, columns, tiles }
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
pub(crate) fn search<M: Match>(
    needles: &Corpus,
    corpus: &Corpus,
    tile: usize,
    rule: &M,
    mut found: impl FnMut(usize, usize, f64),
) {
    let backend = bits::Backend::chosen();
    let tile = corpus.tiles[tile].clone();
    let end = corpus.starts[tile.end];
    let (mut counts, mut least) = (Vec::new(), Vec::new());
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
        least.resize(end - start, 0);
        let numbers = Numbers {
            weights: &corpus.weights[start..end],
            shares: &corpus.shares[start..end],
            elements: &corpus.elements[start..end],
        };
        for filter in own.iter().filter(|filter| filter.elements >= M::ELEMENTS_MIN) {
            backend.and_counts(&filter.filter.0[..corpus.words], columns, &mut counts);
            let counts = &counts.as_flattened()[start - groups.start * LANES..][..end - start];
            rule.least(filter, numbers, &mut least);
            if rule.skips_sparse(own.len() == 1) {
                let sparse = corpus.sparse.partition_point(|&place| place < start)..;
                let sparse = corpus.sparse[sparse].iter().take_while(|&&place| place < end);
                sparse.for_each(|&place| least[place - start] = NEVER);
            }
            let mut best = Best { digest: first, end: corpus.starts[first + 1], score: 0.0 };
            candidates(counts, &least, |candidate| {
                let place = start + candidate;
                let score = rule.score(filter, &corpus.filters[place], counts[candidate].into());
                if score > 0.0 {
                    best.go_to(place, corpus, &mut sums);
                    best.score = best.score.max(score);
                }
            });
            sums.add(&best);
        }
        sums.drain(|digest, sum| found(needle, digest, sum));
    }
}

/// Calls `candidate` with each place whose count is enough.
fn candidates(counts: &[u16], least: &[i16], mut candidate: impl FnMut(usize)) {
    const GROUP: usize = 16;
    let is_enough = |(&count, &least): (&u16, &i16)| count as i16 >= least;
    for (group, (counts, least)) in counts.chunks(GROUP).zip(least.chunks(GROUP)).enumerate() {
        // Without a way out of the loop, so that it becomes a few vector instructions.
        if counts.iter().zip(least).fold(false, |any, pair| any | is_enough(pair)) {
            let enough = counts.iter().zip(least).zip(group * GROUP..).filter(|&(pair, _)| is_enough(pair));
            enough.for_each(|(_, place)| candidate(place));
        }
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
