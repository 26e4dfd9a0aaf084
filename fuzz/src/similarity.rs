//! Properties of the readers and generators of similarity digests that hold for any input. Shared by the fuzz targets
//! and by the tests of `pfh-similarity`, which run the seeds.

use std::fmt::{Debug, Display};
use std::io::Cursor;
use std::ops::ControlFlow;
use std::str::FromStr;

use fast_tlsh::GeneratorType;
use pfh_digest::Algorithm;
use pfh_similarity::list::{LineError, LineFormat};
use pfh_similarity::mrsh_v2::{self, Build, Measure};
use pfh_similarity::sdhash::{self, BlockSize, Comparison, Direction, Mode, Options, Profile};
use pfh_similarity::{Backend, ssdeep, tlsh};

/// One entry of a list.
pub struct Entry<D> {
    /// The line, counted from 1.
    pub line: u64,
    /// The name, raw bytes.
    pub name: Vec<u8>,
    /// The digest.
    pub digest: D,
}

/// The entries of a list, and what is wrong with its other lines, line by line. Nothing follows where it is no list of
/// the family.
pub fn read<F: LineFormat + Default>(input: &[u8]) -> Vec<Result<Entry<F::Digest>, String>> {
    let mut format = F::default();
    let mut items = Vec::new();
    for (line, text) in (1..).zip(input.strip_suffix(b"\n").unwrap_or(input).split(|&byte| byte == b'\n')) {
        match format.line(text.strip_suffix(b"\r").unwrap_or(text)) {
            Ok(None) => {}
            Ok(Some((name, digest))) => items.push(Ok(Entry { line, name, digest })),
            Err(LineError::Line(error)) => items.push(Err(format!("line {line}: {error}"))),
            Err(LineError::NotThisFormat { reason }) => {
                items.push(Err(reason.to_owned()));
                return items;
            }
        }
    }
    if let Err(LineError::NotThisFormat { reason }) = format.end() {
        items.push(Err(reason.to_owned()));
    }
    items
}

/// Reading ends, yields no more items than there are bytes, and every digest is printed as it can be read back.
fn entries<F>(input: &[u8]) -> Vec<Entry<F::Digest>>
where
    F: LineFormat + Default,
    F::Digest: Display + FromStr<Err: Debug> + PartialEq + Debug,
{
    let items = read::<F>(input);
    assert!(items.len() <= input.len() + 1, "more items than bytes");
    let found: Vec<_> = items.into_iter().flatten().collect();
    for entry in &found {
        assert_eq!(entry.digest.to_string().parse::<F::Digest>().expect("what was printed"), entry.digest);
    }
    found
}

/// A list of ssdeep's, without its header. Entries come back after they were written; scores are symmetric.
pub fn ssdeep_list(input: &[u8]) {
    let whole = [ssdeep::list::HEADER.as_bytes(), b"\n", input].concat();
    let found = entries::<ssdeep::list::Lines>(&whole);
    let mut writer = ssdeep::list::Writer::new(Vec::new()).expect("memory");
    for entry in &found {
        writer.entry(&entry.digest, &entry.name).expect("a name from a list");
    }
    let again = entries::<ssdeep::list::Lines>(&writer.into_inner());
    same(&found, &again);
    for pair in found.windows(2) {
        let score = pair[0].digest.compare(&pair[1].digest);
        assert!(score <= 100 && score == pair[1].digest.compare(&pair[0].digest));
    }
}

/// A list of TLSH's.
pub fn tlsh_list(input: &[u8]) {
    let found = entries::<tlsh::list::Lines>(input);
    let mut writer = tlsh::list::Writer::new(Vec::new());
    for entry in &found {
        writer.entry(&entry.digest, &entry.name).expect("a name from a list");
    }
    same(&found, &entries::<tlsh::list::Lines>(&writer.into_inner()));
    for pair in found.windows(2) {
        assert_eq!(pair[0].digest.compare(&pair[1].digest), pair[1].digest.compare(&pair[0].digest));
    }
}

