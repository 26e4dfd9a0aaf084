//! A run from start to end.

use crate::adaptive;
use crate::chain::{Chain, run_chain};
use crate::collect::Collector;
use crate::control::{CancelToken, Counters};
use crate::digesting::{DigestSet, FamilyRule, Made, PieceRule, SIMILARITY_BYTES};
use crate::growth::Growth;
use crate::job::{Failure, Finished, Job, Ticket, Yield};
use crate::lanes::{self, MovingFile};
use crate::limits::{
    Budget, EXPRESS_FILE_BYTES, GRAB_MAX, JOB_BYTES, RECORDS_HELD_MAX, StartError, WALK_GROUP_MAX, WINDOW_FILES_MAX,
    digests_many,
};
use crate::links::{Links, same_content};
use crate::many::ManyHashers;
use crate::mtp::{self, Batch};
use crate::options::{Mode, Options, Order};
use crate::queue::{Need, Queue};
use crate::reading::Opened;
use crate::smt;
use crate::stats::{Clock, Report, Timers, stop};
use crate::table::{Arena, Table};
use crate::tree::TreeFile;
use pfh_digest::Digest;
use pfh_record::{Metadata, Outcome, Record, Similarity, Summary};
use pfh_similarity::Family;
use pfh_source::{EntryKind, Found, Medium, Source, SourceFile};
use std::any::Any;
use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};
use std::time::Instant;

/// Where finished records go, one at a time and, unless [`Options::unordered`], in the order of the walk.
pub trait Sink: Send {
    /// What a record becomes before it is delivered; made in parallel by [`run`]'s `prepare`.
    type Item: Send;

    /// Takes the next one. `Break` stops the run.
    fn deliver(&mut self, item: Self::Item) -> ControlFlow<()>;

