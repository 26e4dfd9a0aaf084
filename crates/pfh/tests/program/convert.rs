//! `pfh convert`: every format into every other one, what is lost, and the programs that read the result.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pfh_record::{Entry, FormatName, ReadOptions, Reader};
use pfh_testing::odd_names;

use crate::fixture::*;

/// The formats in the matrix, with the algorithm that their lists have.
const FORMATS: [(&str, &str); 9] = [
    ("gnu", "md5"),
    ("bsd", "md5"),
    ("hashdeep", "md5"),
    ("md5deep", "md5"),
    ("md5deep-kz", "md5"),
    ("md5deep-zct", "md5"),
    ("csv", "md5"),
    ("jsonl", "md5"),
    ("dfxml", "md5"),
];

/// Writes files with odd names, each with its own contents. Returns the names, sorted as the walk sorts them.
fn odd_files(directory: &Path) -> Vec<Vec<u8>> {
    fs::create_dir(directory.join("odd")).unwrap();
    let mut names = odd_names();
    names.sort();
    for name in &names {
        fs::write(directory.join("odd").join(path(name)), name).unwrap();
    }
    names.into_iter().map(|name| [b"odd/", &name[..]].concat()).collect()
}

fn read(directory: &Path, list: &str, format: &str) -> Vec<Entry> {
    let text = fs::read(directory.join(list)).unwrap();
    let format = FormatName::from_name(format).unwrap();
    Reader::new(format, &text[..], ReadOptions::default()).map(|entry| entry.unwrap()).collect()
}

/// Whether a format can express a name; the conditions of docs/reference/formats.md.
fn is_expressible(format: &str, name: &[u8]) -> bool {
    let one_line = !name.contains(&b'\n');
    match format {
        "sfv" => one_line && !name.contains(&b'\r') && !name.starts_with(b";"),
        "hashdeep" => one_line && !name.ends_with(b"\r"),
        format if format.starts_with("md5deep") => one_line && !name.ends_with(b"\r"),
        _ => true,
    }
}

/// Every name comes through byte for byte, or is refused; nothing else is refused.
#[test]
fn every_format_into_every_format() {
    let directory = scratch();
    let path = directory.path();
    let names = odd_files(path);
    for (source, algorithm) in FORMATS {
        // The exit status tells that some names are missing.
        let all = names.iter().all(|name| is_expressible(source, name));
        let list = ["-q", "-a", algorithm, "-f", source, "-o", "source", "odd"];
        hash(path, list).run().expect(if all { 0 } else { 3 }, "");
        let in_source: Vec<&Vec<u8>> = names.iter().filter(|name| is_expressible(source, name)).collect();
        for (target, _) in FORMATS {
            // Sizes and times that the source has not are not made up.
            let needs_size = matches!(target, "hashdeep" | "md5deep-kz" | "md5deep-zct");
            let has_size = !matches!(source, "gnu" | "bsd" | "md5deep");
            let has_time = matches!(source, "md5deep-zct" | "dfxml");
            let is_listed = (!needs_size || has_size) && (target != "md5deep-zct" || has_time);
            let expected: Vec<&Vec<u8>> =
                in_source.iter().filter(|name| is_listed && is_expressible(target, name)).copied().collect();
            let code = if expected.len() < in_source.len() { 3 } else { 0 };
            let context = format!("{source} to {target}");
            let convert = ["convert", "-q", "--allow-empty", "--as", source, "-f", target, "-o", "target", "source"];
            pfh(path, convert).run().expect(code, "");
            let entries = read(path, "target", target);
            assert_eq!(entries.iter().map(|entry| &entry.path).collect::<Vec<_>>(), expected, "{context}");
            for entry in entries {
                let name = entry.path.strip_prefix(b"odd/").unwrap();
                assert_eq!(entry.digests, [digest(algorithm, name)], "{context}");
                let keeps_size = !matches!(target, "gnu" | "bsd" | "md5deep");
                let size = (has_size && keeps_size).then_some(name.len() as u64);
                assert_eq!(entry.expected.size, size, "{context}: {}", name.escape_ascii());
            }
        }
        // The list comes back as it was where the way leads through a format that has room for all of it.
        for through in ["jsonl", "dfxml"] {
            if source == "dfxml" && through == "jsonl" {
                continue; // It has no place for inodes.
            }
            pfh(path, ["convert", "-q", "--as", source, "-f", through, "-o", "through", "source"]).run().expect(0, "");
            let back = pfh(path, ["convert", "-q", "-f", source, "-o", "back", "through"]).run();
            if source == "md5deep-zct" {
                continue; // The two have no place for the only time that it has.
            }
            back.expect(0, "");
            let without_lines = |list: &str| -> Vec<Entry> {
                let mut entries = read(path, list, source);
                entries.iter_mut().for_each(|entry| entry.line = 0);
                entries
            };
            assert_eq!(without_lines("source"), without_lines("back"), "{source} through {through}");
        }
    }
}

fn text(ended: &Ended, status: i32, message: &str) -> String {
    String::from_utf8(ended.expect(status, message).to_vec()).unwrap()
}

fn hex(algorithm: &str, bytes: &[u8]) -> String {
    digest(algorithm, bytes).to_string()
}

