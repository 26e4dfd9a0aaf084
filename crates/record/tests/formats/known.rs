//! Lists of known files: every form, what is wrong with them, and tables whose columns are named.

use std::fs;
use std::path::Path;
use std::process::Command;

use pfh_record::{
    Columns, Entry, Feature, FormatName, KEPT, Labels, ListEnd, ReadOptions, Reader, Selection, WriteOptions, detect,
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
                 LastAccessTime\n{md5},{sha1},hello.txt,x,5,{sha256},,,a,b,c\n"
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
    let expected: [&[&str]; 15] = [
        &["sha1,md5 hello.txt 5 1234/", "sha1,md5 a \"b\", c 0 12/M"],
        &["sha1,md5 hello.txt 5 1234/S"],
        &["md5 hello.txt 5 77/"],
        &["md5 hello.txt 5 Set/M"],
        &["md5,sha1,sha256,sha512 hello.txt 5 /"],
        &["md5,sha1,sha256 hello.txt 5 /"],
        &["md5,sha1  - Serie/True"],
        &["md5  - /"],
        &["sha1  - /"],
        &["md5,sha1,sha256 hello.txt 5 S\u{E9}rie/2", "md5  0 /"],
        &["sha1 hello.txt 5 /"],
        &["md5,sha1,sha256 hello.txt 5 S\u{E9}rie/2"],
        &["md5,sha1,sha256 hello.txt 5 S\u{E9}rie/2", "md5  0 /"],
        &["md5 hello.txt 5 repository/", "md5 h 5 other/"],
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
        let is_marked = matches!(format.name(), "vics" | "encase");
        let end = if is_marked { ListEnd::Complete } else { ListEnd::Unstated };
        assert_eq!(reader.trailer().unwrap().end, end, "{form}");
        // Cut at any place, a list with a marked end is known not to be whole.
        for cut in (0..list.len()).filter(|_| is_marked) {
            let mut reader = Reader::new(format, &list[..cut], ReadOptions::default());
            let last = reader.by_ref().last().unwrap();
            assert!(last.unwrap_err().is_fatal(), "{form} cut at {cut}");
            assert_eq!(reader.trailer().unwrap().end, ListEnd::CutOff);
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
    for format in ["nsrl", "hashkeeper", "ilook", "icse", "encase", "vics"] {
        for list in ["", "hello\n", "[]", "{}", "12"] {
            let found = read(self::format(format), list.as_bytes(), ReadOptions::default());
            let error = found[0].as_ref().unwrap_err();
            let is_broken_json = format == "vics" && (list.is_empty() || list.starts_with('h'));
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
    let missing = "line 1, byte 0: this is not a list in the format `csv`: its first line does not have these columns, \
                   each of them once";
    for table in ["MD5,MD5\n", "SHA1\n"] {
        assert_eq!(with_columns("md5=MD5", table), [Err(missing.to_owned())]);
    }
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
