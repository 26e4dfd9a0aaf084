//! `pfh audit`: collections over time, and what may happen to them and to their ledgers.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use pfh_testing::Random;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::fixture::*;

/// Makes files with these contents below `t`.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = scratch();
    fs::create_dir(directory.path().join("t")).unwrap();
    for (path, contents) in files {
        put(directory.path(), path, contents);
    }
    directory
}

fn put(directory: &Path, path: &str, contents: &str) {
    let path = directory.join("t").join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

fn audit(directory: &Path, arguments: &[&str]) -> Ended {
    pfh(directory, [&["audit"], arguments].concat()).run()
}

/// Runs, and returns the events of the report about files: path below `t` and finding.
fn found(directory: &Path, arguments: &[&str], code: i32) -> Vec<(String, String)> {
    let ended = audit(directory, &[arguments, &["-f", "jsonl"]].concat());
    assert_eq!(ended.code(), code, "{}", ended.stderr);
    events(directory, &ended)
}

/// Returns the events of a report in JSON Lines about files: path below `t` and finding.
fn events(directory: &Path, ended: &Ended) -> Vec<(String, String)> {
    let root = directory.canonicalize().unwrap().join("t/").to_str().unwrap().to_owned();
    let lines = lines(&ended.stdout);
    assert_eq!((&lines[0]["type"], &lines.last().unwrap()["type"]), (&"header".into(), &"summary".into()));
    let events = lines.iter().filter(|line| line["type"] == "event");
    let mut found: Vec<_> = events
        .map(|event| {
            let path = event["path"].as_str().unwrap().strip_prefix(&root).unwrap().to_owned();
            (path, event["finding"].as_str().unwrap().to_owned())
        })
        .collect();
    found.sort();
    found
}

/// Returns the lines of a JSON Lines output.
fn lines(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(path, finding)| (path.to_owned(), finding.to_owned())).collect()
}

/// Checks that a ledger is intact.
#[track_caller]
fn intact(directory: &Path, ledger: &str) {
    let ended = audit(directory, &["verify-ledger", ledger]);
    assert!(ended.code() == 0 && ended.stdout.starts_with(b"intact: "), "{}{:?}", ended.stderr, ended.stdout);
}

/// Runs the program of a public directory as somebody who may not read everything.
fn audit_as_nobody(directory: &Path, program: &Path, arguments: &[&str]) -> Ended {
    let run = Run::new(program, directory, [&["audit"], arguments].concat());
    if is_root() { run.with(|command| command.uid(65534).gid(65534)).run() } else { run.run() }
}

/// Changes the contents of a file and nothing that a listing shows.
fn rot(path: &Path) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = fs::read(path).unwrap();
    bytes[0] ^= 1;
    let file = fs::File::options().write(true).open(path).unwrap();
    std::io::Write::write_all(&mut &file, &bytes).unwrap();
    file.set_modified(modified).unwrap();
}

#[test]
fn a_collection_over_time() {
    let directory =
        tree(&[("a/edited", "one"), ("a/rotten", "two"), ("b/gone", "three"), ("b/moved", "four"), ("e", "")]);
    let d = directory.path();
    let ended = audit(d, &["init", "l.pfhl", "t"]);
    ended.expect(0, "pfh: run 1 (init): 5 files, 15 B; read 5, 15 B, first 5\n");
    let quiet = audit(d, &["run", "l.pfhl"]);
    quiet.expect(0, "pfh: run 2 (incremental): 5 files, 15 B; read 0, 0 B, not read 5\n");
    assert_eq!(quiet.stdout, b"");

    put(d, "a/edited", "one and more");
    rot(&d.join("t/a/rotten"));
    fs::remove_file(d.join("t/b/gone")).unwrap();
    fs::rename(d.join("t/b/moved"), d.join("t/moved")).unwrap();
    fs::rename(d.join("t/e"), d.join("t/f")).unwrap();
    put(d, "copy", "four");
    let expected = [
        ("a/edited", "changed"),
        ("a/rotten", "bit-rot"),
        ("b/gone", "missing"),
        ("b/moved", "moved-away"),
        ("copy", "new"),
        ("e", "missing"),
        ("f", "new"),
        ("moved", "moved"),
    ];
    assert_eq!(found(d, &["run", "l.pfhl"], 1), pairs(&expected));
    // The findings stay open, and reports can be had again.
    assert_eq!(audit(d, &["run", "l.pfhl"]).code(), 1);
    assert_eq!(found(d, &["report", "l.pfhl", "--run", "3"], 0), pairs(&expected));
    let text = audit(d, &["report", "l.pfhl", "--run", "3"]);
    let text = String::from_utf8(text.done().to_vec()).unwrap();
    assert!(text.contains("3 B before, now 12 B") && text.contains("inode as before"), "{text}");

    let status = audit(d, &["status", "l.pfhl"]);
    let status = String::from_utf8(status.expect(1, "").to_vec()).unwrap();
    assert!(status.contains("open         bit-rot 1, changed 1, missing 2\n"), "{status}");
    let history = audit(d, &["history", "l.pfhl", "t/b/moved"]);
    let history = String::from_utf8(history.done().to_vec()).unwrap();
    assert!(history.contains("first") && history.contains("moved-away to `"), "{history}");
    let never = d.canonicalize().unwrap().join("t/never");
    let told = format!("pfh: the ledger never had `{}`\n", never.to_str().unwrap());
    audit(d, &["history", "l.pfhl", "t/never"]).expect(2, &told);

    // Decisions, with who and why.
    assert_eq!(audit(d, &["accept", "l.pfhl", "t/a/edited"]).code(), 2);
    let why = ["--why", "as intended", "--by", "A. Archivist"];
    audit(d, &[&["accept", "l.pfhl", "t/a/edited", "t/b", "t/e"][..], &why].concat()).done();
    let history = audit(d, &["history", "l.pfhl", "t/b/gone", "--json"]);
    let last = lines(history.done()).pop().unwrap();
    assert_eq!(
        (&last["finding"], &last["by"], &last["why"]),
        (&"accepted".into(), &"A. Archivist".into(), &"as intended".into())
    );
    assert_eq!(found(d, &["run", "l.pfhl"], 1), []);
    audit(d, &["forget", "l.pfhl", "t/a/rotten", "--why", "broken"]).done();
    assert_eq!(found(d, &["run", "l.pfhl"], 0), pairs(&[("a/rotten", "new")]));
    intact(d, "l.pfhl");
    // Readers leave nothing beside the ledger.
    let beside = fs::read_dir(d).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut beside: Vec<String> = beside.collect();
    beside.sort();
    assert_eq!(beside, ["l.pfhl", "l.pfhl.lock", "t"]);
}

