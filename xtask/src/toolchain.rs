//! Finds or fetches the parts of Rust that some steps use beside the pinned toolchain.

use std::process::{Command, Stdio};

use crate::process::{self, find_program};
use crate::setup::Consent;
use crate::workspace::Workspace;

/// The target of the steps for AArch64.
pub(crate) const AARCH64: &str = "aarch64-unknown-linux-gnu";

/// A part that rustup fetches.
pub(crate) struct Part {
    name: &'static str,
    /// Arguments of rustup that fetch it.
    fetch: &'static [&'static str],
    /// Arguments of rustup that ask for it: where it is there, a line is printed that begins with `found`.
    ask: &'static [&'static str],
    found: &'static str,
}

pub(crate) const AARCH64_LIBRARY: Part = Part {
    name: "the standard library for AArch64",
    fetch: &["target", "add", AARCH64],
    ask: &["target", "list", "--installed"],
    found: AARCH64,
};

pub(crate) const MIRI: Part = Part {
    name: "Miri",
    fetch: &["toolchain", "install", "nightly", "--profile", "minimal", "--component", "miri,rust-src"],
    ask: &["run", "nightly", "cargo", "miri", "--version"],
    found: "miri ",
};

/// All parts that the gate uses.
const PARTS: [Part; 2] = [AARCH64_LIBRARY, MIRI];

impl Part {
    pub(crate) fn is_there(&self, workspace: &Workspace) -> bool {
        let mut ask = rustup(workspace);
        let printed = process::stdout(ask.args(self.ask)).unwrap_or_default();
        String::from_utf8_lossy(&printed).lines().any(|line| line.starts_with(self.found))
    }

    /// Says that it is missing, and what fetches it.
    pub(crate) fn hint(&self) -> String {
        format!("{} is not there (`rustup {}`)", self.name, self.fetch.join(" "))
    }
}

/// `rustup` in the workspace, which acts on the pinned toolchain unless told another one.
pub(crate) fn rustup(workspace: &Workspace) -> Command {
    let mut rustup = workspace.command("rustup");
    // Ours say which toolchain started us.
    rustup.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC");
    rustup
}

/// Fetches what is missing where that is possible and allowed. Returns what is still missing.
pub(crate) fn install(workspace: &Workspace, consent: Consent) -> Vec<Part> {
    let mut missing: Vec<Part> = PARTS.into_iter().filter(|part| !part.is_there(workspace)).collect();
    let names = missing.iter().map(|part| part.name).collect::<Vec<_>>().join(", ");
    if !missing.is_empty() && find_program("rustup").is_some() && consent.given("rustup", &names) {
        for part in &missing {
            let mut fetch = rustup(workspace);
            fetch.args(part.fetch).stdin(Stdio::null());
            if let Err(error) = process::run(&mut fetch) {
                println!("{error:#}");
            }
        }
        missing.retain(|part| !part.is_there(workspace));
    }
    missing.iter().for_each(|part| println!("MISSING: {}: what needs it says that it skips", part.hint()));
    missing
}
