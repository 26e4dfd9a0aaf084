//! Measuring for `pfh lab advise`: which samples are read, in which order, and by which options. Whatever touches the
//! path is a process of its own, with a limit, so that no fault of the storage is one of the advice.

use super::sample::Answer;
use super::survey::Line;
use super::{Failed, environment};
use crate::cli::message;
use crate::cli::profile_file::machine;
use pfh_lab::advice::{
    Batch, Choice, GAIN, Kind, Limit, Measured, ProcessorRun, ROUNDS, Survey, candidate, is_worth_while, part_of_files,
    parts_of_usual, projected, rate, storage,
};
use pfh_lab::data::{Data, folder_for};
use pfh_lab::experiment::{Extent, Place};
use pfh_lab::process::{Fault, Launch, Process};
use pfh_lab::protocol::Mode;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

/// Of files in runs, at most this is read: their number is what a run is for.
const RUN_FILE_BYTES_MAX: u64 = 1 << 20;

/// Of the beginnings of files in runs, this is read; and files of less than this multiple of it have no beginning that
/// takes less time than they do.
const HEAD_BYTES: u64 = 4 << 10;
const HEADS_LEAST: u64 = 4;

/// Of files drawn by size, at least and at most this is read, and at most of this number.
const LONG_FIRST_BYTES: u64 = 1 << 20;
const LONG_FILE_BYTES_MAX: u64 = 64 << 20;
const LONG_COUNT_MAX: usize = 256;

/// A file drawn by size that gave less than this part of what was asked of it was at its end.
const WHOLE: f64 = 0.9;

/// A batch of runs may take this multiple of its time.
const TIMES_MAX: f64 = 3.0;

/// Runs in the first batch, and in any.
const RUNS_FIRST: usize = 1;
const RUNS_MAX: usize = 256;

/// Time beyond its limit after which a process is ended. It gives a read up after two seconds by itself.
const PATIENCE: Duration = Duration::from_secs(4);

/// A term of the storage's time above this share of all is the one that options can improve.
const MAIN: f64 = 0.8;

/// Most threads that are tried.
const THREADS_MAX: u16 = 64;

/// Parts of the time that batches which find the number of readers may take, and the runs of one that had all of it.
const PARTS_FOR_READERS: [f64; 3] = [0.1, 0.4, 0.2];
const RUNS_FOR_READERS: f64 = 40.0;

/// Part of the usual time that a short batch takes: by sizes that differ, the start of a run is told from its files.
const SHORT: f64 = 0.25;

/// Part of the time of a batch of runs that their beginnings get beside it.
const PART_OF_HEADS: f64 = 0.5;

/// Options that are read in turn with the defaults, one after the other; and parts of the usual time of their samples,
/// which differ, so that the start of a run is told from its files.
const CANDIDATES_MAX: usize = 2;
const PARTS_IN_TURN: [f64; 2] = [0.5, SHORT];

/// After this number of samples without an end, the storage is taken to be dead.
const STALLS_MAX: usize = 3;

/// Beyond twice the time and this, measuring ends, whatever is missing.
const OVER_SECONDS: f64 = 20.0;

/// Part of the time in which sized runs of the processor are to end, and parts of long files in one for each core.
const ENDS_BEFORE: f64 = 0.9;
const PARTS_PER_CORE: usize = 4;

/// The files by which the processor is measured: short and long ones, and how often a list names them.
const SHORT_FILES: usize = 500;
const SHORT_BYTES: usize = 4096;
const SHORT_TIMES: usize = 400;
const LONG_FILES: usize = 4;
const LONG_BYTES: usize = 16 << 20;
const LONG_TIMES: usize = 100;

/// The algorithm of which all cores share a long file, if it is the only one.
const SHARED: &str = "blake3";

/// Bytes that temporary files take, with the lists of them.
const SCRATCH_BYTES: u64 = 96 << 20;

/// The measuring of one path.
pub(super) struct Measuring<'a> {
    path: &'a Path,
    algorithms: &'a [String],
    /// Volume to choose options for; that of the path if it is none.
    volume: (Option<u64>, Option<u64>),
    seconds: f64,
    cancel: &'a AtomicBool,
    show: &'a dyn Fn(String),
    program: PathBuf,
    directory: PathBuf,
    scratch: Data,
    began: Instant,
    measured: Measured,
    runs: Samples<Vec<Vec<u8>>>,
    long: Samples<(u64, Vec<u8>)>,
    /// Mean size of the files drawn by size that were read last, if they were read to their ends.
    long_bytes: Option<f64>,
    /// Readers that proved worth while in the samples before.
    readers: usize,
    /// The round in which options and the defaults are read in turn.
    round: u32,
    /// The first reason why a file could not be read.
    pub(super) first_error: Option<String>,
}

