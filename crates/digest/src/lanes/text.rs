//! The texts: one compression function per algorithm, written once over any lane vector.

mod blake2;
mod blake3;
mod keccak;
mod md4;
mod md5;
mod ripemd160;
mod sha1;
mod sha256;
mod sha512;
mod sm3;

pub(super) use blake2::{Blake2b, Blake2s, COUNTERS as BLAKE2_COUNTERS, INITIAL_2S, STATE_WORDS as BLAKE2_STATE_WORDS};
pub(super) use blake3::{Blake3, STATE_WORDS as BLAKE3_STATE_WORDS};
pub(super) use keccak::Keccak;
pub(super) use md4::Md4;
#[cfg(target_arch = "x86_64")]
pub(super) use md5::Beside;
pub(super) use md5::Md5;
pub(super) use ripemd160::Ripemd160;
pub(super) use sha1::Sha1;
#[cfg(target_arch = "x86_64")]
pub(super) use sha256::CUBE_ROOTS as CUBE_ROOTS_32;
pub(super) use sha256::Sha256;
pub(super) use sha512::Sha512;
pub(super) use sm3::Sm3;

use super::vector::Vector;

/// A compression function over blocks of `M` words of type `W`, with a state of `N` words in each lane.
pub(super) trait Compress<W, const N: usize, const M: usize> {
    /// Order of the bytes of a message word.
    const BIG_ENDIAN: bool;

    /// The state after one block of each lane. `last` tells the last block of a kernel's run.
    fn compress<V: Vector<Word = W>>(state: [V; N], message: &[V; M], last: bool) -> [V; N];
}
