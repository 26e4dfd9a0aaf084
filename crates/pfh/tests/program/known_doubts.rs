//! Known-bad files are never called unknown with status 0, because something about them could not be told.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::fixture::*;

/// A directory with the folder `d` of the files `evil` and `ok`.
fn case() -> TempDir {
    let directory = scratch();
    fs::create_dir(directory.path().join("d")).unwrap();
    fs::write(directory.path().join("d/evil"), "evil contents").unwrap();
    fs::write(directory.path().join("d/ok"), "ok").unwrap();
    directory
}

/// Runs the words of a command, and returns its status, its output and its messages.
fn run(directory: &Path, words: &str, input: &str) -> (i32, String, String) {
    let ended = pfh(directory, words.split(' ')).input(input).run();
    (ended.code(), String::from_utf8_lossy(&ended.stdout).into_owned(), ended.stderr.clone())
}

fn md5(message: &[u8]) -> String {
    digest("md5", message).to_string()
}

/// Pipes have a size only once they were read.
#[test]
fn a_pipe_is_read_however_long_known_files_are() {
    let directory = case();
    fs::write(directory.path().join("case.csv"), format!("size,md5,path\n13,{},evil\n", md5(b"evil contents")))
        .unwrap();
    let words = "known build -q --class bad --columns md5=md5,size=size,name=path bad.pfhk case.csv";
    assert_eq!(run(directory.path(), words, "").0, 0);
    assert_eq!(run(directory.path(), "hash -q -a md5 -f hashdeep -o case.hashdeep d/evil", "").0, 0);
    for known in ["bad.pfhk", "bad=case.hashdeep"] {
        let (code, printed, said) = run(directory.path(), &format!("match -q --known {known} -"), "evil contents");
        assert!(code == 1 && printed.starts_with("known-bad"), "{known}: {code} {printed}{said}");
    }
}

/// Of two sizes that lines state of one file, either may be right; also after sets were joined.
#[test]
fn all_sizes_that_lines_state_are_looked_at() {
    let directory = case();
    let evil = md5(b"evil contents");
    fs::write(directory.path().join("two.csv"), format!("md5,size\n{evil},5\n{evil},13\n")).unwrap();
    let build = "known build -q --class bad --keep size --columns md5=md5,size=size two.pfhk two.csv";
    assert_eq!(run(directory.path(), build, "").0, 0);
    assert_eq!(run(directory.path(), "known build -q --keep size joined.pfhk two.pfhk", "").0, 0);
    assert_eq!(run(directory.path(), "known build -q --columns md5=md5,size=size lean.pfhk two.csv", "").0, 0);
    assert_eq!(run(directory.path(), "known build -q --class bad again.pfhk lean.pfhk", "").0, 0);
    let (_, about, _) = run(directory.path(), "known info --json again.pfhk", "");
    assert!(about.contains("\"sizes\":true"), "{about}");
    for known in ["two.pfhk", "joined.pfhk", "bad=again.pfhk"] {
        let (code, printed, _) = run(directory.path(), &format!("match -q --known {known} d"), "");
        assert!(
            code == 1 && printed.contains("known-bad    d/evil") && printed.contains("unknown      d/ok"),
            "{printed}"
        );
    }
}

