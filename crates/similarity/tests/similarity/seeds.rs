//! The seeds of the fuzz targets, and inputs of every kind, run through the same properties.

use std::fs;
use std::path::Path;

use crate::vectors::{contents, inputs};

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../../fuzz/src/similarity.rs"]
pub(crate) mod similarity;

type Target = fn(&[u8]);

#[test]
fn every_seed() {
    const TARGETS: [(&str, Target); 9] = [
        ("ssdeep_list", similarity::ssdeep_list),
        ("tlsh_list", similarity::tlsh_list),
        ("ssdeep_digest", similarity::ssdeep_digest),
        ("tlsh_digest", similarity::tlsh_digest),
        ("sdhash_list", similarity::sdhash_list),
        ("mrsh_v2_list", similarity::mrsh_v2_list),
        ("sdhash_digest", similarity::sdhash_digest),
        ("mrsh_v2_digest", similarity::mrsh_v2_digest),
        ("index", similarity::index),
    ];
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fuzz/seeds/similarity_{name}"));
        let seeds: Vec<_> = fs::read_dir(&folder).expect("seeds").collect();
        assert!(seeds.len() >= 2, "{name}");
        for seed in seeds {
            target(&fs::read(seed.expect("a seed").path()).expect("bytes"));
        }
    }
}

#[test]
fn vectors_hold_the_properties_in_pieces_of_many_sizes() {
    for line in inputs() {
        let bytes = contents(line);
        for size in [1, 6, 7, 63, 64, 255] {
            let input = [&[size], &bytes[..bytes.len().min(40_000)]].concat();
            similarity::ssdeep_digest(&input);
            similarity::tlsh_digest(&input);
            similarity::mrsh_v2_digest(&input);
        }
    }
}
