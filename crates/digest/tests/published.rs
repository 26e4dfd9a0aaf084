//! Published vectors of every algorithm, whole and in pieces.

mod common;

use std::collections::BTreeSet;

use pfh_digest::{Algorithm, Digest};

#[test]
fn published_vectors_hold() {
    for vector in common::published() {
        let expected = Digest::new(vector.algorithm, &vector.digest)
            .unwrap_or_else(|| panic!("{}: wrong length for {}", vector.origin, vector.algorithm));
        assert_eq!(vector.algorithm.digest(&vector.message), expected, "whole message; {}", vector.origin);

        let mut hasher = vector.algorithm.hasher();
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
}
