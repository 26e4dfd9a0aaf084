//! Habits of users of other programs, and completions of shells.

use std::fs;
use std::path::Path;

use crate::fixture::*;

/// A directory with the file `a`.
fn one_file() -> tempfile::TempDir {
    let directory = scratch();
    fs::write(directory.path().join("a"), "hello").unwrap();
    directory
}

fn run(directory: &Path, command: &str) -> Ended {
    pfh(directory, command.split(' ')).run()
}

#[test]
fn names_of_algorithms_are_commands() {
    let directory = one_file();
    let d = directory.path();
    for (short, long) in [
        ("sha256 a", "hash -a sha256 a"),
        ("SHA-1 -f bsd a", "hash -a sha1 -f bsd a"),
        ("md5 --tag a", "hash -a md5 -f bsd a"),
        ("md5,sha1 -0 a", "hash -a md5,sha1 --null a"),
        ("md5 -a crc32 a", "hash -a md5,crc32 a"),
        ("tlsh -q a", "hash -a tlsh -q a"),
        ("b3 --zero a", "hash -a blake3 -0 a"),
        ("sha512 -b a", "hash -a sha512 a"),
        ("sha512 --text a", "hash -a sha512 a"),
        ("crc32 -j 2 a", "hash -a crc32 -t 2 a"),
        ("crc32 --num-threads 2 a", "hash -a crc32 -t 2 a"),
        ("md5 --jobs 1 -f csv a", "hash -a md5 -t 1 -f csv a"),
        ("help sha256", "help hash"),
        ("sha256 --help", "hash --help"),
    ] {
        let expected = run(d, long);
        assert!(!expected.stdout.is_empty() || short.starts_with("tlsh"), "{long}: {}", expected.stderr);
        assert_eq_bytes(run(d, short).done(), expected.done());
    }
    for json in ["md5 --json a", "md5 -f json a"] {
        let ended = run(d, json);
        assert!(ended.done().starts_with(b"{\"type\":\"header\""), "{json}");
    }
    assert_eq!(run(d, "hash --json --tag a").code(), 2);
    assert!(run(d, "compare -f json a").done().starts_with(b"{\"type\":\"header\""));
    // Words that are neither command nor algorithm.
    run(d, "a").expect(
        2,
        "pfh: `a` is not a command. To print its SHA-256: `pfh hash PATH`, or `pfh sha256 PATH`; `pfh --help` lists the commands\n",
    );
    // A file with the name of a group of commands does not hide which word is unknown.
    fs::write(d.join("bag"), "").unwrap();
    let ended = pfh(d, ["bag", "make"]).run();
    assert!(ended.code() == 2 && ended.stderr.contains("`make` is not a command of `pfh bag`"), "{}", ended.stderr);
    let near = run(d, "sha255 a");
    assert!(near.code() == 2 && near.stderr.contains("close to `sha256`"), "{}", near.stderr);
    let other = run(d, "audits a");
    assert!(other.code() == 2 && other.stderr.contains("a similar one exists: `audit`"), "{}", other.stderr);
}

/// Each is refused with advice, and nothing is hashed. (The table itself has its own test.)
#[test]
fn options_of_other_programs() {
    let directory = one_file();
    let d = directory.path();
    run(d, "sha256 -o sums a").done();
    run(d, "md5 -f hashdeep -o known a").done();
    run(d, "blake3 -o b3.list a").done();
    for (words, advice) in [
        ("sha256 -c sums", "To check this list: `pfh verify sums`"),
        ("hash --check sums", "To check this list: `pfh verify sums`"),
        ("hash -c known", "To check this list: `pfh verify known`"),
        ("hash -c md5,sha1 a", "`-a md5,sha1`"),
        ("hash -rak known a", "`pfh verify --compat hashdeep LIST PATH`"),
        ("hash -r -a -k known a", "`pfh match --known LIST PATH`"),
        ("hash -m known a", "`pfh match --known LIST PATH`"),
        ("hash -p 512 a", "`--piecewise SIZE`"),
        ("hash -p 1M a", "`--piecewise SIZE`"),
        ("hash -t a", "`-f md5deep-t`"),
        ("hash -f paths a", "`--files-from FILE`"),
        ("hash --sha256 a", "`-a sha256`"),
        ("hash -sha256 a", "`-a sha256`"),
        ("hash -md5 a", "`-a md5`"),
        ("hash -rmd160 a", "`-a rmd160`"),
        ("hash -hmac key a", "`-a hmac-sha256 --key-file FILE`"),
        ("hash --length 64 a", "`-a blake3-512`"),
        ("hash -l 256 a", "`-a blake2b-256`"),
        ("hash -p %h a", "`-f csv`"),
        ("hash -H1 a", "`-a xxh64`"),
        ("compare -t 60 a", "`--threshold N`"),
        ("match -t 60 --known known a", "`--threshold N`"),
        ("compare -ojson a", "`-f jsonl`"),
        ("compare -xref a", "`pfh compare -a tlsh PATH`"),
        ("match -m known a", "`pfh match --known LIST PATH`"),
        ("compare -d a", "leave it out"),
        ("verify -c sums", "`pfh verify LIST`"),
        ("verify --check sums", "`pfh verify --compat gnu LIST`"),
        ("verify -k known a", "`pfh verify --compat hashdeep LIST PATH`"),
        ("verify --sha256 sums", "`-a sha256`"),
        ("bag create --sha256 a", "`pfh bag create -a sha256,md5 DIR`"),
        ("bag create --contact-name X a", "`pfh bag create --tag Contact-Name='A. B.' DIR`"),
        ("bag verify --validate a", "`pfh bag verify BAG`"),
        ("sha256sum a", "`pfh sha256 PATH`"),
        ("b2sum -c sums", "`pfh blake2b PATH`"),
        ("shasum a", "`pfh sha1 PATH`"),
    ] {
        let before = names(d);
        let ended = run(d, words);
        assert_eq!((ended.code(), &ended.stdout[..]), (2, &b""[..]), "{words}");
        assert!(ended.stderr.starts_with("pfh: ") && ended.stderr.contains(advice), "{words}: {}", ended.stderr);
        assert_eq!(names(d), before, "{words}");
    }
    // These options have another meaning here, and a list after them is probably a mistake.
    let ended = run(d, "hash -x known a");
    assert!(ended.code() == 0 && ended.stderr.starts_with("pfh: `-x` stays on one filesystem, and `known` is read"));
    run(d, "hash -x a").done();
}

