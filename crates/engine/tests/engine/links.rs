//! A file with several names is read once.

use pfh_record::Outcome;
use pfh_testing::{Change, ScriptedSource};

use crate::common::*;

const NAMES: u64 = 6;

/// A file and further names of it, with files between them.
fn source(contents: &[u8]) -> ScriptedSource {
    let mut source = ScriptedSource::new().file("name 0", contents);
    for name in 1..NAMES {
        source = source.file(format!("between {name}"), b"other").hard_link(format!("name {name}"), "name 0");
    }
    source
}

#[test]
fn names_of_a_small_file_that_come_one_after_the_other_cost_one_reading() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5", "crc32"]);
    for setting in settings().into_iter().filter(|setting| setting.threads == 1) {
        let contents = contents(1, 5000);
        let source = source(&contents);
        let run = hash(&source, &setting.options(&algorithms));
        assert_eq!(run.report.summary.complete, 2 * NAMES - 1);
        for record in run.records.iter().filter(|record| record.path.starts_with(b"name")) {
            assert_eq!(record.digests, digests(&algorithms, &contents));
        }
        let others = (NAMES - 1) * 5;
        assert_eq!(run.report.summary.bytes, source.read_bytes(), "{setting:?}");
        let read = source.read_bytes() - others;
        // Content still in the lanes or in a batch is not known yet when the next name is met.
        let most = if setting.mode == pfh_engine::Mode::Smt { 5000 } else { NAMES * 5000 };
        assert!((5000..=most).contains(&read), "{setting:?}: {read}");
    }
}

/// A worker claims a file longer than a slot, and others wait for its result.
#[test]
fn names_of_a_large_file_that_are_in_flight_at_once_cost_one_reading() {
    let _watchdog = watchdog(120);
    for names in [&["md5"][..], &["md5", "crc32"], &["blake3"]] {
        let algorithms = algorithms(names);
        for setting in few_settings() {
            let options = setting.options(&algorithms);
            let slot_bytes = slot_bytes(&options) as u64;
            // Long enough for a tree of pieces, and for a chain for each digest with the default memory.
            let length = if setting.least_memory { 40 * slot_bytes } else { 9 << 20 };
            let contents = contents(1, length as usize);
            let digests = digests(&algorithms, &contents);
            for _ in 0..3 {
                let source = source(&contents);
                let run = hash(&source, &options);
                assert_eq!(run.report.summary.complete, 2 * NAMES - 1, "{setting:?}");
                for record in run.records.iter().filter(|record| record.path.starts_with(b"name")) {
                    assert_eq!(record.digests, digests, "{setting:?}");
                    assert_eq!(record.bytes_read, length);
                }
                assert_eq!(run.report.summary.bytes, length + (NAMES - 1) * 5, "{setting:?}");
                // A worker learns from the first slot that the file is long, and its identity from the metadata.
                let most = length + 2 * NAMES * slot_bytes + NAMES * 5;
                assert!(source.read_bytes() <= most, "{setting:?}, {names:?}: {} of {most}", source.read_bytes());
                assert_eq!(source.open_files(), 0);
            }
        }
    }
}

#[test]
fn when_the_first_name_cannot_be_read_the_next_one_is() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5", "crc32"]);
    for setting in few_settings() {
        let options = setting.options(&algorithms);
        let length = if setting.least_memory { 10 * slot_bytes(&options) } else { 9 << 20 };
        let contents = contents(1, length);
        for bad in [0, 1, length as u64 / 2, length as u64 - 1] {
            let source = source(&contents).bad_bytes("name 0", bad, 1, EIO).bad_bytes("name 2", bad, 1, EIO);
            let run = hash(&source, &options);
            let mut complete = 0;
            for record in run.records.iter().filter(|record| record.path.starts_with(b"name")) {
                match record.outcome {
                    Outcome::Complete => {
                        assert_eq!(record.digests, digests(&algorithms, &contents));
                        complete += 1;
                    }
                    Outcome::Unreadable { offset, .. } => {
                        assert!(record.path == b"name 0" || record.path == b"name 2", "{record:?}");
                        assert_eq!(offset, bad);
                    }
                    ref other => panic!("{other:?}"),
                }
            }
            // Name 2 is complete if another name was read before it.
            assert!(complete >= NAMES - 2, "{setting:?}: {complete}");
            assert_eq!(source.open_files(), 0);
        }
    }
}

#[test]
fn a_file_that_changed_since_its_first_name_was_read_is_read_again() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5"]);
    for setting in settings() {
        let source = ScriptedSource::new().file("first", b"old").hard_link("second", "first").change_after_reads(
            "second",
            0,
            Change::Rewrite(b"new!".to_vec()),
        );
        let run = hash(&source, &setting.options(&algorithms));
        let second = sample("second", b"new!".to_vec(), &algorithms);
        assert_complete(&run.records[1], &second);
    }
}

/// An inode number alone is no reason to skip a file.
#[test]
fn names_of_different_files_are_never_taken_for_one() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5"]);
    for setting in settings() {
        let source = ScriptedSource::new()
            .file("one", b"one")
            .hard_link("one again", "one")
            .file("two", b"two")
            .hard_link("two again", "two")
            .hard_link("two once more", "two");
        let run = hash(&source, &setting.options(&algorithms));
        for record in &run.records {
            assert_eq!(record.digests, digests(&algorithms, &record.path[..3]), "{setting:?}");
        }
        assert_eq!(run.report.summary.complete, 5);
    }
}
