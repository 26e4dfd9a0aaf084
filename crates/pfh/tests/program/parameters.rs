//! Digests of other lengths, with keys, and in other encodings.

use std::fs;
use std::path::Path;

use pfh_digest::Algorithm;
use serde_json::Value;

use crate::fixture::*;

/// RFC 4231, test case 2, and the digests of its message in other modes (the values below come from Python, OpenSSL and
/// b3sum).
const JEFE: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

/// Makes a directory with the message and the key of the test case.
fn keyed() -> tempfile::TempDir {
    let directory = scratch();
    fs::write(directory.path().join("message"), "what do ya want for nothing?").unwrap();
    fs::write(directory.path().join("key"), "Jefe").unwrap();
    fs::write(directory.path().join("key.hex"), "4a 65\n66 65\n").unwrap();
    fs::write(directory.path().join("key32"), "whats the Elvish word for friend").unwrap();
    directory
}

fn text(directory: &Path, arguments: &[&str]) -> String {
    String::from_utf8(hash(directory, arguments).run().done().to_vec()).unwrap()
}

/// Returns the output of another program, which must succeed; `None` if it is missing.
fn printed_by(directory: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let output = peer(program, directory, arguments)?;
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_key_comes_from_a_file_and_shows_in_the_name() {
    let directory = keyed();
    let t = directory.path();
    let line = format!("HMAC-SHA256 (message) = {JEFE}\n");
    assert_eq!(text(t, &["-a", "hmac-sha256", "--key-file", "key", "message"]), line);
    assert_eq!(text(t, &["-a", "HMAC_SHA2-256", "--key-file", "key.hex", "--key-hex", "message"]), line);
    let input = hash(t, ["-a", "hmac-sha256", "--key-file", "-", "message"]).input("Jefe").run();
    assert_eq_bytes(input.done(), line.as_bytes());
    // All modes of a run, pieces, together with algorithms that have lanes, and long files.
    fs::write(t.join("long"), contents(7, 3 << 20)).unwrap();
    let list = ["-a", "md5,hmac-sha256,keyed-blake3,blake3-512", "--key-file", "key32", "message", "long"];
    let first = text(t, &list);
    for more in [["--mode", "mtp"], ["--mode", "smt"], ["-t", "1"], ["--io", "direct"]] {
        assert_eq!(text(t, &[&list[..], &more].concat()), first, "{more:?}");
    }
    let pieces = text(t, &["-a", "hmac-md5", "--key-file", "key", "--piecewise", "1M", "message", "long"]);
    assert_eq!(pieces.lines().count(), 2 + 1 + 3, "{pieces}");
    // No output contains the key.
    let jsonl = text(t, &["-f", "jsonl", "-a", "hmac-sha256", "--key-file", "key", "message"]);
    let lines: Vec<Value> = jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["algorithms"], serde_json::json!(["hmac-sha256"]));
    assert_eq!(lines[1]["digests"]["hmac-sha256"], JEFE);
    assert!(!jsonl.contains("Jefe") && !jsonl.contains("4a656665"), "{jsonl}");
}

