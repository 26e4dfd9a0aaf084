//! The classes of files: by example, and against a naive comparison in memory.
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use pfh_digest::Algorithm;
use pfh_fixity::{Class, Comparison, Expectations, File, Finding, Found, Presence, State, Totals};
use pfh_list::FileIdentity;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const LEFT_OUT: Presence = Presence::File { identity: FileIdentity::new(1, 1), is_left_out: true };

fn algorithm(name: &str) -> Algorithm {
    Algorithm::from_name(name).unwrap()
}

/// A file with these contents.
fn file(path: &str, contents: &str, algorithms: &[&str]) -> File {
    let digests = algorithms.iter().map(|name| algorithm(name).digest(contents.as_bytes())).collect();
    let mut file = File::new(path);
    (file.size, file.digests) = (Some(contents.len() as u64), digests);
    file
}

fn sha256(path: &str, contents: &str) -> File {
    file(path, contents, &["sha256"])
}

fn hashed(file: File) -> Found {
    Found { file, state: State::Hashed }
}

/// The order of a walk.
fn sorted(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by(|one, other| {
        let components = |found: &Found| -> Vec<Vec<u8>> {
            found.file.path.split(|byte| *byte == b'/').map(<[u8]>::to_vec).collect()
        };
        components(one).cmp(&components(other))
    });
    found
}

fn compare_with(
    expected: &[File],
    found: Vec<Found>,
    memory_bytes: u64,
    look: &mut (dyn FnMut(&[u8]) -> Presence + Send),
) -> (Totals, Vec<Finding>) {
    let mut expectations = Expectations::new(memory_bytes);
    for file in expected {
        expectations.push(file).unwrap().unwrap();
    }
    let mut comparison = Comparison::new(expectations.sorted().unwrap(), true, memory_bytes).unwrap();
    for found in sorted(found) {
        comparison.found(found).unwrap();
    }
    let findings = comparison.finish(look).unwrap();
    let (totals, mut all) = (*findings.totals(), Vec::new());
    findings
        .into_each(|finding| {
            all.push(finding.clone());
            Ok(())
        })
        .unwrap();
    (totals, all)
}

fn compare(expected: &[File], found: Vec<Found>) -> Vec<String> {
    let (_, findings) = compare_with(expected, found, 1 << 20, &mut |_| Presence::Gone);
    told_of(&findings)
}

fn told_of(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(told).collect()
}

/// A finding in a line.
fn told(finding: &Finding) -> String {
    let path =
        |file: &Option<File>| file.as_ref().map_or("-".into(), |file| String::from_utf8_lossy(&file.path).into_owned());
    let Finding { class, expected, found, reason, .. } = finding;
    format!("{class} {} {} {reason}", path(expected), path(found)).trim_end().to_owned()
}

#[test]
fn each_class() {
    let expected = [
        sha256("same", "1"),
        sha256("other", "22"),
        sha256("longer", "333"),
        sha256("old/name", "4444"),
        sha256("original", "55555"),
        sha256("lost", "666666"),
        sha256("locked", "7777777"),
        file("no digest", "88888888", &[]),
    ];
    let unreadable = Found { file: File::new("locked"), state: State::Unreadable("permission denied".into()) };
    let found = vec![
        hashed(sha256("same", "1")),
        hashed(sha256("other", "23")),
        hashed(sha256("longer", "3333")),
        hashed(sha256("new/name", "4444")),
        hashed(sha256("original", "55555")),
        hashed(sha256("copy", "55555")),
        hashed(sha256("added", "999999999")),
        unreadable,
        hashed(sha256("no digest", "88888888")),
    ];
    assert_eq!(
        compare(&expected, found),
        [
            "changed longer longer size 4 instead of 3",
            "changed other other other sha256",
            "missing lost -",
            "unreadable locked locked permission denied",
            "moved old/name new/name",
            "copied original copy",
            "new - added",
            "not-checked no digest no digest the list has no digest of it",
            "matched original original",
            "matched same same",
        ]
    );
}