/// The command that the advice names checks the list.
#[test]
fn the_command_that_is_named_checks_the_list() {
    let directory = one_file();
    let d = directory.path();
    for (algorithm, format) in
        [("md5", "gnu"), ("sha512", "bsd"), ("blake2b", "gnu"), ("blake3", "gnu"), ("xxh64", "bsd"), ("crc32", "sfv")]
    {
        hash(d, ["-a", algorithm, "-f", format, "-o", algorithm, "a"]).run().done();
        let ended = run(d, &format!("hash -c {algorithm}"));
        // The length does not distinguish BLAKE2b and BLAKE3, but the name of the list does.
        let (_, command) = ended.stderr.split_once("To check this list: `pfh ").expect(&ended.stderr);
        let words = command.trim_end().trim_end_matches('`');
        run(d, &format!("{words} --ignore-new")).done();
    }
}

/// Writes the script for a shell to a file of this name.
fn completions(directory: &Path, shell: &str, name: &str) {
    let script = pfh(directory, ["completions", shell]).run();
    fs::write(directory.join(name), script.done()).unwrap();
}

#[test]
fn bash_completes_names() {
    let directory = scratch();
    completions(directory.path(), "bash", "pfh.bash");
    let script = "source ./pfh.bash
try() {
    COMP_WORDS=(pfh \"$@\")
    COMP_CWORD=$#
    local function=$(complete -p pfh | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
    \"$function\" pfh \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
    echo \"${COMPREPLY[*]}\"
}
try hash -a sha2
try hash --algorithm md5,sha2
try hash -a md5,nothing
try hash -f hash
try match -a ssd
try has
try md5 -f hash
try md5,ssdeep -f hash
try sha256 --follow
try sha2
try verify --ignore-m";
    let Some(output) = peer("bash", directory.path(), ["--norc", "-c", script]) else { return };
    let expected = "sha224 sha256\nmd5,sha224 md5,sha256\n\nhashdeep\nssdeep\nhash\n\
        hashdeep\nhashdeep\n--follow-files --follow-directories\nsha224 sha256\n--ignore-missing\n";
    assert_eq_bytes(&output.stdout, expected.as_bytes());
}

#[test]
fn fish_completes_names() {
    let directory = scratch();
    completions(directory.path(), "fish", "pfh.fish");
    for (line, expected) in [
        ("pfh hash -a sha2", &["sha224", "sha256"][..]),
        ("pfh hash -a md5,sha2", &["md5,sha224", "md5,sha256"]),
        ("pfh hash -f hash", &["hashdeep"]),
        ("pfh match -a ssd", &["ssdeep"]),
        ("pfh md5 -f hash", &["hashdeep"]),
        ("pfh md5,ssdeep -f hash", &["hashdeep"]),
        ("pfh sha2", &["sha224", "sha256"]),
    ] {
        let script = format!("source ./pfh.fish; complete -C '{line}'");
        let arguments = ["--no-config", "-c", &script];
        let Some(output) = peer("fish", directory.path(), arguments) else { return };
        let text = String::from_utf8(output.stdout).unwrap();
        let found: Vec<&str> = text.lines().map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn zsh_completes_names() {
    let directory = scratch();
    fs::create_dir(directory.path().join("functions")).unwrap();
    completions(directory.path(), "zsh", "functions/_pfh");
    let start = "PS1=''; fpath=(./functions $fpath); autoload -U compinit; compinit -D -u; pfh() { : }
zle-line-init() { print -n READY }; zle -N zle-line-init\n";
    fs::write(directory.path().join(".zshrc"), start).unwrap();
    // The words are typed in a terminal of its own, when the shell says that it edits a line (it may lose what comes
    // before), and ^D lists the completions.
    let script = "zmodload zsh/zpty || exit 9
zpty shell 'ZDOTDIR=. zsh -d -i'
for words in 'hash -a sha2' 'hash -a md5,sha2' 'hash -f hash' 'match -a ssd' 'md5 -f md5d' 'md5,tlsh -f df' 'crc32'; do
    zpty -r -m shell out '*READY*'
    zpty -w -n shell \"pfh $words\"
    zpty -w -n shell $'\\C-d'
    zpty -w shell $'\\C-u'\"echo EN''D\"
    zpty -r -m shell out '*END*'
    print -r -- $out
done
zpty -d shell";
    fs::write(directory.path().join("script"), script).unwrap();
    if peer("zsh", directory.path(), ["--version"]).is_none() {
        return;
    }
    let output = peer("timeout", directory.path(), ["100", "zsh", "-f", "script"]).unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    for name in ["sha224", "sha256", "hashdeep", "ssdeep", "md5deep", "dfxml", "crc32c"] {
        assert!(text.contains(name), "{name}: {text:?}");
    }
}
