//! Look-ups per second on one core in a set of entries with several digests, beside sets of one algorithm each, whose
//! digests are whole: `cargo run --release -p pfh-known --example linked -- 8000000`. The figures of
//! bench/results/*-known-2.md.
#![expect(clippy::print_stdout, reason = "a measurement that a developer runs")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use pfh_digest::{Algorithm, Digest};
use pfh_known::{Keep, KnownSet, Origin, Row, SetBuilder};

/// Queries of a round.
const QUERIES: u64 = 1_000_000;

/// Rounds, of which the median counts.
const ROUNDS: usize = 11;

/// SplitMix64 (Steele, Lea and Flood 2014).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn digest(algorithm: Algorithm, number: u64) -> Result<Digest, Box<dyn Error>> {
    let words = (0..4).flat_map(|word| mixed(32 * number + 4 * algorithm.digest_bytes() as u64 + word).to_le_bytes());
    let bytes: Vec<u8> = words.take(algorithm.digest_bytes()).collect();
    Ok(Digest::new(algorithm, &bytes).ok_or("the length")?)
}

fn build(algorithms: &[Algorithm], entries: u64) -> Result<KnownSet, Box<dyn Error>> {
    let mut builder = SetBuilder::new(algorithms, Keep::default(), 2 << 30);
    builder.begin_source(Origin::default())?;
    for number in 0..entries {
        let digests: Vec<Digest> = algorithms.iter().map(|one| digest(*one, number)).collect::<Result<_, _>>()?;
        builder.push(&Row { digests: &digests, ..Row::default() })?;
    }
    // Mapped, as programs have sets: sections then begin at lines of memory.
    let mut file = tempfile::tempfile()?;
    builder.write(&mut file, "linked")?;
    let set = KnownSet::of_file(&file)?;
    let digests: usize = algorithms.iter().map(|algorithm| algorithm.digest_bytes()).sum();
    println!(
        "{} algorithms: {:.3} times the digests",
        algorithms.len(),
        set.file_bytes() as f64 / (digests as u64 * entries) as f64
    );
    Ok(set)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let entries: u64 = std::env::args().nth(1).map_or(Ok(8_000_000), |text| text.parse())?;
    let names = ["md5", "sha1", "sha256"];
    let algorithms = names.map(Algorithm::from_name).into_iter().collect::<Result<Vec<_>, _>>()?;
    let linked = build(&algorithms, entries)?;
    for algorithm in algorithms {
        let alone = build(&[algorithm], entries)?;
        let of = |numbers: &mut dyn Iterator<Item = u64>| {
            numbers.map(|one| digest(algorithm, one)).collect::<Result<Vec<_>, _>>()
        };
        let hits = of(&mut (0..QUERIES).map(|number| mixed(number) % entries))?;
        let misses = of(&mut (entries..entries + QUERIES))?;
        let many = |set: &KnownSet, queries: &[Digest]| -> Result<u64, Box<dyn Error>> {
            let mut found = 0;
            set.find_many(queries, |_, number| found += u64::from(number.is_some()))?;
            Ok(found)
        };
        for (name, queries, one_by_one) in
            [("hits", &hits, false), ("misses", &misses, false), ("hits one by one", &hits, true)]
        {
            let mut rates = [Vec::new(), Vec::new()];
            let mut ratios = Vec::new();
            for _ in 0..ROUNDS {
                for (rates, set) in rates.iter_mut().zip([&alone, &linked]) {
                    let begun = Instant::now();
                    let found = if one_by_one {
                        queries.iter().filter(|digest| matches!(set.find(digest), Ok(Some(_)))).count() as u64
                    } else {
                        many(set, queries)?
                    };
                    black_box(found);
                    rates.push(QUERIES as f64 / begun.elapsed().as_secs_f64() / 1e6);
                }
                ratios.push(rates[1][rates[1].len() - 1] / rates[0][rates[0].len() - 1]);
            }
            let [mut alone, mut linked] = rates;
            println!(
                "{:<7} {name:<16} alone {:>6.2}, linked {:>6.2} million a second, ratio {:.2}",
                algorithm.name(),
                median(&mut alone),
                median(&mut linked),
                median(&mut ratios)
            );
        }
    }
    Ok(())
}
