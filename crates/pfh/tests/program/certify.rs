//! `pfh certify`: the report of a list, as a page and as JSON.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::*;

/// Makes a list of two files and one that cannot be read: a directory's link to itself.
fn case() -> TempDir {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("files")).unwrap();
    fs::write(path.join("files/a"), "hello").unwrap();
    fs::write(path.join("files/<b>"), "").unwrap();
    hash(path, ["-a", "md5,sha256", "-f", "jsonl", "-o", "list.jsonl", "files"]).run().done();
    directory
}

/// Adds a file that could not be read, with a name that is not UTF-8, before the counts. (Lines without check values
/// are of earlier versions, so that of the header goes too.)
fn with_exception(directory: &Path) {
    with_line(
        directory,
        "{\"type\":\"file\",\"path\":\"secret \u{FFFD}\",\"path_base64\":\"c2VjcmV0IP8=\",\"outcome\":\"unreadable\",\"error\":\
         {\"kind\":\"permission-denied\",\"message\":\"cannot open: Permission denied\",\"offset\":0,\"errno\":13}}",
    );
}

/// Adds a line, or several, after the header.
fn with_line(directory: &Path, line: &str) {
    let list = fs::read_to_string(directory.join("list.jsonl")).unwrap();
    let mut lines: Vec<String> =
        list.lines().map(|line| format!("{}}}", line.split(",\"check\"").next().unwrap())).collect();
    lines.insert(1, line.to_owned());
    fs::write(directory.join("list.jsonl"), lines.join("\n") + "\n").unwrap();
}

fn certify(directory: &Path, more: &[&str]) -> Ended {
    pfh(directory, [&["certify", "list.jsonl", "--by", "A. <Person>"], more].concat()).run()
}

fn page(ended: &Ended, status: i32, message: &str) -> String {
    String::from_utf8(ended.expect(status, message).to_vec()).unwrap()
}

fn json(ended: &Ended, status: i32) -> Value {
    serde_json::from_str(&page(ended, status, "")).unwrap()
}

#[test]
fn nobody_is_named_unless_somebody_says_so() {
    let directory = case();
    let message = "pfh: --by is missing: name the person who makes the report (`--by \"A. Person\"`). It is not guessed, because an \
                   account is not a person, and whoever is named answers for the report\n";
    for arguments in [&["certify", "list.jsonl"][..], &["certify", "list.jsonl", "--by", "  "]] {
        pfh(directory.path(), arguments).run().expect(2, message);
    }
    let message = "pfh: a report is about a file, which others can compare with it; standard input is none\n";
    pfh(directory.path(), ["certify", "-", "--by", "x"]).run().expect(2, message);
    let message = "pfh: `absent`: No such file or directory (os error 2)\n";
    pfh(directory.path(), ["certify", "absent", "--by", "x"]).run().expect(2, message);
}

#[test]
fn a_page_has_the_account_and_lines_to_sign_on() {
    let directory = case();
    let path = directory.path();
    let list = fs::read(path.join("list.jsonl")).unwrap();
    let more =
        ["--role", "examiner", "--case", "2026-117", "--evidence", "disk 1", "--device", "USB", "--device", "PC"];
    let html = page(&certify(path, &more), 0, "");
    for algorithm in ["sha256", "sha512"] {
        assert!(html.contains(&digest(algorithm, &list).to_string()), "{algorithm}");
    }
    for text in [
        "<dd>A. &lt;Person&gt;</dd>",
        "<dd>examiner</dd>",
        "<dd>2026-117</dd>",
        "<dd>disk 1</dd>",
        "<dt>Device</dt><dd>USB</dd><dt>Device</dt><dd>PC</dd>",
        "<p class=\"answer\">2 of 2 files in this list have digests.</p>",
        "<p class=\"answer\">There are no exceptions.</p>",
        "<p class=\"answer\">The list is whole: its run ended normally.</p>",
        "<span class=\"line\">A. &lt;Person&gt;</span><span class=\"label\">Name</span>",
        "<span class=\"line\"></span><span class=\"label\">Signature</span>",
        "It is no legal advice",
        "pfh hash -a md5,sha256 -f jsonl -o list.jsonl files",
        "<th scope=\"row\"><span class=\"mark good\">complete</span></th><td class=\"number\" data-value=\"2\">2</td>",
    ] {
        assert!(html.contains(text), "{text}\n{html}");
    }
    // The machine is named only if that is asked for, here and where the list states it.
    let host = rustix::system::uname().nodename().to_str().unwrap().to_owned();
    let machine = format!("<dt>Machine</dt><dd>{host}, Linux, ");
    assert!(!html.contains("<dt>Machine</dt>") && !html.contains("<dt>User number</dt>"), "{html}");
    assert_eq!(page(&certify(path, &["--host"]), 0, "").matches(&machine).count(), 2);
    // The file appears whole.
    certify(path, &["-o", "report.html"]).expect(0, "");
    assert!(fs::read_to_string(path.join("report.html")).unwrap().ends_with("</html>"));
}