    /// A group of records was delivered; the next may take a while. `Break` stops the run.
    fn end_group(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Collects records in memory.
impl Sink for Vec<Record> {
    type Item = Record;
    fn deliver(&mut self, record: Record) -> ControlFlow<()> {
        self.push(record);
        ControlFlow::Continue(())
    }
}

/// A question about a file that is open but not yet read: true leaves it out of the run.
pub type Skip<'a> = &'a (dyn Fn(&[u8], &Metadata) -> bool + Sync);

/// Makes the delivered item from a record; called by many threads at once.
pub type Prepare<'a, T> = &'a (dyn Fn(Record) -> T + Sync);

/// Reads everything that `source` lists and delivers one record per file to `sink`.
///
/// `skip` may leave files out (resuming); `counters` can be watched meanwhile; `cancel` stops the run early.
///
/// # Errors
/// [`StartError`], before anything is read. Errors of files are outcomes of their records.
///
/// # Panics
/// With the panics of `prepare` and `sink`; all threads have ended then.
pub fn run<S: Source, K: Sink>(
    options: &Options,
    source: &S,
    prepare: Prepare<'_, K::Item>,
    sink: &mut K,
    skip: Option<Skip<'_>>,
    counters: &Counters,
    cancel: &CancelToken,
) -> Result<Report, StartError> {
    let started = Instant::now();
    for algorithm in options.selection.algorithms() {
        algorithm.hasher_with(&options.keys).map_err(StartError::Key)?;
    }
    // Pieces end anywhere, and the other modes are as published.
    let lanes_pay = options.mode == Mode::Adaptive && !options.direct && options.piece_bytes.is_none();
    let budget = Budget::new(
        options,
        if lanes_pay { lanes::count(options.selection.algorithms(), options.backend) } else { 0 },
    )?;
    let is_many = |family: &Family| budget.many && digests_many(*family);
    let families = budget.family_rules(options.selection.families(), options.similarity, options.backend);
    let mut arena = Arena::new(budget.stride_bytes, budget.slots)?;
    let table = Table::new(&mut arena, budget.slot_bytes, budget.stride_bytes, budget.slots);
    let context = Context {
        options,
        source,
        prepare,
        skip,
        table: &table,
        queue: Queue::new(budget.waiting_bytes, options.prefetchers, options.threads),
        collector: Collector::new(sink, options.unordered),
        lanes: budget.lanes,
        gathered_files: budget.gathered_files,
        express_files: AtomicUsize::new(0),
        links: Links::new(budget.links),
        announced_left: AtomicU64::new(budget.announced_bytes),
        many: options.selection.families().iter().copied().filter(is_many).collect(),
        rest: families.iter().copied().filter(|rule| !is_many(&rule.family)).collect(),
        families,
        growth: Growth::new(budget.growth_bytes),
        pieces: options
            .piece_bytes
            .map(|bytes| PieceRule::new(bytes, options.selection.algorithms().len(), budget.waiting_bytes)),
        counters,
        cancel,
        clock: Clock(options.measure),
        totals: Mutex::new(Totals::default()),
        stopped: AtomicBool::new(false),
        panic: Mutex::new(None),
        open_files_max: (options.open_files_max / options.threads.max(1)).clamp(1, WINDOW_FILES_MAX),
    };
    let threads = options.threads.max(1);
    let (readers, hashers) = match options.mode {
        Mode::Mtp => {
            let readers = options.prefetchers.clamp(1, threads.saturating_sub(1).max(1));
            (readers, threads.saturating_sub(readers).max(1))
        }
        Mode::Adaptive if options.direct => (options.prefetchers.max(1), threads),
        Mode::Adaptive | Mode::Smt => (0, threads),
    };
    std::thread::scope(|scope| {
        let started = match options.mode {
            _ if readers > 0 => mtp::start(scope, &context, readers, hashers),
            Mode::Smt => start(scope, hashers, || context.thread(smt::work)),
            Mode::Adaptive | Mode::Mtp => start(scope, hashers, || context.thread(adaptive::work)),
        };
        if started.is_err() {
            // Those that started have nothing to do yet, and end.
            context.stop();
            return Err(StartError::ThreadsRefused { threads: readers + hashers });
        }
        context.thread(walk);
        Ok(())
    })?;
    if let Some(panic) = context.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(panic);
    }
    context.collector.drain();
    let totals = context.totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    let interrupted = context.stopped.into_inner() || cancel.is_cancelled();
    Ok(Report {
        summary: Summary { elapsed: started.elapsed(), interrupted, ..totals.summary },
        left_out: totals.left_out,
        timers: totals.timers,
    })
}

/// Starts so many threads that do the same, or as many as the system grants.
pub(crate) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    threads: usize,
    work: impl Fn() + Clone + Send + 'scope,
) -> io::Result<()> {
    (0..threads).try_for_each(|_| Builder::new().spawn_scoped(scope, work.clone()).map(drop))
}

/// What the threads of a run share.
pub(crate) struct Context<'r, 'm, S: Source, K: Sink> {
    pub(crate) options: &'r Options,
    pub(crate) source: &'r S,
    prepare: Prepare<'r, K::Item>,
    skip: Option<Skip<'r>>,
    pub(crate) table: &'r Table<'m>,
    pub(crate) queue: Queue<Ready<'r, 'm, S::File>, MovingFile<S::File>>,
    collector: Collector<'r, K>,
    /// Lanes of each worker; 0 for none.
    pub(crate) lanes: usize,
    /// Whole files that each worker may let wait for each other; 0 where there is nothing to gain.
    pub(crate) gathered_files: usize,
    /// Files that have lanes nearly to themselves now.
    pub(crate) express_files: AtomicUsize,
    pub(crate) links: Links,
    /// Bytes that may still be announced ahead.
    pub(crate) announced_left: AtomicU64,
    pub(crate) families: Vec<FamilyRule>,
    /// Those that digest many whole files at once.
    pub(crate) many: Vec<Family>,
    /// The others.
    pub(crate) rest: Vec<FamilyRule>,
    pub(crate) growth: Arc<Growth>,
    pub(crate) pieces: Option<PieceRule>,
    pub(crate) counters: &'r Counters,
    pub(crate) cancel: &'r CancelToken,
    pub(crate) clock: Clock,
    totals: Mutex<Totals>,
    /// The sink wants no more.
    stopped: AtomicBool,
    /// A panic of the caller's code, to be given back to it.
    panic: Mutex<Option<Panic>>,
    /// Files that one worker may hold open, in its look-ahead window and its lanes.
    pub(crate) open_files_max: usize,
}