/// A list of sdhash's. Every digest is written as it can be read back, and scores are scores.
pub fn sdhash_list(input: &[u8]) {
    let found: Vec<_> = read::<sdhash::list::Lines>(input).into_iter().flatten().map(|entry| entry.digest).collect();
    let mut file = Vec::new();
    found.iter().for_each(|digest| sdhash::list::write(digest, &mut file).expect("a name from a list"));
    let again = read::<sdhash::list::Lines>(&file).into_iter().map(|entry| entry.expect("what was written").digest);
    let again: Vec<_> = again.collect();
    assert_eq!(found, again);
    for (one, other) in found.iter().zip(found.iter().cycle().skip(1)) {
        for profile in [Profile::V3_4, Profile::V4_0] {
            for (fast, sample) in [(false, 0), (true, 0), (false, 1)] {
                let comparison = Comparison { profile, fast, sample, direction: Direction::Original };
                assert!(one.compare(other, &comparison) <= Some(100));
                let symmetric = Comparison { direction: Direction::Symmetric, ..comparison };
                assert!(sample > 0 || one.compare(other, &symmetric) == other.compare(one, &symmetric));
            }
        }
    }
}

/// A list of mrsh-v2's.
pub fn mrsh_v2_list(input: &[u8]) {
    let found: Vec<_> = read::<mrsh_v2::list::Lines>(input).into_iter().flatten().map(|entry| entry.digest).collect();
    let mut file = Vec::new();
    found.iter().for_each(|digest| mrsh_v2::list::write(digest, &mut file).expect("a name from a list"));
    let again = read::<mrsh_v2::list::Lines>(&file).into_iter().map(|entry| entry.expect("what was written").digest);
    let again: Vec<_> = again.collect();
    assert_eq!(found, again);
    for (one, other) in found.iter().zip(found.iter().cycle().skip(1)) {
        assert!(one.compare(other, Measure::Containment) <= 100 && one.compare(other, Measure::Resemblance) <= 100);
    }
}

/// The same names and digests; lines may have moved. Carriage returns before a line end are not part of a name.
fn same<D: PartialEq + Debug>(one: &[Entry<D>], other: &[Entry<D>]) {
    let names = |entries: &[Entry<D>]| -> Vec<Vec<u8>> {
        entries.iter().map(|entry| without_returns(&entry.name).to_vec()).collect()
    };
    assert_eq!(names(one), names(other));
    assert!(one.iter().zip(other).all(|(one, other)| one.digest == other.digest));
}

fn without_returns(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|&byte| byte != b'\r').map_or(0, |last| last + 1);
    &name[..end]
}

/// The input in pieces: its first byte says how long they are.
fn pieces(input: &[u8]) -> (impl Iterator<Item = &[u8]>, &[u8]) {
    let (size, bytes) = input.split_first().map_or((1, input), |(&size, bytes)| (usize::from(size) + 1, bytes));
    (bytes.chunks(size), bytes)
}

/// ssdeep's generator makes what the definition, followed byte by byte, makes.
pub fn ssdeep_digest(input: &[u8]) {
    let (pieces, bytes) = pieces(input);
    let mut hasher = ssdeep::Hasher::new();
    pieces.for_each(|piece| hasher.update(piece));
    let digest = hasher.finish().expect("short enough");
    assert_eq!(digest.to_string(), plain_ssdeep(bytes));
    assert_eq!(digest.compare(&digest), 100);
}

/// The input divided into whole files: its first byte ends each, and they come again, ever longer.
fn files(input: &[u8]) -> Vec<Vec<u8>> {
    let Some((&end, bytes)) = input.split_first() else { return Vec::new() };
    let files = bytes.split(|&byte| byte == end).take(100);
    files.zip(1..).flat_map(|(file, times)| [file.to_vec(), file.repeat(times)]).collect()
}

/// Many at once have the digests that each has alone, with any instructions.
pub fn many_digests(input: &[u8]) {
    let files = files(input);
    let slices: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let texts: Vec<String> = files.iter().map(|file| plain_ssdeep(file)).collect();
    let alone = |file: &Vec<u8>| {
        let mut hasher = tlsh::Hasher::new();
        hasher.update(file);
        hasher.finish()
    };
    let digests: Vec<_> = files.iter().map(alone).collect();
    for backend in Backend::offered() {
        let found = ssdeep::ManyHasher::with_backend(backend).digest_many(&slices);
        let found: Vec<String> = found.into_iter().map(|digest| digest.expect("short enough").to_string()).collect();
        assert_eq!(found, texts, "{backend:?}");
        assert_eq!(tlsh::ManyHasher::with_backend(backend).digest_many(&slices), digests, "{backend:?}");
    }
}

