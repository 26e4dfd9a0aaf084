//! Entries with several digests, classes, deletions and what is kept beside digests; sets that lose their file.

#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::time::SystemTime;

use pfh_digest::{Algorithm, Digest};
use pfh_known::{
    ALGORITHMS_MAX, Class, ClassifiedSet, Classifier, Keep, KnownSet, OpenError, Origin, Row, SetBuilder, Text,
};
use pfh_testing::Random;

fn digest(name: &str, text: &str) -> Digest {
    Algorithm::from_name(name).unwrap().digest(text.as_bytes())
}

fn all() -> Vec<Algorithm> {
    ["md5", "sha1", "sha256"].map(|name| Algorithm::from_name(name).unwrap()).to_vec()
}

fn keep() -> Keep {
    let mut keep = Keep::default();
    (keep.size, keep.name, keep.product, keep.category, keep.digests) = (true, true, true, true, true);
    keep
}

fn origin(name: &str, class: Class) -> Origin {
    let mut origin = Origin::default();
    (origin.name, origin.class) = (name.to_owned(), class);
    origin
}

fn finish(builder: SetBuilder) -> KnownSet {
    let mut file = Vec::new();
    builder.write(&mut file, "a test").unwrap();
    let set = KnownSet::from_bytes(file).unwrap();
    assert!(set.is_intact().unwrap());
    set
}

/// Files whose rows have digests of some of the algorithms: every answer is that of a search through all rows.
#[test]
fn entries_agree_with_a_model() {
    for memory_bytes in [0, 64 << 20] {
        let mut random = Random::new(7);
        let mut builder = SetBuilder::new(&all(), keep(), memory_bytes);
        // Of each entry, its facts.
        let mut model: BTreeMap<(usize, usize), (u64, String)> = BTreeMap::new();
        let of_file = |file: usize, shape: usize| -> Vec<Digest> {
            let names = ["md5", "sha1", "sha256"].into_iter().enumerate();
            names.filter(|(bit, _)| shape >> bit & 1 == 1).map(|(_, name)| digest(name, &file.to_string())).collect()
        };
        for source in 0..3 {
            builder.begin_source(origin(&format!("source {source}"), Class::Good)).unwrap();
            for _ in 0..4000 {
                let [one, two] = [0, 8].map(|at| u64::from_le_bytes(random.bytes(8)[..].try_into().unwrap()) >> at);
                let (file, shape) = (one as usize % 3000, 1 + two as usize % 7);
                let size = file as u64 * 10;
                let name = format!("{}\0{}", file % 5, file);
                let row = Row {
                    digests: &of_file(file, shape),
                    size: Some(size),
                    name: name.as_bytes(),
                    product: b"product",
                    category: b"",
                    package: 0,
                };
                assert!(builder.push(&row).unwrap());
                model.insert((file, shape), (size, name));
            }
        }
        let set = finish(builder);
        assert_eq!((set.entries(), set.about().rows), (model.len() as u64, 12_000));
        assert_eq!(set.about().sources.iter().map(|source| source.entries).sum::<u64>(), set.entries());
        assert_eq!(set.needed_algorithms().len(), 3);
        for file in 0..3100 {
            let digests = of_file(file, 7);
            let agreeing = set.agreeing(&digests).unwrap();
            let expected = (1..8).filter(|shape| model.contains_key(&(file, *shape))).count();
            assert_eq!(agreeing.len(), expected, "{file}");
            for entry in agreeing {
                let own = set.digests(entry).unwrap();
                assert!(!own.is_empty() && own.iter().all(|digest| digests.contains(digest)));
                let name = format!("{}\0{}", file % 5, file);
                assert_eq!(set.text(Text::Name, entry).unwrap(), name.as_bytes());
                assert_eq!(set.text(Text::Product, entry).unwrap(), b"product");
                assert_eq!(set.text(Text::Category, entry).unwrap(), b"");
                assert_eq!(set.size(entry).unwrap(), Some(file as u64 * 10));
            }
            // A file whose MD5 is known and whose SHA-256 is another is not the known file.
            let forged = [digest("md5", &file.to_string()), digest("sha256", "other")];
            let alone = (1..8).filter(|shape| shape & 5 == 1 && model.contains_key(&(file, *shape))).count();
            assert_eq!(set.agreeing(&forged).unwrap().len(), alone, "{file}");
            for (asked, entries) in [(&digests[..], expected), (&forged[..], alone)] {
                assert_eq!(set.has_agreeing(asked).unwrap(), entries > 0, "{file}");
            }
        }
        for size in 0..30_100 {
            let expected = size % 10 == 0 && (1..8).any(|shape| model.contains_key(&(size as usize / 10, shape)));
            assert_eq!(set.may_have_size(size).unwrap(), expected, "{size}");
        }
    }
}