type Panic = Box<dyn Any + Send>;

#[derive(Default)]
struct Totals {
    summary: Summary,
    timers: Timers,
    left_out: u64,
}

/// Work for whoever hashes.
pub(crate) enum Ready<'r, 'm, F> {
    /// Small files in one slot.
    Batch(Batch<'r, 'm>),
    /// A part of a large file's digests that has slots to work on.
    Chain(Arc<Chain<'r, 'm>>),
    /// A large file of which several workers may read and hash pieces at once.
    Tree(Arc<TreeFile<F>>),
}

/// Lists the source, numbers what it finds and hands it over in groups.
fn walk<S: Source, K: Sink>(context: &Context<'_, '_, S, K>) {
    let options = context.options;
    let base_bytes = JOB_BYTES + options.selection.algorithms().len() as u64 * size_of::<Digest>() as u64;
    let base_bytes = base_bytes + options.selection.families().len() as u64 * SIMILARITY_BYTES;
    let limit_readers = options.mode == Mode::Mtp || options.direct;
    let mut worker = Worker::new(context);
    let mut group: Vec<Job> = Vec::new();
    let mut group_bytes = 0;
    let mut sequence = 0;
    let mut sorting = None;
    let walked = catch_unwind(AssertUnwindSafe(|| {
        context.source.walk(&mut |found| {
            if let Found::Pause = found {
                // Files that are to be sorted wait for each other.
                if sorting == Some(Order::Path) {
                    context.queue.push_jobs(&mut group, std::mem::take(&mut group_bytes), limit_readers);
                }
                return !context.is_cancelled();
            }
            let mut ticket = Ticket { sequence, cost_bytes: 0 };
            sequence += 1;
            let mut not_read = None;
            match found {
                Found::Entry(entry) => {
                    ticket.cost_bytes = base_bytes + entry.path_bytes() as u64;
                    let order = *sorting.get_or_insert_with(|| match options.order {
                        Order::Auto if entry.directory.device().medium == Medium::Rotating => Order::Physical,
                        Order::Auto => Order::Path,
                        order => order,
                    });
                    group_bytes += ticket.cost_bytes;
                    group.push(Job { ticket, entry, passed_over: 0 });
                    let whole = if order == Order::Path {
                        match context.queue.need() {
                            Need::Urgent => true,
                            Need::Some => group.len() >= GRAB_MAX,
                            Need::None => group.len() >= WALK_GROUP_MAX,
                        }
                    } else {
                        group_bytes >= context.queue.group_bytes_max()
                    };
                    if whole {
                        sort(context, order, &mut group);
                        context.queue.push_jobs(&mut group, std::mem::take(&mut group_bytes), limit_readers);
                    }
                }
                Found::Skipped(path, reason) => {
                    not_read = Some((path, Failure::new(Outcome::Skipped(reason))));
                }
                Found::Failed(path, error) => not_read = Some((path, Failure::unreadable(0, &error))),
                Found::Pause => {}
            }
            if let Some((path, failure)) = not_read {
                // Its record waits like any other; jobs before it must be on their way, or none might ever be delivered.
                ticket.cost_bytes = base_bytes + path.len() as u64;
                sort(context, sorting.unwrap_or_default(), &mut group);
                let cost_bytes = std::mem::take(&mut group_bytes) + ticket.cost_bytes;
                context.queue.push_jobs(&mut group, cost_bytes, limit_readers);
                worker.fail(ticket, path, failure);
                worker.flush();
            }
            !context.is_cancelled()
        });
        if !context.is_cancelled() {
            sort(context, sorting.unwrap_or_default(), &mut group);
        }
    }));
    if walked.is_err() {
        worker.fail(Ticket { sequence, cost_bytes: 0 }, Vec::new(), Failure::panicked());
    }
    if context.is_cancelled() {
        context.queue.stop();
    } else if !group.is_empty() {
        context.queue.push_jobs(&mut group, group_bytes, limit_readers);
    }
    worker.flush();
    context.queue.walk_ended();
}

