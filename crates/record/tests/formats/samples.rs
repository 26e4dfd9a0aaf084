//! Records, names and runs that the tests share.

use std::time::Duration;

use pfh_digest::Algorithm;
use pfh_facts::{Counting, Scanner};
use pfh_record::{
    ErrorKind, Feature, FileError, FormatName, HostFacts, Metadata, Outcome, Piece, Posix, ReadOptions, Reader, Record,
    RunFacts, SkipReason, Summary, Timestamp, WriteOptions,
};
use pfh_similarity::Backend;

/// 2026-11-20T14:08:22.123456789Z.
pub(crate) const TIME: Timestamp = Timestamp { seconds: 1_795_183_702, nanoseconds: 123_456_789 };

/// MD5 of `hello` (RFC 1321's reference code).
pub(crate) const MD5: &str = "5d41402abc4b2a76b9719d911017c592";
/// SHA-1 of `hello` (coreutils 9.1).
pub(crate) const SHA1: &str = "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";
/// SHA-256 of `hello` (coreutils 9.1).
pub(crate) const SHA256: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

pub(crate) fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| Algorithm::from_name(name).unwrap()).collect()
}

/// Names that break programs, each for another reason.
pub(crate) fn odd_names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        &b"hello.txt"[..],
        b"*star",
        b"-dash",
        b"back\\slash",
        b"line\nfeed",
        b"\nfirst",
        b"carriage\rreturn",
        b"final return\r",
        b"\xFF\xFE",
        b"comma,x",
        b"quote\"x",
        b"apostrophe'x",
        "nfc \u{E9}".as_bytes(),
        "nfd e\u{301}".as_bytes(),
        b"trailing space ",
        b" leading space",
        b"\tleading tab",
        MD5.as_bytes(),
        b"5d41402abc4b2a76b9719d911017c592  nested",
        b"MD5 (nested) = 5d41402abc4b2a76b9719d911017c592",
        b"close) = open (",
        b"trailing dot.",
        b"CON",
        b"lone surrogate \xED\xA0\x80",
        b"file:stream",
        b"#comment",
        b";comment",
        b"%%%% HASHDEEP-1.0",
        b"<tag>&amp;]]>",
        b"bell\x07escape\x1B",
        "noncharacter \u{FFFE}".as_bytes(),
        "next line \u{85}\u{2028}".as_bytes(),
        b"2026:11:20:14:08:22,x",
        b"looks like a piece offset 0-4",
        b"stdin",
        b"{\"type\":\"file\"}",
        b"*",
        b" ",
        b"\r",
        b"\\",
        b"\\n",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    names.push(vec![b'n'; 255]);
    names.push([&b"directory/"[..]; 500].concat());
    names
}

/// Makes the record of a file with the contents `hello`.
pub(crate) fn hello(path: &[u8], algorithms: &[Algorithm]) -> Record {
    whole(path, b"hello", algorithms)
}

pub(crate) fn whole(path: &[u8], contents: &[u8], algorithms: &[Algorithm]) -> Record {
    let size = contents.len() as u64;
    let ctime = Timestamp { nanoseconds: 0, ..TIME };
    let posix = Posix { ctime, inode: 12, links: 1, mode: 0o100_644, uid: 1000, gid: 100, device: 7 };
    let mut record = Record::new(path, Outcome::Complete);
    record.metadata = Some(Metadata::new(size, Some(TIME)).with_posix(posix));
    record.bytes_read = size;
    record.digests = algorithms.iter().map(|algorithm| algorithm.digest(contents)).collect();
    record
}

/// Adds the facts about the contents.
pub(crate) fn with_facts(mut record: Record, contents: &[u8]) -> Record {
    let mut scanner = Scanner::new(Counting::Sampled, Backend::chosen());
    scanner.update(contents);
    record.facts = Some(scanner.finish());
    record
}

