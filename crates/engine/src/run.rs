//! A run from start to end.

use crate::admission::Readers;
use crate::batched::Batched;
use crate::collect::{Collector, Delivery};
use crate::context::{Context, Totals, Worker};
use crate::control::{CancelToken, Counters};
use crate::digest_budget::DigestBudget;
use crate::digesting::{PieceRule, SIMILARITY_BYTES};
use crate::in_flight::InFlight;
use crate::job::{Failure, Job, Ticket};
use crate::limits::{Budget, FACTS_BYTES, GRAB_MAX, JOB_BYTES, StartError, WALK_GROUP_MAX, WINDOW_FILES_MAX};
use crate::links::Links;
use crate::options::{Mode, Options, Order};
use crate::pace::Pace;
use crate::queue::{Need, Queue};
use crate::sink::{Decide, Prepare, Sink};
use crate::stats::{Clock, Report};
use crate::table::{Arena, Table};
use crate::threads::start;
use crate::{adaptive, lanes, mtp, smt};
use pfh_digest::Digest;
use pfh_record::Outcome;
use pfh_source::{Found, Medium, Source};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Returns the options of a run with one thread at least, since parts of it divide by their number.
fn with_a_thread(options: &Options) -> Options {
    Options { threads: options.threads.max(1), ..options.clone() }
}

/// The state of a run that follows from its options, before it has a thread.
struct Beginning {
    is_direct: bool,
    budget: Budget,
    batched: Batched,
    arena: Arena,
}

impl Beginning {
    fn new(options: &Options, source: &impl Source) -> Result<Beginning, StartError> {
        for algorithm in options.selection.algorithms() {
            algorithm.hasher_with(&options.keys).map_err(StartError::Key)?;
        }
        if options.piece_bytes == Some(0) {
            return Err(StartError::EmptyPieces);
        }
        let is_direct = options.direct.unwrap_or_else(|| source.is_direct());
        // Lanes cannot end pieces at arbitrary offsets, and the other modes are as published.
        let lanes_pay = options.mode == Mode::Adaptive && !is_direct && options.piece_bytes.is_none();
        let lanes = if lanes_pay { lanes::count(options.selection.algorithms(), options.backend) } else { 0 };
        let many = Batched::of(options);
        let budget = Budget::new(options, is_direct, lanes, &many)?;
        let arena = Arena::new(budget.stride_bytes, budget.slots)?;
        Ok(Beginning { is_direct, budget, batched: if budget.is_batched { many } else { Batched::default() }, arena })
    }
}

/// Checks whether a run with these options could begin, for callers who change something before they call [`run`].
/// Whether the system grants the threads is not known before the run.
///
/// # Errors
/// The [`StartError`] of the run.
pub fn check(options: &Options, source: &impl Source) -> Result<(), StartError> {
    Beginning::new(&with_a_thread(options), source).map(drop)
}

/// Reads everything that `source` lists, and delivers one record for each file to `sink`.
///
/// `decide` can leave files out, list them without reading, or change the treatment of some. `counters` show the
/// progress. `cancel` stops the run early.
///
/// # Errors
/// [`StartError`], before anything is read. Errors of files become outcomes of their records; also a panic of the
/// source or of `decide` becomes the error of the file that it is about. A panic of the walk ends the walk: the files
/// that it had found are read, the last record has the path `.` and the error, and the summary says that the run was
/// [interrupted](pfh_record::Summary::interrupted).
///
/// # Panics
/// Resumes a panic of `prepare`, of `sink`, or of [`Source::begin_thread`], after all threads have ended; also one of
/// [`Handle::path`](pfh_source::Handle::path) outside of the walk.
pub fn run<S: Source, K: Sink>(
    options: &Options,
    source: &S,
    prepare: Prepare<'_, K::Item>,
    sink: &mut K,
    decide: Option<Decide<'_>>,
    counters: &Counters,
    cancel: &CancelToken,
) -> Result<Report, StartError> {
    run_for(options, source, &Collector::new(sink, prepare, options.unordered), decide, counters, cancel)
}

