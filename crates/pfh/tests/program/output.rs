//! `-o`: the list appears whole or not at all, and never contains itself. Also the remains of an interruption.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use pfh_record::{FormatName, ReadOptions, Reader};
use pfh_testing::Random;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::fixture::*;

/// Longest wait after a signal; the program gives a hanging read two seconds.
const PROMPT: Duration = Duration::from_secs(8);

fn tree() -> TempDir {
    let directory = scratch();
    fs::create_dir(directory.path().join("t")).unwrap();
    fs::write(directory.path().join("t/f"), "x").unwrap();
    directory
}

fn read(directory: &TempDir, name: &str) -> String {
    fs::read_to_string(directory.path().join(name)).unwrap()
}

#[test]
fn a_whole_list_takes_the_place_of_the_old_one() {
    let directory = tree();
    fs::write(directory.path().join("list"), "old").unwrap();
    assert_eq_bytes(hash(directory.path(), ["-o", "list", "t"]).run().done(), b"");
    assert_eq!(read(&directory, "list"), line(b"x", "t/f"));
    assert_eq!(names(directory.path()), ["list", "t"].map(Path::new));
    // Like an ordinary new file.
    let usual = File::create(directory.path().join("usual")).unwrap().metadata().unwrap();
    let list = fs::metadata(directory.path().join("list")).unwrap();
    assert_eq!(list.permissions().mode(), usual.permissions().mode());
    // With files that cannot be read the list is still whole.
    hash(directory.path(), ["-q", "-o", "list", "t", "gone", "usual"]).run().expect(3, "");
    assert_eq!(read(&directory, "list"), line(b"x", "t/f") + &line(b"", "usual"));
}

#[test]
fn an_output_that_is_no_file_is_written_through() {
    let directory = tree();
    hash(directory.path(), ["-o", "/dev/null", "t"]).run().done();
    let name = directory.path().join("fifo");
    fifo(&name);
    let reader = thread::spawn(move || fs::read_to_string(name).unwrap());
    hash(directory.path(), ["-o", "fifo", "t"]).run().done();
    assert_eq!(reader.join().unwrap(), line(b"x", "t/f"));
}

/// The file behind standard output keeps what it has.
#[test]
fn a_name_of_standard_output_appends_to_its_file() {
    let directory = tree();
    fs::write(directory.path().join("list"), "before\n").unwrap();
    for name in ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"] {
        let list = File::options().append(true).open(directory.path().join("list")).unwrap();
        hash(directory.path(), ["-o", name, "t"]).with(|command| command.stdout(list)).run().expect(0, "");
    }
    let line = line(b"x", "t/f");
    assert_eq!(read(&directory, "list"), format!("before\n{line}{line}{line}"));
}

/// A list that took hours is not replaced by an empty one.
#[test]
fn an_empty_list_does_not_take_the_place_of_a_full_one() {
    let directory = tree();
    let d = directory.path();
    fs::create_dir(d.join("none")).unwrap();
    fs::write(d.join("list"), "old").unwrap();
    let kept = "pfh: no file was completed, so `list` is left as it was; --allow-empty replaces it\n";
    let gone = "pfh: `gone`: No such file or directory (os error 2)\n";
    for (arguments, said) in [
        (&["gone"][..], format!("{gone}{kept}")),
        (&["--exclude", "*", "t"], kept.to_owned()),
        (&["none"], kept.to_owned()),
        (&["-f", "jsonl", "none"], kept.to_owned()),
    ] {
        let ended = hash(d, [&["-o", "list"], arguments].concat()).run();
        assert_eq_bytes(ended.expect(3, &said), b"");
        assert_eq!(read(&directory, "list"), "old");
    }
    for command in ["compare", "match"] {
        let known: &[&str] = if command == "match" { &["--digest", "3:a6/G:asG"] } else { &[] };
        let ended = pfh(d, [&[command, "-o", "list"], known, &["gone"]].concat()).run();
        ended.expect(3, &format!("{gone}{kept}"));
        assert_eq!(read(&directory, "list"), "old");
    }
    fs::write(d.join("empty.jsonl"), hash(d, ["-f", "jsonl", "none"]).run().stdout).unwrap();
    for arguments in
        [&["dupes", "none"][..], &["covers", "none", "--by", "t"], &["convert", "-f", "gnu", "empty.jsonl"]]
    {
        let ended = pfh(d, [arguments, &["-q", "-o", "list"]].concat()).run();
        ended.expect(3, kept);
        assert_eq!(read(&directory, "list"), "old");
        pfh(d, [arguments, &["-q", "-o", "list", "--allow-empty"]].concat()).run().expect(0, "");
        assert_ne!(read(&directory, "list"), "old");
        fs::write(d.join("list"), "old").unwrap();
    }
    fs::remove_file(d.join("empty.jsonl")).unwrap();
    hash(d, ["-o", "list", "--allow-empty", "none"])
        .run()
        .expect(0, "pfh: no file was found to read, so `list` is empty\n");
    assert_eq!(read(&directory, "list"), "");
    // Without an old list, nothing can be lost.
    hash(d, ["-o", "new", "none"]).run().expect(0, "pfh: no file was found to read, so `new` is empty\n");
    hash(d, ["-o", "newer", "gone"]).run().expect(3, gone);
    assert_eq!((read(&directory, "new"), read(&directory, "newer")), (String::new(), String::new()));
    assert_eq!(names(d), ["list", "new", "newer", "none", "t"].map(Path::new));
}

