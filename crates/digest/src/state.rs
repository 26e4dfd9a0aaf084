//! The trait that an algorithm implements, and the form in which the registry keeps its state.

use crate::Digest;

/// Streaming state of one algorithm; `Default` is the state before the first byte.
pub(crate) trait State: Clone + Default + Send + Sync + 'static {
    /// Length of the digest.
    const DIGEST_BYTES: usize;
    /// Length of the block that the compression function takes; 1 where there is none.
    const BLOCK_BYTES: usize;

    /// Takes the next bytes of the message.
    fn update(&mut self, bytes: &[u8]);

    /// Writes the value of the message into `digest` and returns to the state before the first byte.
    fn finish(&mut self, digest: &mut Digest);

    /// Value of one whole message; overridden where a crate does that faster than by streaming.
    fn digest(message: &[u8], digest: &mut Digest) {
        let mut state = Self::default();
        state.update(message);
        state.finish(digest);
    }
}

/// [`State`] behind a pointer: what [`Hasher`](crate::Hasher) holds, at the price of one indirect call per update.
pub(crate) trait DynState: Send + Sync {
    fn update(&mut self, bytes: &[u8]);
    fn finish(&mut self, digest: &mut Digest);
    fn duplicate(&self) -> Box<dyn DynState>;
}

impl<S: State> DynState for S {
    fn update(&mut self, bytes: &[u8]) {
        State::update(self, bytes);
    }
    fn finish(&mut self, digest: &mut Digest) {
        State::finish(self, digest);
    }
    fn duplicate(&self) -> Box<dyn DynState> {
        Box::new(self.clone())
    }
}
