//! Threads that only read into the memory table, and hand on what they have read: those of `mtp`, and the readers of
//! the adaptive mode.

use crate::alone::hash_individually;
use crate::chain::{Feeding, feed};
use crate::context::{Task, Worker};
use crate::job::{Failure, HashedFile, Ticket};
use crate::limits::{BATCH_FILES_MAX, SLOT_ALIGN_BYTES};
use crate::queue::{Grab, Next, Preference, Queue, Taker};
use crate::reading::{First, Opened};
use crate::stats::stop;
use crate::table::{Full, Slot};
use pfh_source::{EntryKind, Handle, Source, SourceFile, Stamp};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Small files that share a slot.
struct Batch<'r, 'm> {
    full: Full<'r, 'm>,
    files: Vec<BatchFile>,
}

struct BatchFile {
    ticket: Ticket,
    path: Vec<u8>,
    content: Range<usize>,
    stamp: Option<Stamp>,
}

/// Marks a prefetcher that may still produce work for hashers, until dropped; also if its thread cannot be started, or
/// panics.
pub(crate) struct AtWork<'q, H: Handle, R, L>(&'q Queue<H, R, L>);

impl<'q, H: Handle, R, L> AtWork<'q, H, R, L> {
    pub(crate) fn begin(queue: &'q Queue<H, R, L>) -> Self {
        queue.prefetcher_began();
        AtWork(queue)
    }
}

impl<H: Handle, R, L> Drop for AtWork<'_, H, R, L> {
    fn drop(&mut self) {
        self.0.prefetcher_ended();
    }
}

/// The rules by which a prefetcher goes on.
pub(crate) trait Rules<'r, 'm, S: Source> {
    /// The jobs that it may take.
    fn taker(&self) -> Taker;

    /// Whether it may begin another file.
    fn goes_on(&mut self) -> bool;

    /// Reads an opened file, which took so long to open.
    fn prefetch(
        &mut self,
        prefetcher: &mut Prefetcher<'r, 'm>,
        worker: &mut Worker<'_, 'r, 'm, S>,
        opened: Opened<S>,
        opening: Duration,
    );

    /// Notes that it takes no more files.
    fn left(&mut self);
}

/// A thread that only reads.
#[derive(Default)]
pub(crate) struct Prefetcher<'r, 'm> {
    slot: Option<Slot<'r, 'm>>,
    filled: usize,
    files: Vec<BatchFile>,
}

impl<'r, 'm> Prefetcher<'r, 'm> {
    /// Reads files until none is left, or the rules end it.
    pub(crate) fn work<S: Source>(&mut self, worker: &mut Worker<'_, 'r, 'm, S>, rules: &mut impl Rules<'r, 'm, S>) {
        let context = worker.context;
        while rules.goes_on() {
            let preference = if context.options.balance {
                Preference::Fitting(context.table.free_bytes())
            } else {
                Preference::Next
            };
            let grab = context.queue.try_take(rules.taker(), preference).or_else(|| {
                // No job is waiting, so the hashers get the files read so far.
                self.pass_on(worker);
                worker.flush();
                match context.queue.next(rules.taker(), preference, context.clock, &mut worker.timers.wait_file) {
                    Next::Read(grab) => Some(grab),
                    Next::Hash(_) | Next::Adopt(_) | Next::End => None,
                }
            });
            let Some(Grab { device, mut jobs }) = grab else { break };
            while rules.goes_on()
                && let Some(job) = jobs.pop_front()
            {
                if worker.is_cancelled() {
                    jobs.clear();
                    break;
                }
                if job.entry.kind == EntryKind::Stream {
                    // A stream may never deliver, and the bytes read from it cannot be read again into another slot.
                    self.pass_on(worker);
                    context.queue.give_back(device, &mut jobs);
                }
                let started = Instant::now();
                if let Some(opened) = worker.open(job) {
                    rules.prefetch(self, worker, opened, started.elapsed());
                }
            }
            context.queue.give_back(device, &mut jobs);
            context.queue.reader_left(device);
        }
        rules.left();
        self.pass_on(worker);
    }

