//! The default mode: every worker reads its own files straight into its own lanes and hashes them there.
//!
//! Each worker keeps a look-ahead window of opened files whose reads it has announced to the kernel. The window grows
//! while reads wait, and is empty while everything comes from the page cache. A worker that finds no further file helps
//! with the large ones.

use crate::alone::{hash_individually, hash_long, hash_whole};
use crate::batch_queue::{BatchQueue, WholeFile};
use crate::chain::{Feeding, feed};
use crate::context::{Context, Worker};
use crate::digesting::BatchDigests;
use crate::job::{Failure, Job};
use crate::lane_file::MovingFile;
use crate::lanes::Lanes;
use crate::latency_gauge::LatencyGauge;
use crate::limits::{SPREAD_AHEAD_BYTES, SPREAD_FILE_BYTES, WINDOW_FILES_MAX};
use crate::queue::{Next, Preference, Taker};
use crate::readers::leave_to_readers;
use crate::reading::{First, FirstCached, Opened};
use crate::stats::stop;
use crate::table::Slot;
use crate::tree;
use pfh_source::{EntryKind, Medium, Source, SourceFile, Stamp};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::thread::Scope;
use std::time::Instant;

/// Runs one worker thread until the run ends.
pub(crate) fn work<'scope, 'r: 'scope, 'm: 'scope, S: Source>(
    scope: &'scope Scope<'scope, '_>,
    context: &'scope Context<'r, 'm, S>,
) {
    let leave = |opened| leave_to_readers(scope, context, opened);
    let lanes = (context.lanes > 0).then(|| Lanes::new(context)).flatten();
    let mut adaptive = Adaptive {
        gauge: LatencyGauge::default(),
        opened: VecDeque::new(),
        overtaken: 0,
        jobs: VecDeque::new(),
        device: None,
        batch: (context.batched_files > 0).then(BatchQueue::default),
        lanes,
        slots: Vec::new(),
    };
    let mut worker = Worker::new(context);
    loop {
        while adaptive.has_room() && adaptive.begin_next(&mut worker, &leave) {}
        if adaptive.advance(&mut worker) {
            continue;
        }
        // Before this worker waits, it delivers its finished records and returns its slots, which others may need.
        worker.flush();
        adaptive.return_slots();
        if !adaptive.jobs.is_empty() {
            // The next job is a stream, which is opened only once nothing is held back.
            continue;
        }
        match context.queue.next(Taker::Workers, Preference::Next, context.clock, &mut worker.timers.wait_file) {
            Next::Read(grab) => {
                adaptive.device = Some(grab.device);
                adaptive.jobs = grab.jobs;
            }
            Next::Hash(ready) => ready.run(&mut worker),
            Next::Adopt(file) => adaptive.adopt(&mut worker, file),
            Next::End => break,
        }
    }
}

/// Leaves an opened file to readers, or returns it.
type Leave<'l, S> = dyn Fn(Opened<S>) -> Option<Opened<S>> + 'l;

struct Adaptive<'r, 'm, S: Source> {
    gauge: LatencyGauge,
    opened: VecDeque<Opened<S>>,
    /// Cached files begun since the last announced one; limits how long an announced file can be overtaken.
    overtaken: usize,
    jobs: VecDeque<Job<S::Handle>>,
    /// The device of the jobs, among whose readers this worker has a place, until all of them are opened or given back.
    device: Option<usize>,
    /// Whole files that wait to be digested together; `None` if no algorithm or family of the run digests many at once.
    batch: Option<BatchQueue<'r, 'm, S::Handle>>,
    lanes: Option<Lanes<'r, 'm, S>>,
    /// Spare slots of a worker without lanes.
    slots: Vec<Slot<'r, 'm>>,
}

impl<'r, 'm, S: Source> Adaptive<'r, 'm, S> {
    /// Whether another file can be begun.
    fn has_room(&self) -> bool {
        self.has_lane() && self.batch.as_ref().is_none_or(BatchQueue::has_room)
    }

    fn has_lane(&self) -> bool {
        self.lanes.as_ref().is_none_or(|lanes| !lanes.is_full())
    }

