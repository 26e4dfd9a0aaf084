//! Context-triggered pieces (ssdeep, mrsh-v2): where they may end, and the hashes of many at once (ssdeep; for mrsh-v2
//! see `fnv1a_many`).
//!
//! Two kernels, for what takes the time. Both look at 64 bytes at once, the first one at neighbours, the second one at
//! those of 32 different files. How digests are made of pieces is the business of `pfh-similarity`.
//!
//! Source: J. Kornblum, "Identifying almost identical files using context triggered piecewise hashing", Digital
//! Investigation 3S, 2006.
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

#[cfg(target_arch = "x86_64")]
mod maps;

use crate::Backend;
#[cfg(target_arch = "x86_64")]
use crate::bytes64;
use crate::bytes64::{Bytes, WIDTH, compiled};
use crate::kernels::kernels;

/// Bytes of a window of the rolling hash.
pub const WINDOW_BYTES: usize = 7;

/// Bytes before the first place: a window and one more.
pub const HISTORY_BYTES: usize = WINDOW_BYTES;

/// Entries of the list of places beyond one for each place: a vector store may write past the last one.
pub const PLACES_SPARE: usize = 8;

/// A place where pieces may end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trigger {
    /// The place of the last byte of a piece.
    pub place: u32,
    /// Pieces of this level and of all lower ones end here.
    pub level: u32,
}

/// Files side by side.
pub const FILES: usize = 32;

/// Hashes of a piece side by side: two for each file, of lanes `2 * file` and `2 * file + 1`.
pub const LANES: usize = WIDTH;

/// One byte of each lane.
pub type LaneBytes = [u8; LANES];

/// Bytes of each file that are hashed at once.
pub const TILE_BYTES: usize = 256;

/// The hash of a piece before its first byte.
pub const INITIAL: u8 = 0x27;

/// Values of that hash: it has six bits.
pub const VALUES: usize = 64;

/// [`Kernels::map`] takes multiples of this number of bytes.
pub const MAPPED_BYTES: usize = 256;

kernels! {
    /// Kernels for context-triggered pieces.
    pub struct Kernels {
        Avx512 = "avx512", bytes64::AVX512;
        Avx2 = "avx2", bytes64::AVX2;
    }
}

impl Kernels {
    /// Returns the kernels of a backend.
    pub fn new(backend: Backend) -> Kernels {
        Kernels::best(backend.features())
    }

    /// Writes into `triggers` where in `bytes` pieces of level `lowest` or higher end, in order, and returns how many
    /// there are. The first place is that of the eighth byte. For a `lowest` above 8, those of level 8 and higher are
    /// there, too.
    ///
    /// A piece of level k ends where `hash + 1`, unless it is 0, is divisible by 3·2ᵏ; `hash` is [`rolling_hash`] of
    /// the window that ends there.
    ///
    /// # Panics
    /// When `triggers` has not [`PLACES_SPARE`] more entries than there are places, or there are 2³² bytes or more.
    pub fn triggers(self, bytes: &[u8], lowest: u32, triggers: &mut [Trigger]) -> usize {
        assert!(triggers.len() >= bytes.len().saturating_sub(HISTORY_BYTES) + PLACES_SPARE, "room for all places");
        assert!(u32::try_from(bytes.len()).is_ok(), "less than 2³² bytes");
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe { triggers_avx512(bytes, lowest, triggers) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2 => unsafe { triggers_avx2(bytes, lowest, triggers) },
            Form::Portable => triggers_plain(bytes, lowest, triggers),
        }
    }

    /// Replaces `ends` by the places of the last bytes of pieces of a mean length of 160 bytes (mrsh-v2) in `bytes`, in
    /// order. The first place is that of the eighth byte.
    ///
    /// They end where [`rolling_hash`] of the window that ends there leaves 159 when it is divided by 160.
    ///
    /// # Panics
    /// When there are 2³² bytes or more.
    pub fn ends_160(self, bytes: &[u8], ends: &mut Vec<u32>) {
        assert!(u32::try_from(bytes.len()).is_ok(), "less than 2³² bytes");
        ends.clear();
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe { ends_160_avx512(bytes, ends) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2 => unsafe { ends_160_avx2(bytes, ends) },
            Form::Portable => ends_160_plain(bytes, ends),
        }
    }

