//! The written lists, byte for byte. The forms of other programs were observed with coreutils 9.1, hashdeep and md5deep
//! 4.4, cksfv 1.3.15 and RHash 1.4.3.

use pfh_digest::Algorithm;
use pfh_facts::Counting;
use pfh_record::{Conversion, Feature, FormatName, ReadOptions, Record, RunFacts, WriteOptions};

use crate::samples::*;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// The odd names as GNU coreutils writes them; `None` if unchanged, after two spaces.
fn gnu_escaped(name: &[u8]) -> Option<&'static [u8]> {
    Some(match name {
        b"back\\slash" => b"back\\\\slash",
        b"line\nfeed" => b"line\\nfeed",
        b"\nfirst" => b"\\nfirst",
        b"carriage\rreturn" => b"carriage\\rreturn",
        b"final return\r" => b"final return\\r",
        b"\r" => b"\\r",
        b"\\" => b"\\\\",
        b"\\n" => b"\\\\n",
        _ => return None,
    })
}

#[test]
fn gnu_and_bsd_escape_as_coreutils() {
    let md5 = algorithms(&["md5"]);
    for name in odd_names() {
        let record = hello(&name, &md5);
        let (mark, written) = gnu_escaped(&name).map_or((&b""[..], &name[..]), |written| (b"\\", written));
        let gnu = [mark, MD5.as_bytes(), b"  ", written, b"\n"].concat();
        let bsd = [mark, b"MD5 (", written, b") = ", MD5.as_bytes(), b"\n"].concat();
        assert_eq!(lines("gnu", &md5, false, &record), Ok(gnu));
        assert_eq!(lines("bsd", &md5, false, &record), Ok(bsd));
        let gnu = [MD5.as_bytes(), b"  ", &name, b"\0"].concat();
        let bsd = [b"MD5 (", &name[..], b") = ", MD5.as_bytes(), b"\0"].concat();
        assert_eq!(lines("gnu", &md5, true, &record), Ok(gnu));
        assert_eq!(lines("bsd", &md5, true, &record), Ok(bsd));
    }
}

#[test]
fn tags_are_spelled_as_the_programs_that_own_them() {
    for (name, tag) in [
        ("md5", "MD5"),
        ("sha1", "SHA1"),
        ("sha512", "SHA512"),
        ("sha512-224", "SHA512/224"),
        ("sha512-256", "SHA512/256"),
        ("sha3-256", "SHA3-256"),
        ("blake2b", "BLAKE2b"),
        ("blake3", "BLAKE3"),
        ("sm3", "SM3"),
        ("ripemd160", "RMD160"),
        ("xxh32", "XXH32"),
        ("xxh64", "XXH64"),
        ("xxh3-64", "XXH3"),
        ("xxh3-128", "XXH128"),
        ("crc32c", "CRC32C"),
    ] {
        let algorithms = algorithms(&[name]);
        let line = text(lines("bsd", &algorithms, false, &hello(b"x", &algorithms)).unwrap());
        assert_eq!(line, format!("{tag} (x) = {}\n", algorithms[0].digest(b"hello")));
    }
}

#[test]
fn hashdeep_document() {
    // The order of the run differs from that of the columns.
    let algorithms = algorithms(&["whirlpool", "sha256", "md5"]);
    let mut records = vec![hello(b"evidence/hello, x.txt", &algorithms), stdin(&algorithms)];
    records.extend(failures());
    let document = text(document(FormatName::Hashdeep, &algorithms, &WriteOptions::default(), &records));
    let whirlpool = algorithms[0].digest(b"hello");
    assert_eq!(
        document,
        format!(
            "%%%% HASHDEEP-1.0\n\
             %%%% size,md5,sha256,whirlpool,filename\n\
             ## Invoked from: /cases/demo\n\
             ## $ pfh hash a b\n\
             ## \n\
             5,{MD5},{SHA256},{whirlpool},evidence/hello, x.txt\n\
             5,{MD5},{SHA256},{whirlpool},stdin\n"
        )
    );
}

#[test]
fn hashdeep_header_stays_a_comment_and_shows_root() {
    let algorithms = algorithms(&["md5"]);
    let writer = FormatName::Hashdeep.writer(&algorithms[..].into(), &WriteOptions::default()).unwrap();
    let run = RunFacts {
        directory: b"/a\n5,b".to_vec(),
        command_line: vec![b"pfh".to_vec(), b"x\r\ny".to_vec()],
        uid: Some(0),
        ..run_facts(&algorithms)
    };
    let mut out = Vec::new();
    writer.header(&run, &mut out);
    let expected = "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n## Invoked from: /a\\n5,b\n## # pfh x\\r\\ny\n## \n";
    assert_eq!(text(out), expected);
}

