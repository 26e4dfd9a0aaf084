//! Search for the ends of pieces in a whole input.
//!
//! The rolling hash at a place depends on seven bytes only, and the pieces' hashes do not enter into it. So with the
//! whole input at hand, places come first: they say which level the digest will have, and then only the pieces of two
//! levels are hashed.

use pfh_vector::ctph::{HISTORY_BYTES, Kernels, PLACES_SPARE, Trigger};

use super::hasher::{CHARACTERS_ENOUGH, level_of_size};

/// Bytes whose places are listed together.
const PART_BYTES: usize = 4096;

/// Bytes whose windows reach back to before the input, and some more.
const HEAD_BYTES: usize = 64;

/// Most places of a level that are of interest one by one.
pub(super) const FIRST_PLACES: usize = 63;

/// The places where pieces of one level end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) count: u32,
    pub(super) last: u32,
    /// One more, which is of no use.
    first: [u32; FIRST_PLACES + 1],
}

impl Ends {
    const NONE: Ends = Ends { count: 0, last: 0, first: [0; FIRST_PLACES + 1] };

    /// At most the first `limit` of them.
    pub(super) fn first(&self, limit: usize) -> &[u32] {
        &self.first[..limit.min(FIRST_PLACES).min(self.count as usize)]
    }
}

/// The level of the digest, and where the pieces of that level and of the next one end.
pub(super) struct Scan {
    pub(super) level: usize,
    pub(super) ends: [Ends; 2],
}

/// Finds the places. Memory for this.
#[derive(Clone, Debug)]
pub(super) struct Scanner {
    kernels: Kernels,
    triggers: Box<[Trigger; PART_BYTES + PLACES_SPARE]>,
}

impl Scanner {
    pub(super) fn new(kernels: Kernels) -> Scanner {
        Scanner { kernels, triggers: Box::new([Trigger::default(); PART_BYTES + PLACES_SPARE]) }
    }

    /// `bytes` are less than 4 GiB.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Scan {
        let mut highest = level_of_size(bytes.len() as u64);
        loop {
            // In random data either the level for the size or the next lower one has enough pieces.
            let lowest = highest.saturating_sub(1);
            let [a, b, c] = self.ends(bytes, lowest);
            let is_enough = |ends: &Ends| ends.count >= CHARACTERS_ENOUGH.into();
            if highest > lowest && is_enough(&b) {
                return Scan { level: highest, ends: [b, c] };
            }
            if lowest == 0 || is_enough(&a) {
                return Scan { level: lowest, ends: [a, b] };
            }
            highest = lowest - 1;
        }
    }

    /// The ends of three levels.
    fn ends(&mut self, bytes: &[u8], lowest: usize) -> [Ends; 3] {
        let mut ends = [Ends::NONE; 3];
        let (head, _) = bytes.split_at(bytes.len().min(HEAD_BYTES));
        let mut joint = [0; HISTORY_BYTES + HEAD_BYTES];
        joint[HISTORY_BYTES..][..head.len()].copy_from_slice(head);
        self.find(&joint[..HISTORY_BYTES + head.len()], 0, lowest, &mut ends);
        for start in (HEAD_BYTES..bytes.len()).step_by(PART_BYTES) {
            let end = bytes.len().min(start + PART_BYTES);
            self.find(&bytes[start - HISTORY_BYTES..end], start as u32, lowest, &mut ends);
        }
        ends
    }

    /// Adds the ends in a part, which begins after its history at `start`.
    fn find(&mut self, windows: &[u8], start: u32, lowest: usize, ends: &mut [Ends; 3]) {
        let lowest = lowest as u32;
        let count = self.kernels.triggers(windows, lowest, &mut self.triggers[..]);
        let [a, b, c] = ends;
        let (mut counts, mut lasts) = ([a.count, b.count, c.count], [a.last, b.last, c.last]);
        for &Trigger { place, level } in &self.triggers[..count] {
            let place = start + (place - HISTORY_BYTES as u32);
            for (above, ends) in [&mut *a, &mut *b, &mut *c].into_iter().enumerate() {
                let is_end = level >= lowest + above as u32;
                // Without a branch: it cannot be foreseen.
                ends.first[(counts[above] as usize).min(FIRST_PLACES)] = place;
                counts[above] += u32::from(is_end);
                lasts[above] = if is_end { place } else { lasts[above] };
            }
        }
        for (above, ends) in [a, b, c].into_iter().enumerate() {
            (ends.count, ends.last) = (counts[above], lasts[above]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_vector::Backend;

    #[test]
    fn places_reach_to_the_end_of_four_gibibytes() {
        const PLACES: u32 = 10;
        let mut scanner = Scanner::new(Kernels::new(Backend::chosen()));
        let mut ends = [Ends::NONE; 3];
        // A piece of level 0 ends at each of these bytes.
        scanner.find(&[4; HISTORY_BYTES + PLACES as usize], u32::MAX - PLACES, 0, &mut ends);
        assert_eq!((ends[0].count, ends[0].last), (PLACES, u32::MAX - 1));
    }
}
