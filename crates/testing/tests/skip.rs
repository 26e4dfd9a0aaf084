//! A skip is reported, counted, and a failure where what is missing is required.
#![expect(clippy::unwrap_used, reason = "a failure is the test's answer")]

use std::env;
use std::fs;
use std::process::{Command, Output};

use pfh_testing::{Need, skipped};

/// Set for the tests that run as children of others.
const CHILD: &str = "PFH_TESTING_SKIP_CHILD";

/// Skips only as a child of the tests below.
#[test]
fn skips_as_a_child() {
    if env::var_os(CHILD).is_some() {
        skipped(Need::Browser, "there is no browser");
    }
}

/// Runs that test with a list of what is required. Returns what it gave and the skips that were counted.
fn child(required: &str) -> (Output, String) {
    let directory = tempfile::tempdir().unwrap();
    let counted = directory.path().join("skips");
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "skips_as_a_child", "--nocapture"]);
    child.env(CHILD, "1").env("PFH_CI_REQUIRED", required).env("PFH_TEST_SKIPS", &counted);
    (child.output().unwrap(), fs::read_to_string(&counted).unwrap_or_default())
}

#[test]
fn a_skip_is_reported_and_counted() {
    for required in ["", "fuse,peers"] {
        let (output, counted) = child(required);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{stderr}");
        assert_eq!(counted, "browser skips_as_a_child: there is no browser\n");
        assert!(stderr.contains(&format!("SKIPPED: {counted}")), "{stderr}");
    }
}

#[test]
fn a_skip_of_what_is_required_fails() {
    for (required, because) in [
        ("fuse, browser", "PFH_CI_REQUIRED requires browser skips_as_a_child: there is no browser"),
        ("brwoser", "PFH_CI_REQUIRED: unknown name `brwoser`; names are aarch64, axe, bagit, block-device, browser,"),
    ] {
        let (output, counted) = child(required);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && stderr.contains(because), "{stderr}");
        assert_eq!(counted, "");
    }
}

#[test]
fn names_are_sorted_and_lead_back() {
    assert!(Need::ALL.is_sorted_by_key(|need| need.name()) && Need::ALL.is_sorted());
    for need in Need::ALL {
        assert_eq!(Need::from_name(need.name()), Some(need));
    }
}
