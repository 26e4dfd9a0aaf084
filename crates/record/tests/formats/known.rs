//! Lists of known files: every form, what is wrong with them, and tables whose columns are named.

use std::fs;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

use pfh_record::{
    Columns, Entry, Feature, FormatName, KEPT, Labels, ListEnd, ReadErrorKind, ReadOptions, Reader, Selection,
    WriteOptions, detect,
};

use crate::samples::*;
use crate::skip::{Need, skipped};

const NSRL: &str =
    "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"";

/// An EnCase hash set with these digests of MD5.
pub(crate) fn encase(contents: &[&[u8]]) -> Vec<u8> {
    let mut file = b"HASH\r\n\xFF\0\x02\0\0\0\x01\0\0\0".to_vec();
    file.extend_from_slice(&(contents.len() as u32).to_le_bytes());
    for (at, text) in [(0x408, "Demo \u{E9}"), (0x458, "Known")] {
        file.resize(at, 0);
        file.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    }
    file.resize(0x480, 0);
    for content in contents {
        file.extend_from_slice(algorithms(&["md5"])[0].digest(content).bytes());
        file.extend_from_slice(&[0, 0]);
    }
    file
}

/// A list of every format that is only read, and of each of its forms, with the file `hello` first.
pub(crate) fn known_lists() -> Vec<(FormatName, &'static str, Vec<u8>)> {
    let (md5, sha1, sha256) = (MD5.to_uppercase(), SHA1.to_uppercase(), SHA256);
    let sha512 = algorithms(&["sha512"])[0].digest(b"hello").to_string();
    let empty = algorithms(&["sha1", "md5"]).into_iter().map(|algorithm| algorithm.digest(b"").to_string());
    let empty: Vec<String> = empty.collect();
    let vics = |key: &str, model: &str, items: &str| format!("{{\"{key}\":\"{model}#Media\",\"value\":[{items}]}}");
    let item = format!(
        "\n{{\"MediaID\":1,\"Category\":2,\"MD5\":\"{md5}\",\"SHA1\":\"{sha1}\",\"MediaSize\":\"5\",\
         \"VictimIdentified\":\"True\",\"Series\":\"S\\u00e9rie\",\"Tags\":null,\"AlternativeHashes\":[{{\"HashName\":\
         \"PhotoDNA\",\"HashValue\":\"AAAA\"}},{{\"HashName\":\"SHA-256\",\"HashValue\":\"{sha256}\"}}],\
         \"MediaFiles\":[{{\"FileName\":\"hello.txt\",\"FilePath\":\"a\\\\b\"}}]}}"
    );
    let other = format!(",\n{{\"MD5\":\"{}\",\"MediaSize\":0}}\n", empty[1]);
    let case = format!("{{\"CaseID\":\"1\",\"MD5\":\"\",\"Media\":[{item}{other}]}}");
    let texts = [
        (
            "nsrl",
            "2.0",
            format!(
                "{NSRL}\r\n\"{sha1}\",\"{md5}\",\"3610A686\",\"hello.txt\",5,1234,\"362\",\"\"\r\n\
                 \"{}\",\"{}\",\"00000000\",\"a \"\"b\"\", c\",0,12,\"362\",\"M\"\r\n",
                empty[0], empty[1]
            ),
        ),
        (
            "nsrl",
            "1.5",
            format!(
                "\"SHA-1\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"MD4\",\"MD5\",\"CRC32\",\"SpecialCode\"\n\
                 \"{sha1}\",\"hello.txt\",5,1234,\"WIN\",\"866437CB7A794BCE2B727ACC0362EE27\",\"{md5}\",\"3610A686\",\"S\"\n"
            ),
        ),
        (
            "hashkeeper",
            "hashkeeper",
            format!(
                "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\",\
                 \"time_modified\",\"time_zone\",\"comments\",\"date_accessed\",\"time_accessed\"\r\n\
                 1,77,\"hello.txt\",\"C:\\x\",\"{md5}\",5,\"2026-01-01\",\"00:00\",\"UTC\",\"\",\"\",\"\"\r\n"
            ),
        ),
        (
            "ilook",
            "v1",
            format!("V1Hash,HashType,SetDescription,FileName,FilePath,FileSize\r\n{md5},M,Set,hello.txt,x,5\r\n"),
        ),
        (
            "ilook",
            "v3",
            format!(
                "V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512\r\n\
                 {md5},{sha1},hello.txt,x,5,{sha256},,{sha512}\r\n"
            ),
        ),
        (
            "ilook",
            "v4",
            format!(
                "V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime,ModTime,\
                 LastAccessTime\n{md5},{sha1},hello.txt,x,5,{sha256},,,a,b,c\n\
                 {},{},NULL,DEV, old,,0,,,,a,b,c\n",
                empty[1], empty[0]
            ),
        ),
        (
            "icse",
            "icse",
            format!(
                "MD5;SHA1;PhotoDNA;Image ID;Is distributed;Victim identified;Offender identified;Series name;\
                 Number of submissions;File Available;Media Type;Baseline\n\
                 {MD5};{SHA1};AAAA;12;True;False;False;Serie;3;True;Image;True\n"
            ),
        ),
        (
            "sleuthkit",
            "md5",
            format!("{}|nsrl\n{}1|NSRLFile.txt\n{md5}|0000000000000088\n", "0".repeat(41), "0".repeat(40)),
        ),
        (
            "sleuthkit",
            "sha1",
            format!("{}|nsrl\n{}1|NSRLFile.txt\n{sha1}|0000000000000088\n", "0".repeat(41), "0".repeat(40)),
        ),
        (
            "vics",
            "1.3",
            vics("odata.metadata", "http://github.com/ICMEC/ProjectVic/DataModels/1.3.xml", &format!("{item}{other}")),
        ),
        (
            "vics",
            "1.2",
            vics(
                "odata.metadata",
                "http://github.com/ICMEC/ProjectVic/DataModels/1.2.xml",
                &format!("{{\"SHA1\":\"{sha1}\",\"MediaSize\":5,\"MediaFiles\":{{\"FileName\":\"hello.txt\"}}}}"),
            ),
        ),
        (
            "vics",
            "2.0",
            vics("@odata.context", "http://github.com/VICSDATAMODEL/ProjectVic/DataModels/2.0.xml/US/$metadata", &item),
        ),
        (
            "vics",
            "cases",
            vics("@odata.context", "http://github.com/VICSDATAMODEL/ProjectVic/DataModels/2.0.xml/US/$metadata", &case),
        ),
        (
            "hashdb",
            "hashdb",
            format!(
                "# command: export\n{{\"block_hash\":\"{MD5}\",\"k_entropy\":4880,\"block_label\":\"\",\
                 \"source_sub_counts\":[\"{MD5}\",1]}}\n{{\"file_hash\":\"{MD5}\",\"filesize\":5,\"file_type\":\"\",\
                 \"zero_count\":0,\"nonprobative_count\":0,\"name_pairs\":[\"repository\",\"hello.txt\",\"other\",\"h\"]}}\n"
            ),
        ),
    ];
    let inventory = |order: &str| {
        let manifest = format!("\"manifest\":{{\"{sha512}\":[\"v1/content/hello.txt\",\"v1/content/h\\u00e9\"]}}");
        let fixity = format!(
            "\"fixity\":{{\"md5\":{{\"{md5}\":[\"v1/content/hello.txt\"]}},\"unknown\":{{\"00\":[\"v1/content/h\"]}}}}"
        );
        let others = format!(
            "\"id\":\"info:x\",\"head\":\"v1\",\"type\":\"https://ocfl.io/1.1/spec/#inventory\",\"versions\":{{\"v1\":{{\
             \"created\":\"2026-11-20T14:08:22Z\",\"state\":{{\"{sha512}\":[\"hello.txt\"]}}}}}}"
        );
        let algorithm = "\"digestAlgorithm\":\"sha512\"".to_owned();
        let parts = if order == "sorted" {
            [algorithm, fixity, others, manifest]
        } else {
            [manifest, others, fixity, algorithm]
        };
        format!("{{\n{}\n}}", parts.join(",\n"))
    };
    let texts: Vec<(&str, &str, String)> = texts
        .into_iter()
        .chain([
            ("ocfl", "sorted", inventory("sorted")),
            ("ocfl", "manifest_first", inventory("manifest_first")),
            (
                "avp",
                "avp",
                format!(
                    "/archive;/other\n\nWeekly\n2026-11-20 14:08:22\n.DS_Store\nsha256\n\
                     {sha256}\t/archive/hello.txt\t12\n{sha256}\t/archive/tab\there\t13\n"
                ),
            ),
            (
                "avp-report",
                "avp-report",
                "Fixity report\nProject name\tdemo\nAlgorithm used\tsha256\nDate\t2026-11-20\nTime Elapsed\t12 seconds\n\
                 Total Files\t4\nConfirmed Files\t1\nMoved or Renamed Files\t1\nNew Files\t1\nChanged Files\t1\n\
                 Removed Files\t0\nConfirmed File:\t/archive/a.tif\n\
                 Moved or Renamed File:\t/archive/old.tif\t changed to\t/archive/new.tif\n\
                 New File:\t/archive/n.tif\nChanged File:\t/archive/c.tif\nRemoved File:\t/archive/r.tif\n"
                    .to_owned(),
            ),
            (
                "imager",
                "dc3dd",
                format!(
                    "\ndc3dd 7.2.646 started at 2026-11-20 14:08:22 +0000\ncompiled options:\n\
                     command line: dc3dd if=/dev/sdb hof=hello.txt hash=md5 hash=sha256 log=x\n\
                     sector size: 512 bytes (assumed)\n     5 bytes ( 5 ) copied ( 100% ), 0.1 s, 50 /s\n\n\
                     input results for device `/dev/sdb':\n   0 sectors + 5 bytes in\n   {MD5} (md5)\n   {sha256} (sha256)\n\n\
                     output results for file `hello.txt':\n   0 sectors + 5 bytes out\n   [ok] {MD5} (md5)\n\n\
                     output results for file `copy':\n\ndc3dd completed at 2026-11-20 14:08:22 +0000\n\n\
                     dc3dd 7.2.646 started at 2026-11-20 14:08:22 +0000\n\ninput results for file `parts':\n   {MD5} (md5)\n\n\
                     output results for files `im.000':\n   0 sectors + 5 bytes out\n"
                ),
            ),
            (
                "imager",
                "dcfldd",
                format!("0 - 5: {MD5}\n0 - 5: {sha256}\n\nTotal (md5): {MD5}\n\nTotal (sha256): {sha256}\n"),
            ),
            (
                "imager",
                "ewfacquire",
                format!(
                    "ewfacquire 20140813\n\nThe following acquiry parameters were provided:\n\
                     Image path and filename:\t\thello.E01\nCase number:\t\t\t\t\n\nAcquiry completed at: Nov 20, 2026 14:08:22\n\n\
                     MD5 hash calculated over data:\t\t{MD5}\nSHA256 hash calculated over data:\t{sha256}\newfacquire: SUCCESS\n"
                ),
            ),
            (
                "imager",
                "ftk",
                format!(
                    "Created By AccessData\u{AE} FTK\u{AE} Imager 4.2.0.13 \n\nCase Information: \nCase Number: 1\n\n\
                     --------------------------------------------------------------\n\nInformation for C:\\images\\hello:\n\n\
                     [Computed Hashes]\n MD5 checksum:    {MD5}\n SHA1 checksum:   {SHA1}\n\nImage Verification Results:\n\
                     \u{20}MD5 checksum:    {MD5} : verified\n SHA1 checksum:   {SHA1} : verified\n"
                ),
            ),
            (
                "imager",
                "guymager",
                format!(
                    "GUYMAGER ACQUISITION INFO FILE\n==============================\n\nAcquisition\n===========\n\n\
                     Linux device             : /dev/sdb\nImage path and file name : /images/hello.dd\n\
                     Hash calculation         : MD5 and SHA-256\n\nMD5 hash                   : {MD5}\n\
                     MD5 hash verified source   : --\nMD5 hash verified image    : {MD5}\nSHA1 hash                  : --\n\
                     SHA256 hash                : {sha256}\n"
                ),
            ),
        ])
        .collect();
    let mut lists: Vec<_> =
        texts.into_iter().map(|(name, form, text)| (format(name), form, text.into_bytes())).collect();
    lists.push((format("encase"), "encase", encase(&[b"hello", b""])));
    lists
}

