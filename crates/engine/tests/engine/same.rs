//! The records are the same for every mode, number of threads, order of reading and memory size.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use pfh_digest::Algorithm;
use pfh_engine::{Options, Order};
use pfh_record::{Piece, Record};
use pfh_source::SkipReason;
use pfh_testing::ScriptedSource;

use crate::common::*;
use crate::observed::Observed;

/// Lengths around the edges of slots, and beyond all slots of a small table.
fn lengths(slot_bytes: usize) -> Vec<usize> {
    let mut lengths = vec![0, 1, 2, 4095, 4096, 4097];
    for slots in [1, 2, 3, 10] {
        lengths.extend([slots * slot_bytes - 1, slots * slot_bytes, slots * slot_bytes + 1]);
    }
    lengths
}

/// Files (in two directories, some with two names), streams, and entries that are not read.
fn source(samples: &[Sample]) -> ScriptedSource {
    let mut source = ScriptedSource::new().skipped("fifo", SkipReason::NotRegular);
    for (place, sample) in samples.iter().enumerate() {
        source = with_samples(source, std::slice::from_ref(sample))
            .at_physical_position(&sample.path, place as u64 * 77 % 23);
        if place % 5 == 3 {
            source = source.failed(format!("missing {place}"), 2);
        }
        if place % 4 == 1 && !sample.stream {
            source = source.hard_link(format!("link {place}"), &sample.path);
        }
    }
    source
}

fn samples(slot_bytes: usize, algorithms: &[Algorithm]) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (seed, length) in lengths(slot_bytes).into_iter().enumerate() {
        samples.push(sample(format!("files/{seed}"), contents(seed as u64, length), algorithms));
        let mut stream = sample(format!("streams/{seed}"), contents(seed as u64 + 1000, length), algorithms);
        stream.stream = true;
        samples.push(stream);
    }
    samples
}

#[test]
fn every_setting_yields_the_same_records_as_the_simplest_one() {
    let _watchdog = watchdog(120);
    for algorithms in algorithm_sets() {
        for least_memory in [true, false] {
            let mut model: Option<Vec<Record>> = None;
            for setting in few_settings().into_iter().filter(|setting| setting.least_memory == least_memory) {
                let options = setting.options(&algorithms);
                // All settings get the same files, though their slots differ.
                let samples = samples(if least_memory { 16 << 10 } else { 256 << 10 }, &algorithms);
                let source = source(&samples);
                let run = hash(&source, &options);
                assert_eq!(source.open_files(), 0);
                let found = run
                    .records
                    .iter()
                    .filter(|record| record.path.starts_with(b"files/") || record.path.starts_with(b"streams/"));
                found.zip(&samples).for_each(|(record, sample)| assert_complete(record, sample));
                let model = model.get_or_insert_with(|| run.records.clone());
                assert_eq!(&run.records, model, "{setting:?}");
            }
        }
    }
}

#[test]
fn orders_change_what_is_read_first_and_nothing_else() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "crc32c"]);
    let samples = samples(16 << 10, &algorithms);
    let mut model: Option<Vec<Record>> = None;
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        for order in [Order::Auto, Order::Path, Order::Inode, Order::Physical, Order::Size] {
            for balance in [false, true] {
                let options = Options { order, balance, measure: balance, ..setting.options(&algorithms) };
                let run = hash(&source(&samples), &options);
                let model = model.get_or_insert_with(|| run.records.clone());
                assert_eq!(&run.records, model, "{setting:?}, {order:?}, balance {balance}");
                assert_eq!(run.report.timers == pfh_engine::Timers::default(), !balance);
                let unordered = Options { unordered: true, ..options };
                let mut run = hash(&source(&samples), &unordered);
                let mut sorted = model.clone();
                run.records.sort_by(|one, other| one.path.cmp(&other.path));
                sorted.sort_by(|one, other| one.path.cmp(&other.path));
                assert_eq!(run.records, sorted, "{setting:?}, {order:?}, unordered");
            }
        }
    }
}

/// There are more files than threads, each longer than a whole table.
#[test]
fn files_larger_than_the_memory_table_go_through_it() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["md5", "xxh3-128"]);
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        let options = setting.options(&algorithms);
        let length = options.memory_bytes as usize + 7;
        let samples: Vec<_> =
            (0..5).map(|seed| sample(format!("{seed}"), contents(seed, length), &algorithms)).collect();
        let run = hash(&with_samples(ScriptedSource::new(), &samples), &options);
        assert_eq!(run.records.len(), samples.len());
        run.records.iter().zip(&samples).for_each(|(record, sample)| assert_complete(record, sample));
    }
}

/// Files from 8 MiB on have a chain for each of several digests; with BLAKE3 alone, files from 2 MiB on have a tree.
#[test]
fn large_files_are_shared_and_yield_the_same_digests() {
    let _watchdog = watchdog(120);
    for names in [&["blake3"][..], &["crc32c", "xxh3-64", "blake3"]] {
        let algorithms = algorithms(names);
        let lengths = [(2 << 20) - 1, 2 << 20, (2 << 20) + 1, (3 << 20) + 5, (8 << 20) - 1, 8 << 20, (9 << 20) + 4097];
        let samples: Vec<_> = (0..lengths.len())
            .map(|seed| sample(format!("{seed}"), contents(seed as u64, lengths[seed]), &algorithms))
            .collect();
        for setting in settings() {
            let run = hash(&with_samples(ScriptedSource::new(), &samples), &setting.options(&algorithms));
            run.records.iter().zip(&samples).for_each(|(record, sample)| assert_complete(record, sample));
            assert_eq!(run.records.len(), samples.len(), "{setting:?}");
        }
    }
}

