//! Properties of known sets.

use pfh_digest::Algorithm;
use pfh_known::KnownSet;

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
    let Ok(set) = KnownSet::new(set) else { return };
    let of = |algorithm: Algorithm| [&b""[..], b"a", input].map(|message| algorithm.digest(message));
    let digests: Vec<_> = set.algorithms().flat_map(of).collect();
    set.find_many(&digests, |digest, found| assert!(found.is_none_or(|number| number < set.len(digest.algorithm()))));
    set.about();
    set.is_intact();
}