/// The entry in words: names of the algorithms, path, size, product and category.
fn shown(entry: &Entry) -> String {
    let digests: Vec<&str> = entry.digests.iter().map(|digest| digest.algorithm().name()).collect();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let size = entry.expected.size.map_or("-".to_owned(), |size| size.to_string());
    let labels = &entry.labels;
    format!("{} {} {size} {}/{}", digests.join(","), text(&entry.path), text(labels.product()), text(labels.category()))
}

#[test]
fn every_form_is_detected_and_read() {
    let expected: [&[&str]; 24] = [
        &["sha1,md5 hello.txt 5 1234/", "sha1,md5 a \"b\", c 0 12/M"],
        &["sha1,md5 hello.txt 5 1234/S"],
        &["md5 hello.txt 5 77/"],
        &["md5 hello.txt 5 Set/M"],
        &["md5,sha1,sha256,sha512 hello.txt 5 /"],
        &["md5,sha1,sha256 hello.txt 5 /", "md5,sha1 NULL 0 /"],
        &["md5,sha1  - Serie/True"],
        &["md5  - /"],
        &["sha1  - /"],
        &["md5,sha1,sha256 hello.txt 5 S\u{E9}rie/2", "md5  0 /"],
        &["sha1 hello.txt 5 /"],
        &["md5,sha1,sha256 hello.txt 5 S\u{E9}rie/2"],
        &["md5,sha1,sha256 hello.txt 5 S\u{E9}rie/2", "md5  0 /"],
        &["md5 hello.txt 5 repository/", "md5 h 5 other/"],
        &["md5 v1/content/hello.txt - /", "sha512 v1/content/hello.txt - /", "sha512 v1/content/h\u{E9} - /"],
        &["sha512 v1/content/hello.txt - /", "sha512 v1/content/h\u{E9} - /", "md5 v1/content/hello.txt - /"],
        &["sha256 /archive/hello.txt - /", "sha256 /archive/tab\there - /"],
        &[
            " /archive/a.tif - /confirmed",
            " /archive/new.tif - /moved or renamed",
            " /archive/n.tif - /new",
            " /archive/c.tif - /changed",
            " /archive/r.tif - /removed",
        ],
        &["md5,sha256 hello.txt - /", "md5,sha256 copy - /", "md5 parts - /"],
        &["md5,sha256  - /"],
        &["md5,sha256 hello.E01 - /"],
        &["md5,sha1 C:\\images\\hello - /"],
        &["md5,sha256 /images/hello.dd - /"],
        &["md5  - Demo \u{E9}/Known", "md5  - Demo \u{E9}/Known"],
    ];
    let lists = known_lists();
    assert_eq!(lists.len(), expected.len());
    for ((format, form, list), expected) in lists.into_iter().zip(expected) {
        let variants = match form {
            "encase" => vec![list],
            _ => {
                let crlf = String::from_utf8(list.clone()).unwrap().replace("\r\n", "\n").replace('\n', "\r\n");
                let marked = [b"\xEF\xBB\xBF", &list[..]].concat();
                let units: Vec<u16> = String::from_utf8(list.clone()).unwrap().encode_utf16().collect();
                let utf16 = [0xFEFF].into_iter().chain(units).flat_map(u16::to_le_bytes).collect();
                vec![list, crlf.into_bytes(), marked, utf16]
            }
        };
        for list in variants {
            assert_eq!(detect(&list, ReadOptions::default()), Some(format), "{form}");
            let found: Vec<Entry> =
                read(format, &list, ReadOptions::default()).into_iter().map(|item| item.unwrap()).collect();
            assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected, "{form}");
            for digest in &found[0].digests {
                assert_eq!(*digest, digest.algorithm().digest(b"hello"), "{form}");
            }
        }
    }
}

