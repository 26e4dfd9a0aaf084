//! One large file, several digests, many workers: each digest is a *chain* of its own that takes the file's slots in
//! order. Whoever is free works on a chain that has slots; a slot is free again when every chain has seen it.

use crate::context::{BoxedTask, Context, Task, Worker};
use crate::digest_budget::Reservation;
use crate::digesting::{DigestSet, FileDigests};
use crate::job::{Failure, HashedFile, Ticket};
use crate::links::Claimed;
use crate::reading::Opened;
use crate::sink::Sink;
use crate::stats::stop;
use crate::sync::{lock, wait_while};
use crate::table::{Full, Slot};
use pfh_source::{Source, SourceFile, Stamp};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

/// What the reader of a spread file does while its slowest chain is this many slots behind.
#[derive(Clone, Copy)]
pub(crate) enum Feeding {
    /// It hashes.
    HashBeyond(usize),
    /// It reads on until the memory table is full, then waits for space.
    ReadOnly,
}

/// What the chains of one file share.
struct Spread {
    ticket: Ticket,
    path: Vec<u8>,
    chains_left: AtomicUsize,
    parts: Mutex<Vec<Option<FileDigests>>>,
    panicked: AtomicBool,
    /// Set by the reader when it is done: what the file was and how much of it was read, or why there is no digest.
    end: OnceLock<Result<(Option<Stamp>, u64), Failure>>,
    /// The claim on a file with several links, to be settled at the end.
    claimed: Option<Claimed>,
    _growth: Option<Arc<Reservation>>,
    /// Slots on their way to the slowest chain.
    slots_ahead: Mutex<usize>,
    slot_done: Condvar,
}

/// A slot that several chains read; free when the last of them drops it.
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

/// One digest of a spread file: of an algorithm or of a family.
pub(crate) struct Chain<'r, 'm> {
    spread: Arc<Spread>,
    place: usize,
    state: Mutex<ChainState<'r, 'm>>,
}

struct ChainState<'r, 'm> {
    slots: VecDeque<Arc<SharedSlot<'r, 'm>>>,
    /// Absent while a worker has it.
    set: Option<DigestSet>,
    /// It waits in the queue, or a worker is at it.
    scheduled: bool,
    ended: bool,
}

/// Reads a long file whose first slot is full, and hands its slots to chains, one for each digest.
pub(crate) fn feed<'r, 'm, S: Source, K: Sink>(
    worker: &mut Worker<'_, 'r, 'm, S, K>,
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

    let read = |worker: &mut Worker<'_, 'r, 'm, S, K>| {
        read_into(worker, opened, first, stamp.as_ref(), |worker, full| {
            *lock(&spread.slots_ahead) += 1;
            let shared = Arc::new(SharedSlot { full, spread: spread.clone() });
            for chain in &chains {
                let mut state = lock(&chain.state);
                state.slots.push_back(shared.clone());
                schedule(context, chain, &mut state);
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

/// Reads slot after slot and passes them on; returns the bytes read, once the file has proved consistent.
fn read_into<'r, 'm, S: Source, K: Sink>(
    worker: &mut Worker<'_, 'r, 'm, S, K>,
    opened: &Opened<S>,
    first: Slot<'r, 'm>,
    expected: Option<&Stamp>,
    mut pass_on: impl FnMut(&mut Worker<'_, 'r, 'm, S, K>, Full<'r, 'm>),
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
        // A slot that is not full ends the file; so does its size, which saves a read.
        if length < slot_bytes || expected.is_some_and(|stamp| stamp.metadata.size == offset) {
            break;
        }
        if context.is_cancelled() {
            return Err(Failure::not_reached(offset));
        }
        let started = context.clock.start();
        slot = context.table.acquire();
        stop(started, &mut worker.timers.wait_space);
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

/// The reader has run ahead: it changes its role until the slowest chain has caught up.
fn hash_while_ahead<S: Source, K: Sink>(worker: &mut Worker<'_, '_, '_, S, K>, spread: &Spread, slots: usize) {
    while *lock(&spread.slots_ahead) >= slots {
        match worker.context.queue.pop_ready() {
            Some(ready) => ready.run(worker),
            None => {
                // Every chain is in other hands: wait for one slot.
                let ahead = lock(&spread.slots_ahead);
                let enough = |ahead: &mut usize| *ahead >= slots;
                drop(wait_while(&spread.slot_done, ahead, enough));
            }
        }
    }
}

fn schedule<'r, 'm, S: Source, K: Sink>(
    context: &Context<'r, 'm, S, K>,
    chain: &Arc<Chain<'r, 'm>>,
    state: &mut ChainState<'r, 'm>,
) {
    if !state.scheduled {
        state.scheduled = true;
        let task: BoxedTask<'r, 'm, S, K> = Box::new(chain.clone());
        context.queue.push_ready(task);
    }
}

impl<'r, 'm, S: Source, K: Sink> Task<'r, 'm, S, K> for Arc<Chain<'r, 'm>> {
    fn run(self: Box<Self>, worker: &mut Worker<'_, 'r, 'm, S, K>) {
        run_chain(worker, &self);
    }
}

/// Works on a chain until it has no more slots; the last chain to end makes the record.
fn run_chain<S: Source, K: Sink>(worker: &mut Worker<'_, '_, '_, S, K>, chain: &Chain<'_, '_>) {
    let spread = &chain.spread;
    let mut state = lock(&chain.state);
    let Some(mut set) = state.set.take() else { return };
    while let Some(slot) = state.slots.pop_front() {
        drop(state);
        // After a failure the slots only have to be given back.
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
    fn conclude<S: Source, K: Sink>(&self, worker: &mut Worker<'_, '_, '_, S, K>) {
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
