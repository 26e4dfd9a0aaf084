//! `cargo xtask check`: the rules of the house that a machine can check.

mod cargo;
mod circles;
mod drift;
mod invariants;
mod layering;
mod licences;
mod links;
mod prose;
mod tokens;
mod words;

use anyhow::{Result, bail};

use crate::elsewhere;
use crate::instructions;
use crate::summary::{Outcome, Summary};
use crate::workspace::Workspace;

/// One rule or group of rules.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// Builds more than a quick run wants to wait for.
    pub(crate) slow: bool,
    /// Builds into another folder than the tests, and so need not wait for them.
    pub(crate) is_apart: bool,
    pub(crate) run: fn(&Workspace) -> Result<Outcome>,
}

const fn step(name: &'static str, slow: bool, run: fn(&Workspace) -> Result<Outcome>) -> Step {
    Step { name, slow, is_apart: false, run }
}

const fn apart(name: &'static str, run: fn(&Workspace) -> Result<Outcome>) -> Step {
    Step { name, slow: true, is_apart: true, run }
}

/// All steps, cheap ones first.
pub(crate) const STEPS: [Step; 15] = [
    step("fmt", false, cargo::fmt),
    step("layering", false, layering::check),
    step("invariants", false, invariants::check),
    step("licences", false, licences::check),
    step("prose", false, prose::check),
    step("links", false, links::check),
    step("clippy", false, cargo::clippy),
    step("aarch64", true, elsewhere::aarch64),
    step("docs", true, cargo::docs),
    step("drift", true, drift::check),
    apart("apart", cargo::apart),
    apart("stranger", cargo::stranger),
    apart("neon", elsewhere::neon),
    apart("instructions", instructions::check),
    apart("miri", elsewhere::miri),
];

/// Runs the steps named, or all of them.
pub(crate) fn main(workspace: &Workspace, names: &[String]) -> Result<bool> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != name.as_str())) {
        bail!("unknown step `{unknown}`; steps are {}", STEPS.map(|step| step.name).join(", "));
    }
    let mut summary = Summary::new()?;
    for step in STEPS.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)) {
        summary.step(step.name, || (step.run)(workspace));
    }
    Ok(summary.finish())
}