#[test]
fn md5deep_forms() {
    let md5 = algorithms(&["md5"]);
    let record = hello(b"hello.txt", &md5);
    for (name, expected) in [
        ("md5deep", format!("{MD5}  hello.txt\n")),
        ("md5deep-k", format!("{MD5} *hello.txt\n")),
        ("md5deep-z", format!("         5  {MD5}  hello.txt\n")),
        ("md5deep-kz", format!("         5  {MD5} *hello.txt\n")),
        ("md5deep-c", format!("{MD5},hello.txt\n")),
        ("md5deep-kc", format!("{MD5},hello.txt\n")),
        ("md5deep-zc", format!("         5, {MD5},hello.txt\n")),
        ("md5deep-t", format!("{MD5} 2026:11:20:14:08:22  hello.txt\n")),
        ("md5deep-kt", format!("{MD5} 2026:11:20:14:08:22 *hello.txt\n")),
        ("md5deep-zt", format!("         5  {MD5} 2026:11:20:14:08:22  hello.txt\n")),
        ("md5deep-ct", format!("{MD5},2026:11:20:14:08:22,hello.txt\n")),
        ("md5deep-zct", format!("         5, {MD5},2026:11:20:14:08:22,hello.txt\n")),
    ] {
        assert_eq!(text(lines(name, &md5, false, &record).unwrap()), expected, "{name}");
        assert_eq!(text(lines(name, &md5, true, &record).unwrap()), expected.replace('\n', "\0"), "{name}");
    }
    // Standard input has no name and no time.
    for name in ["md5deep", "md5deep-k", "md5deep-c", "md5deep-t"] {
        assert_eq!(text(lines(name, &md5, false, &stdin(&md5)).unwrap()), format!("{MD5}\n"));
    }
    assert_eq!(text(lines("md5deep-zt", &md5, false, &stdin(&md5)).unwrap()), format!("         5  {MD5}\n"));
    let mut large = record;
    large.bytes_read = 10_000_000_000;
    let line = text(lines("md5deep-z", &md5, false, &large).unwrap());
    assert_eq!(line, format!("9999999999  {MD5}  hello.txt\n"));
}

#[test]
fn pieces() {
    let md5 = algorithms(&["md5"]);
    let (hello, empty) = (in_pieces(b"h", b"hello", 2, &md5), in_pieces(b"e", b"", 2, &md5));
    // `printf he | md5sum` and so on.
    let (he, ll, o) =
        ("6f96cfdfe5ccc627cadf24b41725caa4", "5b54c0a045f179bcbbbc9abcb8b5cd4c", "d95679752134a2d9eb61dbd7b91c4bcc");
    let nothing = "d41d8cd98f00b204e9800998ecf8427e";
    for (name, expected, expected_empty) in [
        (
            "gnu",
            format!("{MD5}  h\n{he}  h offset 0-1\n{ll}  h offset 2-3\n{o}  h offset 4-4\n"),
            format!("{nothing}  e\n{nothing}  e offset 0-0\n"),
        ),
        (
            "bsd",
            format!(
                "MD5 (h) = {MD5}\nMD5 (h offset 0-1) = {he}\nMD5 (h offset 2-3) = {ll}\nMD5 (h offset 4-4) = {o}\n"
            ),
            format!("MD5 (e) = {nothing}\nMD5 (e offset 0-0) = {nothing}\n"),
        ),
        (
            "md5deep",
            format!("{he}  h offset 0-1\n{ll}  h offset 2-3\n{o}  h offset 4-4\n"),
            format!("{nothing}  e offset 0-0\n"),
        ),
        (
            "md5deep-c",
            format!("{he},h offset 0-1\n{ll},h offset 2-3\n{o},h offset 4-4\n"),
            format!("{nothing},e offset 0-0\n"),
        ),
        (
            "hashdeep",
            format!("2,{he},h offset 0-1\n2,{ll},h offset 2-3\n1,{o},h offset 4-4\n"),
            format!("0,{nothing},e offset 0-0\n"),
        ),
        (
            "csv",
            format!(
                "h,5,2026-11-20T14:08:22.123456789Z,complete,,,,{MD5}\r\n\
                 h,5,2026-11-20T14:08:22.123456789Z,complete,,0,2,{he}\r\n\
                 h,5,2026-11-20T14:08:22.123456789Z,complete,,2,2,{ll}\r\n\
                 h,5,2026-11-20T14:08:22.123456789Z,complete,,4,1,{o}\r\n"
            ),
            format!(
                "e,0,2026-11-20T14:08:22.123456789Z,complete,,,,{nothing}\r\n\
                 e,0,2026-11-20T14:08:22.123456789Z,complete,,0,0,{nothing}\r\n"
            ),
        ),
    ] {
        assert_eq!(text(lines(name, &md5, false, &hello).unwrap()), expected, "{name}");
        assert_eq!(text(lines(name, &md5, false, &empty).unwrap()), expected_empty, "{name}");
    }
    let mut stdin = stdin(&md5);
    stdin.pieces = hello.pieces[..1].to_vec();
    assert_eq!(text(lines("md5deep", &md5, false, &stdin).unwrap()), format!("{he}  stdin offset 0-1\n"));
    assert_eq!(text(lines("hashdeep", &md5, false, &stdin).unwrap()), format!("2,{he},stdin offset 0-1\n"));
}