#[test]
fn a_replaced_list_keeps_its_mode_and_owner() {
    let directory = tree();
    let d = directory.path();
    let list = d.join("list");
    for mode in [0o600, 0o640, 0o666] {
        fs::write(&list, "old").unwrap();
        fs::set_permissions(&list, fs::Permissions::from_mode(mode)).unwrap();
        hash(d, ["-o", "list", "t"]).run().done();
        assert_eq!(read(&directory, "list"), line(b"x", "t/f"));
        assert_eq!(fs::metadata(&list).unwrap().mode() & 0o7777, mode);
    }
    if is_root() {
        std::os::unix::fs::chown(&list, Some(65534), Some(65534)).unwrap();
        fs::set_permissions(&list, fs::Permissions::from_mode(0o640)).unwrap();
        hash(d, ["-o", "list", "t"]).run().done();
        let metadata = fs::metadata(&list).unwrap();
        assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o7777), (65534, 65534, 0o640));
    } else {
        // A write-protected list is not replaced by renaming either.
        fs::set_permissions(&list, fs::Permissions::from_mode(0o444)).unwrap();
        hash(d, ["-o", "list", "t"])
            .run()
            .expect(2, "pfh: `list` cannot be written: Permission denied (os error 13)\n");
    }
}

/// If the owner cannot be kept, that is reported.
#[test]
fn an_owner_that_cannot_be_kept_is_said() {
    if !is_root() {
        skipped(Need::Superuser, "only the superuser can make a file of somebody else");
        return;
    }
    let (directory, program) = public();
    let d = directory.path();
    fs::set_permissions(d, fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(d.join("f"), "x").unwrap();
    fs::write(d.join("list"), "old").unwrap();
    fs::set_permissions(d.join("list"), fs::Permissions::from_mode(0o666)).unwrap();
    let run = Run::new(&program, d, ["hash", "-o", "list", "f"]).with(|command| command.uid(65534).gid(65534));
    let said = "pfh: `list`: the new file will not have the owner or the mode of the old one: Operation not permitted (os error 1)\n";
    run.run().expect(0, said);
    assert_eq!(fs::read_to_string(d.join("list")).unwrap(), line(b"x", "f"));
    let metadata = fs::metadata(d.join("list")).unwrap();
    assert_eq!((metadata.uid(), metadata.mode() & 0o7777), (65534, 0o666));
}

#[test]
fn links_to_a_list_are_followed() {
    let directory = tree();
    let d = directory.path();
    fs::create_dir(d.join("lists")).unwrap();
    symlink("lists/real", d.join("link")).unwrap();
    symlink("link", d.join("second")).unwrap();
    symlink("round", d.join("round")).unwrap();
    // The link leads to no file at first, then to the new one.
    for _ in 0..2 {
        hash(d, ["-o", "second", "t"]).run().done();
        assert_eq!(read(&directory, "lists/real"), line(b"x", "t/f"));
        assert!(fs::symlink_metadata(d.join("link")).unwrap().is_symlink());
        assert_eq!(names(&d.join("lists")), ["real"].map(Path::new));
        fs::write(d.join("lists/real"), "old").unwrap();
    }
    let ended = hash(d, ["-o", "round", "t"]).run();
    ended.expect(2, "pfh: `round` cannot be written: Too many levels of symbolic links (os error 40)\n");
    hash(d, ["-o", "lists", "t"]).run().expect(2, "pfh: `lists` cannot be written: Is a directory (os error 21)\n");
    // Another name of an old list still leads to the old list.
    fs::hard_link(d.join("lists/real"), d.join("other")).unwrap();
    hash(d, ["-o", "link", "t"]).run().done();
    assert_eq!((read(&directory, "lists/real"), read(&directory, "other")), (line(b"x", "t/f"), "old".to_owned()));
}

/// The file that is replaced is not listed, and its other names are: they are files like any other.
#[test]
fn other_names_of_an_old_list_are_listed() {
    let directory = tree();
    let d = directory.path();
    fs::write(d.join("t/list"), "old").unwrap();
    fs::hard_link(d.join("t/list"), d.join("t/earlier")).unwrap();
    symlink("list", d.join("t/link")).unwrap();
    let expected = line(b"old", "t/earlier") + &line(b"x", "t/f");
    for arguments in [&["-o", "t/list", "t"][..], &["-o", "t/link", "--follow-files", "./t/../t"]] {
        fs::remove_file(d.join("t/list")).unwrap();
        fs::hard_link(d.join("t/earlier"), d.join("t/list")).unwrap();
        hash(d, arguments).run().done();
        assert_eq!(read(&directory, "t/list").replace("./t/../t/", "t/"), expected, "{arguments:?}");
    }
    assert_eq!(read(&directory, "t/earlier"), "old");
}

/// That holds for every command that reads files and writes to one.
#[test]
fn other_names_of_an_old_output_are_read() {
    let directory = tree();
    let d = directory.path();
    let old = Random::new(1).bytes(9000);
    fs::write(d.join("t/earlier"), &old).unwrap();
    fs::write(d.join("other"), &old).unwrap();
    let run = |words: &str| pfh(d, words.split(' ')).run();
    let link = || {
        let _ = fs::remove_file(d.join("out"));
        fs::hard_link(d.join("t/earlier"), d.join("out")).unwrap();
    };
    run("hash -o list t").done();
    run("hash -o one other").done();
    run("known build -q --class bad set one").expect(0, "");
    run("known build -q --class bad --blocks 4096 blocks other").expect(0, "");
    for (words, expected) in [
        ("dupes -q -o out t other", "t/earlier"),
        ("match -q -o out --known one t", "t/earlier matches"),
        ("match -q -o out --known set t", "t/earlier"),
        ("match -q -o out --blocks 4096 --known blocks t", "t/earlier"),
        ("verify -o out list", "all 2 files are as the list says"),
        ("verify -o out --size-first list", "all 2 files are as the list says"),
    ] {
        link();
        let ended = run(words);
        let found = read(&directory, "out");
        assert!(found.contains(expected), "{words}: {}\n{found}", ended.stderr);
    }
    // Only a set is replaced by another.
    fs::write(d.join("t/f"), &old).unwrap();
    fs::copy(d.join("blocks"), d.join("t/earlier")).unwrap();
    link();
    run("known build -q --blocks 4096 out t").expect(0, "");
    let about = run("known info out");
    assert!(String::from_utf8_lossy(about.done()).contains(
        "blocks    of 4,096 bytes, of 2 files
"
    ));
    let found = run("match -q --blocks 4096 --known out other");
    assert_eq!(found.code(), 1, "{}", found.stderr);
}

/// Also where that lies below a path.
#[test]
fn the_same_command_replaces_its_output() {
    let directory = tree();
    let d = directory.path();
    fs::create_dir(d.join("t/below")).unwrap();
    let bytes = Random::new(1).bytes(9000);
    for name in ["t/a", "t/b", "other"] {
        fs::write(d.join(name), &bytes).unwrap();
    }
    hash(d, ["-o", "known", "other"]).run().done();
    for (words, code) in [
        ("hash t -o t/below/c", 0),
        ("dupes t -o t/below/c", 1),
        ("covers other --by t -f csv -o t/below/c", 0),
        ("match --known known t -o t/below/c", 1),
        ("compare -a ssdeep -f csv t -o t/below/c", 0),
        ("known build --blocks 512 t/below/c t", 0),
    ] {
        for _ in 0..2 {
            let ended = pfh(d, words.split(' ').chain(["-q"])).run();
            assert_eq!(ended.code(), code, "{words}: {}", ended.stderr);
        }
        assert!(fs::metadata(d.join("t/below/c")).unwrap().len() > 0, "{words}");
        fs::remove_file(d.join("t/below/c")).unwrap();
    }
}

/// A list would overwrite a disk, perhaps the evidence.
#[test]
fn a_block_device_is_no_output() {
    let directory = tree();
    // No driver has this number, so nothing could be written there.
    let made = mknodat(CWD, directory.path().join("disk"), FileType::BlockDevice, Mode::RUSR | Mode::WUSR, 0xf04d);
    if made.is_err() {
        skipped(Need::Superuser, "only the superuser can make a node of a device");
        return;
    }
    let said =
        "pfh: `disk` cannot be written: it is a block device, and a list would overwrite what is on it; name a file\n";
    hash(directory.path(), ["-o", "disk", "t"]).run().expect(2, said);
}

/// That is told before anything is hashed for it.
#[test]
fn the_name_of_a_directory_is_no_output() {
    let directory = tree();
    let d = directory.path();
    for name in ["new/", "./new//", "t/"] {
        let said = format!("pfh: `{name}` cannot be written: Is a directory (os error 21)\n");
        hash(d, ["-o", name, "t"]).run().expect(2, &said);
    }
    assert_eq!(names(d), ["t"].map(Path::new));
}

/// Nothing that an option names is lost.
#[test]
fn an_input_is_no_output() {
    let directory = tree();
    let d = directory.path();
    for (name, text) in [("key", "Jefe"), ("paths", "t/f\n"), ("profile", "[options]\nthreads = 1\n")] {
        fs::write(d.join(name), text).unwrap();
        for words in [
            format!("-a hmac-sha256 --key-file {name} -o {name} t"),
            format!("--files-from {name} -o ./{name}"),
            format!("--files-from0 {name} -o {name}"),
            format!("--profile {name} -o {name} t"),
        ] {
            if words.contains("--profile") && name != "profile" {
                continue;
            }
            let said = format!("pfh: `{name}` is to be read and is also the output: name another file\n");
            hash(d, words.split(' ')).run().expect(2, &said);
            assert_eq!(read(&directory, name), text, "{words}");
        }
    }
}

/// Nor of the commands that compare, and of those that write digests in another form.
#[test]
fn an_input_of_other_commands_is_no_output() {
    let directory = scratch();
    let d = directory.path();
    for (name, seed) in [("ev", 1), ("ev2", 2)] {
        fs::write(d.join(name), Random::new(seed).bytes(20_000)).unwrap();
    }
    fs::write(d.join("paths"), "ev\n").unwrap();
    for words in [
        "hash -a md5 -f hashdeep -o known ev ev2",
        "hash -a ssdeep -o similar ev ev2",
        "compare --build-index index ev ev2",
        "known build -q set known",
        "known build -q --blocks 512 blocks ev",
    ] {
        pfh(d, words.split(' ')).run().done();
    }
    let files = || -> Vec<_> { names(d).into_iter().map(|name| (fs::read(d.join(&name)).unwrap(), name)).collect() };
    let before = files();
    for (words, name) in [
        ("dupes ev ev2 -o ev", "ev"),
        ("dupes --files-from paths -o paths", "paths"),
        ("dupes --digests known -o known", "known"),
        ("covers ev --by ev2 -o ev", "ev"),
        ("covers ev --by ev2 -o ev2", "ev2"),
        ("covers --digests known --by ev -o known", "known"),
        ("covers ev --by-digests known -o known", "known"),
        ("compare ev ev2 -o ev", "ev"),
        ("compare ev --against ev2 -o ev2", "ev2"),
        ("compare --heatmap ev ev ev2", "ev"),
        ("compare --digests similar -o similar", "similar"),
        ("compare --digests similar --build-index similar", "similar"),
        ("compare ev --against-digests similar -o similar", "similar"),
        ("compare --index index -o index ev", "index"),
        ("match --known known -o known ev", "known"),
        ("match --known bad=known -o known ev", "known"),
        ("match --known set -o set ev", "set"),
        ("match --known set --digests known -o known", "known"),
        ("match --known known --files-from paths -o paths", "paths"),
        ("match --known similar -o ev ev ev2", "ev"),
        ("match --known similar --digests similar -o similar", "similar"),
        ("match --digest 00112233445566778899aabbccddeeff -o ev ev ev2", "ev"),
        ("match --known blocks --blocks 512 -o blocks ev", "blocks"),
        ("match --known blocks --blocks 512 -o ev ev", "ev"),
        ("known build --blocks 512 ev ev2 ev", "ev"),
        ("known export set -f csv -o set", "set"),
        ("convert known -f jsonl -o known", "known"),
        ("lab advise --from ev -o ev", "ev"),
    ] {
        let said = format!("pfh: `{name}` is to be read and is also the output: name another file\n");
        pfh(d, words.split(' ')).run().expect(2, &said);
        assert!(files() == before, "{words}");
    }
}

#[test]
fn a_hyphen_is_standard_output() {
    let directory = tree();
    let d = directory.path();
    assert_eq!(hash(d, ["-o", "-", "t"]).run().done(), line(b"x", "t/f").as_bytes());
    let value = digest("crc32", b"x").to_string();
    let ended = pfh(d, ["match", "-a", "crc32", "--digest", &value, "-o", "-", "t"]).run();
    assert_eq!(ended.expect(1, ""), format!("t/f matches {value}\n").as_bytes());
    assert_eq!(
        pfh(d, ["compare", "-a", "mrsh-v2", "-f", "csv", "-o", "-", "t"]).run().done(),
        b"first,second,score\r\n"
    );
    let ended = pfh(d, ["frash", "--tests", "generation", "--runs", "1", "--bytes", "1000", "-o", "-"]).run();
    assert!(ended.done().starts_with(b"test,mode,"));
    let ended = hash(d, ["-o", "-", "--resume", "t"]).run();
    ended.expect(2, "pfh: --resume continues a file, and `-o -` is standard output (`-o ./-` is a file named `-`)\n");
    assert_eq!(names(d), ["t"].map(Path::new));
    hash(d, ["-o", "./-", "t"]).run().done();
    assert_eq!(read(&directory, "-"), line(b"x", "t/f"));
}

/// Neither the new list nor the one that it replaces is listed, under any name.
#[test]
fn a_list_does_not_list_itself() {
    let directory = tree();
    let t = directory.path().join("t");
    for (arguments, name) in [(&["-o", "a-list", "."][..], "a-list"), (&["-o", "./z-list", "."], "z-list")] {
        for _ in 0..2 {
            hash(&t, arguments).run().done();
            assert_eq!(fs::read_to_string(t.join(name)).unwrap(), line(b"x", "./f"), "{name}");
        }
        fs::remove_file(t.join(name)).unwrap();
    }
    // `pfh hash . > list`
    let list = File::create(t.join("a-list")).unwrap();
    hash(&t, ["."]).with(|command| command.stdout(list)).run().done();
    assert_eq!(fs::read_to_string(t.join("a-list")).unwrap(), line(b"x", "./f"));
    // Another descriptor than that of standard output leads to it.
    let list = File::create(t.join("a-list")).unwrap();
    hash(&t, ["-o", "/dev/fd/0", "."]).with(|command| command.stdin(list)).run().done();
    assert_eq!(fs::read_to_string(t.join("a-list")).unwrap(), line(b"x", "./f"));
    // As an argument it is refused, before anything happens to it.
    fs::write(t.join("a-list"), "old").unwrap();
    fs::hard_link(t.join("a-list"), t.join("same")).unwrap();
    for named in ["a-list", "same"] {
        let ended = hash(&t, ["-o", "a-list", "f", named]).run();
        let said = format!("pfh: `{named}` is to be read and is also the output: name another file\n");
        assert_eq_bytes(ended.expect(2, &said), b"");
        assert_eq!(fs::read_to_string(t.join("a-list")).unwrap(), "old");
    }
    assert_eq!(names(&t), ["a-list", "f", "same"].map(Path::new));
}

/// Makes a tree whose first files are small and whose last would take minutes.
fn endless() -> TempDir {
    let directory = tree();
    for number in 0..50 {
        fs::write(directory.path().join(format!("t/{number:02}")), number.to_string()).unwrap();
    }
    File::create(directory.path().join("z")).unwrap().set_len(1 << 40).unwrap();
    directory
}

#[test]
fn interrupted_with_an_output_file() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let directory = endless();
        fs::write(directory.path().join("list"), "old").unwrap();
        let running = hash(directory.path(), ["-a", "sha512", "-f", "jsonl", "-o", "list", "t", "z"]).start();
        running.wait_until_it_reads(&directory.path().join("z"));
        let sent = Instant::now();
        running.signal(signal);
        let ended = running.end();
        assert!(sent.elapsed() < PROMPT, "{:?}", sent.elapsed());
        ended.expect(130, "pfh: interrupted; what was finished is in `list.partial`\n");
        // The old list is unchanged; the partial one is a complete JSON Lines file that states that it is partial.
        assert_eq!(read(&directory, "list"), "old");
        let partial = read(&directory, "list.partial");
        let lines: Vec<serde_json::Value> = partial.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let (summary, files) = (lines.last().unwrap(), &lines[1..lines.len() - 1]);
        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["interrupted"], true);
        assert_eq!(files.len(), 51, "{partial}");
        for file in files {
            let name = file["path"].as_str().unwrap();
            let message = fs::read(directory.path().join(name)).unwrap();
            assert_eq!(file["digests"]["sha512"], digest("sha512", &message).to_string(), "{name}");
        }
        assert_eq!(names(directory.path()), ["list", "list.partial", "t", "z"].map(Path::new));
    }
}

