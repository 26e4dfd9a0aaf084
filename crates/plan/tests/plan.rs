//! Plans on disk: what goes in comes out, in the same order, whatever the sizes and the number of shards.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs::{self, Permissions};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use pfh_digest::parts::PartHasher;
use pfh_plan::{Cut, ListEntry, Plan, PlanError, PlanOptions, Planner, ResultState, TreePlace, Variants, weight};
use pfh_record::{Outcome, Record, SkipReason};
use proptest::prelude::*;

static GO_ON: AtomicBool = AtomicBool::new(false);

fn options() -> PlanOptions {
    PlanOptions::new("sha256,tlsh".parse().unwrap(), b"/data".to_vec())
}

fn plan(folder: &Path, entries: &[ListEntry], per_file_bytes: u64, cut: Cut) -> Plan {
    let mut planner = Planner::create(folder, per_file_bytes).unwrap();
    for entry in entries {
        match entry {
            ListEntry::File { path, size, named } => planner.file(path, *size, *named).unwrap(),
            ListEntry::Part { .. } => unreachable!("a planner makes parts by itself"),
            ListEntry::Other(record) => planner.other((**record).clone()).unwrap(),
        }
    }
    planner.finish(options(), cut, &GO_ON).unwrap()
}

fn listed(plan: &Plan) -> Vec<ListEntry> {
    let mut entries = Vec::new();
    for shard in 0..plan.shards().len() as u32 {
        let mut list = plan.list(shard).unwrap();
        while let Some(entry) = list.next().unwrap() {
            entries.push(entry);
        }
    }
    entries
}

fn entry() -> impl Strategy<Value = ListEntry> {
    let path = prop::collection::vec(1_u8.., 1..40);
    let size = prop_oneof![Just(0), 0..1_000_000_u64, Just(u64::MAX)];
    prop_oneof![
        9 => (path.clone(), size, any::<bool>()).prop_map(|(path, size, named)| ListEntry::File { path, size, named }),
        1 => path.prop_map(|path| {
            let mut record = Record::new(path, Outcome::Skipped(SkipReason::NotRegular));
            record.is_size_known = false;
            ListEntry::Other(Box::new(record))
        }),
    ]
}

