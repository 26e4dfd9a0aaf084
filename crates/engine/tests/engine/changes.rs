//! Files that change while being read, and files whose stated size is wrong.

use pfh_digest::Algorithm;
use pfh_record::{ErrorKind, Outcome, Record};
use pfh_source::Medium;
use pfh_testing::{Change, ScriptedSource};

use crate::common::*;

/// Largest number of reads before a change: more than any of these files takes.
const READS_MAX: u64 = 7;

/// The changes, each with the contents that open handles see afterwards.
fn changes(old: &[u8]) -> Vec<(Change, Vec<u8>)> {
    let half = old.len() / 2;
    let mut rewritten = contents(99, old.len());
    rewritten.reverse();
    vec![
        (Change::Grow(b"more".to_vec()), [old, b"more"].concat()),
        (Change::Grow(vec![7; 300_000]), [old, &[7; 300_000]].concat()),
        (Change::Shrink(half as u64), old[..half].to_vec()),
        (Change::Shrink(0), Vec::new()),
        (Change::Rewrite(rewritten.clone()), rewritten),
        (Change::Replace(b"another file".to_vec()), old.to_vec()),
        (Change::Remove, old.to_vec()),
    ]
}

/// A digest is of contents that the file had at one time, and the stated size is theirs.
fn assert_never_mixed(record: &Record, versions: [&[u8]; 2], algorithms: &[Algorithm], context: &str) {
    match &record.outcome {
        Outcome::Complete => {
            let size = record.metadata.unwrap().size;
            assert_eq!(size, record.bytes_read, "{context}");
            let consistent = versions
                .iter()
                .any(|version| version.len() as u64 == size && digests(algorithms, version) == record.digests);
            assert!(consistent, "{context}: a digest of contents that never were");
        }
        Outcome::ChangedWhileReading => assert_nothing_claimed(record),
        other => panic!("{context}: {other:?}"),
    }
}

#[test]
fn a_digest_is_never_one_of_two_mixed_contents() {
    let _watchdog = watchdog(240);
    for algorithms in [algorithms(&["md5"]), algorithms(&["crc32", "blake3"])] {
        for setting in settings().into_iter().filter(|setting| setting.least_memory && setting.threads < 4) {
            let options = setting.options(&algorithms);
            let slot_bytes = slot_bytes(&options);
            for length in [5, slot_bytes, 3 * slot_bytes + 5] {
                let old = contents(length as u64, length);
                for (change, new) in changes(&old) {
                    for medium in [Medium::SolidState, Medium::Network] {
                        let mut changed = 0;
                        for reads in 1..READS_MAX {
                            let source = ScriptedSource::new()
                                .medium(medium)
                                .file("changing", old.clone())
                                .change_after_reads("changing", reads, change.clone())
                                .file("quiet", b"quiet");
                            let run = hash(&source, &options);
                            let context =
                                format!("{setting:?}, {length} bytes on {medium:?}, {reads} reads, {change:?}");
                            assert_never_mixed(&run.records[0], [&old, &new], &algorithms, &context);
                            assert_complete(&run.records[1], &sample("quiet", b"quiet".to_vec(), &algorithms));
                            assert_eq!(source.open_files(), 0);
                            changed += u64::from(run.records[0].outcome == Outcome::ChangedWhileReading);
                            // The change comes after the first stamp and before the last read, so it must be detected.
                            if length > 2 * slot_bytes && reads == 2 {
                                assert_eq!(run.records[0].outcome, Outcome::ChangedWhileReading, "{context}");
                            }
                        }
                        assert!(changed > 0 || length <= slot_bytes, "{setting:?}, {length} bytes, {change:?}");
                    }
                }
            }
        }
    }
}

/// A file that changed a moment ago needs stamps before and after reading.
#[test]
fn a_small_file_that_changes_between_two_looks_is_not_complete() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5"]);
    for setting in settings() {
        let old = contents(1, 1000);
        for (change, new) in changes(&old) {
            let source = ScriptedSource::new()
                .file("touched", old.clone())
                .change_after_reads("touched", 0, Change::Rewrite(old.clone()))
                .change_after_reads("touched", 2, change.clone());
            let run = hash(&source, &setting.options(&algorithms));
            let context = format!("{setting:?}, {change:?}");
            assert_never_mixed(&run.records[0], [&old, &new], &algorithms, &context);
            assert_eq!(run.records[0].outcome, Outcome::ChangedWhileReading, "{context}");
        }
    }
}

