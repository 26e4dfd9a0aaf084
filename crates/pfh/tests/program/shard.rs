//! Plans, shards and merging: whatever happens to tasks, the list is that of one run.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::thread;
use std::time::Duration;

use pfh_testing::{Need, Random, Writing, skipped};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::audit::Small;
use crate::fixture::*;

/// Returns the lines of a list that are about files. The others are about the run.
fn of_files(format: &str, list: &[u8]) -> Vec<u8> {
    let keep = |wanted: fn(&[u8]) -> bool| -> Vec<u8> {
        list.split_inclusive(|&byte| byte == b'\n').filter(|line| wanted(line)).flatten().copied().collect()
    };
    match format {
        "jsonl" => keep(|line| line.starts_with(b"{\"type\":\"file\"")),
        "hashdeep" => keep(|line| !line.starts_with(b"## ")),
        "sfv" => keep(|line| !line.starts_with(b";")),
        "dfxml" => {
            let text = String::from_utf8_lossy(list);
            let (start, end) = (text.find("<fileobject>").unwrap(), text.rfind("</fileobject>").unwrap());
            text[start..end].as_bytes().to_vec()
        }
        _ => list.to_vec(),
    }
}

#[track_caller]
fn shard(directory: &Path, arguments: &[&str], code: i32) -> String {
    let ended = pfh(directory, [&["shard"], arguments].concat()).run();
    assert_eq!(ended.code(), code, "{}", ended.stderr);
    ended.stderr
}

/// Hashes all shards of the plan in `directory/plan`, and returns the exit status.
fn hash_all(directory: &Path) -> i32 {
    hash(directory, ["-q", "--plan", "plan", "--shard", "0/1"]).run().code()
}

fn merge(directory: &Path, arguments: &[&str]) -> Ended {
    pfh(directory, [&["merge", "plan", "-q"], arguments].concat()).run()
}

/// Makes files `t/…` of these sizes, in directories of ten.
fn tree(directory: &Path, sizes: impl IntoIterator<Item = usize>) {
    for (number, size) in sizes.into_iter().enumerate() {
        let folder = directory.join(format!("t/{:03}", number / 10));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{number:05}")), contents(number, size)).unwrap();
    }
}

/// A merged list equals the list of one run, in every format.
#[test]
fn merging_gives_the_list_of_one_run() {
    let cases: [(&[&str], &[&[&str]]); 10] = [
        (
            &["-a", "sha256"],
            &[
                &["-f", "gnu"],
                &["-f", "gnu", "-0"],
                &["-f", "gnu", "--uppercase"],
                &["-f", "bsd", "--base64"],
                &["-f", "md5deep"],
                &["-f", "md5deep-zt"],
                &["-f", "csv"],
                &["-f", "jsonl"],
                &["-f", "dfxml"],
                &["-f", "hashdeep"],
                &[],
            ],
        ),
        (&["-a", "md5,sha256,tlsh,ssdeep", "--facts"], &[&["-f", "csv"], &["-f", "jsonl"], &["-f", "dfxml"], &[]]),
        (
            &["-a", "md5", "--piecewise", "100"],
            &[
                &["-f", "gnu"],
                &["-f", "bsd"],
                &["-f", "hashdeep"],
                &["-f", "md5deep"],
                &["-f", "csv"],
                &["-f", "jsonl"],
                &["-f", "dfxml"],
            ],
        ),
        (&["-a", "crc32"], &[&["-f", "sfv"]]),
        (&["-a", "ssdeep"], &[&[]]),
        (&["-a", "sdhash", "--sdhash-blocks", "1", "--sdhash-segments", "1", "--sdhash-profile", "4.0"], &[&[]]),
        (&["-a", "mrsh-v2", "--mrsh-network"], &[&[]]),
        (&["-a", "tlsh"], &[&[]]),
        (&["-a", "none"], &[&["-f", "csv"], &["-f", "jsonl"], &["-f", "dfxml"]]),
        (&["-a", "sha1,blake3", "--follow-files"], &[&["-f", "csv"], &["-f", "jsonl"]]),
    ];
    let (directory, _) = odd();
    let root = directory.path();
    tree(root, [0, 100_000, 3_000_000, 1, 70_000]);
    symlink("t/000/00001", root.join("link")).unwrap();
    let inputs = ["tree", "t", "link", "no such file"];
    for (number, (digests, formats)) in cases.into_iter().enumerate() {
        let shards: &[&str] = if number == 0 { &["1", "7", "64", "1000"] } else { &["7"] };
        for count in shards {
            shard(root, &[digests, &["-q", "-o", "plan", "--shards", count], &inputs].concat(), 3);
            assert_eq!(hash_all(root), 3, "{digests:?}");
            for format in formats {
                let one = hash(root, [digests, *format, &["-q"], &inputs].concat()).run();
                let merged = merge(root, format);
                assert_eq!(one.code(), merged.code(), "{digests:?} {format:?}: {}", merged.stderr);
                let name = format.get(1).copied().unwrap_or("jsonl");
                let name = if format.is_empty() && !one.stdout.starts_with(b"{") { "gnu" } else { name };
                assert!(one.stdout.len() > 1000, "{digests:?} {format:?}");
                assert_eq_bytes(&of_files(name, &merged.stdout), &of_files(name, &one.stdout));
            }
            fs::remove_dir_all(root.join("plan")).unwrap();
        }
    }
}

const MIB: usize = 1 << 20;