    /// Maps each value of a piece's hash to its value after the piece's bytes. `None` where these instructions gain
    /// nothing over other ways.
    ///
    /// # Panics
    /// When the bytes are no multiple of [`MAPPED_BYTES`].
    pub fn map(self, bytes: &[u8]) -> Option<[u8; VALUES]> {
        assert!(bytes.len().is_multiple_of(MAPPED_BYTES), "whole blocks of all parts");
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => Some(unsafe { maps::map(bytes) }),
            #[cfg(target_arch = "x86_64")]
            Form::Avx2 => None,
            Form::Portable => None,
        }
    }

    /// Advances two hashes of each file over the file's row of bytes. `hashes` are [`turned`]; `trace[i]` becomes what
    /// they are after byte `i`, in the lowest six bits of each lane. `keep[i]` has 0xFF for the lanes that go on after
    /// byte `i`, and 0 for those that begin a piece.
    pub fn advance(
        self,
        rows: &[[u8; TILE_BYTES]; FILES],
        hashes: &mut LaneBytes,
        keep: &[LaneBytes; TILE_BYTES],
        trace: &mut [LaneBytes; TILE_BYTES],
    ) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe { advance_avx512(rows, hashes, keep, trace) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2 => unsafe { advance_avx2(rows, hashes, keep, trace) },
            Form::Portable => advance_plain(rows, hashes, keep, trace),
        }
    }
}

/// Converts between a hash and the contents of a lane, either way. In a lane, zero is the beginning of a piece, so that
/// one AND sets lanes to it.
pub fn turned(hash: u8) -> u8 {
    (hash ^ INITIAL) & 63
}

/// The rolling hash of a window, oldest byte first.
///
/// As defined, three sums are updated with every byte. But they depend on the latest seven bytes only: with c₀ the
/// latest one, `hash = Σ (8 − j)·cⱼ + ⊕ cⱼ·2^(5j)` modulo 2³².
#[inline(always)]
pub fn rolling_hash(window: &[u8; WINDOW_BYTES]) -> u32 {
    let [a, b, c, d, e, f, g] = *window;
    hash_of_word(u64::from_be_bytes([0, a, b, c, d, e, f, g]))
}

/// The window as a number, the latest byte lowest; what is above does not matter.
#[inline(always)]
fn hash_of_word(word: u64) -> u32 {
    let (late, early) = (word as u32, (word >> 32) as u32);
    let mixed = (late & 0xFF ^ late >> 3 & 0xFF << 5 ^ late >> 6 & 0xFF << 10 ^ late >> 9 & 0xFF << 15)
        ^ ((early & 0xFF) << 20 ^ early << 17 & 0xFF << 25 ^ early << 14 & 0b11 << 30);
    // Two bytes at once: the upper half becomes the sum of both products.
    const PAIR: u32 = 0x00FF_00FF;
    let sum = (late & PAIR)
        .wrapping_mul(8 << 16 | 6)
        .wrapping_add((late >> 8 & PAIR).wrapping_mul(7 << 16 | 5))
        .wrapping_add((early & PAIR).wrapping_mul(4 << 16 | 2))
        .wrapping_add((early >> 8 & 0xFF).wrapping_mul(3 << 16));
    mixed.wrapping_add(sum >> 16)
}

compiled! {
    triggers => triggers_avx512, triggers_avx2, triggers_plain;
    (bytes: &[u8], lowest: u32, to: &mut [Trigger]) -> usize
}

/// The places are found in two steps: candidates by the lowest eight bits of the hash, and then their whole hashes.
///
/// # Safety
/// As for [`Bytes::load`].
#[inline(always)]
unsafe fn triggers<V: Bytes>(bytes: &[u8], lowest: u32, to: &mut [Trigger]) -> usize {
    // SAFETY: the caller's promise is the same.
    let candidates = unsafe {
        match lowest {
            0..6 => list_candidates::<V, PLACES_SPARE>(bytes, lowest, to),
            _ => list_candidates::<V, 2>(bytes, lowest, to),
        }
    };
    verify(bytes, &mut to[..candidates])
}

compiled! {
    ends_160 => ends_160_avx512, ends_160_avx2, ends_160_plain;
    (bytes: &[u8], ends: &mut Vec<u32>)
}

