//! The seeds of the fuzz targets, and inputs of every kind, run through the same properties.

use std::fs;
use std::path::Path;

use crate::inputs::Random;
use crate::vectors::{contents, inputs};

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../../fuzz/src/similarity.rs"]
pub(crate) mod similarity;

#[expect(unreachable_pub, reason = "public to the fuzz targets")]
#[path = "../../../../fuzz/src/kernels.rs"]
mod kernels;

type Target = fn(&[u8]);

#[test]
fn every_seed() {
    const TARGETS: [(&str, Target); 16] = [
        ("ssdeep_list", similarity::ssdeep_list),
        ("tlsh_list", similarity::tlsh_list),
        ("ssdeep_digest", similarity::ssdeep_digest),
        ("tlsh_digest", similarity::tlsh_digest),
        ("sdhash_list", similarity::sdhash_list),
        ("mrsh_v2_list", similarity::mrsh_v2_list),
        ("sdhash_digest", similarity::sdhash_digest),
        ("mrsh_v2_digest", similarity::mrsh_v2_digest),
        ("index", similarity::index),
        ("many_digests", similarity::many_digests),
        ("kernel_bloom", kernels::bloom),
        ("kernel_fnv1a_many", kernels::fnv1a_many),
        ("kernel_sdhash_rank", kernels::sdhash_rank),
        ("kernel_ctph", kernels::ctph),
        ("kernel_sdhash_popularity", kernels::sdhash_popularity),
        ("kernel_tlsh_triplets", kernels::tlsh_triplets),
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

/// Inputs by chance: noise, few values, runs, of all lengths up to some tens of thousands.
#[test]
fn kernels_are_their_definitions_on_inputs_by_chance() {
    const TARGETS: [Target; 7] = [
        similarity::many_digests,
        kernels::bloom,
        kernels::fnv1a_many,
        kernels::sdhash_rank,
        kernels::ctph,
        kernels::sdhash_popularity,
        kernels::tlsh_triplets,
    ];
    let mut random = Random(5);
    let mut below = |end: u64| ((u128::from(random.next()) * u128::from(end)) >> 64) as u64;
    for round in 0..60 {
        let length = below([20, 300, 3000, 20_000][round % 4]) as usize;
        let (values, run) = ([256, 2, 40][round % 3], [1, 1, 90][round / 4 % 3]);
        let mut input = vec![below(256) as u8];
        while input.len() <= length {
            let byte = below(values) as u8;
            input.extend(std::iter::repeat_n(byte, 1 + below(run) as usize));
        }
        TARGETS.iter().for_each(|target| target(&input));
    }
}
