//! Lists of known digests: empty ones, ones without names of algorithms, and ones with many names for a digest.

use std::fs;
use std::path::Path;

use pfh_similarity::Family;
use tempfile::TempDir;

use crate::fixture::*;

/// Makes a directory `d` with two files.
fn two_files() -> TempDir {
    let directory = scratch();
    fs::create_dir(directory.path().join("d")).unwrap();
    fs::write(directory.path().join("d/one"), "one").unwrap();
    fs::write(directory.path().join("d/two"), "two").unwrap();
    directory
}

fn write(directory: &Path, name: &str, text: impl AsRef<[u8]>) {
    fs::write(directory.join(name), text).unwrap();
}

/// Returns bytes without a pattern, enough for a digest of every family.
fn noise() -> Vec<u8> {
    (0..500u32).flat_map(|number| digest("sha256", &number.to_le_bytes()).bytes().to_vec()).collect()
}

fn find(directory: &Path, arguments: &[&str]) -> Ended {
    pfh(directory, [&["match"], arguments].concat()).run()
}

fn compare(directory: &Path, arguments: &[&str]) -> Ended {
    pfh(directory, [&["compare"], arguments].concat()).run()
}

/// Lists without digests cannot answer what is known, so nothing is read.
#[test]
fn lists_without_digests_are_refused() {
    let directory = two_files();
    let d = directory.path();
    for (name, text) in [
        ("empty", ""),
        ("ssdeep", "ssdeep,1.1--blocksize:hash:hash,filename\n"),
        ("hashdeep", "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n## \n"),
        ("csv", "path,size,mtime,outcome,error,md5\r\ngone,,,unreadable,not-found: x,\r\n"),
        ("tlsh", "TNULL\tname\n"),
    ] {
        write(d, name, text);
        let said = format!("pfh: `{name}` has no digests\n");
        // The path is not even examined.
        assert_eq!(find(d, &["--known", name, "missing"]).expect(2, &said), b"", "{name}");
        assert_eq!(find(d, &["-a", "md5", "--known", name, "missing"]).expect(2, &said), b"", "{name}");
        assert_eq!(find(d, &["-a", "ssdeep", "--known", name, "missing"]).expect(2, &said), b"", "{name}");
        assert_eq!(compare(d, &["-a", "ssdeep", "--digests", name]).expect(2, &said), b"", "{name}");
        assert_eq!(compare(d, &["-a", "tlsh", "missing", "--against-digests", name]).expect(2, &said), b"", "{name}");
    }
    write(d, "comments", "# nothing\n\n");
    let said = "pfh: `comments` is not a list of digests that pfh can read; --as names the format of one that is not \
                recognised\n";
    find(d, &["--known", "comments", "d"]).expect(2, said);
    hash(d, ["-a", "md5", "--piecewise", "2", "-f", "jsonl", "-o", "pieces", "d"]).run().done();
    let whole_files_count = find(d, &["--known", "pieces", "d"]);
    assert_eq!((whole_files_count.code(), whole_files_count.stderr.as_str()), (1, ""));
    // One useless list among several is reported, and shows in the status.
    let one = format!("MD5 (x) = {}\n", digest("md5", b"one"));
    write(d, "one.md5", &one);
    let said = "pfh: `empty` has no digests\n";
    let lists = ["--known", "empty", "--known", "one.md5"];
    assert_eq!(find(d, &[&lists[..], &["d/two"]].concat()).expect(3, said), b"");
    assert_eq!(find(d, &[&lists[..], &["-q", "d/two"]].concat()).expect(3, ""), b"");
    assert_eq!(find(d, &["--known", "one.md5", "--digests", "empty", "d/two"]).expect(3, said), b"");
    assert_eq!(find(d, &["--known", "one.md5", "--digests", "empty"]).expect(2, said), b"");
    write(d, "text", noise());
    write(d, "text2", noise());
    let found = b"text2 matches text (100)\n";
    assert_eq!(compare(d, &["text", "text2", "--digests", "empty"]).expect(3, said), found);
}

