//! What holds for any input of the readers and generators of similarity digests. Shared by the fuzz targets and by the
//! tests of `pfh-similarity`, which run the seeds.

use std::fmt::{Debug, Display};
use std::io::Cursor;
use std::ops::ControlFlow;
use std::str::FromStr;

use fast_tlsh::GeneratorType;
use pfh_digest::Algorithm;
use pfh_similarity::list::{Entry, LineFormat, Reader};
use pfh_similarity::{ssdeep, tlsh};

/// Short, so that a fuzzer meets the limit.
const LINE_BYTES_MAX: usize = 1 << 12;

/// Reading ends, yields no more items than there are bytes, and every digest is printed as it can be read back.
fn entries<F>(input: &[u8], line_bytes_max: usize) -> Vec<Entry<F::Digest>>
where
    F: LineFormat + Default,
    F::Digest: Display + FromStr<Err: Debug> + PartialEq + Debug,
{
    let items: Vec<_> = Reader::<_, F>::new(input).with_line_bytes_max(line_bytes_max).collect();
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
    let found = entries::<ssdeep::list::Lines>(&whole, LINE_BYTES_MAX);
    let mut writer = ssdeep::list::Writer::new(Vec::new()).expect("memory");
    for entry in &found {
        writer.entry(&entry.digest, &entry.name).expect("a name from a list");
    }
    let again = entries::<ssdeep::list::Lines>(&writer.into_inner(), 2 * LINE_BYTES_MAX);
    same(&found, &again);
    for pair in found.windows(2) {
        let score = pair[0].digest.compare(&pair[1].digest);
        assert!(score <= 100 && score == pair[1].digest.compare(&pair[0].digest));
    }
}

/// A list of TLSH's.
pub fn tlsh_list(input: &[u8]) {
    let found = entries::<tlsh::list::Lines>(input, LINE_BYTES_MAX);
    let mut writer = tlsh::list::Writer::new(Vec::new());
    for entry in &found {
        writer.entry(&entry.digest, &entry.name).expect("a name from a list");
    }
    same(&found, &entries::<tlsh::list::Lines>(&writer.into_inner(), 2 * LINE_BYTES_MAX));
    for pair in found.windows(2) {
        assert_eq!(pair[0].digest.compare(&pair[1].digest), pair[1].digest.compare(&pair[0].digest));
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

/// The first byte chooses a family, the rest is an index file of it but for the magic and the checksums, which are right.
/// Opening and searching it end in matches and errors.
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
