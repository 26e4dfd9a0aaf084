//! Checksum lists in the forms of GNU coreutils, the BSD systems and OpenSSL.
//!
//! Source: the manual of GNU coreutils, "md5sum invocation" and "cksum invocation"; behaviour of coreutils 9.1.

mod coreutils;
mod read;
mod write;

pub(crate) use read::GnuParser;
pub use write::push_escaped_name;
pub(crate) use write::{Bsd, Gnu};

use pfh_digest::Algorithm;

/// Algorithms whose name in the tag form is not the upper-case name of the registry. The registry knows these names as
/// aliases.
const TAGS: [(&str, &str); 6] = [
    ("blake2b", "BLAKE2b"),  // coreutils `b2sum --tag`
    ("ripemd160", "RMD160"), // OpenBSD `cksum -a rmd160`
    ("xxh3-64", "XXH3"),     // `xxhsum -H3`
    ("xxh3-128", "XXH128"),  // `xxhsum -H2 --tag`
    // `shasum --tag`. With a hyphen, `cksum -c` would take them for the first bits of SHA-512.
    ("sha512-224", "SHA512/224"),
    ("sha512-256", "SHA512/256"),
];

/// Returns the name of an algorithm in the tag form.
fn tag(algorithm: Algorithm) -> String {
    let name = algorithm.name();
    match TAGS.iter().find(|(known, _)| *known == name) {
        Some((_, tag)) => (*tag).to_owned(),
        // `b2sum --tag --length 256` writes `BLAKE2b-256`.
        None => match name.strip_prefix("blake2b-") {
            Some(bits) => format!("BLAKE2b-{bits}"),
            None => name.to_ascii_uppercase(),
        },
    }
}
