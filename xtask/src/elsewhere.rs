//! Checks of what runs on machines that are not there: AArch64 by the compiler and by emulation, and Miri, which sees
//! every access to memory.

use anyhow::Result;

use crate::need::Need;
use crate::process::{self, find_program};
use crate::summary::Outcome;
use crate::toolchain::{self, AARCH64, AARCH64_LIBRARY, MIRI};
use crate::workspace::Workspace;

const LANE_TESTS: [&str; 6] = ["--test", "lanes", "--test", "lanes_detach", "--test", "lanes_portable"];

/// Of kernels outside the lanes: the module of which NEON has a form.
const CRC_TESTS: [&str; 4] = ["--package", "pfh-vector", "--lib", "crc"];

/// Everything but the tests compiles for AArch64. On AArch64 itself the other steps compile them.
pub(crate) fn aarch64(workspace: &Workspace) -> Result<Outcome> {
    if cfg!(target_arch = "aarch64") {
        return Ok(Outcome::passed("not needed: this is AArch64"));
    }
    if !AARCH64_LIBRARY.is_there(workspace) {
        return Ok(Outcome::skipped(Need::Aarch64, AARCH64_LIBRARY.hint()));
    }
    let mut cargo = workspace.cargo();
    // In the usual folder: what runs in the compiler is there already.
    cargo.args(["check", "--quiet", "--workspace", "--target", AARCH64]);
    // Nothing is linked, so the C of a dependency need not be compiled, and no compiler for it is needed.
    cargo.env("CC_aarch64_unknown_linux_gnu", "true").env("AR_aarch64_unknown_linux_gnu", "true");
    process::run(cargo.env("RUSTFLAGS", "-D warnings"))?;
    Ok(Outcome::passed("compiles"))
}

/// The lane tests for NEON, under user-mode emulation. On AArch64 itself they are among the others.
pub(crate) fn neon(workspace: &Workspace) -> Result<Outcome> {
    if cfg!(target_arch = "aarch64") {
        return Ok(Outcome::passed("not needed: this is AArch64"));
    }
    let (linker, emulator) = ("aarch64-linux-gnu-g++", "qemu-aarch64");
    for program in [linker, emulator] {
        if find_program(program).is_none() {
            return Ok(Outcome::skipped(
                Need::Neon,
                format!("there is no {program} (`cargo xtask setup` installs it)"),
            ));
        }
    }
    if !AARCH64_LIBRARY.is_there(workspace) {
        return Ok(Outcome::skipped(Need::Neon, AARCH64_LIBRARY.hint()));
    }
    let lanes = ["--package", "pfh-digest", "--package", "pfh-vector", "--test", "backends"];
    let lanes = lanes.iter().chain(&LANE_TESTS).copied().collect::<Vec<_>>();
    for selection in [&lanes[..], &CRC_TESTS] {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--quiet", "--target", AARCH64]);
        // Apart from what the step above leaves without its C.
        cargo.arg("--target-dir").arg(workspace.target_folder()?.join("neon")).args(selection);
        cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", linker);
        cargo.env("CC_aarch64_unknown_linux_gnu", "aarch64-linux-gnu-gcc");
        cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("{emulator} -L /usr/aarch64-linux-gnu"));
        cargo.env("PFH_TEST_REQUIRED_BACKENDS", "neon,portable");
        process::run(&mut cargo)?;
    }
    Ok(Outcome::passed("by emulation"))
}

/// The portable kernels and the scheduler under Miri, which only nightly toolchains have.
pub(crate) fn miri(workspace: &Workspace) -> Result<Outcome> {
    if !MIRI.is_there(workspace) {
        return Ok(Outcome::skipped(Need::Miri, MIRI.hint()));
    }
    let mut test = toolchain::rustup(workspace);
    test.args(["run", "nightly", "cargo", "miri", "test", "--quiet", "--package", "pfh-digest"]);
    process::run(test.args(["--test", "lanes_portable"]))?;
    Ok(Outcome::passed(""))
}
