//! `pfh cpu`.

use super::args::CpuArguments;
use super::command::Command;
use super::exit::{Ending, Failed};
use pfh_digest::Algorithm;
use pfh_digest::lanes::{self, ChosenKernel};
use pfh_similarity::{Family, FamilyKernel};
use pfh_vector::{BACKEND_VARIABLE, Backend, Feature, Features};
use serde_json::json;

/// Prints the features of this CPU, and the kernels that use them.
pub(crate) fn run(arguments: &CpuArguments) -> Result<Ending, Failed> {
    Backend::from_environment().map_err(|error| Failed::usage(format_args!("{BACKEND_VARIABLE}: {error}")))?;
    let chosen = Backend::chosen();
    Command::printing()?.print(if arguments.json { json(chosen) } else { tables(chosen) })
}

/// Returns the kernels for many messages at once, the widest first; empty if that gains nothing.
fn kernels(backend: Backend, algorithm: Algorithm) -> Vec<ChosenKernel> {
    let kernels = lanes::kernels_chosen(backend, algorithm);
    match kernels.first() {
        Some(widest) if widest.lanes > 1 => kernels,
        _ => Vec::new(),
    }
}

fn tables(chosen: Backend) -> String {
    let detected = Features::detected();
    let features: Vec<_> = Feature::ALL.iter().filter(|&&one| detected.has(one)).map(|one| one.name()).collect();
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
        "algorithm",
        "lanes",
        "one stream",
        "kernels, by number of busy lanes, and their nanoseconds for a block in each"
    );
    for algorithm in Algorithm::all() {
        let kernels = kernels(chosen, algorithm);
        let lanes = kernels.first().map_or("-".to_owned(), |widest| widest.lanes.to_string());
        let names: Vec<_> = kernels.iter().map(|kernel| format!("{} {}", kernel.name, nanoseconds(kernel))).collect();
        let line = format!("{:<12} {lanes:>5}  {:<22}  {}", algorithm.name(), algorithm.backend(), names.join(" "));
        text += line.trim_end();
        text += "\n";
    }
    text += &format!("\n{:<12} {}\n", "family", "kernels of similarity digests, by what they work on");
    for family in Family::ALL {
        let kernels = family.kernels(chosen);
        let names: Vec<_> = kernels.iter().map(|kernel| format!("{} {}", kernel.work, kernel.instructions)).collect();
        text += &format!("{:<12} {}\n", family.name(), names.join(", "));
    }
    text + "\nThe times were measured by this command just now, as each run does: they decide which kernel hashes how many lanes.\n\
            `pfh hash --backend NAME` and PFH_BACKEND=NAME force a backend. Digests are the same with all.\n"
}

/// Returns the nanoseconds for a block in each lane, to a tenth.
fn nanoseconds(kernel: &ChosenKernel) -> f64 {
    f64::from(kernel.block_picoseconds / 100) / 10.0
}

fn kernel_json(kernel: &ChosenKernel) -> serde_json::Value {
    json!({"name": kernel.name, "lanes": kernel.lanes, "block_ns": nanoseconds(kernel)})
}

fn json(chosen: Backend) -> String {
    let detected = Features::detected();
    let features: serde_json::Map<_, _> =
        Feature::ALL.iter().map(|&one| (one.name().to_owned(), detected.has(one).into())).collect();
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
                "lanes": kernels.first().map_or(1, |widest| widest.lanes),
                "kernels": kernels.iter().map(kernel_json).collect::<Vec<_>>(),
            })
        })
        .collect();
    let families: Vec<_> = Family::ALL
        .into_iter()
        .map(|family| {
            let kernel = |kernel: FamilyKernel| json!({"work": kernel.work, "instructions": kernel.instructions});
            json!({
                "name": family.name(),
                "kernels": family.kernels(chosen).into_iter().map(kernel).collect::<Vec<_>>(),
            })
        })
        .collect();
    let all = json!({
        "architecture": std::env::consts::ARCH,
        "features": features,
        "backends": backends,
        "algorithms": algorithms,
        "families": families,
    });
    format!("{all}\n")
}
