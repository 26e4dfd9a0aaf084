//! The portable kernels and the scheduler on few short messages: small enough for Miri, which sees every access to
//! memory.
//!
//! `cargo +nightly miri test -p pfh-digest --test lanes_portable`

mod common;
#[path = "lanes/harness.rs"]
mod harness;

use common::{algorithm, cycle251};
use harness::{Message, check};
use pfh_digest::Algorithm;
use pfh_digest::lanes::{Backend, BatchHasher, Event, LaneManager};

fn portable() -> Backend {
    Backend::from_name("portable").expect("every CPU offers it")
}

/// Lengths around the edges of a block.
fn messages(algorithm: Algorithm, chunk_bytes: usize, reserve_bytes: usize) -> Vec<Message> {
    let block = algorithm.block_bytes();
    let lengths = [0, 1, block - 17, block - 9, block - 8, block - 1, block, block + 1, 2 * block];
    lengths.map(|bytes| Message::new(cycle251(bytes), chunk_bytes, reserve_bytes)).into()
}

#[test]
fn one_algorithm() {
    for name in ["md5", "sha1", "sha224", "sha512", "sha3-256", "blake2b", "blake2s"] {
        let algorithms = [algorithm(name)];
        let mut manager = LaneManager::with_backend(&algorithms, portable()).expect("has lanes");
        check(&mut manager, &algorithms, messages(algorithms[0], usize::MAX, 256), 3, name);
        check(&mut manager, &algorithms, messages(algorithms[0], 50, 8), 4, name);
    }
}

#[test]
fn several_algorithms() {
    let algorithms = ["md5", "sha3-384", "sha256", "ripemd160", "blake2s"].map(algorithm);
    let mut manager = LaneManager::with_backend(&algorithms, portable()).expect("has lanes");
    check(&mut manager, &algorithms, messages(algorithms[1], 64, 256), 4, "several");
}

#[test]
fn abandoned_and_moved() {
    let algorithms = [algorithm("md5")];
    // The kernel by its name: with all of them, times decide how many lanes there are.
    let new = || LaneManager::<Vec<u8>, u8>::with_kernel(algorithms[0], portable(), "portable-x4").expect("has lanes");
    let (mut first, mut second) = (new(), new());
    first.submit(1, cycle251(70), 70, false);
    first.submit(2, cycle251(70), 70, false);
    for _ in 0..2 {
        match first.advance() {
            Event::NeedsData { lane, .. } => {
                if *first.tag(lane) == 1 {
                    assert_eq!(first.abandon(lane), (1, None));
                } else {
                    let lane = second.attach(first.detach(lane));
                    second.refill(lane, cycle251(251)[70..].to_vec(), 181, true);
                }
            }
            event => panic!("{event:?}"),
        }
    }
    assert!(matches!(first.advance(), Event::Idle));
    match second.advance() {
        Event::Finished { tag, digests, .. } => {
            assert_eq!((tag, digests), (2, &algorithms.map(|algorithm| algorithm.digest(&cycle251(251)))[..]));
        }
        event => panic!("{event:?}"),
    }
}

#[test]
fn batch() {
    let md4 = algorithm("md4");
    let messages: Vec<_> = (50..70).map(cycle251).collect();
    let mut digests = vec![md4.digest(b""); messages.len()];
    BatchHasher::with_backend(md4, portable()).hash(&messages, &mut digests);
    assert!(messages.iter().zip(&digests).all(|(message, digest)| *digest == md4.digest(message)));
}
