//! Verifying what was staged, and giving it its names.

use super::super::command::Command;
use super::super::ended::lock;
use super::super::exit::Failed;
use super::super::message;
use super::super::warnings::{Wanted, Warning, Warnings};
use super::order::{Order, journal_format};
use super::targets::{Destinations, FilePlan, State, Target, failed, path_of};
use pfh_copy::{Destination, Leader, Place};
use pfh_engine::{CancelToken, Counters};
use pfh_record::{ErrorKind, Format, Outcome, Record};
use pfh_source::{FoundFile, FoundFiles, Totals, WalkOptions};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::mem;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
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
    /// Symbolic links.
    pub(crate) links: u64,
    /// Files that are not at all destinations.
    pub(crate) missing: u64,
    /// Devices, sockets and pipes.
    pub(crate) others: u64,
    /// Files in the sources that are left out because they are in a directory `.pfh-copy` there.
    pub(crate) left_out: u64,
}

/// A set of paths, by fingerprints with random keys, which nobody can choose paths for.
#[derive(Default)]
pub(super) struct Paths {
    keys: RandomState,
    set: HashSet<u64>,
}

impl Paths {
    /// Returns whether it was not there.
    pub(super) fn insert(&mut self, path: &[u8]) -> bool {
        self.set.insert(self.keys.hash_one(path))
    }

