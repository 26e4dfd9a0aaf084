//! The seeds of the fuzz targets, and damaged ones, through the same properties.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::path::Path;

use pfh_testing::Random;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/bag.rs"]
mod property;

fn every_seed(target: &str, property: fn(&[u8])) {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut random = Random::new(5);
    let mut below = |end: usize| random.below(end as u64) as usize;
    let mut count = 0;
    for seed in fs::read_dir(seeds).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        property(&seed);
        count += 1;
        for _ in 0..3_000 {
            let mut damaged = seed.clone();
            for _ in 0..=below(4) {
                let place = below(damaged.len());
                // Bytes that mean something are more likely to be trouble.
                damaged[place] = match below(3) {
                    0 => b"\n\r\t /.:%~*\0"[below(11)],
                    1 => damaged[below(damaged.len())],
                    _ => below(256) as u8,
                };
            }
            damaged.truncate(below(2 * seed.len()));
            property(&damaged);
        }
    }
    assert!(count > 0, "{target}");
}

#[test]
fn manifests() {
    every_seed("bag_manifest", property::manifest);
}

#[test]
fn tag_files() {
    every_seed("bag_tags", property::tags);
}

#[test]
fn profiles() {
    every_seed("bag_profile", property::profile);
}
