//! The streaming hasher.

use std::fmt;

use crate::state::DynState;
use crate::{Algorithm, Digest, KeyError, Keys};

/// Streaming state of one algorithm. Dispatch happens once per `update`, never per block.
///
/// Making one allocates; [`Hasher::finish`] leaves it as new, so a worker keeps its hashers for all its files.
pub struct Hasher {
    algorithm: Algorithm,
    state: Box<dyn DynState>,
}

impl Hasher {
    pub(crate) fn new(algorithm: Algorithm, state: Box<dyn DynState>) -> Hasher {
        Hasher { algorithm, state }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Takes the next bytes of the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
    }

    /// Ends the message, returns its digest and leaves the hasher as new.
    pub fn finish(&mut self) -> Digest {
        let mut digest = Digest::zero(self.algorithm);
        self.state.finish(&mut digest);
        digest
    }
}

/// Both go on from the bytes taken so far.
impl Clone for Hasher {
    fn clone(&self) -> Hasher {
        Hasher { algorithm: self.algorithm, state: self.state.duplicate() }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

impl Algorithm {
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
}