/// Samples that are used one after the other, and then again.
struct Samples<T> {
    all: Vec<T>,
    next: usize,
}

impl<T: Clone> Samples<T> {
    /// Returns the next samples, not more than there are, and how many of them were not used before.
    fn take(&mut self, count: usize) -> (Vec<T>, usize) {
        let count = count.min(self.all.len());
        let taken = (self.next..self.next + count).map(|place| self.all[place % self.all.len()].clone()).collect();
        let fresh = self.all.len().saturating_sub(self.next).min(count);
        self.next += count;
        (taken, fresh)
    }
}

/// Returns the files of runs, and how many of them are in the first `fresh` runs.
fn files_of((runs, fresh): (Vec<Vec<Vec<u8>>>, usize)) -> (Vec<Vec<u8>>, usize) {
    (runs.concat(), runs[..fresh].iter().map(Vec::len).sum())
}

/// Makes a folder for temporary files: in memory, so that nothing but the processor is measured with them, where they
/// fit into it. Others serve nearly as well.
fn scratch(memory: bool) -> std::result::Result<Data, Failed> {
    let needed = [(Mode::Digest, Extent { bytes: SCRATCH_BYTES, count: 1 })];
    let usual = || Data::new(&std::env::temp_dir(), 0);
    let folder = if memory {
        Data::new(&folder_for(Place::Memory, Path::new("."), &needed, 0), 0).or_else(|_| usual())
    } else {
        usual()
    };
    folder.map_err(|error| Failed::internal(format_args!("a temporary directory cannot be made: {error}")))
}

/// A sample to be read.
struct Wanted<'a> {
    kind: Kind,
    choice: usize,
    algorithm: &'a str,
    seconds: f64,
}

/// The reason why measuring ended early.
pub(super) enum Stopped {
    /// A signal came.
    Cancelled,
    Failed(Failed),
}

impl From<Failed> for Stopped {
    fn from(failed: Failed) -> Stopped {
        Stopped::Failed(failed)
    }
}

type Result<T> = std::result::Result<T, Stopped>;

