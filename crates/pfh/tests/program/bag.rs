//! `pfh bag`: bags made, verified and updated, against hostile ones, kills, a full disk and bagit.py.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pfh_testing::{Random, Writing};
use rustix::process::Signal;
use serde_json::Value;

use crate::fixture::*;

fn bag(directory: &Path, arguments: &[&str]) -> Ended {
    pfh(directory, [&["bag"], arguments].concat()).run()
}

/// Makes files with these contents, and the directories that they need.
fn tree(root: &Path, files: &[(&str, &str)]) {
    for (path, contents) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
}

/// Returns all regular files below a directory, by their paths there.
fn files(root: &Path) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let (mut found, mut directories) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                directories.push(entry.path());
            } else {
                let path = entry.path();
                let below = path.strip_prefix(root).unwrap();
                found.insert(below.as_os_str().as_bytes().to_vec(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Makes a bag of version 0.97 or 1.0 whose manifest of MD5 has this text, with the files `data/a` and `data/b`.
fn handmade(root: &Path, version: &str, manifest: &[u8]) {
    tree(root, &[("data/a", "a"), ("data/b", "b")]);
    let declaration = format!("BagIt-Version: {version}\nTag-File-Character-Encoding: UTF-8\n");
    fs::write(root.join("bagit.txt"), declaration).unwrap();
    fs::write(root.join("manifest-md5.txt"), manifest).unwrap();
}

/// Returns the findings of a bag as their severities, rules and lines, and its verdict.
fn findings(directory: &Path, bag: &str) -> (String, Vec<(String, String, Option<u64>)>) {
    let ended = pfh(directory, ["bag", "verify", "-q", "-f", "jsonl", bag]).run();
    let lines: Vec<Value> = text(&ended.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdict = lines[1]["verdict"].as_str().unwrap().to_owned();
    assert_eq!(ended.code(), if verdict == "not-valid" { 1 } else { 0 }, "{}", ended.stderr);
    let found = lines.iter().filter(|line| line["type"] == "finding").map(|line| {
        let word = |key: &str| line[key].as_str().unwrap().to_owned();
        (word("severity"), word("rule"), line["line"].as_u64())
    });
    (verdict, found.collect())
}

#[test]
fn a_directory_becomes_a_bag_and_stays_one() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a.txt", "hello"), ("x/data/b%25", "second"), ("x/é", "third"), ("x/line\nbreak\r", "fourth")]);
    let before = files(&d.join("x"));
    let ended = bag(d, &["create", "-a", "md5,sha256", "--tag", "Contact-Name=A. B.", "x/"]);
    let said = text(ended.done());
    assert_eq!(said, "`x/` is a bag now: 4 files of 22 B in its directory `data`, by md5 and sha256\n");
    assert_eq!(files(&d.join("x/data")), before);
    let names = ["bag-info.txt", "bagit.txt", "data", "manifest-md5.txt", "manifest-sha256.txt"];
    let tags = ["tagmanifest-md5.txt", "tagmanifest-sha256.txt"];
    assert_eq!(self::names(&d.join("x")), names.iter().chain(&tags).map(std::path::PathBuf::from).collect::<Vec<_>>());
    let manifest = text(&fs::read(d.join("x/manifest-md5.txt")).unwrap());
    let line = |contents: &str, name: &str| format!("{}  data/{name}\n", digest("md5", contents.as_bytes()));
    let lines = [("hello", "a.txt"), ("second", "data/b%2525"), ("fourth", "line%0Abreak%0D"), ("third", "é")];
    assert_eq!(manifest, lines.map(|(contents, name)| line(contents, name)).concat());
    let info = text(&fs::read(d.join("x/bag-info.txt")).unwrap());
    assert!(info.starts_with("Contact-Name: A. B.\nBagging-Date: 2") && info.contains("\nPayload-Oxum: 22.4\n"));
    let valid = "`x`: valid (BagIt 1.0, 4 files of 22 B, md5 and sha256)\n";
    assert_eq!(text(bag(d, &["verify", "x"]).done()), valid);
    let complete = text(bag(d, &["verify", "--complete", "x"]).done());
    assert!(complete.starts_with("`x`: complete, but not hashed (BagIt 1.0"), "{complete}");
    let oxum = text(bag(d, &["verify", "--oxum", "x"]).done());
    assert!(oxum.starts_with("`x`: as many files and bytes as Payload-Oxum states; nothing else was checked ("));
    // A bag does not become one again.
    let ended = bag(d, &["create", "x"]);
    ended.expect(2, "pfh: `x` is a bag already; `pfh bag update` writes new manifests\n");

    // All that is wrong is told at once.
    fs::write(d.join("x/data/a.txt"), "HELLO").unwrap();
    fs::remove_file(d.join("x/data/é")).unwrap();
    fs::write(d.join("x/data/new"), "new").unwrap();
    let (verdict, found) = findings(d, "x");
    let rules: Vec<_> = found.iter().map(|(severity, rule, _)| (severity.as_str(), rule.as_str())).collect();
    let expected = ["oxum", "unlisted", "missing", "digest", "digest"];
    assert_eq!((verdict.as_str(), rules), ("not-valid", expected.map(|rule| ("error", rule)).to_vec()));
    let complete = bag(d, &["verify", "--complete", "x"]);
    assert_eq!((complete.code(), text(&complete.stdout).lines().count()), (1, 4));

    fs::write(d.join("x/notes.txt"), "kept").unwrap();
    let ended = bag(d, &["update", "--tag", "Contact-Name=C", "--tag", "External-Identifier=7", "x"]);
    let said = "changed: `data/a.txt`\nadded: `data/new`\nremoved: `data/é`\n`x`: 1 added, 1 removed, 1 changed, 2 unchanged\n";
    assert_eq!(text(ended.done()), said);
    assert_eq!(text(bag(d, &["verify", "x"]).done()), valid.replace("22 B", "20 B"));
    let info = text(&fs::read(d.join("x/bag-info.txt")).unwrap());
    assert!(info.starts_with("Contact-Name: C\nBagging-Date") && info.ends_with("External-Identifier: 7\n"), "{info}");
    assert!(text(&fs::read(d.join("x/tagmanifest-md5.txt")).unwrap()).contains("  notes.txt\n"));
    // Several bags have a verdict each.
    handmade(&d.join("y"), "1.0", b"");
    let both = bag(d, &["verify", "x", "y", "nothing"]);
    let last = text(&both.stdout).lines().last().unwrap().to_owned();
    assert_eq!((both.code(), last.as_str()), (5, "3 bags: 1 without error, 1 not valid, 1 undecided"));
}

#[test]
fn hostile_and_odd_bags_have_their_findings() {
    let directory = scratch();
    let d = directory.path();
    let (a, b) = (digest("md5", b"a"), digest("md5", b"b"));
    fs::write(d.join("secret"), "a").unwrap();
    let good = format!("{a}  data/a\n{b}  data/b\n");
    let long = "x/".repeat(1_000_000);
    let error = |rule: &str, line| ("error".to_owned(), rule.to_owned(), Some(line));
    let warning = |rule: &str, line| ("warning".to_owned(), rule.to_owned(), Some(line));
    let cases: Vec<(&str, String, Vec<_>)> = vec![
        ("1.0", good.clone(), vec![]),
        ("1.0", good.replace('\n', "\r"), vec![]),
        ("1.0", format!("{good}{a}  ../secret\n"), vec![error("unsafe-path", 3)]),
        ("1.0", format!("{good}{a}  data/../../secret\n"), vec![error("unsafe-path", 3)]),
        ("1.0", format!("{good}{a}  {}/secret\n", d.to_str().unwrap()), vec![error("unsafe-path", 3)]),
        ("1.0", format!("{good}{a}  ~/secret\n"), vec![error("unsafe-path", 3)]),
        ("1.0", format!("{good}{a}  data/{long}a\n"), vec![error("unsafe-path", 3)]),
        ("1.0", format!("{good}{a}  data/a\0\n"), vec![error("unsafe-path", 3)]),
        ("1.0", format!("{good}{a}  data/a\n"), vec![error("duplicate", 3)]),
        ("0.97", format!("{good}{a}  data/a\n"), vec![warning("duplicate", 3)]),
        ("0.97", format!("{good}{b}  data/a\n"), vec![error("duplicate", 3)]),
        ("1.0", format!("{good}{a}  data/missing\n"), vec![error("missing", 3)]),
        ("0.97", format!("{a} *data/a\n{b}  ./data/b\n"), vec![warning("syntax", 1), warning("encoding", 2)]),
        ("1.0", format!("{good}not a line\n"), vec![error("syntax", 3)]),
    ];
    for (number, (version, manifest, expected)) in cases.into_iter().enumerate() {
        let name = format!("bag{number}");
        handmade(&d.join(&name), version, manifest.as_bytes());
        assert_eq!(findings(d, &name).1, expected, "{number}");
    }
    // Links are not followed, whatever lies behind them.
    handmade(&d.join("links"), "1.0", format!("{good}{a}  data/link\n{a}  data/out/secret\n").as_bytes());
    symlink("../../secret", d.join("links/data/link")).unwrap();
    symlink("../..", d.join("links/data/out")).unwrap();
    let (_, found) = findings(d, "links");
    let kind = ("warning".to_owned(), "kind".to_owned(), None);
    assert_eq!(found, [error("kind", 3), kind, error("missing", 4)]);
    // Tag files are not followed either.
    fs::create_dir_all(d.join("outside/data")).unwrap();
    symlink("../bag0/bagit.txt", d.join("outside/bagit.txt")).unwrap();
    let (verdict, found) = findings(d, "outside");
    assert_eq!((verdict.as_str(), found[0].1.as_str()), ("not-valid", "declaration"));
    // Other spellings of a name are found.
    let name = format!("{}  data/e\u{301}\n{}  data/100%25\n", digest("md5", b"1"), digest("md5", b"2"));
    handmade(&d.join("spelt"), "0.97", format!("{good}{name}").as_bytes());
    tree(&d.join("spelt"), &[("data/é", "1"), ("data/100%", "2")]);
    let mut found = findings(d, "spelt").1;
    found.sort();
    assert_eq!(found, [warning("encoding", 3), warning("encoding", 4)]);
    // Files that are to be fetched are not fetched, and missing.
    handmade(&d.join("fetch"), "1.0", format!("{good}{a}  data/there\n").as_bytes());
    fs::write(d.join("fetch/fetch.txt"), "http://127.0.0.1:9/x 1 data/there\n").unwrap();
    assert_eq!(findings(d, "fetch").1, [error("fetch", 3)]);
}

#[test]
fn what_no_bag_can_have_is_refused_before_anything_changes() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a"), ("x/sub/b", "b")]);
    let before = files(&d.join("x"));
    symlink("a", d.join("x/link")).unwrap();
    let ended = bag(d, &["create", "x"]);
    let said = "pfh: `x/link`: a bag cannot have symbolic links; replace it by what it leads to, or remove it\n\
        pfh: 1 name cannot be in a bag; nothing was changed\n";
    ended.expect(2, said);
    fs::remove_file(d.join("x/link")).unwrap();
    fs::write(d.join("x").join(path(b"\xff")), "").unwrap();
    assert_eq!(bag(d, &["create", "x"]).code(), 2);
    fs::remove_file(d.join("x").join(path(b"\xff"))).unwrap();
    assert_eq!(files(&d.join("x")), before);
    assert_eq!(bag(d, &["create", "-a", "crc32", "x"]).code(), 2);
    assert_eq!(bag(d, &["create", "--tag", "Payload-Oxum=1.1", "x"]).code(), 2);
    assert_eq!(bag(d, &["update", "x"]).code(), 2);
    assert_eq!(files(&d.join("x")), before);
}

/// Opening a pipe would wait, and a link leads to a file that is no part of the bag.
#[test]
fn an_update_opens_only_files_and_directories() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a"), ("other", "1")]);
    bag(d, &["create", "x"]).done();
    let before = files(&d.join("x"));
    let link = |path: &Path| symlink("../other", path).unwrap();
    let (pipe, other) = ("pipe, socket or device", "symbolic link");
    /// A name, how a thing of it is made, and what that is.
    type Made<'a> = (&'a str, &'a dyn Fn(&Path), &'a str);
    let names: [Made<'_>; 3] = [("extra", &fifo, pipe), ("fetch.txt", &fifo, pipe), ("extra", &link, other)];
    for (name, make, kind) in names {
        let path = d.join("x").join(name);
        make(&path);
        let said = format!("pfh: `x/{name}` is a {kind}, which a bag cannot have; nothing was changed\n");
        bag(d, &["update", "x"]).expect(2, &said);
        // It ends, whatever its verdict.
        bag(d, &["verify", "-q", "x"]);
        fs::remove_file(path).unwrap();
        assert_eq!(files(&d.join("x")), before);
    }
}

/// Only what pfh has written in `.pfh-bag` is removed from there.
#[test]
fn files_of_others_among_unfinished_files_are_kept() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a"), ("x/.pfh-bag/notes", "precious"), ("x/.pfh-bag/bagit.txt", "half"), ("y/b", "b")]);
    let said = |path: &str| {
        format!(
            "pfh: `{path}`: pfh keeps unfinished files in `.pfh-bag`, and did not write this; move it to another place\n\
             pfh: 1 name cannot be in a bag; nothing was changed\n"
        )
    };
    let refused = |arguments: &[&str], path: &str| {
        let before = files(&d.join("x"));
        bag(d, arguments).expect(2, &said(path));
        assert_eq!(files(&d.join("x")), before);
    };
    refused(&["create", "x"], "x/.pfh-bag/notes");
    refused(&["create", "--copy-to", "x", "y"], "x/.pfh-bag/notes");
    fs::create_dir(d.join("x/.pfh-bag/data")).unwrap();
    fs::rename(d.join("x/.pfh-bag/notes"), d.join("x/.pfh-bag/data/notes")).unwrap();
    refused(&["create", "x"], "x/.pfh-bag/data");
    fs::remove_dir_all(d.join("x/.pfh-bag/data")).unwrap();
    bag(d, &["create", "x"]).done();
    tree(d, &[("x/.pfh-bag/manifest-old.txt", "mine")]);
    refused(&["update", "x"], "x/.pfh-bag/manifest-old.txt");
    // A link to a directory is not followed.
    fs::rename(d.join("x/.pfh-bag"), d.join("outside")).unwrap();
    tree(d, &[("outside/bagit.txt", "mine")]);
    symlink("../outside", d.join("x/.pfh-bag")).unwrap();
    bag(d, &["update", "x"]).expect(2, &said("x/.pfh-bag"));
    assert_eq!(fs::read(d.join("outside/bagit.txt")).unwrap(), b"mine");
    fs::remove_file(d.join("x/.pfh-bag")).unwrap();
    bag(d, &["update", "x"]).done();
    assert_eq!(findings(d, "x"), ("valid".to_owned(), Vec::new()));
}

