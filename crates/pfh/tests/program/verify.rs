//! `pfh verify`: every class of file, lists in every format, hostile lists, and the outputs of other programs.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

use pfh_testing::{FaultPlan, FaultyMount};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::fixture::*;

fn verify(directory: &Path, words: &str) -> Ended {
    pfh(directory, [&["verify"][..], &words.split_whitespace().collect::<Vec<_>>()].concat()).run()
}

/// Makes a tree below `files`, of which `list` is a list in this format.
fn listed(format: &str, algorithms: &str) -> TempDir {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir_all(d.join("files/below/deep")).unwrap();
    for (name, contents) in [("a", "1"), ("b", "22"), ("below/c", "333"), ("below/deep/d", "4444"), ("empty", "")] {
        fs::write(d.join("files").join(name), contents).unwrap();
    }
    hash(d, ["-a", algorithms, "-f", format, "-o", "list", "files"]).run().done();
    directory
}

#[track_caller]
fn expect(ended: &Ended, code: i32, text: &str) {
    assert_eq!((ended.code(), String::from_utf8_lossy(&ended.stdout).as_ref()), (code, text), "{}", ended.stderr);
}

#[test]
fn lists_of_every_format_verify() {
    for (format, algorithms) in [
        ("gnu", "sha256"),
        ("bsd", "md5"),
        ("hashdeep", "md5,sha256"),
        ("md5deep", "md5"),
        ("sfv", "crc32"),
        ("csv", "sha1,sha512"),
        ("jsonl", "blake3,sha256"),
        ("dfxml", "md5,sha1"),
    ] {
        let directory = listed(format, algorithms);
        let d = directory.path();
        let verified = "Verified: all 5 files are as the list says.\nExpected 5, found 5: 5 matched\n";
        for words in
            ["list", "list .", "list -m 16M", "list -t 1 --io direct", "list --size-first", "list --ignore-new"]
        {
            let text = match words {
                "list --ignore-new" => verified.replace("says.", "says. Other files were not looked for."),
                _ => verified.to_owned(),
            };
            expect(&verify(d, words), 0, &text);
        }
        // One byte of the same length: every digest must see it.
        fs::write(d.join("files/below/c"), "334").unwrap();
        let ended = verify(d, "list -q");
        expect(&ended, 1, "Not verified: 1 changed.\n");
    }
}

#[test]
fn each_file_is_in_one_class() {
    let directory = listed("gnu", "sha256");
    let d = directory.path();
    let files = d.join("files");
    fs::write(files.join("a"), "2").unwrap();
    fs::rename(files.join("b"), files.join("below/moved")).unwrap();
    fs::copy(files.join("below/c"), files.join("copy")).unwrap();
    fs::remove_file(files.join("below/deep/d")).unwrap();
    fs::rename(files.join("empty"), files.join("still empty")).unwrap();
    fs::write(files.join("zz"), "new").unwrap();
    let ended = verify(d, "list");
    let text = "Not verified: 1 changed, 2 missing, 1 moved, 1 copied, 2 new.
Expected 5, found 6: 1 matched, 1 changed, 1 moved, 1 copied, 2 new, 2 missing

changed      files/a  (other sha256; line 1)
missing      files/below/deep/d  (line 4)
missing      files/empty  (line 5)
moved        files/b -> files/below/moved  (line 2)
copied       files/below/c -> files/copy  (line 3)
new          files/still empty
new          files/zz
";
    expect(&ended, 1, text);
    let ended = verify(d, "list --all -f jsonl");
    let objects: Vec<serde_json::Value> =
        ended.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    assert_eq!(objects[1]["verified"], false);
    let classes: Vec<&str> = objects.iter().filter_map(|object| object["class"].as_str()).collect();
    assert_eq!(classes, ["changed", "missing", "missing", "moved", "copied", "new", "new", "matched"]);
    let summary = objects.last().unwrap();
    let count = |key: &str| summary[key].as_u64().unwrap();
    assert_eq!((count("expected"), count("found"), count("moved"), count("missing")), (5, 6, 1, 2));
    let page = verify(d, "list -f html");
    let page = String::from_utf8_lossy(&page.stdout);
    assert!(page.contains("Not verified: 1 changed, 2 missing") && page.contains("files/below/moved"), "{page}");
    // Without the new ones, only what the list has is read.
    let ended = verify(d, "list --ignore-new --ignore-missing");
    let text = "Not verified: 1 changed.
Expected 5, found 2: 1 matched, 1 changed, 3 missing

changed      files/a  (other sha256; line 1)
missing      files/b  (line 2)
missing      files/below/deep/d  (line 4)
missing      files/empty  (line 5)
";
    expect(&ended, 1, text);
    fs::write(files.join("a"), "1").unwrap();
    let text = "Verified: all 2 files are as the list says. Ignored: 3 missing. Other files were not looked for.\n";
    expect(&verify(d, "list --ignore-new --ignore-missing -q"), 0, text);
}

/// Whatever bit of a line of a journal is wrong, the line counts as damaged, and no wrong digest is compared.
#[test]
fn a_wrong_bit_in_a_journal_is_seen() {
    let directory = listed("jsonl", "sha256");
    let d = directory.path();
    let whole = fs::read(d.join("list")).unwrap();
    let line = |path: &[u8]| whole.windows(path.len()).position(|bytes| bytes == path).unwrap();
    let (start, end) = (line(b"files/a"), line(b"files/b"));
    for place in (start..end - 100).step_by(17) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(d.join("list"), damaged).unwrap();
        let ended = verify(d, "list --ignore-new");
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert_eq!(ended.code(), 3, "{place}: {text}{}", ended.stderr);
        let verdict = "Not verified: 1 line of the list could not be read; 4 files are as the list says.\n";
        assert!(text.starts_with(verdict), "{text}");
        assert!(ended.said().contains("`list`: line 2, byte "), "{place}: {}", ended.stderr);
    }
}

#[test]
fn names_and_sizes_alone() {
    let directory = listed("csv", "sha256");
    let d = directory.path();
    fs::write(d.join("files/a"), "2").unwrap();
    let text = "Names and sizes are as the list says: 5 files. No contents were read.\n";
    expect(&verify(d, "list --structure -q"), 0, text);
    // Of a list without sizes, or with some, the verdict claims no more than was compared.
    let (a, b) = (digest("md5", b"a"), digest("md5", b"b"));
    for (text, told) in [
        (format!("{a}  files/a\n{b}  files/b\n"), "It states no sizes of files, and no contents were read."),
        (
            format!("path,size,md5\nfiles/a,1,{a}\nfiles/b,,{b}\n"),
            "It states sizes of 1 file, and they agree. No contents were read.",
        ),
    ] {
        fs::write(d.join("other"), text).unwrap();
        let ended = verify(d, "other --structure --ignore-new -q");
        let text = format!("Names are as the list says: 2 files. {told} Other files were not looked for.\n");
        expect(&ended, 0, &text);
    }
    fs::write(d.join("files/a"), "longer").unwrap();
    let line = "changed      files/a  (size 6 instead of 1; line 2)";
    for words in ["list --structure", "list --size-first", "list"] {
        let ended = verify(d, words);
        assert!(String::from_utf8_lossy(&ended.stdout).contains(line), "{words}");
        assert_eq!(ended.code(), 1);
    }
}

#[test]
fn a_sample_says_so() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    (0..1000).for_each(|number| fs::write(d.join(format!("files/{number}")), number.to_string()).unwrap());
    hash(d, ["-o", "list", "files"]).run().done();
    let of = |words: &str| {
        let ended = verify(d, words);
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        let count = text.strip_prefix("Verified by a sample: ").unwrap().split(' ').next().unwrap();
        (count.parse::<u64>().unwrap(), text)
    };
    let (count, text) = of("list --sample 20 --seed 7 -q");
    assert!((140..260).contains(&count), "{text}");
    assert!(
        text.ends_with("of 1,000 files were read (20 %, seed 7), and all of them are as the list says.\n"),
        "{text}"
    );
    assert_eq!(of("list --sample 20 --seed 7 -q").1, text);
    assert_ne!(of("list --sample 20 --seed 8 -q").1, text);
    assert_eq!(verify(d, "list --sample 0").code(), 2);
}

#[test]
fn a_list_from_another_directory_gets_advice() {
    let directory = listed("gnu", "md5");
    let d = directory.path();
    let above = "pfh: no file is at its path, and most have it without `files/`; if the paths start from another \
                 directory, use --strip-prefix `files/`\n";
    let ended = verify(d, "list files");
    assert_eq!((ended.code(), ended.stderr.as_str()), (1, above));
    expect(&verify(d, "list files --strip-prefix files/ -q"), 0, "Verified: all 5 files are as the list says.\n");

    let list = fs::read_to_string(d.join("list")).unwrap();
    fs::write(d.join("within"), list.replace("files/", "")).unwrap();
    let below = "pfh: no file is at its path, and most are below `files/`; if the paths start from another directory, \
                 name `./files/` as ROOT\n";
    let ended = verify(d, "within .");
    assert_eq!((ended.code(), ended.stderr.as_str()), (1, below));

    // Files that moved among others are no reason for it.
    fs::rename(d.join("files/b"), d.join("files/below/b")).unwrap();
    let ended = verify(d, "within files");
    assert_eq!((ended.code(), ended.stderr.as_str()), (1, ""));
}