/// Files that are longer than the parts are read by several tasks, and the list is that of one run: in all formats, for
/// all algorithms that can be joined, with one thread and with several.
#[test]
fn split_files_have_the_list_of_one_run() {
    let directory = scratch_in_memory();
    let root = directory.path();
    tree(root, [0, 5 * MIB + 1, 1, MIB, MIB + 1, 3 * MIB, 2 * MIB - 1, 70_000, 9 * MIB + 12_345, 4 * MIB + 1024, 3]);
    fs::hard_link(root.join("t/000/00008"), root.join("t/000/link")).unwrap();
    symlink("t/000/00001", root.join("named")).unwrap();
    let inputs = ["t", "named", "no such file"];
    let cases: [(&str, &str, &str, &[&str]); 4] = [
        ("blake3", "1M", "16", &["gnu", "csv", "jsonl", "dfxml", "md5deep"]),
        ("crc32,blake3,adler32,crc32c,crc64nvme,blake3-512", "1M", "16", &["bsd", "csv", "jsonl", "dfxml"]),
        ("adler32,blake3-64", "2M", "1", &["bsd"]),
        ("crc32", "4M", "200", &["sfv", "gnu"]),
    ];
    for (algorithms, split, shards, formats) in cases {
        shard(
            root,
            &[&["-q", "-o", "plan", "-a", algorithms, "--split", split, "--shards", shards][..], &inputs].concat(),
            3,
        );
        let parts = names(&root.join("plan")).len() - 1;
        assert_eq!(parts.to_string(), shards);
        let task = |word: &str, threads: &str| {
            let ended = hash(root, ["-q", "--plan", "plan", "--shard", word, "-t", threads]).run();
            assert!(matches!(ended.code(), 0 | 3), "{}", ended.stderr);
        };
        if shards == "1" {
            task("0", "4");
        } else {
            task("0/2", "1");
            task("1/2", "3");
        }
        let results: Vec<u8> =
            (0..parts).flat_map(|n| fs::read(root.join(format!("plan/{n:05}.jsonl"))).unwrap()).collect();
        let lines =
            |kind: &str| results.split(|&byte| byte == b'\n').filter(|line| line.starts_with(kind.as_bytes())).count();
        let split_parts = match split {
            "1M" => 6 + 2 + 3 + 2 + 10 + 5 + 10 + 6,
            "2M" => 3 + 2 + 5 + 3 + 5 + 3,
            _ => 2 + 3 + 2 + 3 + 2,
        };
        assert_eq!(lines("{\"type\":\"part\""), split_parts, "{split}");
        for format in formats {
            let one = hash(root, [&["-q", "-a", algorithms, "-f", format][..], &inputs].concat()).run();
            let merged = merge(root, &["-f", format]);
            assert_eq!((one.code(), merged.code()), (3, 3), "{algorithms} {format}: {}", merged.stderr);
            assert_eq_bytes(&of_files(format, &merged.stdout), &of_files(format, &one.stdout));
            // Shard by shard, each file where it begins.
            let of_shard = |number: usize| {
                let ended = merge(root, &["-f", format, "--shard", &number.to_string()]);
                // The argument that does not exist is the last entry.
                let code = if number == parts - 1 { 3 } else { 0 };
                assert_eq!(ended.code(), code, "{number} of {shards}: {}", ended.stderr);
                of_files(format, &ended.stdout)
            };
            if !matches!(*format, "csv" | "dfxml") {
                let each: Vec<u8> = (0..parts).flat_map(of_shard).collect();
                assert_eq_bytes(&each, &of_files(format, &one.stdout));
            }
        }
        let merged = merge(root, &["-f", "jsonl"]);
        let summary: serde_json::Value =
            serde_json::from_str(str::from_utf8(&merged.stdout).unwrap().lines().last().unwrap()).unwrap();
        assert_eq!((&summary["files"], &summary["complete"]), (&14.into(), &13.into()));
        let before = fs::read(root.join("plan/00000.jsonl")).unwrap();
        assert_eq!(hash_all(root), 0, "everything was done");
        assert!(fs::read(root.join("plan/00000.jsonl")).unwrap() == before);
        assert!(merge(root, &["-f", "jsonl"]).stdout.len() > 1000);
        fs::remove_dir_all(root.join("plan")).unwrap();
    }
}

/// A file that is another one for some of its parts has no digest, whatever became of it.
#[test]
fn split_files_that_change_have_no_digest() {
    let directory = scratch_in_memory();
    let root = directory.path();
    tree(root, [3 * MIB + 5; 8]);
    let file = |number: usize| root.join(format!("t/000/{number:05}"));
    let modified = fs::metadata(file(5)).unwrap().modified().unwrap();
    shard(root, &["-q", "-o", "plan", "-a", "blake3,crc32", "--split", "1M", "--shards", "32", "t"], 0);
    // Tasks that read the first parts of each file.
    for number in (0..32).filter(|number| number % 4 < 2) {
        hash(root, ["-q", "--plan", "plan", "--shard", &number.to_string()]).run().done();
    }
    fs::write(file(0), contents(50, 3 * MIB + 5)).unwrap();
    fs::write(file(1), contents(1, 3 * MIB + 6)).unwrap();
    fs::write(file(2), contents(2, MIB)).unwrap();
    fs::remove_file(file(3)).unwrap();
    fs::remove_file(file(4)).unwrap();
    fifo(&file(4));
    // With the time that it had: only the inode tells.
    fs::write(file(5), contents(51, 3 * MIB + 5)).unwrap();
    fs::File::options().write(true).open(file(5)).unwrap().set_modified(modified).unwrap();
    fs::write(file(6), "").unwrap();
    assert_eq!(hash_all(root), 3);
    let merged = merge(root, &["-f", "jsonl"]);
    assert_eq!(merged.code(), 3);
    let files = of_files("jsonl", &merged.stdout);
    let records: Vec<serde_json::Value> =
        str::from_utf8(&files).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 8);
    for (number, record) in records.iter().enumerate() {
        assert_eq!(record["path"], format!("t/000/{number:05}"));
        assert_eq!(record.get("digests").is_some(), number == 7, "{record}");
        match number {
            3 => {
                assert_eq!((&record["outcome"], &record["error"]["kind"]), (&"unreadable".into(), &"not-found".into()));
                assert_eq!(record["error"]["offset"], 2 * MIB);
            }
            4 => {
                assert_ne!(record["outcome"], "complete", "{record}");
                assert_eq!(record["size"], 3 * MIB + 5);
            }
            7 => assert_eq!(record["digests"]["blake3"], digest("blake3", &contents(7, 3 * MIB + 5)).to_string()),
            _ => assert_eq!(record["outcome"], "changed-while-reading", "{record}"),
        }
    }
    // Without --split, a file that was changed before its task came is hashed as it is then; a part cannot be.
    fs::remove_dir_all(root.join("plan")).unwrap();
    shard(root, &["-q", "-o", "plan", "-a", "blake3", "--split", "1M", "--shards", "2", "t/000/00007"], 0);
    fs::write(file(7), contents(7, 9 * MIB)).unwrap();
    assert_eq!(hash_all(root), 3);
    let merged = merge(root, &[]);
    assert_eq!((merged.code(), merged.stdout.len()), (3, 0), "{}", merged.stderr);
}

