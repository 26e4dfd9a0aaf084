//! `pfh algorithms`.

use super::args::AlgorithmsArguments;
use super::command::Command;
use super::exit::{Ending, Failed};
use pfh_digest::{Algorithm, Status};
use pfh_similarity::{Backend, Family};

/// Prints the registry.
pub(crate) fn run(arguments: &AlgorithmsArguments) -> Result<Ending, Failed> {
    Command::printing()?.print(if arguments.json { json() } else { table() })
}

fn status(algorithm: Algorithm) -> &'static str {
    match algorithm.status() {
        Status::Current => "current",
        Status::Legacy => "legacy",
        Status::Broken => "broken",
        Status::Checksum => "checksum",
    }
}

/// Status of the families.
const SIMILARITY: &str = "similarity";

/// Returns the code path that takes most of the time to make a digest of a family on this CPU.
fn backend(family: Family) -> &'static str {
    family.kernels(Backend::chosen()).first().map_or("", |kernel| kernel.instructions)
}

fn table() -> String {
    let mut text = format!("{:<12} {:>4}  {:<10}  {:<22}  {}\n", "name", "bits", "status", "backend", "defined by");
    for algorithm in Algorithm::all() {
        text += &format!(
            "{:<12} {:>4}  {:<10}  {:<22}  {}\n",
            algorithm.name(),
            algorithm.digest_bytes() * 8,
            status(algorithm),
            algorithm.backend(),
            algorithm.reference()
        );
    }
    for family in Family::ALL {
        let least = match family.minimum_bytes() {
            0 => "of any file".to_owned(),
            bytes => format!("of files from {bytes} bytes on"),
        };
        text += &format!("{:<12} {:>4}  {:<10}  {:<22}  {least}\n", family.name(), "", SIMILARITY, backend(family));
    }
    text + "\ncurrent: no practical attack is known; legacy: superseded; broken: collisions can be made; checksum: against\n\
            accidents only; similarity: tells how similar files are, and proves nothing. Any case and spelling is accepted\n\
            (`SHA-256`, `sha2-256`).\n\
            \n\
            shake128, shake256, blake2b, blake2s and blake3 take a length in bits: `blake3-512`, `blake2b-256`. With a key\n\
            (--key-file): `hmac-` before any algorithm that is no checksum, but sha1dc, shake and blake3; `keyed-` before blake2b,\n\
            blake2s and blake3. With a context (--derive-key): `blake3-derive-key`. `all` are all without a key.\n"
}

fn json() -> String {
    let algorithms = Algorithm::all().map(|algorithm| {
        serde_json::json!({
            "name": algorithm.name(),
            "aliases": algorithm.aliases(),
            "bits": algorithm.digest_bytes() * 8,
            "status": status(algorithm),
            "backend": algorithm.backend(),
            "reference": algorithm.reference(),
            "bits_most": 8 * algorithm.digest_bytes_range().end(),
            "keyed": Algorithm::all_keyed().filter(|keyed| keyed.has_same_hash(algorithm)).map(Algorithm::name).collect::<Vec<_>>(),
        })
    });
    let families = Family::ALL.into_iter().map(|family| {
        serde_json::json!({
            "name": family.name(),
            "aliases": family.aliases(),
            "status": SIMILARITY,
            "backend": backend(family),
            "minimum_bytes": family.minimum_bytes(),
        })
    });
    algorithms.chain(families).map(|line| line.to_string() + "\n").collect()
}
