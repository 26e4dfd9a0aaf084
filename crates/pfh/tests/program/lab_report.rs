//! `pfh lab report` and `pfh lab compare`: files, statuses, and damaged results.

use std::fs;
use std::path::Path;

use crate::fixture::*;

/// Results of two algorithms with three sizes each, three repeats of known times.
fn results(md5_ns_per_mib: u64) -> String {
    let mut text = concat!(
        r#"{"type":"header","version":1,"experiment":"languages","definition":"title = 'T'\nquestion = 'Q?'","#,
        r#""started":"2026-01-02T03:04:05Z","program":"0","seed":1,"environment":{"os":"Linux"}}"#,
        "\n",
        r#"{"type":"runner","runner":"c-openssl","profile":"today","label":"OpenSSL <b>","language":"C","hello":{"protocol":1}}"#,
        "\n"
    )
    .to_owned();
    for (algorithm, each) in [("md5", md5_ns_per_mib), ("sha256", 500_000)] {
        for mib in [1, 2, 4] {
            for repeat in 0..5 {
                text += &format!(
                    r#"{{"type":"sample","runner":"c-openssl","profile":"today","mode":"digest","algorithm":"{algorithm}","bytes":{},"count":1,"chunk_bytes":65536,"order":{repeat},"wall_ns":{}}}"#,
                    mib << 20,
                    mib * each + repeat,
                );
                text += "\n";
            }
        }
    }
    text + "{\"type\":\"end\",\"seconds\":1.0}\n"
}

fn folder(directory: &Path, name: &str, text: &str) {
    fs::create_dir(directory.join(name)).unwrap();
    fs::write(directory.join(name).join("results.jsonl"), text).unwrap();
}

#[test]
fn a_report_is_written_in_four_forms() {
    let directory = scratch();
    folder(directory.path(), "r", &results(1_000_000));
    let ended = pfh(directory.path(), ["lab", "report", "r", "--volume", "1T", "--key-space", "10^6"]).run();
    assert_eq!((ended.code(), ended.stderr.as_str()), (0, ""), "{}", ended.stderr);
    assert!(String::from_utf8_lossy(&ended.stdout).contains("`r/report.html`"), "{}", ended.stderr);
    let read = |name: &str| fs::read_to_string(directory.path().join("r").join(name)).unwrap();
    let page = read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("OpenSSL &lt;b&gt;") && !page.contains("OpenSSL <b>"));
    assert!(read("report.md").starts_with("# T\n\nQ?\n"));
    assert_eq!(read("report.csv").lines().count(), 1 + 6);
    assert!(read("report.jsonl").lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    // MD5 takes twice SHA-256's time here: the order of 2015 is reversed.
    let ledger: Vec<serde_json::Value> =
        read("report.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let claim = ledger.iter().find(|object| object["id"] == "V1").unwrap();
    assert_eq!(claim["verdict"], "not measured", "no processor times: {claim}");
    let claim = ledger.iter().find(|object| object["id"] == "G4").unwrap();
    assert_eq!(claim["verdict"], "reversed", "{claim}");
    // The report is repeated elsewhere, from the file itself.
    let ended = pfh(directory.path(), ["lab", "report", "r/results.jsonl", "-o", "x.html"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    for name in ["x.html", "x.md", "x.csv", "x.jsonl"] {
        assert!(directory.path().join(name).is_file(), "{name}");
    }
}

/// A report's own JSON Lines might have the same name as the results.
#[test]
fn a_report_never_takes_the_place_of_the_results() {
    let directory = scratch();
    folder(directory.path(), "r", &results(1));
    for output in ["r/results.html", "r/results.jsonl", "./r/../r/results.md"] {
        let ended = pfh(directory.path(), ["lab", "report", "r", "-o", output]).run();
        assert_eq!(ended.code(), 2, "{output}: {}", ended.stderr);
        assert_eq!(fs::read_to_string(directory.path().join("r/results.jsonl")).unwrap(), results(1), "{output}");
    }
    let ended = pfh(directory.path(), ["lab", "report", "r", "-o", "page.csv"]).run();
    assert_eq!(ended.code(), 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("another extension"), "{}", ended.stderr);
    let ended = pfh(directory.path(), ["lab", "report", "r", "--volume", "0"]).run();
    ended.expect(2, "pfh: --volume must be greater than 0\n");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn damaged_results_are_named() {
    let directory = scratch();
    let good = results(1);
    folder(directory.path(), "garbage", &good.replacen("\"wall_ns\":1}", "\"wall_ns\":NaN}", 1));
    folder(directory.path(), "empty", "");
    folder(directory.path(), "other", "{\"type\":\"file\"}\n");
    fs::create_dir(directory.path().join("bare")).unwrap();
    fs::create_dir(directory.path().join("pipe")).unwrap();
    fifo(&directory.path().join("pipe/results.jsonl"));
    for (name, text) in [
        ("garbage", "`garbage/results.jsonl`: line 3: "),
        ("empty", "the file is empty"),
        ("other", "line 1: "),
        ("bare", "`bare/results.jsonl`: No such file"),
        ("pipe", "`pipe/results.jsonl`: it is not a regular file"),
        ("absent", "`absent`: No such file"),
    ] {
        for command in [vec!["lab", "report", name], vec!["lab", "compare", name, name]] {
            let ended = pfh(directory.path(), &command).run();
            assert_eq!(ended.code(), 2, "{}", ended.stderr);
            assert!(ended.stderr.contains(text), "{}", ended.stderr);
        }
        assert!(!directory.path().join(name).join("report.html").exists());
    }
    // Results cut off in the middle of a line are reported as incomplete.
    folder(directory.path(), "cut", &good[..good.len() - 50]);
    let ended = pfh(directory.path(), ["lab", "report", "cut"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let page = fs::read_to_string(directory.path().join("cut/report.html")).unwrap();
    assert!(page.contains("was cut off and is left out") && page.contains("did not reach its end"));
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let directory = scratch();
    folder(directory.path(), "r", &results(1));
    let ended = pfh(directory.path(), ["lab", "report", "r", "-o", "absent/x.html"]).run();
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("absent/x."), "{}", ended.stderr);
    let ended = pfh(directory.path(), ["lab", "report", "r", "--key-space", "many"]).run();
    assert_eq!(ended.code(), 2, "{}", ended.stderr);
}

#[test]
fn two_results_side_by_side() {
    let directory = scratch();
    folder(directory.path(), "a", &results(1_000_000));
    folder(directory.path(), "b", &results(2_000_000));
    let ended = pfh(directory.path(), ["lab", "compare", "a", "b"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(
        String::from_utf8_lossy(&ended.stdout).contains("B is faster in 0, slower in 3, the same within 3 % in 3"),
        "{}",
        ended.stderr
    );
    let ended = pfh(directory.path(), ["lab", "compare", "a", "b", "-o", "c.html"]).run();
    assert_eq!((ended.code(), ended.stdout.as_slice()), (0, b"".as_slice()), "{}", ended.stderr);
    assert!(fs::read_to_string(directory.path().join("c.html")).unwrap().contains("B slower"));
    // A comparison must not overwrite the compared results.
    let ended = pfh(directory.path(), ["lab", "compare", "a", "b", "-o", "a/results.jsonl"]).run();
    assert_eq!(ended.code(), 2, "{}", ended.stderr);
}
