//! SHA-NI: the instructions are the algorithm, so these are texts of their own, for several streams interleaved: the
//! instructions of one stream wait for each other, those of another fill the time.

use std::arch::x86_64::*;

use super::{Compression, Kernel, check};
use crate::lanes::text::CUBE_ROOTS_32;

/// Like [`kernels`](super::kernels), with the number of streams for the vector.
macro_rules! kernels {
    ($($compression:ident { $($name:ident: $text:ident, $streams:literal;)+ })+) => {
        /// The kernels of a compression function; none for most.
        pub(in crate::lanes) fn of(compression: Compression) -> &'static [Kernel] {
            match compression {
                $(Compression::$compression => {
                    static KERNELS: [Kernel; [$($streams),+].len()] = [$(Kernel::new("sha-ni", $streams, $name, None)),+];
                    &KERNELS
                })+
                _ => &[],
            }
        }

        $($(
            // Not AVX: the compiler would load with wider vectors, and then each SHA instruction, of which there is no
            // AVX form, takes 100 ns.
            #[target_feature(enable = "sha,sse4.1,ssse3")]
            fn $name(states: &mut [u8], inputs: &[&[u8]], blocks: usize) {
                // SAFETY: the attribute enables the features; whoever calls this answers for the CPU.
                unsafe { $text::<$streams>(states, inputs, blocks) }
            }
        )+)+
    };
}

kernels! {
    Sha1 {
        sha1_x4: sha1, 4;
        sha1_x3: sha1, 3;
        sha1_x2: sha1, 2;
        sha1_x1: sha1, 1;
    }
    Sha256 {
        sha256_x4: sha256, 4;
        sha256_x3: sha256, 3;
        sha256_x2: sha256, 2;
        sha256_x1: sha256, 1;
    }
}

/// Four message words.
///
/// # Safety
/// The CPU has SSSE3, and the input 16 bytes from `offset` on.
#[inline(always)]
unsafe fn load(input: &[u8], offset: usize, order: __m128i) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe { _mm_shuffle_epi8(_mm_loadu_si128(input.as_ptr().add(offset).cast()), order) }
}

/// One word of the states `[word][stream]`.
#[inline(always)]
fn word(states: &[u8], streams: usize, word: usize, stream: usize) -> i32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&states[4 * (word * streams + stream)..][..4]);
    i32::from_ne_bytes(bytes)
}

#[inline(always)]
fn set_word(states: &mut [u8], streams: usize, word: usize, stream: usize, value: i32) {
    states[4 * (word * streams + stream)..][..4].copy_from_slice(&value.to_ne_bytes());
}

/// FIPS 180-4, section 6.2, four rounds at a time.
///
/// # Safety
/// The CPU has SHA-NI, SSSE3 and SSE4.1, and the caller enables them.
#[inline(always)]
unsafe fn sha256<const STREAMS: usize>(states: &mut [u8], inputs: &[&[u8]], blocks: usize) {
    check(inputs, STREAMS, 64 * blocks);
    // SAFETY: the features are the caller's promise, and `check` has found whole blocks in every input.
    unsafe {
        let mut streams = Sha256::<STREAMS>::of(states);
        for block in 0..blocks {
            let before = streams.state();
            macro_rules! four_rounds {
                ($($four:literal)+) => { $(streams.four_rounds($four, inputs, 64 * block);)+ };
            }
            four_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            streams.add(before);
        }
        streams.store(states);
    }
}

/// Streams of SHA-256 within a block.
pub(super) struct Sha256<const STREAMS: usize> {
    abef: [__m128i; STREAMS],
    cdgh: [__m128i; STREAMS],
    /// The last 16 words of the schedule, four in each vector.
    schedule: [[__m128i; 4]; STREAMS],
}

/// # Safety
/// Of all functions: the CPU has SHA-NI, SSSE3 and SSE4.1, and the caller enables them.
impl<const STREAMS: usize> Sha256<STREAMS> {
    #[inline(always)]
    pub(super) unsafe fn of(states: &[u8]) -> Sha256<STREAMS> {
        // SAFETY: the caller's promise.
        unsafe {
            let zero = _mm_setzero_si128();
            let mut streams = Sha256 { abef: [zero; STREAMS], cdgh: [zero; STREAMS], schedule: [[zero; 4]; STREAMS] };
            for stream in 0..STREAMS {
                let word = |index| word(states, STREAMS, index, stream);
                streams.abef[stream] = _mm_set_epi32(word(0), word(1), word(4), word(5));
                streams.cdgh[stream] = _mm_set_epi32(word(2), word(3), word(6), word(7));
            }
            streams
        }
    }

