//! `pfh lab runner`: pfh itself, measured as any other program.

use super::{Ending, Failed, message};
use crate::cli::command::Command;
use pfh_digest::lanes::{BACKEND_VARIABLE, Backend, BatchHasher, kernels_chosen};
use pfh_digest::{Algorithm, Digest};
use pfh_lab::protocol::{Done, LINE_BYTES_MAX, Message, Mode, Request, Sample, Task, VERSION};
use pfh_lab::results::Hello;
use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufRead, Read, Write};
use std::time::Instant;

/// Messages that are hashed at once: their digests stay in the first-level cache.
const BATCH_MESSAGES: usize = 256;

/// Answers tasks until its input ends.
pub(super) fn run(lanes: bool) -> Result<Ending, Failed> {
    let command = Command::printing()?;
    let mut output = command.output();
    let result = match Backend::from_environment() {
        // As any runner whose library is not there says it.
        Err(error) => say(&mut output, &Message::Unavailable { message: format!("{BACKEND_VARIABLE}: {error}") }),
        Ok(_) => message::standard_input()
            .map_err(Refusal::from)
            .and_then(|stdin| converse(lanes, &mut stdin.lock(), &mut output)),
    };
    match result {
        Ok(()) => command.finish(Ok(()), 1, None),
        Err(Refusal::Writing(error)) => command.finish(Err(error), 1, None),
        Err(Refusal::NotOffered(message) | Refusal::Error(message)) => {
            Err(Failed::internal(format_args!("runner: {message}")))
        }
    }
}

/// Answers the tasks of `stdin`. A refusal that is not about a task ends the conversation.
fn converse(lanes: bool, stdin: &mut impl BufRead, stdout: &mut impl Write) -> Result<(), Refusal> {
    say(stdout, &Message::Hello(hello(lanes)))?;
    let mut line = Vec::new();
    loop {
        line.clear();
        stdin.by_ref().take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        if line.len() > LINE_BYTES_MAX {
            return Err(Refusal::Error("a line of standard input is too long".to_owned()));
        }
        match serde_json::from_slice(&line) {
            Ok(Request::Task(task)) => answer(lanes, &task, stdout)?,
            Err(error) => {
                // A mode of a later version of the protocol.
                let number =
                    serde_json::from_slice(&line).ok().and_then(|value: serde_json::Value| value["id"].as_u64());
                let id = number.ok_or_else(|| Refusal::Error(format!("not a task: {error}")))?;
                say(stdout, &Message::NotOffered { id, message: error.to_string() })?;
            }
        }
    }
}

/// Writes a message and flushes it.
fn say(stdout: &mut impl Write, message: &Message) -> Result<(), Refusal> {
    let mut line = serde_json::to_vec(message).map_err(|error| Refusal::Writing(error.into()))?;
    line.push(b'\n');
    stdout.write_all(&line).and_then(|()| stdout.flush()).map_err(Refusal::Writing)
}

fn has_lanes(algorithm: Algorithm) -> bool {
    kernels_chosen(Backend::chosen(), algorithm).first().is_some_and(|widest| widest.lanes > 1)
}

fn offered(lanes: bool) -> impl Iterator<Item = Algorithm> {
    Algorithm::all().filter(move |algorithm| !lanes || has_lanes(*algorithm))
}

fn hello(lanes: bool) -> Hello {
    let streams = || {
        let special = offered(false).filter(|algorithm| algorithm.backend() != "portable");
        special.map(|algorithm| format!("{} {}", algorithm.name(), algorithm.backend())).collect::<Vec<_>>().join(", ")
    };
    Hello {
        protocol: VERSION,
        language: "Rust".to_owned(),
        language_version: env!("RUSTC_VERSION").to_owned(),
        library: "pfh-digest".to_owned(),
        library_version: env!("CARGO_PKG_VERSION").to_owned(),
        provider: if lanes { "lanes" } else { "one stream" }.to_owned(),
        backend: if lanes { Backend::chosen().name().to_owned() } else { streams() },
        stand_in: false,
        varies: true,
        clock_ns: nanoseconds(clock_getres(ClockId::ThreadCPUTime)),
        algorithms: offered(lanes).map(|algorithm| algorithm.name().to_owned()).collect(),
    }
}

/// Why a task is not done.
enum Refusal {
    NotOffered(String),
    Error(String),
    /// Nobody can be answered.
    Writing(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Error(error.to_string())
    }
}

fn answer(lanes: bool, task: &Task, stdout: &mut impl Write) -> Result<(), Refusal> {
    let id = task.id;
    match carry_out(lanes, task, stdout) {
        Ok(()) => Ok(()),
        Err(Refusal::Writing(error)) => Err(Refusal::Writing(error)),
        Err(Refusal::NotOffered(message)) => say(stdout, &Message::NotOffered { id, message }),
        Err(Refusal::Error(message)) => say(stdout, &Message::Error { id, message }),
    }
}

