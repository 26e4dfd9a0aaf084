//! Code that the tests share: messages, and the reader of the published vectors.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use pfh_digest::{Algorithm, Key, Keys};
use skip::{Need, skipped};

/// One text for all crates: this one stands below `pfh-testing`.
#[path = "../../../testing/src/skip.rs"]
pub(crate) mod skip;

/// Bytes 0, 1, … 250, 0, 1, …: the period is a prime, so that blocks that changed places cannot look right.
pub(crate) fn cycle251(length: usize) -> Vec<u8> {
    (0..=250).cycle().take(length).collect()
}

pub(crate) fn algorithm(name: &str) -> Algorithm {
    Algorithm::from_name(name).expect("an algorithm of the registry")
}

pub(crate) fn from_hex(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2), "odd number of digits: {hex}");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal")).collect()
}

/// One line of `vectors/published.txt`, whose head describes the format.
pub(crate) struct Vector {
    pub(crate) algorithm: Algorithm,
    pub(crate) digest: Vec<u8>,
    pub(crate) message: Vec<u8>,
    pub(crate) keys: Keys,
    /// Line and source, for messages.
    pub(crate) origin: String,
}

pub(crate) fn published() -> Vec<Vector> {
    let mut source = None;
    let mut keys = Keys::default();
    let mut vectors = Vec::new();
    for (index, line) in include_str!("../vectors/published.txt").lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(text) = line.strip_prefix("source ") {
            source = Some(text);
            keys = Keys::default();
            continue;
        }
        if let Some(hex) = line.strip_prefix("key ") {
            keys.key = Some(Key::new(from_hex(hex)));
            continue;
        }
        if let Some(text) = line.strip_prefix("context ") {
            keys.context = Some(text.to_owned());
            continue;
        }
        let origin = format!("published.txt:{}: {}", index + 1, source.expect("a vector has a source above it"));
        let mut fields = line.splitn(5, ' ');
        let mut field = || fields.next().unwrap_or_else(|| panic!("{origin}: too few fields"));
        let (name, digest, kind, count) = (field(), field(), field(), field());
        let payload = fields.next().unwrap_or_default();
        let count: usize = count.parse().unwrap_or_else(|error| panic!("{origin}: {error}"));
        let message = match kind {
            "text" => payload.repeat(count).into_bytes(),
            "hex" => from_hex(payload).repeat(count),
            "cycle251" => cycle251(count),
            "xxhash" => xxhash_buffer(count),
            _ => panic!("{origin}: unknown kind {kind}"),
        };
        vectors.push(Vector {
            algorithm: algorithm(name),
            digest: from_hex(digest),
            message,
            keys: keys.clone(),
            origin,
        });
    }
    vectors
}

/// The buffer of xxHash's sanity tests: the top bytes of a product that starts at PRIME32 and grows by PRIME64.
fn xxhash_buffer(length: usize) -> Vec<u8> {
    const PRIME32: u64 = 2_654_435_761;
    const PRIME64: u64 = 11_400_714_785_074_694_797;
    std::iter::successors(Some(PRIME32), |generator| Some(generator.wrapping_mul(PRIME64)))
        .map(|generator| (generator >> 56) as u8)
        .take(length)
        .collect()
}

/// Lengths at which independent implementations are compared: blocks and rates of many algorithms, and long messages.
pub(crate) fn compared_lengths() -> Vec<usize> {
    let edges = [55, 56, 63, 64, 65, 71, 72, 73, 103, 104, 105, 111, 112, 127, 128, 129, 135, 136, 137, 143, 144, 145];
    (0..4).chain(edges).chain([239, 240, 241, 1023, 1024, 1025, 4096, 65_537, (1 << 20) + 3]).collect()
}

/// The output of the program for this input. `None`, and a line that says so, when it is not installed.
pub(crate) fn output_of(command: &mut Command, input: &[u8]) -> Option<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = match command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            skipped(Need::Peers, format_args!("{program} is not installed"));
            return None;
        }
        Err(error) => panic!("{program}: {error}"),
    };
    // None of them prints before it has read everything. One that refuses its arguments may close the pipe early.
    let written = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("a child");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    written.expect("the program reads its input");
    Some(String::from_utf8(output.stdout).expect("text"))
}
