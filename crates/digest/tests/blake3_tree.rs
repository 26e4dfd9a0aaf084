//! The tree over pieces gives the digest of the whole message.

mod common;

use std::panic::{UnwindSafe, catch_unwind};

use pfh_digest::Digest;
use pfh_digest::blake3_tree::{ChainingValue, Join, PIECE_BYTES, PieceHasher, join, piece};

fn chaining_values(message: &[u8]) -> Vec<ChainingValue> {
    let offsets = (0..).step_by(PIECE_BYTES);
    offsets.zip(message.chunks(PIECE_BYTES)).map(|(offset, bytes)| piece(offset, bytes)).collect()
}

/// Around each number of pieces up to 9 and each edge of a chunk or block in the last piece.
fn lengths() -> Vec<usize> {
    let mut lengths = Vec::new();
    for pieces in 1..=9 {
        for tail in [1, 2, 63, 64, 65, 1023, 1024, 1025, 2048, 65_537, PIECE_BYTES - 1, PIECE_BYTES] {
            lengths.push(pieces * PIECE_BYTES + tail);
        }
    }
    lengths
}

#[test]
fn pieces_join_to_the_digest_of_the_whole() {
    let longest = common::cycle251(*lengths().iter().max().unwrap());
    let all = chaining_values(&longest);
    for length in lengths() {
        let message = &longest[..length];
        // Whole pieces are the same whatever follows them; only the last is hashed anew.
        let mut pieces = all[..length.div_ceil(PIECE_BYTES)].to_vec();
        let last = (pieces.len() - 1) * PIECE_BYTES;
        pieces[last / PIECE_BYTES] = piece(last as u64, &message[last..]);

        let expected = *blake3::hash(message).as_bytes();
        let digest = join(length as u64, &pieces);
        assert_eq!(digest.bytes(), expected, "{length} bytes");
        assert_eq!(Digest::new(common::algorithm("blake3"), &expected), Some(digest));
    }
}

#[test]
fn a_piece_can_be_streamed() {
    let message = common::cycle251(2 * PIECE_BYTES + 12_345);
    let mut joined = Join::default();
    for (index, bytes) in message.chunks(PIECE_BYTES).enumerate() {
        let mut hasher = PieceHasher::new((index * PIECE_BYTES) as u64);
        bytes.chunks(4099).for_each(|part| hasher.update(part));
        joined.push(hasher.finish());
    }
    assert_eq!(joined.finish().bytes(), blake3::hash(&message).as_bytes());
}

/// More pieces than a test wants to hash: the tree over given chaining values, against the paper's recursive
/// definition.
#[test]
fn the_tree_is_left_complete() {
    use blake3::hazmat::{Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root};
    fn subtree(bytes: u64, pieces: &[ChainingValue]) -> ChainingValue {
        if let [piece] = pieces {
            return *piece;
        }
        let left = left_subtree_len(bytes);
        let (before, after) = pieces.split_at((left / PIECE_BYTES as u64) as usize);
        merge_subtrees_non_root(&subtree(left, before), &subtree(bytes - left, after), Mode::Hash)
    }
    for count in (2..300).chain([1000, 1023, 1024, 1025, 4097]) {
        let pieces: Vec<ChainingValue> = (0..count).map(|index| *blake3::hash(&[index as u8]).as_bytes()).collect();
        let bytes = (count as u64 - 1) * PIECE_BYTES as u64 + 1;
        let left = left_subtree_len(bytes);
        let (before, after) = pieces.split_at((left / PIECE_BYTES as u64) as usize);
        let root = merge_subtrees_root(&subtree(left, before), &subtree(bytes - left, after), Mode::Hash);
        assert_eq!(join(bytes, &pieces).bytes(), root.as_bytes(), "{count} pieces");
    }
}

#[test]
fn wrong_use_panics_with_a_reason() {
    fn reason<T>(call: impl FnOnce() -> T + UnwindSafe) -> String {
        let payload = catch_unwind(call).err().expect("a panic");
        match payload.downcast::<&'static str>() {
            Ok(text) => (*text).to_owned(),
            Err(other) => *other.downcast::<String>().unwrap(),
        }
    }
    let bytes = vec![0; PIECE_BYTES + 1];
    assert!(reason(|| piece(1, &bytes[..1])).contains("multiple of PIECE_BYTES"));
    assert!(reason(|| piece(0, &[])).contains("at least one byte"));
    assert!(reason(|| piece(0, &bytes)).contains("at most PIECE_BYTES"));
    assert!(reason(|| join(0, &[])).contains("no tree"));
    assert!(reason(|| join(PIECE_BYTES as u64, &[[0; 32]])).contains("no tree"));
    assert!(reason(|| join(PIECE_BYTES as u64 + 1, &[[0; 32]; 3])).contains("one chaining value for each piece"));
}
