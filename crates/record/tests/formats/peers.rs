//! Other programs accept pfh's lists, and their lists are read. Missing programs are skipped, and the test reports
//! that.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pfh_digest::Algorithm;
use pfh_record::{FormatName, ReadOptions, Record, WriteOptions};

use crate::samples::*;
use crate::skip::{Need, skipped};

/// A directory with files of odd names, and their records.
struct Tree {
    directory: PathBuf,
    names: Vec<Vec<u8>>,
}

impl Tree {
    fn new(test: &str, keep: impl Fn(&[u8]) -> bool) -> Tree {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        let is_name = |name: &Vec<u8>| name.len() < 256 && !name.contains(&b'/') && keep(name);
        let names: Vec<Vec<u8>> = odd_names().into_iter().filter(is_name).collect();
        for name in &names {
            // Each file has its own contents, so that mix-ups are detected.
            fs::write(directory.join(OsStr::from_bytes(name)), name).unwrap();
        }
        Tree { directory, names }
    }

    fn records(&self, algorithms: &[Algorithm]) -> Vec<Record> {
        self.names.iter().map(|name| whole(name, name, algorithms)).collect()
    }

    /// Writes a list next to the tree.
    fn list(&self, format: &str, algorithms: &[Algorithm]) -> PathBuf {
        let document = document(self::format(format), algorithms, &WriteOptions::default(), &self.records(algorithms));
        let path = self.directory.with_extension(format);
        fs::write(&path, document).unwrap();
        path
    }

    /// Runs a program in the tree; `None` if it is missing.
    fn run(&self, program: &str, arguments: &[&OsStr]) -> Option<Output> {
        let output = Command::new(program).args(arguments).current_dir(&self.directory).env("LC_ALL", "C").output();
        if output.is_err() {
            skipped(Need::Peers, format_args!("there is no {program}"));
        }
        output.ok()
    }

    /// Runs a program over all files of the tree.
    fn run_over_all(&self, program: &str, options: &[&str]) -> Option<Vec<u8>> {
        let names = self.names.iter().map(|name| OsStr::from_bytes(name));
        let arguments: Vec<&OsStr> = options.iter().map(|&option| option.as_ref()).chain(names).collect();
        let output = self.run(program, &arguments)?;
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        Some(output.stdout)
    }

    /// Checks that the list names every file with its digests.
    fn assert_read(&self, format: FormatName, list: &[u8], options: ReadOptions, digests_each: usize) {
        let mut seen = BTreeSet::new();
        for item in read(format, list, options) {
            let listed = item.unwrap();
            let name = listed.path.strip_prefix(b"./").unwrap_or(&listed.path).to_vec();
            assert_eq!(listed.digests.len(), digests_each);
            for digest in &listed.digests {
                assert_eq!(*digest, digest.algorithm().digest(&name), "{}", name.escape_ascii());
            }
            seen.insert(name);
        }
        assert_eq!(seen, self.names.iter().cloned().collect());
    }
}