#[test]
fn a_key_that_is_missing_wrong_or_of_no_use_is_refused() {
    let directory = keyed();
    let t = directory.path();
    fs::write(t.join("empty"), "").unwrap();
    fs::write(t.join("huge"), vec![0; (64 << 10) + 1]).unwrap();
    let line_break =
        "(all bytes of the file are the key, a line break at its end too; --key-hex reads hexadecimal digits)";
    for (arguments, said) in [
        (&["-a", "hmac-md5"][..], "`hmac-md5` needs a key, and none is given; name its file with --key-file".to_owned()),
        (&["-a", "md5", "--key-file", "key"], "--key-file: no algorithm takes a key; ask for one that does, such as `-a hmac-sha256` or `-a keyed-blake3`".to_owned()),
        (&["-a", "blake3-derive-key"], "`blake3-derive-key` needs a context, and none is given; give it with --derive-key".to_owned()),
        (&["--derive-key", "x"], "--derive-key: no algorithm takes a context; ask for `-a blake3-derive-key`".to_owned()),
        (&["-a", "keyed-blake3", "--key-file", "key"], format!("`keyed-blake3` takes a key of exactly 32 bytes, and this one has 4 {line_break}")),
        (&["-a", "hmac-md5", "--key-file", "gone"], "--key-file: `gone`: No such file or directory (os error 2)".to_owned()),
        (&["-a", "hmac-md5", "--key-file", "empty"], "--key-file: `empty`: the file is empty".to_owned()),
        (&["-a", "hmac-md5", "--key-file", "huge"], "--key-file: `huge`: a key has at most 65536 bytes".to_owned()),
        (&["-a", "hmac-md5", "--key-file", "key", "--key-hex"], "--key-file: `key`: a key in hexadecimal needs two digits for each byte, and nothing else".to_owned()),
        (&["-a", "hmac-md5", "--key-file", "-", "-"], "--key-file -: standard input is also read for something else; put the key into a file".to_owned()),
        (&["-f", "gnu", "-a", "hmac-sha256", "--key-file", "key"], "format `gnu` does not name the algorithm, and its digests of hmac-sha256 would pass for digests without a key; use format `bsd` or `jsonl`".to_owned()),
        (&["--resume", "-o", "j", "-a", "hmac-md5", "--key-file", "key"], "--resume cannot check that the key of `hmac-md5` is the same as before; use it without algorithms that take a key".to_owned()),
        (&["-a", "blake3-520"], "unknown algorithm `blake3-520`; the length in `blake3-N` is a multiple of 8 bits from 8 to 512".to_owned()),
        (&["-f", "jsonl", "--base64"], "format `jsonl` has hexadecimal digests, not base64; use format `gnu` or `bsd`".to_owned()),
        (&["-f", "jsonl", "--uppercase"], "format `jsonl` has lower-case digests; use format `gnu`, `bsd` or `sfv`".to_owned()),
    ] {
        let ended = hash(t, [arguments, &["message"]].concat()).run();
        assert_eq_bytes(ended.expect(2, &format!("pfh: {said}\n")), b"");
    }
    assert!(!t.join("j").exists());
}

#[test]
fn a_keyed_list_is_matched_with_its_key_only() {
    let directory = keyed();
    let t = directory.path();
    fs::create_dir(t.join("d")).unwrap();
    fs::copy(t.join("message"), t.join("d/copy")).unwrap();
    for format in ["bsd", "jsonl", "csv", "dfxml"] {
        let arguments = ["-a", "hmac-sha256", "--key-file", "key", "-f", format, "-o", "list", "message"];
        hash(t, arguments).run().done();
        let with = ["match", "--known", "list", "--key-file", "key", "d"];
        assert_eq_bytes(pfh(t, with).run().expect(1, ""), b"d/copy matches list:message\n");
        let without = pfh(t, ["match", "--known", "list", "d"]).run();
        without.expect(2, "pfh: `hmac-sha256` needs a key, and none is given; name its file with --key-file\n");
        // With another key nothing matches. Comparing lists needs no key.
        assert_eq_bytes(pfh(t, ["match", "--known", "list", "--key-file", "key32", "d"]).run().done(), b"");
        pfh(t, ["match", "--known", "list", "--digests", "list"]).run().expect(1, "");
    }
    // It is not taken for SHA-256.
    fs::write(t.join("list"), format!("HMAC-SHA256 (message) = {JEFE}\n")).unwrap();
    pfh(t, ["match", "--digest", JEFE, "--digests", "list"])
        .run()
        .expect(2, "pfh: `list` has no digests of sha256; it has hmac-sha256\n");
}

#[test]
fn all_is_every_algorithm_without_a_key() {
    let directory = keyed();
    let all: Vec<&str> = Algorithm::all().map(Algorithm::name).collect();
    let named = text(directory.path(), &["-a", &all.join(","), "message"]);
    assert_eq!(text(directory.path(), &["-a", "all", "message"]), named);
    assert_eq!(named.lines().count(), all.len());
    let first = text(directory.path(), &["-a", "blake3,all", "message"]);
    assert!(first.starts_with("BLAKE3 (message)") && first.lines().count() == all.len(), "{first}");
    let jsonl = text(directory.path(), &["-a", "all,ssdeep", "message"]);
    assert!(jsonl.contains("\"ssdeep\""), "{jsonl}");
}

