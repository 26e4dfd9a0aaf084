//! Digests of a message from values of its parts, which are computed apart, perhaps on several machines, and joined
//! later.
//!
//! Only some algorithms allow that: BLAKE3, whose parts are subtrees (BLAKE3 paper, section 2.1), and checksums that
//! are linear in the message (CRC-32, CRC-32C, CRC-64/NVME, Adler-32). All parts but the last have the same length.
//!
//! ```
//! use pfh_digest::Algorithm;
//! use pfh_digest::parts::{Join, PART_BYTES_MIN, PartHasher};
//!
//! let message = vec![7; 2 * PART_BYTES_MIN as usize + 1];
//! for algorithm in Algorithm::all().filter(|algorithm| algorithm.joins_parts()) {
//!     let mut join = Join::new(algorithm).unwrap();
//!     for (number, bytes) in message.chunks(PART_BYTES_MIN as usize).enumerate() {
//!         let mut hasher = PartHasher::new(algorithm, number as u64 * PART_BYTES_MIN, PART_BYTES_MIN).unwrap();
//!         hasher.update(bytes);
//!         join.push(&hasher.finish().unwrap(), bytes.len() as u64);
//!     }
//!     assert_eq!(join.finish(), Some(algorithm.digest(&message)));
//! }
//! ```

use crate::blake3_tree::{self, PIECE_BYTES, PieceHasher};
use crate::hexadecimal::decode_hexadecimal;
use crate::{Algorithm, Digest, Hasher};

/// Shortest length of a part in bytes. All lengths are powers of two.
pub const PART_BYTES_MIN: u64 = PIECE_BYTES as u64;

/// The way in which values of parts become a digest.
#[derive(Clone, Copy)]
pub(crate) enum Joining {
    /// The values are chaining values of subtrees of BLAKE3.
    Tree,
    /// The values are checksums of the parts: this gives the one of two parts, of which the second has this length.
    Checksums(fn(&[u8], &[u8], u64) -> [u8; Digest::BYTES_MAX]),
}

/// The value of one algorithm over one part of a message. It is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartValue {
    algorithm: Algorithm,
    length: usize,
    bytes: [u8; PartValue::BYTES_MAX],
}

impl PartValue {
    const BYTES_MAX: usize = ::blake3::OUT_LEN;

    fn new(algorithm: Algorithm, value: &[u8]) -> PartValue {
        let mut bytes = [0; PartValue::BYTES_MAX];
        bytes[..value.len()].copy_from_slice(value);
        PartValue { algorithm, length: value.len(), bytes }
    }

    /// Returns the value with these hexadecimal digits; `None` if they are not hexadecimal, their number does not fit
    /// the algorithm, or parts cannot be joined with it.
    pub fn from_hex(algorithm: Algorithm, digits: &[u8]) -> Option<PartValue> {
        let length = match algorithm.joining()? {
            Joining::Tree => ::blake3::OUT_LEN,
            Joining::Checksums(_) => algorithm.digest_bytes(),
        };
        let mut bytes = [0; PartValue::BYTES_MAX];
        decode_hexadecimal(digits, &mut bytes[..length])?;
        Some(PartValue { algorithm, length, bytes })
    }

    /// The algorithm whose digest the value helps to make.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The value: a chaining value of BLAKE3, or a checksum, most significant byte first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Streaming state of one algorithm over one part of a message that has several parts.
#[derive(Clone, Debug)]
pub struct PartHasher {
    algorithm: Algorithm,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Tree(Box<PieceHasher>),
    Checksum(Hasher),
}

impl PartHasher {
    /// Begins the part at `offset`, of at most `part_bytes` bytes. `None` if parts cannot be joined with the algorithm,
    /// if `part_bytes` is no power of two or below [`PART_BYTES_MIN`], or if `offset` is no multiple of it.
    pub fn new(algorithm: Algorithm, offset: u64, part_bytes: u64) -> Option<PartHasher> {
        let is_part = is_part_bytes(part_bytes) && offset.is_multiple_of(part_bytes);
        let state = match algorithm.joining().filter(|_| is_part)? {
            Joining::Tree => State::Tree(Box::new(PieceHasher::of_subtree(offset, part_bytes))),
            Joining::Checksums(_) => State::Checksum(algorithm.hasher()),
        };
        Some(PartHasher { algorithm, state })
    }

    /// Takes the next bytes of the part.
    ///
    /// # Panics
    /// If the part becomes longer than announced (BLAKE3).
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.state {
            State::Tree(hasher) => hasher.update(bytes),
            State::Checksum(hasher) => hasher.update(bytes),
        }
    }

    /// Returns the value of the part; `None` for BLAKE3 if it is empty.
    pub fn finish(self) -> Option<PartValue> {
        Some(match self.state {
            State::Tree(hasher) => PartValue::new(self.algorithm, &hasher.value()?),
            State::Checksum(mut hasher) => PartValue::new(self.algorithm, hasher.finish().bytes()),
        })
    }
}

/// Joins the values of all parts, in order.
#[derive(Clone, Debug)]
pub struct Join {
    algorithm: Algorithm,
    parts: u64,
    tree: blake3_tree::Join,
    checksum: Option<Digest>,
}

impl Join {
    /// Begins to join; `None` if parts cannot be joined with the algorithm.
    pub fn new(algorithm: Algorithm) -> Option<Join> {
        algorithm.joining()?;
        Some(Join { algorithm, parts: 0, tree: blake3_tree::Join::default(), checksum: None })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Takes the value of the next part, which has this length.
    ///
    /// # Panics
    /// If the value is of another algorithm.
    pub fn push(&mut self, value: &PartValue, length: u64) {
        assert_eq!(value.algorithm, self.algorithm, "a value of another algorithm");
        self.parts += 1;
        match self.algorithm.joining() {
            Some(Joining::Checksums(two)) => {
                let bytes = value.bytes();
                let joined = self.checksum.map(|first| two(first.bytes(), bytes, length));
                let joined = joined.as_ref().map_or(bytes, |joined| &joined[..bytes.len()]);
                self.checksum = Some(Digest::from_bytes(self.algorithm, joined));
            }
            Some(Joining::Tree) | None => self.tree.push(value.bytes),
        }
    }

    /// Returns the digest of the message; `None` if it has fewer than two parts.
    pub fn finish(self) -> Option<Digest> {
        match self.algorithm.joining()? {
            _ if self.parts < 2 => None,
            Joining::Tree => Some(self.tree.finish_as(self.algorithm)),
            Joining::Checksums(_) => self.checksum,
        }
    }
}

/// Whether parts may have this length.
pub fn is_part_bytes(bytes: u64) -> bool {
    bytes.is_power_of_two() && bytes >= PART_BYTES_MIN
}
