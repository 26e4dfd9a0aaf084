//! The hasher: bytes in, digest out.

use pfh_vector::Backend;
use pfh_vector::ctph::Kernels;

use super::piece::{self, INITIAL};
use super::rolling::{PLACES, WINDOW_BYTES, low_bits, places_without, rolling_hash, trigger_level};
use super::{ALPHABET, Digest, LEVELS, SECOND_CHARACTERS_MAX};
use crate::{Family, NoDigest, NoDigestReason};

/// Characters that a level collects; one more may follow at the end.
pub(super) const CHARACTERS_MAX: usize = 63;

/// With fewer characters than this a level cannot be the digest, unless it is the lowest.
pub(super) const CHARACTERS_ENOUGH: u8 = 32;

/// The longest input that all levels together can describe: 192 GiB.
const BYTES_MAX: u64 = block_bytes(LEVELS - 1) * 64;

const _: () = assert!(matches!(Family::Ssdeep.maximum_bytes(), Some(BYTES_MAX)));

/// Bytes of a window that come before the place it belongs to.
const HISTORY_BYTES: usize = WINDOW_BYTES - 1;

/// One more than there are levels, so that the highest has a neighbour to take its second part from.
const STATES: usize = LEVELS + 1;

/// The level whose digest it is if that has enough characters.
pub(super) fn level_of_size(bytes: u64) -> usize {
    (0..LEVELS - 1).find(|&level| block_bytes(level) * 64 >= bytes).unwrap_or(LEVELS - 1)
}

/// Whether something came after the last end of a piece. A hash of zero stands for nothing, as the original has it.
pub(super) fn has_rest(latest: &[u8; WINDOW_BYTES]) -> bool {
    rolling_hash(latest) != 0
}

const fn block_bytes(level: usize) -> u64 {
    3 << level
}

/// Makes one digest from pieces of any sizes. Memory: some 2 KiB.
///
/// For every level, that is block size 3·2ᵏ, a digest is collected; in the end the one that is long enough and has the
/// largest block is chosen. A level is dropped once the input is too long for it and the level above has enough
/// characters, so the lowest level alive ends pieces ever more rarely. Between such places nothing happens but that the
/// pieces' hashes advance, 64 bytes at a time (module `piece`), and it takes a look at 64 places at once to see that no
/// piece ends there (module `rolling`).
#[derive(Clone, Debug)]
pub struct Hasher {
    kernels: Kernels,
    /// The latest bytes, oldest first; zero before the input.
    history: [u8; HISTORY_BYTES + 1],
    /// Bytes whose pieces are hashed.
    bytes: u64,
    /// The lowest level that is alive.
    lowest: usize,
    /// The level above the highest that has ended a piece. It stands for all above it, which are as it is.
    begun: usize,
    /// Hash of the present piece of each level. A full level has a last piece that never ends.
    piece: [u8; STATES],
    /// Hash of the last piece of a digest that is cut after 31 characters. With fewer it is that of the present piece,
    /// and is not kept here.
    half_piece: [u8; STATES],
    /// The level above the highest whose half piece is kept.
    halved: usize,
    /// `piece` and `half_piece` where the latest piece ended that found no room; [`NONE`] if there was none.
    last: [u8; STATES],
    half_last: [u8; STATES],
    /// Characters so far, of six bits.
    count: [u8; STATES],
    characters: [[u8; CHARACTERS_MAX]; LEVELS],
}

/// Bytes searched for the end of a piece before they are added to the pieces: they are still in the cache then.
const ADVANCE_BYTES: usize = 16 << 10;

/// No character.
const NONE: u8 = 0xFF;

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher::new()
    }
}

impl Hasher {
    /// Returns a hasher at the beginning of an input.
    pub fn new() -> Hasher {
        Hasher::with_backend(Backend::chosen())
    }

    /// Returns a hasher that uses these instructions. The digests are the same with all.
    pub fn with_backend(backend: Backend) -> Hasher {
        Hasher::with_kernels(Kernels::new(backend))
    }