/// A directory `bagit.txt` is a part of the payload.
#[test]
fn only_a_regular_file_makes_a_directory_a_bag() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/bagit.txt/inner", "1")]);
    let said = "pfh: `x` is no bag: it has no file `bagit.txt`; `pfh bag create` makes one\n";
    bag(d, &["update", "x"]).expect(2, said);
    bag(d, &["create", "x"]).done();
    assert_eq!(fs::read(d.join("x/data/bagit.txt/inner")).unwrap(), b"1");
    assert_eq!(findings(d, "x"), ("valid".to_owned(), Vec::new()));
    // A run that was killed when everything was done leaves an empty directory.
    fs::create_dir(d.join("x/.pfh-bag")).unwrap();
    bag(d, &["create", "x"]).expect(2, "pfh: `x` is a bag already; `pfh bag update` writes new manifests\n");
    assert!(!d.join("x/.pfh-bag").exists());
}

/// An application or a client that synchronises writes a file again that has just left its directory.
#[test]
fn a_file_that_comes_back_replaces_nothing() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("b/a.txt", "recreated"), ("b/c", "c")]);
    tree(d, &[("b/.pfh-bag/moving", ""), ("b/.pfh-bag/data/a.txt", "original")]);
    let ended = bag(d, &["create", "b"]);
    let said = "pfh: an earlier `pfh bag create` was interrupted while it moved the files; this one finishes it\n\
        pfh: `b/a.txt` appeared while the files were moved, and `b/.pfh-bag/data/a.txt` had its name: move one of them \
        to another place, and the same command goes on\n";
    ended.expect(4, said);
    assert_eq!(fs::read(d.join("b/a.txt")).unwrap(), b"recreated");
    assert_eq!(fs::read(d.join("b/.pfh-bag/data/a.txt")).unwrap(), b"original");
    fs::rename(d.join("b/a.txt"), d.join("aside")).unwrap();
    // Both names of one file are what a kill leaves where a move takes two steps.
    let [old, new] = ["b/c", "b/.pfh-bag/data/c"].map(|name| d.join(name));
    let (from, to) = if old.exists() { (&old, &new) } else { (&new, &old) };
    fs::hard_link(from, to).unwrap();
    assert_eq!(bag(d, &["create", "b"]).code(), 0);
    assert_eq!(findings(d, "b"), ("valid".to_owned(), Vec::new()));
    let payload = [("a.txt", "original"), ("c", "c")].map(|(name, text)| (name.into(), text.into()));
    assert_eq!(files(&d.join("b/data")), BTreeMap::from(payload));
}