fn sort<S: Source, K: Sink>(context: &Context<'_, '_, S, K>, order: Order, jobs: &mut [Job]) {
    match order {
        Order::Auto | Order::Path => {}
        Order::Inode => jobs.sort_by_key(|job| job.entry.inode_hint),
        Order::Physical => jobs.sort_by_cached_key(|job| context.source.physical_position(&job.entry)),
        Order::Size => jobs.sort_by_cached_key(|job| {
            let size = || context.source.metadata(&job.entry).map_or(0, |metadata| metadata.size);
            std::cmp::Reverse(job.entry.size_hint.unwrap_or_else(size))
        }),
    }
}

impl<S: Source, K: Sink> Context<'_, '_, S, K> {
    /// True when the run is to end: by its token, or because the sink wants no more.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled() || self.stopped.load(Ordering::Relaxed)
    }

    /// New states of all digests of the run.
    pub(crate) fn digest_set(&self) -> DigestSet {
        DigestSet::new(self.options.selection.algorithms(), &self.options.keys, &self.families, self.pieces)
    }

    /// New states of what digests whole files one by one.
    fn rest_set(&self) -> DigestSet {
        DigestSet::new(self.options.selection.algorithms(), &self.options.keys, &self.rest, self.pieces)
    }

    /// Whether a file of this size would still be at it in its lane when everything else is done, half of the workers having
    /// one like it at most. If so, it counts as one from now on.
    pub(crate) fn begin_express(&self, size: u64) -> bool {
        if size < EXPRESS_FILE_BYTES {
            return false;
        }
        let bytes_left = self.bytes_of(self.queue.jobs_waiting());
        let ends_late = size / 2 > bytes_left / (self.lanes * self.options.threads) as u64;
        let one_more = |now: usize| (now < self.options.threads / 2).then_some(now + 1);
        ends_late && self.express_files.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    /// Whether a file of this size outlasts all others, `jobs_in_hand` and those still waiting.
    pub(crate) fn outlasts(&self, size: u64, jobs_in_hand: usize) -> bool {
        let jobs = self.queue.jobs_waiting() + jobs_in_hand;
        // Before the first file is done, others may be as large.
        let is_known = jobs == 0 || self.counters.files.load(Ordering::Relaxed) > 0;
        is_known && self.bytes_of(jobs) < size / 4 && self.queue.is_last_large_file()
    }

    /// What so many jobs will read, if they are like those that are done.
    fn bytes_of(&self, jobs: usize) -> u64 {
        let [bytes, files] = [&self.counters.bytes, &self.counters.files].map(|total| total.load(Ordering::Relaxed));
        bytes / files.max(1) * jobs as u64
    }

    /// The sink wants no more.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.queue.stop();
    }

    /// What a thread of the run does. A panic outside of any file is a defect: the run ends, and the caller gets it.
    pub(crate) fn thread(&self, work: impl FnOnce(&Self)) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(self))) {
            self.abort(panic);
        }
    }

    /// What the caller gave to the run panicked, or the run itself did: nothing more of it is called, and the run ends.
    fn abort(&self, panic: Panic) {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        self.collector.stop();
        self.stop();
    }
}

/// What became of a job whose file was to be opened.
enum Opening<F> {
    Open(F),
    /// Its content is known from another link.
    Known(Yield),
    LeftOut,
    Failed(io::Error),
}

/// What one thread keeps to itself: finished records not yet handed over, times, and its digest states.
pub(crate) struct Worker<'c, 'r, 'm, S: Source, K: Sink> {
    pub(crate) context: &'c Context<'r, 'm, S, K>,
    pub(crate) set: DigestSet,
    rest: DigestSet,
    /// Made when first needed: they are large.
    pub(crate) many: Option<ManyHashers>,
    pub(crate) timers: Timers,
    finished: Vec<Finished<K::Item>>,
    summary: Summary,
    left_out: u64,
    bytes: u64,
}

impl<'c, 'r, 'm, S: Source, K: Sink> Worker<'c, 'r, 'm, S, K> {
    pub(crate) fn new(context: &'c Context<'r, 'm, S, K>) -> Self {
        Worker {
            context,
            set: context.digest_set(),
            rest: context.rest_set(),
            many: None,
            timers: Timers::default(),
            finished: Vec::with_capacity(RECORDS_HELD_MAX),
            summary: Summary::default(),
            left_out: 0,
            bytes: 0,
        }
    }

