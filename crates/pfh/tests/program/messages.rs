//! Messages on standard error: harmless names, few lines for many failures, and totals at the end.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use pfh_similarity::{Backend, Family};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use crate::fixture::*;

/// Escape, bidirectional override and isolate, line and paragraph separators, zero width, byte order mark, C1.
const ODD: &str = "a\u{1b}[2J\u{202e}\u{2066}\u{2028}\u{2029}\u{200b}\u{feff}\u{9b}z";
const ODD_SHOWN: &str = "a\\u{1b}[2J\\u{202e}\\u{2066}\\u{2028}\\u{2029}\\u{200b}\\u{feff}\\u{9b}z";

fn is_harmless(c: char) -> bool {
    c == '\n' || !(c.is_control() || "\u{202e}\u{2066}\u{2028}\u{2029}\u{200b}\u{feff}".contains(c))
}

/// Opens a terminal: the end at which its user sits, and that of programs.
fn terminal(columns: usize) -> (File, File) {
    let terminal = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap());
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let size = Winsize { ws_row: 24, ws_col: columns.try_into().unwrap(), ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).unwrap();
    let end = ptsname(&terminal, Vec::new()).unwrap();
    let end = OpenOptions::new().read(true).write(true).open(end.to_str().unwrap()).unwrap();
    (terminal, end)
}

/// Messages escape names, whatever their use and command.
#[test]
fn names_command_nothing() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "x").unwrap();
    fs::write(d.join("garbage"), "no list of anything\n").unwrap();
    fs::create_dir(d.join(format!("{ODD}-directory"))).unwrap();
    fs::write(d.join(format!("{ODD}-garbage")), "no list of anything\n").unwrap();
    let (odd, within) = (ODD.to_owned(), format!("{ODD}/below"));
    let (folder, garbage) = (format!("{ODD}-directory"), format!("{ODD}-garbage"));
    let lists: [&[&str]; 28] = [
        &["hash", &odd],
        &["hash", "-a", &odd, "f"],
        &["hash", "-f", &odd, "f"],
        &["hash", "-o", &within, "f"],
        &["hash", "-o", &folder, "f"],
        &["hash", "-o", &garbage, &odd],
        &["hash", "-o", &garbage, "f", &garbage],
        &["hash", "-o", &garbage, "--resume", "f"],
        &["hash", "-o", &within, "--resume", "f"],
        &["hash", "--files-from", &odd],
        &["hash", "--files-from0", &odd],
        &["hash", "--memory", &odd, "f"],
        &["hash", "--backend", &odd, "f"],
        &["hash", "--include", &format!("[{ODD}"), "f"],
        &["match", "--known", &odd, "f"],
        &["match", "--known", &garbage, "f"],
        &["match", "--digest", &odd, "f"],
        &["compare", &odd],
        &["compare", "--digests", &odd],
        &["compare", "--digests", &garbage],
        &["compare", "--index", &odd, "f"],
        &["compare", "--build-index", &within, "f"],
        &["frash", "--plots", &format!("f/{ODD}")],
        &["frash", "--tests", "generation", &odd],
        &["lab", "run", &odd],
        &["lab", "report", &odd],
        &["lab", "compare", &odd, &odd],
        &[&odd],
    ];
    for arguments in lists {
        let ended = pfh(d, arguments).with(|command| command.env("PFH_BACKEND", "portable")).run();
        assert!(matches!(ended.code(), 2 | 3), "{arguments:?}: {}", ended.code());
        assert!(ended.stderr.chars().all(is_harmless), "{arguments:?}: {:?}", ended.stderr);
        let is_shown = ended.stderr.starts_with("pfh: ") && ended.stderr.contains(ODD_SHOWN);
        assert!(is_shown, "{arguments:?}: {:?}", ended.stderr);
    }
}

