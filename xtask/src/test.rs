//! `cargo xtask test`: everything that must hold, by one command.

use std::env;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::check;
use crate::need::Need;
use crate::process;
use crate::python;
use crate::runners;
use crate::setup;
use crate::summary::{Outcome, Summary};
use crate::toolchain;
use crate::workspace::{SHIPPED, Workspace};

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

    let mut summary = Summary::new()?;
    let programs = setup::for_tests();
    summary.step("set-up", || {
        let missing = setup::install(&programs, consent).len() + toolchain::install(workspace, consent).len();
        Ok(Outcome::passed(match missing {
            0 => "everything is there".to_owned(),
            count => format!("{count} programs or parts of Rust are MISSING; what needs them skips"),
        }))
    });

    for step in check::STEPS.iter().filter(|step| !(quick && step.slow)) {
        summary.step(step.name, || (step.run)(workspace));
    }

    summary.step("cargo test", || {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--workspace", "--no-fail-fast", "--features", SHIPPED]);
        if quick {
            cargo.args(["--lib", "--bins"]);
        }
        let skips = workspace.target_folder()?.join("test-skips.txt");
        let _ = fs::remove_file(&skips);
        process::run(cargo.env("PFH_TEST_SKIPS", &skips))?;
        // The file is there only if a test, or a part of one, could not run.
        let skipped = fs::read_to_string(&skips).unwrap_or_default();
        print!("{skipped}");
        outcome_of_tests(&skipped)
    });
    if !quick {
        let for_runners = if runtimes { consent } else { setup::Consent::No };
        // Both install packages, and wait for what they started.
        summary.two_steps(
            ["python", "runners"],
            || python::test(workspace, consent),
            || runners::test(workspace, for_runners),
        );
    }
    Ok(summary.finish())
}

/// Passed, with the needs of the tests that were skipped: the first word of each line.
fn outcome_of_tests(skips: &str) -> Result<Outcome> {
    let need = |line: &str| {
        let name = line.split(' ').next().unwrap_or_default();
        Need::from_name(name).with_context(|| format!("a test was skipped for an unknown reason: {line}"))
    };
    let missing = skips.lines().map(need).collect::<Result<Vec<_>>>()?;
    let note = match missing.len() {
        0 => String::new(),
        count => format!("{count} tests, or parts of tests, SKIPPED (listed above)"),
    };
    Ok(Outcome::Passed(note, missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_of_tests_are_counted_by_need() {
        let outcome = outcome_of_tests("fuse a::b: there is none\nlanes c: no lanes\nfuse d: none\n").expect("known");
        let note = "3 tests, or parts of tests, SKIPPED (listed above)".to_owned();
        assert_eq!(outcome, Outcome::Passed(note, vec![Need::Fuse, Need::Lanes, Need::Fuse]));
        assert_eq!(outcome_of_tests("").expect("none"), Outcome::passed(""));
        assert!(outcome_of_tests("abacus e: none\n").is_err());
    }
}
