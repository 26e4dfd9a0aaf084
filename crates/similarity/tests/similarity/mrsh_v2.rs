//! mrsh-v2 against the vectors, and its properties.

use std::collections::HashMap;

use pfh_similarity::mrsh_v2::{Build, Digest, Hasher, Measure};

use crate::sdhash::shortened;
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
