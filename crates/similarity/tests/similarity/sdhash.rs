//! sdhash against the vectors, and its properties.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::LazyLock;

use pfh_digest::Algorithm;
use pfh_similarity::sdhash::{BlockSize, Comparison, Digest, Direction, Hasher, Mode, Options, Profile, list};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::inputs::{Random, random as noise, text as words};
use crate::seeds::similarity::read;
use crate::vectors::{contents, inputs, pairs, text};

/// A text as the vectors have it.
pub(crate) fn shortened(text: &str) -> String {
    if text.len() <= 4096 {
        return text.to_owned();
    }
    let sha256 = Algorithm::from_name("sha256").expect("known").digest(text.as_bytes());
    format!("sha256:{sha256}:{}", text.len())
}

fn blocks(kibibytes: u32) -> Mode {
    Mode::Blocks(BlockSize::from_kibibytes(kibibytes).expect("a block size"))
}

fn options(profile: Profile, mode: Mode) -> Options {
    Options { profile, mode, input_bytes: None }
}

fn digest_in(pieces: usize, bytes: &[u8], options: Options) -> Option<Digest> {
    let mut hasher = Hasher::with_options(options);
    bytes.chunks(pieces).for_each(|piece| hasher.update(piece));
    hasher.finish().ok()
}

fn digest(bytes: &[u8], options: Options) -> Option<Digest> {
    digest_in(1 << 20, bytes, options)
}

const KINDS: [(&str, Profile, Mode); 2] =
    [("sdhash", Profile::V4_0, Mode::Stream), ("sdhash34", Profile::V3_4, Mode::Stream)];

