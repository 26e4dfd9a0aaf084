//! Reading gives back what was written, for every format and any names.

use pfh_digest::{Algorithm, Digest};
use pfh_record::{
    Entry, Expected, Feature, FormatName, Header, ListEnd, Metadata, Outcome, PieceRange, ReadOptions, Reader, Record,
    RunFacts, Selection, Similarity, Timestamp, Trailer, WriteOptions,
};
use pfh_similarity::{Family, Hasher};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::samples::*;

/// What is to be read of `record` by the table of what `format` keeps, line numbers apart.
fn expected(format: FormatName, record: &Record) -> Vec<Entry> {
    let keeps = |feature| format.keeps(feature);
    let own = |similarity: &&Similarity| match format {
        FormatName::Similarity(family) => similarity.family == family,
        _ => true,
    };
    let mut similarities: Vec<Similarity> = record.similarities.iter().filter(own).cloned().collect();
    similarities.retain(|similarity| keeps(Feature::Unfit) || similarity.digest.is_ok());
    let has_digest = !record.digests.is_empty() || !record.pieces.is_empty() || !similarities.is_empty();
    if !has_digest && !keeps(Feature::Failures) {
        return Vec::new();
    }
    let path = match (format, &record.path[..]) {
        (FormatName::Hashdeep, b"-") => b"stdin".to_vec(),
        (FormatName::Md5deep(_), b"-") if record.pieces.is_empty() => Vec::new(),
        (FormatName::Md5deep(_), b"-") => b"stdin".to_vec(),
        (_, path) => path.to_vec(),
    };
    let mut outcome = record.outcome.clone();
    if let Outcome::Unreadable { error, .. } = &mut outcome
        && !keeps(Feature::ErrorNumbers)
    {
        error.errno = None;
    }
    // XML has an element for failures alone.
    let told = keeps(Feature::Failures) && !(format == FormatName::Dfxml && outcome == Outcome::Complete);
    let metadata = record.metadata.as_ref();
    let whole = Entry {
        path,
        expected: Expected {
            size: record.size().filter(|_| keeps(Feature::Size)),
            mtime: metadata.and_then(|metadata| metadata.mtime).filter(|_| keeps(Feature::ModificationTime)),
            ctime: metadata
                .and_then(|metadata| metadata.posix)
                .map(|posix| posix.ctime)
                .filter(|_| keeps(Feature::ChangeTime)),
        },
        digests: record.digests.clone(),
        algorithm_guessed: false,
        similarities,
        piece: None,
        outcome: told.then_some(outcome),
        line: 0,
    };
    let mut entries = Vec::new();
    if record.pieces.is_empty() || keeps(Feature::WholeFiles) {
        entries.push(whole.clone());
    }
    entries.extend(record.pieces.iter().map(|piece| Entry {
        // The column has the size of the piece.
        expected: if keeps(Feature::WholeFiles) { whole.expected } else { Expected { size: None, ..whole.expected } },
        digests: piece.digests.clone(),
        similarities: Vec::new(),
        piece: Some(PieceRange { offset: piece.offset, length: piece.length }),
        ..whole.clone()
    }));
    match format {
        // One line per digest.
        FormatName::Bsd => {
            let lines = |entry: Entry| {
                let digests = entry.digests.clone().into_iter();
                digests.map(move |digest| Entry { digests: vec![digest], ..entry.clone() })
            };
            entries.into_iter().flat_map(lines).collect()
        }
        // The columns have an order of their own.
        FormatName::Hashdeep => {
            let columns = ["md5", "sha1", "sha256", "tiger", "whirlpool"];
            let place = |digest: &Digest| columns.iter().position(|&name| name == digest.algorithm().name());
            entries.iter_mut().for_each(|entry| entry.digests.sort_by_key(place));
            entries
        }
        _ => entries,
    }
}