/// Two names that look the same are told apart.
#[test]
fn a_name_that_only_composes_its_letters_otherwise_is_told() {
    let directory = tree(&[("caf\u{e9}", "1"), ("tea", "2")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    fs::rename(d.join("t/caf\u{e9}"), d.join("t/cafe\u{301}")).unwrap();
    fs::rename(d.join("t/tea"), d.join("t/the\u{301}")).unwrap();
    let report = String::from_utf8(audit(d, &["run", "-q", "l.pfhl"]).done().to_vec()).unwrap();
    let told = "/t/caf\u{e9}`, which composes letters of its name otherwise\n";
    assert!(report.contains(told) && report.matches("otherwise").count() == 1, "{report}");
    let history = audit(d, &["history", "l.pfhl", "t/caf\u{e9}"]);
    let history = String::from_utf8(history.done().to_vec()).unwrap();
    assert!(history.ends_with("/t/cafe\u{301}`, which composes letters of its name otherwise\n"), "{history}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let directory = tree(&[("d/f", "hello")]);
    let d = directory.path();
    for (arguments, told) in [
        (&["init", "t/l.pfhl", "t"][..], "would lie in"),
        (&["init", "l.pfhl", "t", "t/d"], "lie in each other"),
        (&["init", "l.pfhl", "none"], "cannot be examined"),
        (&["init", "l.pfhl"], "no directory of the collection is named"),
        (&["init", "l.pfhl", "t", "-a", "hmac-sha256"], "needs a key"),
        (&["run", "l.pfhl"], "there is no such ledger"),
        (&["run", "t/d/f"], "this is not a ledger"),
        (&["run", "l.pfhl", "--share", "3"], "is not a share"),
        (&["run", "l.pfhl", "--for", "3"], "is not a time"),
    ] {
        let ended = audit(d, arguments);
        assert!(ended.code() == 2 && ended.stderr.contains(told), "{arguments:?}: {}", ended.stderr);
    }
    audit(d, &["init", "l.pfhl", "t"]);
    let again = audit(d, &["init", "l.pfhl", "t"]);
    assert!(again.code() == 2 && again.stderr.contains("never overwritten"), "{}", again.stderr);
    // Where nothing is mounted, nothing is missing.
    fs::rename(d.join("t"), d.join("elsewhere")).unwrap();
    let gone = audit(d, &["run", "l.pfhl"]);
    assert!(gone.code() == 2 && gone.stderr.contains("Is it mounted?"), "{}", gone.stderr);
    fs::create_dir(d.join("t")).unwrap();
    let empty = audit(d, &["run", "l.pfhl"]);
    assert!(empty.code() == 2 && empty.stderr.contains("is it mounted?"), "{}", empty.stderr);
    assert_eq!(found(d, &["run", "l.pfhl", "--allow-empty"], 1), pairs(&[("d/f", "missing")]));
    intact(d, "l.pfhl");
}

/// A run that is refused records nothing, and the loss of a root can be recorded.
#[test]
fn a_root_that_is_gone_is_refused_or_lost() {
    let directory = tree(&[("d/f", "hello")]);
    let d = directory.path();
    let policy =
        |more: &str| fs::write(d.join("p.toml"), format!("ledger = 'l.pfhl'\nroots = ['t']\n{more}\n")).unwrap();
    policy("");
    audit(d, &["init", "-q", "p.toml"]).done();
    let status = || lines(&audit(d, &["status", "l.pfhl", "--json"]).stdout).remove(0);
    let before = status();
    // The change of the settings is not recorded either.
    policy("exclude = ['*.tmp']");
    let refused = |told: &str| {
        for ledger in ["l.pfhl", "p.toml"] {
            let ended = audit(d, &["run", ledger]);
            assert!(ended.code() == 2 && ended.stderr.contains(told), "{}", ended.stderr);
            assert_eq!(status(), before);
        }
    };
    fs::rename(d.join("t"), d.join("elsewhere")).unwrap();
    refused("Is it mounted? Nothing was recorded");
    fs::create_dir(d.join("t")).unwrap();
    refused("is it mounted? Nothing was recorded");
    fs::remove_dir(d.join("t")).unwrap();
    assert_eq!(found(d, &["run", "p.toml", "--allow-empty"], 1), pairs(&[("d/f", "missing")]));
    assert_eq!((&status()["runs"], &status()["settings"]["exclude"][0]), (&2.into(), &"*.tmp".into()));
    audit(d, &["accept", "l.pfhl", "t", "--why", "the disk was lost"]).done();
    assert_eq!(found(d, &["run", "l.pfhl", "--allow-empty"], 0), []);
    intact(d, "l.pfhl");
}

/// Under whatever name.
#[test]
fn no_output_replaces_the_ledger() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    let refused = |arguments: &[&str]| {
        let ended = audit(d, arguments);
        let is_told = ended.stderr.contains("is the ledger or belongs to it");
        assert!(ended.code() == 2 && is_told, "{arguments:?}: {}", ended.stderr);
    };
    refused(&["init", "l.pfhl", "t", "-o", "./l.pfhl"]);
    refused(&["init", "l.pfhl", "t", "-o", "l.pfhl-wal"]);
    assert!(!d.join("l.pfhl").exists() && !d.join("l.pfhl.lock").exists());
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    let before = fs::read(d.join("l.pfhl")).unwrap();
    symlink("l.pfhl", d.join("link")).unwrap();
    symlink("l.pfhl-shm", d.join("dangling")).unwrap();
    fs::hard_link(d.join("l.pfhl"), d.join("other")).unwrap();
    for output in ["l.pfhl", "t/../l.pfhl", "link", "other", "l.pfhl-wal", "dangling", "l.pfhl.lock"] {
        refused(&["head", "l.pfhl", "-o", output]);
        refused(&["head", "l.pfhl", "-o", "head", "--timestamp-request", output]);
        refused(&["report", "l.pfhl", "-o", output]);
        refused(&["export", "l.pfhl", "-o", output]);
        refused(&["run", "l.pfhl", "-o", output]);
        refused(&["migrate", "l.pfhl", "--to", "sha512", "-o", output]);
    }
    refused(&["report", "link", "-o", "l.pfhl"]);
    let appended = pfh(d, ["audit", "head", "l.pfhl"])
        .with(|command| command.stdout(fs::File::options().append(true).open(d.join("l.pfhl")).unwrap()));
    assert_eq!(appended.run().code(), 2);
    fs::create_dir(d.join("out")).unwrap();
    symlink("../l.pfhl", d.join("out/l-run-00002.csv")).unwrap();
    for reports in ["prometheus = 'l.pfhl'", "directory = 'out'\nformats = ['csv']"] {
        fs::write(d.join("p.toml"), format!("ledger = 'l.pfhl'\n[reports]\n{reports}\n")).unwrap();
        refused(&["run", "p.toml"]);
    }
    assert!(!d.join("head").exists() && fs::read(d.join("l.pfhl")).unwrap() == before);
    intact(d, "l.pfhl");
}

/// A new one is told, since the next run finds it, and one that is left out is none of the collection.
#[test]
fn no_output_replaces_a_file_of_the_collection() {
    let directory = tree(&[("a", "1"), ("d/b", "2")]);
    let d = directory.path();
    symlink("t/d", d.join("link")).unwrap();
    let refused = |arguments: &[&str]| {
        let ended = audit(d, arguments);
        let is_told = ended.stderr.contains("describes, and would be replaced");
        assert!(ended.code() == 2 && is_told, "{arguments:?}: {}", ended.stderr);
    };
    refused(&["init", "l.pfhl", "t", "-o", "t/a"]);
    assert!(!d.join("l.pfhl").exists() && !d.join("l.pfhl.lock").exists());
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    for output in ["t/a", "link/b", "t/d/../a"] {
        refused(&["run", "l.pfhl", "-f", "csv", "-o", output]);
        refused(&["migrate", "l.pfhl", "--to", "sha512", "-o", output]);
        refused(&["report", "l.pfhl", "-o", output]);
        refused(&["export", "l.pfhl", "-o", output]);
        refused(&["head", "l.pfhl", "-o", output]);
        refused(&["head", "l.pfhl", "-o", "head", "--timestamp-request", output]);
    }
    let is_told = |arguments: &[&str]| {
        let ended = audit(d, arguments);
        assert_eq!(ended.code(), 0, "{arguments:?}: {}", ended.stderr);
        ended.stderr.contains("describes, and the next run will find it there")
    };
    for output in ["t/new", "link/new"] {
        assert!(is_told(&["report", "l.pfhl", "-o", output]), "{output}");
        fs::remove_file(d.join(output)).unwrap();
    }
    // Standard output is where it is, also by these names.
    let inside = pfh(&d.join("t"), ["audit", "run", "-q", "../l.pfhl", "-o", "-"]).run();
    assert_eq!((inside.code(), &*inside.stderr), (0, ""));
    let opened = fs::File::create(d.join("t/out")).unwrap();
    let inside =
        pfh(d, ["audit", "report", "l.pfhl", "-f", "csv", "-o", "/dev/stdout"]).with(|command| command.stdout(opened));
    inside.run().done();
    assert!(fs::metadata(d.join("t/out")).unwrap().len() > 0);
    fs::remove_file(d.join("t/out")).unwrap();
    assert_eq!(found(d, &["run", "l.pfhl"], 0), []);
    let policy = |filter: &str, reports: &str| {
        fs::write(d.join("p.toml"), format!("ledger = 'l.pfhl'\n{filter}\n[reports]\n{reports}\n")).unwrap();
    };
    for reports in ["prometheus = 't/p.prom'", "directory = 't/reports'\nformats = ['csv']"] {
        policy("exclude = ['reports/', '*.prom']", reports);
        for _ in 0..2 {
            assert!(!is_told(&["run", "p.toml"]), "{reports}");
        }
        // The report replaces no file that is audited.
        assert!(!is_told(&["report", "p.toml", "-o", "t/p.prom"]), "{reports}");
    }
    policy("", "directory = 't/reports'\nformats = ['csv']");
    assert!(is_told(&["run", "p.toml"]));
    assert!(d.join("t/reports/l-run-00008.csv").exists());
    intact(d, "l.pfhl");
}

/// Whoever can write to the directory of a ledger does not choose the file that is its lock, and holds nobody up.
#[test]
fn a_lock_is_a_regular_file() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    let refused = |arguments: &[&str]| {
        let said = "l.pfhl.lock` is not a regular file: remove that\n";
        let ended = audit(d, arguments);
        assert!(ended.code() == 2 && ended.stderr.contains(said), "{arguments:?}: {}", ended.stderr);
        fs::remove_file(d.join("l.pfhl.lock")).unwrap();
    };
    symlink("anywhere", d.join("l.pfhl.lock")).unwrap();
    refused(&["init", "-q", "l.pfhl", "t"]);
    assert!(!d.join("l.pfhl").exists() && !d.join("anywhere").exists());
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    fs::remove_file(d.join("l.pfhl.lock")).unwrap();
    fifo(&d.join("l.pfhl.lock"));
    refused(&["run", "-q", "l.pfhl"]);
    audit(d, &["run", "-q", "l.pfhl"]).done();
}

/// The user has named the directory of reports, and not the file that a link there leads to; metrics are named.
#[test]
fn a_link_in_the_place_of_a_report_is_replaced() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    fs::create_dir(d.join("out")).unwrap();
    for (name, link) in [("precious", "out/l-run-00002.txt"), ("metrics", "m.prom")] {
        fs::write(d.join(name), "old").unwrap();
        symlink(d.join(name), d.join(link)).unwrap();
    }
    let reports = "directory = 'out'\nformats = ['text']\nprometheus = 'm.prom'";
    fs::write(d.join("p.toml"), format!("ledger = 'l.pfhl'\n[reports]\n{reports}\n")).unwrap();
    audit(d, &["run", "-q", "p.toml"]).done();
    assert_eq!(fs::read_to_string(d.join("precious")).unwrap(), "old");
    assert!(fs::symlink_metadata(d.join("out/l-run-00002.txt")).unwrap().is_file());
    assert!(d.join("m.prom").is_symlink() && fs::read_to_string(d.join("metrics")).unwrap() != "old");
}

/// A link to the ledger has no lock of its own, and one to the root names it.
#[test]
fn links_to_the_ledger_and_to_the_root() {
    let directory = tree(&[("a", "1"), ("b", "2")]);
    let d = directory.path();
    symlink("t", d.join("link")).unwrap();
    audit(d, &["init", "-q", "l.pfhl", "link/"]).done();
    symlink("l.pfhl", d.join("same.pfhl")).unwrap();
    for (file, root) in [("a", "link"), ("b", "link/")] {
        put(d, file, "changed");
        assert_eq!(found(d, &["run", "same.pfhl"], 1), pairs(&[(file, "changed")]));
        audit(d, &["accept", "l.pfhl", root, "--why", "intended"]).done();
    }
    assert!(d.join("l.pfhl.lock").exists() && !d.join("same.pfhl.lock").exists());
    intact(d, "l.pfhl");
}

