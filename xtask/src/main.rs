//! Development tasks: `cargo xtask check`, `test`, `setup`, `runners`, `wheel`, `python`, `generate`, `fuzz`,
//! `instructions`, `bench`.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to a developer")]

mod bench;
mod check;
mod elsewhere;
mod fuzz;
mod generate;
mod instructions;
mod laboratory;
/// One text for the gate and for the tests.
#[path = "../../crates/testing/src/need.rs"]
mod need;
mod process;
mod python;
mod runners;
mod setup;
mod skips;
mod summary;
mod test;
mod toolchain;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

use need::{Need, REQUIRED_VARIABLE};
use setup::Consent;
use summary::Summary;
use workspace::Workspace;

const USAGE: &str = "\
Usage: cargo xtask TASK

Tasks:
  check [STEP…]                 formatting, lints, layering, invariants, licences, docs, drift, prose, links …
  test [--quick] [--no-install] [--runtimes]
                                everything that must hold: set-up, check, tests, runners. Says what it would install, and
                                asks where there is a terminal; --runtimes: also the laboratory's small runtimes
  setup                         install the programs that the tests use
  runners [--no-install]        install the laboratory's small runtimes, and hold every runner that is there to the protocol
  wheel [--profile PROFILE] [--free-threaded]
                                build the Python wheel, as it is given to others (dist); --free-threaded: the one for
                                interpreters without a global lock
  python                        build the Python wheel as tests want it, and test it in the interpreters of this machine
  generate                      write docs/man and completions from the program
  fuzz [SECONDS] [TARGET…]      fuzz each target, or those named, for so long (60)
  instructions [--record]       compare the instructions of the portable kernels with those on record, or record them
  bench [OPTIONS]               measure pfh against its peers (`cargo xtask bench --help`)

Steps of check: ";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs the task named on the command line; false when it ran and found something wrong.
fn run() -> Result<bool> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_else(|| "--help".to_owned());
    let rest: Vec<String> = arguments.collect();
    let workspace = Workspace::find()?;
    match task.as_str() {
        "check" => check::main(&workspace, &rest),
        "test" => test::main(&workspace, &rest),
        "setup" => {
            no_arguments(&rest)?;
            setup::install(&setup::for_tests(), Consent::Ask);
            toolchain::install(&workspace, Consent::Ask);
            Ok(true)
        }
        "runners" => {
            let may_install = rest.first().is_none_or(|argument| argument != "--no-install");
            no_arguments(&rest[usize::from(!may_install)..])?;
            let consent = if may_install { Consent::Ask } else { Consent::No };
            Summary::of_one("runners", || runners::test(&workspace, consent))
        }
        "wheel" => python::wheel(&workspace, &rest),
        "python" => {
            no_arguments(&rest)?;
            Summary::of_one("python", || python::test(&workspace, Consent::Ask))
        }
        "generate" => {
            no_arguments(&rest)?;
            generate::write(&workspace)?;
            Ok(true)
        }
        "fuzz" => fuzz::main(&workspace, &rest),
        "instructions" => instructions::main(&workspace, &rest),
        "bench" => bench::main(&workspace, &rest),
        "-h" | "--help" | "help" => {
            println!("{USAGE}{}", check::STEPS.map(|step| step.name).join(", "));
            println!("Names for {REQUIRED_VARIABLE}: {}", Need::ALL.map(Need::name).join(", "));
            Ok(true)
        }
        other => bail!("unknown task `{other}`; `cargo xtask --help` lists them"),
    }
}

fn no_arguments(rest: &[String]) -> Result<()> {
    match rest.first() {
        Some(argument) => bail!("unexpected argument `{argument}`"),
        None => Ok(()),
    }
}
