//! `cargo xtask instructions`: counts the instructions of the portable kernels and of the lane scheduler, and compares
//! with the counts on record. A regression shows without a stopwatch, on any machine.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::need::Need;
use crate::process::{self, find_program};
use crate::summary::{Findings, Outcome, Summary};
use crate::workspace::Workspace;

const MANIFEST: &str = "bench/instructions/Cargo.toml";
const RECORD: &str = "bench/instructions/counts.txt";

/// A change that is larger is reported, in either direction: counts on record that are too high hide the next
/// regression.
const TOLERANCE: f64 = 0.02;

const ALGORITHMS: [&str; 10] =
    ["md4", "md5", "sha1", "sha256", "sha512", "sha3-256", "ripemd160", "sm3", "blake2b", "blake2s"];

/// Functions of this name are the kernels; everything else in the program is the scheduler.
const KERNELS: &str = "lanes::kernel::portable::";
/// The function that is counted, with all that it calls.
const COUNTED: &str = "*hash_all*";

/// Instructions that one algorithm takes for the load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    kernels: u64,
    scheduler: u64,
}

/// With `--record` writes the counts down, else compares.
pub(crate) fn main(workspace: &Workspace, arguments: &[String]) -> Result<bool> {
    match arguments {
        [] => Summary::of_one("instructions", || check(workspace)),
        [option] if option == "--record" => record(workspace).map(|()| true),
        _ => bail!("instructions takes --record or nothing"),
    }
}

/// Compares with the counts on record.
pub(crate) fn check(workspace: &Workspace) -> Result<Outcome> {
    if find_program("valgrind").is_none() {
        return Ok(Outcome::skipped(Need::Instructions, "valgrind is not installed"));
    }
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::skipped(Need::Instructions, "the counts on record are those of x86-64"));
    }
    let recorded = fs::read_to_string(workspace.root.join(RECORD)).with_context(|| format!("cannot read {RECORD}"))?;
    let program = build(workspace)?;
    let mut findings = Findings::default();
    for algorithm in ALGORITHMS {
        let counted = count(workspace, &program, algorithm)?;
        match parse_record(&recorded, algorithm) {
            Some(recorded) => compare(algorithm, recorded, counted, &mut findings),
            None => findings.add(format!("{RECORD} has no counts of {algorithm}")),
        }
    }
    findings.into_result(format!("{} algorithms within {} %", ALGORITHMS.len(), 100.0 * TOLERANCE))
}

fn record(workspace: &Workspace) -> Result<()> {
    ensure!(find_program("valgrind").is_some(), "valgrind is not installed");
    let program = build(workspace)?;
    let mut text =
        "# Instructions for a fixed load in the portable backend. Written by `cargo xtask instructions --record`.\n\
                    # algorithm kernels scheduler\n"
            .to_owned();
    for algorithm in ALGORITHMS {
        let Counts { kernels, scheduler } = count(workspace, &program, algorithm)?;
        writeln!(text, "{algorithm} {kernels} {scheduler}")?;
    }
    print!("{text}");
    fs::write(workspace.root.join(RECORD), text).with_context(|| format!("cannot write {RECORD}"))
}

fn build(workspace: &Workspace) -> Result<std::path::PathBuf> {
    let target = workspace.target_folder()?.join("bench-instructions");
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--quiet", "--release", "--manifest-path", MANIFEST, "--target-dir"]).arg(&target);
    process::run(&mut cargo)?;
    Ok(target.join("release/pfh-bench-instructions"))
}

