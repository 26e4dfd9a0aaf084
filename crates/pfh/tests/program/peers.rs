//! Other programs and pfh on the same tree: they accept pfh's lists, and pfh reads theirs. Missing programs are
//! skipped, and the test reports that.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use pfh_record::{FormatName, ReadOptions, Reader};
use pfh_testing::OddFile;
use tempfile::TempDir;

use crate::fixture::*;

/// Makes the odd tree without names that a peer cannot express, and without files that no other program reaches or
/// reads.
fn plain(keep: impl Fn(&[u8]) -> bool) -> (TempDir, Vec<OddFile>) {
    let (directory, files) = odd();
    let (kept, others): (Vec<OddFile>, Vec<OddFile>) =
        files.into_iter().partition(|file| file.path.len() < 4096 && keep(&file.path));
    for file in others {
        match file.path.strip_prefix(b"tree/names/") {
            Some(rest) => {
                let name = rest.split(|&byte| byte == b'/').next().unwrap();
                fs::remove_dir_all(directory.path().join("tree/names").join(path(name))).unwrap();
            }
            // The path is too long for one system call, but that of its first directory is not.
            None if file.path.len() > 4096 => {
                let first = file.path.split(|&byte| byte == b'/').nth(1).unwrap();
                fs::remove_dir_all(directory.path().join("tree").join(path(first))).unwrap();
            }
            None => fs::remove_file(directory.path().join(path(&file.path))).unwrap(),
        }
    }
    for special in ["fifo", "socket", "dangling link", "link to itself", "link to file", "link to directory"] {
        fs::remove_file(directory.path().join("tree").join(special)).unwrap();
    }
    fs::remove_file(directory.path().join("tree/a/link to its directory")).unwrap();
    (directory, kept)
}

fn is_on_one_line(name: &[u8]) -> bool {
    !name.contains(&b'\n') && !name.ends_with(b"\r")
}

#[track_caller]
fn assert_accepts(output: &Output) {
    let text = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

#[test]
fn coreutils_check_our_lists() {
    let (directory, files) = plain(|_| true);
    for (program, algorithm) in
        [("md5sum", "md5"), ("sha1sum", "sha1"), ("sha256sum", "sha256"), ("sha512sum", "sha512"), ("b2sum", "blake2b")]
    {
        for format in ["gnu", "bsd"] {
            hash(directory.path(), ["-a", algorithm, "-f", format, "-o", "list", "tree"]).run().done();
            let Some(output) = peer(program, directory.path(), ["--check", "--strict", "list"]) else { continue };
            assert_accepts(&output);
            let ok = output.stdout.split(|&byte| byte == b'\n').filter(|line| line.ends_with(b": OK")).count();
            assert_eq!(ok, files.len(), "{program} {format}");
        }
    }
    hash(directory.path(), ["-a", "md5,sha1,sha256,sm3,blake2b", "-o", "list", "tree"]).run().done();
    if let Some(output) = peer("cksum", directory.path(), ["--check", "--strict", "list"]) {
        assert_accepts(&output);
    }
}

#[test]
fn hashdeep_audits_our_list() {
    let (directory, files) = plain(is_on_one_line);
    let t = directory.path().canonicalize().unwrap().join("tree");
    // hashdeep uses absolute paths, and relative ones with its option -l.
    for (root, options) in [(t.as_os_str(), "-ravvk"), (OsStr::new("tree"), "-rlavvk")] {
        let arguments = ["-f", "hashdeep", "-a", "md5,sha1,sha256,tiger,whirlpool", "-o", "list"].map(OsStr::new);
        hash(directory.path(), [&arguments[..], &[root]].concat()).run().done();
        let arguments = [OsStr::new(options), OsStr::new("list"), root];
        let Some(output) = peer("hashdeep", directory.path(), arguments) else { return };
        assert_accepts(&output);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("Audit passed"), "{text}");
        assert!(text.contains(&format!("Files matched: {}\n", files.len())), "{text}");
    }
    // It detects later changes.
    fs::write(t.join("a.txt"), "changed").unwrap();
    let output = peer("hashdeep", directory.path(), ["-rlak", "list", "tree"]).unwrap();
    assert!(!output.status.success());
}

fn sorted(list: &[u8]) -> Vec<String> {
    let mut lines: Vec<String> =
        list.split_inclusive(|&byte| byte == b'\n').map(|line| line.escape_ascii().to_string()).collect();
    lines.sort();
    lines
}

