//! HMAC (RFC 2104, FIPS 198-1) over any hash of the registry.

use crate::state::{DynState, State};
use crate::{Algorithm, Digest};

/// The longest block of a hash, and so the longest key that is not hashed first.
const BLOCK_BYTES_MAX: usize = 168;

/// The states after the key with each of its two paddings, and that of the message.
#[derive(Clone)]
pub(crate) struct Hmac<S> {
    inner: S,
    outer: S,
    message: S,
}

impl<S: State> Hmac<S> {
    /// `algorithm` is the HMAC itself, whose digests have the length of the hash's.
    pub(crate) fn new(key: &[u8], algorithm: Algorithm) -> Hmac<S> {
        const { assert!(S::BLOCK_BYTES <= BLOCK_BYTES_MAX) };
        let mut hashed = Digest::zero(algorithm);
        let key = if key.len() > S::BLOCK_BYTES {
            S::digest(key, &mut hashed);
            hashed.bytes()
        } else {
            key
        };
        let keyed = |padding: u8| {
            let mut block = [padding; BLOCK_BYTES_MAX];
            block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
            let mut state = S::default();
            state.update(&block[..S::BLOCK_BYTES]);
            state
        };
        let inner = keyed(0x36);
        Hmac { message: inner.clone(), inner, outer: keyed(0x5c) }
    }
}

impl<S: State> DynState for Hmac<S> {
    fn update(&mut self, bytes: &[u8]) {
        self.message.update(bytes);
    }

    fn finish(&mut self, digest: &mut Digest) {
        self.message.finish(digest);
        let mut outer = self.outer.clone();
        outer.update(digest.bytes());
        outer.finish(digest);
        self.message.clone_from(&self.inner);
    }

    fn duplicate(&self) -> Box<dyn DynState> {
        Box::new(self.clone())
    }
}
