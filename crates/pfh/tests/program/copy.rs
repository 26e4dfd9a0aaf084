//! `pfh copy`: what arrives, what is refused, and what interruptions leave.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use pfh_testing::Random;
use rustix::process::Signal;

use crate::fixture::*;

fn copy(directory: &Path, arguments: &[&str]) -> Ended {
    pfh(directory, [&["copy"], arguments].concat()).run()
}

/// The thing that a name in a tree stands for: type and mode, time, link text or contents.
#[derive(Debug, PartialEq)]
struct Seen {
    mode: u32,
    mtime: Option<SystemTime>,
    contents: Vec<u8>,
}

/// Returns everything below a directory but devices, sockets and pipes.
fn tree(root: &Path) -> BTreeMap<PathBuf, Seen> {
    let mut seen = BTreeMap::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(root.join(&directory)).unwrap() {
            let path = directory.join(entry.unwrap().file_name());
            let (full, found) = (root.join(&path), fs::symlink_metadata(root.join(&path)).unwrap());
            let kind = found.file_type();
            let contents = if kind.is_dir() {
                waiting.push(path.clone());
                Vec::new()
            } else if kind.is_symlink() {
                fs::read_link(&full).unwrap().into_os_string().into_encoded_bytes()
            } else if kind.is_file() {
                fs::read(&full).unwrap()
            } else {
                continue;
            };
            seen.insert(path, Seen { mode: found.mode(), mtime: found.modified().ok(), contents });
        }
    }
    seen
}

/// Checks that both trees are the same.
#[track_caller]
fn same(one: &Path, other: &Path) {
    let (one, other) = (tree(one), tree(other));
    let different = |path: &&PathBuf| one.get(*path) != other.get(*path);
    let paths: Vec<_> = one.keys().chain(other.keys()).filter(different).collect();
    assert!(paths.is_empty() && !one.is_empty(), "{paths:?}");
}

fn put(directory: &Path, name: &str, contents: impl AsRef<[u8]>) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