/// Copies of a tree have inodes of their own, and the same contents.
#[test]
fn split_files_of_copies_are_joined() {
    let directory = scratch_in_memory();
    let root = directory.path();
    tree(root, [3 * MIB + 5]);
    shard(root, &["-q", "-o", "plan", "-a", "blake3", "--split", "1M", "--shards", "4", "t"], 0);
    let one = hash(root, ["-a", "blake3", "t"]).run().stdout;
    let any_tree = ["-q", "--plan", "plan", "--any-tree", "--shard"];
    hash(root, [&any_tree[..], &["0/2"]].concat()).run().done();
    let modified = fs::metadata(root.join("t/000/00000")).unwrap().modified().unwrap();
    fs::rename(root.join("t"), root.join("other")).unwrap();
    tree(root, [3 * MIB + 5]);
    fs::File::options().write(true).open(root.join("t/000/00000")).unwrap().set_modified(modified).unwrap();
    hash(root, [&any_tree[..], &["1/2"]].concat()).run().done();
    merge(root, &[]).printed(&one);
}

/// A part that cannot be read, and a file that changes under a task: the record has the place in the file.
#[test]
fn a_part_that_cannot_be_read_is_an_error_of_its_file() {
    let directory = scratch();
    let root = directory.path();
    for folder in ["real", "t"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
    for name in ["bad", "changes", "whole"] {
        fs::write(root.join("real").join(name), contents(3, 4 * MIB + 7)).unwrap();
    }
    let faults = format!("bad eio {} 4096\nchanges rewrite {}\n", 3 * MIB + 8192, 2 * MIB + 5000);
    let Some(mount) = mount_faults(&root.join("real"), &root.join("t"), None, &faults) else { return };
    shard(root, &["-q", "-o", "plan", "-a", "blake3,adler32", "--split", "1M", "--shards", "16", "t"], 0);
    let codes: Vec<i32> =
        (0..16).map(|n| hash(root, ["-q", "--plan", "plan", "--shard", &format!("{n}")]).run().code()).collect();
    assert_eq!(codes.iter().filter(|&&code| code == 3).count() + codes.iter().filter(|&&code| code == 0).count(), 16);
    let merged = merge(root, &["-f", "jsonl"]);
    mount.unmount().unwrap();
    assert_eq!(merged.code(), 3, "{}", merged.stderr);
    let files = of_files("jsonl", &merged.stdout);
    let records: Vec<serde_json::Value> =
        str::from_utf8(&files).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [bad, changes, whole] = &records[..] else { panic!("{records:?}") };
    assert_eq!((&bad["outcome"], &bad["error"]["errno"]), (&"unreadable".into(), &5.into()));
    assert_eq!((&bad["error"]["offset"], &bad["size"]), (&(3 * MIB + 8192).into(), &(4 * MIB + 7).into()));
    assert_eq!((&changes["outcome"], changes.get("digests")), (&"changed-while-reading".into(), None));
    assert_eq!(whole["digests"]["blake3"], digest("blake3", &contents(3, 4 * MIB + 7)).to_string());
}

/// Tasks at once, and killed ones, share split files.
#[test]
fn attempts_at_once_share_split_files() {
    let directory = scratch_in_memory();
    let root = directory.path();
    tree(root, [9 * MIB + 5, 5 * MIB]);
    shard(root, &["-q", "-o", "plan", "-a", "blake3", "--split", "1M", "--shards", "5", "t"], 0);
    let killed = hash(root, ["-q", "--plan", "plan", "--shard", "0/1", "-t", "1"]).start();
    thread::sleep(Duration::from_millis(3));
    killed.signal(Signal::KILL);
    killed.end();
    let all: Vec<Running> = (0..3).map(|_| hash(root, ["-q", "--plan", "plan", "--shard", "0/1"]).start()).collect();
    for running in all {
        running.end().done();
    }
    merge(root, &[]).printed(&hash(root, ["-a", "blake3", "t"]).run().stdout);
    // A result of another part, with the right check values, is refused.
    let results = [1, 2].map(|n| root.join(format!("plan/0000{n}.jsonl")));
    fs::copy(&results[0], &results[1]).unwrap();
    let refused = pfh(root, ["merge", "plan", "-o", "list"]).run();
    assert_eq!((refused.code(), root.join("list").exists()), (3, false), "{}", refused.stderr);
    assert!(refused.stderr.contains("is not the result of shard 2"), "{}", refused.stderr);
}

/// A digest that needs a file as a whole is refused before anything is walked.
#[test]
fn what_cannot_be_joined_is_not_split() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [10; 3]);
    let refused = |arguments: &[&str]| {
        let stderr = shard(root, &[&["-o", "p", "--shards", "2", "t"], arguments].concat(), 2);
        assert!(!root.join("p").exists());
        stderr
    };
    let joinable = "leave the option out, or use only blake3, crc32, crc32c, crc64nvme, adler32\n";
    for (algorithms, named) in [("md5,blake3,tlsh", "md5, tlsh"), ("sha256", "sha256"), ("blake3,xxh3-64", "xxh3-64")] {
        assert_eq!(
            refused(&["--split", "1M", "-a", algorithms]),
            format!(
                "pfh: --split: {named} of a file cannot be joined from parts, so one task has to read the whole file; {joinable}"
            )
        );
    }
    for size in ["0", "512K", "3M", "1025K", "16E"] {
        assert!(refused(&["-a", "blake3", "--split", size]).contains("--split"), "{size}");
    }
    refused(&["-a", "blake3", "--split", "1M", "--piecewise", "1M"]);
    refused(&["-a", "blake3", "--split", "1M", "--facts"]);
    refused(&["-a", "keyed-blake3", "--split", "1M"]);
    let plan = shard(root, &["-o", "p", "--shards", "2", "-a", "blake3", "--split", "1M", "t"], 0);
    assert!(plan.contains("critical path: `t/000/00000` of 10 B is "), "{plan}");
    assert_eq!(hash(root, ["--plan", "p", "--shard", "0/1"]).run().code(), 0);
    assert_eq!(pfh(root, ["merge", "p", "--shard", "2"]).run().code(), 2);
}

/// The counts of the merged list are those of all results, and its header has what they have in common.
#[test]
fn a_merged_list_states_where_it_comes_from() {
    let directory = scratch();
    tree(directory.path(), [5; 30]);
    shard(directory.path(), &["-o", "plan", "--shards", "4", "t"], 0);
    assert_eq!(hash_all(directory.path()), 0);
    let merged = merge(directory.path(), &["-f", "jsonl"]);
    let lines = str::from_utf8(merged.done()).unwrap();
    let line = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    let (header, summary) = (line(lines.lines().next().unwrap()), line(lines.lines().last().unwrap()));
    let here = directory.path().canonicalize().unwrap();
    assert_eq!((header["directory"].as_str(), &header["program"]), (here.to_str(), &"pfh".into()));
    assert_eq!(header["converted"]["arguments"][1], "merge");
    assert_eq!((&summary["files"], &summary["complete"], &summary["bytes"]), (&30.into(), &30.into(), &150.into()));
    assert_eq!(lines.lines().count(), 32);
}

