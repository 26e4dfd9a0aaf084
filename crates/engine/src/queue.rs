//! The queue where threads meet: jobs that wait for a reader, filled slots that wait for a hasher, and files that move
//! from one worker's lanes to another's.
//!
//! # Who wakes whom
//! There are one mutex and two conditions. `work` is signalled when a job, a ready item or a moving file arrives, when
//! a reader leaves a limited device, when jobs are left to readers or to workers, and to all threads when the run can
//! end. `room` is signalled to the walk when waiting memory is released. A thread that has been told
//! to end never comes back. Nothing else blocks on this lock, and it is never held while a file is read or hashed.

use crate::job::Job;
use crate::limits::{BALANCE_JOBS, GRAB_MAX, GRAB_MIN};
use crate::stats::{Clock, stop};
use crate::sync::{lock, wait, wait_timeout};
use pfh_source::{EntryKind, Handle, Medium};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

pub(crate) struct Queue<H, R, L> {
    state: Mutex<State<H, R, L>>,
    work: Condvar,
    room: Condvar,
    /// Limit of the waiting memory: jobs and records between the walk and their delivery.
    waiting_bytes_max: u64,
    /// Most readers at a time on one rotating device.
    prefetchers: usize,
    threads: usize,
    /// Most readers of the adaptive mode.
    readers_max: usize,
    /// Number of large files in progress. They produce ready items, and jobs that waited for them come back.
    large_files: AtomicUsize,
    /// Copies of `jobs`, `idle` and the number of `moving` for callers that need only an estimate.
    hints: Hints,
}

/// Copies of counts, in a cache line of their own: the walk reads them for each file, and workers change what is beside
/// the lock all the time.
#[repr(align(128))]
#[derive(Default)]
struct Hints {
    jobs: AtomicUsize,
    idle: AtomicUsize,
    moving: AtomicUsize,
}

/// How urgently the workers need jobs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Jobs are waiting to be taken.
    None,
    /// No job is waiting.
    Some,
    /// No job is waiting, and all workers are idle.
    Urgent,
}

struct State<H, R, L> {
    devices: Vec<DeviceJobs<H>>,
    /// The place among them of the device that was looked up last.
    last_place: usize,
    jobs: usize,
    ready: VecDeque<R>,
    /// Half-hashed files on their way from one worker's lanes to another's.
    moving: VecDeque<L>,
    waiting_bytes: u64,
    walk_ended: bool,
    /// Whether the walk waits for room, and so brings no jobs before records are delivered.
    walk_waits: bool,
    stopped: bool,
    /// Whether no work is left for any thread.
    over: bool,
    /// Number of prefetchers at work, which produce ready items.
    prefetchers: usize,
    /// Number of threads that have nothing to do.
    idle: usize,
    /// Those of them that both read and hash, as all workers do in the adaptive mode.
    idle_workers: usize,
    /// Number of workers that wait a moment for jobs to fill their lanes.
    pausing: usize,
}

type Guard<'q, H, R, L> = MutexGuard<'q, State<H, R, L>>;

/// The threads for which jobs are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taker {
    /// For threads that take jobs of all devices.
    Anyone,
    /// For workers, which leave the files of some devices to readers.
    Workers,
    /// For these readers. Streams are not for them, since one may never deliver.
    Readers,
    /// For threads that only hash.
    Nobody,
}

impl Taker {
    /// Whether these threads hash what others have read, too.
    fn hashes(self) -> bool {
        matches!(self, Taker::Workers | Taker::Nobody)
    }
}

/// The jobs of one device, and its number of readers.
struct DeviceJobs<H> {
    number: u64,
    /// Whether workers leave its files to readers.
    is_left_to_readers: bool,
    jobs: VecDeque<Job<H>>,
    readers: usize,
    readers_max: usize,
}

/// Jobs that a reader has taken. [`Queue::reader_left`] or [`Queue::leave_for_stream`] must follow, once, for the
/// device's count of readers.
pub(crate) struct Grab<H> {
    pub(crate) device: usize,
    pub(crate) jobs: VecDeque<Job<H>>,
}

/// The next work of a thread.
pub(crate) enum Next<H, R, L> {
    Read(Grab<H>),
    Hash(R),
    Adopt(L),
    End,
}

/// The jobs that a reader prefers.
#[derive(Clone, Copy)]
pub(crate) enum Preference {
    /// The next jobs.
    Next,
    /// A job whose size fits these free bytes (published listing 3).
    Fitting(u64),
}

