//! The map from each value of a piece's hash to its value after some bytes, with AVX-512 and VBMI (look-ups in a
//! register).
//!
//! A hash takes one byte after the other, and each step waits for the one before. But it has few values, so parts of
//! the bytes go side by side, each from all values, and in the end one map follows the other. A value's highest bit
//! only inverts that of the next one (19·32 is 32 modulo 64), so that half of the values tell what becomes of the
//! others: two parts share a register.

use std::arch::x86_64::*;

use super::VALUES;
use crate::bytes64::WIDTH;
use crate::bytes64::avx512::{Times19, load};

/// Registers side by side: a step takes some six cycles, and a core begins one or two look-ups in each, of which there
/// are two.
const VECTORS: usize = 8;

/// Bytes of each part that are loaded at once.
const BLOCK_BYTES: usize = 16;

const _: () = assert!(super::MAPPED_BYTES == 2 * VECTORS * BLOCK_BYTES);

/// The highest bit of a value.
const HIGHEST: i8 = (VALUES / 2) as i8;

/// For each place in a block, where that byte of the first part lies in a register, and that of the second part.
const PLACES: [[u8; WIDTH]; BLOCK_BYTES] = {
    let mut places = [[0; WIDTH]; BLOCK_BYTES];
    let mut place = 0;
    while place < BLOCK_BYTES {
        let mut lane = 0;
        while lane < WIDTH {
            places[place][lane] = (place + if lane < WIDTH / 2 { 0 } else { BLOCK_BYTES }) as u8;
            lane += 1;
        }
        place += 1;
    }
    places
};

/// Each value.
const IDENTITY: [u8; WIDTH] = {
    let mut values = [0; WIDTH];
    let mut value = 0;
    while value < VALUES {
        values[value] = value as u8;
        value += 1;
    }
    values
};

#[target_feature(enable = "avx512bw,avx512vbmi")]
pub(super) fn map(bytes: &[u8]) -> [u8; VALUES] {
    let mut parts = [&bytes[..0]; 2 * VECTORS];
    for (part, bytes) in parts.iter_mut().zip(bytes.chunks_exact((bytes.len() / (2 * VECTORS)).max(1))) {
        *part = bytes;
    }
    let times_19 = load(&Times19::<0>::TABLE);
    // The upper half of the lanes are the lower values, too. Only the lowest six bits of a lane count.
    let mut values = [load(&IDENTITY); VECTORS];
    for start in (0..parts[0].len()).step_by(BLOCK_BYTES) {
        let mut blocks = [_mm512_setzero_si512(); VECTORS];
        for (blocks, parts) in blocks.iter_mut().zip(parts.as_chunks::<2>().0) {
            let [first, second] = parts.map(|part| load_block(part, start));
            *blocks = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(first), second);
        }
        for places in &PLACES {
            let places = load(places);
            for (values, &blocks) in values.iter_mut().zip(&blocks) {
                let bytes = _mm512_permutexvar_epi8(places, blocks);
                *values = _mm512_xor_si512(_mm512_permutexvar_epi8(*values, times_19), bytes);
            }
        }
    }
    let mut map = load(&IDENTITY);
    let highest = _mm512_set1_epi8(HIGHEST);
    for values in values {
        // In the lower half of the register, and then in the upper one: by the lower bits, with the highest as it is.
        for half in [_mm512_setzero_si512(), highest] {
            let next = _mm512_permutexvar_epi8(_mm512_ternarylogic_epi64::<0xD8>(map, half, highest), values);
            map = _mm512_xor_si512(next, _mm512_and_si512(map, highest));
        }
    }
    let mut found = [0; WIDTH];
    // SAFETY: 64 bytes are there, and the store takes any alignment.
    unsafe { _mm512_storeu_si512(found.as_mut_ptr().cast(), map) };
    found.map(|value| value % VALUES as u8)
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn load_block(part: &[u8], start: usize) -> __m128i {
    let (_, from) = part.split_at(start);
    match from.first_chunk::<BLOCK_BYTES>() {
        // SAFETY: 16 bytes are there, and the load takes any alignment.
        Some(block) => unsafe { _mm_loadu_si128(block.as_ptr().cast()) },
        None => unreachable!("a part is so many blocks"),
    }
}
