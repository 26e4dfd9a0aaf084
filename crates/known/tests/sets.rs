//! Sets against a model, and damaged sets.

#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::collections::BTreeSet;

use pfh_digest::{Algorithm, Digest};
use pfh_known::{Keep, KnownSet, OpenError, Origin, Row, SetBuilder};
use pfh_testing::Random;

fn algorithm(name: &str) -> Algorithm {
    Algorithm::from_name(name).unwrap()
}

fn digest(name: &str, bytes: &[u8]) -> Digest {
    Digest::new(algorithm(name), bytes).unwrap()
}

/// Digests that are distributed evenly, or share their first bytes, or lie at the ends.
fn digests(name: &str, count: usize, kind: usize) -> Vec<Digest> {
    let mut random = Random::new((count + kind) as u64);
    let make = |number: usize| {
        let mut bytes = random.bytes(algorithm(name).digest_bytes());
        match kind {
            0 => {}
            1 => bytes[..7].fill(0x5a),
            2 => bytes[..8].fill(if number.is_multiple_of(2) { 0 } else { 0xff }),
            _ => bytes.fill((number % 3) as u8),
        }
        digest(name, &bytes)
    };
    (0..count).map(make).collect()
}

fn build(algorithms: &[&str], memory_bytes: u64, digests: &[Digest]) -> Vec<u8> {
    let algorithms: Vec<Algorithm> = algorithms.iter().map(|name| algorithm(name)).collect();
    let mut builder = SetBuilder::new(&algorithms, Keep::default(), memory_bytes);
    builder.begin_source(Origin::default()).unwrap();
    for digest in digests {
        builder.push(&Row { digests: &[*digest], ..Row::default() }).unwrap();
    }
    let mut file = Vec::new();
    builder.write(&mut file, "a test").unwrap();
    file
}

/// Checks all look-ups of a set against a sorted set in memory.
fn check(set: &KnownSet, known: &[Digest], others: &[Digest]) {
    let find = |digest: &Digest| {
        let same: BTreeSet<&[u8]> =
            known.iter().filter(|one| one.algorithm() == digest.algorithm()).map(Digest::bytes).collect();
        same
    };
    let mut models: Vec<(Algorithm, Vec<&[u8]>)> = Vec::new();
    let searched: Vec<Digest> = known.iter().chain(others).copied().collect();
    let mut answers = Vec::new();
    for digest in &searched {
        if !models.iter().any(|(algorithm, _)| *algorithm == digest.algorithm()) {
            models.push((digest.algorithm(), find(digest).into_iter().collect()));
        }
        let (_, model) = models.iter().find(|(algorithm, _)| *algorithm == digest.algorithm()).unwrap();
        let expected = model.binary_search(&digest.bytes()).ok().map(|place| place as u64);
        assert_eq!(set.find(digest).unwrap(), expected, "{digest:?}");
        answers.push(expected);
    }
    for (algorithm, model) in &models {
        assert_eq!(set.len(*algorithm), model.len() as u64);
    }
    let all: Vec<(Digest, Option<u64>)> = searched.into_iter().zip(answers).collect();
    // Where most digests are missing, a filter is asked; where most are there, it is not.
    let missing = all[known.len()..].iter().cycle().take(if others.is_empty() { 0 } else { 3000 });
    let mixed = missing.zip(all.iter().cycle()).flat_map(|(one, other)| [one, one, other]);
    for expected in [all.clone(), mixed.chain(&all).copied().collect()] {
        let searched: Vec<Digest> = expected.iter().map(|(digest, _)| *digest).collect();
        let mut many = Vec::new();
        set.find_many(&searched, |digest, found| many.push((*digest, found))).unwrap();
        assert!(many == expected);
    }
}

/// Bytes of a set's footer, its check, what comes before its table of sections, and an entry of that.
const FOOTER_BYTES: usize = 4096;
const CHECK_BYTES: usize = 32;
const TABLE_AT: usize = 72;
const ENTRY_BYTES: usize = 64;

/// Changes the footer of a set and makes its check anew.
fn with_footer(file: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut file = file.to_vec();
    let at = file.len() - FOOTER_BYTES;
    let (footer, check) = file[at..].split_at_mut(FOOTER_BYTES - CHECK_BYTES);
    change(footer);
    check.copy_from_slice(algorithm("blake3").digest(footer).bytes());
    file
}

/// Returns the number of the first entry of this kind in the table of sections.
fn entry_of(footer: &[u8], kind: &[u8; 8]) -> usize {
    footer[TABLE_AT..].chunks(ENTRY_BYTES).position(|entry| entry.starts_with(kind)).unwrap()
}

