//! Files of results that are damaged, or were never any.

use std::io::Read as _;

use crate::synthetic::{MIB, Synthetic, cell, languages, languages_reported};
use pfh_lab::measurements::{Measurements, ReadError};

fn error(text: &[u8]) -> ReadError {
    Measurements::read(text).expect_err("damaged")
}

#[test]
fn a_file_cut_anywhere_is_read_up_to_there_or_refused() {
    let mut made = Synthetic::new("languages");
    made.rounds = 1;
    made.runner("c-openssl", "today", "OpenSSL", "C");
    made.time(&cell("c-openssl", "today", "digest", "md5", MIB), 1e6);
    made.end();
    let text = made.text();
    let header_bytes = text.find('\n').expect("lines");
    for end in 0..text.len() {
        match Measurements::read(&text.as_bytes()[..end]) {
            Ok(measurements) => {
                assert!(end >= header_bytes);
                let incomplete = measurements.notes.iter().any(|note| note.contains("did not reach its end"));
                assert_eq!(incomplete, end < text.len() - 1, "{end}");
            }
            Err(ReadError::Empty) => assert_eq!(end, 0),
            Err(ReadError::Line { line, .. }) => assert!(line == 1 && end < header_bytes, "{end}"),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn damage_is_named_by_its_line() {
    let text = languages().text();
    let lines: Vec<&str> = text.lines().collect();
    for (name, line) in [
        ("garbage", "garbage"),
        ("NaN", r#"{"type":"end","seconds":NaN}"#),
        ("infinite", r#"{"type":"end","seconds":1e999}"#),
        (
            "negative",
            r#"{"type":"sample","runner":"a","profile":"today","mode":"digest","algorithm":"md5","bytes":1,"count":1,"chunk_bytes":0,"order":0,"wall_ns":-1}"#,
        ),
        (
            "too large",
            r#"{"type":"sample","runner":"a","profile":"today","mode":"digest","algorithm":"md5","bytes":1,"count":1,"chunk_bytes":0,"order":0,"wall_ns":18446744073709551616}"#,
        ),
        ("no field", r#"{"type":"sample","runner":"a"}"#),
        ("no type", "{}"),
        ("array", "[]"),
        ("not UTF-8", "\u{0}"),
        ("deep", &"[".repeat(100_000)),
        ("another header", lines[0].replace("languages", "strings").as_str()),
    ] {
        let mut damaged = lines.clone();
        damaged[2] = line;
        let error = error((damaged.join("\n") + "\n").as_bytes());
        assert!(matches!(error, ReadError::Line { line: 3, .. }), "{name}: {error}");
        assert!(error.to_string().starts_with("line 3: "), "{error}");
    }
    assert!(matches!(error(b""), ReadError::Empty));
    assert!(error(lines[1].as_bytes()).to_string().contains("no header"));
    let newer = lines[0].replace("\"version\":1", "\"version\":2");
    assert!(error(newer.as_bytes()).to_string().contains("version 2"));
}

#[test]
fn entries_of_later_versions_are_counted() {
    let text = languages().text();
    let (header, rest) = text.split_once('\n').expect("lines");
    let text = format!("{header}\n{{\"type\":\"later\",\"x\":1}}\n\n{{\"type\":\"later\"}}\n{rest}");
    let text = text.replace("\"wall_ns\"", "\"new_field\":[1],\"wall_ns\"");
    let measurements = Measurements::read(text.as_bytes()).expect("well-formed");
    assert_eq!(measurements.notes, ["2 entries of a type that this version does not know are left out."]);
    assert_eq!(measurements.series.len(), languages_reported().measurements.series.len());
}

#[test]
fn a_continued_experiment_is_noted() {
    let mut made = languages();
    let header = made.entries[0].clone();
    made.entries.insert(40, header);
    assert_eq!(made.measurements().notes, ["Continued on 2026-01-02T03:04:05Z (line 41)."]);
}

/// A file without line ends, or without end, does not fill the memory.
#[test]
fn endless_files_are_refused() {
    let endless = std::io::BufReader::new(std::io::repeat(b'x').take(1 << 30));
    assert!(Measurements::read(endless).expect_err("endless").to_string().contains("longer than"));
    let header = languages().text().lines().next().expect("a header").to_owned() + "\n";
    let blank = std::io::Cursor::new(header.into_bytes()).chain(std::io::repeat(b'\n'));
    assert!(matches!(Measurements::read(std::io::BufReader::new(blank)).expect_err("endless"), ReadError::TooLarge(_)));
}

#[test]
fn extreme_times_have_no_rates_but_no_panic() {
    let mut made = Synthetic::new("languages");
    for (algorithm, ns) in [("md5", 0.0), ("sha1", 1.8e19)] {
        for size in [0, 1, MIB, u64::MAX] {
            made.time(&cell("c-openssl", "today", "digest", algorithm, size), ns);
        }
        made.time(&cell("c-openssl", "today", "messages", algorithm, 1), ns);
    }
    let measurements = made.measurements();
    let findings = pfh_lab::claims::evaluate(&measurements);
    assert!(
        findings
            .iter()
            .flat_map(|finding| &finding.statements)
            .all(|statement| { statement.measured.is_none_or(|measured| measured.value.is_finite()) })
    );
}