#[test]
fn tag_files_may_have_names_like_that_of_unfinished_files() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a")]);
    bag(d, &["create", "-a", "md5", "x"]).done();
    tree(d, &[("x/.pfh-bags", "b"), ("x/.pfh-bag.d/c", "c")]);
    bag(d, &["update", "x"]).done();
    let listed = text(&fs::read(d.join("x/tagmanifest-md5.txt")).unwrap());
    assert!(listed.contains("  .pfh-bags\n") && listed.contains("  .pfh-bag.d/c\n"), "{listed}");
    assert_eq!(findings(d, "x"), ("valid".to_owned(), Vec::new()));
}

/// A report replaces nothing of the bag that it is about, and is no file of its payload.
#[test]
fn a_report_changes_no_bag() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a"), ("profile.json", r#"{"BagIt-Profile-Info":{}}"#)]);
    bag(d, &["create", "-a", "md5", "x"]).done();
    symlink("x", d.join("alias")).unwrap();
    let before = files(&d.join("x"));
    let said = "pfh: the report would change the bag `x`: name another file with -o\n";
    for report in ["x/manifest-md5.txt", "x/data/a", "x/data/new", "x/tagmanifest-sha1.txt", "alias/bagit.txt"] {
        bag(d, &["verify", "x", "-o", report]).expect(2, said);
    }
    let said = "pfh: `profile.json` is to be read and is also the output: name another file\n";
    bag(d, &["verify", "--profile", "profile.json", "x", "-o", "profile.json"]).expect(2, said);
    assert_eq!(files(&d.join("x")), before);
    bag(d, &["verify", "x", "-o", "x/report.txt"]).done();
    assert!(text(&fs::read(d.join("x/report.txt")).unwrap()).starts_with("`x`: valid"));
}