/// A plan is a function of the listing and the options.
#[test]
fn a_plan_is_the_same_each_time() {
    let directory = scratch();
    let root = directory.path();
    let plan = |name: &str| {
        shard(root, &["-q", "-o", name, "--shards", "5", "t"], 0);
        let plan = root.join(name);
        names(&plan).into_iter().map(|name| (name.clone(), fs::read(plan.join(name)).unwrap())).collect::<Vec<_>>()
    };
    let sizes: Vec<usize> = (0..80).map(|number| number * number % 977).collect();
    tree(root, sizes.clone());
    let first = plan("one");
    assert_eq!(first.len(), 6);
    assert!(plan("two") == first);
    // The same files, created in another order.
    let mut random = Random::new(7);
    for folder in names(&root.join("t")) {
        let folder = root.join("t").join(folder);
        let mut files = names(&folder);
        files.iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
        files.sort_by_cached_key(|_| random.number());
        for name in files {
            let number: usize = name.to_str().unwrap().parse().unwrap();
            fs::write(folder.join(name), contents(number, sizes[number])).unwrap();
        }
    }
    assert!(plan("three") == first);
    // Relative to another place, it is another plan.
    shard(&root.join("t"), &["-q", "-o", "../four", "--shards", "5", "."], 0);
    assert!(fs::read(root.join("four/plan.json")).unwrap() != first[5].1);
}

/// A list of paths that another program made is as good as a walk.
#[test]
fn a_listing_of_another_program_is_cut() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [3; 25]);
    let paths: Vec<u8> = (0..25).rev().flat_map(|n| format!("t/{:03}/{n:05}\0", n / 10).into_bytes()).collect();
    let run =
        pfh(root, ["shard", "-q", "-o", "plan", "--shard-size", "100K", "--files-from0", "-"]).input(paths.clone());
    run.run().done();
    // 25 files of 64 KiB and 3 bytes in shards of 100 KiB.
    assert_eq!(names(&root.join("plan")).len(), 17 + 1);
    assert_eq!(hash_all(root), 0);
    let one = hash(root, ["--files-from0", "-"]).input(paths).run();
    merge(root, &[]).printed(&one.stdout);
}

/// Whatever happens to files after they were planned, each has one record, in its place.
#[test]
fn each_planned_file_has_a_record() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [1000; 60]);
    shard(root, &["-q", "-o", "plan", "--shards", "7", "t"], 0);
    let file = |number: usize| root.join(format!("t/{:03}/{number:05}", number / 10));
    fs::remove_file(file(3)).unwrap();
    fs::remove_file(file(14)).unwrap();
    fs::create_dir(file(14)).unwrap();
    fs::write(file(14).join("inside"), "not planned").unwrap();
    fs::write(file(25), "shorter").unwrap();
    fs::write(file(26), contents(1, 5000)).unwrap();
    fs::remove_file(file(37)).unwrap();
    symlink("00038", file(37)).unwrap();
    fs::remove_dir_all(root.join("t/004")).unwrap();
    fs::remove_file(file(59)).unwrap();
    fifo(&file(59));
    fs::write(root.join("t/new"), "not planned").unwrap();
    assert_eq!(hash_all(root), 3);
    let merged = merge(root, &["-f", "jsonl"]);
    assert_eq!(merged.code(), 3);
    let mut expected = (0..60).collect::<Vec<usize>>().into_iter();
    for line in str::from_utf8(&merged.stdout).unwrap().lines().filter(|line| line.contains("\"type\":\"file\"")) {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = expected.next().unwrap();
        assert_eq!(record["path"], format!("t/{:03}/{number:05}", number / 10));
        let outcome = record["outcome"].as_str().unwrap();
        match number {
            3 | 40..=49 => assert_eq!((outcome, &record["error"]["kind"]), ("unreadable", &"not-found".into())),
            14 | 37 | 59 => assert_ne!(outcome, "complete", "{line}"),
            25 => assert_eq!(record["digests"]["sha256"], digest("sha256", b"shorter").to_string()),
            26 => assert_eq!((outcome, &record["size"]), ("complete", &5000.into())),
            _ => assert_eq!(outcome, "complete", "{line}"),
        }
    }
    assert_eq!(expected.next(), None);
}

/// Kills tasks at random moments: what has the name of a result is whole, and once all are done, nothing tells of it.
#[test]
fn killed_tasks_leave_nothing_or_a_whole_result() {
    let directory = scratch_in_memory();
    let root = directory.path();
    tree(root, (0..400).map(|number| 10_000 + number));
    shard(root, &["-q", "-o", "plan", "--shards", "3", "t"], 0);
    let mut random = Random::new(11);
    let (mut killed, mut done) = (0, 0);
    for round in 0..60 {
        let number = (round % 3).to_string();
        let running = hash(root, ["--plan", "plan", "--shard", &number, "-t", "1"]).start();
        thread::sleep(Duration::from_micros(random.below(25_000)));
        running.signal(Signal::KILL);
        if running.end().code() == 137 {
            killed += 1;
        }
        let result = root.join(format!("plan/0000{number}.jsonl"));
        if let Ok(list) = fs::read_to_string(&result) {
            assert!(list.ends_with("}\n") && list.lines().last().unwrap().contains("\"type\":\"summary\""));
            done += 1;
            // The next ones of this shard have something to do.
            fs::remove_file(result).unwrap();
        }
    }
    assert!(killed > 0, "no task was killed ({done} were done)");
    assert_eq!(hash_all(root), 0);
    merge(root, &[]).printed(&hash(root, ["t"]).run().stdout);
}