/// Known sets have no similarity digests; the message says how a list of them is used.
#[test]
fn no_set_is_built_of_similarity_digests() {
    let directory = scratch();
    let d = directory.path();
    write(d, "text", noise());
    for family in Family::ALL {
        hash(d, ["-a", family.name(), "-o", "list", "text"]).run().done();
        let message = format!(
            "pfh: `list` has no digests of the algorithms of the set (similar files are found by the list: `pfh match \
             --known LIST`); it has {family}\n"
        );
        pfh(d, ["known", "build", "set.pfhk", "list"]).run().expect(2, &message);
        assert!(!d.join("set.pfhk").exists());
        // As the message says.
        assert_eq!(find(d, &["--known", "list", "text"]).code(), 1, "{family}");
    }
}

/// A list of known files is recognised, also in an archive; none is written.
#[test]
fn lists_of_others_are_matched() {
    let directory = two_files();
    let d = directory.path();
    let upper = |algorithm, contents: &[u8]| digest(algorithm, contents).to_string().to_uppercase();
    let (sha1, md5) = (upper("sha1", b"one"), upper("md5", b"one"));
    let header =
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"";
    let row = format!("\"{sha1}\",\"{md5}\",\"00000000\",\"known.txt\",3,1,\"362\",\"\"");
    write(d, "NSRLFile.txt", format!("{header}\r\n{row}\r\n"));
    let found = b"d/one matches NSRLFile.txt:known.txt\n";
    assert_eq!(find(d, &["--known", "NSRLFile.txt", "d"]).expect(1, ""), found);
    let vics = format!("{{\"odata.metadata\":\"x\",\"value\":[{{\"MD5\":\"{md5}\",\"Category\":1}}]}}");
    write(d, "vics.json", vics);
    let name = digest("md5", b"one").to_string();
    let found = format!("d/one matches vics.json:{name}\n");
    assert_eq!(find(d, &["--known", "vics.json", "d"]).expect(1, ""), found.as_bytes());
    write(d, "NSRLFile.txt", format!("{header}\n{row}\n{}\n", row.replace(&md5, "12")));
    let broken = "pfh: `NSRLFile.txt`: line 3, byte 244: digest does not have the number of hexadecimal digits of its \
                  algorithm\n";
    assert_eq!(find(d, &["--known", "NSRLFile.txt", "d/two"]).expect(3, broken), b"");
    write(d, "cut.zip", b"PK\x03\x04");
    let cut = "pfh: `cut.zip`: the zip archive is cut off or damaged: its directory is not there (byte 4)\n";
    assert_eq!(find(d, &["--known", "cut.zip", "d"]).expect(2, cut), b"");
    let refused = "pfh: format `nsrl` is read and never written; use format `jsonl`, `csv` or `hashdeep`\n";
    assert_eq!(hash(d, ["-a", "md5", "-f", "nsrl", "d"]).run().expect(2, refused), b"");
}

