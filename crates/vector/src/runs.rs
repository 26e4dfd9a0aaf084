//! Runs of one byte: where a long one may be, and where one ends.
//!
//! A run of 2·w bytes contains w bytes at a multiple of w, and the byte after them. So it is found by comparing words
//! of w bytes with those one byte later, which few other places pass. A run of 128 bytes and more is found by
//! checking few words only.
#![allow(unsafe_code, reason = "vector instructions; each block argues")]

use crate::Backend;
#[cfg(target_arch = "x86_64")]
use crate::Feature;
use crate::kernels::kernels;
use std::ops::Range;

/// Bytes that are checked together.
const BLOCK_BYTES: usize = 64;

/// A block, and the bytes after it that it is compared with.
const WINDOW_BYTES: usize = BLOCK_BYTES + 2;

/// Runs of this length are found by checking single words.
const SPARSE_BYTES: usize = 128;

/// Most bytes from one of these words to the next.
const STRIDE_BYTES_MAX: usize = 4096;

#[cfg(target_arch = "x86_64")]
const AVX512: &[Feature] = &[Feature::Avx512f, Feature::Avx512bw];

kernels! {
    /// Kernels that look for runs.
    pub struct Kernels {
        Avx512 = "avx512", AVX512;
        Avx2 = "avx2", &[Feature::Avx2];
    }
}

/// The part of a run that is compared with the bytes after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Probe {
    /// One byte: runs of two bytes.
    Byte,
    /// One byte twice: runs of three bytes.
    Twice,
    /// Words of two bytes: runs of four bytes.
    Word2,
    /// Words of four bytes: runs of eight bytes.
    Word4,
    /// Words of eight bytes: runs of sixteen bytes.
    Word8,
    /// Words of sixteen bytes: runs of 32 bytes.
    Word16,
    /// Words of 32 bytes: runs of 64 bytes.
    Word32,
}

impl Probe {
    fn of(least: usize) -> Probe {
        match least {
            ..=2 => Probe::Byte,
            3 => Probe::Twice,
            4..=7 => Probe::Word2,
            8..=15 => Probe::Word4,
            16..=31 => Probe::Word8,
            32..=63 => Probe::Word16,
            64.. => Probe::Word32,
        }
    }
}

impl Kernels {
    /// Returns the kernels of a backend.
    pub fn new(backend: Backend) -> Kernels {
        Kernels::best(backend.features())
    }

    /// Returns the place of the first run of at least `least` bytes, which is at least 2.
    pub fn find(self, bytes: &[u8], least: usize) -> Option<Range<usize>> {
        if bytes.len() < least {
            return None;
        }
        let mut from = 0;
        if least >= SPARSE_BYTES {
            while let Some(run) = self.find_sparse(&mut from, bytes, least) {
                if run.len() >= least {
                    return Some(run);
                }
            }
        }
        // A long run that begins before the rest has at least half of its bytes in it.
        let end = match self.find_in_windows(bytes, from, least) {
            Ok(run) => return Some(run),
            Err(end) if end == bytes.len() => return None,
            Err(end) => self.run_around(bytes, end),
        };
        if end.len() >= least {
            return Some(end);
        }
        self.find_at_end(&bytes[end.end..], least).map(|run| end.end + run.start..end.end + run.end)
    }

    /// Returns the place of a run that may be one of `least` bytes, and moves `from` to where to go on. Such a run, at
    /// least twice the stride, contains two words at the ends of one stride, wherever before it the strides begin.
    fn find_sparse(self, from: &mut usize, bytes: &[u8], least: usize) -> Option<Range<usize>> {
        let stride = (1 << (least / 2).ilog2()).min(STRIDE_BYTES_MAX);
        while *from + stride <= bytes.len() {
            let at = *from;
            *from += stride;
            let first = word(bytes, at);
            if first == first.rotate_left(8) && first == word(bytes, at + stride - 8) {
                let run = self.run_around(bytes, at);
                // The next run begins there at the earliest. Every other stride in this one would find it again.
                *from = (*from).max(run.end);
                return Some(run);
            }
        }
        None
    }

