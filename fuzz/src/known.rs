//! Properties of known sets.

use pfh_digest::Algorithm;
use pfh_known::{FragmentJoiner, KnownSet, Text};

/// A set whose footer passes its check says whatever it says without a panic, and no number lies outside of it.
pub fn set(input: &[u8]) {
    const CHECK_BYTES: usize = 32;
    const FOOTER_BYTES: usize = 4096;
    let mut set = input.to_vec();
    // Without a right check, nothing after it would ever be reached.
    if let Some(footer_at) = set.len().checked_sub(FOOTER_BYTES) {
        let (footer, check) = set[footer_at..].split_at_mut(FOOTER_BYTES - CHECK_BYTES);
        let blake3 = Algorithm::from_name("blake3").expect("a name of the registry");
        check.copy_from_slice(blake3.digest(footer).bytes());
    }
    let Ok(set) = KnownSet::from_bytes(set) else { return };
    let of = |algorithm: Algorithm| [&b""[..], b"a", input].map(|message| algorithm.digest(message));
    let digests: Vec<_> = set.algorithms().flat_map(of).collect();
    // Batches of more than 256 digests ask filters, too.
    let many = digests.repeat(1 + 300 / digests.len().max(1));
    let many =
        set.find_many(&many, |digest, found| assert!(found.is_none_or(|number| number < set.len(digest.algorithm()))));
    assert!(many.is_ok() && set.is_intact().is_ok());
    for digest in &digests {
        let entries = set.entries_of(digest).unwrap_or_default();
        assert!(entries.iter().all(|entry| *entry < set.entries()));
    }
    set.needed_algorithms();
    let agreeing = set.agreeing(&digests).unwrap_or_default();
    for entry in agreeing.into_iter().chain([0, 1, u64::MAX]) {
        assert!(set.source(entry).is_ok() && set.size(entry).is_ok() && set.digests(entry).is_ok());
        assert!([Text::Category, Text::Product, Text::Name].into_iter().all(|text| set.text(text, entry).is_ok()));
    }
    assert!(set.may_have_size(input.len() as u64).is_ok());
    if let Some(blocks) = set.blocks() {
        let (mut joiner, mut places, mut pushed, mut joined) = (FragmentJoiner::new(512), Vec::new(), 0, 0);
        for (number, entry) in (0..8).chain([set.entries(), u64::MAX]).enumerate() {
            assert!(blocks.places(entry, &mut places).is_ok() && blocks.occurrences(entry).is_ok());
            assert!(places.len() <= 255 && places.is_sorted_by(|one, next| one < next));
            for place in &places {
                let file = blocks.file(place.file).unwrap_or_default();
                assert!(place.file < blocks.files() && place.block < file.bytes / blocks.block_bytes());
            }
            pushed += places.len() as u64;
            joiner.push(512 * number as u64, &places, &mut |one| joined += one.blocks);
        }
        joiner.end(&mut |one| joined += one.blocks);
        assert_eq!(pushed, joined);
        assert!(blocks.file(u64::MAX).is_ok());
    }
}
