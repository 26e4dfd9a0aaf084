//! `pfh cpu`.

use super::args::CpuArguments;
use super::{Ending, message};
use pfh_digest::Algorithm;
use pfh_digest::lanes::{BACKEND_VARIABLE, Backend};
use serde_json::json;

/// Prints what this CPU offers, and what is made of it.
pub(crate) fn run(arguments: &CpuArguments) -> Ending {
    if let Err(error) = Backend::from_environment() {
        message::error(format_args!("{BACKEND_VARIABLE}: {error}"));
        return Ending::USAGE;
    }
    let chosen = Backend::chosen();
    message::print(if arguments.json { json(chosen) } else { tables(chosen) })
}

/// The kernels for many messages at once, the widest first; empty where that gains nothing.
fn kernels(backend: Backend, algorithm: Algorithm) -> Vec<(String, usize)> {
    let kernels = backend.kernels_chosen(algorithm);
    match kernels.first() {
        Some((_, lanes)) if *lanes > 1 => kernels,
        _ => Vec::new(),
    }
}

fn tables(chosen: Backend) -> String {
    let features: Vec<_> = Backend::features().filter(|(_, detected)| *detected).map(|(name, _)| name).collect();
    let mut text = format!("{}: {}\n\n", std::env::consts::ARCH, features.join(" "));
    text += &format!("{:<9} {}\n", "backend", "for many files at once");
    for backend in Backend::catalogue() {
        let state = match backend.missing.is_empty() {
            true if backend.name == chosen.name() => "chosen",
            true => "offered",
            false => "not on this CPU",
        };
        text += &format!("{:<9} {state}", backend.name);
        if !backend.missing.is_empty() {
            text += &format!(" (no {})", backend.missing.join(", "));
        }
        text += &format!(": {}\n", backend.description);
    }
    text += &format!(
        "\n{:<12} {:>5}  {:<22}  {}\n",
        "algorithm", "lanes", "one stream", "kernels, by number of busy lanes"
    );
    for algorithm in Algorithm::all() {
        let kernels = kernels(chosen, algorithm);
        let lanes = kernels.first().map_or("-".to_owned(), |(_, lanes)| lanes.to_string());
        let names: Vec<_> = kernels.into_iter().map(|(name, _)| name).collect();
        let line = format!("{:<12} {lanes:>5}  {:<22}  {}", algorithm.name(), algorithm.backend(), names.join(" "));
        text += line.trim_end();
        text += "\n";
    }
    text + "\n`pfh hash --backend NAME` and PFH_BACKEND=NAME force a backend. Digests are the same with all.\n"
}

fn json(chosen: Backend) -> String {
    let features: serde_json::Map<_, _> =
        Backend::features().map(|(name, detected)| (name.to_owned(), detected.into())).collect();
    let backends: Vec<_> = Backend::catalogue()
        .map(|backend| {
            json!({
                "name": backend.name,
                "description": backend.description,
                "offered": backend.missing.is_empty(),
                "missing": backend.missing,
                "chosen": backend.name == chosen.name(),
            })
        })
        .collect();
    let algorithms: Vec<_> = Algorithm::all()
        .map(|algorithm| {
            let kernels = kernels(chosen, algorithm);
            json!({
                "name": algorithm.name(),
                "stream": algorithm.backend(),
                "lanes": kernels.first().map_or(1, |(_, lanes)| *lanes),
                "kernels": kernels.iter().map(|(name, lanes)| json!({"name": name, "lanes": lanes})).collect::<Vec<_>>(),
            })
        })
        .collect();
    let all = json!({
        "architecture": std::env::consts::ARCH,
        "features": features,
        "backends": backends,
        "algorithms": algorithms,
    });
    format!("{all}\n")
}
