//! mrsh-v2 against the vectors, and its properties.

use std::collections::HashMap;

use pfh_similarity::mrsh_v2::{Build, Digest, Hasher, Measure, list};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::sdhash::{mixed, shortened};
use crate::seeds::similarity::{plain_mrsh_v2, read};
use crate::vectors::{contents, inputs, pairs, text};

fn digest(bytes: &[u8], build: Build) -> Digest {
    let mut hasher = Hasher::with_build(build);
    hasher.update(bytes);
    hasher.finish().expect("every input has a digest")
}

fn all(build: Build) -> HashMap<&'static str, Digest> {
    inputs().map(|line| (text(line, "id"), digest(contents(line), build).with_name(text(line, "id")))).collect()
}

#[test]
fn digests_are_those_of_the_original() {
    for (field, build) in [("mrsh_v2", Build::Normal), ("mrsh_v2_net", Build::Network)] {
        let digests = all(build);
        for line in inputs() {
            let digest = &digests[text(line, "id")];
            assert_eq!(shortened(&digest.to_string()), text(line, field), "{field} of {}", line["id"]);
            assert_eq!(digest.to_string().parse().as_ref(), Ok(digest), "{field} of {}", line["id"]);
        }
    }
}

#[test]
fn scores_are_those_of_the_original() {
    let (normal, network) = (all(Build::Normal), all(Build::Network));
    for pair in pairs() {
        let (a, b) = (text(pair, "a"), text(pair, "b"));
        let scores = [
            ("mrsh_v2", normal[a].compare(&normal[b], Measure::Containment)),
            ("mrsh_v2_rev", normal[b].compare(&normal[a], Measure::Containment)),
            ("mrsh_v2_f", normal[a].compare(&normal[b], Measure::Resemblance)),
            ("mrsh_v2_net", network[a].compare(&network[b], Measure::Containment)),
        ];
        for (field, score) in scores {
            assert_eq!(Some(u64::from(score)), pair[field].as_u64(), "{field} of {a} and {b}");
        }
    }
}

fn digest_in(piece: usize, bytes: &[u8], build: Build) -> Digest {
    let mut hasher = Hasher::with_build(build);
    bytes.chunks(piece).for_each(|piece| hasher.update(piece));
    hasher.finish().expect("every input has a digest")
}

#[test]
fn digests_are_those_of_the_definition_in_any_pieces() {
    for seed in 0..6 {
        let input = mixed(seed, 140_000);
        let mut lengths: Vec<usize> = (0..400).collect();
        lengths.extend([16_000, 16_384, 16_385, 16_424, 32_768, 59_999, 60_000, 65_536, 65_537, 65_576, 140_000]);
        for bytes in lengths {
            let input = &input[..bytes];
            for build in [Build::Normal, Build::Network] {
                let expected = plain_mrsh_v2(input, build);
                for piece in [1, 40, 1000, 16_384, 50_000, 1 << 20] {
                    if bytes > 400 && piece == 1 && seed > 0 {
                        continue;
                    }
                    assert_eq!(digest_in(piece, input, build).to_string(), expected, "seed {seed}, {bytes} by {piece}");
                }
            }
        }
    }
}

#[test]
fn damaged_texts_are_refused() {
    let text = digest(&mixed(1, 50_000), Build::Normal).with_name("a:b").to_string();
    assert_eq!(text.parse::<Digest>().expect("readable").name(), b"a:b");
    // From the right: filters, elements of the last one, number of full ones, size.
    let fields: Vec<&str> = text.rsplitn(5, ':').collect();
    for index in 0..4 {
        for damage in ["", "-1", "+1", " 1", "01", "18446744073709551616", "zz", "a0"] {
            let mut fields = fields.clone();
            fields[index] = damage;
            fields.reverse();
            assert!(fields.join(":").parse::<Digest>().is_err(), "{index} {damage}");
        }
    }
    for end in 0..text.len() {
        assert!(text[..end].parse::<Digest>().is_err(), "{end}");
    }
    assert!(text.to_lowercase().parse::<Digest>().is_err());
}

#[test]
fn a_broken_line_does_not_end_a_list() {
    let digests =
        [100, 0, 50_000].map(|bytes| digest(&mixed(3, bytes), Build::Normal).with_name(format!("{bytes}: x")));
    let mut file = Vec::new();
    for digest in &digests {
        list::write(digest, &mut file).expect("a vector");
        file.extend_from_slice(b"broken:1:0:0:00\n");
    }
    assert!(list::write(&digests[0].clone().with_name("a\nb"), &mut file).is_err());
    let (read, errors): (Vec<_>, Vec<_>) = read::<list::Lines>(&file).into_iter().partition(Result::is_ok);
    let read: Vec<_> = read.into_iter().flatten().collect();
    assert!(read.iter().zip(&digests).all(|(entry, digest)| entry.digest == *digest && entry.name == digest.name()));
    assert_eq!((read.len(), read[1].line, errors.len()), (3, 4, 3));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in vec(any::<u8>(), 0..100), at in 0..600_usize) {
        let _ = Digest::from_bytes(&bytes);
        let mut text = b"name:100:0:3:".to_vec();
        text.extend_from_slice(&[b'0'; 512]);
        let at = at.min(text.len());
        text.splice(at..(at + bytes.len() / 4).min(text.len()), bytes);
        if let Ok(digest) = Digest::from_bytes(&text) {
            let mut again = Vec::new();
            digest.write_to(&mut again);
            prop_assert_eq!(&again, &text);
            let _ = digest.compare(&digest, Measure::Resemblance);
        }
    }
}
