//! The handle on one line of the registry.

use std::fmt;

use crate::names::{self, UnknownAlgorithm};
use crate::registry::{self, Entry, REGISTRY};
use crate::{Digest, Hasher};

/// One algorithm of the registry. Copyable handle; compares and hashes by identity, orders by registry position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl Algorithm {
    /// SHA-1, of which other formats are made.
    pub const SHA1: Algorithm = Algorithm(registry::position("sha1"));
    pub(crate) const BLAKE3: Algorithm = Algorithm(registry::position("blake3"));

    /// All algorithms, in registry order.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        (0..REGISTRY.len()).map(|position| Algorithm(position as u8))
    }

    /// Finds an algorithm by name or alias. Case, `-`, `_` and `/` do not matter (`SHA-256`, `sha_256`, `sha512/256`), but two
    /// numbers that they part are not read as another one: `sha3-84` is not `sha384`.
    ///
    /// # Errors
    /// [`UnknownAlgorithm`] when no name or alias fits.
    pub fn from_name(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        names::find(name).ok_or_else(|| UnknownAlgorithm { name: name.to_owned() })
    }

    fn entry(self) -> &'static Entry {
        &REGISTRY[usize::from(self.0)]
    }

    /// Name in output: lower case (`sha256`, `sha3-256`, `xxh3-64`).
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Further names that [`Algorithm::from_name`] accepts.
    pub fn aliases(self) -> &'static [&'static str] {
        self.entry().aliases
    }

    /// Length of the digest in bytes.
    pub fn digest_bytes(self) -> usize {
        self.entry().digest_bytes
    }

    /// Length of the block that the compression function takes, in bytes (1 where there is none).
    pub fn block_bytes(self) -> usize {
        self.entry().block_bytes
    }

    /// How far it may be trusted.
    pub fn status(self) -> Status {
        self.entry().status
    }

    /// Name of the code path that this CPU gets (`sha-ni`, `avx512`, `portable`, …).
    pub fn backend(self) -> &'static str {
        (self.entry().backend)()
    }

    /// The standard or paper that defines it.
    pub fn reference(self) -> &'static str {
        self.entry().reference
    }

    /// A fresh streaming hasher.
    pub fn hasher(self) -> Hasher {
        Hasher::new(self, (self.entry().state)())
    }

    /// Digest of one whole message; allocates nothing.
    pub fn digest(self, message: &[u8]) -> Digest {
        let mut digest = Digest::zero(self);
        (self.entry().digest)(message, &mut digest);
        digest
    }

    /// A digest from bytes that have the algorithm's length.
    pub(crate) fn value(self, bytes: &[u8]) -> Digest {
        let mut digest = Digest::zero(self);
        digest.set(bytes);
        digest
    }
}

/// The name in output.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name in output.
impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