    /// Looks for a run as [`Kernels::find`] does, from this offset on as far as there are whole windows; otherwise
    /// returns the offset of the rest.
    fn find_in_windows(self, bytes: &[u8], mut from: usize, least: usize) -> Result<Range<usize>, usize> {
        let probe = Probe::of(least);
        loop {
            let at = self.find_dense(&bytes[from..], probe).map_err(|end| from + end)?;
            let run = self.run_around(bytes, from + at);
            if run.len() >= least {
                return Ok(run);
            }
            from = run.end;
        }
    }

    /// Looks for a run as [`Kernels::find`] does, in less than a window.
    fn find_at_end(self, bytes: &[u8], least: usize) -> Option<Range<usize>> {
        let last = *bytes.last()?;
        // Bytes without a run follow.
        let other_than_last = |at| if at % 2 == bytes.len() % 2 { !last } else { last };
        let mut window: [u8; 2 * WINDOW_BYTES] = std::array::from_fn(other_than_last);
        window[..bytes.len()].copy_from_slice(bytes);
        self.find_in_windows(&window, 0, least).ok()
    }

    /// Returns the place of the run at the end.
    ///
    /// # Panics
    /// If there are no bytes.
    pub fn last_run(self, bytes: &[u8]) -> Range<usize> {
        self.run_around(bytes, bytes.len() - 1)
    }

    /// Returns the place of the run that has the byte at `at`.
    fn run_around(self, bytes: &[u8], at: usize) -> Range<usize> {
        let value = bytes[at];
        let values = u64::from_ne_bytes([value; 8]);
        let mut start = at;
        while let Some(word) = bytes[..start].last_chunk() {
            let other = u64::from_le_bytes(*word) ^ values;
            start -= other.leading_zeros() as usize / 8;
            if other != 0 {
                break;
            }
        }
        if start < 8 {
            start -= bytes[..start].iter().rev().take_while(|byte| **byte == value).count();
        }
        // Most runs end soon.
        let end = match bytes[at..].first_chunk().map(|word| u64::from_le_bytes(*word) ^ values) {
            Some(other @ 1..) => at + other.trailing_zeros() as usize / 8,
            _ => at + self.count_leading(&bytes[at..], value),
        };
        start..end
    }

    /// Looks for the first run that is long enough for the probe, in each block. Returns `Ok` with the offset of a byte
    /// in a run that may be it, or `Err` with the offset of what is too short for a window. A run that begins before
    /// the offset and does not contain it is shorter than those that were asked for.
    fn find_dense(self, bytes: &[u8], probe: Probe) -> Result<usize, usize> {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe { x86::find_avx512(bytes, probe) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2 => unsafe { x86::find_avx2(bytes, probe) },
            Form::Portable => find_portable(bytes, probe),
        }
    }

    /// Returns the number of bytes `value` at the beginning of `bytes`.
    pub fn count_leading(self, bytes: &[u8], value: u8) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the form exists only where the CPU was found to have the features.
            Form::Avx512 => unsafe { x86::count_leading_avx512(bytes, value) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Form::Avx2 => unsafe { x86::count_leading_avx2(bytes, value) },
            Form::Portable => count_leading(bytes, value),
        }
    }
}

