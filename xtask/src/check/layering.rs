//! Which crate may import which, over `cargo metadata`; and that modules do not import each other in a circle.

use anyhow::{Context, Result};
use serde_json::Value;

use super::circles;
use crate::summary::{Findings, Outcome};
use crate::workspace::Workspace;

/// Each crate with the workspace crates that it may depend on. A new crate takes its place here.
const LAYERS: [(&str, &[&str]); 26] = [
    ("pfh-vector", &[]),
    ("pfh-digest", &["pfh-vector"]),
    ("pfh-similarity", &["pfh-vector", "pfh-digest"]),
    ("pfh-facts", &["pfh-vector"]),
    ("pfh-quote", &[]),
    ("pfh-record", &["pfh-quote", "pfh-digest", "pfh-similarity", "pfh-facts"]),
    ("pfh-list", &["pfh-digest", "pfh-similarity", "pfh-facts", "pfh-record"]),
    ("pfh-known", &["pfh-vector", "pfh-digest", "pfh-list", "pfh-source"]),
    ("pfh-duplicates", &["pfh-digest", "pfh-list"]),
    ("pfh-fixity", &["pfh-digest", "pfh-record", "pfh-list", "pfh-source"]),
    ("pfh-copy", &["pfh-record", "pfh-list"]),
    ("pfh-plan", &["pfh-digest", "pfh-record", "pfh-list"]),
    ("pfh-bag", &["pfh-digest", "pfh-record", "pfh-list"]),
    ("pfh-nsrl", &["pfh-digest"]),
    ("pfh-ledger", &["pfh-digest", "pfh-record", "pfh-list"]),
    ("pfh-serve", &["pfh-digest", "pfh-known"]),
    ("pfh-source", &["pfh-record"]),
    ("pfh-engine", &["pfh-source", "pfh-digest", "pfh-record", "pfh-similarity", "pfh-facts"]),
    // Prints, and hashes nothing, because what measures prints with it.
    ("pfh-page", &["pfh-quote"]),
    ("pfh-statistics", &[]),
    // Measures programs from outside: nothing that hashes, not even through another crate.
    ("pfh-lab", &["pfh-page", "pfh-statistics"]),
    // Devices to measure on; shows files and hashes nothing.
    ("pfh-slowfs", &[]),
    (
        "pfh",
        &[
            "pfh-lab",
            "pfh-page",
            "pfh-duplicates",
            "pfh-bag",
            "pfh-copy",
            "pfh-fixity",
            "pfh-known",
            "pfh-ledger",
            "pfh-nsrl",
            "pfh-plan",
            "pfh-serve",
            "pfh-slowfs",
            "pfh-engine",
            "pfh-list",
            "pfh-source",
            "pfh-record",
            "pfh-digest",
            "pfh-similarity",
            "pfh-facts",
            "pfh-vector",
        ],
    ),
    // The Python package: the library as anybody has it, and the two crates that are no part of that.
    ("pfh-python", &["pfh", "pfh-fixity", "pfh-known"]),
    ("pfh-testing", &["pfh-source", "pfh-record", "pfh-digest", "pfh-slowfs"]),
    // Builds and runs the program, and so works on a workspace that does not compile.
    ("xtask", &[]),
];

/// The crate that measures, and those it calculates and prints with, may not contain the code that is measured.
const MEASURES: [&str; 3] = ["pfh-lab", "pfh-page", "pfh-statistics"];

/// Crates that hash or encrypt; enough of them to catch a slip.
const HASHES: [&str; 20] = [
    "aes",
    "aws-lc-rs",
    "blake2",
    "blake3",
    "crc32fast",
    "crypto-common",
    "digest",
    "md-5",
    "md4",
    "md5",
    "openssl",
    "ring",
    "ripemd",
    "sha1",
    "sha2",
    "sha3",
    "tiger",
    "twox-hash",
    "whirlpool",
    "xxhash-rust",
];

/// For tests only: may appear among anyone's dev-dependencies and nowhere else.
const TEST_CRATE: &str = "pfh-testing";

