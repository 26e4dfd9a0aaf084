//! Plans on disk: what goes in comes out, in the same order, whatever the sizes and the number of shards.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

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
        tree: vec![TreePlace { path: b"\xfe".to_vec(), inode: u64::MAX }],
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