#[test]
fn exceptions_are_listed() {
    let directory = case();
    let path = directory.path();
    with_exception(path);
    let html = page(&certify(path, &[]), 0, "");
    for text in [
        "2 of 3 files in this list have digests.",
        "Exceptions, listed below: 1.",
        "At its end the list counts 2 files.",
        "<th scope=\"row\"><code>secret \\xff</code></th><td data-label=\"Reason\">cannot open: Permission denied</td>",
        "<span class=\"mark bad\">unreadable</span>",
    ] {
        assert!(html.contains(text), "{text}\n{html}");
    }
    let report = json(&certify(path, &["--json"]), 0);
    assert_eq!(report["exceptions"][0]["path_base64"], "c2VjcmV0IP8=");
    assert_eq!((report["exceptions_total"].as_u64(), report["files"].as_u64()), (Some(1), Some(3)));
    assert_eq!(report["outcomes"], serde_json::json!({"complete": 2, "unreadable": 1}));
}

/// Files that were read and have no digest, because they are too short for one.
#[test]
fn files_without_a_digest_are_exceptions() {
    let directory = case();
    let path = directory.path();
    fs::write(path.join("files/long"), contents(0, 100_000)).unwrap();
    let listed = hash(path, ["-a", "tlsh", "-f", "jsonl", "-o", "list.jsonl", "files"]).run();
    assert_eq!(listed.code(), 0, "{}", listed.stderr);
    let report = json(&certify(path, &["--json"]), 0);
    assert_eq!((report["exceptions_total"].as_u64(), report["files"].as_u64()), (Some(2), Some(3)));
    let exceptions = report["exceptions"].as_array().unwrap();
    let reasons: Vec<&str> = exceptions.iter().map(|exception| exception["reason"].as_str().unwrap()).collect();
    assert!(reasons.iter().all(|reason| reason.contains("no digest")), "{reasons:?}");
    let html = page(&certify(path, &[]), 0, "");
    assert!(html.contains("1 of 3 files in this list have digests."), "{html}");
}

#[test]
fn json_has_the_same_facts() {
    let directory = case();
    let path = directory.path();
    let list = fs::read(path.join("list.jsonl")).unwrap();
    let report = json(&certify(path, &["--json", "--case", "1", "--device", "d"]), 0);
    assert_eq!(
        (&report["type"], &report["by"], &report["case"]),
        (&"hash-report".into(), &"A. <Person>".into(), &"1".into())
    );
    assert_eq!(report["devices"], serde_json::json!(["d"]));
    assert!(report.get("role").is_none() && report.get("host").is_none());
    let program = fs::read(env!("CARGO_BIN_EXE_pfh")).unwrap();
    for (key, contents) in [(&report["list"], &list), (&report["executable"]["identity"], &program)] {
        assert_eq!(key["bytes"], contents.len());
        for algorithm in ["sha256", "sha512"] {
            assert_eq!(key["digests"][algorithm], digest(algorithm, contents).to_string());
        }
    }
    assert_eq!((&report["list"]["path"], &report["list"]["format"]), (&"list.jsonl".into(), &"jsonl".into()));
    assert_eq!(report["digests"], serde_json::json!({"md5": 2, "sha256": 2}));
    assert_eq!((report["bytes"].as_u64(), report["files_with_size"].as_u64()), (Some(5), Some(2)));
    assert_eq!(
        report["run"]["command_line"],
        "pfh hash -a md5,sha256 -f jsonl -o list.jsonl files".replacen("pfh", env!("CARGO_BIN_EXE_pfh"), 1)
    );
    let clock = report["clock"].as_str().unwrap();
    assert!(clock.starts_with("system clock"), "{clock}");
    let now = std::time::SystemTime::now();
    let created = report["created"].as_str().unwrap();
    assert!(created.starts_with("20") && created.ends_with('Z'), "{created} {now:?}");
}

