//! The texts: one compression function per algorithm, written once over any lane vector.

mod md5;
mod sha1;
mod sha256;
mod sha512;

pub(super) use md5::Md5;
pub(super) use sha1::Sha1;
pub(super) use sha256::Sha256;
pub(super) use sha512::Sha512;

use super::vector::Vector;

/// A compression function over blocks of 16 words of type `W`, with a chaining value of `N` words.
pub(super) trait Text<W, const N: usize> {
    /// Order of the bytes of a message word.
    const BIG_ENDIAN: bool;

    /// The chaining value after one block of each lane.
    fn compress<V: Vector<Word = W>>(chain: [V; N], message: [V; 16]) -> [V; N];
}
