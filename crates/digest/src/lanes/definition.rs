//! Definitions of the algorithms, as the scheduler needs them: its compression function, first state, padding and
//! output.

use super::text::{BLAKE2_COUNTERS, BLAKE2_STATE_WORDS};
use crate::Algorithm;

/// A compression function; several algorithms may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Md4,
    Md5,
    Sha1,
    Sha256,
    Sha512,
    Ripemd160,
    Sm3,
    /// Keccak with blocks of 9 words.
    Keccak9,
    Keccak13,
    Keccak17,
    Keccak18,
    Blake2b,
    Blake2s,
    /// Of chunks and parents; their tree is made by `blake3_batch.rs`, and no [`Definition`] has it.
    Blake3,
}

/// How the end of a message is made into whole blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// 0x80, zeros, length in bits as 64-bit little-endian word.
    Length64Little,
    /// 0x80, zeros, length in bits as 64-bit big-endian word.
    Length64Big,
    /// 0x80, zeros, length in bits as 128-bit big-endian word.
    Length128Big,
    /// This byte, zeros, 0x80 into the last byte of the block.
    Keccak(u8),
    /// Zeros, and no block if the message fills one: length and end are part of the state.
    Blake2,
}

/// An algorithm that the lanes know.
#[derive(Debug)]
pub(super) struct Definition {
    /// As in the registry.
    name: &'static str,
    pub(super) compression: Compression,
    initial: Initial,
    pub(super) block_bytes: usize,
    pub(super) padding: Padding,
    big_endian: bool,
}

/// The state of a lane before the first block.
#[derive(Debug)]
enum Initial {
    Words32(&'static [u32]),
    Words64(&'static [u64]),
}

use Compression::{
    Blake2b, Blake2s, Keccak9, Keccak13, Keccak17, Keccak18, Md4, Md5, Ripemd160, Sha1, Sha256, Sha512, Sm3,
};
use Initial::{Words32, Words64};
use Padding::{Blake2, Keccak, Length64Big, Length64Little, Length128Big};

#[rustfmt::skip]
static DEFINITIONS: &[Definition] = &[
    Definition::new("md4", Md4, Words32(&MD4), 64, Length64Little),
    Definition::new("md5", Md5, Words32(&MD4), 64, Length64Little),
    Definition::new("sha1", Sha1, Words32(&SHA1), 64, Length64Big),
    Definition::new("sha224", Sha256, Words32(&SHA224), 64, Length64Big),
    Definition::new("sha256", Sha256, Words32(&SHA256), 64, Length64Big),
    Definition::new("sha384", Sha512, Words64(&SHA384), 128, Length128Big),
    Definition::new("sha512", Sha512, Words64(&SHA512), 128, Length128Big),
    Definition::new("sha512-224", Sha512, Words64(&SHA512_224), 128, Length128Big),
    Definition::new("sha512-256", Sha512, Words64(&SHA512_256), 128, Length128Big),
    Definition::new("sha3-224", Keccak18, Words64(&[0; 25]), 144, Keccak(0x06)),
    Definition::new("sha3-256", Keccak17, Words64(&[0; 25]), 136, Keccak(0x06)),
    Definition::new("sha3-384", Keccak13, Words64(&[0; 25]), 104, Keccak(0x06)),
    Definition::new("sha3-512", Keccak9, Words64(&[0; 25]), 72, Keccak(0x06)),
    Definition::new("keccak256", Keccak17, Words64(&[0; 25]), 136, Keccak(0x01)),
    Definition::new("blake2b", Blake2b, Words64(&BLAKE2B), 128, Blake2),
    Definition::new("blake2s", Blake2s, Words32(&BLAKE2S), 64, Blake2),
    Definition::new("ripemd160", Ripemd160, Words32(&SHA1), 64, Length64Little),
    Definition::new("sm3", Sm3, Words32(&SM3), 64, Length64Big),
];

// MD4 and MD5: RFC 1320 and 1321, section 3.3. SHA: FIPS 180-4, section 5.3; RIPEMD-160 has that of SHA-1. SM3: GB/T
// 32905-2016.
const MD4: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
const SHA1: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
const SHA224: [u32; 8] =
    [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];
const SHA256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
const SM3: [u32; 8] =
    [0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e];
const SHA384: [u64; 8] = [
    0xcbbb_9d5d_c105_9ed8,
    0x629a_292a_367c_d507,
    0x9159_015a_3070_dd17,
    0x152f_ecd8_f70e_5939,
    0x6733_2667_ffc0_0b31,
    0x8eb4_4a87_6858_1511,
    0xdb0c_2e0d_64f9_8fa7,
    0x47b5_481d_befa_4fa4,
];
const SHA512: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];
const SHA512_224: [u64; 8] = [
    0x8c3d_37c8_1954_4da2,
    0x73e1_9966_89dc_d4d6,
    0x1dfa_b7ae_32ff_9c82,
    0x679d_d514_582f_9fcf,
    0x0f6d_2b69_7bd4_4da8,
    0x77e3_6f73_04c4_8942,
    0x3f9d_85a8_6a1d_36c8,
    0x1112_e6ad_91d6_92a1,
];
const SHA512_256: [u64; 8] = [
    0x2231_2194_fc2b_f72c,
    0x9f55_5fa3_c84c_64c2,
    0x2393_b86b_6f53_b151,
    0x9638_7719_5940_eabd,
    0x9628_3ee2_a88e_ffe3,
    0xbe5e_1e25_5386_3992,
    0x2b01_99fc_2c85_b8aa,
    0x0eb7_2ddc_81c5_2ca2,
];
// RFC 7693, section 3.3: the SHA-2 values, and the parameters in the first word: digest length, no key, no tree.
const BLAKE2B: [u64; BLAKE2_STATE_WORDS] = {
    let mut words = [0; BLAKE2_STATE_WORDS];
    words.split_at_mut(8).0.copy_from_slice(&SHA512);
    words[0] ^= 0x0101_0000 | 64;
    words
};
const BLAKE2S: [u32; BLAKE2_STATE_WORDS] = {
    let mut words = [0; BLAKE2_STATE_WORDS];
    words.split_at_mut(8).0.copy_from_slice(&SHA256);
    words[0] ^= 0x0101_0000 | 32;
    words
};

/// The longest block.
pub(super) const BLOCK_BYTES_MAX: usize = 144;
/// The largest state of a lane, that of Keccak.
pub(super) const STATE_BYTES_MAX: usize = 8 * 25;
/// The last bytes of a message, a block at most, and their padding.
pub(super) const TAIL_BYTES_MAX: usize = 2 * BLOCK_BYTES_MAX;
/// The longest padding: the length field does not fit after the content of the last block, or the content fills a
/// block.
pub(super) const PADDING_BYTES_MAX: usize = 128 + 16;

impl Definition {
    const fn new(
        name: &'static str,
        compression: Compression,
        initial: Initial,
        block_bytes: usize,
        padding: Padding,
    ) -> Definition {
        assert!(block_bytes <= BLOCK_BYTES_MAX);
        let big_endian = matches!(padding, Length64Big | Length128Big);
        Definition { name, compression, initial, block_bytes, padding, big_endian }
    }