#[test]
fn the_end_is_known_where_it_is_marked() {
    for (format, form, list) in known_lists() {
        let mut reader = Reader::new(format, &list[..], ReadOptions::default());
        reader.by_ref().for_each(|item| assert!(item.is_ok(), "{form}"));
        let is_marked = matches!(format.name(), "vics" | "encase" | "ocfl");
        let end = if is_marked { ListEnd::Complete } else { ListEnd::Unstated };
        assert_eq!(reader.trailer().unwrap().end, end, "{form}");
        // Cut at any place, a list with a marked end is known not to be whole.
        for cut in (0..list.len()).filter(|_| is_marked) {
            let mut reader = Reader::new(format, &list[..cut], ReadOptions::default());
            let last = reader.by_ref().last().unwrap();
            let error = last.unwrap_err();
            assert!(error.is_fatal(), "{form} cut at {cut}");
            // So little may be left that it shows nothing of the format.
            let is_told = !matches!(error.kind, ReadErrorKind::NotThisFormat { .. });
            let end = if is_told { ListEnd::CutOff } else { ListEnd::Unstated };
            assert_eq!(reader.trailer().unwrap().end, end, "{form} cut at {cut}");
        }
    }
}

#[test]
fn the_table_of_what_is_kept_is_right() {
    for format in FormatName::READ_ONLY {
        let lists = || known_lists().into_iter().filter(move |(one, ..)| *one == format);
        let any = |has: fn(&Entry) -> bool| {
            lists().any(|(_, _, list)| read(format, &list, ReadOptions::default()).iter().flatten().any(has))
        };
        let name = format.name();
        assert_eq!(format.keeps(Feature::Size), any(|entry| entry.expected.size.is_some()), "{name}");
        assert_eq!(format.keeps(Feature::Names), any(|entry| !entry.algorithm_guessed), "{name}");
        assert_eq!(format.keeps(Feature::Labels), any(|entry| entry.labels != Labels::default()), "{name}");
        let mut headers = lists()
            .map(|(_, _, list)| Reader::new(format, &list[..], ReadOptions::default()).header().selection.is_some());
        assert!(headers.all(|has| has == format.keeps(Feature::Selection)), "{name}");
        let others = KEPT.iter().filter(|(_, _, formats)| formats.contains(&name)).count();
        let known = [Feature::Size, Feature::Names, Feature::Labels, Feature::Selection];
        assert_eq!(others, known.into_iter().filter(|feature| format.keeps(*feature)).count(), "{name}");
    }
}

