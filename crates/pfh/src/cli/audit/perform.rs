//! A run: walks the roots, reads the files that are due, and gives the results to the ledger.

use super::super::command::{Command, Item};
use super::super::ended::lock;
use super::super::exit::Failed;
use super::super::message;
use super::super::quantity::{Clock, Count};
use super::super::reading;
use super::collection::{failed, filters, full_path};
use pfh::HashRun;
use pfh_digest::Algorithm;
use pfh_engine::{CancelToken, Options, StartError};
use pfh_ledger::{
    Digests, Error, Ledger, Observation, Plan, Run, RunEnd, Seen, Settings, Stopped, Subject, Survey, Surveyed, Task,
    Tasks,
};
use pfh_record::{Metadata, Outcome, Record};
use pfh_source::{
    EntryKind, ErrorKind, FileError, FileIdentity, Found, FoundFile, FoundFiles, IoMethod, Other, Source as _, Totals,
    WalkOptions,
};
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

/// Results that wait for the ledger.
const WAITING_MAX: usize = 1024;

/// How a run reads.
pub(super) struct Manner {
    pub(super) algorithms: Vec<Algorithm>,
    pub(super) io: IoMethod,
    /// Bytes a second on average.
    pub(super) rate: Option<u64>,
    /// No file is begun after this.
    pub(super) deadline: Option<Instant>,
    pub(super) threads: Option<u16>,
    pub(super) memory_bytes: u64,
    /// Whether a root without files is taken for what it seems.
    pub(super) allow_empty: bool,
}

/// How a run went.
pub(super) enum Performed {
    /// It ended.
    Ended(Box<RunEnd>, Box<Ledger>),
    /// A signal stopped it; the next run goes on.
    Interrupted,
}

/// Does a run.
pub(super) fn perform(
    command: &mut Command,
    mut run: Run,
    settings: &Settings,
    plan: &Plan,
    manner: &Manner,
) -> Result<Performed, Failed> {
    let path = run.ledger().path().to_owned();
    let of_ledger = |error: Error| failed(&path, error);
    run.ledger().limit_memory(manner.memory_bytes / 8).map_err(of_ledger)?;
    let roots = run.ledger().roots().map_err(of_ledger)?;
    let runs = run.ledger().runs().map_err(of_ledger)?;
    // An abandoned run has not counted them.
    let expected = runs.iter().rev().filter_map(|run| run.end.as_ref()).map(|end| end.files).find(|files| *files > 0);
    let (filters, filtered) = (filters(settings)?, roots.clone());
    let is_wanted = move |subject: &Subject| {
        let root = filtered.get(subject.root as usize);
        root.is_none_or(|root| filters.wants_below(root, &subject.path))
    };
    let (seen, began) = (AtomicU64::new(0), Instant::now());
    let text = || walked(seen.load(Ordering::Relaxed), expected, began.elapsed());
    let compared = command.work(text, |command| {
        // The engine has the other half, later.
        let mut survey = Survey::new(manner.memory_bytes / 2).filtered(is_wanted);
        for (number, root) in (0..).zip(&roots) {
            let before = survey.found();
            let is_whole = walk(command, &mut survey, number, root, settings, manner.allow_empty, &seen)?;
            let is_empty = is_whole && survey.found() == before;
            if is_empty && !manner.allow_empty && !command.cancel().is_cancelled() {
                let root = message::quoted(root);
                return Err(Failed::usage(format_args!(
                    "{root} has no files: is it mounted? Nothing was recorded; --allow-empty records them as missing"
                )));
            }
        }
        if command.cancel().is_cancelled() {
            return Ok(None);
        }
        survey.compare(&run, plan).map(Some).map_err(of_ledger)
    });
    let Some((surveyed, mut tasks)) = compared? else { return Ok(Performed::Interrupted) };
    let mut are_due = tasks.files() > 0;
    while are_due {
        let (read, unread_bytes) = read(command, run, &mut tasks, &roots, settings, manner)?;
        run = read.map_err(of_ledger)?;
        if let Some(error) = tasks.take_error() {
            return Err(Failed::temporary(error));
        }
        // The limit is one of bytes that were read, so other files take the place of those that could not be.
        are_due = tasks.give_back(unread_bytes) && !command.cancel().is_cancelled();
    }
    if command.cancel().is_cancelled() {
        run.save().map_err(of_ledger)?;
        return Ok(Performed::Interrupted);
    }
    let mut stopped = Stopped::No;
    if tasks.left() > 0 {
        stopped = Stopped::Limit;
        run.leave(&mut tasks).map_err(of_ledger)?;
    }
    let (end, ledger) = end(run, &surveyed, stopped, &roots, settings).map_err(of_ledger)?;
    command.report_totals();
    Ok(Performed::Ended(Box::new(end), Box::new(ledger)))
}

