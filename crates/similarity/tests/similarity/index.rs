//! Indexes against comparing everything with everything.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use pfh_similarity::{ssdeep, tlsh};
use proptest::prelude::*;

use crate::inputs::Random;

/// Digests among which many are related: each is new, or a changed copy of one before it.
pub(crate) fn related_ssdeep(seed: u64, count: usize) -> Vec<ssdeep::Digest> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut random = Random(seed);
    let mut digests: Vec<(u32, [Vec<u8>; 2])> = Vec::new();
    while digests.len() < count {
        let kind = random.next() % 8;
        let letters = if kind < 2 { 3 } else { 64 };
        let letter = |random: &mut Random| ALPHABET[(random.next() % letters) as usize];
        let mut digest = match digests.len() {
            0 => (5, [Vec::new(), Vec::new()]),
            known => digests[(random.next() % known as u64) as usize].clone(),
        };
        if kind < 3 {
            let lengths =
                [random.next() % 65, random.next() % 33].map(|length| if kind == 2 { length % 9 } else { length });
            digest =
                ((random.next() % 6) as u32, lengths.map(|length| (0..length).map(|_| letter(&mut random)).collect()));
        }
        match random.next() % 6 {
            0 => digest.1.swap(0, 1),
            1 => digest.0 = (digest.0 + 1).min(30),
            2 => digest.0 = digest.0.saturating_sub(1),
            3 => digest.1[1] = digest.1[0].iter().copied().step_by(2).collect(),
            _ => {}
        }
        for part in &mut digest.1 {
            for _ in 0..random.next() % 4 {
                let place = (random.next() % (part.len() as u64 + 1)) as usize;
                match random.next() % 3 {
                    0 if place < part.len() => drop(part.remove(place)),
                    1 if place < part.len() => part[place] = letter(&mut random),
                    _ => part.insert(place, letter(&mut random)),
                }
            }
            part.truncate(64);
        }
        digests.push(digest);
    }
    let text = |part: &[u8]| String::from_utf8(part.to_vec()).expect("ASCII");
    let parse = |(level, [first, second]): (u32, [Vec<u8>; 2])| {
        format!("{}:{}:{}", 3_u64 << level, text(&first), text(&second)).parse().expect("a digest")
    };
    digests.into_iter().map(parse).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn ssdeep_pairs_are_those_of_brute_force(seed in any::<u64>(), count in 0..250_usize, threshold in 0..=100_u8) {
        let digests = related_ssdeep(seed, count);
        let mut expected = BTreeSet::new();
        for (b, right) in digests.iter().enumerate() {
            for (a, left) in digests[..b].iter().enumerate() {
                let score = left.compare(right);
                if score >= threshold.max(1) {
                    expected.insert((a as u32, b as u32, score));
                }
            }
        }
        let index = ssdeep::Index::new(&digests);
        let mut searcher = index.searcher();
        let mut found = Vec::new();
        for number in 0..digests.len() as u32 {
            let flow = searcher.matches_before(number, threshold, |matched| {
                found.push((matched.number, number, matched.score));
                ControlFlow::<()>::Continue(())
            });
            prop_assert!(flow.is_continue());
        }
        prop_assert_eq!(found.len(), expected.len());
        prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        // A digest from outside meets all, itself among them.
        for digest in related_ssdeep(seed, count + 20).iter().skip(count / 2) {
            let all = digests.iter().enumerate().map(|(number, other)| (number as u32, digest.compare(other)));
            let expected: Vec<_> = all.filter(|(_, score)| *score >= threshold.max(1)).collect();
            let mut found = Vec::new();
            let _ = searcher.matches(digest, threshold, |matched| {
                found.push((matched.number, matched.score));
                ControlFlow::<()>::Continue(())
            });
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn related_digests_are_related() {
    let digests = related_ssdeep(1, 400);
    let scores: Vec<u8> = digests.iter().flat_map(|a| digests.iter().map(|b| a.compare(b))).collect();
    assert!(scores.iter().filter(|&&score| score > 0 && score < 100).count() > 2000);
}

#[test]
fn a_search_stops_when_told() {
    let digests = vec!["3:abcdefgh:abcd".parse().expect("a digest"); 10];
    let index = ssdeep::Index::new(&digests);
    let mut calls = 0;
    let flow = index.searcher().matches(&digests[0], 1, |matched| {
        calls += 1;
        if matched.number == 3 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!((calls, flow), (4, ControlFlow::Break("enough")));
    assert!(ssdeep::Index::new([]).is_empty());
}

/// TLSH digests among which many are related.
pub(crate) fn related_tlsh(seed: u64, count: usize) -> Vec<tlsh::Digest> {
    let mut random = Random(seed);
    let mut digests: Vec<Vec<u8>> = Vec::new();
    while digests.len() < count {
        let known = digests.len() as u64;
        let mut digest = match known {
            0 => vec![b'0'; 70],
            _ => digests[(random.next() % known) as usize].clone(),
        };
        let changes = if random.next().is_multiple_of(5) { 70 } else { random.next() % 12 };
        for _ in 0..changes {
            // The header rarely changes, so that there are near ones too.
            let place = random.next() % 70;
            let place = if random.next().is_multiple_of(4) { place } else { place.max(6) };
            digest[place as usize] = b"0123456789ABCDEF"[(random.next() % 16) as usize];
        }
        digests.push(digest);
    }
    digests.iter().map(|digits| tlsh::Digest::from_bytes(digits).expect("a digest")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn tlsh_pairs_are_those_of_brute_force(seed in any::<u64>(), count in 0..250_usize, threshold in 0..400_u32) {
        let digests = related_tlsh(seed, count);
        let mut expected = BTreeSet::new();
        for (b, right) in digests.iter().enumerate() {
            for (a, left) in digests[..b].iter().enumerate() {
                let distance = left.compare(right);
                if distance <= threshold {
                    expected.insert((a as u32, b as u32, distance));
                }
            }
        }
        let index = tlsh::Index::new(&digests);
        let mut found = Vec::new();
        for number in 0..digests.len() as u32 {
            let flow = index.matches_before(number, threshold, |matched| {
                found.push((matched.number.min(number), matched.number.max(number), matched.distance));
                ControlFlow::<()>::Continue(())
            });
            prop_assert!(flow.is_continue());
        }
        prop_assert_eq!(found.len(), expected.len());
        prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        for digest in related_tlsh(seed, count + 20).iter().skip(count / 2) {
            let all = digests.iter().enumerate().map(|(number, other)| (number as u32, digest.compare(other)));
            let expected: BTreeSet<_> = all.filter(|(_, distance)| *distance <= threshold).collect();
            let mut found = BTreeSet::new();
            let _ = index.matches(digest, threshold, |matched| {
                found.insert((matched.number, matched.distance));
                ControlFlow::<()>::Continue(())
            });
            prop_assert_eq!(found, expected);
        }
    }
}

/// Lengths lie on a circle: the least and the greatest are neighbours.
#[test]
fn tlsh_matches_are_those_of_brute_force_at_all_lengths() {
    let mut random = Random(5);
    let few = (0..200).map(|number: u8| (number % 6).wrapping_sub(3));
    let digest = |length: u8| {
        let text = format!("01{:02X}{:02X}{:064X}", length.rotate_left(4), random.next() % 256, random.next() % 256);
        tlsh::Digest::from_bytes(text.as_bytes()).expect("a digest")
    };
    let digests: Vec<tlsh::Digest> = (0..=255).chain(few).map(digest).collect();
    let index = tlsh::Index::new(&digests);
    for distance_max in [0, 1, 2, 12, 23, 24, 30, 100, 800, 1535, 1600, 5000] {
        let (mut matches, mut pairs) = (0, 0);
        for (number, digest) in digests.iter().enumerate() {
            let all = digests.iter().enumerate().map(|(number, other)| (number as u32, digest.compare(other)));
            let expected: BTreeSet<_> = all.filter(|(_, distance)| *distance <= distance_max).collect();
            let mut found = BTreeSet::new();
            let _ = index.matches(digest, distance_max, |matched| {
                assert!(found.insert((matched.number, matched.distance)));
                ControlFlow::<()>::Continue(())
            });
            assert_eq!(found, expected, "{number} {distance_max}");
            matches += found.len();
            let _ = index.matches_before(number as u32, distance_max, |matched| {
                assert!(expected.contains(&(matched.number, matched.distance)));
                pairs += 1;
                ControlFlow::<()>::Continue(())
            });
        }
        // Each digest matches itself, and each pair is found from both sides.
        assert_eq!(matches, digests.len() + 2 * pairs, "{distance_max}");
    }
}