/// Reports for people escape names, whatever becomes of the report, and tell names apart.
#[test]
fn names_in_reports_command_nothing() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("t")).unwrap();
    let files = [ODD.as_bytes(), b"y\x9b31m", b"y\x9c31m"].map(|name| d.join("t").join(path(name)));
    files.iter().for_each(|file| fs::write(file, "same").unwrap());
    hash(d, ["-o", "list", "t"]).run().done();
    hash(d, ["-f", "jsonl", "-o", "known", "t"]).run().done();
    fs::write(d.join("other"), line(b"other", "x")).unwrap();
    files.iter().for_each(|file| fs::write(file, "changed").unwrap());
    let reports: [&[&str]; 5] = [
        &["verify", "list"],
        &["verify", "-f", "html", "list"],
        &["match", "--only", "unknown", "--known", "bad=other", "t"],
        &["match", "--known", "bad=known", "--digests", "list"],
        &["dupes", "--digests", "list"],
    ];
    for arguments in reports {
        let ended = pfh(d, arguments).run();
        let text = str::from_utf8(&ended.stdout).unwrap();
        assert!(text.chars().all(is_harmless), "{arguments:?}: {text:?}");
        let is_shown = [ODD_SHOWN, "y\\x9b31m", "y\\x9c31m"].iter().all(|name| text.contains(name));
        assert!(is_shown, "{arguments:?}: {text:?} {:?}", ended.stderr);
    }
}

/// Formats that others read have the names as they are, but on a terminal, which would obey these.
#[test]
fn lists_on_a_terminal_command_nothing() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join(ODD), "x").unwrap();
    fs::write(d.join("list"), line(b"x", ODD)).unwrap();
    let lists: [&[&str]; 6] = [
        &["hash", ODD],
        &["hash", "--tag", ODD],
        &["hash", "-f", "csv", ODD],
        &["hash", "-o", "/dev/stdout", ODD],
        &["verify", "--compat", "gnu", "list"],
        &["match", "-q", "--known", "bad=list", "--names-only", ODD],
    ];
    for arguments in lists {
        let ended = pfh(d, arguments).run();
        let expected = String::from_utf8(ended.stdout.clone()).unwrap();
        assert!(expected.contains(ODD), "{arguments:?}: {expected:?} {:?}", ended.stderr);
        let (mut terminal, end) = terminal(200);
        let run = pfh(d, arguments).with(|command| command.stdout(end)).start();
        let mut written = Vec::new();
        // When all programs have closed a terminal, reading from it is an error.
        let _ = terminal.read_to_end(&mut written);
        assert_eq!(run.end().code(), ended.code(), "{arguments:?}");
        let expected = expected.replace(ODD, ODD_SHOWN).replace('\n', "\r\n");
        assert_eq!(String::from_utf8(written).unwrap(), expected, "{arguments:?}");
    }
}

#[test]
fn totals_come_last() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "x").unwrap();
    let ended = hash(d, ["-q", "f", "gone", "lost"]).run();
    assert_eq!((ended.code(), &*ended.stderr), (3, "pfh: totals: 1 file complete, 2 unreadable\n"));
    let digest = digest("sha256", b"x").to_string();
    let ended = pfh(d, ["match", "-q", "--digest", &digest, "f", "gone"]).run();
    assert_eq!((ended.code(), &*ended.stderr), (5, "pfh: totals: 1 file complete, 1 unreadable\n"));
    fs::write(d.join("list"), format!("{digest}  x\nno line\n")).unwrap();
    let ended = pfh(d, ["match", "-q", "--known", "list", "f"]).run();
    assert_eq!((ended.code(), &*ended.stderr), (5, "pfh: totals: 1 file complete, 1 line of lists unreadable\n"));
    let ended = pfh(d, ["compare", "-q", "f", "gone"]).run();
    assert_eq!((ended.code(), &*ended.stderr), (3, "pfh: totals: 1 file complete, 1 unreadable\n"));
    // Statistics count as totals.
    let ended = hash(d, ["-q", "--stats=json", "f", "gone"]).run();
    let stats: Value = serde_json::from_str(&ended.stderr).unwrap();
    assert_eq!((ended.code(), &stats["files"]["unreadable"]), (3, &1.into()));
    // If nothing is missing, there is no message.
    hash(d, ["f"]).run().done();
}