/// Does a task.
fn carry_out(lanes: bool, task: &Task, stdout: &mut impl Write) -> Result<(), Refusal> {
    let id = task.id;
    let mut tell = |message: Message| say(stdout, &message);
    perform(lanes, task, &mut |pass| {
        tell(Message::Check { id, answer: pass(true)? })?;
        for _ in 0..task.warm_up {
            black_box(pass(false)?);
        }
        for repeat in (0..task.repeats).filter(|_| task.repeat_path.is_empty()) {
            tell(time(id, repeat, pass)?)?;
        }
        Ok(())
    })?;
    for repeat in (0..task.repeats).filter(|_| !task.repeat_path.is_empty()) {
        // Other data for each repeat.
        let path = format!("{}{repeat}", task.repeat_path);
        perform(lanes, &Task { path, ..task.clone() }, &mut |pass| {
            tell(Message::Begin { id, repeat })?;
            tell(time(id, repeat, pass)?)
        })?;
    }
    tell(Message::Done(Done { id, gc_count: None, gc_ns: None, peak_bytes: peak_bytes() }))
}

/// Computes the answer of a pass; the argument tells whether it is the pass of the check.
type Pass<'a> = &'a mut dyn FnMut(bool) -> io::Result<String>;

/// Puts everything in place for the passes of a task and hands them to `then`.
fn perform(lanes: bool, task: &Task, then: &mut dyn FnMut(Pass<'_>) -> Result<(), Refusal>) -> Result<(), Refusal> {
    let not_offered = |what: &str| Err(Refusal::NotOffered(what.to_owned()));
    let algorithm = match Algorithm::from_name(&task.algorithm) {
        Ok(algorithm) if offered(lanes).any(|one| one == algorithm) => Some(algorithm),
        _ if task.mode == Mode::ReadFile => None,
        _ => return not_offered("this algorithm is not offered"),
    };
    let is_offered = match task.mode {
        Mode::Strings | Mode::Messages => true,
        Mode::Digest | Mode::DigestFile | Mode::ReadFile => !lanes,
        Mode::Cipher | Mode::CipherFile | Mode::Password => false,
    };
    if !is_offered {
        return not_offered("this mode is not offered");
    }
    let data = if matches!(task.mode, Mode::DigestFile | Mode::ReadFile) {
        expect_bytes(task, fs::metadata(&task.path)?.len())?;
        Vec::new()
    } else {
        read(task)?
    };
    let messages = match task.mode {
        Mode::Strings => lines(&data),
        Mode::Messages => equal_parts(&data, task)?,
        _ => Vec::new(),
    };
    let all_digests = |algorithm: Algorithm| {
        let mut hasher = algorithm.hasher();
        hash_all(lanes, algorithm, &messages, |digest| hasher.update(digest.bytes()));
        hasher.finish().to_string()
    };
    let chunk_bytes = usize::try_from(task.chunk_bytes).unwrap_or(usize::MAX);
    match (task.mode, algorithm) {
        (Mode::Digest, Some(algorithm)) => then(&mut |_| Ok(digest(algorithm, &data, chunk_bytes).to_string())),
        (Mode::DigestFile, Some(algorithm)) => then(&mut |_| {
            let mut hasher = algorithm.hasher();
            read_pieces(task, chunk_bytes, |piece| hasher.update(piece))?;
            Ok(hasher.finish().to_string())
        }),
        (Mode::ReadFile, None) => then(&mut |_| {
            let bytes = read_pieces(task, chunk_bytes, |piece| {
                black_box(piece);
            })?;
            Ok(bytes.to_string())
        }),
        (Mode::Strings | Mode::Messages, Some(algorithm)) => then(&mut |checking| {
            if checking {
                return Ok(all_digests(algorithm));
            }
            let mut last = None;
            hash_all(lanes, algorithm, &messages, |digest| last = Some(*black_box(digest)));
            Ok(last.map(|digest| digest.to_string()).unwrap_or_default())
        }),
        _ => not_offered("this mode is not offered"),
    }
}

/// The file of a task.
fn read(task: &Task) -> Result<Vec<u8>, Refusal> {
    let data = fs::read(&task.path)?;
    expect_bytes(task, data.len() as u64)?;
    Ok(data)
}

fn expect_bytes(task: &Task, found: u64) -> io::Result<()> {
    if found == task.bytes {
        return Ok(());
    }
    Err(io::Error::other(format!("`{}` has {found} bytes, not {}", task.path, task.bytes)))
}

fn lines(data: &[u8]) -> Vec<&[u8]> {
    let end = data.len() - usize::from(data.last() == Some(&b'\n'));
    if data.is_empty() { Vec::new() } else { data[..end].split(|&byte| byte == b'\n').collect() }
}

fn equal_parts<'a>(data: &'a [u8], task: &Task) -> Result<Vec<&'a [u8]>, Refusal> {
    let count = usize::try_from(task.count).unwrap_or(usize::MAX);
    match data.len().checked_div(count) {
        Some(length) if length > 0 && length * count == data.len() => Ok(data.chunks_exact(length).collect()),
        _ => Err(Refusal::Error(format!("{} bytes are not {count} messages of one length", data.len()))),
    }
}