fn age(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    fs::File::open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn everything_arrives_with_times_modes_holes_and_links() {
    let directory = scratch();
    let d = directory.path();
    let t = d.join("tree");
    put(&t, "many/blocks", contents(3, 3_000_000));
    put(&t, "many/mode", "x");
    fs::set_permissions(t.join("many/mode"), fs::Permissions::from_mode(0o4711)).unwrap();
    fs::hard_link(t.join("many/mode"), t.join("many/second")).unwrap();
    fs::hard_link(t.join("many/mode"), t.join("third")).unwrap();
    fs::create_dir_all(t.join("closed/empty")).unwrap();
    symlink("../nowhere", t.join("closed/link")).unwrap();
    fs::set_permissions(t.join("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::File::create(t.join("holes")).unwrap().set_len(40 << 20).unwrap();
    age(&t.join("many/blocks"), 1_000_000_000);
    age(&t.join("closed"), 1_100_000_000);
    age(&t.join("many"), 1_200_000_000);

    let ended = copy(d, &["tree", "out", "-f", "jsonl", "-o", "list"]);
    ended.expect(0, "pfh: 5 files, 44.9 MB, and 1 symbolic link; read back and equal\n");
    same(&t, &d.join("out/tree"));
    assert_eq!(names(&d.join("out")), [PathBuf::from("tree")]);
    let inode = |name: &str| fs::metadata(d.join("out/tree").join(name)).unwrap().ino();
    assert_eq!((inode("many/second"), inode("third")), (inode("many/mode"), inode("many/mode")));
    assert!(fs::metadata(d.join("out/tree/holes")).unwrap().blocks() < 1000);
    // The list is one of what is at the destination.
    assert_eq!(fs::read_to_string(d.join("list")).unwrap().matches("\"type\":\"file\"").count(), 5);
    assert_eq!(pfh(d, ["verify", "-q", "list", "out"]).run().code(), 0);
    // The directory could not be removed otherwise by a user who is not the superuser.
    for closed in ["tree/closed", "out/tree/closed"] {
        fs::set_permissions(d.join(closed), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// The same command goes on where the system refused the thread that verifies.
#[test]
fn a_thread_that_the_system_refuses() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/f", "one");
    let ended = pfh(d, ["copy", "s", "out"]).with(no_threads).run();
    assert_eq!(ended.code(), 2, "{}", ended.stderr);
    let said = ended.said();
    assert!(said.starts_with("pfh: the system refused ") && said.ends_with("limit (ulimit -u)\n"), "{said}");
    assert_eq!(copy(d, &["s", "out"]).code(), 0);
    same(&d.join("s"), &d.join("out/s"));
}

/// Names of any bytes and paths of any length arrive.
#[test]
fn odd_names_arrive() {
    let (directory, files) = odd();
    let d = directory.path();
    copy(d, &["tree", "out", "-q", "-o", "list", "-f", "jsonl"]).done();
    let there = hash(&d.join("out"), ["tree"]).run();
    assert_eq!(there.stdout, hash(d, ["tree"]).run().stdout);
    assert_eq!(there.stdout.split(|&byte| byte == b'\n').count(), files.len() + 1);
    assert_eq!(pfh(d, ["verify", "-q", "list", "out"]).run().code(), 0);
}

/// Paths that are too long for one call of the system are found again, and arrive with everything.
#[test]
fn long_paths_are_kept_and_found_again() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("s")).unwrap();
    deep(
        &d.join("s"),
        17,
        "set -e; echo 1 > file; ln file second; truncate -s 4M holes; ln -s nowhere link; mkdir empty\n\
         touch -h -d @1100000000 link; chmod 750 empty; touch -d @1000000000 empty; chmod 711 .; touch -d @1200000000 .",
    );
    let said = "pfh: 3 files, 4.19 MB, and 1 symbolic link; read back and equal";
    copy(d, &["s", "out"]).expect(0, &format!("{said}\n"));
    let check = "set -e; test $(cat file) = 1; test $(stat -c %h second) = 2; test $(readlink link) = nowhere\n\
        test $(stat -c %s holes) = 4194304; test $(stat -c %b holes) -lt 1000; test $(stat -c %Y link) = 1100000000\n\
        test $(stat -c %a:%Y empty) = 750:1000000000; test $(stat -c %a:%Y .) = 711:1200000000";
    deep(&d.join("out/s"), 17, check);
    copy(d, &["s", "out", "-o", "list"]).expect(0, &format!("{said}; 3 were there before\n"));
    deep(&d.join("out/s"), 17, check);
    assert_eq!(fs::read_to_string(d.join("list")).unwrap().lines().count(), 3);
}

/// Standard output is needed for a list only.
#[test]
fn a_copy_without_a_list_needs_no_standard_output() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/a", "1");
    let closed = |arguments: &str| {
        let script = format!("exec \"$0\" copy s out {arguments} >&-");
        Run::new("sh", d, ["-c", &script, env!("CARGO_BIN_EXE_pfh")]).run()
    };
    closed("-o -").expect(4, "pfh: standard output: Bad file descriptor (os error 9)\n");
    assert!(!d.join("out").exists());
    closed("").expect(0, "pfh: 1 file, 1 B; read back and equal\n");
    assert_eq!(fs::read(d.join("out/s/a")).unwrap(), b"1");
}

#[test]
fn several_sources_and_destinations_are_read_once() {
    let directory = scratch();
    let d = directory.path();
    put(d, "one/a", contents(1, 8 << 20));
    put(d, "two/b", contents(2, 8 << 20));
    put(d, "three", "3");
    let ended = copy(d, &["one/", "two", "three", "--to", "x", "--to", "new/y", "-a", "md5,sha1", "-o", "list"]);
    ended.expect(0, "pfh: 3 files, 16.8 MB, at 2 destinations; read back and equal\n");
    for destination in ["x", "new/y"] {
        let destination = d.join(destination);
        assert_eq!(names(&destination), ["a", "three", "two"].map(PathBuf::from));
        assert_eq!(fs::read(destination.join("a")).unwrap(), contents(1, 8 << 20));
        same(&d.join("two"), &destination.join("two"));
        let checked =
            Command::new("cksum").args(["-c", "--quiet", "../list"]).current_dir(d.join("x")).status().unwrap();
        assert!(checked.success());
    }
    // Each source once, and each of two copies once.
    assert!(ended.read_bytes < 3 * (17 << 20), "{}", ended.read_bytes);
    assert!(fs::read_to_string(d.join("list")).unwrap().starts_with("MD5 (a) = "));
}

#[test]
fn nothing_is_replaced() {
    let directory = scratch();
    let d = directory.path();
    for name in ["equal", "longer", "other", "link", "directory", "free", "deep/1", "linked/2"] {
        put(d, &format!("s/{name}"), name);
    }
    symlink("equal", d.join("s/s1")).unwrap();
    symlink("equal", d.join("s/s2")).unwrap();
    for (name, contents) in [("equal", "equal"), ("longer", "longest"), ("other", "OTHER"), ("deep", "a file")] {
        put(d, &format!("out/{name}"), contents);
    }
    fs::create_dir_all(d.join("out/directory/with")).unwrap();
    fs::create_dir(d.join("outside")).unwrap();
    put(d, "outside.txt", "link");
    symlink("../outside.txt", d.join("out/link")).unwrap();
    symlink("../outside", d.join("out/linked")).unwrap();
    symlink("equal", d.join("out/s1")).unwrap();
    put(d, "out/s2", "a file");
    let before = tree(&d.join("out"));
    let ended = copy(d, &["s/", "out", "-o", "list"]);
    ended.expect(
        1,
        "pfh: `out/deep/1`: a name above it is in the way and is no directory\n\
         pfh: `out/directory`: something of this name is there, and is no regular file\n\
         pfh: `out/link`: something of this name is there, and is no regular file\n\
         pfh: `out/linked/2`: a name above it is in the way and is no directory\n\
         pfh: `out/longer`: there is another file of this name, which was not replaced\n\
         pfh: `out/other`: there is another file of this name, which was not replaced\n\
         pfh: `out/deep`: `deep` is in the way and is no directory\n\
         pfh: `out/linked`: `linked` is in the way and is no directory\n\
         pfh: `out/s2`: something of this name is there, and was not replaced\n\
         pfh: 2 files, 9 B, and 1 symbolic link; read back and equal; 1 was there before; not copied: 6 files\n",
    );
    let mut after = tree(&d.join("out"));
    assert_eq!(after.remove(Path::new("free")).unwrap().contents, b"free");
    assert_eq!(after, before);
    assert_eq!(names(&d.join("outside")).len(), 0);
    let list = fs::read_to_string(d.join("list")).unwrap();
    assert_eq!(list, line(b"equal", "equal") + &line(b"free", "free"));
}

/// Whatever has the name of a directory is a finding, and no failure to read or to write.
#[test]
fn whatever_is_in_the_way_has_one_status() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/deep/er/1", "1");
    fs::create_dir_all(d.join("s/empty/er")).unwrap();
    symlink("1", d.join("s/deep/link")).unwrap();
    for (name, make) in [
        ("file", &(|path: &Path| fs::write(path, "").unwrap()) as &dyn Fn(&Path)),
        ("link", &|path: &Path| symlink("nowhere", path).unwrap()),
        ("pipe", &|path: &Path| fifo(path)),
    ] {
        for (in_the_way, files) in [("deep", 1), ("deep/er", 1), ("empty", 0), ("empty/er", 0)] {
            let out = d.join(format!("{name}-{}", in_the_way.replace('/', "-")));
            fs::create_dir_all(out.join(in_the_way).parent().unwrap()).unwrap();
            make(&out.join(in_the_way));
            let ended = copy(d, &["s/", out.to_str().unwrap()]);
            assert_eq!(ended.code(), 1, "{}", ended.stderr);
            assert!(ended.stderr.contains("in the way and is no directory"), "{}", ended.stderr);
            assert_eq!(ended.stderr.contains("not copied: 1 file\n"), files == 1, "{}", ended.stderr);
        }
    }
}

/// A source is a path, and standard input is none.
#[test]
fn a_file_that_is_named_by_a_hyphen_is_copied() {
    let directory = scratch();
    let d = directory.path();
    put(d, "-", "1");
    copy(d, &["-", "out/"]).expect(0, "pfh: 1 file, 1 B; read back and equal\n");
    assert_eq!(fs::read_to_string(d.join("out/-")).unwrap(), "1");
}

/// The list may be beside the copies in a directory that the copy makes, also with those above it.
#[test]
fn a_list_may_be_in_a_new_destination() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/a", "1");
    let said = "pfh: 1 file, 1 B; read back and equal\n";
    copy(d, &["s", "new/er/archive", "-o", "new/er/archive/list"]).expect(0, said);
    copy(d, &["s/", "--to", "one", "--to", "two", "-o", "two/list", "-q"]).done();
    assert_eq!(fs::read_to_string(d.join("new/er/archive/list")).unwrap(), line(b"1", "s/a"));
    assert_eq!(names(&d.join("two")), ["a", "list"].map(PathBuf::from));
    // If it cannot be written, nothing remains of the destination.
    let said = "pfh: `other/none/list` cannot be written: No such file or directory (os error 2)\n";
    copy(d, &["s", "other/deep/", "-o", "other/none/list"]).expect(2, said);
    put(d, "file", "2");
    let said = "pfh: `file/x` cannot be written to: Not a directory (os error 20)\n";
    copy(d, &["s", "--to", "other/deep", "--to", "file/x"]).expect(2, said);
    assert!(!d.join("other").exists());
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_copied() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/in/a", "1");
    put(d, "t/in/b", "2");
    // The last two lead to nothing yet.
    for (link, leads) in [("alias", "s"), ("inside", "s/in/out"), ("outside", "out")] {
        symlink(leads, d.join(link)).unwrap();
    }
    for (arguments, text) in [
        (
            &["s", "s/in/out"][..],
            "pfh: `s` cannot be copied to `s/in/out`, which is in it or contains it under the same name\n",
        ),
        (
            &["s", "alias/out"],
            "pfh: `s` cannot be copied to `alias/out`, which is in it or contains it under the same name\n",
        ),
        (
            &["s", "inside"],
            "pfh: `s` cannot be copied to `inside`, which is in it or contains it under the same name\n",
        ),
        (&["s", "."], "pfh: `s` cannot be copied to `.`, which is in it or contains it under the same name\n"),
        (
            &["s/in", "t/in", "out"],
            "pfh: `t/in` and `s/in` have the same name at the destination; copy them to different ones\n",
        ),
        (&["s", "s/in", "out"], "pfh: `s/in` and `s` have files in common; name them once\n"),
        (&["s", "t/in/b"], "pfh: `t/in/b` is not a directory\n"),
        (&["s", "--to", "t", "--to", "./t"], "pfh: `./t` is named twice\n"),
        (&["s", "--to", "out", "--to", "out"], "pfh: `out` is named twice\n"),
        (&["s", "--to", "out", "--to", "t/../out/"], "pfh: `t/../out/` is named twice\n"),
        (&["s", "--to", "out", "--to", "outside"], "pfh: `outside` is named twice\n"),
        (&["none", "out"], "pfh: `none`: No such file or directory (os error 2)\n"),
        (&["s"], "pfh: name what is to be copied, and last the directory that it is copied to\n"),
        (&["s", "out", "-a", "hmac-sha256"], "pfh: hmac-sha256 takes a key; copies are verified by digests without\n"),
        (
            &["s", "out", "-a", "ctph"],
            "pfh: ssdeep tells which files are similar; copies are verified by algorithms such as sha256, not by similarity\n",
        ),
        (&["s", "out", "-a", "none"], "pfh: copies are verified by at least one algorithm, such as sha256\n"),
        (
            &["s/in/a", "b"],
            "pfh: `b` is not there: copies keep their names, and arrive in a directory; for a new directory, write a slash at its end\n",
        ),
    ] {
        copy(d, arguments).expect(2, text);
        assert!(!d.join("out").exists() && !d.join("s/in/out").exists());
    }
    assert_eq!(copy(d, &["s", "out", "-f", "sfv", "-o", "l"]).code(), 2);
    assert_eq!(copy(d, &["s", "s/in/a/out"]).code(), 2);
    assert_eq!(names(d), ["alias", "inside", "outside", "s", "t"].map(PathBuf::from));
    assert_eq!(names(&d.join("t")), [PathBuf::from("in")]);
    copy(d, &["s/in/a", "b/"]).expect(0, "pfh: 1 file, 1 B; read back and equal\n");
    // Remains of an interrupted copy in a source are no part of it.
    put(d, "b/.pfh-copy/file-0", "half");
    put(d, "b/.pfh-copy/journal.jsonl", "");
    copy(d, &["b", "c/", "-q"]).done();
    assert_eq!(tree(&d.join("c")).len(), 2);
    copy(d, &["b/", "e/", "-q"]).done();
    assert_eq!(names(&d.join("e")), [PathBuf::from("a")]);
}