/// The part has a name, however long that of the list is.
#[test]
fn interrupted_with_a_long_name() {
    let directory = endless();
    let part = "n".repeat(247) + ".partial";
    for length in [247, 248, 255] {
        let list = "n".repeat(length);
        let running = hash(directory.path(), ["-a", "sha512", "-o", &list, "t", "z"]).start();
        running.wait_until_it_reads(&directory.path().join("z"));
        running.signal(Signal::INT);
        running.end().expect(130, &format!("pfh: interrupted; what was finished is in `{part}`\n"));
        assert_eq!(read(&directory, &part).lines().count(), 51);
        fs::remove_file(directory.path().join(&part)).unwrap();
    }
}

/// `nohup` has SIGHUP ignored, and a script has Ctrl-C ignored by what it runs in the background.
#[test]
fn signals_that_are_ignored_at_the_start_stay_ignored() {
    let directory = endless();
    let script = "trap '' HUP INT; exec \"$0\" hash -a sha512 -o list t z";
    let mut running = Run::new("sh", directory.path(), ["-c", script, env!("CARGO_BIN_EXE_pfh")]).start();
    running.wait_until_it_reads(&directory.path().join("z"));
    for signal in [Signal::HUP, Signal::INT, Signal::HUP] {
        running.signal(signal);
    }
    thread::sleep(Duration::from_millis(500));
    assert!(running.child.try_wait().unwrap().is_none());
    running.signal(Signal::TERM);
    running.end().expect(130, "pfh: interrupted; what was finished is in `list.partial`\n");
}