/// Ten thousand files with the same failure give ten lines and a number.
#[test]
fn many_failures_of_a_kind_are_counted() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir_all(d.join("t/deep")).unwrap();
    for number in 0..10_000 {
        symlink("nowhere", d.join(format!("t/{number:04}"))).unwrap();
    }
    symlink("nowhere", d.join("t/deep/one")).unwrap();
    let list: String =
        (0..10_000).map(|number| format!("t/{number:04}\n")).chain(["t/deep/one\n".to_owned()]).collect();
    fs::write(d.join("list"), list).unwrap();
    let missing = "No such file or directory (os error 2)";
    let named: String = (0..10).map(|number| format!("pfh: `t/{number:04}`: {missing}\n")).collect();
    let rest = format!("pfh: `t/deep/one`: {missing}\npfh: … and 9,990 more files in `t`: {missing}\n");
    let ended = hash(d, ["-f", "csv", "--files-from", "list"]).run();
    let printed = ended.expect(3, &(named + &rest));
    assert!(ended.stderr.ends_with("pfh: totals: 0 files complete, 10,001 unreadable\n"), "{}", ended.stderr);
    assert_eq!(printed.split(|&byte| byte == b'\n').count(), 10_001 + 2);
    let ended = hash(d, ["-f", "csv", "--verbose", "--files-from", "list"]).run();
    assert_eq!((ended.code(), ended.stderr.lines().count()), (3, 10_002));
}

/// A mistyped path is reported before hours of hashing; its record keeps its place.
#[test]
fn missing_paths_are_said_first() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("t")).unwrap();
    symlink("nowhere", d.join("t/dangling")).unwrap();
    fs::write(d.join("list"), "t/dangling\n").unwrap();
    File::create(d.join("large")).unwrap().set_len(1 << 40).unwrap();
    let run = hash(d, ["-f", "csv", "large", "gone", "gone"]);
    let running = run.with(|command| command.stderr(File::create(d.join("said")).unwrap())).start();
    let said = "pfh: `gone`: No such file or directory (os error 2)\n";
    eventually("the missing path is said", || fs::read_to_string(d.join("said")).unwrap() == said);
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.end().code(), 130);
    // Each is once in the list, and once in the messages, before others that come earlier in the list.
    fs::remove_file(d.join("large")).unwrap();
    fs::write(d.join("f"), "x").unwrap();
    let ended = hash(d, ["-f", "csv", "f", "t/dangling", "gone", "f"]).run();
    let missing = "No such file or directory (os error 2)";
    let printed =
        String::from_utf8(ended.expect(3, &format!("pfh: `t/dangling`: {missing}\n{said}")).to_vec()).unwrap();
    let paths: Vec<&str> = printed.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(paths, ["f", "t/dangling", "gone", "f"]);
    // Paths of a list are reported in its order.
    let ended = hash(d, ["--files-from", "list", "gone"]).run();
    ended.expect(3, &format!("{said}pfh: `t/dangling`: {missing}\n"));
}

