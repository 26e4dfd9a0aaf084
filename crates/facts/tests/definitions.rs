//! Scanners against the definitions, for any bytes in any parts, with the instructions of every backend.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use pfh_facts::{Counting, Entropy, Facts, Run, Runs, Scanner};
use pfh_vector::Backend;
use proptest::prelude::*;

/// The offsets that are counted, as the documentation describes them.
fn is_counted(offset: u64) -> bool {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let Some(later) = offset.checked_sub(4096) else { return true };
    let (group, line) = (later / 1024, later % 1024 / 32);
    line == group.wrapping_mul(GOLDEN) >> 59
}

fn by_definition(bytes: &[u8], counting: Counting) -> Facts {
    let mut longest: Option<Run> = None;
    let mut offset = 0;
    for run in bytes.chunk_by(|one, next| one == next) {
        if longest.is_none_or(|longest| run.len() as u64 > longest.bytes) {
            longest = Some(Run { byte: run[0], offset, bytes: run.len() as u64 });
        }
        offset += run.len() as u64;
    }
    let zero_sectors = bytes.chunks(512).filter(|sector| sector.iter().all(|&byte| byte == 0)).count();
    let (mut head, mut lines) = ([0.0; 256], [0.0; 256]);
    for (offset, &byte) in bytes.iter().enumerate() {
        if offset < 4096 || counting == Counting::Exact {
            head[usize::from(byte)] += 1.0;
        } else if is_counted(offset as u64) {
            lines[usize::from(byte)] += 1.0;
        }
    }
    let (whole, counted): (f64, f64) = (head.iter().sum(), lines.iter().sum());
    let weight = if counted > 0.0 { (bytes.len() as f64 - whole) / counted } else { 0.0 };
    let mut bits = 0.0;
    for byte in 0..256 {
        let share: f64 = (head[byte] + weight * lines[byte]) / bytes.len() as f64;
        if share > 0.0 {
            bits -= share * share.log2();
            let other = 1.0 - lines[byte] / counted.max(1.0);
            let variance = weight * (weight - 1.0) * lines[byte] * other;
            bits += variance / (2.0 * std::f64::consts::LN_2 * share * (bytes.len() as f64).powi(2));
        }
    }
    Facts::new(bytes.len() as u64, longest, zero_sectors as u64, Entropy::from_bits(bits), (whole + counted) as u64)
        .unwrap()
}

/// Entropies are rounded, and so may differ by a step.
fn assert_same(mut found: Facts, expected: Facts, what: &str) {
    assert!((found.entropy.bits() - expected.entropy.bits()).abs() < 1.5e-6, "{what}: {found:?}, {expected:?}");
    found.entropy = expected.entropy;
    assert_eq!(found, expected, "{what}");
}

/// Bytes of several kinds one after the other: noise, few values, runs, zeros.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        (0..9000_usize, any::<u64>()).prop_map(|(length, seed)| noise(length, seed, 256)),
        (0..3000_usize, any::<u64>()).prop_map(|(length, seed)| noise(length, seed, 2)),
        (0..9000_usize, any::<u8>()).prop_map(|(length, byte)| vec![byte; length]),
        (0..20_usize, any::<u8>()).prop_map(|(length, byte)| vec![byte; length]),
        (0..20_000_usize).prop_map(|length| vec![0; length]),
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

fn noise(length: usize, seed: u64, values: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 32) % values) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Divides the bytes at these places, taken modulo their number.
fn parts<'b>(bytes: &'b [u8], cuts: &[usize]) -> Vec<&'b [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|two| &bytes[two[0]..two[1]]).collect()
}

proptest! {
    #[test]
    fn any_parts_have_the_facts_of_the_whole(
        bytes in any_bytes(),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
        counting in prop::sample::select(Counting::ALL.to_vec()),
    ) {
        let expected = by_definition(&bytes, counting);
        let mut first = None;
        for backend in Backend::offered() {
            let mut scanner = Scanner::new(counting, backend);
            for cuts in [&cuts[..], &[], &[1, 2, 3, 511, 512, 513, 4095, 4097, 4100]] {
                parts(&bytes, cuts).into_iter().for_each(|part| scanner.update(part));
                let found = scanner.finish();
                assert_same(found, expected, backend.name());
                prop_assert_eq!(*first.get_or_insert(found), found);
            }
        }
    }

    #[test]
    fn ranges_of_several_scanners_have_the_facts_of_the_whole(
        bytes in any_bytes(),
        range_sectors in 1..40_usize,
        places in prop::collection::vec(0..3_usize, 1..9),
    ) {
        let mut scanner = Scanner::new(Counting::Sampled, Backend::chosen());
        scanner.update(&bytes);
        let expected = scanner.finish();
        let mut scanners = vec![scanner; 3];
        let mut runs: Option<Runs> = None;
        for (number, range) in bytes.chunks(range_sectors * 512).enumerate() {
            let scanner = &mut scanners[places[number % places.len()]];
            scanner.begin_at((number * range_sectors * 512) as u64);
            let (one, two) = range.split_at(range.len() / 3);
            scanner.update(one);
            scanner.update(two);
            let later = scanner.end_range().unwrap();
            runs = Some(runs.map_or(later, |runs| runs.join(later)));
        }
        let mut all = scanners.pop().unwrap();
        scanners.iter().for_each(|scanner| all.add(scanner));
        prop_assert_eq!(all.conclude(runs), expected);
    }
}