#[test]
fn paths_of_other_places() {
    let directory = listed("csv", "md5");
    let d = directory.path();
    let list = fs::read_to_string(d.join("list")).unwrap();
    let verified = "Verified: all 5 files are as the list says.\n";
    fs::write(
        d.join("windows"),
        list.replace("files/", "C:\\data\\").replace("below/", "below\\").replace("deep/", "deep\\"),
    )
    .unwrap();
    expect(&verify(d, "windows files --backslashes --strip-prefix C:\\data -q"), 0, verified);
    fs::write(d.join("elsewhere"), list.replace("files/", "/srv/originals/")).unwrap();
    expect(&verify(d, "elsewhere files --strip-prefix /srv/originals/ -q"), 0, verified);
    let ended = verify(d, "elsewhere files");
    assert_eq!(ended.code(), 2);
    assert!(
        ended.stderr.contains("5 of its paths are not below `files`") && ended.stderr.contains("--strip-prefix"),
        "{}",
        ended.stderr
    );
    // Absolute paths need no root, and may be below one.
    let absolute = d.canonicalize().unwrap().join("files");
    hash(d, ["-f".as_ref(), "hashdeep".as_ref(), "-o".as_ref(), "absolute".as_ref(), absolute.as_os_str()])
        .run()
        .done();
    let elsewhere = scratch();
    let list = d.join("absolute");
    for words in [vec![list.as_os_str()], vec![list.as_os_str(), absolute.as_os_str()]] {
        let ended = pfh(elsewhere.path(), [&["verify".as_ref(), "-q".as_ref()], &words[..]].concat()).run();
        expect(&ended, 0, verified);
    }
    // From standard input.
    let ended = pfh(d, ["verify", "-", "-q"]).input(fs::read(d.join("list")).unwrap()).run();
    expect(&ended, 0, verified);
    // The list itself, and the report, are none of the files.
    fs::rename(d.join("list"), d.join("files/list")).unwrap();
    let ended = verify(d, "files/list . -q -o files/report");
    assert_eq!(ended.code(), 1, "windows and the other lists are new");
    fs::remove_file(d.join("files/report")).unwrap();
    expect(&verify(d, "files/list -q -o files/report"), 0, "");
    assert_eq!(fs::read_to_string(d.join("files/report")).unwrap(), verified);
}

/// Logs of programs that make images of disks, and the history of AVP Fixity: the seeds of their fuzz targets, all of
/// which are about files with the contents `hello`.
#[test]
fn lists_of_other_programs_verify() {
    let directory = scratch();
    let d = directory.path();
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let seed = |name: &str| fs::read(seeds.join(name)).unwrap()[1..].to_vec();
    for (log, image) in [
        ("dc3dd", "hello.txt"),
        ("dcfldd", "image.dd"),
        ("ewfacquire", "image.dd"),
        ("ftk", "image.dd"),
        ("guymager", "image.dd"),
    ] {
        fs::write(d.join("log"), seed(&format!("imager/{log}"))).unwrap();
        fs::write(d.join(image), "hello").unwrap();
        let words = format!("log {image} -q");
        expect(&verify(d, &words), 0, "Verified: the file is as the list says.\n");
        fs::write(d.join(image), "Hello").unwrap();
        expect(&verify(d, &words), 1, "Not verified: 1 changed.\n");
    }
    fs::write(d.join("history.tsv"), seed("avp/avp")).unwrap();
    fs::create_dir(d.join("archive")).unwrap();
    for name in ["hello.txt", "tab\there"] {
        fs::write(d.join("archive").join(name), "hello").unwrap();
    }
    let words = "history.tsv archive --strip-prefix /archive -q";
    expect(&verify(d, words), 0, "Verified: all 2 files are as the list says.\n");
    fs::write(d.join("archive/hello.txt"), "Hello").unwrap();
    expect(&verify(d, words), 1, "Not verified: 1 changed.\n");
}

#[test]
fn one_file_whatever_its_name() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("disk.raw"), "image").unwrap();
    fs::write(d.join("other"), "other").unwrap();
    hash(d, ["-o", "one", "disk.raw"]).run().done();
    hash(d, ["-o", "both", "disk.raw", "other"]).run().done();
    fs::rename(d.join("disk.raw"), d.join("evidence.dd")).unwrap();
    let verified = "Verified: the file is as the list says.\n";
    expect(&verify(d, "one evidence.dd -q"), 0, verified);
    expect(&verify(d, "both other -q"), 0, verified);
    let ended = verify(d, "both evidence.dd");
    assert!(ended.code() == 2 && ended.stderr.contains("none has the name of `evidence.dd`"), "{}", ended.stderr);
    fs::write(d.join("evidence.dd"), "imagE").unwrap();
    let text = "Not verified: 1 changed. No file agrees with the list, which does not name its algorithm: by the \
                length of its digests it is sha256, and -a names another.\n";
    expect(&verify(d, "one evidence.dd -q"), 1, text);
    expect(&verify(d, "one evidence.dd -q -a sha256"), 1, "Not verified: 1 changed.\n");
}

/// Of several files with the name of ROOT, the one with its path is meant; where none has it, nothing is compared.
#[test]
fn a_file_is_not_compared_with_another_of_its_name() {
    let directory = scratch();
    let d = directory.path();
    for name in ["a", "b"] {
        fs::create_dir(d.join(name)).unwrap();
        fs::write(d.join(name).join("x"), name).unwrap();
    }
    let verified = "Verified: the file is as the list says.\n";
    let absolute = ["a", "b"].map(|name| d.join(name));
    for format in ["bsd", "csv", "jsonl"] {
        hash(d, ["-f", format, "-o", format, "a", "b"]).run().done();
        let from_root = format!("{format}-from-root");
        hash(d, ["-f", format, "-o", &from_root]).with(|command| command.args(&absolute)).run().done();
        for list in [format, &from_root] {
            for root in ["a/x", "./b//x", "b/../a/x"] {
                expect(&verify(d, &format!("{list} {root} -q")), 0, verified);
            }
            // The other file of this name takes its place.
            fs::copy(d.join("b/x"), d.join("a/x")).unwrap();
            expect(&verify(d, &format!("{list} a/x -q")), 1, "Not verified: 1 changed.\n");
            fs::write(d.join("a/x"), "a").unwrap();
            fs::rename(d.join("a"), d.join("c")).unwrap();
            let ended = verify(d, &format!("{list} c/x"));
            let told = "has several files with the name of `c/x`, in lines ";
            assert!(ended.code() == 2 && ended.stderr.contains(told), "{}", ended.stderr);
            fs::rename(d.join("c"), d.join("a")).unwrap();
        }
    }
    // One file of this name is meant, wherever its directory was, and a prefix tells which of several.
    hash(d, ["-f", "csv", "-o", "one", "a"]).run().done();
    fs::rename(d.join("a"), d.join("c")).unwrap();
    for words in ["one c/x -q", "csv c/x --strip-prefix a -q"] {
        expect(&verify(d, words), 0, verified);
    }
}

/// ROOT is a path, and standard input is none.
#[test]
fn a_root_that_is_named_by_a_hyphen_is_a_file() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("-"), "1").unwrap();
    fs::write(d.join("list"), line(b"1", "-")).unwrap();
    let ended = pfh(d, ["verify", "list", "-", "-q"]).input("other").run();
    expect(&ended, 0, "Verified: the file is as the list says.\n");
}

/// Where every file differs, the algorithm may be another one than the length of the digests suggests.
#[test]
fn a_wrong_guess_of_the_algorithm_is_told() {
    let directory = listed("gnu", "sha3-256");
    let d = directory.path();
    let text = "Not verified: 5 changed. No file agrees with the list, which does not name its algorithm: by the \
                length of its digests it is sha256, and -a names another.\n";
    expect(&verify(d, "list -q"), 1, text);
    let ended = verify(d, "list -f jsonl");
    let verdict: serde_json::Value =
        serde_json::from_slice(ended.stdout.split(|byte| *byte == b'\n').nth(1).unwrap()).unwrap();
    assert_eq!(verdict["text"].as_str(), Some(text.trim_end()));
    expect(&verify(d, "list -q -a sha3-256"), 0, "Verified: all 5 files are as the list says.\n");
    // A name is no guess, and a file that agrees supports it.
    fs::copy(d.join("list"), d.join("SHA256SUMS")).unwrap();
    expect(&verify(d, "SHA256SUMS -q"), 1, "Not verified: 5 changed.\n");
    let list = fs::read_to_string(d.join("list")).unwrap();
    fs::write(d.join("list"), list.replace(&digest("sha3-256", b"1").to_string(), &digest("sha256", b"1").to_string()))
        .unwrap();
    expect(&verify(d, "list -q"), 1, "Not verified: 4 changed.\n");
}

/// A file that agrees by accident is no support of a guess: an empty one is the same to CRC-32 and CRC-32C, and among
/// very many another may be.
#[test]
fn an_accident_supports_no_guess_of_the_algorithm() {
    let directory = listed("gnu", "crc32c");
    let d = directory.path();
    let advice = " Hardly any file agrees with the list, which does not name its algorithm: by the length of its digests \
                  it is crc32, and -a names another.\n";
    expect(&verify(d, "list -q"), 1, &format!("Not verified: 4 changed.{advice}"));
    expect(&verify(d, "list -q -a crc32"), 1, "Not verified: 4 changed.\n");
    let mut list = format!("{}  many/0\n", digest("crc32", b"x"));
    fs::create_dir(d.join("many")).unwrap();
    fs::write(d.join("many/0"), "x").unwrap();
    for number in 1..=101 {
        fs::write(d.join(format!("many/{number}")), "x").unwrap();
        list += &format!("{}  many/{number}\n", digest("crc32c", b"x"));
    }
    fs::write(d.join("list"), &list).unwrap();
    expect(&verify(d, "list -q"), 1, &format!("Not verified: 101 changed.{advice}"));
    // One of a hundred is no accident.
    fs::remove_file(d.join("many/101")).unwrap();
    expect(&verify(d, "list -q --ignore-missing"), 1, "Not verified: 100 changed.\n");
}

