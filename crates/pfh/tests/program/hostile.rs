//! Inputs that cannot be read, never end, or are no files: each has its outcome, its message and its exit status.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pfh_digest::Algorithm;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::fixture::*;

#[test]
fn unreadable_files_and_directories() {
    let (directory, program) = public();
    let tree = directory.path().join("t");
    fs::create_dir_all(tree.join("closed")).unwrap();
    fs::write(tree.join("closed/inside"), "1").unwrap();
    fs::write(tree.join("denied"), "2").unwrap();
    fs::write(tree.join("open"), "3").unwrap();
    for name in ["closed", "denied"] {
        fs::set_permissions(tree.join(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    // The superuser may read everything, so the program then runs as nobody, with the way to the tree open.
    let nobody = |run: Run| if is_root() { run.with(|command| command.uid(65534).gid(65534)) } else { run };
    let ended = nobody(Run::new(&program, directory.path(), ["hash", "t"])).run();
    let expected =
        "pfh: `t/closed`: Permission denied (os error 13)\npfh: `t/denied`: Permission denied (os error 13)\n";
    assert_eq!(ended.expect(3, expected), line(b"3", "t/open").as_bytes());
    let ended = nobody(Run::new(&program, directory.path(), ["hash", "-q", "-f", "csv", "-a", "crc32", "t"])).run();
    let printed = String::from_utf8(ended.expect(3, "").to_vec()).unwrap();
    let error = "unreadable,permission-denied: Permission denied (os error 13) (from byte 0),\r\n";
    assert!(printed.contains(&format!("t/closed,,,{error}")), "{printed}");
    assert!(printed.contains(&format!("t/denied,,,{error}")), "{printed}");
    fs::set_permissions(tree.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_not_there() {
    let directory = scratch();
    fs::write(directory.path().join("f"), "x").unwrap();
    symlink("nowhere", directory.path().join("dangling")).unwrap();
    let missing = "No such file or directory (os error 2)";
    let ended = hash(directory.path(), ["gone", "f", "f/below", "dangling", ""]).run();
    assert_eq!(
        ended.expect(
            3,
            &format!(
                "pfh: `gone`: {missing}\npfh: `f/below`: Not a directory (os error 20)\npfh: `dangling`: {missing}\npfh: ``: {missing}\n"
            )
        ),
        line(b"x", "f").as_bytes()
    );
}

/// Names cannot forge lines or control the reader's terminal.
#[test]
fn odd_names_in_messages() {
    let directory = scratch();
    let names: [&[u8]; 3] = [b"line\nfeed", b"\xff\x1b[31m", "é".as_bytes()];
    let ended = hash(directory.path(), names.map(path)).run();
    let text = "No such file or directory (os error 2)";
    ended.expect(3, &format!("pfh: `line\\nfeed`: {text}\npfh: `\\xff\\u{{1b}}[31m`: {text}\npfh: `é`: {text}\n"));
}

#[test]
fn paths_beyond_the_systems_limit() {
    let (directory, files) = odd();
    let deep = files.iter().find(|file| file.path.len() > 4096).unwrap();
    let ended = hash(directory.path(), ["--files-from0", "-", "-a", "md5"]).input(deep.path.clone()).run();
    let expected = [format!("{}  ", digest("md5", &deep.contents)).as_bytes(), &deep.path, b"\n"].concat();
    assert_eq_bytes(ended.done(), &expected);
    // One name is longer than the filesystem allows.
    let long = "n".repeat(300);
    let ended = hash(directory.path(), [&long]).run();
    ended.expect(3, &format!("pfh: `{long}`: File name too long (os error 36)\n"));
}

#[test]
fn loops_of_links() {
    let directory = scratch();
    fs::create_dir_all(directory.path().join("t/d")).unwrap();
    fs::write(directory.path().join("t/d/f"), "x").unwrap();
    symlink("..", directory.path().join("t/d/up")).unwrap();
    symlink("self", directory.path().join("t/self")).unwrap();
    assert_eq!(hash(directory.path(), ["t"]).run().done(), line(b"x", "t/d/f").as_bytes());
    let ended = hash(directory.path(), ["--follow-directories", "t"]).run();
    let said =
        "pfh: `t/d/up`: this directory is already being read, through a loop of links; it is not entered again\n";
    assert_eq!(ended.expect(0, said), line(b"x", "t/d/f").as_bytes());
    let ended = hash(directory.path(), ["t/self"]).run();
    ended.expect(3, "pfh: `t/self`: Too many levels of symbolic links (os error 40)\n");
}

/// FIFOs, sockets and devices that a walk finds are not opened: opening this FIFO would never come back.
#[test]
fn what_is_no_file_is_passed_over() {
    let directory = scratch();
    let tree = directory.path().join("t");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("f"), "x").unwrap();
    fifo(&tree.join("fifo"));
    drop(UnixListener::bind(tree.join("socket")).unwrap());
    let mut found = 2;
    if is_root() {
        // The device of /dev/zero: reading it would never end.
        mknodat(CWD, tree.join("zero"), FileType::CharacterDevice, Mode::RUSR, rustix::fs::makedev(1, 5)).unwrap();
        found += 1;
    }
    let ended = hash(directory.path(), ["--stats=json", "t"]).limit(Duration::from_secs(20)).run();
    assert_eq!((ended.code(), ended.stdout.as_slice()), (0, line(b"x", "t/f").as_bytes()));
    let stats: serde_json::Value = serde_json::from_str(&ended.stderr).unwrap();
    assert_eq!(stats["files"]["skipped"], found);
    // Named as an argument, a socket is an error and nothing hangs.
    let ended = hash(directory.path(), ["t/socket"]).limit(Duration::from_secs(20)).run();
    ended.expect(3, "pfh: `t/socket`: a socket cannot be read; name a file, a directory or a FIFO\n");
}

#[test]
fn a_named_fifo_is_read_to_its_end() {
    let directory = scratch();
    let name = directory.path().join("fifo");
    fifo(&name);
    let message = contents(1, 3_000_000);
    let writer = thread::spawn({
        let message = message.clone();
        move || File::options().write(true).open(name).unwrap().write_all(&message).unwrap()
    });
    assert_eq!(hash(directory.path(), ["fifo"]).run().done(), line(&message, "fifo").as_bytes());
    writer.join().unwrap();
}

/// Whoever looks at a list before it is read would take the writer's bytes.
#[test]
fn a_list_from_a_fifo_is_opened_once() {
    let directory = scratch();
    let d = directory.path();
    fs::write(d.join("f"), "known").unwrap();
    for name in ["fifo", "wanted.sql", "NSRLFile.txt", "release.zip"] {
        fifo(&d.join(name));
    }
    let list = format!("{}  f\n", digest("sha256", b"known"));
    let read = |words: &[&str], place: usize, status: i32| {
        let writer = thread::spawn({
            let (name, list) = (d.join(words[place]), list.clone());
            move || File::options().write(true).open(name).unwrap().write_all(list.as_bytes())
        });
        let ended = pfh(d, words).limit(Duration::from_secs(20)).run();
        assert_eq!(ended.code(), status, "{words:?}: {}", ended.stderr);
        writer.join().unwrap().unwrap();
    };
    for name in ["fifo", "NSRLFile.txt", "release.zip"] {
        read(&["known", "build", "-q", "set.pfhk", name], 4, 0);
    }
    read(&["match", "-q", "--known", "fifo", "f"], 3, 1);
    read(&["known", "lookup", "fifo", &digest("sha256", b"known").to_string()], 2, 0);
    read(&["verify", "-q", "--ignore-new", "fifo"], 3, 0);
    read(&["dupes", "-q", "--digests", "fifo"], 3, 0);
    read(&["convert", "-q", "fifo", "-f", "csv"], 2, 0);
    // A set, a filter or an archive cannot be a pipe, which is not opened at all.
    for words in [
        &["known", "info", "fifo"][..],
        &["known", "check", "release.zip"],
        &["known", "lookup", "set.pfhk", "--filter", "fifo", "00"],
        &["known", "build", "-q", "new.pfhk", "fifo/x"],
    ] {
        let ended = pfh(d, words).limit(Duration::from_secs(20)).run();
        assert_eq!(ended.code(), 2, "{words:?}: {}", ended.stderr);
    }
}

/// A block device is hashed if it is named, by every method of reading, and verified by such a list; below a directory
/// it is skipped.
#[test]
fn a_named_block_device() {
    /// Sets up a loop device, and removes it when dropped.
    struct Loop(String);
    impl Drop for Loop {
        fn drop(&mut self) {
            let _ = Command::new("losetup").args(["-d", &self.0]).status();
        }
    }
    let directory = scratch();
    let (image, message) = (directory.path().join("image"), contents(3, 3 << 20));
    fs::write(&image, &message).unwrap();
    let device = match Command::new("losetup").args(["--read-only", "--find", "--show"]).arg(&image).output() {
        Ok(set_up) if set_up.status.success() => Loop(String::from_utf8(set_up.stdout).unwrap().trim().to_owned()),
        _ => return skipped(Need::BlockDevice, "no loop device can be set up here"),
    };
    for mode in ["adaptive", "mtp", "smt"] {
        for io in ["buffered", "drop", "direct"] {
            let ended = hash(directory.path(), ["-t2", "--mode", mode, "--io", io, &device.0]).run();
            assert_eq!(ended.done(), line(&message, &device.0).as_bytes(), "{mode}, {io}");
        }
    }
    // Nothing else in its directory is compared, and below a directory that is named it is not read.
    hash(directory.path(), ["-f", "jsonl", "-o", "list", &device.0]).run().done();
    let verified = "Verified: the file is as the list says.\nExpected 1, found 1: 1 matched\n";
    for root in [None, Some(&device.0[..])] {
        let ended = pfh(directory.path(), ["verify", "list"].into_iter().chain(root)).run();
        assert_eq!(String::from_utf8_lossy(ended.done()), verified, "{root:?}");
    }
    let ended = pfh(directory.path(), ["verify", "list", "/dev", "--ignore-new"]).run();
    let told = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.code() == 3 && told.contains("  (a device; name it as ROOT to compare it; line "), "{told}");
    if is_root() {
        let number = fs::metadata(&device.0).unwrap().rdev();
        fs::create_dir(directory.path().join("d")).unwrap();
        mknodat(CWD, directory.path().join("d/device"), FileType::BlockDevice, Mode::RUSR, number).unwrap();
        assert_eq!(hash(directory.path(), ["d"]).run().done(), b"");
    }
}

#[test]
fn streams_longer_than_the_memory_option() {
    let directory = scratch();
    let message = contents(7, 20_000_000);
    let ended = hash(directory.path(), ["-m", "4M", "-a", "sha256", "-"]).input(message.clone()).run();
    assert_eq!(ended.done(), line(&message, "-").as_bytes());
    ended.kept_below(4);
}

/// Computes the digest of this number of zeros.
fn digest_of_zeros(algorithm: &str, length: u64) -> String {
    let mut hasher = Algorithm::from_name(algorithm).unwrap().hasher();
    let zeros = vec![0; 1 << 20];
    assert_eq!(length % (1 << 20), 0);
    for _ in 0..length >> 20 {
        hasher.update(&zeros);
    }
    hasher.finish().to_string()
}

#[test]
fn ten_gibibytes_sparse_and_nothing_at_all() {
    let directory = scratch();
    File::create(directory.path().join("empty")).unwrap();
    File::create(directory.path().join("sparse")).unwrap().set_len(10 << 30).unwrap();
    let ended = hash(directory.path(), ["-a", "crc32c", "-m", "64M", "empty", "sparse"]).run();
    assert_eq!(
        String::from_utf8_lossy(ended.done()),
        format!("{}  empty\n{}  sparse\n", digest("crc32c", b""), digest_of_zeros("crc32c", 10 << 30))
    );
    ended.kept_below(64);
}

#[test]
fn a_full_standard_output() {
    let directory = scratch();
    fs::write(directory.path().join("f"), "x").unwrap();
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let said = "pfh: the output could not be written: No space left on device (os error 28)\n";
    hash(directory.path(), ["f"]).with(|command| command.stdout(full())).run().expect(4, said);
    hash(directory.path(), ["-o", "/dev/full", "f"]).run().expect(4, said);
}

/// The old list stays, and no part of a new one is left. If standard error is closed, the list and the exit status are
/// still right.
#[test]
fn a_full_standard_error() {
    let directory = scratch();
    fs::write(directory.path().join("f"), "x").unwrap();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let ended = hash(directory.path(), ["gone", "f"]).with(|command| command.stderr(full)).run();
    assert_eq!((ended.code(), ended.stdout.as_slice()), (3, line(b"x", "f").as_bytes()));
}

/// The run does not begin, so there is no list that looks complete, and no hang.
#[test]
fn threads_that_the_system_refuses() {
    // Root always gets threads. The limit of a separate user counts no other processes.
    const USER: u32 = 954_321;
    let (directory, _program) = public();
    let tree = directory.path().join("t");
    fs::create_dir(&tree).unwrap();
    fs::set_permissions(&tree, fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(tree.join("f"), "x").unwrap();
    let limited = |processes: u32, options: &str| {
        let script = format!("ulimit -u {processes}; exec ./pfh hash {options} -m 512M -o t/list t/f");
        let run = Run::new("bash", directory.path(), ["-c", &script]);
        if is_root() { run.with(|command| command.uid(USER)).run() } else { run.run() }
    };
    // Some threads start before one is refused, if no others count.
    for processes in [1, 40] {
        for (options, threads) in [
            ("--mode adaptive -t 1000", 1000),
            ("--mode adaptive -t 1000 --progress always", 1000),
            ("--mode mtp -t 1000 -p 500", 1000),
            ("--mode mtp -t 1000 -p 1", 1000),
            ("--mode smt -t 1000", 1000),
            ("--io direct -t 900 -p 50", 950),
        ] {
            let ended = limited(processes, options);
            let message =
                format!("pfh: the system refused {threads} threads; ask for fewer, or raise its limit (ulimit -u)\n");
            // Progress may have printed a line before, if its thread was granted.
            let told = ended.stderr.strip_suffix(&message).unwrap_or_else(|| panic!("{}", ended.stderr));
            assert!(told.is_empty() || (options.contains("progress") && told.lines().count() == 1), "{told}");
            assert_eq!(ended.code(), 2);
            assert_eq!(names(&tree), [Path::new("f")]);
        }
    }
    if is_root() {
        let ended = limited(40, "--mode mtp -t 8 --progress always");
        assert!(ended.code() == 0 && ended.stderr.ends_with(", ended\n"), "{}", ended.stderr);
    }
}

#[test]
fn memory_that_the_system_refuses() {
    let directory = scratch();
    fs::write(directory.path().join("f"), b"").unwrap();
    for output in ["", "-f hashdeep", "-o list"] {
        let script =
            format!("ulimit -v 1000000; exec {} hash --mode mtp -t 2 -m 4G {output} f", env!("CARGO_BIN_EXE_pfh"));
        let ended = Run::new("bash", directory.path(), ["-c", &script]).run();
        assert_eq!(ended.code(), 2, "{}", ended.stderr);
        assert!(ended.stdout.is_empty());
        let [start, end] =
            ["pfh: the system refused ", " bytes for the memory table; ask for less memory, or for fewer threads\n"];
        assert!(ended.stderr.starts_with(start) && ended.stderr.ends_with(end), "{}", ended.stderr);
        assert_eq!(names(directory.path()), [Path::new("f")]);
    }
}

#[test]
fn a_full_disk_under_the_output() {
    if !is_root() {
        skipped(Need::Mount, "mounting a small disk needs the superuser");
        return;
    }
    let directory = scratch();
    let small = directory.path().join("small");
    let tree = directory.path().join("t");
    fs::create_dir(&small).unwrap();
    fs::create_dir(&tree).unwrap();
    for number in 0..2_000 {
        File::create(tree.join(format!("{number:0100}"))).unwrap();
    }
    if let Err(error) = mount("small", &small, "tmpfs", MountFlags::empty(), Some(c"size=64k")) {
        skipped(Need::Mount, format_args!("no small disk can be mounted: {error}"));
        return;
    }
    fs::write(small.join("list"), "old").unwrap();
    let whole = hash(directory.path(), ["-o", "small/list", "t"]).run();
    let names_after = names(&small);
    let old = fs::read(small.join("list")).unwrap();
    let journal = hash(directory.path(), ["-o", "small/journal", "--resume", "t"]).run();
    let kept = fs::read(small.join("journal")).unwrap();
    fs::remove_file(small.join("list")).unwrap();
    unmount(&small, UnmountFlags::DETACH).unwrap();

    let full = "pfh: the output could not be written: No space left on device (os error 28)";
    whole.expect(4, &format!("{full}; no list was left behind\n"));
    assert_eq!(names_after, [Path::new("list")]);
    assert_eq!(old, b"old");
    journal.expect(4, &format!("{full}; what was written before is still there, and --resume continues it\n"));
    assert!(kept.split(|&byte| byte == b'\n').count() > 100);
}

/// The message names the file, which may be on another disk than the sources.
#[test]
fn a_full_disk_under_a_set() {
    if !is_root() {
        skipped(Need::Mount, "mounting a small disk needs the superuser");
        return;
    }
    let directory = scratch();
    let d = directory.path();
    let small = d.join("small");
    fs::create_dir(&small).unwrap();
    let list: String = (0..40_000_u32).map(|number| format!("{}\n", digest("sha1", &number.to_le_bytes()))).collect();
    fs::write(d.join("list"), list).unwrap();
    pfh(d, ["known", "build", "-q", "set", "list"]).run().expect(0, "");
    if let Err(error) = mount("small", &small, "tmpfs", MountFlags::empty(), Some(c"size=64k")) {
        skipped(Need::Mount, format_args!("no small disk can be mounted: {error}"));
        return;
    }
    let built = pfh(d, ["known", "build", "-q", "small/set", "list"]).run();
    let exported = ["digests", "bloom"]
        .map(|format| pfh(d, ["known", "export", "-q", "set", "-f", format, "-o", "small/out"]).run());
    let names_after = names(&small);
    unmount(&small, UnmountFlags::DETACH).unwrap();
    let full = "could not be written: No space left on device (os error 28)";
    built.expect(4, &format!("pfh: the set `small/set` {full}; no set was made\n"));
    for (exported, word) in exported.iter().zip(["list", "filter"]) {
        exported.expect(4, &format!("pfh: the {word} `small/out` {full}; no {word} was made\n"));
    }
    assert!(names_after.is_empty());
}

/// `pfh … | head -1`: an incomplete run never looks like a complete one, and findings up to then count.
#[test]
fn a_reader_that_closes_the_pipe() {
    let directory = scratch();
    let d = directory.path();
    for number in 0..300 {
        fs::write(d.join(format!("{number:0100}")), "some text, the same in all files, so that they are alike")
            .unwrap();
    }
    fs::write(d.join("known"), digest("sha256", &fs::read(d.join(format!("{:0100}", 0))).unwrap()).to_string())
        .unwrap();
    fs::create_dir(d.join("none")).unwrap();
    let closed = |arguments: &[&str]| {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        pfh(d, arguments).with(|command| command.stdout(writer)).run().code()
    };
    for (status, arguments) in [
        (141, &["hash", "."][..]),
        (3, &["hash", "gone", "."]),
        (1, &["match", "--known", "known", "."]),
        (5, &["match", "--known", "known", "gone", "."]),
        // Nothing matches, so nothing is written, and the run reaches its end.
        (0, &["match", "--known", "known", "none"]),
        (141, &["compare", "--threshold", "0", "-a", "mrsh-v2", "."]),
        (3, &["compare", "--threshold", "0", "-a", "mrsh-v2", "gone", "."]),
        (141, &["frash", "--tests", "generation", "--runs", "1", "--bytes", "10000"]),
        (141, &["algorithms"]),
        (141, &["cpu", "--json"]),
        (141, &["completions", "bash"]),
        (141, &["--help"]),
        (141, &["hash", "--help"]),
        (141, &["--version"]),
        (141, &["lab", "list"]),
        (2, &["hash", "--such"]),
    ] {
        assert_eq!(closed(arguments), status, "{arguments:?}");
    }
}

/// Matches and unreadable input both show in the status.
#[test]
fn a_match_does_not_hide_what_was_not_read() {
    let directory = scratch();
    fs::write(directory.path().join("f"), "x").unwrap();
    let value = digest("sha256", b"x").to_string();
    let other = digest("sha256", b"y").to_string();
    for (status, arguments) in [
        (1, &["match", "-q", "-a", "sha256", "--digest", &value, "f"][..]),
        (5, &["match", "-q", "-a", "sha256", "--digest", &value, "f", "gone"]),
        (5, &["match", "-q", "-a", "sha256", "--digest", &value, "gone", "f"]),
        (3, &["match", "-q", "-a", "sha256", "--digest", &other, "f", "gone"]),
        (0, &["match", "-q", "-a", "sha256", "--digest", &other, "f"]),
    ] {
        assert_eq!(pfh(directory.path(), arguments).run().code(), status, "{arguments:?}");
    }
}

/// Runs on a sparse file that takes many seconds, and calls `change` once the program has it open.
fn while_read(name: &str, change: impl FnOnce(&File)) -> Ended {
    let directory = scratch();
    let file = File::create(directory.path().join(name)).unwrap();
    file.set_len(4 << 30).unwrap();
    fs::write(directory.path().join("z"), "calm").unwrap();
    let running = hash(directory.path(), ["-a", "sha256", name, "z"]).start();
    running.wait_until_it_reads(&directory.path().join(name));
    change(&file);
    running.end()
}

#[test]
fn a_file_that_changes_while_it_is_read() {
    let said = "pfh: `f`: changed while it was read; no digest is given. Run again when it no longer changes\n";
    let calm = line(b"calm", "z");
    let truncated = while_read("f", |file| file.set_len(100).unwrap());
    assert_eq!(truncated.expect(3, said), calm.as_bytes());
    let grown = while_read("f", |file| file.write_all_at(b"more", 4 << 30).unwrap());
    assert_eq!(grown.expect(3, said), calm.as_bytes());
}

/// Reading a log to which others keep appending ends.
#[test]
fn a_file_that_grows_for_ever() {
    let directory = scratch();
    let mut log = File::create(directory.path().join("log")).unwrap();
    log.write_all(&contents(3, 8 << 20)).unwrap();
    let ended = AtomicBool::new(false);
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) && log.metadata().unwrap().len() < 1 << 30 {
                log.write_all(&[1; 4096]).unwrap();
            }
        });
        let outcome = hash(directory.path(), ["-a", "md5", "log"]).limit(Duration::from_secs(30)).run();
        ended.store(true, Ordering::Relaxed);
        outcome
    });
    let said = "pfh: `log`: changed while it was read; no digest is given. Run again when it no longer changes\n";
    assert_eq_bytes(outcome.expect(3, said), b"");
}

