//! The seeds of the fuzz targets, through the same properties.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::path::Path;

use pfh_known::KnownSet;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/known.rs"]
mod property;

fn seeds(target: &str) -> impl Iterator<Item = Vec<u8>> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    fs::read_dir(seeds).unwrap().map(|seed| fs::read(seed.unwrap().path()).unwrap())
}

#[test]
fn every_seed() {
    let mut opened = 0;
    for seed in seeds("known_set") {
        property::set(&seed);
        opened += usize::from(KnownSet::from_bytes(seed).is_ok());
    }
    // Sets of files, one with and one without whole digests, and one of blocks: seeds that the format has left behind
    // would lead nowhere.
    assert!(opened >= 3, "{opened}");
}

#[test]
fn every_filter() {
    let seeds: Vec<Vec<u8>> = seeds("known_bloom").collect();
    assert!(seeds.len() >= 3, "{}", seeds.len());
    for seed in seeds {
        // Also with each of its bytes changed, and cut after each.
        for place in 0..seed.len() {
            let mut changed = seed.clone();
            changed[place] ^= 0x55;
            property::bloom(&changed);
            property::bloom(&seed[..place]);
        }
        property::bloom(&seed);
    }
}
