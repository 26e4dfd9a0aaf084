//! Keys and other input of keyed algorithms, beside the message.

use std::fmt;

use crate::Algorithm;

/// A secret key. `Debug` shows its length only; the memory is not wiped.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Box<[u8]>);

impl Key {
    /// Any bytes; each algorithm says which lengths it takes ([`Algorithm::key_bytes`]).
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Key {
        Key(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({} bytes)", self.0.len())
    }
}

/// Input of keyed algorithms beside the message: each takes what it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// The key of HMAC (`hmac-…`), keyed BLAKE2 and keyed BLAKE3 (`keyed-…`).
    pub key: Option<Key>,
    /// The context of `blake3-derive-key`; no secret.
    pub context: Option<String>,
}

/// Something that is given, and that none of the algorithms takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Useless {
    /// The key.
    Key,
    /// The context.
    Context,
}

impl Keys {
    /// Returns the first of the two that is given and that none of the algorithms takes: digests without it would be
    /// taken for keyed ones.
    pub fn useless(&self, algorithms: &[Algorithm]) -> Option<Useless> {
        let is_used = |needs: fn(&KeyError) -> bool| {
            algorithms.iter().any(|algorithm| algorithm.hasher_with(&Keys::default()).is_err_and(|error| needs(&error)))
        };
        if self.key.is_some() && !is_used(|error| matches!(error, KeyError::NoKey { .. })) {
            return Some(Useless::Key);
        }
        let is_wrong = self.context.is_some() && !is_used(|error| matches!(error, KeyError::NoContext { .. }));
        is_wrong.then_some(Useless::Context)
    }
}

/// An algorithm does not get the key or the context that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// There is no key.
    NoKey {
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// There is no context.
    NoContext {
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// The key has a length that the algorithm does not take.
    KeyLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// Length of the key.
        key_bytes: usize,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::NoKey { algorithm } => write!(f, "`{algorithm}` needs a key, and none is given"),
            KeyError::NoContext { algorithm } => write!(f, "`{algorithm}` needs a context, and none is given"),
            KeyError::KeyLength { algorithm, key_bytes } => {
                write!(f, "`{algorithm}` takes ")?;
                match algorithm.key_bytes().map(|bytes| (*bytes.start(), *bytes.end())) {
                    Some((least, most)) if least == most => write!(f, "a key of exactly {most} bytes")?,
                    Some((least, usize::MAX)) => write!(f, "a key of at least {least} byte")?,
                    Some((least, most)) => write!(f, "a key of {least} to {most} bytes")?,
                    None => f.write_str("no key")?,
                }
                write!(f, ", and this one has {key_bytes}")
            }
        }
    }
}

impl std::error::Error for KeyError {}