/// The help names no algorithm that is refused.
#[test]
fn the_help_names_algorithms_that_verify() {
    let directory = scratch();
    let help = copy(directory.path(), &["--help"]).stdout;
    let help = String::from_utf8(help).unwrap();
    assert!(help.contains("xxh3-64") && !help.contains("mrsh-v2") && !help.contains("none]"), "{help}");
}

/// A list is refused that would replace a file of a source, or what has just been verified.
#[test]
fn a_list_replaces_neither_a_source_nor_a_copy() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/a", "1");
    put(d, "s/x/b", "2");
    put(d, "alone", "3");
    symlink("s", d.join("alias")).unwrap();
    let replaced =
        |name: &str| format!("pfh: the list would replace a file of the source `{name}`: name another file with -o\n");
    copy(d, &["s", "d", "-o", "s/a"]).expect(2, &replaced("s"));
    copy(d, &["s/", "d", "-o", "alias/x/b"]).expect(2, &replaced("s"));
    copy(d, &["alone", "d/", "-o", "./alone"]).expect(2, &replaced("alone"));
    assert!(!d.join("d").exists());
    copy(d, &["s/", "d", "-q"]).done();
    fs::remove_file(d.join("d/a")).unwrap();
    symlink("d", d.join("copies")).unwrap();
    let copied = "pfh: the list would replace something that is copied to `d`: name another file with -o\n";
    for list in ["d/a", "d/x/b", "copies/a"] {
        copy(d, &["s/", "d", "-o", list]).expect(2, copied);
    }
    assert_eq!(names(&d.join("d")), [PathBuf::from("x")]);
    // A file beside the copies is replaced by the next list.
    for _ in 0..2 {
        copy(d, &["s/", "d", "-q", "-o", "d/list"]).done();
    }
    for (name, contents) in [("s/a", "1"), ("s/x/b", "2"), ("alone", "3"), ("d/a", "1"), ("d/x/b", "2")] {
        assert_eq!(fs::read_to_string(d.join(name)).unwrap(), contents, "{name}");
    }
    assert_eq!(fs::read_to_string(d.join("d/list")).unwrap().lines().count(), 2);
}

