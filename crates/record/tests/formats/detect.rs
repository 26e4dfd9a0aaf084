//! Detection of the format from the first bytes.

use pfh_record::{FormatName, ReadOptions, detect, is_null_terminated, other_file};

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
        // Lines before a list, and names that are digests.
        (format!("Checksums made 20240131\n{SHA256}  x\n"), Some("gnu")),
        (format!("Key ID 1234ABCD\n\nMD5 (x) = {MD5}\n"), Some("bsd")),
        (format!("Made 20240131\n{MD5},x\n"), Some("md5deep-c")),
        (format!(" \n\t\n{MD5}  x\n"), Some("gnu")),
        (format!("; text\n{MD5}  x\n"), Some("gnu")),
        (format!("{MD5}  x 20240131\n"), Some("gnu")),
        (format!("x 3610A686\n{MD5} 3610A686\n"), Some("sfv")),
        (format!("; comment\n{MD5} 3610A686\n"), Some("sfv")),
        // Names that begin or end like a short digest.
        ("20240131 photo.jpg 3610A686\nx.bin 3610A686\n".to_owned(), Some("sfv")),
        ("3610A686  photo 20240131\n3610A686  x.bin\n".to_owned(), Some("gnu")),
        ("3610A686  photo 20240131\n".to_owned(), Some("gnu")),
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
        // The columns of others, in any order.
        (format!("path,sha256\nx,{SHA256}\n"), Some("csv")),
        (format!("\u{FEFF}\"md5\",size,path\r\n{MD5},5,x\r\n"), Some("csv")),
        ("path,size\nx,5\n".to_owned(), None),
        (format!("path,comment,md5\nx,y,{MD5}\n"), None),
        (format!("name,md5\nx,{MD5}\n"), None),
        (String::new(), None),
        ("hello world\n".to_owned(), None),
        ("\0\0\0\0".to_owned(), None),
        ("\x7fELF\0 \0; x\0file 3610A686\0\n".to_owned(), None),
        ("1234567890 5 x\n12345678 5 y\n".to_owned(), None),
    ] {
        assert_eq!(detect(start.as_bytes(), ReadOptions::default()).map(FormatName::name), expected, "{start:?}");
    }
}

/// Names that are digests make SFV's lines look like GNU's where they are cut.
#[test]
fn the_last_line_of_a_long_beginning_may_be_cut() {
    let list = "; comment\n".to_owned() + &format!("{MD5} 3610A686\n").repeat(200);
    let cut = list[..5000].rfind(' ').unwrap() + 5;
    assert_eq!(detect(&list.as_bytes()[..cut], ReadOptions::default()), Some(FormatName::Sfv));
}

#[test]
fn other_files_are_told() {
    let table = |heading: &str| format!("{heading}\r\n\"SHA256\",\"{SHA256}\",\"C:\\x\"\r\n");
    let report = |header: &str, line: &str| {
        format!("{{\"type\":\"header\",\"version\":1,\"program\":\"pfh\",{header}}}\n{line}\n").into_bytes()
    };
    let utf_16: Vec<u8> = "\u{FEFF}Algorithm,Path,Hash\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (start, expected) in [
        (b"pfh known set\r\n\x1a".to_vec(), Some("a known set")),
        (b"SQLite format 3\0".to_vec(), Some("a database of SQLite")),
        (b"1234567890 5 x y\n12345678 0 z\n4294967295 0".to_vec(), Some("a list of `cksum`")),
        (table("\"Algorithm\",\"Hash\",\"Path\"").into_bytes(), Some("a table of PowerShell's Get-FileHash")),
        (table("#TYPE x\r\n\"Hash\";\"Algorithm\";\"Path\"").into_bytes(), Some("a table of PowerShell's")),
        (utf_16, Some("a table of PowerShell's Get-FileHash")),
        (format!("SHA256 hash of x:\n{SHA256}\nCertUtil: -hashfile \n").into_bytes(), Some("the output of certutil")),
        (report("\"run_by\":\"x\",\"host\":\"vm\"", ""), Some("a report of `pfh audit`")),
        (b"{\"type\":\"event\",\"event\":1,\"run\":1,\"finding\":\"new\"}\n".to_vec(), Some("a report of `pfh audit`")),
        (report("\"algorithms\":[]", "{\"type\":\"verdict\",\"verified\":true}"), Some("a report of `pfh verify`")),
        (report("\"algorithms\":[]", "{\"type\":\"summary\",\"groups\":0}"), Some("the output of `pfh dupes`")),
        // Lists of nothing, and of later versions.
        (report("\"algorithms\":[]", "{\"type\":\"summary\",\"files\":0,\"complete\":0}"), None),
        (report("\"algorithms\":[]", "{\"type\":\"later\",\"verdict\":1}"), None),
        // CRC-32 in hexadecimal, without letters.
        (b"12345678 5 x\n12345678 5 y\n".to_vec(), None),
        (b"1234567890 5 x\n\n3610A686 x\n".to_vec(), None),
        // Any table of numbers, and a list of `sum`.
        (b"1 2\n3 4\n".to_vec(), None),
        (b"12345 2 y\n".to_vec(), None),
        (b"Algorithm,Hash,Path,Size\n".to_vec(), None),
        (b"".to_vec(), None),
    ] {
        let told = other_file(&start);
        assert_eq!(told.is_some(), expected.is_some(), "{}", start.escape_ascii());
        assert!(told.unwrap_or_default().starts_with(expected.unwrap_or_default()), "{}", start.escape_ascii());
        assert!(told.is_none() || detect(&start, ReadOptions::default()).is_none(), "{}", start.escape_ascii());
    }
}

#[test]
fn records_that_end_with_nul_are_told() {
    let told = ReadOptions { null_terminated: true, ..ReadOptions::default() };
    for start in
        [format!("{MD5}  a\0{MD5}  b\nc\0"), format!("{MD5}  a\0"), format!("MD5 (a) = {MD5}\0MD5 (b) = {MD5}\0")]
    {
        assert!(is_null_terminated(start.as_bytes(), ReadOptions::default()), "{start:?}");
        assert!(!is_null_terminated(start.as_bytes(), told), "{start:?}");
    }
    // A damaged line, zero bytes after a crash, and UTF-16.
    for start in [format!("{MD5}  a\0b\n{MD5}  c\n"), format!("{MD5}  a\n{MD5}  b\0\0"), format!("\0\0{MD5}  a\n")] {
        assert!(!is_null_terminated(start.as_bytes(), ReadOptions::default()), "{start:?}");
    }
    let utf_16: Vec<u8> = format!("\u{FEFF}{MD5}  a\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(!is_null_terminated(&utf_16, ReadOptions::default()));
}