    #[inline(always)]
    pub(super) fn state(&self) -> [[__m128i; STREAMS]; 2] {
        [self.abef, self.cdgh]
    }

    /// Runs the rounds from `4 * four` on. Every input has a block at `offset`.
    #[inline(always)]
    pub(super) unsafe fn four_rounds(&mut self, four: usize, inputs: &[&[u8]], offset: usize) {
        let Sha256 { abef, cdgh, schedule } = self;
        // SAFETY: the caller's promise; the round constants are read within their table.
        unsafe {
            let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
            let constants = _mm_loadu_si128(CUBE_ROOTS_32.as_ptr().add(4 * four).cast());
            for stream in 0..STREAMS {
                let schedule = &mut schedule[stream];
                if four < 4 {
                    schedule[four % 4] = load(inputs[stream], offset + 16 * four, order);
                } else {
                    let (back4, back3) = (schedule[four % 4], schedule[(four + 1) % 4]);
                    let (back2, back1) = (schedule[(four + 2) % 4], schedule[(four + 3) % 4]);
                    let sum = _mm_add_epi32(_mm_sha256msg1_epu32(back4, back3), _mm_alignr_epi8::<4>(back1, back2));
                    schedule[four % 4] = _mm_sha256msg2_epu32(sum, back1);
                }
                let words = _mm_add_epi32(schedule[four % 4], constants);
                cdgh[stream] = _mm_sha256rnds2_epu32(cdgh[stream], abef[stream], words);
                let words = _mm_shuffle_epi32::<0b00_00_11_10>(words);
                abef[stream] = _mm_sha256rnds2_epu32(abef[stream], cdgh[stream], words);
            }
        }
    }

    /// Ends a block that began with this state.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, [abef, cdgh]: [[__m128i; STREAMS]; 2]) {
        for stream in 0..STREAMS {
            // SAFETY: the caller's promise.
            unsafe {
                self.abef[stream] = _mm_add_epi32(self.abef[stream], abef[stream]);
                self.cdgh[stream] = _mm_add_epi32(self.cdgh[stream], cdgh[stream]);
            }
        }
    }

    #[inline(always)]
    pub(super) unsafe fn store(&self, states: &mut [u8]) {
        let Sha256 { abef, cdgh, .. } = self;
        for stream in 0..STREAMS {
            let mut set_word = |index, value| set_word(states, STREAMS, index, stream, value);
            // SAFETY: the caller's promise.
            unsafe {
                set_word(0, _mm_extract_epi32::<3>(abef[stream]));
                set_word(1, _mm_extract_epi32::<2>(abef[stream]));
                set_word(2, _mm_extract_epi32::<3>(cdgh[stream]));
                set_word(3, _mm_extract_epi32::<2>(cdgh[stream]));
                set_word(4, _mm_extract_epi32::<1>(abef[stream]));
                set_word(5, _mm_extract_epi32::<0>(abef[stream]));
                set_word(6, _mm_extract_epi32::<1>(cdgh[stream]));
                set_word(7, _mm_extract_epi32::<0>(cdgh[stream]));
            }
        }
    }
}

/// FIPS 180-4, section 6.1, four rounds at a time.
///
/// # Safety
/// The CPU has SHA-NI, SSSE3 and SSE4.1, and the caller enables them.
#[inline(always)]
unsafe fn sha1<const STREAMS: usize>(states: &mut [u8], inputs: &[&[u8]], blocks: usize) {
    check(inputs, STREAMS, 64 * blocks);
    // SAFETY: the features are the caller's promise, and `check` has found whole blocks in every input.
    unsafe {
        let mut streams = Sha1::<STREAMS>::of(states);
        for block in 0..blocks {
            let before = streams.state();
            macro_rules! four_rounds {
                ($($four:literal)+) => { $(streams.four_rounds($four, inputs, 64 * block);)+ };
            }
            four_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
            streams.add(before);
        }
        streams.store(states);
    }
}