fn assert_accepted(output: &Output) {
    let text = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

#[test]
fn coreutils_check_our_lists() {
    let tree = Tree::new("coreutils-check", |_| true);
    for (program, algorithm) in [
        ("md5sum", "md5"),
        ("sha1sum", "sha1"),
        ("sha224sum", "sha224"),
        ("sha256sum", "sha256"),
        ("sha384sum", "sha384"),
        ("sha512sum", "sha512"),
        ("b2sum", "blake2b"),
    ] {
        for format in ["gnu", "bsd"] {
            let list = tree.list(format, &algorithms(&[algorithm]));
            let Some(output) = tree.run(program, &["--check".as_ref(), "--strict".as_ref(), list.as_ref()]) else {
                return;
            };
            assert_accepted(&output);
            let ok = output.stdout.split(|&byte| byte == b'\n').filter(|line| line.ends_with(b": OK")).count();
            assert_eq!(ok, tree.names.len());
        }
    }
    let list = tree.list("bsd", &algorithms(&["md5", "sha1", "sha256", "sm3", "blake2b"]));
    let Some(output) = tree.run("cksum", &["--check".as_ref(), "--strict".as_ref(), list.as_ref()]) else { return };
    assert_accepted(&output);
}

#[test]
fn we_read_lists_of_coreutils() {
    let tree = Tree::new("coreutils-read", |_| true);
    for (program, options, null_terminated) in [
        ("md5sum", &["--"][..], false),
        ("sha256sum", &["--binary", "--"], false),
        ("sha512sum", &["--tag", "--"], false),
        ("sha1sum", &["--zero", "--"], true),
        ("b2sum", &["--tag", "--zero", "--"], true),
        ("cksum", &["-a", "sm3", "--"], false),
    ] {
        let Some(list) = tree.run_over_all(program, options) else { return };
        let options = ReadOptions { null_terminated, ..ReadOptions::default() };
        tree.assert_read(FormatName::Gnu, &list, options, 1);
    }
}

#[test]
fn we_read_lists_of_openssl_and_xxhsum() {
    // OpenSSL and xxhsum do not escape.
    let tree = Tree::new("openssl", |name| !name.contains(&b'\n') && !name.ends_with(b"\r") && !name.starts_with(b"-"));
    for (program, options, algorithm) in [
        ("openssl", &["dgst", "-sha256"][..], "sha256"),
        ("openssl", &["dgst", "-sha3-256"], "sha3-256"),
        ("xxhsum", &["-q", "-H3"], "xxh3-64"),
        ("xxhsum", &["-q", "-H2"], "xxh3-128"),
        ("xxhsum", &["-q", "-H1"], "xxh64"),
    ] {
        // A leading backslash is a mark for pfh, but not for these programs.
        let Some(list) = tree.run_over_all(program, options) else { continue };
        let options = ReadOptions { algorithm: Some(algorithms(&[algorithm])[0]), ..ReadOptions::default() };
        tree.assert_read(FormatName::Bsd, &list, options, 1);
    }
}

/// hashdeep writes and reads names without escapes.
fn hashdeep_tree(test: &str) -> Tree {
    Tree::new(test, |name| !name.contains(&b'\n') && !name.ends_with(b"\r"))
}

#[test]
fn hashdeep_audits_our_list() {
    let tree = hashdeep_tree("hashdeep-audit");
    let list = tree.list("hashdeep", &algorithms(&["sha256", "md5", "tiger", "whirlpool", "sha1"]));
    let arguments = ["-r", "-l", "-a", "-vv", "-k"].map(OsStr::new);
    // With `.` as the argument the names begin with `./`, which is another name to hashdeep.
    let names: Vec<&OsStr> = tree.names.iter().map(|name| OsStr::from_bytes(name)).collect();
    let arguments = [&arguments[..], &[list.as_ref(), OsStr::new("--")], &names].concat();
    let Some(output) = tree.run("hashdeep", &arguments) else { return };
    assert_accepted(&output);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("Audit passed") && text.contains(&format!("Files matched: {}\n", tree.names.len())),
        "{text}"
    );
}

#[test]
fn we_read_lists_of_hashdeep() {
    let tree = hashdeep_tree("hashdeep-read");
    let Some(list) = tree.run_over_all("hashdeep", &["-l", "-c", "md5,sha1,sha256,tiger,whirlpool", "--"]) else {
        return;
    };
    tree.assert_read(FormatName::Hashdeep, &list, ReadOptions::default(), 5);
    let Some(list) = tree.run_over_all("hashdeep", &["-l", "-d", "-c", "md5,tiger", "--"]) else { return };
    tree.assert_read(FormatName::Dfxml, &list, ReadOptions::default(), 2);
    for form in ["", "k", "z", "kz", "c", "zc", "t", "kt", "zt", "ct", "zct"] {
        let letters = format!("-l{form}");
        let Some(list) = tree.run_over_all("sha1deep", &[&letters, "--"]) else { return };
        let name = if form.is_empty() { "md5deep".to_owned() } else { format!("md5deep-{form}") };
        tree.assert_read(format(&name), &list, ReadOptions::default(), 1);
    }
}

#[test]
fn md5deep_writes_what_we_write() {
    let tree = hashdeep_tree("md5deep-same");
    let md5 = algorithms(&["md5"]);
    for form in ["", "k", "z", "kz", "c", "zc"] {
        let letters = format!("-l{form}");
        // One thread, so that the order is that of the arguments.
        let Some(theirs) = tree.run_over_all("md5deep", &["-j0", &letters, "--"]) else { return };
        let name = if form.is_empty() { "md5deep".to_owned() } else { format!("md5deep-{form}") };
        let ours = document(format(&name), &md5, &WriteOptions::default(), &tree.records(&md5));
        assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs), "{name}");
    }
}

