//! Skips a test that lacks a program or a privilege.
#![allow(unreachable_pub, reason = "crates below this one include the file in their tests")]

use std::env;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::thread;

/// Names the file to which each skip is appended, so that a gate can count them.
const FILE_VARIABLE: &str = "PFH_TEST_SKIPS";
/// Where this is set, a skip is a failure.
const REQUIRED_VARIABLE: &str = "PFH_TEST_REQUIRED";

/// Says that a test, or a part of it, does not run, and why. The caller returns, or goes on with the next part.
///
/// The line goes to standard error itself: what a test prints by the usual macros is shown only if the test fails.
///
/// # Panics
/// Where the variable `PFH_TEST_REQUIRED` is set: nothing may be missing then.
#[track_caller]
pub fn skipped(reason: impl Display) {
    let thread = thread::current();
    let line = format!("SKIPPED: {}: {reason}\n", thread.name().unwrap_or("a test"));
    assert!(env::var_os(REQUIRED_VARIABLE).is_none(), "{REQUIRED_VARIABLE} is set, and this cannot run. {line}");
    // One call for each line, so that lines of several threads and programs do not mix.
    let _ = io::stderr().write_all(line.as_bytes());
    if let Some(path) = env::var_os(FILE_VARIABLE) {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}
