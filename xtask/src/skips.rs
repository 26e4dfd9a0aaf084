//! Tests that were skipped: how a gate learns of them.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::need::Need;
use crate::process;
use crate::workspace::Workspace;

/// Runs tests, which must pass, and returns the needs of those that were skipped; their reasons are printed.
pub(crate) fn run_tests(workspace: &Workspace, tests: &mut Command) -> Result<Vec<Need>> {
    let skips = workspace.target_folder()?.join("test-skips.txt");
    let _ = fs::remove_file(&skips);
    process::run(tests.env("PFH_TEST_SKIPS", &skips))?;
    // The file is there only if a test, or a part of one, could not run.
    let skipped = fs::read_to_string(&skips).unwrap_or_default();
    print!("{skipped}");
    needs(&skipped)
}

/// The needs of the tests that were skipped: the first word of each line.
fn needs(skips: &str) -> Result<Vec<Need>> {
    let need = |line: &str| {
        let name = line.split(' ').next().unwrap_or_default();
        Need::from_name(name).with_context(|| format!("a test was skipped for an unknown reason: {line}"))
    };
    skips.lines().map(need).collect()
}

/// The number of skipped tests in words; nothing if there are none.
pub(crate) fn note(missing: &[Need]) -> String {
    match missing.len() {
        0 => String::new(),
        count => format!("{count} tests, or parts of tests, SKIPPED (listed above)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_of_tests_are_counted_by_need() {
        let missing = needs("fuse a::b: there is none\nlanes c: no lanes\nfuse d: none\n").expect("known");
        assert_eq!(missing, [Need::Fuse, Need::Lanes, Need::Fuse]);
        assert_eq!(note(&missing), "3 tests, or parts of tests, SKIPPED (listed above)");
        assert_eq!(note(&needs("").expect("none")), "");
        assert!(needs("abacus e: none\n").is_err());
    }
}