/// Plans files of these sizes in a folder of its own, those above `split_bytes` in parts.
fn split(folder: &Path, sizes: &[u64], split_bytes: u64, shards: u32) -> Plan {
    let mut planner = Planner::create(folder, 5).unwrap().splitting(Some(split_bytes));
    for (number, &size) in sizes.iter().enumerate() {
        planner.file(format!("t/{number}").as_bytes(), size, number % 3 == 0).unwrap();
    }
    let options = PlanOptions::new("blake3,crc32,adler32".parse().unwrap(), b"/data".to_vec());
    planner.finish(options, Cut::Shards(shards), &GO_ON).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Parts follow each other and are the whole file, files count once, and shards are even in parts.
    #[test]
    fn parts_are_the_files(
        sizes in prop::collection::vec(prop_oneof![0..40_u64 << 20, (0..40_u64).prop_map(|mib| mib << 20)], 0..12),
        mib in prop_oneof![Just(1_u64), Just(2), Just(8)],
        shards in 1..40_u32,
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("plan");
        let (split_bytes, made) = (mib << 20, split(&folder, &sizes, mib << 20, shards));
        let plan = Plan::open(&folder).unwrap();
        prop_assert_eq!(made.options(), plan.options());
        prop_assert_eq!(plan.options().split_bytes, Some(split_bytes));
        let (mut found, mut end) = (Vec::new(), 0);
        for entry in listed(&plan) {
            match entry {
                ListEntry::File { path, size, named } => {
                    prop_assert!(size <= split_bytes && end == 0);
                    found.push((path, size, named));
                }
                ListEntry::Part { path, size, named, offset, length } => {
                    prop_assert!(size > split_bytes && offset == end && offset % split_bytes == 0);
                    end = offset + length;
                    prop_assert!(length == split_bytes || (end == size && length < split_bytes));
                    if end == size {
                        found.push((path, size, named));
                        end = 0;
                    }
                }
                ListEntry::Other(_) => prop_assert!(false),
            }
        }
        let file = |(number, &size)| (format!("t/{number}").into_bytes(), size, number % 3 == 0);
        prop_assert_eq!(found, sizes.iter().enumerate().map(file).collect::<Vec<_>>());
        let (totals, bytes) = (plan.totals(), sizes.iter().sum::<u64>());
        prop_assert_eq!((totals.files, totals.bytes), (sizes.len() as u64, bytes));
        prop_assert_eq!(plan.longest_bytes(), sizes.iter().max().map(|&size| size.min(split_bytes)));
        let mean = u128::from(totals.weight) / u128::from(shards);
        prop_assert!(plan.shards().iter().all(|shard| u128::from(shard.weight) <= mean + u128::from(split_bytes) + 6));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The lists joined are the listing, also with more shards than files; and what is opened is what was made.
    #[test]
    fn lists_joined_are_the_listing(
        entries in prop::collection::vec(entry(), 0..60),
        shards in prop_oneof![1..5_u32, 1..200_u32],
        per_file_bytes in prop_oneof![Just(0), Just(65536)],
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("plan");
        let made = plan(&folder, &entries, per_file_bytes, Cut::Shards(shards));
        let opened = Plan::open(&folder).unwrap();
        prop_assert_eq!(made.shards(), opened.shards());
        prop_assert_eq!((made.options(), made.longest()), (opened.options(), opened.longest()));
        prop_assert_eq!(opened.shards().len(), shards as usize);
        prop_assert_eq!(listed(&opened), entries);
        let names = fs::read_dir(&folder).unwrap().count();
        prop_assert_eq!(names, shards as usize + 1);
    }
}

#[test]
fn everything_in_plan_json_comes_back() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("plan");
    let mut planner = Planner::create(&folder, 7).unwrap();
    planner.file(b"t/\xff", 5, false).unwrap();
    let options = PlanOptions {
        directory: b"/d\xe9".to_vec(),
        tree: vec![
            TreePlace { path: b"\xfe".to_vec(), inode: u64::MAX, birth_microseconds: Some(-1) },
            TreePlace { path: b".".to_vec(), inode: 2, birth_microseconds: None },
        ],
        piece_bytes: Some(9),
        facts: Some("exact".to_owned()),
        variants: Variants {
            sdhash_profile: Some("4.0".to_owned()),
            sdhash_blocks: Some(0),
            sdhash_segments: Some(3),
            mrsh_network: true,
        },
        follow_files: true,
        ..options()
    };
    planner.finish(options.clone(), Cut::Shards(2), &GO_ON).unwrap();
    let plan = Plan::open(&folder).unwrap();
    assert_eq!((plan.options(), plan.per_file_bytes()), (&options, 7));
    assert_eq!(plan.longest().unwrap().path, b"t/\xff");
    assert_eq!((plan.totals().files, plan.totals().bytes, plan.totals().weight), (1, 5, weight(5, 7)));
    assert_eq!(plan.state(1).unwrap(), ResultState::Missing);
}

/// Equal inode numbers do not suffice, and a time that one side does not know decides nothing.
#[test]
fn directories_are_recognised_by_two_marks() {
    let place = |inode, birth_microseconds| TreePlace { path: b".".to_vec(), inode, birth_microseconds };
    let planned = place(2, Some(5));
    for same in [place(2, Some(5)), place(2, None)] {
        assert_eq!((planned.difference(&same), same.difference(&planned)), (None, None));
    }
    assert_eq!(planned.difference(&place(3, Some(5))).unwrap(), "inode 3 instead of 2");
    let another = planned.difference(&place(2, Some(6))).unwrap();
    assert_eq!(another, "inode 2, as planned, but it was made at another time");
    // Later changes of a directory leave both.
    let scratch = tempfile::tempdir().unwrap();
    let look = || TreePlace::new(b".".to_vec(), &fs::metadata(scratch.path()).unwrap());
    let before = look();
    fs::write(scratch.path().join("new"), "").unwrap();
    fs::set_permissions(scratch.path(), Permissions::from_mode(0o700)).unwrap();
    assert_eq!(before, look());
}