/// The lines equal those of md5deep, whose order is that of the directory.
#[test]
fn md5deep_prints_what_we_print() {
    let (directory, _) = plain(is_on_one_line);
    for (program, algorithm) in [("md5deep", "md5"), ("sha1deep", "sha1"), ("tigerdeep", "tiger")] {
        for form in ["", "k", "z", "kz", "c", "zc", "t", "kt", "zt", "ct", "zct"] {
            let Some(theirs) = peer(program, directory.path(), [&format!("-rl{form}"), "tree"]) else { return };
            assert_accepts(&theirs);
            let format = if form.is_empty() { "md5deep".to_owned() } else { format!("md5deep-{form}") };
            let ours = hash(directory.path(), ["-a", algorithm, "-f", &format, "tree"]).run();
            assert_eq!(sorted(ours.done()), sorted(&theirs.stdout), "{program} {format}");
        }
    }
}

/// RHash turns backslashes into slashes, drops blanks and `*` before names, and takes control characters for binary
/// data.
fn is_plain_to_rhash(name: &[u8]) -> bool {
    name.trim_ascii() == name && !name.iter().any(|&byte| byte == b'\\' || byte < b' ')
}

#[test]
fn rhash_checks_our_lists() {
    let (directory, files) = plain(is_plain_to_rhash);
    for (format, algorithm) in [("sfv", "crc32"), ("gnu", "sha1"), ("bsd", "sha256")] {
        hash(directory.path(), ["-a", algorithm, "-f", format, "-o", "list", "tree"]).run().done();
        let Some(output) = peer("rhash", directory.path(), ["-c", "list"]) else { return };
        assert_accepts(&output);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("Everything OK"), "{format}: {text}");
        assert_eq!(
            text.lines().filter(|line| line.starts_with("tree/") && line.trim_end().ends_with(" OK")).count(),
            files.len(),
            "{format}: {text}"
        );
    }
}

/// Returns digests by path, without `./` before it.
fn by_path(format: FormatName, list: &[u8], options: ReadOptions) -> BTreeMap<Vec<u8>, Vec<String>> {
    let entries = Reader::new(format, list, options).map(|entry| entry.unwrap());
    entries
        .filter(|entry| !entry.digests.is_empty())
        .map(|entry| {
            let name = entry.path.strip_prefix(b"./").unwrap_or(&entry.path).to_vec();
            (name, entry.digests.iter().map(|digest| format!("{digest:?}")).collect())
        })
        .collect()
}

/// Checks that a peer's list and pfh's list have the same digests.
#[test]
fn we_read_what_peers_write() {
    let (directory, files) = plain(|name| is_on_one_line(name) && is_plain_to_rhash(name));
    let sfv = FormatName::Sfv;
    for (program, arguments, format, algorithms) in [
        ("hashdeep", &["-rl", "-c", "md5,sha256", "tree"][..], FormatName::Hashdeep, "md5,sha256"),
        ("hashdeep", &["-rld", "-c", "md5,sha1", "tree"], FormatName::Dfxml, "md5,sha1"),
        ("md5deep", &["-rlz", "tree"], FormatName::from_name("md5deep-z").unwrap(), "md5"),
        ("rhash", &["-r", "--sfv", "tree"], sfv, "crc32"),
        ("rhash", &["-r", "--bsd", "--sha3-256", "tree"], FormatName::Bsd, "sha3-256"),
    ] {
        let Some(output) = peer(program, directory.path(), arguments) else { continue };
        assert_accepts(&output);
        let theirs = by_path(format, &output.stdout, ReadOptions::default());
        let ours = hash(directory.path(), ["-f", "jsonl", "-a", algorithms, "tree"]).run();
        let ours = by_path(FormatName::Jsonl, ours.done(), ReadOptions::default());
        assert_eq!(ours.len(), files.len());
        assert_eq!(theirs, ours, "{program} {arguments:?}");
    }
}

/// For a real tree, the output has the same bytes as `find | xargs sha256sum`.
#[test]
fn a_real_tree() {
    let root = ["/usr/share/doc", "/usr/include", "/usr/lib"].into_iter().find(|root| Path::new(root).is_dir());
    let root = root.expect("every system has libraries");
    let directory = scratch();
    let find = Command::new("sh")
        .args(["-c", "find \"$0\" -xdev -type f -size -4096k -print0 | head -zn 3000", root])
        .stdin(Stdio::null())
        .output();
    let Ok(found) = find else {
        skipped(Need::Peers, "there is no find");
        return;
    };
    let list = found.stdout;
    assert!(!list.is_empty());
    fs::write(directory.path().join("paths"), &list).unwrap();
    let Some(theirs) = peer("xargs", directory.path(), ["-0", "-a", "paths", "sha256sum", "--"]) else { return };
    assert_accepts(&theirs);
    for options in [&[][..], &["--mode", "mtp", "-t", "3", "-m", "8M"], &["--mode", "smt", "--order", "inode"]] {
        let ours = hash(directory.path(), [options, &["--files-from0", "paths"]].concat()).run();
        assert_eq_bytes(ours.done(), &theirs.stdout);
    }
    let count = list.iter().filter(|&&byte| byte == 0).count();
    println!("{count} files of {root}");
    assert!(OsStr::from_bytes(&list).len() > count);
}