/// Whichever of its writes fails, nothing is left under the name of an output: the system refuses the write that makes
/// a file longer than a limit.
#[test]
fn what_fails_at_a_write_leaves_nothing_under_its_name() {
    const FAILED: i32 = 4;
    let directory = scratch_in_memory();
    let root = directory.path();
    tree(root, (0..300).map(|number| number % 50));
    let within = |blocks: u64, command: &str| {
        let script = format!("ulimit -f {blocks}; exec \"$0\" {command}");
        Run::new("sh", root, ["-c", &script, env!("CARGO_BIN_EXE_pfh")]).run().code()
    };
    // Allows another 512 bytes each time, until the program does not fail.
    let failures = |command: &str, output: &str| {
        let is_failing = |&blocks: &u64| {
            let code = within(blocks, command);
            assert!(code == 0 || code == FAILED, "`{command}` within {blocks} blocks: {code}");
            assert_eq!(root.join(output).exists(), code == 0, "`{command}` within {blocks} blocks");
            code == FAILED
        };
        (0..).take_while(is_failing).count()
    };
    let planning = failures("shard -q -o plan --shards 1 t", "plan/plan.json");
    let hashing = failures("hash -q --plan plan --shard 0", "plan/00000.jsonl");
    let merging = failures("merge -q plan -o list", "list");
    assert!(planning > 5 && hashing > 50 && merging > 30, "{planning}, {hashing} and {merging} failures");
    assert_eq!(fs::read(root.join("list")).unwrap(), hash(root, ["t"]).run().stdout);
}

/// A merged list replaces no file of the plan that it is made of.
#[test]
fn a_merged_list_replaces_no_file_of_the_plan() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [100, 200, 300]);
    shard(root, &["-q", "-o", "plan", "--shards", "2", "t"], 0);
    assert_eq!(hash_all(root), 0);
    symlink("plan", root.join("alias")).unwrap();
    let folder = root.canonicalize().unwrap().join("plan");
    for list in ["plan/plan.json", "plan/00000.list", "plan/00001.jsonl", "alias/00000.jsonl"] {
        let file = folder.join(Path::new(list).file_name().unwrap());
        let file = file.display();
        let said = format!("pfh: `{file}` is to be read and is also the output: name another file\n");
        merge(root, &["-o", list]).expect(2, &said);
    }
    let whole = hash(root, ["t"]).run().stdout;
    merge(root, &[]).printed(&whole);
    // Another file in the folder is replaced as anywhere.
    for _ in 0..2 {
        merge(root, &["-o", "plan/all"]).done();
    }
    assert_eq!(fs::read(root.join("plan/all")).unwrap(), whole);
}

/// Several attempts at the same shards at once: one result each, which later attempts leave alone.
#[test]
fn attempts_at_once_are_as_good_as_one() {
    let directory = scratch();
    let root = directory.path();
    tree(root, (0..200).map(|number| 20_000 + number));
    shard(root, &["-q", "-o", "plan", "--shards", "4", "t"], 0);
    let all: Vec<Running> = (0..4).map(|_| hash(root, ["-q", "--plan", "plan", "--shard", "0/1"]).start()).collect();
    for running in all {
        running.end().done();
    }
    let results = || -> Vec<Vec<u8>> {
        (0..4).map(|number| fs::read(root.join(format!("plan/0000{number}.jsonl"))).unwrap()).collect()
    };
    let before = results();
    let again = hash(root, ["--plan", "plan", "--shard", "2"]).run();
    let path = root.canonicalize().unwrap().join("plan/00002.jsonl");
    again.expect(0, &format!("pfh: shard 2 is done already: `{}`\n", path.display()));
    assert!(results() == before);
    assert_eq!(names(&root.join("plan")).len(), 9, "attempts left something behind");
    // A file that a killed attempt leaves on a filesystem without unnamed files.
    fs::write(root.join("plan/.pfh-left"), "{\"type").unwrap();
    merge(root, &[]).printed(&hash(root, ["t"]).run().stdout);
    assert_eq!(names(&root.join("plan")).len(), 9);
    assert!(results() == before);
}

/// Memory for merging and planning grows neither with the number of files nor with that of shards.
#[test]
fn records_pass_through_and_do_not_stay() {
    let mut peaks = Vec::new();
    for (files, shards) in [(4_000, "2"), (4_000, "256"), (60_000, "256")] {
        let directory = scratch_in_memory();
        let root = directory.path();
        // Few files in each, since the walk lists directories ahead where listing is slow, as beside other tests.
        for folder in 0..files / 100 {
            let folder = root.join(format!("t/a directory with a name of some length, number {folder}"));
            fs::create_dir_all(&folder).unwrap();
            (0..100).for_each(|file| {
                fs::write(folder.join(format!("and files whose names are long, {file}")), "").unwrap()
            });
        }
        let planned = pfh(root, ["shard", "-q", "-o", "plan", "--shards", shards, "t"]).run();
        planned.done();
        assert_eq!(hash_all(root), 0);
        let merged = merge(root, &["-f", "csv", "-o", "list"]);
        merged.done();
        let list = fs::metadata(root.join("list")).unwrap().len();
        peaks.push((planned.peak_own_kib, merged.peak_own_kib, list >> 10));
    }
    let [(plan_few, merge_few, _), more @ ..] = &peaks[..] else { unreachable!() };
    for (plan_more, merge_more, _) in more {
        // A walk that lists ahead takes some 4 MiB; the paths of all files would take 8.
        assert!(*plan_more < plan_few + (6 << 10), "planning: {peaks:?} KiB");
        assert!(*merge_more < merge_few + (3 << 10), "merging: {peaks:?} KiB");
    }
    assert!(peaks[2].2 > 8 << 10, "the list has too few KiB: {peaks:?}");
}

/// `--shard` needs the results that have its files, and leaves alone what other tasks are writing.
#[test]
fn merging_a_shard_needs_the_results_of_its_files() {
    let directory = scratch_in_memory();
    let root = directory.path();
    tree(root, [3 * MIB, MIB, MIB, MIB]);
    let planned = ["-q", "-o", "plan", "-a", "blake3", "--split", "1M", "--shards", "4", "--per-file", "0", "t"];
    shard(root, &planned, 0);
    assert_eq!(hash_all(root), 0);
    let one = hash(root, ["-a", "blake3", "t"]).run().stdout;
    let first = one.split_inclusive(|&byte| byte == b'\n').next().unwrap();
    fs::write(root.join("plan/.pfh-other"), "").unwrap();
    fs::remove_file(root.join("plan/00003.jsonl")).unwrap();
    let merged = merge(root, &["--shard", "0"]);
    assert_eq!(merged.code(), 0, "{}", merged.stderr);
    merged.printed(first);
    assert!(root.join("plan/.pfh-other").exists());
    assert_eq!(merge(root, &["--shard", "3"]).code(), 3);
    // The file goes on in the second shard.
    fs::remove_file(root.join("plan/00001.jsonl")).unwrap();
    let merged = merge(root, &["--shard", "0"]);
    assert_eq!((merged.code(), merged.stdout.len()), (3, 0));
    assert!(merged.stderr.contains("1 of 2 shards have no result: 1"), "{}", merged.stderr);
}

