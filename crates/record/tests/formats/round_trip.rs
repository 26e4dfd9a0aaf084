//! Reading returns what was written, for every format and all kinds of names.

use pfh_digest::{Algorithm, Digest};
use pfh_facts::Counting;
use pfh_record::{
    DigestKind, Entry, Feature, FormatName, Header, ListEnd, Outcome, PieceRange, ReadOptions, Reader, Record,
    RunFacts, Selection, Similarity, Timestamp, Trailer, WriteOptions,
};
use pfh_similarity::{Family, Hasher};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::samples::*;

/// Returns the entries that reading `record` should give, by the table of what `format` keeps, without line numbers.
fn expected(format: FormatName, record: &Record) -> Vec<Entry> {
    let keeps = |feature| format.keeps(feature);
    let own = |similarity: &&Similarity| match format {
        FormatName::Similarity(family) => similarity.family == family,
        _ => true,
    };
    let mut similarities: Vec<Similarity> = record.similarities.iter().filter(own).cloned().collect();
    similarities.retain(|similarity| keeps(Feature::NoDigest) || similarity.digest.is_ok());
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
    // XML has an element only for failures.
    let told = keeps(Feature::Failures) && !(format == FormatName::Dfxml && outcome == Outcome::Complete);
    let metadata = record.metadata.as_ref();
    let mut whole = Entry::new(path, record.digests.clone(), 0);
    whole.expected.size = record.size().filter(|_| keeps(Feature::Size));
    whole.expected.mtime = metadata.and_then(|metadata| metadata.mtime).filter(|_| keeps(Feature::ModificationTime));
    let posix = metadata.and_then(|metadata| metadata.posix);
    // md5deep lists no time for files without a name.
    let is_nameless = whole.path.is_empty() && matches!(format, FormatName::Md5deep(_));
    whole.expected.ctime = posix.map(|posix| posix.ctime).filter(|_| keeps(Feature::ChangeTime) && !is_nameless);
    whole.expected.inode = posix.map(|posix| posix.inode).filter(|_| keeps(Feature::Inode));
    whole.expected.links = posix.map(|posix| posix.links).filter(|_| keeps(Feature::Inode));
    whole.expected.mode = posix.map(|posix| posix.mode).filter(|_| keeps(Feature::Mode));
    whole.expected.uid = posix.map(|posix| posix.uid).filter(|_| keeps(Feature::Mode));
    whole.expected.gid = posix.map(|posix| posix.gid).filter(|_| keeps(Feature::Mode));
    whole.similarities = similarities;
    whole.facts = record.facts.filter(|_| keeps(Feature::Facts));
    whole.outcome = told.then_some(outcome);
    let mut entries = Vec::new();
    if record.pieces.is_empty() || keeps(Feature::WholeFiles) {
        entries.push(whole.clone());
    }
    entries.extend(record.pieces.iter().map(|piece| {
        let mut entry = whole.clone();
        if !keeps(Feature::WholeFiles) {
            // The column has the size of the piece.
            entry.expected.size = None;
        }
        (entry.digests, entry.similarities) = (piece.digests.clone(), Vec::new());
        entry.facts = None;
        entry.piece = Some(PieceRange { offset: piece.offset, length: piece.length });
        entry
    }));
    match format {
        // One line per digest.
        FormatName::Bsd => {
            let lines = |entry: Entry| {
                let digests = entry.digests.clone().into_iter();
                digests.map(move |digest| {
                    let mut line = entry.clone();
                    line.digests = vec![digest];
                    line
                })
            };
            entries.into_iter().flat_map(lines).collect()
        }
        // The columns have their own order.
        FormatName::Hashdeep => {
            let columns = ["md5", "sha1", "sha256", "tiger", "whirlpool"];
            let place = |digest: &Digest| columns.iter().position(|&name| name == digest.algorithm().name());
            entries.iter_mut().for_each(|entry| entry.digests.sort_by_key(place));
            entries
        }
        _ => entries,
    }
}

