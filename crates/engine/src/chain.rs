//! Hashing one large file with several digests on many workers. Each digest is a *chain* of its own that takes the
//! file's slots in order. An idle worker works on any chain that has slots; a slot is free again when every chain has
//! processed it.

use crate::context::{BoxedTask, Context, Task, Worker};
use crate::digest_budget::Reservation;
use crate::digesting::{DigestSet, FileDigests};
use crate::job::{Failure, HashedFile, Ticket};
use crate::links::Claimed;
use crate::reading::Opened;
use crate::stats::stop;
use crate::sync::{lock, wait_while};
use crate::table::{Full, Slot};
use pfh_source::{Source, SourceFile, Stamp};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

/// The behaviour of the reader of a spread file when it is ahead of the slowest chain.
#[derive(Clone, Copy)]
pub(crate) enum Feeding {
    /// Hashes, once it is this many slots ahead.
    HashBeyond(usize),
    /// Reads on until the memory table is full, then waits for a free slot.
    ReadOnly,
    /// The same, but hashes each slot itself while all workers are at work: they would come to it when it has left the
    /// processor's caches, and a full table would only use more memory.
    HashWhileAllWork,
}

/// The shared state of the chains of one file.
struct Spread {
    ticket: Ticket,
    path: Vec<u8>,
    chains_left: AtomicUsize,
    parts: Mutex<Vec<Option<FileDigests>>>,
    panicked: AtomicBool,
    /// Set by the reader at the end: the file's stamp and the number of bytes read, or why there is no digest.
    end: OnceLock<Result<(Option<Stamp>, u64), Failure>>,
    /// The claim on a file with several links, to be settled at the end.
    claimed: Option<Claimed>,
    _growth: Option<Arc<Reservation>>,
    /// Slots that the slowest chain has yet to process.
    slots_ahead: Mutex<usize>,
    slot_done: Condvar,
}

/// A slot that several chains read. It is free when the last of them drops it.
struct SharedSlot<'r, 'm> {
    full: Full<'r, 'm>,
    spread: Arc<Spread>,
}

impl Drop for SharedSlot<'_, '_> {
    fn drop(&mut self) {
        *lock(&self.spread.slots_ahead) -= 1;
        self.spread.slot_done.notify_one();
    }
}

/// The computation of one digest of a spread file, by an algorithm or a family.
pub(crate) struct Chain<'r, 'm> {
    spread: Arc<Spread>,
    place: usize,
    state: Mutex<ChainState<'r, 'm>>,
}

struct ChainState<'r, 'm> {
    slots: VecDeque<Arc<SharedSlot<'r, 'm>>>,
    /// `None` while a worker is using it.
    set: Option<DigestSet>,
    /// Whether the chain is in the queue or a worker is working on it.
    scheduled: bool,
    ended: bool,
}

/// Reads a long file whose first slot is full, and hands its slots to chains, one for each digest.
pub(crate) fn feed<'r, 'm, S: Source>(
    worker: &mut Worker<'_, 'r, 'm, S>,
    opened: &Opened<S>,
    first: Slot<'r, 'm>,
    stamp: Option<Stamp>,
    feeding: Feeding,
) {
    let context = worker.context;
    let mut sets: Vec<_> = context
        .options
        .selection
        .algorithms()
        .iter()
        .map(|one| DigestSet::new(&[*one], &context.options.keys, &[], context.pieces))
        .collect();
    if sets.is_empty() {
        sets.push(DigestSet::new(&[], &context.options.keys, &[], context.pieces));
    }
    // Beside a digest, facts take little time, so they need no chain of their own.
    if let Some(last) = sets.pop() {
        sets.push(last.with_facts(context.options));
    }
    sets.extend(context.families.iter().map(|one| DigestSet::new(&[], &context.options.keys, &[*one], None)));
    if let Some(stamp) = &stamp {
        sets.iter_mut().for_each(|set| set.expect(stamp.metadata.size));
    }
    let spread = Arc::new(Spread {
        ticket: opened.job.ticket,
        path: opened.job.entry.path(),
        chains_left: AtomicUsize::new(sets.len()),
        parts: Mutex::new(vec![None; sets.len()]),
        panicked: AtomicBool::new(false),
        end: OnceLock::new(),
        claimed: stamp.as_ref().and_then(Claimed::of),
        _growth: opened.growth.clone(),
        slots_ahead: Mutex::new(0),
        slot_done: Condvar::new(),
    });
    let chain = |(place, set)| {
        let state = ChainState { slots: VecDeque::new(), set: Some(set), scheduled: false, ended: false };
        Arc::new(Chain { spread: spread.clone(), place, state: Mutex::new(state) })
    };
    let chains: Vec<_> = sets.into_iter().enumerate().map(chain).collect();
    context.queue.large_file_began();

    let acquire = |worker: &mut Worker<'_, 'r, 'm, S>| match feeding {
        Feeding::HashBeyond(_) => worker.acquire_slot(),
        Feeding::ReadOnly | Feeding::HashWhileAllWork => worker.wait_for_slot(),
    };
    let read = |worker: &mut Worker<'_, 'r, 'm, S>| {
        read_into(worker, opened, first, stamp.as_ref(), acquire, |worker, full| {
            *lock(&spread.slots_ahead) += 1;
            let shared = Arc::new(SharedSlot { full, spread: spread.clone() });
            let is_alone = matches!(feeding, Feeding::HashWhileAllWork) && !context.queue.has_idle();
            for chain in &chains {
                let mut state = lock(&chain.state);
                state.slots.push_back(shared.clone());
                if is_alone && state.set.is_some() {
                    drop(state);
                    run_chain(worker, chain);
                } else {
                    schedule(context, chain, &mut state);
                }
            }
            drop(shared);
            if let Feeding::HashBeyond(slots) = feeding {
                hash_while_ahead(worker, &spread, slots);
            }
        })
    };
    let end = worker.guarded(read).unwrap_or_else(|| Err(Failure::panicked()));
    let _ = spread.end.set(end.map(|bytes| (stamp, bytes)));
    for chain in &chains {
        let mut state = lock(&chain.state);
        state.ended = true;
        schedule(context, chain, &mut state);
    }
    if let Feeding::HashBeyond(_) = feeding {
        while let Some(ready) = context.queue.pop_ready() {
            ready.run(worker);
        }
    }
}