/// 64 digits may be SHA-256, BLAKE3 and more. Without a match, the guess may be wrong.
#[test]
fn guessed_algorithms_are_doubted_with_classes_and_sets_too() {
    let directory = case();
    let path = directory.path();
    fs::write(path.join("case.txt"), format!("{}\n", digest("blake3", b"evil contents"))).unwrap();
    assert_eq!(run(path, "known build -q --class bad set.pfhk case.txt", "").0, 0);
    assert!(run(path, "known info set.pfhk", "").1.contains("  guessed sha256\n"));
    for known in ["bad=case.txt", "set.pfhk"] {
        let (code, _, said) = run(path, &format!("match --known {known} d"), "");
        assert!(
            code == 3 && said.contains("taken for sha256 because of the length, and nothing matches"),
            "{code} {said}"
        );
        assert_eq!(run(path, &format!("match --known {known} -a sha256 d"), "").0, 0);
    }
    assert_eq!(run(path, "match --known bad=case.txt -a blake3 d", "").0, 1);
    // A match shows that the guess was right.
    fs::write(path.join("right.txt"), format!("{}\n", digest("sha256", b"evil contents"))).unwrap();
    let (code, _, said) = run(path, "match --known bad=right.txt d", "");
    assert!(code == 1 && !said.contains("taken for"), "{code} {said}");
    // In a set of several sources, the one of the guess is named, and the guess can be settled when sets are joined.
    assert_eq!(run(path, "known build -q --class bad right.pfhk right.txt", "").0, 0);
    assert_eq!(run(path, "known build -q joined.pfhk right.pfhk set.pfhk", "").0, 0);
    let (code, printed, said) = run(path, "match --known joined.pfhk d", "");
    assert!(code == 5 && printed.starts_with("known-bad"), "{code} {printed}");
    assert!(said.contains("`case.txt in joined.pfhk`: its digests were taken for sha256"), "{said}");
    assert_eq!(run(path, "known build -q -a sha256 settled.pfhk right.pfhk set.pfhk", "").0, 0);
    let (code, _, said) = run(path, "match --known settled.pfhk d", "");
    assert!(code == 1 && !said.contains("taken for"), "{code} {said}");
}

/// A list without the digests of a set says nothing about what the set knows.
#[test]
fn entries_that_a_set_cannot_be_asked_about_are_counted() {
    let directory = case();
    let path = directory.path();
    let sha256 = |message: &[u8], name: &str| format!("{}  {name}\n", digest("sha256", message));
    fs::write(path.join("bad.md5"), format!("{}  evil\n", md5(b"evil contents"))).unwrap();
    fs::write(path.join("good.sha256"), sha256(b"ok", "ok")).unwrap();
    fs::write(path.join("seized.sha256"), sha256(b"evil contents", "evil") + &sha256(b"ok", "ok")).unwrap();
    let both = "match --known good=good.sha256 --known bad=bad.md5";
    assert_eq!(run(path, &format!("{both} d"), "").0, 1);
    let (code, printed, said) = run(path, &format!("{both} --digests seized.sha256"), "");
    assert!(code == 3 && printed.is_empty(), "{code} {printed}");
    assert!(said.contains("`seized.sha256`: 2 files without a digest by sha256, md5 cannot be classified"), "{said}");
    // The same where sets are subtracted and intersected.
    assert_eq!(run(path, "known build -q md5.pfhk bad.md5", "").0, 0);
    for option in ["--except", "--common"] {
        let build = format!("known build made.pfhk {option} md5.pfhk seized.sha256");
        let (code, _, said) = run(path, &build, "");
        assert!(code == 3 && said.contains("2 lines cannot be compared with the sets"), "{code} {said}");
        assert!(!path.join("made.pfhk").exists());
        assert_eq!(run(path, &format!("{build} --keep-going"), "").0, 3);
        assert!(run(path, "known info made.pfhk", "").1.contains("  refused 2 lines that"), "{option}");
        fs::remove_file(path.join("made.pfhk")).unwrap();
    }
}