/// Digests are written as `pfh hash` writes them by the same options.
#[test]
fn digests_in_other_encodings() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("a"), "1").unwrap();
    for (algorithm, format, option) in [
        ("sha256", "gnu", "--uppercase"),
        ("sha256", "gnu", "--base64"),
        ("md5", "bsd", "--uppercase"),
        ("md5", "bsd", "--base64"),
    ] {
        hash(d, ["-a", algorithm, "-f", "jsonl", "-o", "list", "a"]).run().done();
        let expected = hash(d, ["-a", algorithm, "-f", format, option, "a"]).run();
        let converted = pfh(d, ["convert", "-q", "-f", format, option, "list"]).run();
        assert_eq!(text(&converted, 0, ""), text(&expected, 0, ""), "{format} {option}");
        hash(d, ["-a", algorithm, "-f", format, "-o", "plain", "a"]).run().done();
        assert_ne!(fs::read(d.join("plain")).unwrap(), converted.stdout);
    }
    for (option, format) in [("--uppercase", "csv"), ("--base64", "jsonl")] {
        let ended = pfh(d, ["convert", "-f", format, option, "list"]).run();
        assert!(ended.code() == 2 && ended.stderr.contains("; use format `gnu`"), "{}", ended.stderr);
    }
}

#[test]
fn checksums_of_sfv() {
    let directory = scratch();
    let path = directory.path();
    let names = odd_files(path);
    hash(path, ["-q", "-a", "crc32", "-f", "jsonl", "-o", "source", "odd"]).run().expect(0, "");
    pfh(path, ["convert", "-q", "-f", "sfv", "-o", "target", "source"]).run().expect(3, "");
    let entries = read(path, "target", "sfv");
    let expected: Vec<&Vec<u8>> = names.iter().filter(|name| is_expressible("sfv", name)).collect();
    assert_eq!(entries.iter().map(|entry| &entry.path).collect::<Vec<_>>(), expected);
    let sfv = fs::read_to_string(path.join("target")).unwrap_or_default();
    let comments: Vec<&str> = sfv.lines().filter(|line| line.starts_with(';')).collect();
    assert!(comments.is_empty() || comments[1].starts_with("; Converted by pfh 0.1.0 on "), "{comments:?}");
}

#[test]
fn similarity_digests_have_lists_of_their_own() {
    let directory = scratch();
    let path = directory.path();
    fs::write(path.join("a"), contents(1, 100_000)).unwrap();
    fs::write(path.join("short"), "short").unwrap();
    hash(path, ["-a", "md5,ssdeep,tlsh", "-o", "source.jsonl", "a", "short"]).run().done();
    let written = "pfh: written: 1\n\
                   pfh: header: the list has no place for the program, its command line, the directory, the start of the run, the machine, the user\n\
                   pfh: entries: 2 have other digests too, which the list lacks: `a`, `short`\n\
                   pfh: entries: 2 have similarity digests, which the list lacks: `a`, `short`\n\
                   pfh: entries: 1 have a reason for a missing similarity digest, which the list lacks: `short`\n\
                   pfh: entries: 2 have a size, which the list lacks: `a`, `short`\n\
                   pfh: entries: 2 have a time of modification, which the list lacks: `a`, `short`\n\
                   pfh: entries: 1 have none of these digests, and are left out: `short`\n";
    let converted = pfh(path, ["convert", "-f", "tlsh", "source.jsonl"]).run();
    let own = hash(path, ["-q", "-a", "tlsh", "-f", "tlsh", "a", "short"]).run();
    assert_eq!(text(&converted, 0, written).as_bytes(), own.expect(0, ""));
    // Without a place for them, they are lost.
    let gnu = pfh(path, ["convert", "-q", "-f", "gnu", "source.jsonl"]).run();
    assert_eq!(text(&gnu, 0, "").lines().count(), 2);
}

/// Facts that the source states are kept, what it does not state is absent, and the conversion says that it is one.
#[test]
fn headers_are_kept() {
    let directory = scratch();
    let path = directory.path();
    fs::write(path.join("a"), "a").unwrap();
    hash(path, ["-a", "md5", "-f", "hashdeep", "-o", "source", "a"]).run().done();
    pfh(path, ["convert", "-q", "-f", "jsonl", "-o", "target", "source"]).run().expect(0, "");
    let header = |list: &str| -> serde_json::Value {
        let text = fs::read_to_string(path.join(list)).unwrap();
        serde_json::from_str(text.lines().next().unwrap()).unwrap()
    };
    let of_target = header("target");
    assert_eq!(of_target["directory"], path.canonicalize().unwrap().to_str().unwrap());
    for absent in ["program", "started", "host", "uid"] {
        assert!(of_target.get(absent).is_none(), "{of_target}");
    }
    let conversion = &of_target["converted"];
    assert_eq!(conversion["program"], "pfh");
    assert_eq!(conversion["arguments"].as_array().unwrap().len(), 8);
    // The facts of JSON Lines come back from DFXML.
    hash(path, ["-a", "md5", "-f", "jsonl", "-o", "source.jsonl", "a"]).run().done();
    for (from, to, format) in [("source.jsonl", "all.dfxml", "dfxml"), ("all.dfxml", "again.jsonl", "jsonl")] {
        pfh(path, ["convert", "-q", "-f", format, "-o", to, from]).run().expect(0, "");
    }
    let (first, again) = (header("source.jsonl"), header("again.jsonl"));
    for kept in ["program", "program_version", "algorithms", "directory", "started", "host", "uid"] {
        assert_eq!(first[kept], again[kept], "{kept}");
    }
    let dfxml = fs::read_to_string(path.join("all.dfxml")).unwrap();
    assert!(dfxml.contains("<dc:description>Converted by pfh 0.1.0 on "), "{dfxml}");
    assert!(fs::read_to_string(path.join("source")).unwrap().contains("## Invoked from: "));
    pfh(path, ["convert", "-q", "-f", "hashdeep", "-o", "again", "again.jsonl"]).run().expect(0, "");
    let hashdeep = fs::read_to_string(path.join("again")).unwrap();
    assert!(hashdeep.contains("\n## $ pfh hash") || hashdeep.contains("\n## # "), "{hashdeep}");
    assert!(hashdeep.contains("\n## Converted by pfh 0.1.0 on "), "{hashdeep}");
}

