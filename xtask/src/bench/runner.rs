//! Runs one shell command as a whole process tree and measures it.
//!
//! The measuring happens in a small process of its own (this program, started again): `getrusage(RUSAGE_CHILDREN)` then
//! speaks of this one command and what it started, and the peak of resident memory is not one of an earlier command.
//! The peak is that of the largest single process, not a sum; a child inherits the few MiB of its parent until it calls
//! exec, so values below about 4 MiB mean "small".

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::resource::{UsageWho, getrusage};

/// The hidden task of this program that measures.
pub(crate) const TASK: &str = "measure-one-command";

/// Costs of one run of a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) wall_s: f64,
    pub(crate) user_s: f64,
    pub(crate) system_s: f64,
    pub(crate) peak_rss_bytes: u64,
    /// Bytes that had to come from the device (`ru_inblock`): the page cache did not have them.
    pub(crate) device_bytes: u64,
}

impl Sample {
    fn print(&self) -> String {
        let Self { wall_s, user_s, system_s, peak_rss_bytes, device_bytes } = self;
        format!("{wall_s} {user_s} {system_s} {peak_rss_bytes} {device_bytes}")
    }

    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [wall_s, user_s, system_s, peak_rss_bytes, device_bytes] = words[..] else { return None };
        Some(Self {
            wall_s: wall_s.parse().ok()?,
            user_s: user_s.parse().ok()?,
            system_s: system_s.parse().ok()?,
            peak_rss_bytes: peak_rss_bytes.parse().ok()?,
            device_bytes: device_bytes.parse().ok()?,
        })
    }
}

/// A command that hangs must not cost the rest of the night.
const LIMIT_S: &str = "900";

/// Runs a shell command and returns what it prints.
pub(super) fn output(line: &str, folder: &Path, path: &OsStr) -> Result<Vec<u8>> {
    run(&["sh", "-c", line].map(OsStr::new), line, folder, path)
}

/// Measures a command in a process of its own; its output goes to /dev/null, what it says on stderr into the error.
pub(super) fn measure(line: &str, folder: &Path, path: &OsStr) -> Result<Sample> {
    let measuring = std::env::current_exe()?;
    let printed = run(&[measuring.as_os_str(), OsStr::new(TASK), OsStr::new(line)], line, folder, path)?;
    let text = String::from_utf8_lossy(&printed);
    Sample::parse(&text).with_context(|| format!("cannot read what the measuring process printed: {text:?}"))
}

/// Runs `words` under `timeout`, which ends the whole process group when the time is over.
fn run(words: &[&OsStr], line: &str, folder: &Path, path: &OsStr) -> Result<Vec<u8>> {
    let mut command = Command::new("timeout");
    command.args(["--signal=KILL", LIMIT_S]).args(words).current_dir(folder).env("PATH", path).env("LC_ALL", "C");
    // Cargo sets LD_LIBRARY_PATH for us, and every dynamic program would search there.
    let output = command.env_remove("LD_LIBRARY_PATH").stdin(Stdio::null()).output().context("cannot start timeout")?;
    if output.status.signal() == Some(9) || output.status.code() == Some(137) {
        bail!("`{line}` was ended after {LIMIT_S} s");
    }
    if !output.status.success() {
        bail!("`{line}` failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

/// The measuring process.
pub(crate) fn main(arguments: &[String]) -> Result<bool> {
    let [line] = arguments else { bail!("one shell command expected") };
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().context("cannot start sh")?;
    let wall_s = start.elapsed().as_secs_f64();
    ensure!(status.success(), "{status}");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    let sample = Sample {
        wall_s,
        user_s: seconds(usage.user_time()),
        system_s: seconds(usage.system_time()),
        // Linux counts in KiB (getrusage(2)) and in blocks of 512 bytes.
        peak_rss_bytes: u64::try_from(usage.max_rss())? * 1024,
        device_bytes: u64::try_from(usage.block_reads())? * 512,
    };
    println!("{}", sample.print());
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_reads_back() {
        let sample =
            Sample { wall_s: 1.5, user_s: 0.25, system_s: 0.125, peak_rss_bytes: 123 << 10, device_bytes: 512 };
        assert_eq!(Sample::parse(&sample.print()), Some(sample));
        assert_eq!(Sample::parse("1 2 3"), None);
    }

    #[test]
    fn a_shell_command_runs_where_it_is_told() {
        let folder = std::env::temp_dir();
        let path = std::env::var_os("PATH").expect("PATH");
        let printed = String::from_utf8(output("pwd -P", &folder, &path).expect("sh")).expect("UTF-8");
        assert_eq!(Path::new(printed.trim_end()), folder.canonicalize().expect("exists"));
        let error = output("echo why >&2; exit 7", &folder, &path).expect_err("exit status 7").to_string();
        assert!(error.contains("why") && error.contains('7'), "{error}");
    }
}
