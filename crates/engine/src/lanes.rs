//! The lanes of one worker: many files at once, each in a lane of the SIMD kernels.
//!
//! A file occupies its lane and one slot from its first chunk to its last. Algorithms without lanes, and families,
//! process a whole file before it gets its lane; of a long file they process each chunk when it is read, in a digest
//! set of its own.

use crate::batch_queue::WholeFile;
use crate::context::{Context, Worker};
use crate::digesting::{BatchDigests, DigestSet, FamilyRule, FileDigests};
use crate::job::{Failure, HashedFile};
use crate::lane_file::{LaneFile, MovingFile};
use crate::limits::EXCLUSIVE_FILE_BYTES;
use crate::links::Claimed;
use crate::options::Options;
use crate::reading::Opened;
use crate::stats::stop;
use crate::table::Slot;
use pfh_digest::lanes::{Backend, Event, LaneId, LaneManager};
use pfh_digest::{Algorithm, Digest};
use pfh_source::{Source, SourceFile, Stamp};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The lanes of one worker.
pub(crate) struct Lanes<'r, 'm, S: Source> {
    manager: LaneManager<Slot<'r, 'm>, LaneFile<S>>,
    /// For each algorithm of the run, whether it has lanes.
    laned: Vec<bool>,
    /// The algorithms without lanes.
    streamed: Vec<Algorithm>,
    /// The families, none of which has lanes.
    families: Vec<FamilyRule>,
    spare_sets: Vec<DigestSet>,
    /// For whole files: states of the algorithms without lanes, and of the families, that do not digest many files at
    /// once.
    whole: DigestSet,
    spare_slots: Vec<Slot<'r, 'm>>,
    /// Number of lanes with files of which there is more to read.
    long: usize,
    /// Number of exclusive lanes.
    exclusive: usize,
}

/// Returns the number of lanes that a worker would have for these algorithms on this CPU; 0 for none.
pub(crate) fn count(algorithms: &[Algorithm], backend: Backend) -> usize {
    manager::<Vec<u8>, ()>(&with_lanes(algorithms, backend), backend).map_or(0, |manager| manager.lanes())
}

fn with_lanes(algorithms: &[Algorithm], backend: Backend) -> Vec<Algorithm> {
    algorithms.iter().copied().filter(|one| manager::<Vec<u8>, ()>(&[*one], backend).is_some()).collect()
}

/// Returns a manager of lanes, or `None` if lanes gain nothing.
fn manager<B: AsRef<[u8]> + AsMut<[u8]>, T>(algorithms: &[Algorithm], backend: Backend) -> Option<LaneManager<B, T>> {
    LaneManager::with_backend(algorithms, backend).filter(LaneManager::pays)
}

/// Returns states of the families that digest files one by one, and of these algorithms.
fn whole_set<S: Source>(streamed: &[Algorithm], context: &Context<'_, '_, S>) -> DigestSet {
    DigestSet::new(&context.batched.others(streamed), &context.options.keys, &context.streamed, None)
        .with_facts(context.options)
}

impl<'r, 'm, S: Source> Lanes<'r, 'm, S> {
    /// Returns `None` if no algorithm has lanes on this CPU.
    pub(crate) fn new(context: &Context<'r, 'm, S>) -> Option<Self> {
        let Options { selection, backend, .. } = context.options;
        let algorithms = selection.algorithms();
        let with = with_lanes(algorithms, *backend);
        let streamed: Vec<_> = algorithms.iter().copied().filter(|algorithm| !with.contains(algorithm)).collect();
        Some(Lanes {
            manager: manager(&with, *backend)?,
            laned: algorithms.iter().map(|algorithm| with.contains(algorithm)).collect(),
            whole: whole_set(&streamed, context),
            streamed,
            families: context.families.clone(),
            spare_sets: Vec::new(),
            spare_slots: Vec::new(),
            long: 0,
            exclusive: 0,
        })
    }

    pub(crate) fn lanes(&self) -> usize {
        self.manager.lanes()
    }

    pub(crate) fn active(&self) -> usize {
        self.manager.active()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.manager.active() == self.manager.lanes()
    }

    /// Whether this worker is not to begin further files: the fewer lanes are in use, the faster each of them is.
    pub(crate) fn has_exclusive_lane(&self) -> bool {
        self.exclusive > 0
    }

    /// Number of lanes with files of which there is more to read.
    pub(crate) fn long(&self) -> usize {
        self.long
    }

    /// Takes a spare slot of this worker.
    pub(crate) fn spare_slot(&mut self) -> Option<Slot<'r, 'm>> {
        self.spare_slots.pop()
    }

