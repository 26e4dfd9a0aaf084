//! The checks that cargo makes: formatting, lints, documentation.

use std::path::PathBuf;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

pub(super) fn fmt(workspace: &Workspace) -> Result<String> {
    process::run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    let others = packages_apart(workspace)?;
    for manifest in &others {
        process::run(workspace.cargo().args(["fmt", "--check", "--manifest-path"]).arg(manifest))?;
    }
    Ok(format!("the workspace and {} packages apart", others.len()))
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

/// Manifests of packages that are workspaces of their own (fuzz targets, benchmarks with candidates that lost).
fn packages_apart(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let is_apart = |path: &PathBuf| {
        let is_member = path.starts_with("crates") || path.starts_with("xtask") || path.components().count() == 1;
        path.ends_with("Cargo.toml") && !is_member
    };
    Ok(workspace.files()?.into_iter().filter(is_apart).collect())
}
