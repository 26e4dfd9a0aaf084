//! One run of a whole program, measured: [`measure`] in a process of its own, which [`Meter`] starts and watches.
//!
//! `getrusage(RUSAGE_CHILDREN)` of a process that runs one command speaks of that command and all that it waited for,
//! and the peak of resident memory is not that of an earlier command. The peak is the largest single process's, not a
//! sum; a child inherits the few MiB of its parent until it calls exec.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use rustix::process::{Signal, kill_current_process_group};
use serde::{Deserialize, Serialize};

use crate::process::{Fault, Launch, Process};
use crate::quantity::counted;
use crate::results::FailureKind;
use crate::session::Failed;

/// Costs of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Time that passed, in nanoseconds.
    pub wall_ns: u64,
    /// Time of the processor, the user's and the system's, in nanoseconds.
    pub cpu_ns: u64,
    /// The system's part of that, in nanoseconds.
    pub system_ns: u64,
    /// Largest resident size of one process, in bytes.
    pub peak_bytes: u64,
    /// Bytes that had to come from a block device: the page cache did not have them.
    pub device_bytes: u64,
    /// The exit status; 128 and the signal's number where one ended it.
    pub status: i32,
}

/// Ends the group of this process, and so the process itself, as soon as an input ends: its other end is held by the
/// process that started it, which may be killed and then ends nothing by itself. The group is to be one of its own.
///
/// # Errors
/// When there can be no thread that waits for it.
pub fn end_with(mut input: impl Read + Send + 'static) -> io::Result<()> {
    let wait = move || {
        // An input that cannot be read holds nobody.
        let _ = io::copy(&mut input, &mut io::sink());
        let _ = kill_current_process_group(Signal::KILL);
    };
    thread::Builder::new().spawn(wait).map(|_| ())
}

/// Runs a shell command and measures it; its output goes to a file, or nowhere.
///
/// # Errors
/// When the shell cannot be started, or the file cannot be made.
pub fn measure(command: &str, output: Option<&Path>) -> io::Result<Measured> {
    use std::os::unix::process::ExitStatusExt;
    let stdout = output.map_or_else(|| Ok(Stdio::null()), |path| File::create(path).map(Stdio::from))?;
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null()).stdout(stdout);
    let start = Instant::now();
    let status = shell.status()?;
    let wall_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let number = |number: i64| u64::try_from(number).unwrap_or(0);
    let nanoseconds = |time: TimeVal| number(time.tv_sec()) * 1_000_000_000 + number(time.tv_usec()) * 1000;
    Ok(Measured {
        wall_ns,
        cpu_ns: nanoseconds(usage.user_time()) + nanoseconds(usage.system_time()),
        system_ns: nanoseconds(usage.system_time()),
        // Linux counts in KiB (getrusage(2)) and in blocks of 512 bytes.
        peak_bytes: number(usage.max_rss()) << 10,
        device_bytes: number(usage.block_reads()) << 9,
        status: status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default()),
    })
}

/// A run that was measured.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) measured: Measured,
    /// The end of what it wrote to standard error.
    pub(crate) said: String,
}

/// Characters of a line of standard error that are shown, at most.
const LINE_CHARACTERS_MAX: usize = 300;

impl Run {
    /// How it ended, with the first line of what it wrote to standard error: it names the file of a read error.
    pub(crate) fn ended(&self) -> String {
        let mut text = format!("ended with status {}", self.measured.status);
        let mut lines = self.said.lines().map(str::trim).filter(|line| !line.is_empty());
        if let Some(first) = lines.next() {
            let shown: String = first.chars().take(LINE_CHARACTERS_MAX).collect();
            text += &format!(": {shown}{}", if shown.len() < first.len() { "…" } else { "" });
        }
        match lines.count() {
            0 => text,
            more => text + &format!(" (and {})", counted(more, "line more", "lines more")),
        }
    }
}

/// Starts measuring processes.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    /// The program `pfh`, whose `lab measure` measures.
    pub(crate) program: PathBuf,
    pub(crate) directory: PathBuf,
    pub(crate) limit: Duration,
    pub(crate) memory_bytes: u64,
}

impl Meter {
    /// Runs a command, in an environment; none where the user wants to stop.
    pub(crate) fn run(
        &self,
        command: &str,
        environment: Vec<(String, String)>,
        output: Option<&Path>,
        cancel: &AtomicBool,
    ) -> Result<Option<Run>, Failed> {
        let mut arguments = ["lab", "measure", "--until-closed"].map(str::to_owned).to_vec();
        if let Some(output) = output {
            arguments.extend(["--output".to_owned(), output.to_string_lossy().into_owned()]);
        }
        arguments.extend(["--".to_owned(), command.to_owned()]);
        let launch = Launch {
            program: self.program.to_string_lossy().into_owned(),
            arguments,
            environment,
            directory: self.directory.clone(),
        };
        let crash = |error: &dyn std::fmt::Display| Failed { kind: FailureKind::Crash, message: error.to_string() };
        let mut process = Process::start(&launch, self.memory_bytes).map_err(|error| crash(&error))?;
        match process.receive(Instant::now() + self.limit, cancel) {
            Ok(line) => {
                let measured: Result<Measured, _> = serde_json::from_str(&line);
                let said = process.end();
                match measured {
                    Ok(measured) => Ok(Some(Run { measured, said })),
                    Err(error) => Err(crash(&format!("the measuring process: {error}: {said}"))),
                }
            }
            Err(Fault::Cancelled) => Ok(None),
            Err(fault) => {
                let kind = match fault {
                    Fault::Timeout => FailureKind::Timeout,
                    Fault::Memory(_) => FailureKind::Memory,
                    _ => FailureKind::Crash,
                };
                let limit = self.limit.as_secs();
                let said = process.end();
                let message = match kind {
                    FailureKind::Timeout => format!("did not end within {limit} s, the experiment's `task_seconds`"),
                    _ => fault.to_string(),
                };
                Err(Failed { kind, message: if said.is_empty() { message } else { format!("{message}: {said}") } })
            }
        }
    }
}
