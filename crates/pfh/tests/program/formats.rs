//! The output of each format, byte for byte, for names that break careless programs.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use pfh_record::{Entry, FormatName, ReadOptions, Reader};
use pfh_testing::OddFile;
use tempfile::TempDir;

use crate::fixture::*;

/// `md5sum` and its siblings put a backslash before lines with escaped names (GNU coreutils manual, md5sum invocation).
fn escaped(name: &[u8]) -> (&'static str, Vec<u8>) {
    let mut text = Vec::new();
    for &byte in name {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            b'\\' => text.extend(b"\\\\"),
            _ => text.push(byte),
        }
    }
    (if text == name { "" } else { "\\" }, text)
}

/// Joins one piece of text for each file.
fn lines(files: &[OddFile], line: impl Fn(&OddFile) -> Vec<u8>) -> Vec<u8> {
    files.iter().flat_map(line).collect()
}

/// Names that hashdeep and md5deep can express.
fn has_no_line_end(file: &OddFile) -> bool {
    !file.path.contains(&b'\n') && !file.path.ends_with(b"\r")
}

/// Checks that the program leaves out the files whose names the format cannot express, and reports each.
#[track_caller]
fn assert_left_out(ended: &Ended, files: &[OddFile], is_expressible: impl Fn(&OddFile) -> bool) -> Vec<OddFile> {
    let (kept, left_out): (Vec<OddFile>, Vec<OddFile>) = files.iter().cloned().partition(is_expressible);
    assert!(!left_out.is_empty());
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    assert_eq!(ended.said().lines().count(), left_out.len(), "{}", ended.stderr);
    let is_about = |line: &str| line.ends_with(", which this format cannot express; use the format `jsonl`");
    assert!(ended.said().lines().all(is_about), "{}", ended.stderr);
    kept
}

#[test]
fn gnu() {
    let (directory, files) = odd();
    hash(directory.path(), ["tree"]).run().printed(&lines(&files, |file| {
        let (mark, name) = escaped(&file.path);
        [format!("{mark}{}  ", digest("sha256", &file.contents)).as_bytes(), &name, b"\n"].concat()
    }));
    let zero = hash(directory.path(), ["-0", "-a", "md5", "tree"]).run();
    assert_eq_bytes(
        zero.done(),
        &lines(&files, |file| [format!("{}  ", digest("md5", &file.contents)).as_bytes(), &file.path, b"\0"].concat()),
    );
}

#[test]
fn bsd() {
    let (directory, files) = odd();
    let tags = [("MD5", "md5"), ("SHA512", "sha512"), ("SHA3-256", "sha3-256"), ("BLAKE2b", "blake2b")];
    let expected = |end: &[u8], escape: bool| {
        lines(&files, |file| {
            let line = |(tag, algorithm): (&str, &str)| {
                let (mark, name) = if escape { escaped(&file.path) } else { ("", file.path.clone()) };
                let value = digest(algorithm, &file.contents).to_string();
                [format!("{mark}{tag} (").as_bytes(), &name, b") = ", value.as_bytes(), end].concat()
            };
            tags.into_iter().flat_map(line).collect()
        })
    };
    let ended = hash(directory.path(), ["-a", "md5,sha512", "-a", "sha3-256", "-a", "b2", "tree"]).run();
    assert_eq_bytes(ended.done(), &expected(b"\n", true));
    let ended = hash(directory.path(), ["-0", "-a", "md5,sha512,sha3-256,b2", "tree"]).run();
    assert_eq_bytes(ended.done(), &expected(b"\0", false));
    // By default, one algorithm is printed in the form of coreutils.
    let ended = hash(directory.path(), ["-f", "bsd", "-a", "sha1", "tree/a.txt"]).run();
    let a_txt = files.iter().find(|file| file.path == b"tree/a.txt").unwrap();
    ended.printed(format!("SHA1 (tree/a.txt) = {}\n", digest("sha1", &a_txt.contents)).as_bytes());
}

