//! The laboratory of a built program, `pfh lab`, as a process: xtask must work where the rest does not compile.

use std::path::Path;
use std::process::Command;

use crate::workspace::Workspace;

/// A command of the laboratory, with the runners and experiments of this source tree.
pub(crate) fn command(workspace: &Workspace, pfh: &Path, arguments: &[&str]) -> Command {
    let mut command = workspace.command(pfh);
    command.arg("lab").args(arguments).env("PFH_LAB", workspace.root.join("lab"));
    // Cargo sets this for us, and every dynamic program that is measured would search there.
    command.env_remove("LD_LIBRARY_PATH");
    command
}