/// Digests with and without the mark of a collision attack are equal, but their texts are not.
fn as_text(format: FormatName, entry: &Entry) -> String {
    let mut entry = entry.clone();
    entry.line = 0;
    if let FormatName::Dfxml = format {
        // Families without a digest come after the others.
        entry.similarities.sort_by_key(|similarity| similarity.family);
    }
    let text = format!("{entry:?}");
    if format.keeps(Feature::CollisionMarks) { text } else { text.replace('!', "") }
}

/// Writes the records, reads the document and compares. Returns which records the format could not express.
fn check(format: FormatName, selection: &Selection, options: WriteOptions, records: &[Record]) {
    let run = RunFacts {
        selection: selection.clone(),
        piece_bytes: options.piecewise.then_some(3),
        facts: options.facts.then_some(Counting::Exact),
        ..run_facts(selection.algorithms())
    };
    let writer = format.writer(selection, &options).unwrap();
    let mut document = Vec::new();
    writer.header(&run, &mut document);
    let mut written = Vec::new();
    for record in records {
        match writer.record(record, &mut document) {
            Ok(()) => {
                assert!(!lacks_column(format, selection, record), "{format:?} writes {:?}", record.path);
                written.extend(expected(format, record).iter().map(|entry| as_text(format, entry)));
            }
            Err(_) => {
                assert!(is_refused(format, options, selection, record), "{format:?} refuses {:?}", record.path);
            }
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
    let mut trailer = Trailer::new(end);
    trailer.summary = format.keeps(Feature::Counts).then_some(counts);
    assert_eq!(reader.trailer(), Some(&trailer), "{format:?}");
}

/// Returns the header that reading should give.
fn header(format: FormatName, selection: &Selection, run: &RunFacts) -> Header {
    let keeps = |feature| format.keeps(feature);
    let mut selection = selection.clone();
    if format == FormatName::Hashdeep {
        let columns = ["md5", "sha1", "sha256", "tiger", "whirlpool"];
        let kinds = columns.iter().map(|name| Algorithm::from_name(name).unwrap());
        selection = kinds.filter(|algorithm| selection.contains(*algorithm)).collect();
    }
    let mut header = Header::new(format);
    header.selection = keeps(Feature::Selection).then_some(selection);
    header.piece_bytes = run.piece_bytes.filter(|_| keeps(Feature::PieceLength));
    header.facts = run.facts.filter(|_| keeps(Feature::Counting));
    header.program = keeps(Feature::Program).then(|| run.program.clone());
    header.program_version = keeps(Feature::Program).then(|| run.program_version.clone());
    header.command_line = keeps(Feature::CommandLine).then(|| run.command_line.join(&b' '));
    header.directory = keeps(Feature::Directory).then(|| run.directory.clone());
    header.started = keeps(Feature::Start).then_some(run.started);
    header.host = keeps(Feature::Host).then(|| run.host.clone());
    header.uid = run.uid.filter(|_| keeps(Feature::User));
    header
}

/// Whether a column of the format would be empty, which the format cannot represent.
fn lacks_column(format: FormatName, selection: &Selection, record: &Record) -> bool {
    let digests = record.digests.len();
    format == FormatName::Hashdeep && (1..selection.algorithms().len()).contains(&digests)
}

/// The documented conditions under which a format refuses a name.
fn is_refused(format: FormatName, options: WriteOptions, selection: &Selection, record: &Record) -> bool {
    if lacks_column(format, selection, record) {
        return true;
    }
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

/// Every format in every form, with algorithms that it can represent.
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
        // In a piecewise list of whole files and pieces, a name that looks like that of a piece is read as one.
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

/// Makes records of every outcome, of contents that no, some or all families digest, or that collide.
fn any_record(name: &[u8], contents: usize, outcome: usize, time: Timestamp, selection: &Selection) -> Record {
    let contents = match contents {
        0 => Vec::new(),
        1 => b"hello".to_vec(),
        2 => vec![0; 600],
        3 => colliding(),
        length => (0..300 * length).map(|at| (at * at % 251 + at / 7 % 5) as u8).collect(),
    };
    let mut record = match failures().get(outcome) {
        Some(failed) => {
            let mut record = failed.clone();
            record.path = name.to_vec();
            record
        }
        None => whole(name, &contents, selection.algorithms()),
    };
    if let Some(metadata) = &mut record.metadata {
        let (inode, mode) = (time.seconds.cast_unsigned(), time.nanoseconds);
        metadata.posix =
            metadata.posix.map(|posix| pfh_record::Posix { ctime: time, inode, mode, uid: !mode, ..posix });
        metadata.mtime = Some(time);
    }
    if record.outcome == Outcome::Complete {
        record = with_facts(record, &contents);
        let similarity = |&family: &Family| {
            let mut hasher = Hasher::new(family);
            hasher.update(&contents);
            Similarity { family, digest: hasher.finish() }
        };
        record.similarities = selection.families().iter().map(similarity).collect();
    }
    record
}

/// Bytes with a meaning in some format, and all others.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let special = prop::sample::select(&b"\\\n\r\t ,;\"'()=*#%-{}<>&/.0a"[..]);
    vec(prop_oneof![3 => special, 1 => 1..=255u8], 1..40)
        .prop_filter("looks like a piece", |name| !name.windows(8).any(|window| window == b" offset "))
}

fn record() -> impl Strategy<Value = (Vec<u8>, Vec<u8>, i64, u32, u8)> {
    (name(), vec(any::<u8>(), 0..9), any::<i64>(), 0..1_000_000_000u32, chosen())
}

/// The digests of the run that a file gets, one bit for each: mostly all.
fn chosen() -> impl Strategy<Value = u8> {
    prop_oneof![2 => Just(u8::MAX), 1 => any::<u8>()]
}

fn choose<T: Clone>(all: &[T], chosen: u8) -> Vec<T> {
    let is_chosen = |place: usize| chosen >> (place % 8) & 1 == 1;
    all.iter().enumerate().filter(|&(place, _)| is_chosen(place)).map(|(_, one)| one.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_names_come_back(files in vec(record(), 1..6)) {
        for (format, algorithms, options) in forms() {
            let selection = algorithms[..].into();
            let records: Vec<Record> = files
                .iter()
                .map(|(name, contents, seconds, nanoseconds, chosen)| {
                    let own = choose(&algorithms, *chosen);
                    let mut record = match options.piecewise && !own.is_empty() {
                        false => whole(name, contents, &own),
                        true => in_pieces(name, contents, 3, &own),
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

    /// Files of every outcome, with some or all digests of every kind, in every format that can represent them.
    #[test]
    fn any_records_come_back(
        files in vec((name(), 0..9_usize, 0..6_usize, any::<i64>(), 0..1_000_000_000u32, chosen()), 0..8)
    ) {
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
            let options = WriteOptions { facts: true, ..WriteOptions::default() };
            let records: Vec<Record> = files
                .iter()
                .map(|(name, contents, outcome, seconds, nanoseconds, chosen)| {
                    let time = Timestamp { seconds: *seconds, nanoseconds: *nanoseconds };
                    let algorithms = choose(selection.algorithms(), *chosen);
                    let families = choose(selection.families(), chosen.rotate_left(3));
                    let kinds = algorithms.into_iter().map(DigestKind::from);
                    let own = kinds.chain(families.into_iter().map(DigestKind::from)).collect();
                    any_record(name, *contents, *outcome, time, &own)
                })
                .collect();
            check(format, &selection, options, &records);
        }
    }

    /// Entries read from arbitrary text can be written, and are then read again.
    #[test]
    fn arbitrary_input_never_panics(input in vec(prop_oneof![1 => any::<u8>(), 3 => prop::sample::select(&b"0f \n,\\\"<>{}=()%;:-"[..])], 0..200)) {
        for format in FormatName::ALL.into_iter().chain(FormatName::READ_ONLY) {
            let count = read(format, &input, ReadOptions::default()).len();
            prop_assert!(count <= input.len() + 1);
        }
        pfh_record::detect(&input, pfh_record::ReadOptions::default());
    }
}

/// The documentation prints the table that the tests above use.
#[test]
fn the_documentation_has_the_table_of_what_is_kept() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/formats.md");
    let text = std::fs::read_to_string(page).unwrap();
    let table = FormatName::kept_table();
    assert!(text.contains(&table), "docs/reference/formats.md is to have this table:\n{table}");
}
