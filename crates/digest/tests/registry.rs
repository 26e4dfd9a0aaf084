//! Every line of the registry is sound, and names are found as people type them.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::skip::{Need, skipped};
use pfh_digest::{Algorithm, Digest, Key, Keys, Status, UnknownAlgorithm};

#[test]
fn every_entry_is_sound() {
    for algorithm in Algorithm::all() {
        let name = algorithm.name();
        let good = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-';
        assert!(!name.is_empty() && name.chars().all(good), "{name}: lower case, digits and hyphens");
        assert_eq!(algorithm.to_string(), name);
        assert_eq!(format!("{algorithm:?}"), name);

        let digest = algorithm.digest(b"message");
        assert_eq!(digest.algorithm(), algorithm);
        assert_eq!(digest.bytes().len(), algorithm.digest_bytes(), "{name}");
        assert!((4..=Digest::BYTES_MAX).contains(&algorithm.digest_bytes()), "{name}");
        assert!((1..=168).contains(&algorithm.block_bytes()), "{name}");
        assert!(!algorithm.backend().is_empty(), "{name}");
        assert!(!algorithm.reference().is_empty(), "{name}");
        // Nothing with so few bits withstands an attack.
        assert!(algorithm.status() == Status::Checksum || algorithm.digest_bytes() >= 16, "{name}");
    }
}

#[test]
fn the_order_is_the_registrys() {
    let all: Vec<Algorithm> = Algorithm::all().collect();
    assert!(all.is_sorted());
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert_eq!(all.iter().map(|algorithm| algorithm.name()).collect::<BTreeSet<_>>().len(), all.len());
}

#[test]
fn no_name_means_two_algorithms() {
    let mut owners = BTreeMap::new();
    for algorithm in Algorithm::all() {
        for name in std::iter::once(algorithm.name()).chain(algorithm.aliases().iter().copied()) {
            // Without anything that does not matter, even what stands between two numbers.
            let squeezed: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
            let owner = *owners.entry(squeezed.clone()).or_insert(algorithm);
            assert_eq!(owner, algorithm, "{name}");
            for typed in
                [name.to_owned(), name.to_uppercase(), name.replace('-', "_"), name.replace('-', "/"), squeezed]
            {
                assert_eq!(Algorithm::from_name(&typed), Ok(algorithm), "{typed}");
            }
        }
    }
}

#[test]
fn aliases_add_something() {
    for algorithm in Algorithm::all() {
        let mut seen = BTreeSet::from([algorithm.name().replace('-', "")]);
        for alias in algorithm.aliases() {
            assert!(seen.insert(alias.replace(['-', '_'], "")), "{algorithm}: {alias} says nothing new");
        }
    }
}

#[test]
fn names_as_typed() {
    for (typed, name) in [
        ("SHA-256", "sha256"),
        ("sha_256", "sha256"),
        ("sha2-256", "sha256"),
        ("SHA2_512", "sha512"),
        ("SHA-512/256", "sha512-256"),
        ("sha512256", "sha512-256"),
        ("SHA3-256", "sha3-256"),
        ("sha3_256", "sha3-256"),
        ("sha3256", "sha3-256"),
        ("sha-3-256", "sha3-256"),
        ("sha-384", "sha384"),
        ("SHA-1", "sha1"),
        ("MD-5", "md5"),
        ("rmd160", "ripemd160"),
        ("RIPEMD-160", "ripemd160"),
        ("blake2b-512", "blake2b"),
        ("BLAKE2s-256", "blake2s"),
        ("b2", "blake2b"),
        ("b3", "blake3"),
        ("crc-32", "crc32"),
        ("CRC-32C", "crc32c"),
        ("crc64-nvme", "crc64nvme"),
        ("gost2012-256", "streebog256"),
        ("streebog-512", "streebog512"),
        ("keccak-256", "keccak256"),
        ("XXH128", "xxh3-128"),
        ("xxh3", "xxh3-64"),
        ("xxhash64", "xxh64"),
        ("fnv1a64", "fnv1a-64"),
        ("tiger192", "tiger"),
    ] {
        assert_eq!(Algorithm::from_name(typed).map(Algorithm::name), Ok(name), "{typed}");
    }
}

