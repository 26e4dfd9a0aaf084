//! The seeds of the fuzz targets, and damaged ones, through the same properties.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::path::Path;

use pfh_testing::Random;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/plan.rs"]
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
            for _ in 0..=below(3) {
                let place = below(damaged.len());
                // Bytes that mean something are more likely to be trouble.
                damaged[place] = match below(3) {
                    0 => b"\n\"{}@ :,\\\0"[below(10)],
                    1 => damaged[below(damaged.len())],
                    _ => below(256) as u8,
                };
            }
            property(&damaged);
        }
    }
    assert!(count > 0, "{target}");
}

#[test]
fn plans() {
    every_seed("plan_json", property::json);
}

#[test]
fn entries() {
    every_seed("plan_entry", property::entry);
}