#[test]
fn they_are_only_read() {
    for format in FormatName::READ_ONLY {
        let name = format.name();
        assert_eq!(FormatName::from_name(name), Ok(format));
        let md5: Selection = algorithms(&["md5"]).into();
        let error = format.writer(&md5, &WriteOptions::default()).err().unwrap().to_string();
        let expected = format!("format `{name}` is read and never written; use format `jsonl`, `csv` or `hashdeep`");
        assert_eq!(error, expected);
        assert!(!format.has_null_form());
    }
}

#[test]
fn a_broken_line_does_not_stop_the_others() {
    let good = format!("\"{SHA1}\",\"{MD5}\",\"3610A686\",\"hello.txt\",5,1234,\"362\",\"\"\n");
    let line = |text: &str| good.replace("hello.txt", text);
    let list = [
        format!("{NSRL}\n"),
        good.replace("5d", "5x"),
        good.replace(",5,", ",five,"),
        good.replace(",\"\"\n", "\n"),
        good.replace(",\"\"\n", ",\"\",\"\"\n"),
        line("not \"closed"),
        good.replace("hello.txt\"", "hello.txt\"x"),
        good.replace(MD5, "").replace(SHA1, ""),
        good.replace(MD5, SHA1),
        // The header comes again where lists were concatenated.
        format!("{NSRL}\n\n"),
        good.clone(),
        good[..95].to_owned(),
    ]
    .concat();
    let read = read(FormatName::from_name("nsrl").unwrap(), list.as_bytes(), ReadOptions::default());
    let found: Vec<String> =
        read.into_iter().map(|item| item.map_or_else(|error| error, |entry| shown(&entry))).collect();
    let digits = "digest does not have the number of hexadecimal digits of its algorithm";
    let count = "expected as many fields as the header has";
    assert_eq!(
        found,
        [
            format!("line 2, byte 130: {digits}"),
            "line 3, byte 305: size is not a number".to_owned(),
            format!("line 4, byte 437: {count}"),
            format!("line 5, byte 555: {count}"),
            "line 6, byte 653: expected a separator after the closing quote".to_owned(),
            "line 7, byte 777: expected a separator after the closing quote".to_owned(),
            "line 8, byte 795: digest is missing".to_owned(),
            format!("line 9, byte 883: {digits}"),
            "sha1,md5 hello.txt 5 1234/".to_owned(),
            "line 13, byte 1265: expected a closing quote".to_owned(),
        ]
    );
}

