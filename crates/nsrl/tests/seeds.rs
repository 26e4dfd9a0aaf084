//! The seeds of the fuzz target, and damaged ones, through the same property.

use std::fs;
use std::path::Path;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/nsrl.rs"]
mod property;

/// Bytes that mean something to SQL.
const BYTES: &[u8] = b"'\";(),=-/*[]X09aZ \n\0\xff";

#[test]
fn every_seed() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/nsrl_delta");
    let mut count = 0;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for seed in fs::read_dir(seeds).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        property::delta(&seed);
        for _ in 0..500 {
            let mut damaged = seed.clone();
            for _ in 0..4 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let place = (random >> 32) as usize % damaged.len();
                damaged[place] = BYTES[(random >> 24) as usize % BYTES.len()];
            }
            property::delta(&damaged);
        }
        count += 1;
    }
    assert!(count >= 4, "{count}");
}