/// An empty path is not the whole collection, and a relative one starts from the current directory.
#[test]
fn paths_of_decisions_mean_one_file() {
    let directory = tree(&[("a", "1"), ("d/b", "2"), ("e/gone", "3")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    put(d, "a", "changed");
    put(d, "d/b", "changed");
    fs::remove_dir_all(d.join("t/e")).unwrap();
    let open = pairs(&[("a", "changed"), ("d/b", "changed"), ("e/gone", "missing")]);
    assert_eq!(found(d, &["run", "l.pfhl"], 1), open);
    let events = || lines(&audit(d, &["status", "l.pfhl", "--json"]).stdout)[0]["events"].clone();
    let before = events();
    let commands = |path: &'static str| {
        let decisions = ["accept", "forget"].map(|decide| vec![decide, "../l.pfhl", path, "--why", "intended"]);
        decisions.into_iter().chain([vec!["history", "../l.pfhl", path]])
    };
    // The collection has a file of this name, too.
    fs::create_dir(d.join("sub")).unwrap();
    fs::write(d.join("sub/a"), "another").unwrap();
    let here = d.canonicalize().unwrap();
    let outside = format!(
        "pfh: `../l.pfhl`: `{0}/sub/a` is below no root of the ledger: `{0}/t`. A relative path starts from the current \
         directory; write an absolute one to be sure\n",
        here.display()
    );
    for (path, told) in [("", "pfh: `../l.pfhl`: an empty path names no file\n"), ("a", outside.as_str())] {
        for arguments in commands(path) {
            audit(&d.join("sub"), &arguments).expect(2, told);
        }
    }
    assert_eq!(events(), before);
    // From inside of the collection, also below a directory that is gone.
    let inside = ["accept", "../../l.pfhl", "b", "./../a", "../e/gone", "--why", "intended"];
    audit(&d.join("t/d"), &inside).done();
    assert_eq!(found(d, &["run", "l.pfhl"], 0), []);
    intact(d, "l.pfhl");
}

/// A link at the old place of a collection stands for it: files have their old paths, and those below the new place.
#[test]
fn a_collection_that_moved_is_found_by_a_link() {
    let directory = tree(&[("a", "1"), ("b", "2"), ("d/gone", "3"), ("e", "4")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    fs::rename(d.join("t"), d.join("new")).unwrap();
    symlink("new", d.join("t")).unwrap();
    for file in ["a", "b", "e"] {
        put(d, file, "changed");
    }
    fs::remove_dir_all(d.join("t/d")).unwrap();
    let open = pairs(&[("a", "changed"), ("b", "changed"), ("d/gone", "missing"), ("e", "changed")]);
    assert_eq!(found(d, &["run", "l.pfhl"], 1), open);
    let reported = d.canonicalize().unwrap().join("t/a");
    let why = ["--why", "intended"];
    audit(d, &[&["accept", "l.pfhl", reported.to_str().unwrap(), "t/d/gone", "new/b"][..], &why].concat()).done();
    audit(&d.join("t"), &[&["accept", "../l.pfhl", "e"][..], &why].concat()).done();
    assert_eq!(found(d, &["run", "l.pfhl"], 0), []);
    intact(d, "l.pfhl");
}

/// The ledger keeps all that it knows of the files, tells where they were, and takes their old paths, too.
#[test]
fn a_collection_that_is_elsewhere_keeps_its_history() {
    let directory = tree(&[("a", "1"), ("d/b", "2"), ("e", "3")]);
    let d = directory.path().canonicalize().unwrap();
    let d = d.as_path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    let old = d.join("t");
    let old = old.to_str().unwrap();
    let relocate = |arguments: &[&str]| audit(d, &[&["relocate", "l.pfhl"], arguments].concat());
    let head = || audit(d, &["head", "l.pfhl"]).stdout;
    let before = head();
    fs::create_dir_all(d.join("other/empty")).unwrap();
    fs::write(d.join("file"), "").unwrap();
    let why = ["--why", "new disk"];
    for (arguments, told) in [
        (["t", "t"], "is its path in the ledger already"),
        (["t/d", "other"], "is no root of the ledger"),
        (["t", "none"], "cannot be examined"),
        (["t", "file"], "is no directory, as it is in the ledger"),
        (["t", "."], "the ledger `l.pfhl` would lie in"),
        (["t", "other"], "has none of the files that are expected"),
    ] {
        let ended = relocate(&[&arguments[..], &why].concat());
        assert!(ended.code() == 2 && ended.stderr.contains(told), "{arguments:?}: {}", ended.stderr);
    }
    let ended = relocate(&["t", "other", "--why", " "]);
    assert!(ended.code() == 2 && ended.stderr.contains("neither can be empty"), "{}", ended.stderr);
    assert_eq!(head(), before);

    // A copy, in which a file is rotten, one is gone, and one is new.
    peer("cp", d, ["-a", "t", "other/new\n"]).unwrap();
    let text = relocate(&["t", "other/new\n", "--by", "Anna", "--why", "new disk"]);
    let told = format!("relocated  `{old}` to `{}/other/new\\n`\n", d.display());
    assert!(text.stdout.starts_with(told.as_bytes()), "{}", String::from_utf8_lossy(&text.stdout));
    let new = d.join("other/new\n");
    rot(&new.join("a"));
    fs::remove_file(new.join("e")).unwrap();
    fs::write(new.join("f"), "4").unwrap();
    let ended = audit(d, &["run", "l.pfhl", "-f", "jsonl"]);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    let found: BTreeSet<_> = lines(&ended.stdout)
        .iter()
        .filter(|line| line["type"] == "event")
        .map(|line| (line["path"].as_str().unwrap().to_owned(), line["finding"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [("a", "changed"), ("e", "missing"), ("f", "new")];
    let below = |(path, finding): (&str, &str)| (format!("{}/{path}", new.display()), finding.to_owned());
    assert!(expected.map(below).iter().all(|one| found.contains(one)), "{found:?}");
    // By the old path, and by the new one.
    audit(d, &["accept", "l.pfhl", &format!("{old}/e"), &format!("{}/a", new.display()), "--why", "known"]).done();
    let history = audit(d, &["history", "l.pfhl", &format!("{old}/e"), "--json"]);
    let findings: Vec<_> = lines(&history.stdout).iter().map(|line| line["finding"].clone()).collect();
    assert_eq!(findings, ["first", "missing", "accepted"]);
    intact(d, "l.pfhl");

    let status = lines(&audit(d, &["status", "l.pfhl", "--json"]).stdout).remove(0);
    let relocation = &status["relocations"][0];
    assert_eq!(
        (&relocation["from"], &relocation["by"], &relocation["why"]),
        (&old.into(), &"Anna".into(), &"new disk".into())
    );
    assert_eq!((&relocation["to"], &status["roots"][0]), (&status["roots"][0], &new.to_str().unwrap().into()));
    let status = String::from_utf8(audit(d, &["status", "l.pfhl"]).stdout).unwrap();
    assert!(status.contains(&format!(" `{old}` (by Anna: new disk)\n")), "{status}");

    // A policy has to follow, and a root without files can be taken.
    fs::write(d.join("p.toml"), format!("ledger = 'l.pfhl'\nroots = ['{old}']\n")).unwrap();
    let ended = audit(d, &["run", "p.toml"]);
    assert!(ended.code() == 2 && ended.stderr.contains("`pfh audit relocate`"), "{}", ended.stderr);
    fs::create_dir(d.join("bare")).unwrap();
    let ended = audit(d, &["relocate", "p.toml", new.to_str().unwrap(), "bare", "--allow-empty", "--why", "lost"]);
    assert!(String::from_utf8_lossy(ended.done()).contains("in the policy, too: `p.toml`\n"));
    intact(d, "l.pfhl");
}

/// With links that are followed, a file has several paths, each of which is one of its own.
#[test]
fn a_path_through_a_link_that_is_followed_is_one_of_its_own() {
    let directory = tree(&[("d/f", "1")]);
    let d = directory.path();
    symlink("d", d.join("t/link")).unwrap();
    audit(d, &["init", "-q", "l.pfhl", "t", "--follow-directories"]).done();
    put(d, "d/f", "changed");
    assert_eq!(found(d, &["run", "l.pfhl"], 1), pairs(&[("d/f", "changed"), ("link/f", "changed")]));
    audit(d, &["accept", "l.pfhl", "t/link/f", "--why", "intended"]).done();
    let status = audit(d, &["status", "l.pfhl"]);
    let status = String::from_utf8(status.expect(1, "").to_vec()).unwrap();
    assert!(status.contains("open         changed 1\n") && status.contains("/t/d/f`\n"), "{status}");
}

/// Texts of people forge no lines, and command no terminal.
#[test]
fn reasons_and_names_are_escaped() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    put(d, "a", "other");
    audit(d, &["run", "-q", "l.pfhl"]);
    let (by, why) = ("A\u{202e}B", "fine\n2026-01-01T00:00:00Z  run 9    matched\u{1b}[2J");
    audit(d, &["accept", "l.pfhl", "t/a", "--by", by, "--why", why]).done();
    let history = audit(d, &["history", "l.pfhl", "t/a"]);
    let text = String::from_utf8(history.done().to_vec()).unwrap();
    let told = "by A\\u{202e}B: fine\\n2026-01-01T00:00:00Z  run 9    matched\\u{1b}[2J\n";
    assert!(text.ends_with(told) && text.lines().count() == 4, "{text:?}");
    let last = lines(audit(d, &["history", "l.pfhl", "t/a", "--json"]).done()).pop().unwrap();
    assert_eq!((&last["by"], &last["why"]), (&by.into(), &why.into()));
}

/// A ledger that is damaged is no other file, and the advice does not lead in a circle.
#[test]
fn a_damaged_ledger_is_told_from_none() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    let bytes = fs::read(d.join("l.pfhl")).unwrap();
    let mut header = bytes.clone();
    header[16] = 0xff;
    let verify = |bytes: &[u8]| {
        fs::write(d.join("x.pfhl"), bytes).unwrap();
        audit(d, &["verify-ledger", "x.pfhl"])
    };
    for damaged in [&bytes[..4096], &bytes[..bytes.len() / 2], &header[..]] {
        let ended = verify(damaged);
        let text = String::from_utf8(ended.expect(1, "").to_vec()).unwrap();
        assert!(text.starts_with("the database is damaged: ") && !text.contains("verify-ledger"), "{text}");
    }
    for none in [&b""[..], b"no database"] {
        assert_eq!(verify(none).code(), 2);
    }
}

/// Names of any bytes, links and what is no file.
#[test]
fn odd_names_and_other_things() {
    let (directory, files) = odd();
    let d = directory.path();
    fs::rename(d.join("tree"), d.join("t")).unwrap();
    assert!(!files.is_empty());
    let first = audit(d, &["init", "l.pfhl", "t"]);
    assert!(matches!(first.code(), 0 | 3), "{}", first.stderr);
    // The ledger has the files that a list has.
    let listed = hash(d, ["-0", "-f", "gnu", "t"]).run();
    let listed = listed.stdout.iter().filter(|&&byte| byte == 0).count();
    let lines = audit(d, &["report", "l.pfhl", "-f", "jsonl"]);
    let firsts = self::lines(lines.done()).iter().filter(|line| line["finding"] == "first").count();
    assert!(firsts > 50 && firsts == listed, "{firsts} {listed}");
    let again = audit(d, &["run", "l.pfhl"]);
    assert!(again.stderr.contains(&format!("not read {firsts}")), "{}", again.stderr);
    intact(d, "l.pfhl");
    // A file that became a link is gone.
    let other = tree(&[("f", "hello"), ("g", "hello")]);
    let d = other.path();
    audit(d, &["init", "l.pfhl", "t"]);
    fs::remove_file(d.join("t/f")).unwrap();
    symlink("g", d.join("t/f")).unwrap();
    assert_eq!(found(d, &["run", "l.pfhl"], 1), pairs(&[("f", "missing")]));
}

/// Killed at random moments a hundred times, a ledger loses nothing, and has nothing twice.
#[test]
fn killed_runs_go_on() {
    let directory = tree(&[]);
    let d = directory.path();
    for number in 0..400 {
        put(d, &format!("{}/{number}", number % 20), &format!("contents {number}").repeat(200));
    }
    let mut random = Random::new(17);
    let (mut kills, mut rounds) = (0, 0);
    while kills < 100 {
        rounds += 1;
        // Every other time the first run is killed, too.
        let ledger = format!("l{rounds}.pfhl");
        let mut arguments = vec!["init", &ledger, "t", "--rate", "8M", "-q"];
        loop {
            let running = pfh(d, [&["audit"], &arguments[..]].concat()).start();
            thread::sleep(Duration::from_micros(random.below(120_000)));
            running.signal(Signal::KILL);
            let ended = running.end();
            if ended.code() == 137 {
                kills += 1;
            }
            if !d.join(&ledger).exists() || fs::metadata(d.join(&ledger)).unwrap().len() == 0 {
                let _ = fs::remove_file(d.join(&ledger));
                continue;
            }
            if audit(d, &["verify-ledger", &ledger]).code() == 2 {
                // Killed before the ledger was complete: it is none yet.
                fs::remove_file(d.join(&ledger)).unwrap();
                let _ = fs::remove_file(d.join(format!("{ledger}-wal")));
                let _ = fs::remove_file(d.join(format!("{ledger}-shm")));
                continue;
            }
            intact(d, &ledger);
            arguments = vec!["run", &ledger, "--full", "--rate", "8M", "-q"];
            if random.below(8) == 0 || kills >= 100 {
                break;
            }
        }
        let last = audit(d, &["run", &ledger, "--full"]);
        assert_eq!(last.code(), 0, "{}", last.stderr);
        let last = audit(d, &["run", &ledger]);
        last.expect(0, &last.stderr);
        assert!(last.stderr.contains("400 files") && last.stderr.contains("not read 400"), "{}", last.stderr);
        // Each file was seen for the first time once, and at most once in each run.
        let runs = lines(audit(d, &["status", &ledger, "--json"]).done())[0]["runs"].as_u64().unwrap();
        let mut firsts = 0;
        for run in 1..=runs {
            let report = audit(d, &["report", &ledger, "--run", &run.to_string(), "-f", "jsonl"]);
            let events: Vec<Value> = lines(report.done()).into_iter().filter(|line| line["type"] == "event").collect();
            let mut paths: Vec<&str> = events.iter().map(|event| event["path"].as_str().unwrap()).collect();
            paths.sort_unstable();
            let count = paths.len();
            paths.dedup();
            assert_eq!(paths.len(), count, "run {run} of {ledger}");
            firsts += events.iter().filter(|event| event["finding"] == "first").count();
        }
        assert_eq!(firsts, 400);
        intact(d, &ledger);
    }
}

#[test]
fn a_signal_ends_a_run_that_goes_on_later() {
    let directory = tree(&[]);
    let d = directory.path();
    for number in 0..50 {
        put(d, &format!("{number:02}"), &format!("{number:02}").repeat(50_000));
    }
    let running = pfh(d, ["audit", "init", "l.pfhl", "t", "--rate", "200K"]).start();
    let recorded = || {
        let status = audit(d, &["status", "l.pfhl", "--json"]);
        if status.code() == 0 { lines(status.done())[0]["bytes"].as_u64().unwrap() } else { 0 }
    };
    // A disk may take seconds to make each commit durable.
    eventually("files are recorded", || d.join("l.pfhl-wal").exists() && recorded() >= 500_000);
    // Another run is refused meanwhile.
    let other = audit(d, &["run", "l.pfhl"]);
    other.expect(2, "pfh: `l.pfhl`: another run has the ledger; --wait waits until it has ended\n");
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 130, "{}", ended.stderr);
    assert!(ended.stderr.contains("interrupted; `pfh audit run` goes on with the run"), "{}", ended.stderr);
    let rest = audit(d, &["run", "l.pfhl"]);
    assert_eq!(rest.code(), 0, "{}", rest.stderr);
    // Both parts of the run have read 50 files: none of those that were recorded before was read again.
    let told = "pfh: run 1 was interrupted, and goes on (init)\npfh: run 1 (init): 50 files, 5.00 MB; read 50, 5.00 MB, first 50\n";
    assert_eq!(rest.stderr, told);
    intact(d, "l.pfhl");
}

/// With --wait, a second run begins when the first has ended, and finds what it left.
#[test]
fn a_second_run_waits() {
    let directory = tree(&[("a", "1"), ("b", "2")]);
    let d = directory.path();
    put(d, "c", &"x".repeat(100_000));
    put(d, "d", "last");
    let first = pfh(d, ["audit", "init", "l.pfhl", "t", "--rate", "100K"]).start();
    eventually("the ledger is made", || fs::metadata(d.join("l.pfhl-wal")).is_ok_and(|log| log.len() > 40_000));
    let second = audit(d, &["run", "l.pfhl", "--wait"]);
    second.expect(0, "pfh: run 2 (incremental): 4 files, 100 kB; read 0, 0 B, not read 4\n");
    assert_eq!(first.end().code(), 0);
    intact(d, "l.pfhl");
}

#[test]
fn limits_leave_the_rest_for_the_next_run() {
    let directory = tree(&[]);
    let d = directory.path();
    for number in 0..12 {
        put(d, &format!("{number:02}"), &format!("{number:02}").repeat(50));
    }
    audit(d, &["init", "l.pfhl", "t"]);
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.extend(found(d, &["run", "l.pfhl", "--share", "1/4"], 0).into_iter().map(|(path, _)| path));
    }
    let expected: Vec<String> = (0..12).map(|number| format!("{number:02}")).collect();
    assert_eq!(seen, expected);
    // Those that were verified longest ago come first.
    assert_eq!(
        found(d, &["run", "l.pfhl", "--rolling", "--bytes", "150"], 0),
        pairs(&[("00", "matched"), ("01", "matched")])
    );
    let none = audit(d, &["run", "l.pfhl", "--full", "--for", "0s"]);
    none.expect(0, "pfh: run 7 (full): 12 files, 1.20 kB; read 0, 0 B, left for the next run 12\n");
    assert_eq!(found(d, &["run", "l.pfhl", "--interval", "90d"], 0), []);
    assert_eq!(found(d, &["run", "l.pfhl", "--full", "--io", "direct", "--idle"], 0).len(), 12);
    intact(d, "l.pfhl");
}

/// Only the command line limits a full run.
#[test]
fn a_full_run_reads_all_whatever_the_policy_says() {
    let directory = tree(&[("a", "1"), ("b", "2"), ("c", "3")]);
    let d = directory.path();
    fs::write(d.join("p.toml"), "ledger = 'l.pfhl'\nroots = ['t']\nbytes = '1'\nfor = '0s'\n").unwrap();
    audit(d, &["init", "-q", "p.toml"]).done();
    assert_eq!(found(d, &["run", "p.toml", "--full"], 0).len(), 3);
    assert_eq!(found(d, &["run", "p.toml", "--full", "--bytes", "1"], 0).len(), 1);
    assert_eq!(found(d, &["run", "p.toml", "--rolling"], 0), []);
}

/// A file that was only moved is not missing because a limit left it unread.
#[test]
fn nothing_is_missing_that_may_be_among_the_files_that_are_left() {
    let directory = tree(&[("a", &"a".repeat(100)[..]), ("gone", "other"), ("k", "kept")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    fs::rename(d.join("t/a"), d.join("t/m")).unwrap();
    fs::remove_file(d.join("t/gone")).unwrap();
    put(d, "b", &"b".repeat(100));
    // No file that is left has the size of the one that is really gone.
    let told = "pfh: run 2 (incremental): 3 files, 204 B; read 1, 100 B, missing 1, new 1, not read 1, \
                perhaps moved 1, left for the next run 1; open: missing 1\n";
    audit(d, &["run", "l.pfhl", "--bytes", "1"]).expect(1, told);
    assert_eq!(found(d, &["report", "l.pfhl"], 0), pairs(&[("b", "new"), ("gone", "missing")]));
    assert_eq!(found(d, &["run", "l.pfhl", "--bytes", "1"], 1), pairs(&[("a", "moved-away"), ("m", "moved")]));
    intact(d, "l.pfhl");
}

/// A file that fails in each run takes neither the turn nor the bytes of others.
#[test]
fn files_that_cannot_be_read_hold_up_no_others() {
    let (directory, program) = public();
    let d = directory.path();
    fs::set_permissions(d, fs::Permissions::from_mode(0o777)).unwrap();
    let contents = "x".repeat(100);
    let locked = |path: &str| {
        put(d, path, &contents);
        fs::set_permissions(d.join("t").join(path), fs::Permissions::from_mode(0o000)).unwrap();
    };
    let run = |code: i32| {
        let ended = audit_as_nobody(d, &program, &["run", "l.pfhl", "--bytes", "100", "-f", "jsonl"]);
        assert_eq!(ended.code(), code, "{}", ended.stderr);
        events(d, &ended)
    };
    locked("a");
    assert_eq!(audit_as_nobody(d, &program, &["init", "l.pfhl", "t"]).code(), 5);
    put(d, "b", &contents);
    put(d, "c", &contents);
    // Those come first that were never tried.
    assert_eq!(run(1), pairs(&[("b", "new")]));
    locked("0");
    assert_eq!(run(5), pairs(&[("0", "unreadable"), ("c", "copied")]));
    assert_eq!(run(5), pairs(&[("0", "unreadable"), ("a", "unreadable")]));
    intact(d, "l.pfhl");
}

/// A known file that shrinks below the limit, or grows above it, is not out of sight.
#[test]
fn limits_on_sizes_hide_no_change() {
    let directory = tree(&[("f", "hello"), ("g", "world"), ("tiny", "x")]);
    let d = directory.path();
    audit(d, &["init", "l.pfhl", "t", "--min-size", "3"])
        .expect(0, "pfh: run 1 (init): 2 files, 10 B; read 2, 10 B, first 2\n");
    put(d, "f", "h");
    put(d, "new", "y");
    assert_eq!(found(d, &["run", "l.pfhl"], 1), pairs(&[("f", "changed")]));
    let again = audit(d, &["run", "l.pfhl"]);
    assert!(again.code() == 1 && again.stderr.ends_with("not read 2; open: changed 1\n"), "{}", again.stderr);
    // A small file that is expected to be small is left out.
    audit(d, &["accept", "l.pfhl", "t/f", "--why", "intended"]).done();
    let told = "pfh: run 4 (incremental): 1 file, 5 B; read 0, 0 B, not read 1, out of sight 1\n";
    audit(d, &["run", "l.pfhl"]).expect(0, told);
    intact(d, "l.pfhl");
}

#[test]
fn migration_to_another_algorithm() {
    let directory = tree(&[("a", "hello"), ("b", "world"), ("rotten", "x")]);
    let d = directory.path();
    audit(d, &["init", "l.pfhl", "t", "-a", "md5"]);
    rot(&d.join("t/rotten"));
    let first = audit(d, &["migrate", "l.pfhl", "--to", "sha256", "-f", "csv"]);
    assert_eq!(first.code(), 1);
    assert!(first.stderr.contains("files without a digest by sha256: 1."), "{}", first.stderr);
    // The crosswalk: the old digest and the new one in one line.
    let crosswalk = format!(
        "md5:{},md5:{} sha256:{},",
        digest("md5", b"hello"),
        digest("md5", b"hello"),
        digest("sha256", b"hello")
    );
    let text = String::from_utf8(first.stdout).unwrap();
    assert!(text.contains(&crosswalk), "{text}");
    put(d, "rotten", "x");
    let second = audit(d, &["migrate", "l.pfhl", "--to", "sha256"]);
    second.expect(0, "pfh: run 3 (migrate): 3 files, 11 B; read 1, 1 B, migrated 1, not read 2\n");
    let status = lines(audit(d, &["status", "l.pfhl", "--json"]).done()).remove(0);
    assert_eq!(status["settings"]["algorithms"], serde_json::json!(["sha256"]));
    assert_eq!(audit(d, &["migrate", "l.pfhl", "--to", "sha256"]).code(), 2);
    assert_eq!(
        found(d, &["run", "l.pfhl", "--full"], 0),
        pairs(&[("a", "matched"), ("b", "matched"), ("rotten", "matched")])
    );
    intact(d, "l.pfhl");
}

/// Errors in the middle of a file, and files that change while they are read, are findings of their own.
#[test]
fn faults_of_reading() {
    let directory = scratch();
    let d = directory.path();
    let (real, shown) = (d.join("real"), d.join("t"));
    for made in [&real, &shown] {
        fs::create_dir(made).unwrap();
    }
    for name in ["bad", "grows", "whole"] {
        fs::write(real.join(name), contents(0, 3_000_000)).unwrap();
    }
    audit(d, &["init", "l.pfhl", "t"]);
    let plan = "bad eio 1000000 4096\ngrows grow 500000 4000000\n";
    let Some(mount) = mount_faults(&real, &shown, None, plan) else { return };
    let ended = audit(d, &["run", "l.pfhl", "-f", "jsonl"]);
    let rest = audit(d, &["run", "l.pfhl", "-f", "jsonl", "-q"]);
    mount.unmount().unwrap();
    assert_eq!(ended.code(), 5, "{}", ended.stderr);
    let events: Vec<Value> = lines(&ended.stdout).into_iter().filter(|line| line["type"] == "event").collect();
    let finding = |name: &str| {
        events.iter().find(|event| event["path"].as_str().unwrap().ends_with(name)).unwrap_or_else(|| panic!("{name}"))
    };
    assert_eq!((&finding("/bad")["finding"], &finding("/bad")["offset"]), (&"unreadable".into(), &1_000_000.into()));
    assert_eq!((&finding("/grows")["finding"], &finding("/whole")["finding"]), (&"changing".into(), &"new".into()));
    assert!(finding("/bad").get("digests").is_none() && finding("/grows").get("digests").is_none());
    // It is tried again.
    assert_eq!(rest.code(), 5, "{}", rest.stderr);
    intact(d, "l.pfhl");
}

/// A filesystem of a few MiB, unmounted when dropped.
pub(crate) struct Small<'a>(&'a Path);

impl<'a> Small<'a> {
    pub(crate) fn mount(at: &'a Path, options: &str) -> Option<Small<'a>> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            skipped(Need::Mount, "cannot mount a tmpfs");
            return None;
        }
        Some(Small(at))
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

/// A directory that cannot be listed is no alarm, and still told to those who look later, and to those who do not look.
#[test]
fn directories_that_were_not_seen_are_told() {
    let (directory, program) = public();
    let d = directory.path();
    fs::set_permissions(d, fs::Permissions::from_mode(0o777)).unwrap();
    ["closed/a", "closed/b", "open/c"].iter().for_each(|path| put(d, path, ""));
    fs::write(d.join("sendmail"), "#!/bin/sh\ncat >> mail\n").unwrap();
    fs::set_permissions(d.join("sendmail"), fs::Permissions::from_mode(0o755)).unwrap();
    let policy = format!(
        "ledger = 'l.pfhl'\nroots = ['t']\n[mail]\nto = ['a@b']\nsendmail = '{}/sendmail'\n[reports]\n\
         directory = 'reports'\nformats = ['text']\nprometheus = 'p.prom'\n",
        d.display()
    );
    fs::write(d.join("p.toml"), policy).unwrap();
    assert_eq!(audit_as_nobody(d, &program, &["init", "-q", "p.toml"]).code(), 0);
    fs::set_permissions(d.join("t/closed"), fs::Permissions::from_mode(0o000)).unwrap();
    let ended = audit_as_nobody(d, &program, &["run", "-q", "p.toml"]);
    let status = audit_as_nobody(d, &program, &["status", "p.toml"]);
    let json = audit_as_nobody(d, &program, &["status", "--json", "p.toml"]);
    fs::set_permissions(d.join("t/closed"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    let mail = fs::read_to_string(d.join("mail")).unwrap();
    assert!(
        mail.contains("Subject: [pfh audit] l: not all could be read\n") && mail.contains("out of sight 2"),
        "{mail}"
    );
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains("\nout of sight 2 files in the last run: "), "{status}");
    assert_eq!(lines(&json.stdout)[0]["last_run"]["unseen"], 2);
    let metrics = fs::read_to_string(d.join("p.prom")).unwrap();
    assert!(metrics.contains("\npfh_audit_run_files_unseen{collection=\"l\"} 2\n"), "{metrics}");
    let report = fs::read_to_string(d.join("reports/l-run-00002.txt")).unwrap();
    assert!(report.starts_with("audit of `") && report.contains("\nrun 2 (incremental): 1 file, 0 B; "), "{report}");
}

/// Whoever may only read a ledger leaves nothing beside it that would keep its owner out.
#[test]
fn readers_of_a_ledger_leave_its_owner_alone() {
    // Only root can be somebody else.
    if !is_root() {
        return;
    }
    let (directory, program) = public();
    let d = directory.path();
    fs::create_dir_all(d.join("t")).unwrap();
    put(d, "a", "1");
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    fs::set_permissions(d, fs::Permissions::from_mode(0o777)).unwrap();
    fs::set_permissions(d.join("l.pfhl"), fs::Permissions::from_mode(0o644)).unwrap();
    let before = names(d);
    for command in ["status", "report", "export", "head", "verify-ledger"] {
        let ended = audit_as_nobody(d, &program, &[command, "l.pfhl"]);
        assert_eq!((ended.code(), names(d)), (0, before.clone()), "{command}: {}", ended.stderr);
    }
    assert_eq!(audit(d, &["run", "-q", "l.pfhl"]).code(), 0);
    let refused = audit_as_nobody(d, &program, &["run", "l.pfhl"]);
    assert!(refused.code() == 2 && refused.stderr.contains("its lock `"), "{}", refused.stderr);
}

/// Commands that only read need no room, and those that have to write say that there is none.
#[test]
fn a_ledger_on_a_full_disk_can_be_read() {
    let directory = tree(&[("a", "1"), ("b", "2")]);
    let d = directory.path();
    let at = d.join("small");
    let Some(_small) = Small::mount(&at, "size=200k") else { return };
    audit(d, &["init", "-q", "small/l.pfhl", "t"]).done();
    let _ = fs::write(at.join("fill"), vec![0; 1 << 20]);
    for command in ["status", "report", "export", "head", "verify-ledger"] {
        let ended = audit(d, &[command, "small/l.pfhl"]);
        assert_eq!(ended.code(), 0, "{command}: {}", ended.stderr);
    }
    let message = "pfh: `small/l.pfhl`: no file can be written beside the ledger: is the disk full?\n";
    audit(d, &["run", "small/l.pfhl"]).expect(4, message);
}

/// SQLite takes a page that it cannot read for a damaged one; but nobody has changed it.
#[test]
fn a_ledger_that_cannot_be_read_is_not_damaged() {
    let directory = tree(&[]);
    let d = directory.path();
    (0..1000).for_each(|number| put(d, &format!("a file with a long name {number}"), ""));
    let (real, shown) = (d.join("real"), d.join("shown"));
    fs::create_dir(&real).unwrap();
    for ledger in ["start", "middle", "end"] {
        audit(d, &["init", "-q", &format!("real/{ledger}"), "t"]).done();
    }
    let end = fs::metadata(real.join("end")).unwrap().len() - 4096;
    let plan = format!("start eio 0 4096\nmiddle eio 81920 4096\nend eio {end} 4096");
    let Some(mount) = mount_faults(&real, &shown, None, &plan) else { return };
    let ended: Vec<_> = ["start", "middle", "end"]
        .iter()
        .map(|ledger| audit(d, &["verify-ledger", &format!("shown/{ledger}")]))
        .collect();
    mount.unmount().unwrap();
    for ended in ended {
        assert_eq!(ended.code(), 4, "{}{}", ended.stderr, String::from_utf8_lossy(&ended.stdout));
        assert!(ended.stderr.contains("could not be read"), "{}", ended.stderr);
    }
}

#[test]
fn a_full_disk_and_a_read_only_one() {
    let directory = tree(&[]);
    let d = directory.path();
    for number in 0..3000 {
        put(
            d,
            &format!("{}/a longer name, of which a ledger has to keep many {number}", number % 30),
            &number.to_string(),
        );
    }
    let at = d.join("small");
    let Some(small) = Small::mount(&at, "size=400k") else { return };
    let full = audit(d, &["init", "small/l.pfhl", "t"]);
    assert_eq!(full.code(), 4, "{}", full.stderr);
    assert!(full.stderr.contains("there is no space left for the ledger"), "{}", full.stderr);
    // With room again, it goes on.
    let more = Command::new("mount").args(["-o", "remount,size=16m"]).arg(&at).output().unwrap();
    assert!(more.status.success());
    intact(d, "small/l.pfhl");
    let rest = audit(d, &["run", "small/l.pfhl"]);
    assert!(rest.code() == 0 && rest.stderr.contains("first 3,000"), "{}", rest.stderr);
    intact(d, "small/l.pfhl");
    // On a medium that is read-only, a ledger can be read, and not be written.
    assert!(Command::new("mount").args(["-o", "remount,ro"]).arg(&at).output().unwrap().status.success());
    intact(d, "small/l.pfhl");
    assert_eq!(audit(d, &["status", "small/l.pfhl"]).code(), 0);
    audit(d, &["history", "small/l.pfhl", "t/0/a longer name, of which a ledger has to keep many 0"]).done();
    let refused = audit(d, &["run", "small/l.pfhl"]);
    assert!(refused.code() == 2 && refused.stderr.contains("read-only"), "{}", refused.stderr);
    drop(small);
}

/// A limit on the size of files makes a run fail, and a ledger that could not be made does not keep its name.
#[test]
fn a_ledger_that_cannot_be_written_is_a_failure() {
    let directory = tree(&[]);
    let d = directory.path();
    for number in 0..3000 {
        put(d, &format!("{}/a longer name, of which a ledger has to keep many {number}", number % 30), "");
    }
    let limited = |blocks: u32, ledger: &str| {
        let script = format!("ulimit -f {blocks}; exec \"$0\" audit init -q {ledger} t");
        Run::new("sh", d, ["-c", &script, env!("CARGO_BIN_EXE_pfh")]).run()
    };
    let none = limited(20, "none");
    assert!(none.code() == 4 && none.stderr.ends_with("; no ledger was made\n"), "{}", none.stderr);
    assert!(names(d).iter().all(|name| [Path::new("none.lock"), Path::new("t")].contains(&name.as_path())));
    let begun = limited(200, "begun");
    assert!(begun.code() == 4 && !begun.stderr.contains("no ledger was made"), "{}", begun.stderr);
    intact(d, "begun");
    assert_eq!(audit(d, &["run", "-q", "begun"]).code(), 0);
    assert_eq!(audit(d, &["init", "-q", "none", "t"]).code(), 0);
}

#[test]
fn without_standard_output_no_ledger_is_made() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    let script = "exec \"$0\" audit init ledger t >&-";
    let closed = Run::new("sh", d, ["-c", script, env!("CARGO_BIN_EXE_pfh")]).run();
    closed.expect(4, "pfh: standard output: Bad file descriptor (os error 9)\n");
    assert!(!d.join("ledger").exists());
    assert_eq!(audit(d, &["init", "ledger", "t"]).code(), 0);
}

#[test]
fn a_directory_that_cannot_be_listed_is_no_loss() {
    if is_root() {
        let directory = tree(&[("d/f", "hello"), ("g", "world")]);
        let d = directory.path();
        // Root may list every directory, so a filter takes the place of the lock.
        audit(d, &["init", "l.pfhl", "t"]);
        fs::write(d.join("p.toml"), "ledger = 'l.pfhl'\nroots = ['t']\nexclude = ['d/']\n").unwrap();
        let ended = audit(d, &["run", "p.toml"]);
        ended.expect(0, "pfh: run 2 (incremental): 1 file, 5 B; read 0, 0 B, not read 1, out of sight 1\n");
        return;
    }
    let directory = tree(&[("d/f", "hello"), ("g", "world")]);
    let d = directory.path();
    audit(d, &["init", "l.pfhl", "t"]);
    fs::set_permissions(d.join("t/d"), fs::Permissions::from_mode(0o000)).unwrap();
    let ended = audit(d, &["run", "l.pfhl"]);
    fs::set_permissions(d.join("t/d"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(ended.code() == 3 && ended.stderr.contains("out of sight 1"), "{}", ended.stderr);
}

/// A file that a filter leaves out is out of sight, whether or not it is still there.
#[test]
fn what_a_filter_leaves_out_is_never_missing() {
    let directory = tree(&[("a", "1"), ("b.tmp", "2"), ("d/c", "3"), ("d/e/f", "4")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    let run = |filter: &str| {
        fs::write(d.join("p.toml"), format!("ledger = 'l.pfhl'\nroots = ['t']\n{filter}\n")).unwrap();
        let ended = audit(d, &["run", "p.toml"]);
        let is_told = ended.stderr.ends_with(": 1 file, 1 B; read 0, 0 B, not read 1, out of sight 3\n");
        assert!(ended.code() == 0 && is_told, "{filter}: {}", ended.stderr);
    };
    let filters = ["exclude = ['*.tmp', 'd/']", "exclude = ['*.tmp', '**/t/d']", "include = ['a']"];
    filters.iter().for_each(|filter| run(filter));
    fs::remove_file(d.join("t/b.tmp")).unwrap();
    fs::remove_dir_all(d.join("t/d")).unwrap();
    filters.iter().for_each(|filter| run(filter));
    fs::write(d.join("p.toml"), "ledger = 'l.pfhl'\nroots = ['t']\n").unwrap();
    let missing = pairs(&[("b.tmp", "missing"), ("d/c", "missing"), ("d/e/f", "missing")]);
    assert_eq!(found(d, &["run", "p.toml"], 1), missing);
    intact(d, "l.pfhl");
}

/// The names in it are known, and nothing else.
#[test]
fn a_root_that_cannot_be_entered_is_not_empty() {
    let (directory, program) = public();
    let d = directory.path();
    fs::set_permissions(d, fs::Permissions::from_mode(0o777)).unwrap();
    put(d, "f", "hello");
    put(d, "g", "world");
    assert_eq!(audit_as_nobody(d, &program, &["init", "-q", "l.pfhl", "t"]).code(), 0);
    fs::set_permissions(d.join("t"), fs::Permissions::from_mode(0o644)).unwrap();
    let ended = audit_as_nobody(d, &program, &["run", "l.pfhl"]);
    fs::set_permissions(d.join("t"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(ended.code() == 3 && ended.stderr.contains("out of sight 2"), "{}", ended.stderr);
    assert_eq!(audit_as_nobody(d, &program, &["run", "-q", "l.pfhl"]).code(), 0);
}

#[test]
fn reports_for_programs_and_people() {
    let directory = tree(&[("a & <b>", "hello"), ("gone", "x"), ("odd\n\u{1}", "y")]);
    let d = directory.path();
    audit(d, &["init", "l.pfhl", "t"]);
    fs::remove_file(d.join("t/gone")).unwrap();
    put(d, "a & <b>", "other");
    audit(d, &["run", "l.pfhl", "--full"]);
    let report = |format: &str| {
        let ended = audit(d, &["report", "l.pfhl", "-f", format, "-o", "report"]);
        ended.done();
        fs::read_to_string(d.join("report")).unwrap()
    };
    let csv = report("csv");
    assert!(csv.starts_with("event,run,time,finding,bytes,expected,found,other,note,path\r\n"), "{csv}");
    assert!(csv.contains(&format!(
        "changed,5,sha256:{},sha256:{},,,",
        digest("sha256", b"hello"),
        digest("sha256", b"other")
    )));
    // A file that is as it was has its size in every report, although its event does not repeat it.
    assert!(csv.contains(&format!("matched,1,sha256:{0},sha256:{0},,,", digest("sha256", b"y"))), "{csv}");
    let jsonl = report("jsonl");
    let matched = lines(jsonl.as_bytes()).into_iter().find(|line| line["finding"] == "matched").unwrap();
    assert_eq!((&matched["bytes"], &matched["mtime"]), (&Value::from(1), &Value::Null));
    let prometheus = report("prometheus");
    for line in [
        "pfh_audit_files{collection=\"l\"} 3",
        "pfh_audit_open_findings{collection=\"l\",finding=\"missing\"} 1",
        "pfh_audit_run_findings{collection=\"l\",finding=\"changed\"} 1",
        "# TYPE pfh_audit_files gauge",
    ] {
        assert!(prometheus.lines().any(|found| found == line), "{line}\n{prometheus}");
    }
    // The state of the collection is that after the last run.
    let earlier = audit(d, &["report", "l.pfhl", "--run", "1", "-f", "prometheus"]);
    earlier.expect(2, "pfh: format `prometheus` has the collection as it stands and the last run; leave --run out\n");
    audit(d, &["report", "l.pfhl", "--run", "2", "-f", "prometheus"]).printed(prometheus.as_bytes());
    let html = report("html");
    assert!(html.contains("2 files have open findings.") && html.contains("a &amp; &lt;b&gt;"), "{html}");
    let premis = report("premis");
    assert!(["<size>5</size>", "<size>1</size>"].iter().all(|size| premis.contains(size)), "{premis}");
    let Some(checked) = peer("xmllint", d, ["--noout", "report"]) else { return };
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let count = |path: &str| {
        let path = path.replace('/', "/*[local-name()='").replace(" ", "']");
        let output = peer("xmllint", d, ["--xpath", &format!("count({path}'])"), "report"]).unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(count("/premis /event /eventIdentifier"), "3");
    // One object is the collection itself.
    assert_eq!(
        (count("/premis /object"), count("/premis /object /objectCharacteristics /format")),
        ("4".into(), "3".into())
    );
    assert_eq!(count("/premis /agent"), "1");
    assert!(premis.contains("<eventOutcome>fail</eventOutcome>") && premis.contains("/odd%0A%01</"), "{premis}");
}

/// A list has what is expected, whatever was found since, and is checked at the root.
#[test]
fn expected_files_are_exported() {
    let directory = tree(&[("-", "dash"), ("a", "one"), ("d/b", "two"), ("gone", "three")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    let told = "pfh: written: 4\n\
                pfh: entries: 4 have a size, which the list lacks: `./-`, `a`, `d/b`, …\n\
                pfh: entries: 4 have a time of modification, which the list lacks: `./-`, `a`, `d/b`, …\n";
    audit(d, &["export", "l.pfhl", "-o", "SHA256SUMS"]).expect(0, told);
    let list = [line(b"dash", "./-"), line(b"one", "a"), line(b"two", "d/b"), line(b"three", "gone")].concat();
    assert_eq!(fs::read_to_string(d.join("SHA256SUMS")).unwrap(), list);
    if let Some(checked) = peer("sha256sum", &d.join("t"), ["--check", "--quiet", "../SHA256SUMS"]) {
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    }
    for format in ["gnu", "bsd", "hashdeep", "md5deep", "md5deep-z", "csv", "jsonl", "dfxml"] {
        audit(d, &["export", "-q", "l.pfhl", "-f", format, "-o", "list"]).done();
        let verified = pfh(d, ["verify", "list", "t"]).run();
        assert_eq!(verified.code(), 0, "{format}: {}{}", String::from_utf8_lossy(&verified.stdout), verified.stderr);
    }
    let sfv = audit(d, &["export", "l.pfhl", "-f", "sfv"]);
    assert!(sfv.code() == 2 && sfv.stderr.contains("has no place for sha256"), "{}", sfv.stderr);
    put(d, "a", "changed");
    fs::remove_file(d.join("t/gone")).unwrap();
    audit(d, &["run", "-q", "l.pfhl"]);
    audit(d, &["export", "-q", "l.pfhl"]).printed(list.as_bytes());
    let sizes = audit(d, &["export", "-q", "l.pfhl", "-f", "jsonl"]);
    let sizes = lines(sizes.done());
    assert_eq!(sizes[0]["directory"], d.canonicalize().unwrap().join("t").to_str().unwrap());
    assert_eq!(sizes.iter().find(|line| line["path"] == "a").unwrap()["size"], 3);
    audit(d, &["accept", "l.pfhl", "t/a", "t/gone", "--why", "intended"]).done();
    let list = [line(b"dash", "./-"), line(b"changed", "a"), line(b"two", "d/b")].concat();
    audit(d, &["export", "-q", "l.pfhl"]).printed(list.as_bytes());
    // Names that the format cannot express, and digests that the ledger does not have.
    put(d, "two\nlines", "x");
    audit(d, &["run", "-q", "l.pfhl"]).done();
    let odd = audit(d, &["export", "l.pfhl", "-f", "hashdeep"]);
    let is_told = odd.stderr.contains("pfh: written: 3\n") && odd.stderr.contains("1 cannot be expressed");
    assert!(odd.code() == 3 && is_told, "{}", odd.stderr);
    let none = audit(d, &["export", "-q", "l.pfhl", "-a", "sha512", "-o", "SHA256SUMS"]);
    assert_eq!(none.code(), 3, "{}", none.stderr);
    assert!(fs::metadata(d.join("SHA256SUMS")).unwrap().len() > 0);
}

/// Of several roots, a list has absolute paths; of several algorithms, those that the format has a place for.
#[test]
fn exported_lists_of_several_roots_and_algorithms() {
    let directory = tree(&[("x/a", "one"), ("y/a", "two")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t/x", "t/y", "-a", "sha256,sha512"]).done();
    let root = d.canonicalize().unwrap();
    let (x, y) = (root.join("t/x/a").display().to_string(), root.join("t/y/a").display().to_string());
    let ended = audit(d, &["export", "l.pfhl", "-f", "gnu", "-a", "sha256"]);
    let told = format!("pfh: entries: 2 have other digests too, which the list lacks: `{x}`, `{y}`\n");
    assert!(ended.code() == 0 && ended.stderr.contains(&told), "{}", ended.stderr);
    ended.printed([line(b"one", &x), line(b"two", &y)].concat().as_bytes());
    assert_eq!(audit(d, &["export", "l.pfhl", "-f", "gnu"]).code(), 2);
    let hashdeep = audit(d, &["export", "-q", "l.pfhl", "-f", "hashdeep"]);
    assert!(hashdeep.done().starts_with(b"%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n"), "{:?}", hashdeep.stdout);
    let bsd = audit(d, &["export", "-q", "l.pfhl"]);
    let start = format!("SHA256 ({x}) = {}\nSHA512 ({x}) = ", digest("sha256", b"one"));
    assert!(bsd.done().starts_with(start.as_bytes()), "{:?}", bsd.stdout);
}

/// The walk tells how many files it has seen, and how many the last run has found.
#[test]
fn the_walk_shows_its_progress() {
    let directory = tree(&[("a", "1"), ("b", "2")]);
    let d = directory.path();
    let walking = |arguments: &[&str]| {
        let ended = audit(d, &[arguments, &["--progress", "log"]].concat());
        let lines: Vec<_> = ended.stderr.lines().filter_map(|line| line.split_once("Z walking: ")).collect();
        assert_eq!(lines.len(), 1, "{}", ended.stderr);
        lines[0].1.split(", 0:").next().unwrap().to_owned()
    };
    assert_eq!(walking(&["init", "l.pfhl", "t"]), "2 files");
    put(d, "c", "3");
    assert_eq!(walking(&["run", "l.pfhl"]), "3 files of 2 in the last run");
    assert_eq!(walking(&["run", "l.pfhl"]), "3 files of 3 in the last run");
}

/// Reports of every kind of run are documents of the schema that `PFH_TEST_PREMIS` names.
#[test]
fn premis_reports_obey_the_schema() {
    let Some(schema) = std::env::var_os("PFH_TEST_PREMIS") else {
        skipped(Need::Premis, "PFH_TEST_PREMIS names no premis-v3-0.xsd");
        return;
    };
    let schema = fs::canonicalize(schema).unwrap();
    let arguments = ["--nonet", "--noout", "--schema", schema.to_str().unwrap(), "report"];
    let names = ["a & <b>", "changed", "gone", "moved", "odd\n\u{1}", "rotten"];
    let directory = tree(&names.map(|name| (name, name)));
    let d = directory.path();
    // Returns the report, the kinds of findings in it, and whether it obeys. Nothing without xmllint.
    let report = |run: &str| {
        audit(d, &["report", "l.pfhl", "--run", run, "-f", "premis", "-o", "report"]).done();
        let text = fs::read_to_string(d.join("report")).unwrap();
        let notes = text.split("finding=").skip(1).map(|rest| rest.split([';', '<']).next().unwrap().to_owned());
        let findings: BTreeSet<_> = notes.collect();
        let checked = peer("xmllint", d, arguments)?;
        assert!(checked.status.success(), "{}\n{text}", String::from_utf8_lossy(&checked.stderr));
        Some((text, findings))
    };
    let expected = |findings: &[&str]| findings.iter().map(|one| (*one).to_owned()).collect::<BTreeSet<_>>();
    audit(d, &["init", "l.pfhl", "t"]);
    let Some((_, findings)) = report("1") else { return };
    assert_eq!(findings, expected(&["first"]));
    fs::remove_file(d.join("t/gone")).unwrap();
    fs::rename(d.join("t/moved"), d.join("t/elsewhere")).unwrap();
    fs::copy(d.join("t/a & <b>"), d.join("t/copied")).unwrap();
    put(d, "changed", "otherwise");
    put(d, "new", "new");
    rot(&d.join("t/rotten"));
    audit(d, &["run", "l.pfhl", "--full"]);
    let (text, findings) = report("2").unwrap();
    let all = ["bit-rot", "changed", "copied", "matched", "missing", "moved", "moved-away", "new"];
    assert_eq!(findings, expected(&all));
    // A run that had nothing to read.
    fs::create_dir(d.join("t/empty")).unwrap();
    audit(d, &["init", "empty.pfhl", "t/empty"]);
    audit(d, &["report", "empty.pfhl", "-f", "premis", "-o", "report"]).done();
    assert!(peer("xmllint", d, arguments).unwrap().status.success());
    // The schema is one that finds errors.
    fs::write(d.join("report"), text.replacen("<eventType>", "<eventTyp>", 1)).unwrap();
    assert!(!peer("xmllint", d, arguments).unwrap().status.success());
    let without = text.split_once("<format>").map(|(before, _)| before).unwrap();
    let rest = text.split_once("</format>").map(|(_, after)| after).unwrap();
    fs::write(d.join("report"), [without, rest].concat()).unwrap();
    assert!(!peer("xmllint", d, arguments).unwrap().status.success());
}

/// The units in `contrib` have no word that systemd does not know.
#[test]
fn systemd_knows_the_units() {
    let directory = scratch();
    let d = directory.path();
    let units = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/systemd");
    for (kind, misspelt) in [("service", "KillSignal"), ("timer", "Persistent")] {
        let text = fs::read_to_string(units.join(format!("pfh-audit@.{kind}"))).unwrap();
        // The program need not be installed.
        let text = text.replace("/usr/bin/pfh", env!("CARGO_BIN_EXE_pfh"));
        let name = format!("pfh-audit@photos.{kind}");
        let verify = |text: &str| {
            fs::write(d.join(&name), text).unwrap();
            let output = peer("systemd-analyze", d, ["verify", "--man=no", &format!("./{name}")])?;
            // Units of the machine that these depend on may have faults of their own.
            let said = String::from_utf8(output.stderr).unwrap();
            Some(said.lines().filter(|line| line.contains("pfh-audit")).map(str::to_owned).collect::<Vec<_>>())
        };
        let Some(said) = verify(&text) else { return };
        assert!(said.is_empty(), "{said:?}");
        let said = verify(&text.replace(misspelt, "Mistaken")).unwrap();
        assert!(matches!(&said[..], [one] if one.contains("Mistaken")), "{said:?}");
        // The timer has the service beside it.
        fs::write(d.join(&name), &text).unwrap();
    }
}

#[test]
fn a_policy_decides_reports_and_sends() {
    let directory = tree(&[("kept", "1"), ("kept.tmp", "2")]);
    let d = directory.path();
    fs::create_dir(d.join("out")).unwrap();
    let sendmail = d.join("sendmail");
    fs::write(&sendmail, "#!/bin/sh\ncat > \"$(dirname \"$0\")/mail\"\n").unwrap();
    fs::set_permissions(&sendmail, fs::Permissions::from_mode(0o755)).unwrap();
    let policy = |more: &str| {
        let text = format!(
            "ledger = 'photos.pfhl'\nroots = ['t']\nexclude = ['*.tmp']\nidle = true\n{more}\n[reports]\n\
             directory = 'out'\nformats = ['html', 'csv']\nprometheus = 'out/pfh.prom'\n\
             [mail]\nto = ['a@example.org', 'b@example.org']\nsendmail = '{}'\n",
            sendmail.to_str().unwrap()
        );
        fs::write(d.join("p.toml"), text).unwrap();
    };
    policy("interval = '90d'");
    let first = audit(d, &["init", "p.toml"]);
    assert_eq!(first.code(), 0, "{}", first.stderr);
    assert!(first.stderr.contains(": 1 file,"), "{}", first.stderr);
    // All is well, so there is no message.
    assert!(
        !d.join("mail").exists() && d.join("out/photos-run-00001.html").exists() && d.join("out/pfh.prom").exists()
    );
    put(d, "new", "x");
    assert_eq!(audit(d, &["run", "p.toml"]).code(), 0);
    policy("alarms = ['new']\nshare = '1/1'");
    put(d, "newer", "y");
    let alarm = audit(d, &["run", "p.toml"]);
    assert_eq!(alarm.code(), 1, "{}", alarm.stderr);
    let mail = fs::read_to_string(d.join("mail")).unwrap();
    assert!(mail.starts_with("To: a@example.org, b@example.org\nSubject: [pfh audit] photos: ALARM\n"), "{mail}");
    assert!(mail.contains("run 3 (rolling)") && mail.contains("newer"), "{mail}");
    assert!(fs::read_to_string(d.join("out/photos-run-00003.csv")).unwrap().contains(",matched,"));
    // Reports that cannot be written hold back neither the message nor the report of the command line.
    fs::rename(d.join("out"), d.join("away")).unwrap();
    fs::write(d.join("out"), "a file").unwrap();
    fs::remove_file(d.join("mail")).unwrap();
    put(d, "another", "w");
    let told = audit(d, &["run", "p.toml", "-o", "report"]);
    fs::remove_file(d.join("out")).unwrap();
    fs::rename(d.join("away"), d.join("out")).unwrap();
    assert_eq!((told.code(), told.stderr.matches("cannot be written").count()), (4, 3), "{}", told.stderr);
    for path in ["mail", "report"] {
        assert!(fs::read_to_string(d.join(path)).unwrap().contains("another"), "{path}");
    }
    policy("algorithms = ['sha512']");
    let other = audit(d, &["run", "p.toml"]);
    assert!(other.code() == 2 && other.stderr.contains("migrate"), "{}", other.stderr);
    fs::write(&sendmail, "#!/bin/sh\nexit 75\n").unwrap();
    policy("alarms = ['new']");
    put(d, "newest", "z");
    let unsent = audit(d, &["run", "p.toml"]);
    assert!(unsent.code() == 4 && unsent.stderr.contains("was not sent"), "{}", unsent.stderr);
    intact(d, "p.toml");
}

/// A ledger keeps its roots, whatever a policy names later.
#[test]
fn a_policy_with_other_roots_is_refused() {
    let directory = tree(&[("a/1", "1"), ("b/2", "2"), ("c/3", "3")]);
    let d = directory.path();
    let policy = |roots: &str| fs::write(d.join("p.toml"), format!("ledger = 'l.pfhl'\n{roots}\n")).unwrap();
    policy("roots = ['t/a', 't/b']");
    audit(d, &["init", "-q", "p.toml"]).done();
    // The order, and another spelling, change nothing, and neither does a policy without roots.
    for roots in ["roots = ['t/b', 't/../t/a/']", ""] {
        policy(roots);
        audit(d, &["run", "-q", "p.toml"]).done();
    }
    for (roots, told) in [
        ("roots = ['t/a', 't/b', 't/c']", "is a root of the policy and not of the ledger"),
        ("roots = ['t/a']", "is a root of the ledger and not of the policy"),
        ("roots = ['t/a', 't/b', 't/none']", "cannot be examined"),
    ] {
        policy(roots);
        let ended = audit(d, &["run", "p.toml"]);
        assert!(ended.code() == 2 && ended.stderr.contains(told), "{}", ended.stderr);
    }
}

/// A directory where a file was once, and decisions of which one is refused.
#[test]
fn what_was_decided_is_told() {
    let directory = tree(&[("d", "file"), ("e", "1"), ("f", "2")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).done();
    fs::remove_file(d.join("t/d")).unwrap();
    audit(d, &["run", "-q", "l.pfhl"]);
    audit(d, &["accept", "l.pfhl", "t/d", "--why", "gone"]).done();
    put(d, "d/below", "other");
    audit(d, &["run", "-q", "l.pfhl"]).expect(0, "");
    let forgotten = audit(d, &["forget", "l.pfhl", "t/d", "--why", "not wanted"]);
    assert!(String::from_utf8(forgotten.done().to_vec()).unwrap().contains("t/d/below` (was sound)"));
    put(d, "e", "changed");
    audit(d, &["run", "-q", "l.pfhl"]);
    let half = audit(d, &["accept", "l.pfhl", "t/e", "t/f", "--why", "intended"]);
    let told = format!("no finding is open for `{}`", d.join("t/f").canonicalize().unwrap().display());
    assert!(half.code() == 2 && half.stderr.contains(&told), "{}", half.stderr);
    assert!(String::from_utf8_lossy(&half.stdout).contains("t/e` (was changed)"), "{:?}", half.stdout);
    let root = audit(d, &["accept", "l.pfhl", "t", "--why", "intended"]);
    let told = format!("no finding is open for `{}`", d.join("t").canonicalize().unwrap().display());
    assert!(root.code() == 2 && root.stderr.contains(&told), "{}", root.stderr);
    intact(d, "l.pfhl");
}

#[test]
fn heads_tell_of_a_lost_end() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    audit(d, &["init", "l.pfhl", "t"]);
    fs::copy(d.join("l.pfhl"), d.join("old.pfhl")).unwrap();
    audit(d, &["run", "l.pfhl", "--full"]);
    audit(d, &["head", "l.pfhl", "-o", "head.txt"]).done();
    let verified = audit(d, &["verify-ledger", "l.pfhl", "--head", "head.txt"]);
    verified.printed(b"intact: 8 events, 1 file, and event 8 is the head that was kept\n");
    audit(d, &["run", "l.pfhl"]);
    assert_eq!(audit(d, &["verify-ledger", "l.pfhl", "--head", "head.txt"]).code(), 0);
    let lost = audit(d, &["verify-ledger", "old.pfhl", "--head", "head.txt"]);
    assert_eq!(lost.code(), 1);
    assert!(String::from_utf8_lossy(&lost.stdout).contains("events were lost"), "{:?}", lost.stdout);
    fs::write(d.join("none"), "nothing").unwrap();
    assert_eq!(audit(d, &["verify-ledger", "l.pfhl", "--head", "none"]).code(), 2);
}

#[test]
fn heads_are_signed() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    let arguments = ["-q", "-t", "ed25519", "-N", "", "-C", "me", "-f", "key"];
    let Some(made) = peer("ssh-keygen", d, arguments) else { return };
    assert!(made.status.success());
    audit(d, &["init", "l.pfhl", "t"]);
    let signed = audit(d, &["head", "l.pfhl", "-o", "head.txt", "--sign", "key"]);
    assert_eq!(signed.code(), 0, "{}", signed.stderr);
    let key = fs::read_to_string(d.join("key.pub")).unwrap();
    fs::write(d.join("allowed"), format!("me {key}")).unwrap();
    let verify = |text: &[u8]| {
        let arguments = ["-Y", "verify", "-f", "allowed", "-I", "me", "-n", "pfh-ledger", "-s", "head.txt.sig"];
        Run::new("ssh-keygen", d, arguments).input(text).run().code()
    };
    let text = fs::read(d.join("head.txt")).unwrap();
    assert_eq!(verify(&text), 0);
    assert_ne!(verify(&[&text[..], b" "].concat()), 0);
}

/// An authority of OpenSSL's answers, and the answer is checked.
#[test]
fn heads_are_stamped() {
    let directory = tree(&[("a", "1")]);
    let d = directory.path();
    if peer("openssl", d, ["version"]).is_none() {
        return;
    }
    fs::write(
        d.join("tsa.cnf"),
        "[req]\ndistinguished_name=dn\n[dn]\n[ext]\nextendedKeyUsage=critical,timeStamping\nkeyUsage=digitalSignature\n\
         [tsa]\ndefault_tsa=one\n[one]\nserial=serial\ncrypto_device=builtin\nsigner_cert=tsa.pem\nsigner_key=tsa.key\n\
         signer_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\naccuracy=secs:1\nordering=yes\n",
    )
    .unwrap();
    fs::write(d.join("serial"), "01\n").unwrap();
    let openssl = |arguments: &[&str]| {
        let output = peer("openssl", d, arguments).unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    openssl(&[
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca",
        "-days", "2",
    ]);
    openssl(&[
        "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "tsa.key", "-out", "tsa.csr", "-subj", "/CN=tsa", "-config",
        "tsa.cnf",
    ]);
    let sign =
        ["x509", "-req", "-in", "tsa.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "tsa.pem"];
    openssl(&[&sign[..], &["-days", "2", "-extfile", "tsa.cnf", "-extensions", "ext"]].concat());

    audit(d, &["init", "l.pfhl", "t"]);
    audit(d, &["head", "l.pfhl", "-o", "head.txt", "--timestamp-request", "head.tsq"]).done();
    openssl(&["ts", "-reply", "-config", "tsa.cnf", "-section", "one", "-queryfile", "head.tsq", "-out", "head.tsr"]);
    let verify = |more: &[&str]| {
        let arguments = ["verify-ledger", "l.pfhl", "--head", "head.txt", "--timestamp", "head.tsr"];
        let ended = audit(d, &[&arguments, more].concat());
        (ended.code(), String::from_utf8(ended.stdout).unwrap())
    };
    let (code, text) = verify(&["--timestamp-request", "head.tsq"]);
    assert!(code == 0 && text.contains("its signature was not checked"), "{text}");
    let (code, text) = verify(&["--timestamp-request", "head.tsq", "--timestamp-ca", "ca.pem"]);
    assert!(code == 0 && text.contains("openssl finds its signature valid"), "{text}");
    let (code, text) = verify(&["--timestamp-ca", "tsa.csr"]);
    assert!(code == 1 && text.contains("is not valid"), "{text}");
    // Another request, another file, a damaged answer.
    audit(d, &["head", "l.pfhl", "-o", "head.txt", "--timestamp-request", "other.tsq"]).done();
    let (code, text) = verify(&["--timestamp-request", "other.tsq"]);
    assert!(code == 1 && text.contains("its nonce differs"), "{text}");
    let answer = fs::read(d.join("head.tsr")).unwrap();
    fs::write(d.join("head.tsr"), &answer[..answer.len() - 1]).unwrap();
    let (code, text) = verify(&[]);
    assert!(code == 1 && text.contains("cut off"), "{text}");
    fs::write(d.join("head.tsr"), &answer).unwrap();
    let head = fs::read_to_string(d.join("head.txt")).unwrap();
    fs::write(d.join("head.txt"), head.replace("ledger: l", "ledger: x")).unwrap();
    let (code, text) = verify(&[]);
    assert!(code == 1 && text.contains("of another file"), "{text}");
}

/// Sizes, times and inodes tell which files are read; an inode that is used again is no bit rot.
#[test]
fn a_replaced_file_is_changed_and_not_rotten() {
    let directory = tree(&[("f", "one")]);
    let d = directory.path();
    audit(d, &["init", "l.pfhl", "t"]);
    let file = d.join("t/f");
    let before = fs::metadata(&file).unwrap();
    put(d, "g", "two");
    let other = fs::File::options().write(true).open(d.join("t/g")).unwrap();
    other.set_modified(before.modified().unwrap()).unwrap();
    fs::rename(d.join("t/g"), &file).unwrap();
    let after = fs::metadata(&file).unwrap();
    assert_eq!((before.len(), before.mtime(), before.mtime_nsec()), (after.len(), after.mtime(), after.mtime_nsec()));
    assert_ne!(before.ino(), after.ino());
    assert_eq!(found(d, &["run", "l.pfhl"], 1), pairs(&[("f", "changed")]));
}

/// The next run goes on where the system refused the thread of the ledger.
#[test]
fn a_thread_that_the_system_refuses() {
    let directory = tree(&[("f", "one")]);
    let d = directory.path();
    audit(d, &["init", "-q", "l.pfhl", "t"]).expect(0, "");
    put(d, "g", "two");
    let run = pfh(d, ["audit", "run", "-t", "1", "l.pfhl"]).with(no_threads).run();
    run.expect(2, "pfh: the system refused 2 threads; ask for fewer, or raise its limit (ulimit -u)\n");
    intact(d, "l.pfhl");
    assert_eq!(found(d, &["run", "l.pfhl"], 0), pairs(&[("g", "new")]));
}

/// Paths that are too long for one call of the system.
#[test]
fn deep_files_are_missed_and_found_again() {
    let directory = tree(&[("top", "t")]);
    let d = directory.path();
    deep(&d.join("t"), 20, "echo content > m");
    audit(d, &["init", "-q", "l.pfhl", "t"]).expect(0, "");
    audit(d, &["run", "-q", "--full", "l.pfhl"]).expect(0, "");
    let deep_findings = |code| {
        let found = found(d, &["run", "--full", "l.pfhl"], code);
        found.into_iter().filter(|(path, _)| path.len() > 4096).map(|(_, finding)| finding).collect::<Vec<_>>()
    };
    deep(&d.join("t"), 20, "mv m n");
    assert_eq!(deep_findings(0), ["moved-away", "moved"]);
    deep(&d.join("t"), 20, "rm n");
    assert_eq!(deep_findings(1), ["missing"]);
}