/// The lines of one file become one entry, and its pieces follow it.
#[test]
fn lines_of_a_file_are_joined() {
    let directory = scratch();
    let path = directory.path();
    for name in ["a", "b"] {
        fs::write(path.join(name), contents(7, 2500)).unwrap();
    }
    let list = ["-a", "md5,sha256", "--piecewise", "1K", "-f", "bsd", "-o", "source", "a", "b"];
    hash(path, list).run().done();
    pfh(path, ["convert", "-q", "--piecewise", "-f", "csv", "-o", "target", "source"]).run().expect(0, "");
    let own = hash(path, ["-a", "md5,sha256", "--piecewise", "1K", "-f", "csv", "a", "b"]).run();
    // Sizes and times are not in the source.
    let plain = |text: &[u8]| -> Vec<String> {
        let cells = |line: &str| -> Vec<String> { line.split(',').map(str::to_owned).collect() };
        let lines = std::str::from_utf8(text).unwrap().lines().skip(1).map(cells);
        lines.map(|cells| [&cells[..1], &cells[3..]].concat().join(",")).collect()
    };
    assert_eq!(plain(&fs::read(path.join("target")).unwrap()), plain(own.expect(0, "")));
    // Without the option, the pieces are names.
    pfh(path, ["convert", "-q", "-f", "jsonl", "-o", "target", "source"]).run().expect(0, "");
    let names: BTreeSet<Vec<u8>> = read(path, "target", "jsonl").into_iter().map(|entry| entry.path).collect();
    assert!(names.len() == 8 && names.contains(&b"a offset 1024-2047"[..]));
    // hashdeep has no line for a file whose pieces it has.
    let message = "pfh: written: 2\n\
                   pfh: entries: 2 have digests of the whole file beside those of pieces, which the list lacks: `a`, `b`\n";
    let hashdeep = pfh(path, ["convert", "--piecewise", "-f", "hashdeep", "-o", "target", "source"]).run();
    hashdeep.expect(0, message);
}

#[test]
fn lists_are_joined_and_what_is_wrong_with_them_is_told() {
    let directory = scratch();
    let path = directory.path();
    fs::write(path.join("one.md5"), format!("{}  a\nbroken\n{}  a\nb\n", hex("md5", b"a"), hex("md5", b"b"))).unwrap();
    let two = format!("{}\n", hex("sha1", b"c"));
    fs::write(path.join("two.sha1"), &two).unwrap();
    let message = "pfh: `one.md5`: line 2, byte 36: expected a digest at the beginning of the line\n\
                   pfh: `one.md5`: line 4, byte 79: expected a digest at the beginning of the line\n\
                   pfh: written: 3\n\
                   pfh: entries: 1 have no name; their digest stands for it, …\n";
    let message = message.replace(", …", "");
    let ended = pfh(path, ["convert", "-f", "csv", "one.md5", "-", "two.sha1"]).input("").run();
    let csv = text(&ended, 3, &message);
    let (a, b, c) = (hex("md5", b"a"), hex("md5", b"b"), hex("sha1", b"c"));
    let expected = format!(
        "path,size,mtime,outcome,error,md5,sha1\r\na,,,complete,,{a},\r\na,,,complete,,{b},\r\n{c},,,complete,,,{c}\r\n"
    );
    assert_eq!(csv, expected);
    // One algorithm is for formats that do not name it; two are refused, or one is chosen.
    let message = "pfh: format `gnu` takes exactly one algorithm, since its lines do not name it, but 2 were asked for; use format `bsd` or `jsonl`\n";
    pfh(path, ["convert", "-q", "-f", "gnu", "one.md5", "two.sha1"]).run().expect(2, message);
    pfh(path, ["convert", "-q", "-f", "vics", "two.sha1"])
        .run()
        .expect(2, "pfh: format `vics` is read and never written; use format `jsonl`, `csv` or `hashdeep`\n");
    let ended = pfh(path, ["convert", "-q", "-f", "gnu", "-a", "sha1", "two.sha1"]).run();
    assert_eq!(text(&ended, 0, ""), format!("{c}  {c}\n"));
    // A digest of this length that another algorithm made.
    fs::write(path.join("list"), format!("{}  a\n", hex("blake3", b"a"))).unwrap();
    let guess = pfh(path, ["convert", "-f", "bsd", "list"]).run();
    let message = "pfh: written: 1\npfh: entries: 1 have digests whose algorithm is taken from their length: `a`\n";
    assert!(text(&guess, 0, message).starts_with("SHA256 (a) = "));
    let named = pfh(path, ["convert", "-f", "bsd", "-a", "blake3", "list"]).run();
    assert_eq!(text(&named, 0, "pfh: written: 1\n"), format!("BLAKE3 (a) = {}\n", hex("blake3", b"a")));
}