/// Only what a copy has written is removed from its directory at a destination.
#[test]
fn files_of_others_among_unfinished_copies_are_kept() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/a", "1");
    for name in ["notes", "file-x", "file-7"] {
        put(d, &format!("out/.pfh-copy/{name}"), name);
    }
    symlink("notes", d.join("out/.pfh-copy/file-8")).unwrap();
    let before = tree(&d.join("out"));
    let said = "pfh: `out/.pfh-copy` is for unfinished copies, and pfh did not write `file-8`, `file-x`, `notes` there: \
        move that to another place\n";
    copy(d, &["s", "out"]).expect(2, said);
    copy(d, &["s", "--to", "new", "--to", "out"]).expect(2, said);
    assert_eq!(tree(&d.join("out")), before);
    assert!(!d.join("new").exists());
    for name in ["notes", "file-x", "file-8"] {
        fs::remove_file(d.join("out/.pfh-copy").join(name)).unwrap();
    }
    put(d, "out/.pfh-copy/journal.jsonl.damaged-1", "kept");
    copy(d, &["s", "out", "-q"]).done();
    assert_eq!(names(&d.join("out")), [PathBuf::from("s")]);
}

/// A source may have the name under which pfh keeps unfinished copies.
#[test]
fn names_of_unfinished_copies_in_a_source_are_reported() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/a", "1");
    put(d, "s/.pfh-copy/notes", "precious");
    for source in ["s", "s/"] {
        let said = "pfh: `s/.pfh-copy`: it is not copied, because pfh keeps unfinished copies under this name; rename it\n\
            pfh: 1 file, 1 B; read back and equal\n";
        copy(d, &[source, "out"]).expect(3, said);
        fs::remove_dir_all(d.join("out")).unwrap();
    }
    copy(d, &["s", "out", "--exclude", ".pfh-copy/"]).expect(0, "pfh: 1 file, 1 B; read back and equal\n");
    let said = "pfh: `s/.pfh-copy` cannot keep its name, under which pfh keeps unfinished copies; for its contents, write \
        a slash at its end\n";
    copy(d, &["s/.pfh-copy", "other"]).expect(2, said);
    copy(d, &["s/.pfh-copy/", "other", "-q"]).done();
    assert_eq!(names(&d.join("other")), [PathBuf::from("notes")]);
    // An interrupted copy to the source has left a journal.
    fs::rename(d.join("s/.pfh-copy/notes"), d.join("s/.pfh-copy/journal.jsonl")).unwrap();
    let said = "pfh: `s/.pfh-copy` is not copied: an interrupted copy to `s` has left it\n\
        pfh: 1 file, 1 B; read back and equal; 1 was there before\n";
    copy(d, &["s", "out"]).expect(0, said);
}

