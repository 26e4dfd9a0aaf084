//! Simple multi-threading, as published: every thread reads and hashes its own file.

use crate::alone::{hash_individually, hash_long, hash_whole};
use crate::context::{Context, Worker};
use crate::digesting::BatchDigests;
use crate::job::Failure;
use crate::queue::{Next, Preference, Taker};
use crate::reading::{First, Opened};
use crate::stats::stop;
use crate::table::Slot;
use pfh_source::{EntryKind, Source, SourceFile};

/// Runs one worker thread until the run ends.
pub(crate) fn work<S: Source>(context: &Context<'_, '_, S>) {
    let mut worker = Worker::new(context);
    let mut slot = context.table.acquire();
    loop {
        worker.flush();
        let next = context.queue.next(Taker::Anyone, Preference::Next, context.clock, &mut worker.timers.wait_file);
        let Next::Read(mut grab) = next else { break };
        let mut has_place = true;
        while let Some(job) = grab.jobs.pop_front() {
            if worker.is_cancelled() {
                break;
            }
            if job.entry.kind == EntryKind::Stream {
                // A stream may never deliver, so other workers take the other jobs.
                context.queue.leave_for_stream(grab.device, &mut grab.jobs);
                has_place = false;
            }
            if let Some(opened) = worker.open(job) {
                read_and_hash(&mut worker, opened, &mut slot);
            }
        }
        if has_place {
            context.queue.reader_left(grab.device);
        }
    }
}

fn read_and_hash<S: Source>(worker: &mut Worker<'_, '_, '_, S>, opened: Opened<S>, slot: &mut Slot<'_, '_>) {
    let first = worker.guarded(|worker| {
        let started = worker.context.clock.start();
        let first = opened.first(slot.bytes());
        stop(started, &mut worker.timers.read);
        first
    });
    match first.unwrap_or_else(|| Err(Failure::panicked())) {
        Err(failure) => worker.fail_opened(opened, failure),
        Ok(first) if opened.individual.is_some() => hash_individually(worker, opened, slot.bytes(), first),
        Ok(First::Whole { length, stamp }) => {
            opened.file.release(length as u64);
            worker.guarded_job(&opened.job, |worker| {
                hash_whole(worker, &opened.job, slot.filled(length), stamp.as_ref(), BatchDigests::default());
            });
        }
        Ok(First::Long { stamp }) => {
            if let Some((opened, stamp)) = worker.begin_long(opened, stamp) {
                hash_long(worker, &opened, slot, stamp);
            }
        }
    }
}
