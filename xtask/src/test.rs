//! `cargo xtask test`: everything that must hold, by one command.

use anyhow::{Result, bail};

use crate::check;
use crate::process;
use crate::runners;
use crate::setup;
use crate::summary::Summary;
use crate::workspace::Workspace;

pub(crate) fn main(workspace: &Workspace, arguments: &[String]) -> Result<bool> {
    let (mut quick, mut may_install) = (false, true);
    for argument in arguments {
        match argument.as_str() {
            "--quick" => quick = true,
            "--no-install" => may_install = false,
            other => bail!("unexpected argument `{other}`; test takes --quick and --no-install"),
        }
    }

    let mut summary = Summary::default();
    let programs = setup::for_tests();
    summary.step("set-up", || {
        let missing = if may_install { setup::install(&programs) } else { setup::look(&programs) };
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
        process::run(&mut cargo)?;
        Ok(setup::fuse().map_or_else(|reason| format!("without a damaging file system: {reason}"), |()| String::new()))
    });
    if !quick {
        summary.step("runners", || runners::test(workspace, may_install));
    }
    Ok(summary.finish())
}
