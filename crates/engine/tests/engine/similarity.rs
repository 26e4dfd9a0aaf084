//! Similarity digests, computed in the same read as others.

use pfh_engine::{Mode, Options};
use pfh_record::{Outcome, Similarity};
use pfh_similarity::{Family, Hasher, NoDigest, NoDigestReason};
use pfh_testing::{Change, Fault, ScriptedSource};

use crate::common::*;

fn similarities(families: &[Family], contents: &[u8]) -> Vec<Similarity> {
    let similarity = |&family| {
        let mut hasher = Hasher::new(family);
        hasher.update(contents);
        Similarity { family, digest: hasher.finish() }
    };
    families.iter().map(similarity).collect()
}

fn with_families(mut options: Options, families: &[Family]) -> Options {
    options.selection.extend(families.iter().copied());
    options
}

#[test]
fn every_setting_yields_what_the_library_does() {
    let _watchdog = watchdog(240);
    let algorithms = algorithms(&["md5", "crc32"]);
    // Files without digests, and files of one and of several slots.
    let lengths = [0, 49, 50, 511, 512, 4096, 16 << 10, (16 << 10) + 1, 80_000];
    let samples: Vec<Sample> = lengths
        .iter()
        .enumerate()
        .flat_map(|(seed, &length)| {
            let file = sample(format!("file {seed}"), contents(seed as u64, length), &algorithms);
            let stream = Sample { path: format!("stream {seed}"), stream: true, ..file.clone() };
            [file, stream]
        })
        .collect();
    let expected: Vec<_> = samples.iter().map(|sample| similarities(&Family::ALL, &sample.contents)).collect();
    for setting in few_settings() {
        let mut options = with_families(setting.options(&algorithms), &Family::ALL);
        if setting.least_memory {
            options.memory_bytes = least_memory(&options);
        }
        let source = with_samples(ScriptedSource::new(), &samples).hard_link("link", "file 8");
        let run = hash(&source, &options);
        assert_eq!(run.records.len(), samples.len() + 1);
        for ((record, sample), expected) in run.records.iter().zip(&samples).zip(&expected) {
            assert_complete(record, sample);
            assert_eq!(&record.similarities, expected, "{} with {setting:?}", sample.path);
        }
        let link = run.records.last().unwrap();
        assert_eq!(link.similarities, expected[16], "{setting:?}");
    }
}

#[test]
fn a_large_file_is_spread_over_the_workers() {
    let _watchdog = watchdog(240);
    let algorithms = algorithms(&["md5", "blake3"]);
    let families = [Family::Tlsh, Family::Ssdeep, Family::MrshV2];
    let sample = sample("large", contents(7, (8 << 20) + 5), &algorithms);
    let expected = similarities(&families, &sample.contents);
    for (mode, threads) in [(Mode::Adaptive, 3), (Mode::Mtp, 3), (Mode::Smt, 1)] {
        let options = Options { mode, threads, ..with_families(Options::new(algorithms.clone()), &families) };
        let run = hash(&with_samples(ScriptedSource::new(), std::slice::from_ref(&sample)), &options);
        assert_complete(&run.records[0], &sample);
        assert_eq!(run.records[0].similarities, expected, "{mode:?}");
    }
}

/// A file with similarity digests is not hashed as a tree.
#[test]
fn blake3_and_a_family_alone() {
    let _watchdog = watchdog(120);
    for names in [&["blake3"][..], &[]] {
        let algorithms = algorithms(names);
        let sample = sample("file", contents(3, 3 << 20), &algorithms);
        let source = with_samples(ScriptedSource::new(), std::slice::from_ref(&sample));
        let options = Options { threads: 2, ..with_families(Options::new(algorithms), &[Family::Ssdeep]) };
        let run = hash(&source, &options);
        assert_complete(&run.records[0], &sample);
        assert_eq!(run.records[0].similarities, similarities(&[Family::Ssdeep], &sample.contents));
    }
}