#[test]
fn sfv_document() {
    let crc32 = algorithms(&["crc32"]);
    let mut records = vec![hello(b"a b.bin ", &crc32)];
    records.extend(failures());
    let document = text(document(FormatName::Sfv, &crc32, &WriteOptions::default(), &records));
    assert_eq!(document, "; Generated by pfh 0.1.0 on 2026-11-20T14:08:22.000000000Z\na b.bin  3610A686\n");
}

#[test]
fn csv_document() {
    let algorithms = algorithms(&["md5", "sha1"]);
    let mut records = vec![hello(b"x", &algorithms), hello(b"a,\"b\"\r\nc", &algorithms), stdin(&algorithms)];
    records.extend(failures());
    let document = text(document(FormatName::Csv, &algorithms, &WriteOptions::default(), &records));
    let time = "2026-11-20T14:08:22.123456789Z";
    assert_eq!(
        document,
        format!(
            "path,size,mtime,outcome,error,md5,sha1\r\n\
             x,5,{time},complete,,{MD5},{SHA1}\r\n\
             \"a,\"\"b\"\"\r\nc\",5,{time},complete,,{MD5},{SHA1}\r\n\
             -,5,,complete,,{MD5},{SHA1}\r\n\
             denied,,,unreadable,permission-denied: cannot open: Permission denied (from byte 0),,\r\n\
             broken,5,{time},unreadable,\"io: cannot read: Input/output error, \"\"bad\"\" sector (from byte 4)\",,\r\n\
             short,5,{time},short,ended after 3 of 5 bytes,,\r\n\
             changing,5,{time},changed-while-reading,,,\r\n\
             pipe,,,skipped,not-regular,,\r\n"
        )
    );
}