/// Streams of SHA-1 within a block. The first word of each vector is its highest.
pub(super) struct Sha1<const STREAMS: usize> {
    abcd: [__m128i; STREAMS],
    e: [__m128i; STREAMS],
    /// `abcd` of four rounds ago: its `a`, rotated, is `e`.
    older: [__m128i; STREAMS],
    /// The last 16 words of the schedule, four in each vector.
    schedule: [[__m128i; 4]; STREAMS],
}

/// # Safety
/// Of all functions: the CPU has SHA-NI, SSSE3 and SSE4.1, and the caller enables them.
impl<const STREAMS: usize> Sha1<STREAMS> {
    #[inline(always)]
    pub(super) unsafe fn of(states: &[u8]) -> Sha1<STREAMS> {
        // SAFETY: the caller's promise.
        unsafe {
            let zero = _mm_setzero_si128();
            let (abcd, e, older) = ([zero; STREAMS], [zero; STREAMS], [zero; STREAMS]);
            let mut streams = Sha1 { abcd, e, older, schedule: [[zero; 4]; STREAMS] };
            for stream in 0..STREAMS {
                let word = |index| word(states, STREAMS, index, stream);
                streams.abcd[stream] = _mm_set_epi32(word(0), word(1), word(2), word(3));
                streams.e[stream] = _mm_set_epi32(word(4), 0, 0, 0);
            }
            streams
        }
    }

    #[inline(always)]
    pub(super) fn state(&self) -> [[__m128i; STREAMS]; 2] {
        [self.abcd, self.e]
    }

    /// Runs the rounds from `4 * four` on. Every input has a block at `offset`.
    #[inline(always)]
    pub(super) unsafe fn four_rounds(&mut self, four: usize, inputs: &[&[u8]], offset: usize) {
        let Sha1 { abcd, e, older, schedule } = self;
        // SAFETY: the caller's promise.
        unsafe {
            let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            for stream in 0..STREAMS {
                let schedule = &mut schedule[stream];
                if four < 4 {
                    schedule[four % 4] = load(inputs[stream], offset + 16 * four, order);
                } else {
                    let (back4, back3) = (schedule[four % 4], schedule[(four + 1) % 4]);
                    let (back2, back1) = (schedule[(four + 2) % 4], schedule[(four + 3) % 4]);
                    let sum = _mm_xor_si128(_mm_sha1msg1_epu32(back4, back3), back2);
                    schedule[four % 4] = _mm_sha1msg2_epu32(sum, back1);
                }
                let words = if four == 0 {
                    _mm_add_epi32(e[stream], schedule[0])
                } else {
                    _mm_sha1nexte_epu32(older[stream], schedule[four % 4])
                };
                let before = abcd[stream];
                older[stream] = before;
                abcd[stream] = match four / 5 {
                    0 => _mm_sha1rnds4_epu32::<0>(before, words),
                    1 => _mm_sha1rnds4_epu32::<1>(before, words),
                    2 => _mm_sha1rnds4_epu32::<2>(before, words),
                    _ => _mm_sha1rnds4_epu32::<3>(before, words),
                };
            }
        }
    }

    /// Ends a block that began with this state.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, [abcd, e]: [[__m128i; STREAMS]; 2]) {
        for stream in 0..STREAMS {
            // SAFETY: the caller's promise.
            unsafe {
                self.e[stream] = _mm_sha1nexte_epu32(self.older[stream], e[stream]);
                self.abcd[stream] = _mm_add_epi32(self.abcd[stream], abcd[stream]);
            }
        }
    }

    #[inline(always)]
    pub(super) unsafe fn store(&self, states: &mut [u8]) {
        for stream in 0..STREAMS {
            let mut set_word = |index, value| set_word(states, STREAMS, index, stream, value);
            // SAFETY: the caller's promise.
            unsafe {
                set_word(0, _mm_extract_epi32::<3>(self.abcd[stream]));
                set_word(1, _mm_extract_epi32::<2>(self.abcd[stream]));
                set_word(2, _mm_extract_epi32::<1>(self.abcd[stream]));
                set_word(3, _mm_extract_epi32::<0>(self.abcd[stream]));
                set_word(4, _mm_extract_epi32::<3>(self.e[stream]));
            }
        }
    }
}