/// Lists of pfh and of another program that name no algorithm: a wrong algorithm is never assumed silently.
#[test]
fn an_algorithm_that_is_only_guessed_acquits_nobody() {
    let directory = two_files();
    let d = directory.path();
    hash(d, ["-a", "blake3", "-o", "list", "d"]).run().done();
    let ended = find(d, &["--known", "list", "d"]);
    assert_eq!((ended.code(), &ended.stdout[..]), (3, &b""[..]));
    assert!(
        ended.stderr.starts_with(
            "pfh: `list`: its digests were taken for sha256 because of the length, and nothing matches; `-a sha256` "
        ) && ended.stderr.contains(", blake3"),
        "{}",
        ended.stderr
    );
    assert_eq!(find(d, &["-q", "--known", "list", "d"]).expect(3, ""), b"");
    let found = b"d/one matches list:d/one\nd/two matches list:d/two\n";
    assert_eq_bytes(find(d, &["-a", "blake3", "--known", "list", "d"]).expect(1, ""), found);
    // Names of lists can name the algorithm, too.
    for name in ["B3SUMS", "list.b3", "known-blake3.txt"] {
        fs::copy(d.join("list"), d.join(name)).unwrap();
        let found = String::from_utf8_lossy(found).replace("list", name);
        assert_eq_bytes(find(d, &["--known", name, "d"]).expect(1, ""), found.as_bytes());
    }
    // An algorithm that was given, named or confirmed by a match is no guess.
    let other = digest("sha256", b"other");
    write(d, "plain", format!("{other}  other\n"));
    find(d, &["-a", "sha256", "--known", "plain", "d"]).done();
    fs::copy(d.join("plain"), d.join("sha256sums.txt")).unwrap();
    find(d, &["--known", "sha256sums.txt", "d"]).done();
    write(d, "tagged", format!("SHA256 (other) = {other}\n"));
    find(d, &["--known", "tagged", "d"]).done();
    write(d, "plain", format!("{other}  other\n{}  x\n", digest("sha256", b"two")));
    assert_eq!(find(d, &["--known", "plain", "d"]).expect(1, ""), b"d/two matches plain:x\n");
    // Each list, and each length in it, is a separate guess: one match does not confirm the others.
    write(d, "plain", format!("{other}  other\n{}  x\n", digest("md5", b"two")));
    let ended = find(d, &["--known", "plain", "d"]);
    assert_eq!(ended.stdout, b"d/two matches plain:x\n");
    assert!(ended.code() == 5 && ended.stderr.contains("taken for sha256"), "{} {}", ended.code(), ended.stderr);
    // The digest of the command line.
    let ended = find(d, &["--digest", &digest("xxh3-128", b"one").to_string(), "d"]);
    assert!(ended.code() == 3 && ended.stderr.starts_with("pfh: --digest was taken for md5 because of the length, "));
    find(d, &["-a", "md5", "--digest", &digest("xxh3-128", b"one").to_string(), "d"]).done();
    // If nothing was compared, nothing is doubtful.
    fs::create_dir(d.join("nothing")).unwrap();
    find(d, &["--known", "list", "nothing"]).done();
}

/// `-a` decides before lengths do, in every form, whatever the length.
#[test]
fn lengths_that_no_usual_algorithm_has() {
    let directory = two_files();
    let d = directory.path();
    for algorithm in ["xxh64", "tiger", "ripemd320", "xxh3-64", "crc32c", "blake2s", "sha3-384"] {
        for format in ["gnu", "bsd", "md5deep", "md5deep-k", "md5deep-z", "md5deep-c", "md5deep-t", "csv", "jsonl"] {
            hash(d, ["-a", algorithm, "-f", format, "-o", "list", "d/one"]).run().done();
            let ended = find(d, &["-a", algorithm, "--known", "list", "d"]);
            assert_eq!((ended.code(), &*ended.stderr), (1, ""), "{algorithm} {format}");
            assert_eq!(ended.stdout, b"d/one matches list:d/one\n", "{algorithm} {format}");
        }
        write(d, "bare", format!("{}\n", digest(algorithm, b"two")));
        assert_eq!(find(d, &["-a", algorithm, "--known", "bare", "d"]).code(), 1, "{algorithm}");
    }
    hash(d, ["-a", "xxh64", "-o", "list", "d"]).run().done();
    let said = "pfh: `list`: its digests have 16 digits, which no usual algorithm has; name the algorithm with `-a`: \
                crc64nvme, xxh64, xxh3-64, fnv1-64, fnv1a-64\n";
    find(d, &["--known", "list", "d"]).expect(2, said);
    let ended = find(d, &["-a", "sha256", "--known", "list", "d"]);
    let said = "pfh: `list`: its digests have 16 digits, and those of sha256 have 64; name the algorithm with `-a`: ";
    assert!(ended.code() == 2 && ended.stderr.starts_with(said), "{}", ended.stderr);
}