/// 160 is 2⁵ · 5: candidates by the lowest five bits of the hash, and then their whole hashes, of many at once.
///
/// # Safety
/// As for [`Bytes::load`].
#[inline(always)]
unsafe fn ends_160<V: Bytes>(bytes: &[u8], ends: &mut Vec<u32>) {
    let mut candidates = Candidates { bytes, places: [0; Candidates::ROOM], count: 0 };
    let mut start = HISTORY_BYTES;
    while start < bytes.len() {
        let windows = &bytes[start - HISTORY_BYTES..];
        let mut padded = [0; WIDTH + HISTORY_BYTES];
        let (windows, inside) = match windows.first_chunk() {
            Some(windows) => (windows, u64::MAX),
            None => {
                padded[..windows.len()].copy_from_slice(windows);
                (&padded, !(u64::MAX << (windows.len() - HISTORY_BYTES)))
            }
        };
        // SAFETY: the caller's promise is the same.
        unsafe {
            candidates.add(start as u32, places_of_block::<V>(windows, 31) & inside);
            if candidates.count >= WIDTH {
                if ends.capacity() - ends.len() < WIDTH {
                    // Some five times what is usual; and then all that there may be, of which it would take twice as
                    // much by itself.
                    ends.reserve_exact(
                        if ends.is_empty() { bytes.len() / 32 } else { bytes.len() - start } + 2 * WIDTH,
                    );
                }
                candidates.verify::<V>(ends);
            }
        }
        start += WIDTH;
    }
    // SAFETY: as above.
    unsafe { candidates.verify::<V>(ends) };
}

/// Places where pieces may end.
struct Candidates<'b> {
    bytes: &'b [u8],
    places: [u32; Candidates::ROOM],
    count: usize,
}

impl Candidates<'_> {
    /// This many are written at once, the last of them perhaps nonsense: cheaper than a branch for each.
    const AT_ONCE: usize = 4;
    /// Those of a block come behind fewer than are verified at once.
    const ROOM: usize = 2 * WIDTH + Candidates::AT_ONCE;

    #[inline(always)]
    fn add(&mut self, start: u32, mut found: u64) {
        let mut count = self.count;
        self.count += found.count_ones() as usize;
        loop {
            for place in &mut self.places[count..count + Candidates::AT_ONCE] {
                *place = start + found.trailing_zeros() % WIDTH as u32;
                found &= found.wrapping_sub(1);
            }
            count += Candidates::AT_ONCE;
            if count >= self.count {
                return;
            }
        }
    }

    /// Moves the first of them that are ends to the others.
    ///
    /// # Safety
    /// As for [`Bytes::load`].
    #[inline(always)]
    unsafe fn verify<V: Bytes>(&mut self, ends: &mut Vec<u32>) {
        let mut words = [0; WIDTH];
        for (word, &place) in words.iter_mut().zip(&self.places) {
            // The window that ends there, and one byte more.
            let window =
                self.bytes.get((place as usize).saturating_sub(HISTORY_BYTES)..).and_then(|bytes| bytes.first_chunk());
            *word = window.map_or(0, |window| u64::from_be_bytes(*window));
        }
        let mut rests = [0; WIDTH];
        for (rest, &word) in rests.iter_mut().zip(&words) {
            *rest = (hash_of_word(word) % 5) as u8 ^ 4;
        }
        // SAFETY: the caller's promise is the same.
        let rests = unsafe { V::load(&rests) };
        let mut found = rests.without(rests.splat(0xFF));
        if self.count < WIDTH {
            found &= !(u64::MAX << self.count);
        }
        let mut kept = [0; WIDTH + Candidates::AT_ONCE];
        let count = found.count_ones() as usize;
        let mut at = 0;
        while at < count {
            for kept in &mut kept[at..at + Candidates::AT_ONCE] {
                *kept = self.places[found.trailing_zeros() as usize % WIDTH];
                found &= found.wrapping_sub(1);
            }
            at += Candidates::AT_ONCE;
        }
        ends.extend_from_slice(&kept[..count]);
        self.count = self.count.saturating_sub(WIDTH);
        self.places.copy_within(WIDTH..2 * WIDTH, 0);
    }
}