/// A file that could not be read is no unknown file.
#[test]
fn files_that_a_list_has_without_digest_are_counted() {
    let directory = case();
    let path = directory.path();
    fs::write(path.join("other.sha256"), format!("{}  other\n", digest("sha256", b"other"))).unwrap();
    let hashed = pfh(path, ["hash", "-q", "-f", "jsonl", "-o", "l.jsonl", "d", "/proc/self/mem"]).run();
    assert_eq!(hashed.code(), 3, "{}", hashed.stderr);
    for known in ["other.sha256", "bad=other.sha256"] {
        let (code, _, said) = run(path, &format!("match --known {known} --digests l.jsonl"), "");
        assert!(code == 3 && said.contains("`l.jsonl`: 1 file without a digest by sha256"), "{known}: {code} {said}");
    }
    // The same of files that are looked for.
    for known in ["l.jsonl", "bad=l.jsonl"] {
        let (code, _, said) = run(path, &format!("match --known {known} d"), "");
        let is_told = said.contains("`l.jsonl`: 1 file without a digest by cryptographic algorithms");
        assert!(code == 5 && is_told, "{known}: {code} {said}");
    }
    let (code, _, said) = run(path, "known build set.pfhk l.jsonl", "");
    assert!(code == 3 && !path.join("set.pfhk").exists(), "{code} {said}");
    assert_eq!(run(path, "known build --keep-going set.pfhk l.jsonl", "").0, 3);
    assert!(
        run(path, "known info set.pfhk", "").1.contains("  refused 1 line that could not be read, or had no digest\n")
    );
    // A list of no use does not throw away what was found in files.
    fs::write(path.join("useless.crc32"), "00000000  a\n").unwrap();
    let (code, printed, said) = run(path, "match --known bad=other.sha256 --digests useless.crc32 d", "");
    assert!(code == 3 && printed.contains("unknown      d/ok"), "{code} {printed}{said}");
}

/// A list that was cut may lack the file that is looked for.
#[test]
fn a_list_without_its_end_is_told() {
    let directory = case();
    let path = directory.path();
    assert_eq!(run(path, "hash -q -a md5 -f jsonl -o l.jsonl d", "").0, 0);
    let list = fs::read_to_string(path.join("l.jsonl")).unwrap();
    fs::write(path.join("l.jsonl"), &list[..list.find("{\"type\":\"summary\"").unwrap()]).unwrap();
    fs::write(path.join("other.md5"), format!("{}  other\n", md5(b"other"))).unwrap();
    for (words, expected) in [
        ("match --known l.jsonl d", 5),
        ("match --known bad=l.jsonl d", 5),
        ("match --known other.md5 --digests l.jsonl", 3),
        ("match --known bad=other.md5 --digests l.jsonl", 3),
    ] {
        let (code, _, said) = run(path, words, "");
        assert!(code == expected && said.contains("pfh: `l.jsonl`: its end is missing\n"), "{words}: {code} {said}");
    }
    // Nothing is missing where it is another format.
    let (code, _, said) = run(path, "match --known l.jsonl --as hashdeep d", "");
    assert!(code == 2 && said.contains("not a list in the format") && !said.contains("its end"), "{code} {said}");
}

/// A match that cannot be printed is one all the same.
#[test]
fn matches_that_the_format_cannot_express_are_findings() {
    let directory = case();
    let path = directory.path();
    fs::create_dir(path.join("e")).unwrap();
    fs::write(path.join("e/line\nfeed"), "evil contents").unwrap();
    fs::write(path.join("k.md5"), format!("{}  evil\n", md5(b"evil contents"))).unwrap();
    let (code, printed, said) = run(path, "match --known k.md5 e", "");
    assert!(code == 5 && printed.is_empty() && said.contains("`e/line\\nfeed` is left out"), "{code} {said}");
    assert_eq!(run(path, "match -q -f csv --known k.md5 e", "").0, 1);
}

/// A set that somebody writes to in place has no right answers, and one that is replaced by another file stays.
#[test]
fn a_set_that_is_overwritten_while_it_is_in_use_is_noticed() {
    let directory = case();
    let path = directory.path();
    for (name, text) in [("old", "evil contents"), ("new", "other contents")] {
        fs::write(path.join(name), format!("{}  {name}\n", md5(text.as_bytes()))).unwrap();
        assert_eq!(run(path, &format!("known build -q --class bad {name}.pfhk {name}"), "").0, 0);
    }
    let set = path.join("live.pfhk");
    for (words, input) in [
        ("known lookup live.pfhk", format!("{}\n", md5(b"evil contents"))),
        ("match -q --known live.pfhk --fail-on none -", "evil contents".to_owned()),
        ("known build -q made.pfhk --except live.pfhk -", format!("{}\n", md5(b"third"))),
    ] {
        for is_in_place in [true, false] {
            fs::copy(path.join("old.pfhk"), &set).unwrap();
            let (reader, mut writer) = std::io::pipe().unwrap();
            let program = pfh(path, words.split(' ')).with(|command| command.stdin(reader)).start();
            program.wait_until_it_reads(&set);
            // It takes note of the file's state at once; and the times of the file have to differ.
            thread::sleep(Duration::from_millis(300));
            if is_in_place {
                fs::copy(path.join("new.pfhk"), &set).unwrap();
            } else {
                fs::copy(path.join("new.pfhk"), path.join("next")).unwrap();
                fs::rename(path.join("next"), &set).unwrap();
            }
            writer.write_all(input.as_bytes()).unwrap();
            drop(writer);
            let ended = program.end();
            let is_told = ended.stderr.contains("`live.pfhk`: the file was overwritten or truncated");
            let expected = if is_in_place { 3 } else { 0 };
            assert!(ended.code() == expected && is_told == is_in_place, "{words}: {} {}", ended.code(), ended.stderr);
            assert_eq!(path.join("made.pfhk").exists(), words.starts_with("known build") && !is_in_place);
        }
    }
}

