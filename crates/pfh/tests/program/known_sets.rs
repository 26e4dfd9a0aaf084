//! `pfh known`, and `pfh match` with sets: building, damage, classes, exit statuses.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::*;

/// Makes a directory with files `good`, `bad`, `both` and `new` in `files`, lists of the known ones, and a set of each
/// list.
fn case() -> TempDir {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("files")).unwrap();
    for name in ["good", "bad", "both", "new"] {
        fs::write(path.join("files").join(name), name).unwrap();
    }
    let list = |names: &[&str]| -> String {
        names.iter().map(|name| format!("{}  {name}\n", digest("md5", name.as_bytes()))).collect()
    };
    fs::write(path.join("good.md5"), list(&["good", "both", "good"])).unwrap();
    fs::write(path.join("bad.md5"), list(&["bad", "both", "lost"])).unwrap();
    for class in ["good", "bad"] {
        let (set, source) = (format!("{class}.pfhk"), format!("{class}.md5"));
        pfh(path, ["known", "build", "--quiet", &set, "--class", class, "--keep", "name,digests", &source])
            .run()
            .expect(0, "");
    }
    directory
}

fn matched(directory: &Path, more: &[&str]) -> Ended {
    let sets = ["match", "--known", "good.pfhk", "--known", "bad.pfhk", "files"];
    pfh(directory, [&sets[..], more].concat()).run()
}

#[test]
fn each_file_has_one_line_with_its_class() {
    let directory = case();
    let ended = matched(directory.path(), &[]);
    let counts = "pfh: files: 4, known-bad: 2, known-other: 0, known-good: 1, unknown: 1\n";
    let lines = "known-bad    files/bad  (bad.pfhk: bad)\n\
                 known-bad    files/both  (bad.pfhk: both)\n\
                 known-good   files/good  (good.pfhk: good)\n\
                 unknown      files/new\n";
    assert_eq!(String::from_utf8_lossy(ended.expect(1, counts)), lines);
    // The same for lists with classes, but for the names.
    let listed = ["match", "--known", "good=good.md5", "--known", "bad=bad.md5", "files"];
    let listed = pfh(directory.path(), listed).run();
    assert_eq!(String::from_utf8_lossy(listed.expect(1, counts)), lines.replace("pfhk", "md5"));
    // And for one set of both, whose sources have the classes.
    pfh(directory.path(), ["known", "build", "--quiet", "all.pfhk", "good.pfhk", "bad.pfhk"]).run().expect(0, "");
    let all = pfh(directory.path(), ["match", "--quiet", "--known", "all.pfhk", "files", "-f", "jsonl"]).run();
    let all = String::from_utf8(all.expect(1, "").to_vec()).unwrap();
    let all: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let classes: Vec<&str> = all[1..5].iter().map(|line| line["class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["known-bad", "known-bad", "known-good", "unknown"]);
    assert_eq!(all[1]["digests"]["md5"], digest("md5", b"bad").to_string());
    let summary = &all[5];
    let sum: u64 = ["bad", "other", "good", "unknown"].iter().map(|key| summary[key].as_u64().unwrap()).sum();
    assert_eq!((sum, summary["files"].as_u64(), summary["bad"].as_u64()), (4, Some(4), Some(2)));
}

#[test]
fn options_choose_lines_and_the_exit_status() {
    let directory = case();
    for (more, code, names) in [
        (&["--only", "bad"][..], 1, "files/bad\nfiles/both\n"),
        (&["--only", "bad", "--negate"], 1, "files/good\nfiles/new\n"),
        (&["--only", "known", "--fail-on", "none"], 0, "files/bad\nfiles/both\nfiles/good\n"),
        (&["--only", "unknown", "--fail-on", "good"], 1, "files/new\n"),
        (&["--only", "other", "--fail-on", "other"], 0, ""),
        (&["--not-found", "--fail-on", "none"], 0, "lost\n"),
    ] {
        let ended = matched(directory.path(), &[more, &["--names-only", "--quiet"]].concat());
        assert_eq!(String::from_utf8_lossy(ended.expect(code, "")), names, "{more:?}");
    }
    let said = "pfh: --only, --not-found, --names-only and --fail-on need a set or a class: `--known bad=LIST`\n";
    for known in ["--known bad.md5", "--digest 00112233445566778899aabbccddeeff"] {
        for option in ["--only bad", "--only bad --negate", "--not-found", "--names-only", "--fail-on none"] {
            let words = format!("match {known} {option} files");
            pfh(directory.path(), words.split(' ')).run().expect(2, said);
        }
    }
}

/// Names of files are printed as they are, so that other programs find these files.
#[test]
fn names_alone_are_the_names_of_files() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("d")).unwrap();
    for (name, text) in [("a\\b", "evil"), ("a\\\\b", "innocent"), ("t\tab", "evil"), ("line\nfeed", "evil")] {
        fs::write(path.join("d").join(name), text).unwrap();
    }
    let evil = digest("md5", b"evil").to_string();
    fs::write(path.join("evil.md5"), format!("{evil}  x\n")).unwrap();
    fs::write(path.join("seized"), format!("\\{evil}  line\\nfeed\n{evil}  a\tb\n")).unwrap();
    fs::write(path.join("two.md5"), format!("{evil}  x\n\\{}  other\\nname\n", digest("md5", b"lost"))).unwrap();
    let find = |words: &str, code: i32, said: &str| -> Vec<String> {
        let ended = pfh(path, format!("match {words}").split(' ')).run();
        let printed = String::from_utf8(ended.expect(code, said).to_vec()).unwrap();
        let end = if words.contains("-0") || words.contains("--null") { '\0' } else { '\n' };
        let mut names: Vec<String> = printed.split_inclusive(end).map(str::to_owned).collect();
        names.sort_unstable();
        names
    };
    let counts = "pfh: files: 4, known-bad: 3, known-other: 0, known-good: 0, unknown: 1\n";
    let left_out = "left out, because only --null can express a line feed in a name";
    let bad = "--known bad=evil.md5 --only bad --names-only";
    let said = format!("pfh: `d/line\\nfeed`: {left_out}\n{counts}");
    assert_eq!(find(&format!("{bad} d"), 5, &said), ["d/a\\b\n", "d/t\tab\n"]);
    assert_eq!(find(&format!("-q {bad} -0 d"), 1, ""), ["d/a\\b\0", "d/line\nfeed\0", "d/t\tab\0"]);
    // A name that is not asked for is not missed.
    assert_eq!(find("-q --known bad=evil.md5 --only unknown --names-only d", 1, ""), ["d/a\\\\b\n"]);
    // So it is with names of lists, and of sets.
    let counts = "pfh: files: 2, known-bad: 2, known-other: 0, known-good: 0, unknown: 0\n";
    let said = format!("pfh: 1 listed name {left_out}\n{counts}");
    assert_eq!(find("--known bad=evil.md5 --names-only --digests seized", 5, &said), ["a\tb\n"]);
    let lost = "-q --known bad=two.md5 --not-found --fail-on none --names-only d";
    assert!(find(lost, 3, "").is_empty());
    assert_eq!(find(&format!("{lost} --null"), 0, ""), ["other\nname\0"]);
    for words in ["-f csv --names-only", "-f jsonl --names-only", "--null"] {
        let ended = pfh(path, format!("match --known bad=evil.md5 {words} d").split(' ')).run();
        assert_eq!(ended.code(), 2, "{words}: {}", ended.stderr);
    }
}