    pub(super) fn contains(&self, path: &[u8]) -> bool {
        self.set.contains(&self.keys.hash_one(path))
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
    /// See [`Finished`](super::Finished).
    pub(super) lacking: Paths,
    /// See [`Finished`](super::Finished).
    pub(super) standing: Arc<Mutex<Paths>>,
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
            warnings: Warnings::new(Wanted::by(order.options.messages.quiet, order.options.messages.verbose)),
            cancel: command.cancel().clone(),
            findings: 0,
            failed: 0,
            copied,
            lacking: Paths::default(),
            standing: Arc::default(),
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
            // The engine has reported it, or no destination could take it.
            self.judge(&plan, &record, &[]);
            return;
        }
        if !self.order.has_own_paths() {
            // The file of another source with this path gets its name first.
            if self.group_paths.contains_key(&plan.path) {
                self.publish();
            }
            self.decide_again(&plan, record.bytes_read);
        }
        self.stage_links(&plan);
        self.group_bytes += record.bytes_read;
        self.group_paths.insert(plan.path.clone(), plan.number);
        self.group.push((plan, record));
        if self.group.len() >= GROUP_FILES || self.group_bytes >= GROUP_BYTES {
            self.publish();
        }
    }

    /// Decides anew on a file whose name the file of another source may have got meanwhile: if that is equal, it
    /// counts as a copy.
    fn decide_again(&self, plan: &FilePlan, bytes: u64) {
        for (target, state) in self.targets.iter().zip(lock(&plan.states).iter_mut()) {
            if !matches!(state, State::Staged | State::Linked) {
                continue;
            }
            let found = match target.destination.place(&plan.path) {
                Place::Free => continue,
                Place::File { size, .. } if size == bytes => State::There,
                Place::File { .. } => State::InTheWay(OTHER),
                Place::Other => State::InTheWay(NOT_REGULAR),
                Place::BelowOther => State::InTheWay(NO_DIRECTORY),
            };
            if *state == State::Staged {
                target.destination.discard(plan.number);
            }
            *state = found;
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
        // For each file, the destinations at which it is to be read.
        let (mut files, mut asked) = (Vec::new(), Vec::new());
        for (plan, record) in &group {
            let paths: Vec<_> =
                self.targets.iter().zip(lock(&plan.states).iter()).map(|each| copy_of(plan, each)).collect();
            asked.push(paths.iter().map(Option::is_some).collect::<Vec<_>>());
            files.extend(paths.into_iter().flatten().map(|path| FoundFile {
                path,
                size: record.bytes_read,
                identity: None,
            }));
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
        let mut read_back = read_back.into_iter();
        for ((plan, record), asked) in group.iter().zip(asked) {
            let copies: Vec<_> =
                asked.into_iter().map(|is_asked| if is_asked { read_back.next() } else { None }).collect();
            self.judge(plan, record, &copies);
        }
    }

    /// Makes what was written durable, and then tells the journals of the files that had got their names before.
    fn record(&mut self) {
        for (target, lines) in self.targets.iter().zip(&mut self.lines) {
            if !target.takes_names() {
                continue;
            }
            if let Err(error) = target.destination.sync() {
                target.fail(error);
            } else if let Err(error) = target.record(&mem::take(lines)) {
                self.broken.get_or_insert_with(|| Failed::temporary(error));
                self.cancel.cancel();
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
        let source = FoundFiles::new(local, files.into_iter(), None, totals).just_written();
        let mut records: Vec<Record> = Vec::new();
        let prepare = |record: Record| record;
        let counters = Counters::default();
        let run = pfh::run_on(&engine, &source, &prepare, &mut records, None, &counters, &self.cancel);
        run.map_err(Failed::usage)?;
        Ok(records)
    }

    /// Decides on a file. `copies` has a record for each of its copies that were read back.
    fn judge(&mut self, plan: &FilePlan, record: &Record, copies: &[Option<Record>]) {
        let states = mem::take(&mut *lock(&plan.states));
        let (mut is_everywhere, mut was_there, mut has_finding, mut has_failed) = (true, true, false, false);
        let mut is_in_first = false;
        let line = self.line(plan, record);
        for (place, (target, state)) in self.targets.iter().zip(&states).enumerate() {
            let is_staged = matches!(state, State::Staged | State::Linked);
            let mut verified = verified(state, record, copies.get(place).and_then(Option::as_ref));
            if is_staged && verified.is_ok() {
                verified = target.destination.publish(plan.number, &plan.path).map_err(|error| {
                    let is_taken = error.kind() == io::ErrorKind::AlreadyExists;
                    let has_no_directory = error.kind() == io::ErrorKind::NotADirectory;
                    match failed(target, error) {
                        _ if is_taken && has_other_capitals(path_of(&target.full_path(&plan.path))) => {
                            Refusal::Finding(OTHER_CAPITALS)
                        }
                        _ if is_taken => {
                            Refusal::Finding("something has got this name meanwhile, and was not replaced")
                        }
                        _ if has_no_directory => Refusal::Finding(NO_DIRECTORY),
                        State::Failed(text) => Refusal::Failure(text),
                        _ => Refusal::Nothing,
                    }
                });
            }
            was_there &= !is_staged;
            let Err(refusal) = verified else {
                if *state != State::Done {
                    self.lines[place].extend_from_slice(&line);
                    is_in_first |= place == 0;
                }
                continue;
            };
            is_everywhere = false;
            if is_staged {
                target.destination.discard(plan.number);
            }
            // That a destination is full is told once, by the end.
            if target.is_alive() {
                let path = target.full_path(&plan.path);
                match refusal {
                    Refusal::Nothing => {}
                    Refusal::Finding(text) => {
                        has_finding = true;
                        self.warnings.say(&Warning::of_finding(&path, text.to_owned()));
                    }
                    Refusal::Failure(text) => {
                        has_failed = true;
                        self.warnings.say(&Warning::new(&path, text));
                    }
                }
            }
        }
        self.findings += u64::from(has_finding);
        self.failed += u64::from(has_failed);
        if is_everywhere {
            self.copied.files += 1;
            self.copied.there += u64::from(was_there);
            self.copied.bytes += record.bytes_read;
            if states.first() == Some(&State::Done) {
                lock(&self.standing).insert(&plan.path);
            }
        } else if is_in_first {
            // Without a line of its own, the file leaves those alone of another source's file that has this path.
            self.lacking.insert(&plan.path);
        }
    }

    /// Returns the line of a file for the journals.
    fn line(&self, plan: &FilePlan, record: &Record) -> Vec<u8> {
        let (mut line, mut record) = (Vec::new(), record.clone());
        record.path.clone_from(&plan.path);
        match self.format.record(&record, &mut line) {
            Ok(()) => line,
            // JSON Lines can express every path.
            Err(_) => Vec::new(),
        }
    }

    /// Makes a directory or a link at all destinations, and reports where that failed. Returns whether it is
    /// everywhere.
    pub(super) fn make_everywhere(&mut self, path: &[u8], make: &dyn Fn(&Destination) -> io::Result<()>) -> bool {
        let mut is_everywhere = true;
        for target in self.targets.iter() {
            let made = if target.is_alive() { make(&target.destination) } else { Ok(()) };
            is_everywhere &= made.is_ok() && target.is_alive();
            let Err(error) = made else { continue };
            let kind = error.kind();
            let State::Failed(text) = failed(target, error) else { continue };
            if target.is_alive() {
                let path = target.full_path(path);
                let (count, warning) = match kind {
                    io::ErrorKind::AlreadyExists => {
                        let taken = "something of this name is there, and was not replaced".to_owned();
                        (&mut self.findings, Warning::of_finding(&path, taken))
                    }
                    io::ErrorKind::NotADirectory => (&mut self.findings, Warning::of_finding(&path, text)),
                    _ => (&mut self.failed, Warning::new(&path, text)),
                };
                *count += 1;
                self.warnings.say(&warning);
            }
        }
        is_everywhere
    }
}

/// Returns the path of a copy that is to be read back.
fn copy_of(plan: &FilePlan, (target, state): (&Target, &State)) -> Option<Vec<u8>> {
    match state {
        _ if !target.takes_names() => None,
        State::Staged | State::Linked => {
            Some(target.destination.staged_path(plan.number).into_os_string().into_encoded_bytes())
        }
        State::There => Some(target.full_path(&plan.path)),
        _ => None,
    }
}

/// Why a file is not at a destination.
enum Refusal {
    /// It was told elsewhere.
    Nothing,
    Finding(&'static str),
    Failure(String),
}

/// Why nothing was written where another file has the name.
pub(super) const OTHER: &str = "there is another file of this name, which was not replaced";

/// Why nothing was written where another name is the same one to the filesystem.
const OTHER_CAPITALS: &str = "a name that differs only in capitals is there, which its filesystem takes for this one";

/// Why nothing was written where something else has the name.
pub(super) const NOT_REGULAR: &str = "something of this name is there, and is no regular file";

/// Why nothing was written where a directory above it cannot be made.
pub(super) const NO_DIRECTORY: &str = "a name above it is in the way and is no directory";

/// Whether a directory has a name only with other capitals, as on FAT, where that is the same name.
fn has_other_capitals(path: &Path) -> bool {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return false };
    let Ok(entries) = fs::read_dir(directory) else { return false };
    let small = name.to_string_lossy().to_lowercase();
    let mut is_there = false;
    for entry in entries.flatten() {
        let entry = entry.file_name();
        if entry == name {
            return false;
        }
        is_there |= entry.to_string_lossy().to_lowercase() == small;
    }
    is_there
}

/// Decides whether the copy at a destination, or the one that is staged there, is that of the record.
fn verified(state: &State, record: &Record, copy: Option<&Record>) -> Result<(), Refusal> {
    let is_there = *state == State::There;
    let was_told = match &record.outcome {
        Outcome::Complete => false,
        // No destination could take it, which only the states tell.
        Outcome::Unreadable { error, .. } => error.kind != ErrorKind::Consumer,
        _ => true,
    };
    match (state, copy) {
        (State::Failed(text), _) => Err(Refusal::Failure(text.clone())),
        _ if was_told => Err(Refusal::Nothing),
        (State::Done, _) => Ok(()),
        (State::InTheWay(text), _) => Err(Refusal::Finding(text)),
        (State::Waiting, _) | (_, None) => Err(Refusal::Nothing),
        (_, Some(copy)) => match &copy.outcome {
            Outcome::Complete if copy.digests == record.digests => Ok(()),
            Outcome::Complete | Outcome::ChangedWhileReading | Outcome::Short { .. } => {
                Err(Refusal::Finding(match state {
                    State::There => OTHER,
                    State::Linked => "it is a hard link, and the file that it would lead to is another one",
                    _ => "read back, it is not as it was written; it got no name",
                }))
            }
            outcome if is_there => Err(Refusal::Failure(format!("it is there, and cannot be read: {outcome}"))),
            outcome => Err(Refusal::Failure(format!("it cannot be read back: {outcome}"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_other_capitals_are_told() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["Img.JPG", "both", "BOTH"] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        let has = |name: &str| has_other_capitals(&directory.path().join(name));
        assert_eq!(["IMG.jpg", "Img.JPG", "both", "other"].map(has), [true, false, false, false]);
    }
}