/// `-a` chooses among the digests of a list.
#[test]
fn a_list_with_several_algorithms_is_filtered() {
    let directory = two_files();
    let d = directory.path();
    // The SHA-1 of `one` is wrong, so with both algorithms it does not match.
    let wrong = digest("sha1", b"wrong");
    let list = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,filename\n3,{},{wrong},x\n", digest("md5", b"one"));
    write(d, "list", list);
    find(d, &["--known", "list", "d"]).done();
    assert_eq!(find(d, &["-a", "md5", "--known", "list", "d"]).expect(1, ""), b"d/one matches list:x\n");
    find(d, &["-a", "sha1", "--known", "list", "d"]).done();
    let said = "pfh: `list` has no digests of sha256; it has md5, sha1\n";
    find(d, &["-a", "sha256", "--known", "list", "d"]).expect(2, said);
    let said = "pfh: `list` has no digests of ssdeep; it has md5, sha1\n";
    find(d, &["-a", "ssdeep", "--known", "list", "d"]).expect(2, said);
    // A compared list without digests that could match.
    hash(d, ["-a", "sha256", "-f", "bsd", "-o", "own", "d"]).run().done();
    let said = "pfh: `own` has no digests of md5, sha1; it has sha256\n";
    find(d, &["--known", "list", "--digests", "own"]).expect(2, said);
    let hashdeep = "pfh: `similar` has no digests of cryptographic algorithms; it has ssdeep\n";
    hash(d, ["-a", "ssdeep", "-o", "similar", "d"]).run();
    let ended = find(d, &["--known", "list", "--known", "similar", "-a", "md5", "d"]);
    assert_eq!(ended.code(), 5, "{}", ended.stderr.replace(hashdeep, ""));
}

/// Contents with many names have one line for each file and list, whatever the number of names.
#[test]
fn names_of_the_same_digest_are_counted() {
    const NAMES: usize = 1500;
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("d")).unwrap();
    for number in 0..NAMES {
        fs::write(d.join(format!("d/{number:04}")), "").unwrap();
    }
    fs::write(d.join("other"), "x").unwrap();
    hash(d, ["-a", "md5,sha1", "-f", "hashdeep", "-o", "known", "d", "other"]).run().done();
    let ended = find(d, &["--known", "known", "d", "other"]);
    let text = str::from_utf8(ended.expect(1, "")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), NAMES + 1);
    assert_eq!(lines[7], "d/0007 matches known:d/0000 (and 1,499 more names)");
    assert_eq!(lines[NAMES], "other matches known:other");
    write(d, "few", format!("MD5 (a) = {0}\nMD5 (b) = {0}\n", digest("md5", b"")));
    let files = ["--known", "few", "--known", "known", "d/0000"];
    let found = find(d, &[&["-a", "md5"], &files[..]].concat());
    let both = "d/0000 matches few:a (and 1 more name)\nd/0000 matches known:d/0000 (and 1,499 more names)\n";
    assert_eq_bytes(found.expect(1, ""), both.as_bytes());
    find(d, &[&["-a", "md5", "-f", "csv"], &files[..]].concat())
        .printed(b"first,second,names\r\nd/0000,a,2\r\nd/0000,d/0000,1500\r\n");
    let json = find(d, &[&["-a", "md5", "-f", "jsonl"], &files[..]].concat());
    let text = str::from_utf8(json.expect(1, "")).unwrap();
    let pair =
        "{\"type\":\"pair\",\"first\":\"d/0000\",\"second\":\"a\",\"second_list\":\"few\",\"names\":2,\"check\":\"";
    assert!(text.lines().nth(1).unwrap().starts_with(pair), "{text}");
    // All names are printed if requested.
    let all = find(d, &["--all-names", "--known", "known", "d/0000", "other"]);
    let text = str::from_utf8(all.expect(1, "")).unwrap();
    assert_eq!(text.lines().count(), NAMES + 1);
    assert_eq!(text.lines().nth(3), Some("d/0000 matches known:d/0003"));
    find(d, &["--top", "3", "--known", "known", "d"]).expect(
        2,
        "pfh: --threshold and --top are for similarity digests; of cryptographic ones each file has one line for each list \
         that has its digest (--all-names: one for each name)\n",
    );
    for known in ["known", "bad=known"] {
        for (option, family) in [("--resemblance", "mrsh-v2"), ("--symmetric", "sdhash"), ("--fast", "sdhash")] {
            let said = format!("pfh: {option} is for {family}, and the digests are cryptographic\n");
            find(d, &[option, "--known", known, "d"]).expect(2, &said);
        }
    }
}

