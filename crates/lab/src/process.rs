//! A program that is not trusted: its lines are bounded, its memory is watched, and it is ended with all that it
//! started.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::time::{clock_getcpuclockid, clock_gettime};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    waitid, waitpid,
};

use crate::protocol::LINE_BYTES_MAX;

/// So much of the end of standard error is kept.
pub const STDERR_BYTES_MAX: usize = 64 << 10;

/// Most lines that wait to be processed; a runner that writes more is blocked until they are.
const LINES_WAITING_MAX: usize = 16;

/// Interval between checks of the memory of a process and of the user's wish to stop: short enough that a process that
/// takes 5 GB/s is stopped 250 MB above its limit.
const TICK: Duration = Duration::from_millis(50);

/// Number of ticks between two sums of the memory of the whole group, each of which reads a file for each process of
/// the system.
const TICKS_PER_SCAN: u32 = 20;

/// How long to wait for what cannot take long.
const PATIENCE: Duration = Duration::from_secs(2);

/// The variable by which processes are known that a runner started and that left its process group, unless they have
/// another environment.
const COOKIE: &str = "PFH_LAB_PROCESS";

/// Processor time of a process so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// Of its first thread, in nanoseconds.
    pub first_thread_ns: u64,
    /// Of all its threads, those that ended included, in nanoseconds.
    pub all_threads_ns: u64,
}

impl CpuTime {
    fn of(process: Pid) -> CpuTime {
        let id = process.as_raw_nonzero();
        let schedule = fs::read_to_string(format!("/proc/{id}/schedstat")).unwrap_or_default();
        let first_thread_ns = schedule.split(' ').next().and_then(|field| field.parse().ok()).unwrap_or(0);
        let clock = clock_getcpuclockid(nix::unistd::Pid::from_raw(id.get()));
        let all_threads = clock.and_then(clock_gettime).map(Duration::from).unwrap_or_default();
        CpuTime { first_thread_ns, all_threads_ns: u64::try_from(all_threads.as_nanos()).unwrap_or(u64::MAX) }
    }
}

/// The command to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program: a path, or a name to be found.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables beside those of this process.
    pub environment: Vec<(String, String)>,
    /// The working directory.
    pub directory: PathBuf,
}

/// Why a process gave no line.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// Nothing came in time.
    Timeout,
    /// It ended, or closed its standard output.
    Ended(Option<ExitStatus>),
    /// A line is longer than [`LINE_BYTES_MAX`].
    TooLong,
    /// A line is not UTF-8.
    NotText,
    /// Its processes took this number of bytes together.
    Memory(u64),
    /// The user wants to stop.
    Cancelled,
    /// The system refused something.
    System(io::Error),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Timeout => f.write_str("did not end in time"),
            Fault::Ended(None) => f.write_str("closed its standard output"),
            Fault::Ended(Some(status)) => match (status.code(), status.signal()) {
                (Some(code), _) => write!(f, "ended with status {code}"),
                (None, signal) => write!(f, "was ended by signal {}", signal.unwrap_or_default()),
            },
            Fault::TooLong => write!(f, "wrote a line of more than {LINE_BYTES_MAX} bytes"),
            Fault::NotText => f.write_str("wrote a line that is not UTF-8"),
            Fault::Memory(bytes) => write!(f, "took {} MiB of memory", bytes >> 20),
            Fault::Cancelled => f.write_str("was stopped"),
            Fault::System(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Fault::System(error) => Some(error),
            _ => None,
        }
    }
}

enum Event {
    Line(Vec<u8>),
    TooLong,
    Closed,
}

/// A process, its group, and all that it started. Dropping it ends them.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Pid,
    /// Ticks of the clock at its start. All that it starts begins later.
    start_ticks: u64,
    cookie: String,
    stdin: Option<ChildStdin>,
    events: Receiver<Event>,
    stderr: Arc<Mutex<Tail>>,
    stderr_closed: Receiver<()>,
    memory_bytes_max: u64,
    /// How long what it leaves behind may take to end by itself.
    rest: Duration,
    /// Its number may belong to another by now.
    is_reaped: bool,
}

