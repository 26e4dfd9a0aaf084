//! Running the program in tests: in a directory of its own, with a time limit.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pfh_digest::{Algorithm, Digest};
use pfh_testing::{FaultPlan, FaultyMount, FaultyOptions, OddFile, Writing, odd_tree};
pub(crate) use pfh_testing::{Need, skipped};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Time limit of a run; even on a busy machine, none of these tests needs a tenth of it.
const LIMIT: Duration = Duration::from_secs(60);

/// Makes a temporary directory on the disk of the build.
pub(crate) fn scratch() -> TempDir {
    tempfile::Builder::new().prefix("program-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Makes a temporary directory in memory, if the system has a place for that: for programs that are killed often. Being
/// killed is no loss of power, and waiting for a disk each time would take minutes.
pub(crate) fn scratch_in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| scratch())
}

/// Makes a directory that every user may enter, with the program in it.
pub(crate) fn public() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = directory.path().join("pfh");
    // Another process copies it: otherwise a test that starts a program meanwhile would inherit it open for writing,
    // and nobody could run it.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_pfh")).arg(&program).status().unwrap();
    assert!(copied.success());
    (directory, program)
}

/// Has the system refuse the program every thread: there is no room for so large a stack.
pub(crate) fn no_threads(command: &mut Command) -> &mut Command {
    command.env("RUST_MIN_STACK", (1_u64 << 50).to_string())
}

/// Makes the odd tree, at `tree` in a directory of its own; its paths are as the program prints them.
pub(crate) fn odd() -> (TempDir, Vec<OddFile>) {
    let directory = scratch();
    fs::create_dir(directory.path().join("tree")).unwrap();
    let mut files = odd_tree(&directory.path().join("tree")).unwrap();
    for file in &mut files {
        file.path.splice(0..0, *b"tree/");
    }
    (directory, files)
}

/// Returns the algorithms of these names.
pub(crate) fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| Algorithm::from_name(name).unwrap()).collect()
}

/// Returns the digest of a message, by the name of the algorithm.
pub(crate) fn digest(algorithm: &str, message: &[u8]) -> Digest {
    Algorithm::from_name(algorithm).unwrap().digest(message)
}

/// Returns a path of raw bytes.
pub(crate) fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Returns bytes that differ from file to file and from block to block.
pub(crate) fn contents(seed: usize, length: usize) -> Vec<u8> {
    (0..length).map(|position| ((position + seed) % 251) as u8 ^ (position >> 12) as u8).collect()
}

/// Makes a FIFO that nobody has open.
pub(crate) fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// Returns a line as `sha256sum` prints it.
pub(crate) fn line(message: &[u8], name: &str) -> String {
    format!("{}  {name}\n", digest("sha256", message))
}

/// Shows the directory `real` at `shown`, which is made, with the faults of a plan. `writing`: how it can be written
/// to. Returns `None` if nothing can be mounted, and reports that.
pub(crate) fn mount_faults(real: &Path, shown: &Path, writing: Option<Writing>, plan: &str) -> Option<FaultyMount> {
    if !Path::new("/dev/fuse").exists() {
        skipped(Need::Fuse, "there is no /dev/fuse");
        return None;
    }
    fs::create_dir_all(shown).unwrap();
    let options = FaultyOptions { writing, ..FaultyOptions::default() };
    match FaultyMount::with(options, real, shown, FaultPlan::parse(plan.as_bytes()).unwrap()) {
        Ok(mount) => Some(mount),
        Err(error) => {
            skipped(Need::Fuse, format_args!("cannot mount: {error}"));
            None
        }
    }
}

/// Whether the test runs as the superuser.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Prepares a run of the program in `directory` with these arguments.
pub(crate) fn pfh<A: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = A>) -> Run {
    Run::new(env!("CARGO_BIN_EXE_pfh"), directory, arguments)
}

/// Prepares a run of `pfh hash` in `directory` with these arguments.
pub(crate) fn hash<A: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = A>) -> Run {
    let arguments = arguments.into_iter().map(|argument| argument.as_ref().to_owned());
    pfh(directory, std::iter::once(OsString::from("hash")).chain(arguments))
}

/// A prepared run of a program.
pub(crate) struct Run {
    command: Command,
    input: Vec<u8>,
    limit: Duration,
}