/// CSV has columns for pieces only if they are known of when its header is written.
#[test]
fn pieces_that_come_late_are_told() {
    let directory = scratch();
    let path = directory.path();
    let (whole, piece) = (hex("md5", b"1234"), hex("md5", b"12"));
    let mut list = "path,size,mtime,outcome,error,piece_offset,piece_length,md5\r\n".to_owned();
    for number in 0..300 {
        list += &format!("{number},0,,complete,,,,{}\r\n", hex("md5", b""));
    }
    let big = format!("big,4,,complete,,,,{whole}\r\nbig,4,,complete,,0,2,{piece}\r\n");
    fs::write(path.join("late"), format!("{list}{big}")).unwrap();
    let message = "pfh: written: 301\n\
                   pfh: entries: 1 have pieces or facts about contents that the beginnings of the lists did not show, and that the \
                   list has no columns for; format `jsonl` keeps them: `big`\n";
    for more in [None, Some("--join")] {
        let ended = pfh(path, ["convert", "-f", "csv", "late"].into_iter().chain(more)).run();
        assert!(!text(&ended, 3, message).contains(&piece));
    }
    // Where the beginning shows them, they come through, and so they do into other formats.
    let shown = format!("{}\r\n{big}{}", list.lines().next().unwrap(), list.split_once("\r\n").unwrap().1);
    fs::write(path.join("early"), shown).unwrap();
    for arguments in [["csv", "early"], ["jsonl", "late"]] {
        let ended = pfh(path, ["convert", "-q", "-f"].into_iter().chain(arguments)).run();
        assert!(text(&ended, 0, "").contains(&piece), "{arguments:?}");
    }
}

/// Of a journal that a later run continued, the latest line of each file counts.
#[test]
fn lines_that_later_ones_supersede_are_left_out_and_told() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("t")).unwrap();
    fs::write(path.join("t/same"), b"same").unwrap();
    fs::write(path.join("t/file"), b"old").unwrap();
    let resume = || hash(path, ["-a", "md5", "-o", "journal", "--resume", "t", "late"]).run();
    assert_eq!(resume().code(), 3);
    fs::write(path.join("t/file"), b"newer").unwrap();
    fs::write(path.join("late"), b"late").unwrap();
    resume().expect(0, "");
    let expected =
        format!("{}  t/same\n{}  t/file\n{}  late\n", hex("md5", b"same"), hex("md5", b"newer"), hex("md5", b"late"));
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    let ended = pfh(path, ["convert", "-f", "gnu", "journal"]).run();
    assert_eq!(ended.code(), 0);
    let message = "pfh: lines: 2 are superseded by later lines about the same paths, and left out\n";
    assert!(ended.said().contains(message), "{}", ended.said());
    assert_eq!(sorted(str::from_utf8(&ended.stdout).unwrap()), sorted(&expected));
    // Neither the old contents nor the old failure are asked about.
    fs::write(path.join("known"), format!("{}  old\n{}  late\n", hex("md5", b"old"), hex("md5", b"late"))).unwrap();
    let matched = |known: &str| pfh(path, ["match", "--digests", "journal", "--known", known]).run();
    assert_eq_bytes(matched("known").expect(1, ""), b"journal:late matches known:late\n");
    let counts = "pfh: files: 3, known-bad: 1, known-other: 0, known-good: 0, unknown: 2\n";
    let classes = matched("bad=known");
    let bad = str::from_utf8(classes.expect(1, counts)).unwrap().lines().filter(|line| line.starts_with("known-bad "));
    assert!(bad.eq(["known-bad    journal:late  (known: late)"]));
}

