//! The shared state of a run's threads, and the own state of each.

use crate::admission::Readers;
use crate::batched::{BatchHashers, Batched};
use crate::collect::{Delivery, Group};
use crate::control::{CancelToken, Counters};
use crate::digest_budget::DigestBudget;
use crate::digesting::{BatchDigests, DigestSet, FamilyRule, FileDigests, PieceRule};
use crate::in_flight::InFlight;
use crate::job::{Failure, HashedFile, Job, Ticket};
use crate::lane_file::MovingFile;
use crate::limits::RECORDS_HELD_MAX;
use crate::links::{Claimed, Links};
use crate::options::Options;
use crate::pace::Pace;
use crate::queue::Queue;
use crate::sink::Decide;
use crate::stats::{Clock, Report, Timers, stop};
use crate::sync::{into_inner, lock};
use crate::table::{Slot, Table};
use pfh_record::{Outcome, Record, Summary};
use pfh_source::Source;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The shared state of a run's threads.
pub(crate) struct Context<'r, 'm, S: Source> {
    pub(crate) options: &'r Options,
    pub(crate) source: &'r S,
    pub(crate) decide: Option<Decide<'r>>,
    pub(crate) table: &'r Table<'m>,
    pub(crate) queue: Queue<S::Handle, BoxedTask<'r, 'm, S>, MovingFile<S>>,
    pub(crate) delivery: &'r (dyn Delivery + 'r),
    /// Number of lanes of each worker; 0 for none.
    pub(crate) lanes: usize,
    /// Number of whole files that each worker may collect to digest them together; 0 if that gains nothing.
    pub(crate) batched_files: usize,
    /// Number of workers with exclusive lanes.
    pub(crate) exclusive_workers: AtomicUsize,
    pub(crate) pace: Pace,
    /// Readers for files of which nobody can tell whether they are in memory.
    pub(crate) readers: Readers,
    pub(crate) links: Links<S::Handle>,
    /// The share of memory and requests for reads announced ahead.
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) families: Vec<FamilyRule>,
    /// Algorithms and families that digest many whole files at once.
    pub(crate) batched: Batched,
    /// The other families, which digest files one by one.
    pub(crate) streamed: Vec<FamilyRule>,
    pub(crate) digest_budget: Arc<DigestBudget>,
    pub(crate) pieces: Option<PieceRule>,
    pub(crate) counters: &'r Counters,
    pub(crate) cancel: &'r CancelToken,
    pub(crate) clock: Clock,
    pub(crate) totals: Mutex<Totals>,
    /// Whether the sink has stopped the run.
    pub(crate) stopped: AtomicBool,
    /// Whether the walk has panicked, so that files may be missing after those that it had found.
    pub(crate) walk_broke_off: AtomicBool,
    /// A panic of the caller's code, to be resumed in the caller's thread.
    pub(crate) panic: Mutex<Option<Panic>>,
    /// [`Options::direct`], or the source's decision.
    pub(crate) is_direct: bool,
    /// Number of files that one worker may hold open, in its look-ahead window and its lanes.
    pub(crate) open_files_max: usize,
}

pub(crate) type Panic = Box<dyn Any + Send>;

#[derive(Default)]
pub(crate) struct Totals {
    summary: Summary,
    timers: Timers,
    left_out: u64,
}

