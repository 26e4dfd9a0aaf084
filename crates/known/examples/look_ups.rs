//! Look-ups per second on one core in a set of MD5 digests, beside the machine's own bound and other structures:
//! `cargo run --release -p pfh-known --example look_ups -- 50000000`, with `set` after it for the set alone, and then a
//! path to keep the set there and to use it again. The figures of bench/results/*-known.md.
#![expect(clippy::print_stdout, reason = "a measurement that a developer runs")]

use std::collections::HashSet;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use pfh_digest::{Algorithm, Digest};
use pfh_known::{Keep, KnownSet, Origin, Row, SetBuilder};

/// Queries of a round.
const QUERIES: u64 = 1_000_000;

/// Rounds, of which the median counts.
const ROUNDS: usize = 15;

/// SplitMix64 (Steele, Lea and Flood 2014).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn bytes_of(number: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&mixed(2 * number + 1).to_le_bytes());
    bytes[8..].copy_from_slice(&mixed(2 * number + 2).to_le_bytes());
    bytes
}

/// One thing that is measured: answers queries and returns how many it found.
type Measure<'a> = (&'a str, Box<dyn FnMut() -> u64 + 'a>);

/// Runs each measure once in every round, and prints the median of its rate, and of its share of the first one's in the
/// same round: so what disturbs the machine for a while disturbs them all.
fn measure(measures: &mut [Measure<'_>]) {
    let mut rates: Vec<Vec<f64>> = vec![Vec::new(); measures.len()];
    for _ in 0..ROUNDS {
        for ((_, run), rates) in measures.iter_mut().zip(&mut rates) {
            let begun = Instant::now();
            black_box(run());
            rates.push(QUERIES as f64 / begun.elapsed().as_secs_f64() / 1e6);
        }
    }
    let median = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        (values[0], values[values.len() / 2], values[values.len() - 1])
    };
    for ((name, run), of) in measures.iter_mut().zip(&rates) {
        let shares: Vec<f64> = of.iter().zip(&rates[0]).map(|(rate, bound)| 100.0 * rate / bound).collect();
        let ((least, middle, most), (_, share, _)) = (median(of), median(&shares));
        println!("{name:<34} {middle:>7.2} million a second ({least:.2} to {most:.2}), {share:.0} %; {}", run());
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let entries: u64 = std::env::args().nth(1).map_or(Ok(50_000_000), |text| text.parse())?;
    let md5 = Algorithm::from_name("md5")?;
    let digest = |number| Digest::new(md5, &bytes_of(number)).ok_or("MD5 has 16 bytes");
    let temporary = tempfile::NamedTempFile::new()?;
    let path = std::env::args_os().nth(3).map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    if path.metadata().map_or(0, |metadata| metadata.len()) == 0 {
        let begun = Instant::now();
        let mut builder = SetBuilder::new(&[md5], Keep::default(), 4 << 30);
        builder.begin_source(Origin::default())?;
        for number in 0..entries {
            builder.push(&Row { digests: &[digest(number)?], ..Row::default() })?;
        }
        builder.write(&mut File::create(&path)?, "look_ups")?;
        println!("built at {:.2} million a second", entries as f64 / begun.elapsed().as_secs_f64() / 1e6);
    }
    let bytes = path.metadata()?.len();
    println!("{entries} digests: {:.3} times their length", bytes as f64 / (16 * entries) as f64);
    let opened = Instant::now();
    let set = KnownSet::open(&path)?;
    println!("opened in {:.0} microseconds", opened.elapsed().as_secs_f64() * 1e6);
    // So that all of it is in memory.
    assert!(set.is_intact()?);

    let hits: Vec<Digest> = (0..QUERIES).map(|number| digest(mixed(number) % entries)).collect::<Result<_, _>>()?;
    let misses: Vec<Digest> = (0..QUERIES).map(|number| digest(entries + number)).collect::<Result<_, _>>()?;
    let either = |((hit, miss), number): ((&Digest, &Digest), u64)| if number.is_multiple_of(2) { *hit } else { *miss };
    let half: Vec<Digest> = hits.iter().zip(&misses).zip((0..).map(mixed)).map(either).collect();
    let mut sorted = hits.clone();
    sorted.sort_unstable_by(|one, other| one.bytes().cmp(other.bytes()));
    // The bound: independent reads of one cache line, of the file itself.
    let mapped = pfh_source::MappedFile::open(&path)?;
    let lines = mapped.as_ref().as_chunks::<64>().0;
    let random_lines = || {
        let line = |number| u64::from(lines[(mixed(number) % lines.len() as u64) as usize][3]);
        (0..QUERIES).map(line).fold(0, u64::wrapping_add)
    };
    // An error would show as too few hits.
    let many = |queries: &[Digest]| {
        let mut found = 0;
        let _ = set.find_many(queries, |_, number| found += u64::from(number.is_some()));
        found
    };
    let one_by_one = || hits.iter().filter(|digest| matches!(set.find(digest), Ok(Some(_)))).count() as u64;
    let is_short = std::env::args().nth(2).is_some_and(|word| word == "set");
    let mut vector: Vec<[u8; 16]> = if is_short { Vec::new() } else { (0..entries).map(bytes_of).collect() };
    vector.sort_unstable();
    let hashed: HashSet<[u8; 16]> = vector.iter().copied().collect();
    let mut measures: Vec<Measure<'_>> = vec![
        ("bound: random cache lines", Box::new(random_lines)),
        ("batch of random hits", Box::new(|| many(&hits))),
        ("batch of random misses", Box::new(|| many(&misses))),
        ("batch of which half are hits", Box::new(|| many(&half))),
        ("sorted batch of hits", Box::new(|| many(&sorted))),
        ("one by one, hits", Box::new(one_by_one)),
    ];
    if !is_short {
        let binary =
            || hits.iter().filter(|digest| vector.binary_search_by(|one| one[..].cmp(digest.bytes())).is_ok()).count();
        let in_hash_set = || hits.iter().filter(|digest| hashed.contains(digest.bytes())).count() as u64;
        measures.push(("sorted vector, binary search", Box::new(move || binary() as u64)));
        measures.push(("HashSet of the standard library", Box::new(in_hash_set)));
    }
    measure(&mut measures);
    Ok(())
}
