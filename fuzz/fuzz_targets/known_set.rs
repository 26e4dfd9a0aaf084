//! Sets of known digests whose footer passes its check, whatever it says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_digest::Algorithm;
use pfh_known::KnownSet;

fuzz_target!(|input: &[u8]| {
    const CHECK_BYTES: usize = 32;
    const FOOTER_BYTES: usize = 4096;
    let mut set = input.to_vec();
    // Without a right check, all that is behind it would never be reached.
    if let Some(footer_at) = set.len().checked_sub(FOOTER_BYTES) {
        let (footer, check) = set[footer_at..].split_at_mut(FOOTER_BYTES - CHECK_BYTES);
        let blake3 = Algorithm::from_name("blake3").expect("a name of the registry");
        check.copy_from_slice(blake3.digest(footer).bytes());
    }
    let Ok(set) = KnownSet::new(set) else { return };
    let digests: Vec<_> = set
        .algorithms()
        .flat_map(|algorithm| [&b""[..], b"a", input].map(|message| algorithm.digest(message)))
        .collect();
    set.find_many(&digests, |digest, found| assert!(found.is_none_or(|number| number < set.len(digest.algorithm()))));
    set.about();
    set.is_intact();
});
