//! Walks over real trees: the findings, their order, and the skipped names.
#![expect(clippy::unwrap_used, reason = "a failure is the test's answer")]

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use pfh_source::{
    EntryKind, FileList, Found, IoMethod, LocalHandle, LocalSource, Medium, SkipReason, Source, SourceFile, Totals,
    WalkOptions,
};
use pfh_testing::odd_tree;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::{TempDir, tempdir};

const ENOENT: i32 = 2;
const EACCES: i32 = 13;
const ENOTDIR: i32 = 20;
const ELOOP: i32 = 40;

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

fn rooted(root: &Path) -> WalkOptions {
    WalkOptions { roots: vec![bytes(root)], ..WalkOptions::default() }
}

/// Returns all findings, one line each, without the root: `path`, `stream path`, `skipped path Reason`, `failed path
/// errno`.
fn walk(options: WalkOptions, root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    LocalSource::new(options).unwrap().walk(&mut |found| {
        lines.push(line(&found, root));
        true
    });
    lines
}

fn line(found: &Found<LocalHandle>, root: &Path) -> String {
    let show = |path: &[u8]| {
        let path = path.strip_prefix(bytes(root).as_slice()).unwrap_or(path);
        path.strip_prefix(b"/").unwrap_or(path).escape_ascii().to_string()
    };
    match found {
        Found::Entry(entry) => match entry.kind {
            EntryKind::Regular => show(&entry.path()),
            kind => format!("{kind:?} {}", show(&entry.path())),
        },
        Found::Skipped(path, reason) => format!("skipped {} {reason:?}", show(path)),
        Found::Failed(path, error) => {
            format!("failed {} {}", show(path), error.errno.map_or(error.to_string(), |errno| errno.to_string()))
        }
        Found::Other(path, other) => format!("{other:?} {}", show(path)),
        Found::Pause => "pause".to_owned(),
    }
}

/// Makes files with these paths, each containing its own path; a path that ends with `/` is an empty directory.
fn tree(paths: &[&str]) -> TempDir {
    let root = tempdir().unwrap();
    for path in paths {
        let place = root.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(place).unwrap();
        } else {
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, path).unwrap();
        }
    }
    root
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn names_are_sorted_by_bytes_and_directories_stand_at_their_name() {
    let root =
        tree(&["b", "a/2", "a/10", "a/1", "a.txt", "a-b/x", "A", ".hidden/file", "z/y/x/w", "empty/", "é", "a0"]);
    let expected = [".hidden/file", "A", "a/1", "a/10", "a/2", "a-b/x", "a.txt", "a0", "b", "z/y/x/w", "\\xc3\\xa9"];
    assert_eq!(walk(rooted(root.path()), root.path()), expected);
}

#[test]
fn names_that_share_their_first_eight_bytes_are_sorted_too() {
    let root = tree(&["12345678", "123456789", "1234567", "1234567890", "12345678a"]);
    let expected = ["1234567", "12345678", "123456789", "1234567890", "12345678a"];
    assert_eq!(walk(rooted(root.path()), root.path()), expected);
}

/// A directory has more names than one system call returns.
#[test]
fn large_directories_are_complete_and_in_order() {
    let root = tempdir().unwrap();
    let mut expected: Vec<String> = (0..20_000).map(|number| format!("{:x}.name", number * 7919 % 20_011)).collect();
    for name in &expected {
        fs::write(root.path().join(name), "").unwrap();
    }
    expected.sort();
    assert!(walk(rooted(root.path()), root.path()) == expected);
}

#[test]
fn arguments_keep_their_order_and_are_shown_as_typed() {
    let root = tree(&["d/a", "d/b", "file"]);
    let path = |rest: &str| [bytes(root.path()), rest.into()].concat();
    let options =
        WalkOptions { roots: vec![path("/file"), path("/d//"), path("/./d/b"), path("/d")], ..WalkOptions::default() };
    assert_eq!(walk(options, root.path()), ["file", "d/a", "d/b", "./d/b", "d/a", "d/b"]);
    // Names below `/` are shown as `/name`, and a relative root stays relative.
    let shown = |root: &[u8]| {
        let options = WalkOptions { roots: vec![root.to_vec()], max_depth: Some(1), ..WalkOptions::default() };
        let mut shown = Vec::new();
        LocalSource::new(options).unwrap().walk(&mut |found| {
            if let Found::Entry(entry) = found {
                shown.push(entry.path());
            }
            true
        });
        shown
    };
    assert!(shown(b".").iter().any(|path| path == b"./Cargo.toml"));
    assert!(shown(b"src").iter().any(|path| path == b"src/lib.rs"));
    assert!(shown(b"./src/").iter().any(|path| path == b"./src/lib.rs"));
    assert!(shown(b"//").iter().chain(&shown(b"/")).all(|path| path[0] == b'/' && path[1] != b'/'));
}