fn digest(algorithm: Algorithm, data: &[u8], chunk_bytes: usize) -> Digest {
    if chunk_bytes == 0 {
        return algorithm.digest(data);
    }
    let mut hasher = algorithm.hasher();
    data.chunks(chunk_bytes).for_each(|chunk| hasher.update(chunk));
    hasher.finish()
}

/// Reads the file of a task in pieces (0: all of it in one) and returns its size.
fn read_pieces(task: &Task, chunk_bytes: usize, mut each: impl FnMut(&[u8])) -> io::Result<u64> {
    let mut file = File::open(&task.path)?;
    // One byte more than expected, to see that nothing follows.
    let whole = usize::try_from(task.bytes).unwrap_or(usize::MAX).saturating_add(1);
    let mut buffer = vec![0; if chunk_bytes == 0 { whole } else { chunk_bytes.min(whole) }];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return expect_bytes(task, bytes).map(|()| bytes),
            Ok(count) => {
                each(&buffer[..count]);
                bytes += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Hashes each message, and gives the digests in order.
fn hash_all(lanes: bool, algorithm: Algorithm, messages: &[&[u8]], mut each: impl FnMut(&Digest)) {
    if !lanes {
        return messages.iter().for_each(|message| each(&algorithm.digest(message)));
    }
    let mut hasher = BatchHasher::new(algorithm);
    let mut digests = vec![algorithm.digest(b""); BATCH_MESSAGES.min(messages.len())];
    for batch in messages.chunks(BATCH_MESSAGES) {
        let digests = &mut digests[..batch.len()];
        hasher.hash(batch, digests);
        digests.iter().for_each(&mut each);
    }
}

/// Does one pass, and says how long that took.
fn time(id: u64, repeat: u32, pass: Pass<'_>) -> io::Result<Message> {
    let (wall, cpu) = (Instant::now(), clock_gettime(ClockId::ThreadCPUTime));
    let answer = black_box(pass(false)?);
    let (cpu_after, wall_ns) = (clock_gettime(ClockId::ThreadCPUTime), wall.elapsed().as_nanos());
    let cpu_ns = Some(nanoseconds(cpu_after).saturating_sub(nanoseconds(cpu)));
    let wall_ns = u64::try_from(wall_ns).unwrap_or(u64::MAX);
    Ok(Message::Sample(Sample { id, repeat, wall_ns, cpu_ns, answer }))
}

fn nanoseconds(time: Timespec) -> u64 {
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A file is read in the pieces that the task names, as by the other runners: all of it in one where it names none.
    #[test]
    fn pieces_are_those_of_the_task() {
        const BYTES: u64 = (64 << 20) + 1;
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(BYTES).expect("a hole");
        let task = Task {
            id: 1,
            mode: Mode::ReadFile,
            algorithm: "none".to_owned(),
            path: file.path().to_str().expect("text").to_owned(),
            repeat_path: String::new(),
            bytes: BYTES,
            count: 1,
            chunk_bytes: 0,
            warm_up: 0,
            repeats: 1,
            parameters: BTreeMap::new(),
        };
        let pieces = |chunk_bytes: usize| {
            let mut pieces = Vec::new();
            let bytes = read_pieces(&task, chunk_bytes, |piece| pieces.push(piece.len())).expect("read");
            assert_eq!(bytes, BYTES);
            pieces
        };
        assert_eq!((pieces(0), pieces(usize::MAX)), (vec![(64 << 20) + 1], vec![(64 << 20) + 1]));
        assert_eq!(pieces(64 << 20), [64 << 20, 1]);
        // A size that no file has takes no memory.
        let lie = Task { bytes: u64::MAX, ..task.clone() };
        let Err(Refusal::Error(message)) = perform(false, &lie, &mut |_| Ok(())) else { panic!("a lie") };
        assert_eq!(message, expect_bytes(&lie, BYTES).expect_err("a lie").to_string());
    }
}
