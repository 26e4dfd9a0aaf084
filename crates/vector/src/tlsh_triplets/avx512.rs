//! AVX-512 with VBMI (look-ups in four registers) and VBMI2 (chosen bytes of a register, packed).

use std::arch::x86_64::*;

use super::{BUCKETS, CHECKSUM, HISTORY_BYTES, PEARSON, TRIPLETS};
use crate::bytes64::avx512::load;

/// Windows that are looked up together.
const WIDTH: usize = 64;

/// Windows whose triplets are listed before they are counted.
const PART_WINDOWS: usize = 8 * WIDTH;

/// Triplets below 128 in order, and how often they follow each other in pairs.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// Room for a part, a register before it and one behind it.
    list: [u8; TRIPLETS.len() * PART_WINDOWS + 2 * WIDTH],
    /// Which of the list are to be counted.
    counted: usize,
    listed: usize,
    /// By the second one and the first one. No count overflows: there are three pairs for a window, at most.
    counts: [[u16; BUCKETS]; BUCKETS],
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs {
            list: [0; TRIPLETS.len() * PART_WINDOWS + 2 * WIDTH],
            counted: 0,
            listed: 0,
            counts: [[0; BUCKETS]; BUCKETS],
        }
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
pub(super) fn count(pairs: &mut Pairs, bytes: &[u8], counts: &mut [u32; BUCKETS], steps: &mut [u8]) {
    let mut start = 0;
    for steps in steps.chunks_mut(PART_WINDOWS) {
        list(pairs, &bytes[start..start + steps.len() + HISTORY_BYTES], steps);
        pairs.list.copy_within(pairs.counted..pairs.listed, 0);
        (pairs.counted, pairs.listed) = (0, pairs.listed - pairs.counted);
        start += steps.len();
    }
    drain(pairs, counts);
}

/// The table of look-ups.
type Table = [__m512i; 4];

/// Appends the triplets of the windows to the list and counts what fills a register. In turn, so that the look-ups of
/// the next windows are done while these wait for memory.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
fn list(pairs: &mut Pairs, bytes: &[u8], steps: &mut [u8]) {
    let quarters = PEARSON.as_chunks::<WIDTH>().0;
    let table = [load(&quarters[0]), load(&quarters[1]), load(&quarters[2]), load(&quarters[3])];
    let mut start = 0;
    for steps in steps.chunks_mut(WIDTH) {
        let mut padded = [0; WIDTH + HISTORY_BYTES];
        let windows = match bytes[start..].first_chunk() {
            Some(windows) => windows,
            None => {
                padded[..bytes.len() - start].copy_from_slice(&bytes[start..]);
                &padded
            }
        };
        let back = [back(windows, 0), back(windows, 1), back(windows, 2), back(windows, 3), back(windows, 4)];
        let windows = u64::MAX >> (WIDTH - steps.len());
        for (salt, middle, oldest) in TRIPLETS {
            let hash = half_hash(&table, salt, back[0], back[middle]);
            let hash = look_up(&table, _mm512_xor_si512(hash, back[oldest]));
            let counted = windows & !_mm512_movepi8_mask(hash);
            store(_mm512_maskz_compress_epi8(counted, hash), &mut pairs.list, pairs.listed);
            pairs.listed += counted.count_ones() as usize;
        }
        let (salt, middle) = CHECKSUM;
        let mut all = [0; WIDTH];
        store(half_hash(&table, salt, back[0], back[middle]), &mut all, 0);
        steps.copy_from_slice(&all[..steps.len()]);
        while pairs.counted + WIDTH <= pairs.listed {
            count_pairs(pairs);
        }
        start += WIDTH;
    }
}

/// The bytes so far before those that end the windows.
#[inline]
#[target_feature(enable = "avx512bw")]
fn back(windows: &[u8; WIDTH + HISTORY_BYTES], back: usize) -> __m512i {
    let (_, from) = windows.split_at(HISTORY_BYTES - back);
    match from.first_chunk() {
        Some(bytes) => load(bytes),
        None => unreachable!("there are at most four bytes before them"),
    }
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn store(vector: __m512i, bytes: &mut [u8], at: usize) {
    let bytes = &mut bytes[at..at + WIDTH];
    // SAFETY: 64 bytes are there, and the store takes any alignment.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), vector) }
}

/// After the salt and two bytes.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi")]
fn half_hash(table: &Table, salt: u8, latest: __m512i, middle: __m512i) -> __m512i {
    let salted = _mm512_set1_epi8(PEARSON[usize::from(salt)].cast_signed());
    look_up(table, _mm512_xor_si512(look_up(table, _mm512_xor_si512(latest, salted)), middle))
}

#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi")]
fn look_up(table: &Table, index: __m512i) -> __m512i {
    let low = _mm512_permutex2var_epi8(table[0], index, table[1]);
    let high = _mm512_permutex2var_epi8(table[2], index, table[3]);
    _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(index), high)
}

/// Counts as many of the list as a register has, in pairs. It uses whole words and no vectors, because the look-ups
/// wait for the vectors' unit for moves.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
fn count_pairs(pairs: &mut Pairs) {
    let end = pairs.counted + WIDTH;
    let counts = pairs.counts.as_flattened_mut();
    for triplets in pairs.list[pairs.counted..end].as_chunks().0 {
        let triplets = u64::from_le_bytes(*triplets);
        // The first of a pair counts once, the second 128 times.
        let mut indexes = (triplets & 0x007F_007F_007F_007F) | ((triplets & 0x7F00_7F00_7F00_7F00) >> 1);
        for _ in 0..size_of::<u64>() / 2 {
            let count = &mut counts[(indexes & 0x3FFF) as usize];
            *count = count.wrapping_add(1);
            indexes >>= 16;
        }
    }
    pairs.counted = end;
}

/// Adds all to the counts and begins anew.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
fn drain(pairs: &mut Pairs, counts: &mut [u32; BUCKETS]) {
    for &triplet in &pairs.list[pairs.counted..pairs.listed] {
        counts[usize::from(triplet) % BUCKETS] += 1;
    }
    (pairs.counted, pairs.listed) = (0, 0);
    let mut firsts = [0_u16; BUCKETS];
    for (row, count) in pairs.counts.iter_mut().zip(&mut *counts) {
        let mut seconds = 0_u16;
        for (&pair, first) in row.iter().zip(&mut firsts) {
            *first = first.wrapping_add(pair);
            seconds = seconds.wrapping_add(pair);
        }
        *count = count.wrapping_add(seconds.into());
        row.fill(0);
    }
    for (count, first) in counts.iter_mut().zip(firsts) {
        *count = count.wrapping_add(first.into());
    }
}