#[test]
fn standard_input_is_given_to_one_reader() {
    let directory = case();
    let path = directory.path();
    fs::write(path.join("k.md5"), format!("{}  evil\n", md5(b"evil contents"))).unwrap();
    for words in [
        "match --known bad=- -",
        "match --known - -",
        "match --known bad=- --files-from -",
        "match --known bad=k.md5 --digests - -",
        "covers d --by-digests - --files-from -",
        "dupes --digests - -",
        "known build x.pfhk - -",
        "known lookup bad=-",
    ] {
        let (code, _, said) = run(path, words, &format!("{}\n", md5(b"evil contents")));
        let is_refused = said.contains("`-` is given 2 times, and standard input can be read only once");
        assert!(code == 2 && is_refused, "{words}: {code} {said}");
    }
}

/// Sets without names, and without a way from entries to digests.
#[test]
fn entries_that_were_not_found_can_be_identified() {
    let directory = case();
    let path = directory.path();
    let lost = digest("sha1", b"lost");
    fs::write(path.join("ml.txt"), format!("{}\n{lost}\n", md5(b"evil contents"))).unwrap();
    assert_eq!(run(path, "known build -q --class bad set.pfhk ml.txt", "").0, 0);
    for known in ["bad=ml.txt", "set.pfhk"] {
        let (_, printed, said) = run(path, &format!("match -q --known {known} --not-found --names-only d"), "");
        assert_eq!(printed, format!("{lost}\n"), "{known}: {said}");
    }
}

/// Sets have many algorithms by default, but not all.
#[test]
fn an_algorithm_that_has_to_be_named_is_suggested() {
    let directory = case();
    let path = directory.path();
    assert_eq!(run(path, "hash -q -a ripemd160 -f csv -o known.csv d/evil", "").0, 0);
    let (code, _, said) = run(path, "match --known bad=known.csv d", "");
    let reason = "`known.csv` has no digests of the algorithms that are taken without -a (`-a ripemd160` takes them); \
                  it has ripemd160";
    assert!(code == 2 && said.contains(reason), "{code} {said}");
    let (code, printed, said) = run(path, "match -a ripemd160 --known bad=known.csv d", "");
    assert!(code == 1 && printed.starts_with("known-bad    d/evil"), "{code} {printed}{said}");
    let (code, _, said) = run(path, "match -a sha256 --known bad=known.csv d", "");
    assert!(code == 2 && said.contains("has no digests of sha256; it has ripemd160"), "{code} {said}");
}

/// A set without the wanted digests, like a list, is no source.
#[test]
fn a_set_without_wanted_digests_makes_no_empty_set() {
    let directory = case();
    let path = directory.path();
    fs::write(path.join("k.md5"), format!("{}  evil\n", md5(b"evil contents"))).unwrap();
    assert_eq!(run(path, "known build -q k.pfhk k.md5", "").0, 0);
    let (code, _, said) = run(path, "known build -a sha512 t.pfhk k.pfhk", "");
    assert!(code == 2 && said.contains("`k.pfhk` has no digests of the algorithms of the set"), "{code} {said}");
    assert!(!path.join("t.pfhk").exists());
}