/// A list of pieces says what it is, and its files are not merely missing.
#[test]
fn missing_names_of_pieces_are_told() {
    let directory = listed("gnu", "md5");
    let d = directory.path();
    let told = |count: u64| {
        format!(
            " {count} missing files have names of pieces (`NAME offset START-END`), which --piecewise reads as such.\n"
        )
    };
    hash(d, "-a md5,sha256 -f hashdeep --piecewise 2 -o pieces files".split(' ')).run().done();
    // A piece that is a whole file has its contents.
    expect(&verify(d, "pieces -q"), 1, &format!("Not verified: 5 missing, 2 moved, 3 new.{}", told(5)));
    hash(d, "-a md5 -f gnu --piecewise 2 -o pieces files".split(' ')).run().done();
    expect(&verify(d, "pieces -q"), 1, &format!("Not verified: 7 missing.{}", told(7)));
    let text = "Verified: all 5 files are as the list says.";
    expect(&verify(d, "pieces -q --piecewise"), 0, &format!("{text}\n"));
    expect(&verify(d, "pieces -q --ignore-missing"), 0, &format!("{text} Ignored: 7 missing.{}", told(7)));
}

/// A list whose records end with NUL is told as such, with the way to read it.
#[test]
fn records_that_end_with_nul() {
    let directory = listed("gnu", "sha256");
    let d = directory.path();
    hash(d, ["-0", "-f", "gnu", "-o", "nul", "files"]).run().done();
    let said = "pfh: `nul` is a list whose records end with NUL: `pfh convert --as gnu --read-null -f jsonl LIST` \
                writes one that every command reads\n";
    for words in ["verify nul", "dupes --digests nul", "convert -f csv nul"] {
        pfh(d, words.split(' ')).run().expect(2, said);
    }
    let ended = verify(d, "nul --as gnu");
    assert!(ended.code() == 2 && ended.stderr.contains(" --read-null "), "{}", ended.stderr);
    pfh(d, "convert -q --as gnu --read-null -f jsonl -o lines nul".split(' ')).run().expect(0, "");
    expect(&verify(d, "lines -q"), 0, "Verified: all 5 files are as the list says.\n");
}

#[test]
fn odd_names_verify() {
    let (directory, files) = odd();
    let d = directory.path();
    for format in ["gnu", "jsonl", "csv", "dfxml"] {
        let ended = hash(d, ["-f", format, "-o", "list", "tree"]).run();
        let ended = if ended.code() == 0 { verify(d, "list -q") } else { continue };
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(text.starts_with(&format!("Verified: all {} files ", files.len())), "{format}: {text}");
    }
}

/// No list makes pfh read outside the root.
#[test]
fn nothing_outside_the_root_is_read() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir_all(d.join("root/in")).unwrap();
    fs::create_dir(d.join("out")).unwrap();
    for name in ["root/in/a", "out/secret"] {
        fs::write(d.join(name), "x").unwrap();
    }
    symlink("../out", d.join("root/link")).unwrap();
    symlink("../../out/secret", d.join("root/in/file-link")).unwrap();
    let digest = digest("sha256", b"x");
    let other = "0".repeat(64);
    // Were it read, these digests would not agree.
    let names = ["../out/secret", "in/../../out/secret", "/etc/passwd", "link/secret", "in/file-link"];
    let list: String = names.iter().map(|name| format!("{other}  {name}\n")).collect();
    fs::write(d.join("list"), format!("{list}{digest}  in/a\n")).unwrap();
    let text = "Not verified: 5 files could not be compared; 1 file is as the list says.
Expected 6, found 1: 1 matched, 5 not-checked

not-checked  /etc/passwd  (the path is absolute and not below the root; line 3)
not-checked  ../out/secret  (the path has a component `..`, which could lead out of the root; line 1)
not-checked  in/../../out/secret  (the path has a component `..`, which could lead out of the root; line 2)
not-checked  in/file-link  (it is a symbolic link; --follow-files reads it; line 5)
not-checked  link/secret  (`root/link` is a symbolic link; --follow-directories follows it; line 4)
";
    expect(&verify(d, "list root"), 3, text);
    let ended = verify(d, "list root --ignore-new");
    assert_eq!(ended.code(), 3);
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(!printed.contains("changed") && printed.contains("found 1"), "{printed}");
    // The deepest common directory is behind a link: the walk begins before it.
    fs::write(d.join("deep"), format!("{digest}  link/secret\n")).unwrap();
    assert_eq!(verify(d, "deep root").code(), 5);
}

#[test]
fn a_directory_is_no_list() {
    let directory = listed("gnu", "md5");
    let ended = verify(directory.path(), "files list");
    assert_eq!((ended.code(), &*ended.stderr), (2, "pfh: `files` is a directory, and no list of digests\n"));
}

#[test]
fn hostile_lists() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("root")).unwrap();
    fs::write(d.join("root/a"), "x").unwrap();
    let digest = digest("sha256", b"x");
    let good = format!("{digest}  a\n");
    let deep = format!("{digest}  {}\n", "d/".repeat(1_000_000));
    let line_of = |list: &str| {
        fs::write(d.join("list"), list).unwrap();
        let ended = verify(d, "list root");
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        (ended.code(), text.lines().next().unwrap_or_default().to_owned(), ended.stderr)
    };
    let verified = "Verified: the file is as the list says.";
    let unread = "Not verified: 1 line of the list could not be read; 1 file is as the list says.";
    let (code, text, _) = line_of(&format!("{good}{good}./{}", &good[..0]));
    assert_eq!((code, &*text), (3, unread));
    assert_eq!(line_of(&format!("{good}{good}")).1, verified);
    assert_eq!(line_of(&format!("\u{feff}{good}")).1, verified);
    assert_eq!(line_of(&good.replace('\n', "\r\n")).1, verified);
    let (code, text, _) = line_of(&format!("{good}{deep}"));
    assert_eq!((code, &*text), (3, unread));
    let (code, text, _) = line_of(&format!("{good}{}", deep.replace(&"d/".repeat(990_000), "")));
    assert_eq!((code, &*text), (3, "Not verified: 1 file could not be compared; 1 file is as the list says."));
    let (code, text, _) = line_of(&format!("{good}{}  a\n", "0".repeat(64)));
    assert_eq!((code, &*text), (1, "Not verified: 1 changed."));
    let (code, _, said) = line_of("");
    assert!(code == 2 && said.contains("`list` is empty: it has no line about a file"), "{said}");
    // A name with a NUL, which JSON can have.
    fs::write(d.join("nul"), format!("{{\"type\":\"file\",\"path\":\"a\\u0000b\",\"outcome\":\"complete\",\"digests\":{{\"sha256\":\"{digest}\"}}}}\n{{\"type\":\"file\",\"path\":\"a\",\"outcome\":\"complete\",\"digests\":{{\"sha256\":\"{digest}\"}}}}\n")).unwrap();
    let ended = verify(d, "nul root");
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.code() == 3 && text.contains("the path has a NUL byte"), "{text}{}", ended.stderr);
}

/// Words before a list do not decide what it is, and an option does.
#[test]
fn the_format_of_a_list() {
    let directory = listed("gnu", "sha256");
    let d = directory.path();
    let list = fs::read_to_string(d.join("list")).unwrap();
    // A comment, as cfv writes it.
    fs::write(d.join("list"), format!("; text\n{list}")).unwrap();
    assert!(verify(d, "list").done().starts_with(b"Verified: all 5 files are as the list says.\n"));
    for first in ["Checksums made 20240131", "Key ID 1234ABCD", " ", "\t"] {
        fs::write(d.join("list"), format!("{first}\n{list}")).unwrap();
        let ended = verify(d, "list");
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        let unread = "Not verified: 1 line of the list could not be read; 5 files are as the list says.\n";
        assert!(ended.code() == 3 && text.starts_with(unread), "{first}: {text}{}", ended.stderr);
        assert!(ended.stderr.contains("expected a digest at the beginning of the line"), "{}", ended.stderr);
    }
    fs::write(d.join("list"), "made 20240131\n").unwrap();
    let said = "pfh: `list`: line 1, byte 0: expected a digest at the beginning of the line\n\
                pfh: no line of `list` could be read as gnu; if it is another format, name that with --as, and if its \
                records end with NUL, `pfh convert --as gnu --read-null -f jsonl` writes it anew\n";
    verify(d, "list --as gnu").expect(2, said);
    assert_eq!(verify(d, "list --as sfv --structure --ignore-new").code(), 1);
    // The same for other commands, as far as they read lists.
    for (words, code) in [
        ("dupes --as gnu --digests list", 2),
        ("covers --as gnu --digests list --by files", 3),
        ("match --as gnu --known list files", 2),
        ("match --as gnu --known bad=list files", 2),
        ("compare --as gnu --digests list", 2),
        ("match --as sfv -a crc32 --known list files", 0),
    ] {
        let ended = pfh(d, words.split(' ')).run();
        let is_told = words.contains("sfv") || ended.stderr.contains("expected a digest at the beginning of the line");
        assert!(ended.code() == code && is_told, "{words}: {} {}", ended.code(), ended.stderr);
    }
    let said = "pfh: --as gnu is for lists, and none is given\n";
    for words in ["dupes --as gnu files", "compare --as gnu files", "match --as gnu --digest 0a1b2c3d files"] {
        pfh(d, words.split(' ')).run().expect(2, said);
    }
    // A file of another kind is told as such.
    fs::write(d.join("list"), list).unwrap();
    pfh(d, ["known", "build", "-q", "set.pfhk", "list"]).run().expect(0, "");
    let ended = verify(d, "set.pfhk");
    assert!(ended.code() == 2 && ended.stderr.starts_with("pfh: `set.pfhk` is a known set: "), "{}", ended.stderr);
}

