//! Checksum lists as GNU coreutils and the BSD systems have them.
//!
//! Source: the manual of GNU coreutils, "md5sum invocation" and "cksum invocation"; behaviour of coreutils 9.1.

mod write;

pub(crate) use write::{Bsd, Gnu};

use pfh_digest::Algorithm;

/// Algorithms whose name in the tag form is not the upper-case name of the registry, with the program that set the usage.
const TAGS: [(&str, &str); 6] = [
    ("blake2b", "BLAKE2b"),         // coreutils b2sum
    ("blake2b-256", "BLAKE2b-256"), // coreutils b2sum -l 256
    ("xxh3-64", "XXH3"),            // xxhsum -H3
    ("xxh3-128", "XXH128"),         // xxhsum -H2
    ("xxh128", "XXH128"),           // the same, should the registry call it so
    ("ripemd160", "RMD160"),        // OpenBSD cksum -a rmd160
];

/// Name of an algorithm in the tag form.
fn tag(algorithm: Algorithm) -> String {
    match TAGS.iter().find(|(name, _)| *name == algorithm.name()) {
        Some((_, tag)) => (*tag).to_owned(),
        None => algorithm.name().to_ascii_uppercase(),
    }
}
