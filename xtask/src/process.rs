//! Running other programs.

use std::cell::Cell;
use std::env;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

thread_local! {
    /// Processor time of the programs that a thread has waited for, with all that they started and waited for.
    static CPU_TIME: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Processor time, so far, of the programs that this thread ran; 0 where the system does not tell.
pub(crate) fn cpu_time() -> Duration {
    CPU_TIME.get()
}

/// Adds the time of programs that another thread ran for this one.
pub(crate) fn add_cpu_time(time: Duration) {
    CPU_TIME.set(CPU_TIME.get() + time);
}

/// Runs a command, and returns how it ended.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus> {
    end(&mut start(command)?)
}

/// Runs a command with our own stdout and stderr.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = status(command)?;
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a command and returns its output; if it fails, both of its streams go into the error.
pub(crate) fn stdout(command: &mut Command) -> Result<Vec<u8>> {
    let mut child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let streams = (child.stdout.take(), child.stderr.take());
    let read = thread::scope(|scope| {
        let second = scope.spawn(|| streams.1.map_or(Ok(0), |mut stream| stream.read_to_end(&mut err)));
        let first = streams.0.map_or(Ok(0), |mut stream| stream.read_to_end(&mut out));
        first.and(second.join().expect("nothing there panics"))
    });
    let status = end(&mut child)?;
    read.with_context(|| format!("cannot read what {} prints", shown(command)))?;
    if !status.success() {
        let [out, err] = [&out, &err].map(|stream| String::from_utf8_lossy(stream));
        bail!("{} failed ({status}): {}{}", shown(command), out.trim_start(), err.trim());
    }
    Ok(out)
}

fn start(command: &mut Command) -> Result<Child> {
    command.stdin(Stdio::null()).spawn().with_context(|| format!("cannot start {}", shown(command)))
}

/// Waits for the end of a process, and adds up its time.
fn end(child: &mut Child) -> Result<ExitStatus> {
    // A process that has ended still tells its time until it is waited for.
    let id = Pid::from_child(child);
    let _ = waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    let stat = fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).unwrap_or_default();
    let ticks = ticks(&stat) as f64 / clock_ticks_per_second() as f64;
    add_cpu_time(Duration::from_secs_f64(ticks));
    Ok(child.wait()?)
}

/// Time of a process and of those that it waited for, by proc_pid_stat(5).
fn ticks(stat: &str) -> u64 {
    let after_name = stat.rsplit_once(')').map_or("", |(_, after)| after);
    // `state` is the third field; `utime`, `stime`, `cutime` and `cstime` are the 14th to the 17th.
    after_name.split_ascii_whitespace().skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// Where a program lies, looked up in `PATH`.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args()).map(|word| word.to_string_lossy());
    format!("`{}`", words.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_programs_is_added_up() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 0 1 2 3 4 100 20 3 4 20 0 1 0 5 6 7";
        assert_eq!((ticks(stat), ticks("")), (127, 0));
        let before = cpu_time();
        // The loop runs in a child of the program.
        let script = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'; echo text; echo more >&2";
        assert_eq!(stdout(Command::new("sh").args(["-c", script])).expect("runs"), b"text\n");
        assert!(cpu_time() > before);
        let error = stdout(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"])).expect_err("fails");
        assert_eq!(error.to_string(), "`sh -c echo out; echo err >&2; exit 3` failed (exit status: 3): out\nerr");
        let error = run(Command::new("sh").args(["-c", "exit 4"])).expect_err("fails");
        assert_eq!(error.to_string(), "`sh -c exit 4` failed (exit status: 4)");
    }
}