/// A list that nobody writes, or not to its end, keeps nobody waiting who has enough of it.
#[test]
fn interrupted_while_a_list_is_awaited() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("a"), "a").unwrap();
    let list = line(b"a", "a");
    for (words, begun, said) in [
        ("convert -f jsonl -o list fifo", &*list, ""),
        ("convert --as gnu -f jsonl -o list fifo", &list, ""),
        ("certify --by x -o list fifo", &list, ""),
        ("shard --shards 2 -o plan --files-from fifo", "a\n", "; no plan was made"),
        ("dupes -o list --files-from fifo", "a\n", ""),
    ] {
        for is_open in [false, true] {
            // Another one each time: a process that other tests begin may have the end of the last for a moment.
            fs::remove_file(d.join("fifo")).ok();
            fifo(&d.join("fifo"));
            let writer = is_open.then(|| {
                let mut writer = File::options().read(true).write(true).open(d.join("fifo")).unwrap();
                writer.write_all(begun.as_bytes()).unwrap();
                writer
            });
            let running = pfh(d, words.split(' ')).start();
            running.wait_until_it_hangs();
            let sent = Instant::now();
            running.signal(Signal::TERM);
            let ended = running.end();
            assert!(sent.elapsed() < PROMPT, "{words}: {:?}", sent.elapsed());
            ended.expect(130, &format!("pfh: interrupted{}\n", if is_open { said } else { "" }));
            drop(writer);
        }
    }
    let left: Vec<_> = names(d).into_iter().filter(|name| name != Path::new("plan")).collect();
    assert_eq!(left, ["a", "fifo"].map(Path::new));
}