/// Digests are equal whether or not they bear the mark of a collision attack: as text they are not.
fn as_text(format: FormatName, entry: &Entry) -> String {
    let mut entry = Entry { line: 0, ..entry.clone() };
    if let FormatName::Dfxml = format {
        // Those that are unfit stand after the others.
        entry.similarities.sort_by_key(|similarity| similarity.family);
    }
    let text = format!("{entry:?}");
    if format.keeps(Feature::CollisionMarks) { text } else { text.replace('!', "") }
}

/// Writes the records, reads the document, compares; also says which records the format could not express.
fn check(format: FormatName, selection: &Selection, options: WriteOptions, records: &[Record]) {
    let run = RunFacts {
        selection: selection.clone(),
        piece_bytes: options.piecewise.then_some(3),
        ..run_facts(selection.algorithms())
    };
    let writer = format.writer(selection, &options).unwrap();
    let mut document = Vec::new();
    writer.header(&run, &mut document);
    let mut written = Vec::new();
    for record in records {
        match writer.record(record, &mut document) {
            Ok(()) => written.extend(expected(format, record).iter().map(|entry| as_text(format, entry))),
            Err(_) => assert!(is_refused(format, options, record), "{format:?} refuses {:?}", record.path),
        }
    }
    let counts = summary(records);
    writer.footer(&counts, &mut document);
    let read_options = ReadOptions {
        algorithm: selection.algorithms().first().copied().filter(|_| selection.len() == 1),
        null_terminated: options.null_terminated,
        piecewise: options.piecewise,
        ..ReadOptions::default()
    };
    let mut reader = Reader::new(format, &document[..], read_options);
    assert_eq!(*reader.header(), header(format, selection, &run), "{format:?}");
    let read: Vec<String> = reader.by_ref().map(|item| as_text(format, &item.unwrap())).collect();
    assert_eq!(read, written, "{format:?}");
    let end = if format.keeps(Feature::Counts) { ListEnd::Complete } else { ListEnd::Unstated };
    let trailer = Trailer { summary: format.keeps(Feature::Counts).then_some(counts), end };
    assert_eq!(reader.trailer(), Some(&trailer), "{format:?}");
}

/// What is to be read of the run before the first entry.
fn header(format: FormatName, selection: &Selection, run: &RunFacts) -> Header {
    let keeps = |feature| format.keeps(feature);
    let mut selection = selection.clone();
    if format == FormatName::Hashdeep {
        let columns = ["md5", "sha1", "sha256", "tiger", "whirlpool"];
        let kinds = columns.iter().map(|name| Algorithm::from_name(name).unwrap());
        selection = kinds.filter(|algorithm| selection.contains(*algorithm)).collect();
    }
    Header {
        format,
        selection: keeps(Feature::Selection).then_some(selection),
        piece_bytes: run.piece_bytes.filter(|_| keeps(Feature::PieceLength)),
        program: keeps(Feature::Program).then(|| run.program.clone()),
        program_version: keeps(Feature::Program).then(|| run.program_version.clone()),
        command_line: keeps(Feature::CommandLine).then(|| run.command_line.join(&b' ')),
        directory: keeps(Feature::Directory).then(|| run.directory.clone()),
        started: keeps(Feature::Start).then_some(run.started),
    }
}

/// The conditions under which a format may refuse a name, as documented.
fn is_refused(format: FormatName, options: WriteOptions, record: &Record) -> bool {
    let path = &record.path[..];
    let ends_with_return = path.ends_with(b"\r") && record.pieces.is_empty();
    match format {
        FormatName::Sfv => path.contains(&b'\n') || path.contains(&b'\r') || path.starts_with(b";"),
        FormatName::Hashdeep => path.contains(&b'\n') || ends_with_return,
        FormatName::Md5deep(_) => !options.null_terminated && (path.contains(&b'\n') || ends_with_return),
        FormatName::Similarity(Family::Tlsh) => path.contains(&b'\n') || path.ends_with(b"\r"),
        FormatName::Similarity(_) => path.contains(&b'\n'),
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
        let selection = algorithms[..].into();
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
        check(format, &selection, options, &records);
        for record in &records {
            check(format, &selection, options, std::slice::from_ref(record));
        }
    }
}

