//! Lists with a line for each algorithm: the lines of a file that follow each other are one entry to every command.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::fixture::*;

/// The first of two messages with one MD5: X. Wang, D. Feng, X. Lai, H. Yu, Collisions for Hash Functions MD4, MD5,
/// HAVAL-128 and RIPEMD, 2004.
const COLLIDING: &str = "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89\
                         55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b\
                         d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0\
                         e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70";

/// The bytes of it whose highest bit is another one in the second message.
const DIFFERING: [usize; 6] = [19, 45, 59, 83, 109, 123];

/// Makes two files with one MD5, `col/a` and `col/b`, and lists of the first by MD5 and SHA-1.
fn colliding() -> TempDir {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("col")).unwrap();
    let byte = |at: usize| u8::from_str_radix(&COLLIDING[at..at + 2], 16).unwrap();
    let one: Vec<u8> = (0..COLLIDING.len()).step_by(2).map(byte).collect();
    let mut other = one.clone();
    DIFFERING.iter().for_each(|at| other[*at] ^= 0x80);
    assert!(digest("md5", &one) == digest("md5", &other) && digest("sha1", &one) != digest("sha1", &other));
    fs::write(d.join("col/a"), one).unwrap();
    fs::write(d.join("col/b"), other).unwrap();
    for format in ["bsd", "hashdeep"] {
        list(d, format, &format!("vendor.{format}"), &["col/a"]);
    }
    directory
}

/// Makes files whose contents are their names, but for the directory.
fn files(names: &[&str]) -> TempDir {
    let directory = scratch();
    for name in names {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
    }
    directory
}

/// Lists paths by MD5 and SHA-1.
fn list(directory: &Path, format: &str, output: &str, paths: &[&str]) {
    hash(directory, [&["-a", "md5,sha1", "-f", format, "-o", output], paths].concat()).run().done();
}

#[test]
fn all_digests_of_a_known_file_have_to_agree() {
    let directory = colliding();
    let d = directory.path();
    pfh(d, ["known", "build", "-q", "--class", "good", "set.pfhk", "vendor.bsd"]).run().done();
    for known in ["good=vendor.hashdeep", "good=vendor.bsd", "set.pfhk"] {
        let ended = pfh(d, ["match", "-q", "--known", known, "--only", "known", "--names-only", "col"]).run();
        assert_eq!(String::from_utf8_lossy(ended.done()), "col/a\n", "{known}");
    }
    for known in ["vendor.hashdeep", "vendor.bsd"] {
        let ended = pfh(d, ["match", "--known", known, "col"]).run();
        assert_eq!(String::from_utf8_lossy(ended.expect(1, "")), format!("col/a matches {known}:col/a\n"));
    }
}

/// Lists of malware have the names of its families: two lines may be about two files.
#[test]
fn lines_that_name_no_algorithm_are_of_files_of_their_own() {
    let directory = files(&["files/one", "files/two"]);
    let d = directory.path();
    let [one, two] = [("md5", "files/one"), ("sha1", "files/two")].map(|(algorithm, name)| {
        let ended = hash(d, ["-a", algorithm, "-f", "gnu", name]).run();
        String::from_utf8(ended.done().to_vec()).unwrap().split(' ').next().unwrap().to_owned()
    });
    for (list, separator) in [("bad.csv", ","), ("bad.txt", "  ")] {
        fs::write(d.join(list), format!("{one}{separator}Emotet\n{two}{separator}Emotet\n")).unwrap();
        pfh(d, ["known", "build", "-q", "--class", "bad", "set.pfhk", list]).run().done();
        let ended = pfh(d, ["match", "-q", "--known", "set.pfhk", "--only", "bad", "--names-only", "files"]).run();
        assert_eq!(ended.expect(1, ""), b"files/one\nfiles/two\n", "{list}");
    }
}

#[test]
fn a_set_has_an_entry_for_each_file() {
    let directory = files(&["files/one", "files/two", "files/three"]);
    let d = directory.path();
    list(d, "bsd", "list", &["files"]);
    let said = "pfh: known files: 3, lines: 3, repeated: 0\n";
    for keep in [&["--keep", "name"][..], &[]] {
        pfh(d, [&["known", "build", "set.pfhk", "list"], keep].concat()).run().expect(0, said);
        pfh(d, ["known", "export", "-q", "-f", "bsd", "-o", "exported", "set.pfhk"]).run().done();
        pfh(d, ["known", "build", "again.pfhk", "exported"]).run().expect(0, said);
    }
}

#[test]
fn each_file_of_a_list_is_asked_about_once() {
    let directory = files(&["files/one", "files/two", "files/three"]);
    let d = directory.path();
    list(d, "hashdeep", "bad.hashdeep", &["files/one"]);
    hash(d, ["-a", "sha1", "-f", "gnu", "-o", "good.sha1", "files/two"]).run().done();
    for format in ["csv", "bsd"] {
        let own = format!("seized.{format}");
        list(d, format, &own, &["files"]);
        let ended =
            pfh(d, ["match", "--known", "bad=bad.hashdeep", "--known", "good=good.sha1", "--digests", &own]).run();
        let counts = "pfh: files: 3, known-bad: 1, known-other: 0, known-good: 1, unknown: 1\n";
        let lines = format!(
            "known-bad    {own}:files/one  (bad.hashdeep: files/one)\nunknown      {own}:files/three\n\
             known-good   {own}:files/two  (good.sha1: files/two)\n"
        );
        assert_eq!(String::from_utf8_lossy(ended.expect(1, counts)), lines);
        let ended = pfh(d, ["match", "--known", "bad.hashdeep", "--digests", &own]).run();
        let found = format!("{own}:files/one matches bad.hashdeep:files/one\n");
        assert_eq!(String::from_utf8_lossy(ended.expect(1, "")), found);
    }
}

#[test]
fn files_of_a_list_are_compared_by_one_of_its_algorithms() {
    let directory = files(&["a/x", "a/y", "b/x"]);
    let d = directory.path();
    list(d, "bsd", "list", &["a", "b"]);
    for algorithm in [&[][..], &["-a", "sha1"]] {
        let ended = pfh(d, [&["dupes", "-q", "-f", "csv", "--digests", "list"], algorithm].concat()).run();
        let group = "group,kind,bytes,saved_bytes,link,list,path\r\n1,file,,0,,list,a/x\r\n1,file,,0,,list,b/x\r\n";
        assert_eq!(String::from_utf8_lossy(ended.expect(1, "")), group);
        pfh(d, [&["covers", "-q", "b", "--by-digests", "list"], algorithm].concat()).run().done();
    }
}

/// A file that is the only one of its list may have another name.
#[test]
fn a_list_of_one_file_is_verified_as_such() {
    let directory = colliding();
    let d = directory.path();
    fs::copy(d.join("col/a"), d.join("same")).unwrap();
    fs::copy(d.join("col/b"), d.join("other")).unwrap();
    for list in ["vendor.hashdeep", "vendor.bsd"] {
        for (file, code) in [("same", 0), ("other", 1)] {
            let ended = pfh(d, ["verify", "-q", list, file]).run();
            assert_eq!(ended.code(), code, "{list} {file}: {}", ended.stderr);
        }
    }
    // To coreutils, each line is a file.
    let ended = pfh(d, ["verify", "--compat", "gnu", "vendor.bsd"]).run();
    assert_eq_bytes(ended.done(), b"col/a: OK\ncol/a: OK\n");
}