/// Digests with a key are known, too.
#[test]
fn a_key_is_used_with_classes() {
    let directory = case();
    let d = directory.path();
    fs::write(d.join("key"), "0123456789abcdef").unwrap();
    assert_eq!(run(d, "hash -q -a hmac-sha256 --key-file key -f csv -o keyed.csv d/evil", "").0, 0);
    let words = "match -q -a hmac-sha256 --key-file key --known bad=keyed.csv d";
    let (code, printed, said) = run(d, words, "");
    assert!(code == 1 && printed.contains("known-bad    d/evil"), "{code} {printed}{said}");
    assert_eq!(run(d, "match -q -a hmac-sha256 --known bad=keyed.csv d", "").0, 2);
}

/// Of a set without files, all are unknown, in every format.
#[test]
fn nothing_is_known_of_an_empty_set() {
    let directory = case();
    let d = directory.path();
    assert_eq!(run(d, "hash -q -a md5 -f csv -o all.csv d", "").0, 0);
    assert_eq!(run(d, "known build -q all.pfhk all.csv", "").0, 0);
    assert_eq!(run(d, "known build -q none.pfhk --except all.pfhk all.csv", "").0, 0);
    for format in ["", "-f csv ", "-f jsonl "] {
        let (code, _, said) = run(d, &format!("match {format}--known bad=none.pfhk d"), "");
        assert!(code == 0 && said.contains("files: 2,") && said.contains("unknown: 2"), "{code} {said}");
    }
}

/// A set that does not know a file says nothing about it, whatever digests it needs.
#[test]
fn other_sets_do_not_make_a_bad_file_unknown() {
    let directory = case();
    let d = directory.path();
    let sha256 = digest("sha256", b"evil contents");
    fs::write(d.join("bad.csv"), format!("path,size,md5,sha256\nevil,13,{},{sha256}\n", md5(b"a mistake"))).unwrap();
    fs::write(d.join("good.md5"), format!("{}  another\n", md5(b"another file"))).unwrap();
    for more in ["", " --known good=good.md5"] {
        let (code, printed, said) = run(d, &format!("match -q --known bad=bad.csv{more} d"), "");
        assert!(code == 1 && printed.contains("known-bad    d/evil"), "{code} {printed}{said}");
    }
}

/// Entries of lists are looked up as files are: by the named algorithm, or else by those that each set needs.
#[test]
fn digests_that_are_not_asked_for_decide_nothing() {
    let directory = case();
    let d = directory.path();
    let (right, wrong) = (md5(b"evil contents"), md5(b"a mistake"));
    let [sha1, sha256] = ["sha1", "sha256"].map(|name| digest(name, b"evil contents"));
    fs::write(d.join("known.csv"), format!("path,size,md5,sha1\nevil,13,{right},{sha1}\n")).unwrap();
    assert_eq!(run(d, "known build -q --class bad known.pfhk known.csv", "").0, 0);
    fs::write(d.join("list.csv"), format!("path,size,md5,sha1\na,13,{wrong},{sha1}\nb,13,{right},\n")).unwrap();
    let (code, printed, said) = run(d, "match -a sha1 --known known.pfhk --digests list.csv", "");
    assert!(code == 5 && printed.contains("known-bad    list.csv:a") && !printed.contains("list.csv:b"), "{printed}");
    assert!(said.contains("`list.csv`: 1 file without a digest by sha1 cannot be classified"), "{said}");
    // Without -a, the set needs both.
    let (code, printed, said) = run(d, "match --known known.pfhk --digests list.csv", "");
    assert!(code == 1 && printed.contains("unknown      list.csv:a"), "{code} {printed}{said}");
    // One that has SHA-256 needs nothing else.
    fs::write(d.join("known.csv"), format!("path,size,md5,sha256\nevil,13,{wrong},{sha256}\n")).unwrap();
    assert_eq!(run(d, "known build -q --class bad known.pfhk known.csv", "").0, 0);
    assert_eq!(run(d, "hash -q -a md5,sha256 -f csv -o list.csv d/evil", "").0, 0);
    for asked in ["d/evil", "--digests list.csv"] {
        let (code, printed, said) = run(d, &format!("match --known known.pfhk {asked}"), "");
        assert!(code == 1 && printed.starts_with("known-bad"), "{asked}: {code} {printed}{said}");
    }
}

