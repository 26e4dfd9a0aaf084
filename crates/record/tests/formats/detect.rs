//! Detection of the format from the first bytes.

use pfh_record::{FormatName, ReadOptions, detect};

use crate::samples::*;

#[test]
fn every_format_is_detected_in_what_we_write() {
    for (format, options, document) in documents() {
        let detected = detect(&document[..document.len().min(4096)], ReadOptions::default());
        let expected = match format {
            // Plain md5deep lines are GNU lines.
            FormatName::Md5deep(form) if !(form.size || form.comma || form.time) => FormatName::Gnu,
            format => format,
        };
        let shown = String::from_utf8_lossy(&document[..document.len().min(80)]).into_owned();
        assert_eq!(detected, Some(expected), "{options:?} {shown}");
    }
}

#[test]
fn others_lists_are_detected() {
    for (start, expected) in [
        (format!("# made by hand\n\n{MD5}  x\n"), Some("gnu")),
        (format!("\\{MD5}  a\\nb\n"), Some("gnu")),
        (format!("{MD5} x\n"), Some("gnu")),
        (format!("SHA256(x)= {SHA256}\n"), Some("bsd")),
        (format!("\\MD5 (a\\nb) = {MD5}\n"), Some("bsd")),
        (format!("MD5   (x) = {MD5}\n"), Some("bsd")),
        ("file name.bin 3610A686\r\n".to_owned(), Some("sfv")),
        ("; comment\r\n".to_owned(), Some("sfv")),
        ("\u{FEFF}<?xml version='1.0'?><dfxml/>".to_owned(), Some("dfxml")),
        ("\n  <dfxml version='1.0'>".to_owned(), Some("dfxml")),
        ("%%%% hashdeep-1.0".to_owned(), Some("hashdeep")),
        (format!("{MD5},x\n"), Some("md5deep-c")),
        (format!("{MD5} 2026:11:20:14:08:22 *x\n"), Some("md5deep-kt")),
        (format!("         5, {MD5},2026:11:20:14:08:22,x\n"), Some("md5deep-zct")),
        ("{\"type\":\"header\",\"version\":1,\"arguments\":[\"digestAlgorithm\"]}\n".to_owned(), Some("jsonl")),
        ("{\"type\": \"file\", \"path\": \"digestAlgorithm\"}\n".to_owned(), Some("jsonl")),
        ("{\"type\": \"file\", \"path\": \"https://ocfl.io/1.1/\"}\n".to_owned(), Some("jsonl")),
        ("{\"id\": \"x\", \"digestAlgorithm\" : \"sha512\"".to_owned(), Some("ocfl")),
        (String::new(), None),
        ("hello world\n".to_owned(), None),
        ("\0\0\0\0".to_owned(), None),
    ] {
        assert_eq!(detect(start.as_bytes(), ReadOptions::default()).map(FormatName::name), expected, "{start:?}");
    }
}
