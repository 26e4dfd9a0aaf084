//! All against all equals each against each.

use std::num::NonZero;

use pfh_similarity::mrsh_v2::{self, Build, Measure};
use pfh_similarity::sdhash::{self, BlockSize, Comparison, Direction, Mode, Options, Profile};
use pfh_similarity::{Backend, Pair};

use crate::inputs::{Random, random};
use crate::sdhash::mixed;

/// Inputs of many sizes, some of which have parts of others.
pub(crate) fn corpus() -> Vec<Vec<u8>> {
    let mut choice = Random(77);
    let mut inputs: Vec<Vec<u8>> = Vec::new();
    for seed in 0..70 {
        let bytes = 512 + (choice.next() % 3000) as usize * (1 + choice.next() % 20) as usize;
        let mut input = mixed(seed, bytes);
        if let Some(other) = inputs.get((choice.next() % 40) as usize) {
            let length = (choice.next() % 30_000) as usize;
            input.extend_from_slice(&other[..length.min(other.len())]);
        }
        if seed % 9 == 0 {
            input = random(seed, bytes);
        }
        inputs.push(input);
    }
    let twins = [inputs[3].clone(), inputs[20].clone(), vec![0; 40_000], random(1, 530), random(1, 600)];
    inputs.extend(twins);
    inputs
}

/// The pairs, in order.
fn sorted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable();
    pairs
}

fn brute(left: usize, right: Option<usize>, threshold: u8, score: impl Fn(usize, usize) -> Option<u8>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for first in 0..left {
        for second in if right.is_some() { 0 } else { first + 1 }..right.unwrap_or(left) {
            pairs.extend(score(first, second).filter(|&score| score >= threshold).map(|score| Pair {
                first,
                second,
                score,
            }));
        }
    }
    pairs
}

const THRESHOLDS: [NonZero<u8>; 3] =
    [NonZero::new(1).expect("not 0"), NonZero::new(20).expect("not 0"), NonZero::new(100).expect("not 0")];

#[test]
fn sdhash() {
    let names = ["b", "a", "", "c", "a"];
    let digest = |place: usize, input: &[u8], profile| {
        let mode = if place.is_multiple_of(3) {
            Mode::Blocks(BlockSize::from_kibibytes(4).expect("a size"))
        } else {
            Mode::Stream
        };
        let mut hasher = sdhash::Hasher::with_options(Options { profile, mode, input_bytes: None });
        hasher.update(input);
        hasher.finish().expect("long enough").with_name(names[place % names.len()])
    };
    let inputs = corpus();
    for profile in [Profile::V3_4, Profile::V4_0] {
        let digests: Vec<_> = inputs.iter().enumerate().map(|(place, input)| digest(place, input, profile)).collect();
        let plain = [Direction::Original, Direction::Symmetric].map(|direction| Comparison {
            profile,
            direction,
            ..Comparison::default()
        });
        let others = [(2, false), (0, true), (1, true)].map(|(sample, fast)| Comparison {
            profile,
            sample,
            fast,
            ..Comparison::default()
        });
        for comparison in plain.into_iter().chain(others) {
            for threshold in THRESHOLDS {
                let expected =
                    brute(digests.len(), None, threshold.get(), |i, j| digests[i].compare(&digests[j], &comparison));
                let pairs = sdhash::Pairs::all(&digests, &comparison, threshold);
                let mut found = Vec::new();
                (0..pairs.parts()).for_each(|part| pairs.part(part, |pair| found.push(pair)));
                assert_eq!(sorted(found), expected, "{comparison:?} {threshold}");
                assert!(expected.len() > 1 && pairs.parts() > 10);

                let (left, right) = digests.split_at(30);
                let expected = brute(left.len(), Some(right.len()), threshold.get(), |i, j| {
                    left[i].compare(&right[j], &comparison)
                });
                let pairs = sdhash::Pairs::between(left, right, &comparison, threshold);
                let mut found = Vec::new();
                (0..pairs.parts()).for_each(|part| pairs.part(part, |pair| found.push(pair)));
                assert_eq!(sorted(found), expected, "{comparison:?} {threshold}");
            }
        }
    }
    let none = sdhash::Pairs::all(&[], &Comparison::default(), THRESHOLDS[0]);
    assert_eq!(none.parts(), 0);
}

#[test]
fn mrsh_v2() {
    for build in [Build::Normal, Build::Network] {
        let digest = |input: &Vec<u8>| {
            let mut hasher = mrsh_v2::Hasher::with_build(build);
            hasher.update(input);
            hasher.finish().expect("every input has a digest")
        };
        let mut inputs = corpus();
        inputs.extend([vec![], vec![1], random(5, 300)]);
        let digests: Vec<_> = inputs.iter().map(digest).collect();
        for measure in [Measure::Containment, Measure::Resemblance] {
            for threshold in THRESHOLDS {
                let expected =
                    brute(digests.len(), None, threshold.get(), |i, j| Some(digests[i].compare(&digests[j], measure)));
                let pairs = mrsh_v2::Pairs::all(&digests, measure, threshold);
                let mut found = Vec::new();
                (0..pairs.parts()).for_each(|part| pairs.part(part, |pair| found.push(pair)));
                assert_eq!(sorted(found), expected, "{build:?} {measure:?} {threshold}");
                assert!(expected.len() > 1 || threshold.get() == 100);

                let (left, right) = digests.split_at(30);
                let expected = brute(left.len(), Some(right.len()), threshold.get(), |i, j| {
                    Some(left[i].compare(&right[j], measure))
                });
                let pairs = mrsh_v2::Pairs::between(left, right, measure, threshold);
                let mut found = Vec::new();
                (0..pairs.parts()).for_each(|part| pairs.part(part, |pair| found.push(pair)));
                assert_eq!(sorted(found), expected, "{build:?} {measure:?} {threshold}");
            }
        }
    }
}

/// Each backend by its name.
#[test]
fn every_backend_finds_the_same_pairs() {
    type Part<'a> = &'a dyn Fn(usize, &mut dyn FnMut(Pair));
    let found = |parts: usize, part: Part<'_>| {
        let mut found = Vec::new();
        (0..parts).for_each(|at| part(at, &mut |pair| found.push(pair)));
        sorted(found)
    };
    let inputs = corpus();
    let sdhash_digest = |input: &Vec<u8>| {
        let mut hasher = sdhash::Hasher::new();
        hasher.update(input);
        hasher.finish().expect("long enough")
    };
    let mrsh_v2_digest = |input: &Vec<u8>| {
        let mut hasher = mrsh_v2::Hasher::new();
        hasher.update(input);
        hasher.finish().expect("every input has a digest")
    };
    let sdhash_digests: Vec<_> = inputs.iter().map(sdhash_digest).collect();
    let mrsh_v2_digests: Vec<_> = inputs.iter().map(mrsh_v2_digest).collect();
    let of = |backend: Backend| {
        let pairs = sdhash::Pairs::all(&sdhash_digests, &Comparison::default(), THRESHOLDS[0]).with_backend(backend);
        let sdhash = found(pairs.parts(), &|part, each| pairs.part(part, each));
        let pairs = mrsh_v2::Pairs::all(&mrsh_v2_digests, Measure::Containment, THRESHOLDS[0]).with_backend(backend);
        (sdhash, found(pairs.parts(), &|part, each| pairs.part(part, each)))
    };
    let expected = of(Backend::from_name("portable").expect("every CPU offers it"));
    assert!(expected.0.len() > 1 && expected.1.len() > 1);
    for backend in Backend::offered() {
        assert_eq!(of(backend), expected, "{backend}");
    }
}