/// A line is told if no entry that it might be, by a digest that it lacks, would count for more.
#[test]
fn lines_that_nothing_could_make_worse_are_told() {
    let directory = case();
    let d = directory.path();
    let (sha256, other) = (digest("sha256", b"ok"), md5(b"another file"));
    fs::write(d.join("set.csv"), format!("path,size,md5,sha256\nok,2,{},{sha256}\nother,,{other},\n", md5(b"ok")))
        .unwrap();
    fs::write(d.join("line"), format!("{sha256}  x\n")).unwrap();
    assert_eq!(run(d, "known build -q --class good set.pfhk set.csv", "").0, 0);
    let (code, printed, said) = run(d, "match --known set.pfhk --digests line", "");
    assert!(code == 0 && printed.contains("known-good   line:x"), "{code} {printed}{said}");
    let (code, _, said) = run(d, "match --known set.pfhk --known bad=set.csv --digests line", "");
    assert!(code == 1, "it is bad already: {code} {said}");
    // Another line may be the file of which the set has only MD5.
    fs::write(d.join("line"), format!("{}  x\n", digest("sha256", b"another file"))).unwrap();
    let (code, _, said) = run(d, "match --known set.pfhk --digests line", "");
    assert!(code == 3 && said.contains("`line`: 1 file without a digest by "), "{code} {said}");
}

#[test]
fn digests_without_names_are_told_by_themselves() {
    let directory = case();
    let d = directory.path();
    let evil = md5(b"evil contents");
    fs::write(d.join("digests"), format!("{evil}\n")).unwrap();
    let (code, printed, _) = run(d, "match -q -a md5 --known bad=digests --names-only --digests digests", "");
    assert_eq!((code, printed), (1, format!("{evil}\n")));
}

/// Lines of standard input keep their numbers, however long one is, and comments are no digests.
#[test]
fn long_lines_of_digests_are_single_lines() {
    let directory = case();
    let d = directory.path();
    let evil = md5(b"evil contents");
    fs::write(d.join("digests"), format!("{evil}\n")).unwrap();
    assert_eq!(run(d, "known build -q -a md5 --class bad set.pfhk digests", "").0, 0);
    for length in [4095, 4096, 65_536, 200_000] {
        let comment = format!("#{}{evil}", " ".repeat(length));
        let input = format!("\u{FEFF}{evil}\n{comment}\n{}\nnone\n{evil}\n", "x".repeat(length));
        let (code, printed, said) = run(d, "known lookup set.pfhk", &input);
        assert_eq!((code, printed.matches("known-bad").count()), (3, 2), "{length}: {printed}{said}");
        assert!(said.contains("line 3: `xxx") && said.contains("line 4: `none` is no digest"), "{length}: {said}");
        assert!(!said.contains("line 2") && !said.contains("line 5"), "{said}");
    }
}

/// A list that is being typed does not keep the program from ending.
#[test]
fn a_signal_ends_the_wait_for_a_list() {
    let directory = case();
    let d = directory.path();
    fs::write(d.join("digests"), format!("{}\n", md5(b"evil contents"))).unwrap();
    for known in ["bad=digests", "digests"] {
        fs::remove_file(d.join("endless")).ok();
        fifo(&d.join("endless"));
        let running = pfh(d, ["match", "-a", "md5", "--known", known, "--digests", "endless"]).start();
        let writer = fs::OpenOptions::new().write(true).open(d.join("endless")).unwrap();
        running.wait_until_it_reads(&d.join("endless"));
        running.signal(rustix::process::Signal::TERM);
        assert_eq!(running.end().code(), 130, "{known}");
        drop(writer);
    }
}