#[test]
fn interrupted_on_standard_output() {
    let directory = endless();
    let running = hash(directory.path(), ["-a", "sha512", "t", "z"]).start();
    running.wait_until_it_reads(&directory.path().join("z"));
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 130, "{}", ended.stderr);
    assert_eq!(ended.stderr, "pfh: interrupted; what was finished is on standard output\n");
    let printed = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(printed.lines().count(), 51, "{printed}");
    assert!(printed.ends_with('\n') && !printed.contains("  z"));
}

const MANY: usize = 1000;

/// Makes `t` with a thousand small files, and returns their lines.
fn many() -> (TempDir, String) {
    let directory = scratch();
    fs::create_dir(directory.path().join("t")).unwrap();
    let mut lines = String::new();
    for number in 0..MANY {
        let name = format!("t/{number:04}");
        fs::write(directory.path().join(&name), number.to_string()).unwrap();
        lines += &line(number.to_string().as_bytes(), &name);
    }
    (directory, lines)
}

/// Checks that a hanging run ends with a message, and has delivered at least `least` of the first lines.
#[track_caller]
fn assert_hanging_run_ends(running: Running, directory: &TempDir, expected: &str, list: Option<&str>, least: usize) {
    running.wait_until_it_hangs();
    let sent = Instant::now();
    running.signal(Signal::INT);
    let ended = running.end();
    assert!(sent.elapsed() < PROMPT, "{:?}", sent.elapsed());
    let (said, printed) = match list {
        Some(list) => (format!("pfh: interrupted; what was finished is in `{list}`\n"), read(directory, list)),
        None => (
            "pfh: interrupted; what was finished is on standard output\n".to_owned(),
            String::from_utf8(ended.stdout.clone()).unwrap(),
        ),
    };
    ended.expect(130, &said);
    assert!(expected.starts_with(&printed) && (printed.is_empty() || printed.ends_with('\n')), "{printed}");
    let count = printed.lines().count();
    assert!(count >= least, "{count} lines");
}