/// Lists of the shapes of the test lists of md5deep and hashdeep: both programs and pfh name the same files, from the
/// list itself and from a set of it.
#[test]
fn md5deep_and_hashdeep_match_the_same_files() {
    let directory = two_files();
    let d = directory.path();
    write(d, "d/three", "three");
    write(d, "d/empty", "");
    let (md5, sha1, sha256) = (
        |contents: &str| digest("md5", contents.as_bytes()).to_string(),
        |contents: &str| digest("sha1", contents.as_bytes()).to_string().to_uppercase(),
        |contents: &str| digest("sha256", contents.as_bytes()).to_string(),
    );
    let nsrl = "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"";
    let ilook =
        "V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime,ModTime,LastAccessTime";
    let hashdeep = "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /x\n## $ hashdeep -l d\n## \n";
    let lists = [
        // The second name is that of a file with other contents.
        ("sized", format!("{:>10}  {}  /gone/one\n{:>10}  {}  d/two\n", 3, md5("one"), 44, md5("2"))),
        ("tagged", format!("MD5 (one) = {}\nMD5 (three) = {}\nMD5 (x) = {}\n", md5("one"), md5("three"), md5("x"))),
        ("broken", format!("{}  ChangeLog\nhello world!\n{}  x\n", md5("one"), md5("x"))),
        (
            "NSRLFile.txt",
            format!(
                "{nsrl}\n\"{}\",\"{}\",\"E32A12F9\",\"two.dll\",3,3192,\"WIN\",\"\"\n\
                 \"{}\",\"{}\",\"00000000\",\"    ___\",0,7828,\"OS8\",\"\"\n",
                sha1("two"),
                md5("two").to_uppercase(),
                sha1(""),
                md5("").to_uppercase()
            ),
        ),
        (
            "ilook.hsh",
            format!(
                "{ilook}\n{},{},three.tgz,D:\\x\\,5,,,,16.4.2008 14:29:24,16.4.2008 10:24:28,18.4.2008\n\
                 {},{},NULL,DEV,,0,,,,16.4.2008 14:29:24,2.4.2008 14:25:16,18.4.2008",
                md5("three").to_uppercase(),
                sha1("three"),
                md5("").to_uppercase(),
                sha1("")
            ),
        ),
        (
            "hashdeep.txt",
            format!(
                "{hashdeep}3,{},{},/gone/one\n3,{},{},d/two\n66,{},{},/no/match\n",
                md5("one"),
                sha256("one"),
                md5("two"),
                sha256("x"),
                md5("x"),
                sha256("x")
            ),
        ),
    ];
    for (name, text) in lists {
        write(d, name, text);
        let built = pfh(d, ["known", "build", "--quiet", "--keep-going", "set.pfhk", name]).run();
        let status = if name == "broken" { 3 } else { 0 };
        assert_eq!(built.code(), status, "{name}: {}", built.stderr);
        let listed = format!("other={name}");
        for (option, class) in [("-m", "known"), ("-x", "unknown"), ("-M", "known"), ("-X", "unknown")] {
            let with_digests = option.chars().any(char::is_uppercase);
            let (program, arguments) = match name {
                // hashdeep writes all columns with -M and -X.
                "hashdeep.txt" if with_digests => continue,
                "hashdeep.txt" => ("hashdeep", [option, "-k", name]),
                _ => ("md5deep", ["-j0", option, name]),
            };
            let Some(theirs) = peer(program, d, arguments.iter().chain(&["-l", "-r", "d"])) else { return };
            let theirs = String::from_utf8(theirs.stdout).unwrap();
            let mut theirs: Vec<&str> = theirs.lines().map(|line| line.trim_start_matches("./")).collect();
            theirs.sort_unstable();
            assert!(!theirs.is_empty() && theirs.len() < 4, "{name} {option}: {theirs:?}");
            for known in [&*listed, "set.pfhk"] {
                let format: &[&str] = if with_digests { &["-f", "csv", "-a", "md5"] } else { &["--names-only"] };
                let ours = find(d, &[&["--quiet", "--only", class, "--known", known, "d"], format].concat());
                let text = String::from_utf8(ours.stdout.clone()).unwrap();
                let mut ours: Vec<String> = if with_digests {
                    let rows = text.lines().skip(1).map(|row| row.trim_end().split(',').collect::<Vec<_>>());
                    rows.map(|row| format!("{}  {}", row[row.len() - 1], row[1])).collect()
                } else {
                    text.lines().map(str::to_owned).collect()
                };
                ours.sort_unstable();
                assert_eq!(ours, theirs, "{name} {option} {known}");
            }
        }
        // Those that were not found.
        let missing = find(d, &["--quiet", "--fail-on", "none", "--not-found", "--known", &listed, "d"]);
        let ours = String::from_utf8(missing.stdout).unwrap().lines().count();
        if name != "hashdeep.txt" {
            let theirs = peer("md5deep", d, ["-j0", "-l", "-n", "-m", name, "-r", "d"]).unwrap();
            assert_eq!(ours, String::from_utf8(theirs.stdout).unwrap().lines().count(), "{name}");
        }
    }
}