#[test]
fn look_ups_that_get_no_thread_are_refused() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "x").unwrap();
    hash(d, ["-o", "list", "f"]).run().done();
    pfh(d, ["known", "build", "-q", "set", "list"]).run().expect(0, "");
    let ended = pfh(d, ["known", "lookup", "set"]).with(no_threads).input("00\n").run();
    assert!(ended.code() == 2 && ended.stderr.contains("thread"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("internal error"), "{}", ended.stderr);
}

/// The digest of a piece is none of a file, so neither is a file known by it, nor asked about by it. A file whose name
/// ends as that of a piece is left out, too, which is told.
#[test]
fn pieces_are_no_known_files() {
    let directory = case();
    let path = directory.path();
    fs::create_dir(path.join("p")).unwrap();
    for (name, text) in [("piece", "evil con"), ("rest", "tents"), ("whole", "evil contents")] {
        fs::write(path.join("p").join(name), text).unwrap();
    }
    let told = "pfh: `list`: names that end with ` offset START-END` may be of pieces, and are left out: 2; \
                `pfh convert -f jsonl` makes a list in which they are files, or with --piecewise pieces\n";
    let useless = "pfh: `list` has no digests of ";
    for format in ["gnu", "bsd", "hashdeep", "md5deep"] {
        let hash = format!("hash -q -a md5 -f {format} --piecewise 8 -o list d/evil");
        assert_eq!(run(path, &hash, "").0, 0);
        let has_whole = ["gnu", "bsd"].contains(&format);
        for known in ["list", "bad=list"] {
            let (code, printed, said) = run(path, &format!("match --known {known} p"), "");
            if has_whole {
                assert!(code == 5 && said.contains(told), "{format} {known}: {code} {said}");
                let lines: Vec<&str> = printed.lines().filter(|line| !line.starts_with("unknown")).collect();
                assert!(lines.len() == 1 && lines[0].contains("p/whole"), "{format} {known}: {printed}");
            } else {
                assert!(code == 2 && said.contains(useless) && said.contains("pieces of files"), "{format}: {said}");
            }
        }
        let (code, _, said) = run(path, "known build set.pfhk list", "");
        assert!(code == if has_whole { 3 } else { 2 } && !path.join("set.pfhk").exists(), "{format}: {code} {said}");
        assert!(said.contains(if has_whole { told } else { useless }), "{format}: {said}");
        if has_whole {
            let (code, _, said) = run(path, "known build --keep-going --class bad set.pfhk list", "");
            assert!(code == 3 && said.contains("known files: 1, lines: 1"), "{format}: {code} {said}");
            assert!(run(path, "known info set.pfhk", "").1.contains("  refused 2 lines that"));
            assert!(run(path, "match -q --known set.pfhk p/piece", "").1.starts_with("unknown"), "{format}");
            fs::remove_file(path.join("set.pfhk")).unwrap();
        }
        // The digest of a piece is known: the file that has the piece is not.
        fs::write(path.join("known"), format!("{}  piece\n", md5(b"evil con"))).unwrap();
        for known in ["known", "bad=known"] {
            let (code, printed, said) = run(path, &format!("match --known {known} --digests list"), "");
            if has_whole {
                assert!(code == 3 && said.contains(told) && !printed.contains("offset"), "{format}: {printed}{said}");
            } else {
                assert!(code == 2 && said.contains(useless), "{format}: {code} {said}");
            }
        }
        // Both ways out of the doubt, which the message tells.
        assert_eq!(run(path, "convert -q -f jsonl -o files list", "").0, 0);
        let (code, printed, _) = run(path, "match --known bad=files p", "");
        let expected = if has_whole { 3 } else { 2 };
        assert_eq!((code, printed.matches("known-bad").count()), (1, expected), "{format}: {printed}");
        run(path, "convert -q --piecewise -f jsonl -o marked list", "");
        let (code, printed, said) = run(path, "match --known bad=marked p", "");
        if has_whole {
            assert_eq!((code, printed.matches("known-bad").count()), (1, 1), "{format}: {printed}");
        } else {
            assert!(code == 2 && said.contains("pieces of files"), "{format}: {code} {said}");
        }
    }
}
