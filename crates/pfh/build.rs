//! Hands the compiler's version to the program, which says it in `hello`, and the commit and the date of the build,
//! which `--version` says where they are known.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

fn main() {
    let output = Command::new(env::var_os("RUSTC").expect("cargo sets it")).arg("--version").output();
    let version = String::from_utf8(output.expect("rustc starts").stdout).expect("a version is ASCII");
    println!("cargo::rustc-env=RUSTC_VERSION={}", version.trim().trim_start_matches("rustc "));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    if let Some(commit) = commit_of_package(&package).or_else(|| commit_of_repository(&package)) {
        println!("cargo::rustc-env=PFH_COMMIT={commit}");
        println!("cargo::rustc-env=PFH_BUILD_DATE={}", date(build_seconds()));
    } else if env::var_os("SOURCE_DATE_EPOCH").is_some() {
        println!("cargo::rustc-env=PFH_BUILD_DATE={}", date(build_seconds()));
    }
}

const COMMIT_DIGITS: usize = 12;

/// From the file that `cargo package` adds.
fn commit_of_package(package: &Path) -> Option<String> {
    let facts = fs::read_to_string(package.join(".cargo_vcs_info.json")).ok()?;
    let (_, after) = facts.split_once("\"sha1\"")?;
    shortened(after.split('"').nth(1)?)
}

/// From the repository, unless it is that of somebody who keeps a copy of the source in a repository of another
/// project.
fn commit_of_repository(package: &Path) -> Option<String> {
    let root = fs::canonicalize(package.join("../..")).ok()?;
    if fs::canonicalize(git(package, &["rev-parse", "--show-toplevel"])?).ok()? != root {
        return None;
    }
    // The log grows whenever HEAD moves. Without a log, the branches themselves are watched.
    let path =
        |name: &str| Some(package.join(git(package, &["rev-parse", "--git-path", name])?)).filter(|path| path.exists());
    match path("logs/HEAD") {
        Some(log) => println!("cargo::rerun-if-changed={}", log.display()),
        None => {
            for path in ["HEAD", "refs/heads", "packed-refs"].into_iter().filter_map(path) {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        }
    }
    shortened(&git(package, &["rev-parse", "HEAD"])?)
}

fn shortened(commit: &str) -> Option<String> {
    let commit = commit.get(..COMMIT_DIGITS)?;
    commit.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| commit.to_owned())
}

fn git(package: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(package).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}

/// The time of the build, or the one that stands for it, so that builds can be repeated.
fn build_seconds() -> u64 {
    let stated = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.trim().parse().ok());
    stated.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// The day, by the Gregorian calendar (UTC).
fn date(seconds: u64) -> String {
    let is_leap = |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    let (mut days, mut year) = (seconds / 86_400, 1970);
    while year < 9999 && days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths.into_iter().take(11) {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days.min(30) + 1)
}