impl<H: Handle, R, L> Queue<H, R, L> {
    pub(crate) fn new(
        waiting_bytes_max: u64,
        prefetchers: usize,
        threads: usize,
        readers_max: usize,
    ) -> Queue<H, R, L> {
        let state = State {
            devices: Vec::new(),
            last_place: 0,
            jobs: 0,
            ready: VecDeque::new(),
            moving: VecDeque::new(),
            waiting_bytes: 0,
            walk_ended: false,
            walk_waits: false,
            stopped: false,
            over: false,
            prefetchers: 0,
            idle: 0,
            idle_workers: 0,
            pausing: 0,
        };
        Queue {
            state: Mutex::new(state),
            work: Condvar::new(),
            room: Condvar::new(),
            waiting_bytes_max,
            prefetchers: prefetchers.max(1),
            threads,
            readers_max,
            large_files: AtomicUsize::new(0),
            hints: Hints::default(),
        }
    }

    /// Adds jobs of the walk. Waits while the waiting memory is used up.
    pub(crate) fn push_jobs(&self, jobs: &mut Vec<Job<H>>, cost_bytes: u64, limit_readers: bool) {
        let mut state = self.lock();
        while !state.stopped && state.waiting_bytes > 0 && state.waiting_bytes + cost_bytes > self.waiting_bytes_max {
            state.walk_waits = true;
            state = wait(&self.room, state);
        }
        state.walk_waits = false;
        state.waiting_bytes += cost_bytes;
        for job in jobs.drain(..) {
            let device = job.entry.device();
            let place = match state.place_of(device.number) {
                Some(place) => place,
                None => {
                    let limited = limit_readers || device.medium == Medium::Rotating;
                    let readers_max = if limited { self.prefetchers } else { usize::MAX };
                    let jobs = VecDeque::new();
                    state.devices.push(DeviceJobs {
                        number: device.number,
                        is_left_to_readers: false,
                        jobs,
                        readers: 0,
                        readers_max,
                    });
                    state.devices.len() - 1
                }
            };
            state.devices[place].jobs.push_back(job);
            state.jobs += 1;
        }
        self.wake_for_jobs(state);
    }

    /// The most waiting memory that one group of the walk may use, in bytes.
    pub(crate) fn group_bytes_max(&self) -> u64 {
        self.waiting_bytes_max / 2
    }

    /// The approximate number of waiting jobs.
    pub(crate) fn jobs_waiting(&self) -> usize {
        self.hints.jobs.load(Ordering::Relaxed)
    }

    /// Whether a thread has nothing to do. An estimate that takes no lock.
    pub(crate) fn has_idle(&self) -> bool {
        self.hints.idle.load(Ordering::Relaxed) > 0
    }

    /// How urgently the walk should hand over its jobs. An estimate that takes no lock.
    pub(crate) fn need(&self) -> Need {
        if self.jobs_waiting() > 0 {
            Need::None
        } else if self.hints.idle.load(Ordering::Relaxed) < self.threads {
            Need::Some
        } else {
            Need::Urgent
        }
    }

    pub(crate) fn walk_ended(&self) {
        self.lock().walk_ended = true;
        self.work.notify_all();
    }

