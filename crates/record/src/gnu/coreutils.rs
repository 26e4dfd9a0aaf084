//! Lines with tags as the programs of coreutils take them, which is stricter than other programs write them.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memrchr;
use pfh_digest::{Algorithm, Digest};

use super::read::after_blanks;
use super::tag;
use crate::parse::Coreutils;
use crate::text::parse_decimal;

/// The algorithms of `cksum --check`, each with its only tag.
static TAGS: LazyLock<Vec<(Algorithm, String)>> = LazyLock::new(|| {
    let names = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"];
    let algorithms = names.into_iter().filter_map(|name| Algorithm::from_name(name).ok());
    algorithms.map(|algorithm| (algorithm, tag(algorithm))).collect()
});

/// Whether a program of coreutils has the algorithm.
pub(super) fn knows(algorithm: Algorithm) -> bool {
    TAGS.iter().any(|(known, _)| known.with_digest_bytes(algorithm.digest_bytes()) == Some(algorithm))
}

/// Parses `TAG (NAME) = HEX` into the digest and the range of the name, which may be empty. Returns `None` if the line
/// has no tag, or is improper.
pub(super) fn tagged(program: Coreutils, text: &[u8]) -> Option<(Digest, Range<usize>)> {
    let after_tag = |(algorithm, tag): &(Algorithm, String)| Some((*algorithm, text.strip_prefix(tag.as_bytes())?));
    let (mut algorithm, mut rest) = TAGS.iter().find_map(after_tag)?;
    // The older programs, of one algorithm without lengths, take a single space at most.
    if program == Coreutils::Cksum || ["blake2b", "sm3"].contains(&algorithm.name()) {
        match rest {
            [b'-', length @ ..] => {
                let digits = length.iter().take_while(|byte| byte.is_ascii_digit()).count();
                // A zero would begin an octal number there.
                let bits =
                    parse_decimal(&length[..digits]).filter(|bits| bits.is_multiple_of(8) && length[0] != b'0')?;
                algorithm = algorithm.with_digest_bytes(usize::try_from(bits / 8).ok()?)?;
                rest = &length[digits..];
            }
            [b' ' | b'\t', after @ ..] => rest = after,
            _ => {}
        }
    }
    let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
    let start = text.len() - rest.len();
    let close = memrchr(b')', rest)?;
    let hex = after_blanks(after_blanks(&rest[close + 1..]).strip_prefix(b"=")?);
    Some((Digest::from_hex(algorithm, hex)?, start..start + close))
}