#[test]
fn arguments_that_cannot_be_read_are_reported_and_the_walk_goes_on() {
    let root = tree(&["file", "last"]);
    symlink("loop", root.path().join("loop")).unwrap();
    drop(UnixListener::bind(root.path().join("socket")).unwrap());
    let path = |rest: &str| [bytes(root.path()), rest.into()].concat();
    let options = WalkOptions {
        roots: vec![
            b"".to_vec(),
            path("/missing"),
            path("/file/"),
            path("/loop"),
            path("/socket"),
            path("/nul\0byte"),
            path("/last"),
        ],
        ..WalkOptions::default()
    };
    let expected = [
        format!("failed  {ENOENT}"),
        format!("failed missing {ENOENT}"),
        format!("failed file/ {ENOTDIR}"),
        format!("failed loop {ELOOP}"),
        "failed socket a socket cannot be read; name a file, a directory or a FIFO".to_owned(),
        "failed nul\\x00byte 22".to_owned(),
        "last".to_owned(),
    ];
    assert_eq!(walk(options, root.path()), expected);
}

/// Every odd name is found, opened and read, from a root that is not the current directory.
#[test]
fn the_odd_tree_is_read_completely() {
    let root = tempdir().unwrap();
    let expected = odd_tree(root.path()).unwrap();
    for io in [IoMethod::Buffered, IoMethod::Drop, IoMethod::Direct] {
        let source = LocalSource::new(WalkOptions { io, ..rooted(root.path()) }).unwrap();
        let (mut files, mut skipped) = (Vec::new(), Vec::new());
        source.walk(&mut |found| {
            match found {
                Found::Entry(entry) => {
                    let file = source.open(&entry).unwrap();
                    let stamp = file.stamp().unwrap();
                    assert_eq!(stamp.metadata, source.stamp(&entry).unwrap().metadata);
                    assert_eq!(stamp.identity, entry.identity_hint);
                    let contents = read(&file);
                    assert_eq!(stamp.metadata.size, contents.len() as u64);
                    let path = entry.path()[bytes(root.path()).len() + 1..].to_vec();
                    files.push(pfh_testing::OddFile { path, contents });
                }
                Found::Skipped(path, reason) => skipped.push((path, reason)),
                Found::Failed(path, error) => panic!("{}: {error}", path.escape_ascii()),
                other => panic!("{other:?}"),
            }
            true
        });
        assert_eq!(files, expected);
        let path = |name: &str| (bytes(&root.path().join(name)), SkipReason::NotRegular);
        assert_eq!(skipped, [path("fifo"), path("socket")]);
    }
}

fn read(file: &impl SourceFile) -> Vec<u8> {
    let mut contents = Vec::new();
    let mut buffer = vec![0; 100_000];
    loop {
        match file.read_at(&mut buffer, contents.len() as u64).unwrap() {
            0 => return contents,
            length => contents.extend_from_slice(&buffer[..length]),
        }
    }
}