/// Lists of one tree by several algorithms become one, as if they had been made in one run.
#[test]
fn lists_of_one_tree_are_joined() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("tree")).unwrap();
    for number in 0..300_u16 {
        fs::write(path.join(format!("tree/{number} \u{e9}")), contents(number.into(), usize::from(number) * 40))
            .unwrap();
    }
    let hashed = |list: &str, words: &str| {
        hash(path, words.split(' ').chain(["-o", list, "tree"])).run();
    };
    hashed("md5", "-a md5 -f gnu");
    hashed("sha256", "-a sha256 -f gnu");
    hashed("sized", "-a sha1 -f hashdeep");
    hashed("ssdeep", "-a ssdeep,sha256 -f jsonl --facts");
    // Another order in one of them.
    let mut lines: Vec<String> = fs::read_to_string(path.join("md5")).unwrap().lines().map(str::to_owned).collect();
    lines.reverse();
    fs::write(path.join("md5"), lines.join("\n") + "\n").unwrap();
    let convert = |words: &str| pfh(path, ["convert"].into_iter().chain(words.split(' '))).run();
    hashed("expected", "-a sha256,md5,sha1 -f csv");
    let ended = convert("--join -q -f csv -o joined sha256 md5 sized");
    ended.expect(0, "");
    // Times are in none of them.
    let cells = |list: &str| -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for line in fs::read_to_string(path.join(list)).unwrap().lines() {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            cells.remove(2);
            rows.push(cells);
        }
        rows
    };
    assert_eq!(cells("joined"), cells("expected"));
    // Into a format that needs the size, which one list has; and with a list that has more than digests.
    convert("--join -q -f hashdeep -a md5,sha256 -o joined md5 sha256 sized").expect(0, "");
    assert_eq!(read(path, "joined", "hashdeep").len(), 300);
    hashed("expected", "-a sha256,md5,ssdeep --facts -f jsonl");
    convert("--join -q -f jsonl -o joined sha256 md5 ssdeep").expect(0, "");
    let entries = |list: &str| -> Vec<Entry> {
        let plain = |mut entry: Entry| {
            entry.line = 0;
            entry
        };
        read(path, list, "jsonl").into_iter().map(plain).collect()
    };
    assert_eq!(format!("{:?}", entries("joined")), format!("{:?}", entries("expected")));
    // Pieces meet as well.
    hashed("pieces1", "-a md5 --piecewise 1K -f jsonl");
    hashed("pieces2", "-a sha1 --piecewise 1K -f jsonl");
    hashed("expected", "-a md5,sha1 --piecewise 1K -f jsonl");
    convert("--join -q -f jsonl -o joined pieces1 pieces2").expect(0, "");
    assert_eq!(format!("{:?}", entries("joined")), format!("{:?}", entries("expected")));
    hashed("pieces2", "-a sha1 --piecewise 2K -f jsonl");
    let other = convert("--join -f jsonl -o joined pieces1 pieces2");
    assert!(
        other.code() == 3 && other.stderr.contains(": an entry states a piece of another length\n"),
        "{}",
        other.stderr
    );
    // A list joined with itself is that list.
    convert("--join -q -f gnu -o joined sha256 sha256").expect(0, "");
    assert_eq!(fs::read(path.join("joined")).unwrap(), fs::read(path.join("sha256")).unwrap());
}

/// Entries that contradict others of their file are told, and nothing of them is lost.
#[test]
fn lists_that_contradict_are_told() {
    let directory = scratch();
    let path = directory.path();
    let [one, two] = [b"1", b"2"].map(|bytes| hex("md5", bytes));
    fs::write(path.join("a.csv"), format!("path,size,md5\na,1,{one}\nb,1,{one}\nc,1,{one}\nd,,{one}\n")).unwrap();
    let sha1 = hex("sha1", b"1");
    fs::write(path.join("b.csv"), format!("path,size,sha1\nb,2,{sha1}\na,1,{sha1}\nd,7,{sha1}\n./c,1,{sha1}\n"))
        .unwrap();
    fs::write(path.join("c.md5"), format!("{two}  a\n{one}  c\n")).unwrap();
    let ended = pfh(path, ["convert", "--join", "-f", "csv", "a.csv", "b.csv", "c.md5"]).run();
    let message = "pfh: `a`: an entry states another md5\npfh: `b`: an entry states a size of 2 B instead of 1 B\n\
                   pfh: written: 7\n\
                   pfh: entries: 2 contradict an earlier entry of the file, and stay apart from it: `a`, `b`\n";
    let csv = text(&ended, 3, message);
    let expected = format!(
        "path,size,mtime,outcome,error,md5,sha1\r\na,1,,complete,,{one},{sha1}\r\na,,,complete,,{two},\r\n\
         b,1,,complete,,{one},\r\nb,2,,complete,,,{sha1}\r\nc,1,,complete,,{one},\r\nd,7,,complete,,{one},{sha1}\r\n\
         ./c,1,,complete,,,{sha1}\r\n"
    );
    assert_eq!(csv, expected);
}

#[test]
fn names_that_cannot_be_expressed_are_named_with_the_reason() {
    let directory = scratch();
    let path = directory.path();
    fs::write(path.join("source"), format!("\\{}  a\\nb\n{}  c\n", hex("md5", b"a"), hex("md5", b"c"))).unwrap();
    let message = "pfh: `a\\nb`: the name contains a line break, which this format cannot express; use the format `jsonl`\n\
                   pfh: written: 1\n\
                   pfh: entries: 2 have digests whose algorithm is taken from their length: `a\\nb`, `c`\n\
                   pfh: entries: 1 cannot be expressed in this format, and are left out\n";
    let ended = pfh(path, ["convert", "-f", "md5deep", "source"]).run();
    assert_eq!(text(&ended, 3, message), format!("{}  c\n", hex("md5", b"c")));
    // With NUL, there is nothing that it cannot express.
    let ended = pfh(path, ["convert", "-q", "-0", "-f", "md5deep", "source"]).run();
    let list = text(&ended, 0, "");
    assert_eq!(list, format!("{}  a\nb\0{}  c\0", hex("md5", b"a"), hex("md5", b"c")));
    let again = pfh(path, ["convert", "-q", "--as", "md5deep", "--read-null", "-f", "gnu", "-"]).input(list).run();
    assert_eq!(again.expect(0, ""), fs::read(path.join("source")).unwrap());
}