impl Run {
    /// Prepares a run of any program in `directory` with these arguments.
    pub(crate) fn new<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        directory: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Run {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).env("LC_ALL", "C").env("TZ", "UTC0").env_remove("NO_COLOR");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Run { command, input: Vec::new(), limit: LIMIT }
    }

    /// Sets the contents of standard input.
    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Run {
        self.input = bytes.into();
        self.command.stdin(Stdio::piped());
        self
    }

    /// Gives access to the `Command`.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Command) -> &mut Command) -> Run {
        change(&mut self.command);
        self
    }

    /// Sets another time limit.
    pub(crate) fn limit(mut self, limit: Duration) -> Run {
        self.limit = limit;
        self
    }

    /// Starts the program. Its output is read from now on.
    pub(crate) fn start(mut self) -> Running {
        let label = format!("{:?}", self.command);
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("{label}: {error}"));
        if let Some(mut stdin) = child.stdin.take()
            && !self.input.is_empty()
        {
            // If a program does not read its input, the test will notice.
            thread::spawn(move || stdin.write_all(&self.input));
        }
        let stdout = child.stdout.take().map(drain);
        let stderr = child.stderr.take().map(drain);
        let program = Path::new(self.command.get_program()).file_name().unwrap_or_default().to_owned();
        Running { label, program, child, stdout, stderr, started: Instant::now(), limit: self.limit }
    }

    /// Runs the program to its end.
    pub(crate) fn run(self) -> Ended {
        self.start().end()
    }
}

fn drain(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// A running program.
pub(crate) struct Running {
    label: String,
    program: OsString,
    pub(crate) child: Child,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    started: Instant,
    limit: Duration,
}

impl Running {
    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(id, signal).unwrap();
    }

    /// Kills the program as soon as a file is there, unless it ends before that.
    pub(crate) fn kill_when_there(&mut self, file: &Path) {
        while self.child.try_wait().unwrap().is_none() {
            if file.exists() {
                return self.signal(Signal::KILL);
            }
        }
    }

    /// Waits until the program has had a file open for a moment, and so is reading it.
    pub(crate) fn wait_until_it_reads(&self, file: &Path) {
        let file = fs::canonicalize(file).unwrap();
        let threads = format!("/proc/{}/task", self.child.id());
        let listed = |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten();
        eventually("the program opens the file", || {
            // A thread may have a descriptor table of its own.
            let open = listed(threads.as_ref()).flat_map(|thread| listed(&thread.path().join("fd")));
            open.into_iter().any(|entry| fs::read_link(entry.path()).is_ok_and(|path| path == file))
        });
        thread::sleep(Duration::from_millis(200));
    }

    /// Waits until the program has read nothing for a while, and so hangs in a read.
    pub(crate) fn wait_until_it_hangs(&self) {
        let read_bytes = || look_up(self.child.id(), "io", "rchar:");
        let (mut seen, mut since) = (read_bytes(), Instant::now());
        eventually("the program reads no more", || {
            let now = read_bytes();
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
            since.elapsed() > Duration::from_millis(800)
        });
    }

    /// Whether the process has the memory of its program. For a moment after its start it shares that of the tests; it
    /// gets the name of its program later, of which the system keeps 15 bytes.
    fn has_begun(&self) -> bool {
        let name = fs::read(format!("/proc/{}/comm", self.child.id())).unwrap_or_default();
        let name = name.trim_ascii_end();
        !name.is_empty() && self.program.as_bytes().starts_with(name)
    }

    /// Waits for the end; a program that runs beyond its limit fails the test.
    pub(crate) fn end(mut self) -> Ended {
        let (mut peak_kib, mut peak_own_kib, mut read_bytes) = (0, 0, 0);
        let status = loop {
            // An ended process no longer has these values.
            if self.has_begun() {
                let status = system_text(self.child.id(), "status");
                peak_kib = peak_kib.max(number_in(&status, "VmHWM:"));
                peak_own_kib = peak_own_kib.max(number_in(&status, "RssAnon:") + number_in(&status, "RssShmem:"));
            }
            read_bytes = read_bytes.max(look_up(self.child.id(), "io", "rchar:"));
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if self.started.elapsed() > self.limit {
                self.child.kill().unwrap();
                panic!("{} has not ended after {:?}", self.label, self.limit);
            }
            thread::sleep(Duration::from_millis(2));
        };
        let read = |stream: Option<JoinHandle<Vec<u8>>>| stream.map_or_else(Vec::new, |thread| thread.join().unwrap());
        let elapsed = self.started.elapsed();
        let (stdout, stderr) = (read(self.stdout), String::from_utf8(read(self.stderr)).unwrap());
        Ended { label: self.label, status, stdout, stderr, elapsed, peak_kib, peak_own_kib, read_bytes }
    }
}

/// Returns a number that the system has about a process; 0 if there is none.
fn look_up(process: u32, file: &str, name: &str) -> u64 {
    number_in(&system_text(process, file), name)
}

/// Returns a text that the system has about a process; none if there is no such process.
fn system_text(process: u32, file: &str) -> String {
    fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default()
}