/// A directory in the place of a listed file is told as such, whatever is in it.
#[test]
fn a_directory_in_the_place_of_a_file_is_no_missing_file() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "1"), ("x/ab", "2"), ("x/b/c", "3"), ("x/gone", "4")]);
    bag(d, &["create", "x", "-a", "md5"]).done();
    for name in ["data/a", "data/b/c", "data/gone", "bag-info.txt"] {
        fs::remove_file(d.join("x").join(name)).unwrap();
    }
    tree(d, &[("x/data/a/b/c", "5"), ("x/bag-info.txt/a", "6")]);
    fs::create_dir(d.join("x/data/b/c")).unwrap();
    let ended = bag(d, &["verify", "x"]);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let told = text(&ended.stdout);
    for (path, line) in [("data/a", 1), ("data/b/c", 3)] {
        let expected =
            format!("    error: `{path}`: this is a directory, and a file is listed (manifest-md5.txt, line {line})\n");
        assert!(told.contains(&expected), "{told}");
    }
    assert!(
        told.contains("    error: `bag-info.txt`: this is a directory, and a file is listed (tagmanifest-"),
        "{told}"
    );
    assert!(told.contains("`data/gone`: the file is missing (manifest-md5.txt, line 4)"), "{told}");
    assert!(
        told.contains("`data/a/b/c`: no manifest lists the file") && told.matches("missing").count() == 1,
        "{told}"
    );
}

/// A directory that cannot be listed hides files, and they are not missing.
#[test]
fn a_bag_with_a_directory_that_cannot_be_listed_is_undecided() {
    let directory = scratch();
    let d = directory.path();
    for bag in ["some", "all", "lost"] {
        let path = |file: &str| format!("real/{bag}/{file}");
        tree(d, &[(&path("a/b/c"), "1"), (&path("ab"), "2"), (&path("z"), "3")]);
        pfh(d, ["bag", "create", &format!("real/{bag}"), "-a", "md5"]).run().done();
    }
    fs::remove_file(d.join("real/lost/data/ab")).unwrap();
    let plan = "some/data/a open 13\nall/data open 5\nlost/data/a open 13";
    let Some(mount) = mount_faults(&d.join("real"), &d.join("shown"), None, plan) else { return };
    let verified: Vec<Ended> =
        ["some", "all", "lost"].map(|bag| pfh(d, ["bag", "verify", &format!("shown/{bag}")]).run()).into();
    mount.unmount().unwrap();
    for (ended, bag) in verified.iter().zip(["some", "all"]) {
        assert_eq!(ended.code(), 3, "{}", text(&ended.stdout));
        let told = format!("`shown/{bag}`: undecided: 1 file could not be read");
        assert!(text(&ended.stdout).starts_with(&told), "{}", text(&ended.stdout));
    }
    assert_eq!(verified[2].code(), 5);
    let lost = text(&verified[2].stdout);
    assert!(lost.contains("`data/ab`: the file is missing") && !lost.contains("data/a/b"), "{lost}");
}

/// An update compares a file with the old lines of its name in another spelling, as verification does.
#[test]
fn an_update_compares_files_in_other_spellings() {
    let directory = scratch();
    let d = directory.path();
    let line = |contents: &str, path: &str| format!("{}  {path}\n", digest("md5", contents.as_bytes()));
    let lines =
        [("a", "data/a"), ("b", "data/b"), ("1", "data/1e\u{301}"), ("2", "data/2e\u{301}"), ("3", "data/3%0A")];
    handmade(&d.join("x"), "0.97", lines.map(|(contents, path)| line(contents, path)).concat().as_bytes());
    tree(&d.join("x"), &[("data/1\u{e9}", "changed"), ("data/2\u{e9}", "2"), ("data/3\n", "3")]);
    let said = "changed: `data/1\u{e9}`\nspelt otherwise: `data/2\u{e9}`\nspelt otherwise: `data/3\\n`\n\
        `x`: 0 added, 0 removed, 1 changed, 2 unchanged, 2 spelt otherwise; \
        the bag was of version 0.97, and is of 1.0 now\n";
    assert_eq!(text(bag(d, &["update", "x"]).done()), said);
    assert_eq!(findings(d, "x"), ("valid".to_owned(), Vec::new()));
}

/// Manifests have paths in the bag, and no names above it.
#[test]
fn names_above_a_bag_may_be_of_any_bytes() {
    let directory = scratch();
    let d = directory.path();
    let x = d.join(path(b"\xff")).join("x");
    tree(&x, &[("a", "a")]);
    for word in ["create", "update", "verify"] {
        let ended = pfh(d, [OsStr::new("bag"), OsStr::new(word), x.as_os_str()]).run();
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
    }
}