/// Whatever times and numbers of bytes results state, they are added.
#[test]
fn sums_that_are_too_large_are_the_largest_number() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [10; 8]);
    shard(root, &["-q", "-o", "plan", "--shards", "2", "t"], 0);
    assert_eq!(hash_all(root), 0);
    let results = ["plan/00000.jsonl", "plan/00001.jsonl"];
    for result in results {
        let text = unchecked(&fs::read_to_string(root.join(result)).unwrap());
        let (start, _) = text.split_once(",\"bytes\":").unwrap();
        let end = format!(",\"bytes\":{},\"elapsed_seconds\":1.8e19,\"interrupted\":false}}\n", u64::MAX);
        fs::write(root.join(result), format!("{start}{end}")).unwrap();
    }
    let merged = merge(root, &["-f", "jsonl"]);
    let converted = pfh(root, [&["convert", "-q", "-f", "jsonl"][..], &results].concat()).run();
    for list in [merged.done(), converted.done()] {
        let last = str::from_utf8(list).unwrap().lines().last().unwrap();
        let summary: serde_json::Value = serde_json::from_str(last).unwrap();
        assert_eq!((&summary["files"], &summary["bytes"]), (&8.into(), &u64::MAX.into()));
    }
}

/// `--status` prints what there is to do.
#[test]
fn the_status_names_what_is_missing() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [10; 40]);
    shard(root, &["-q", "-o", "plan", "--shards", "6", "t"], 0);
    hash(root, ["--plan", "plan", "--shard", "1/3"]).run().done();
    let status = pfh(root, ["shard", "--status", "plan"]).run();
    let folder = root.canonicalize().unwrap().join("plan");
    let said = format!("pfh: `{}`: 2 of 6 shards are done\n", folder.display());
    assert_eq!(status.expect(3, &said), b"0\n2\n3\n5\n");
    let merged = pfh(root, ["merge", "plan", "-o", "list"]).run();
    let said = format!(
        "pfh: `{}`: 4 of 6 shards have no result: 0, 2, 3, 5; `pfh hash --plan … --shard 0` makes one, and `pfh shard --status` names all\n",
        folder.display()
    );
    merged.expect(3, &said);
    assert!(!root.join("list").exists());
    assert_eq!(hash_all(root), 0);
    assert_eq!(pfh(root, ["shard", "-q", "--status", "plan"]).run().done(), b"");
}

#[test]
fn what_was_planned_is_told() {
    let directory = scratch();
    tree(directory.path(), [1_000_000, 0, 0, 0]);
    let told = shard(directory.path(), &["-o", "plan", "--shards", "2", "--per-file", "0", "t"], 0);
    assert_eq!(
        told,
        "pfh: 2 shards of 4 files, 1.00 MB; the heaviest shard has 2.00 times the mean weight\n\
         pfh: critical path: `t/000/00000` of 1.00 MB is 100.0 % of the weight, and one task reads it; \
         more than 2 tasks at once gain nothing\n"
    );
}

/// The critical path is a part, where the longest file is split.
#[test]
fn the_critical_path_of_a_split_file_is_a_part() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [4 * MIB]);
    let arguments = ["-o", "plan", "--shards", "2", "--per-file", "0", "-a", "blake3", "--split", "1M", "t"];
    assert_eq!(
        shard(root, &arguments, 0),
        "pfh: 2 shards of 1 file, 4.19 MB; the heaviest shard has 1.00 times the mean weight\n\
         pfh: critical path: a part of 1.05 MB of `t/000/00000` of 4.19 MB is 25.0 % of the weight, and one task reads it; \
         more than 4 tasks at once gain nothing\n"
    );
    let first = fs::read(root.join("plan/00000.list")).unwrap();
    let entries = "4194304:0+1048576 t/000/00000\x004194304:1048576+1048576 t/000/00000\0";
    assert_eq!(String::from_utf8(first).unwrap(), entries);
}

/// A damaged list or result is named, with the reason and what to do.
#[test]
fn damage_is_reported() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [10; 40]);
    shard(root, &["-q", "-o", "plan", "--shards", "4", "t"], 0);
    let plan = root.canonicalize().unwrap().join("plan");
    let list = fs::read(plan.join("00001.list")).unwrap();
    let altered = [&b"11"[..], &list[2..]].concat();
    let missing_end = &list[..list.len() - 1];
    let without_one = &list[..list.iter().rposition(|&byte| byte == b' ').unwrap() - 2];
    for (damaged, reason) in [
        (&altered[..], "its SHA-256 is not the one in plan.json"),
        (missing_end, "its last entry has no end"),
        (without_one, "it has 9 entries, and plan.json says 10"),
    ] {
        fs::write(plan.join("00001.list"), damaged).unwrap();
        let said = format!(
            "pfh: `{}` was cut or altered after planning: {reason}; restore it, or make the plan anew\n",
            plan.join("00001.list").display()
        );
        hash(root, ["--plan", "plan", "--shard", "1"]).run().expect(3, &said);
        assert!(!plan.join("00001.jsonl").exists());
    }
    // The others do not suffer from it.
    assert_eq!(hash_all(root), 3);
    fs::write(plan.join("00001.list"), &list).unwrap();
    assert_eq!(hash_all(root), 0);
    let result = fs::read_to_string(plan.join("00001.jsonl")).unwrap();
    let lines: Vec<&str> = result.split_inclusive('\n').collect();
    let other = fs::read_to_string(plan.join("00002.jsonl")).unwrap();
    let at = |reason: &str| {
        format!(
            "pfh: `{}` is not the result of shard 1: {reason}; remove it and run the shard again\n",
            plan.join("00001.jsonl").display()
        )
    };
    // Cut off: found before anything is written.
    fs::write(plan.join("00001.jsonl"), lines[..lines.len() - 1].concat()).unwrap();
    let merged = pfh(root, ["merge", "plan", "-o", "list"]).run();
    assert_eq!((merged.code(), merged.stderr.starts_with(&at("it has no end"))), (3, true), "{}", merged.stderr);
    hash(root, ["--plan", "plan", "--shard", "1"]).run().expect(3, &at("it has no end"));
    let status = pfh(root, ["shard", "-q", "--status", "plan"]).run();
    status.expect(3, &at("it has no end"));
    // Damage within: found while merging, and no list remains.
    let shifted = [&lines[..3], &lines[4..5], &lines[3..4], &lines[5..]].concat().concat();
    let flipped = result.replacen("\"size\":10", "\"size\":11", 1);
    for (damaged, reason) in [
        (shifted, "it has `t/001/00013` where the list has `t/001/00012`"),
        (other, "it has `t/002/00020` where the list has `t/001/00010`"),
        (flipped, ""),
    ] {
        fs::write(plan.join("00001.jsonl"), damaged).unwrap();
        let merged = pfh(root, ["merge", "plan", "-o", "list"]).run();
        let start = at(reason);
        let start = if reason.is_empty() { start.split(": ;").next().unwrap() } else { &start };
        assert!(merged.code() == 3 && merged.stderr.starts_with(start), "{}", merged.stderr);
        assert!(!root.join("list").exists());
    }
    fs::write(plan.join("00001.jsonl"), result).unwrap();
    merge(root, &[]).printed(&hash(root, ["t"]).run().stdout);
}

