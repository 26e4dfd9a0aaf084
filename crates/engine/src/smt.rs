//! Simple multi-threading, as published: every thread reads and hashes its own file.

use crate::context::{Context, Worker};
use crate::job::{Failure, Job, Yield};
use crate::queue::{Next, Preference};
use crate::reading::{First, Opened};
use crate::sink::Sink;
use crate::stats::stop;
use crate::table::Slot;
use pfh_record::{Metadata, Similarity};
use pfh_source::{EntryKind, Source, SourceFile};

/// The life of a thread.
pub(crate) fn work<S: Source, K: Sink>(context: &Context<'_, '_, S, K>) {
    let mut worker = Worker::new(context);
    let mut slot = context.table.acquire();
    loop {
        worker.flush();
        let next = context.queue.next(true, false, Preference::Next, context.clock, &mut worker.timers.wait_file);
        let Next::Read(mut grab) = next else { break };
        while let Some(job) = grab.jobs.pop_front() {
            if worker.is_cancelled() {
                break;
            }
            if job.entry.kind == EntryKind::Stream {
                // It may never come: others take the rest.
                context.queue.give_back(grab.device, &mut grab.jobs);
            }
            if let Some(opened) = worker.open(job) {
                read_and_hash(&mut worker, opened, &mut slot);
            }
        }
        context.queue.reader_left(grab.device);
    }
}

fn read_and_hash<S: Source, K: Sink>(
    worker: &mut Worker<'_, '_, '_, S, K>,
    opened: Opened<S::File>,
    slot: &mut Slot<'_, '_>,
) {
    let long = worker.guarded_file(&opened, |worker| {
        let started = worker.context.clock.start();
        let first = opened.first(slot.bytes());
        stop(started, &mut worker.timers.read);
        match first {
            Ok(First::Whole { length, metadata }) => {
                opened.file.release(length as u64);
                hash_whole(worker, &opened.job, slot.filled(length), metadata, Vec::new());
            }
            Ok(First::Long { metadata }) => return Some(metadata),
            Err(failure) => worker.fail(opened.job.ticket, opened.job.entry.path(), failure),
        }
        None
    });
    if let Some(Some(metadata)) = long
        && let Some((opened, metadata)) = worker.begin_long(opened, metadata)
    {
        hash_long(worker, &opened, slot, metadata);
    }
}

/// Hashes a file that is whole in memory, of which the families that make many digests at once have made theirs.
pub(crate) fn hash_whole<S: Source, K: Sink>(
    worker: &mut Worker<'_, '_, '_, S, K>,
    job: &Job,
    content: &[u8],
    metadata: Option<Metadata>,
    similarities: Vec<Similarity>,
) {
    let made = worker.digest_whole(content, similarities);
    worker.count_bytes(content.len() as u64);
    let found = Yield { metadata, bytes_read: content.len() as u64, made };
    worker.conclude(job.ticket, job.entry.path(), Ok(found), None);
}

/// Reads and hashes a long file whose first slot is full, by this thread alone.
pub(crate) fn hash_long<S: Source, K: Sink>(
    worker: &mut Worker<'_, '_, '_, S, K>,
    opened: &Opened<S::File>,
    slot: &mut Slot<'_, '_>,
    metadata: Option<Metadata>,
) {
    let result = worker.guarded(|worker| hash_slots(worker, opened, slot, metadata.as_ref()));
    let result = result.unwrap_or_else(|| Err(Failure::panicked()));
    let made = worker.set.finish();
    let result = result.map(|bytes_read| Yield { metadata, bytes_read, made });
    let claimed = metadata.filter(|metadata| metadata.links > 1);
    worker.conclude(opened.job.ticket, opened.job.entry.path(), result, claimed.as_ref());
    worker.flush();
}

fn hash_slots<S: Source, K: Sink>(
    worker: &mut Worker<'_, '_, '_, S, K>,
    opened: &Opened<S::File>,
    slot: &mut Slot<'_, '_>,
    expected: Option<&Metadata>,
) -> Result<u64, Failure> {
    let context = worker.context;
    let mut length = slot.bytes().len();
    let mut offset = 0;
    if let Some(metadata) = expected {
        worker.set.expect(metadata.size);
    }
    loop {
        let started = context.clock.start();
        worker.set.update(slot.filled(length));
        stop(started, &mut worker.timers.hash);
        offset += length as u64;
        context.counters.add_bytes(length as u64);
        opened.file.release(offset);
        let ended = length < slot.bytes().len();
        if ended || expected.is_some_and(|metadata| metadata.size == offset) {
            break;
        }
        if context.is_cancelled() {
            return Err(Failure::cancelled(offset));
        }
        let started = context.clock.start();
        let read = opened.next(slot.bytes(), offset, expected);
        stop(started, &mut worker.timers.read);
        length = read?;
    }
    if let Some(metadata) = expected {
        opened.confirm(metadata, offset)?;
    }
    Ok(offset)
}