#[test]
fn hashdeep() {
    let (directory, files) = odd();
    let ended = hash(directory.path(), ["-f", "hashdeep", "-a", "tiger,sha256,md5", "tree"]).run();
    let kept = assert_left_out(&ended, &files, has_no_line_end);
    let header = format!(
        "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,tiger,filename\n## Invoked from: {}\n## {} {} hash -f hashdeep -a tiger,sha256,md5 tree\n## \n",
        fs::canonicalize(directory.path()).unwrap().display(),
        if is_root() { '#' } else { '$' },
        env!("CARGO_BIN_EXE_pfh"),
    );
    let body = lines(&kept, |file| {
        let [md5, sha256, tiger] = ["md5", "sha256", "tiger"].map(|name| digest(name, &file.contents));
        let columns = format!("{},{md5},{sha256},{tiger},", file.contents.len());
        [columns.as_bytes(), &file.path, b"\n"].concat()
    });
    ended.printed(&[header.as_bytes(), &body].concat());
}

#[test]
fn md5deep_forms() {
    let (directory, files) = odd();
    for form in ["", "-k", "-z", "-kz", "-c", "-kc", "-zc", "-kzc"] {
        let ended = hash(directory.path(), ["-a", "md5", "-f", &format!("md5deep{form}"), "tree"]).run();
        let kept = assert_left_out(&ended, &files, has_no_line_end);
        ended.printed(&lines(&kept, |file| {
            let size = match (form.contains('z'), form.contains('c')) {
                (false, _) => String::new(),
                (true, false) => format!("{:10}  ", file.contents.len()),
                (true, true) => format!("{:10}, ", file.contents.len()),
            };
            let between = match (form.contains('c'), form.contains('k')) {
                (true, _) => ",",
                (false, true) => " *",
                (false, false) => "  ",
            };
            let columns = format!("{size}{}{between}", digest("md5", &file.contents));
            [columns.as_bytes(), &file.path, b"\n"].concat()
        }));
    }
}

#[test]
fn sfv() {
    let (directory, files) = odd();
    let ended = hash(directory.path(), ["-f", "sfv", "-a", "crc32", "tree"]).run();
    let kept = assert_left_out(&ended, &files, |file| !file.path.iter().any(|byte| b"\r\n".contains(byte)));
    let comment = ended.stdout.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let start = format!("; Generated by pfh {} on 20", env!("CARGO_PKG_VERSION"));
    assert!(ended.stdout.starts_with(start.as_bytes()));
    assert_eq_bytes(
        &ended.stdout[comment..],
        &lines(&kept, |file| {
            let value = digest("crc32", &file.contents).to_string().to_uppercase();
            [&file.path, &b" "[..], value.as_bytes(), b"\n"].concat()
        }),
    );
}

/// Formats that can express every name return every name when read, with its facts.
#[test]
fn formats_for_programs_lose_no_name() {
    let (directory, files) = odd();
    let asked = algorithms(&["md5", "sha3-512", "crc32c"]);
    for format in [FormatName::Csv, FormatName::Jsonl, FormatName::Dfxml] {
        let ended = hash(directory.path(), ["-f", format.name(), "-a", "md5,sha3-512,crc32c", "tree"]).run();
        let list = ended.done();
        let listed: Vec<Entry> =
            Reader::new(format, list, ReadOptions::default()).map(|entry| entry.unwrap()).collect();
        let (failed, complete): (Vec<Entry>, Vec<Entry>) =
            listed.into_iter().partition(|entry| entry.digests.is_empty());
        let not_regular: Vec<&[u8]> = failed.iter().map(|entry| &entry.path[..]).collect();
        assert_eq!(not_regular, [&b"tree/fifo"[..], b"tree/socket"], "{format:?}");
        assert_eq!(complete.len(), files.len(), "{format:?}");
        for (entry, file) in complete.iter().zip(&files) {
            assert_eq_bytes(&entry.path, &file.path);
            assert_eq!(entry.expected.size, Some(file.contents.len() as u64));
            let expected: Vec<_> = asked.iter().map(|algorithm| algorithm.digest(&file.contents)).collect();
            assert_eq!(entry.digests, expected, "{format:?} {}", file.path.escape_ascii());
        }
    }
}

/// `d/a,"b` has five bytes and a known time; there is `d/fifo`, and `gone` is missing.
fn three_outcomes() -> TempDir {
    let directory = scratch();
    let d = directory.path().join("d");
    fs::create_dir(&d).unwrap();
    fs::write(d.join("a,\"b"), "hello").unwrap();
    let billion = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    File::options().append(true).open(d.join("a,\"b")).unwrap().set_modified(billion).unwrap();
    fifo(&d.join("fifo"));
    directory
}

