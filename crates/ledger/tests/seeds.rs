//! The seeds of the fuzz target, and damaged ones, through the same property.
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