#[test]
fn names_are_raw_bytes() {
    let list = [format!("{NSRL}\n\"{SHA1}\",\"{MD5}\",\"\",\"").as_bytes(), b"\xFF\x80\xE9", b"\",,,,\n"].concat();
    let found = read(FormatName::from_name("nsrl").unwrap(), &list, ReadOptions::default());
    let entry = found[0].as_ref().unwrap();
    assert_eq!((&entry.path[..], entry.expected.size), (&b"\xFF\x80\xE9"[..], None));
}

#[test]
fn other_lists_are_refused() {
    for format in ["nsrl", "hashkeeper", "ilook", "icse", "encase", "vics", "ocfl", "avp", "avp-report"] {
        for list in ["", "hello\n", "[]", "{}", "12"] {
            let found = read(self::format(format), list.as_bytes(), ReadOptions::default());
            let error = found[0].as_ref().unwrap_err();
            let is_broken_json = matches!(format, "vics" | "ocfl") && (list.is_empty() || list.starts_with('h'));
            let expected = if is_broken_json { "invalid markup" } else { "this is not a list in the format" };
            assert!(found.len() == 1 && error.contains(expected), "{format}: {error}");
        }
    }
    assert_eq!(
        read(format("ilook"), NSRL.as_bytes(), ReadOptions::default()),
        [Err("line 1, byte 0: this is not a list in the format `ilook`: its first line is another".to_owned())]
    );
}

#[test]
fn a_hash_set_has_the_length_that_its_header_tells() {
    let whole = encase(&[b"a", b"b"]);
    let wrong = "by its header the list has 1188 bytes, and it does not end there";
    let items = |list: &[u8]| read(format("encase"), list, ReadOptions::default());
    for (list, at) in [(&whole[..1180], "line 2, byte 1180"), (&whole[..1170], "line 2, byte 1170")] {
        let items = items(list);
        assert_eq!((items.len(), items[1].clone()), (2, Err(format!("{at}: {wrong}"))));
    }
    let longer = items(&[&whole[..], b"x"].concat());
    assert_eq!((longer.len(), longer[2].clone()), (3, Err(format!("line 3, byte 1188: {wrong}"))));
    let mut marked = whole;
    marked[1152 + 17] = 1;
    let items = items(&marked);
    assert_eq!(items[0], Err("line 1, byte 1168: expected two zero bytes after the digest".to_owned()));
    assert!(items.len() == 2 && items[1].is_ok());
}

#[test]
fn broken_items_of_vics() {
    let list = |items: &str| format!("{{\"odata.metadata\":\"x\",\"value\":[{items}]}}");
    let items = |list: &str| read(format("vics"), list.as_bytes(), ReadOptions::default());
    let good = format!("{{\"MD5\":\"{MD5}\"}}");
    let found = items(&list(&format!(
        "{{\"MD5\":\"x\"}},\n{good},\n{{}},\n{{\"MD5\":\"{MD5}\",\"MediaSize\":-1}},\n{good},7,[{{\"MD5\":\"y\"}}]"
    )));
    let errors: Vec<_> = found.iter().filter_map(|item| item.clone().err()).collect();
    let digits = "digest does not have the number of hexadecimal digits of its algorithm";
    assert_eq!(
        errors,
        [
            format!("line 1, byte 38: {digits}"),
            "line 3, byte 88: digest is missing".to_owned(),
            "line 4, byte 146: MediaSize is not a number".to_owned()
        ]
    );
    assert_eq!(found.len() - errors.len(), 2);
    for (text, message) in [
        (list(&format!("{good} {good}")), "a comma or a closing bracket is missing"),
        (list(&format!("{good},")), "a value is missing"),
        (list("{\"MD5\" 1}"), "a colon is missing after a key"),
        (list("{\"MD5\":1,}"), "a key is missing"),
        (list("{MD5:1}"), "a key is missing"),
        (list("{\"MD5\":nil}"), "there is no such value"),
        (list("{\"MD5\":'1'}"), "a value is missing"),
        (list("{\"MD5\":\"\\x\"}"), "there is no such escape in a string"),
        (list("{\"MD5\":\"\\u12G4\"}"), "there is no such escape in a string"),
        (list("{\"MD5\":[}}"), "a value is missing"),
        (list("") + "{}", "something follows the document"),
        (list(&("[".repeat(10_000) + &"]".repeat(10_000))), "nested too deeply"),
        (list(&"{\"a\":".repeat(10_000)), "nested too deeply"),
    ] {
        let last = items(&text).pop().unwrap().unwrap_err();
        assert!(last.ends_with(&format!("invalid markup: {message}")), "{last}");
    }
    // The same digest twice is the same, and another one contradicts it, or does not count if it is an alternative.
    let twice = |first: &str, second: &str| items(&list(&format!("{{{first},{second}}}"))).remove(0);
    let alternative =
        |other: &str| format!("\"AlternativeHashes\":[{{\"HashName\":\"MD5\",\"HashValue\":\"{other}\"}}]");
    let (own, other) = (format!("\"MD5\":\"{MD5}\""), MD5.replace('5', "6"));
    for (first, second) in
        [(&own, &own), (&own, &alternative(MD5)), (&own, &alternative(&other)), (&alternative(&other), &own)]
    {
        let digests = twice(first, second).unwrap().digests;
        assert!(digests.len() == 1 && digests[0].to_string() == MD5, "{digests:?}");
    }
    let contradictory = twice(&own, &own.replace(MD5, &other)).unwrap_err();
    assert!(contradictory.ends_with("digests contradict each other"), "{contradictory}");
    let name = |text: &str| {
        let item = format!("{{\"MD5\":\"{MD5}\",\"RelativeFilePath\":\"{text}\"}}");
        String::from_utf8(items(&list(&item)).remove(0).unwrap().path).unwrap()
    };
    assert_eq!(name("\\u0061\\ud83d\\ude00\\t\\/\\\\\\\""), "a\u{1F600}\t/\\\"");
    assert_eq!(name("\\ud83dx\\ud83d\\n\\ud83d\\ud83d\\ude00\\ude00"), "\u{FFFD}x\u{FFFD}\n\u{FFFD}\u{1F600}\u{FFFD}");
}