/// Names that would not be read back from a tag manifest.
#[test]
fn tag_files_that_cannot_be_listed_are_refused() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a")]);
    bag(d, &["create", "x"]).done();
    let names = [&b"~$meta.docx"[..], b" notes.txt", b"\tnotes.txt", b"*notes.txt", b"\xff", b"~meta/a", b"meta/\xff"];
    for name in names {
        let file = d.join("x").join(path(name));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "").unwrap();
        let before = files(&d.join("x"));
        let ended = bag(d, &["update", "x"]);
        assert_eq!(ended.code(), 2, "{}", ended.stderr);
        assert!(ended.stderr.ends_with("1 name cannot be in a bag; nothing was changed\n"), "{}", ended.stderr);
        assert_eq!(files(&d.join("x")), before);
        fs::remove_file(file).unwrap();
    }
    tree(d, &[("x/meta/~a", "a"), ("x/meta/ b", "b"), ("x/c *~", "c")]);
    bag(d, &["update", "x"]).done();
    assert_eq!(findings(d, "x"), ("valid".to_owned(), Vec::new()));
}

/// New manifests by other algorithms would hide a damage that only the old ones show.
#[test]
fn an_update_by_other_algorithms_compares_with_the_old_manifests() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a"), ("x/b", "b")]);
    bag(d, &["create", "-a", "md5", "x"]).done();
    fs::write(d.join("x/data/a"), "A").unwrap();
    let said = "changed: `data/a`\n`x`: 0 added, 0 removed, 1 changed, 1 unchanged\n";
    assert_eq!(text(bag(d, &["update", "-a", "sha512", "x"]).done()), said);
    assert_eq!(findings(d, "x"), ("valid".to_owned(), Vec::new()));
    let names = names(&d.join("x"));
    let expected = ["bag-info.txt", "bagit.txt", "data", "manifest-sha512.txt", "tagmanifest-sha512.txt"];
    assert_eq!(names, expected.map(std::path::PathBuf::from));
}

/// Metadata that cannot be written again as they are stay as they are.
#[test]
fn an_update_loses_no_metadata() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a")]);
    bag(d, &["create", "x"]).done();
    for info in [&b"Contact-Name: M\xfcller\n"[..], b"Contact-Name: A\nExternal-Description: one\ntwo\n", b" A: b\n"] {
        fs::write(d.join("x/bag-info.txt"), info).unwrap();
        let before = files(&d.join("x"));
        let ended = bag(d, &["update", "x"]);
        assert_eq!(ended.code(), 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("pfh: `x/bag-info.txt`: new metadata would lose line "), "{}", ended.stderr);
        assert_eq!(files(&d.join("x")), before);
    }
}

/// A bag is as its Payload-Oxum states once its files were fetched.
#[test]
fn an_update_counts_files_that_are_to_be_fetched() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a"), ("x/there", "there")]);
    bag(d, &["create", "-a", "md5", "x"]).done();
    fs::remove_file(d.join("x/data/there")).unwrap();
    for (length, oxum, is_stated) in [("5", "Payload-Oxum: 6.2\n", true), ("-", "Payload-Oxum", false)] {
        fs::write(d.join("x/fetch.txt"), format!("https://a.example/there {length} data/there\n")).unwrap();
        let updated = bag(d, &["update", "x"]);
        assert_eq!(text(updated.done()), "`x`: 0 added, 0 removed, 0 changed, 1 unchanged, 1 not fetched\n");
        let info = text(&fs::read(d.join("x/bag-info.txt")).unwrap());
        assert_eq!((info.contains(oxum), info.contains("Bag-Size")), (is_stated, is_stated), "{info}");
        fs::write(d.join("x/data/there"), "there").unwrap();
        assert_eq!(findings(d, "x"), ("valid".to_owned(), Vec::new()));
        fs::remove_file(d.join("x/data/there")).unwrap();
    }
}

/// No update can list a file that is elsewhere and whose digest nobody knows, so the bag would not be valid.
#[test]
fn an_update_refuses_files_that_are_only_to_be_fetched() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a")]);
    bag(d, &["create", "-a", "md5", "x"]).done();
    fs::write(d.join("x/fetch.txt"), "https://a.example/there 5 data/there\n").unwrap();
    let before = files(&d.join("x"));
    let said = "pfh: fetch.txt lists `data/there`, which no new manifest would, since no file has exactly this name \
                and its digest is not known: fetch it, give it this name if it is there under another spelling, or \
                remove the line; nothing was changed\n";
    bag(d, &["update", "x"]).expect(2, said);
    assert_eq!(files(&d.join("x")), before);
    fs::write(d.join("x/data/there"), "there").unwrap();
    let updated = bag(d, &["update", "x"]);
    let said = "added: `data/there`\n`x`: 1 added, 0 removed, 0 changed, 1 unchanged\n";
    assert_eq!(text(updated.done()), said);
    assert_eq!(findings(d, "x"), ("valid".to_owned(), Vec::new()));
}