/// A pipe in the folder of a plan is not waited for.
#[test]
fn pipes_among_the_files_of_a_plan_are_reported() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [10; 20]);
    shard(root, &["-q", "-o", "plan", "--shards", "2", "t"], 0);
    let plan = root.canonicalize().unwrap().join("plan");
    let with_pipe = |name: &str, check: &dyn Fn(&str)| {
        let (path, kept) = (plan.join(name), plan.join("kept"));
        fs::rename(&path, &kept).unwrap();
        fifo(&path);
        check(&format!("`{}`", path.display()));
        fs::rename(&kept, &path).unwrap();
    };
    let no_file = "it is not a regular file";
    with_pipe("00001.list", &|path| {
        let advice = "restore it, or make the plan anew";
        let said = format!("pfh: {path} was cut or altered after planning: {no_file}; {advice}\n");
        hash(root, ["--plan", "plan", "--shard", "1"]).run().expect(3, &said);
    });
    assert_eq!(hash_all(root), 0);
    with_pipe("00001.jsonl", &|path| {
        let said = format!("pfh: {path} is not the result of shard 1: {no_file}; remove it and run the shard again\n");
        hash(root, ["--plan", "plan", "--shard", "1"]).run().expect(3, &said);
        assert_ne!(merge(root, &[]).code(), 0);
    });
    with_pipe("plan.json", &|path| {
        let ended = merge(root, &[]);
        assert!(ended.code() != 0 && ended.stderr.contains(path) && ended.stderr.contains(no_file), "{}", ended.stderr);
    });
    merge(root, &[]).printed(&hash(root, ["t"]).run().stdout);
}

/// A symbolic link in the place of a result is not followed: nothing is written outside of the plan.
#[test]
fn a_link_in_the_place_of_a_result_is_refused() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [10; 20]);
    fs::create_dir(root.join("elsewhere")).unwrap();
    shard(root, &["-q", "-o", "plan", "--shards", "2", "t"], 0);
    let result = root.canonicalize().unwrap().join("plan/00001.jsonl");
    symlink("../elsewhere/evil", &result).unwrap();
    let said = format!(
        "pfh: `{}` is not the result of shard 1: it is a symbolic link that leads to nothing; remove it and run the \
        shard again\n",
        result.display()
    );
    hash(root, ["--plan", "plan", "--shard", "1"]).run().expect(3, &said);
    assert!(result.is_symlink() && names(&root.join("elsewhere")).is_empty());
    fs::remove_file(&result).unwrap();
    assert_eq!(hash_all(root), 0);
    merge(root, &[]).printed(&hash(root, ["t"]).run().stdout);
}

/// A folder without a plan, or a plan of another tree, is refused before anything is read.
#[test]
fn other_plans_and_trees_are_refused() {
    let directory = scratch();
    let root = directory.path();
    fs::create_dir(root.join("here")).unwrap();
    let here = root.join("here").canonicalize().unwrap();
    tree(&here, [10; 20]);
    shard(&here, &["-q", "-o", "../plan", "--shards", "2", "t"], 0);
    let plan = root.canonicalize().unwrap().join("plan");
    let task = |number: &str| hash(root, ["--plan", "plan", "--shard", number]).run();
    task("2").expect(2, "pfh: shard 2 is not in the plan, which has shards 0 to 1\n");
    assert_eq!(task("2/2").code(), 2);
    let again = shard(&here, &["-o", "../plan", "--shards", "2", "t"], 2);
    assert_eq!(again, "pfh: `../plan` has a plan already; name a new folder, or remove that one\n");
    fs::create_dir(root.join("other")).unwrap();
    fs::write(root.join("other/file"), "").unwrap();
    assert!(shard(&here, &["-o", "../other", "--shards", "2", "t"], 2).contains("`../other` is not empty"));
    let none = hash(root, ["--plan", "other", "--shard", "0"]).run();
    assert!(none.code() == 2 && none.stderr.contains("has no plan.json"), "{}", none.stderr);
    assert_eq!(hash(root, ["--plan", "nothing", "--shard", "0"]).run().code(), 2);

    // The tree is elsewhere, or another one has taken its place.
    fs::rename(&here, root.join("moved")).unwrap();
    let gone = task("0");
    let said = format!(
        "pfh: `{}`: No such file or directory (os error 2); the plan was made there, so the tree must be mounted under the same path on this machine\n",
        here.display()
    );
    gone.expect(2, &said);
    fs::create_dir(&here).unwrap();
    tree(&here, [10; 20]);
    let other = task("0");
    assert_eq!(other.code(), 2);
    let start = format!("pfh: `{}` is another directory than the one that was planned (inode ", here.display());
    assert!(other.stderr.starts_with(&start), "{}", other.stderr);
    assert!(other.stderr.ends_with("mount the tree that was planned, or hash whatever is there with --any-tree\n"));
    assert_eq!(names(&plan).len(), 3);
    hash(root, ["--plan", "plan", "--shard", "0", "--any-tree"]).run().done();

    let json = fs::read_to_string(plan.join("plan.json")).unwrap();
    let cases = [
        (json.replace("\"version\":1", "\"version\":2"), "has version 2, and this program reads version 1"),
        (json.replace("\"sha256\"]", "\"sha257\"]"), "is not as pfh wrote it: unknown algorithm"),
        (json.replace("\"files\":20", "\"files\":21"), "its totals are not the sums of its lists"),
        (json.replace("pfh-plan", "other"), "its type is not \"pfh-plan\""),
        (json[..json.len() / 2].to_owned(), "is not as pfh wrote it: "),
    ];
    for (damaged, reason) in cases {
        fs::write(plan.join("plan.json"), damaged).unwrap();
        let refused = task("1");
        assert!(refused.code() == 2 && refused.stderr.contains(reason), "{reason}: {}", refused.stderr);
    }
}