/// TLSH's generator makes what another implementation makes.
pub fn tlsh_digest(input: &[u8]) {
    let (pieces, bytes) = pieces(input);
    let mut hasher = tlsh::Hasher::new();
    pieces.for_each(|piece| hasher.update(piece));
    let digest = hasher.finish().ok().map(|digest| digest.to_string());
    let mut generator = fast_tlsh::TlshGenerator::new();
    generator.update(bytes);
    assert_eq!(digest, generator.finalize().ok().map(|digest| digest.to_string()));
}

/// sdhash's generator makes one digest, in any pieces.
pub fn sdhash_digest(input: &[u8]) {
    let one_kib = BlockSize::from_kibibytes(1).expect("a size");
    for profile in [Profile::V3_4, Profile::V4_0] {
        for mode in [Mode::Stream, Mode::Blocks(one_kib), Mode::Automatic] {
            let options = Options { profile, mode, input_bytes: None };
            let (pieces, bytes) = pieces(input);
            let mut whole = sdhash::Hasher::with_options(options);
            whole.update(bytes);
            let mut hasher = sdhash::Hasher::with_options(options);
            pieces.for_each(|piece| hasher.update(piece));
            let digest = hasher.finish();
            assert_eq!(digest, whole.finish());
            assert_eq!(digest.is_ok(), bytes.len() >= 512);
        }
    }
}

/// mrsh-v2's generator makes what the definition, followed byte by byte, makes.
pub fn mrsh_v2_digest(input: &[u8]) {
    for build in [Build::Normal, Build::Network] {
        let (pieces, bytes) = pieces(input);
        let mut hasher = mrsh_v2::Hasher::with_build(build);
        pieces.for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.finish().expect("any input").to_string(), plain_mrsh_v2(bytes, build));
    }
}

/// The first byte chooses a family, the rest is an index file of it but for the magic and the checksums, which are
/// right. Opening and searching it end in matches and errors.
pub fn index(input: &[u8]) {
    let [family, input @ ..] = input else { return };
    let magic: &[u8; 16] = if family & 1 == 0 { b"pfh index ssdeep" } else { b"pfh index tlsh  " };
    let contents = [magic, &1_u64.to_le_bytes()[..], input].concat();
    let algorithm = Algorithm::from_name("xxh3-64").expect("known");
    let mut file = Vec::new();
    for (number, part) in (0_u64..).zip(contents.chunks(4088)) {
        let mut page = part.to_vec();
        page.resize(4088, 0);
        let mut hasher = algorithm.hasher();
        hasher.update(&number.to_le_bytes());
        hasher.update(&page);
        file.extend_from_slice(&page);
        file.extend_from_slice(hasher.finish().bytes());
    }
    let (mut calls, bytes) = (0, file.len());
    if family & 1 == 0 {
        let Ok(mut index) = ssdeep::IndexFile::open(Cursor::new(file)) else { return };
        let digest = "3:abcdefghijk:abcdefg".parse().expect("a digest");
        let _ = index.matches(&digest, 1, |_| {
            calls += 1;
            ControlFlow::<()>::Continue(())
        });
    } else {
        let Ok(mut index) = tlsh::IndexFile::open(Cursor::new(file)) else { return };
        let digest = "0".repeat(70).parse().expect("a digest");
        let _ = index.matches(&digest, 1000, |_| {
            calls += 1;
            ControlFlow::<()>::Continue(())
        });
    }
    assert!(calls <= bytes, "more matches than bytes");
}