/// Reads a file slot by slot and passes the slots on. Returns the number of bytes read once the file is known not to
/// have changed.
fn read_into<'r, 'm, S: Source>(
    worker: &mut Worker<'_, 'r, 'm, S>,
    opened: &Opened<S>,
    first: Slot<'r, 'm>,
    expected: Option<&Stamp>,
    acquire: impl Fn(&mut Worker<'_, 'r, 'm, S>) -> Slot<'r, 'm>,
    mut pass_on: impl FnMut(&mut Worker<'_, 'r, 'm, S>, Full<'r, 'm>),
) -> Result<u64, Failure> {
    let context = worker.context;
    let slot_bytes = context.table.slot_bytes();
    let mut slot = first;
    let mut length = slot_bytes;
    let mut offset = 0;
    loop {
        offset += length as u64;
        context.counters.add_bytes(length as u64);
        pass_on(worker, slot.into_full(length));
        // A partly filled slot ends the file. So does the expected size, which saves a read.
        if length < slot_bytes || expected.is_some_and(|stamp| stamp.metadata.size == offset) {
            break;
        }
        if context.is_cancelled() {
            return Err(Failure::not_reached(offset));
        }
        slot = acquire(worker);
        let started = context.clock.start();
        let read = opened.next(slot.bytes(), offset, expected);
        stop(started, &mut worker.timers.read);
        length = read?;
        opened.file.release(offset);
    }
    opened.file.release(offset);
    if let Some(stamp) = expected {
        opened.confirm(stamp, offset)?;
    }
    Ok(offset)
}

/// Makes the reader hash until the slowest chain is less than `slots` behind.
fn hash_while_ahead<S: Source>(worker: &mut Worker<'_, '_, '_, S>, spread: &Spread, slots: usize) {
    while *lock(&spread.slots_ahead) >= slots {
        match worker.context.queue.pop_ready() {
            Some(ready) => ready.run(worker),
            None => {
                // Other workers have all chains, so wait until a slot is released.
                let ahead = lock(&spread.slots_ahead);
                let enough = |ahead: &mut usize| *ahead >= slots;
                drop(wait_while(&spread.slot_done, ahead, enough));
            }
        }
    }
}

fn schedule<'r, 'm, S: Source>(
    context: &Context<'r, 'm, S>,
    chain: &Arc<Chain<'r, 'm>>,
    state: &mut ChainState<'r, 'm>,
) {
    if !state.scheduled {
        state.scheduled = true;
        let task: BoxedTask<'r, 'm, S> = Box::new(chain.clone());
        context.queue.push_ready(task);
    }
}

impl<'r, 'm, S: Source> Task<'r, 'm, S> for Arc<Chain<'r, 'm>> {
    fn run(self: Box<Self>, worker: &mut Worker<'_, 'r, 'm, S>) {
        run_chain(worker, &self);
    }
}

/// Works on a chain until it has no more slots. The last chain of a file to end makes the record.
fn run_chain<S: Source>(worker: &mut Worker<'_, '_, '_, S>, chain: &Chain<'_, '_>) {
    let spread = &chain.spread;
    let mut state = lock(&chain.state);
    let Some(mut set) = state.set.take() else { return };
    while let Some(slot) = state.slots.pop_front() {
        drop(state);
        // After a failure the slots are only returned.
        if !matches!(spread.end.get(), Some(Err(_))) && !spread.panicked.load(Ordering::Relaxed) {
            let started = worker.context.clock.start();
            let updated = catch_unwind(AssertUnwindSafe(|| set.update(slot.full.content())));
            stop(started, &mut worker.timers.hash);
            if updated.is_err() {
                spread.panicked.store(true, Ordering::Relaxed);
            }
        }
        drop(slot);
        state = lock(&chain.state);
    }
    if !state.ended {
        state.set = Some(set);
        state.scheduled = false;
        return;
    }
    drop(state);
    lock(&spread.parts)[chain.place] = Some(set.finish());
    if spread.chains_left.fetch_sub(1, Ordering::AcqRel) == 1 {
        spread.conclude(worker);
    }
}

impl Spread {
    fn conclude<S: Source>(&self, worker: &mut Worker<'_, '_, '_, S>) {
        let end = self.end.get().cloned().unwrap_or_else(|| Err(Failure::panicked()));
        let end = if self.panicked.load(Ordering::Relaxed) { Err(Failure::panicked()) } else { end };
        let result = end.map(|(stamp, bytes_read)| {
            let parts = std::mem::take(&mut *lock(&self.parts)).into_iter().flatten();
            HashedFile { stamp, bytes_read, digests: FileDigests::join(parts) }
        });
        worker.conclude(self.ticket, self.path.clone(), result, self.claimed);
        worker.flush();
        worker.context.queue.large_file_ended();
    }
}
