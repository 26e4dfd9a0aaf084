//! Published vectors of every algorithm, whole and in pieces.

mod common;

use std::collections::BTreeSet;

use pfh_digest::{Algorithm, Digest};

#[test]
fn published_vectors_hold() {
    for vector in common::published() {
        let expected = Digest::new(vector.algorithm, &vector.digest)
            .unwrap_or_else(|| panic!("{}: wrong length for {}", vector.origin, vector.algorithm));
        if !vector.algorithm.is_keyed() {
            assert_eq!(vector.algorithm.digest(&vector.message), expected, "whole message; {}", vector.origin);
        }

        let mut hasher = vector.algorithm.hasher_with(&vector.keys).unwrap();
        hasher.update(&vector.message);
        assert_eq!(hasher.finish(), expected, "by a hasher; {}", vector.origin);
        vector.message.chunks(57).for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.finish(), expected, "in pieces; {}", vector.origin);
    }
}

#[test]
fn every_algorithm_has_published_vectors() {
    let covered: BTreeSet<Algorithm> = common::published().iter().map(|vector| vector.algorithm).collect();
    for algorithm in Algorithm::all() {
        assert!(covered.contains(&algorithm), "{algorithm} has no published vector");
        println!("{algorithm}: {}", algorithm.backend());
    }
    // HMAC over the others follows from RFC 2104; `independent.rs` compares each.
    for name in
        ["hmac-md5", "hmac-sha1", "hmac-sha256", "keyed-blake2b", "keyed-blake2s", "keyed-blake3", "blake3-derive-key"]
    {
        assert!(covered.contains(&common::algorithm(name)), "{name} has no published vector");
    }
}