impl<'a> Measuring<'a> {
    /// Begins.
    pub(super) fn new(
        path: &'a Path,
        algorithms: &'a [String],
        volume: (Option<u64>, Option<u64>),
        seconds: u32,
        cancel: &'a AtomicBool,
        show: &'a dyn Fn(String),
    ) -> std::result::Result<Measuring<'a>, Failed> {
        let failed = |what: &'static str| move |error: io::Error| Failed::internal(format_args!("{what}: {error}"));
        let machine = machine();
        Ok(Measuring {
            path,
            algorithms,
            volume,
            seconds: f64::from(seconds),
            cancel,
            show,
            program: std::env::current_exe().map_err(failed("the program's own path"))?,
            directory: std::env::current_dir().map_err(failed("the working directory"))?,
            scratch: scratch(true)?,
            began: Instant::now(),
            measured: Measured {
                path: path.to_string_lossy().into_owned(),
                made: environment::timestamp(SystemTime::now()),
                device: String::new(),
                medium: String::new(),
                survey: Survey::default(),
                choices: vec![Choice::usual(machine.cores)],
                best: 0,
                processor: Vec::new(),
                batches: Vec::new(),
                machine,
            },
            runs: Samples { all: Vec::new(), next: 0 },
            long: Samples { all: Vec::new(), next: 0 },
            long_bytes: None,
            readers: 1,
            round: 0,
            first_error: None,
        })
    }

    /// Measures everything.
    pub(super) fn run(mut self) -> Result<(Measured, Option<String>)> {
        self.survey()?;
        if self.measured.survey.files > 0 {
            self.processor()?;
            self.storage()?;
            self.sizes()?;
        }
        Ok((self.measured, self.first_error))
    }

    /// Walks the path.
    fn survey(&mut self) -> Result<()> {
        (self.show)("walking".to_owned());
        let seconds = 0.15 * self.seconds;
        let words = strings(&["survey", "--seconds", &seconds.to_string(), "--walk", &self.root()?]);
        let (runs, long) = (&mut self.runs.all, &mut self.long.all);
        let (measured, first_error) = (&mut self.measured, &mut self.first_error);
        let mut has_end = false;
        let asked = ask(&self.program, &self.directory, words, seconds, self.cancel, &mut |text| {
            match serde_json::from_str(text) {
                Ok(Line::Run { run, path, .. }) => {
                    runs.resize(runs.len().max(run + 1), Vec::new());
                    runs[run].push(OsString::from(path).into_vec());
                }
                Ok(Line::Long { place, path }) => long.push((place, OsString::from(path).into_vec())),
                Ok(Line::End { survey, device, medium, error }) => {
                    (measured.survey, measured.device, measured.medium) = (survey, device, medium);
                    *first_error = error;
                    has_end = true;
                }
                Err(_) => {}
            }
            has_end
        });
        match asked {
            Ok(()) => {}
            Err(Fault::Cancelled) => return Err(Stopped::Cancelled),
            Err(fault) => {
                let path = message::quoted_path(self.path);
                return Err(Failed::unread(format_args!("{path}: the walk {fault}")).into());
            }
        }
        Ok(())
    }

    /// Measures the algorithms on data in memory.
    fn processor(&mut self) -> Result<()> {
        let failed = |error: io::Error| Failed::internal(format_args!("a temporary file cannot be written: {error}"));
        let lists = self.cached_files().or_else(|_| {
            // Others may have filled the memory by now.
            self.scratch = scratch(false)?;
            self.cached_files().map_err(failed)
        })?;
        let sized = self.scratch.folder().join("sized.list");
        let seconds = (self.seconds / 300.0).clamp(0.15, 0.5);
        let cores = self.measured.machine.cores;
        // By the places of the algorithm and the list.
        let mut runs: BTreeMap<(usize, usize), Vec<(ProcessorRun, bool)>> = BTreeMap::new();
        let mut streams = Vec::new();
        let algorithms: Vec<&str> = ["none"].into_iter().chain(self.algorithms.iter().map(String::as_str)).collect();
        for round in 0..3 {
            if round > 0 && self.elapsed() > 0.3 {
                break;
            }
            for (number, &algorithm) in algorithms.iter().enumerate() {
                (self.show)(format!("hashing from memory: {algorithm}, round {} of 3", round + 1));
                if number > 0 && algorithm != SHARED {
                    streams.extend(self.stream(&lists[1].1, algorithm, seconds)?);
                }
                for (place, (list, paths)) in lists.iter().enumerate() {
                    // The first run finds out how much fits into the time, whose end cuts off what is being hashed. The
                    // others end by themselves.
                    let before = runs.get(&(number, place)).and_then(|runs| runs.first());
                    let (list, bytes_max) = match before {
                        None => (list, None),
                        Some((ProcessorRun { files, bytes, seconds: its, .. }, _)) => {
                            let rate = |number: u64| number as f64 / its.max(1e-6) * ENDS_BEFORE * seconds;
                            let (count, bytes_max) = match place {
                                0 => (rate(*files) as usize, None),
                                _ => {
                                    let parts = PARTS_PER_CORE * usize::from(cores);
                                    let part = (rate(*bytes) / parts as f64) as u64;
                                    (parts, Some(part.clamp(LONG_FIRST_BYTES / 4, LONG_BYTES as u64)))
                                }
                            };
                            self.write_list(&sized, &paths[..count.clamp(1, paths.len())])?;
                            (&sized, bytes_max)
                        }
                    };
                    let choice = Choice::usual(cores);
                    let limit = if before.is_some() { TIMES_MAX * seconds } else { seconds };
                    let answer = self.sample(list, bytes_max, &choice, algorithm, limit)?;
                    let Some(Answer { files, bytes, cpu_seconds, is_complete, .. }) = answer else { continue };
                    // Of other work, the time on the processor knows less than that on the wall.
                    let seconds = cpu_seconds / f64::from(choice.threads);
                    let algorithm = algorithm.to_owned();
                    let run = ProcessorRun { algorithm, files, bytes, seconds, is_one_stream: false };
                    runs.entry((number, place)).or_default().push((run, is_complete));
                }
            }
        }
        for runs in runs.into_values() {
            let (complete, cut): (Vec<_>, Vec<_>) = runs.into_iter().partition(|(_, is_complete)| *is_complete);
            let runs = if complete.is_empty() { cut } else { complete };
            self.measured.processor.extend(runs.into_iter().map(|(run, _)| run));
        }
        // After all others, whose order is that of the algorithms.
        self.measured.processor.extend(streams);
        Ok(())
    }

    /// Hashes one long file, which one core does; nothing if the process gave no answer.
    fn stream(&mut self, paths: &[Vec<u8>], algorithm: &str, seconds: f64) -> Result<Option<ProcessorRun>> {
        let list = self.scratch.folder().join("one.list");
        self.write_list(&list, &paths[..1])?;
        let choice = Choice::usual(self.measured.machine.cores);
        let answer = self.sample(&list, None, &choice, algorithm, TIMES_MAX * seconds)?;
        Ok(answer.map(|Answer { files, bytes, cpu_seconds: seconds, .. }| {
            let algorithm = algorithm.to_owned();
            ProcessorRun { algorithm, files, bytes, seconds, is_one_stream: true }
        }))
    }

    /// Writes the files for the processor; returns a list of short and one of long ones, each with its paths.
    fn cached_files(&self) -> io::Result<[(PathBuf, Vec<Vec<u8>>); 2]> {
        let mut lists = Vec::new();
        for (name, files, bytes, times) in
            [("short", SHORT_FILES, SHORT_BYTES, SHORT_TIMES), ("long", LONG_FILES, LONG_BYTES, LONG_TIMES)]
        {
            let mut paths = Vec::new();
            for number in 0..files {
                let path = self.scratch.folder().join(format!("{name}{number}"));
                let byte = number as u8;
                fs::write(&path, (0..bytes).map(|place| (place / 64) as u8 ^ byte).collect::<Vec<u8>>())?;
                paths.push(path.into_os_string().into_vec());
            }
            let list = self.scratch.folder().join(format!("{name}.list"));
            let paths: Vec<Vec<u8>> = (0..times).flat_map(|_| &paths).cloned().collect();
            let mut file = io::BufWriter::new(File::create(&list)?);
            for path in &paths {
                file.write_all(path)?;
                file.write_all(&[0])?;
            }
            file.flush()?;
            lists.push((list, paths));
        }
        let [short, long] = [lists.remove(0), lists.remove(0)];
        Ok([short, long])
    }

    /// Time of a sample.
    fn share(&self) -> f64 {
        (self.seconds / 25.0).clamp(0.2, 4.0)
    }

    fn elapsed(&self) -> f64 {
        self.began.elapsed().as_secs_f64() / self.seconds
    }

    fn is_dead(&self) -> bool {
        let batches = &self.measured.batches;
        batches.iter().filter(|batch| batch.is_stalled).count() >= STALLS_MAX
            || self.began.elapsed().as_secs_f64() > 2.0 * self.seconds + OVER_SECONDS
    }

    /// Whether the samples are more than all there is, or all of them failed.
    fn has_read_enough(&self) -> bool {
        let bytes: u64 = self.measured.batches.iter().map(|batch| batch.bytes).sum();
        let is_left = !self.long.all.is_empty() || self.runs.all.iter().any(|run| !run.is_empty());
        bytes > 2 * self.measured.survey.bytes() || !is_left
    }

    /// Reads samples under the defaults, then under other options, and again under the best.
    fn storage(&mut self) -> Result<()> {
        self.readers()?;
        // How much fits into a batch is not known yet, and short batches have long ends.
        let first = self.measured.batches.len();
        self.both(0, self.share())?;
        let probes = self.measured.batches.len();
        for part in [1.0, SHORT] {
            self.both(0, part * self.share())?;
        }
        let batches = &mut self.measured.batches;
        for place in (first..probes).rev() {
            let kind = batches[place].kind;
            let is_better = |batch: &Batch| batch.kind == kind && batch.is_sound() && !batch.is_cut;
            if batches[place].is_sound() && batches[probes..].iter().any(is_better) {
                batches.remove(place);
            }
        }
        self.other_options()?;
        self.compare()?;
        // At least three, however long they take.
        for turn in 0.. {
            if self.is_dead() || turn >= 3 && (self.elapsed() > 0.8 || self.has_read_enough()) {
                break;
            }
            let seconds = if turn % 2 == 0 { self.share() } else { SHORT * self.share() };
            self.both(self.measured.best, seconds)?;
        }
        if self.is_dead() {
            return Ok(());
        }
        let planned = self.algorithms[0].clone();
        let (files, bytes) = (self.measured.survey.files, self.measured.survey.bytes());
        let whole = projected(&self.measured, self.measured.best, files, bytes);
        let left = (1.1 - self.elapsed()) * self.seconds;
        if self.volume == (None, None)
            && self.measured.survey.is_complete
            && whole.is_some_and(|seconds| seconds < 0.6 * left)
        {
            return self.whole(&planned, left);
        }
        for _ in 0..2 {
            let check =
                Wanted { kind: Kind::Check, choice: self.measured.best, algorithm: &planned, seconds: self.share() };
            self.batch(check)?;
        }
        Ok(())
    }

    /// Reads batches until further ones add no readers. Readers for a place that answers late come one after another;
    /// of a long run, that is a small part.
    fn readers(&mut self) -> Result<()> {
        for (turn, part) in PARTS_FOR_READERS.into_iter().enumerate() {
            if self.measured.medium != "network" || self.elapsed() > 0.5 || self.is_dead() {
                break;
            }
            let (before, seconds) = (self.readers, part * self.seconds / TIMES_MAX);
            self.batch(Wanted { kind: Kind::Start, choice: 0, algorithm: "none", seconds })?;
            let batches = &mut self.measured.batches;
            let Some(last) = batches.last_mut() else { break };
            if self.readers == before {
                // A batch that added none had its full speed from its beginning. One that stalled says nothing.
                if last.is_stalled {
                    batches.pop();
                } else {
                    last.kind = Kind::Runs;
                }
                break;
            }
            if turn == 0 {
                // There is something to be found. A search that goes on from one batch to the next takes longer than
                // that of a run, so it begins anew, in a batch that is long enough.
                batches.pop();
                self.readers = 1;
            } else if !last.is_cut {
                break;
            }
        }
        Ok(())
    }

    /// Reads a batch of runs and one of long files.
    fn both(&mut self, choice: usize, seconds: f64) -> Result<()> {
        self.files(choice, seconds)?;
        self.single(Kind::Long, choice, seconds)
    }

    /// Reads a batch of runs, and one of beginnings, which tell what files take from what their bytes do.
    fn files(&mut self, choice: usize, seconds: f64) -> Result<()> {
        self.single(Kind::Runs, choice, seconds)?;
        let is_one = |batch: &&Batch| batch.kind == Kind::Runs && batch.choice == choice && batch.is_sound();
        let last = self.measured.batches.iter().rfind(is_one);
        if last.is_some_and(|batch| batch.bytes >= HEADS_LEAST * HEAD_BYTES * batch.files) {
            self.single(Kind::Heads, choice, PART_OF_HEADS * seconds)?;
        }
        Ok(())
    }

    fn single(&mut self, kind: Kind, choice: usize, seconds: f64) -> Result<()> {
        if self.is_dead() { Ok(()) } else { self.batch(Wanted { kind, choice, algorithm: "none", seconds }) }
    }

    /// The term of the storage's time that is nearly all of it, if there is one.
    fn main_term(&self) -> Option<Limit> {
        let (files, bytes) = self.planned_volume();
        match part_of_files(&self.measured, self.measured.best, files, bytes)? {
            share if share > MAIN => Some(Limit::Files),
            share if share < 1.0 - MAIN => Some(Limit::Bandwidth),
            _ => None,
        }
    }

    /// Files and bytes to choose options for.
    fn planned_volume(&self) -> (u64, u64) {
        self.measured.survey.volume(self.volume.0, self.volume.1)
    }

    /// Tries options that may be faster than the defaults, as long as there is time.
    fn other_options(&mut self) -> Result<()> {
        let medium = self.measured.medium.clone();
        if medium == "memory" {
            return Ok(());
        }
        if medium != "rotating" {
            self.try_more(|best| {
                (4 * best.threads <= THREADS_MAX).then(|| Choice { threads: 4 * best.threads, ..best.clone() })
            })?;
            // A disk that moves its heads between readers, which the system does not know of. Where further readers
            // were worth while, there is none.
            if self.readers == 1 {
                let usual = self.measured.choices[0].clone();
                self.try_choice(Choice { medium: Some("rotating".to_owned()), ..usual })?;
            }
        }
        if medium == "rotating" || self.measured.choices[self.measured.best].medium.is_some() {
            self.try_more(|best| {
                (best.prefetchers < 4).then(|| Choice { prefetchers: 2 * best.prefetchers, ..best.clone() })
            })?;
        }
        self.other_orders()?;
        for mode in ["smt", "mtp"] {
            let best = self.measured.choices[self.measured.best].clone();
            // A thread that reads and one that hashes.
            let threads = if mode == "mtp" { best.threads.max(2) } else { best.threads };
            self.try_choice(Choice { mode: mode.to_owned(), threads, ..best })?;
        }
        let best = self.measured.choices[self.measured.best].clone();
        self.try_choice(Choice { io: "direct".to_owned(), ..best })?;
        Ok(())
    }

    /// Tries other orders where the way from one file to the next may cost time.
    fn other_orders(&mut self) -> Result<()> {
        let is_rotating =
            self.measured.medium == "rotating" || self.measured.choices[self.measured.best].medium.is_some();
        let may_seek = self.measured.medium == "network" && self.readers == 1;
        let costs_time = is_rotating || (may_seek && self.main_term() == Some(Limit::Files));
        if !costs_time {
            return Ok(());
        }
        // By default it is the physical one on rotating disks, and that of paths elsewhere.
        let other = if is_rotating { "path" } else { "physical" };
        for order in ["inode", other] {
            let best = self.measured.choices[self.measured.best].clone();
            self.try_choice(Choice { order: order.to_owned(), ..best })?;
        }
        Ok(())
    }

    /// Tries more of something, until that gains nothing.
    fn try_more(&mut self, more: impl Fn(&Choice) -> Option<Choice>) -> Result<()> {
        while let Some(choice) = more(&self.measured.choices[self.measured.best]) {
            if !self.try_choice(choice)? {
                break;
            }
        }
        Ok(())
    }

    /// Measures a choice, and takes it if it is clearly faster than the best so far. Returns whether it is.
    fn try_choice(&mut self, choice: Choice) -> Result<bool> {
        if self.is_dead() || self.elapsed() > 0.65 {
            return Ok(false);
        }
        let (main, seconds) = (self.main_term(), 0.75 * self.share());
        self.measured.choices.push(choice);
        let place = self.measured.choices.len() - 1;
        if main != Some(Limit::Bandwidth) {
            self.files(place, seconds)?;
        }
        if main != Some(Limit::Files) {
            self.single(Kind::Long, place, seconds)?;
        }
        let (files, bytes) = self.planned_volume();
        let of = |choice| projected(&self.measured, choice, files, bytes);
        let is_faster = of(place).zip(of(self.measured.best)).is_some_and(|(new, best)| new < GAIN * best);
        if is_faster {
            self.measured.best = place;
        }
        Ok(is_faster)
    }

    /// Reads the options that seem clearly faster in turn with the defaults, and takes the first that are. One sample
    /// of each says little: the speed of a disk that others use changes more than options change it.
    fn compare(&mut self) -> Result<()> {
        let (files, bytes) = self.planned_volume();
        self.measured.best = 0;
        let mut rounds = 1..;
        for turn in 0..CANDIDATES_MAX {
            if turn > 0 && self.elapsed() > 0.8 {
                break;
            }
            let Some(choice) = candidate(&self.measured, files, bytes) else { break };
            let mut parts = Vec::new();
            for (place, round) in (0..ROUNDS).zip(&mut rounds) {
                self.round = round;
                let seconds = PARTS_IN_TURN[place as usize % 2] * self.share();
                // Who comes first may pay for what comes between.
                for choice in if place % 2 == 0 { [choice, 0] } else { [0, choice] } {
                    self.both(choice, seconds)?;
                }
                parts = parts_of_usual(&self.measured, choice, files, bytes);
                if self.is_dead() || parts.last().is_none_or(|part| *part >= 1.0) {
                    break;
                }
            }
            self.round = 0;
            if is_worth_while(&parts) {
                self.measured.best = choice;
                break;
            }
        }
        Ok(())
    }

    /// Reads a batch of fresh samples, as many as fit into its time.
    fn batch(&mut self, wanted: Wanted<'_>) -> Result<()> {
        let Wanted { kind, choice, algorithm, seconds } = wanted;
        let options = self.measured.choices[choice].clone();
        (self.show)(format!("reading samples with {}", options.line(self.measured.machine.cores)));
        let mut bytes_max = RUN_FILE_BYTES_MAX;
        let (paths, fresh) = match kind {
            Kind::Long => {
                let rate = self.byte_rate(choice).or_else(|| self.byte_rate(0));
                // As many as fit into the time, or as much of each as fits into it together.
                let fitting = rate.zip(self.long_bytes).map_or(0, |(rate, bytes)| (rate * seconds / bytes) as usize);
                let least = 2 * usize::from(options.threads.max(4));
                let (mut files, fresh) = self.long.take(fitting.clamp(least, LONG_COUNT_MAX.max(least)));
                files.sort_unstable();
                let share = |rate: f64| (rate * seconds / files.len().max(1) as f64) as u64;
                bytes_max = rate.map_or(LONG_FIRST_BYTES, share).clamp(LONG_FIRST_BYTES, LONG_FILE_BYTES_MAX);
                (files.into_iter().map(|(_, path)| path).collect(), fresh)
            }
            Kind::Runs | Kind::Heads => {
                let of = |choice, kind| rate(&self.measured, choice, kind);
                let rate = of(choice, kind).or_else(|| of(choice, Kind::Runs)).or_else(|| of(0, Kind::Runs));
                let fitting = |rate: f64| ((rate * seconds / 32.0).round() as usize).clamp(1, RUNS_MAX);
                if kind == Kind::Heads {
                    bytes_max = HEAD_BYTES;
                }
                files_of(self.runs.take(rate.map_or(RUNS_FIRST, fitting)))
            }
            Kind::Start => {
                let runs = RUNS_FOR_READERS * seconds * TIMES_MAX / self.seconds;
                files_of(self.runs.take(runs.round() as usize))
            }
            Kind::Check | Kind::Whole => {
                bytes_max = LONG_FILE_BYTES_MAX;
                let files = self.files_in(choice, 1.5 * seconds);
                let (mut paths, fresh) = files_of(self.runs.take(files.div_ceil(32).min(RUNS_MAX)));
                paths.truncate(files);
                (paths, fresh)
            }
        };
        if paths.is_empty() {
            return Ok(());
        }
        let list = self.scratch.folder().join("sample.list");
        self.write_list(&list, &paths)?;
        // All is to be read to its end, since what was announced to the storage when the time is up is not counted.
        let answer = self.sample(&list, Some(bytes_max), &cold(&options), algorithm, TIMES_MAX * seconds)?;
        if let (Kind::Long, Some(Answer { files, bytes, .. })) = (kind, &answer) {
            let mean = *bytes as f64 / (*files).max(1) as f64;
            self.long_bytes = (1.0..WHOLE * bytes_max as f64).contains(&mean).then_some(mean);
        }
        self.keep(kind, choice, algorithm, answer, paths.len().saturating_sub(fresh));
        Ok(())
    }

    /// Bytes that a choice reads in a second of long files, if it has been tried.
    fn byte_rate(&self, choice: usize) -> Option<f64> {
        let long = |batch: &&Batch| batch.kind == Kind::Long && batch.choice == choice && batch.is_sound();
        let last = self.measured.batches.iter().rfind(long)?;
        let start = storage(&self.measured, choice).map_or(0.0, |cost| cost.start_seconds);
        Some(last.bytes as f64 / (last.seconds - start).max(SHORT * last.seconds))
    }

    /// Number of whole files, of the usual size here, that a choice reads in a time.
    fn files_in(&self, choice: usize, seconds: f64) -> usize {
        let survey = &self.measured.survey;
        let mean = (survey.bytes() / survey.files.max(1)).min(LONG_FILE_BYTES_MAX);
        let cost = storage(&self.measured, choice).unwrap_or_default();
        let one = cost.file_seconds + mean as f64 * cost.byte_seconds;
        if one > 0.0 { (seconds / one) as usize } else { 32 * RUNS_FIRST }
    }

    /// Keeps what was measured, and how many of its files had been read before.
    fn keep(&mut self, kind: Kind, choice: usize, algorithm: &str, answer: Option<Answer>, repeated: usize) {
        let answer = answer.unwrap_or(Answer { is_stalled: true, ..Answer::default() });
        let Answer {
            files, bytes, longest_bytes, seconds, failed, failed_paths, error, is_complete, is_stalled, ..
        } = answer;
        self.first_error = self.first_error.take().or(error);
        self.leave_out(failed_paths.into_iter().map(|path| OsString::from(path).into_vec()).collect());
        let algorithm = algorithm.to_owned();
        let batch = Batch {
            kind,
            choice,
            algorithm,
            files,
            bytes,
            longest_bytes,
            seconds,
            failed,
            is_cut: !is_complete,
            is_stalled,
            is_repeated: repeated > 0,
            repeated_files: repeated as u64,
            round: self.round,
        };
        self.measured.batches.push(batch);
    }

    /// Leaves files out of further samples, since each that fails costs its sample.
    fn leave_out(&mut self, paths: BTreeSet<Vec<u8>>) {
        if paths.is_empty() {
            return;
        }
        self.runs.all.iter_mut().for_each(|run| run.retain(|path| !paths.contains(path)));
        let used = self.long.next.min(self.long.all.len());
        let gone = self.long.all[..used].iter().filter(|(_, path)| paths.contains(path)).count();
        self.long.all.retain(|(_, path)| !paths.contains(path));
        self.long.next -= gone;
    }

    /// Hashes everything once.
    fn whole(&mut self, algorithm: &str, left: f64) -> Result<()> {
        (self.show)("hashing everything once".to_owned());
        let choice = cold(&self.measured.choices[self.measured.best]);
        let seconds = left.to_string();
        let mut words = strings(&["sample", "--walk", &self.root()?]);
        words.extend(strings(&["--algorithm", algorithm, "--seconds", &seconds]));
        words.extend(choice.arguments(0));
        let answer = self.answer(words, left)?;
        // One that was not finished is no measurement of everything.
        if let Some(answer) = answer.filter(|answer| answer.is_complete) {
            let survey = &mut self.measured.survey;
            if answer.failed == 0 && answer.files == survey.files {
                (survey.sized_files, survey.sized_bytes) = (answer.files, answer.bytes);
                survey.longest_bytes = answer.longest_bytes;
            }
            self.keep(Kind::Whole, self.measured.best, algorithm, Some(answer), self.measured.survey.files as usize);
        }
        Ok(())
    }

    /// Asks for the sizes that the samples' sake left unknown.
    fn sizes(&mut self) -> Result<()> {
        let survey = &self.measured.survey;
        if survey.sized_files >= survey.files || self.is_dead() {
            return Ok(());
        }
        (self.show)("asking for sizes".to_owned());
        let list = self.scratch.folder().join("sizes.list");
        self.write_list(&list, &self.runs.all.concat())?;
        let seconds = 0.1 * self.seconds;
        let words = strings(&["survey", "--seconds", &seconds.to_string(), "--list", &text_of(&list)?]);
        let mut sized = Survey::default();
        let asked = ask(&self.program, &self.directory, words, seconds, self.cancel, &mut |text| {
            if let Ok(Line::End { survey, .. }) = serde_json::from_str(text) {
                sized = survey;
            }
            true
        });
        match asked {
            Err(Fault::Cancelled) => Err(Stopped::Cancelled),
            _ => {
                self.measured.survey.sized_files += sized.sized_files;
                self.measured.survey.sized_bytes += sized.sized_bytes;
                self.measured.survey.longest_bytes = self.measured.survey.longest_bytes.max(sized.longest_bytes);
                Ok(())
            }
        }
    }

    fn write_list(&self, list: &Path, paths: &[Vec<u8>]) -> Result<()> {
        let mut text = Vec::new();
        for path in paths {
            text.extend_from_slice(path);
            text.push(0);
        }
        fs::write(list, text)
            .map_err(|error| Failed::internal(format_args!("a temporary file cannot be written: {error}")).into())
    }

    /// Reads the files of a list; nothing if the process gave no answer.
    fn sample(
        &mut self,
        list: &Path,
        bytes_max: Option<u64>,
        choice: &Choice,
        algorithm: &str,
        seconds: f64,
    ) -> Result<Option<Answer>> {
        let mut words = strings(&["sample", "--list", &text_of(list)?]);
        words.extend(strings(&["--algorithm", algorithm, "--seconds", &seconds.to_string()]));
        if let Some(bytes_max) = bytes_max {
            words.extend(strings(&["--bytes-max", &bytes_max.to_string()]));
        }
        words.extend(["--readers".to_owned(), self.readers.to_string()]);
        words.extend(choice.arguments(0));
        let answer = self.answer(words, seconds)?;
        self.readers = self.readers.max(answer.as_ref().map_or(0, |answer| answer.readers));
        Ok(answer)
    }

    /// Returns a file that holds the path, whose bytes may be no text.
    fn root(&self) -> Result<String> {
        let file = self.scratch.folder().join("root");
        self.write_list(&file, &[self.path.as_os_str().as_bytes().to_vec()])?;
        text_of(&file)
    }

    fn answer(&self, words: Vec<String>, seconds: f64) -> Result<Option<Answer>> {
        let mut answer = None;
        let asked = ask(&self.program, &self.directory, words, seconds, self.cancel, &mut |text| {
            answer = serde_json::from_str(text).ok();
            true
        });
        match asked {
            Err(Fault::Cancelled) => Err(Stopped::Cancelled),
            _ => Ok(answer),
        }
    }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Returns the path of a temporary file as a word of a command line.