/// An interruption of the planning leaves the folder as it was.
#[test]
fn a_plan_that_is_not_finished_leaves_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let (new, old) = (scratch.path().join("new"), scratch.path().join("old"));
    fs::create_dir(&old).unwrap();
    for folder in [&new, &old] {
        let mut planner = Planner::create(folder, 0).unwrap();
        planner.file(b"a", 5, false).unwrap();
        let stopped = planner.finish(options(), Cut::Shards(3), &AtomicBool::new(true));
        assert!(matches!(stopped, Err(PlanError::Stopped)), "{stopped:?}");
    }
    assert!(!new.exists());
    assert_eq!(fs::read_dir(&old).unwrap().count(), 0);
    // Two at once: the second one finds the lists of the first.
    let (one, two) = (Planner::create(&old, 0).unwrap(), Planner::create(&old, 0).unwrap());
    one.finish(options(), Cut::Shards(3), &GO_ON).unwrap();
    let late = two.finish(options(), Cut::Shards(3), &GO_ON);
    assert!(matches!(late, Err(PlanError::NotEmpty { .. })), "{late:?}");
    assert_eq!(listed(&Plan::open(&old).unwrap()), []);
    assert!(matches!(Planner::create(&old, 0), Err(PlanError::Exists { .. })));
}

