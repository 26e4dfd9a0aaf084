//! Differential test against other programs, for what Python does not know.

mod common;

use std::process::Command;

/// Compares one program's answers; the digest is the hexadecimal word of the right length in what it prints.
fn compare(algorithm: &str, program: &str, arguments: &[&str]) {
    let algorithm = common::algorithm(algorithm);
    for length in common::compared_lengths() {
        let message = common::cycle251(length);
        let Some(output) = common::output_of(Command::new(program).args(arguments), &message) else { return };
        let is_digest = |word: &&str| {
            word.len() == 2 * algorithm.digest_bytes() && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let theirs =
            output.split_whitespace().find(is_digest).unwrap_or_else(|| panic!("{program} printed {output:?}"));
        assert_eq!(
            algorithm.digest(&message).to_string(),
            theirs.to_lowercase(),
            "{algorithm} of {length} bytes, {program}"
        );
    }
}

#[test]
fn agrees_with_rhash() {
    for (algorithm, option) in [
        ("md4", "--md4"),
        ("ripemd160", "--ripemd160"),
        ("whirlpool", "--whirlpool"),
        ("tiger", "--tiger"),
        ("streebog256", "--gost12-256"),
        ("streebog512", "--gost12-512"),
        ("crc32c", "--crc32c"),
    ] {
        compare(algorithm, "rhash", &["--simple", option, "-"]);
    }
}

#[test]
fn agrees_with_xxhsum() {
    for (algorithm, option) in [("xxh32", "-H0"), ("xxh64", "-H1"), ("xxh3-128", "-H2"), ("xxh3-64", "-H3")] {
        compare(algorithm, "xxhsum", &[option]);
    }
}

#[test]
fn agrees_with_b3sum() {
    compare("blake3", "b3sum", &["--no-names"]);
}
