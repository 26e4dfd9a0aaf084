//! Values of parts, joined, are the digest of the whole message: whatever its length, and that of the parts.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

#[expect(unreachable_pub, reason = "the tests of other crates use all of it")]
#[path = "../../testing/src/random.rs"]
mod random;

use pfh_digest::parts::{Join, PART_BYTES_MIN, PartHasher, PartValue, is_part_bytes};
use pfh_digest::{Algorithm, Digest};
use random::Random;

fn joinable() -> Vec<Algorithm> {
    let usual = Algorithm::all().filter(|algorithm| algorithm.joins_parts());
    usual.chain(["blake3-64", "blake3-512"].map(|name| Algorithm::from_name(name).unwrap())).collect()
}

fn joined(algorithm: Algorithm, message: &[u8], part_bytes: u64, random: &mut Random) -> Option<Digest> {
    let mut join = Join::new(algorithm).unwrap();
    for (number, part) in message.chunks(part_bytes as usize).enumerate() {
        let mut hasher = PartHasher::new(algorithm, number as u64 * part_bytes, part_bytes).unwrap();
        let mut rest = part;
        while !rest.is_empty() {
            let (bytes, more) = rest.split_at(rest.len().min(1 + random.below(300_000) as usize));
            hasher.update(bytes);
            rest = more;
        }
        let value = hasher.finish().unwrap();
        // Through the text that a list has.
        let text: String = value.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(PartValue::from_hex(algorithm, text.as_bytes()), Some(value));
        join.push(&value, part.len() as u64);
    }
    join.finish()
}

#[test]
fn the_registry_knows_what_can_be_joined() {
    let names: Vec<&str> = Algorithm::all().filter(|one| one.joins_parts()).map(|one| one.name()).collect();
    assert_eq!(names, ["blake3", "crc32", "crc32c", "crc64nvme", "adler32"]);
    assert!(Algorithm::all_keyed().all(|keyed| !keyed.joins_parts()));
}

/// Lengths on both sides of every boundary, and random ones.
#[test]
fn joined_parts_are_the_digest() {
    let mut random = Random::new(3);
    let mut message = vec![0; (9 * PART_BYTES_MIN + 5) as usize];
    message.fill_with(|| random.below(256) as u8);
    for part_bytes in [PART_BYTES_MIN, 2 * PART_BYTES_MIN, 4 * PART_BYTES_MIN] {
        let around = (1..message.len() as u64 / part_bytes).flat_map(|n| [n * part_bytes + 1, (n + 1) * part_bytes]);
        let mut lengths: Vec<u64> = around.collect();
        lengths.extend([part_bytes + 1023, part_bytes + 1024, part_bytes + 1025, 2 * part_bytes - 1]);
        lengths.extend((0..6).map(|_| part_bytes + 1 + random.below(message.len() as u64 - part_bytes)));
        for length in lengths {
            let message = &message[..length as usize];
            for algorithm in joinable() {
                let digest = joined(algorithm, message, part_bytes, &mut random);
                assert_eq!(digest, Some(algorithm.digest(message)), "{algorithm} {length} in parts of {part_bytes}");
            }
        }
    }
}

/// Bytes of the largest value bring the sums of Adler-32 to their modulus.
#[test]
fn extreme_bytes_are_joined_too() {
    let mut random = Random::new(4);
    for byte in [0, 255] {
        let message = vec![byte; (3 * PART_BYTES_MIN + 65_521) as usize];
        for algorithm in joinable() {
            let digest = joined(algorithm, &message, PART_BYTES_MIN, &mut random);
            assert_eq!(digest, Some(algorithm.digest(&message)), "{algorithm} {byte}");
        }
    }
}

#[test]
fn what_is_no_part_is_refused() {
    let blake3 = Algorithm::from_name("blake3").unwrap();
    assert!(PartHasher::new(Algorithm::SHA256, 0, PART_BYTES_MIN).is_none());
    assert!(Join::new(Algorithm::SHA256).is_none());
    for (offset, part_bytes) in
        [(0, PART_BYTES_MIN / 2), (0, 3 * PART_BYTES_MIN), (1, PART_BYTES_MIN), (PART_BYTES_MIN, 2 * PART_BYTES_MIN)]
    {
        assert!(PartHasher::new(blake3, offset, part_bytes).is_none(), "{offset} {part_bytes}");
    }
    assert!(is_part_bytes(1 << 63) && !is_part_bytes(0));
    // Offsets near the end of what a length can be.
    assert!(PartHasher::new(blake3, (1 << 63) - (1 << 20), 1 << 20).is_some());
    assert_eq!(PartHasher::new(blake3, 0, PART_BYTES_MIN).unwrap().finish(), None);
    assert_eq!(PartValue::from_hex(blake3, b"00"), None);
    assert_eq!(PartValue::from_hex(Algorithm::SHA256, &[b'0'; 64]), None);
    // A message of one part has no tree, and is hashed as a whole.
    let mut one = Join::new(blake3).unwrap();
    one.push(&PartValue::from_hex(blake3, &[b'0'; 64]).unwrap(), 5);
    assert_eq!(one.finish(), None);
}