    pub(crate) fn keep_slot(&mut self, slot: Slot<'r, 'm>) {
        self.spare_slots.push(slot);
    }

    /// Returns the spare slots to the table, for which others may be waiting.
    pub(crate) fn return_slots(&mut self) {
        self.spare_slots.clear();
    }

    /// Begins a file that is whole in its slot, with its digests by the families that digest many files at once.
    pub(crate) fn submit_whole(
        &mut self,
        worker: &mut Worker<'_, 'r, 'm, S>,
        file: WholeFile<'r, 'm, S::Handle>,
        batch: BatchDigests,
    ) {
        let started = worker.context.clock.start();
        let others = worker.guarded_job(&file.job, |worker| {
            let mut made = self.whole.digest(file.content());
            made.add(batch, &worker.context.options.selection);
            made
        });
        stop(started, &mut worker.timers.hash);
        let WholeFile { job, slot, length, stamp } = file;
        if let Some(others) = others {
            let file = LaneFile::Whole { job, stamp, bytes: length as u64, others };
            self.manager.submit(file, slot, length, true);
        } else {
            self.whole = whole_set(&self.streamed, worker.context);
            self.spare_slots.push(slot);
        }
    }

    /// Begins a longer file, whose first slot is full.
    pub(crate) fn submit_long(
        &mut self,
        worker: &Worker<'_, 'r, 'm, S>,
        opened: Opened<S>,
        mut slot: Slot<'r, 'm>,
        stamp: Stamp,
    ) {
        worker.context.queue.large_file_began();
        let length = slot.bytes().len();
        worker.context.counters.add_bytes(length as u64);
        let streamed = self.streamed_of(worker.context.options, slot.filled(length), stamp.metadata.size);
        self.long += 1;
        let file = LaneFile::Long { opened, stamp, offset: length as u64, streamed, is_exclusive: false };
        self.manager.submit(file, slot, length, false);
    }

    /// Returns states of the digests that have no lanes, and of facts, for a file of `bytes` bytes that begins with
    /// `content`.
    fn streamed_of(&mut self, options: &Options, content: &[u8], bytes: u64) -> Option<DigestSet> {
        if self.streamed.is_empty() && self.families.is_empty() && options.facts.is_none() {
            return None;
        }
        let new = || DigestSet::new(&self.streamed, &options.keys, &self.families, None).with_facts(options);
        let mut set = self.spare_sets.pop().unwrap_or_else(new);
        set.expect(bytes);
        set.update(content);
        Some(set)
    }

    /// Hashes until a lane needs attention, and attends to it. Returns false if all lanes are empty.
    pub(crate) fn advance(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) -> bool {
        let started = worker.context.clock.start();
        let event = self.manager.advance();
        stop(started, &mut worker.timers.hash);
        match event {
            Event::Idle => return false,
            Event::NeedsData { lane, buffer } => {
                if self.is_to_move(worker, lane) {
                    self.spare_slots.push(buffer);
                    self.long -= 1;
                    if let LaneFile::Long { is_exclusive, .. } = self.manager.tag_mut(lane)
                        && std::mem::take(is_exclusive)
                    {
                        self.end_exclusive_lane(worker);
                    }
                    worker.context.queue.push_moving(self.manager.detach(lane));
                } else {
                    self.read_on(worker, lane, buffer);
                }
            }
            Event::Finished { tag, buffer, digests } => {
                let digests = digests.to_vec();
                self.spare_slots.push(buffer);
                self.finish(worker, tag, digests);
            }
        }
        true
    }

    /// Whether a file between two chunks is to go on in another worker's lanes. If it would end last, it gets an
    /// exclusive lane, here or there.
    fn is_to_move(&mut self, worker: &Worker<'_, 'r, 'm, S>, lane: LaneId) -> bool {
        let context = worker.context;
        if let LaneFile::Long { stamp, offset, is_exclusive: false, .. } = self.manager.tag(lane)
            && let left = stamp.metadata.size.saturating_sub(*offset)
            && left >= EXCLUSIVE_FILE_BYTES
            && context.ends_last(self.manager.time_in_full_lanes(left))
        {
            if self.has_exclusive_lane() || context.begin_exclusive_lanes() {
                self.exclusive += 1;
                if let LaneFile::Long { is_exclusive, .. } = self.manager.tag_mut(lane) {
                    *is_exclusive = true;
                }
            } else if context.queue.wants_late() {
                return true;
            }
        }
        context.queue.wants_lane_of(self.long)
    }

