//! Streaming and one-shot agree for lengths around every edge of a block, however the message is cut; a finished hasher
//! is as new.

mod common;

use pfh_digest::Algorithm;

/// Around each multiple of the block up to the eighth (vector code often takes that many at once), around the lengths
/// at which the padding no longer fits the last block, and XXH3's and BLAKE3's own edges.
fn lengths(block_bytes: usize) -> Vec<usize> {
    let around = |edge: usize| [edge.saturating_sub(1), edge, edge + 1];
    let mut lengths: Vec<usize> = (0..=8).flat_map(|blocks| around(blocks * block_bytes)).collect();
    lengths.extend([8, 16, 32].into_iter().flat_map(|tail| around(block_bytes.saturating_sub(tail))));
    lengths.extend([240, 256, 1024, 2048, 3072, 16 * 1024].into_iter().flat_map(around));
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Sizes of the pieces: constant ones that fall on different places of the blocks, and an irregular row with empty
/// pieces.
fn cuts() -> Vec<Vec<usize>> {
    vec![vec![1], vec![7], vec![57], vec![64], vec![129], vec![1000], vec![0, 3, 61, 0, 1, 127, 128, 2, 511, 5]]
}

fn pieces<'m>(message: &'m [u8], sizes: &'m [usize]) -> impl Iterator<Item = &'m [u8]> {
    let mut rest = message;
    let mut sizes = sizes.iter().cycle();
    std::iter::from_fn(move || {
        let size = *sizes.next()?;
        let (piece, after) = rest.split_at(size.min(rest.len()));
        let was_empty = rest.is_empty();
        rest = after;
        (!was_empty).then_some(piece)
    })
}

#[test]
fn streaming_equals_one_shot() {
    for algorithm in Algorithm::all() {
        // One hasher for all messages: `finish` leaves it as new.
        let mut hasher = algorithm.hasher();
        for length in lengths(algorithm.block_bytes()) {
            let message = common::cycle251(length);
            let expected = algorithm.digest(&message);
            for sizes in cuts() {
                pieces(&message, &sizes).for_each(|piece| hasher.update(piece));
                assert_eq!(hasher.finish(), expected, "{algorithm} of {length} bytes in pieces of {sizes:?}");
            }
        }
    }
}

/// The reference of all lanes of MD5 is our own code, too: it is compared with another.
#[test]
fn md5_is_that_of_another_implementation() {
    use md5::Digest;

    let algorithm = Algorithm::from_name("md5").unwrap();
    let message = common::cycle251(4096);
    for length in 0..message.len() {
        let other: [u8; 16] = md5::Md5::digest(&message[..length]).into();
        assert_eq!(algorithm.digest(&message[..length]).bytes(), other, "{length} bytes");
    }
}

#[test]
fn the_pieces_are_the_message() {
    let message = common::cycle251(1000);
    for sizes in cuts() {
        assert_eq!(pieces(&message, &sizes).collect::<Vec<_>>().concat(), message);
    }
}

#[test]
fn finish_without_update_is_the_empty_message() {
    for algorithm in Algorithm::all() {
        let mut hasher = algorithm.hasher();
        assert_eq!(hasher.algorithm(), algorithm);
        assert_eq!(hasher.finish(), algorithm.digest(b""));
        hasher.update(b"some bytes");
        hasher.finish();
        assert_eq!(hasher.finish(), algorithm.digest(b""), "{algorithm} after another message");
    }
}

#[test]
fn a_clone_goes_its_own_way() {
    for algorithm in Algorithm::all() {
        let mut hasher = algorithm.hasher();
        hasher.update(b"hel");
        let mut clone = hasher.clone();
        hasher.update(b"lo");
        clone.update(b"p");
        assert_eq!(hasher.finish(), algorithm.digest(b"hello"), "{algorithm}");
        assert_eq!(clone.finish(), algorithm.digest(b"help"), "{algorithm}");
    }
}

#[test]
fn each_length_has_its_own_digest() {
    // A message of zeros grows: a lost byte or length would repeat a value.
    for algorithm in Algorithm::all().filter(|algorithm| algorithm.digest_bytes() > 4) {
        // FNV-1 of zeros from offset basis multiplies only; it still differs from length to length.
        let zeros = [0; 300];
        let mut digests: Vec<_> =
            (0..zeros.len()).map(|length| algorithm.digest(&zeros[..length]).bytes().to_vec()).collect();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), zeros.len(), "{algorithm}");
    }
}

#[test]
fn hashers_may_change_threads() {
    fn is_send_and_sync<T: Send + Sync + 'static>() {}
    is_send_and_sync::<pfh_digest::Hasher>();
    is_send_and_sync::<pfh_digest::Digest>();
}
