//! Bytes in, digest out.
//!
//! This crate holds the registry of algorithms ([`Algorithm`]), the streaming hasher ([`Hasher`]) and the value that
//! comes out ([`Digest`]). It knows no files and no threads.
#![deny(unsafe_code)]

// SKELETON: signatures agreed between the rooms; the bodies are written by the owner of this crate.

use std::fmt;

/// One algorithm of the registry. Copyable handle; compares and hashes by identity, orders by registry position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Algorithm(u8);

/// How far an algorithm may be trusted today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No practical attack is known.
    Current,
    /// Not broken in practice, but superseded.
    Legacy,
    /// Collisions can be made in practice.
    Broken,
    /// Detects accidents only; no security was ever claimed.
    Checksum,
}

/// The name given is not in the registry. `Display` says what was asked and which close names exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm {
    /// The name as given.
    pub name: String,
}

impl Algorithm {
    /// All algorithms, in registry order.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        [].into_iter()
    }
    /// Finds an algorithm by name or alias; case, `-` and `_` do not matter (`SHA-256`, `sha256`, `sha2-256`).
    pub fn from_name(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        Err(UnknownAlgorithm { name: name.to_owned() })
    }
    /// Name in output: lower case (`sha256`, `sha3-256`, `xxh3-64`).
    pub fn name(self) -> &'static str {
        ""
    }
    /// Further names that [`Algorithm::from_name`] accepts.
    pub fn aliases(self) -> &'static [&'static str] {
        &[]
    }
    /// Length of the digest in bytes.
    pub fn digest_bytes(self) -> usize {
        0
    }
    /// Length of the block that the compression function takes, in bytes (1 where there is none).
    pub fn block_bytes(self) -> usize {
        1
    }
    /// How far it may be trusted.
    pub fn status(self) -> Status {
        Status::Checksum
    }
    /// Name of the code path that this CPU gets (`sha-ni`, `avx512`, `portable`, …).
    pub fn backend(self) -> &'static str {
        ""
    }
    /// The standard or paper that defines it.
    pub fn reference(self) -> &'static str {
        ""
    }
    /// A fresh streaming hasher.
    pub fn hasher(self) -> Hasher {
        Hasher { algorithm: self }
    }
    /// Digest of one whole message.
    pub fn digest(self, message: &[u8]) -> Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finish()
    }
}

/// Streaming state of one algorithm. Dispatch happens once per `update`, never per block.
pub struct Hasher {
    algorithm: Algorithm,
}

impl Hasher {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
    /// Takes the next bytes of the message.
    pub fn update(&mut self, _bytes: &[u8]) {}
    /// Ends the message, returns its digest and leaves the hasher as new.
    pub fn finish(&mut self) -> Digest {
        Digest { algorithm: self.algorithm, bytes: [0; Digest::BYTES_MAX], collision: false }
    }
}

/// The value of one algorithm over one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    algorithm: Algorithm,
    bytes: [u8; Digest::BYTES_MAX],
    collision: bool,
}

impl Digest {
    /// Longest digest of the registry, in bytes.
    pub const BYTES_MAX: usize = 64;
    /// Builds a digest from its bytes (for readers of formats); `None` when the length is not the algorithm's.
    pub fn new(_algorithm: Algorithm, _bytes: &[u8]) -> Option<Digest> {
        None
    }
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
    /// The digest, most significant byte first, as it is printed.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.algorithm.digest_bytes()]
    }
    /// True when the message bears the marks of a known collision attack (`sha1dc` only).
    pub fn collision_detected(&self) -> bool {
        self.collision
    }
    /// Appends the digest in lower-case hexadecimal (fast: a hot path).
    pub fn push_hex(&self, _out: &mut Vec<u8>) {}
}

/// Lower-case hexadecimal.
impl fmt::Display for Digest {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// BLAKE3 of one message in independent pieces, so that many threads can work on one huge file
/// (BLAKE3 paper, section 2.1: the tree; crate `blake3`'s `hazmat` module).
pub mod blake3_tree {
    use super::Digest;
    /// Length of every piece but the last: a power of two, multiple of the 1 KiB chunk.
    pub const PIECE_BYTES: usize = 1 << 20;
    /// Chaining value of one piece that is not the whole message.
    pub type ChainingValue = [u8; 32];
    /// Chaining value of the piece at `offset` (a multiple of [`PIECE_BYTES`]) of a message longer than one piece.
    pub fn piece(_offset: u64, _bytes: &[u8]) -> ChainingValue {
        [0; 32]
    }
    /// Joins the chaining values of all pieces of a message, given in order, into its digest.
    /// `total_bytes` is the message's length and must be more than [`PIECE_BYTES`].
    pub fn join(_total_bytes: u64, _pieces: &[ChainingValue]) -> Digest {
        unreachable!()
    }
}