/// A directory, a FIFO or a link in the place of a file is told, and a FIFO is not waited for.
#[test]
fn no_files_in_their_places() {
    let directory = listed("gnu", "sha256");
    let d = directory.path();
    for name in ["a", "b", "empty"] {
        fs::remove_file(d.join("files").join(name)).unwrap();
    }
    fs::create_dir(d.join("files/a")).unwrap();
    fifo(&d.join("files/b"));
    symlink("below/c", d.join("files/empty")).unwrap();
    let lines = [
        "changed      files/a  (it is a directory now; line 1)",
        "changed      files/b  (it is a FIFO now; line 2)",
        "not-checked  files/empty  (it is a symbolic link; --follow-files reads it; line 5)",
    ];
    let ended = verify(d, "list");
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.code() == 5 && lines.iter().all(|line| text.contains(line)), "{text}");
    let ended = verify(d, "list --follow-files -q");
    expect(&ended, 1, "Not verified: 3 changed.\n");
    // A device is read if it is named, so the list may have been made of it.
    fs::write(d.join("devices"), line(b"", "/dev/null")).unwrap();
    let text = "Not verified: 1 file could not be compared; 0 files are as the list says.
Expected 1, found 0: 1 not-checked

not-checked  null  (a device; name it as ROOT to compare it; line 1)
";
    expect(&verify(d, "devices /dev --ignore-new"), 3, text);
}

#[test]
fn files_left_out_on_request_do_not_fail() {
    let directory = listed("gnu", "sha256");
    let d = directory.path();
    fs::write(d.join("files/a"), "changed").unwrap();
    let ended = verify(d, "list --exclude a");
    expect(
        &ended,
        0,
        "Verified as far as asked: 4 files are as the list says.\nExpected 5, found 4: 4 matched, 1 not-checked\n",
    );
}

/// Not even a list that expects itself is read, and a file that comes late is not taken for one that was left out.
#[test]
fn only_what_was_left_out_on_request_does_not_fail() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("own")).unwrap();
    fs::write(d.join("own/a"), "1").unwrap();
    fs::write(d.join("own/sums"), [line(b"1", "a"), line(b"", "sums")].concat()).unwrap();
    let text = "Verified as far as asked: 1 file is as the list says.\nExpected 2, found 1: 1 matched, 1 not-checked\n";
    expect(&verify(&d.join("own"), "sums"), 0, text);

    fs::create_dir(d.join("t")).unwrap();
    fs::write(d.join("list"), [line(b"\0", "t/big"), line(b"expected", "t/late")].concat()).unwrap();
    let big = fs::File::create(d.join("t/big")).unwrap();
    big.set_len(64 << 30).unwrap();
    let running = pfh(d, ["verify", "list"]).start();
    running.wait_until_it_reads(&d.join("t/big"));
    fs::write(d.join("t/late"), "other").unwrap();
    big.set_len(1).unwrap();
    let ended = running.end();
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(text.contains("unreadable   t/late  (it is there now, and was not found before"), "{text}");
}

#[test]
fn unreadable_files_are_no_verdict() {
    let directory = scratch();
    let d = directory.path();
    for name in ["real", "shown"] {
        fs::create_dir(d.join(name)).unwrap();
    }
    fs::write(d.join("real/whole"), "x").unwrap();
    fs::write(d.join("real/torn"), contents(0, 3_000_000)).unwrap();
    pfh(&d.join("real"), ["hash", "-o", "../list", "."]).run().done();
    let plan = FaultPlan::parse(b"torn eio 1000000 2000000").unwrap();
    let mount = match FaultyMount::new(&d.join("real"), &d.join("shown"), plan) {
        Ok(mount) => mount,
        Err(error) => return skipped(Need::Fuse, format_args!("cannot mount: {error}")),
    };
    let ended = verify(d, "list shown");
    mount.unmount().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(ended.code(), 3, "{text}");
    assert!(text.starts_with("Not verified: 1 file could not be read; 1 file is as the list says.\n"), "{text}");
    assert!(text.contains("unreadable   torn  ("), "{text}");
}

#[test]
fn a_long_list_needs_little_memory() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("root")).unwrap();
    fs::write(d.join("root/a"), "x").unwrap();
    let digest = digest("sha256", b"x");
    let mut list = format!("{digest}  a\n");
    for number in 0..400_000 {
        list += &format!("{:064x}  directory/{number}\n", number + 1);
    }
    fs::write(d.join("list"), list).unwrap();
    let ended = verify(d, "list root -m 16M -q");
    expect(&ended, 1, "Not verified: 400,000 missing.\n");
    // A bit for each expected file is nothing beside this.
    ended.kept_below(16);
}

/// Scripts that read the output of coreutils see the same.
#[test]
fn coreutils_and_pfh_print_the_same() {
    let directory = scratch();
    let d = directory.path();
    for name in ["a", "b", "n\nl", "n\nl\rr", "b\\s"] {
        fs::write(d.join(name), name).unwrap();
    }
    fs::create_dir(d.join("dir")).unwrap();
    let Some(list) = peer("sha256sum", d, ["a", "b", "n\nl", "n\nl\rr", "b\\s"]) else { return };
    let list = String::from_utf8(list.stdout).unwrap();
    let a = digest("sha256", b"a");
    let odd = format!(
        "{list}\ngarbage\n# comment\nd41d8cd98f00b204e9800998ecf8427e  a\n{a}  missing\n{a}  dir\nSHA256 (a) = {a}\n\
         MD5 (a) = 60b725f10c9c85c70d97880dfe8191b3\n{a}  a\r\n{a}  b\n"
    );
    for (name, text) in [
        ("good", &*list),
        ("odd", &odd),
        ("none", ""),
        ("gone", &format!("{a}  missing\n")),
        ("mark", &format!("\u{feff}{list}")),
    ] {
        fs::write(d.join(name), text).unwrap();
    }
    for name in ["good", "odd", "none", "gone", "mark", "nothing"] {
        for options in [
            "",
            "--quiet",
            "--status",
            "--strict",
            "--warn",
            "--ignore-missing",
            "--quiet --warn",
            "--warn --status",
            "--warn --strict --quiet",
        ] {
            let words: Vec<&str> = options.split_whitespace().chain([name]).collect();
            let Some(theirs) = peer("sha256sum", d, [&["--check"], &words[..]].concat()) else { return };
            let ours = pfh(d, [&["verify", "--compat", "gnu", "-a", "sha256"], &words[..]].concat()).run();
            assert_eq!(Some(ours.code()), theirs.status.code(), "{words:?}");
            assert_eq!(ours.stderr, String::from_utf8_lossy(&theirs.stderr), "{words:?}");
            assert_eq_bytes(&ours.stdout, &theirs.stdout);
        }
    }
}

/// Lists of `cksum`, whose lines name their algorithms, and lines whose name is `-`.
#[test]
fn cksum_and_pfh_print_the_same() {
    let directory = scratch();
    let d = directory.path();
    for name in ["a", "b", "n\nl"] {
        fs::write(d.join(name), name).unwrap();
    }
    let mut lists = vec![String::new(); 3];
    for (place, arguments) in ["md5", "sha256", "sm3", "blake2b", "blake2b -l 256"].into_iter().enumerate() {
        let words = ["-a"].into_iter().chain(arguments.split(' '));
        let Some(made) = peer("cksum", d, words.chain(["a", "n\nl", "b"])) else { return };
        if !made.status.success() {
            return skipped(Need::Peers, "cksum is older than coreutils 9.0");
        }
        let text = String::from_utf8(made.stdout).unwrap();
        lists[0] += &text;
        lists[1] += &format!("garbage {place}\n{text}{}  a\n", digest("sha256", b"a"));
        lists[2] += &text.replace("(a)", "(missing)").replace("(b)", "(a)");
    }
    // Algorithms by turns, and lines without one.
    let mut turns: Vec<&str> = lists[0].lines().collect();
    turns.sort_by_key(|line| line.contains("(a)"));
    let turns = turns.join("\n");
    let input = |tag: bool, contents: &[u8]| match tag {
        true => format!("SHA256 (-) = {}\n", digest("sha256", contents)),
        false => format!("{}  -\n", digest("sha256", contents)),
    };
    let ([plain, odd, wrong], untagged) = (<[String; 3]>::try_from(lists).unwrap(), input(false, b"given"));
    let both = input(true, b"given") + &plain + &input(true, b"") + &input(true, b"given");
    let texts: [(&str, String); 8] = [
        ("plain", plain),
        ("SHA256SUMS", format!("# comment\n\n{}", odd.trim_start_matches("garbage 0\n"))),
        ("wrong", wrong),
        ("turns", turns),
        ("input", both),
        ("inputs", untagged.clone() + &untagged),
        ("other", input(false, b"other")),
        ("untagged", format!("{}  a\n", digest("sha256", b"a"))),
    ];
    for (name, text) in &texts {
        fs::write(d.join(name), text).unwrap();
    }
    let by_sum = ["inputs", "other", "untagged"];
    for (name, list) in &texts {
        let program = if by_sum.contains(name) { "sha256sum" } else { "cksum" };
        for options in ["", "--quiet", "--status", "--strict", "--warn", "--ignore-missing"] {
            let words: Vec<&str> = options.split_whitespace().chain([*name]).collect();
            let theirs = Run::new(program, d, [&["--check"], &words[..]].concat()).input("given").run();
            let ours = pfh(d, [&["verify", "--compat", "gnu"], &words[..]].concat()).input("given").run();
            assert_eq!((ours.code(), &ours.stderr), (theirs.code(), &theirs.stderr), "{words:?}");
            assert_eq_bytes(&ours.stdout, &theirs.stdout);
        }
        // From standard input, which then is no file of the list.
        let theirs = Run::new(program, d, ["--check", "--warn"]).input(list.as_bytes()).run();
        let ours = pfh(d, ["verify", "--compat", "gnu", "--warn", "-"]).input(list.as_bytes()).run();
        assert_eq!((ours.code(), &ours.stderr), (theirs.code(), &theirs.stderr), "{name}");
        assert_eq_bytes(&ours.stdout, &theirs.stdout);
    }
}