    pub(super) fn with_kernels(kernels: Kernels) -> Hasher {
        Hasher {
            kernels,
            history: [0; HISTORY_BYTES + 1],
            bytes: 0,
            lowest: 0,
            begun: 0,
            piece: [INITIAL; STATES],
            half_piece: [INITIAL; STATES],
            halved: 0,
            last: [NONE; STATES],
            half_last: [NONE; STATES],
            count: [0; STATES],
            characters: [[0; CHARACTERS_MAX]; LEVELS],
        }
    }

    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        // The first windows reach back into earlier pieces of the input.
        let (head, _) = bytes.split_at(bytes.len().min(HISTORY_BYTES));
        let mut joint = [0; 2 * HISTORY_BYTES];
        joint[..HISTORY_BYTES].copy_from_slice(&self.history[1..]);
        joint[HISTORY_BYTES..][..head.len()].copy_from_slice(head);
        self.hash(&joint[..HISTORY_BYTES + head.len()]);
        if bytes.len() > HISTORY_BYTES {
            self.hash(bytes);
        }
        match bytes.last_chunk() {
            Some(latest) => self.history = *latest,
            None => {
                self.history.copy_within(bytes.len().., 0);
                self.history[WINDOW_BYTES - bytes.len()..].copy_from_slice(bytes);
            }
        }
    }

    /// Hashes all but the first six of `bytes`, which are history.
    fn hash(&mut self, bytes: &[u8]) {
        // Where the bytes begin that have not been added to the pieces.
        let mut begin = HISTORY_BYTES;
        for start in (HISTORY_BYTES..bytes.len()).step_by(PLACES) {
            if start - begin >= ADVANCE_BYTES {
                self.advance(&bytes[begin..start]);
                begin = start;
            }
            let places = (bytes.len() - start).min(PLACES);
            let windows = &bytes[start - HISTORY_BYTES..start + places];
            let low = match windows.try_into() {
                Ok(windows) => low_bits(windows),
                Err(_) => {
                    let mut padded = [0; PLACES + HISTORY_BYTES];
                    padded[..windows.len()].copy_from_slice(windows);
                    low_bits(&padded)
                }
            };
            if !low.iter().fold(false, |any, low| any | (low & self.mask() == 0)) {
                continue;
            }
            let mut found = places_without(&low, self.mask()) & (u64::MAX >> (PLACES - places));
            while found != 0 {
                let place = found.trailing_zeros() as usize;
                found &= found - 1;
                let hash = windows[place..].first_chunk().map_or(0, rolling_hash);
                if let Some(level) = trigger_level(hash).filter(|&level| level >= self.lowest) {
                    let end = start + place + 1;
                    self.advance(&bytes[begin..end]);
                    self.end_pieces(level);
                    begin = end;
                }
            }
        }
        self.advance(&bytes[begin..]);
    }

    /// The low bits of `hash + 1` that are zero where a piece of the lowest level ends.
    fn mask(&self) -> u8 {
        ((1_u32 << self.lowest) - 1) as u8
    }

    /// Adds bytes to the pieces of all levels. Of the lowest no half is wanted: it is not above the level of any
    /// digest.
    fn advance(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let halves = self.half_piece.get_mut(self.lowest + 1..self.halved).unwrap_or_default();
        piece::advance(self.kernels, [&mut self.piece[self.lowest..=self.begun], halves], bytes);
    }

    /// Ends a piece of each level alive up to `highest`.
    fn end_pieces(&mut self, highest: usize) {
        let highest = highest.min(LEVELS - 1);
        if highest >= self.begun {
            let fresh = self.piece[self.begun];
            self.piece[self.begun..=highest + 1].fill(fresh);
            self.begun = highest + 1;
        }
        for level in self.lowest..=highest {
            let (piece, count) = (self.piece[level], self.count[level]);
            if count >= CHARACTERS_ENOUGH {
                self.half_last[level] = self.half_piece[level];
            } else if count + 1 == CHARACTERS_ENOUGH {
                // The piece that ends here goes on as half piece.
                (self.half_piece[level], self.half_last[level]) = (piece, piece);
                self.halved = level + 1;
            }
            if let Some(character) = self.characters[level].get_mut(usize::from(count)) {
                *character = piece;
                self.piece[level] = INITIAL;
                self.count[level] += 1;
            } else {
                self.last[level] = piece;
            }
        }
        // The level chosen in the end is at or above the one for the size, or the first below it with enough
        // characters. Of a level below the chosen one nothing is wanted.
        while self.lowest + 1 < LEVELS
            && block_bytes(self.lowest) * 64 < self.bytes
            && self.count[self.lowest + 1] >= CHARACTERS_ENOUGH
        {
            self.lowest += 1;
        }
    }

    /// Ends the input and returns its digest.
    ///
    /// # Errors
    /// [`NoDigest`] if there were more than 192 GiB. Everything shorter has a digest, even nothing.
    pub fn finish(self) -> Result<Digest, NoDigest> {
        if self.bytes > BYTES_MAX {
            return Err(NoDigest::new(Family::Ssdeep, NoDigestReason::TooLong, self.bytes));
        }
        let mut level = level_of_size(self.bytes);
        while level > 0 && self.count[level] < CHARACTERS_ENOUGH {
            level -= 1;
        }
        let has_rest = has_rest(&self.history);
        let characters = |level: usize, limit: usize, rest: u8, last: u8| {
            let count = usize::from(self.count[level]).min(limit);
            let listed = self.characters.get(level).map_or(&[][..], |characters| &characters[..count]);
            let end = if has_rest { rest } else { last };
            let end = (end != NONE).then_some(end);
            listed.iter().copied().chain(end).map(|value| ALPHABET[usize::from(value)])
        };
        let first = characters(level, CHARACTERS_MAX, self.piece[level], self.last[level]);
        let above = level + 1;
        let is_halved = self.count[above] >= CHARACTERS_ENOUGH;
        let rest = if is_halved { self.half_piece[above] } else { self.piece[above.min(self.begun)] };
        let second = characters(above, SECOND_CHARACTERS_MAX - 1, rest, self.half_last[above]);
        Ok(Digest::from_parts(level, first, second))
    }
}