/// The same rows give the same bytes, whatever memory there is.
#[test]
fn a_set_depends_on_its_rows_only() {
    let build = |memory_bytes| {
        let mut builder = SetBuilder::new(&all(), keep(), memory_bytes);
        builder.begin_source(Origin::default()).unwrap();
        for number in 0..9000_u64 {
            let name = format!("file {}", number % 100);
            let digests = [digest("md5", &number.to_string()), digest("sha1", &number.to_string())];
            let row = Row { digests: &digests, size: Some(number % 50), name: name.as_bytes(), ..Row::default() };
            builder.push(&row).unwrap();
        }
        let mut file = Vec::new();
        builder.write(&mut file, "a test").unwrap();
        file
    };
    assert!(build(0) == build(1 << 30));
}

#[test]
fn one_trusted_digest_is_enough() {
    for (names, needed) in
        [(&["md5", "sha1", "sha256"][..], &["sha256"][..]), (&["md5", "sha1"], &["sha1", "md5"]), (&["md5"], &["md5"])]
    {
        let mut builder = SetBuilder::new(&all(), Keep::default(), 1 << 20);
        builder.begin_source(Origin::default()).unwrap();
        let digests: Vec<Digest> = names.iter().map(|name| digest(name, "x")).collect();
        builder.push(&Row { digests: &digests, ..Row::default() }).unwrap();
        let set = finish(builder);
        let found: Vec<&str> = set.needed_algorithms().iter().map(|algorithm| algorithm.name()).collect();
        assert_eq!(found, needed);
        assert!(set.may_have_size(1).unwrap() && !set.has_sizes(), "without sizes, any may be");
    }
}

#[test]
fn bad_beats_good_within_a_set() {
    let mut builder = SetBuilder::new(&all(), keep(), 1 << 20);
    for (name, class, files) in [("nsrl", Class::Good, ["a", "b"]), ("case", Class::Bad, ["b", "c"])] {
        builder.begin_source(origin(name, class)).unwrap();
        for file in files {
            let name = format!("{file} of {name}");
            builder.push(&Row { digests: &[digest("md5", file)], name: name.as_bytes(), ..Row::default() }).unwrap();
        }
    }
    let set = finish(builder);
    let found = ["a", "b", "c"].map(|file| {
        let [entry] = set.agreeing(&[digest("md5", file)]).unwrap()[..] else { panic!("{file}") };
        let source = &set.about().sources[set.source(entry).unwrap()];
        (source.class, String::from_utf8(set.text(Text::Name, entry).unwrap()).unwrap())
    });
    let expected = [(Class::Good, "a of nsrl"), (Class::Bad, "b of case"), (Class::Bad, "c of case")];
    assert_eq!(found, expected.map(|(class, name)| (class, name.to_owned())));
    assert_eq!(
        set.about().sources.iter().map(|source| (source.rows, source.entries)).collect::<Vec<_>>(),
        [(2, 1), (2, 2)]
    );
}

/// An entry is gone when all of its rows are, and comes back with a later one.
#[test]
fn rows_are_deleted_and_added_in_order() {
    let mut builder = SetBuilder::new(&all(), keep(), 1 << 20);
    builder.expect_deletions();
    let name = |file: &str, product: &str| format!("{file} of {product}");
    let change = |builder: &mut SetBuilder, adds: bool, file: &str, product: &str| {
        let name = name(file, product);
        let digests = [digest("md5", file), digest("sha1", file)];
        let row = Row {
            digests: &digests,
            size: Some(1),
            name: name.as_bytes(),
            product: product.as_bytes(),
            category: b"",
            package: product.len() as i64 * 256 + i64::from(product.as_bytes()[0]),
        };
        if adds { builder.push(&row) } else { builder.delete(&row) }.unwrap();
    };
    let base = builder.begin_source(origin("base", Class::Good)).unwrap();
    for file in ["a", "b", "c", "d"] {
        change(&mut builder, true, file, "one");
        change(&mut builder, true, file, "two");
    }
    builder.begin_delta(origin("first delta", Class::Good), base).unwrap();
    for (file, product) in [("a", "one"), ("a", "two"), ("b", "one"), ("d", "one"), ("d", "two"), ("x", "one")] {
        change(&mut builder, false, file, product);
    }
    builder.begin_delta(origin("second delta", Class::Good), base).unwrap();
    change(&mut builder, true, "d", "two");
    change(&mut builder, true, "e", "one");
    let set = finish(builder);
    let found = ["a", "b", "c", "d", "e", "x"].map(|file| {
        let entries = set.agreeing(&[digest("md5", file)]).unwrap();
        entries.first().map(|entry| {
            let name = String::from_utf8(set.text(Text::Name, *entry).unwrap()).unwrap();
            (name, set.source(*entry).unwrap())
        })
    });
    let known = |file, product, source| Some((name(file, product), source));
    assert_eq!(
        found,
        [None, known("b", "two", 0), known("c", "one", 0), known("d", "two", 2), known("e", "one", 2), None]
    );
    assert_eq!(set.entries(), 4);
}

