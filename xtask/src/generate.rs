//! Man pages and completions, written by the program itself.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::process;
use crate::python::{self, REFERENCE};
use crate::workspace::Workspace;

/// Where the man pages lie.
pub(crate) const MAN_FOLDER: &str = "docs/man";
/// Where the completions lie.
pub(crate) const COMPLETIONS_FOLDER: &str = "completions";

/// Shell, and the file name under which that shell looks for completions of `pfh`.
const SHELLS: [(&str, &str); 5] =
    [("bash", "pfh.bash"), ("zsh", "_pfh"), ("fish", "pfh.fish"), ("elvish", "pfh.elv"), ("powershell", "_pfh.ps1")];

/// File contents by name.
pub(crate) type Files = BTreeMap<OsString, Vec<u8>>;

/// Files that the program generates: man pages and completions.
pub(crate) struct Generated {
    pub(crate) man: Files,
    pub(crate) completions: Files,
    /// The reference of the Python package; `None` where there is no Python.
    pub(crate) python_reference: Option<Vec<u8>>,
}

/// Asks the program.
pub(crate) fn generate(workspace: &Workspace) -> Result<Generated> {
    let pfh = workspace.built_program()?;
    let target = workspace.target_folder()?;
    let mut completions = Files::new();
    for (shell, file) in SHELLS {
        let text = process::stdout(workspace.command(&pfh).args(["completions", shell]))?;
        anyhow::ensure!(!text.is_empty(), "`pfh completions {shell}` printed nothing");
        completions.insert(file.into(), text);
    }
    let folder = target.join("xtask-man");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    process::stdout(workspace.command(&pfh).arg("man").arg(&folder))?;
    let man = read_folder(&folder)?;
    anyhow::ensure!(!man.is_empty(), "`pfh man DIR` wrote nothing");
    Ok(Generated { man, completions, python_reference: python::reference(workspace)? })
}

/// Writes what the program generates into the workspace, and removes what it no longer generates.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    let generated = generate(workspace)?;
    for (folder, files) in [(MAN_FOLDER, &generated.man), (COMPLETIONS_FOLDER, &generated.completions)] {
        let folder = workspace.root.join(folder);
        fs::create_dir_all(&folder)?;
        for stale in read_folder(&folder)?.keys().filter(|name| !files.contains_key(*name)) {
            fs::remove_file(folder.join(stale))?;
        }
        for (name, text) in files {
            fs::write(folder.join(name), text)?;
        }
    }
    if let Some(page) = &generated.python_reference {
        fs::write(workspace.root.join(REFERENCE), page)?;
    }
    println!("wrote {} man pages and {} completions", generated.man.len(), generated.completions.len());
    Ok(())
}

/// The files of a folder; none when it does not exist.
pub(crate) fn read_folder(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    if !folder.exists() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list `{}`", folder.display()))? {
        let entry = entry?;
        files.insert(entry.file_name(), fs::read(entry.path())?);
    }
    Ok(files)
}
