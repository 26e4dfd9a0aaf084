//! Runner of four Rust libraries; the protocol is in docs/reference/runner-protocol.md.

#[cfg(feature = "others")]
mod aws_lc;
mod blake3;
mod library;
mod modes;
mod protocol;
#[cfg(feature = "others")]
mod ring;
mod rust_crypto;

use std::error::Error;
use std::io::{self, BufRead};
use std::time::Instant;

use library::Library;
use modes::Failure;
use protocol::{Line, Task};
use rustix::time::{ClockId, clock_getres, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let library = match std::env::args().nth(1).as_deref() {
        Some("rustcrypto") => rust_crypto::library(),
        #[cfg(feature = "others")]
        Some("ring") => ring::library(),
        #[cfg(feature = "others")]
        Some("aws-lc") => aws_lc::library(),
        Some("blake3") => blake3::library(),
        _ => return Err("usage: runner rustcrypto|ring|aws-lc|blake3".into()),
    };
    hello(&library).say()?;
    for line in io::stdin().lock().lines() {
        let task: Task = serde_json::from_str(&line?)?;
        let id = task.id;
        match carry_out(&library, task) {
            Ok(()) => {}
            Err(Failure::NotOffered(message)) => Line::NotOffered { id, message }.say()?,
            Err(Failure::Error(error)) => Line::Error { id, message: error.to_string() }.say()?,
        }
    }
    Ok(())
}

fn hello(library: &Library) -> Line<'_> {
    let step = clock_getres(ClockId::ThreadCPUTime);
    let digests = library.digests.iter().map(|(name, _)| *name);
    let ciphers = library.ciphers.iter().map(|(name, _)| *name);
    let passwords = library.passwords.iter().map(|(name, _)| *name);
    Line::Hello {
        protocol: 1,
        language: "Rust",
        language_version: env!("RUSTC_VERSION"),
        library: library.name,
        library_version: &library.version,
        provider: "",
        backend: library.backend,
        stand_in: false,
        varies: true,
        clock_ns: step.tv_sec * 1_000_000_000 + step.tv_nsec,
        algorithms: digests.chain(ciphers).chain(passwords).collect(),
    }
}

fn carry_out(library: &Library, task: Task) -> Result<(), Failure> {
    let Task { id, warm_up, repeats, .. } = task;
    let mut pass = modes::prepare(library, task.clone())?;
    Line::Check { id, answer: pass(true)? }.say()?;
    for _ in 0..warm_up {
        pass(false)?;
    }
    for repeat in 0..repeats {
        if !task.repeat_path.is_empty() {
            // Other data for each repeat.
            let path = format!("{}{repeat}", task.repeat_path);
            pass = modes::prepare(library, Task { path, ..task.clone() })?;
            Line::Begin { id, repeat }.say()?;
        }
        let (wall, cpu) = (Instant::now(), thread_time_ns());
        let answer = pass(false)?;
        let (cpu_ns, wall_ns) = (thread_time_ns() - cpu, wall.elapsed().as_nanos() as u64);
        Line::Sample { id, repeat, wall_ns, cpu_ns, answer }.say()?;
    }
    Line::Done { id, peak_bytes: peak_bytes() }.say()?;
    Ok(())
}

fn thread_time_ns() -> i64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// The largest resident size so far; 0 where there is no `/proc`.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kibibytes =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    kibibytes.unwrap_or(0) * 1024
}
