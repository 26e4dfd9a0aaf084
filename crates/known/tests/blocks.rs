//! Sets of blocks against a model, and damaged ones.

#![expect(clippy::unwrap_used, reason = "the functions that tests share are tests too")]

use std::collections::BTreeMap;

use pfh_digest::{Algorithm, Digest};
use pfh_known::{BlockFile, BlockKinds, BlockPlace, BlockSetBuilder, FragmentJoiner, KnownSet, Origin};
use pfh_testing::Random;

const BLOCK_BYTES: u64 = 512;

fn digest(number: u64) -> Digest {
    Algorithm::from_name("md5").unwrap().digest(&number.to_le_bytes())
}

/// A file: its name, length, and the digests of blocks by number. Whether it is ended.
type File = (Vec<u8>, u64, Vec<(u64, Digest)>, bool);

fn files(random: &mut Random, count: u64) -> Vec<File> {
    let mut files = Vec::new();
    for number in 0..count {
        let blocks = random.below(40);
        let bytes = blocks * BLOCK_BYTES + random.below(BLOCK_BYTES);
        let mut digests = Vec::new();
        for block in 0..blocks {
            if random.below(5) > 0 {
                let repeats = random.below(3) == 0;
                let own = if repeats { random.below(4) } else { 100 + random.number() % 10_000_000 };
                digests.push((block, digest(own)));
            }
        }
        files.push((format!("file {number}").into_bytes(), bytes, digests, random.below(7) > 0));
    }
    files
}

/// Builds a set of files whose blocks come side by side.
fn build(files: &[File], memory_bytes: u64, random: &mut Random) -> Vec<u8> {
    let md5 = Algorithm::from_name("md5").unwrap();
    let mut builder = BlockSetBuilder::new(md5, BLOCK_BYTES, Origin::default(), memory_bytes).unwrap();
    // Begun in any order, ended in theirs.
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_cached_key(|_| random.number());
    let mut ids = BTreeMap::new();
    for &place in &order {
        ids.insert(place, builder.begin_file().unwrap());
    }
    let mut rows: Vec<(usize, u64, Digest)> = Vec::new();
    for (place, (_, _, digests, _)) in files.iter().enumerate() {
        rows.extend(digests.iter().map(|(block, digest)| (place, *block, *digest)));
    }
    rows.sort_by_cached_key(|_| random.number());
    for (place, block, digest) in &rows {
        builder.push(ids[place], *block, digest).unwrap();
    }
    for (place, (name, bytes, digests, is_ended)) in files.iter().enumerate() {
        if *is_ended {
            let left = bytes / BLOCK_BYTES - digests.len() as u64;
            let kinds = BlockKinds { constant: left, nonprobative: 0, hashed: digests.len() as u64 };
            builder.end_file(&BlockFile { id: ids[&place], name, bytes: *bytes, kinds }).unwrap();
        }
    }
    let mut file = Vec::new();
    builder.write(&mut file, "a test").unwrap();
    file
}

#[test]
fn places_agree_with_a_model() {
    let mut random = Random::new(3);
    for count in [0, 1, 2, 30, 400] {
        let files = files(&mut random, count);
        let bytes = build(&files, 1 << 20, &mut random);
        // The order in which blocks come, and the memory, change nothing.
        assert!(bytes == build(&files, 1 << 10, &mut random));
        let set = KnownSet::from_bytes(bytes).unwrap();
        assert!(set.is_intact().unwrap());
        let blocks = set.blocks().unwrap();
        assert_eq!(blocks.block_bytes(), BLOCK_BYTES);
        let (mut model, mut placed) = (BTreeMap::<Vec<u8>, Vec<BlockPlace>>::new(), Vec::new());
        let kept = files.iter().filter(|(_, bytes, _, is_ended)| *is_ended && *bytes >= BLOCK_BYTES);
        let kept: Vec<&File> = kept.collect();
        for ((_, _, digests, _), file) in kept.iter().zip(0..) {
            for (block, digest) in digests {
                model.entry(digest.bytes().to_vec()).or_default().push(BlockPlace { file, block: *block });
            }
        }
        let (mut entries, mut rows, mut left_out) = (0, 0, 0);
        for (digest, places) in &model {
            let digest = Digest::new(set.algorithms().next().unwrap(), digest).unwrap();
            let entry = set.find(&digest).unwrap().unwrap();
            assert_eq!(entry, entries);
            let (mut found, kept) = (Vec::new(), places.len().min(BlockSetBuilder::PLACES_MAX));
            blocks.places(entry, &mut found).unwrap();
            assert_eq!(found, places[..kept]);
            assert_eq!(blocks.occurrences(entry).unwrap(), places.len() as u64);
            placed.extend(found);
            entries += 1;
            rows += places.len() as u64;
            left_out += (places.len() - kept) as u64;
        }
        let about = set.about();
        let totals = about.blocks.unwrap();
        assert_eq!((about.entries, about.rows, totals.places_left_out), (entries, rows, left_out));
        assert_eq!((totals.files, blocks.files()), (kept.len() as u64, kept.len() as u64));
        assert_eq!(totals.blocks, rows + totals.constant + totals.nonprobative);
        for ((name, bytes, ..), number) in kept.iter().zip(0..) {
            let file = blocks.file(number).unwrap();
            let own = placed.iter().filter(|place| place.file == number).count() as u64;
            assert_eq!((&file.name, file.bytes, file.blocks, file.source), (name, *bytes, own, 0));
        }
        assert_eq!(set.find(&digest(99)).unwrap(), None);
    }
}

/// A changed byte is found when the set is opened or checked, and nothing that such a set says makes a panic.
#[test]
fn every_changed_byte_is_found() {
    let mut random = Random::new(8);
    let files = files(&mut random, 12);
    let bytes = build(&files, 1 << 20, &mut random);
    let digests: Vec<Digest> = files.iter().flat_map(|file| file.2.iter().map(|(_, digest)| *digest)).collect();
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        let Ok(set) = KnownSet::from_bytes(damaged) else { continue };
        assert!(!set.is_intact().unwrap(), "{place}");
        let Some(blocks) = set.blocks() else { panic!("{place}") };
        let (mut joiner, mut places) = (FragmentJoiner::new(BLOCK_BYTES), Vec::new());
        for (number, digest) in digests.iter().enumerate() {
            if let Some(entry) = set.find(digest).unwrap() {
                blocks.places(entry, &mut places).unwrap();
                joiner.push(number as u64 * BLOCK_BYTES, &places, &mut |_| {});
            }
        }
        (0..blocks.files() + 1).for_each(|number| drop(blocks.file(number).unwrap()));
    }
}
