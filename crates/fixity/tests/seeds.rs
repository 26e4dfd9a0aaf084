//! The seeds of the fuzz target, and damaged ones, through the same property.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

use pfh_testing::Random;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/fixity.rs"]
mod property;

#[test]
fn paths() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/fixity_paths");
    let mut random = Random::new(7);
    let mut below = |end: usize| random.below(end as u64) as usize;
    let mut count = 0;
    for seed in fs::read_dir(seeds).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        property::paths(&seed);
        count += 1;
        for _ in 0..3_000 {
            let mut damaged = seed.clone();
            for _ in 0..=below(4) {
                let place = below(damaged.len());
                damaged[place] = b"/.\\\nab\0\x03"[below(8)];
            }
            property::paths(&damaged);
        }
    }
    assert!(count > 0);
}