/// Returns the number of the filter's entry in the table of sections.
fn filter_entry(footer: &[u8]) -> usize {
    entry_of(footer, b"filter\0\0")
}

/// Returns the offset of the first section of this kind.
fn offset_of(file: &[u8], kind: &[u8; 8]) -> usize {
    let footer = &file[file.len() - FOOTER_BYTES..];
    let entry = &footer[TABLE_AT + ENTRY_BYTES * entry_of(footer, kind)..];
    u64::from_le_bytes(entry[40..48].try_into().unwrap()) as usize
}

/// Builds a set of files with an MD5 that all have, and a SHA-1 of their own.
fn build_of_one_md5(files: u8) -> Vec<u8> {
    let mut builder = SetBuilder::new(&["md5", "sha1"].map(algorithm), Keep::default(), 1 << 20);
    builder.begin_source(Origin::default()).unwrap();
    for number in 0..files {
        let digests = [digest("md5", &[7; 16]), digest("sha1", &[number; 20])];
        builder.push(&Row { digests: &digests, ..Row::default() }).unwrap();
    }
    let mut file = Vec::new();
    builder.write(&mut file, "a test").unwrap();
    file
}

/// Returns the set as one was written that has no filter.
fn without_filter(file: &[u8]) -> Vec<u8> {
    with_footer(file, |footer| {
        let at = TABLE_AT + ENTRY_BYTES * filter_entry(footer);
        let end = footer.len();
        footer.copy_within(at + ENTRY_BYTES.., at);
        footer[end - ENTRY_BYTES..].fill(0);
        footer[20] -= 1;
    })
}

#[test]
fn look_ups_agree_with_a_model() {
    for count in [0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 100, 1000, 40_000] {
        for kind in 0..4 {
            let mut known = digests("sha1", count, kind);
            known.extend(digests("md5", count / 3, kind));
            known.extend_from_within(..count / 5);
            let others: Vec<Digest> =
                (0..4).flat_map(|kind| [digests("sha1", 77, kind), digests("md5", 78, kind)].concat()).collect();
            // Little memory forces temporary files.
            let file = build(&["md5", "sha1"], 1 << 16, &known);
            let set = KnownSet::from_bytes(file).unwrap();
            assert!(set.is_intact().unwrap() && set.about().program == "a test" && set.is_empty() == known.is_empty());
            // Those of which there are digests, the stronger first.
            let expected = [algorithm("sha1"), algorithm("md5")].into_iter().filter(|one| set.len(*one) > 0);
            assert!(set.algorithms().eq(expected));
            check(&set, &known, &others);
        }
    }
}

#[test]
fn every_width_is_sorted() {
    for name in ["xxh64", "tiger", "sha224", "sha256", "sha384", "sha512"] {
        let known = digests(name, 3000, 0);
        check(&KnownSet::from_bytes(build(&[name], 1 << 20, &known)).unwrap(), &known, &digests(name, 50, 1));
    }
}

#[test]
fn a_filter_changes_no_answer() {
    for name in ["xxh64", "md5", "sha1", "sha224", "sha256", "sha512"] {
        for count in [1, 85, 86, 5000] {
            for kind in 0..4 {
                let known = digests(name, count, kind);
                let others: Vec<Digest> = (0..4).flat_map(|kind| digests(name, 99, kind)).collect();
                let file = build(&[name], 1 << 20, &known);
                let bare = KnownSet::from_bytes(without_filter(&file)).unwrap();
                for set in [KnownSet::from_bytes(file).unwrap(), bare] {
                    assert!(set.is_intact().unwrap());
                    check(&set, &known, &others);
                }
            }
        }
    }
}

/// A filter without a bit lets nothing pass. So it shows where it was asked.
#[test]
fn the_filter_is_asked_while_most_digests_are_missing() {
    let (known, others) = (digests("md5", 3000, 0), digests("md5", 3001, 0));
    let mut file = build(&["md5"], 1 << 20, &known);
    let footer = &file[file.len() - FOOTER_BYTES..];
    let entry = &footer[TABLE_AT + ENTRY_BYTES * filter_entry(footer)..][..ENTRY_BYTES];
    let number = |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().unwrap()) as usize;
    let (at, blocks) = (number(40), number(48));
    assert_eq!((number(56), blocks), (64, 3000_usize.div_ceil(85)));
    file[at..at + 64 * blocks].fill(0);
    let set = KnownSet::from_bytes(file).unwrap();
    let found = |searched: &[&[Digest]]| {
        let mut found = 0;
        set.find_many(&searched.concat(), |_, place| found += usize::from(place.is_some())).unwrap();
        found
    };
    assert_eq!(found(&[&known]), 3000, "most are there");
    assert_eq!(found(&[&others, &known[..1000]]), 0, "most are missing");
    assert_eq!(found(&[&known[..500], &others[..100], &known[..500]]), 1000, "few are missing");
    // The first 256 look-ups do not ask.
    assert_eq!(found(&[&known[..100], &others[..156], &known]), 100);
    assert!(known.iter().all(|digest| set.find(digest).unwrap().is_some()));
    assert!(!set.is_intact().unwrap());
}