/// A closed descriptor is neither an empty input nor a place for the list.
#[test]
fn closed_descriptors() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "x").unwrap();
    let program = env!("CARGO_BIN_EXE_pfh");
    let shell = |line: &str| Run::new("sh", d, ["-c", &line.replace("pfh", program)]).run();
    let bad = "Bad file descriptor (os error 9)";
    for arguments in [
        "hash f",
        "compare f",
        "match --digest 12345678 -a crc32 f",
        "frash",
        "algorithms",
        "cpu",
        "--version",
        "hash --help",
    ] {
        let ended = shell(&format!("pfh {arguments} >&-"));
        ended.expect(4, &format!("pfh: standard output: {bad}\n"));
    }
    shell("pfh hash -o list f >&-").done();
    assert_eq!(fs::read_to_string(d.join("list")).unwrap(), line(b"x", "f"));
    let ended = shell("pfh hash - f <&-");
    assert_eq!(ended.expect(3, &format!("pfh: `-`: {bad}\n")), line(b"x", "f").as_bytes());
    shell("pfh hash --files-from - <&-").expect(2, &format!("pfh: `-`: {bad}\n"));
    shell("pfh match --known - f <&-").expect(2, &format!("pfh: `-`: {bad}\n"));
    // Without standard error, the status remains.
    assert_eq!(shell("pfh hash gone 2>&-").code(), 3);
    assert_eq!(shell("pfh hash f 2>&-").done(), line(b"x", "f").as_bytes());
    // A descriptor redirected to the null device is not closed, however it was opened (many programs open it so for
    // others).
    for redirection in [">/dev/null", "1<>/dev/null", "1<>/dev/null 0<>/dev/null"] {
        shell(&format!("pfh hash f {redirection}")).done();
    }
    let null = || File::options().read(true).write(true).open("/dev/null").unwrap();
    let ended = hash(d, ["-", "f"]).with(|command| command.stdin(null()).stdout(Stdio::piped())).run();
    assert_eq!(ended.done(), (line(b"", "-") + &line(b"x", "f")).as_bytes());
}

#[test]
fn versions_name_the_program() {
    let directory = scratch();
    let version = pfh(directory.path(), ["--version"]).run();
    let version = str::from_utf8(version.done()).unwrap();
    let rest = version.strip_prefix(concat!("pfh ", env!("CARGO_PKG_VERSION"))).unwrap();
    let is_shown = rest == "\n" || (rest.starts_with(" (") && rest.ends_with(")\n"));
    assert!(is_shown, "{version}");
    for arguments in [&["-V"][..], &["hash", "-V"], &["lab", "run", "--version"]] {
        assert_eq!(pfh(directory.path(), arguments).run().done(), version.as_bytes(), "{arguments:?}");
    }
}

/// Families are listed with the kernel that takes most of the time, on this CPU and with the backend of the
/// environment.
#[test]
fn families_name_their_code_paths() {
    let directory = scratch();
    for backend in Backend::offered() {
        let json = pfh(directory.path(), ["algorithms", "--json"]);
        let json = json.with(|command| command.env("PFH_BACKEND", backend.name())).run();
        let lines: Vec<Value> =
            str::from_utf8(json.done()).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for family in Family::ALL {
            let line = lines.iter().find(|line| line["name"] == family.name()).unwrap();
            assert_eq!(line["backend"], family.kernels(backend)[0].instructions, "{family} {backend}");
        }
    }
}

/// Progress on a narrow terminal is one row, and nothing of it is left after an interruption.
#[test]
fn progress_fits_its_terminal_and_leaves_it() {
    const COLUMNS: usize = 40;
    let directory = scratch();
    let d = directory.path();
    let name = "a-name-that-is-by-itself-wider-than-the-terminal";
    fifo(&d.join(name));

    let (mut terminal, end) = terminal(COLUMNS);
    let run = hash(d, [name]).with(|command| command.env("TERM", "xterm").stderr(end)).start();
    let written = thread::spawn(move || {
        let mut written = Vec::new();
        // When all programs have closed a terminal, reading from it is an error.
        let _ = terminal.read_to_end(&mut written);
        String::from_utf8(written).unwrap()
    });
    let mut writer = OpenOptions::new().write(true).open(d.join(name)).unwrap();
    writer.write_all(b"some of it").unwrap();
    thread::sleep(Duration::from_secs(1));
    run.signal(Signal::INT);
    assert_eq!(run.end().code(), 130);

    let written = written.join().unwrap();
    let (progress, message) = written.rsplit_once("\r\x1b[2K").expect("the line is cleared before the last message");
    assert_eq!(message, "pfh: interrupted; what was finished is on standard output\r\n");
    let rows: Vec<&str> = progress.split("\r\x1b[2K").collect();
    assert!(rows.iter().any(|row| row.starts_with("0 files")), "{written:?}");
    for row in rows {
        assert!(row.chars().count() <= COLUMNS && !row.contains(['\n', '\x1b']), "{row:?} of {written:?}");
    }
}