/// Directories that appear and vanish during the walk are reported or not seen; nothing else happens.
#[test]
fn a_tree_that_vanishes_under_the_walk() {
    let directory = scratch();
    let tree = directory.path().join("t");
    for outer in 0..20 {
        for inner in 0..20 {
            let leaf = tree.join(format!("{outer:02}/{inner:02}"));
            fs::create_dir_all(&leaf).unwrap();
            fs::write(leaf.join("f"), "x").unwrap();
        }
    }
    fs::write(directory.path().join("z"), "calm").unwrap();
    let running = hash(directory.path(), ["t", "z"]).start();
    let started = Instant::now();
    while fs::remove_dir_all(&tree).is_err() {
        assert!(started.elapsed() < Duration::from_secs(20));
    }
    let ended = running.end();
    assert!(matches!(ended.code(), 0 | 3), "{} {}", ended.code(), ended.stderr);
    assert_eq!(ended.code() == 3, !ended.stderr.is_empty());
    let is_about_absence =
        |line: &str| (line.starts_with("pfh: `t") || line.starts_with("pfh: … and ")) && line.ends_with("(os error 2)");
    assert!(ended.said().lines().all(|line| is_about_absence(line) || line.contains("changed")), "{}", ended.stderr);
    let printed = String::from_utf8(ended.stdout.clone()).unwrap();
    let value = digest("sha256", b"x").to_string();
    assert!(printed.ends_with(&line(b"calm", "z")), "{printed}");
    assert!(printed.lines().all(|line| line.starts_with(&value) || line.ends_with("  z")), "{printed}");
}