/// Two sources may have the same file: the second is equal to the copy of the first.
#[test]
fn equal_files_of_two_sources_are_copied() {
    let directory = scratch();
    let d = directory.path();
    put(d, "a/x/g", "same");
    put(d, "b/x/g", "same");
    put(d, "b/x/h", "other");
    let list = line(b"same", "x/g") + &line(b"other", "x/h");
    for (destinations, at) in [(&["out"][..], ""), (&["--to", "p", "--to", "q"], ", at 2 destinations")] {
        for there in ["1 was", "3 were"] {
            let said = format!("pfh: 3 files, 13 B{at}; read back and equal; {there} there before\n");
            copy(d, &[&["a/", "b/", "-o", "list"], destinations].concat()).expect(0, &said);
            assert_eq!(fs::read_to_string(d.join("list")).unwrap(), list);
        }
    }
    // Another one is told as such.
    put(d, "b/x/g", "else");
    let said = "pfh: `new/x/g`: there is another file of this name, which was not replaced\n\
        pfh: 2 files, 9 B; read back and equal; not copied: 1 file\n";
    copy(d, &["a/", "b/", "new"]).expect(1, said);
    assert_eq!(fs::read(d.join("new/x/g")).unwrap(), b"same");
}

#[test]
fn a_full_disk_is_told_and_the_same_command_goes_on() {
    let directory = scratch();
    let d = directory.path();
    let disk = d.join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = |options: &str| {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&disk).status().is_ok_and(|status| status.success())
    };
    if !mount("size=4M") {
        skipped(Need::Mount, "cannot mount a small filesystem");
        return;
    }
    for number in 0..10 {
        put(d, &format!("s/{number}"), contents(number, 700_000));
    }
    let full = copy(d, &["s", "disk", "-o", "list"]);
    // Files that were on their way when one did not fit may be lost.
    let mut first = if disk.join("s").exists() { tree(&disk.join("s")) } else { BTreeMap::new() };
    let is_listed = d.join("list").exists();
    let grown = mount("remount,size=32M");
    let second = copy(d, &["s", "disk", "-o", "list"]);
    let after = tree(&disk.join("s"));
    let names = names(&disk);
    let again = copy(d, &["s", "disk"]);
    let unmounted = Command::new("umount").arg("-l").arg(&disk).status().unwrap();
    assert!(grown && unmounted.success() && !is_listed);
    assert_eq!(full.code(), 4);
    let warned = "pfh: `disk` has 4.19 MB free, and 7.00 MB are to be copied; what does not fit can be copied later by the same command\n";
    assert!(full.stderr.starts_with(warned), "{}", full.stderr);
    let end = " of 10 files are at all destinations, and the same command goes on\n";
    let told = "pfh: `disk`: No space left on device (os error 28): nothing more was copied to there; ";
    assert!(full.stderr.contains(told) && full.stderr.ends_with(end), "{}", full.stderr);
    // The directory has its attributes only at the end.
    first.retain(|path, seen| after.get(path) == Some(seen));
    assert!(full.stderr.contains(&format!("; {} of 10 files are", first.len())), "{}", full.stderr);
    let there = match first.len() {
        0 => String::new(),
        1 => "; 1 was there before".to_owned(),
        count => format!("; {count} were there before"),
    };
    second.expect(0, &format!("pfh: 10 files, 7.00 MB; read back and equal{there}\n"));
    assert!(second.read_bytes < 2 * 700_000 * (10 - first.len() as u64) + 700_000, "{}", second.read_bytes);
    assert_eq!((after.len(), names), (10, vec![PathBuf::from("s")]));
    again.expect(0, "pfh: 10 files, 7.00 MB; read back and equal; 10 were there before\n");
    assert_eq!(fs::read_to_string(d.join("list")).unwrap().lines().count(), 10);
}