    /// Stops the run: drops the waiting jobs and accepts no others.
    pub(crate) fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        state.jobs = 0;
        self.hints.jobs.store(0, Ordering::Relaxed);
        for device in &mut state.devices {
            device.jobs.clear();
        }
        self.work.notify_all();
        self.room.notify_all();
    }

    /// Adds to the waiting memory, for a record that occupies more than its job did.
    pub(crate) fn charge(&self, bytes: u64) {
        self.lock().waiting_bytes += bytes;
    }

    /// Releases the waiting memory of delivered records.
    pub(crate) fn release(&self, bytes: u64) {
        if bytes > 0 {
            let mut state = self.lock();
            state.waiting_bytes -= bytes;
            self.room.notify_one();
        }
    }

    /// Puts jobs that a worker has taken but not begun back to the front.
    pub(crate) fn give_back(&self, device: usize, jobs: &mut VecDeque<Job<H>>) {
        if jobs.is_empty() {
            return;
        }
        let mut state = self.lock();
        if state.stopped {
            jobs.clear();
            return;
        }
        state.jobs += jobs.len();
        while let Some(job) = jobs.pop_back() {
            state.devices[device].jobs.push_front(job);
        }
        self.wake(&state);
    }

    /// Puts back jobs as [`Queue::give_back`] does, for a reader that goes on with a stream: its bytes do not come from
    /// the device, and it may never deliver, so it holds no reader's place there.
    pub(crate) fn leave_for_stream(&self, device: usize, jobs: &mut VecDeque<Job<H>>) {
        self.give_back(device, jobs);
        self.reader_left(device);
    }

    /// Puts jobs that waited for another file back as ordinary jobs.
    pub(crate) fn requeue(&self, jobs: Vec<Job<H>>) {
        let mut state = self.lock();
        if state.stopped {
            return;
        }
        for job in jobs {
            if let Some(place) = state.place_of(job.entry.device().number) {
                state.devices[place].jobs.push_front(job);
                state.jobs += 1;
            }
        }
        self.wake(&state);
    }

    pub(crate) fn push_ready(&self, item: R) {
        let mut state = self.lock();
        state.ready.push_back(item);
        // Waking a single thread is not enough: it may be a prefetcher, which waits for jobs only.
        self.wake(&state);
    }

    /// Drops the ready items that need no thread any more.
    pub(crate) fn drop_ready(&self, is_over: impl Fn(&R) -> bool) {
        self.lock().ready.retain(|item| !is_over(item));
    }

    pub(crate) fn pop_ready(&self) -> Option<R> {
        self.lock().ready.pop_front()
    }

    /// Whether no large file is in progress and the walk has ended.
    pub(crate) fn is_last_large_file(&self) -> bool {
        self.lock().walk_ended && self.large_files() == 0
    }

    /// Whether a worker with `long` long files in its lanes is to pass one on. When no further files come, all workers
    /// get equal shares of them, since fewer lanes in use are faster.
    pub(crate) fn wants_lane_of(&self, long: usize) -> bool {
        // Workers ask this for each chunk of a long file, and would wait for the lock.
        if self.jobs_waiting() > 0 {
            return false;
        }
        let state = self.lock();
        let ended = state.jobs == 0 && !state.expects_jobs();
        ended && state.moving.is_empty() && long > self.share()
    }

    /// Whether a worker is to pass on a file that would end last to one with exclusive lanes. Without further files,
    /// all share the long ones: see [`Self::wants_lane_of`].
    pub(crate) fn wants_late(&self) -> bool {
        self.jobs_waiting() > 0 && self.hints.moving.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn push_moving(&self, file: L) {
        let mut state = self.lock();
        state.moving.push_back(file);
        self.hints.moving.store(state.moving.len(), Ordering::Relaxed);
        self.wake(&state);
    }

    /// Takes a file from another worker's lanes, for a worker that has `long` long files itself.
    pub(crate) fn pop_moving(&self, long: usize) -> Option<L> {
        if self.hints.moving.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut state = self.lock();
        if long < self.share() { self.take_moving(&mut state) } else { None }
    }

    /// Takes a file that would end last, for a worker with exclusive lanes.
    pub(crate) fn pop_late(&self) -> Option<L> {
        let is_there = self.hints.moving.load(Ordering::Relaxed) > 0 && self.jobs_waiting() > 0;
        if is_there { self.take_moving(&mut self.lock()) } else { None }
    }

    fn take_moving(&self, state: &mut State<H, R, L>) -> Option<L> {
        let file = state.moving.pop_front();
        self.hints.moving.store(state.moving.len(), Ordering::Relaxed);
        file
    }

    /// The fair share of long files of each worker.
    fn share(&self) -> usize {
        self.large_files().div_ceil(self.threads)
    }

    fn large_files(&self) -> usize {
        self.large_files.load(Ordering::Acquire)
    }

    /// Takes jobs without waiting, for a worker that has finished with the files of the device `left`.
    pub(crate) fn take_next(&self, left: Option<usize>) -> Option<Grab<H>> {
        if left.is_none() && self.jobs_waiting() == 0 {
            return None;
        }
        let mut state = self.lock();
        if let Some(left) = left {
            self.left(&mut state, left);
        }
        self.take(state, Taker::Workers, Preference::Next).ok()
    }

    /// Takes jobs without waiting.
    pub(crate) fn try_take(&self, taker: Taker, preference: Preference) -> Option<Grab<H>> {
        self.take(self.lock(), taker, preference).ok()
    }

    /// Takes jobs, or returns the lock.
    fn take<'q>(
        &self,
        mut state: Guard<'q, H, R, L>,
        taker: Taker,
        preference: Preference,
    ) -> Result<Grab<H>, Guard<'q, H, R, L>> {
        // The first reader takes its files before the others begin, and each of them comes late.
        let threads = if taker == Taker::Readers { self.threads.max(self.readers_max) } else { self.threads };
        let grab = state.take(threads, taker, preference);
        self.hints.jobs.store(state.jobs, Ordering::Relaxed);
        let Some(grab) = grab else { return Err(state) };
        if state.devices.iter().any(|device| device.is_left_to_readers) {
            let device = &state.devices[grab.device];
            let is_for_others = !device.jobs.is_empty() && device.jobs_for(taker) == 0;
            // Workers and readers wait on one condition, and not all that comes is for each of them.
            if is_for_others || state.jobs == 0 {
                self.work.notify_all();
            }
        } else if state.jobs > 0 {
            self.wake_for_jobs(state);
        }
        Ok(grab)
    }

    /// Wakes threads for jobs. Where any thread that waits can take any job, it wakes one, which wakes the next if it
    /// leaves jobs: to wake all of them takes the walk longer than to find the jobs. The lock is released before, since
    /// to wake a thread takes longer than all else that is done with it.
    fn wake_for_jobs(&self, state: Guard<'_, H, R, L>) {
        let is_for_any =
            state.idle == state.idle_workers && !state.devices.iter().any(|device| device.is_left_to_readers);
        if is_for_any && state.idle + state.pausing > 0 {
            self.hints.jobs.store(state.jobs, Ordering::Relaxed);
            drop(state);
            self.work.notify_one();
        } else {
            self.wake(&state);
        }
    }

    /// Waits a moment for jobs, if the walk may still bring some. Returns whether it brought some.
    pub(crate) fn wait_for_jobs(&self, clock: Clock, waited: &mut Duration) -> bool {
        const MOMENT: Duration = Duration::from_micros(500);
        let mut state = self.lock();
        let expects_jobs = state.expects_jobs();
        if expects_jobs {
            state.pausing += 1;
            let started = clock.start();
            state = wait_timeout(&self.work, state, MOMENT);
            stop(started, waited);
            state.pausing -= 1;
            // This worker may be unable to take the jobs for which it was woken.
            if state.jobs > 0 && state.idle > 0 {
                self.work.notify_one();
            }
        }
        expects_jobs && state.jobs > 0
    }

    /// Leaves the files of a device to readers.
    pub(crate) fn leave_to_readers(&self, number: u64) {
        let mut state = self.lock();
        if let Some(device) = state.devices.iter_mut().find(|device| device.number == number) {
            device.is_left_to_readers = true;
        }
        self.work.notify_all();
    }

    /// Leaves the files of all devices to the workers.
    pub(crate) fn leave_to_workers(&self) {
        let mut state = self.lock();
        state.devices.iter_mut().for_each(|device| device.is_left_to_readers = false);
        self.work.notify_all();
    }

    /// Waits for work of these threads: for reading, otherwise for hashing.
    pub(crate) fn next(
        &self,
        taker: Taker,
        preference: Preference,
        clock: Clock,
        waited: &mut Duration,
    ) -> Next<H, R, L> {
        let (read, hash) = (taker != Taker::Nobody, taker.hashes());
        let mut state = self.lock();
        loop {
            if read {
                state = match self.take(state, taker, preference) {
                    Ok(grab) => return Next::Read(grab),
                    Err(state) => state,
                };
            }
            if taker == Taker::Readers && !state.devices.iter().any(|device| device.is_left_to_readers) {
                return Next::End;
            }
            if hash && let Some(item) = state.ready.pop_front() {
                return Next::Hash(item);
            }
            if hash && let Some(file) = self.take_moving(&mut state) {
                return Next::Adopt(file);
            }
            // Another worker may still find that its file is large, and share it.
            let last = !(read && hash) || state.idle + 1 == self.threads || state.over || state.stopped;
            if last && state.is_over(hash, self.large_files()) {
                state.over = true;
                self.work.notify_all();
                return Next::End;
            }
            state.idle += 1;
            state.idle_workers += usize::from(read && hash);
            self.hints.idle.store(state.idle, Ordering::Relaxed);
            let started = clock.start();
            state = wait(&self.work, state);
            stop(started, waited);
            state.idle -= 1;
            state.idle_workers -= usize::from(read && hash);
            self.hints.idle.store(state.idle, Ordering::Relaxed);
        }
    }

    /// Notes that a reader has finished with the files of a [`Grab`].
    pub(crate) fn reader_left(&self, device: usize) {
        self.left(&mut self.lock(), device);
    }

    fn left(&self, state: &mut State<H, R, L>, device: usize) {
        let device = &mut state.devices[device];
        device.readers -= 1;
        if device.readers_max != usize::MAX {
            self.work.notify_all();
        }
    }

    pub(crate) fn large_file_began(&self) {
        self.large_files.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn large_file_ended(&self) {
        // Threads that wait to end decide under the lock.
        if self.large_files.fetch_sub(1, Ordering::AcqRel) == 1 {
            let _state = self.lock();
            self.work.notify_all();
        }
    }

    pub(crate) fn prefetcher_began(&self) {
        self.lock().prefetchers += 1;
    }

    pub(crate) fn prefetcher_ended(&self) {
        let mut state = self.lock();
        state.prefetchers -= 1;
        if state.prefetchers == 0 {
            self.work.notify_all();
        }
    }

    fn wake(&self, state: &State<H, R, L>) {
        self.hints.jobs.store(state.jobs, Ordering::Relaxed);
        match state.idle + state.pausing {
            0 => {}
            1 => self.work.notify_one(),
            _ => self.work.notify_all(),
        }
    }

    fn lock(&self) -> Guard<'_, H, R, L> {
        lock(&self.state)
    }
}

