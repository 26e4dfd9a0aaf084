//! Threads that only read, for files of which nobody can tell whether they are in memory, and which come late: those of
//! network and FUSE filesystems.
//!
//! Their number follows from observation. Where several readers get the beginnings of files as quickly as one, the
//! place answers several requests at once, and more readers are admitted; where it takes longer, the place answers one
//! at a time, as a disk with one head does, and long files are read one after the other. A few readers open files and
//! read short ones there, so that the place need not wait for the next request. Ranges of a long file are announced by
//! the same rule.

use crate::chain::Feeding;
use crate::context::{Context, Worker};
use crate::in_flight::Ahead;
use crate::prefetcher::{AtWork, Prefetcher, Rules};
use crate::queue::Taker;
use crate::reading::{First, Opened};
use crate::sync::{lock, read, write};
use pfh_source::Source;
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::{Builder, Scope};
use std::time::Duration;

/// Files one after the other after which nearly all slots waited to be hashed, so that hashing is what takes the time.
const FULL_TABLES: u32 = 16;

/// Bytes of a file that are read before the turn for the rest is awaited. With twice as many, a trial on a single head
/// took twice as much longer.
const FIRST_BYTES: usize = 64 << 10;

/// The number of a reader that reads a single file.
const FOR_ONE_FILE: usize = usize::MAX;

/// Leaves an opened file to a new reader, and all other files of its device to the readers. Returns the file if there
/// are none.
pub(crate) fn leave_to_readers<'scope, 'r: 'scope, 'm: 'scope, S: Source>(
    scope: &'scope Scope<'scope, '_>,
    context: &'scope Context<'r, 'm, S>,
    opened: Opened<S>,
) -> Option<Opened<S>> {
    let mut state = context.readers.state();
    if state.ended {
        return Some(opened);
    }
    let number = if state.active == 0 { 0 } else { FOR_ONE_FILE };
    state.active += usize::from(number == 0);
    context.queue.leave_to_readers(opened.job.entry.device().number);
    // The thread takes the file from here, so that it is not lost if there is none.
    let file = Arc::new(Mutex::new(Some(opened)));
    let theirs = Arc::clone(&file);
    if start(scope, context, number, move || lock(&theirs).take()) {
        return None;
    }
    if number == 0 {
        (state.active, state.ended) = (0, true);
        context.queue.leave_to_workers();
    }
    lock(&file).take()
}

/// Starts a reader. Returns whether the system granted the thread.
fn start<'scope, 'r: 'scope, 'm: 'scope, S: Source>(
    scope: &'scope Scope<'scope, '_>,
    context: &'scope Context<'r, 'm, S>,
    number: usize,
    first: impl FnOnce() -> Option<Opened<S>> + Send + 'scope,
) -> bool {
    let at_work = AtWork::begin(&context.queue);
    let begun = Builder::new().spawn_scoped(scope, move || {
        context.worker_thread(|_| {
            let _at_work = at_work;
            let mut worker = Worker::reading(context);
            let mut reader = Reader { scope, context, number };
            let mut prefetcher = Prefetcher::default();
            if let Some(opened) = first() {
                reader.read(&mut prefetcher, &mut worker, opened, None);
            }
            prefetcher.work(&mut worker, &mut reader);
            worker.flush();
        });
    });
    begun.is_ok()
}

