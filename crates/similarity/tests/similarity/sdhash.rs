//! sdhash against the vectors, and its properties.

use std::collections::HashMap;

use pfh_digest::Algorithm;
use pfh_similarity::sdhash::{BlockSize, Comparison, Digest, Hasher, Mode, Options, Profile};
use serde_json::Value;

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