impl<H, R, L> State<H, R, L> {
    /// Returns the place of a device, if it is known. Jobs that follow each other are mostly of one device, and there
    /// may be thousands.
    fn place_of(&mut self, number: u64) -> Option<usize> {
        let is_it = |device: &DeviceJobs<H>| device.number == number;
        if !self.devices.get(self.last_place).is_some_and(is_it) {
            self.last_place = self.devices.iter().position(is_it)?;
        }
        Some(self.last_place)
    }

    fn take(&mut self, threads: usize, taker: Taker, preference: Preference) -> Option<Grab<H>> {
        if self.jobs == 0 {
            return None;
        }
        let free = |device: &DeviceJobs<H>| device.jobs_for(taker) > 0 && device.readers < device.readers_max;
        let place = self.devices.iter().position(free)?;
        let least = if taker == Taker::Workers && self.brings_jobs() { GRAB_MIN } else { 1 };
        let device = &mut self.devices[place];
        let threads = threads.max(self.prefetchers);
        let jobs: VecDeque<Job<H>> = match preference {
            Preference::Next => {
                // A few files are divided evenly; many files are handed over in groups.
                let count = (self.jobs / (4 * threads)).clamp(least, GRAB_MAX).min(device.jobs_for(taker));
                device.jobs.drain(..count).collect()
            }
            Preference::Fitting(free_bytes) => device.take_fitting(free_bytes).into_iter().collect(),
        };
        device.readers += 1;
        self.jobs -= jobs.len();
        Some(Grab { device: place, jobs })
    }

