//! Reading and hashing one file by one thread, from its first byte to its last.

use crate::context::Worker;
use crate::digesting::BatchDigests;
use crate::job::{Failure, HashedFile, Job};
use crate::links::Claimed;
use crate::reading::{First, Opened};
use crate::stats::stop;
use crate::table::Slot;
use pfh_source::{Source, SourceFile, Stamp};

/// Hashes a file that is whole in memory. `batch` are its digests by the algorithms and families that digest many files
/// at once.
pub(crate) fn hash_whole<S: Source>(
    worker: &mut Worker<'_, '_, '_, S>,
    job: &Job<S::Handle>,
    content: &[u8],
    stamp: Option<&Stamp>,
    batch: BatchDigests,
) {
    let made = worker.digest_whole(content, batch);
    worker.count_bytes(content.len() as u64);
    let found = HashedFile { stamp: stamp.copied(), bytes_read: content.len() as u64, digests: made };
    worker.conclude(job.ticket, job.entry.path(), Ok(found), None);
}

/// Reads and hashes a long file whose first slot is full, by this thread alone.
pub(crate) fn hash_long<S: Source>(
    worker: &mut Worker<'_, '_, '_, S>,
    opened: &Opened<S>,
    slot: &mut Slot<'_, '_>,
    stamp: Option<Stamp>,
) {
    let result = worker.guarded(|worker| {
        let first = First::Long { stamp };
        if let Some(bytes) = first.expected_bytes() {
            worker.set.expect(bytes);
        }
        read_to_end(worker, opened, slot.bytes(), first, |worker, bytes, _| {
            worker.set.update(bytes);
            Ok(())
        })
    });
    let result = result.unwrap_or_else(|| Err(Failure::panicked()));
    let made = worker.set.finish();
    let result = result.map(|(stamp, bytes_read)| HashedFile { stamp, bytes_read, digests: made });
    let claimed = stamp.as_ref().and_then(Claimed::of);
    worker.conclude(opened.job.ticket, opened.job.entry.path(), result, claimed);
    worker.flush();
}

/// Reads and hashes a file with its own digests or consumer (`opened.individual`). Its first bytes are in `buffer`.
pub(crate) fn hash_individually<S: Source>(
    worker: &mut Worker<'_, '_, '_, S>,
    mut opened: Opened<S>,
    buffer: &mut [u8],
    first: First,
) {
    let Some(mut individual) = opened.individual.take() else { return worker.fail_opened(opened, Failure::panicked()) };
    opened.begin_reading(&worker.context.in_flight);
    if let First::Long { stamp: Some(stamp) } = &first {
        worker.flush();
        if individual.has_too_many_pieces(stamp.metadata.size) {
            opened.individual = Some(individual);
            return worker.fail_opened(opened, Failure::too_many_pieces(Some(stamp.metadata)));
        }
        worker.reserve_growth(&mut opened, individual.growth_bytes(stamp.metadata.size));
    }
    let read = worker.guarded(|worker| {
        if let Some(bytes) = first.expected_bytes() {
            individual.expect(bytes);
        }
        read_to_end(worker, &opened, buffer, first, |_, bytes, end| individual.update(bytes, end))
    });
    let read = read.unwrap_or_else(|| Err(Failure::panicked()));
    let path = opened.job.entry.path();
    match individual.conclude(&path, read) {
        Ok(found) => worker.finish(opened.job.ticket, found.into_record(path)),
        Err(failure) => worker.fail(opened.job.ticket, path, failure),
    }
}

/// Reads a file to its end and passes all of its bytes to `update`, each part with the offset of its end. The first
/// bytes are in `buffer`. Returns the file's stamp and length once the file is known not to have changed.
fn read_to_end<S: Source>(
    worker: &mut Worker<'_, '_, '_, S>,
    opened: &Opened<S>,
    buffer: &mut [u8],
    first: First,
    mut update: impl FnMut(&mut Worker<'_, '_, '_, S>, &[u8], u64) -> Result<(), Failure>,
) -> Result<(Option<Stamp>, u64), Failure> {
    let context = worker.context;
    let (mut length, expected, is_whole) = match first {
        First::Whole { length, stamp } => (length, stamp, true),
        First::Long { stamp } => (buffer.len(), stamp, false),
    };
    let mut offset = 0;
    loop {
        let started = context.clock.start();
        offset += length as u64;
        let updated = update(worker, &buffer[..length], offset);
        stop(started, &mut worker.timers.hash);
        context.counters.add_bytes(length as u64);
        updated.map_err(|failure| Failure { metadata: expected.map(|stamp| stamp.metadata), ..failure })?;
        opened.file.release(offset);
        if is_whole || length < buffer.len() || expected.is_some_and(|stamp| stamp.metadata.size == offset) {
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
    if let (false, Some(stamp)) = (is_whole, &expected) {
        opened.confirm(stamp, offset)?;
    }
    Ok((expected, offset))
}