/// Returns the word of eight bytes at `at`.
fn word(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// Whether a block may have a run, by comparing it with the bytes that begin one and two bytes later.
fn find_portable(bytes: &[u8], probe: Probe) -> Result<usize, usize> {
    fn words<const WORD: usize>(bytes: &[u8]) -> impl Iterator<Item = &[u8; WORD]> {
        bytes.as_chunks().0.iter()
    }
    fn equal<const WORD: usize>(block: &[u8; BLOCK_BYTES], next: &[u8]) -> Option<usize> {
        let any = words::<WORD>(block).zip(words::<WORD>(next)).fold(false, |any, (one, next)| any | (one == next));
        let place = || words::<WORD>(block).zip(words::<WORD>(next)).position(|(one, next)| one == next);
        if any { place().map(|place| place * WORD) } else { None }
    }
    let mut at = 0;
    while let Some(window) = bytes.get(at..at + WINDOW_BYTES) {
        let (Some(block), next) = (window.first_chunk(), &window[1..=BLOCK_BYTES]) else { break };
        let found = match probe {
            Probe::Byte => equal::<1>(block, next),
            Probe::Twice => window.windows(3).position(|three| three[0] == three[1] && three[0] == three[2]),
            Probe::Word2 => equal::<2>(block, next),
            Probe::Word4 => equal::<4>(block, next),
            Probe::Word8 => equal::<8>(block, next),
            Probe::Word16 => equal::<16>(block, next),
            Probe::Word32 => equal::<32>(block, next),
        };
        if let Some(place) = found {
            return Ok(at + place);
        }
        at += BLOCK_BYTES;
    }
    Err(at)
}

fn count_leading(bytes: &[u8], value: u8) -> usize {
    let (blocks, _) = bytes.as_chunks::<BLOCK_BYTES>();
    let is_whole = |block: &[u8; BLOCK_BYTES]| block.iter().fold(0, |other, byte| other | (byte ^ value)) == 0;
    let whole = blocks.iter().take_while(|block| is_whole(block)).count() * BLOCK_BYTES;
    let rest = &bytes[whole..];
    whole + rest.iter().position(|&byte| byte != value).unwrap_or(rest.len())
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK_BYTES, Probe, WINDOW_BYTES, count_leading};

    /// Half of a block.
    const HALF_BYTES: usize = 32;

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn find_avx512(bytes: &[u8], probe: Probe) -> Result<usize, usize> {
        match probe {
            Probe::Byte => find_512(bytes, |block, next, _| _mm512_cmpeq_epi8_mask(block, next), 1),
            Probe::Twice => {
                let twice =
                    |block, next, after| _mm512_cmpeq_epi8_mask(block, next) & _mm512_cmpeq_epi8_mask(next, after);
                find_512(bytes, twice, 1)
            }
            Probe::Word2 => find_512(bytes, |block, next, _| _mm512_cmpeq_epi16_mask(block, next).into(), 2),
            Probe::Word4 => find_512(bytes, |block, next, _| _mm512_cmpeq_epi32_mask(block, next).into(), 4),
            Probe::Word8 => find_512(bytes, |block, next, _| _mm512_cmpeq_epi64_mask(block, next).into(), 8),
            Probe::Word16 => find_512(bytes, |block, next, _| pairs(_mm512_cmpeq_epi64_mask(block, next), 1).into(), 8),
            Probe::Word32 => {
                let fours = |block, next, _| pairs(pairs(_mm512_cmpeq_epi64_mask(block, next), 1), 2).into();
                find_512(bytes, fours, 8)
            }
        }
    }

    /// Leaves of a mask of words, or of groups of `words` words, the first word of each pair that is there.
    fn pairs(mask: u8, words: u32) -> u8 {
        let firsts = [0b0101_0101, 0b0001_0001];
        mask & mask >> words & firsts[words as usize - 1]
    }

    /// Compares each block with the bytes one and two later.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn find_512(
        bytes: &[u8],
        equal: impl Fn(__m512i, __m512i, __m512i) -> u64,
        word_bytes: usize,
    ) -> Result<usize, usize> {
        let mut at = 0;
        // Most blocks have no run: four at a time, with one branch.
        while let Some(window) = bytes.get(at..at + 4 * BLOCK_BYTES + 2) {
            let masks = [0, 1, 2, 3].map(|block| {
                let load = |from: usize| {
                    // SAFETY: the window has 258 bytes, `block` is at most 3 and `from` at most 2, and the load takes
                    // any alignment.
                    unsafe { _mm512_loadu_si512(window.as_ptr().add(block * BLOCK_BYTES + from).cast()) }
                };
                equal(load(0), load(1), load(2))
            });
            if masks.iter().fold(0, |any, mask| any | mask) != 0 {
                let block = masks.iter().take_while(|mask| **mask == 0).count();
                return Ok(at + block * BLOCK_BYTES + masks[block].trailing_zeros() as usize * word_bytes);
            }
            at += 4 * BLOCK_BYTES;
        }
        while let Some(window) = bytes.get(at..at + WINDOW_BYTES) {
            let load = |from: usize| {
                // SAFETY: the window has 66 bytes, `from` is at most 2, and the load takes any alignment.
                unsafe { _mm512_loadu_si512(window.as_ptr().add(from).cast()) }
            };
            let mask = equal(load(0), load(1), load(2));
            if mask != 0 {
                return Ok(at + mask.trailing_zeros() as usize * word_bytes);
            }
            at += BLOCK_BYTES;
        }
        Err(at)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn find_avx2(bytes: &[u8], probe: Probe) -> Result<usize, usize> {
        match probe {
            Probe::Byte => find_256(bytes, |half, next, _| _mm256_cmpeq_epi8(half, next)),
            Probe::Twice => {
                let twice =
                    |half, next, after| _mm256_and_si256(_mm256_cmpeq_epi8(half, next), _mm256_cmpeq_epi8(next, after));
                find_256(bytes, twice)
            }
            Probe::Word2 => find_256(bytes, |half, next, _| _mm256_cmpeq_epi16(half, next)),
            Probe::Word4 => find_256(bytes, |half, next, _| _mm256_cmpeq_epi32(half, next)),
            Probe::Word8 => find_256(bytes, |half, next, _| _mm256_cmpeq_epi64(half, next)),
            Probe::Word16 => find_256(bytes, |half, next, _| pair_256(_mm256_cmpeq_epi64(half, next))),
            Probe::Word32 => find_256(bytes, |half, next, _| four_256(_mm256_cmpeq_epi64(half, next))),
        }
    }

    /// Leaves of equal words those of whole pairs.
    #[target_feature(enable = "avx2")]
    fn pair_256(equal: __m256i) -> __m256i {
        _mm256_and_si256(equal, _mm256_permute4x64_epi64::<0b10_11_00_01>(equal))
    }

    /// Leaves of equal words all four or none.
    #[target_feature(enable = "avx2")]
    fn four_256(equal: __m256i) -> __m256i {
        let pair = pair_256(equal);
        _mm256_and_si256(pair, _mm256_permute4x64_epi64::<0b01_00_11_10>(pair))
    }

    /// As [`find_512`], in halves of blocks.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn find_256(bytes: &[u8], equal: impl Fn(__m256i, __m256i, __m256i) -> __m256i) -> Result<usize, usize> {
        let mut at = 0;
        while let Some(window) = bytes.get(at..at + WINDOW_BYTES) {
            let load = |from: usize| {
                // SAFETY: the window has 66 bytes, `from` is at most 34, and the load takes any alignment.
                unsafe { _mm256_loadu_si256(window.as_ptr().add(from).cast()) }
            };
            let [first, second] = [0, HALF_BYTES].map(|half| equal(load(half), load(half + 1), load(half + 2)));
            if _mm256_testz_si256(_mm256_or_si256(first, second), _mm256_set1_epi8(-1)) == 0 {
                let [first, second] = [first, second].map(|half| u64::from(_mm256_movemask_epi8(half).cast_unsigned()));
                // The lowest byte of an equal word is its beginning.
                return Ok(at + (first | second << HALF_BYTES).trailing_zeros() as usize);
            }
            at += BLOCK_BYTES;
        }
        Err(at)
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn count_leading_avx512(bytes: &[u8], value: u8) -> usize {
        let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
        let values = _mm512_set1_epi8(value.cast_signed());
        for (place, block) in blocks.iter().enumerate() {
            // SAFETY: a block has 64 bytes, and the load takes any alignment.
            let other = _mm512_cmpneq_epi8_mask(unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }, values);
            if other != 0 {
                return place * BLOCK_BYTES + other.trailing_zeros() as usize;
            }
        }
        bytes.len() - rest.len() + count_leading(rest, value)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn count_leading_avx2(bytes: &[u8], value: u8) -> usize {
        let (halves, rest) = bytes.as_chunks::<HALF_BYTES>();
        let values = _mm256_set1_epi8(value.cast_signed());
        for (place, half) in halves.iter().enumerate() {
            // SAFETY: half of a block has 32 bytes, and the load takes any alignment.
            let same = _mm256_cmpeq_epi8(unsafe { _mm256_loadu_si256(half.as_ptr().cast()) }, values);
            let other = !_mm256_movemask_epi8(same).cast_unsigned();
            if other != 0 {
                return place * HALF_BYTES + other.trailing_zeros() as usize;
            }
        }
        bytes.len() - rest.len() + count_leading(rest, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::numbers;

    /// The first run of at least `least` bytes, by definition.
    fn first_run(bytes: &[u8], least: usize) -> Option<std::ops::Range<usize>> {
        let mut start = 0;
        for run in bytes.chunk_by(|one, next| one == next) {
            if run.len() >= least {
                return Some(start..start + run.len());
            }
            start += run.len();
        }
        None
    }

    #[test]
    fn no_run_is_passed_over() {
        let mut number = numbers(3);
        for _ in 0..3000 {
            let (length, values) = (number(700) as usize, 1 + number(4));
            let mut bytes: Vec<u8> = (0..length).map(|_| number(values) as u8).collect();
            // The one that comes second may cut the other short.
            for value in [7, 8] {
                let (at, run) = (number(length.max(1) as u32) as usize, number(600) as usize);
                let end = (at + run).min(length);
                bytes[at..end].fill(value);
            }
            for kernels in Kernels::offered() {
                for least in
                    [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 200, 255, 256, 400]
                {
                    let expected = first_run(&bytes, least);
                    assert_eq!(kernels.find(&bytes, least), expected, "{kernels:?} {least}");
                }
                if length > 0 {
                    let last = bytes.chunk_by(|one, next| one == next).next_back().map_or(0, <[u8]>::len);
                    assert_eq!(kernels.last_run(&bytes), length - last..length, "{kernels:?}");
                }
                let value = bytes.first().copied().unwrap_or(0);
                let leading = bytes.iter().take_while(|&&byte| byte == value).count();
                assert_eq!(kernels.count_leading(&bytes, value), leading, "{kernels:?}");
                assert_eq!(kernels.count_leading(&bytes, value ^ 1), 0, "{kernels:?}");
            }
        }
    }

    #[test]
    fn random_bytes_are_rarely_looked_at_twice() {
        let mut number = numbers(5);
        let bytes: Vec<u8> = (0..1 << 16).map(|_| number(256) as u8).collect();
        for kernels in Kernels::offered() {
            let (mut from, mut found) = (0, 0);
            while let Ok(at) = kernels.find_dense(&bytes[from..], Probe::of(4)) {
                (from, found) = (from + at + 1, found + 1);
            }
            assert!(found < 8, "{kernels:?}: {found}");
        }
    }

    #[test]
    fn runs_that_are_too_short_are_found_once_each() {
        const RUN_BYTES: usize = 1 << 16;
        let run = [vec![0_u8; RUN_BYTES], vec![1, 2]].concat();
        let bytes = run.repeat(3);
        for kernels in Kernels::offered() {
            for least in [RUN_BYTES + 1, 2 * RUN_BYTES] {
                let mut from = 0;
                let found: Vec<_> = std::iter::from_fn(|| kernels.find_sparse(&mut from, &bytes, least)).collect();
                let expected = [0, 1, 2].map(|place| place * run.len()..place * run.len() + RUN_BYTES);
                assert_eq!(found, expected, "{kernels:?} {least}");
                assert_eq!(kernels.find(&bytes, least), None, "{kernels:?} {least}");
            }
        }
    }
}