/// Spellings of tags, blanks, marks and names that are empty or missing.
#[test]
fn coreutils_and_pfh_take_the_same_lines() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("a"), "a").unwrap();
    let [md5, sha256, blake2b, short, sm3] =
        ["md5", "sha256", "blake2b", "blake2b-256", "sm3"].map(|name| digest(name, b"a").to_string());
    let mut tags = String::new();
    for (digest, names) in [
        (&md5, &["MD5", "md5", "Md5", "MD-5", "MD5 ", "MD5  ", "MD5\t", "MD5-64"][..]),
        (&sha256, &["SHA256", "SHA-256", "SHA2-256", "sha256"]),
        (&blake2b, &["BLAKE2b", "BLAKE2b-512", "BLAKE2B", "blake2b-512", "BLAKE2b-0512"]),
        (&short, &["BLAKE2b-256", "BLAKE2B-256", "BLAKE2b-256\t", "BLAKE2b"]),
        (&sm3, &["SM3", "SM3 ", "sm3"]),
    ] {
        tags.extend(names.iter().map(|name| format!("{name} (a) = {digest}\n")));
    }
    let shapes = format!(
        "MD5(a)= {md5}\nMD5 (a)\t=\t{md5}\nMD5 (a) = {md5} \n MD5 (a) = {md5}\nMD5 () = {md5}\nMD5() = {md5}\n\
         MD5 (a)(b) = {md5}\n\\MD5 (a\\\\b) = {md5}\nMD5 (a)\nMD5 (a) = \n"
    );
    let untagged = format!("{blake2b}  a\n{short}  a\n{md5}  b\n");
    let nameless = format!("{md5} \n{md5}  a\n{md5} *a\n{md5} a\n");
    let marked = format!("\u{feff}{md5}  a\n{md5}  \n{md5}  a\n");
    let comment = format!("\u{feff}# comment\n{md5}  a\n");
    let units: Vec<u8> = format!("\u{feff}{md5}  a\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let lists: [(&str, &[u8]); 7] = [
        ("tags", tags.as_bytes()),
        ("shapes", shapes.as_bytes()),
        ("untagged", untagged.as_bytes()),
        ("nameless", nameless.as_bytes()),
        ("marked", marked.as_bytes()),
        ("comment", comment.as_bytes()),
        ("utf-16", &units),
    ];
    for (name, list) in lists {
        fs::write(d.join(name), list).unwrap();
    }
    let Some(has_sm3) = peer("cksum", d, ["-a", "sm3", "a"]) else { return };
    if !has_sm3.status.success() {
        return skipped(Need::Peers, "cksum is older than coreutils 9.0");
    }
    for (program, algorithm, names) in [
        ("md5sum", &["-a", "md5"][..], &["tags", "shapes", "nameless", "marked", "comment", "utf-16"][..]),
        ("sha256sum", &["-a", "sha256"], &["tags"]),
        ("b2sum", &["-a", "blake2b"], &["tags", "untagged"]),
        ("cksum", &[], &["tags", "shapes"]),
    ] {
        for &name in names {
            let Some(theirs) = peer(program, d, ["--check", "--warn", name]) else { return };
            let ours = pfh(d, [&["verify", "--compat", "gnu", "--warn", name][..], algorithm].concat()).run();
            assert_eq!(Some(ours.code()), theirs.status.code(), "{program} {name}");
            assert_eq!(ours.stderr, String::from_utf8_lossy(&theirs.stderr), "{program} {name}");
            assert_eq_bytes(&ours.stdout, &theirs.stdout);
        }
    }
}

/// Lines come in the order of the walk, which for hashdeep is that of the directory.
#[test]
fn hashdeep_and_pfh_print_the_same() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    let write = |name: &str, contents: &str| fs::write(d.join("files").join(name), contents).unwrap();
    for (name, contents) in [("one", "1"), ("two", "2"), ("three", "3"), ("empty", "")] {
        write(name, contents);
    }
    let Some(known) = peer("hashdeep", d, ["-r", "-l", "files"]) else { return };
    let known = String::from_utf8(known.stdout).unwrap();
    fs::write(d.join("known"), &known).unwrap();
    let one = digest("sha256", b"1").to_string();
    fs::write(d.join("digest"), known.replace(&one, &"0".repeat(64))).unwrap();
    fs::write(
        d.join("size"),
        known.replace(&format!("1,{}", digest("md5", b"1")), &format!("2,{}", digest("md5", b"1"))),
    )
    .unwrap();
    let sorted = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let check = || {
        for list in ["known", "digest", "size"] {
            for verbosity in [&[][..], &["-v"], &["-vv"], &["-vvv"]] {
                let theirs =
                    peer("hashdeep", d, [&["-r", "-l", "-a"], verbosity, &["-k", list, "files"]].concat()).unwrap();
                let ours = pfh(d, [&["verify", "--compat", "hashdeep"], verbosity, &[list, "files"]].concat()).run();
                assert_eq!(Some(ours.code()), theirs.status.code(), "{list} {verbosity:?}");
                assert_eq!(sorted(&ours.stdout), sorted(&theirs.stdout), "{list} {verbosity:?}");
            }
        }
    };
    check();
    fs::rename(d.join("files/two"), d.join("files/moved")).unwrap();
    write("three", "x");
    write("new", "new");
    fs::remove_file(d.join("files/empty")).unwrap();
    check();
}

/// A list of a disk that is not mounted is not compared with whatever is above its mount point.
#[test]
fn nothing_is_compared_where_the_directory_is_gone() {
    let directory = scratch();
    let d = directory.path();
    for name in ["disk/one/a", "disk/one/b", "other"] {
        fs::create_dir_all(d.join(name).parent().unwrap()).unwrap();
        fs::write(d.join(name), name).unwrap();
    }
    let absolute = d.join("disk");
    for (list, root) in [("relative", "disk".as_ref()), ("absolute", absolute.as_path())] {
        let root = root.to_str().unwrap();
        pfh(d, ["hash", "-q", "-f", "csv", "-o", list, root]).run().done();
        fs::rename(d.join("disk"), d.join("away")).unwrap();
        let ended = pfh(d, ["verify", list]).run();
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert_eq!(ended.code(), 1, "{text}");
        assert!(
            text.starts_with("Not verified: 2 missing.\nExpected 2, found 0: ") && !text.contains("other"),
            "{text}"
        );
        assert!(
            ended.stderr.contains("disk/one`, below which all files of the list are, is not there"),
            "{}",
            ended.stderr
        );
        fs::rename(d.join("away"), d.join("disk")).unwrap();
    }
    // Whoever names the directory searches it.
    fs::rename(d.join("disk"), d.join("away")).unwrap();
    let ended = pfh(d, ["verify", "relative", "."]).run();
    assert!(String::from_utf8_lossy(&ended.stdout).contains("2 moved"));
}

#[test]
fn an_interrupted_run_has_no_verdict() {
    let directory = listed("gnu", "sha256");
    let d = directory.path();
    // A list that does not come to its end.
    fifo(&d.join("endless"));
    let running = pfh(d, ["verify", "endless", "files"]).start();
    let writer = fs::OpenOptions::new().write(true).open(d.join("endless")).unwrap();
    running.wait_until_it_reads(&d.join("endless"));
    running.signal(Signal::INT);
    let ended = running.end();
    drop(writer);
    assert_eq!((ended.code(), ended.stdout.as_slice()), (130, &b""[..]), "{}", ended.stderr);
}