/// Adds digests of pieces; an empty file has one empty piece.
pub(crate) fn in_pieces(path: &[u8], contents: &[u8], piece_bytes: usize, algorithms: &[Algorithm]) -> Record {
    let parts: Vec<&[u8]> = if contents.is_empty() { vec![b""] } else { contents.chunks(piece_bytes).collect() };
    let mut record = whole(path, contents, algorithms);
    record.pieces.extend(parts.iter().enumerate().map(|(position, part)| {
        let digests = algorithms.iter().map(|algorithm| algorithm.digest(part)).collect();
        Piece::new((position * piece_bytes) as u64, part.len() as u64, digests)
    }));
    record
}

/// A message of a SHA-1 collision: of the first published pair among the digest crate's vectors.
pub(crate) fn colliding() -> Vec<u8> {
    let vectors = include_str!("../../../digest/tests/vectors/sha1-collisions.txt");
    let hex = vectors.lines().find(|line| !line.starts_with('#')).and_then(|line| line.split_once(' ')).unwrap().1;
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Standard input.
pub(crate) fn stdin(algorithms: &[Algorithm]) -> Record {
    unknown(hello(b"-", algorithms))
}

/// Returns the record without metadata.
pub(crate) fn unknown(mut record: Record) -> Record {
    record.metadata = None;
    record
}

/// One record for each kind of failure.
pub(crate) fn failures() -> Vec<Record> {
    let metadata = hello(b"", &[]).metadata;
    let error = |kind, errno, message: &str| FileError::new(kind, message).with_errno(errno);
    let denied = error(ErrorKind::PermissionDenied, Some(13), "cannot open: Permission denied");
    let broken = error(ErrorKind::Io, Some(5), "cannot read: Input/output error, \"bad\" sector");
    let failed = |path: &[u8], metadata, bytes_read, outcome| {
        let mut record = Record::new(path, outcome);
        (record.metadata, record.bytes_read) = (metadata, bytes_read);
        record
    };
    vec![
        failed(b"denied", None, 0, Outcome::Unreadable { offset: 0, error: denied }),
        failed(b"broken", metadata, 4, Outcome::Unreadable { offset: 4, error: broken }),
        failed(b"short", metadata, 3, Outcome::Short { expected: 5, read: 3 }),
        failed(b"changing", metadata, 5, Outcome::ChangedWhileReading),
        failed(b"pipe", None, 0, Outcome::Skipped(SkipReason::NotRegular)),
    ]
}

pub(crate) fn run_facts(algorithms: &[Algorithm]) -> RunFacts {
    RunFacts {
        selection: algorithms.into(),
        variants: Default::default(),
        program: "pfh".to_owned(),
        program_version: "0.1.0".to_owned(),
        command_line: [&b"pfh"[..], b"hash", b"a b"].map(<[u8]>::to_vec).to_vec(),
        directory: b"/cases/demo".to_vec(),
        started: Timestamp { nanoseconds: 0, ..TIME },
        host: HostFacts {
            system: "Linux".to_owned(),
            release: "6.1".to_owned(),
            version: "12 SMP".to_owned(),
            host: "bench".to_owned(),
            architecture: "x86_64".to_owned(),
        },
        uid: Some(1000),
        piece_bytes: None,
        facts: None,
        conversion: None,
    }
}

pub(crate) fn summary(records: &[Record]) -> Summary {
    let mut summary = Summary::default();
    summary.elapsed = Duration::from_millis(1500);
    records.iter().for_each(|record| summary.count(record));
    summary
}

/// Writes a whole document. Records that the format cannot express are left out.
pub(crate) fn document(
    format: FormatName,
    algorithms: &[Algorithm],
    options: &WriteOptions,
    records: &[Record],
) -> Vec<u8> {
    let writer = format.writer(&algorithms.into(), options).unwrap();
    let mut out = Vec::new();
    let facts = options.facts.then_some(Counting::Sampled);
    writer.header(&RunFacts { facts, ..run_facts(algorithms) }, &mut out);
    for record in records {
        let before = out.len();
        if writer.record(record, &mut out).is_err() {
            assert_eq!(out.len(), before, "what cannot be expressed must leave nothing behind");
        }
    }
    writer.footer(&summary(records), &mut out);
    out
}

/// Returns the lines of a list, without header and footer.
pub(crate) fn lines(
    format: &str,
    algorithms: &[Algorithm],
    null_terminated: bool,
    record: &Record,
) -> Result<Vec<u8>, String> {
    let options = WriteOptions { null_terminated, piecewise: !record.pieces.is_empty(), ..WriteOptions::default() };
    let mut out = Vec::new();
    let writer = FormatName::from_name(format).unwrap().writer(&algorithms.into(), &options).unwrap();
    writer.record(record, &mut out).map_err(|error| error.to_string())?;
    Ok(out)
}

/// Reads a document, with errors as text, so that they can be compared.
pub(crate) fn read(
    format: FormatName,
    document: &[u8],
    options: ReadOptions,
) -> Vec<Result<pfh_record::Entry, String>> {
    Reader::new(format, document, options).map(|item| item.map_err(|error| error.to_string())).collect()
}

pub(crate) fn format(name: &str) -> FormatName {
    FormatName::from_name(name).unwrap()
}

/// One document of every format, with all facts that the format can represent.
pub(crate) fn documents() -> Vec<(FormatName, ReadOptions, Vec<u8>)> {
    let mut documents = Vec::new();
    let names =
        ["gnu", "bsd", "hashdeep", "md5deep", "md5deep-kz", "md5deep-zct", "md5deep-t", "sfv", "csv", "jsonl", "dfxml"];
    for name in names {
        let algorithms = match name {
            "sfv" => algorithms(&["crc32"]),
            "hashdeep" | "bsd" | "csv" | "jsonl" | "dfxml" => algorithms(&["md5", "sha256"]),
            _ => algorithms(&["md5"]),
        };
        for (null_terminated, piecewise, facts) in
            [(false, false, false), (true, false, false), (false, true, false), (false, true, true)]
        {
            let options = WriteOptions { null_terminated, piecewise, facts, ..WriteOptions::default() };
            let keeps_facts = !facts || format(name).keeps(Feature::Facts);
            if format(name).check(&algorithms.clone().into(), &options).is_err() || !keeps_facts {
                continue;
            }
            let mut records: Vec<Record> = odd_names().iter().map(|name| hello(name, &algorithms)).collect();
            records.truncate(36);
            if piecewise {
                records = [&b"hello"[..], b""].map(|contents| in_pieces(b"a b", contents, 2, &algorithms)).to_vec();
            }
            records.push(stdin(&algorithms));
            if facts {
                records.push(whole(b"zeros", &[0; 700], &algorithms));
                let contents = [&b"hello"[..], b"", b"hello", &[0; 700]];
                records = records.into_iter().zip(contents).map(|(record, of)| with_facts(record, of)).collect();
            }
            records.extend(failures());
            let read_options = ReadOptions { null_terminated, piecewise, ..ReadOptions::default() };
            documents.push((format(name), read_options, document(format(name), &algorithms, &options, &records)));
        }
    }
    documents
}

/// Completes a JSON line with the check value that `docs/reference/json-lines.md` describes: CRC-32C, computed bit by
/// bit.
pub(crate) fn checked(line: &str) -> String {
    let line = line.strip_suffix('}').unwrap();
    let crc = line.bytes().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg()))
    });
    format!("{line},\"check\":\"{:08x}\"}}", !crc)
}

/// Returns a JSON line as an earlier version of pfh wrote it, without a check value.
pub(crate) fn unchecked(line: &str) -> String {
    format!("{}}}\n", line.split_once(",\"check\":").unwrap().0)
}