#[test]
fn links_are_followed_only_when_asked() {
    let root = tree(&["real/file", "target"]);
    symlink("../target", root.path().join("real/to file")).unwrap();
    symlink("real", root.path().join("to directory")).unwrap();
    symlink("nowhere", root.path().join("dangling")).unwrap();
    symlink("circle", root.path().join("circle")).unwrap();
    fifo(&root.path().join("fifo"));
    symlink("fifo", root.path().join("to fifo")).unwrap();
    let with = |follow_files, follow_directories| {
        walk(WalkOptions { follow_files, follow_directories, ..rooted(root.path()) }, root.path())
    };
    assert_eq!(with(false, false), ["skipped fifo NotRegular", "real/file", "target"]);
    let failures = [format!("failed circle {ELOOP}"), format!("failed dangling {ENOENT}")];
    assert_eq!(
        with(true, false),
        [
            &failures[0],
            &failures[1],
            "skipped fifo NotRegular",
            "real/file",
            "real/to file",
            "target",
            "skipped to fifo NotRegular"
        ]
    );
    assert_eq!(with(false, true), ["skipped fifo NotRegular", "real/file", "target", "to directory/file"]);
    assert_eq!(
        with(true, true)[2..],
        [
            "skipped fifo NotRegular",
            "real/file",
            "real/to file",
            "target",
            "to directory/file",
            "to directory/to file",
            "skipped to fifo NotRegular"
        ]
    );
    // A followed link opens the file that it refers to, and the metadata are that file's.
    let options = WalkOptions { follow_files: true, ..rooted(&root.path().join("real")) };
    let source = LocalSource::new(options).unwrap();
    source.walk(&mut |found| {
        if let Found::Entry(entry) = found
            && entry.path().ends_with(b"to file")
        {
            assert_eq!(read(&source.open(&entry).unwrap()), b"target");
            assert_eq!(source.stamp(&entry).unwrap().metadata.size, 6);
        }
        true
    });
    // Links that the user names are followed without an option.
    for name in ["to directory", "to directory/"] {
        let options = WalkOptions { roots: vec![bytes(&root.path().join(name))], ..WalkOptions::default() };
        assert_eq!(walk(options, root.path()), ["to directory/file"]);
    }
    let options = rooted(&root.path().join("real/to file"));
    let source = LocalSource::new(options).unwrap();
    let mut contents = Vec::new();
    source.walk(&mut |found| {
        let Found::Entry(entry) = found else { panic!("{found:?}") };
        contents = read(&source.open(&entry).unwrap());
        assert_eq!(source.stamp(&entry).unwrap().metadata.size, 6);
        true
    });
    assert_eq!(contents, b"target");
}

#[test]
fn a_directory_met_again_below_itself_is_a_loop() {
    let root = tree(&["a/b/file", "c/file"]);
    symlink("../..", root.path().join("a/b/up")).unwrap();
    symlink(".", root.path().join("a/self")).unwrap();
    symlink("../c", root.path().join("a/side")).unwrap();
    let options = WalkOptions { follow_directories: true, ..rooted(root.path()) };
    let expected = ["a/b/file", "skipped a/b/up Loop", "skipped a/self Loop", "a/side/file", "c/file"];
    assert_eq!(walk(options, root.path()), expected);
}

#[test]
fn what_is_no_file_is_skipped_in_the_walk_and_a_stream_when_named() {
    let root = tree(&["file"]);
    fifo(&root.path().join("fifo"));
    let options = WalkOptions {
        reads_standard_input: true,
        roots: [&b"-"[..], &bytes(&root.path().join("fifo")), b"/dev/zero", b"/proc/self/status"]
            .map(<[u8]>::to_vec)
            .to_vec(),
        size_min: Some(1 << 40),
        include: vec!["nothing".into()],
        ..WalkOptions::default()
    };
    // Filters by size and name do not apply to streams.
    let expected = ["Stream -", "Stream fifo", "Stream dev/zero", "Stream proc/self/status"];
    assert_eq!(walk(options, root.path()), expected);
    let source = LocalSource::new(WalkOptions {
        roots: vec![b"/dev/zero".to_vec(), b"/proc/self/status".to_vec()],
        ..WalkOptions::default()
    })
    .unwrap();
    let mut buffer = [1; 6];
    source.walk(&mut |found| {
        let Found::Entry(entry) = found else { panic!("{found:?}") };
        assert_eq!(entry.kind, EntryKind::Stream);
        let file = source.open(&entry).unwrap();
        assert_eq!(file.read_at(&mut buffer, 0).unwrap(), 6);
        assert_eq!(&buffer, if entry.path() == b"/dev/zero" { &[0; 6] } else { b"Name:\t" });
        true
    });
}

/// The device is not opened, since that may need privileges.
#[test]
fn a_named_block_device_is_its_own_device() {
    let node = fs::read_dir("/dev")
        .unwrap()
        .map(|entry| entry.unwrap())
        .find(|entry| std::os::unix::fs::FileTypeExt::is_block_device(&entry.file_type().unwrap()));
    let Some(node) = node else {
        return pfh_testing::skipped(pfh_testing::Need::BlockDevice, "there is no block device");
    };
    LocalSource::new(rooted(&node.path())).unwrap().walk(&mut |found| {
        let Found::Entry(entry) = found else { panic!("{found:?}") };
        assert_eq!(entry.kind, EntryKind::BlockDevice);
        assert_eq!(entry.device().number, node.metadata().unwrap().rdev());
        assert_ne!(entry.device().medium, Medium::Memory);
        true
    });
}

