//! Every algorithm is compared with implementations that this crate does not link: `vectors/independent` has what they
//! found.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use pfh_digest::{Algorithm, Key, Keys};

/// Folds of independent implementations; the head of the file describes them, and `generate.py` beside it made them.
const FOLDS: &str = include_str!("vectors/independent/folds.txt");

/// The context of the folds of derive-key.
const CONTEXT: &str = "pfh 2026-11-22 test of derive-key";

struct Fold {
    algorithm: Algorithm,
    implementation: &'static str,
    key_bytes: usize,
    is_short: bool,
    value: &'static str,
}

fn folds() -> Vec<Fold> {
    let lines = FOLDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fold = |line: &'static str| {
        let [name, implementation, key_bytes, lengths, value] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let key_bytes = key_bytes.parse().expect("a number");
        Fold { algorithm: common::algorithm(name), implementation, key_bytes, is_short: lengths == "short", value }
    };
    lines.map(fold).collect()
}

/// As in `generate.py`.
fn lengths(is_short: bool) -> Vec<usize> {
    let longer = [
        511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 3073, 4095, 4096, 4097, 5120, 6144, 7168, 8191, 8192,
        8193, 16384, 16385, 31744, 65535, 65536, 65537, 102_400, 1_048_579,
    ];
    (0..=300).chain(longer.into_iter().filter(|_| !is_short)).collect()
}

fn keys(key_bytes: usize) -> Keys {
    let key: Vec<u8> = (0..=255).rev().cycle().take(key_bytes).collect();
    Keys { key: (key_bytes > 0).then(|| Key::new(key)), context: Some(CONTEXT.to_owned()) }
}

#[test]
fn agrees_with_every_independent_implementation() {
    // Implementations agree among each other: each value is computed once.
    let mut values: BTreeMap<(Algorithm, usize, bool), String> = BTreeMap::new();
    for Fold { algorithm, implementation, key_bytes, is_short, value } in folds() {
        let ours = values.entry((algorithm, key_bytes, is_short)).or_insert_with(|| {
            let mut hasher = algorithm.hasher_with(&keys(key_bytes)).unwrap();
            let mut fold = common::algorithm("sha256").hasher();
            for length in lengths(is_short) {
                hasher.update(&common::cycle251(length));
                fold.update(hasher.finish().bytes());
            }
            fold.finish().to_string()
        });
        assert_eq!(ours, value, "{algorithm} with a key of {key_bytes} bytes, {implementation}");
    }
}

#[test]
fn every_algorithm_has_an_independent_reference() {
    let compared: BTreeSet<Algorithm> = folds().iter().map(|fold| fold.algorithm).collect();
    for algorithm in Algorithm::all().chain(Algorithm::all_keyed()) {
        assert!(compared.contains(&algorithm), "{algorithm} is compared with no independent implementation");
    }
}

/// The reference shows for each algorithm what it is compared with.
#[test]
fn the_reference_names_the_implementations() {
    let mut implementations: BTreeMap<Algorithm, BTreeSet<&str>> = BTreeMap::new();
    for fold in folds() {
        implementations.entry(fold.algorithm).or_default().insert(fold.implementation);
    }
    let reference = include_str!("../../../docs/reference/algorithms.md");
    for algorithm in Algorithm::all().chain(Algorithm::all_keyed()) {
        let names: Vec<&str> = implementations[&algorithm].iter().copied().collect();
        let row = format!("| `{algorithm}` | {} |", names.join(", "));
        let lines = reference.lines().filter(|line| line.starts_with(&row)).count();
        assert_eq!(lines, 1, "docs/reference/algorithms.md has no line that begins with\n{row}");
    }
}