fn text_of(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_owned);
    let refused = || Failed::usage("the path of the temporary directory is no text; TMPDIR chooses another").into();
    text.ok_or_else(refused)
}

/// The choice by which a sample is read: what is cached of it is dropped before, and nothing of it stays.
fn cold(choice: &Choice) -> Choice {
    match choice.io.as_str() {
        "buffered" => Choice { io: "drop".to_owned(), ..choice.clone() },
        _ => choice.clone(),
    }
}

/// Runs `pfh lab` with these words for about `seconds`, until `take` has what it wants, and ends it.
fn ask(
    program: &Path,
    directory: &Path,
    words: Vec<String>,
    seconds: f64,
    cancel: &AtomicBool,
    take: &mut dyn FnMut(&str) -> bool,
) -> std::result::Result<(), Fault> {
    let launch = Launch {
        program: program.to_string_lossy().into_owned(),
        arguments: ["lab".to_owned()].into_iter().chain(words).collect(),
        environment: Vec::new(),
        directory: directory.to_owned(),
    };
    let mut process = Process::start(&launch, environment::half_of_memory()).map_err(Fault::System)?;
    process.close_input();
    // Dropping samples from the cache is not in the limit.
    let deadline = Instant::now() + Duration::from_secs_f64(2.0 * seconds) + PATIENCE;
    loop {
        let line = process.receive(deadline, cancel)?;
        if take(&line) {
            return Ok(());
        }
    }
}