/// Candidates of which this many are written at once, of the last of them perhaps nonsense: cheaper than a branch for
/// each.
///
/// # Safety
/// As for [`Bytes::load`].
#[inline(always)]
unsafe fn list_candidates<V: Bytes, const AT_ONCE: usize>(bytes: &[u8], lowest: u32, to: &mut [Trigger]) -> usize {
    let mask = ((1_u32 << lowest) - 1) as u8;
    let mut count = 0;
    let mut start = HISTORY_BYTES;
    while start < bytes.len() {
        let windows = &bytes[start - HISTORY_BYTES..];
        // SAFETY: the caller's promise is the same.
        let mut found = unsafe {
            match windows.first_chunk() {
                Some(windows) => places_of_block::<V>(windows, mask),
                None => {
                    let mut padded = [0; WIDTH + HISTORY_BYTES];
                    padded[..windows.len()].copy_from_slice(windows);
                    places_of_block::<V>(&padded, mask) & !(u64::MAX << (windows.len() - HISTORY_BYTES))
                }
            }
        };
        let end = count + found.count_ones() as usize;
        loop {
            for candidate in &mut to[count..count + AT_ONCE] {
                // Nonsense may lie beyond 2³².
                candidate.place = (start as u32).wrapping_add(found.trailing_zeros());
                found &= found.wrapping_sub(1);
            }
            count += AT_ONCE;
            if count >= end {
                break;
            }
        }
        count = end;
        start += WIDTH;
    }
    count
}

/// Keeps the candidates whose `hash + 1`, unless it is 0, is divisible by 3: there pieces end. In groups and in steps,
/// which compilers turn into vectors.
#[inline(always)]
fn verify(bytes: &[u8], candidates: &mut [Trigger]) -> usize {
    const GROUP: usize = 16;
    let mut kept = 0;
    let mut start = 0;
    while start < candidates.len() {
        let end = candidates.len().min(start + GROUP);
        let (mut places, mut words, mut values) = ([0; GROUP], [0; GROUP], [0; GROUP]);
        for ((to, word), candidate) in places.iter_mut().zip(&mut words).zip(&candidates[start..end]) {
            *to = candidate.place;
            let after = candidate.place as usize + 1;
            *word = bytes[after - 8..after].first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        }
        for (value, &word) in values.iter_mut().zip(&words) {
            *value = hash_of_word(word).wrapping_add(1);
        }
        for (&place, &value) in places.iter().zip(&values).take(end - start) {
            candidates[kept] = Trigger { place, level: value.trailing_zeros() };
            kept += usize::from((value != 0) & value.is_multiple_of(3));
        }
        start = end;
    }
    kept
}

/// The lowest eight bits of `hash + 1` depend on the sums with the weights 2 to 8 and on the latest two bytes of the
/// mixed part.
///
/// # Safety
/// As for [`Bytes::load`].
#[inline(always)]
unsafe fn places_of_block<V: Bytes>(windows: &[u8; WIDTH + HISTORY_BYTES], mask: u8) -> u64 {
    // SAFETY: the caller's promise is the same.
    let (latest, second) = unsafe { (V::load(back(windows, 0)), V::load(back(windows, 1))) };
    // The weights as sums of sums: the latest byte is in all seven of them and counted once more at the end.
    let mut sum = latest;
    let mut sums = latest;
    sum = sum.add(second);
    sums = sums.add(sum);
    let mut place = 2;
    while place < WINDOW_BYTES {
        // SAFETY: the caller's promise is the same.
        sum = sum.add(unsafe { V::load(back(windows, place)) });
        sums = sums.add(sum);
        place += 1;
    }
    let mixed = latest.xor(second.shl::<5>());
    sums.add(sum).add(mixed).add(latest.splat(1)).without(latest.splat(mask))
}

/// The bytes so far before those that end the windows.
#[inline(always)]
fn back(windows: &[u8; WIDTH + HISTORY_BYTES], back: usize) -> &[u8; WIDTH] {
    let (_, from) = windows.split_at(HISTORY_BYTES - back);
    match from.first_chunk() {
        Some(bytes) => bytes,
        None => unreachable!("there are at most six bytes before them"),
    }
}

compiled! {
    advance => advance_avx512, advance_avx2, advance_plain;
    (rows: &[[u8; TILE_BYTES]; FILES], hashes: &mut LaneBytes, keep: &[LaneBytes; TILE_BYTES], trace: &mut [LaneBytes; TILE_BYTES])
}

/// Bytes of each row that are made into columns at once.
const SQUARE: usize = 16;