/// The lines of a manifest that cannot be opened are not known, so it proves nothing against the bag.
#[test]
fn a_bag_whose_manifest_cannot_be_opened_is_undecided() {
    if is_root() {
        return;
    }
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a", "a"), ("x/b", "b")]);
    bag(d, &["create", "x"]).done();
    fs::set_permissions(d.join("x/manifest-sha512.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    let ended = bag(d, &["verify", "--complete", "x"]);
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    assert!(text(&ended.stdout).starts_with("`x`: undecided"), "{:?}", ended.stdout);
}

/// However often it is killed, no file of the payload is lost, and the last run makes a valid bag.
#[test]
fn kills_lose_nothing() {
    let directory = scratch_in_memory();
    let d = directory.path();
    let mut random = Random::new(7);
    let put = |name: &str| {
        let root = d.join(name);
        for number in 0..300 {
            let file = format!("{number:03}/{}", if number % 7 == 0 { "data" } else { "file" });
            tree(&root, &[(&file, &format!("{name} {number}"))]);
        }
        root
    };
    let (mut killed, mut interrupted, mut round) = (0, 0, 0);
    while killed < 100 || interrupted == 0 {
        round += 1;
        assert!(round < 1000, "only {killed} were killed, {interrupted} of them while they moved files");
        let name = format!("{round}");
        let root = put(&name);
        let before = files(&root);
        let mut running = pfh(d, ["bag", "create", &name]).start();
        // Before, when, or after a file is moved: however fast a bag is made here, kills come meanwhile.
        let moved = format!("data/{:03}", random.below(300));
        running.kill_when_there(&root.join(["", ".pfh-bag", ".pfh-bag/moving", &moved][random.below(4) as usize]));
        killed += u32::from(running.end().code() == 137);
        if root.join(".pfh-bag/moving").exists() {
            interrupted += 1;
            // Each file is in its old place or on its way.
            let mut contents: Vec<_> = files(&root).into_values().collect();
            contents.sort();
            let mut expected: Vec<_> = before.values().collect();
            expected.sort();
            assert!(expected.into_iter().all(|one| contents.binary_search(one).is_ok()));
            assert_eq!(bag(d, &["verify", "-q", &name]).code(), 1);
        }
        let again = bag(d, &["create", &name]);
        let is_bag = again.stderr.contains("is a bag already");
        assert!(again.code() == 0 || is_bag, "{}", again.stderr);
        assert_eq!(files(&root.join("data")), before);
        assert_eq!(bag(d, &["verify", "-q", &name]).code(), 0);
        fs::remove_dir_all(root).unwrap();
    }
    println!("{killed} killed, {interrupted} of them while they moved files");
}

/// A signal that comes while the payload of a bag is counted does not make it another one: a bag that is made stays
/// one, and a copy goes on.
#[test]
fn a_signal_is_no_change_of_a_bag() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("real/x/a", "1"), ("real/x/slow", "2"), ("real/x/z", "3"), ("s/a", "1"), ("s/slow", "2"), ("s/z", "3")]);
    let plan = "x/data/slow lookup 1000\nb/data/slow lookup 3000";
    let writing = Some(Writing::default());
    let Some(mount) = mount_faults(&d.join("real"), &d.join("shown"), writing, plan) else { return };
    let in_place = pfh(d, ["bag", "create", "shown/x"]).start();
    eventually("the bag is made", || d.join("real/x/bagit.txt").exists());
    in_place.signal(Signal::TERM);
    let in_place = in_place.end();
    let create = ["bag", "create", "--copy-to", "shown/b", "s"];
    let copied = pfh(d, create).start();
    let data = d.join("real/b/data");
    eventually("all is copied", || data.join("slow").exists() && !data.join(".pfh-copy").exists());
    copied.signal(Signal::TERM);
    let copied = copied.end();
    let again = pfh(d, create).run();
    mount.unmount().unwrap();
    let made = |bag: &str| format!("`shown/{bag}` is a bag now: 3 files of 3 B in its directory `data`, by sha512\n");
    assert_eq!(text(in_place.done()), made("x"));
    copied.expect(130, "pfh: interrupted; the same command goes on with the copy\n");
    assert_eq!(text(again.done()), made("b"));
    for bag in ["x", "b"] {
        assert_eq!(findings(&d.join("real"), bag), ("valid".to_owned(), Vec::new()));
    }
}

/// While one run has a directory, others are refused, until it ends in whatever way.
#[test]
fn one_run_at_a_time_changes_a_bag() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/small", "small"), ("y/other", "other")]);
    let big = fs::File::create(d.join("x/big")).unwrap();
    // Without contents on the disk, and longer to hash than the test takes.
    big.set_len(64 << 30).unwrap();
    let before = names(&d.join("x"));
    let first = pfh(d, ["bag", "create", "x"]).start();
    first.wait_until_it_reads(&d.join("x/big"));
    let busy = "pfh: another run of `pfh bag` is at work in `x`; try again when it has ended\n";
    for verb in ["create", "update"] {
        bag(d, &[verb, "x"]).expect(2, busy);
    }
    assert_eq!(names(&d.join("x")), before);
    bag(d, &["create", "y"]).expect(0, "");
    first.signal(Signal::KILL);
    assert_eq!(first.end().code(), 137);
    big.set_len(1).unwrap();
    bag(d, &["create", "x"]).expect(0, "");
    // An update keeps others away in the same way.
    big.set_len(64 << 30).unwrap();
    let first = pfh(d, ["bag", "update", "x"]).start();
    first.wait_until_it_reads(&d.join("x/data/big"));
    bag(d, &["update", "x"]).expect(2, busy);
    first.signal(Signal::INT);
    assert_eq!(first.end().code(), 130);
    big.set_len(1).unwrap();
    bag(d, &["update", "x"]).done();
    assert_eq!(bag(d, &["verify", "x"]).code(), 0);
}

/// Killed between the renames of its tag files, an update leaves each of them whole, old or new, and the payload as it
/// was; verification does not find the mixture valid, and another update makes the bag valid.
#[test]
fn a_killed_update_is_mended_by_another() {
    let directory = scratch();
    let d = directory.path();
    // Many renames, so that kills fall between them.
    let many = "md5,sha1,sha224,sha256,sha384,sha512,sha3-224,sha3-256,sha3-384,sha3-512,blake2b,blake2s,blake3";
    let (mut between, mut random) = (0, Random::new(11));
    for round in 0..60 {
        let name = round.to_string();
        let root = d.join(&name);
        tree(&root, &[("a", "a"), ("b", &name), ("sub/c", "c")]);
        bag(d, &["create", "-a", "sha512", &name]).done();
        fs::write(root.join("data/a"), format!("new {round}")).unwrap();
        let before = files(&root);
        let running = pfh(d, ["bag", "update", "-a", many, &name]).start();
        // The first to be renamed.
        let first = root.join("tagmanifest-md5.txt");
        eventually("the tag files get their names", || first.exists());
        let wait = Instant::now();
        while wait.elapsed() < Duration::from_micros(random.below(300)) {}
        running.signal(Signal::KILL);
        let code = running.end().code();
        let after = files(&root);
        for (path, contents) in before.iter().filter(|(path, _)| path.starts_with(b"data/")) {
            assert_eq!(after.get(path), Some(contents));
        }
        // With the last name, bagit.txt, nothing changes.
        if code == 137 && after.keys().any(|path| path.starts_with(b".pfh-bag/") && path != b".pfh-bag/bagit.txt") {
            between += 1;
            assert!(root.join("bagit.txt").exists() && root.join("bag-info.txt").exists());
            assert_ne!(findings(d, &name).0, "valid");
        }
        let again = bag(d, &["update", "-a", many, &name]);
        assert_eq!(again.code(), 0, "{}", again.stderr);
        assert_eq!(findings(d, &name), ("valid".to_owned(), Vec::new()));
        assert!(!root.join(".pfh-bag").exists());
        fs::remove_dir_all(root).unwrap();
    }
    println!("{between} killed between two renames");
    assert!(between > 5, "{between}");
}

