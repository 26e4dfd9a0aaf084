//! With random files, faults and options, the records equal those of a model without threads.

use pfh_digest::Algorithm;
use pfh_engine::{Mode, Options, Order};
use pfh_record::Outcome;
use pfh_source::{Medium, SkipReason};
use pfh_testing::ScriptedSource;
use proptest::prelude::*;

use crate::common::*;

#[derive(Clone, Debug)]
enum Thing {
    File {
        length: usize,
        stream: bool,
    },
    Link,
    /// The offset of an unreadable byte.
    Bad {
        length: usize,
        at: usize,
    },
    /// The file delivers this number of bytes less than stated.
    Short {
        length: usize,
        missing: u64,
    },
    Skipped,
    Failed,
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => 0..3usize,
        4 => 1..10_000usize,
        3 => (1..5usize, 0..3usize).prop_map(|(slots, edge)| slots * 16_384 + edge - 1),
        1 => 200_000..400_000usize,
        1 => Just((2 << 20) + 1),
    ]
}

fn thing() -> impl Strategy<Value = Thing> {
    prop_oneof![
        8 => (length(), prop::bool::weighted(0.2)).prop_map(|(length, stream)| Thing::File { length, stream }),
        2 => Just(Thing::Link),
        1 => (length(), 0..100_000usize)
            .prop_map(|(length, at)| Thing::Bad { length: length + 1, at: at % (length + 1) }),
        1 => (length(), 1..100_000u64).prop_map(|(length, missing)| Thing::Short { length, missing }),
        1 => Just(Thing::Skipped),
        1 => Just(Thing::Failed),
    ]
}

fn options() -> impl Strategy<Value = Options> {
    let names = ["md5", "sha1", "sha256", "sha512", "blake3", "crc32", "xxh3-64"];
    let subset = prop::sample::subsequence(names.to_vec(), 0..4);
    let modes = prop::sample::select(vec![Mode::Adaptive, Mode::Mtp, Mode::Smt]);
    let orders = prop::sample::select(vec![Order::Auto, Order::Path, Order::Inode, Order::Physical, Order::Size]);
    let pieces = prop::option::weighted(0.2, prop::sample::select(vec![1000u64, 4096, 100_000]));
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (subset, modes, orders, 1..6usize, 1..4usize, pieces, flags, prop::option::of(18..26u32)).prop_map(
        |(names, mode, order, threads, prefetchers, piece_bytes, (balance, unordered, direct, measure), memory)| {
            let mut options = Options::new(algorithms(&names));
            (options.mode, options.order, options.threads, options.prefetchers) = (mode, order, threads, prefetchers);
            (options.balance, options.unordered, options.direct) = (balance, unordered, Some(direct));
            (options.piece_bytes, options.measure) = (piece_bytes, measure);
            // Room for the pieces of the largest file.
            let least = if piece_bytes.is_some() { 64 << 20 } else { least_memory(&options) };
            options.memory_bytes = least.max(memory.map_or(0, |shift| 1 << shift));
            options
        },
    )
}

/// Returns the expected record of each entry, in the order of the walk.
enum Expected {
    Complete(Sample),
    Otherwise(Vec<u8>, Outcome),
}

fn build(things: &[Thing], medium: Medium, algorithms: &[Algorithm]) -> (ScriptedSource, Vec<Expected>) {
    let mut source = ScriptedSource::new().medium(medium);
    let mut expected: Vec<Expected> = Vec::new();
    let mut linkable: Option<Sample> = None;
    for (place, thing) in things.iter().enumerate() {
        let path = format!("{}/{place}", place / 7);
        let bytes = |length| contents(place as u64, length);
        match *thing {
            Thing::File { length, stream } => {
                let mut file = sample(path, bytes(length), algorithms);
                file.stream = stream;
                source = with_samples(source, std::slice::from_ref(&file));
                if !stream {
                    linkable = Some(file.clone());
                }
                expected.push(Expected::Complete(file));
            }
            Thing::Link => {
                let Some(file) = &linkable else { continue };
                source = source.hard_link(&path, &file.path);
                expected.push(Expected::Complete(Sample { path, ..file.clone() }));
            }
            Thing::Bad { length, at } => {
                source = source.file(&path, bytes(length)).bad_bytes(&path, at as u64, 1, EIO);
                let error = std::io::Error::from_raw_os_error(EIO).to_string();
                let error = pfh_record::FileError::new(pfh_record::ErrorKind::Io, error).with_errno(Some(EIO));
                expected.push(Expected::Otherwise(path.into_bytes(), Outcome::Unreadable { offset: at as u64, error }));
            }
            Thing::Short { length, missing } => {
                let stated = length as u64 + missing;
                source = source.file(&path, bytes(length)).stated_size(&path, stated);
                let outcome = Outcome::Short { expected: stated, read: length as u64 };
                expected.push(Expected::Otherwise(path.into_bytes(), outcome));
            }
            Thing::Skipped => {
                source = source.skipped(path.as_bytes(), SkipReason::Loop);
                expected.push(Expected::Otherwise(path.into_bytes(), Outcome::Skipped(SkipReason::Loop)));
            }
            Thing::Failed => {
                source = source.failed(path.as_bytes(), 13);
                let message = std::io::Error::from_raw_os_error(13).to_string();
                let error =
                    pfh_record::FileError::new(pfh_record::ErrorKind::PermissionDenied, message).with_errno(Some(13));
                expected.push(Expected::Otherwise(path.into_bytes(), Outcome::Unreadable { offset: 0, error }));
            }
        }
    }
    (source, expected)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn records_are_those_of_the_model(
        things in prop::collection::vec(thing(), 0..40),
        medium in prop::sample::select(vec![Medium::SolidState, Medium::Rotating, Medium::Network, Medium::Memory]),
        options in options(),
    ) {
        let _watchdog = watchdog(60);
        let (source, expected) = build(&things, medium, options.selection.algorithms());
        let mut run = hash(&source, &options);
        let mut expected = expected;
        if options.unordered {
            let path = |one: &Expected| match one {
                Expected::Complete(sample) => sample.path.clone().into_bytes(),
                Expected::Otherwise(path, _) => path.clone(),
            };
            run.records.sort_by(|one, other| one.path.cmp(&other.path));
            expected.sort_by_key(path);
        }
        prop_assert_eq!(run.records.len(), expected.len());
        for (record, expected) in run.records.iter().zip(&expected) {
            match expected {
                Expected::Complete(sample) => {
                    assert_complete(record, sample);
                    let pieces: u64 = record.pieces.iter().map(|piece| piece.length).sum();
                    prop_assert_eq!(pieces, options.piece_bytes.map_or(0, |_| record.bytes_read));
                }
                Expected::Otherwise(path, outcome) => {
                    prop_assert_eq!(&record.path, path);
                    prop_assert_eq!(&record.outcome, outcome);
                    assert_nothing_claimed(record);
                }
            }
        }
        prop_assert_eq!(source.open_files(), 0);
    }
}