/// Entries with the same name are told apart by their digests.
#[test]
fn entries_that_were_not_found_have_their_digests() {
    let directory = scratch();
    let path = directory.path();
    let [one, two] = ["one", "two"].map(|text| digest("md5", text.as_bytes()).to_string());
    fs::write(path.join("bad.md5"), format!("{one}  evil.jpg\n{two}  evil.jpg\n")).unwrap();
    fs::write(path.join("three"), "three").unwrap();
    let words = ["match", "-q", "--known", "bad=bad.md5", "--not-found", "--fail-on", "none", "three"];
    let ended = pfh(path, words).run();
    let printed = String::from_utf8(ended.expect(0, "").to_vec()).unwrap();
    let mut lines: Vec<&str> = printed.lines().collect();
    lines.sort_unstable();
    let mut expected = [one, two].map(|digest| format!("known-bad    evil.jpg  (bad.md5: {digest})"));
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

/// Tables of agencies make a set once their columns are named, and pass for no lists of names.
#[test]
fn tables_without_their_columns_are_refused() {
    let directory = case();
    let path = directory.path();
    let [md5, sha1] = ["md5", "sha1"].map(|name| digest(name, b"bad"));
    fs::write(path.join("a.csv"), format!("MD5,SHA1,FileName\r\n{md5},{sha1},\"bad, really.jpg\"\r\n")).unwrap();
    let columns = "md5=MD5,sha1=SHA1,name=FileName";
    let build = format!("`pfh known build --columns {columns} SET LIST` makes a known set");
    let said = format!("pfh: `a.csv` is a table, of which {build}\n");
    for words in [
        "match --known bad=a.csv files",
        "known build x.pfhk a.csv",
        "known build -a md5 x.pfhk a.csv",
        "known build --keep-going x.pfhk a.csv",
        "verify a.csv files",
    ] {
        pfh(path, words.split(' ')).run().expect(2, &said);
        assert!(!path.join("x.pfhk").exists());
    }
    let build = format!("known build -q --class bad --keep name --columns {columns} x.pfhk a.csv");
    pfh(path, build.split(' ')).run().expect(0, "");
    let ended = pfh(path, ["match", "-q", "--known", "x.pfhk", "--only", "bad", "files"]).run();
    assert_eq!(ended.expect(1, ""), b"known-bad    files/bad  (x.pfhk: bad, really.jpg)\n");
}

/// In DFXML of fiwalk, directories have digests of their data on the disk.
#[test]
fn directories_of_an_image_are_no_known_files() {
    let directory = case();
    let path = directory.path();
    let object = |name: &str, letter: &str, number: u32| {
        format!(
            "<fileobject><filename>{name}</filename><name_type>{letter}</name_type><meta_type>{number}</meta_type>\
             <hashdigest type='md5'>{}</hashdigest></fileobject>",
            digest("md5", name.as_bytes())
        )
    };
    let document = ["good", "bad", "both", "new"].map(|name| object(name, "r", 1)).concat();
    let document = format!("<dfxml>{}{document}</dfxml>", object(".", "d", 2) + &object("..", "d", 2));
    fs::write(path.join("fw.xml"), document).unwrap();
    let ended = pfh(path, ["known", "build", "fw.pfhk", "fw.xml"]).run();
    ended.expect(0, "pfh: known files: 4, lines: 4, repeated: 0\n");
    let ended = pfh(path, ["match", "--known", "bad.pfhk", "--fail-on", "none", "--digests", "fw.xml"]).run();
    ended.expect(0, "pfh: files: 4, known-bad: 2, known-other: 0, known-good: 0, unknown: 2\n");
    let ended = pfh(path, ["verify", "fw.xml", "files"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
}

#[cfg(not(feature = "serve"))]
#[test]
fn a_program_without_the_server_says_so() {
    let directory = case();
    let ended = pfh(directory.path(), ["known", "serve", "good.pfhk"]).run();
    let text = "pfh: this pfh was built without the server; build it with \
                `cargo build --release --package pfh --features serve`\n";
    ended.expect(2, text);
}

#[test]
fn what_cannot_be_read_is_not_unknown() {
    let directory = case();
    let ended = matched(directory.path(), &["lost", "--fail-on", "none"]);
    assert_eq!(ended.code(), 3);
    assert!(ended.said().contains("`lost`: No such file") && ended.said().contains("files: 4, "), "{}", ended.said());
}

#[test]
fn lists_are_classified_without_their_files() {
    let directory = case();
    pfh(directory.path(), ["hash", "-a", "md5", "-f", "csv", "-o", "own.csv", "files"]).run().expect(0, "");
    fs::remove_dir_all(directory.path().join("files")).unwrap();
    let known = ["match", "--quiet", "--known", "good.pfhk", "--known", "bad.pfhk", "--digests", "own.csv"];
    let lines = "known-bad    own.csv:files/bad  (bad.pfhk: bad)\n\
                 known-bad    own.csv:files/both  (bad.pfhk: both)\n\
                 known-good   own.csv:files/good  (good.pfhk: good)\n\
                 unknown      own.csv:files/new\n";
    assert_eq!(String::from_utf8_lossy(pfh(directory.path(), known).run().expect(1, "")), lines);
}

#[test]
fn sets_are_added_subtracted_and_intersected() {
    let directory = case();
    for (more, said) in [
        (&["both.pfhk", "good.pfhk", "bad.pfhk"][..], "pfh: known files: 4, lines: 5, repeated: 1\n"),
        (
            &["rest.pfhk", "--except", "bad.pfhk", "good.pfhk"],
            "pfh: known files: 1, lines: 1, repeated: 0, left out: 1\n",
        ),
        (
            &["same.pfhk", "--common", "bad.pfhk", "good.pfhk"],
            "pfh: known files: 1, lines: 1, repeated: 0, left out: 1\n",
        ),
    ] {
        pfh(directory.path(), [&["known", "build"][..], more].concat()).run().expect(0, said);
    }
    // The sets tell how they came about, and so does one that is built of them.
    let d = directory.path();
    let sha256 = digest("sha256", &fs::read(d.join("bad.pfhk")).unwrap()).to_string();
    pfh(d, ["known", "build", "-q", "--common", "good.pfhk", "again.pfhk", "rest.pfhk"]).run().expect(0, "");
    for (set, except, common) in [("rest", true, false), ("same", false, true), ("again", true, false)] {
        let set = format!("{set}.pfhk");
        let told = pfh(d, ["known", "info", &set]).run();
        let told = String::from_utf8_lossy(told.expect(0, ""));
        assert!(told.contains("  omitted 1, by the sets of --except and --common\n"), "{told}");
        for (word, is_there) in [("except", except), ("common", common)] {
            let line = format!("  {word:<7} `bad.pfhk`, sha256 {sha256}\n");
            assert_eq!(told.contains(&line), is_there, "{set}: {told}");
        }
        assert_eq!(told.contains("  common  `good.pfhk`, sha256 "), set == "again.pfhk", "{set}: {told}");
        let json: Value =
            serde_json::from_slice(pfh(d, ["known", "info", "--json", &set]).run().expect(0, "")).unwrap();
        let source = &json["about"]["sources"][0];
        let compared = if except { &source["except"][0] } else { &source["common"][0] };
        let bytes = fs::metadata(d.join("bad.pfhk")).unwrap().len();
        assert_eq!(compared, &serde_json::json!({ "name": "bad.pfhk", "bytes": bytes, "sha256": sha256 }), "{set}");
        assert_eq!((&source["rows"], &source["left_out"]), (&1.into(), &1.into()), "{set}");
    }
    let text = digest("md5", b"both").to_string();
    let looked = pfh(directory.path(), ["known", "lookup", "same.pfhk"]).input(format!("# comment\n{text}\nx\n")).run();
    let answer = looked.expect(3, "pfh: line 3: `x` is no digest of this set\n");
    assert_eq!(String::from_utf8_lossy(answer), format!("known-good   {text}  (same.pfhk)\n"));
}

/// As other outputs, a set is not replaced by one without files unless that is wanted.
#[test]
fn an_empty_set_does_not_take_the_place_of_a_full_one() {
    let directory = case();
    let path = directory.path().join("rest.pfhk");
    fs::copy(directory.path().join("good.pfhk"), &path).unwrap();
    let before = fs::read(&path).unwrap();
    let build = ["known", "build", "-q", "rest.pfhk", "--except", "good.pfhk", "good.pfhk"];
    let kept = "pfh: no file was completed, so `rest.pfhk` is left as it was; --allow-empty replaces it\n";
    pfh(directory.path(), build).run().expect(3, kept);
    assert!(fs::read(&path).unwrap() == before);
    pfh(directory.path(), [&build[..], &["--allow-empty"]].concat()).run().expect(0, "");
    assert!(fs::read(&path).unwrap() != before);
}

/// Whoever forgets SET names a list there.
#[test]
fn only_a_set_is_replaced_by_another() {
    let directory = case();
    let d = directory.path();
    let list = fs::read(d.join("good.md5")).unwrap();
    let said = "pfh: `good.md5` is there and is no known set, so it is not replaced; name another SET before the \
                sources, or remove it\n";
    for more in [&["bad.md5"][..], &["--blocks", "512", "files"]] {
        pfh(d, [&["known", "build", "good.md5"], more].concat()).run().expect(2, said);
    }
    let said = "pfh: `good.md5` is to be read and is also the output: name another file\n";
    pfh(d, ["known", "build", "good.md5", "bad.md5", "good.md5"]).run().expect(2, said);
    assert!(fs::read(d.join("good.md5")).unwrap() == list);
    // A set may be a source of its successor, and an empty file is no loss.
    let build = ["known", "build", "good.pfhk", "good.pfhk", "bad.md5"];
    pfh(d, build).run().expect(0, "pfh: known files: 4, lines: 5, repeated: 1\n");
    fs::write(d.join("new.pfhk"), "").unwrap();
    pfh(d, ["known", "build", "-q", "new.pfhk", "good.pfhk"]).run().done();
}

/// The next line may never come.
#[test]
fn a_lookup_ends_with_its_reader() {
    let directory = case();
    let (input, mut lines) = io::pipe().unwrap();
    let (answers, output) = io::pipe().unwrap();
    let lookup = pfh(directory.path(), ["known", "lookup", "good.pfhk"]);
    let running = lookup.with(|command| command.stdin(input).stdout(output)).start();
    drop(answers);
    lines.write_all(format!("{}\n", digest("md5", b"good")).as_bytes()).unwrap();
    assert_eq!(running.end().code(), 141);
    drop(lines);
}

/// Tables whose digests were all deleted stay in the set.
#[test]
fn an_export_takes_the_algorithms_that_have_digests() {
    let directory = scratch();
    let d = directory.path();
    let delta = "RDS_2026.06.1_modern_minimal_delta.sql";
    if !database(d, "base.db", "modern_minimal", &["a"]) {
        return;
    }
    write_delta(d, delta, &[deletion("a")]);
    let md5 = digest("md5", b"x");
    fs::write(d.join("x.md5"), format!("{md5}  x\n")).unwrap();
    pfh(d, ["known", "build", "-q", "set.pfhk", "base.db", delta, "x.md5"]).run().done();
    let ended = pfh(d, ["known", "export", "-q", "set.pfhk"]).run();
    assert_eq!(String::from_utf8_lossy(ended.done()), format!("{md5}\n"));
}

/// Whoever writes the lines may wait for an answer before the next.
#[test]
fn each_line_is_answered_at_once() {
    let directory = case();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pfh"))
        .current_dir(directory.path())
        .args(["known", "lookup", "good.pfhk"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (sender, answers) = mpsc::channel();
    let reader = thread::spawn(move || {
        BufReader::new(output).lines().for_each(|line| sender.send(line.unwrap()).unwrap());
    });
    for name in ["good", "new", "both"] {
        let text = digest("md5", name.as_bytes()).to_string();
        // A line may come in parts.
        for part in [&text[..10], &text[10..], "\n"] {
            input.write_all(part.as_bytes()).unwrap();
        }
        let answer = answers.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(answer.contains(&text), "{answer}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
}

#[test]
fn answers_keep_the_order_of_many_queries() {
    let directory = case();
    let names = ["good", "both", "new"];
    let digests = names.map(|name| digest("md5", name.as_bytes()).to_string());
    let (mut input, mut expected) = (String::new(), String::new());
    // Some hundred kilobytes, of which threads answer parts; the parts end in the middle of lines.
    for number in 0..20_000 {
        if number == 12_345 {
            input += "no digest\n";
            continue;
        }
        let (name, digest) = (names[number % 7 % 3], &digests[number % 7 % 3]);
        input += &format!("  {digest}\r\n");
        expected += &match name {
            "new" => format!("unknown      {digest}\n"),
            _ => format!("known-good   {digest}  (good.pfhk: {name})\n"),
        };
    }
    let looked = pfh(directory.path(), ["known", "lookup", "good.pfhk"]).input(input.trim_end()).run();
    let answers = looked.expect(3, "pfh: line 12346: `no digest` is no digest of this set\n");
    assert!(answers == expected.as_bytes(), "answers differ");
    // A line that is longer than a part.
    let looked = pfh(directory.path(), ["known", "lookup", "good.pfhk"]).input("a".repeat(300_000)).run();
    assert_eq!((looked.code(), looked.stdout.len()), (3, 0));
}

#[test]
fn damaged_sets_are_refused_and_found() {
    let directory = case();
    let path = directory.path().join("good.pfhk");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let refused = "the set is shorter or longer than when it was written; build or copy it again\n";
    matched(directory.path(), &[]).expect(2, &format!("pfh: `good.pfhk`: {refused}"));
    let mut changed = whole.clone();
    changed[70] ^= 1;
    fs::write(&path, &changed).unwrap();
    let ended = pfh(directory.path(), ["known", "info", "--verify", "good.pfhk"]).run();
    ended.expect(1, "pfh: `good.pfhk` is damaged; build or copy it again\n");
    fs::write(&path, &whole).unwrap();
    let info = pfh(directory.path(), ["known", "info", "--verify", "--json", "good.pfhk"]).run();
    let info: Value = serde_json::from_slice(info.expect(0, "")).unwrap();
    assert_eq!((&info["entries"], &info["intact"]), (&Value::from(2), &Value::from(true)));
    let source = &info["about"]["sources"][0];
    let sha256 = digest("sha256", &fs::read(directory.path().join("good.md5")).unwrap()).to_string();
    assert_eq!((&source["sha256"], &source["class"]), (&Value::from(sha256), &Value::from("good")));
}

/// The check of a set that is made of a damaged one would find nothing.
#[test]
fn nothing_is_made_of_damaged_sets() {
    let directory = case();
    let path = directory.path().join("good.pfhk");
    let mut changed = fs::read(&path).unwrap();
    changed[70] ^= 1;
    fs::write(&path, changed).unwrap();
    for words in [
        &["build", "made", "good.pfhk"][..],
        &["build", "made", "bad.md5", "good.pfhk"],
        &["build", "made", "--except", "good.pfhk", "bad.md5"],
        &["build", "made", "--common", "good.pfhk", "bad.md5"],
        &["export", "good.pfhk", "-f", "csv", "-o", "made"],
        &["export", "good.pfhk"],
    ] {
        let ended = pfh(directory.path(), [&["known"][..], words].concat()).run();
        assert_eq!(ended.expect(2, "pfh: `good.pfhk` is damaged; build or copy it again\n"), b"", "{words:?}");
        assert!(!directory.path().join("made").exists(), "{words:?}");
    }
}

/// A damaged digest would make its file unknown. Short sets are always read whole, others if that is asked for.
#[test]
fn files_are_not_judged_by_damaged_sets() {
    let directory = case();
    let d = directory.path();
    // Names that share nothing with each other take their length in the set.
    let line = |number: u32| {
        let name = format!("{number:08}{}", "x".repeat(4080));
        format!("{}  {name}\n", digest("md5", &number.to_le_bytes()))
    };
    fs::write(d.join("large.md5"), (0..17_000).map(line).collect::<String>()).unwrap();
    pfh(d, ["known", "build", "-q", "--keep", "name", "large.pfhk", "large.md5"]).run().expect(0, "");
    let noise: Vec<u8> = (0..64_u32).flat_map(|i| digest("sha256", &i.to_le_bytes()).bytes().to_vec()).collect();
    fs::write(d.join("noise"), noise).unwrap();
    pfh(d, ["known", "build", "-q", "--blocks", "512", "blocks.pfhk", "noise"]).run().expect(0, "");
    assert!(fs::metadata(d.join("large.pfhk")).unwrap().len() > 64 << 20);
    for set in ["bad.pfhk", "large.pfhk", "blocks.pfhk"] {
        let file = fs::File::options().read(true).write(true).open(d.join(set)).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, 70).unwrap();
        file.write_all_at(&[byte[0] ^ 1], 70).unwrap();
    }
    let md5 = digest("md5", b"bad").to_string();
    let short = [
        &["match", "--known", "bad.pfhk", "files"][..],
        &["match", "--known", "bad=bad.pfhk", "files"],
        &["known", "lookup", "bad.pfhk", &md5],
        &["known", "lookup", "good.pfhk", "--known", "bad.pfhk", &md5],
        &["known", "serve", "--listen", "127.0.0.1:0", "bad.pfhk"],
    ];
    for words in short {
        let ended = pfh(d, words).run();
        assert_eq!(ended.expect(2, "pfh: `bad.pfhk` is damaged; build or copy it again\n"), b"", "{words:?}");
    }
    let blocks = ["match", "--blocks", "512", "--known", "blocks.pfhk", "files"];
    pfh(d, blocks).run().expect(2, "pfh: `blocks.pfhk` is damaged; build or copy it again\n");
    for words in [&["match", "-q", "--known", "large.pfhk", "files"][..], &["known", "lookup", "large.pfhk", &md5]] {
        assert_eq!(pfh(d, words).run().code(), 0, "{words:?}");
        let ended = pfh(d, [words, &["--check-sets"]].concat()).run();
        assert_eq!(ended.expect(2, "pfh: `large.pfhk` is damaged; build or copy it again\n"), b"", "{words:?}");
    }
}

/// A look-up tells what else the set knows of the file, and asks several sets.
#[test]
fn a_lookup_tells_size_and_other_digests() {
    let directory = case();
    let d = directory.path();
    let hex = |algorithm: &str, text: &str| digest(algorithm, text.as_bytes()).to_string();
    let line = |one: &str, other: &str| format!("{},{},{},{one}\n", one.len(), hex("md5", one), hex("sha1", other));
    let lines = line("bad", "bad") + &line("new", "new") + &line("new", "another");
    fs::write(d.join("list.csv"), "size,md5,sha1,name\n".to_owned() + &lines).unwrap();
    let build = ["known", "build", "-q", "--columns", "size=size,md5=md5,sha1=sha1,name=name", "--class", "good"];
    pfh(d, [&build[..], &["--keep", "size,name,digests", "full.pfhk", "list.csv"]].concat()).run().expect(0, "");
    let look = |more: &[&str]| {
        let ended = pfh(d, [&["known", "lookup"], more].concat()).run();
        String::from_utf8_lossy(ended.expect(0, "")).into_owned()
    };
    let (md5, sha1, of_new) = (hex("md5", "bad"), hex("sha1", "bad"), hex("md5", "new"));
    let first = [hex("sha1", "new"), hex("sha1", "another")].into_iter().min().unwrap();
    assert_eq!(
        look(&["full.pfhk", &md5, &sha1, &of_new, &hex("md5", "")]),
        format!(
            "known-good   {md5}  (full.pfhk: bad)  size 3, sha1 {sha1}\n\
             known-good   {sha1}  (full.pfhk: bad)  size 3, md5 {md5}\n\
             known-good   {of_new}  (full.pfhk: new)  first of 2 entries, size 3, sha1 {first}\n\
             unknown      {}\n",
            hex("md5", "")
        )
    );
    let csv = look(&["full.pfhk", "-f", "csv", &md5]);
    assert!(
        csv.ends_with(&format!(",entries,sha1,md5\r\nknown-good,{md5},,full.pfhk,list.csv,,,,bad,1,{sha1},{md5}\r\n"))
    );
    let json = look(&["full.pfhk", "-f", "jsonl", &md5]);
    let file: Value = serde_json::from_str(json.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&file["size"], &file["digests"]), (&3.into(), &serde_json::json!({ "md5": md5, "sha1": sha1 })));
    // Bad beats good, and the entries of all sets count.
    assert_eq!(
        look(&["full.pfhk", "--known", "bad.pfhk", "--known", "good.pfhk", &md5]),
        format!("known-bad    {md5}  (bad.pfhk: bad)  first of 2 entries\n")
    );
    let ended = pfh(d, ["known", "lookup", "full.pfhk", "--known", "bad.pfhk", "00"]).run();
    ended.expect(2, "pfh: `00` is no digest of these sets\n");
}

/// A set that cannot be mapped is no list. At most 256 files can be.
#[test]
fn a_set_that_cannot_be_opened_is_not_taken_for_a_list() {
    let directory = case();
    let known = ["--known", "good.pfhk"].repeat(257);
    let ended = pfh(directory.path(), [&["match"][..], &known[..], &["files"]].concat()).run();
    ended.expect(2, "pfh: `good.pfhk`: too many files are mapped\n");
}

#[test]
fn broken_lines_are_reported_and_taken_for_no_files() {
    let directory = scratch();
    let known = digest("md5", b"x");
    fs::write(directory.path().join("list"), format!("{known}  x\nnonsense\n{known}  y\n")).unwrap();
    let refused = pfh(directory.path(), ["known", "build", "set.pfhk", "list"]).run();
    assert_eq!(refused.code(), 3);
    let advice = "pfh: no set is made, because lines, rows or ends of lists are missing, or could not be read or \
                  compared: 1; --keep-going leaves them out\n";
    assert!(refused.said().contains("line 2") && refused.said().ends_with(advice), "{}", refused.said());
    assert_eq!(names(directory.path()), [Path::new("list")]);
    let ended = pfh(directory.path(), ["known", "build", "--keep-going", "set.pfhk", "list"]).run();
    assert_eq!(ended.code(), 3);
    let info = pfh(directory.path(), ["known", "info", "set.pfhk"]).run();
    assert!(String::from_utf8_lossy(info.done()).contains("refused 1 line that could not be read, or had no digest\n"));
    assert!(ended.said().contains("line 2") && ended.said().contains("known files: 1, lines: 2"), "{}", ended.said());
    fs::write(directory.path().join("empty"), "").unwrap();
    let refused = pfh(directory.path(), ["known", "build", "other.pfhk", "empty"]).run();
    refused.expect(2, "pfh: `empty` has no digests\n");
    assert!(!directory.path().join("other.pfhk").exists());
}

#[test]
fn a_delta_needs_its_database() {
    let directory = scratch();
    let delta = "RDS_2026.06.1_modern_minimal_delta.sql";
    fs::write(directory.path().join(delta), "BEGIN TRANSACTION;\nCOMMIT;\n").unwrap();
    let refused = pfh(directory.path(), ["known", "build", "set.pfhk", delta]).run();
    refused.expect(2, &format!("pfh: `{delta}`: a delta is given after its database\n"));
    assert_eq!(names(directory.path()), [Path::new(delta)]);
}

/// Makes a minimal database of NSRL, the release 2026.03.1 of a set, of files of one byte in one package; `false` if
/// there is no Python.
fn database(directory: &Path, name: &str, set: &str, files: &[&str]) -> bool {
    const PYTHON: &str = r#"
import hashlib, sqlite3, sys
path, build_set, *names = sys.argv[1:]
database = sqlite3.connect(path)
database.execute("CREATE TABLE FILE (sha256, sha1, md5, file_name, file_size, package_id)")
database.execute("CREATE TABLE VERSION (version, build_set, release_date, description)")
database.execute("INSERT INTO VERSION VALUES ('2026.03.1', ?, '', '')", (build_set,))
for name in names:
    digests = [hashlib.new(one, name.encode()).hexdigest() for one in ("sha256", "sha1", "md5")]
    database.execute("INSERT INTO FILE VALUES (?, ?, ?, ?, 1, 7)", (*digests, name))
database.commit()
"#;
    let Some(made) = peer("python3", directory, [&["-c", PYTHON, name, set][..], files].concat()) else { return false };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    true
}

/// Returns the columns of a file's row in such a database, and their values in SQL.
fn columns(file: &str) -> [(&'static str, String); 6] {
    let digests = ["sha256", "sha1", "md5"].map(|one| (one, format!("'{}'", digest(one, file.as_bytes()))));
    let [sha256, sha1, md5] = digests;
    let others = [("file_name", format!("'{file}'")), ("file_size", "1".to_owned()), ("package_id", "7".to_owned())];
    let [name, size, package] = others;
    [sha256, sha1, md5, name, size, package]
}

/// Writes a delta of these statements.
fn write_delta(directory: &Path, name: &str, statements: &[String]) {
    let text = statements.iter().map(|statement| format!("{statement};\n")).collect::<String>();
    fs::write(directory.join(name), format!("BEGIN;\n{text}COMMIT;\n")).unwrap();
}

fn insertion(file: &str) -> String {
    let values = columns(file).map(|(_, value)| value);
    format!("INSERT INTO FILE VALUES ({})", values.join(", "))
}

fn deletion(file: &str) -> String {
    let conditions = columns(file).map(|(column, value)| format!("{column} = {value}"));
    format!("DELETE FROM FILE WHERE {}", conditions.join(" AND "))
}

/// It would equal no row, and the file would stay known.
#[test]
fn a_deletion_that_does_not_name_its_whole_row_is_refused() {
    let directory = scratch();
    let d = directory.path();
    let (base, delta) = ("base.db", "RDS_2026.06.1_modern_minimal_delta.sql");
    if !database(d, base, "modern_minimal", &["a", "b"]) {
        return;
    }
    let build = |statement: String| {
        write_delta(d, delta, &[statement]);
        pfh(d, ["known", "build", "set.pfhk", base, delta]).run()
    };
    build(deletion("a")).expect(0, "pfh: known files: 1, lines: 2, repeated or deleted: 1\n");
    fs::remove_file(d.join("set.pfhk")).unwrap();
    for (left_out, _) in columns("a") {
        let named = columns("a").into_iter().filter(|(column, _)| *column != left_out);
        let conditions: Vec<String> = named.map(|(column, value)| format!("{column} = {value}")).collect();
        let ended = build(format!("DELETE FROM FILE WHERE {}", conditions.join(" AND ")));
        assert_eq!(ended.code(), 3, "{left_out}: {}", ended.said());
        let reason = "line 2: it does not name all digests, name, size and package of a row\n";
        assert!(ended.said().contains(reason), "{left_out}: {}", ended.said());
        assert!(!d.join("set.pfhk").exists());
    }
}

/// The name of a file may tell nothing, or something else than its statements.
#[test]
fn deltas_are_applied_in_the_order_that_their_statements_tell() {
    let directory = scratch();
    let d = directory.path();
    if !database(d, "base.db", "modern_minimal", &["a"]) {
        return;
    }
    let write = |name: &str, version: &str, set: &str, file: &str| {
        let version = format!("INSERT INTO VERSION (version, build_set) VALUES ('{version}', '{set}')");
        write_delta(d, name, &[version, insertion(file)]);
    };
    let build = |deltas: &[&str]| pfh(d, [&["known", "build", "set.pfhk", "base.db"][..], deltas].concat()).run();
    for (name, version, set, reason) in [
        (
            "delta.sql",
            "2026.03.1",
            "",
            "it leads to release 2026.03.1, and 2026.03.1 is before it: give deltas in order",
        ),
        (
            "RDS_2026.06.1_modern_minimal_delta.sql",
            "2025.12.1",
            "",
            "it leads to release 2025.12.1, and 2026.03.1 is before it: give deltas in order",
        ),
        (
            "delta.sql",
            "2026.06.1",
            "legacy_minimal",
            "it is a delta of the legacy set, and the database before it is of the modern set",
        ),
        (
            "RDS_2026.06.1_android_delta.sql",
            "",
            "",
            "it is a delta of the android set, and the database before it is of the modern set",
        ),
    ] {
        write(name, version, set, "b");
        build(&[name]).expect(2, &format!("pfh: `{name}`: {reason}\n"));
        assert!(!d.join("set.pfhk").exists());
    }
    write("june.sql", "2026.06.1", "modern_minimal", "b");
    write("september.sql", "2026.09.1", "", "c");
    build(&["june.sql", "september.sql"]).expect(0, "pfh: known files: 3, lines: 3, repeated or deleted: 0\n");
    let reason = "it leads to release 2026.06.1, and 2026.09.1 is before it: give deltas in order";
    let ended = build(&["september.sql", "june.sql"]);
    assert!(ended.code() == 2 && ended.stderr.ends_with(&format!("pfh: `june.sql`: {reason}\n")), "{}", ended.stderr);
    // Without the delta in between, what that one added would be missing.
    fs::remove_file(d.join("set.pfhk")).unwrap();
    let reason = "`september.sql`: it leads to release 2026.09.1, and 2026.03.1 is before it: the delta of a quarter in \
                  between is missing";
    let ended = build(&["september.sql"]);
    assert!(ended.stderr.contains(reason) && !d.join("set.pfhk").exists(), "{}", ended.stderr);
    let ended = build(&["--keep-going", "september.sql"]);
    assert!(ended.stderr.contains(reason) && ended.code() == 3 && d.join("set.pfhk").exists(), "{}", ended.stderr);
}

/// A package that moves from one set to another is deleted from the one only.
#[test]
fn a_delta_deletes_from_its_own_database_only() {
    let directory = scratch();
    let d = directory.path();
    if !database(d, "legacy.db", "legacy_minimal", &["old"]) {
        return;
    }
    assert!(database(d, "modern.db", "modern_minimal", &["moved", "new"]));
    let (legacy, modern) = ("RDS_2026.06.1_legacy_minimal_delta.sql", "RDS_2026.06.1_modern_minimal_delta.sql");
    write_delta(d, legacy, &[insertion("moved")]);
    write_delta(d, modern, &[deletion("moved")]);
    let build = ["known", "build", "--keep", "name", "set.pfhk", "legacy.db", legacy, "modern.db", modern];
    pfh(d, build).run().expect(0, "pfh: known files: 3, lines: 4, repeated or deleted: 1\n");
    let md5 = digest("md5", b"moved").to_string();
    let looked = pfh(d, ["known", "lookup", "set.pfhk", &md5]).run();
    let sha256 = digest("sha256", b"moved");
    let answer = format!("known-other  {md5}  (set.pfhk: 2026.06.1: moved)  sha256 {sha256}\n");
    assert_eq!(String::from_utf8_lossy(looked.expect(0, "")), answer);
    // Deltas are given after their own database.
    let refused = pfh(d, ["known", "build", "other.pfhk", "legacy.db", "modern.db", legacy]).run();
    let reason = "it is a delta of the legacy set, and the database before it is of the modern set";
    refused.expect(2, &format!("pfh: `{legacy}`: {reason}\n"));
}

/// And as SQLite applies it to the database, the set can be built.
#[test]
fn a_delta_of_a_full_set_is_refused() {
    const PYTHON: &str = r#"
import sqlite3, sys
database = sqlite3.connect("RDS_2026.03.1_modern.db")
if len(sys.argv) > 1:
    database.executescript(open(sys.argv[1]).read())
else:
    database.execute("CREATE TABLE METADATA (metadata_id INTEGER PRIMARY KEY, bytes, file_name, md5, sha1, sha256)")
    for number in range(3):
        digests = [str(number) * length for length in (32, 40, 64)]
        database.execute("INSERT INTO METADATA VALUES (?, 1, 'x', ?, ?, ?)", (number, *digests))
    database.commit()
"#;
    let directory = scratch();
    let d = directory.path();
    if peer("python3", d, ["-c", PYTHON]).is_none() {
        return;
    }
    let (database, delta) = ("RDS_2026.03.1_modern.db", "RDS_2026.06.1_modern_delta.sql");
    let advice = "a delta of a full set needs the database to tell its rows: apply it with SQLite \
                  (`sqlite3 DATABASE < DELTA`) and build from that, or take database and deltas of the minimal set";
    let minimal = "RDS_2026.06.1_modern_minimal_delta.sql";
    fs::write(d.join(delta), "BEGIN;\nDELETE FROM METADATA WHERE metadata_id = 1;\nCOMMIT;\n").unwrap();
    fs::write(d.join(minimal), "BEGIN;\nCOMMIT;\n").unwrap();
    let other = "it is a delta of a minimal set, and the database before it is a full one: take the minimal database, or \
                 the delta of the full set";
    for (delta, reason) in [(delta, advice), (minimal, other)] {
        let refused = pfh(d, ["known", "build", "set.pfhk", database, delta]).run();
        refused.expect(2, &format!("pfh: `{delta}`: {reason}\n"));
        assert!(!d.join("set.pfhk").exists());
    }
    peer("python3", d, ["-c", PYTHON, delta]).unwrap();
    let built = pfh(d, ["known", "build", "set.pfhk", database]).run();
    built.expect(0, "pfh: known files: 2, lines: 2, repeated: 0\n");
}

#[test]
fn a_damaged_archive_of_a_delta_is_refused() {
    const PYTHON: &str = r#"
import sqlite3, zipfile
database = sqlite3.connect("RDS_2026.03.1_modern_minimal.db")
database.execute("CREATE TABLE FILE (sha256, sha1, md5, file_name, file_size, package_id)")
database.execute("INSERT INTO FILE VALUES (?, ?, ?, 'x', 1, 2)", ("0" * 64, "0" * 40, "0" * 32))
database.commit()
with zipfile.ZipFile("RDS_2026.06.1_modern_minimal_delta.zip", "w") as archive:
    insert = "INSERT INTO FILE VALUES ('%s', '%s', '%s', 'y', 1, 2);" % ("1" * 64, "1" * 40, "1" * 32)
    archive.writestr("a/RDS_2026.06.1_modern_minimal_delta.schema.sql", "CREATE TABLE FILE (a);")
    archive.writestr("a/RDS_2026.06.1_modern_minimal_delta.sql", "BEGIN;" + insert + "COMMIT;")
"#;
    let directory = scratch();
    let d = directory.path();
    if peer("python3", d, ["-c", PYTHON]).is_none() {
        return;
    }
    let (database, delta) = ("RDS_2026.03.1_modern_minimal.db", "RDS_2026.06.1_modern_minimal_delta.zip");
    let build = || pfh(d, ["known", "build", "set.pfhk", database, delta]).run();
    build().expect(0, "pfh: known files: 2, lines: 2, repeated or deleted: 0\n");
    fs::remove_file(d.join("set.pfhk")).unwrap();
    let whole = fs::read(d.join(delta)).unwrap();
    let place = whole.windows(6).rposition(|bytes| bytes == b"COMMIT").unwrap();
    for damage in [&whole[..whole.len() / 2], &[&whole[..place], b"commit", &whole[place + 6..]].concat()] {
        fs::write(d.join(delta), damage).unwrap();
        let ended = build();
        assert_eq!(ended.code(), 2, "{}", ended.said());
        assert!(ended.said().contains(delta) && ended.said().contains("damaged"), "{}", ended.said());
        assert!(!d.join("set.pfhk").exists());
    }
}

/// An archive has the digests of its members beside the database. They are no list of known files, whatever is wrong
/// with the database.
#[test]
fn an_archive_of_a_database_is_no_list() {
    const PYTHON: &str = r#"
import zipfile
for name, members in (("release.zip", ["release.db"]), ("several.zip", ["release.db", "other.db"])):
    with zipfile.ZipFile(name, "w") as archive:
        for member in members:
            archive.write("release.db", member)
        archive.writestr("signatures.txt", "SHA256(release.db)= " + "1" * 64 + "\n")
"#;
    let directory = scratch();
    let d = directory.path();
    if !database(d, "release.db", "modern", &["a"]) {
        return;
    }
    assert!(peer("python3", d, ["-c", PYTHON]).unwrap().status.success());
    let whole = fs::read(d.join("release.zip")).unwrap();
    let mut damaged = whole.clone();
    damaged[3000] ^= 1;
    fs::write(d.join("damaged.zip"), damaged).unwrap();
    fs::write(d.join("without ending"), whole).unwrap();
    for (source, reason) in [("damaged.zip", "Invalid checksum"), ("several.zip", "it has several databases")] {
        let ended = pfh(d, ["known", "build", "set.pfhk", source]).run();
        assert_eq!(ended.code(), 2, "{}", ended.said());
        assert!(ended.said().contains(source) && ended.said().contains(reason), "{}", ended.said());
        assert!(!d.join("set.pfhk").exists());
    }
    for source in ["release.zip", "without ending"] {
        let built = pfh(d, ["known", "build", "--allow-empty", "set.pfhk", source]).run();
        built.expect(0, "pfh: known files: 1, lines: 1, repeated: 0\n");
        let known = pfh(d, ["known", "lookup", "set.pfhk", &digest("sha256", b"a").to_string()]).run();
        assert!(String::from_utf8_lossy(&known.stdout).starts_with("known-other"));
    }
    for source in ["release.zip", "release.db", "damaged.zip"] {
        let ended = pfh(d, ["known", "lookup", &format!("good={source}"), &"1".repeat(64)]).run();
        let advice = format!(
            "pfh: `{source}` is a database of known files: `pfh known build SET `{source}`` makes a set of it\n"
        );
        ended.expect(2, &advice);
    }
}

/// Entries that the set would lose, because it has none of their algorithms, are refused as those of a list are.
#[test]
fn entries_without_a_wanted_digest_are_counted() {
    let directory = scratch();
    let d = directory.path();
    let (md5, sha256) = (digest("md5", b"a"), digest("sha256", b"b"));
    fs::write(d.join("list.csv"), format!("path,size,md5,sha256\na,1,{md5},\nb,1,,{sha256}\n")).unwrap();
    pfh(d, ["known", "build", "-q", "all.pfhk", "list.csv"]).run().done();
    let mut sources = vec!["list.csv", "all.pfhk"];
    if database(d, "release.db", "modern", &["b"]) {
        const PYTHON: &str = r#"
import sqlite3
database = sqlite3.connect("release.db")
database.execute("INSERT INTO FILE SELECT '', sha1, md5, 'x', 1, 7 FROM FILE")
database.commit()
"#;
        assert!(peer("python3", d, ["-c", PYTHON]).unwrap().status.success());
        sources.push("release.db");
    }
    for source in sources {
        let ended = pfh(d, ["known", "build", "-a", "sha256", "set.pfhk", source]).run();
        assert_eq!(ended.code(), 3, "{}", ended.said());
        assert!(ended.said().contains(&format!("`{source}`: 1 file without a digest by ")), "{}", ended.said());
        assert!(!d.join("set.pfhk").exists());
        let ended = pfh(d, ["known", "build", "-q", "--keep-going", "-a", "sha256", "set.pfhk", source]).run();
        assert_eq!(ended.code(), 3, "{}", ended.said());
        assert!(d.join("set.pfhk").exists());
        fs::remove_file(d.join("set.pfhk")).unwrap();
    }
}

/// An export without entries does not replace a list.
#[test]
fn a_list_is_not_replaced_by_an_export_of_nothing() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("list"), format!("{}\n", digest("md5", b"a"))).unwrap();
    pfh(d, ["known", "build", "-q", "--class", "bad", "set.pfhk", "list"]).run().done();
    let export = ["known", "export", "-q", "-a", "md5", "--only", "good", "-o", "list", "set.pfhk"];
    assert_eq!(pfh(d, export).run().code(), 3);
    assert_ne!(fs::metadata(d.join("list")).unwrap().len(), 0);
    assert_eq!(pfh(d, [&export[..], &["--allow-empty"]].concat()).run().code(), 0);
    assert_eq!(fs::metadata(d.join("list")).unwrap().len(), 0);
}

/// A missing end is told, and is no line that was refused.
#[test]
fn a_missing_end_is_none_of_the_lines_of_a_set() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "x").unwrap();
    hash(d, ["-a", "md5", "-f", "jsonl", "-o", "list", "f"]).run().done();
    let list = fs::read_to_string(d.join("list")).unwrap();
    fs::write(d.join("list"), &list[..list.find("{\"type\":\"summary\"").unwrap()]).unwrap();
    let ended = pfh(d, ["known", "build", "--keep-going", "set.pfhk", "list"]).run();
    assert!(ended.code() == 3 && ended.said().contains("`list`: its end is missing\n"), "{}", ended.said());
    let info = pfh(d, ["known", "info", "set.pfhk"]).run();
    let info = String::from_utf8_lossy(info.done()).into_owned();
    assert!(info.contains("list") && !info.contains("refused"), "{info}");
    // Nobody else may read it, so whoever is no superuser cannot tell that it is a set.
    fs::set_permissions(d.join("set.pfhk"), fs::Permissions::from_mode(0o200)).unwrap();
    if fs::File::open(d.join("set.pfhk")).is_err() {
        let ended = pfh(d, ["known", "build", "set.pfhk", "list"]).run();
        let said =
            "pfh: `set.pfhk` is there and cannot be read, so it is not replaced: Permission denied (os error 13)\n";
        ended.expect(2, said);
    }
}

/// An export of an empty set is empty only on request.
#[test]
fn an_empty_set_is_exported_on_request() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("list"), format!("{}\n", digest("md5", b"a"))).unwrap();
    pfh(d, ["known", "build", "-q", "one.pfhk", "list"]).run().done();
    pfh(d, ["known", "build", "-q", "--allow-empty", "--except", "one.pfhk", "-a", "md5", "none.pfhk", "list"])
        .run()
        .done();
    for words in [&["none.pfhk"][..], &["-a", "md5", "none.pfhk"]] {
        let export = [&["known", "export", "-q"], words].concat();
        assert_eq!(pfh(d, &export).run().code(), 2);
        assert_eq_bytes(pfh(d, [&export[..], &["--allow-empty"]].concat()).run().done(), b"");
    }
    pfh(d, ["known", "export", "-q", "none.pfhk"])
        .run()
        .expect(2, "pfh: the set has no digests; --allow-empty exports it\n");
}

