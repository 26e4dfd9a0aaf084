//! Verifying what was staged, and giving it its names.

use super::super::command::Command;
use super::super::ended::lock;
use super::super::exit::Failed;
use super::super::message;
use super::super::warnings::{Wanted, Warning, Warnings};
use super::order::{Order, journal_format, path_of};
use super::targets::{Destinations, FilePlan, State, Target, any_is_alive, failed};
use pfh_copy::Leader;
use pfh_engine::{CancelToken, Counters};
use pfh_record::{Format, Outcome, Record};
use pfh_source::{FoundFile, FoundFiles, Totals, WalkOptions};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// A group is verified when it has this many files or bytes, or when no further file has come for a while.
const GROUP_FILES: usize = 4096;
const GROUP_BYTES: u64 = 256 << 20;
const GROUP_PATIENCE: Duration = Duration::from_secs(2);

/// The account of a copy.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Copied {
    /// Files that are at all destinations, read back and equal, and their bytes.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    /// Files among them that were there before.
    pub(crate) there: u64,
    /// Directories and symbolic links.
    pub(crate) directories: u64,
    pub(crate) links: u64,
    /// Devices, sockets and pipes.
    pub(crate) others: u64,
}

/// A set of paths, by fingerprints with random keys, which nobody can choose paths for.
#[derive(Default)]
pub(super) struct Paths {
    keys: RandomState,
    set: HashSet<u64>,
}

impl Paths {
    pub(super) fn insert(&mut self, path: &[u8]) {
        self.set.insert(self.keys.hash_one(path));
    }

    pub(super) fn contains(&self, path: &[u8]) -> bool {
        self.set.contains(&self.keys.hash_one(path))
    }

    pub(super) fn remove(&mut self, path: &[u8]) -> bool {
        self.set.remove(&self.keys.hash_one(path))
    }
}

/// Verifies what was staged, and gives it its names.
pub(super) struct Publisher<'a> {
    pub(super) targets: Arc<Vec<Target>>,
    pub(super) order: &'a Order<'a>,
    pub(super) format: Box<dyn Format>,
    pub(super) group: Vec<(Arc<FilePlan>, Record)>,
    pub(super) group_bytes: u64,
    /// The numbers of the files of the group, by path.
    pub(super) group_paths: HashMap<Vec<u8>, u64>,
    /// For each destination, the lines of its journal about files whose names may not be durable yet.
    pub(super) lines: Vec<Vec<u8>>,
    pub(super) warnings: Warnings,
    pub(super) cancel: CancelToken,
    pub(super) findings: u64,
    pub(super) failed: u64,
    pub(super) copied: Copied,
    pub(super) lacking: Paths,
    pub(super) superseded: Paths,
    /// Why verification cannot go on.
    pub(super) broken: Option<Failed>,
}