/// A file that delivers fewer bytes than its stated size is reported with the number of bytes read.
#[test]
fn a_file_that_ends_early_is_short() {
    let _watchdog = watchdog(120);
    for names in [&["md5"][..], &["md5", "crc32", "blake3"], &["blake3"]] {
        let algorithms = algorithms(names);
        for setting in few_settings() {
            let options = setting.options(&algorithms);
            let slot_bytes = slot_bytes(&options);
            let mut lengths = vec![0, 1, slot_bytes - 1, slot_bytes, slot_bytes + 1, 3 * slot_bytes];
            if !setting.least_memory {
                lengths = vec![0, slot_bytes + 1, 3 << 20, (9 << 20) + 1];
            }
            for length in lengths {
                for missing in [1, 5 * slot_bytes, 4 << 20] {
                    let expected = (length + missing) as u64;
                    let source = ScriptedSource::new()
                        .file("short", contents(3, length))
                        .stated_size("short", expected)
                        .file("quiet", b"quiet");
                    let run = hash(&source, &options);
                    assert_nothing_claimed(&run.records[0]);
                    let read = length as u64;
                    let context = format!("{setting:?}, {names:?}, {length} of {expected}");
                    assert_eq!(run.records[0].outcome, Outcome::Short { expected, read }, "{context}");
                    assert_eq!(run.records[0].bytes_read, read, "{context}");
                    assert_complete(&run.records[1], &sample("quiet", b"quiet".to_vec(), &algorithms));
                }
            }
        }
    }
}

/// A file that delivers more bytes than its stated size, as some kernel files do, is not known to be complete.
#[test]
fn a_file_with_more_bytes_than_stated_is_not_complete() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5"]);
    for setting in settings() {
        let options = setting.options(&algorithms);
        for (length, stated) in [(1, 0), (10, 9), (3 * slot_bytes(&options), 10)] {
            let source = ScriptedSource::new().file("more", contents(3, length)).stated_size("more", stated);
            let run = hash(&source, &options);
            assert_eq!(
                run.records[0].outcome,
                Outcome::ChangedWhileReading,
                "{setting:?}, {length} instead of {stated}"
            );
            assert_nothing_claimed(&run.records[0]);
        }
    }
}

/// The same holds for files that are longer than a slot, or than the first read of a reader.
#[test]
fn a_long_file_with_more_bytes_than_stated_is_not_complete() {
    let _watchdog = watchdog(120);
    for names in [&["md5"][..], &["md5", "crc32"], &["blake3"]] {
        let algorithms = algorithms(names);
        for setting in few_settings() {
            let options = setting.options(&algorithms);
            let slots = 2 * slot_bytes(&options);
            for (stated, more) in [(100_000, 5), (slots + 5, 1), (slots + 5, 5000), ((2 << 20) + 5, 9)] {
                for medium in [Medium::SolidState, Medium::Network] {
                    let source = ScriptedSource::new()
                        .medium(medium)
                        .file("more", contents(3, stated + more))
                        .stated_size("more", stated as u64);
                    let run = hash(&source, &options);
                    let context = format!("{setting:?}, {names:?} on {medium:?}, {more} more than {stated}");
                    assert_eq!(run.records[0].outcome, Outcome::ChangedWhileReading, "{context}");
                    assert_nothing_claimed(&run.records[0]);
                }
            }
        }
    }
}

#[test]
fn a_file_that_is_gone_before_it_is_opened_is_unreadable_from_its_first_byte() {
    let _watchdog = watchdog(60);
    for setting in settings() {
        let source = ScriptedSource::new().file("stays", b"stays").file("gone", b"gone").change_after_reads(
            "gone",
            0,
            Change::Remove,
        );
        let run = hash(&source, &setting.options(&algorithms(&["md5"])));
        let Outcome::Unreadable { offset: 0, error } = &run.records[1].outcome else { panic!("{:?}", run.records[1]) };
        assert_eq!((error.kind, error.errno), (ErrorKind::NotFound, Some(2)));
    }
}
