//! Reading the sources once, and staging what is read.

use super::super::command::{Command, Item};
use super::super::ended::lock;
use super::super::exit::Failed;
use super::order::{Order, Root};
use super::publishing::{NO_DIRECTORY, NOT_REGULAR, OTHER, Paths, Publisher};
use super::targets::{FilePlan, State, Target, any_is_alive, failed};
use pfh_copy::{Destination, Items, Kind, Place, StagedFile};
use pfh_engine::{Consumer, Decision, FileOptions, StartError};
use pfh_record::{ErrorKind, FileIdentity, Metadata, Outcome, Record};
use pfh_source::{FoundFile, FoundFiles, Totals, WalkOptions};
use std::collections::HashMap;
use std::io;
use std::mem;
use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};

/// Files that wait to be verified.
const WAITING_MAX: usize = 256;

/// Least size of a file that may have holes, in bytes.
const HOLES_MIN_BYTES: u64 = 16 << 10;

/// The files on their way through the engine, by the path of the source.
type OnTheirWay = Arc<Mutex<HashMap<Vec<u8>, Arc<FilePlan>>>>;

/// Reads the sources once, and gives what was staged to the publisher, which works beside.
pub(super) fn read(
    command: &mut Command,
    order: &Order<'_>,
    items: &Arc<Mutex<Items>>,
    totals: Totals,
    publisher: &mut Publisher<'_>,
) -> Result<(), Failed> {
    let targets = Arc::clone(&publisher.targets);
    let run = order.run(WalkOptions::default(), order.options.memory / 2);
    let (local, engine) = run.into_parts().map_err(Failed::usage)?;
    let on_their_way = OnTheirWay::default();
    let end = Arc::new(Mutex::new(GivenEnd::default()));
    let given = Given {
        items: Arc::clone(items),
        roots: order.roots.clone(),
        targets: Arc::clone(&targets),
        on_their_way: Arc::clone(&on_their_way),
        standing: Arc::clone(&publisher.standing),
        end: Arc::clone(&end),
    };
    let source = FoundFiles::new(local, given, None, totals).far_ahead();
    let decide = |path: &[u8], metadata: Option<&Metadata>| {
        let plan = lock(&on_their_way).get(path).cloned();
        // Nothing is known of a stream before it is read.
        let metadata = metadata.copied().unwrap_or_else(|| Metadata::new(0, None));
        plan.map_or(Decision::LeaveOut, |plan| decide(&plan, path, &metadata, &targets))
    };
    let prepare = |record: Record| {
        let mut item = Item::new(&record, ());
        if let Outcome::Unreadable { error, .. } = &record.outcome
            && error.kind == ErrorKind::Consumer
        {
            // The file is readable: its destinations have failed, which the publisher tells.
            (item.warning, item.is_unread) = (None, false);
        }
        item.map(|()| record)
    };
    let (sender, receiver) = sync_channel(WAITING_MAX);
    let refused = StartError::ThreadsRefused { threads: engine.threads + 1 };
    let (published, report) = thread::scope(|scope| -> Result<_, Failed> {
        let publishing = Builder::new().spawn_scoped(scope, || publisher.publish_all(receiver));
        let publishing = publishing.map_err(|_| Failed::usage(refused))?;
        let mut deliver = |record: Record| {
            let plan = lock(&on_their_way).remove(&record.path);
            let is_sent = plan.is_none_or(|plan| sender.send((plan, record)).is_ok());
            if is_sent && any_is_alive(&targets) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let report = command.hash(&engine, &source, Some(&decide), &prepare, &mut deliver);
        drop(sender);
        Ok((publishing.join(), report))
    })?;
    report.map_err(Failed::usage)?;
    if let Err(panic) = published {
        std::panic::resume_unwind(panic);
    }
    let GivenEnd { error, done_files, done_bytes } = mem::take(&mut *lock(&end));
    publisher.copied.files += done_files;
    publisher.copied.there += done_files;
    publisher.copied.bytes += done_bytes;
    error.map_or(Ok(()), |error| Err(Failed::temporary(error)))
}

/// How the listing of files has ended.
#[derive(Default)]
struct GivenEnd {
    error: Option<io::Error>,
    /// Files that an interrupted copy has copied to all destinations, and their bytes.
    done_files: u64,
    done_bytes: u64,
}

/// Gives the files that are not at all destinations, in the order of the walk.
struct Given {
    items: Arc<Mutex<Items>>,
    /// The paths of the sources.
    roots: Vec<Root>,
    targets: Arc<Vec<Target>>,
    on_their_way: OnTheirWay,
    /// See [`Finished`](super::Finished).
    standing: Arc<Mutex<Paths>>,
    end: Arc<Mutex<GivenEnd>>,
}

impl Iterator for Given {
    type Item = FoundFile;

    fn next(&mut self) -> Option<FoundFile> {
        let mut items = lock(&self.items);
        loop {
            let item = match items.next() {
                Ok(item) => item?,
                Err(error) => {
                    lock(&self.end).error = Some(error);
                    return None;
                }
            };
            let Kind::File { size, mtime, identity, leader } = item.kind else { continue };
            let metadata = Metadata::new(size, Some(mtime));
            if self.targets.iter().all(|target| target.has(&item.path, &metadata)) {
                let mut end = lock(&self.end);
                end.done_files += 1;
                end.done_bytes += size;
                lock(&self.standing).insert(&item.path);
                continue;
            }
            let path = self.roots[item.source as usize].source(&item.path);
            let states = Mutex::new(vec![State::Waiting; self.targets.len()]);
            let plan = FilePlan { number: item.number, path: item.path, leader, states };
            lock(&self.on_their_way).insert(path.clone(), Arc::new(plan));
            return Some(FoundFile { path, size, identity });
        }
    }
}

/// Decides on an open file: where it has to be written.
fn decide(plan: &Arc<FilePlan>, path: &[u8], metadata: &Metadata, targets: &Arc<Vec<Target>>) -> Decision {
    let mut states = lock(&plan.states);
    let mut files: Vec<Option<StagedFile>> = Vec::new();
    let identity = metadata.posix.map(|posix| FileIdentity::new(posix.device, posix.inode));
    let mut has_holes = None;
    for (target, state) in targets.iter().zip(states.iter_mut()) {
        let (destination, mut staged) = (&target.destination, None);
        *state = match destination.place(&plan.path) {
            _ if !target.is_alive() => State::Waiting,
            _ if target.has(&plan.path, metadata) => State::Done,
            Place::File { identity: there, .. } if identity == Some(there) => {
                State::InTheWay("it is the same file as the source")
            }
            Place::File { size, .. } if size == metadata.size => State::There,
            Place::File { .. } => State::InTheWay(OTHER),
            Place::Other => State::InTheWay(NOT_REGULAR),
            Place::BelowOther => State::InTheWay(NO_DIRECTORY),
            Place::Free if leads(destination, plan, metadata.size) => State::Linked,
            Place::Free => {
                let has_holes = *has_holes.get_or_insert_with(|| has_holes_in(path, metadata.size));
                match destination.stage(plan.number, has_holes) {
                    Ok(file) => {
                        staged = Some(file);
                        State::Staged
                    }
                    Err(error) => failed(target, error),
                }
            }
        };
        files.push(staged);
    }
    drop(states);
    if files.iter().all(Option::is_none) {
        return Decision::Hash;
    }
    let writer = Writer { plan: Arc::clone(plan), targets: Arc::clone(targets), files };
    Decision::HashWith(FileOptions { selection: None, consumer: Some(Box::new(writer)) })
}

/// Whether a file becomes a further name of its leader, which is there or on its way.
fn leads(destination: &Destination, plan: &FilePlan, expected_bytes: u64) -> bool {
    let Some(leader) = plan.leader.as_ref().filter(|_| destination.has_hard_links()) else { return false };
    match destination.place(leader) {
        Place::Free => true,
        Place::File { size, .. } => size == expected_bytes,
        Place::Other | Place::BelowOther => false,
    }
}

/// Whether the source has fewer blocks than its size takes.
fn has_holes_in(path: &[u8], size: u64) -> bool {
    size >= HOLES_MIN_BYTES && pfh_source::allocated_bytes(path).is_ok_and(|allocated| allocated < size)
}

/// Writes a file to its destinations while it is hashed.
struct Writer {
    plan: Arc<FilePlan>,
    targets: Arc<Vec<Target>>,
    /// One for each destination that it is written to.
    files: Vec<Option<StagedFile>>,
}

impl Writer {
    /// Calls `write` for each file that is being written. An error ends only that one.
    fn each(&mut self, mut write: impl FnMut(&mut Option<StagedFile>) -> io::Result<()>) -> io::Result<()> {
        for (place, file) in self.files.iter_mut().enumerate() {
            if file.is_none() {
                continue;
            }
            if let Err(error) = write(file) {
                *file = None;
                self.targets[place].destination.discard(self.plan.number);
                lock(&self.plan.states)[place] = failed(&self.targets[place], error);
            }
        }
        // Other destinations may need only the digest.
        let is_wanted = |state: &State| matches!(state, State::Staged | State::Linked | State::There);
        if lock(&self.plan.states).iter().any(is_wanted) {
            Ok(())
        } else {
            Err(io::Error::other("no destination can take it"))
        }
    }
}

impl Consumer for Writer {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.each(|file| file.as_mut().map_or(Ok(()), |file| file.write(bytes)))
    }

    fn finish(&mut self, record: &Record) -> io::Result<()> {
        let metadata = record.metadata.unwrap_or_else(|| Metadata::new(record.bytes_read, None));
        self.each(|file| file.take().map_or(Ok(()), |file| file.end(&metadata)))
    }

    fn retract(&mut self, _: &Outcome) {
        for (target, state) in self.targets.iter().zip(lock(&self.plan.states).iter_mut()) {
            if *state == State::Staged {
                target.destination.discard(self.plan.number);
                *state = State::Waiting;
            }
        }
    }
}
