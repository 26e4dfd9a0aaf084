//! Reading gives back what was written, for every format and any names.

use pfh_digest::{Algorithm, Digest};
use pfh_record::{FormatName, Listed, PieceRange, ReadOptions, Reader, Record, Timestamp, WriteOptions};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::samples::*;

/// What a list says of one file or piece, as far as every format says it.
#[derive(Debug, PartialEq)]
struct Said {
    path: Vec<u8>,
    digests: Vec<Digest>,
    piece: Option<PieceRange>,
}

fn said(listed: Listed) -> Said {
    Said { path: listed.path, digests: listed.digests, piece: listed.piece }
}

/// What `format` is to say of `record`.
fn expected(format: FormatName, record: &Record) -> Vec<Said> {
    let path = match (format, &record.path[..]) {
        (FormatName::Hashdeep, b"-") => b"stdin".to_vec(),
        (FormatName::Md5deep(_), b"-") if record.pieces.is_empty() => Vec::new(),
        (FormatName::Md5deep(_), b"-") => b"stdin".to_vec(),
        (_, path) => path.to_vec(),
    };
    let whole = Said { path: path.clone(), digests: record.digests.clone(), piece: None };
    let pieces = record.pieces.iter().map(|piece| Said {
        path: path.clone(),
        digests: piece.digests.clone(),
        piece: Some(PieceRange { offset: piece.offset, length: piece.length }),
    });
    let said: Vec<Said> = match format {
        FormatName::Hashdeep | FormatName::Md5deep(_) if !record.pieces.is_empty() => pieces.collect(),
        _ => std::iter::once(whole).chain(pieces).collect(),
    };
    match format {
        // One line per digest.
        FormatName::Bsd => said
            .into_iter()
            .flat_map(|said| {
                let Said { path, digests, piece } = said;
                digests.into_iter().map(move |digest| Said { path: path.clone(), digests: vec![digest], piece })
            })
            .collect(),
        // The columns have an order of their own.
        FormatName::Hashdeep => said
            .into_iter()
            .map(|mut said| {
                said.digests.sort_by_key(|digest| {
                    ["md5", "sha1", "sha256", "tiger", "whirlpool"]
                        .iter()
                        .position(|&name| name == digest.algorithm().name())
                });
                said
            })
            .collect(),
        _ => said,
    }
}

/// Writes the records, reads the document, compares; also says which records the format could not express.
fn check(format: FormatName, algorithms: &[Algorithm], options: WriteOptions, records: &[Record]) {
    let document = document(format, algorithms, &options, records);
    let writer = format.writer(&algorithms.into(), &options).unwrap();
    let mut said_by_records = Vec::new();
    for record in records {
        match writer.record(record, &mut Vec::new()) {
            Ok(()) => said_by_records.extend(expected(format, record)),
            Err(_) => assert!(is_refused(format, options, record), "{format:?} refuses {:?}", record.path),
        }
    }
    let read_options = ReadOptions {
        algorithm: algorithms.first().copied().filter(|_| algorithms.len() == 1),
        null_terminated: options.null_terminated,
        piecewise: options.piecewise,
        line_bytes_max: None,
        ..ReadOptions::default()
    };
    let read: Vec<Listed> = Reader::new(format, &document[..], read_options).map(|item| item.unwrap()).collect();
    for listed in &read {
        let record = records.iter().find(|record| expected(format, record).iter().any(|said| said.path == listed.path));
        let record = record.unwrap();
        if let (Some(size), None) = (listed.size, listed.piece) {
            assert_eq!(Some(size), record.size());
        }
        if let Some(mtime) = listed.mtime {
            assert_eq!(Some(mtime), record.metadata.map(|metadata| metadata.mtime));
        }
    }
    assert_eq!(read.into_iter().map(said).collect::<Vec<_>>(), said_by_records, "{format:?}");
}

/// The conditions under which a format may refuse a name, as documented.
fn is_refused(format: FormatName, options: WriteOptions, record: &Record) -> bool {
    let path = &record.path[..];
    let ends_with_return = path.ends_with(b"\r") && record.pieces.is_empty();
    match format {
        FormatName::Sfv => path.contains(&b'\n') || path.contains(&b'\r') || path.starts_with(b";"),
        FormatName::Hashdeep => path.contains(&b'\n') || ends_with_return,
        FormatName::Md5deep(_) => !options.null_terminated && (path.contains(&b'\n') || ends_with_return),
        _ => false,
    }
}