fn end(
    run: Run,
    surveyed: &Surveyed,
    stopped: Stopped,
    roots: &[Vec<u8>],
    settings: &Settings,
) -> Result<(RunEnd, Ledger), Error> {
    run.end(surveyed, stopped, &mut |subject| match pfh_source::is_regular_file(
        &full_path(roots, subject),
        settings.follow_files,
    ) {
        Ok(is_file) => !is_file,
        Err(error) => is_gone(&error),
    })
}

/// Whether an error says that there is nothing at a path.
pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Makes the failure of a root that cannot be examined.
pub(super) fn unexamined(root: &Path, error: &io::Error) -> Failed {
    let advice = match is_gone(error) {
        true => {
            "; if it is elsewhere now, `pfh audit relocate` tells the ledger, and --allow-empty records its files as \
             missing"
        }
        false => "",
    };
    let root = message::quoted_path(root);
    Failed::usage(format_args!("{root} cannot be examined: {error}. Is it mounted? Nothing was recorded{advice}"))
}

/// Describes a walk by the files that it has seen, of those that the last run found. The time that is left is shown
/// after the first second.
fn walked(seen: u64, expected: Option<u64>, elapsed: Duration) -> String {
    let mut text = format!("walking: {} files", Count(seen));
    if let Some(expected) = expected {
        text += &format!(" of {} in the last run", Count(expected));
        let left = expected.checked_sub(seen).filter(|left| *left > 0 && seen > 0 && elapsed.as_secs() > 0);
        if let Some(left) = left {
            text += &format!(", {} left", Clock(elapsed.mul_f64(left as f64 / seen as f64)));
        }
    }
    text + &format!(", {} elapsed", Clock(elapsed))
}

/// Returns what the ledger keeps of metadata.
fn seen(metadata: &Metadata) -> Seen {
    let posix = metadata.posix.unwrap_or_default();
    Seen { size: metadata.size, mtime: metadata.mtime.unwrap_or_default(), ctime: posix.ctime, inode: posix.inode }
}