#[test]
fn an_empty_file_is_never_moved_or_copied() {
    let found = vec![hashed(sha256("new", "")), hashed(sha256("there", ""))];
    let told = compare(&[sha256("gone", ""), sha256("there", "")], found);
    assert_eq!(told, ["missing gone -", "new - new", "matched there there"]);
}

#[test]
fn only_names_that_are_gone_were_moved() {
    // The old name is still there, with other contents.
    let found = vec![hashed(sha256("a", "y")), hashed(sha256("b", "x"))];
    assert_eq!(compare(&[sha256("a", "x")], found), ["changed a a other sha256", "new - b"]);
    // It is there, and was not followed.
    let mut look = |path: &[u8]| match path {
        b"link" => Presence::NotFollowed("it is a symbolic link".into()),
        b"directory" => Presence::NoFile("it is a directory".into()),
        _ => Presence::Unknown("no answer".into()),
    };
    let expected = [sha256("link", "x"), sha256("directory", "y"), sha256("slow", "z")];
    let found = vec![hashed(sha256("b", "x")), hashed(sha256("c", "y")), hashed(sha256("d", "z"))];
    let (totals, findings) = compare_with(&expected, found, 1 << 20, &mut look);
    assert_eq!((totals.files.of(Class::NotChecked), totals.not_comparable), (1, 1));
    assert_eq!(
        findings.iter().map(told).collect::<Vec<_>>(),
        [
            "changed directory - it is a directory",
            "unreadable slow - no answer",
            "new - b",
            "new - c",
            "new - d",
            "not-checked link - it is a symbolic link",
        ]
    );
}

#[test]
fn pairs_are_one_to_one_and_prefer_the_name() {
    let expected = [sha256("a/one", "x"), sha256("a/two", "x"), sha256("a/three", "x")];
    let found = vec![hashed(sha256("b/two", "x")), hashed(sha256("b/zero", "x"))];
    assert_eq!(compare(&expected, found), ["missing a/three -", "moved a/two b/two", "moved a/one b/zero"]);
    let found = ["c", "d", "e", "f"].map(|path| hashed(sha256(path, "x")));
    assert_eq!(compare(&expected[..2], found.to_vec()), ["moved a/one c", "moved a/two d", "copied c e", "copied c f"]);
}

#[test]
fn any_digest_that_differs_is_a_change() {
    let both = &["md5", "sha1"];
    let mut mixed = file("a", "x", both);
    mixed.digests[1] = algorithm("sha1").digest(b"y");
    assert_eq!(compare(&[mixed.clone()], vec![hashed(file("a", "x", both))]), ["changed a a other sha1"]);
    // Nor is it a move.
    mixed.path = b"b".to_vec();
    assert_eq!(compare(&[mixed], vec![hashed(file("a", "x", both))]), ["missing b -", "new - a"]);
}

#[test]
fn lines_of_the_same_file_are_one() {
    let lines = [file("a", "x", &["md5"]), file("./a", "x", &["sha1"]), file("a", "x", &["md5"])];
    let found = || vec![hashed(file("a", "x", &["md5", "sha1"]))];
    assert_eq!(compare(&lines, found()), ["matched a a"]);
    let lines = [file("a", "x", &["md5"]), file("a", "y", &["md5"])];
    for order in [[0, 1], [1, 0]] {
        let lines = order.map(|place: usize| lines[place].clone());
        assert!(compare(&lines, found())[0].starts_with("changed a a "));
    }
    let mut sizes = [file("a", "x", &["md5"]), file("a", "x", &["md5"])];
    sizes[1].size = Some(2);
    assert!(compare(&sizes, found())[0].starts_with("changed a a "));
}