/// Every format with every form that it has, and algorithms that it has a place for.
fn forms() -> Vec<(FormatName, Vec<Algorithm>, WriteOptions)> {
    let letters = ["", "-k", "-z", "-kz", "-c", "-zc", "-t", "-kt", "-zt", "-kzt", "-ct", "-zct"];
    let md5deep = letters.map(|letters| format!("md5deep{letters}"));
    let names = ["gnu", "bsd", "hashdeep", "sfv", "csv", "jsonl", "dfxml"];
    let mut forms = Vec::new();
    for name in names.iter().copied().chain(md5deep.iter().map(String::as_str)) {
        let format = format(name);
        for names in
            [&["md5"][..], &["crc32"], &["blake3"], &["whirlpool", "md5", "sha1"], &["sha3-256", "xxh3-64", "crc32"]]
        {
            for (null_terminated, piecewise) in [(false, false), (true, false), (false, true), (true, true)] {
                let options = WriteOptions { null_terminated, piecewise, ..WriteOptions::default() };
                if format.check(&algorithms(names).into(), &options).is_ok() {
                    forms.push((format, algorithms(names), options));
                }
            }
        }
    }
    forms
}

#[test]
fn odd_names_come_back() {
    let forms = forms();
    assert!(forms.len() > 100);
    for (format, algorithms, options) in forms {
        let record = |name: &Vec<u8>| match options.piecewise {
            false => hello(name, &algorithms),
            true => in_pieces(name, b"hello", 2, &algorithms),
        };
        // In a piecewise list of whole files and pieces, a name that looks like a piece is one.
        let names = odd_names().into_iter().filter(|name| !options.piecewise || !name.ends_with(b"offset 0-4"));
        let mut records: Vec<Record> = names.map(|name| record(&name)).collect();
        if options.piecewise {
            records.push(in_pieces(b"empty", b"", 2, &algorithms));
        } else {
            records.push(stdin(&algorithms));
        }
        check(format, &algorithms, options, &records);
        for record in &records {
            check(format, &algorithms, options, std::slice::from_ref(record));
        }
    }
}

#[test]
fn every_algorithm_comes_back_from_its_tag() {
    let all: Vec<Algorithm> = Algorithm::all().collect();
    assert!(all.len() > 30);
    for name in ["bsd", "csv", "jsonl", "dfxml"] {
        check(format(name), &all, WriteOptions::default(), &[hello(b"x", &all)]);
    }
}

/// Bytes that mean something in some format, and all others.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let special = prop::sample::select(&b"\\\n\r\t ,;\"'()=*#%-{}<>&/.0a"[..]);
    vec(prop_oneof![3 => special, 1 => 1..=255u8], 1..40)
        .prop_filter("looks like a piece", |name| !name.windows(8).any(|window| window == b" offset "))
}

fn record() -> impl Strategy<Value = (Vec<u8>, Vec<u8>, i64, u32)> {
    (name(), vec(any::<u8>(), 0..9), any::<i64>(), 0..1_000_000_000u32)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_names_come_back(files in vec(record(), 1..6)) {
        for (format, algorithms, options) in forms() {
            let records: Vec<Record> = files
                .iter()
                .map(|(name, contents, seconds, nanoseconds)| {
                    let mut record = match options.piecewise {
                        false => whole(name, contents, &algorithms),
                        true => in_pieces(name, contents, 3, &algorithms),
                    };
                    if let Some(metadata) = &mut record.metadata {
                        metadata.mtime = Timestamp { seconds: *seconds, nanoseconds: *nanoseconds };
                        metadata.ctime = Timestamp { seconds: *seconds, nanoseconds: 0 };
                    }
                    record
                })
                .collect();
            check(format, &algorithms, options, &records);
        }
    }

    /// Whatever the reader finds in arbitrary text can be written and is then found again.
    #[test]
    fn arbitrary_input_never_panics(input in vec(prop_oneof![1 => any::<u8>(), 3 => prop::sample::select(&b"0f \n,\\\"<>{}=()%;:-"[..])], 0..200)) {
        for format in FormatName::ALL {
            let count = read(format, &input, ReadOptions::default()).len();
            prop_assert!(count <= input.len() + 1);
        }
        pfh_record::detect(&input, pfh_record::ReadOptions::default());
    }
}
