//! Lists as saved by Windows programs: with a byte-order mark, in UTF-16, with CRLF.

use std::io::{BufRead, BufReader, Read};

use pfh_record::{Entry, FormatName, ReadOptions, Reader, WriteOptions, detect};
use pfh_similarity::Family;

use crate::samples::*;

/// A list of two files in every format, and its algorithm.
fn lists() -> Vec<(FormatName, &'static str, Vec<u8>)> {
    let mut lists = Vec::new();
    for (name, algorithm) in [
        ("gnu", "md5"),
        ("bsd", "sha256"),
        ("hashdeep", "sha1"),
        ("md5deep-z", "md5"),
        ("md5deep-ct", "md5"),
        ("sfv", "crc32"),
        ("csv", "md5"),
        ("jsonl", "md5"),
        ("dfxml", "md5"),
    ] {
        let own = algorithms(&[algorithm]);
        let records = [hello(b"a b.txt", &own), hello("caf\u{E9} \u{1F4F7}.jpg".as_bytes(), &own)];
        lists.push((format(name), algorithm, document(format(name), &own, &WriteOptions::default(), &records)));
    }
    let tlsh = format!("T1{}\ta b\n", "0123456789".repeat(7));
    lists.push((FormatName::Similarity(Family::Tlsh), "tlsh", tlsh.into_bytes()));
    let ssdeep = "ssdeep,1.1--blocksize:hash:hash,filename\n3:a6/G:asG,\"caf\u{E9}\"\n";
    lists.push((FormatName::Similarity(Family::Ssdeep), "ssdeep", ssdeep.into()));
    lists
}

fn utf16(text: &[u8], is_big: bool) -> Vec<u8> {
    let units = str::from_utf8(text).unwrap().encode_utf16();
    let marked = std::iter::once(0xFEFF).chain(units);
    marked.flat_map(|unit: u16| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

fn read(format: FormatName, input: impl BufRead) -> Vec<Entry> {
    let entries: Result<Vec<Entry>, _> = Reader::new(format, input, ReadOptions::default()).collect();
    entries.unwrap_or_else(|error| panic!("{format:?}: {error}"))
}

/// A reader that delivers one byte at a time, like a slow pipe.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let amount = out.len().min(1);
        self.0.read(&mut out[..amount])
    }
}

#[test]
fn marks_and_utf_16_change_nothing() {
    for (format, algorithm, list) in lists() {
        let expected = read(format, &list[..]);
        assert!(!expected.is_empty(), "{format:?}");
        let crlf = String::from_utf8(list.clone()).unwrap().replace("\r\n", "\n").replace('\n', "\r\n").into_bytes();
        for (text, line_ends) in [(&list, "as written"), (&crlf, "CRLF")] {
            for (encoding, encoded) in [
                ("UTF-8", text.clone()),
                ("UTF-8 with a mark", [b"\xEF\xBB\xBF", &text[..]].concat()),
                ("UTF-16LE", utf16(text, false)),
                ("UTF-16BE", utf16(text, true)),
            ] {
                let what = format!("{format:?} {algorithm} {encoding} {line_ends}");
                let start = &encoded[..encoded.len().min(200)];
                assert_eq!(detect(start, ReadOptions::default()), Some(format), "{what}");
                assert_eq!(read(format, &encoded[..]), expected, "{what}");
                assert_eq!(read(format, BufReader::with_capacity(1, Slow(&encoded))), expected, "{what}, slowly");
                for bytes in [3, 7, 64] {
                    assert_eq!(read(format, BufReader::with_capacity(bytes, &encoded[..])), expected, "{what} {bytes}");
                }
            }
        }
    }
}

/// Invalid UTF-16 does not stop the reading, and a character split across two chunks of the input is read as one.
#[test]
fn broken_utf_16_is_a_replacement_character() {
    let mut list = utf16(format!("{MD5}  ").as_bytes(), false);
    list.extend_from_slice(&0xD83Du16.to_le_bytes());
    list.extend_from_slice(&u16::from(b'x').to_le_bytes());
    list.extend_from_slice(&0xDCF7u16.to_le_bytes());
    list.push(b'!');
    for bytes in 1..9 {
        let listed = read(format("gnu"), BufReader::with_capacity(bytes, &list[..]));
        assert_eq!(String::from_utf8_lossy(&listed[0].path), "\u{FFFD}x\u{FFFD}\u{FFFD}", "{bytes}");
    }
    for start in [&b"\xFF\xFE"[..], b"\xFF", b"\xFF\xFEx", b"\xFE\xFF\0\0\0", b"\xEF\xBB\xBF", b""] {
        let count = Reader::new(format("gnu"), start, ReadOptions::default()).count();
        assert!(count <= 1, "{start:?}");
        detect(start, ReadOptions::default());
    }
}

/// An option can name the algorithm that a list does not name.
#[test]
fn an_algorithm_that_is_given_decides_before_lengths_do() {
    for (name, digits) in [("xxh64", 16), ("tiger", 48), ("ripemd320", 80), ("blake3", 64), ("fnv1a-32", 8)] {
        let algorithm = algorithms(&[name])[0];
        let options = ReadOptions { algorithm: Some(algorithm), ..ReadOptions::default() };
        let likely = ReadOptions { likely_algorithm: Some(algorithm), ..ReadOptions::default() };
        let hex = algorithm.digest(b"hello").to_string();
        assert_eq!(hex.len(), digits);
        for line in [
            format!("{hex}  name"),
            format!("{hex} *name"),
            format!("{hex} name"),
            format!("{hex},name"),
            format!("         5  {hex}  name"),
            format!("{hex} 2026:11:20:14:08:22  name"),
            hex.clone(),
        ] {
            for options in [options, likely] {
                let format = detect(line.as_bytes(), options).unwrap_or_else(|| panic!("{line}"));
                let listed: Vec<Entry> =
                    Reader::new(format, line.as_bytes(), options).collect::<Result<_, _>>().unwrap();
                assert_eq!(listed[0].digests, [algorithm.digest(b"hello")], "{line}");
                assert!(!listed[0].algorithm_guessed, "{line}");
            }
        }
    }
    let guessed = |line: String, options| -> Vec<bool> {
        let format = detect(line.as_bytes(), options).unwrap();
        Reader::new(format, line.as_bytes(), options).map(|listed| listed.unwrap().algorithm_guessed).collect()
    };
    let none = ReadOptions::default();
    let sha1 = ReadOptions { likely_algorithm: Some(algorithms(&["sha1"])[0]), ..none };
    assert_eq!(guessed(format!("{MD5}  a\nMD5 (b) = {MD5}\n{SHA1}  c\n"), none), [true, false, true]);
    assert_eq!(guessed(format!("{MD5}  a\nMD5 (b) = {MD5}\n{SHA1}  c\n"), sha1), [true, false, false]);
    assert_eq!(guessed(format!("{MD5}\n"), none), [true]);
}