#[test]
fn directories_that_cannot_be_listed_lose_nothing() {
    let closed = || Found { file: File::new("closed"), state: State::NotListed("permission denied".into()) };
    let expected = [sha256("closed/a/b", "x"), sha256("closed/c", "y"), sha256("closed-not", "z")];
    let found = vec![closed(), hashed(sha256("new", "x"))];
    let (totals, findings) = compare_with(&expected, found, 1 << 20, &mut |_| Presence::Gone);
    assert_eq!(
        told_of(&findings),
        [
            "missing closed-not -",
            "unreadable - closed the directory cannot be listed: permission denied",
            "unreadable closed/a/b - permission denied",
            "unreadable closed/c - permission denied",
            "new - new",
        ]
    );
    // It is no file, and counts as none.
    let directories: Vec<_> = findings.iter().filter(|finding| finding.is_directory).map(Finding::path).collect();
    assert_eq!((directories, totals.directories, totals.unknown()), (vec![&b"closed"[..]], 1, 3));
    assert_eq!((totals.expected.all(), totals.found.all(), totals.files.of(Class::Unreadable)), (3, 1, 2));
    // Neither is it the file that was expected at its path, nor passed over where its path is too long.
    let deep = vec!["deep"; 4000].join("/");
    for path in ["closed", &deep] {
        let found = vec![Found { file: File::new(path), ..closed() }];
        let no_file = &mut |_: &[u8]| Presence::NoFile("it is a directory now".to_owned());
        let (totals, findings) = compare_with(&[sha256("closed", "x")], found, 1 << 20, no_file);
        assert_eq!(told_of(&findings)[0], "changed closed - it is a directory now");
        assert_eq!((findings.len(), totals.directories, totals.found.all()), (2, 1, 0));
    }
}

/// A root that cannot be listed has a name, and tells nothing of the files below it.
#[test]
fn the_root_may_be_unreadable() {
    let root = Found { file: File::new(""), state: State::NotListed("denied".to_owned()) };
    let (totals, findings) = compare_with(&[sha256("a", "1")], vec![root], 1 << 20, &mut |_| LEFT_OUT);
    let findings: Vec<String> = findings.iter().map(told).collect();
    assert_eq!(findings, ["unreadable - . the directory cannot be listed: denied", "unreadable a - denied"]);
    assert_eq!((totals.files.of(Class::Unreadable), totals.found.all(), totals.directories), (1, 0, 1));
}

/// Of names and sizes, those that are there count; of contents, those that were read.
#[test]
fn what_was_verified_is_counted() {
    let unread = |path: &str| Found { file: sha256(path, "1"), state: State::NotHashed };
    let expected = [sha256("a", "1"), sha256("b", "1"), sha256("c", "1")];
    let of = |found: Vec<Found>| {
        let (totals, _) = compare_with(&expected, found, 1 << 20, &mut |_| LEFT_OUT);
        [totals.verified(false), totals.verified(true)]
    };
    assert_eq!(of(vec![]), [0, 0]);
    assert_eq!(of(vec![hashed(sha256("a", "1")), unread("b")]), [1, 2]);
}

/// Sizes that a list does not state were not compared.
#[test]
fn compared_sizes_are_counted() {
    let without = |path: &str| File { size: None, ..sha256(path, "1") };
    let unread = |path: &str| Found { file: sha256(path, "1"), state: State::NotHashed };
    let expected = [sha256("a", "1"), without("b"), sha256("c", "22"), sha256("d", "1"), without("e")];
    let found = vec![unread("a"), unread("b"), unread("c"), hashed(sha256("d", "1")), hashed(sha256("e", "1"))];
    let (totals, _) = compare_with(&expected, found, 1 << 20, &mut |_| Presence::Gone);
    assert_eq!((totals.verified(true), totals.sized, totals.files.of(Class::Changed)), (4, 2, 1));
}

#[test]
fn letters_may_be_composed_otherwise() {
    let (composed, decomposed) = ("d\u{e9}j\u{e0}", "de\u{301}ja\u{300}");
    let reason = "the list composes letters of its name otherwise";
    for (listed, found) in [(composed, decomposed), (decomposed, composed)] {
        assert_eq!(
            compare(&[sha256(listed, "x")], vec![hashed(sha256(found, "x"))]),
            [format!("matched {listed} {found} {reason}")]
        );
        assert_eq!(
            compare(&[sha256(listed, "x")], vec![hashed(sha256(found, "y"))]),
            [format!("changed {listed} {found} other sha256, and {reason}")]
        );
    }
    // Two files whose names differ in that alone are two.
    let both = [sha256(composed, "x"), sha256(decomposed, "y")];
    let told = compare(&both, both.iter().cloned().map(hashed).collect());
    assert!(told.iter().all(|told| told.starts_with("matched ") && !told.contains(reason)), "{told:?}");
    // That it was not read was asked for, whatever its name is.
    let unread = Found { file: file(decomposed, "x", &[]), state: State::NotHashed };
    let (totals, findings) = compare_with(&[sha256(composed, "x")], vec![unread], 1 << 20, &mut |_| Presence::Gone);
    assert_eq!(told_of(&findings), [format!("not-checked {composed} {decomposed}")]);
    assert_eq!((totals.not_comparable, totals.verified(true)), (0, 1));
}