/// However often a copy is killed, nothing has its name that is not whole, and the next run goes on.
#[test]
fn kills_lose_nothing() {
    let directory = scratch_in_memory();
    let d = directory.path();
    let mut random = Random::new(15);
    for number in 0..400 {
        put(d, &format!("s/{:02}/{number:03}", number % 17), contents(number, (number * 977) % 20_000));
    }
    put(d, "s/large", contents(7, 2 << 20));
    fs::hard_link(d.join("s/large"), d.join("s/01/large")).unwrap();
    let source = tree(&d.join("s"));
    let paths: Vec<_> = source.keys().collect();
    let (mut killed, mut in_the_middle, mut round) = (0, 0, 0);
    while killed < 100 || in_the_middle == 0 {
        round += 1;
        assert!(round < 1000, "only {killed} were killed, {in_the_middle} of them when some files had their names");
        let out = d.join("out");
        let mut runs = 0;
        loop {
            runs += 1;
            let mut running = pfh(d, ["copy", "s", "out", "-q", "-o", "list"]).start();
            let is_killed = random.below(3) > 0 && runs < 5;
            if is_killed {
                // Early, or when a file gets its name: however fast a copy is here, kills come while it runs.
                let file = paths[random.below(paths.len() as u64) as usize];
                match random.below(4) {
                    0 => running.kill_when_there(&out),
                    _ => running.kill_when_there(&out.join("s").join(file)),
                }
            }
            let ended = running.end();
            if ended.code() == 0 {
                break;
            }
            assert_eq!(ended.code(), 137, "{}", ended.stderr);
            killed += 1;
            if out.join("s").exists() {
                let copied = tree(&out.join("s"));
                in_the_middle += u32::from(!copied.is_empty());
                for (path, seen) in copied {
                    assert_eq!(source[&path].contents, seen.contents, "{round} {path:?}");
                }
            }
        }
        same(&d.join("s"), &out.join("s"));
        assert_eq!(names(&out), [PathBuf::from("s")]);
        assert_eq!(fs::read_to_string(d.join("list")).unwrap().lines().count(), 402);
        fs::remove_dir_all(out).unwrap();
    }
    println!("{killed} killed, {in_the_middle} of them when some files had their names");
}