#[test]
fn kernel_filesystems_are_entered_only_when_named() {
    let mut inside = 0;
    let mut others = 0;
    let options = WalkOptions {
        roots: vec![b"/".to_vec()],
        max_depth: Some(2),
        exclude: vec!["/tmp/".into()],
        ..WalkOptions::default()
    };
    LocalSource::new(options).unwrap().walk(&mut |found| {
        let path = match found {
            Found::Entry(entry) => entry.path(),
            Found::Skipped(path, _) | Found::Failed(path, _) | Found::Other(path, _) => path,
            Found::Pause => panic!("there is no list"),
        };
        if [&b"/proc/"[..], b"/sys/"].iter().any(|pseudo| path.starts_with(pseudo)) {
            inside += 1;
        } else {
            others += 1;
        }
        true
    });
    assert_eq!(inside, 0);
    assert!(others > 0);
    let options = WalkOptions { max_depth: Some(1), ..rooted(Path::new("/proc/self/")) };
    let lines = walk(options, Path::new("/proc/self"));
    assert!(lines.contains(&"Stream status".to_owned()), "{lines:?}");
}

/// `/dev/shm` is a tmpfs below another filesystem on every usual Linux.
#[test]
fn other_filesystems_are_left_out_when_asked() {
    assert_ne!(fs::metadata("/dev").unwrap().dev(), fs::metadata("/dev/shm").unwrap().dev());
    let inner = tempfile::Builder::new().prefix("pfh-walk-").tempdir_in("/dev/shm").unwrap();
    let name = inner.path().file_name().unwrap().to_str().unwrap().to_owned();
    fs::write(inner.path().join("found"), "").unwrap();
    let with = |one_file_system| {
        let options =
            WalkOptions { one_file_system, include: vec![format!("**/{name}/*")], ..rooted(Path::new("/dev")) };
        walk(options, Path::new("/dev"))
    };
    assert_eq!(with(false), [format!("shm/{name}/found")]);
    assert_eq!(with(true), Vec::<String>::new());
    // As an argument it is its own filesystem, in memory.
    let source = LocalSource::new(WalkOptions { one_file_system: true, ..rooted(inner.path()) }).unwrap();
    let mut found_in = None;
    source.walk(&mut |found| {
        let Found::Entry(entry) = found else { panic!("{found:?}") };
        found_in = Some((entry.device().medium, entry.device().number));
        true
    });
    assert_eq!(found_in, Some((Medium::Memory, fs::metadata("/dev/shm").unwrap().dev())));
}