/// Files without digests are in lists that have a place for them, with the reason, and are counted for the others.
#[test]
fn files_that_were_not_read() {
    let directory = scratch();
    let path = directory.path();
    fs::write(path.join("a"), "a").unwrap();
    let listed = hash(path, ["-q", "-a", "md5", "-f", "jsonl", "-o", "source.jsonl", "a", "absent"]).run();
    listed.expect(3, "");
    let message = "pfh: written: 1\n\
                   pfh: header: the list has no place for the program, its command line, the directory, the start of the run, the machine, the user\n\
                   pfh: entries: 1 have a size, which the list lacks: `a`\n\
                   pfh: entries: 1 have a time of modification, which the list lacks: `a`\n\
                   pfh: entries: 1 were not read to their end, which the list cannot tell; they are left out: `absent`\n";
    let ended = pfh(path, ["convert", "-f", "gnu", "source.jsonl"]).run();
    assert_eq!(text(&ended, 0, message), format!("{}  a\n", hex("md5", b"a")));
    for format in ["csv", "jsonl", "dfxml"] {
        pfh(path, ["convert", "-q", "-f", format, "-o", "target", "source.jsonl"]).run().expect(0, "");
        let (first, last) = (read(path, "source.jsonl", "jsonl"), read(path, "target", format));
        assert_eq!((&first[1].path, first[1].is_complete()), (&last[1].path, last[1].is_complete()), "{format}");
    }
    // A list of nothing cannot become one of digests.
    fs::write(path.join("broken"), "broken\n").unwrap();
    let message = "pfh: `broken`: line 1, byte 0: expected a digest at the beginning of the line\n\
                   pfh: there are no digests at the beginning of the lists, and format `bsd` lists nothing else; name their \
                   algorithms with -a\n";
    pfh(path, ["convert", "--as", "gnu", "-f", "bsd", "broken"]).run().expect(2, message);
}

/// Files that have none of the chosen digests are missing in a list of digests alone, and the status tells that.
#[test]
fn files_without_the_chosen_digests() {
    let directory = scratch();
    let path = directory.path();
    for (name, algorithm) in [("a", "sha256"), ("b", "md5")] {
        fs::write(path.join(name), name).unwrap();
        hash(path, ["-a", algorithm, "-f", "jsonl", "-o", &format!("{name}.jsonl"), name]).run().done();
    }
    let expected = format!("{}  a\n", hex("sha256", b"a"));
    let convert = |words: &str| pfh(path, ["convert"].into_iter().chain(words.split(' '))).run();
    let ended = convert("-f gnu -a sha256 a.jsonl b.jsonl");
    assert_eq!((ended.code(), str::from_utf8(&ended.stdout).unwrap()), (3, &*expected));
    let said = "pfh: entries: 1 have none of these digests, and are left out: `b`\n";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    assert_eq!(text(&convert("-q -f gnu -a sha256 --join a.jsonl b.jsonl"), 3, ""), expected);
    // A format that has a place for files without digests leaves out none.
    assert_eq!(text(&convert("-q -f csv -a sha256 a.jsonl b.jsonl"), 0, "").lines().count(), 3);
}

/// The other JSON Lines of pfh are told as such.
#[test]
fn reports_are_no_lists() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("t")).unwrap();
    for name in ["a", "b"] {
        fs::write(path.join("t").join(name), "equal").unwrap();
    }
    hash(path, ["-f", "jsonl", "-o", "list", "t"]).run().done();
    assert_eq!(pfh(path, ["audit", "init", "l.pfhl", "t"]).run().code(), 0);
    for (report, words, kind) in [
        ("audit.out", "audit report l.pfhl --run 1 -f jsonl -o", "a report of `pfh audit`"),
        ("verify.out", "verify list -f jsonl -o", "a report of `pfh verify`"),
        ("dupes.out", "dupes t -f jsonl -o", "the output of `pfh dupes`"),
        ("match.out", "match --known list t -f jsonl -o", "the output of `pfh compare` or `pfh match`"),
        ("classes.out", "match --known bad=list t -f jsonl -o", "the output of `pfh match` or `pfh known lookup`"),
    ] {
        let made = pfh(path, words.split(' ').chain([report])).run();
        assert!(path.join(report).exists(), "{report}: {}", made.stderr);
        let said = format!("pfh: `{report}` is {kind}, not a list of digests\n");
        for words in [
            &["convert", "-f", "gnu", report][..],
            &["convert", "-f", "jsonl", report],
            &["verify", report],
            &["dupes", "--digests", report],
            &["match", "--known", report, "t"],
        ] {
            pfh(path, words).run().expect(2, &said);
        }
    }
}