pub(super) fn check(workspace: &Workspace) -> Result<Outcome> {
    let metadata = workspace.metadata(&["--no-deps"])?;
    let mut findings = judge(&metadata)?;
    let root: toml::Table = workspace.read("Cargo.toml")?.parse().context("Cargo.toml")?;
    let levels = root["profile"]["release"]["package"].as_table().context("no levels of optimisation in Cargo.toml")?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let manifest = package["manifest_path"].as_str().context("a package without manifest")?;
        let table: toml::Table = workspace.read(manifest)?.parse().with_context(|| manifest.to_owned())?;
        let inherits = table.get("lints").and_then(|lints| lints.get("workspace")).and_then(toml::Value::as_bool);
        if inherits != Some(true) {
            findings.add(format!("{}: the manifest lacks `[lints] workspace = true`", package["name"]));
        }
        if package["name"].as_str().is_none_or(|name| !levels.contains_key(name)) {
            findings.add(format!("{}: `[profile.release.package]` in Cargo.toml lacks its level", package["name"]));
        }
    }
    let modules = circles::check(workspace, &folders(), &mut findings)?;
    findings.into_result(format!("{} crates, {modules} modules without a circle", LAYERS.len()))
}

/// The folders whose modules must not import each other in a circle: those of all crates, and the command line, which
/// is a module of the program.
fn folders() -> Vec<String> {
    let of_crates = LAYERS.iter().map(|&(name, _)| match name.strip_prefix("pfh-") {
        Some(name) => format!("crates/{name}/src/"),
        None if name == "pfh" => "crates/pfh/src/".to_owned(),
        None => format!("{name}/src/"),
    });
    of_crates.chain(["crates/pfh/src/cli/".to_owned()]).collect()
}

fn judge(metadata: &Value) -> Result<Findings> {
    let mut findings = Findings::default();
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let is_ours = |name: &str| packages.iter().any(|package| package["name"] == name);
    for package in packages {
        let name = package["name"].as_str().context("a package without name")?;
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
            findings
                .add(format!("{name}: not in the table of layers (xtask/src/check/layering.rs); give it its place"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let import = dependency["name"].as_str().context("a dependency without name")?;
            let for_tests = dependency["kind"] == "dev";
            if is_ours(import) && !for_tests && !allowed.contains(&import) {
                let list = if allowed.is_empty() { "no workspace crate".to_owned() } else { allowed.join(", ") };
                findings.add(format!("{name} imports {import}; it may import {list}"));
            }
            if MEASURES.contains(&name) && HASHES.contains(&import) {
                findings
                    .add(format!("{name} imports {import}; it measures other programs, and may hash nothing itself"));
            }
            if import == TEST_CRATE && !for_tests {
                findings.add(format!("{name} imports {TEST_CRATE} outside [dev-dependencies]"));
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn findings(package: &str, import: &str, kind: Value) -> usize {
        let metadata = json!({"packages": [
            {"name": package, "dependencies": [{"name": import, "kind": kind}, {"name": "libc", "kind": null}]},
            {"name": import, "dependencies": []},
        ]});
        judge(&metadata).expect("well-formed").lines().len()
    }

    #[test]
    fn imports_go_one_way() {
        assert_eq!(findings("pfh-engine", "pfh-source", Value::Null), 0);
        assert_eq!(findings("pfh-source", "pfh-engine", Value::Null), 1);
        assert_eq!(findings("pfh-digest", "pfh-record", json!("build")), 1);
    }

    #[test]
    fn tests_may_import_more() {
        assert_eq!(findings("pfh-source", "pfh-testing", json!("dev")), 0);
        assert_eq!(findings("pfh-source", "pfh-testing", Value::Null), 2);
    }

    #[test]
    fn what_measures_does_not_hash() {
        assert_eq!(findings("pfh-lab", "sha2", json!("dev")), 2);
        assert_eq!(findings("pfh-lab", "pfh-digest", Value::Null), 1);
    }

    #[test]
    fn modules_of_every_crate_are_examined() {
        let folders = folders();
        assert_eq!(folders.len(), LAYERS.len() + 1);
        for folder in ["crates/plan/src/", "crates/pfh/src/", "crates/pfh/src/cli/", "xtask/src/"] {
            assert!(folders.iter().any(|examined| examined == folder), "{folder}");
        }
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        assert_eq!(findings("pfh-new", "pfh-digest", Value::Null), 1);
    }
}
