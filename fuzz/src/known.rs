//! Properties of known sets and of filters before them.

use std::{env, fs, process};

use pfh_digest::Algorithm;
use pfh_known::{BloomError, BloomFile, BloomFilter, BloomShape, FragmentJoiner, KnownSet, Text};

/// A set whose footer passes its check says whatever it says without a panic, and no number lies outside of it.
pub fn set(input: &[u8]) {
    const CHECK_BYTES: usize = 32;
    const FOOTER_BYTES: usize = 4096;
    /// Where the footer has the check of the entries of sections before it, those after the first 61.
    const FURTHER_CHECK_AT: usize = 3976;
    let mut set = input.to_vec();
    // Without right checks, nothing after them would ever be reached.
    if let Some(footer_at) = set.len().checked_sub(FOOTER_BYTES) {
        let (before, footer) = set.split_at_mut(footer_at);
        let sections = footer[20..24].try_into().map_or(0, u32::from_le_bytes) as usize;
        if footer[16] == 3
            && let Some(at) = footer_at.checked_sub(64 * sections.saturating_sub(61))
        {
            let check = Algorithm::BLAKE3.digest(&before[at..]);
            footer[FURTHER_CHECK_AT..FURTHER_CHECK_AT + CHECK_BYTES].copy_from_slice(check.bytes());
        }
        let (footer, check) = footer.split_at_mut(FOOTER_BYTES - CHECK_BYTES);
        check.copy_from_slice(Algorithm::BLAKE3.digest(footer).bytes());
    }
    let Ok(set) = KnownSet::from_bytes(set) else { return };
    let of = |algorithm: Algorithm| [&b""[..], b"a", input].map(|message| algorithm.digest(message));
    let digests: Vec<_> = set.algorithms().flat_map(of).collect();
    // Batches of more than 256 digests ask filters, too.
    let many = digests.repeat(1 + 300 / digests.len().max(1));
    let many =
        set.find_many(&many, |digest, found| assert!(found.is_none_or(|number| number < set.len(digest.algorithm()))));
    assert!(many.is_ok() && set.is_intact().is_ok());
    for digest in &digests {
        let entries = set.entries_of(digest).unwrap_or_default();
        assert!(entries.iter().all(|entry| *entry < set.entries()));
    }
    set.needed_algorithms();
    for algorithm in set.algorithms() {
        let each = set.each(algorithm, |entry, _| {
            assert!(entry < set.entries());
            Ok(())
        });
        assert!(each.is_ok());
    }
    let agreeing = set.agreeing(&digests).unwrap_or_default();
    assert!(agreeing.iter().all(|entry| *entry < set.entries()));
    for entry in agreeing.into_iter().chain([0, 1, u64::MAX]) {
        assert!(set.source(entry).is_ok() && set.size(entry).is_ok() && set.digests(entry).is_ok());
        assert!([Text::Category, Text::Product, Text::Name].into_iter().all(|text| set.text(text, entry).is_ok()));
    }
    assert!(set.may_have_size(input.len() as u64).is_ok());
    if let Some(blocks) = set.blocks() {
        let (mut joiner, mut places, mut pushed, mut joined) = (FragmentJoiner::new(512), Vec::new(), 0, 0);
        for (number, entry) in (0..8).chain([set.entries(), u64::MAX]).enumerate() {
            assert!(blocks.places(entry, &mut places).is_ok() && blocks.occurrences(entry).is_ok());
            assert!(places.len() <= 255 && places.is_sorted_by(|one, next| one < next));
            for place in &places {
                let file = blocks.file(place.file).unwrap_or_default();
                assert!(place.file < blocks.files() && place.block < file.bytes / blocks.block_bytes());
            }
            pushed += places.len() as u64;
            joiner.push(512 * number as u64, &places, &mut |one| joined += one.blocks);
        }
        joiner.end(&mut |one| joined += one.blocks);
        assert_eq!(pushed, joined);
        assert!(blocks.file(u64::MAX).is_ok());
    }
}

/// A file is a Bloom filter that answers, or none; a filter never denies a value that it was given.
pub fn bloom(input: &[u8]) {
    const HEADER_BYTES: usize = 48;
    let mut mended = input.to_vec();
    let shape = input.first_chunk::<HEADER_BYTES>().and_then(|header| {
        let number = |at: usize| header[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
        BloomShape::new(number(8), f64::from_bits(number(16)))
    });
    // Without numbers that agree, nothing after them would ever be reached.
    if let Some(shape) = shape {
        for (at, number) in [(0, 1), (24, shape.hashes), (32, shape.bits)] {
            mended[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
    }
    for file in [input, &mended] {
        let Ok(filter) = open_bloom(file) else { continue };
        assert!(filter.values() <= filter.shape().capacity);
        assert!(filter.shape().memory_bytes() <= (file.len() - HEADER_BYTES) as u64);
        assert!(filter.may_have(input).is_ok() && filter.may_have(b"").is_ok());
    }
    let Some(shape) = shape.filter(|shape| shape.memory_bytes() < 1 << 16) else { return };
    let values = || input.chunks(16).take(usize::try_from(shape.capacity).unwrap_or(usize::MAX));
    let mut filter = BloomFilter::new(shape).expect("memory for a small filter");
    values().for_each(|value| filter.insert(value));
    let mut file = Vec::new();
    filter.write(&mut file, None).expect("a filter in memory");
    let filter = open_bloom(&file).expect("our own filter");
    assert!(values().all(|value| filter.may_have(value).is_ok_and(|may_have| may_have)));
}

fn open_bloom(bytes: &[u8]) -> Result<BloomFile, BloomError> {
    let path = env::temp_dir().join(format!("pfh-fuzz-{}.bloom", process::id()));
    fs::write(&path, bytes).expect("a file for the filter");
    let opened = BloomFile::open(&path);
    fs::remove_file(&path).expect("the file of the filter");
    opened
}
