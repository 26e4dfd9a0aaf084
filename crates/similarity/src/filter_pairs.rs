//! All similar pairs, for the families whose digests are sequences of Bloom filters.
//!
//! A score comes from pairs of filters: each filter of the smaller digest (the *needle*) looks for its best match among
//! those of the larger one. Nearly all pairs of filters do not match, and few common bits tell so. So those are counted
//! for one filter and many others at once, and only where there are enough is a score computed.
//!
//! Digests are ordered by their number of filters, so that everything that a needle is compared with lies in one
//! stretch; the stretch is divided into *tiles* that fit the cache, and all needles go through one tile before the next
//! one. Within a tile filters are ordered by weight, since those with few bits have to be examined closely more often,
//! and eight are processed at a time.

use std::cmp::Reverse;
use std::ops::Range;

use pfh_vector::bloom::{Columns, Kernels, OverlapSearch, STAGE_ENDS};

use crate::filter::Counted;

/// How a family compares filters.
pub(crate) trait Match {
    /// A needle with fewer elements matches nothing.
    const ELEMENTS_MIN: u16;

    /// As for [`pfh_vector::bloom::OverlapSearch`].
    const TOLERANCE: u16;

    /// True if a needle, which may be the only one of its digest, does not match filters with so few elements either.
    fn skips_sparse(&self, is_only: bool) -> bool;

    /// For each of many filters the number of bits of which `needle` must have more in common with it, to match it.
    /// Less than that is allowed, and costs time.
    fn min_common(&self, needle: &Counted, numbers: Numbers<'_>, min_common: &mut [u16]);

    /// The score of two filters with these numbers of common bits up to each of [`STAGE_ENDS`]; above 0 if they match.
    fn score(&self, needle: &Counted, other: &Counted<()>, counts: [u16; STAGE_ENDS.len()]) -> f64;
}

/// The numbers of many filters, each kind in a row.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<'c> {
    weights: &'c [u16],
    /// [`share`] of the elements.
    shares: &'c [u16],
    pub(crate) elements: &'c [u8],
}

impl Numbers<'_> {
    /// Bounds of cut-offs that lie three tenths of the way from the common bits that chance gives to the lesser of both
    /// weights: what is computed here is at most the cut-off before it is rounded. `min_common` is that without
    /// `rounding`. All in 16 bits, which makes short vectors of it.
    pub(crate) fn cuts(self, needle: &Counted, min_common: &mut [u16], rounding: u16) {
        const THREE_TENTHS: u16 = 19_660;
        let weight = needle.weight as u16;
        let chance = (0.7 * 2048.0 * f64::from(share(needle.elements)) / 65_536.0) as u16;
        for ((min_common, &other), &share) in min_common.iter_mut().zip(self.weights).zip(self.shares) {
            let cut = product(other.min(weight), THREE_TENTHS) + product(share, chance);
            *min_common = cut.saturating_sub(rounding);
        }
    }
}

/// The share of bits that this number of elements is expected to set, in 1/65536: the product of two shares is that of
/// common bits by chance.
fn share(elements: u16) -> u16 {
    (65_536.0 * (1.0 - (2047.0 / 2048.0_f64).powi(5 * i32::from(elements)))) as u16
}

/// Of two numbers, one of which is in 1/65536.
fn product(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

/// Filters of a tile: the first 32 bytes of each, 32 KiB, lie in the first cache of a core.
const TILE_FILTERS: usize = 1024;
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
    tiles: Vec<Tile>,
}

/// Digests that are searched together.
struct Tile {
    digests: Range<usize>,
    /// Of each filter, in the order of the tile.
    places: Vec<Place>,
    /// [`Numbers`] of all of them.
    weights: Vec<u16>,
    shares: Vec<u16>,
    elements: Vec<u8>,
    /// Number of filters with enough elements, which are the first ones.
    dense: usize,
    columns: Columns,
}

/// A filter of a tile.
struct Place {
    /// Counted from the tile's first one.
    digest: usize,
    numbers: Counted<()>,
}

