//! MD5 stitched with SHA-1, SHA-256 or both, for one message: the steps of MD5 wait for each other and use general
//! registers, and the SHA instructions fill that time (V. Gopal and others, "Fast Cryptographic Computation on Intel
//! Architecture Processors Via Function Stitching", Intel, 2010).

use super::check;
use super::sha_ni::{Sha1, Sha256};
use crate::lanes::kernel::Stitched;
use crate::lanes::text::{Beside, Md5};

/// The kernel for MD5 with these; `None` for MD5 alone.
pub(in crate::lanes) fn of(sha1: bool, sha256: bool) -> Option<Stitched> {
    match (sha1, sha256) {
        (true, true) => Some(Stitched::new(md5_sha1_sha256)),
        (true, false) => Some(Stitched::new(md5_sha1)),
        (false, true) => Some(Stitched::new(md5_sha256)),
        (false, false) => None,
    }
}

macro_rules! kernels {
    ($($name:ident: $sha1:literal, $sha256:literal;)+) => { $(
        // Not AVX, for the reason told in `sha_ni`.
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        fn $name(states: [&mut [u8]; 3], input: &[u8], blocks: usize) {
            // SAFETY: the attribute enables the features; whoever calls this answers for the CPU.
            unsafe { run::<$sha1, $sha256>(states, input, blocks) }
        }
    )+ };
}

kernels! {
    md5_sha1: true, false;
    md5_sha256: false, true;
    md5_sha1_sha256: true, true;
}

/// SHA-1 and SHA-256 of a block, as far as they are wanted.
struct Shas<'i, const SHA1: bool, const SHA256: bool> {
    sha1: Sha1<1>,
    sha256: Sha256<1>,
    inputs: [&'i [u8]; 1],
    /// Of the block.
    offset: usize,
}

impl<const SHA1: bool, const SHA256: bool> Beside for Shas<'_, SHA1, SHA256> {
    #[inline(always)]
    fn four_steps(&mut self, four: usize) {
        let Shas { sha1, sha256, inputs, offset } = self;
        // SAFETY: only `run` makes them, which answers for the features and for whole blocks.
        unsafe {
            if SHA1 {
                // 20 times four rounds, beside 16 times four steps.
                sha1.four_rounds(four + four / 4, inputs, *offset);
                if four % 4 == 3 {
                    sha1.four_rounds(four + four / 4 + 1, inputs, *offset);
                }
            }
            if SHA256 {
                sha256.four_rounds(four, inputs, *offset);
            }
        }
    }
}

/// The states are those of MD5, SHA-1 and SHA-256; one of the latter that is not computed has any.
///
/// # Safety
/// The CPU has SHA-NI, SSSE3 and SSE4.1, and the caller enables them.
#[inline(always)]
unsafe fn run<const SHA1: bool, const SHA256: bool>([md5, sha1, sha256]: [&mut [u8]; 3], input: &[u8], blocks: usize) {
    let inputs = [input];
    check(&inputs, 1, 64 * blocks);
    let before = (if SHA1 { &*sha1 } else { &[0; 20] }, if SHA256 { &*sha256 } else { &[0; 32] });
    // SAFETY: the features are the caller's promise, and `check` has found whole blocks in the input.
    unsafe {
        let (one, two) = (Sha1::of(before.0), Sha256::of(before.1));
        let mut shas = Shas::<SHA1, SHA256> { sha1: one, sha256: two, inputs, offset: 0 };
        let (words, _) = md5.as_chunks::<4>();
        let mut chain: [u32; 4] = std::array::from_fn(|word| u32::from_ne_bytes(words[word]));
        for block in 0..blocks {
            shas.offset = 64 * block;
            let (words, _) = input[shas.offset..shas.offset + 64].as_chunks::<4>();
            let message: [u32; 16] = std::array::from_fn(|word| u32::from_le_bytes(words[word]));
            let (sha1_before, sha256_before) = (shas.sha1.state(), shas.sha256.state());
            chain = Md5::compress_beside(chain, &message, &mut shas);
            if SHA1 {
                shas.sha1.add(sha1_before);
            }
            if SHA256 {
                shas.sha256.add(sha256_before);
            }
        }
        for (bytes, word) in md5.as_chunks_mut().0.iter_mut().zip(chain) {
            *bytes = word.to_ne_bytes();
        }
        if SHA1 {
            shas.sha1.store(sha1);
        }
        if SHA256 {
            shas.sha256.store(sha256);
        }
    }
}