/// The filesystem alone knows whether two names that differ in capitals are those of one file.
#[test]
fn capitals_may_make_no_difference() {
    let note = "the list has its name with other capitals";
    let late = "it is there now, and was not found before";
    for is_left_out in [false, true] {
        let mut look = |path: &[u8]| {
            let number = match path {
                b"P/IMG.jpg" | b"P/Img.JPG" | b"\xc9T\xc9" | b"\xc9t\xc9" => 1,
                b"late" => 2,
                b"gone" => return Presence::Gone,
                _ => 3,
            };
            Presence::File { identity: FileIdentity::new(1, number), is_left_out }
        };
        let expected = [sha256("P/IMG.jpg", "x"), sha256("late", "y"), sha256("gone", "z")];
        let found = ["P/Img.JPG", "LATE", "GONE"].map(|path| hashed(sha256(path, "x")));
        let (_, findings) = compare_with(&expected, found.to_vec(), 1 << 20, &mut look);
        let not_late = if is_left_out { "not-checked late -".to_owned() } else { format!("unreadable late - {late}") };
        let mut all = vec![
            "missing gone -".to_owned(),
            not_late,
            "new - GONE".to_owned(),
            "new - LATE".to_owned(),
            format!("matched P/IMG.jpg P/Img.JPG {note}"),
        ];
        // Files that were left out come later in the listing.
        if is_left_out {
            all.swap(1, 2);
            all.swap(2, 3);
        }
        assert_eq!(told_of(&findings), all);
        // Names that are no text, and other contents.
        let [mut expected, mut found] = ["x", "y"].map(|contents| sha256("", contents));
        (expected.path, found.path) = (b"\xc9T\xc9".to_vec(), b"\xc9t\xc9".to_vec());
        let (_, findings) = compare_with(&[expected], vec![hashed(found)], 1 << 20, &mut look);
        let [finding] = &findings[..] else { panic!("{findings:?}") };
        assert_eq!((finding.class, &finding.reason), (Class::Changed, &format!("other sha256, and {note}")));
    }
}

#[test]
fn files_that_were_left_out_on_request_are_no_finding() {
    let found = vec![Found { file: file("b", "x", &[]), state: State::NotHashed }];
    let expected = [sha256("a", "x"), sha256("b", "x")];
    let (totals, findings) = compare_with(&expected, found, 1 << 20, &mut |_| LEFT_OUT);
    assert_eq!((totals.files.of(Class::NotChecked), totals.not_comparable), (2, 0));
    assert_eq!(findings.iter().map(told).collect::<Vec<_>>(), ["not-checked a -", "not-checked b b"]);
    // Its size tells enough.
    let found = vec![Found { file: file("b", "xy", &[]), state: State::NotHashed }];
    let (_, findings) = compare_with(&expected[1..], found, 1 << 20, &mut |_| LEFT_OUT);
    assert_eq!(findings.iter().map(told).collect::<Vec<_>>(), ["changed b b size 2 instead of 1"]);
}

#[test]
fn files_come_in_the_order_of_a_walk() {
    let mut expectations = Expectations::new(1 << 20);
    expectations.push(&sha256("a", "x")).unwrap().unwrap();
    let mut comparison = Comparison::new(expectations.sorted().unwrap(), false, 1 << 20).unwrap();
    for path in ["b/c", "b-c", "c"] {
        comparison.found(hashed(sha256(path, "x"))).unwrap();
    }
    assert!(comparison.found(hashed(sha256("b.c", "x"))).is_err());
    assert!(comparison.found(hashed(sha256("c", "x"))).is_err());
}