    /// The number of files held open: in the look-ahead window, and in lanes with more to read.
    fn open_files(&self) -> usize {
        self.opened.len() + self.long()
    }

    fn long(&self) -> usize {
        self.lanes.as_ref().map_or(0, Lanes::long)
    }

    fn has_exclusive_lane(&self) -> bool {
        self.lanes.as_ref().is_some_and(Lanes::has_exclusive_lane)
    }

    fn is_hashing(&self) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| lanes.active() > 0)
            || self.batch.as_ref().is_some_and(|batch| !batch.is_empty())
    }

    /// Hashes until one of this worker's files needs attention, and attends to it. Returns false if there are no files.
    fn advance(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) -> bool {
        // Half-empty lanes cost as much as full ones, so the walk gets a moment to bring more files, and those begin
        // first.
        if self.has_lane() && self.batch.as_mut().is_some_and(BatchQueue::pauses) {
            worker.context.queue.wait_for_jobs(worker.context.clock, &mut worker.timers.wait_file);
            return true;
        }
        let half_empty =
            |lanes: &Lanes<'r, 'm, S>| (1..lanes.lanes() / 2).contains(&lanes.active()) && !lanes.has_exclusive_lane();
        if self.lanes.as_ref().is_some_and(half_empty)
            && worker.context.queue.wait_for_jobs(worker.context.clock, &mut worker.timers.wait_file)
        {
            return true;
        }
        let hashed = self.hash_on(worker);
        if self.has_exclusive_lane() {
            // Its jobs are given back, and it begins no file before the lane has ended.
            self.leave_device(worker);
        }
        hashed
    }

    /// Hashes like [`Self::advance`], without waiting for further files.
    fn hash_on(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) -> bool {
        let mut hashed = false;
        if self.has_lane()
            && let Some(batch) = &mut self.batch
        {
            batch.digest(worker);
        }
        while self.has_lane()
            && let Some((file, batch)) = self.batch.as_mut().and_then(BatchQueue::take)
        {
            self.hash_whole(worker, file, batch);
            hashed = true;
        }
        let advanced = self.lanes.as_mut().is_some_and(|lanes| lanes.advance(worker));
        if self.has_exclusive_lane() {
            self.give_back_jobs(worker);
        }
        advanced || hashed
    }

    /// Puts a file that is whole in its slot into a lane, or hashes it if there are no lanes.
    fn hash_whole(
        &mut self,
        worker: &mut Worker<'_, 'r, 'm, S>,
        file: WholeFile<'r, 'm, S::Handle>,
        batch: Option<BatchDigests>,
    ) {
        match (batch, &mut self.lanes) {
            (Some(batch), Some(lanes)) => lanes.submit_whole(worker, file, batch),
            (Some(batch), None) => {
                let WholeFile { job, slot, length, stamp } = file;
                worker.guarded_job(&job, |worker| {
                    hash_whole(worker, &job, slot.filled(length), stamp.as_ref(), batch);
                });
                self.keep_slot(slot);
            }
            (None, _) => {
                worker.fail(file.job.ticket, file.job.entry.path(), Failure::panicked());
                self.keep_slot(file.slot);
            }
        }
    }

    fn adopt(&mut self, worker: &mut Worker<'_, 'r, 'm, S>, file: MovingFile<S>) {
        // Only workers with lanes send files, and either all workers of a run have lanes or none.
        if let Some(lanes) = &mut self.lanes {
            lanes.adopt(worker, file);
        }
    }

    fn return_slots(&mut self) {
        self.slots.clear();
        if let Some(lanes) = &mut self.lanes {
            lanes.return_slots();
        }
    }

    /// Begins a file: the next one that is cached, or else the one that was announced first. Returns false if there is
    /// none.
    fn begin_next(&mut self, worker: &mut Worker<'_, 'r, 'm, S>, leave: &Leave<'_, S>) -> bool {
        let context = worker.context;
        // Those that would end last go to a worker with exclusive lanes, or to any if it has none any more.
        let takes_late = self.has_exclusive_lane() || context.exclusive_workers.load(Ordering::Relaxed) == 0;
        if takes_late
            && self.open_files() < context.open_files_max
            && let Some(file) = context.queue.pop_late()
        {
            self.adopt(worker, file);
            return true;
        }
        // Records are delivered in order, so cached files may overtake an announced one only a limited number of times.
        let overdue = self.overtaken >= WINDOW_FILES_MAX && !self.opened.is_empty();
        while !overdue
            && self.open_files() < context.open_files_max
            && let Some(job) = self.next_job(worker)
        {
            let Some(mut opened) = worker.open(job) else { continue };
            let mut slot = self.own_slot(worker);
            let first = worker.guarded(|worker| {
                let started = context.clock.start();
                let first = opened.first_cached(slot.bytes());
                stop(started, &mut worker.timers.read);
                first
            });
            match first {
                None => {
                    self.keep_slot(slot);
                    worker.fail_opened(opened, Failure::panicked());
                }
                Some(FirstCached::Ready(first)) => {
                    self.overtaken += usize::from(!self.opened.is_empty());
                    opened.was_cached = true;
                    self.go_on(worker, opened, slot, first);
                }
                Some(FirstCached::WouldBlock) => {
                    self.keep_slot(slot);
                    if !self.announce(worker, opened) {
                        break;
                    }
                    continue;
                }
                Some(FirstCached::Unknown) if opened.is_far() && context.readers.is_wanted() => {
                    self.keep_slot(slot);
                    self.give_back_jobs(worker);
                    if let Some(opened) = leave(opened) {
                        let slot = self.own_slot(worker);
                        self.begin(worker, opened, slot);
                    }
                }
                Some(FirstCached::Unknown) if self.gauge.is_open() && opened.job.entry.kind == EntryKind::Regular => {
                    self.keep_slot(slot);
                    let started = Instant::now();
                    let announced = self.announce(worker, opened);
                    self.gauge.observe(started.elapsed(), 0);
                    if !announced {
                        break;
                    }
                    continue;
                }
                Some(FirstCached::Unknown) => {
                    let started = Instant::now();
                    let length = slot.bytes().len();
                    self.begin(worker, opened, slot);
                    self.gauge.observe(started.elapsed(), length as u64);
                }
            }
            return true;
        }
        if context.in_flight.goes_on() && self.is_hashing() && !self.opened.is_empty() {
            return self.begin_what_arrived(worker);
        }
        if let Some(opened) = self.opened.pop_front() {
            self.overtaken = 0;
            let slot = self.own_slot(worker);
            // The following ranges are announced first, so that they are fetched while this thread waits for the
            // beginning.
            opened.read_on(0, context.table.slot_bytes(), opened.before.as_ref());
            self.begin(worker, opened, slot);
            return true;
        }
        let long = self.long();
        let moving = if long < context.open_files_max { context.queue.pop_moving(long) } else { None };
        moving.map(|file| self.adopt(worker, file)).is_some()
    }

    /// Begins the file that was announced first, if its beginning has arrived. Otherwise the caller goes on with the
    /// files in the lanes, which announce their next ranges.
    fn begin_what_arrived(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) -> bool {
        let Some(mut opened) = self.opened.pop_front() else { return false };
        let mut slot = self.own_slot(worker);
        let first = worker.guarded(|_| opened.first_cached(slot.bytes()));
        match first.unwrap_or_else(|| FirstCached::Ready(Err(Failure::panicked()))) {
            FirstCached::Ready(first) => {
                self.overtaken = 0;
                self.go_on(worker, opened, slot, first);
                true
            }
            FirstCached::WouldBlock | FirstCached::Unknown => {
                self.keep_slot(slot);
                self.opened.push_front(opened);
                false
            }
        }
    }

    /// Returns the next job whose file is to be opened.
    fn next_job(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) -> Option<Job<S::Handle>> {
        if worker.is_cancelled() {
            self.jobs.clear();
            self.opened.clear();
        }
        if self.jobs.is_empty() {
            if self.has_exclusive_lane() {
                self.leave_device(worker);
                return None;
            }
            let grab = worker.context.queue.take_next(self.device.take())?;
            self.device = Some(grab.device);
            self.jobs = grab.jobs;
        }
        let is_stream = |job: &Job<S::Handle>| job.entry.kind == EntryKind::Stream;
        if self.jobs.front().is_some_and(is_stream) {
            // Opening or reading a stream may take for ever: records are delivered first, and other workers take the
            // other jobs.
            if !self.opened.is_empty() || self.is_hashing() || worker.holds_records() {
                return None;
            }
            let stream = self.jobs.pop_front();
            if let Some(device) = self.device.take() {
                worker.context.queue.leave_for_stream(device, &mut self.jobs);
            }
            return stream;
        }
        self.jobs.pop_front()
    }

    /// Announces a file to the kernel and adds it to the look-ahead window. Returns false if the window is full.
    fn announce(&mut self, worker: &mut Worker<'_, 'r, 'm, S>, mut opened: Opened<S>) -> bool {
        let before = match opened.before {
            Some(before) => Ok(before),
            None => worker.guarded(|_| opened.stamp(0)).unwrap_or_else(|| Err(Failure::panicked())),
        };
        match before {
            Ok(before) => {
                opened.before = Some(before);
                let is_within_share = opened.announce(&worker.context.in_flight, before.metadata.size);
                self.opened.push_back(opened);
                is_within_share
            }
            Err(failure) => {
                worker.fail_opened(opened, failure);
                true
            }
        }
    }

    fn own_slot(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) -> Slot<'r, 'm> {
        let own = self.lanes.as_mut().map_or_else(|| self.slots.pop(), Lanes::spare_slot);
        own.unwrap_or_else(|| worker.acquire_slot())
    }

    fn keep_slot(&mut self, slot: Slot<'r, 'm>) {
        match &mut self.lanes {
            Some(lanes) => lanes.keep_slot(slot),
            None => self.slots.push(slot),
        }
    }

    /// Reads the first slot of a file, waiting for the medium if necessary, and continues with it.
    fn begin(&mut self, worker: &mut Worker<'_, 'r, 'm, S>, opened: Opened<S>, mut slot: Slot<'r, 'm>) {
        let first = worker.guarded(|worker| {
            let started = worker.context.clock.start();
            let first = opened.first(slot.bytes());
            stop(started, &mut worker.timers.read);
            first
        });
        self.go_on(worker, opened, slot, first.unwrap_or_else(|| Err(Failure::panicked())));
    }

    /// Continues with a file whose first slot was read.
    fn go_on(
        &mut self,
        worker: &mut Worker<'_, 'r, 'm, S>,
        opened: Opened<S>,
        mut slot: Slot<'r, 'm>,
        first: Result<First, Failure>,
    ) {
        match first {
            Err(failure) => {
                self.keep_slot(slot);
                worker.fail_opened(opened, failure);
            }
            Ok(first) if opened.individual.is_some() => {
                if matches!(first, First::Long { .. }) {
                    self.give_back_jobs(worker);
                    if !opened.moves_head() {
                        self.leave_device(worker);
                    }
                    self.finish_others(worker);
                }
                hash_individually(worker, opened, slot.bytes(), first);
                self.keep_slot(slot);
            }
            Ok(First::Whole { length, stamp }) => {
                opened.file.release(length as u64);
                let file = WholeFile { job: opened.job, slot, length, stamp };
                match &mut self.batch {
                    Some(batch) if length < worker.context.batched.long_bytes => batch.add(file),
                    _ => {
                        let alone = worker.digest_one(file.content());
                        self.hash_whole(worker, file, alone);
                    }
                }
            }
            Ok(First::Long { stamp }) => self.begin_long(worker, opened, slot, stamp),
        }
    }

    fn begin_long(
        &mut self,
        worker: &mut Worker<'_, 'r, 'm, S>,
        opened: Opened<S>,
        mut slot: Slot<'r, 'm>,
        stamp: Option<Stamp>,
    ) {
        let context = worker.context;
        let options = context.options;
        let Some((opened, stamp)) = worker.begin_long(opened, stamp) else { return self.keep_slot(slot) };
        let several = options.threads > 1;
        // If a file takes longer than all others together, its digests are computed in parallel.
        let alone = several
            && options.selection.len() > 1
            && self.opened.is_empty()
            && stamp.is_some_and(|known| context.outlasts(known.metadata.size, self.jobs.len()));
        let is_spread = several
            && stamp.is_none_or(|known| options.selection.len() > 1 && known.metadata.size >= SPREAD_FILE_BYTES);
        // Families have no lanes and take longer than the algorithms that have, so idle workers help with them. Memory
        // for digests that grow is reserved only for files that one worker reads to the end.
        // In turns with others, it would move the head of the disk at every read.
        let moves_head = opened.moves_head();
        let past_lanes =
            moves_head || alone || (is_spread && !options.selection.families().is_empty()) || opened.growth.is_some();
        match (stamp, &mut self.lanes) {
            (Some(known), _) if several && !moves_head && tree::applies(options, &known) => {
                self.give_back_jobs(worker);
                self.leave_device(worker);
                self.keep_slot(slot);
                tree::spread_tree(worker, opened, known);
            }
            (Some(known), Some(lanes)) if !past_lanes => {
                lanes.submit_long(worker, opened, slot, known);
                if self.has_exclusive_lane() || worker.context.queue.has_idle() {
                    self.give_back_jobs(worker);
                    self.leave_device(worker);
                }
            }
            // One thread reads a stream while others hash it; the same holds for a large file with several digests.
            _ if is_spread => {
                self.give_back_jobs(worker);
                if !moves_head {
                    self.leave_device(worker);
                }
                self.finish_others(worker);
                feed(worker, &opened, slot, stamp, Feeding::HashBeyond(context.slots_ahead()));
            }
            _ => {
                if several && stamp.is_none_or(|known| known.metadata.size >= SPREAD_FILE_BYTES) {
                    // Others may have nothing to do before this worker comes to them.
                    self.give_back_opened(worker);
                }
                self.give_back_jobs(worker);
                if !moves_head {
                    self.leave_device(worker);
                }
                self.finish_others(worker);
                hash_long(worker, &opened, &mut slot, stamp);
                self.keep_slot(slot);
            }
        }
    }

    /// Finishes the other files of this worker first, so that they do not wait for a long one.
    fn finish_others(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) {
        while self.hash_on(worker) {}
        worker.flush();
    }

    /// Returns the jobs that this worker has not begun, so that others can take them. If others have nothing to do, it
    /// also returns the files of its look-ahead window.
    fn give_back_jobs(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) {
        let queue = &worker.context.queue;
        if self.jobs.is_empty() && queue.jobs_waiting() == 0 && queue.has_idle() {
            self.give_back_opened(worker);
        }
        if let Some(device) = self.device {
            queue.give_back(device, &mut self.jobs);
        }
    }

    /// Gives up the place among the readers of the device whose jobs were given back.
    fn leave_device(&mut self, worker: &Worker<'_, 'r, 'm, S>) {
        if let Some(device) = self.device.take() {
            worker.context.queue.reader_left(device);
        }
    }

    /// Returns the files of the look-ahead window. Whoever takes one opens it again, which takes little time beside a
    /// long file; but what was announced must not be asked for again, nor the caller what to do with a file.
    fn give_back_opened(&mut self, worker: &mut Worker<'_, 'r, 'm, S>) {
        let context = worker.context;
        if context.decide.is_none() && !context.in_flight.goes_on() {
            self.overtaken = 0;
            context.queue.requeue(self.opened.drain(..).rev().map(|opened| opened.job).collect());
        }
    }
}

impl<S: Source> Opened<S> {
    /// Whether it is to be read from a rotating disk.
    fn moves_head(&self) -> bool {
        !self.was_cached && self.job.entry.device().medium == Medium::Rotating
    }

    /// Whether it is a file of a network or FUSE filesystem.
    fn is_far(&self) -> bool {
        self.job.entry.kind == EntryKind::Regular && self.job.entry.device().medium == Medium::Network
    }
}

impl<S: Source> Context<'_, '_, S> {
    /// Returns how many slots the reader of one spread file may be ahead. All readers together leave some slots to
    /// everybody.
    fn slots_ahead(&self) -> usize {
        let share = (self.table.slots() / self.options.threads).saturating_sub(self.lanes + self.batched_files + 2);
        share.clamp(1, SPREAD_AHEAD_BYTES.div_ceil(self.table.slot_bytes()))
    }
}