impl<S: Source> Context<'_, '_, S> {
    /// Whether the run is to end, because its token was cancelled or the sink wants no more records.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled() || self.stopped.load(Ordering::Relaxed)
    }

    /// Returns new states of all digests of the run.
    pub(crate) fn digest_set(&self) -> DigestSet {
        DigestSet::new(self.options.selection.algorithms(), &self.options.keys, &self.families, self.pieces)
            .with_facts(self.options)
    }

    /// Returns new states of the digests that are computed file by file.
    fn streamed_set(&self) -> DigestSet {
        let streamed = self.batched.others(self.options.selection.algorithms());
        DigestSet::new(&streamed, &self.options.keys, &self.streamed, self.pieces).with_facts(self.options)
    }

    /// Whether a file that needs this time to its end in full lanes would end last. With n workers, of which one is
    /// missing for the other files if this file has an exclusive lane, that is so if it needs n/(n−1) of the time that
    /// they need.
    pub(crate) fn ends_last(&self, time_in_full_lanes: Duration) -> bool {
        let threads = self.options.threads as u32;
        let files = self.counters.files.load(Ordering::Relaxed);
        let time_left = self.pace.time_left(files, self.queue.jobs_waiting()).unwrap_or(Duration::MAX);
        threads > 1 && time_in_full_lanes.saturating_mul(threads - 1) > time_left.saturating_mul(threads)
    }

    /// Whether a worker may have exclusive lanes, which it counts as having from now on; at most half of the workers.
    pub(crate) fn begin_exclusive_lanes(&self) -> bool {
        let one_more = |now: usize| (now < self.options.threads / 2).then_some(now + 1);
        self.exclusive_workers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    /// Whether hashing a file of this size takes longer than all others: `jobs_in_hand` and those still waiting.
    pub(crate) fn outlasts(&self, size: u64, jobs_in_hand: usize) -> bool {
        let jobs = self.queue.jobs_waiting() + jobs_in_hand;
        // Until the first file is done, the sizes of the others are unknown.
        let is_known = jobs == 0 || self.counters.files.load(Ordering::Relaxed) > 0;
        is_known && self.bytes_of(jobs) < size / 4 && self.queue.is_last_large_file()
    }

    /// Estimates the bytes that this number of jobs will read, from the mean of the finished ones.
    fn bytes_of(&self, jobs: usize) -> u64 {
        let [bytes, files] = [&self.counters.bytes, &self.counters.files].map(|total| total.load(Ordering::Relaxed));
        bytes / files.max(1) * jobs as u64
    }

    /// Ends the run because the sink wants no more records.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.queue.stop();
    }

    /// Runs the work of a thread that reads or hashes.
    pub(crate) fn worker_thread(&self, work: impl FnOnce(&Self)) {
        self.thread(|context| {
            context.source.begin_thread();
            work(context);
        });
    }

    /// Runs the work of one thread. A panic outside of any file is a defect: it ends the run and is resumed in the
    /// caller.
    pub(crate) fn thread(&self, work: impl FnOnce(&Self)) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(self))) {
            self.abort(panic);
        }
    }

    /// Ends the run after a panic outside of any file. No code of the caller is called from now on.
    fn abort(&self, panic: Panic) {
        lock(&self.panic).get_or_insert(panic);
        self.delivery.stop();
        self.stop();
    }
}

impl<S: Source> Context<'_, '_, S> {
    /// Delivers the remaining records and sums up the report, once all threads have ended.
    ///
    /// # Panics
    /// Resumes the panic that ended the run, if there was one.
    pub(crate) fn into_report(self, elapsed: impl FnOnce() -> Duration) -> Report {
        if let Some(panic) = into_inner(self.panic) {
            resume_unwind(panic);
        }
        self.delivery.drain();
        let readers = self.readers.state().admission.confirmed();
        let Totals { mut summary, timers, left_out } = into_inner(self.totals);
        summary.interrupted =
            self.stopped.into_inner() || self.walk_broke_off.into_inner() || self.cancel.is_cancelled();
        summary.elapsed = elapsed();
        let (slots, slot_bytes) = (self.table.slots(), self.table.slot_bytes());
        Report { summary, left_out, readers, slots, slot_bytes, timers }
    }
}