#[test]
fn lengths_and_keys_are_parts_of_names() {
    for (typed, name, bits) in [
        ("shake128", "shake128", 256),
        ("SHAKE-128", "shake128", 256),
        ("shake128-256", "shake128", 256),
        ("SHAKE128/512", "shake128-512", 512),
        ("shake256-8", "shake256-8", 8),
        ("BLAKE2b-256", "blake2b-256", 256),
        ("b2-160", "blake2b-160", 160),
        ("blake2s-8", "blake2s-8", 8),
        ("blake3-256", "blake3", 256),
        ("b3-512", "blake3-512", 512),
        ("HMAC-SHA256", "hmac-sha256", 256),
        ("hmac-sha2-256", "hmac-sha256", 256),
        ("hmac_md5", "hmac-md5", 128),
        ("HMAC-SHA512/224", "hmac-sha512-224", 224),
        ("hmac-blake2b", "hmac-blake2b", 512),
        ("keyed-blake2b-256", "keyed-blake2b-256", 256),
        ("keyed-blake3", "keyed-blake3", 256),
        ("keyed-blake3-512", "keyed-blake3-512", 512),
        ("blake3-derive-key", "blake3-derive-key", 256),
        ("blake3-derive-key-128", "blake3-derive-key-128", 128),
    ] {
        let algorithm = Algorithm::from_name(typed).unwrap();
        assert_eq!((algorithm.name(), 8 * algorithm.digest_bytes()), (name, bits), "{typed}");
        assert_eq!(Algorithm::from_name(algorithm.name()), Ok(algorithm));
        let is_keyed = ["hmac", "keyed", "derive"].iter().any(|word| name.contains(word));
        assert_eq!(algorithm.is_keyed(), is_keyed, "{typed}");
    }
    // A name of its own for each.
    let sha256 = common::algorithm("sha256");
    assert_ne!(common::algorithm("hmac-sha256"), sha256);
    assert_ne!(common::algorithm("blake2s-256").digest(b""), common::algorithm("blake2b-256").digest(b""));
    for name in [
        "hmac-crc32",
        "hmac-blake3",
        "hmac-shake128",
        "hmac-sha1dc",
        "hmac-hmac-md5",
        "hmac-blake2b-256",
        "keyed-sha256",
        "keyed-blake2s-264",
        "blake2s-264",
        "blake2b-520",
        "blake3-0",
        "blake3-12",
        "blake3-520",
        "shake128-1024",
        "sha256-128",
        "derive-key",
        "blake2b-derive-key",
        "blake3-256-512",
    ] {
        assert!(Algorithm::from_name(name).is_err(), "{name}");
    }
    assert_eq!(
        message("blake3-12"),
        "unknown algorithm `blake3-12`; the length in `blake3-N` is a multiple of 8 bits from 8 to 512"
    );
}

#[test]
fn the_length_is_a_prefix_only_of_extendable_outputs() {
    for (name, longer) in [("shake128-8", "shake128"), ("shake128", "shake128-512"), ("blake3", "blake3-512")] {
        let [short, long] = [name, longer].map(|name| common::algorithm(name).digest(b"message"));
        assert!(long.bytes().starts_with(short.bytes()), "{name}");
        assert!(common::algorithm(name).is_extendable());
    }
    for (name, longer) in [("blake2b-256", "blake2b"), ("blake2s-128", "blake2s")] {
        let [short, long] = [name, longer].map(|name| common::algorithm(name).digest(b"message"));
        assert_ne!(&long.bytes()[..short.bytes().len()], short.bytes(), "{name}");
    }
}

#[test]
fn keys_are_wanted_checked_and_never_shown() {
    let keys = |bytes: usize| Keys { key: Some(Key::new(vec![0x61; bytes])), context: None };
    assert_eq!(format!("{:?}", keys(3)), "Keys { key: Some(Key(3 bytes)), context: None }");
    let refused = |name: &str, keys: &Keys| common::algorithm(name).hasher_with(keys).unwrap_err().to_string();
    assert_eq!(refused("hmac-md5", &Keys::default()), "`hmac-md5` needs a key, and none is given");
    assert_eq!(refused("hmac-md5", &keys(0)), "`hmac-md5` takes a key of at least 1 byte, and this one has 0");
    assert_eq!(
        refused("keyed-blake3", &keys(31)),
        "`keyed-blake3` takes a key of exactly 32 bytes, and this one has 31"
    );
    assert_eq!(
        refused("keyed-blake2s", &keys(33)),
        "`keyed-blake2s` takes a key of 1 to 32 bytes, and this one has 33"
    );
    assert_eq!(
        refused("keyed-blake2b-8", &keys(65)),
        "`keyed-blake2b-8` takes a key of 1 to 64 bytes, and this one has 65"
    );
    assert_eq!(refused("blake3-derive-key", &keys(32)), "`blake3-derive-key` needs a context, and none is given");
    // Algorithms without a key ignore it.
    let mut hasher = common::algorithm("sha256").hasher_with(&keys(5)).unwrap();
    assert_eq!(hasher.finish(), common::algorithm("sha256").digest(b""));
    // Two messages of one hasher, and its clone.
    for algorithm in Algorithm::all_keyed() {
        let keys = Keys { key: Some(Key::new([7; 32])), context: Some("context".to_owned()) };
        let mut hasher = algorithm.hasher_with(&keys).unwrap();
        hasher.update(b"one");
        let mut clone = hasher.clone();
        let one = hasher.finish();
        clone.update(b" and more");
        hasher.update(b"one and more");
        assert_eq!((hasher.finish(), one.bytes().len()), (clone.finish(), algorithm.digest_bytes()), "{algorithm}");
    }
}