#[test]
fn digests_are_those_of_the_originals() {
    let mut kinds = KINDS.to_vec();
    for (field, kibibytes) in [("sdhash_dd", 4), ("sdhash_dd1", 1), ("sdhash_dd16", 16)] {
        kinds.push((field, Profile::V3_4, blocks(kibibytes)));
    }
    let mut compared = 0;
    for line in inputs() {
        for &(field, profile, mode) in &kinds {
            let expected = if line[field] == "same" { &line["sdhash"] } else { &line[field] };
            let digest =
                digest(contents(line), options(profile, mode)).map(|digest| digest.with_name(text(line, "id")));
            let found = digest.as_ref().map(|digest| shortened(&digest.to_string()));
            assert_eq!(found.as_deref(), expected.as_str(), "{field} of {}", line["id"]);
            if let Some(digest) = digest {
                assert_eq!(digest.to_string().parse(), Ok(digest), "{field} of {}", line["id"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn scores_are_those_of_the_originals() {
    let mut compared = 0;
    for (suffix, profile, mode) in [
        ("sdhash", Profile::V4_0, Mode::Stream),
        ("sdhash34", Profile::V3_4, Mode::Stream),
        ("sdhash_dd", Profile::V4_0, blocks(4)),
        ("sdhash34_dd", Profile::V3_4, blocks(4)),
    ] {
        let digests: HashMap<&str, Digest> = inputs()
            .filter_map(|line| Some((text(line, "id"), digest(contents(line), options(profile, mode))?)))
            .map(|(id, digest)| (id, digest.with_name(id)))
            .collect();
        for pair in pairs() {
            let (Some(a), Some(b)) = (digests.get(text(pair, "a")), digests.get(text(pair, "b"))) else { continue };
            let comparison = Comparison { profile, ..Comparison::default() };
            for (field, a, b) in [(suffix.to_owned(), a, b), (format!("{suffix}_rev"), b, a)] {
                let expected = match &pair[&field] {
                    Value::Null => continue,
                    // Where the original divides by zero, there is nothing to compare.
                    Value::String(abort) if abort == "abort" => None,
                    score => u8::try_from(score.as_i64().expect("a score")).ok(),
                };
                assert_eq!(a.compare(b, &comparison), expected, "{field} of {} and {}", pair["a"], pair["b"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 800, "{compared}");
}

/// Noise, words, and stretches of both that repeat.
pub(crate) fn mixed(seed: u64, bytes: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let mut out = Vec::new();
    while out.len() < bytes {
        let length = (random.next() % 3000) as usize;
        match random.next() % 4 {
            0 => out.extend(noise(random.next(), length)),
            1 => out.extend(words(random.next(), length)),
            2 => out.extend(vec![random.next() as u8; length]),
            _ => out.extend_from_within(out.len().saturating_sub(length)..),
        }
    }
    out.truncate(bytes);
    out
}

#[test]
fn pieces_do_not_matter() {
    for (seed, bytes) in [(1, 512), (2, 8191), (3, 8193), (4, 40_000), (5, 70_001)] {
        let input = mixed(seed, bytes);
        for mode in [Mode::Automatic, Mode::Stream, blocks(1), blocks(7), blocks(16)] {
            for profile in [Profile::V3_4, Profile::V4_0] {
                let whole = digest(&input, options(profile, mode));
                for piece in [1, 63, 64, 65, 1000, 8192, 16_384] {
                    assert_eq!(digest_in(piece, &input, options(profile, mode)), whole, "{bytes} by {piece}, {mode:?}");
                }
            }
        }
    }
}

/// Streams are scored in chunks of 32 MiB, wherever pieces end.
#[test]
fn pieces_do_not_matter_where_chunks_end() {
    let input = mixed(6, (32 << 20) + 40_000);
    let stream = options(Profile::V3_4, Mode::Stream);
    let whole = digest_in(input.len(), &input, stream);
    for piece in [10_000, 50_000, (1 << 20) + 1] {
        assert!(digest_in(piece, &input, stream) == whole, "by {piece}");
    }
}

#[test]
fn short_inputs_have_no_digest() {
    for mode in [Mode::Automatic, Mode::Stream, blocks(1)] {
        for bytes in [0, 1, 64, 511] {
            let mut hasher = Hasher::with_options(options(Profile::V3_4, mode));
            hasher.update(&noise(1, bytes));
            let no_digest = hasher.finish().expect_err("too short");
            assert_eq!((no_digest.bytes, no_digest.bound_bytes()), (bytes as u64, Some(("minimum_bytes", 512))));
        }
        assert!(digest(&[0; 512], options(Profile::V3_4, mode)).is_some());
    }
}

#[test]
fn blocks_begin_at_16_mib() {
    let input = words(5, 16 << 20);
    for (bytes, is_stream) in [((16 << 20) - 1, true), (16 << 20, false)] {
        let expected = if is_stream { Mode::Stream } else { blocks(16) };
        let expected = digest(&input[..bytes], options(Profile::V3_4, expected));
        for input_bytes in [None, Some(bytes as u64)] {
            let options = Options { input_bytes, ..Options::default() };
            assert_eq!(digest(&input[..bytes], options), expected, "{bytes} {input_bytes:?}");
        }
    }
}

#[test]
fn segments_take_short_tails() {
    const MIB: usize = 1 << 20;
    let input = mixed(9, 3 * MIB + 600);
    for (bytes, cuts) in [
        (MIB - 1, vec![]),
        (MIB, vec![]),
        (MIB + 512, vec![]),
        (MIB + 513, vec![MIB]),
        (2 * MIB + 512, vec![MIB]),
        (2 * MIB + 513, vec![MIB, 2 * MIB]),
        (3 * MIB, vec![MIB, 2 * MIB]),
    ] {
        let starts: Vec<usize> = [0].into_iter().chain(cuts).collect();
        let ends = starts.iter().skip(1).copied().chain([bytes]);
        let expected: Vec<Digest> = starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| {
                let suffix = if starts.len() > 1 { format!(".{:04}M", start / MIB) } else { String::new() };
                let digest = digest(&input[start..end], options(Profile::V3_4, blocks(4))).expect("long enough");
                digest.with_name(format!("disk.dd{suffix}"))
            })
            .collect();
        let whole = digest(&input[..bytes], options(Profile::V3_4, blocks(4))).expect("long enough");
        assert_eq!(whole.with_name("disk.dd").into_segments(NonZero::<u32>::MIN), expected, "{bytes}");
    }
    // A stream is never cut.
    let stream = digest(&input, options(Profile::V3_4, Mode::Stream)).expect("long enough");
    assert_eq!(stream.clone().into_segments(NonZero::<u32>::MIN), [stream]);
    // A digest that claims more than it has.
    let claims = |bytes: &str| {
        let text = digest(&input[..9000], options(Profile::V3_4, blocks(4))).expect("long enough").to_string();
        text.replacen(":9000:", bytes, 1).parse::<Digest>().expect("valid").into_segments(NonZero::<u32>::MIN)
    };
    assert_eq!((claims(":9000000000000000000:").len(), claims(":10000000:").len()), (1, 1));
}

fn samples() -> Vec<Digest> {
    let sizes = [512, 3000, 20_000, 20_000, 60_000, 60_100];
    let mut digests = Vec::new();
    for (seed, bytes) in (0..).zip(sizes) {
        for mode in [Mode::Stream, blocks(1), blocks(4)] {
            let digest = digest(&mixed(seed / 2, bytes), options(Profile::V3_4, mode)).expect("long enough");
            digests.push(digest.with_name(format!("sample {}", 9 - seed)));
        }
    }
    digests.push(digest(&[0; 9000], options(Profile::V3_4, blocks(1))).expect("long enough"));
    digests
}

#[test]
fn symmetric_scores_are_symmetric() {
    for profile in [Profile::V3_4, Profile::V4_0] {
        for (fast, sample) in [(false, 0), (true, 0), (false, 1), (false, 3), (true, 3)] {
            let comparison = Comparison { profile, fast, direction: Direction::Symmetric, sample };
            let original = Comparison { direction: Direction::Original, ..comparison };
            for a in samples() {
                for b in samples() {
                    let score = a.compare(&b, &comparison);
                    assert_eq!(score, b.compare(&a, &comparison));
                    assert_eq!(score, a.clone().with_name("zzz").compare(&b, &comparison));
                    assert!(score >= a.compare(&b, &original));
                }
            }
        }
    }
}

#[test]
fn colons_in_names_are_no_obstacle() {
    for digest in samples() {
        for name in ["", ":", "a:b", "sdbf:03:1:x:5", "\u{e9}", "sample:512:sha1:256:5:7ff:160:1:2:"] {
            let digest = digest.clone().with_name(name);
            assert_eq!(digest.to_string().parse(), Ok(digest));
        }
    }
    let named = samples()[0].clone().with_name("name").to_string();
    // A wrong length: the name ends at the first colon.
    assert_eq!(named.replacen(":4:", ":7:", 1).parse::<Digest>().expect("readable").name(), b"name");
}

/// Every field of both kinds, damaged.
#[test]
fn damaged_texts_are_refused() {
    let stream = samples()[0].clone().with_name("n").to_string();
    let blocks = samples()[1].clone().with_name("n").to_string();
    for text in [&stream, &blocks] {
        let fields: Vec<&str> = text.split(':').collect();
        for index in 0..fields.len() {
            for damage in ["", "-1", "+1", " 1", "18446744073709551616", "4294967296", "zz", "00", "99999"] {
                let mut fields = fields.clone();
                // Any name, and any size that is a number.
                if index == 3
                    || (index == 4 && ["99999", "4294967296"].contains(&damage))
                    || (text == &blocks && index == 11 && damage == "99999")
                {
                    continue;
                }
                fields[index] = damage;
                let damaged = fields.join(":");
                match damaged.parse::<Digest>() {
                    // A length of the name that does not fit is passed over, and `00` elements are a number.
                    Ok(digest) => {
                        assert!(index == 2 || damage == "00" && digest.block_bytes().is_some(), "{index} {damage}")
                    }
                    Err(error) => assert!(error.at <= damaged.len() && !error.to_string().is_empty()),
                }
            }
        }
        for end in 0..text.len() {
            assert!(text[..end].parse::<Digest>().is_err(), "{end}");
        }
        assert!(format!("{text}=").parse::<Digest>().is_err());
    }
}

#[test]
fn a_broken_line_does_not_end_a_list() {
    let digests = samples();
    let mut file = Vec::new();
    for digest in &digests {
        list::write(digest, &mut file).expect("a vector");
        file.extend_from_slice(b"sdbf:03:1:broken\n\n");
    }
    assert!(list::write(&digests[0].clone().with_name("a\nb"), &mut file).is_err());
    let (read, errors): (Vec<_>, Vec<_>) = read::<list::Lines>(&file).into_iter().partition(Result::is_ok);
    let read: Vec<_> = read.into_iter().flatten().collect();
    assert!(read.iter().zip(&digests).all(|(entry, digest)| entry.digest == *digest && entry.name == digest.name()));
    assert_eq!((read.len(), read[1].line, errors.len()), (digests.len(), 4, digests.len()));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in vec(any::<u8>(), 0..300), at in 0..600_usize, seed in 0..19_usize) {
        let _ = Digest::from_bytes(&bytes);
        let mut text = samples_once()[seed].clone();
        let at = at.min(text.len());
        text.splice(at..(at + bytes.len() / 8).min(text.len()), bytes);
        if let Ok(digest) = Digest::from_bytes(&text) {
            let mut again = Vec::new();
            digest.write_to(&mut again);
            prop_assert_eq!(Digest::from_bytes(&again), Ok(digest.clone()));
            let _ = digest.compare(&digest, &Comparison::default());
        }
    }
}

/// Texts of [`samples`].
fn samples_once() -> &'static [Vec<u8>] {
    static TEXTS: LazyLock<Vec<Vec<u8>>> =
        LazyLock::new(|| samples().iter().map(|digest| digest.to_string().into_bytes()).collect());
    &TEXTS
}