    /// Whether no job is waiting and the walk may bring some soon.
    fn expects_jobs(&self) -> bool {
        self.jobs == 0 && self.brings_jobs()
    }

    /// Whether the walk may bring jobs soon.
    fn brings_jobs(&self) -> bool {
        !self.walk_ended && !self.walk_waits && !self.stopped
    }

    fn is_over(&self, hash: bool, large_files: usize) -> bool {
        let no_jobs = self.stopped || (self.walk_ended && self.jobs == 0);
        if hash {
            // Files that are being read still have to be hashed.
            no_jobs && large_files == 0 && self.prefetchers == 0 && self.ready.is_empty() && self.moving.is_empty()
        } else {
            // A job that waited for a large file may come back.
            no_jobs && large_files == 0
        }
    }
}

impl<H> DeviceJobs<H> {
    /// Returns how many of the first jobs are for these threads, up to the most that are taken at a time.
    fn jobs_for(&self, taker: Taker) -> usize {
        let is_stream = |job: &Job<H>| job.entry.kind == EntryKind::Stream;
        let first = self.jobs.iter().take(GRAB_MAX);
        match (taker, self.is_left_to_readers) {
            (Taker::Anyone, _) | (Taker::Workers, false) => first.len(),
            (Taker::Workers, true) => first.take_while(|job| is_stream(job)).count(),
            (Taker::Readers, true) => first.take_while(|job| !is_stream(job)).count(),
            (Taker::Readers, false) | (Taker::Nobody, _) => 0,
        }
    }

    /// Takes the first job that fits, unless the first job was passed over too often.
    fn take_fitting(&mut self, free_bytes: u64) -> Option<Job<H>> {
        let patient = self.jobs.front().is_some_and(|job| job.passed_over < BALANCE_JOBS);
        let fits = |job: &Job<H>| job.entry.size_hint.is_none_or(|size| size <= free_bytes);
        let place = if patient { self.jobs.iter().take(BALANCE_JOBS).position(fits).unwrap_or(0) } else { 0 };
        if place > 0
            && let Some(first) = self.jobs.front_mut()
        {
            first.passed_over += 1;
        }
        self.jobs.remove(place)
    }
}