/// `pfh verify` finds an object of ocfl-py intact, and then each damage to it: `PFH_TEST_OCFL` names ocfl-object.py
/// where it is not in the path.
#[test]
fn objects_of_ocfl_py_are_verified() {
    let directory = scratch();
    let d = directory.path();
    let program = std::env::var("PFH_TEST_OCFL").unwrap_or_else(|_| "ocfl-object.py".to_owned());
    if Command::new(&program).arg("--version").output().is_err() {
        skipped(Need::Ocfl, "there is no ocfl-object.py (pip install ocfl-py)");
        return;
    }
    let put = |path: &str, contents: &str| {
        let path = d.join("files").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    };
    let version = |verb: &str, digest: &str| {
        let arguments = [verb, "--objdir", "object", "--srcdir", "files", "--digest", digest, "--message", "m"];
        let who = ["--name", "n", "--address", "mailto:n@example.org", "--id", "http://example.org/o"];
        let arguments = [&arguments[..], if verb == "create" { &who } else { &who[..4] }].concat();
        assert_accepts(&peer(&program, d, arguments).unwrap());
    };
    // Its exit status does not tell.
    let validated = || peer(&program, d, ["validate", "--objdir", "object"]).unwrap().stdout;
    let is_valid = || String::from_utf8(validated()).unwrap().ends_with(" is VALID\n");
    let verify = |arguments: &[&str]| {
        let ended = pfh(d, [&["verify"], arguments].concat()).run();
        (ended.code(), String::from_utf8(ended.stdout).unwrap())
    };
    put("a", "one");
    put("sub/é", "two");
    put("two  spaces", "");
    version("create", "sha512");
    // With another digest, the old ones of what is there become the block of fixity.
    put("a", "another one");
    version("update", "sha256");
    fs::remove_file(d.join("files/sub/é")).unwrap();
    put("copy of a", "another one");
    put("z", "new");
    version("update", "sha256");
    assert!(is_valid());
    let inventory: serde_json::Value =
        serde_json::from_slice(&fs::read(d.join("object/inventory.json")).unwrap()).unwrap();
    assert_eq!(inventory["fixity"]["sha512"].as_object().unwrap().len(), 3);
    assert_eq!((inventory["head"].as_str(), inventory["digestAlgorithm"].as_str()), (Some("v3"), Some("sha256")));
    let all = "Verified: all 5 files are as the list says.\nExpected 5, found 5: 5 matched\n";
    assert_eq!(verify(&["object/inventory.json"]), (0, all.to_owned()));
    // The inventory of a version has paths from the root of the object, too.
    let (code, said) = verify(&["--ignore-new", "object/v1/inventory.json", "object"]);
    assert!(code == 0 && said.starts_with("Verified: all 3 files"), "{said}");

    // The first digest that differs is named: the block of fixity comes first.
    for (path, digest) in [("v1/content/a", "other sha512"), ("v3/content/z", "other sha256")] {
        let file = d.join("object").join(path);
        let contents = fs::read(&file).unwrap();
        fs::write(&file, [&[contents[0] ^ 1], &contents[1..]].concat()).unwrap();
        assert!(!is_valid());
        let (code, said) = verify(&["object/inventory.json"]);
        assert!(code == 1 && said.starts_with("Not verified: 1 changed.\n"), "{said}");
        assert!(said.contains(&format!("\nchanged      {path}  ({digest}; ")), "{said}");
        fs::write(&file, contents).unwrap();
    }
    // A wrong digest in the block of fixity alone is found.
    let text = fs::read_to_string(d.join("object/inventory.json")).unwrap();
    let of_a = digest("sha512", b"one").to_string();
    assert!(text.contains(&of_a));
    fs::write(d.join("object/inventory.json"), text.replace(&of_a, &"0".repeat(128))).unwrap();
    let (code, said) = verify(&["object/inventory.json"]);
    assert!(code == 1 && said.contains("\nchanged      v1/content/a  (other sha512"), "{said}");
    fs::remove_file(d.join("object/v2/content/a")).unwrap();
    fs::write(d.join("object/inventory.json"), text).unwrap();
    fs::write(d.join("object/v3/content/stray"), "stray").unwrap();
    let (code, said) = verify(&["object/inventory.json"]);
    assert!(code == 1 && said.starts_with("Not verified: 1 missing, 1 new."), "{said}");
    assert!(said.contains("missing      v2/content/a") && said.contains("new          v3/content/stray"), "{said}");
}
