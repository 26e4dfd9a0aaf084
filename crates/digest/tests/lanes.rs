//! Every backend and every kernel, by name, against the plain hasher.

mod common;
#[path = "lanes/harness.rs"]
mod harness;

use common::cycle251;
use harness::{Message, check};
use pfh_digest::Algorithm;
use pfh_digest::lanes::{Backend, BatchHasher, Event, LaneManager, kernels_of};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn lane_algorithms() -> Vec<Algorithm> {
    Algorithm::all()
        .filter(|&algorithm| LaneManager::<Vec<u8>, ()>::with_backend(&[algorithm], portable()).is_some())
        .collect()
}

fn portable() -> Backend {
    Backend::from_name("portable").expect("every CPU offers it")
}

/// Messages of other lengths have other bytes at the same place, so that lanes cannot be taken for one another.
fn unlike(bytes: usize) -> Vec<u8> {
    (0..=250).cycle().skip(7 * bytes % 251).take(bytes).collect()
}

/// Four blocks for each lane.
#[test]
fn all_lengths_of_all_kernels() {
    for algorithm in lane_algorithms() {
        for backend in Backend::offered() {
            for (kernel, lanes) in kernels_of(backend, algorithm) {
                let mut manager = LaneManager::with_kernel(algorithm, backend, &kernel).expect("listed");
                assert_eq!(manager.lanes(), lanes);
                let lengths = 0..=4 * algorithm.block_bytes() * lanes;
                let messages = lengths.map(|bytes| Message::new(unlike(bytes), usize::MAX, 256));
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

/// Unequal messages, so that lanes end at different times and narrow kernels take states over, for each number of busy
/// lanes.
#[test]
fn all_fill_counts() {
    for algorithm in lane_algorithms() {
        for backend in Backend::offered() {
            let mut manager = LaneManager::with_backend(&[algorithm], backend).expect("has lanes");
            for fill in 1..=manager.lanes() {
                let messages = (0..2 * fill + 3).map(|index| Message::new(unlike(index * 97 % 1009), usize::MAX, 256));
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

/// MD5 with SHA-1 and SHA-256, whose steps are interleaved where a single lane is in use.
#[test]
fn stitched_kernels() {
    let mut random = Random(3);
    for names in [
        &["md5", "sha256"][..],
        &["sha1", "md5"],
        &["md5", "sha1", "sha256"],
        &["sha224", "sha512", "md5"],
        &["sha256", "md5", "md5", "sha1"],
    ] {
        let algorithms: Vec<_> = names.iter().map(|name| common::algorithm(name)).collect();
        for backend in Backend::offered() {
            let mut manager = LaneManager::with_backend(&algorithms, backend).expect("has lanes");
            let has_sha = cfg!(target_arch = "x86_64") && Backend::from_name("sha-ni").is_ok();
            assert_eq!(manager.is_stitched(), has_sha && ["avx512", "sha-ni"].contains(&backend.name()), "{backend}");
            // One message, and at times a second one that comes and goes.
            for fill in [1, 2] {
                let messages = (0..60).map(|number| {
                    let chunk_bytes = [64, 4096, 1 + random.below(5000), 100_000][number % 4];
                    Message::new(cycle251(random.below(40_000)), chunk_bytes, [0, 20, 256][random.below(3)])
                });
                let messages = messages.collect();
                check(&mut manager, &algorithms, messages, fill, &format!("{names:?} {backend}"));
            }
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

#[test]
fn algorithms_with_a_key_have_no_batches() {
    for algorithm in Algorithm::all_keyed() {
        assert!(catch_unwind(AssertUnwindSafe(|| BatchHasher::new(algorithm))).is_err(), "{algorithm}");
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
                // The earlier contents do not matter.
                let mut digests = vec![common::algorithm("sha512").digest(b"other"); count];
                hasher.hash(&messages[..count], &mut digests);
                for (message, digest) in messages.iter().zip(&digests) {
                    assert_eq!(*digest, algorithm.digest(message), "{algorithm} {backend} {} bytes", message.len());
                    assert!(!digest.collision_detected());
                }
                let mut bytes = vec![0xff; count * algorithm.digest_bytes()];
                hasher.hash_into_bytes(&messages[..count], &mut bytes);
                let expected: Vec<u8> = digests.iter().flat_map(|digest| digest.bytes().to_vec()).collect();
                assert!(bytes == expected, "{algorithm} {backend}, {count} as bytes");
            }
        }
    }
}

/// Messages of zero to three blocks in any order and at any address, of which kernels take whole lines in place and
/// others with their padding.
#[test]
fn short_batches() {
    let content = cycle251(1000);
    let mut random = Random(5);
    for algorithm in lane_algorithms() {
        let expected: Vec<_> =
            (0..200).flat_map(|start| (0..=200).map(move |bytes| (start, bytes))).step_by(37).collect();
        let digest = |&(start, bytes): &(usize, usize)| algorithm.digest(&content[start..start + bytes]);
        let expected: Vec<_> = expected.iter().map(|range| (*range, digest(range))).collect();
        for backend in Backend::offered() {
            let mut hasher = BatchHasher::with_backend(algorithm, backend);
            for _ in 0..20 {
                // Of any length, or of a few blocks and bytes more or less than that.
                let around = [0, 55, 56, 64, 119, 120][random.below(6)];
                let is_near = |bytes: usize| bytes.abs_diff(around) <= 1 + around % 8;
                let takes_any = random.below(2) == 0;
                let fitting: Vec<_> = expected.iter().filter(|((_, bytes), _)| takes_any || is_near(*bytes)).collect();
                let chosen: Vec<_> = (0..random.below(100)).map(|_| fitting[random.below(fitting.len())]).collect();
                let messages: Vec<_> =
                    chosen.iter().map(|((start, bytes), _)| &content[*start..start + bytes]).collect();
                let mut bytes = vec![0xff; chosen.len() * algorithm.digest_bytes()];
                hasher.hash_into_bytes(&messages, &mut bytes);
                for (((_, length), digest), found) in chosen.iter().zip(bytes.chunks(algorithm.digest_bytes())) {
                    assert_eq!(found, digest.bytes(), "{algorithm} {backend} {length} bytes");
                }
            }
        }
    }
}

/// A lane that is given up is free, and its neighbours' digests are right.
/// Estimates grow with the message and with the algorithms; their values depend on the CPU.
#[test]
fn estimated_times() {
    let manager = |algorithms: &[Algorithm]| LaneManager::<Vec<u8>, ()>::with_backend(algorithms, portable()).unwrap();
    let [md5, sha256] = ["md5", "sha256"].map(|name| Algorithm::from_name(name).unwrap());
    let one = manager(&[md5]);
    assert!(one.time_in_full_lanes(0).is_zero());
    let mebibyte = one.time_in_full_lanes(1 << 20);
    assert!(!mebibyte.is_zero() && one.time_in_full_lanes(1 << 30) > 1000 * mebibyte);
    assert!(manager(&[md5, sha256]).time_in_full_lanes(1 << 20) > mebibyte);
    assert!(!one.time_in_full_lanes(u64::MAX).is_zero());
}

#[test]
fn abandoned_lanes() {
    for algorithm in lane_algorithms() {
        let content = cycle251(3 * algorithm.block_bytes());
        for backend in Backend::offered() {
            let mut manager = LaneManager::<Vec<u8>, usize>::with_backend(&[algorithm], backend).expect("has lanes");
            for given_up in 0..manager.lanes() {
                for tag in 0..manager.lanes() {
                    manager.submit(tag, content.clone(), content.len(), false);
                }
                let mut finished = 0;
                loop {
                    match manager.advance() {
                        Event::NeedsData { lane, buffer } => {
                            let tag = *manager.tag(lane);
                            if tag == given_up {
                                assert_eq!(manager.abandon(lane), (tag, None));
                            } else {
                                manager.refill(lane, buffer, tag, true);
                            }
                        }
                        Event::Finished { tag, digests, .. } => {
                            assert_ne!(tag, given_up);
                            let message = [&content[..], &content[..tag]].concat();
                            assert_eq!(digests[0], algorithm.digest(&message), "{algorithm} {backend}");
                            finished += 1;
                        }
                        Event::Idle => break,
                    }
                }
                assert_eq!((finished, manager.active()), (manager.lanes() - 1, 0));
            }
        }
    }
}

/// A message given up in the middle of a chunk comes back with its buffer.
#[test]
fn abandoned_chunk() {
    let md5 = common::algorithm("md5");
    let mut manager = LaneManager::<Vec<u8>, usize>::with_backend(&[md5], portable()).expect("has lanes");
    manager.submit(0, cycle251(64), 64, false);
    let lane = match manager.advance() {
        Event::NeedsData { lane, .. } => lane,
        event => panic!("{event:?}"),
    };
    manager.refill(lane, cycle251(6400), 6400, true);
    assert_eq!(manager.abandon(lane), (0, Some(cycle251(6400))));
    assert!(matches!(manager.advance(), Event::Idle));
}

/// Input at every alignment.
#[test]
fn all_alignments() {
    let content = cycle251(1024 + 64);
    for algorithm in lane_algorithms() {
        for backend in Backend::offered() {
            let mut hasher = BatchHasher::with_backend(algorithm, backend);
            for bytes in [40, 64, 100, 1000] {
                let messages: Vec<_> = (0..64).map(|start| &content[start..start + bytes]).collect();
                let mut digests = vec![algorithm.digest(b""); messages.len()];
                hasher.hash(&messages, &mut digests);
                for (message, digest) in messages.iter().zip(digests) {
                    assert_eq!(digest, algorithm.digest(message), "{algorithm} {backend}");
                }
            }
        }
    }
}

/// Prints which backends ran, and fails when one that this CPU offers did not: the features are asked here once more.
/// Those in the comma list `PFH_TEST_REQUIRED_BACKENDS` must run, so that a test machine cannot silently lose one.
#[test]
fn every_backend_ran() {
    let md5 = common::algorithm("md5");
    let mut ran = vec![];
    for name in Backend::names() {
        let Ok(backend) = Backend::from_name(name) else { continue };
        assert_eq!(backend.name(), name);
        for (kernel, lanes) in kernels_of(backend, md5) {
            let mut manager = LaneManager::with_kernel(md5, backend, &kernel).expect("listed");
            let messages = (0..lanes).map(|bytes| Message::new(cycle251(bytes), usize::MAX, 256)).collect();
            check(&mut manager, &[md5], messages, lanes, &kernel);
            ran.push(format!("{name}: {kernel}"));
        }
    }
    println!("ran: {}", ran.join(", "));
    let required = std::env::var("PFH_TEST_REQUIRED_BACKENDS").unwrap_or_default();
    for name in required.split(',').filter(|name| !name.is_empty()).chain(expected_backends()) {
        assert!(ran.iter().any(|ran| ran.starts_with(&format!("{name}: "))), "{name} did not run: {ran:?}");
    }
    assert!(matches!(Backend::from_name("abacus"), Err(error) if error.to_string().contains("`portable`")));
}

fn expected_backends() -> Vec<&'static str> {
    let mut expected = vec!["portable"];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("ssse3") {
            expected.push("ssse3");
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            expected.push("avx2");
            if is_x86_feature_detected!("sha") {
                expected.push("sha-ni");
            }
            if is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                expected.push("avx512");
            }
        }
    }
    #[cfg(target_arch = "aarch64")]
    expected.push("neon");
    expected
}