#[test]
fn pieces_are_digested_with_the_algorithms_only() {
    let _watchdog = watchdog(120);
    for names in [&["md5", "crc32"][..], &[]] {
        let algorithms = algorithms(names);
        let bytes = contents(5, 9 << 20);
        for (mode, threads) in [(Mode::Adaptive, 3), (Mode::Mtp, 2), (Mode::Smt, 1)] {
            let options = Options {
                piece_bytes: Some(1 << 20),
                mode,
                threads,
                ..with_families(Options::new(algorithms.clone()), &[Family::Ssdeep, Family::Tlsh])
            };
            let run = hash(&ScriptedSource::new().file("file", bytes.clone()), &options);
            let record = &run.records[0];
            assert_eq!(record.outcome, Outcome::Complete);
            assert_eq!(record.pieces.len(), 9);
            for (piece, part) in record.pieces.iter().zip(bytes.chunks(1 << 20)) {
                assert_eq!(piece.digests, digests(&algorithms, part), "{mode:?}");
            }
            assert_eq!(record.similarities, similarities(options.selection.families(), &bytes), "{mode:?}");
        }
    }
}

/// A file whose digest would exceed the memory has no digest of that family, but all others.
#[test]
fn digests_that_would_not_fit_the_memory_are_not_made() {
    let _watchdog = watchdog(120);
    let bytes = contents(11, 4 << 20);
    for mode in [Mode::Adaptive, Mode::Mtp, Mode::Smt] {
        let mut options =
            Options { mode, threads: 2, ..with_families(Options::new(algorithms(&["md5"])), &Family::ALL) };
        options.memory_bytes = least_memory(&options);
        let run = hash(&ScriptedSource::new().file("file", bytes.clone()), &options);
        let record = &run.records[0];
        assert_eq!(record.digests, digests(options.selection.algorithms(), &bytes));
        for found in &record.similarities {
            let no_digest = NoDigest::new(found.family, NoDigestReason::TooLong, bytes.len() as u64);
            match found.family {
                Family::Sdhash | Family::MrshV2 => assert_eq!(found.digest, Err(no_digest), "{mode:?}"),
                family => assert_eq!(*found, similarities(&[family], &bytes)[0], "{mode:?}"),
            }
        }
    }
}

/// Files wait for memory that the digests of others occupy, and none waits for ever.
#[test]
fn large_files_share_what_digests_may_take() {
    let _watchdog = watchdog(240);
    let algorithms = algorithms(&["crc32"]);
    let families = [Family::Sdhash, Family::MrshV2];
    let samples: Vec<Sample> = (0..12)
        .map(|seed| sample(format!("file {seed}"), contents(seed, 300_000 + 60_000 * seed as usize), &algorithms))
        .collect();
    let expected: Vec<_> = samples.iter().map(|sample| similarities(&families, &sample.contents)).collect();
    for setting in few_settings() {
        let mut options = with_families(setting.options(&algorithms), &families);
        options.memory_bytes = least_memory(&options);
        let run = hash(&with_samples(ScriptedSource::new(), &samples), &options);
        for ((record, sample), expected) in run.records.iter().zip(&samples).zip(&expected) {
            assert_complete(record, sample);
            assert_eq!(&record.similarities, expected, "{setting:?}");
        }
    }
}

/// Files that are digested together: of all lengths, equal ones, and longer than a slot.
fn many_samples(algorithms: &[pfh_digest::Algorithm]) -> Vec<Sample> {
    let lengths = [0, 1, 6, 7, 49, 50, 255, 256, 257, 4095, 4096, 20_000, 65_535, 65_536, 65_537, 262_144, 262_145];
    let long = [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 10 << 20];
    let mut samples: Vec<_> = (0..150)
        .map(|seed| sample(format!("file {seed}"), contents(seed, lengths[seed as usize % lengths.len()]), algorithms))
        .collect();
    samples.extend(long.map(|length| sample(format!("long {length}"), contents(99, length), algorithms)));
    samples.push(sample("zeros", vec![0; 100_000], algorithms));
    samples.push(sample("period", b"abcdefg".repeat(9000), algorithms));
    samples
}

