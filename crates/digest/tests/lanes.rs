//! Every backend and every kernel, by name, against the plain hasher.

mod common;
#[path = "lanes/harness.rs"]
mod harness;

use common::cycle251;
use harness::{Message, check};
use pfh_digest::Algorithm;
use pfh_digest::lanes::{Backend, BatchHasher, LaneManager};

fn lane_algorithms() -> Vec<Algorithm> {
    Algorithm::all()
        .filter(|&algorithm| LaneManager::<Vec<u8>, ()>::with_backend(&[algorithm], portable()).is_some())
        .collect()
}

fn portable() -> Backend {
    Backend::from_name("portable").expect("every CPU offers it")
}

#[test]
fn all_lengths_of_all_kernels() {
    for algorithm in lane_algorithms() {
        for backend in Backend::offered() {
            for (kernel, lanes) in backend.kernels_of(algorithm) {
                let mut manager = LaneManager::with_kernel(algorithm, backend, &kernel).expect("listed");
                assert_eq!(manager.lanes(), lanes);
                let messages =
                    (0..=4 * algorithm.block_bytes()).map(|bytes| Message::new(cycle251(bytes), usize::MAX, 256));
                check(
                    &mut manager,
                    &[algorithm],
                    messages.collect(),
                    lanes,
                    &format!("{algorithm} {backend} {kernel}"),
                );
            }
        }
    }
}

/// Unequal messages, so that lanes end at different times and narrow kernels take states over, for each number of busy lanes.
#[test]
fn all_fill_counts() {
    for algorithm in lane_algorithms() {
        for backend in Backend::offered() {
            let mut manager = LaneManager::with_backend(&[algorithm], backend).expect("has lanes");
            for fill in 1..=manager.lanes() {
                let messages =
                    (0..2 * fill + 3).map(|index| Message::new(cycle251(index * 97 % 1009), usize::MAX, 256));
                check(&mut manager, &[algorithm], messages.collect(), fill, &format!("{algorithm} {backend}"));
            }
        }
    }
}

/// Chunks of all kinds of lengths, with and without room for the padding.
#[test]
fn refills() {
    let mut random = Random(1);
    for algorithm in lane_algorithms() {
        for backend in Backend::offered() {
            let mut manager = LaneManager::with_backend(&[algorithm], backend).expect("has lanes");
            for block in [1, algorithm.block_bytes()] {
                let messages = (0..150).map(|_| {
                    let chunk_bytes = (block * (1 + random.below(10))).max(random.below(300) + 1);
                    Message::new(cycle251(random.below(3000)), chunk_bytes, [0, 8, 17, 256][random.below(4)])
                });
                let messages = messages.collect();
                check(&mut manager, &[algorithm], messages, usize::MAX, &format!("{algorithm} {backend}"));
            }
        }
    }
}

/// Several algorithms over the same buffers: other widths, other blocks, other padding.
#[test]
fn several_algorithms_at_once() {
    let mut random = Random(2);
    let all = lane_algorithms();
    for round in 0..60 {
        let count = 2 + random.below(3);
        let algorithms: Vec<_> = (0..count).map(|_| all[random.below(all.len())]).collect();
        for backend in Backend::offered() {
            let mut manager = LaneManager::with_backend(&algorithms, backend).expect("has lanes");
            let messages = (0..80).map(|_| {
                let chunk_bytes = if round % 2 == 0 { 512 } else { 1 + random.below(700) };
                Message::new(cycle251(random.below(2500)), chunk_bytes, [0, 20, 256][random.below(3)])
            });
            let messages = messages.collect();
            let fill = 1 + random.below(manager.lanes());
            check(&mut manager, &algorithms, messages, fill, &format!("{algorithms:?} {backend}"));
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ word >> 31) as usize % bound
    }
}

/// Short and long messages mixed, in batches that fill the lanes and that do not.
#[test]
fn batches() {
    let mut random = Random(3);
    for algorithm in Algorithm::all() {
        for backend in Backend::offered() {
            let mut hasher = BatchHasher::with_backend(algorithm, backend);
            // All lengths of one and two blocks, in groups of equal ones and in ascending order.
            let lengths = (0..=130).flat_map(|bytes| std::iter::repeat_n(bytes, [1, 33][bytes % 2]));
            let mixed = (0..400).map(|_| random.below([20, 70, 130, 1000][random.0 as usize % 4]));
            let lengths: Vec<usize> = lengths.chain(mixed).collect();
            let messages: Vec<_> = lengths.iter().map(|&bytes| cycle251(bytes)).collect();
            for count in [0, 1, 2, 31, 32, 33, messages.len()] {
                // What was there before does not matter.
                let mut digests = vec![common::algorithm("sha512").digest(b"other"); count];
                hasher.hash(&messages[..count], &mut digests);
                for (message, digest) in messages.iter().zip(&digests) {
                    assert_eq!(*digest, algorithm.digest(message), "{algorithm} {backend} {} bytes", message.len());
                    assert!(!digest.collision_detected());
                }
            }
        }
    }
}