/// A text that is needed and too long costs its item; one that is not needed costs nothing.
#[test]
fn long_texts_of_vics() {
    let long = "a".repeat((1 << 20) + 1);
    let item = |key: &str| format!("{{\"MD5\":\"{MD5}\",\"{key}\":\"{long}\"}}");
    let list = format!("{{\"odata.metadata\":\"x\",\"value\":[{},{}]}}", item("Series"), item("Tags"));
    let found = read(format("vics"), list.as_bytes(), ReadOptions::default());
    assert!(found[0].as_ref().unwrap_err().ends_with("the line is longer than 1048576 bytes"));
    assert!(found.len() == 2 && found[1].is_ok());
}

fn with_columns(columns: &str, table: &str) -> Vec<Result<String, String>> {
    let columns: Columns = columns.parse().unwrap();
    let reader = Reader::with_columns(columns, table.as_bytes(), ReadOptions::default());
    reader.map(|item| item.map(|entry| shown(&entry)).map_err(|error| error.to_string())).collect()
}

#[test]
fn tables_with_named_columns() {
    let table = format!("File Name;MD5;Bytes;Set\r\n\"a; \"\"b\"\"\nc\";{MD5};5;x\r\n\r\nd;;;\r\n");
    let expected = [Ok("md5 a; \"b\"\nc 5 x/".to_owned()), Err("line 5, byte 78: digest is missing".to_owned())];
    assert_eq!(with_columns("md5=MD5,name=\"File Name\",size=Bytes,product=Set", &table), expected);
    // By number, the first line is a header too, since there is no digest in it.
    assert_eq!(with_columns("md5=2,name=1,size=3,product=4", &table), expected);
    assert_eq!(with_columns("digest=1", &format!("{SHA256}\tx\n")), [Ok("sha256  - /".to_owned())]);
    assert_eq!(with_columns("sha1=2,name=1", &format!("a,{SHA1},more\n")), [Ok("sha1 a - /".to_owned())]);
    assert_eq!(
        with_columns("sha1=2,name=1", &format!("a,{SHA1}\nb\n")),
        [Ok("sha1 a - /".to_owned()), Err("line 2, byte 44: expected more fields".to_owned())]
    );
    // A first line in error that looks like one with a digest is no header.
    let not_a_number = Err("line 1, byte 33: size is not a number".to_owned());
    let read = Ok("md5  5 /".to_owned());
    assert_eq!(with_columns("md5=1,size=2", &format!("{MD5}\tn/a\n{MD5}\t5\n")), [not_a_number, read.clone()]);
    let found = with_columns("md5=1,size=2", &format!("{MD5}0\t5\n{MD5}\t5\n"));
    assert!(found.len() == 2 && found[0].is_err() && found[1] == read, "{found:?}");
    let missing = "line 1, byte 0: this is not a list in the format `csv`: its first line does not have these columns, \
                   each of them once";
    for table in ["MD5,MD5\n", "SHA1\n"] {
        assert_eq!(with_columns("md5=MD5", table), [Err(missing.to_owned())]);
    }
}

/// Blanks before quotes, a header in a comment, and a comment at the end.
#[test]
fn tables_of_malwarebazaar() {
    let table = format!(
        "####\r\n# MalwareBazaar full malware samples dump (CSV) #\r\n# \"first_seen_utc\",\"sha256_hash\",\"md5_hash\",\
         \"sha1_hash\",\"reporter\",\"file_name\"\r\n\"2026-01-01 00:00:00\", \"{SHA256}\", \"{MD5}\", \"{SHA1}\", \"x\", \
         \"a, \"\"b\"\".exe\"\r\n# Number of entries: 1\r\n"
    );
    assert_eq!(pfh_record::table_columns(table.as_bytes()).as_deref(), Some("sha256=2,md5=3,sha1=4"));
    let expected = [Ok("sha256,md5,sha1 a, \"b\".exe - /".to_owned())];
    assert_eq!(with_columns("sha256=2,md5=3,sha1=4,name=6", &table), expected);
    // A comment that has a digest may be a line.
    let odd = format!("#a,{MD5}\n# no digest\nb, \"x\"y,{MD5}\n");
    assert_eq!(with_columns("md5=2,name=1", &odd)[0], Ok("md5 #a - /".to_owned()));
    assert_eq!(with_columns("md5=3,name=2", &format!("b, \"x\"y,{MD5}\n")), [Ok("md5  \"x\"y - /".to_owned())]);
}