/// A program that is killed leaves no set under its name.
#[test]
fn a_killed_build_leaves_no_set() {
    let directory = scratch();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pfh"))
        .current_dir(directory.path())
        .args(["known", "build", "set.pfhk", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String = (0..20_000).map(|i: u32| format!("{}\n", digest("md5", &i.to_le_bytes()))).collect();
    input.write_all(lines.as_bytes()).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(names(directory.path()), [] as [std::path::PathBuf; 0]);
}

#[test]
fn a_large_build_keeps_to_its_memory() {
    let directory = scratch();
    let lines: String = (0..500_000).map(|i: u32| format!("{}  file {i}\n", digest("md5", &i.to_le_bytes()))).collect();
    fs::write(directory.path().join("list.md5"), lines).unwrap();
    let build = ["known", "build", "-m", "8M", "--keep", "name", "set.pfhk", "list.md5"];
    let ended = pfh(directory.path(), build).run();
    ended.expect(0, "pfh: known files: 500,000, lines: 500,000, repeated: 0\n");
    ended.kept_below(8);
    let text = digest("md5", &77_777_u32.to_le_bytes()).to_string();
    let looked = pfh(directory.path(), ["known", "lookup", "set.pfhk", &text]).run();
    let answer = format!("known-other  {text}  (set.pfhk: file 77777)\n");
    assert_eq!(String::from_utf8_lossy(looked.expect(0, "")), answer);
}

/// Of a list of digests of several lengths, each guess stands for itself, and naming the algorithms settles all.
#[test]
fn each_guess_is_confirmed_by_itself() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("files")).unwrap();
    fs::write(d.join("files/1"), "one").unwrap();
    let blake3 = digest("blake3", b"two");
    fs::write(d.join("ioc.txt"), format!("{}\n{blake3}\n", digest("md5", b"one"))).unwrap();
    let ended = pfh(d, ["match", "--known", "bad=ioc.txt", "files"]).run();
    assert!(
        ended.code() == 5 && ended.stderr.contains("sha256") && !ended.stderr.contains("`-a md5`"),
        "{}",
        ended.stderr
    );
    let build = ["known", "build", "-q", "--class", "bad", "-a", "md5,sha256", "named.pfhk", "ioc.txt"];
    pfh(d, build).run().done();
    let ended = pfh(d, ["match", "-q", "--known", "named.pfhk", "files"]).run();
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    // Two of one length settle nothing.
    let build = ["known", "build", "-q", "--class", "bad", "-a", "md5,sha256,blake3", "both.pfhk", "ioc.txt"];
    pfh(d, build).run().done();
    let ended = pfh(d, ["match", "--known", "both.pfhk", "files"]).run();
    assert!(ended.code() == 5 && ended.stderr.contains("sha256"), "{}", ended.stderr);
}

