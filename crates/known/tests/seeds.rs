//! The seeds of the fuzz target, through the same property.

use std::fs;
use std::path::Path;

use pfh_known::KnownSet;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/known.rs"]
mod property;

#[test]
fn every_seed() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/known_set");
    let mut opened = 0;
    for seed in fs::read_dir(seeds).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        property::set(&seed);
        opened += usize::from(KnownSet::from_bytes(seed).is_ok());
    }
    // Sets of files, one with and one without whole digests, and one of blocks: seeds that the format has left behind
    // would lead nowhere.
    assert!(opened >= 3, "{opened}");
}