#[test]
fn short_digests_and_macs_have_a_status_of_their_own() {
    for (name, status) in [
        ("blake3-120", Status::Checksum),
        ("blake3-128", Status::Current),
        ("hmac-md5", Status::Legacy),
        ("hmac-sha256", Status::Current),
        ("keyed-blake2b-8", Status::Checksum),
    ] {
        assert_eq!(common::algorithm(name).status(), status, "{name}");
    }
}

fn message(name: &str) -> String {
    Algorithm::from_name(name).expect_err("no algorithm").to_string()
}

#[test]
fn unknown_names_are_refused_with_close_ones() {
    // Each is all but a name: the digits on the two sides of a hyphen are two numbers.
    for name in
        ["", " ", "-", "sha", "sha3-84", "sha25-6", "sha2 56", "md5\n", "md5sum", "sha256x", "ſha256", "fnv1a-128"]
    {
        assert_eq!(Algorithm::from_name(name), Err(UnknownAlgorithm::new(name)), "{name:?}");
    }
    let all = "`pfh algorithms` lists them all";
    assert_eq!(message("sha265"), format!("unknown algorithm `sha265`; close to `sha256`; {all}"));
    assert_eq!(message("blake4"), format!("unknown algorithm `blake4`; close to `blake3`; {all}"));
    assert_eq!(
        message("SHA2"),
        format!("unknown algorithm `SHA2`; close to `sha224`, `sha256`, `sha384`, `sha512`, `sha512-224`; {all}")
    );
    assert_eq!(message("wirlpol"), format!("unknown algorithm `wirlpol`; close to `whirlpool`; {all}"));
    assert_eq!(message("frobnicate"), format!("unknown algorithm `frobnicate`; {all}"));
    assert_eq!(message(""), format!("unknown algorithm ``; {all}"));
}

#[test]
fn a_hostile_name_is_shown_harmlessly() {
    assert!(message("md5\u{1b}[2J\n").contains(r"`md5\u{1b}[2J\n`"));
    let long = "é".repeat(1_000_000);
    let shown = message(&long);
    assert!(shown.contains('…') && shown.len() < 200, "{shown}");
}

/// The kernel names the CPU's features in its own way; what the registry says must fit it.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn backends_are_what_the_kernel_says_of_this_cpu() {
    let Ok(cpuinfo) = std::fs::read_to_string("/proc/cpuinfo") else {
        return skipped(Need::Proc, "there is no /proc/cpuinfo");
    };
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).expect("a line of flags");
    let flags: BTreeSet<&str> = flags.split_whitespace().collect();
    let has = |flag: &str| flags.contains(flag);
    let expect = |name: &str, flag: &str, backend: &str| {
        let found = common::algorithm(name).backend();
        assert_eq!(found == backend, has(flag), "{name}: {found}; the kernel says {flag}: {}", has(flag));
    };
    expect("sha1", "sha_ni", "sha-ni");
    expect("sha256", "sha_ni", "sha-ni");
    for name in ["sha512", "blake2b", "blake2s", "adler32", "xxh3-64", "xxh3-128"] {
        expect(name, "avx2", "avx2");
    }
    expect("blake3", "avx512vl", "avx512");
    assert_eq!(common::algorithm("crc32").backend() == "portable", !has("pclmulqdq"));
    assert_eq!(common::algorithm("crc32c").backend() == "portable", !has("pclmulqdq"));
    assert_eq!(common::algorithm("md5").backend() == "bmi", has("bmi1") && has("bmi2") && has("avx2"));
    assert_eq!(common::algorithm("md4").backend(), "portable");
}