#[test]
fn lengths_are_those_of_the_programs() {
    let directory = keyed();
    let t = directory.path();
    for length in [0usize, 1, 63, 64, 65, 1024, 1025, 70_000] {
        fs::write(t.join("m"), contents(length, length)).unwrap();
        let hex = |output: String| output.split_whitespace().next().unwrap_or_default().to_owned();
        let ours = |arguments: &[&str]| {
            let line = text(t, &[arguments, &["m"]].concat());
            line.trim_end().rsplit(' ').next().unwrap().to_owned()
        };
        if let Some(theirs) = printed_by(t, "b3sum", &["--length", "64", "m"]) {
            assert_eq!(ours(&["-f", "bsd", "-a", "blake3-512"]), hex(theirs));
            let derived = printed_by(t, "b3sum", &["--derive-key", "pfh 2026 test", "m"]).unwrap();
            assert_eq!(ours(&["-a", "blake3-derive-key", "--derive-key", "pfh 2026 test"]), hex(derived));
            let keyed = printed_by(t, "sh", &["-c", "b3sum --keyed m < key32"]).unwrap();
            assert_eq!(ours(&["-a", "keyed-blake3", "--key-file", "key32"]), hex(keyed));
        }
        if let Some(theirs) = printed_by(t, "b2sum", &["--length", "160", "--tag", "m"]) {
            assert_eq!(text(t, &["-f", "bsd", "-a", "blake2b-160", "m"]), theirs);
            hash(t, ["-f", "bsd", "-a", "blake2b-160", "-o", "sums", "m"]).run().done();
            printed_by(t, "b2sum", &["--check", "--strict", "sums"]).unwrap();
        }
        if let Some(theirs) = printed_by(t, "openssl", &["dgst", "-sha3-256", "-hmac", "Jefe", "m"]) {
            let theirs = theirs.trim_end().rsplit(' ').next().unwrap().to_owned();
            assert_eq!(ours(&["-a", "hmac-sha3-256", "--key-file", "key"]), theirs);
            let theirs = printed_by(t, "openssl", &["dgst", "-shake256", "-xoflen", "48", "m"]).unwrap();
            assert_eq!(ours(&["-f", "bsd", "-a", "shake256-384"]), theirs.trim_end().rsplit(' ').next().unwrap());
            // Its name states no length, but the number of digits does.
            fs::write(t.join("list"), &theirs).unwrap();
            pfh(t, ["match", "--known", "list", "m"]).run().expect(1, "");
        }
    }
}

#[test]
fn digests_in_other_writing_are_read_again() {
    let directory = keyed();
    let t = directory.path();
    // SHA-256 of the message in base64 by RFC 4648, computed by Python.
    let sha256 = digest("sha256", b"what do ya want for nothing?");
    assert_eq!(text(t, &["--uppercase", "message"]), format!("{}  message\n", sha256.to_string().to_uppercase()));
    let python = "import base64, hashlib; print(base64.b64encode(hashlib.sha256(open('message', 'rb').read()).digest()).decode())";
    let base64 = text(t, &["--base64", "message"]);
    if let Some(theirs) = printed_by(t, "python3", &["-c", python]) {
        assert_eq!(base64, format!("{}  message\n", theirs.trim_end()));
    }
    for algorithms in ["sha256", "md5", "crc32", "sha384", "sha1,sha512,xxh64,hmac-sha3-224"] {
        for (writing, format) in
            [("--uppercase", "gnu"), ("--uppercase", "bsd"), ("--base64", "gnu"), ("--base64", "bsd")]
        {
            if format == "gnu" && algorithms.contains(',') {
                continue;
            }
            let key = if algorithms.contains("hmac") { &["--key-file", "key"][..] } else { &[] };
            let list = ["-a", algorithms, writing, "-f", format, "-o", "list", "message"];
            hash(t, [&list[..], key].concat()).run().done();
            let algorithm = if format == "gnu" { &["-a", algorithms][..] } else { &[] };
            let arguments = [&["match", "--known", "list", "message"][..], key, algorithm].concat();
            let ended = pfh(t, arguments).run();
            assert!(
                ended.expect(1, "").starts_with(b"message matches list:message\n"),
                "{algorithms} {writing} {format}"
            );
        }
    }
    // Without the algorithm, untagged base64 could be any word.
    hash(t, ["--base64", "-o", "list", "message"]).run().done();
    assert_eq!(pfh(t, ["match", "--known", "list", "message"]).run().code(), 2);
    hash(t, ["-a", "crc32", "-f", "sfv", "--uppercase", "message"]).run().done();
}