/// Work that waits for an idle worker: small files in one slot, a digest of a large file, pieces of a large file.
pub(crate) trait Task<'r, 'm, S: Source>: Send {
    /// Does the work that is there now.
    fn run(self: Box<Self>, worker: &mut Worker<'_, 'r, 'm, S>);

    /// Whether nothing is left to do.
    fn is_over(&self) -> bool {
        false
    }
}

pub(crate) type BoxedTask<'r, 'm, S> = Box<dyn Task<'r, 'm, S> + 'r>;

/// The own state of one thread: finished records that it has not handed over, times, and digest states.
pub(crate) struct Worker<'c, 'r, 'm, S: Source> {
    pub(crate) context: &'c Context<'r, 'm, S>,
    /// Whether it leaves hashing to others.
    pub(crate) only_reads: bool,
    pub(crate) set: DigestSet,
    streamed: DigestSet,
    /// Created when first needed, because they are large.
    pub(crate) batch_hashers: Option<BatchHashers>,
    pub(crate) timers: Timers,
    finished: Box<dyn Group + 'r>,
    summary: Summary,
    pub(crate) left_out: u64,
    bytes: u64,
}

impl<'c, 'r, 'm, S: Source> Worker<'c, 'r, 'm, S> {
    pub(crate) fn new(context: &'c Context<'r, 'm, S>) -> Self {
        Worker {
            context,
            only_reads: false,
            set: context.digest_set(),
            streamed: context.streamed_set(),
            batch_hashers: None,
            timers: Timers::default(),
            finished: context.delivery.group(),
            summary: Summary::default(),
            left_out: 0,
            bytes: 0,
        }
    }

    /// The same for a thread that leaves hashing to others.
    pub(crate) fn reading(context: &'c Context<'r, 'm, S>) -> Self {
        let mut worker = Worker::new(context);
        worker.only_reads = true;
        worker
    }

    /// Waits for a free slot, as threads do that only read.
    pub(crate) fn wait_for_slot(&mut self) -> Slot<'r, 'm> {
        let started = self.context.clock.start();
        let slot = self.context.table.acquire();
        stop(started, &mut self.timers.wait_space);
        slot
    }

    /// Waits for a free slot, and hashes meanwhile what readers have read: all slots may wait for that.
    pub(crate) fn acquire_slot(&mut self) -> Slot<'r, 'm> {
        let table = self.context.table;
        self.hash_until(|moment| table.acquire_soon(moment))
    }

    /// Waits until `take`, which waits no longer than it is told to, gets what the files of readers may hold
    /// altogether. Hashes meanwhile what readers have read, unless that is left to others.
    pub(crate) fn hash_until<T>(&mut self, mut take: impl FnMut(Duration) -> Option<T>) -> T {
        const MOMENT: Duration = Duration::from_millis(1);
        let context = self.context;
        let mut taken = take(Duration::ZERO);
        loop {
            if let Some(taken) = taken {
                return taken;
            }
            let ready = if self.only_reads { None } else { context.queue.pop_ready() };
            taken = match ready {
                Some(ready) => {
                    ready.run(self);
                    take(Duration::ZERO)
                }
                None => {
                    let started = context.clock.start();
                    let taken = take(MOMENT);
                    stop(started, &mut self.timers.wait_space);
                    taken
                }
            };
        }
    }

    /// Ends a file, with digests or without. `claimed` ends the claim on a file with several links: jobs that waited
    /// for it then find its content among the known links, or are read after all.
    pub(crate) fn conclude(
        &mut self,
        ticket: Ticket,
        path: Vec<u8>,
        mut result: Result<HashedFile, Failure>,
        claimed: Option<Claimed>,
    ) {
        if let Ok(found) = &result
            && found.digests.too_many_pieces
        {
            result = Err(Failure::too_many_pieces(found.stamp.map(|stamp| stamp.metadata)));
        }
        let links = &self.context.links;
        let mut parked = Vec::new();
        match (claimed, &result) {
            (Some(claimed), result) => parked = links.settle(claimed, result.as_ref().ok()),
            (None, Ok(found)) => links.insert(found),
            (None, Err(_)) => {}
        }
        match result {
            Ok(found) => self.finish(ticket, found.into_record(path)),
            Err(failure) => self.fail(ticket, path, failure),
        }
        if !parked.is_empty() {
            self.context.queue.requeue(parked);
        }
    }

    /// Ends a file without digests. A file that a stopped run interrupted gets no record.
    pub(crate) fn fail(&mut self, ticket: Ticket, path: Vec<u8>, failure: Failure) {
        if failure.outcome == Outcome::NotReached {
            return;
        }
        if !matches!(failure.outcome, Outcome::Skipped(_)) {
            self.context.counters.failed.fetch_add(1, Ordering::Relaxed);
        }
        self.finish(ticket, failure.into_record(path));
    }

