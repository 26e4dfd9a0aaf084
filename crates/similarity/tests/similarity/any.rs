//! The families behind one type.

use pfh_similarity::{Backend, Digest, Family, Hasher, Score, SimilarityOptions};

use crate::vectors::{self, contents, inputs};

fn digest(family: Family, bytes: &[u8]) -> Option<Digest> {
    let mut hasher = Hasher::new(family);
    assert_eq!(hasher.family(), family);
    bytes.chunks(1000).for_each(|piece| hasher.update(piece));
    hasher.finish().ok()
}

#[test]
fn every_family_by_its_name() {
    let line = inputs().find(|line| vectors::text(line, "id") == "a-base-t").expect("an input");
    for family in Family::ALL {
        let made = digest(family, contents(line)).expect("enough bytes").with_name(b"a-base-t");
        assert_eq!(made.family(), family);
        let field = match family {
            Family::Sdhash => "sdhash34",
            Family::MrshV2 => "mrsh_v2",
            Family::Ssdeep | Family::Tlsh => family.name(),
        };
        let mut expected = vectors::text(line, field);
        if expected == "same" {
            expected = vectors::text(line, "sdhash");
        }
        if !expected.starts_with("sha256:") {
            assert_eq!(made.to_string(), expected);
        }
        assert_eq!(Digest::from_bytes(family, made.to_string().as_bytes()), Ok(made.clone()));
        let same = if family == Family::Tlsh { Score::Distance(0) } else { Score::Similarity(100) };
        assert_eq!(made.compare(&made), Some(same));
        for other in Family::ALL.into_iter().filter(|&other| other != family) {
            assert_eq!(digest(other, contents(line)).expect("enough bytes").compare(&made), None);
        }
        let enough = vec![0; family.minimum_bytes().saturating_sub(1) as usize];
        assert_eq!(digest(family, &enough).is_some(), family.minimum_bytes() == 0);
        for name in [family.name()].iter().chain(family.aliases()) {
            assert_eq!(name.to_uppercase().parse(), Ok(family));
        }
    }
    assert_eq!(
        "md5".parse::<Family>().expect_err("no such family").to_string(),
        "there is no similarity family `md5`: use ssdeep, sdhash, mrsh-v2 or tlsh"
    );
}

/// Each backend by its name, in long pieces; the expected ones in short pieces, for which there are fewer kernels.
#[test]
fn every_backend_makes_the_same_digests() {
    let portable = Backend::from_name("portable").expect("every CPU offers it");
    for line in inputs().filter(|line| contents(line).len() < 300 << 10) {
        for family in Family::ALL {
            let digest = |backend: Backend, piece_bytes: usize| {
                let mut hasher = Hasher::with_backend(family, &SimilarityOptions::default(), backend);
                contents(line).chunks(piece_bytes).for_each(|piece| hasher.update(piece));
                hasher.finish()
            };
            let expected = digest(portable, 1000);
            for backend in Backend::offered() {
                assert_eq!(digest(backend, 1 << 20), expected, "{family} {backend}");
            }
        }
    }
}

/// The kernels that a family names are those that its hashers hold: a forced backend reaches them.
#[test]
fn hashers_have_the_kernels_that_families_name() {
    for backend in Backend::offered() {
        for family in Family::ALL {
            let hasher = format!("{:?}", Hasher::with_backend(family, &SimilarityOptions::default(), backend));
            for kernel in family.kernels(backend) {
                let field = match kernel.work {
                    "ranks" => "rank",
                    "popularity" => "popularity",
                    "ends" => "divider: Divider { kernels",
                    // Those of comparisons.
                    "filters" => continue,
                    _ => "kernels",
                };
                let expected = format!("{field}: {}", kernel.instructions);
                assert!(hasher.contains(&expected), "{family} {backend}: no `{expected}` in {hasher:.500}");
            }
            let is_plain = backend.name() != "portable" || !hasher.contains("avx");
            assert!(is_plain, "{family}");
        }
    }
}
