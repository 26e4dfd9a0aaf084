//! The seeds of the fuzz targets, and damaged ones, through the same properties.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::path::Path;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/nsrl.rs"]
mod property;

/// Bytes that mean something to SQL.
const BYTES: &[u8] = b"'\";(),=-/*[]X09aZ \n\0\xff";

#[test]
fn every_delta() {
    every_seed("nsrl_delta", BYTES, property::delta);
}

#[test]
fn all_check_values() {
    every_seed("nsrl_check_values", b"= ()\n\r*0aF\xff", property::check_values);
}

#[test]
fn every_database() {
    every_seed("nsrl_database", b"\0\x01\x02\x05\x0a\x0d\x40\x7f\x80\xff", property::database);
}

/// Tries each seed of a target, and those into which some of `bytes` were written.
fn every_seed(target: &str, bytes: &[u8], property: fn(&[u8])) {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut count = 0;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for seed in fs::read_dir(seeds).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        property(&seed);
        for _ in 0..500 {
            let mut damaged = seed.clone();
            for _ in 0..4 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let place = (random >> 32) as usize % damaged.len();
                damaged[place] = bytes[(random >> 24) as usize % bytes.len()];
            }
            property(&damaged);
        }
        count += 1;
    }
    assert!(count >= 4, "{count}");
}
