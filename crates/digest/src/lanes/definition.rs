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
    pub(super) name: &'static str,
    pub(super) compression: Compression,
    pub(super) block_bytes: usize,
    /// 4 or 8.
    pub(super) word_bytes: usize,
    /// The first chaining value: this many words, whatever follows in a kernel's state is zero.
    pub(super) initial: &'static [u64],
    pub(super) padding: Padding,
}

impl Definition {
    /// The definition of an algorithm; `None` where there are no lanes for it.
    pub(super) fn of(algorithm: Algorithm) -> Option<&'static Definition> {
        DEFINITIONS.iter().find(|definition| definition.name == algorithm.name())
    }

    /// Number of words in a lane's state.
    pub(super) fn state_words(&self) -> usize {
        self.initial.len()
    }

    /// Writes a lane's digest. `word(i)` copies word `i` of its state, in native byte order, to the front of a slice.
    pub(super) fn digest(&self, algorithm: Algorithm, state: &[u64]) -> Digest {
        let mut bytes = [0; 8 * STATE_WORDS_MAX];
        let words = &state[..self.state_words()];
        match (self.word_bytes, self.padding) {
            (4, Padding::Length64Little) => {
                for (to, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                    *to = (*word as u32).to_le_bytes();
                }
            }
            (4, _) => {
                for (to, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                    *to = (*word as u32).to_be_bytes();
                }
            }
            _ => {
                for (to, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                    *to = word.to_be_bytes();
                }
            }
        }
        algorithm.value(&bytes[..algorithm.digest_bytes()])
    }
}
