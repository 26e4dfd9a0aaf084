//! Look-ups per second on one core in a set of MD5 digests, beside the machine's own bound and other structures:
//! `cargo run --release -p pfh-known --example look_ups -- 50000000`. The figures of bench/results/*-known.md.
#![expect(clippy::print_stdout, reason = "a measurement that a developer runs")]

use std::collections::HashSet;
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use pfh_digest::{Algorithm, Digest};
use pfh_known::{Keep, KnownSet, Origin, Row, SetBuilder};

/// Queries of a round.
const QUERIES: u64 = 4_000_000;

/// Rounds, of which the median counts.
const ROUNDS: usize = 5;

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

/// Prints the median rate of some rounds, and its share of the bound.
fn measure(name: &str, count: u64, bound: f64, mut run: impl FnMut() -> u64) -> f64 {
    let mut rates: Vec<f64> = Vec::new();
    let mut found = 0;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        found = black_box(run());
        rates.push(count as f64 / begun.elapsed().as_secs_f64() / 1e6);
    }
    rates.sort_by(f64::total_cmp);
    let (median, least, most) = (rates[ROUNDS / 2], rates[0], rates[ROUNDS - 1]);
    let share = if bound > 0.0 { format!(", {:.0} % of the bound", 100.0 * median / bound) } else { String::new() };
    println!("{name:<34} {median:>7.2} million a second ({least:.2} to {most:.2}){share}; {found}");
    median
}

fn main() -> Result<(), Box<dyn Error>> {
    let entries: u64 = std::env::args().nth(1).map_or(Ok(50_000_000), |text| text.parse())?;
    let md5 = Algorithm::from_name("md5")?;
    let digest = |number| Digest::new(md5, &bytes_of(number)).ok_or("MD5 has 16 bytes");
    let mut builder = SetBuilder::new(&[md5], Keep::default(), 4 << 30);
    builder.begin_source(Origin::default())?;
    let begun = Instant::now();
    for number in 0..entries {
        builder.push(&Row { digests: &[digest(number)?], ..Row::default() })?;
    }
    let mut file = tempfile::NamedTempFile::new()?;
    builder.write(&mut std::io::BufWriter::new(&mut file), "look_ups")?;
    let seconds = begun.elapsed().as_secs_f64();
    let bytes = file.as_file().metadata()?.len();
    println!(
        "{entries} digests built at {:.2} million a second; {:.3} times the digests",
        entries as f64 / seconds / 1e6,
        bytes as f64 / (16 * entries) as f64
    );
    let opened = Instant::now();
    let set = KnownSet::open(file.path())?;
    println!("opened in {:.0} microseconds", opened.elapsed().as_secs_f64() * 1e6);
    // So that all of it is in memory.
    assert!(set.is_intact()?);

    // The bound: independent reads of one cache line of a table of that size.
    let table: Vec<[u64; 8]> = (0..entries / 4).map(|number| [number; 8]).collect();
    let bound = measure("bound: random cache lines", QUERIES, 0.0, || {
        (0..QUERIES).map(|number| table[(mixed(number) % table.len() as u64) as usize][3]).fold(0, u64::wrapping_add)
    });
    drop(table);

    let hits: Vec<Digest> = (0..QUERIES).map(|number| digest(mixed(number) % entries)).collect::<Result<_, _>>()?;
    let misses: Vec<Digest> = (0..QUERIES).map(|number| digest(entries + number)).collect::<Result<_, _>>()?;
    let mut sorted = hits.clone();
    sorted.sort_unstable_by(|one, other| one.bytes().cmp(other.bytes()));
    // The same in a file that is mapped: small pages, which the processor has to look up too.
    let mapped = pfh_source::MappedFile::open(file.path())?;
    let lines = mapped.as_ref().as_chunks::<64>().0;
    let of_file = measure("bound: random cache lines, mapped", QUERIES, 0.0, || {
        let line = |number| u64::from(lines[(mixed(number) % lines.len() as u64) as usize][3]);
        (0..QUERIES).map(line).fold(0, u64::wrapping_add)
    });
    let in_memory = KnownSet::from_bytes(std::fs::read(file.path())?)?;
    measure("batch of random hits, in memory", QUERIES, bound, || {
        let mut found = 0;
        // An error would show as no hits.
        let _ = in_memory.find_many(&hits, |_, number| found += u64::from(number.is_some()));
        found
    });
    measure("one by one, in memory", QUERIES, bound, || {
        hits.iter().filter(|digest| matches!(in_memory.find(digest), Ok(Some(_)))).count() as u64
    });
    drop(in_memory);
    let bound = of_file;
    let many = |queries: &[Digest]| {
        let mut found = 0;
        // An error would show as no hits.
        let _ = set.find_many(queries, |_, number| found += u64::from(number.is_some()));
        found
    };
    measure("batch of random hits", QUERIES, bound, || many(&hits));
    measure("batch of random misses", QUERIES, bound, || many(&misses));
    measure("sorted batch of hits", QUERIES, bound, || many(&sorted));
    measure("one by one, hits", QUERIES, bound, || {
        hits.iter().filter(|digest| matches!(set.find(digest), Ok(Some(_)))).count() as u64
    });
    let mut vector: Vec<[u8; 16]> = (0..entries).map(bytes_of).collect();
    vector.sort_unstable();
    measure("sorted vector, binary search", QUERIES, bound, || {
        hits.iter().filter(|digest| vector.binary_search_by(|one| one[..].cmp(digest.bytes())).is_ok()).count() as u64
    });
    let hashed: HashSet<[u8; 16]> = vector.into_iter().collect();
    measure("HashSet of the standard library", QUERIES, bound, || {
        hits.iter().filter(|digest| hashed.contains(digest.bytes())).count() as u64
    });
    Ok(())
}
