//! BLAKE3 of one message in independent pieces, so that many threads can work on one huge file
//! (BLAKE3 paper, section 2.1: the tree; crate `blake3`'s `hazmat` module).
//!
//! A piece needs only its offset, so pieces can be hashed in any order, and before the length of the message is known.
//! A message that turns out to be no longer than one piece has no tree to join: hash it as a whole.
//!
//! ```
//! use pfh_digest::{Algorithm, blake3_tree};
//!
//! let message = vec![7; 2 * blake3_tree::PIECE_BYTES + 1];
//! let pieces: Vec<_> = message
//!     .chunks(blake3_tree::PIECE_BYTES)
//!     .enumerate()
//!     .map(|(index, bytes)| blake3_tree::piece((index * blake3_tree::PIECE_BYTES) as u64, bytes))
//!     .collect();
//! let digest = blake3_tree::join(message.len() as u64, &pieces);
//! assert_eq!(digest, Algorithm::from_name("blake3")?.digest(&message));
//! # Ok::<(), pfh_digest::UnknownAlgorithm>(())
//! ```

use blake3::Hasher;
use blake3::hazmat::{HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root_xof};

use crate::{Algorithm, Digest};

/// Length of every piece but the last: a power of two, multiple of the 1 KiB chunk.
pub const PIECE_BYTES: usize = 1 << 20;
const _: () = assert!(PIECE_BYTES.is_power_of_two() && PIECE_BYTES.is_multiple_of(blake3::CHUNK_LEN));

/// Chaining value of one piece that is not the whole message.
pub type ChainingValue = [u8; blake3::OUT_LEN];

/// Streaming state of one piece.
#[derive(Clone, Debug)]
pub struct PieceHasher {
    hasher: Hasher,
    room_bytes: u64,
    is_empty: bool,
}

impl PieceHasher {
    /// Begins the piece at `offset` of a message longer than one piece.
    ///
    /// # Panics
    /// When `offset` is no multiple of [`PIECE_BYTES`].
    pub fn new(offset: u64) -> PieceHasher {
        PieceHasher::of_subtree(offset, PIECE_BYTES as u64)
    }

    /// Begins the subtree at `offset` of a longer message: at most `bytes` bytes, a power of two.
    ///
    /// # Panics
    /// When `offset` is no multiple of `bytes`.
    pub(crate) fn of_subtree(offset: u64, bytes: u64) -> PieceHasher {
        assert!(offset.is_multiple_of(bytes), "a piece starts at a multiple of PIECE_BYTES, or of its own length");
        let mut hasher = Hasher::new();
        hasher.set_input_offset(offset);
        PieceHasher { hasher, room_bytes: bytes, is_empty: true }
    }

    /// Takes the next bytes of the piece.
    ///
    /// # Panics
    /// When the piece would become longer than [`PIECE_BYTES`].
    pub fn update(&mut self, bytes: &[u8]) {
        assert!(
            bytes.len() as u64 <= self.room_bytes,
            "a piece has at most PIECE_BYTES bytes, or those of its own length"
        );
        self.room_bytes -= bytes.len() as u64;
        self.is_empty &= bytes.is_empty();
        self.hasher.update(bytes);
    }

    /// Chaining value of the piece.
    ///
    /// # Panics
    /// When the piece is empty.
    pub fn finish(self) -> ChainingValue {
        self.value().expect("a piece has at least one byte")
    }

    /// Chaining value of the piece; `None` when it is empty.
    pub(crate) fn value(self) -> Option<ChainingValue> {
        (!self.is_empty).then(|| self.hasher.finalize_non_root())
    }
}

/// Chaining value of the piece at `offset` of a message longer than one piece.
///
/// # Panics
/// When `offset` is no multiple of [`PIECE_BYTES`], or `bytes` is empty or longer than that.
pub fn piece(offset: u64, bytes: &[u8]) -> ChainingValue {
    let mut hasher = PieceHasher::new(offset);
    hasher.update(bytes);
    hasher.finish()
}

/// Joins chaining values of pieces, given in order, into the message's digest. Holds one value per level of the tree.
#[derive(Clone, Debug, Default)]
pub struct Join {
    pieces: u64,
    /// Subtrees from left to right; the lengths of all but the last two strictly fall.
    subtrees: Vec<ChainingValue>,
}

impl Join {
    /// Takes the next piece's chaining value.
    pub fn push(&mut self, piece: ChainingValue) {
        // Whole subtrees to the left are the binary digits of the number of pieces before this one. They are merged
        // only now, because the last merge of all is made by the root's own rule.
        while self.subtrees.len() > self.pieces.count_ones() as usize {
            self.merge_last();
        }
        self.subtrees.push(piece);
        self.pieces += 1;
    }

    /// The digest of the message.
    ///
    /// # Panics
    /// When fewer than two pieces were pushed: a message of one piece has no tree.
    pub fn finish(self) -> Digest {
        self.finish_as(Algorithm::BLAKE3)
    }

    /// The digest of the message, with the length that `algorithm` has.
    ///
    /// # Panics
    /// As [`Join::finish`].
    pub(crate) fn finish_as(mut self, algorithm: Algorithm) -> Digest {
        assert!(self.pieces >= 2, "a message of one piece has no tree");
        while self.subtrees.len() > 2 {
            self.merge_last();
        }
        let mut digest = Digest::zero(algorithm);
        let mut root = merge_subtrees_root_xof(&self.subtrees[0], &self.subtrees[1], Mode::Hash);
        root.fill(digest.room(algorithm.digest_bytes()));
        digest
    }

    fn merge_last(&mut self) {
        if let (Some(right), Some(left)) = (self.subtrees.pop(), self.subtrees.pop()) {
            self.subtrees.push(merge_subtrees_non_root(&left, &right, Mode::Hash));
        }
    }
}

/// Joins the chaining values of all pieces of a message into its digest.
/// `total_bytes` is the message's length and must be more than [`PIECE_BYTES`].
///
/// # Panics
/// When `total_bytes` is not more than [`PIECE_BYTES`], or does not make `pieces.len()` pieces.
pub fn join(total_bytes: u64, pieces: &[ChainingValue]) -> Digest {
    assert_eq!(total_bytes.div_ceil(PIECE_BYTES as u64), pieces.len() as u64, "one chaining value for each piece");
    let mut join = Join::default();
    pieces.iter().for_each(|piece| join.push(*piece));
    join.finish()
}