/// A hanging read cannot be ended, but the program exits and saves the finished part.
#[test]
fn interrupted_while_blocked() {
    // One FIFO has no writer, and one has a writer that writes nothing.
    let hang = |held: bool, mode: &str, least: usize| {
        let (directory, expected) = many();
        let name = directory.path().join("fifo");
        fifo(&name);
        let writer = held.then(|| File::options().read(true).write(true).open(&name).unwrap());
        let running = hash(directory.path(), ["--mode", mode, "-o", "list", "t", "fifo"]).start();
        assert_hanging_run_ends(running, &directory, &expected, Some("list.partial"), least);
        drop(writer);
    };
    // In the mode `smt` a thread holds only the file that it reads.
    thread::scope(|scope| {
        for (held, mode, least) in [
            (false, "adaptive", MANY),
            (true, "adaptive", MANY),
            (true, "mtp", MANY),
            (false, "mtp", MANY),
            (false, "smt", MANY),
        ] {
            scope.spawn(move || hang(held, mode, least));
        }
    });
}

/// Waiting for a stream does not delay other files.
#[test]
fn a_stream_holds_up_nothing_but_itself() {
    let hang = |medium: &str, mode: &str, readers: &str| {
        let (directory, expected) = many();
        fifo(&directory.path().join("fifo"));
        let options = ["--unordered", "--medium", medium, "--mode", mode, "-p", readers, "-t", "4"];
        // The stream is in the middle, so that it is handed out with other jobs.
        let running = hash(directory.path(), [&options[..], &["t", "fifo", "./t"]].concat()).start();
        running.wait_until_it_hangs();
        running.signal(Signal::INT);
        let ended = running.end();
        ended.expect(130, "pfh: interrupted; what was finished is on standard output\n");
        let mut printed: Vec<&str> = str::from_utf8(&ended.stdout).unwrap().lines().collect();
        let again = expected.replace("  t/", "  ./t/");
        let mut expected: Vec<&str> = expected.lines().chain(again.lines()).collect();
        printed.sort_unstable();
        expected.sort_unstable();
        assert!(printed == expected, "{medium}, {mode}: {} of {} lines", printed.len(), expected.len());
    };
    thread::scope(|scope| {
        for medium in ["solid-state", "rotating"] {
            for (mode, readers) in [("adaptive", "1"), ("mtp", "2"), ("smt", "1")] {
                scope.spawn(move || hang(medium, mode, readers));
            }
        }
    });
}

