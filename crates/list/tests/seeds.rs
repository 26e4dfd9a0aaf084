//! The seeds of the fuzz target, through the same property.

use std::fs;
use std::path::Path;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/list.rs"]
mod property;

#[test]
fn every_seed() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/list_zip");
    let mut count = 0;
    for seed in fs::read_dir(seeds).unwrap() {
        property::zip(&fs::read(seed.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count >= 3, "{count}");
}
