//! Differential test against independent implementations: Python's hashlib (OpenSSL and HACL*), its zlib, and checks
//! and sums written out bit by bit in Python. Algorithms that could not be compared are printed.

mod common;

use std::collections::BTreeSet;
use std::process::Command;

use pfh_digest::Algorithm;

/// Prints `NAME LENGTH HEX` for each algorithm that this Python has. The arguments are the lengths of the messages.
const SCRIPT: &str = r#"
import hashlib, sys, zlib

def hashed(name):
    return lambda message: hashlib.new(name, message).hexdigest()

def crc(bits, polynomial):
    "Reflected, all ones in, all ones out."
    ones = (1 << bits) - 1
    def value(message):
        register = ones
        for byte in message:
            register ^= byte
            for _ in range(8):
                register = register >> 1 ^ (polynomial if register & 1 else 0)
        return f"{register ^ ones:0{bits // 4}x}"
    return value

def fnv(bits, basis, prime, add_first):
    def value(message):
        register = basis
        for byte in message:
            if add_first:
                register ^= byte
            register = register * prime % (1 << bits)
            if not add_first:
                register ^= byte
        return f"{register:0{bits // 4}x}"
    return value

names = "md4 md5 sha1 sha224 sha256 sha384 sha512 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 blake2b blake2s ripemd160 whirlpool sm3"
algorithms = {name: hashed(name.replace("-", "_")) for name in names.split()}
algorithms["sha1dc"] = hashed("sha1")
algorithms["crc32"] = lambda message: f"{zlib.crc32(message):08x}"
algorithms["adler32"] = lambda message: f"{zlib.adler32(message):08x}"
slow = {"crc32c": crc(32, 0x82f63b78), "crc64nvme": crc(64, 0x9a6c9329ac4bc9b5)}
for bits, basis, prime in (32, 0x811c9dc5, 0x01000193), (64, 0xcbf29ce484222325, 0x100000001b3):
    slow[f"fnv1-{bits}"] = fnv(bits, basis, prime, False)
    slow[f"fnv1a-{bits}"] = fnv(bits, basis, prime, True)

cycle = bytes(range(251))
for length in map(int, sys.argv[1:]):
    message = (cycle * (length // 251 + 1))[:length]
    for name, value in algorithms.items():
        try:
            print(name, length, value(message))
        except ValueError:
            pass  # not in the OpenSSL that this Python is linked to
    if length < 5000:
        for name, value in slow.items():
            print(name, length, value(message))
"#;

#[test]
fn agrees_with_python() {
    let mut python = Command::new("python3");
    python.arg("-c").arg(SCRIPT).args(common::compared_lengths().iter().map(usize::to_string));
    let Some(output) = common::output_of(&mut python, b"") else { return };

    let mut compared = BTreeSet::new();
    for line in output.lines() {
        let [name, length, theirs] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let algorithm = common::algorithm(name);
        let ours = algorithm.digest(&common::cycle251(length.parse().unwrap()));
        assert_eq!(ours.to_string(), theirs, "{name} of {length} bytes");
        compared.insert(algorithm);
    }
    for algorithm in Algorithm::all().filter(|algorithm| !compared.contains(algorithm)) {
        println!("NOT COMPARED with Python: {algorithm}");
    }
    // hashlib guarantees these in every build.
    for name in
        ["md5", "sha1", "sha256", "sha512", "sha3-256", "blake2b", "blake2s", "crc32", "adler32", "crc32c", "fnv1a-64"]
    {
        assert!(compared.contains(&common::algorithm(name)), "{name} was not compared");
    }
}