#[test]
fn a_signal_ends_a_copy_that_goes_on_later() {
    let directory = scratch();
    let d = directory.path();
    for number in 0..3000 {
        put(d, &format!("s/{number:04}"), contents(number, 20_000));
    }
    let running = pfh(d, ["copy", "s", "out"]).start();
    eventually("a file is staged", || {
        d.join("out/.pfh-copy").read_dir().is_ok_and(|mut staged| {
            staged.any(|one| one.is_ok_and(|one| one.file_name().as_encoded_bytes().starts_with(b"file-")))
        })
    });
    // Another copy to the same place is refused meanwhile.
    let other = copy(d, &["s", "out"]);
    other.expect(2, "pfh: another copy to `out` is under way: wait until it has ended\n");
    running.signal(Signal::INT);
    let ended = running.end();
    ended.expect(130, "pfh: interrupted; the same command goes on with the copy\n");
    assert_eq!(names(&d.join("out/.pfh-copy")), [PathBuf::from("journal.jsonl")]);
    assert_eq!(copy(d, &["s", "out", "-q"]).code(), 0);
    same(&d.join("s"), &d.join("out/s"));
    assert!(!d.join("out/.pfh-copy").exists());
}

#[test]
fn a_damaged_journal_costs_only_time() {
    let directory = scratch();
    let d = directory.path();
    put(d, "s/a", "1");
    put(d, "s/b", "2");
    copy(d, &["s", "out", "-q"]).done();
    for journal in [&b"no journal"[..], b"", &[0; 100]] {
        fs::create_dir(d.join("out/.pfh-copy")).unwrap();
        fs::write(d.join("out/.pfh-copy/journal.jsonl"), journal).unwrap();
        fs::write(d.join("out/.pfh-copy/file-9"), "half").unwrap();
        let ended = copy(d, &["s", "out", "-a", "md5", "-o", "list"]);
        ended.expect(0, "pfh: 2 files, 2 B; read back and equal; 2 were there before\n");
        assert_eq!(fs::read_to_string(d.join("list")).unwrap().lines().count(), 2);
        assert!(!d.join("out/.pfh-copy").exists());
    }
}

/// A journal tells of one file at each path, and two sources may have one there, of the same size and time.
#[test]
fn a_journal_does_not_stand_for_the_file_of_another_source() {
    let directory = scratch();
    let d = directory.path();
    put(d, "a/x", "one");
    put(d, "b/x", "two");
    age(&d.join("a/x"), 1_000_000_000);
    age(&d.join("b/x"), 1_000_000_000);
    copy(d, &["a/", "out", "-q"]).done();
    fs::create_dir(d.join("out/.pfh-copy")).unwrap();
    pfh(&d.join("a"), ["hash", "-f", "jsonl", "-o", "../out/.pfh-copy/journal.jsonl", "x"]).run().done();
    let said = "pfh: `out/x`: there is another file of this name, which was not replaced\n\
        pfh: 1 file, 3 B; read back and equal; 1 was there before; not copied: 1 file\n";
    copy(d, &["a/", "b/", "out"]).expect(1, said);
    assert_eq!(fs::read(d.join("out/x")).unwrap(), b"one");
    // The file that was copied is listed, also if another one could not be copied to its path.
    let ended = copy(d, &["a/", "b/", "other", "-q", "-o", "list"]);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    assert_eq!(fs::read_to_string(d.join("list")).unwrap(), line(b"one", "x"));
}

