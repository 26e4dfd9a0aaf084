//! `pfh dupes` and `pfh covers`: groups of files and directories, and what has no copy.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use pfh_testing::Random;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::faults::Mounted;
use crate::fixture::*;

/// Makes files with these contents, and the directories that they need.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = scratch();
    for (path, contents) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }
    directory
}

fn run(directory: &Path, command: &str, more: &[&str]) -> Ended {
    pfh(directory, [&[command], more].concat()).run()
}

/// Returns the lines of a JSON Lines output without their check values.
fn lines(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// A group: its kind, and its members, without hard links of the one before.
type Members = (String, Vec<String>);

/// Returns the groups in the order of the output, the sum of what they could save, and the summary.
fn groups(ended: &Ended) -> (Vec<Members>, u64, Value) {
    let (mut groups, mut saved) = (Vec::<Members>::new(), 0);
    let lines = lines(&ended.stdout);
    for line in &lines[1..lines.len() - 1] {
        if line["type"] == "group" {
            saved += line["saved_bytes"].as_u64().unwrap();
            groups.push((line["kind"].as_str().unwrap().to_owned(), Vec::new()));
        } else if line["link"] != true {
            groups.last_mut().unwrap().1.push(line["path"].as_str().unwrap().to_owned());
        }
    }
    (groups, saved, lines.last().unwrap().clone())
}

fn members(kind: &str, paths: &[&str]) -> Members {
    (kind.to_owned(), paths.iter().map(|&path| path.to_owned()).collect())
}

#[test]
fn whole_directories_are_told_and_not_what_is_in_them() {
    let directory = tree(&[
        ("t/a/sub/y", "world"),
        ("t/a/x", "hello"),
        ("t/b/sub/y", "world"),
        ("t/b/x", "hello"),
        ("t/c/inner/y", "world"),
        ("t/c/z", "hello"),
        ("t/d", "other"),
        ("t/empty/e", ""),
        ("t/empty/f", ""),
    ]);
    let d = directory.path();
    fs::hard_link(d.join("t/c/z"), d.join("t/c/zz")).unwrap();
    let ended = run(d, "dupes", &["t"]);
    let summary = "pfh: 10 files, 2 groups of directories and 1 group of files, 4 duplicates, 20 B could be saved, \
                   1 hard link\n";
    let text = "2 directories with 2 files of 10 B, 10 B could be saved:\n    t/a/\n    t/b/\n\n\
                2 directories with 1 file of 5 B, 5 B could be saved:\n    t/a/sub/\n    t/c/inner/\n\n\
                3 files of 5 B, 5 B could be saved:\n    t/a/x\n    t/c/z\n      = t/c/zz\n\n";
    assert_eq_bytes(ended.expect(1, summary), text.as_bytes());
    let csv = "group,kind,bytes,saved_bytes,link,list,path\r\n1,directory,10,10,,,t/a\r\n1,directory,10,10,,,t/b\r\n\
               2,directory,5,5,,,t/a/sub\r\n2,directory,5,5,,,t/c/inner\r\n\
               3,file,5,5,,,t/a/x\r\n3,file,5,5,,,t/c/z\r\n3,file,5,5,true,,t/c/zz\r\n";
    assert_eq_bytes(run(d, "dupes", &["-q", "-f", "csv", "t"]).expect(1, ""), csv.as_bytes());
    let files =
        [members("files", &["t/a/x", "t/b/x", "t/c/z"]), members("files", &["t/a/sub/y", "t/b/sub/y", "t/c/inner/y"])];
    let ended = run(d, "dupes", &["-q", "-f", "jsonl", "--no-directories", "t"]);
    let (found, saved, summary) = groups(&ended);
    assert_eq!((found.iter().collect::<BTreeSet<_>>(), saved), (files.iter().collect(), 20));
    assert_eq!((&summary["files"], &summary["duplicates"], &summary["links"]), (&10.into(), &4.into(), &1.into()));
    // With --all, what is in them is told, too; the sum counts it once.
    let (found, _, summary) = groups(&run(d, "dupes", &["-q", "-f", "jsonl", "--all", "t"]));
    assert!(found.contains(&members("directories", &["t/a/sub", "t/b/sub", "t/c/inner"])), "{found:?}");
    assert!(files.iter().all(|group| found.contains(group)), "{found:?}");
    assert_eq!(summary["saved_bytes"], 20);
    // Files without contents are told on request.
    let (found, ..) = groups(&run(d, "dupes", &["-q", "-f", "jsonl", "--empty", "t"]));
    assert!(found.contains(&members("files", &["t/empty/e", "t/empty/f"])), "{found:?}");
    run(d, "dupes", &["-q", "t/d", "t/empty", "t/a/x"]).printed(b"");
    assert_eq!(run(d, "dupes", &["-q", "t/d", "t/empty", "t/a/x"]).code(), 0);
}

#[test]
fn directories_that_are_not_quite_the_same_are_no_group() {
    let directory = tree(&[
        ("link-1/x", "1"),
        ("link-2/x", "1"),
        ("empty-1/x", "2"),
        ("empty-2/x", "2"),
        ("fifo-1/x", "3"),
        ("fifo-2/x", "3"),
        ("out-1/x", "4"),
        ("out-1/y.tmp", "one"),
        ("out-2/x", "4"),
        ("out-2/y.tmp", "two"),
        ("name-1/x", "5"),
        ("name-2/y", "5"),
        ("same-1/x", "6"),
        ("same-2/x", "6"),
    ]);
    let d = directory.path();
    symlink("x", d.join("link-1/l")).unwrap();
    symlink("y", d.join("link-2/l")).unwrap();
    fs::create_dir(d.join("empty-1/e")).unwrap();
    fifo(&d.join("fifo-1/f"));
    fifo(&d.join("fifo-2/f"));
    for side in ["same-1", "same-2"] {
        symlink("x", d.join(side).join("l")).unwrap();
        fs::create_dir(d.join(side).join("e")).unwrap();
    }
    let ended = run(d, "dupes", &["-q", "-f", "jsonl", "--exclude", "*.tmp", "."]);
    let (found, ..) = groups(&ended);
    let directories: Vec<_> = found.iter().filter(|(kind, _)| kind == "directories").collect();
    assert_eq!(directories, [&members("directories", &["./same-1", "./same-2"])]);
    assert_eq!(found.len(), 6);
    assert_eq!(ended.code(), 1);
}

/// In directories with many names, each of them counts, by its contents and by its identity.
#[test]
fn large_directories_differ_by_any_file() {
    let directory = scratch();
    let d = directory.path();
    let many = |name: &str, other: Option<usize>, put: &dyn Fn(usize, &Path)| {
        fs::create_dir(d.join(name)).unwrap();
        for number in 0..100 {
            let path = d.join(name).join(format!("{number:03}"));
            match other == Some(number) {
                true => fs::write(path, "other").unwrap(),
                false => put(number, &path),
            }
        }
    };
    let write = |number: usize, path: &Path| fs::write(path, number.to_string()).unwrap();
    let link = |number: usize, path: &Path| fs::hard_link(d.join(format!("same-1/{number:03}")), path).unwrap();
    for (name, other) in
        [("same-1", None), ("same-2", None), ("first", Some(0)), ("middle", Some(50)), ("last", Some(99))]
    {
        many(name, other, &write);
    }
    // These are the same files, and those are but for one.
    many("same-1-links", None, &link);
    many("same-3", None, &|number, path| if number == 0 { write(number, path) } else { link(number, path) });
    let (found, ..) = groups(&run(d, "dupes", &["-q", "-f", "jsonl", "."]));
    let directories: Vec<_> = found.iter().filter(|(kind, _)| kind == "directories").collect();
    assert_eq!(directories, [&members("directories", &["./same-1", "./same-2", "./same-3"])]);
}

/// A directory that is met twice, and one of hard links, is no copy.
#[test]
fn what_is_met_twice_is_no_duplicate() {
    let directory = tree(&[("a/b/x", "hello"), ("a/b/y", "world"), ("a/z", "other")]);
    let d = directory.path();
    let ended = run(d, "dupes", &["-q", "a", "a/b", "./a", "a/z"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (0, &b""[..]));
    fs::create_dir_all(d.join("snapshot/b")).unwrap();
    for name in ["b/x", "b/y", "z"] {
        fs::hard_link(d.join("a").join(name), d.join("snapshot").join(name)).unwrap();
    }
    assert_eq!(run(d, "dupes", &["-q", "."]).code(), 0);
    fs::create_dir(d.join("copy")).unwrap();
    fs::copy(d.join("a/z"), d.join("copy/z")).unwrap();
    let (found, saved, summary) = groups(&run(d, "dupes", &["-q", "-f", "jsonl", "."]));
    assert_eq!((&found[..], saved), (&[members("files", &["./a/z", "./copy/z"])][..], 5));
    assert_eq!(summary["links"], 1);
}

/// Of directories that are no group because one has only hard links, all files are told.
#[test]
fn no_file_of_linked_directories_is_lost() {
    let directory = tree(&[("a/f", "hello"), ("b/x", "hello"), ("d/x", "other"), ("e/x", "other")]);
    let d = directory.path();
    fs::create_dir(d.join("c")).unwrap();
    fs::hard_link(d.join("a/f"), d.join("c/x")).unwrap();
    let text = "2 directories with 1 file of 5 B, 5 B could be saved:\n    ./d/\n    ./e/\n\n";
    let files = "3 files of 5 B, 5 B could be saved:\n    ./a/f\n      = ./c/x\n    ./b/x\n\n";
    let ended = run(d, "dupes", &["-q", "."]);
    assert_eq_bytes(ended.expect(1, ""), format!("{files}{text}").as_bytes());
    let ended = run(d, "dupes", &["-q", "--all", "b", "c"]);
    let text = "2 directories with 1 file of 5 B, 5 B could be saved:\n    b/\n    c/\n\n\
                2 files of 5 B, 5 B could be saved:\n    b/x\n    c/x\n\n";
    assert_eq_bytes(ended.expect(1, ""), text.as_bytes());
}

#[test]
fn names_cannot_control_the_terminal() {
    let directory = tree(&[("a/odd\u{1b}[31m", "one"), ("a/plain", "two")]);
    let d = directory.path();
    fs::create_dir(d.join("b")).unwrap();
    let said = "pfh: names with control characters are quoted: csv, jsonl and null have them as they are\n";
    let ended = run(d, "covers", &["-q", "a", "--by", "b"]);
    assert_eq_bytes(ended.expect(5, said), b"`a/odd\\u{1b}[31m`\na/plain\n");
    let ended = run(d, "covers", &["-q", "-f", "null", "a", "--by", "b"]);
    assert_eq_bytes(ended.expect(1, ""), b"a/odd\x1b[31m\0a/plain\0");
}

#[test]
fn odd_names_come_through() {
    let directory = scratch();
    let d = directory.path();
    let names: [&[u8]; 3] = [b"bad\xff", b"line\nfeed", b"back\\slash"];
    for name in names {
        fs::write(d.join(path(name)), "same").unwrap();
    }
    let text = "3 files of 4 B, 8 B could be saved:\n    ./back\\slash\n    `./bad\\xff`\n    `./line\\nfeed`\n\n";
    run(d, "dupes", &["-q", "--no-directories", "."]).printed(text.as_bytes());
    let ended = run(d, "dupes", &["-q", "-f", "csv", "."]);
    let csv =
        b"group,kind,bytes,saved_bytes,link,list,path\r\n1,file,4,8,,,./back\\slash\r\n1,file,4,8,,,./bad\xff\r\n\
                1,file,4,8,,,\"./line\nfeed\"\r\n";
    ended.printed(csv);
    let found = lines(&run(d, "dupes", &["-q", "-f", "jsonl", "."]).stdout);
    assert_eq!((&found[3]["path_base64"], &found[4]["path"]), (&"Li9iYWT/".into(), &"./line\nfeed".into()));
    let report = run(d, "dupes", &["-q", "-f", "fclones", "."]).stdout;
    let report = String::from_utf8(report).unwrap();
    let here = fs::canonicalize(d).unwrap();
    let expected = ["back\\\\slash", "bad\\xFF", "line\\nfeed"].map(|name| format!("    {}/{name}\n", here.display()));
    let digest = digest("blake3", b"same");
    assert!(report.ends_with(&format!("{digest}, 4 B (4 B) * 3:\n{}", expected.concat())), "{report}");
    assert!(report.contains("# Total: 12 B (12 B) in 3 files in 1 groups\n# Redundant: 8 B (8 B) in 2 files\n"));
    // Files that have no copy.
    fs::write(d.join(path(b"alone\xff\n")), "alone").unwrap();
    fs::create_dir(d.join("by")).unwrap();
    fs::write(d.join("by/copy"), "same").unwrap();
    let only = &["--exclude", "by", ".", "--by", "by", "-q"];
    let ended = run(d, "covers", &[only, &["-f", "null"][..]].concat());
    assert_eq!((ended.code(), &ended.stdout[..]), (1, &b"./alone\xff\n\0"[..]));
    let ended = run(d, "covers", &[only, &["-f", "csv"][..]].concat());
    ended.printed(b"bytes,list,path\r\n5,,\"./alone\xff\n\"\r\n");
}

/// A file that is found again by the same path is no further name of it, and is counted and printed once.
#[test]
fn a_file_that_is_found_twice_is_one() {
    let directory = tree(&[("a/g", "hello"), ("a/p/r", "other"), ("a/q/r", "other"), ("c", "hello"), ("e/1", "hello")]);
    let d = directory.path();
    let text = "2 files of 5 B, 5 B could be saved:\n    a/g\n    c\n\n";
    let summary = "pfh: 2 files, 0 groups of directories and 1 group of files, 1 duplicate, 5 B could be saved\n";
    let whole = fs::canonicalize(d.join("c")).unwrap();
    for again in ["./a/g", "a/p/../g", whole.to_str().unwrap()] {
        assert_eq_bytes(run(d, "dupes", &["a/g", "c", again]).expect(1, summary), text.as_bytes());
    }
    // Directories are compared whatever else was found in them.
    let text = "2 directories with 1 file of 5 B, 5 B could be saved:\n    a/p/\n    a/q/\n\n";
    let summary = "pfh: 3 files, 1 group of directories and 0 groups of files, 1 duplicate, 5 B could be saved\n";
    assert_eq_bytes(run(d, "dupes", &["a/p/r", "a"]).expect(1, summary), text.as_bytes());
    let ended = run(d, "dupes", &["-q", "-f", "jsonl", "--no-directories", "a/p/r", "a", "./a", "a"]);
    let (found, saved, summary) = groups(&ended);
    assert_eq!((&found[..], saved), (&[members("files", &["a/p/r", "a/q/r"])][..], 5));
    assert_eq!((&summary["files"], &summary["links"]), (&3.into(), &0.into()));
    // On a side that is to be covered, and on the covering one.
    let summary = "pfh: 1 of 3 files have a copy, 2 (10 B) have none\n";
    let ended = run(d, "covers", &["a", "a/p", "--by", "e", "--by", "e/1"]);
    assert_eq_bytes(ended.expect(1, summary), b"a/p/r\na/q/r\n");
    let found = "a\na/g\na/p\na/p/r\na/q\na/q/r\n";
    let ended = pfh(d, ["covers", "--files-from", "-", "--by", "e"]).input(found).run();
    assert_eq_bytes(ended.expect(1, summary), b"a/p/r\na/q/r\n");
    // After a symbolic link, `..` leads elsewhere.
    fs::create_dir_all(d.join("far/near")).unwrap();
    fs::write(d.join("far/c"), "hello").unwrap();
    symlink("far/near", d.join("way")).unwrap();
    let text = "2 files of 5 B, 5 B could be saved:\n    c\n    way/../c\n\n";
    assert_eq_bytes(run(d, "dupes", &["-q", "c", "way/../c"]).expect(1, ""), text.as_bytes());
}

/// A file that has another size when it is read than when it was found is reported, and is in no group.
#[test]
fn a_file_that_changes_before_it_is_read_is_left_out() {
    let directory = tree(&[("a", "hello"), ("b", "hello"), ("c", "hello")]);
    let d = directory.path();
    fifo(&d.join("names"));
    let running = pfh(d, ["dupes", "-f", "jsonl", "--files-from", "names", "a", "b", "c"]).start();
    let writer = fs::File::options().write(true).open(d.join("names")).unwrap();
    running.wait_until_it_hangs();
    fs::write(d.join("a"), "hello!").unwrap();
    drop(writer);
    let ended = running.end();
    let (found, _, summary) = groups(&ended);
    assert_eq!((ended.code(), &found[..]), (5, &[members("files", &["b", "c"])][..]), "{}", ended.stderr);
    assert_eq!(summary["unread"], 1);
    assert!(ended.stderr.starts_with("pfh: `a`: changed while it was read"), "{}", ended.stderr);
}

/// fclones treats all names of a file alike, and drops white space at the ends of names.
#[test]
fn fclones_gets_every_name() {
    let directory = tree(&[("a", "hello"), ("c ", "hello")]);
    let d = directory.path();
    fs::hard_link(d.join("a"), d.join("b")).unwrap();
    fs::hard_link(d.join("c "), d.join("d")).unwrap();
    let here = fs::canonicalize(d).unwrap();
    let group = |names: &[&str]| {
        let lines: String = names.iter().map(|name| format!("    {}/{name}\n", here.display())).collect();
        format!("{}, 5 B (5 B) * {}:\n{lines}", digest("blake3", b"hello"), names.len())
    };
    let report = |paths: &[&str]| {
        String::from_utf8(run(d, "dupes", &[&["-q", "-f", "fclones"], paths].concat()).stdout).unwrap()
    };
    let all = report(&["."]);
    assert!(all.ends_with(&group(&["a", "b", "c\\x20", "d"])), "{all}");
    assert!(all.contains("# Total: 20 B (20 B) in 4 files in 1 groups\n# Redundant: 5 B (5 B) in 1 files\n"), "{all}");
    // A symbolic link among the paths stands for its file, and others are refused.
    symlink("c ", d.join("link")).unwrap();
    let named = report(&["a", "link"]);
    assert!(named.ends_with(&group(&["a", "c\\x20"])), "{named}");
    let ended = run(d, "dupes", &["-f", "fclones", "--follow-files", "-o", "report", "."]);
    assert_eq!((ended.code(), &ended.stdout[..]), (2, &b""[..]), "{}", ended.stderr);
    assert!(ended.stderr.contains("--format fclones cannot be used with --follow-files"), "{}", ended.stderr);
    assert!(!d.join("report").exists());
}

/// fclones, if it is there, takes a report of pfh.
#[test]
fn fclones_takes_the_report() {
    let directory = tree(&[("a", "hello"), ("b b", "hello"), ("c", "other"), ("e ", "hello")]);
    let d = directory.path();
    fs::hard_link(d.join("b b"), d.join("d")).unwrap();
    fs::write(d.join(path(b"odd\xff\n\\")), "hello").unwrap();
    if let Err(error) = std::process::Command::new("fclones").arg("--version").output() {
        skipped(Need::Fclones, format_args!("fclones: {error}"));
        return;
    }
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let report = run(d, "dupes", &["-q", "-f", "fclones", "."]).stdout;
    let ended = Run::new("fclones", d, ["remove"]).input(report).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let left: BTreeSet<_> = fs::read_dir(d).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["a", "c"].map(|name| OsStr::new(name).to_owned()).into());
}

/// fclones replaces files by the digests of the report, so it gets none of files that were not read now.
#[test]
fn fclones_gets_no_listed_files() {
    let directory = tree(&[("a/x", "hello"), ("b/x", "hello")]);
    let d = directory.path();
    hash(d, ["-f", "jsonl", "-o", "a.jsonl", "a"]).run().done();
    fs::write(d.join("a/x"), "HELLO").unwrap();
    for paths in [&["-q"][..], &["b"], &["a", "b"]] {
        let ended = run(d, "dupes", &[&["-f", "fclones", "-o", "report", "--digests", "a.jsonl"], paths].concat());
        assert_eq!((ended.code(), &ended.stdout[..]), (2, &b""[..]), "{}", ended.stderr);
        assert!(ended.stderr.contains("--format fclones cannot be used with --digests"), "{}", ended.stderr);
        assert!(ended.stderr.contains("name their paths instead"), "{}", ended.stderr);
    }
    assert!(!d.join("report").exists());
}

#[test]
fn what_cannot_be_read_is_told_and_proves_nothing() {
    let (directory, program) = public();
    let d = directory.path();
    for (name, contents) in [("a/x", "hello"), ("a/y", "12345"), ("b/x", "hello"), ("b/y", "12345")] {
        fs::create_dir_all(d.join(name).parent().unwrap()).unwrap();
        fs::write(d.join(name), contents).unwrap();
    }
    fs::set_permissions(d.join("b/y"), fs::Permissions::from_mode(0o000)).unwrap();
    let nobody = |arguments: &[&str]| {
        use std::os::unix::process::CommandExt;
        let run = Run::new(&program, d, arguments);
        if is_root() { run.with(|command| command.uid(65534).gid(65534)).run() } else { run.run() }
    };
    // The directories are not compared, since not all of one is known.
    let ended = nobody(&["dupes", "-f", "jsonl", "a", "b"]);
    let said = "pfh: `b/y`: Permission denied (os error 13)\n";
    assert!(ended.stderr.starts_with(said), "{}", ended.stderr);
    let (found, _, summary) = groups(&ended);
    assert_eq!((ended.code(), &found[..]), (5, &[members("files", &["a/x", "b/x"])][..]));
    assert_eq!(summary["unread"], 1);
    assert!(ended.stderr.contains("1 unread"), "{}", ended.stderr);
    assert_eq!(nobody(&["dupes", "-q", "a/y", "b/y"]).code(), 3);
    // An unread file on side A is neither covered nor uncovered; one on side B covers nothing.
    let ended = nobody(&["covers", "-q", "-f", "jsonl", "b", "--by", "a"]);
    assert_eq!(ended.code(), 3);
    let summary = lines(&ended.stdout).pop().unwrap();
    assert_eq!((&summary["covered"], &summary["uncovered"], &summary["unread"]), (&1.into(), &0.into(), &1.into()));
    let ended = nobody(&["covers", "-q", "a", "--by", "b"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (5, &b"a/y\n"[..]));
    assert_eq!(nobody(&["covers", "-q", "a", "--by", "b", "--by", "missing"]).code(), 5);
    fs::set_permissions(d.join("b/y"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(nobody(&["covers", "-q", "a", "--by", "b"]).code(), 0);
    assert_eq!(nobody(&["covers", "-q", "a", "--by", "missing"]).code(), 5);
    // A stream cannot be read twice, and a file of the kernel has other contents each time.
    let ended = pfh(d, ["dupes", "-q", "a/x", "-"]).input("hello").run();
    assert_eq!(ended.code(), 3);
    let ended = run(d, "dupes", &["a/x", "/proc/version"]);
    assert_eq!(ended.code(), 3);
    assert!(ended.stderr.starts_with("pfh: `/proc/version`: only stored files can be compared"), "{}", ended.stderr);
}

#[test]
fn only_what_is_elsewhere_covers() {
    let directory = tree(&[("a/x", "hello"), ("a/copy", "hello"), ("a/y", "world"), ("a/e", ""), ("b/y", "world")]);
    let d = directory.path();
    let missing = |arguments: &[&str]| {
        let ended = run(d, "covers", &[&["-q"], arguments].concat());
        assert_eq!(ended.code(), i32::from(!ended.stdout.is_empty()), "{}", ended.stderr);
        String::from_utf8(ended.stdout).unwrap()
    };
    assert_eq!(missing(&["a", "--by", "b"]), "a/copy\na/e\na/x\n");
    // A hard link is the file itself.
    fs::hard_link(d.join("a/x"), d.join("b/link")).unwrap();
    assert_eq!(missing(&["a", "--by", "b"]), "a/copy\na/e\na/x\n");
    // Nor does the side that is to be covered cover itself.
    assert_eq!(missing(&["a", "--by", "."]), "a/copy\na/e\na/x\n");
    fs::write(d.join("b/other"), "hello").unwrap();
    fs::write(d.join("b/e"), "").unwrap();
    assert_eq!(missing(&["a", "--by", "b"]), "");
    let ended = run(d, "covers", &["a", "--by", "b", "--by", "a"]);
    ended.expect(0, "pfh: 4 of 4 files have a copy, 0 (0 B) have none\n");
    // Large files with the same beginning.
    let long = contents(1, 100_000);
    fs::write(d.join("a/long"), &long).unwrap();
    fs::write(d.join("b/long"), [&long[..99_999], b"?"].concat()).unwrap();
    assert_eq!(missing(&["a", "--by", "b"]), "a/long\n");
    fs::write(d.join("b/longer"), &long).unwrap();
    assert_eq!(missing(&["a", "--by", "b"]), "");
}

/// A disk that is not mounted is an empty directory, and may not be wiped.
#[test]
fn nothing_is_not_covered() {
    let directory = tree(&[("by/x", "hello"), ("full/x", "hello")]);
    let d = directory.path();
    fs::create_dir(d.join("empty")).unwrap();
    let said = "pfh: no file was found that is to be covered, so nothing is proven (is the disk mounted?); with \
                --allow-empty, that counts as covered\n";
    for arguments in [&["empty"][..], &["-q", "empty"], &["--exclude", "*", "full"], &["empty", "-o", "new"]] {
        let ended = run(d, "covers", &[arguments, &["--by", "by"]].concat());
        assert_eq_bytes(ended.expect(3, said), b"");
    }
    assert_eq!(fs::read(d.join("new")).unwrap(), b"");
    let ended = run(d, "covers", &["--allow-empty", "empty", "--by", "by"]);
    assert_eq_bytes(ended.expect(0, "pfh: 0 of 0 files have a copy, 0 (0 B) have none\n"), b"");
    run(d, "covers", &["empty", "full", "--by", "by"]).expect(0, "pfh: 1 of 1 files have a copy, 0 (0 B) have none\n");
    // An old result is not replaced by nothing, which is reported once.
    fs::write(d.join("old"), "old").unwrap();
    let kept = "pfh: no file was completed, so `old` is left as it was; --allow-empty replaces it\n";
    run(d, "covers", &["-o", "old", "empty", "--by", "by"]).expect(3, kept);
    assert_eq!(fs::read(d.join("old")).unwrap(), b"old");
    // There is nothing, and something that could not be read.
    let missing = "pfh: `gone`: No such file or directory (os error 2)\n";
    let ended = run(d, "covers", &["gone", "--by", "by"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (3, &b""[..]), "{}", ended.stderr);
    assert!(ended.stderr.starts_with(missing) && ended.stderr.ends_with(said), "{}", ended.stderr);
}

#[test]
fn lists_are_compared_with_lists_and_with_paths() {
    let directory = tree(&[("a/x", "hello"), ("a/y", "world"), ("b/x", "hello"), ("b/z", "other")]);
    let d = directory.path();
    for (side, algorithm) in [("a", "sha256"), ("b", "sha256")] {
        hash(d, ["-a", algorithm, "-o", &format!("{side}.jsonl"), "-f", "jsonl", side]).run().done();
        hash(d, ["-a", algorithm, "-o", &format!("{side}.sums"), side]).run().done();
    }
    for format in ["jsonl", "sums"] {
        let [a, b] = ["a", "b"].map(|side| format!("{side}.{format}"));
        let ended = run(d, "dupes", &["-q", "-f", "csv", "--digests", &a, "--digests", &b]);
        let (size, saved) = if format == "jsonl" { ("5", 5) } else { ("", 0) };
        let expected = format!(
            "group,kind,bytes,saved_bytes,link,list,path\r\n1,file,{size},{saved},,{a},a/x\r\n1,file,{size},{saved},,{b},b/x\r\n"
        );
        assert_eq_bytes(ended.expect(1, ""), expected.as_bytes());
        // Files in the list are compared with those on the disk.
        let ended = run(d, "dupes", &["-q", "--digests", &a, "b"]);
        let text = format!("2 files of 5 B, 5 B could be saved:\n    `{a}`: a/x\n    b/x\n\n");
        assert_eq_bytes(ended.expect(1, ""), text.as_bytes());
        for arguments in [["--digests", &a, "--by", "b"], ["a", "--by-digests", &b, "--quiet"]] {
            let ended = run(d, "covers", &arguments);
            assert_eq!((ended.code(), &ended.stdout[..]), (1, &b"a/y\n"[..]), "{}", ended.stderr);
        }
    }
    // A list with a file that could not be read proves nothing about it.
    hash(d, ["-f", "jsonl", "-o", "part.jsonl", "b/x", "missing"]).run();
    let ended = run(d, "covers", &["--digests", "part.jsonl", "--by", "a"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (3, &b""[..]), "{}", ended.stderr);
    assert!(ended.stderr.contains("files without a digest of sha256 are not compared"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("of lists unreadable"), "{}", ended.stderr);
    let (.., summary) = groups(&run(d, "dupes", &["-f", "jsonl", "--digests", "part.jsonl", "a", "nowhere"]));
    assert_eq!(summary["unread"], 2);
    // A journal that has a path twice: the later line counts, and a path is no copy of itself.
    let journal = fs::read(d.join("a.jsonl")).unwrap();
    fs::write(d.join("twice.jsonl"), [&journal[..], &journal].concat()).unwrap();
    let ended = run(d, "dupes", &["-q", "--digests", "twice.jsonl"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (0, &b""[..]), "{}", ended.stderr);
    // Lists of other digests.
    let ended = run(d, "dupes", &["-a", "md5", "--digests", "a.jsonl"]);
    assert_eq!(ended.code(), 2);
    assert!(ended.stderr.contains("has no digests of md5; it has sha256"), "{}", ended.stderr);
    for (algorithm, said) in [("crc32", "is a checksum"), ("ssdeep", "finds similar files"), ("nonsense", "unknown")] {
        let ended = run(d, "dupes", &["-a", algorithm, "a"]);
        assert_eq!(ended.code(), 2);
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
    }
    let ended = run(d, "dupes", &["-q", "-m", "1K", "a", "b"]);
    assert_eq!(ended.code(), 2);
    assert!(ended.stderr.contains("memory"), "{}", ended.stderr);
    fs::write(d.join("broken"), "\x00\x01 nonsense").unwrap();
    assert_eq!(run(d, "dupes", &["--digests", "broken"]).code(), 2);
}

/// A list that is known to lack files proves nothing about them.
#[test]
fn lists_without_their_end_are_told() {
    let directory = tree(&[("a/x", "hello"), ("a/y", "world"), ("b/x", "hello"), ("c/x", "other")]);
    let d = directory.path();
    let list = String::from_utf8(hash(d, ["-f", "jsonl", "a"]).run().done().to_vec()).unwrap();
    // These lists are changed, so they have no check values.
    let parts = list.lines().map(|line| format!("{}}}\n", line.split(",\"check\"").next().unwrap()));
    let lines: Vec<String> = parts.collect();
    let summary = lines[3].replace("\"interrupted\":false", "\"interrupted\":true");
    assert_ne!(summary, lines[3]);
    fs::write(d.join("cut"), lines[..2].concat()).unwrap();
    fs::write(d.join("stopped"), lines[..2].concat() + &summary).unwrap();
    let reasons =
        [("cut", "its end is missing"), ("stopped", "the run was interrupted, so the list has not all files")];
    for (list, reason) in reasons {
        let said = format!("pfh: `{list}`: {reason}\n");
        for (arguments, status) in [
            (&["covers", "--digests", list, "--by", "b"][..], 3),
            (&["covers", "--digests", list, "--by", "c"][..], 5),
            (&["covers", "b", "--by-digests", list][..], 3),
            (&["dupes", "--digests", list][..], 3),
            (&["dupes", "--digests", list, "b"][..], 5),
        ] {
            let ended = pfh(d, arguments).run();
            assert_eq!(ended.code(), status, "{arguments:?}: {}", ended.stderr);
            assert!(ended.stderr.starts_with(&said), "{arguments:?}: {}", ended.stderr);
            assert!(!ended.stderr.contains("of lists unreadable"), "{arguments:?}: {}", ended.stderr);
            assert_eq!(pfh(d, [arguments, &["-q"]].concat()).run().code(), status, "{arguments:?}");
        }
        let ended = run(d, "covers", &["-q", "-f", "jsonl", "--digests", list, "--by", "b"]);
        assert_eq!(groups(&ended).2["all_unread"], 1);
    }
    // With its end, it is complete.
    fs::write(d.join("whole"), [&lines[0], &lines[1], &lines[3]].map(String::as_str).concat()).unwrap();
    let summary = "pfh: 1 of 1 files have a copy, 0 (0 B) have none\n";
    assert_eq_bytes(run(d, "covers", &["--digests", "whole", "--by", "b"]).expect(0, summary), b"");
}

/// A whole list of no files lacks nothing.
#[test]
fn a_list_of_no_files_covers_nothing() {
    let directory = tree(&[("a/x", "hello")]);
    let d = directory.path();
    fs::create_dir(d.join("none")).unwrap();
    for format in ["jsonl", "dfxml"] {
        hash(d, ["-f", format, "--allow-empty", "-o", "list", "none"]).run();
        let summary = "pfh: 0 of 1 files have a copy, 1 (5 B) have none\n";
        assert_eq_bytes(run(d, "covers", &["a", "--by-digests", "list"]).expect(1, summary), b"a/x\n");
        let summary = "pfh: 1 file, 0 groups of directories and 0 groups of files, 0 duplicates, 0 B could be saved\n";
        run(d, "dupes", &["--digests", "list", "a"]).expect(0, summary);
        assert_eq!(run(d, "dupes", &["--allow-empty", "--digests", "list"]).code(), 0);
        assert_eq!(run(d, "covers", &["--digests", "list", "--by", "a"]).code(), 3);
    }
    // A list of other digests is of no use, but all of its lines could be read.
    hash(d, ["-a", "md5", "-f", "jsonl", "-o", "sums", "a"]).run().done();
    let ended = run(d, "covers", &["-a", "sha256", "a", "--by-digests", "sums"]);
    assert_eq!(ended.code(), 5);
    assert!(ended.stderr.contains("has no digests of sha256; it has md5"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("of lists unreadable"), "{}", ended.stderr);
}

/// An entry that may be of a piece is no file: neither covers it anything, nor is a file covered by its pieces.
#[test]
fn pieces_are_not_taken_for_files() {
    let directory = tree(&[("a/x", "hello"), ("p/1", "hel"), ("p/2", "lo")]);
    let d = directory.path();
    for format in ["gnu", "bsd", "hashdeep", "md5deep"] {
        hash(d, ["-a", "md5", "-f", format, "--piecewise", "3", "-o", "list", "a"]).run().done();
        let has_whole = ["gnu", "bsd"].contains(&format);
        let said = match has_whole {
            true => "names that end with ` offset START-END` may be of pieces, and are not compared: 2;",
            false => "has no digests of md5; it has pieces of files",
        };
        let ended = run(d, "covers", &["--digests", "list", "--by", "p"]);
        let (status, uncovered) = if has_whole { (5, &b"a/x\n"[..]) } else { (3, &b""[..]) };
        assert_eq!((ended.code(), &ended.stdout[..]), (status, uncovered), "{format}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{format}: {}", ended.stderr);
        let ended = run(d, "covers", &["p", "--by-digests", "list"]);
        assert_eq!((ended.code(), &ended.stdout[..]), (5, &b"p/1\np/2\n"[..]), "{format}: {}", ended.stderr);
        let ended = run(d, "dupes", &["--digests", "list", "p"]);
        assert_eq!((ended.code(), &ended.stdout[..]), (3, &b""[..]), "{format}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{format}: {}", ended.stderr);
    }
    // Where the list marks them, there is no doubt.
    for format in ["csv", "jsonl", "dfxml"] {
        hash(d, ["-a", "md5", "-f", format, "--piecewise", "3", "-o", "list", "a"]).run().done();
        let ended = run(d, "dupes", &["-q", "--digests", "list", "p"]);
        assert_eq!((ended.code(), &ended.stdout[..]), (0, &b""[..]), "{format}: {}", ended.stderr);
    }
}

/// Lists may state any size. Sums do not overflow, and no size has a meaning of its own.
#[test]
fn lists_may_state_any_size() {
    let directory = scratch();
    for size in [1_u64 << 63, u64::MAX - 1] {
        let line = |name| format!("{size},5d41402abc4b2a76b9719d911017c592,/x/{name}\n");
        let list = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n{}{}{}", line("a"), line("b"), line("c"));
        fs::write(directory.path().join("list"), list).unwrap();
        let ended = run(directory.path(), "dupes", &["-f", "jsonl", "--digests", "list"]);
        assert_eq!(ended.code(), 1);
        let (groups, _, summary) = groups(&ended);
        assert_eq!(groups, [members("files", &["/x/a", "/x/b", "/x/c"])]);
        assert_eq!((summary["saved_bytes"].as_u64(), summary["unread"].as_u64()), (Some(u64::MAX), Some(0)));
        run(directory.path(), "dupes", &["-f", "fclones", "--digests", "list"]);
        let ended = run(directory.path(), "covers", &["--digests", "list", "--by", "."]);
        assert!(ended.stderr.contains("18.4 EB"), "{}", ended.stderr);
    }
}

/// Through a pool, files have other numbers.
#[test]
fn files_that_another_filesystem_shows_are_warned_of() {
    let directory = tree(&[("real/only", "only")]);
    let d = directory.path();
    let Some(mount) = mount_faults(&d.join("real"), &d.join("shown"), None, "") else { return };
    for sides in [["real", "shown"], ["shown", "real"]] {
        let ended = run(d, "covers", &[sides[0], "--by", sides[1]]);
        assert_eq!(ended.code(), 0, "{}", ended.stderr);
        let said = "pfh: `shown` is on a filesystem of the type fuse";
        assert!(ended.stderr.starts_with(said), "{}", ended.stderr);
        assert!(ended.stderr.contains("if these are files in `real`, they are taken for copies of themselves"));
        run(d, "covers", &["-q", sides[0], "--by", sides[1]]).expect(0, "");
    }
    mount.unmount().unwrap();
}

/// The message about a list of which no file is there.
fn away(list: &str) -> String {
    format!(
        "pfh: `{list}`: none of its files is where it says, so it is taken for the list of a disk that is away, and they \
         count\n"
    )
}

/// Nobody knows whether a file is still a copy whose path the system does not look up.
#[test]
fn files_of_a_list_that_cannot_be_looked_up_are_no_copies() {
    let directory = tree(&[("archive/sub/photo", "only"), ("archive/keep", "keep"), ("old/IMG", "only")]);
    let d = directory.path();
    hash(d, ["-q", "-f", "jsonl", "-o", "list", "archive"]).run().done();
    let hide = |path: &str| {
        fs::remove_dir_all(d.join(path)).unwrap();
        std::os::unix::fs::symlink(Path::new(path).file_name().unwrap(), d.join(path)).unwrap();
    };
    hide("archive/sub");
    let unseen = "pfh: `list`: 1 of 2 files cannot be looked up where it says, and do not count\n";
    let ended = run(d, "covers", &["old", "--by-digests", "list"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (5, &b"old/IMG\n"[..]), "{}", ended.stderr);
    assert!(ended.stderr.starts_with(unseen), "{}", ended.stderr);
    let ended = run(d, "dupes", &["--digests", "list", "old"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (3, &b""[..]), "{}", ended.stderr);
    assert!(ended.stderr.starts_with(unseen), "{}", ended.stderr);
    // Where no file of a list can be found, its disk may be away.
    hide("archive");
    let said = away("list").replace("files is where", "files can be found where");
    run(d, "covers", &["old", "--by-digests", "list"])
        .expect(0, &(said + "pfh: 1 of 1 files have a copy, 0 (0 B) have none\n"));
}

/// A journal keeps the lines of files that were deleted, and an old list does not know what was replaced since.
#[test]
fn files_of_a_list_that_are_gone_or_changed_are_no_copies() {
    let directory = tree(&[("archive/photo", "only"), ("archive/keep", "keep"), ("old/IMG", "only")]);
    let d = directory.path();
    let journal = || {
        hash(d, ["-q", "-o", "j.jsonl", "--resume", "--compact", "archive"]).run().done();
    };
    journal();
    hash(d, ["-q", "-a", "md5", "-f", "hashdeep", "-o", "sizes", "archive"]).run().done();
    let covered = "pfh: 1 of 1 files have a copy, 0 (0 B) have none\n";
    let uncovered = "pfh: 0 of 1 files have a copy, 1 (4 B) have none\n";
    run(d, "covers", &["old", "--by-digests", "j.jsonl"]).expect(0, covered);
    // A move within the archive makes no duplicate.
    fs::rename(d.join("archive/photo"), d.join("archive/moved")).unwrap();
    journal();
    let gone = "pfh: `j.jsonl`: 1 of 3 files are not there any more, and do not count\n";
    run(d, "covers", &["old", "--by-digests", "j.jsonl"]).expect(0, &(gone.to_owned() + covered));
    let ended = run(d, "dupes", &["-q", "--digests", "j.jsonl", "archive"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (0, &b""[..]), "{}", ended.stderr);
    fs::remove_file(d.join("archive/moved")).unwrap();
    let gone = "pfh: `j.jsonl`: 2 of 3 files are not there any more, and do not count\n";
    assert_eq_bytes(
        run(d, "covers", &["old", "--by-digests", "j.jsonl"]).expect(1, &(gone.to_owned() + uncovered)),
        b"old/IMG\n",
    );
    assert_eq_bytes(run(d, "covers", &["-q", "old", "--by-digests", "j.jsonl"]).expect(1, ""), b"old/IMG\n");
    // Another file by the same name.
    let change = |list: &str, path: &str, contents: &str| {
        fs::write(d.join(path), contents).unwrap();
        let file = fs::File::options().write(true).open(d.join(path)).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        let ended = run(d, "covers", &["old", "--by-digests", list]);
        assert_eq!((ended.code(), &ended.stdout[..]), (5, &b"old/IMG\n"[..]), "{}", ended.stderr);
        let said = "have another size or time now, and do not count: make or continue the list anew\n";
        assert!(ended.stderr.starts_with(&format!("pfh: `{list}`: 1 of ")) && ended.stderr.contains(said));
        let ended = run(d, "dupes", &["--digests", list, "old"]);
        assert!(ended.code() == 3 && ended.stderr.contains(said), "{}", ended.stderr);
    };
    change("j.jsonl", "archive/photo", "news");
    change("sizes", "archive/photo", "longer");
    // The disk is in a cupboard.
    fs::remove_dir_all(d.join("archive")).unwrap();
    for list in ["j.jsonl", "sizes"] {
        run(d, "covers", &["old", "--by-digests", list]).expect(0, &(away(list) + covered));
        run(d, "covers", &["-q", "old", "--by-digests", list]).expect(0, "");
    }
}

#[test]
fn a_list_does_not_let_files_cover_themselves() {
    let directory = tree(&[("m/old/only", "only"), ("m/old/other", "other"), ("m/new/copy", "other")]);
    let d = directory.path();
    // The same file by another name, and by another way.
    fs::hard_link(d.join("m/old/only"), d.join("m/new/link")).unwrap();
    symlink("m", d.join("way")).unwrap();
    let root = d.to_str().unwrap();
    let lists = [
        ("all.jsonl", d, "m"),
        ("old.jsonl", d, "m/old"),
        ("below.jsonl", &d.join("m"), "."),
        ("through.jsonl", d, "way"),
        ("whole.gnu", d, &format!("{root}/m")),
        ("all.dfxml", d, "m"),
        ("old.dfxml", d, "m/old"),
    ];
    for (list, directory, path) in lists {
        let (_, format) = list.split_once('.').unwrap();
        let list = d.join(list);
        hash(directory, ["-a", "sha256", "-f", format, "-o", list.to_str().unwrap(), path]).run().done();
    }
    let is_alone = |arguments: &[&str]| {
        let ended = run(d, "covers", arguments);
        let ended = (ended.expect(1, "pfh: 1 of 2 files have a copy, 1 (4 B) have none\n"), arguments);
        assert_eq!(ended, (&b"m/old/only\n"[..], arguments));
    };
    is_alone(&["-a", "sha256", "m/old", "--by", "m"]);
    for list in ["all.jsonl", "below.jsonl", "through.jsonl", "whole.gnu", "all.dfxml"] {
        is_alone(&["m/old", "--by-digests", list]);
        is_alone(&["--digests", "old.jsonl", "--by-digests", list]);
    }
    is_alone(&["--digests", "old.jsonl", "--by", "m"]);
    is_alone(&["--digests", "old.jsonl", "--by", "way/new", "--by", "way/old"]);
    // A later copy counts.
    fs::write(d.join("m/new/later"), "only").unwrap();
    is_alone(&["m/old", "--by-digests", "all.jsonl"]);
    run(d, "covers", &["-q", "--digests", "old.jsonl", "--by", "m"]).expect(0, "");
    // Files that are gone are told by their paths, and their links by their numbers, if the list has these.
    fs::remove_dir_all(d.join("m")).unwrap();
    let ended = run(d, "covers", &["--digests", "old.jsonl", "--by-digests", "all.dfxml"]);
    let said = away("all.dfxml") + "pfh: 1 of 2 files have a copy, 1 (4 B) have none\n";
    assert_eq_bytes(ended.expect(1, &said), b"m/old/only\n");
    let ended = run(d, "covers", &["--digests", "old.dfxml", "--by-digests", "old.jsonl"]);
    ended.expect(1, &(away("old.jsonl") + "pfh: 0 of 2 files have a copy, 2 (9 B) have none\n"));
    // A list that does not tell where its files are.
    let sums = fs::read_to_string(d.join("whole.gnu")).unwrap().replace(&format!("{root}/"), "");
    fs::write(d.join("relative.sums"), sums).unwrap();
    let ended = run(d, "covers", &["--digests", "old.jsonl", "--by-digests", "relative.sums"]);
    ended.expect(
        0,
        "pfh: `relative.sums`: its paths are relative, and it does not tell to which directory: its files are taken for \
         others than those of the other side\n\
         pfh: 2 of 2 files have a copy, 0 (0 B) have none\n",
    );
}

/// A file that was found and is in a list, or is in two lists, is no copy of itself.
#[test]
fn a_list_does_not_make_files_duplicates_of_themselves() {
    let directory = tree(&[("t/a", "hello"), ("t/b", "hello"), ("t/c", "others")]);
    let root = fs::canonicalize(directory.path()).unwrap();
    let d = root.as_path();
    symlink("t", d.join("way")).unwrap();
    let whole = d.join("t");
    let whole = whole.to_str().unwrap();
    for (list, directory, path) in
        [("all.jsonl", d, "t"), ("below.jsonl", &d.join("t"), "."), ("whole.gnu", d, whole), ("a.jsonl", d, "t/a")]
    {
        let (_, format) = list.split_once('.').unwrap();
        let list = d.join(list);
        hash(directory, ["-a", "sha256", "-f", format, "-o", list.to_str().unwrap(), path]).run().done();
    }
    let summary = "pfh: 3 files, 0 groups of directories and 1 group of files, 1 duplicate, 5 B could be saved\n";
    let told = |arguments: &[&str], members: [&str; 2]| {
        let text = format!("2 files of 5 B, 5 B could be saved:\n    {}\n    {}\n\n", members[0], members[1]);
        assert_eq_bytes(run(d, "dupes", arguments).expect(1, summary), text.as_bytes());
    };
    for list in ["all.jsonl", "below.jsonl", "whole.gnu"] {
        told(&["--digests", list, "t"], ["t/a", "t/b"]);
        told(&["--digests", list, "./t/../t"], ["./t/../t/a", "./t/../t/b"]);
        told(&["--digests", list, "--digests", "below.jsonl", whole], [&format!("{whole}/a"), &format!("{whole}/b")]);
    }
    let two = ["`all.jsonl`: t/a", "`all.jsonl`: t/b"];
    told(&["--digests", "all.jsonl", "--digests", "all.jsonl"], two);
    told(&["--digests", "all.jsonl", "--digests", "below.jsonl"], two);
    // A file alone is no duplicate of any kind.
    for more in [&["t/a"][..], &["way/a"], &["--digests", "a.jsonl"], &["--digests", "a.jsonl", "t/a"]] {
        let ended = run(d, "dupes", &[&["-q", "--digests", "a.jsonl"], more].concat());
        assert_eq!((ended.code(), &ended.stdout[..]), (0, &b""[..]), "{more:?}: {}", ended.stderr);
    }
    // By another way, it is a further name.
    let (found, saved, _) = groups(&run(d, "dupes", &["-q", "-f", "jsonl", "--digests", "all.jsonl", "way"]));
    assert_eq!((&found[..], saved), (&[members("files", &["t/a", "t/b"])][..], 5));
    // Files that are gone are told by their paths.
    fs::remove_dir_all(d.join("t")).unwrap();
    let ended = run(d, "dupes", &["--digests", "all.jsonl", "--digests", "below.jsonl"]);
    let text = format!("2 files of 5 B, 5 B could be saved:\n    {}\n    {}\n\n", two[0], two[1]);
    assert_eq_bytes(ended.expect(1, &(away("all.jsonl") + &away("below.jsonl") + summary)), text.as_bytes());
    // A list that does not tell where its files are.
    let sums = fs::read_to_string(d.join("whole.gnu")).unwrap().replace(&format!("{whole}/"), "t/");
    fs::write(d.join("relative.sums"), sums).unwrap();
    let ended = run(d, "dupes", &["--digests", "all.jsonl", "--digests", "relative.sums"]);
    let said = "pfh: `relative.sums`: its paths are relative, and it does not tell to which directory: its files are \
                taken for others than those of paths and other lists\n";
    assert!(ended.code() == 1 && ended.stderr.starts_with(said), "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("relative").count(), 2, "{}", ended.stderr);
    // Alone, it need not tell.
    assert_eq!(run(d, "dupes", &["--digests", "relative.sums"]).stderr.matches("relative").count(), 0);
    // It may be of the very files that its paths lead to.
    fs::create_dir(d.join("t")).unwrap();
    for name in ["t/a", "t/b"] {
        fs::write(d.join(name), "hello").unwrap();
    }
    for covering in
        [&["t", "--by-digests", "relative.sums"][..], &["--digests", "relative.sums", "--by-digests", "relative.sums"]]
    {
        let ended = run(d, "covers", covering);
        assert_eq!(ended.code(), 1, "{covering:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("`relative.sums`: its paths are relative"), "{}", ended.stderr);
        assert_eq!(run(d, "covers", &[&["-q"], covering].concat()).code(), 1);
    }
    let ended = run(d, "dupes", &["-q", "-f", "jsonl", "--digests", "relative.sums", "t/a"]);
    assert_eq!(groups(&ended).0, [members("files", &["t/b", "t/a"])]);
    let elsewhere = d.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    assert_eq!(run(&elsewhere, "covers", &["-q", "../t", "--by-digests", "../relative.sums"]).code(), 0);
}

/// A tree in which everything occurs: equal directories in each other, hard links, links, equal beginnings.
fn random_tree(root: &Path, seed: u64) {
    let mut random = Random::new(seed);
    let mut number = |below: u64| u64::from_le_bytes(random.bytes(8).try_into().unwrap()) % below;
    let mut directories = vec![root.to_owned()];
    let mut files = Vec::new();
    for count in 0..150 {
        let parent = directories[number(directories.len() as u64) as usize].clone();
        let path = parent.join(format!("{}", number(6)));
        if path.symlink_metadata().is_ok() {
            continue;
        }
        match number(10) {
            0..=2 => {
                fs::create_dir(&path).unwrap();
                directories.push(path);
            }
            3 if !files.is_empty() => {
                let file: &std::path::PathBuf = &files[number(files.len() as u64) as usize];
                fs::hard_link(file, &path).unwrap();
            }
            4 => symlink(format!("{}", number(2)), &path).unwrap(),
            5 | 6 if count > 40 => {
                let from = &directories[number(directories.len() as u64) as usize];
                if !path.starts_with(from) {
                    copy(from, &path);
                }
            }
            _ => {
                let mut contents = vec![b'x'; [0, 1, 100, 20_000][number(4) as usize]];
                if let Some(last) = contents.last_mut() {
                    *last = number(3) as u8;
                }
                fs::write(&path, contents).unwrap();
                files.push(path);
            }
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => copy(&from, &to),
            kind if kind.is_symlink() => symlink(fs::read_link(&from).unwrap(), to).unwrap(),
            _ => drop(fs::copy(&from, &to).unwrap()),
        }
    }
}

/// The findings of a naive search: files by contents, and directories by all that is in them.
#[derive(Default)]
struct Naive {
    files: BTreeMap<Vec<u8>, Vec<(String, u64)>>,
    directories: BTreeMap<String, Vec<(String, String)>>,
}

impl Naive {
    /// Returns what is in a directory, with contents and with identities, and the number of files.
    fn look(&mut self, directory: &Path, shown: &str) -> (String, String, u64) {
        let (mut contents, mut identities, mut files) = (String::new(), String::new(), 0);
        let mut names: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        for name in names {
            let (path, name) = (directory.join(&name), name.to_str().unwrap().to_owned());
            let shown = format!("{shown}/{name}");
            let metadata = path.symlink_metadata().unwrap();
            if metadata.is_dir() {
                let (inner, inner_identities, inner_files) = self.look(&path, &shown);
                contents += &format!("{name}:({inner})");
                identities += &format!("{name}:({inner_identities})");
                files += inner_files;
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                contents += &format!("{name}->{}", target.display());
                identities += &format!("{name}->{}", target.display());
            } else {
                let bytes = fs::read(&path).unwrap();
                contents += &format!("{name}={}", digest("sha256", &bytes));
                identities += &format!("{name}={}", metadata.ino());
                files += 1;
                if !bytes.is_empty() {
                    self.files.entry(bytes).or_default().push((shown, metadata.ino()));
                }
            }
        }
        if files > 0 {
            self.directories.entry(contents.clone()).or_default().push((identities.clone(), shown.to_owned()));
        }
        (contents, identities, files)
    }
}

#[test]
fn a_naive_search_finds_the_same() {
    let mut with_directories = 0;
    for seed in 0..30 {
        let directory = scratch();
        let d = directory.path();
        fs::create_dir(d.join("t")).unwrap();
        random_tree(&d.join("t"), seed);
        let mut naive = Naive::default();
        naive.look(&d.join("t"), "t");
        let mut expected = BTreeSet::new();
        let mut saved = 0;
        for (contents, files) in &naive.files {
            let identities: BTreeSet<u64> = files.iter().map(|(_, inode)| *inode).collect();
            if identities.len() > 1 {
                saved += (identities.len() - 1) as u64 * contents.len() as u64;
                expected.insert(files.iter().map(|(path, _)| path.clone()).collect::<BTreeSet<_>>());
            }
        }
        // Each file, with all of its links.
        let all = |arguments: &[&str]| {
            let ended = run(d, "dupes", &[arguments, &["-q", "-f", "jsonl", "t"]].concat());
            assert_eq!(ended.code(), i32::from(saved > 0), "{}", ended.stderr);
            let (mut files, mut directories) = (BTreeSet::new(), BTreeSet::new());
            let mut group: Option<(String, BTreeSet<String>)> = None;
            let found = lines(&ended.stdout);
            for line in &found {
                if let Some(path) = line["path"].as_str() {
                    group.as_mut().unwrap().1.insert(path.to_owned());
                    continue;
                }
                match group.take() {
                    Some((kind, members)) if kind == "files" => drop(files.insert(members)),
                    Some((_, members)) => drop(directories.insert(members)),
                    None => {}
                }
                group = (line["type"] == "group").then(|| (line["kind"].as_str().unwrap().to_owned(), BTreeSet::new()));
            }
            assert_eq!(found.last().unwrap()["saved_bytes"], saved);
            (files, directories, groups(&ended).1)
        };
        let (files, none, sum) = all(&["--no-directories"]);
        assert!(files == expected && none.is_empty() && sum == saved, "seed {seed}");
        let (files, directories, _) = all(&["--all"]);
        assert!(files == expected, "seed {seed}");
        // Of directories that consist of the same files, only the first is told; without savings, none is.
        for found in &directories {
            let equal = naive.directories.values().find(|equal| equal.iter().any(|(_, path)| found.contains(path)));
            let mut seen = BTreeSet::new();
            let distinct: BTreeSet<String> = equal
                .unwrap()
                .iter()
                .filter(|(identities, _)| seen.insert(identities))
                .map(|(_, path)| path.clone())
                .collect();
            assert_eq!(*found, distinct, "seed {seed}");
        }
        // The savings add up, however much is told as directories.
        let (files, directories, sum) = all(&[]);
        assert_eq!(sum, saved, "seed {seed}");
        // Each file that has copies is told, by itself or with its directory, or one of its hard links is.
        let is_told = |path: &str| {
            files.iter().any(|group| group.contains(path))
                || directories.iter().flatten().any(|directory| path.starts_with(&format!("{directory}/")))
        };
        for same in naive.files.values() {
            let identities: BTreeSet<u64> = same.iter().map(|(_, inode)| *inode).collect();
            let told: BTreeSet<u64> = same.iter().filter(|(path, _)| is_told(path)).map(|(_, inode)| *inode).collect();
            assert!(identities.len() == 1 || identities == told, "seed {seed}");
        }
        with_directories += directories.len();
    }
    assert!(with_directories > 10, "{with_directories}");
}

#[test]
fn many_files_take_little_memory_and_give_the_same_output() {
    let directory = scratch();
    let d = directory.path();
    for number in 0..20_000_u32 {
        if number % 200 == 0 {
            fs::create_dir_all(d.join(format!("t/{}", number / 200))).unwrap();
        }
        let mut contents = (number % 5000).to_string().into_bytes();
        contents.resize(if number % 100 == 0 { 20_000 } else { 50 }, b'.');
        fs::write(d.join(format!("t/{}/{}", number / 200, number % 200)), contents).unwrap();
    }
    let expected = run(d, "dupes", &["-q", "-f", "jsonl", "-m", "256M", "t"]);
    assert_eq!(expected.code(), 1);
    let (found, saved, summary) = groups(&expected);
    // Four equal trees of 25 directories.
    assert_eq!(
        (found.len(), summary["directory_groups"].as_u64(), summary["groups"].as_u64()),
        (25, Some(25), Some(0))
    );
    assert_eq!((saved, &summary["saved_bytes"]), (15_000 / 100 * (99 * 50 + 20_000), &saved.into()));
    for arguments in [["-t", "1", "-m", "8M"], ["-t", "4", "-m", "8M"], ["-t", "2", "-m", "32M"]] {
        let ended = run(d, "dupes", &[&["-q", "-f", "jsonl", "t"], &arguments[..]].concat());
        assert_eq_bytes(&ended.stdout, &expected.stdout);
        ended.kept_below(if arguments[3] == "8M" { 8 } else { 32 });
    }
}

#[test]
fn a_signal_leaves_no_output() {
    let directory = tree(&[("a", "hello"), ("b", "hello")]);
    let d = directory.path();
    fifo(&d.join("names"));
    for command in [&["dupes", "a", "b"][..], &["covers", "a", "--by", "b"]] {
        let running = pfh(d, [command, &["-o", "out", "--files-from", "names"]].concat()).start();
        running.wait_until_it_hangs();
        running.signal(Signal::INT);
        let ended = running.end();
        assert_eq!((ended.code(), &ended.stdout[..]), (130, &b""[..]), "{}", ended.stderr);
        let mut left: Vec<_> = fs::read_dir(d).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["a", "b", "names"]);
    }
    // A whole output is there, and it is not compared itself.
    let ended = pfh(d, ["dupes", "-q", "-o", "a.out", "."]).run();
    assert_eq!(ended.code(), 1);
    assert_eq!(fs::read(d.join("a.out")).unwrap(), b"2 files of 5 B, 5 B could be saved:\n    ./a\n    ./b\n\n");
}

#[test]
fn paths_are_bytes_of_any_length() {
    let directory = scratch();
    let d = directory.path();
    let mut deep = d.join("t");
    for _ in 0..6 {
        deep = deep.join("x".repeat(200));
    }
    for side in ["1", "2"] {
        fs::create_dir_all(deep.join(side)).unwrap();
        fs::write(deep.join(side).join("file"), "hello").unwrap();
    }
    let ended = run(d, "dupes", &["-q", "-f", "jsonl", "t"]);
    let (found, ..) = groups(&ended);
    let deep = deep.strip_prefix(d).unwrap().to_str().unwrap();
    assert_eq!(found, [members("directories", &[&format!("{deep}/1"), &format!("{deep}/2")])]);
    assert!(OsStr::new(deep).as_bytes().len() > 1200);
}

#[test]
fn blocks_that_are_shared_already_save_nothing() {
    let directory = scratch();
    let d = directory.path();
    let mounted = d.join("t");
    let Some(_mounted) = Mounted::xfs(d, &mounted) else { return };
    let contents = vec![7; 1 << 20];
    fs::write(mounted.join("a"), &contents).unwrap();
    peer("cp", &mounted, ["--reflink=always", "a", "shared"]).unwrap();
    peer("cp", &mounted, ["--reflink=never", "a", "copied"]).unwrap();
    fs::hard_link(mounted.join("a"), mounted.join("linked")).unwrap();
    // Blocks have their places only when they are written.
    peer("sync", &mounted, ["-f", "."]).unwrap();
    let ended = run(d, "dupes", &["t"]);
    let message = "pfh: 4 files, 0 groups of directories and 1 group of files, 2 duplicates, \
                   1.05 MB could be saved, 1.05 MB are shared already, 1 hard link\n";
    ended.expect(1, message);
    // A copied directory is told, though it takes no room.
    for side in ["one", "two"] {
        fs::create_dir(mounted.join(side)).unwrap();
        peer("cp", &mounted, ["--reflink=always", "a", &format!("{side}/x")]).unwrap();
    }
    peer("sync", &mounted, ["-f", "."]).unwrap();
    let text = "2 directories with 1 file of 1.05 MB, 0 B could be saved:\n    t/one/\n    t/two/\n\n";
    assert_eq_bytes(run(d, "dupes", &["-q", "t/one", "t/two"]).expect(1, ""), text.as_bytes());
}