/// # Safety
/// As for [`Bytes::load`].
#[inline(always)]
unsafe fn advance<V: Bytes>(
    rows: &[[u8; TILE_BYTES]; FILES],
    hashes: &mut LaneBytes,
    keep: &[LaneBytes; TILE_BYTES],
    trace: &mut [LaneBytes; TILE_BYTES],
) {
    // SAFETY: the caller's promise is the same.
    let mut state = unsafe { V::load(hashes) };
    let mut start = 0;
    while start < TILE_BYTES {
        // SAFETY: the caller's promise is the same.
        let columns = unsafe { columns::<V>(rows, start) };
        let mut column = 0;
        while column < SQUARE {
            let product = state.times_19_turned::<INITIAL>();
            let next = product.xor(columns[column]);
            next.store(&mut trace[start + column]);
            // SAFETY: the caller's promise is the same.
            state = next.and(unsafe { V::load(&keep[start + column]) });
            column += 1;
        }
        start += SQUARE;
    }
    state.store(hashes);
}

/// The bytes of all rows from `start` on, those of the same place side by side, each of them twice.
///
/// Each quarter takes eight rows: interleaved three times, they are in order.
///
/// # Safety
/// As for [`Bytes::load`].
#[inline(always)]
unsafe fn columns<V: Bytes>(rows: &[[u8; TILE_BYTES]; FILES], start: usize) -> [V; SQUARE] {
    // SAFETY: the caller's promise is the same.
    let ([a, b, c, d], [e, f, g, h]) = unsafe {
        (
            [quarters(rows, start, 0), quarters(rows, start, 1), quarters(rows, start, 2), quarters(rows, start, 3)],
            [quarters(rows, start, 4), quarters(rows, start, 5), quarters(rows, start, 6), quarters(rows, start, 7)],
        )
    };
    let [ae, bf, cg, dh] = [both(a, e), both(b, f), both(c, g), both(d, h)];
    let [aceg0, aceg1] = [both(ae.0, cg.0), both(ae.1, cg.1)];
    let [bdfh0, bdfh1] = [both(bf.0, dh.0), both(bf.1, dh.1)];
    let [p, q] = [both(aceg0.0, bdfh0.0), both(aceg0.1, bdfh0.1)];
    let [r, s] = [both(aceg1.0, bdfh1.0), both(aceg1.1, bdfh1.1)];
    let [c0, c1, c2, c3] = [both(p.0, p.0), both(p.1, p.1), both(q.0, q.0), both(q.1, q.1)];
    let [c4, c5, c6, c7] = [both(r.0, r.0), both(r.1, r.1), both(s.0, s.0), both(s.1, s.1)];
    [c0.0, c0.1, c1.0, c1.1, c2.0, c2.1, c3.0, c3.1, c4.0, c4.1, c5.0, c5.1, c6.0, c6.1, c7.0, c7.1]
}

/// The bytes from `start` on of every eighth row, beginning with `first`.
///
/// # Safety
/// As for [`Bytes::load`].
#[inline(always)]
unsafe fn quarters<V: Bytes>(rows: &[[u8; TILE_BYTES]; FILES], start: usize, first: usize) -> V {
    let [a, b, c, d] = [&rows[first], &rows[8 + first], &rows[16 + first], &rows[24 + first]];
    // SAFETY: the caller's promise is the same.
    unsafe { V::load_quarters([part(a, start), part(b, start), part(c, start), part(d, start)]) }
}

#[inline(always)]
fn part(row: &[u8; TILE_BYTES], start: usize) -> &[u8; SQUARE] {
    let (_, from) = row.split_at(start);
    match from.first_chunk() {
        Some(part) => part,
        None => unreachable!("a row is so many parts"),
    }
}

