//! Comparisons on several threads, in blocks and with indexes, against comparing each digest with each.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;

use pfh_similarity::all_pairs::{Compare, Digests, SimilarPair, Wanted};
use pfh_similarity::{CancelToken, Digest, Family, Hasher, Score};

use crate::inputs::random;
use crate::pairs::corpus;

/// The digests of a family that the inputs have, some of them repeatedly.
fn digests(family: Family) -> Vec<Digest> {
    let inputs = corpus();
    let digest = |input: &Vec<u8>| {
        let mut hasher = Hasher::new(family);
        hasher.update(input);
        hasher.finish().ok()
    };
    inputs.iter().chain([&random(3, 50)]).chain(inputs.iter().step_by(7)).filter_map(digest).collect()
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

/// The most similar others of each digest, `count` of them, by pairs of digests numbered from 0.
fn best(family: Family, pairs: &[SimilarPair], is_one_side: bool, count: usize) -> BTreeMap<u32, Vec<SimilarPair>> {
    let mut best: BTreeMap<u32, Vec<SimilarPair>> = BTreeMap::new();
    for &pair in pairs {
        best.entry(pair.first).or_default().push(pair);
        if is_one_side {
            let turned = SimilarPair { first: pair.second, second: pair.first, ..pair };
            best.entry(turned.first).or_default().push(turned);
        }
    }
    for pairs in best.values_mut() {
        let rank = |score| if family == Family::Tlsh { score } else { 100 - score };
        pairs.sort_by_key(|pair| (rank(pair.score), pair.second));
        pairs.truncate(count);
    }
    best
}

/// For each of `count` digests the first of those that pairs connect it with.
fn connected(pairs: &[SimilarPair], count: usize) -> Vec<u32> {
    let mut firsts: Vec<u32> = (0..count as u32).collect();
    for pair in pairs {
        let (one, other) = (firsts[pair.first as usize], firsts[pair.second as usize]);
        firsts.iter_mut().filter(|first| **first == one.max(other)).for_each(|first| *first = one.min(other));
    }
    firsts
}

#[test]
fn wanted_pairs_are_among_all_and_suffice() {
    for family in Family::ALL {
        let all = digests(family);
        let (left, right) = all.split_at(30);
        let (all_digests, left_digests, right_digests) =
            (collected(family, &all), collected(family, left), collected(family, right));
        for (threshold, memory_bytes) in [(0, 1 << 30), (1, 0), (1, 1 << 30), (30, 40_000), (100, 1 << 30)] {
            let mut compare = Compare::new(family);
            compare.threshold = threshold;
            compare.memory_bytes = memory_bytes;
            let mut find = |wanted| {
                compare.wanted = wanted;
                let within = sorted(|take| compare.all(&all_digests, take));
                (within, sorted(|take| compare.between(&left_digests, &right_digests, take)))
            };
            let (within, across) = find(Wanted::All);
            let is_part = |found: &[SimilarPair], all: &[SimilarPair]| {
                found.is_sorted_by(|one, other| one < other) && found.iter().all(|pair| all.binary_search(pair).is_ok())
            };
            for count in [1, 2, 5] {
                let (found, found_across) = find(Wanted::Best(count));
                let context = format!("{family} {threshold} {memory_bytes} {count}");
                assert!(is_part(&found, &within) && is_part(&found_across, &across), "{context}");
                assert_eq!(best(family, &found, true, count), best(family, &within, true, count), "{context}");
                let expected = best(family, &across, false, count);
                assert_eq!(best(family, &found_across, false, count), expected, "{context}");
            }
            let (found, found_across) = find(Wanted::Links);
            let context = format!("{family} {threshold} {memory_bytes}");
            assert!(is_part(&found, &within) && is_part(&found_across, &across), "{context}");
            assert_eq!(connected(&found, all.len()), connected(&within, all.len()), "{context}");
            // Numbers of the right side come after those of the left.
            let shifted = |pairs: Vec<SimilarPair>| -> Vec<SimilarPair> {
                let shift = |pair: SimilarPair| SimilarPair { second: pair.second + left.len() as u32, ..pair };
                pairs.into_iter().map(shift).collect()
            };
            let expected = connected(&shifted(across), all.len());
            assert_eq!(connected(&shifted(found_across), all.len()), expected, "{context}");
        }
    }
}

#[test]
fn equal_digests_make_few_pairs_where_not_all_are_wanted() {
    const COUNT: usize = 500;
    for family in [Family::Ssdeep, Family::Tlsh] {
        let [digest, ..] = &digests(family)[..] else { panic!("inputs without digest") };
        let equal = collected(family, &vec![digest.clone(); COUNT]);
        let mut compare = Compare::new(family);
        for (wanted, within, across) in [
            (Wanted::All, COUNT * (COUNT - 1) / 2, COUNT * COUNT),
            (Wanted::Best(1), COUNT - 1, 2 * COUNT - 1),
            (Wanted::Best(2), 2 * COUNT - 3, 4 * COUNT - 4),
            (Wanted::Links, COUNT - 1, 2 * COUNT - 1),
        ] {
            compare.wanted = wanted;
            assert_eq!(sorted(|take| compare.all(&equal, take)).len(), within, "{family} {wanted:?}");
            assert_eq!(sorted(|take| compare.between(&equal, &equal, take)).len(), across, "{family} {wanted:?}");
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