#[test]
fn a_directory_that_may_not_be_listed_fails_and_the_walk_goes_on() {
    let root = tree(&["a/file", "closed/file", "z"]);
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(root.path().join("closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let path = root.path().to_path_buf();
    let lines = std::thread::spawn(move || {
        // The superuser may list any directory, so this thread gives up the privilege.
        if rustix::process::geteuid().is_root() {
            let nobody = rustix::process::Uid::from_raw(65534);
            rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
        }
        walk(rooted(&path), &path)
    })
    .join()
    .unwrap();
    fs::set_permissions(root.path().join("closed"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(lines, ["a/file".to_owned(), format!("failed closed {EACCES}"), "z".to_owned()]);
}

#[test]
fn a_directory_that_vanishes_or_turns_into_a_link_fails() {
    let root = tree(&["a", "b/file", "c/file", "d"]);
    let mut lines = Vec::new();
    LocalSource::new(rooted(root.path())).unwrap().walk(&mut |found| {
        if lines.is_empty() {
            fs::remove_dir_all(root.path().join("b")).unwrap();
            fs::rename(root.path().join("c"), root.path().join("e")).unwrap();
            symlink("e", root.path().join("c")).unwrap();
        }
        lines.push(line(&found, root.path()));
        true
    });
    assert_eq!(lines, ["a".to_owned(), format!("failed b {ENOENT}"), format!("failed c {ENOTDIR}"), "d".to_owned()]);
}

#[test]
fn depth_is_counted_from_the_argument() {
    let root = tree(&["1", "a/2", "a/b/3", "a/b/c/4"]);
    let with = |max_depth| walk(WalkOptions { max_depth: Some(max_depth), ..rooted(root.path()) }, root.path());
    assert_eq!(with(0), Vec::<String>::new());
    assert_eq!(with(1), ["1"]);
    assert_eq!(with(2), ["1", "a/2"]);
    assert_eq!(with(9), ["1", "a/2", "a/b/3", "a/b/c/4"]);
    let file = WalkOptions { max_depth: Some(0), ..rooted(&root.path().join("1")) };
    assert_eq!(walk(file, root.path()), ["1"]);
}

#[test]
fn patterns_choose_by_name_and_by_path() {
    let root = tree(&["a.txt", "b.log", "target/x.txt", "src/target", "src/deep/c.txt", "dot.", ".git/config"]);
    fs::write(root.path().join(OsStr::from_bytes(b"\xff.txt")), "").unwrap();
    fifo(&root.path().join("fifo.txt"));
    let with = |include: &[&str], exclude: &[&str]| {
        let options = WalkOptions {
            include: include.iter().map(|&pattern| pattern.to_owned()).collect(),
            exclude: exclude.iter().map(|&pattern| pattern.to_owned()).collect(),
            ..rooted(root.path())
        };
        walk(options, root.path())
    };
    let texts = ["a.txt", "skipped fifo.txt NotRegular", "src/deep/c.txt", "target/x.txt", "\\xff.txt"];
    assert_eq!(with(&["*.txt"], &[]), texts);
    assert_eq!(with(&["?.txt"], &[]), ["a.txt", "src/deep/c.txt", "target/x.txt", "\\xff.txt"]);
    assert_eq!(with(&["*.txt"], &["src", "?.txt"]), ["skipped fifo.txt NotRegular"]);
    assert_eq!(with(&["{a,b}.*", "dot."], &[]), ["a.txt", "b.log", "dot."]);
    // A pattern without a slash matches files and directories, one with a slash at its end only directories.
    assert_eq!(with(&[], &["target", ".git", "*.txt"]), ["b.log", "dot."]);
    assert_eq!(with(&[], &["target/", ".git/", "*.txt"]), ["b.log", "dot.", "src/target"]);
    // A pattern with a slash inside matches the displayed path.
    assert_eq!(with(&["**/src/*"], &[]), ["src/target"]);
    assert_eq!(with(&["**/src/**"], &[]), ["src/deep/c.txt", "src/target"]);
    assert_eq!(with(&["src/*"], &[]), Vec::<String>::new());
    assert_eq!(with(&["*.txt"], &["**/src/deep", "**/x.*", "**/fifo*"]), ["a.txt", "\\xff.txt"]);
    // Named files are filtered, named directories are not.
    let path = |name: &str| bytes(&root.path().join(name));
    let options = WalkOptions {
        roots: vec![path("a.txt"), path("b.log"), path("target")],
        exclude: vec!["*.log".into(), "target".into()],
        ..WalkOptions::default()
    };
    assert_eq!(walk(options, root.path()), ["a.txt", "target/x.txt"]);
}

#[test]
fn a_leading_dot_slash_counts_neither_in_pattern_nor_in_path() {
    for pattern in ["src/lib.rs", "./src/lib.rs"] {
        for root in ["src", "./src", "."] {
            let options = WalkOptions {
                roots: vec![root.into()],
                include: vec![pattern.into()],
                exclude: vec!["target/".into()],
                ..WalkOptions::default()
            };
            let lines = walk(options, Path::new("none"));
            assert_eq!(lines.len(), 1, "{pattern} {root} {lines:?}");
        }
    }
}

#[test]
fn a_bad_pattern_is_an_error_that_names_it() {
    let options = WalkOptions { include: vec!["fine".into(), "a[b".into()], ..WalkOptions::default() };
    let error = LocalSource::new(options).unwrap_err();
    assert_eq!(error.to_string(), "the pattern `a[b` is invalid: unclosed character class; missing ']'");
    let options = WalkOptions { exclude: vec!["{a".into()], ..WalkOptions::default() };
    assert!(LocalSource::new(options).unwrap_err().to_string().starts_with("the pattern `{a` is invalid: "));
}

#[test]
fn sizes_are_filtered_and_told() {
    let root = tree(&["1", "22", "333", "4444", "empty"]);
    fs::write(root.path().join("empty"), "").unwrap();
    symlink("333", root.path().join("link")).unwrap();
    let options = WalkOptions { size_min: Some(2), size_max: Some(3), follow_files: true, ..rooted(root.path()) };
    assert_eq!(walk(options, root.path()), ["22", "333", "link"]);
    let options = WalkOptions { size_max: Some(0), ..rooted(root.path()) };
    assert_eq!(walk(options, root.path()), ["empty"]);
    let hints = |want_size| {
        let mut hints = Vec::new();
        LocalSource::new(WalkOptions { want_size: Some(want_size), ..rooted(root.path()) }).unwrap().walk(
            &mut |found| {
                let Found::Entry(entry) = found else { panic!("{found:?}") };
                hints.push(entry.size_hint);
                true
            },
        );
        hints
    };
    assert_eq!(hints(true), [1, 2, 3, 4, 0].map(Some));
    assert_eq!(hints(false), [None; 5]);
}

#[test]
fn measuring_opens_nothing_and_can_be_stopped() {
    let root = tempdir().unwrap();
    for number in 0..3000 {
        fs::write(root.path().join(number.to_string()), "xyz").unwrap();
    }
    let source = LocalSource::new(rooted(root.path())).unwrap();
    let mut reports = Vec::new();
    let totals = source.measure(&mut |totals| {
        reports.push(totals.files);
        true
    });
    assert!(matches!(totals, Some(Totals { files: 3000, bytes: 9000, .. })), "{totals:?}");
    assert_eq!(reports, [0, 1024, 2048]);
    assert_eq!(source.measure(&mut |_| false), None);
    assert_eq!(source.measure(&mut |totals| totals.files < 2000), None);
    let list = FileList::new(b"list".to_vec(), Box::new(&b"x\n"[..]), b'\n');
    let listed = LocalSource::new(WalkOptions { files_from: Some(list), ..rooted(root.path()) }).unwrap();
    assert_eq!(listed.measure(&mut |_| true), None);
}

#[test]
fn a_list_of_paths_is_read_like_arguments() {
    let root = tree(&["d/a", "d/b", "line\nfeed", "file", "first"]);
    let list = |lines: &[&str], separator: &str| {
        let text = lines.iter().map(|line| format!("{}/{line}{separator}", root.path().display())).collect::<String>();
        let reader = Box::new(std::io::Cursor::new(text.trim_end_matches(separator).to_owned()));
        let files_from = Some(FileList::new(b"list".to_vec(), reader, separator.as_bytes()[0]));
        let mut lines = walk(WalkOptions { files_from, ..rooted(&root.path().join("first")) }, root.path());
        // The walk pauses before it reads the list, before the last path, which lacks its end, and after that, because
        // the list may go on.
        assert_eq!(lines.iter().filter(|line| *line == "pause").count(), 3);
        lines.retain(|line| line != "pause");
        lines
    };
    let missing = format!("failed missing {ENOENT}");
    assert_eq!(list(&["file", "d", "missing", "d/b"], "\n"), ["first", "file", "d/a", "d/b", &missing, "d/b"]);
    assert_eq!(list(&["line\nfeed", "d"], "\0"), ["first", "line\\nfeed", "d/a", "d/b"]);
    // Empty lines are skipped; `-` is a file of that name, not standard input.
    let files_from = Some(FileList::new(b"list".to_vec(), Box::new(&b"\n\n-\n\n"[..]), b'\n'));
    let lines = walk(WalkOptions { files_from, ..WalkOptions::default() }, root.path());
    assert_eq!(lines, ["pause", &format!("failed ./- {ENOENT}"), "pause"]);
}

/// A list whose path never ends, and one that cannot be read, end with an error instead of filling the memory.
#[test]
fn a_damaged_list_is_an_error_of_the_list() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from_raw_os_error(5))
        }
    }
    let list = |reader: Box<dyn std::io::Read + Send>| {
        let files_from = Some(FileList::new(b"the list".to_vec(), reader, b'\n'));
        walk(WalkOptions { files_from, ..WalkOptions::default() }, Path::new("none"))
    };
    assert_eq!(list(Box::new(Broken)), ["pause", "failed the list 5"]);
    let endless = list(Box::new(std::io::repeat(b'x')));
    assert_eq!(endless, ["pause", "failed the list a path in this list is longer than 16777216 bytes"]);
}