/// Two files may have the same MD5, name and size. A set that keeps nothing else still deletes the right one.
#[test]
fn a_deleted_row_is_told_by_digests_that_the_set_does_not_keep() {
    let mut builder = SetBuilder::new(&[Algorithm::from_name("md5").unwrap()], keep(), 1 << 20);
    builder.expect_deletions();
    let change = |builder: &mut SetBuilder, adds: bool, file: &str| {
        let digests = [digest("md5", "the same"), digest("sha256", file)];
        let row = Row { digests: &digests, size: Some(1), name: b"name", package: 7, ..Row::default() };
        if adds { builder.push(&row) } else { builder.delete(&row) }.unwrap();
    };
    let base = builder.begin_source(origin("base", Class::Good)).unwrap();
    for file in ["one", "other"] {
        change(&mut builder, true, file);
    }
    builder.begin_delta(origin("delta", Class::Good), base).unwrap();
    change(&mut builder, false, "one");
    assert_eq!(finish(builder).entries(), 1);
}

/// Of a digest that many entries have, those count that agree with the others; the sets differ by which digests
/// their entries have.
#[test]
fn entries_of_a_common_digest_are_told_apart() {
    let mut builder = SetBuilder::new(&all(), keep(), 1 << 20);
    builder.begin_source(origin("list", Class::Bad)).unwrap();
    let (common, files) = (digest("md5", "common"), 0..300_u32);
    for file in files.clone() {
        let own = [digest("sha1", &file.to_string()), digest("sha256", &file.to_string())];
        for digests in [&[common, own[0]][..], &[common, own[0], own[1]], &own[1..]] {
            builder.push(&Row { digests, size: Some(1), name: b"", ..Row::default() }).unwrap();
        }
    }
    builder.push(&Row { digests: &[common], size: Some(1), name: b"", ..Row::default() }).unwrap();
    let set = finish(builder);
    let entries = |digests: &[Digest]| -> Vec<usize> {
        let found = set.agreeing(digests).unwrap();
        assert!(found.is_sorted());
        // By the number of their digests.
        let mut shapes = vec![0; 4];
        found.iter().for_each(|entry| shapes[set.algorithms_of(*entry) as usize] += 1);
        shapes
    };
    for file in files.step_by(37).map(|file| file.to_string()) {
        let (sha1, sha256, other) = (digest("sha1", &file), digest("sha256", &file), digest("sha256", "other"));
        assert_eq!(entries(&[common]), [0, 1, 300, 300]);
        assert_eq!(entries(&[common, sha1]), [0, 1, 1, 1]);
        assert_eq!(entries(&[sha256]), [0, 1, 0, 1]);
        assert_eq!(entries(&[sha256, common, sha1]), [0, 2, 1, 1]);
        assert_eq!(entries(&[other, sha1]), [0, 0, 1, 0]);
        assert_eq!(entries(&[digest("md5", "other"), sha1]), [0, 0, 0, 0]);
    }
}