const GONE: &str = "pfh: `gone`: No such file or directory (os error 2)\n";

#[test]
fn csv() {
    let directory = three_outcomes();
    let ended = hash(directory.path(), ["-f", "csv", "-a", "md5,crc32", "d", "gone"]).run();
    ended.expect(3, GONE);
    ended.printed(
        b"path,size,mtime,outcome,error,md5,crc32\r\n\
        \"d/a,\"\"b\",5,2001-09-09T01:46:40.123456789Z,complete,,5d41402abc4b2a76b9719d911017c592,3610a686\r\n\
        d/fifo,,,skipped,not-regular,,\r\n\
        gone,,,unreadable,not-found: No such file or directory (os error 2) (from byte 0),,\r\n",
    );
}

#[test]
fn json_lines() {
    let directory = three_outcomes();
    let ended = hash(directory.path(), ["-f", "jsonl", "-a", "md5", "d", "gone"]).run();
    let printed = unchecked(str::from_utf8(ended.expect(3, GONE)).unwrap());
    let (header, rest) = printed.split_once('\n').unwrap();
    let header: serde_json::Value = serde_json::from_str(header).unwrap();
    assert_eq!(header["type"], "header");
    assert_eq!(header["version"], 1);
    assert_eq!(header["algorithms"], serde_json::json!(["md5"]));
    assert_eq!(header["arguments"].as_array().unwrap()[1..], ["hash", "-f", "jsonl", "-a", "md5", "d", "gone"]);
    let (files, summary) = rest.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(
        files,
        concat!(
            r#"{"type":"file","path":"d/a,\"b","size":5,"mtime":"2001-09-09T01:46:40.123456789Z","#,
            r#""digests":{"md5":"5d41402abc4b2a76b9719d911017c592"},"outcome":"complete"}"#,
            "\n",
            r#"{"type":"file","path":"d/fifo","outcome":"skipped","reason":"not-regular"}"#,
            "\n",
            r#"{"type":"file","path":"gone","outcome":"unreadable","error":{"kind":"not-found","#,
            r#""message":"No such file or directory (os error 2)","offset":0,"errno":2}}"#,
        )
    );
    let (counts, elapsed) = summary.split_once(r#","elapsed_seconds":"#).unwrap();
    assert_eq!(
        counts,
        concat!(
            r#"{"type":"summary","files":3,"complete":1,"changed_while_reading":0,"short":0,"#,
            r#""unreadable":1,"skipped":1,"bytes":5"#
        )
    );
    assert!(elapsed.ends_with(r#","interrupted":false}"#), "{elapsed}");
}

#[test]
fn dfxml() {
    let directory = three_outcomes();
    let ended = hash(directory.path(), ["-f", "dfxml", "-a", "md5,crc32", "d", "gone"]).run();
    let printed = str::from_utf8(ended.expect(3, GONE)).unwrap();
    let objects = &printed[printed.find("  <fileobject>").unwrap()..printed.find("  <pfh:summary").unwrap()];
    let metadata = fs::metadata(directory.path().join("d/a,\"b")).unwrap();
    let (before, rest) = objects.split_once("<ctime>").unwrap();
    let (_, after) = rest.split_once("</ctime>").unwrap();
    let expected = format!(
        "  <fileobject>
    <filename>d/a,&quot;b</filename>
    <filesize>5</filesize>
    <inode>{}</inode>
    <mode>{}</mode>
    <nlink>1</nlink>
    <uid>{}</uid>
    <gid>{}</gid>
    <mtime>2001-09-09T01:46:40.123456789Z</mtime>
    
    <hashdigest type='MD5'>5d41402abc4b2a76b9719d911017c592</hashdigest>
    <hashdigest type='OTHER' pfh:algorithm='crc32'>3610a686</hashdigest>
  </fileobject>
",
        metadata.ino(),
        metadata.mode(),
        metadata.uid(),
        metadata.gid()
    );
    let whole = format!("{before}{after}");
    assert_eq!(whole[..expected.len().min(whole.len())], expected);
    let rest = &whole[expected.len()..];
    assert!(rest.contains("<filename>d/fifo</filename>") && rest.contains("<filename>gone</filename>"), "{rest}");
    let (directory, list) = (scratch(), printed);
    fs::write(directory.path().join("list.xml"), list).unwrap();
    if let Some(output) = peer("xmllint", directory.path(), ["--noout", "list.xml"]) {
        assert!(output.status.success(), "{output:?}");
    }
}

fn one_file() -> TempDir {
    let directory = scratch();
    fs::write(directory.path().join("f"), "hello").unwrap();
    directory
}

#[test]
fn defaults() {
    let directory = one_file();
    let run = |arguments: &[&str]| String::from_utf8(hash(directory.path(), arguments).run().done().to_vec()).unwrap();
    let sha256 = digest("sha256", b"hello");
    let md5 = digest("md5", b"hello");
    assert_eq!(run(&["f"]), format!("{sha256}  f\n"));
    assert_eq!(run(&["-a", "md5", "f"]), format!("{md5}  f\n"));
    assert_eq!(run(&["-a", "md5,sha256", "f"]), format!("MD5 (f) = {md5}\nSHA256 (f) = {sha256}\n"));
    assert_eq!(run(&["-a", "none", "f"]), "");
    // A list with sizes and times of the files read, without digests.
    assert!(run(&["-a", "none", "-f", "csv", "f"]).ends_with(",complete,\r\n"));
    let list = run(&["-a", "none", "-f", "jsonl", "f"]);
    assert!(list.contains(r#""size":5,"#) && list.contains(r#""digests":{},"outcome":"complete""#), "{list}");
    assert!(run(&["-a", "none", "-f", "dfxml", "f"]).contains("<filesize>5</filesize>"));
    hash(directory.path(), ["-a", "none", "-o", "list", "--resume", "f"]).run().done();
    let ended = hash(directory.path(), ["-a", "none", "-o", "list", "--resume", "--stats", "f"]).run();
    fs::remove_file(directory.path().join("list")).unwrap();
    assert!(ended.stderr.contains("1 complete") && ended.stderr.contains("\nbytes                           0\n"));
    let said = "pfh: format `gnu` lists digests, and no algorithm was asked for; use format `csv`, `jsonl` or `dfxml`, which \
        list sizes too\n";
    hash(directory.path(), ["-a", "none", "-f", "gnu", "f"]).run().expect(2, said);
    // A file named twice is listed twice; a name from the arguments is not changed.
    assert_eq!(run(&["f", "./f", "f"]), format!("{sha256}  f\n{sha256}  ./f\n{sha256}  f\n"));
    assert_eq!(run(&["."]), format!("{sha256}  ./f\n"));
    // Every spelling of an algorithm is one algorithm, printed once.
    for name in ["sha256", "SHA-256", "sha2-256", "Sha_256", "sha256,SHA-256", "sha256, sha2-256"] {
        assert_eq!(run(&["-a", name, "f"]), format!("{sha256}  f\n"), "{name}");
    }
}

#[test]
fn standard_input_is_a_dash() {
    let directory = scratch();
    let run = |arguments: &[&str]| {
        let ended = hash(directory.path(), arguments).input("hello").run();
        String::from_utf8(ended.done().to_vec()).unwrap()
    };
    let md5 = digest("md5", b"hello");
    assert_eq!(run(&["-a", "md5", "-"]), format!("{md5}  -\n"));
    assert!(run(&["-a", "md5", "-f", "hashdeep", "-"]).ends_with(&format!("\n5,{md5},stdin\n")));
    assert_eq!(run(&["-a", "md5", "-f", "md5deep-z", "-"]), format!("         5  {md5}\n"));
    assert!(run(&["-a", "md5", "-f", "csv", "-"]).ends_with(&format!("\r\n-,5,,complete,,{md5}\r\n")));
}

#[test]
fn piecewise() {
    let directory = one_file();
    fs::write(directory.path().join("empty"), "").unwrap();
    let run = |arguments: &[&str]| {
        let ended = hash(directory.path(), [&["--piecewise", "2", "-a", "md5"], arguments].concat()).run();
        String::from_utf8(ended.done().to_vec()).unwrap()
    };
    let [whole, first, second, third, nothing] =
        [&b"hello"[..], b"he", b"ll", b"o", b""].map(|message| digest("md5", message));
    assert_eq!(
        run(&["f", "empty"]),
        format!(
            "{whole}  f\n{first}  f offset 0-1\n{second}  f offset 2-3\n{third}  f offset 4-4\n\
            {nothing}  empty\n{nothing}  empty offset 0-0\n"
        )
    );
    assert_eq!(
        run(&["-f", "md5deep", "f"]),
        format!("{first}  f offset 0-1\n{second}  f offset 2-3\n{third}  f offset 4-4\n")
    );
    assert!(
        run(&["-f", "jsonl", "f"])
            .contains(&format!(r#""pieces":[{{"offset":0,"length":2,"digests":{{"md5":"{first}"}}}},{{"offset":2,"#))
    );
}

/// Each misuse ends with status 2 and a message, prints nothing on standard output and leaves no file.
#[test]
fn misuse() {
    let directory = one_file();
    let misuses: &[(&[&str], &str)] = &[
        (
            &["-a", "sha255", "f"],
            "pfh: unknown algorithm or similarity family `sha255`; close to `sha256`; `pfh algorithms` lists them all\n",
        ),
        (&["-a", "md5,none", "f"], "pfh: `none` cannot be combined with algorithms\n"),
        (&["-a", "", "f"], "pfh: no algorithm is named; `pfh algorithms` lists them\n"),
        (&["-a", "none", "-f", "bsd", "f"], "pfh: format `bsd` lists digests, and no algorithm was asked for"),
        (&["-f", "gnu", "-a", "md5,sha1", "f"], "one"),
        (&["-f", "sfv", "f"], "crc32"),
        (&["-f", "hashdeep", "-a", "sha512", "f"], "sha512"),
        (&["-f", "csv", "-0", "f"], "csv"),
        (&["-f", "sfv", "-a", "crc32", "--piecewise", "1M", "f"], "sfv"),
        (&["-f", "xml", "f"], "there is no format `xml`; the formats are `gnu`"),
        (&["-f", "md5deep-q", "-a", "md5", "f"], "there is no format `md5deep-q`"),
        (&["--resume", "f"], "--output <FILE>"),
        (&["--resume", "-o", "l", "-f", "csv", "f"], "pfh: --resume continues JSON Lines: use it with `-f jsonl`\n"),
        (&["--include", "[", "f"], "["),
        (&["-m", "1", "f"], "pfh: "),
        (&["-m", "12X", "f"], "`12X` is not a size"),
        (&["-t", "0", "f"], "0"),
        (&["--piecewise", "0", "f"], "a piece has at least one byte"),
        (
            &["-o", "no/such/directory/l", "f"],
            "pfh: `no/such/directory/l` cannot be written: No such file or directory",
        ),
        (&["-o", "f", "f"], "pfh: `f` is to be read and is also the output: name another file\n"),
        (&["--files-from", "gone"], "pfh: `gone`: No such file or directory (os error 2)\n"),
        (&["--files-from", "f", "--files-from0", "f"], "cannot be used with"),
        (&["--mode", "fast", "f"], "pfh: `fast` is not a value of --mode (possible values: adaptive, mtp, smt)"),
        (&["--such-option", "f"], "pfh: `--such-option` is not an option of `pfh hash`"),
        (&[], "pfh: `pfh hash` needs PATH, --files-from, --files-from0 or --plan; see `pfh hash --help`\n"),
    ];
    for (arguments, text) in misuses {
        let ended = hash(directory.path(), *arguments).run();
        assert_eq!(ended.code(), 2, "{arguments:?}: {}", ended.stderr);
        if text.ends_with('\n') {
            assert_eq!(ended.stderr, *text, "{arguments:?}");
        } else {
            assert!(ended.stderr.contains(text), "{arguments:?}: {}", ended.stderr);
        }
        assert_eq_bytes(&ended.stdout, b"");
    }
    assert_eq!(names(directory.path()), [Path::new("f")]);
    assert_eq!(fs::read(directory.path().join("f")).unwrap(), b"hello");
    assert_eq!(pfh(directory.path(), [""; 0]).run().code(), 2);
    assert_eq!(pfh(directory.path(), ["haash"]).run().code(), 2);
}