/// Tables of others, whose first line names their columns.
#[test]
fn columns_in_any_order() {
    let directory = scratch();
    let path = directory.path();
    let sha256 = hex("sha256", b"a");
    for list in [format!("path,sha256\na,{sha256}\n"), format!("\u{feff}sha256,path\r\n{sha256},a\r\n")] {
        fs::write(path.join("table"), list).unwrap();
        let ended = pfh(path, ["convert", "-f", "gnu", "table"]).run();
        assert_eq!(text(&ended, 0, "pfh: written: 1\n"), format!("{sha256}  a\n"));
    }
}

/// The end of a list that is cut off is not taken for its end.
#[test]
fn a_list_without_its_end_is_told() {
    let directory = scratch();
    let path = directory.path();
    fs::write(path.join("a"), "a").unwrap();
    hash(path, ["-a", "md5", "-f", "jsonl", "-o", "source.jsonl", "a"]).run().done();
    let list = fs::read_to_string(path.join("source.jsonl")).unwrap();
    let cut: String = list.lines().take(2).map(|line| format!("{line}\n")).collect();
    fs::write(path.join("cut.jsonl"), cut).unwrap();
    let ended = pfh(path, ["convert", "-f", "jsonl", "cut.jsonl"]).run();
    let target = text(&ended, 3, "pfh: `cut.jsonl`: its end is missing\npfh: written: 1\n");
    assert!(target.lines().last().unwrap().contains("\"interrupted\":true"), "{target}");
    let whole = pfh(path, ["convert", "-f", "jsonl", "source.jsonl"]).run();
    let whole = text(&whole, 0, "pfh: written: 1\n");
    // The counts of the run are those of the source.
    let without_check = |text: &str| text.lines().last().unwrap().split(",\"check\"").next().unwrap().to_owned();
    assert_eq!(without_check(&whole), without_check(&list));
}

/// Memory does not grow with the list.
#[test]
fn a_long_list_takes_no_more_memory_than_a_short_one() {
    let directory = scratch();
    let path = directory.path();
    let lines: String = (0..400_000).map(|number| format!("{}  {number}\n", "0a".repeat(32))).collect();
    fs::write(path.join("source"), &lines).unwrap();
    let mut convert = pfh(path, ["convert", "-q", "-f", "jsonl", "-o", "target", "source"]);
    convert = convert.with(|command| command.env("MALLOC_ARENA_MAX", "1"));
    let limited = Run::new("sh", path, ["-c", "ulimit -v 400000; exec \"$0\" convert -q -f jsonl -o limited source"]);
    let limited = limited.with(|command| command.arg(env!("CARGO_BIN_EXE_pfh")));
    limited.run().expect(0, "");
    convert.run().expect(0, "");
    assert_eq!(read(path, "limited", "jsonl").len(), 400_000);
    let sha1: String = (0..400_000).rev().map(|number| format!("{}  {number}\n", "0c".repeat(20))).collect();
    fs::write(path.join("sha1"), sha1).unwrap();
    let joined = "ulimit -v 400000; exec \"$0\" convert -q --join -f jsonl -o joined source sha1";
    let joined = Run::new("sh", path, ["-c", joined]).with(|command| command.arg(env!("CARGO_BIN_EXE_pfh")));
    joined.run().expect(0, "");
    let entries = read(path, "joined", "jsonl");
    assert!(entries.len() == 400_000 && entries.iter().all(|entry| entry.digests.len() == 2));
}

/// The programs for which the lists are accept them.
#[test]
fn other_programs_read_the_lists() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("tree")).unwrap();
    for name in ["a", "b c", "d\u{e9}", "sub"] {
        fs::write(path.join("tree").join(name), name).unwrap();
    }
    hash(path, ["-a", "md5,sha256,crc32", "-f", "jsonl", "-o", "source.jsonl", "tree"]).run().done();
    for (format, algorithms, program, arguments) in [
        ("gnu", "md5", "md5sum", &["--check", "--strict", "target"][..]),
        ("bsd", "md5,sha256", "cksum", &["--check", "--strict", "target"]),
        ("hashdeep", "md5,sha256", "hashdeep", &["-rlak", "target", "tree"]),
        ("sfv", "crc32", "cksfv", &["-f", "target"]),
        ("bsd", "sha256", "rhash", &["-c", "target"]),
        ("dfxml", "md5", "xmllint", &["--noout", "target"]),
    ] {
        pfh(path, ["convert", "-q", "-f", format, "-a", algorithms, "-o", "target", "source.jsonl"])
            .run()
            .expect(0, "");
        let Some(output) = peer(program, path, arguments) else { continue };
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // And the other way: their lists into ours.
    let Some(list) = peer("hashdeep", path, ["-rl", "tree"]) else { return };
    fs::write(path.join("theirs"), &list.stdout).unwrap();
    pfh(path, ["convert", "-q", "-f", "gnu", "-a", "sha256", "-o", "target", "theirs"]).run().expect(0, "");
    let checked = peer("sha256sum", path, ["--check", "--strict", "target"]).unwrap();
    assert!(checked.status.success());
}

