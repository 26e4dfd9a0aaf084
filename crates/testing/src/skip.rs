//! Reports of tests that cannot run where something that they need is not there.
#![allow(unreachable_pub, reason = "crates below this one include the file in their tests")]

#[path = "need.rs"]
mod need;

use std::env;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::thread;

pub use need::Need;
use need::REQUIRED_VARIABLE;

/// Names the file to which each skip is appended, so that a gate can count them: the name of the need, a blank, the
/// test and the reason.
const FILE_VARIABLE: &str = "PFH_TEST_SKIPS";

/// Reports that a test, or a part of it, does not run, and why. The caller returns, or goes on with the next part.
///
/// The line goes to standard error itself: what a test prints by the usual macros is shown only if the test fails.
///
/// # Panics
/// Where the variable `PFH_CI_REQUIRED` lists the need, or something unknown.
#[track_caller]
pub fn skipped(need: Need, reason: impl Display) {
    let thread = thread::current();
    let line = format!("{} {}: {reason}\n", need.name(), thread.name().unwrap_or("a test"));
    match Need::required() {
        Ok(required) => assert!(!required.contains(&need), "{REQUIRED_VARIABLE} requires {line}"),
        Err(error) => panic!("{error}"),
    }
    // One call for each line, so that lines of several threads and programs do not mix.
    let _ = io::stderr().write_all(format!("SKIPPED: {line}").as_bytes());
    if let Some(path) = env::var_os(FILE_VARIABLE) {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}
