//! `cargo xtask test`: everything that must hold, by one command.

use std::env;

use anyhow::{Result, bail};

use crate::check;
use crate::python;
use crate::runners;
use crate::setup;
use crate::skips;
use crate::summary::{Outcome, Row, Summary};
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

    let tests = || {
        let mut cargo = workspace.cargo();
        cargo.args(["test", "--workspace", "--no-fail-fast", "--features", SHIPPED]);
        if quick {
            cargo.args(["--lib", "--bins"]);
        }
        let missing = skips::run_tests(workspace, &mut cargo)?;
        Ok(Outcome::Passed(skips::note(&missing), missing))
    };
    let row = |is_apart| -> Row<'_> {
        let steps = check::STEPS.iter().filter(|step| step.is_apart == is_apart && !(quick && step.slow));
        steps.map(|step| (step.name, Box::new(|| (step.run)(workspace)) as _)).collect()
    };
    let (mut own, mut apart) = (row(false), row(true));
    own.push(("cargo test", Box::new(tests)));
    let for_runners = if runtimes { consent } else { setup::Consent::No };
    let test_runners = move || runners::test(workspace, for_runners);
    // A question to the user would stand among what the tests print.
    let are_last = !quick && for_runners.asks();
    if !quick {
        own.push(("python", Box::new(|| python::test(workspace, consent))));
    }
    if !quick && !are_last {
        apart.push(("runners", Box::new(test_runners)));
    }
    summary.two_rows(own, apart);
    if are_last {
        summary.step("runners", test_runners);
    }
    Ok(summary.finish())
}