#[test]
fn every_algorithm_comes_back_from_its_tag() {
    let all: Vec<Algorithm> = Algorithm::all().collect();
    assert!(all.len() > 30);
    for name in ["bsd", "csv", "jsonl", "dfxml"] {
        check(format(name), &all[..].into(), WriteOptions::default(), &[hello(b"x", &all)]);
    }
}

/// A record with one of the outcomes; of contents that no family, some or all have digests of, or that collide.
fn any_record(name: &[u8], contents: usize, outcome: usize, time: Timestamp, selection: &Selection) -> Record {
    let contents = match contents {
        0 => Vec::new(),
        1 => b"hello".to_vec(),
        2 => vec![0; 600],
        3 => colliding(),
        length => (0..300 * length).map(|at| (at * at % 251 + at / 7 % 5) as u8).collect(),
    };
    let mut record = match failures().get(outcome) {
        Some(failed) => Record { path: name.to_vec(), ..failed.clone() },
        None => whole(name, &contents, selection.algorithms()),
    };
    if let Some(metadata) = &mut record.metadata {
        let posix = metadata.posix.map(|posix| pfh_record::Posix { ctime: time, ..posix });
        *metadata = Metadata { mtime: Some(time), posix, ..*metadata };
    }
    if record.outcome == Outcome::Complete {
        let similarity = |&family: &Family| {
            let mut hasher = Hasher::new(family);
            hasher.update(&contents);
            Similarity { family, digest: hasher.finish() }
        };
        record.similarities = selection.families().iter().map(similarity).collect();
    }
    record
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
            let selection = algorithms[..].into();
            let records: Vec<Record> = files
                .iter()
                .map(|(name, contents, seconds, nanoseconds)| {
                    let mut record = match options.piecewise {
                        false => whole(name, contents, &algorithms),
                        true => in_pieces(name, contents, 3, &algorithms),
                    };
                    if let Some(metadata) = &mut record.metadata {
                        metadata.mtime = Some(Timestamp { seconds: *seconds, nanoseconds: *nanoseconds });
                        let ctime = Timestamp { seconds: *seconds, nanoseconds: 0 };
                        metadata.posix = metadata.posix.map(|posix| pfh_record::Posix { ctime, ..posix });
                    }
                    record
                })
                .collect();
            check(format, &selection, options, &records);
        }
    }

    /// Files of every outcome, with digests of every kind, in every format that has a place for them.
    #[test]
    fn any_records_come_back(files in vec((name(), 0..9_usize, 0..6_usize, any::<i64>(), 0..1_000_000_000u32), 0..8)) {
        let all: Selection = Selection::parse("md5,sha1dc,tlsh,ssdeep").unwrap();
        let own = Family::ALL.map(|family| (FormatName::Similarity(family), Selection::from(family)));
        let own = own.into_iter().chain([
            (FormatName::Csv, all.clone()),
            (FormatName::Jsonl, all.clone()),
            (FormatName::Dfxml, all.clone()),
            (FormatName::Bsd, all.algorithms().into()),
            (FormatName::Gnu, all.algorithms()[..1].into()),
        ]);
        for (format, selection) in own {
            let options = WriteOptions::default();
            let records: Vec<Record> = files
                .iter()
                .map(|(name, contents, outcome, seconds, nanoseconds)| {
                    let time = Timestamp { seconds: *seconds, nanoseconds: *nanoseconds };
                    any_record(name, *contents, *outcome, time, &selection)
                })
                .collect();
            check(format, &selection, options, &records);
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

/// The documentation prints the table by which the tests above judge.
#[test]
fn the_documentation_has_the_table_of_what_is_kept() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/formats.md");
    let text = std::fs::read_to_string(page).unwrap();
    let table = FormatName::kept_table();
    assert!(text.contains(&table), "docs/reference/formats.md is to have this table:\n{table}");
}