#[test]
fn the_visitor_can_stop_the_walk_anywhere() {
    let root = tree(&["a/1", "a/b/2", "c/3", "d"]);
    fifo(&root.path().join("a/fifo"));
    let options = || WalkOptions {
        roots: vec![bytes(root.path()), b"/missing".to_vec(), bytes(&root.path().join("d"))],
        ..WalkOptions::default()
    };
    let all = walk(options(), root.path());
    assert_eq!(all.len(), 7);
    for stop in 1..=all.len() {
        let mut seen = Vec::new();
        LocalSource::new(options()).unwrap().walk(&mut |found| {
            assert!(seen.len() < stop, "visited after the stop");
            seen.push(line(&found, root.path()));
            seen.len() < stop
        });
        assert_eq!(seen, all[..stop]);
    }
}

/// A walk that finds nothing ends in the next directory.
#[test]
fn the_caller_can_stop_a_walk_that_finds_nothing() {
    let root = tempdir().unwrap();
    for number in 0..100 {
        fs::create_dir(root.path().join(number.to_string())).unwrap();
        fs::write(root.path().join(number.to_string()).join("file"), "").unwrap();
    }
    let options = |want_size| {
        let include = vec!["none".to_owned()];
        WalkOptions { include, want_size: Some(want_size), ..rooted(root.path()) }
    };
    for want_size in [false, true] {
        for stop in [1_usize, 2, 50, 101, 102] {
            let asked = Cell::new(0_usize);
            let goes_on = || {
                asked.set(asked.get() + 1);
                asked.get() < stop
            };
            let mut visit = |found: Found<LocalHandle>| -> bool { panic!("{found:?}") };
            LocalSource::new(options(want_size)).unwrap().walk_while(&goes_on, &mut visit);
            assert_eq!(asked.get(), stop.min(101));
        }
    }
    let source = LocalSource::new(options(true)).unwrap();
    let mut reports = 0;
    let totals = source.measure(&mut |_| {
        reports += 1;
        reports < 50
    });
    assert_eq!((totals, reports), (None, 50));
}