/// Adds what a walk of a root finds, and counts files in `seen_files`. Returns whether it could examine all of it.
fn walk(
    command: &mut Command,
    survey: &mut Survey,
    number: u32,
    root: &[u8],
    settings: &Settings,
    allow_empty: bool,
    seen_files: &AtomicU64,
) -> Result<bool, Failed> {
    let cancel = command.cancel().clone();
    let path = Path::new(OsStr::from_bytes(root));
    match fs::metadata(path) {
        // All that was there is gone.
        Err(error) if allow_empty && is_gone(&error) => return Ok(true),
        Err(error) => return Err(unexamined(path, &error)),
        Ok(_) => {}
    }
    let walk = WalkOptions {
        roots: vec![root.to_vec()],
        include: settings.include.clone(),
        exclude: settings.exclude.clone(),
        follow_files: settings.follow_files,
        follow_directories: settings.follow_directories,
        one_file_system: settings.one_file_system,
        want_others: true,
        ..WalkOptions::default()
    };
    let run = HashRun { walk, engine: Options::new(Vec::<Algorithm>::new()) };
    let (source, _) = run.into_parts().map_err(Failed::usage)?;
    let subject = |path: &[u8]| {
        let below = path.strip_prefix(root).unwrap_or(path);
        Subject { root: number, path: below.strip_prefix(b"/").unwrap_or(below).to_vec() }
    };
    // The walk would not tell the sizes of files that it leaves out.
    let is_wanted = |size: u64| {
        settings.size_min.is_none_or(|least| size >= least) && settings.size_max.is_none_or(|most| size <= most)
    };
    let (mut result, mut is_whole) = (Ok(()), true);
    let mut fail = |path: Vec<u8>, error| {
        is_whole = false;
        command.count(&Item::new(&Record::new(path, Outcome::Unreadable { offset: 0, error }), ()));
    };
    source.walk(&mut |found| {
        match found {
            Found::Entry(entry) if entry.kind == EntryKind::Regular => match source.stamp(&entry) {
                Ok(stamp) if stamp.is_as_listed => {
                    let device = stamp.metadata.posix.map_or(0, |posix| posix.device);
                    let (path, seen) = (entry.path(), seen(&stamp.metadata));
                    if path.len() > Survey::PATH_BYTES_MAX {
                        survey.unseen(subject(&path));
                        let text = "the path is too long for a ledger, which keeps 60,000 bytes";
                        fail(path, FileError::new(ErrorKind::NameTooLong, text));
                    } else if is_wanted(seen.size) {
                        seen_files.fetch_add(1, Ordering::Relaxed);
                        result = survey.push(&subject(&path), &seen, device);
                    } else {
                        result = survey.push_left_out(&subject(&path), &seen, device);
                    }
                }
                // It was replaced since it was listed.
                Ok(_) => survey.unseen(subject(&entry.path())),
                Err(error) if error.kind == ErrorKind::NotFound => {}
                Err(error) => {
                    survey.unseen(subject(&entry.path()));
                    fail(entry.path(), error);
                }
            },
            Found::Failed(path, error) => {
                survey.unseen(subject(&path));
                fail(path, error);
            }
            Found::Skipped(path, pfh_record::SkipReason::Loop) | Found::Other(path, Other::LeftOut) => {
                survey.unseen(subject(&path));
            }
            Found::Entry(_) | Found::Skipped(..) | Found::Other(..) | Found::Pause => {}
        }
        result.is_ok() && !cancel.is_cancelled()
    });
    result.map(|()| is_whole).map_err(Failed::temporary)
}

/// The files on their way through the engine, which delivers them in the same order.
#[derive(Default)]
struct OnTheirWay {
    tasks: VecDeque<Task>,
    /// Bytes of those that could not be read.
    unread_bytes: u64,
}

/// Reads files, and gives the results to the run. Returns it, or the error that ended it, and the bytes of files that
/// could not be read.
fn read(
    command: &mut Command,
    run: Run,
    tasks: &mut Tasks,
    roots: &[Vec<u8>],
    settings: &Settings,
    manner: &Manner,
) -> Result<(Result<Run, Error>, u64), Failed> {
    pfh_source::raise_open_file_limit();
    let engine = reading::engine(&manner.algorithms[..], manner.threads, manner.memory_bytes / 2);
    let walk = WalkOptions { follow_files: settings.follow_files, io: manner.io, ..WalkOptions::default() };
    let (local, engine) = HashRun { walk, engine }.into_parts().map_err(Failed::usage)?;
    let on_their_way = Arc::new(Mutex::new(OnTheirWay::default()));
    let totals = Totals::new(tasks.left(), tasks.bytes());
    let files = Given {
        tasks,
        given_bytes: 0,
        began: Instant::now(),
        rate: manner.rate,
        deadline: manner.deadline,
        cancel: command.cancel().clone(),
        roots: roots.to_vec(),
        on_their_way: Arc::clone(&on_their_way),
    };
    let source = FoundFiles::new(local, files, None, totals);
    let prepare = |record: Record| {
        let item = Item::new(&record, ());
        let (path, read_bytes) = (record.path.clone(), record.bytes_read);
        item.map(|()| (path, read_bytes, observation(record)))
    };
    let (sender, receiver) = sync_channel(WAITING_MAX);
    let refused = StartError::ThreadsRefused { threads: engine.threads + 1 };
    let (run, report) = thread::scope(|scope| -> Result<_, Failed> {
        // The ledger has a thread of its own, so that results are saved also while a large file is read.
        let writer = Builder::new().spawn_scoped(scope, move || write(run, &receiver));
        let writer = writer.map_err(|_| Failed::usage(refused))?;
        let mut deliver = |(path, read_bytes, observation): (Vec<u8>, u64, Option<Observation>)| {
            let task = loop {
                match lock(&on_their_way).tasks.pop_front() {
                    // Of files that were in flight when a signal came, there is no record.
                    Some(task) if full_path(roots, &task.subject) != path => {}
                    task => break task,
                }
            };
            let (Some(task), Some(observation)) = (task, observation) else { return ControlFlow::Continue(()) };
            if !matches!(observation, Observation::Read { .. }) {
                lock(&on_their_way).unread_bytes += task.size.saturating_sub(read_bytes);
            }
            // The writer is gone only after an error.
            match sender.send((task.subject, observation)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        };
        let report = command.hash(&engine, &source, None, &prepare, &mut deliver);
        drop(sender);
        Ok((writer.join(), report))
    })?;
    report.map_err(Failed::usage)?;
    let run = match run {
        Ok(run) => run,
        Err(panic) => std::panic::resume_unwind(panic),
    };
    let unread_bytes = lock(&on_their_way).unread_bytes;
    Ok((run, unread_bytes))
}

/// Gives results to the run, until there are no more.
fn write(mut run: Run, results: &Receiver<(Subject, Observation)>) -> Result<Run, Error> {
    loop {
        match results.recv_timeout(Duration::from_secs(1)) {
            Ok((subject, observation)) => {
                run.record(subject, observation)?;
            }
            Err(RecvTimeoutError::Timeout) if run.has_unsaved() => run.save()?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                run.save()?;
                return Ok(run);
            }
        }
    }
}

