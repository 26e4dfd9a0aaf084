//! The default: every worker reads its own files straight into its own memory and hashes them there.
//!
//! Prefetching is a window of opened files whose reads were announced to the kernel; it grows while reads wait and
//! vanishes in the page cache. A worker that finds no further file helps with the large ones.

use crate::chain::{Feeding, feed};
use crate::job::Job;
use crate::limits::{SPREAD_AHEAD_BYTES, SPREAD_FILE_BYTES, WINDOW_FILE_BYTES};
use crate::queue::{Next, Preference};
use crate::reading::{First, Opened};
use crate::run::{Context, Sink, Worker, announce};
use crate::smt::{first_or_whole, hash_long};
use crate::stats::stop;
use crate::table::Slot;
use crate::tree;
use crate::window::Window;
use pfh_source::{Source, SourceFile};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Cached files between two that are timed.
const SAMPLE: usize = 8;

/// The life of a thread.
pub(crate) fn work<S: Source, K: Sink>(context: &Context<'_, '_, S, K>) {
    let files_max = context.window_files_max;
    let mut adaptive = Adaptive {
        window: Window::new(files_max),
        opened: VecDeque::new(),
        jobs: VecDeque::new(),
        device: None,
        untimed: 0,
    };
    let mut worker = Worker::new(context);
    let mut slot = Some(context.table.acquire());
    loop {
        adaptive.look_ahead(&mut worker);
        match adaptive.opened.pop_front() {
            Some(opened) => {
                let announced = opened.announced_bytes;
                let own = slot.take().unwrap_or_else(|| context.table.acquire());
                slot = adaptive.read_and_hash(&mut worker, opened, own);
                context.announced_left.fetch_add(announced, Ordering::Relaxed);
            }
            None => {
                worker.flush();
                match context.queue.next(true, true, Preference::Next, context.clock, &mut worker.timers.wait_file) {
                    Next::Read(grab) => {
                        adaptive.device = Some(grab.device);
                        adaptive.jobs = grab.jobs;
                    }
                    Next::Hash(ready) => worker.run_ready(ready),
                    Next::End => break,
                }
            }
        }
    }
}

struct Adaptive<F> {
    window: Window,
    opened: VecDeque<Opened<F>>,
    jobs: VecDeque<Job>,
    /// Where the jobs came from, until they are all opened.
    device: Option<usize>,
    untimed: usize,
}

impl<F: SourceFile> Adaptive<F> {
    /// Opens files ahead: one, or as many as the window wants.
    fn look_ahead<S: Source<File = F>, K: Sink>(&mut self, worker: &mut Worker<'_, '_, '_, S, K>) {
        let context = worker.context;
        while self.opened.len() < self.window.files().max(1) {
            if worker.is_cancelled() {
                self.jobs.clear();
                self.opened.clear();
            }
            let Some(job) = self.jobs.pop_front() else {
                if let Some(device) = self.device.take() {
                    context.queue.reader_left(device);
                }
                // With files in hand, one does not wait for more.
                match if self.opened.is_empty() { None } else { context.queue.try_take(Preference::Next) } {
                    Some(grab) => {
                        self.device = Some(grab.device);
                        self.jobs = grab.jobs;
                        continue;
                    }
                    None => return,
                }
            };
            if self.window.files() == 0 {
                self.opened.extend(worker.open(job));
                continue;
            }
            let started = Instant::now();
            let Some(mut opened) = worker.open(job) else { continue };
            let size = opened.file.metadata().map_or(0, |metadata| metadata.size).min(WINDOW_FILE_BYTES);
            let within_budget = announce(&context.announced_left, &mut opened, size);
            self.window.observe(started.elapsed(), 0);
            self.opened.push_back(opened);
            if !within_budget {
                return;
            }
        }
    }

    /// Deals with one file; returns the slot unless it went on to other hands.
    fn read_and_hash<'r, 'm, S: Source<File = F>, K: Sink>(
        &mut self,
        worker: &mut Worker<'_, 'r, 'm, S, K>,
        opened: Opened<F>,
        mut slot: Slot<'r, 'm>,
    ) -> Option<Slot<'r, 'm>> {
        let context = worker.context;
        self.untimed += 1;
        let timed = (self.window.files() == 0 && self.untimed >= SAMPLE).then(Instant::now);
        let long = worker.guarded_file(&opened, |worker| {
            let started = context.clock.start();
            let first = opened.first(slot.bytes());
            stop(started, &mut worker.timers.read);
            if let Some(timed) = timed {
                self.untimed = 0;
                let length = if let Ok(First::Whole { length, .. }) = first { length } else { slot.bytes().len() };
                self.window.observe(timed.elapsed(), length as u64);
            }
            first_or_whole(worker, &opened, &slot, first)
        });
        let Some(metadata) = long else { return Some(slot) };
        // Others may take what this worker has not begun.
        if let Some(device) = self.device {
            context.queue.give_back(device, &mut self.jobs);
        }
        let Some((opened, metadata)) = worker.begin_long(opened, metadata) else { return Some(slot) };
        let options = context.options;
        // A stream is read by one thread while others hash; so is a large file with several digests.
        let spread = match metadata {
            None => true,
            Some(known) if tree::applies(&options.algorithms, options.piece_bytes, &known) && options.threads > 1 => {
                drop(slot);
                tree::spread_tree(worker, opened, known);
                return None;
            }
            Some(known) => options.algorithms.len() > 1 && known.size >= SPREAD_FILE_BYTES,
        };
        if spread && options.threads > 1 {
            feed(worker, &opened, slot, metadata, Feeding::HashBeyond(context.slots_ahead()));
            return None;
        }
        hash_long(worker, &opened, &mut slot, metadata);
        Some(slot)
    }
}

impl<S: Source, K: Sink> Context<'_, '_, S, K> {
    /// Slots that the reader of one spread file may be ahead, so that all readers together leave some to everybody.
    fn slots_ahead(&self) -> usize {
        (self.table.slots() / self.options.threads)
            .saturating_sub(2)
            .clamp(1, SPREAD_AHEAD_BYTES.div_ceil(self.table.slot_bytes()))
    }
}