/// An argument may be longer than one system call takes.
#[test]
fn long_paths_can_be_named() {
    let root = tempdir().unwrap();
    let files = odd_tree(root.path()).unwrap();
    let long = &files.iter().find(|file| file.path.len() > 4096).unwrap().path;
    let path = [bytes(root.path()), b"/".to_vec(), long.clone()].concat();
    let parent = path[..path.len() - b"/file".len()].to_vec();
    let source = LocalSource::new(WalkOptions { roots: vec![path.clone(), parent], ..WalkOptions::default() }).unwrap();
    let mut contents = Vec::new();
    source.walk(&mut |found| {
        let Found::Entry(entry) = found else { panic!("{found:?}") };
        assert_eq!(entry.path(), path);
        assert_eq!(source.stamp(&entry).unwrap().metadata.size, 4);
        contents.push(read(&source.open(&entry).unwrap()));
        true
    });
    assert_eq!(contents, [b"deep", b"deep"]);
    let endless = WalkOptions { roots: vec![vec![b'x'; 5000]], ..WalkOptions::default() };
    assert_eq!(walk(endless, Path::new("none"))[0].rsplit(' ').next(), Some("36"));
}

/// A caller who wants to know all of each directory also learns of links, of empty directories and of what is left out.
#[test]
fn what_is_no_file_is_told_on_request() {
    let root = tree(&["a/file", "a/x.tmp", "deep/er/file", "empty/", "other/.git/", "other/file"]);
    symlink("../other/file", root.path().join("a/link")).unwrap();
    let options = |want_others| WalkOptions {
        want_others,
        exclude: vec!["*.tmp".into(), ".git/".into()],
        max_depth: Some(2),
        ..rooted(root.path())
    };
    let expected = [
        "a/file",
        "Link([46, 46, 47, 111, 116, 104, 101, 114, 47, 102, 105, 108, 101]) a/link",
        "LeftOut a/x.tmp",
        "LeftOut deep/er",
        "EmptyDirectory empty",
        "LeftOut other/.git",
        "other/file",
    ];
    assert_eq!(walk(options(true), root.path()), expected);
    assert_eq!(walk(options(false), root.path()), ["a/file", "other/file"]);
    let small = WalkOptions { size_min: Some(100), want_others: true, ..rooted(&root.path().join("a")) };
    assert_eq!(walk(small, &root.path().join("a"))[0], "LeftOut file");
}