    /// Ends a file whose content is known from another link, which already counted the bytes.
    pub(crate) fn finish_known(&mut self, ticket: Ticket, found: HashedFile, path: Vec<u8>) {
        let bytes = self.summary.bytes;
        self.finish(ticket, found.into_record(path));
        self.summary.bytes = bytes;
    }

    pub(crate) fn finish(&mut self, mut ticket: Ticket, record: Record) {
        self.summary.count(&record);
        // Pieces and similarity digests wait with their record, and may be many or long.
        let extra_bytes = FileDigests::extra_bytes(
            &record.pieces,
            &record.similarities,
            self.context.options.selection.algorithms().len(),
        );
        if extra_bytes > 0 {
            self.context.queue.charge(extra_bytes);
            ticket.cost_bytes += extra_bytes;
        }
        self.add(ticket, Some(record));
        if extra_bytes > 0 {
            self.flush();
        }
    }

    /// Adds a file that ends with this record, or with none, to those to be handed over.
    pub(crate) fn add(&mut self, ticket: Ticket, record: Option<Record>) {
        let added = catch_unwind(AssertUnwindSafe(|| self.finished.add(ticket, record)));
        if let Err(panic) = added {
            self.context.abort(panic);
            self.finished.add(ticket, None);
        }
        if self.finished.len() >= RECORDS_HELD_MAX {
            self.flush();
        }
    }

    /// Returns all digests of a message. `batch` are those by the algorithms and families that digest many files at
    /// once.
    pub(crate) fn digest_whole(&mut self, message: &[u8], batch: BatchDigests) -> FileDigests {
        let started = self.context.clock.start();
        let mut made = self.streamed.digest(message);
        made.add(batch, &self.context.options.selection);
        stop(started, &mut self.timers.hash);
        made
    }

    /// Counts bytes of small files, which are published in groups.
    pub(crate) fn count_bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Whether there are records to hand over.
    pub(crate) fn holds_records(&self) -> bool {
        self.finished.len() > 0
    }

    /// Hands over the finished records. Called before anything that may take long.
    pub(crate) fn flush(&mut self) {
        self.context.counters.add_bytes(std::mem::take(&mut self.bytes));
        if !self.holds_records() {
            return;
        }
        self.context.counters.files.fetch_add(self.finished.len() as u64, Ordering::Relaxed);
        let hand_over = AssertUnwindSafe(|| self.finished.hand_over());
        match catch_unwind(hand_over) {
            Ok(handed_over) => {
                self.context.queue.release(handed_over.released_bytes);
                if handed_over.stopped {
                    self.context.stop();
                }
            }
            Err(panic) => self.context.abort(panic),
        }
    }

    /// Whether the run is to end; if so, drops the waiting jobs.
    pub(crate) fn is_cancelled(&self) -> bool {
        let cancelled = self.context.is_cancelled();
        if cancelled {
            self.context.queue.stop();
        }
        cancelled
    }

    /// Runs `work` on a job's file. A panic becomes that file's error.
    pub(crate) fn guarded_job<T>(&mut self, job: &Job<S::Handle>, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let result = self.guarded(work);
        if result.is_none() {
            self.fail(job.ticket, job.entry.path(), Failure::panicked());
        }
        result
    }

    /// Runs `work` and returns `None` if it panics. The file at fault gets an error, and the run goes on.
    pub(crate) fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        if result.is_err() {
            self.set = self.context.digest_set();
            self.streamed = self.context.streamed_set();
            self.batch_hashers = None;
        }
        result.ok()
    }
}

impl<S: Source> Drop for Worker<'_, '_, '_, S> {
    fn drop(&mut self) {
        self.flush();
        let mut totals = lock(&self.context.totals);
        totals.summary.add(&self.summary);
        totals.timers += self.timers;
        totals.left_out += self.left_out;
    }
}
