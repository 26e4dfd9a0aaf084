//! Comparisons on several threads, in blocks and with indexes, against comparing each digest with each.

use std::num::NonZero;
use std::ops::ControlFlow;

use pfh_similarity::all_pairs::{Compare, Digests, SimilarPair};
use pfh_similarity::{CancelToken, Digest, Family, Hasher, Score};

use crate::inputs::random;
use crate::pairs::corpus;

/// The digests of a family that the inputs have.
fn digests(family: Family) -> Vec<Digest> {
    let digest = |input: &Vec<u8>| {
        let mut hasher = Hasher::new(family);
        hasher.update(input);
        hasher.finish().ok()
    };
    corpus().iter().chain([&random(3, 50)]).filter_map(digest).collect()
}

fn collected(family: Family, digests: &[Digest]) -> Digests {
    let mut collected = Digests::new(family);
    digests.iter().for_each(|digest| collected.push(digest.clone()).expect("of this family"));
    assert_eq!(
        (collected.family(), collected.len(), collected.is_empty()),
        (family, digests.len(), digests.is_empty())
    );
    collected
}

/// The pairs that are at least as similar as the threshold says.
fn expected(pairs: impl Iterator<Item = (usize, usize, Option<Score>)>, threshold: u32) -> Vec<SimilarPair> {
    let counts = |(first, second, score)| {
        let score = match score? {
            Score::Similarity(score) if u32::from(score) >= threshold => score.into(),
            Score::Distance(distance) if distance <= threshold => distance,
            _ => return None,
        };
        Some(SimilarPair { first: first as u32, second: second as u32, score })
    };
    pairs.filter_map(counts).collect()
}

fn sorted(find: impl FnOnce(&mut (dyn FnMut(&[SimilarPair]) -> ControlFlow<()> + Send))) -> Vec<SimilarPair> {
    let mut found = Vec::new();
    find(&mut |pairs: &[SimilarPair]| {
        found.extend_from_slice(pairs);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}

#[test]
fn pairs_are_those_of_each_with_each() {
    for family in Family::ALL {
        let all = digests(family);
        let (left, right) = all.split_at(30);
        let (all_digests, left_digests, right_digests) =
            (collected(family, &all), collected(family, left), collected(family, right));
        for threshold in [0, 1, 30, 100] {
            let triangle = (0..all.len()).flat_map(|first| (first + 1..all.len()).map(move |second| (first, second)));
            let within = triangle.map(|(first, second)| (first, second, all[first].compare(&all[second])));
            let within = expected(within, threshold);
            let grid = (0..left.len()).flat_map(|first| (0..right.len()).map(move |second| (first, second)));
            let across = grid.map(|(first, second)| (first, second, left[first].compare(&right[second])));
            let across = expected(across, threshold);
            assert!(!within.is_empty() && (threshold == 100 || !across.is_empty()), "{family} {threshold}");
            // One digest to a block, some to a block, and all in one.
            for memory_bytes in [0, 40_000, 1 << 30] {
                for threads in [1, 3] {
                    let mut compare = Compare::new(family);
                    compare.threshold = threshold;
                    compare.memory_bytes = memory_bytes;
                    compare.threads = NonZero::new(threads).expect("not 0");
                    let context = format!("{family} {threshold} {memory_bytes} {threads}");
                    assert_eq!(sorted(|take| compare.all(&all_digests, take)), within, "{context}");
                    assert_eq!(compare.progress.get(), 1.0, "{context}");
                    let found = sorted(|take| compare.between(&left_digests, &right_digests, take));
                    assert_eq!(found, across, "{context}");
                    assert_eq!(compare.progress.get(), 1.0, "{context}");
                }
            }
        }
    }
}

#[test]
fn digests_of_two_families_have_no_pairs() {
    let (one, other) = (collected(Family::Ssdeep, &digests(Family::Ssdeep)), Digests::new(Family::Tlsh));
    for (left, right) in [(&one, &other), (&other, &one)] {
        assert_eq!(sorted(|take| Compare::new(left.family()).between(left, right, take)), []);
    }
    let [digest, ..] = &digests(Family::Tlsh)[..] else { panic!("inputs without digest") };
    let mut ssdeep = one;
    assert_eq!(ssdeep.push(digest.clone()), Err(digest.clone()));
    let mut tlsh = other;
    assert_eq!(tlsh.push(digest.clone()), Ok(()));
    for threshold in [0, 30] {
        let mut compare = Compare::new(Family::Ssdeep);
        compare.threshold = threshold;
        assert_eq!(sorted(|take| compare.between(&ssdeep, &tlsh, take)), [], "{threshold}");
    }
}

#[test]
fn a_comparison_ends_when_its_taker_breaks_or_its_token_is_cancelled() {
    for family in Family::ALL {
        let digests = collected(family, &digests(family));
        let mut compare = Compare::new(family);
        compare.memory_bytes = 0;
        let mut calls = 0;
        compare.all(&digests, &mut |_| {
            calls += 1;
            ControlFlow::Break(())
        });
        assert_eq!(calls, 1, "{family}");
        let token = CancelToken::default();
        compare.cancel = token.clone();
        token.cancel();
        assert_eq!(sorted(|take| compare.all(&digests, take)), [], "{family}");
        assert!(compare.progress.get() < 0.5, "{family}");
    }
}