#[test]
fn structured_bytes_have_the_facts_of_the_definition() {
    let text = b"    fn f() {\n        let x = \"aaaaaaaa\";\n                    y();\n    }\n".repeat(700);
    let records: Vec<u8> = (0..3000_u32).flat_map(|number| [&number.to_le_bytes()[..], &[0; 28]].concat()).collect();
    let steps: Vec<u8> = (0..200_usize).flat_map(|length| vec![(length % 251) as u8; length]).collect();
    let growing: Vec<u8> = (0..12).flat_map(|power| [vec![0; 1 << power], vec![1]].concat()).collect();
    let all: Vec<u8> = (0..=255).cycle().take(50_000).collect();
    for (name, bytes) in [("text", text), ("records", records), ("steps", steps), ("growing", growing), ("all", all)] {
        for backend in Backend::offered() {
            for counting in Counting::ALL {
                let expected = by_definition(&bytes, counting);
                let mut scanner = Scanner::new(counting, backend);
                for step in [1, 7, 64, 4096, bytes.len()] {
                    bytes.chunks(step).for_each(|part| scanner.update(part));
                    assert_same(scanner.finish(), expected, name);
                }
            }
        }
    }
}

#[test]
fn the_facts_of_no_bytes_and_of_one_byte() {
    let mut scanner = Scanner::new(Counting::Sampled, Backend::chosen());
    let none = scanner.finish();
    assert_eq!(none, Facts::new(0, None, 0, Entropy::default(), 0).unwrap());
    assert!(!none.is_all_zero() && none.only_byte().is_none() && none.sectors() == 0);
    scanner.update(&[0]);
    let one = scanner.finish();
    let run = Run { byte: 0, offset: 0, bytes: 1 };
    assert_eq!(one, Facts::new(1, Some(run), 1, Entropy::default(), 1).unwrap());
    assert!(one.is_all_zero() && one.sectors() == 1);
    scanner.update(&[7; 100_000]);
    let same = scanner.finish();
    assert_eq!((same.only_byte(), same.entropy), (Some(7), Entropy::default()));
}

#[test]
fn a_sample_is_taken_of_every_file_that_is_longer_than_its_head() {
    let mut scanner = Scanner::new(Counting::Sampled, Backend::chosen());
    for length in [4096, 4097, 4200, 10_000, 1 << 20] {
        scanner.update(&vec![3; length]);
        let facts = scanner.finish();
        let expected = (0..length as u64).filter(|&offset| is_counted(offset)).count() as u64;
        assert_eq!(facts.entropy_bytes, expected);
        assert!(length == 4096 || expected > 4096);
    }
}

#[test]
fn impossible_facts_are_none() {
    let run = |offset, bytes| Some(Run { byte: 1, offset, bytes });
    let facts = |run, sectors, counted| Facts::new(1000, run, sectors, Entropy::default(), counted);
    assert!(facts(run(0, 1000), 2, 1000).is_some_and(|facts| facts.only_byte() == Some(1)));
    for impossible in [
        facts(None, 0, 0),
        facts(run(0, 0), 0, 0),
        facts(run(1, 1000), 0, 0),
        facts(run(u64::MAX, 2), 0, 0),
        facts(run(0, 1), 3, 0),
        facts(run(0, 1), 0, 1001),
        Facts::new(0, run(0, 1), 0, Entropy::default(), 0),
    ] {
        assert_eq!(impossible, None);
    }
}

/// A sample of noise has nearly all of its entropy.
#[test]
fn the_entropy_of_a_sample_is_corrected() {
    for (length, error) in [(20_000, 0.06), (100_000, 0.03), (1 << 20, 0.005)] {
        let bytes = noise(length, 7, 256);
        let [sampled, exact] = [Counting::Sampled, Counting::Exact].map(|counting| {
            let mut scanner = Scanner::new(counting, Backend::chosen());
            scanner.update(&bytes);
            scanner.finish().entropy.bits()
        });
        assert!((sampled - exact).abs() < error, "{length}: {sampled}, {exact}");
    }
}
