//! The handle on one line of the registry, with the parameters that a name may add to it. The modules above it say what
//! an algorithm offers: `registry` its facts, `names` its names, `hasher` its digests.

/// One algorithm: a line of the registry, the length of its digests, and whether a key or a context enters them.
/// Copyable handle; compares and hashes by identity, orders by registry position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Algorithm {
    pub(crate) position: u8,
    pub(crate) mode: Mode,
    pub(crate) digest_bytes: u8,
}

/// Input of a digest beside the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Mode {
    /// No further input.
    Plain,
    /// A key, by HMAC.
    Hmac,
    /// A key, which the algorithm itself takes.
    Keyed,
    /// A context, which the algorithm itself takes.
    DeriveKey,
}

/// How far an algorithm may be trusted today. Exhaustive: a caller that asks decides for each of them.
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
    /// True for algorithms that differ in nothing but the length, the key and the context.
    pub fn has_same_hash(self, other: Algorithm) -> bool {
        self.position == other.position
    }

    /// True where a digest depends on a key or a context, too, which no list contains.
    pub fn is_keyed(self) -> bool {
        self.mode != Mode::Plain
    }

    pub(crate) fn mode(self) -> Mode {
        self.mode
    }

    /// Length of the digest in bytes.
    #[inline]
    pub fn digest_bytes(self) -> usize {
        usize::from(self.digest_bytes)
    }
}