/// A list may state a wrong size: the digest decides, whatever the format of the output.
#[test]
fn a_wrong_size_hides_no_bad_file() {
    let directory = case();
    let d = directory.path();
    let wrong = format!("path,size,md5\na.jpg,0,{}\n", digest("md5", &fs::read(d.join("files/bad")).unwrap()));
    fs::write(d.join("wrong.csv"), wrong).unwrap();
    for class in ["bad=", "other="] {
        let known = format!("{class}wrong.csv");
        for format in [&[][..], &["-f", "csv"]] {
            let ended =
                pfh(d, [&["match", "-q", "--only", "bad,other", "--known", &known, "files"], format].concat()).run();
            assert!(
                String::from_utf8_lossy(&ended.stdout).contains("files/bad"),
                "{class} {format:?}: {}",
                ended.stderr
            );
        }
    }
    // Of a good one, the size is taken as it is: in every format, of files and of entries of lists, whether they are
    // looked for or not found, and beside other sets.
    fs::write(d.join("own.csv"), format!("path,size,md5\nown,3,{}\n", digest("md5", b"bad"))).unwrap();
    fs::write(d.join("none.md5"), format!("{}  none\n", digest("md5", b"none"))).unwrap();
    for (more, unknown) in [
        (&["files"][..], "unknown      files/bad\n"),
        (&["-f", "csv", "files"], "unknown,files/bad,,"),
        (&["-f", "jsonl", "files"], "\"path\":\"files/bad\",\"class\":\"unknown\""),
        (&["--known", "bad=none.md5", "files"], "unknown      files/bad\n"),
        (&["--digests", "own.csv"], "unknown      own.csv:own\n"),
        (&["--not-found", "files"], "known-good   a.jpg  "),
        (&["-f", "csv", "--not-found", "files"], "known-good,a.jpg,,"),
    ] {
        let printed = pfh(d, [&["match", "-q", "--known", "good=wrong.csv"], more].concat()).run().stdout;
        let printed = String::from_utf8_lossy(&printed);
        assert!(printed.contains(unknown), "{more:?}: {printed}");
        assert_eq!(printed.contains("known-good"), more.contains(&"--not-found"), "{more:?}: {printed}");
    }
}

