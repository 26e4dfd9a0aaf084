//! The checks that cargo makes: formatting, lints, documentation.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process;
use crate::summary::Outcome;
use crate::workspace::Workspace;

pub(super) fn fmt(workspace: &Workspace) -> Result<Outcome> {
    process::run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    let mut others = packages_apart(workspace)?;
    others.push(PathBuf::from(STRANGER).join("Cargo.toml"));
    for manifest in &others {
        process::run(workspace.cargo().args(["fmt", "--check", "--manifest-path"]).arg(manifest))?;
    }
    Ok(Outcome::passed(format!("the workspace and {} packages apart", others.len())))
}

/// With everything, and the library as those embed it who do not want the program. The step `aarch64` compiles the
/// program as a plain build makes it.
pub(super) fn clippy(workspace: &Workspace) -> Result<Outcome> {
    for selection in
        [&["--workspace", "--all-targets", "--all-features"][..], &["-p", "pfh", "--lib", "--no-default-features"]]
    {
        process::run(workspace.cargo().args(["clippy", "--quiet"]).args(selection).args(["--", "-D", "warnings"]))?;
    }
    Ok(Outcome::passed(""))
}

/// Fuzz targets and benchmarks compile, without warnings.
pub(super) fn apart(workspace: &Workspace) -> Result<Outcome> {
    let manifests = packages_apart(workspace)?;
    let checked = manifests.iter().filter(|manifest| !manifest.starts_with(CANDIDATES));
    let mut names = Vec::new();
    for manifest in checked {
        let mut cargo = workspace.cargo();
        cargo.args(["clippy", "--all-targets", "--quiet", "--manifest-path"]).arg(manifest);
        cargo.arg("--target-dir").arg(workspace.target_folder()?.join("apart"));
        // Nothing is linked, so no C and C++ of dependencies need be compiled, which would take minutes.
        cargo
            .env("CUSTOM_LIBFUZZER_PATH", "/unused/libFuzzer.a")
            .env("CC", "true")
            .env("CXX", "true")
            .env("AR", "true");
        cargo.args(["--", "-D", "warnings"]);
        process::run(&mut cargo)?;
        names.extend(manifest.parent().map(|folder| folder.display().to_string()));
    }
    Ok(Outcome::passed(names.join(", ")))
}

/// A program that uses the library as anybody would: another workspace, the public interface, and no feature.
const STRANGER: &str = "crates/pfh/tests/stranger";

/// The library serves somebody else's program, whose tests pass.
pub(super) fn stranger(workspace: &Workspace) -> Result<Outcome> {
    // The versions of dependencies are those of the workspace, which are here already.
    fs::copy(workspace.root.join("Cargo.lock"), workspace.root.join(STRANGER).join("Cargo.lock"))?;
    let mut cargo = workspace.cargo();
    cargo.args(["test", "--quiet", "--offline", "--manifest-path"]).arg(Path::new(STRANGER).join("Cargo.toml"));
    cargo.arg("--target-dir").arg(workspace.target_folder()?.join("apart"));
    process::run(&mut cargo)?;
    Ok(Outcome::passed(STRANGER))
}

/// Builds every candidate that lost, C libraries among them; only who chooses anew needs that.
const CANDIDATES: &str = "bench/backends";

pub(super) fn docs(workspace: &Workspace) -> Result<Outcome> {
    let mut cargo = workspace.cargo();
    cargo.args(["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings");
    process::run(&mut cargo)?;
    Ok(Outcome::passed(""))
}

/// Manifests of packages that are workspaces of their own (fuzz targets, benchmarks with candidates that lost).
fn packages_apart(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let is_apart = |path: &PathBuf| {
        let is_member = path.starts_with("crates") || path.starts_with("xtask") || path.components().count() == 1;
        path.ends_with("Cargo.toml") && !is_member
    };
    Ok(workspace.files()?.into_iter().filter(is_apart).collect())
}