    /// The definition of an algorithm; `None` where there are no lanes for it.
    pub(super) fn of(algorithm: Algorithm) -> Option<&'static Definition> {
        DEFINITIONS.iter().find(|definition| definition.name == algorithm.name())
    }

    /// Bytes of a lane's state.
    pub(super) fn state_bytes(&self) -> usize {
        match self.initial {
            Words32(words) => 4 * words.len(),
            Words64(words) => 8 * words.len(),
        }
    }

    /// Number of whole blocks in `bytes` bytes.
    #[inline]
    pub(super) fn whole_blocks(&self, bytes: usize) -> usize {
        // A division takes longer than everything else that is done for a chunk.
        match self.block_bytes {
            64 => bytes / 64,
            128 => bytes / 128,
            block_bytes => bytes / block_bytes,
        }
    }

    /// Number of blocks that the last `rest` bytes of a message make.
    #[inline]
    pub(super) fn last_blocks(&self, rest: usize) -> usize {
        match self.padding {
            Length64Little | Length64Big => self.whole_blocks(rest + 8) + 1,
            Length128Big => self.whole_blocks(rest + 16) + 1,
            Keccak(_) => self.whole_blocks(rest) + 1,
            Blake2 => self.whole_blocks(rest.saturating_sub(1)) + 1,
        }
    }

    /// Number of blocks that can be hashed of `rest` bytes when it is not known what follows.
    #[inline]
    pub(super) fn free_blocks(&self, rest: usize) -> usize {
        match self.padding {
            // The last block is hashed otherwise, and this may be it.
            Blake2 => self.whole_blocks(rest.saturating_sub(1)),
            _ => self.whole_blocks(rest),
        }
    }