/// A row that moves from one base to another is deleted from the one only.
#[test]
fn a_delta_changes_its_own_base_only() {
    let mut builder = SetBuilder::new(&all(), keep(), 1 << 20);
    builder.expect_deletions();
    let change = |builder: &mut SetBuilder, adds: bool, file: &str| {
        let digests = [digest("md5", file), digest("sha1", file)];
        let row = Row { digests: &digests, size: Some(1), name: file.as_bytes(), package: 7, ..Row::default() };
        if adds { builder.push(&row) } else { builder.delete(&row) }.unwrap();
    };
    let legacy = builder.begin_source(origin("legacy", Class::Good)).unwrap();
    for file in ["kept", "gone", "from legacy"] {
        change(&mut builder, true, file);
    }
    builder.begin_delta(origin("delta of legacy", Class::Good), legacy).unwrap();
    change(&mut builder, false, "gone");
    change(&mut builder, false, "from legacy");
    change(&mut builder, true, "to legacy");
    let modern = builder.begin_source(origin("modern", Class::Good)).unwrap();
    for file in ["kept", "gone", "to legacy"] {
        change(&mut builder, true, file);
    }
    builder.begin_delta(origin("delta of modern", Class::Good), modern).unwrap();
    for file in ["kept", "gone", "to legacy"] {
        change(&mut builder, false, file);
    }
    change(&mut builder, true, "from legacy");
    // A later delta of the first base.
    builder.begin_delta(origin("another delta of legacy", Class::Good), legacy).unwrap();
    change(&mut builder, true, "gone");
    let set = finish(builder);
    let found = ["kept", "gone", "from legacy", "to legacy"].map(|file| {
        let entries = set.agreeing(&[digest("md5", file)]).unwrap();
        entries.first().map(|entry| set.source(*entry).unwrap())
    });
    assert_eq!(found, [Some(0), Some(4), Some(3), Some(1)]);
}

#[test]
fn an_algorithm_that_is_named_twice_has_one_table() {
    let algorithms = ["sha256", "blake3", "sha256"].map(|name| Algorithm::from_name(name).unwrap());
    let mut builder = SetBuilder::new(&algorithms, keep(), 1 << 20);
    builder.begin_source(Origin::default()).unwrap();
    let rows: Vec<[Digest; 2]> =
        (0..3000).map(|number: u32| ["sha256", "blake3"].map(|name| digest(name, &number.to_string()))).collect();
    for digests in &rows {
        assert!(builder.push(&Row { digests, ..Row::default() }).unwrap());
    }
    let set = finish(builder);
    let tables: Vec<(&str, u64)> = set.algorithms().map(|algorithm| (algorithm.name(), set.len(algorithm))).collect();
    assert_eq!((set.entries(), tables), (3000, vec![("sha256", 3000), ("blake3", 3000)]));
    for digests in &rows {
        let [entry] = set.agreeing(digests).unwrap()[..] else { panic!("{digests:?}") };
        assert_eq!(set.digests(entry).unwrap(), digests);
        assert!(digests.iter().all(|digest| set.entries_of(digest).unwrap() == [entry]));
    }
}

/// A set with all algorithms and facts has more sections than its footer has room for.
#[test]
fn a_set_of_all_algorithms_is_opened() {
    const NAMES: [&str; ALGORITHMS_MAX] = [
        "md5",
        "sha1",
        "sha224",
        "sha256",
        "sha384",
        "sha512",
        "sha3-256",
        "sha3-512",
        "blake2b",
        "blake3",
        "tiger",
        "whirlpool",
    ];
    const FOOTER_BYTES: usize = 4096;
    let algorithms = NAMES.map(|name| Algorithm::from_name(name).unwrap());
    let rows: Vec<_> = (0..2100_u32).map(|file| NAMES.map(|name| digest(name, &file.to_string()))).collect();
    // With five algorithms, and with all of them in one shape and in two.
    for (used, shapes, version, sections) in [(5, 1, 1, 37), (12, 1, 3, 72), (12, 2, 3, 74)] {
        let mut builder = SetBuilder::new(&algorithms[..used], keep(), 64 << 20);
        for (source, part) in rows.chunks(1200).enumerate() {
            builder.begin_source(origin(&format!("source {source}"), Class::Good)).unwrap();
            for digests in part {
                let row =
                    Row { digests, size: Some(7), name: b"name", product: b"product", category: b"c", package: 0 };
                assert!(builder.push(&row).unwrap());
            }
        }
        if shapes == 2 {
            builder.push(&Row { digests: &rows[0][..1], size: Some(7), ..Row::default() }).unwrap();
        }
        let mut file = Vec::new();
        builder.write(&mut file, "a test").unwrap();
        let footer = file.len() - FOOTER_BYTES;
        assert_eq!((file[footer + 16], file[footer + 20]), (version, sections), "{used}, {shapes}");
        let set = KnownSet::from_bytes(file.clone()).unwrap();
        assert!(set.is_intact().unwrap());
        assert_eq!((set.entries(), set.algorithms().count()), (2100 + shapes - 1, used));
        for digests in &rows {
            let Some(&entry) = set.agreeing(digests).unwrap().last() else { panic!("{digests:?}") };
            let own = set.digests(entry).unwrap();
            assert!(own.len() == used && own.iter().all(|digest| digests.contains(digest)));
            assert_eq!(set.size(entry).unwrap(), Some(7));
            assert_eq!(set.text(Text::Product, entry).unwrap(), b"product");
        }
        if version == 3 {
            // The entries before the footer are checked as its own sections are.
            file[footer - 1] ^= 1;
            assert!(matches!(KnownSet::from_bytes(file), Err(OpenError::Damaged)));
        }
    }
}