#[test]
fn jsonl_document() {
    let algorithms = algorithms(&["md5", "sha3-256"]);
    let mut records = vec![
        hello(b"a/b", &algorithms),
        hello(b"q\"\\\n\x01\xFF", &algorithms),
        stdin(&algorithms),
        in_pieces(b"p", b"hello", 3, &self::algorithms(&["md5"])),
    ];
    records.extend(failures());
    let document = text(document(FormatName::Jsonl, &algorithms, &WriteOptions::default(), &records));
    // SHA3-256 of `hello`: `openssl dgst -sha3-256`.
    let digests = format!(
        "\"digests\":{{\"md5\":\"{MD5}\",\
         \"sha3-256\":\"3338be694f50c5f338814986cdf0686453a888b84f424d792af4b9202398f392\"}}"
    );
    let stated = "\"size\":5,\"mtime\":\"2026-11-20T14:08:22.123456789Z\"";
    let (hel, lo) = (algorithms[0].digest(b"hel"), algorithms[0].digest(b"lo"));
    let expected = [
        r#"{"type":"header","version":1,"program":"pfh","program_version":"0.1.0","algorithms":["md5","sha3-256"],"arguments":["pfh","hash","a b"],"directory":"/cases/demo","started":"2026-11-20T14:08:22.000000000Z","host":{"name":"bench","system":"Linux","release":"6.1","version":"12 SMP","architecture":"x86_64"},"uid":1000}"#.to_owned(),
        format!(r#"{{"type":"file","path":"a/b",{stated},{digests},"outcome":"complete"}}"#),
        format!(
            r#"{{"type":"file","path":"q\"\\\n\u0001{}","path_base64":"cSJcCgH/",{stated},{digests},"outcome":"complete"}}"#,
            '\u{FFFD}'
        ),
        format!(r#"{{"type":"file","path":"-","size":5,{digests},"outcome":"complete"}}"#),
        format!(
            r#"{{"type":"file","path":"p",{stated},"digests":{{"md5":"{MD5}"}},"pieces":[{{"offset":0,"length":3,"digests":{{"md5":"{hel}"}}}},{{"offset":3,"length":2,"digests":{{"md5":"{lo}"}}}}],"outcome":"complete"}}"#
        ),
        r#"{"type":"file","path":"denied","outcome":"unreadable","error":{"kind":"permission-denied","message":"cannot open: Permission denied","offset":0,"errno":13}}"#.to_owned(),
        format!(
            r#"{{"type":"file","path":"broken",{stated},"outcome":"unreadable","error":{{"kind":"io","message":"cannot read: Input/output error, \"bad\" sector","offset":4,"errno":5}}}}"#
        ),
        format!(r#"{{"type":"file","path":"short",{stated},"outcome":"short","bytes_read":3}}"#),
        format!(r#"{{"type":"file","path":"changing",{stated},"outcome":"changed-while-reading"}}"#),
        r#"{"type":"file","path":"pipe","outcome":"skipped","reason":"not-regular"}"#.to_owned(),
        r#"{"type":"summary","files":9,"complete":4,"changed_while_reading":1,"short":1,"unreadable":2,"skipped":1,"bytes":32,"elapsed_seconds":1.500000,"interrupted":false}"#.to_owned(),
    ];
    for (line, expected) in document.lines().zip(&expected) {
        assert_eq!(line, checked(expected));
    }
    assert_eq!(document.lines().count(), expected.len());
    assert!(document.ends_with('\n'));
    // CRC-32C of `123456789`, as in catalogues of CRCs.
    assert_eq!(checked("123456789}"), "123456789,\"check\":\"e3069283\"}");
}

#[test]
fn jsonl_header_keeps_raw_bytes() {
    let run = RunFacts {
        command_line: vec![b"pfh".to_vec(), b"\xFF".to_vec()],
        directory: b"/\xFE".to_vec(),
        piece_bytes: Some(4096),
        uid: None,
        ..run_facts(&algorithms(&["md5"]))
    };
    let writer = FormatName::Jsonl.writer(&run.selection, &WriteOptions::default()).unwrap();
    let mut out = Vec::new();
    writer.header(&run, &mut out);
    let header = text(out);
    let expected = "\"algorithms\":[\"md5\"],\"piece_bytes\":4096,\"arguments\":[\"pfh\",\"\u{FFFD}\"],\
                    \"arguments_base64\":[\"cGZo\",\"/w==\"],\"directory\":\"/\u{FFFD}\",\"directory_base64\":\"L/4=\",";
    assert!(header.contains(expected), "{header}");
    assert!(!header.contains("uid"));
}

#[test]
fn dfxml_document() {
    let algorithms = algorithms(&["md5", "blake3"]);
    let mut records = vec![hello(b"a&b", &algorithms), hello(b"\xFF\n", &self::algorithms(&["sha1"]))];
    records.push(in_pieces(b"p", b"hello", 3, &self::algorithms(&["md5"])));
    records.extend(failures());
    let document = text(document(FormatName::Dfxml, &algorithms, &WriteOptions::default(), &records));
    let (hel, lo) = (algorithms[0].digest(b"hel"), algorithms[0].digest(b"lo"));
    let blake3 = algorithms[1].digest(b"hello");
    let metadata = "    <inode>12</inode>
    <mode>33188</mode>
    <nlink>1</nlink>
    <uid>1000</uid>
    <gid>100</gid>
    <mtime>2026-11-20T14:08:22.123456789Z</mtime>
    <ctime>2026-11-20T14:08:22.000000000Z</ctime>
";
    let expected = format!(
        "<?xml version='1.0' encoding='UTF-8'?>
<dfxml xmlns='http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML'
       xmlns:dc='http://purl.org/dc/elements/1.1/'
       xmlns:pfh='urn:x-pfh:dfxml:1'
       version='1.1.1'>
  <metadata>
    <dc:type>Hash List</dc:type>
  </metadata>
  <creator>
    <program>pfh</program>
    <version>0.1.0</version>
    <execution_environment pfh:directory='/cases/demo'>
      <os_sysname>Linux</os_sysname>
      <os_release>6.1</os_release>
      <os_version>12 SMP</os_version>
      <host>bench</host>
      <arch>x86_64</arch>
      <command_line>pfh hash a b</command_line>
      <uid>1000</uid>
      <start_time>2026-11-20T14:08:22.000000000Z</start_time>
    </execution_environment>
  </creator>
  <fileobject>
    <filename>a&amp;b</filename>
    <filesize>5</filesize>
{metadata}    <hashdigest type='MD5'>{MD5}</hashdigest>
    <hashdigest type='OTHER' pfh:algorithm='blake3'>{blake3}</hashdigest>
  </fileobject>
  <fileobject>
    <filename pfh:base64='/wo='>\u{FFFD}&#10;</filename>
    <filesize>5</filesize>
{metadata}    <hashdigest type='SHA1'>{SHA1}</hashdigest>
  </fileobject>
  <fileobject>
    <filename>p</filename>
    <filesize>5</filesize>
{metadata}    <byte_runs>
      <byte_run file_offset='0' len='3'>
        <hashdigest type='MD5'>{hel}</hashdigest>
      </byte_run>
      <byte_run file_offset='3' len='2'>
        <hashdigest type='MD5'>{lo}</hashdigest>
      </byte_run>
    </byte_runs>
    <hashdigest type='MD5'>{MD5}</hashdigest>
  </fileobject>
  <fileobject>
    <filename>denied</filename>
    <error>cannot open: Permission denied</error>
    <pfh:outcome kind='permission-denied' offset='0' errno='13'>unreadable</pfh:outcome>
  </fileobject>
  <fileobject>
    <filename>broken</filename>
    <error>cannot read: Input/output error, &quot;bad&quot; sector</error>
    <filesize>5</filesize>
{metadata}    <pfh:outcome kind='io' offset='4' errno='5'>unreadable</pfh:outcome>
  </fileobject>
  <fileobject>
    <filename>short</filename>
    <error>ended after 3 of 5 bytes</error>
    <filesize>5</filesize>
{metadata}    <pfh:outcome expected='5' read='3'>short</pfh:outcome>
  </fileobject>
  <fileobject>
    <filename>changing</filename>
    <error>changed while it was read</error>
    <filesize>5</filesize>
{metadata}    <pfh:outcome>changed-while-reading</pfh:outcome>
  </fileobject>
  <fileobject>
    <filename>pipe</filename>
    <error>skipped: not-regular</error>
    <pfh:outcome reason='not-regular'>skipped</pfh:outcome>
  </fileobject>
  <pfh:summary files='8' complete='3' changed_while_reading='1' short='1' unreadable='2' skipped='1' \
         bytes='27' elapsed_seconds='1.500000' interrupted='false'/>
</dfxml>
"
    );
    for (line, expected) in document.lines().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(document, expected);
}

#[test]
fn detected_collisions_are_shown() {
    let message = colliding();
    let algorithms = algorithms(&["md5", "sha1dc"]);
    let line = |format, message| text(lines(format, &algorithms, false, &whole(b"x", message, &algorithms)).unwrap());
    let (json, xml, csv) = (line("jsonl", &message), line("dfxml", &message), line("csv", &message));
    assert!(csv.ends_with(&format!(",{},sha1dc\r\n", algorithms[1].digest(&message))), "{csv}");
    assert!(line("csv", b"hello").ends_with(&format!(",{SHA1},\r\n")));
    assert!(json.contains("\"},\"collisions\":[\"sha1dc\"],\"outcome\":\"complete\","), "{json}");
    assert!(xml.contains("<hashdigest type='OTHER' pfh:algorithm='sha1dc' pfh:collision='true'>"), "{xml}");
    let (json, xml) = (line("jsonl", b"hello"), line("dfxml", b"hello"));
    assert!(json.contains(SHA1) && !json.contains("collision"), "{json}");
    assert!(xml.contains(SHA1) && !xml.contains("collision"), "{xml}");
    // The marks of a piece are in its line. The other columns keep their places.
    let record = in_pieces(b"x", &[&message[..], &[0; 320]].concat(), 320, &algorithms);
    assert!(record.pieces[0].collision_detected() && !record.pieces[1].collision_detected());
    let options = WriteOptions { null_terminated: false, piecewise: true, ..WriteOptions::default() };
    let document =
        |name, record: &Record| text(document(format(name), &algorithms, &options, std::slice::from_ref(record)));
    let csv = document("csv", &record);
    let last = |line: &str| line.rsplit_once(',').unwrap().1.to_owned();
    assert_eq!(csv.lines().map(last).collect::<Vec<_>>(), ["collisions", "sha1dc", "sha1dc", ""]);
    assert!(csv.starts_with("path,size,mtime,outcome,error,piece_offset,piece_length,md5,sha1dc,collisions\r\n"));
    assert!(read(format("csv"), csv.as_bytes(), ReadOptions::default()).iter().all(Result::is_ok));
    let json = document("jsonl", &record);
    assert_eq!(json.matches("},\"collisions\":[\"sha1dc\"]").count(), 2, "{json}");
}

#[test]
fn failures_have_no_line_in_lists_of_digests() {
    for (name, algorithm) in
        [("gnu", "md5"), ("bsd", "md5"), ("hashdeep", "md5"), ("md5deep-t", "md5"), ("sfv", "crc32")]
    {
        assert!(!format(name).records_failures());
        for record in failures() {
            assert_eq!(lines(name, &algorithms(&[algorithm]), false, &record), Ok(Vec::new()), "{name}");
        }
    }
    for name in ["csv", "jsonl", "dfxml"] {
        assert!(format(name).records_failures());
    }
}

/// A caller of the engine may request only some of the run's digests for a file.
#[test]
fn a_file_with_some_of_the_digests() {
    let all = algorithms(&["md5", "sha1", "sha256"]);
    let record = hello(b"x", &algorithms(&["sha1"]));
    let listed = |format: &str| lines(format, &all, false, &record).map(|line| String::from_utf8(line).unwrap());
    assert_eq!(listed("bsd"), Ok(format!("SHA1 (x) = {SHA1}\n")));
    assert_eq!(listed("csv"), Ok(format!("x,5,2026-11-20T14:08:22.123456789Z,complete,,,{SHA1},\r\n")));
    let refused =
        "the file has other digests, but none of md5, which this format cannot express; use the format `jsonl`";
    assert_eq!(listed("hashdeep"), Err(refused.to_owned()));
    let none = hello(b"x", &[]);
    for format in ["gnu", "bsd", "hashdeep", "md5deep", "sfv"] {
        let run = algorithms(&[if format == "sfv" { "crc32" } else { "md5" }]);
        assert_eq!(lines(format, &run, false, &none), Ok(Vec::new()), "{format}");
    }
}

#[test]
fn what_cannot_be_expressed() {
    let not = |what: &str| format!("{what}, which this format cannot express; use the format `jsonl`");
    let line_break = not("the name contains a line break");
    let nul = not("the name contains a NUL byte");
    let no_name = not("the name is empty");
    let last_return = not("the name ends with a carriage return");
    for (format, name, expected) in [
        ("hashdeep", &b"a\nb"[..], &line_break),
        ("hashdeep", b"a\r", &last_return),
        ("hashdeep", b"a\0", &nul),
        ("md5deep", b"a\nb", &line_break),
        ("md5deep-c", b"a\r", &last_return),
        ("md5deep", b"a\0", &nul),
        ("sfv", b"a\nb", &line_break),
        ("sfv", b"a\rb", &line_break),
        ("sfv", b"a\0b", &nul),
        ("sfv", b";a", &not("the name begins like a comment")),
        ("gnu", b"a\0b", &nul),
        ("bsd", b"a\0b", &nul),
        ("gnu", b"", &no_name),
        ("bsd", b"", &no_name),
        ("hashdeep", b"", &no_name),
        ("md5deep", b"", &no_name),
        ("sfv", b"", &no_name),
        ("csv", b"", &no_name),
    ] {
        let algorithms = algorithms(&[if format == "sfv" { "crc32" } else { "md5" }]);
        assert_eq!(lines(format, &algorithms, false, &hello(name, &algorithms)), Err(expected.clone()), "{format}");
    }
    let md5 = algorithms(&["md5"]);
    assert_eq!(lines("md5deep", &md5, true, &hello(b"a\nb\r", &md5)), Ok([MD5, "  a\nb\r\0"].concat().into_bytes()));
    let pipe = unknown(hello(b"fifo", &md5));
    assert_eq!(lines("md5deep-t", &md5, false, &pipe), Err(not("the time of the file is not known")));
}

#[test]
fn formats_refuse_what_they_have_no_place_for() {
    let refuse = |name: &str, algorithms: &[Algorithm], null_terminated, piecewise| {
        let options = WriteOptions { null_terminated, piecewise, ..WriteOptions::default() };
        format(name).check(&algorithms.into(), &options).unwrap_err().to_string()
    };
    let two = algorithms(&["md5", "sha1"]);
    let one_algorithm = |name| {
        format!(
            "format `{name}` takes exactly one algorithm, since its lines do not name it, but 2 were asked for; \
             use format `bsd` or `jsonl`"
        )
    };
    assert_eq!(refuse("gnu", &two, false, false), one_algorithm("gnu"));
    assert_eq!(refuse("md5deep-kz", &two, false, false), one_algorithm("md5deep-kz"));
    assert_eq!(
        refuse("sfv", &two, false, false),
        "format `sfv` has no place for md5, only for crc32; use format `bsd` or `jsonl`"
    );
    assert_eq!(
        refuse("hashdeep", &algorithms(&["md5", "blake3"]), false, false),
        "format `hashdeep` has no place for blake3, only for md5, sha1, sha256, tiger, whirlpool; use format `bsd` or `jsonl`"
    );
    for name in ["hashdeep", "csv", "jsonl", "dfxml"] {
        assert_eq!(
            refuse(name, &two, true, false),
            format!(
                "format `{name}` has no NUL-terminated form; use format `gnu`, `bsd` or `md5deep`, or leave the option out"
            )
        );
    }
    assert_eq!(
        refuse("sfv", &algorithms(&["crc32"]), false, true),
        "format `sfv` has no place for the digests of pieces; use format `hashdeep` or `jsonl`"
    );
    for name in ["gnu", "bsd", "hashdeep", "md5deep", "sfv"] {
        assert_eq!(
            refuse(name, &[], false, false),
            format!(
                "format `{name}` lists digests, and no algorithm was asked for; use format `csv`, `jsonl` or `dfxml`, which \
                 list sizes too"
            )
        );
    }
}

#[test]
fn names_of_formats() {
    for format in FormatName::ALL {
        assert_eq!(FormatName::from_name(format.name()), Ok(format));
    }
    assert_eq!(FormatName::from_name("md5deep-tczk").unwrap().name(), "md5deep-kzct");
    for name in ["md5deep-", "md5deep-x", "md5deepk", "GNU", ""] {
        assert_eq!(
            FormatName::from_name(name).unwrap_err().to_string(),
            format!(
                "there is no format `{name}`; the formats are `gnu`, `bsd`, `hashdeep`, `md5deep`, `sfv`, `csv`, `jsonl`, \
                 `dfxml`, `ssdeep`, `sdhash`, `mrsh-v2`, `tlsh`; `md5deep` may be followed by a hyphen and any of the letters k, z, c, t"
            )
        );
    }
}

#[test]
fn facts_about_contents() {
    let crc32 = algorithms(&["crc32"]);
    let contents = [&b"hello"[..], &[0; 1024]].concat();
    let records = [with_facts(whole(b"x", &contents, &crc32), &contents), with_facts(whole(b"e", b"", &crc32), b"")];
    let lines = |format: FormatName| {
        let options = WriteOptions { facts: true, ..WriteOptions::default() };
        let writer = format.writer(&crc32[..].into(), &options).unwrap();
        let mut out = Vec::new();
        writer.header(&RunFacts { facts: Some(Counting::Exact), ..run_facts(&crc32) }, &mut out);
        records.iter().for_each(|record| writer.record(record, &mut out).unwrap());
        text(out)
    };
    let csv = lines(FormatName::Csv);
    let csv: Vec<&str> = csv.lines().collect();
    assert_eq!(
        csv[0],
        "path,size,mtime,outcome,error,crc32,all_zero,longest_run_byte,longest_run_offset,longest_run_bytes,zero_sectors,\
         entropy,entropy_bytes"
    );
    // The sectors begin at 0, 512 and 1024. Of the 1029 bytes 1024 are 0, two are `l`, three occur once.
    assert!(csv[1].ends_with(",false,0,5,1024,2,0.053674,1029"), "{}", csv[1]);
    assert!(csv[2].ends_with(",false,,,,0,0.000000,0"), "{}", csv[2]);
    let jsonl = lines(FormatName::Jsonl);
    assert!(jsonl.contains("\"algorithms\":[\"crc32\"],\"facts\":\"exact\","), "{jsonl}");
    for facts in [
        "\"facts\":{\"all_zero\":false,\"longest_run\":{\"byte\":0,\"offset\":5,\"bytes\":1024},\"zero_sectors\":2,\
         \"sectors\":3,\"entropy\":0.053674,\"entropy_bytes\":1029}",
        "\"facts\":{\"all_zero\":false,\"zero_sectors\":0,\"sectors\":0,\"entropy\":0.000000,\"entropy_bytes\":0}",
    ] {
        assert!(jsonl.contains(facts), "{jsonl}");
    }
    let dfxml = lines(FormatName::Dfxml);
    for facts in [
        "    <pfh:facts all_zero='false' longest_run_byte='0' longest_run_offset='5' longest_run_bytes='1024' \
         zero_sectors='2' entropy='0.053674' entropy_bytes='1029'/>\n",
        "    <pfh:facts all_zero='false' zero_sectors='0' entropy='0.000000' entropy_bytes='0'/>\n",
    ] {
        assert!(dfxml.contains(facts), "{dfxml}");
    }
}

/// Facts that no file of this size can have, and facts of which some are missing.
#[test]
fn damaged_facts() {
    let header =
        "path,size,longest_run_byte,longest_run_offset,longest_run_bytes,zero_sectors,entropy,entropy_bytes\r\n";
    for (line, expected) in [
        ("x,9,0,0,9,1,0,9", Ok(())),
        ("x,9,,,,,,", Ok(())),
        ("x,9,256,0,9,1,0,9", Err("longest_run_byte is not a number")),
        ("x,9,0,0,9,1,8.5,9", Err("entropy is not a number")),
        ("x,9,0,0,9,1,-1,9", Err("entropy is not a number")),
        ("x,9,0,0,,1,0,9", Err("longest_run is missing")),
        ("x,9,0,0,9,1,0,", Err("entropy_bytes is missing")),
        ("x,,0,0,9,1,0,9", Err("size is missing")),
        ("x,9,0,1,9,1,0,9", Err("facts contradict the size of the file")),
        ("x,9,0,18446744073709551615,9,1,0,9", Err("facts contradict the size of the file")),
        ("x,9,0,0,9,2,0,9", Err("facts contradict the size of the file")),
        ("x,9,0,0,9,1,0,10", Err("facts contradict the size of the file")),
    ] {
        let read = read(FormatName::Csv, format!("{header}{line}\r\n").as_bytes(), ReadOptions::default());
        match (&read[..], expected) {
            ([Ok(entry)], Ok(())) => assert_eq!(entry.facts.is_some(), line.ends_with('9')),
            ([Err(error)], Err(expected)) => assert!(error.ends_with(expected), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}

/// A converted list has the facts that its source states, no others, and says that it was converted.
#[test]
fn headers_of_conversions() {
    let conversion = Conversion {
        program: "pfh".to_owned(),
        program_version: "0.1.0".to_owned(),
        command_line: vec![b"pfh".to_vec(), b"convert".to_vec(), b"a\nb\xFF".to_vec()],
        started: TIME,
    };
    let selection = algorithms(&["md5"])[..].into();
    let bare = RunFacts { selection, conversion: Some(conversion), ..RunFacts::default() };
    let stated = RunFacts {
        program: "other".to_owned(),
        program_version: "2".to_owned(),
        directory: b"/cases".to_vec(),
        started: TIME,
        ..bare.clone()
    };
    let header = |name: &str, run: &RunFacts| {
        let selection = if name == "sfv" { algorithms(&["crc32"])[..].into() } else { run.selection.clone() };
        let mut out = Vec::new();
        format(name).writer(&selection, &WriteOptions::default()).unwrap().header(run, &mut out);
        String::from_utf8(out).unwrap()
    };
    let sentence = "Converted by pfh 0.1.0 on 2026-11-20T14:08:22.123456789Z: pfh convert a\u{FFFD}b\u{FFFD}";
    assert_eq!(header("gnu", &stated), "");
    assert_eq!(header("sfv", &bare), format!("; {sentence}\n"));
    let generated = "; Generated by other 2 on 2026-11-20T14:08:22.123456789Z\n";
    assert_eq!(header("sfv", &stated), format!("{generated}; {sentence}\n"));
    let columns = "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n";
    assert_eq!(header("hashdeep", &bare), format!("{columns}## {sentence}\n## \n"));
    assert_eq!(header("hashdeep", &stated), format!("{columns}## Invoked from: /cases\n## {sentence}\n## \n"));
    let converted = ",\"converted\":{\"program\":\"pfh\",\"program_version\":\"0.1.0\",\"arguments\":[\"pfh\",\"convert\",\
                     \"a\\nb\u{FFFD}\"],\"arguments_base64\":[\"cGZo\",\"Y29udmVydA==\",\"YQpi/w==\"],\
                     \"started\":\"2026-11-20T14:08:22.123456789Z\"}";
    let line = format!("{{\"type\":\"header\",\"version\":1,\"algorithms\":[\"md5\"]{converted}}}");
    assert_eq!(header("jsonl", &bare), checked(&line) + "\n");
    let dfxml = header("dfxml", &bare);
    assert!(dfxml.contains(&format!("<dc:description>{sentence}</dc:description>")), "{dfxml}");
    for absent in ["<program>", "<start_time>", "<command_line>", "<host>"] {
        assert!(!dfxml.contains(absent) && header("dfxml", &stated).contains("<program>other</program>"), "{absent}");
    }
    // Readers find what was stated, and of the conversion at most that there was one.
    for name in ["sfv", "hashdeep", "jsonl", "dfxml"] {
        for (run, is_stated) in [(&bare, false), (&stated, true)] {
            let text = header(name, run);
            let mut reader = pfh_record::Reader::new(format(name), text.as_bytes(), ReadOptions::default());
            let header = reader.header();
            let keeps = |feature| is_stated && format(name).keeps(feature);
            assert_eq!(header.program.is_some(), keeps(Feature::Program), "{name}");
            assert_eq!(header.started.is_some(), keeps(Feature::Start), "{name}");
            assert_eq!(header.directory.is_some(), keeps(Feature::Directory), "{name}");
            assert_eq!((header.command_line.clone(), header.uid), (None, None), "{name}");
            assert_eq!(header.is_converted, name == "jsonl", "{name}");
        }
    }
}

/// With the metadata of POSIX filesystems, a list in JSON Lines loses nothing that another format has a place for.
#[test]
fn jsonl_has_posix_metadata_on_demand() {
    let algorithms = [Algorithm::from_name("md5").unwrap()];
    let options = WriteOptions { posix: true, ..WriteOptions::default() };
    let selection = algorithms.into_iter().collect();
    let writer = FormatName::Jsonl.writer(&selection, &options).unwrap();
    let mut record = hello(b"a", &algorithms);
    let mut list = Vec::new();
    writer.header(&RunFacts { selection, ..RunFacts::default() }, &mut list);
    writer.record(&record, &mut list).unwrap();
    let line = str::from_utf8(&list).unwrap().lines().last().unwrap();
    let posix = r#","inode":12,"links":1,"mode":33188,"uid":1000,"gid":100,"digests":"#;
    assert!(line.contains("\"ctime\":\"") && line.contains(posix), "{line}");
    let read = pfh_record::Reader::new(FormatName::Jsonl, &list[..], ReadOptions::default()).next().unwrap().unwrap();
    // No format has the number of the device.
    if let Some(posix) = record.metadata.as_mut().and_then(|metadata| metadata.posix.as_mut()) {
        posix.device = 0;
    }
    assert_eq!(read.into_record(), record);
}
