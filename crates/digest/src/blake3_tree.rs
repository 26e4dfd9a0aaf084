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
use blake3::hazmat::{HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};

use crate::{Algorithm, Digest};

/// Length of every piece but the last: a power of two, multiple of the 1 KiB chunk.
pub const PIECE_BYTES: usize = 1 << 20;
const _: () = assert!(PIECE_BYTES.is_power_of_two() && PIECE_BYTES.is_multiple_of(blake3::CHUNK_LEN));

/// Chaining value of one piece that is not the whole message.
pub type ChainingValue = [u8; blake3::OUT_LEN];

/// Chaining value of the piece at `offset` (a multiple of [`PIECE_BYTES`]) of a message longer than one piece.
///
/// # Panics
/// When `offset` is no multiple of [`PIECE_BYTES`], or `bytes` is empty or longer than that.
pub fn piece(offset: u64, bytes: &[u8]) -> ChainingValue {
    assert!(offset.is_multiple_of(PIECE_BYTES as u64), "a piece starts at a multiple of PIECE_BYTES");
    assert!((1..=PIECE_BYTES).contains(&bytes.len()), "a piece has 1 to PIECE_BYTES bytes");
    Hasher::new().set_input_offset(offset).update(bytes).finalize_non_root()
}

/// Joins the chaining values of all pieces of a message, given in order, into its digest.
/// `total_bytes` is the message's length and must be more than [`PIECE_BYTES`].
///
/// # Panics
/// When `total_bytes` is not more than [`PIECE_BYTES`], or does not make `pieces.len()` pieces.
pub fn join(total_bytes: u64, pieces: &[ChainingValue]) -> Digest {
    assert!(total_bytes > PIECE_BYTES as u64, "a message of one piece has no tree");
    assert_eq!(total_bytes.div_ceil(PIECE_BYTES as u64), pieces.len() as u64, "one chaining value for each piece");
    let (left, right) = split(pieces);
    let root = merge_subtrees_root(&subtree(left), &subtree(right), Mode::Hash);
    Algorithm::BLAKE3.value(root.as_bytes())
}

/// Chaining value of the subtree over `pieces`.
fn subtree(pieces: &[ChainingValue]) -> ChainingValue {
    match pieces {
        [piece] => *piece,
        _ => {
            let (left, right) = split(pieces);
            merge_subtrees_non_root(&subtree(left), &subtree(right), Mode::Hash)
        }
    }
}

/// Two or more pieces as the tree parts them: the left side is the largest power of two that leaves something to the right.
fn split(pieces: &[ChainingValue]) -> (&[ChainingValue], &[ChainingValue]) {
    pieces.split_at(pieces.len().next_power_of_two() / 2)
}