/// The definition of ssdeep's digest, all levels at once.
pub fn plain_ssdeep(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let character = |state: u8| ALPHABET[usize::from(state & 63)] as char;
    #[derive(Clone)]
    struct Level {
        piece: u8,
        half_piece: u8,
        characters: String,
        last: Option<char>,
        half_last: Option<char>,
    }
    let fresh = Level { piece: 0x27, half_piece: 0x27, characters: String::new(), last: None, half_last: None };
    let mut levels = vec![fresh; 32];
    let (mut h1, mut h2, mut h3, mut window, mut hash) = (0_u32, 0_u32, 0_u32, [0_u32; 7], 0_u32);
    for (n, &byte) in bytes.iter().enumerate() {
        let value = u32::from(byte);
        h2 = h2.wrapping_sub(h1).wrapping_add(7 * value);
        h1 = h1.wrapping_add(value).wrapping_sub(window[n % 7]);
        window[n % 7] = value;
        h3 = (h3 << 5) ^ value;
        hash = h1.wrapping_add(h2).wrapping_add(h3);
        for level in &mut levels {
            level.piece = level.piece.wrapping_mul(19) ^ byte;
            level.half_piece = level.half_piece.wrapping_mul(19) ^ byte;
        }
        let after = u64::from(hash.wrapping_add(1));
        for (k, level) in levels.iter_mut().enumerate().take(31) {
            if after == 0 || after % (3 << k) != 0 {
                break;
            }
            level.half_last = Some(character(level.half_piece));
            if level.characters.len() < 63 {
                level.characters.push(character(level.piece));
                level.piece = 0x27;
                if level.characters.len() < 32 {
                    level.half_piece = 0x27;
                    level.half_last = None;
                }
            } else {
                level.last = Some(character(level.piece));
            }
        }
    }
    let mut k = (0..31).find(|k| (3 << k) * 64 >= bytes.len()).expect("short enough");
    while k > 0 && levels[k].characters.len() < 32 {
        k -= 1;
    }
    let end = |state: u8, last: Option<char>| if hash != 0 { Some(character(state)) } else { last };
    let (one, two) = (&levels[k], &levels[k + 1]);
    let mut text = format!("{}:{}", 3_u64 << k, one.characters);
    text.extend(end(one.piece, one.last));
    text.push(':');
    text.extend(two.characters.chars().take(31));
    text.extend(end(two.half_piece, two.half_last));
    text
}

/// The definition of mrsh-v2's digest, with all of the input in memory.
pub fn plain_mrsh_v2(bytes: &[u8], build: Build) -> String {
    let mut chunks: Vec<&[u8]> = Vec::new();
    let (mut h1, mut h2, mut h3, mut window, mut n) = (0_u32, 0_u32, 0_u32, [0_u8; 7], 0);
    let (mut start, mut i, mut first) = (0, 0, true);
    while i < bytes.len() {
        let c = u32::from(bytes[i]);
        h2 = h2.wrapping_sub(h1).wrapping_add(7 * c);
        h1 = h1.wrapping_add(c).wrapping_sub(window[n % 7].into());
        window[n % 7] = bytes[i];
        n += 1;
        h3 = (h3 << 5) ^ c;
        if h1.wrapping_add(h2).wrapping_add(h3) % 160 == 159 {
            if build == Build::Normal || !first {
                chunks.push(&bytes[start..=i]);
            }
            first = false;
            start = i + 1;
            if i + 40 < bytes.len() {
                i += 40;
            }
        }
        i += 1;
    }
    if build == Build::Normal && !bytes.is_empty() {
        chunks.push(&bytes[start..]);
    }
    let (mut filters, mut last) = (vec![[0_u8; 256]], 0);
    for chunk in chunks {
        let hash =
            chunk.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, &c| (h ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3));
        if last == 160 {
            filters.push([0; 256]);
            last = 0;
        }
        let filter = filters.last_mut().expect("one");
        let mut is_new = false;
        for j in 0..5 {
            let bit = (hash >> (11 * j)) as usize & 0x7ff;
            is_new |= filter[bit >> 3] & 1 << (bit & 7) == 0;
            filter[bit >> 3] |= 1 << (bit & 7);
        }
        last += u32::from(is_new);
    }
    let hex: String = filters.iter().flatten().map(|byte| format!("{byte:02X}")).collect();
    format!(":{}:{}:{last}:{hex}", bytes.len(), filters.len() - 1)
}
