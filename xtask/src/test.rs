//! `cargo xtask test`: everything that must hold, by one command.

use std::env;
use std::fs;

use anyhow::{Result, bail};

use crate::check;
use crate::process;
use crate::runners;
use crate::setup;
use crate::summary::Summary;
use crate::workspace::Workspace;

pub(crate) fn main(workspace: &Workspace, arguments: &[String]) -> Result<bool> {
    let mut quick = false;
    let mut consent = setup::Consent::Ask;
    // A runner of CI has no terminal, is a machine of its own, and is to test all that can be tested.
    let mut runtimes = env::var_os("CI").is_some();
    for argument in arguments {
        match argument.as_str() {
            "--quick" => quick = true,
            "--no-install" => consent = setup::Consent::No,
            "--runtimes" => runtimes = true,
            other => bail!("unexpected argument `{other}`; test takes --quick, --no-install and --runtimes"),
        }
    }

    let mut summary = Summary::default();
    let programs = setup::for_tests();
    summary.step("set-up", || {
        let missing = setup::install(&programs, consent);
        Ok(match missing.len() {
            0 => format!("all {} programs are there", programs.len()),
            count => format!("{count} of {} programs are MISSING; tests that need them skip", programs.len()),
        })
    });

    for step in check::STEPS.iter().filter(|step| !(quick && step.slow)) {
        summary.step(step.name, || (step.run)(workspace));
    }

    summary.step("cargo test", || {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--workspace", "--no-fail-fast"]);
        if quick {
            cargo.args(["--lib", "--bins"]);
        }
        let skips = workspace.target_folder()?.join("test-skips.txt");
        let _ = fs::remove_file(&skips);
        process::run(cargo.env("PFH_TEST_SKIPS", &skips))?;
        // The file is there only if a test, or a part of one, could not run.
        let skipped = fs::read_to_string(&skips).unwrap_or_default();
        print!("{skipped}");
        Ok(match skipped.lines().count() {
            0 => String::new(),
            count => format!("{count} tests, or parts of tests, SKIPPED (listed above)"),
        })
    });
    if !quick {
        let consent = if runtimes { consent } else { setup::Consent::No };
        summary.step("runners", || runners::test(workspace, consent));
    }
    Ok(summary.finish())
}