/// The list that a hanging run leaves is ended properly, too.
#[test]
fn interrupted_while_blocked_is_well_formed() {
    for format in ["dfxml", "jsonl"] {
        let (directory, _) = many();
        fifo(&directory.path().join("fifo"));
        let running = hash(directory.path(), ["-f", format, "-o", "list", "t", "gone", "fifo"]).start();
        running.wait_until_it_hangs();
        running.signal(Signal::INT);
        let said = "pfh: `gone`: No such file or directory (os error 2)\n\
            pfh: interrupted; what was finished is in `list.partial`\n";
        running.end().expect(130, said);
        let partial = read(&directory, "list.partial");
        let name = FormatName::from_name(format).unwrap();
        let listed: Result<Vec<_>, _> = Reader::new(name, partial.as_bytes(), ReadOptions::default()).collect();
        assert_eq!(listed.unwrap().len(), MANY + 1);
        // Each number takes one byte, and one more from 10, 100 and 1000 on.
        let counts = |form: fn(&str, u64) -> String| {
            [("files", MANY as u64 + 1), ("complete", MANY as u64), ("unreadable", 1), ("bytes", 2890)]
                .map(|(name, count)| form(name, count))
        };
        let (ended, counts) = match format {
            "dfxml" => ("interrupted='true'/>\n</dfxml>\n", counts(|name, count| format!(" {name}='{count}'"))),
            _ => (",\"interrupted\":true}\n", counts(|name, count| format!(",\"{name}\":{count}"))),
        };
        let partial = if format == "jsonl" { unchecked(&partial) } else { partial };
        let end = &partial[partial.len() - 300..];
        assert!(end.ends_with(ended) && counts.iter().all(|count| end.contains(count)), "{end}");
    }
}