#[test]
fn a_filter_of_another_length_is_refused() {
    let file = build(&["md5"], 1 << 20, &digests("md5", 400, 0));
    let with = |at: usize, value: u8| {
        with_footer(&file, |footer| footer[TABLE_AT + ENTRY_BYTES * filter_entry(footer) + at] = value)
    };
    // Records, their length, and the offset.
    assert!(KnownSet::from_bytes(with(48, 5)).is_ok());
    for (at, value) in [(48, 0), (48, 4), (48, 6), (56, 63), (56, 32), (40, 1), (42, 1)] {
        assert_eq!(refusal(with(at, value)), OpenError::Damaged.to_string(), "{at}: {value}");
    }
}

/// Of two tables of one algorithm, look-ups would see only the first.
#[test]
fn two_sections_of_digests_by_one_algorithm_are_refused() {
    let file = build(&["md5"], 1 << 20, &digests("md5", 400, 0));
    let twice = with_footer(&file, |footer| {
        let mut entries = footer[TABLE_AT..].chunks(ENTRY_BYTES);
        let first = TABLE_AT + ENTRY_BYTES * entries.position(|entry| entry.starts_with(b"digests\0")).unwrap();
        let end = TABLE_AT + ENTRY_BYTES * usize::from(footer[20]);
        footer.copy_within(first..first + ENTRY_BYTES, end);
        footer[20] += 1;
    });
    assert_eq!(refusal(twice), OpenError::Damaged.to_string());
}

#[test]
fn digests_of_other_algorithms_are_left_out() {
    let known = [digests("md5", 9, 0), digests("sha256", 5, 0)].concat();
    let set = KnownSet::from_bytes(build(&["md5"], 1 << 20, &known)).unwrap();
    assert_eq!([set.len(algorithm("md5")), set.len(algorithm("sha256"))], [9, 0]);
    assert_eq!(set.find(&known[10]).unwrap(), None);
}

/// At most 1.06 times the digests.
#[test]
fn an_index_takes_little() {
    for (name, count) in [("md5", 100_000), ("sha1", 70_000), ("sha256", 50_000)] {
        let file = build(&[name], 1 << 24, &digests(name, count, 0));
        let bytes = count * algorithm(name).digest_bytes();
        assert!(file.len() * 100 < bytes * 106, "{name}: {} for {bytes}", file.len());
    }
}