/// A quote that does not begin a field is a character of it, so no line is lost.
#[test]
fn quotes_in_tables() {
    let table = |names: &[&str]| names.iter().map(|name| format!("{MD5}\t{name}\n")).collect::<String>();
    let found = |names: &[&str]| -> Vec<Result<String, String>> {
        names.iter().map(|name| Ok(format!("md5 {name} - /"))).collect()
    };
    for names in [["12\" a.jpg", "b", "13\" c.jpg", "d"], ["a", "b\"\"", "\u{E9}\"", "d\"e\"f"]] {
        for columns in ["md5=1,name=2,separator=tab", "md5=1,name=2"] {
            assert_eq!(with_columns(columns, &table(&names)), found(&names), "{columns}");
            assert_eq!(with_columns(columns, &format!("MD5\tName\"\n{}", table(&names))), found(&names), "{columns}");
        }
    }
    // Nor does a broken quote matter in a column that is not asked for.
    let broken = format!("{MD5}\ta\t\"F\" b\n{MD5}\tb\tx\n{MD5}\tc\t\"G\" d\n");
    assert_eq!(with_columns("md5=1,name=2", &broken), found(&["a", "b", "c"]));
    let quoted = table(&["\"a \"\"b\"\"\n\tc\"", "\"\"", "\"\"\"d\""]);
    let names = ["a \"b\"\n\tc", "", "\"d"];
    assert_eq!(with_columns("md5=1,name=2", &quoted), found(&names));
    // Wherever the input comes in pieces.
    let columns: Columns = "md5=1,name=2".parse().unwrap();
    let input = BufReader::with_capacity(1, quoted.as_bytes());
    let pieces = Reader::with_columns(columns, input, ReadOptions::default());
    assert!(pieces.map(|item| item.unwrap().path).eq(names.map(|name| name.as_bytes().to_vec())));
}

/// A field that is never closed takes what follows, and that is told, also where it is in the first line, or in a
/// column that is not asked for.
#[test]
fn open_quotes_in_tables() {
    let table = |names: &[&str]| names.iter().map(|name| format!("{MD5}\t{name}\n")).collect::<String>();
    for columns in ["md5=1,name=2", "md5=1"] {
        let found = with_columns(columns, &table(&["a", "\"open", "c"]));
        assert!(found.len() == 2 && found[0].is_ok(), "{found:?}");
        assert_eq!(found[1], Err("line 2, byte 109: expected a closing quote".to_owned()));
        let found = with_columns(columns, &table(&["\"open", "b"]));
        assert_eq!(found, [Err("line 1, byte 74: expected a closing quote".to_owned())]);
        // Until the separator is known, it may be the comma.
        let found = with_columns(columns, &table(&["a,\"b", "c"]));
        assert_eq!(found, [Err("line 1, byte 37: expected quotes around a line feed".to_owned())]);
        let found = with_columns(&format!("{columns},separator=tab"), &table(&["a,\"b", "c"]));
        assert!(found.len() == 2 && found.iter().all(Result::is_ok), "{found:?}");
    }
}

/// cfv begins lists of md5sum with semicolons.
#[test]
fn semicolons_begin_comments_in_lists_of_checksums() {
    let list = format!("; Generated by cfv v1.18.3 on 2026-11-28 at 12:00.00\n;\n{MD5} *a\n");
    let format = detect(list.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(format.name(), "gnu");
    let found = read(format, list.as_bytes(), ReadOptions::default());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].as_ref().unwrap().path, b"a");
}

#[test]
fn plain_digest_lists_with_comments() {
    let list = format!("# VirusShare\r\n#\r\n\r\n{MD5}\r\n{}  \n  \n#end\n", MD5.to_uppercase());
    let format = detect(list.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(format.name(), "md5deep");
    let found = read(format, list.as_bytes(), ReadOptions::default());
    assert_eq!(found.len(), 2);
    assert!(found.iter().flatten().all(|entry| entry.algorithm_guessed && entry.digests[0].to_string().ends_with(MD5)));
}

/// md5deep and its kin match a file by each list that pfh reads, and hfind's index of a list has the same digests.
#[test]
fn others_find_the_same_digests() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("known-peers");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    for (name, contents) in [("hello", "hello"), ("empty", ""), ("unknown", "unknown")] {
        fs::write(directory.join(name), contents).unwrap();
    }
    for (format, form, list) in known_lists() {
        // md5deep 4.4 recognises the first lines of HashKeeper and of iLook's form 1, and then finds no digest.
        if !matches!(format.name(), "nsrl" | "ilook" | "encase") || form == "v1" {
            continue;
        }
        fs::write(directory.join("list"), &list).unwrap();
        let found = read(format, &list, ReadOptions::default());
        for algorithm in ["md5", "sha1", "sha256"] {
            let has = |contents: &[u8]| {
                let digest = algorithms(&[algorithm])[0].digest(contents);
                found.iter().flatten().any(|entry| entry.digests.contains(&digest))
            };
            let ours: Vec<&str> = ["hello", "empty"]
                .into_iter()
                .filter(|name| {
                    has(match *name {
                        "hello" => b"hello",
                        _ => b"",
                    })
                })
                .collect();
            // Lists of some kinds are known to md5deep alone.
            if ours.is_empty() {
                continue;
            }
            let mut command = Command::new(format!("{algorithm}deep"));
            let command = command.args(["-j0", "-l", "-m", "list", "hello", "empty", "unknown"]);
            let Ok(output) = command.current_dir(&directory).output() else {
                return skipped(Need::Peers, format_args!("there is no {algorithm}deep"));
            };
            let theirs = String::from_utf8(output.stdout).unwrap();
            assert_eq!(theirs.lines().collect::<Vec<_>>(), ours, "{form} {algorithm}");
        }
    }
    for (format, form, list) in known_lists() {
        let kinds: &[(&str, &str)] = match form {
            "2.0" if format.name() == "nsrl" => &[("nsrl-md5", "md5"), ("nsrl-sha1", "sha1")],
            "hashkeeper" => &[("hk", "md5")],
            _ => continue,
        };
        fs::write(directory.join(form), &list).unwrap();
        for (kind, algorithm) in kinds {
            let index = Command::new("hfind").args(["-i", kind, form]).current_dir(&directory).output();
            if index.is_err() {
                return skipped(Need::Peers, "there is no hfind");
            }
            let index = fs::read(directory.join(format!("{form}-{algorithm}.idx"))).unwrap();
            assert_eq!(detect(&index, ReadOptions::default()), Some(self::format("sleuthkit")));
            let digests = |format, list: &[u8]| {
                let items = read(format, list, ReadOptions::default());
                let all = items.into_iter().flat_map(|item| item.unwrap().digests);
                let mut all: Vec<_> = all.filter(|digest| digest.algorithm().name() == *algorithm).collect();
                all.sort_by_key(|digest| digest.bytes().to_vec());
                all
            };
            let of_list = digests(format, &list);
            assert!(!of_list.is_empty());
            assert_eq!(digests(self::format("sleuthkit"), &index), of_list);
        }
    }
}

