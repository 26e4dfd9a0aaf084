//! The digest: the value that an algorithm computes.

use std::fmt;
use std::hash;

use crate::Algorithm;
use crate::hexadecimal::{HEX, decode_hexadecimal};

/// The value of one algorithm over one message.
///
/// Two digests are equal when their algorithms and bytes are; the mark of a collision attack tells of the message and
/// is not part of the value.
#[derive(Clone, Copy)]
pub struct Digest {
    algorithm: Algorithm,
    /// Zero beyond the algorithm's length.
    bytes: [u8; Digest::BYTES_MAX],
    pub(crate) collision: bool,
}

impl Digest {
    /// Longest digest, in bytes: that of the registry. More bits of an extendable-output function would add no
    /// security.
    pub const BYTES_MAX: usize = 64;

    /// Builds a digest from its bytes (for readers of formats); `None` when the length is not the algorithm's.
    pub fn new(algorithm: Algorithm, bytes: &[u8]) -> Option<Digest> {
        (bytes.len() == algorithm.digest_bytes()).then(|| Digest::from_bytes(algorithm, bytes))
    }

    /// Builds a digest from its hexadecimal digits, in upper or lower case (fast: a hot path of readers); `None` when
    /// they are not hexadecimal, or their number does not fit the algorithm.
    pub fn from_hex(algorithm: Algorithm, digits: &[u8]) -> Option<Digest> {
        let mut digest = Digest::zero(algorithm);
        decode_hexadecimal(digits, &mut digest.bytes[..algorithm.digest_bytes()])?;
        Some(digest)
    }

    /// A digest from bytes that have the algorithm's length.
    pub(crate) fn from_bytes(algorithm: Algorithm, bytes: &[u8]) -> Digest {
        let mut digest = Digest::zero(algorithm);
        digest.set(bytes);
        digest
    }

    /// The place for a value that is about to be written.
    pub(crate) fn zero(algorithm: Algorithm) -> Digest {
        Digest { algorithm, bytes: [0; Digest::BYTES_MAX], collision: false }
    }

    /// Writes the value; `bytes` has the algorithm's length.
    pub(crate) fn set(&mut self, bytes: &[u8]) {
        debug_assert_eq!(bytes.len(), self.algorithm.digest_bytes());
        self.bytes[..bytes.len()].copy_from_slice(bytes);
    }

    /// Where the value goes: the algorithm's length, which the caller has at hand.
    #[inline]
    pub(crate) fn room(&mut self, digest_bytes: usize) -> &mut [u8] {
        debug_assert_eq!(digest_bytes, self.algorithm.digest_bytes());
        &mut self.bytes[..digest_bytes]
    }

    /// Makes this the digest at the front of a line, in which zeros follow it up to 32 bytes at least.
    #[inline]
    pub(crate) fn set_line(&mut self, algorithm: Algorithm, line: &[u8; Digest::BYTES_MAX]) {
        self.algorithm = algorithm;
        self.collision = false;
        self.bytes[..32].copy_from_slice(&line[..32]);
        self.bytes[32..].fill(0);
    }

    /// The algorithm.
    #[inline]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The digest, most significant byte first, as it is printed.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.algorithm.digest_bytes()]
    }

    /// The same digest with the mark of a known collision attack, as a list has it.
    #[must_use]
    pub fn with_collision_mark(self) -> Digest {
        Digest { collision: true, ..self }
    }

    /// True when the message bears the marks of a known collision attack (`sha1dc` only).
    pub fn collision_detected(&self) -> bool {
        self.collision
    }

    /// Appends the digest in lower-case hexadecimal (fast: a hot path).
    pub fn push_hex(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.hex(&mut [[0; 2]; Digest::BYTES_MAX]));
    }

    /// Writes the digest in lower-case hexadecimal into `buffer` and returns what was written.
    fn hex<'b>(&self, buffer: &'b mut [[u8; 2]; Digest::BYTES_MAX]) -> &'b [u8] {
        let pairs = &mut buffer[..self.algorithm.digest_bytes()];
        for (pair, &byte) in pairs.iter_mut().zip(self.bytes()) {
            *pair = HEX[usize::from(byte)];
        }
        pairs.as_flattened()
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Digest) -> bool {
        self.algorithm == other.algorithm && self.bytes == other.bytes
    }
}

impl Eq for Digest {}

impl hash::Hash for Digest {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.algorithm.hash(state);
        self.bytes().hash(state);
    }
}

/// Lower-case hexadecimal.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [[0; 2]; Digest::BYTES_MAX];
        f.pad(std::str::from_utf8(self.hex(&mut buffer)).map_err(|_| fmt::Error)?)
    }
}

/// `name:hexadecimal`, with `!` behind it where a collision attack was detected.
impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{self}{}", self.algorithm, if self.collision { "!" } else { "" })
    }
}
