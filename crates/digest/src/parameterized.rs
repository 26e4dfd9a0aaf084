//! Algorithms that take more than a message: the length of the digest, a key, a context.

use std::ops::RangeInclusive;

use crate::Digest;
use crate::state::DynState;

/// The input that an algorithm takes beside the message. Each function makes the state for digests of the given length
/// in bytes.
pub(crate) struct Parameters {
    /// Longest digest; the shortest has one byte.
    pub(crate) digest_bytes_max: usize,
    /// A longer digest begins with the shorter one (an extendable-output function); otherwise the length changes all of
    /// it.
    pub(crate) is_extendable: bool,
    pub(crate) state: fn(usize) -> Box<dyn DynState>,
    /// With a key of one of these lengths.
    pub(crate) keyed: Option<Keyed>,
    /// With a context, for deriving keys.
    pub(crate) derive_key: Option<DeriveKey>,
}

/// Makes the state that derives a key of the given length in bytes, in a context.
pub(crate) type DeriveKey = fn(&str, usize) -> Box<dyn DynState>;

/// A key that is a parameter of the algorithm itself.
pub(crate) struct Keyed {
    pub(crate) key_bytes: RangeInclusive<usize>,
    /// The key has one of these lengths.
    pub(crate) state: fn(&[u8], usize) -> Box<dyn DynState>,
}

/// A hasher of another crate whose first state holds parameters.
pub(crate) trait Parameterized: Clone + Send + Sync + 'static {
    fn update(&mut self, bytes: &[u8]);
    /// Writes the digest, of the length of `to`. The state is not used again.
    fn write(&mut self, to: &mut [u8]);
}

/// Such a hasher, and the state that it returns to.
#[derive(Clone)]
struct Restarting<H> {
    first: H,
    state: H,
}

/// The state that begins with this one.
pub(crate) fn boxed<H: Parameterized>(first: H) -> Box<dyn DynState> {
    Box::new(Restarting { state: first.clone(), first })
}

impl<H: Parameterized> DynState for Restarting<H> {
    fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        self.state.write(digest.room(digest.algorithm().digest_bytes()));
        self.state.clone_from(&self.first);
    }

    fn duplicate(&self) -> Box<dyn DynState> {
        Box::new(self.clone())
    }
}
