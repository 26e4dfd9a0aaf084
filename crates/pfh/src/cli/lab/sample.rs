//! `pfh lab sample`: reads files for `pfh lab advise` for a limited time, as `pfh hash` reads those that a walk finds.
//! A list of `pfh hash --files-from` would not do: its paths are examined one after the other, as arguments are.

use super::survey::{Name, paths_in};
use super::{Ending, Failed};
use crate::cli::command::{Command, Item};
use crate::cli::ended::lock;
use crate::cli::lab_args::SampleArguments;
use crate::cli::reading;
use pfh::HashRun;
use pfh_digest::Algorithm;
use pfh_engine::{Counters, Options};
use pfh_record::quote::quoted;
use pfh_record::{Outcome, Record, Selection};
use pfh_source::{FoundFiles, Source, WalkOptions, Watch};
use rustix::time::{ClockId, Timespec, clock_gettime};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// Time after the limit in which a read may come back, before it counts as stalled.
const PATIENCE: Duration = Duration::from_secs(2);

/// Most bytes of the paths of files that could not be read. Each may take six in the answer, which is one line.
const FAILED_BYTES_MAX: usize = 8 << 10;

/// The answer: one line.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) files: u64,
    pub(super) bytes: u64,
    /// Bytes of the longest file that was read.
    #[serde(default)]
    pub(super) longest_bytes: u64,
    pub(super) seconds: f64,
    /// Time of all threads on processors.
    pub(super) cpu_seconds: f64,
    /// Readers that proved worth while.
    #[serde(default)]
    pub(super) readers: usize,
    /// Files that could not be read, as many of them as a line holds, and why the first could not.
    pub(super) failed: u64,
    #[serde(default)]
    pub(super) failed_paths: Vec<Name>,
    pub(super) error: Option<String>,
    /// Whether all files of the list were read in time.
    pub(super) is_complete: bool,
    /// Whether a read did not come back.
    pub(super) is_stalled: bool,
}

/// Counts of finished files, which a run that hangs leaves behind.
#[derive(Default)]
struct Finished {
    files: AtomicU64,
    longest_bytes: AtomicU64,
    failed: AtomicU64,
    failed_paths: Mutex<Vec<Vec<u8>>>,
    error: OnceLock<String>,
}

impl Finished {
    fn take(&self, record: &Record) {
        match record.outcome {
            Outcome::Complete => {
                self.files.fetch_add(1, Ordering::Relaxed);
                self.longest_bytes.fetch_max(record.bytes_read, Ordering::Relaxed);
            }
            // Left out on purpose, as a real run does.
            Outcome::Skipped(_) => {}
            _ => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                let mut paths = lock(&self.failed_paths);
                if paths.iter().map(Vec::len).sum::<usize>() + record.path.len() <= FAILED_BYTES_MAX {
                    paths.push(record.path.clone());
                }
                let _ = self.error.set(format!("{}: {}", quoted(&record.path), record.outcome));
            }
        }
    }

    /// Makes an answer, with the bytes of files that are not finished, too.
    fn answer(&self, since: Instant, counters: &Counters) -> Answer {
        Answer {
            files: self.files.load(Ordering::Relaxed),
            bytes: counters.bytes.load(Ordering::Relaxed),
            longest_bytes: self.longest_bytes.load(Ordering::Relaxed),
            seconds: since.elapsed().as_secs_f64(),
            failed: self.failed.load(Ordering::Relaxed),
            failed_paths: lock(&self.failed_paths).iter().cloned().map(Name::from).collect(),
            error: self.error.get().cloned(),
            ..Answer::default()
        }
    }
}

pub(super) fn run(arguments: &SampleArguments) -> Result<Ending, Failed> {
    pfh_source::raise_open_file_limit();
    let limit = Duration::try_from_secs_f64(arguments.seconds).map_err(Failed::usage)?;
    let selection: Selection = match arguments.algorithm.as_str() {
        "none" => Selection::default(),
        name => Algorithm::from_name(name).map_err(Failed::usage)?.into(),
    };
    let mut engine = reading::engine_options(&arguments.engine, selection);
    engine.unordered = true;
    engine.readers_at_start = arguments.readers;
    engine.backend = reading::backend(arguments.engine.backend)?;
    let walk = WalkOptions {
        medium: arguments.engine.medium.map(Into::into),
        io: arguments.engine.io.into(),
        ..WalkOptions::default()
    };
    match (&arguments.walk, &arguments.list) {
        (Some(walked), _) => {
            let walk = WalkOptions { roots: paths_in(walked)?, one_file_system: true, ..walk };
            let (local, engine) = HashRun { walk, engine }.into_parts().map_err(Failed::usage)?;
            read(&local, &engine, limit)
        }
        (None, Some(list)) => {
            let (local, engine) = HashRun { walk, engine }.into_parts().map_err(Failed::usage)?;
            read(&FoundFiles::as_walked(local, paths_in(list)?, arguments.bytes_max), &engine, limit)
        }
        (None, None) => Err(Failed::usage("neither a path nor a list is named")),
    }
}

/// Reads the files of a source for at most `limit`, and prints the answer.
fn read<S: Source + Watch>(source: &S, engine: &Options, limit: Duration) -> Result<Ending, Failed> {
    let mut command = Command::printing()?;
    let finished = Arc::new(Finished::default());
    let (sender, ended) = channel::<()>();
    let is_up = Arc::new(AtomicBool::new(false));
    let counters = command.counters();
    let (started, cpu) = (Instant::now(), cpu_seconds());
    {
        let (finished, is_up, cancel, output, counters) = (
            Arc::clone(&finished),
            Arc::clone(&is_up),
            command.cancel().clone(),
            command.output(),
            Arc::clone(&counters),
        );
        thread::spawn(move || {
            if ended.recv_timeout(limit) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            is_up.store(true, Ordering::Relaxed);
            cancel.cancel();
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let answer = Answer { is_stalled: true, ..finished.answer(started, &counters) };
                let output = &mut output.lock().output;
                // Whoever asked ends this process.
                let _ = output.write(&line(&answer)).and_then(|()| output.finish());
            }
        });
    }
    let prepare = |record: Record| {
        finished.take(&record);
        Item::new(&record, ())
    };
    let report = command.hash(engine, source, None, &prepare, &mut |()| ControlFlow::Continue(()));
    let mut answer = finished.answer(started, &counters);
    answer.cpu_seconds = cpu_seconds() - cpu;
    drop(sender);
    answer.readers = report.map_err(Failed::usage)?.readers;
    answer.is_complete = !is_up.load(Ordering::Relaxed);
    command.write(&line(&answer));
    command.finish(Ok(()), 1, None)
}

/// Time that this process has been on processors.
fn cpu_seconds() -> f64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ProcessCPUTime);
    tv_sec as f64 + tv_nsec as f64 / 1e9
}

fn line(answer: &Answer) -> Vec<u8> {
    let mut line = serde_json::to_vec(answer).unwrap_or_default();
    line.push(b'\n');
    line
}