/// A journal may have files of an earlier run with other sources, which the other destinations do not have.
#[test]
fn a_list_has_only_files_of_these_sources() {
    let directory = scratch();
    let d = directory.path();
    put(d, "card1/a", "1");
    put(d, "card1/b", "2");
    put(d, "card2/b", "2");
    put(d, "card2/c", "3");
    age(&d.join("card1/b"), 1_000_000_000);
    age(&d.join("card2/b"), 1_000_000_000);
    copy(d, &["card1/", "d1", "-q"]).done();
    fs::create_dir(d.join("d1/.pfh-copy")).unwrap();
    pfh(&d.join("card1"), ["hash", "-f", "jsonl", "-o", "../d1/.pfh-copy/journal.jsonl", "a", "b"]).run().done();
    let ended = copy(d, &["card2/", "--to", "d1", "--to", "d2", "-o", "list"]);
    ended.expect(0, "pfh: 2 files, 2 B, at 2 destinations; read back and equal\n");
    let mut lines: Vec<String> =
        fs::read_to_string(d.join("list")).unwrap().lines().map(|line| format!("{line}\n")).collect();
    lines.sort_unstable();
    let mut expected = [line(b"2", "b"), line(b"3", "c")];
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

/// The end of a name is no path.
#[test]
fn names_may_end_with_dots() {
    let directory = scratch();
    let d = directory.path();
    put(d, "file..", "1");
    put(d, "s../a", "2");
    copy(d, &["file..", "s..", "out/"]).expect(0, "pfh: 2 files, 2 B; read back and equal\n");
    assert_eq!(names(&d.join("out")), ["file..", "s.."].map(PathBuf::from));
    copy(d, &["s../", "contents"]).expect(0, "pfh: 1 file, 1 B; read back and equal\n");
    assert_eq!(names(&d.join("contents")), [PathBuf::from("a")]);
}

/// Filters leave out what they do elsewhere, and the journal of a copy belongs to its destination.
#[test]
fn filters_leave_things_out() {
    let directory = scratch();
    let d = directory.path();
    for name in ["s/a.txt", "s/b.jpg", "s/x/c.txt", "s/y/d.txt"] {
        put(d, name, name);
    }
    fifo(&d.join("s/pipe"));
    let ended = copy(d, &["s", "out", "--include", "*.txt", "--exclude", "y/"]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(
        tree(&d.join("out")).into_keys().collect::<Vec<_>>(),
        ["s", "s/a.txt", "s/x", "s/x/c.txt"].map(PathBuf::from)
    );
}

/// Memory does not grow with the number of files, nor with the number of hard links.
#[test]
fn memory_is_bounded() {
    let directory = scratch();
    let d = directory.path();
    let long = "a name that is not short ".repeat(8);
    fs::create_dir_all(d.join(format!("s/{long}/{long}"))).unwrap();
    let name = |number: usize| d.join(format!("s/{long}/{long}/{number:06} {long}"));
    for number in 0..12_000 {
        if number % 3 == 0 {
            fs::write(name(number), contents(number, 100)).unwrap();
        } else {
            fs::hard_link(name(number - number % 3), name(number)).unwrap();
        }
    }
    put(d, "s/large", contents(1, 64 << 20));
    let ended = copy(d, &["s", "out", "-q", "-m", "16M"]);
    assert_eq!(ended.done(), b"");
    ended.kept_below(16);
    same(&d.join("s"), &d.join("out/s"));
}

/// A pipe that the command line names was asked for, and one that a walk meets was not.
#[test]
fn a_named_pipe_is_not_passed_over() {
    let directory = scratch();
    let d = directory.path();
    fs::create_dir(d.join("s")).unwrap();
    fs::write(d.join("s/a"), "1").unwrap();
    fifo(&d.join("s/pipe"));
    let ended = copy(d, &["s/pipe", "s/a", "to/"]);
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    assert!(ended.stderr.contains("`s/pipe`: it is a device, socket or pipe, which is not copied"), "{}", ended.stderr);
    assert_eq!(fs::read(d.join("to/a")).unwrap(), b"1");
    assert_eq!(copy(d, &["s", "to/"]).code(), 0);
}