    /// Opens a job's file, unless its content is known from another link or the caller leaves it out.
    pub(crate) fn open(&mut self, job: Job) -> Option<Opened<S::File>> {
        if job.entry.kind == EntryKind::Stream {
            // Somebody must open its other end first, which may take for ever.
            self.flush();
        }
        let opening = self.guarded(|worker| worker.begin_to_open(&job));
        match opening {
            Some(Opening::Open(file)) => return Some(Opened::new(job, file)),
            Some(Opening::Known(found)) => self.finish_known(job.ticket, found, job.entry.path()),
            Some(Opening::LeftOut) => self.push(Finished { ticket: job.ticket, item: None }),
            Some(Opening::Failed(error)) => {
                self.fail(job.ticket, job.entry.path(), Failure::unreadable(0, &error));
            }
            None => self.fail(job.ticket, job.entry.path(), Failure::panicked()),
        }
        None
    }

    fn begin_to_open(&mut self, job: &Job) -> Opening<S::File> {
        if self.is_own(job) {
            return Opening::LeftOut;
        }
        if let Some(known) = self.answer_from_links(job) {
            return known;
        }
        let started = self.context.clock.start();
        let opened = self.context.source.open(&job.entry);
        stop(started, &mut self.timers.read);
        match opened {
            Ok(file) => {
                let skips = |skip: Skip<'_>| file.metadata().is_ok_and(|metadata| skip(&job.entry.path(), &metadata));
                if self.context.skip.is_some_and(skips) {
                    self.left_out += 1;
                    return Opening::LeftOut;
                }
                Opening::Open(file)
            }
            Err(error) => Opening::Failed(error),
        }
    }

    fn is_own(&self, job: &Job) -> bool {
        let own = &self.context.options.own_files;
        let hint = job.entry.inode_hint;
        // The hint spares nearly all files the look at their metadata.
        own.iter().any(|(_, inode)| hint == 0 || *inode == hint)
            && self.context.source.metadata(&job.entry).is_ok_and(|found| own.contains(&(found.device, found.inode)))
    }

    /// What another link of the same file has yielded already.
    fn answer_from_links(&mut self, job: &Job) -> Option<Opening<S::File>> {
        let links = &self.context.links;
        if links.is_empty() || job.entry.inode_hint == 0 {
            return None;
        }
        let (device, inode) = (job.entry.directory.device().number, job.entry.inode_hint);
        // The directory's inode number is a hint; the file's own metadata decide.
        let found = links.find(device, inode)?;
        let now = self.context.source.metadata(&job.entry).ok()?;
        if !found.metadata.is_some_and(|then| same_content(&now, &then)) {
            return None;
        }
        links.used(device, inode);
        if self.context.skip.is_some_and(|skip| skip(&job.entry.path(), &now)) {
            self.left_out += 1;
            return Some(Opening::LeftOut);
        }
        Some(Opening::Known(found))
    }

