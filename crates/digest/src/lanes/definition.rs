//! What the scheduler knows of each algorithm: its compression function, first chaining value, padding and output.

use crate::{Algorithm, Digest};

/// A compression function; several algorithms may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Md5,
    Sha1,
    Sha256,
    Sha512,
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
}

/// An algorithm that the lanes know.
#[derive(Debug)]
pub(super) struct Definition {
    /// As in the registry.
    name: &'static str,
    pub(super) compression: Compression,
    /// The first state of a lane.
    initial: Initial,
    pub(super) block_bytes: usize,
    pub(super) padding: Padding,
}

/// Words of a lane's state.
#[derive(Debug)]
enum Initial {
    Words32(&'static [u32]),
    Words64(&'static [u64]),
}

use Initial::{Words32, Words64};
use Padding::{Length64Big, Length64Little, Length128Big};

static DEFINITIONS: &[Definition] = &[
    Definition::new("md5", Compression::Md5, Words32(&MD5), 64, Length64Little),
    Definition::new("sha1", Compression::Sha1, Words32(&SHA1), 64, Length64Big),
    Definition::new("sha224", Compression::Sha256, Words32(&SHA224), 64, Length64Big),
    Definition::new("sha256", Compression::Sha256, Words32(&SHA256), 64, Length64Big),
    Definition::new("sha384", Compression::Sha512, Words64(&SHA384), 128, Length128Big),
    Definition::new("sha512", Compression::Sha512, Words64(&SHA512), 128, Length128Big),
    Definition::new("sha512-256", Compression::Sha512, Words64(&SHA512_256), 128, Length128Big),
];

// First chaining values: RFC 1321, section 3.3, and FIPS 180-4, section 5.3.
const MD5: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
const SHA1: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
const SHA224: [u32; 8] =
    [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];
const SHA256: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
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

/// The longest block.
pub(super) const BLOCK_BYTES_MAX: usize = 128;
/// The last bytes of a message, fewer than a block, and their padding: two blocks at most.
pub(super) const TAIL_BYTES_MAX: usize = 2 * BLOCK_BYTES_MAX;

/// The longest padding: the length field does not fit behind the content of the last block.
pub(super) const PADDING_BYTES_MAX: usize = BLOCK_BYTES_MAX + 16;

impl Definition {
    const fn new(
        name: &'static str,
        compression: Compression,
        initial: Initial,
        block_bytes: usize,
        padding: Padding,
    ) -> Definition {
        assert!(block_bytes <= BLOCK_BYTES_MAX);
        Definition { name, compression, initial, block_bytes, padding }
    }

    /// The definition of an algorithm; `None` where there are no lanes for it.
    pub(super) fn of(algorithm: Algorithm) -> Option<&'static Definition> {
        DEFINITIONS.iter().find(|definition| definition.name == algorithm.name())
    }

    /// Bytes of a lane's state.
    pub(super) fn state_bytes(&self) -> usize {
        self.state_words() * self.word_bytes()
    }

    /// Words of a lane's state.
    pub(super) fn state_words(&self) -> usize {
        match self.initial {
            Words32(words) => words.len(),
            Words64(words) => words.len(),
        }
    }

    /// Bytes of a word.
    pub(super) fn word_bytes(&self) -> usize {
        match self.initial {
            Words32(_) => 4,
            Words64(_) => 8,
        }
    }

    /// Sets one lane of the states `[word][lane]` to the state before the first block.
    pub(super) fn begin(&self, states: &mut [u8], lanes: usize, lane: usize) {
        match self.initial {
            Words32(words) => {
                let states = states.as_chunks_mut().0.iter_mut().skip(lane).step_by(lanes);
                states.zip(words).for_each(|(state, word)| *state = word.to_ne_bytes());
            }
            Words64(words) => {
                let states = states.as_chunks_mut().0.iter_mut().skip(lane).step_by(lanes);
                states.zip(words).for_each(|(state, word)| *state = word.to_ne_bytes());
            }
        }
    }

    /// Copies one lane of the states `[word][lane]` to a lane of others.
    pub(super) fn copy(
        &self,
        from: &[u8],
        from_lanes: usize,
        from_lane: usize,
        to: &mut [u8],
        to_lanes: usize,
        to_lane: usize,
    ) {
        match self.initial {
            Words32(_) => {
                let to = to.as_chunks_mut::<4>().0.iter_mut().skip(to_lane).step_by(to_lanes);
                from.as_chunks()
                    .0
                    .iter()
                    .skip(from_lane)
                    .step_by(from_lanes)
                    .zip(to)
                    .for_each(|(from, to)| *to = *from);
            }
            Words64(_) => {
                let to = to.as_chunks_mut::<8>().0.iter_mut().skip(to_lane).step_by(to_lanes);
                from.as_chunks()
                    .0
                    .iter()
                    .skip(from_lane)
                    .step_by(from_lanes)
                    .zip(to)
                    .for_each(|(from, to)| *to = *from);
            }
        }
    }

    /// The digest in one lane of the states `[word][lane]`.
    pub(super) fn digest(&self, algorithm: Algorithm, states: &[u8], lanes: usize, lane: usize) -> Digest {
        let mut bytes = [0; Digest::BYTES_MAX];
        match self.initial {
            Words32(_) => {
                let states = states.as_chunks().0.iter().skip(lane).step_by(lanes);
                let little = self.padding == Length64Little;
                for (to, state) in bytes.as_chunks_mut().0.iter_mut().zip(states) {
                    let word = u32::from_ne_bytes(*state);
                    *to = if little { word.to_le_bytes() } else { word.to_be_bytes() };
                }
            }
            Words64(_) => {
                let states = states.as_chunks().0.iter().skip(lane).step_by(lanes);
                for (to, state) in bytes.as_chunks_mut().0.iter_mut().zip(states) {
                    *to = u64::from_ne_bytes(*state).to_be_bytes();
                }
            }
        }
        algorithm.value(&bytes[..algorithm.digest_bytes()])
    }
}

impl Padding {
    /// Bytes of the length field and the mark before it.
    fn bytes_min(self) -> usize {
        match self {
            Length64Little | Length64Big => 1 + 8,
            Length128Big => 1 + 16,
        }
    }

    /// Number of blocks that the last `rest` bytes of a message make.
    pub(super) fn blocks(self, rest: usize, block_bytes: usize) -> usize {
        (rest + self.bytes_min()).div_ceil(block_bytes)
    }

    /// Writes the padding of a message of `message_bytes` from the end of the message to the end of its last block.
    pub(super) fn write(self, to: &mut [u8], message_bytes: u64) {
        to.fill(0);
        if let Some(mark) = to.first_mut() {
            *mark = 0x80;
        }
        match self {
            Length64Little => set_end(to, (message_bytes << 3).to_le_bytes()),
            Length64Big => set_end(to, (message_bytes << 3).to_be_bytes()),
            Length128Big => set_end(to, (u128::from(message_bytes) << 3).to_be_bytes()),
        }
    }
}

fn set_end<const N: usize>(to: &mut [u8], field: [u8; N]) {
    if let Some(end) = to.last_chunk_mut() {
        *end = field;
    }
}
