//! `pfh algorithms`.

use super::args::AlgorithmsArguments;
use super::{ExitStatus, message};
use pfh_digest::{Algorithm, Status};

/// Prints the registry.
pub(crate) fn run(arguments: &AlgorithmsArguments) -> ExitStatus {
    message::print(if arguments.json { json() } else { table() })
}

fn status(algorithm: Algorithm) -> &'static str {
    match algorithm.status() {
        Status::Current => "current",
        Status::Legacy => "legacy",
        Status::Broken => "broken",
        Status::Checksum => "checksum",
    }
}

fn table() -> String {
    let mut text = format!("{:<12} {:>4}  {:<8}  {:<22}  {}\n", "name", "bits", "status", "backend", "defined by");
    for algorithm in Algorithm::all() {
        text += &format!(
            "{:<12} {:>4}  {:<8}  {:<22}  {}\n",
            algorithm.name(),
            algorithm.digest_bytes() * 8,
            status(algorithm),
            algorithm.backend(),
            algorithm.reference()
        );
    }
    text + "\ncurrent: no practical attack is known; legacy: superseded; broken: collisions can be made; checksum: against\n\
            accidents only. Any case and spelling is accepted (`SHA-256`, `sha2-256`).\n"
}

fn json() -> String {
    Algorithm::all()
        .map(|algorithm| {
            serde_json::json!({
                "name": algorithm.name(),
                "aliases": algorithm.aliases(),
                "bits": algorithm.digest_bytes() * 8,
                "status": status(algorithm),
                "backend": algorithm.backend(),
                "reference": algorithm.reference(),
            })
            .to_string()
                + "\n"
        })
        .collect()
}
