//! Similarity digests: in the formats that list them beside others, and in the lists of the families' own programs.

use pfh_digest::Algorithm;
use pfh_record::{
    Entry, FormatName, ReadOptions, Reader, Record, RunFacts, Selection, Similarity, WriteOptions, detect,
};
use pfh_similarity::{Digest, Family, Hasher, NoDigest, NoDigestReason, mrsh_v2, sdhash, ssdeep, tlsh};

use crate::samples::{algorithms, run_facts, unchecked, whole};

/// Contents that every family digests.
pub(crate) fn contents() -> Vec<u8> {
    (0..40_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn record(path: &[u8], contents: &[u8], algorithms: &[Algorithm], families: &[Family]) -> Record {
    let similarity = |&family| {
        let mut hasher = Hasher::new(family);
        hasher.update(contents);
        Similarity { family, digest: hasher.finish() }
    };
    let mut record = whole(path, contents, algorithms);
    record.similarities = families.iter().map(similarity).collect();
    record
}

fn selection(algorithms: &[Algorithm], families: &[Family]) -> Selection {
    let mut selection = Selection::from(algorithms);
    selection.extend(families.iter().copied());
    selection
}

fn document(format: FormatName, algorithms: &[Algorithm], families: &[Family], records: &[Record]) -> Vec<u8> {
    let selection = selection(algorithms, families);
    let writer = format.writer(&selection, &WriteOptions::default()).unwrap();
    let mut out = Vec::new();
    writer.header(&RunFacts { selection, ..run_facts(algorithms) }, &mut out);
    records.iter().for_each(|record| writer.record(record, &mut out).unwrap());
    writer.footer(&Default::default(), &mut out);
    out
}

/// Returns a list of one file with these contents, and of an empty one.
pub(crate) fn sample(format: FormatName, contents: &[u8]) -> Vec<u8> {
    let (md5, families) = (algorithms(&["md5"]), Family::ALL);
    let records = [record(b"file", contents, &md5, &families), record(b"empty", b"", &md5, &families)];
    document(format, &md5, &families, &records)
}

fn digests(record: &Record) -> Vec<Digest> {
    record.similarities.iter().filter_map(|one| one.digest.clone().ok()).collect()
}

#[test]
fn they_come_back_from_every_format_that_lists_them() {
    let names: [&[u8]; 5] = [b"plain", b"a \"b\", c", b"x:y,1:2", b"\xff\xfe", b"tab\tand \\"];
    let contents = contents();
    for format in FormatName::ALL {
        let (algorithms, families) = match format {
            FormatName::Similarity(family) => (Vec::new(), vec![family]),
            FormatName::Csv | FormatName::Jsonl | FormatName::Dfxml => (algorithms(&["md5"]), Family::ALL.to_vec()),
            _ => continue,
        };
        let mut records: Vec<Record> =
            names.iter().map(|name| record(name, &contents, &algorithms, &families)).collect();
        // Too short for sdhash and TLSH.
        records.push(record(b"short", b"hello", &algorithms, &families));
        let document = document(format, &algorithms, &families, &records);
        assert_eq!(detect(&document, pfh_record::ReadOptions::default()), Some(format));
        let reader = Reader::new(format, &document[..], ReadOptions::default());
        let listed: Vec<Entry> = reader.map(Result::unwrap).collect();
        records.retain(|record| !record.digests.is_empty() || !digests(record).is_empty());
        assert_eq!(listed.len(), records.len(), "{format:?}");
        for (listed, record) in listed.iter().zip(&records) {
            assert_eq!((&listed.path, &listed.digests), (&record.path, &record.digests), "{format:?}");
            assert_eq!(listed.similarity_digests().cloned().collect::<Vec<_>>(), digests(record), "{format:?}");
        }
    }
}

#[test]
fn the_lists_of_the_families_are_those_of_their_libraries() {
    let contents = contents();
    let expected = |family, name: &[u8]| {
        let mut out = Vec::new();
        let mut hasher = Hasher::new(family);
        hasher.update(&contents);
        match hasher.finish().unwrap().with_name(name) {
            Digest::Ssdeep(digest) => ssdeep::list::Writer::new(&mut out).unwrap().entry(&digest, name),
            Digest::Sdhash(digest) => sdhash::list::write(&digest, &mut out),
            Digest::MrshV2(digest) => mrsh_v2::list::write(&digest, &mut out),
            Digest::Tlsh(digest) => tlsh::list::Writer::new(&mut out).entry(&digest, name),
        }
        .unwrap();
        out
    };
    for family in Family::ALL {
        let records = [record(b"a/\"b\"", &contents, &[], &[family])];
        let document = document(FormatName::Similarity(family), &[], &[family], &records);
        assert_eq!(document, expected(family, b"a/\"b\""), "{family}");
    }
}

#[test]
fn a_name_with_a_line_feed_is_refused_and_leaves_no_trace() {
    for family in Family::ALL {
        let writer = FormatName::Similarity(family).writer(&family.into(), &WriteOptions::default()).unwrap();
        let mut out = b"before".to_vec();
        let refused = writer.record(&record(b"a\nb", &contents(), &[], &[family]), &mut out).unwrap_err();
        assert_eq!(refused, pfh_record::NotExpressible::LineBreak);
        assert_eq!(out, b"before");
    }
}

#[test]
fn what_cannot_be_listed_is_written_as_such() {
    let families = [Family::Tlsh, Family::Ssdeep, Family::Sdhash];
    let md5 = algorithms(&["md5"]);
    let records = [record(b"f", b"hello", &md5, &families)];
    let text = |format| String::from_utf8(document(format, &md5, &families, &records)).unwrap();
    let ssdeep = records[0].similarities[1].digest.clone().unwrap().to_string();
    let jsonl = text(FormatName::Jsonl);
    assert!(jsonl.contains("\"algorithms\":[\"md5\",\"tlsh\",\"ssdeep\",\"sdhash\"]"), "{jsonl}");
    let part = format!(
        "\"digests\":{{\"md5\":\"5d41402abc4b2a76b9719d911017c592\",\"ssdeep\":\"{ssdeep}\"}},\"unfit\":{{\"tlsh\":{{\"reason\":\
         \"too-short\",\"minimum_bytes\":50}},\"sdhash\":{{\"reason\":\"too-short\",\"minimum_bytes\":512}}}},\
         \"outcome\":\"complete\""
    );
    assert!(jsonl.contains(&part), "{jsonl}");
    let csv = text(FormatName::Csv);
    assert!(csv.starts_with("path,size,mtime,outcome,error,md5,tlsh,ssdeep,sdhash\r\n"), "{csv}");
    assert!(csv.ends_with(&format!(",5d41402abc4b2a76b9719d911017c592,,{ssdeep},\r\n")), "{csv}");
    let dfxml = text(FormatName::Dfxml);
    let digest = format!("<hashdigest type='OTHER' pfh:algorithm='ssdeep'>{ssdeep}</hashdigest>");
    assert!(dfxml.contains(&digest), "{dfxml}");
    assert!(dfxml.contains("<pfh:unfit family='tlsh' reason='too-short' minimum_bytes='50'/>"), "{dfxml}");
}

/// The bound is the one that the file is beyond. Of sdhash it is the memory of the run, which no list states.
#[test]
fn what_is_too_long_is_written_with_that_bound() {
    let families = [Family::Tlsh, Family::Sdhash];
    let mut record = record(b"f", &contents(), &[], &families);
    for one in &mut record.similarities {
        one.digest = Err(NoDigest::new(one.family, NoDigestReason::TooLong, 5 << 30));
    }
    let text = |format| String::from_utf8(document(format, &[], &families, &[record.clone()])).unwrap();
    let jsonl = text(FormatName::Jsonl);
    let part = r#""unfit":{"tlsh":{"reason":"too-long","maximum_bytes":4224281216},"sdhash":{"reason":"too-long"}}"#;
    assert!(jsonl.contains(part), "{jsonl}");
    let dfxml = text(FormatName::Dfxml);
    assert!(dfxml.contains("<pfh:unfit family='tlsh' reason='too-long' maximum_bytes='4224281216'/>"), "{dfxml}");
    assert!(dfxml.contains("<pfh:unfit family='sdhash' reason='too-long'/>"), "{dfxml}");
}

#[test]
fn formats_without_a_place_for_them_say_which_have_one() {
    let refuse = |name: &str, algorithms: &[Algorithm], families: &[Family], options: &WriteOptions| {
        FormatName::from_name(name).unwrap().check(&selection(algorithms, families), options).unwrap_err().to_string()
    };
    let plain = WriteOptions::default();
    let md5 = algorithms(&["md5"]);
    for name in ["gnu", "bsd", "hashdeep", "md5deep", "sfv"] {
        assert_eq!(
            refuse(name, &md5, &[Family::Sdhash], &plain),
            format!(
                "format `{name}` has no place for sdhash digests; use format `jsonl`, `csv` or `dfxml`, or `sdhash` for a \
                 list of nothing else"
            )
        );
    }
    for (algorithms, families) in
        [(&md5[..], &[Family::Tlsh][..]), (&md5, &[]), (&[], &[Family::Tlsh, Family::Ssdeep]), (&[], &[Family::Sdhash])]
    {
        assert_eq!(
            refuse("tlsh", algorithms, families, &plain),
            "format `tlsh` lists tlsh digests and nothing else; ask for `tlsh` alone, or use format `jsonl`, `csv` or `dfxml`"
        );
    }
    let piecewise = WriteOptions { piecewise: true, ..plain };
    assert!(refuse("tlsh", &[], &[Family::Tlsh], &piecewise).contains("no place for the digests of pieces"));
    let null = WriteOptions { null_terminated: true, ..plain };
    assert!(refuse("tlsh", &[], &[Family::Tlsh], &null).contains("no NUL-terminated form"));
}

/// The names in the texts of sdhash and mrsh-v2 are ignored, because the path is beside them.
#[test]
fn names_in_digests_are_passed_over() {
    let list = String::from_utf8(sample(FormatName::Jsonl, b"hello")).unwrap();
    let list: String = list.lines().map(unchecked).collect();
    let named = list.replace("\"mrsh-v2\":\"", "\"mrsh-v2\":\"a\\\"b");
    assert_ne!(list, named);
    let read = |list: &str| -> Vec<Entry> {
        Reader::new(FormatName::Jsonl, list.as_bytes(), ReadOptions::default()).map(Result::unwrap).collect()
    };
    assert_eq!(read(&list), read(&named));
}

#[test]
fn a_broken_digest_is_an_error_of_its_line() {
    let line = b"{\"type\":\"file\",\"path\":\"f\",\"digests\":{\"ssdeep\":\"5:abc:de\"},\"outcome\":\"complete\"}\n";
    let error = Reader::new(FormatName::Jsonl, &line[..], ReadOptions::default()).next().unwrap().unwrap_err();
    assert!(error.to_string().contains("ssdeep digest, byte 0: block size is not 3 times a power of two"), "{error}");
    let csv = b"path,tlsh\nf,T1xy\ng,\n";
    let mut reader = Reader::new(FormatName::Csv, &csv[..], ReadOptions::default());
    assert!(reader.next().unwrap().is_err());
    assert_eq!(reader.next().unwrap().unwrap().path, b"g");
}