/// RHash turns a backslash into a slash, drops blanks and `*` before names, and takes a list with control characters
/// for binary. cksfv drops blanks too.
fn is_plain_to_rhash(name: &[u8]) -> bool {
    !name.iter().any(|&byte| byte == b'\\' || byte < b' ') && name.trim_ascii() == name && !name.starts_with(b"*")
}

#[test]
fn rhash_and_cksfv_check_our_sfv() {
    let tree = Tree::new("sfv", |name| is_plain_to_rhash(name) && !name.starts_with(b";"));
    let list = tree.list("sfv", &algorithms(&["crc32"]));
    if let Some(output) = tree.run("rhash", &["-c".as_ref(), list.as_ref()]) {
        assert_accepted(&output);
        assert!(String::from_utf8_lossy(&output.stdout).contains("Everything OK"));
    }
    if let Some(output) = tree.run("cksfv", &["-f".as_ref(), list.as_ref()]) {
        assert_accepted(&output);
    }
    if let Some(theirs) = tree.run_over_all("rhash", &["--sfv", "--"]) {
        tree.assert_read(FormatName::Sfv, &theirs, ReadOptions::default(), 1);
    }
    if let Some(theirs) = tree.run_over_all("rhash", &["--bsd", "--md5", "--sha3-256", "--"]) {
        tree.assert_read(FormatName::Bsd, &theirs, ReadOptions::default(), 1);
    }
}

#[test]
fn rhash_checks_our_gnu_list() {
    let tree =
        Tree::new("rhash-gnu", |name| is_plain_to_rhash(name) && !name.starts_with(b";") && !name.starts_with(b"#"));
    let list = tree.list("gnu", &algorithms(&["sha1"]));
    let Some(output) = tree.run("rhash", &["-c".as_ref(), list.as_ref()]) else { return };
    assert_accepted(&output);
}

/// Imaging programs tell the digests of what they read in logs of their own.
#[test]
fn logs_of_imaging_programs_have_the_digests_of_the_image() {
    let tree = Tree::new("imager", |_| false);
    let contents = [&b"hello"[..]; 700].concat();
    fs::write(tree.directory.join("disk.raw"), &contents).unwrap();
    let sha256 = algorithms(&["sha256"])[0].digest(&contents);
    let md5 = algorithms(&["md5"])[0].digest(&contents);
    let cases: [(&str, &str, &str, &str, &[_]); 5] = [
        (
            "dc3dd",
            "if=disk.raw hof=image.raw hash=md5 hash=sha256 log=dc3dd.log",
            "dc3dd.log",
            "image.raw",
            &[md5, sha256],
        ),
        ("dc3dd", "if=disk.raw ofs=parts.000 ofsz=1K hash=md5 hlog=parts.log", "parts.log", "disk.raw", &[md5]),
        (
            "dcfldd",
            "if=disk.raw of=copy.raw hashwindow=1K hash=md5,sha256 hashlog=dcfldd.log",
            "dcfldd.log",
            "",
            &[md5, sha256],
        ),
        ("dcfldd", "if=disk.raw of=more.raw hash=sha256 sha256log=sha256.log", "sha256.log", "", &[sha256]),
        ("ewfacquire", "-u -t disk -l ewf.log -d sha256 disk.raw", "ewf.log", "", &[md5, sha256]),
    ];
    for (program, arguments, log, name, digests) in cases {
        let arguments: Vec<&OsStr> = arguments.split(' ').map(OsStr::new).collect();
        let Some(output) = tree.run(program, &arguments) else { continue };
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        let text = fs::read(tree.directory.join(log)).unwrap();
        assert_eq!(pfh_record::detect(&text, ReadOptions::default()), Some(format("imager")), "{program}");
        let found = read(format("imager"), &text, ReadOptions::default());
        let [Ok(entry)] = &found[..] else { panic!("{program}: {found:?}") };
        assert_eq!((&entry.path[..], &entry.digests[..]), (name.as_bytes(), digests), "{program}");
    }
}
