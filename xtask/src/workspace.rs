//! The workspace: its place, its files, and its metadata from cargo.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;

/// The features that released programs have, in the words of cargo for the workspace.
pub(crate) const SHIPPED: &str = "pfh/serve,pfh/slowfs";

pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
}

impl Workspace {
    /// Finds the workspace that this xtask belongs to: by the manifest that cargo says it runs, else the one it was
    /// built from.
    pub(crate) fn find() -> Result<Self> {
        let manifest_folder =
            std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest_folder).parent().context("xtask has no parent folder")?.to_owned();
        Ok(Self { root })
    }

    /// A command that runs in the workspace root.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// `cargo`, the one that started us.
    pub(crate) fn cargo(&self) -> Command {
        self.command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// Builds the program and returns its path. It is built as the tests are: by itself it would have dependencies with
    /// other features, and all of them would be built twice.
    pub(crate) fn built_program(&self) -> Result<PathBuf> {
        let tests = ["test", "--quiet", "--workspace", "--features", SHIPPED, "--no-run", "--test", "program"];
        process::run(self.cargo().args(tests))?;
        Ok(self.target_folder()?.join("debug/pfh"))
    }

    /// Files that are committed or could be (untracked, not ignored), relative to the root, in path order.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let mut git = self.command("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listed = process::stdout(&mut git)?;
        let files: BTreeSet<PathBuf> = listed
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| PathBuf::from(OsStr::from_bytes(name)))
            .filter(|path| self.root.join(path).is_file())
            .collect();
        Ok(files.into_iter().collect())
    }

    /// The text of a file given relative to the root.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> Result<String> {
        let path = path.as_ref();
        fs::read_to_string(self.root.join(path)).with_context(|| format!("cannot read `{}`", path.display()))
    }

    /// The output of `cargo metadata`.
    pub(crate) fn metadata(&self, arguments: &[&str]) -> Result<Value> {
        let mut cargo = self.cargo();
        cargo.args(["metadata", "--format-version=1", "--locked"]).args(arguments);
        serde_json::from_slice(&process::stdout(&mut cargo)?).context("cannot read what `cargo metadata` printed")
    }

    /// The folder that cargo builds into.
    pub(crate) fn target_folder(&self) -> Result<PathBuf> {
        let metadata = self.metadata(&["--no-deps"])?;
        let folder = metadata["target_directory"].as_str().context("`cargo metadata` names no target directory")?;
        Ok(folder.into())
    }
}

#[cfg(test)]
mod tests {
    /// The version that is claimed is the one that is built.
    #[test]
    fn the_claimed_rust_version_is_the_pinned_one() {
        let parse = |text: &str| text.parse::<toml::Table>().expect("TOML");
        let manifest = parse(include_str!("../../Cargo.toml"));
        let claimed = manifest["workspace"]["package"]["rust-version"].as_str().expect("a version");
        let toolchain = parse(include_str!("../../rust-toolchain.toml"));
        let pinned = toolchain["toolchain"]["channel"].as_str().expect("a version");
        assert_eq!(pinned.strip_suffix(".0").unwrap_or(pinned), claimed);
    }
}