/// A size is stored plus one, which may take a byte more.
#[test]
fn the_largest_size_is_kept() {
    for largest in [0, 254, 255, 256, 65_534, 65_535, 65_536, 4_294_967_294, 4_294_967_295_u64] {
        let mut builder = SetBuilder::new(&all(), keep(), 1 << 20);
        builder.begin_source(Origin::default()).unwrap();
        let files = [("none", None), ("empty", Some(0)), ("largest", Some(largest))];
        for (file, size) in files {
            builder.push(&Row { digests: &[digest("md5", file)], size, ..Row::default() }).unwrap();
        }
        let set = finish(builder);
        for (file, size) in files {
            let [entry] = set.agreeing(&[digest("md5", file)]).unwrap()[..] else { panic!("{file}") };
            assert_eq!(set.size(entry).unwrap(), size, "{file} of {largest}");
        }
    }
}

/// A file that is truncated under an open set is an error, not the end of the program.
#[test]
fn a_set_that_loses_its_file_says_so() {
    let mut builder = SetBuilder::new(&all(), Keep::default(), 1 << 20);
    builder.begin_source(Origin::default()).unwrap();
    let digests: Vec<Digest> = (0..20_000).map(|number| digest("sha256", &number.to_string())).collect();
    for digest in &digests {
        builder.push(&Row { digests: &[*digest], ..Row::default() }).unwrap();
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut bytes = Vec::new();
    builder.write(&mut bytes, "a test").unwrap();
    fs::write(file.path(), &bytes).unwrap();
    let set = KnownSet::open(file.path()).unwrap();
    assert!(set.find(&digests[0]).unwrap().is_some());
    file.as_file().set_len(1 << 16).unwrap();
    let mut found = 0;
    let looked_up = set.find_many(&digests, |_, number| found += usize::from(number.is_some()));
    assert!(looked_up.unwrap_err().to_string().contains("truncated"));
    assert!(found < digests.len());
    assert!(set.is_intact().is_err() && set.find(&digests[0]).is_err());
    // Another set in the same process is not concerned.
    fs::write(file.path(), &bytes).unwrap();
    assert!(KnownSet::open(file.path()).unwrap().is_intact().unwrap());
}

/// A file that is written to in place is an error for good: the old footer does not describe the new bytes.
#[test]
fn a_set_that_is_overwritten_in_place_says_so() {
    let set_of = |first: u64| {
        let mut builder = SetBuilder::new(&all(), Keep::default(), 1 << 20);
        builder.begin_source(Origin::default()).unwrap();
        for number in first..first + 1000 {
            builder.push(&Row { digests: &[digest("sha256", &number.to_string())], ..Row::default() }).unwrap();
        }
        let mut bytes = Vec::new();
        builder.write(&mut bytes, "a test").unwrap();
        bytes
    };
    let (before, after) = (set_of(0), set_of(1000));
    // Of the same length, so that no page is lost.
    assert_eq!(before.len(), after.len());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("set");
    fs::write(&path, &before).unwrap();
    // Filesystems may keep times too coarsely to tell two moments of a test apart.
    let set_time_back = || {
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    };
    set_time_back();
    let open = || KnownSet::open(&path).unwrap();
    let (known, other) = (digest("sha256", "1"), digest("sha256", "1001"));
    // A set that is replaced by renaming stays as it was, and so does one that only gets another name.
    let set = open();
    fs::hard_link(&path, directory.path().join("link")).unwrap();
    fs::write(directory.path().join("next"), &after).unwrap();
    fs::rename(directory.path().join("next"), &path).unwrap();
    set.check_unchanged().unwrap();
    assert!(set.find(&known).unwrap().is_some() && set.find(&other).unwrap().is_none());
    set_time_back();
    let set = open();
    assert!(set.find(&other).unwrap().is_some());
    set.check_unchanged().unwrap();
    fs::File::options().write(true).open(&path).unwrap().write_all(&before).unwrap();
    let changed = set.check_unchanged().unwrap_err().to_string();
    assert!(changed.contains("overwritten") && changed.contains("`mv`"), "{changed}");
    assert!(set.find(&other).is_err() && set.find_many(&[other], |_, _| {}).is_err() && set.is_intact().is_err());
    // The answers between were not made right by what is there now.
    fs::write(&path, &after).unwrap();
    set_time_back();
    assert!(set.check_unchanged().is_err());
    let mut classifier = Classifier::default();
    for set in [open(), set] {
        classifier.push(ClassifiedSet { name: b"a set".to_vec(), class: None, set });
    }
    assert_eq!(classifier.check_unchanged().unwrap_err().to_string(), format!("a set: {changed}"));
}

/// Digests of sets with links lack their first bytes: one byte of each in sets of thousands, two in larger ones.
#[test]
fn digests_without_their_first_bytes_are_found() {
    let algorithms = ["md5", "sha1", "xxh64"].map(|name| Algorithm::from_name(name).unwrap());
    for (count, kept) in [(3000, true), (530_000, false)] {
        let mut random = Random::new(count);
        let mut make = |number: u64| {
            algorithms.map(|algorithm| {
                let mut bytes = random.bytes(algorithm.digest_bytes());
                match number % 16 {
                    // Many that begin alike, and those at both ends.
                    0 => bytes[..4].fill(0),
                    1 => bytes[..4].fill(0xff),
                    2 => bytes[..2].copy_from_slice(&[0x12, 0x34]),
                    _ => {}
                }
                Digest::new(algorithm, &bytes).unwrap()
            })
        };
        let rows: Vec<[Digest; 3]> = (0..count).map(&mut make).collect();
        let others: Vec<[Digest; 3]> = (0..20_000).map(&mut make).collect();
        let mut keep = Keep::default();
        keep.digests = kept;
        let mut builder = SetBuilder::new(&algorithms, keep, 64 << 20);
        builder.begin_source(Origin::default()).unwrap();
        for digests in &rows {
            builder.push(&Row { digests, ..Row::default() }).unwrap();
        }
        let set = finish(builder);
        for (place, algorithm) in algorithms.into_iter().enumerate() {
            let mut expected: Vec<Digest> = rows.iter().map(|row| row[place]).collect();
            expected.sort_unstable_by(|one, other| one.bytes().cmp(other.bytes()));
            let mut found = Vec::new();
            set.each(algorithm, |_, bytes| {
                found.push(Digest::new(algorithm, bytes).unwrap());
                Ok(())
            })
            .unwrap();
            assert!(found == expected, "{algorithm:?}");
            let mut number = 0;
            set.find_many(&expected, |_, found| {
                assert_eq!(found, Some(number));
                number += 1;
            })
            .unwrap();
            let unknown: Vec<Digest> = others.iter().map(|row| row[place]).collect();
            set.find_many(&unknown, |digest, found| assert_eq!(found, None, "{digest:?}")).unwrap();
        }
        // Each digest leads to the entry with the others.
        for row in rows.iter().step_by(50) {
            let [entry] = set.entries_of(&row[0]).unwrap()[..] else { panic!("{row:?}") };
            assert!(row[1..].iter().all(|digest| set.entries_of(digest).unwrap() == [entry]));
            assert_eq!(set.agreeing(row).unwrap(), [entry]);
            assert!(!kept || set.digests(entry).unwrap().iter().all(|digest| row.contains(digest)));
        }
        let forged = [rows[0][0], rows[1][1]];
        assert!(set.agreeing(&forged).unwrap().is_empty());
    }
}

/// At most 1.06 times the digests, although each entry has links of 2 x 16 bits.
#[test]
fn links_take_little() {
    let mut builder = SetBuilder::new(&all(), Keep::default(), 64 << 20);
    builder.begin_source(Origin::default()).unwrap();
    let count = 50_000;
    for number in 0..count {
        let digests = ["md5", "sha1", "sha256"].map(|name| digest(name, &format!("{number}")));
        builder.push(&Row { digests: &digests, ..Row::default() }).unwrap();
    }
    let (bytes, digests_bytes) = (finish(builder).file_bytes(), count * (16 + 20 + 32));
    assert!(bytes * 100 < digests_bytes * 106, "{bytes} of {digests_bytes}");
}
