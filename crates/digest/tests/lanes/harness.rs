//! Drives a manager over messages in memory and compares with the plain hasher.

use pfh_digest::Algorithm;
use pfh_digest::lanes::{Event, LaneManager};

type Manager = LaneManager<Vec<u8>, Message>;

/// A message on its way through a lane.
#[derive(Clone)]
pub(crate) struct Message {
    pub(crate) content: Vec<u8>,
    /// Bytes submitted.
    at: usize,
    /// Length of its chunks; the last one may be empty.
    chunk_bytes: usize,
    /// Room after the content of each buffer.
    reserve_bytes: usize,
}

impl Message {
    pub(crate) fn new(content: Vec<u8>, chunk_bytes: usize, reserve_bytes: usize) -> Message {
        Message { content, at: 0, chunk_bytes, reserve_bytes }
    }

    /// The next chunk in a buffer of its own, its length, and whether it is the last.
    fn next(&mut self) -> (Vec<u8>, usize, bool) {
        let rest = &self.content[self.at..];
        let bytes = rest.len().min(self.chunk_bytes);
        let mut buffer = rest[..bytes].to_vec();
        // Not zero: padding has to be written, not found.
        buffer.resize(bytes + self.reserve_bytes, 0xa5);
        self.at += bytes;
        // An end that is known only after the last byte was read comes as an empty chunk.
        let last = bytes < self.chunk_bytes || self.at == self.content.len() && self.content.len().is_multiple_of(3);
        (buffer, bytes, last)
    }
}

/// Hashes all messages with at most `fill` lanes busy, and compares.
pub(crate) fn check(manager: &mut Manager, algorithms: &[Algorithm], messages: Vec<Message>, fill: usize, what: &str) {
    let count = messages.len();
    let mut messages = messages.into_iter();
    let mut finished = 0;
    loop {
        while manager.active() < fill.min(manager.lanes())
            && let Some(mut message) = messages.next()
        {
            let (buffer, bytes, last) = message.next();
            manager.submit(message, buffer, bytes, last);
        }
        match manager.advance() {
            Event::NeedsData { lane, .. } => {
                let mut message = manager.tag(lane).clone();
                let (buffer, bytes, last) = message.next();
                *manager.tag_mut(lane) = message;
                manager.refill(lane, buffer, bytes, last);
            }
            Event::Finished { tag: message, buffer, digests } => {
                finished += 1;
                assert_eq!(message.at, message.content.len());
                assert!(buffer.len() >= message.reserve_bytes);
                assert_eq!(digests.len(), algorithms.len());
                for (digest, algorithm) in digests.iter().zip(algorithms) {
                    let Message { content, chunk_bytes, reserve_bytes, .. } = &message;
                    assert_eq!(
                        *digest,
                        algorithm.digest(content),
                        "{what}: {} bytes in chunks of {chunk_bytes}, reserve {reserve_bytes}, {fill} lanes",
                        content.len()
                    );
                }
            }
            Event::Idle => break,
        }
    }
    assert_eq!(finished, count);
    assert_eq!(manager.active(), 0);
}