#[test]
fn a_full_disk_is_told_and_changes_nothing() {
    let directory = scratch();
    let d = directory.path();
    let disk = d.join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1M", "tmpfs"]).arg(&disk).status();
    if !mount.is_ok_and(|status| status.success()) {
        skipped(Need::Mount, "cannot mount a small filesystem");
        return;
    }
    fs::create_dir(disk.join("x")).unwrap();
    fs::write(disk.join("x/a"), vec![1; 4 << 10]).unwrap();
    let filled = fs::write(disk.join("fill"), vec![0; 2 << 20]);
    let ended = pfh(&disk, ["bag", "create", "x"]).run();
    let names = names(&disk.join("x"));
    let unmounted = Command::new("umount").arg("-l").arg(&disk).status().unwrap();
    assert!(filled.is_err() && unmounted.success());
    assert_eq!((ended.code(), ended.stderr.contains("No space left on device")), (4, true), "{}", ended.stderr);
    assert_eq!(names, ["a"].map(std::path::PathBuf::from));
}

/// Millions of lines take no more memory than the option allows.
#[test]
fn memory_is_bounded() {
    let directory = scratch();
    let d = directory.path();
    let one = digest("md5", b"").to_string();
    let manifest: String =
        (0..600_000).map(|number| format!("{one}  data/a/long/name/of/a/file/{number:040}\n")).collect();
    handmade(&d.join("x"), "1.0", manifest.as_bytes());
    let ended = pfh(d, ["bag", "verify", "-m", "24M", "x"]).run();
    assert!(text(&ended.stdout).starts_with("`x`: not valid: 600,002 errors"), "{}", ended.stderr);
    assert_eq!(ended.code(), 1);
    ended.kept_below(24);
}

#[test]
fn profiles_are_checked() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("x/a.txt", "a")]);
    bag(d, &["create", "-a", "sha256", "--tag", "Contact-Name=A", "x"]).done();
    let profile = r#"{"BagIt-Profile-Info":{"BagIt-Profile-Identifier":"https://p.example/1"},
        "Bag-Info":{"Contact-Name":{"required":true,"values":["B"]},"Source-Organization":{"required":true}},
        "Manifests-Required":["sha512"],"Manifests-Allowed":["sha512"],"Fetch.txt-Required":true,
        "Payload-Files-Required":["data/*.xml"],"Payload-Files-Allowed":["data/*.xml"],"Accept-BagIt-Version":["0.97"]}"#;
    fs::write(d.join("profile.json"), profile).unwrap();
    let ended = bag(d, &["verify", "--profile", "profile.json", "x"]);
    let said = text(&ended.stdout);
    assert_eq!((ended.code(), said.lines().count()), (1, 10), "{said}");
    fs::write(d.join("lax.json"), r#"{"BagIt-Profile-Info":{}}"#).unwrap();
    bag(d, &["verify", "--profile", "lax.json", "x"]).done();
    assert_eq!(bag(d, &["verify", "--profile", "x/bagit.txt", "x"]).code(), 2);
}

/// bagit.py validates our bags, and we validate its bags: `PFH_TEST_BAGIT` names it where it is not in the path.
#[test]
fn bagit_py_agrees() {
    let directory = scratch();
    let d = directory.path();
    let program = std::env::var("PFH_TEST_BAGIT").unwrap_or_else(|_| "bagit.py".to_owned());
    if Command::new(&program).arg("--version").output().is_err() {
        skipped(Need::Bagit, "there is no bagit.py (pip install bagit)");
        return;
    }
    for name in ["ours", "theirs"] {
        tree(
            d,
            &[("a b/c", "1"), ("é", "2"), ("line\nbreak", "3"), ("e", "")]
                .map(|(path, contents)| (Box::leak(format!("{name}/{path}").into_boxed_str()) as &str, contents)),
        );
    }
    bag(d, &["create", "-a", "md5,sha256", "ours"]).done();
    let validated = peer(&program, d, ["--validate", "ours"]).unwrap();
    assert!(validated.status.success(), "{}", text(&validated.stderr));
    let made = peer(&program, d, ["--md5", "--sha512", "--contact-name", "A", "theirs"]).unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    let (verdict, found) = findings(d, "theirs");
    assert_eq!(verdict, "valid", "{found:?}");
    // It encodes a line feed and calls the version 0.97.
    assert!(found.iter().all(|(severity, rule, _)| severity == "warning" && rule == "encoding") && !found.is_empty());
    let updated = text(bag(d, &["update", "theirs"]).done());
    assert!(updated.contains("the bag was of version 0.97, and is of 1.0 now"), "{updated}");
    assert_eq!(findings(d, "theirs"), ("valid".to_owned(), Vec::new()));
    fs::write(d.join("theirs/data/e"), "x").unwrap();
    assert_eq!(findings(d, "theirs").0, "not-valid");
    assert!(!peer(&program, d, ["--validate", "theirs"]).unwrap().status.success());
}