#[test]
fn common_directories() {
    let common = |paths: &[&str]| {
        let mut expectations = Expectations::new(1 << 20);
        paths.iter().for_each(|path| expectations.push(&File::new(*path)).unwrap().unwrap());
        String::from_utf8(expectations.sorted().unwrap().common_directory().to_vec()).unwrap()
    };
    assert_eq!(common(&[]), "");
    assert_eq!(common(&["a"]), "");
    assert_eq!(common(&["a/b", "a/c/d"]), "a/");
    assert_eq!(common(&["a/bc/1", "a/bd/2"]), "a/");
    assert_eq!(common(&["a/b/1", "a/b/c/2", "a/b/c/d/3"]), "a/b/");
    assert_eq!(common(&["a/b/1", "c"]), "");
}

/// The class of each expected and each found file, by a comparison in memory. Moves are counted by contents, since it
/// is a matter of taste which of equal files was moved.
fn naive(expected: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> BTreeMap<(Class, String), u64> {
    let mut counts = BTreeMap::new();
    let mut count = |class, contents: &str| *counts.entry((class, contents.to_owned())).or_insert(0) += 1;
    let mut present = BTreeSet::new();
    for (path, contents) in expected {
        match found.get(path) {
            Some(other) if other == contents => {
                present.insert(contents.clone());
                count(Class::Matched, contents);
            }
            Some(other) => count(Class::Changed, other),
            None => {}
        }
    }
    let only = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>, contents: &str| {
        one.iter().filter(|(path, own)| *own == contents && !other.contains_key(*path)).count()
    };
    let all: BTreeSet<&String> = expected.values().chain(found.values()).collect();
    for contents in all {
        let (missing, new) = (only(expected, found, contents), only(found, expected, contents));
        let moved = if contents.is_empty() { 0 } else { missing.min(new) };
        (0..moved).for_each(|_| count(Class::Moved, contents));
        (moved..missing).for_each(|_| count(Class::Missing, contents));
        let is_copy = !contents.is_empty() && (moved > 0 || present.contains(contents));
        (moved..new).for_each(|_| count(if is_copy { Class::Copied } else { Class::New }, contents));
    }
    counts
}

proptest! {
    #[test]
    fn it_is_what_a_naive_comparison_finds(
        expected in proptest::collection::btree_map("[ab](/[ab.-]){0,3}", "[xy]{0,2}", 0..40),
        found in proptest::collection::btree_map("[ab](/[ab.-]){0,3}", "[xy]{0,2}", 0..40),
        algorithms in prop_oneof![Just(&["md5"][..]), Just(&["crc32", "sha256"][..])],
    ) {
        // `.` is no name.
        let named = |files: BTreeMap<String, String>| -> BTreeMap<String, String> {
            files.into_iter().filter(|(path, _)| !path.split('/').any(|name| name == ".")).collect()
        };
        let (expected, found) = (named(expected), named(found));
        let listed: Vec<File> = expected.iter().map(|(path, contents)| file(path, contents, algorithms)).collect();
        let there = || found.iter().map(|(path, contents)| hashed(file(path, contents, algorithms))).collect();
        let (totals, findings) = compare_with(&listed, there(), 1, &mut |_| Presence::Gone);
        let contents: BTreeMap<_, &String> =
            expected.values().chain(found.values()).map(|contents| (file("", contents, algorithms).digests[0].to_string(), contents)).collect();
        let mut counts = BTreeMap::new();
        for finding in &findings {
            let digest = finding.found.as_ref().or(finding.expected.as_ref()).unwrap().digests[0].to_string();
            *counts.entry((finding.class, contents[&digest].clone())).or_insert(0) += 1;
        }
        prop_assert_eq!(counts, naive(&expected, &found));
        prop_assert_eq!(totals.expected.all(), expected.len() as u64);
        prop_assert_eq!(totals.found.all(), found.len() as u64);
        prop_assert_eq!(totals.files.all(), findings.len() as u64);
        // Memory changes nothing.
        prop_assert_eq!(compare_with(&listed, there(), 1 << 30, &mut |_| Presence::Gone), (totals, findings));
    }
}
