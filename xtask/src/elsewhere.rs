//! Tests of the lanes on machines that are not there: AArch64 by emulation, and Miri, which sees every access to
//! memory. Both say that they skip where a tool is missing; nothing is installed for them.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::process::{self, find_program};
use crate::workspace::Workspace;

const ARM: &str = "aarch64-unknown-linux-gnu";
const LANE_TESTS: [&str; 6] = ["--test", "lanes", "--test", "lanes_detach", "--test", "lanes_portable"];

/// The lane tests for NEON, under user-mode emulation. On AArch64 itself they are among the others.
pub(crate) fn neon(workspace: &Workspace) -> Result<String> {
    if cfg!(target_arch = "aarch64") {
        return Ok("not needed: this is AArch64".to_owned());
    }
    let (linker, emulator) = ("aarch64-linux-gnu-gcc", "qemu-aarch64");
    for (program, package) in [(linker, "gcc-aarch64-linux-gnu"), (emulator, "qemu-user")] {
        if find_program(program).is_none() {
            return Ok(format!("SKIPPED: no {program} (Debian package {package})"));
        }
    }
    let listed =
        process::stdout(workspace.command("rustup").args(["target", "list", "--installed"])).unwrap_or_default();
    if !String::from_utf8_lossy(&listed).lines().any(|line| line == ARM) {
        return Ok(format!("SKIPPED: no standard library (`rustup target add {ARM}`)"));
    }
    let mut cargo = workspace.cargo();
    cargo.args(["test", "--quiet", "--package", "pfh-digest", "--target", ARM]).args(LANE_TESTS);
    cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", linker);
    cargo.env("CC_aarch64_unknown_linux_gnu", linker);
    cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("{emulator} -L /usr/aarch64-linux-gnu"));
    cargo.env("PFH_TEST_REQUIRED_BACKENDS", "neon,portable");
    process::run(&mut cargo)?;
    Ok("by emulation".to_owned())
}

/// The portable kernels and the scheduler under Miri, which only nightly toolchains have.
pub(crate) fn miri(workspace: &Workspace) -> Result<String> {
    let miri = |command: &mut Command| {
        command.args(["run", "nightly", "cargo", "miri"]);
        // Ours say which toolchain started us.
        command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC");
    };
    let mut version = workspace.command("rustup");
    miri(&mut version);
    version.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        return Ok("SKIPPED: no Miri (`rustup toolchain install nightly --component miri,rust-src`)".to_owned());
    }
    let mut test = workspace.command("rustup");
    miri(&mut test);
    test.args(["test", "--quiet", "--package", "pfh-digest", "--test", "lanes_portable"]);
    process::run(&mut test)?;
    Ok(String::new())
}