/// The run gets two seconds after the first one.
#[test]
fn a_second_signal_ends_a_hanging_run_at_once() {
    let directory = scratch();
    fifo(&directory.path().join("fifo"));
    let running = hash(directory.path(), ["fifo"]).start();
    running.wait_until_it_hangs();
    // Two that come at once are one.
    for _ in 0..5 {
        running.signal(Signal::INT);
        thread::sleep(Duration::from_millis(100));
    }
    // After two seconds it would tell where its list is.
    running.end().expect(130, "pfh: interrupted\n");
}

#[test]
fn interrupted_on_standard_input() {
    for (mode, least) in [("adaptive", MANY), ("mtp", MANY), ("smt", MANY)] {
        let (directory, expected) = many();
        let (reader, writer) = io::pipe().unwrap();
        (&writer).write_all(b"some").unwrap();
        let run = hash(directory.path(), ["--mode", mode, "t", "-"]);
        let running = run.with(|command| command.stdin(reader)).start();
        assert_hanging_run_ends(running, &directory, &expected, None, least);
    }
}

/// A list of paths that never ends.
#[test]
fn interrupted_while_paths_are_awaited() {
    let (directory, expected) = many();
    let (reader, writer) = io::pipe().unwrap();
    (&writer).write_all(b"t\n").unwrap();
    let running = hash(directory.path(), ["--files-from", "-"]).with(|command| command.stdin(reader)).start();
    assert_hanging_run_ends(running, &directory, &expected, None, MANY);
}

/// `kill -9` leaves the old list, and nothing else if the filesystem has unnamed files.
#[test]
fn killed_with_an_output_file() {
    let directory = endless();
    fs::write(directory.path().join("list"), "old").unwrap();
    let running = hash(directory.path(), ["-a", "sha512", "-o", "list", "t", "z"]).start();
    running.wait_until_it_reads(&directory.path().join("z"));
    running.signal(Signal::KILL);
    assert_eq!(running.end().code(), 137);
    assert_eq!(read(&directory, "list"), "old");
    if has_unnamed_files(directory.path()) {
        assert_eq!(names(directory.path()), ["list", "t", "z"].map(Path::new));
    }
    assert!(fs::metadata(directory.path().join("list")).unwrap().nlink() == 1);
}