/// Manifests as bags have them: line ends of every kind, blanks of every kind, and the three encoded characters.
#[test]
fn manifests_of_bags() {
    let upper = MD5.to_uppercase();
    let list = format!(
        "{MD5}  data/a\r{upper} \t data/b c\r\n{MD5} *data/%25%0A%0d%41%2\n\n{MD5}\tdata/d%\n{MD5}\n{MD5}  \n{MD5}0  x\n{MD5}  \0"
    );
    let found: Vec<String> = read(format("bagit"), list.as_bytes(), ReadOptions::default())
        .into_iter()
        .map(|item| {
            item.map_or_else(
                |error| error,
                |entry| format!("{} {:?}", entry.line, String::from_utf8(entry.path).unwrap()),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "1 \"data/a\"",
            "2 \"data/b c\"",
            "3 \"data/%\\n\\r%41%2\"",
            "5 \"data/d%\"",
            "line 6, byte 214: expected a space and a path after the digest",
            "line 7, byte 249: path is missing",
            "line 8, byte 250: digest has a length of no usual algorithm; name the algorithm",
            "line 9, byte 321: path contains a NUL byte",
        ]
    );
}

#[test]
fn faults_of_inventories_and_logs() {
    let texts = |name: &str, list: &str| -> Vec<String> {
        let items = read(format(name), list.as_bytes(), ReadOptions::default()).into_iter();
        items.map(|item| item.map_or_else(|error| error, |entry| shown(&entry))).collect()
    };
    let inventory = format!(
        "{{\"digestAlgorithm\":\"sha256\",\"manifest\":{{\"{MD5}\":[\"a\"],\"{SHA256}\":[\"\",\"a\\u0000\",[\"no path\"],\"b\"]}}}}"
    );
    let digits = "digest does not have the number of hexadecimal digits of its algorithm";
    assert_eq!(
        texts("ocfl", &inventory),
        [
            format!("line 1, byte 40: {digits}"),
            "line 1, byte 149: path is empty".to_owned(),
            "line 1, byte 152: path contains a NUL byte".to_owned(),
            "sha256 b - /".to_owned(),
        ]
    );
    let unknown = "{\"digestAlgorithm\":\"md6\",\"manifest\":{}}";
    assert_eq!(texts("ocfl", unknown), ["line 1, byte 19: there is no algorithm `md6`"]);
    assert!(texts("avp", "a\nb\nc\nnever\n\nmd5\n")[0].contains("its fourth line is not the time of the last run"));
    assert!(texts("avp", "\n\n\n2026-11-20 14:08:22\n\nrot13\n")[0].contains("does not name an algorithm"));
    let history = format!("\n\n\n2026-11-20 14:08:22.5\n\nMD5\n{MD5}\ta\n{MD5}\ta\t1\n{MD5}\t\t1\n");
    let shape = "expected a digest, a path and an inode number between tabs";
    assert_eq!(
        texts("avp", &history),
        [format!("line 7, byte 62: {shape}"), "md5 a - /".to_owned(), "line 9, byte 135: path is missing".to_owned()]
    );
    assert_eq!(
        texts("avp-report", "Fixity report\nany\t1\nNew File:\ta\nany\t1\n"),
        ["new", "line 4, byte 32: expected a class of files, a tab and a path"].map(|text| match text {
            "new" => " a - /new".to_owned(),
            text => text.to_owned(),
        })
    );
    // A digest that contradicts the one above it, and one that is too short.
    let log = format!(" MD5 checksum:  {MD5}\n MD5 checksum:  {}\n SHA1 checksum:  {MD5}\n", MD5.replace('5', "6"));
    assert_eq!(
        texts("imager", &log),
        [
            "line 2, byte 49: expected the digest that the log has above".to_owned(),
            format!("line 3, byte 98: {digits}"),
            "md5  - /".to_owned(),
        ]
    );
}