    /// A file is done with, one way or the other. `claimed` ends the claim on a file with several links: jobs that
    /// waited for it find its content among the known links, or are read after all.
    pub(crate) fn conclude(
        &mut self,
        ticket: Ticket,
        path: Vec<u8>,
        result: Result<Yield, Failure>,
        claimed: Option<&Metadata>,
    ) {
        let too_many_pieces = |found: &Yield| self.context.pieces.is_some() && found.made.pieces.is_empty();
        let result = match result {
            Ok(found) if too_many_pieces(&found) => Err(Failure::too_many_pieces(found.metadata)),
            result => result,
        };
        let links = &self.context.links;
        let mut parked = Vec::new();
        match (claimed, &result) {
            (Some(metadata), result) => parked = links.settle(metadata, result.as_ref().ok()),
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

    /// A file yields no digest. One that a stopped run interrupted gets no record at all.
    pub(crate) fn fail(&mut self, ticket: Ticket, path: Vec<u8>, failure: Failure) {
        if failure.is_cancelled() {
            return;
        }
        if !matches!(failure.outcome, Outcome::Skipped(_)) {
            self.context.counters.failed.fetch_add(1, Ordering::Relaxed);
        }
        self.finish(ticket, failure.into_record(path));
    }

    /// A file whose content another link has yielded: its bytes were counted with that link.
    pub(crate) fn finish_known(&mut self, ticket: Ticket, found: Yield, path: Vec<u8>) {
        let bytes = self.summary.bytes;
        self.finish(ticket, found.into_record(path));
        self.summary.bytes = bytes;
    }

    pub(crate) fn finish(&mut self, mut ticket: Ticket, record: Record) {
        self.summary.count(&record);
        // They wait with their record, and may be many or long.
        let extra_bytes =
            Made::extra_bytes(&record.pieces, &record.similarities, self.context.options.selection.algorithms().len());
        if extra_bytes > 0 {
            self.context.queue.charge(extra_bytes);
            ticket.cost_bytes += extra_bytes;
        }
        let item = catch_unwind(AssertUnwindSafe(|| (self.context.prepare)(record)));
        let item = item.map_err(|panic| self.context.abort(panic)).ok();
        self.push(Finished { ticket, item });
        if extra_bytes > 0 {
            self.flush();
        }
    }

    fn push(&mut self, finished: Finished<K::Item>) {
        self.finished.push(finished);
        if self.finished.len() >= RECORDS_HELD_MAX {
            self.flush();
        }
    }

    /// All digests of a message, of which the families that make many at once have made theirs.
    pub(crate) fn digest_whole(&mut self, message: &[u8], similarities: Vec<Similarity>) -> Made {
        let started = self.context.clock.start();
        let mut made = self.rest.digest(message);
        made.add(similarities, self.context.options.selection.families());
        stop(started, &mut self.timers.hash);
        made
    }

    /// Counts bytes of small files; they are published in groups.
    pub(crate) fn count_bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Whether there is something to hand over.
    pub(crate) fn holds_records(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Hands over what is finished. Called before anything that may take long.
    pub(crate) fn flush(&mut self) {
        self.context.counters.add_bytes(std::mem::take(&mut self.bytes));
        if self.finished.is_empty() {
            return;
        }
        self.context.counters.files.fetch_add(self.finished.len() as u64, Ordering::Relaxed);
        let hand_over = AssertUnwindSafe(|| self.context.collector.hand_over(&mut self.finished));
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

    /// True when the run is to end; drops the jobs that wait.
    pub(crate) fn is_cancelled(&self) -> bool {
        let cancelled = self.context.is_cancelled();
        if cancelled {
            self.context.queue.stop();
        }
        cancelled
    }

    /// Does what waits for a hasher.
    pub(crate) fn run_ready(&mut self, ready: Ready<'r, 'm, S::File>) {
        match ready {
            Ready::Batch(batch) => batch.run(self),
            Ready::Chain(chain) => run_chain(self, &chain),
            Ready::Tree(tree) => tree.help(self),
        }
    }

    /// Begins work on an opened file; a panic becomes that file's error.
    pub(crate) fn guarded_file<T>(&mut self, opened: &Opened<S::File>, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.guarded_job(&opened.job, work)
    }

    /// Works on a job's file; a panic becomes that file's error.
    pub(crate) fn guarded_job<T>(&mut self, job: &Job, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let result = self.guarded(work);
        if result.is_none() {
            self.fail(job.ticket, job.entry.path(), Failure::panicked());
        }
        result
    }

    /// Runs `work`, and turns a panic in it into `None`: the file at fault gets an error, the run goes on.
    pub(crate) fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        if result.is_err() {
            self.set = self.context.digest_set();
            self.rest = self.context.rest_set();
            self.many = None;
        }
        result.ok()
    }
}

impl<S: Source, K: Sink> Drop for Worker<'_, '_, '_, S, K> {
    fn drop(&mut self) {
        self.flush();
        let mut totals = self.context.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.summary.add(&self.summary);
        totals.timers += self.timers;
        totals.left_out += self.left_out;
    }
}

/// Announces `length` bytes of an opened file, as far as the budget for that allows.
pub(crate) fn announce<F: SourceFile>(announced_left: &AtomicU64, opened: &mut Opened<F>, length: u64) -> bool {
    let take = |left: u64| left.checked_sub(length);
    if announced_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
        return false;
    }
    opened.announced_bytes = length;
    opened.file.announce(0, length);
    true
}
