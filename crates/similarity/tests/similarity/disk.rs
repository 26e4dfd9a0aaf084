//! Index files: what they find, and what happens when they are damaged.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::ops::ControlFlow;

use pfh_similarity::{Family, IndexError, ssdeep, tlsh};
use proptest::prelude::*;

use crate::index::{related_ssdeep, related_tlsh};

type File = Cursor<Vec<u8>>;

fn ssdeep_file(digests: &[ssdeep::Digest]) -> Vec<u8> {
    let mut builder = ssdeep::IndexFileBuilder::new();
    for (number, digest) in digests.iter().enumerate() {
        builder.push(digest.clone(), format!("name {number}").as_bytes()).expect("a short name");
    }
    builder.write(Vec::new()).expect("memory")
}

fn tlsh_file(digests: &[tlsh::Digest]) -> Vec<u8> {
    let mut builder = tlsh::IndexFileBuilder::new();
    for (number, digest) in digests.iter().enumerate() {
        builder.push(*digest, format!("name {number}").as_bytes()).expect("a short name");
    }
    builder.write(Vec::new()).expect("memory")
}

fn ssdeep_matches(file: &[u8], digest: &ssdeep::Digest, threshold: u8) -> Result<BTreeSet<(String, u32)>, IndexError> {
    let mut found = BTreeSet::new();
    let mut index = ssdeep::IndexFile::<File>::open(Cursor::new(file.to_vec()))?;
    let _ = index.matches(digest, threshold, |matched| {
        assert_eq!(digest.compare(&matched.digest), matched.score);
        found.insert((String::from_utf8_lossy(&matched.name).into_owned(), matched.score.into()));
        ControlFlow::<()>::Continue(())
    })?;
    Ok(found)
}

fn tlsh_matches(file: &[u8], digest: &tlsh::Digest, distance_max: u32) -> Result<BTreeSet<(String, u32)>, IndexError> {
    let mut found = BTreeSet::new();
    let mut index = tlsh::IndexFile::<File>::open(Cursor::new(file.to_vec()))?;
    let _ = index.matches(digest, distance_max, |matched| {
        assert_eq!(digest.compare(&matched.digest), matched.distance);
        found.insert((String::from_utf8_lossy(&matched.name).into_owned(), matched.distance));
        ControlFlow::<()>::Continue(())
    })?;
    Ok(found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn files_find_what_brute_force_finds(seed in any::<u64>(), count in 0..300_usize, threshold in 0..=100_u8) {
        let all = related_ssdeep(seed, count + 10);
        let digests = &all[..count];
        let file = ssdeep_file(digests);
        for digest in all.iter().step_by(7) {
            let scores = digests.iter().enumerate().map(|(number, other)| (format!("name {number}"), digest.compare(other).into()));
            let expected: BTreeSet<_> = scores.filter(|(_, score)| *score >= u32::from(threshold.max(1))).collect();
            prop_assert_eq!(ssdeep_matches(&file, digest, threshold).expect("whole"), expected);
        }
        let all = related_tlsh(seed, count + 10);
        let digests = &all[..count];
        let file = tlsh_file(digests);
        let distance_max = u32::from(threshold) * 3;
        for digest in all.iter().step_by(7) {
            let distances = digests.iter().enumerate().map(|(number, other)| (format!("name {number}"), digest.compare(other)));
            let expected: BTreeSet<_> = distances.filter(|(_, distance)| *distance <= distance_max).collect();
            prop_assert_eq!(tlsh_matches(&file, digest, distance_max).expect("whole"), expected);
        }
    }
}

/// Every byte of a small file, changed, gives an error or, where it was not needed, what the whole file gives.
#[test]
fn damage_is_found_where_it_matters() {
    let (one, two) = (related_ssdeep(3, 60), related_tlsh(3, 60));
    let (ssdeep_file, tlsh_file) = (ssdeep_file(&one), tlsh_file(&two));
    let whole = (
        ssdeep_matches(&ssdeep_file, &one[30], 1).expect("whole"),
        tlsh_matches(&tlsh_file, &two[30], 100).expect("whole"),
    );
    let mut errors = 0;
    for at in (0..ssdeep_file.len()).step_by(13) {
        let mut damaged = ssdeep_file.clone();
        damaged[at] ^= 0x41;
        match ssdeep_matches(&damaged, &one[30], 1) {
            Ok(found) => assert_eq!(found, whole.0, "byte {at}"),
            Err(_) => errors += 1,
        }
    }
    for at in 0..tlsh_file.len() {
        let mut damaged = tlsh_file.clone();
        damaged[at] ^= 0x41;
        match tlsh_matches(&damaged, &two[30], 100) {
            Ok(found) => assert_eq!(found, whole.1, "byte {at}"),
            Err(_) => errors += 1,
        }
    }
    assert!(errors > 1000, "{errors}");
    for length in (0..ssdeep_file.len()).step_by(97) {
        assert!(ssdeep_matches(&ssdeep_file[..length], &one[30], 1).is_err(), "{length} bytes");
    }
    for length in (0..tlsh_file.len()).step_by(97) {
        assert!(tlsh_matches(&tlsh_file[..length], &two[30], 100).is_err(), "{length} bytes");
    }
}

/// A hostile file has right checksums: fields are changed, and then the checksum of the page.
#[test]
fn lies_with_right_checksums_are_errors_or_wrong_answers_and_nothing_worse() {
    let (one, two) = (related_ssdeep(3, 60), related_tlsh(3, 60));
    let algorithm = pfh_digest::Algorithm::from_name("xxh3-64").expect("known");
    let lie = |file: &[u8], at: usize, value: u8| {
        let mut file = file.to_vec();
        let page = at / 4096;
        if at % 4096 >= 4088 {
            return None;
        }
        file[at] = value;
        let mut hasher = algorithm.hasher();
        hasher.update(&(page as u64).to_le_bytes());
        hasher.update(&file[page * 4096..][..4088]);
        file[page * 4096 + 4088..][..8].copy_from_slice(hasher.finish().bytes());
        Some(file)
    };
    let (ssdeep_file, tlsh_file) = (ssdeep_file(&one), tlsh_file(&two));
    let mut errors = 0;
    for value in [0, 1, 0x7F, 0xFF] {
        for at in (0..64).chain((64..ssdeep_file.len()).step_by(31)) {
            let Some(file) = lie(&ssdeep_file, at, value) else { continue };
            errors += u32::from(ssdeep_matches(&file, &one[30], 1).is_err());
        }
        for at in (0..64).chain((64..tlsh_file.len()).step_by(31)) {
            let Some(file) = lie(&tlsh_file, at, value) else { continue };
            errors += u32::from(tlsh_matches(&file, &two[30], 100).is_err());
        }
    }
    assert!(errors > 100, "{errors}");
}

#[test]
fn other_files_are_no_index() {
    for bytes in [vec![], vec![0; 100], vec![0; 4096], vec![7; 10_000]] {
        let opened = ssdeep::IndexFile::open(Cursor::new(bytes));
        assert!(matches!(opened.err(), Some(IndexError::NotThisFamily { family: Family::Ssdeep })));
    }
    let opened = ssdeep::IndexFile::open(Cursor::new(tlsh_file(&related_tlsh(1, 5))));
    assert_eq!(opened.err().map(|error| error.to_string()).as_deref(), Some("this is no index of ssdeep digests"));
}
