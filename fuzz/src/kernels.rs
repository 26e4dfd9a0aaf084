//! For any input, the vector kernels of similarity digests compute the same as their definitions. Shared by the fuzz
//! targets and by the tests of `pfh-similarity`, which run the seeds.

use pfh_vector::ctph::{FILES, INITIAL, LANES, PLACES_SPARE, TILE_BYTES, Trigger, WINDOW_BYTES, rolling_hash, turned};
use pfh_vector::sdhash_popularity::{LOOK_AHEAD, NO_COST, Scan};
use pfh_vector::tlsh_triplets::{BUCKETS, Counter, PEARSON, WINDOWS_MAX};
use pfh_vector::{bloom, ctph, fnv1a_many, sdhash_popularity, sdhash_rank, tlsh_triplets};

/// The input from its second byte on, and its first one.
fn flagged(input: &[u8]) -> (usize, &[u8]) {
    input.split_first().map_or((0, input), |(&flag, bytes)| (usize::from(flag), bytes))
}

/// Sequences with more than a given number of common bits. The first byte sets the number of sequences, and the number
/// of bits; the words follow, and are repeated.
pub fn bloom(input: &[u8]) {
    let (flag, bytes) = flagged(input);
    let mut numbers =
        bytes.chunks(8).map(|part| part.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))).cycle();
    let mut next = || numbers.next().unwrap_or(0);
    let words: [u64; bloom::WORDS] = std::array::from_fn(|_| next());
    let sequences: Vec<[u64; bloom::WORDS]> = (0..flag % 20).map(|_| std::array::from_fn(|_| next())).collect();
    let min_common = vec![8 * flag as u16; sequences.len()];
    let count = |sequence: &[u64; bloom::WORDS], end: usize| {
        words[..end].iter().zip(sequence).map(|(word, other)| (word & other).count_ones() as u16).sum::<u16>()
    };
    let expected: Vec<bloom::Overlap> = sequences
        .iter()
        .zip(0..)
        .map(|(sequence, place)| bloom::Overlap { place, counts: bloom::STAGE_ENDS.map(|end| count(sequence, end)) })
        .filter(|found| found.counts.last() > min_common.first())
        .collect();
    let columns = bloom::Columns::new(&sequences);
    for kernels in bloom::Kernels::offered() {
        // Nothing is given up before the last word.
        let search = bloom::OverlapSearch { words: &words, min_common: &min_common, tolerance: 2048 };
        let mut found = Vec::new();
        kernels.search(&search, &columns, 0, &mut found);
        assert_eq!(found, expected, "{kernels:?}");
    }
}

/// FNV-1a of chunks. They end behind the bytes that the first byte, taken as a mask, lets through.
pub fn fnv1a_many(input: &[u8]) {
    let (mask, bytes) = flagged(input);
    let is_end = |&end: &usize| usize::from(bytes[end - 1]) & mask == 0;
    let ends: Vec<usize> = (1..=bytes.len()).filter(is_end).collect();
    let first = mask as u64;
    let mut expected = Vec::new();
    let mut start = 0;
    for &end in &ends {
        let value = if start == 0 { first } else { fnv1a_many::OFFSET_BASIS };
        expected.push(fnv1a_many::fnv1a_64(value, &bytes[start..end]));
        start = end;
    }
    for kernels in fnv1a_many::Kernels::offered() {
        let mut values = Vec::new();
        kernels.fnv1a_64(first, bytes, &ends, &mut values);
        assert_eq!(values, expected, "{kernels:?}");
    }
}

/// Places where pieces end, and hashes of pieces of many files at once: those of ssdeep and of mrsh-v2. The first byte
/// is the lowest level.
pub fn ctph(input: &[u8]) {
    let (flag, bytes) = flagged(input);
    let lowest = flag as u32 % 12;
    let hashes = || bytes.windows(WINDOW_BYTES).zip(WINDOW_BYTES as u32 - 1..).skip(1);
    let hash = |window: &[u8]| window.first_chunk().map_or(0, rolling_hash);
    let level = |window: &[u8]| {
        let value = u64::from(hash(window)) + 1;
        (0..31).take_while(|level| value <= u32::MAX.into() && value % (3 << level) == 0).last()
    };
    let triggers: Vec<Trigger> = hashes()
        .filter_map(|(window, place)| Some(Trigger { place, level: level(window)? }))
        .filter(|trigger| trigger.level >= lowest)
        .collect();
    let ends: Vec<u32> = hashes().filter(|(window, _)| hash(window) % 160 == 159).map(|(_, place)| place).collect();
    let mut next = bytes.iter().copied().cycle().chain(std::iter::repeat(0));
    let mut byte = || next.next().unwrap_or(0);
    let rows: Box<[[u8; TILE_BYTES]; FILES]> = Box::new(std::array::from_fn(|_| std::array::from_fn(|_| byte())));
    let first: [u8; LANES] = std::array::from_fn(|_| byte() & 63);
    let keep: Box<[[u8; LANES]; TILE_BYTES]> = Box::new(std::array::from_fn(|_| {
        std::array::from_fn(|_| if byte() as usize % 8 == flag % 8 { 0 } else { 0xFF })
    }));
    for kernels in ctph::Kernels::offered() {
        let mut found = vec![Trigger::default(); bytes.len() + PLACES_SPARE];
        let count = kernels.triggers(bytes, lowest, &mut found);
        // Triggers below the level may be among them.
        found.truncate(count);
        found.retain(|trigger| trigger.level >= lowest);
        assert_eq!(found, triggers, "{kernels:?}");
        let mut found = Vec::new();
        kernels.ends_160(bytes, &mut found);
        assert_eq!(found, ends, "{kernels:?}");

        if let Some(map) = kernels.map(rows.as_flattened()) {
            let hash =
                |value| rows.as_flattened().iter().fold(value, |hash: u8, byte| (hash.wrapping_mul(19) ^ byte) & 63);
            assert!((0..64).all(|value| map[usize::from(value)] == hash(value)), "{kernels:?}");
        }

        let mut hashes = first.map(turned);
        let mut trace = Box::new([[0; LANES]; TILE_BYTES]);
        kernels.advance(&rows, &mut hashes, &keep, &mut trace);
        for lane in 0..LANES {
            let mut hash = first[lane];
            for at in 0..TILE_BYTES {
                hash = (hash.wrapping_mul(19) ^ rows[lane / 2][at]) & 63;
                assert_eq!(turned(trace[at][lane]), hash, "{kernels:?}");
                hash = if keep[at][lane] == 0 { INITIAL } else { hash };
            }
            assert_eq!(turned(hashes[lane]), hash, "{kernels:?}");
        }
    }
}