/// Lists of other programs, several lines for a file, and what is wrong with a list.
#[test]
fn other_lists() {
    let directory = case();
    let path = directory.path();
    let (md5, sha1) = (digest("md5", b"a"), digest("sha1", b"a"));
    fs::write(path.join("sums"), format!("MD5 (a) = {md5}\nSHA1 (a) = {sha1}\nMD5 (b) = {md5}\n")).unwrap();
    let report = json(&pfh(path, ["certify", "sums", "--by", "x", "--json"]).run(), 0);
    assert_eq!((report["files"].as_u64(), &report["list"]["format"]), (Some(2), &"bsd".into()));
    assert_eq!(report["outcomes"], serde_json::json!({"listed_with_digests": 2}));
    assert_eq!(report["digests"], serde_json::json!({"md5": 2, "sha1": 1}));
    assert_eq!(report["run"], serde_json::json!({}));
    fs::write(path.join("broken"), format!("{md5}  a\nbroken\n")).unwrap();
    let message = "pfh: `broken`: line 2, byte 36: expected a digest at the beginning of the line\n";
    let html = page(&pfh(path, ["certify", "broken", "--by", "x"]).run(), 3, message);
    assert!(html.contains("Lines of the list that could not be read: 1."), "{html}");
    // Nothing is certified where nothing was read.
    fs::write(path.join("prose"), "made 20240131\nAdd more\n").unwrap();
    let message = "pfh: `prose`: line 1, byte 0: expected a digest at the beginning of the line\n\
                   pfh: `prose`: line 2, byte 14: expected a digest at the beginning of the line\n\
                   pfh: no line of `prose` could be read as gnu; if it is another format, name that with --as, and if \
                   its records end with NUL, `pfh convert --as gnu --read-null -f jsonl` writes it anew\n";
    pfh(path, ["certify", "prose", "--as", "gnu", "--by", "x", "-o", "report"]).run().expect(2, message);
    fs::write(path.join("program"), b"\x7fELF\0 \0; x\0file 3610A686\0\n").unwrap();
    let message = "pfh: `program` is not a list of digests that pfh can read; --as names the format of one that is not \
                   recognised\n";
    pfh(path, ["certify", "program", "--by", "x", "-o", "report"]).run().expect(2, message);
    assert!(!path.join("report").exists());
    // Without its last line, the end is missing.
    let list = fs::read_to_string(path.join("list.jsonl")).unwrap();
    let cut: Vec<&str> = list.lines().take(2).collect();
    fs::write(path.join("list.jsonl"), cut.join("\n") + "\n").unwrap();
    assert!(page(&certify(path, &[]), 3, "").contains("The end of the list is missing"));
}

#[test]
fn a_report_that_cannot_be_written() {
    let directory = case();
    let message = "pfh: the output could not be written: No space left on device (os error 28)\n";
    certify(directory.path(), &["-o", "/dev/full"]).expect(4, message);
    let message = "pfh: `absent/x` cannot be written: No such file or directory (os error 2)\n";
    certify(directory.path(), &["-o", "absent/x"]).expect(2, message);
}

