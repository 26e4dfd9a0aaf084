//! The seeds of the fuzz targets, and others, through the same properties.
#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

use pfh_ledger::timestamp::{Answer, parse_request};
use pfh_testing::Random;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../fuzz/src/ledger.rs"]
mod property;

#[test]
fn every_seed() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/ledger_timestamp");
    let mut random = Random::new(3);
    let mut below = |end: usize| random.below(end as u64) as usize;
    for name in ["granted", "refused", "request", "own_request"] {
        let seed = fs::read(seeds.join(name)).unwrap();
        property::timestamp(&seed);
        for _ in 0..20_000 {
            let mut damaged = seed.clone();
            for _ in 0..=below(3) {
                let place = below(damaged.len());
                damaged[place] = below(256) as u8;
            }
            damaged.truncate(below(2 * seed.len()));
            property::timestamp(&damaged);
        }
    }
}

/// A few bytes that are anything, and cut off or not.
#[test]
fn damaged_ledgers() {
    let mut random = Random::new(11);
    for _ in 0..100 {
        let mut edits = Vec::new();
        for _ in 0..random.below(5) {
            edits.extend_from_slice(&random.below(1 << 32).to_be_bytes()[4..]);
        }
        if random.below(4) == 0 {
            edits.extend_from_slice(&random.below(1 << 16).to_be_bytes()[6..]);
        }
        property::damaged(&edits);
    }
}

/// The seeds are OpenSSL's but for the last: an authority's answers, and requests.
#[test]
fn what_openssl_writes_is_read() {
    let seed = |name: &str| {
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/ledger_timestamp").join(name)).unwrap()
    };
    let answer = Answer::parse(&seed("granted")).unwrap();
    let (digest, nonce) = parse_request(&seed("own_request")).unwrap();
    assert_eq!((answer.digest, answer.nonce), (digest, Some(nonce)));
    // OpenSSL's request is for the same file.
    assert_eq!(parse_request(&seed("request")).unwrap().0, digest);
    assert!(Answer::parse(&seed("refused")).unwrap_err().to_string().contains("was not granted"));
}