#[test]
fn many_at_once_are_what_each_is_alone_in_every_mode() {
    let _watchdog = watchdog(240);
    let families = [Family::Tlsh, Family::Ssdeep];
    for names in [&[][..], &["md5", "sha256"], &["crc32"]] {
        let algorithms = algorithms(names);
        let samples = many_samples(&algorithms);
        let expected: Vec<_> = samples.iter().map(|sample| similarities(&families, &sample.contents)).collect();
        // Only the adaptive mode treats files with digests otherwise: it has lanes.
        let modes = if names.is_empty() { &[Mode::Adaptive, Mode::Mtp, Mode::Smt][..] } else { &[Mode::Adaptive] };
        for &mode in modes {
            for threads in [1, 2, 4] {
                let options = Options { mode, threads, ..with_families(Options::new(algorithms.clone()), &families) };
                let middle = Options { memory_bytes: 8 << 20, ..options.clone() };
                let least = Options { memory_bytes: least_memory(&options), ..options.clone() };
                for options in [options, middle, least] {
                    let run = hash(&with_samples(ScriptedSource::new(), &samples), &options);
                    assert_eq!(run.records.len(), samples.len());
                    for ((record, sample), expected) in run.records.iter().zip(&samples).zip(&expected) {
                        assert_complete(record, sample);
                        let memory_bytes = options.memory_bytes;
                        assert_eq!(
                            &record.similarities, expected,
                            "{}, {mode:?}, {threads}, {memory_bytes}",
                            sample.path
                        );
                    }
                }
            }
        }
    }
}

/// A fault at any call affects one file, not the others in its batch.
#[test]
fn a_fault_among_many_costs_one_file() {
    let _watchdog = watchdog(240);
    let families = [Family::Ssdeep, Family::Tlsh];
    for names in [&[][..], &["md5"]] {
        let algorithms = algorithms(names);
        let samples: Vec<_> = (0..40)
            .map(|seed| sample(format!("{seed}"), contents(seed, 600 + 97 * seed as usize), &algorithms))
            .collect();
        let options = with_families(Options::new(algorithms.clone()), &families);
        for fault in [Fault::Fail(EIO), Fault::Panic] {
            for call in (1..200).step_by(7) {
                let source = with_samples(ScriptedSource::new(), &samples).fault_at_call(call, fault.clone());
                let run = hash(&source, &options);
                assert_eq!((run.records.len(), source.open_files()), (samples.len(), 0));
                assert!(run.report.summary.complete + 1 >= samples.len() as u64, "call {call}");
                for (record, sample) in run.records.iter().zip(&samples) {
                    if record.outcome == Outcome::Complete {
                        assert_eq!(record.similarities, similarities(&families, &sample.contents), "call {call}");
                    } else {
                        assert_nothing_claimed(record);
                        assert!(record.similarities.is_empty());
                    }
                }
            }
        }
    }
}

#[test]
fn files_that_change_while_read_do_not_touch_those_beside_them() {
    let _watchdog = watchdog(60);
    let families = [Family::Ssdeep, Family::Tlsh];
    for names in [&[][..], &["md5"]] {
        let algorithms = algorithms(names);
        let samples: Vec<_> =
            (0..40).map(|seed| sample(format!("{seed}"), contents(seed, 30_000), &algorithms)).collect();
        let grown = [&samples[23].contents[..], &[1; 5000]].concat();
        let changed = [(7, samples[7].contents[..100].to_vec()), (23, grown)];
        for (mode, threads) in [(Mode::Adaptive, 1), (Mode::Adaptive, 2), (Mode::Mtp, 2)] {
            let source = with_samples(ScriptedSource::new(), &samples)
                .change_after_reads("7", 1, Change::Shrink(100))
                .change_after_reads("23", 1, Change::Grow(vec![1; 5000]));
            let options = Options { mode, threads, ..with_families(Options::new(algorithms.clone()), &families) };
            let run = hash(&source, &options);
            for (place, (record, sample)) in run.records.iter().zip(&samples).enumerate() {
                if let Some((_, new)) = changed.iter().find(|(changed, _)| *changed == place) {
                    // The digest is of the old or of the new content, if there is one.
                    let known = [&sample.contents, new].map(|contents| similarities(&families, contents));
                    assert!(record.similarities.is_empty() || known.contains(&record.similarities), "{mode:?}");
                } else {
                    assert_complete(record, sample);
                    assert_eq!(record.similarities, similarities(&families, &sample.contents));
                }
            }
        }
    }
}