/// Where a set has all sizes, a file of another size is unknown without being read.
#[test]
fn a_file_of_another_size_is_not_read() {
    let directory = case();
    fs::File::create(directory.path().join("files/large")).unwrap().set_len(256 << 20).unwrap();
    let list = ["hash", "-a", "md5", "-f", "csv", "-o", "own.csv", "files/good", "files/bad"];
    pfh(directory.path(), list).run().expect(0, "");
    pfh(directory.path(), ["known", "build", "--quiet", "own.pfhk", "own.csv"]).run().expect(0, "");
    let lines = "known-good   files/bad  (own.pfhk)\nunknown      files/both\nknown-good   files/good  (own.pfhk)\n\
                 unknown      files/large\nunknown      files/new\n";
    let known = ["match", "--quiet", "--known", "good=own.pfhk", "files"];
    let ended = pfh(directory.path(), known).run();
    assert_eq!(String::from_utf8_lossy(ended.expect(0, "")), lines);
    assert!(ended.read_bytes < 64 << 20, "{}", ended.read_bytes);
}

/// A system that refuses memory or files, or has no place for temporary files, is told as that.
#[test]
fn a_build_with_little_of_everything() {
    let directory = case();
    let d = directory.path();
    let limited = |limit: &str| {
        let script = format!("ulimit {limit}; exec \"$0\" known build -q limited.pfhk good.md5");
        let run = Run::new("sh", d, ["-c", &script, env!("CARGO_BIN_EXE_pfh")]);
        run.with(|command| command.env("MALLOC_ARENA_MAX", "1")).run()
    };
    // The memory option is a gigabyte, of which a short list takes little.
    limited("-v 400000").done();
    let few = limited("-n 25");
    assert!(few.stderr.contains("open files is too low for a thread that reads"), "{}", few.stderr);
    assert_eq!(few.code(), 2);
    let build = pfh(d, ["known", "build", "-q", "other.pfhk", "good.md5"]);
    let ended = build.with(|command| command.env("TMPDIR", d.join("missing"))).run();
    assert!(ended.stderr.starts_with("pfh: a temporary file cannot be used: "), "{}", ended.stderr);
    assert_eq!((ended.code(), d.join("other.pfhk").exists()), (4, false));
}