/// Returns the number after a name at the beginning of a line; 0 if there is none.
fn number_in(text: &str, name: &str) -> u64 {
    let value = text.lines().find_map(|line| line.strip_prefix(name));
    value.and_then(|value| value.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// A program that has ended.
pub(crate) struct Ended {
    label: String,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// Standard error, which is always text, since other names are escaped.
    pub(crate) stderr: String,
    pub(crate) elapsed: Duration,
    /// Highest resident memory that was observed.
    pub(crate) peak_kib: u64,
    /// Highest resident memory at any look, without pages of files, for comparisons of two runs: the system maps and
    /// takes back as many of the program's own pages as it sees fit.
    pub(crate) peak_own_kib: u64,
    /// Highest number of bytes returned by read calls that was observed.
    pub(crate) read_bytes: u64,
}

impl Ended {
    /// Returns the status that a shell would show.
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap())
    }

    /// Checks that the program ended with this status and printed exactly this on standard error, except for the line
    /// of totals. Returns its standard output.
    #[track_caller]
    pub(crate) fn expect(&self, code: i32, stderr: &str) -> &[u8] {
        assert_eq!((self.code(), self.said()), (code, stderr), "{}", self.label);
        &self.stdout
    }

    /// Returns standard error without the totals at the end of an incomplete run.
    pub(crate) fn said(&self) -> &str {
        let end = self.stderr.trim_end_matches('\n').rfind('\n').map_or(0, |before| before + 1);
        if self.stderr[end..].starts_with("pfh: totals: ") { &self.stderr[..end] } else { &self.stderr }
    }

    /// Checks that the program succeeded without messages, and returns its standard output.
    #[track_caller]
    pub(crate) fn done(&self) -> &[u8] {
        self.expect(0, "")
    }

    /// Checks that standard output is exactly this.
    #[track_caller]
    pub(crate) fn printed(&self, expected: &[u8]) {
        assert_eq_bytes(&self.stdout, expected);
    }
}

/// Memory of the program beside the memory option: its code, stacks and the system's buffers, in MiB.
const PROGRAM_MIB: u64 = 40;

impl Ended {
    /// Checks that resident memory never exceeded the option and a constant.
    #[track_caller]
    pub(crate) fn kept_below(&self, option_mib: u64) {
        assert!(self.peak_kib > 1 << 10, "the program was too short to be looked at");
        assert!(self.peak_kib < (option_mib + PROGRAM_MIB) << 10, "{}: {} KiB", self.label, self.peak_kib);
    }
}

/// Like `assert_eq`, but readable for text with odd bytes.
#[track_caller]
pub(crate) fn assert_eq_bytes(actual: &[u8], expected: &[u8]) {
    if actual != expected {
        let lines = |bytes: &[u8]| -> Vec<String> {
            bytes.split_inclusive(|&byte| byte == b'\n').map(|line| line.escape_ascii().to_string()).collect()
        };
        assert_eq!(lines(actual), lines(expected));
    }
}

/// A shell script, for which `$PFH` is the program, as the superuser of namespaces of its own, as in a container:
/// `unshare` with these options.
pub(crate) fn in_namespaces(directory: &Path, options: &[&str], script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user"]).args(options).args(["sh", "-c", script]);
    command.current_dir(directory).env("PFH", env!("CARGO_BIN_EXE_pfh"));
    command
}

/// Runs another program in `directory`. If it is missing, reports that and returns `None`.
pub(crate) fn peer<A: AsRef<OsStr>>(
    program: &str,
    directory: &Path,
    arguments: impl IntoIterator<Item = A>,
) -> Option<Output> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).env("LC_ALL", "C").stdin(Stdio::null());
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            skipped(Need::Peers, format_args!("{program}: {error}"));
            None
        }
    }
}

/// Runs a shell command in a directory this number of levels below, each of which has a name of 250 bytes: with 17 or
/// more, paths are too long for one call of the system.
pub(crate) fn deep(directory: &Path, levels: u32, command: &str) {
    let script = format!(
        "name=$(printf '%0250d' 0); i=0\nwhile [ $i -lt {levels} ]; do mkdir -p $name; cd -P $name || exit 1; i=$((i+1)); done\n\
         {command}\n"
    );
    let done = Command::new("sh").args(["-c", &script]).current_dir(directory).status().unwrap();
    assert!(done.success(), "{script}");
}

/// Waits until a condition holds, and fails if it does not.
#[track_caller]
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LIMIT, "never happened: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the names directly in a directory.
pub(crate) fn names(directory: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    names
}

/// Returns JSON Lines without their check values, after checking these.
#[track_caller]
pub(crate) fn unchecked(lines: &str) -> String {
    let unchecked = |line: &str| {
        let (body, check) = line.rsplit_once(",\"check\":\"").unwrap();
        assert_eq!(check, format!("{}\"}}", digest("crc32c", body.as_bytes())), "{line}");
        format!("{body}}}\n")
    };
    lines.lines().map(unchecked).collect()
}

/// Whether the filesystem of a directory has files without a name; if not, this counts as a skip.
pub(crate) fn has_unnamed_files(directory: &Path) -> bool {
    let unnamed = fs::OpenOptions::new().write(true).custom_flags(OFlags::TMPFILE.bits().cast_signed()).open(directory);
    if unnamed.is_err() {
        skipped(Need::UnnamedFiles, "there are no unnamed files here");
    }
    unnamed.is_ok()
}
