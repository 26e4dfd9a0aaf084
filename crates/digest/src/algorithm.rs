//! The handle on one line of the registry, with the parameters that a name may add to it.

use std::fmt;
use std::ops::RangeInclusive;

use crate::names::{self, UnknownAlgorithm};
use crate::parameterized::Parameters;
use crate::registry::{self, Entry, REGISTRY};
use crate::state::DynState;
use crate::{Digest, Hasher, KeyError, Keys};

/// One algorithm: a line of the registry, the length of its digests, and whether a key or a context enters them.
/// Copyable handle; compares and hashes by identity, orders by registry position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Algorithm {
    position: u8,
    mode: Mode,
    digest_bytes: u8,
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
    /// SHA-1, on which other formats are built.
    pub const SHA1: Algorithm = Algorithm::at(registry::position("sha1"));
    /// CRC-32C, with which lists check their own lines.
    pub const CRC32C: Algorithm = Algorithm::at(registry::position("crc32c"));
    pub(crate) const BLAKE3: Algorithm = Algorithm::at(registry::position("blake3"));

    /// A line of the registry as it is.
    const fn at(position: u8) -> Algorithm {
        Algorithm { position, mode: Mode::Plain, digest_bytes: REGISTRY[position as usize].digest_bytes as u8 }
    }

    /// All algorithms with their usual lengths and without keys, in registry order.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        (0..REGISTRY.len()).map(|position| Algorithm::at(position as u8))
    }

    /// All algorithms that need a key or a context, with their usual lengths, in registry order.
    pub fn all_keyed() -> impl Iterator<Item = Algorithm> {
        Algorithm::all().flat_map(|plain| {
            [Mode::Hmac, Mode::Keyed, Mode::DeriveKey].into_iter().filter_map(move |mode| plain.with_mode(mode))
        })
    }

    /// The same line of the registry in another mode; `None` where it has none.
    pub(crate) fn with_mode(self, mode: Mode) -> Option<Algorithm> {
        let exists = match mode {
            Mode::Plain => true,
            Mode::Hmac => self.entry().has_hmac() && self.has_usual_length(),
            Mode::Keyed => self.parameters().is_some_and(|parameters| parameters.keyed.is_some()),
            Mode::DeriveKey => self.parameters().is_some_and(|parameters| parameters.derive_key.is_some()),
        };
        exists.then_some(Algorithm { mode, ..self })
    }

    /// The same algorithm with digests of another length; `None` where it has none of that length.
    pub fn with_digest_bytes(self, digest_bytes: usize) -> Option<Algorithm> {
        self.digest_bytes_range()
            .contains(&digest_bytes)
            .then_some(Algorithm { digest_bytes: digest_bytes as u8, ..self })
    }

    /// True for algorithms that differ in nothing but the length, the key and the context.
    pub fn has_same_hash(self, other: Algorithm) -> bool {
        self.position == other.position
    }

    /// The lengths that its digests may have, in bytes: a name with another one ends with it, in bits (`blake3-512`).
    pub fn digest_bytes_range(self) -> RangeInclusive<usize> {
        match self.parameters() {
            Some(parameters) if self.mode != Mode::Hmac => 1..=parameters.digest_bytes_max,
            _ => self.entry().digest_bytes..=self.entry().digest_bytes,
        }
    }

    /// True where a longer digest begins with the shorter one (SHAKE, BLAKE3).
    pub fn is_extendable(self) -> bool {
        self.parameters().is_some_and(|parameters| parameters.is_extendable)
    }

    /// True where a digest depends on a key or a context, too, which no list contains.
    pub fn is_keyed(self) -> bool {
        self.mode != Mode::Plain
    }

    /// The lengths of keys that it takes; `None` where it takes no key.
    pub fn key_bytes(self) -> Option<RangeInclusive<usize>> {
        match self.mode {
            Mode::Plain | Mode::DeriveKey => None,
            Mode::Hmac => Some(1..=usize::MAX),
            Mode::Keyed => Some(self.parameters()?.keyed.as_ref()?.key_bytes.clone()),
        }
    }

    /// Finds an algorithm by name or alias. Case, `-`, `_` and `/` do not matter (`SHA-256`, `sha_256`, `sha512/256`),
    /// but two numbers that they part are not read as another one: `sha3-84` is not `sha384`. A length in bits may
    /// follow (`shake128-512`, `blake2b-256`) and `hmac-` or `keyed-` precede (`hmac-sha256`, `keyed-blake3`).
    ///
    /// # Errors
    /// [`UnknownAlgorithm`] when no name or alias fits.
    pub fn from_name(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        names::find(name).ok_or_else(|| UnknownAlgorithm { name: name.to_owned() })
    }

    pub(crate) fn entry(self) -> &'static Entry {
        &REGISTRY[usize::from(self.position)]
    }

    fn parameters(self) -> Option<&'static Parameters> {
        self.entry().parameters.as_ref()
    }

    pub(crate) fn mode(self) -> Mode {
        self.mode
    }

    pub(crate) fn has_usual_length(self) -> bool {
        usize::from(self.digest_bytes) == self.entry().digest_bytes
    }

    /// True for a line of the registry as it is.
    fn is_usual(self) -> bool {
        self.mode == Mode::Plain && self.has_usual_length()
    }

    /// Name in output: lower case (`sha256`, `sha3-256`, `xxh3-64`).
    pub fn name(self) -> &'static str {
        if self.is_usual() { self.entry().name } else { names::of_parameters(self) }
    }

    /// Further names that [`Algorithm::from_name`] accepts.
    pub fn aliases(self) -> &'static [&'static str] {
        if self.is_usual() { self.entry().aliases } else { &[] }
    }

    /// Length of the digest in bytes.
    #[inline]
    pub fn digest_bytes(self) -> usize {
        usize::from(self.digest_bytes)
    }

    /// Length of the block that the compression function takes, in bytes (1 where there is none).
    pub fn block_bytes(self) -> usize {
        self.entry().block_bytes
    }

    /// How far it may be trusted.
    pub fn status(self) -> Status {
        match self.entry().status {
            // So few bits withstand no attack.
            _ if self.digest_bytes < 16 => Status::Checksum,
            // A collision of the hash is none of its HMAC (M. Bellare, "New Proofs for NMAC and HMAC", CRYPTO 2006).
            Status::Broken if self.mode == Mode::Hmac => Status::Legacy,
            status => status,
        }
    }

    /// Name of the code path that this CPU gets (`sha-ni`, `avx512`, `portable`, …).
    pub fn backend(self) -> &'static str {
        (self.entry().backend)()
    }

    /// The standard or paper that defines it.
    pub fn reference(self) -> &'static str {
        self.entry().reference
    }

    /// Returns a new streaming hasher.
    ///
    /// # Panics
    /// When the algorithm needs a key or a context: see [`Algorithm::hasher_with`].
    pub fn hasher(self) -> Hasher {
        match self.hasher_with(&Keys::default()) {
            Ok(hasher) => hasher,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a new streaming hasher, with the key or the context that the algorithm needs.
    ///
    /// # Errors
    /// [`KeyError`] when what it needs is missing, or a key has a length that it does not take.
    pub fn hasher_with(self, keys: &Keys) -> Result<Hasher, KeyError> {
        Ok(Hasher::new(self, self.state(keys)?))
    }

    fn state(self, keys: &Keys) -> Result<Box<dyn DynState>, KeyError> {
        let key = || match (&keys.key, self.key_bytes()) {
            (Some(key), Some(lengths)) if lengths.contains(&key.bytes().len()) => Ok(key.bytes()),
            (Some(key), _) => Err(KeyError::KeyLength { algorithm: self, key_bytes: key.bytes().len() }),
            (None, _) => Err(KeyError::NoKey { algorithm: self }),
        };
        let context = || keys.context.as_deref().ok_or(KeyError::NoContext { algorithm: self });
        let (entry, digest_bytes) = (self.entry(), self.digest_bytes());
        Ok(match (self.mode, &entry.parameters) {
            (Mode::Hmac, _) => (entry.hmac)(key()?, self),
            (Mode::Keyed, Some(Parameters { keyed: Some(keyed), .. })) => (keyed.state)(key()?, digest_bytes),
            (Mode::DeriveKey, Some(Parameters { derive_key: Some(state), .. })) => state(context()?, digest_bytes),
            (_, Some(parameters)) if !self.has_usual_length() => (parameters.state)(digest_bytes),
            _ => (entry.state)(),
        })
    }

    /// Returns the digest of one whole message; allocates nothing where the length is the usual one.
    ///
    /// # Panics
    /// When the algorithm needs a key or a context: see [`Algorithm::hasher_with`].
    pub fn digest(self, message: &[u8]) -> Digest {
        if self.is_usual() {
            let mut digest = Digest::zero(self);
            (self.entry().digest)(message, &mut digest);
            return digest;
        }
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finish()
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
