//! TLSH against the vectors, against another implementation, and by properties.

use std::collections::HashMap;

use fast_tlsh::{FuzzyHashType, GeneratorType};
use pfh_similarity::tlsh::list::{Lines, Writer};
use pfh_similarity::tlsh::{Digest, Hasher, ManyHasher};
use pfh_similarity::{Family, NoDigest, NoDigestReason};
use pfh_vector::Backend;
use pfh_vector::tlsh_triplets::WINDOWS_MAX;
use proptest::prelude::*;

use crate::inputs::{random, records, text};
use crate::seeds::similarity::read;
use crate::vectors::{self, contents, inputs, pairs};

fn digest(bytes: &[u8]) -> Result<Digest, NoDigest> {
    let mut hasher = Hasher::new();
    hasher.update(bytes);
    hasher.finish()
}

fn parse(text: &str) -> Digest {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The digest of an input that the crate `fast-tlsh` makes.
fn theirs(bytes: &[u8]) -> Option<fast_tlsh::Tlsh> {
    let mut generator = fast_tlsh::TlshGenerator::new();
    generator.update(bytes);
    generator.finalize().ok()
}

#[test]
fn digests_agree_with_the_vectors() {
    for line in inputs() {
        let ours = digest(contents(line)).ok().map(|digest| digest.to_string());
        assert_eq!(ours.as_deref(), line["tlsh"].as_str(), "{}", line["id"]);
    }
}

#[test]
fn distances_agree_with_the_vectors() {
    let digests: HashMap<&str, Digest> =
        inputs().filter_map(|line| Some((vectors::text(line, "id"), parse(line["tlsh"].as_str()?)))).collect();
    let mut compared = 0;
    for line in pairs() {
        let find = |field| digests.get(vectors::text(line, field));
        let (a, b) = (find("a"), find("b"));
        let distance = a.zip(b).map(|(a, b)| u64::from(a.compare(b)));
        let without_length = a.zip(b).map(|(a, b)| u64::from(a.compare_without_length(b)));
        assert_eq!(distance, line["tlsh"].as_u64(), "{} {}", line["a"], line["b"]);
        assert_eq!(without_length, line["tlsh_xlen"].as_u64(), "{} {}", line["a"], line["b"]);
        compared += u32::from(distance.is_some());
    }
    assert!(compared > 100, "{compared} pairs");
}

#[test]
fn digests_and_distances_agree_with_another_implementation() {
    let mut inputs = Vec::new();
    for bytes in (0..300).chain((300..40_000).step_by(997)).chain([655, 656, 657, 3198, 3199, 3200, 300_000]) {
        let seed = bytes as u64;
        inputs.push(random(seed, bytes));
        inputs.push(text(seed, bytes));
        inputs.push(records(seed, bytes));
        inputs.push(vec![seed as u8; bytes]);
        for period in [2, 3, 7, 16, 40, 100] {
            inputs.push(random(seed, period).into_iter().cycle().take(bytes).collect());
        }
    }
    let mut both = Vec::new();
    for input in &inputs {
        let (ours, theirs) = (digest(input).ok(), theirs(input));
        assert_eq!(ours.map(|digest| digest.to_string()), theirs.map(|digest| digest.to_string()));
        both.extend(ours.zip(theirs));
    }
    assert!(both.len() > inputs.len() / 3, "{} of {} have a digest", both.len(), inputs.len());
    for (a, their_a) in &both {
        for (b, their_b) in both.iter().step_by(7) {
            assert_eq!(a.compare(b), their_a.compare(their_b));
        }
    }
}

/// Short pieces are counted in another way than long ones.
#[test]
fn pieces_of_all_lengths_agree_with_another_implementation() {
    for length in [2051, 2052, WINDOWS_MAX + 3, WINDOWS_MAX + 4, WINDOWS_MAX + 5, 3 * WINDOWS_MAX] {
        for input in [random(9, length), text(9, length), vec![7; length]] {
            let expected = theirs(&input).map(|digest| digest.to_string());
            for before in (0..6).chain([2047, 2048, 2049, length]) {
                let (first, rest) = input.split_at(before.min(length));
                for piece in [5, 2048, 2050, length] {
                    let mut hasher = Hasher::new();
                    hasher.update(first);
                    rest.chunks(piece).for_each(|piece| hasher.update(piece));
                    let found = hasher.finish().ok().map(|digest| digest.to_string());
                    assert_eq!(found, expected, "{length} bytes, {before} and then pieces of {piece}");
                }
            }
        }
    }
}

#[test]
fn many_at_once_agree_with_one_by_one() {
    let bytes = random(8, 3 * WINDOWS_MAX + 100);
    let mut inputs: Vec<Vec<u8>> = (0..400).map(|length| bytes[..length].to_vec()).collect();
    for length in [1, 2, 3].map(|parts| parts * WINDOWS_MAX) {
        inputs.extend((0..9).map(|more| bytes[..length + more].to_vec()));
    }
    inputs.extend((0..60).map(|seed| text(seed, 100 * seed as usize)));
    inputs.extend((0..60).map(|seed| records(seed, 1000 * seed as usize)));
    inputs.extend((0..20).map(|period| (0..70_000).map(|i| (i % (7 * period + 1)) as u8).collect()));
    inputs.push(vec![0; 1_000_000]);
    let expected: Vec<_> = inputs.iter().map(|bytes| digest(bytes)).collect();
    for backend in Backend::offered() {
        let mut hasher = ManyHasher::with_backend(backend);
        // All together, and with too few to fill the lanes.
        for size in [inputs.len(), 3] {
            for (inputs, expected) in inputs.chunks(size).zip(expected.chunks(size)) {
                let slices: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
                for (index, found) in hasher.digest_many(&slices).into_iter().enumerate() {
                    assert_eq!(found, expected[index], "{backend:?}, {} bytes", inputs[index].len());
                }
            }
        }
    }
    assert!(expected.iter().filter(|digest| digest.is_ok()).count() > 300);
}

#[test]
fn inputs_without_digest_say_why() {
    let no_digest = |bytes: &[u8]| digest(bytes).expect_err("no digest");
    assert_eq!(no_digest(&random(1, 49)), NoDigest::new(Family::Tlsh, NoDigestReason::TooShort, 49));
    assert_eq!(no_digest(&[7; 5000]), NoDigest::new(Family::Tlsh, NoDigestReason::TooUniform, 5000));
}

#[test]
fn a_broken_digest_says_what_and_where() {
    let good = "AFA02223CE202808200CE2A03BB00330320F088AC8".to_owned() + &"0".repeat(28);
    assert_eq!(parse(&good).to_string(), format!("T1{good}"));
    assert_eq!(parse(&good.to_lowercase()), parse(&format!("T1{good}")));
    let cases = [
        (String::new(), "byte 0: digest has not 70 hexadecimal digits"),
        (good[1..].to_owned(), "byte 69: digest has not 70 hexadecimal digits"),
        (format!("T1{good}0"), "byte 73: digest has not 70 hexadecimal digits"),
        (format!("T2{good}"), "byte 0: digest has a character that is no hexadecimal digit"),
        (good.replacen("CE", "+E", 1), "byte 8: digest has a character that is no hexadecimal digit"),
    ];
    for (text, message) in cases {
        assert_eq!(text.parse::<Digest>().expect_err(&text).to_string(), message, "{text}");
    }
}

#[test]
fn lists_go_on_after_a_broken_line() {
    let digits = "0123456789".repeat(7);
    let list = format!("T1{digits}\ta b\r\nTNULL\tempty\n{digits}\tc\td\nT1{digits}\n\nxy\tz\n{digits}\te");
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for entry in read::<Lines>(list.as_bytes()) {
        match entry {
            Ok(entry) => good.push((entry.line, String::from_utf8(entry.name).expect("ASCII"))),
            Err(error) => bad.push(error),
        }
    }
    assert_eq!(good, [(1, "a b"), (3, "c\td"), (4, ""), (7, "e")].map(|(line, name)| (line, name.to_owned())));
    assert_eq!(bad, ["line 6: byte 0: digest has a character that is no hexadecimal digit"]);
}

/// Any digest whose fields can occur.
fn any_digest() -> impl Strategy<Value = Digest> {
    prop::collection::vec(any::<u8>(), 35).prop_map(|bytes| {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        parse(&digits)
    })
}

proptest! {
    #[test]
    fn pieces_give_what_one_shot_gives(seed in any::<u64>(), cuts in prop::collection::vec(0..100_usize, 0..30)) {
        let bytes = text(seed, 3000);
        let mut hasher = Hasher::new();
        let mut rest = &bytes[..];
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            hasher.update(piece);
            rest = after;
        }
        hasher.update(rest);
        prop_assert_eq!(hasher.finish(), digest(&bytes));
    }

    #[test]
    fn what_is_printed_is_read_back(digest in any_digest()) {
        prop_assert_eq!(parse(&digest.to_string()), digest);
    }

    #[test]
    fn distances_are_symmetric(a in any_digest(), b in any_digest()) {
        prop_assert_eq!(a.compare(&b), b.compare(&a));
        prop_assert_eq!(a.compare(&a), 0);
        prop_assert!(a.compare(&b) >= a.compare_without_length(&b));
    }

    #[test]
    fn written_lists_are_read_back(entries in prop::collection::vec((any_digest(), "[ -~]{1,20}"), 0..20)) {
        let mut writer = Writer::new(Vec::new());
        for (digest, name) in &entries {
            writer.entry(digest, name.as_bytes()).expect("memory");
        }
        let list = writer.into_inner();
        let read: Vec<_> = read::<Lines>(&list).into_iter().map(|entry| entry.expect("well-formed")).collect();
        let read: Vec<_> = read.into_iter().map(|entry| (entry.digest, entry.name)).collect();
        let expected: Vec<_> = entries.into_iter().map(|(digest, name)| (digest, name.into_bytes())).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn any_bytes_are_a_list_or_errors(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read::<Lines>(&bytes).len() <= 301);
    }
}