    /// Continues a file that another worker began.
    pub(crate) fn adopt(&mut self, worker: &mut Worker<'_, 'r, 'm, S>, file: MovingFile<S>) {
        let slot = self.spare_slots.pop().unwrap_or_else(|| worker.acquire_slot());
        let lane = self.manager.attach(file);
        self.long += 1;
        self.read_on(worker, lane, slot);
    }

    /// Reads the next chunk of a long file.
    fn read_on(&mut self, worker: &mut Worker<'_, 'r, 'm, S>, lane: LaneId, mut slot: Slot<'r, 'm>) {
        // Finished records do not wait for the end of a large file.
        worker.flush();
        let context = worker.context;
        let full_lanes = self.manager.lanes() as u32;
        let in_lane = self.manager.time_in_full_lanes(slot.bytes().len() as u64);
        let LaneFile::Long { opened, stamp, offset, streamed, .. } = self.manager.tag_mut(lane) else { return };
        let is_timed = stamp.metadata.size >= EXCLUSIVE_FILE_BYTES;
        let started = (is_timed || context.clock.0).then(Instant::now);
        let read = if context.is_cancelled() {
            Err(Failure::not_reached(*offset))
        } else {
            let read = worker.guarded(|_| {
                let length = opened.next(slot.bytes(), *offset, Some(stamp))?;
                *offset += length as u64;
                let last = length < slot.bytes().len() || *offset == stamp.metadata.size;
                if last { opened.confirm(stamp, *offset).map(|()| (length, true)) } else { Ok((length, false)) }
            });
            read.unwrap_or_else(|| Err(Failure::panicked()))
        };
        let elapsed = started.map_or(Duration::ZERO, |started| started.elapsed());
        if context.clock.0 {
            worker.timers.read += elapsed;
        }
        if is_timed {
            context.pace.add_long(elapsed + in_lane / full_lanes);
        }
        match read {
            Ok((length, last)) => {
                context.counters.add_bytes(length as u64);
                opened.file.release(*offset);
                if let Some(streamed) = streamed {
                    let started = context.clock.start();
                    streamed.update(slot.filled(length));
                    stop(started, &mut worker.timers.hash);
                }
                self.manager.refill(lane, slot, length, last);
            }
            Err(failure) => {
                self.spare_slots.push(slot);
                let (file, _) = self.manager.abandon(lane);
                if let LaneFile::Long { opened, stamp, is_exclusive, .. } = file {
                    self.conclude_long(worker, &opened, &stamp, is_exclusive, Err(failure));
                }
            }
        }
    }

    fn finish(&mut self, worker: &mut Worker<'_, 'r, 'm, S>, file: LaneFile<S>, digests: Vec<Digest>) {
        match file {
            LaneFile::Whole { job, stamp, bytes, others } => {
                let made = self.join(digests, others);
                worker.count_bytes(bytes);
                let found = HashedFile { stamp, bytes_read: bytes, digests: made };
                worker.conclude(job.ticket, job.entry.path(), Ok(found), None);
            }
            LaneFile::Long { opened, stamp, offset, streamed, is_exclusive } => {
                let others = streamed.map(|mut set| {
                    let made = set.finish();
                    self.spare_sets.push(set);
                    made
                });
                let made = self.join(digests, others.unwrap_or_default());
                let found = HashedFile { stamp: Some(stamp), bytes_read: offset, digests: made };
                self.conclude_long(worker, &opened, &stamp, is_exclusive, Ok(found));
            }
        }
    }

    fn conclude_long(
        &mut self,
        worker: &mut Worker<'_, 'r, 'm, S>,
        opened: &Opened<S>,
        stamp: &Stamp,
        is_exclusive: bool,
        result: Result<HashedFile, Failure>,
    ) {
        self.long -= 1;
        if is_exclusive {
            self.end_exclusive_lane(worker);
        }
        if stamp.metadata.size >= EXCLUSIVE_FILE_BYTES {
            worker.context.pace.long_file_ended();
        }
        worker.conclude(opened.job.ticket, opened.job.entry.path(), result, Claimed::of(stamp));
        worker.context.queue.large_file_ended();
    }

    fn end_exclusive_lane(&mut self, worker: &Worker<'_, 'r, 'm, S>) {
        self.exclusive -= 1;
        if self.exclusive == 0 {
            worker.context.exclusive_workers.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Joins the digests of the lanes and the others, in the order of the run.
    fn join(&self, digests: Vec<Digest>, others: FileDigests) -> FileDigests {
        if self.streamed.is_empty() {
            return FileDigests { digests, ..others };
        }
        let (mut part, mut rest) = (digests.into_iter(), others.digests.into_iter());
        let digests = self.laned.iter().filter_map(|laned| if *laned { part.next() } else { rest.next() }).collect();
        FileDigests { digests, ..others }
    }
}