/// Popularity scores, against those of the portable backend (which the tests of `pfh-vector` compare with the
/// definition). The first byte says how many ranks there are, and where the scan stops for a while; each byte,
/// repeated, is a rank.
pub fn sdhash_popularity(input: &[u8]) {
    let (flag, bytes) = flagged(input);
    let mut costs: Vec<i16> = Vec::new();
    // As ranks: some positions that are not eligible, runs, and few that are better than all around them.
    for &byte in bytes {
        let rank = if byte < 32 { 0 } else { 100 + u16::from(byte) * 3 };
        let cost = ((rank.wrapping_sub(1) << 6) ^ 0x8000) as i16;
        costs.extend(std::iter::repeat_n(cost, 1 + flag % 16 * usize::from(byte % 5)));
    }
    let last = costs.len();
    costs.resize(last + LOOK_AHEAD, NO_COST);
    let pause = last.saturating_sub(LOOK_AHEAD) * (flag / 16) / 16;
    let scores = |kernels: sdhash_popularity::Kernels| {
        let (mut scan, mut scores) = (Scan::default(), vec![0; last + LOOK_AHEAD]);
        scan.advance(kernels, &costs, pause, &mut scores);
        scan.advance(kernels, &costs, last, &mut scores);
        let mut places = Vec::new();
        kernels.at_least(&scores, 16, &mut places);
        (scan.at(), scores, places)
    };
    let mut found = sdhash_popularity::Kernels::offered().map(scores);
    let expected = sdhash_popularity::Kernels::offered().last().map(scores);
    assert!(found.all(|found| Some(found) == expected));
}

/// Ranks of entropies, against counting. The first byte sets how much counts add, and how often the bytes are repeated
/// with small changes.
pub fn sdhash_rank(input: &[u8]) {
    let (flag, bytes) = flagged(input);
    let bytes: Vec<u8> = (0..=flag as u8 % 16)
        .flat_map(|round| bytes.iter().enumerate().map(move |(at, byte)| byte ^ (round * u8::from(at % 97 == 0))))
        .take(20_000)
        .collect();
    let Some(windows) = bytes.len().checked_sub(sdhash_rank::WINDOW_BYTES) else { return };
    let added: [u32; sdhash_rank::WINDOW_BYTES + 1] = std::array::from_fn(|count| (count * (64 - count) * flag) as u32);
    let tables = sdhash_rank::Tables::new(&added, std::array::from_fn(|at| at as i16));
    let mut counts = [0; 256];
    let mut expected = Vec::new();
    for (at, &byte) in bytes.iter().enumerate() {
        counts[usize::from(byte)] += 1;
        if let Some(left) = at.checked_sub(sdhash_rank::WINDOW_BYTES) {
            counts[usize::from(bytes[left])] -= 1;
        }
        if at + 1 >= sdhash_rank::WINDOW_BYTES {
            expected.push((counts.iter().map(|&count: &usize| added[count]).sum::<u32>() / 1024) as i16);
        }
    }
    for kernels in sdhash_rank::Kernels::offered() {
        let mut ranks = vec![0; windows];
        kernels.ranks(&tables, &bytes, &mut ranks);
        assert!(ranks == expected[..windows], "{kernels:?}");
    }
}

/// Counts of triplets.
pub fn tlsh_triplets(input: &[u8]) {
    /// Salt, and how far the middle and the oldest byte lie back.
    const TRIPLETS: [(u8, usize, usize); 6] = [(2, 1, 2), (3, 1, 3), (5, 2, 3), (7, 2, 4), (11, 1, 4), (13, 3, 4)];
    let history = tlsh_triplets::HISTORY_BYTES;
    let bytes = &input[..input.len().min(history + WINDOWS_MAX)];
    let pearson = |salt: u8, bytes: &[u8]| {
        bytes.iter().fold(PEARSON[usize::from(salt)], |hash, &byte| PEARSON[usize::from(hash ^ byte)])
    };
    let (mut expected, mut expected_steps) = ([0; BUCKETS], Vec::new());
    for window in bytes.windows(history + 1) {
        let back = |back: usize| window[history - back];
        for (salt, middle, oldest) in TRIPLETS {
            let bucket = usize::from(pearson(salt, &[back(0), back(middle), back(oldest)]));
            expected.get_mut(bucket).into_iter().for_each(|count| *count += 1);
        }
        expected_steps.push(pearson(0, &[back(0), back(1)]));
    }
    for mut counter in tlsh_triplets::Kernels::offered().filter_map(Counter::new) {
        let (mut counts, mut steps) = ([0; BUCKETS], vec![0; expected_steps.len()]);
        counter.count(bytes, &mut counts, &mut steps);
        assert_eq!((counts, steps), (expected, expected_steps.clone()));
    }
}