#[inline(always)]
fn both<V: Bytes>(x: V, y: V) -> (V, V) {
    (x.interleave_low(y), x.interleave_high(y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::numbers;

    fn noise(bytes: usize) -> Vec<u8> {
        let mut number = numbers(7);
        // Now and then a zero, whatever the other bytes are.
        let mut next = || if number(16) == 0 { 0 } else { number(256) as u8 };
        (0..bytes).map(|_| next()).collect()
    }

    #[test]
    fn triggers_are_those_of_the_definition() {
        // Three sums, updated with every byte.
        let (mut h1, mut h2, mut h3) = (0_u32, 0_u32, 0_u32);
        let bytes = [vec![0; HISTORY_BYTES], noise(3000)].concat();
        let mut defined = Vec::new();
        for (place, &byte) in bytes.iter().enumerate().skip(HISTORY_BYTES) {
            h2 = h2.wrapping_sub(h1).wrapping_add(7 * u32::from(byte));
            h1 = h1.wrapping_add(u32::from(byte)).wrapping_sub(u32::from(bytes[place - WINDOW_BYTES]));
            h3 = (h3 << 5) ^ u32::from(byte);
            let value = u64::from(h1.wrapping_add(h2).wrapping_add(h3)) + 1;
            let level = (0..31).take_while(|level| value <= u32::MAX.into() && value % (3 << level) == 0).last();
            defined.extend(level.map(|level| Trigger { place: place as u32, level }));
        }
        for length in (0..300).chain([1030, 1031, 1032, bytes.len()]) {
            for lowest in [0, 1, 2, 4, 6, 8, 10] {
                let is_found = |end: &&Trigger| (end.place as usize) < length && end.level >= lowest.min(8);
                let expected: Vec<&Trigger> = defined.iter().filter(is_found).collect();
                for kernels in Kernels::offered() {
                    let mut found = vec![Trigger::default(); length + PLACES_SPARE];
                    let count = kernels.triggers(&bytes[..length], lowest, &mut found);
                    let found: Vec<&Trigger> = found[..count].iter().collect();
                    assert_eq!(found, expected, "{kernels:?}, {length} bytes, level {lowest}");
                }
            }
        }
    }

    #[test]
    fn ends_are_those_of_the_definition() {
        let bytes = noise(20_000);
        let windows = bytes.windows(WINDOW_BYTES).zip(WINDOW_BYTES as u32 - 1..).skip(1);
        let is_end = |window: &[u8]| window.first_chunk().is_some_and(|window| rolling_hash(window) % 160 == 159);
        let defined: Vec<u32> = windows.filter(|(window, _)| is_end(window)).map(|(_, place)| place).collect();
        assert!(defined.len() > 80);
        for length in (0..300).chain([1030, 1031, 1032, bytes.len()]) {
            let expected: Vec<u32> = defined.iter().copied().filter(|&end| (end as usize) < length).collect();
            for kernels in Kernels::offered() {
                let mut found = vec![1];
                kernels.ends_160(&bytes[..length], &mut found);
                assert_eq!(found, expected, "{kernels:?}, {length} bytes");
            }
        }
    }

    #[test]
    fn maps_are_those_of_the_definition() {
        let bytes = noise(40 * MAPPED_BYTES);
        for blocks in [0, 1, 2, 3, 40] {
            let bytes = &bytes[..blocks * MAPPED_BYTES];
            let hash = |value: u8| bytes.iter().fold(value, |hash, byte| (hash.wrapping_mul(19) ^ byte) & 63);
            let expected: [u8; VALUES] = std::array::from_fn(|value| hash(value as u8));
            for kernels in Kernels::offered() {
                if let Some(found) = kernels.map(bytes) {
                    assert_eq!(found, expected, "{kernels:?}, {blocks} blocks");
                }
            }
        }
    }

    #[test]
    fn hashes_are_those_of_the_definition() {
        let bytes = noise(FILES * TILE_BYTES);
        let rows: [[u8; TILE_BYTES]; FILES] = std::array::from_fn(|row| bytes.as_chunks().0[row]);
        let first: LaneBytes = std::array::from_fn(|lane| lane as u8);
        let mut keep = [[0xFF; LANES]; TILE_BYTES];
        for (place, byte) in noise(TILE_BYTES * LANES).into_iter().enumerate().filter(|(_, byte)| byte % 50 == 7) {
            keep[place / LANES][(place + usize::from(byte)) % LANES] = 0;
        }
        let mut last = [0; LANES];
        let mut expected = [[0; LANES]; TILE_BYTES];
        for lane in 0..LANES {
            let mut hash = first[lane];
            for (place, byte) in rows[lane / 2].iter().enumerate() {
                hash = (hash.wrapping_mul(19) ^ byte) & 63;
                expected[place][lane] = hash;
                hash = if keep[place][lane] == 0 { INITIAL } else { hash };
            }
            last[lane] = hash;
        }
        for kernels in Kernels::offered() {
            let mut hashes = first.map(turned);
            let mut trace = [[0; LANES]; TILE_BYTES];
            kernels.advance(&rows, &mut hashes, &keep, &mut trace);
            assert_eq!(hashes.map(turned), last, "{kernels:?}");
            assert!(trace.iter().zip(&expected).all(|(found, expected)| found.map(turned) == *expected), "{kernels:?}");
        }
    }
}