    /// Reads a file, a short one into the slot that it shares with others. Before reading on, calls `answered` with the
    /// result of the first read, of at most `first_bytes`, and the time that it took. `feeding` is how it reads on.
    pub(crate) fn prefetch<S: Source>(
        &mut self,
        worker: &mut Worker<'_, 'r, 'm, S>,
        opened: Opened<S>,
        first_bytes: usize,
        feeding: Feeding,
        mut answered: impl FnMut(Duration, &First),
    ) {
        loop {
            let mut slot = self.slot.take().unwrap_or_else(|| worker.wait_for_slot());
            let (started, timer) = (Instant::now(), worker.context.clock.start());
            let first = worker.guarded(|_| {
                let buffer = &mut slot.bytes()[self.filled..];
                let first_bytes = if opened.job.entry.kind == EntryKind::Stream { usize::MAX } else { first_bytes };
                let read = first_bytes.min(buffer.len());
                let first = opened.first(&mut buffer[..read])?;
                answered(started.elapsed(), &first);
                match first {
                    // A file that goes on beyond a shared slot is read from its beginning again.
                    First::Long { stamp: Some(stamp) }
                        if read < buffer.len()
                            && (self.files.is_empty() || stamp.metadata.size <= buffer.len() as u64) =>
                    {
                        opened.rest_of_first(buffer, read, stamp)
                    }
                    first => Ok(first),
                }
            });
            stop(timer, &mut worker.timers.read);
            match first.unwrap_or_else(|| Err(Failure::panicked())) {
                Ok(first)
                    if opened.individual.is_some()
                        && (self.files.is_empty() || matches!(first, First::Whole { .. })) =>
                {
                    if matches!(first, First::Long { .. }) {
                        worker.flush();
                    }
                    hash_individually(worker, opened, &mut slot.bytes()[self.filled..], first);
                    self.slot = Some(slot);
                    return;
                }
                Ok(First::Whole { length, stamp }) => {
                    opened.file.release(length as u64);
                    worker.count_bytes(length as u64);
                    let content = self.filled..self.filled + length;
                    let (ticket, path) = (opened.job.ticket, opened.job.entry.path());
                    self.files.push(BatchFile { ticket, path, content, stamp });
                    // The next file begins at an offset that direct I/O accepts.
                    self.filled = (self.filled + length).next_multiple_of(SLOT_ALIGN_BYTES);
                    let full = self.filled >= slot.bytes().len() / 4 * 3 || self.files.len() >= BATCH_FILES_MAX;
                    self.slot = Some(slot);
                    if full {
                        self.pass_on(worker);
                    }
                    return;
                }
                Ok(First::Long { .. }) if !self.files.is_empty() => {
                    // The file does not fit into the rest of the slot, so it gets a slot of its own.
                    self.slot = Some(slot);
                    self.pass_on(worker);
                }
                Ok(First::Long { stamp }) => {
                    if let Some((opened, stamp)) = worker.begin_long(opened, stamp) {
                        feed(worker, &opened, slot, stamp, feeding);
                    } else {
                        self.slot = Some(slot);
                    }
                    return;
                }
                Err(failure) => {
                    self.slot = Some(slot);
                    return worker.fail_opened(opened, failure);
                }
            }
        }
    }

    /// Hands the slot and its files to the hashers.
    pub(crate) fn pass_on<S: Source>(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) {
        let filled = std::mem::take(&mut self.filled);
        if let Some(mut slot) = self.slot.take_if(|_| !self.files.is_empty()) {
            let length = filled.min(slot.bytes().len());
            let batch = Batch { full: slot.into_full(length), files: std::mem::take(&mut self.files) };
            worker.context.queue.push_ready(Box::new(batch));
        }
    }
}

impl<'r, 'm, S: Source> Task<'r, 'm, S> for Batch<'r, 'm> {
    /// Hashes the files of the slot.
    fn run(self: Box<Self>, worker: &mut Worker<'_, 'r, 'm, S>) {
        let contents: Vec<&[u8]> = self.files.iter().map(|file| &self.full.content()[file.content.clone()]).collect();
        let batches = worker.digest_many(&contents);
        for ((file, content), batch) in self.files.iter().zip(&contents).zip(batches) {
            let made = batch.and_then(|batch| worker.guarded(|worker| worker.digest_whole(content, batch)));
            let bytes_read = content.len() as u64;
            let result = match made {
                Some(made) => Ok(HashedFile { stamp: file.stamp, bytes_read, digests: made }),
                None => Err(Failure::panicked()),
            };
            worker.conclude(file.ticket, file.path.clone(), result, None);
        }
    }
}