/// The lists of the families: from and to each format that has similarity digests, with odd names.
#[test]
fn similarity_digests_between_their_formats() {
    let directory = scratch();
    let path = directory.path();
    fs::create_dir(path.join("odd")).unwrap();
    let mut names = odd_names();
    names.sort();
    for (number, name) in names.iter().enumerate() {
        fs::write(path.join("odd").join(crate::fixture::path(name)), contents(17 * number, 9000 + number)).unwrap();
    }
    let names: Vec<Vec<u8>> = names.into_iter().map(|name| [b"odd/", &name[..]].concat()).collect();
    let is_listed = |format: &str, name: &[u8]| match format {
        "tlsh" => !name.contains(&b'\n') && !name.ends_with(b"\r"),
        "ssdeep" | "sdhash" | "mrsh-v2" => !name.contains(&b'\n'),
        _ => true,
    };
    for family in ["ssdeep", "sdhash", "mrsh-v2", "tlsh"] {
        for source in [family, "csv", "jsonl", "dfxml"] {
            let made = hash(path, ["-q", "-a", family, "-f", source, "-o", "source", "odd"]).run();
            made.expect(if source == family { 3 } else { 0 }, "");
            let in_source = read(path, "source", source);
            for target in [family, "csv", "jsonl", "dfxml"] {
                let context = format!("{family}: {source} to {target}");
                let expected: Vec<&Entry> = in_source.iter().filter(|entry| is_listed(target, &entry.path)).collect();
                let code = if expected.len() < in_source.len() { 3 } else { 0 };
                pfh(path, ["convert", "-q", "-f", target, "-o", "target", "source"]).run().expect(code, "");
                let found = read(path, "target", target);
                assert_eq!(found.len(), expected.len(), "{context}");
                for (found, expected) in found.iter().zip(expected) {
                    assert_eq!(found.path, expected.path, "{context}");
                    assert_eq!(found.similarities, expected.similarities, "{context}");
                }
            }
            let expected: Vec<&Vec<u8>> = names.iter().filter(|name| is_listed(source, name)).collect();
            assert_eq!(in_source.iter().map(|entry| &entry.path).collect::<Vec<_>>(), expected, "{family} {source}");
        }
    }
}

/// Digests that others keep come into our formats.
#[test]
fn lists_that_are_only_read() {
    let directory = scratch();
    let path = directory.path();
    let (md5, sha256) = (hex("md5", b"hello"), hex("sha256", b"hello"));
    fs::create_dir(path.join("bag")).unwrap();
    fs::write(path.join("bag/manifest-sha256.txt"), format!("{sha256}  data/100%25.txt\n")).unwrap();
    fs::write(
        path.join("inventory.json"),
        format!("{{\"digestAlgorithm\":\"sha256\",\"manifest\":{{\"{sha256}\":[\"v1/content/a\"]}}}}"),
    )
    .unwrap();
    fs::write(path.join("disk.log"), format!("\nTotal (md5): {md5}\n\nTotal (sha256): {sha256}\n")).unwrap();
    let history = format!("/a\n\n\n2026-11-20 14:08:22\n\nsha256\n{sha256}\t/a/b\t12\n");
    fs::write(path.join("fixity.tsv"), history).unwrap();
    for (list, expected) in [
        ("bag/manifest-sha256.txt", format!("SHA256 (data/100%.txt) = {sha256}\n")),
        ("inventory.json", format!("SHA256 (v1/content/a) = {sha256}\n")),
        ("disk.log", format!("MD5 (disk) = {md5}\nSHA256 (disk) = {sha256}\n")),
        ("fixity.tsv", format!("SHA256 (/a/b) = {sha256}\n")),
    ] {
        let ended = pfh(path, ["convert", "-f", "bsd", list]).run();
        assert_eq!(text(&ended, 0, "pfh: written: 1\n"), expected, "{list}");
    }
}

#[test]
fn output_that_cannot_be_written_and_signals() {
    let directory = scratch();
    let path = directory.path();
    let lines: String = (0..20_000).map(|number| format!("{}  {number}\n", "0a".repeat(32))).collect();
    fs::write(path.join("source"), &lines).unwrap();
    let message = "pfh: the output could not be written: No space left on device (os error 28)\n";
    pfh(path, ["convert", "-q", "-f", "jsonl", "-o", "/dev/full", "source"]).run().expect(4, message);
    pfh(path, ["convert", "-q", "-f", "jsonl", "-o", "absent/list", "source"])
        .run()
        .expect(2, "pfh: `absent/list` cannot be written: No such file or directory (os error 2)\n");
    pfh(path, ["convert", "-q", "-f", "jsonl", "absent"])
        .run()
        .expect(2, "pfh: `absent`: No such file or directory (os error 2)\n");
    // A list that never ends, until the user has enough of it: no file is left.
    fifo(&path.join("endless"));
    let running = pfh(path, ["convert", "-q", "-f", "jsonl", "-o", "list", "endless"]).start();
    let writer = {
        let endless = path.join("endless");
        std::thread::spawn(move || {
            use std::io::Write;
            let mut list = fs::OpenOptions::new().write(true).open(endless).unwrap();
            while list.write_all(lines.as_bytes()).is_ok() {}
        })
    };
    running.wait_until_it_reads(&path.join("endless"));
    running.signal(rustix::process::Signal::INT);
    running.end().expect(130, "pfh: interrupted\n");
    writer.join().unwrap();
    assert!(!path.join("list").exists());
    let left: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