/// The inventory of a version has paths that start at the object, like that of the object itself.
#[test]
fn inventories_of_versions_start_at_their_object() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir_all(d.join("object/v1/content")).unwrap();
    fs::write(d.join("object/v1/content/a"), "one").unwrap();
    let sha512 = digest("sha512", b"one");
    let inventory = format!(
        r#"{{"id": "x", "type": "https://ocfl.io/1.1/spec/#inventory", "digestAlgorithm": "sha512", "head": "v1",
            "manifest": {{"{sha512}": ["v1/content/a"]}},
            "versions": {{"v1": {{"created": "2026-01-01T00:00:00Z", "state": {{"{sha512}": ["a"]}}}}}}}}"#
    );
    for place in ["object/inventory.json", "object/v1/inventory.json"] {
        fs::write(d.join(place), &inventory).unwrap();
    }
    fs::write(d.join("object/0=ocfl_object_1.1"), "ocfl_object_1.1\n").unwrap();
    let verified = b"Verified: the file is as the list says.\nExpected 1, found 1: 1 matched\n";
    for (from, list) in
        [("", "object/inventory.json"), ("", "object/v1/inventory.json"), ("object", "v1/inventory.json")]
    {
        let ended = pfh(&d.join(from), ["verify", list]).run();
        assert_eq!(
            (ended.code(), String::from_utf8_lossy(&ended.stdout)),
            (0, String::from_utf8_lossy(verified)),
            "{list}"
        );
    }
    let ended = pfh(&d.join("object/v1"), ["verify", "inventory.json"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
}

/// Files are read by what the ends of a list say, and compared by what all of it says.
#[test]
fn a_list_is_otherwise_between_its_ends() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir_all(d.join("tree/files")).unwrap();
    for number in 0..3000 {
        fs::write(d.join(format!("tree/files/{number:04}")), number.to_string()).unwrap();
    }
    hash(&d.join("tree"), ["-a", "md5", "-f", "bsd", "-o", "../list", "files"]).run().done();
    let list = fs::read_to_string(d.join("list")).unwrap();
    let write = |text: String| fs::write(d.join("list"), text).unwrap();
    // Line 1501 is one that neither end has.
    let with = |line: &str| {
        let at = list.match_indices('\n').nth(1499).unwrap().0 + 1;
        write([&list[..at], line, "\n", &list[at..]].concat());
    };
    let rooted = |words: &str| verify(d, &format!("list tree {words}"));
    let verify = |words: &str| verify(&d.join("tree"), &format!("../list {words}"));
    for ended in [verify("-q"), rooted("-q")] {
        expect(&ended, 0, "Verified: all 3,000 files are as the list says.\n");
    }
    // Digests by another algorithm, which only they tell from the file.
    with(&format!("SHA256 (files/2999) = {}", "a".repeat(64)));
    let text = "Not verified: 1 changed.
Expected 3,000, found 3,000: 2,999 matched, 1 changed

changed      files/2999  (other sha256; line 1501)
";
    for ended in [verify(""), rooted("")] {
        expect(&ended, 1, text);
    }
    let summary = verify("--all -f jsonl");
    let text = String::from_utf8_lossy(&summary.stdout).into_owned();
    assert!(text.lines().next().unwrap().contains("\"sha256\""), "{text}");
    // A file in another directory: without ROOT, files beside that are compared, too.
    fs::create_dir(d.join("tree/other")).unwrap();
    for name in ["expected", "more"] {
        fs::write(d.join("tree/other").join(name), "").unwrap();
    }
    with("MD5 (other/expected) = d41d8cd98f00b204e9800998ecf8427e");
    let text = "Not verified: 1 new.
Expected 3,001, found 3,002: 3,001 matched, 1 new

new          other/more
";
    for ended in [verify(""), rooted("")] {
        expect(&ended, 1, text);
    }
    // A line that cannot be read, and a list for another place: nothing is compared although files were read.
    with("nothing");
    assert_eq!(verify("-q").code(), 3);
    write(list.replace("(files", "(/elsewhere"));
    let ended = rooted("");
    assert!(ended.stderr.contains("3,000 of its paths are not below `tree`"), "{}", ended.stderr);
    expect(&ended, 2, "");
}

/// Reading that has begun by the ends of a list ends as soon as the list turns out otherwise.
#[test]
fn a_list_that_is_otherwise_ends_the_reading_of_a_long_file() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    let huge = fs::File::create(d.join("files/huge")).unwrap();
    // Without contents on the disk, and longer to hash than any test takes.
    huge.set_len(1 << 40).unwrap();
    let entry = |number: u32| format!("MD5 (./{number}) = {}\n", "a".repeat(32));
    let mut list: String = (0..1500).map(entry).collect();
    list += &format!("HMAC-SHA256 (./huge) = {}\n", "c".repeat(64));
    list.extend((1500..3000).map(entry));
    fs::write(d.join("list"), list).unwrap();
    let ended = verify(d, "list files");
    assert!(ended.stderr.contains("hmac-sha256") && ended.stderr.contains("--key-file"), "{}", ended.stderr);
    expect(&ended, 2, "");
}

/// A path that no list can have is reported, and all other files are verified.
#[test]
fn one_path_of_many_kilobytes_does_not_end_the_verification() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("t")).unwrap();
    fs::write(d.join("t/top"), "t").unwrap();
    fs::write(d.join("list"), format!("{}  top\n", digest("sha256", b"t"))).unwrap();
    deep(&d.join("t"), 131, "echo content > m");
    let ended = pfh(d, ["verify", "list", "t"]).run();
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    let printed = String::from_utf8_lossy(&ended.stdout);
    assert!(
        printed.contains("the path is longer than 16384 bytes"),
        "{}{}",
        &printed[printed.len() - 300..],
        ended.stderr
    );
}

/// Files that are too deep for one call of the system are verified, also where they are looked up one by one.
#[test]
fn deep_files_are_verified() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("t")).unwrap();
    fs::write(d.join("t/top"), "t").unwrap();
    deep(&d.join("t"), 20, "echo content > m; echo other > left-out");
    pfh(&d.join("t"), ["hash", "-q", "-o", "../list", "."]).run().expect(0, "");
    let options = [&[][..], &["--ignore-new"], &["--exclude", "left-out"], &["--ignore-new", "--size-first"]];
    let all = |code: i32, text: &str| {
        for more in options {
            let ended = pfh(d, [&["verify", "list", "t"], more].concat()).run();
            let printed = String::from_utf8_lossy(&ended.stdout);
            assert!(ended.code() == code && printed.contains(text), "{more:?}: {printed}{}", ended.stderr);
        }
    };
    all(0, "Verified");
    deep(&d.join("t"), 20, "echo CONTENT > m");
    all(1, "1 changed");
    deep(&d.join("t"), 20, "rm m");
    all(1, "1 missing");
    // A link is followed nowhere.
    deep(&d.join("t"), 20, "cd -P ..; mv $name other; ln -s other $name");
    let ended = pfh(d, ["verify", "list", "t", "--ignore-new"]).run();
    let printed = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.code() == 3 && printed.contains("2 files could not be compared"), "{printed}{}", ended.stderr);
}

/// A journal that later runs continued: the latest line of a path decides, whatever the files were before.
#[test]
fn of_a_continued_journal_the_latest_line_decides() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("t")).unwrap();
    for text in ["a", "bb"] {
        fs::write(d.join("t/f"), text).unwrap();
        pfh(d, ["hash", "-q", "-a", "md5", "-o", "j.jsonl", "--resume", "t"]).run().done();
    }
    let lines = fs::read_to_string(d.join("j.jsonl")).unwrap();
    assert_eq!(lines.matches("\"t/f\"").count(), 2, "{lines}");
    assert_eq!(pfh(d, ["verify", "-q", "j.jsonl"]).run().code(), 0);
    fs::write(d.join("t/f"), "a").unwrap();
    assert_eq!(pfh(d, ["verify", "-q", "j.jsonl"]).run().code(), 1);
}

#[test]
fn a_report_does_not_replace_its_list() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "x").unwrap();
    pfh(d, ["hash", "-q", "-a", "md5", "-o", "list", "f"]).run().done();
    let refused = "pfh: `list` is to be read and is also the output: name another file\n";
    pfh(d, ["verify", "list", "-o", "list"]).run().expect(2, refused);
    let refused =
        "pfh: --compat gnu checks all lines of the list, as coreutils does: leave --exclude out, or --compat\n";
    pfh(d, ["verify", "--compat", "gnu", "--exclude", "f", "list"]).run().expect(2, refused);
}

/// Nothing is told of files that a signal kept from being read, nor to a reader that is gone.
#[test]
fn other_programs_accuse_no_file_that_was_not_read() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    for number in 0..50 {
        fs::write(d.join(format!("files/{number:02}")), number.to_string()).unwrap();
    }
    let gnu = ["verify", "--compat", "gnu", "sums"];
    let hashdeep = ["verify", "--compat", "hashdeep", "-vvv", "known", "files"];
    hash(d, ["-o", "sums", "files"]).run().done();
    hash(d, ["-a", "md5", "-f", "hashdeep", "-o", "known", "files"]).run().done();
    // Whether the end of the output is noticed before the end of the run or at it.
    for arguments in [&gnu[..], &hashdeep] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let ended = pfh(d, arguments).with(|command| command.stdout(writer)).run();
        ended.expect(141, "");
    }
    // Longer to hash than any test takes, and without contents on the disk.
    fs::File::create(d.join("files/huge")).unwrap().set_len(1 << 40).unwrap();
    let mut sums = fs::OpenOptions::new().append(true).open(d.join("sums")).unwrap();
    for number in 0..50 {
        writeln!(sums, "{}  files/huge\n{}  files/{number:02}", "0".repeat(64), digest("sha256", b"other")).unwrap();
    }
    for arguments in [&gnu[..], &hashdeep] {
        let running = pfh(d, arguments).start();
        running.wait_until_it_reads(&d.join("files/huge"));
        running.signal(Signal::INT);
        let ended = running.end();
        ended.expect(130, "pfh: interrupted\n");
        let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(!printed.contains("FAILED") && !printed.contains("Audit"), "{printed}");
    }
}

/// A run that has compared nothing is no success, whatever the reason.
#[test]
fn nothing_is_verified_where_no_file_was_compared() {
    let directory = listed("csv", "sha256");
    let d = directory.path();
    fs::create_dir(d.join("mnt")).unwrap();
    for words in [
        "list mnt --strip-prefix files --ignore-missing",
        "list mnt --strip-prefix files --ignore-missing --structure",
        "list --include *.jgp",
        "list --exclude * --structure",
        "list --exclude *",
        "list --sample 0.0000001 --seed 1",
    ] {
        let ended = verify(d, words);
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.code() == 3 && text.starts_with("Nothing was verified: no"), "{words}: {} {text}", ended.code());
        let ended = verify(d, &format!("{words} -f jsonl"));
        let verdict = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.code() == 3 && verdict.contains("\"verified\":false,"), "{words}: {verdict}");
    }
    // A file that differs is a finding, and no more than that.
    for name in ["a", "b", "below/c", "below/deep/d", "empty"] {
        fs::write(d.join("files").join(name), "other").unwrap();
    }
    assert_eq!(verify(d, "list").code(), 1);
}