impl Process {
    /// Starts a program in a process group of its own.
    ///
    /// # Errors
    /// Those of starting a process or a thread.
    pub fn start(launch: &Launch, memory_bytes_max: u64) -> io::Result<Process> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let cookie = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments).current_dir(&launch.directory).process_group(0);
        command.envs(launch.environment.iter().map(|(name, value)| (name, value))).env(COOKIE, &cookie);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Processes whose parent has ended become children of this one, and are found even without the variable.
        let _ = set_child_subreaper(Some(getpid()));
        let mut child = command.spawn()?;
        let missing = || io::Error::other("a standard stream is missing");
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(missing)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (sender, events) = sync_channel(LINES_WAITING_MAX);
        let (closed, stderr_closed) = channel();
        let tail = Arc::new(Mutex::new(Tail::default()));
        let process = Process {
            stdin: child.stdin.take(),
            child,
            group,
            start_ticks: Stat::of(group).map_or(u64::MAX, |stat| stat.start_ticks),
            cookie,
            events,
            stderr: Arc::clone(&tail),
            stderr_closed,
            memory_bytes_max,
            rest: Duration::ZERO,
            is_reaped: false,
        };
        // From here on an error drops the process, which ends it. The threads end with the streams.
        let (stdout, stderr) = (stdout.ok_or_else(missing)?, stderr.ok_or_else(missing)?);
        thread::Builder::new().spawn(move || read_lines(BufReader::new(stdout), &sender))?;
        thread::Builder::new().spawn(move || {
            keep_tail(stderr, &tail);
            let _ = closed.send(());
        })?;
        Ok(process)
    }

    /// Writes a line to its standard input.
    ///
    /// # Errors
    /// Those of writing; a broken pipe where it has ended.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(format!("{line}\n").as_bytes())
    }

    /// Gives what it leaves behind time to end by itself.
    #[must_use]
    pub fn with_rest(mut self, rest: Duration) -> Process {
        self.rest = rest;
        self
    }

    /// Its processor time so far, without that of processes that it starts; 0 where the system does not tell.
    #[must_use]
    pub fn cpu_time(&self) -> CpuTime {
        CpuTime::of(self.group)
    }

    /// Closes its standard input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for a line of its standard output.
    ///
    /// # Errors
    /// Why there is none. The process runs on, except where it has ended: drop it.
    pub fn receive(&mut self, deadline: Instant, cancel: &AtomicBool) -> Result<String, Fault> {
        let mut ticks = 0;
        let mut ended = None;
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Err(Fault::Cancelled);
            }
            let now = Instant::now();
            let wait = TICK.min(deadline.saturating_duration_since(now));
            match self.events.recv_timeout(wait) {
                Ok(Event::Line(line)) => return String::from_utf8(line).map_err(|_| Fault::NotText),
                Ok(Event::TooLong) => return Err(Fault::TooLong),
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(Fault::Ended(self.wait_for_end(PATIENCE)));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Some(since) = ended {
                // It has ended, but something that it started holds its standard output open.
                if now.duration_since(since) > PATIENCE {
                    return Err(Fault::Ended(self.wait_for_end(Duration::ZERO)));
                }
            } else if self.has_ended() {
                ended = Some(now);
            }
            if now >= deadline {
                return Err(Fault::Timeout);
            }
            let bytes = if ticks % TICKS_PER_SCAN == TICKS_PER_SCAN - 1 {
                self.members().into_iter().map(resident_bytes).sum()
            } else {
                resident_bytes(self.group)
            };
            if bytes > self.memory_bytes_max {
                return Err(Fault::Memory(bytes));
            }
            ticks += 1;
        }
    }

    /// Waits for the end of the process itself; none where it does not end in time. Processes that it leaves running
    /// have time to end by themselves, are then asked to, and finally killed.
    pub fn wait_for_end(&mut self, patience: Duration) -> Option<ExitStatus> {
        let until_end = Instant::now() + patience;
        while !self.has_ended() {
            if Instant::now() >= until_end {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
        if !self.is_reaped {
            let is_alone = self.wait_until_alone(self.rest) || {
                self.signal(&self.members(), Signal::TERM);
                self.wait_until_alone(PATIENCE)
            };
            if !is_alone {
                self.end_all();
            }
            self.is_reaped = true;
        }
        self.child.try_wait().ok().flatten()
    }

    /// Ends the process and all that it started, and returns the end of what it wrote to standard error.
    #[must_use]
    pub fn end(self) -> String {
        self.end_all();
        // All writers are gone, so the thread that reads is about to end.
        let _ = self.stderr_closed.recv_timeout(PATIENCE);
        self.said()
    }

    /// The end of what it has written to standard error so far.
    #[must_use]
    pub fn said(&self) -> String {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Whether the process itself has ended. It stays a zombie, so that its number is not given to another.
    fn has_ended(&self) -> bool {
        if self.is_reaped {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// The living processes of the group, and those that left it.
    fn members(&self) -> Vec<Pid> {
        processes().filter(|process| self.has_member(*process)).collect()
    }

    /// Whether a process lives and is of the group or left it. If it is a child of this program that has ended, its
    /// number is given back.
    fn has_member(&self, process: Pid) -> bool {
        let Some(stat) = Stat::of(process) else { return false };
        let is_of_group = stat.group == self.group.as_raw_nonzero().get();
        let is_own_child = stat.parent == getpid().as_raw_nonzero().get();
        // Processes that this program starts itself are in its session. Its number is 0 where a session began outside
        // the container, which rustix takes for impossible.
        // The first process of a container is the parent of all orphans there.
        let is_orphan = is_own_child
            && getpid() != Pid::INIT
            && stat.start_ticks >= self.start_ticks
            && nix::unistd::getsid(None).is_ok_and(|own| stat.session != own.as_raw());
        if stat.has_ended {
            if is_orphan || (is_own_child && is_of_group && process != self.group) {
                let _ = waitpid(Some(process), WaitOptions::NOHANG);
            }
            return false;
        }
        // The environment of another user's process cannot be read.
        is_of_group || cookie_of(process).is_ok_and(|cookie| cookie.map_or(is_orphan, |cookie| cookie == self.cookie))
    }

    fn wait_until_alone(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while !self.members().is_empty() {
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(Duration::from_millis(5));
        }
        true
    }

    fn signal(&self, members: &[Pid], signal: Signal) {
        // The leader has not been waited for, so the number of the group is still its own.
        let _ = kill_process_group(self.group, signal);
        for process in members {
            let _ = kill_process(*process, signal);
        }
    }

    fn end_all(&self) {
        if self.is_reaped {
            return;
        }
        let until = Instant::now() + PATIENCE;
        // Repeated, since a process that was not examined yet may start another.
        loop {
            let members = self.members();
            self.signal(&members, Signal::KILL);
            if members.is_empty() || Instant::now() >= until {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end_all();
        let since = Instant::now();
        // A process in a system call that does not come back stays behind.
        while matches!(self.child.try_wait(), Ok(None)) && since.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Reads lines, none longer than the limit, until nobody wants them.
fn read_lines(mut stdout: impl BufRead, events: &SyncSender<Event>) {
    loop {
        let mut line = Vec::new();
        let limit = LINE_BYTES_MAX as u64 + 1;
        let event = match stdout.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => Event::Closed,
            Ok(_) if line.last() == Some(&b'\n') => {
                line.pop();
                Event::Line(line)
            }
            Ok(_) if line.len() > LINE_BYTES_MAX => Event::TooLong,
            // The last line lacks its end.
            Ok(_) => Event::Line(line),
        };
        let is_last = !matches!(event, Event::Line(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct Tail {
    bytes: VecDeque<u8>,
    is_cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let excess = self.bytes.len().saturating_sub(STDERR_BYTES_MAX);
        self.is_cut |= excess > 0;
        self.bytes.drain(..excess);
    }

    fn text(&mut self) -> String {
        let text = String::from_utf8_lossy(self.bytes.make_contiguous()).trim_end().to_owned();
        if self.is_cut { format!("… {text}") } else { text }
    }
}

fn keep_tail(mut stderr: impl Read, tail: &Mutex<Tail>) {
    let mut buffer = [0; 8192];
    loop {
        match stderr.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

/// The state of a process, and the numbers of those that it belongs to.
struct Stat {
    has_ended: bool,
    parent: i32,
    group: i32,
    session: i32,
    start_ticks: u64,
}

impl Stat {
    fn of(process: Pid) -> Option<Stat> {
        // `pid (name) state ppid pgrp session …`, and the start as the 22nd field; the name may hold anything.
        let stat = fs::read(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
        let after = stat.iter().rposition(|&byte| byte == b')').map_or(&[][..], |at| &stat[at + 1..]);
        let mut fields = after.split(|&byte| byte == b' ').filter(|field| !field.is_empty());
        let has_ended = matches!(fields.next()?, b"Z" | b"X" | b"x");
        let mut number = || -> Option<i32> { std::str::from_utf8(fields.next()?).ok()?.parse().ok() };
        let (parent, group, session) = (number()?, number()?, number()?);
        let start_ticks = std::str::from_utf8(fields.nth(15)?).ok()?.parse().ok()?;
        Some(Stat { has_ended, parent, group, session, start_ticks })
    }
}

/// The value by which a process is known, if it has one.
fn cookie_of(process: Pid) -> io::Result<Option<String>> {
    let environment = fs::read(format!("/proc/{}/environ", process.as_raw_nonzero()))?;
    let prefix = format!("{COOKIE}=");
    let cookie = environment.split(|&byte| byte == 0).find_map(|variable| variable.strip_prefix(prefix.as_bytes()));
    Ok(cookie.map(|cookie| String::from_utf8_lossy(cookie).into_owned()))
}

/// 0 where it cannot be told.
fn resident_bytes(process: Pid) -> u64 {
    let statm = fs::read_to_string(format!("/proc/{}/statm", process.as_raw_nonzero())).unwrap_or_default();
    let pages: u64 = statm.split(' ').nth(1).and_then(|field| field.parse().ok()).unwrap_or(0);
    pages * rustix::param::page_size() as u64
}

/// Whether this process leads its process group. It does not where the group began outside the container.
#[must_use]
pub fn leads_its_group() -> bool {
    nix::unistd::getpgrp() == nix::unistd::getpid()
}

/// The file that a program's name means, as the system would find it.
#[must_use]
pub fn find_program(name: &str) -> Option<PathBuf> {
    let is_program = |path: &Path| path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates = std::env::split_paths(&path).map(|folder| folder.join(OsStr::new(name)));
    candidates.find(|path| is_program(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &[u8]) -> Vec<String> {
        let (sender, receiver) = sync_channel(100);
        read_lines(BufReader::new(text), &sender);
        let describe = |event| match event {
            Event::Line(line) => format!("{} bytes", line.len()),
            Event::TooLong => "too long".to_owned(),
            Event::Closed => "closed".to_owned(),
        };
        receiver.try_iter().map(describe).collect()
    }

    #[test]
    fn lines_are_bounded() {
        let longest = vec![b'x'; LINE_BYTES_MAX];
        assert_eq!(events(b"a\n\nbc"), ["1 bytes", "0 bytes", "2 bytes", "closed"]);
        assert_eq!(events(&longest[1..]), ["65535 bytes", "closed"]);
        assert_eq!(events(&[&longest[1..], b"\n"].concat()), ["65535 bytes", "closed"]);
        assert_eq!(events(&[&longest[..], b"x\ny"].concat()), ["too long"]);
    }

    #[test]
    fn only_the_end_of_standard_error_is_kept() {
        let tail = Mutex::new(Tail::default());
        keep_tail(&[b"start".as_slice(), &vec![b'x'; STDERR_BYTES_MAX - 3], b"end\n"].concat()[..], &tail);
        let text = tail.into_inner().expect("not poisoned").text();
        assert!(text.starts_with("… x") && text.ends_with("end"), "{} bytes", text.len());
        assert!(text.len() <= STDERR_BYTES_MAX + 4);
    }

    /// A few milliseconds of a thread that is gone, which the ticks of `/proc/PID/stat` would not tell.
    #[test]
    fn the_time_of_ended_threads_counts() {
        const WORK: Duration = Duration::from_millis(5);
        let all_threads_ns = || CpuTime::of(rustix::process::getpid()).all_threads_ns;
        let before = all_threads_ns();
        let of_thread = || clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from);
        let work = thread::spawn(move || while of_thread().expect("a clock") < WORK {});
        work.join().expect("it ends");
        assert!(Duration::from_nanos(all_threads_ns() - before) >= WORK);
    }

    #[test]
    fn programs_are_found_as_the_system_finds_them() {
        assert!(find_program("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(find_program("no-such-program-anywhere"), None);
        assert_eq!(find_program("/etc/passwd"), None);
    }
}