/// The roots of filesystems of one kind have the same inode number.
#[test]
fn another_filesystem_at_the_planned_path_is_refused() {
    let directory = scratch();
    let (root, mounted) = (directory.path(), directory.path().join("t"));
    let facts = || fs::metadata(&mounted).unwrap();
    let Some(planned) = Small::mount(&mounted, "size=1m") else { return };
    tree(root, [10; 20]);
    shard(root, &["-q", "-o", "plan", "--shards", "3", "t"], 0);
    let task = |number: &str| hash(root, ["-q", "--plan", "plan", "--shard", number]).run();
    // A change of the tree makes its root no other one.
    fs::create_dir(mounted.join("new")).unwrap();
    task("0").done();
    let before = facts();
    drop(planned);
    let Some(_another) = Small::mount(&mounted, "size=1m") else { return };
    tree(root, [10; 20]);
    let after = facts();
    if after.created().is_err() {
        skipped(Need::Mount, "a tmpfs that states when its root was made");
        return;
    }
    assert_eq!(before.ino(), after.ino());
    let refused = task("1");
    assert_eq!(refused.code(), 2);
    let reason = format!("(inode {}, as planned, but it was made at another time): mount the tree", before.ino());
    assert!(refused.stderr.contains(&reason), "{}", refused.stderr);
    hash(root, ["-q", "--plan", "plan", "--shard", "1", "--any-tree"]).run().done();
    // Plans of earlier versions have no such time.
    let path = root.join("plan/plan.json");
    let json = fs::read_to_string(&path).unwrap();
    let mut parts = json.split(",\"birth_microseconds\":");
    let first = parts.next().unwrap().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    fs::write(&path, rest.fold(first, |json, part| json + part)).unwrap();
    task("2").done();
}

#[test]
fn contradicting_options_are_refused() {
    let directory = scratch();
    tree(directory.path(), [10; 3]);
    fs::write(directory.path().join("a-file"), "").unwrap();
    for arguments in [
        &["shard", "-o", "p", "--shards", "2", "-"][..],
        &["shard", "-o", "p", "--shards", "2", "-a", "hmac-sha256", "t"],
        &["shard", "-o", "p", "--shards", "0", "t"],
        &["shard", "-o", "p", "--shard-size", "0", "t"],
        &["shard", "-o", "p", "--shards", "100001", "t"],
        &["shard", "-o", "p", "t"],
        &["shard", "--shards", "2", "t"],
        &["shard", "-o", "p", "--shards", "2"],
        &["shard", "-o", "p", "--status", "p"],
        &["shard", "-o", "no/such/folder", "--shards", "2", "t"],
        &["shard", "-o", "a-file", "--shards", "2", "t"],
        &["hash", "--plan", "p", "t"],
        &["hash", "--plan", "p", "--shard", "1", "t"],
        &["hash", "--plan", "p", "--shard", "1", "-a", "md5"],
        &["hash", "--plan", "p", "--shard", "1", "-o", "x"],
        &["hash", "--plan", "p", "--shard", "1", "--max-size", "5"],
        &["hash", "--shard", "1", "t"],
        &["merge", "p"],
    ] {
        let ended = pfh(directory.path(), arguments).run();
        assert_eq!((ended.code(), ended.stdout.len()), (2, 0), "{arguments:?}: {}", ended.stderr);
        if arguments.contains(&"a-file") {
            assert_eq!(ended.stderr, "pfh: `a-file` is not a directory\n");
        }
        if arguments.contains(&"--shard-size") {
            assert!(ended.stderr.contains("a shard has a weight of at least one byte"), "{}", ended.stderr);
        }
    }
    assert_eq!(names(directory.path()).len(), 2);
}

/// A filesystem that has no room, or refuses names, leaves no part of a result.
#[test]
fn faults_of_the_filesystem_leave_no_part() {
    let directory = scratch();
    let root = directory.path();
    tree(root, [10; 300]);
    for folder in ["real", "shown"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
    shard(root, &["-q", "-o", "real/plan", "--shards", "2", "t"], 0);
    let (real, shown) = (root.join("real"), root.join("shown"));
    let mount = |plan: &str| mount_faults(&real, &shown, Some(Writing::default()), plan);
    let task = |number| hash(root, ["-q", "--plan", "shown/plan", "--shard", number]).run();
    for fault in [". full 0", ". full 1", ". full 20000", "plan/00000.jsonl refused 5", "plan/00000.jsonl refused 28"] {
        let Some(mount) = mount(fault) else { return };
        let ended = task("0");
        assert_eq!(ended.code(), 4, "{fault}: {}", ended.stderr);
        mount.unmount().unwrap();
        assert!(!root.join("real/plan/00000.jsonl").exists(), "{fault}");
    }
    let Some(mount) = mount("") else { return };
    let all: Vec<Running> =
        (0..3).map(|_| hash(root, ["-q", "--plan", "shown/plan", "--shard", "0/1"]).start()).collect();
    for running in all {
        running.end().done();
    }
    let merged = pfh(root, ["merge", "shown/plan"]).run();
    mount.unmount().unwrap();
    merged.printed(&hash(root, ["t"]).run().stdout);
    assert_eq!(names(&root.join("real/plan")).len(), 5);
}

/// A plan in the tree that it is made of does not list itself.
#[test]
fn a_plan_is_no_part_of_its_tree() {
    let directory = scratch();
    let root: &TempDir = &directory;
    tree(root.path(), [10; 5]);
    shard(root.path(), &["-q", "-o", "plan", "--shards", "2", "."], 0);
    let lists = [0, 1].map(|number| fs::read(root.path().join(format!("plan/0000{number}.list"))).unwrap()).concat();
    let entries = lists.split(|&byte| byte == 0).filter(|entry| !entry.is_empty());
    assert!(entries.clone().all(|entry| entry.starts_with(b"10 ./t/000/0000")));
    assert_eq!(entries.count(), 5);
}
