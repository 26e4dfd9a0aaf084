//! One file read and hashed by one thread, from its first byte to its last.

use crate::context::Worker;
use crate::individual::Individual;
use crate::job::{Failure, HashedFile, Job};
use crate::reading::{First, Opened};
use crate::sink::Sink;
use crate::stats::stop;
use crate::table::Slot;
use pfh_record::{Metadata, Similarity};
use pfh_source::{Source, SourceFile};

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
    let found = HashedFile { metadata, bytes_read: content.len() as u64, digests: made };
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
    let result = result.map(|bytes_read| HashedFile { metadata, bytes_read, digests: made });
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
            return Err(Failure::not_reached(offset));
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

/// Hashes a file that is treated otherwise than the run's, whose first bytes are in `buffer`, and reads on where it is
/// longer.
pub(crate) fn hash_individually<S: Source, K: Sink>(
    worker: &mut Worker<'_, '_, '_, S, K>,
    mut opened: Opened<S::File>,
    buffer: &mut [u8],
    first: First,
) {
    let Some(mut individual) = opened.individual.take() else { return worker.fail_opened(opened, Failure::panicked()) };
    if let First::Long { metadata: Some(metadata) } = &first {
        worker.flush();
        if individual.has_too_many_pieces(metadata.size) {
            opened.individual = Some(individual);
            return worker.fail_opened(opened, Failure::too_many_pieces(Some(*metadata)));
        }
        worker.reserve_growth(&mut opened, individual.growth_bytes(metadata.size));
    }
    let read = worker.guarded(|worker| read_to_end(worker, &opened, &mut individual, buffer, first));
    let read = read.unwrap_or_else(|| Err(Failure::panicked()));
    let path = opened.job.entry.path();
    match individual.conclude(&path, read) {
        Ok(found) => worker.finish(opened.job.ticket, found.into_record(path)),
        Err(failure) => worker.fail(opened.job.ticket, path, failure),
    }
}

fn read_to_end<S: Source, K: Sink>(
    worker: &mut Worker<'_, '_, '_, S, K>,
    opened: &Opened<S::File>,
    individual: &mut Individual,
    buffer: &mut [u8],
    first: First,
) -> Result<(Option<Metadata>, u64), Failure> {
    let context = worker.context;
    let (mut length, expected, is_whole) = match first {
        First::Whole { length, metadata } => (length, metadata, true),
        First::Long { metadata } => (buffer.len(), metadata, false),
    };
    if let Some(bytes) = if is_whole { Some(length as u64) } else { expected.map(|metadata| metadata.size) } {
        individual.expect(bytes);
    }
    let mut offset = 0;
    loop {
        let started = context.clock.start();
        offset += length as u64;
        let updated = individual.update(&buffer[..length], offset);
        stop(started, &mut worker.timers.hash);
        context.counters.add_bytes(length as u64);
        updated.map_err(|failure| Failure { metadata: expected, ..failure })?;
        opened.file.release(offset);
        if is_whole || length < buffer.len() || expected.is_some_and(|metadata| metadata.size == offset) {
            break;
        }
        if context.is_cancelled() {
            return Err(Failure::not_reached(offset));
        }
        let started = context.clock.start();
        let read = opened.next(buffer, offset, expected.as_ref());
        stop(started, &mut worker.timers.read);
        length = read?;
    }
    if let (false, Some(metadata)) = (is_whole, &expected) {
        opened.confirm(metadata, offset)?;
    }
    Ok((expected, offset))
}
