//! The seeds of the fuzz targets, and what is near them, through the same properties.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::path::Path;

use pfh_testing::Random;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/serve.rs"]
mod property;

fn every_seed(target: &str, property: fn(&[u8])) {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut random = Random::new(9120);
    let mut count = 0;
    for seed in fs::read_dir(seeds).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        property(&seed);
        for _ in 0..2000 {
            let mut changed = seed.clone();
            for _ in 0..=random.below(3) {
                let place = random.below(changed.len() as u64 + 1) as usize;
                match random.below(4) {
                    0 => changed.truncate(place),
                    1 => changed.insert(place, random.below(256) as u8),
                    2 => changed.splice(place..place, seed.iter().copied()).for_each(drop),
                    _ => {
                        if let Some(byte) = changed.get_mut(place) {
                            *byte ^= 1 << random.below(8);
                        }
                    }
                }
            }
            property(&changed);
        }
        count += 1;
    }
    assert!(count >= 7, "{count}");
}

#[test]
fn every_seed_of_lines() {
    every_seed("serve_line", property::line);
}

#[test]
fn every_seed_of_digests() {
    every_seed("serve_digests", property::digests);
}