/// Returns what a record tells the ledger; `None` if it tells nothing.
fn observation(record: Record) -> Option<Observation> {
    match record.outcome {
        Outcome::Complete => {
            let digests = Digests::new(&record.digests);
            record.metadata.map(|metadata| Observation::Read { seen: seen(&metadata), digests })
        }
        Outcome::ChangedWhileReading => Some(Observation::Changing),
        Outcome::Unreadable { error, .. } if error.kind == ErrorKind::NotFound => Some(Observation::Vanished),
        Outcome::Unreadable { offset, error } => Some(Observation::Failed { offset, error: error.message }),
        Outcome::Short { read, .. } => Some(Observation::Failed { offset: read, error: record.outcome.to_string() }),
        _ => None,
    }
}

/// The files to read, as the limits allow.
struct Given<'a> {
    tasks: &'a mut Tasks,
    given_bytes: u64,
    began: Instant,
    rate: Option<u64>,
    deadline: Option<Instant>,
    cancel: CancelToken,
    roots: Vec<Vec<u8>>,
    on_their_way: Arc<Mutex<OnTheirWay>>,
}

impl Given<'_> {
    /// Waits until the rate allows a further file. Returns false if the time is over before.
    fn may_go_on(&self) -> bool {
        const STEP: Duration = Duration::from_millis(20);
        loop {
            if self.cancel.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return false;
            }
            let allowed = self.rate.map(|rate| self.began.elapsed().as_secs_f64() * rate.max(1) as f64);
            let read_bytes = || self.given_bytes.saturating_sub(lock(&self.on_their_way).unread_bytes);
            if allowed.is_none_or(|allowed| read_bytes() as f64 <= allowed) {
                return true;
            }
            thread::sleep(STEP);
        }
    }
}

impl Iterator for Given<'_> {
    type Item = FoundFile;

    fn next(&mut self) -> Option<FoundFile> {
        if !self.may_go_on() {
            return None;
        }
        let task = self.tasks.next()?;
        self.given_bytes += task.size;
        let found = FoundFile {
            path: full_path(&self.roots, &task.subject),
            size: task.size,
            identity: Some(FileIdentity::new(task.device, task.inode)),
        };
        lock(&self.on_their_way).tasks.push_back(task);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_tells_what_is_left_of_the_last_one() {
        let seconds = Duration::from_secs;
        assert_eq!(walked(1200, None, seconds(3)), "walking: 1,200 files, 0:03 elapsed");
        let (some, more) = (walked(1000, Some(4000), seconds(20)), walked(5000, Some(4000), seconds(20)));
        assert_eq!(some, "walking: 1,000 files of 4,000 in the last run, 1:00 left, 0:20 elapsed");
        assert_eq!(more, "walking: 5,000 files of 4,000 in the last run, 0:20 elapsed");
        let start = walked(0, Some(4000), Duration::ZERO);
        assert_eq!(start, "walking: 0 files of 4,000 in the last run, 0:00 elapsed");
    }
}