    /// Writes the padding of a message of `message_bytes` from the end of the message to the end of its last block.
    #[inline]
    pub(super) fn pad(&self, to: &mut [u8], message_bytes: u64) {
        to.fill(0);
        let mark = match self.padding {
            Keccak(mark) => mark,
            Blake2 => return,
            _ => 0x80,
        };
        if let Some(first) = to.first_mut() {
            *first = mark;
        }
        match self.padding {
            Length64Little => set_end(to, (message_bytes << 3).to_le_bytes()),
            Length64Big => set_end(to, (message_bytes << 3).to_be_bytes()),
            Length128Big => set_end(to, (u128::from(message_bytes) << 3).to_be_bytes()),
            Keccak(_) | Blake2 => {
                if let Some(last) = to.last_mut() {
                    *last |= 0x80;
                }
            }
        }
    }

    /// Sets one lane of the states `[word][lane]` to the state before the first block.
    pub(super) fn begin(&self, states: &mut [u8], lanes: usize, lane: usize) {
        match self.initial {
            Words32(words) => {
                let states = states.as_chunks_mut().0;
                for (index, word) in words.iter().enumerate() {
                    states[index * lanes + lane] = word.to_ne_bytes();
                }
            }
            Words64(words) => {
                let states = states.as_chunks_mut().0;
                for (index, word) in words.iter().enumerate() {
                    states[index * lanes + lane] = word.to_ne_bytes();
                }
            }
        }
    }

    /// Copies a lane of states of `L` lanes to a lane of others.
    pub(super) fn copy(
        &self,
        from: &[u8],
        (from_lanes, from_lane): (usize, usize),
        to: &mut [u8],
        (to_lanes, to_lane): (usize, usize),
    ) {
        match self.initial {
            Words32(words) => {
                let (from, to) = (from.as_chunks::<4>().0, to.as_chunks_mut::<4>().0);
                for index in 0..words.len() {
                    to[index * to_lanes + to_lane] = from[index * from_lanes + from_lane];
                }
            }
            Words64(words) => {
                let (from, to) = (from.as_chunks::<8>().0, to.as_chunks_mut::<8>().0);
                for index in 0..words.len() {
                    to[index * to_lanes + to_lane] = from[index * from_lanes + from_lane];
                }
            }
        }
    }

    /// Sets what BLAKE2 keeps in a lane beside the chaining value: the counter before a run and after it, and whether
    /// the message ends with it.
    pub(super) fn set_counters(
        &self,
        states: &mut [u8],
        lanes: usize,
        lane: usize,
        before: u64,
        after: u64,
        ends: bool,
    ) {
        match self.initial {
            Words32(_) => {
                let flag = if ends { u32::MAX } else { 0 };
                let words = [before as u32, (before >> 32) as u32, after as u32, (after >> 32) as u32, flag];
                let states = states.as_chunks_mut().0;
                for (index, word) in BLAKE2_COUNTERS.zip(words) {
                    states[index * lanes + lane] = word.to_ne_bytes();
                }
            }
            Words64(_) => {
                let words = [before, 0, after, 0, if ends { u64::MAX } else { 0 }];
                let states = states.as_chunks_mut().0;
                for (index, word) in BLAKE2_COUNTERS.zip(words) {
                    states[index * lanes + lane] = word.to_ne_bytes();
                }
            }
        }
    }

    /// Most blocks in one run of a lane that has hashed this number of bytes: a kernel counts BLAKE2s' bytes in 32
    /// bits.
    pub(super) fn run_blocks_max(&self, hashed_bytes: u64) -> usize {
        match (self.padding, &self.initial) {
            (Blake2, Words32(_)) => (((1 << 32) - (hashed_bytes & u64::from(u32::MAX))) / 64) as usize,
            _ => usize::MAX,
        }
    }

    /// Writes the digest in one lane of the states `[word][lane]`.
    #[inline]
    pub(super) fn finish(&self, states: &[u8], lanes: usize, lane: usize, digest: &mut [u8]) {
        match self.initial {
            Words32(_) => {
                let states = states.as_chunks().0;
                for (index, to) in digest.as_chunks_mut().0.iter_mut().enumerate() {
                    let word = u32::from_ne_bytes(states[index * lanes + lane]);
                    *to = if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
                }
            }
            Words64(_) => {
                let states = states.as_chunks().0;
                let (whole, rest) = digest.as_chunks_mut();
                let bytes = |index| {
                    let word = u64::from_ne_bytes(states[index * lanes + lane]);
                    if self.big_endian { word.to_be_bytes() } else { word.to_le_bytes() }
                };
                for (index, to) in whole.iter_mut().enumerate() {
                    *to = bytes(index);
                }
                if !rest.is_empty() {
                    // SHA3-224 and SHA-512/224 end within a word.
                    rest.copy_from_slice(&bytes(whole.len())[..rest.len()]);
                }
            }
        }
    }
}

fn set_end<const N: usize>(to: &mut [u8], field: [u8; N]) {
    if let Some(end) = to.last_chunk_mut() {
        *end = field;
    }
}