/// The right to read from a place that was not found to answer several requests at once.
#[expect(dead_code, reason = "held until it is dropped")]
enum Turn<'t> {
    Alone(RwLockWriteGuard<'t, ()>),
    BesideOthers(RwLockReadGuard<'t, ()>),
}

impl<'t> Turn<'t> {
    /// Waits for it, if necessary, after `before_waiting`: beside others that read short files, or alone.
    fn begin(place: &'t RwLock<()>, is_beside_others: bool, before_waiting: impl FnOnce()) -> Turn<'t> {
        if is_beside_others {
            Turn::BesideOthers(place.try_read().unwrap_or_else(|_| {
                before_waiting();
                read(place)
            }))
        } else {
            Turn::Alone(place.try_write().unwrap_or_else(|_| {
                before_waiting();
                write(place)
            }))
        }
    }
}

/// One reader.
struct Reader<'scope, 'env, 'r, 'm, S: Source> {
    scope: &'scope Scope<'scope, 'env>,
    context: &'scope Context<'r, 'm, S>,
    number: usize,
}

impl<'scope, 'r: 'scope, 'm: 'scope, S: Source> Reader<'scope, '_, 'r, 'm, S> {
    /// Reads an opened file. The time that opening took counts for the number of readers, if it is known.
    fn read(
        &self,
        prefetcher: &mut Prefetcher<'r, 'm>,
        worker: &mut Worker<'_, 'r, 'm, S>,
        mut opened: Opened<S>,
        opening: Option<Duration>,
    ) {
        let Context { readers, table, in_flight, queue, .. } = self.context;
        let (is_parallel, is_trial) = {
            let admission = &readers.state().admission;
            (admission.is_parallel(), admission.is_trial())
        };
        opened.ahead = Some(Ahead::with_depth(in_flight, &readers.depth));
        let mut opening = opening;
        // During a trial, a reader takes a slot and then waits for its turn. There is a slot for each that was
        // admitted, but none for those that read a single file.
        let waits = !is_parallel && (!is_trial || self.number == FOR_ONE_FILE);
        let is_short = waits && !is_trial && worker.guarded(|_| opened.is_within(FIRST_BYTES)).unwrap_or(false);
        let mut turn = waits.then(|| {
            Turn::begin(&readers.turn, is_short, || {
                // The files that it has read do not wait for a long one.
                prefetcher.pass_on(worker);
                worker.flush();
            })
        });
        // The place has the requests of others while this reader hashes.
        let feeding = if is_parallel { Feeding::HashWhileAllWork } else { Feeding::ReadOnly };
        prefetcher.prefetch(worker, opened, FIRST_BYTES, feeding, |took, first| {
            if let Some(opening) = opening.take() {
                readers.answered(opening + took, !queue.has_idle());
                self.start_others();
            }
            if !is_parallel && matches!(first, First::Long { .. }) && turn.is_none() {
                turn = Some(Turn::begin(&readers.turn, false, || ()));
            }
        });
        drop(turn);
        // Workers that read into their lanes are faster where nothing waits for the place.
        let is_full = is_parallel && table.free_bytes() < (table.slots() / 8 * table.slot_bytes()) as u64;
        let mut state = readers.state();
        state.full_tables = if is_full { state.full_tables + 1 } else { 0 };
        if state.full_tables == FULL_TABLES {
            state.ended = true;
            drop(state);
            queue.leave_to_workers();
        }
    }

    /// Starts the readers that were admitted and are not at work.
    fn start_others(&self) {
        let mut state = self.context.readers.state();
        while state.active < state.readers_max() && !state.ended {
            let number = state.active;
            state.active += 1;
            if !start(self.scope, self.context, number, || None) {
                state.active -= 1;
                state.admission.end_trials();
                break;
            }
        }
    }
}

impl<'scope, 'r: 'scope, 'm: 'scope, S: Source> Rules<'r, 'm, S> for Reader<'scope, '_, 'r, 'm, S> {
    fn taker(&self) -> Taker {
        Taker::Readers
    }

    fn goes_on(&mut self) -> bool {
        let state = self.context.readers.state();
        !state.ended && self.number < state.readers_max()
    }

    fn prefetch(
        &mut self,
        prefetcher: &mut Prefetcher<'r, 'm>,
        worker: &mut Worker<'_, 'r, 'm, S>,
        opened: Opened<S>,
        opening: Duration,
    ) {
        self.read(prefetcher, worker, opened, Some(opening));
    }

    fn left(&mut self) {
        if self.number == FOR_ONE_FILE {
            return;
        }
        let mut state = self.context.readers.state();
        state.active -= 1;
        if state.active == 0 {
            // A worker may have given back jobs after this reader found none. They are for whoever comes first, and
            // another reader begins if they come late.
            self.context.queue.leave_to_workers();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_shared_by_short_files_only() {
        for is_first_beside in [true, false] {
            for is_second_beside in [true, false] {
                let place = RwLock::new(());
                let first = Mutex::new(Some(Turn::begin(&place, is_first_beside, || unreachable!("it is free"))));
                let mut waited = false;
                // Both are of one thread, which would wait for itself.
                let _second = Turn::begin(&place, is_second_beside, || {
                    waited = true;
                    drop(lock(&first).take());
                });
                assert_eq!(waited, !(is_first_beside && is_second_beside));
            }
        }
    }
}