fn refusal(bytes: Vec<u8>) -> String {
    KnownSet::from_bytes(bytes).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_set_that_is_cut_off_is_refused() {
    let file = build(&["md5", "sha256"], 1 << 20, &digests("md5", 300, 0));
    for length in (0..file.len()).step_by(7).chain(file.len() - 70..file.len()) {
        let expected = if length < 16 { OpenError::NotASet } else { OpenError::OtherLength };
        assert_eq!(refusal(file[..length].to_vec()), expected.to_string(), "{length}");
    }
    let mut longer = file.clone();
    longer.extend_from_slice(&file[file.len() - FOOTER_BYTES..]);
    assert_eq!(refusal(longer), OpenError::OtherLength.to_string());
    assert_eq!(refusal(b"a text that is no set".to_vec()), OpenError::NotASet.to_string());
}

/// A changed byte is found when the set is opened or checked, and no look-up in such a set panics.
#[test]
fn every_changed_byte_is_found() {
    let known = digests("md5", 200, 0);
    let file = build(&["md5"], 1 << 20, &known);
    for place in 0..file.len() {
        let mut damaged = file.clone();
        damaged[place] ^= 1 << (place % 8);
        match KnownSet::from_bytes(damaged) {
            Ok(set) => {
                assert!(place < file.len() - FOOTER_BYTES && !set.is_intact().unwrap(), "{place}");
                assert_eq!(set.is_intact_unless(&|| true).unwrap(), None);
                known.iter().for_each(|digest| {
                    set.find(digest).unwrap();
                    set.agreeing(&[*digest]).unwrap();
                });
                set.find_many(&known, |_, _| {}).unwrap();
            }
            // Parts are read when a set is opened: the shapes of entries, and the text about it.
            Err(error) => assert!(!(16..200 * 16).contains(&place), "{place}: {error}"),
        }
    }
}

/// The same where bytes of digests are left out, and links lead to entries.
#[test]
fn changed_bytes_of_linked_sets_do_no_harm() {
    let pairs: Vec<[Digest; 2]> =
        digests("md5", 2500, 0).into_iter().zip(digests("sha1", 2500, 0)).map(Into::into).collect();
    let algorithms = ["md5", "sha1"].map(algorithm);
    let mut builder = SetBuilder::new(&algorithms, Keep::default(), 1 << 20);
    builder.begin_source(Origin::default()).unwrap();
    for digests in &pairs {
        builder.push(&Row { digests, ..Row::default() }).unwrap();
    }
    let mut file = Vec::new();
    builder.write(&mut file, "a test").unwrap();
    let mut opened = 0;
    for place in (0..file.len() - FOOTER_BYTES).step_by(101) {
        let mut damaged = file.clone();
        damaged[place] ^= 0x81;
        let Ok(set) = KnownSet::from_bytes(damaged) else { continue };
        opened += 1;
        assert!(!set.is_intact().unwrap(), "{place}");
        for pair in pairs.iter().step_by(17) {
            set.agreeing(pair).unwrap();
        }
        let all: Vec<Digest> = pairs.iter().flatten().copied().collect();
        set.find_many(&all, |digest, found| assert!(found.is_none_or(|number| number < set.len(digest.algorithm()))))
            .unwrap();
        let mut count = 0;
        set.each(algorithm("md5"), |entry, digest| {
            assert!(entry < set.entries());
            count += digest.len();
            Ok(())
        })
        .unwrap();
        // A byte has parts of two links, which may lead nowhere.
        assert!((2498 * 16..=2500 * 16).contains(&count), "{place}: {count}");
    }
    assert!(opened > 500, "{opened}");
}

/// Also where the links around one that leads to no entry are right.
#[test]
fn no_digest_leads_to_an_entry_that_is_not_there() {
    let mut file = build_of_one_md5(3);
    let (at, md5) = (offset_of(&file, b"links\0\0\0"), digest("md5", &[7; 16]));
    assert_eq!(KnownSet::from_bytes(file.clone()).unwrap().agreeing(&[md5]).unwrap(), [0, 1, 2]);
    // Numbers of two bits, of which the first becomes 3.
    file[at] |= 3;
    let set = KnownSet::from_bytes(file).unwrap();
    assert_eq!(set.agreeing(&[md5]).unwrap(), [1, 2]);
    assert_eq!(set.entries_of(&md5).unwrap(), [1, 2]);
}

/// Otherwise whoever goes through all entries would never end, or have no memory for them.
#[test]
fn a_set_has_no_more_entries_than_digests() {
    let whole = build_of_one_md5(3);
    let at = offset_of(&whole, b"shapes\0\0");
    let with = |place: usize, number: u64| {
        let mut file = whole.clone();
        file[at + 8 * place..][..8].copy_from_slice(&number.to_le_bytes());
        file
    };
    // The tables of the only shape and its first entry, and after a zero the number of all entries.
    assert!(KnownSet::from_bytes(with(0, 3)).is_ok() && KnownSet::from_bytes(with(3, 3)).is_ok());
    for (place, number) in [(0, 0), (0, 1), (0, 2), (0, 7), (1, 1), (1, 4), (3, 2), (3, 4), (3, 1 << 60)] {
        assert_eq!(refusal(with(place, number)), OpenError::Damaged.to_string(), "{place}: {number}");
    }
    let mut empty = build(&["md5"], 1 << 20, &[]);
    assert!(KnownSet::from_bytes(empty.clone()).is_ok());
    let at = offset_of(&empty, b"shapes\0\0");
    empty[at + 8..at + 16].copy_from_slice(&(1_u64 << 60).to_le_bytes());
    assert_eq!(refusal(empty), OpenError::Damaged.to_string());
}

#[test]
fn errors_say_what_to_do() {
    let file = build(&["md5"], 1 << 20, &[]);
    let mut changed = file.clone();
    changed[file.len() - FOOTER_BYTES + 16] = 4;
    // The check over the footer comes first: a changed version alone is damage.
    assert_eq!(refusal(changed), OpenError::Damaged.to_string());
    assert_eq!(
        refusal(with_footer(&file, |footer| footer[16] = 4)),
        "the set is of version 4, and this program reads versions 1 to 3"
    );
    assert!(OpenError::Damaged.to_string().ends_with("build or copy it again"));
}