fn count(workspace: &Workspace, program: &Path, algorithm: &str) -> Result<Counts> {
    let profile = program.with_file_name(format!("{algorithm}.callgrind"));
    let mut out_file = std::ffi::OsString::from("--callgrind-out-file=");
    out_file.push(&profile);
    let mut valgrind = workspace.command("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]);
    valgrind.arg(format!("--toggle-collect={COUNTED}")).arg(out_file).arg(program).arg(algorithm);
    process::stdout(&mut valgrind)?;
    let text = fs::read(&profile).with_context(|| format!("cannot read `{}`", profile.display()))?;
    let counts = parse_profile(&String::from_utf8_lossy(&text));
    ensure!(counts.kernels > 0 && counts.scheduler > 0, "callgrind saw no {KERNELS} of {algorithm}: {counts:?}");
    Ok(counts)
}

/// Adds up what functions took themselves, by the format that the callgrind manual describes: `ob=` and `fn=` name
/// object and function, `line cost` is a cost of the function, and behind `calls=` that of the function called, which
/// has its own lines.
fn parse_profile(text: &str) -> Counts {
    let mut counts = Counts::default();
    let (mut in_kernel, mut in_program, mut of_call) = (false, true, false);
    for line in text.lines() {
        if let Some(object) = line.strip_prefix("ob=") {
            // The C library's memcpy is another one on other machines.
            in_program = object.contains("pfh");
        } else if let Some(function) = line.strip_prefix("fn=") {
            in_kernel = function.contains(KERNELS);
        } else if line.starts_with("calls=") {
            of_call = true;
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let cost = line.split(' ').nth(1).and_then(|cost| cost.parse::<u64>().ok()).unwrap_or_default();
            match (std::mem::take(&mut of_call), in_program, in_kernel) {
                (false, true, true) => counts.kernels += cost,
                (false, true, false) => counts.scheduler += cost,
                _ => {}
            }
        }
    }
    counts
}

/// The line `algorithm kernels scheduler`.
fn parse_record(text: &str, algorithm: &str) -> Option<Counts> {
    let lines = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    lines.into_iter().find_map(|words| match words[..] {
        [name, kernels, scheduler] if name == algorithm => {
            Some(Counts { kernels: kernels.parse().ok()?, scheduler: scheduler.parse().ok()? })
        }
        _ => None,
    })
}

fn compare(algorithm: &str, recorded: Counts, counted: Counts, findings: &mut Findings) {
    for (what, before, now) in
        [("kernels", recorded.kernels, counted.kernels), ("scheduler", recorded.scheduler, counted.scheduler)]
    {
        let change = now as f64 / before as f64 - 1.0;
        if change.abs() > TOLERANCE {
            findings.add(format!(
                "{algorithm}: the {what} take {now} instructions, on record are {before} ({:+.1} %). If that is meant: `cargo \
                 xtask instructions --record`",
                100.0 * change
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_added_up() {
        let text = "version: 1\npositions: line\nevents: Ir\n\nob=/x/pfh-bench-instructions\nfl=a.rs\nfn=hash_all\n12 100\n\
                    cfn=pfh_digest::lanes::kernel::portable::md5_x4\ncalls=3 1\n13 7000\n14 5\n\n\
                    fn=pfh_digest::lanes::kernel::portable::md5_x4\nfi=b.rs\n1 6000\n2 1000\n\n\
                    ob=/lib/libc.so.6\nfn=memcpy\n1 50\n\ntotals: 7155\n";
        assert_eq!(parse_profile(text), Counts { kernels: 7000, scheduler: 105 });
    }

    #[test]
    fn changes_are_found_in_either_direction() {
        let recorded = parse_record("# a comment\nmd4 1 2\nmd5 1000 100\n", "md5").expect("is there");
        assert_eq!(recorded, Counts { kernels: 1000, scheduler: 100 });
        assert_eq!(parse_record("md5 1000\n", "md5"), None);
        for (kernels, scheduler, found) in [(1019, 99, 0), (1021, 100, 1), (979, 103, 2)] {
            let mut findings = Findings::default();
            compare("md5", recorded, Counts { kernels, scheduler }, &mut findings);
            assert_eq!(findings.lines().len(), found, "{kernels} {scheduler}");
        }
    }
}