/// The list is the evidence, and stays.
/// Nobody began in such a year, but the list may say so.
#[test]
fn a_list_may_state_any_time() {
    let directory = case();
    let list = fs::read_to_string(directory.path().join("list.jsonl")).unwrap();
    let started = list.split("\"started\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    for (year, text) in
        [("292277026000-01-01T00:00:00Z", None), ("1969-12-31T23:59:59.5Z", Some("1969-12-31T23:59:59Z"))]
    {
        fs::write(directory.path().join("list.jsonl"), list.replace(&started, year)).unwrap();
        with_line(directory.path(), "");
        let page = page(&certify(directory.path(), &[]), 0, "");
        assert!(page.contains(text.unwrap_or(year)), "{page}");
    }
}

#[test]
fn a_report_does_not_replace_its_list() {
    let directory = case();
    let path = directory.path();
    let list = fs::read(path.join("list.jsonl")).unwrap();
    std::os::unix::fs::symlink("list.jsonl", path.join("link")).unwrap();
    for output in ["list.jsonl", "./list.jsonl", "link"] {
        let message = "pfh: `list.jsonl` is to be read and is also the output: name another file\n";
        certify(path, &["-o", output]).expect(2, message);
        assert_eq!(fs::read(path.join("list.jsonl")).unwrap(), list);
    }
    certify(path, &["-o", "report.html"]).expect(0, "");
}

/// The latest line of each path counts, as for `pfh verify`.
#[test]
fn of_a_continued_journal_the_latest_lines_count() {
    let directory = case();
    let path = directory.path();
    let expected = json(&certify(path, &["--json"]), 0);
    let md5 = digest("md5", b"old");
    // Those of an earlier run.
    let unreadable =
        "{\"type\":\"file\",\"path\":\"files/a\",\"outcome\":\"unreadable\",\"error\":{\"kind\":\"not-found\"}}\n";
    let changed = format!(
        "{{\"type\":\"file\",\"path\":\"files/<b>\",\"size\":3,\"outcome\":\"complete\",\"digests\":{{\"md5\":\"{md5}\"}},\
         \"pieces\":[{{\"offset\":0,\"length\":3,\"digests\":{{\"md5\":\"{md5}\"}}}}]}}"
    );
    with_line(path, &(unreadable.to_owned() + &changed));
    let report = json(&certify(path, &["--json"]), 0);
    assert_eq!((expected["lines_superseded"].as_u64(), report["lines_superseded"].as_u64()), (Some(0), Some(2)));
    for field in ["files", "outcomes", "digests", "bytes", "files_with_size", "exceptions", "exceptions_total"] {
        assert_eq!(report[field], expected[field], "{field}");
    }
    let html = page(&certify(path, &[]), 0, "");
    let sentence = "Earlier lines of the list that later lines of the same paths supersede, and which do not count: 2.";
    for text in ["2 of 2 files in this list have digests.", "There are no exceptions.", sentence] {
        assert!(html.contains(text), "{text}\n{html}");
    }
}

/// Files are counted once, however their lines are grouped.
#[test]
fn lines_of_a_file_need_not_follow_each_other() {
    let directory = scratch();
    let path = directory.path();
    let line = |algorithm: &str, name: &str| {
        format!("{} ({name}) = {}\n", algorithm.to_uppercase(), digest(algorithm, name.as_bytes()))
    };
    let lines: String =
        ["md5", "sha1"].iter().flat_map(|algorithm| ["a", "b", "c"].map(|name| line(algorithm, name))).collect();
    fs::write(path.join("sums"), lines).unwrap();
    let report = json(&pfh(path, ["certify", "sums", "--by", "x", "--json"]).run(), 0);
    assert_eq!((report["files"].as_u64(), report["lines_superseded"].as_u64()), (Some(3), Some(0)));
    assert_eq!(report["outcomes"], serde_json::json!({"listed_with_digests": 3}));
    assert_eq!(report["digests"], serde_json::json!({"md5": 3, "sha1": 3}));
}

/// The exceptions of a long list do not fill the memory: the first are named, and all are counted.
#[test]
fn exceptions_are_bounded() {
    let directory = case();
    let path = directory.path();
    let line = "{\"type\":\"file\",\"path\":\"x\",\"outcome\":\"not-reached\"}";
    let header = "{\"type\":\"header\",\"version\":1,\"algorithms\":[\"md5\"]}";
    let lines: String = (0..15_000).map(|number| line.replace("\"x\"", &format!("\"{number}\"")) + "\n").collect();
    fs::write(path.join("list.jsonl"), format!("{header}\n{lines}")).unwrap();
    let report = json(&certify(path, &["--json"]), 3);
    assert_eq!(report["exceptions"].as_array().unwrap().len(), 10_000);
    assert_eq!((report["exceptions_total"].as_u64(), report["files"].as_u64()), (Some(15_000), Some(15_000)));
    assert!(page(&certify(path, &[]), 3, "").contains("and 5,000 more, which the list has."));
}