/// Lists that Windows saved.
#[test]
fn marks_and_utf_16() {
    let directory = two_files();
    let d = directory.path();
    let utf16 = |text: &str, is_big: bool| -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(|unit: u16| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    write(d, "d/text", noise());
    for (algorithm, format) in [
        ("sha256", "gnu"),
        ("md5", "bsd"),
        ("md5", "hashdeep"),
        ("sha1", "csv"),
        ("crc32", "sfv"),
        ("md5", "jsonl"),
        ("md5", "dfxml"),
        ("ssdeep", "ssdeep"),
        ("tlsh", "tlsh"),
        ("sdhash", "sdhash"),
        ("mrsh-v2", "mrsh-v2"),
    ] {
        hash(d, ["-a", algorithm, "-f", format, "-o", "list", "d/text"]).run().done();
        let plain = find(d, &["--known", "list", "d/text"]);
        assert_eq!(plain.code(), 1, "{format}");
        let text = fs::read_to_string(d.join("list")).unwrap();
        let crlf = text.replace("\r\n", "\n").replace('\n', "\r\n");
        for encoded in [format!("\u{FEFF}{text}").into_bytes(), utf16(&crlf, false), utf16(&text, true), crlf.into()] {
            fs::write(d.join("list"), encoded).unwrap();
            assert_eq_bytes(find(d, &["--known", "list", "d/text"]).expect(1, ""), &plain.stdout);
        }
    }
    // A plain list of digests.
    fs::write(d.join("list"), utf16(&format!("{}\r\n", digest("sha1", b"one")), false)).unwrap();
    assert_eq!(find(d, &["--known", "list", "d"]).code(), 1);
    // Memory is bounded, also if a line does not end.
    let mut file = fs::File::create(d.join("list")).unwrap();
    std::io::Write::write_all(&mut file, &utf16(&format!("{}  x\n", digest("md5", b"one")), false)).unwrap();
    file.set_len(1 << 30).unwrap();
    drop(file);
    let ended = find(d, &["--known", "list", "d"]);
    assert_eq!(ended.code(), 5, "{}", ended.stderr);
    ended.kept_below(128 + 64);
}

/// Matches and unreadable input both show in the status.
#[test]
fn findings_and_what_could_not_be_read() {
    let directory = two_files();
    let d = directory.path();
    let known = digest("md5", b"one").to_string();
    let ended = find(d, &["--digest", &known, "d", "missing"]);
    assert_eq!((ended.code(), ended.stdout.starts_with(b"d/one matches ")), (5, true));
    assert_eq!(find(d, &["--digest", &known, "d"]).code(), 1);
    assert_eq!(find(d, &["--digest", &known, "d/two", "missing"]).code(), 3);
    for family in Family::ALL {
        write(d, "text", noise());
        hash(d, ["-a", family.name(), "-o", "list", "text"]).run().done();
        let ended = find(d, &["--known", "list", "text", "missing"]);
        assert_eq!(ended.code(), 5, "{family}: {}", ended.stderr);
    }
}