/// Runs, whatever the items of the sink are.
fn run_for<S: Source>(
    options: &Options,
    source: &S,
    delivery: &dyn Delivery,
    decide: Option<Decide<'_>>,
    counters: &Counters,
    cancel: &CancelToken,
) -> Result<Report, StartError> {
    let started = Instant::now();
    let options = &with_a_thread(options);
    let Beginning { is_direct, budget, batched, mut arena } = Beginning::new(options, source)?;
    let families = budget.family_rules(options.selection.families(), options.similarity, options.backend);
    let look_ahead = source.look_ahead();
    let open_files_max = budget.open_files_of_workers(options);
    let table = Table::new(&mut arena, budget.slot_bytes, budget.stride_bytes, budget.slots);
    let context = Context {
        options,
        source,
        decide,
        table: &table,
        queue: Queue::new(budget.waiting_bytes, options.prefetchers, options.threads, budget.readers_max),
        delivery,
        lanes: budget.lanes,
        batched_files: budget.batched_files,
        exclusive_workers: AtomicUsize::new(0),
        pace: Pace::new(started, options.threads),
        readers: Readers::new(budget.readers_max, options.readers_at_start),
        links: Links::new(budget.links),
        in_flight: InFlight::new(budget.announced_bytes, look_ahead),
        streamed: families.iter().copied().filter(|rule| !batched.families.contains(&rule.family)).collect(),
        batched,
        families,
        digest_budget: DigestBudget::new(budget.growth_bytes),
        pieces: options
            .piece_bytes
            .map(|bytes| PieceRule::new(bytes, options.selection.algorithms().len(), budget.waiting_bytes)),
        counters,
        cancel,
        clock: Clock(options.measure),
        totals: Mutex::new(Totals::default()),
        stopped: AtomicBool::new(false),
        walk_broke_off: AtomicBool::new(false),
        panic: Mutex::new(None),
        is_direct,
        open_files_max: (open_files_max.min(look_ahead.requests_max) / options.threads).clamp(1, WINDOW_FILES_MAX),
    };
    let threads = options.threads;
    let (readers, hashers) = match options.mode {
        Mode::Mtp => {
            let readers = options.prefetchers.clamp(1, threads.saturating_sub(1).max(1));
            (readers, threads.saturating_sub(readers).max(1))
        }
        Mode::Adaptive if is_direct => (options.prefetchers.max(1), threads),
        Mode::Adaptive | Mode::Smt => (0, threads),
    };
    std::thread::scope(|scope| {
        let started = match options.mode {
            _ if readers > 0 => mtp::start(scope, &context, readers, hashers),
            Mode::Smt => start(scope, hashers, || context.worker_thread(smt::work)),
            Mode::Adaptive | Mode::Mtp => {
                start(scope, hashers, || context.worker_thread(|_| adaptive::work(scope, &context)))
            }
        };
        if started.is_err() {
            // The threads that started have no work yet, and end.
            context.stop();
            return Err(StartError::ThreadsRefused { threads: readers + hashers });
        }
        context.thread(|context| {
            if context.delivery.begin().is_break() {
                context.stop();
            }
            walk(context);
        });
        Ok(())
    })?;
    Ok(context.into_report(|| started.elapsed()))
}

/// Lists the source, numbers what it lists, and hands it over in groups.
fn walk<S: Source>(context: &Context<'_, '_, S>) {
    let options = context.options;
    let base_bytes = JOB_BYTES + options.selection.algorithms().len() as u64 * size_of::<Digest>() as u64;
    let base_bytes = base_bytes + options.selection.families().len() as u64 * SIMILARITY_BYTES;
    let base_bytes = base_bytes + options.facts.map_or(0, |_| FACTS_BYTES);
    let limit_readers = options.mode == Mode::Mtp || context.is_direct;
    let mut worker = Worker::new(context);
    let mut group: Vec<Job<S::Handle>> = Vec::new();
    let mut group_bytes = 0;
    let mut sequence = 0;
    let mut sorting = None;
    let walked = catch_unwind(AssertUnwindSafe(|| {
        context.source.walk_while(&|| !context.is_cancelled(), &mut |found| {
            if let Found::Pause = found {
                // Sorting needs all files of a group, so they are collected first.
                if sorting == Some(Order::Path) {
                    context.queue.push_jobs(&mut group, std::mem::take(&mut group_bytes), limit_readers);
                }
                return !context.is_cancelled();
            }
            if let Found::Other(..) = found {
                return !context.is_cancelled();
            }
            let mut ticket = Ticket { sequence, cost_bytes: 0 };
            sequence += 1;
            let mut not_read = None;
            match found {
                Found::Entry(entry) => {
                    ticket.cost_bytes = base_bytes + entry.path_bytes() as u64;
                    let order = *sorting.get_or_insert_with(|| match options.order {
                        Order::Auto if entry.device().medium == Medium::Rotating => Order::Physical,
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
                Found::Failed(path, error) => not_read = Some((path, Failure::unreadable(0, error))),
                Found::Other(..) | Found::Pause => {}
            }
            if let Some((path, failure)) = not_read {
                // This record waits like any other. The jobs before it must be handed over first, or it could never be
                // delivered.
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
        context.walk_broke_off.store(true, Ordering::Relaxed);
        // Not every format can express an empty path.
        worker.fail(Ticket { sequence, cost_bytes: 0 }, b".".to_vec(), Failure::panicked());
    }
    if context.is_cancelled() {
        context.queue.stop();
    } else if !group.is_empty() {
        context.queue.push_jobs(&mut group, group_bytes, limit_readers);
    }
    worker.flush();
    context.pace.walk_ended(context.counters.files.load(Ordering::Relaxed));
    context.queue.walk_ended();
}

fn sort<S: Source>(context: &Context<'_, '_, S>, order: Order, jobs: &mut [Job<S::Handle>]) {
    match order {
        Order::Auto | Order::Path => {}
        Order::Inode => jobs.sort_by_key(|job| job.entry.identity_hint.map(|identity| identity.number)),
        Order::Physical => jobs.sort_by_cached_key(|job| context.source.physical_position(&job.entry)),
        Order::Size => jobs.sort_by_cached_key(|job| {
            let size = || context.source.stamp(&job.entry).map_or(0, |stamp| stamp.metadata.size);
            std::cmp::Reverse(job.entry.size_hint.unwrap_or_else(size))
        }),
    }
}