/// The report never takes the place of what the run reads.
#[test]
fn no_input_is_replaced_by_the_report() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("e")).unwrap();
    for name in ["1", "2"] {
        fs::write(d.join("e").join(name), name).unwrap();
    }
    hash(d, ["-o", "sums", "e"]).run().done();
    hash(d, ["-a", "md5", "-f", "hashdeep", "-o", "known", "e"]).run().done();
    fs::write(d.join("key"), "key").unwrap();
    hash(d, ["-a", "hmac-sha256", "--key-file", "key", "-o", "keyed", "e"]).run().done();
    let contents = || ["sums", "known", "keyed", "key", "e/1", "e/2"].map(|name| fs::read(d.join(name)).unwrap());
    let before = contents();
    for (words, own) in [
        ("--compat gnu -o sums sums", "sums"),
        ("--compat gnu -o e/1 sums", "e/1"),
        ("--compat hashdeep -o known known e", "known"),
        ("--compat hashdeep -o e/2 known e", "e/2"),
        ("-o ./sums sums", "sums"),
        ("-o key --key-file key keyed", "key"),
        ("-o e/1 sums", "e/1"),
        ("-o e/2 sums --ignore-new", "e/2"),
        ("-o e/2 sums e --strip-prefix e", "e/2"),
        ("-o e/1 sums e/1", "e/1"),
    ] {
        let refused = format!("pfh: `{own}` is to be read and is also the output: name another file\n");
        verify(d, words).expect(2, &refused);
        assert_eq!(contents(), before, "{words}");
    }
    // A file that the list does not have is replaced.
    fs::write(d.join("e/report"), "old").unwrap();
    verify(d, "-o e/report -q sums").done();
    assert!(fs::read_to_string(d.join("e/report")).unwrap().starts_with("Verified"));
}

/// In a list without its end, or of a run that was interrupted, files may be missing that nobody misses.
#[test]
fn a_list_without_its_end_proves_nothing() {
    let directory = listed("jsonl", "sha256");
    let d = directory.path();
    let whole = fs::read_to_string(d.join("list")).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let summary = lines[lines.len() - 1];
    let (body, _) = summary.rsplit_once(",\"check\"").unwrap();
    let body = body.replace("\"interrupted\":false", "\"interrupted\":true");
    let interrupted = format!("{body},\"check\":\"{}\"}}\n", digest("crc32c", body.as_bytes()));
    for (end, files, said) in [
        (String::new(), 3, "pfh: `list`: its end is missing\n"),
        (interrupted, 4, "pfh: `list`: the run was interrupted, so the list has not all files\n"),
    ] {
        fs::write(d.join("list"), lines[..=files].concat() + &end).unwrap();
        let ended = verify(d, "list --ignore-new");
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert_eq!((ended.code(), &*ended.stderr), (3, said), "{text}");
        let verdict =
            format!("Not verified: the list has not all files of its run; {files} files are as the list says.\n");
        assert!(text.starts_with(&verdict), "{text}");
        let ended = verify(d, "list --ignore-new -q -f jsonl");
        assert!(String::from_utf8_lossy(&ended.stdout).contains("\"verified\":false,"));
        ended.expect(3, "");
    }
}

/// Names of pieces are those of no files.
#[test]
fn lists_with_pieces_verify() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    fs::write(d.join("files/a"), contents(1, 2500)).unwrap();
    for (format, algorithms) in [("gnu", "md5"), ("bsd", "md5,sha1"), ("csv", "md5"), ("jsonl", "md5")] {
        hash(d, ["-a", algorithms, "--piecewise", "1K", "-f", format, "-o", "list", "files"]).run().done();
        let ended = verify(d, "list --piecewise -q");
        expect(&ended, 0, "Verified: the file is as the list says.\n");
    }
    hash(d, ["-a", "md5", "--piecewise", "1K", "-f", "hashdeep", "-o", "list", "files"]).run().done();
    let ended = verify(d, "list --piecewise");
    let said = "pfh: `list` has no digests of whole files; it has pieces of files; --structure with --piecewise \
                compares names\n";
    ended.expect(2, said);
    fs::write(d.join("files/a"), "").unwrap();
    let text = "Names are as the list says: 1 file. It states no sizes of files, and no contents were read.\n";
    expect(&verify(d, "list --piecewise --structure -q"), 0, text);
    let ended = verify(d, "list --piecewise --compat gnu");
    assert!(ended.code() == 2 && ended.stderr.contains("cannot be used with"), "{}", ended.stderr);
}

#[test]
fn another_prefix_is_told_as_such() {
    let directory = listed("csv", "md5");
    let d = directory.path();
    let ended = verify(d, "list files --strip-prefix zzz");
    let said = "pfh: `list`: 5 of its paths are not below `files`, the first in line 2, `files/a`: the path does not begin with the \
                prefix that is to be removed; give another --strip-prefix\n";
    ended.expect(2, said);
    fs::write(d.join("one"), line(b"1", "/elsewhere/a")).unwrap();
    let ended = verify(d, "one files");
    assert!(ended.code() == 2 && ended.stderr.contains("1 of its paths is not below `files`"), "{}", ended.stderr);
}

/// Programs without keyed digests take no keys.
#[test]
fn other_programs_take_no_key() {
    let directory = listed("gnu", "sha256");
    let d = directory.path();
    fs::write(d.join("key"), "key").unwrap();
    let said = |program: &str, option: &str| {
        format!(
            "pfh: --compat {program} does what a program without keyed digests does: leave {option} out, or --compat\n"
        )
    };
    verify(d, "list --compat gnu --key-file key").expect(2, &said("gnu", "--key-file"));
    verify(d, "list files --compat hashdeep --derive-key context").expect(2, &said("hashdeep", "--derive-key"));
}

/// A root that cannot be listed has a name in the report.
#[test]
fn an_unreadable_root_has_a_name() {
    // Root reads every directory.
    const USER: u32 = 954_323;
    let (directory, program) = public();
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    fs::write(d.join("list"), line(b"a", "a") + &line(b"b", "b")).unwrap();
    fs::set_permissions(d.join("files"), fs::Permissions::from_mode(0o300)).unwrap();
    let run = Run::new(program, d, ["verify", "list", "files"]);
    let ended = if is_root() { run.with(|command| command.uid(USER)).run() } else { run.run() };
    fs::set_permissions(d.join("files"), fs::Permissions::from_mode(0o700)).unwrap();
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    let counts = "Expected 2, found 0: 2 unreadable; 1 directory could not be listed\n";
    assert!(ended.code() == 3 && text.contains(counts), "{text}");
    assert!(text.contains("\nunreadable   .  (the directory cannot be listed: "), "{text}");
    assert!(text.contains("\nunreadable   a  ("), "{text}");
}

/// A directory is no file: the counts are about files, and add up.
#[test]
fn directories_that_cannot_be_listed_are_told_apart_from_files() {
    // Root reads every directory.
    const USER: u32 = 954_324;
    let (directory, program) = public();
    let d = directory.path();
    for name in ["closed", "open", "file"] {
        fs::create_dir_all(d.join("files").join(name)).unwrap();
    }
    fs::write(d.join("files/open/a"), "a").unwrap();
    fs::set_permissions(d.join("files/closed"), fs::Permissions::from_mode(0o300)).unwrap();
    fs::set_permissions(d.join("files/file"), fs::Permissions::from_mode(0o000)).unwrap();
    let verify = |list: &str, words: &[&str]| {
        fs::write(d.join("list"), list).unwrap();
        let run = Run::new(&program, d, [&["verify", "list", "files"], words].concat());
        let ended = if is_root() { run.with(|command| command.uid(USER)).run() } else { run.run() };
        (ended.code(), String::from_utf8_lossy(&ended.stdout).into_owned())
    };
    let denied = "Permission denied (os error 13)";
    let open = line(b"a", "open/a");
    let text = format!(
        "Not verified: 2 directories could not be listed; 1 file is as the list says.
Expected 1, found 1: 1 matched; 2 directories could not be listed

unreadable   closed  (the directory cannot be listed: {denied})
unreadable   file  (the directory cannot be listed: {denied})
"
    );
    assert_eq!(verify(&open, &[]), (3, text));
    // Nothing is known of a file in it; and where a file is expected, it is none.
    let list = open + &line(b"b", "closed/b") + &line(b"c", "file");
    let text = format!(
        "Not verified: 1 changed, 1 could not be read, 2 directories could not be listed.
Expected 3, found 1: 1 matched, 1 changed, 1 unreadable; 2 directories could not be listed

changed      file  (it is a directory now; line 3)
unreadable   closed  (the directory cannot be listed: {denied})
unreadable   closed/b  ({denied}; line 2)
unreadable   file  (the directory cannot be listed: {denied})
"
    );
    assert_eq!(verify(&list, &[]), (5, text));
    let (_, lines) = verify(&list, &["-f", "jsonl"]);
    assert_eq!(lines.matches(",\"directory\":true,").count(), 2, "{lines}");
    assert!(lines.contains(",\"unreadable\":1,") && lines.contains(",\"unlisted_directories\":2,"), "{lines}");
    let (_, page) = verify(&list, &["-f", "html"]);
    assert!(page.contains("1 unreadable, and 2 directories could not be listed"), "{page}");
    for name in ["closed", "file"] {
        fs::set_permissions(d.join("files").join(name), fs::Permissions::from_mode(0o700)).unwrap();
    }
}