/// A result that was made by hand, record for record, is joined; every other one is refused with a reason.
#[test]
fn results_are_compared_with_their_lists() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("plan");
    let file = |path: &str| ListEntry::File { path: path.into(), size: 1, named: false };
    let plan = plan(&folder, &[file("t/a"), file("t/b")], 0, Cut::Shards(1));
    let header = r#"{"type":"header","version":1,"algorithms":["sha256","tlsh"],"directory":"/data"}"#;
    let record =
        |path: &str| format!(r#"{{"type":"file","path":"{path}","outcome":"skipped","reason":"not-regular"}}"#);
    let summary = |files: u64| format!(r#"{{"type":"summary","files":{files},"skipped":{files},"interrupted":false}}"#);
    let joined = |lines: &[&str]| {
        fs::write(plan.result_path(0), lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let mut paths = Vec::new();
        let joined = plan.join(&mut |record| {
            paths.push(String::from_utf8(record.path).unwrap());
            ControlFlow::Continue(())
        });
        joined.map(|joined| (paths, joined.summary.skipped)).map_err(|error| error.to_string())
    };
    let (a, b, two) = (record("t/a"), record("t/b"), summary(2));
    assert_eq!(joined(&[header, &a, &b, &two]), Ok((vec!["t/a".to_owned(), "t/b".to_owned()], 2)));
    assert!(matches!(plan.state(0).unwrap(), ResultState::Whole(..)));
    let other = |from: &str, to: &str| header.replace(from, to);
    let cases: [(&[&str], &str, bool); 9] = [
        (&[header, &b, &a, &two], "it has `t/b` where the list has `t/a`", false),
        (&[header, &a, &two], "it ends before `t/b`", false),
        (&[header, &a, &b, &b, &two], "it has `t/b`, which is not in the list", false),
        (&[header, &a, &b], "it has no end", true),
        (&[header, &a, &b, &summary(3)], "", true),
        (&[&other("sha256", "sha512"), &a, &b, &two], "it has other algorithms than the plan", true),
        (&[&other("/data", "/else"), &a, &b, &two], "it is of another directory than the plan", true),
        (&[&other("\"directory\"", "\"piece_bytes\":5,\"directory\""), &a, &b, &two], "its pieces have another", true),
        (&[header, "{\"type\":\"file\"", &b, &two], "", false),
    ];
    for (lines, reason, is_seen_at_once) in cases {
        let result = joined(lines);
        if !reason.is_empty() {
            assert!(result.clone().unwrap_err().contains(reason), "{reason}: {result:?}");
        }
        let is_damaged = matches!(plan.state(0).unwrap(), ResultState::Damaged(_));
        assert_eq!(is_damaged, is_seen_at_once, "{reason}");
        assert!(result.is_err() || is_damaged, "{lines:?}");
    }
    fs::write(plan.result_path(0), "").unwrap();
    assert!(matches!(plan.state(0).unwrap(), ResultState::Damaged(_)));
}

/// Parts are joined only if all of them are there, of one content, and in their places.
#[test]
fn parts_are_joined_or_refused() {
    const MIB: usize = 1 << 20;
    let scratch = tempfile::tempdir().unwrap();
    let plan = split(&scratch.path().join("plan"), &[2 * MIB as u64 + 5, 1], MIB as u64, 2);
    assert_eq!(plan.shards().iter().map(|shard| shard.entries).collect::<Vec<_>>(), [1, 3]);
    let bytes = vec![7; 2 * MIB + 5];
    let header = r#"{"type":"header","version":1,"algorithms":["blake3","crc32","adler32"],"directory":"/data"}"#;
    let summary =
        |files: u64| format!(r#"{{"type":"summary","files":{files},"complete":{files},"interrupted":false}}"#);
    let value = |name: &str, place: usize| {
        let algorithm = pfh_digest::Algorithm::from_name(name).unwrap();
        let part = bytes.chunks(MIB).nth(place).unwrap();
        let mut hasher = PartHasher::new(algorithm, (place * MIB) as u64, MIB as u64).unwrap();
        hasher.update(part);
        let value = hasher.finish().unwrap();
        let digits: String = value.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("\"{name}\":\"{digits}\"")
    };
    let part = |place: usize| {
        let values = ["blake3", "crc32", "adler32"].map(|name| value(name, place)).join(",");
        let (offset, length) = (place * MIB, bytes.chunks(MIB).nth(place).unwrap().len());
        format!(
            r#"{{"type":"part","path":"t/0","size":{},"mtime":"2026-11-20T00:00:00Z","ctime":"2026-11-20T00:00:00Z","inode":5,"offset":{offset},"length":{length},"values":{{{values}}},"outcome":"complete"}}"#,
            bytes.len()
        )
    };
    let small = r#"{"type":"file","path":"t/1","outcome":"skipped","reason":"not-regular"}"#;
    let joined = |first: &[&str], second: &[&str]| {
        for (number, (lines, end)) in [(first, summary(1)), (second, summary(3))].into_iter().enumerate() {
            let text: String = [&[header], lines, &[&*end]].concat().iter().map(|line| format!("{line}\n")).collect();
            fs::write(plan.result_path(number as u32), text).unwrap();
        }
        let (mut records, mut own) = (Vec::new(), Vec::new());
        let joined = plan.join(&mut |record| {
            records.push(record);
            ControlFlow::Continue(())
        });
        for shard in 0..2 {
            let of_shard = plan.records_of(shard, &mut |record| {
                own.push((shard, record));
                ControlFlow::Continue(())
            });
            if joined.is_ok() {
                of_shard.unwrap();
            }
        }
        if joined.is_ok() {
            // The file belongs to the shard of its first part.
            assert_eq!(own.iter().map(|(shard, _)| *shard).collect::<Vec<_>>(), [0, 1]);
            assert!(own.iter().map(|(_, record)| record).eq(&records));
        }
        joined.map(|joined| (records.swap_remove(0), joined.summary)).map_err(|error| error.to_string())
    };
    let parts = [0, 1, 2].map(part);
    let [a, b, c] = parts.each_ref().map(String::as_str);
    let (record, summary) = joined(&[a], &[b, c, small]).unwrap();
    assert_eq!((summary.complete, summary.skipped, summary.files()), (1, 1, 2));
    assert_eq!((record.outcome, record.bytes_read), (Outcome::Complete, bytes.len() as u64));
    let algorithms = plan.options().selection.algorithms();
    assert_eq!(record.digests, algorithms.iter().map(|one| one.digest(&bytes)).collect::<Vec<_>>());
    // Other times, another number, another size: another content. With copies of the tree, inodes do not count.
    let copies = [b, c].map(|line| line.replacen("\"outcome\"", "\"any_tree\":true,\"outcome\"", 1));
    for (from, to, outcome) in [
        ("\"inode\":5", "\"inode\":6", Outcome::Complete),
        ("\"ctime\":\"2026", "\"ctime\":\"2027", Outcome::Complete),
        ("\"mtime\":\"2026", "\"mtime\":\"2027", Outcome::ChangedWhileReading),
        ("\"size\":2097157", "\"size\":2097158", Outcome::ChangedWhileReading),
    ] {
        let (record, _) = joined(&[a], &[b, &c.replace(from, to), small]).unwrap();
        assert_eq!((record.outcome, record.digests), (Outcome::ChangedWhileReading, vec![]), "{to}");
        let (record, _) = joined(&[a], &[&copies[0], &copies[1].replace(from, to), small]).unwrap();
        assert_eq!((record.digests.is_empty(), record.outcome), (outcome != Outcome::Complete, outcome), "{to}");
    }
    // The first part that failed tells how.
    let failed = |line: &str, outcome: &str| line.replacen("\"outcome\":\"complete\"", outcome, 1);
    let short = failed(c, "\"outcome\":\"short\",\"bytes_read\":2097153");
    let error = r#""outcome":"unreadable","error":{"kind":"io","message":"no","offset":1048580}"#;
    let (record, summary) = joined(&[a], &[&failed(b, error), &short, small]).unwrap();
    assert!(matches!(record.outcome, Outcome::Unreadable { offset: 1_048_580, .. }), "{record:?}");
    assert_eq!((summary.unreadable, record.digests.len()), (1, 0));
    let (record, _) = joined(&[a], &[b, &short, small]).unwrap();
    assert_eq!(record.outcome, Outcome::Short { expected: 2_097_157, read: 2_097_153 });
    // Lines that are no result of these parts.
    let without = |name: &str, place| b.replacen(&format!("{},", value(name, place)), "", 1);
    for (first, second, reason) in [
        (b, [b, c, small], "of `t/0`, it has another part than the list"),
        (a, [c, b, small], "of `t/0`, it has another part than the list"),
        (&small.replace("t/1", "t/0"), [b, c, small], "of `t/0`, it has another part than the list"),
        (a, [b, small, c], "it has `t/1` where the list has `t/0`"),
        (a, [&without("crc32", 1), c, small], "a part lacks values of the plan's algorithms"),
        (a, [&b.replacen("\"adler32\":\"", "\"adler32\":\"0", 1), c, small], "is not the result of shard 1"),
        (
            a,
            [
                &b.replacen("\"size\":2097157,", "", 1).replacen(
                    "\"mtime\":\"2026-11-20T00:00:00Z\",\"ctime\":\"2026-11-20T00:00:00Z\",\"inode\":5,",
                    "",
                    1,
                ),
                c,
                small,
            ],
            "a part has no size",
        ),
    ] {
        let error = joined(&[first], &second).unwrap_err();
        assert!(error.contains(reason), "{reason}: {error}");
    }
}

/// A list whose parts do not follow each other is refused, and so are parts in a plan that cannot join them.
#[test]
fn lists_with_wrong_parts_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let plan = split(&scratch.path().join("plan"), &[3 << 20], 1 << 20, 1);
    let json = plan.json();
    for (from, to) in [
        ("\"split_bytes\":1048576", "\"split_bytes\":1048577"),
        ("\"split_bytes\":1048576", "\"split_bytes\":524288"),
        ("\"crc32\"", "\"sha256\""),
        ("\"crc32\"", "\"tlsh\""),
        ("\"split_bytes\"", "\"piece_bytes\":5,\"split_bytes\""),
        ("\"split_bytes\"", "\"facts\":\"exact\",\"split_bytes\""),
    ] {
        let error = Plan::parse(plan.folder(), json.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(error.to_string().contains("whose values cannot be joined"), "{to}: {error}");
    }
}