impl Corpus {
    /// Of the filters of each digest; `None` soon after `is_cancelled` has become true.
    pub(crate) fn new<M: Match>(
        is_cancelled: &dyn Fn() -> bool,
        digests: impl Iterator<Item = Vec<Counted>>,
    ) -> Option<Corpus> {
        let digests = until(is_cancelled, digests)?;
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
        let tiles = tiles(&starts, (filters.len() / TILES_MIN).min(TILE_FILTERS));
        let tiles = tiles.into_iter().map(|digests| Tile::new::<M>(digests, &starts, &filters));
        let tiles = until(is_cancelled, tiles)?;
        Some(Corpus { order, sizes, starts, filters, tiles })
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

/// Cancels nothing.
pub(crate) const NEVER: &dyn Fn() -> bool = &|| false;

/// Why preparing a comparison that nothing cancels gives one.
pub(crate) const NEVER_ENDS: &str = "nothing cancels it";

/// Returns one side that may be absent; `None` if preparing it was cancelled.
#[expect(clippy::option_option, reason = "absent and cancelled are two things")]
pub(crate) fn both<T>(side: Option<Option<T>>) -> Option<Option<T>> {
    side.map_or(Some(None), |side| side.map(Some))
}

/// Collects values; `None` soon after `is_cancelled` has become true.
pub(crate) fn until<T>(is_cancelled: &dyn Fn() -> bool, values: impl Iterator<Item = T>) -> Option<Vec<T>> {
    values.map(|value| if is_cancelled() { None } else { Some(value) }).collect()
}

impl Tile {
    /// Of these digests, whose filters begin at `starts`.
    fn new<M: Match>(digests: Range<usize>, starts: &[usize], filters: &[Counted]) -> Tile {
        let first = digests.start;
        let own = |digest: usize| {
            filters[starts[digest]..starts[digest + 1]].iter().map(move |filter| (digest - first, filter))
        };
        let mut all: Vec<(usize, &Counted)> = digests.clone().flat_map(own).collect();
        let is_sparse = |filter: &Counted| filter.elements < M::ELEMENTS_MIN;
        all.sort_by_key(|(_, filter)| (is_sparse(filter), Reverse(filter.weight)));
        let shares: [u16; 256] = std::array::from_fn(|elements| share(elements as u16));
        Tile {
            digests,
            places: all.iter().map(|&(digest, filter)| Place { digest, numbers: filter.numbers() }).collect(),
            weights: all.iter().map(|(_, filter)| filter.weight as u16).collect(),
            shares: all.iter().map(|(_, filter)| shares[usize::from(filter.elements)]).collect(),
            elements: all.iter().map(|(_, filter)| filter.elements as u8).collect(),
            dense: all.partition_point(|(_, filter)| !is_sparse(filter)),
            columns: Columns::new(all.iter().map(|(_, filter)| &filter.filter.0)),
        }
    }

    /// The numbers of the first `count` filters.
    fn numbers(&self, count: usize) -> Numbers<'_> {
        Numbers { weights: &self.weights[..count], shares: &self.shares[..count], elements: &self.elements[..count] }
    }
}

/// Divides digests into stretches of about `filters` filters.
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

/// Looks for all digests of `needles` in those of one tile of `corpus` that have as many filters or more. Calls `found`
/// with each needle and digest (by their places in the orders of sizes) that have a pair of matching filters, and with
/// the sum of the best scores of the needle's filters. Returns soon after `is_cancelled` has become true.
pub(crate) fn search<M: Match>(
    is_cancelled: &dyn Fn() -> bool,
    kernels: Kernels,
    needles: &Corpus,
    corpus: &Corpus,
    tile: usize,
    rule: &M,
    mut found: impl FnMut(usize, usize, f64),
) {
    let tile = &corpus.tiles[tile];
    let sizes = &corpus.sizes[tile.digests.clone()];
    let (mut min_common, mut candidates) = (Vec::new(), Vec::new());
    let mut sums = Sums::new(sizes.len());
    let mut best = Sums::new(sizes.len());
    let smallest_too_large = needles.sizes.partition_point(|size| Some(size) <= sizes.last());
    for needle in 0..smallest_too_large {
        let own = needles.filters(needle);
        // Digests of the tile before this one are too small.
        let first = sizes.partition_point(|&size| size < own.len());
        let searched = if rule.skips_sparse(own.len() == 1) { tile.dense } else { tile.places.len() };
        min_common.resize(searched, 0);
        for filter in own.iter().filter(|filter| filter.elements >= M::ELEMENTS_MIN) {
            if is_cancelled() {
                return;
            }
            rule.min_common(filter, tile.numbers(searched), &mut min_common);
            let search = OverlapSearch { words: &filter.filter.0, min_common: &min_common, tolerance: M::TOLERANCE };
            kernels.search(&search, &tile.columns, 0, &mut candidates);
            for candidate in candidates.drain(..) {
                let Place { digest, numbers } = &tile.places[candidate.place as usize];
                if *digest >= first {
                    best.raise(*digest, rule.score(filter, numbers, candidate.counts));
                }
            }
            best.drain(|digest, score| sums.add(digest, score));
        }
        sums.drain(|digest, sum| found(needle, tile.digests.start + digest, sum));
    }
}

/// Numbers of digests of a tile: all 0 but a few.
struct Sums {
    sums: Vec<f64>,
    /// Which of them are not 0.
    touched: Vec<usize>,
}

impl Sums {
    fn new(digests: usize) -> Sums {
        Sums { sums: vec![0.0; digests], touched: Vec::new() }
    }

    /// Replaces a number by what `change` makes of it, which is not less.
    fn update(&mut self, digest: usize, change: impl FnOnce(f64) -> f64) {
        let sum = &mut self.sums[digest];
        let before = std::mem::replace(sum, change(*sum));
        if before == 0.0 && *sum > 0.0 {
            self.touched.push(digest);
        }
    }

    fn raise(&mut self, digest: usize, score: f64) {
        self.update(digest, |sum| sum.max(score));
    }

    fn add(&mut self, digest: usize, score: f64) {
        self.update(digest, |sum| sum + score);
    }

    fn drain(&mut self, mut each: impl FnMut(usize, f64)) {
        for digest in self.touched.drain(..) {
            each(digest, std::mem::take(&mut self.sums[digest]));
        }
    }
}
