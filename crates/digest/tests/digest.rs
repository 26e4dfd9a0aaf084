//! The digest as a value.

mod common;

use std::collections::HashSet;

use pfh_digest::{Algorithm, Digest};

#[test]
fn bytes_make_a_digest_only_in_the_right_number() {
    for algorithm in Algorithm::all() {
        let bytes = common::cycle251(algorithm.digest_bytes());
        let digest = Digest::new(algorithm, &bytes).unwrap();
        assert_eq!((digest.algorithm(), digest.bytes(), digest.collision_detected()), (algorithm, &bytes[..], false));
        assert_eq!(Digest::new(algorithm, &bytes[1..]), None);
        assert_eq!(Digest::new(algorithm, &[&bytes[..], &[0]].concat()), None);
        assert_eq!(Digest::new(algorithm, &[]), None);
    }
}

#[test]
fn hexadecimal_has_every_byte_value() {
    let sha256 = common::algorithm("sha256");
    for first in (0..=255).step_by(32) {
        let bytes: Vec<u8> = (first..=first + 31).collect();
        let expected: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let digest = Digest::new(sha256, &bytes).unwrap();
        assert_eq!(digest.to_string(), expected);
        assert_eq!(format!("{digest:?}"), format!("sha256:{expected}"));
        let mut line = b"before ".to_vec();
        digest.push_hex(&mut line);
        assert_eq!(line, format!("before {expected}").into_bytes());
    }
}

#[test]
fn display_keeps_to_the_format() {
    let crc32 = common::algorithm("crc32").digest(b"hello");
    assert_eq!(format!("{crc32:>10}|{crc32:<10}|{crc32:.4}"), "  3610a686|3610a686  |3610");
}

#[test]
fn numbers_are_printed_with_the_most_significant_byte_first() {
    for (name, value) in [
        ("crc32", "3610a686"),
        ("crc32c", "9a71bb4c"),
        ("crc64nvme", "3377857006524257"),
        ("xxh32", "fb0077f9"),
        ("xxh64", "26c7827d889f6da3"),
        ("xxh3-64", "9555e8555c62dcfd"),
        ("xxh3-128", "b5e9c1ad071b3e7fc779cfaa5e523818"),
    ] {
        assert_eq!(common::algorithm(name).digest(b"hello").to_string(), value, "{name}");
    }
}

#[test]
fn equality_is_of_algorithm_and_bytes() {
    // Same length and bytes, other algorithm.
    let [sha256, blake3] = ["sha256", "blake3"].map(|name| Digest::new(common::algorithm(name), &[7; 32]).unwrap());
    assert_ne!(sha256, blake3);
    assert_eq!(sha256, Digest::new(common::algorithm("sha256"), &[7; 32]).unwrap());
    assert_eq!(HashSet::from([sha256, blake3, sha256]).len(), 2);
}