/// The thread that reads a long list while files are read is refused as those are that read files.
#[test]
fn a_thread_that_the_system_refuses() {
    // Root always gets threads. The limit of a separate user counts no other processes.
    const USER: u32 = 954_322;
    let (directory, _program) = public();
    let d = directory.path();
    fs::create_dir(d.join("t")).unwrap();
    let list: String = (0..3000).map(|number| format!("{number:064x}  {number}\n")).collect();
    fs::write(d.join("list"), list).unwrap();
    let run = Run::new("bash", d, ["-c", "ulimit -u 1; exec ./pfh verify -t 1 list t"]);
    let ended = if is_root() { run.with(|command| command.uid(USER)).run() } else { run.run() };
    ended.expect(2, "pfh: the system refused 2 threads; ask for fewer, or raise its limit (ulimit -u)\n");
}

/// Whoever waits for a list, or for a key, that never comes can end that.
#[test]
fn waiting_for_a_list_or_a_key_ends_by_a_signal() {
    let directory = listed("gnu", "sha256");
    let d = directory.path();
    fs::write(d.join("keyed"), format!("HMAC-SHA256 (files/a) = {}\n", "0".repeat(64))).unwrap();
    fifo(&d.join("fifo"));
    for words in [
        "verify fifo files",
        "verify --compat gnu fifo",
        "verify --compat hashdeep fifo files",
        "verify --key-file fifo keyed",
        "hash -a hmac-sha256 --key-file fifo files",
        "hash --profile fifo files",
    ] {
        let running = pfh(d, words.split(' ')).start();
        running.wait_until_it_hangs();
        running.signal(Signal::TERM);
        let ended = running.end();
        ended.expect(130, "pfh: interrupted\n");
        assert!(ended.elapsed < Duration::from_secs(20), "{words}: {:?}", ended.elapsed);
    }
}

/// Without ROOT, each path starts by itself: relative ones from the current directory, absolute ones from `/`.
#[test]
fn absolute_and_relative_paths_in_one_list() {
    let directory = scratch();
    let d = directory.path();
    for (name, contents) in [("work/arch/a", "1"), ("work/arch/sub/b", "22"), ("other/c", "333")] {
        fs::create_dir_all(d.join(name).parent().unwrap()).unwrap();
        fs::write(d.join(name), contents).unwrap();
    }
    let work = d.join("work");
    let [a, c] = ["work/arch/a", "other/c"].map(|name| d.canonicalize().unwrap().join(name));
    let [a, c] = [(a, &b"1"[..]), (c, b"333")].map(|(path, contents)| line(contents, path.to_str().unwrap()));
    let b = line(b"22", "arch/sub/b");
    let verified =
        |files| format!("Verified: all {files} files are as the list says. Other files were not looked for.\n");
    for (list, files) in [([a.clone(), b.clone()], 2), ([b.clone(), a.clone()], 2), ([c.clone(), b.clone()], 2)] {
        fs::write(work.join("list"), list.concat()).unwrap();
        expect(&verify(&work, "list --ignore-new -q"), 0, &verified(files));
    }
    for list in [[&a, &b, &c], [&b, &a, &c], [&c, &b, &a]] {
        fs::write(work.join("list"), list.map(String::as_str).concat()).unwrap();
        expect(&verify(&work, "list --ignore-new -q"), 0, &verified(3));
        fs::write(work.join("arch/sub/b"), "23").unwrap();
        expect(&verify(&work, "list --ignore-new --ignore-missing -q"), 1, "Not verified: 1 changed.\n");
        fs::write(work.join("arch/sub/b"), "22").unwrap();
    }
    // Two lines of one file, by either path, are one expectation.
    let named = d.canonicalize().unwrap().join("other");
    fs::write(d.join("list"), [&line(b"333", "other/c"), &c].map(String::as_str).concat()).unwrap();
    expect(&verify(d, "list -q"), 0, "Verified: the file is as the list says.\n");
    hash(d, ["-o".as_ref(), "both".as_ref(), named.as_os_str(), "other".as_ref()]).run().done();
    assert_eq!(verify(d, "both --ignore-new -q").code(), 0);
    // The report replaces no file of the list, whichever path the list has for it.
    fs::write(work.join("list"), [b, c].concat()).unwrap();
    let ended = verify(&work, "list -o ../other/c");
    assert_eq!((ended.code(), fs::read(d.join("other/c")).unwrap()), (2, b"333".to_vec()), "{}", ended.stderr);
}

/// Without ROOT there is nothing that `..` could leave.
#[test]
fn paths_that_lead_upwards() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir_all(d.join("work/sub")).unwrap();
    fs::create_dir_all(d.join("x/deep")).unwrap();
    for (name, contents) in [("x/a", "1"), ("x/deep/b", "22"), ("work/c", "333")] {
        fs::write(d.join(name), contents).unwrap();
    }
    let work = d.join("work");
    hash(&work, ["-o", "list", "../x"]).run().done();
    expect(&verify(&work, "list -q"), 0, "Verified: all 2 files are as the list says.\n");
    hash(&work, ["-o", "list", "c", "../x"]).run().done();
    assert_eq!(verify(&work, "list --ignore-new -q").code(), 0);
    fs::write(d.join("x/a"), "2").unwrap();
    assert_eq!(verify(&work, "list --ignore-new -q").code(), 1);
    // After a symbolic link, the directory above is that of its target.
    symlink("../x/deep", work.join("link")).unwrap();
    fs::write(work.join("list"), [line(b"2", "link/../a"), line(b"333", "sub/../c")].concat()).unwrap();
    assert_eq!(verify(&work, "list --ignore-new -q").code(), 0);
    assert_eq!(verify(&work, "list . -q").code(), 2);
}

/// A link that all paths of a list begin with was named, and is followed, as `hash` does.
#[test]
fn a_list_of_a_link_to_a_directory() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir_all(d.join("away/arch/sub")).unwrap();
    fs::create_dir(d.join("work")).unwrap();
    let work = d.join("work");
    fs::write(d.join("away/arch/a"), "1").unwrap();
    fs::write(d.join("away/arch/sub/b"), "22").unwrap();
    symlink("../away/arch", work.join("cur")).unwrap();
    hash(&work, ["-o", "list", "cur"]).run().done();
    for words in ["list -q", "list --ignore-new -q"] {
        assert_eq!(verify(&work, words).code(), 0, "{words}");
    }
    fs::rename(d.join("away/arch/a"), d.join("away/arch/c")).unwrap();
    fs::remove_file(d.join("away/arch/sub/b")).unwrap();
    expect(&verify(&work, "list -q"), 1, "Not verified: 1 missing, 1 moved.\n");
    expect(&verify(&work, "list --ignore-new -q"), 1, "Not verified: 2 missing.\n");
}

/// Patterns leave out files whether they are there or not.
#[test]
fn missing_files_are_left_out_on_request_too() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir_all(d.join("inc/sub")).unwrap();
    for name in ["inc/a.jpg", "inc/b.txt", "inc/sub/c.jpg"] {
        fs::write(d.join(name), name).unwrap();
    }
    hash(d, ["-o", "list", "inc"]).run().done();
    fs::remove_file(d.join("inc/b.txt")).unwrap();
    for words in [
        "--include *.jpg list",
        "--exclude *.txt list",
        "--ignore-new --include *.jpg list",
        "list . --exclude inc/b.txt",
    ] {
        let ended = verify(d, words);
        assert!(ended.stdout.starts_with(b"Verified as far as asked: 2 files are as the list says."), "{words}");
        assert_eq!(ended.code(), 0, "{words}");
    }
    fs::remove_dir_all(d.join("inc/sub")).unwrap();
    assert_eq!(verify(d, "--exclude *.txt --exclude sub/ list").code(), 0);
    assert_eq!(verify(d, "--exclude *.txt list").code(), 1);
}

/// Also without a walk, a name whose letters are composed otherwise is the same name.
#[test]
fn names_composed_otherwise_are_found_without_a_walk() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("un")).unwrap();
    let (composed, decomposed) = ("un/caf\u{e9}", "un/cafe\u{301}");
    for (listed, there) in [(composed, decomposed), (decomposed, composed)] {
        for (name, contents) in [("un/a", "1"), (there, "22"), ("un/cafez", "333"), ("un/z", "4444")] {
            fs::write(d.join(name), contents).unwrap();
        }
        let lines = [("un/a", "1"), (listed, "22"), ("un/cafez", "333"), ("un/z", "4444")];
        fs::write(d.join("list"), lines.map(|(name, contents)| line(contents.as_bytes(), name)).concat()).unwrap();
        for words in ["list --ignore-new -q", "list --ignore-new --size-first -q"] {
            let verified = "Verified: all 4 files are as the list says. Other files were not looked for.\n";
            expect(&verify(d, words), 0, verified);
        }
        let ended = verify(d, "list --ignore-new --all");
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(text.contains("the list composes letters of its name otherwise"), "{text}");
        fs::write(d.join(there), "23").unwrap();
        expect(&verify(d, "list --ignore-new -q"), 1, "Not verified: 1 changed.\n");
        fs::remove_file(d.join(there)).unwrap();
        expect(&verify(d, "list --ignore-new -q"), 1, "Not verified: 1 missing.\n");
    }
}

/// A list that contradicts itself is no sign of another algorithm.
#[test]
fn a_contradiction_is_no_doubt_about_the_algorithm() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "two").unwrap();
    fs::write(d.join("list"), [line(b"one", "f"), line(b"two", "f")].concat()).unwrap();
    expect(&verify(d, "list -q"), 1, "Not verified: 1 changed.\n");
    fs::write(d.join("list"), line(b"one", "f")).unwrap();
    let ended = verify(d, "list -q");
    assert!(String::from_utf8_lossy(&ended.stdout).contains("-a names another"));
}