impl<'a> Publisher<'a> {
    pub(super) fn new(
        command: &Command,
        order: &'a Order<'a>,
        destinations: &Destinations,
        copied: Copied,
    ) -> Result<Publisher<'a>, Failed> {
        let targets = Arc::clone(&destinations.0);
        Ok(Publisher {
            lines: targets.iter().map(|_| Vec::new()).collect(),
            targets,
            order,
            format: journal_format(&order.selection())?,
            group: Vec::new(),
            group_bytes: 0,
            group_paths: HashMap::new(),
            warnings: Warnings::new(Wanted::by(order.options.quiet, order.options.verbose)),
            cancel: command.cancel().clone(),
            findings: 0,
            failed: 0,
            copied,
            lacking: Paths::default(),
            superseded: Paths::default(),
            broken: None,
        })
    }

    /// Takes files until there are no more.
    pub(super) fn publish_all(&mut self, files: Receiver<(Arc<FilePlan>, Record)>) {
        loop {
            match files.recv_timeout(GROUP_PATIENCE) {
                Ok((plan, record)) => self.add(plan, record),
                Err(RecvTimeoutError::Timeout) => self.publish(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.publish();
        self.record();
    }

    fn add(&mut self, plan: Arc<FilePlan>, record: Record) {
        if record.outcome != Outcome::Complete {
            // The engine has reported it, or the errors of writing follow.
            self.judge(&plan, &record, &mut [].iter());
            return;
        }
        self.stage_links(&plan);
        self.group_bytes += record.bytes_read;
        self.group_paths.insert(plan.path.clone(), plan.number);
        self.group.push((plan, record));
        if self.group.len() >= GROUP_FILES || self.group_bytes >= GROUP_BYTES {
            self.publish();
        }
    }

    fn stage_links(&self, plan: &FilePlan) {
        let Some(leader) = &plan.leader else { return };
        let leader = self.group_paths.get(leader).map_or(Leader::Named(leader), |number| Leader::Staged(*number));
        let path = plan.leader.as_deref().unwrap_or_default();
        for (target, state) in self.targets.iter().zip(lock(&plan.states).iter_mut()) {
            if *state == State::Linked {
                // A leader of this group may have been there before.
                let linked = target.destination.stage_link(plan.number, leader);
                let linked = linked.or_else(|_| target.destination.stage_link(plan.number, Leader::Named(path)));
                if let Err(error) = linked {
                    let text =
                        format!("it is a hard link to {}, which cannot be linked to: {error}", message::quoted(path));
                    *state = State::Failed(text);
                }
            }
        }
    }

    /// Verifies the files of the group, and gives them their names.
    fn publish(&mut self) {
        let group = mem::take(&mut self.group);
        self.group_paths.clear();
        self.group_bytes = 0;
        if group.is_empty() || self.cancel.is_cancelled() || self.broken.is_some() {
            return;
        }
        self.record();
        let mut files = Vec::new();
        for (plan, record) in &group {
            for (target, state) in self.targets.iter().zip(lock(&plan.states).iter()) {
                let path = match state {
                    State::Staged | State::Linked if target.is_alive() => target.destination.staged_path(plan.number),
                    State::There if target.is_alive() => target.destination.path().join(path_of(&plan.path)),
                    _ => continue,
                };
                let path = path.into_os_string().into_encoded_bytes();
                files.push(FoundFile { path, size: record.bytes_read, identity: None });
            }
        }
        let read_back = match self.read_back(files) {
            Ok(read_back) => read_back,
            Err(broken) => {
                self.broken = Some(broken);
                self.cancel.cancel();
                return;
            }
        };
        if self.cancel.is_cancelled() {
            return;
        }
        let mut read_back = read_back.iter();
        for (plan, record) in &group {
            self.judge(plan, record, &mut read_back);
        }
    }

    /// Makes what was written durable, and then tells the journals of the files that had got their names before.
    fn record(&mut self) {
        for (target, lines) in self.targets.iter().zip(&mut self.lines) {
            if !target.is_alive() {
                continue;
            }
            let recorded = target.destination.sync().and_then(|()| target.destination.record(&mem::take(lines)));
            if let Err(error) = recorded {
                target.fail(error);
            }
        }
    }

    /// Reads files of destinations. Returns a record for each, in their order, unless a signal comes.
    fn read_back(&self, files: Vec<FoundFile>) -> Result<Vec<Record>, Failed> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let walk = WalkOptions { io: self.order.read_back, ..WalkOptions::default() };
        let run = self.order.run(walk, self.order.options.memory / 4);
        let (local, engine) = run.into_parts().map_err(Failed::usage)?;
        let bytes = files.iter().map(|file| file.size).sum();
        let totals = Totals::new(files.len() as u64, bytes);
        let source = FoundFiles::new(local, files.into_iter(), None, totals);
        let mut records: Vec<Record> = Vec::new();
        let prepare = |record: Record| record;
        let counters = Counters::default();
        let run = pfh::run_on(&engine, &source, &prepare, &mut records, None, &counters, &self.cancel);
        run.map_err(Failed::usage)?;
        Ok(records)
    }

    /// Decides on a file, and takes the records of its copies from `read_back`.
    fn judge(&mut self, plan: &FilePlan, record: &Record, read_back: &mut std::slice::Iter<'_, Record>) {
        let states = mem::take(&mut *lock(&plan.states));
        let (mut is_everywhere, mut was_there) = (record.outcome == Outcome::Complete, true);
        let (mut has_finding, mut has_failed) = (false, false);
        for (target, state) in self.targets.iter().zip(&states) {
            let wanted = match state {
                State::Staged | State::Linked | State::There if record.outcome == Outcome::Complete => {
                    // It was read back unless the destination had failed before.
                    read_back.as_slice().first().filter(|_| target.is_alive())
                }
                _ => None,
            };
            let mut result = match (state, wanted) {
                (State::Done, _) => Ok(()),
                (State::Failed(text), _) => Err((text.clone(), false)),
                (State::InTheWay(text), _) => Err(((*text).to_owned(), true)),
                (State::There, Some(copy)) => compared(record, copy).map_err(|unlike| match unlike {
                    Some(text) => (format!("it is there, and cannot be read: {text}"), false),
                    None => ("there is another file of this name, which was not replaced".to_owned(), true),
                }),
                (State::Staged | State::Linked, Some(copy)) => compared(record, copy).map_err(|unlike| match unlike {
                    Some(text) => (format!("it cannot be read back: {text}"), false),
                    None => ("read back, it is not as it was written; it got no name".to_owned(), true),
                }),
                (_, None) | (State::Waiting, _) => {
                    is_everywhere &= !target.is_alive();
                    continue;
                }
            };
            if wanted.is_some() {
                let _ = read_back.next();
            }
            let is_staged = matches!(state, State::Staged | State::Linked);
            was_there &= !is_staged;
            if is_staged && result.is_ok() {
                result = target.destination.publish(plan.number, &plan.path).map_err(|error| {
                    let is_taken = error.kind() == io::ErrorKind::AlreadyExists;
                    let State::Failed(text) = failed(target, error) else { return (String::new(), false) };
                    let taken = "something has got this name meanwhile, and was not replaced".to_owned();
                    (if is_taken { taken } else { text }, is_taken)
                });
            }
            if let Err((reason, is_finding)) = result {
                is_everywhere = false;
                if is_staged {
                    target.destination.discard(plan.number);
                }
                // That a destination is full is told once.
                if target.is_alive() {
                    let path = target.destination.path().join(path_of(&plan.path));
                    let path = path.into_os_string().into_encoded_bytes();
                    has_finding |= is_finding;
                    has_failed |= !is_finding;
                    let warning = match is_finding {
                        true => Warning::of_finding(&path, reason),
                        false => Warning::new(&path, reason),
                    };
                    self.warnings.say(&warning);
                }
            }
        }
        self.findings += u64::from(has_finding);
        self.failed += u64::from(has_failed);
        if !is_everywhere {
            self.lacking.insert(&plan.path);
            return;
        }
        self.note(plan, record, &states);
        if any_is_alive(&self.targets) && self.targets.iter().all(Target::is_alive) {
            self.copied.files += 1;
            self.copied.there += u64::from(was_there);
            self.copied.bytes += record.bytes_read;
        }
    }

    /// Adds a file to the journals.
    fn note(&mut self, plan: &FilePlan, record: &Record, states: &[State]) {
        let mut line = Vec::new();
        let mut record = record.clone();
        record.path.clone_from(&plan.path);
        if self.format.record(&record, &mut line).is_err() {
            return;
        }
        for ((target, state), lines) in self.targets.iter().zip(states).zip(&mut self.lines) {
            if *state != State::Done && target.is_alive() {
                lines.extend_from_slice(&line);
            }
        }
        if self.targets.first().is_some_and(|first| first.destination.knew(&plan.path)) && states[0] != State::Done {
            self.superseded.insert(&plan.path);
        }
    }

    /// Reports something that could not be made at a destination.
    pub(super) fn refuse(&mut self, target: usize, path: &[u8], error: io::Error) {
        let target = &self.targets[target];
        let is_taken = error.kind() == io::ErrorKind::AlreadyExists;
        let State::Failed(text) = failed(target, error) else { return };
        if !target.is_alive() {
            return;
        }
        let path = target.destination.path().join(path_of(path)).into_os_string().into_encoded_bytes();
        let taken = "something of this name is there, and was not replaced".to_owned();
        let warning = if is_taken { Warning::of_finding(&path, taken) } else { Warning::new(&path, text) };
        self.warnings.say(&warning);
        *(if is_taken { &mut self.findings } else { &mut self.failed }) += 1;
    }
}

/// Compares a copy that was read back with its source. `Err` has the reason why it could not be read, if that is so.
fn compared(record: &Record, copy: &Record) -> Result<(), Option<String>> {
    match &copy.outcome {
        Outcome::Complete if copy.digests == record.digests => Ok(()),
        Outcome::Complete | Outcome::ChangedWhileReading | Outcome::Short { .. } => Err(None),
        outcome => Err(Some(outcome.to_string())),
    }
}