/// A library's caller may ask for no threads.
#[test]
fn no_threads_count_as_one() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["crc32c", "md5", "blake3"]);
    let mut samples =
        [0, 70_000, (8 << 20) + 3].map(|length| sample(format!("{length}"), contents(1, length), &algorithms)).to_vec();
    samples.push(Sample { stream: true, ..sample("stream".to_owned(), contents(2, 1 << 20), &algorithms) });
    for setting in settings() {
        let options = Options { threads: 0, memory_bytes: 64 << 20, ..setting.options(&algorithms) };
        let run = hash(&with_samples(ScriptedSource::new(), &samples), &options);
        run.records.iter().zip(&samples).for_each(|(record, sample)| assert_complete(record, sample));
        assert_eq!(run.records.len(), samples.len(), "{setting:?}");
    }
}

#[test]
fn pieces_are_those_of_the_bytes_wherever_slots_end() {
    let _watchdog = watchdog(120);
    let algorithms = algorithms(&["md5", "crc32"]);
    for setting in settings().into_iter().filter(|setting| setting.least_memory) {
        let options = setting.options(&algorithms);
        let slot_bytes = slot_bytes(&options);
        let samples: Vec<_> = [0, 1, 6, 7, 8, 4096, slot_bytes - 1, slot_bytes, slot_bytes + 1, 3 * slot_bytes]
            .into_iter()
            .enumerate()
            .map(|(seed, length)| sample(format!("{seed}"), contents(seed as u64, length), &algorithms))
            .collect();
        let sizes = [7, 4096, slot_bytes as u64 - 1, slot_bytes as u64, slot_bytes as u64 + 1, u64::MAX];
        for piece_bytes in sizes {
            // Room for the pieces of the largest file, which the least memory does not have for the smallest pieces.
            let memory_bytes = if piece_bytes == 7 { 64 << 20 } else { options.memory_bytes };
            let options = Options { piece_bytes: Some(piece_bytes), memory_bytes, ..options.clone() };
            let run = hash(&with_samples(ScriptedSource::new(), &samples), &options);
            for (record, sample) in run.records.iter().zip(&samples) {
                assert_complete(record, sample);
                assert_eq!(record.pieces, pieces(sample, &algorithms, piece_bytes), "{setting:?}, {piece_bytes}");
            }
        }
    }
}

/// Tests a large file that is spread over workers, and a stream.
#[test]
fn pieces_of_spread_files_join_the_digests_of_all_algorithms() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["crc32", "xxh64", "fnv1a-64"]);
    let mut samples =
        [sample("file", contents(1, (8 << 20) + 3), &algorithms), sample("stream", contents(2, 1 << 20), &algorithms)];
    samples[1].stream = true;
    for setting in settings() {
        let memory_bytes = 64 << 20;
        let options = Options { piece_bytes: Some(100_000), memory_bytes, ..setting.options(&algorithms) };
        let run = hash(&with_samples(ScriptedSource::new(), &samples), &options);
        for (record, sample) in run.records.iter().zip(&samples) {
            assert_complete(record, sample);
            assert_eq!(record.pieces, pieces(sample, &algorithms, 100_000), "{setting:?}");
        }
    }
}

fn pieces(sample: &Sample, algorithms: &[Algorithm], piece_bytes: u64) -> Vec<Piece> {
    let piece_bytes = usize::try_from(piece_bytes).unwrap();
    let all = [&sample.contents[..]];
    let parts: Vec<&[u8]> =
        if sample.contents.is_empty() { all.to_vec() } else { sample.contents.chunks(piece_bytes).collect() };
    let mut offset = 0;
    parts
        .into_iter()
        .map(|part| {
            let piece = Piece::new(offset, part.len() as u64, digests(algorithms, part));
            offset += piece.length;
            piece
        })
        .collect()
}

/// An idle worker stays as long as another one may find its file to be large.
#[test]
fn a_file_that_turns_out_to_be_large_late_is_still_shared() {
    let _watchdog = watchdog(60);
    let algorithms = algorithms(&["blake3"]);
    let sample = sample("large".to_owned(), contents(1, 8 << 20), &algorithms);
    let seen = Arc::new((Mutex::new(HashSet::new()), Condvar::new()));
    let readers = seen.clone();
    let source = Observed::with_hook(with_samples(ScriptedSource::new(), std::slice::from_ref(&sample)), move |call| {
        if call == 1 {
            // The walk has ended when the file is opened.
            thread::sleep(Duration::from_millis(100));
        } else if call > 4 {
            // After the first slot, another worker must help.
            let (threads, came) = &*readers;
            let mut threads = threads.lock().unwrap();
            threads.insert(thread::current().id());
            came.notify_all();
            drop(came.wait_timeout_while(threads, Duration::from_secs(5), |threads| threads.len() < 2).unwrap());
        }
    });
    let run = hash(&source, &Options { threads: 2, ..Options::new(algorithms) });
    assert_complete(&run.records[0], &sample);
    assert_eq!(seen.0.lock().unwrap().len(), 2, "one thread did it all");
}