/// A bag of a copy tells why it lacks a file.
#[test]
fn copies_tell_what_their_bags_lack() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("s/a", "1"), ("s/.pfh-copy/notes", "precious")]);
    let said = "pfh: `s/.pfh-copy`: it is not copied, because pfh keeps unfinished copies under this name; rename it\n\
        pfh: 1 file could not be read, so no bag was made\n";
    bag(d, &["create", "--copy-to", "b", "s"]).expect(3, said);
    assert!(!d.join("b/bagit.txt").exists());
    // An interrupted copy to the directory has left a journal.
    fs::rename(d.join("s/.pfh-copy/notes"), d.join("s/.pfh-copy/journal.jsonl")).unwrap();
    let said = "pfh: `s/.pfh-copy` is not copied: an interrupted copy to `s` has left it\n";
    bag(d, &["create", "--copy-to", "b", "s"]).expect(0, said);
    assert_eq!(files(&d.join("b/data")).into_keys().collect::<Vec<_>>(), [b"a"]);
    assert_eq!(findings(d, "b"), ("valid".to_owned(), Vec::new()));
}

/// A kill between the tag files of a copy leaves those that have their names, and a mark that allows for them.
#[test]
fn a_bag_of_a_copy_goes_on_between_its_tag_files() {
    let directory = scratch();
    let d = directory.path();
    tree(d, &[("s/a", "1"), ("s/x/b", "22")]);
    let create = ["create", "-q", "--copy-to", "b", "-a", "md5", "s"];
    bag(d, &create).done();
    let whole = files(&d.join("b"));
    let killed = |names: &[&str]| {
        fs::create_dir(d.join("b/.pfh-bag")).unwrap();
        fs::write(d.join("b/.pfh-bag/moving"), "copied\n").unwrap();
        for name in names {
            fs::rename(d.join("b").join(name), d.join("b/.pfh-bag").join(name)).unwrap();
        }
    };
    for names in [&["bag-info.txt", "bagit.txt"][..], &["manifest-md5.txt", "bag-info.txt", "bagit.txt"], &[]] {
        killed(names);
        assert_ne!(findings(d, "b").0, "valid");
        let told = bag(d, &["verify", "b"]).stdout;
        assert!(text(&told).contains("the same `pfh bag create` command finishes it"), "{}", text(&told));
        let said = "pfh: the making of `b` was interrupted; `pfh bag create --copy-to` finishes it\n";
        bag(d, &["create", "b"]).expect(2, said);
        bag(d, &["update", "b"]).expect(2, said);
        bag(d, &create).done();
        assert_eq!(files(&d.join("b")), whole);
    }
    // Files of others are still none of a bag, and a bag that is made in place is none of a copy.
    killed(&["bagit.txt"]);
    tree(d, &[("b/notes", "mine"), ("c/.pfh-bag/moving", "")]);
    bag(d, &create).expect(2, "pfh: `b` has `notes` in it, which would be no part of the bag\n");
    let said = "pfh: the making of `c` was interrupted; `pfh bag create` finishes it\n";
    bag(d, &["create", "--copy-to", "c", "s"]).expect(2, said);
}

/// A bag of a copy leaves the directory as it is, and goes on after it was killed.
#[test]
fn copies_become_bags() {
    let directory = scratch();
    let d = directory.path();
    tree(&d.join("s"), &[("a", "1"), ("x/b", "22"), ("x/y/c", "333")]);
    fs::create_dir(d.join("s/empty")).unwrap();
    let before = files(&d.join("s"));
    let made = bag(d, &["create", "--copy-to", "new/bag", "s", "-a", "sha256,md5"]);
    let text = "`new/bag` is a bag now: 3 files of 6 B in its directory `data`, by sha256 and md5\n";
    assert_eq!((made.done(), files(&d.join("s"))), (text.as_bytes(), before.clone()));
    assert_eq!(files(&d.join("new/bag/data")), before);
    assert_eq!(bag(d, &["verify", "new/bag"]).code(), 0);
    let again = bag(d, &["create", "--copy-to", "new/bag", "s"]);
    again.expect(2, "pfh: `new/bag` is a bag already; `pfh bag update` writes new manifests\n");

    // Without its tag files it is what a kill leaves; with another file it is no copy any more.
    let without_tags = |name: &str| {
        fs::create_dir_all(d.join(name)).unwrap();
        fs::rename(d.join("new/bag/data"), d.join(name).join("data")).unwrap();
        fs::remove_dir_all(d.join("new")).unwrap();
        fs::create_dir_all(d.join("new/bag")).unwrap();
    };
    without_tags("killed");
    fs::create_dir(d.join("killed/data/.pfh-copy")).unwrap();
    fs::write(d.join("killed/data/.pfh-copy/file-1"), "half").unwrap();
    bag(d, &["create", "-q", "--copy-to", "killed", "s"]).expect(0, "");
    assert_eq!((files(&d.join("killed/data")), bag(d, &["verify", "killed"]).code()), (before, 0));
    for (name, text) in [("more/data/other", "more"), ("other/data/a", "2"), ("strange/notes", "x")] {
        let root = name.split('/').next().unwrap();
        tree(d, &[(name, text)]);
        let refused = bag(d, &["create", "-q", "--copy-to", root, "s"]);
        assert_eq!((refused.code(), d.join(root).join("bagit.txt").exists()), (2, false), "{}", refused.stderr);
    }
    // A name that cannot be in a bag is found before the copy, and no directory is left.
    std::os::unix::fs::symlink("1", d.join("s/link")).unwrap();
    let refused = bag(d, &["create", "--copy-to", "none", "s"]);
    assert_eq!((refused.code(), d.join("none").exists()), (2, false), "{}", refused.stderr);
    // Several directories become a bag each, and one that cannot does not hold back the others.
    tree(d, &[("p/1", "1"), ("q/2", "2")]);
    let several = bag(d, &["create", "p", "none", "q"]);
    several.expect(2, "pfh: `none`: No such file or directory (os error 2)\n");
    assert_eq!(bag(d, &["verify", "p", "q"]).code(), 0);
}
