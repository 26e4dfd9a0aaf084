//! The checks that cargo makes: formatting, lints, documentation.

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

pub(super) fn fmt(workspace: &Workspace) -> Result<String> {
    process::run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    Ok(String::new())
}

pub(super) fn clippy(workspace: &Workspace) -> Result<String> {
    process::run(workspace.cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ]))?;
    Ok(String::new())
}

pub(super) fn docs(workspace: &Workspace) -> Result<String> {
    let mut cargo = workspace.cargo();
    cargo.args(["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings");
    process::run(&mut cargo)?;
    Ok(String::new())
}
