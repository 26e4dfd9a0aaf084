//! Facts about contents are the same in every mode, and belong to whole files.

use pfh_digest::Algorithm;
use pfh_engine::{CancelToken, Counters, Decision, FileOptions, Options};
use pfh_facts::{Counting, Facts, Scanner};
use pfh_record::{Metadata, Outcome, Record, Selection};
use pfh_similarity::{Backend, Family};
use pfh_testing::ScriptedSource;

use crate::common::*;

/// Contents with runs across the edges of slots and pieces, all zero, of one byte, and noise.
fn samples(slot_bytes: usize, algorithms: &[Algorithm]) -> Vec<Sample> {
    let mut all = vec![Vec::new(), vec![0; 1], vec![0; 3 * slot_bytes + 700], vec![7; 2 * slot_bytes]];
    for (seed, slots) in [0, 1, 2, 5, 12].into_iter().enumerate() {
        let mut bytes = contents(seed as u64, slots * slot_bytes + 4099);
        all.push(bytes.clone());
        let middle = bytes.len() / 2 / slot_bytes * slot_bytes;
        bytes[middle.saturating_sub(300)..][..2000].fill(0);
        let end = bytes.len() - 513;
        bytes[end..].fill(0);
        all.push(bytes);
    }
    let name = |(place, bytes): (usize, Vec<u8>)| sample(format!("files/{place}"), bytes, algorithms);
    let mut samples: Vec<Sample> = all.into_iter().enumerate().map(name).collect();
    let mut stream = samples[6].clone();
    (stream.path, stream.stream) = ("stream".to_owned(), true);
    samples.push(stream);
    samples
}

fn facts(bytes: &[u8], counting: Counting) -> Option<Facts> {
    let mut scanner = Scanner::new(counting, Backend::chosen());
    scanner.update(bytes);
    Some(scanner.finish())
}

fn source(samples: &[Sample]) -> ScriptedSource {
    with_samples(ScriptedSource::new(), samples).hard_link("link", "files/7").hard_link("other link", "files/12")
}

fn assert_facts(records: &[Record], samples: &[Sample], counting: Counting, about: &str) {
    for (record, sample) in records.iter().zip(samples) {
        assert_complete(record, sample);
        assert_eq!(record.facts, facts(&sample.contents, counting), "{about}, {}", sample.path);
    }
    for (link, place) in records[samples.len()..].iter().zip([7, 12]) {
        assert_eq!(link.facts, facts(&samples[place].contents, counting), "{about}");
    }
}

#[test]
fn every_setting_finds_the_same_facts() {
    let _watchdog = watchdog(300);
    // Without lanes and with them, in chains, and of trees.
    let sets = [&[][..], &["md5"], &["sha256", "sha3-256", "crc32"], &["blake3"]].map(algorithms);
    for algorithms in sets {
        for setting in few_settings() {
            let counting = if setting.threads == 2 { Counting::Sampled } else { Counting::Exact };
            let mut options = Options { facts: Some(counting), ..setting.options(&algorithms) };
            if setting.least_memory {
                options.memory_bytes = least_memory(&options);
            }
            let samples = samples(if setting.least_memory { 16 << 10 } else { 256 << 10 }, &algorithms);
            let run = hash(&source(&samples), &options);
            assert_facts(&run.records, &samples, counting, &format!("{setting:?}"));
        }
    }
}

/// Long files in chains, in lanes, in trees, and beside families and pieces.
#[test]
fn long_files_have_facts_as_short_ones() {
    let _watchdog = watchdog(300);
    let mut long = contents(3, (9 << 20) + 77);
    long[(2 << 20) - 5000..(4 << 20) + 1].fill(0);
    long[6 << 20..][..4096].fill(0xFF);
    for (names, families, piece_bytes) in [
        (&["blake3"][..], &[][..], None),
        (&["sha256", "md5"], &[], None),
        (&["sha3-256", "whirlpool"], &[], Some(1 << 20)),
        (&["sha256"], &[Family::Tlsh, Family::Sdhash], None),
    ] {
        let algorithms = algorithms(names);
        let samples = [sample("long", long.clone(), &algorithms), sample("short", vec![0; 100], &algorithms)];
        for setting in settings().into_iter().filter(|setting| !setting.least_memory) {
            let mut options = Options { facts: Some(Counting::Sampled), piece_bytes, ..setting.options(&algorithms) };
            options.selection.extend(families.iter().copied().map(pfh_record::DigestKind::from));
            let run = hash(&with_samples(ScriptedSource::new(), &samples), &options);
            assert_facts(&run.records, &samples, Counting::Sampled, &format!("{setting:?} {names:?}"));
        }
    }
}

#[test]
fn facts_exist_only_where_they_are_wanted_and_every_byte_was_read() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "sha256"]);
    let samples = samples(16 << 10, &algorithms);
    for setting in few_settings() {
        let run = hash(&source(&samples), &setting.options(&algorithms));
        assert!(run.records.iter().all(|record| record.facts.is_none()));
        let broken = ScriptedSource::new()
            .file("long", contents(1, 200_000))
            .bad_bytes("long", 100_000, 1, EIO)
            .file("whole", vec![0; 5000]);
        let options = Options { facts: Some(Counting::Sampled), ..setting.options(&algorithms) };
        let options = Options { memory_bytes: options.memory_bytes.max(least_memory(&options)), ..options };
        let records = hash(&broken, &options).records;
        assert_ne!(records[0].outcome, Outcome::Complete);
        assert_eq!(records[0].facts, None, "{setting:?}");
        // Nothing of the file that failed is in the next one.
        assert_eq!(records[1].facts, facts(&[0; 5000], Counting::Sampled), "{setting:?}");
    }
}

#[test]
fn files_with_treatment_of_their_own_have_facts() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "sha256"]);
    let samples = samples(16 << 10, &algorithms);
    let decide = |_: &[u8], _: Option<&Metadata>| {
        let selection = Some(Selection::from(&algorithms[..1]));
        Decision::HashWith(FileOptions { selection, ..FileOptions::default() })
    };
    for setting in few_settings() {
        let options = Options { facts: Some(Counting::Sampled), ..setting.options(&algorithms) };
        let options = Options { memory_bytes: options.memory_bytes.max(least_memory(&options)), ..options };
        let mut records: Vec<Record> = Vec::new();
        let (counters, cancel) = (Counters::default(), CancelToken::default());
        pfh_engine::run(&options, &source(&samples), &|one| one, &mut records, Some(&decide), &counters, &cancel)
            .unwrap();
        for (record, sample) in records.iter().zip(&samples) {
            let expected = facts(&sample.contents, Counting::Sampled).filter(|_| record.outcome == Outcome::Complete);
            assert_eq!(record.facts, expected, "{setting:?}, {}", sample.path);
        }
    }
}
