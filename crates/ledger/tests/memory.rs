//! A walk of a million files is compared within the memory that is granted. A test of its own, because it looks at the
//! whole process.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::fs;

use pfh_ledger::{Ledger, Plan, Run, RunOptions, Seen, Settings, Subject, Survey};

/// Returns the most memory that this process ever had, in MiB.
fn peak_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
}

#[test]
fn a_million_files_take_no_more_than_is_granted() {
    const FILES: u64 = 1_000_000;
    const GRANTED_MIB: u64 = 8;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let ledger = Ledger::create(&path, &[b"/tree".to_vec()], &Settings::default()).unwrap();
    ledger.limit_memory(GRANTED_MIB << 17).unwrap();
    let options = RunOptions { algorithms: vec!["sha256".to_owned()], ..RunOptions::default() };
    let run = Run::begin(ledger, options, &Settings::default()).unwrap();
    let before = peak_mib();
    let mut survey = Survey::new(GRANTED_MIB << 20);
    let name = |number: u64| format!("{:04}/a name of which a ledger has to keep a million {number:07}", number % 1000);
    for number in 0..FILES {
        let subject = Subject { root: 0, path: name(number).into_bytes() };
        survey.push(&subject, &Seen { size: 1, inode: number, ..Seen::default() }, 7).unwrap();
    }
    let (surveyed, mut tasks) = survey.compare(&run, &Plan::default()).unwrap();
    assert_eq!((surveyed.files, tasks.files()), (FILES, FILES));
    let (mut last, mut count) = (Vec::new(), 0);
    for task in tasks.by_ref() {
        assert!(task.subject.path > last && task.subject.path == name(task.inode).as_bytes());
        (last, count) = (task.subject.path, count + 1);
    }
    assert!(tasks.take_error().is_none() && count == FILES);
    // The paths alone have 65 MiB. Merging has a buffer of 64 KiB for each of at most 64 files of each size.
    let taken = peak_mib() - before;
    assert!(taken < GRANTED_MIB + 16, "{taken} MiB");
}
